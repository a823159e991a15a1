"""What goes by an index, a mask or an order: two mistakes in one call, of which the one that PyTorch 2.11 looks at first speaks,
in its words. A line for each refusal of tables/refusals.def in these families whose row also looks at shapes or memory."""

import warnings

import karat as torch
import pytest

F = torch.nn.functional
SHARED = "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location."
REPEATED = "unsupported operation: more than one element of the written-to tensor refers to a single memory location."

REFUSED = [
    # dims, dtypes of index and source, sizes; of what is written to the dtype and memory come where PyTorch looks at them
    ("torch.take(d, d, out=i)", RuntimeError, "take(): Expected a long tensor for index, but got Float"),
    ("torch.take(d, d[0], out=x[0].expand(3))", RuntimeError, "take(): Expected a long tensor for index, but got Float"),
    ("d.put(d, i)", RuntimeError, "put_(): Expected a long tensor for index, but got Float"),
    ("d.put(i, i[0])", RuntimeError, "put_(): self and source expected to have the same dtype, but got self.dtype = Float an"),
    ("d.put_(d, d)", RuntimeError, "put_(): Expected a long tensor for index, but got Float"),
    ("d.index_put((i[0, :2],), i[0, :2])", RuntimeError, "shape mismatch: value tensor of shape [2] cannot be broadcast to i"),
    ("d.index_put((i[0, :2],), torch.ones(2, 3).long())", RuntimeError, "Index put requires the source and destination dtype"),
    ("torch.gather(d, 7, d)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.gather(d, 0, d[0])", RuntimeError, "gather(): Expected dtype int32/int64 for index"),
    ("torch.gather(d, 0, d[0], out=i)", RuntimeError, "Expected out tensor to have dtype float, but got long int instead"),
    ("torch.gather(d, 0, d[0], out=d)", RuntimeError, SHARED),
    ("torch.scatter(d, 7, d, i)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.scatter(d, 0, d[0], i)", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("torch.scatter(d, 0, i[0], i)", RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype"),
    ("torch.scatter(d, 0, i[:0].float(), i)", RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype"),
    ("torch.scatter(d, 0, i[0], d, out=x[0].expand(2, 3))", RuntimeError, "Index tensor must have the same number of dimensi"),
    ("torch.scatter(d, 0, i, i, out=i)", RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype"),
    ("torch.scatter(d, 0, d[0], 1, out=i)", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("torch.scatter(d, 0, d[0], d, reduce='no')", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("torch.scatter(d, 0, d[0], 1, reduce='no')", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("x[0].expand(2, 3).scatter_(0, i, d, reduce='no')", RuntimeError, REPEATED),
    ("torch.scatter(d, 0, i, d, reduce='no', out=i)", RuntimeError, SHARED),
    ("torch.scatter_add(d, 7, d, i)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.scatter_add(d, 0, i[0], i)", RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype"),
    ("torch.scatter_reduce(d, 0, d[0], i, 'no')", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
    ("torch.scatter_reduce(d, 0, i[0], i, 'no')", RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype"),
    ("torch.scatter_reduce(c, 0, i, c, 'amax', out=i)", RuntimeError, SHARED),
    ("torch.index_select(d, 7, d)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.index_select(d, 0, d)", IndexError, "index_select(): Index is supposed to be a vector"),
    ("torch.index_select(d, 0, d[0], out=i)", RuntimeError, "index_select(): Expected dtype int32 or int64 for index"),
    ("torch.index_select(d[:, :0], 1, d[0])", RuntimeError, "index_select(): Expected dtype int32 or int64 for index"),
    ("torch.index_add(d, 7, d, i)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.index_add(d, 0, d, i)", IndexError, "index_add_(): Index is supposed to be a vector, but got dim: 2 with type: F"),
    ("torch.index_add(d, 0, d[0], i[:, :2])", RuntimeError, "index_add_(): Expected dtype int32/int64 for index but got: Flo"),
    ("torch.index_add(d, 0, i[0], i[:, :2])", RuntimeError, "index_add_(): self (Float) and source (Long) must have the same"),
    ("d.index_add_(0, i[0, :2], d, alpha=1j)", RuntimeError, SHARED),
    ("x[0].expand(2, 3).index_add_(0, i, d)", IndexError, "index_add_(): Index is supposed to be a vector, but got dim: 2 wi"),
    ("torch.index_reduce(d, 0, d[0], i[:, :2], 'sum')", RuntimeError, "index_reduce(): Expected reduce to be one of prod, me"),
    ("torch.index_reduce(d, 0, d[0], i[:, :2], 'mean')", RuntimeError, "index_reduce_(): Expected dtype int32/int64 for inde"),
    ("torch.index_reduce(d, 0, i[0], i[:, :2], 'mean')", RuntimeError, "index_reduce_(): self (Float) and source (Long) must"),
    ("torch.index_copy(d, 0, d, i)", IndexError, "index_copy_(): Index should have dimension 1 or 0 (got 2)"),
    ("torch.index_copy(d, 0, d[0], i)", RuntimeError, "index_copy_(): Expected a long tensor for index, but got Float"),
    ("torch.index_copy(d, 0, d[0], i[0])", IndexError, "index_copy_(): When source and destination are not scalars, their di"),
    ("torch.index_copy(d, 0, i[0], i)", RuntimeError, "index_copy_(): self and source expected to have the same dtype, but g"),
    ("x[0].expand(2, 3).index_copy_(0, i, d)", RuntimeError, REPEATED),
    ("torch.take_along_dim(d, d[0], 7)", RuntimeError, "torch.take_along_dim(): input and indices should have the same numbe"),
    ("torch.take_along_dim(d, d, 7)", RuntimeError, "torch.take_along_dim(): dtype of indices should be Long but got Float"),
    ("torch.take_along_dim(d, d)", RuntimeError, "gather(): Expected dtype int32/int64 for index"),
    # the value of a fill, the dtype of its index, memory, a complex number, the dim, the index's dims
    ("d.index_fill(7, d, torch.ones(2))", RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got ten"),
    ("d.index_fill_(0, d, 1.0)", IndexError, "index_fill_(): Expected dtype int64 for index."),
    ("d.index_fill_(0, d, torch.ones(2))", RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got te"),
    ("i.index_fill_(0, i[0], 1j)", RuntimeError, SHARED),
    ("i.index_fill_(0, i[0], torch.ones(2))", RuntimeError, "index_fill_ only supports a 0-dimensional value tensor, but got"),
    ("d.index_fill(0, i, 1j)", RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not supported"),
    ("d.index_fill(7, i[0], 1j)", RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not support"),
    ("d.index_fill(7, i, torch.tensor(1j))", RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is "),
    ("d.index_fill(7, i, 1)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    # masks: broadcast first, but in place the dtype and memory are
    ("d.masked_fill(d[:, :2], 1)", RuntimeError, "The size of tensor a (2) must match the size of tensor b (3) at non-single"),
    ("d.masked_fill(d[:, :2], torch.tensor(1.0))", RuntimeError, "The size of tensor a (2) must match the size of tensor b ("),
    ("d.masked_fill_(d[:, :2], 1)", RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype float"),
    ("d.masked_fill_(d.expand(2, 2, 3), 1)", RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtyp"),
    ("b.masked_fill_(b[0], torch.ones(2))", RuntimeError, "masked_fill_ only supports a 0-dimensional value tensor, but got "),
    ("b.masked_fill_(b[:1].view(torch.uint8), 1)", RuntimeError, "masked_fill_ only supports boolean masks, but got mask wit"),
    ("b.masked_fill_(b.view(-1)[1:3], 1)", RuntimeError, SHARED),
    ("torch.masked_select(d, d[:, :2], out=i)", RuntimeError, "masked_select: expected BoolTensor for mask"),
    ("torch.masked_select(d, d, out=x[0].expand(4))", RuntimeError, "masked_select: expected BoolTensor for mask"),
    ("d.masked_scatter(d[:, :2], i)", RuntimeError, "The size of tensor a (2) must match the size of tensor b (3) at non-sin"),
    ("d.masked_scatter(i[:, :2], d)", RuntimeError, "The size of tensor a (2) must match the size of tensor b (3) at non-sin"),
    ("torch.nonzero(d, out=torch.ones(1, dtype=torch.int64).expand(7, 7))", RuntimeError, REPEATED),
    ("torch.nonzero_static(d, size=-1, out=d)", RuntimeError, "nonzero_static: 'size' must be an non-negative integer"),
    ("F.embedding(d[0], d[0])", RuntimeError, "'weight' must be 2-D"),
    ("F.embedding(d, d)", RuntimeError, "Expected tensor for argument #1 'indices' to have one of the following scalar types"),
    ("F.embedding(b, d)", RuntimeError, "Expected tensor for argument #1 'indices' to have one of the following scalar types"),
    ("F.one_hot(d, 0)", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
    ("F.one_hot(i.int(), 2)", RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."),
    ("torch.repeat_interleave(d[0], output_size=-3)", NotImplementedError, "\"repeat_interleave_cpu\" not implemented for 'Flo"),
    ("d.repeat_interleave(d, 0)", RuntimeError, "repeats must be 0-dim or 1-dim tensor"),
    ("d.repeat_interleave(d[0], 0)", RuntimeError, "repeats must have the same size as input along dim, but got repeats.size"),
    ("d.repeat_interleave(d[0], 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("d.repeat_interleave(d[0], 1, output_size=-3)", NotImplementedError, "\"repeat_interleave_cpu\" not implemented for 'Floa"),
    # order and sets
    ("torch.topk(b, 9)", RuntimeError, "selected index k out of range"),
    ("torch.topk(c, 2, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.topk(b, 2, out=(d, i))", RuntimeError, "topk does not support bool dtypes on CPU"),
    ("torch.argsort(c, 7)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 7)"),
    ("torch.unique(c, dim=7)", NotImplementedError, "\"unique_dim\" not implemented for 'ComplexFloat'"),
    ("torch.isin(b, c)", RuntimeError, "Unsupported input type encountered for isin(): Bool"),
    ("torch.isin(i, c, out=d)", RuntimeError, "Unsupported input type encountered for isin(): ComplexFloat"),
    ("torch.isin(i, 1j, out=d)", RuntimeError, "Unsupported input type encountered for isin(): ComplexDouble"),
    ("torch.isin(i, True)", RuntimeError, "Unsupported input type encountered for isin(): Bool"),
    ("torch.isin(1j, b)", RuntimeError, "Unsupported input type encountered for isin(): ComplexDouble"),
    ("torch.isin(c, True)", RuntimeError, "Unsupported input type encountered for isin(): ComplexFloat"),
    ("torch.isin(i, i, out=d)", RuntimeError, "Expected out tensor to have dtype bool, but got float instead"),
    ("torch.isin(i.to(torch.uint16), i.to(torch.uint32), out=d)", RuntimeError, "Expected out tensor to have dtype bool, but"),
    # searches: the sorter, sizes, out=, then the common dtype
    ("torch.searchsorted(d, d, sorter=d)", RuntimeError, "torch.searchsorted(): sorter must be a tensor of long dtype but go"),
    ("torch.searchsorted(d, d, sorter=d[0])", RuntimeError, "torch.searchsorted(): boundary and sorter must have the same si"),
    ("torch.searchsorted(c, c[0], out=d)", RuntimeError, "torch.searchsorted(): boundaries tensor should be 1 dimension or t"),
    ("torch.searchsorted(c, c, out=d)", RuntimeError, "torch.searchsorted(): output tensor's dtype is wrong, it can only be "),
    ("torch.searchsorted(c, c, out=i, out_int32=True)", RuntimeError, "torch.searchsorted(): output tensor's dtype is wrong,"),
    ("torch.searchsorted(c, c, out=i.int(), out_int32=True)", NotImplementedError, "\"searchsorted_out_cpu\" not implemented f"),
    ("torch.searchsorted(d, 1j)", RuntimeError, "torch.searchsorted(): input value can be a scalar only when boundaries tens"),
    ("torch.searchsorted(d[0], 1j, out=d)", RuntimeError, "torch.searchsorted(): output tensor's dtype is wrong, it can only"),
    ("torch.searchsorted(d[0], 1j)", NotImplementedError, "\"searchsorted_out_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.searchsorted(i.to(torch.uint16), i[0].to(torch.uint32))", RuntimeError, "torch.searchsorted(): boundaries tensor"),
    ("torch.bucketize(c, d)", RuntimeError, "boundaries tensor must be 1 dimension, but got dim(2)"),
    ("torch.bucketize(d, c[0], out=d)", RuntimeError, "torch.searchsorted(): output tensor's dtype is wrong, it can only be "),
    ("torch.bucketize(1j, d[0])", NotImplementedError, "\"searchsorted_out_cpu\" not implemented for 'ComplexFloat'"),
    # counts: the kernels that are missing are met one by one
    ("torch.bincount(d, minlength=-1)", NotImplementedError, "\"bincount_cpu\" not implemented for 'Float'"),
    ("torch.histc(c, bins=0, out=d)", RuntimeError, "torch.histogram: input tensor and hist tensor should have the same dtyp"),
    ("torch.histc(c, bins=0)", RuntimeError, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
    ("torch.histc(c)", NotImplementedError, "\"aminmax_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.histc(c, min=0, max=3)", NotImplementedError, "\"histogram_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.histc(b, min=3, max=0)", RuntimeError, "torch.histc: max must be larger than min"),
    ("torch.histc(b)", NotImplementedError, "\"linspace_cpu\" not implemented for 'Bool'"),
    ("torch.histogram(d, 0, out=(i, d))", RuntimeError, "torch.histogram: input tensor and hist tensor should have the same "),
    ("torch.histogram(i, 3, out=(i.clone(), d))", RuntimeError, "torch.histogram: input tensor and bin_edges tensor should h"),
    ("torch.histogram(b, 3, range=(2.0, 1.0))", RuntimeError, "torch.histogramdd: min should not exceed max, but got min 2 m"),
    ("torch.histogram(b, 3)", NotImplementedError, "\"histogramdd\" not implemented for 'Bool'"),
    ("torch.histogram(b, 3, range=(0.0, 1.0), weight=d)", NotImplementedError, "\"linspace_cpu\" not implemented for 'Bool'"),
    ("torch.histogram(i, 3, range=(0.0, 1.0), weight=d)", RuntimeError, "torch.histogramdd: if weight tensor is provided, in"),
    ("torch.histogram(i, 3, range=(0.0, 1.0), weight=i[0])", RuntimeError, "torch.histogramdd: if weight tensor is provided "),
    ("torch.histogram(c, 3, range=(0.0, 1.0))", NotImplementedError, "\"histogram_cpu\" not implemented for 'ComplexFloat'"),
    ("torch.histogram(d, i)", RuntimeError, "torch.histogramdd: input tensor and bins tensors should have the same dtype, bu"),
    ("torch.histogram(d, i[0], weight=i)", RuntimeError, "torch.histogramdd: input tensor and bins tensors should have the s"),
    ("torch.histogram(d, d, out=(i, i))", RuntimeError, "torch.histogramdd: bins tensor should have one dimension, but got 2"),
    ("torch.histogram(i, i[0], weight=d)", RuntimeError, "torch.histogramdd: if weight tensor is provided, input tensor and "),
    ("torch.histogram(i, i[0], weight=i[0])", RuntimeError, "torch.histogramdd: if weight tensor is provided it should have "),
    ("torch.histogram(i, i[0], out=(d, d))", RuntimeError, "torch.histogram: input tensor and hist tensor should have the sa"),
    ("torch.histogram(i, i[0, :1])", RuntimeError, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
    # quantiles
    ("torch.quantile(i, d)", RuntimeError, "quantile() q must be a scalar or 1D tensor"),
    ("torch.quantile(i, d[0])", RuntimeError, "quantile() input tensor must be either float or double dtype"),
    ("torch.quantile(d, d.double()[0], out=i)", RuntimeError, "quantile() q tensor must be same dtype as the input tensor"),
    ("torch.quantile(d, d[0], 7, out=i)", RuntimeError, "quantile() out tensor must be same dtype as the input tensor"),
    ("torch.quantile(i, 2.0)", RuntimeError, "quantile() q must be in the range [0, 1] but got 2"),
    ("torch.quantile(d.half(), 0.5, 7)", RuntimeError, "quantile() input tensor must be either float or double dtype"),
    ("torch.nanquantile(c, d[0], 7)", RuntimeError, "quantile() input tensor must be either float or double dtype"),
    ("torch.nanquantile(d, 0.5, 7, out=i)", RuntimeError, "quantile() out tensor must be same dtype as the input tensor"),
]


@pytest.mark.parametrize("statement, error, text", REFUSED, ids=[f"{at}" for at in range(len(REFUSED))])
def test_the_first_mistake_speaks(statement, error, text):
    names = {"torch": torch, "F": F, "x": torch.ones(4), "d": torch.ones(2, 3), "b": torch.ones(2, 3, dtype=torch.bool),
             "i": torch.ones(2, 3, dtype=torch.int64), "c": torch.ones(2, 3, dtype=torch.complex64)}
    before = {name: (names[name].tolist(), names[name].shape, names[name]._version) for name in "xdbic"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(error) as caught:
            exec(statement, names)
    assert str(caught.value).splitlines()[0].startswith(text), statement
    after = {name: (names[name].tolist(), names[name].shape, names[name]._version) for name in "xdbic"}
    assert after == before, statement  # a refusal writes nothing


@pytest.mark.parametrize("write", [
    lambda d, i, one: torch.scatter(d, 0, i, torch.ones(2, 3), out=one),
    lambda d, i, one: torch.scatter(d, 0, i, 1.0, reduce="add", out=one),
    lambda d, i, one: torch.scatter_reduce(d, 0, i, torch.ones(2, 3), "sum", out=one),
    lambda d, i, one: torch.index_add(d, 0, i[0, :2], torch.ones(2, 3), out=one),
    lambda d, i, one: torch.index_copy(d, 0, i[0, :2], torch.ones(2, 3), out=one),
    lambda d, i, one: torch.index_reduce(d, 0, i[0, :2], torch.ones(2, 3), "amax", out=one),
])
def test_a_row_of_self_that_grows_to_all_of_it_is_written(write):
    """Memory is looked at when out= has its sizes: resized, this one is self itself."""
    i = torch.zeros(2, 3, dtype=torch.int64)
    own, other = torch.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = write(own, i, own[0])
    assert made.tolist() == write(other, i, torch.empty(2, 3)).tolist() == own.tolist()


@pytest.mark.parametrize("policy", ["strict", "safe", "torch", "permissive"])
def test_numbers_that_are_searched_for_have_no_dtype_to_lose(policy):
    row = torch.tensor([1.0, 2.0, 3.0])
    with torch.policy(policy):
        assert torch.searchsorted(row, 2).item() == torch.bucketize(2, row).item() == 1
        assert torch.isin(row, 2).tolist() == [False, True, False] and torch.isin(2, row).item() is True
        assert torch.searchsorted(row, 2, out_int32=True).dtype == torch.int32
