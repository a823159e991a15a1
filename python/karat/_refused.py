"""_refused.py - modules of PyTorch that can be imported and not used: compilers, tracers, several processes, and what is not
there yet.

Libraries import such modules beside what they need, for annotations, isinstance and branches that are not taken. A module of
REASONS, or one below it, is made when it is imported; its names are classes that refuse to be called, by name and with the
reason. A file of that name (fx.py) comes first, and adds what can be had. Such a module has PyTorch's names and no others
(refused_names.txt), so that hasattr and `except ImportError` choose the branch that they choose beside PyTorch.
"""

import sys
from functools import cache
from importlib.abc import Loader
from importlib.machinery import ModuleSpec

from . import _missing

_NOT_YET = "PyTorch has it, karat does not (yet)"
_NOT_COMPILED = "nothing is compiled here: programs run as they are written"
_NOT_QUANTIZED = "models are not quantized here"
_NOT_MOBILE = "models are not made ready for phones"
_NO_SPARSE = "tensors are dense here: there are no sparse layouts"
_NO_NESTED = "tensors are dense here: there are no nested ones; pad them, or use nn.utils.rnn.pack_sequence"
_ONE_PROCESS = "not available: this build has one process"
_PER_SAMPLE = "gradients of each example are torch.func.vmap of torch.func.grad"
_OWN_FILES = "files are read by torch.load and written by torch.save"
_ONE_CONTEXT = "a process has one context of a device"
_ALLOCATORS = dict.fromkeys("""CUDAPluggableAllocator MemPool caching_allocator_alloc caching_allocator_delete
    caching_allocator_enable change_current_allocator use_mem_pool""".split(), "a device's memory is managed by Karat alone")
_OWN_DEVICES = "devices are added by a backend (karat/plugin/backend.h), under its own name"
_OWN_OPERATORS = "PyTorch's own definitions of its operators, for its compiler; here they are in C"
_NO_SCALES = "products of tensors with scales beside them (float8 in blocks) are not among the operators"
_IN_TURNS = "workers of a DataLoader take turns in this process"
_OLD_PIPES = "data pipes are of old; use Dataset and IterableDataset"
REASONS = {
    "_C._distributed_autograd": _ONE_PROCESS,
    "_C._distributed_c10d": _ONE_PROCESS,
    "_C._distributed_rpc": _ONE_PROCESS,
    "_dynamo": _NOT_COMPILED,
    "_export": _NOT_COMPILED,
    "_functorch": "PyTorch's own parts of torch.func; use torch.func",
    "_higher_order_ops": _NOT_COMPILED,
    "_inductor": _NOT_COMPILED,
    "_subclasses": _NOT_COMPILED,
    "_guards": _NOT_COMPILED,
    "_jit_internal": _NOT_COMPILED,
    "_logging": _NOT_COMPILED,
    "_prims": _OWN_OPERATORS,
    "_prims_common": _OWN_OPERATORS,
    "_refs": _OWN_OPERATORS,
    "_decomp": _OWN_OPERATORS,
    "_lazy": _NOT_COMPILED,
    "amp": _NOT_YET,
    "autograd.profiler_legacy": "the profiler of old; use torch.profiler",
    "ao": _NOT_QUANTIZED,
    "cuda.comm": _ONE_PROCESS,
    "cuda.gds": "files are read through the host's memory",
    "cuda.green_contexts": _ONE_CONTEXT,
    "cuda.jiterator": _NOT_COMPILED,
    "cuda.nccl": _ONE_PROCESS,
    "cuda.sparse": _NO_SPARSE,
    "cuda.tunable": "which kernel multiplies matrices is chosen without a file",
    "distributed": _ONE_PROCESS,
    "export": _NOT_COMPILED,
    "fx": "programs are run as they are written, not traced into graphs",
    "jit._recursive": _NOT_COMPILED,
    "jit._script": _NOT_COMPILED,
    "jit._serialization": _NOT_COMPILED,
    "jit._state": _NOT_COMPILED,
    "jit._trace": _NOT_COMPILED,
    "jit.frontend": _NOT_COMPILED,
    "jit.mobile": _NOT_COMPILED,
    "masked": "tensors do not carry masks; torch.masked.sum and its like take one",
    "monitor": "counters and events of a service are not collected here",
    "multiprocessing": "tensors are not shared between processes (yet); use Python's multiprocessing, which copies them",
    "nested": _NO_NESTED,
    "nn.attention.flex_attention": f"{_NOT_COMPILED}; use scaled_dot_product_attention",
    "nn.intrinsic": _NOT_QUANTIZED,
    "nn.utils._expanded_weights": _PER_SAMPLE,
    "nn.parallel.comm": _ONE_PROCESS,
    "nn.parallel.parallel_apply": _ONE_PROCESS,
    "nn.parallel.replicate": _ONE_PROCESS,
    "nn.parallel.scatter_gather": _ONE_PROCESS,
    "nn.qat": _NOT_QUANTIZED,
    "nn.quantizable": _NOT_QUANTIZED,
    "nn.quantized": _NOT_QUANTIZED,
    "onnx": "models are not exported to ONNX",
    "package": "models are not packaged with their code",
    "quantization": _NOT_QUANTIZED,
    "signal": "windows are torch.hann_window and its like",
    "sparse": _NO_SPARSE,
    "testing._internal": "PyTorch's own tests",
    "utils._triton": _NOT_COMPILED,
    "utils.bundled_inputs": _NOT_MOBILE,
    "utils.cpp_extension": "C++ that is written against PyTorch's headers cannot be built here; write operators with "
                           "torch.library, or in C against karat/plugin/operator.h",
    "utils.data._utils.signal_handling": _IN_TURNS,
    "utils.data.datapipes": _OLD_PIPES,
    "utils.data.graph": _OLD_PIPES,
    "utils.data.graph_settings": _OLD_PIPES,
    "utils.hipify": "code is not translated to HIP",
    "utils.mobile_optimizer": _NOT_MOBILE,
    "utils.show_pickle": "use pickletools",
}
TOP = [name for name in REASONS if "." not in name]

# Names by which libraries ask whether a part was built at all, and do without it where it was not.
ABSENT = {"distributed.rpc": frozenset(["api"])}

# Names of refused modules that mark or register something for what is refused: as nobody will read it, they do nothing. Those
# that are called with options give a decorator. Those that ask whether a value is of what is refused, or whether it is at work,
# hear False; those that ask for its state hear None.
DECORATOR, WITH_OPTIONS, REGISTERS, ASKS = range(4)
MARKS = {
    "onnx": {"register_custom_op_symbolic": REGISTERS, "unregister_custom_op_symbolic": REGISTERS},
    "onnx.symbolic_helper": {"parse_args": WITH_OPTIONS, "quantized_args": WITH_OPTIONS},
    "_dynamo": {"disallow_in_graph": DECORATOR, "forbid_in_graph": DECORATOR, "is_dynamo_supported": ASKS,
                "is_inductor_supported": ASKS},
    "_dynamo.external_utils": {"is_compiling": ASKS},
    "_inductor.decomposition": {"register_decomposition": WITH_OPTIONS},
    "_dynamo.utils": {"is_compile_supported": REGISTERS},
    "_subclasses.fake_tensor": {"is_fake": ASKS},
    "export.graph_signature": {"is_fake": ASKS},
    "fx._symbolic_trace": {"is_fx_symbolic_tracing": ASKS, "is_fx_tracing": ASKS},
    "fx.experimental.proxy_tensor": {"get_proxy_mode": REGISTERS, "is_fake": ASKS},
    "masked": {"is_masked_tensor": ASKS},
    "sparse._triton_ops": {"has_triton": ASKS},
    "utils._triton": dict.fromkeys("""has_datacenter_blackwell_tma_device has_triton has_triton_experimental_host_tma
        has_triton_package has_triton_stable_tma_api has_triton_tensor_descriptor_host_tma has_triton_tma
        has_triton_tma_device""".split(), ASKS),
}

# Single names of modules that are otherwise here.
_OLD_STORAGES = "typed storages of devices are of old; use untyped_storage()"
_SMALL_DTYPES = """uint1 uint2 uint3 uint4 uint5 uint6 uint7 int1 int2 int3 int4 int5 int6 int7 bits1x8 bits2x4 bits4x2
    bits8 bits16 float4_e2m1fn_x2""".split()
_QUANTIZED = """qint8 quint8 qint32 quint4x2 quint2x4 per_tensor_affine per_channel_affine per_tensor_symmetric
    per_channel_symmetric per_channel_affine_float_qparams""".split()
REFUSED_DTYPES = [*_SMALL_DTYPES, *_QUANTIZED]
_SMALL = "elements smaller than a byte are not among Karat's dtypes"
# Parts of PyTorch's compiler that it has in torch and in torch._C; annotations of libraries name them.
_OF_COMPILER = dict.fromkeys("""DispatchKey DispatchKeySet ExcludeDispatchKeyGuard FunctionSchema Graph Node Value Block Use Type
    TensorType ScriptModule ScriptFunction ScriptObject CompilationUnit FileCheck JITException AnyType BoolType ClassType
    ComplexType DeviceObjType DictType EnumType FloatType FutureType IntType InterfaceType ListType NoneType NumberType
    OptionalType PyObjectType RRefType StringType TupleType UnionType fork wait import_ir_module import_ir_module_from_buffer
    parse_ir ThroughputBenchmark""".split(), _NOT_COMPILED)
NAMES = {
    "": {
        **dict.fromkeys("""sparse_coo_tensor sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor
            sparse_compressed_tensor hspmm saddmm smm sspaddmm""".split(), _NO_SPARSE),
        **dict.fromkeys("""quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic fake_quantize_per_tensor_affine
            fake_quantize_per_channel_affine QInt8Storage QUInt8Storage QInt32Storage QUInt4x2Storage
            QUInt2x4Storage""".split(), _NOT_QUANTIZED),
        **dict.fromkeys(_QUANTIZED, _NOT_QUANTIZED),
        **dict.fromkeys(_SMALL_DTYPES, _SMALL),
        **dict.fromkeys("SymInt SymFloat SymBool".split(), "sizes are plain numbers here"),
        **_OF_COMPILER,
        **dict.fromkeys("PyTorchFileReader PyTorchFileWriter".split(), _OWN_FILES),
        "StorageBase": "storages are torch.UntypedStorage and its typed ones",
        "_TorchCompileInductorWrapper": _NOT_COMPILED,
        "_has_compatible_shallow_copy_type": "what Tensor.data may be set to is checked where it is set",
    },
    "_C": _OF_COMPILER,
    "cuda.memory": _ALLOCATORS,
    "cuda": {
        **_ALLOCATORS,
        **dict.fromkeys("cudart cudaStatus check_error current_blas_handle".split(),
                        "CUDA's own functions are called by Karat alone"),
        "GreenContext": _ONE_CONTEXT,
        **dict.fromkeys("""BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage
            DoubleStorage FloatStorage HalfStorage IntStorage LongStorage ShortStorage""".split(), _OLD_STORAGES),
    },
    "backends.cuda": dict.fromkeys("""SDPAParams cuBLASModule cuFFTPlanCache cuFFTPlanCacheAttrContextProp cuFFTPlanCacheManager
        cufft_plan_cache""".split(), "how a device's libraries are used is not seen from outside"),
    "jit": dict.fromkeys("""load save freeze fork wait trace_module optimize_for_inference CompilationUnit
        Error Future enable_onednn_fusion onednn_fusion_enabled set_fusion_strategy strict_fusion
        export_opnames _get_trace_graph""".split(), _NOT_COMPILED),
    "ops._c10d_functional": dict.fromkeys("""all_gather_into_tensor all_gather_into_tensor_coalesced all_gather_into_tensor_out
        all_reduce all_reduce_ all_reduce_coalesced all_reduce_coalesced_ all_to_all_single broadcast broadcast_
        reduce_scatter_tensor reduce_scatter_tensor_coalesced reduce_scatter_tensor_out wait_tensor
        _wrap_tensor_autograd""".split(), _ONE_PROCESS),
    "ops.c10d_functional": dict.fromkeys("""all_gather_into_tensor all_gather_into_tensor_coalesced all_reduce
        all_reduce_coalesced all_to_all_single broadcast reduce_scatter_tensor reduce_scatter_tensor_coalesced
        wait_tensor""".split(), _ONE_PROCESS),
    "ops._c10d_functional_autograd": dict.fromkeys("all_gather_into_tensor all_to_all_single reduce_scatter_tensor".split(),
                                                   _ONE_PROCESS),
    "ops.c10d": dict.fromkeys("""allgather_ allreduce_ alltoall_ alltoall_base_ barrier broadcast_ gather_ recv_ reduce_
        reduce_scatter_ scatter_ send""".split(), _ONE_PROCESS),
    "ops.aten": {**dict.fromkeys("_sparse_addmm _sparse_mm_reduce_impl _nnz values crow_indices col_indices".split(), _NO_SPARSE),
                 **dict.fromkeys("_grouped_mm _scaled_mm_v2".split(), _NO_SCALES),
                 **dict.fromkeys("""_convert_weight_to_int4pack _convert_weight_to_int4pack_for_cpu _weight_int4pack_mm
                    _weight_int4pack_mm_for_cpu _weight_int4pack_mm_with_scales_and_zeros _dyn_quant_pack_4bit_weight
                    _dyn_quant_matmul_4bit""".split(), _NOT_QUANTIZED),
                 **dict.fromkeys("_scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention".split(),
                                 "a device's way to attention; use nn.functional.scaled_dot_product_attention"),
                 **dict.fromkeys("cudnn_batch_norm miopen_batch_norm".split(), "a device's way to batch_norm; use batch_norm"),
                 "_embedding_bag_forward_only": "use embedding_bag", "_mkldnn_transpose": "there are no layouts of oneDNN",
                 "_pin_memory": "use Tensor.pin_memory"},
    "nn.functional": dict.fromkeys("ScalingType SwizzleType scaled_mm scaled_grouped_mm".split(), _NO_SCALES),
    "testing": {"FileCheck": "there is no text of a compiler to check"},
    "compiler": dict.fromkeys("""keep_portable_guards_unsafe keep_tensor_guards_unsafe load_compiled_function
        set_enable_guard_collectives skip_all_guards_unsafe skip_guard_on_all_nn_modules_unsafe skip_guard_on_globals_unsafe
        skip_guard_on_inbuilt_nn_modules_unsafe""".split(), _NOT_COMPILED),
    "autograd": {"_disable_profiler": "the profiler of old; use torch.profiler"},
    "_ops": {"HigherOrderOperator": _NOT_COMPILED},
    "utils.checkpoint": dict.fromkeys("GraphExecGroup SAC_IGNORED_OPS".split(), "an inner part of PyTorch's checkpoints"),
    "utils.data": dict.fromkeys("""DFIterDataPipe DataChunk IterDataPipe MapDataPipe argument_validation
        guaranteed_datapipes_determinism non_deterministic runtime_validation runtime_validation_disabled""".split(), _OLD_PIPES),
    "utils.data._utils.worker": dict.fromkeys("""ManagerWatchdog _IterableDatasetStopIteration _ResumeIteration
        _worker_loop""".split(), _IN_TURNS),
    "utils.data.dataloader": {"_sharding_worker_init_fn": _OLD_PIPES},
    "utils": {"ThroughputBenchmark": _NOT_COMPILED, "rename_privateuse1_backend": _OWN_DEVICES,
              "generate_methods_for_privateuse1_backend": _OWN_DEVICES},
}


def _reason(module):
    """Why karat.<...> is refused; None: it is not."""
    parts = module.split(".")[1:]
    return next((REASONS[one] for n in range(len(parts), 0, -1) if (one := ".".join(parts[:n])) in REASONS), None)


class _Refused(type):
    """The class of a refused name: a class that can stand in annotations and be subclassed, not called. What is asked of it is
    refused the same way."""

    def __call__(cls, *args, **keywords):
        raise NotImplementedError(f"{_missing.shown}{cls._path[len('karat'):]}: {cls._why}")

    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return _refuse(f"{cls._path}.{name}", cls._why)


@cache
def _refuse(path, why):
    home, _, name = (_missing.shown + path[len("karat"):]).rpartition(".")
    return _Refused(name, (), {"_path": path, "_why": why, "__module__": home, "__doc__": f"Refused: {why}."})


def single(module, name):
    """A single name that is refused; None: it is not."""
    why = NAMES.get(module[len("karat."):], {}).get(name)
    return why and _refuse(f"{module}.{name}", why)


def in_module(module, name):
    """A name of a refused module, as a class that refuses to be called."""
    return _refuse(f"{module}.{name}", _reason(module))


def function(path, why):
    """A function that is refused, for instance a method of Tensor."""

    def refused(*args, **keywords):
        raise NotImplementedError(f"{_missing.shown}{path[len('karat'):]}: {why}")

    refused.__doc__ = f"Refused: {why}."
    return refused


@cache
def _lists():
    """PyTorch's names of the refused modules: a line of text by module. It is read when the first of them is asked."""
    from pathlib import Path

    lines = (Path(__file__).with_name("refused_names.txt")).read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


@cache
def names_in(path):
    """PyTorch's names in the refused module `path`, which is below torch; None: PyTorch has no such module."""
    text = _lists().get(path)
    return None if text is None else frozenset(text.split()) - ABSENT.get(path, frozenset())


def _is_not_available():
    """False: it is refused."""
    return False


def _mark(path, kind):
    """A function that marks, registers or asks: it gives back what is marked, keeps nothing, answers that nothing is there."""
    name = path.rpartition(".")[2]

    def same(function=None, *args, **keywords):
        return function

    def with_options(*args, **keywords):
        return same

    def nothing(*args, **keywords):
        return None

    def never(*args, **keywords):
        return False

    made = (same, with_options, nothing, never)[kind]
    made.__name__ = made.__qualname__ = name
    made.__doc__ = "No effect: what it is for is refused."
    return made


def names_of(module):
    """The __getattr__ of such a module: a class for each of PyTorch's names, and the modules below it."""
    path = module[len("karat."):]
    why = _reason(module)
    missing = _missing.of(module)

    def refused(name):
        if name in MARKS.get(path, ()):
            return _mark(f"{module}.{name}", MARKS[path][name])
        if name.startswith("__") or name not in (names_in(path) or ()):
            return missing(name)
        if f"{path}.{name}" in _lists():
            from importlib import import_module

            return import_module(f"{module}.{name}")
        return _is_not_available if name == "is_available" else _refuse(f"{module}.{name}", why)

    return refused


class _Maker(Loader):
    """Finds and makes the modules that have no file; last on sys.meta_path."""

    def find_spec(self, name, path=None, target=None):
        is_one = name.startswith("karat.") and _reason(name) and names_in(name[len("karat."):]) is not None
        return ModuleSpec(name, self, is_package=True) if is_one else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__doc__ = f"Importable; refused when used: {_reason(module.__name__)}."
        module.__file__ = __file__
        module.__getattr__ = names_of(module.__name__)


sys.meta_path.append(_Maker())
