"""karat.func: functions that differentiate functions forward. jvp calls the function with dual tensors of a level of its own;
linearize calls it once and keeps the graph of its derivative."""

from .. import _karat
from .._karat import Tensor
from ..autograd import forward_ad as _forward
from ..utils import _pytree
from ._grad import _Transform

_zeros_like = _karat.functions["zeros_like"]
_ones_like = _karat.functions["ones_like"]
_open = 0  # jvps that run


def _check_tensors(leaves, where, what):
    for one in leaves:
        if not isinstance(one, Tensor):
            raise RuntimeError(f"{where}: Expected {what} to only contain Tensors, got {type(one)}")
    if not leaves:
        raise RuntimeError(f"{where}: Expected {what} to contain at least one Tensor.")


class _Level:
    """The outermost jvp is forward_ad's level, which has one; those inside it have others."""

    def __init__(self, given):
        self._given = given

    def __enter__(self):
        global _open
        self._own = _open == 0
        level = _forward.enter_dual_level() if self._own else _karat.enter_dual_level()
        _karat.transform_enter(self._given)
        self._before = _karat.is_forward_enabled() or _karat.is_inference_mode_enabled()
        _karat.set_forward_enabled(True)
        _open += 1
        self._level = level
        return level

    def __exit__(self, *error):
        global _open
        _karat.transform_leave()
        _open -= 1
        _karat.set_forward_enabled(self._before)
        if self._own:
            _forward.exit_dual_level(level=self._level)
        else:
            _karat.exit_dual_level(self._level)


def _results(output, level, strict, where):
    """(the function's results, their tangents), nested as they are."""
    leaves, spec = _pytree.tree_flatten(output)
    if leaves == [None] or not leaves:
        raise RuntimeError(f"{where}: Expected f to be a function that has non-empty output (got output = {leaves})")
    primals, tangents = [], []
    for one in leaves:
        if not isinstance(one, Tensor):
            raise RuntimeError(f"{where}: expected f(*primals) to return only tensors, got unsupported type {type(one)}")
        primal, tangent = _karat.unpack_dual(one, level)
        if tangent is None and strict:
            raise RuntimeError("jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is "
                               "not allowed with strict=True.")
        primals.append(primal)
        tangents.append(_zeros_like(primal) if tangent is None else tangent)
    return _pytree.tree_unflatten(primals, spec), _pytree.tree_unflatten(tangents, spec)


def _without(aux, level):
    def one(t):
        if not isinstance(t, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(t)}")
        return _karat.unpack_dual(t, level)[0]

    return _pytree.tree_map(one, aux)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """(func(*primals), the Jacobian of func at the primals times the tangents); with has_aux what func gave beside.

    >>> karat.func.jvp(karat.sin, (karat.zeros(2),), (karat.ones(2),))
    (tensor([0., 0.]), tensor([1., 1.]))"""
    where = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{where}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    given, spec = _pytree.tree_flatten(primals)
    along, other = _pytree.tree_flatten(tangents)
    if spec != other:
        raise RuntimeError(f"{where}: Expected primals and tangents to have the same python structure. For example, if primals "
                           f"is a tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with "
                           f"structure {other}")
    _check_tensors(given, where, "primals")
    _check_tensors(along, where, "tangents")
    with _Level(given) as level:
        dual = [_forward.make_dual(x, t, level=level) for x, t in zip(given, along)]
        output = func(*_pytree.tree_unflatten(dual, spec))
        if not has_aux:
            return _results(output, level, strict, where)
        if not (isinstance(output, tuple) and len(output) == 2):
            raise RuntimeError(f"{where}: output of function f should be a tuple: (output, aux) if has_aux is True")
        return *_results(output[0], level, strict, where), _without(output[1], level)


def _own(t):
    """A tensor on the same memory that wants a gradient."""
    sloped = isinstance(t, Tensor) and (t.is_floating_point() or t.is_complex())
    return _karat.grad_alias(t) if sloped else t


def _check_along(along, given):
    for i, (t, x) in enumerate(zip(along, given)):
        for what, its, wanted in (("shape", t.shape, x.shape), ("dtype", t.dtype, x.dtype)):
            if its != wanted:
                raise RuntimeError(f"tangent:{i} with {what} {its} in flattened pytree doesn't match the {what} {wanted} of the "
                                   "corresponding primal.")


def linearize(func, *primals):
    """(func(*primals), a function of tangents that gives the Jacobian at the primals times them). func is called once: u -> u J
    is recorded, and its derivative along the tangents is taken.

    >>> value, product = karat.func.linearize(karat.sin, karat.zeros(2))
    >>> product(karat.ones(2))
    tensor([1., 1.])"""
    given, spec = _pytree.tree_flatten(primals)
    with _Transform(given) as watched:
        own = [_own(x) for x in given]
        output = func(*_pytree.tree_unflatten(own, spec))
        results, out_spec = _pytree.tree_flatten(output)
        reached = [i for i, out in enumerate(results) if isinstance(out, Tensor) and out.requires_grad]
        inputs = [i for i, x in enumerate(own) if isinstance(x, Tensor) and x.requires_grad]
        left = [_karat.grad_alias(_ones_like(_karat.grad_constant(results[i]))) for i in reached]
        moving = [own[i] for i in inputs]
        rows = _karat.gradients([results[i] for i in reached], moving, left, True, True, True) if reached else []
        beyond = watched and _karat.depends_beyond(tuple(results[i] for i in reached), tuple(moving))

    def product(*tangents):
        along, other = _pytree.tree_flatten(tangents)
        if other != spec:
            raise RuntimeError(f"Expected the tangents {other} to have the same argspec as the primals {spec}")
        _check_along(along, given)
        moved = [(row, along[i]) for row, i in zip(rows, inputs) if row is not None and row.requires_grad]
        found = [None] * len(left)
        if moved:
            goes_on = _karat.is_grad_enabled() and (beyond or any(_karat.depends_beyond((t,), ()) for _, t in moved))
            found = _karat.gradients([row for row, _ in moved], left, [t for _, t in moved], True, goes_on, True)
        of = dict(zip(reached, found))
        return _pytree.tree_unflatten([_zeros_like(out) if isinstance(out, Tensor) and of.get(i) is None else of.get(i)
                                       for i, out in enumerate(shown)], out_spec)

    shown = results if beyond else [_karat.grad_constant(out) if isinstance(out, Tensor) else out for out in results]
    return _pytree.tree_unflatten(shown, out_spec), product
