"""karat.nn._pooling: pooling, unpooling, unfold and fold, which PyTorch writes in Python. They bring arguments into the form of
the rows, and return_indices=True chooses the row that returns indices too."""

from .. import _karat
from ._asking import ask, overridden

_rows = _karat.functions | _karat.nn_functions


def _named(function, name, doc):
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _doc(row):
    return row.__doc__.partition("\n")[0]


def _repeated(value, dims):
    """A tuple: one integer stands for all dims."""
    return (value,) * dims if isinstance(value, int) else tuple(value)


def _sizes_for(output_size, sizes, dims):
    """output_size as a list: one integer stands for all dims, None for the size that the input has."""
    if isinstance(output_size, int):
        return [output_size] * dims
    if len(sizes) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    return [given if given is not None else size for given, size in zip(output_size, sizes[-len(output_size):])]


# ---- the largest ----


def _max_pools(dims):
    name = f"max_pool{dims}d"
    both, one = _rows[("" if dims == 1 else "_") + name + "_with_indices"], _rows[name]

    def with_indices(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if overridden(input):
            return ask(with_indices, locals(), input)
        return both(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)

    def pool(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if return_indices:
            return with_indices(input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)
        if overridden(input):
            return ask(pool, locals(), input)
        return one(input, kernel_size, [] if stride is None else stride, padding, dilation, ceil_mode)

    _named(with_indices, name + "_with_indices", f"{_doc(one)}, and their indices")
    return _named(pool, name, _doc(one)), with_indices


max_pool1d, max_pool1d_with_indices = _max_pools(1)
max_pool2d, max_pool2d_with_indices = _max_pools(2)
max_pool3d, max_pool3d_with_indices = _max_pools(3)


# ---- to a size ----


def _adaptive_max_pools(dims):
    name = f"adaptive_max_pool{dims}d"
    row = _rows[name if dims == 1 else "_" + name]

    def with_indices(input, output_size, return_indices=False):
        if overridden(input):
            return ask(with_indices, locals(), input)
        return row(input, output_size if dims == 1 else _sizes_for(output_size, input.size(), dims))

    def pool(input, output_size, return_indices=False):
        if return_indices:
            return with_indices(input, output_size, return_indices)
        if overridden(input):
            return ask(pool, locals(), input)
        return with_indices(input, output_size)[0]

    _named(with_indices, name + "_with_indices", _doc(row))
    return _named(pool, name, _doc(row).replace(", and its index", "")), with_indices


adaptive_max_pool1d, adaptive_max_pool1d_with_indices = _adaptive_max_pools(1)
adaptive_max_pool2d, adaptive_max_pool2d_with_indices = _adaptive_max_pools(2)
adaptive_max_pool3d, adaptive_max_pool3d_with_indices = _adaptive_max_pools(3)


def _adaptive_avg_pool(dims):
    row = _rows[f"adaptive_avg_pool{dims}d"]

    def average(input, output_size):
        if overridden(input):
            return ask(average, locals(), input)
        return row(input, _sizes_for(output_size, input.size(), dims))

    return _named(average, f"adaptive_avg_pool{dims}d", _doc(row))


adaptive_avg_pool2d, adaptive_avg_pool3d = _adaptive_avg_pool(2), _adaptive_avg_pool(3)


# ---- places that are drawn ----


def _fractional_max_pools(dims):
    name = f"fractional_max_pool{dims}d"
    row = _rows["_" + name]

    def with_indices(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if overridden(input):
            return ask(with_indices, locals(), input)
        if output_size is None:
            output_size = shrunk(input, output_ratio)
        if _random_samples is None:
            batch = 1 if input.dim() == dims + 1 else input.size(0)
            _random_samples = _rows["rand"](batch, input.size(-dims - 1), dims, dtype=input.dtype, device=input.device)
        return row(input, kernel_size, output_size, _random_samples)

    def shrunk(input, ratio):
        """The sizes of space times the ratio, or each times its own, rounded down."""
        if ratio is None:
            raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
        if isinstance(ratio, (int, float)):
            ratio = (ratio,) * dims
        elif dims == 2 and len(ratio) > 2:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
        return [int(input.size(dim - dims) * ratio[dim]) for dim in range(dims)]

    def pool(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        if return_indices:
            return with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
        if overridden(input):
            return ask(pool, locals(), input)
        return with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)[0]

    _named(with_indices, name + "_with_indices", _doc(row))
    return _named(pool, name, _doc(row).replace(", and its index", "")), with_indices


fractional_max_pool2d, fractional_max_pool2d_with_indices = _fractional_max_pools(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _fractional_max_pools(3)


# ---- the power average ----


def _powers(row, input, norm_type, kernel_size, stride, ceil_mode):
    """PyTorch divides by the order last."""
    made = row(input, norm_type, kernel_size, [] if stride is None else stride, ceil_mode)
    if norm_type == 0:
        raise ZeroDivisionError("float division by zero")
    return made


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """norm of order norm_type of each window over 1 dim"""
    if overridden(input):
        return ask(lp_pool1d, locals(), input)
    made = _powers(_rows["_lp_pool1d"], input, norm_type, kernel_size, stride, ceil_mode)
    if isinstance(kernel_size, (tuple, list)):
        raise TypeError(f"mul(): argument 'other' (position 1) must be Tensor, not {type(kernel_size).__name__}")
    return made


def _lp_pool(dims):
    row = _rows[f"_lp_pool{dims}d"]

    def one_each(kernel_size):
        sizes = _repeated(kernel_size, dims)
        if len(sizes) > dims:
            raise ValueError(f"too many values to unpack (expected {dims})")
        if len(sizes) < dims:
            raise ValueError(f"not enough values to unpack (expected {dims}, got {len(sizes)})")
        return sizes

    def pool(input, norm_type, kernel_size, stride=None, ceil_mode=False):
        if overridden(input):
            return ask(pool, locals(), input)
        return _powers(row, input, norm_type, one_each(kernel_size), stride, ceil_mode)

    return _named(pool, f"lp_pool{dims}d", f"norm of order norm_type of each window over {dims} dims")


lp_pool2d, lp_pool3d = _lp_pool(2), _lp_pool(3)


# ---- back to their places ----


def _sizes_before(input, kernel_size, stride, padding, output_size):
    """The sizes of space that max_pool made the input's of. A stride hides sizes to both sides of the usual ones: output_size
    says which, of space or of all dims."""
    dims = len(kernel_size)
    space = [input.size(dim - dims) for dim in range(dims)]
    usual = [(size - 1) * step + reach - 2 * cut for size, step, reach, cut in zip(space, stride, kernel_size, padding)]
    if output_size is None:
        return usual
    wanted = output_size[2:] if len(output_size) == 2 + dims else output_size
    if len(wanted) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of "
                         f"'{len(wanted)}'")
    for dim, (size, middle, step) in enumerate(zip(wanted, usual, stride)):
        if abs(size - middle) >= step:
            raise ValueError(f'invalid output_size "{wanted}" (dim {dim} must be between {middle - step} and {middle + step})')
    return wanted


def _max_unpool(dims):
    row = _rows["_max_unpool3d" if dims == 3 else "_max_unpool2d"]

    def unpool(input, indices, kernel_size, stride=None, padding=0, output_size=None):
        if overridden(input):
            return ask(unpool, locals(), input)
        kernel_size, padding = _repeated(kernel_size, dims), _repeated(padding, dims)
        stride = kernel_size if stride is None else _repeated(stride, dims)
        sizes = _sizes_before(input, kernel_size, stride, padding, output_size)
        if dims == 1:  # as an image one pixel wide
            return row(input.unsqueeze(-1), indices.unsqueeze(-1), [*sizes, 1]).squeeze(-1)
        return row(input, indices, sizes) if dims == 2 else row(input, indices, sizes, stride, padding)

    return _named(unpool, f"max_unpool{dims}d", f"numbers at the indices of max_pool{dims}d; 0 elsewhere")


max_unpool1d, max_unpool2d, max_unpool3d = map(_max_unpool, (1, 2, 3))


# ---- windows as columns ----


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """windows of an image as columns: [batch, channels * kernel, windows]"""
    if overridden(input):
        return ask(unfold, locals(), input)
    return _rows["_im2col"](input, *(_repeated(value, 2) for value in (kernel_size, dilation, padding, stride)))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """columns added up to an image of output_size: what unfold took apart"""
    if overridden(input):
        return ask(fold, locals(), input)
    return _rows["_col2im"](input, *(_repeated(value, 2) for value in (output_size, kernel_size, dilation, padding, stride)))
