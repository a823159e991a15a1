"""karat.distributions: densities, moments and divergences against SciPy's and mpmath's numbers (recorded here), samples against
their moments, gradients of samples against differences of the inverse distribution, and the refusals' texts."""

import copy
import math
import pickle
import subprocess
import sys

import pytest

import karat
import karat.distributions as D
from karat.distributions import constraints as C
from karat.distributions import transforms as T
from karat.distributions import utils

f64 = karat.float64


def t64(*values):
    return karat.tensor(values, dtype=f64)


def made(name, arguments):
    """The class, all arguments as float64 tensors; counts stay numbers."""
    if name == "Binomial":
        return D.Binomial(arguments[0], t64(arguments[1])[0])
    return getattr(D, name)(*(t64(a)[0] for a in arguments))


# name, arguments, x, log_prob(x), cdf(x), entropy, mean, variance: by scipy.stats, in its own parameters
KNOWN = [
    ("Normal", (0.7, 1.9), 1.3, -1.6106539152219428, 0.623918845810973, 2.0607924193770675, 0.7, 3.61),
    ("Laplace", (-0.4, 1.3), 0.9, -1.9555114450274362, 0.8160602794142788, 1.9555114450274365, -0.4, 3.38),
    ("Cauchy", (0.2, 0.8), 1.7, -2.4291299392879506, 0.8440417392452615, 2.307880695655081, math.nan, math.inf),
    ("Uniform", (-1.5, 2.5), 0.4, -1.3862943611198906, 0.475, 1.3862943611198906, 0.5, 1.3333333333333333),
    ("Exponential", (1.7,), 0.6, -0.48937174893782964, 0.6394050598269216, 0.4693717489378296, 0.5882352941176471,
     0.34602076124567477),
    ("Gamma", (2.3, 1.4), 1.1, -0.7964000769852184, 0.36605731131787994, 1.3376653738652573, 1.6428571428571428,
     1.1734693877551021),
    ("Chi2", (3.7,), 2.2, -1.6562097147066117, 0.3465444838809443, 2.2142033764266302, 3.7, 7.4),
    ("Beta", (2.1, 3.3), 0.35, 0.6195666719486628, None, -0.26987508991882425, 0.3888888888888889, 0.03713348765432098),
    ("StudentT", (5.5, 0.3, 1.2), -0.8, -1.6085403701808425, None, 1.790265411445505, 0.3, 2.262857142857143),
    ("FisherSnedecor", (3.5, 7.2), 1.3, -1.1959217236250552, None, None, 1.3846153846153846, 2.978444632290785),
    ("Gumbel", (0.5, 1.6), 1.9, -1.761865648924244, 0.6591118581362204, 2.0472192941472684, 1.4235450638424525,
     4.21103121113146),
    ("HalfNormal", (1.4,), 0.8, -0.7255288953883894, 0.43229083380264743, 1.0622635892659402, 1.1170383851240115,
     0.7122252461595404),
    ("HalfCauchy", (1.4,), 0.8, -1.0706219136956783, 0.33049868107713587, 2.1743493030305583, math.inf, math.inf),
    ("LogNormal", (0.3, 0.7), 1.6, -1.061758273569555, 0.5959439748800377, 1.3622635892659403, 1.7246083823764355,
     1.8806817386743677),
    ("Pareto", (1.2, 3.4), 2.0, -1.2061788697421982, 0.8239182883251207, 0.2526637722306625, 1.7, 0.6071428571428572),
    ("Weibull", (1.7, 2.3), 1.1, -0.6310592737729732, 0.3074858812284437, 1.0239714604627155, 1.506054997368685,
     0.4822156282246598),
    ("InverseGamma", (3.6, 2.2), 0.9, -0.43426288368348775, 0.6943725551323866, 0.4773316169519267, 0.8461538461538461,
     0.4474852071005917),
    ("GeneralizedPareto", (0.5, 1.5, 0.2), 2.5, -1.8237977764935465, 0.6933179973821725, 1.6054651081081643, 2.375, 5.859375),
    ("Kumaraswamy", (2.2, 3.1), 0.4, 0.5201012490058892, None, -0.2271731597804075, 0.4806834846647334, None),
    ("ContinuousBernoulli", (0.3,), 0.6, -0.11446590929059579, None, -0.029386202232129045, 0.43022250114382865, None),
    ("VonMises", (0.4, 2.5), 1.3, -1.4746908169287123, None, None, 0.4, None),
    ("Bernoulli", (0.3,), 1.0, -1.2039728043259361, None, 0.6108643020548935, 0.3, 0.21),
    ("Binomial", (9, 0.35), 4.0, -1.5169211715055053, None, 1.770073869999827, 3.15, 2.0475),
    ("Geometric", (0.3,), 4.0, -2.6306725800808657, None, 2.036214340182978, 2.3333333333333335, 7.777777777777779),
    ("Poisson", (3.4,), 5.0, -2.0686145846714674, None, None, 3.4, 3.4),
    ("NegativeBinomial", (4.5, 0.6), 7.0, -2.385985115136248, None, None, 6.75, 16.875),
]


@pytest.mark.parametrize("name, arguments, x, log_prob, cdf, entropy, mean, variance", KNOWN, ids=[k[0] for k in KNOWN])
def test_numbers(name, arguments, x, log_prob, cdf, entropy, mean, variance):
    d = made(name, arguments)
    at = t64(x)[0]
    for got, want in ((d.log_prob(at), log_prob), (cdf and d.cdf(at), cdf), (entropy and d.entropy(), entropy), (d.mean, mean),
                      (variance and d.variance, variance)):
        if want is not None:
            assert got.dtype == f64 and got.shape == ()
            assert got.item() == pytest.approx(want, rel=1e-11, nan_ok=True)
    if entropy:
        assert d.perplexity().item() == pytest.approx(math.exp(entropy), rel=1e-11)
    if variance and variance < math.inf:
        assert d.stddev.item() == pytest.approx(math.sqrt(variance), rel=1e-11)
    if cdf and name not in ("Gamma", "Chi2", "InverseGamma"):  # they have no inverse
        assert d.icdf(t64(cdf)[0]).item() == pytest.approx(x, rel=1e-9)


COVARIANCE = [[2.0, 0.6], [0.6, 1.1]]


@pytest.mark.parametrize("make, x, log_prob, entropy", [
    (lambda: D.Dirichlet(t64(1.2, 3.4, 0.8)), [0.3, 0.6, 0.1], 1.632435344845053, -1.5225512197768776),
    (lambda: D.MultivariateNormal(t64(0.5, -0.3), karat.tensor(COVARIANCE, dtype=f64)), [1.0, 0.4], -2.369662026132836,
     3.1427598522197924),
    (lambda: D.MultivariateNormal(t64(0.5, -0.3), precision_matrix=karat.linalg.inv(karat.tensor(COVARIANCE, dtype=f64))),
     [1.0, 0.4], -2.369662026132836, 3.1427598522197924),
    (lambda: D.LowRankMultivariateNormal(t64(0, 0, 0), t64(0.5, 1.2, -0.4)[:, None], t64(0.7, 1.1, 0.4)), [0.3, -0.2, 0.5],
     -3.081775971580809, 4.228212862728628),
    (lambda: D.Wishart(t64(4.5)[0], karat.tensor(COVARIANCE, dtype=f64)), [[3.0, 0.5], [0.5, 2.0]], -5.612722668269476,
     7.491911245779842),
    (lambda: D.Multinomial(6, t64(0.2, 0.5, 0.3)), [1.0, 3, 2], -2.002480500543708, 2.7906567474696913),
    (lambda: D.LKJCholesky(3, t64(1.5)[0]), karat.linalg.cholesky(
        karat.tensor([[1, 0.5, 0.2], [0.5, 1, -0.3], [0.2, -0.3, 1]], dtype=f64)).tolist(), -1.4606971340453778, None)])
def test_numbers_of_vectors_and_matrices(make, x, log_prob, entropy):
    d = make()
    assert d.log_prob(karat.tensor(x, dtype=f64)).item() == pytest.approx(log_prob, rel=1e-11)
    if entropy:
        assert d.entropy().item() == pytest.approx(entropy, rel=1e-11)


# p, q, the integral of p (log p - log q): by scipy.integrate.quad over scipy.stats' densities
KL = [("Normal Laplace", 0.25101011560816555), ("Normal Gumbel", 0.32038918027044994), ("Laplace Normal", 0.2410150349803582),
      ("Gumbel Normal", 0.16932778873977053), ("Gamma Exponential", 0.9245635179297148),
      ("Exponential Gamma", 1.1746580643105318), ("Gamma Normal", 0.5087847989178812), ("Gamma Gumbel", 0.43145976256292784),
      ("Exponential Normal", 1.1410760874373884), ("Exponential Gumbel", 1.0551873262262546), ("Beta Gamma", 1.6319317597187888),
      ("Beta Normal", 1.849216485904079), ("Beta Exponential", 0.4003579499677655), ("Uniform Beta", 0.3287879957112358),
      ("Uniform Gamma", 1.8156911747935467), ("Uniform Normal", 2.265481612864067), ("Uniform Gumbel", 2.1678475196821134),
      ("Uniform Exponential", 0.9275189294977746), ("Pareto Exponential", 2.106707976707166),
      ("Pareto Gamma", 0.8882685734915663),
      ("Pareto Normal", 1.5307246107396)]
PARTS = {"Normal": (0.7, 1.9), "Laplace": (-0.4, 1.3), "Gumbel": (0.5, 1.6), "Gamma": (2.3, 1.4), "Exponential": (1.7,),
         "Beta": (2.1, 3.3), "Uniform": (0.2, 0.7), "Pareto": (1.2, 3.4)}


@pytest.mark.parametrize("pair, want", KL)
def test_divergences_of_two_families(pair, want):
    p, q = pair.split()
    assert D.kl_divergence(made(p, PARTS[p]), made(q, PARTS[q])).item() == pytest.approx(want, rel=1e-7)


@pytest.mark.parametrize("p, q, want", [
    (D.Cauchy, ((0.2, 0.8), (-1, 1.5)), 0.3379592257427912), (D.Gumbel, ((0.5, 1.6), (-0.5, 2.0)), 0.1726132313921904),
    (D.Laplace, ((-0.4, 1.3), (0.3, 2.0)), 0.16015247688625547), (D.Beta, ((2.1, 3.3), (1.5, 0.9)), 0.4958073184150441),
    (D.Gamma, ((2.3, 1.4), (1.5, 0.9)), 0.04638076868628719)])
def test_divergences_of_one_family(p, q, want):
    a, b = (p(*(t64(v)[0] for v in values)) for values in q)
    assert D.kl_divergence(a, b).item() == pytest.approx(want, rel=1e-8)
    assert D.kl_divergence(a, a).item() == pytest.approx(0, abs=1e-12)


def test_divergences_against_samples():
    karat.manual_seed(0)
    w = t64(0.5, 1.2, -0.4)[:, None]
    low = D.LowRankMultivariateNormal(t64(0.2, 0, 0), w, t64(0.7, 1.1, 0.4))
    full = D.MultivariateNormal(t64(0, 0.1, 0), low.covariance_matrix + 0.3 * karat.eye(3, dtype=f64))
    other = D.LowRankMultivariateNormal(t64(0, 0, 0), -0.5 * w, t64(1, 1, 1))
    pairs = [(low, full), (full, low), (low, other), (D.Dirichlet(t64(1.2, 3.4)), D.Dirichlet(t64(2, 2))),
             (D.Bernoulli(t64(0.3)[0]), D.Bernoulli(t64(0.6)[0])), (D.Poisson(t64(3)[0]), D.Poisson(t64(4)[0])),
             (D.Categorical(t64(0.2, 0.5, 0.3)), D.Categorical(t64(0.4, 0.4, 0.2))),
             (D.Geometric(t64(0.3)[0]), D.Geometric(t64(0.5)[0])), (D.Bernoulli(t64(0.3)[0]), D.Poisson(t64(0.7)[0])),
             (D.LogNormal(t64(0.3)[0], t64(0.7)[0]), D.LogNormal(t64(0)[0], t64(1)[0])),
             (D.Binomial(5, t64(0.3)[0]), D.Binomial(5, t64(0.6)[0]))]
    for p, q in pairs:
        x = p.sample((20000,))
        drawn = p.log_prob(x) - q.log_prob(x)
        want = D.kl_divergence(p, q)
        assert abs(drawn.mean() - want) < 5 * drawn.std() / math.sqrt(20000), (p, q)


def test_divergences_outside_of_the_support_and_without_a_formula():
    one = t64(1)[0]
    for p, q in ((D.Normal(one, one), D.Exponential(one)), (D.Exponential(one), D.Beta(one, one)),
                 (D.Uniform(-one, one), D.Gamma(one, one)), (D.Gumbel(one, one), D.Pareto(one, one))):
        assert D.kl_divergence(p, q).item() == math.inf
    with pytest.raises(NotImplementedError, match=r"^No KL\(p \|\| q\) is implemented for p type Normal and q type StudentT$"):
        D.kl_divergence(D.Normal(0.0, 1.0), D.StudentT(3.0))
    with pytest.raises(NotImplementedError, match="q.total_count > p.total_count is not implemented"):
        D.kl_divergence(D.Binomial(3, one / 2), D.Binomial(4, one / 2))


def test_a_registered_divergence_is_found_by_the_nearest_classes():
    class Mine(D.Normal):
        pass

    class Other(D.Normal):
        pass

    assert D.kl_divergence(Mine(0.0, 1.0), Other(0.0, 1.0)).item() == 0
    D.register_kl(Mine, D.Normal)(lambda p, q: "left")
    assert D.kl_divergence(Mine(0.0, 1.0), Other(0.0, 1.0)) == "left"
    D.register_kl(D.Normal, Other)(lambda p, q: "right")
    with pytest.warns(RuntimeWarning, match=r"^Ambiguous kl_divergence\(Mine, Other\). Please register_kl\(Mine, Other\)$"):
        assert D.kl_divergence(Mine(0.0, 1.0), Other(0.0, 1.0)) == "left"


def numbers(*values):
    return [t64(v)[0] for v in values]


# by PyTorch 2.11: pairs whose p or q is a continuous Bernoulli, and others that the integrals above leave out
@pytest.mark.parametrize("p, q, want", [
    (lambda: D.ContinuousBernoulli(*numbers(0.3)), lambda: D.Normal(*numbers(0.7, 1.9)), 1.6113981577719785),
    (lambda: D.ContinuousBernoulli(*numbers(0.3)), lambda: D.Exponential(*numbers(1.7)), 0.23013620311446736),
    (lambda: D.Beta(*numbers(2.1, 3.3)), lambda: D.ContinuousBernoulli(*numbers(0.3)), 0.20546700646101212),
    (lambda: D.Uniform(*numbers(0.2, 0.7)), lambda: D.ContinuousBernoulli(*numbers(0.3)), 0.6805184107924604),
    (lambda: D.Uniform(*numbers(1.5, 2.5)), lambda: D.Pareto(*numbers(1.2, 3.4)), 1.1594596123802605),
    (lambda: D.Bernoulli(*numbers(0.3)), lambda: D.Poisson(*numbers(0.8)), 0.2560787633393694),
    (lambda: D.ContinuousBernoulli(*numbers(0.3)), lambda: D.ContinuousBernoulli(*numbers(0.6)), 0.06451926445321665),
    (lambda: D.ContinuousBernoulli(*numbers(0.5)), lambda: D.ContinuousBernoulli(*numbers(0.6)), 0.006840721103852643),
    (lambda: D.Geometric(*numbers(0.3)), lambda: D.Geometric(*numbers(0.6)), 0.612622991289374),
    (lambda: D.Geometric(*numbers(1)), lambda: D.Geometric(*numbers(0.6)), -math.log(0.6)),
    (lambda: D.Bernoulli(*numbers(0)), lambda: D.Bernoulli(*numbers(0.6)), -math.log(0.4)),
    (lambda: D.Bernoulli(*numbers(1)), lambda: D.Bernoulli(*numbers(0.25)), math.log(4)),
    (lambda: D.Binomial(4, *numbers(1)), lambda: D.Binomial(4, *numbers(0.5)), 4 * math.log(2)),  # PyTorch: -inf
    (lambda: D.HalfNormal(*numbers(1.3)), lambda: D.HalfNormal(*numbers(0.7)), 0.6054505875121442),
    (lambda: D.Exponential(*numbers(1.3)), lambda: D.Exponential(*numbers(0.7)), 0.15750074686776205),
    (lambda: D.Poisson(*numbers(1.3)), lambda: D.Poisson(*numbers(0.7)), 0.20475097092809047)])
def test_divergences_of_further_pairs(p, q, want):
    assert D.kl_divergence(p(), q()).item() == pytest.approx(want, rel=1e-9)


def a_pair(p, q):
    """Two distributions of these classes, near each other; None: the classes are not made of numbers."""
    of = {"Bernoulli": (0.3,), "Binomial": (4, 0.3), "ContinuousBernoulli": (0.3,), "Geometric": (0.3,), "Poisson": (0.8,),
          "Cauchy": (0.2, 0.8), "HalfNormal": (1.3,), **PARTS}
    return [kind(*(number if isinstance(number, int) else t64(number, number) for number in of[kind.__name__]))
            if kind.__name__ in of else None for kind in (p, q)]


ALL_PAIRS = list(D.kl._KL_REGISTRY)  # before a test registers others
REGISTERED = [pair for pair in ALL_PAIRS if D.ExponentialFamily not in pair and None not in a_pair(*pair)]


@pytest.mark.parametrize("p, q", REGISTERED, ids=lambda kind: kind.__name__)
def test_all_registered_divergences_are_sound(p, q):
    a, b = a_pair(p, q)
    found = D.kl_divergence(a, b)
    assert found.shape == (2,) and (found >= -1e-12).all() and not found.isnan().any() and found.dtype == f64
    if p is q:
        assert found.tolist() == pytest.approx([0, 0], abs=1e-12)


def test_registered_divergences_are_those_of_pytorch():
    assert len(ALL_PAIRS) == 87 and len(REGISTERED) > 60
    assert D.kl_divergence.__doc__.count("\n    * ") == 87


def test_edges_of_supports():
    def kl(p, q):
        return D.kl_divergence(p, q).tolist()

    low, one = t64(0, -0.5, 0, 0.2), t64(1, 1, 1.5, 0.7)
    assert [math.isinf(v) for v in kl(D.Uniform(low, one), D.Beta(*numbers(2, 2)))] == [False, True, True, False]
    assert [math.isinf(v) for v in kl(D.Uniform(low, one), D.Exponential(*numbers(2)))] == [False, True, False, False]
    assert [math.isinf(v) for v in kl(D.Uniform(low, one), D.Uniform(*numbers(0, 1)))] == [False, True, True, False]
    assert [math.isinf(v) for v in kl(D.Beta(*numbers(2, 2)), D.Uniform(low, one))] == [False, False, False, True]
    # as in PyTorch, the whole of [0, 1] is too much here
    assert [math.isinf(v) for v in kl(D.Uniform(low, one), D.ContinuousBernoulli(*numbers(0.3)))] == [True, True, True, False]
    assert kl(D.ContinuousBernoulli(*numbers(0.3)), D.Uniform(low, one)) == [math.inf] * 4
    assert math.isfinite(kl(D.ContinuousBernoulli(*numbers(0.3)), D.Uniform(*numbers(-0.5, 1.5))))
    assert [math.isinf(v) for v in kl(D.Pareto(t64(1, 2), t64(3, 3)), D.Pareto(t64(1.5, 1.5), t64(2, 2)))] == [True, False]
    heavy = D.Pareto(t64(1, 1, 1), t64(0.9, 1.5, 2.5))
    assert [math.isinf(v) for v in kl(heavy, D.Normal(*numbers(0, 1)))] == [True, True, False]
    assert [math.isinf(v) for v in kl(heavy, D.Gamma(*numbers(2, 1)))] == [True, False, False]
    assert kl(D.Categorical(t64(0.5, 0.5, 0)), D.Categorical(t64(0.5, 0, 0.5))) == math.inf
    assert kl(D.Categorical(t64(0.5, 0.5, 0)), D.Categorical(t64(0.25, 0.25, 0.5))) == pytest.approx(math.log(2))
    assert kl(D.Binomial(t64(4, 3), t64(0.5, 0.5)), D.Binomial(3, t64(0.5, 0.5))) == [math.inf, 0]
    assert D.kl_divergence(D.Normal(t64(1, 2), t64(1, 1)), D.Beta(*numbers(1, 1))).tolist() == [math.inf] * 2


def test_divergences_where_only_the_result_is_a_batch():
    """PyTorch refuses some of these: it writes the infinities by a mask of other sizes."""
    p, q = D.Uniform(t64(-1, 0.5), t64(1, 2)), D.Gamma(t64(1, 2, 3)[:, None], t64(1))
    found = D.kl_divergence(p, q)
    assert found.shape == (3, 2) and found[:, 0].tolist() == [math.inf] * 3 and found[:, 1].isfinite().all()
    assert D.kl_divergence(D.Bernoulli(t64(0, 0.5)), D.Bernoulli(t64(0, 0.5, 1)[:, None])).tolist() == [
        [0, math.inf], [pytest.approx(math.log(2)), 0], [math.inf, math.inf]]


def test_gradients_of_divergences():
    p, q = t64(0.0, 0.3).requires_grad_(), t64(0.5, 0.4).requires_grad_()
    D.kl_divergence(D.Bernoulli(p), D.Bernoulli(q)).sum().backward()
    assert p.grad.isfinite().all() and p.grad[1].item() == pytest.approx(math.log(0.3 / 0.7) - math.log(0.4 / 0.6))
    assert q.grad.tolist() == pytest.approx([2, 0.7 / 0.6 - 0.3 / 0.4])
    low = t64(-0.5, 0.2).requires_grad_()
    D.kl_divergence(D.Uniform(low, t64(0.7)), D.Exponential(t64(2.0))).sum().backward()
    assert low.grad[0].item() == 0 and low.grad[1].item() == pytest.approx(1 / 0.5 + 1)  # 1 / (high - low) + rate / 2


def test_an_exponential_family_has_a_divergence_by_its_normalizer():
    class Known(D.ExponentialFamily):
        """Exponential, and nothing that KL knows."""

        arg_constraints, support = {}, D.constraints.positive

        def __init__(self, rate):
            self.rate = rate
            super().__init__(rate.shape, validate_args=False)

        _natural_params = property(lambda self: (-self.rate,))
        _mean_carrier_measure = 0

        def _log_normalizer(self, x):
            return -(-x).log()

    class Unknown(Known):
        pass

    p, q = t64(1.3).requires_grad_(), t64(0.7).requires_grad_()
    found = D.kl_divergence(Known(p), Known(q))
    assert found.item() == pytest.approx(0.15750074686776205)
    found.sum().backward()
    assert p.grad.item() == pytest.approx(1 / 1.3 - 0.7 / 1.3 ** 2) and q.grad.item() == pytest.approx(1 / 1.3 - 1 / 0.7)
    with karat.no_grad():
        assert D.kl_divergence(Known(p), Known(q)).requires_grad is False
    with pytest.raises(NotImplementedError, match="cannot +be computed using Bregman divergences"):
        D.kl_divergence(Known(p), Unknown(q))


def test_divergences_that_are_refused():
    eye = karat.eye(3, dtype=f64)
    wide, narrow = D.MultivariateNormal(t64(0, 0, 0), eye), D.MultivariateNormal(t64(0, 0), eye[:2, :2])
    low = D.LowRankMultivariateNormal(t64(0, 0), t64(1, 1)[:, None], t64(1, 1))
    for p, q, text in ((wide, narrow, "Multivariate Normals"), (wide, low, r"\(Low Rank\) Multivariate Normals"),
                       (low, wide, r"\(Low Rank\) Multivariate Normals")):
        with pytest.raises(ValueError, match=f"KL-divergence between two {text} with +different event shapes cannot be computed"):
            D.kl_divergence(p, q)
    one, other = D.LogNormal(*numbers(0, 1)), D.TransformedDistribution(D.Normal(*numbers(0, 1)), [D.AffineTransform(0, 2)])
    with pytest.raises(NotImplementedError):
        D.kl_divergence(one, other)
    normal = D.Normal(t64(0, 0), t64(1, 1))
    with pytest.raises(NotImplementedError):
        D.kl_divergence(D.Independent(normal, 1), D.Independent(normal, 0))
    with pytest.raises(TypeError, match="Expected type_q to be a Distribution subclass but got 3"):
        D.register_kl(D.Normal, 3)
    assert "    * Beta and Gamma\n" in D.kl_divergence.__doc__


# ---- samples ----

CONTINUOUS = ["Normal", "Laplace", "Uniform", "Exponential", "Gamma", "Chi2", "Beta", "StudentT", "Gumbel", "HalfNormal",
              "LogNormal", "Weibull", "InverseGamma", "Kumaraswamy", "ContinuousBernoulli", "Bernoulli", "Binomial", "Geometric",
              "Poisson", "NegativeBinomial"]


@pytest.mark.parametrize("name", CONTINUOUS)
def test_moments_of_samples(name):
    karat.manual_seed(1)
    d = made(name, next(k[1] for k in KNOWN if k[0] == name))
    x = d.sample((40000,))
    assert x.dtype == f64 and not x.requires_grad and d.support.check(x).all()
    mean, variance = d.mean.item(), d.variance.item()
    assert abs(x.mean().item() - mean) < 5 * math.sqrt(variance / 40000)
    assert x.var().item() == pytest.approx(variance, rel=0.25 if name in ("InverseGamma", "LogNormal", "StudentT") else 0.06)


@pytest.mark.parametrize("make", [
    lambda: D.Dirichlet(t64(1.2, 3.4, 0.8)), lambda: D.Multinomial(6, t64(0.2, 0.5, 0.3)),
    lambda: D.OneHotCategorical(t64(0.2, 0.5, 0.3)),
    lambda: D.MultivariateNormal(t64(0.5, -0.3), karat.tensor(COVARIANCE, dtype=f64)),
    lambda: D.Wishart(t64(6.5)[0], karat.tensor(COVARIANCE, dtype=f64)),
    lambda: D.LowRankMultivariateNormal(t64(0, 0, 0), t64(0.5, 1.2, -0.4)[:, None], t64(0.7, 1.1, 0.4)),
    lambda: D.MixtureSameFamily(D.Categorical(t64(0.3, 0.7)), D.Normal(t64(-1, 2), t64(0.5, 1)))])
def test_moments_of_samples_of_vectors(make):
    karat.manual_seed(2)
    d = make()
    x = d.sample((20000,))
    assert x.shape == (20000, *d.event_shape) and d.support.check(x).all()
    assert karat.all((x.mean(0) - d.mean).abs() < 5 * (d.variance / 20000).sqrt())
    assert karat.allclose(x.var(0), d.variance, rtol=0.1)


def test_correlation_matrices():
    karat.manual_seed(3)
    assert C.corr_cholesky.check(D.LKJCholesky(3, t64(0.5, 2.0)).sample((50,))).all()
    x = D.LKJCholesky(2, t64(0.5, 2.0)).sample((5000,))
    assert x.shape == (5000, 2, 2, 2) and C.corr_cholesky.check(x).all()
    r = x[..., 1, 0]  # of density (1 - r^2)^(eta - 1): variance 1 / (2 eta + 1)
    assert r.var(0).tolist() == pytest.approx([1 / 2, 1 / 5], rel=0.08)


def test_angles():
    karat.manual_seed(4)
    d = D.VonMises(t64(0.4)[0], t64(2.5)[0])
    x = d.sample((20000,))
    assert karat.cos(x - 0.4).mean().item() == pytest.approx(1 - d.variance.item(), abs=0.01)
    assert d.variance.item() == pytest.approx(0.23500325241119, rel=1e-12)  # 1 - I1(2.5) / I0(2.5)
    assert x.abs().max() <= math.pi


@pytest.mark.parametrize("draw, want", [
    (lambda: karat._standard_gamma(karat.tensor([0.1, 0.5, 1, 2, 30])),
     [3.1292356392933324e-16, 0.04415091872215271, 1.05320405960083, 2.9995343685150146, 26.5341796875]),
    (lambda: karat._standard_gamma(t64(0.1, 0.5, 1, 2, 30)),
     [3.129237254043702e-16, 0.04415092016466957, 1.053204118254408, 2.999534412168494, 26.534179652579702]),
    (lambda: karat.binomial(karat.tensor([10, 5, 100, 1000.0, 20, 3, 50]), karat.tensor([0.5, 0.9, 0.3, 0.7, 0.1, 0, 1])),
     [7, 5, 27, 715, 3, 0, 50])])
@pytest.mark.cpu_only("the CPU's generator")
def test_the_draws_of_a_seed_are_pytorchs(draw, want):
    karat.manual_seed(0)
    got = draw()
    assert got.tolist() == pytest.approx(want, rel=1e-6 if got.dtype == karat.float32 else 1e-14)


# class and parameters, two samples after manual_seed(11): by PyTorch 2.11
DRAWS = [
    (lambda: D.Normal(t64(0.7), 1.9), [2.10149595835, 4.39726538974]),
    (lambda: D.Laplace(t64(-0.4), 1.3), [-1.64198886995, 1.51388802379]),
    (lambda: D.Cauchy(t64(0.2), 0.8), [-0.958797317618, 2.3230339644]),
    (lambda: D.StudentT(t64(5.5), 0.3, 1.2), [1.50488926764, 4.37082016554]),
    (lambda: D.Uniform(t64(-1.5), 2.5), [-0.730665076624, 2.04116948074]),
    (lambda: D.Exponential(t64(1.7)), [0.12565078765, 1.27374631607]),
    (lambda: D.Gamma(t64(2.3), 1.4), [2.28076278417, 4.39458156627]),
    (lambda: D.Beta(t64(2.1), 3.3), [0.275282535833, 0.316274536738]),
    (lambda: D.FisherSnedecor(t64(3.5), 7.2), [2.11182360891, 3.8338869956]),
    (lambda: D.Gumbel(t64(0.5), 1.6), [-0.299807804282, 3.86810961821]),
    (lambda: D.HalfCauchy(t64(1.4)), [2.02789530583, 3.7153094377]),
    (lambda: D.Weibull(t64(1.7), 2.3), [0.868914024504, 2.37865983749]),
    (lambda: D.Kumaraswamy(t64(2.2), 3.1), [0.668598401232, 0.22763174464]),
    (lambda: D.GeneralizedPareto(t64(0.5), 1.5, 0.2), [0.827352172209, 4.56492450766]),
    (lambda: D.ContinuousBernoulli(t64(0.3)), [0.137409845492, 0.832032807227]),
    (lambda: D.VonMises(t64(0.4), t64(2.5)), [0.577137701478, 0.537397478557]),
    (lambda: D.Bernoulli(t64(0.3, 0.6, 0.2, 0.9)), [1, 0, 0, 1, 0, 1, 1, 1]),
    (lambda: D.Binomial(9, t64(0.35)), [5, 1]),
    (lambda: D.Geometric(t64(0.3)), [4, 0]),
    (lambda: D.Poisson(t64(3.4)), [5, 1]),
    (lambda: D.NegativeBinomial(4.5, t64(0.6)), [10, 13]),
    (lambda: D.Categorical(t64(0.2, 0.5, 0.3)), [0, 2]),
    (lambda: D.Multinomial(6, t64(0.2, 0.5, 0.3)), [2, 2, 2, 2, 3, 1]),
    (lambda: D.Dirichlet(t64(1.2, 3.4, 0.8)),
     [0.16993228872, 0.766081956676, 0.0639857546043, 0.543857275947, 0.195168625023, 0.26097409903]),
    (lambda: D.MultivariateNormal(t64(0.5, -0.3), karat.tensor(COVARIANCE, dtype=f64)),
     [1.54316557469, 1.87941934674, -0.489301231694, -1.84591013498]),
    (lambda: D.LowRankMultivariateNormal(t64(0, 0), t64(0.5, 1.2)[:, None], t64(0.7, 1.1)),
     [-0.216463775741, -0.480705672898, 0.543538608999, 2.05233559604]),
    (lambda: D.Wishart(t64(6.5), karat.tensor(COVARIANCE, dtype=f64)),
     [25.2199516258, 11.8668906549, 11.8668906549, 9.19247531156, 12.8290539259, 2.16855921189, 2.16855921189,
     5.15231848635]),
    (lambda: D.LKJCholesky(3, t64(1.5)),
     [1, 0, 0, -0.551742018216, 0.834014835201, 0, -0.506652280508, 0.743570504556, 0.436355785352, 1, 0, 0, -0.323961157621,
     0.946070382346, 0, -0.0973556657017, 0.0627033736099, 0.993272450687]),
    (lambda: D.RelaxedBernoulli(t64(0.5), t64(0.3)), [0.0103084486756, 0.91625107567]),
    (lambda: D.RelaxedOneHotCategorical(t64(0.5), t64(0.2, 0.5, 0.3)),
     [0.000844745563694, 0.96657455694, 0.0325806974959, 0.219520125537, 0.75682097982, 0.0236588946433]),
    (lambda: D.MixtureSameFamily(D.Categorical(t64(0.3, 0.7)), D.Normal(t64(-1, 2), t64(0.5, 1))),
     [-1.34977080478, 1.73038043353])]


@pytest.mark.parametrize("make, want", DRAWS)
@pytest.mark.cpu_only("the CPU's generator")
def test_the_samples_of_a_seed_are_pytorchs(make, want):
    d = make()
    karat.manual_seed(11)
    assert d.sample((2,)).double().reshape(-1).tolist() == pytest.approx(want, rel=1e-9, abs=1e-11)
    if d.has_rsample:
        karat.manual_seed(11)
        assert d.rsample((2,)).double().reshape(-1).tolist() == pytest.approx(want, rel=1e-9, abs=1e-11)


def test_gumbel_samples_are_the_transforms_of_its_base():
    d = D.Gumbel(t64(0.5, -1), t64(1.6, 0.3))
    karat.manual_seed(3)
    x = d.base_dist.sample((5,))
    for transform in d.transforms:
        x = transform(x)
    karat.manual_seed(3)
    assert karat.allclose(d.sample((5,)), x, rtol=1e-14)
    assert d.cdf(t64(100, -100)).tolist() == [1, 0] and d.icdf(t64(0, 1)).tolist() == [-math.inf, math.inf]


@pytest.mark.parametrize("name, at", [("Gamma", 0), ("Gamma", 1), ("Chi2", 0), ("Normal", 1), ("Laplace", 1), ("Gumbel", 1),
                                      ("Weibull", 1), ("Pareto", 1), ("Exponential", 0), ("Kumaraswamy", 0), ("HalfNormal", 0)])
def test_gradients_of_samples_keep_their_rank(name, at):
    """d(cdf(x(theta), theta)) = 0: x moves so that the share below it stays."""
    karat.manual_seed(5)
    values = [t64(v)[0] for v in next(k[1] for k in KNOWN if k[0] == name)]
    values[at] = values[at].clone().requires_grad_()
    x = getattr(D, name)(*values).rsample((7,))
    slopes = karat.stack([karat.autograd.grad(one, values[at], retain_graph=True)[0] for one in x])

    def share(move):
        moved = [v.detach() + (move if i == at else 0) for i, v in enumerate(values)]
        return getattr(D, name)(*moved).cdf(x.detach() + slopes * move)

    h = 1e-5
    assert karat.allclose(share(h), share(-h), atol=1e-9, rtol=0)


def test_gradients_of_dirichlet_and_beta_samples():
    """E[x_i] = a_i / sum: its gradient, as the mean of the samples' gradients."""
    karat.manual_seed(6)
    a = t64(1.2, 3.4, 0.8).requires_grad_()
    (got,) = karat.autograd.grad(D.Dirichlet(a).rsample((20000,))[:, 0].mean(), a)
    (want,) = karat.autograd.grad(a[0] / a.sum(), a)
    assert karat.allclose(got, want, atol=5e-3)
    (got,) = karat.autograd.grad(D.Beta(a[0], a[1]).rsample((20000,)).mean(), a)
    (want,) = karat.autograd.grad(a[0] / (a[0] + a[1]), a)
    assert karat.allclose(got, want, atol=5e-3)


@pytest.mark.parametrize("dtype", [karat.float64, karat.float32, karat.bfloat16, karat.float16])
def test_shares_stay_inside_of_the_open_interval(dtype):
    """Of tiny concentrations nearly all is in one share, which rounds to 1, where the log density is infinite."""
    karat.manual_seed(3)
    least, most = karat.finfo(dtype).tiny, 1 - karat.finfo(dtype).eps / 2
    for x in (karat._sample_dirichlet(karat.full((500, 3), 1e-2, dtype=dtype)),
              karat._sample_dirichlet(karat.full((5, 1), 2.0, dtype=dtype)),
              D.Beta(karat.tensor(0.02, dtype=dtype), karat.tensor(0.01, dtype=dtype)).sample((500,))):
        assert x.dtype is dtype and x.min().item() >= least and x.max().item() == most


def test_straight_through_and_relaxed_samples():
    p = t64(0.2, 0.5, 0.3).requires_grad_()
    x = D.OneHotCategoricalStraightThrough(p).rsample()
    assert C.one_hot.check(x.detach().round()) and karat.autograd.grad(x[0], p)[0].abs().sum() > 0
    relaxed = D.RelaxedOneHotCategorical(t64(0.5)[0], p).rsample((3,))
    assert relaxed.requires_grad and C.simplex.check(relaxed).all()
    assert D.RelaxedBernoulli(t64(0.5)[0], t64(0.3, 0.6)).rsample((4,)).shape == (4, 2)
    assert not D.Bernoulli(p).sample().requires_grad
    with pytest.raises(NotImplementedError):
        D.Bernoulli(p).rsample()


# ---- shapes, dtypes, copies ----

@pytest.mark.parametrize("name", [k[0] for k in KNOWN if k[0] != "Binomial"])
def test_batches_expand_and_copies(name):
    arguments = next(k[1] for k in KNOWN if k[0] == name)
    d = getattr(D, name)(*(t64(a, a) for a in arguments))
    assert d.batch_shape == (2,) and d.event_shape == () and d.sample((3,)).shape == (3, 2)
    wide = d.expand((4, 2))
    assert type(wide) is type(d) and wide.batch_shape == (4, 2) and wide.mean.shape == (4, 2)
    x = d.sample((5, 1))
    for other in (wide, copy.deepcopy(d)):
        assert karat.equal(*karat.broadcast_tensors(other.log_prob(x), d.log_prob(x)))
    again = pickle.loads(pickle.dumps(d))  # its tensors lie where they lay
    assert type(again) is type(d) and karat.allclose(again.log_prob(x), d.log_prob(x))


@pytest.mark.parametrize("dtype", [karat.float64, karat.float32, karat.float16, karat.bfloat16])
def test_parameters_keep_their_dtype(dtype):
    for d in (D.Normal(karat.zeros(2, dtype=dtype), 1.0), D.Exponential(karat.ones(2, dtype=dtype)),
              D.Gamma(karat.ones(2, dtype=dtype), 2), D.Bernoulli(logits=karat.zeros(2, dtype=dtype)),
              D.Categorical(logits=karat.zeros(2, dtype=dtype))):
        assert d.entropy().dtype == dtype
        assert d.sample().dtype == (karat.int64 if isinstance(d, D.Categorical) else dtype)
        assert d.log_prob(d.sample()).dtype == dtype
    assert D.Normal(0, 1).loc.dtype == karat.get_default_dtype()
    assert D.Normal(karat.tensor(0), karat.tensor(1)).loc.dtype == karat.int64


def test_a_subclass_gives_expand_its_own_parts():
    class Shifted(D.MultivariateNormal):
        arg_constraints = {}  # its own table does not touch what the parent's expand knows

        def __init__(self, loc, shift):
            super().__init__(loc, scale_tril=karat.eye(2, dtype=f64))
            self.shift = shift

        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Shifted, _instance)
            new.shift = self.shift
            return super().expand(batch_shape, _instance=new)

    d = Shifted(t64(1, 2), 5)
    wide = d.expand([3])
    assert type(wide) is Shifted and wide.shift == 5 and wide.batch_shape == (3,) and wide.loc.shape == (3, 2)
    assert wide.scale_tril.shape == (3, 2, 2) and wide._validate_args == d._validate_args
    assert karat.equal(wide.log_prob(t64(1, 1)), d.log_prob(t64(1, 1)).expand(3))
    with pytest.raises(NotImplementedError):
        D.Distribution(validate_args=False).expand((2,))


def test_expand_takes_what_has_been_computed_along():
    d = D.Bernoulli(t64(0.3, 0.6))
    assert "logits" not in d.expand((4, 2)).__dict__
    logits = d.logits
    wide = d.expand((4, 2))
    assert karat.equal(wide.__dict__["logits"], logits.expand(4, 2)) and wide._param.shape == wide.param_shape == (4, 2)
    relaxed = D.RelaxedBernoulli(t64(0.5)[0], t64(0.3, 0.6)).expand((4, 2))
    assert relaxed.temperature.shape == () and relaxed.probs.shape == (4, 2)
    assert repr(D.Bernoulli(t64(0.3, 0.6)).expand((4, 2))) == "Bernoulli(probs: torch.Size([4, 2]))"


PARTED = [lambda: D.Beta(t64(2.1, 1), 3.3), lambda: D.StudentT(t64(5.5, 3), 0.3, 1.2), lambda: D.FisherSnedecor(t64(3.5, 4), 7.2),
          lambda: D.Multinomial(6, karat.ones(2, 3, dtype=f64)), lambda: D.OneHotCategorical(logits=karat.zeros(2, 3, dtype=f64)),
          lambda: D.Independent(D.Normal(karat.zeros(2, 3, dtype=f64), 1.0), 1), lambda: D.LKJCholesky(3, t64(1.5, 2)),
          lambda: D.Wishart(t64(4.5, 6), karat.tensor(COVARIANCE, dtype=f64)), lambda: D.Weibull(t64(1.7, 1), 2.3),
          lambda: D.MultivariateNormal(karat.zeros(2, 2, dtype=f64), precision_matrix=karat.tensor(COVARIANCE, dtype=f64)),
          lambda: D.LowRankMultivariateNormal(karat.zeros(2, 2, dtype=f64), t64(1, 2)[:, None], t64(1, 3)),
          lambda: D.MixtureSameFamily(D.Categorical(karat.ones(2, 3, dtype=f64)), D.Normal(karat.zeros(2, 3, dtype=f64), 1.0)),
          lambda: D.RelaxedOneHotCategorical(t64(0.5), karat.ones(2, 3, dtype=f64)), lambda: D.LogisticNormal(t64(0, 1), 0.5),
          lambda: D.LogisticNormal(karat.zeros(2, 3, dtype=f64), 0.5), lambda: D.HalfCauchy(t64(1, 2)), lambda: D.Chi2(t64(3, 4))]


@pytest.mark.parametrize("make", PARTED)
def test_parts_expand_with_the_whole(make):
    d = make()
    wide = d.expand((4, *d.batch_shape))
    assert type(wide) is type(d) and wide.batch_shape == (4, *d.batch_shape) and wide.event_shape == d.event_shape
    karat.manual_seed(8)
    x = wide.sample((3,))
    assert x.shape == (3, 4, *d.batch_shape, *d.event_shape)
    assert karat.allclose(wide.log_prob(x), d.log_prob(x), rtol=1e-12)
    assert wide.log_prob(x[0]).shape == wide.batch_shape


def test_parameters_may_become_buffers():
    """As GPyTorch's priors: modules, whose parameters are no longer in __dict__."""
    class Prior(D.Distribution, karat.nn.Module):
        pass

    class GammaPrior(Prior, D.Gamma):
        def __init__(self, concentration, rate):
            karat.nn.Module.__init__(self)
            D.Gamma.__init__(self, concentration, rate)
            for name in ("concentration", "rate"):
                value = getattr(self, name)
                delattr(self, name)
                self.register_buffer(name, value)

        def expand(self, batch_shape, _instance=None):
            return super().expand(batch_shape, _instance=D.Gamma(1.0, 1.0))

    prior = GammaPrior(t64(2.3), t64(1.4))
    assert sorted(prior.state_dict()) == ["concentration", "rate"]
    wide = prior.expand((3,))
    assert wide.batch_shape == (3,) and wide.concentration.tolist() == [2.3] * 3
    assert karat.equal(prior.log_prob(t64(1.1)), D.Gamma(t64(2.3), t64(1.4)).log_prob(t64(1.1)))


def test_what_a_class_does_not_say_is_a_warning():
    class Bare(D.Distribution):
        def log_prob(self, value):
            self._validate_sample(value)
            return value

    with pytest.warns(UserWarning, match="does not define `arg_constraints`. Please set `arg_constraints = {}` or initialize"):
        bare = Bare()
    with pytest.warns(UserWarning, match="does not define `support` to enable sample validation. Please initialize the distr"):
        assert bare.log_prob(t64(3)).item() == 3
    bare.__class__.support = None
    with pytest.raises(AssertionError, match="^support is unexpectedly None$"):
        bare.log_prob(t64(3))
    Bare.arg_constraints = {"missing": C.real}
    with pytest.raises(AttributeError, match="missing"):
        Bare()
    with pytest.raises(ValueError, match="^Expected parameter df "):
        D.Chi2(t64(-1))


def test_moments_that_do_not_exist():
    df = t64(0.8, 1.5, 5.5).requires_grad_()
    d = D.StudentT(df, 0.3, 1.2)
    assert d.mean.tolist() == pytest.approx([math.nan, 0.3, 0.3], nan_ok=True)
    assert d.variance.tolist() == pytest.approx([math.nan, math.inf, 1.44 * 5.5 / 3.5], nan_ok=True)
    (slope,) = karat.autograd.grad(d.variance.nan_to_num(0, 0).sum(), df)
    assert slope.tolist() == pytest.approx([0, 0, 1.44 * -2 / 3.5**2])
    c = t64(-0.4, 0.7, 1.0, 1.3).requires_grad_()
    d = D.GeneralizedPareto(0.5, 1.5, c)
    assert d.mean.tolist() == pytest.approx([0.5 + 1.5 / 1.4, 0.5 + 1.5 / 0.3, math.nan, math.nan], nan_ok=True)
    assert d.variance.tolist() == pytest.approx([2.25 / (1.96 * 1.8), math.nan, math.nan, math.nan], nan_ok=True)
    (slope,) = karat.autograd.grad(d.mean.nan_to_num(0).sum(), c)
    assert slope.tolist() == pytest.approx([1.5 / 1.96, 1.5 / 0.09, 0, 0])
    f = D.FisherSnedecor(t64(3.0), t64(1.5, 2, 3, 4, 5))
    assert f.mean.isnan().tolist() == [True, True, False, False, False]
    assert f.variance.isnan().tolist() == [True, True, True, True, False]
    assert D.InverseGamma(t64(0.9, 1.5, 3), 2.0).variance.tolist() == [math.inf, math.inf, 1]
    assert D.Pareto(1.0, t64(0.9, 1.5, 3)).mean.tolist() == [math.inf, 3, 1.5]
    assert D.Dirichlet(t64(0.5, 0.4)).mode.tolist() == [1, 0] and D.Dirichlet(t64(2, 0.5)).mode.tolist() == [1, 0]
    assert D.Dirichlet(t64(2, 3)).mode.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert D.Bernoulli(t64(0.3, 0.5, 0.7)).mode.tolist() == pytest.approx([0, math.nan, 1], nan_ok=True)


def test_slopes_where_formulas_meet():
    logits = t64(0).requires_grad_()
    d = D.Binomial(9, logits=logits)
    assert karat.autograd.grad(d.log_prob(t64(4)).sum(), logits)[0].item() == 4 - 9 / 2  # value - n p
    p = t64(1.0, 0.4).requires_grad_()
    lp = D.Geometric(p).log_prob(t64(0, 0))
    assert lp.tolist() == pytest.approx([0, math.log(0.4)])
    assert karat.autograd.grad(lp.sum(), p)[0].tolist() == pytest.approx([1, 2.5])
    assert D.NegativeBinomial(t64(0, 0), t64(0.5)).log_prob(t64(0, 1)).tolist() == [0, -math.inf]
    one = D.Multinomial(3, logits=t64(0, -math.inf), validate_args=False)
    assert one.log_prob(t64(3, 0)).item() == 0 and one.log_prob(t64(2, 1)).item() == -math.inf
    assert D.Uniform(0.0, 2.0, validate_args=False).log_prob(t64(-1, 0, 1, 2)).exp().tolist() == [0, 0.5, 0.5, 0]
    far = D.RelaxedBernoulli(t64(0.5)[0], logits=t64(2000)[0])
    assert far.base_dist.log_prob(t64(0)[0]).item() == pytest.approx(math.log(0.5) - 2000)  # e^2000 does not overflow
    assert far.base_dist.log_prob(t64(4000)[0]).item() == pytest.approx(math.log(0.5) - 2 * math.log(2))
    assert D.HalfNormal(2.0, validate_args=False).log_prob(t64(-1, math.nan)).tolist() == [-math.inf] * 2


@pytest.mark.parametrize("edge, side", [(0.499, -1), (0.501, 1)])
def test_the_continuous_bernoullis_series_meet_its_formulas(edge, side):
    outside, inside = (D.ContinuousBernoulli(t64(edge + move * side)) for move in (1e-9, -1e-9))
    x = t64(0.37)
    for of in (lambda d: d.mean, lambda d: d.variance, lambda d: d.log_prob(x), lambda d: d.entropy()):
        assert of(outside).item() == pytest.approx(of(inside).item(), abs=1e-8)
    assert outside.cdf(x).item() == pytest.approx(inside.cdf(x).item(), abs=1e-3)
    wide = D.ContinuousBernoulli(t64(0.02, 0.3, 0.77, 0.999))
    assert karat.allclose(wide.cdf(wide.icdf(x)), x)
    assert wide.cdf(t64(0)).tolist() == [0] * 4 and wide.cdf(t64(1)).tolist() == [1] * 4
    want = [1 / (1 - math.exp(-slope)) - 1 / slope for slope in wide.logits.tolist()]
    assert wide.mean.tolist() == pytest.approx(want, rel=1e-10)


SHAPES = [((), (2,)), ((), (5, 2)), ((), (4, 5, 2)), ((5,), (2,)), ((5,), (5, 2)), ((5,), (4, 5, 2)), ((5,), (1, 2)),
          ((1,), (4, 5, 2)), ((4, 1), (5, 2)), ((4, 1), (3, 1, 5, 2)), ((), (0, 2)), ((), (3, 0, 2))]


@pytest.mark.parametrize("batch, shape", SHAPES)
def test_distances_and_products_of_batches(batch, shape):
    from karat.distributions._factors import distance, factor_of_inverse, product
    karat.manual_seed(7)
    a = karat.randn(*batch, 2, 2, dtype=f64)
    matrix = a @ a.mT + karat.eye(2, dtype=f64)
    factor, x = karat.linalg.cholesky(matrix), karat.randn(*shape, dtype=f64)
    want = (x.unsqueeze(-2) @ karat.linalg.inv(matrix) @ x.unsqueeze(-1))[..., 0, 0]
    got = distance(factor, x)
    assert got.shape == want.shape and karat.allclose(got, want)
    got, want = product(factor, x), (factor @ x.unsqueeze(-1)).squeeze(-1)
    assert got.shape == want.shape and karat.allclose(got, want)
    assert karat.allclose(factor_of_inverse(karat.linalg.inv(matrix)), factor)
    d = D.MultivariateNormal(karat.zeros(2, dtype=f64), matrix, validate_args=False)
    assert d.log_prob(x).shape == karat.broadcast_shapes(batch, shape[:-1])


def test_enumerated_supports():
    assert D.Bernoulli(t64(0.3, 0.6)).enumerate_support().tolist() == [[0, 0], [1, 1]]
    assert D.Categorical(t64(0.2, 0.5, 0.3)).enumerate_support().tolist() == [0, 1, 2]
    assert D.Binomial(2, t64(0.3, 0.6)).enumerate_support(expand=False).tolist() == [[0], [1], [2]]
    d = D.OneHotCategorical(t64(0.2, 0.5, 0.3))
    assert d.log_prob(d.enumerate_support()).exp().tolist() == pytest.approx([0.2, 0.5, 0.3])
    with pytest.raises(NotImplementedError, match="Inhomogeneous total count not supported by `enumerate_support`."):
        D.Binomial(karat.tensor([2, 3]), t64(0.5)[0]).enumerate_support()
    with pytest.raises(NotImplementedError, match="^Enumeration over cartesian product is not implemented$"):
        D.Independent(D.Bernoulli(t64(0.5, 0.5)), 1).enumerate_support()


def test_independent_and_mixtures():
    base = D.Normal(karat.zeros(3, 2, dtype=f64), 1.0)
    d = D.Independent(base, 1)
    x = d.sample()
    assert d.batch_shape == (3,) and d.event_shape == (2,) and karat.equal(d.log_prob(x), base.log_prob(x).sum(-1))
    mix = D.MixtureSameFamily(D.Categorical(t64(0.3, 0.7)), D.Normal(t64(-1, 2), t64(0.5, 1)))
    densities = [D.Normal(t64(m)[0], t64(s)[0]).log_prob(t64(0.4)[0]).exp() for m, s in ((-1, 0.5), (2, 1))]
    assert mix.log_prob(t64(0.4)[0]).exp().item() == pytest.approx((0.3 * densities[0] + 0.7 * densities[1]).item(), rel=1e-12)

    several = D.MixtureSameFamily(D.Categorical(t64(0.3, 0.7)), D.Normal(t64(-50, 50).expand(3, 2), 1.0))
    karat.manual_seed(12)
    x = several.sample((4000,))
    assert x.shape == (4000, 3) and (x > 0).double().mean(0).tolist() == pytest.approx([0.7] * 3, abs=0.04)
    assert (x[:, 0] * x[:, 1] < 0).double().mean().item() == pytest.approx(0.42, abs=0.04)  # each of the batch chooses for itself
    assert several.mean.tolist() == [20] * 3 and several.cdf(t64(0)).tolist() == pytest.approx([0.3] * 3)
    vectors = D.MixtureSameFamily(D.Categorical(t64(0.3, 0.7)), D.Independent(D.Normal(t64(-1, 2)[:, None].expand(2, 4), 1.0), 1))
    assert vectors.sample((5,)).shape == (5, 4) and vectors.mean.tolist() == pytest.approx([1.1] * 4)
    assert vectors.variance.tolist() == pytest.approx([1 + 0.21 * 9] * 4)


# ---- transforms ----

TRANSFORMS = [T.ExpTransform(), T.SigmoidTransform(), T.TanhTransform(), T.SoftplusTransform(), T.AffineTransform(1.0, -2.0),
              T.PowerTransform(t64(2.5)[0]), T.ComposeTransform([T.AffineTransform(0.5, 2.0), T.SigmoidTransform()]),
              T.ExpTransform().inv, T.CumulativeDistributionTransform(D.Normal(0.3, 1.2))]


@pytest.mark.parametrize("t", TRANSFORMS, ids=repr)
def test_transforms_of_numbers(t):
    x = t64(0.3, 0.9, 1.7).requires_grad_()
    y = t(x)
    assert t.bijective and karat.allclose(t.inv(y), x) and t.inv.inv is t
    (slope,) = karat.autograd.grad(y.sum(), x, retain_graph=True)
    assert karat.allclose(t.log_abs_det_jacobian(x, y), slope.abs().log(), atol=1e-10)
    assert karat.allclose(t.inv.log_abs_det_jacobian(y, x), -slope.abs().log(), atol=1e-10)
    assert (karat.as_tensor(t.sign) * slope > 0).all()
    cached = t.with_cache(1)
    y = cached(x)
    assert cached(x) is y and cached.inv(y) is x and cached.with_cache(1) is cached


@pytest.mark.parametrize("t, n, free", [(T.StickBreakingTransform(), 3, slice(0, 3)), (T.CorrCholeskyTransform(), 6, None)])
def test_transforms_of_vectors(t, n, free):
    """The log-Jacobian against the determinant of autograd's matrix, of the coordinates that are free."""
    x = karat.linspace(-0.9, 1.1, n, dtype=f64)
    y = t(x)
    assert t.codomain.check(y) and karat.allclose(t.inv(y), x)
    assert t.forward_shape(x.shape) == y.shape and t.inverse_shape(y.shape) == x.shape

    def coordinates(v):
        w = t(v)
        return w[free] if free is not None else utils.tril_matrix_to_vec(w, diag=-1)

    jacobian = karat.autograd.functional.jacobian(coordinates, x)
    assert t.log_abs_det_jacobian(x, y).item() == pytest.approx(karat.linalg.slogdet(jacobian).logabsdet.item(), rel=1e-9)


def test_transforms_of_parts_and_shapes():
    x = t64(0.3, -0.5, 1.2)
    cat = T.CatTransform([T.ExpTransform(), T.TanhTransform()], lengths=[1, 2])
    assert karat.allclose(cat(x), karat.cat([x[:1].exp(), x[1:].tanh()])) and karat.allclose(cat.inv(cat(x)), x)
    stack = T.StackTransform([T.ExpTransform(), T.TanhTransform(), T.AffineTransform(0, 2)])
    assert karat.allclose(stack(x), karat.stack([x[0].exp(), x[1].tanh(), 2 * x[2]]))
    shape = T.ReshapeTransform((3,), (1, 3))
    assert shape(x).shape == (1, 3) and shape.inv(shape(x)).shape == (3,) and shape.log_abs_det_jacobian(x, shape(x)) == 0
    together = T.IndependentTransform(T.ExpTransform(), 1)
    assert together.log_abs_det_jacobian(x, together(x)).item() == pytest.approx(x.sum().item())
    assert repr(T.ComposeTransform([T.ExpTransform(), cat])) == "ComposeTransform(\n    ExpTransform(),\n    CatTransform()\n)"
    assert T.AffineTransform(0.0, 1.0) == T.AffineTransform(0.0, 1.0) != T.AffineTransform(0.0, 2.0)
    assert T.ExpTransform() == T.ExpTransform() and T.ExpTransform().inv == T.ExpTransform().inv


def test_transforms_keep_their_inverse_only_while_it_is_used():
    t = T.ExpTransform()
    inverse = t.inv
    assert t.inv is inverse and copy.deepcopy(t)._inv is None and pickle.loads(pickle.dumps(inverse)).inv == t


def test_transforms_in_a_row_take_as_many_event_dims_as_any_of_them_needs():
    row = T.ComposeTransform([T.ExpTransform(), T.ReshapeTransform((2, 2), (4,)), T.StickBreakingTransform(), T.ExpTransform()])
    assert (row.domain.event_dim, row.codomain.event_dim, row.inv.domain.event_dim) == (2, 1, 1)
    flat = T.ComposeTransform([T.ExpTransform(), T.ReshapeTransform((1, 2), (2,))])
    assert repr(flat.domain) == "IndependentConstraint(Real(), 2)"
    assert row.forward_shape((3, 2, 2)) == (3, 5) and row.inverse_shape((3, 5)) == (3, 2, 2)
    x = t64(0.3, -0.2, 0.1, 0.7).view(2, 2).expand(3, 2, 2)
    y = row(x)
    want = x.sum((1, 2)) + T.StickBreakingTransform().log_abs_det_jacobian(x.exp().view(3, 4), y.log()) + y.log().sum(-1)
    assert karat.allclose(row.log_abs_det_jacobian(x, y), want) and karat.allclose(row.inv(y), x)
    nothing = T.identity_transform
    assert nothing(x) is x and nothing.domain is nothing.codomain is C.real and nothing.sign == 1
    assert nothing.log_abs_det_jacobian(x, x).eq(0).all()
    assert T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0, -1)]).sign == -1


class Doubled(T.Transform):
    """As a user writes it, with an inverse that he makes himself."""

    domain = codomain = C.real
    bijective, sign = True, 1

    def _call(self, x):
        return 2 * x

    def log_abs_det_jacobian(self, x, y):
        return karat.full_like(x, math.log(2))

    @property
    def inv(self):
        return T.AffineTransform(0, 0.5)


def test_users_transforms_go_both_ways():
    d = D.TransformedDistribution(D.Normal(t64(0.0), 1.0), [T.ComposeTransform([Doubled(), T.ExpTransform()]), Doubled()])
    log = D.LogNormal(t64(math.log(2)), 2.0)  # 2 exp(2 x)
    x = t64(0.8)
    assert karat.allclose(d.log_prob(x), log.log_prob(x)) and karat.allclose(d.cdf(x), log.cdf(x))
    assert karat.allclose(d.icdf(d.cdf(x)), x) and Doubled().with_cache(1)._cache_size == 1

    class Made(T.Transform):
        def __init__(self, by, cache_size=0):
            super().__init__(cache_size)

    for wrong in (Made(2).with_cache, lambda: T.ComposeTransform([Made(2)], cache_size=1)):
        with pytest.raises(NotImplementedError, match="with_cache is not implemented"):
            wrong()


def test_transforms_are_equal_by_kind_and_parameters():
    class Kin(T.ExpTransform):
        pass

    affine = T.AffineTransform(0.0, t64(1, 2))
    assert Kin() == T.ExpTransform() == Kin() != T.TanhTransform()
    assert affine == T.AffineTransform(t64(0), t64(1, 2), event_dim=1) != T.AffineTransform(1.0, t64(1, 2))
    assert T.PowerTransform(2) == T.PowerTransform(2.0) != T.PowerTransform(3)
    assert T.PowerTransform(2).inv == T.PowerTransform(2).inv != T.PowerTransform(3).inv
    assert T.ComposeTransform([Kin(), affine]) == T.ComposeTransform([T.ExpTransform(), affine]) != T.ComposeTransform([Kin()])
    for make in (T.CorrCholeskyTransform, lambda: T.ReshapeTransform((1,), (1,)), lambda: T.IndependentTransform(Kin(), 1),
                 lambda: T.StackTransform([Kin()]), lambda: T.CumulativeDistributionTransform(D.Normal(0.0, 1.0))):
        one = make()
        assert one == one and one != make()
    with pytest.raises(TypeError, match="unhashable"):
        hash(Kin())


@pytest.mark.parametrize("t", [T.AffineTransform(1.0, 2.0, 1), T.PowerTransform(2.0), T.ReshapeTransform((3,), (1, 3)),
                               T.IndependentTransform(T.ExpTransform(), 1), T.CatTransform([T.ExpTransform()], -1, [3]),
                               T.StackTransform([T.ExpTransform()] * 3, -1), T.SoftplusTransform(),
                               T.ComposeTransform([T.ExpTransform(), T.TanhTransform()]),
                               T.CumulativeDistributionTransform(D.Normal(0.0, 1.0))], ids=repr)
def test_a_transform_with_a_cache_is_made_of_the_same(t):
    x = t64(0.3, 0.9, 0.5).expand(2, 3)
    cached = t.with_cache()
    assert type(cached) is type(t) and cached._cache_size == 1 and t.with_cache(0) is t
    y = cached(x)
    assert karat.equal(y, t(x)) and y.shape == t.forward_shape(x.shape) and t.inverse_shape(y.shape) == x.shape
    assert karat.equal(cached.inv(y), x) and t.inv.with_cache()._cache_size == 1
    assert karat.equal(cached.log_abs_det_jacobian(x, y), t.log_abs_det_jacobian(x, y))


def test_transforms_at_the_edges():
    inf = math.inf
    sigmoid, stick, softmax = T.SigmoidTransform(), T.StickBreakingTransform(), T.SoftmaxTransform()
    assert sigmoid(t64(-inf, inf)).tolist() == [karat.finfo(f64).tiny, 1 - karat.finfo(f64).eps]
    assert sigmoid.inv(t64(0, 1)).isfinite().all() and sigmoid.log_abs_det_jacobian(t64(-40, 40), None).tolist() == [-40, -40]
    assert T.TanhTransform().log_abs_det_jacobian(t64(-400, 400), None).tolist() == pytest.approx([-798.61370563888] * 2)
    assert stick(karat.zeros(3, dtype=f64)).tolist() == pytest.approx([0.25] * 4)
    assert stick(t64(800, -800)).tolist()[0] == 1 - karat.finfo(f64).eps and stick.inv(t64(1, 0, 0)).tolist()[0] > 700
    assert stick(karat.zeros(0, dtype=f64)).tolist() == [1] and softmax(karat.zeros(2, 0)).shape == (2, 0)
    assert softmax(karat.tensor([1, 1])).tolist() == [0.5, 0.5] and softmax(t64(-inf, 0)).tolist() == [0, 1]
    assert T.AffineTransform(0, 2, 1).log_abs_det_jacobian(karat.zeros(2, 0), None).tolist() == [0, 0]
    assert T.AffineTransform(0, karat.tensor([2.0, 1.0]), 1).log_abs_det_jacobian(karat.zeros(3, 2), None).shape == (3,)
    assert [T.AffineTransform(0, scale).sign for scale in (-2, 0.0, 3)] == [-1, 0, 1]
    lower = T.LowerCholeskyTransform()(t64(0, 5, 2, 0).view(2, 2))
    assert lower.tolist() == [[1, 0], [2, 1]] and T.PositiveDefiniteTransform().inv(lower @ lower.mT).tolist() == [[0, 0], [2, 0]]


def exp_tanh(kind, *more):
    return getattr(T, kind)([T.ExpTransform(), T.TanhTransform()], *more)


@pytest.mark.parametrize("wrong, kind, text", [
    (lambda: exp_tanh("CatTransform")(karat.zeros(())), AssertionError, "dim 0 out of range for tensor with 0 dimensions"),
    (lambda: exp_tanh("CatTransform")(karat.zeros(1)), AssertionError, "x.size(0) = 1 must equal length 2"),
    (lambda: exp_tanh("CatTransform").inv(karat.zeros(3)), AssertionError, "y.size(0) = 3 must equal length 2"),
    (lambda: exp_tanh("StackTransform", 1).log_abs_det_jacobian(karat.zeros(2), karat.zeros(2)), AssertionError,
     "dim 1 out of range for x with 1 dimensions"),
    (lambda: exp_tanh("StackTransform").log_abs_det_jacobian(karat.zeros(2), karat.zeros(3)), AssertionError,
     "y.size(0) = 3 must equal len(transforms) 2"),
    (lambda: exp_tanh("CatTransform", 0, [1]), AssertionError, "lengths (1) must match transforms (2)"),
    (lambda: T.CatTransform([3]), AssertionError, "All elements of tseq must be Transform instances"),
    (lambda: T.IndependentTransform(T.ExpTransform(), 2)(karat.zeros(1)), ValueError, "Too few dimensions on input"),
    (lambda: T.StickBreakingTransform().inverse_shape(()), ValueError, "Too few dimensions on input"),
    (lambda: T.ReshapeTransform((2, 3), (6,)).forward_shape((3, 2)), ValueError, "Shape mismatch: expected (3, 2) but got"),
    (lambda: T.CorrCholeskyTransform().inverse_shape((3, 2)), ValueError, "Input is not square"),
    (lambda: T.ReshapeTransform((1,), ()).event_dim, ValueError, "Please use either .domain.event_dim or .codomain.event_dim"),
    (lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [T.StickBreakingTransform()]), ValueError,
     "base_distribution needs to have shape with size at least 1, but got torch.Size([])."),
    (lambda: D.TransformedDistribution(D.Normal(zeros(3), 1.0), [T.StackTransform([T.ReshapeTransform((3,), (1, 3))] * 2, -1)]),
     AssertionError, "forward_shape length 1 must be >= event_dim 2"),
    (lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [3]), ValueError,
     "transforms must be a Transform or a list of Transforms")])
def test_refusals_of_transforms(wrong, kind, text):
    with pytest.raises(kind) as e:
        wrong()
    assert text in str(e.value).replace("karat.Size", "torch.Size")


def test_transformed_distributions():
    d = D.TransformedDistribution(D.Normal(t64(0.3)[0], t64(0.7)[0]), [T.ExpTransform()])
    log = D.LogNormal(t64(0.3)[0], t64(0.7)[0])
    x = t64(0.5, 1.6)
    assert karat.allclose(d.log_prob(x), log.log_prob(x)) and karat.allclose(d.cdf(x), log.cdf(x))
    assert karat.allclose(d.icdf(d.cdf(x)), x) and d.has_rsample
    falling = D.TransformedDistribution(D.Normal(t64(0)[0], t64(1)[0]), [T.AffineTransform(0.0, -1.0)])
    assert falling.cdf(t64(1)[0]).item() == pytest.approx(0.8413447460685429)
    broken = D.TransformedDistribution(D.Normal(karat.zeros(3, dtype=f64), 1.0), [T.StickBreakingTransform()])
    assert broken.event_shape == (4,) and broken.batch_shape == () and C.simplex.check(broken.sample())


def test_transformed_distributions_have_the_shapes_of_their_transforms():
    wide = D.TransformedDistribution(D.Normal(t64(0), 1.0), [T.AffineTransform(karat.zeros(2, 3, dtype=f64), 2.0)])
    assert wide.batch_shape == (2, 3) == wide.base_dist.batch_shape and wide.expand((5, 2, 3)).sample().shape == (5, 2, 3)
    normal = D.MultivariateNormal(karat.zeros(2, 4, dtype=f64), karat.eye(4, dtype=f64))
    matrix = D.TransformedDistribution(normal, [T.ReshapeTransform((4,), (2, 2)), T.ExpTransform()])
    assert matrix.batch_shape == (2,) and matrix.event_shape == (2, 2)
    assert repr(matrix.support) == "IndependentConstraint(GreaterThan(lower_bound=0.0), 2)"
    x = matrix.sample((3,))
    assert karat.allclose(matrix.log_prob(x), normal.log_prob(x.log().view(3, 2, 4)) - x.log().sum((-1, -2)))
    turned = D.TransformedDistribution(D.Normal(t64(0, 0), 1.0), [T.AffineTransform(0.0, t64(-1, 1))])
    assert turned.cdf(t64(1, 1)).tolist() == pytest.approx([0.15865525393145707 + 0.6826894921370859, 0.8413447460685429])
    assert karat.allclose(turned.icdf(turned.cdf(t64(0.3, 0.7))), t64(0.3, 0.7))
    plain = D.TransformedDistribution(D.Normal(t64(0), 1.0), [])
    assert karat.equal(plain.log_prob(t64(0.5)), plain.base_dist.log_prob(t64(0.5))) and plain.support is C.real

    class Sub(D.TransformedDistribution):
        def __init__(self):
            super().__init__(D.Normal(0.0, 1.0), T.ExpTransform())

    with pytest.raises(NotImplementedError, match="must also define a custom .expand"):
        Sub().expand((2,))


@pytest.mark.parametrize("constraint", [C.positive, C.greater_than(2.0), C.less_than(-1.0), C.unit_interval,
                                        C.interval(-1.0, 3.0),
                                        C.simplex, C.corr_cholesky, C.real_vector, C.lower_cholesky, C.positive_definite,
                                        C.half_open_interval(0.0, 2.0)], ids=repr)
def test_constraints_are_reached_from_unconstrained_space(constraint):
    x = karat.linspace(-1, 1, 9, dtype=f64).view(3, 3) if constraint.event_dim == 2 else karat.linspace(-1, 1, 3, dtype=f64)
    if constraint is C.corr_cholesky:
        x = x.reshape(-1)[:3]
    assert constraint.check(D.transform_to(constraint)(x)).all()
    if constraint not in (C.lower_cholesky, C.positive_definite):
        t = D.biject_to(constraint)
        assert t.bijective and constraint.check(t(x)).all() and karat.allclose(t.inv(t(x)), x)


def test_constraints():
    assert C.integer_interval(0, 2).check(karat.tensor([0.0, 2, 3, 0.5])).tolist() == [True, True, False, False]
    assert C.independent(C.positive, 1).check(karat.tensor([[1.0, 2], [1, -1]])).tolist() == [True, False]
    assert C.simplex.check(karat.tensor([[0.5, 0.5], [0.5, 0.6]])).tolist() == [True, False]
    assert repr(C.greater_than(1.5)) == "GreaterThan(lower_bound=1.5)"
    assert repr(C.real_vector) == "IndependentConstraint(Real(), 1)"
    assert C.is_dependent(D.Categorical.support) and not C.is_dependent(C.real)
    assert D.Categorical(t64(0.5, 0.5)).support.upper_bound == 1
    for wrong, text in ((lambda: C.dependent.event_dim, ".event_dim cannot be determined statically"),
                        (lambda: D.transform_to(C.boolean), "Cannot transform _Boolean constraints")):
        with pytest.raises(NotImplementedError, match=text):
            wrong()
    with pytest.raises(ValueError, match="^Cannot determine validity of dependent constraint$"):
        C.dependent.check(karat.ones(1))


@pytest.mark.parametrize("constraint, inside, text", [
    (C.greater_than(1), "2 3", "GreaterThan(lower_bound=1)"), (C.greater_than_eq(1), "1 2 3", "GreaterThanEq(lower_bound=1)"),
    (C.less_than(1.5), "0 0.5 1", "LessThan(upper_bound=1.5)"),
    (C.interval(0.5, 2), "0.5 1 2", "Interval(lower_bound=0.5, upper_bound=2)"),
    (C.half_open_interval(0, 2), "0 0.5 1", "HalfOpenInterval(lower_bound=0, upper_bound=2)"),
    (C.integer_interval(0, 2), "0 1 2", "IntegerInterval(lower_bound=0, upper_bound=2)"),
    (C._IntegerLessThan(1), "0 1", "IntegerLessThan(upper_bound=1)"),
    (C.positive_integer, "1 2 3", "IntegerGreaterThan(lower_bound=1)"),
    (C.boolean, "0 1", "Boolean()"), (C.real, "0 0.5 1 2 3", "Real()")], ids=repr)
def test_constraints_of_numbers(constraint, inside, text):
    values = [0, 0.5, 1, 2, 3, math.nan]
    flags = constraint.check(t64(*values)).tolist()
    assert [v for v, good in zip(values, flags) if good] == [float(v) for v in inside.split()]
    assert repr(constraint) == text and constraint.event_dim == 0
    assert constraint.is_discrete == ("Integer" in text or text == "Boolean()")
    same = pickle.loads(pickle.dumps(constraint))
    assert repr(same) == text and same.check(t64(1)).item() == constraint.check(t64(1)).item()


def test_intervals_are_no_kinds_of_each_other():
    kinds = [C._GreaterThan, C._GreaterThanEq, C._LessThan, C._Interval, C._HalfOpenInterval, C._IntegerInterval,
             C._IntegerLessThan, C._IntegerGreaterThan]
    assert [(a, b) for a in kinds for b in kinds if a is not b and issubclass(a, b)] == []

    class Mine(C._Interval):
        pass

    assert Mine(upper_bound=2, lower_bound=1).check(t64(1.5, 3)).tolist() == [True, False] and repr(Mine(1, 2))[:4] == "ine("


def test_constraints_of_matrices():
    a = t64(2, 0, 0.5, 1).view(2, 2)
    unit = t64(1, 0, 0.6, 0.8).view(2, 2)
    several = karat.stack([a, unit, -unit, a @ a.mT, a.mT, -karat.eye(2, dtype=f64), karat.zeros(2, 2, dtype=f64)])
    for constraint, want in ((C.lower_triangular, "1110011"), (C.lower_cholesky, "1100000"), (C.corr_cholesky, "0100000"),
                             (C.square, "1111111"), (C.symmetric, "0001011"), (C.positive_definite, "0001011"),
                             (C.positive_semidefinite, "0001011")):  # the last two go no further where one is not symmetric
        assert constraint.check(several).tolist() == [c == "1" for c in want], constraint
        assert constraint.event_dim == 2 and constraint.check(several[:0]).shape == (0,)
    assert C.positive_definite.check(several[[3, 5, 6]]).tolist() == [True, False, False]
    assert C.positive_semidefinite.check(several[[3, 5, 6]]).tolist() == [True, False, True]
    assert C.symmetric.check(karat.zeros(3, 1, 2)).tolist() == [False] * 3 and C.lower_cholesky.check(karat.zeros(0, 0)).item()


def test_composed_constraints():
    rows = karat.tensor([[1.0, -2.0, 3.0], [1.0, 2.0, -3.0]])
    assert C.cat([C.positive, C.real], -1, [1, 2]).check(rows).tolist() == [[True, True, True]] * 2
    assert C.cat([C.real, C.positive], 1, [1, 2]).check(rows).tolist() == [[True, False, True], [True, True, False]]
    assert C.stack([C.real, C.positive], -1).check(rows).tolist() == [[True, False], [True, True]]
    assert [C.stack([C.real, C.simplex], dim).event_dim for dim in (-3, -2, -1, 0)] == [2, 2, 1, 1]
    assert C.cat([C.real, C.one_hot]).event_dim == 1 and C.cat([C.real, C.one_hot]).is_discrete
    of_mixture = C.MixtureSameFamilyConstraint(C.interval(karat.tensor([0.0, 0.5]), karat.tensor([1.0, 2.0])))
    assert of_mixture.check(karat.tensor([0.7, 0.2])).tolist() == [True, False] and of_mixture.event_dim == 0
    assert C.independent(C.real, 1).check(karat.zeros(0, 2)).shape == (0,)
    assert C.independent(C.real, 0).check(rows[:, :0]).shape == (2, 0)
    stated = C.dependent(event_dim=1)(is_discrete=True)
    assert stated.event_dim == 1 and stated.is_discrete and repr(stated) == "Dependent()"
    for wrong, kind, text in (
            (lambda: C.independent(3, 1), AssertionError, "base_constraint must be a Constraint, got int"),
            (lambda: C.independent(C.real, 1.0), AssertionError, "reinterpreted_batch_ndims must be an int, got float"),
            (lambda: C.independent(C.real, -1), AssertionError, "reinterpreted_batch_ndims must be >= 0, got -1"),
            (lambda: C.independent(C.simplex, 1).check(karat.ones(2)), ValueError, "Expected value.dim() >= 2 but got 1"),
            (lambda: C.cat([C.real], 0, [1, 2]), AssertionError, "lengths (2) must match cseq (1)"),
            (lambda: C.stack([3]), AssertionError, "All elements of cseq must be Constraint instances"),
            (lambda: C.cat([C.real], 1).check(karat.ones(2)), AssertionError,
             "dim 1 out of range for value with 1 dimensions")):
        with pytest.raises(kind) as e:
            wrong()
        assert str(e.value) == text


def test_registries():
    class Mine(C.Constraint):
        pass

    registry = D.constraint_registry.ConstraintRegistry()
    made = registry.register(Mine)(lambda constraint: ("made for", constraint))
    mine = Mine()
    assert callable(made) and registry(mine) == ("made for", mine)
    assert registry.register(mine, lambda constraint: 3) is not made and registry(Mine()) == 3
    for wrong in (3, int):
        with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance, but got"):
            registry.register(wrong, made)
    with pytest.raises(NotImplementedError, match="Cannot transform _Real constraints"):
        registry(C.real)
    assert type(D.biject_to(C.simplex)) is not type(D.transform_to(C.simplex))
    with pytest.raises(NotImplementedError, match="_LowerCholesky"):
        D.biject_to(C.lower_cholesky)
    for registry in (D.biject_to, D.transform_to):
        parts = registry(C.cat([C.stack([C.positive, C.interval(1.0, 3.0)]), C.less_than(2.0)], 0, [2, 1]))
        assert parts(karat.zeros(3)).tolist() == [1, 2, 1] and registry(C.independent(C.nonnegative, 2)).event_dim == 2
        assert repr(registry(C.interval(0, 1))) == "SigmoidTransform()" and registry(C.real) is T.identity_transform


def test_utils():
    assert utils.broadcast_all(1, karat.ones(2, dtype=karat.float16))[0].dtype == karat.float16
    for diag in (-1, 0, 1):
        m = karat.tril(karat.arange(1.0, 10).view(3, 3), diag)
        assert karat.equal(utils.vec_to_tril_matrix(utils.tril_matrix_to_vec(m, diag), diag), m)
    p = t64(0, 0.3, 1)
    assert karat.allclose(utils.logits_to_probs(utils.probs_to_logits(p, is_binary=True), is_binary=True), p)
    for count, diag in ((5, 0), (5, 1), (2, -1)):
        with pytest.raises(ValueError, match=f"^The size of last dimension is {count} which cannot be expressed as the lower"):
            utils.vec_to_tril_matrix(karat.ones(count), diag)
    assert utils.vec_to_tril_matrix(karat.ones(4, 0), -1).shape == (4, 1, 1)
    with pytest.raises(ValueError, match=r"^diag \(3\) provided is outside \[-3, 2\]\.$"):
        utils.tril_matrix_to_vec(karat.ones(3, 3), 3)
    assert [v.shape for v in utils.broadcast_all(karat.ones(3, 1), 2, karat.ones(2))] == [(3, 2)] * 3
    assert utils.broadcast_all(1, 2.5)[0].dtype == karat.get_default_dtype()
    for wrong in ((None, 1.0), ("a", karat.ones(1)), ([1.0], [2.0])):
        with pytest.raises(ValueError, match="^Input arguments must all be instances of Number, torch.Tensor or objects"):
            utils.broadcast_all(*wrong)
    assert utils._standard_normal((2, 3), dtype=f64, device="cpu").shape == (2, 3)
    assert utils._sum_rightmost(karat.ones(2, 3, 4), 2).tolist() == [12, 12] and utils._sum_rightmost(p, 0) is p
    assert utils._sum_rightmost(karat.tensor(3.0), 2).tolist() == 3 and utils._sum_rightmost(karat.ones(2), 2).tolist() == 2

    class Counted:
        calls = 0

        @utils.lazy_property
        def value(self):
            """What it is."""
            self.calls += 1
            return 3

    one = Counted()
    assert one.value == one.value == 3 and one.calls == 1 and isinstance(Counted.value, property)


# ---- refusals: PyTorch 2.11's texts ----

def zeros(*size):
    return karat.zeros(size)


@pytest.mark.parametrize("wrong, kind, text", [
    (lambda: D.Normal(0.0, -1.0), ValueError,
     "Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: 0.0, scale: -1.0) to satisfy the constraint "
     "GreaterThan(lower_bound=0.0), but found invalid values:\n-1.0"),
    (lambda: D.Normal(0.0, 1.0).log_prob("a"), ValueError, "The value argument to log_prob must be a Tensor"),
    (lambda: D.Bernoulli(0.5).log_prob(karat.tensor(2.0)), ValueError,
     "Expected value argument (Tensor of shape ()) to be within the support (Boolean()) of the distribution Bernoulli(probs: "
     "0.5), but found invalid values:\n2.0"),
    (lambda: D.Normal(zeros(2), 1.0).log_prob(zeros(3)), ValueError,
     "Value is not broadcastable with batch_shape+event_shape: torch.Size([3]) vs torch.Size([2])."),
    (lambda: D.Dirichlet(zeros(3) + 1).log_prob(zeros(2)), ValueError,
     "The right-most size of value must match event_shape: torch.Size([2]) vs torch.Size([3])."),
    (lambda: D.Bernoulli(), ValueError, "Either `probs` or `logits` must be specified, but not both."),
    (lambda: D.Categorical(probs=karat.tensor(1.0)), ValueError, "`probs` parameter must be at least one-dimensional."),
    (lambda: D.Multinomial(karat.tensor(3), zeros(2) + 1), NotImplementedError, "inhomogeneous total_count is not supported"),
    (lambda: D.Geometric(karat.tensor(0.0)), ValueError,
     "Expected parameter probs (Tensor of shape ()) of distribution Geometric(probs: 0.0) to be positive but found invalid "
     "values:\ntensor([0."),
    (lambda: D.MultivariateNormal(zeros(2)), ValueError,
     "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."),
    (lambda: D.LowRankMultivariateNormal(zeros(2), zeros(3, 1), zeros(2) + 1), ValueError,
     "cov_factor must be a batch of matrices with shape 2 x m"),
    (lambda: D.Wishart(karat.tensor(1.0), karat.eye(3)), ValueError, "Value of df=1.0 expected to be greater than ndim - 1 = 2."),
    (lambda: D.LKJCholesky(1), ValueError, "Expected dim to be an integer greater than or equal to 2. Found dim=1."),
    (lambda: D.Uniform(1.0, 0.0), ValueError,
     "Expected parameter low (Tensor of shape ()) of distribution Uniform(low: 1.0, high: 0.0) to satisfy the constraint "
     "LessThan(upper_bound=0.0), but found invalid values:\n1.0"),
    (lambda: D.Independent(D.Normal(0.0, 1.0), 1), ValueError,
     "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual 1 vs 0"),
    (lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 3), ValueError, "transforms must be a Transform or list, but was 3"),
    (lambda: D.MixtureSameFamily(D.Categorical(zeros(3) + 1), D.Normal(zeros(2), 1.0)), ValueError,
     "`mixture_distribution component` (3) does not equal `component_distribution.batch_shape[-1]` (2)"),
    (lambda: D.Normal([0.0], 1.0), ValueError,
     "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."),
    (lambda: D.Distribution().mode, NotImplementedError, "does not implement mode"),
    (lambda: T.Transform(2), ValueError, "cache_size must be 0 or 1"),
    (lambda: T.ReshapeTransform((2,), (3,)), ValueError, "in_shape, out_shape have different numbers of elements"),
    (lambda: T.CorrCholeskyTransform().forward_shape((4,)), ValueError, "Input is not a flattened lower-diagonal number"),
    (lambda: karat.binomial(karat.tensor([3]), karat.tensor([0.5])), ValueError,
     "binomial only supports floating-point dtypes for count, got: Long"),
    (lambda: karat.mvlgamma(zeros(2), 0), RuntimeError, "p has to be greater than or equal to 1")])
def test_refusals(wrong, kind, text):
    with pytest.raises(kind) as e:
        wrong()
    assert text in str(e.value).replace("karat.Size", "torch.Size")


def test_validation_is_a_choice():
    assert D.Normal(0.0, -1.0, validate_args=False).scale == -1
    assert D.Bernoulli(0.5, validate_args=False).log_prob(karat.tensor(2.0)).isfinite()
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
    finally:
        D.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError):
        D.Distribution.set_default_validate_args(3)

    class Mine(D.Normal):
        def __init__(self, x):
            super().__init__(x, 1.0)

    with pytest.raises(NotImplementedError, match="^Subclass Mine of Normal that defines a custom __init__ method must also"):
        Mine(0.0).expand((2,))
    with pytest.warns(UserWarning, match="Low df values detected."):
        D.Wishart(karat.tensor(2.5), karat.eye(3))
    with pytest.warns(FutureWarning, match="sample_n"):
        assert D.Normal(0.0, 1.0).sample_n(3).shape == (3,)


@pytest.mark.parametrize("d, text", [
    (lambda: D.Normal(zeros(2), 1.0), "Normal(loc: torch.Size([2]), scale: torch.Size([2]))"),
    (lambda: D.Binomial(3, karat.tensor(0.5)), "Binomial(total_count: 3.0, probs: 0.5)"),
    (lambda: D.Independent(D.Normal(zeros(2), 1.0), 1), "Independent(Normal(loc: torch.Size([2]), scale: torch.Size([2])), 1)"),
    (lambda: D.LogNormal(0.0, 1.0), "LogNormal()"), (lambda: D.Pareto(1.0, 2.0), "Pareto(alpha: 2.0, scale: 1.0)"),
    (lambda: D.LKJCholesky(3), "LKJCholesky(concentration: 1.0)")])
def test_texts(d, text):
    assert repr(d()) == text


def test_entropies_of_exponential_families_follow_from_the_normalizer():
    for d in (D.Normal(t64(0.7), t64(1.9)), D.Gamma(t64(2.3), t64(1.4)), D.Exponential(t64(1.7)), D.Beta(t64(2.1), t64(3.3)),
              D.ContinuousBernoulli(t64(0.3)), D.Bernoulli(t64(0.3))):
        if not isinstance(d, D.Beta):  # whose carrier measure has no closed mean here
            assert D.ExponentialFamily.entropy(d).item() == pytest.approx(d.entropy().item(), rel=1e-9)
        assert D.kl._any_family(d, d).item() == pytest.approx(0, abs=1e-12)


def test_the_divergence_of_wishart_distributions_without_a_batch():
    p, q = D.Wishart(karat.tensor(5.0), 2 * karat.eye(3)), D.Wishart(karat.tensor(6.0), 3 * karat.eye(3))
    of_batch = D.kl_divergence(p.expand((1,)), q.expand((1,)))
    assert D.kl_divergence(p, q).shape == () and D.kl_divergence(p, q).item() == pytest.approx(of_batch.item(), rel=1e-5)
    assert D.kl_divergence(p, p).item() == pytest.approx(0, abs=1e-5)


def test_an_interval_shows_its_ends_and_not_what_a_subclass_keeps():
    class Named(C.interval):
        def __init__(self):
            self.name = "n"
            super().__init__(0.0, 1.0)

    assert repr(Named()) == "amed(lower_bound=0.0, upper_bound=1.0)" and repr(C.positive) == "GreaterThan(lower_bound=0.0)"


def test_a_correlation_of_whole_numbers():
    x = karat.arange(3)
    assert T.CorrCholeskyTransform()(x).tolist() == T.CorrCholeskyTransform()(x.float()).tolist()


def test_divergences_are_loaded_when_they_are_asked_for():
    code = ("import sys, karat.distributions as D; assert 'karat.distributions.kl' not in sys.modules and 'kl' in dir(D); "
            "from karat.distributions import *; assert kl_divergence(Normal(0., 1.), Normal(1., 1.)).item() == 0.5; "
            "assert D.kl.kl_divergence is D.kl_divergence is kl_divergence and D.register_kl is register_kl\n"
            "try: D.no_such_name\nexcept AttributeError as error: print(error)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "no attribute 'no_such_name'" in done.stdout
