"""karat.distributions.distribution: what every distribution has, and how a class of them is declared.

A class says once what it is made of, and the rest follows:

    arg_constraints    the table of its parameters: name -> region. What `repr` shows, what the constructor validates.
    @family(...)       gives it `expand`. The parameters of the table and the parts that are named (tensors and distributions, of
                       the batch's shape and perhaps more dims behind) get the new batch; `carried` ones go along as they are.
    self._hold(...)    makes arguments tensors of one shape, keeps them by name and returns that shape.
    @checked           a method of a value, which is validated first where the instance asks for that.

Families with more in common share a class: loc + scale * Z, probabilities or their logits (_families.py), matrices by their
Cholesky factor (_factors.py). Formulas of several classes are functions (utils.py). A normalizer is
computed in the shape of the parameters before it meets the value, which mostly has more elements.

Subclasses elsewhere rely on what is PyTorch's here: __init__(batch_shape, event_shape, validate_args), _batch_shape,
_event_shape, _validate_args, _extended_shape, _validate_sample, _get_checked_instance, and that given or computed parameters are
in __dict__.
"""

import warnings

import karat
from karat import Size, Tensor
from karat.distributions import constraints
from karat.distributions.utils import broadcast_all, broadcastable, lazy_property

__all__ = ["Distribution"]


def checked(method):
    """The method, its value validated first if the instance validates."""

    def of_value(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return method(self, value)

    of_value.__name__, of_value.__qualname__, of_value.__doc__ = method.__name__, method.__qualname__, method.__doc__
    of_value.__module__ = method.__module__
    return of_value


def _held(cls, parts):
    """What an instance of the class holds for each of its batch: names, and whether it may not have been computed yet."""
    table = cls.arg_constraints
    names = parts if isinstance(table, property) else (*table, *parts)
    found = {name: getattr(cls, name, None) for name in names}  # a plain property is asked of a part, which is held itself
    return [(name, of_class is not None) for name, of_class in found.items()
            if of_class is None or isinstance(of_class, lazy_property)]


def family(*parts, carried=()):
    """Class decorator: expand(), by the class's table of parameters, its other parts, and what is carried along unchanged."""

    def declare(cls):
        inherited, spread = cls.expand, None

        def expand(self, batch_shape, _instance=None):
            nonlocal spread
            if spread is None:
                spread = _held(cls, parts)
            new = self._get_checked_instance(cls, _instance)
            batch_shape, before = Size(batch_shape), len(self._batch_shape)
            for name, lazy in spread:
                if name in self.__dict__ or not lazy:
                    part = getattr(self, name)
                    shape = part.batch_shape if isinstance(part, Distribution) else part.shape
                    setattr(new, name, part.expand(batch_shape + shape[before:]))
            for name in carried:
                setattr(new, name, getattr(self, name))
            if inherited is not Distribution.expand:
                return inherited(self, batch_shape, _instance=new)
            super(cls, new).__init__(batch_shape, self._event_shape, validate_args=False)
            new._validate_args = self._validate_args
            return new

        expand.__qualname__, expand.__doc__ = f"{cls.__qualname__}.expand", Distribution.expand.__doc__
        cls.expand = expand
        return cls

    return declare


def _described(value):
    return f"({type(value).__name__} of shape {tuple(value.shape)})"


class Distribution:
    """The base class of distributions: batch_shape independent ones, each over events of event_shape."""

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """Are arguments of distributions checked, unless validate_args= says otherwise?"""
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=Size(), event_shape=Size(), validate_args=None):
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _hold(self, names, *values):
        """Keeps the values by these names, as tensors of one shape, which is returned."""
        for name, value in zip(names, broadcast_all(*values)):
            setattr(self, name, value)
        return value.shape

    def _check_parameters(self):
        try:
            table = self.arg_constraints
        except NotImplementedError:
            warnings.warn(f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                          "initialize the distribution with `validate_args=False` to turn off validation.", stacklevel=3)
            return
        held = self.__dict__
        for name, region in table.items():
            if constraints.is_dependent(region):
                continue  # it is known later
            if name not in held and isinstance(getattr(type(self), name), lazy_property):
                continue  # it was not given
            value = held[name] if name in held else getattr(self, name)
            if not region.check(value).all():
                raise self._refusal(name, value, f"satisfy the constraint {region!r}, but found invalid values:\n{value}")

    def _refusal(self, name, value, demand):
        return ValueError(f"Expected parameter {name} {_described(value)} of distribution {self!r} to {demand}")

    def expand(self, batch_shape, _instance=None):
        """The same distributions with batch_shape expanded to the given one."""
        raise NotImplementedError

    @property
    def batch_shape(self):
        """The shape over which parameters are batched."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of a single sample, without batching."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """The constraint of each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint of samples; None: it is not known."""
        raise NotImplementedError

    @property
    def mean(self):
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self):
        """The most likely value."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self):
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self):
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape=Size()):
        """A sample, or sample_shape of them."""
        with karat.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=Size()):
        """A sample, or sample_shape of them, through which gradients reach the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        """n samples (deprecated)."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value):
        """The log of the density, or of the probability, at value."""
        raise NotImplementedError

    def cdf(self, value):
        """The probability of a sample up to value."""
        raise NotImplementedError

    def icdf(self, value):
        """The inverse of cdf."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """All values of a discrete distribution, along a new first dim."""
        raise NotImplementedError

    def entropy(self):
        """The entropy, in nats."""
        raise NotImplementedError

    def perplexity(self):
        """exp of the entropy."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape=Size()):
        """The shape of sample(sample_shape)."""
        return Size(sample_shape) + self._batch_shape + self._event_shape

    def _drawn(self, draw, sample_shape, *parameters):
        """What draw makes of the parameters, each in the shape of the sample; no gradient passes."""
        with karat.no_grad():
            if len(sample_shape):
                shape = self._extended_shape(sample_shape)
                parameters = [parameter.expand(shape) for parameter in parameters]
            return draw(*parameters)

    def _uniforms(self, sample_shape, like):
        return karat.rand(self._extended_shape(sample_shape), dtype=like.dtype, device=like.device)

    def _enumerated(self, values, expand):
        """Values along the first dim, in the dims of the batch."""
        count, event, batch = values.shape[:1], values.shape[1:], self._batch_shape
        values = values.view(count + (1,) * len(batch) + event)
        return values.expand(count + batch + event) if expand else values

    def _validate_sample(self, value):
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, event = value.shape, self._event_shape
        whole = self._batch_shape + event
        if shape != whole:
            if shape[len(shape) - len(event):] != event:
                raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {event}.")
            if not broadcastable(shape, whole):
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {whole}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                          "distribution with `validate_args=False` to turn off validation.", stacklevel=2)
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(f"Expected value argument {_described(value)} to be within the support ({support!r}) of the "
                             f"distribution {self!r}, but found invalid values:\n{value}")

    def _get_checked_instance(self, cls, _instance=None):
        """The instance that expand() fills: a new one, unless the subclass that made its own parts gives one."""
        if _instance is None:
            mine = type(self)
            if mine.__init__ is cls.__init__:
                return mine.__new__(mine)
            raise NotImplementedError(f"Subclass {mine.__name__} of {cls.__name__} that defines a custom __init__ "
                                      "method must also define a custom .expand() method.")
        return _instance

    def __repr__(self):
        given = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        shown = (f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in given.items())
        return f"{self.__class__.__name__}({', '.join(shown)})"
