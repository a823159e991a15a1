"""Random numbers in Python: seeds, generators, states, and overloads of what draws. The numbers are PyTorch 2.11's."""

import copy
import gc

import pytest

import karat as torch


def same(a, b):
    return a.tolist() == b.tolist()


@pytest.mark.not_on_a_gpu("numbers and states of the CPU's generator")
def test_a_seed_gives_pytorchs_numbers():
    assert torch.manual_seed(42) is torch.default_generator
    assert [round(x, 4) for x in torch.rand(4).tolist()] == [0.8823, 0.9150, 0.3829, 0.9593]
    torch.manual_seed(0)
    assert [round(x, 4) for x in torch.randn(4).tolist()] == [1.5410, -0.2934, -2.1788, 0.5684]
    torch.manual_seed(0)
    assert torch.randint(0, 100, (8,)).tolist() == [44, 39, 33, 60, 63, 79, 27, 3]


@pytest.mark.not_on_a_gpu("numbers and states of the CPU's generator")
def test_generators_are_streams_of_their_own():
    g, h = torch.Generator().manual_seed(7), torch.Generator()
    h.manual_seed(7)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    for draw in (
        lambda g: torch.rand(2, 3, generator=g),
        lambda g: torch.randperm(5, generator=g),
        lambda g: torch.randint(0, 100, (3,), generator=g),
        lambda g: torch.randint(high=9, size=(3,), generator=g),
        lambda g: torch.normal(torch.ones(3), 2.0, generator=g),
        lambda g: torch.normal(1.0, torch.ones(3), generator=g),
        lambda g: torch.normal(0.0, 1.0, (3,), generator=g),
        lambda g: torch.bernoulli(torch.ones(3) / 2, generator=g),
        lambda g: torch.bernoulli(torch.ones(3), 0.5, generator=g),
        lambda g: torch.empty(3).bernoulli_(generator=g),
        lambda g: torch.empty(3).bernoulli_(torch.ones(3) / 2, generator=g),
        lambda g: torch.empty(3).random_(5, generator=g),
        lambda g: torch.empty(3).random_(2, 5, generator=g),
        lambda g: torch.empty(3).random_(2, None, generator=g),
        lambda g: torch.empty(3).uniform_(-1, 1, generator=g),
        lambda g: torch.multinomial(torch.ones(4), 2, generator=g),
    ):
        assert same(draw(g), draw(h))
    assert same(torch.get_rng_state(), before)
    assert g.initial_seed() == 7 and g.device == torch.device("cpu")


@pytest.mark.not_on_a_gpu("numbers and states of the CPU's generator")
def test_states():
    torch.manual_seed(3)
    torch.randn(3)
    state = torch.get_rng_state()
    assert state.dtype == torch.uint8 and state.shape == (5056,)
    first = torch.randn(20)
    torch.set_rng_state(state)
    assert same(torch.randn(20), first)
    g = torch.Generator().manual_seed(1)
    for twin in (g.clone_state(), copy.copy(g)):
        assert same(torch.rand(3, generator=twin), torch.rand(3, generator=torch.Generator().manual_seed(1)))
    with torch.random.fork_rng():
        inside = torch.rand(3)
    assert same(torch.rand(3), inside)


def test_seeds():
    assert torch.Generator().initial_seed() == 67280421310721
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1
    assert torch.manual_seed(1.7).initial_seed() == 1
    assert torch.seed() == torch.initial_seed() == torch.random.initial_seed()
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.manual_seed(2**64)
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got float"):
        torch.Generator().manual_seed(1.5)


@pytest.mark.not_on_a_gpu("numbers and states of the CPU's generator")
def test_normal_draws_into_out_as_it_is():
    mean, std = torch.tensor([10.0, 20.0, 30.0]), torch.tensor([1.0, 2.0, 3.0])

    def drawn(*args, out):
        torch.manual_seed(3)
        return [round(x, 4) for x in torch.view_as_real(torch.normal(*args, out=out).to(torch.complex64)).flatten().tolist()]

    row = [11.6066, 0, 20.3497, 0, 30.178, 0]
    assert drawn(mean, 2.0, out=torch.empty(3)) == drawn(mean.int(), 2.0, out=torch.empty(3)) == row
    assert drawn(mean, 2.0, out=torch.empty(2, 3)) == [*row, 8.7726, 0, 20.0924, 0, 27.2635, 0]  # as many as out has
    assert drawn(mean, 2.0, out=torch.empty(3, dtype=torch.complex64)) == [11.136, 0.2473, 20.1258, -0.8679, 30.0653, -1.935]
    assert drawn(0.0, std, out=torch.empty(3, dtype=torch.complex64)) == [0.568, 0.1236, 0.1258, -0.8679, 0.098, -2.9025]
    assert drawn(mean, std.int(), out=torch.empty(3, dtype=torch.float64))[2:] == [20.3497, 0, 30.2669, 0]
    turned = drawn(torch.zeros(5, 4), 1.0, out=torch.empty(4, 5).t())
    assert turned[:2] == [0.8033, 0] and turned != drawn(torch.zeros(5, 4), 1.0, out=torch.empty(5, 4))


def test_normal_refuses_what_out_cannot_be():
    mean = torch.zeros(3)
    for out in (torch.empty(0), torch.empty(2), torch.empty(4, dtype=torch.int32)):
        with pytest.raises(RuntimeError, match="The size of tensor a \\(3\\) must match the size of tensor b"):
            torch.normal(mean, 1.0, out=out)
    for args in ((mean, 1.0), (0.0, mean), (mean, mean)):
        with pytest.raises(NotImplementedError, match="\"normal_kernel_cpu\" not implemented for 'Int'"):
            torch.normal(*args, out=torch.empty(3, dtype=torch.int32))
    out = torch.zeros(3)
    with pytest.raises(RuntimeError, match="result type ComplexFloat can't be cast to the desired output type Float"):
        torch.normal(mean.to(torch.complex64), 1.0, out=out)
    assert out.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.normal(mean, 1.0, out=torch.empty(1).expand(3))


def test_mistakes():
    g = torch.Generator()
    for state, error, text in (
        (5, TypeError, "expected a torch.ByteTensor, but got int"),
        (torch.zeros(5056), TypeError, "RNG state must be a torch.ByteTensor"),
        (torch.zeros(9).byte().cpu(), RuntimeError, "Expected a CPUGeneratorImplState of size 5056 but found the input"),
        (torch.zeros(5056).byte().cpu(), RuntimeError, "Invalid mt19937 state"),
    ):
        with pytest.raises(error, match=text):
            g.set_state(state)
    with pytest.raises(TypeError):
        torch.rand(3, generator=5)
    with pytest.raises(RuntimeError, match="META device type not an accelerator."):
        torch.Generator("meta")
    with pytest.raises(RuntimeError, match="dropout probability has to be between 0 and 1, but got nan"):
        torch.nn.functional.dropout2d(torch.ones(2, 2, 2, 2), float("nan"))
    with pytest.raises(ValueError, match="dropout probability has to be between 0 and 1, but got 1.5"):
        torch.nn.functional.dropout(torch.ones(2), 1.5)


def test_dropout():
    x = torch.ones(100, requires_grad=True)
    torch.manual_seed(4)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    assert same(x.grad, y) and sorted({round(v, 4) for v in y.tolist()}) == [0.0, 1.3333]
    assert same(torch.nn.functional.dropout(x, 0.25, training=False), x)
    assert not hasattr(torch, "uniform") and not hasattr(torch.Tensor, "uniform")
    result, mask = torch.native_dropout(x, 0.5, True)
    assert mask.dtype == torch.bool and same(result, mask * 2.0)


def test_native_dropout_rounds_its_factor_forward_only():
    """PyTorch 2.11 on the CPU: seed 3, p = 0.1, of float16; nothing is dropped."""
    torch.manual_seed(3)
    x = torch.tensor([-11.0, -10.6328125, -8.78125], dtype=torch.float16, device="cpu", requires_grad=True)
    result, mask = torch.native_dropout(x, 0.1, True)
    assert result.grad_fn.name() == "NativeDropoutBackward0" and mask.tolist() == [True] * 3
    assert result.tolist() == [-12.2265625, -11.8203125, -9.7578125]
    (slope,) = torch.autograd.grad(result, x, torch.full_like(x, 0.7), create_graph=True)
    assert slope.tolist() == [0.77783203125] * 3
    result, mask = torch.native_dropout(x[::2], 1.0, True)  # with gaps
    assert not result.any() and not mask.any()
    assert same(torch.native_dropout(x, 0.9, False)[0], x)
    with pytest.raises(RuntimeError, match="bernoulli_ expects p to be in"):
        torch.native_dropout(x, 1.5, True)


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.float16, torch.complex64])
def test_dropping_all_keeps_the_dtype(dtype):
    for drop in (torch.nn.functional.dropout, torch.nn.functional.dropout3d):
        dropped = drop(torch.ones(2, 3).to(dtype), p=1.0)
        assert dropped.dtype == dtype and not dropped.any()


def test_normals_drawn_between_the_elements_of_another_tensor():
    """What is drawn first lies as the target does, in memory of its own that reaches as far."""
    for dtype in (torch.float32, torch.float64, torch.complex64):
        room = torch.full((4, 60), 7, dtype=dtype)
        torch.normal(torch.zeros(4, 20, dtype=dtype), 1.0, out=room[:, ::3])
        assert (room[:, 1::3] == 7).all() and (room[:, 2::3] == 7).all() and not (room[:, ::3] == 7).any()


@pytest.mark.parametrize("name", ["dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"])
@pytest.mark.parametrize("p,text", [(-1, "-1"), (2, "2"), (2.0, "2.0"), (1.5, "1.5")])
def test_a_refused_probability_is_shown_as_given(name, p, text):
    with pytest.raises(ValueError) as error:
        getattr(torch.nn.functional, name)(torch.ones(2, 3, 4), p)
    assert str(error.value).splitlines()[0] == f"dropout probability has to be between 0 and 1, but got {text}"


def test_gumbel_softmax_of_nothing():
    with pytest.raises(IndexError, match=r"max\(\): Expected reduction dim 1 to have non-zero size."):
        torch.nn.functional.gumbel_softmax(torch.zeros(4, 0), hard=True)


def test_rows_that_share_their_memory_are_drawn_one_after_the_other():
    weights = torch.tensor([0.1, 0.5, 0.4])
    column = weights[:, None]
    for shared, apart in ((weights.expand(5, 3), weights.repeat(5, 1)), (column.expand(3, 4), column.repeat(1, 4))):
        first, second = (torch.multinomial(w, 2, generator=torch.Generator(w.device).manual_seed(0)) for w in (shared, apart))
        assert first.tolist() == second.tolist()


def test_a_class_of_generators():
    class Own(torch.Generator):
        def __init__(self, *where):
            self.note = where

    class Slotted(torch.Generator):
        __slots__ = ("me",)

    g = Own("cpu")
    assert g.note == ("cpu",) and g.manual_seed(3) is g
    assert torch.rand(2, generator=g).tolist() == torch.rand(2, generator=torch.Generator().manual_seed(3)).tolist()
    assert type(g.clone_state()) is torch.Generator
    ring = Slotted()
    ring.me = ring
    del ring
    gc.collect()
