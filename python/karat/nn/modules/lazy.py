"""karat.nn.modules.lazy: layers that learn the sizes of their parameters from their first input."""

from itertools import chain

from ...modes import no_grad
from ..parameter import is_lazy
from ._state import own_state
from .module import Module

__all__ = ["LazyModuleMixin"]


def unsized(module):
    """A module's own parameters and buffers that have no sizes yet, by name."""
    return {name: tensor for name, tensor in chain(module._parameters.items(), module._buffers.items()) if is_lazy(tensor)}


class LazyModuleMixin(Module.__base__):  # Module's own base: an object may only become one of a class laid out alike
    """Before Module among the bases: the parameters are uninitialized until the first call gives initialize_parameters the input;
    the object then becomes one of cls_to_become."""

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, tensor in own_state(self):
            destination[prefix + name] = tensor if keep_vars or is_lazy(tensor) else tensor.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        """Uninitialized tensors take the sizes of those that are loaded."""
        given = {name: state_dict.get(prefix + name) for name in unsized(self)}
        with no_grad():
            for name, value in given.items():
                if value is not None and not is_lazy(value):
                    getattr(self, name).materialize(value.shape)

    def initialize_parameters(self, *args, **kwargs):
        """Gives the parameters their sizes; the arguments are those of the call."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {self.__class__.__name__}")

    def has_uninitialized_params(self):
        """Is a parameter or buffer of this module without a size?"""
        return len(unsized(self)) > 0

    def _infer_parameters(self, module, args, kwargs=None):
        """The hook of the first call."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        for handle in ("_initialize_hook", "_load_hook"):
            module.__dict__.pop(handle).remove()
        module.__class__ = module.cls_to_become or type(module)

    def _replicate_for_data_parallel(self):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward pass to "
                           "correctly initialize the modules")
