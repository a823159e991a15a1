"""Pooling: what the names of torch and nn.functional take, against windows written out with unfold, and against one another."""

import karat as torch
import pytest
from karat import _karat
from karat.nn import functional as F

DIMS = [1, 2, 3]


def named(name, dims):
    return getattr(F, f"{name}_pool{dims}d")


def windows(x, dims, kernel, stride):
    """x with its windows flattened in a last dim."""
    for dim in range(-dims, 0):
        x = x.unfold(2 + dims + dim, kernel, stride)
    return x.flatten(-dims)


@pytest.mark.parametrize("dims", DIMS)
@pytest.mark.parametrize("kernel,stride,padding", [(2, None, 0), (3, 2, 1), (3, 1, 0), (2, 3, 1)])
def test_values_and_gradients_are_those_of_the_windows(dims, kernel, stride, padding):
    torch.manual_seed(1)
    made = torch.randn(2, 3, *[6] * dims, dtype=torch.float64)
    for name, pad, reduce in (("max", float("-inf"), lambda w: w.amax(-1)), ("avg", 0.0, lambda w: w.mean(-1))):
        ours, theirs = made.clone().requires_grad_(), made.clone().requires_grad_()
        y = named(name, dims)(ours, kernel, stride, padding)
        z = reduce(windows(F.pad(theirs, [padding] * 2 * dims, value=pad), dims, kernel, stride or kernel))
        g = torch.randn_like(y)
        y.backward(g)
        z.backward(g)
        assert torch.allclose(y, z)
        assert torch.allclose(ours.grad, theirs.grad)


@pytest.mark.parametrize("dims", DIMS)
def test_indices_lead_to_the_values(dims):
    x = torch.randn(2, 3, *[7] * dims)
    for values, indices in (named("max", dims)(x, 3, 2, 1, return_indices=True),
                            named("adaptive_max", dims)(x, 4, return_indices=True)):
        assert indices.dtype == torch.int64
        assert torch.equal(x.flatten(2).gather(2, indices.flatten(2)).reshape(values.shape), values)
    assert torch.equal(named("max", dims)(x, 3, 2, 1), named("max", dims)(x, 3, 2, 1, 1, False, True)[0])
    assert torch.equal(getattr(F, f"max_pool{dims}d_with_indices")(x, 2)[0], named("max", dims)(x, 2))
    assert torch.equal(getattr(torch, f"max_pool{dims}d")(x, 2), named("max", dims)(x, kernel_size=2))


@pytest.mark.parametrize("dims", DIMS)
def test_adaptive_is_a_loop(dims):
    torch.manual_seed(2)
    x = torch.randn(2, 2, *[5] * dims, dtype=torch.float64)
    size = [3, 2, 4][:dims]
    avg, top = named("adaptive_avg", dims)(x, size if dims > 1 else 3), named("adaptive_max", dims)(x, size if dims > 1 else 3)
    for at in torch.ones(size).nonzero().tolist():
        part = x
        for dim, (i, n) in enumerate(zip(at, size), 2):
            begin, end = i * 5 // n, -(-(i + 1) * 5 // n)
            part = part.narrow(dim, begin, end - begin)
        where = (slice(None), slice(None), *at)
        assert torch.allclose(avg[where], part.flatten(2).mean(2))
        assert torch.equal(top[where], part.flatten(2).amax(2))
    if dims > 1:
        assert torch.equal(named("adaptive_avg", dims)(x, [None] * dims), x)
        assert torch.allclose(named("adaptive_avg", dims)(x, 1).flatten(1), x.flatten(2).mean(2))


@pytest.mark.parametrize("dims", DIMS)
def test_layouts_batches_and_dtypes(dims):
    x = torch.randint(-9, 9, (2, 3, *[6] * dims))
    pools = [lambda x: named("max", dims)(x, 2), lambda x: named("avg", dims)(x, 2), lambda x: named("adaptive_max", dims)(x, 3),
             lambda x: named("adaptive_avg", dims)(x, 3)]
    for pool in pools:
        want = pool(x.double())
        for dtype in torch.float32, torch.bfloat16, torch.float16:
            if dims == 3 and dtype != torch.float32 and pool is pools[1]:
                continue
            assert pool(x.to(dtype)).dtype == dtype
            assert torch.equal(pool(x.to(dtype)), want.to(dtype))
        assert torch.equal(pool(x.float()[0]), want.float()[0])
        assert torch.equal(pool(x.float().transpose(-1, -2).contiguous().transpose(-1, -2)), want.float())
        assert pool(torch.ones(0, 3, *[6] * dims)).shape == (0, 3, *[3] * dims)
        if dims > 1:
            last = torch.channels_last if dims == 2 else torch.channels_last_3d
            y = pool(x.float().contiguous(memory_format=last))
            assert torch.equal(y, want.float())
            assert dims == 3 or y.is_contiguous(memory_format=last)
    if dims > 1:
        assert torch.equal(named("max", dims)(x, 2), named("max", dims)(x.double(), 2).long())


def test_nans_ties_and_minus_infinity():
    nan, low = float("nan"), float("-inf")
    x = torch.tensor([[[[nan, 1.0, 2.0, 2.0], [1.0, nan, 2.0, 2.0], [low, low, 5.0, nan], [low, low, 1.0, 1.0]]]])
    for image in x, x.expand(1, 4, 4, 4).contiguous(memory_format=torch.channels_last):
        values, indices = F.max_pool2d(image, 2, return_indices=True)
        assert torch.equal(indices[0, 0], torch.tensor([[5, 2], [8, 11]]))
        assert values[0, 0].isnan().tolist() == [[True, False], [False, True]]
        assert values[0, 0, 1, 0] == low
    assert torch.equal(F.avg_pool2d(torch.ones(1, 1, 3, 3), 3, 2, 1), torch.full((1, 1, 2, 2), 4.0) / 9)
    assert F.avg_pool2d(torch.ones(1, 1, 3, 3), 3, 2, 1, count_include_pad=False).unique().tolist() == [1.0]
    assert F.avg_pool2d(torch.full((1, 1, 2, 2), -(2**63)), 1, divisor_override=-1).unique().tolist() == [-(2**63)]


@pytest.mark.parametrize("last", [False, True])
def test_windows_of_padding_alone_have_the_place_where_they_begin(last):
    """Rows are counted on beyond their end, and a place beyond the plane gets no gradient."""
    x = torch.arange(24.).reshape(1, 2, 6, 2)
    if last:
        x = x.contiguous(memory_format=torch.channels_last)
    x.requires_grad_()
    y, at = F.max_pool2d(x, 2, (2, 3), (0, 1), (1, 3), return_indices=True)
    assert torch.equal(y, torch.full((1, 2, 3, 1), -torch.inf)) and at.tolist() == [[[[2], [6], [10]]] * 2]
    flows, = torch.autograd.grad(y, x, torch.tensor([[[1.], [2.], [3.]], [[4.], [5.], [6.]]])[None])
    assert flows[..., 0].tolist() == [[[0, 1, 0, 2, 0, 3], [0, 4, 0, 5, 0, 6]]] and not flows[..., 1].any()
    point = x.detach()[:, :, :1, :1].requires_grad_()
    y, at = F.max_pool2d(point, 2, 3, 1, 3, ceil_mode=True, return_indices=True)
    assert at.flatten().tolist() == [4, 4] and not torch.autograd.grad(y.sum(), point)[0].any()


@pytest.mark.cpu_only("PyTorch has no kernels for integers on a GPU")
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64])
def test_padding_is_the_lowest_of_its_dtype(dtype):
    y, at = F.max_pool3d(torch.ones(1, 1, 1, 1, 2, dtype=dtype), (1, 1, 2), 3, (0, 0, 1), (1, 1, 3), return_indices=True)
    assert (y.item(), at.item()) == (torch.iinfo(dtype).min, 2)


@pytest.mark.parametrize("dims,count", [(2, ""), (3, "three ")])
def test_drawn_windows_have_one_size_or_one_for_each_dim(dims, count):
    x = torch.rand(1, 1, *[6] * dims)
    draw, samples = getattr(F, f"fractional_max_pool{dims}d"), torch.full((1, 1, dims), 0.5)
    assert torch.equal(draw(x, 2, 2, _random_samples=samples), draw(x, [2] * dims, [2] * dims, _random_samples=samples))
    for kernel, size, name in ([2], 2, "kernel"), (2, (2,), "output"), ((2,), (2,), "kernel"), ([2] * (dims + 1), 2, "kernel"):
        with pytest.raises(RuntimeError, match=f"{name}_size must either be a single Int or tuple of {count}Ints"):
            draw(x, kernel, size)


def test_power_averages_multiply_and_divide_as_python_does():
    x = torch.rand(1, 1, 6)
    for kernel in (2,), [2]:
        text = rf"mul\(\): argument 'other' \(position 1\) must be Tensor, not {type(kernel).__name__}"
        with pytest.raises(TypeError, match=text):
            F.lp_pool1d(x, 2, kernel)
    for dims in DIMS:
        with pytest.raises(ZeroDivisionError, match="float division by zero"):
            named("lp", dims)(torch.rand(1, 1, *[4] * dims), 0, 2)


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
def test_autocast_computes_volumes_in_float32():
    flat, solid = torch.ones(1, 2, 4, 4, dtype=torch.bfloat16), torch.ones(1, 2, 4, 4, 4, dtype=torch.bfloat16)
    before = _karat.get_autocast("cpu")
    _karat.autocast_enter()
    _karat.set_autocast("cpu", True, torch.bfloat16)
    try:
        for name in "max", "avg", "adaptive_max", "adaptive_avg":
            assert named(name, 2)(flat, 2).dtype == torch.bfloat16
            assert named(name, 3)(solid, 2).dtype == torch.float32
    finally:
        _karat.autocast_leave()
        _karat.set_autocast("cpu", *before)


X, SOLID = torch.ones(1, 2, 6, 6), torch.ones(1, 2, 6, 6, 6)


@pytest.mark.parametrize("call,text", [
    (lambda: F.max_pool2d(X, 2, [2, 2, 2]), "max_pool2d: stride must either be omitted, a single int, or a tuple of two ints"),
    (lambda: F.max_pool3d(SOLID, 2, 2, 2, 3),
     "pad should be smaller than or equal to half of kernel size, but got kT: 2 kW: 2 kH: 2 padT: 2 padW: 2 padH: 2"),
    (lambda: F.max_pool2d(X, 2**40), "integer out of range"),
    (lambda: F.max_pool2d(X.contiguous(memory_format=torch.channels_last).bool(), 2),
     "\"max_pool2d_channels_last\" not implemented for 'Bool'"),
    (lambda: F.avg_pool2d(torch.ones(2), 2), "Dimension out of range (expected to be in range of [-1, 0], but got -3)"),
    (lambda: F.avg_pool3d(SOLID, [2, 2]), "avg_pool3d: kernel_size must be a single int, or a tuple of three ints"),
    (lambda: F.avg_pool3d(SOLID.half(), 2), "\"avg_pool3d_out_frame\" not implemented for 'Half'"),
    (lambda: F.adaptive_avg_pool3d(SOLID, -1),
     "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received {-1, -1,-1}"),
    (lambda: F.adaptive_max_pool2d(X, [2]), "adaptive_max_pool2d(): internal error: output_size.size() must be 2"),
    (lambda: F.adaptive_max_pool2d(X, -1), "Trying to create tensor with negative dimension -1: [1, 2, -1, -1]"),
    (lambda: F.adaptive_max_pool2d(torch.ones(2), [2, 2]), "Input dimension should be at least 3"),
])
def test_refusals(call, text):
    with pytest.raises((RuntimeError, NotImplementedError, IndexError, ValueError)) as error:
        call()
    assert str(error.value).splitlines()[0] == text


# ---- places, columns, powers ----


@pytest.mark.parametrize("dims", DIMS)
def test_unpooling_puts_numbers_where_they_stood(dims):
    torch.manual_seed(3)
    x = torch.randn(2, 3, *[6] * dims)
    values, indices = named("max", dims)(x, 2, return_indices=True)
    values = values.requires_grad_()
    back = getattr(F, f"max_unpool{dims}d")(values, indices, 2)
    assert back.shape == x.shape
    assert torch.equal(back, torch.where(back != 0, x, torch.zeros(())))
    assert torch.equal(named("max", dims)(back.abs(), 2), values.abs())
    back.sum().backward()
    assert torch.equal(values.grad, torch.ones_like(values))
    larger = getattr(F, f"max_unpool{dims}d")(values, indices, 2, output_size=[7] * dims)
    assert larger.shape == (2, 3, *[7] * dims)


def test_unpooling_refuses_sizes_and_places():
    values, indices = F.max_pool2d(torch.randn(1, 2, 6, 6), 2, return_indices=True)
    for call, error, text in (
        (lambda: F.max_unpool2d(values, indices, 2, output_size=(9, 9)), ValueError,
         'invalid output_size "(9, 9)" (dim 0 must be between 4 and 8)'),
        (lambda: F.max_unpool2d(values, indices, 2, output_size=(7,)), ValueError,
         "output_size should be a sequence containing 2 or 4 elements, but it has a length of '1'"),
        (lambda: F.max_unpool2d(values, indices.int(), 2), RuntimeError,
         "elements in indices should be type int64 but got: Int"),
    ):
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value).splitlines()[0] == text


@pytest.mark.cpu_only("draws numbers")
@pytest.mark.parametrize("dims", [2, 3])
def test_drawn_windows(dims):
    x = torch.randn(2, 3, *[9] * dims, dtype=torch.float64, requires_grad=True)
    pool = named("fractional_max", dims)
    torch.manual_seed(4)
    y, indices = pool(x, 2, output_size=4, return_indices=True)
    torch.manual_seed(4)
    samples = torch.rand(2, 3, dims, dtype=torch.float64)
    assert torch.equal(pool(x, 2, output_size=[4] * dims, _random_samples=samples), y)
    assert torch.equal(x.flatten(2).gather(2, indices.flatten(2)).reshape(y.shape), y)
    assert pool(x, 2, output_ratio=(0.5,) * dims).shape == (2, 3, *[4] * dims)
    y.sum().backward()
    assert x.grad.sum() == y.numel()
    with pytest.raises(ValueError, match="requires specifying either an output_size or an output_ratio"):
        pool(x, 2)


@pytest.mark.parametrize("dims", DIMS)
def test_power_averages_are_norms(dims):
    torch.manual_seed(5)
    x = torch.rand(2, 3, *[6] * dims, dtype=torch.float64)
    for p in (1, 2, 3.5):
        want = windows(x, dims, 3, 2).pow(p).sum(-1).pow(1 / p)
        assert torch.allclose(named("lp", dims)(x, p, 3, stride=2), want)
    if dims == 2:
        with pytest.raises(ValueError, match="unpack"):
            F.lp_pool2d(x, 2, [2, 2, 2])


@pytest.mark.parametrize("kernel,dilation,padding,stride", [(2, 1, 0, 1), ((2, 3), 1, (1, 0), 2), (3, (1, 2), 2, (2, 1))])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_columns_make_a_convolution(kernel, dilation, padding, stride, dtype):
    torch.manual_seed(6)
    x = torch.randn(2, 3, 7, 8, dtype=dtype, requires_grad=True)
    size = (kernel, kernel) if isinstance(kernel, int) else kernel
    w = torch.randn(4, 3, *size, dtype=dtype)
    want = F.conv2d(x, w, None, stride, padding, dilation)
    columns = F.unfold(x, kernel, dilation, padding, stride)
    assert torch.allclose((w.flatten(1) @ columns).reshape(want.shape), want)
    g = torch.randn_like(columns)
    back, = torch.autograd.grad(columns, x, g)
    assert torch.allclose(F.fold(g, (7, 8), kernel, dilation, padding, stride), back)
    assert torch.allclose(F.unfold(x[0], kernel, dilation, padding, stride), columns[0])
    assert torch.allclose(F.fold(g[0], (7, 8), kernel, dilation, padding, stride), back[0])


@pytest.mark.parametrize("dims", [2, 3])
def test_samples_of_a_fractional_pool_have_no_gradient(dims):
    samples = torch.rand(1, 2, dims, requires_grad=True)
    with pytest.raises(RuntimeError) as error:
        getattr(F, f"fractional_max_pool{dims}d")(torch.ones(1, 2, *[6] * dims), 2, output_size=3, _random_samples=samples)
    assert str(error.value).splitlines()[0] == (
        f"The function 'fractional_max_pool{dims}d' is not differentiable with respect to argument 'random_samples'. This input "
        "cannot have requires_grad True.")


@pytest.mark.cpu_only("PyTorch's kernel for GPUs draws in float32")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("sample", [0.51171875, 0.99609375, 0.279296875])
def test_places_are_drawn_in_the_samples_dtype(dtype, sample):
    """Window i begins at trunc((i + sample) * step) - trunc(sample * step), each operation rounded."""
    have, kernel, few = 13, 3, 7
    r = lambda v: torch.tensor(v, dtype=torch.float64).to(dtype).double().item()
    step = r((have - kernel) / (few - 1))
    begin = [int(r(r(i + sample) * step)) - int(r(sample * step)) for i in range(few - 1)] + [have - kernel]
    x = torch.arange(have, dtype=torch.float32).expand(1, 1, have, have).to(dtype)
    _, places = F.fractional_max_pool2d(x, kernel, output_size=few, return_indices=True,
                                        _random_samples=torch.full((1, 1, 2), sample, dtype=dtype))
    assert [p % have for p in places[0, 0, 0].tolist()] == [b + kernel - 1 for b in begin]


def test_a_subclass_is_asked_once_and_sees_what_was_given():
    """Arguments without a default arrive by position, the others by name, whichever way they were given."""
    calls = []

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append((func, args[1:], kwargs))
            return "asked"

    x = torch.ones(1, 2, 6, 6).as_subclass(Mine)
    plain = {"stride": None, "padding": 1, "dilation": 1, "ceil_mode": False}
    for run, seen in (
        (lambda: F.max_pool2d(x, 2, None, 1), (F.max_pool2d, (2,), {**plain, "return_indices": False})),
        (lambda: F.max_pool2d(x, kernel_size=2, padding=1, return_indices=True),
         (F.max_pool2d_with_indices, (2,), {**plain, "return_indices": True})),
        (lambda: F.adaptive_max_pool2d(x, output_size=3), (F.adaptive_max_pool2d, (3,), {"return_indices": False})),
        (lambda: F.adaptive_avg_pool3d(x, 3), (F.adaptive_avg_pool3d, (3,), {})),
        (lambda: F.lp_pool2d(x, 2.0, 3), (F.lp_pool2d, (2.0, 3), {"stride": None, "ceil_mode": False})),
        (lambda: F.elu(x, inplace=True), (F.elu, (), {"alpha": 1.0, "inplace": True})),
        (lambda: F.threshold(x, 1, value=2), (F.threshold, (1, 2), {"inplace": False})),
        (lambda: F.relu(x, True), (F.relu, (), {"inplace": True})),
        (lambda: F.triplet_margin_with_distance_loss(x, x, x, swap=True), (
            F.triplet_margin_with_distance_loss, (x, x),
            {"distance_function": None, "margin": 1.0, "swap": True, "reduction": "mean"})),
        (lambda: F.affine_grid(x, (1, 2)), (F.affine_grid, ((1, 2),), {"align_corners": None})),
    ):
        calls.clear()
        assert run() == "asked" and len(calls) == 1
        func, args, kwargs = calls[0]
        assert func is seen[0] and kwargs == seen[2] and all(a is b or a == b for a, b in zip(args, seen[1], strict=True))


def test_fractional_layers_take_a_size_or_a_ratio():
    for kind, dims in (torch.nn.FractionalMaxPool2d, 2), (torch.nn.FractionalMaxPool3d, 3):
        made = kind(2, output_ratio=0.5)
        assert made.output_ratio == (0.5,) * dims and made.output_size is None and made.kernel_size == (2,) * dims
        assert kind(2, output_size=3).output_size == (3,) * dims
        for options, says in (({}, f"{kind.__name__} requires specifying either an output size, or a pooling ratio"),
                              ({"output_size": 2, "output_ratio": 0.5}, "only one of output_size and output_ratio"),
                              ({"output_ratio": 1.0}, r"output_ratio must be between 0 and 1 \(got 1.0\)")):
            with pytest.raises(ValueError, match=says):
                kind(2, **options)


@pytest.mark.parametrize("dims", [2, 3])
def test_the_average_of_all_of_channels_last_lies_channels_last(dims):
    """PyTorch's strides of dims of size 1 say in which format the next layer runs."""
    pool = getattr(F, f"adaptive_avg_pool{dims}d")
    last = (torch.channels_last, torch.channels_last_3d)[dims - 2]
    x = torch.randn(2, 3, *[4] * dims)
    found = pool(x.contiguous(memory_format=last), 1)
    assert found.stride() == (3, 1, *[3] * dims) and torch.equal(found, pool(x, 1))
    assert pool(x, 1).stride() == (3, 1, *[1] * dims)
    y = x.contiguous(memory_format=last).requires_grad_()
    pool(y, 1).sum().backward()
    assert torch.allclose(y.grad, torch.full_like(x, 1 / 4**dims))


@pytest.mark.parametrize("size", [0, -1, (1, 1, 0)])
def test_a_random_window_of_three_dims_has_a_size(size):
    with pytest.raises(ValueError, match="kernel_size must greater than 0, but got"):
        torch.nn.FractionalMaxPool3d(size, output_size=1)
