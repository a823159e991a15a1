"""torch.autocast, torch.amp and their old names; the gradient scaler, its messages, its log and its search for what is not
finite. Facts of PyTorch 2.11."""

import copy
import gc
import pickle
import warnings
import weakref

import karat as torch
import pytest
from karat import nn

KIND = torch.ones(1).device.type
bf16, f16, f32, f64 = torch.bfloat16, torch.float16, torch.float32, torch.float64
of_the_cpu = pytest.mark.cpu_only("defaults and classes of the CPU's autocast")


def state():
    return torch.is_autocast_enabled(KIND), torch.get_autocast_dtype(KIND), torch.is_autocast_cache_enabled()


# ---- regions ----

def test_a_region_is_a_context_and_a_decorator():
    before, x = state(), torch.ones(2, 2)
    region = torch.autocast(KIND, dtype=bf16, cache_enabled=False)
    with region as entered:
        assert entered is region and state() == (True, bf16, False)
        assert (x @ x).dtype is bf16
        with torch.autocast(KIND, enabled=False):
            assert not state()[0] and (x @ x).dtype is f32
            with torch.autocast(KIND, dtype=f16):
                assert (x @ x).dtype is f16
        assert state() == (True, bf16, False)
    assert state() == before

    @region
    def product(a):
        """doc"""
        return a @ a

    assert product(x).dtype is bf16 and product.__doc__ == "doc" and state() == before


def test_a_region_that_is_entered_twice_restores_what_was():
    region, before = torch.autocast(KIND, dtype=bf16), state()
    with region, region:
        assert state()[0]
    assert state() == before


def test_an_exception_restores_what_was():
    before = state()
    with pytest.raises(ZeroDivisionError), torch.autocast(KIND, dtype=f16):
        1 / 0
    assert state() == before


@of_the_cpu
def test_the_default_dtype_of_the_cpu():
    with torch.autocast("cpu"):
        assert state() == (True, bf16, True)


@of_the_cpu
@pytest.mark.parametrize("dtype", [f32, f64, torch.int32])
def test_a_dtype_that_is_not_supported_turns_it_off(dtype):
    with pytest.warns(UserWarning, match="In CPU autocast, but the target dtype is not supported. Disabling autocast."):
        region = torch.autocast("cpu", dtype)
    with region:
        assert state()[:2] == (False, dtype)


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what happens without CUDA")
def test_cuda_without_a_device():
    with pytest.warns(UserWarning, match="CUDA is not available or torch_xla is imported. Disabling autocast."):
        region = torch.autocast("cuda")
    with region:
        assert not torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda") is f16
    with pytest.warns(UserWarning, match="GradScaler is enabled, but CUDA is not available.  Disabling."):
        assert not torch.amp.GradScaler().is_enabled()


def test_a_device_that_is_not_here():
    with torch.autocast("xpu", dtype=bf16):
        assert torch.is_autocast_enabled("xpu") and (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is f32
    assert not torch.is_autocast_enabled("xpu")


@pytest.mark.parametrize("arguments, error, text", [
    ((3,), ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"),
    (("meta",), RuntimeError, "unsupported scalarType"),
    (("foo",), RuntimeError, "Expected one of cpu, cuda, .* device type at start of device string: foo"),
    ((), TypeError, "missing 1 required positional argument: 'device_type'"),
])
def test_bad_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        torch.autocast(*arguments)


@of_the_cpu
def test_a_dtype_that_is_none_is_refused_on_entering():
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        region = torch.autocast("cpu", "bf16")
    before = state()
    with pytest.raises(TypeError, match=r"set_autocast_dtype\(\): argument 'dtype' \(position 2\) must be torch.dtype, not str"):
        region.__enter__()
    assert state() == before


def test_functions_of_the_state():
    torch.set_autocast_enabled(KIND, True)
    try:
        assert torch.is_autocast_enabled(KIND)
    finally:
        torch.set_autocast_enabled(KIND, False)
    before = torch.get_autocast_dtype(KIND)
    torch.set_autocast_dtype(KIND, f16)
    assert torch.get_autocast_dtype(KIND) is f16
    torch.set_autocast_dtype(KIND, before)
    torch.set_autocast_cache_enabled(False)
    assert not torch.is_autocast_cache_enabled()
    torch.set_autocast_cache_enabled(True)
    assert torch.autocast_increment_nesting() == 1 and torch.autocast_decrement_nesting() == 0
    assert torch.clear_autocast_cache() is None
    with pytest.raises(TypeError, match="enabled must be a bool"):
        torch.set_autocast_cache_enabled(3)
    with pytest.raises(TypeError, match=r"argument 'enabled' \(position 2\) must be bool, not int"):
        torch.set_autocast_enabled(KIND, 1)
    with pytest.raises(TypeError, match=r"argument 'device_type' \(position 1\) must be str, not int"):
        torch.is_autocast_enabled(3)
    with pytest.raises(TypeError, match=r"argument 'dtype' \(position 2\) must be torch.dtype, not int"):
        torch.set_autocast_dtype(KIND, 3)
    assert torch.amp.is_autocast_available("cuda") and not torch.amp.is_autocast_available("meta")


def test_functions_of_the_state_of_other_devices():
    for kind, text in (("meta", "unsupported scalarType"), ("vulkan", "unsupported scalarType")):
        with pytest.raises(RuntimeError, match=text):
            torch.get_autocast_dtype(kind)
        for call in (lambda: torch.is_autocast_enabled(kind), lambda: torch.set_autocast_enabled(kind, True)):
            with pytest.raises(RuntimeError, match="unknown device type for autocast in get_autocast_dispatch_key_"):
                call()
    torch.set_autocast_dtype("lazy", f16)
    assert torch.get_autocast_dtype("lazy") is f16 and torch.get_autocast_dtype("xla") is bf16
    with pytest.raises(RuntimeError, match="User specified an unsupported autocast device_type 'lazy'"):
        torch.autocast("lazy")
    with pytest.raises(AssertionError, match="Tried to use AMP with the `privateuseone` backend"):
        torch.autocast("privateuseone")
    torch.set_autocast_enabled(enabled=True)
    assert torch.is_autocast_enabled() and torch.is_autocast_enabled(device_type="cuda")
    torch.set_autocast_enabled(False)
    with torch.autocast("cuda:0"):  # as PyTorch, which looks for a device of "cuda" alone
        assert torch.is_autocast_enabled()
    assert not torch.is_autocast_enabled()


@pytest.mark.parametrize("call, text", [
    (lambda: torch.set_autocast_enabled(), r"set_autocast_enabled\(\) received an invalid combination of arguments - got \(\)"),
    (lambda: torch.set_autocast_enabled(1), r"argument 'enabled' \(position 1\) must be bool, not int"),
    (lambda: torch.set_autocast_enabled(enabled=True, other=1), "received an invalid combination of arguments"),
    (lambda: torch.is_autocast_enabled(None), r"argument 'device_type' \(position 1\) must be str, not NoneType"),
    (lambda: torch.get_autocast_dtype(torch.device("cpu")), r"'device_type' \(position 1\) must be str, not torch.device"),
    (lambda: torch.set_autocast_cpu_enabled(1), r"enabled must be a bool \(got int\)"),
    (lambda: torch.set_autocast_gpu_dtype(1), r"dtype must be a torch.dtype \(got int\)"),
    (lambda: torch.set_autocast_cpu_enabled(), r"torch.set_autocast_cpu_enabled\(\) takes exactly one argument \(0 given\)"),
    (lambda: torch.is_autocast_cpu_enabled(1), r"torch.is_autocast_cpu_enabled\(\) takes no arguments \(1 given\)"),
    (lambda: torch.autocast("xpu", cache_enabled=1).__enter__(), r"enabled must be a bool \(got int\)"),
    (lambda: torch.amp.is_autocast_available(3), r"_is_autocast_available\(\): argument 'device_type' \(position 1\) must be"),
])
def test_wrong_arguments_of_functions_of_the_state(call, text):
    before = state()
    with pytest.raises(TypeError, match=text):
        call()
    assert state() == before


def test_old_names():
    with pytest.warns(DeprecationWarning, match=r"use torch.get_autocast_dtype\('cpu'\) instead"):
        assert torch.get_autocast_cpu_dtype() is bf16
    with pytest.warns(DeprecationWarning, match=r"use torch.set_autocast_enabled\('cpu', enabled\) instead"):
        torch.set_autocast_cpu_enabled(False)
    with pytest.warns(FutureWarning, match=r"use `torch.amp.autocast\('cpu', args...\)` instead"):
        region = torch.cpu.amp.autocast(dtype=f16)
    assert isinstance(region, torch.autocast) and region.fast_dtype is f16 and region.device == "cpu"
    with pytest.warns(FutureWarning, match=r"use `torch.amp.GradScaler\('cpu', args...\)` instead"):
        assert isinstance(torch.cpu.amp.GradScaler(), torch.amp.GradScaler)
    with pytest.warns(FutureWarning, match="custom_fwd"):
        torch.cuda.amp.custom_fwd(lambda ctx: ctx)
    with pytest.warns(FutureWarning, match="custom_bwd"):
        torch.cuda.amp.custom_bwd(lambda ctx: ctx)


# ---- custom functions ----

def function(cast_inputs=None):
    seen = []

    class Doubled(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type=KIND, cast_inputs=cast_inputs)
        def forward(ctx, x, others):
            seen.append((x.dtype, others["one"][0].dtype, torch.is_autocast_enabled(KIND)))
            return x * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type=KIND)
        def backward(ctx, grad):
            seen.append((torch.is_autocast_enabled(KIND), torch.get_autocast_dtype(KIND)))
            return grad * 2, None

    return Doubled, seen


def test_custom_functions_run_as_the_region_says():
    doubled, seen = function()
    x = torch.ones(2, requires_grad=True)
    with torch.autocast(KIND, dtype=f16):
        y = doubled.apply(x, {"one": [x.double()]})
    y.sum().backward()
    assert seen == [(f32, f64, True), (True, f16)] and x.grad.dtype is f32


def test_custom_functions_that_cast_their_inputs_run_without_autocast():
    doubled, seen = function(cast_inputs=f32)
    x = torch.ones(2, requires_grad=True)
    with torch.autocast(KIND, dtype=bf16):
        y = doubled.apply(x.bfloat16(), {"one": [x.bfloat16()]})
    y.sum().backward()
    assert seen == [(f32, f32, False), (False, bf16)] and y.dtype is f32
    doubled.apply(x.bfloat16(), {"one": [x.bfloat16()]})
    assert seen[-1] == (bf16, bf16, False)


def test_custom_functions_need_a_device_type():
    with pytest.raises(TypeError, match="device_type"):
        torch.amp.custom_fwd(lambda ctx: ctx)
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`, got: `<class 'int'>`"):
        torch.amp.custom_bwd(lambda ctx: ctx, device_type=3)


def test_custom_functions_keep_their_names():
    def forward(ctx, x, scale=1):
        """Doubles."""
        return x * 2 * scale

    for decorated in (torch.amp.custom_fwd(forward, device_type=KIND), torch.amp.custom_fwd(device_type=KIND)(forward)):
        assert decorated.__name__ == "forward" and decorated.__doc__ == "Doubles." and decorated.__wrapped__ is forward
        context = type("Context", (), {})()
        assert decorated(context, 3, scale=2) == 12 and context._fwd_used_autocast is False


def test_a_region_decorates_functions():
    region = torch.autocast(KIND, dtype=bf16)

    @region
    def where():
        return torch.is_autocast_enabled(KIND), torch.get_autocast_dtype(KIND)

    assert where() == (True, bf16) and where.__name__ == "where" and not torch.is_autocast_enabled(KIND)
    assert torch.amp.autocast_mode.autocast_decorator(region, where)() == (True, bf16)


def test_a_state_with_a_key_too_few_changes_nothing():
    scaler = torch.amp.GradScaler(KIND, init_scale=8.0)
    scaler.scale(torch.ones(1))
    state = scaler.state_dict() | {"scale": 2.0, "growth_factor": 5.0}
    del state["_growth_tracker"]
    with pytest.raises(KeyError, match="_growth_tracker"):
        scaler.load_state_dict(state)
    assert scaler.get_scale() == 8.0 and scaler.get_growth_factor() == 2.0


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_is_run_again_under_the_same_autocast(reentrant):
    weight = nn.Parameter(torch.full((3, 3), 0.3))
    x, seen = torch.full((2, 3), 0.7, requires_grad=True), []

    def part(x):
        seen.append(state())
        return torch.tanh(x @ weight) @ weight

    def gradients(run):
        weight.grad = x.grad = None
        with torch.autocast(KIND, dtype=bf16, cache_enabled=False):
            y = run()
        y.float().sum().backward()
        return weight.grad.clone(), x.grad.clone()

    expected = gradients(lambda: part(x))
    got = gradients(lambda: torch.utils.checkpoint.checkpoint(part, x, use_reentrant=reentrant))
    assert seen == [(True, bf16, False)] * 3 and all(torch.equal(a, b) for a, b in zip(got, expected))
    assert not state()[0]
    y = torch.utils.checkpoint.checkpoint(part, x, use_reentrant=reentrant)
    with torch.autocast(KIND, dtype=bf16):
        y.sum().backward()
    assert seen[-1][0] is False  # as the first run was


# ---- the scaler ----

def scaled(scaler, p, factor=2.0):
    p.grad = None
    scaler.scale((p * factor).sum()).backward()


def test_a_step_is_unscaled_and_the_scale_grows():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.SGD([p], 0.5), torch.amp.GradScaler(KIND, growth_interval=2)
    assert scaler.get_scale() == 65536.0 and scaler.stepped is None
    for _ in range(2):
        scaled(scaler, p)
        assert p.grad.tolist() == [131072.0] * 3
        assert scaler.step(optimizer) is None and scaler.stepped is True
        assert p.grad.tolist() == [2.0] * 3
        scaler.update()
    assert p.tolist() == [-1.0] * 3 and scaler.get_scale() == 131072.0
    assert scaler.log == [{"update": 2, "old": 65536.0, "new": 131072.0, "why": "grown"}]


def test_a_gradient_that_is_not_finite_skips_the_step():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.SGD([p], 0.5), torch.amp.GradScaler(KIND)
    scaled(scaler, p, float("inf"))
    assert scaler.step(optimizer) is None and scaler.stepped is False and p.tolist() == [1.0] * 3
    scaler.update()
    assert scaler.get_scale() == 32768.0
    (entry,) = scaler.log
    assert (entry["old"], entry["new"], entry["why"]) == (65536.0, 32768.0, "skipped")
    assert entry["parameters"] == ["parameter 0, float32[3]"] and entry["first"] is None
    scaled(scaler, p)
    scaler.step(optimizer)
    scaler.update()
    assert scaler.stepped is True and len(scaler.log) == 1


def test_a_fused_optimizer_unscales_by_itself():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.AdamW([p], fused=True), torch.amp.GradScaler(KIND)
    scaled(scaler, p, float("nan"))
    scaler.step(optimizer)
    scaler.update()
    assert scaler.stepped is False and p.tolist() == [1.0] * 3 and scaler.get_scale() == 32768.0
    scaled(scaler, p)
    scaler.step(optimizer)
    scaler.update()
    assert scaler.stepped is True and all(x < 1 for x in p.tolist())


@of_the_cpu
def test_what_a_fused_step_is_given():
    p = nn.Parameter(torch.ones(3))
    for kind, unscales in ((torch.optim.SGD, True), (torch.optim.Adam, True), (torch.optim.Adagrad, False)):
        assert getattr(kind([p], fused=True), "_step_supports_amp_scaling", False) is unscales
    optimizer, scaler = torch.optim.Adagrad([p], fused=True), torch.GradScaler(KIND)
    scaled(scaler, p)
    optimizer.grad_scale, optimizer.found_inf = torch.tensor(2.0), torch.tensor(1.0)
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 0.0 and p.tolist() == [1.0] * 3  # it did not step
    optimizer, scaler = torch.optim.SGD([p], 1.0, fused=True), torch.amp.GradScaler(KIND, 8.0)
    scaled(scaler, p)
    optimizer.grad_scale = 2.0  # of the user's own: both divide
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [0.0] * 3 and not hasattr(optimizer, "grad_scale")
    p.grad = None
    scaler.scale(torch.ones(()))
    scaler.unscale_(optimizer)
    p.grad = torch.ones(3)  # after the gradients were looked at
    with pytest.raises(AttributeError, match="'int' object has no attribute 'device'"):
        scaler.step(optimizer)


def test_messages_of_the_scaler():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.SGD([p], 0.5), torch.amp.GradScaler(KIND)
    for name, call in (("step", lambda: scaler.step(optimizer)), ("unscale_", lambda: scaler.unscale_(optimizer)),
                       ("update", scaler.update)):
        with pytest.raises(AssertionError, match=f"Attempted {name} but _scale is None.  This may indicate your script did not "
                                                 r"use scaler.scale\(loss or outputs\) earlier in the iteration."):
            call()
    loss = scaler.scale((p * 2).sum())
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer."):
        scaler.step(optimizer)
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update."):
        scaler.update()
    scaler = torch.amp.GradScaler(KIND)
    scaled(scaler, p)
    with pytest.raises(RuntimeError, match="Closure use is not currently supported if GradScaler is enabled."):
        scaler.step(optimizer, closure=lambda: loss)
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) has already been called on this optimizer since the last update\(\)."):
        scaler.unscale_(optimizer)
    with pytest.raises(AssertionError, match="may only be pickled at the beginning of an iteration"):
        pickle.dumps(scaler)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called since the last update\(\)."):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step\(\)."):
        scaler.unscale_(optimizer)
    with pytest.raises(ValueError, match="outputs must be a Tensor or an iterable of Tensors"):
        scaler.scale(3)
    with pytest.raises(RuntimeError, match="The source state dict is empty"):
        scaler.load_state_dict({})
    with pytest.raises(AssertionError, match="The growth factor must be > 1.0."):
        torch.amp.GradScaler(KIND, growth_factor=1)
    with pytest.raises(AssertionError, match="The backoff factor must be < 1.0."):
        torch.amp.GradScaler(KIND, backoff_factor=1)
    q = nn.Parameter(torch.ones(3, dtype=f16))
    scaler = torch.amp.GradScaler(KIND)
    scaled(scaler, q)
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients."):
        scaler.unscale_(torch.optim.SGD([q], 0.5))


def test_the_scale_can_be_set():
    scaler, one = torch.amp.GradScaler(KIND), torch.ones((), requires_grad=True)
    assert [t.item() for t in scaler.scale([one, one])] == [65536.0] * 2 and scaler.scale((one, [one]))[1][0].item() == 65536.0
    scaler.update(8.0)
    scaler.update(torch.full((), 4.0))
    assert scaler.get_scale() == 4.0 and [entry["why"] for entry in scaler.log] == ["set", "set"]
    with pytest.raises(AssertionError, match="new_scale should be a float or a 1-element"):
        scaler.update(torch.ones(2))
    with pytest.raises(AssertionError, match="new_scale should be a float or a 1-element"):
        scaler.update(one)


def test_the_state_of_a_scaler_travels():
    scaler = torch.amp.GradScaler(KIND, 8.0, 3.0, 0.25, 7)
    scaler.scale(torch.ones(()))
    saved = scaler.state_dict()
    assert saved == {"scale": 8.0, "growth_factor": 3.0, "backoff_factor": 0.25, "growth_interval": 7, "_growth_tracker": 0}
    for other in (torch.amp.GradScaler(KIND), pickle.loads(pickle.dumps(scaler)), copy.deepcopy(scaler)):
        other.load_state_dict(saved)
        assert other.state_dict() == saved and other.scale(torch.ones(())).item() == 8.0
        assert (other.get_growth_factor(), other.get_backoff_factor(), other.get_growth_interval()) == (3.0, 0.25, 7)
    assert b"_refresh_per_optimizer_state" in pickle.dumps(scaler)  # public code imports it, too


def test_a_disabled_scaler_does_nothing():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.SGD([p], 0.5), torch.amp.GradScaler(KIND, enabled=False)
    loss = (p * 2).sum()
    assert scaler.scale(loss) is loss and scaler.get_scale() == 1.0 and scaler.state_dict() == {}
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert p.tolist() == [0.0] * 3 and scaler.load_state_dict({}) is None


class Exploding(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 4)

    def forward(self, x, factor):
        masked = self.body(x).masked_fill(x > 5, float("-inf"))  # meant
        return self.head(torch.exp(masked * factor))  # the line that the log names


def run_of(losses_overflow):
    """Three steps in float16, the first two too large."""
    torch.manual_seed(1)
    net = Exploding()
    optimizer, scaler = torch.optim.SGD(net.parameters(), 0.001), torch.amp.GradScaler(KIND, init_scale=losses_overflow)
    x = torch.full((2, 4), 2.0)
    x[0, 0] = 6.0
    stepped = []
    for step in range(3):
        factor = 60.0 if losses_overflow == 1.0 and step < 2 else 1.0
        optimizer.zero_grad()
        with torch.autocast(KIND, dtype=f16):
            loss = net(x, factor).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        stepped.append(scaler.stepped)
    return scaler.log, stepped


@of_the_cpu
def test_the_log_names_the_layer_and_the_line_of_a_forward_overflow():
    log, stepped = run_of(1.0)
    assert stepped == [False, False, True]
    assert [entry["why"] for entry in log] == ["skipped", "skipped"] and log[0]["first"] is None
    first = log[1]["first"]
    assert (first["op"], first["backward"], first["value"]) == ("exp", False, "inf")
    lines = open(__file__, encoding="utf-8").readlines()
    assert first["file"].endswith("test_amp.py") and "the line that the log names" in lines[first["line"] - 1]
    assert "head.weight" in log[1]["parameters"]


@of_the_cpu
def test_the_log_names_the_node_of_a_backward_overflow():
    log, stepped = run_of(2.0**30)
    assert stepped == [False, False, False]
    first = log[1]["first"]
    assert first["backward"] and first["value"] == "inf" and first["op"].endswith("Backward0")
    assert first["file"].endswith("test_amp.py")


def test_nothing_is_searched_before_a_skip():
    torch._karat.search_not_finite(True)
    torch._karat.search_not_finite(False)
    with torch.autocast(KIND, dtype=f16):
        torch.ones(1) / torch.zeros(1)
    assert torch._karat.first_not_finite() is None


def test_a_search_ends_with_its_scaler():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.SGD([p], 0.5), torch.amp.GradScaler(KIND)
    hooks = len(torch.nn.modules.module._global_forward_pre_hooks)
    scaled(scaler, p, float("inf"))
    scaler.step(optimizer)
    scaler.update()
    assert len(torch.nn.modules.module._global_forward_pre_hooks) == hooks + 1
    del scaler
    gc.collect()
    torch.ones(1) / torch.zeros(1)
    assert len(torch.nn.modules.module._global_forward_pre_hooks) == hooks and torch._karat.first_not_finite() is None


# ---- the report ----

def report_of(run, **options):
    with torch.autocast(KIND, **{"dtype": bf16, **options}) as region:
        run()
    return region.report()


@of_the_cpu
def test_the_report_names_operators_classes_and_conversions():
    linear, x = nn.Linear(4, 4), torch.ones(2, 4)

    def run():
        for _ in range(3):
            y = linear(x)
        torch.cat([y, x])
        torch.nn.functional.mse_loss(y, y.detach())
        y + y
        with torch.autocast(KIND, dtype=f16):
            x @ x.T

    text = report_of(run)
    lines = text.split("\n")
    assert lines[0] == "autocast on cpu, lowering to bfloat16"
    table = {line.split()[0]: line.split()[1:4] for line in lines if " times  " in line}
    assert table["linear"] == ["bfloat16", "3", "times"] and table["cat"][0] == "float32" and table["mse_loss"][0] == "float32"
    assert table["add"][:2] == ["bfloat16", "1"] and table["matmul"][:2] == ["float16", "1"]
    assert "linear    bfloat16       3 times  lower:" in text and "widest:" in text and "as it comes:" in text
    assert "test_amp.py:" in text and "linear: float32 to bfloat16 (autocast), 5 times" in text  # weight and bias once
    assert "mistakes:" not in text


@of_the_cpu
def test_the_report_says_what_a_result_was_converted_to():
    narrow, wide = torch.ones(3, dtype=f16), torch.ones(3)

    def run():
        narrow.add_(wide)
        torch.mul(narrow, 2, out=wide)

    text = report_of(run)
    assert "add: float32 to float16 (result), 1 times, 12 bytes" in text and "add: float16 to float32 (promotion)" in text
    assert "mul: float16 to float32 (result), 1 times, 6 bytes" in text


def mistakes_in(text):
    return text.partition("mistakes:\n")[2]


@of_the_cpu
def test_mistakes_are_named(monkeypatch):
    monkeypatch.setattr(torch.amp._report, "scalers", weakref.WeakSet())  # none of other tests
    x = torch.ones(2, 4)
    halved = nn.Linear(4, 4).bfloat16()
    assert "weights of 16 bits: linear at test_amp.py:" in mistakes_in(report_of(lambda: halved(x)))
    p = nn.Parameter(torch.ones(4, 4))
    assert "backward under autocast: it ran inside the region, at test_amp.py:" in mistakes_in(
        report_of(lambda: (x @ p).sum().backward()))
    assert "float16 without a scaler" in mistakes_in(report_of(lambda: x @ p, dtype=f16))
    scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD([p], 0.1)
    assert not mistakes_in(report_of(lambda: x @ p, dtype=f16))
    with torch.autocast("cpu") as region:
        x @ p
    scaled(scaler, p)
    nn.utils.clip_grad_norm_([p], 1.0)
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_([p], 1.0)
    scaler.step(optimizer)
    scaler.update()
    text = mistakes_in(region.report())
    assert text.count("clipping before unscale_: the gradients are still multiplied by the scale at test_amp.py:") == 1
    assert "a scaler without autocast" not in text
    scaled(scaler, p)
    scaler.step(optimizer)
    scaler.update()
    assert "a scaler without autocast" in mistakes_in(region.report()) and len(scaler.mistakes) == 2


@of_the_cpu
def test_a_report_of_a_region_that_is_used_again_counts_on():
    x, region = torch.ones(2, 2), torch.autocast("cpu")
    for _ in range(5):
        with region:
            x @ x
    assert "5 times  lower:" in region.report()


@of_the_cpu
def test_lists_can_be_read_and_edited_for_a_thread():
    import threading

    lists, x = torch.amp.lists, torch.ones(2, 2)
    assert lists["cpu"]["matmul"] == "lower" and lists["cuda"]["softmax"] == "float32 result" and "exp" not in lists["cpu"]
    assert "cpu, lower: " in str(lists) and "cuda, refused: " in repr(lists["cuda"])
    seen = {}

    def edit():
        lists["cpu"]["matmul"] = "float32"
        lists["cpu"]["exp"] = "lower"
        del lists["cpu"]["bmm"]
        with torch.autocast("cpu"):
            seen.update(matmul=(x @ x).dtype, exp=torch.exp(x).dtype, bmm=torch.bmm(x[None], x[None]).dtype)
        for op, class_, text in (("matmul", "refused", "can be set to"), ("no_such", "lower", "not an operator of the table")):
            with pytest.raises(ValueError, match=text):
                lists["cpu"][op] = class_
        with pytest.raises(KeyError):
            lists["cpu"]["no_such"]

    thread = threading.Thread(target=edit)
    thread.start()
    thread.join()
    assert seen == {"matmul": f32, "exp": bf16, "bmm": f32}
    with torch.autocast("cpu"):
        assert (x @ x).dtype is bf16 and torch.exp(x).dtype is f32
    assert lists["cpu"]["matmul"] == "lower"


# ---- float8 ----

def test_products_of_float8_matrices_with_scales():
    torch.manual_seed(3)
    e4m3 = torch.float8_e4m3fn
    a, b = torch.randn(8, 16).to(e4m3), torch.randn(8, 16).to(e4m3).t()
    two, three, bias = torch.tensor(2.0), torch.tensor(3.0), torch.ones(8)
    exact = a.float() @ b.float() * 6.0
    assert torch._scaled_mm(a, b, two, three).dtype is e4m3
    assert torch.equal(torch._scaled_mm(a, b, two, three, out_dtype=f32), exact)
    assert torch.equal(torch._scaled_mm(a, b, two, three, bias=bias, out_dtype=bf16), (exact + 1).to(bf16))
    assert torch.equal(torch._scaled_mm(a, b, two, three, out=torch.empty(8, 8)), exact)
    halved = torch._scaled_mm(a, b, two, three, scale_result=two, out_dtype=e4m3)
    assert torch.equal(halved.float(), (exact / 2).to(e4m3).float())
    for wrong, text in ((lambda: torch._scaled_mm(a.float(), b, two, three), "Expected mat1 to be Float8 matrix got Float"),
                        (lambda: torch._scaled_mm(a, b.to(bf16), two, three), "Expected mat2 to be Float8 matrix got BFloat16"),
                        (lambda: torch._scaled_mm(a, b.t(), two, three), r"cannot be multiplied \(8x16 and 8x16\)"),
                        (lambda: torch._scaled_mm(a[0], b, two, three), "mat1 must be a matrix"),
                        (lambda: torch._scaled_mm(a, b, bias, three), "only supports per-tensor scaling"),
                        (lambda: torch._scaled_mm(a, b, two, three, bias=bias[:3]), "Bias must be size 8 but got 3"),
                        (lambda: torch._scaled_mm(a, b, two, three, scale_result=bias), "scale_result must be a float scalar"),
                        (lambda: torch._scaled_mm(a, b, two, three, scale_result=two.double()), "scale_result must be a float"),
                        (lambda: torch._scaled_mm(a, b, two, three, out_dtype=f32, out=torch.empty(8, 8, dtype=bf16)),
                         "out_dtype must match output matrix type")):
        with pytest.raises(RuntimeError, match=text):
            wrong()


# ---- steps in float32 ----

def steps_of(p, n, lr=1e-4, **options):
    optimizer = torch.amp.step_in_float32(torch.optim.SGD([p], lr), **options)
    for _ in range(n):
        p.grad = torch.ones_like(p)
        optimizer.step()
    return optimizer


@pytest.mark.parametrize("dtype", [bf16, f16])
def test_masters_keep_small_steps(dtype):
    lost, kept = nn.Parameter(torch.ones(64, dtype=dtype)), nn.Parameter(torch.ones(64, dtype=dtype))
    plain = torch.optim.SGD([lost], 1e-4)
    for _ in range(200):
        lost.grad = torch.ones_like(lost)
        plain.step()
    optimizer = steps_of(kept, 200)
    assert lost.tolist() == [1.0] * 64  # each step is rounded away
    assert kept.dtype is dtype and kept.grad.dtype is dtype and abs(kept.float().mean().item() - 0.98) < 0.005
    assert optimizer.state[kept]["float32_master"].dtype is f32


@of_the_cpu
def test_stochastic_rounding_keeps_the_mean_of_small_steps():
    torch.manual_seed(7)
    p = nn.Parameter(torch.ones(20000, dtype=bf16))
    optimizer = steps_of(p, 50, masters=False, rounding="stochastic")
    assert abs(p.float().mean().item() - 0.995) < 0.0005 and len(set(p.tolist())) > 1 and not optimizer.state[p]


@of_the_cpu
@pytest.mark.parametrize("kind, options", [
    (kind, options) for kind in ("SGD", "Adam", "AdamW", "Adagrad") for options in ({}, {"foreach": True}, {"fused": True})])
def test_every_way_of_a_step_can_be_one_in_float32(kind, options):
    torch.manual_seed(2)
    p, exact = nn.Parameter(torch.ones(20000, dtype=bf16)), nn.Parameter(torch.ones(20000))
    make = getattr(torch.optim, kind)
    narrow = torch.amp.step_in_float32(make([p], lr=1e-4, **options), masters=False, rounding="stochastic")
    wide = make([exact], lr=1e-4, **options)
    for _ in range(50):
        p.grad, exact.grad = torch.ones_like(p), torch.ones_like(exact)
        narrow.step()
        wide.step()
    assert abs(p.float().mean().item() - exact.mean().item()) < 3e-4
    assert all(value.dtype is f32 for value in narrow.state[p].values())


def test_stochastic_rounding_draws_from_the_default_generator():
    x, made = torch.full((1000,), 1.001), []
    for seed in (5, None, 5):
        if seed is not None:
            torch.manual_seed(seed)
        made.append(x.to(bf16, rounding="stochastic"))
    assert torch.equal(made[0], made[2]) and not torch.equal(made[0], made[1])


def test_states_are_float32_and_travel():
    torch.manual_seed(1)
    p = nn.Parameter(torch.randn(8).bfloat16())
    data = p.data
    optimizer = torch.amp.step_in_float32(torch.optim.AdamW([p], 0.01))

    def step(p, optimizer):
        p.grad = torch.arange(8.0).bfloat16() - 3
        optimizer.step()

    step(p, optimizer)
    assert p.data.data_ptr() == data.data_ptr() and optimizer.state[p]["exp_avg"].dtype is f32
    q = nn.Parameter(p.detach().clone())
    other = torch.amp.step_in_float32(torch.optim.AdamW([q], 0.01))
    other.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert {key: value.dtype for key, value in other.state[q].items()} == {
        "step": f32, "exp_avg": f32, "exp_avg_sq": f32, "float32_master": f32}
    for _ in range(5):
        step(p, optimizer)
        step(q, other)
    assert torch.equal(p, q)
    assert torch.equal(optimizer.state[p]["float32_master"], other.state[q]["float32_master"])


def test_what_step_in_float32_refuses():
    p = nn.Parameter(torch.ones(2, dtype=bf16))
    with pytest.raises(ValueError, match='rounding is "nearest" or "stochastic", not \'up\''):
        torch.amp.step_in_float32(torch.optim.SGD([p], 0.1), rounding="up")
    optimizer = torch.amp.step_in_float32(torch.optim.SGD([p], 0.1))
    with pytest.raises(RuntimeError, match="a closure would run with float32 parameters"):
        optimizer.step(lambda: p.sum())
    p.grad = torch.ones_like(p)
    optimizer.param_groups[0]["lr"] = "no number"
    with pytest.raises(Exception):
        optimizer.step()
    assert p.dtype is bf16 and p.grad.dtype is bf16 and p.tolist() == [1.0, 1.0]
    used = torch.optim.SGD([p], 0.1, momentum=0.9)
    p.grad = torch.ones_like(p)
    used.step()
    with pytest.raises(RuntimeError, match="has states already"):
        torch.amp.step_in_float32(used)


# ---- found by trying ----

def test_regions_can_be_copied_and_left_elsewhere():
    import threading

    region = torch.autocast(KIND, dtype=bf16)
    with region:
        torch.ones(2, 2) @ torch.ones(2, 2)
    for copied in (copy.deepcopy(region), pickle.loads(pickle.dumps(region))):
        with copied:
            assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is bf16
    with pytest.raises(AttributeError, match="'autocast' object has no attribute 'prev'"):
        torch.autocast(KIND, dtype=bf16).__exit__(None, None, None)
    with pytest.raises(TypeError, match=r"argument 'enabled' \(position 2\) must be bool, not str"):
        torch.autocast(KIND, dtype=bf16, enabled="no").__enter__()
    entered, before = torch.autocast(KIND, dtype=bf16), state()
    entered.__enter__()
    thread = threading.Thread(target=entered.__exit__, args=(None, None, None))
    thread.start()
    thread.join()
    torch.set_autocast_enabled(KIND, before[0])
    torch.set_autocast_dtype(KIND, before[1])
    torch.autocast_decrement_nesting()


@of_the_cpu
@pytest.mark.parametrize("dtype", [bf16, f16])
def test_padding_at_edges_is_float32_under_autocast(dtype):
    pad, x = torch.nn.functional.pad, torch.ones(1, 4, 3, 3, dtype=dtype)
    with torch.autocast("cpu"):
        assert [pad(x, (1, 1, 1, 1), mode).dtype for mode in ("reflect", "replicate")] == [f32, f32]
        assert [pad(x, (1, 1, 1, 1), mode).dtype for mode in ("constant", "circular")] == [dtype, dtype]
        assert torch.nn.functional.local_response_norm(x, 2).dtype is f32


@of_the_cpu
def test_a_pinned_norm_runs_in_its_dtype():
    for layer, x in ((nn.LayerNorm(4), torch.ones(2, 4)), (nn.BatchNorm1d(4), torch.randn(8, 4))):
        with torch.autocast("cpu") as region:
            assert layer(x.bfloat16()).dtype is bf16
            torch.pin_dtype(layer)
            assert layer(x.bfloat16()).dtype is f32
        assert "pinned: the dtype of an operand is pinned" in region.report()


@of_the_cpu
def test_inference_in_float16_needs_no_scaler(monkeypatch):
    monkeypatch.setattr(torch.amp._report, "scalers", weakref.WeakSet())
    linear = nn.Linear(4, 4)
    with torch.no_grad():
        assert "mistakes" not in report_of(lambda: linear(torch.ones(2, 4)), dtype=f16)
    assert "float16 without a scaler" in report_of(lambda: linear(torch.ones(2, 4)), dtype=f16)


def test_the_log_is_bounded_and_every_skip_is_searched():
    p = nn.Parameter(torch.ones(3))
    optimizer, scaler = torch.optim.SGD([p], 0.5), torch.amp.GradScaler(KIND)
    for _ in range(1010):
        scaled(scaler, p, float("inf"))
        scaler.step(optimizer)
        scaler.update()
    assert len(scaler.log) == 1000 and scaler.log[-1]["update"] == 1010

    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self, x):
            return (self.weight * x).sum()

    net, scaler = Doubled(), torch.amp.GradScaler(KIND)
    optimizer = torch.optim.SGD(net.parameters(), 0.5)
    for _ in range(3):
        optimizer.zero_grad()
        scaler.scale(net(float("inf"))).backward()
        scaler.step(optimizer)
        scaler.update()
    assert [entry["parameters"] for entry in scaler.log] == [["parameter 0, float32[3]"], ["weight"], ["weight"]]


def test_the_two_lists_cannot_be_replaced():
    with pytest.raises(TypeError, match="does not support item assignment"):
        torch.amp.lists["cpu"] = 3
    with pytest.raises(TypeError, match="item deletion"):
        del torch.amp.lists["cuda"]
