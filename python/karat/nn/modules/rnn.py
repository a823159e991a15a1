"""karat.nn.modules.rnn: RNN, LSTM and GRU over sequences, padded or packed, and the cells that make one step.

Layers and cells differ in their row, in the number of gates, and in their state: one tensor, or of an LSTM two (`_states`).
What a call does to its state is written once, for the tensors that it has."""

import numbers
import warnings
from operator import attrgetter

from ... import _karat
from ...amp.state import is_any_autocast_on
from ..utils.rnn import PackedSequence
from ._declared import keep, new_parameter, own_methods, shown
from .module import Module
from .utils import draw_by_size

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

_rows = _karat.functions
_zeros = _rows["zeros"]
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def apply_permutation(tensor, permutation, dim=1):
    """tensor.index_select(dim, permutation), under its old name."""
    warnings.warn("`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead", FutureWarning,
                  stacklevel=2)
    return tensor.index_select(dim, permutation)


def _tensors(state, count):
    """A state as its tensors, so many of them."""
    return (state,) if count == 1 else tuple(state[place] for place in range(count))


def _state(tensors, count):
    return tensors[0] if count == 1 else tuple(tensors)


def _check_options(layer, dropout):
    if isinstance(dropout, bool) or not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1:
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
    if dropout > 0 and layer.num_layers == 1:
        warnings.warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers "
                      f"greater than 1, but got dropout={dropout} and num_layers={layer.num_layers}", stacklevel=4)
    for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int), ("num_layers", None)):
        value = getattr(layer, name)
        if kind and not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is not bool and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if layer.proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if layer.proj_size >= layer.hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _unless(default):
    """Shown unless it is this very object."""
    return lambda value: None if value is default else str(value)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: the parameters of all layers and directions, and the checks of a call."""

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
                     "proj_size"]
    __jit_unused_properties__ = ["all_weights"]
    _states = 1

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0,
                 bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        keep(self, {**locals(), "dropout": float(dropout)})
        _check_options(self, dropout)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes = {f"{name}_l{layer}{suffix}": shape for name, shape in self._shapes(layer).items()}
                for name, shape in shapes.items():
                    new_parameter(self, name, shape, device, dtype)
                self._all_weights.append(list(shapes))
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
        return [list(attrgetter(*names)(self)) for names in self._all_weights]

    def flatten_parameters(self):
        """Does nothing: no device here wants the parameters in one piece of memory."""

    def reset_parameters(self):
        draw_by_size(self.parameters(), self.hidden_size)

    def check_input(self, input, batch_sizes):
        """The input's dtype, dims and width."""
        weight, packed = getattr(self, self._flat_weights_names[0]), batch_sizes is not None
        if input.dtype != weight.dtype and not is_any_autocast_on(input.device.type):
            _karat.refuse_unlike(f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: "
                                 f"input.to({weight.dtype}), or convert model: model.to({input.dtype})",
                                 self.mode.lower(), "input", input, self._flat_weights_names[0], weight)
        sizes = input.shape
        if len(sizes) != 3 - packed:
            raise RuntimeError(f"input must have {3 - packed} dimensions, got {len(sizes)}")
        if sizes[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {sizes[-1]}")

    def get_expected_hidden_size(self, input, batch_sizes):
        """The sizes of hx for an input."""
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, self.proj_size or self.hidden_size

    def _sizes_of_states(self, input, batch_sizes):
        return (self.get_expected_hidden_size(input, batch_sizes),)

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        """The sizes of a tensor of the state."""
        sizes = hx.size()
        if sizes != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(sizes)))

    def check_forward_args(self, input, hidden, batch_sizes):
        """The input, and the sizes of the state that is given with it."""
        self.check_input(input, batch_sizes)
        tensors = _tensors(hidden, self._states)
        for place, size in enumerate(self._sizes_of_states(input, batch_sizes)):
            which = f"[{place}]" if self._states > 1 else ""
            self.check_hidden_size(tensors[place], size, f"Expected hidden{which} size {{}}, got {{}}")

    def permute_hidden(self, hx, permutation):
        """The state with its examples in another order."""
        if permutation is None:
            return hx
        return _state([tensor.index_select(1, permutation) for tensor in _tensors(hx, self._states)], self._states)

    def _given_state(self, hx, batched):
        """The state of a call, which has to have as many dims as the input; of one example it becomes that of a batch."""
        wanted = 3 if batched else 2
        tensors = _tensors(hx, self._states)
        if any(tensor.dim() != wanted for tensor in tensors):
            got = [f"{tensor.dim()}-D" for tensor in tensors]
            what, got = ("hx", f"{got[0]} tensor") if len(got) == 1 else ("hx and cx", f"({', '.join(got)}) tensors")
            raise RuntimeError(f"For {'' if batched else 'un'}batched {wanted}-D input, {what} should also be {wanted}-D "
                               f"but got {got}")
        return hx if batched else _state([tensor.unsqueeze(1) for tensor in tensors], self._states)

    def forward(self, input, hx=None):
        options = self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional
        row, states = _rows[self.mode.lower()], self._states
        if isinstance(input, PackedSequence):
            data, batch_sizes, order, back = input
            hx = self._no_state(data, batch_sizes) if hx is None else self.permute_hidden(hx, order)
            if states == 1:  # the sizes of an LSTM's state are the operator's to refuse, as in PyTorch
                self.check_forward_args(data, hx, batch_sizes)
            output, *state = row(data, batch_sizes, hx, *options)
            return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(_state(state, states), back)
        dims, batch_dim = input.dim(), 0 if self.batch_first else 1
        if dims not in (2, 3):
            raise ValueError(f"{self.mode[:4].rstrip('_')}: Expected input to be 2D or 3D, got {dims}D"
                             f"{' tensor' * self.mode.startswith('RNN')} instead")
        data = input if dims == 3 else input.unsqueeze(batch_dim)
        hx = self._no_state(data, None) if hx is None else self._given_state(hx, dims == 3)
        self.check_forward_args(data, hx, None)
        output, *state = row(data, hx, *options, self.batch_first)
        if dims == 2:
            output, state = output.squeeze(batch_dim), [tensor.squeeze(1) for tensor in state]
        return output, _state(state, states)

    def _no_state(self, input, batch_sizes):
        sizes = self._sizes_of_states(input, batch_sizes)
        return _state([_zeros(size, dtype=input.dtype, device=input.device) for size in sizes], self._states)

    extra_repr = shown("input_size", "hidden_size", proj_size=0, num_layers=1, bias=_unless(True), batch_first=False, dropout=0,
                       bidirectional=False)

    def __getstate__(self):
        return {**self.__dict__, "_flat_weights": self._flat_weights}  # PyTorch looks for the list in a file

    def __setstate__(self, state):
        super().__setstate__({name: value for name, value in state.items()
                              if name not in ("_flat_weights", "_flat_weight_refs")})  # PyTorch's states hold the list itself
        self.__dict__.setdefault("proj_size", 0)


@own_methods("forward")
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


@own_methods("forward")
class LSTM(RNNBase):
    """Long short-term memory over sequences; the state is (h, c)."""

    _states = 2

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input, batch_sizes):
        """The sizes of cx for an input."""
        return *self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size

    def _sizes_of_states(self, input, batch_sizes):
        return self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)


@own_methods("forward")
class GRU(RNNBase):
    """Gated recurrent units over sequences."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """What the cells share: four parameters of num_chunks gates, and a step."""

    __constants__ = ["input_size", "hidden_size", "bias"]
    _states = 1

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        keep(self, locals(), but=("num_chunks",))
        rows = num_chunks * hidden_size
        for name, sizes in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)),
                            ("bias_ih", (rows,) if bias else None), ("bias_hh", (rows,) if bias else None)):
            new_parameter(self, name, sizes, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        draw_by_size(self.parameters(), self.hidden_size)

    extra_repr = shown("input_size", "hidden_size", bias=_unless(True))

    def _step(self, row, input, hx):
        """The next state by a row of cells; None is one that there is not."""
        given = () if hx is None else [("hidden", hx)] if self._states == 1 else [(f"hx[{i}]", t) for i, t in enumerate(hx)]
        for what, tensor in (("input", input), *given):
            if tensor.dim() not in (1, 2):
                raise ValueError(f"{self._kind}: Expected {what} to be 1D or 2D, got {tensor.dim()}D instead")
        if row is None:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        single, data = input.dim() == 1, input if input.dim() == 2 else input.unsqueeze(0)
        if hx is None:
            nothing = _zeros((data.size(0), self.hidden_size), dtype=data.dtype, device=data.device)
            hx = _state([nothing] * self._states, self._states)
        elif single:
            hx = _state([tensor.unsqueeze(0) for _, tensor in given], self._states)
        made = _tensors(row(data, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh), self._states)
        return _state([tensor.squeeze(0) for tensor in made] if single else made, self._states)


class RNNCell(RNNCellBase):
    """One step of an RNN."""

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]
    _kind = "RNNCell"

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    extra_repr = shown("input_size", "hidden_size", bias=_unless(True), nonlinearity="tanh")

    def forward(self, input, hx=None):
        return self._step(_rows.get(f"rnn_{self.nonlinearity}_cell"), input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM; the state is (h, c)."""

    _states, _kind = 2, "LSTMCell"

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        return self._step(_rows["lstm_cell"], input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU."""

    _kind = "GRUCell"

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(_rows["gru_cell"], input, hx)
