"""The CTC loss against the sum over all paths, written out; its gradient against differences; lengths, reductions, refusals."""

import itertools
import math

import karat as torch
import pytest
from karat.nn import functional as F


def merged(path, blank):
    """A path without repetitions and blanks: the labels that it says."""
    return tuple(label for label, _ in itertools.groupby(path) if label != blank)


def by_paths(log_probs, target, blank):
    """-log of the sum over all paths that say the target."""
    steps, classes = log_probs.shape
    total = sum(math.exp(sum(float(log_probs[t, c]) for t, c in enumerate(path)))
                for path in itertools.product(range(classes), repeat=steps) if merged(path, blank) == tuple(target))
    return -math.log(total) if total else math.inf


def random(steps, batch, classes, dtype=torch.float64):
    return torch.randn(steps, batch, classes, dtype=dtype).log_softmax(-1)


TARGETS = [[1, 2], [2, 2], [1], [], [1, 2, 1]]
INPUTS = [5, 4, 5, 3, 5]


def padded(blank, targets=TARGETS):
    return torch.tensor([t + [blank] * (3 - len(t)) for t in targets])


@pytest.mark.parametrize("blank", [0, 3])
@pytest.mark.parametrize("dtype,close", [(torch.float64, 1e-10), (torch.float32, 1e-5)])
def test_values_are_sums_over_paths(blank, dtype, close):
    torch.manual_seed(1)
    log_probs, lengths = random(5, 5, 4, dtype), [len(t) for t in TARGETS]
    want = torch.tensor([by_paths(log_probs[:n, i], t, blank) for i, (n, t) in enumerate(zip(INPUTS, TARGETS))], dtype=dtype)
    flat = torch.tensor([label for t in TARGETS for label in t])
    for targets in (padded(blank), flat, padded(blank).int()):
        for inputs, sizes in ((INPUTS, lengths), (torch.tensor(INPUTS), torch.tensor(lengths, dtype=torch.int32))):
            got = F.ctc_loss(log_probs, targets, inputs, sizes, blank, "none")
            assert got.dtype == dtype and torch.allclose(got, want, rtol=close)
            assert torch.allclose(F.ctc_loss(log_probs, targets, inputs, sizes, blank, "sum"), want.sum(), rtol=close)
            mean = (want / torch.tensor([max(n, 1) for n in lengths])).mean()
            assert torch.allclose(F.ctc_loss(log_probs, targets, inputs, sizes, blank), mean, rtol=close)


def test_gradient_is_that_of_softmax():
    """PyTorch's gradient assumes that log_probs came from log_softmax: through it, it is the slope."""
    torch.manual_seed(2)
    logits = torch.randn(5, 5, 4, dtype=torch.float64, requires_grad=True)
    lengths, weights = [len(t) for t in TARGETS], torch.randn(5, dtype=torch.float64)

    def loss(x):
        return (F.ctc_loss(x.log_softmax(-1), padded(0), INPUTS, lengths, 0, "none") * weights).sum()

    loss(logits).backward()
    for at in itertools.product(range(5), range(5), range(4)):
        step = torch.zeros(5, 5, 4, dtype=torch.float64)
        step[at] = 1e-6
        slope = (loss(logits.detach() + step) - loss(logits.detach() - step)) / 2e-6
        assert abs(slope - logits.grad[at]) < 1e-7


def test_rows_of_the_gradient_sum_to_zero():
    torch.manual_seed(3)
    log_probs = random(6, 2, 5).requires_grad_()
    F.ctc_loss(log_probs, torch.tensor([[1, 1], [3, 2]]), [6, 4], [2, 2], reduction="sum").backward()
    assert torch.allclose(log_probs.grad.sum(-1), torch.zeros(6, 2, dtype=torch.float64))
    assert torch.equal(log_probs.grad[4:, 1], torch.zeros(2, 5, dtype=torch.float64))


def test_what_cannot_be_said():
    torch.manual_seed(4)
    log_probs = random(3, 2, 4, torch.float32).requires_grad_()
    targets, inputs, lengths = torch.tensor([[1, 2], [3, 3]]), [2, 2], [2, 2]
    loss = F.ctc_loss(log_probs, targets, inputs, lengths, reduction="none")
    assert torch.isfinite(loss[0]) and loss[1] == math.inf
    loss.sum().backward()
    assert log_probs.grad[:2, 1].isnan().all() and torch.isfinite(log_probs.grad[:, 0]).all()
    log_probs.grad = None
    loss = F.ctc_loss(log_probs, targets, inputs, lengths, reduction="none", zero_infinity=True)
    assert loss[1] == 0
    loss.sum().backward()
    assert torch.equal(log_probs.grad[:, 1], torch.zeros(3, 4)) and log_probs.grad[0, 0].abs().sum() > 0
    ends = F.ctc_loss(log_probs, targets, [0, 0], [0, 1], reduction="none")
    assert ends.tolist() == [0.0, math.inf]


def test_one_sample():
    torch.manual_seed(5)
    log_probs = random(5, 1, 4)
    for reduction in ("none", "mean", "sum"):
        alone = F.ctc_loss(log_probs[:, 0], torch.tensor([1, 2]), torch.tensor(5), torch.tensor(2), reduction=reduction)
        both = F.ctc_loss(log_probs, torch.tensor([[1, 2]]), [5], [2], reduction=reduction)
        assert alone.ndim == 0 and alone == both.sum()
    for labels in ([1, 2, 3], [1]):
        with pytest.raises(RuntimeError, match=f"Expected tensor to have size 2 at dimension 0, but got size {len(labels)}"):
            F.ctc_loss(log_probs[:, 0], torch.tensor(labels), [5], [2])


def test_torch_reduces_nothing_by_default():
    log_probs = random(3, 2, 3)
    assert torch.ctc_loss(log_probs, torch.tensor([[1], [2]]), [3, 3], [1, 1]).shape == (2,)
    assert torch.ctc_loss(log_probs, torch.tensor([[1], [2]]), [3, 3], [1, 1], 0, 1).shape == ()
    loss, alpha = torch._ctc_loss(log_probs, torch.tensor([[1], [2]]), [3, 3], [1, 1])
    assert alpha.shape == (2, 3, 3) and not alpha.requires_grad


def test_labels_that_are_no_classes_are_never_seen():
    log_probs = random(3, 1, 3).requires_grad_()
    loss = F.ctc_loss(log_probs, torch.tensor([[7]]), [3], [1], reduction="none", zero_infinity=True)
    assert loss.tolist() == [0.0]
    loss.sum().backward()


def test_no_second_derivative():
    log_probs = random(3, 1, 3).requires_grad_()
    loss = torch.ctc_loss(log_probs, torch.tensor([[1]]), [3], [1])
    (grad,) = torch.autograd.grad(loss.sum(), log_probs, create_graph=True)
    with pytest.raises(RuntimeError, match="not implemented"):
        grad.sum().backward()


P, L = torch.zeros(6, 2, 4), torch.tensor([[1, 2], [3, 3]])
CHECKING = "(while checking arguments for ctc_loss_allocate_outputs)"
REFUSED = [
    ((P.half(), L, [6, 6], [2, 2]), NotImplementedError, "\"ctc_loss_cpu\" not implemented for 'Half'"),
    ((P[:0], L, [6, 6], [2, 2]), RuntimeError, "log_probs tensor must not be empty"),
    ((P[:, 0], L, [6, 6], [2, 2]), RuntimeError,
     f"Expected 3-dimensional tensor, but got 2-dimensional tensor for argument #1 'log_probs' {CHECKING}"),
    ((P, L[None], [6, 6], [2, 2]), RuntimeError,
     f"Expected 1 to 2 dimensions, but got 3-dimensional tensor for argument #2 'targets' {CHECKING}"),
    ((P, L.float(), [6, 6], [2, 2]), RuntimeError,
     f"Expected tensor for argument #2 'targets' to have scalar type Int; but got torch.FloatTensor instead {CHECKING}"),
    ((P, L, [6, 6], [2, 2], 9), RuntimeError, "blank must be in label range"),
    ((P, L, [6], [2, 2]), RuntimeError, "input_lengths must be of size batch_size"),
    ((P, L, [6, 6], [2]), RuntimeError, "target_lengths must be of size batch_size"),
    ((P, L, [7, 6], [-1, 2]), RuntimeError, f"Expected target_lengths to have value at least 0, but got value -1 {CHECKING}"),
    ((P, L, [7, 6], [2, 2]), RuntimeError, f"Expected input_lengths to have value at most 6, but got value 7 {CHECKING}"),
    ((P, L, [-1, 6], [2, 2]), RuntimeError, f"Expected input_lengths to have value at least 0, but got value -1 {CHECKING}"),
    ((P, L, [6, 6], [3, 2]), RuntimeError,
     f"Expected tensor to have size at least 3 at dimension 1, but got size 2 for argument #2 'targets' {CHECKING}"),
    ((P, L[0], [6, 6], [2, 2]), RuntimeError,
     f"Expected tensor to have size 4 at dimension 0, but got size 2 for argument #2 'targets' {CHECKING}"),
    ((P, L, torch.tensor([6.0, 6]), torch.tensor([2, 2])), RuntimeError, "input_lengths must be integral"),
]


@pytest.mark.parametrize("given,kind,text", REFUSED)
def test_refusals(given, kind, text):
    with pytest.raises(kind) as e:
        torch._ctc_loss(*given)
    assert str(e.value).splitlines()[0] == text


def test_reduction_must_be_known():
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        F.ctc_loss(P, L, [6, 6], [2, 2], reduction="x")


def test_log_probs_without_a_batch_get_one_before_they_are_refused():
    with pytest.raises(RuntimeError, match="Expected 3-dimensional tensor, but got 5-dimensional tensor for argument #1"):
        F.ctc_loss(torch.zeros(2, 2, 2, 2), L, [2, 2], [1, 1])
