"""torchvision's operators: values beside loops that follow the papers, gradients beside finite differences, dtypes, messages."""

import math
import random

import karat as torch
import pytest
from karat import _karat
from karat.autograd import gradcheck

_karat.load_operators("torchvision")
ops = torch.ops.torchvision
GRAIN = 1e-9


def drawn(n, *, images=2, size=(9, 11), scale=1.0, wild=False, seed=0):
    """n regions, some of them beyond the images, empty or turned around."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        x, y = draw.uniform(-3, size[1]), draw.uniform(-3, size[0])
        w, h = (draw.uniform(-4, 12), draw.uniform(-4, 12)) if wild else (draw.uniform(0.5, 8), draw.uniform(0.5, 8))
        rows.append([draw.randrange(images), x / scale, y / scale, (x + w) / scale, (y + h) / scale])
    return torch.tensor(rows, dtype=torch.float64)


def image_of(channels, size=(9, 11), images=2, seed=0):
    torch.manual_seed(seed)
    return torch.randn(images, channels, *size, dtype=torch.float64)


def sample(plane, y, x):
    """Mask R-CNN's sample: nothing beyond one element from the border, the border's value up to there."""
    height, width = len(plane), len(plane[0])
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = min(int(y), height - 1), min(int(x), width - 1)
    below, right = min(top + 1, height - 1), min(left + 1, width - 1)
    dy, dx = y - top, x - left
    return ((1 - dy) * (1 - dx) * plane[top][left] + (1 - dy) * dx * plane[top][right] + dy * (1 - dx) * plane[below][left]
            + dy * dx * plane[below][right])


def aligned(image, rois, scale, rows, columns, sampling, aligned, by_position=False):
    planes, out = image.tolist(), []
    channels = image.shape[1] // (rows * columns) if by_position else image.shape[1]
    shift = 0.5 if aligned or by_position else 0.0
    for b, x1, y1, x2, y2 in rois.tolist():
        left, top, w, h = x1 * scale - shift, y1 * scale - shift, (x2 - x1) * scale, (y2 - y1) * scale
        if not aligned and not by_position:
            w, h = max(w, 1.0), max(h, 1.0)
        n_y = sampling if sampling > 0 else math.ceil(h / rows)
        n_x = sampling if sampling > 0 else math.ceil(w / columns)
        for c in range(channels):
            for i in range(rows):
                for j in range(columns):
                    plane = planes[int(b)][(c * rows + i) * columns + j if by_position else c]
                    total = sum(sample(plane, top + (i + (k + 0.5) / n_y) * h / rows, left + (j + (m + 0.5) / n_x) * w / columns)
                                for k in range(n_y) for m in range(n_x))
                    count = n_y * n_x if by_position else max(n_y * n_x, 1)
                    out.append(total / count if count else math.nan)
    return torch.tensor(out, dtype=torch.float64).reshape(-1, channels, rows, columns)


def rounded(value):
    return math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1)


def windows(roi, scale, rows, columns, size, by_position):
    left, top, right, bottom = (rounded(value * scale) for value in roi[1:])
    more = 0 if by_position else 1
    h, w = max(bottom - top + more, 1) / rows, max(right - left + more, 1) / columns
    ends = [n - 1 if by_position else n for n in size]
    for i in range(rows):
        for j in range(columns):
            yield (min(max(math.floor(i * h) + top, 0), ends[0]), min(max(math.ceil((i + 1) * h) + top, 0), ends[0]),
                   min(max(math.floor(j * w) + left, 0), ends[1]), min(max(math.ceil((j + 1) * w) + left, 0), ends[1]))


def pooled(image, rois, scale, rows, columns, by_position=False):
    planes, out = image.tolist(), []
    channels = image.shape[1] // (rows * columns) if by_position else image.shape[1]
    for roi in rois.tolist():
        for c in range(channels):
            for at, (y1, y2, x1, x2) in enumerate(windows(roi, scale, rows, columns, image.shape[2:], by_position)):
                plane = planes[int(roi[0])][c * rows * columns + at if by_position else c]
                seen = [plane[y][x] for y in range(y1, y2) for x in range(x1, x2)]
                out.append(0.0 if not seen else sum(seen) / len(seen) if by_position else max(seen))
    return torch.tensor(out, dtype=torch.float64).reshape(-1, channels, rows, columns)


def close(a, b):
    assert a.shape == b.shape and torch.allclose(a, b, rtol=GRAIN, atol=GRAIN, equal_nan=True)


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("sampling", [-1, 1, 3])
@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_roi_align(align, sampling, scale, wild):
    image, rois = image_of(3), drawn(7, scale=scale, wild=wild)
    close(ops.roi_align(image, rois, scale, 2, 3, sampling, align), aligned(image, rois, scale, 2, 3, sampling, align))


@pytest.mark.parametrize("sampling", [-1, 2])
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_ps_roi_align(sampling, scale):
    image, rois = image_of(12), drawn(7, scale=scale)
    found, channel = ops.ps_roi_align(image, rois, scale, 2, 3, sampling)
    close(found, aligned(image, rois, scale, 2, 3, sampling, True, by_position=True))
    assert channel.dtype == torch.int32 and channel[0].flatten().tolist() == list(range(12))


def test_an_empty_bin_is_0_in_roi_align_and_nan_in_ps_roi_align():
    image, point = image_of(4), torch.tensor([[0, 2.0, 2.0, 2.0, 2.0]], dtype=torch.float64)
    assert ops.roi_align(image, point, 1.0, 2, 2, -1, True).eq(0).all()
    assert ops.ps_roi_align(image, point, 1.0, 2, 2, -1)[0].isnan().all()


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_roi_pool(scale, wild):
    image, rois = image_of(3), drawn(9, scale=scale, wild=wild)
    found, place = ops.roi_pool(image, rois, scale, 3, 2)
    close(found, pooled(image, rois, scale, 3, 2))
    for k, roi in enumerate(rois.tolist()):  # the places are those of the values, -1 of an empty bin
        flat = image[int(roi[0])].flatten(1)
        for c in range(3):
            for value, at in zip(found[k, c].flatten().tolist(), place[k, c].flatten().tolist()):
                assert value == (flat[c, at].item() if at >= 0 else 0.0)


@pytest.mark.parametrize("wild", [False, True])
def test_ps_roi_pool(wild):
    image, rois = image_of(12), drawn(9, wild=wild)
    close(ops.ps_roi_pool(image, rois, 1.0, 2, 3)[0], pooled(image, rois, 1.0, 2, 3, by_position=True))


def bilinear(plane, y, x):
    """Deformable convolution's sample: zeros beyond the image."""
    height, width = len(plane), len(plane[0])
    top, left = math.floor(y), math.floor(x)
    return sum((1 - abs(y - i)) * (1 - abs(x - j)) * plane[i][j] for i in (top, top + 1) for j in (left, left + 1)
               if 0 <= i < height and 0 <= j < width)


def deformed(x, weight, offset, mask, bias, stride, pad, dilation, groups, offset_groups):
    n, channels, out_channels = x.shape[0], x.shape[1], weight.shape[0]
    kernel, (height, width) = weight.shape[2:], offset.shape[2:]
    X, W, O, M = x.tolist(), weight.tolist(), offset.tolist(), mask.tolist() if mask is not None else None
    out = torch.zeros(n, out_channels, height, width, dtype=torch.float64)
    for b in range(n):
        for o in range(out_channels):
            for p in range(height):
                for q in range(width):
                    total = bias.tolist()[o]
                    for k in range(channels // groups):
                        c = o // (out_channels // groups) * (channels // groups) + k
                        for i in range(kernel[0]):
                            for j in range(kernel[1]):
                                at = c // (channels // offset_groups) * kernel[0] * kernel[1] + i * kernel[1] + j
                                y = p * stride[0] - pad[0] + i * dilation[0] + O[b][2 * at][p][q]
                                z = q * stride[1] - pad[1] + j * dilation[1] + O[b][2 * at + 1][p][q]
                                seen = M[b][at][p][q] if M is not None else 1.0
                                total += W[o][k][i][j] * seen * bilinear(X[b][c], y, z)
                    out[b, o, p, q] = total
    return out


DEFORMED = [((1, 1), (0, 0), (1, 1), 1, 1, True), ((2, 1), (1, 2), (1, 2), 2, 1, True), ((1, 2), (1, 1), (2, 1), 2, 2, False)]


def deformed_operands(stride, pad, dilation, groups, offset_groups, masked):
    torch.manual_seed(1)
    x, weight = torch.randn(2, 4, 6, 7, dtype=torch.float64), torch.randn(4, 4 // groups, 3, 2, dtype=torch.float64)
    height = (6 + 2 * pad[0] - 2 * dilation[0] - 1) // stride[0] + 1
    width = (7 + 2 * pad[1] - dilation[1] - 1) // stride[1] + 1
    offset = 2 * torch.randn(2, 12 * offset_groups, height, width, dtype=torch.float64)
    mask = torch.rand(2, 6 * offset_groups, height, width, dtype=torch.float64) if masked else torch.zeros(2, 1).double()
    return x, weight, offset, mask, torch.randn(4, dtype=torch.float64)


@pytest.mark.parametrize("case", DEFORMED)
def test_deform_conv2d(case):
    stride, pad, dilation, groups, offset_groups, masked = case
    x, weight, offset, mask, bias = deformed_operands(*case)
    found = ops.deform_conv2d(x, weight, offset, mask, bias, *stride, *pad, *dilation, groups, offset_groups, masked)
    close(found, deformed(x, weight, offset, mask if masked else None, bias, stride, pad, dilation, groups, offset_groups))


@pytest.mark.parametrize("case", DEFORMED)
def test_deform_conv2d_gradients(case):
    stride, pad, dilation, groups, offset_groups, masked = case
    operands = [one.requires_grad_() for one in deformed_operands(*case)]
    if not masked:
        operands[3].requires_grad_(False)
    assert gradcheck(lambda *t: ops.deform_conv2d(*t, *stride, *pad, *dilation, groups, offset_groups, masked), operands)


@pytest.mark.parametrize("name, options, channels", [("roi_align", (2, False), 2), ("roi_align", (-1, True), 2),
                                                     ("roi_pool", (), 2), ("ps_roi_align", (2,), 8), ("ps_roi_pool", (), 8)])
def test_gradients_of_regions(name, options, channels):
    # ps_roi_pool leaves out the last line and column, and what flows back does not: as in torchvision
    image, rois = image_of(channels, size=(5, 6)).requires_grad_(), drawn(4, size=(5, 6))
    if name == "ps_roi_pool":
        rois[:, 1:] = torch.tensor([[0.0, 0, 3, 3], [1, 1, 4, 3], [0, 2, 4, 3], [2, 0, 3, 4]], dtype=torch.float64)
    run = getattr(ops, name)

    def pooled_alone(image):
        out = run(image, rois, 1.0, 2, 2, *options)
        return out[0] if isinstance(out, tuple) else out

    assert gradcheck(pooled_alone, [image])
    out = run(image, rois, 1.0, 2, 2, *options)
    if isinstance(out, tuple):
        assert not out[1].requires_grad and out[1].dtype == torch.int32


def test_nms_keeps_the_best_of_those_that_overlap():
    torch.manual_seed(0)
    for seed in range(20):
        boxes = torch.rand(60, 4, dtype=torch.float64 if seed % 2 else torch.float32) * 20
        boxes[:, 2:] += boxes[:, :2]
        scores = torch.rand(60).to(boxes.dtype).mul(10).round()  # ties: the first comes first
        kept = []
        for i in sorted(range(60), key=lambda i: (-scores[i].item(), i)):
            a = boxes[i].tolist()
            overlaps = []
            for b in (boxes[k].tolist() for k in kept):
                w, h = max(0, min(a[2], b[2]) - max(a[0], b[0])), max(0, min(a[3], b[3]) - max(a[1], b[1]))
                overlaps.append(w * h / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - w * h))
            if all(one <= 0.3 for one in overlaps):
                kept.append(i)
        assert ops.nms(boxes, scores, 0.3).tolist() == kept
    assert ops.nms(torch.empty(0, 4), torch.empty(0), 0.5).dtype == torch.int64


def test_halves_are_computed_in_float32_and_rounded_once():
    image, rois = image_of(4).half(), drawn(4).half()
    found = ops.roi_align(image, rois, 1.0, 2, 2, 2, False)
    assert found.dtype == torch.float16
    assert torch.equal(found, ops.roi_align(image.float(), rois.float(), 1.0, 2, 2, 2, False).half())


def test_dtypes_and_messages():
    image, rois = image_of(4), drawn(2)
    with pytest.raises(RuntimeError, match="type torch.DoubleTensor does not equal torch.FloatTensor .while checking arguments "
                                           "for roi_align_forward_kernel"):
        ops.roi_align(image, rois.float(), 1.0, 2, 2, 2, False)
    with pytest.raises(NotImplementedError, match='"roi_pool_forward_kernel" not implemented for \'BFloat16\''):
        ops.roi_pool(image.bfloat16(), rois.bfloat16(), 1.0, 2, 2)
    with pytest.raises(NotImplementedError, match='"nms_kernel" not implemented for \'Half\''):
        ops.nms(rois[:, 1:].half(), rois[:, 0].half(), 0.5)
    with pytest.raises(RuntimeError, match="dets should have the same type as scores"):
        ops.nms(rois[:, 1:], rois[:, 0].float(), 0.5)
    with pytest.raises(RuntimeError, match=r"rois must have shape as Tensor\[K, 5\]"):
        ops.roi_align(image, rois[:, :4], 1.0, 2, 2, 2, False)
    with pytest.raises(IndexError, match="region 1 is of image 7, and there are 2"):
        ops.roi_align(image, torch.cat([rois[:1], torch.tensor([[7, 0, 0, 1, 1.0]], dtype=torch.float64)]), 1.0, 2, 2, 2, False)
    with pytest.raises(RuntimeError, match="input channels must be a multiple of pooling height"):
        ops.ps_roi_pool(image, rois, 1.0, 2, 3)
    with pytest.raises(NotImplementedError, match="not quantized"):
        ops.qnms(rois[:, 1:], rois[:, 0], 0.5)
    assert ops._cuda_version() == -1


@pytest.mark.cpu_only("autocast is that of the CPU")
def test_autocast_runs_nms_and_roi_align_in_float32():
    image, rois = image_of(4).float(), drawn(3).float()
    with torch.autocast("cpu", torch.bfloat16):
        found = ops.roi_align(image.bfloat16().requires_grad_(), rois, 1.0, 2, 2, 2, False)
        assert found.dtype == torch.bfloat16
        assert ops.nms(rois[:, 1:].bfloat16(), rois[:, 0], 0.5).dtype == torch.int64
    expected = ops.roi_align(image.bfloat16().float(), rois, 1.0, 2, 2, 2, False).bfloat16()
    assert torch.equal(found, expected)
    found.sum().backward()


def test_meta_tensors_have_the_sizes():
    image, rois = image_of(12).to("meta"), drawn(3).to("meta")
    assert ops.roi_align(image, rois, 1.0, 2, 3, 2, False).shape == (3, 12, 2, 3)
    assert [one.shape for one in ops.ps_roi_pool(image, rois, 1.0, 2, 3)] == [(3, 2, 2, 3)] * 2
    x, weight, offset, mask, bias = (one.to("meta") for one in deformed_operands(*DEFORMED[0]))
    assert ops.deform_conv2d(x, weight, offset, mask, bias, 1, 1, 0, 0, 1, 1, 1, 1, True).shape == (2, 4, 4, 6)
    with pytest.raises(NotImplementedError, match="depends on their values"):
        ops.nms(rois[:, 1:], rois[:, 0], 0.5)


def test_infinities_spread_only_where_they_are_read():
    x, weight, offset, mask, bias = deformed_operands(*DEFORMED[0])
    x[0, 0, 0, 0] = math.inf
    far = offset + 100  # every tap looks beyond the image
    assert ops.deform_conv2d(x, weight, far, mask, bias, 1, 1, 0, 0, 1, 1, 1, 1, True).isfinite().all()


def test_a_second_derivative_is_refused():
    image, rois = image_of(2).requires_grad_(), drawn(2)
    grad, = torch.autograd.grad(ops.roi_align(image, rois, 1.0, 2, 2, 2, False).pow(2).sum(), image, create_graph=True)
    with pytest.raises(RuntimeError, match="_roi_align_backward"):
        grad.sum().backward()


def test_the_package_s_own_library_is_not_opened(tmp_path):
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision" / "_C.so").write_bytes(b"no library")
    (tmp_path / "torchvision" / "image.so").write_bytes(b"no library")
    torch.ops.load_library(tmp_path / "torchvision" / "_C.so")
    with pytest.raises(OSError, match="Could not load this library"):
        torch.ops.load_library(tmp_path / "torchvision" / "image.so")
    with pytest.raises(ValueError, match="karat has no operators of 'torchaudio'"):
        _karat.load_operators("torchaudio")
