"""karat.nn.utils.rnn: batches of sequences of different lengths, packed or padded. The rows of the table move the elements; here
is PackedSequence, which carries them, and the order of the sequences."""

from typing import NamedTuple, Optional

from ... import _missing
from ..._karat import Tensor, as_tensor as _as_tensor, dtypes as _dtypes, functions as _functions

_pack, _pad_packed, _pad = (_functions[name] for name in ("_pack_padded_sequence", "_pad_packed_sequence", "_pad_sequence"))


class PackedSequence_(NamedTuple):
    """The fields of a PackedSequence."""

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Optional[Tensor]
    unsorted_indices: Optional[Tensor]


def invert_permutation(permutation):
    """The permutation that undoes another; None for None."""
    if permutation is None:
        return None
    places = _functions["arange"](0, permutation.numel(), device=permutation.device)
    return _functions["empty_like"](permutation).scatter_(0, permutation, places)


class PackedSequence(PackedSequence_):
    """Rows of all steps of a batch of sequences, step by step (data), and how many each step has (batch_sizes). sorted_indices is
    the order in which the sequences stand, from the longest to the shortest; unsorted_indices undoes it."""

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                             "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
                             "nn.utils.rnn. "
                             "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence")
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _moved(self, data):
        if data is self.data:
            return self
        orders = [None if order is None else order.to(data.device) for order in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(data, self.batch_sizes, *orders)

    def to(self, *args, **kwargs):
        """data converted or moved as by Tensor.to; the order moves along."""
        return self._moved(self.data.to(*args, **kwargs))

    def cpu(self, *args, **kwargs):
        """On the CPU."""
        return self._moved(self.data.cpu(*args, **kwargs))

    def cuda(self, *args, **kwargs):
        """On a CUDA device."""
        return self._moved(self.data.cuda(*args, **kwargs))

    def pin_memory(self):
        """In pinned host memory."""
        orders = [None if order is None else order.pin_memory() for order in (self.sorted_indices, self.unsorted_indices)]
        return type(self)(self.data.pin_memory(), self.batch_sizes, *orders)

    def double(self):
        """data in float64."""
        return self.to(_dtypes["float64"])

    def float(self):
        """data in float32."""
        return self.to(_dtypes["float32"])

    def half(self):
        """data in float16."""
        return self.to(_dtypes["float16"])

    def long(self):
        """data in int64."""
        return self.to(_dtypes["int64"])

    def int(self):
        """data in int32."""
        return self.to(_dtypes["int32"])

    def short(self):
        """data in int16."""
        return self.to(_dtypes["int16"])

    def char(self):
        """data in int8."""
        return self.to(_dtypes["int8"])

    def byte(self):
        """data in uint8."""
        return self.to(_dtypes["uint8"])

    @property
    def is_cuda(self):
        """Is data on a CUDA device?"""
        return self.data.is_cuda

    def is_pinned(self):
        """Is data in pinned memory?"""
        return self.data.is_pinned()


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """A PackedSequence of padded sequences: input is [time, batch, ...], or [batch, time, ...] with batch_first. Sequences that
    are not from the longest to the shortest need enforce_sorted=False."""
    lengths = _as_tensor(lengths, dtype=_dtypes["int64"], device="cpu")
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = _pack(input, lengths, batch_first)
    return PackedSequence(data, batch_sizes, order, None)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The padded batch of a PackedSequence and the lengths of its sequences, in their first order."""
    steps = len(sequence.batch_sizes)
    length = steps if total_length is None else total_length
    if length < steps:
        raise ValueError("Expected total_length to be at least the length of the longest sequence in input, but got "
                         f"total_length={total_length} and max sequence length being {steps}")
    padded, lengths = _pad_packed(sequence.data, sequence.batch_sizes, batch_first, padding_value, length)
    first_order = sequence.unsorted_indices
    if first_order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, first_order), lengths[first_order.cpu()]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences of different lengths as one tensor, padded at their end or, with padding_side="left", their beginning."""
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}")
    return _pad(list(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded batch, each with its length."""
    batch = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [sequence[:int(length)] for sequence, length in zip(batch.unbind(0), lengths)]


def pack_sequence(sequences, enforce_sorted=True):
    """A PackedSequence of a list of sequences."""
    return pack_padded_sequence(lengths=[one.size(0) for one in sequences], input=pad_sequence(sequences),
                                enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The sequences of a PackedSequence."""
    return unpad_sequence(*pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True)


__getattr__ = _missing.of(__name__)
