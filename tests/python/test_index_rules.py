"""Indexing and assignment where PyTorch's own way shows: what is read as an index, what is written how, strides, node names."""

import numpy as np
import karat
import pytest
from on_device import cpu_class

pytestmark = pytest.mark.filterwarnings("ignore")


def raised(code, **names):
    with pytest.raises(Exception) as info:
        exec(code, {"karat": karat, "np": np, **names})
    return f"{cpu_class(info.value)}: {str(info.value).splitlines()[0]}"


def test_sequences_and_arrays_are_read_as_int64():
    x = karat.arange(6.0)
    assert x[[1.7, 2]].tolist() == [1, 2] and x[np.array([1.5, 2.5])].tolist() == [1, 2]
    assert x[np.array([1, 2], dtype=np.int8)].tolist() == [1, 2] and x[np.array([])].shape == (0,)
    assert x[np.array(3.7)].item() == 3 and x[np.array(3.7)]._is_view()
    assert raised("x[[float('nan')]]", x=x) == "RuntimeError: value cannot be converted to type int64 without overflow"
    assert raised("x[karat.tensor([1.0])]", x=x).startswith("IndexError: tensors used as indices must be long, int, byte or bool")


def test_integers_out_of_range_name_their_place_in_the_index():
    x = karat.zeros(2, 3)
    assert raised("x[None, 7]", x=x) == "IndexError: index 7 is out of bounds for dimension 1 with size 2"
    assert raised("x[0, ..., 7]", x=x) == "IndexError: index 7 is out of bounds for dimension 2 with size 3"
    assert raised("x[5]", x=karat.tensor(1.0)) == "IndexError: index 5 is out of bounds for dimension 0 with size 0"
    assert raised("x[0]", x=karat.tensor(1.0)).startswith("IndexError: invalid index of a 0-dim tensor.")
    assert raised("x[::-1]", x=karat.tensor(1.0)) == "ValueError: step must be greater than zero"


def test_numbers_that_may_be_assigned():
    x = karat.zeros(3)
    assert raised("x[0] = np.float32(1)", x=x) == "TypeError: can't assign a numpy.float32 to a torch.FloatTensor"
    assert raised("x[0] = np.bool_(True)", x=x).startswith("TypeError: can't assign a numpy.bool")
    assert raised("x[0] = 2**63", x=x) == "ValueError: Overflow when unpacking long long"
    x[0] = np.float64(1.5)
    x[1] = np.uint8(7)
    assert x.tolist() == [1.5, 7, 0]
    assert raised("x[0] = 1 + 2j", x=x.half()) == "RuntimeError: value cannot be converted to type double without overflow"


def test_one_value_by_a_mask_is_masked_fill():
    x = karat.arange(4).to(karat.int16)
    x[karat.tensor([True, False, True, False])] = karat.tensor([9.7])  # any dtype, where index_put_ would refuse
    assert x.tolist() == [9, 1, 9, 3] and x._version == 1
    y = karat.zeros(2, 3)
    y[..., karat.tensor([True, False, True])] = 1
    assert y.tolist() == [[1, 0, 1]] * 2
    assert raised("x[karat.tensor([1, 0, 0, 0], dtype=karat.uint8)] = 1", x=x) == (
        "RuntimeError: masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    assert raised("x[karat.tensor(True)] = karat.tensor(1.5)", x=x).startswith("RuntimeError: Index put requires the source and")
    z = karat.ones(3, requires_grad=True) * 2
    z[karat.tensor([1, 0, 1], dtype=karat.uint8)] = karat.tensor([1.0, 2.0])
    assert z.tolist() == [1, 2, 2] and z.sum().backward() is None


def test_what_is_checked_first():
    x = karat.zeros(3)
    assert raised("x[[0, 1]] = karat.ones(3, dtype=karat.int64)", x=x).startswith("RuntimeError: shape mismatch: value tensor of")
    assert raised("x[[0, 1]] = karat.ones(2, dtype=karat.int64)", x=x).startswith("RuntimeError: Index put requires the source")
    assert raised("x[:] = karat.ones(1, 4)", x=x).endswith("Target sizes: [3].  Tensor sizes: [4]")
    assert raised("x.expand(2, 3)[:] = 1", x=x).startswith("RuntimeError: unsupported operation: more than one element of the")
    assert raised("karat.ones(2, 1, dtype=karat.bfloat16).expand(2)").startswith(
        "RuntimeError: expand(CPUBFloat16Type{[2, 1]}, size=[2])")
    assert raised("x.index_copy(0, karat.tensor([0]).int(), karat.ones(1).long())", x=x) == (
        "RuntimeError: index_copy_(): Expected a long tensor for index, but got Int")
    assert raised("karat.zeros(2, 3).index_select(1, karat.tensor([7]))") == (
        "RuntimeError: INDICES element is out of DATA bounds, id=7 axis_dim=3")
    assert raised("karat.tensor(5.0).take_along_dim(karat.tensor(0), 0)") == (
        "IndexError: Dimension specified as 0 but tensor has no dimensions")
    assert raised("karat.zeros(2).masked_fill(karat.ones(3).bool(), 1)") == (
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0")


def node(t):
    return type(t.grad_fn).__name__


def test_nodes_of_views_and_writes():
    x = karat.ones(2, 3, requires_grad=True)
    assert node(x[:]) == "SliceBackward0" and node(x[:, :]) == "AliasBackward0" and node(x[:, 1]) == "SelectBackward0"
    for write, name in (("z[:] = 1", "FillBackward3"), ("z[:, :] = karat.ones(2, 3)", "CopyBackwards"),
                        ("z[0] = 1", "CopySlices"), ("z[:] = karat.ones(1)", "CopyBackwards"), ("z.fill_(1)", "FillBackward2")):
        z = x * 2
        exec(write, {"karat": karat, "z": z})
        assert node(z) == name, write
    assert (x * 2).copy_(x).grad_fn.name() == "torch::autograd::CopyBackwards"
    assert node(karat.fill(x, 1)) == "FillBackward0" and node(karat.fill(x, karat.tensor(1.0))) == "FillBackward1"
    assert node(karat.div(x, 2, rounding_mode="floor")) == "DivBackward2" and node(x / 2) == "DivBackward0"
    assert node(x[None].squeeze((0, 1))) == "SqueezeBackward2" and node(x[None].squeeze(0)) == "SqueezeBackward1"
    assert node(x // 2) == "NotImplemented" and node(x.deg2rad()) == "Deg2RadBackward0"
    assert raised("(x // 2).sum().backward()", x=x) == "RuntimeError: derivative for aten::floor_divide is not implemented"
    copied = x.t().reshape(-1)
    assert node(copied) == "UnsafeViewBackward0" and not copied._is_view() and x.reshape(-1)._is_view()
    copied.sum().backward()
    assert x.grad.tolist() == [[1, 1, 1]] * 2


def test_strides_of_dims_of_one_and_none():
    x = karat.arange(6.0).reshape(2, 1, 3).permute(0, 2, 1)
    assert x.stride() == (3, 1, 3) and (x + 1).stride() == (3, 1, 3) and (x + x).stride() == (3, 1, 1)
    assert x.neg().stride() == (3, 1, 1) and (x**2).stride() == (3, 1, 1) and x.clamp(1).stride() == (3, 1, 1)
    assert (karat.arange(3.0).reshape(3, 1).t() + 1).stride() == (1, 1)
    empty = karat.zeros(4, 2, 0).permute(2, 1, 0)
    assert (empty + 1).stride() == (1, 0, 0) and (empty * empty).stride() == (8, 4, 1)
    y = karat.zeros(3, 2, 1)
    assert y[[]].stride() == (1, 0, 0) and y[:, :, []].stride() == (2, 1, 1) and karat.zeros(1)[False].stride() == (1, 1)


def test_bytes_seen_as_another_dtype_have_no_history():
    x = karat.zeros(4, requires_grad=True)
    y = x.view(karat.int32)
    assert not y._is_view() and not y.requires_grad and y.data_ptr() == x.data_ptr()
    assert not x.view(karat.float16).requires_grad and x.view(2, 2)._is_view()
    assert raised("x.view(karat.float64)", x=karat.zeros(3, 3).t()).startswith(
        "RuntimeError: self.size(-1) must be divisible by 2 to view Float as Double")


def test_narrow_from_a_tensor():
    x = karat.arange(5)
    assert x.narrow(0, karat.tensor(-2), 2).tolist() == [3, 4]
    assert raised("x.narrow(0, karat.tensor([1]), 2)", x=x) == "RuntimeError: start must be an 0-dim integral Tensor."


def test_tensors_of_no_dims():
    x, z = karat.tensor(1.0), karat.tensor(2j)
    assert x.mT is x and x.H is x and x.mH is x and x.T.item() == 1 and z.mH.item() == -2j and z.adjoint().item() == -2j
    assert raised("x.stride(0)", x=x) == "IndexError: Dimension specified as 0 but tensor has no dimensions"
    assert raised("x.size(-1)", x=x) == "IndexError: Dimension specified as -1 but tensor has no dimensions"


def test_shapes_and_targets_before_missing_kernels():
    assert raised("karat.ones(2, dtype=karat.complex64) & karat.ones(0).long()").startswith(
        "RuntimeError: The size of tensor a (2)")
    assert raised("karat.ones(2).int().__ifloordiv__(1 + 2j)") == (
        "RuntimeError: result type ComplexFloat can't be cast to the desired output type Int")
    assert raised("karat.tensor(1).int().__isub__(karat.ones(1, dtype=karat.complex128))") == (
        "RuntimeError: output with shape [] doesn't match the broadcast shape [1]")
    assert (karat.ones(2) - np.bool_(True)).tolist() == [0, 0]  # PyTorch knows Python's own bools alone


def test_names_that_pytorch_has_not_are_hidden():
    for name in ("index", "slice", "alias", "nonzero_numpy", "add_", "to", "view"):
        assert not hasattr(karat, name), name
    for name in ("slice", "alias", "zeros_like", "fmax_", "rsub"):
        assert not hasattr(karat.Tensor, name), name
    assert hasattr(karat, "abs_") and hasattr(karat.Tensor, "add_")


def test_parts_that_count_as_no_views():
    x = karat.arange(4.0, requires_grad=True)
    a, b = x.unsafe_split(2)
    assert not a._is_view() and node(a) == "UnsafeSplitBackward0" and a.data_ptr() == x.data_ptr()
    (a * 2 + b).sum().backward()
    assert x.grad.tolist() == [2, 2, 1, 1]
    assert [part.tolist() for part in x.detach().unsafe_chunk(2)] == [[0, 1], [2, 3]]
    turned = karat.arange(6).reshape(2, 3).t()
    assert turned.ravel()._is_view() and turned.ravel().tolist() == [0, 3, 1, 4, 2, 5] and not turned.reshape(-1)._is_view()
    assert raised("karat.zeros(2, 2).movedim((0, 0), (1, 7))").startswith("IndexError: Dimension out of range (expected to be in")


def test_casts_take_a_memory_format():
    x = karat.ones(1, 2, 3, 1)
    assert x.long(memory_format=karat.channels_last).stride() == (6, 1, 2, 2) and x.float(memory_format=None) is x
    assert raised("x.float(3)", x=x) == "TypeError: float() takes 0 positional arguments but 1 was given"
    assert raised("x.double(foo=1)", x=x) == "TypeError: double() got an unexpected keyword argument 'foo'"
    assert raised("x.long(memory_format=3)", x=x) == (
        "TypeError: long(): argument 'memory_format' must be torch.memory_format, not int")


def test_square_in_all_forms():
    x = karat.tensor([2, 3])
    assert x.square_().tolist() == [4, 9] and karat.square(x, out=karat.zeros(2)).tolist() == [16, 81]
    y = karat.ones(2, requires_grad=True) * 3
    assert node(y.square_()) == "PowBackward0"
