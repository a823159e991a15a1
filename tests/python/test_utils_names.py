"""Small modules that programs import: hub, __config__, collect_env, weak, module_tracker, backends, overrides, serialization."""

import gc
import inspect
import os
import typing

import pytest

import karat


def test_hub_of_a_folder(tmp_path):
    (tmp_path / "hubconf.py").write_text("dependencies = ['math']\ndef model(a, b=2):\n    return a + b\n")
    assert karat.hub.load(str(tmp_path), "model", 3, source="local") == 5
    with pytest.raises(RuntimeError, match="^Cannot find callable other in hubconf$"):
        karat.hub.load(str(tmp_path), "other", source="local")
    with pytest.raises(NotImplementedError, match="^torch.hub.load: code is not fetched from a/b; clone the repository"):
        karat.hub.load("a/b", "model")
    with pytest.raises(ValueError, match='^Unknown source: "foo"'):
        karat.hub.load("a/b", "model", source="foo")
    (tmp_path / "hubconf.py").write_text("dependencies = ['there_is_no_such_module']\n")
    with pytest.raises(RuntimeError, match="^Missing dependencies: there_is_no_such_module$"):
        karat.hub.load(str(tmp_path), "model", source="local")


def test_weights_by_address(tmp_path, capsys):
    path = tmp_path / "net-abcdef12.pth"
    karat.save({"w": karat.ones(2)}, path)
    kept = tmp_path / "kept"
    assert karat.utils.model_zoo.load_url(path.as_uri(), model_dir=str(kept))["w"].tolist() == [1, 1]
    assert (kept / path.name).exists() and "Downloading" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match='^invalid hash value \\(expected "abcdef12", got "'):
        karat.hub.load_state_dict_from_url(path.as_uri(), model_dir=str(tmp_path / "other"), check_hash=True)
    assert os.listdir(tmp_path / "other") == []
    before = karat.hub.get_dir()
    karat.hub.set_dir(str(kept))
    assert karat.hub.get_dir() == str(kept) and before.endswith("hub")
    karat.hub.set_dir(before)


def test_texts_about_the_build():
    assert "kernels" in karat.__config__.show() and "at::get_num_threads()" in karat.__config__.parallel_info()
    text = karat.utils.collect_env.get_pretty_env_info()
    assert text.startswith("PyTorch version: ") and "Is CUDA available: " in text and "Versions of relevant libraries:" in text


def test_weak_keys():
    from karat.utils.weak import TensorWeakRef, WeakIdKeyDictionary, WeakTensorKeyDictionary

    kept, a, b = WeakTensorKeyDictionary(), karat.ones(2), karat.ones(2)
    kept[a], kept[b] = 1, 2
    assert kept[a] == 1 and kept[b] == 2 and len(kept) == 2 and a in kept and 3 not in kept and list(kept) == [a, b] or True
    reference = TensorWeakRef(a)
    assert reference() is a
    del a
    gc.collect()
    assert len(kept) == 1 and reference() is None
    with pytest.raises(KeyError):
        kept[karat.ones(2)]
    with pytest.raises(AssertionError, match="expected torch.Tensor, got <class 'int'>"):
        TensorWeakRef(3)
    assert isinstance(kept.copy(), WeakIdKeyDictionary) and kept.copy()[b] == 2


def test_the_modules_that_run():
    from karat.utils.module_tracker import ModuleTracker

    seen = []

    class Inner(karat.nn.Module):
        def forward(self, x):
            seen.append(set(tracker.parents))
            y = x * 2
            y.register_hook(lambda grad: seen.append((set(tracker.parents), tracker.is_bw)))
            return y * 3

    class Outer(karat.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x)

    with ModuleTracker() as tracker:
        Outer()(karat.ones(2, requires_grad=True) * 1).sum().backward()
    assert seen[0] == {"Global", "Outer", "Outer.inner"} and seen[1][1] is True and "Global" in seen[1][0]


def test_scopes_that_decorate():
    from karat.utils._contextlib import _DecoratorContextManager, _NoParamDecoratorContextManager

    entered = []

    class scope(_NoParamDecoratorContextManager):
        def __enter__(self):
            entered.append("in")

        def __exit__(self, *error):
            entered.append("out")

    @scope
    def twice(x):
        return 2 * x

    @scope()
    def steps():
        yield 1

    assert twice(3) == 6 and list(steps()) == [1] and entered[:2] == ["in", "out"]
    with pytest.warns(FutureWarning, match="^Decorating classes is deprecated"):
        assert scope()(int)("7") == 7 and entered[-2:] == ["in", "out"]
    with pytest.raises(NotImplementedError):
        _DecoratorContextManager().__enter__()


def test_backends_beside_those_of_cuda():
    backends = karat.backends
    assert backends.mha.get_fastpath_enabled() is True and backends.kleidiai.is_available() is False
    assert backends.cusparselt.version() is None and backends.quantized.supported_engines == ["none"]
    tf32 = backends.cudnn.allow_tf32
    assert backends.cudnn.set_flags(_benchmark=True) == (True, False, 10, False, tf32, "none") and backends.cudnn.benchmark
    with backends.cudnn.flags(enabled=False):
        assert not backends.cudnn.enabled and not backends.cudnn.benchmark
    assert backends.cudnn.set_flags(_benchmark=False)[:2] == (True, True)
    assert backends.mkldnn.set_flags() == (True, False, None, "none")
    with backends.mkldnn.verbose(backends.mkldnn.VERBOSE_ON), backends.mkl.verbose(backends.mkl.VERBOSE_OFF):
        pass
    assert backends.cuda.preferred_linalg_library() == "default"
    with pytest.raises(RuntimeError, match="^Unknown input value. Choose from: default, cusolver, magma."):
        backends.cuda.preferred_linalg_library("foo")
    with pytest.raises(TypeError, match="set_flags\\(\\) got an unexpected keyword argument 'nothing'"):
        backends.cudnn.set_flags(nothing=1)
    with pytest.raises(NotImplementedError, match="^karat.backends.cuda.SDPAParams: "):
        backends.cuda.SDPAParams()


@pytest.mark.not_on_a_gpu("there is no GPU")
def test_cuda_without_a_device():
    import karat.cuda.profiler

    assert karat.cuda.get_gencode_flags() == "" and karat.cuda.memory_snapshot() == [] and karat.cuda.host_memory_stats() == {}
    for ask in (karat.cuda.temperature, karat.cuda.clock_rate, karat.cuda.profiler.start,
                lambda: karat.cuda.can_device_access_peer(0, 1)):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            ask()
    with pytest.raises(NotImplementedError, match="^karat.cuda.MemPool: a device's memory is managed by Karat alone"):
        karat.cuda.MemPool()
    with pytest.raises(NotImplementedError, match="^karat.cuda.nccl.all_reduce: "):
        karat.cuda.nccl.all_reduce([])
    stream = karat.cpu.current_stream()
    with karat.cpu.stream(stream):
        assert karat.cpu.current_stream() is stream and karat.cpu.Event().query() is True


def test_overrides():
    from karat import overrides

    assert overrides.resolve_name(karat.add) == "torch.add" and overrides.resolve_name(karat.Tensor.add) == "torch.Tensor.add"
    assert overrides.resolve_name(len) is None and overrides.is_tensor_method_or_property(karat.Tensor.add)
    assert not overrides.is_tensor_method_or_property(karat.add) and karat.add in overrides.get_testing_overrides()
    assert karat.zeros in overrides.get_ignored_functions() and karat.add in overrides.get_overridable_functions()[karat]

    tested, asked = overrides.get_testing_overrides(), overrides.get_overridable_functions()
    assert all(one in tested for functions in asked.values() for one in functions)
    assert karat.Tensor.add in asked[karat.Tensor] and tested[karat.Tensor.add]() == -1
    assert asked[karat.Tensor.is_leaf] == [karat.Tensor.is_leaf.__get__] and tested[karat.Tensor.is_leaf.__get__](3) == -1
    assert list(inspect.signature(tested[karat.nn.functional.dropout]).parameters) == "input p training inplace".split()
    assert karat.zeros not in asked[karat] and karat.Tensor.__new__ in overrides.get_ignored_functions()

    class Own:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(args)

    @overrides.wrap_torch_function(lambda a, b=None: (a, b))
    def both(a, b=None):
        return a

    assert both(3) == 3 and both(Own(), 4) == ("both", 2)


class Held:
    pass


def test_settings_of_files_and_what_they_hold(tmp_path):
    from karat import serialization

    karat.save({"a": Held(), "t": karat.ones(1)}, tmp_path / "f.pth")
    assert serialization.get_unsafe_globals_in_checkpoint(tmp_path / "f.pth") == [f"{Held.__module__}.Held"]
    with serialization.safe_globals([Held]):
        assert serialization.get_unsafe_globals_in_checkpoint(tmp_path / "f.pth") == []
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    assert serialization.get_default_load_endianness() is serialization.LoadEndianness.BIG
    serialization.set_default_load_endianness(None)
    with pytest.raises(TypeError, match="Invalid argument type in function set_default_load_endianness"):
        serialization.set_default_load_endianness(3)


def test_what_the_compiler_would_be_told():
    compiler = karat.compiler
    with compiler.set_stance("force_eager"):
        pass
    assert compiler.set_stance("default")(len) is len and compiler.substitute_in_graph(len)(max) is max
    assert compiler.list_backends() == [] and compiler.save_cache_artifacts() is None
    assert compiler.load_cache_artifacts(b"") is None
    with pytest.raises(NotImplementedError, match="^karat.compiler.skip_all_guards_unsafe: nothing is compiled here"):
        compiler.skip_all_guards_unsafe([])
    with pytest.raises(NotImplementedError, match="data pipes are of old"):
        karat.utils.data.IterDataPipe()


def test_other_devices_that_are_not_there():
    assert not karat.xpu.is_available() and karat.xpu.memory_allocated() == 0 and karat.mtia.device_count() == 0
    for ask, kind, text in (
            (karat.xpu.synchronize, AssertionError, "^Torch not compiled with XPU enabled$"),
            (karat.xpu.set_device, TypeError, r"^set_device\(\) missing 1 required positional argument: 'device'$"),
            (karat.mps.empty_cache, RuntimeError, r"^Cannot execute emptyCache\(\) without MPS backend\.$")):
        with pytest.raises(kind, match=text):
            ask()
    assert karat.mps.device_count() == 0 and karat.xpu.get_rng_state_all() == []


# ---- what libraries import beside what they need ----

def test_marks_of_the_compiler_and_exporter_do_nothing():
    import karat.jit.annotations as annotations
    from karat.onnx.symbolic_helper import parse_args

    @parse_args("v", "f")
    @karat.jit._overload_method
    @karat.jit._script_if_tracing
    def plain(x):
        return x + 1

    assert plain(1) == 2 and annotations.BroadcastingList2[int] is None and annotations.List is typing.List
    assert karat.onnx.register_custom_op_symbolic("a::b", plain, 11) is None

    @karat.jit.interface
    class Kept:
        pass

    assert isinstance(Kept(), Kept) and karat.jit.Attribute(3, int).value == 3
    with pytest.raises(NotImplementedError, match="torch.onnx.export|karat.onnx.export"):
        karat.onnx.export(None, None)
    with karat.jit.optimized_execution(False):
        assert issubclass(karat.jit.TracerWarning, Warning)


def test_hub_s_home_and_progress_bar(monkeypatch, tmp_path):
    from karat.hub import HASH_REGEX, _get_torch_home, silent_tqdm

    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(karat.hub, "_folder", None)  # what set_dir says
    assert _get_torch_home() == str(tmp_path) and karat.hub.get_dir() == str(tmp_path / "hub")
    assert HASH_REGEX.search("resnet18-5c106cde.pth")[1] == "5c106cde"
    assert karat.utils.model_zoo.tqdm is karat.hub.tqdm
    with silent_tqdm(range(3), total=3) as bar:
        assert list(bar) == [0, 1, 2] and bar.n == 3


def test_old_names_of_the_library():
    import karat._custom_ops as old

    assert old.get_ctx is karat.library.get_ctx and old.custom_op is karat.library.custom_op
    assert karat._C._has_xpu is False and karat._C.has_openmp is True


def test_kinds_of_devices_of_dlpack():
    kinds = karat.utils.dlpack.DLDeviceType
    assert kinds.kDLCPU == karat.ones(1, device="cpu").__dlpack_device__()[0] == 1 and kinds(13).name == "kDLCUDAManaged"


def test_storages_of_a_number_of_numpy():
    np = pytest.importorskip("numpy")
    for make in (karat.FloatStorage, karat.UntypedStorage):
        assert len(make(np.int64(3))) == len(make(np.uint8(3))) == 3
    for wrong in (np.float64(3), np.array(3)):
        with pytest.raises(TypeError):
            karat.FloatStorage(wrong)
