"""What a module saves in a state dict, and one loading of a tree from a state dict.

In: modules with their tables; a state dict. Out: their own tensors by name; the tensors taken, or a list of what is wrong.
Module has the methods that subclasses override; what these share stands here."""

import warnings
from collections import OrderedDict, namedtuple
from itertools import chain

from ... import _karat
from ..._karat import Tensor
from ...copying import set_state
from ...utils import swap_tensors
from ..parameter import Parameter, is_lazy
from ._conversion import pin_of


class _IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict did not find, and what it did not need."""

    __slots__ = ()
    __module__ = __name__.replace("._state", ".module")  # where programs know it

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


def own_state(module):
    """(name, tensor) of what a module itself saves: parameters, then persistent buffers."""
    own = module.__dict__
    parameters, buffers, left_out = own["_parameters"], own["_buffers"], own["_non_persistent_buffers_set"]
    if not buffers:
        return [pair for pair in parameters.items() if pair[1] is not None] if parameters else ()
    return [pair for pair in chain(parameters.items(), buffers.items()) if pair[1] is not None and pair[0] not in left_out]


def with_metadata(items, metadata):
    """A state dict: an ordered dict with the versions of modules by path as an attribute."""
    state = OrderedDict(items)
    if metadata is not None:
        state._metadata = metadata
    return state


def by_position(args, destination, prefix, keep_vars):
    """state_dict's options where they are given by position, as once; a keyword that is given goes first."""
    old = (*args, *(None, "", False)[len(args):])
    return old[0] if destination is None else destination, prefix or old[1], keep_vars or old[2]


def _parts(state, prefix):
    """The entries of a module's state by the child that they belong to."""
    parts, start = {}, len(prefix)
    for key, value in state.items():
        if key.startswith(prefix):
            name, dot, _ = key[start:].partition(".")
            if dot:
                parts.setdefault(name, {})[key] = value
    return parts


class Loading:
    """One load_state_dict of a tree: what it has found missing, unexpected and wrong so far."""

    def __init__(self, metadata, assign):
        self.metadata, self.assign = metadata or {}, assign
        self.keys, self.errors = _IncompatibleKeys([], []), []

    def visit(self, module, state, prefix=""):
        """A module and all below it take what is theirs; the keys in `state` begin with the prefix."""
        about = self.metadata.get(prefix[:-1], {})
        if self.assign:
            about = {**about, "assign_to_params_buffers": self.assign}  # the user's metadata stay as they are
        module._load_from_state_dict(state, prefix, about, True, *self.keys, self.errors)
        parts = _parts(state, prefix) if module._modules else None
        for name, child in module._modules.items():
            if child is not None:
                self.visit(child, parts.get(name, {}), f"{prefix}{name}.")
        if any(hook(module, self.keys) is not None for hook in module._load_state_dict_post_hooks.values()):
            raise AssertionError("Hooks registered with ``register_load_state_dict_post_hook`` are notexpected to return new "
                                 "values, if incompatible_keys need to be modified,it should be done inplace.")

    def result(self, of, strict):
        """The keys that did not match; an error where they had to, or where something is wrong."""
        complaints = [f"{what} key(s) in state_dict: " + ", ".join(f'"{key}"' for key in keys) + ". "
                      for what, keys in zip(("Missing", "Unexpected"), self.keys) if strict and keys] + self.errors
        if complaints:
            raise RuntimeError("\n\t".join([f"Error(s) in loading state_dict for {type(of).__name__}:", *complaints]))
        return self.keys


def take(module, name, mine, key, given, assign, errors):
    """A parameter or buffer of a module takes the value that a state dict has for it; what is wrong is added to `errors`."""
    from ... import __future__, no_grad

    if not isinstance(given, Tensor):
        errors.append(f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
                      f"but received {type(given)}")
        return
    if not is_lazy(mine):
        if mine.dim() == 0 and given.shape == (1,):  # checkpoints of PyTorch 0.3 have no tensors of no dims
            given = given[0]
        if given.shape != mine.shape:
            errors.append(f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                          f"current model is {mine.shape}.")
            return
        if mine.is_meta and not given.is_meta and not assign:
            warnings.warn(f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                          "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary "
                          "to their corresponding key in the module instead of copying them in place?)", stacklevel=4)
    swaps = __future__.get_swap_module_params_on_conversion() and not is_lazy(mine)
    try:
        with no_grad():
            if swaps:
                swap(mine, _loaded(mine, given, assign))
            elif assign:
                setattr(module, name, _in_place_of(mine, given))
            else:
                _karat.copy_why(mine, given, "loading")
    except Exception as e:
        errors.append(f'While {"swapping" if swaps else "copying"} the parameter named "{key}", whose dimensions in the model '
                      f"are {mine.size()} and whose dimensions in the checkpoint are {given.size()}, an exception occurred : "
                      f"{e.args}.")


def _in_place_of(mine, given):
    """The tensor of a state dict as a module gets it that assigns instead of copying."""
    if _karat.has_pinned_dtype(mine):
        given = given.to(mine.dtype).detach()
    if isinstance(given, Parameter) and isinstance(mine, Parameter):
        given.requires_grad_(mine.requires_grad)
    elif isinstance(mine, Parameter):
        given = Parameter(given, requires_grad=mine.requires_grad)
    return set_state(given, pin_of(mine))


def _loaded(mine, given, assign):
    """What takes the place of a tensor that loads by being swapped: its class, or that of `given`, may say."""
    made = mine.module_load(given, assign=assign)
    if made is mine or made is given:
        raise RuntimeError("module_load returned one of self or other, please .detach() the result if returning one of the "
                           "inputs in module_load")
    return made


def swap(mine, made):
    """`mine`, an object that others know, becomes the tensor `made`; a parameter stays one, and a pinned dtype pinned."""
    if isinstance(mine, Parameter) and not isinstance(made, Parameter):
        made = Parameter(made, requires_grad=mine.requires_grad)
    elif isinstance(mine, Parameter):
        made.requires_grad_(mine.requires_grad)
    swap_tensors(mine, set_state(made, pin_of(mine)))
