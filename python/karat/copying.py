"""copying.py - tensors through pickle, copy and deepcopy: memory with strides and offset, dtype, requires_grad and the user's
attributes; and the other objects that PyTorch can pickle. Pickles have PyTorch's names, so that each reads the other's; what is
only called by unpickling and is not PyTorch's reads pickles that Karat wrote before."""

import copyreg

from . import _karat
from ._karat import Tensor
from .asking import asked


def _whole(t):
    """The whole storage of a tensor, as bytes."""
    bytes_there = t._storage()[1]
    return t.as_strided((bytes_there // t.element_size(),), (1,), 0).view(_karat.dtypes["uint8"])


def _placed(memory, dtype, sizes, strides, offset):
    """A tensor with this offset and these strides in the memory, not marked as a view."""
    made = _karat.functions["empty"]((0,), dtype=dtype, device=memory.device)
    made.data = memory.view(dtype).as_strided(sizes, strides, offset)
    return made


def rebuild(cls, data, dtype, sizes, strides, offset, requires_grad, turned=()):
    """Called by unpickling: the tensor in this memory (bytes, or their number on the meta device), with its lazy bits."""
    if isinstance(data, int):
        memory = _karat.functions["empty"]((data,), dtype=_karat.dtypes["uint8"], device="meta")
    elif data:
        memory = _karat.frombuffer(bytearray(data), dtype=_karat.dtypes["uint8"])
    else:
        memory = _karat.functions["empty"]((0,), dtype=_karat.dtypes["uint8"])
    t = _placed(memory, dtype, sizes, strides, offset)
    for turn in turned:
        t = _karat.functions[turn](t)
    if cls is not Tensor:
        t = t.as_subclass(cls)
    return t.requires_grad_(requires_grad)


def _reduce(self, protocol):
    from ._pickled import reduced

    return reduced(self)


def _of_class(made, cls):
    """A class without __torch_function__ gets plain tensors from operators."""
    return made if type(made) is cls else made.as_subclass(cls)


def set_state(self, state):
    """The attributes of a copy. A pinned dtype (pin_dtype) is one of them, and a mark that the engine reads."""
    self.__dict__.update(state)
    if "_pinned_dtype" in state:
        _karat.pin_dtype(self, True)
    return self


def _copy(self):
    lazy = self.is_conj() or self.is_neg() or self.device.type == "meta"
    made = self.detach() if lazy else _placed(_whole(self.detach()), self.dtype, self.shape, self.stride(), self.storage_offset())
    made = _of_class(made, type(self))
    made.requires_grad_(self.requires_grad)
    return set_state(made, self.__dict__)


def _copied(t, memo):
    """A deep copy; copies of tensors that share memory share memory."""
    if t.is_conj() or t.is_neg() or t.device.type == "meta":
        return t.clone()
    place = ("karat memory", *t._storage())
    if place not in memo:
        memo[place] = _whole(t).clone()
        memo.setdefault(id(memo), []).append(t)  # keeps the memory, and so its address, alive as long as the memo
    return _placed(memo[place], t.dtype, t.shape, t.stride(), t.storage_offset())


def _deepcopy(self, memo):
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
            "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    from copy import deepcopy

    made = _of_class(_copied(self.detach(), memo), type(self))
    memo[id(self)] = made
    made.requires_grad_(self.requires_grad)
    if self.grad is not None:
        made.grad = deepcopy(self.grad, memo)
    return set_state(made, deepcopy(self.__dict__, memo))


Tensor.__reduce_ex__ = asked(_reduce, "__reduce_ex__")
Tensor.__copy__ = _copy
Tensor.__deepcopy__ = asked(_deepcopy, "__deepcopy__")
Tensor.__setstate__ = set_state


# ---- other objects ----

def named(name):
    """Called by unpickling: torch.strided, torch.channels_last."""
    return getattr(_karat, name)


def result(name, items):
    """Called by unpickling: torch.return_types.max."""
    return _karat.return_types[name](items)


def generator(device, state):
    """Called by unpickling: a generator with this state."""
    made = _karat.Generator(device)
    made.set_state(state)
    return made


def _function(family, name):
    """Called by unpickling: a function of the operator table."""
    return getattr(_karat, family)[name]


def _by_name(function):
    """A function of the operator table is pickled by the name that its module has for it, which is PyTorch's."""
    from importlib import import_module

    if getattr(import_module(function.__module__), function.__name__, None) is function:
        return function.__name__
    families = ("functions", "nn_functions", "linalg_functions", "special_functions", "fft_functions")
    return _function, next((family, name) for family in families for name, one in getattr(_karat, family).items()
                           if one is function)


def _of_format(one):
    """A memory format is found by its name in torch."""
    return str(one).rpartition(".")[2]


def _of_layout(one):
    from .serialization import _get_layout

    return _get_layout, (str(one),)


copyreg.pickle(_karat.device, lambda d: (_karat.device, (d.type,) if d.index is None else (d.type, d.index)))
copyreg.pickle(type(_karat.functions["add"]), _by_name)
copyreg.pickle(type(vars(Tensor)["add"]), lambda f: (getattr, (Tensor, f.__name__)))
copyreg.pickle(type(_karat.channels_last), _of_format)
copyreg.pickle(type(_karat.strided), _of_layout)
