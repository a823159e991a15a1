"""torch.optim.lr_scheduler: rates by formulas that need no last rate, warnings, refusals, state dicts."""

import math
import warnings

import pytest

import karat as torch
from karat.optim import SGD, Adagrad, Adam, lr_scheduler, swa_utils
from karat.optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    CyclicLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)


def optimizer(lr=0.1, **options):
    return SGD([torch.ones(2, requires_grad=True)], lr=lr, **options)


def rates(scheduler, n):
    made = [scheduler.get_last_lr()[0]]
    for _ in range(n):
        scheduler.optimizer.step()
        scheduler.step()
        made.append(scheduler.get_last_lr()[0])
    return made


def cosine(t, length, low, high):
    return low + (high - low) * (1 + math.cos(math.pi * t / length)) / 2


@pytest.mark.parametrize("make, formula", [
    (lambda o: LambdaLR(o, lambda e: 0.9 ** e), lambda e: 0.1 * 0.9 ** e),
    (lambda o: MultiplicativeLR(o, lambda e: 0.5), lambda e: 0.1 * 0.5 ** e),
    (lambda o: StepLR(o, 3), lambda e: 0.1 * 0.1 ** (e // 3)),
    (lambda o: MultiStepLR(o, [2, 5, 5]), lambda e: 0.1 * 0.1 ** ((e >= 2) + 2 * (e >= 5))),
    (lambda o: ConstantLR(o, 0.25, 4), lambda e: 0.1 * (0.25 if e < 4 else 1)),
    (lambda o: LinearLR(o, 0.5, 1.0, 4), lambda e: 0.1 * (0.5 + 0.5 * min(e, 4) / 4)),
    (lambda o: ExponentialLR(o, 0.8), lambda e: 0.1 * 0.8 ** e),
    (lambda o: PolynomialLR(o, 6, 2.0), lambda e: 0.1 * (1 - min(e, 6) / 6) ** 2),
    (lambda o: CosineAnnealingLR(o, 5, 0.01), lambda e: cosine(e, 5, 0.01, 0.1)),
    (lambda o: CosineAnnealingWarmRestarts(o, 4), lambda e: cosine(e % 4, 4, 0, 0.1)),
    (lambda o: CosineAnnealingWarmRestarts(o, 2, 2), lambda e: cosine([0, 1, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6][e],
                                                                     [2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8][e], 0, 0.1)),
    (lambda o: CyclicLR(o, 0.1, 0.5, 4, cycle_momentum=False), lambda e: 0.1 + 0.4 * (1 - abs((e % 8) / 4 - 1))),
    (lambda o: CyclicLR(o, 0.1, 0.5, 2, mode="triangular2", cycle_momentum=False),
     lambda e: 0.1 + 0.4 * (1 - abs((e % 4) / 2 - 1)) / 2 ** (e // 4)),
    (lambda o: OneCycleLR(o, 1.0, 13, pct_start=0.5, anneal_strategy="linear", cycle_momentum=False),
     lambda e: 0.04 + 0.96 * e / 5.5 if e <= 5.5 else 1 + (4e-6 - 1) * (e - 5.5) / 6.5),
    (lambda o: swa_utils.SWALR(o, 0.02, 5, "linear"), lambda e: 0.1 + (0.02 - 0.1) * min(e, 5) / 5),
])
def test_rates(make, formula):
    made = rates(make(optimizer()), 12)
    assert made == pytest.approx([formula(e) for e in range(13)], rel=1e-9, abs=1e-15)


def test_a_given_epoch_uses_the_formula():
    o = optimizer()
    scheduler = StepLR(o, 2)
    o.step()
    with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step\\(\\)` was not necessary"):
        scheduler.step(5)
    assert scheduler.get_last_lr() == [pytest.approx(0.001)] and scheduler.last_epoch == 5


def test_chained_and_sequential():
    o = optimizer()
    assert rates(ChainedScheduler([ConstantLR(o, 0.5, 3), ExponentialLR(o, 0.9)]), 5) == pytest.approx(
        [0.1 * (0.5 if e < 3 else 1) * 0.9 ** e for e in range(6)])
    o = optimizer()
    scheduler = SequentialLR(o, [ConstantLR(o, 0.5, 9), ExponentialLR(o, 0.9)], [3])
    assert rates(scheduler, 6) == pytest.approx([0.05, 0.05, 0.05, 0.1, 0.09, 0.081, 0.0729])
    inner = optimizer()
    nested = SequentialLR(inner, [LinearLR(inner, 0.5, 1.0, 2), ChainedScheduler([ExponentialLR(inner, 0.5)])], [2])
    assert rates(nested, 1) == pytest.approx([0.05, 0.075])
    with pytest.raises(NotImplementedError):  # as in PyTorch: a chain has no first rate of its own
        nested.step()


def test_a_plateau():
    scheduler = ReduceLROnPlateau(optimizer(), patience=1, cooldown=1, factor=0.5, min_lr=0.02)
    made = []
    for loss in (1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, torch.tensor(0.9)):
        scheduler.step(loss)
        made.append(scheduler.get_last_lr()[0])
    assert made == pytest.approx([0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025, 0.02, 0.02])
    better = ReduceLROnPlateau(optimizer(), "max", threshold_mode="abs", threshold=0.1)
    assert better.is_better(1.2, 1.0) and not better.is_better(1.05, 1.0)


def test_momenta_go_the_other_way():
    o = optimizer(momentum=0.9)
    scheduler = CyclicLR(o, 0.1, 0.5, 2)
    assert o.param_groups[0]["momentum"] == 0.9
    rates(scheduler, 2)
    assert o.param_groups[0]["momentum"] == pytest.approx(0.8)
    adam = Adam([torch.ones(1, requires_grad=True)])
    OneCycleLR(adam, 0.1, 10)
    assert adam.param_groups[0]["betas"] == (0.95, 0.999)


def test_a_rate_that_is_a_tensor_is_written():
    rate = torch.tensor(0.5)
    o = SGD([torch.ones(1, requires_grad=True)], lr=rate)
    scheduler = StepLR(o, 1, 0.5)
    o.step()
    scheduler.step()
    assert o.param_groups[0]["lr"] is rate and rate.item() == 0.25 and scheduler.base_lrs[0].item() == 0.5


def test_warnings():
    o = optimizer()
    scheduler = StepLR(o, 2)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step\\(\\)` before `optimizer.step\\(\\)`"):
        scheduler.step()
    with pytest.warns(UserWarning, match="please use `get_last_lr\\(\\)`"):
        scheduler.get_lr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rates(StepLR(optimizer(), 2), 3)


@pytest.mark.parametrize("make, error, text", [
    (lambda: StepLR(1, 2), TypeError, "int is not an Optimizer"),
    (lambda: StepLR(optimizer(), 2, last_epoch=3), KeyError, "param 'initial_lr' is not specified in param_groups[0]"),
    (lambda: LambdaLR(optimizer(), [abs, abs]), ValueError, "Expected 1 lr_lambdas, but got 2"),
    (lambda: MultiplicativeLR(optimizer(), 3), TypeError, "lr_lambda should be a function, but got int"),
    (lambda: ConstantLR(optimizer(), 2), ValueError, "Constant multiplicative factor expected to be between 0 and 1."),
    (lambda: LinearLR(optimizer(), 0), ValueError, "Starting multiplicative factor expected to be greater than 0"),
    (lambda: LinearLR(optimizer(), end_factor=2), ValueError, "Ending multiplicative factor expected to be between 0 and 1."),
    (lambda: SequentialLR(optimizer(), [], []), ValueError, "SequentialLR expects at least one scheduler, but got no scheduler."),
    (lambda: ChainedScheduler([]), ValueError, "ChainedScheduler expects at least one scheduler to be chained"),
    (lambda: ReduceLROnPlateau(optimizer(), factor=1.0), ValueError, "Factor should be < 1.0."),
    (lambda: ReduceLROnPlateau(optimizer(), "x"), ValueError, "mode x is unknown!"),
    (lambda: ReduceLROnPlateau(optimizer(), min_lr=[1, 2]), ValueError, "expected 1 min_lrs, got 2"),
    (lambda: CyclicLR(optimizer(), 0.1, 0.2, mode="x"), ValueError, "mode is invalid and scale_fn is None"),
    (lambda: CyclicLR(Adagrad([torch.ones(1, requires_grad=True)]), 0.1, 0.2), ValueError, "optimizer must support momentum"),
    (lambda: CyclicLR(optimizer(), [0.1, 0.2], 0.2), ValueError, "base_lr must have the same length as optimizer.param_groups."),
    (lambda: CosineAnnealingWarmRestarts(optimizer(), 0), ValueError, "Expected positive integer T_0, but got 0"),
    (lambda: OneCycleLR(optimizer(), 0.1), ValueError, "You must define either total_steps OR (epochs AND steps_per_epoch)"),
    (lambda: OneCycleLR(optimizer(), 0.1, 10, pct_start=2), ValueError, "Expected float between 0 and 1 pct_start, but got 2"),
    (lambda: OneCycleLR(optimizer(), 0.1, 10, anneal_strategy="x"), ValueError, "anneal_strategy must be one of"),
    (lambda: swa_utils.SWALR(optimizer(), 0.1, anneal_strategy="x"), ValueError, "anneal_strategy must by one of"),
    (lambda: rates(OneCycleLR(optimizer(momentum=0.9), 0.1, 2), 4), ValueError, "Tried to step 3 times. The specified number"),
])
def test_refusals(make, error, text):
    with pytest.raises(error) as e:
        make()
    assert text in str(e.value)


class Half:
    def __init__(self):
        self.factor = 0.5

    def __call__(self, epoch):
        return self.factor


@pytest.mark.parametrize("make", [
    lambda o: StepLR(o, 3), lambda o: MultiStepLR(o, [2, 4]), lambda o: LambdaLR(o, Half()), lambda o: CosineAnnealingLR(o, 5),
    lambda o: SequentialLR(o, [ConstantLR(o, 0.5, 9), ExponentialLR(o, 0.9)], [3]), lambda o: CyclicLR(o, 0.1, 0.5, 4),
    lambda o: OneCycleLR(o, 0.5, 20), lambda o: ChainedScheduler([ConstantLR(o, 0.5, 3), ExponentialLR(o, 0.9)]),
])
def test_state_dicts_go_on_as_before(make):
    one = make(optimizer(momentum=0.9))
    rates(one, 2)
    other = make(optimizer(momentum=0.9))
    other.load_state_dict(one.state_dict())
    other.optimizer.load_state_dict(one.optimizer.state_dict())
    assert rates(one, 4) == rates(other, 4)


def test_names():
    assert set(lr_scheduler.__all__) <= set(dir(lr_scheduler)) and issubclass(lr_scheduler._LRScheduler, lr_scheduler.LRScheduler)


# ---- averages of weights ----


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.zeros(2))
        self.register_buffer("seen", torch.tensor(0))


@pytest.mark.parametrize("options, expected, seen", [
    ({}, 2.5, 4), ({"avg_fn": swa_utils.get_swa_avg_fn()}, 2.5, 4),
    ({"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)}, 3.125, 4), ({"avg_fn": swa_utils.get_ema_avg_fn(0.5)}, 3.125, 4),
    ({"use_buffers": True}, 2.5, 1),
])
def test_averaged_models(options, expected, seen):
    model = Model()
    average = swa_utils.AveragedModel(model, **options)
    for i in range(1, 5):
        with torch.no_grad():
            model.w.fill_(i)
        model.seen.fill_(i)
        average.update_parameters(model)
    assert average.module.w.tolist() == pytest.approx([expected] * 2) and average.n_averaged.item() == 4
    assert average.module.seen.item() == seen
    assert list(average.state_dict()) == ["n_averaged", "module.w", "module.seen"]


def test_warm_restarts_that_go_on():
    group = {"params": [torch.ones(2, requires_grad=True)], "initial_lr": 0.5}
    for t_0, t_mult, last, at in ((2, 1, 3, (0, 2)), (2, 2, 7, (0, 4)), (3, 3, 10, (2, 9)), (5, 2, 3, (4, 5))):
        scheduler = CosineAnnealingWarmRestarts(SGD([dict(group)], lr=0.5), t_0, t_mult, last_epoch=last)
        assert scheduler.get_last_lr()[0] == pytest.approx(cosine(*at, 0, 0.5))


def test_averages_refuse():
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn should be provided"):
        swa_utils.AveragedModel(Model(), avg_fn=max, multi_avg_fn=max)
    with pytest.raises(ValueError, match="Invalid decay value 2.0 provided"):
        swa_utils.get_ema_multi_avg_fn(2.0)
