"""karat.distributions.kl: the Kullback-Leibler divergence of pairs of distributions, in closed form.

register_kl registers one for a pair of classes; kl_divergence takes that of the nearest classes. Where p has mass outside of q's
support the divergence is infinite.
"""

import math
import warnings

import karat
from karat import inf

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
from .lowrank_multivariate_normal import LowRankMultivariateNormal, _batch_lowrank_logdet, _batch_lowrank_mahalanobis
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost
from .utils import euler_constant as _euler_gamma

__all__ = ["register_kl", "kl_divergence"]

_KL_REGISTRY = {}  # by pair of classes, as they were registered
_KL_MEMOIZE = {}  # by pair of classes, as they were asked for


def register_kl(type_p, type_q):
    """Decorator: registers a function for the divergence of a type_p from a type_q.

    Where several pairs fit, none of them nearer for both classes, register one for the very pair to end the doubt."""
    if not isinstance(type_p, type) and issubclass(type_p, Distribution):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not isinstance(type_q, type) and issubclass(type_q, Distribution):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def decorator(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def _dispatch_kl(type_p, type_q):
    """The registered function of the nearest classes: nearest to p first, and to q first, which should be the same."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    far_p, far_q = type_p.__mro__.index, type_q.__mro__.index
    left = min(matches, key=lambda m: (far_p(m[0]), far_q(m[1])))
    right = min(matches, key=lambda m: (far_q(m[1]), far_p(m[0])))
    if _KL_REGISTRY[left] is not _KL_REGISTRY[right]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left[0].__name__}, "
                      f"{right[1].__name__})", RuntimeWarning, stacklevel=2)
    return _KL_REGISTRY[left]


def kl_divergence(p, q):
    """The Kullback-Leibler divergence KL(p || q) = E_p[log p(x) - log q(x)], of shape batch_shape.

    Raises NotImplementedError if no function is registered for the classes of p and q (register_kl).
    """
    kind = type(p), type(q)
    fun = _KL_MEMOIZE.get(kind)
    if fun is None:
        fun = _KL_MEMOIZE[kind] = _dispatch_kl(*kind)
    if fun is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type "
                                  f"{q.__class__.__name__}")
    return fun(p, q)


def _add_kl_info():
    """Appends the registered pairs to the documentation of kl_divergence."""
    rows = [f"    * {p.__name__} and {q.__name__}" for p, q in sorted(_KL_REGISTRY, key=lambda m: (m[0].__name__, m[1].__name__))]
    kl_divergence.__doc__ = "\n".join([kl_divergence.__doc__ or "", "    Registered are:", "", *rows])


def _infinite_like(tensor):
    return karat.full_like(tensor, inf)


def _x_log_x(tensor):
    return karat.special.xlogy(tensor, tensor)


def _batch_trace_XXT(bmat):  # noqa: N802
    """The trace of X X^T."""
    return bmat.pow(2).sum((-2, -1))


def _infinite_where(outside, result):
    """The result, infinite where p has mass outside of q's support."""
    result[outside] = inf
    return result


# ---- the same family ----

@register_kl(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(p, q):
    softplus = karat.nn.functional.softplus
    ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    ones[q.probs == 0] = inf
    ones[p.probs == 0] = 0
    zeros = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    zeros[q.probs == 1] = inf
    zeros[p.probs == 1] = 0
    return ones + zeros


@register_kl(Beta, Beta)
def _kl_beta_beta(p, q):
    sum_p = p.concentration1 + p.concentration0
    sum_q = q.concentration1 + q.concentration0
    log_beta_q = q.concentration1.lgamma() + q.concentration0.lgamma() + sum_p.lgamma()
    log_beta_p = p.concentration1.lgamma() + p.concentration0.lgamma() + sum_q.lgamma()
    return (log_beta_q - log_beta_p + (p.concentration1 - q.concentration1) * p.concentration1.digamma()
            + (p.concentration0 - q.concentration0) * p.concentration0.digamma() + (sum_q - sum_p) * sum_p.digamma())


@register_kl(Binomial, Binomial)
def _kl_binomial_binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    kl = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    more = p.total_count > q.total_count
    kl[more] = _infinite_like(kl[more])
    return kl


@register_kl(Categorical, Categorical)
def _kl_categorical_categorical(p, q):
    t = p.probs * (p.logits - q.logits)
    t[(q.probs == 0).expand_as(t)] = inf
    t[(p.probs == 0).expand_as(t)] = 0
    return t.sum(-1)


@register_kl(Cauchy, Cauchy)
def _kl_cauchy_cauchy(p, q):
    apart = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return apart - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _kl_continuous_bernoulli_continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + karat.log1p(-p.probs) - q._cont_bern_log_norm()
            - karat.log1p(-q.probs))


@register_kl(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(p, q):
    sum_p = p.concentration.sum(-1)
    normalizers = (sum_p.lgamma() - q.concentration.sum(-1).lgamma()
                   - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1))
    slopes = p.concentration.digamma() - sum_p.digamma().unsqueeze(-1)
    return normalizers + ((p.concentration - q.concentration) * slopes).sum(-1)


@register_kl(Exponential, Exponential)
def _kl_exponential_exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _kl_expfamily_expfamily(p, q):
    """The Bregman divergence of the log normalizer, between the natural parameters."""
    if not type(p) == type(q):  # noqa: E721
        raise NotImplementedError(f"The cross KL-divergence between different exponential families cannot{' ' * 29}be computed "
                                  "using Bregman divergences")
    natural_p = [n.detach().requires_grad_() for n in p._natural_params]
    natural_q = q._natural_params
    normalizer = p._log_normalizer(*natural_p)
    gradients = karat.autograd.grad(normalizer.sum(), natural_p, create_graph=True)
    result = q._log_normalizer(*natural_q) - normalizer
    for theta_p, theta_q, gradient in zip(natural_p, natural_q, gradients):
        result = result - _sum_rightmost((theta_q - theta_p) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _kl_gamma_gamma(p, q):
    return (q.concentration * (p.rate / q.rate).log() + karat.lgamma(q.concentration) - karat.lgamma(p.concentration)
            + (p.concentration - q.concentration) * karat.digamma(p.concentration)
            + (q.rate - p.rate) * (p.concentration / p.rate))


@register_kl(Gumbel, Gumbel)
def _kl_gumbel_gumbel(p, q):
    scales, moved_q, moved_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    across = scales * _euler_gamma - moved_q + moved_p
    return -scales.log() + across + karat.exp(moved_q + (1 + scales).lgamma() - moved_p) - (1 + _euler_gamma)


@register_kl(Geometric, Geometric)
def _kl_geometric_geometric(p, q):
    return -p.entropy() - karat.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _kl_halfnormal_halfnormal(p, q):
    return _kl_normal_normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _kl_laplace_laplace(p, q):
    scales, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -scales.log() + apart / q.scale + scales * karat.exp(-apart / p.scale) - 1


@register_kl(Normal, Normal)
def _kl_normal_normal(p, q):
    variances = (p.scale / q.scale).pow(2)
    return 0.5 * (variances + ((p.loc - q.loc) / q.scale).pow(2) - 1 - variances.log())


@register_kl(OneHotCategorical, OneHotCategorical)
def _kl_onehotcategorical_onehotcategorical(p, q):
    return _kl_categorical_categorical(p._categorical, q._categorical)


@register_kl(Pareto, Pareto)
def _kl_pareto_pareto(p, q):
    alphas = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - alphas.log() + alphas - 1
    return _infinite_where(p.support.lower_bound < q.support.lower_bound, result)


@register_kl(Poisson, Poisson)
def _kl_poisson_poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _kl_uniform_uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return _infinite_where((q.low > p.low) | (q.high < p.high), result)


# ---- multivariate normals ----

def _same_events(p, q, which):
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {which} with{' ' * 26}different event shapes cannot be computed")


def _spread(matrix, shape, *last):
    return matrix.expand(shape + last)


def _half_log_det(dist):
    return dist._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


@register_kl(MultivariateNormal, MultivariateNormal)
def _kl_multivariatenormal_multivariatenormal(p, q):
    _same_events(p, q, "Multivariate Normals")
    n = p.event_shape[0]
    batch = karat.broadcast_shapes(q._unbroadcasted_scale_tril.shape[:-2], p._unbroadcasted_scale_tril.shape[:-2])
    q_tril = _spread(q._unbroadcasted_scale_tril, batch, n, n)
    p_tril = _spread(p._unbroadcasted_scale_tril, batch, n, n)
    trace = _batch_trace_XXT(karat.linalg.solve_triangular(q_tril, p_tril, upper=False))
    distance = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return _half_log_det(q) - _half_log_det(p) + 0.5 * (trace + distance - n)


def _log_det(dist):
    if isinstance(dist, MultivariateNormal):
        return 2 * _half_log_det(dist)
    return _batch_lowrank_logdet(dist._unbroadcasted_cov_factor, dist._unbroadcasted_cov_diag, dist._capacitance_tril)


def _lowrank_distance(p, q):
    return _batch_lowrank_mahalanobis(q._unbroadcasted_cov_factor, q._unbroadcasted_cov_diag, q.loc - p.loc, q._capacitance_tril)


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _kl_lowrankmultivariatenormal_lowrankmultivariatenormal(p, q):
    """tr(S_q^-1 S_p), S_q^-1 by Woodbury's identity, in parts: of the diagonals and the factors."""
    _same_events(p, q, "Low Rank Multivariate Normals")
    q_scaled = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    a = karat.linalg.solve_triangular(q._capacitance_tril, q_scaled, upper=False)
    diagonals = (p._unbroadcasted_cov_diag / q._unbroadcasted_cov_diag).sum(-1)
    factor = _batch_trace_XXT(p._unbroadcasted_cov_factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
    less_diagonal = _batch_trace_XXT(a * p._unbroadcasted_cov_diag.sqrt().unsqueeze(-2))
    less_factor = _batch_trace_XXT(a.matmul(p._unbroadcasted_cov_factor))
    trace = diagonals + factor - less_diagonal - less_factor
    return 0.5 * (_log_det(q) - _log_det(p) + trace + _lowrank_distance(p, q) - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _kl_multivariatenormal_lowrankmultivariatenormal(p, q):
    _same_events(p, q, "(Low Rank) Multivariate Normals")
    q_scaled = q._unbroadcasted_cov_factor.mT / q._unbroadcasted_cov_diag.unsqueeze(-2)
    a = karat.linalg.solve_triangular(q._capacitance_tril, q_scaled, upper=False)
    diagonal = _batch_trace_XXT(p._unbroadcasted_scale_tril * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
    trace = diagonal - _batch_trace_XXT(a.matmul(p._unbroadcasted_scale_tril))
    return 0.5 * (_log_det(q) - _log_det(p) + trace + _lowrank_distance(p, q) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _kl_lowrankmultivariatenormal_multivariatenormal(p, q):
    _same_events(p, q, "(Low Rank) Multivariate Normals")
    n = p.event_shape[0]
    batch = karat.broadcast_shapes(q._unbroadcasted_scale_tril.shape[:-2], p._unbroadcasted_cov_factor.shape[:-2])
    q_tril = _spread(q._unbroadcasted_scale_tril, batch, n, n)
    factor = _spread(p._unbroadcasted_cov_factor, batch, n, p.cov_factor.size(-1))
    diagonal = _spread(karat.diag_embed(p._unbroadcasted_cov_diag.sqrt()), batch, n, n)
    trace = (_batch_trace_XXT(karat.linalg.solve_triangular(q_tril, factor, upper=False))
             + _batch_trace_XXT(karat.linalg.solve_triangular(q_tril, diagonal, upper=False)))
    distance = _batch_mahalanobis(q._unbroadcasted_scale_tril, q.loc - p.loc)
    return 0.5 * (_log_det(q) - _log_det(p) + trace + distance - n)


# ---- wrapped distributions ----

@register_kl(TransformedDistribution, TransformedDistribution)
def _kl_transformed_transformed(p, q):
    """A bijection changes no divergence."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _kl_independent_independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# ---- two families: -entropy(p) - E_p[log q] ----

def _normal_distance(q, mean, variance):
    """-E[log q] of a normal q, of a variable of that mean and variance."""
    return 0.5 * (2 * math.pi * q.scale.pow(2)).log() + 0.5 * (variance + (mean - q.loc).pow(2)) / q.scale.pow(2)


def _gamma_distance(q, mean, mean_log):
    """The same of a gamma q, by the means of the variable and of its logarithm."""
    return (q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * mean_log + q.rate * mean)


def _exponential_distance(q, mean):
    return q.rate * mean - q.rate.log()


def _continuous_bernoulli_distance(q, mean):
    return -mean * q.logits - karat.log1p(-q.probs) - q._cont_bern_log_norm()


def _infinite_by(attribute):
    return lambda p, q: _infinite_like(getattr(p, attribute))


@register_kl(Bernoulli, Poisson)
def _kl_bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _kl_beta_continuous_bernoulli(p, q):
    return -p.entropy() + _continuous_bernoulli_distance(q, p.mean)


@register_kl(Beta, Exponential)
def _kl_beta_exponential(p, q):
    return -p.entropy() + _exponential_distance(q, p.mean)


@register_kl(Beta, Gamma)
def _kl_beta_gamma(p, q):
    mean_log = p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    return -p.entropy() + _gamma_distance(q, p.mean, mean_log)


@register_kl(Beta, Normal)
def _kl_beta_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(Beta, Uniform)
def _kl_beta_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return _infinite_where((q.low > p.support.lower_bound) | (q.high < p.support.upper_bound), result)


@register_kl(ContinuousBernoulli, Exponential)
def _kl_continuous_bernoulli_exponential(p, q):
    return -p.entropy() + _exponential_distance(q, p.mean)


@register_kl(ContinuousBernoulli, Normal)
def _kl_continuous_bernoulli_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(ContinuousBernoulli, Uniform)
def _kl_continuous_bernoulli_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return karat.where(karat.max(karat.ge(q.low, p.support.lower_bound), karat.le(q.high, p.support.upper_bound)),
                       karat.ones_like(result) * inf, result)


@register_kl(Exponential, Gamma)
def _kl_exponential_gamma(p, q):
    return -p.entropy() + _gamma_distance(q, p.mean, -_euler_gamma - p.rate.log())


@register_kl(Exponential, Gumbel)
def _kl_exponential_gumbel(p, q):
    scaled, moved = p.rate * q.scale, q.loc / q.scale
    return scaled.log() - 1 - moved + karat.exp(moved) * scaled / (scaled + 1) + scaled.reciprocal()


@register_kl(Exponential, Normal)
def _kl_exponential_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(Gamma, Exponential)
def _kl_gamma_exponential(p, q):
    return -p.entropy() + _exponential_distance(q, p.mean)


@register_kl(Gamma, Gumbel)
def _kl_gamma_gumbel(p, q):
    scaled, moved = p.rate * q.scale, q.loc / q.scale
    return (-p.entropy() + q.scale.log() + p.concentration / scaled - moved
            + moved.exp() * (1 + scaled.reciprocal()).pow(-p.concentration))


@register_kl(Gamma, Normal)
def _kl_gamma_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(Gumbel, Normal)
def _kl_gumbel_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(Laplace, Normal)
def _kl_laplace_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(Normal, Gumbel)
def _kl_normal_gumbel(p, q):
    away = (p.loc - q.loc) / q.scale
    return -p.entropy() + q.scale.log() + away + karat.exp(-away + 0.5 * (p.scale / q.scale).pow(2))


@register_kl(Normal, Laplace)
def _kl_normal_laplace(p, q):
    z = (p.loc - q.loc) / p.scale
    mean_distance = p.scale * (math.sqrt(2 / math.pi) * karat.exp(-0.5 * z.pow(2)) + z * karat.erf(math.sqrt(0.5) * z))
    return -p.entropy() + (2 * q.scale).log() + mean_distance / q.scale


@register_kl(Pareto, Exponential)
def _kl_pareto_exponential(p, q):
    return _infinite_where(p.alpha <= 1, -p.entropy() + _exponential_distance(q, p.alpha * p.scale / (p.alpha - 1)))


@register_kl(Pareto, Gamma)
def _kl_pareto_gamma(p, q):
    mean_log = p.scale.log() + p.alpha.reciprocal()
    return _infinite_where(p.alpha <= 1, -p.entropy() + _gamma_distance(q, p.alpha * p.scale / (p.alpha - 1), mean_log))


@register_kl(Pareto, Normal)
def _kl_pareto_normal(p, q):
    mean = p.alpha * p.scale / (p.alpha - 1)
    variance = p.alpha * (p.scale / (p.alpha - 1)).pow(2) / (p.alpha - 2)
    return _infinite_where(p.alpha <= 2, -p.entropy() + _normal_distance(q, mean, variance))


def _mean_log(low, high):
    """The mean of log(x) of a uniform x from [low, high]."""
    return (_x_log_x(high) - _x_log_x(low)) / (high - low) - 1


@register_kl(Uniform, Beta)
def _kl_uniform_beta(p, q):
    log_beta = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result = (-p.entropy() + log_beta - (q.concentration1 - 1) * _mean_log(p.low, p.high)
              - (q.concentration0 - 1) * _mean_log(1 - p.high, 1 - p.low))
    return _infinite_where((p.high > q.support.upper_bound) | (p.low < q.support.lower_bound), result)


@register_kl(Uniform, ContinuousBernoulli)
def _kl_uniform_continuous_bernoulli(p, q):
    result = -p.entropy() + _continuous_bernoulli_distance(q, p.mean)
    return karat.where(karat.max(karat.ge(p.high, q.support.upper_bound), karat.le(p.low, q.support.lower_bound)),
                       karat.ones_like(result) * inf, result)


@register_kl(Uniform, Exponential)
def _kl_uniform_exponetial(p, q):
    return _infinite_where(p.low < q.support.lower_bound, -p.entropy() + _exponential_distance(q, p.mean))


@register_kl(Uniform, Gamma)
def _kl_uniform_gamma(p, q):
    result = -p.entropy() + _gamma_distance(q, p.mean, _mean_log(p.low, p.high))
    return _infinite_where(p.low < q.support.lower_bound, result)


@register_kl(Uniform, Gumbel)
def _kl_uniform_gumbel(p, q):
    share = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return share.log() + 0.5 * (high + low) - share * (karat.exp(-high) - karat.exp(-low))


@register_kl(Uniform, Normal)
def _kl_uniform_normal(p, q):
    return -p.entropy() + _normal_distance(q, p.mean, p.variance)


@register_kl(Uniform, Pareto)
def _kl_uniform_pareto(p, q):
    result = (-p.entropy() - q.alpha.log() - q.alpha * q.scale.log() + (q.alpha + 1) * _mean_log(p.low, p.high))
    return _infinite_where(p.low < q.support.lower_bound, result)


# ---- p has mass where q has none ----

_OUTSIDE = {Beta: ("concentration1", [Pareto]),
            ContinuousBernoulli: ("probs", [Pareto]),
            Exponential: ("rate", [Beta, ContinuousBernoulli, Pareto, Uniform]),
            Gamma: ("concentration", [Beta, ContinuousBernoulli, Pareto, Uniform]),
            Gumbel: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
            Laplace: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
            Normal: ("loc", [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform]),
            Pareto: ("scale", [Beta, ContinuousBernoulli, Uniform]),
            Poisson: ("rate", [Bernoulli, Binomial])}
for _p, (_attribute, _others) in _OUTSIDE.items():
    for _q in _others:
        register_kl(_p, _q)(_infinite_by(_attribute))
