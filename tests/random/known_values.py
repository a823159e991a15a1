"""known_values.py - elements that differ from PyTorch's and are meant to: each a test and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it, whose gap holds the elements of both sides and whose odd
says which of them differ by more than rounding. A test says something about every one of those.
"""

import re

import numpy as np

from elements import EPSILON, INTEGER, REAL_OF, decoded, partner
from statement import born, mentioned, numbers, op, operator, plain_op


def every(test):
    """A test of all odd elements; test gets Karat's and PyTorch's as arrays, and the gap."""
    def apply(d, c):
        if d.kind != "values" or c.gap is None:
            return False
        with np.errstate(all="ignore"):
            return bool(np.all(test(c.gap.karat, c.gap.torch, c.gap) | ~c.odd))
    return apply


zero_signs = every(lambda x, y, gap: (x == 0) & (y == 0) if gap.is_float else False)
nan_there = every(lambda x, y, gap: np.isnan(y) & ~np.isnan(x) if gap.is_float else False)
nan_here = every(lambda x, y, gap: np.isnan(x) & ~np.isnan(y) if gap.is_float else False)


def lost(x):
    """Which parts belong to a complex number that is not finite."""
    return ~np.isfinite(x) | ~np.isfinite(partner(x))


def zeros(x, y):
    return (x == 0) & (y == 0)


# A finite number with an infinity becomes NaN in one loop and not in another: both numbers are lost as a whole.
complex_infinities = every(lambda x, y, gap: lost(x) & lost(y) | zeros(x, y) if gap.complex else False)
complex_nan_there = every(lambda x, y, gap: lost(x) & np.isnan(y) | zeros(x, y) if gap.complex else False)


def out_of_range(d, c):
    """Whether a statement makes integers of floats and an operand has some that the dtype cannot hold."""
    dtype = c.gap.dtype if c.gap is not None else None
    if d.kind != "values" or dtype not in INTEGER:
        return False
    if re.search(r"linspace\(-3, .*\.to\(torch\.uint", d.statement):
        return True
    conversion = r"\.(to|type|type_as|int|long|short|char|byte)\(|dtype=torch\.u?int|out=|copy_|\] = |\w_\(|addmv\(|_scatter\("
    if not re.search(conversion, d.statement):
        return False
    for path in c.operands:
        x = decoded(c.before[path]["dtype"], c.before[path]["values"])
        with np.errstate(all="ignore"):
            if x is not None and np.any(~((x > INTEGER[dtype][0] - 1) & (x < INTEGER[dtype][1] + 1))):
                return True
    return False


saturates = every(lambda x, y, gap: (x == 0) | (x == INTEGER[gap.dtype][0]) | (x == INTEGER[gap.dtype][1]))


def over_itself(d, c):
    """Whether a statement writes a tensor that it also reads as another operand, itself or through memory that both share."""
    tensor = r"(t\d+(?:\[\d+\])?)"
    written = re.search(rf"out={tensor}|out=\({tensor}, |out=\(.*, {tensor}\)|(?:^|= ){tensor}\.\w+_\(|torch\.\w+_\({tensor}|"
                        rf"^{tensor} [-+*/]= ", d.statement)
    name = written and next(filter(None, written.groups()))
    if not name or name not in c.before:
        return False
    family = c.before[name]["shares memory with"]
    reads = [n for n in mentioned(d.statement) if n == name.split("[")[0] or family and family in [
        p["shares memory with"] for path, p in c.before.items() if re.match(rf"{n}\b", path)]]
    return len(reads) > 1


COMPLEX_SIGNS = set("""acos arccos sinc silu sgn * mul / div pow ** **= float_power reciprocal square sqrt rsqrt log1p expm1
    ldexp""".split())
to_one = every(lambda x, y, gap: zeros(x, y) | np.isnan(y) & np.where(np.arange(len(x)) % 2 == 0, x == 1, x == 0))
poles = every(lambda x, y, gap: ~np.isfinite(x) & (np.abs(y) > 1e6) | (gap.apart < 1e-9 * np.abs(x)) |
              (np.abs(x) > 100) & (gap.apart < 1e-3 * np.abs(x)) & (gap.real != "float64"))


def elements(picture):
    """A tensor's elements as floats, a complex number as two; none where nobody saw them."""
    if isinstance(picture["values"], str):
        return np.empty(0)
    x = decoded(picture["dtype"], picture["values"])
    whole = np.dtype(bool if picture["dtype"] == "bool" else picture["dtype"]) if x is None else None
    return x if whole is None else np.frombuffer(picture["values"], whole).astype(np.float64)


def of_operands(c, test, line=None):
    """Whether a test holds for an element of an operand of the statement, or of another line of the program."""
    paths = c.operands if line is None else [path for path in c.before if re.match(r"\w+", path).group(0) in mentioned(line)]
    with np.errstate(all="ignore"):
        return any(np.any(test(elements(c.before[path]))) for path in paths)


def far_out(d, c):
    """Whether elements are no further apart than the last digit of an angle as large as the largest number says."""
    largest = max([np.max(np.abs(x), where=np.isfinite(x), initial=0) for x in (elements(c.before[path]) for path in c.operands)]
                  + numbers(d.statement))
    return every(lambda x, y, gap: (gap.apart <= 4 * EPSILON[gap.real] * largest * gap.size) & np.isfinite(x) & np.isfinite(y)
                 | lost(x) & lost(y) | zeros(x, y))(d, c)


# ---- what a gradient came through

TENSOR = r"t\d+(?:\[\d+\])?"


def subject(d):
    """The name of the tensor whose gradient differs, or None where the statement does not tell."""
    if "grad." in d.where:
        return re.match(r"t\d+", d.where).group(0)
    asked, place = re.search(rf", \[((?:{TENSOR}(?:, )?)+)\]", d.statement), re.match(r"t\d+\[(\d+)\]", d.where)
    names = re.findall(r"t\d+", re.sub(r"\[\d+\]", "", asked.group(1))) if asked else []
    return names[int(place.group(1))] if place and int(place.group(1)) < len(names) else None


def came_through(d, c, names):
    """The program's statements by these operators that the tensor whose gradient differs went into, and what came of it until
    then; where nobody knows whose it is, all such statements."""
    first = subject(d)
    reach = {first}
    for line in c.program[:d.at] if op(d) == "backward" and d.kind == "values" else []:
        read = set(mentioned(line))
        if first is not None and not read & reach:
            continue
        if operator(line).rstrip("_") in names:
            yield line, read if first is None else read & reach
        reach |= set(re.findall(r"(?:^|: )(t\d+) = ", line))
        if operator(line).endswith("_") or "out=" in line or "] = " in line:  # what shares the memory is changed too
            families = {c.before[path]["shares memory with"] for path in c.before if re.match(r"\w+", path).group(0) in read}
            reach |= read | {re.match(r"\w+", path).group(0) for path, seen in c.before.items()
                             if seen["shares memory with"] in families - {None}}


def through(names, test=lambda line, reached, c: True):
    """A test of a difference: whether the gradient came through a statement by one of the operators for which test holds."""
    names = set(names.split())
    return lambda d, c: any(test(line, reached, c) for line, reached in came_through(d, c, names))


def length_not_positive(line, reached, c):
    length = re.search(rf"polar\((?:abs=)?({TENSOR})", line)
    return bool(length) and length.group(1) in c.before and np.any(elements(c.before[length.group(1)]) <= 0)


def rounded_alpha(line, reached, c):
    """Whether celu's alpha is a number that float32 does not have, or whose reciprocal it does not have."""
    alpha = re.search(r"celu_?\(.*?(?:alpha=|, )(-?\d+\.?\d*(?:e-?\d+)?)", line)
    number = float(alpha.group(1)) if alpha else 0
    return number != 0 and any(float(np.float32(x)) != x for x in (number, 1 / number))


def source_by_complex(line, reached, c):
    """Whether index_add's source, which stands last, is multiplied by a number with an imaginary part."""
    alpha = re.search(r"alpha=([^,)]*j)", line)
    return bool(alpha) and complex(alpha.group(1).replace(" ", "")).imag != 0 and mentioned(line)[-1] in reached


def index_smaller_than_src(line, reached, c):
    """Whether the index of a scatter_reduce, which stands before src, has not src's sizes."""
    index, src = ([None] * 2 + re.findall(TENSOR, line.split("out=")[0]))[-2:]
    return index in c.before and src in c.before and c.before[index]["shape"] != c.before[src]["shape"]


def met_nan(line, reached, c):
    return of_operands(c, np.isnan, line)


def summed_at_nan(line, reached, c):
    """Whether the function's operand holds a NaN and is larger than what went in before it: slopes are added up for that."""
    sizes = [len(elements(c.before[path])) for path in c.before if re.match(r"\w+", path).group(0) in mentioned(line)]
    return met_nan(line, reached, c) and any(len(elements(c.before[name])) < max(sizes) for name in c.before
                                             if c.before[name].get("requires_grad") and re.fullmatch(r"t\d+", name))


def narrow_target(line, reached, c):
    return any(c.before.get(name, {}).get("dtype") in ("float16", "bfloat16") for name in mentioned(line))


def of_one_number(line, reached, c):
    return any(tuple(c.before.get(name, {}).get("shape", (0,))) == () for name in mentioned(line))


def far_from_zero(line, reached, c):
    return any(np.any(np.abs(elements(seen)) > 1e3) for seen in c.before.values())


def tanh_of_infinity(line, reached, c):
    return "tanh" in line and of_operands(c, np.isinf, line)


def came_of_numbers(d, c):
    """Whether the gradient of a 0-dim tensor that was joined with others is one of several backwards."""
    return "grad." in d.where and tuple(c.seen.get("shape", (0,))) == () and sum(".backward(" in line for line in c.program) > 1 \
        and through("hstack vstack dstack column_stack row_stack atleast_1d atleast_2d atleast_3d stack cat")(d, c)


polar_slope = through("polar", length_not_positive)
variance_of_all = through("var std var_mean std_mean", lambda line, reached, c: re.search(r"dim=\[\]|\((?:t\d+, )?\[\]", line))
celu_slope = through("celu", rounded_alpha)
index_add_slope = through("index_add", source_by_complex)
PIECES = "logit elu selu celu hardshrink softshrink hardtanh relu6 hardswish"
pieces_at_nan = through(PIECES, met_nan)
scatter_slope = through("scatter_reduce", index_smaller_than_src)
gelu_slope = through("gelu", tanh_of_infinity)


def product_of_lost(d, c):
    """Whether a gradient that came through a matrix product met a number that is not finite: a tensor's, or its own."""
    met = any(np.any(~np.isfinite(elements(seen))) for seen in c.before.values()) or np.any(~np.isfinite(c.gap.torch))
    return met and through(" ".join(MATRICES | {"addr"}))(d, c)


def overlaps_itself(d, c):
    """Whether the tensor that is written shows an element of its memory twice."""
    target = re.search(rf"({TENSOR})\.\w+_\(|torch\.\w+_\(({TENSOR})", d.statement)
    seen = c.before.get(target and (target.group(1) or target.group(2)))
    if not seen:
        return False
    places = np.zeros(1, int)
    for size, step in zip(seen["shape"], seen["strides"]):
        places = (places[:, None] + np.arange(size) * step).reshape(-1)
    return len(set(places)) < len(places)


def mode_beside_nan(d, c):
    """Whether lines whose modes differ hold a NaN, and Karat's occurs more than once and as often as PyTorch's, or the line is
    longer than those that PyTorch sorts by insertion."""
    operand = c.before[c.operands[0]] if op(d) == "mode" and c.operands and c.gap is not None and c.gap.is_float else None
    if d.kind != "values" or operand is None or isinstance(operand["values"], str):
        return False
    x = elements(operand).reshape(operand["shape"] or (1,))
    for dim in range(x.ndim):
        lines = np.moveaxis(x, dim, -1).reshape(-1, x.shape[dim])
        if len(lines) != len(c.gap.karat):
            continue
        often = [[max(np.sum(line == value), 1) for line, value in zip(lines, side)] for side in (c.gap.karat, c.gap.torch)]
        fine = [np.any(np.isnan(line)) and a >= b and (a > 1 or len(line) > 16) for line, a, b in zip(lines, *often)]
        if np.all(np.array(fine) | ~c.odd):
            return True
    return False


def vanishing(c):
    """Whether a tensor of the program has an element that is 0 on one side and but for rounding on the other."""
    for x, y in c.kin:
        a, b = (None if isinstance(side["values"], str) else decoded(side["dtype"], side["values"]) for side in (x, y))
        if a is not None and b is not None and len(a) == len(b) and x["dtype"] == y["dtype"]:
            rounded = EPSILON[REAL_OF.get(x["dtype"], x["dtype"])] * 64
            if np.any((a != b) & ((a == 0) | (b == 0)) & (np.abs(a) < rounded) & (np.abs(b) < rounded)):
                return True
    return False


def beside_the_diagonal(d, c):
    """Whether Karat's gradient is 0 and PyTorch's not, wherever they differ, below a square."""
    rows = c.seen["shape"] if c.seen and c.odd is not None else ()
    if len(rows) != 2 or rows[0] <= rows[1]:
        return False
    return not np.any(c.odd.reshape(*rows, -1)[:rows[1]]) and every(lambda x, y, gap: x == 0)(d, c)


nan_or_zero = every(lambda x, y, gap: np.isnan(y) | zeros(x, y) if gap.is_float else False)
mirrored = every(lambda x, y, gap: x == -y if gap.is_float else False)
nan_or_signs = every(lambda x, y, gap: np.isnan(x) | np.isnan(y) | zeros(x, y) if gap.is_float else False)
inf_there = every(lambda x, y, gap: np.isinf(y) & np.isfinite(x) if gap.is_float else False)
nan_for_zero = every(lambda x, y, gap: (x == 0) & np.isnan(y) if gap.is_float else False)
nan_or_nothing = every(lambda x, y, gap: np.isnan(x) | np.isnan(y) | (x == 0) | (y == 0) if gap.is_float else False)


def touched(d, c):
    """Whether the tensor that differs stands in the statement, shares memory with one that does, or has one as its gradient."""
    name = (re.match(r"t\d+", d.where) or [""])[0]
    families = {c.before[path]["shares memory with"] for path in c.operands}
    objects = {c.before[path]["same object as"] for path in c.operands}
    same = c.before.get(name, {}).get("same object as") in objects
    given = re.findall(r"\.grad = (t\d+)$", "\n".join(c.program), re.M) if " grad" in d.where else []
    return (name in mentioned(d.statement) or same or c.seen.get("shares memory with") in families - {None}
            or bool(set(given) & set(mentioned(d.statement))))


def picked(operand, dim, index):
    """What stands at the indices along a dim of a picture's tensor, or None where the shapes do not fit."""
    whole = operand["dtype"] in INTEGER or operand["dtype"] == "bool"
    x = np.frombuffer(operand["values"], operand["dtype"]) if whole else decoded(operand["dtype"], operand["values"])
    if x is None or operand["dtype"].startswith("complex"):
        return None
    x, others = x.reshape(operand["shape"]), int(np.prod(operand["shape"][:dim] + operand["shape"][dim + 1:]))
    if not others or index.size % others or not index.size or not 0 <= index.min() <= index.max() < x.shape[dim]:
        return None
    return np.take_along_axis(x, index.reshape(x.shape[:dim] + (index.size // others,) + x.shape[dim + 1:]), dim)


def equal_choice(d, c):
    """Whether the indices of both sides point at elements of one value."""
    operand = next((c.before[n] for n in c.operands), None)
    if d.kind != "values" or c.gap is None or c.gap.dtype != "int64" or operand is None:
        return False
    for dim in range(len(operand["shape"])):
        ours, theirs = (picked(operand, dim, side) for side in (c.gap.karat, c.gap.torch))
        if ours is not None and np.array_equal(ours, theirs, equal_nan=ours.dtype.kind == "f"):
            return True
    return False


CHOOSING = set("""relu relu6 hardtanh clamp clamp_min clamp_max clip maximum minimum max min fmax fmin softshrink amax amin
    aminmax cummax cummin threshold scatter_reduce index_reduce leaky_relu topk kthvalue median nanmedian mode sort msort quantile
    nanquantile""".split())
PRODUCTS = set("""mm bmm mv dot vdot matmul @ addmm addmv addr baddbmm addbmm inner linear kron einsum tensordot bilinear
    matrix_power vecdot multi_dot chain_matmul outer ger * mul multiply / div divide true_divide square addcmul addcdiv cumprod
    prod vander *= /= backward cross lerp reciprocal pow ** float_power **=""".split())
SUMS = set("""- + rsub sub add subtract -= += index_add index_reduce scatter_reduce
    diff mean std var std_mean var_mean log2 trapezoid trapz
    cumulative_trapezoid""".split())
MATRICES = set("mm bmm mv dot vdot matmul @ addmm addmv baddbmm addbmm inner linear einsum tensordot bilinear vecdot".split())
POWERS = set("pow ** **= float_power".split())
FOLDS = set("""sum nansum mean nanmean prod amax amin max min all any std var norm vector_norm logsumexp argmax argmin
    cumsum quantile nanquantile median nanmedian logcumsumexp cumprod topk sort kthvalue mode cummax cummin""".split())

LAPACK = set("""inv inv_ex inverse det slogdet logdet solve solve_ex qr geqrf lu_factor lu_factor_ex lu lu_solve lstsq pinv
    cholesky cholesky_ex cholesky_solve cholesky_inverse ldl_factor ldl_factor_ex ldl_solve triangular_solve solve_triangular svd
    svdvals eigh eigvalsh eig eigvals lu_unpack householder_product ormqr orgqr""".split())


def of_matrices(test):
    """Of an operator of LAPACK's and the matrices that it is given."""
    def apply(d, c):
        if d.kind != "values" or plain_op(d) not in LAPACK:
            return False
        for path in c.operands:
            state = c.before[path]
            x = None if isinstance(state["values"], str) else decoded(state["dtype"], state["values"])
            if x is not None and len(state["shape"]) > 1 and 0 not in state["shape"] and state["dtype"] not in INTEGER:
                x = x.view(np.complex128) if state["dtype"] in REAL_OF else x
                if test(x.reshape(state["shape"])):
                    return True
        return False
    return apply


not_finite = of_matrices(lambda x: not np.all(np.isfinite(x)))
singular = of_matrices(lambda x: np.all(np.isfinite(x)) and np.any(np.linalg.cond(x) > 1e5))

ORDERS = "quantile nanquantile median nanmedian kthvalue mode topk sort msort argsort"


def another_of_equals(d, c):
    """Whether a gradient that came through an order statistic went to another one of elements that are equal."""
    name = subject(d)
    if name not in c.before or c.gap is None or c.gap.complex or not through(ORDERS)(d, c):
        return False
    x, ours, theirs = elements(c.before[name]), c.gap.karat, c.gap.torch
    return len(x) == len(ours) and all(np.isclose(np.sum(ours[x == value]), np.sum(theirs[x == value]))
                                       for value in set(x[c.odd]))


def not_by_a_product(d, c):
    """Whether all that differs are numbers that are not finite on both sides, of a product of three with such an operand."""
    return of_operands(c, lambda x: ~np.isfinite(x)) and every(lambda x, y, gap: ~np.isfinite(x) & ~np.isfinite(y))(d, c)


def zeros_there(d, c):
    """Whether PyTorch's gradient of the tensor, which has none in Karat, is all zeros."""
    found = [y["grad"] for x, y in c.kin if x.get("grad") is None and isinstance(y.get("grad"), dict)]
    return bool(found) and not any(np.any(elements(gradient)) for gradient in found)


SPECTRA = set("""fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn hfftn
    ihfftn""".split())
CONVOLUTIONS = {f"conv{turned}{n}d" for turned in ("", "_transpose") for n in (1, 2, 3)} | {"module"}

VALUES = [
    (lambda d, c: op(d) in SPECTRA and of_operands(c, lambda x: ~np.isfinite(x)) and every(
        lambda x, y, gap: ~np.isfinite(x) | zeros(x, y))(d, c),
     "the spectrum of a NaN or an infinity: PyTorch's library leaves out products with 0 and 1, so that parts stay finite"),
    (lambda d, c: through(" ".join(SPECTRA))(d, c) and every(lambda x, y, gap: ~np.isfinite(x) & ~np.isfinite(y))(d, c),
     "the gradient of a spectrum with a NaN or an infinity: which of them it becomes is left to the order of its sums"),
    (lambda d, c: d.kind == "values" and re.search(r"torch\.func\.(jvp|jacfwd)", d.statement) and nan_for_zero(d, c) and any(
        0 in c.before[path]["shape"] for path in c.operands),
     "the derivative of the mean of no elements along a direction, which has none either: PyTorch divides 0 by 0"),
    (lambda d, c: op(d) in SPECTRA and zero_signs(d, c), "the sign of a zero in a spectrum: it depends on the order of its sums"),
    (lambda d, c: op(d) in CONVOLUTIONS and of_operands(c, lambda x: ~np.isfinite(x)) and every(
        lambda x, y, gap: ~np.isfinite(x) | ~np.isfinite(y))(d, c),
     "a convolution of a NaN or an infinity: whether the zeros around the image are multiplied by it depends on the library"),
    (lambda d, c: through(" ".join(CONVOLUTIONS))(d, c) and every(lambda x, y, gap: ~np.isfinite(x) | ~np.isfinite(y))(d, c)
        and any(np.any(~np.isfinite(elements(seen))) for seen in c.before.values()),
     "a convolution of a NaN or an infinity: whether the zeros around the image are multiplied by it depends on the library"),
    (lambda d, c: through("sinc")(d, c) and c.gap is not None and (c.gap.real == "float64" and c.gap.share() < 1e-9
        or c.gap.real == "float32" and c.gap.share() < 1e-3),
     "the slope of sinc near 0 is a difference of nearly equal numbers, divided by the point: its last digits are lost"),
    (lambda d, c: op(d) == "vmap" and "div" in d.statement and ", -" in d.statement and any(
        c.before[path]["dtype"].startswith("uint") for path in c.operands),
     "unsigned integers divided by a number below 0, for examples: PyTorch makes the number unsigned, too"),
    (lambda d, c: op(d) == "signbit" and d.kind == "values" and c.odd is not None and len(c.operands) == 1
        and np.all(np.isnan(elements(c.before[c.operands[0]])) | ~c.odd), "the sign of a NaN"),
    (lambda d, c: re.search(r"_foreach_\w+_\(\[.*\b(t\d+)\b.*\b\1\b", d.statement) and c.gap is not None and c.gap.share() < 1e-3,
     "a list that has a tensor several times, which is written over as often: last digits are carried on"),
    (lambda d, c: op(d) in ("layer_norm", "native_layer_norm") and zero_signs(d, c),
     "a normalized number below 0 times a weight of 0: PyTorch adds a bias of 0 to it, which makes it 0, Karat adds none"),
    (lambda d, c: "_polynomial_" in op(d) and every(lambda x, y, gap: np.isinf(x) & np.isnan(y))(d, c),
     "a polynomial beyond the dtype's range: PyTorch's recurrence subtracts infinities, Karat's is infinite"),
    (lambda d, c: d.kind == "values" and "torch.func." in d.statement and zero_signs(d, c),
     "the sign of a zero gradient: it depends on the order in which zeros of both signs are added"),
    (lambda d, c: re.search(r"torch\.func\.jac.*\b(matmul|mm|bmm|mv|linear|addmm|baddbmm)\(| @ ", d.statement) and every(
        lambda x, y, gap: np.isnan(x) | np.isnan(y))(d, c) and of_operands(c, lambda x: ~np.isfinite(x)),
     "a column of a derivative beside a NaN or an infinity: PyTorch multiplies it by the zeros of its direction"),
    (lambda d, c: op(d) == "backward" and d.kind == "values" and "j" in "".join(c.program) and every(
        lambda x, y, gap: ~np.isfinite(x) & ~np.isfinite(y))(d, c) and any(
            seen["dtype"].startswith("complex") and np.any(~np.isfinite(elements(seen))) for seen in c.before.values()),
     "complex products of infinities: which part becomes NaN depends on how a product is put together"),
    (lambda d, c: d.kind == "grad" and op(d) == "backward" and d.torch is None and re.search(
        r"torch\.vmap\(.*beta=(-?0(\.0)?|False)\b", "\n".join(c.program)) is not None,
     "a product for examples with beta=0: in Karat the addend has a gradient of zeros, as without examples, in PyTorch none"),
    (lambda d, c: d.kind == "grad" and op(d) == "backward" and d.karat is None and re.search(
        r"torch\.func\.(jvp|jacfwd|linearize|hessian)", "".join(c.program)) and zeros_there(d, c),
     "a derivative along a direction does not depend on the point: PyTorch gives the point a gradient of zeros, Karat none"),
    (lambda d, c: op(d) == "bilinear" and not_by_a_product(d, c),
     "a product of three where a factor is infinite: which sum meets two infinities depends on which two are multiplied first"),
    (lambda d, c: plain_op(d) == "sgn" and c.gap is not None and c.gap.complex and every(
        lambda x, y, gap: np.isnan(x) & (y == 0) & np.isnan(partner(y)))(d, c),
     "the direction of a complex infinity: PyTorch divides the parts by the length, Karat's is NaN as a whole"),
    (lambda d, c: op(d).rstrip("_") in ("igamma", "igammac") and nan_here(d, c) and of_operands(c, np.isnan),
     "the incomplete gamma functions of NaN at 0 and infinity: PyTorch asks the other operand first, Karat's is NaN"),
    (lambda d, c: op(d) == "zeta" and of_operands(c, lambda x: ~np.isfinite(x)) and every(
        lambda x, y, gap: ~np.isfinite(x) | ~np.isfinite(y))(d, c),
     "zeta of numbers that are not finite: PyTorch gives infinity or NaN by the second operand, Karat NaN or the limit"),
    (lambda d, c: op(d) == "gelu" and every(lambda x, y, gap: np.isnan(y) & np.isinf(x) & (x > 0))(d, c),
     "gelu of infinity: PyTorch's vector loop multiplies it by 0, its loop for the rest and Karat give infinity"),
    (lambda d, c: op(d) == "soft_margin_loss" and every(lambda x, y, gap: np.isnan(y) & np.isinf(x))(d, c),
     "soft_margin_loss where the exponential overflows: PyTorch's is NaN, Karat's the limit"),
    (lambda d, c: op(d) in ("modified_bessel_i1", "i1e", "log_softmax") and zero_signs(d, c),
     "the sign of a zero: these are odd functions in Karat, and the logarithm of 1 is subtracted from -0"),
    (lambda d, c: plain_op(d) in ("acos", "arccos") and zero_signs(d, c),
     "the sign of the zero that acos(1) is in a complex dtype's imaginary part: PyTorch's vector loop and its loop for the rest"),
    (lambda d, c: op(d) in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1") and c.gap is not None and c.gap.real == "float64"
        and float(np.max(c.gap.apart, initial=0)) < 1e-9,
     "Bessel functions in float64: PyTorch's have 10 to 13 digits, Karat's are right to the last ones"),
    (lambda d, c: op(d) in ("cumprod", "cumprod_") and c.gap is not None and c.gap.real in ("float16", "bfloat16")
        and every(lambda x, y, gap: np.isfinite(x) & ~np.isfinite(y))(d, c),
     "a product of many numbers of 16 bits: PyTorch carries it in float32, where it overflows, Karat in float64"),
    (lambda d, c: op(d) == "searchsorted" and over_itself(d, c),
     "searchsorted into its own operand: PyTorch reads what it has begun to overwrite, Karat the operand as it was"),
    (lambda d, c: op(d) == "poisson" and nan_here(d, c) and of_operands(c, np.isnan),
     "a draw with the rate NaN: PyTorch converts it to an integer, Karat's is NaN"),
    (lambda d, c: op(d) == "grid_sampler_2d" and re.search(r"grid_sampler_2d\(t\d+, t\d+, -", d.statement) is not None,
     "an interpolation that has no name: PyTorch's result is what lay in the memory"),
    (lambda d, c: op(d) == "backward" and d.kind == "grad" and d.torch is None and "slogdet(" in "".join(c.program),
     "the gradient through slogdet's sign, which is 0: PyTorch gives none, Karat zeros"),
    (lambda d, c: plain_op(d) in LAPACK and zero_signs(d, c),
     "the sign of a zero in a factor or a solution: it depends on the order in which a library of LAPACK's adds"),
    (not_finite, "a matrix with numbers that are not finite: which results become NaN depends on the library of LAPACK's"),
    (singular, "a singular matrix: its factors and solutions are made of what rounding leaves"),
    (lambda d, c: plain_op(d) in ("clamp", "clip", "clamp_min", "clamp_max") and nan_here(d, c) and "nan" in d.statement,
     "clamp by a NaN: PyTorch's vector loop gives NaN and its loop for the rest the element, Karat NaN"),
    (another_of_equals, "the gradient of an order statistic goes to one of equal elements, and PyTorch leaves open to which"),
    (lambda d, c: op(d) == "arange" and d.kind == "values" and c.gap is not None and c.gap.real == "float32"
        and np.max(c.gap.apart) <= EPSILON["float32"] * max(numbers(d.statement) + [1]),
     "arange of float32: PyTorch's vector loop starts from a start that is rounded, Karat rounds each element once"),
    (lambda d, c: d.kind == "grad" and op(d) == "backward" and c.errors and c.errors[1].startswith("derivative for aten::"),
     "a backward that ends at an operator without a derivative: which leaves have their gradients by then is left to the order"),
    (lambda d, c: op(d) == "backward" and d.kind == "values" and any(
        re.search(r"addcmul_?\(.*value=", line) and any(
            c.before.get(name, {}).get("dtype") in INTEGER for name in mentioned(line)) for line in c.program),
     "addcmul of integers by a value: PyTorch multiplies the two in the integers' dtype for the gradient, where they wrap round"),
    (lambda d, c: op(d) == "backward" and d.kind == "values" and c.gap is not None and c.gap.complex and re.search(
        r"index_reduce_?\(.*'prod'", "\n".join(c.program)),
     "index_reduce by products of complex numbers: PyTorch's gradient is not conjugated, and lies in another direction"),
    (lambda d, c: op(d) == "backward" and "corrcoef" in "".join(c.program) and c.gap is not None and c.gap.real == "float64"
        and c.gap.share() < 1e-11,
     "the gradient of corrcoef is a difference of nearly equal numbers: the last digits of the product before it are seen"),
    (lambda d, c: plain_op(d) in CHOOSING and zero_signs(d, c),
     "where 0 meets -0: PyTorch's vector loop and its loop for the rest choose differently, Karat takes the first everywhere"),
    (lambda d, c: plain_op(d) in PRODUCTS | {"ldexp", "mse_loss", "poisson_nll_loss"} and complex_infinities(d, c),
     "complex products of infinities: which part becomes NaN depends on how a product is put together"),
    (lambda d, c: plain_op(d) in SUMS and complex_nan_there(d, c),
     "complex infinities: PyTorch multiplies by alpha, 1 / n or 1 / log(2) as a complex number, and 0 times an infinity is NaN"),
    (lambda d, c: plain_op(d) in POWERS and c.gap is not None and c.gap.complex and to_one(d, c),
     "a complex number to the power 0, and 1 to any: Karat's is 1, as of real numbers, PyTorch's may be NaN"),
    (lambda d, c: plain_op(d) in PRODUCTS | {"add", "sub", "subtract", "-=", "+="} and d.kind == "values" and over_itself(d, c),
     "a product written over its own operand: PyTorch reads what it has begun to overwrite, Karat the operand as it was"),
    (lambda d, c: plain_op(d) in FOLDS and d.kind == "values" and over_itself(d, c),
     "a reduction into its own operand: PyTorch reads what it has begun to overwrite, Karat the operand as it was"),
    (lambda d, c: op(d) == "narrow_copy" and d.kind == "values" and over_itself(d, c),
     "narrow_copy into its own operand: PyTorch reads what it has begun to overwrite, Karat the operand as it was"),
    (lambda d, c: op(d) == "renorm_" and d.kind == "values" and overlaps_itself(d, c),
     "renorm_ of a tensor that shows its elements several times: PyTorch shrinks those so often, Karat once"),
    (lambda d, c: op(d) == "copy_" and d.kind == "values" and over_itself(d, c),
     "copy_ from memory that it writes to: PyTorch reads what it has begun to overwrite, Karat the source as it was"),
    (lambda d, c: op(d) == "masked_scatter_" and d.kind == "values" and over_itself(d, c),
     "masked_scatter_ from the tensor itself: PyTorch reads what it has begun to overwrite, Karat the source as it was"),
    (lambda d, c: plain_op(d) in MATRICES and nan_here(d, c) and of_operands(c, lambda x: ~np.isfinite(x))
        and of_operands(c, lambda x: x == 0),
     "0 times an infinity or NaN in a matrix product: PyTorch's library leaves out zeros, Karat's NaN is what the sum gives"),
    (lambda d, c: plain_op(d) in MATRICES and zero_signs(d, c),
     "0 times a number added to -0 in a matrix product: PyTorch's library leaves out zeros, Karat's sum with 0 is 0"),
    (lambda d, c: plain_op(d) in MATRICES and nan_or_zero(d, c) and re.search(r"alpha=(-?0(\.0)?|False)\b", d.statement),
     "a product times alpha=0: Karat leaves it out in every dtype, PyTorch in some"),
    (lambda d, c: plain_op(d) in ("sigmoid", "expit") and c.gap is not None and c.gap.complex and nan_there(d, c),
     "a complex sigmoid where e^-z overflows: PyTorch gives NaN, Karat the limit"),
    (lambda d, c: d.kind in ("values", "shape", "strides", "grad.shape") and c.errors and not born(d) and touched(d, c),
     "both refuse, and PyTorch had already written a part or resized out=: Karat changes nothing"),
    (lambda d, c: d.kind == "grad" and op(d) == "backward" and c.errors and d.karat is None,
     "a backward that fails: PyTorch has by then given a leaf of two graphs its gradient, in Karat that waits for the rest"),
    (lambda d, c: op(d) == "cdist" and "p=inf" in d.statement and nan_here(d, c) and of_operands(c, np.isnan),
     "the largest distance of a NaN: PyTorch's cdist passes it over, Karat's is NaN, as every norm"),
    (lambda d, c: plain_op(d) in ("std_mean", "var_mean") and nan_there(d, c),
     "the mean of infinities: Karat's is infinite, PyTorch's running mean becomes NaN"),
    (lambda d, c: op(d) in ("mode", "median", "nanmedian", "kthvalue", "topk", "sort", "argsort", "msort") and equal_choice(d, c),
     "orders and medians: PyTorch leaves open which of equal elements' index it gives"),
    (mode_beside_nan,
     "the mode of a line with a NaN: PyTorch's sort does not get past it and misses elements that are equal, Karat counts them"),
    (lambda d, c: out_of_range(d, c) and (saturates(d, c) or "dtype=" in d.statement or plain_op(d) == "addmv"),
     "a float beyond an integer's range, or NaN: Karat saturates and gives 0, PyTorch does what the processor does"),
    (lambda d, c: op(d) in ("all", "any") and "out=torch.empty(0, dtype=torch.uint8)" in d.statement,
     "all and any into uint8: PyTorch converts the operand to uint8 first, so that 0.5 is 0; Karat asks the operand"),
    (lambda d, c: op(d) == "backward" and "logit" in "".join(c.program) and mirrored(d, c),
     "logit's slope at -0: PyTorch's vector loop gives -inf and its loop for the rest inf, Karat -inf"),
    (lambda d, c: op(d) == "backward" and nan_here(d, c) and product_of_lost(d, c),
     "0 times an infinity or NaN in a gradient that is a matrix product: PyTorch's library leaves out zeros, Karat does not"),
    (lambda d, c: plain_op(d) in ("i1", "softplus", "softsign", "tanhshrink", "hardshrink") and zero_signs(d, c),
     "the sign of a zero: i1 and its kin are odd functions in Karat; softplus with a negative beta ends in 0"),
    (lambda d, c: zero_signs(d, c) and (c.gap.complex and plain_op(d) in COMPLEX_SIGNS | SUMS or plain_op(d) in ("lerp", "sinc")),
     "the sign of a zero part: PyTorch's vector loop and its loop for the rest differ"),
    (lambda d, c: zero_signs(d, c) and c.seen.get("conj"),
     "a zero written through a conjugate view: PyTorch's imaginary part is then -0"),
    (lambda d, c: plain_op(d) in ("sub", "subtract", "rsub") and "alpha=0" in d.statement and zero_signs(d, c),
     "a - 0 b of a = -0: PyTorch adds b times the number -0, which for an integer alpha is 0"),
    (lambda d, c: plain_op(d) in ("cumsum", "logcumsumexp") and zero_signs(d, c),
     "a scan of one -0: PyTorch copies a 0-dim tensor and adds 0 to any other, Karat treats both alike"),
    (lambda d, c: op(d) == "backward" and zero_signs(d, c),
     "the sign of a zero gradient: it depends on the order in which zeros of both signs are added"),
    (lambda d, c: d.kind == "values" and op(d) == "backward" and "trace" in "".join(c.program) and beside_the_diagonal(d, c),
     "the gradient of trace of a matrix that is longer than wide: PyTorch's goes on below the diagonal"),
    (variance_of_all,
     "the gradient of a variance over dim=[], all dims: PyTorch divides by the elements of no dim, 1, less the correction"),
    (lambda d, c: through("hardsigmoid")(d, c) and c.gap is not None and c.gap.real == "float64" and c.gap.share() < 1e-7,
     "hardsigmoid's slope: PyTorch's 1 / 6 is a float32 in float64 too"),
    (lambda d, c: celu_slope(d, c) and c.gap is not None and c.gap.real == "float64" and c.gap.share() < 1e-6,
     "celu's slope: PyTorch's 1 / alpha is a float32 in float64 too"),
    (lambda d, c: op(d) == "backward" and re.search("cumprod|vander", "".join(c.program)) and nan_or_signs(d, c),
     "cumprod's slope where a factor is infinite or NaN: Karat multiplies the others, PyTorch divides the product by it and "
     "leaves out what follows a 0"),
    (lambda d, c: through("scatter_reduce index_reduce", lambda line, reached, c: "prod" in line)(d, c) and nan_there(d, c),
     "the slope of a product that scatter_reduce gathers, where a factor is infinite: Karat multiplies the others, PyTorch "
     "divides the product by it"),
    (lambda d, c: pieces_at_nan(d, c) and (nan_or_nothing(d, c) or through(PIECES, summed_at_nan)(d, c)),
     "the slope at NaN of a function put together from pieces: PyTorch's vector loop and its loop for the rest differ"),
    (lambda d, c: gelu_slope(d, c) and nan_there(d, c),
     "the slope of gelu by tanh at an infinity: PyTorch multiplies 0 by it, Karat's is the limit"),
    (lambda d, c: through("asinh acosh arcsinh arccosh", narrow_target)(d, c) and nan_there(d, c),
     "the slope of asinh's slope in float16: PyTorch squares the operand in the narrow dtype, where it overflows"),
    (lambda d, c: through("kl_div", narrow_target)(d, c) and inf_there(d, c),
     "the gradient of kl_div's narrow target: PyTorch multiplies it in the narrow dtype first, where it overflows"),
    (lambda d, c: through("logcumsumexp", of_one_number)(d, c) and nan_here(d, c),
     "the slope of a scan of one number: PyTorch copies a 0-dim tensor, Karat treats it as every other"),
    (lambda d, c: op(d) == "backward" and "nan_to_num" in "".join(c.program) and nan_for_zero(d, c),
     "an infinite gradient into what nan_to_num replaced: Karat's is 0, PyTorch multiplies it by 0"),
    (scatter_slope,
     "scatter_reduce with an index smaller than src: PyTorch's gradient compares all of src with what was chosen of its part"),
    (polar_slope,
     "polar's slope by a length that is 0 or negative: PyTorch takes the direction from the result, Karat from the angle"),
    (lambda d, c: d.kind == "values" and op(d) == "backward" and came_of_numbers(d, c),
     "numbers joined to a vector: in PyTorch their gradients share one element of memory, to which the next backward adds twice"),
    (lambda d, c: op(d) == "backward" and d.where.startswith("log["),
     "a gradient that a hook kept: in PyTorch it may have become .grad, to which the next backward adds; Karat's stays"),
    (lambda d, c: op(d) == "ldexp" and d.kind == "values" and any(
        c.before[path]["dtype"] == "int64" and np.any(np.abs(np.frombuffer(c.before[path]["values"], np.int64)) >= 2.0 ** 31)
        for path in c.operands),
     "ldexp by an exponent beyond int32: PyTorch takes its low bits, Karat's is infinite or 0"),
    (lambda d, c: plain_op(d) in POWERS and c.gap is not None and c.gap.complex and far_out(d, c),
     "a complex power: PyTorch multiplies the angle by the exponent in the dtype, which then has lost digits as that is large"),
    (lambda d, c: plain_op(d) == "sinc" and c.gap is not None and c.gap.complex and far_out(d, c),
     "a complex sinc: PyTorch multiplies by pi in float32, and the angle has lost as many digits as it is large"),
    (lambda d, c: through("sinc", far_from_zero)(d, c) and c.gap is not None and c.gap.complex,
     "the slope of a complex sinc: PyTorch multiplies by pi in float32, and the angle has lost as many digits as it is large"),
    (lambda d, c: plain_op(d) in ("logaddexp", "logaddexp2") and zero_signs(d, c),
     "the sign of a zero that a sum of logarithms is rounded to: PyTorch's lies below 0 before it is rounded to the dtype"),
    (lambda d, c: d.kind == "values" and op(d) == "backward" and vanishing(c) and re.search(
        "abs|norm|sgn|dist", "".join(c.program)),
     "the direction of a number that is 0 but for rounding: the gradient of its size is 0 or of length 1"),
    (lambda d, c: op(d) == "backward" and vanishing(c) and nan_there(d, c) and through("pow ** **= float_power")(d, c),
     "the exponent's gradient of a base that is 0 but for rounding, and may be below it: its logarithm is NaN there"),
    (index_add_slope,
     "index_add by a complex alpha: PyTorch's gradient of the source is multiplied by alpha and not by its conjugate"),
    (lambda d, c: op(d) == "count_nonzero" and every(lambda x, y, gap: x > y)(d, c) and any(
        c.before[path]["dtype"] == "float8_e8m0fnu" and np.any(elements(c.before[path]) == 2.0 ** -127) for path in c.operands),
     "count_nonzero over dims of float8_e8m0fnu, which has no 0: PyTorch compares with its least number, Karat counts all"),
    (lambda d, c: op(d) == "isfinite" and every(lambda x, y, gap: ~x & y)(d, c) and any(
        c.before[path]["dtype"] == "float8_e8m0fnu" for path in c.operands),
     "isfinite of float8_e8m0fnu: PyTorch takes its NaN for a number since it has no infinity, Karat does not"),
    (lambda d, c: op(d) == "logsumexp" and "out=" in d.statement and c.gap is not None and c.gap.complex and every(
        lambda x, y, gap: (x == 0) & np.isnan(y) & np.isnan(partner(x)))(d, c),
     "logsumexp of real numbers into a complex out=: PyTorch adds up complex numbers, Karat's NaN has no imaginary part"),
    (lambda d, c: (op(d) == "polygamma" or op(d) == "backward" and re.search("gamma", "".join(c.program))) and poles(d, c),
     "polygamma, the more the nearer to a pole: PyTorch loses some digits of its series and of pi times x, Karat does not"),
]
