"""vmap.py - vmap of an operator by a rule of the user's own (register_vmap), which runs it for all examples at once."""

import functools

from .. import _karat

_Tensor = _karat.Tensor


def _mapped(function, value):
    """A function of the elements of lists and tuples, and of what is none."""
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(function, one) for one in value)
    return function(value)


def _facts(value):
    return _karat.batch_facts(value) if isinstance(value, _Tensor) else None


def _innermost(args):
    """The tensor of the innermost level among these; None: none shows an example."""
    found, depth = None, 0

    def look(value):
        nonlocal found, depth
        facts = _facts(value)
        if facts and facts[0] > depth:
            found, depth = value, facts[0]

    _mapped(look, args)
    return found


def _check_outside(value, level):
    """A rule sees neither the graph of a grad nor the tangents of a jvp inside the vmap: their results would lack it."""
    facts = _facts(value)
    if not facts or facts[0] != level:
        return
    if value.requires_grad and not facts[2].requires_grad and _karat.is_grad_enabled():
        raise RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it "
                           "must override the setup_context staticmethod. For more details, please see "
                           "https://pytorch.org/docs/main/notes/extending.func.html")
    if _karat.is_dual(value) and not _karat.is_dual(facts[2]):
        raise NotImplementedError("vmap: there is no forward mode of an operator with a rule of register_vmap inside vmap")


def call(rule, args, kwargs):
    """rule(info, in_dims, *args, **kwargs) outside of the innermost level; NotImplemented: no argument shows an example."""
    from ..func._custom import VmapInfo, placed

    shown = _innermost(args)
    if shown is None:
        return NotImplemented
    level, at, whole = _karat.batch_facts(shown)
    _mapped(lambda value: _check_outside(value, level), args)

    def here(value):
        facts = _facts(value)
        return facts if facts and facts[0] == level else (None, None, value)

    info = VmapInfo(whole.size(at), ("error", "different", "same")[_karat.batch_randomness(shown)])
    in_dims = _mapped(lambda value: here(value)[1], args)
    answer = _karat.batch_outside(shown, functools.partial(rule, **kwargs),
                                  (info, in_dims, *_mapped(lambda value: here(value)[2], args)))
    return placed(answer, shown)
