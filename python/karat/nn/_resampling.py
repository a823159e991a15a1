"""karat.nn._resampling: interpolate, grid_sample and affine_grid, which PyTorch writes in Python. They read the arguments and
choose the row."""

import math
import warnings

from .. import _karat
from ..overrides import has_torch_function
from ._asking import ask, overridden

_Tensor = _karat.Tensor
_rows = _karat.functions | _karat.nn_functions
_LINEAR = ("linear", "bilinear", "bicubic", "trilinear")
_RESIZED = {
    (3, "nearest"): "upsample_nearest1d", (4, "nearest"): "upsample_nearest2d", (5, "nearest"): "upsample_nearest3d",
    (3, "nearest-exact"): "_upsample_nearest_exact1d", (4, "nearest-exact"): "_upsample_nearest_exact2d",
    (5, "nearest-exact"): "_upsample_nearest_exact3d", (3, "linear"): "upsample_linear1d", (4, "bilinear"): "upsample_bilinear2d",
    (5, "trilinear"): "upsample_trilinear3d", (4, "bicubic"): "upsample_bicubic2d", (3, "area"): "adaptive_avg_pool1d",
    (4, "area"): "adaptive_avg_pool2d", (5, "area"): "adaptive_avg_pool3d",
}
_NEEDED = {"linear": 3, "bilinear": 4, "trilinear": 5}


# ---- sizes ----


def _is_size(value):
    return isinstance(value, int) or (isinstance(value, _Tensor) and value.dim() == 0 and not value.is_floating_point())


def _as_int(value):
    return int(value) if isinstance(value, _Tensor) and _is_size(value) else value


def _sizes_of(input, size, dims):
    """size as a list: one number stands for all dims."""
    if not isinstance(size, (list, tuple)):
        return [_as_int(size)] * dims
    if len(size) != dims:
        raise ValueError("Input and output must have the same number of spatial dimensions, but got input with spatial "
                         f"dimensions of {list(input.shape[2:])} and output size of {size}. Please provide input tensor in "
                         "(N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
    if not all(_is_size(one) for one in size):
        raise TypeError("expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
                        f"with types {[type(one) for one in size]}")
    return [_as_int(one) for one in size]


def _scales_of(input, scale_factor, dims):
    if not isinstance(scale_factor, (list, tuple)):
        return [scale_factor] * dims
    if len(scale_factor) != dims:
        raise ValueError("Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
                         f"dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please provide input "
                         "tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format.")
    return list(scale_factor)


def _scaled(size, scale, name):
    """size times scale, rounded down."""
    if isinstance(scale, (str, _Tensor)) or not hasattr(scale, "__float__"):
        raise TypeError(f"{name}(): argument 'scale_factors' must be tuple of floats, but found element of type "
                        f"{type(scale).__name__}")
    scaled = size * float(scale)
    if not abs(scaled) < 2.0**63:
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return int(scaled)


# ---- interpolate ----


def _check_mode(input, mode, align_corners, antialias):
    if mode not in _LINEAR:
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | "
                             "trilinear")
    if antialias and not (mode in ("bilinear", "bicubic") and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")


def _row_for(input, mode, antialias):
    name = _RESIZED.get((input.dim(), mode))
    if name is not None:
        return f"_{name}_aa" if antialias else name
    if 3 <= input.dim() <= 5 and mode in _NEEDED:
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {_NEEDED[mode]}D input")
    raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: "
                              f"nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode})")


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None,
                antialias=False):
    """an image resized to `size` or by scale_factor; modes: nearest, nearest-exact, linear, bilinear, bicubic, trilinear, area"""
    if overridden(input):
        return ask(interpolate, locals(), input)
    if mode not in _LINEAR and mode in ("nearest", "area", "nearest-exact"):
        _check_mode(input, mode, align_corners, False)
    dims = input.dim() - 2
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    sizes = _sizes_of(input, size, dims) if size is not None else None
    scales = _scales_of(input, scale_factor, dims) if sizes is None else None
    if recompute_scale_factor and sizes is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if sizes is None and (recompute_scale_factor or mode == "area"):
        sizes = [math.floor(float(input.size(i + 2) * scales[i])) for i in range(dims)]
        scales = None
    _check_mode(input, mode, None, antialias)
    name = _row_for(input, mode, antialias)
    if sizes is None:
        sizes = [_scaled(input.size(i + 2), scale, name) for i, scale in enumerate(scales)]
    if mode == "area":
        return _rows[name](input, sizes)
    aligned = (bool(align_corners),) if mode in _LINEAR else ()
    return _rows[name](input, sizes, *aligned, *(map(float, scales) if scales is not None else ()))


def _deprecated(name):
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=3)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """interpolate, by its old name"""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """interpolate with mode nearest"""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """interpolate with mode bilinear and align_corners"""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# ---- grids ----


def _warn_aligned():
    warnings.warn("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
                  "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.",
                  stacklevel=3)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """images or volumes sampled at the places of a grid, between -1 and 1; modes: bilinear, nearest, bicubic"""
    if (type(input) is not _Tensor or type(grid) is not _Tensor) and has_torch_function((input, grid)):
        return ask(grid_sample, locals(), input, grid)
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
                         f"'{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
                         f"'{padding_mode}'")
    if align_corners is None:
        _warn_aligned()
    return _rows["grid_sampler"](input, grid, ("bilinear", "nearest", "bicubic").index(mode),
                                 ("zeros", "border", "reflection").index(padding_mode), bool(align_corners))


def affine_grid(theta, size, align_corners=None):
    """the grid at which an image of `size`, transformed by the matrices theta, reads its source"""
    if overridden(theta):
        return ask(affine_grid, locals(), theta)
    if align_corners is None:
        _warn_aligned()
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    dims = len(size) - 2
    if dims not in (2, 3):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. "
                                  f"Got size {size}.")
    if theta.dim() != 3 or theta.shape[-2] != dims or theta.shape[-1] != dims + 1:
        raise ValueError(f"Expected a batch of {dims}D affine matrices of shape Nx{dims}x{dims + 1} for size {size}. "
                         f"Got {theta.shape}.")
    if align_corners and min(size[2:]) == 1:
        warnings.warn("Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. "
                      "This is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
                      stacklevel=2)
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _rows["affine_grid_generator"](theta, size, align_corners)
