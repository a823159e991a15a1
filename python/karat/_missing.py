"""_missing.py - errors for missing names: whether PyTorch has the name, and the nearest one that Karat has."""

from types import FunctionType

shown = "karat"  # the package's name in messages: torch under `karat run`
after_import = None  # a function that is called when a module was loaded late: `karat run` names what is in it


def by_name_in_torch(one):
    """Its name, for a pickle that names it as PyTorch does; None: nothing is served as torch here, and it would not be found."""
    return one.__name__ if shown == "torch" else None


def names_of(module):
    """PyTorch's public names of a module; "" is torch itself."""
    from ._torch_names import NAMES

    return NAMES.get(module, frozenset())


# Words that many names share and that do not describe a function.
_COMMON = frozenset("get set is has with to and of dtype tensor indices copy type enabled all from new".split())

def _words(name):
    import re

    return {word for word in re.findall("[A-Z]?[a-z]+|[0-9]+", name) if len(word) > 1}


def _asks(name):
    return name.startswith(("is_", "has_"))


def _nearest(name, here):
    """The name that differs in form only, or has most words in common; None: nothing close enough."""
    for one in (name + "_", name.rstrip("_")):
        if one != name and one in here:
            return one
    words = {word.lower() for word in _words(name)} - _COMMON
    if not words:
        return None
    scored = []
    for one in (one for one in here if _asks(one) == _asks(name)):  # do not propose is_x for x
        others = {word.lower() for word in _words(one)} - _COMMON
        shared = len(words & others)
        if 2 * shared >= len(words) and 2 * shared >= len(others):
            same_end = one.rstrip("_").endswith(name.rstrip("_").rpartition("_")[2])  # the last word matters most
            scored.append((shared / len(words | others), same_end, -len(one), one))
    return max(scored)[3] if scored else None


def _text(beginning, name, known, here):
    """`known`: PyTorch's names in the module; only those are proposed."""
    if name not in known:
        return beginning
    nearest = _nearest(name, [one for one in here if one in known])
    return f"{beginning}: PyTorch has it, karat does not (yet){f'; the nearest here is {nearest!r}' if nearest else ''}"


_PRIVATE_MODULES = frozenset("__config__ __future__ _C _VF _library _ops _tensor _tensor_str _utils _custom_ops".split())


def is_module(path):
    """Is torch.<path> a module that both have? Includes PyTorch's private modules that programs import."""
    from ._refused import REASONS
    from ._torch_names import NAMES

    top = path.partition(".")[0]
    return path in NAMES or top in NAMES[""] or top in REASONS or top in _PRIVATE_MODULES


def _is_from_import(frame):
    """Is this `from module import name`, which would drop the text of an AttributeError?"""
    from opcode import opmap

    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def of(module, lazy=(), inside=None):
    """A module's __getattr__; the submodules in `lazy` are imported when first used, and those of which names are `inside`."""

    def missing(name):
        from importlib import import_module
        from sys import _getframe, modules

        if name in lazy:
            found = import_module(f"{module}.{name}")
            if after_import:
                after_import()
            return found
        if inside and name in inside:
            return getattr(import_module(f"karat.{inside[name]}"), name)
        from ._refused import single

        refused = single(module, name)
        if refused:
            return refused
        whose, known, here = shown + module[len("karat"):], names_of(module[len("karat."):]), vars(modules[module])
        if name == "__all__":  # what `from torch.x import *` takes
            return sorted(known & here.keys())
        if name in known and _is_from_import(_getframe(1)):
            raise ImportError(_text(f"cannot import name {name!r} from {whose!r}", name, known, here), name=whose,
                              path=here.get("__file__"))
        beginning = f"module '{whose}' has no attribute '{name}'"
        if not name.startswith("__"):
            beginning = _text(beginning, name, known, here)
        error = AttributeError(beginning)
        error.name = name
        raise error

    return missing


class _Absent:
    """Stands for a method or attribute of PyTorch's Tensor that is missing: access raises the AttributeError."""

    def __init__(self, name):
        self.name = name

    def __get__(self, tensor, owner=None):
        here = [name for name, value in vars(owner.__mro__[-2]).items() if not isinstance(value, _Absent)]
        whose = "type object 'Tensor'" if tensor is None else "'Tensor' object"
        raise AttributeError(_text(f"{whose} has no attribute '{self.name}'", self.name, names_of("Tensor"), here))


# Rows that are private functions in PyTorch too.
_PRIVATE = frozenset("_conj _neg_view _unique2 _softmax _log_softmax _softmax_backward_data _log_softmax_backward_data "
                     "_linalg_det _linalg_slogdet _linalg_solve_ex _linalg_eigh _linalg_svd _lu_with_info _fused_adam_ "
                     "_fused_adamw_ _fused_sgd_ _fused_adagrad_ _amp_foreach_non_finite_check_and_unscale_ "
                     "_amp_update_scale_ _ctc_loss _pack_padded_sequence _pad_packed_sequence _weight_norm "
                     "_weight_norm_interface _convolution _convolution_mode _native_batch_norm_legit "
                     "_native_batch_norm_legit_no_training _safe_softmax _scaled_dot_product_flash_attention_for_cpu "
                     "_scaled_dot_product_attention_math _fused_rms_norm _scaled_mm _standard_gamma _standard_gamma_grad "
                     "_sample_dirichlet _dirichlet_grad _addmm_activation _int_mm _fft_c2c _fft_c2r _fft_r2c".split())


def _is_private(name):
    """PyTorch has nearly all functions of lists; two of them in place alone."""
    return (name.startswith("_foreach_") and name not in ("_foreach_copy", "_foreach_zero")) or name in _PRIVATE


def functions_of(rows):
    """The rows that are functions in PyTorch; the others exist in C, or as methods."""
    known = names_of("")
    return {name: row for name, row in rows.items() if name in known or _is_private(name)}


def functions_in(module, rows, family):
    """The functions of torch.<module>: the rows of its family (special_erf), and those that PyTorch has both there and in
    torch itself."""
    known = names_of(module)
    shared = known & names_of("") & rows.keys()
    return {name: rows[name] for name in shared} | {name: row for name, row in family.items() if name in known}


# Where PyTorch has what lies in a file of Karat's own; "": in torch itself.
HOMES = {"_pickled": "serialization", "nn._multi_head": "nn.functional", "utils._selective": "utils.checkpoint",
         "cuda._unmeasured": "cuda", "modes": "autograd.grad_mode", "asking": "", "drawing": "", "faces": "", "indices": "",
         "limits": "", "printing": "_tensor_str", "settings": "", "symbols": "", "typed_storage": "storage",
         **dict.fromkeys("""amp.lists amp.low_precision amp.state nn._pooling nn._resampling
         utils.tensorboard._summaries""".split())}  # None: where it is public


def name_methods(tensor_type, functions):
    """Methods from files of Karat's own are the Tensor's, by their names in messages and pickles."""
    for name, method in vars(tensor_type).items():
        own = type(method) is FunctionType and method.__name__ == name and functions.get(name) is not method
        if own and method.__module__.startswith("karat."):
            method.__module__, method.__qualname__ = "karat", f"Tensor.{name}"


def mark_absent(tensor_type):
    """Marks what PyTorch's Tensor has and this one lacks, and removes what PyTorch's lacks. (A __getattr__ would slow every
    attribute.)"""
    known = names_of("Tensor")
    for name, value in list(vars(tensor_type).items()):
        if type(value).__name__ == "method" and name not in known and name not in _PRIVATE:
            delattr(tensor_type, name)

    absent = {name for name in known if not hasattr(tensor_type, name)}
    for name in absent:
        setattr(tensor_type, name, _Absent(name))

    def __dir__(self):
        return sorted(set(object.__dir__(self)) - absent - (set() if self.is_cuda else {"__cuda_array_interface__"}))

    from .asking import asked

    tensor_type.__dir__ = asked(__dir__)
