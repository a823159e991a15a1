"""autograd.py - the derivative of an operator whose kernels are Python functions. It stands above them in the operator's row:
where a gradient is wanted the call becomes an autograd.Function, whose forward calls the operator again, below."""

from .. import _karat
from ..autograd.function import Function
from ..utils import _pytree

_Tensor = _karat.Tensor


def requires_grad(values):
    """Does a tensor among these, or in a list of them, require grad?"""
    for one in values:
        if isinstance(one, _Tensor):
            if one.requires_grad:
                return True
        elif isinstance(one, (list, tuple)) and requires_grad(one):
            return True
    return False


def _is_list(value):
    return isinstance(value, (list, tuple)) and any(isinstance(one, _Tensor) for one in value)


class _Shape:
    """How arguments or results were grouped before they were made one flat sequence: None, or the number of tensors of a list."""

    __slots__ = ("lists",)

    def __init__(self, values):
        self.lists = [len(one) if _is_list(one) else None for one in values]

    def flat(self, values):
        """The elements of lists in their places."""
        if not any(n is not None for n in self.lists):
            return list(values)
        flat = []
        for one, n in zip(values, self.lists):
            flat.extend([one] if n is None else one)
        return flat

    def grouped(self, flat):
        """The way back."""
        grouped, at = [], 0
        for n in self.lists:
            grouped.append(flat[at] if n is None else list(flat[at:at + n]))
            at += 1 if n is None else n
        return grouped


class _Call:
    """What forward and backward of one call share, beside the tensors."""

    __slots__ = ("inputs", "kwargs", "outputs", "kind")

    def __init__(self, args, kwargs):
        self.inputs, self.kwargs = _Shape(args), kwargs
        self.outputs = self.kind = None


class Derivative:
    """Called in place of the kernels, with all arguments of the operator. `backward` None: a call is recorded, and its backward
    fails."""

    def __init__(self, overload, backward, setup_context):
        self._overload, self._backward, self._setup = overload, backward, setup_context
        self._function = None

    def run_below(self, args, kwargs):
        """The operator's kernels."""
        mode = _karat.open_below()
        try:
            return self._overload._op(*args, **kwargs)
        finally:
            _karat.close_below(mode)

    def __call__(self, *args, **kwargs):
        if not (_karat.is_grad_enabled() and (requires_grad(args) or requires_grad(kwargs.values()))):
            return self.run_below(args, kwargs)
        if self._function is None:
            self._function = self._make()
        call = _Call(args, kwargs)
        answer = self._function.apply(*call.inputs.flat(args), call)
        if call.kind is None:
            return answer
        return call.kind(call.outputs.grouped(answer if isinstance(answer, tuple) else (answer,)))

    # ---- the Function ----

    def _make(self):
        overload = self._overload
        name = f"GeneratedBackwardFor_{overload.namespace}_{overload._overloadpacket.__name__}_{overload._overloadname}"
        return type(name, (Function,), {"forward": staticmethod(self._run_forward), "backward": staticmethod(self._run_backward)})

    def _run_forward(self, ctx, *flat):
        call = flat[-1]
        args = tuple(call.inputs.grouped(flat[:-1]))
        result = self.run_below(args, call.kwargs)
        ctx.needs_input_grad = tuple(call.inputs.grouped(ctx.needs_input_grad[:-1]))
        if self._setup is not None:
            if call.kwargs:
                self._setup(ctx=ctx, inputs=args, keyword_only_inputs=call.kwargs, output=result)
            else:
                self._setup(ctx=ctx, inputs=args, output=result)
        ctx._karat_call = call
        if isinstance(result, (list, tuple)):
            call.kind, call.outputs = type(result), _Shape(result)
            return tuple(call.outputs.flat(result))
        return result

    def _run_backward(self, ctx, *grads):
        if self._backward is None:
            raise RuntimeError(f"Trying to backward through {self._overload} but no autograd formula was registered. Please use "
                               f"register_autograd to add one.")
        call = ctx._karat_call
        grads = grads if call.outputs is None else call.outputs.grouped(grads)
        answer = self._backward(ctx, list(grads)) if call.kind is list else self._backward(ctx, *grads)
        answer = answer if isinstance(answer, tuple) else (answer,)
        if any(n is not None for n in call.inputs.lists):
            answer = self._flat_gradients(call.inputs, answer)
        return (*answer, None)

    def _flat_gradients(self, inputs, answer):
        def fits(one, n):
            return n is None or one is None or isinstance(one, (list, tuple)) and len(one) == n

        if len(answer) != len(inputs.lists) or not all(fits(*pair) for pair in zip(answer, inputs.lists)):
            given = [_pytree.tree_structure(one) for one in answer]
            wanted = [_pytree.tree_structure(None if n is None else [None] * n) for n in inputs.lists]
            both = [_pytree.treespec_tuple([*specs, _pytree.treespec_leaf()]) for specs in (given, wanted)]
            raise RuntimeError(f"Expected the return from backward to be of the same structure as the inputs. Got: {both[0]} "
                               f"(return from backward), {both[1]} (inputs)")
        flat = []
        for one, n in zip(answer, inputs.lists):
            flat.extend([one] if n is None else [None] * n if one is None else one)
        return flat
