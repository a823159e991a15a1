"""karat.func: functions that differentiate functions backward. Each calls the function with inputs of its own that want a
gradient (_karat.grad_alias) and asks the engine for it; if a graph beyond these inputs goes on, the gradients are recorded."""

import functools

from .. import _karat
from .._karat import Tensor
from ..utils import _pytree
from ._vmap import run as _vmapped

_zeros_like = _karat.functions["zeros_like"]
_gradients = _karat.gradients


def _own(tree):
    """The same nest, of tensors that want a gradient."""
    def one(t):
        if not isinstance(t, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")
        return _karat.grad_alias(t)

    return _pytree.tree_map(one, tree)


def _check_argnums(argnums, n):
    if type(argnums) is int:
        if not -n <= argnums < n:
            raise RuntimeError(f"Got argnum={argnums}, but only {n} positional inputs")
        return
    if type(argnums) is not tuple:
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError("argnums must be non-empty")
    for one in argnums:
        if type(one) is not int:
            raise RuntimeError(f"argnums elements must be int, got {type(one)}")
        if not -n <= one < n:
            raise RuntimeError(f"Got argnum={one}, but only {n} positional inputs")
    if len(set(one % n for one in argnums)) != len(argnums):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")


def _chosen(args, argnums):
    return args[argnums] if type(argnums) is int else tuple(args[i] for i in argnums)


def _replaced(args, chosen, argnums):
    args = list(args)
    for i, one in zip((argnums,) if type(argnums) is int else argnums, (chosen,) if type(argnums) is int else chosen):
        args[i] = one
    return args


def _constant(tree):
    """Results for a caller whose graph they are not part of: without what this transform recorded, of their values too."""
    return _pytree.tree_map(lambda t: _karat.grad_constant(t) if isinstance(t, Tensor) else t, tree)


def _filled(grads, like):
    return [_zeros_like(t) if g is None else g for g, t in zip(grads, like)]


def _slopes(outputs, inputs, given, create):
    """Gradients of the outputs that have a graph; zeros where there is none."""
    reached = [i for i, out in enumerate(outputs) if out.requires_grad]
    if not reached:
        return [_zeros_like(t) for t in inputs]
    return _filled(_gradients([outputs[i] for i in reached], inputs, [given[i] for i in reached], True, create, True), inputs)


class _Transform:
    """While the user's function runs: it is recorded, may not make leaves of its own, and writes in place only to what it was
    given or has made."""

    def __init__(self, *given):
        self.given = _pytree.tree_leaves(given)

    def __enter__(self):
        self.mode = _karat.is_grad_enabled()
        _karat.transform_enter(self.given)
        _karat.set_grad(True)
        return self.mode

    def __exit__(self, *_error):
        _karat.transform_leave()
        _karat.set_grad(self.mode)


def _with_aux(output, has_aux, where):
    if not has_aux:
        return output, None
    if not (isinstance(output, tuple) and len(output) == 2):
        raise RuntimeError(f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True")
    return output


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives the gradient of func, and its value."""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        _check_argnums(argnums, len(args))
        with _Transform(args, kwargs) as watched:
            own = _own(_chosen(args, argnums))
            called = func(*_replaced(args, own, argnums), **kwargs)
            output, aux = _with_aux(called, has_aux, "grad_and_value(f)(*args)")
            if not isinstance(output, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(output)}")
            if output.dim() != 0:
                raise RuntimeError("grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                                   f"{output.dim()} dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
            inputs, spec = _pytree.tree_flatten(own)
            goes_on = watched and _karat.depends_beyond((output,), tuple(inputs))
            slopes = [_with_examples(g, output) for g in _slopes((output,), inputs, (None,), goes_on)]
            found = _pytree._unflatten(iter(slopes), spec)
        if not goes_on:
            output, aux = _constant(output), _constant(aux)
        return (found, (output, aux)) if has_aux else (found, output)

    return wrapper


def grad(func, argnums=0, has_aux=False):
    """grad(func, argnums=0, has_aux=False): a function that gives the gradient of func, whose result has one element.

    >>> karat.func.grad(lambda x: x ** 3)(karat.tensor(2.0))
    tensor(12.)"""
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def _check_outputs(tree, where):
    leaves, spec = _pytree.tree_flatten(tree)
    for one in leaves:
        if not isinstance(one, Tensor):
            raise RuntimeError(f"{where}: expected f(*primals) to return only tensors, got unsupported type {type(one)}")
        if not (one.is_floating_point() or one.is_complex()):
            raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                               f"{one.dtype}")
    return leaves, spec


def _check_real(tree, where, what):
    for i, one in enumerate(_pytree.tree_leaves(tree)):
        if isinstance(one, Tensor) and one.is_complex():
            raise RuntimeError(f"{where}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}")


class _Vjp:
    """What vjp returns: the products of a vector with the Jacobian at the primals."""

    def __init__(self, outputs, spec, inputs, input_spec, beyond):
        self._outputs, self._spec, self._inputs, self._input_spec, self._beyond = outputs, spec, inputs, input_spec, beyond

    def __call__(self, *cotangents, retain_graph=True, create_graph=None):
        watched = _karat.is_grad_enabled() if create_graph is None else create_graph
        if len(cotangents) == 1:
            cotangents = cotangents[0]
        given, spec = _pytree.tree_flatten(cotangents)
        if spec != self._spec:
            raise RuntimeError(f"Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                               f"function. cotangents: {_pytree.treespec_pprint(spec)}, primal output: "
                               f"{_pytree.treespec_pprint(self._spec)}")
        create = watched and (self._beyond or any(_karat.depends_beyond((g,), ()) for g in given))
        found = _slopes(self._outputs, self._inputs, given, create)
        return _pytree._unflatten(iter(found), self._input_spec)


def vjp(func, *primals, has_aux=False):
    """(func(*primals), a function of a vector v that gives v times the Jacobian); with has_aux what func gave beside."""
    with _Transform(primals) as watched:
        own = _own(primals)
        output, aux = _with_aux(func(*own), has_aux, "vjp(f, *primals)")
        outputs, spec = _check_outputs(output, "vjp(f, *primals)")
        inputs, input_spec = _pytree.tree_flatten(own)
        beyond = watched and _karat.depends_beyond(tuple(outputs), tuple(inputs))
    products = _Vjp(outputs, spec, inputs, input_spec, beyond)
    results = output if beyond else _constant(output)
    return (results, products, aux if beyond else _constant(aux)) if has_aux else (results, products)


def _levels(t):
    levels, facts = set(), _karat.batch_facts(t)
    while facts is not None:
        levels.add(facts[0])
        facts = _karat.batch_facts(facts[2])
    return levels


def _with_examples(t, like):
    """t, with examples of every vmap that `like` has some of: PyTorch begins with vectors that have them."""
    return t if _levels(like) <= _levels(t) else like.new_zeros(t.shape, dtype=t.dtype).copy_(t)


def _unit_vectors(like):
    """One row for each element of all these tensors together: 1 there, else 0; cut by tensor."""
    rows = sum(t.numel() for t in like)
    eye, parts, start = _karat.functions["eye"], [], 0
    for t in like:
        whole = eye(rows, dtype=t.dtype, device=t.device)
        parts.append(whole.narrow(1, start, t.numel()).reshape((rows,) + tuple(t.shape)))
        start += t.numel()
    return parts


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """A function that gives the Jacobian of func, of sizes output + input, row by row from backward passes, all at once."""
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        _check_real(args, "jacrev", "inputs")
        _check_argnums(argnums, len(args))
        chosen = _chosen(args, argnums)

        def of_chosen(*own):
            return func(*_replaced(args, own[0] if type(argnums) is int else own, argnums), **kwargs)

        given = vjp(of_chosen, *((chosen,) if type(argnums) is int else chosen), has_aux=has_aux)
        output, products = given[0], given[1]
        outputs, out_spec = _pytree.tree_flatten(output)
        for one in outputs:
            if not isinstance(one, Tensor):
                raise RuntimeError(f"jacrev: Expected f(*args) to return only tensors, got unsupported type {type(one)}")
        _check_real(outputs, "jacrev", "outputs")
        inputs, in_spec = _pytree.tree_flatten(chosen)
        cotangents = _unit_vectors(outputs)

        def rows(*v):
            return tuple(_pytree.tree_leaves(products(_pytree._unflatten(iter(v), out_spec))))

        if any(one.numel() for one in outputs):
            found = _vmapped(rows, 0, 0, "error", chunk_size, cotangents, {})
        else:  # there is no row to go back from
            found = [x.new_zeros((0, *x.shape)) for x in inputs]
        blocks, start = [], 0
        for out in outputs:
            blocks.append(_pytree._unflatten(
                iter([_with_examples(j.narrow(0, start, out.numel()).reshape(tuple(out.shape) + tuple(x.shape)), out)
                      for j, x in zip(found, inputs)]), in_spec))
            start += out.numel()
        jacobian = _pytree._unflatten(iter(blocks), out_spec)
        return (jacobian, given[2]) if has_aux else jacobian

    return wrapper
