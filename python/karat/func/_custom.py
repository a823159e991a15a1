"""karat.autograd.Function inside transforms: the call is recorded as any is, of tensors that show one example; forward is then
done for all of them by the class's own rule, or by one that is made of its methods (generate_vmap_rule)."""

import collections
import threading

from .. import _karat
from .._karat import Tensor
from ..utils import _pytree

VmapInfo = collections.namedtuple("VmapInfo", ["batch_size", "randomness"])
_MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
_around = threading.local()  # .modes: did outer graphs record the call, did forward mode follow it?


def _deepest(args):
    """The tensor of the innermost level among the arguments; None: there is none."""
    found, depth = None, 0
    for one in args:
        facts = _karat.batch_facts(one) if isinstance(one, Tensor) else None
        if facts and facts[0] >= depth:
            found, depth = one, facts[0]
    return found


def _rule_of(cls):
    from ..autograd.function import Function

    own = cls.vmap is not Function.vmap
    if own and cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and an overridden "
                           "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to "
                           f"avoid ambiguity. {_MORE}")
    if not own and not cls.generate_vmap_rule:
        raise RuntimeError(f"You tried to vmap over {cls.__name__}, but it does not have vmap support. Please override and "
                           f"implement the vmap staticmethod or set generate_vmap_rule=True. {_MORE}")
    return cls.vmap if own else lambda info, in_dims, *args: _generated(cls, info, in_dims, args)


def apply(cls, plainly, args, kwargs):
    """cls.apply(*args, **kwargs) while a transform runs; `plainly` is what it would be outside."""
    from ..autograd.function import _SingleLevelFunction

    if cls.setup_context is _SingleLevelFunction.setup_context:
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it "
                           f"must override the setup_context staticmethod. {_MORE}")
    shown = _deepest(args)
    if shown is None:
        return plainly(*args, **kwargs)
    rule = _rule_of(cls)
    batched = cls.__dict__.get("_of_examples")
    if batched is None:
        batched = type(cls.__name__, (cls,), {"forward": staticmethod(lambda *own: _forward(cls, rule, own))})
        cls._of_examples = batched
    before = getattr(_around, "modes", None)
    _around.modes = _modes()
    try:
        return super(_SingleLevelFunction, batched).apply(*args)
    finally:
        _around.modes = before


def _modes():
    return _karat.is_grad_enabled(), _karat.is_forward_enabled()


def _set_modes(modes):
    _karat.set_grad(modes[0])
    _karat.set_forward_enabled(modes[1])


def _forward(cls, rule, args):
    """forward of all examples: it runs outside of their level, where outer graphs record it."""
    shown = _deepest(args)
    level, dim, value = _karat.batch_facts(shown)
    facts = [_karat.batch_facts(one) if isinstance(one, Tensor) else None for one in args]
    here = [fact is not None and fact[0] == level for fact in facts]
    in_dims = tuple(fact[1] if own else None for fact, own in zip(facts, here))
    values = tuple(fact[2] if own else one for fact, own, one in zip(facts, here, args))
    info = VmapInfo(value.size(dim), ("error", "different", "same")[_karat.batch_randomness(shown)])
    modes = _modes()
    _set_modes(_around.modes)
    try:
        answer = _karat.batch_outside(shown, rule, (info, in_dims) + values)
    finally:
        _set_modes(modes)
    given = [(value, dim, one) for value, dim, one in zip(values, in_dims, args) if dim is not None]
    return placed(answer, shown, given)


def placed(answer, like, given=()):
    """What a vmap rule gave, (output, out_dims), as examples of the level that `like` shows. A value that it was given (value,
    dim, the examples) and gives back is the same examples: those that were written to in place."""
    if not (isinstance(answer, tuple) and len(answer) == 2):
        got = f"{len(answer)} returns" if isinstance(answer, tuple) else f"a {type(answer)}"
        raise RuntimeError("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
                           f"compatible with the output. Got {got} instead")
    output, out_dims = answer
    leaves, spec = _pytree.tree_flatten(output)
    dims = _pytree._broadcast_to_and_flatten(out_dims, spec)
    if dims is None:
        raise RuntimeError("The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. "
                           f"Expected out_dims={out_dims} to be compatible with the structure of `output`. out_dims has "
                           f"structure "
                           f"{_pytree.tree_structure(out_dims)} but output has structure {spec}. {_MORE}")
    return _pytree.tree_unflatten([_shown(one, dim, like, given) for one, dim in zip(leaves, dims)], spec)


def _shown(one, dim, like, given):
    if dim is None or not isinstance(one, Tensor):
        return one
    for value, own_dim, examples in given:
        if value is one and own_dim == dim:
            return examples
    return _karat.batch_in_as(one, dim, like)


class _Context:
    """What setup_context and backward of one example get: attributes and saved tensors, without a node."""

    def __init__(self, needs=(), saved=()):
        self.needs_input_grad, self.saved_tensors, self._ahead = needs, saved, ()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def save_for_forward(self, *tensors):
        self._ahead = tensors

    def mark_non_differentiable(self, *tensors):
        self._constant = tensors

    def mark_dirty(self, *tensors):
        # the rule returns all examples of what was written: another tensor than the input, which PyTorch refuses, too
        raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. The inputs that "
                           "are modified inplace must all be outputs of the Function.")

    def set_materialize_grads(self, value):
        self._materialize = value


def _inside(one, dim):
    return _karat.batch_in(one, dim) if dim is not None else one


def _outside(one):
    """(the value of one example's tensor with the examples in dim 0, 0), or (what it is, None)."""
    if isinstance(one, Tensor) and _karat.is_batched_here(one):
        return _karat.batch_out(one, 0), 0
    return one, None


def _own_context(ctx, values, dims):
    """What setup_context of one example left, of the context that has it for all."""
    own = _Context(ctx.needs_input_grad, tuple(_inside(one, dim) for one, dim in zip(values, dims)))
    for name, (value, dim) in ctx._kept.items():
        setattr(own, name, _inside(value, dim))
    return own


def _generated(cls, info, in_dims, args):
    """The rule that is made of cls's methods: each is run for all examples."""
    from ..autograd.function import Function

    randomness = ("error", "different", "same").index(info.randomness)

    class Level:
        def __enter__(self):
            _karat.batch_begin(info.batch_size, randomness)

        def __exit__(self, *_error):
            _karat.batch_end()

    class Generated(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(*values):
            with Level():
                made = cls.forward(*[_inside(one, dim) for one, dim in zip(values, in_dims)])
                several = made if isinstance(made, tuple) else (made,)
                out = tuple(_karat.batch_out(one, 0) if isinstance(one, Tensor) else one for one in several)
            return out if isinstance(made, tuple) else out[0]

        @staticmethod
        def setup_context(ctx, inputs, output):
            several = output if isinstance(output, tuple) else (output,)
            with Level():
                own = _Context(ctx.needs_input_grad)
                shown = tuple(_inside(one, 0 if isinstance(one, Tensor) else None) for one in several)
                cls.setup_context(own, tuple(_inside(one, dim) for one, dim in zip(inputs, in_dims)),
                                  shown if isinstance(output, tuple) else shown[0])
                saved, ahead = [_outside(one) for one in own.saved_tensors], [_outside(one) for one in own._ahead]
                ctx._dims, ctx._dims_ahead = [dim for _, dim in saved], [dim for _, dim in ahead]
                ctx._kept = {name: _outside(value) for name, value in vars(own).items()
                             if name not in ("needs_input_grad", "saved_tensors", "_ahead", "_constant", "_materialize")}
                constant = [i for i, one in enumerate(shown) if any(one is other for other in getattr(own, "_constant", ()))]
            ctx.save_for_backward(*[value for value, _ in saved])
            ctx.save_for_forward(*[value for value, _ in ahead])
            ctx.mark_non_differentiable(*[several[i] for i in constant])
            if hasattr(own, "_materialize"):
                ctx.set_materialize_grads(own._materialize)

        @staticmethod
        def backward(ctx, *grads):
            values = ctx.saved_tensors
            with Level():
                own = _own_context(ctx, values, ctx._dims)
                made = cls.backward(own, *[_inside(g, 0 if isinstance(g, Tensor) else None) for g in grads])
                several = made if isinstance(made, tuple) else (made,)
                return tuple(None if g is None else _fitted(g, dim) for g, dim in zip(several, in_dims))

        @staticmethod
        def jvp(ctx, *tangents):
            values = ctx.saved_tensors
            with Level():
                own = _own_context(ctx, values, ctx._dims_ahead)
                made = cls.jvp(own, *[_inside(t, dim if isinstance(t, Tensor) else None) for t, dim in zip(tangents, in_dims)])
                several = made if isinstance(made, tuple) else (made,)
                out = tuple(_karat.batch_out(t, 0) if isinstance(t, Tensor) else t for t in several)
            return out if isinstance(made, tuple) else out[0]

    return Generated.apply(*args), 0


def _fitted(g, dim):
    """The gradient of an argument: with the examples where it has them, their sum where it has none."""
    return _karat.batch_out(g, 0).sum(0) if dim is None else _karat.batch_out(g, dim)
