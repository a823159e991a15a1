"""Training goes on for as long as it likes in the same memory; tests/long/steps.py does it for 100,000 steps."""

import gc
import sys
import weakref
from pathlib import Path

import pytest

import karat as torch
from karat import nn

sys.path.append(str(Path(__file__).parents[1] / "long"))
import steps  # noqa: E402


@pytest.mark.cpu_only("resident memory of the process")
@pytest.mark.not_sanitized("AddressSanitizer keeps what was freed")
def test_memory_stays_flat():
    grown, gone = steps.run(2000)
    assert grown < steps.GROWTH and gone


def gone(make):
    """Is what `make` gives a weak reference to collected?"""
    reference = make()
    gc.collect()
    return reference() is None


def test_cycles_are_collected():
    def through_a_hook():
        layer = nn.Linear(2, 2)
        layer.register_forward_hook(lambda *_: layer)
        return weakref.ref(layer)

    def through_a_backward_hook():
        layer = nn.Linear(2, 2)
        layer.register_full_backward_hook(lambda *_: print(layer))
        layer(torch.ones(1, 2, requires_grad=True)).sum().backward()
        return weakref.ref(layer)

    def through_a_parameters_hook():
        layer = nn.Linear(2, 2)
        layer.weight.register_hook(lambda grad: grad * layer.in_features)
        layer.weight.register_post_accumulate_grad_hook(lambda p: setattr(layer, "seen", p))
        layer(torch.ones(1, 2)).sum().backward()
        return weakref.ref(layer)

    def through_a_result():
        layer = nn.Linear(2, 2)
        layer.last = layer(torch.ones(1, 2))  # its history has the layer's weight
        layer.last.register_hook(lambda grad: layer)
        return weakref.ref(layer)

    def through_a_child():
        layer = nn.Sequential(nn.ReLU())
        layer[0].parent = [layer]
        object.__setattr__(layer[0], "up", layer)
        return weakref.ref(layer)

    def through_a_function():
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, layer):
                ctx.layer = layer
                return x * 1

            @staticmethod
            def backward(ctx, grad):
                return grad, None

        layer = nn.Linear(2, 2)
        layer.last = Own.apply(layer(torch.ones(1, 2)), layer)
        return weakref.ref(layer)

    def through_an_optimizer():
        layer = nn.Linear(2, 2)
        layer.optimizer = torch.optim.SGD(layer.parameters(), 0.1)
        layer.optimizer.register_step_post_hook(lambda *_: layer)
        layer.schedule = torch.optim.lr_scheduler.LambdaLR(layer.optimizer, lambda epoch: layer.in_features)
        layer.optimizer.step()
        return weakref.ref(layer)

    def through_state_hooks():
        layer = nn.Linear(2, 2)
        layer._register_state_dict_hook(lambda *_: None if layer else None)
        layer.register_load_state_dict_post_hook(lambda *_: None if layer else None)
        layer.load_state_dict(layer.state_dict())
        return weakref.ref(layer)

    for make in (through_a_hook, through_a_backward_hook, through_a_parameters_hook, through_a_result, through_a_child,
                 through_a_function, through_an_optimizer, through_state_hooks):
        assert gone(make), make.__name__
