"""graphed.py - functions and modules whose work, forward and back, is captured once and replayed: make_graphed_callables."""

from .. import _karat, autograd, empty_like


def _all(tensors):
    return all(isinstance(t, _karat.Tensor) for t in tensors)


class _Recorded:
    """One callable: its work on a sample, as one graph forward and one back, over memory that stays where it is."""

    def __init__(self, kind, call, sample, options):
        from ..nn import Module
        from ..utils import _pytree

        self.kind, self.call, self.unused = kind, call, options["allow_unused_input"]
        self.flatten, self.unflatten = _pytree.tree_flatten, _pytree.tree_unflatten
        self.inputs = self.flatten(sample)[0]
        if not _all(self.inputs):
            raise AssertionError("In the beta API, sample_args for each callable must contain only Tensors. Other types are not "
                                 "allowed.")
        self.sample, self.parameters = sample, ()
        if isinstance(call, Module):
            self._check(call)
            self.parameters = tuple(call.parameters())
        self.read = (*self.inputs, *self.parameters)
        self.wanted = [t for t in self.read if t.requires_grad]

    @staticmethod
    def _check(module):
        if module._backward_hooks or module._forward_hooks or module._forward_pre_hooks:
            raise AssertionError("Modules must not have hooks registered at the time they are passed. However, registering hooks "
                                 "on modules after passing them through make_graphed_callables is allowed.")
        if any(b.requires_grad for b in module.buffers()):
            raise AssertionError("In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters "
                                 "may be trainable. All buffers must have ``requires_grad=False``.")

    def _back(self, outputs, flowing):
        """What flows back to the inputs that want it; nothing where no result has a gradient."""
        results = [o for o in outputs if o.requires_grad]
        return autograd.grad(results, self.wanted, flowing, allow_unused=self.unused) if results and self.wanted else ()

    def warm_up(self, times):
        for _ in range(times):
            outputs = self.flatten(self.call(*self.sample))[0]
            self._back(outputs, [empty_like(o) for o in outputs if o.requires_grad])

    def record(self, pool):
        self.forward_graph = self.kind.CUDAGraph()
        with self.kind.graph(self.forward_graph, pool=pool):
            outputs = self.call(*self.sample)
        self.outputs, self.shape = self.flatten(outputs)

    def record_back(self, pool):
        self.flowing = [empty_like(o) if o.requires_grad else None for o in self.outputs]
        given = [f for f in self.flowing if f is not None]
        self.backward_graph, made = None, ()
        if given and self.wanted:
            self.backward_graph = self.kind.CUDAGraph()
            with self.kind.graph(self.backward_graph, pool=pool):
                made = self._back(self.outputs, given)
        made = iter(made)
        self.gradients = [next(made, None) if t.requires_grad else None for t in self.read]

    def function(self):
        """The callable that replays."""
        recorded = self

        class Graphed(autograd.Function):
            @staticmethod
            def forward(ctx, *inputs):
                for place, given in zip(recorded.inputs, inputs):
                    if place.data_ptr() != given.data_ptr():
                        place.detach().copy_(given)
                recorded.forward_graph.replay()
                return tuple(o.detach() for o in recorded.outputs)

            @staticmethod
            @autograd.function.once_differentiable
            def backward(ctx, *grads):
                for place, given in zip(recorded.flowing, grads):
                    if place is not None and place.data_ptr() != given.data_ptr():
                        place.copy_(given)
                if recorded.backward_graph:
                    recorded.backward_graph.replay()
                return tuple(g if g is None else g.detach() for g in recorded.gradients)

        def replayed(*args):
            given = recorded.flatten(args)[0]
            return recorded.unflatten(Graphed.apply(*given, *recorded.parameters), recorded.shape)

        return replayed

    def installed(self):
        """A function is replaced; a module stays, and replays while it is in the mode (training or not) of the capture."""
        from ..nn import Module

        replayed = self.function()
        if not isinstance(self.call, Module):
            return replayed
        module, mode, plain = self.call, self.call.training, self.call.forward
        module.forward = lambda *args: replayed(*args) if module.training == mode else plain(*args)
        return module


def _caches_casts(name):
    from ..amp import state

    return state.is_autocast_enabled(name) and state.is_autocast_cache_enabled()


def make(kind, callables, sample_args, num_warmup_iters, pool, **options):
    several = isinstance(callables, tuple)
    if not several:
        callables, sample_args = (callables,), (sample_args,)
    if len(sample_args) != len(callables):
        raise AssertionError(f"Expected sample_args to have {len(callables)} entries, got {len(sample_args)}")
    if _caches_casts(kind._name):
        raise RuntimeError("make_graphed_callables does not support the autocast caching. Please set `cache_enabled=False`.")
    made = [_Recorded(kind, call, sample, options) for call, sample in zip(callables, sample_args)]
    kind.synchronize()
    try:
        with kind.stream(kind.Stream()):
            for one in made:
                one.warm_up(num_warmup_iters)
    finally:  # a callable that raised leaves work behind, which reads the samples
        kind.synchronize()
    for one in made:  # in the order in which they will run, then back
        one.record(pool)
    for one in reversed(made):
        one.record_back(pool)
    graphed = tuple(one.installed() for one in made)
    return graphed if several else graphed[0]
