"""karat.distributions.constraints: the regions in which parameters and samples must lie.

A constraint has check(value), which gives a bool for each of the batch; event_dim, how many dims of the value are one element of
the region; is_discrete. Most are rows: an interval is the comparisons of its ends, a vector's region a constraint of its elements
and a test of their sum, a matrix's region a list of tests. What is composed of other constraints asks those.
"""

import itertools
import operator
from functools import reduce

import karat

__all__ = ["Constraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property", "greater_than", "greater_than_eq",
           "independent", "integer_interval", "interval", "half_open_interval", "is_dependent", "less_than", "lower_cholesky",
           "lower_triangular", "MixtureSameFamilyConstraint", "multinomial", "nonnegative", "nonnegative_integer", "one_hot",
           "positive", "positive_semidefinite", "positive_definite", "positive_integer", "real", "real_vector", "simplex",
           "square", "stack", "symmetric", "unit_interval"]


class Constraint:
    """A region over which a variable is valid."""

    is_discrete = False
    event_dim = 0

    def check(self, value):
        """A bool for each element of the batch: does it lie in the region?"""
        raise NotImplementedError

    def __repr__(self):
        return type(self).__name__[1:] + "()"


# ---- regions that are known later ----

def _stated(name):
    """A property of a dependent constraint: what is known of it statically."""
    def read(self):
        known = getattr(self, "_" + name)
        if known is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return known

    return property(read)


class _Dependent(Constraint):
    """A region that other variables decide."""

    is_discrete = _stated("is_discrete")
    event_dim = _stated("event_dim")

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        """The same with what is known of it statically."""
        return _Dependent(is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
                          event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """A property that is a dependent constraint as its class shows it, and a plain one of an instance."""

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        property.__init__(self, fn)
        _Dependent.__init__(self, is_discrete=is_discrete, event_dim=event_dim)

    def __call__(self, fn):
        """Used as a decorator with arguments."""
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint):
    """Is it a region that other variables decide?"""
    return isinstance(constraint, _Dependent)


# ---- regions made of others ----

def _all_last(flags, dims):
    """Are the flags of the last dims all true?"""
    return flags.all(tuple(range(-dims, 0))) if dims else flags


def _of_base(name):
    return property(operator.attrgetter("base_constraint." + name))


class _OverConstraint(Constraint):
    """The region of another constraint, seen with other dims."""

    is_discrete = _of_base("is_discrete")
    event_dim = _of_base("event_dim")

    def __init__(self, base_constraint):
        given = type(base_constraint)
        assert issubclass(given, Constraint), f"base_constraint must be a Constraint, got {given.__name__}"
        self.base_constraint = base_constraint


class _IndependentConstraint(_OverConstraint):
    """A constraint whose last dims of the batch belong to the event: all of them must be valid."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        super().__init__(base_constraint)
        given = type(reinterpreted_batch_ndims)
        assert issubclass(given, int), f"reinterpreted_batch_ndims must be an int, got {given.__name__}"
        assert reinterpreted_batch_ndims >= 0, f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}"
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self):
        return self.reinterpreted_batch_ndims + self.base_constraint.event_dim

    def check(self, value):
        flags = self.base_constraint.check(value)
        if self.reinterpreted_batch_ndims > flags.dim():
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_last(flags, self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_OverConstraint):
    """The region of a mixture: that of its components, a dim of which the sample does not have."""

    def check(self, value):
        batch_dims = value.dim() - self.event_dim
        flags = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return _all_last(flags, flags.dim() - batch_dims)  # the components' dim, and dims that only they have

    def __repr__(self):
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Parts(Constraint):
    """Constraints of the parts of a dim: a subclass says which parts, and how the flags become one tensor."""

    def __init__(self, cseq, dim):
        self.cseq = list(cseq)
        assert all(isinstance(part, Constraint) for part in self.cseq), "All elements of cseq must be Constraint instances"
        self.dim = dim

    @property
    def is_discrete(self):
        return any(part.is_discrete for part in self.cseq)

    @property
    def event_dim(self):
        return max(part.event_dim for part in self.cseq)

    def check(self, value):
        assert -value.dim() <= self.dim < value.dim(), f"dim {self.dim} out of range for value with {value.dim()} dimensions"
        return self._joined([constraint.check(part) for constraint, part in zip(self.cseq, self._cut(value))], self.dim)


class _Cat(_Parts):
    """Constraints of the parts of a dim, of the given lengths."""

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        assert len(self.lengths) == len(self.cseq), f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})"

    def _cut(self, value):
        starts = itertools.accumulate(self.lengths, initial=0)
        return (value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths))

    _joined = staticmethod(karat.cat)


class _Stack(_Parts):
    """Constraints of the slices of a dim."""

    def __init__(self, cseq, dim=0):
        super().__init__(cseq, dim)

    @property
    def event_dim(self):
        inside = super().event_dim
        return inside + (-self.dim > inside)  # the dim itself is one of the event's, if it is counted from the end

    def _cut(self, value):
        return value.unbind(self.dim)

    _joined = staticmethod(karat.stack)


# ---- numbers ----

class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Real(Constraint):
    """Every number but NaN."""

    def check(self, value):
        return value == value


class _Ends(Constraint):
    """Numbers between ends. The class statement gives for each end how its bound compares with the values that it lets in."""

    def __init_subclass__(cls, lower=None, upper=None):
        super().__init_subclass__()
        if lower is not None:
            cls._lower = lower  # of operator: C functions, which are no methods
        if upper is not None:
            cls._upper = upper

    def __repr__(self):
        held = vars(self)
        ends = ", ".join(f"{name}={held[name]}" for name in ("lower_bound", "upper_bound") if name in held)
        return f"{type(self).__name__[1:]}({ends})"


class _Above(_Ends):
    def __init__(self, lower_bound):
        self.lower_bound = lower_bound

    def check(self, value):
        return self._lower(self.lower_bound, value)


class _Below(_Ends):
    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, value):
        return self._upper(self.upper_bound, value)


class _Between(_Ends):
    def __init__(self, lower_bound, upper_bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound

    def check(self, value):
        return self._lower(self.lower_bound, value) & self._upper(self.upper_bound, value)


class _Whole(Constraint):
    """Of the numbers of the next class the whole ones."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & super().check(value)


class _GreaterThan(_Above, lower=operator.lt):
    """Numbers above lower_bound."""


class _GreaterThanEq(_Above, lower=operator.le):
    """Numbers from lower_bound on."""


class _LessThan(_Below, upper=operator.gt):
    """Numbers below upper_bound."""


class _Interval(_Between, lower=operator.le, upper=operator.ge):
    """Numbers from lower_bound to upper_bound."""


class _HalfOpenInterval(_Between, lower=operator.le, upper=operator.gt):
    """Numbers from lower_bound on, below upper_bound."""


class _IntegerInterval(_Whole, _Between, lower=operator.le, upper=operator.ge):
    """Whole numbers from lower_bound to upper_bound, both included."""


class _IntegerLessThan(_Whole, _Below, upper=operator.ge):
    """Whole numbers up to upper_bound."""


class _IntegerGreaterThan(_Whole, _Above, lower=operator.le):
    """Whole numbers from lower_bound on."""


# ---- vectors ----

class _Summing(Constraint):
    """Vectors of which every element lies in the region _elements, and whose sum is right."""

    event_dim = 1

    def check(self, value):
        return self._elements.check(value).all(-1) & self._is_right(value.sum(-1))


class _OneHot(_Summing):
    """Vectors of one 1, else 0."""

    is_discrete = True
    _elements = _Boolean()

    def _is_right(self, total):
        return total == 1


class _Simplex(_Summing):
    """Vectors of numbers that are not negative and sum to 1."""

    _elements = _GreaterThanEq(0)

    def _is_right(self, total):
        return (total - 1).abs() < 1e-6


class _Multinomial(_Summing):
    """Vectors of counts that sum to upper_bound."""

    is_discrete = True
    _elements = _GreaterThanEq(0)

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def _is_right(self, total):
        return total <= self.upper_bound


# ---- matrices ----

def _diagonal_is_positive(value):
    return (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


def _is_lower(value):
    return (value == value.tril()).all((-2, -1))


def _rows_have_length_one(value):
    ten_times_rounding = 10 * value.size(-1) * karat.finfo(value.dtype).eps
    lengths = karat.linalg.vector_norm(value.detach(), dim=-1)
    return ((lengths - 1).abs() <= ten_times_rounding).all(-1)


def _is_square(value):
    return value.new_full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=karat.bool)


def _is_symmetric(value):
    return karat.isclose(value, value.mT, atol=1e-6).all((-2, -1))


def _has_no_negative_eigenvalue(value):
    return (karat.linalg.eigvalsh(value) >= 0).all(-1)


def _has_a_cholesky_factor(value):
    return karat.linalg.cholesky_ex(value).info == 0


class _Matrix(Constraint):
    """Matrices that pass every test of the class. Some tests want all matrices of a batch to have passed those before."""

    event_dim = 2
    _tests = ()

    def check(self, value):
        return reduce(lambda passed, test: passed & test(value), self._tests[1:], self._tests[0](value))


class _LowerTriangular(_Matrix):
    """Square matrices that are zero above the diagonal."""

    _tests = (_is_lower,)


class _LowerCholesky(_Matrix):
    """Lower triangular matrices with a positive diagonal."""

    _tests = (_is_lower, _diagonal_is_positive)


class _CorrCholesky(_Matrix):
    """Lower triangular matrices with a positive diagonal and rows of length 1."""

    _tests = (_is_lower, _diagonal_is_positive, _rows_have_length_one)


class _Square(_Matrix):
    """Square matrices."""

    _tests = (_is_square,)

    def check(self, value):
        for test in self._tests:
            passed = test(value)
            if test is not self._tests[-1] and not passed.all():
                break
        return passed


class _Symmetric(_Square):
    """Symmetric square matrices."""

    _tests = (_is_square, _is_symmetric)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without a negative eigenvalue."""

    _tests = (_is_square, _is_symmetric, _has_no_negative_eigenvalue)


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices whose eigenvalues are all positive."""

    _tests = (_is_square, _is_symmetric, _has_a_cholesky_factor)


dependent, dependent_property, independent = _Dependent(), _DependentProperty, _IndependentConstraint
cat, stack = _Cat, _Stack
boolean, real, real_vector = _Boolean(), _Real(), _IndependentConstraint(_Real(), 1)
greater_than, greater_than_eq, less_than = _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
positive, nonnegative, unit_interval = _GreaterThan(0.0), _GreaterThanEq(0.0), _Interval(0.0, 1.0)
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
one_hot, simplex, multinomial = _OneHot(), _Simplex(), _Multinomial
lower_triangular, lower_cholesky, corr_cholesky = _LowerTriangular(), _LowerCholesky(), _CorrCholesky()
square, symmetric = _Square(), _Symmetric()
positive_semidefinite, positive_definite = _PositiveSemidefinite(), _PositiveDefinite()
