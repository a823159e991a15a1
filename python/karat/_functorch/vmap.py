"""karat._functorch.vmap: the steps of a vmap by PyTorch's names. Libraries replace STEPS, so that their containers of tensors go
through vmap; torch.func.vmap runs the steps that stand here (func/_vmap.py)."""

from .. import _refused
from .._C._functorch import _add_batch_dim, _remove_batch_dim  # noqa: F401
from .._karat import Tensor
from ..func import _vmap
from ..func._vmap import name_of as _get_name
from ..utils._pytree import _broadcast_to_and_flatten, tree_flatten, tree_unflatten  # noqa: F401


def _process_batched_inputs(in_dims, args, func):
    """(how many examples, the dim of each leaf that counts them, the leaves, how they are nested)."""
    leaves, dims, spec = _vmap._flat_dims(in_dims, args, func)
    return _vmap._batch_size(dims, leaves), dims, leaves, spec


def _create_batched_inputs(flat_in_dims, flat_args, vmap_level, args_spec):
    """The arguments as the function sees them: one example of each leaf that has a dim."""
    inside = [one if dim is None else _add_batch_dim(one, dim, vmap_level) for one, dim in zip(flat_args, flat_in_dims)]
    return tree_unflatten(inside, args_spec)


def _unwrap_batched(batched_outputs, out_dims, vmap_level, batch_size, func):
    """The results with all examples."""
    flat, spec = tree_flatten(batched_outputs)
    dims = _vmap._flat_out_dims(out_dims, batched_outputs, spec, func)
    return tree_unflatten([_vmap._taken_out(one, dim, func) for one, dim in zip(flat, dims)], spec)


def _maybe_remove_batch_dim(name, batched_output, vmap_level, batch_size, out_dim):
    """One result of the function of this name with all examples; out_dim None: it is the same for all."""
    if out_dim is not None and isinstance(batched_output, Tensor):
        return _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)

    def called():
        return None

    called.__name__ = name
    return _vmap._taken_out(batched_output, out_dim, called)


STEPS = (_process_batched_inputs, _create_batched_inputs, _unwrap_batched)
__getattr__ = _refused.names_of(__name__)
