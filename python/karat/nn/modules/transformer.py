"""karat.nn.modules.transformer: encoder and decoder layers of attention, stacks of them, and both together.

A layer is a row of blocks, each with a norm and a way around it: attention to itself, in a decoder attention to the memory, and
a feed-forward network. The masks of a decoder go from the model to its layers by their names."""

import copy
import math
import warnings

from ... import _karat
from ..._torch_private import private_names
from ...amp.state import is_any_autocast_on
from .. import functional as F
from .. import init
from .._multi_head import _as_scores
from .activation import GELU, MultiheadAttention, ReLU
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = ["Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer", "TransformerDecoderLayer"]


def _causal_mask(size, device=None, dtype=None):
    """-inf above the diagonal, 0 elsewhere."""
    return _karat.functions["full"]((size, size), -math.inf, dtype=dtype or _karat.get_default_dtype(),
                                    device=device).triu(diagonal=1)


def _length(sequences, batch_first):
    """The length of the sequences; None where the dims do not say."""
    dims = sequences.dim()
    return sequences.size(1 if batch_first and dims == 3 else 0) if dims in (2, 3) else None


def _get_clones(module, N):
    """So many copies of a module."""
    return ModuleList(copy.deepcopy(module) for _ in range(N))


def _activation(activation):
    """A function of nn.functional by its name; a function is itself."""
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return getattr(F, activation)


def _is_causal(mask, said=None, length=None):
    """Whether the mask is the causal one: as the caller says, or if that is None as its elements say."""
    if said is not None or mask is None:
        return said is True
    causal = _causal_mask(mask.size(-2) if length is None else length, device=mask.device, dtype=mask.dtype)
    return mask.size() == causal.size() and bool(mask.eq(causal).all())


def _of_decoder(given):
    """Of a call's arguments the masks of a decoder, which go further down under the same names."""
    return {name: value for name, value in given.items() if name.startswith(("tgt_", "memory_"))}


class _Layer(Module):
    """A layer with an attention for each name in `_attentions`, and a feed-forward network behind them."""

    __constants__ = ["norm_first"]
    _attentions = ()

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=F.relu, layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        blocks = range(1, len(self._attentions) + 2)
        for name in self._attentions:
            self.add_module(name, MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made))
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        for block in blocks:
            self.add_module(f"norm{block}", LayerNorm(d_model, eps=layer_norm_eps, **made))
        for block in blocks:
            self.add_module(f"dropout{block}", Dropout(dropout))
        self._take_activation(_activation(activation))

    def _take_activation(self, activation):
        self.activation = activation

    def _around(self, x, norm, block):
        return x.add(block(norm(x))) if self.norm_first else norm(x.add(block(x)))

    def _attend(self, block, x, memory, mask, padding, is_causal):
        """The attention of a block, without its weights."""
        attention, dropout = getattr(self, self._attentions[block - 1]), getattr(self, f"dropout{block}")
        masks = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal}
        return dropout(attention(x, memory, memory, **masks, need_weights=False)[0])

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return self._attend(1, x, x, attn_mask, key_padding_mask, is_causal)

    def _ff_block(self, x):
        x = self.linear2(self.dropout(self.activation(self.linear1(x))))
        return getattr(self, f"dropout{len(self._attentions) + 1}")(x)


class TransformerEncoderLayer(_Layer):
    """Attention of a sequence to itself, then a feed-forward network."""

    _attentions = ("self_attn",)

    def _take_activation(self, activation):
        known = (F.relu, ReLU), (F.gelu, GELU)
        self.activation_relu_or_gelu = next((1 + place for place, (function, layer) in enumerate(known)
                                             if activation is function or isinstance(activation, layer)), 0)
        super()._take_activation(activation)

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "activation"):
            self.activation = F.relu

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        padding = _as_scores(src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src.dtype)
        src_mask = _as_scores(src_mask, "src_mask", None, "", src.dtype)
        x = self._around(src, self.norm1, lambda x: self._sa_block(x, src_mask, padding, is_causal=is_causal))
        return self._around(x, self.norm2, self._ff_block)


class TransformerDecoderLayer(_Layer):
    """Attention of a sequence to itself, then to the memory, then a feed-forward network."""

    _attentions = ("self_attn", "multihead_attn")

    def __setstate__(self, state):
        super().__setstate__(state)
        # A module in the place of a function is not in the state's own names: as in PyTorch, its copies use relu.
        self.__dict__.setdefault("activation", F.relu)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=False, memory_is_causal=False):
        x = self._around(tgt, self.norm1, lambda x: self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self._around(x, self.norm2,
                         lambda x: self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal))
        return self._around(x, self.norm3, self._ff_block)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return self._attend(2, x, mem, attn_mask, key_padding_mask, is_causal)


class _Stack(Module):
    """Copies of a layer, one behind the other, and a norm behind the last."""

    __constants__ = ["norm"]

    def __init__(self, layer, num_layers, norm):
        super().__init__()
        self.layers = _get_clones(layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def _length_of(self, x):
        return _length(x, self.layers[0].self_attn.batch_first)

    def _pass(self, x, *given, **options):
        for layer in self.layers:
            x = layer(x, *given, **options)
        return x


def _why_not_nested(layer):
    """Why PyTorch's encoder would not take nested tensors: the first reason, or None."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    if layer.norm_first:
        return "encoder_layer.norm_first was True"
    if not attention.batch_first:
        return "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)"
    if not attention._qkv_same_embed_dim:
        return "encoder_layer.self_attn._qkv_same_embed_dim was not True"
    if attention.in_proj_bias is None:
        return "encoder_layer.self_attn was passed bias=False"
    if layer.norm1.eps != layer.norm2.eps:
        return "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps"
    if attention.num_heads % 2 == 1:
        return "encoder_layer.self_attn.num_heads is odd"
    return None


class TransformerEncoder(_Stack):
    """num_layers copies of an encoder layer."""

    def __init__(self, encoder_layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor  # there are none here: see _drops_padding
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = _why_not_nested(encoder_layer)
        if enable_nested_tensor and why:
            warnings.warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {why}", stacklevel=2)
            self.use_nested_tensor = False

    def _drops_padding(self, src, padding):
        """Where PyTorch runs with nested tensors, which have no places for the padding, these are 0 in the result."""
        follows = _karat.is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in self.parameters()))
        if not self.use_nested_tensor or self.training or follows or src.dim() != 3 or is_any_autocast_on(src.device.type):
            return False
        taken = padding.logical_not()
        return not self.mask_check or bool(taken[:, :-1].logical_or(taken[:, 1:].logical_not()).all())  # on the left

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        padding = _as_scores(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src.dtype)
        mask = _as_scores(mask, "mask", None, "", src.dtype)
        is_causal = _is_causal(mask, is_causal, self._length_of(src))
        output = self._pass(src, src_mask=mask, is_causal=is_causal, src_key_padding_mask=padding)
        if mask is None and padding is not None and self._drops_padding(src, padding):
            output = output.masked_fill(padding.bool().unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(_Stack):
    """num_layers copies of a decoder layer."""

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None,
                tgt_is_causal=None, memory_is_causal=False):
        tgt_is_causal = _is_causal(tgt_mask, tgt_is_causal, self._length_of(tgt))
        output = self._pass(tgt, memory, **_of_decoder(locals()))
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder whose output is the memory of a decoder."""

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
                 activation=F.relu, custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, bias=True, device=None, dtype=None):
        super().__init__()
        where = {"device": device, "dtype": dtype}
        options = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias

        def stack(kind, layer, count):
            return kind(layer(*options, **where), count, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **where))

        self.encoder = custom_encoder if custom_encoder is not None else stack(TransformerEncoder, TransformerEncoderLayer,
                                                                               num_encoder_layers)
        self.decoder = custom_decoder if custom_decoder is not None else stack(TransformerDecoder, TransformerDecoderLayer,
                                                                               num_decoder_layers)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                tgt_key_padding_mask=None, memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
                memory_is_causal=False):
        for_decoder, batch_dim = _of_decoder(locals()), 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch_dim) != tgt.size(batch_dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if {src.size(-1), tgt.size(-1)} != {self.d_model}:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(tgt, memory, **for_decoder)

    @staticmethod
    def generate_square_subsequent_mask(sz, device=None, dtype=None):
        """The causal mask: -inf above the diagonal, 0 elsewhere."""
        return _causal_mask(sz, device, dtype)

    def _reset_parameters(self):
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)


__getattr__ = private_names(__name__, globals())
