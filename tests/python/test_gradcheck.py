"""First and second derivatives against differences of values, in float64 and complex128, of every operator that the recorded
samples have (tests/conformance): the samples give the arguments, no recorded result is read.

The public gradcheck compares, of a sum of the results with weights and of the change of that sum along a random direction, which
is the second derivative's part. Where it finds a difference and steps of two lengths disagree, the sample lies at a kink and says
nothing.
"""

import collections
import functools
import gzip
import json
import math
import os

import karat as torch
import pytest
from karat.autograd.gradcheck import GradcheckError

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance", "opinfo")
WIDE = {"float32": torch.float64, "float64": torch.float64, "complex64": torch.complex128, "complex128": torch.complex128}
# Vectors whose phase is anyone's choice: their absolute values are used.
PHASES = {"svd", "linalg.svd", "linalg.eig", "linalg.eigh"}
# Functions of Hermitian matrices, which read one triangle: the matrix moves along Hermitian ones.
HERMITIAN = {"cholesky", "linalg.cholesky", "linalg.cholesky_ex", "linalg.eigh", "linalg.eigvalsh"}
# Of these the first result alone has a gradient: PyTorch marks the others as not differentiable, or ignores what flows to them.
FIRST_ALONE = {"native_layer_norm", "native_batch_norm", "native_group_norm"}
# The last input, 1 or -1, is compared and stays where it is.
COMPARED = {"nn.functional.cosine_embedding_loss", "nn.functional.hinge_embedding_loss"}
NOT_HERE = {
    "cholesky_inverse": "reads one triangle: test_linalg.py", "cholesky_solve": "reads one triangle: test_linalg.py",
    "as_strided_scatter": "samples whose elements overlap",
    "nn.functional.max_unpool1d": "samples with equal indices", "nn.functional.max_unpool2d": "samples with equal indices",
    "nn.functional.max_unpool3d": "samples with equal indices",
    "linalg.eigvals": "samples with repeated eigenvalues",
}


def read_rows():
    rows = collections.OrderedDict()
    with gzip.open(DATA + ".jsonl.gz", "rt") as file:
        for line in file:
            row = json.loads(line)
            if "grads" in row and row["dtype"] in WIDE and exists(row["op"]):
                rows.setdefault(row["name"].split("/")[0], []).append(row)
    return rows


def exists(path):
    """Is it there, and not a name that is refused with a reason?"""
    try:
        return type(function(path)).__name__ != "_Refused"
    except AttributeError:
        return False


def function(path):
    parts = path.split(".")
    if parts[0] == "Tensor":
        getattr(torch.Tensor, parts[1])
        return lambda self, *args, **options: getattr(self, parts[1])(*args, **options)
    found = torch
    for part in parts[1:]:
        found = getattr(found, part)
    return found


class Sample:
    """One recorded call in the wide dtypes; `inputs` are the tensors that have a gradient."""

    wide = WIDE

    def __init__(self, row, blob):
        self.row, self.blob, self.inputs = row, blob, []
        self.args = [self.read(a) for a in row["args"]]
        self.options = {k: self.read(v) for k, v in row["kwargs"].items()}
        self.call = function(row["op"])
        self.name = row["name"].split("/")[0]
        self.kept = self.differentiable()

    def tensor(self, entry):
        (at, length), dtype, shape = entry["tensor"], entry["dtype"], entry["shape"]
        raw = bytearray(self.blob[at:at + length])
        if not length:
            return torch.zeros(shape, dtype=self.wide.get(dtype, getattr(torch, dtype)))
        if dtype == "bool":
            return torch.frombuffer(raw, dtype=torch.uint8).reshape(shape) != 0
        kind = getattr(torch, dtype)
        return torch.frombuffer(raw, dtype=kind).reshape(shape).clone().to(self.wide.get(dtype, kind))

    def is_input(self, entry):
        return entry.get("grad")

    def read(self, entry):
        """A placeholder for an input: its number in `inputs`."""
        if not isinstance(entry, dict):
            return entry
        kind = next(k for k in ("tensor", "float", "complex", "dtype_arg", "slice", "ellipsis", "tuple", "list", "device")
                    if k in entry)
        if kind == "tensor":
            made = self.tensor(entry)
            if not self.is_input(entry):
                return made
            self.inputs.append(made)
            return Place(len(self.inputs) - 1)
        return {"float": lambda v: float(v), "complex": lambda v: complex(float(v[0]), float(v[1])),
                "dtype_arg": lambda v: self.wide.get(v, getattr(torch, v)), "slice": lambda v: slice(*[self.read(x) for x in v]),
                "ellipsis": lambda v: Ellipsis, "tuple": lambda v: tuple(self.read(x) for x in v),
                "list": lambda v: [self.read(x) for x in v], "device": torch.device}[kind](entry[kind])

    def called(self, inputs):
        """The tensors of the result."""
        def filled(x):
            if isinstance(x, Place):
                return inputs[x.number]
            return type(x)(filled(y) for y in x) if isinstance(x, (list, tuple)) else x

        torch.manual_seed(5)
        args = [filled(a) for a in self.args]
        if self.name.endswith("_"):
            args[0] = args[0].clone()
        return list(tensors_in(self.call(*args, **{k: filled(v) for k, v in self.options.items()})))

    def results(self, inputs):
        out = self.called(inputs)
        if self.name in ("svd", "linalg.svd"):  # the vectors of no singular value are anyone's choice
            n = out[1].shape[-1]
            out = [out[0][..., :n], out[1], out[2][..., :n, :] if self.name == "linalg.svd" else out[2][..., :n]]
        return [x.abs() for x in out] if self.name in PHASES else out

    def differentiable(self):
        """The numbers of the results that have a gradient."""
        kept = [i for i, x in enumerate(self.results(leaves_of(self.inputs))) if x.requires_grad and x.numel()]
        return kept[:1] if self.name in FIRST_ALONE else kept

    def value(self, inputs):
        """The weighted sum of the results that have a gradient, a real number."""
        out, total = self.results(inputs), torch.zeros((), dtype=torch.float64)
        for i in self.kept:
            for part in ([out[i].real, out[i].imag] if out[i].is_complex() else [out[i]]):
                total = total + (part.to(torch.float64) * weight(part.shape, i)).sum()
        return total

    def direction(self):
        torch.manual_seed(2)
        return [torch.randn(x.shape, dtype=x.dtype) for x in self.inputs]


@functools.cache
def weight(shape, i):
    return torch.cos(torch.arange(math.prod(shape), dtype=torch.float64) * 0.7 + i).reshape(shape)


class Place:
    def __init__(self, number):
        self.number = number


def tensors_in(x):
    if isinstance(x, (list, tuple)):
        for y in x:
            yield from tensors_in(y)
    elif isinstance(x, torch.Tensor):
        yield x


def leaves_of(inputs):
    return [x.detach().clone().requires_grad_() for x in inputs]


def product(gradients, direction):
    """The change of a real value along the direction: the real part of conj(gradient) times it."""
    total = torch.zeros((), dtype=torch.float64)
    for g, v in zip(gradients, direction):
        if g is not None and g.numel():
            total = total + (torch.view_as_real(g.resolve_conj()) * torch.view_as_real(v) if v.is_complex() else g * v).sum()
    return total


def at_a_kink(f, inputs):
    """Do differences of two lengths disagree, or have no number?"""
    torch.manual_seed(3)
    direction = [torch.randn(x.shape, dtype=x.dtype) for x in inputs]
    slopes = []
    for step in (1e-5, 3e-6):
        after, before = (float(f(*[(x + v * s).detach().requires_grad_() if x.requires_grad else x
                                   for x, v in zip(inputs, direction)])) for s in (step, -step))
        slopes.append((after - before) / (2 * step))
    return any(not math.isfinite(s) for s in slopes) or abs(slopes[0] - slopes[1]) > 1e-5 * (1 + abs(slopes[0]))


def check(sample):
    """What is wrong, or None."""
    if not sample.kept or sample.options.get("hermitian"):  # that the samples' matrices are not
        return None
    leaves, direction = leaves_of(sample.inputs), sample.direction()
    if sample.name in COMPARED and len(leaves) > 1:
        leaves[-1] = leaves[-1].detach()

    def value(*x):
        return sample.value([(v + v.mH) / 2 if sample.name in HERMITIAN and v.dim() > 1 else v for v in x])

    def slope(*x):
        moving = [v for v in x if v.requires_grad]
        return product(torch.autograd.grad(value(*x), moving, allow_unused=True, create_graph=True), direction)

    for what, f in (("gradient", value), ("second derivative", slope)):
        try:
            torch.autograd.gradcheck(f, leaves, check_undefined_grad=False, fast_mode=True)
        except GradcheckError as error:
            if not at_a_kink(f, leaves):
                return f"{what}: {error}"
        except RuntimeError as error:  # PyTorch has no second derivative either
            if "is not implemented" not in str(error):
                raise
    return None


ROWS = read_rows()


@pytest.fixture(scope="module")
def blob():
    with gzip.open(DATA + ".bin.gz") as file:
        return file.read()


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("name", ROWS)
def test_slopes_are_what_differences_say(name, blob):
    if name in NOT_HERE:
        pytest.skip(NOT_HERE[name])
    seen = [(i, check(Sample(row, blob))) for i, row in enumerate(ROWS[name])]
    wrong = [f"{ROWS[name][i]['dtype']} sample {i}: {text}" for i, text in seen if text]
    assert not wrong, "\n".join(wrong[:5])


def curvature(sample, needed):
    """First and second derivatives by the inputs of these numbers, where those alone need a gradient; None: there is none."""
    leaves = [x.detach().clone().requires_grad_(i in needed) for i, x in enumerate(sample.inputs)]
    value, asked = sample.value(leaves), [leaves[i] for i in needed]
    if not isinstance(value, torch.Tensor) or not value.requires_grad:
        return [None] * len(needed), [None] * len(needed)
    first = torch.autograd.grad(value, asked, allow_unused=True, create_graph=True)
    second = []
    for g, leaf, i in zip(first, asked, needed):
        slope = product([g], [sample.direction()[i]]) if g is not None else 0.0
        try:
            more = isinstance(slope, torch.Tensor) and slope.requires_grad
            second.append(torch.autograd.grad(slope, [leaf], allow_unused=True, retain_graph=True)[0] if more else None)
        except RuntimeError as error:
            if "is not implemented" not in str(error):
                raise
            second.append(None)
    return first, second


def alike(a, b):
    """Equal but for rounding; what there is not is 0."""
    a, b = (x if x is not None else torch.zeros(1) for x in (a, b))
    return bool(torch.allclose(a.detach().abs(), b.detach().abs(), rtol=1e-9, atol=1e-9, equal_nan=True))


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
@pytest.mark.parametrize("name", ROWS)
def test_an_input_alone_has_the_gradient_it_has_among_others(name, blob):
    """Formulas know the sizes of inputs that need a gradient, and no others."""
    for row in ROWS[name]:
        sample = Sample(row, blob)
        every = range(len(sample.inputs))
        whole = curvature(sample, every) if sample.kept and len(every) > 1 else ([], [])
        for i in every if whole[0] else ():
            alone = curvature(sample, [i])
            assert alike(alone[0][0], whole[0][i]) and alike(alone[1][0], whole[1][i]), (row["dtype"], i)
