"""karat.utils.module_tracker: ModuleTracker, which knows the modules whose call, or whose part of backward, runs."""

import weakref

from .._karat import Tensor, is_grad_enabled
from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from ._pytree import tree_flatten
from .weak import WeakIdKeyDictionary

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """with ModuleTracker() as tracker: tracker.parents holds the paths of the modules that run ("Global" always), tracker.is_bw
    whether backward does."""

    def __init__(self):
        self.parents = {"Global"}
        self.is_bw = False
        self._names = WeakIdKeyDictionary(ref_type=weakref.ref)
        self._seen = WeakIdKeyDictionary(ref_type=weakref.ref)

    def _name_of(self, module):
        """The path of a module that is called: its class, if it is no child of one that was called before."""
        path = self._names.setdefault(module, type(module).__name__)
        if self._seen.setdefault(module, self) is self:
            self._seen[module] = None
            self._names.update((child, f"{path}.{part}") for part, child in module.named_children())
        return path

    def _in_backward(self, value, act):
        """act(), when the gradient of a tensor of the value arrives."""
        if is_grad_enabled():
            for t in tree_flatten(value)[0]:
                if isinstance(t, Tensor) and t.requires_grad:
                    if t.grad_fn is None:
                        t.register_hook(lambda grad: act())
                    else:
                        t.grad_fn.register_prehook(lambda grads: act())
                    return

    def _enter(self, name, is_bw):
        if is_bw:
            self.is_bw = True
        self.parents.add(name)

    def _leave(self, name):
        self.parents.discard(name)

    def _before(self, module, inputs):
        if self.is_bw:  # backward is over
            self.is_bw, self.parents = False, {"Global"}
        name = self._name_of(module)
        self._enter(name, False)
        self._in_backward(inputs, lambda: self._leave(name))

    def _after(self, module, inputs, output):
        name = self._name_of(module)
        self._leave(name)
        self._in_backward(output, lambda: self._enter(name, True))

    def __enter__(self):
        self._handles = (register_module_forward_pre_hook(self._before),
                         register_module_forward_hook(self._after, always_call=True))
        return self

    def __exit__(self, *error):
        for handle in self._handles:
            handle.remove()
