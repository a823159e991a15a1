"""karat.distributions.constraint_registry: for a constraint the transform from unconstrained space into it.

biject_to gives a bijection; transform_to any transform, which may be a simpler one. Both are tables by the class of the
constraint; most of their rows are the same.
"""

from functools import partial
from numbers import Number

from karat.distributions import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Makers of transforms, by the class of a constraint."""

    def __init__(self):
        self._registry = {}

    def register(self, constraint, factory=None):
        """Registers factory(constraint) for a constraint or its class; without factory a decorator that does."""
        if factory is None:
            return partial(self.register, constraint)
        kind = constraint if isinstance(constraint, type) else type(constraint)
        if not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        """The transform of a constraint."""
        kind = type(constraint)
        if kind not in self._registry:
            raise NotImplementedError(f"Cannot transform {kind.__name__} constraints")
        return self._registry[kind](constraint)


biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()


def _moved(transform, start, factor):
    """The transform, then start + factor times its result."""
    return transforms.ComposeTransform([transform, transforms.AffineTransform(start, factor)])


def _onto_interval(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and isinstance(high, Number) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return _moved(transforms.SigmoidTransform(), low, high - low)


def _rows_of_both(into):
    """The rows that both registries have; into is the one that is asked for the parts of a composed constraint."""
    yield constraints.real, lambda _: transforms.identity_transform
    for bounded_below in (constraints.greater_than, constraints.greater_than_eq):
        yield bounded_below, lambda c: _moved(transforms.ExpTransform(), c.lower_bound, 1)
    yield constraints.less_than, lambda c: _moved(transforms.ExpTransform(), c.upper_bound, -1)
    yield constraints.interval, _onto_interval
    yield constraints.half_open_interval, _onto_interval
    yield constraints.corr_cholesky, lambda _: transforms.CorrCholeskyTransform()
    yield constraints.independent, lambda c: transforms.IndependentTransform(into(c.base_constraint), c.reinterpreted_batch_ndims)
    yield constraints.cat, lambda c: transforms.CatTransform([into(part) for part in c.cseq], c.dim, c.lengths)
    yield constraints.stack, lambda c: transforms.StackTransform([into(part) for part in c.cseq], c.dim)


def _fill(into, *rows):
    for constraint, factory in (*_rows_of_both(into), *rows):
        into.register(constraint, factory)


_fill(biject_to,
      (constraints.simplex, lambda _: transforms.StickBreakingTransform()))
_fill(transform_to,
      (constraints.simplex, lambda _: transforms.SoftmaxTransform()),
      (constraints.lower_cholesky, lambda _: transforms.LowerCholeskyTransform()),
      (constraints.positive_definite, lambda _: transforms.PositiveDefiniteTransform()),
      (constraints.positive_semidefinite, lambda _: transforms.PositiveDefiniteTransform()))
