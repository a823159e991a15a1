"""Convolutions: what the names of torch and nn.functional take, against products of matrices and against one another."""

import math

import karat as torch
import pytest
from karat import _karat
from karat.nn import functional as F

KINDS = [(1, 7), (2, 6), (3, 5)]


def random(*sizes, dtype=torch.float64, grad=False):
    made = torch.randn(*sizes, dtype=dtype)
    return made.requires_grad_() if grad else made


def as_product(x, w, b, stride, padding, dilation):
    """conv1d by unfolding: windows of the padded input times the weight."""
    padded = F.pad(x, (padding, padding))
    span = dilation * (w.shape[2] - 1) + 1
    windows = padded.unfold(2, span, stride)[..., ::dilation]
    return torch.einsum("ncpk,ock->nop", windows, w) + b[None, :, None]


def test_the_last_node_is_pytorchs():
    for dtype, name in (torch.float32, "ConvolutionBackward0"), (torch.complex64, "AddBackward0"):
        x, w = torch.ones(1, 2, 5, dtype=dtype), torch.ones(3, 2, 3, dtype=dtype)
        assert F.conv1d(x, w.clone().requires_grad_()).grad_fn.name() == name
        assert F.conv_transpose1d(x.requires_grad_(), w.mT.reshape(2, 3, 3)).grad_fn.name() == name


@pytest.mark.parametrize("stride,padding,dilation", [(1, 0, 1), (2, 1, 1), (3, 2, 2)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_values_and_gradients_are_those_of_the_product(stride, padding, dilation, dtype):
    torch.manual_seed(1)
    ours, theirs = [], []
    made = [random(2, 3, 11, dtype=dtype), random(4, 3, 3, dtype=dtype), random(4, dtype=dtype)]
    for results, f in (ours, lambda x, w, b: F.conv1d(x, w, b, stride, padding, dilation)), (
        theirs, lambda x, w, b: as_product(x, w, b, stride, padding, dilation)):
        leaves = [m.clone().requires_grad_() for m in made]
        y = f(*leaves)
        (y * y.conj()).real.sum().backward()
        results += [y.detach(), *(leaf.grad for leaf in leaves)]
    for a, b in zip(ours, theirs):
        assert torch.allclose(a, b)


@pytest.mark.parametrize("dims,size", KINDS)
def test_more_dims_are_those_of_one(dims, size):
    """A weight that is a product over the dims convolves dim by dim."""
    torch.manual_seed(2)
    x, rows = random(2, 1, *[size] * dims), [random(3) for _ in range(dims)]
    weight = rows[0]
    for row in rows[1:]:
        weight = weight[..., None] * row
    want = x
    for dim, row in enumerate(rows, 2):
        lines = want.movedim(dim, -1)
        line = F.conv1d(lines.reshape(-1, 1, size), row[None, None])
        want = line.reshape(*lines.shape[:-1], size - 2).movedim(-1, dim)
    got = getattr(F, f"conv{dims}d")(x, weight[None, None])
    assert torch.allclose(got, want)


@pytest.mark.parametrize("dims,size", KINDS)
def test_transposed_is_the_gradient(dims, size):
    torch.manual_seed(3)
    x, w = random(2, 4, *[size] * dims, grad=True), random(6, 2, *[3] * dims)
    y = getattr(F, f"conv{dims}d")(x, w, stride=2, padding=1, groups=2)
    g = random(*y.shape)
    y.backward(g)
    more = size - ((y.shape[2] - 1) * 2 - 2 + 3)
    back = getattr(F, f"conv_transpose{dims}d")(g, w, stride=2, padding=1, output_padding=more, groups=2)
    assert torch.allclose(back, x.grad)


@pytest.mark.parametrize("dims,size", KINDS)
def test_unbatched_and_padding_by_name(dims, size):
    conv = getattr(F, f"conv{dims}d")
    x, w = random(2, *[size] * dims), random(3, 2, *[3] * dims)
    assert torch.allclose(conv(x, w), conv(x[None], w)[0])
    assert torch.equal(conv(x, w, padding="valid"), conv(x, w))
    assert torch.equal(conv(x, w, padding="same", dilation=2), conv(x, w, padding=2, dilation=2))
    even = random(3, 2, *[2] * dims)
    assert conv(x, even, padding="same").shape == (3, *[size] * dims)
    assert torch.allclose(conv(x, even, padding="same"), conv(F.pad(x, (0, 1) * dims), even))
    assert getattr(torch, f"conv{dims}d") is not None


def test_dtypes_and_layouts():
    x, w, b = (torch.randint(-4, 4, s) for s in ((2, 3, 6, 6), (4, 3, 3, 3), (4,)))
    want = F.conv2d(x, w, b, padding=1)
    for dtype in torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.complex64, torch.int16, torch.uint8:
        got = F.conv2d(x.to(dtype), w.to(dtype), b.to(dtype), padding=1)
        assert got.dtype == dtype
        assert torch.equal(got, want.to(dtype))
    last = F.conv2d(x.float().contiguous(memory_format=torch.channels_last), w.float(), b.float(), padding=1)
    assert last.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(last, want.float())
    assert torch.equal(F.conv2d(x.float().transpose(2, 3), w.float().transpose(2, 3), b.float(), padding=1),
                       want.float().transpose(2, 3))


@pytest.mark.parametrize("dims", (1, 2, 3))
@pytest.mark.parametrize("narrow", (torch.bool, torch.uint16, torch.float8_e4m3fn, torch.float8_e5m2))
def test_permissive_asks_for_the_kernel_of_the_common_dtype(dims, narrow):
    ones = torch.ones(1, 2, *([4] * dims))
    weight = random(2, 2, *([2] * dims), dtype=torch.float32, grad=True)
    for name in f"conv{dims}d", f"conv_transpose{dims}d":
        conv = getattr(F, name)
        with pytest.raises(NotImplementedError, match="not implemented for"):
            conv(ones.to(narrow), weight)
        for dilation in (1, 2):
            (wants,) = torch.autograd.grad(conv(ones, weight, dilation=dilation).sum(), weight)
            with torch.policy("permissive"):
                out = conv(ones.to(narrow), weight, dilation=dilation)
                (flows,) = torch.autograd.grad(out.sum(), weight)
            assert out.dtype == torch.float32 and torch.equal(out, conv(ones, weight, dilation=dilation))
            assert torch.equal(flows, wants)
        with torch.policy("permissive"), pytest.raises(NotImplementedError, match="not implemented for"):
            conv(ones.to(narrow), weight.to(narrow))


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
def test_autocast_is_that_of_the_names():
    x, w = torch.randn(1, 2, 4, 4), torch.randn(3, 2, 3, 3)
    before = _karat.get_autocast("cpu")
    _karat.autocast_enter()
    _karat.set_autocast("cpu", True, torch.bfloat16)
    try:
        assert F.conv2d(x, w).dtype == torch.bfloat16
        assert F.conv2d(x, w, padding="same").dtype == torch.bfloat16
        assert F.conv_transpose2d(x, w.transpose(0, 1)).dtype == torch.bfloat16
        assert torch.convolution(x, w, None, [1], [0], [1], False, [0], 1).dtype == torch.float32
    finally:
        _karat.autocast_leave()
        _karat.set_autocast("cpu", *before)


def test_no_batch_no_channels():
    w = torch.randn(3, 2, 3, 3, requires_grad=True)
    y = F.conv2d(torch.ones(0, 2, 4, 4), w)
    assert y.shape == (0, 3, 2, 2)
    y.sum().backward()
    assert torch.equal(w.grad, torch.zeros_like(w))
    x, w, b = (torch.ones(size, requires_grad=True) for size in ((1, 0, 4, 4), (3, 0, 3, 3), 3))
    assert F.conv2d(x, w).shape == F.conv2d(x, w, b).shape == (1, 0, 2, 2)
    assert [g.shape for g in torch.autograd.grad(F.conv2d(x, w).sum(), (x, w))] == [x.shape, w.shape]
    assert torch.equal(torch.autograd.grad(F.conv2d(x, w, b).sum(), b)[0], torch.zeros(3))


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.complex64])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_transposed_to_no_elements(dims, dtype, device):
    conv = getattr(F, f"conv_transpose{dims}d")
    x, w, b = (torch.ones(sizes, dtype=dtype, device=device, requires_grad=True)
               for sizes in ((2, 3) + (1,) * dims, (3, 4) + (2,) * dims, (4,)))
    y = conv(x, w, b, padding=1)
    assert y.shape == (2, 4) + (0,) * dims and y.dtype == dtype
    y.backward(torch.ones_like(y))
    for t in (x, w, b):
        assert t.grad.shape == t.shape and (device == "meta" or not t.grad.any())
    wide = torch.complex128 if dtype.is_complex else torch.float64
    for refused, made in (wide, 0), (torch.bool, 0), (dtype, -2):
        with pytest.raises(RuntimeError) as error:
            conv(x.to(refused), w.to(refused), padding=1 - made // 2)
        sizes = [" x ".join([str(n)] * dims) for n in (1, made)]
        one = "1 x " if dims == 1 else ""
        assert str(error.value).splitlines()[0] == (f"Given input size per channel: ({one}{sizes[0]}). Calculated output size "
                                                    f"per channel: ({one}{sizes[1]}). Output size is too small")


@pytest.mark.parametrize("dtype,makes", [(torch.float32, False), (torch.complex64, False), (torch.bfloat16, True)])
def test_small_single_images_are_those_of_pytorchs_own_kernels(dtype, makes):
    """They make no image of no elements, and have words of their own for a dilation of 0; other images go to oneDNN."""
    def made(sizes, weight, groups=1):
        x, w = torch.ones(sizes, dtype=dtype), torch.ones(weight, dtype=dtype)
        return F.conv_transpose2d(x, w, padding=(1, 0), groups=groups)

    others = [((2, 3, 1, 1), (3, 4, 2, 2)), ((1, 4, 1, 1), (4, 2, 2, 2), 2), ((1, 1, 1, 20481), (1, 1, 2, 1))]
    assert [made(*sizes).shape[2] for sizes in others] == [0, 0, 0]
    wide = torch.ones(3, 3, 4, 4, dtype=dtype)
    assert F.conv_transpose2d(torch.ones(1, 3, 1, 1, dtype=dtype), wide, padding=(2, 0)).numel() == 0
    for sizes in ((1, 3, 1, 1), (3, 4, 2, 2)), ((1, 1, 1, 20480), (1, 1, 2, 1)):
        if makes:
            assert made(*sizes).numel() == 0
        else:
            with pytest.raises(RuntimeError, match="Output size is too small"):
                made(*sizes)
    for batch, own in (1, not makes), (2, False):
        text = r"dilation should be greater than zero, but got \[1, 0\]" if own else "non-positive dilation is not supported"
        with pytest.raises(RuntimeError, match=text):
            F.conv1d(torch.ones(batch, 3, 6, dtype=dtype), torch.ones(3, 3, 3, dtype=dtype), dilation=0)


@pytest.mark.parametrize("call,text", [
    (lambda: F.conv2d(torch.ones(1, 2, 0, 4), torch.ones(3, 2, 1, 1), padding=1),
     "Only zero batch or zero channel inputs are supported, but got input shape: [1, 2, 0, 4]"),
    (lambda: F.conv1d(torch.ones(3, 6, 0), torch.ones(6, 6, 1), padding=1),
     "Only zero batch or zero channel inputs are supported, but got input shape: [3, 6, 1, 0]"),
    (lambda: F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(3, 2, 0, 3)),
     "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 3"),
    (lambda: F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(3, 2, 3)),
     "expected stride to be a single integer value or a list of 1 values to match the convolution dimensions, but got "
"stride=[1, 1]"),
    (lambda: F.conv1d(torch.ones(1, 2, 4, dtype=torch.int32), torch.ones(3, 2, 2, dtype=torch.int32), dilation=2),
     "\"slow_conv_dilated<>\" not implemented for 'Int'"),
    (lambda: F.conv_transpose1d(torch.ones(1, 2, 4), torch.ones(2, 3, 3), output_padding=1),
     "output padding must be smaller than either stride or dilation, but got output_padding_height: 0 output_padding_width: 1 "
     "stride_height: 1 stride_width: 1 dilation_height: 1 dilation_width: 1"),
    (lambda: F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(3, 2, 2, 2), padding="full"), "Invalid padding string: 'full'"),
    (lambda: F.conv1d(torch.ones(1, 2, 4), torch.ones(3, 2, 2), padding="full", groups=0), "Invalid padding string: 'full'"),
    (lambda: F.conv1d(torch.ones(1, 2, 4), torch.ones(3, 2), groups=0), "weight should have at least three dimensions"),
    (lambda: F.conv1d(torch.ones(1, 2, 4), torch.ones(3, 2, 2), groups=-1), "non-positive groups is not supported"),
    (lambda: F.conv1d(torch.ones(1, 2, 4), torch.ones(3, 2, 2), dilation=0),
     "dilation should be greater than zero, but got [1, 0]"),
    (lambda: F.conv1d(torch.ones(1, 2, 4), torch.ones(2, 1, 2), dilation=0, groups=2), "non-positive dilation is not supported"),
    (lambda: F.conv_transpose1d(torch.ones(1, 2, 4), torch.ones(2, 3, 2), dilation=0),
     "dilation should be greater than zero, but got dilation_height: 1, dilation_width: 0"),
    (lambda: F.conv_transpose2d(torch.ones(1, 2, 4, 4).long(), torch.ones(2, 3, 0, 1).long(), dilation=2),
     "kernel size should be greater than zero, but got kernel_height: 0 kernel_width: 1"),
    (lambda: F.conv_transpose3d(torch.ones(1, 2, 4, 4, 4), torch.ones(2, 3, 2, 0, 1)),
     "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for weight, "
     "but got: [2, 3, 2, 0, 1]"),
    (lambda: F.conv_transpose2d(torch.ones(1, 2, 4, 4), torch.ones(2, 3, 3, 3), torch.ones(3, dtype=torch.complex64)),
     "result type ComplexFloat can't be cast to the desired output type Float"),
])
def test_refusals(call, text):
    with pytest.raises((RuntimeError, NotImplementedError)) as error:
        call()
    assert str(error.value).splitlines()[0] == text


# ---- [time, batch, channel], and PyTorch's lower names ----

@pytest.mark.parametrize("pad", [-1, 0, 1, 3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128, torch.float32])
def test_conv_tbc_is_conv1d_of_turned_dims(pad, dtype):
    torch.manual_seed(2)
    real = not dtype.is_complex  # PyTorch has no derivative of complex ones
    inputs = [random(6, 2, 3, dtype=dtype, grad=real), random(2, 3, 4, dtype=dtype, grad=real), random(4, dtype=dtype, grad=real)]
    ours = torch.conv_tbc(*inputs, pad)
    x, w, b = inputs
    padded = F.pad(x.permute(1, 2, 0), (pad, pad))
    theirs = F.conv1d(padded, w.permute(2, 1, 0), b).permute(2, 0, 1)
    near = {"rtol": 1e-4, "atol": 1e-4} if dtype is torch.float32 else {"rtol": 1e-11, "atol": 1e-11}
    assert ours.is_contiguous() and torch.allclose(ours, theirs, **near)
    if not real:
        with pytest.raises(RuntimeError, match="^conv_tbc does not support automatic differentiation for outputs with complex"):
            torch.conv_tbc(x.requires_grad_(), w, b)
        return
    assert ours.grad_fn.name() == "ConvTbcBackward0"
    g = torch.randn(ours.shape, dtype=dtype)
    for a, b in zip(torch.autograd.grad(ours, inputs, g), torch.autograd.grad(theirs, inputs, g)):
        assert torch.allclose(a, b, **near)


def test_conv_tbc_beyond_the_input():
    one = torch.ones(1, 2, 3)  # a window of 6 that sees one time, or none
    assert torch.conv_tbc(one, torch.ones(6, 3, 4), torch.zeros(4), 3).tolist() == [[[3.0] * 4] * 2] * 2
    assert torch.conv_tbc(torch.ones(3, 2, 3), torch.ones(4, 3, 4), torch.zeros(4)).shape == (0, 2, 4)
    assert torch.conv_tbc(torch.ones(3, 2, 3), torch.ones(0, 3, 4), torch.ones(4)).tolist() == [[[1.0] * 4] * 2] * 4
    whole = torch.ones(5, 2, 3, dtype=torch.int64), torch.ones(2, 3, 4, dtype=torch.int64)
    assert torch.conv_tbc(*whole, torch.ones(4)).sum() == 224


@pytest.mark.parametrize("x,w,b,pad,says", [
    ((5, 3), (2, 3, 4), (4,), 0, "Input must have 3 dims: time, batch, in_channel"),
    ((5, 2, 3), (3, 4), (4,), 0, "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."),
    ((5, 2, 3), (2, 3, 4), (4, 1), 0, "Bias must be 1-D"),
    ((5, 2, 3), (2, 2, 4), (4,), 0, "Input dim 2 (input channels) is not == dim 1 in the weight tensor"),
    ((5, 2, 3), (2, 3, 4), (3,), 0, "Bias size must equal dim 2 in the weight tensor (output channels)."),
    ((1, 2, 3), (4, 3, 4), (4,), 0, "Trying to create tensor with negative dimension -2: [-2, 2, 4]"),
    ((5, 2, 3), (2, 3, 4), (4,), -3, "Trying to create tensor with negative dimension -2: [-2, 2, 4]"),
    ((5, 2, 3), (2, 3, 4), (4,), 2**62, "conv_tbc: pad 4611686018427387904 is too large"),
])
def test_conv_tbc_refuses(x, w, b, pad, says):
    with pytest.raises(RuntimeError) as error:
        torch.conv_tbc(torch.ones(x), torch.ones(w), torch.ones(b), pad)
    assert str(error.value).splitlines()[0] == says


def test_conv_tbc_dtypes_must_agree():
    with pytest.raises(RuntimeError, match="^self and mat2 must have the same dtype, but got Float and Double"):
        torch.conv_tbc(torch.ones(5, 2, 3), torch.ones(2, 3, 4).double(), torch.ones(4))
    with pytest.raises(RuntimeError, match="^view size is not compatible with input tensor's size and stride"):
        torch.conv_tbc(torch.ones(2, 5, 3).transpose(0, 1), torch.ones(2, 3, 4), torch.ones(4))


def test_lower_names():
    torch.manual_seed(3)
    x, w, b = random(2, 4, 5, 5, grad=True), random(6, 2, 3, 3, grad=True), random(6, grad=True)
    geometry = ([1, 2], [1, 0], [1, 1], False, [0, 0], 2)
    want = F.conv2d(x, w, b, (1, 2), (1, 0), 1, 2)
    for flags in ((False, False, True, True), (False, False, True)):
        y = torch._convolution(x, w, b, *geometry, *flags)
        assert y.grad_fn.name() == "ConvolutionBackward1" and torch.equal(y, want)
    g = torch.randn(want.shape, dtype=torch.float64)
    of = torch.autograd.grad(want, (x, w, b), g)
    again = torch.autograd.grad(torch._convolution(x, w, b, *geometry, False, False, True, True), (x, w, b), g)
    assert all(torch.equal(one, other) for one, other in zip(of, again))
    back = _karat.functions["_convolution_backward"]
    assert all(torch.allclose(one, other) for one, other in zip(of, back(g, x, w, [6], *geometry, [1, 1, 1])))
    assert [t.numel() for t in back(g, x, w, None, *geometry, [0, 1, 0])] == [0, w.numel(), 0]
    for padding in ("same", "valid"):
        assert torch.equal(torch._convolution_mode(x, w, b, [1], padding, [1], 2), F.conv2d(x, w, b, padding=padding, groups=2))
    with pytest.raises(RuntimeError, match="^Invalid padding string: 'other'"):
        torch._convolution_mode(x, w, b, [1], "other", [1], 2)
    with pytest.raises(RuntimeError, match="^padding='same' is not supported for strided convolutions"):
        torch._convolution_mode(x, w, b, [2], "same", [1], 2)
    with pytest.raises(TypeError, match="^_convolution.. received an invalid combination of arguments"):
        torch._convolution(x, w, b, *geometry, False, False)


# ---- few channels a group, side by side: run on row-major copies ----

@pytest.mark.parametrize("dims,channels,groups,times", [(2, 4, 4, 2), (2, 6, 2, 1), (2, 8, 4, 3), (3, 4, 2, 2), (1, 6, 3, 2)])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.complex64])
def test_groups_of_channels_that_lie_side_by_side(dims, channels, groups, times, transposed, dtype):
    torch.manual_seed(dims)
    out = channels * times
    weight = (channels, out // groups) if transposed else (out, channels // groups)
    x, w = torch.randn(2, channels, *[7] * dims).to(dtype), torch.randn(*weight, *[3] * dims).to(dtype)
    b = torch.randn(out).to(dtype)
    conv = getattr(F, f"conv_transpose{dims}d" if transposed else f"conv{dims}d")

    def run(image):
        leaves = [t.detach().requires_grad_() for t in (image, w, b)]
        y = conv(*leaves, stride=2, padding=1, groups=groups)
        return [y.detach(), *torch.autograd.grad(y, leaves, torch.ones_like(y))]

    apart, beside = run(x), run(x.movedim(1, -1).contiguous().movedim(-1, 1))
    for a, c in zip(apart, beside):
        off = (a - c).abs().to(torch.float64).max().item()
        most = a.abs().to(torch.float64).max().item()
        assert off <= {torch.float64: 1e-12, torch.bfloat16: 0.3}.get(dtype, 1e-4) * (1 + 0.05 * most)


@pytest.mark.cpu_only("libraries of a GPU multiply what they like")
@pytest.mark.parametrize("odd", [math.inf, math.nan])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("geometry", [{}, {"padding": 1}, {"stride": 2}, {"dilation": 2, "padding": 2},
                                      {"stride": 3, "padding": 2}])
def test_zeros_beyond_the_image_meet_no_infinite_weight(odd, dtype, last, geometry):
    """The image's gradient, and a transposed convolution, sum over positions that exist: `fold` of a product does."""
    torch.manual_seed(4)
    x, w = torch.randn(2, 3, 7, 8, dtype=dtype), torch.randn(5, 3, 3, 3, dtype=dtype)
    w[2, 1, 0, 2] = odd
    if last:
        x = x.contiguous(memory_format=torch.channels_last)
    y = F.conv2d(x.requires_grad_(), w, **geometry)
    g = torch.randn(y.shape, dtype=dtype)
    given, = torch.autograd.grad(y, x, g)
    columns = w.double().flatten(1).t() @ g.double().flatten(2)
    wanted = F.fold(columns, (7, 8), 3, **geometry)
    least = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 3e-2}[dtype]
    assert torch.allclose(given.double(), wanted, rtol=least, atol=least, equal_nan=True)
    moved = F.conv_transpose2d(g, w, **geometry)
    sizes = moved.shape[2:]
    assert torch.allclose(moved.double(), F.fold(columns, sizes, 3, **geometry), rtol=least, atol=least,
                          equal_nan=True)


@pytest.mark.parametrize("conv", [F.conv2d, F.conv_transpose2d])
@pytest.mark.parametrize("flows", [(True, False, False), (False, True, False), (True, False, True), (True, True, True)])
def test_gradients_require_grad_if_an_operand_does(conv, flows):
    """As PyTorch's, which makes them in one call; nothing flows from a gradient that does not depend on the operand."""
    tensors = [random(1, 2, 4, 4), random(2, 2, 3, 3), random(2)]
    operands = [t.requires_grad_() for t, flow in zip(tensors, flows) if flow]
    y = conv(*tensors)
    grads = torch.autograd.grad(y, operands, torch.ones_like(y), create_graph=True)
    assert all(g.requires_grad for g in grads)
    assert torch.autograd.grad(grads[0].sum(), tensors[0] if flows[0] else tensors[1], allow_unused=True) == (None,)
    assert not any(g.requires_grad for g in torch.autograd.grad(conv(*tensors).sum(), operands))


@pytest.mark.parametrize("conv,sizes", [(F.conv2d, (4, 3, 2, 2)), (F.conv_transpose2d, (3, 4, 2, 2))])
@pytest.mark.parametrize("of", ["input", "weight", "both", "none"])
def test_gradients_have_the_layout_of_the_result(conv, sizes, of):
    x, w, last = random(2, 3, 5, 4, dtype=torch.float32), random(*sizes, dtype=torch.float32), torch.channels_last
    x = x.contiguous(memory_format=last) if of in ("input", "both") else x
    w = w.contiguous(memory_format=last) if of in ("weight", "both") else w
    y = conv(x.requires_grad_(), w.requires_grad_())
    for g in (torch.ones_like(y), torch.ones(()).expand(y.shape)):
        for t in (y, *torch.autograd.grad(y, (x, w), g, retain_graph=True)):
            assert t.is_contiguous(memory_format=last) == (of != "none")
            assert t.is_contiguous() == (of == "none")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("stride", [7, 1000, 2**20, 2**31, 2**32, 2**40, 2**62, 2**63 - 1])
def test_a_stride_beyond_the_image(dtype, stride):
    """There is one position, whatever the stride is; and as many classes of positions as the image has."""
    torch.manual_seed(3)
    x, w = random(2, 4, 6, 6, dtype=dtype, grad=True), random(2, 4, 2, 2, dtype=dtype, grad=True)
    y = F.conv2d(x, w, None, stride)
    gradients = torch.autograd.grad(y.sum(), (x, w))
    one = F.conv2d(x[..., :2, :2], w)
    assert torch.allclose(y, one) and y.shape == (2, 2, 1, 1)
    assert all(torch.allclose(a, b) for a, b in zip(gradients, torch.autograd.grad(one.sum(), (x, w))))
    line, taps = x[:, :, 0], w[:, :, 0]
    assert torch.allclose(F.conv1d(line, taps, None, stride), F.conv1d(line[..., :2], taps))
    assert torch.allclose(F.conv3d(x[:, :, None], w[:, :, None], None, stride)[:, :, 0], one)


@pytest.mark.parametrize("apart", [3, 100, 2**20, 2**40])
def test_taps_far_from_each_other(apart):
    """Stride, padding and dilation of one size: position p meets the image with tap 1 - p alone."""
    torch.manual_seed(3)
    x, w = random(2, 4, 1, 1, dtype=torch.float32, grad=True), random(2, 4, 2, 2, dtype=torch.float32, grad=True)
    y = F.conv2d(x, w, None, apart, apart, apart)
    wanted = torch.einsum("ncij,ocyx->noyx", x, w.flip(2, 3))
    gradients = torch.autograd.grad((y * y).sum(), (x, w))
    assert torch.allclose(y, wanted, atol=1e-6)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(gradients, torch.autograd.grad((wanted * wanted).sum(), (x, w))))


def test_a_kernel_whose_area_is_no_integer():
    for kernel in (2**32, 2**62):
        with pytest.raises(RuntimeError, match=f"^Given kernel_width = {kernel} and kernel_height = {kernel} the product of"):
            F.fold(torch.ones(1, 8, 4), 4, kernel, 1, 0, 2)


# ---- small images: some of a batch are one product, or depthwise ones are laid side by side ----

def by_unfolding(x, w, bias, stride, padding, dilation, groups):
    """A convolution in float64 from the columns of `unfold`."""
    n, positions = len(x), [(x.shape[d] + 2 * padding - dilation * (w.shape[d] - 1) - 1) // stride + 1 for d in (2, 3)]
    columns = F.unfold(x, w.shape[2:], dilation, padding, stride).reshape(n, groups, -1, positions[0] * positions[1])
    y = torch.matmul(w.reshape(groups, len(w) // groups, -1), columns)
    return y.reshape(n, len(w), *positions) + (0 if bias is None else bias[:, None, None])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("batch, channels, rows, groups, size, taps, stride, padding, dilation", [
    (70, 16, 24, 1, (1, 1), 3, 1, 1, 1), (70, 16, 24, 1, (2, 2), 3, 1, 1, 1), (9, 16, 24, 1, (2, 2), 3, 2, 1, 1),
    (9, 16, 24, 1, (4, 4), 3, 2, 1, 1), (5, 24, 16, 1, (3, 5), 3, 1, 1, 1), (1, 24, 16, 1, (2, 2), 3, 1, 1, 1),
    (6, 24, 16, 1, (7, 7), 1, 1, 0, 1), (6, 24, 16, 1, (1, 1), 1, 1, 0, 1), (6, 24, 16, 1, (4, 4), 1, 2, 0, 1),
    (6, 16, 16, 1, (2, 3), 5, 1, 2, 1), (6, 16, 16, 1, (3, 3), 3, 1, 2, 2), (6, 16, 16, 1, (2, 2), 3, 1, 4, 2),
    (5, 32, 32, 2, (2, 2), 3, 1, 1, 1), (5, 16, 16, 16, (4, 4), 3, 1, 1, 1), (5, 16, 16, 16, (5, 4), 3, 2, 1, 1),
    (3, 16, 16, 16, (2, 2), 7, 1, 3, 1)])
def test_small_images(dtype, last, batch, channels, rows, groups, size, taps, stride, padding, dilation):
    torch.manual_seed(6)
    x, w = torch.randn(batch, channels, *size, dtype=dtype), torch.randn(rows, channels // groups, taps, taps, dtype=dtype)
    x = x.contiguous(memory_format=torch.channels_last) if last else x
    operands = [t.requires_grad_() for t in (x, w, torch.randn(rows, dtype=dtype))]
    exact = [t.detach().double().requires_grad_() for t in operands]
    y, wanted = F.conv2d(*operands, stride, padding, dilation, groups), by_unfolding(*exact, stride, padding, dilation, groups)
    g = torch.randn(y.shape, dtype=dtype)
    given = [y, *torch.autograd.grad(y, operands, g)]
    wanted = [wanted, *torch.autograd.grad(wanted, exact, g.double())]
    for mine, its in zip(given, wanted):
        off = {torch.float32: 1e-5, torch.float64: 1e-12, torch.bfloat16: 2e-2}[dtype]
        assert mine.dtype == dtype and mine.shape == its.shape
        assert ((mine.double() - its).abs() <= off * (1 + its.abs().max())).all()


@pytest.mark.cpu_only("libraries of a GPU multiply what they like")
def test_taps_that_see_no_image():
    """In float32 they meet no zeros beyond the image, as in PyTorch; their gradient is zero."""
    x = torch.ones(2, 16, 1, 1).requires_grad_()
    w = torch.full((8, 16, 3, 3), math.inf)
    w[:, :, 1, 1] = 1
    y = F.conv2d(x, w.requires_grad_(), padding=1)
    assert y.flatten().tolist() == [16] * 16
    of_x, of_w = torch.autograd.grad(y.sum(), (x, w))
    assert of_x.flatten().tolist() == [8] * 32 and of_w.sum().item() == of_w[:, :, 1, 1].sum().item() == 2 * 8 * 16


@pytest.mark.parametrize("groups", [1, 2, 16])
def test_small_images_on_several_threads(groups):
    torch.manual_seed(7)
    x, w = torch.randn(70, 16, 3, 3), torch.randn(32 if groups < 16 else 16, 16 // groups, 3, 3)

    def run(threads):
        torch.set_num_threads(threads)
        y = F.conv2d(x.requires_grad_(), w.requires_grad_(), padding=1, groups=groups)
        return [y, *torch.autograd.grad(y, (x, w), torch.ones_like(y))]

    before = torch.get_num_threads()
    try:
        assert all(torch.equal(a, b) for a, b in zip(run(1), run(4)))
    finally:
        torch.set_num_threads(before)
