"""karat.nn.utils.stateless: a call of a module with other parameters and buffers in the place of its own."""

import warnings
from contextlib import contextmanager

from ..._karat import Tensor
from ..modules.module import Module

__all__ = ["functional_call"]


def _all_tensors(module):
    """Every name of a parameter or buffer, tied ones too."""
    return {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}


def _under_all_names(module, parameters_and_buffers):
    """The tensors by name, with those under which a module knows the same tensor too."""
    names = {}
    for name, tensor in _all_tensors(module).items():
        names.setdefault(tensor, set()).add(name)
    made = dict(parameters_and_buffers)
    for tied in names.values():
        given = [name for name in sorted(tied) if name in parameters_and_buffers]
        values = {id(parameters_and_buffers[name]) for name in given}
        if len(values) > 1:
            raise ValueError(f"functional_call got multiple values for keys {given}, which are tied. Consider using "
                             "tie_weights=False")
        if given:
            made.update(dict.fromkeys(tied, parameters_and_buffers[given[0]]))
    return made


_absent = object()


def _owner_of(module, path):
    """The module that has the tensor of this name, and what it calls it."""
    path, _, name = path.rpartition(".")
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for part in path.split(".") if path else ():
        if not hasattr(module, part):
            raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
        module = getattr(module, part)
        if not isinstance(module, Module):
            raise TypeError(f"submodule `{part}`: {module} is not an instance of torch.nn.Module")
    return module, name


def _exchange(owner, name, value):
    """The owner's tensor of this name, which is `value` from now on: in its table, else as any attribute."""
    for table in (owner._parameters, owner._buffers):
        if name in table:
            before = table[name]
            if value is _absent:
                del table[name]
            else:
                table[name] = value
            return before
    before = getattr(owner, name, _absent)
    if value is not _absent:
        setattr(owner, name, value)
    elif before is not _absent:
        delattr(owner, name)
    return before


def _check_replaced(owner, name):
    before = getattr(owner, name, None)
    if before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")


@contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False):
    """Within it the module has the given tensors."""
    tensors = _under_all_names(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    if strict:
        known = _all_tensors(module).keys()
        lines = [f"{kind} key(s): {', '.join(map(repr, sorted(keys)))}."
                 for kind, keys in (("Unexpected", tensors.keys() - known), ("Missing", known - tensors.keys())) if keys]
        if lines:
            raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(lines))
    swapped = []
    try:
        for path, tensor in tensors.items():
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(f"{tensor} is not an instance of torch.Tensor")
            owner, name = _owner_of(module, path)
            _check_replaced(owner, name)
            swapped.append((path, owner, name, _exchange(owner, name, tensor)))
        yield
    finally:
        for path, owner, name, before in reversed(swapped):
            now = _exchange(owner, name, before)
            if path in parameters_and_buffers and now is not _absent:
                parameters_and_buffers[path] = now  # a buffer may have been assigned anew


def _functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """module(*args, **kwargs), with tensors by name in the place of its parameters and buffers."""
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """torch.func.functional_call's old name."""
    warnings.warn("`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
                  "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
                  FutureWarning, stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
