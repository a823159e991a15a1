"""Forward mode of every operator that the recorded samples have, against reverse mode: u . (J v) = (J^T u) . v for random u
and v, in float64 and complex128. The samples give the arguments (test_gradcheck.py), no recorded result is read."""

import karat as torch
import karat.autograd.forward_ad as fw
import pytest
from test_gradcheck import HERMITIAN, Place, Sample, blob, leaves_of, read_rows  # noqa: F401

# Samples at which the vectors, or their phase, are anyone's choice.
NOT_HERE = {"linalg.eigvals": "samples with repeated eigenvalues", "nn.functional.max_unpool1d": "samples with equal indices",
            "nn.functional.max_unpool2d": "samples with equal indices",
            "nn.functional.max_unpool3d": "samples with equal indices"}
# PyTorch has no second derivative of these, and so they have no tangent.
WITHOUT = {"nn.functional.grid_sample", "grid_sampler_2d", "grid_sampler_3d", "nn.functional.multi_margin_loss",
           "nn.functional.multilabel_margin_loss"}

pytestmark = pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")

ROWS = read_rows()


def dot(a, b):
    return (a.conj() * b).real.sum() if a.is_complex() or b.is_complex() else (a * b).sum()


def both_ways(sample):
    """(u . (J v), (J^T u) . v) and a size that the two are measured by."""
    v = sample.direction()
    leaves = leaves_of(sample.inputs)
    results = sample.results(leaves)
    torch.manual_seed(7)
    weights = {i: torch.randn(results[i].shape, dtype=results[i].dtype) for i in sample.kept}
    grads = torch.autograd.grad([results[i] for i in sample.kept], leaves, list(weights.values()), allow_unused=True)
    back = sum((dot(g, t) for g, t in zip(grads, v) if g is not None), torch.zeros((), dtype=torch.float64))
    with fw.dual_level():
        out = sample.results([fw.make_dual(x, t) for x, t in zip(sample.inputs, v)])
        ahead, size = torch.zeros((), dtype=torch.float64), 1.0
        for i in sample.kept:
            primal, tangent = fw.unpack_dual(out[i])
            assert tangent is not None and not tangent.requires_grad and not primal.requires_grad
            assert tangent.shape == primal.shape and tangent.dtype == primal.dtype
            same = (primal == results[i]) | (primal != primal) if primal.numel() else torch.ones(0, dtype=torch.bool)
            assert bool(same.all())
            ahead = ahead + dot(weights[i], tangent)
            size += float((weights[i].abs() * tangent.abs()).sum())
    return float(ahead), float(back), size


@pytest.mark.parametrize("name", [n for n in ROWS if n not in NOT_HERE])
def test_forward_is_the_transpose_of_reverse(name, blob):  # noqa: F811
    for row in ROWS[name]:
        sample = Sample(row, blob)
        if not sample.kept:
            continue
        if row["op"].removeprefix("torch.") in WITHOUT:
            with pytest.raises(NotImplementedError, match="Trying to use forward AD with"):
                both_ways(sample)
            continue
        ahead, back, size = both_ways(sample)
        assert abs(ahead - back) <= 1e-9 * size or (ahead != ahead and back != back), (row["name"], ahead, back, size)


def curved(sample, leaves, create_graph=False):
    value = sample.value([(x + x.mH) / 2 if sample.name in HERMITIAN and x.dim() > 1 else x for x in leaves])
    return value, torch.autograd.grad(value, leaves, allow_unused=True, create_graph=create_graph)


def completed(found, like):
    return [torch.zeros_like(x) if g is None else g for g, x in zip(found, like)]


def backward_twice(sample, v):
    """The second derivative times v; None: PyTorch has none either."""
    leaves = leaves_of(sample.inputs)
    try:
        first = curved(sample, leaves, create_graph=True)[1]
        zero = torch.zeros((), dtype=torch.float64)
        slope = sum((dot(t, g) for g, t in zip(first, v) if g is not None and g.requires_grad), zero)
        return torch.autograd.grad(slope, leaves, allow_unused=True) if slope.requires_grad else [None] * len(leaves)
    except RuntimeError as error:
        if "is not implemented" not in str(error):
            raise
        return None


def tangents_of_gradients(sample, v):
    with fw.dual_level():
        leaves = [fw.make_dual(x.clone(), t).requires_grad_() for x, t in zip(sample.inputs, v)]
        return [None if g is None else fw.unpack_dual(g).tangent for g in curved(sample, leaves)[1]]


def gradients_of_tangents(sample, v):
    leaves = leaves_of(sample.inputs)
    with fw.dual_level():
        moved = [fw.make_dual(x, t) for x, t in zip(leaves, v)]
        moved = [(x + x.mH) / 2 if sample.name in HERMITIAN and x.dim() > 1 else x for x in moved]
        slope = fw.unpack_dual(sample.value(moved)).tangent
    if slope is None or not slope.requires_grad:
        return [None] * len(leaves)
    return torch.autograd.grad(slope, leaves, allow_unused=True)


@pytest.mark.parametrize("name", [n for n in ROWS if n not in NOT_HERE])
def test_forward_and_reverse_mode_compose(name, blob):  # noqa: F811
    for row in ROWS[name]:
        sample = Sample(row, blob)
        if not sample.kept or sample.options.get("hermitian") or row["op"].removeprefix("torch.") in WITHOUT:
            continue
        v = sample.direction()
        twice = backward_twice(sample, v)
        if twice is None:
            continue
        twice = completed(twice, sample.inputs)
        for way in (tangents_of_gradients, gradients_of_tangents):
            if way is gradients_of_tangents and name == "logcumsumexp" and sample.inputs[0].is_complex():
                continue  # its formula takes logarithms of gradients, whose second derivative has no number here
            for a, b in zip(twice, completed(way(sample, v), sample.inputs)):
                known = torch.isfinite(a)  # at a kink backward may have no number
                assert torch.allclose(a[known], b[known], rtol=1e-8, atol=1e-8), (way.__name__, row["name"], a, b)


# what they write to is another view afterwards: test_views_in_place.py
VIEWS = {"t_", "transpose_", "squeeze_", "unsqueeze_", "swapaxes_", "swapdims_", "as_strided_"}


def in_place_form(sample):
    """The name of the method that writes to the first argument, if that is a tensor with a gradient; else None."""
    name = sample.row["op"].rsplit(".", 1)[-1] + "_"
    first = sample.args and isinstance(sample.args[0], Place)
    return name if first and name not in VIEWS and not sample.name.endswith("_") and hasattr(torch.Tensor, name) else None


@pytest.mark.parametrize("name", [n for n in ROWS if n not in NOT_HERE])
def test_in_place_has_the_tangent_of_the_plain_form(name, blob):  # noqa: F811
    for row in ROWS[name]:
        sample = Sample(row, blob)
        form = in_place_form(sample)
        if not form or not sample.kept or row["op"].startswith("torch.nn"):
            continue
        with fw.dual_level():
            dual = [fw.make_dual(x.clone(), t) for x, t in zip(sample.inputs, sample.direction())]
            plain = sample.results(dual)[0]
            base = torch.zeros((2,) + tuple(sample.inputs[0].shape), dtype=sample.inputs[0].dtype)
            written = base[1]  # a view: what it is part of gets a tangent, too
            if plain.shape != written.shape or plain.dtype != written.dtype:
                continue
            written.copy_(dual[0])
            sample.call = lambda self, *args, **options: getattr(written, form)(*args, **options)  # noqa: B023
            try:
                sample.results(dual)
            except (RuntimeError, TypeError) as error:  # the plain form broadcasts, or takes other arguments
                assert "forward" not in str(error), error
                continue
            want, got = (fw.unpack_dual(x).tangent for x in (plain, written))
            assert torch.allclose(want, got, rtol=1e-12, atol=1e-12, equal_nan=True), row["name"]
            assert torch.equal(fw.unpack_dual(base).tangent[1].nan_to_num(), got.nan_to_num()), row["name"]
