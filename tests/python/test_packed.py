"""Sequences of different lengths, packed and padded: against loops over their elements, and there and back again."""

import karat as torch
import pytest
from karat import _karat
from karat.nn.utils import rnn
from on_device import DEVICE

LENGTHS = [4, 2, 1]


def batch(batch_first=False):
    x = torch.arange(4 * 3 * 2, dtype=torch.float64).reshape(4, 3, 2)
    return (x.transpose(0, 1).contiguous() if batch_first else x).requires_grad_()


@pytest.mark.parametrize("batch_first", [False, True])
def test_rows_are_those_of_each_step(batch_first):
    x = batch(batch_first)
    packed = rnn.pack_padded_sequence(x, LENGTHS, batch_first)
    steps = x.transpose(0, 1) if batch_first else x
    want = [steps[t, i].tolist() for t in range(4) for i in range(3) if LENGTHS[i] > t]
    assert packed.data.tolist() == want and packed.batch_sizes.tolist() == [3, 2, 1, 1]
    assert packed.sorted_indices is None and packed.unsorted_indices is None
    (packed.data * 2).sum().backward()
    grads = x.grad.transpose(0, 1) if batch_first else x.grad
    assert all(grads[t, i].tolist() == [2.0 * (LENGTHS[i] > t)] * 2 for t in range(4) for i in range(3))


@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("total", [None, 6])
def test_there_and_back(batch_first, total):
    packed = rnn.pack_padded_sequence(batch(), LENGTHS)
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first, -1.0, total)
    assert lengths.tolist() == LENGTHS
    steps = padded.transpose(0, 1) if batch_first else padded
    assert tuple(steps.shape) == (total or 4, 3, 2)
    for t in range(len(steps)):
        for i, n in enumerate(LENGTHS):
            assert steps[t, i].tolist() == (batch()[t, i].tolist() if t < n else [-1.0, -1.0])


def test_unsorted():
    x, lengths = batch(), [1, 4, 2]
    with pytest.raises(RuntimeError, match="must be sorted in decreasing order"):
        rnn.pack_padded_sequence(x, lengths)
    packed = rnn.pack_padded_sequence(x, torch.tensor(lengths, device="cpu"), enforce_sorted=False)
    assert packed.sorted_indices.tolist() == [1, 2, 0] and packed.unsorted_indices.tolist() == [2, 0, 1]
    padded, back = rnn.pad_packed_sequence(packed)
    assert back.tolist() == lengths
    assert all(padded[t, i].tolist() == (x[t, i].tolist() if t < n else [0, 0]) for i, n in enumerate(lengths) for t in range(4))
    padded.sum().backward()
    assert x.grad.sum() == 14


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("batch_first", [False, True])
def test_pad_sequence(side, batch_first):
    parts = [torch.ones(3, 2, requires_grad=True), torch.full((1, 2), 5.0)]
    made = rnn.pad_sequence(parts, batch_first, 9.0, side)
    rows = made if batch_first else made.transpose(0, 1)
    assert rows[0].tolist() == [[1, 1]] * 3
    assert rows[1].tolist() == ([[5, 5], [9, 9], [9, 9]] if side == "right" else [[9, 9], [9, 9], [5, 5]])
    made.sum().backward()
    assert parts[0].grad.tolist() == [[1, 1]] * 3


def test_lists_of_sequences():
    parts = [torch.arange(3.0), torch.arange(1.0), torch.arange(2.0)]
    packed = rnn.pack_sequence(parts, enforce_sorted=False)
    assert [p.tolist() for p in rnn.unpack_sequence(packed)] == [p.tolist() for p in parts]
    padded = rnn.pad_sequence(parts)
    assert [p.tolist() for p in rnn.unpad_sequence(padded, torch.tensor([3, 1, 2]))] == [p.tolist() for p in parts]
    assert rnn.pad_sequence(padded).shape == (3, 3)
    with pytest.raises(RuntimeError, match="Expected iterable"):
        rnn.pad_sequence(3)


def test_packed_sequence_is_a_tuple():
    packed = rnn.pack_padded_sequence(batch(), LENGTHS)
    data, sizes, first, second = packed
    assert data is packed.data and isinstance(packed, rnn.PackedSequence_) and first is second is None
    assert packed.to(torch.float64) is packed and packed.float().data.dtype == torch.float32
    assert packed.float().batch_sizes is sizes and packed.is_cuda == (DEVICE == "cuda")
    assert rnn.PackedSequence((data, sizes)).data is data
    with pytest.raises(AttributeError):
        packed.data = data
    assert rnn.invert_permutation(None) is None and rnn.invert_permutation(torch.tensor([2, 0, 1])).tolist() == [1, 2, 0]


def test_integers_are_packed_too():
    packed = rnn.pack_padded_sequence(torch.arange(6).reshape(3, 2), [3, 1])
    assert packed.data.tolist() == [0, 1, 2, 4]
    assert rnn.pad_packed_sequence(packed)[0].tolist() == [[0, 1], [2, 0], [4, 0]]


X, D, S = torch.zeros(4, 3, 2), torch.zeros(7, 2), torch.tensor([3, 2, 1, 1])
REFUSED = [
    (lambda: torch._pack_padded_sequence(X, torch.tensor([4, 2, 0]), False),
     "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"),
    (lambda: torch._pack_padded_sequence(X, torch.tensor([4, 2]), False),
     "Expected `len(lengths)` to be equal to batch_size, but got 2 (batch_size=3)"),
    (lambda: torch._pack_padded_sequence(X, S[:3].int(), False),
     "'lengths' argument should be a 1D CPU int64 tensor, but got 1D cpu Int tensor"),
    (lambda: torch._pack_padded_sequence(X, S[None], False),
     "'lengths' argument should be a 1D CPU int64 tensor, but got 2D cpu Long tensor"),
    (lambda: torch._pack_padded_sequence(X[:0], S[:3], False), "Cannot pack empty tensors."),
    (lambda: torch._pad_packed_sequence(D, S, False, 0.0, 2),
     "Expected total_length to be at least the length of the longest sequence in input, but got total_length=2 and max sequence "
     "length being 4"),
    (lambda: torch._pad_packed_sequence(D, S[:0], False, 0.0, -1), "batch_sizes can not be empty"),
    (lambda: _karat.functions["_pad_sequence"]([]), "received an empty list of sequences"),
    (lambda: _karat.functions["_pad_sequence"]([X], padding_side="x"),
     "Expected padding_side to be one of left or right, but got x."),
    (lambda: _karat.functions["_pad_sequence"]([X[0], X[0, :, :1].expand(3, 5)]),
     "The size of tensor a (2) must match the size of tensor b (5) at non-singleton dimension 1"),
]


@pytest.mark.cpu_only("lengths are on the CPU")
@pytest.mark.parametrize("call,text", REFUSED)
def test_refusals(call, text):
    with pytest.raises(RuntimeError) as e:
        call()
    assert str(e.value).splitlines()[0] == text


def test_examples_are_packed_and_padded():
    x = torch.arange(2 * 3 * 2.0).reshape(2, 3, 2) + 1
    lengths = torch.tensor([2, 1, 1], device="cpu")

    def there_and_back(one):
        packed = rnn.pack_padded_sequence(one, lengths, batch_first=True)
        return rnn.pad_packed_sequence(packed, batch_first=True)[0]

    want = x.clone()
    want[:, 1:, 1] = 0
    assert torch.equal(torch.vmap(there_and_back)(x), want)
    assert torch.equal(torch.vmap(torch.vmap(there_and_back))(x[None])[0], want)
    slopes = torch.vmap(torch.func.grad(lambda one: (there_and_back(one) ** 2).sum()))(x)
    assert torch.equal(slopes, 2 * want)

    def packed_by(sizes):
        return rnn.pad_packed_sequence(rnn.PackedSequence(torch.ones(4), sizes))[0]

    with pytest.raises(RuntimeError, match="^vmap: packed sequences whose lengths differ from example to example"):
        torch.vmap(packed_by)(torch.tensor([[2, 2], [3, 1]], device="cpu"))


def test_lengths_are_numbers_of_any_dtype():
    x = batch()
    wanted = rnn.pack_padded_sequence(x, LENGTHS)
    for dtype in (torch.int32, torch.uint8, torch.float32):
        packed = rnn.pack_padded_sequence(x, torch.tensor(LENGTHS).to(dtype))
        assert torch.equal(packed.data, wanted.data) and torch.equal(packed.batch_sizes, wanted.batch_sizes)


@pytest.mark.cpu_only("lengths are the CPU's")
def test_lengths_that_no_tensor_has():
    lengths = torch.tensor([2**62, 2**62])
    with pytest.raises(RuntimeError, match=r"^Storage size calculation overflowed with sizes=\[4611686018427387904\]"):
        rnn.pack_padded_sequence(torch.ones(3, 2, 2), lengths)


def test_an_empty_tensor_is_refused_before_its_lengths():
    with pytest.raises(RuntimeError, match="Cannot pack empty tensors"):
        rnn.pack_padded_sequence(torch.rand(0, 1, 10), torch.ones(2, 2).long())
