"""karat._C._functorch: what libraries ask about tensors inside of torch.func's transforms."""

from .. import _karat, _missing


def is_batchedtensor(tensor):
    """Is it one example of the innermost vmap, or of one around it?"""
    return isinstance(tensor, _karat.Tensor) and _karat.batch_facts(tensor) is not None


def is_legacy_batchedtensor(tensor):
    """False: there is one vmap."""
    return False


def is_gradtrackingtensor(tensor):
    """False: torch.func.grad records on the same tape as backward, and wraps nothing."""
    return False


def is_functorch_wrapped_tensor(tensor):
    """Is it wrapped by a transform? vmap alone wraps."""
    return is_batchedtensor(tensor)


def get_unwrapped(tensor):
    """The tensor with all examples of which the innermost vmap shows one."""
    facts = _karat.batch_facts(tensor)
    return tensor if facts is None else facts[2]


def maybe_get_bdim(tensor):
    """The dim of the examples; -1: it is none of a vmap's."""
    facts = _karat.batch_facts(tensor)
    return -1 if facts is None else facts[1]


def maybe_get_level(tensor):
    """The level of the vmap that it belongs to; -1: none."""
    facts = _karat.batch_facts(tensor)
    return -1 if facts is None else facts[0]


def _add_batch_dim(tensor, dim, level):
    """The tensor as one example of the vmap that is open: its dim `dim` counts them."""
    return _karat.batch_in(tensor, dim)


def _remove_batch_dim(tensor, level, batch_size, out_dim):
    """All examples, counted by the dim out_dim."""
    return _karat.batch_out(tensor, out_dim)


__getattr__ = _missing.of(__name__)
