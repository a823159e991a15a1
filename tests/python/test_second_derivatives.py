"""First and second derivatives of every row that has them, beside central differences in float64 and complex128.

Calls are made from the rows' own schemas, at ordinary points: away from bends, ties and integers. For a call y = f(x) with a
random g and v the gradient d = grad(y, x, g) is compared with differences of <g, y>, and the gradient of <v, d> by x and by g
with differences of <v, d>. KARAT_TEST_SEED chooses other points, KARAT_TEST_ALL takes more of them."""

import math
import os
import random
import re
import sys
import warnings

import karat
from on_device import synchronize
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "random"))
import execute  # noqa: E402
import write  # noqa: E402

execute.wait = synchronize

SEED = os.environ.get("KARAT_TEST_SEED") or str(random.SystemRandom().randrange(10 ** 6))
CALLS = 12 if os.environ.get("KARAT_TEST_ALL") else 1
DOMAINS = [(0.1, 0.9), (-2.4, 2.4), (1.1, 2.9)]
STEP = 1e-5
# Choices between operands: of two that are equal each has a part of the slope. Reductions by an index count what was there
# before among them, as PyTorch's do, even where include_self=False leaves it out of the value.
TIES = {"clamp", "clamp_max", "clamp_min", "clip", "dist", "cdist", "maximum", "minimum", "fmax", "fmin", "max", "min"}
TIES_OF_EXTREMES = {"scatter_reduce", "index_reduce"}
WRITES = {"scatter", "put", "index_copy", "index_put"}
REFUSED = {"detach_copy", "floor_divide", "heaviside", "histogram", "nextafter", "unique_consecutive", "hardsigmoid",
           "binomial", "zeta",  # as PyTorch
           "igamma", "igammac", "gammainc", "gammaincc",  # as PyTorch: _standard_gamma_grad has no derivative
           "geqrf", "ldl_factor", "ldl_factor_ex", "ldl_solve",
           "adaptive_avg_pool1d", "adaptive_max_pool1d",  # to a size of 0
           "native_batch_norm", "batch_norm", "_native_batch_norm_legit",  # of weights of two dims, whose gradient has one
           "_native_batch_norm_legit_no_training", "batch_norm_update_stats"}
# Functions of symmetric or triangular matrices read one triangle, vectors are found up to their signs or phases, and eigenvalues
# that lie close together move too fast for differences: test_linalg.py asks for their derivatives where they are
# defined.
OF_SOME_MATRICES = {"cholesky", "cholesky_ex", "cholesky_inverse", "cholesky_solve", "eigh", "eigvalsh", "svd",
                    "_linalg_eigh", "_linalg_svd", "eig", "eigvals", "pinv", "pinverse", "lstsq",
                    "svd_lowrank", "pca_lowrank", "_lobpcg"}
# The gradient is that of normalized probabilities, and not the slope elsewhere: test_ctc.py asks for it there.
OF_SOME_NUMBERS = {"ctc_loss", "_ctc_loss"}
# Of these the first result alone has a gradient: PyTorch marks the others as not differentiable, or ignores what flows to them.
FIRST_ALONE = {"native_layer_norm", "native_batch_norm", "native_group_norm", "_native_batch_norm_legit",
               "_native_batch_norm_legit_no_training", "_weight_norm_interface", "_fused_rms_norm"}
OF_INVERSES = re.compile(r"inv|solve|logdet|matrix_power")  # of matrices that are nearly singular they are too steep for a step
DRAWS = re.compile(r"dropout_p=(?!0\.0)")
# Below 0 a NaN behind a mask, whose slope is NaN, in PyTorch too.
OF_COUNTS = re.compile(r"poisson_nll_loss\(([^,]+, [^,]+, [^,]+, True|.*full=True)")
# Where a norm is below eps the gradient is not the slope, in PyTorch too.
OF_LONG_VECTORS = re.compile(r"cosine_similarity\(([^,]+, [^,]+, [^,]+, |.*eps=)")
SCALARS = ["2", "3", "0.7", "1.3", "-1"]  # where some functions bend
POWERS_OF_TWO = [2.0 ** -k for k in range(2, 14)]  # where the significand jumps; from 1/2 on they are halves, which are avoided
DTYPES = {"float64": karat.float64, "complex128": karat.complex128}


class Ordinary(write.Writer):
    """Writes calls whose tensors are of one dtype and whose numbers lie where functions are smooth."""

    def __init__(self, seed, dtype, domain):
        super().__init__(karat, SEED, seed)
        self.wanted, self.domain, self.once = dtype, domain, seed.split("/")[0].split(".")[-1].rstrip("_") in WRITES
        self.drawn = [sign * float(number) for number in SCALARS + POWERS_OF_TWO for sign in (1, -1)]

    def dtype(self):
        return self.wanted

    def shape(self, most=4):
        return self.random.choice([[], [2], [3], [2, 3], [3, 3], [2, 2]])

    def real(self):
        """A number that is far enough from all drawn before and from SCALARS, so that a step to either side changes no order and
        the root of a difference (a norm of order 1/2) is smooth, and from the poles of the tangent."""
        for _ in range(100):
            x = round(self.random.uniform(*self.domain), 4)
            if abs(2 * x - round(2 * x)) > 0.06 and abs(math.cos(x)) > 0.05 and all(abs(x - y) > 300 * STEP for y in self.drawn):
                self.drawn.append(x)
                return str(x)
        raise write.Dropped

    def scalar(self):
        return self.pick(SCALARS)

    def number(self, dtype):
        if dtype == "complex128":
            return f"complex({self.real()}, {self.real()})"
        return self.real() if dtype == "float64" else super().number(dtype)

    def fresh(self, shape=None, dtype=None, gradient=None, values=None):
        if dtype in write.FLOATS + write.COMPLEX:
            dtype = self.wanted
        return super().fresh(shape, dtype, True if gradient is None else gradient, values)

    def ints(self, shape, high, dtype=None):
        """What is written twice has the slope of one of the two: which, PyTorch leaves open."""
        if not self.once:
            return super().ints(shape, high, dtype)
        total = math.prod(shape)
        if total > high:
            raise write.Dropped
        distinct = karat.tensor(self.random.sample(range(high), total), dtype=karat.int64).reshape(shape).tolist()
        return self.fresh(shape, "int64", False, None if total == 0 else str(distinct))


def written(row, dtype, number):
    """The statement of a call that runs and has a gradient, the leaves by name, and what else it needs; or None."""
    seed = f"{row[0]}{row[1]}/{dtype}/{number}"
    w = Ordinary(seed, dtype, random.Random(SEED + seed).choice(DOMAINS))
    without = 0
    for _ in range(12):
        if without == 2:
            break
        try:
            w.fresh()
            w.call(row)
        except write.Dropped:
            continue
        statement = w.lines[-1]
        made = w.space.get(statement.split(" ")[0])
        results = [t for _, t in execute.flat("y", made, karat.Tensor) if t.requires_grad and not t.is_leaf]
        without += not results
        names = re.findall(r"\bt\d+\b(?! =)", statement)
        tie = chooses(row[1].rstrip("_"), statement) and tied([w.value(n) for n in names])
        steep = OF_INVERSES.search(row[1]) and not all(regular(w.value(n)) for n in names)
        plain = all(isinstance(w.value(n), karat.Tensor) for n in names)  # a tuple's elements have a history of their own
        if results and " = " in statement and plain and not tie and not steep \
                and not re.search(r"^with|out=|inf|2\*\*", statement) and not DRAWS.search(statement) \
                and not OF_LONG_VECTORS.search(statement) and not (w.domain[0] < 0 and OF_COUNTS.search(statement)):
            used = set(names)
            space = {n: v for n, v in w.space.items() if n in used or not re.fullmatch(r"t\d+", n)}
            again = {n: v for n, v in execute_lines(w.lines[:-1]).items() if n in used and isinstance(v, karat.Tensor)}
            leaves = {n: v.detach() for n, v in again.items() if v.requires_grad}
            return statement, leaves, {**space, **{n: v.detach() for n, v in again.items() if n not in leaves}}
    return None


def ordinary(leaf):
    """Whether elements lie where a step to either side meets no bend."""
    numbers = [part for z in leaf.flatten().tolist() for part in (complex(z).real, complex(z).imag if leaf.is_complex() else 0.3)]
    return all(math.isfinite(x) and abs(2 * x - round(2 * x)) > 0.02 for x in numbers)


def regular(operand):
    """Whether matrices have no small singular value."""
    matrices = isinstance(operand, karat.Tensor) and operand.ndim > 1 and operand.shape[-1] == operand.shape[-2] > 0
    if not matrices or not operand.dtype.is_floating_point and not operand.is_complex():
        return True
    return bool(operand.isfinite().all()) and bool((karat.linalg.svdvals(operand.detach()) > 0.1).all())


def chooses(name, statement):
    return name in TIES or name in TIES_OF_EXTREMES and re.search("amax|amin", statement)


def tied(operands):
    """Whether an element is in two operands; an index is none."""
    tensors = [t for operand in operands for _, t in execute.flat("x", operand, karat.Tensor) if t.dtype in DTYPES.values()]
    seen = [x for t in tensors for x in t.detach().flatten().tolist()]
    return len(seen) > len(set(seen))


def execute_lines(lines):
    """Tensors as they are before the call, which may write to them."""
    space = execute.namespace(karat)
    for line in lines:
        try:
            execute.run(line, space)
        except Exception:
            pass
    return space


def results(statement, space, leaves):
    """Tensors that the statement makes of leaves and that depend on them."""
    space = {**space, **{name: leaf.clone() for name, leaf in leaves.items()}}
    execute.run(statement, space)
    made = [t for _, t in execute.flat("y", space[statement.split(" ")[0]], karat.Tensor)]
    made = [t for t in made if t.is_floating_point() or t.is_complex()]
    called = re.search(r"(\w+)\(", statement).group(1)
    return made[:1] if called in FIRST_ALONE else made


def weights(like, pick):
    values = [complex(pick.uniform(-1, 1), pick.uniform(-1, 1)) if like.is_complex() else pick.uniform(-1, 1)
              for _ in range(like.numel())]
    return karat.tensor(values, dtype=like.dtype).reshape(like.shape)


def inner(weight, tensor):
    """The real number <weight, tensor>."""
    product = (weight.conj() * tensor).real if tensor.is_complex() else weight * tensor
    return product.sum()


def first(statement, space, leaves, g, **how):
    """The gradient of <g, y> by the leaves."""
    y = results(statement, space, leaves)
    kept = [(t, w) for t, w in zip(y, g) if t.requires_grad]
    return karat.autograd.grad([t for t, _ in kept], list(leaves.values()), [w for _, w in kept], allow_unused=True, **how)


def differences(value, leaf):
    """d value / d leaf by central differences; value takes a tensor in the leaf's place."""
    flat, found = leaf.detach().flatten().tolist(), []
    for i in range(len(flat)):
        parts = []
        for step in (STEP, 1j * STEP) if leaf.is_complex() else (STEP,):
            ends = [value(karat.tensor(flat[:i] + [flat[i] + way * step] + flat[i + 1:], dtype=leaf.dtype).reshape(leaf.shape))
                    for way in (1, -1)]
            parts.append((ends[0] - ends[1]) / (2 * STEP))
        found.append(complex(*parts))
    return found


def agrees(got, want, size):
    """Whether a gradient is what the differences say; what is not finite says nothing."""
    got = [0.0] * len(want) if got is None else got.flatten().tolist()
    return all(abs(complex(a) - b) <= 2e-5 * max(1.0, abs(b), size) for a, b in zip(got, want) if abs(b) < 1e6)


def detached(leaves, name, there):
    return {n: (there if n == name else t.detach()).requires_grad_() for n, t in leaves.items()}


def check(statement, leaves, space):
    """None, or what is wrong about a call."""
    pick = random.Random(statement)
    leaves = detached(leaves, None, None)
    y = results(statement, space, leaves)
    if not all(t.isfinite().all() for t in y):
        return None
    g = [weights(t, pick).requires_grad_() for t in y]
    d = first(statement, space, leaves, g, create_graph=True)
    v = [None if t is None else weights(t, pick) for t in d]
    size = max([float(t.detach().abs().nan_to_num(posinf=0).max()) for t in d if t is not None and t.numel()], default=0.0)

    def valued(name, there):
        with karat.no_grad():
            made = results(statement, space, detached(leaves, name, there))
        return float(sum(inner(w.detach(), t) for t, w in zip(made, g)))

    def sloped(name, there):
        slopes = first(statement, space, detached(leaves, name, there), [w.detach() for w in g])
        return float(sum(inner(w, t) for t, w in zip(slopes, v) if t is not None))

    for (name, leaf), slope in zip(leaves.items(), d):
        if not agrees(None if slope is None else slope.detach(), differences(lambda t: valued(name, t), leaf), size):
            return f"first derivative by {name}"
    total = sum(inner(w, t) for t, w in zip(d, v) if t is not None)
    if not isinstance(total, karat.Tensor):
        return None
    if not total.requires_grad:
        by_x, by_g = [None] * len(leaves), [None] * len(g)
    else:
        both = karat.autograd.grad(total, list(leaves.values()) + g, allow_unused=True)
        by_x, by_g = both[:len(leaves)], both[len(leaves):]
    for (name, leaf), slope in zip(leaves.items(), by_x):
        if not agrees(slope, differences(lambda t: sloped(name, t), leaf), size):
            return f"second derivative by {name}"

    def pulled(k, there):
        made = first(statement, space, detached(leaves, None, None), [there if i == k else w.detach() for i, w in enumerate(g)])
        return float(sum(inner(w, t) for t, w in zip(made, v) if t is not None))

    for k, (weight, slope) in enumerate(zip(g, by_g)):
        if y[k].requires_grad and not agrees(slope, differences(lambda t: pulled(k, t), weight), size):
            return f"second derivative by the gradient of result {k}"
    return None


def rows():
    write.ROWS or write.ROWS.extend(write.rows(karat))
    return [row for row in write.ROWS if row[1] not in write.RANDOM and not row[1].startswith(("empty", "new_empty")) and
            row[1] not in OF_SOME_MATRICES | OF_SOME_NUMBERS]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_row_twice(dtype):
    print("seed", SEED)
    tried, reached, wrong, refused = 0, set(), [], {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for row in rows():
            for statement, leaves, space in filter(None, (written(row, dtype, number) for number in range(CALLS))):
                if not leaves or sum(t.numel() for t in leaves.values()) > 24 or not all(map(ordinary, leaves.values())):
                    continue
                try:
                    fault = check(statement, leaves, space)
                except (RuntimeError, NotImplementedError) as e:
                    refused.setdefault(row[1], str(e).splitlines()[0])
                    continue
                tried += 1
                reached.add(row[1])
                if fault:
                    at = ", ".join(f"{name} = {leaf.tolist()}" for name, leaf in leaves.items())
                    wrong.append(f"{fault}: {statement} at {at}")
    print(f"{dtype}: {tried} calls of {len(reached)} names differentiated twice; {len(wrong)} wrong; refused: {refused}")
    assert refused.keys() <= REFUSED, refused  # as PyTorch does
    assert not wrong, f"{len(wrong)} of {tried} calls (seed {SEED}):\n" + "\n".join(wrong[:20])


def test_an_extreme_that_equals_what_it_replaces_shares_its_slope():
    for reduce in (karat.Tensor.scatter_reduce, karat.Tensor.index_reduce):
        x = karat.tensor([1.0, 2.0, 3.0], requires_grad=True)
        index = karat.tensor([0, 0, 2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # index_reduce is in beta
            reduce(x, 0, index, x, "amin", include_self=False).sum().backward()
        assert x.grad.tolist() == [0.5, 1.0, 0.5]  # as in PyTorch, though include_self=False leaves it out of the value


# ---- at the ends: zeros of either sign, bends, infinities, NaN ----

inf, nan = math.inf, math.nan
ENDS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, 3.0, 6.0, 20.0, 1e-3, inf, -inf, nan]
F = karat.nn.functional


def share(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def flat(x):
    return 0.0


def bowl(x):
    return 1.0 if abs(x) < 1 else 0.0


CURVES = {
    "square": (karat.square, lambda x: 2.0), "x * x": (lambda x: x * x, lambda x: 2.0),
    "x ** 2": (lambda x: x ** 2, lambda x: 2.0),
    "x ** 3": (lambda x: x ** 3, lambda x: 6 * x), "x ** 0": (lambda x: x ** 0, flat), "x ** 1": (lambda x: x ** 1, flat),
    "x ** -1": (lambda x: x ** -1, lambda x: 2 / x ** 3), "x ** 1.5": (lambda x: x ** 1.5, lambda x: 0.75 / math.sqrt(x)),
    "2 ** x": (lambda x: 2 ** x, lambda x: math.log(2) ** 2 * 2.0 ** x),
    "x * x * x": (lambda x: karat.stack([x, x, x]).prod(0), lambda x: 6 * x),
    "cumprod": (lambda x: karat.stack([x, x, x]).cumprod(0)[2], lambda x: 6 * x),
    "exp": (karat.exp, math.exp), "expm1": (karat.expm1, math.exp), "log": (karat.log, lambda x: -1 / x ** 2),
    "exp2": (karat.exp2, lambda x: math.log(2) ** 2 * 2.0 ** x), "log1p": (karat.log1p, lambda x: -1 / (1 + x) ** 2),
    "log2": (karat.log2, lambda x: -1 / (math.log(2) * x ** 2)), "log10": (karat.log10, lambda x: -1 / (math.log(10) * x ** 2)),
    "sqrt": (karat.sqrt, lambda x: -0.25 / (x * math.sqrt(x))), "rsqrt": (karat.rsqrt, lambda x: 0.75 / (x * x * math.sqrt(x))),
    "reciprocal": (karat.reciprocal, lambda x: 2 / x ** 3), "sin": (karat.sin, lambda x: -math.sin(x)),
    "cos": (karat.cos, lambda x: -math.cos(x)), "tan": (karat.tan, lambda x: 2 * math.tan(x) * (1 + math.tan(x) ** 2)),
    "sinh": (karat.sinh, math.sinh), "cosh": (karat.cosh, math.cosh),
    "tanh": (karat.tanh, lambda x: -2 * math.tanh(x) * (1 - math.tanh(x) ** 2)),
    "sigmoid": (karat.sigmoid, lambda x: share(x) * share(-x) * (1 - 2 * share(x))),
    "atan": (karat.atan, lambda x: -2 * x / (1 + x * x) ** 2), "asin": (karat.asin, lambda x: x / math.sqrt(1 - x * x) ** 3),
    "acos": (karat.acos, lambda x: -x / math.sqrt(1 - x * x) ** 3),
    "asinh": (karat.asinh, lambda x: -x / math.sqrt(1 + x * x) ** 3),
    "atanh": (karat.atanh, lambda x: 2 * x / (1 - x * x) ** 2),
    "erf": (karat.erf, lambda x: -4 * x / math.sqrt(math.pi) * math.exp(-x * x)),
    "erfc": (karat.erfc, lambda x: 4 * x / math.sqrt(math.pi) * math.exp(-x * x)),
    "gelu": (F.gelu, lambda x: (2 - x * x) * density(x)),
    "silu": (F.silu, lambda x: share(x) * share(-x) * (2 + x * (1 - 2 * share(x)))),
    "softplus": (lambda x: F.softplus(x, threshold=100), lambda x: share(x) * share(-x)),
    "logsigmoid": (F.logsigmoid, lambda x: -share(x) * share(-x)),
    "logaddexp": (lambda x: karat.logaddexp(x, karat.zeros_like(x)), lambda x: share(x) * share(-x)),
    "logsumexp": (lambda x: karat.stack([x, karat.zeros_like(x)]).logsumexp(0), lambda x: share(x) * share(-x)),
    "log_softmax": (lambda x: karat.stack([x, karat.zeros_like(x)]).log_softmax(0)[0], lambda x: -share(x) * share(-x)),
    "bce with logits": (lambda x: F.binary_cross_entropy_with_logits(x, karat.ones_like(x), reduction="none"),
                        lambda x: share(x) * share(-x)),
    "elu": (F.elu, lambda x: math.exp(x) if x < 0 else 0.0),
    "hypot": (lambda x: karat.hypot(x, karat.ones_like(x)), lambda x: 1 / math.hypot(x, 1) ** 3),
    "atan2": (lambda x: karat.atan2(x, karat.ones_like(x)), lambda x: -2 * x / (1 + x * x) ** 2),
    "norm 3": (lambda x: karat.linalg.vector_norm(x.reshape(-1, 1), 3, 1), flat),
    "norm 2": (lambda x: karat.linalg.vector_norm(x.reshape(-1, 1), 2, 1), flat),
    "mse_loss": (lambda x: F.mse_loss(x, karat.zeros_like(x), reduction="none"), lambda x: 2.0),
    "smooth_l1_loss": (lambda x: F.smooth_l1_loss(x, karat.zeros_like(x), reduction="none"), bowl),
    "huber_loss": (lambda x: F.huber_loss(x, karat.zeros_like(x), reduction="none"), bowl),
    "addcdiv": (lambda x: karat.addcdiv(x, karat.ones_like(x), x), lambda x: 2 / x ** 3),
    "var": (lambda x: karat.stack([x, karat.ones_like(x)]).var(0), lambda x: 1.0),
}
STRAIGHT = "abs neg relu sign sgn ceil floor trunc round frac nan_to_num deg2rad rad2deg positive".split()
BENT = {"clamp": lambda x: karat.clamp(x, -1.0, 1.0), "hardtanh": F.hardtanh, "relu6": F.relu6, "leaky_relu": F.leaky_relu,
        "threshold": lambda x: F.threshold(x, 1.0, 7.0), "hardshrink": F.hardshrink, "softshrink": F.softshrink,
        "l1_loss": lambda x: F.l1_loss(x, karat.zeros_like(x), reduction="none"),
        "norm 1": lambda x: karat.linalg.vector_norm(x.reshape(-1, 1), 1, 1),
        "norm inf": lambda x: karat.linalg.vector_norm(x.reshape(-1, 1), inf, 1)}


def second(f, at):
    x = karat.tensor(at, dtype=karat.float64, requires_grad=True)
    y = f(x)
    d, = karat.autograd.grad(y, x, karat.ones_like(y), create_graph=True, allow_unused=True)
    if d is None or not d.requires_grad:
        return [0.0] * len(at)
    found, = karat.autograd.grad(d, x, karat.ones_like(d), allow_unused=True)
    return [0.0] * len(at) if found is None else found.tolist()


def closed(form, x):
    try:
        return form(x)
    except (ZeroDivisionError, OverflowError, ValueError):
        return nan


@pytest.mark.parametrize("name", CURVES)
def test_second_slopes_at_the_ends(name):
    """The closed form where it is finite; at a pole or outside of the domain nothing finite. At an infinity either will do
    where the form has a limit: a product of 0 and an infinity is NaN on the way."""
    f, form = CURVES[name]
    for x, got in zip(ENDS, second(f, ENDS)):
        want = closed(form, x)
        if math.isfinite(x) and math.isfinite(want):
            assert got == pytest.approx(want, rel=1e-9, abs=1e-9), (x, got, want)
        elif math.isfinite(x):
            assert not math.isfinite(got), (x, got)
        elif math.isfinite(got):
            limit = want if math.isfinite(want) else closed(form, math.copysign(1e6, x)) if x == x else nan
            assert abs(got - limit) < 1e-5, (x, got, limit)


@pytest.mark.parametrize("name", STRAIGHT + list(BENT))
def test_straight_pieces_have_no_second_slope(name):
    assert not any(second(BENT.get(name) or getattr(karat, name), ENDS)), second(BENT.get(name) or getattr(karat, name), ENDS)
