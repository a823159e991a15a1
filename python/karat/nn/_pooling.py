"""karat.nn._pooling: pooling, unpooling, unfold and fold, which PyTorch writes in Python. They bring arguments into the form of
the rows, and return_indices=True chooses the row that returns indices too."""

from .. import _karat
from ..overrides import handle_torch_function, has_torch_function_unary

_Tensor = _karat.Tensor
_rows = _karat.functions | _karat.nn_functions


def _overridden(input):
    return type(input) is not _Tensor and has_torch_function_unary(input)


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _by_return_indices(name, position, with_indices, alone):
    """return_indices, by name or at `position`, says which of the two is called."""

    def dispatched(*args, **kwargs):
        wanted = kwargs["return_indices"] if "return_indices" in kwargs else len(args) > position and args[position]
        return (with_indices if wanted else alone)(*args, **kwargs)

    return _named(dispatched, name, alone.__doc__)


def _sizes_for(output_size, sizes, dims):
    """output_size as a list: one integer stands for all dims, None for the size that the input has."""
    if isinstance(output_size, int):
        return [output_size] * dims
    if len(sizes) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    return [given if given is not None else size for given, size in zip(output_size, sizes[-len(output_size):])]


# ---- the largest ----


def _max_pools(dims):
    name, doc = f"max_pool{dims}d", _rows[f"max_pool{dims}d"].__doc__.partition("\n")[0]
    both, one = _rows[("" if dims == 1 else "_") + name + "_with_indices"], _rows[name]

    def with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if _overridden(input):
            return handle_torch_function(with_indices, (input,), input, kernel_size, stride=stride, padding=padding,
                                         dilation=dilation, ceil_mode=ceil_mode, return_indices=return_indices)
        return both(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)

    def alone(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if _overridden(input):
            return handle_torch_function(dispatched, (input,), input, kernel_size, stride=stride, padding=padding,
                                         dilation=dilation, ceil_mode=ceil_mode, return_indices=return_indices)
        return one(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)

    _named(with_indices, name + "_with_indices", f"{doc}, and their indices")
    _named(alone, "_" + name, doc)
    dispatched = _by_return_indices(name, 6, with_indices, alone)
    return dispatched, with_indices, alone


max_pool1d, max_pool1d_with_indices, _max_pool1d = _max_pools(1)
max_pool2d, max_pool2d_with_indices, _max_pool2d = _max_pools(2)
max_pool3d, max_pool3d_with_indices, _max_pool3d = _max_pools(3)


# ---- to a size ----


def _adaptive_max_pools(dims):
    name = f"adaptive_max_pool{dims}d"
    row = _rows[name if dims == 1 else "_" + name]
    doc = row.__doc__.partition("\n")[0]

    def with_indices(input, output_size, return_indices=False):
        if _overridden(input):
            return handle_torch_function(with_indices, (input,), input, output_size, return_indices=return_indices)
        return row(input, output_size if dims == 1 else _sizes_for(output_size, input.size(), dims))

    def alone(input, output_size, return_indices=False):
        if _overridden(input):
            return handle_torch_function(dispatched, (input,), input, output_size, return_indices=return_indices)
        return with_indices(input, output_size)[0]

    _named(with_indices, name + "_with_indices", doc)
    _named(alone, "_" + name, doc.replace(", and its index", ""))
    dispatched = _by_return_indices(name, 2, with_indices, alone)
    return dispatched, with_indices, alone


adaptive_max_pool1d, adaptive_max_pool1d_with_indices, _adaptive_max_pool1d = _adaptive_max_pools(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices, _adaptive_max_pool2d = _adaptive_max_pools(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices, _adaptive_max_pool3d = _adaptive_max_pools(3)


def _adaptive_avg_pool(dims):
    row = _rows[f"adaptive_avg_pool{dims}d"]

    def average(input, output_size):
        if _overridden(input):
            return handle_torch_function(average, (input,), input, output_size)
        return row(input, _sizes_for(output_size, input.size(), dims))

    return _named(average, f"adaptive_avg_pool{dims}d", row.__doc__.partition("\n")[0])


adaptive_avg_pool2d, adaptive_avg_pool3d = _adaptive_avg_pool(2), _adaptive_avg_pool(3)


# ---- places that are drawn ----


def _fractional_max_pools(dims):
    name = f"fractional_max_pool{dims}d"
    row = _rows["_" + name]
    doc = row.__doc__.partition("\n")[0]

    def with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if _overridden(input):
            return handle_torch_function(with_indices, (input,), input, kernel_size, output_size=output_size,
                                         output_ratio=output_ratio, return_indices=return_indices,
                                         _random_samples=_random_samples)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if output_size is None:
            if dims == 2 and len(output_ratio) > 2:
                raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
            ratios = [output_ratio] * dims if isinstance(output_ratio, (int, float)) else output_ratio
            output_size = [int(input.size(i - dims) * ratios[i]) for i in range(dims)]
        if _random_samples is None:
            batch = 1 if input.dim() == dims + 1 else input.size(0)
            _random_samples = _rows["rand"](batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)
        return row(input, kernel_size, output_size, _random_samples)

    def alone(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if _overridden(input):
            return handle_torch_function(dispatched, (input,), input, kernel_size, output_size=output_size,
                                         output_ratio=output_ratio, return_indices=return_indices,
                                         _random_samples=_random_samples)
        return with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)[0]

    _named(with_indices, name + "_with_indices", doc)
    _named(alone, "_" + name, doc.replace(", and its index", ""))
    dispatched = _by_return_indices(name, 4, with_indices, alone)
    return dispatched, with_indices, alone


fractional_max_pool2d, fractional_max_pool2d_with_indices, _fractional_max_pool2d = _fractional_max_pools(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices, _fractional_max_pool3d = _fractional_max_pools(3)


# ---- the power average ----


def _powers(row, input, norm_type, kernel_size, stride, ceil_mode):
    """PyTorch divides by the order last."""
    made = row(input, norm_type, kernel_size, [] if stride is None else stride, ceil_mode)
    if norm_type == 0:
        raise ZeroDivisionError("float division by zero")
    return made


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """norm of order norm_type of each window over 1 dim"""
    if _overridden(input):
        return handle_torch_function(lp_pool1d, (input,), input, norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode)
    made = _powers(_rows["_lp_pool1d"], input, norm_type, kernel_size, stride, ceil_mode)
    if isinstance(kernel_size, (tuple, list)):
        raise TypeError(f"mul(): argument 'other' (position 1) must be Tensor, not {type(kernel_size).__name__}")
    return made


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """norm of order norm_type of each window over 2 dims"""
    if _overridden(input):
        return handle_torch_function(lp_pool2d, (input,), input, norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode)
    high, wide = _repeated(kernel_size, 2)
    return _powers(_rows["_lp_pool2d"], input, norm_type, [high, wide], stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """norm of order norm_type of each window over 3 dims"""
    if _overridden(input):
        return handle_torch_function(lp_pool3d, (input,), input, norm_type, kernel_size, stride=stride, ceil_mode=ceil_mode)
    deep, high, wide = _repeated(kernel_size, 3)
    return _powers(_rows["_lp_pool3d"], input, norm_type, [deep, high, wide], stride, ceil_mode)


# ---- back to their places ----


def _repeated(value, dims):
    """A tuple: one integer stands for all dims."""
    return (value,) * dims if isinstance(value, int) else tuple(value)


def _unpool_output_size(input, kernel_size, stride, padding, output_size):
    """The sizes in space that max_unpool gives: what is asked for, if max_pool gives the input's sizes from it."""
    sizes, dims = input.size(), len(kernel_size)
    default = [(sizes[d - dims] - 1) * stride[d] + kernel_size[d] - 2 * padding[d] for d in range(dims)]
    if output_size is None:
        return default
    wanted = output_size[2:] if len(output_size) == dims + 2 else output_size
    if len(wanted) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
                         f"'{len(wanted)}'")
    for d in range(dims):
        least, most = default[d] - stride[d], default[d] + stride[d]
        if not least < wanted[d] < most:
            raise ValueError(f'invalid output_size "{wanted}" (dim {d} must be between {least} and {most})')
    return wanted


def _unpool_sizes(input, kernel_size, stride, padding, output_size, dims):
    """output_size, stride and padding as lists."""
    kernel_size, padding = _repeated(kernel_size, dims), _repeated(padding, dims)
    stride = kernel_size if stride is None else _repeated(stride, dims)
    return _unpool_output_size(input, kernel_size, stride, padding, output_size), stride, padding


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """numbers at the indices of max_pool1d; 0 elsewhere"""
    if _overridden(input):
        return handle_torch_function(max_unpool1d, (input,), input, indices, kernel_size, stride=stride, padding=padding,
                                     output_size=output_size)
    size, _, _ = _unpool_sizes(input, kernel_size, stride, padding, output_size, 1)
    return _rows["_max_unpool2d"](input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """numbers at the indices of max_pool2d; 0 elsewhere"""
    if _overridden(input):
        return handle_torch_function(max_unpool2d, (input,), input, indices, kernel_size, stride=stride, padding=padding,
                                     output_size=output_size)
    size, _, _ = _unpool_sizes(input, kernel_size, stride, padding, output_size, 2)
    return _rows["_max_unpool2d"](input, indices, size)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """numbers at the indices of max_pool3d; 0 elsewhere"""
    if _overridden(input):
        return handle_torch_function(max_unpool3d, (input,), input, indices, kernel_size, stride=stride, padding=padding,
                                     output_size=output_size)
    size, stride, padding = _unpool_sizes(input, kernel_size, stride, padding, output_size, 3)
    return _rows["_max_unpool3d"](input, indices, size, stride, padding)


# ---- windows as columns ----


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """windows of an image as columns: [batch, channels * kernel, windows]"""
    if _overridden(input):
        return handle_torch_function(unfold, (input,), input, kernel_size, dilation=dilation, padding=padding, stride=stride)
    return _rows["_im2col"](input, *(_repeated(value, 2) for value in (kernel_size, dilation, padding, stride)))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """columns added up to an image of output_size: what unfold took apart"""
    if _overridden(input):
        return handle_torch_function(fold, (input,), input, output_size, kernel_size, dilation=dilation, padding=padding,
                                     stride=stride)
    return _rows["_col2im"](input, *(_repeated(value, 2) for value in (output_size, kernel_size, dilation, padding, stride)))
