"""karat.nn.utils._per_sample_grad: a call of a module whose backward leaves each example's gradient in `grad_sample`.

Every parameter is shown to torch.func.vmap once for each example, as a view; what arrives there in the backward is one gradient
per example, and nothing is summed. So it serves every module that vmap runs, and modules that mix examples are refused by
themselves (batch_norm of one example).
"""

from ... import _karat
from ...autograd.function import Function
from ...func import functional_call, vmap
from ...utils import _pytree
from ..modules.module import Module

__all__ = ["call_for_per_sample_grads"]


class _ForEachExample(Function):
    """A parameter as a batch of views of it; the gradients of the views become its `grad_sample`, none its `grad`."""

    @staticmethod
    def forward(ctx, weight, size, factor):
        ctx.weight, ctx.factor = weight, factor
        return weight.expand(size, *weight.shape)

    @staticmethod
    def backward(ctx, grad):
        ctx.weight.grad_sample = grad if ctx.factor == 1 else grad.mul(ctx.factor)
        return None, None, None


def _is_tensor(value):
    return isinstance(value, _karat.Tensor)


def _common_size(values, dim):
    """The batch size that all tensors have."""
    sizes = [value.shape[dim] for value in values if _is_tensor(value) and value.ndim > dim]
    if not sizes:
        raise RuntimeError("Unable to find a tensor in the passed args and kwargs. They may not be pytree-able and so "
                           "ExpandedWeights cannot compute the batch size from the inputs. Please specify it explicitly")
    for size in sizes:
        if size != sizes[0]:
            raise RuntimeError(f"When computing batch size, found at least one input with batch size {sizes[0]} and one with "
                               f"batch size {size}. Please specify it explicitly using the batch size kwarg in "
                               "call_for_per_sample_grads")
    return sizes[0]


def _check(module, batch_size, loss_reduction):
    if loss_reduction not in ("sum", "mean"):
        raise RuntimeError(f"Expected loss_reduction argument to be sum or mean, got {loss_reduction}")
    if not isinstance(module, Module):
        raise RuntimeError(f"Module passed must be nn.Module, got {type(module).__name__}")
    if not (batch_size is None or isinstance(batch_size, int)):
        raise RuntimeError(f"Batch size passed must be None or an integer, got {type(batch_size).__name__}")
    if batch_size is not None and batch_size < 1:
        raise RuntimeError(f"Batch size must be positive, got {batch_size}")
    for weight in module.parameters():
        if weight.requires_grad and getattr(weight, "grad_sample", None) is not None:
            raise RuntimeError("Current Expanded Weights accumulates the gradients, which will be incorrect for multiple calls "
                               f"without clearing gradients. Please clear out the grad_sample parameter of {weight} or post an "
                               "issue to pytorch/pytorch to prioritize correct behavior")


def _checked_dims(values, size, dim):
    """Along which dim each value counts examples: None for what is no tensor."""
    for value in values:
        if _is_tensor(value) and value.ndim < 2:
            raise RuntimeError("Input does not have a batch dimension. Expanded Weights expected input of at least rank 2, got "
                               f"of rank {value.ndim}")
        if _is_tensor(value) and value.shape[dim] != size:
            raise RuntimeError("Expected ExpandedWeights to have batch size matching input but got input batch size of "
                               f"{value.shape[dim]} with ExpandedWeight of batch size {size}")
    return [dim if _is_tensor(value) else None for value in values]


def call_for_per_sample_grads(module, *, batch_size=None, loss_reduction="sum", batch_first=True):
    """The module as a function. After a backward the gradient of each example stands in the parameters' `grad_sample`.

    loss_reduction says whether the loss sums or averages over the examples, batch_first that the first dim of the inputs counts
    them (or the second), batch_size how many they are, where the inputs do not say it."""
    _check(module, batch_size, loss_reduction)
    dim = 0 if batch_first else 1

    def forward(*args, **kwargs):
        values, spec = _pytree.tree_flatten((args, kwargs))
        size = _common_size(values, dim) if batch_size is None else batch_size
        trained = [(name, weight) for name, weight in module.named_parameters() if weight.requires_grad]
        if not trained or not _karat.is_grad_enabled():
            return module(*args, **kwargs)
        factor = size if loss_reduction == "mean" else 1
        names = [name for name, _ in trained]
        weights = [_ForEachExample.apply(weight, size, factor) for _, weight in trained]

        def one(weights, *values):
            batch = [value.unsqueeze(dim) if _is_tensor(value) else value for value in values]
            args, kwargs = _pytree.tree_unflatten(batch, spec)
            output = functional_call(module, dict(zip(names, weights)), args, kwargs)
            return _pytree.tree_map(lambda value: value.squeeze(dim) if _is_tensor(value) else value, output)

        dims = _checked_dims(values, size, dim)
        return vmap(one, in_dims=([0] * len(weights), *dims), out_dims=dim, randomness="different")(weights, *values)

    return forward
