"""Random programs, a sample: each runs twice and shows the same, no error is an internal one, and nothing stays behind. What they
give is compared with PyTorch by hand (tests/random/run.py). A failure names seed and number; run.py --seed S --only N shows the
program."""

import gc
import itertools
import math
import os
import random
import re
import sys
import warnings

import karat
import karat as torch
from on_device import DEVICE, place, synchronize
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "random"))
import execute  # noqa: E402
from statement import order_is_open  # noqa: E402
import write  # noqa: E402

execute.wait = synchronize

SEED = os.environ.get("KARAT_TEST_SEED") or str(random.SystemRandom().randrange(10 ** 6))
PROGRAMS = 2000 if os.environ.get("KARAT_TEST_ALL") else 100


def test_programs_run_twice_alike():
    print("seed", SEED)
    for index in range(PROGRAMS):
        program = write.program(karat, SEED, index)
        where = f"seed {SEED}, program {index}:\n" + "\n".join(program)
        first, second = (execute.execute(karat, program, index % 2 == 0) for _ in range(2))
        if DEVICE == "cuda" and order_is_open(program):
            assert [e for e, _, _ in first] == [e for e, _, _ in second], where
        else:
            assert [(e, s) for e, _, s in first] == [(e, s) for e, _, s in second], where  # some warnings come once
        for error, _, _ in first:
            assert not error or (error[0] != "SystemError" and "INTERNAL" not in error[1]), (error, where)


def run_on_the_device(program, each):
    """The records of a program, and how many come before the first error that the device found late: a write that fails late has
    changed its target and the target's version by then, so that what follows may differ from the CPU's."""
    waits, late = itertools.count(), []

    def wait():
        statement = next(waits)
        try:
            synchronize()
        except Exception:
            late.append(statement)
            raise

    execute.wait = wait
    try:
        records = execute.execute(karat, program, each)
    finally:
        execute.wait = synchronize
    return records, late[0] if late else len(program)


def same_error(error, cpu_error):
    """A device reads the values of a sorter last, so that a call that was refused leaves no late error behind: of two mistakes it
    tells the other one. It does not tell which index of a bag is out of range."""
    if not (error and cpu_error):
        return error == cpu_error
    bag = r"^(Index \d+|An index) of input takes"
    return [re.sub(bag, "", text) for text in error] == [re.sub(bag, "", text) for text in cpu_error] \
        or "sorter index out of range" in cpu_error[1]


@pytest.mark.not_on_a_gpu("bits: of sums in another order, and of NaNs")
@pytest.mark.skipif(not DEVICE, reason="a device beside the CPU")
def test_programs_show_what_they_show_on_the_cpu():
    compared = 0
    for index in range(PROGRAMS):
        place.next_stream()
        program = write.program(karat, SEED, index)
        there, alike = run_on_the_device(program, index % 2 == 0)
        with karat.device("cpu"):
            here = execute.execute(karat, program, index % 2 == 0)
        where = f"seed {SEED}, program {index}:\n" + "\n".join(program)
        for i, ((error, _, shown), (cpu_error, _, cpu_shown)) in enumerate(zip(there[:alike + 1], here)):
            assert same_error(error, cpu_error), (error, cpu_error, where)
            assert i == alike or shown == cpu_shown, where
        compared += alike == len(program)
    assert compared > PROGRAMS * 0.7


def test_programs_leave_nothing():
    def run(program):
        execute.execute(karat, program, False)
        gc.collect()
        return karat.memory_stats()["live_bytes"]

    for index in range(PROGRAMS // 4):
        program = write.program(karat, SEED, index)
        if any(".backward(" in line and "create_graph" in line or ".grad = " in line for line in program):
            continue  # the gradient may then hold a graph and that the tensor, as backward() warns
        before = run(program)
        assert run(program) == before, f"seed {SEED}, program {index} leaves memory behind:\n" + "\n".join(program)


# ---- what the programs found, each as PyTorch 2.11 has it ----

INF = float("inf")


def same(tensor, values):
    assert torch.equal(torch.nan_to_num(tensor, nan=77.0), torch.nan_to_num(torch.tensor(values), nan=77.0)), tensor


def test_the_ends_of_trapezoids_count_by_half_and_wrap_as_their_dtype_does():
    same(torch.trapz(torch.tensor([255, 1, 2], dtype=torch.uint8)), 257.5)
    same(torch.trapz(torch.tensor([255, 254, 2], dtype=torch.uint8), dx=2), 1021.0)
    same(torch.trapezoid(torch.tensor([1.0, 2.0, 4.0])), 4.5)


def test_an_empty_product_adds_nothing_whatever_its_factor():
    for dtype in (torch.float32, torch.float64, torch.complex64):
        t = torch.full((2, 3), -0.0).to(dtype)
        t.addmm_(torch.zeros(2, 0, dtype=dtype), torch.zeros(0, 3, dtype=dtype), alpha=INF)
        assert t.eq(0).all()
    t = torch.full((2, 3), -0.0)
    assert t.addmm_(torch.zeros(2, 0), torch.zeros(0, 3), beta=2).signbit().all()
    same(torch.ones(2).addmv_(torch.zeros(2, 0), torch.zeros(0), alpha=INF), [1.0, 1.0])
    same(torch.ones(2).addmv_(torch.zeros(2, 0), torch.zeros(0), alpha=INF, beta=0), [0.0, 0.0])


def test_elu_of_zero_is_zero_whatever_alpha_is():
    for f in (torch.nn.functional.celu, torch.nn.functional.elu):
        same(f(torch.tensor([0.0, 1.0]), alpha=-INF), [0.0, 1.0])


def test_a_complex_rsqrt_is_a_division():
    r = torch.rsqrt(torch.tensor([0j, complex(0, INF)]))
    assert r.real[0] == INF and r.imag[0].isnan() and r[1].isnan()


def test_what_has_no_derivative_writes_into_anything():
    x = torch.ones(2, requires_grad=True)
    for op in (torch.ne, torch.eq, torch.logical_xor, torch.logical_and):
        assert not op(x, x, out=torch.empty(2)).requires_grad
    assert not torch.logical_not(x, out=torch.empty(2)).requires_grad
    assert torch.argmax(x, 0, out=torch.empty(0, dtype=torch.int64)) == 0
    assert torch.signbit(x, out=torch.empty(0, dtype=torch.bool)).tolist() == [False, False]


def test_copysign_in_place_by_itself_has_a_gradient():
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    y = x * -2
    y.copysign_(y)
    y.sum().backward()
    same(x.grad, [-2.0, -2.0])


def test_backward_to_a_result_makes_it_keep_its_gradient():
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    y.sum().backward(inputs=[y, y], retain_graph=True)
    assert y.retains_grad
    same(y.grad, [1.0, 1.0])
    y.sum().backward()
    same(y.grad, [2.0, 2.0])
    same(x.grad, [3.0, 3.0])


def test_a_step_past_the_end_is_in_the_strides():
    t = torch.ones(2, 3)
    assert t[::3].stride() == (9, 1) and t[1:1:2].stride() == (6, 1)
    assert t[::2 ** 62].shape == (1, 3) and t[::2 ** 62].sum() == 3


def test_names_of_nodes_in_place_and_of_overloads():
    x = torch.full((2,), 0.5, requires_grad=True)
    for name in ("asinh", "acosh", "atanh"):
        assert getattr(x.clone(), name + "_")().grad_fn.name() == name.capitalize() + "Backward1"
        assert getattr(x, name)().grad_fn.name() == name.capitalize() + "Backward0"
    assert torch.round(x).grad_fn.name() == "RoundBackward0"
    assert torch.round(x, decimals=2).grad_fn.name() == "RoundBackward1"


def test_what_draws_or_copies_without_a_derivative_says_so_at_backward():
    x = torch.ones(2, requires_grad=True)
    for y in (torch.bernoulli(x, 0.5), torch.detach_copy(x)):
        assert y.requires_grad and not y.is_leaf
        with pytest.raises(RuntimeError):
            y.sum().backward()


def test_warnings_come_with_the_call_that_gives_them():
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="ComplexHalf support is experimental"):
            torch.tensor([1j], dtype=torch.complex32)
        with pytest.warns(UserWarning, match=r"cov\(\): degrees of freedom is <= 0"):
            torch.cov(torch.ones(2, 1))
        with pytest.warns(UserWarning, match=r"cov\(\): degrees of freedom is <= 0"):
            torch.cov(torch.ones(2, 2), fweights=torch.tensor([0, 1]))
        with pytest.warns(UserWarning, match="dropout2d: Received a 2-D input to dropout2d, which is deprecated"):
            torch.nn.functional.dropout2d(torch.ones(2, 3))
        with pytest.warns(UserWarning, match="interpreted as shape"):
            torch.nn.functional.dropout2d(torch.ones(2, 3, 1))
        with pytest.warns(UserWarning, match="dropout3d: Received a 3-D input to dropout3d, which is deprecated"):
            torch.nn.functional.dropout3d(torch.ones(2, 3, 1))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            torch.nn.functional.dropout2d(torch.ones(1, 1, 1, 1))
            torch.nn.functional.dropout3d(torch.ones(1, 1, 1, 1))
            with pytest.raises(UserWarning, match="ComplexHalf"):
                torch.tensor([1j], dtype=torch.complex32)
            with pytest.raises(RuntimeError, match="Expected reduce to be one of"):
                torch.index_reduce(torch.ones(3), 0, torch.tensor([0]), torch.ones(1), "sum")
    finally:
        torch.set_warn_always(False)


def test_an_element_that_an_index_names_twice_is_filled_once():
    value = torch.tensor(0.5, requires_grad=True)
    for base, index, want in ((torch.ones(2), [0, 0, 0], 1), (torch.ones(2), [0, 1, 1], 2), (torch.tensor(1.0), [0, 0, 0], 1)):
        slope, = torch.autograd.grad(base.index_fill(0, torch.tensor(index), value).sum(), value)
        assert slope.item() == want


def test_a_negative_end_of_an_unsigned_range_is_taken_as_the_dtype_takes_it():
    assert torch.linspace(-1, 3, 5, dtype=torch.uint8).tolist() == [255, 192, 129, 66, 3]
    assert torch.linspace(3, -2, 6, dtype=torch.uint8).tolist() == [3, 53, 103, 153, 203, 254]
    assert torch.logspace(-255, 2, 4, dtype=torch.uint8).tolist() == [10, 21, 46, 100]
    assert torch.linspace(-128, 127, 4, dtype=torch.int8).tolist() == [-128, -43, 42, 127]


def test_complex_infinities_have_no_direction():
    z = torch.tensor([complex(INF, 1), complex(2, -INF), complex(INF, INF)])
    for f in (torch.sgn, torch.sinc):
        got = torch.view_as_real(f(z))
        assert got.isnan().all()
    assert torch.sgn(torch.tensor(3e38 + 3e38j)).item() == 0  # its size is beyond the range, its direction lost


def test_powers_of_complex_infinities():
    z = torch.tensor([complex(-INF, INF), complex(-INF, float("nan")), complex(-INF, 1)])
    assert torch.pow(2, z).eq(0).all()
    assert torch.pow(1, z).eq(1).all()
    assert torch.pow(-1, torch.tensor([complex(INF, INF)])).eq(0).all()


def test_the_logarithm_beside_1_keeps_the_sign_of_a_zero():
    got = torch.log1p(torch.tensor([complex(-0.0, -0.0), complex(-0.0, 0.0)]))
    assert got.real.signbit().all() and got.imag.signbit().tolist() == [True, False]


def test_a_complex_number_is_scaled_in_its_own_range():
    wide = torch.ldexp(torch.tensor([-0.5 - 0.5j], dtype=torch.complex128), torch.tensor([255]))
    assert wide.tolist() == [complex(-2.0 ** 254, -2.0 ** 254)]
    assert torch.ldexp(torch.tensor([1 + 1j]), torch.tensor([-1])).dtype is torch.complex64


def test_a_range_of_one_number_is_its_start():
    assert torch.linspace(-0.0, 0.5, 1).signbit().item()
    assert torch.linspace(3.5, 0.5, 1).tolist() == [3.5]


# ---- which object, whose memory, which node, how it lies ----


def test_one_gradient_of_several_tensors_is_one_object():
    a, b = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    first, second = torch.autograd.grad(a + b, [a, b])
    assert first is second
    y = a * 2
    seed = torch.tensor(3.0)
    assert torch.autograd.grad(y, [y], seed)[0] is seed
    kept = []
    y.register_hook(kept.append)
    assert torch.autograd.grad(y, [y])[0] is kept[0]
    z = torch.ones(3, 2, requires_grad=True)
    same = z.squeeze(-1)  # nothing to take away: the gradient passes as it is
    first, second = torch.autograd.grad(same.sum(), [z, same])
    assert first is second


def test_a_wanted_gradient_that_flows_on_is_given_as_it_arrived():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: -g)
    first, second = torch.autograd.grad(y.sum(), [x, y], retain_graph=True)
    assert first.tolist() == [-2, -2] and second.tolist() == [1, 1]
    assert torch.autograd.grad(y.sum(), [y])[0].tolist() == [-1, -1]  # it ends there: after the hooks


def test_what_need_not_be_changed_is_given_itself():
    a = torch.ones(2, 2, requires_grad=True)
    assert a.conj_physical() is a and all(t is a for t in torch.broadcast_tensors(a, a.detach()[:1])[:1])
    assert a.t().conj_physical()._is_view() and torch.conj_physical(a.detach(), out=torch.empty(0)).tolist() == a.tolist()
    wide = torch.broadcast_tensors(a, torch.ones(3, 1, 1))[0]
    assert wide is not a and wide._base is a
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy = torch.chain_matmul(a)
    assert copy is not a and copy.grad_fn.name() == "CloneBackward0" and copy.data_ptr() != a.data_ptr()


@pytest.mark.parametrize("code, name, view", [
    ("torch.ones(3, requires_grad=True) @ torch.ones(3, 2)", "SqueezeBackward4", False),
    ("torch.quantile(m, 0.5)", "SqueezeBackward4", False),
    ("torch.sort(m, stable=False)[0]", "SortBackward1", False),
    ("torch.sort(m)[0]", "SortBackward0", False),
    ("torch.rsub(m, m)", "RsubBackward0", False),
    ("1 - m", "RsubBackward1", False),
    ("m[:0].chunk(2)[0]", "SplitWithSizesBackward0", True),
    ("m.chunk(2)[0]", "SplitBackward0", True),
    ("torch.unsafe_chunk(m[:0], 2)[0]", "UnsafeSplitWithSizesBackward0", False),
    ("torch.unsafe_chunk(m, 2)[0]", "UnsafeSplitBackward0", False),
    ("torch.unbind_copy(m)[1]", "UnbindBackward0_copy", False),
    ("torch.split_copy(m, 1)[1]", "SplitBackward0_copy", False),
    ("torch.split_with_sizes_copy(m, [1, 1])[1]", "SplitWithSizesBackward0_copy", False),
    ("torch.ldexp(m, m)", "LdexpBackward0", False),
    ("torch.cartesian_prod(m[0], m[1])", "StackBackward0", False),
])
def test_nodes_are_called_as_in_pytorch(code, name, view):
    result = eval(code, {"torch": torch, "m": torch.ones(2, 3, requires_grad=True)})
    assert result.grad_fn.name() == name and result._is_view() is view


def test_gradients_of_lists_of_copies_and_of_ldexp():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    parts = torch.split_copy(x, 1)
    assert torch.autograd.grad(parts[1].sum(), [x])[0].tolist() == [[0, 0, 0], [1, 1, 1]]
    parts = torch.unbind_copy(x, 1)
    assert torch.autograd.grad(parts[2].sum(), [x])[0].tolist() == [[0, 0, 1], [0, 0, 1]]
    a, b = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    first, second = torch.autograd.grad(torch.ldexp(a, b), [a, b])
    assert first.item() == 4 and second.item() == pytest.approx(12 * 0.6931472)
    assert torch.autograd.grad(torch.ldexp(a, torch.tensor(-3)), [a])[0].item() == 0.125


def test_parts_that_the_user_vouches_for():
    x = torch.ones(4)
    with torch.inference_mode():
        assert all(part._is_view() and part._base is x for part in torch.unsafe_split(x, 2))
    assert not torch.unsafe_split(x, 2)[0]._is_view()
    assert not any(t._is_view() for t in torch.unique_consecutive(torch.tensor([[1, 1, 2]]), return_inverse=True))


def test_a_new_tensor_counts_from_0_however_it_was_made():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    index = torch.tensor([0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [torch.complex(x, x), torch.polar(x, x), torch.block_diag(x, x), torch.kron(x, x),
                torch.nn.functional.one_hot(index), torch.index_reduce(x, 0, index, x[:1], "prod"),
                torch.scatter_reduce(x, 0, index[None], x, "sum")]
    assert [t._version for t in made] == [0] * len(made)
    for y in (x[0], x[:, 1:], x.t()[1], x.diagonal(), torch.stack([x, x])[0], x.unfold(1, 2, 1), x.split(1)[1]):
        x.grad = None
        y.sum().backward()
        assert x.grad._version == 0 and torch.autograd.grad((y * y).sum(), [x])[0]._version == 0
    x.grad.add_(1)
    assert x.grad._version == 1


def test_a_result_lies_as_its_operands_do():
    t, odd = torch.arange(12.0).reshape(3, 4).t(), torch.arange(3.0).reshape(1, 3).t()
    assert torch.complex(t, t).stride() == (1, 4) and torch.polar(t, torch.ones(4, 3)).stride() == (1, 4)
    assert torch.complex(torch.ones(4, 3), t).stride() == (3, 1) and torch.complex(torch.ones(3), t).stride() == (1, 4)
    assert odd.stride() == (1, 3)
    for same in (torch.nan_to_num(odd), torch.nn.functional.hardtanh(odd), torch.nn.functional.relu6(odd), *torch.frexp(odd)):
        assert same.stride() == (1, 3)
    assert (0.5 ** t).stride() == (3, 1) and (0.5 ** odd).stride() == (1, 1)  # a power of a number is made anew
    assert torch.nn.functional.logsigmoid(t).stride() == (3, 1) and torch.lerp(odd, odd, 0.5).stride() == (1, 1)
    assert torch.pow(torch.tensor(2.0), odd).stride() == (1, 3)


def test_an_operand_that_is_converted_lies_as_its_copy():
    g, t = torch.ones(()).expand(4, 3), torch.arange(12.0, dtype=torch.float64).reshape(3, 4).t()
    assert (g.double() * t).stride() == (3, 1) and (g * t).stride() == (3, 1) and (t * g).stride() == (1, 4)
    assert (torch.ones((), dtype=torch.float64).expand(4, 3) * t).stride() == (1, 4)  # as it is, it says nothing


def test_a_conjugate_gradient_is_kept_lazy():
    x = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    x.conj().abs().sum().backward()
    assert x.grad.is_conj() and x.grad.tolist() == [1, 1]
    x.conj().abs().sum().backward()
    assert x.grad.tolist() == [2, 2]
    x.grad = None
    torch.conj_physical(x).abs().sum().backward()
    assert not x.grad.is_conj() and x.grad.tolist() == [1, 1]


def test_dropping_channels_of_one_sample_in_place_gives_the_input():
    x = torch.ones(2, 3, 4, 4)
    assert torch.nn.functional.dropout3d(x, 0.0, inplace=True) is x and x._version == 2
    assert torch.nn.functional.dropout3d(x, 1.0, inplace=True) is x and x._version == 5 and not x.any()


def test_a_difference_of_nothing_is_the_tensor_itself():
    x = torch.zeros(2, 0)
    assert torch.diff(x) is x and torch.diff(x, n=3) is x and torch.diff(torch.ones(2, 1)).shape == (2, 0)


def test_a_call_into_a_buffer_is_one_write():
    x, v = torch.arange(9).reshape(3, 3), torch.arange(3)
    assert torch.addr(x, v, v, out=torch.empty(0, dtype=torch.int64))._version == 1
    y = torch.ones(3, 3)
    y.addr_(torch.ones(3), torch.ones(3))
    assert y._version == 1


def test_parts_of_a_lazy_view_are_what_it_shows():
    x = torch.tensor([[1 - 2j, 3 + 4j], [5 + 6j, 7 - 8j]])
    parts = x.conj().imag.unsafe_split(1, 1)
    assert parts[1].tolist() == [[-4.0], [8.0]] and not parts[1].is_neg() and parts[1].stride() == (2, 1)


def test_gradients_that_pass_as_they_are():
    x = torch.ones(3, requires_grad=True)
    column = torch.ones(3, 1, requires_grad=True)
    for of, same in ((x, x.tile([1])), (x, torch.squeeze_copy(x, -1)), (column, column.cumsum(1))):
        first, second = torch.autograd.grad(same.sum(), [of, same])
        assert first is second
    empty = torch.scatter_reduce(x, 0, torch.zeros(0, dtype=torch.int64), torch.ones(0), "amax")
    assert torch.autograd.grad(empty.sum(), [x])[0].stride() == (1,)


def test_states_of_statistics_and_sets():
    c = torch.complex(torch.randn(3, 4), torch.randn(3, 4)).requires_grad_()
    assert torch.corrcoef(c).grad_fn.name() == "ComplexBackward0" and not torch.corrcoef(c.detach())._is_view()
    assert not torch.isin(2, torch.ones(4, 3), assume_unique=True)._is_view()
    shifted = torch.nn.functional.linear(torch.ones(2, 3, 4), torch.ones(4, 4, requires_grad=True), torch.tensor(0.5))
    assert shifted.grad_fn.name() == "AddBackward0"
    odd = torch.ones(2, 1, 1)[-1:, None, -1, :]
    assert torch.deg2rad(odd).stride() == (odd * 0.5).stride()
    one = torch.arange(20).reshape(5, 4)[4:].as_strided([1, 2], [1, 1])
    assert torch.isinf(one).stride() == (1, 1)


def test_the_node_of_a_tensor_that_inputs_names_counts_as_run():
    x = karat.tensor([2.0], requires_grad=True)
    y = x.exp()
    (y * 3).sum().backward(inputs=[y])
    assert y.grad.item() == 3 and x.grad is None
    with pytest.raises(RuntimeError, match="a second time"):
        y.backward()
    y = x.exp()
    assert karat.autograd.grad((y * 3).sum(), [y])[0].item() == 3
    y.backward()  # autograd.grad ends before the node
    assert x.grad is not None


def test_what_the_node_of_a_named_tensor_saved_must_be_as_it_was():
    divisor = karat.tensor([0.5], requires_grad=True)
    t = karat.tensor([-1.0])
    t.addcdiv_(t, divisor)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        (t * t).sum().backward(inputs=[t])


def test_a_write_through_a_view_is_run_once():
    x = karat.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1
    y[0] = 1
    (y * 3).sum().backward(inputs=[y])
    with pytest.raises(RuntimeError, match="a second time"):
        y.sum().backward()


def test_a_gradient_of_zero_is_zero_times_whatever_logarithm():
    def slopes(f, x, y, g):
        x, y = torch.tensor(x, requires_grad=True), torch.tensor(y, requires_grad=True)
        f(x, y).backward(torch.tensor(g))
        return x.grad, y.grad

    nan = float("nan")
    by_x, by_y = slopes(torch.xlogy, [1.0, 1.0, 2.0, INF, nan, 1.0, 0.0], [-1.0, 0.0, INF, -INF, -1.0, nan, nan], [0.0] * 7)
    same(by_x, [0.0, 0.0, 0.0, 0.0, 0.0, nan, nan])
    same(by_y, [0.0, nan, 0.0, nan, nan, nan, nan])
    by_x, _ = slopes(torch.xlogy, [0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, INF, -1.0], [INF, nan, 2.0, 1.0])
    same(by_x, [0.0, 0.0, INF, nan])
    x, y = torch.tensor([0.5, -2.0]), torch.tensor([-1.0, 2.0], requires_grad=True)
    torch.nn.functional.kl_div(x, y, reduction="none").zero_().backward(torch.ones(2))
    same(y.grad, [0.0, 0.0])


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
def test_an_empty_index_of_more_dims_than_the_source_has_a_backward(reduce):
    for sizes in ((0,), (0, 3), (2, 0), (1, 0, 2)):
        x, source = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
        x.scatter_reduce(0, torch.zeros(sizes, dtype=torch.int64), source, reduce).sum().backward()
        same(x.grad, [1.0, 1.0, 1.0])
        same(source.grad, [0.0, 0.0, 0.0])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_quotient_by_a_number_is_cut_off_before_it_is_rounded(dtype):
    near = torch.full((3,), 0.999, dtype=torch.float32).to(dtype)
    by = float(near[0]) * 1.0001  # the quotient is below 1 and rounds to it
    for x in (near, near[0]):
        assert x.div(by, rounding_mode="trunc").eq(0).all()
        assert x.clone().div_(by, rounding_mode="trunc").eq(0).all()
    assert near.div(torch.tensor(by), rounding_mode="trunc").eq(0).all()
    a, b = torch.tensor([0.171875] * 3, dtype=dtype), torch.tensor([0.171875] * 3, dtype=dtype)
    assert a.div(b, rounding_mode="trunc").eq(1).all()


# ---- the comparison itself ----

def test_a_comparison_that_fails_inside_is_a_difference_and_the_rest_go_on(monkeypatch, capsys):
    import argparse

    import run

    class Broken:
        def __init__(self, *_):
            self.ours = self

        def ask(self, what, family, seed, index):
            return None if index == 2 else ["t1 = 1"]

        def differences(self, program, each):
            if each:
                raise ValueError("not a float")
            return []

    monkeypatch.setattr(run, "Pair", Broken)
    options = argparse.Namespace(family="all", only=None, first=0, programs=6, jobs=2, karat="", reference="", seed="s",
                                 save=None)
    assert run.beside(options) == 1
    said = capsys.readouterr().out
    assert "6 programs" in said and "not explained: 3" in said, said
    assert said.count("ValueError: not a float") >= 2 and "the process died" in said, said


def test_a_gap_of_integers_is_measured_as_one_of_floats():
    pytest.importorskip("numpy")
    import elements

    gap = elements.Gap("int64", (5).to_bytes(8, "little"), (2).to_bytes(8, "little"))
    assert gap.share() == 3 / 5 and gap.beyond(4).all()


def test_a_node_that_runs_for_one_of_its_inputs_looks_at_all_that_it_saved():
    x, y = karat.ones(2, requires_grad=True), karat.ones(2, requires_grad=True)
    factor = x * 1
    product = factor * y
    factor.sin_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):  # y's gradient alone would read it
        karat.autograd.grad(product.sum(), [x])


def test_what_a_node_saved_for_no_gradient_may_be_written_to():
    x, y, divisor = karat.ones(1, requires_grad=True), karat.ones(1, requires_grad=True), karat.tensor([2.0])
    sum_ = karat.addcdiv(x, y, divisor)
    with karat.no_grad():
        y.fill_(3)  # the divisor's gradient alone would read it, and it wants none
    assert karat.autograd.grad(sum_, [y])[0].item() == 0.5


def test_dense_operands_that_lie_alike_give_their_strides_to_the_result():
    t = karat.ones(3, 3, 3).unfold(1, 3, 2).unfold(3, 1, 1)
    assert t.stride() == (9, 6, 1, 3, 3)
    assert all(made.stride() == t.stride() for made in (t.sigmoid(), t.long().sigmoid(), t * t, t.logical_not(), t > t))
    assert (t + 1).stride() == (t * 2).stride() == (9, 9, 1, 3, 3)  # a number is broadcast


def written(t):
    with karat.no_grad():
        return t.zero_()


def two(wants):
    leaves = [karat.tensor([0.5, 2.0], requires_grad=bool(w)) for w in wants]
    return [t * 1 if t.requires_grad else t for t in leaves]


@pytest.mark.parametrize("function,wants,place,refused", [
    (karat.div, (1, 0), 1, True), (karat.div, (1, 0), 0, False), (karat.div, (0, 1), 0, True),
    (karat.hypot, (1, 0), 1, False), (karat.hypot, (1, 0), "result", True),
    (karat.copysign, (0, 1), 0, False), (karat.copysign, (0, 1), "result", True),
    (karat.pow, (1, 0), "result", True), (lambda x: x ** 3, (1,), "result", False), (lambda x: 3 ** x, (1,), 0, True),
    (lambda x, y: karat.div(x, y, rounding_mode="floor"), (1, 0), 1, True),
    (karat.addcdiv, (1, 0, 0), 2, True), (karat.addcdiv, (1, 0, 0), 1, False),
    (karat.addcmul, (0, 1, 0), 1, False), (karat.addcmul, (0, 1, 0), 2, True),
    (karat.lerp, (1, 0, 0), 0, False), (karat.lerp, (1, 0, 0), 2, True), (karat.lerp, (0, 0, 1), 0, True),
    (karat.complex, (1, 0), 0, True), (karat.complex, (1, 0), 1, False),
    (lambda x: x.gather(0, karat.tensor([0])), (1,), 0, True), (lambda x: x.cummax(0)[0], (1,), 0, True),
    (lambda x: x.take(karat.tensor([0])), (1,), 0, True), (lambda x: x.masked_select(karat.tensor([True, False])), (1,), 0, True),
])
@pytest.mark.parametrize("inputs", [False, True])
def test_a_node_looks_at_what_was_saved_for_gradients_that_are_wanted(function, wants, place, refused, inputs):
    operands = two(wants)
    result = function(*operands)
    written(result if place == "result" else operands[place])
    total = (result.real if result.is_complex() else result).add(0).sum()
    wanted = {"inputs": [result]} if inputs else {}
    if refused:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            total.backward(**wanted)
    else:
        total.backward(**wanted)


def test_what_was_written_to_is_named_by_what_wrote_last():
    x = karat.ones(4, requires_grad=True)
    t = x.rsqrt()
    t /= t
    t.abs_()
    with pytest.raises(RuntimeError, match="output 0 of AbsBackward0, is at version 2"):
        t.sum().backward()
    t = x.acosh()
    part = t[1:]
    t.addcdiv_(t, x)
    part[:] = karat.zeros(3)
    with pytest.raises(RuntimeError, match="output 0 of torch::autograd::CopySlices, is at version 2"):
        t.sum().backward()


def test_an_index_among_results_has_no_history_to_name():
    values, places = karat.ones(2, requires_grad=True).topk(2)
    places.zero_()
    with pytest.raises(RuntimeError, match=r"\[torch.LongTensor \[2\]\] is at version 1"):
        values.sum().backward()


def test_one_of_several_views_that_was_saved_before_its_base_was_written_to_is_refused():
    t, vector = karat.ones(2, 2), karat.ones(2, requires_grad=True)
    product = t.unbind(-1)[0] * vector
    t.add_(vector)
    with pytest.raises(RuntimeError, match="This view is the output of a function that returns multiple views"):
        product.sum().backward()


def test_a_named_input_whose_node_has_no_derivative_ends_there():
    x = karat.ones(3, requires_grad=True) * 1
    values = x.unique()
    values.sum().backward(inputs=[values])


@pytest.mark.parametrize("copy", [karat.alias_copy, karat.detach_copy, karat.t_copy])
def test_out_that_is_a_view_is_written_through_into_its_base(copy):
    base = karat.zeros(4, requires_grad=True) * 1
    part = base[1:3]
    copy(karat.ones(2), out=part)
    assert (type(base.grad_fn).__name__, type(part.grad_fn).__name__) == ("CopySlices", "AsStridedBackward0")
    with pytest.raises(RuntimeError, match="derivative for aten::.* is not implemented"):
        base.sum().backward()
    one_of_two = (karat.zeros(4, requires_grad=True) * 1).split(2)[0]
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        copy(karat.ones(2), out=one_of_two)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_variance_of_too_few_elements():
    x = karat.tensor([1.0, 2.0, 3.0], requires_grad=True)
    gradient, = karat.autograd.grad(-x.var(correction=5), [x], create_graph=True)
    assert gradient[0] == gradient[2] == -math.inf and gradient[1].isnan() and not gradient.requires_grad
    gradient, = karat.autograd.grad(-x.var(0, correction=5), [x])
    assert gradient.tolist() == [-1, 0, 1]


def test_gradients_of_no_elements_and_their_histories():
    x = karat.ones(2, 3, requires_grad=True)
    empty = x.repeat(1, 0)
    gradient, = karat.autograd.grad((empty * empty).sum(), [x], create_graph=True)
    assert gradient.tolist() == [[0, 0, 0]] * 2 and not gradient.requires_grad
    source = karat.zeros(0, 3, requires_grad=True)
    sums = karat.ones(2, 3).scatter_reduce(1, karat.zeros(0, 3, dtype=karat.int64), source, "sum")
    assert karat.autograd.grad((sums * sums).sum(), [source], create_graph=True)[0].requires_grad


def test_cdist_has_no_slope_where_points_meet():
    x = karat.zeros(2, 1, requires_grad=True)
    for p, nothing in ((0.5, True), (1, False), (1.5, True), (2, True), (3, True), (math.inf, False)):
        distances = karat.cdist(x, x.detach(), p=p)
        gradient, = karat.autograd.grad(distances, [x], karat.full_like(distances, math.nan))
        assert (gradient.tolist() == [[0], [0]]) == nothing and gradient.isnan().any().item() != nothing


def test_linear_adds_a_bias_that_is_no_row_in_a_step_of_its_own():
    x, weight = karat.ones(2, 2, 3, requires_grad=True), karat.ones(3, 3)
    biases = {"ViewBackward0": [karat.ones(3)], "AddBackward0": [karat.ones(1).expand(3), karat.ones(6)[::2]]}
    for node, bias in [(node, bias) for node, some in biases.items() for bias in some]:
        assert type(karat.nn.functional.linear(x, weight, bias).grad_fn).__name__ == node


def test_what_is_left_to_be_conjugated_is_repeated_so():
    t, counts = karat.tensor([1 + 2j, 3 - 1j], requires_grad=True), karat.tensor([2, 1])
    twice = t.conj().repeat_interleave(counts)
    assert twice.is_conj() and twice.tolist() == [1 - 2j, 1 - 2j, 3 + 1j] and type(twice.grad_fn).__name__ == "ConjBackward0"
    assert t.conj().imag.repeat_interleave(counts).is_neg()
    assert not t.conj().repeat_interleave(2).is_conj()
    gradient, = karat.autograd.grad(twice.abs().sum(), [t])
    assert karat.allclose(gradient, karat.autograd.grad(t.repeat_interleave(counts).abs().sum(), [t])[0])


def test_a_saved_tensor_that_was_detached_in_place_is_named_so_whatever_was_written_to_it():
    t = karat.ones(3, requires_grad=True) * 1
    sine = t.sin()
    t.detach_()
    t.zero_()
    with pytest.raises(RuntimeError, match="has been detached in-place"):
        sine.sum().backward()
