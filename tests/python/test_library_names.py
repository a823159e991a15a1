"""What public libraries ask of torch beside its operators: names, functions as objects, classes with mixins."""

import copy
import ctypes
import importlib
import inspect
import pickle
import subprocess
import sys
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict, deque
from typing import Generic, TypeVar

import pytest

import karat
import karat.nn.functional as F
from karat import nn
from karat.utils.data import ConcatDataset, DataLoader, StackDataset
from karat.utils.data._utils import collate as collating


def run_as_torch(program):
    done = subprocess.run([sys.executable, "-m", "karat", "run", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


# ---- refused modules have PyTorch's names and no others ----

@pytest.mark.parametrize("path, there", [("distributed", "ReduceOp"), ("distributed.rpc", "rpc_async"), ("fx", "Graph"),
                                         ("onnx", "export"), ("_dynamo.eval_frame", "OptimizedModule"),
                                         ("distributed.fsdp.fully_sharded_data_parallel", "MixedPrecision"),
                                         ("nn.parallel.scatter_gather", "scatter"), ("_inductor.ir", "TensorBox"),
                                         ("utils.data.graph_settings", "apply_sharding"), ("utils._triton", "has_triton"),
                                         ("utils.data._utils.signal_handling", "_set_worker_pids")])
def test_a_refused_module_has_pytorchs_names_and_no_others(path, there):
    module = importlib.import_module(f"karat.{path}")
    assert hasattr(module, there) and not hasattr(module, "no_such_thing") and not hasattr(module, "_no_such_thing")
    with pytest.raises(ImportError):
        exec(f"from karat.{path} import no_such_thing")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"karat.{path}.no_such_module")


def test_parts_that_were_not_built_say_so():
    from karat.distributed import rpc

    assert rpc.is_available() is False and not hasattr(rpc, "api")
    with pytest.raises(NotImplementedError, match="karat.distributed.rpc.rpc_async"):
        rpc.rpc_async("x", None)


def test_what_torch_takes_from_its_inner_module_is_there_too():
    for name in "finfo iinfo Event Stream get_default_dtype get_autocast_dtype set_num_threads is_inference_mode_enabled".split():
        assert getattr(karat._C, name) is getattr(karat, name)
    assert not hasattr(karat._C, "arange") and not hasattr(karat._C, "nn_functional")
    assert karat._C._get_accelerator() == (karat.accelerator.current_accelerator() or karat.device("cpu"))


def test_asked_for_the_state_of_what_is_refused_the_answer_is_none():
    from karat._subclasses.fake_tensor import is_fake
    from karat.fx._symbolic_trace import is_fx_tracing
    from karat.fx.experimental.proxy_tensor import get_proxy_mode

    assert get_proxy_mode() is None and is_fake(karat.ones(1)) is False and is_fx_tracing() is False
    assert not isinstance(karat.ones(1), karat._C._distributed_rpc.PyRRef)


def test_names_that_only_stand_there():
    class Tracer(karat.fx.GraphModule):
        pass

    assert issubclass(Tracer, nn.Module)
    with pytest.raises(NotImplementedError, match="not traced"):
        Tracer()
    assert karat.futures.Future[int] and karat._C._TensorMeta is type(karat.Tensor)
    assert karat._jit_internal._copy_to_script_wrapper(len) is len

    def symbolic(graph: karat._C.Graph, value: karat._C.Value) -> karat._C.TensorType:
        return value

    with pytest.raises(NotImplementedError, match="karat._C.Graph: nothing is compiled here"):
        symbolic.__annotations__["graph"]()
    with pytest.raises(NotImplementedError, match="PyTorchFileReader: files are read by"):
        karat.PyTorchFileReader("x")
    with pytest.raises(NotImplementedError, match="TorchDispatchMode"):
        with importlib.import_module("karat.utils._python_dispatch").TorchDispatchMode():
            pass
    with pytest.raises(NotImplementedError, match="_sparse_addmm"):
        karat.ops.aten._sparse_addmm.default(1)
    with pytest.raises(RuntimeError, match="Tried to instantiate class 'pyg.Sampler'"):
        karat.classes.pyg.Sampler
    with karat._dynamo.config.patch(verbose=True):
        assert karat._dynamo.config.verbose is True
    assert karat._dynamo.config.verbose is False
    assert karat.multiprocessing.get_start_method and karat.multiprocessing.Queue


def test_names_under_torch():
    lines = run_as_torch("import functorch, torch, torch._C._functorch, torch.nn.functional as F\n"
                         "print(torch.torch is torch, functorch.vmap is torch.vmap, F.gelu, torch.add.__module__)\n"
                         "import pickle\n"
                         "for f in (torch.add, F.gelu, F.cross_entropy, torch.linalg.svd, torch.special.erf, torch.relu_):\n"
                         "    assert pickle.loads(pickle.dumps(f)) is f\n"
                         "print(b'torch\\nadd' in pickle.dumps(torch.add, 0))")
    assert lines == ["True True <built-in function gelu> torch", "True"]


# ---- functions are objects ----

def test_functions_take_attributes():
    for function in (karat.add, F.sigmoid, karat.linalg.svd, karat.Tensor.mul):
        function.a_librarys_own = [1]
        assert function.a_librarys_own == [1] and "a_librarys_own" in vars(function)
        del function.a_librarys_own
        assert not hasattr(function, "a_librarys_own")
    assert karat.equal(karat.add(karat.ones(2), 1), karat.full((2,), 2.0))


def signature_or_none(function):
    try:
        return str(inspect.signature(function))
    except ValueError:
        return None


def test_signatures():
    options = inspect.signature(F.cross_entropy).parameters
    assert list(options)[:3] == ["input", "target", "weight"] and options["label_smoothing"].default == 0.0
    assert str(inspect.signature(F.dropout)) == "(input, p=0.5, training=True, inplace=False)"
    in_c = signature_or_none(ctypes.pythonapi.PyLong_FromLong)  # none, or from Python 3.12.3 on that of __call__
    assert signature_or_none(karat.add) == in_c  # C in PyTorch too
    assert list(inspect.signature(karat.split).parameters) == ["tensor", "split_size_or_sections", "dim"]
    assert list(inspect.signature(karat.norm).parameters) == ["input", "p", "dim", "keepdim", "out", "dtype"]
    assert signature_or_none(karat.softmax) == in_c  # C in PyTorch, as F.softmax is not
    assert str(inspect.signature(nn.Linear(2, 2))) == "(*args, **kwargs)"
    assert "in_features" in inspect.signature(nn.Linear).parameters

    class Called(nn.Module):
        def __call__(self, a, b=2):
            return a + b

    assert str(inspect.signature(Called())) == "(a, b=2)" and Called()(3) == 5


def test_functions_are_pickled_and_copied_by_name():
    for function in (karat.add, F.relu, F.gelu, karat.relu_, karat.linalg.norm, karat.special.erf, karat.Tensor.add):
        assert pickle.loads(pickle.dumps(function)) is function and copy.deepcopy(function) is function


# ---- classes ----

class Mixin:
    def __init_subclass__(cls, key=None, **others):
        super().__init_subclass__(**others)
        cls.key = key


def test_class_keywords_go_to_the_mixin():
    class First(nn.Module, Mixin, key=1):
        pass

    class Last(Mixin, nn.Module, key=2):
        pass

    assert (First.key, Last.key) == (1, 2)
    T = TypeVar("T")

    class Of(nn.Module, Generic[T]):
        pass

    assert Of[int] and isinstance(Of[int](), Of)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        class Wrong(nn.Module, key=1):
            pass


def test_an_abstract_module_is_refused():
    class Abstract(nn.Module, ABC):
        @abstractmethod
        def step(self):
            pass

    class Whole(Abstract):
        def step(self):
            return 1

    with pytest.raises(TypeError, match="^Can't instantiate abstract class Abstract with.* abstract method"):
        Abstract()
    assert Whole().step() == 1


def test_a_patched_call_is_called():
    class Net(nn.Module):
        def forward(self, x):
            return x

    before, seen = nn.Module.__call__, []
    try:
        nn.Module.__call__ = lambda self, *args: seen.append(1) or before(self, *args)
        assert Net()(3) == 3 and seen == [1]
    finally:
        nn.Module.__call__ = before
    assert Net()(4) == 4 and seen == [1]


# ---- loaders ----

def test_parts_of_loaders():
    from karat.utils.data.dataloader import _BaseDataLoaderIter, _DatasetKind, _SingleProcessDataLoaderIter

    loader = DataLoader(range(5), batch_size=2)
    passed = iter(loader)
    assert isinstance(passed, _BaseDataLoaderIter) and passed._dataset_kind == _DatasetKind.Map
    assert [one.tolist() for one in _SingleProcessDataLoaderIter(loader)] == [[0, 1], [2, 3], [4]]
    with pytest.raises(AssertionError, match="requires timeout == 0"):
        iter(DataLoader(range(5), timeout=3))
    from karat.utils.data._utils.worker import _generate_state

    assert _generate_state(5, 1) == [3025039489, 3528014902, 3507927383, 2601490367]  # observed: PyTorch 2.11


@pytest.mark.parametrize("workers", [0, 1])
def test_iterators_of_loaders_ask_for_pytorchs_names_alone(workers):
    """fastai gives them a stand-in, which has what PyTorch's iterators ask for."""
    import itertools

    from karat.utils.data import IterableDataset, dataloader

    class Counting(IterableDataset):
        def __iter__(self):
            return iter(range(3))

    class StandIn:
        _IterableDataset_len_called, _auto_collation, drop_last, in_order = None, False, False, True
        _index_sampler, generator, prefetch_factor, worker_init_fn = itertools.count(), None, 2, None
        _dataset_kind, dataset, num_workers, multiprocessing_context = dataloader._DatasetKind.Iterable, Counting(), workers, None
        timeout, pin_memory, pin_memory_device, persistent_workers = 0, False, "", False

        def collate_fn(self, x):
            return x

        def _get_shared_seed(self):
            return None

    kind = dataloader._MultiProcessingDataLoaderIter if workers else dataloader._SingleProcessDataLoaderIter
    assert list(kind(StandIn())) == [0, 1, 2]


def test_a_loader_of_ones_own_over_the_parts_of_loaders():
    from karat.utils.data import IterableDataset, dataloader
    from karat.utils.data._utils import HAS_NUMPY, pin_memory, python_exit_status, worker

    class Counted(dataloader._BaseDataLoaderIter):
        def __init__(self, loader):
            super().__init__(loader)
            self.fetcher = dataloader._DatasetKind.create_fetcher(self._dataset_kind, self._dataset, self._auto_collation,
                                                                  self._collate_fn, self._drop_last)

        def _next_data(self):
            return self.fetcher.fetch(self._next_index())

    class Counting(IterableDataset):
        def __iter__(self):
            return iter(range(5))

    it = Counted(DataLoader(range(5), batch_size=2))
    assert [x.tolist() for x in it] == [[0, 1], [2, 3], [4]] and it.fetcher.dataset == range(5)
    it._reset(it._loader, first_iter=True)
    assert next(it).tolist() == [0, 1] and it._num_yielded == 1 and it._shared_seed is None
    it = Counted(DataLoader(Counting(), batch_size=2, drop_last=True))
    assert [x.tolist() for x in it] == [[0, 1], [2, 3]] and it.fetcher.ended and list(it.fetcher.dataset_iter) == []
    assert pin_memory.pin_memory({"a": [1, "b"]}) == {"a": [1, "b"]} and HAS_NUMPY and not python_exit_status
    assert not isinstance(it, worker._ResumeIteration)
    assert DataLoader([1])._IterableDataset_len_called is None


def test_an_exception_that_is_raised_in_another_place():
    from karat._utils import ExceptionWrapper

    class Wants(Exception):
        def __init__(self, one, two):
            pass

    for kind, args, again in ((ValueError, ("no",), ValueError), (KeyError, ("no",), KeyError), (Wants, (1, 2), RuntimeError)):
        try:
            raise kind(*args)
        except Exception:
            caught = ExceptionWrapper(where="in a worker")
        with pytest.raises(again) as raised:
            caught.reraise()
        assert str(raised.value).startswith(f"Caught {kind.__name__} in a worker.\nOriginal Traceback (most recent call last):\n")


def test_conversions_of_old_and_facts_that_nobody_collects():
    x = karat.tensor([1.5, -2.0])
    assert karat._cast_Long(x).tolist() == [1, -2] and karat._cast_Half(x).dtype is karat.float16
    assert not hasattr(karat, "_cast_Bool") and karat.set_vital("a", "b", "c") is False and karat.read_vitals() == ""
    assert karat.cuda._initialized is karat.cuda.is_initialized()


def test_operators_of_what_is_refused_can_be_named():
    """Libraries list them at import: tables of what their subclasses do."""
    for name in ("aten._grouped_mm.default", "aten._weight_int4pack_mm.default", "aten.crow_indices.default",
                 "_c10d_functional.all_gather_into_tensor.default", "c10d_functional.wait_tensor.default"):
        found = karat.ops
        for part in name.split("."):
            found = getattr(found, part)
        with pytest.raises(NotImplementedError, match=f"^karat.ops.{name}: "):
            found()
    assert not hasattr(karat.ops.aten, "no_such_operator") and not hasattr(karat.ops._c10d_functional, "no_such_operator")
    from karat._library.infer_schema import infer_schema

    assert infer_schema is karat.library.infer_schema
    with pytest.raises(NotImplementedError, match="nothing is compiled here"):
        karat.jit._get_trace_graph(None)


def test_functions_of_collation_can_be_added():
    class Own:
        pass

    with pytest.raises(TypeError, match="batch must contain tensors"):
        collating.default_collate([Own(), Own()])
    collating.default_collate_fn_map[Own] = lambda batch, *, collate_fn_map=None: len(batch)
    try:
        assert collating.default_collate([{"a": Own(), "b": 1.5}] * 3)["a"] == 3
    finally:
        del collating.default_collate_fn_map[Own]
    with pytest.raises(TypeError):
        collating.collate([1, 2])  # without a map there is nothing for leaves


def test_datasets_of_datasets():
    assert StackDataset([1, 2, 3], [4, 5, 6]).__getitems__([0, 2]) == [(1, 4), (3, 6)]
    assert StackDataset(a=[1, 2], b=[3, 4]).__getitems__([1]) == [{"a": 2, "b": 4}]
    with pytest.warns(FutureWarning, match="renamed"):
        assert ConcatDataset([[1], [2, 3]]).cummulative_sizes == [1, 3]


# ---- nests ----

def test_nests_as_text():
    from karat.utils import _pytree

    for nest in ({"a": [1, (2, 3)], 3: OrderedDict(x=1)}, deque([1, 2], maxlen=3), defaultdict(list, a=1), [karat.Size([1, 2])]):
        spec = _pytree.tree_structure(nest)
        again = _pytree.treespec_loads(_pytree.treespec_dumps(spec))
        assert again == spec and _pytree.tree_unflatten(_pytree.tree_leaves(nest), again) == nest
    assert _pytree.tree_leaves(karat.max(karat.ones(2, 2), 0))[1].dtype is karat.int64
    assert _pytree.tree_structure(karat.max(karat.ones(2, 2), 0)).type is karat.return_types.max
    with pytest.raises(NotImplementedError, match="No registered serialization name"):
        _pytree.treespec_dumps(_pytree.tree_structure(karat.max(karat.ones(2, 2), 0)))
    assert _pytree._list_unflatten([1], None) == [1] and _pytree._tuple_unflatten([1], None) == (1,)


# ---- vmap's steps can be replaced ----

def test_a_library_replaces_a_step_of_vmap(monkeypatch):
    from karat._functorch import vmap as steps

    seen, own = [], steps._unwrap_batched
    monkeypatch.setattr(steps, "_unwrap_batched", lambda *args: seen.append(args[2:4]) or own(*args))
    made = karat.vmap(lambda x, y: {"sum": x + y, "x": karat.vmap(lambda one: one * 2)(x)}, (0, None))(karat.ones(3, 2),
                                                                                                         karat.ones(2))
    assert made["sum"].tolist() == [[2.0, 2.0]] * 3 and made["x"].shape == (3, 2) and [size for _, size in seen] == [2, 3]
    with pytest.raises(ValueError, match="must only return Tensors"):
        karat.vmap(lambda x: 3)(karat.ones(2))


def test_index_tensors_of_sparse_layouts():
    rows = karat.tensor([0, 0, 2])
    begins = karat._convert_indices_from_coo_to_csr(rows, 4)
    assert begins.tolist() == [0, 2, 2, 3, 3]
    assert karat._convert_indices_from_csr_to_coo(begins, karat.tensor([1, 0, 1])).tolist() == [[0, 0, 2], [1, 0, 1]]
    karat._assert_async(karat.tensor(True))
    with pytest.raises(RuntimeError, match="too small"):
        karat._assert_async(karat.tensor(0), "too small")


def test_a_tensor_of_a_module_is_swapped():
    from karat.nn.utils._named_member_accessor import NamedMemberAccessor, swap_tensor

    layer, new = nn.Linear(2, 2), karat.ones(2, 2)
    before = swap_tensor(layer, "weight", new)
    assert layer.weight is new and isinstance(before, nn.Parameter)
    with pytest.raises(AttributeError, match="no attribute `nothing`"):
        swap_tensor(layer, "nothing", new)
    net = nn.Sequential(layer)
    assert NamedMemberAccessor(net).swap_tensor("0.weight", before) is new and net[0].weight is before


def test_assertions_are_operators_too():
    aten, token = karat.ops.aten, karat.ones(2)
    assert aten._assert_scalar.default(2.5, "m") is None and aten._assert_async(karat.tensor(1)) is None
    assert aten._assert_async.overloads() == ["default", "msg"]
    made = aten._functional_assert_scalar(1, "m", token), aten._functional_assert_async.msg(karat.tensor(True), "m", token)
    assert all(one is not token and one.tolist() == [1.0, 1.0] for one in made)
    for call in (lambda: aten._assert_scalar(0, "zero"), lambda: karat._assert_scalar(False, "zero"),
                 lambda: aten._assert_async.msg(karat.tensor(0), "zero"),
                 lambda: karat._functional_assert_scalar(0.0, "zero", token),
                 lambda: karat._functional_assert_async(karat.tensor(0), "zero", token)):
        with pytest.raises(RuntimeError, match="^zero"):
            call()
    with pytest.raises(RuntimeError, match="Assertion is failed"):
        aten._assert_scalar(0, "")
    with pytest.raises(RuntimeError, match="is missing value for argument 'assert_msg'"):
        aten._assert_scalar(0)
