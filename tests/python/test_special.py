"""torch.special and the gamma functions: values and slopes against mpmath's, of 30 digits, recorded here."""

import math

import pytest

import karat

f64 = karat.float64


def at(x):
    return karat.tensor(x, dtype=f64, requires_grad=True)


# name, x, the value, the slope
ONE = [
    ("i0e", -3.2, 0.2342688316697859, 0.041290208728257664),
    ("i0e", 0.7, 0.5593055265070683, -0.374635543744321),
    ("i0e", 6.5, 0.15980484901763226, -0.012866203293867954),
    ("i1e", -3.2, -0.19297862294152823, -0.019015610940969905),
    ("i1e", 0.7, 0.18466998276274732, 0.11082128265468197),
    ("i1e", 6.5, 0.1469386457237643, -0.009739742202095782),
    ("erfcx", -3.2, 56002.0831243663, -358414.46037511143),
    ("erfcx", 0.7, 0.525930337349441, -0.39207669480629526),
    ("erfcx", 6.5, 0.08580567010489461, -0.01290545573188275),
    ("ndtr", -3.2, 0.0006871379379158481, 0.0023840882014648413),
    ("ndtr", 0.7, 0.758036347776927, 0.31225393336676127),
    ("ndtr", 6.5, 0.99999999995984, 2.669556614762852e-10),
    ("log_ndtr", -3.2, -7.282975502903631, 3.469591867822053),
    ("log_ndtr", 0.7, -0.2770239422771313, 0.41192475041929066),
    ("log_ndtr", 6.5, -4.016000583939759e-11, 2.669556614870061e-10),
    ("bessel_j0", -3.2, -0.32018816965712293, 0.26134324878050474),
    ("bessel_j0", 0.7, 0.8812008886074053, -0.32899574154005895),
    ("bessel_j0", 6.5, 0.2600946055816064, 0.15384130140997185),
    ("bessel_j1", -3.2, -0.26134324878050474, -0.40185793490103067),
    ("bessel_j1", 0.7, 0.32899574154005895, 0.4112069721216068),
    ("bessel_j1", 6.5, -0.15384130140997185, 0.28376249810621745),
    ("bessel_y0", 0.7, -0.19066492933739512, 1.1032498719076334),
    ("bessel_y0", 6.5, -0.17324243491898234, 0.27409127395927546),
    ("bessel_y1", 0.7, -1.1032498719076334, 1.3854063162449384),
    ("bessel_y1", 6.5, -0.27409127395927546, -0.13107454661755535),
    ("modified_bessel_i0", -3.2, 5.747207187180551, -4.734253894709621),
    ("modified_bessel_i0", 0.7, 1.1263030183068092, 0.37187967777700864),
    ("modified_bessel_i0", 6.5, 106.2928582439956, 97.73501077403152),
    ("modified_bessel_i1", -3.2, -4.734253894709621, 4.267752845083794),
    ("modified_bessel_i1", 0.7, 0.37187967777700864, 0.5950463357682254),
    ("modified_bessel_i1", 6.5, 97.73501077403152, 91.25670274029844),
    ("modified_bessel_k0", 0.7, 0.6605198599151016, -1.050283535312918),
    ("modified_bessel_k0", 6.5, 0.0007259317676293354, -0.0007798943982238037),
    ("modified_bessel_k1", 0.7, 1.050283535312918, -2.1609249103621275),
    ("modified_bessel_k1", 6.5, 0.0007798943982238037, -0.0008459155212022282),
    ("scaled_modified_bessel_k0", 0.7, 1.3301236562420558, -0.7848876566059968),
    ("scaled_modified_bessel_k0", 6.5, 0.4828474413997563, -0.035892792236974294),
    ("scaled_modified_bessel_k1", 0.7, 2.1150113128480523, -2.2365570760340785),
    ("scaled_modified_bessel_k1", 6.5, 0.5187402336367306, -0.043913397553291954),
    ("spherical_bessel_j0", -3.2, -0.018241919821118776, 0.3062665174917607),
    ("spherical_bessel_j0", 0.7, 0.9203109817681301, -0.22209827783377378),
    ("spherical_bessel_j0", 6.5, 0.03309538278274085, 0.1451526527608127),
    ("ndtri", 1e-09, -5.9978070150076865, 162434114.42785463),
    ("ndtri", 0.1, -1.2815515655446004, 5.698059856117004),
    ("ndtri", 0.6, 0.2533471031357997, 2.588376669140744),
]
# name, a, x, the value, the slopes by a and by x
TWO = [
    ("xlog1py", 2.3, 0.7, 1.2204449774429917, 0.5306282510621704, 1.352941176470588),
    ("xlog1py", 1.4, 5.5, 2.620523047662228, 1.8718021769015913, 0.21538461538461537),
    ("xlog1py", 30.0, 28.0, 101.01887489959422, 3.367295829986474, 1.0344827586206897),
    ("zeta", 2.3, 0.7, 2.8358148975703004, 0.2261904589893914, -8.015722417223289),
    ("zeta", 1.4, 5.5, 1.3120495788354445, -5.395681480478917, -0.10448268602939002),
    ("zeta", 30.0, 28.0, 5.976203977790071e-44, -2.0031267101565277e-43, -6.281915200202808e-44),
    ("gammainc", 2.3, 0.7, 0.10198903905949885, -0.14897157249853893, 0.2677057412563788),
    ("gammainc", 1.4, 5.5, 0.9902859756511213, -0.01875703473991655, 0.00910904093855415),
    ("gammainc", 30.0, 28.0, 0.3773896943143976, -0.07049269276012013, 0.07257693030180906),
    ("gammaincc", 2.3, 0.7, 0.8980109609405011, 0.14897157249853893, -0.2677057412563788),
    ("gammaincc", 1.4, 5.5, 0.009714024348878698, 0.01875703473991655, -0.00910904093855415),
    ("gammaincc", 30.0, 28.0, 0.6226103056856024, 0.07049269276012013, -0.07257693030180906),
]
# p, a, the log of the multivariate gamma function and its slope
MULTIVARIATE = [
    (1, 4.3, 2.181021046367169, 1.3378527920899248),
    (3, 4.3, 6.431536662204908, 3.5703651271418204),
    (4, 4.3, 8.665334282966755, 4.410912115991238),
]


@pytest.mark.parametrize("name, x, value, slope", ONE)
def test_of_one(name, x, value, slope):
    leaf = at(x)
    y = getattr(karat.special, name)(leaf)
    assert y.item() == pytest.approx(value, rel=1e-12, abs=1e-15)
    if "bessel" in name:
        assert not y.requires_grad  # as in PyTorch
    else:
        assert karat.autograd.grad(y, leaf)[0].item() == pytest.approx(slope, rel=1e-11)
    for dtype, rel in ((karat.float32, 2e-6), (karat.float16, 2e-3), (karat.bfloat16, 1e-2)):
        if x > 1e-3 or x < -1:
            z = getattr(karat.special, name)(karat.tensor(x, dtype=dtype))
            assert z.dtype == dtype and z.item() == pytest.approx(value, rel=rel, abs=8 * rel * abs(x * slope) + rel)


@pytest.mark.parametrize("name, a, x, value, by_a, by_x", TWO)
def test_of_two(name, a, x, value, by_a, by_x):
    first, second = at(a), at(x)
    f = getattr(karat.special, name)
    y = f(first, second)
    assert y.item() == pytest.approx(value, rel=1e-12)
    assert karat.autograd.grad(f(first.detach(), second), second)[0].item() == pytest.approx(by_x, rel=1e-10)
    if name == "zeta":
        with pytest.raises(NotImplementedError, match="^the derivative for 'zeta' is not implemented."):
            y.backward()
    else:
        assert karat.autograd.grad(y, first)[0].item() == pytest.approx(by_a, rel=1e-10)


@pytest.mark.parametrize("p, a, value, slope", MULTIVARIATE)
def test_multivariate_gamma(p, a, value, slope):
    leaf = at(a)
    y = karat.mvlgamma(leaf, p)
    assert y.item() == pytest.approx(value, rel=1e-13) and y.grad_fn.name() == "MvlgammaBackward0"
    assert karat.autograd.grad(y, leaf)[0].item() == pytest.approx(slope, rel=1e-12)
    assert karat.special.multigammaln(leaf, p).item() == y.item()
    assert karat.mvlgamma(karat.tensor([5]), p).dtype == karat.float32


def test_ends():
    """At the ends of the domains, as PyTorch."""
    inf, nan = math.inf, math.nan

    def same(got, want):
        return [x == y or (x != x and y != y) for x, y in zip(got.tolist(), want)] == [True] * len(want)

    zero_up = karat.tensor([0.0, 0, 2, 2, inf, 2, inf, -1], dtype=f64), karat.tensor([0.0, 2, 0, inf, 2, -1, inf, 1], dtype=f64)
    assert same(karat.igamma(*zero_up), [nan, 1, 0, 1, 0, nan, nan, nan])
    assert same(karat.igammac(*zero_up), [nan, 0, 1, 0, 1, nan, nan, nan])
    assert same(karat.special.ndtri(karat.tensor([0.0, 1, 0.5, -1, 2, nan])), [-inf, inf, 0, nan, nan, nan])
    s, x = karat.tensor([1.0, 0.5, 2, 2, 2.5]), karat.tensor([2.0, 2, 0, -3, -0.5])
    assert same(karat.special.zeta(s, x), [inf, nan, inf, inf, nan])
    assert same(karat.special.xlog1py(karat.tensor([0.0, 0, 1, 0]), karat.tensor([-1.0, -2, -1, nan])), [0, 0, -inf, nan])
    assert same(karat.special.modified_bessel_k0(karat.tensor([0.0, inf, -1, nan])), [inf, 0, nan, nan])
    small = karat.tensor([5e-324, 2.0 ** -1000, 2.0 ** -40], dtype=f64)
    assert karat.special.modified_bessel_k1(small).tolist() == pytest.approx([inf, 2.0 ** 1000, 2.0 ** 40], rel=1e-14)
    assert karat.special.modified_bessel_k0(small[1:]).tolist() == pytest.approx([693.2631121, 27.84181867], rel=1e-8)
    assert same(karat.special.bessel_y0(karat.tensor([0.0, inf, -1])), [-inf, nan, nan])
    assert same(karat.special.erfcx(karat.tensor([-30.0, inf])), [inf, 0])


POLYNOMIALS = {  # at 0.3 of degree 3, at -0.7 of degree 20: mpmath's
    "chebyshev_polynomial_t": (-0.792, -0.9800639283527625), "chebyshev_polynomial_u": (-0.984, -1.174811634460515),
    "chebyshev_polynomial_v": (-0.344, -1.4530226431858757), "chebyshev_polynomial_w": (-1.624, -0.8966006257351543),
    "shifted_chebyshev_polynomial_t": (0.944, 8309662985786.092), "shifted_chebyshev_polynomial_u": (1.088, 17450609669643.375),
    "shifted_chebyshev_polynomial_v": (1.448, 21259337454583.91), "shifted_chebyshev_polynomial_w": (0.728, 13641881884702.842),
    "hermite_polynomial_h": (-3.384, -202944086511.71585), "hermite_polynomial_he": (-0.873, -740927418.7093366),
    "laguerre_polynomial_l": (0.2305, 204.70526696929406), "legendre_polynomial_p": (-0.3825, -0.20457394463834164),
}


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials(name):
    """Either operand may be a number; the degree's fraction is cut off; no gradient flows, as in PyTorch."""
    f, near, far = getattr(karat.special, name), *POLYNOMIALS[name]
    x = karat.tensor([0.3, -0.7], dtype=f64, requires_grad=True)
    y = f(x, karat.tensor([3, 20]))
    assert y.dtype == f64 and y.tolist() == pytest.approx([near, far], rel=1e-13) and not y.requires_grad
    assert f(x.detach(), 3.9)[0].item() == f(0.3, karat.tensor([3.0], dtype=f64)).item() == y[0].item()
    assert f(x=x.detach(), n=-1).tolist() == [0, 0] and f(karat.tensor([2]), 0).dtype == karat.float32
    assert karat.vmap(lambda row: f(row, 3))(x.detach()[:, None])[0].item() == y[0].item()
    out = karat.empty(2, dtype=f64)
    assert f(x.detach(), karat.tensor([3, 20]), out=out) is out and out.equal(y)
    with pytest.raises(NotImplementedError, match=f"^\"{name}_cpu\" not implemented for 'ComplexFloat'"):
        f(karat.tensor([1j]), 2)
    with pytest.raises(TypeError) as e:
        f(1.5, 2)
    assert str(e.value).startswith(f"special_{name}() received an invalid combination of arguments - got (float, int), but "
                                   "expected one of:\n * (Tensor x, Tensor n, *, Tensor out = None)\n * (Number x, Tensor n")


def test_airy():
    x = karat.tensor([2.0, 0, -3, -30, math.inf, math.nan], dtype=f64)
    y = karat.special.airy_ai(x)
    assert y[:4].tolist() == pytest.approx([0.03492413042327438, 0.3550280538878172, -0.3788142936776581, -0.0879681884568422],
                                           rel=1e-13)
    assert y[4:].isnan().all() and not karat.special.airy_ai(x[:1].requires_grad_()).requires_grad


def test_refusals():
    with pytest.raises(NotImplementedError, match="^\"igamma_cpu\" not implemented for 'Long'"):
        karat.igamma(karat.tensor([1]), karat.tensor([2]))
    with pytest.raises(NotImplementedError, match="^\"zeta_cpu\" not implemented for 'ComplexFloat'"):
        karat.special.zeta(karat.tensor([1j]), karat.tensor([2j]))
    with pytest.raises(TypeError, match="^special_gammainc\\(\\): argument 'other' \\(position 2\\) must be Tensor, not float"):
        karat.special.gammainc(karat.ones(1), 2.0)
    with pytest.raises(RuntimeError, match="^derivative for aten::binomial is not implemented"):
        karat.binomial(karat.ones(1), at([0.5]).float()).sum().backward()


def test_what_mvlgamma_refuses():
    for call, text in [(lambda: karat.tensor([9]).mvlgamma_(2),
                        "mvlgamma: result type Long can't be cast to the desired output type Float"),
                       (lambda: karat.mvlgamma(karat.ones(2), 1, out=karat.ones(2, dtype=karat.int8)),
                        "mvlgamma: result type Float can't be cast to the desired output type Float"),
                       (lambda: karat.mvlgamma(karat.tensor([True]), 1), "The input tensor may not be a boolean tensor."),
                       (lambda: karat.tensor([9]).mvlgamma_(0), "p has to be greater than or equal to 1")]:
        with pytest.raises(RuntimeError) as e:
            call()
        assert str(e.value).splitlines()[0] == text


BITS = {karat.float32: karat.int32, f64: karat.int64}
ENDS = [float("inf"), -float("inf"), float("nan"), 0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e30, -1e30, 0.3, -0.3]


@pytest.mark.parametrize("name,dtype", [("acos", f64), ("acosh", f64), ("tan", karat.float32)])
def test_a_number_gives_the_same_bits_alone_as_in_a_row(name, dtype):
    """The sign of a NaN too: vectors and single numbers calculated it in another order."""
    f, row = getattr(karat, name), karat.tensor(ENDS * 5, dtype=dtype)
    together = f(row).view(BITS[dtype]).tolist()
    assert together == [f(x.reshape(1)).view(BITS[dtype]).item() for x in row]
    assert together == f(row.reshape(13, 5).t()).t().reshape(65).view(BITS[dtype]).tolist()


@pytest.mark.parametrize("dtype", [karat.float32, f64])
def test_second_derivatives_of_i1_near_zero(dtype):
    """3/8 x + 5/96 x^3 + 7/3072 x^5, on both sides of where the series of the first ends."""
    points = [0.0, 1e-30, -1e-9, 1e-4, 7.8e-3, -7.9e-3, 0.02]
    x = karat.tensor(points, dtype=dtype, requires_grad=True)
    (slope,) = karat.autograd.grad(karat.special.i1(x).sum(), x, create_graph=True)
    (second,) = karat.autograd.grad(slope.sum(), x)
    assert slope.tolist() == pytest.approx([0.5 + 3 / 16 * p * p + 5 / 384 * p ** 4 for p in points], rel=3e-7)
    want = [0.375 * p + 5 / 96 * p ** 3 + 7 / 3072 * p ** 5 for p in points]
    assert second.tolist() == pytest.approx(want, rel=2e-2 if dtype is karat.float32 else 1e-8, abs=0)


@pytest.mark.parametrize("dtype", [karat.float32, karat.float64])
def test_scaled_bessel_functions_end_at_zero(dtype):
    x = karat.tensor([math.inf, -math.inf], dtype=dtype)
    assert karat.special.i0e(x).tolist() == [0.0, 0.0]
    ends = karat.special.i1e(x)
    assert ends.tolist() == [0.0, 0.0] and ends.signbit().tolist() == [False, True]
    assert karat.special.i0e(karat.tensor(math.nan)).isnan() and karat.special.i1e(karat.tensor(math.nan)).isnan()


def test_mvlgamma_is_row_major():
    assert karat.mvlgamma(karat.full((2, 3), 4.0).t(), 2).is_contiguous()


def test_polynomials_of_any_degree_end():
    huge, x = float(1 << 40), karat.tensor([-0.5, 0.0, 0.5, 1.0, 1.0 + 2**-40, 2.0], dtype=karat.float64)
    for name in ("laguerre_polynomial_l", "legendre_polynomial_p", "hermite_polynomial_h", "hermite_polynomial_he",
                 "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w"):
        getattr(karat.special, name)(x, huge)
    assert karat.special.legendre_polynomial_p(x, huge)[3] == 1 and karat.special.laguerre_polynomial_l(x, huge).isnan().all()
    angle = (1 << 21) * math.acosh(1 + 2**-40)
    for name, expected in (("t", math.cosh(angle)), ("u", math.sinh(angle * (1 + 2.0**-21)) / math.sinh(math.acosh(1 + 2**-40)))):
        found = getattr(karat.special, f"chebyshev_polynomial_{name}")(x[4], float(1 << 21)).item()
        assert found == pytest.approx(expected, rel=1e-9)
