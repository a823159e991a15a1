"""Policies as scopes: what each rung accepts, nesting, threads, the process default."""

import os
import subprocess
import sys

import pytest

import karat


def test_names_and_nesting():
    assert karat.get_policy() == "torch"
    with karat.policy("strict"):
        assert karat.get_policy() == "strict"
        with karat.policy("permissive"):
            assert karat.get_policy() == "permissive"
        assert karat.get_policy() == "strict"
    assert karat.get_policy() == "torch"


def test_an_exception_puts_the_policy_back():
    with pytest.raises(KeyError):
        with karat.policy("safe"):
            raise KeyError
    assert karat.get_policy() == "torch"


def test_unknown():
    with pytest.raises(ValueError, match="policy must be .* not 'loose'"):
        karat.policy("loose")
    assert karat.get_policy() == "torch"


def test_a_scope_may_be_entered_again():
    strict = karat.policy("strict")
    with strict:
        with strict:
            pass
        assert karat.get_policy() == "strict"
    assert karat.get_policy() == "torch"


def test_the_ladder():
    a, b = karat.ones(2), karat.arange(2)
    h = karat.ones(2, 2).half()
    with karat.policy("strict"):
        with pytest.raises((RuntimeError, TypeError)):
            a + b
        assert (a + 1.5).dtype is karat.float32  # numbers never force a conversion
        assert b.to(karat.float32).dtype is karat.float32  # asked for
    with karat.policy("safe"):
        with pytest.raises((RuntimeError, TypeError)):
            a + b
        assert (a + karat.ones(2).half()).dtype is karat.float32
    assert (a + b).dtype is karat.float32
    with karat.policy("permissive"):
        assert (karat.ones(2, 2) @ h).dtype is karat.float32


def test_as_a_decorator():
    @karat.policy("strict")
    def inside():
        return karat.get_policy()

    assert inside() == "strict" and karat.get_policy() == "torch"


def test_the_process_default():
    script = "import karat; print(karat.get_policy())"
    done = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "KARAT_POLICY": "safe"}, capture_output=True, text=True
    )
    assert done.stdout.strip() == "safe", done.stderr


def test_version():
    assert karat.__version__.count(".") == 2
    assert isinstance(karat._karat.isa, str)


MODES = {"no_grad": False, "enable_grad": True, "inference_mode": False}


@pytest.mark.parametrize("name", MODES)
def test_generators_run_in_the_mode_and_their_callers_do_not(name):
    mode, inside, outside = getattr(karat, name), MODES[name], not MODES[name]
    on = karat.is_grad_enabled
    closed = []

    @mode()
    def steps(a, b=2):
        assert on() is inside
        x = yield a + b
        assert on() is inside
        try:
            yield x
        except ValueError as error:
            yield str(error), on()
        try:
            yield on()
        finally:
            closed.append(on())

    @mode
    def ends():
        with karat.set_grad_enabled(outside):
            yield on()
        return on()

    with karat.set_grad_enabled(outside):
        it = steps(1)
        assert next(it) == 3 and on() is outside
        assert it.send("sent") == "sent" and on() is outside
        assert it.throw(ValueError("thrown")) == ("thrown", inside) and on() is outside
        assert next(it) is inside and on() is outside
        it.close()
        assert closed == [inside] and on() is outside
        it = ends()
        assert next(it) is outside and on() is outside
        with pytest.raises(StopIteration) as end:
            next(it)
        assert end.value.value is inside and on() is outside
        it = steps(1)
        it.close()  # not begun
        with pytest.raises(TypeError):
            next(steps())


def test_a_decorated_coroutine_function_is_like_any_function():
    import asyncio

    seen = []

    @karat.no_grad()
    async def work(n):
        for _ in range(n):
            seen.append(karat.is_grad_enabled())
            await asyncio.sleep(0)
        return n

    assert not asyncio.iscoroutinefunction(work)

    async def both():
        first = asyncio.ensure_future(work(3))
        for _ in range(5):
            assert karat.is_grad_enabled()
            await asyncio.sleep(0)
        return await first

    assert asyncio.run(both()) == 3 and seen == [True] * 3 and karat.is_grad_enabled()


def test_a_decorated_class_warns():
    for decorate in (karat.no_grad(), karat.enable_grad, karat.inference_mode(), karat.set_grad_enabled(True)):
        with pytest.warns(FutureWarning, match="^Decorating classes is deprecated"):
            @decorate
            class Made:
                def __init__(self):
                    self.on = karat.is_grad_enabled()
        assert isinstance(Made().on, bool)


def test_clones_and_modes_told():
    assert karat.inference_mode().mode is True and karat.set_grad_enabled(True).clone().mode is True
    assert isinstance(karat.no_grad().clone(), karat.autograd.grad_mode.no_grad)
    with karat.autograd._force_original_view_tracking(True) as scope:
        assert scope.mode is True


@pytest.fixture
def deterministic():
    karat.use_deterministic_algorithms(True)
    yield
    karat.use_deterministic_algorithms(False)
    karat.utils.deterministic.fill_uninitialized_memory = True


def test_deterministic_memory(deterministic):
    x = karat.ones(2)
    for t in (karat.empty(3), karat.empty_like(x), x.new_empty(3), karat.Tensor(3), x.new(3), karat.empty(2, 2).t(),
              karat.empty(3, dtype=karat.bfloat16), karat.empty(3, dtype=karat.float8_e5m2)):
        assert t.float().isnan().all() and t._version == 0
    assert karat.empty(2, dtype=karat.int8).tolist() == [127, 127] and karat.empty(1, dtype=karat.bool).item() is True
    assert karat.empty(1, dtype=karat.uint64).item() == 2**64 - 1 and karat.empty(1, dtype=karat.complex64).real.isnan().item()
    assert karat.ones(2).resize_(4)[2:].isnan().all() and karat.ones(2).resize_(4)[:2].tolist() == [1.0, 1.0]
    assert karat.ones(2, dtype=karat.int64).resize_(3).tolist() == [1, 1, 2**63 - 1]
    karat.utils.deterministic.fill_uninitialized_memory = False
    assert karat.ones(2).resize_(2).tolist() == [1.0, 1.0] and karat.empty(3).shape == (3,)
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        karat.utils.deterministic.fill_uninitialized_memory = 3


def test_deterministic_refusals(deterministic):
    x, at = karat.ones(3), karat.tensor([0])
    for put in (x.put_, x.put):
        with pytest.raises(RuntimeError, match="^put_ does not have a deterministic implementation, but you set"):
            put(at, karat.tensor([5.0]))
    assert x.put_(at, karat.tensor([5.0]), accumulate=True).tolist() == [6.0, 1.0, 1.0]
    for dims, kernel in ((1, "2d"), (2, "2d"), (3, "3d")):
        values, places = karat.ones((1, 1) + (1,) * dims), karat.zeros((1, 1) + (1,) * dims, dtype=karat.int64)
        with pytest.raises(RuntimeError, match=f"^max_unpooling{kernel}_forward_out does not have a deterministic"):
            getattr(karat.nn, f"MaxUnpool{dims}d")(2)(values, places)
    mask = karat.tensor([True, False, True])  # what is made of put_ does not ask, nor do gradients
    y = karat.ones(3, requires_grad=True)
    y.masked_scatter(mask, karat.zeros(2)).sum().backward()
    karat.nn.functional.rrelu(y, training=True).sum().backward()
    assert y.grad.tolist() == [1.0, 2.0, 1.0]
    karat.use_deterministic_algorithms(True, warn_only=True)
    with pytest.warns(UserWarning, match="^put_ does not have a deterministic implementation"):
        assert x.put_(at, karat.tensor([5.0])).tolist() == [5.0, 1.0, 1.0]
    told = karat.is_deterministic_algorithms_warn_only_enabled
    for mode, only, debug in ((False, False, 0), (False, True, 0), (True, True, 1), (True, False, 2)):
        karat.use_deterministic_algorithms(mode, warn_only=only)
        assert (karat.are_deterministic_algorithms_enabled(), told()) == (mode, only)
        assert karat.get_deterministic_debug_mode() == debug
    for bad in ({"mode": 1}, {"mode": True, "warn_only": None}):
        with pytest.raises(TypeError, match="must be bool, not"):
            karat.use_deterministic_algorithms(**bad)
