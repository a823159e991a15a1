"""What may be written into: out=, in-place targets that share memory with an operand, resize_. Each case lost values, wrote or
read beyond a target, or was refused or let through otherwise than in PyTorch."""

import warnings

import karat as torch
import pytest

SHARED = "some elements of the input tensor and the written-to tensor refer to a single memory location"
REPEATED = "more than one element of the written-to tensor refers to a single memory location"
NO_GRAD = r"functions with out=\.\.\. arguments don't support automatic differentiation"


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def test_an_input_is_not_resized_under_the_call():
    for f in (torch.add, torch.mul, torch.atan2, torch.maximum, torch.eq, lambda a, b, out: torch.where(b > 3, a, b, out=out),
              lambda a, b, out: torch.clamp(b, a, a, out=out), lambda a, b, out: torch.lerp(a, b, b, out=out)):
        x = torch.tensor(3.0)
        with pytest.raises(RuntimeError):
            f(x, torch.arange(600.0), out=x)
        assert x.shape == () and x.item() == 3
    x = torch.tensor(3.0)
    with pytest.raises(RuntimeError, match=r"output with shape \[\] doesn't match the broadcast shape \[600\]"):
        torch.add(x, torch.arange(600.0), out=x)
    x = torch.arange(3.0)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.outer(x, torch.ones(4), out=x)
    assert x.tolist() == [0, 1, 2]


def test_overlap_is_found_before_anything_is_written():
    x = torch.arange(4.0)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.add(x, torch.ones(4), out=x[:2])
    assert x.tolist() == [0, 1, 2, 3]
    x = torch.arange(8.0)
    with pytest.raises(RuntimeError, match=SHARED):  # resized, it would lie over the input
        torch.add(x[2:], torch.ones(6), out=x[:2])
    assert x.tolist() == list(range(8))
    x = torch.zeros(1, dtype=torch.int64).expand(4)
    with pytest.raises(RuntimeError, match=REPEATED):  # before the dtype
        torch.add(torch.ones(4), 1, out=x)
    for join in (torch.cat, torch.stack, torch.hstack, torch.vstack):
        x = torch.arange(4.0).view(2, 2)
        with pytest.raises(RuntimeError, match=SHARED):
            join([x, x], out=x)
        assert x.tolist() == [[0, 1], [2, 3]]


def test_strided_overlap_is_right():
    x = torch.arange(10.0)
    torch.add(x[0:8:2], 1, out=x[1:5])
    assert x.tolist() == [0, 1, 3, 5, 7, 5, 6, 7, 8, 9]
    x = torch.arange(6.0).view(2, 3)
    x[:, 1:].add_(x[:, :-1])
    assert x.tolist() == [[0, 1, 3], [3, 7, 9]]
    x = torch.arange(6.0)
    x[::2] += x[1::2]  # interleaved: nothing is shared
    assert x.tolist() == [1, 1, 5, 3, 9, 5]
    x = torch.arange(6.0).requires_grad_()
    y = x * 1
    z = y.view(2, 3)
    z[:, 1:].mul_(z[:, :-1])
    z.sum().backward()
    assert x.grad.tolist() == [2, 2, 1, 5, 8, 4]


def test_reductions_into_their_own_input():
    for name in ("sum", "mean", "prod", "amax", "amin", "nansum", "nanmean", "var", "std", "logsumexp"):
        x = torch.arange(1.0, 13.0).view(3, 4)
        want = getattr(torch, name)(x.clone(), 0)
        assert torch.equal(getattr(torch, name)(x, 0, out=x), want)
    x = torch.arange(12).view(3, 4)
    for f in (lambda o: torch.max(x, 0, out=(o, o)), lambda o: torch.sort(x, 0, out=(o, o)),
              lambda o: torch.aminmax(x, dim=0, out=(o[:4], o[1:]))):
        o = torch.zeros(5, dtype=torch.int64)
        with pytest.raises(RuntimeError, match=SHARED):
            f(o)
        assert o.tolist() == [0] * 5
    m = torch.ones(2, 2)
    assert torch.mm(m, torch.ones(2, 3), out=m).tolist() == [[2, 2, 2], [2, 2, 2]]


def test_ranges_keep_the_target():
    x = torch.zeros(2, 3)
    torch.linspace(0, 3, 4, out=x.narrow(1, 1, 2))
    assert x.tolist() == [[0, 0, 1], [0, 2, 3]]
    x = torch.zeros(3, 4).t()
    torch.arange(12, out=x)
    assert x.shape == (4, 3) and x.stride() == (1, 4) and x[1].tolist() == [3, 4, 5]
    for f in (torch.arange, torch.range):
        y = torch.zeros(3, 1).t()
        assert f(0, 3 if f is torch.arange else 2, out=y).shape == (1, 3)
    with pytest.warns(UserWarning, match="number of elements in the out tensor of shape \\[5\\] is 5"):
        assert torch.arange(3, out=torch.zeros(5)).shape == (3,)
    with pytest.raises(RuntimeError, match=REPEATED):
        torch.arange(3, out=torch.zeros(1).expand(3))


def test_a_resized_target_lies_as_the_inputs():
    x = torch.randn(3, 4).t()
    for f in (lambda o: torch.add(x, x, out=o), lambda o: torch.exp(x, out=o)):
        assert f(torch.empty(0)).stride() == (1, 4)
    assert torch.eq(x, x, out=torch.empty(0, dtype=torch.bool)).stride() == (1, 4)
    c = torch.randn(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert torch.add(c, c, out=torch.empty(0)).stride() == c.stride()
    assert torch.cat([c, c], out=torch.empty(0)).stride() == (60, 1, 15, 3)
    assert torch.nonzero(torch.ones(2, 3), out=torch.empty(0, dtype=torch.int64)).stride() == (1, 6)


def test_resize():
    x = torch.ones(3)
    versions = [x._version]
    for n in (5, 5, 2):
        x.resize_(n)
        versions.append(x._version)
    assert versions == [0, 1, 1, 2]
    for sizes, text in (([0, 4, 2**61], "Stride calculation overflowed"), ([2**62, 16], "numel: integer multiplication overflow"),
                        ([2**62, 2**62, 0], "numel: integer multiplication overflow"),
                        ([1] * 65, "only tensors with up to 64 dims are supported")):
        x = torch.ones(2)
        with pytest.raises(RuntimeError, match=text):
            x.resize_(sizes)
        assert x.shape == (2,)
    with pytest.raises(RuntimeError, match="Stride calculation overflowed"):
        torch.empty([0, 4, 2**61])
    with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
        torch.ones([1] * 65).sum(0)
    assert torch.empty([4, 2**61, 0]).numel() == 0


def test_out_of_rows_that_make_their_result():
    p = torch.tensor([1.0, 0.0, 1.0])
    for dtype in (torch.int64, torch.bool, torch.uint8, torch.float64):
        assert torch.bernoulli(p, out=torch.zeros(3, dtype=dtype)).tolist() == [1, 0, 1]
    with pytest.raises(NotImplementedError, match="bernoulli_tensor_cpu_self_"):
        torch.bernoulli(p, out=torch.zeros(3, dtype=torch.complex64))
    with pytest.raises(RuntimeError, match=NO_GRAD):
        torch.bernoulli(p.clone().requires_grad_(), out=torch.zeros(3))
    m, e = torch.empty(0), torch.empty(0, dtype=torch.int32)
    assert torch.frexp(torch.tensor([1.0, 3.0]), out=(m, e)).mantissa is m and e.tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="torch.frexp\\(\\) expects mantissa to have dtype float but got double"):
        torch.frexp(p, out=(torch.empty(0, dtype=torch.float64), e))
    o = torch.empty(0, dtype=torch.int64)
    assert torch.multinomial(torch.tensor([0.0, 1.0]), 1, out=o) is o and o.tolist() == [1]
    with pytest.raises(RuntimeError, match="multinomial expects Long tensor out, got: Float"):
        torch.multinomial(p, 1, out=torch.zeros(1))
    v, parts = torch.arange(4.0), [torch.zeros(2), torch.zeros(2)]
    assert torch.split_copy(v, 2, out=parts) is None and parts[1].tolist() == [2, 3]
    assert torch.split_with_sizes_copy(v, [1, 3], out=parts) is None and parts[1].tolist() == [1, 2, 3]
    assert torch.unbind_copy(v[:2], out=parts) is None and parts[1].shape == ()
    with pytest.raises(RuntimeError, match="expected an out= argument of size 2, got size 1"):
        torch.split_copy(v, 2, out=parts[:1])
    o = torch.zeros(2)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float"):
        torch.split_copy(v, 2, out=[o, torch.zeros(2, dtype=torch.int64)])
    assert o.tolist() == [0, 0]
    o = torch.empty(0)
    assert torch.detach_copy(v, out=o) is o and o.tolist() == [0, 1, 2, 3]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.normal(torch.zeros(3), torch.ones(3), out=torch.zeros(5))


def test_dtypes_of_targets():
    v = torch.arange(4.0)
    for f in (lambda o: torch.nonzero(v, out=o), lambda o: torch.nonzero_static(v, size=2, out=o)):
        with pytest.raises(RuntimeError, match="Expected out tensor to have scalar type Long but got scalar typeFloat"):
            f(torch.zeros(0))
    with pytest.raises(RuntimeError, match="nonzero does not support the out kwarg when as_tuple is True"):
        torch.nonzero(v, out=torch.zeros(0, dtype=torch.int64), as_tuple=True)
    with pytest.raises(RuntimeError, match="heaviside is not yet implemented for complex tensors"):
        torch.heaviside(v, v, out=torch.zeros(4, dtype=torch.complex64))
    u = torch.ones(3, dtype=torch.uint8)
    with pytest.raises(RuntimeError, match="expected scalar type 'Byte' but got 'Char' for values output"):
        torch.mode(u, out=(torch.zeros(0, dtype=torch.int8), torch.zeros(0, dtype=torch.int64)))
    with pytest.raises(RuntimeError, match="float_power has dtype Long but the operation's result requires dtype Double"):
        torch.float_power(u, 2, out=torch.zeros(3, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype float, but got double"):
        torch.msort(v, out=torch.zeros(4, dtype=torch.float64))
    with pytest.raises(IndexError, match="cummax\\(\\): Expected reduction dim -1 or 0 for scalar but got 100"):
        torch.cummax(torch.tensor(1.0), 100)
    with pytest.raises(RuntimeError, match=r"range of \[nan, nan\] is not finite"):
        torch.histc(torch.tensor([float("nan")]))


def test_a_weight_of_one_number_lets_out_have_another_dtype():
    one, half = torch.ones(2, dtype=torch.bool), torch.tensor(0.5)
    for dtype in (torch.float64, torch.float16, torch.complex64):
        assert torch.lerp(one, one, half, out=torch.empty(0, dtype=dtype)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.lerp(one, one, half, out=torch.empty(0, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        torch.lerp(torch.ones(2), torch.ones(2), half.view(1), out=torch.empty(0, dtype=torch.float64))


def test_joined_into_what_would_grow_over_an_operand():
    for join in (torch.vstack, torch.row_stack, torch.hstack, torch.dstack, torch.column_stack, torch.cat, torch.stack):
        t = torch.arange(3.0)
        for out in (t, t[:1], t[1:], t[:0], t.view(1, 3)):
            with pytest.raises(RuntimeError, match=SHARED):
                join([torch.zeros(3), t], out=out)
        assert t.tolist() == [0, 1, 2]
    assert torch.cat([t[:1], t[:1]], out=t[1:]).tolist() == [0, 0]


def test_no_counts_repeat_nothing_whatever_the_size():
    none = torch.zeros(0, dtype=torch.int32)
    for size in (3, 0, -3):
        assert torch.zeros(0, 2).repeat_interleave(none, 0, output_size=size).shape == (0, 2)
        assert torch.zeros(0, 2).repeat_interleave(torch.tensor([2]), 0, output_size=size).shape == (0, 2)
        assert torch.repeat_interleave(none, output_size=size).shape == (0,)


def test_narrow_copy_resizes_without_a_word():
    out, strided = torch.empty(4), torch.empty(3, 2).t()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.narrow_copy(torch.arange(6.0).view(2, 3), 1, 2, 1, out=out).tolist() == [[2], [5]]
        assert torch.narrow_copy(torch.arange(6.0).view(2, 3), 1, 0, 3, out=strided).stride() == (1, 2)


def test_what_is_gathered_may_take_the_place_of_the_index():
    t, i = torch.arange(16).view(4, 4), torch.tensor([[1, 0, 3, 2]])
    assert torch.gather(t, 0, i, out=i).tolist() == [[4, 1, 14, 11]]
    i = torch.tensor([[1, 0], [3, 2]])
    assert torch.take_along_dim(t, i, out=i).tolist() == [1, 0, 3, 2]
    i = torch.tensor([[1], [2]])
    assert torch.take_along_dim(t, i, 0, out=i).tolist() == [[4, 5, 6, 7], [8, 9, 10, 11]]
    i = torch.zeros(4, 4, dtype=torch.int64)
    for f in (lambda: torch.gather(t, 0, i[:2], out=i[1:3]), lambda: torch.gather(i, 0, i, out=i),
              lambda: torch.take_along_dim(t, i, out=t), lambda: torch.nonzero_static(i, size=1, out=i),
              lambda: torch.nonzero_static(i, size=9, out=i[:0])):
        with pytest.raises(RuntimeError, match=SHARED):
            f()


def test_indices_and_masks_are_operands_too():
    i = torch.tensor([2, 0, 1])
    for f in (lambda: i.index_fill_(0, i, 0), lambda: i.index_put_((i,), torch.tensor(0)), lambda: i.scatter_(0, i, 1)):
        with pytest.raises(RuntimeError, match=SHARED):
            f()
        assert i.tolist() == [2, 0, 1]
    m = torch.tensor([True, False, True, True])
    with pytest.raises(RuntimeError, match=SHARED):
        m[1:].masked_fill_(m[:-1], False)
    assert m.masked_fill_(m, False).tolist() == [False] * 4
    d = torch.arange(7.0)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.pow(2, d[1:6], out=d[0:5])
    x, y = torch.eye(3), torch.ones(3, 3)
    with pytest.raises(RuntimeError, match=SHARED):
        torch.cross(x, y, out=x)
    assert torch.equal(x, torch.eye(3))
    buffer = torch.tensor([0, 9, 2, 9, 1, 9])
    assert buffer[:3].index_add_(0, buffer[::2], torch.tensor([1, 1, 1])).tolist() == [1, 10, 3]  # strided: copied


def test_a_write_that_repeats_itself():
    x = torch.tensor([0.25]).expand(4)
    assert torch.nn.functional.threshold(x, 0.5, 0.5, inplace=True).tolist() == [0.5] * 4
    with pytest.raises(RuntimeError, match=REPEATED):
        torch.nn.functional.relu(x, inplace=True)
    with pytest.raises(RuntimeError, match=REPEATED):
        torch.threshold(torch.arange(4.0), 0.5, 0.5, out=x)
    v = torch.arange(3.0)
    assert v.fill_(v[2]).tolist() == [2, 2, 2]


def test_nothing_joined_and_nothing_selected():
    for dim in (1, -5):
        assert torch.cat([torch.randn(0), torch.randn(0)], dim=dim).shape == (0,)
    with pytest.raises(IndexError):
        torch.cat([torch.randn(0), torch.randn(2, 3)], dim=2)
    for index in ([0, 5], [0, -1]):
        with pytest.raises(RuntimeError, match=f"INDICES element is out of DATA bounds, id={index[1]} axis_dim=3"):
            torch.index_select(torch.randn(0, 3), 1, torch.tensor(index))
    assert torch.index_select(torch.randn(0, 3), 1, torch.tensor([0, 2])).shape == (0, 2)


def test_gradients_and_targets():
    x, o = torch.ones(3, requires_grad=True), torch.zeros(3)
    with torch.inference_mode():
        inference = torch.zeros(3)
    with pytest.raises(RuntimeError, match=NO_GRAD):
        torch.add(x, 1, out=inference)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        torch.add(o, 1, out=inference)
    with pytest.raises(RuntimeError, match="^sum\\(\\): " + NO_GRAD):
        torch.sum(x.view(1, 3), 0, out=o)
    assert torch.eq(x, 1, out=torch.empty(0, dtype=torch.bool)).all()  # carries no gradient
    for f in (torch.softmax, torch.log_softmax):
        o = torch.zeros(3)
        assert f(x, 0, out=o) is o and o.requires_grad and o.grad_fn.name().endswith("NotImplemented")
        with pytest.raises(RuntimeError, match=f"derivative for aten::{f.__name__} is not implemented"):
            o.sum().backward()
        with pytest.raises(RuntimeError, match=NO_GRAD):
            f(torch.ones(3), 0, out=torch.zeros(3, requires_grad=True))


def test_a_result_that_is_copied_into_out_keeps_its_history():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    for f in (lambda out: torch.quantile(x, 0.5, out=out), lambda out: torch.nanquantile(x, 0.25, 1, out=out),
              lambda out: torch.tensordot(x, x, 1, out=out), lambda out: torch.inner(x, x, out=out),
              lambda out: torch.linalg.norm(x, out=out), lambda out: torch.linalg.matrix_norm(x, 1, out=out),
              lambda out: torch.linalg.matrix_power(x, 1, out=out)):
        o = torch.empty(0)
        assert f(o) is o and o.grad_fn.name().endswith("CopyBackwards")
        wanted, = torch.autograd.grad(f(torch.empty(0)).sum(), [x])
        with torch.no_grad():
            plain = torch.empty(0)
            f(plain)
            assert not plain.requires_grad and plain.tolist() == o.tolist()
        assert torch.autograd.grad(o.sum(), [x])[0].tolist() == wanted.tolist() and wanted.abs().sum() > 0
    before = torch.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.quantile(x, 0.5, out=before)
    assert before.shape == (4,)


def test_out_that_leaves_a_node_which_cannot_be_run():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    calls = {"heaviside": lambda out: torch.heaviside(x, x, out=out),
             "floor_divide": lambda out: torch.floor_divide(x, 2, out=out),
             "conj_physical": lambda out: torch.conj_physical(x, out=out),
             "select_copy": lambda out: torch.select_copy(x, 0, 0, out=out),
             "t_copy": lambda out: torch.t_copy(x, out=out), "diagonal_copy": lambda out: torch.diag(x, out=out),
             "narrow_copy": lambda out: torch.narrow_copy(x, 0, 0, 1, out=out),
             "slice_scatter": lambda out: torch.slice_scatter(x, x, out=out)}
    for name, f in calls.items():
        o = torch.empty(0)
        assert f(o) is o and o.requires_grad and o.grad_fn.name().endswith("NotImplemented"), name
        with pytest.raises(RuntimeError, match=f"derivative for aten::{name} is not implemented"):
            o.sum().backward()
        with pytest.raises(RuntimeError, match=f"^aten::{name}\\(\\): " + NO_GRAD):
            f(torch.empty(0, requires_grad=True))
        with torch.no_grad():
            assert not f(torch.empty(0)).requires_grad, name
    low, high = torch.aminmax(x, out=(torch.empty(0), torch.empty(0)))
    assert low.item() == 1 and high.item() == 4 and low.grad_fn.name().endswith("NotImplemented")


def test_more_gradients_than_outputs():
    x = torch.ones(2, requires_grad=True)
    assert torch.autograd.grad([x * 2], [x], [torch.ones(2), torch.ones(3)])[0].tolist() == [2, 2]
    torch.autograd.backward([x * 3], [torch.ones(2), None])
    assert x.grad.tolist() == [3, 3]
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        torch.autograd.grad([x * 2, x * 3], [x], [torch.ones(2)])


def test_biases_of_other_ranks():
    d, w = torch.ones(2, 3), torch.ones(2, 3, 3)
    assert torch.nn.functional.bilinear(d, d, w, torch.tensor([[1.0], [2.0]])).tolist() == [[10, 10], [11, 11]]
    assert torch.nn.functional.bilinear(d, d, w, torch.ones(2, 1, 1)).shape == (2, 2, 2)
    with pytest.raises(IndexError, match="Dimension specified as 0 but tensor has no dimensions"):
        torch.nn.functional.bilinear(d, d, w, torch.tensor(1.0))
    assert torch.nn.functional.linear(d[0], d, torch.ones(1, 2)).tolist() == [4, 4]
    six = torch.nn.functional.linear(torch.ones(2, 3, 1), torch.ones(3, 1), torch.arange(6.0).view(6, 1))
    assert six[..., 0].tolist() == [[1, 2, 3], [4, 5, 6]]  # a column is added to the rows of the input seen as a matrix


def test_in_place_dropout_without_a_batch_gives_its_input():
    t = torch.ones(2, 3, 4, 5)
    assert torch.nn.functional.dropout3d(t, 0.5, inplace=True) is t


@pytest.mark.parametrize("write", [
    lambda t: t.triu_(1), lambda t: t.tril_(-1), lambda t: t.copy_(torch.zeros(1, 1)), lambda t: t.zero_(),
    lambda t: torch.triu(torch.ones(1, 1, dtype=torch.complex64), 1, out=t),
])
def test_a_zero_that_a_conjugate_shows_is_turned_in_memory(write):
    t = torch.tensor([[1.3 - 3j]])
    write(t.conj())
    assert str(t.imag.tolist()) == "[[-0.0]]" and str(t.real.tolist()) == "[[0.0]]"


def test_a_mean_says_what_dtype_it_cannot_have_before_it_looks_at_out():
    x, ints = torch.ones(2), torch.arange(2)
    whole = "mean\\(\\): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: Int"
    for call, text in (
            (lambda: torch.mean(x, 0, dtype=torch.int32, out=torch.empty(0)), whole),
            (lambda: torch.mean(ints, dtype=torch.int32, out=torch.empty(0)), whole),
            (lambda: torch.mean(x, 0, dtype=torch.float64, out=torch.empty(0)), "Expected out tensor to have dtype double"),
            (lambda: torch.mean(x, 7, dtype=torch.float64, out=torch.empty(0)), "Dimension out of range"),
            (lambda: torch.nanmean(ints, 0, out=torch.empty(0)), "integral types and 'Bool' are not supported"),
            (lambda: torch.nanmean(ints, 0), "expected input to have floating point or complex dtype but got Long"),
            (lambda: torch.nanmean(x, 0, dtype=torch.int32, out=torch.empty(0)), "nansum: provided dtype must match dtype of"),
            (lambda: torch.nanmean(x, 0, out=torch.empty(0, dtype=torch.int32)), "\"nansum_cpu\" not implemented for 'Int'")):
        with pytest.raises((RuntimeError, IndexError), match=text):
            call()


def test_the_size_of_complex_numbers_into_complex_ones():
    z = torch.ones(2, dtype=torch.complex64)
    assert torch.abs(z, out=torch.empty(0, dtype=torch.complex64)).tolist() == [1, 1]
    for dtype, name in ((torch.complex32, "ComplexHalf"), (torch.complex128, "ComplexDouble")):
        with pytest.raises(RuntimeError, match=f"^Found dtype {name} but expected ComplexFloat"):
            torch.abs(z, out=torch.empty(0, dtype=dtype))


def test_a_first_power_is_a_copy_in_rows():
    assert torch.matrix_power(torch.ones(2, 3, 3).mT, 1).stride() == (9, 3, 1)


def test_a_product_does_not_resize_what_has_a_history():
    x = torch.tensor([2.0, 0.5], requires_grad=True)
    for write in (torch.inner, lambda a, b, out: torch.tensordot(a, b, 1, out=out)):
        with pytest.raises(RuntimeError, match="requires gradients, and its shape does not match the expected result"):
            write(torch.ones(2), torch.ones(2), out=x * 1)
        with pytest.raises(RuntimeError, match="requires gradients, and its shape does not match the expected result"):
            write(torch.ones(2), torch.ones(2), out=x.double())  # the shape before the dtype
        with pytest.raises(RuntimeError, match="to have dtype Float, but got an output tensor with dtype Double"):
            write(torch.ones(2), torch.ones(2), out=x.sum().double())
        assert write(torch.ones(2), torch.ones(2), out=x.sum()).item() == 2


@pytest.mark.parametrize("values", [torch.float32, torch.int8, torch.complex128], ids=str)
@pytest.mark.parametrize("indices", [torch.int64, torch.int8, torch.float64], ids=str)
def test_where_a_policy_permits_it_order_is_written_in_the_targets_dtypes(values, indices):
    x = torch.tensor([[3.0, 1.0, 2.0, 2.0]] * 5, dtype=torch.float64)
    for f in (torch.sort, lambda x, **out: torch.topk(x, 3, **out), lambda x, **out: torch.median(x, 1, **out),
              lambda x, **out: torch.nanmedian(x, 1, **out), lambda x, **out: torch.mode(x, 1, **out),
              lambda x, **out: torch.kthvalue(x, 2, **out), lambda x, **out: torch.cummax(x, 1, **out),
              lambda x, **out: torch.max(x, 1, **out)):
        want = f(x)
        out = torch.empty(want[0].shape, dtype=values), torch.empty(want[1].shape, dtype=indices)
        with torch.policy("permissive"):
            f(x, out=out)
        for given, made in zip(out, want):
            assert given.tolist() == made.to(given.dtype).tolist()
        beside = torch.full((want[1].numel() + 8,), 5, dtype=indices)  # what follows a target is not written
        with torch.policy("permissive"):
            f(x, out=(torch.empty(want[0].shape, dtype=values), beside[:-8].view(want[1].shape)))
        assert beside[:-8].tolist() == want[1].flatten().to(indices).tolist() and beside[-8:].tolist() == [5] * 8


@pytest.mark.parametrize("write", [lambda t: t.ldexp_(torch.ones(2)), lambda t: t.mvlgamma_(1), lambda t: torch.rrelu_(t),
                                   lambda t: torch.nn.functional.rrelu(t, training=True, inplace=True)])
def test_what_is_put_together_does_not_write_one_element_twice(write):
    shown_twice = torch.tensor([0.5]).expand(2)
    with pytest.raises(RuntimeError, match=REPEATED):
        write(shown_twice)
    assert shown_twice.tolist() == [0.5, 0.5]


def test_copying_a_tensor_to_itself_writes_nothing():
    x = torch.ones(1, 3).expand(2, 3)
    assert x.copy_(x) is x and x.tolist() == [[1, 1, 1], [1, 1, 1]]
    turned = torch.tensor([1 + 2j]).conj().expand(2)
    assert turned.copy_(turned).tolist() == [1 - 2j, 1 - 2j]
    for write in (lambda t: t.copy_(t.clone()), lambda t: t.copy_(t[0]), lambda t: t.add_(1)):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            write(torch.ones(1, 3).expand(2, 3))
    y = torch.ones(3, requires_grad=True) * 1
    y.copy_(y)
    y.sum().backward()
