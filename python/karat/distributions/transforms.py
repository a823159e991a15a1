"""karat.distributions.transforms: invertible maps with their log-Jacobians, alone, composed, and applied to parts of a tensor.

A transform of this file is a row in its class statement: the formulas of y and x and of log |dy/dx|, the rules for shapes, the
arguments it is made of, and what makes two of them equal; Transform derives the rest. Users' transforms have _call, _inverse and
log_abs_det_jacobian as methods instead, which is what the formulas become.

A transform with cache_size=1 remembers its last pair (x, y): inv(y) gives that x again, exactly, and backward goes one way.
"""

import itertools
import math
import operator
import weakref
from functools import cache, partial, reduce

import karat
from karat import Size, Tensor
from karat.distributions import constraints
from karat.distributions.utils import broadcast_all, lazy_property, summed_over_last, tril_matrix_to_vec, vec_to_tril_matrix
from karat.nn.functional import logsigmoid, pad, softplus

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
           "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
           "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftplusTransform",
           "TanhTransform", "SoftmaxTransform", "StackTransform", "StickBreakingTransform", "Transform", "identity_transform"]


def _same(a, b):
    result = a == b
    return bool(result.all()) if isinstance(result, Tensor) else result


class Transform:
    """A map from domain to codomain; subclasses have _call, and _inverse and log_abs_det_jacobian where it is bijective."""

    bijective = False
    _made_of = None  # a class with a constructor of its own, and the attributes that are its arguments
    _equal_in = None  # a class whose transforms are equal if they are so in these attributes

    def __init_subclass__(cls, forward=None, inverse=None, log_slope=None, made_of=None, equal_in=None, **other):
        super().__init_subclass__(**other)
        row = {"_call": forward, "_inverse": inverse, "log_abs_det_jacobian": log_slope,
               "_made_of": made_of and (cls, made_of), "_equal_in": None if equal_in is None else (cls, equal_in)}
        for name, given in row.items():
            if given is not None:
                setattr(cls, name, given)

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv = None  # a weak reference
        if cache_size:
            self._cached_x_y = None, None
        super().__init__()

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self):
        before, after = self.domain.event_dim, self.codomain.event_dim
        if before != after:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return before

    @property
    def inv(self):
        """The inverse; t.inv.inv is t."""
        inverse = self._inv and self._inv()
        return self._paired_with(self._inverted()) if inverse is None else inverse

    def _inverted(self):
        return _InverseTransform(self)

    def _paired_with(self, inverse):
        self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self):
        """1 or -1: does a map of numbers rise or fall?"""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        if cache_size == self._cache_size:
            return self
        cls, arguments = self._made_of or (type(self), ())
        if not arguments and type(self).__init__ is not Transform.__init__:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        return cls(*[getattr(self, name) for name in arguments], cache_size=cache_size)

    def __eq__(self, other):
        if self._equal_in is None:
            return self is other
        cls, names = self._equal_in
        return isinstance(other, cls) and all(_same(getattr(self, name), getattr(other, name)) for name in names)

    def __call__(self, x):
        if not self._cache_size:
            return self._call(x)
        pair = self._cached_x_y
        if pair[0] is not x:
            pair = self._cached_x_y = x, self._call(x)
        return pair[1]

    def _inv_call(self, y):
        if not self._cache_size:
            return self._inverse(y)
        pair = self._cached_x_y
        if pair[1] is not y:
            pair = self._cached_x_y = self._inverse(y), y
        return pair[0]

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """log |dy/dx| of a pair x, y = t(x)."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}()"

    def forward_shape(self, shape):
        """The shape of t(x)."""
        return shape

    def inverse_shape(self, shape):
        """The shape of t.inv(y)."""
        return shape


def _spaces(of, **stated):
    """The properties domain and codomain: of(self, name)."""
    return [constraints.dependent_property(lambda self, name=name: of(self, name), **stated) for name in ("domain", "codomain")]


def _with_event(shape, dims, rule):
    """The shape with its last dims, those of an event, changed by a rule."""
    batch = len(shape) - dims
    if batch < 0:
        raise ValueError("Too few dimensions on input")
    return shape[:batch] + rule(shape[batch:])


def _through(transforms, x):
    """x through one transform after the other."""
    for transform in transforms:
        x = transform(x)
    return x


def _back_through(transform):
    """The inverse as a function, without an object that nobody keeps where the class has no inverse of its own."""
    return transform._inv_call if type(transform).inv is Transform.inv else transform.inv


def _path_back(transforms, y):
    """What goes into the first of transforms so that y comes out of the last, what comes out of each, and y."""
    path = [y]
    for transform in reversed(transforms):
        path.append(_back_through(transform)(path[-1]))
    return path[::-1]


def _shape_back(transforms, shape):
    """The shape of what goes into the first of transforms so that the shape comes out of the last."""
    return reduce(lambda after, transform: transform.inverse_shape(after), reversed(transforms), shape)


def _sign_of_all(transforms):
    return math.prod(transform.sign for transform in transforms)


class _InverseTransform(Transform, equal_in=("_inv",)):
    """The inverse of a transform, which keeps the cache."""

    domain = constraints.dependent_property(operator.attrgetter("_inv.codomain"), is_discrete=False)
    codomain = constraints.dependent_property(operator.attrgetter("_inv.domain"), is_discrete=False)
    bijective = property(operator.attrgetter("_inv.bijective"))
    sign = property(operator.attrgetter("_inv.sign"))
    inv = property(operator.attrgetter("_inv"))

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return dict(self.__dict__)  # _inv is no weak reference here

    def with_cache(self, cache_size=1):
        return self._inv.with_cache(cache_size).inv

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


# ---- composed transforms ----

def _event_dims(parts):
    """How many dims an event has before and after parts in a row, the fewest with which each part has enough; and how many more
    than it takes each part has."""
    gained, missing = 0, []
    for part in parts:
        taken, given = part.domain.event_dim, part.codomain.event_dim
        missing.append(taken - gained)
        gained += given - taken
    before = max(missing, default=0)
    return before, before + gained, [before - some for some in missing]


def _widened(constraint, event_dim):
    """The constraint for events of at least so many dims."""
    missing = event_dim - constraint.event_dim
    return constraints.independent(constraint, missing) if missing > 0 else constraint


def _log_slope_along(parts, path, spare_dims):
    """The log-Jacobian of parts in a row. path: what goes into the first, and what comes out of each; spare_dims: how many dims
    of the event each part takes for dims of the batch."""
    terms = [summed_over_last(part.log_abs_det_jacobian(x, y), dims)
             for part, x, y, dims in zip(parts, path, path[1:], spare_dims)]
    return reduce(operator.add, terms) if terms else 0.0


class ComposeTransform(Transform, made_of=("parts",), equal_in=("parts",)):
    """The transforms of a list, one after the other."""

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return _widened(self.parts[0].domain, _event_dims(self.parts)[0]) if self.parts else constraints.real

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return _widened(self.parts[-1].codomain, _event_dims(self.parts)[1]) if self.parts else constraints.real

    @lazy_property
    def bijective(self):
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        return _sign_of_all(self.parts)

    def _inverted(self):
        inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
        inverse._paired_with(self)
        return inverse

    def __call__(self, x):
        return _through(self.parts, x)

    def _inv_call(self, y):
        return _path_back(self.parts, y)[0]

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return karat.zeros_like(x)
        path = [*itertools.accumulate(self.parts[:-1], lambda value, part: part(value), initial=x), y]
        return _log_slope_along(self.parts, path, _event_dims(self.parts)[2])

    def forward_shape(self, shape):
        return reduce(lambda before, part: part.forward_shape(before), self.parts, shape)

    def inverse_shape(self, shape):
        return _shape_back(self.parts, shape)

    def __repr__(self):
        inside = ",\n    ".join(map(repr, self.parts))
        return f"{type(self).__name__}(\n    {inside}\n)"


identity_transform = ComposeTransform([])


def _with_dims(x, dims):
    if x.dim() < dims:
        raise ValueError("Too few dimensions on input")
    return x


class IndependentTransform(
        Transform, made_of=("base_transform", "reinterpreted_batch_ndims"),
        forward=lambda self, x: self.base_transform(_with_dims(x, self.domain.event_dim)),
        inverse=lambda self, y: _back_through(self.base_transform)(_with_dims(y, self.codomain.event_dim)),
        log_slope=lambda self, x, y: summed_over_last(
            self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)):
    """A transform whose last dims of the batch belong to the event: the log-Jacobian is summed over them."""

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    domain, codomain = _spaces(is_discrete=False, of=lambda self, name: constraints.independent(
        getattr(self.base_transform, name), self.reinterpreted_batch_ndims))
    bijective = property(operator.attrgetter("base_transform.bijective"))
    sign = property(operator.attrgetter("base_transform.sign"))

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"


class _PartsTransform(
        Transform,
        forward=lambda self, x: self._joined(self._each(self.transforms, self._parts(x, "x"))),
        inverse=lambda self, y: self._joined(self._each(map(_back_through, self.transforms), self._parts(y, "y"))),
        log_slope=lambda self, x, y: self._joined(self._log_slopes(x, y))):
    """Transforms of the parts of a dim: a subclass says which parts, of how long a dim, and what joins them."""

    def __init__(self, tseq, dim, cache_size):
        tseq = list(tseq)
        assert all(isinstance(t, Transform) for t in tseq), "All elements of tseq must be Transform instances"
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else tseq
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _parts(self, value, name, shown="tensor"):
        dims, (what, length) = value.dim(), self._length()
        assert -dims <= self.dim < dims, f"dim {self.dim} out of range for {shown} with {dims} dimensions"
        size = value.size(self.dim)
        assert size == length, f"{name}.size({self.dim}) = {size} must equal {what} {length}"
        return self._cut(value)

    def _each(self, functions, *parts):
        return list(map(operator.call, functions, *parts))

    def _log_slopes(self, x, y):
        functions = [t.log_abs_det_jacobian for t in self.transforms]
        return self._each(functions, self._parts(x, "x", shown="x"), self._parts(y, "y", shown="y"))

    def _joined(self, parts):
        return self._join(parts, dim=self.dim)


class CatTransform(_PartsTransform, made_of=("transforms", "dim", "lengths")):
    """Transforms of the parts of a dim, of the given lengths."""

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        assert len(self.lengths) == len(self.transforms), (
            f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    domain, codomain = _spaces(
        lambda self, name: constraints.cat([getattr(t, name) for t in self.transforms], self.dim, self.lengths))
    _join = staticmethod(karat.cat)

    @lazy_property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        return sum(self.lengths)

    def _length(self):
        return "length", self.length

    def _cut(self, value):
        return value.split(self.lengths, self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = [summed_over_last(of_part, self.event_dim - t.event_dim)
                 for of_part, t in zip(self._log_slopes(x, y), self.transforms)]
        from_end = self.event_dim + self.dim - (x.dim() if self.dim >= 0 else 0)
        return karat.cat(terms, from_end) if from_end < 0 else sum(terms)  # sum: the dim is one of the event's


class StackTransform(_PartsTransform, made_of=("transforms", "dim")):
    """Transforms of the slices of a dim."""

    def __init__(self, tseq, dim=0, cache_size=0):
        super().__init__(tseq, dim, cache_size)

    domain, codomain = _spaces(lambda self, name: constraints.stack([getattr(t, name) for t in self.transforms], self.dim))
    _join = staticmethod(karat.stack)

    def _length(self):
        return "len(transforms)", len(self.transforms)

    def _cut(self, value):
        return value.unbind(self.dim)


# ---- numbers ----

class ExpTransform(
        Transform, equal_in=(),
        forward=lambda self, x: x.exp(),
        inverse=lambda self, y: y.log(),
        log_slope=lambda self, x, y: x):
    """y = exp(x)"""

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, 1


def _inside_unit(p):
    """p, kept as far from 0 and 1 as its dtype can tell."""
    kind = karat.finfo(p.dtype)
    return p.clamp(kind.tiny, 1 - kind.eps)


def _clipped_sigmoid(x):
    return _inside_unit(x.sigmoid())


def _log_odds(p):
    return p.log() - p.neg().log1p()


class SigmoidTransform(
        Transform, equal_in=(),
        forward=lambda self, x: _clipped_sigmoid(x),
        inverse=lambda self, y: _log_odds(_inside_unit(y)),
        log_slope=lambda self, x, y: -softplus(x) - softplus(-x)):
    """y = 1 / (1 + exp(-x))"""

    domain, codomain = constraints.real, constraints.unit_interval
    bijective, sign = True, 1


class SoftplusTransform(
        Transform, equal_in=(),
        forward=lambda self, x: softplus(x),
        inverse=lambda self, y: y + y.neg().expm1().neg().log(),
        log_slope=lambda self, x, y: -softplus(-x)):
    """y = log(1 + exp(x)); the identity for large x"""

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, 1


def _log_slope_of_tanh(x):
    """log(1 - tanh(x)^2), without cancellation."""
    return 2 * (math.log(2) - x - softplus(-2 * x))


class TanhTransform(
        Transform, equal_in=(),
        forward=lambda self, x: x.tanh(),
        inverse=lambda self, y: y.atanh(),
        log_slope=lambda self, x, y: _log_slope_of_tanh(x)):
    """y = tanh(x)"""

    domain, codomain = constraints.real, constraints.interval(-1.0, 1.0)
    bijective, sign = True, 1


class AbsTransform(
        Transform, equal_in=(),
        forward=lambda self, x: x.abs(),
        inverse=lambda self, y: y):
    """y = |x|; not bijective"""

    domain, codomain = constraints.real, constraints.positive


def _broadcast(shape, *parameters):
    """The shape, broadcast with those of the parameters that are tensors."""
    return karat.broadcast_shapes(shape, *[getattr(given, "shape", ()) for given in parameters])


class PowerTransform(
        Transform, made_of=("exponent",), equal_in=("exponent",),
        forward=lambda self, x: x.pow(self.exponent),
        inverse=lambda self, y: y.pow(1 / self.exponent),
        log_slope=lambda self, x, y: (self.exponent * y / x).abs().log()):
    """y = x ** exponent"""

    domain, codomain = constraints.positive, constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def forward_shape(self, shape):
        return _broadcast(shape, self.exponent)

    inverse_shape = forward_shape


@cache
def _reals(event_dim):
    return constraints.independent(constraints.real, event_dim) if event_dim else constraints.real


class AffineTransform(
        Transform, made_of=("loc", "scale", "event_dim"), equal_in=("loc", "scale"),
        forward=lambda self, x: self.loc + self.scale * x,
        inverse=lambda self, y: (y - self.loc) / self.scale):
    """y = loc + scale * x"""

    domain = codomain = constraints.dependent_property(lambda self: _reals(self._event_dim), is_discrete=False)
    bijective = True
    event_dim = property(operator.attrgetter("_event_dim"))

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def sign(self):
        return self.scale.sign() if isinstance(self.scale, Tensor) else (self.scale > 0) - (self.scale < 0)

    def log_abs_det_jacobian(self, x, y):
        dims, scale = self.event_dim, self.scale
        slope = scale.abs().log() if isinstance(scale, Tensor) else karat.full_like(x, math.log(abs(scale)))
        return summed_over_last(slope, dims).expand(x.shape[:x.dim() - dims])

    def forward_shape(self, shape):
        return _broadcast(shape, self.loc, self.scale)

    inverse_shape = forward_shape


class CumulativeDistributionTransform(
        Transform, made_of=("distribution",),
        forward=lambda self, x: self.distribution.cdf(x),
        inverse=lambda self, y: self.distribution.icdf(y),
        log_slope=lambda self, x, y: self.distribution.log_prob(x)):
    """y = the cumulative distribution of a distribution of numbers, at x"""

    domain = property(operator.attrgetter("distribution.support"))
    codomain = constraints.unit_interval
    bijective, sign = True, 1

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution


# ---- vectors and matrices ----

def _refitted(x, old, new):
    """x with its last dims, of shape old, seen as shape new."""
    return x.reshape(x.shape[:x.dim() - len(old)] + new)


def _exchanged(shape, old, new):
    def exchange(event):
        if event != old:
            raise ValueError(f"Shape mismatch: expected {event} but got {old}")
        return new

    return _with_event(shape, len(old), exchange)


class ReshapeTransform(
        Transform, made_of=("in_shape", "out_shape"),
        forward=lambda self, x: _refitted(x, self.in_shape, self.out_shape),
        inverse=lambda self, y: _refitted(y, self.out_shape, self.in_shape),
        log_slope=lambda self, x, y: x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])):
    """The last dims, of in_shape, seen as out_shape."""

    domain = constraints.dependent_property(lambda self: constraints.independent(constraints.real, len(self.in_shape)))
    codomain = constraints.dependent_property(lambda self: constraints.independent(constraints.real, len(self.out_shape)))
    bijective = True

    def __init__(self, in_shape, out_shape, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")

    def forward_shape(self, shape):
        return _exchanged(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return _exchanged(shape, self.out_shape, self.in_shape)


class SoftmaxTransform(
        Transform, equal_in=(),
        forward=lambda self, x: x.softmax(-1, dtype=karat.result_type(x, 1.0)),  # of whole numbers too
        inverse=lambda self, y: y.log()):
    """y = softmax(x); not bijective, the inverse is the logarithm"""

    domain, codomain = constraints.real_vector, constraints.simplex

    def forward_shape(self, shape):
        return _with_event(shape, 1, tuple)

    inverse_shape = forward_shape


def _one_before(values):
    return pad(values, [1, 0], value=1)


def _log_breaks_left(x):
    """log of K, ..., 1: an even share is one of so many that are left, so that x = 0 breaks the stick evenly."""
    return karat.arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device).log()


class StickBreakingTransform(Transform, equal_in=()):
    """K numbers to a point of the simplex of K + 1: each breaks its share off what is left of a stick."""

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = True

    def _call(self, x):
        share = _clipped_sigmoid(x - _log_breaks_left(x))
        stick = _one_before((1 - share).cumprod(-1))
        return karat.cat([share * stick[..., :-1], stick[..., -1:]], -1)

    def _inverse(self, y):
        pieces = y[..., :-1]
        stick = (1 - pieces.cumsum(-1)).clamp(min=karat.finfo(y.dtype).tiny)
        return _log_breaks_left(pieces) + pieces.log() - stick.log()

    def log_abs_det_jacobian(self, x, y):
        log_rest = logsigmoid(_log_breaks_left(x) - x)  # of what a break leaves
        return (y[..., :-1].log() + log_rest).sum(-1)

    def forward_shape(self, shape):
        return _with_event(shape, 1, lambda event: (event[0] + 1,))

    def inverse_shape(self, shape):
        return _with_event(shape, 1, lambda event: (event[0] - 1,))


_below = partial(tril_matrix_to_vec, diag=-1)


def _unspent(y):
    """What the elements of a row up to each leave of its squared length 1."""
    return 1 - y.square().cumsum(-1)


def _square_of_triangle(event):
    (n,) = event
    d = (1 + math.isqrt(1 + 8 * n)) // 2
    if math.comb(d, 2) != n:
        raise ValueError("Input is not a flattened lower-diagonal number")
    return d, d


def _triangle_of_square(event):
    if event[0] != event[1]:
        raise ValueError("Input is not square")
    return (math.comb(event[0], 2),)


class CorrCholeskyTransform(Transform):
    """A vector of D (D - 1) / 2 numbers to the Cholesky factor of a D x D correlation matrix, by partial correlations: tanh of
    the numbers, each row of what its elements before have left of its length 1."""

    domain, codomain = constraints.real_vector, constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        r = x.tanh()
        almost_one = 1 - karat.finfo(r.dtype).eps
        partial_correlations = vec_to_tril_matrix(r.clamp(-almost_one, almost_one), diag=-1)
        spent = (1 - partial_correlations.square()).sqrt().cumprod(-1)
        unit = karat.eye(spent.size(-1), dtype=r.dtype, device=r.device)
        return _one_before(spent[..., :-1]) * (partial_correlations + unit)

    def _inverse(self, y):
        r = _below(y) / _below(_one_before(_unspent(y)[..., :-1])).sqrt()
        return (r.log1p() - r.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        of_rows = tril_matrix_to_vec(_unspent(y), diag=-2).log().sum(-1) / 2
        return of_rows + _log_slope_of_tanh(x).sum(-1)

    def forward_shape(self, shape):
        return _with_event(shape, 1, _square_of_triangle)

    def inverse_shape(self, shape):
        return _with_event(shape, 2, _triangle_of_square)


def _with_diagonal(m, of):
    """What is below the diagonal of m, and of(its diagonal) on it."""
    below = m.tril(-1)
    return below + of(m.diagonal(dim1=-2, dim2=-1)).diag_embed()


def _squared(factor):
    return factor @ factor.mT


class LowerCholeskyTransform(
        Transform, equal_in=(),
        forward=lambda self, x: _with_diagonal(x, karat.exp),
        inverse=lambda self, y: _with_diagonal(y, karat.log)):
    """Square matrices to lower triangular ones with a positive diagonal: its exp, and what is below it."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky


class PositiveDefiniteTransform(
        Transform, equal_in=(),
        forward=lambda self, x: _squared(_with_diagonal(x, karat.exp)),
        inverse=lambda self, y: _with_diagonal(karat.linalg.cholesky(y), karat.log)):
    """Square matrices to positive-definite ones, by way of their Cholesky factor."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
