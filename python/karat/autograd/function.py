"""karat.autograd.function: operations of the user's own, with their derivatives. The work is done in C (python/engine/custom.c);
here are the classes."""

import functools
import inspect
import warnings

from .. import _karat, _missing
from .._karat import Tensor
from ..modes import no_grad

_FunctionBase = _karat._FunctionBase


class FunctionCtx:
    """What forward leaves for backward: ctx.save_for_backward(*tensors), ctx.saved_tensors, ctx.needs_input_grad,
    ctx.mark_dirty(*tensors), ctx.mark_non_differentiable(*tensors), ctx.set_materialize_grads(value), and any attribute."""

    def mark_shared_storage(self, *pairs):
        warnings.warn("`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that "
                      "calls to `set_()` are not tracked", FutureWarning, stacklevel=2)


class _HookMixin:
    pass


class BackwardCFunction(_FunctionBase, FunctionCtx, _HookMixin):
    """The node of a Function's call, which is its ctx, too."""

    def apply(self, *args):
        """Calls the derivative that the user wrote."""
        by_either_name = Function.backward  # what both are until a class has its own
        written = self._forward_cls
        if written.vjp is by_either_name:
            return written.backward(self, *args)
        if written.backward is by_either_name:
            return written.vjp(self, *args)
        raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                           "implement one of them.")

    def apply_jvp(self, *args):
        return self._forward_cls.jvp(self, *args)

    def maybe_clear_saved_tensors(self):
        """Frees nothing: saved_tensors does, where the class has clear_saved_tensors_on_access."""

    @property
    def saved_variables(self):
        """The older name of saved_tensors."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors


class _ReadOnce(BackwardCFunction):
    """The node of a Function with clear_saved_tensors_on_access: what is saved is given away."""

    @property
    def saved_tensors(self):
        if self.__dict__.get("_was_read"):
            raise RuntimeError("saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                               "autograd.Function. Either access saved_tensors only once, or set "
                               "clear_saved_tensors_on_access=False.")
        found = super().saved_tensors
        self._forget_saved()
        self._was_read = len(found) > 0
        return found


class FunctionMeta(type):
    """Makes the class of a Function's nodes, MyFunctionBackward."""

    def __init__(cls, name, bases, attributes):
        base = _ReadOnce if getattr(cls, "clear_saved_tensors_on_access", False) else BackwardCFunction
        cls._backward_cls = type(name + "Backward", (base,), {"_forward_cls": cls,
                                                              "__module__": f"{_missing.shown}.autograd.function"})
        super().__init__(name, bases, attributes)


class _SingleLevelFunction(_FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    @staticmethod
    def forward(*args, **kwargs):
        """forward(ctx, *args), or forward(*args) together with setup_context: runs without being recorded."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Fills ctx after forward(*args), which then does not get it."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The gradients of forward's arguments, one for each, of those of its results; None where there is none."""
        raise NotImplementedError("You must implement either the backward or vjp method for your custom autograd.Function to use "
                                  "it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """The tangents of forward's results, of those of its arguments."""
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use it with forward mode "
                                  "AD.")


class Function(_SingleLevelFunction):
    """An operation with a derivative of the user's: subclass it with static methods forward and backward, call apply()."""

    def __init__(self, *args, **kwargs):
        warnings.warn(f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you "
                      "should invoke them on the class itself. Instantiating an autograd function will raise an error in a "
                      "future version of PyTorch.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
                           "function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    generate_vmap_rule = False
    clear_saved_tensors_on_access = False  # True: ctx.saved_tensors can be read once, and is freed then

    @staticmethod
    def vmap(info, in_dims, *args):
        """The results of a batch of arguments, and at which dim they are."""
        raise NotImplementedError("To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
                                  "generate_vmap_rule=True.")

    @classmethod
    def apply(cls, *args, **kwargs):
        if cls.setup_context is not _SingleLevelFunction.setup_context:
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        if _karat.in_transform():
            from ..func._custom import apply

            return apply(cls, super().apply, args, kwargs)
        return super().apply(*args, **kwargs)


_karat.set_function_base(_SingleLevelFunction.setup_context)


class _Once(Function):
    """Hands its arguments on; their derivatives cannot be differentiated again."""

    @staticmethod
    def forward(ctx, *tensors):
        return tuple(t.detach() if isinstance(t, Tensor) else t for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(fn):
    """For backward: what it calculates is not recorded, and a second derivative through it is refused."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        with no_grad():
            outputs = fn(ctx, *args)
        if not _karat.is_grad_enabled() or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        wanted = [o.detach().requires_grad_() if isinstance(o, Tensor) else o for o in several]
        refused = _Once.apply(*wanted)
        return refused if isinstance(outputs, tuple) else refused[0]

    return wrapper


class InplaceFunction(Function):
    """Legacy name: a Function that may work in place."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace
