"""Names as in PyTorch: modes, settings, backends and cuda that tell the truth, the default device, names that are absent."""

import importlib
import pickle
import warnings

import karat
import numpy
import pytest
from karat import _torch_private


def test_a_name_of_pytorchs_that_is_absent_says_so():
    with pytest.raises(AttributeError, match=r"attribute 'q_scale': PyTorch has it, karat does not \(yet\)"):
        karat.q_scale
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'hash_tensor': PyTorch has it, karat does not"):
        karat.ones(1).hash_tensor
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'nobody_has_this'$"):
        karat.ones(1).nobody_has_this
    assert not hasattr(karat, "q_scale")
    assert not hasattr(karat.ones(1), "hash_tensor") and not hasattr(karat.Tensor, "hash_tensor")
    t = karat.ones(1)
    t.hash_tensor = 3  # the user's own attribute wins
    assert t.hash_tensor == 3


def test_functions_of_modules_bear_their_whole_names():
    for name in ("erf", "expit", "psi", "round", "softmax"):
        function = getattr(karat.special, name)
        assert function.__name__ == "special_" + name and pickle.loads(pickle.dumps(function)) is function
        with pytest.raises(TypeError, match=rf"^special_{name}\(\)"):
            function(3)
    assert karat.special.psi(karat.tensor(1.0)) == karat.digamma(karat.tensor(1.0))
    assert karat.linalg.matmul.__name__ == "linalg_matmul"
    assert not hasattr(karat, "special_erf") and not hasattr(karat.Tensor, "special_erf")


def test_modules_hold_what_pytorchs_hold_and_no_inner_rows():
    functional = karat.nn.functional
    assert functional.hardshrink is karat.hardshrink and functional.logsigmoid.__name__ == "log_sigmoid"
    for name in ("silu_", "gelu_backward", "glu_halves", "log_sigmoid", "dropout_", "im2col"):
        assert not hasattr(functional, name), name
    assert functional.relu.__doc__ == karat.relu.__doc__.partition("\n")[0]


@pytest.mark.not_on_a_gpu("there is no GPU")
def test_there_is_no_cuda():
    assert karat.cuda.is_available() is False and karat.cuda.device_count() == 0 and karat.cuda.memory_allocated() == 0
    karat.cuda.manual_seed_all(1)
    karat.cuda.empty_cache()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        karat.cuda.synchronize()
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        karat.ones(2).cuda()


# What PyTorch 2.11 documents of the memory of devices.
MEMORY = {
    "accelerator.memory": """empty_cache get_memory_info max_memory_allocated max_memory_reserved memory_allocated
        memory_reserved memory_stats reset_accumulated_memory_stats reset_peak_memory_stats""",
    "cuda.memory": """CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete caching_allocator_enable
        change_current_allocator empty_cache get_allocator_backend get_per_process_memory_fraction host_memory_stats
        host_memory_stats_as_nested_dict list_gpu_processes max_memory_allocated max_memory_cached max_memory_reserved
        mem_get_info memory_allocated memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict
        memory_summary reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_max_memory_allocated
        reset_max_memory_cached reset_peak_host_memory_stats reset_peak_memory_stats set_per_process_memory_fraction
        use_mem_pool""",
}


@pytest.mark.parametrize("module", MEMORY)
def test_memory_has_pytorchs_names_or_refuses_them(module):
    from importlib import import_module

    memory = import_module(f"karat.{module}")
    outer = karat.accelerator if module.startswith("accelerator") else karat.cuda
    for name in MEMORY[module].split():
        assert callable(getattr(memory, name)) and callable(getattr(outer, name)), name
    with pytest.raises(AttributeError, match=f"module 'karat.{module}' has no attribute 'nothing'"):
        memory.nothing
    if module == "cuda.memory":
        with pytest.raises(NotImplementedError, match="karat.cuda.memory.MemPool: a device's memory is managed by Karat alone"):
            memory.MemPool()


def test_a_backend_is_a_module_with_switches():
    import karat.backends.cudnn as cudnn
    from karat.backends.cuda import sdp_kernel  # noqa: F401

    assert cudnn is karat.backends.cudnn and cudnn.enabled and not cudnn.deterministic
    with cudnn.flags(deterministic=True):
        assert (cudnn.enabled, cudnn.deterministic) == (False, True)
    assert (cudnn.enabled, cudnn.deterministic) == (True, False)
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        with cudnn.flags(nothing=1):
            pass


def test_backends():
    assert karat.backends.mps.is_available() is False and karat.backends.cuda.is_built() is False
    assert karat.backends.cpu.get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")
    assert isinstance(karat.backends.mkldnn.is_available(), bool) and karat.backends.mkl.is_available() is False
    karat.backends.cudnn.benchmark = True
    assert karat.backends.cudnn.benchmark is True
    karat.backends.cudnn.benchmark = False


def test_determinism():
    karat.use_deterministic_algorithms(True)
    assert karat.are_deterministic_algorithms_enabled() and karat.get_deterministic_debug_mode() == 2
    karat.use_deterministic_algorithms(True, warn_only=True)
    assert karat.is_deterministic_algorithms_warn_only_enabled()
    karat.set_deterministic_debug_mode("default")
    assert not karat.are_deterministic_algorithms_enabled()
    with pytest.raises(TypeError, match="must be bool, not int"):
        karat.use_deterministic_algorithms(3)
    assert karat.set_flush_denormal(True) is False
    assert (karat.tensor([1e-40]) * 1).item() != 0


def test_precision_of_products():
    assert karat.get_float32_matmul_precision() == "highest"
    karat.set_float32_matmul_precision("high")
    assert karat.get_float32_matmul_precision() == "high"
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        karat.set_float32_matmul_precision("low")
    assert len(seen) == 1 and karat.get_float32_matmul_precision() == "high"
    karat.set_float32_matmul_precision("highest")


def test_default_device():
    with karat.device("meta"):
        assert karat.ones(2).device.type == karat.tensor([1.0]).device.type == "meta"
        with karat.device("cpu"):
            assert karat.zeros(1).device.type == "cpu"
        assert karat.arange(3).device.type == "meta"
        assert karat.ones(2, device="cpu").new_tensor([1]).device.type == "cpu"
    karat.set_default_device("meta")
    try:
        assert karat.get_default_device() == karat.device("meta") and karat.randn(2).device.type == "meta"
        assert (karat.ones(2, device="cpu") + 1).tolist() == [2, 2]  # operators on what is elsewhere stay there
        here = karat.arange(1, 4, device="cpu")  # numbers that become tensors too
        for call in (lambda: 1 << here, lambda: 8 >> here, lambda: 7 // here, lambda: 7 % here,
                     lambda: karat.bitwise_and(1, here), lambda: karat.float_power(2, here),
                     lambda: karat.special.xlogy(2, here)):
            assert call().device.type == "cpu"
    finally:
        karat.set_default_device(None)
    assert karat.get_default_device() == karat.device("cpu")
    with pytest.raises(RuntimeError):
        karat.set_default_device("nowhere")


@pytest.mark.skipif(karat.cuda.is_available(), reason="there is a device")
def test_a_default_device_that_is_not_there():
    refused = r"^(Torch not compiled with CUDA enabled|Found no NVIDIA driver)"  # without and with the backend
    try:
        for device in ("cuda:3", karat.device("cuda", 3)):
            karat.set_default_device(device)
            assert str(karat.get_default_device()) == "cuda:3"
        for make in (lambda: karat.ones(2), lambda: karat.tensor([1.0]), lambda: karat.as_tensor([1]), lambda: karat.arange(3),
                     lambda: karat.randn(2), lambda: karat.nn.Linear(2, 2), lambda: karat.empty(0)):
            with pytest.raises((AssertionError, RuntimeError), match=refused):
                make()
        here = karat.ones(2, device="cpu")
        assert (here + 1).tolist() == [2, 2] and karat.ones_like(here).tolist() == [1, 1]
        assert karat.from_numpy(numpy.ones(2)).tolist() == [1, 1]
        karat.set_default_device("cuda")
        with pytest.raises((AssertionError, RuntimeError), match=refused):
            karat.get_default_device()
    finally:
        karat.set_default_device(None)
    with karat.device("cuda:1"):
        assert karat.get_default_device() == karat.device("cuda:1")
    assert karat.get_default_device() == karat.device("cpu")


def test_memory_pinned_for_a_device_that_is_not_there():
    x = karat.ones(2)
    for device in ("cuda", "mps", karat.device("xpu:1")):
        for asked in (lambda: x.is_pinned(device), lambda: x.is_pinned(device=device)):
            with pytest.warns(DeprecationWarning, match="^The argument 'device' of Tensor.is_pinned"):
                assert asked() is False
    with pytest.raises(TypeError):
        x.is_pinned([])
    with pytest.raises(RuntimeError, match="^Expected one of cpu, cuda"):
        x.is_pinned("nowhere")


def test_modes_decorate_with_and_without_brackets():
    x = karat.ones(2, requires_grad=True)

    @karat.no_grad
    def bare(t):
        return (t * 2).requires_grad

    @karat.inference_mode()
    def inferring(t):
        return (t * 2).requires_grad, karat.is_inference_mode_enabled()

    @karat.inference_mode
    def bare_inferring(t):
        return (t * 2).requires_grad

    assert bare(x) is False and inferring(x) == (False, True) and bare_inferring(x) is False
    assert not karat.is_inference_mode_enabled() and karat.is_grad_enabled()
    with karat.inference_mode(False):
        assert (x * 2).requires_grad
    with karat.no_grad():
        @karat.enable_grad
        def recorded(t):
            return (t * 2).requires_grad

        assert recorded(x)


def test_autograd_variable():
    v = karat.autograd.Variable(karat.ones(2), requires_grad=True)
    assert type(v) is karat.Tensor and v.requires_grad and isinstance(v, karat.autograd.Variable)
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        assert not karat.autograd.Variable(karat.ones(2), volatile=True).requires_grad
    with pytest.raises(ValueError, match="can't be volatile and require_grad"):
        karat.autograd.Variable(karat.ones(2), True, True)
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got list"):
        karat.autograd.Variable([1, 2])
    assert karat.autograd.Variable().shape == (0,)


def test_version_of_what_it_was_built_with():
    assert karat.version.__version__ == karat.__version__ and karat.version.cuda is None


def test_scalar_tensor_is_of_the_default_dtype():
    assert karat.scalar_tensor(4).dtype is karat.float32 and karat.scalar_tensor(4, dtype=karat.int8).dtype is karat.int8


def test_data_can_be_set():
    p = karat.ones(2, requires_grad=True)
    p.data = karat.zeros(3, dtype=karat.float64)
    assert p.is_leaf and p.requires_grad and p.shape == (3,) and p.dtype is karat.float64
    (p * 2).sum().backward()
    assert p.grad.tolist() == [2, 2, 2] and p.grad.dtype is karat.float64
    source = karat.ones(2, 3)
    p.data = source.t()
    assert p.stride() == (1, 3) and p.data_ptr() == source.data_ptr()
    del source
    assert p.sum().item() == 6  # the memory is kept
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        p.data = karat.ones(2, dtype=karat.int64)
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        p.data = karat.ones(2, device="meta")
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got int"):
        p.data = 3
    with pytest.raises(RuntimeError, match="Deleting tensor data is not allowed"):
        del p.data
    assert p.shape == (3, 2)
    p.data = p
    assert p.sum().item() == 6


def test_views_and_storages():
    base = karat.arange(6)
    view = base[2:]
    assert view._base is base and base._base is None and view._is_view() and not base._is_view()
    assert view.is_set_to(base[2:]) and not view.is_set_to(base) and not base.is_set_to(base.clone())
    assert view.untyped_storage() == base.untyped_storage() and view.untyped_storage().nbytes() == 48
    assert view.untyped_storage().data_ptr() == base.data_ptr() != base.clone().untyped_storage().data_ptr()
    assert repr(view.untyped_storage()).endswith(f"\n 0\n 0\n[torch.storage.UntypedStorage(device={base.device}) of size 48]")


def test_a_number_in_a_tensors_place_has_a_node_of_its_own():
    x, y = karat.ones(2, requires_grad=True), karat.full((2,), 0.5)
    for made, name in [
        (x**2, "PowBackward0"), (x**y, "PowBackward1"), (x.square(), "PowBackward0"), (x % 2, "RemainderBackward0"),
        (x % y, "RemainderBackward1"), (x.fmod(y), "FmodBackward1"), (x.lerp(y, 0.5), "LerpBackward0"),
        (x.lerp(y, y), "LerpBackward1"), (x.clamp(0, 1), "ClampBackward1"), (x.clamp(y, y), "ClampBackward0"),
        (x * 2, "MulBackward0"), (x * y, "MulBackward0"), (karat.copysign(x, 2), "CopysignBackward1"),
    ]:
        assert made.grad_fn.name() == name


def test_complex_of_a_tensor_and_dims_in_reverse():
    assert complex(karat.tensor(1 + 2j)) == 1 + 2j and complex(karat.tensor(3)) == 3
    with pytest.raises(ValueError):
        complex(karat.ones(2))
    assert karat.ones(2, 3).T.shape == (3, 2) and karat.tensor(1).T.shape == ()
    with pytest.warns(UserWarning, match="deprecated"):
        assert karat.ones(2, 3, 4).T.stride() == (1, 4, 12)


def test_in_and_reversed():
    x = karat.arange(6).view(2, 3)
    assert 3 in x and 7 not in x and karat.tensor(3) in x and 2.0 in x
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in a <class 'str'>"):
        "a" in x
    assert reversed(x).tolist() == [[3, 4, 5], [0, 1, 2]] and reversed(karat.tensor(3)).item() == 3


def test_the_nearest_name_is_a_help():
    def nearest(ask):
        with pytest.raises(AttributeError, match="PyTorch has it") as e:
            ask()
        return str(e.value).partition("nearest here is ")[2]

    t = karat.ones(1)
    assert nearest(lambda: karat.batch_norm_elemt) == "'batch_norm'" and nearest(lambda: t.slice_inverse) == "'inverse'"
    # Nothing is near: none is named. What serves another purpose, or only asks, is not near.
    for ask in (lambda: karat.histogramdd, lambda: t.hash_tensor, lambda: t.volatile):
        assert nearest(ask) == ""


@pytest.mark.cpu_only("there is no accelerator")
def test_there_is_no_other_device():
    for device in (karat.accelerator, karat.mps, karat.mtia, karat.xpu):
        assert device.is_available() is False and device.device_count() == 0
    assert karat.accelerator.current_accelerator() is None
    assert karat.cpu.is_available() and karat.cpu.device_count() == 1 and karat.cpu.current_device() == "cpu"
    karat.cpu.synchronize()
    assert karat.get_device_module("cpu") is karat.get_device_module() is karat.cpu
    with pytest.raises(RuntimeError, match="Device 'meta' does not have a corresponding module registered as 'torch.meta'"):
        karat.get_device_module("meta")
    t = karat.ones(1)
    assert not any([t.is_ipu, t.is_maia, t.is_mps, t.is_mtia, t.is_sparse_csr, t.is_vulkan, t.is_xla, t.is_shared()])
    assert karat.cuda.memory_stats() == {} and karat.cuda.get_rng_state_all() == [] and karat.cuda.default_generators == ()


def test_nothing_is_compiled():
    def f(x):
        return x + 1

    assert karat.compile(f) is f and karat.compile(mode="max-autotune")(f) is f and karat.jit.script(f) is f
    assert karat.jit.trace(f, karat.ones(1)) is f and karat.compiler.disable(f) is f and karat.compiler.disable()(f) is f
    assert not karat.compiler.is_compiling() and not karat.jit.is_scripting() and not karat.jit.is_tracing()
    assert karat.jit.annotate(list, [1]) == [1] and karat.jit.isinstance([1], list)
    with pytest.raises(AttributeError, match="module 'karat.jit' has no attribute 'nothing'"):
        karat.jit.nothing


def test_questions():
    t = karat.ones(2, 3)
    assert karat.get_device(t.cpu()) == -1 and karat.is_same_size(t, t) and not t.is_same_size(t.t())
    assert t.dim_order() == (0, 1) and t.t().dim_order() == (1, 0) and t.name is None and not t.has_names()
    assert karat.is_storage(t.untyped_storage()) and not karat.is_storage(t) and not karat.is_distributed(t)
    assert karat.compiled_with_cxx11_abi() and not karat.is_vulkan_available()


def test_sizes_are_numbers():
    assert karat.sym_int(-2.7) == -2 and karat.sym_float(2) == 2.0 and karat.sym_not(True) is False
    assert repr(karat.sym_max(1, 2.0)) == "2.0" and repr(karat.sym_min(1, 2.0)) == "1.0" and karat.sym_min(1, 2) == 1
    assert karat.sym_ite(False, 1, 2) == 2 and karat.sym_sqrt(4) == 2.0 and karat.sym_sum([1, 2]) == 3


def test_methods_whose_function_has_the_tensor_elsewhere():
    t = karat.tensor([1.0, -1.0])
    assert t.where(t > 0, 0).tolist() == [1, 0] and t.where(t > 0, karat.tensor([5.0, 6.0])).tolist() == [1, 6]
    assert karat.ones(1).polygamma(1).equal(karat.polygamma(1, karat.ones(1)))


def test_types_of_results_and_annotations():
    found = karat.max(karat.ones(2, 2), 0)
    assert isinstance(found, karat.return_types.max) and not hasattr(karat.return_types, "nothing")
    assert karat.types._dtype is karat.dtype and karat.types.Number is not None


def test_from_import_says_what_pytorch_has():
    for line in ("from karat import q_scale", "from karat.nn.functional import grouped_mm",
                 "from karat.return_types import histogramdd", "from karat.overrides import enable_reentrant_dispatch"):
        text = r"^cannot import name '\w+' from 'karat[.\w]*': PyTorch has it, karat does not \(yet\)"
        with pytest.raises(ImportError, match=text):
            exec(line, {})
    with pytest.raises(ImportError, match="cannot import name 'nobody_has_it'"):
        exec("from karat.nn import nobody_has_it", {})
    with pytest.raises(AttributeError):
        karat.q_scale
    assert not hasattr(karat, "q_scale") and getattr(karat, "q_scale", 3) == 3


def test_private_modules_that_programs_import():
    assert karat._utils._element_size(karat.float16) == 2 and karat._C._get_tracing_state() is None
    a, b = karat.ones(2, 3), karat.zeros(4)
    flat = karat._utils._flatten_dense_tensors([a, b])
    assert [t.shape for t in karat._utils._unflatten_dense_tensors(flat, [a, b])] == [(2, 3), (4,)]
    assert karat._C._is_torch_function_enabled() and karat._C.TensorBase is karat.Tensor
    with karat._C.DisableTorchFunctionSubclass():
        assert not karat._C._is_torch_function_enabled()


def test_type_of_tensor_and_the_order_of_dims():
    ints = karat.ones(2, dtype=karat.int32)
    assert ints.type(karat.Tensor).dtype is ints.type("torch.Tensor").dtype is karat.float32
    for kind in (int, karat.Size):
        with pytest.raises(ValueError, match="^invalid type: '"):
            ints.type(kind)
    x = karat.ones(2, 3)
    assert x.dim_order(ambiguity_check=True) == (0, 1) and x.t().dim_order(ambiguity_check=True) == (1, 0)
    assert x.dim_order(ambiguity_check=[karat.contiguous_format]) == (0, 1)
    for t, check in ((karat.ones(1, 3), True), (karat.ones(3, 1), []), (karat.ones(2, 1, 3).expand(2, 4, 3), True),
                     (karat.ones(1, 1, 2, 2), [karat.contiguous_format, karat.channels_last])):
        with pytest.raises(RuntimeError, match="^The tensor does not have unique dim order"):
            t.dim_order(ambiguity_check=check)
    with pytest.raises(TypeError, match="^The ambiguity_check argument must be a bool or a list of memory formats."):
        x.dim_order(ambiguity_check=1)


def test_results_written_into_out_have_a_type_of_their_own():
    x, seen = karat.arange(6.0).reshape(2, 3), 0
    for name, more in (("sort", ()), ("max", (0,)), ("topk", (1,)), ("cummin", (1,)), ("aminmax", ()), ("frexp", ()),
                       ("nanmedian", (0,)), ("histogram", (2,))):
        made = getattr(karat, name)(x, *more)
        out = tuple(karat.empty(0, dtype=one.dtype) for one in made)
        written = getattr(karat, name)(x, *more, out=out)
        assert type(made) is getattr(karat.return_types, name) and type(written) is getattr(karat.return_types, name + "_out")
        assert repr(written).startswith(f"torch.return_types.{name}_out(\n") and all(a is b for a, b in zip(written, out))
        assert type(pickle.loads(pickle.dumps(written))) is type(written)
        seen += 1
    assert seen == 8


def test_the_bytes_of_a_storage():
    x = karat.arange(3, dtype=karat.int32)
    whole = bytes([0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
    for storage in (x.untyped_storage(), x[1:].untyped_storage()):
        assert bytes(storage) == bytearray(storage) == whole and list(storage) == storage.tolist() == list(whole)
        assert storage[4] == 1 and storage[-4] == 2 and 2 in storage and 3 not in storage
        with pytest.raises(IndexError, match="^index 12 out of range for storage of size 12$"):
            storage[12]
        with pytest.raises(TypeError, match="^can't index a torch.UntypedStorage with str$"):
            storage["x"]
    assert bytes(karat.ones(0).untyped_storage()) == b""
    with pytest.raises(NotImplementedError, match="^Not available for 'meta' device type$"):
        bytes(x.to("meta").untyped_storage())


def test_names_of_cuda_need_no_device():
    import karat.cuda.graphs
    import karat.cuda.memory
    import karat.cuda.random
    import karat.cuda.streams
    from karat.cuda import nvtx

    assert karat.cuda.memory.memory_stats is karat.cuda.memory_stats and karat.cuda.random.seed is karat.cuda.seed
    assert karat.cuda.streams.Stream is karat.cuda.Stream and karat.cuda.graphs.CUDAGraph is karat.cuda.CUDAGraph
    with nvtx.range("step {}", 3):
        assert (nvtx.range_push("a"), nvtx.range_pop(), nvtx.range_start("b"), nvtx.mark("c")) == (-2, -2, 0, None)
    assert nvtx.range_end(0) is None and karat.cuda.get_allocator_backend() == "native"
    assert issubclass(karat.cuda.CudaError, RuntimeError) and issubclass(karat.cuda.DeferredCudaCallError, Exception)


def test_legacy_types_of_cuda():
    kind = karat.cuda.HalfTensor
    assert repr(kind) == "<class 'torch.cuda.HalfTensor'>" and kind.is_cuda and kind.dtype is karat.float16
    assert pickle.loads(pickle.dumps(kind)) is kind and pickle.loads(pickle.dumps(karat.HalfTensor)) is karat.HalfTensor
    assert not isinstance(karat.ones(1, dtype=karat.float16, device="cpu"), kind)
    with pytest.raises(AttributeError, match="module 'torch' has no attribute 'cuda.NoTensor'"):
        karat.set_default_tensor_type("torch.cuda.NoTensor")


@pytest.mark.cpu_only("says what the CPU's tensors answer")
def test_a_tensor_of_the_cpu_has_no_memory_of_cuda():
    for dtype, name in ((karat.float32, "Float"), (karat.int64, "Long")):
        with pytest.raises(AttributeError) as error:
            karat.ones(1, dtype=dtype).__cuda_array_interface__
        assert str(error.value) == (f"Can't get __cuda_array_interface__ on non-CUDA tensor type: torch.{name}Tensor If CUDA "
                                    "data is required use tensor.cuda() to copy tensor to device memory.")

    class Lender:
        __cuda_array_interface__ = {"shape": (2,), "typestr": "<f4", "data": (16, False), "version": 3}

    for wrong, text in (({}, "needs shape, typestr and data"), ({"typestr": "<x9"}, "there is no dtype for <x9"),
                        ({"shape": [2]}, "must be tuples of integers"), ({"strides": (3,)}, "not a multiple of the element"),
                        ({"strides": (4, 4)}, "as many strides as sizes"), ({"mask": 1}, "and no mask"),
                        ({"data": (1,)}, "2 arguments"), (3, "dict")):
        given = Lender()
        given.__cuda_array_interface__ = {**Lender.__cuda_array_interface__, **wrong} if wrong and wrong != 3 else wrong
        with pytest.raises((TypeError, ValueError), match=text):
            karat.as_tensor(given)
    if not karat.cuda.is_available():
        with pytest.raises((AssertionError, RuntimeError)):
            karat.as_tensor(Lender())


@pytest.mark.parametrize("module, names", _torch_private.ALIASES.items())
def test_private_names_that_public_code_uses(module, names):
    found = importlib.import_module(f"karat.{module}")
    for theirs, ours in names.items():
        assert theirs not in vars(found) and getattr(found, theirs) is getattr(found, ours)
    with pytest.raises(AttributeError, match="_no_such_name"):
        found._no_such_name


def test_settings_of_pytorchs_engine_are_kept():
    assert karat.autograd.is_multithreading_enabled() and not karat.autograd.is_view_replay_enabled()
    with karat.autograd.set_multithreading_enabled(False):
        assert not karat.autograd.is_multithreading_enabled()
    assert karat.autograd.is_multithreading_enabled()
    karat.autograd.set_multithreading_enabled(False)
    assert not karat.autograd.is_multithreading_enabled()

    @karat.autograd.set_multithreading_enabled(True)
    def asked():
        return karat.autograd.is_multithreading_enabled()

    assert asked() and karat.autograd.is_multithreading_enabled()
    with karat.autograd._force_original_view_tracking(True):
        assert karat.autograd.is_view_replay_enabled()
    assert not karat.autograd.is_view_replay_enabled()


def test_names_that_pytorch_has_in_two_places():
    from karat import functional

    assert functional.norm is karat.norm and functional.split is karat.split and functional.svd_lowrank is karat.svd_lowrank
    with pytest.raises(AttributeError):
        functional.no_such_thing
    assert karat.nn.functional.grad is karat.nn.grad and karat._segment_reduce is karat.segment_reduce
    assert karat.__future__.get_overwrite_module_params_on_conversion() is False


def test_what_torch_c_says_of_sizes_and_memory():
    x = karat.ones(3)
    assert karat._C._infer_size(karat.Size([2, 1]), karat.Size([3])) == (2, 3) and karat._C.has_lapack is True
    assert karat._C._is_alias_of(x, x[1:]) and not karat._C._is_alias_of(x, x.clone())
    with pytest.raises(RuntimeError, match="The size of tensor a \\(2\\) must match the size of tensor b \\(3\\)"):
        karat._C._infer_size(karat.Size([2, 1]), karat.Size([3, 3]))


def test_dir_lists_what_a_tensor_has():
    for t in (karat.rand(2, 2), karat.rand(2, 2, dtype=karat.complex64)):
        names = dir(t)
        assert "shape" in names and "hash_tensor" not in names
        assert all(hasattr(t, name) for name in names if name != "imag")


def test_operators_of_nn_in_c():
    x = karat.arange(24.0).view(1, 2, 3, 4)
    assert karat.equal(karat._C._nn.upsample_nearest2d(x, (6, 8)), karat.nn.functional.interpolate(x, (6, 8)))
    assert karat._C._nn.reflection_pad2d(x, (1, 1, 1, 1)).shape == (1, 2, 5, 6)
    with pytest.raises(AttributeError):
        karat._C._nn.no_such_operator
