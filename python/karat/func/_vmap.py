"""karat.func.vmap: a function of one example, run for all of them at once. Levels and batched tensors are the engine's
(src/batch); here are the arguments: which dims count examples, how results are nested, and PyTorch's messages about both."""

import functools
import sys

from .. import _karat, random
from .._karat import Tensor
from ..utils import _pytree

_RANDOMNESS = {"error": 0, "different": 1, "same": 2}
_begin, _end, _in, _out = _karat.batch_begin, _karat.batch_end, _karat.batch_in, _karat.batch_out
_is_here = _karat.is_batched_here


def name_of(func):
    """What messages call it; of a partial, around the name of the innermost function."""
    partials = 0
    while isinstance(func, functools.partial) and not hasattr(func, "__name__"):
        func, partials = func.func, partials + 1
    return "functools.partial(" * partials + (getattr(func, "__name__", None) or repr(func)) + ", ...)" * partials


def _check_randomness(randomness):
    if randomness not in _RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def _flat_dims(in_dims, args, func):
    """The leaves of the arguments, the dim of each that counts examples, and how they are nested."""
    def refusal(why):
        return ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): {why}")

    if not isinstance(in_dims, (int, tuple)):
        raise refusal("expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: "
                      f"{type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                         "vmap over a function with no inputs. The latter is unsupported.")
    leaves, spec = _pytree.tree_flatten(args)
    dims = _pytree._broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise refusal("in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                      f"{_pytree.tree_flatten(in_dims)[1]} but inputs has structure {spec}.")
    for i, (one, dim) in enumerate(zip(leaves, dims)):
        if dim is None:
            continue
        if not isinstance(dim, int):
            raise refusal(f"Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(one, Tensor):
            raise refusal(f"Got in_dim={dim} for an input but the input is of type {type(one)}. We cannot vmap over non-Tensor "
                          "arguments, please use None as the respective in_dim")
        rank = one.dim()
        if not -rank <= dim < rank:
            raise refusal(f"Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} so expected "
                          f"in_dim to satisfy -{rank} <= in_dim < {rank}.")
        dims[i] = dim % rank
    return leaves, dims, spec


def _batch_size(dims, leaves):
    sizes = [one.size(dim) for one, dim in zip(leaves, dims) if dim is not None]
    if len({*sizes}) == 1:
        return sizes[0]
    raise ValueError("vmap: Expected at least one Tensor to vmap over" if not sizes else
                     f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
                     "mapped dimension")


def _flat_out_dims(out_dims, outputs, spec, func):
    """The dim of each leaf of the results. What is one for all of a nest is so for a single tensor, too."""
    if not isinstance(outputs, Tensor):
        flat = _pytree._broadcast_to_and_flatten(out_dims, spec)
    elif isinstance(out_dims, tuple):
        flat = list(out_dims) if len(out_dims) == 1 else None
    else:
        flat = [out_dims] if isinstance(out_dims, int | None) else None
    if flat is not None:
        return flat
    raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
                     f"of `outputs`. out_dims has structure {_pytree.tree_flatten(out_dims)[1]} but outputs has structure "
                     f"{spec}.")


def _check_out_dims(out_dims, func):
    leaves = [out_dims] if isinstance(out_dims, int) else _pytree.tree_leaves(out_dims)
    if any(not isinstance(one, int | None) for one in leaves):
        raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                         "collection of ints representing where in the outputs the vmapped dimension should appear.")


def _taken_out(one, dim, func):
    """A leaf of the results with its examples at the dim; None: it is the same for all."""
    tensor = isinstance(one, Tensor)
    if tensor and dim is not None:
        return _out(one, dim)
    if dim is None and not (tensor and _is_here(one)):
        return one
    why = ("can not return a BatchedTensor when out_dim is None" if tensor else
           f"must only return Tensors, got type {type(one)}. Did you mean to set out_dims= to None for output?")
    raise ValueError(f"vmap({name_of(func)}, ...): `{name_of(func)}` {why}")


def _run_flat(func, size, leaves, dims, spec, out_dims, randomness, kwargs):
    """The results' leaves, how they are nested, and the dim of each that counts examples."""
    _begin(size, _RANDOMNESS[randomness])
    try:
        inside = [one if dim is None else _in(one, dim) for one, dim in zip(leaves, dims)]
        outputs = func(*_pytree._unflatten(iter(inside), spec), **kwargs)
        if isinstance(outputs, Tensor) and type(out_dims) is int:
            return [_out(outputs, out_dims)], _pytree._LEAF, [out_dims]
        flat, out_spec = _pytree.tree_flatten(outputs)
        flat_out_dims = _flat_out_dims(out_dims, outputs, out_spec, func)
        return [_taken_out(one, dim, func) for one, dim in zip(flat, flat_out_dims)], out_spec, flat_out_dims
    finally:
        _end()


def _run_chunked(func, size, leaves, dims, spec, out_dims, randomness, kwargs, chunk):
    """Some examples at a time; their results are put together."""
    pieces, narrow, cat = [], _karat.functions["narrow"], _karat.functions["cat"]
    for start in range(0, size, chunk):
        n = min(chunk, size - start)
        part = [one if dim is None else narrow(one, dim, start, n) for one, dim in zip(leaves, dims)]
        draws_again = randomness == "same" and start + n < size
        with random.fork_rng(enabled=draws_again):
            pieces.append(_run_flat(func, n, part, dims, spec, out_dims, randomness, kwargs))
    _, out_spec, flat_out_dims = pieces[0]
    each = zip(*(piece[0] for piece in pieces))
    return [parts[0] if dim is None else cat(parts, dim) for parts, dim in zip(each, flat_out_dims)], out_spec


def _replaced():
    """The three steps that a library put in place of ours (_functorch/vmap.py); None: it is not even loaded, or they are ours."""
    here = sys.modules.get(f"{__package__.rpartition('.')[0]}._functorch.vmap")
    if here is None:
        return None
    steps = here._process_batched_inputs, here._create_batched_inputs, here._unwrap_batched
    return None if steps == here.STEPS else steps


def _run_replaced(steps, func, in_dims, out_dims, randomness, args, kwargs):
    """All examples at once: how containers are cut into chunks is not asked."""
    process, create, unwrap = steps
    size, dims, leaves, spec = process(in_dims, args, func)
    _begin(size, _RANDOMNESS[randomness])
    try:
        level = _karat.batch_depth()
        outputs = func(*create(dims, leaves, level, spec), **kwargs)
        return unwrap(outputs, out_dims, level, size, func)
    finally:
        _end()


def run(func, in_dims, out_dims, randomness, chunk_size, args, kwargs):
    _check_out_dims(out_dims, func)
    steps = _replaced()
    if steps:
        return _run_replaced(steps, func, in_dims, out_dims, randomness, args, kwargs)
    leaves, dims, spec = _flat_dims(in_dims, args, func)
    size = _batch_size(dims, leaves)
    if chunk_size is not None and chunk_size < size:
        flat, out_spec = _run_chunked(func, size, leaves, dims, spec, out_dims, randomness, kwargs, chunk_size)
    else:
        flat, out_spec, _ = _run_flat(func, size, leaves, dims, spec, out_dims, randomness, kwargs)
    return _pytree._unflatten(iter(flat), out_spec)


def debug_unwrap(tensor, *, recurse=True):
    """The tensor with all examples of which vmap shows one; recurse: of all levels."""
    if not isinstance(tensor, _karat.Tensor):
        return tensor
    facts = _karat.batch_facts(tensor)
    while facts:
        tensor = facts[2]
        facts = _karat.batch_facts(tensor) if recurse else None
    return tensor


def functionalize(func, *, remove="mutations"):
    """The function itself. PyTorch's gives a compiler no writes in place; nothing is compiled here, and results are the same."""
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options "
                           f"are:\n     remove='mutations': all inplace and out= operators will be removed from the program, and "
                           f"replaced with their out-of-place equivalents.\n     remove='mutations_and_views': In addition to "
                           f"the "
                           f"above, all aliasing operators {{view}} will be replaced with their non-aliasing counterparts, "
                           f"{{view}}_copy.\n")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        return func(*args, **kwargs)

    return wrapped


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None): func of every example at once.

    >>> karat.func.vmap(karat.dot)(karat.ones(3, 5), karat.ones(3, 5))
    tensor([5., 5., 5.])

    in_dims and out_dims say which dim of each argument and result counts examples; None: it is the same for all. randomness says
    whether random functions may be called, and if they draw for every example or once. chunk_size: as many at a time."""
    _check_randomness(randomness)
    if chunk_size is not None and not chunk_size > 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    each = functools.partial(run, func, in_dims, out_dims, randomness, chunk_size)

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        return each(args, kwargs)

    return wrapped
