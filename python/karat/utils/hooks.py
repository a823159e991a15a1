"""torch.utils.hooks: handles that remove hooks, and the hooks on the gradients of a module's inputs and outputs."""

import warnings
import weakref
from collections import OrderedDict

from .. import _C, _karat

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks", "BackwardHook"]


class RemovableHandle:
    """Takes one hook out of its table. Tables are held weakly: a handle keeps no module alive."""

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, (list, tuple)) else [extra_dict]
        self.extra_dict_ref = tuple(weakref.ref(one) for one in extra)

    def remove(self):
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            table = reference()
            if table is not None:
                table.pop(self.id, None)

    def __getstate__(self):
        table, *more = (reference() for reference in (self.hooks_dict_ref, *self.extra_dict_ref))
        return (table, self.id, tuple(more)) if more else (table, self.id)

    def __setstate__(self, state):
        def held(table):
            return weakref.ref(OrderedDict() if table is None else table)

        self.hooks_dict_ref = held(state[0])
        self.id = state[1]
        self.extra_dict_ref = tuple(held(table) for table in (state[2] if len(state) > 2 else ()))
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def unserializable_hook(f):
    """Marks a hook that saving leaves out, which warn_if_has_hooks says."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor):
    hooks = (getattr(tensor, "_backward_hooks", None) or {}).values()
    for lost in [one for one in hooks if not hasattr(one, "__torch_unserializable__")]:
        warnings.warn(f"backward hook {lost!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                      "function with @torch.utils.hooks.unserializable_hook to suppress this warning", stacklevel=2)


class BackwardHook:
    """The full backward hooks of one call of a module.

    An identity function stands before the module's inputs and another after its outputs. What flows through the node of the
    second is the gradient of the outputs, through that of the first the gradient of the inputs."""

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs = None
        self.n_outputs = -1
        self.output_tensors_index = None
        self.n_inputs = -1
        self.input_tensors_index = None

    @staticmethod
    def _spread(indices, values, n):
        """A tuple of n with the values at the indices, None elsewhere."""
        return tuple(map(dict(zip(indices, values)).get, range(n)))

    @staticmethod
    def _checked(given, had, what):
        """A hook's result, which must be as many gradients as there were; None changes nothing."""
        if given is None:
            return had
        if len(given) != len(had):
            hook, grads = what
            raise RuntimeError(f"{hook} hook returned an invalid number of {grads}, got {len(given)}, but expected {len(had)}")
        return tuple(given)

    def _through_identity(self, values):
        """The tensors among `values` pass through one node. Returns (that node or None, the values, where tensors stood)."""
        where = [i for i, value in enumerate(values) if isinstance(value, _C.Tensor)]
        node, new = _karat.through_identity(tuple(values[i] for i in where))
        if node is None:
            return None, values, None
        result = list(values)
        for i, t in zip(where, new):
            result[i] = t
        return node, type(values)(*result) if hasattr(values, "_fields") else tuple(result), where

    def setup_input_hook(self, args):
        node, result, where = self._through_identity(args)
        self.n_inputs, self.input_tensors_index = len(args), where
        if node is None:
            return args

        def hook(grad_input, _):
            if self.grad_outputs is None:  # no gradient came to the outputs: nothing to tell
                return None
            grads = self._spread(self.input_tensors_index, grad_input, self.n_inputs)
            for user in self.user_hooks:
                grads = self._checked(user(self.module, grads, self.grad_outputs), grads, ("Backward", "grad_input"))
            self.grad_outputs = None
            return tuple(grads[i] for i in self.input_tensors_index)

        node.register_hook(hook)
        return result

    def setup_output_hook(self, args):
        is_tuple = isinstance(args, tuple)
        node, result, where = self._through_identity(args if is_tuple else (args,))
        if node is None:
            return args
        self.n_outputs, self.output_tensors_index = len(result), where

        def hook(grad_output):
            self.grad_outputs = self._spread(self.output_tensors_index, grad_output, self.n_outputs)
            for user in self.user_pre_hooks:
                self.grad_outputs = self._checked(user(self.module, self.grad_outputs), self.grad_outputs,
                                                  ("Backward pre", "grad_output"))
            changed = self.grad_outputs
            if self.input_tensors_index is None:
                self._tell_without_inputs()
            return tuple(changed[i] for i in self.output_tensors_index) if self.user_pre_hooks else None

        node.register_prehook(hook)
        return result if is_tuple else result[0]

    def _tell_without_inputs(self):
        """The inputs need no gradient: the hooks run when the outputs' gradient is there, with None for the inputs'."""
        warnings.warn("Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
                      "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#"
                      "torch.nn.Module.register_full_backward_hook for more details.", stacklevel=5)
        for user in self.user_hooks:
            given = user(self.module, self._spread([], [], self.n_inputs), self.grad_outputs)
            if given is not None and not (isinstance(given, tuple) and all(one is None for one in given)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None or None "
                                   "for all gradients.")
        self.grad_outputs = None
