"""gen_stubs.py - type stubs of the package karat, from the operator table: gen_stubs.py FOLDER writes FOLDER/*.pyi.

In: the built package (its functions carry the rows of the table that they are made of). Out: one .pyi for each module whose
names come from the table, for editors and type checkers. Names that are no rows are described by their own signature, and
those written in C by TENSOR below.
"""

import importlib
import inspect
import keyword
import os
import re
import sys

# _int is Python's own: int is a dtype in the package, and a method of Tensor.
TYPES = {
    "Tensor": "Tensor", "Tensor|Scalar": "Tensor | Number", "Tensor[]": "Sequence[Tensor]",
    "Tensor?[]": "Sequence[Tensor | None]", "Scalar": "Number", "Scalar[]": "Sequence[Number]", "int": "_int", "SymInt": "_int",
    "int[]": "_int | Sequence[_int]", "int[1]": "_int | Sequence[_int]",
    "float": "_float", "bool": "_bool", "ScalarType": "_dtype",
    "Device": "_device | str | _int", "MemoryFormat": "memory_format", "str": "str", "Generator": "Generator",
}

SHOWN = {  # kinds of arguments as docstrings call them
    "Tensor": "Tensor", "Number": "Number", "int": "_int", "float": "_float", "bool": "_bool", "str": "str",
    "tuple of ints": "_int | Sequence[_int]", "tuple of floats": "Sequence[_float]", "tuple of Tensors": "Sequence[Tensor]",
    "tuple of Scalars": "Sequence[Number]",
    "torch.dtype": "_dtype",
    "torch.device": "_device | str | _int", "torch.layout": "_layout", "torch.memory_format": "memory_format",
    "torch.Generator": "Generator",
}

HEAD = '''"""Made from the operator table by tools/gen_stubs.py."""
from builtins import bool as _bool, complex as _complex, float as _float, int as _int
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, overload
{imports}
Number = _bool | _int | _float | _complex
'''

TENSOR = {  # what the type has beside the table's methods
    "dtype": "_dtype", "shape": "Size", "device": "_device", "ndim": "_int", "itemsize": "_int", "nbytes": "_int",
    "layout": "_layout", "requires_grad": "_bool", "is_leaf": "_bool", "grad": "Tensor | None",
    "T": "Tensor", "mT": "Tensor", "H": "Tensor", "mH": "Tensor",
    "real": "Tensor", "imag": "Tensor", "data": "Tensor", "is_cpu": "_bool", "is_meta": "_bool", "is_cuda": "_bool",
    "item()": "Number", "tolist()": "Any", "numel()": "_int", "nelement()": "_int", "dim()": "_int", "ndimension()": "_int",
    "element_size()": "_int", "storage_offset()": "_int", "data_ptr()": "_int",
    "is_floating_point()": "_bool", "is_complex()": "_bool",
    "is_signed()": "_bool", "is_contiguous(memory_format: memory_format = ...)": "_bool", "numpy(*, force: _bool = False)": "Any",
    "stride(dim: _int | None = None)": "Any", "requires_grad_(requires_grad: _bool = True)": "Tensor",
    "pin_memory()": "Tensor", "is_pinned()": "_bool", "record_stream(s: Stream)": "None", "get_device()": "_int",
    "cuda(device: _device | str | _int | None = None, non_blocking: _bool = False, "
    "memory_format: memory_format | None = None)": "Tensor",
    "retain_grad()": "None", "register_hook(hook: Callable[[Tensor], Tensor | None])": "Any", "equal(other: Tensor)": "_bool",
    "backward(gradient: Tensor | None = None, retain_graph: _bool | None = None, create_graph: _bool = False, "
    "inputs: Any = None)": "None",
    **{f"{name}()": "Tensor" for name in """bool byte char short int long half bfloat16 float double chalf cfloat cdouble
       cpu""".split()},
}
OWN = {  # what PyTorch has not, and classes written in C
    "Stream": """class Stream:
    device: _device
    device_index: _int
    device_type: _int
    stream_id: _int
    native_handle: _int
    def __init__(self, device: _device | str | _int | None = None, *, priority: _int = 0, stream_id: _int = ...,
                 device_index: _int = ..., device_type: _int = ...) -> None: ...
    def query(self) -> _bool: ...
    def synchronize(self) -> None: ...
    def wait_event(self, event: Event) -> None: ...
    def wait_stream(self, stream: Stream) -> None: ...
    def record_event(self, event: Event | None = None) -> Event: ...
    def __enter__(self) -> Stream: ...
    def __exit__(self, *error: object) -> None: ...""",
    "Event": """class Event:
    device: _device
    event_id: _int
    def __init__(self, device: _device | str | _int | None = None, *, enable_timing: _bool = False, blocking: _bool = False,
                 interprocess: _bool = False) -> None: ...
    def record(self, stream: Stream | None = None) -> None: ...
    def wait(self, stream: Stream | None = None) -> None: ...
    def query(self) -> _bool: ...
    def synchronize(self) -> None: ...
    def elapsed_time(self, end_event: Event) -> _float: ...""",
    "explain": "def explain(t: Tensor | nn.Module) -> None: ...",
    "lineage": "def lineage(t: Tensor, /) -> list[LineageRecord]: ...",
    "get_policy": 'def get_policy() -> Literal["strict", "safe", "torch", "permissive"]: ...',
    "policy": """class policy:
    def __init__(self, name: Literal["strict", "safe", "torch", "permissive"]) -> None: ...
    def __enter__(self) -> policy: ...
    def __exit__(self, *error: object) -> None: ...
    def __call__(self, function: _F) -> _F: ...""",
}
# Modules that the user knows; their stubs import GIVEN from the package's.
MODULES = """accelerator accelerator.memory amp autograd autograd.forward_ad autograd.functional autograd.gradcheck
    autograd.profiler autograd.profiler_util backends classes compiler cpu cpu.amp cuda cuda.amp cuda.graphs cuda.memory
    cuda.nvtx cuda.random cuda.streams distributed distributions distributions.constraints distributions.transforms fft func
    functional functorch futures fx hub jit library linalg mps mtia nn nn.functional nn.init nn.parameter nn.utils
    nn.utils.rnn onnx optim optim.lr_scheduler overrides profiler quasirandom random return_types serialization special
    storage testing torch_version types utils utils.benchmark utils.data utils.dlpack utils.flop_counter utils.hooks version
    xpu""".split()
GIVEN = ("Generator", "Number", "Size", "Tensor", "memory_format")
OPERATORS = """add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul rmatmul and rand or ror xor
    rxor lshift rlshift rshift rrshift lt le gt ge eq ne iadd isub imul itruediv ifloordiv imod ipow iand ior ixor""".split()


def result_type(name, signature):
    """`signature`: (arguments, names of several results, whether it returns a list), as the package reads its schemas."""
    _, results, returns_list = signature
    return "tuple[Tensor, ...]" if returns_list else f"_{name}_results" if results else "Tensor"


def parameter(argument, method):
    kind, optional, name, default, _ = argument
    name = "input" if name == "self" and not method else name
    name += "_" if keyword.iskeyword(name) else ""
    text = f"{name}: {TYPES[kind]}" + (" | None" if optional else "")
    shown = default if re.match(r"[-\d.]+$|None$|True$|False$", default) else "..."
    return f"{text} = {shown}" if default else text


def signatures(name, signature, method, shown):
    """The row as a def, and once more with its last list of ints spread, as PyTorch allows."""
    inputs = signature[0][1:] if method else signature[0]
    positional, only = [a for a in inputs if not a[4]], [a for a in inputs if a[4]]
    tail = [parameter(a, method) for a in only]
    if not method and " out = None" in shown:
        tail.append("out: Any = None")
    own = ["self"] if method else []
    listed = own + [parameter(a, method) for a in positional] + (["*"] if tail else []) + tail
    lines = [f"def {name}({', '.join(listed)}) -> {result_type(name.rstrip('_'), signature)}: ..."]
    if positional and positional[-1][0] == "int[]" and not positional[-1][3]:
        spread = own + [parameter(a, method) for a in positional[:-1]] + [f"*{positional[-1][2]}: _int"] + tail
        lines.append(f"def {name}({', '.join(spread)}) -> {result_type(name.rstrip('_'), signature)}: ...")
    return lines


def shown_parameter(part, wide):
    """`wide`: names of tensors for which a number will do."""
    kind, _, name = part.partition(" = ")[0].rpartition(" ")
    if kind == "Tensor" and name in wide:
        kind = "Tensor|Scalar"
    default = part.partition(" = ")[2]
    name += "_" if keyword.iskeyword(name) else ""
    text = f"{name}: {SHOWN.get(kind) or TYPES[kind]}" + (" | None" if default == "None" else "")
    number = re.match(r"[-\d.]+$|None$|True$|False$", default)
    return f"{text} = {default if number else '...'}" if default else text


def shown_signatures(name, line, result, method, wide):
    """A form as its docstring shows it, and once more with its last list of ints spread, as PyTorch allows."""
    inside = line[line.index("(") + 1:line.rindex(")")]
    before, _, after = (", " + inside).partition(", *, ")
    before, after = [p for p in before.split(", ") if p], [p for p in after.split(", ") if p]
    own, tail = ["self"] if method else [], [shown_parameter(p, wide) for p in after]
    listed = own + [shown_parameter(p, wide) for p in before] + (["*"] if tail else []) + tail
    lines = [f"def {name}({', '.join(listed)}) -> {result}: ..."]
    if before and before[-1].startswith("tuple of ints") and " = " not in before[-1]:
        spread = own + [shown_parameter(p, wide) for p in before[:-1]] + [f"*{before[-1].rpartition(' ')[2]}: _int"] + tail
        lines.append(f"def {name}({', '.join(spread)}) -> {result}: ...")
    return lines


def definition(name, function, method=False):
    """Lines for one name made of rows. Its docstring has a line for each of PyTorch's forms; where forms give results of
    different kinds, the rows say which gives which."""
    doc, *shown = [line for line in function.__doc__.splitlines() if not line.startswith("Result dtype: ")]
    results = {result_type(name.rstrip("_"), signature) for signature in function.signatures}
    if len(results) == 1 and shown:
        result, = results
        wide = {a[2] for signature in function.signatures for a in signature[0] if a[0] == "Tensor|Scalar"
                and not any(re.search(rf"Number {a[2]}\b", one) for one in shown)}
        lines = [line for one in shown for line in shown_signatures(name, one, result, method, wide)]
    else:
        written = " out = None" if any(" out = None" in one for one in shown) else ""
        lines = [line for signature in function.signatures for line in signatures(name, signature, method, written)]
    lines = sorted(dict.fromkeys(lines), key=lambda line: line.count("|"))  # the narrower first: checkers take what fits first
    if len(lines) > 1:
        lines = [part for line in lines for part in ("@overload", line)]
    return [*(lines[:-1]), lines[-1][:-4] + f'\n    """{doc}"""' if len(lines) == 1 else lines[-1]]


def result_classes(functions):
    found = {}
    for name, function in functions.items():
        for _, fields, _ in getattr(function, "signatures", ()):
            if fields:
                found[f"_{name.rstrip('_')}_results"] = fields
    return [line for name, fields in found.items()
            for line in (f"class {name}(NamedTuple):", *(f"    {field}: Tensor" for field in fields))]


def plain(name, value):
    """A line for a name that is no row."""
    if inspect.isclass(value):
        described = next((one.__name__ for one in value.__mro__[1:] if one.__name__ in OWN), None)
        base = "(tuple[_int, ...])" if issubclass(value, tuple) else f"(_{described})" if described else ""
        lines = [f"class {name}{base}:", "    def __init__(self, *args: Any, **keywords: Any) -> None: ...",
                 "    def __getattr__(self, name: str) -> Any: ..."]
        if hasattr(value, "__enter__") and not described:
            lines += ["    def __enter__(self) -> Any: ...", "    def __exit__(self, *error: Any) -> None: ..."]
        if "__call__" in dir(value) and hasattr(value, "__enter__") and not described:
            lines.append("    def __call__(self, function: Any) -> Any: ...")
        return "\n".join(lines)
    if inspect.isfunction(value) or inspect.ismethod(value):
        parameters = ["*" + p.name if p.kind is p.VAR_POSITIONAL else "**" + p.name if p.kind is p.VAR_KEYWORD else
                      p.name + ("" if p.default is p.empty else "=...") for p in inspect.signature(value).parameters.values()]
        kinds = [p.kind for p in inspect.signature(value).parameters.values()]
        if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
            parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
        return f"def {name}({', '.join(parameters)}) -> Any: ..."
    if callable(value):
        return f"def {name}(*args: Any, **keywords: Any) -> Any: ..."
    kinds = {"dtype": "_dtype", "memory_format": "memory_format", "layout": "_layout", "float": "_float",
             "Generator": "Generator"}
    return f"{name}: {kinds.get(type(value).__name__, 'Any')}"


def tensor_class(tensor):
    lines = ["class Tensor:", "    def __init__(self, *args: Any, **keywords: Any) -> None: ...",
             "    def __getitem__(self, index: Any) -> Tensor: ...",
             "    def __setitem__(self, index: Any, value: Any) -> None: ...",
             "    def __iter__(self) -> Iterator[Tensor]: ...",
             "    def __len__(self) -> _int: ...", "    def __bool__(self) -> _bool: ...", "    def __int__(self) -> _int: ...",
             "    def __float__(self) -> _float: ...", "    def __neg__(self) -> Tensor: ...",
             "    def __abs__(self) -> Tensor: ...",
             "    def __invert__(self) -> Tensor: ...", "    def __hash__(self) -> _int: ...",
             "    @overload\n    def size(self, dim: None = None) -> Size: ...",
             "    @overload\n    def size(self, dim: _int) -> _int: ..."]
    lines += [f"    def __{name}__(self, other: Any) -> Tensor: ...  # type: ignore[override]" if name in ("eq", "ne") else
              f"    def __{name}__(self, other: Any) -> Tensor: ..." for name in OPERATORS]
    described = {re.match(r"\w+", key).group(): (key, kind) for key, kind in TENSOR.items()}
    for name, value in sorted(vars(tensor).items()):
        if name.startswith("_") or type(value).__name__ == "_Absent" or name == "size":
            continue
        if hasattr(value, "signatures"):
            lines += ["    " + line.replace("\n", "\n    ") for line in definition(name, value, True)]
        elif name in described and "(" in described[name][0]:
            arguments = described[name][0].partition("(")[2][:-1]
            lines.append(f"    def {name}(self{', ' + arguments if arguments else ''}) -> {described[name][1]}: ...")
        elif not callable(value):
            lines.append(f"    {name}: {described[name][1] if name in described else 'Any'}")
        else:
            lines.append(f"    def {name}(self, *args: Any, **keywords: Any) -> Any: ...")
    return lines


def stub(module, own_types):
    """The text of a module's .pyi."""
    given = () if own_types else GIVEN
    names = {n: v for n, v in sorted(vars(module).items())
             if not n.startswith("_") and not inspect.ismodule(v) and n not in given and n.isidentifier()}
    lines = result_classes(names)
    lines += [f"{n}: Any" for n, v in sorted(vars(module).items())  # a module under another name than its own
              if inspect.ismodule(v) and not n.startswith("_") and v.__name__.rpartition(".")[2] != n]
    for name, value in names.items():
        if name == "Tensor":
            continue
        own = OWN.get(name) if own_types else None
        lines += [own] if own else definition(name, value) if hasattr(value, "signatures") else [plain(name, value)]
    below = sorted({m.split(".")[-1] for m in MODULES if f"karat.{m}".rpartition(".")[0] == module.__name__ and not own_types}
                   - names.keys())  # a function that hides its module, as gradcheck
    lines += [f"from . import {n} as {n}" for n in below]
    if own_types:
        lines += tensor_class(module.Tensor) + [f"from . import {n} as {n}" for n in sorted({m.split(".")[0] for m in MODULES})]
        lines += ["from . import errors as errors", "from .errors import LineageRecord"]
        lines += ['_F = TypeVar("_F", bound=Callable[..., Any])']
        lines += ["__version__: str", "ops: Any", "_dtype = dtype", "_device = device", "_layout = layout"]
    return lines


def write(folder, module_name, karat):
    module = importlib.import_module(module_name)
    package = bool(getattr(module, "__path__", None))  # an empty one: a file, with refused modules below it
    path = os.path.join(folder, *module_name.split(".")[1:], *(["__init__"] if package else [])) + ".pyi"
    own = module is karat
    imports = "" if own else ("from karat import Generator as Generator, Size as Size, Tensor as Tensor\n"
                                 "from karat import memory_format as memory_format\n"
                                 "from karat import device as _device, dtype as _dtype, layout as _layout\n"
                                 "from karat import Event as _Event, Stream as _Stream\n")
    text = HEAD.format(imports=imports) + "\n".join(stub(module, own)) + "\n"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder):
    karat = importlib.import_module("karat")
    for name in ("karat", *(f"karat.{module}" for module in MODULES)):
        write(folder, name, karat)
    open(os.path.join(folder, "py.typed"), "w").close()


if __name__ == "__main__":
    main(sys.argv[1])
