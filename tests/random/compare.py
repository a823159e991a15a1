"""compare.py - what two runs of one program differ in, and which differences are meant.

In: the records of execute.py from Karat and from PyTorch. Out: differences, each with a kind, the statement, what was seen on
either side, and the reason from KNOWN where the difference is by design. A value may differ by as many units in the last place
as ROUNDING gives the operator; all that is computed from such a value afterwards is compared by size alone.
"""

import re
from collections import namedtuple

import numpy as np

Difference = namedtuple("Difference", "kind at where statement karat torch reason")

# Operators that may differ from PyTorch in the last digits: (units in the last place, why).
SERIES = "a transcendental function: the last digit depends on the polynomial, and PyTorch's vector and scalar loops differ too"
ORDER = "a sum of many terms: its last digits depend on the order of the additions, which PyTorch leaves open"
ROUNDING = {}


def rounding(names, ulps, why):
    for name in names.split():
        ROUNDING[name] = (ulps, why)


rounding("""acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh sin sinh tan tanh exp exp2
    expm1
    log log2 log10 log1p sigmoid logit erf erfc erfinv rsqrt sinc pow float_power ** **= softplus celu selu elu gelu silu mish
    tanhshrink logsigmoid log_sigmoid softmax log_softmax softmin i0 i1 lgamma digamma polygamma lgamma polar angle atan2
        arctan2 hypot
    logaddexp logaddexp2 xlogy reciprocal sqrt abs absolute sgn cauchy_ exponential_ geometric_ log_normal_ normal randn
    randn_like normal_ logcumsumexp logspace binary_cross_entropy binary_cross_entropy_with_logits cross_entropy kl_div
    deg2rad rad2deg mvlgamma hardswish glu / div divide true_divide /= * mul multiply *= square dist linspace lerp
    addcdiv addcmul remainder cumulative_trapezoid trapezoid quantile nanquantile heaviside alpha_dropout smooth_l1_loss
    huber_loss mse_loss l1_loss scatter_reduce index_reduce""", 4, SERIES)
rounding("""sum mean nansum nanmean prod cumsum cumprod std var std_mean var_mean norm vector_norm matrix_norm logsumexp mm bmm
    mv dot
    vdot matmul @ addmm addmv addr baddbmm addbmm inner linear cdist kron einsum tensordot bilinear matrix_power trace cov
    corrcoef nll_loss vecdot multi_dot chain_matmul renorm cosine_similarity histogram bincount outer scatter_add index_add put
    backward grad diff cross""", 8, ORDER)

rounding("sinc digamma lgamma polygamma cross addcmul addcdiv lerp logit diff "
         "cumulative_trapezoid trapezoid trapz gelu logaddexp logaddexp2",
         8, "a result near 0 of larger terms: measured by the terms, not by the result")
NEAR_ZERO = ROUNDING["sinc"][1]

LOOSE = {"float64": 1e-9, "float32": 3e-4, "float16": 2e-2, "bfloat16": 1e-1, "complex128": 1e-9, "complex64": 3e-4,
    "complex32": 2e-2}
REAL = {"float64": np.float64, "float32": np.float32, "float16": np.float16,
        "complex128": np.float64, "complex64": np.float32, "complex32": np.float16}
REAL_OF = {"complex128": "float64", "complex64": "float32", "complex32": "float16"}
EPSILON = {"float64": 2.0 ** -52, "float32": 2.0 ** -23, "float16": 2.0 ** -10, "bfloat16": 2.0 ** -7}
TINY = {"float64": 2.0 ** -1022, "float32": 2.0 ** -126, "float16": 2.0 ** -14, "bfloat16": 2.0 ** -126}


def decoded(dtype, payload):
    """Elements of a float or complex tensor as float64 (a complex one as pairs), or None for other dtypes."""
    if dtype in REAL:
        return np.frombuffer(payload, REAL[dtype]).astype(np.float64)
    if dtype == "bfloat16":
        return (np.frombuffer(payload, np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return None


def distance(dtype, a, b):
    """(ulps apart, share of the largest element apart), or None where an infinity, a NaN or a zero's sign differs."""
    with np.errstate(all="ignore"):
        x, y = decoded(dtype, a), decoded(dtype, b)
        if x is None:
            return None
        if dtype in REAL_OF:  # the parts of one number are measured by its size
            real = REAL_OF[dtype]
            size = np.repeat(np.hypot(x[::2], x[1::2]), 2)
        else:
            real, size = dtype, np.abs(x)
        odd = ~(np.isfinite(x) & np.isfinite(y))
        if np.any(odd & ~((np.isnan(x) & np.isnan(y)) | (x == y))):
            return None
        x, y, size = (np.where(odd, 0, v) for v in (x, y, size))
        apart = np.abs(x - y)
        ulps = apart / (np.maximum(2.0 ** np.floor(np.log2(np.maximum(size, TINY[real]))), TINY[real]) * EPSILON[real])
        largest = max(float(np.max(size, initial=0)), TINY[real])
        most = float(np.max(apart, initial=0))
        return float(np.max(ulps, initial=0)), most / largest, most / max(largest, 1.0)


def same_but_nan(dtype, a, b):
    """Whether two payloads are one but for the bits of NaNs."""
    x, y = decoded(dtype, a), decoded(dtype, b)
    if x is None or len(a) != len(b):
        return False
    return bool(np.all((np.isnan(x) & np.isnan(y)) | ((x == y) & (np.signbit(x) == np.signbit(y)))))


def operator(statement):
    """The name of the operator that a statement is about: the outermost call, or the Python operator."""
    text = re.sub(r"^with torch\.[a-z_]+\([A-Za-z]*\): ", "", statement)
    if re.search(r"\.backward\(|autograd\.grad\(", text):
        return "backward"
    body = re.sub(r"^t\d+ = ", "", text)
    found = re.match(r"(?:torch\.(?:linalg\.|special\.)?|F\.|(?:[a-z]\w*|-?\d+\.?\d*)(?:\[\d+\])?\.)([a-zA-Z_]\w*)(\(|$)", body)
    if found:
        return found.group(1)
    found = re.match(r"t\d+(?:\[\d+\])?\[.*\] ([-+*/]?=) ", body)
    if found:
        return "[] " + found.group(1)
    found = re.search(r" (\*\*=?|//=?|<<|[-+*/%@&|^<>=!]=?) ", body)
    if found:
        return found.group(1)
    return "[]" if "[" in body else body.split("(")[0]


STATE = ("dtype", "shape", "requires_grad", "is_leaf", "grad_fn", "is_inference", "is_view", "strides", "offset", "conj", "neg",
    "version",
         "same object as", "shares memory with")


class Comparison:
    def __init__(self, program):
        self.program, self.loose, self.found, self.payloads, self.share = program, False, [], None, 0
        self.errors = self.seen = None  # of the statement at hand: both raised; the tensor that differs, in PyTorch

    def note(self, kind, at, where, karat, torch):
        difference = Difference(kind, at, where, self.program[at], karat, torch, None)
        self.found.append(difference._replace(reason=known(difference, self)))
        return self.found[-1]

    def values(self, at, where, dtype, a, b, direct):
        """Notes how two tensors' elements differ; whether the rest can still be compared."""
        if a == b:
            return True
        if isinstance(a, str) or isinstance(b, str) or len(a) != len(b):
            self.note("values", at, where, a if isinstance(a, str) else f"{len(a)} bytes", b
                if isinstance(b, str) else f"{len(b)} bytes")
            return False
        if same_but_nan(dtype, a, b):
            return True
        apart = distance(dtype, a, b)
        name = operator(self.program[at])
        allowed = ROUNDING.get(name) or ROUNDING.get(name.rstrip("_"))
        if apart and allowed and not self.loose and apart[0] <= allowed[0]:
            self.loose = True
            return True
        if apart and allowed and allowed[1] is ORDER and apart[1] <= 16 * EPSILON[REAL_OF.get(dtype, dtype)]:
            self.loose = True
            return True
        if apart and allowed and allowed[1] is NEAR_ZERO and apart[2] <= 32 * EPSILON[REAL_OF.get(dtype, dtype)]:
            self.loose = True
            return True
        if (self.loose or name == "backward") and apart and min(apart[1], apart[2]) <= self.share:
            self.loose = True
            return True
        if self.loose and apart is None and dtype not in LOOSE and dtype != "bfloat16":
            return True  # an integer, a bool or a float8 made from a value whose last digit differed
        if self.loose and "last digits differed before" not in where:
            where += " (last digits differed before)"
        self.payloads = (dtype, a, b)
        self.note("values", at, where, shown(dtype, a, b) + (f", {apart[0]:.3g} ulps, {apart[1]:.2g}" if apart else ""),
            shown(dtype, b, a))
        self.payloads = None
        return False

    def coarsest(self, ours):
        """The relative error that the least precise of the program's dtypes allows."""
        return max((LOOSE[p["dtype"]] for p in ours.values() if p["dtype"] in LOOSE), default=0)

    def pictures(self, at, ours, theirs):
        """Compares all named tensors; False at the first difference, since what follows comes of it."""
        self.share = self.coarsest(ours)
        for path in sorted(set(ours) | set(theirs), key=lambda p: (len(p), p)):
            if path not in ours or path not in theirs:
                self.note("made by one side", at, path, path in ours, path in theirs)
                return False
            a, b = ours[path], theirs[path]
            for pair, prefix in (((a, b), ""), ((a.get("grad"), b.get("grad")), "grad.")):
                x, y = pair
                if not (isinstance(x, dict) and isinstance(y, dict)):
                    if prefix and x != y:
                        self.note("grad", at, path, brief(x), brief(y))
                        return False
                    continue
                self.seen = y
                for key in STATE:
                    if x.get(key) != y.get(key):
                        self.note(prefix + key, at, path, x.get(key), y.get(key))
                        return False
                if not self.values(at, f"{path} {prefix}".strip(), x["dtype"], x["values"], y["values"], not prefix):
                    return False
        return True


def brief(gradient):
    return f"{gradient['dtype']} {gradient['shape']}" if isinstance(gradient, dict) else gradient


def shown(dtype, a, b):
    """The first element that differs."""
    x, y = decoded(dtype, a), decoded(dtype, b)
    if x is None:
        i = next(i for i in range(len(a)) if a[i] != b[i])
        return f"byte {i}: {a[max(0, i - i % 8):i - i % 8 + 8].hex()}"
    with np.errstate(all="ignore"):
        differs = np.flatnonzero(~((x == y) & (np.signbit(x) == np.signbit(y)) | (np.isnan(x) & np.isnan(y))))
    i = int(differs[0])
    return f"element {i}: {x[i]!r} ({len(differs)} of {len(x)})"


def compare(program, karat, torch, each=True):
    """The differences. Without a look after each statement nobody knows where last digits began to differ: values are then
    compared by size from the start, and to the digit when the program is run again with a look after each."""
    c = Comparison(program)
    c.loose = not each
    for at, (ours, theirs) in enumerate(zip(karat, torch)):
        c.errors = ours[0] and theirs[0]
        if bool(ours[0]) != bool(theirs[0]):
            c.note("raised by karat" if ours[0] else "raised by torch", at, "", ours[0], theirs[0])
            break
        if ours[0] and ours[0][0] != theirs[0][0]:
            c.note("error type", at, "", ours[0], theirs[0])
        elif ours[0] and ours[0] != theirs[0]:
            c.note("error text", at, "", ours[0][1], theirs[0][1])
        if ours[1] != theirs[1]:
            c.note("warnings", at, "", ours[1], theirs[1])
        if ours[2] is not None:
            if not c.pictures(at, ours[2][0], theirs[2][0]):
                break
            if ours[2][1] != theirs[2][1] and not c.loose:
                c.note("other values", at, "", *[{k: v for k, v in a[2][1].items() if v != b[2][1].get(k)} for a,
                    b in ((ours, theirs), (theirs, ours))])
                break
    return c.found


# Differences by design. Each: a test of a difference and its comparison, and the reason in a sentence.
INTEGER = {"uint8": (0, 255), "int8": (-128, 127), "int16": (-2 ** 15, 2 ** 15 - 1), "int32": (-2 ** 31, 2 ** 31 - 1),
           "int64": (-2 ** 63, 2 ** 63 - 1), "uint16": (0, 2 ** 16 - 1), "uint32": (0, 2 ** 32 - 1), "uint64": (0, 2 ** 64 - 1)}


def saturated(difference, comparison):
    """Whether Karat's elements are the ends of the range or 0 wherever an integer tensor differs."""
    if difference.kind != "values" or not comparison.payloads or comparison.payloads[0] not in INTEGER:
        return False
    dtype, a, b = comparison.payloads
    x, y = np.frombuffer(a, dtype), np.frombuffer(b, dtype)
    low, high = INTEGER[dtype]
    return bool(np.all((x == y) | (x == low) | (x == high) | (x == 0)))


def zero_signs(difference, comparison):
    """Whether elements differ in the sign of zeros alone."""
    if difference.kind != "values" or not comparison.payloads:
        return False
    x, y = (decoded(comparison.payloads[0], part) for part in comparison.payloads[1:])
    with np.errstate(all="ignore"):
        return x is not None and bool(np.all((x == y) | (np.isnan(x) & np.isnan(y))))


def beyond_range(difference, comparison):
    """Whether elements differ only where one of the sides is infinite or NaN."""
    if difference.kind != "values" or not comparison.payloads:
        return False
    x, y = (decoded(comparison.payloads[0], part) for part in comparison.payloads[1:])
    if x is None:
        return False
    with np.errstate(all="ignore"):
        return bool(np.all(~np.isfinite(x) | ~np.isfinite(y) | (np.abs(x - y) <= 1e-3 * np.abs(x))))


PRODUCTS = set("""mm bmm mv dot vdot matmul @ addmm addmv addr baddbmm addbmm inner linear kron einsum tensordot bilinear
    matrix_power
    vecdot multi_dot chain_matmul outer ger * mul multiply / div divide true_divide square addcmul addcdiv cumprod prod *= /=
        backward
    cross lerp reciprocal pow ** float_power **=""".split())
WRITTEN_PRODUCTS = {"addmm_", "addmv_", "addr_", "baddbmm_", "addbmm_"}
CHOOSING = {"relu", "relu6", "hardtanh", "clamp", "clamp_min", "clamp_max", "clip", "maximum", "minimum", "max", "min", "fmax",
    "fmin",
            "softshrink", "amax", "amin", "aminmax", "cummax", "cummin", "threshold", "scatter_reduce", "index_reduce",
                "leaky_relu"}


COMPOSED = set("""trapezoid trapz cumulative_trapezoid ldexp quantile nanquantile unbind_copy split_copy squeeze_copy
    split_with_sizes_copy
    imag conj matmul einsum corrcoef cov inner tensordot @ broadcast_tensors aminmax linear bilinear kron rsub""".split())


def op(difference):
    return operator(difference.statement)


def plain_op(difference):
    return op(difference).rstrip("_") or op(difference)


def born(difference):
    """Whether the tensor is a result of the statement itself."""
    name = re.match(r"\w+", difference.where).group(0) if difference.where else ""
    return name == "log" or re.search(rf"(^|: ){name} = ", difference.statement) is not None


def words(kind, error, text):
    return lambda d, c: d.kind == kind and d.torch and (not error or d.torch[0] == error) and re.search(text, d.torch[1])


KNOWN = [
    (lambda d, c: d.kind == "raised by torch" and d.torch[0] == "NotImplementedError" and "not implemented for '" in d.torch[1],
     "PyTorch lacks the kernel for this dtype; Karat computes (DESIGN: does better where a kernel is missing)"),
    (words("raised by torch", "RuntimeError", "does not support automatic differentiation for outputs with complex dtype"),
     "PyTorch has no complex derivative here; Karat has"),
    (words("raised by torch", "RuntimeError", "linalg.vander supports floating point, complex, and integer tensors, but got"),
     "PyTorch lacks the kernel for this dtype; Karat computes (DESIGN: does better where a kernel is missing)"),
    (words("raised by torch", "RuntimeError",
        r"cannot reshape tensor of 0 elements into shape|output with shape \[\] doesn't match the broadcast shape \[1"),
     "PyTorch fails inside on an empty operand or an empty dim=; Karat gives the result that the definition gives"),
    (lambda d, c: d.kind in ("version", "grad.version") and (d.kind == "grad.version" or born(d)),
     "the version that a new result starts with: PyTorch counts the writes that its implementation made"),
    (lambda d, c: plain_op(d) in CHOOSING and zero_signs(d, c),
     "where 0 meets -0: PyTorch's vector loop and its loop for the rest choose differently, Karat takes the first everywhere"),
    (lambda d, c: plain_op(d) in PRODUCTS and c.payloads and c.payloads[0].startswith("complex") and beyond_range(d, c),
     "complex products of infinities: which part becomes NaN depends on how a product is put together"),
    (lambda d, c: d.kind == "values" and op(d) in WRITTEN_PRODUCTS
        and len(re.findall(rf"\b{d.where.split()[0]}\b", d.statement)) > 1,
     "a product written over its own operand: PyTorch reads what it has begun to overwrite, Karat the operand as it was"),
    (lambda d, c: op(d) in ("-", "+", "rsub", "sub", "add", "log2", "log10", "log2_", "log10_", "-=", "+=") and c.payloads and
     c.payloads[0].startswith("complex") and beyond_range(d, c),
     "complex products of infinities: which part becomes NaN depends on how a product is put together"),
    (lambda d, c: d.kind == "values" and "out=" in d.statement and plain_op(d) in PRODUCTS and
     len(re.findall(rf"\\b{d.where.split()[0]}\\b", d.statement)) > 1,
     "a product written over its own operand: PyTorch reads what it has begun to overwrite, Karat the operand as it was"),
    (lambda d, c: d.kind == "values" and re.search(r"\b(t\d+)\.masked_scatter_\(t\d+, \1\)", d.statement),
     "masked_scatter_ from the tensor itself: PyTorch reads what it has begun to overwrite, Karat the source as it was"),
    (lambda d, c: plain_op(d) == "sigmoid" and c.payloads and c.payloads[0].startswith("complex") and beyond_range(d, c),
     "a complex sigmoid where e^-z overflows: PyTorch gives NaN, Karat the limit"),
    (lambda d, c: d.kind == "values" and c.errors and not born(d),
     "both refuse, and PyTorch had already written a part: Karat writes nothing"),
    (lambda d, c: d.kind in ("requires_grad", "is_leaf", "grad_fn") and c.seen
        and not re.match("float|complex|bfloat", c.seen["dtype"]),
     "PyTorch marks integers that were written from a tensor with a history as requiring a gradient; Karat's"
     " integers carry none"),
    (words("raised by torch", "RuntimeError", "Autograd not support dtype"),
     "a gradient through an integer result: Karat's integers carry none, PyTorch refuses"),
    (lambda d, c: d.kind == "requires_grad" and op(d) == "backward" and "create_graph=True" in d.statement,
     "a gradient that does not depend on the operand: PyTorch hangs it on the operand's history all the same"),
    (lambda d, c: d.kind == "raised by torch" and op(d) == "backward" and re.search(
        "Expected isFloatingType|expected scalar type|Found dtype|INTERNAL ASSERT", d.torch[1]),
     "PyTorch fails inside in a backward of mixed dtypes; Karat's conversions are recorded and have a backward"),
    (lambda d, c: d.kind == "raised by torch" and op(d) == "kron" and "view size is not compatible" in d.torch[1],
     "PyTorch fails inside on an empty operand or an empty dim=; Karat gives the result that the definition gives"),
    (lambda d, c: op(d) in ("i1", "sinc", "softsign", "tanhshrink", "hardshrink") and zero_signs(d, c),
     "the sign of a zero result of a special function"),
    (lambda d, c: plain_op(d) in ("std_mean", "var_mean") and beyond_range(d, c),
     "the mean of infinities: Karat's is infinite, PyTorch's running mean becomes NaN"),
    (lambda d, c: d.kind == "values" and op(d) in ("mode", "median", "nanmedian", "kthvalue"),
        "mode and medians: PyTorch leaves open which of equal elements' index it gives"),
    (lambda d, c: d.kind in ("strides", "grad.strides") and c.seen and 0 in c.seen["shape"],
     "strides of a tensor without elements"),
    (lambda d, c: d.kind == "grad_fn" and d.torch == "torch::autograd::NotImplemented" and d.karat,
     "Karat has a derivative where PyTorch's node says that it has none"),
    (lambda d, c: d.kind == "grad_fn" and op(d) in COMPOSED,
     "an operator put together from others: its last step, and so the name of the node, is another; gradients are compared"),
    (lambda d, c: d.kind in ("grad.grad_fn", "grad.is_view", "grad.requires_grad", "grad.is_leaf", "grad.conj")
        and "create_graph=True" in "".join(c.program),
     "with create_graph PyTorch stores a copy of the gradient, Karat the gradient itself"),
    (lambda d, c: d.kind in ("is_view", "grad.is_view") and op(d) in COMPOSED | {"backward"},
     "whether a new tensor is formally a view of an inner temporary that nobody else has"),
    (words("raised by torch", "RuntimeError", "Trying to backward through the graph a second time"),
     "what Karat walks through a second time had saved nothing; PyTorch's node is gone all the same"),
    (lambda d, c: d.kind == "raised by karat" and op(d).startswith("logical_") and "leaf Variable" in d.karat[1],
     "logical operators in place on a leaf: PyTorch forgets to refuse and loses the leaf's values' history"),
    (words("raised by torch", "RuntimeError", "INTERNAL ASSERT FAILED|Unsupported dtype Float8|without overflow"),
     "PyTorch fails inside, or has no such dtype there (float8); Karat computes"),
    (saturated, "a float beyond an integer's range, or NaN: Karat saturates and gives 0, PyTorch does what the processor does"),
]


def known(difference, comparison):
    for test, reason in KNOWN:
        if test(difference, comparison):
            return reason
    return None
