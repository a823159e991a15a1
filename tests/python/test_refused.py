"""Modules of PyTorch that can be imported and not used: libraries import them beside what they need."""

import importlib
import subprocess
import sys

import pytest

import karat
from karat import nn


def test_a_name_is_refused_when_it_is_called():
    from karat.distributed import init_process_group

    assert not karat.distributed.is_available() and not karat.distributed.is_initialized()
    with pytest.raises(NotImplementedError, match="^karat.distributed.init_process_group: not available"):
        init_process_group("gloo")
    with pytest.raises(NotImplementedError, match="^karat.onnx.export: models are not exported to ONNX"):
        karat.onnx.export(nn.Linear(3, 3), karat.ones(3), "net.onnx")
    with pytest.raises(NotImplementedError, match="^karat.fx.symbolic_trace"):
        karat.fx.symbolic_trace(nn.Linear(3, 3))
    with pytest.raises(AttributeError, match="module 'karat.fx' has no attribute '_own'"):
        karat.fx._own


def test_a_function_that_is_a_module_too_is_refused():
    import karat.multiprocessing as multiprocessing

    with pytest.raises(NotImplementedError, match="multiprocessing.spawn: tensors are not shared between processes"):
        multiprocessing.spawn(print, (1,))


@pytest.mark.parametrize("path, name", [
    ("distributed.tensor", "DTensor"), ("distributed.algorithms.join", "Join"),
    ("fx.experimental.symbolic_shapes", "free_symbols"),
    ("signal.windows", "hann"), ("_dynamo.eval_frame", "OptimizedModule"), ("export._trace", "_export"),
    ("nn.attention.flex_attention", "BlockMask")])
def test_modules_below_are_made_when_they_are_imported(path, name):
    module = importlib.import_module(f"karat.{path}")
    kind = getattr(module, name)
    assert module.__name__ == f"karat.{path}" and "refused" in module.__doc__
    assert isinstance(kind, type) and not isinstance(karat.ones(1), kind)
    with pytest.raises(NotImplementedError, match=f"^karat.{path}.{name}: "):
        kind(1)


def test_a_refused_name_stands_in_annotations_and_below_classes():
    from karat.distributed import ReduceOp

    def reduce(op: ReduceOp | None = ReduceOp.SUM):
        return op

    class Tracer(karat.fx.Tracer):
        def is_leaf_module(self, module, name):
            return True

    with pytest.raises(NotImplementedError, match="karat.fx.Tracer: programs are run as they are written"):
        Tracer()
    with pytest.raises(NotImplementedError, match="karat.distributed.ReduceOp.SUM"):
        reduce()()
    assert not hasattr(ReduceOp, "_private")


def test_what_is_beside_is_still_missing():
    with pytest.raises(ImportError):
        importlib.import_module("karat.nn.attention.nothing")
    with pytest.raises(ImportError):
        importlib.import_module("karat.nothing")


def test_what_the_compiler_is_told_has_no_effect():
    t, function = karat.ones(2), len
    karat._dynamo.mark_static_address(t)
    karat._dynamo.mark_dynamic(t, 0)
    assert karat._dynamo.disable(function) is function and karat.fx.wrap(function) is function
    assert karat._dynamo.is_compiling() is False and karat.onnx.is_in_onnx_export() is False
    karat._dynamo.config.cache_size_limit = 64
    assert karat._dynamo.config.cache_size_limit == 64
    with pytest.raises(NotImplementedError, match="RecursiveScriptModule: nothing is compiled"):
        karat.jit.RecursiveScriptModule()
    assert not isinstance(nn.Linear(1, 1), karat.jit.ScriptModule)


@pytest.mark.filterwarnings("ignore:torch.jit.ScriptModule")
def test_a_script_module_runs_as_it_is_written():
    class Scaled(karat.jit.ScriptModule):
        __constants__ = ["factor"]

        def __init__(self):
            super().__init__()
            self.factor, self.weight = 2, nn.Parameter(karat.ones(3))

        @karat.jit.script_method
        def forward(self, x):
            return x * self.weight * self.factor

    module = Scaled()
    module(karat.ones(3)).sum().backward()
    assert module.weight.grad.tolist() == [2, 2, 2] and list(module.state_dict()) == ["weight"]
    assert isinstance(module, karat.jit.ScriptModule) and not isinstance(module, karat.jit.RecursiveScriptModule)
    with pytest.raises(NotImplementedError, match="ScriptModule.save: nothing is compiled"):
        module.save("net.pt")


def test_under_torchs_name():
    program = """
import torch
import torch.distributed.tensor as t
from torch.fx.experimental import symbolic_shapes
from torch.distributions import constraints
import torch._dynamo
assert torch.distributed.tensor is t and torch._dynamo.is_compiling() is False
try:
    t.DTensor.from_local(1)
except NotImplementedError as e:
    print(e)
"""
    run = subprocess.run([sys.executable, "-m", "karat", "run", "-c", program], capture_output=True, text=True)
    assert run.stdout == "torch.distributed.tensor.DTensor.from_local: not available: this build has one process\n", run.stderr


def test_a_census_is_counted_again(tmp_path):
    from pathlib import Path

    census = tmp_path / "census.md"
    census.write_text("| 1 | `torch.nn.Linear` | 12 | 3 |\n\n`torch.fx.Tracer` 2/5, `torch.nothing_of_that_name` 3/4\n\n"
                      "Tensor: `values` 7, `to_sparse` 6\n\n`Module.train` 9, `Optimizer.state` 1\n")
    script = Path(__file__).parents[2] / "tools" / "names_by_use.py"
    run = subprocess.run([sys.executable, "-m", "karat", "run", str(script), str(census), "--missing"], capture_output=True,
                         text=True)
    lines = run.stdout.split("\n")
    assert lines[1].split() == ["all", "7", "4", "2", "1", "44", "11", "4"], run.stderr
    assert lines[-3:-1] == ["missing: torch.nothing_of_that_name 4", "refused: Tensor.to_sparse 6, torch.fx.Tracer 5"]


def test_single_names_are_refused_where_the_module_is_there():
    with pytest.raises(NotImplementedError, match="^karat.jit.load: nothing is compiled here"):
        karat.jit.load("model.pt")
    with pytest.raises(NotImplementedError, match="^karat.utils.cpp_extension.load: C.. that is written against PyTorch's"):
        karat.utils.cpp_extension.load("x", ["x.cpp"])
    from karat.fx import Tracer

    with pytest.raises(NotImplementedError, match="^karat.fx.Tracer: programs are run as they are written"):
        Tracer()
    assert not hasattr(karat.nn.functional, "grouped_mm")  # mixtures of experts ask, and have a loop of their own
    with pytest.raises(AttributeError, match="module 'karat' has no attribute 'nothing'"):
        karat.nothing
