"""Calls that are refused, in PyTorch 2.11's words and order: of two mistakes in one call the one that PyTorch looks at first
speaks. Each line said something else before, or nothing."""

import warnings

import karat as torch
import pytest

F = torch.nn.functional
SHARED = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location."
REPEATED = "unsupported operation: more than one element of the written-to tensor refers to a single memory location."
NO_GRAD = "(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad."
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."

REFUSED = [
    # memory, then sizes, then dtypes, then the numbers that go in
    ("x[0] += x", RuntimeError, SHARED),
    ("x[:2] += x", RuntimeError, SHARED),
    ("x[:3].add_(x, alpha=2j)", RuntimeError, SHARED),
    ("x.expand(2, 4).add_(torch.ones(5))", RuntimeError, REPEATED),
    ("torch.add(x[:3], x[1:].to(torch.float8_e5m2), out=x[1:])", RuntimeError, SHARED),
    ("b.add_(3, alpha=-0.5)", RuntimeError, "result type Long can't be cast to the desired output type Bool"),
    ("i.add_(d, alpha=2j)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("i.add_(2, alpha=2j)", RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."),
    ("b.addcmul_(b, d, value=1.5j)", RuntimeError, "result type Float can't be cast to the desired output type Bool"),
    ("x.put_(torch.tensor([0]), x)", IndexError, "put_(): Expected source and index to have the same number of elements"),
    ("torch.zeros(0).put_(torch.zeros(4, dtype=torch.int64), torch.ones(1))", IndexError, "put_(): Expected source and index to"),
    ("torch.cross(d[:, :2], d[:, :2], out=d[:, :2])", RuntimeError, "no dimension of size 3 in input"),
    # a kernel that is missing is noticed last
    ("torch.bitwise_not(d, out=i)", RuntimeError, "Found dtype Long but expected Float"),
    ("F.gelu(i, out=torch.empty(0))", RuntimeError, "Found dtype Float but expected Long"),
    ("torch.amax(c, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.max(c, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.addmm(b[:, :2], b[0], b)", RuntimeError, "mat1 must be a matrix, got 1-D tensor"),
    ("torch.dot(b[0], b[0, :2])", RuntimeError, "inconsistent tensor size, expected tensor [3] and src [2]"),
    ("torch.bmm(b[None], d.double().t()[None])", NotImplementedError, "\"bmm\" not implemented for 'Bool'"),
    ("torch.mv(b, d[0])", NotImplementedError, "\"addmv_impl_cpu\" not implemented for 'Bool'"),
    ("torch.sort(c, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.logcumsumexp(i, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.nansum(c, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("c[:0].max(0)", IndexError, "max(): Expected reduction dim 0 to have non-zero size."),
    ("c[:0].amax()", RuntimeError, "amax(): Expected reduction dim to be specified for input.numel() == 0."),
    ("torch.topk(c, 9)", RuntimeError, "selected index k out of range"),
    ("torch.histc(c, min=0.5)", RuntimeError, "torch.histc: max must be larger than min"),
    ("torch.gather(b, 0, i, out=i)", RuntimeError, "Expected out tensor to have dtype bool, but got long int instead"),
    # what an index points at, and sizes beside it, come after the dtype of out=
    ("torch.take(d[:0], torch.tensor([0]), out=i[0])", RuntimeError, "take(): self and out expected to have the same dtype"),
    ("torch.take(d, torch.tensor([99]), out=i[0])", RuntimeError, "take(): self and out expected to have the same dtype"),
    ("torch.index_select(d, 0, torch.tensor([99]), out=i)", RuntimeError, "index_select(): self and result must have the same"),
    ("torch.gather(d, 0, i + 99, out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.gather(d, 0, i[0], out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.gather(d, 7, i, out=d)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.take_along_dim(d, i, out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.take_along_dim(d, i, 7, out=d)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but"),
    ("torch.take_along_dim(d, d, 0, out=d)", RuntimeError, "torch.take_along_dim(): dtype of indices should be Long but got"),
    ("torch.masked_select(d, b[:, :2], out=i)", RuntimeError, "masked_select(): self and result must have the same scalar type"),
    ("torch.masked_select(d, d, out=d)", RuntimeError, "masked_select: expected BoolTensor for mask"),
    ("torch.nonzero(d, out=d)", RuntimeError, "nonzero: Expected out tensor to have scalar type Long but got scalar typeFloat"),
    ("torch.nonzero_static(d, size=-1, out=d)", RuntimeError, "nonzero_static: 'size' must be an non-negative integer"),
    ("torch.logcumsumexp(i, 7, out=d)", RuntimeError, "expected scalar_type Long but found Float"),
    ("torch.cummax(c, 0, out=(d, i))", RuntimeError, "expected scalar_type ComplexFloat but found Float"),
    ("torch.nansum(i, dtype=torch.float64, out=d)", RuntimeError, "Expected out tensor to have dtype double, but got"),
    ("F.linear(d, d[:1], torch.ones(7), out=b)", RuntimeError, "Expected out tensor to have dtype float, but got bool instead"),
    ("torch.split_copy(1.5, 1, out=d)", TypeError, "split_copy(): argument 'input' (position 1) must be Tensor, not float"),
    ("torch.unbind_copy(d, 'x', out=d)", TypeError, "unbind_copy(): argument 'dim' (position 2) must be int, not str"),
    # reductions: the dims, then out=, then the kernel; of some out= stands first
    ("torch.sum(d, 7, dtype=torch.int8, out=b)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but"),
    ("torch.cumsum(d, 7, dtype=torch.int8, out=b)", IndexError, "Dimension out of range (expected to be in range of [-2, 1]"),
    ("torch.sum(d, 0, dtype=torch.int8, out=b)", RuntimeError, "Expected out tensor to have dtype signed char, but got bool"),
    ("torch.var(d, 7, out=b)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.norm(c, 2, 7, out=b)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.aminmax(d, dim=7, out=(b, b))", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.aminmax(c, dim=0, out=(b, b))", RuntimeError, "Expected out tensor to have dtype c10::complex<float>, but got bool"),
    ("torch.aminmax(d[:0], out=(b, b))", RuntimeError, "aminmax(): cannot compute aminmax over an empty dimension"),
    ("torch.max(d[:0], 0, out=(b, b))", IndexError, "max(): Expected reduction dim 0 to have non-zero size."),
    ("torch.kthvalue(c, 1, 0, out=(b, i))", RuntimeError, "output values must be of same type as input"),
    ("torch.mode(c, 7, out=(b, i))", RuntimeError, "expected scalar type 'ComplexFloat' but got 'Bool' for values output"),
    ("torch.mode(c, 0, out=(c.clone(), b))", RuntimeError, "expected scalar type 'Long' but got 'Bool' for indices output"),
    ("torch.amax(c, 7, out=b)", RuntimeError, "Expected the dtype for input and out to match, but got ComplexFloat for input's"),
    ("torch.median(d, 0, out=(b, b))", RuntimeError,
     "Expected tensor for argument #1 'indices' to have scalar type Long; but got CPUBoolType instead"),
    ("torch.median(c, 0, out=(d, i))", RuntimeError,
     "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type torch.FloatTensor does not "
     "equal CPUComplexFloatType"),
    ("torch.nanmedian(d, 7, out=(b, b))", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.nansum(c, 7, out=b)", RuntimeError, "nansum on CPU does not support complex inputs"),
    ("torch.nansum(i, 7, dtype=torch.float64, out=d)", IndexError, "Dimension out of range (expected to be in range of"),
    ("torch.nansum(d, 7, dtype=torch.float64, out=b)", RuntimeError, "nansum: provided dtype must match dtype of result."),
    ("torch.nanmean(c, 7, out=b)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.nanmean(c, 0, dtype=torch.int8, out=b)", RuntimeError, "nansum on CPU does not support complex inputs"),
    # dtypes that stand before the sizes, or before out=
    ("torch.lerp(d, torch.ones(4).double(), 0.5)", RuntimeError, "expected dtype float for `end` but got dtype double"),
    ("torch.lerp(d, d, torch.ones(4).double())", RuntimeError, "expected dtype float for `weight` but got dtype double"),
    ("i.lerp_(d, d)", RuntimeError, "expected dtype long int for `end` but got dtype float"),
    ("torch.ones(1).expand(3).lerp_(d.double(), 0.5)", RuntimeError, "expected dtype float for `end` but got dtype double"),
    ("torch.where(d, d, torch.ones(4), out=b)", RuntimeError, "Expected out type to be Float but got Bool"),
    ("torch.where(b, d, torch.ones(4), out=b)", RuntimeError, "Expected out type to be Float but got Bool"),
    ("torch.where(d, torch.ones(4), d)", RuntimeError, "where expected condition to be a boolean tensor, but got a tensor with"),
    ("torch.ldexp(d, torch.ones(4, dtype=torch.int32), out=b)", RuntimeError, "ldexp can't be cast to the desired output type"),
    ("F.softshrink(i, 0.5, out=b)", NotImplementedError, "\"softshrink_check\" not implemented for 'Long'"),
    # more elements than can be counted
    ("x.reshape(2**33, 2**33)", RuntimeError, "shape '[8589934592, 8589934592]' is invalid for input of size 4"),
    ("x.view(2**33, -1, 2**33)", RuntimeError, "shape '[8589934592, -1, 8589934592]' is invalid for input of size 4"),
    ("x.reshape(0, -1)", RuntimeError, "shape '[0, -1]' is invalid for input of size 4"),
    ("x.unflatten(0, (2**33, 2**33))", RuntimeError, "unflatten: Provided sizes [8589934592, 8589934592] don't multiply up to"),
    ("x.as_strided((2,), (2**62,))", RuntimeError,
     "Storage size calculation overflowed with sizes=[2] and strides=[4611686018427387904]"),
    ("x.as_strided((2**33, 2**33), (1, 1))", RuntimeError, "setStorage: sizes [8589934592, 8589934592], strides [1, 1], storage"),
    ("torch.eye(2**33)", RuntimeError, "numel: integer multiplication overflow"),
    ("torch.arange(1e30)", RuntimeError, "invalid size, possible overflow?"),
    ("torch.arange(-2**63, 2**63 - 1)", RuntimeError, "invalid size, possible overflow?"),
    ("torch.arange(2**62, 2**63 - 1)", RuntimeError, "Storage size calculation overflowed with sizes=[4611686018427387904]"),
    ("F.pad(x, (2**62, 2**62))", RuntimeError, "The input size 4, plus negative padding 4611686018427387904 and"),
    # no list where tensors are the arguments
    ("torch.broadcast_tensors([])", TypeError, "expected Tensor as element 0 in argument 0, but got list"),
    ("torch.cartesian_prod([x])", TypeError, "expected Tensor as element 0 in argument 0, but got list"),
    # dims and sizes
    ("torch.zeros(3, 1).scatter_(0, torch.zeros(3, 1).long(), torch.ones(1))", RuntimeError, "Index tensor must have the same"),
    ("torch.zeros(3, 1).scatter_reduce_(0, torch.zeros(3, 1).long(), torch.ones(3), 'sum')", IndexError, "Dimension out of"),
    ("torch.linalg.multi_dot([x, x, x.sum()])", RuntimeError, "multi_dot(): the last tensor must be 1D or 2D but got 0D"),
    ("torch.linalg.matrix_norm(d, 1, dim=[1], dtype=torch.int16)", RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple."),
    ("torch.linalg.matrix_norm(d, 1, dim=[1, 7], dtype=torch.int16)", IndexError, "Dimension out of range (expected to be in"),
    ("torch.linalg.matrix_norm(d.half(), 'nuc', dim=[1])", RuntimeError, "linalg.matrix_norm: Low precision dtypes not"),
    ("torch.linalg.matrix_norm(d.to(torch.float8_e5m2), 2)", RuntimeError, "linalg.matrix_norm: Low precision dtypes not supp"),
    # numbers
    ("torch.range(1j, 2, dtype=torch.int16)", RuntimeError, "value cannot be converted to type int64_t without overflow"),
    ("torch.range(1j, 2, dtype=torch.float16)", RuntimeError, "value cannot be converted to type float without overflow"),
    ("torch.sub(True, d)", RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported."),
    ("torch.subtract(True, c, out=c)", RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported."),
    # a gradient that cannot be given comes before all arguments, where there could be one
    ("torch.softmax(d, 7, out=torch.ones(2, 3, requires_grad=True))", RuntimeError, "aten::softmax" + NO_GRAD),
    ("torch.nonzero_static(i, size=-1, out=torch.ones(2, requires_grad=True))", RuntimeError, "aten::nonzero_static" + NO_GRAD),
    ("torch.scatter(d, 7, i, d, reduce='x', out=torch.ones(2, requires_grad=True))", RuntimeError, "aten::scatter" + NO_GRAD),
    ("torch.nonzero(i, out=torch.ones(2, 2, requires_grad=True))", RuntimeError, "nonzero: Expected out tensor to have scalar"),
    ("torch.multinomial(d + 9, 1, out=torch.ones(2, requires_grad=True))", RuntimeError, "multinomial expects Long tensor out"),
    # its name is that of the kernel that the operands would go to
    ("torch.lerp(i, i, i)", NotImplementedError, "\"lerp_kernel_tensor\" not implemented for 'Long'"),
    ("torch.clamp_min(c, 0.5)", NotImplementedError, "clamp is not supported for complex types"),
    ("torch.clamp_min(c, d)", NotImplementedError, "\"maximum_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.clip(i, max=torch.tensor(2j))", NotImplementedError, "\"minimum_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.div(c, c, rounding_mode='floor')", NotImplementedError, "\"div_floor_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.divide(d, c, rounding_mode='trunc')", NotImplementedError, "\"div_trunc_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.nanmedian(c, 0)", NotImplementedError, "\"median_out\" not implemented for 'ComplexFloat'"),
    ("torch.isneginf(c)", RuntimeError, "isneginf does not support complex inputs."),
    ("torch.isposinf(c, out=torch.empty(0))", RuntimeError, "isposinf does not support complex inputs."),
    ("torch.index_reduce(c[0], 0, torch.tensor([0]), c[0, :1], 'amax')", NotImplementedError, "\"index_func_\" not implemented"),
    ("torch.index_reduce(b[0], 0, torch.tensor([9]), b[0, :1], 'prod')", NotImplementedError, "\"index_func_\" not implemented "),
    ("torch.index_reduce(b, 0, torch.tensor([9]), b[:1], 'prod')", IndexError, "index out of range in self"),
    ("torch.index_reduce(c, 0, torch.tensor([9]), c[:1], 'mean', include_self=False)", NotImplementedError, "\"index_reduce_fun"),
    ("torch.index_reduce(c, 0, torch.tensor([0]), c[:1], 'amin')", NotImplementedError, "\"minimum_cpu\" not implemented for 'C"),
    ("b.scatter_reduce(0, torch.zeros(0, 3, dtype=torch.int64), b, 'mean')", NotImplementedError, "\"div_floor_cpu\" not imple"),
    ("b.scatter_reduce(0, torch.tensor([[9]]), b, 'mean')", NotImplementedError, "\"scatter_gather_tensor_cpu_reduce_mean\" not"),
    ("torch.softmax(i, 0)", NotImplementedError, "\"softmax_kernel_impl\" not implemented for 'Long'"),
    ("torch.log_softmax(i, 1)", NotImplementedError, "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'"),
    ("torch._softmax(i, 7, True)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch._softmax(i, 0, True)", RuntimeError, "softmax with half to float conversion is not supported on CPU"),
    ("torch.ldexp(d, b)", NotImplementedError, "\"ldexp_cpu_exp\" not implemented for 'Bool'"),
    ("torch.ldexp(x, b)", RuntimeError, "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimensio"),
    ("torch.ldexp(d, b, out=i)", RuntimeError, "ldexp can't be cast to the desired output type Long"),
    ("torch.bernoulli(i, out=c)", NotImplementedError, "\"bernoulli_tensor_cpu_self_\" not implemented for 'ComplexFloat'"),
    ("torch.bernoulli(i, out=b)", NotImplementedError, "\"bernoulli_tensor_cpu_p_\" not implemented for 'Long'"),
    ("torch.normal(i, -1.0)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    # lists: the dtypes of all tensors, between their dims and what else is asked of them
    ("torch.meshgrid(x, i[0], indexing='no')", RuntimeError, "meshgrid expects all tensors to have the same dtype"),
    ("torch.meshgrid(x, d, indexing='no')", RuntimeError, "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but receiv"),
    ("torch.cartesian_prod(x, i[0], d)", RuntimeError, "Expect a 1D vector, but got shape [2, 3]"),
    ("torch.cartesian_prod(x, i[0])", RuntimeError, "meshgrid expects all tensors to have the same dtype"),
    ("torch.linalg.multi_dot([d, i.t(), d[None], d])", RuntimeError, "multi_dot(): tensor 2 must be 2D but got 3D"),
    ("torch.linalg.multi_dot([d, i.t(), d.t()])", RuntimeError, "multi_dot(): all tensors must have be the same dtype but tensor "
     "0 is float and tensor 1 long int"),
    ("torch.linalg.multi_dot([d, d, i])", RuntimeError, "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [2, 3] cannot be m"),
    ("torch.cov(d, fweights=i[:1].repeat(1, 2)[0], aweights=i[0])", RuntimeError, "cov(): expected fweights to have the same nu"),
    ("torch.cov(d, fweights=d[0], aweights=d)", RuntimeError, "cov(): expected fweights to have integral dtype but got fweights"),
    ("torch.cov(d, aweights=i[0])", RuntimeError, "cov(): expected aweights to have floating point dtype but got aweights with "),
    ("torch.linalg.matrix_norm(d.half(), 2, (0, 0))", RuntimeError, "linalg.matrix_norm: Low precision dtypes not supported. Go"),
    ("torch.linalg.matrix_norm(d.half(), 3)", RuntimeError, "linalg.matrix_norm: Order 3 not supported."),
    ("torch.linalg.matrix_norm(d.half(), 'nuc', dtype=torch.int64)", RuntimeError, "linalg.matrix_norm: Low precision dtypes no"),
    ("torch.linalg.matrix_power(i[:, :2], -1)", RuntimeError, "linalg.inv: Expected a floating point or complex tensor as input"),
    ("torch.linalg.matrix_power(i[:, :2], -1, out=b)", RuntimeError, "matrix_power: Expected result to be safely castable from"),
    ("x.index_put([torch.tensor([0.])], torch.tensor([1]))", IndexError, "tensors used as indices must be long, int, byte or b"),
    ("c.round(decimals=-1)", NotImplementedError, "\"round_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.polygamma(1, c)", NotImplementedError, "\"trigamma\" not implemented for 'ComplexFloat'"),
    ("torch.clamp_min_(i, 1.5j)", NotImplementedError, "clamp is not supported for complex types"),
    # products: an addend of batches is expanded first, then dtypes of target, of factors, then sizes
    ("torch.addbmm(d, d[0], d[None])", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ("torch.addbmm(d, d, d[None])", RuntimeError, "The expanded size of the tensor (3) must match the existing size (2)"),
    ("torch.baddbmm(d, torch.tensor(1.), d)", IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    ("torch.baddbmm(d.double(), d[0], d)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ("torch.ones(1, 2, 2).baddbmm_(d[None], d.double().t()[None])", RuntimeError, "Bad in-place call: input tensor dtype float"),
    ("torch.ones(2).expand(2, 2).addbmm_(d[None], d.t()[None])", RuntimeError, REPEATED),
    ("torch.ones(1).expand(2, 3).addr_(d[:, 0], d[0])", RuntimeError, REPEATED),
    ("torch.mm(d, d.double().t(), out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.mv(d, d.double()[0], out=i)", RuntimeError, "Expected out tensor to have dtype double, but got long int instead"),
    ("torch.matmul(d[None], d.double().t(), out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int"),
    ("torch.dot(d[0], d[0, :2], out=i)", RuntimeError, "result dtype Long does not match input dtype Float"),
    ("F.linear(d, d, out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("F.linear(d[None], d, torch.ones(1, 1, 2))", RuntimeError, "expand(torch.FloatTensor{[1, 1, 2]}, size=[2, 2]):"),
    ("torch.addr(i, i[0, :2], i[0], beta=1.5j)", RuntimeError, "For integral input tensors, argument beta must not be a float"),
    ("i.addr_(d[:, 0], d[0], beta=True)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("F.bilinear(d, d, torch.tensor(1.))", IndexError, "Dimension specified as 1 but tensor has no dimensions"),
    ("torch.addmv(d, d, x)", RuntimeError, "vector + matrix @ vector expected, got 2, 2, 1"),
    ("d.addmv_(d, x)", RuntimeError, "vector + matrix @ vector expected, got 2, 2, 1"),
    ("torch.addmv(torch.tensor(1.), d, x)", IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    # an out= that cannot be written to, before what an index holds, numbers and kernels
    ("torch.index_copy(d, 0, torch.tensor([9]), c[:1], out=i)", RuntimeError, "Expected out tensor to have dtype float, but g"),
    ("torch.index_copy(d, 5, torch.tensor([0]), d[:1], out=i)", IndexError, "Dimension out of range (expected to be in range"),
    ("torch.index_copy(d, 0, torch.tensor([[9]]), d[:1], out=x[0].expand(2, 3))", RuntimeError, REPEATED),
    ("torch.index_add(d, 0, torch.tensor([9]), d[:1], out=i)", RuntimeError, "Expected out tensor to have dtype float, but go"),
    ("torch.index_add(d, 0, torch.tensor([0]), d[:1], alpha=1j, out=i)", RuntimeError, "Expected out tensor to have dtype flo"),
    ("torch.index_add(d, 0, torch.tensor([0]), c[:1], out=i)", RuntimeError, "index_add_(): self (Float) and source (ComplexF"),
    ("torch.index_add(d, 0, torch.tensor([9]), d[:1], out=x[0].expand(2, 3))", RuntimeError, REPEATED),
    ("torch.index_reduce(b, 0, torch.tensor([0]), b[:1], 'mean', out=i)", RuntimeError, "Expected out tensor to have dtype bo"),
    ("torch.index_reduce(c, 0, torch.tensor([0]), c[:1], 'amax', out=i)", RuntimeError, "Expected out tensor to have dtype c1"),
    ("torch.index_reduce(d, 0, torch.tensor([0]), d[:1], 'sum', out=i)", RuntimeError, "index_reduce(): Expected reduce to be"),
    ("torch.index_select(d, 0, torch.tensor([9]), out=i)", RuntimeError, "index_select(): self and result must have the same "),
    ("torch.index_select(d, 0, torch.tensor([9]), out=x[0].expand(1, 3))", RuntimeError, REPEATED),
    ("torch.gather(d, 0, torch.tensor([9]), out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int"),
    ("torch.gather(d, 0, torch.tensor([[9., 8.]]), out=x[0].expand(1, 2))", RuntimeError, REPEATED),
    ("torch.gather(d, 5, torch.tensor([[0]]), out=i)", IndexError, "Dimension out of range (expected to be in range of [-2, 1"),
    ("torch.scatter(d, 0, torch.tensor([[0]]), 1j, out=i)", RuntimeError, "Expected out tensor to have dtype float, but got l"),
    ("torch.scatter(d, 0, torch.tensor([[0]]), 1, reduce='no', out=i)", RuntimeError, "Expected out tensor to have dtype floa"),
    ("torch.scatter(d, 0, torch.tensor([0]), 1, out=i)", RuntimeError, "Index tensor must have the same number of dimensions "),
    ("torch.scatter_reduce(b, 0, torch.tensor([[0]]), b, 'mean', out=i)", RuntimeError, "Expected out tensor to have dtype bo"),
    ("torch.scatter_add(d, 0, torch.tensor([[9]]), d, out=i)", RuntimeError, "Expected out tensor to have dtype float, but go"),
    ("torch.scatter(d, 0, torch.tensor([[9]]), 1, out=i[0, 0].expand(4, 5))", RuntimeError, REPEATED),
    ("torch.scatter_add(d, 0, torch.tensor([[0]]), d, out=x[0].expand(4, 5))", RuntimeError, REPEATED),
    ("torch.take(d, torch.tensor([0]), out=x[0].expand(4, 5))", RuntimeError, REPEATED),
    ("torch.masked_select(d, b[:, :2], out=x[0].expand(4, 5))", RuntimeError, REPEATED),
    ("torch.amax(c, 7, out=d)", RuntimeError, "Expected the dtype for input and out to match, but got ComplexFloat for input's"),
    ("torch.amin(c[:0], out=d)", RuntimeError, "Expected the dtype for input and out to match, but got ComplexFloat for input's"),
    ("torch.argmax(d, 7, out=d)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.argmin(d[:0], out=d)", IndexError, "argmin(): Expected reduction dim to be specified for input.numel() == 0."),
    ("torch.dot(d, d, out=i)", RuntimeError, "result dtype Long does not match input dtype Float"),
    ("torch.addmm(d, torch.ones(3, 3), torch.ones(3, 3), out=i)", RuntimeError, "Expected out tensor to have dtype float, but"),
    ("torch.baddbmm(b[None], b[None, :, :2], b[None], out=i)", RuntimeError, "Expected out tensor to have dtype bool, but got"),
    ("torch.float_power(d, x, out=d)", RuntimeError, "the output given to float_power has dtype Float but the operation's"),
    ("torch.heaviside(d, c, out=i)", RuntimeError, "heaviside is not yet implemented for complex tensors."),
    ("torch.addcmul(d, d, d); torch.addcmul(d, x, d, value=2j)", RuntimeError, "The size of tensor a (3) must match the size of"),
    ("torch.addr(i, i[0], i[0], beta=2.5)", RuntimeError, "The expanded size of the tensor (3) must match the existing size (2)"),
    ("2j // d.half()[0, 0]", NotImplementedError, "\"div_floor_cpu\" not implemented for 'ComplexHalf'"),
    ("torch.clamp(d, 2j)", RuntimeError, "value cannot be converted to type float without overflow"),
    ("torch.clamp(d.half(), 0, 2j)", RuntimeError, "value cannot be converted to type double without overflow"),
    ("d.clone().clamp_(2j)", RuntimeError, "value cannot be converted to type float without overflow"),
    ("torch.clamp(d, 2j, out=i)", RuntimeError, "Found dtype Long but expected Float"),
    ("torch.clamp(i, 2j, out=d)", NotImplementedError, "clamp is not supported for complex types"),
    ("F.alpha_dropout(b, training=True)", RuntimeError, "result type Float can't be cast to the desired output type Long"),
    ("torch.index_reduce(x, 0, i[0, :1], x[:1], 'mean', out=i)", RuntimeError, "Expected out tensor to have dtype float"),
    ("torch.cross(d, i, out=b)", RuntimeError, "Expected out tensor to have dtype float, but got bool instead"),
    ("torch.linalg.cross(b, b, out=d)", RuntimeError, "Expected out tensor to have dtype bool, but got float instead"),
    ("torch.linalg.cross(b, d)", NotImplementedError, "\"cross\" not implemented for 'Bool'"),
    ("torch.block_diag(d[None], d.to(torch.float8_e5m2))", RuntimeError, "Promotion for Float8 Types is not supported"),
    ("torch.take(d, torch.tensor([9]), out=i)", RuntimeError, "take(): self and out expected to have the same dtype, but got"),
    ("torch.arange(3, dtype=torch.int64, out=g)", RuntimeError, "dtype Long does not match dtype of out parameter (Float)"),
    ("torch.zeros(3, dtype=torch.int64, out=g)", RuntimeError, "dtype Long does not match dtype of out parameter (Float)"),
    ("torch.range(5, 4, dtype=torch.complex64)", NotImplementedError, "\"range_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.diag(torch.tensor(1.), out=x)", RuntimeError, "Supports 1D or 2D tensors. Got 0D"),
    ("torch.diag(torch.tensor(1.))", RuntimeError, "diag(): Supports 1D or 2D tensors. Got 0D"),
    # whole slices are reduced one by one and divided in the end: an index of no slice counts too
    ("b.index_reduce_(0, torch.tensor([0, 9]), b.clone(), 'mean')", IndexError, "index out of range in self"),
    ("c.index_reduce_(0, torch.tensor([0, 9]), c.clone(), 'amax')", NotImplementedError, "\"maximum_cpu\" not implemented for"),
    ("c.index_reduce_(0, torch.tensor([9, 0]), c.clone(), 'amax')", IndexError, "index out of range in self"),
    ("torch.index_reduce(d[:, :0], 0, torch.tensor([9]), d[:1, :0], 'prod')", IndexError, "index out of range in self"),
    # memory that grows with out=
    ("torch.kron(d, d, out=d[1])", RuntimeError, SHARED),
    ("torch.cat([d, d], out=d[1])", RuntimeError, SHARED),
    ("torch.stack([x, x], out=x[:0])", RuntimeError, SHARED),
    # dims
    ("x[..., ..., None]", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    ("torch.narrow_copy(d, 4, 0, 2)", RuntimeError, "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true"),
    ("torch.linalg.matrix_norm(torch.tensor(1.), 7)", RuntimeError, "linalg.matrix_norm: Order 7 not supported."),
    ("torch.cat([d.bool(), torch.ones(3, dtype=torch.uint32)])", RuntimeError, "Promotion for uint16, uint32, uint64 types is"),
    ("torch.meshgrid(c[0], d)", RuntimeError, "meshgrid expects all tensors to have the same dtype"),
    ("torch.searchsorted(d[0, 0], d[0, 0], sorter=d[0, 0])", RuntimeError, "torch.searchsorted(): sorter must be a tensor of "),
    ("d.repeat_interleave(torch.tensor([1, 1]), 0, output_size=-1)", RuntimeError, "Trying to create tensor with negative dim"),
    ("d.repeat_interleave(torch.tensor([1, -2]), 0, output_size=3)", RuntimeError, "allocated size does not match required size"),
    ("torch.repeat_interleave(torch.tensor([1, -2]), output_size=-1)", RuntimeError, "Trying to create tensor with negative dim"),
    ("d.repeat_interleave(torch.ones(2), 0, output_size=-1)", NotImplementedError, "\"repeat_interleave_cpu\" not implemented"),
    ("torch.randperm(-1, dtype=torch.bool)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("torch.einsum([], d)", TypeError, "einsum(): argument 'equation' (position 1) must be str, not list"),
    ("torch.split_copy(d, 1, out=d)", TypeError, "split_copy(): argument 'out' must be tuple of Tensors, not Tensor"),
    ("torch.trapezoid(torch.tensor(True))", IndexError, "Dimension specified as -1 but tensor has no dimensions"),
    ("torch.trapezoid(b, dim=7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.trapezoid(torch.tensor(1.), torch.ones(3))", IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    ("torch.diag_embed(torch.tensor(1.), dim1=0)", RuntimeError, "diagonal dimensions cannot be identical 0, -1"),
    ("torch.linalg.matrix_norm(i[0])", RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."),
    ("torch.linalg.norm(i[0], 'fro')", RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."),
    ("torch.linalg.matrix_norm(i, 7)", RuntimeError, "linalg.matrix_norm: Order 7 not supported."),
    ("torch.index_add(d[0], 0, torch.zeros(0, dtype=torch.int64), torch.tensor(1.))", IndexError, "Dimension specified as 0 but"),
    ("torch.zeros(0).index_select(0, torch.tensor([0]))", IndexError, "index out of range in self"),
    ("F.cross_entropy(torch.tensor(0.5), torch.tensor(0.5))", IndexError, "Dimension specified as 1 but tensor has no dimensi"),
    ("F.cross_entropy(torch.tensor(0.5), torch.tensor([1]))", IndexError, "Dimension out of range (expected to be in range of"),
    # out=
    ("torch.index_add(d, 0, i[0, :2], d, out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int"),
    ("torch.lerp(d, b, 1.5j)", RuntimeError, "expected dtype float for `end` but got dtype bool"),
    ("torch.searchsorted(i[0], i, sorter=d[0, 0])", RuntimeError, "torch.searchsorted(): boundary and sorter must have the same"),
    ("torch.take(d, torch.tensor([0]), out=i)", RuntimeError, "take(): self and out expected to have the same dtype, but got "),
    ("torch.index_select(d, 0, torch.tensor([0]), out=i)", RuntimeError, "index_select(): self and result must have the same"),
    ("torch.masked_select(d, b, out=i)", RuntimeError, "masked_select(): self and result must have the same scalar type"),
    ("torch.slice_scatter(d, d, out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.argsort(d, stable=True, out=d)", RuntimeError, "Expected out tensor to have dtype long int, but got float instead"),
    ("torch.narrow_copy(d, 0, 0, 1, out=i)", RuntimeError, "Expected self.dtype() == output.dtype() to be true, but got false."),
    ("torch.norm(d, 'fro', out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.linalg.matrix_power(d @ d.t(), 2, out=i)", RuntimeError, "matrix_power: Expected result to be safely castable fro"),
    # values
    ("torch.cov(d, fweights=torch.tensor([0, 0, 0]))", RuntimeError, "cov(): weights sum to zero, can't be normalized"),
    ("torch.cov(d, fweights=torch.tensor([1, -1, 0]))", RuntimeError, "cov(): fweights cannot be negative"),
    ("torch.cov(d, aweights=torch.tensor([1., -1, 0]))", RuntimeError, "cov(): aweights cannot be negative"),
    ("F.binary_cross_entropy(torch.tensor([.5, 2.]), torch.tensor([3., .5]))", RuntimeError, "all elements of target should be"),
    ("torch.addcmul(i.byte(), i.byte(), i.byte(), value=-0.5)", RuntimeError, "value cannot be converted to type uint8_t with"),
    ("torch.addcmul(i.char(), i.char(), i.char(), value=-129)", RuntimeError, "value cannot be converted to type int8_t without"),
    ("torch.randint(4, 4, [], requires_grad=True)", RuntimeError, "random_ expects 'from' to be less than 'to', but got from=4"),
    ("torch.full([-1], 1, requires_grad=True)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("torch.kl_div(i, d, reduction=-1)", RuntimeError, "kl_div: Integral inputs not supported."),
    ("torch.feature_alpha_dropout_(g[:], 2.0, True)", RuntimeError, "dropout probability has to be between 0 and 1, but got 2"),
    ("F.dropout3d(g, training=False, inplace=True)", RuntimeError, LEAF),
    # out= where a gradient is wanted: named after the part that writes, and before other mistakes where PyTorch looks there first
    ("torch.matmul(g, g, out=i)", RuntimeError, "matmul" + NO_GRAD),
    ("F.linear(d, g, out=d)", RuntimeError, "linear" + NO_GRAD),
    ("F.linear(d, d.double(), g[0], out=d)", RuntimeError, "linear" + NO_GRAD),
    ("torch.kron(g, g, out=i)", RuntimeError, "mul" + NO_GRAD),
    ("torch.diff(g, out=i)", RuntimeError, "sub" + NO_GRAD),
    ("torch.diff(d, out=g)", RuntimeError, "sub" + NO_GRAD),
    ("torch.msort(g, out=i)", RuntimeError, "sort" + NO_GRAD),
    ("torch.argsort(g, stable=True, out=torch.empty(0, dtype=torch.int64))", RuntimeError, "sort" + NO_GRAD),
    ("torch.linalg.multi_dot([g, d.t()], out=torch.empty(0))", RuntimeError, "mm" + NO_GRAD),
    ("torch.linalg.matrix_power(g @ g.t(), 2, out=torch.empty(0))", RuntimeError, "matmul" + NO_GRAD),
    ("torch.linalg.vecdot(g, g, out=torch.empty(0))", RuntimeError, "sum" + NO_GRAD),
    ("torch.linalg.vecdot(g[0], g[0], out=torch.empty(0))", RuntimeError, "vdot" + NO_GRAD),
    ("torch.float_power(g, g, out=torch.empty(0, dtype=torch.float64))", RuntimeError, "pow" + NO_GRAD),
    ("torch.max(g, g, out=torch.empty(0))", RuntimeError, "maximum" + NO_GRAD),
    ("torch.true_divide(g, g, out=torch.empty(0))", RuntimeError, "div" + NO_GRAD),
    ("torch.norm(g, out=torch.empty(0))", RuntimeError, "linalg_vector_norm" + NO_GRAD),
    ("torch.norm(g, 'fro', out=torch.empty(0))", RuntimeError, "linalg_vector_norm" + NO_GRAD),
    ("torch.nanmean(g, out=torch.empty(0))", RuntimeError, "nansum" + NO_GRAD),
    ("torch.normal(g, 1., out=torch.empty(0))", RuntimeError, "normal" + NO_GRAD),
    ("F.softplus(g, out=torch.empty(0))", RuntimeError, "softplus" + NO_GRAD),
    ("F.logsigmoid(g, out=torch.empty(0))", RuntimeError, "log_sigmoid_forward" + NO_GRAD),
    ("torch.inner(g[0, 0], g[0, 0], out=torch.empty(0))", RuntimeError, "mul" + NO_GRAD),
    ("torch.t_copy(g, out=g)", RuntimeError, "aten::t_copy" + NO_GRAD),
    ("torch.conj_physical(d, out=g.view(2, 3))", RuntimeError, "aten::conj_physical" + NO_GRAD),
    ("torch.bitwise_or(i, i, out=g)", RuntimeError, "aten::bitwise_or" + NO_GRAD),
    ("torch.gcd(g, g, out=g)", RuntimeError, "aten::gcd" + NO_GRAD),
    ("torch.select_copy(g, 1, 7, out=torch.empty(0))", IndexError, "select(): index 7 out of range for tensor of size [2, 3]"),
    ("torch.quantile(g, 0.5, out=torch.empty((), requires_grad=True))", RuntimeError, LEAF),
    # what goes by an index: dims, sizes and dtypes come before the memory, the name of a scatter's reduction after it
    ("x.index_reduce_(0, torch.tensor([0]), x[:1], 'sum')", RuntimeError, "index_reduce(): Expected reduce to be one"),
    ("x.index_reduce_(0, torch.tensor([[0]]), x[:1], 'prod')", IndexError, "index_reduce_(): Index is supposed to be a vector"),
    ("x.index_reduce_(0, torch.tensor([0]), x[:1], 'prod')", RuntimeError, SHARED),
    ("x.index_add_(3, torch.tensor([0]), x[:1])", IndexError, "Dimension out of range (expected to be in range of [-1, 0]"),
    ("x.index_add_(0, torch.tensor([0.]), x[:1])", RuntimeError, "index_add_(): Expected dtype int32/int64 for index but got"),
    ("torch.index_add(x, 0, torch.tensor([0]), x[:1].double(), out=x[:3])", RuntimeError, "index_add_(): self (Float) and"),
    ("x.index_copy_(4, torch.tensor([0]), x[:1])", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but"),
    ("x.index_copy_(0, torch.tensor([[0]]), x[:1])", RuntimeError, SHARED),
    ("x.scatter_(0, torch.tensor([0.]), x[:1])", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("x.scatter_add_(0, torch.tensor([[0]]), x[:1])", RuntimeError, "Index tensor must have the same number of"),
    ("x.scatter_reduce_(0, torch.tensor([0]), x[:1], 'bad')", RuntimeError, SHARED),
    ("x.scatter_(0, torch.tensor([0]), x[:1], reduce='bad')", RuntimeError, SHARED),
    ("torch.scatter(x, 0, torch.tensor([0.]), x[:1], out=x)", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("torch.index_select(x, 0, torch.tensor([[0]]), out=x)", IndexError, "index_select(): Index is supposed to be a vector"),
    ("torch.take(x, torch.tensor([0.]), out=x)", RuntimeError, "take(): Expected a long tensor for index, but got Float"),
    ("i.index_fill_(0, torch.tensor([0]), i)", RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got"),
    ("x.masked_fill_(x > 0, x[:1])", RuntimeError, "masked_fill_ only supports a 0-dimensional value tensor, but got tensor"),
    ("d.index_copy(0, torch.tensor([0]), torch.tensor(1.))", RuntimeError, "index_copy_(): Source/destination tensor must"),
    ("torch.tensor(1.).index_copy(0, torch.tensor([0]), d[:1, :1])", RuntimeError, "index_copy_(): Source/destination"),
    # the dtype of an out= before a kernel that is missing; what is drawn from before what is drawn into
    ("torch.mm(b, b.t(), out=d)", RuntimeError, "Expected out tensor to have dtype bool, but got float instead"),
    ("torch.bmm(b[None], b.t()[None], out=d)", RuntimeError, "Expected out tensor to have dtype bool, but got float instead"),
    ("torch.mv(b, b[0], out=d)", RuntimeError, "Expected out tensor to have dtype bool, but got float instead"),
    ("torch.mv(torch.tensor(1.), x)", IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    ("torch.multinomial(c, 2, out=d)", RuntimeError, "multinomial only supports floating-point dtypes for input, got: Co"),
    ("torch.multinomial(d[None], 2, out=d)", RuntimeError, "prob_dist must be 1 or 2 dim"),
    ("F.softshrink(i, out=d)", NotImplementedError, "\"softshrink_check\" not implemented for 'Long'"),
    ("torch.repeat_interleave(d)", NotImplementedError, "\"repeat_interleave_cpu\" not implemented for 'Float'"),
    ("d.narrow_copy(0, 1, -1)", RuntimeError, "start (1) + length (-1) exceeds dimension size (2)."),
    ("d.narrow_copy(0, 5, -1)", IndexError, "start out of range (expected to be in range of [-2, 2], but got 5)"),
    ("F.linear(d[None], d[0], torch.ones(1))", RuntimeError, "mat2 must be a matrix, got 1-D tensor"),
    ("F.linear(d[0], d[0], torch.ones(1))", RuntimeError, "mat2 must be a matrix, got 1-D tensor"),
    ("torch.var(x, correction=1.5 - 2j)", RuntimeError, "value cannot be converted to type double without overflow"),
    # makers: sizes and ends, then the dtype
    ("torch.rand(-1, dtype=torch.int64)", RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
    ("torch.rand(2, dtype=torch.int64, requires_grad=True)", NotImplementedError, "\"check_uniform_bounds\" not implemented for"),
    ("torch.rand_like(i, memory_format=torch.channels_last)", RuntimeError, "required rank 4 tensor to use channels_last format"),
    ("torch.randn(-2, dtype=torch.bool)", RuntimeError, "Trying to create tensor with negative dimension -2: [-2]"),
    ("torch.randint(3, 1, (2,), dtype=torch.complex64)", RuntimeError, "random_ expects 'from' to be less than 'to', but got"),
    ("torch.randint(3, (-2,), dtype=torch.complex64)", RuntimeError, "Trying to create tensor with negative dimension -2: [-2]"),
    ("torch.randint_like(c, 3, 3)", RuntimeError, "random_ expects 'from' to be less than 'to', but got from=3 >= to=3"),
    ("torch.randperm(-3, dtype=torch.bool)", RuntimeError, "Trying to create tensor with negative dimension -3: [-3]"),
    ("torch.normal(0.0, -1.0, (2,), dtype=torch.int64)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    ("torch.range(0, -3, dtype=torch.bool)", NotImplementedError, "\"range_cpu\" not implemented for 'Bool'"),
    ("torch.linspace(1j, 0, -3, dtype=torch.float32)", RuntimeError, "number of steps must be non-negative"),
    ("torch.linspace(0, 1j, 3, dtype=torch.int64)", RuntimeError, "torch.linspace(): inferred dtype c10::complex<float> can't"),
    ("torch.logspace(1j, 1, -3, dtype=torch.float32)", RuntimeError, "number of steps must be non-negative"),
    # draws: parameters, then the dtype, with memory before or behind it
    ("i.normal_(0, -1)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    ("i[:, :1].expand(2, 3).normal_()", NotImplementedError, "\"normal_kernel_cpu\" not implemented for 'Long'"),
    ("i.uniform_(1, 0)", NotImplementedError, "\"check_uniform_bounds\" not implemented for 'Long'"),
    ("d[:, :1].expand(2, 3).uniform_(1, 0)", RuntimeError, "uniform_ expects to return a [from, to) range, but found from=1"),
    ("c[:, :1].expand(2, 3).random_()", RuntimeError, REPEATED),
    ("c[:, :1].expand(2, 3).random_(0)", RuntimeError, REPEATED),
    ("c.random_(0)", RuntimeError, "random_ expects 'from' to be less than 'to', but got from=0 >= to=0"),
    ("c.random_(5, 2)", RuntimeError, "random_ expects 'from' to be less than 'to', but got from=5 >= to=2"),
    ("i.exponential_(-1)", RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=-1"),
    ("i[:, :1].expand(2, 3).exponential_()", RuntimeError, REPEATED),
    ("i.cauchy_(0, -1)", RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=-1"),
    ("i[:, :1].expand(2, 3).cauchy_()", RuntimeError, "Cauchy distribution is a continuous probability distribution. dtype must"),
    ("i.log_normal_(1, -2)", RuntimeError, "log_normal_ expects std > 0.0, but found std=-2"),
    ("i[:, :1].expand(2, 3).log_normal_()", RuntimeError, REPEATED),
    ("c.geometric_(2)", RuntimeError, "geometric_ expects p to be in (0, 1), but got p=2"),
    ("b.geometric_(0.5)", NotImplementedError, "\"geometric_cpu\" not implemented for 'Bool'"),
    ("c.bernoulli_(2)", RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=2"),
    ("c[:, :1].expand(2, 3).bernoulli_(0.5)", RuntimeError, REPEATED),
    ("torch.bernoulli(c, p=2)", RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=2"),
    ("c.bernoulli_(torch.ones(4))", NotImplementedError, "\"bernoulli_tensor_cpu_self_\" not implemented for 'ComplexFloat'"),
    ("d.bernoulli_(torch.ones(4, dtype=torch.int64))", RuntimeError, "The expanded size of the tensor (3) must match the"),
    ("torch.bernoulli(i, out=c)", NotImplementedError, "\"bernoulli_tensor_cpu_self_\" not implemented for 'ComplexFloat'"),
    ("torch.bernoulli(i, out=d[:, :1].expand(2, 3))", RuntimeError, REPEATED),
    ("torch.normal(i, -1.0)", RuntimeError, "normal expects std >= 0.0, but found std -1"),
    ("torch.normal(d, d[:, :2], out=i)", RuntimeError, "The size of tensor a (3) must match the size of tensor b (2)"),
    ("torch.normal(d, c[:, :2])", RuntimeError, "normal expects standard deviation to be non-complex"),
    ("torch.normal(1.0, c)", RuntimeError, "normal expects standard deviation to be non-complex"),
    ("torch.multinomial(i[None], 1)", RuntimeError, "prob_dist must be 1 or 2 dim"),
    ("torch.multinomial(i, 0)", RuntimeError, "multinomial only supports floating-point dtypes for input, got: Long"),
    ("torch.multinomial(i, 1, out=d)", RuntimeError, "multinomial only supports floating-point dtypes for input, got: Long"),
    ("torch.dropout(c, 2.0, True)", RuntimeError, "dropout probability has to be between 0 and 1, but got 2"),
    ("torch.feature_dropout(c[0], 0.5, True)", RuntimeError, "Feature dropout requires at least 2 dimensions in the input"),
    ("torch.dropout(c, 0.5, True)", NotImplementedError, "\"bernoulli_scalar_cpu_\" not implemented for 'ComplexFloat'"),
    # views, lists, joins
    ("torch.view_as_complex(i)", RuntimeError, "view_as_complex is only supported for half, float and double tensors, but got a"),
    ("torch.view_as_complex_copy(i, out=d)", RuntimeError, "view_as_complex is only supported for half, float and double"),
    ("torch.view_as_real_copy(d, out=i)", RuntimeError, "view_as_real is only supported for complex tensors"),
    ("torch.tensor_split(x[0], d)", RuntimeError, "tensor_split expected at least a 1-dimensional tensor, but got a tensor with"),
    ("torch.tensor_split(x, d, dim=3)", RuntimeError, "tensor_split expected tensor_indices_or_sections to have dtype of long,"),
    ("torch.unravel_index(d, (-2, 2))", TypeError, "expected 'indices' to be integer dtype, but got torch.float32"),
    ("torch.cat([x, d], out=i)", TypeError, "torch.cat(): input types can't be cast to the desired output type Long"),
    ("torch.cat([x, x], dim=5, out=i)", IndexError, "Dimension out of range (expected to be in range of [-1, 0], but got 5)"),
    ("torch.stack([x, d], out=i)", RuntimeError, "stack expects each tensor to be equal size, but got [4] at entry 0 and [2, 3]"),
    ("torch.stack([x, x], out=i)", TypeError, "torch.cat(): input types can't be cast to the desired output type Long"),
    # activations and losses
    ("F.prelu(d, torch.ones(2, dtype=torch.float64))", RuntimeError, "prelu: Type promoting not supported. Got Float and Double"),
    ("F.prelu(i, i[0, :2])", RuntimeError, "Mismatch of parameter numbers and input channel size. Found parameter numbers = 2"),
    ("F.glu(i)", RuntimeError, "Halving dimension must be even, but dimension 1 is size 3"),
    ("F.nll_loss(i, d[0])", ValueError, "Expected input batch_size (2) to match target batch_size (3)."),
    ("F.nll_loss(i, d[:, 0], d[0, :2])", RuntimeError, "weight tensor should be defined either for all 3 classes or no classes"),
    ("F.nll_loss(i, d[:, 0])", NotImplementedError, "\"nll_loss_out_frame\" not implemented for 'Long'"),
    ("F.nll_loss(d, d[:, 0], torch.ones(3).double())", RuntimeError, "expected scalar type Float but found Double"),
    ("F.cross_entropy(d, i, ignore_index=1)", RuntimeError, "Expected floating point type for target with class probabilities,"),
    ("F.cross_entropy(d, i, x)", RuntimeError, "Expected floating point type for target with class probabilities, got Long"),
    ("F.binary_cross_entropy(d, i[:, :2])", ValueError, "Using a target size (torch.Size([2, 2])) that is different to"),
    ("F.binary_cross_entropy_with_logits(i, d[0])", ValueError, "Target size (torch.Size([3])) must be the same as input size"),
    ("torch.binary_cross_entropy_with_logits(i, b[:, :2])", NotImplementedError, "\"log_sigmoid_cpu\" not implemented for"),
    ("torch.binary_cross_entropy_with_logits(d, b[:, :2])", RuntimeError, "Subtraction, the `-` operator, with two bool tensors"),
    ("torch.kl_div(i, d[:, :2])", RuntimeError, "kl_div: Integral inputs not supported."),
    ("F.kl_div(c, i, reduction='x')", ValueError, "x is not a valid value for reduction"),
    # rows with bodies: the stage of each refusal (tables/refusals.def) and where the body asks the resolver, beside sizes
    ("torch.outer(d, torch.ones(2).to(torch.float8_e5m2))", RuntimeError, "outer: Expected 1-D argument self, but got 2-D"),
    ("torch.ger(d, torch.ones(2).to(torch.float8_e5m2))", RuntimeError, "outer: Expected 1-D argument self, but got 2-D"),
    ("torch.addr(b, d[0], d, beta=1j)", RuntimeError, "addr: Expected 1-D argument vec2, but got 2-D"),
    ("torch.inner(d, i[:, :2])", RuntimeError, "inner() the last dimension must match on both input tensors but got shapes [2, "),
    ("torch.inner(d, i, out=c)", RuntimeError, "both inputs should have same dtype"),
    ("torch.tensordot(d, i, dims=([0], [0, 1]))", RuntimeError, "both dimension lists should have same length"),
    ("torch.tensordot(d, i, dims=([0], [1]))", RuntimeError, "both inputs should have same dtype"),
    ("torch.tensordot(d, d, dims=([0], [1]), out=i)", RuntimeError, "contracted dimensions need to match, but first has size 2 "),
    ("torch.linalg.vecdot(i, d[:, :2])", RuntimeError, "linalg.vecdot: Expected a floating point or complex tensor as input. Go"),
    ("torch.linalg.vecdot(d, c[:, :2], dim=7)", RuntimeError, "linalg.vecdot: Expected x and y to have the same dtype, but foun"),
    ("torch.linalg.multi_dot([d, d.t(), d[:, :2]], out=i)", RuntimeError, "multi_dot(): expected out tensor to have dtype float"),
    ("F.bilinear(d, i, torch.ones(2, 7, 7))", RuntimeError, "All tensors must have the same dtype, got input1: float, input2: l"),
    ("F.bilinear(d, d, torch.ones(2, 7, 7), torch.ones(2, dtype=torch.int64))", RuntimeError, "All tensors must have the same d"),
    ("F.bilinear(b, b, torch.ones(2, 7, 7, dtype=torch.bool))", RuntimeError, "bilinear(): input1 size does not match weight si"),
    ("torch.addbmm(d[:, :2], i[None], d[None])", RuntimeError, "The expanded size of the tensor (3) must match the existing siz"),
    ("torch.addbmm(i[:, :2], d[None], d.t()[None], out=i)", RuntimeError, "self and mat2 must have the same dtype, but got Long"),
    ("torch.addbmm(b[:, :2], b[None], b[None])", RuntimeError, "The expanded size of the tensor (3) must match the existing siz"),
    ("torch.matrix_power(d, 2, out=i)", RuntimeError, "linalg.matrix_power: A must be batches of square matrices, but they are "),
    ("torch.matrix_power(d[:, :2], 2, out=i)", RuntimeError, "matrix_power: Expected result to be safely castable from Float dt"),
    ("torch.matrix_power(i, -1)", RuntimeError, "linalg.matrix_power: A must be batches of square matrices, but they are 2 by 3"),
    ("torch.linalg.cross(b[:, :2], d[:, :2])", RuntimeError, "linalg.cross: inputs dimension -1 must have length 3. Got 2 and 2"),
    ("torch.linalg.cross(b, d, out=i)", RuntimeError, "Expected out tensor to have dtype bool, but got long int instead"),
    ("torch.linalg.cross(b, d[:, :2], dim=7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got"),
    ("torch.cdist(i, d[:, :2])", RuntimeError, "X1 and X2 must have the same number of columns. X1: 3 X2: 2"),
    ("torch.cdist(i, c, p=-1.)", RuntimeError, "cdist only supports floating-point dtypes, X1 got: Long"),
    ("torch.cdist(d, d.double(), p=-1.)", RuntimeError, "cdist only supports non-negative p values"),
    ("torch.renorm(i, 2, 7, 1.)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.renorm(i[0], 2, 0, 1.)", RuntimeError, "renorm: input needs at least 2 dimensions, got 1 dimensions"),
    ("torch.renorm(i, 2, 0, 1., out=c)", RuntimeError, "Expected out tensor to have dtype long int, but got c10::complex<float>"),
    ("torch.linalg.matrix_norm(i[0], 1)", RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions"),
    ("torch.linalg.matrix_norm(i, 3)", RuntimeError, "linalg.matrix_norm: Order 3 not supported."),
    ("torch.linalg.matrix_norm(i, 1, dim=[1])", RuntimeError, "linalg.matrix_norm: Expected a floating point or complex tensor "),
    ("torch.linalg.matrix_norm(i, 'fro', dim=[1, 7], dtype=torch.int16)", RuntimeError, "linalg.matrix_norm: Expected a floatin"),
    ("torch.linalg.norm(i, 1, dim=(0, 0))", RuntimeError, "linalg.matrix_norm: Expected a floating point or complex tensor as i"),
    ("torch.linalg.norm(d, 'fro', dim=(0, 7), dtype=torch.complex64)", IndexError, "Dimension out of range (expected to be in r"),
    ("torch.linalg.norm(i, 1, dim=(0, 1, 1))", RuntimeError, "linalg.norm: If dim is specified, it must be of length 1 or 2. Go"),
    ("torch.frobenius_norm(i, 7)", RuntimeError, "norm(): input dtype should be either floating point or complex. Got Long inst"),
    ("torch.dist(i, i[:, :2])", RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-singleton di"),
    ("torch.dist(b, b[:, :2])", RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `"),
    ("torch.cov(b[None])", RuntimeError, "cov(): expected input to have two or fewer dimensions but got an input with 3 dimensi"),
    ("torch.cov(b, fweights=torch.ones(2, 2))", RuntimeError, "cov(): bool dtype is not supported for input"),
    ("torch.cov(d, fweights=torch.ones(2, 2), aweights=i)", RuntimeError, "cov(): expected fweights to have one or fewer dimens"),
    ("torch.cov(d, fweights=torch.ones(7))", RuntimeError, "cov(): expected fweights to have integral dtype but got fweights wi"),
    ("torch.cov(d, fweights=torch.tensor([1, 1]), aweights=torch.tensor([1, 1]))", RuntimeError, "cov(): expected fweights to h"),
    ("torch.corrcoef(b[None])", RuntimeError, "corrcoef(): expected input to have two or fewer dimensions but got an input with"),
    ("torch.trapezoid(b, dim=7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.trapezoid(b, torch.ones(7))", RuntimeError, "trapezoid: received a bool input for `x` or `y`, but bool is not suppo"),
    ("torch.trapz(d, b[:, :2])", RuntimeError, "trapezoid: received a bool input for `x` or `y`, but bool is not supported"),
    ("torch.trapz(b, dim=7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.cumulative_trapezoid(b, torch.ones(7))", RuntimeError, "cumulative_trapezoid: received a bool input for `x` or `y`,"),
    ("torch.cumulative_trapezoid(b[0, 0])", RuntimeError, "cumulative_trapezoid: received a bool input for `y`, but bool is not"),
    ("torch.linalg.vander(b[0, 0], N=0)", RuntimeError, "linalg.vander supports floating point, complex, and integer tensors, b"),
    ("torch.vander(b)", RuntimeError, "x must be a one-dimensional tensor."),
    ("torch.logsumexp(c, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.logsumexp(c, 7, out=i)", RuntimeError, "logsumexp(): Expected floating point type for result tensor, but got: Long"),
    ("torch.complex(d, i[:, :2])", RuntimeError, "Expected both inputs to be Half, Float or Double tensors but got Float and Lo"),
    ("torch.complex(d, d.double()[:, :2])", RuntimeError, "Expected object of scalar type Float but got scalar type Double for "),
    ("torch.complex(d, d[:, :2], out=i)", RuntimeError, "Expected object of scalar type ComplexFloat but got scalar type Long f"),
    ("torch.polar(i, d[:, :2], out=i)", RuntimeError, "Expected both inputs to be Half, Float or Double tensors but got Long an"),
    ("torch.polar(d, d[:, :2], out=i)", RuntimeError, "Expected object of scalar type ComplexFloat but got scalar type Long for"),
    ("torch.isclose(d, i[:, :2])", RuntimeError, "Float did not match Long"),
    ("torch.isclose(d, i, rtol=-1)", RuntimeError, "Float did not match Long"),
    ("torch.isclose(d, d[:, :2], rtol=-1)", RuntimeError, "rtol must be greater than or equal to zero, but got -1"),
    ("torch.frexp(i, out=(d, d))", RuntimeError, "torch.frexp() only supports floating-point dtypes"),
    ("torch.frexp(c, out=(c, i.int()))", RuntimeError, "torch.frexp() only supports floating-point dtypes"),
    ("torch.tril(d[0], out=i)", RuntimeError, "tril: input tensor must have at least 2 dimensions"),
    ("torch.diag(torch.ones(1, 1, 1), out=i)", RuntimeError, "Supports 1D or 2D tensors. Got 3D"),
    ("torch.clamp_min(i[:, :2], 1.5, out=i)", RuntimeError, "Found dtype Long but expected Float"),
    ("i.clamp_(1.5, torch.tensor(2))", RuntimeError, "result type Float can't be cast to the desired output type long int"),
    ("torch.clamp(i, 1e30, out=b)", RuntimeError, "Found dtype Bool but expected Float"),
    ("torch.sub(b, d[:, :2], alpha=True)", RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported. I"),
    ("torch.add(i, i[:, :2], alpha=1.5)", RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-si"),
    ("torch.add(d, d[:, :2], alpha=2j)", RuntimeError, "The size of tensor a (3) must match the size of tensor b (2) at non-sin"),
    ("torch.add(b, b, alpha=1.5, out=d)", RuntimeError, "For integral input tensors, argument alpha must not be a floating poin"),
    ("torch.nansum(c, 7, dtype=torch.int64)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got "),
    ("torch.div(c, c[:, :2], rounding_mode='floor')", RuntimeError, "The size of tensor a (3) must match the size of tensor b ("),
]


# Of a bad value and a dtype the CPU finds the value first; a device looks at values after the call, which is refused before.
VALUE_FIRST = {"b.index_reduce_(0, torch.tensor([0, 9]), b.clone(), 'mean')",
               "c.index_reduce_(0, torch.tensor([9, 0]), c.clone(), 'amax')"}
LATE = pytest.mark.cpu_only("a bad value is found before a bad dtype")
CASES = [pytest.param(*case, id=f"{at}", marks=LATE if case[0] in VALUE_FIRST else ()) for at, case in enumerate(REFUSED)]


@pytest.mark.parametrize("statement, error, text", CASES)
def test_what_is_refused_and_how(statement, error, text):
    names = {"torch": torch, "F": F, "x": torch.ones(4), "d": torch.ones(2, 3), "b": torch.ones(2, 3, dtype=torch.bool),
             "i": torch.ones(2, 3, dtype=torch.int64), "c": torch.ones(2, 3, dtype=torch.complex64),
             "g": torch.ones(2, 3, requires_grad=True)}
    before = {name: (value.tolist(), value.shape, value._version) for name, value in names.items() if name in "xdbicg"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error) as caught:
            exec(statement, names)
    assert str(caught.value).splitlines()[0].startswith(text), statement
    after = {name: (names[name].tolist(), names[name].shape, names[name]._version) for name in before}
    assert after == before, statement  # a refusal writes nothing


def test_a_second_backward_through_what_saved_nothing():
    x = torch.ones(4, 4, requires_grad=True)
    for y in (x.addmm(torch.ones(4, 2), torch.ones(2, 4)), x % torch.tensor(3.0), torch.fmod(x, torch.ones(4)),
              x.addcmul(torch.ones(4), torch.ones(4)),
              x.index_add(0, torch.tensor([1]), torch.ones(1, 4)), x.scatter_add(0, torch.tensor([[1]]), torch.ones(1, 1))):
        y.pow(2).mean().backward()
        assert torch.autograd.grad(y.sum(), [x])[0].tolist() == [[1.0] * 4] * 4
    for y in (x * x, x * 2, torch.remainder(torch.ones(4), x), torch.fmod(x, x)):
        y.sum().backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            y.sum().backward()


def test_ellipses_beyond_the_last_dim():
    t = torch.zeros(2, 3)
    assert t[None, None, ..., ..., ...].shape == (1, 1, 2, 3) and t[0, ..., ..., ...].shape == (3,)


def test_one_value_of_the_tensor_itself_at_the_places_of_a_mask():
    t = torch.tensor([1, 2, 3])
    t[torch.tensor([True, True, False])] = t[2]
    assert t.tolist() == [3, 3, 3]
    t = torch.tensor([1, 2, 3])
    t[torch.tensor([True, True, True])] = t[1:2]
    assert t.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError, match="some elements of the input tensor"):
        t[torch.tensor([True, True, False])] = t[1:]


def test_weights_of_classes_of_images_have_any_shape():
    weight = torch.tensor([1.0, 3.0, 5.0]).view(1, 3, 1)
    loss = F.nll_loss(torch.ones(1, 3, 2), torch.tensor([[1, 0]]), weight=weight, reduction="none")
    assert loss.tolist() == [[-3, -1]]


def test_no_slice_needs_no_kernel():
    empty = torch.zeros(0, dtype=torch.int64)
    for t, how in ((torch.ones(2, 3, dtype=torch.bool), "mean"), (torch.ones(2, 3, dtype=torch.complex64), "amin")):
        assert t.index_reduce(0, empty, t[:0], how).tolist() == t.tolist()


def test_inverting_a_float_says_who_it_is_and_what_mends_it():
    with pytest.raises(TypeError) as caught:
        ~torch.ones(2)
    text = str(caught.value)
    assert text.startswith("~ (operator.invert) is only implemented on integer and Boolean-type tensors\n")
    assert "born as float32" in text and "fix: torch.ones(2).long()" in text and caught.value.karat["fixes"]


def test_one_element_of_the_tensor_itself_fills_its_slices():
    t = torch.tensor([[1, 2], [3, 4]])
    assert t.index_fill_(1, torch.tensor([0]), t[1, 1]).tolist() == [[4, 2], [4, 4]]
    assert t.masked_fill_(t == 4, t[0, 1]).tolist() == [[2, 2], [2, 2]]


def test_a_correction_that_is_complex_and_real():
    assert torch.var(torch.tensor([1.0, 3.0]), correction=0.5 + 0j).item() == pytest.approx(2 / 1.5)


@pytest.mark.parametrize("sizes", [(3,), (2, 2, 3)])
def test_a_number_as_bias_must_fit_the_product(sizes):
    weight = torch.ones(3, 3, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        torch.nn.functional.linear(torch.ones(sizes, dtype=torch.int64), weight, torch.tensor(1.9))
    made = torch.nn.functional.linear(torch.ones(sizes, requires_grad=True), torch.ones(3, 3), torch.tensor(1.5))
    assert made.dtype == torch.float32 and made.grad_fn.name() == "AddBackward0" and made.flatten()[0].item() == 4.5
    with torch.policy("permissive"):
        assert torch.nn.functional.linear(torch.ones(sizes, dtype=torch.int64), weight, torch.tensor(1.5)).dtype == torch.float32


def test_products_of_many_and_areas_of_nothing():
    a, whole = torch.ones(1, 2), torch.ones(1, 2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="tensors 0 and 1 with shapes"):
        torch.linalg.multi_dot([a, a, whole])
    with pytest.raises(RuntimeError, match="must have be the same dtype but tensor 0 is float and tensor 1"):
        torch.linalg.multi_dot([a, whole, a])
    narrow = torch.ones(3).to(torch.float8_e5m2)
    with pytest.raises(RuntimeError, match="The expanded size of the tensor"):
        torch.ones(3).addr(narrow, torch.ones(1))
    none = torch.zeros(0, dtype=torch.bool)
    assert torch.trapz(none).item() is False and torch.trapz(none, torch.zeros(0)).item() is False
    with pytest.raises(RuntimeError, match="bool is not supported"):
        torch.trapz(torch.zeros(1, dtype=torch.bool))


def test_dims_are_told_as_they_were_given():
    with pytest.raises(RuntimeError, match=r"input.size\(-1\) = 3"):
        torch.ones(2, 3).repeat_interleave(torch.tensor([2, 2, 2, 2]), dim=-1)
    with pytest.raises(RuntimeError, match="dim must be a 2-tuple. Got 1 2 0"):
        torch.linalg.matrix_norm(torch.ones(2, 2, 2), dim=[1, 2, 0])


def test_a_target_that_is_resized_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert torch.bernoulli(torch.ones(2, 3), out=torch.empty(4)).tolist() == [[1, 1, 1]] * 2
        assert torch.multinomial(torch.ones(2, 3), 2, out=torch.empty(1, dtype=torch.int64)).shape == (2, 2)
        one = torch.ones(1, 2, 2)
        assert torch.addbmm(torch.ones(2, 2), one, one, out=torch.empty(3)).tolist() == [[3, 3], [3, 3]]


def test_the_largest_may_be_written_over_what_they_were_taken_from():
    x = torch.tensor([3.0, 1.0, 2.0])
    values, places = torch.topk(x, 3, out=(x, torch.empty(0, dtype=torch.int64)))
    assert x.tolist() == [3, 2, 1] and values is x and places.tolist() == [0, 2, 1]
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.topk(x, 2, out=(x[:2], torch.empty(0, dtype=torch.int64)))


def test_sizes_are_refused_first_also_when_the_dtypes_are_known():
    d = torch.ones(2, 3)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="^For non-complex input tensors, argument alpha"):
            torch.add(d, d, alpha=2j)
        with pytest.raises(RuntimeError, match="^The size of tensor a"):
            torch.add(d, d[:, :2], alpha=2j)
