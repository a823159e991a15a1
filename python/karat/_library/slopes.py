"""slopes.py - overloads of torch.ops.aten that are the derivative of another operator and have no row of their own: a schema, and
the operator whose gradient they are, which the engine records and asks for it; and others that are one call of another."""

from .. import _karat

_row = {**_karat.nn_functions, **_karat.functions}
_WORDS = ("none", "mean", "sum")


def slopes(function, inputs, grad):
    """The gradients of function(*inputs) along `grad`, for inputs that are tensors."""
    from ..func import vjp

    return vjp(function, *inputs)[1](grad)


def _slope(function, x, grad):
    return slopes(function, (x,), grad)[0]


def _zeros(grad, sizes):
    return grad.new_zeros(sizes)


def _pad(mode):
    def pad(x, padding):
        from ..nn.functional import pad as padded

        return padded(x, list(padding), mode)

    return pad


def _pad_backward(mode):
    return lambda grad, x, padding: _slope(lambda own: _pad(mode)(own, padding), x, grad)


def _nll(name):
    def forward(x, target, weight, reduction, ignore_index):
        one = _row[name](x, target, weight, reduction, ignore_index)
        if reduction == 0:
            return one, x.new_zeros(())
        counted = _row[name](x.new_full(x.shape, -1.0), target, weight, 2, ignore_index)
        return one, counted

    def backward(grad, x, target, weight, reduction, ignore_index, total_weight):
        return _slope(lambda own: _row[name](own, target, weight, reduction, ignore_index), x, grad)

    return forward, backward


def _bce_backward(grad, x, target, weight, reduction):
    from ..nn.functional import binary_cross_entropy

    return _slope(lambda own: binary_cross_entropy(own, target, weight, reduction=_WORDS[reduction]), x, grad)


def _batch_norm_backward(grad, x, weight, mean, var, saved_mean, saved_invstd, train, eps, mask):
    given = [x] + ([weight] if weight is not None else [])
    bias = weight.new_zeros(weight.shape) if weight is not None else None
    wanted = given + ([bias] if bias is not None else [])

    def function(own, weight=None, bias=None):
        running = (None, None) if train else (mean, var)
        return _row["batch_norm"](own, weight, bias, *running, train, 0.0, eps, False)

    found = list(slopes(function, wanted, grad)) + [None] * (3 - len(wanted))
    return tuple(one if wanted else None for one, wanted in zip(found, mask))


def _embedding_backward(grad, indices, n, padding_idx, by_frequency):
    table = grad.new_zeros((n, grad.shape[-1]))
    return _slope(lambda own: _row["embedding"](own, indices, padding_idx, by_frequency, False), table, grad)


def _resized(name, dims):
    """The overload with all sizes and factors in lists, of the row that has one for each dim."""

    def resize(x, output_size, *more):
        corners, factors = more if len(more) == 2 else (None, *more)
        if (output_size is None) == (factors is None):
            raise RuntimeError("Must specify exactly one of output_size and scale_factors")
        sizes = output_size if output_size is not None else [int(n * f) for n, f in zip(x.shape[2:], factors)]
        given = [None] * dims if factors is None else list(factors)
        return _row[name](x, sizes, *(() if corners is None else (corners,)), *given)

    return resize


_nll_forward, _nll_backward = _nll("nll_loss")
_nll2d_forward, _nll2d_backward = _nll("nll_loss2d")
_NLL = "Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index"
_BATCH_NORM = ("Tensor grad_out, Tensor input, Tensor? weight, Tensor? running_mean, Tensor? running_var, Tensor? save_mean, "
               "Tensor? save_invstd, bool train, float eps, bool[3] output_mask")

FUNCTIONS = {
    f"nll_loss_forward({_NLL}) -> (Tensor output, Tensor total_weight)": _nll_forward,
    f"nll_loss2d_forward({_NLL}) -> (Tensor output, Tensor total_weight)": _nll2d_forward,
    f"nll_loss_backward(Tensor grad_output, {_NLL}, Tensor total_weight) -> Tensor": _nll_backward,
    f"nll_loss2d_backward(Tensor grad_output, {_NLL}, Tensor total_weight) -> Tensor": _nll2d_backward,
    "binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> "
    "Tensor":
        _bce_backward,
    "logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor":
        lambda grad, x, eps: _slope(lambda own: _row["logit"](own, eps), x, grad),
    f"native_batch_norm_backward({_BATCH_NORM}) -> (Tensor, Tensor, Tensor)": _batch_norm_backward,
    "embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool "
    "scale_grad_by_freq) -> Tensor": _embedding_backward,
    "_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor": lambda a, b, p, mode: _row["cdist"](a, b, p),
    "_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) -> Tensor":
        lambda grad, a, b, p, found: _slope(lambda own: _row["cdist"](own, b, p), a, grad),
    "_pdist_forward(Tensor self, float p=2.) -> Tensor": lambda x, p: _row["pdist"](x, p),
    "_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor":
        lambda grad, x, p, found: _slope(lambda own: _row["pdist"](own, p), x, grad),
    "_euclidean_dist(Tensor x1, Tensor x2) -> Tensor": lambda a, b: _row["cdist"](a, b, 2.0),
    "select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor":
        lambda grad, sizes, dim, index: _slope(lambda own: own.select(dim, index), _zeros(grad, sizes), grad),
    "slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor":
        lambda grad, sizes, dim, start, end, step: _slope(lambda own: own[(slice(None),) * (dim % len(sizes)) +
                                                                          (slice(start, end, step),)], _zeros(grad, sizes), grad),
    "diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor":
        lambda grad, sizes, *dims: _slope(lambda own: own.diagonal(*dims), _zeros(grad, sizes), grad),
    "unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor":
        lambda grad, sizes, *more: _slope(lambda own: own.unfold(*more), _zeros(grad, sizes), grad),
    "index_select_backward(Tensor grad, SymInt[] self_sizes, int dim, Tensor index) -> Tensor":
        lambda grad, sizes, dim, index: _slope(lambda own: own.index_select(dim, index), _zeros(grad, sizes), grad),
    "trace_backward(Tensor grad, SymInt[] sizes) -> Tensor":
        lambda grad, sizes: _slope(lambda own: own.trace(), _zeros(grad, sizes), grad),
    "_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor": lambda x, indices: _row["index"](x, indices),
    "_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor":
        lambda x, *more: _row["index_put"](x, *more),
    "gelu_(Tensor(a!) self, *, str approximate=\"none\") -> Tensor(a!)":
        lambda x, approximate: x.copy_(_row["gelu"](x, approximate=approximate)),
    "sym_is_contiguous(Tensor self, MemoryFormat memory_format=0) -> SymBool": lambda x, form: x.is_contiguous(),
    "type_as(Tensor self, Tensor other) -> Tensor": lambda x, other: x.type_as(other),
    "get_device(Tensor self) -> int": lambda x: x.get_device(),
    "element_size(Tensor self) -> int": lambda x: x.element_size(),
    "is_inference(Tensor self) -> bool": lambda x: x.is_inference(),
    "is_set_to(Tensor self, Tensor tensor) -> bool": lambda x, other: x.is_set_to(other),
    "mT(Tensor(a) self) -> Tensor(a)": lambda x: x.mT,
    "mH(Tensor(a) self) -> Tensor(a)": lambda x: x.mH,
    "numpy_T(Tensor(a) self) -> Tensor(a)": lambda x: x.T,
    "_is_all_true(Tensor self) -> Tensor": lambda x: x.all(),
    "_is_any_true(Tensor self) -> Tensor": lambda x: x.any(),
    "nll_loss_nd(Tensor self, Tensor target, Tensor? weight=None, int reduction=1, SymInt ignore_index=-100) -> Tensor":
        lambda x, target, weight, reduction, ignore_index: _nll_nd(x, target, weight, reduction, ignore_index),
}


def _nll_nd(x, target, weight, reduction, ignore_index):
    from ..nn.functional import nll_loss

    return nll_loss(x, target, weight, ignore_index=ignore_index, reduction=_WORDS[reduction])


for _n in (1, 2, 3):
    for _word in ("reflection", "replication"):
        _mode = {"reflection": "reflect", "replication": "replicate"}[_word]
        FUNCTIONS[f"{_word}_pad{_n}d(Tensor self, SymInt[{2 * _n}] padding) -> Tensor"] = _pad(_mode)
        FUNCTIONS[f"{_word}_pad{_n}d_backward(Tensor grad_output, Tensor self, SymInt[{2 * _n}] padding) -> Tensor"] = \
            _pad_backward(_mode)
for _name, _dims, _corners in (("nearest1d", 1, False), ("nearest2d", 2, False), ("nearest3d", 3, False), ("linear1d", 1, True),
                               ("bilinear2d", 2, True), ("bicubic2d", 2, True), ("trilinear3d", 3, True)):
    _more = "bool align_corners, " if _corners else ""
    FUNCTIONS[f"upsample_{_name}.vec(Tensor input, SymInt[]? output_size, {_more}float[]? scale_factors) -> Tensor"] = \
        _resized(f"upsample_{_name}", _dims)
