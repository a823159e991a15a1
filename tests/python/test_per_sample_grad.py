"""nn.utils._per_sample_grad: each example's gradient in grad_sample, as opacus's "ew" mode calls for it."""

import pytest

import karat as kt
from karat import nn
from karat.nn.utils._per_sample_grad import call_for_per_sample_grads


def one_by_one(module, x, name):
    """The gradient of the squares' sum of each example alone."""
    made = []
    for i in range(len(x)):
        module.zero_grad()
        module(x[i:i + 1]).pow(2).sum().backward()
        made.append(dict(module.named_parameters())[name].grad.clone())
    module.zero_grad(set_to_none=True)
    return kt.stack(made)


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("make, shape", [
    (lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2)), (5, 3)),
    (lambda: nn.Sequential(nn.Conv1d(2, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.Flatten()), (5, 2, 7)),
    (lambda: nn.Sequential(nn.LayerNorm(3), nn.Linear(3, 3)), (4, 6, 3)),
])
def test_each_example(make, shape, reduction):
    kt.manual_seed(0)
    module, x = make(), kt.randn(shape)
    expected = {name: one_by_one(module, x, name) for name, _ in module.named_parameters()}
    losses = call_for_per_sample_grads(module, loss_reduction=reduction)(x).pow(2).flatten(1).sum(1)
    getattr(losses, reduction)().backward()
    for name, weight in module.named_parameters():
        kt.testing.assert_close(weight.grad_sample, expected[name])
        assert weight.grad is None


def test_inputs_and_frozen_weights():
    module, x = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)), kt.randn(5, 3, requires_grad=True)
    module[0].weight.requires_grad_(False)
    call_for_per_sample_grads(module)(x).sum().backward()
    assert not hasattr(module[0].weight, "grad_sample") and module[0].bias.grad_sample.shape == (5, 4)
    kt.testing.assert_close(x.grad, kt.ones(5, 2) @ module[1].weight @ module[0].weight)
    with pytest.raises(RuntimeError, match="^Current Expanded Weights accumulates the gradients"):
        call_for_per_sample_grads(module)


def test_batch_second():
    module, x = nn.Linear(3, 2), kt.randn(6, 5, 3)
    y = call_for_per_sample_grads(module, batch_first=False)(x)
    kt.testing.assert_close(y, module(x))
    y.sum().backward()
    kt.testing.assert_close(module.weight.grad_sample, x.sum(0)[:, None].expand(5, 2, 3))


@pytest.mark.parametrize("call, message", [
    (lambda m, x: call_for_per_sample_grads(3), "Module passed must be nn.Module, got int"),
    (lambda m, x: call_for_per_sample_grads(m, batch_size=0), "Batch size must be positive, got 0"),
    (lambda m, x: call_for_per_sample_grads(m, batch_size=2.5), "Batch size passed must be None or an integer, got float"),
    (lambda m, x: call_for_per_sample_grads(m, loss_reduction="max"), "Expected loss_reduction argument to be sum or mean"),
    (lambda m, x: call_for_per_sample_grads(m, batch_size=4)(x), "Expected ExpandedWeights to have batch size matching input"),
    (lambda m, x: call_for_per_sample_grads(m)(x[0]), "Input does not have a batch dimension."),
    (lambda m, x: call_for_per_sample_grads(m)(), "Unable to find a tensor in the passed args and kwargs."),
    (lambda m, x: call_for_per_sample_grads(m)(x, x[1:]), "When computing batch size, found at least one input with"),
])
def test_messages(call, message):
    with pytest.raises(RuntimeError, match="^" + message):
        call(nn.Linear(3, 2), kt.randn(5, 3))
