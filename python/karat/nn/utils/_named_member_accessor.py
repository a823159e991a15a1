"""karat.nn.utils._named_member_accessor: a module's tensors, replaced by name whatever they are registered as."""

from ..._karat import Tensor

_MISSING = object()


def _tables(module):
    return vars(module).get("_parameters", {}), vars(module).get("_buffers", {})


def set_tensor(module, name, tensor):
    """The module's tensor of this name is `tensor` from now on; it stays a parameter, or a buffer."""
    swap_tensor(module, name, tensor, allow_missing=True)


def swap_tensor(module, name, tensor, allow_missing=False):
    """Replaces the module's tensor of this name, and returns what it was."""
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if name == "":
        raise KeyError('tensor name can\'t be empty string ""')
    table = next((one for one in _tables(module) if name in one), None)
    before = table[name] if table is not None else getattr(module, name, _MISSING)
    if before is _MISSING and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is _MISSING:
        del (vars(module) if table is None else table)[name]
    else:
        (vars(module) if table is None else table)[name] = tensor
    return before


class NamedMemberAccessor:
    """The members of a module by their paths: layer.0.weight."""

    def __init__(self, module):
        self.module = module

    def get_submodule(self, name):
        return self.module.get_submodule(name)

    def _owner(self, path):
        owner, _, name = path.rpartition(".")
        return self.get_submodule(owner), name

    def get_tensor(self, name):
        owner, last = self._owner(name)
        return getattr(owner, last)

    def swap_tensor(self, name, value, *, allow_missing=False):
        owner, last = self._owner(name)
        return swap_tensor(owner, last, value, allow_missing=allow_missing)

    def set_tensor(self, name, value):
        self.swap_tensor(name, value, allow_missing=True)

    def swap_tensors_dict(self, named_tensors, allow_missing=False):
        """Replaces all of a dict: (what they were, the names that were not there)."""
        before = {name: self.swap_tensor(name, t, allow_missing=allow_missing) for name, t in named_tensors.items()}
        return before, [name for name, t in before.items() if t is _MISSING]
