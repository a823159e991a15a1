"""karat.func: Jacobians column by column, from forward mode, all columns at once; and second derivatives."""

import functools

from ..utils import _pytree
from ._grad import _check_argnums, _check_real, _chosen, _replaced, _unit_vectors, _with_examples, jacrev
from ._jvp import jvp
from ._vmap import _check_randomness
from ._vmap import run as _vmapped


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that gives the Jacobian of func, of sizes output + input, column by column from forward mode, all at once.

    >>> karat.func.jacfwd(karat.sin)(karat.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])"""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        _check_randomness(randomness)
        _check_real(args, "jacfwd", "inputs")
        _check_argnums(argnums, len(args))
        inputs, in_spec = _pytree.tree_flatten(_chosen(args, argnums))
        beside = {}

        def of_leaves(*own):
            return func(*_replaced(args, _pytree._unflatten(iter(own), in_spec), argnums), **kwargs)

        def column(*tangents):
            given = jvp(of_leaves, tuple(inputs), tangents, has_aux=has_aux)
            leaves, beside["spec"] = _pytree.tree_flatten(given[1])
            _check_real(leaves, "jacfwd", "outputs")
            if has_aux:
                beside["aux"] = given[2]
            return tuple(leaves)

        found = _vmapped(column, 0, 0, randomness, None, _unit_vectors(inputs), {})
        jacobian = _pytree._unflatten(iter([_pytree._unflatten(iter(_blocks(columns, inputs)), in_spec) for columns in found]),
                                      beside["spec"])
        return (jacobian, beside["aux"]) if has_aux else jacobian

    return wrapper


def _blocks(columns, inputs):
    """Columns [elements of all inputs, output...] as one Jacobian [output..., input...] for each input."""
    start, blocks = 0, []
    for x in inputs:
        part = columns.narrow(0, start, x.numel()).movedim(0, -1)
        blocks.append(_with_examples(part.reshape(tuple(part.shape[:-1]) + tuple(x.shape)), x))
        start += x.numel()
    return blocks


def hessian(func, argnums=0):
    """A function that gives the second derivatives of func, whose result has one element: of sizes input + input."""
    return jacfwd(jacrev(func, argnums), argnums)
