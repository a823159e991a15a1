"""torch.optim.lr_scheduler: rates by formulas that need no last rate, warnings, refusals, state dicts."""

import math
import pickle
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


class Half:
    def __init__(self):
        self.factor = 0.5

    def __call__(self, epoch):
        return self.factor


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


# the rates after 5, 14 and 24 steps from 0.1, to the last bit: PyTorch 2.11 prints these
LAST_BITS = [
    (lambda o: MultiplicativeLR(o, lambda e: 0.95), [0.07737809374999999, 0.04876749791155295, 0.029198902433877242]),
    (lambda o: StepLR(o, 3, 0.7), [0.06999999999999999, 0.024009999999999997, 0.005764800999999997]),
    (lambda o: MultiStepLR(o, [3, 7, 7], 0.3), [0.03, 0.0026999999999999997, 0.0026999999999999997]),
    (lambda o: ConstantLR(o, 0.3, 7), [0.03, 0.1, 0.1]),
    (lambda o: LinearLR(o, 0.3, 0.9, 17), [0.04764705882352942, 0.07941176470588235, 0.09000000000000002]),
    (lambda o: ExponentialLR(o, 0.97), [0.08587340257, 0.06528362774606072, 0.048141722191172326]),
    (lambda o: PolynomialLR(o, 30, 0.9), [0.08486661467891869, 0.05679352896179233, 0.023492378861760383]),
    (lambda o: CosineAnnealingLR(o, 7, 0.003), [0.021260744609851428, 0.10000000000000002, 0.04070773470311907]),
    (lambda o: CosineAnnealingWarmRestarts(o, 3, 2, 0.001), [0.07525000000000001, 0.06331154273257478, 0.0962320368593087]),
    (lambda o: CyclicLR(o, 0.01, 0.3, 3, 4, mode="exp_range", gamma=0.97), [0.13451643372649993, 0.01, 0.14961099435439973]),
    (lambda o: OneCycleLR(o, 0.3, 30), [0.21110641426057292, 0.24352369618492894, 0.04004325905664918]),
    (lambda o: swa_utils.SWALR(o, 0.02, 30), [0.09464101615137756, 0.06418113853070617, 0.02763932022500211])]


@pytest.mark.parametrize("make, expected", LAST_BITS)
def test_last_bits(make, expected):
    made = rates(make(optimizer(momentum=0.9)), 24)
    assert [made[n] for n in (5, 14, 24)] == expected


@pytest.mark.parametrize("make", [make for make, _ in LAST_BITS[1:8]])
def test_the_ratios_of_steps_are_those_of_the_shares(make):
    by_steps, by_formula = make(optimizer()), make(optimizer())
    made = rates(by_steps, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in (0, 1, 6, 7, 15, 30):
            by_formula.step(n)
            assert by_formula.get_last_lr() == [pytest.approx(made[n], rel=1e-12, abs=1e-15)] and by_formula.last_epoch == n


COMMON = ["base_lrs", "last_epoch", "_step_count", "_is_initial", "_get_lr_called_within_step", "_last_lr"]
CYCLED = ["cycle_momentum", "use_beta1"]


@pytest.mark.parametrize("make, own, after", [
    (lambda o: StepLR(o, 3), ["step_size", "gamma"], []), (lambda o: MultiStepLR(o, [3]), ["milestones", "gamma"], []),
    (lambda o: ConstantLR(o), ["factor", "total_iters"], []), (lambda o: ExponentialLR(o, 0.9), ["gamma"], []),
    (lambda o: LinearLR(o), ["start_factor", "end_factor", "total_iters"], []),
    (lambda o: PolynomialLR(o), ["total_iters", "power"], []), (lambda o: CosineAnnealingLR(o, 3), ["T_max", "eta_min"], []),
    (lambda o: CosineAnnealingWarmRestarts(o, 3), ["T_0", "T_i", "T_mult", "eta_min", "T_cur"], []),
    (lambda o: LambdaLR(o, abs), [], ["lr_lambdas"]), (lambda o: MultiplicativeLR(o, abs), [], ["lr_lambdas"]),
    (lambda o: CyclicLR(o, 0.1, 0.2), ["max_lrs", "total_size", "step_ratio", "mode", "gamma", "scale_mode", *CYCLED,
                                       "base_momentums", "max_momentums"], ["_scale_fn_custom"]),
    (lambda o: OneCycleLR(o, 0.1, 9), ["total_steps", "_schedule_phases", "_anneal_func_type", *CYCLED], []),
    (lambda o: swa_utils.SWALR(o, 0.1), ["_anneal_strategy", "anneal_epochs"], []),
])
def test_what_state_dicts_hold(make, own, after):
    scheduler = make(optimizer(momentum=0.9))
    if "lr_lambdas" in after:
        scheduler.lr_lambdas = [Half()]  # a builtin function has no attributes to save
    assert list(scheduler.state_dict()) == [*own, *COMMON, *after]


def test_what_state_dicts_of_others_hold():
    assert list(ReduceLROnPlateau(optimizer()).state_dict()) == [
        "factor", "default_min_lr", "min_lrs", "patience", "cooldown", "eps", "last_epoch", "_last_lr", "mode_worse", "mode",
        "threshold", "threshold_mode", "best", "cooldown_counter", "num_bad_epochs"]
    o = optimizer()
    assert list(SequentialLR(o, [StepLR(o, 3)], []).state_dict()) == ["_milestones", "last_epoch", "_last_lr", "_schedulers"]
    chain = ChainedScheduler([StepLR(o, 3)])
    assert list(chain.state_dict()) == ["_last_lr", "_schedulers"]
    with pytest.raises(IndexError):
        chain.load_state_dict({"_schedulers": [{}, {}]})
    with pytest.raises(KeyError, match="_schedulers"):
        chain.load_state_dict({})
    with pytest.raises(ValueError, match="mode q is unknown!"):
        ReduceLROnPlateau(optimizer()).load_state_dict({"mode": "q"})


def test_loaded_functions_and_modes():
    one, other = (LambdaLR(optimizer(), [Half()]) for _ in range(2))
    one.lr_lambdas[0].factor = 0.25
    other.load_state_dict(one.state_dict())
    assert other.lr_lambdas[0].factor == 0.25 and other.lr_lambdas[0] is not one.lr_lambdas[0]
    with pytest.raises(IndexError):
        other.load_state_dict({"lr_lambdas": [None, {"factor": 1}]})
    cyclic = CyclicLR(optimizer(), 0.1, 0.2, 2, cycle_momentum=False)
    cyclic.load_state_dict({**cyclic.state_dict(), "mode": "exp_range", "gamma": 0.5})
    assert cyclic.scale_mode == "iterations" and cyclic.scale_fn(3) == 0.125
    custom = CyclicLR(optimizer(), 0.1, 0.2, 2, cycle_momentum=False, scale_fn=Half(), scale_mode="iterations")
    custom.load_state_dict({**custom.state_dict(), "_scale_fn_custom": {"factor": 4}})
    assert custom.scale_fn(3) == 4 and custom.scale_mode == "iterations"


def test_schedulers_are_copied_with_their_optimizers():
    for make in (lambda o: CyclicLR(o, 0.1, 0.5, 4, mode="triangular2"), lambda o: LambdaLR(o, Half()), lambda o: StepLR(o, 2)):
        one = make(optimizer(momentum=0.9))
        rates(one, 3)
        other = pickle.loads(pickle.dumps(one))
        assert other.optimizer is not one.optimizer and rates(other, 5) == rates(one, 5)


@pytest.mark.parametrize("mode, name", [("triangular", b"CyclicLR._triangular_scale_fn"),
                                        ("triangular2", b"CyclicLR._triangular2_scale_fn"),
                                        ("exp_range", b"CyclicLR._exp_range_scale_fn")])
def test_pickles_of_cycles_name_the_scale_as_before(mode, name):
    assert name in pickle.dumps(CyclicLR(optimizer(momentum=0.9), 0.1, 0.5, 4, mode=mode))


@pytest.mark.parametrize("make, text", [
    (lambda o: LambdaLR(o, lambda e: 1.0), "argument 2 is shorter"), (lambda o: CyclicLR(o, 0.1, 0.2), "argument 2 is shorter"),
    (lambda o: MultiplicativeLR(o, lambda e: 1.0), "argument 2 is longer"),
    (lambda o: CosineAnnealingWarmRestarts(o, 3), "argument 2 is shorter"),
])
def test_a_group_that_a_schedule_has_no_rate_for_is_refused(make, text):
    scheduler = make(optimizer(momentum=0.9))
    scheduler.optimizer.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
    scheduler.optimizer.step()
    with pytest.raises(ValueError, match=text):
        scheduler.step()


def test_ratios_change_groups_that_came_later():
    scheduler = ExponentialLR(optimizer(), 0.5)
    scheduler.optimizer.add_param_group({"params": [torch.ones(1, requires_grad=True)], "lr": 8.0})
    assert [scheduler.optimizer.step(), scheduler.step()] == [None, None] and scheduler.get_last_lr() == [0.05, 4.0]
    plateau = ReduceLROnPlateau(optimizer(), patience=0, min_lr=[0.01])
    plateau.optimizer.add_param_group({"params": [torch.ones(1, requires_grad=True)]})
    plateau.step(1)
    with pytest.raises(RuntimeError, match="differs from when `ReduceLROnPlateau` was initialized \\(1\\)"):
        plateau.step(1)


def test_subclasses_have_get_lr():
    class Mine(lr_scheduler.LRScheduler):
        def get_lr(self):
            assert self._get_lr_called_within_step
            return [base / (self.last_epoch + 1) for base in self.base_lrs]

    class Jumps(lr_scheduler._LRScheduler):
        def get_lr(self):
            return [group["lr"] * 0.5 for group in self.optimizer.param_groups]

        def _get_closed_form_lr(self):
            return [base * 7 for base in self.base_lrs]

    assert rates(Mine(optimizer()), 3) == [0.1, 0.05, 0.1 / 3, 0.025]
    scheduler = Jumps(optimizer())
    assert scheduler.get_last_lr() == [0.05] and scheduler._step_count == 1 and not scheduler._is_initial
    scheduler.optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(7)
    assert scheduler.get_last_lr() == [0.1 * 7] and scheduler._step_count == 2
    with pytest.raises(NotImplementedError):
        lr_scheduler.LRScheduler(optimizer())


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


def test_warm_restarts_at_a_given_epoch():
    scheduler = CosineAnnealingWarmRestarts(optimizer(), 2, 3)
    for epoch, place, length, last in ((0, 0, 2, 0), (1.5, 1.5, 2, 1), (2, 0, 6, 2), (7.5, 5.5, 6, 7), (8, 0, 18, 8),
                                       (25, 17, 18, 25)):
        scheduler.step(epoch)
        assert (scheduler.T_cur, scheduler.T_i, scheduler.last_epoch) == (pytest.approx(place), length, last)
    scheduler.step(1.5)
    scheduler.step()  # a fraction goes on
    assert (scheduler.T_cur, scheduler.T_i, scheduler.last_epoch) == (0.5, 6, 2)
    with pytest.raises(ValueError, match="Expected non-negative epoch, but got -1"):
        scheduler.step(-1)
    once = CosineAnnealingWarmRestarts(optimizer(), 4)
    once.step(10.5)
    assert (once.T_cur, once.T_i, once.last_epoch) == (2.5, 4, 10)


class Batches(list):
    def __iter__(self):
        yield from super().__iter__()
        raise OSError("no more")


def test_batch_norms_see_all_batches():
    def model():
        made = torch.nn.Sequential(torch.nn.BatchNorm1d(2, momentum=0.3), torch.nn.BatchNorm1d(2)).eval()
        made[0].running_mean.fill_(7.0)
        return made

    batches = [(torch.tensor([[1.0, 2], [3, 4]]), "label"), torch.tensor([[5.0, 6], [7, 8]])]
    one = model()
    swa_utils.update_bn(batches, one)
    assert one[0].running_mean.tolist() == [4.0, 5.0] and one[0].momentum == 0.3 and one[1].momentum == 0.1
    assert not one.training and one[0].num_batches_tracked.item() == 2
    one = model()
    with pytest.raises(OSError):
        swa_utils.update_bn(Batches(batches), one)
    assert one[0].momentum == 0.3 and not one.training  # as before, though it failed
    swa_utils.update_bn(None, torch.nn.Linear(1, 1))  # nothing to see


def test_swa_rates_anneal_by_a_function():
    assert swa_utils.SWALR(optimizer(), 0.1, 5, "linear").anneal_func(0.25) == 0.25
    assert swa_utils.SWALR(optimizer(), 0.1, 5).anneal_func(0.5) == pytest.approx(0.5)


def test_averages_refuse():
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn should be provided"):
        swa_utils.AveragedModel(Model(), avg_fn=max, multi_avg_fn=max)
    with pytest.raises(ValueError, match="Invalid decay value 2.0 provided"):
        swa_utils.get_ema_multi_avg_fn(2.0)
