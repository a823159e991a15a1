"""karat.distributions.kl: the Kullback-Leibler divergence of pairs of distributions, in closed form.

register_kl registers a function for a pair of classes; kl_divergence takes that of the nearest classes. The pairs are in tables,
by what their divergence follows from: outcomes that can be counted, a ratio of scales and a distance, natural parameters, or the
entropy of p and the moments of p that the mean of log q needs. Where p has mass outside of q's support it is infinite.
"""

import math
import operator
import warnings

import karat
from karat import inf
from karat.nn.functional import softplus

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import euler_constant, summed_over_last

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY = {}  # by pair of classes, as they were registered
_nearest = {}  # by pair of classes, as they were asked for


def register_kl(type_p, type_q):
    """Decorator: registers a function for the divergence of a type_p from a type_q.

    Where several pairs fit, none of them nearer for both classes, register one for the very pair to end the doubt."""
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def keep(function):
        _nearest.clear()
        _KL_REGISTRY.update({(type_p, type_q): function})
        return function

    return keep


def _find(type_p, type_q):
    """The registered function of the nearest classes: nearest to p first, and to q first, which should be the same."""
    fitting = [(type_p.__mro__.index(p), type_q.__mro__.index(q), p, q) for p, q in _KL_REGISTRY
               if issubclass(type_p, p) and issubclass(type_q, q)]
    if not fitting:
        return None
    by_p, by_q = (min(fitting, key=operator.itemgetter(*order)) for order in ((0, 1), (1, 0)))
    found = _KL_REGISTRY[by_p[2:]]
    if found is not _KL_REGISTRY[by_q[2:]]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({by_p[2].__name__}, "
                      f"{by_q[3].__name__})", RuntimeWarning, stacklevel=3)
    return found


def kl_divergence(p, q):
    """The Kullback-Leibler divergence KL(p || q) = E_p[log p(x) - log q(x)], of shape batch_shape.

    Raises NotImplementedError if no function is registered for the classes of p and q (register_kl).
    """
    kinds = type(p), type(q)
    try:
        divergence = _nearest[kinds]
    except KeyError:
        divergence = _nearest[kinds] = _find(*kinds)
    if divergence is None:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {kinds[0].__name__} and q type {kinds[1].__name__}")
    return divergence(p, q)


# ---- where p has mass outside of q's support ----


def _everywhere(type_p):
    """Infinite, in the shape of p's parameters."""
    parameter = operator.attrgetter(next(iter(type_p.arg_constraints)))
    return lambda p, q: karat.full_like(parameter(p), inf)


def _beyond(p, q):
    """Where p's interval is not within q's; False: nowhere, by bounds that are numbers."""
    mine, other = p.support, q.support
    below = getattr(mine, "lower_bound", -inf) < getattr(other, "lower_bound", -inf)
    above = getattr(mine, "upper_bound", inf) > getattr(other, "upper_bound", inf)
    return below if above is False else above if below is False else below | above


def _reaches(p, q):
    """As in PyTorch, also where the intervals of a uniform distribution and [0, 1] only touch."""
    if isinstance(p, Uniform):
        return (p.low <= 0) | (p.high >= 1)
    return (q.low >= 0) | (q.high <= 1)


def _heavy_tail(order):
    """Where a Pareto distribution has no moment of that order."""
    return lambda p, q: p.alpha <= order


def _except(outside, divergence):
    """A divergence that is infinite `outside`."""
    def where(p, q):
        beyond, inside = outside(p, q), divergence(p, q)
        return inside if beyond is False else karat.where(beyond, inf, inside)

    return where


# ---- outcomes: the sum of p (log p - log q), where 0 log 0 is 0 ----


def _of_outcomes(p, log_p, q, log_q):
    terms = karat.where(q == 0, inf, p * (log_p - log_q))
    return karat.where(p == 0, 0.0, terms)


def _categories(p, q):
    return _of_outcomes(p.probs, p.logits, q.probs, q.logits).sum(-1)


def _trial(p, q):
    """Of success, and of failure."""
    return (_of_outcomes(p.probs, -softplus(-p.logits), q.probs, -softplus(-q.logits))
            + _of_outcomes(1 - p.probs, -softplus(p.logits), 1 - q.probs, -softplus(q.logits)))


def _trials(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    return karat.where(p.total_count > q.total_count, inf, p.total_count * _trial(p, q))


_OUTCOMES = {Bernoulli: _trial, Binomial: _trials, Categorical: _categories, OneHotCategorical: _categories}


# ---- families of a location and a scale: a function of r, p's scale by q's, and d, the distance in q's scales ----


def _scaled(formula):
    return lambda p, q: formula(p.scale / q.scale, (p.loc - q.loc) / q.scale)


_LOCATION_SCALE = {
    Normal: lambda r, d: 0.5 * (r * r + d * d - 1) - r.log(),
    Laplace: lambda r, d: d.abs() + r * (-d.abs() / r).exp() - 1 - r.log(),
    Gumbel: lambda r, d: d + euler_constant * (r - 1) + ((1 + r).lgamma() - d).exp() - 1 - r.log(),
    Cauchy: lambda r, d: (((1 - r).square() + d * d) / (4 * r)).log1p(),
}


# ---- exponential families: log p(x) = <eta, t(x)> - A + k(x), eta up to a constant of the family ----


def _bregman(normalizers, parameters, means, dims=0):
    """A(q) - A(p) + <eta_p - eta_q, E_p t>, of the pairs (of p, of q) of A and of the tuple eta; dims: those of an event."""
    result = normalizers[1] - normalizers[0]
    for eta_p, eta_q, mean in zip(*parameters, means):
        result = result + summed_over_last((eta_p - eta_q) * mean, dims)
    return result


def _family(parameter, normalizer, mean):
    """One parameter: d -> eta, d -> A, p -> E_p t."""
    return lambda p, q: _bregman((normalizer(p), normalizer(q)), ((parameter(p),), (parameter(q),)), (mean(p),))


def _log_beta(c):
    return c.lgamma().sum(-1) - c.sum(-1).lgamma()


def _mean_logs(c):
    """E log x_i of a Dirichlet distribution."""
    return c.digamma() - c.sum(-1, keepdim=True).digamma()


def _of_concentrations(concentrations):
    def divergence(p, q):
        a, b = concentrations(p), concentrations(q)
        return _log_beta(b) - _log_beta(a) + ((a - b) * _mean_logs(a)).sum(-1)

    return divergence


def _both(d):
    return karat.stack([d.concentration1, d.concentration0], -1)


def _less_log_start(d):
    """Of a continuous Bernoulli distribution -log p(0), which is A."""
    return -((-d.probs).log1p() + d._cont_bern_log_norm())


def _of_rates(p, q):
    """Of exponential distributions, which logarithms of Pareto's are too."""
    ratio = q / p
    return ratio - 1 - ratio.log()


def _of_shapes(p, q, ratio):
    """Of gamma distributions with a ratio of rates: what p exponential ones have, and what the shapes differ by."""
    log = ratio.log()
    return p * (ratio - 1 - log) + (p - q) * (p.digamma() + log) + q.lgamma() - p.lgamma()


_EXPONENTIAL = {
    Exponential: lambda p, q: _of_rates(p.rate, q.rate),
    Poisson: _family(lambda d: d.rate.log(), lambda d: d.rate, lambda p: p.rate),
    Gamma: lambda p, q: _of_shapes(p.concentration, q.concentration, q.rate / p.rate),
    ContinuousBernoulli: _family(lambda d: d.logits, _less_log_start, lambda p: p.mean),
    Dirichlet: _of_concentrations(lambda d: d.concentration),
    Beta: _of_concentrations(_both),
}


def _any_family(p, q):
    """By the class's own log normalizer, whose gradient is the mean of t."""
    if type(p) is not type(q):
        raise NotImplementedError(f"The cross KL-divergence between different exponential families cannot{' ' * 29}be computed "
                                  "using Bregman divergences")
    theirs = q._natural_params
    with karat.enable_grad():
        eta = [one if one.requires_grad else one.detach().requires_grad_() for one in p._natural_params]
        normalizer = p._log_normalizer(*eta)
        means = karat.autograd.grad(normalizer.sum(), eta, create_graph=True)
    found = _bregman((normalizer, q._log_normalizer(*theirs)), (eta, theirs), means, len(q.event_shape))
    return found if karat.is_grad_enabled() else found.detach()


# ---- two families: E_p[-log q] by moments of p, less p's entropy ----


def _log_over(low, high):
    """E log x of a uniform x."""
    return (karat.special.xlogy(high, high) - karat.special.xlogy(low, low)) / (high - low) - 1


def _pareto_mean(p):
    return p.alpha * p.scale / (p.alpha - 1)


def _mean_distance(p, a):
    """E |x - a| of a normal x."""
    z = (p.loc - a) / p.scale
    return p.scale * (math.sqrt(2 / math.pi) * (-0.5 * z * z).exp() + z * (math.sqrt(0.5) * z).erf())


# a moment of p by p's class; None: of any other. `decay` is E exp((a - x) / s).
_MOMENTS = {
    "mean": {Pareto: _pareto_mean, None: lambda p: p.mean},
    "variance": {Pareto: lambda p: (p.scale / (p.alpha - 1)).square() * p.alpha / (p.alpha - 2), None: lambda p: p.variance},
    "log": {Beta: lambda p: p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma(),
            Exponential: lambda p: -euler_constant - p.rate.log(),
            Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
            Uniform: lambda p: _log_over(p.low, p.high)},
    "log_rest": {Uniform: lambda p: _log_over(1 - p.high, 1 - p.low)},  # E log(1 - x)
    "distance": {Normal: lambda p: lambda a: _mean_distance(p, a)},
    "decay": {Exponential: lambda p: lambda a, s: (a / s).exp() * (p.rate * s / (p.rate * s + 1)),
              Gamma: lambda p: lambda a, s: (a / s - p.concentration * (p.rate * s).reciprocal().log1p()).exp(),
              Normal: lambda p: lambda a, s: ((a - p.loc) / s + 0.5 * (p.scale / s).square()).exp(),
              Uniform: lambda p: lambda a, s: (((a - p.low) / s).exp() - ((a - p.high) / s).exp()) * s / (p.high - p.low)},
}

# E[-log q] and the moments that it is made of
_CROSS = {
    Beta: (lambda q, log, rest: _log_beta(_both(q)) - (q.concentration1 - 1) * log - (q.concentration0 - 1) * rest,
           "log", "log_rest"),
    ContinuousBernoulli: (lambda q, mean: _less_log_start(q) - mean * q.logits, "mean"),
    Exponential: (lambda q, mean: q.rate * mean - q.rate.log(), "mean"),
    Gamma: (lambda q, mean, log: (q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * log
                                  + q.rate * mean), "mean", "log"),
    Geometric: (lambda q, mean: -(mean + 1) * (-q.probs).log1p() - q.logits, "mean"),
    Gumbel: (lambda q, mean, decay: q.scale.log() + (mean - q.loc) / q.scale + decay(q.loc, q.scale), "mean", "decay"),
    Laplace: (lambda q, distance: (2 * q.scale).log() + distance(q.loc) / q.scale, "distance"),
    Normal: (lambda q, mean, variance: (q.scale.log() + 0.5 * math.log(2 * math.pi)
                                        + 0.5 * (variance + (mean - q.loc).square()) / q.scale.square()), "mean", "variance"),
    Pareto: (lambda q, log: (q.alpha + 1) * log - q.alpha * q.scale.log() - q.alpha.log(), "log"),
    Poisson: (lambda q, mean: q.rate - mean * q.rate.log(), "mean"),  # of an x of 0 or 1: log x! is 0
    Uniform: (lambda q: (q.high - q.low).log(),),
}


def _by_moments(type_p, type_q):
    cross, *names = _CROSS[type_q]
    moments = [_MOMENTS[name].get(type_p) or _MOMENTS[name][None] for name in names]
    return lambda p, q: cross(q, *(moment(p) for moment in moments)) - p.entropy()


# (p, q, where it is infinite; None: nowhere)
_PAIRS = [
    (Bernoulli, Poisson, None),
    (Beta, ContinuousBernoulli, None), (Beta, Exponential, None), (Beta, Gamma, None), (Beta, Normal, None),
    (Beta, Uniform, _beyond),
    (ContinuousBernoulli, Exponential, None), (ContinuousBernoulli, Normal, None), (ContinuousBernoulli, Uniform, _reaches),
    (Exponential, Gamma, None), (Exponential, Gumbel, None), (Exponential, Normal, None),
    (Gamma, Exponential, None), (Gamma, Gumbel, None), (Gamma, Normal, None), (Geometric, Geometric, None),
    (Gumbel, Normal, None), (Laplace, Normal, None), (Normal, Gumbel, None), (Normal, Laplace, None),
    (Pareto, Exponential, _heavy_tail(1)), (Pareto, Gamma, _heavy_tail(1)), (Pareto, Normal, _heavy_tail(2)),
    (Uniform, Beta, _beyond), (Uniform, ContinuousBernoulli, _reaches), (Uniform, Exponential, _beyond),
    (Uniform, Gamma, _beyond), (Uniform, Gumbel, None), (Uniform, Normal, None), (Uniform, Pareto, _beyond),
]
_UNBOUNDED = (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)
_OUTSIDE = {Beta: (Pareto,), ContinuousBernoulli: (Pareto,), Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
            Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform), Gumbel: _UNBOUNDED, Laplace: _UNBOUNDED, Normal: _UNBOUNDED,
            Pareto: (Beta, ContinuousBernoulli, Uniform), Poisson: (Bernoulli, Binomial)}


# ---- multivariate normals: E_p[-log q] is -log q at p's mean, and half of the trace of S_q^-1 S_p ----


def _squares(matrix):
    return matrix.square().sum((-2, -1))


def _whitened(p, triangle):
    """The trace of S_p by a triangle of S_q: the squares of triangle^-1 F, where F F^T is S_p."""
    if isinstance(p, MultivariateNormal):
        return _squares(karat.linalg.solve_triangular(triangle, p._unbroadcasted_scale_tril, upper=False))
    diagonal = karat.diag_embed(p._unbroadcasted_cov_diag.sqrt())
    factor = karat.cat([p._unbroadcasted_cov_factor, diagonal], -1)
    return _squares(karat.linalg.solve_triangular(triangle, factor, upper=False))


def _woodbury(p, q):
    """The trace of S_q^-1 S_p, where S_q = D + W W^T: that of D^-1 S_p, less what W takes away."""
    d = q._unbroadcasted_cov_diag
    taken = karat.linalg.solve_triangular(q._capacitance_tril, q._unbroadcasted_cov_factor.mT / d.unsqueeze(-2), upper=False)
    if isinstance(p, MultivariateNormal):
        factor = p._unbroadcasted_scale_tril
        return (factor.square().sum(-1) / d).sum(-1) - _squares(taken @ factor)
    factor, diagonal = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag
    each = (factor.square().sum(-1) + diagonal) / d - taken.square().sum(-2) * diagonal
    return each.sum(-1) - _squares(taken @ factor)


def _multivariate(which):
    def divergence(p, q):
        if p.event_shape != q.event_shape:
            raise ValueError(f"KL-divergence between two {which} with{' ' * 26}different event shapes cannot be computed")
        low_rank = isinstance(q, LowRankMultivariateNormal)
        trace = _woodbury(p, q) if low_rank else _whitened(p, q._unbroadcasted_scale_tril)
        return 0.5 * trace - q.log_prob(p.loc) - p.entropy()

    return divergence


# ---- distributions made of others ----


def _of_bases(alike, dims):
    def divergence(p, q):
        if not alike(p, q):
            raise NotImplementedError
        return summed_over_last(kl_divergence(p.base_dist, q.base_dist), dims(p))

    return divergence


def _register():
    same = {**_OUTCOMES, **_EXPONENTIAL, **{kind: _scaled(formula) for kind, formula in _LOCATION_SCALE.items()}}
    rows = [(kind, kind, divergence) for kind, divergence in same.items()]
    rows += [
        (ExponentialFamily, ExponentialFamily, _any_family),
        (HalfNormal, HalfNormal, lambda p, q: _LOCATION_SCALE[Normal](p.scale / q.scale, 0)),
        (Pareto, Pareto, _except(_beyond, lambda p, q: _of_rates(p.alpha, q.alpha) + q.alpha * (p.scale / q.scale).log())),
        (Uniform, Uniform, _except(_beyond, lambda p, q: ((q.high - q.low) / (p.high - p.low)).log())),
        (MultivariateNormal, MultivariateNormal, _multivariate("Multivariate Normals")),
        (LowRankMultivariateNormal, LowRankMultivariateNormal, _multivariate("Low Rank Multivariate Normals")),
        (MultivariateNormal, LowRankMultivariateNormal, _multivariate("(Low Rank) Multivariate Normals")),
        (LowRankMultivariateNormal, MultivariateNormal, _multivariate("(Low Rank) Multivariate Normals")),
        (TransformedDistribution, TransformedDistribution,  # a bijection changes no divergence
         _of_bases(lambda p, q: p.transforms == q.transforms and p.event_shape == q.event_shape, lambda p: 0)),
        (Independent, Independent, _of_bases(lambda p, q: p.reinterpreted_batch_ndims == q.reinterpreted_batch_ndims,
                                             lambda p: p.reinterpreted_batch_ndims)),
    ]
    for type_p, type_q, outside in _PAIRS:
        divergence = _by_moments(type_p, type_q)
        rows.append((type_p, type_q, _except(outside, divergence) if outside else divergence))
    rows += [(type_p, type_q, _everywhere(type_p)) for type_p, others in _OUTSIDE.items() for type_q in others]
    for type_p, type_q, divergence in rows:
        register_kl(type_p, type_q)(divergence)
    names = sorted((type_p.__name__, type_q.__name__) for type_p, type_q, _ in rows)
    kl_divergence.__doc__ = "\n".join([kl_divergence.__doc__ or "", "    Registered are:", "",
                                       *(f"    * {p} and {q}" for p, q in names)])


_register()
