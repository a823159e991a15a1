"""karat.nn.modules.rnn: RNN, LSTM and GRU over sequences, padded or packed, and the cells that make one step."""

import math
import numbers
import warnings

from ... import _karat
from ...amp.state import is_any_autocast_on
from .. import init
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .module import Module

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

_rows = _karat.functions
_empty, _zeros = _rows["empty"], _rows["zeros"]
_CELLS = {"tanh": _rows["rnn_tanh_cell"], "relu": _rows["rnn_relu_cell"]}
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _apply_permutation(tensor, permutation, dim=1):
    return tensor.index_select(dim, permutation)


def apply_permutation(tensor, permutation, dim=1):
    """tensor.index_select(dim, permutation), under its old name."""
    warnings.warn("`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead", FutureWarning,
                  stacklevel=2)
    return _apply_permutation(tensor, permutation, dim)


def _uniform_in_hidden_size(module):
    """Both kinds of recurrent layers draw all parameters, in their order, from 1 / sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


def _check_sizes(input_size, hidden_size, num_layers, dropout, proj_size):
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
    if dropout > 0 and num_layers == 1:
        warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                      f"greater than 1, but got dropout={dropout} and num_layers={num_layers}", stacklevel=4)
    for name, size in ("input_size", input_size), ("hidden_size", hidden_size):
        if not isinstance(size, int):
            raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
    for name, size in ("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers):
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


class RNNBase(Module):
    """What RNN, LSTM and GRU share: the parameters of all layers and directions, and the checks of a call."""

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
                     "proj_size"]
    __jit_unused_properties__ = ["all_weights"]

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        _check_sizes(input_size, hidden_size, num_layers, dropout, proj_size)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes = self._shapes(layer)
                names = [f"{name}_l{layer}{suffix}" for name in shapes]
                for name, shape in zip(names, shapes.values()):
                    setattr(self, name, Parameter(_empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(names)
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    def _shapes(self, layer):
        """The shapes of one layer's parameters in one direction, in their order."""
        outputs, directions = self.proj_size or self.hidden_size, 2 if self.bidirectional else 1
        rows = _GATES[self.mode] * self.hidden_size
        shapes = {"weight_ih": (rows, outputs * directions if layer else self.input_size), "weight_hh": (rows, outputs)}
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        return shapes

    @property
    def _flat_weights(self):
        """The parameters in the order of the rows lstm, gru, rnn_tanh and rnn_relu. They are looked up at each call, so that a
        replaced parameter counts at once."""
        return [getattr(self, name) for name in self._flat_weights_names]

    @_flat_weights.setter
    def _flat_weights(self, weights):
        for name, weight in zip(self._flat_weights_names, weights):
            setattr(self, name, weight)

    @property
    def all_weights(self):
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self):
        """Does nothing: no device here wants the parameters in one piece of memory."""

    def reset_parameters(self):
        _uniform_in_hidden_size(self)

    def check_input(self, input, batch_sizes):
        """The input's dtype, dims and width."""
        weight = getattr(self, self._flat_weights_names[0])
        if input.dtype != weight.dtype and not is_any_autocast_on(input.device.type):
            error = ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                               f"input.to({weight.dtype}), or convert model: model.to({input.dtype})")
            raise _karat.told(error, self.mode.lower(), input)
        dims = 2 if batch_sizes is not None else 3
        if input.dim() != dims:
            raise RuntimeError(f"input must have {dims} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")

    def get_expected_hidden_size(self, input, batch_sizes):
        """The sizes of hx for an input."""
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, self.proj_size or self.hidden_size

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        return hx if permutation is None else _apply_permutation(hx, permutation)

    def _no_hidden(self, input, batch_sizes):
        """Zeros for hx."""
        return _zeros(self.get_expected_hidden_size(input, batch_sizes), dtype=input.dtype, device=input.device)

    def _run(self, row, input, hx, batch_sizes):
        """The row's results for a padded or a packed input."""
        options = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if batch_sizes is None:
            return row(input, hx, *options, self.batch_first)
        return row(input, batch_sizes, hx, *options)

    def _forward_one(self, row, input, hx, instead):
        """The call of RNN and GRU, whose hidden state is one tensor."""
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            if hx is not None:
                hx = self.permute_hidden(hx, order)
            else:
                hx = self._no_hidden(data, batch_sizes)
            self.check_forward_args(data, hx, batch_sizes)
            output, hidden = self._run(row, data, hx, batch_sizes)
            return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(hidden, back)
        if input.dim() not in (2, 3):
            raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D {instead}")
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
        if hx is not None:
            if hx.dim() != (3 if batched else 2):
                kind = "batched 3-D input, hx should also be 3-D" if batched else "unbatched 2-D input, hx should also be 2-D"
                raise RuntimeError(f"For {kind} but got {hx.dim()}-D tensor")
            hx = hx if batched else hx.unsqueeze(1)
        else:
            hx = self._no_hidden(input, None)
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(row, input, hx, None)
        return (output, hidden) if batched else (output.squeeze(batch_dim), hidden.squeeze(1))

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    def __getstate__(self):
        return {**self.__dict__, "_flat_weights": self._flat_weights}  # PyTorch looks for the list in a file

    def __setstate__(self, state):
        super().__setstate__({name: value for name, value in state.items()
                              if name not in ("_flat_weights", "_flat_weight_refs")})  # PyTorch's states hold the list itself
        self.__dict__.setdefault("proj_size", 0)


class RNN(RNNBase):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu, over sequences."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)

    def forward(self, input, hx=None):
        return self._forward_one(_rows["rnn_tanh" if self.mode == "RNN_TANH" else "rnn_relu"], input, hx, "tensor instead")


class LSTM(RNNBase):
    """Long short-term memory over sequences; the state is (h, c)."""

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input, batch_sizes):
        """The sizes of cx for an input."""
        layers, batch, _ = self.get_expected_hidden_size(input, batch_sizes)
        return layers, batch, self.hidden_size

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden[0], self.get_expected_hidden_size(input, batch_sizes),
                               "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hidden[1], self.get_expected_cell_size(input, batch_sizes), "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx, permutation):
        return hx if permutation is None else tuple(_apply_permutation(part, permutation) for part in hx)

    def _no_hidden(self, input, batch_sizes):
        sizes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        return tuple(_zeros(size, dtype=input.dtype, device=input.device) for size in sizes)

    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            hx = self._no_hidden(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
            output, *hidden = self._run(_rows["lstm"], data, hx, batch_sizes)
            return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(tuple(hidden), back)
        if input.dim() not in (2, 3):
            raise ValueError(f"LSTM: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
        if hx is None:
            hx = self._no_hidden(input, None)
        else:
            dims = 3 if batched else 2
            if hx[0].dim() != dims or hx[1].dim() != dims:
                kind = "batched 3-D" if batched else "unbatched 2-D"
                raise RuntimeError(f"For {kind} input, hx and cx should also be {dims}-D but got "
                                   f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")
            hx = hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))
        self.check_forward_args(input, hx, None)
        output, hidden, cell = self._run(_rows["lstm"], input, hx, None)
        if batched:
            return output, (hidden, cell)
        return output.squeeze(batch_dim), (hidden.squeeze(1), cell.squeeze(1))


class GRU(RNNBase):
    """Gated recurrent units over sequences."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input, hx=None):
        return self._forward_one(_rows["gru"], input, hx, "instead")


class RNNCellBase(Module):
    """What the cells share: four parameters of num_chunks gates."""

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(_empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(_empty((rows, hidden_size), device=device, dtype=dtype))
        if bias:
            self.bias_ih = Parameter(_empty(rows, device=device, dtype=dtype))
            self.bias_hh = Parameter(_empty(rows, device=device, dtype=dtype))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def reset_parameters(self):
        _uniform_in_hidden_size(self)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _step(self, row, input, hx):
        """One step of a cell whose state is one tensor."""
        name = self._get_name()
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is not None and hx.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {hx.dim()}D instead")
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = _zeros((input.size(0), self.hidden_size), dtype=input.dtype, device=input.device)
        elif not batched:
            hx = hx.unsqueeze(0)
        if row is None:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        made = row(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return made if batched else made.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        return self._step(_CELLS.get(self.nonlinearity), input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM; the state is (h, c)."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        if input.dim() not in (1, 2):
            raise ValueError(f"LSTMCell: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for place, part in enumerate(hx or ()):
            if part.dim() not in (1, 2):
                raise ValueError(f"LSTMCell: Expected hx[{place}] to be 1D or 2D, got {part.dim()}D instead")
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            zeros = _zeros((input.size(0), self.hidden_size), dtype=input.dtype, device=input.device)
            hx = zeros, zeros
        elif not batched:
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        hidden, cell = _rows["lstm_cell"](input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        return (hidden, cell) if batched else (hidden.squeeze(0), cell.squeeze(0))


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(_rows["gru_cell"], input, hx)
