"""Losses with margins, likelihoods, and similarities, beside formulas in Python's floats."""

import math
import warnings

import cast_first
import pytest

import karat as torch
import karat.nn.functional as F
from differences import gradcheck, gradgradcheck

WORDS = ["none", "mean", "sum"]


def reduced(values, word):
    return values if word == "none" else sum(values) / (len(values) if word == "mean" else 1)


def rows(n, m, seed):
    return [[math.sin(3.1 * i + 1.3 * j + seed) for j in range(m)] for i in range(n)]


def check(loss, values, word):
    assert loss.tolist() == pytest.approx(reduced(values, word), rel=1e-9, abs=1e-12)


def t(values, grad=False):
    return torch.tensor(values, dtype=torch.float64, requires_grad=grad)


SIGNS = [1.0, -1.0, 1.0, -1.0, 0.0]


@pytest.mark.parametrize("word", WORDS)
def test_hinge_and_ranking(word):
    x, y = rows(2, 5, 0.4)
    want = [(max(0, 0.7 - a) if s != 1 else 0) + (a if s != -1 else 0) for a, s in zip(x, SIGNS)]
    check(F.hinge_embedding_loss(t(x), t(SIGNS), margin=0.7, reduction=word), want, word)
    check(torch.hinge_embedding_loss(t(x), t(SIGNS), 0.7, WORDS.index(word)), want, word)
    want = [max(0, -s * (a - b) + 0.3) for a, b, s in zip(x, y, SIGNS)]
    check(F.margin_ranking_loss(t(x), t(y), t(SIGNS), margin=0.3, reduction=word), want, word)
    assert F.margin_ranking_loss(t(x, True), t(y), t(SIGNS)).grad_fn.name() == "MeanBackward0"


def test_functions_of_torch_reduce_only_what_they_are_told_to():
    """PyTorch's binding reads the default of the schema, the mean, as none."""
    x, y = (t(row) for row in rows(2, 5, 0.4))
    for f, arguments in ((torch.hinge_embedding_loss, (x, t(SIGNS))), (torch.margin_ranking_loss, (x, y, t(SIGNS))),
                         (torch.cosine_embedding_loss, (x[:, None], y[:, None], t(SIGNS))),
                         (torch.triplet_margin_loss, (x[:, None], y[:, None], x[:, None] + 1))):
        assert f(*arguments).tolist() == f(*arguments, reduction=0).tolist() and f(*arguments).shape == (5,)
        assert f(*arguments, reduction=1).item() == f(*arguments).mean().item()
    assert torch.margin_ranking_loss(x[None], y, t(SIGNS)).tolist() == [torch.margin_ranking_loss(x, y, t(SIGNS)).tolist()]


@pytest.mark.parametrize("word", WORDS)
def test_cosine_embedding(word):
    x, y = rows(5, 3, 0.1), rows(5, 3, 0.9)
    want = []
    for a, b, s in zip(x, y, SIGNS):
        cosine = sum(p * q for p, q in zip(a, b)) / math.sqrt((sum(p * p for p in a) + 1e-12) * (sum(p * p for p in b) + 1e-12))
        want.append(1 - cosine if s == 1 else max(0, cosine - 0.2) if s == -1 else 0)
    check(F.cosine_embedding_loss(t(x), t(y), t(SIGNS), margin=0.2, reduction=word), want, word)
    check(F.cosine_embedding_loss(t(x[0]), t(y[0]), t(1.0), margin=0.2, reduction="sum"), want[:1], "sum")


def distance(a, b, p=2.0, eps=1e-6):
    return sum(abs(u - v + eps) ** p for u, v in zip(a, b)) ** (1 / p)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("swap", [False, True])
def test_triplets(word, swap):
    a, p, n = rows(4, 3, 0.1), rows(4, 3, 1.2), rows(4, 3, 2.3)
    want = []
    for u, v, w in zip(a, p, n):
        far = min(distance(u, w, 3), distance(v, w, 3)) if swap else distance(u, w, 3)
        want.append(max(0, 0.5 + distance(u, v, 3) - far))
    check(F.triplet_margin_loss(t(a), t(p), t(n), margin=0.5, p=3, swap=swap, reduction=word), want, word)
    made = F.triplet_margin_with_distance_loss(t(a), t(p), t(n), margin=0.5, swap=swap, reduction=word,
                                               distance_function=lambda x, y: F.pairwise_distance(x, y, p=3))
    check(made, want, word)
    torch.testing.assert_close(F.triplet_margin_with_distance_loss(t(a), t(p), t(n)), F.triplet_margin_loss(t(a), t(p), t(n)))


def multi_margin(x, target, p, margin, weight):
    return [sum(max(0, margin - row[c] + v) ** p for i, v in enumerate(row) if i != c) * weight[c] / len(row)
            for row, c in zip(x, target)]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("p", [1, 2])
def test_multi_margin(word, p):
    x, target, weight = rows(4, 3, 0.3), [0, 2, 1, 1], [0.5, 2.0, 1.5]
    classes = torch.tensor(target)
    check(F.multi_margin_loss(t(x), classes, p=p, margin=0.8, reduction=word), multi_margin(x, target, p, 0.8, [1] * 3), word)
    check(F.multi_margin_loss(t(x), classes, p=p, weight=t(weight), reduction=word), multi_margin(x, target, p, 1, weight), word)
    leaf = t(x, True)
    assert gradcheck(lambda a: F.multi_margin_loss(a, classes, p=p, margin=0.8, weight=t(weight), reduction=word),
                                    leaf)
    assert F.multi_margin_loss(t(x[0]), torch.tensor(1), reduction="none").shape == ()
    assert F.multi_margin_loss(t(x[0]), torch.tensor([1]), reduction="none").shape == (1,)


@pytest.mark.parametrize("word", WORDS)
def test_multilabel_margin(word):
    x, target = rows(4, 4, 0.3), [[3, 0, -1, 1], [-1, 2, 2, 2], [2, 2, -1, 0], [0, 1, 2, 3]]
    want = []
    for row, listed in zip(x, target):
        right = listed[:listed.index(-1)] if -1 in listed else listed
        want.append(sum(max(0, 1 - row[c] + row[i]) for c in right for i in range(4) if i not in right) / 4)
    classes = torch.tensor(target)
    check(F.multilabel_margin_loss(t(x), classes, reduction=word), want, word)
    leaf = t(x, True)
    assert gradcheck(lambda a: F.multilabel_margin_loss(a, classes, reduction=word), leaf)
    assert F.multilabel_margin_loss(t(x[0]), classes[0], reduction="none").item() == pytest.approx(want[0])


@pytest.mark.parametrize("word", WORDS)
def test_soft_margins(word):
    x, s = rows(1, 5, 0.4)[0], [1.0, -1.0, 1.0, -1.0, 0.5]
    want = [math.log(1 + math.exp(-a * b)) for a, b in zip(x, s)]
    check(F.soft_margin_loss(t(x), t(s), reduction=word), want, word)
    leaf = t(x, True)
    assert gradcheck(lambda a: F.soft_margin_loss(a, t(s), reduction=word), leaf)
    assert gradgradcheck(lambda a: F.soft_margin_loss(a, t(s), reduction=word), leaf)
    flat = torch.zeros(5, requires_grad=True)
    F.soft_margin_loss(flat, torch.ones(5, dtype=torch.uint8), reduction="sum").backward()
    assert flat.grad.tolist() == [-0.5] * 5
    with pytest.raises(RuntimeError, match="Negation, the `-` operator, on a bool tensor is not supported"):
        F.soft_margin_loss(flat, torch.tensor([True] * 5)).backward()
    x, y, w = rows(3, 4, 0.2), [[0.0, 1.0, 1.0, 0.0], [1.0] * 4, [0.0] * 4], [0.5, 1.0, 2.0, 0.25]

    def entropy(a, b):
        return -(b * -math.log1p(math.exp(-a)) + (1 - b) * -math.log1p(math.exp(a)))

    want = [sum(entropy(a, b) * c for a, b, c in zip(p, q, w)) / 4 for p, q in zip(x, y)]
    check(F.multilabel_soft_margin_loss(t(x), t(y), weight=t(w), reduction=word), want, word)


@pytest.mark.parametrize("word", WORDS)
def test_likelihoods(word):
    x, y, v = rows(3, 4, 0.2), rows(3, 4, 1.2), [[abs(a) for a in row] for row in rows(3, 4, 2.2)]
    want = [0.5 * (math.log(max(c, 0.3)) + (a - b) ** 2 / max(c, 0.3)) + 0.5 * math.log(2 * math.pi)
            for p, q, r in zip(x, y, v) for a, b, c in zip(p, q, r)]
    made = F.gaussian_nll_loss(t(x), t(y), t(v), full=True, eps=0.3, reduction=word)
    check(made.reshape(-1) if word == "none" else made, want, word)
    rate, n = [0.5, 1.5, -0.3, 2.0], [0.0, 1.0, 3.0, 7.0]
    stirling = [k * math.log(k) - k + 0.5 * math.log(2 * math.pi * k) if k > 1 else 0 for k in n]
    check(F.poisson_nll_loss(t(rate), t(n), full=True, reduction=word),
          [math.exp(a) - k * a + s for a, k, s in zip(rate, n, stirling)], word)
    check(F.poisson_nll_loss(t(n), t(n), log_input=False, eps=0.1, reduction=word),
          [k - k * math.log(k + 0.1) for k in n], word)
    assert F.poisson_nll_loss(t(rate).half(), t(n).long(), full=True, reduction=word).dtype is torch.float16


def test_variances():
    x = torch.zeros(3, 4)
    for var in (torch.ones(3), torch.ones(3, 1), torch.ones(3, 4), 1.0):
        assert F.gaussian_nll_loss(x, x + 1, var, reduction="none").tolist() == [[0.5] * 4] * 3
    for sizes, of in (((1, 4), (3, 4)), ((1, 3, 4), (2, 3, 4)), ((2, 1, 4), (2, 3, 4)), ((2, 3), (2, 3, 4)), ((1, 1), (3, 1))):
        mean = torch.zeros(of)  # a variance for all along one dim
        var = torch.full(sizes, math.e**2, requires_grad=True)
        loss = F.gaussian_nll_loss(mean, mean, var, reduction="none")
        assert loss.shape == of and torch.allclose(loss, torch.ones(of))
        loss.sum().backward()
        assert torch.allclose(var.grad, torch.full(sizes, mean.numel() / var.numel() / 2 / math.e**2))
    for sizes, of in (((1, 1), (3, 4)), ((1, 1, 4), (2, 3, 4)), ((4,), (3, 4)), ((2, 4), (3, 4)), ((1, 3), (3,))):
        with pytest.raises(ValueError, match="var is of incorrect size"):
            F.gaussian_nll_loss(torch.zeros(of), torch.zeros(of), torch.ones(sizes))
    var = torch.zeros(3, 4, requires_grad=True)  # below eps the gradient is eps's
    F.gaussian_nll_loss(x, x, var, eps=0.5, reduction="sum").backward()
    assert var.grad.tolist() == [[1.0] * 4] * 3
    assert F.gaussian_nll_loss(x, x, torch.full((3, 4), math.nan)).isnan()


ONE = torch.ones(3, 4)


@pytest.mark.parametrize("call, error, text", [
    (lambda: F.margin_ranking_loss(ONE[0], ONE, ONE[0]), RuntimeError,
     "margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: torch.Size([4]), input2: "
     "torch.Size([3, 4]), target: torch.Size([4]) "),
    (lambda: F.cosine_embedding_loss(ONE, ONE, ONE), RuntimeError, "0D or 1D target tensor expected, multi-target not supported"),
    (lambda: F.cosine_embedding_loss(ONE[0], ONE[0], ONE[0]), RuntimeError,
     "1D target tensor expects 2D input tensors, but found inputs with sizes [4] and [4]."),
    (lambda: F.triplet_margin_loss(ONE, ONE, ONE[0]), RuntimeError,
     "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor 2D, "
     "positive 2D, and negative 1D inputs"),
    (lambda: F.triplet_margin_loss(ONE, ONE, ONE, margin=-1.0), ValueError, "margin must be greater than 0, got -1.0"),
    (lambda: F.triplet_margin_with_distance_loss(ONE, ONE, ONE, margin=-1.0), ValueError,
     "margin must be greater than 0, got -1.0"),
    (lambda: F.triplet_margin_with_distance_loss(ONE, ONE, ONE, reduction="foo"), ValueError,
     "foo is not a valid value for reduction"),
    (lambda: F.hinge_embedding_loss(ONE, ONE, reduction="foo"), ValueError, "foo is not a valid value for reduction"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0, 1])), RuntimeError, "inconsistent target size, expected 3 but got [2]"),
    (lambda: F.multi_margin_loss(ONE[None], torch.tensor([0])), RuntimeError,
     "Expected non-empty vector or matrix with optional 0-dim batch size, but got: [1, 3, 4]"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0, 1, 4])), RuntimeError, "target out of range"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0, 1, 2]), p=3), ValueError, "only p == 1 and p == 2 supported"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0, 1, 2]), weight=ONE), ValueError, "weight must be one-dimensional"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0, 1, 2]), weight=torch.ones(3)), RuntimeError,
     "inconsistent weight size, expected 4 but got [3]"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0.0, 1, 2])), RuntimeError, "expected scalar type Long but found Float"),
    (lambda: F.multi_margin_loss(ONE.half(), torch.tensor([0, 1, 2])), NotImplementedError,
     "\"multi_margin_loss_cpu_kernel\" not implemented for 'Half'"),
    (lambda: F.multi_margin_loss(ONE.half(), torch.tensor([0, 1, 2]), weight=torch.ones(4)), NotImplementedError,
     "\"multi_margin_loss_cpu_kernel\" not implemented for 'Half'"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0.0, 1, 2]), weight=torch.ones(4).half()), RuntimeError,
     "expected scalar type Long but found Float"),
    (lambda: F.multi_margin_loss(ONE, torch.tensor([0, 1, 2]), weight=torch.ones(4).half()), RuntimeError,
     "expected scalar type Float but found Half"),
    (lambda: F.multilabel_margin_loss(ONE, torch.zeros(3, 4)), RuntimeError, "expected scalar type Long but found Float"),
    (lambda: F.multilabel_margin_loss(ONE.half(), torch.zeros(3, 4)), NotImplementedError,
     "\"multilabel_margin_loss_forward_out_frame\" not implemented for 'Half'"),
    (lambda: F.multilabel_margin_loss(ONE.half(), torch.zeros(3, 4, dtype=torch.complex64)), NotImplementedError,
     "\"min_all\" not implemented for 'ComplexFloat'"),
    (lambda: F.multilabel_margin_loss(ONE, torch.zeros(3, 5).long()), RuntimeError,
     "inconsistent target size: [3, 5] for input of size: [3, 4]"),
    (lambda: F.multilabel_margin_loss(ONE, torch.full((3, 4), 4)), RuntimeError, "argument #2 'target' is out of range"),
    (lambda: F.soft_margin_loss(ONE[:, :1], ONE), RuntimeError,
     "output with shape [3, 1] doesn't match the broadcast shape [3, 4]"),
    (lambda: F.soft_margin_loss(ONE.long(), ONE), RuntimeError,
     "result type Float can't be cast to the desired output type Long"),
    (lambda: F.soft_margin_loss(torch.ones(2, dtype=torch.complex64, requires_grad=True), torch.ones(2)), RuntimeError,
     "soft_margin_loss does not support automatic differentiation for outputs with complex dtype."),
    (lambda: F.multilabel_soft_margin_loss(ONE.bool(), ONE), NotImplementedError,
     "\"log_sigmoid_cpu\" not implemented for 'Bool'"),
    (lambda: F.gaussian_nll_loss(ONE, ONE, -ONE), ValueError, "var has negative entry/entries"),
    (lambda: F.gaussian_nll_loss(ONE, ONE, -1.0), ValueError, "var has negative entry/entries"),
    (lambda: F.gaussian_nll_loss(ONE, ONE, ONE[:, :3]), ValueError, "var is of incorrect size"),
    (lambda: F.gaussian_nll_loss(ONE, ONE, ONE, reduction="foo"), ValueError, "foo is not valid"),
    (lambda: F.cosine_similarity(ONE.long(), ONE.long()), RuntimeError,
     "expected common dtype to be floating point, yet common dtype is Long"),
    (lambda: F.cosine_similarity(ONE, ONE, dim=2), IndexError,
     "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    (lambda: F.pdist(ONE[0]), RuntimeError, "pdist only supports 2D tensors, got: 1D"),
    (lambda: F.pdist(ONE, -1.0), RuntimeError, "pdist only supports non-negative p values"),
    (lambda: F.pdist(ONE.long()), RuntimeError, "pdist only supports floating-point dtypes"),
    (lambda: F.pdist(ONE.half()), NotImplementedError, "\"pdist\" not implemented for 'Half'"),
])
def test_refusals(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).split("\n")[0] == text


def test_what_has_no_gradient():
    with pytest.raises(RuntimeError, match="'multi_margin_loss' is not differentiable with respect to argument 'weight'"):
        F.multi_margin_loss(ONE, torch.tensor([0, 1, 2]), weight=torch.ones(4, requires_grad=True))
    with pytest.raises(RuntimeError, match="'soft_margin_loss' is not differentiable with respect to argument 'target'"):
        F.soft_margin_loss(ONE, torch.ones(3, 4, requires_grad=True))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        F.poisson_nll_loss(ONE, ONE, size_average=False)
    assert [str(w.message) for w in said] == [
        "size_average and reduce args will be deprecated, please use reduction='sum' instead."]


# ---- similarities ----

def test_cosine_similarity():
    x, y = rows(3, 4, 0.1), rows(3, 4, 0.7)
    want = [sum(a * b for a, b in zip(p, q)) / math.sqrt(sum(a * a for a in p) * sum(b * b for b in q)) for p, q in zip(x, y)]
    assert F.cosine_similarity(t(x), t(y)).tolist() == pytest.approx(want)
    assert torch.cosine_similarity(t(x).t(), t(y).t(), dim=0).tolist() == pytest.approx(want)
    assert F.cosine_similarity(t(x), t(y)[0], dim=-1).shape == (3,)
    assert F.cosine_similarity(torch.zeros(1, 3), torch.ones(1, 3)).tolist() == [0.0]
    assert F.cosine_similarity(torch.tensor([[1e-6, 0]]), torch.tensor([[1.0, 0]]), eps=1e-3).item() == pytest.approx(1e-3)
    assert F.cosine_similarity(torch.ones(2, 2).half(), torch.ones(2, 2)).dtype is torch.float32
    assert gradcheck(F.cosine_similarity, (t(x, True), t(y, True)))
    assert gradgradcheck(F.cosine_similarity, (t(x, True), t(y, True)))


def test_pairwise_distance():
    x, y = rows(3, 4, 0.1), rows(3, 4, 0.7)
    for p in (1.0, 2.0, 3.5):
        assert F.pairwise_distance(t(x), t(y), p=p).tolist() == pytest.approx([distance(a, b, p) for a, b in zip(x, y)])
    assert F.pairwise_distance(t(x), t(y), keepdim=True).shape == (3, 1)
    assert F.pairwise_distance(t(x)[0], t(y)).shape == (3,)
    assert F.pairwise_distance(ONE.long(), ONE.long() * 2).dtype is torch.float32
    assert F.pairwise_distance(t(x, True), t(y)).grad_fn.name() == "NormBackward1"
    assert gradcheck(F.pairwise_distance, (t(x, True), t(y, True)))


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf])
def test_pdist(p):
    x = rows(5, 3, 0.1)
    pairs = [(a, b) for i, a in enumerate(x) for b in x[i + 1:]]
    if p == 0:
        want = [float(sum(u != v for u, v in zip(a, b))) for a, b in pairs]
    elif p == math.inf:
        want = [max(abs(u - v) for u, v in zip(a, b)) for a, b in pairs]
    else:
        want = [distance(a, b, p, 0) for a, b in pairs]
    assert F.pdist(t(x), p).tolist() == pytest.approx(want)
    if p:
        assert gradcheck(lambda a: F.pdist(a, p), t(x, True))
    tied = torch.tensor([[1.0, 2.0], [1.0, 2.0], [4.0, 6.0]], dtype=torch.float64, requires_grad=True)
    made = F.pdist(tied, p)
    assert made[0].item() == 0
    made.sum().backward()
    assert not tied.grad.isnan().any()
    assert F.pdist(torch.ones(1, 3), p).shape == (0,) and F.pdist(torch.ones(3, 0), p).tolist() == [0.0] * 3


def test_entropy_of_an_element():
    x = torch.tensor([-1.0, 0.0, 1.0, 0.5, math.nan, math.inf], requires_grad=True)
    y = torch.special.entr(x)
    assert y.tolist()[:4] == [-math.inf, 0.0, 0.0, pytest.approx(0.5 * math.log(2))]
    assert y[4].isnan() and y[5].item() == -math.inf and y.grad_fn.name() == "SpecialEntrBackward0"
    y.sum().backward()
    assert x.grad[1].item() == math.inf and x.grad[2].item() == -1 and x.grad[0].isnan()
    assert torch.special.entr(torch.tensor([1, 2])).dtype is torch.float32
    with pytest.raises(NotImplementedError, match="\"entr_cpu\" not implemented for 'ComplexFloat'"):
        torch.special.entr(torch.ones(2).cfloat())


def test_a_margin_that_is_true_is_one():
    x, target = torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.9, -0.4]], requires_grad=True), torch.tensor([1, 0])
    for p, margin in ((1, True), (2, True), (2, False)):
        loss, wanted = (F.multi_margin_loss(x, target, p=p, margin=m) for m in (margin, int(margin)))
        assert loss == wanted and torch.equal(*(torch.autograd.grad(y, x)[0] for y in (loss, wanted)))


def test_the_least_length_of_cosine_similarity_is_no_negative_number():
    x = torch.ones(2, 3)
    for eps, text in ((-1, "-1"), (-0.001, "-0.001"), (math.nan, "nan")):
        with pytest.raises(RuntimeError, match=f"^eps must be non-negative, got: {text}"):
            F.cosine_similarity(x, x, eps=eps)


@pytest.mark.cpu_only("a device takes other dtypes")
@pytest.mark.parametrize("dtypes", [
    (torch.bool, torch.float32, torch.float32), (torch.float64, torch.bool, torch.bool),
    (torch.int64, torch.bfloat16, torch.bool), (torch.bool, torch.bool, torch.float16),
    (torch.bool, torch.int64, torch.int64)])
def test_permissive_takes_bools_where_the_common_dtype_can_be_subtracted(dtypes):
    a, p, n = (torch.tensor(rows(3, 4, seed)).mul(2).to(d) for seed, d in enumerate(dtypes))
    for swap in False, True:
        cast_first.is_as_cast_first(lambda *t: F.triplet_margin_loss(*t, swap=swap), a, p, n)
    var = n if n.dtype == torch.bool else n.abs() + 1
    for full in False, True:
        cast_first.is_as_cast_first(lambda *t: F.gaussian_nll_loss(*t, full=full), a, p, var)
        cast_first.is_as_cast_first(lambda *t: F.gaussian_nll_loss(*t, full=full), p, a, var)


def test_permissive_leaves_losses_as_they_are_where_pytorch_takes_them():
    a, p, n = (torch.tensor(rows(3, 4, seed)) for seed in range(3))
    for x, y, z in (a, p, n.double()), (a.long(), p, n):
        want = F.triplet_margin_loss(x, y, z), F.gaussian_nll_loss(x, y, z.abs() + 1)
        with torch.policy("permissive"):
            assert F.triplet_margin_loss(x, y, z) == want[0] and F.gaussian_nll_loss(x, y, z.abs() + 1) == want[1]


def test_lengths_of_cosine_similarity_have_the_dtypes_of_their_operands():
    a, b = torch.tensor([1.0, 2, 3], dtype=torch.float64), torch.tensor([3.0, 2, 0.5], dtype=torch.float16)
    got = F.cosine_similarity(a, b, dim=0)
    length = b.norm()  # in float16
    assert got.dtype == torch.float64 and length.dtype == torch.float16
    assert got.item() == pytest.approx(((a / a.norm()) * (b / length).double()).sum().item(), rel=1e-12)
    assert F.cosine_similarity(b, b, dim=0, eps=1e5).item() == 0  # infinite as a float16
    with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
        F.cosine_similarity(b, b, dim=0, eps=1e300)
