"""interpolate, grid_sample and affine_grid: what torch.nn.functional takes, against numbers written out and against one another.
The values of every filter are checked in tests/unit/ops/resample.c, derivatives in tests/unit/grad/resample.c."""

import warnings

import karat as torch
import pytest
from karat import _karat
from karat.nn import functional as F

SPACE = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
ALIGNABLE = tuple(SPACE)


def image(dims, side=4, dtype=torch.float32, channels=2):
    torch.manual_seed(dims)
    return torch.randn(2, channels, *[side] * dims).to(dtype)


def first_line(error):
    return str(error.value).split("\n")[0]


# ---- interpolate ----


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"])
@pytest.mark.parametrize("dims", [1, 2, 3])
def test_a_constant_stays_what_it_is(mode, dims):
    if mode in SPACE and SPACE[mode] != dims:
        with pytest.raises(NotImplementedError):
            F.interpolate(image(dims), size=3, mode=mode)
        return
    x = torch.full((1, 2) + (4,) * dims, 2.5)
    for size in (1, 3, 4, 9):
        y = F.interpolate(x, size=size, mode=mode)
        assert tuple(y.shape) == (1, 2) + (size,) * dims
        assert torch.allclose(y, torch.full_like(y, 2.5))


@pytest.mark.parametrize("mode", ALIGNABLE)
def test_aligned_corners_keep_their_values(mode):
    x = image(SPACE[mode])
    y = F.interpolate(x, size=7, mode=mode, align_corners=True)
    ends = (slice(None), slice(None)) + (slice(None, None, 6),) * SPACE[mode]
    same = (slice(None), slice(None)) + (slice(None, None, 3),) * SPACE[mode]
    assert torch.allclose(y[ends], x[same], atol=1e-6)


def test_known_numbers():
    x = torch.tensor([[[0.0, 1.0, 2.0, 3.0]]])
    assert F.interpolate(x, scale_factor=2).tolist() == [[[0, 0, 1, 1, 2, 2, 3, 3]]]
    assert F.interpolate(x, size=3).tolist() == [[[0, 1, 2]]]
    assert F.interpolate(x, size=3, mode="nearest-exact").tolist() == [[[0, 2, 3]]]
    assert F.interpolate(x, scale_factor=2, mode="linear").tolist() == [[[0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]]]
    assert F.interpolate(x, size=2, mode="area").tolist() == [[[0.5, 2.5]]]


def test_scales_are_used_unless_they_are_recomputed():
    x = torch.arange(5.0)[None, None]
    sized = F.interpolate(x, size=7, mode="linear")
    scaled = F.interpolate(x, scale_factor=1.5, mode="linear")
    assert torch.equal(F.interpolate(x, scale_factor=1.5, mode="linear", recompute_scale_factor=True), sized)
    assert tuple(scaled.shape) == tuple(sized.shape)
    assert not torch.allclose(scaled, sized)
    assert scaled[0, 0, 1].item() == pytest.approx(1.5 / 1.5 - 0.5)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_antialias_averages_what_it_leaves_out(mode):
    stripes = (torch.arange(32) % 2).to(torch.float32).expand(1, 1, 32, 32).contiguous()
    plain = F.interpolate(stripes, size=(8, 8), mode=mode)
    wide = F.interpolate(stripes, size=(8, 8), mode=mode, antialias=True)
    assert (wide - 0.5).abs().max().item() < 0.1
    assert plain.shape == wide.shape
    larger = F.interpolate(stripes, size=(40, 40), mode="bilinear", antialias=True)
    assert torch.allclose(larger, F.interpolate(stripes, size=(40, 40), mode="bilinear"), atol=1e-5)


@pytest.mark.parametrize("mode,antialias", [("nearest", False), ("nearest-exact", False), ("bilinear", False), ("bicubic", False),
                                            ("bilinear", True), ("bicubic", True)])
def test_uint8_is_rounded(mode, antialias):
    torch.manual_seed(1)
    x = torch.randint(0, 256, (2, 3, 9, 11), dtype=torch.uint8)
    y = F.interpolate(x, size=(9, 14), mode=mode, antialias=antialias)  # each dim would be rounded by itself
    want = F.interpolate(x.to(torch.float64), size=(9, 14), mode=mode, antialias=antialias).clamp(0, 255)
    assert y.dtype == torch.uint8
    assert (y.to(torch.float64) - want).abs().max().item() <= (0 if "nearest" in mode else 0.6)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
def test_channels_last_stays(mode):
    x = image(2, 6, channels=5)
    last = x.contiguous(memory_format=torch.channels_last).requires_grad_()
    y, z = F.interpolate(x, size=(4, 9), mode=mode), F.interpolate(last, size=(4, 9), mode=mode)
    assert z.is_contiguous(memory_format=torch.channels_last)
    assert torch.allclose(y, z, atol=1e-6)
    z.sum().backward()
    x.requires_grad_()
    F.interpolate(x, size=(4, 9), mode=mode).sum().backward()
    assert torch.allclose(x.grad, last.grad, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_floats_are_computed_in_float32(dtype):
    x = image(2, 7, dtype)
    for mode in ("nearest", "bilinear", "bicubic"):
        assert torch.equal(F.interpolate(x, size=(5, 9), mode=mode),
                           F.interpolate(x.to(torch.float32), size=(5, 9), mode=mode).to(dtype))


@pytest.mark.parametrize("size", [torch.tensor(6), (torch.tensor(6), 6), [torch.tensor(6), torch.tensor(6, dtype=torch.int32)]])
def test_a_size_may_be_a_tensor_of_one_integer(size):
    assert torch.equal(F.interpolate(image(2), size=size), F.interpolate(image(2), size=6))


def test_meta_knows_the_sizes():
    x = torch.empty(2, 3, 4, 5, device="meta")
    assert tuple(F.interpolate(x, scale_factor=(2, 0.5), mode="bilinear").shape) == (2, 3, 8, 2)
    grid = torch.empty(2, 6, 7, 2, device="meta")
    y = F.grid_sample(x, grid, align_corners=False)
    assert tuple(y.shape) == (2, 3, 6, 7) and y.device.type == "meta"


def test_old_names_warn():
    x = image(2)
    for f, same in ((lambda: F.upsample(x, 6), F.interpolate(x, 6)),
                    (lambda: F.upsample_nearest(x, scale_factor=2), F.interpolate(x, scale_factor=2)),
                    (lambda: F.upsample_bilinear(x, 6), F.interpolate(x, 6, mode="bilinear", align_corners=True))):
        with pytest.warns(UserWarning, match="is deprecated. Use `nn.functional.interpolate` instead."):
            assert torch.equal(f(), same)


@pytest.mark.parametrize("call,kind,text", [
    (lambda x: F.interpolate(x), ValueError, "either size or scale_factor should be defined"),
    (lambda x: F.interpolate(x, 3, 2), ValueError, "only one of size or scale_factor should be defined"),
    (lambda x: F.interpolate(x, 3, align_corners=True), ValueError,
     "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"),
    (lambda x: F.interpolate(x, 3, antialias=True), ValueError,
     "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"),
    (lambda x: F.interpolate(x, (3, 3, 3)), ValueError,
     "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of [4, 4] and "
     "output size of (3, 3, 3). Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, "
     "...,oK) format."),
    (lambda x: F.interpolate(x, 3, recompute_scale_factor=True), ValueError,
     "recompute_scale_factor is not meaningful with an explicit size."),
    (lambda x: F.interpolate(x, 3, mode="linear"), NotImplementedError, "Got 4D input, but linear mode needs 3D input"),
    (lambda x: F.interpolate(x, 0), RuntimeError,
     "Input and output sizes should be greater than 0, but got input (H: 4, W: 4) output (H: 0, W: 0)"),
    (lambda x: F.interpolate(x.int(), 3, mode="bicubic"), NotImplementedError,
     "\"compute_indices_weights_cubic\" not implemented for 'Int'"),
    (lambda x: F.grid_sample(x, x, mode="cubic"), ValueError,
     "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: 'cubic'"),
    (lambda x: F.grid_sample(x, torch.zeros(2, 3, 3, 2).double(), align_corners=False), RuntimeError,
     "expected scalar type Float but found Double"),
    (lambda x: F.affine_grid(torch.zeros(2, 2, 3).int(), (2, 1, 3, 3), False), ValueError,
     "Expected theta to have floating point type, but got karat.int32"),
    (lambda x: F.affine_grid(torch.zeros(2, 2, 2), (2, 1, 3, 3), False), ValueError,
     "Expected a batch of 2D affine matrices of shape Nx2x3 for size (2, 1, 3, 3). Got karat.Size([2, 2, 2])."),
])
def test_refusals_in_pytorchs_words(call, kind, text):
    with pytest.raises(kind) as error:
        call(image(2))
    assert first_line(error).replace("torch.", "karat.") == text


# ---- grids ----


@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_the_identity_samples_the_image_itself(dims, align, mode):
    if dims == 3 and mode == "bicubic":
        return
    x = image(dims, 5)
    theta = torch.eye(dims, dims + 1).expand(2, dims, dims + 1)
    grid = F.affine_grid(theta, list(x.shape), align_corners=align)
    assert tuple(grid.shape) == (2,) + (5,) * dims + (dims,)
    assert torch.allclose(F.grid_sample(x, grid, mode=mode, align_corners=align, padding_mode="border"), x, atol=1e-5)


def test_sampling_between_positions_is_resizing():
    x = image(2, 5, torch.float64)
    grid = F.affine_grid(torch.eye(2, 3, dtype=torch.float64).expand(2, 2, 3), [2, 1, 9, 4], align_corners=False)
    for mode in ("bilinear", "bicubic"):
        assert torch.allclose(F.grid_sample(x, grid, mode=mode, padding_mode="border", align_corners=False),
                              F.interpolate(x, size=(9, 4), mode=mode))


def test_beyond_the_image():
    x = torch.tensor([[[[1.0, 2.0, 3.0, 4.0]]]])
    grid = torch.zeros(1, 1, 3, 2)
    grid[..., 0] = torch.tensor([1.5, -1.5, 3.0])  # positions 4.5, -1.5 and 7.5
    for padding, want in (("zeros", [0, 0, 0]), ("border", [4, 1, 4]), ("reflection", [3.5, 1.5, 1])):
        y = F.grid_sample(x, grid, padding_mode=padding, align_corners=False)
        assert y.flatten().tolist() == want, padding


def test_sampling_has_no_second_derivative():
    x, grid = image(2).requires_grad_(), torch.rand(2, 3, 3, 2).requires_grad_()
    y = F.grid_sample(x, grid, align_corners=False)
    assert y.grad_fn.name() == "GridSampler2DBackward0"
    first = torch.autograd.grad(y.sum(), (x, grid), create_graph=True)
    with pytest.raises(RuntimeError) as error:
        (first[0].sum() + first[1].sum()).backward()
    assert first_line(error) == "derivative for aten::grid_sampler_2d_backward is not implemented"


def test_defaults_of_align_corners_warn():
    theta = torch.eye(2, 3)[None]
    with pytest.warns(UserWarning, match="Default grid_sample and affine_grid behavior has changed to align_corners=False"):
        grid = F.affine_grid(theta, [1, 1, 3, 3])
    with pytest.warns(UserWarning, match="Default grid_sample and affine_grid behavior"):
        F.grid_sample(image(2)[:1], grid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        F.affine_grid(theta, [1, 1, 3, 3], align_corners=False)


def test_public_rows():
    x, grid = image(2), torch.rand(2, 3, 3, 2)
    want = F.grid_sample(x, grid, align_corners=True)
    assert torch.equal(torch.grid_sampler(x, grid, 0, 0, True), want)
    assert torch.equal(torch.grid_sampler_2d(x, grid, 0, 0, True), want)
    assert torch.equal(torch.affine_grid_generator(torch.eye(2, 3)[None], [1, 1, 2, 2], False),
                       F.affine_grid(torch.eye(2, 3)[None], [1, 1, 2, 2], False))
    assert not hasattr(torch, "upsample_nearest1d") and "upsample_nearest1d" in _karat.functions


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
def test_autocast():
    """A grid is sampled in float32; the product that makes an affine grid is one of bfloat16, its places are not."""
    x, grid, theta = image(2, dtype=torch.bfloat16), torch.rand(2, 3, 3, 2), torch.eye(2, 3)[None]
    before = _karat.get_autocast("cpu")
    _karat.set_autocast("cpu", True, torch.bfloat16)
    try:
        assert F.grid_sample(x, grid, align_corners=False).dtype == torch.float32
        assert F.interpolate(x, 3, mode="bilinear").dtype == torch.bfloat16
        assert F.affine_grid(theta, [1, 1, 1, 3], align_corners=False).dtype == torch.bfloat16
    finally:
        _karat.set_autocast("cpu", *before)


@pytest.mark.not_on_a_gpu("there what flows back to an image from a grid's places is added in any order, as PyTorch does")
def test_results_do_not_depend_on_the_number_of_threads():
    x, grid = image(2, 40, channels=7), torch.rand(2, 50, 50, 2) * 2 - 1
    before, results = torch.get_num_threads(), []
    for n in (1, 2):
        torch.set_num_threads(n)
        leaves = [x.clone().requires_grad_(), grid.clone().requires_grad_()]
        y = F.grid_sample(F.interpolate(leaves[0], size=(61, 43), mode="bicubic"), leaves[1], align_corners=False)
        y.backward(torch.cos(y.detach()))
        results.append([y.detach(), leaves[0].grad, leaves[1].grad])
    torch.set_num_threads(before)
    for a, b in zip(*results):
        assert torch.equal(a, b)


INFINITY, NAN = float("inf"), float("nan")
IN_VOLUMES = [(dtype, mode, align) for dtype in (torch.float32, torch.float64, torch.bfloat16) for mode in ("bilinear", "nearest")
              for align in (False, True)]


def sampled_volume(places, padding, dtype, mode, align):
    x = torch.arange(1.0, 28).reshape(1, 1, 3, 3, 3).to(dtype).requires_grad_()
    grid = torch.tensor(places, dtype=dtype).reshape(1, 1, 1, -1, 3).requires_grad_()
    made = F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=align)
    return made.flatten().tolist(), torch.autograd.grad(made.sum(), (x, grid))


@pytest.mark.parametrize("how", IN_VOLUMES)
def test_volumes_at_places_that_are_infinite(how):
    """Nothing is read beyond zeros, and nothing flows; a border is as near as ever."""
    middle = [[INFINITY, 0, 0], [0, -INFINITY, 0], [0, 0, INFINITY], [INFINITY, -INFINITY, INFINITY]]
    values, grads = sampled_volume(middle + [[NAN, 0, 0], [NAN, INFINITY, NAN]], "zeros", *how)
    assert values == [0] * 6 and [g.abs().max() for g in grads] == [0, 0]
    assert sampled_volume(middle, "border", *how)[0] == [15, 11, 23, 21]


@pytest.mark.parametrize("how", IN_VOLUMES)
@pytest.mark.not_on_a_gpu("NaN is the beginning of a volume there")
def test_volumes_at_places_that_are_not_numbers(how):
    """NaN, which infinity reflected is too, is the end of a volume."""
    assert sampled_volume([[NAN, 0, 0], [0, NAN, 0], [0, 0, NAN]], "border", *how)[0] == [15, 17, 23]
    assert sampled_volume([[INFINITY, 0, 0], [0, -INFINITY, 0], [0, 0, NAN]], "reflection", *how)[0] == [15, 17, 23]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_one_element_before_a_volume_a_step_towards_it_is_seen(dtype):
    values, grads = sampled_volume([[-2, 0, 0]], "zeros", dtype, "bilinear", True)
    assert values == [0] and grads[1].flatten().tolist() == [13, 0, 0]


@pytest.mark.cpu_only("a GPU names its kernels otherwise")
@pytest.mark.parametrize("dims", [2, 3])
@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_permissive_samples_integers_as_the_grid_has_it(dims, dtype):
    torch.manual_seed(0)
    x, grid = torch.randint(0, 2, (1, 2, *[4] * dims)).to(dtype), torch.rand(1, *[3] * dims, dims, requires_grad=True)
    with pytest.raises(NotImplementedError, match="not implemented for"):
        F.grid_sample(x, grid, align_corners=True)
    with torch.policy("permissive"):
        out = F.grid_sample(x, grid, align_corners=True)
    (flows,) = torch.autograd.grad(out.sum(), grid)
    want = F.grid_sample(x.float(), grid, align_corners=True)
    assert torch.equal(out, want) and torch.equal(flows, torch.autograd.grad(want.sum(), grid)[0])
