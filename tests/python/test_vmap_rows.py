"""vmap of every operator that the recorded samples have (tests/conformance) against a loop over the examples: with all tensors
batched, the first alone, the others alone, and the examples in the first, second and last dim. The samples give the arguments; no
recorded result is read."""

import collections
import gzip
import json
import warnings

import karat as torch
import pytest
from karat.func import grad, vmap
from test_gradcheck import DATA, Sample as Recorded, exists

DTYPES = ("float32", "float64", "int64", "bool", "complex64", "uint8")
EXAMPLES = 3
# Values decide the size of the result, or the host reads a value: PyTorch refuses them, too.
REFUSED = ("view size is not compatible", "last dimension with stride 1", "results of different sizes", "dynamic shape",
           "calling .item()", "data-dependent", "differently shaped", "were not batched")
# What has anyone's sign or phase is compared without; what is not written holds anything.
PHASES = {"svd", "linalg.svd", "linalg.eig", "linalg.eigh", "linalg.qr", "qr", "svd_lowrank", "pca_lowrank", "linalg.ldl_factor",
          "_lobpcg"}
RANDOM = ("dropout", "bernoulli", "normal", "rand", "uniform", "exponential", "cauchy", "geometric", "multinomial", "poisson",
          "rrelu", "fractional", "gumbel", "lowrank", "lobpcg", "binomial", "_standard_gamma", "_sample_dirichlet")
UNDEFINED = {"empty_like", "new_empty", "new_empty_strided", "empty", "empty_permuted", "empty_strided", "resize_", "resize_as_"}


def read_rows():
    rows = collections.OrderedDict()
    with gzip.open(DATA + ".jsonl.gz", "rt") as file:
        for line in file:
            row = json.loads(line)
            if row["dtype"] in DTYPES and exists(row["op"]):
                rows.setdefault(row["name"].split("/")[0], []).append(row)
    return rows


ROWS = read_rows()
BLOB = None


def blob():
    global BLOB
    if BLOB is None:
        with gzip.open(DATA + ".bin.gz", "rb") as file:
            BLOB = file.read()
    return BLOB


class Sample(Recorded):
    """One recorded call; `tensors` are all its tensors, in the dtypes they have."""

    wide = {}

    def __init__(self, row):
        super().__init__(row, blob())
        self.tensors = self.inputs

    def is_input(self, entry):
        return True

    def differentiable(self):
        return []

    def results(self, tensors):
        return tuple(self.called(tensors))


def changed(t, k):
    """Example k: other values of the same kind, in the same range for indices."""
    if not t.numel() or not k:
        return t.clone()
    if t.dtype.is_floating_point or t.dtype.is_complex:
        return t * (1 + 0.125 * k)
    return t.reshape(-1).roll(k).reshape(t.shape)


def compare(name, got, want, what):
    assert len(got) == len(want), what
    for g, w in zip(got, want):
        assert g.shape == w.shape and g.dtype == w.dtype, (what, g.shape, w.shape, g.dtype, w.dtype)
        if name in UNDEFINED:
            continue
        if name in PHASES:
            g, w = g.abs(), w.abs()
        if not torch.allclose(g, w, rtol=3e-4, atol=2e-4, equal_nan=True) if w.dtype.is_floating_point or w.dtype.is_complex \
                else not torch.equal(g, w):
            raise AssertionError((what, (g - w).abs().max() if w.dtype != torch.bool else "bools differ"))


def choices(n):
    yield "all", range(n)
    if n > 1:
        yield "first", range(1)
        yield "others", range(1, n)


def stacked(sample, chosen, dim):
    """Tensors with the examples in `dim`, and that dim of each; None where it is the same for all."""
    given, dims, each = [], [], [[] for _ in range(EXAMPLES)]
    for i, t in enumerate(sample.tensors):
        one = [changed(t, k) if i in chosen else t for k in range(EXAMPLES)]
        for k in range(EXAMPLES):
            each[k].append(one[k])
        if i not in chosen:
            given.append(t)
            dims.append(None)
            continue
        at = min(dim, t.dim()) if dim >= 0 else t.dim()
        given.append(torch.stack(one, at).contiguous())
        dims.append(at)
    return given, tuple(dims), each


def attempt(sample, chosen, dim):
    """An error's text, or None; raises where vmap gives something else than the loop."""
    given, dims, each = stacked(sample, chosen, dim)
    try:
        want = [sample.results([t.clone() for t in one]) for one in each]
        want = [torch.stack([w[i] for w in want]) for i in range(len(want[0]))]
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
        return None
    def called(*tensors):
        return sample.results(tensors)

    try:
        got = vmap(called, in_dims=dims, randomness="different")(*[t.clone() for t in given])
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as e:
        if any(text in str(e) for text in REFUSED):
            return "refused"
        raise AssertionError((sample.row["op"], sample.row["dtype"], dims, str(e).split("\n")[0])) from e
    compare(sample.name, got, want, (sample.row["op"], sample.row["dtype"], dims))
    return "compared"


def slope(sample, number):
    """A function of the sample's tensors: the gradient of a sum of its results for tensor `number`."""
    def total(x, *tensors):
        tensors = list(tensors)
        tensors[number] = x
        made = [t for t in sample.results(tensors) if t.dtype.is_floating_point or t.dtype.is_complex]
        parts = [torch.view_as_real(t).abs() if t.dtype.is_complex else t for t in made]
        return sum((t * torch.arange(1, t.numel() + 1, dtype=t.dtype).reshape(t.shape)).sum() for t in parts)

    return lambda *tensors: grad(total)(tensors[number], *tensors)


def attempt_slope(sample, number, chosen):
    given, dims, each = stacked(sample, chosen, 0)
    f = slope(sample, number)
    try:
        want = torch.stack([f(*[t.clone() for t in one]) for one in each])
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError):
        return None
    try:
        got = vmap(f, in_dims=dims, randomness="different")(*[t.clone() for t in given])
    except (RuntimeError, IndexError, ValueError, TypeError, NotImplementedError) as e:
        if any(text in str(e) for text in REFUSED):
            return "refused"
        raise AssertionError((sample.row["op"], sample.row["dtype"], dims, number, str(e).split("\n")[0])) from e
    compare("", (got,), (want,), (sample.row["op"], "gradient", sample.row["dtype"], dims, number))
    return "compared"


def slopes_of(row):
    """(sample, which tensor, which tensors have examples) to try."""
    sample = Sample(row)
    entries = [i for i, t in enumerate(sample.tensors) if t.dtype.is_floating_point]
    for number in entries[:3]:
        yield sample, number, range(len(sample.tensors))
        if len(sample.tensors) > 1:
            yield sample, number, [i for i in range(len(sample.tensors)) if i != number]


def is_random(name):
    return any(word in name for word in RANDOM) and name not in ("nn.functional.normalize", "nn.functional.poisson_nll_loss")


def check(name, rows=None):
    done = 0
    for row in rows or ROWS[name]:
        sample = Sample(row)
        if not sample.tensors or is_random(name):
            continue
        for _, chosen in choices(len(sample.tensors)):
            whole = chosen == range(len(sample.tensors)) and not name.startswith("as_strided")  # counts in the memory of all
            for dim in (0, 1, -1) if whole else (0,):
                done += attempt(sample, chosen, dim) == "compared"
    return done


@pytest.mark.parametrize("name", sorted(ROWS))
def test_is_a_loop(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(name)


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("name", sorted(name for name in ROWS if any("grads" in row for row in ROWS[name])))
def test_gradients_are_those_of_a_loop(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in ROWS[name]:
            if "grads" in row and row["dtype"] == "float64" and not is_random(name) and name not in PHASES:
                for sample, number, chosen in slopes_of(row):
                    attempt_slope(sample, number, chosen)
