"""Bags of embeddings, shuffled channels and pixels, randomized activations, beside formulas in plain Python."""

import itertools
import math
import warnings

import cast_first
import pytest

import karat as torch
import karat.nn.functional as F
from differences import gradcheck

TABLE = [[math.sin(1.3 * i + 0.7 * j) for j in range(3)] for i in range(5)]
INDICES, OFFSETS = [0, 1, 2, 1, 3, 4, 4], [0, 2, 2, 5]


def table(grad=False):
    return torch.tensor(TABLE, dtype=torch.float64, requires_grad=grad)


def bags(indices, begins, ends, mode, padding=None, weights=None):
    made = []
    for b, e in zip(begins, ends):
        rows = [[v * (weights[k] if weights else 1) for v in TABLE[indices[k]]] for k in range(b, e) if indices[k] != padding]
        if not rows:
            made.append([0.0] * 3)
        elif mode == "max":
            made.append([max(c) for c in zip(*rows)])
        else:
            made.append([sum(c) / (len(rows) if mode == "mean" else 1) for c in zip(*rows)])
    return made


def near(made, want):
    assert made.shape == (len(want), 3)
    assert sum(made.tolist(), []) == pytest.approx(sum(want, []))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_embedding_bag(mode, dtype):
    i, o = torch.tensor(INDICES, dtype=dtype), torch.tensor(OFFSETS, dtype=dtype)
    ends = OFFSETS[1:] + [len(INDICES)]
    near(F.embedding_bag(i, table(), o, mode=mode), bags(INDICES, OFFSETS, ends, mode))
    near(F.embedding_bag(i, table(), o, mode=mode, padding_idx=1), bags(INDICES, OFFSETS, ends, mode, 1))
    near(F.embedding_bag(i, table(), o, mode=mode, padding_idx=-4), bags(INDICES, OFFSETS, ends, mode, 1))
    last = torch.tensor(OFFSETS + [7], dtype=dtype)
    near(F.embedding_bag(i, table(), last, mode=mode, include_last_offset=True), bags(INDICES, OFFSETS, ends, mode))
    near(F.embedding_bag(i[:6].view(2, 3), table(), mode=mode), bags(INDICES, [0, 3], [3, 6], mode))
    near(torch.embedding_bag(table(), i, o, mode=["sum", "mean", "max"].index(mode))[0], bags(INDICES, OFFSETS, ends, mode))
    for narrow in (torch.float16, torch.bfloat16, torch.float32):
        made = F.embedding_bag(i, table().to(narrow), o, mode=mode)
        assert made.dtype is narrow
        torch.testing.assert_close(made.double(), F.embedding_bag(i, table(), o, mode=mode), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 1])
def test_gradients_of_bags(mode, padding):
    i, o = torch.tensor(INDICES), torch.tensor(OFFSETS)
    assert gradcheck(lambda w: F.embedding_bag(i, w, o, mode=mode, padding_idx=padding), table(True))
    assert F.embedding_bag(i, table(True), o, mode=mode).grad_fn.name() == "EmbeddingBagBackward0"


def test_weights_of_samples():
    i, o = torch.tensor(INDICES), torch.tensor(OFFSETS)
    weights = [0.5, 1.0, -1.0, 2.0, 0.25, 1.5, 3.0]
    each = torch.tensor(weights, dtype=torch.float64, requires_grad=True)
    near(F.embedding_bag(i, table(), o, mode="sum", per_sample_weights=each.detach()),
         bags(INDICES, OFFSETS, OFFSETS[1:] + [7], "sum", weights=weights))
    assert gradcheck(
        lambda w, s: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=s, padding_idx=4), (table(True), each))


def test_frequencies_and_norms():
    i, o = torch.tensor(INDICES), torch.tensor(OFFSETS)
    plain, shared = table(True), table(True)
    F.embedding_bag(i, plain, o, mode="sum").sum().backward()
    F.embedding_bag(i, shared, o, mode="sum", scale_grad_by_freq=True).sum().backward()
    often = torch.tensor([max(1, INDICES.count(r)) for r in range(5)]).double().unsqueeze(1)
    torch.testing.assert_close(shared.grad, plain.grad / often)
    w = table() * 4
    F.embedding_bag(i[:2], w, o[:1], max_norm=1.0)
    assert w.norm(dim=1)[:2].max() <= 1.0 + 1e-6 and torch.equal(w[2:], (table() * 4)[2:])
    for mode in ("sum", "mean", "max"):
        assert F.embedding_bag(i[:0], table(), torch.tensor([0, 0]), mode=mode).tolist() == [[0.0] * 3] * 2


I, O, W = torch.tensor([0, 1]), torch.tensor([0]), torch.ones(3, 2)


@pytest.mark.parametrize("call, error, text", [
    (lambda: F.embedding_bag(I, W), ValueError, "offsets has to be a 1D Tensor but got None"),
    (lambda: F.embedding_bag(I[None], W, O), ValueError, "if input is 2D, then offsets has to be None, as input is treated is a "
     "mini-batch of fixed length sequences. However, found offsets of type <class 'torch.Tensor'>"),
    (lambda: F.embedding_bag(I, W, O[None]), ValueError, "offsets has to be a 1D Tensor"),
    (lambda: F.embedding_bag(I[None, None], W), ValueError, "input has to be 1D or 2D Tensor, but got Tensor of dimension 3"),
    (lambda: F.embedding_bag(I, W[0], O), ValueError, "weight has to be a 2D Tensor, but got Tensor of dimension 1"),
    (lambda: F.embedding_bag(I, W, O, mode="foo"), ValueError, "mode has to be one of sum, mean or max"),
    (lambda: F.embedding_bag(I, W, O, mode="mean", per_sample_weights=torch.ones(2)), NotImplementedError,
     "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='mean'). "
     "Please open a feature request on GitHub."),
    (lambda: F.embedding_bag(I, W, O, mode="sum", per_sample_weights=torch.ones(3)), ValueError,
     "embedding_bag: If per_sample_weights (torch.Size([3])) is not None, then it must have the same shape as the input "
     "(torch.Size([2]))"),
    (lambda: F.embedding_bag(I, W, O, padding_idx=3), RuntimeError,
     "padding_idx must be within the number of embeddings, -3 through 2, but got 3"),
    (lambda: F.embedding_bag(I, W, O, mode="max", scale_grad_by_freq=True), ValueError,
     "max mode does not support scaling the gradient by the frequency"),
    (lambda: F.embedding_bag(I.float(), W, O), RuntimeError,
     "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor "
     "instead (while checking arguments for embedding_bag)"),
    (lambda: torch.embedding_bag(W, I.bfloat16(), O), RuntimeError,
     "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got CPUBFloat16Type "
     "instead (while checking arguments for embedding_bag)"),
    (lambda: torch.embedding_bag(W.bool(), I, O), RuntimeError,
     "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, Float, Double; but got "
     "CPUBoolType instead (while checking arguments for embedding_bag)"),
    (lambda: torch.embedding_bag(W[0], I[0].float(), O[0]), RuntimeError,
     "input has to be a 1D or 2D Tensor, but got Tensor of dimension 0"),
    (lambda: torch.embedding_bag(W[0], I.float(), O[0]), RuntimeError,
     "offsets has to be a 1D Tensor, but got Tensor of dimension 0"),
    (lambda: torch.embedding_bag(W[0], I.float(), O), RuntimeError,
     "weight has to be a 2D Tensor, but got Tensor of dimension 1"),
    (lambda: F.embedding_bag(I, W, O[:0], include_last_offset=True), RuntimeError,
     "include_last_offset: number of offset should be at least 1"),
    (lambda: F.pixel_shuffle(W, 2), RuntimeError,
     "pixel_shuffle expects input to have at least 3 dimensions, but got input with 2 dimension(s)"),
    (lambda: F.pixel_shuffle(torch.ones(1, 5, 2, 2), 2), RuntimeError,
     "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
     "input.size(-3)=5 is not divisible by 4"),
    (lambda: F.pixel_shuffle(torch.ones(1, 4, 2, 2), 0), RuntimeError,
     "pixel_shuffle expects a positive upscale_factor, but got 0"),
    (lambda: F.pixel_unshuffle(torch.ones(1, 1, 3, 4), 2), RuntimeError, "pixel_unshuffle expects height to be divisible by "
     "downscale_factor, but input.size(-2)=3 is not divisible by 2"),
    (lambda: F.channel_shuffle(W, 2), RuntimeError,
     "channel_shuffle expects input with > 2 dims, but got input with sizes [3, 2]"),
    (lambda: F.channel_shuffle(torch.ones(1, 5, 2), 2), RuntimeError,
     "Number of channels must be divisible by groups. Got 5 channels and 2 groups."),
    (lambda: F.rrelu(W, 0.5, 0.2), RuntimeError, "Lower bound should be less than or equal to the upper bound"),
    (lambda: F.rrelu(W, math.inf, math.inf, training=True), RuntimeError, "rrelu: lower bound must be finite, got inf"),
    (lambda: F.rrelu(W.half(), training=True), NotImplementedError, "\"rrelu_with_noise_out_cpu\" not implemented for 'Half'"),
    (lambda: F.rrelu(W.long()), NotImplementedError, "\"leaky_relu_cpu\" not implemented for 'Long'"),
])
def test_refusals(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert str(raised.value).split("\n")[0] == text


@pytest.mark.cpu_only("a device does not hand over offsets, nor say which index was wrong")
@pytest.mark.parametrize("call, text", [
    (lambda: F.embedding_bag(I, W, O + 1),
     "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got 1"),
    (lambda: F.embedding_bag(I, W, torch.tensor([0, 9])),
     "offsets[-1] can not be greater than input's length 2 but got offsets[-1] of 9"),
    (lambda: F.embedding_bag(I + 2, W, O), "Index 1 of input takes value 3 which is not in the valid range [0, 3)"),
    *((call, "embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be 3") for call in (
        lambda: F.embedding_bag(I + 2, W.double(), O), lambda: F.embedding_bag(I + 2, W, O, mode="max"),
        lambda: F.embedding_bag(I + 2, W, O, padding_idx=0))),
])
def test_refusals_of_values(call, text):
    with pytest.raises(RuntimeError) as raised:
        call()
    assert str(raised.value).split("\n")[0] == text


@pytest.mark.cpu_only("a device says so late, and in other words")
def test_rows_beyond_the_table_cannot_be_shortened():
    for i, named in (([9, 1, 7], 7), ([9, -9], -9), ([[1, 8], [5, 0]], 5)):
        with pytest.raises(IndexError, match=rf"select\(\): index {named} out of range for tensor of size \[3, 2\] at dim"):
            F.embedding(torch.tensor(i), torch.ones(3, 2), max_norm=0.5)
    with pytest.raises(IndexError, match="index out of range in self"):
        F.embedding(torch.tensor([-1]), torch.ones(3, 2), max_norm=0.5)
    for call in (lambda i, w: F.embedding(i, w, max_norm=0.5), lambda i, w: F.embedding_bag(i, w, O, max_norm=0.5)):
        with pytest.raises(RuntimeError, match=r"types: Long, Int; but got torch.FloatTensor instead \(while checking arg"):
            call(torch.ones(2), torch.ones(3, 2))
    with pytest.raises(RuntimeError, match="Expected 2-dimensional tensor, but got 1-dimensional tensor for argument #1 'self'"):
        F.embedding(torch.tensor([1]), torch.ones(3), max_norm=0.5)
    with pytest.raises(RuntimeError, match="norm.*input dtype should be either floating point or complex. Got Long instead."):
        F.embedding(torch.tensor([1]), torch.ones(3, 2, dtype=torch.int64), max_norm=0.5)


def test_bags_of_no_length():
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        F.embedding_bag(torch.ones(3, 0, dtype=torch.int64), torch.ones(3, 2), mode="foo")


def test_weights_of_samples_alone_have_a_gradient():
    """The table's sizes are not those of an input that needs a gradient."""
    w, i = torch.arange(6.0).reshape(3, 2), torch.tensor([2, 0, 1])
    each = torch.ones(3, requires_grad=True)
    F.embedding_bag(i, w, torch.tensor([0, 2]), mode="sum", per_sample_weights=each).sum().backward()
    assert each.grad.tolist() == [9, 1, 5]


# ---- channels and pixels ----

def test_pixels():
    x = torch.arange(2 * 8 * 2 * 3).view(2, 8, 2, 3)
    y = F.pixel_shuffle(x, 2)
    assert y.shape == (2, 2, 4, 6)
    for n, c, h, w in [(0, 0, 0, 0), (1, 1, 3, 5), (0, 1, 2, 1), (1, 0, 1, 4)]:
        assert y[n, c, h, w] == x[n, c * 4 + h % 2 * 2 + w % 2, h // 2, w // 2]
    assert torch.equal(F.pixel_unshuffle(y, 2), x)
    assert F.pixel_shuffle(x[0], 2).shape == (2, 4, 6) and F.pixel_shuffle(x, 1).data_ptr() != x.data_ptr()
    assert not any(z._is_view() for z in (y, F.pixel_shuffle(x, 1), F.pixel_unshuffle(x, 1), F.channel_shuffle(x, 2)))
    last = F.pixel_shuffle(x.contiguous(memory_format=torch.channels_last), 2)
    assert last.is_contiguous(memory_format=torch.channels_last) and torch.equal(last, y)
    leaf = x.double().requires_grad_()
    assert gradcheck(lambda a: F.pixel_shuffle(a, 2), leaf)
    assert gradcheck(lambda a: F.pixel_unshuffle(a, 2), y.double().requires_grad_())


@pytest.mark.cpu_only("PyTorch's own kernel of the CPU does it")
@pytest.mark.parametrize("sizes", [(2, 4, 0, 2), (0, 4, 2, 2), (1, 0, 2), (0, 3, 6, 2)])
def test_an_empty_image_keeps_its_sizes_if_pixels_become_channels(sizes):
    x = torch.zeros(sizes, requires_grad=True)
    y = F.pixel_unshuffle(x, 2)
    assert y.shape == x.shape and y.stride() == x.stride() and y.grad_fn.name() == "PixelUnshuffleBackward0"
    moved = F.pixel_unshuffle(torch.zeros(sizes, device="meta"), 2)
    assert moved.shape == (*sizes[:-3], 4 * sizes[-3], sizes[-2] // 2, sizes[-1] // 2)


def test_channels():
    x = torch.arange(6).view(1, 6, 1)
    assert F.channel_shuffle(x, 2).flatten().tolist() == [0, 3, 1, 4, 2, 5]
    assert torch.native_channel_shuffle(x, 3).flatten().tolist() == [0, 2, 4, 1, 3, 5]
    leaf = torch.rand(2, 6, 2, dtype=torch.float64, requires_grad=True)
    y = F.channel_shuffle(leaf, 3)
    assert y.grad_fn.name() == "ChannelShuffleBackward0"
    assert gradcheck(lambda a: F.channel_shuffle(a, 3), leaf)


# ---- randomized activations ----

def test_rrelu():
    x = torch.tensor([-1.0, 2.0, -3.0, 0.0, math.nan], requires_grad=True)
    assert F.rrelu(x).tolist()[:3] == pytest.approx([-11 / 48, 2.0, -33 / 48])
    assert F.rrelu(x).grad_fn.name() == "RreluWithNoiseBackward0"
    torch.manual_seed(0)
    draws = torch.empty(3, dtype=torch.float64).uniform_(0.125, 1 / 3)
    torch.manual_seed(0)
    y = F.rrelu(x, training=True)  # positive numbers and NaN take no draw
    assert y[0].item() == pytest.approx(-draws[0].item()) and y[2].item() == pytest.approx(-3 * draws[1].item())
    assert y[1] == 2 and y[4].isnan() and y.grad_fn.name() == "RreluWithNoiseBackward0"
    y[:4].sum().backward()
    assert x.grad.tolist() == pytest.approx([draws[0].item(), 1.0, draws[1].item(), draws[2].item(), 0.0])
    z = x.detach().clone()
    assert F.rrelu_(z) is z and F.rrelu(z, inplace=True) is z
    w = (x * 1).clone()
    assert F.rrelu_(w, training=True).grad_fn.name() == "RreluWithNoiseBackward1"
    torch.manual_seed(0)  # PyTorch 2.11: the bounds are float32's, the draw is of float64
    assert (-F.rrelu(-torch.ones(3), training=True)).tolist() == [0.3270943760871887, 0.27246248722076416, 0.22070477902889252]
    turned = -torch.ones(2, 3).t()
    assert F.rrelu(turned, training=True).stride() == (2, 1) and F.rrelu(turned).stride() == (2, 1)


def test_gumbel_softmax():
    logits = torch.zeros(2, 3)
    torch.manual_seed(0)
    want = (-torch.empty(2, 3).exponential_().log() / 0.5).softmax(-1)
    torch.manual_seed(0)
    torch.testing.assert_close(F.gumbel_softmax(logits, tau=0.5), want)
    torch.manual_seed(0)
    leaf = logits.clone().requires_grad_()
    hard = F.gumbel_softmax(leaf, tau=0.5, hard=True)
    assert hard.detach().round().tolist() == (want == want.max(-1, keepdim=True)[0]).float().tolist()
    assert hard.grad_fn.name() == "AddBackward0"
    (hard * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert leaf.grad.abs().sum() > 0
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        F.gumbel_softmax(logits, eps=1e-3)
    assert [str(w.message) for w in said] == ["`eps` parameter is deprecated and has no effect."]
    with pytest.raises(RuntimeError, match="Exponential distribution is a continuous probability distribution"):
        F.gumbel_softmax(logits.long())


# ---- rows that are shortened ----

@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_embedding_renorm(p):
    x = table()
    assert torch.embedding_renorm_(x, torch.tensor([[0, 2], [2, 4]]), 0.5, p) is x and x._version == 1
    for i, row in enumerate(TABLE):
        norm = sum(abs(v) ** p for v in row) ** (1 / p)
        factor = 0.5 / (norm + 1e-7) if i in (0, 2, 4) and norm > 0.5 else 1.0
        assert x[i].tolist() == pytest.approx([v * factor for v in row], rel=1e-12)


def test_embedding_renorm_refuses():
    index = torch.tensor([0, 2])
    for call, kind, says in (
        (lambda: torch.embedding_renorm_(table(True), index, 1.0, 2.0), RuntimeError,
         "a leaf Variable that requires grad is being used in an in-place operation."),
        (lambda: torch.embedding_renorm_(torch.ones(4), index, 1.0, 2.0), RuntimeError,
         "Expected 2-dimensional tensor, but got 1-dimensional tensor for argument #1 'self' (while checking arguments for "
         "embedding_renorm_)"),
        (lambda: torch.embedding_renorm_(table(), index.short(), 1.0, 2.0), RuntimeError,
         "Expected tensor for argument #2 'indices' to have one of the following scalar types: Long, Int; but got "
         "torch.ShortTensor instead (while checking arguments for embedding_renorm_)"),
        (lambda: torch.embedding_renorm_(table().int(), index, 1.0, 2.0), RuntimeError,
         "norm(): input dtype should be either floating point or complex. Got Int instead."),
    ):
        with pytest.raises(kind) as error:
            call()
        assert str(error.value).splitlines()[0] == says
    x = table(True) * 1
    torch.embedding_renorm_(x, index, 1.0, 2.0)
    assert x.grad_fn.name() == "EmbeddingRenormBackward0"
    with pytest.raises(NotImplementedError, match="^the derivative for 'embedding_renorm' is not implemented."):
        x.sum().backward()


def test_padding_index_beyond_the_table():
    for index in (5, -6):
        with pytest.raises(AssertionError, match="^Padding_idx must be within num_embeddings"):
            F.embedding(torch.tensor([0]), table(), padding_idx=index)


@pytest.mark.parametrize("indices, value, row", [([0, 1], 1.0, 0), ([1, 0], math.nan, 1), ([2, 1, 0], 2.0, 2),
                                                 ([3, 1], math.inf, 3), ([1, 1], math.nan, 1)])
def test_nan_is_the_largest_only_where_it_comes_first(indices, value, row):
    """PyTorch asks of each row whether it is larger than those before."""
    weight = torch.tensor([[1.0], [math.nan], [2.0], [math.inf]], requires_grad=True)
    y = F.embedding_bag(torch.tensor([indices]), weight, mode="max")
    y.sum().backward()
    assert torch.equal(y.isnan(), torch.tensor([[math.isnan(value)]])) and (y.isnan().all() or y.item() == value)
    assert weight.grad.flatten().nonzero().flatten().tolist() == [row]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_padding_beside_infinities_gets_nothing(dtype):
    weight, each = torch.ones(4, 3, dtype=dtype), torch.ones(3, dtype=dtype)
    weight[1], each[1] = math.nan, math.inf
    weight, each = weight.requires_grad_(), each.requires_grad_()
    y = F.embedding_bag(torch.tensor([0, 1, 2]), weight, torch.tensor([0, 2]), mode="sum", per_sample_weights=each, padding_idx=1)
    assert y.tolist() == [[1.0] * 3] * 2
    of_weight, of_each = torch.autograd.grad(y, [weight, each], torch.ones_like(y))
    assert of_each.tolist() == [3.0, 0.0, 3.0]
    assert of_weight.tolist() == [[1.0] * 3, [0.0] * 3, [1.0] * 3, [0.0] * 3]


@pytest.mark.cpu_only("a device takes other dtypes")
def test_permissive_joins_the_table_and_the_weights():
    at, begins = torch.tensor(INDICES), torch.tensor(OFFSETS)
    each = torch.tensor([0.5 + i for i in range(len(INDICES))], dtype=torch.float64)
    for x, y in itertools.permutations(cast_first.DTYPES, 2):
        cast_first.is_as_cast_first(lambda t, w: F.embedding_bag(at, t, begins, mode="sum", per_sample_weights=w),
                                    table().to(x), each.to(y))


@pytest.mark.parametrize("mode, padding", [("mean", 9), ("sum", 9), ("max", None)])
def test_the_last_bag_of_the_slower_kernel_ends_with_the_indices(mode, padding):
    table = torch.arange(30.0).view(10, 3)
    indices = torch.tensor([0, 1, 2, 3])
    early, at_end = (F.embedding_bag(indices, table, torch.tensor([0, 3, end]), mode=mode, padding_idx=padding,
                                     include_last_offset=True) for end in (3, 4))
    assert torch.equal(early, at_end) and torch.equal(at_end[1], table[3])
