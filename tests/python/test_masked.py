"""karat.masked: what a mask leaves out counts for nothing. The references take the kept elements out one by one."""

import math

import pytest

import karat
from karat import masked

X = [[2.0, 5.0, -1.0, 3.0], [4.0, 4.0, 0.5, -2.0], [7.0, 1.0, 1.0, 6.0]]
KEPT = [[True, False, True, True], [False, False, False, False], [True, True, False, True]]


def kept(row):
    return [x for x, keep in zip(X[row], KEPT[row]) if keep]


def close(given, expected):
    for a, b in zip(given, expected):
        assert math.isnan(a) if math.isnan(b) else a == pytest.approx(b, rel=1e-6)


def tensors():
    return karat.tensor(X, dtype=karat.float64), karat.tensor(KEPT)


def spread(values, less):
    if not values:
        return math.nan
    middle = sum(values) / len(values)
    return sum((v - middle) ** 2 for v in values) / (len(values) - less)


@pytest.mark.parametrize("name, reference", [
    ("sum", sum), ("prod", math.prod),
    ("amax", lambda v: max(v, default=-math.inf)), ("amin", lambda v: min(v, default=math.inf)),
    ("mean", lambda v: sum(v) / len(v) if v else math.nan), ("var", lambda v: spread(v, 1)),
    ("std", lambda v: math.sqrt(spread(v, 1))), ("median", lambda v: sorted(v)[(len(v) - 1) // 2] if v else math.nan),
    ("norm", lambda v: math.sqrt(sum(x * x for x in v))),
    ("logsumexp", lambda v: math.log(sum(map(math.exp, v))) if v else -math.inf),
])
def test_reductions(name, reference):
    x, mask = tensors()
    reduce, expected = getattr(masked, name), [reference(kept(row)) for row in range(3)]
    close(reduce(x, dim=1, mask=mask).tolist(), expected)
    close(reduce(x, dim=1, keepdim=True, mask=mask).reshape(3).tolist(), expected)
    if name != "median":
        close([reduce(x, mask=mask).item()], [reference(kept(0) + kept(1) + kept(2))])


def test_along_a_dim():
    x, mask = tensors()
    soft = masked.softmax(x, 1, mask=mask)
    total = sum(map(math.exp, kept(0)))
    close(soft[0].tolist(), [math.exp(2) / total, 0, math.exp(-1) / total, math.exp(3) / total])
    assert soft[1].isnan().all() and karat.equal(masked.softmin(-x, 1, mask=mask)[0], soft[0])
    close(masked.log_softmax(x, 1, mask=mask)[0].exp().tolist(), soft[0].tolist())
    assert masked.cumsum(x, 1, mask=mask).tolist() == [[2, 2, 1, 4], [0, 0, 0, 0], [7, 8, 8, 14]]
    assert masked.cumprod(x, 1, mask=mask)[2].tolist() == [7, 7, 7, 42]
    assert masked.argmax(x, 1, mask=mask).tolist() == [3, 0, 0] and masked.argmin(x, 1, mask=mask).tolist() == [2, 0, 1]
    assert masked.argmax(x.long(), 1, mask=mask).dtype is karat.int64
    close(masked.normalize(x, 2.0, 1, mask=mask)[0].tolist(), [v / math.sqrt(14) for v in (2, 0, -1, 3)])
    close(masked.logaddexp(x, x, other_mask=mask)[0].tolist(), [2 + math.log(2), 5, -1 + math.log(2), 3 + math.log(2)])


def test_dtypes_and_masks():
    x, mask = tensors()
    assert masked.sum(x.to(karat.uint8), 1).dtype is karat.int64 and masked.cumsum(x.to(karat.int16), 1).dtype is karat.int16
    assert masked.amax(x.to(karat.int32), 1, mask=mask).tolist() == [3, -2**31, 7]
    assert masked.sum(x, 0, mask=karat.tensor([True, False, True, False])).tolist() == [13, 0, 0.5, 0]
    assert masked.sum([[1.0, 2.0]], 1).tolist() == [3] and masked.mean(x, (0, 1), mask=mask).shape == ()
    assert masked.var(x, 1, unbiased=False, mask=mask)[0].item() == pytest.approx(spread(kept(0), 0))
    assert masked.std(x, 1, correction=2, mask=mask)[0].item() == pytest.approx(math.sqrt(spread(kept(0), 2)))
    assert not masked.is_masked_tensor(x)


def test_gradients_reach_what_is_kept():
    x, mask = tensors()
    x.requires_grad_()
    masked.sum(x * x, 1, mask=mask).sum().backward()
    assert karat.equal(x.grad, (2 * x * mask).detach())


def test_what_is_refused():
    x, mask = tensors()
    for call, kind, text in [
        (lambda: masked.sum(x, 1, mask=mask[None]), IndexError, "_input_mask expected broadcastable mask"),
        (lambda: masked.sum(x, (0, 0), mask=mask), RuntimeError, "dim=0 appears multiple times in the list of dims"),
        (lambda: masked.sum(x, 2, mask=mask), IndexError, r"expected to be in range of \[-2, 1\], but got 2"),
        (lambda: masked.amax(x.bool(), 1, mask=mask), NotImplementedError, "identity of amax on torch.bool input"),
        (lambda: masked.mean(x.long(), 1, mask=mask), ValueError, r"mean\(\): Could not infer output dtype. Input dtype must be"),
        (lambda: masked.median(x.long(), 1, mask=mask), ValueError, "masked median expects no fully masked out rows"),
        (lambda: masked.var(x, 1, True, correction=1), RuntimeError, "Only one of unbiased and correction may be given"),
        (lambda: masked.masked_tensor(x, mask), NotImplementedError, "tensors do not carry masks"),
    ]:
        with pytest.raises(kind, match=text):
            call()
