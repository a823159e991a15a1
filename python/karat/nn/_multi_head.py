"""multi_head_attention_forward: projections, heads, attention, projection. Made of operators; shapes are [length, batch, dim]."""

import math
import warnings

from .. import _karat
from ..overrides import has_torch_function
from ._asking import ask

_BOOL = _karat.dtypes["bool"]
_rows = _karat.functions | _karat.nn_functions
_linear, _bmm, _baddbmm, _softmax, _dropout = (_rows[name] for name in ("linear", "bmm", "baddbmm", "softmax", "dropout"))
_cat, _zeros, _pad, _attend = (_rows[name] for name in ("cat", "zeros", "pad", "scaled_dot_product_attention"))


def _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether the input is batched."""
    if query.dim() not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor")
    dims, batched = query.dim(), query.dim() == 3
    what = f"For {'batched (3-D)' if batched else 'unbatched (2-D)'} `query`, expected"
    assert key.dim() == dims and value.dim() == dims, (
        f"{what} `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively")
    if key_padding_mask is not None:
        assert key_padding_mask.dim() == dims - 1, (
            f"{what} `key_padding_mask` to be `None` or {dims - 1}-D but found {key_padding_mask.dim()}-D tensor instead")
    if attn_mask is not None:
        assert attn_mask.dim() in (2, 3), (
            f"{what} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor instead")
        if not batched and attn_mask.dim() == 3:
            wanted = (num_heads, query.shape[0], key.shape[0])
            assert attn_mask.shape == wanted, f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}"
    return batched


def check_mask(mask, name):
    assert mask.dtype == _BOOL or mask.is_floating_point(), f"only bool and floating types of {name} are supported"


def _as_scores(mask, name, other, other_name, dtype):
    """A bool mask is -inf where it is true."""
    if mask is None:
        return None
    check_mask(mask, name)
    if other is not None and other.dtype != mask.dtype:
        warnings.warn(f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead.",
                      stacklevel=4)
    if mask.dtype != _BOOL:
        return mask
    return _zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(mask, -math.inf)


def _project(query, key, value, weight, bias):
    """The packed weight holds three projections, which meet one another where the inputs are the same."""
    size = query.shape[-1]
    if key is value and query is key:
        all_three = _linear(query, weight, bias).unflatten(-1, (3, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return all_three[0], all_three[1], all_three[2]
    biases = (None, None) if bias is None else bias.split([size, 2 * size])
    weights = weight.split([size, 2 * size])
    if key is value:
        both = _linear(key, weights[1], biases[1]).unflatten(-1, (2, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()
        return _linear(query, weights[0], biases[0]), both[0], both[1]
    weights, biases = weight.chunk(3), (None,) * 3 if bias is None else bias.chunk(3)
    return tuple(_linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))


def _check_projections(tensors, weights, biases, size):
    for name, x, weight in zip(("query", "key", "value"), tensors, weights):
        wanted = (size, x.shape[-1])
        assert weight.shape == wanted, f"expecting {name} weights shape of {wanted}, but got {weight.shape}"
    for name, bias in zip(("query", "key", "value"), biases):
        assert bias is None or bias.shape == (size,), f"expecting {name} bias shape of {(size,)}, but got {bias.shape}"


def _check_static(static, name, rows, size):
    assert static.size(0) == rows, f"expecting {name}.size(0) of {rows}, but got {static.size(0)}"
    assert static.size(2) == size, f"expecting {name}.size(2) of {size}, but got {static.size(2)}"
    return static


def multi_head_attention_forward(query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                                 add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                                 need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None,
                                 k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True,
                                 is_causal=False):
    """Attention of several heads: the output, and the weights or None. See torch.nn.MultiheadAttention."""
    tensors = (query, key, value, in_proj_weight, in_proj_bias, bias_k, bias_v, out_proj_weight, out_proj_bias)
    if has_torch_function(tensors):
        return ask(multi_head_attention_forward, locals(), *tensors)
    batched = _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:  # one of each, by identity: a shared input is projected once
        wider = {id(t): t.unsqueeze(1) for t in (query, key, value)}
        query, key, value = (wider[id(t)] for t in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    keys = key.shape[0]
    key_padding_mask = _as_scores(key_padding_mask, "key_padding_mask", attn_mask, "attn_mask", query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the kernel knows it
    else:
        attn_mask = _as_scores(attn_mask, "attn_mask", None, "", query.dtype)
        is_causal = is_causal and key_padding_mask is None and attn_mask is None
    assert size == embed_dim_to_check, f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}"
    head = size // num_heads
    assert head * num_heads == size, f"embed_dim {size} not divisible by num_heads {num_heads}"
    if use_separate_proj_weight:
        assert key.shape[:2] == value.shape[:2], (
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}")
        for name, weight in ("q_proj", q_proj_weight), ("k_proj", k_proj_weight), ("v_proj", v_proj_weight):
            assert weight is not None, f"use_separate_proj_weight is True but {name}_weight is None"
        biases = (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3)
        weights = q_proj_weight, k_proj_weight, v_proj_weight
        _check_projections((query, key, value), weights, biases, size)
        q, k, v = (_linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))
    else:
        assert key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}"
        assert in_proj_weight is not None, "use_separate_proj_weight is False but in_proj_weight is None"
        q, k, v = _project(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        wanted = (length, keys) if attn_mask.dim() == 2 else (batch * num_heads, length, keys)
        if attn_mask.shape != wanted:
            raise RuntimeError(f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should be {wanted}.")
        attn_mask = attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask
    more = 0  # columns that the masks have not
    if bias_k is not None and bias_v is not None:
        assert static_k is None, "bias cannot be added to static key."
        assert static_v is None, "bias cannot be added to static value."
        k, v = _cat([k, bias_k.repeat(1, batch, 1)]), _cat([v, bias_v.repeat(1, batch, 1)])
        more += 1
    else:
        assert bias_k is None, "bias_k is set but bias_v is None"
        assert bias_v is None, "bias_v is set but bias_k is None"
    q = q.view(length, batch * num_heads, head).transpose(0, 1)
    if static_k is None:
        k = k.view(k.shape[0], batch * num_heads, head).transpose(0, 1)
    else:
        k = _check_static(static_k, "static_k", batch * num_heads, head)
    if static_v is None:
        v = v.view(v.shape[0], batch * num_heads, head).transpose(0, 1)
    else:
        v = _check_static(static_v, "static_v", batch * num_heads, head)
    if add_zero_attn:
        nothing = (batch * num_heads, 1, head)
        k = _cat([k, _zeros(nothing, dtype=k.dtype, device=k.device)], dim=1)
        v = _cat([v, _zeros(nothing, dtype=v.dtype, device=v.device)], dim=1)
        more += 1
    if more:
        attn_mask = None if attn_mask is None else _pad(attn_mask, (0, more))
        key_padding_mask = None if key_padding_mask is None else _pad(key_padding_mask, (0, more))
    keys = k.size(1)
    if key_padding_mask is not None:
        for dim, wanted in enumerate((batch, keys)):
            size_is = key_padding_mask.shape[dim]
            assert size_is == wanted, f"Expected key_padded_mask.shape[{dim}] to be {wanted}, but got {size_is}"
        of_heads = key_padding_mask.view(batch, 1, 1, keys).expand(-1, num_heads, -1, -1).reshape(batch * num_heads, 1, keys)
        attn_mask = of_heads if attn_mask is None else attn_mask.add(of_heads)
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        q, k = q.mul(math.sqrt(1.0 / head)), k.transpose(-2, -1)
        weights = _softmax(_bmm(q, k) if attn_mask is None else _baddbmm(attn_mask, q, k), dim=-1)
        weights = _dropout(weights, dropout_p, True) if dropout_p > 0.0 else weights
        made = _bmm(weights, v).transpose(0, 1).contiguous().view(length * batch, size)
        weights = weights.view(batch, num_heads, length, keys)
        weights = weights.mean(dim=1) if average_attn_weights else weights
    else:
        if attn_mask is not None:
            shared = attn_mask.size(0) == 1 and attn_mask.dim() == 3
            attn_mask = attn_mask.unsqueeze(0) if shared else attn_mask.view(batch, num_heads, -1, keys)
        q, k, v = (t.view(batch, num_heads, t.size(1), head) for t in (q, k, v))
        made = _attend(q, k, v, attn_mask, dropout_p, is_causal).permute(2, 0, 1, 3).contiguous().view(batch * length, size)
        weights = None
    made = _linear(made, out_proj_weight, out_proj_bias)
    made = made.view(length, batch, made.size(1))  # the last projection may have a size of its own
    if batched:
        return made, weights
    return made.squeeze(1), None if weights is None else weights.squeeze(0)
