"""fuzzer.py - Fuzzer: random parameters, and tensors whose sizes and steps they are."""

import itertools
import math
import random

from .... import _karat

_MOST_REJECTED = 1000
_DISTRIBUTIONS = ("loguniform", "uniform")


class ParameterAlias:
    """A value of a parameter that means the value of another one."""

    def __init__(self, alias_to):
        self.alias_to = alias_to

    def __repr__(self):
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A number drawn from minval to maxval, uniformly or so in its logarithm, or by a dict {value: probability}."""

    def __init__(self, name, minval=None, maxval=None, distribution=None, strict=False):
        if not (isinstance(distribution, dict) or distribution in _DISTRIBUTIONS):
            raise ValueError(f"Unknown distribution: {distribution}")
        self._name, self._minval, self._maxval, self.strict = name, minval, maxval, strict
        self._distribution = distribution
        if isinstance(distribution, dict) and not math.isclose(sum(distribution.values()), 1, abs_tol=1e-3):
            raise ValueError("the probabilities of a distribution must sum to 1")

    @property
    def name(self):
        """Its name."""
        return self._name

    def sample(self, state):
        """A value; `state` is a random.Random."""
        if isinstance(self._distribution, dict):
            values = list(self._distribution)
            return state.choices(values, [self._distribution[value] for value in values])[0]
        whole = isinstance(self._minval, int) and isinstance(self._maxval, int)
        if self._distribution == "uniform":
            return state.randint(self._minval, self._maxval) if whole else state.uniform(self._minval, self._maxval)
        value = 2 ** state.uniform(math.log2(self._minval), math.log2(self._maxval))
        return min(max(int(round(value)), self._minval), self._maxval) if whole else value


class FuzzedTensor:
    """A tensor whose sizes, and steps between elements, are numbers or names of parameters; its dims are in a random order
    with the probability 1 - probability_contiguous."""

    def __init__(self, name, size, steps=None, probability_contiguous=0.5, min_elements=None, max_elements=None,
                 max_allocation_bytes=None, dim_parameter=None, roll_parameter=None, dtype=None, cuda=False,
                 tensor_constructor=None):
        self._name, self._size, self._steps = name, tuple(size), steps
        self._probability_contiguous = probability_contiguous
        self._min_elements, self._max_elements, self._max_allocation_bytes = min_elements, max_elements, max_allocation_bytes
        self._dim_parameter, self._dtype = dim_parameter, dtype or _karat.dtypes["float32"]
        self._cuda, self._tensor_constructor = cuda, tensor_constructor

    @property
    def name(self):
        """Its name."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size, dtype, **kwargs):
        """Values from 0 to 1; of whole numbers from 1 to 127."""
        if dtype.is_floating_point or dtype.is_complex:
            return _karat.functions["rand"](size, dtype=dtype)
        return _karat.functions["randint"](1, 127, size, dtype=dtype)

    def _sizes(self, params):
        dim = params[self._dim_parameter] if self._dim_parameter else len(self._size)

        def known(values):
            values = [params[value] if isinstance(value, str) else value for value in values]
            return tuple((values + [1] * dim)[:dim])

        size = known(self._size)
        steps = known(self._steps or ())
        return size, steps, tuple(a * b for a, b in zip(size, steps))

    def satisfies_constraints(self, params):
        """Are the sizes within the limits?"""
        size, _, allocated = self._sizes(params)
        elements, room = math.prod(size), math.prod(allocated) * self._dtype.itemsize
        return not ((self._max_allocation_bytes is not None and room > self._max_allocation_bytes)
                    or (self._max_elements is not None and elements > self._max_elements)
                    or (self._min_elements is not None and elements < self._min_elements))

    def _order(self, size, state):
        """The order in which the dims lie in memory, from the outermost to the innermost."""
        dims = list(range(len(size)))
        if len(size) > 1 and state.random() > self._probability_contiguous and math.prod(size) > 1:
            state.shuffle(dims)
        return dims

    def _made(self, params, state):
        """The tensor, and what it is like."""
        size, steps, allocated = self._sizes(params)
        whole = (self._tensor_constructor or self.default_tensor_constructor)(size=allocated, dtype=self._dtype, **params)
        order = self._order(size, state)
        places = sorted(order, key=order.__getitem__)  # the inverse
        laid = (whole.cuda() if self._cuda else whole).permute(order).contiguous().permute(places)
        tensor = laid[tuple(slice(0, n * step, step) for n, step in zip(size, steps))]
        return tensor, dict(numel=tensor.numel(), order=order, steps=steps, is_contiguous=tensor.is_contiguous(),
                            dtype=str(self._dtype))


def _flat(values):
    """Lists of lists, as one."""
    return list(itertools.chain.from_iterable(value if isinstance(value, (list, tuple)) else [value] for value in values))


class Fuzzer:
    """take(n) gives n times (tensors, their properties, parameters), drawn anew; draws that break a constraint are drawn
    again."""

    def __init__(self, parameters, tensors, constraints=None, seed=None):
        self._seed = random.getrandbits(32) if seed is None else seed
        self._parameters, self._tensors, self._constraints = _flat(parameters), _flat(tensors), constraints or ()
        names = [one.name for one in (*self._parameters, *self._tensors)]
        repeated = {name for name in names if names.count(name) > 1}
        if repeated:
            raise ValueError(f"Some names are repeated: {repeated}")
        self._rejections = self._total_generated = 0

    @property
    def rejection_rate(self):
        """The part of the draws that broke a constraint."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def _draws(self, state):
        """Draw after draw, aliases followed; a strict parameter keeps its first value."""
        kept = {}
        while True:
            drawn = {one.name: kept[one.name] if one.name in kept else one.sample(state) for one in self._parameters}
            kept.update((one.name, drawn[one.name]) for one in self._parameters if one.strict)
            yield {name: drawn[value.alias_to] if isinstance(value, ParameterAlias) else value for name, value in drawn.items()}

    def _drawn(self, state):
        """The first draw that breaks no constraint."""
        rules = [*self._constraints, *(one.satisfies_constraints for one in self._tensors)]
        for params in itertools.islice(self._draws(state), _MOST_REJECTED):
            self._total_generated += 1
            if all(rule(params) for rule in rules):
                return params
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")

    def take(self, n):
        """n draws."""
        state = random.Random(self._seed)
        for _ in range(n):
            params = self._drawn(state)
            made = {one.name: one._made(params, state) for one in self._tensors}
            yield {k: v for k, (v, _) in made.items()}, {k: p for k, (_, p) in made.items()}, params
