"""The classes of modules: mixins, another class for an object that is there, weak references, names under torch."""

import gc
import inspect
import pickle
import subprocess
import sys
import weakref

import pytest

import karat as torch
from karat import nn


class Mixin:
    def hello(self):
        return f"hello from {type(self).__name__}"


class Slots:
    __slots__ = ()


def test_a_module_can_become_one_of_a_class_with_mixins():
    layer = nn.Linear(2, 3)
    weight = layer.weight
    for bases in ((Mixin, nn.Linear), (nn.Linear, Mixin), (Slots, Mixin, nn.Linear)):
        layer.__class__ = type("Greeting", bases, {})
        assert layer.hello() == "hello from Greeting" and layer.weight is weight and layer(torch.ones(2)).shape == (3,)
        layer.__class__ = nn.Linear
        assert not hasattr(layer, "hello") and layer(torch.ones(1, 2)).shape == (1, 3)
    with pytest.raises(TypeError):
        layer.__class__ = Mixin


def test_attributes_beside_the_tables():
    outer, inner = nn.Sequential(nn.ReLU()), nn.Linear(1, 1)
    object.__setattr__(outer, "aside", inner)
    assert outer.aside is inner and list(outer._modules) == ["0"] and not list(outer.parameters())
    object.__delattr__(outer, "aside")
    assert not hasattr(outer, "aside")
    outer.child = inner
    assert list(outer._modules) == ["0", "child"]
    del outer.child
    assert list(outer._modules) == ["0"]

    class Counting(nn.Module):
        def __setattr__(self, name, value):
            self.__dict__.setdefault("names", []).append(name)
            super().__setattr__(name, value)

        def __delattr__(self, name):
            self.names.append(f"-{name}")
            super().__delattr__(name)

    counting = Counting()
    counting.layer = inner
    del counting.layer
    assert counting.names[-2:] == ["layer", "-layer"] and not counting._modules
    for bad in (lambda: nn.Module.__getattr__(inner, 5), lambda: inner.__setattr__(5, 1), lambda: inner.__setattr__("a"),
                lambda: inner.__delattr__([])):
        with pytest.raises(TypeError):
            bad()


def test_weak_references_and_cycles():
    layer = nn.Sequential(nn.Linear(2, 2))
    told = []
    references = [weakref.ref(layer, lambda _: told.append("gone")), weakref.ref(layer[0])]
    assert references[0]() is layer and references[1]() is layer[0]
    layer[0].parent = [layer]  # a cycle
    del layer
    gc.collect()
    assert references[0]() is None and references[1]() is None and told == ["gone"]
    table = weakref.WeakKeyDictionary({nn.ReLU(): 1})
    gc.collect()
    assert not len(table)


def test_modules_with_and_without_duplicates():
    one = nn.ReLU()
    net = nn.Sequential(one, one)
    assert len(list(net.modules())) == 2 and len(list(net.modules(remove_duplicate=False))) == 3


def test_a_parameter_of_integers_is_explained_as_one():
    counts = torch.arange(3)
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype can require gradients") as e:
        nn.Parameter(counts)
    assert "Parameter(self: int64[3])" in str(e.value)
    assert "counts.float() at" in str(e.value) and "Parameter(counts, dtype=" not in str(e.value)


def test_names_under_karat_run():
    program = """
import pickle, torch, torch.nn as nn
from torch.autograd.grad_mode import no_grad
import torch.utils.data
print(nn.Linear, nn.Parameter, torch.optim.Adam, torch.utils.data.TensorDataset, torch.no_grad, torch.autograd.Function)
print(torch.save.__module__, nn.functional.relu.__module__, torch.typename(nn.ReLU()), no_grad is torch.no_grad)
print(pickle.dumps(torch.float32), pickle.loads(pickle.dumps(torch.float32)) is torch.float32)
layer = pickle.loads(pickle.dumps(nn.Linear(2, 1)))
print(b"torch.nn.modules.linear" in pickle.dumps(layer), type(layer) is nn.Linear)
print(type(torch.distributed.ReduceOp), torch.testing.assert_close.__module__)
import karat
print(karat.explain(nn.Linear(1, 1)))
"""
    run = subprocess.run([sys.executable, "-m", "karat", "run", "-c", program], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    assert lines[0] == ("<class 'torch.nn.modules.linear.Linear'> <class 'torch.nn.parameter.Parameter'> "
                        "<class 'torch.optim.adam.Adam'> <class 'torch.utils.data.dataset.TensorDataset'> "
                        "<class 'torch.autograd.grad_mode.no_grad'> <class 'torch.autograd.function.Function'>"), run.stderr
    assert lines[1] == "torch.serialization torch.nn.functional torch.nn.modules.activation.ReLU True"
    assert "torch" in lines[2] and lines[2].endswith("True") and lines[3] == "True True"
    assert lines[4].endswith("torch.testing")
    assert "born as float32, nn.Linear weight" in run.stdout  # a layer's parameters are still born in the layer


def test_names_without_it():
    assert nn.Linear.__module__ == "karat.nn.modules.linear" and torch.float32.__module__ == "karat"
    assert b"karat.optim" not in pickle.dumps(torch.float32) and pickle.loads(pickle.dumps(torch.int8)) is torch.int8


@pytest.mark.parametrize("layer, named", [
    ("ReflectionPad1d", "ReflectionPad1d"), ("CircularPad2d", "CircularPad2d"), ("ConstantPad3d", "ConstantPad3d"),
    ("AvgPool2d", "AvgPool2d"), ("FractionalMaxPool3d", "FractionalMaxPool3d"), ("MaxUnpool2d", "MaxUnpool2d"),
    ("MaxPool2d", "_MaxPoolNd"), ("AdaptiveAvgPool1d", "_AdaptiveAvgPoolNd"), ("LPPool2d", "_LPPoolNd"),
    ("LazyConv1d", "LazyConv1d"), ("LazyConvTranspose3d", "LazyConvTranspose3d"), ("LazyBatchNorm2d", "_LazyNormBase"),
    ("BatchNorm1d", "_BatchNorm"), ("InstanceNorm2d", "_InstanceNorm"), ("ReLU", "ReLU"), ("Softmax", "Softmax"),
    ("Dropout", "_DropoutNd"), ("MSELoss", "_Loss"), ("BCELoss", "_WeightedLoss"),
    ("TransformerDecoderLayer", "TransformerDecoderLayer")])
def test_errors_of_arguments_name_the_constructor_that_pytorch_names(layer, named):
    with pytest.raises(TypeError, match=rf"^{named}\.__init__\(\) got an unexpected keyword argument 'zzz'"):
        getattr(nn, layer)(zzz=1)


def test_a_subclass_has_the_constructor_of_its_layer():
    class Mine(nn.ReflectionPad2d):
        pass

    assert Mine.__init__ is nn.ReflectionPad2d.__init__ and Mine(3).padding == (3, 3, 3, 3)
    assert nn.LazyConv2d(4, 3)(torch.ones(1, 2, 5, 5)).shape == (1, 4, 3, 3)


def test_a_container_of_prunings_refuses_what_is_none():
    prune = nn.utils.prune
    with pytest.raises(TypeError, match="^<class 'int'> is not a BasePruningMethod subclass$"):
        prune.PruningContainer(1, 2)
    with pytest.raises(TypeError, match=r"^L1Unstructured\.__init__\(\) missing 1 required positional argument: 'amount'$"):
        prune.L1Unstructured()


def test_typename_of_what_has_a_name():
    names = torch.typename(int), torch.typename(len), torch.typename(3), torch.typename(Mixin.hello), torch.typename(Mixin())
    assert names == ("int", "len", "int", f"{__name__}.Mixin.hello", f"{__name__}.Mixin")
    with pytest.raises(TypeError, match=r"^\S+\.nn\.modules\.activation\.ReLU is not a Module subclass$"):
        nn.Module().add_module("x", nn.ReLU)


@pytest.mark.parametrize("layer, later", [(nn.Conv2d(1, 1, 1), "padding_mode"), (nn.AvgPool3d(2), "padding"),
                                          (nn.Upsample(2), "recompute_scale_factor")])
def test_a_loaded_layer_has_its_attributes_in_order(layer, later):
    again = pickle.loads(pickle.dumps(layer))
    assert list(vars(again)) == list(vars(layer))
    old = dict(vars(layer))
    del old[later]
    again.__setstate__(old)
    assert hasattr(again, later)


def test_a_value_that_cannot_be_assigned_is_said_to_be_copied():
    with pytest.raises(RuntimeError, match='While copying the parameter named "weight"'):
        nn.Linear(2, 3).load_state_dict({"weight": torch.ones(3, 2, dtype=torch.int64), "bias": torch.ones(3)}, assign=True)


@pytest.mark.parametrize("container, method", [("Sequential", "pop"), ("ModuleList", "append"), ("ModuleDict", "pop"),
                                               ("ParameterDict", "pop"), ("Sequential", "extend"), ("ModuleList", "extend")])
def test_errors_of_arguments_name_the_method_that_pytorch_names(container, method):
    with pytest.raises(TypeError, match=rf"^{container}\.{method}\(\) missing 1 required positional argument"):
        getattr(getattr(nn, container)(), method)()


@pytest.mark.parametrize("layer, named", [
    (nn.Conv2d(1, 1, 1), "Conv2d"), (nn.LazyConv1d(1, 1), "Conv1d"), (nn.MaxPool1d(1), "MaxPool1d"), (nn.LSTM(1, 1), "LSTM"),
    (nn.AvgPool3d(1), "AvgPool3d"), (nn.BatchNorm1d(1), "_BatchNorm"), (nn.SyncBatchNorm(1), "SyncBatchNorm"),
    (nn.ReflectionPad1d(1), "_ReflectionPadNd"), (nn.ConstantPad2d(1, 0), "_ConstantPadNd"), (nn.ReLU(), "ReLU")])
def test_errors_of_calls_name_the_forward_that_pytorch_names(layer, named):
    with pytest.raises(TypeError, match=rf"^{named}\.forward\(\) takes (from 2 to 3|2) positional arguments but 6 were given"):
        layer.forward(1, 2, 3, 4, 5)


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))
        self.register_buffer("b", torch.zeros(1))
        self.child = nn.Identity()
        self.plain = 3


def asking(log):
    def get(self, name):
        log.append(name)
        return nn.Module.__getattr__(self, name)

    return get


def ask_all(m):
    return m.w, m.b, m.child, m.plain


def test_a_getattr_that_is_assigned_to_a_class_later():
    log = []
    kind = type("Kind", (Holder,), {})
    m, lower = kind(), type("Lower", (kind,), {})()
    ask_all(m), ask_all(lower)
    kind.__getattr__ = asking(log)
    for one in (m, lower, kind()):
        log.clear()
        ask_all(one)
        assert log == ["w", "b", "child"]
        with pytest.raises(AttributeError, match="has no attribute 'nope'"):
            one.nope
    log.clear()
    del kind.__getattr__
    assert ask_all(m)[3] == 3 and log == []
    with pytest.raises(AttributeError, match="has no attribute 'nope'"):
        m.nope


def test_a_getattr_of_a_mixin_before_or_behind_module():
    log = []
    mixin = type("Mixin", (), {"__getattr__": asking(log)})
    before, behind = type("Before", (mixin, Holder), {})(), type("Behind", (Holder, mixin), {})()
    log.clear()
    ask_all(before)
    assert log == ["w", "b", "child"]
    log.clear()
    assert ask_all(behind)[3] == 3 and log == []  # Module's comes first
    later = type("Later", (), {})
    m = type("Kind", (later, Holder), {})()
    later.__getattr__ = asking(log)
    ask_all(m)
    assert log == ["w", "b", "child"]


def test_a_getattr_of_all_modules():
    log, own = [], nn.Module.__getattr__

    def get(self, name):
        log.append(name)
        return own(self, name)

    m = nn.Linear(1, 1)
    nn.Module.__getattr__ = get
    try:
        m(torch.ones(1))
    finally:
        nn.Module.__getattr__ = own
    assert {"weight", "bias"} <= set(log)
    log.clear()
    m(torch.ones(1))
    assert log == []


def test_object_getattribute_knows_no_table():
    m = Holder()
    with pytest.raises(AttributeError):
        nn.Module.__getattribute__(m, "w")
    assert nn.Module.__getattr__(m, "w") is m.w and nn.Module.__getattribute__(m, "plain") == 3


class Made:
    """What huggingface_hub's mixin does: objects and classes of modules go through it."""

    classes = []

    def __new__(cls, *args, **options):
        made = super().__new__(cls)
        made.__dict__["made_with"] = args
        return made

    def __init_subclass__(cls, *, tag=None, **options):
        super().__init_subclass__(**options)
        Made.classes.append(tag)


@pytest.mark.parametrize("bases", [(nn.Module, Made), (Made, nn.Module), (nn.Linear, Made)])
def test_a_mixin_beside_a_module_makes_it(bases):
    class Beside(*bases, tag="once"):
        def __new__(cls, *args):
            return super().__new__(cls, *args)

        def __init__(self, *args):
            super().__init__(*args if nn.Linear in bases else ())

    Made.classes.clear()
    type("Again", (Beside,), {}, tag="twice")
    assert Made.classes == ["twice"]
    assert Beside(2, 3).made_with == (2, 3)


def test_a_module_is_made_by_object():
    assert nn.Module.__new__ is object.__new__ and isinstance(object.__new__(nn.Linear), nn.Linear)

    class Strict(nn.Module):
        def __new__(cls, *args):
            return super().__new__(cls, *args)

    with pytest.raises(TypeError, match="takes exactly one argument"):
        Strict(3)


def test_every_class_of_a_module_has_source():
    assert all("class " in inspect.getsource(one) for one in nn.Linear.__mro__[:-1])
