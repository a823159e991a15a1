"""known.py - differences from PyTorch that are meant: each a test of a difference and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it. Out: the reason, or None where nobody has explained it.
"""

import re

import numpy as np

from elements import decoded


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


ERRORS = [
    (lambda d, c: d.kind == "raised by torch" and d.torch[0] == "NotImplementedError" and "not implemented for '" in d.torch[1],
     "PyTorch lacks the kernel for this dtype; Karat computes (DESIGN: does better where a kernel is missing)"),
    (words("raised by torch", "RuntimeError", "does not support automatic differentiation for outputs with complex dtype"),
     "PyTorch has no complex derivative here; Karat has"),
    (words("raised by torch", "RuntimeError", "linalg.vander supports floating point, complex, and integer tensors, but got"),
     "PyTorch lacks the kernel for this dtype; Karat computes (DESIGN: does better where a kernel is missing)"),
    (words("raised by torch", "RuntimeError",
        r"cannot reshape tensor of 0 elements into shape|output with shape \[\] doesn't match the broadcast shape \[1"),
     "PyTorch fails inside on an empty operand or an empty dim=; Karat gives the result that the definition gives"),
    (words("raised by torch", "RuntimeError", "Autograd not support dtype"),
     "a gradient through an integer result: Karat's integers carry none, PyTorch refuses"),
    (lambda d, c: d.kind == "raised by torch" and op(d) == "backward" and re.search(
        "Expected isFloatingType|expected scalar type|Found dtype|INTERNAL ASSERT", d.torch[1]),
     "PyTorch fails inside in a backward of mixed dtypes; Karat's conversions are recorded and have a backward"),
    (lambda d, c: d.kind == "raised by torch" and op(d) == "kron" and "view size is not compatible" in d.torch[1],
     "PyTorch fails inside on an empty operand or an empty dim=; Karat gives the result that the definition gives"),
    (words("raised by torch", "RuntimeError", "Trying to backward through the graph a second time"),
     "what Karat walks through a second time had saved nothing; PyTorch's node is gone all the same"),
    (lambda d, c: d.kind == "raised by karat" and op(d).startswith("logical_") and "leaf Variable" in d.karat[1],
     "logical operators in place on a leaf: PyTorch forgets to refuse and loses the leaf's values' history"),
    (words("raised by torch", "RuntimeError", "INTERNAL ASSERT FAILED|Unsupported dtype Float8|without overflow"),
     "PyTorch fails inside, or has no such dtype there (float8); Karat computes"),
]

STATES = [
    (lambda d, c: d.kind in ("version", "grad.version") and (d.kind == "grad.version" or born(d)),
     "the version that a new result starts with: PyTorch counts the writes that its implementation made"),
    (lambda d, c: d.kind in ("requires_grad", "is_leaf", "grad_fn") and c.seen
        and not re.match("float|complex|bfloat", c.seen["dtype"]),
     "PyTorch marks integers that were written from a tensor with a history as requiring a gradient; Karat's"
     " integers carry none"),
    (lambda d, c: d.kind == "requires_grad" and op(d) == "backward" and "create_graph=True" in d.statement,
     "a gradient that does not depend on the operand: PyTorch hangs it on the operand's history all the same"),
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
]

VALUES = [
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
    (lambda d, c: op(d) in ("i1", "sinc", "softsign", "tanhshrink", "hardshrink") and zero_signs(d, c),
     "the sign of a zero result of a special function"),
    (lambda d, c: plain_op(d) in ("std_mean", "var_mean") and beyond_range(d, c),
     "the mean of infinities: Karat's is infinite, PyTorch's running mean becomes NaN"),
    (lambda d, c: d.kind == "values" and op(d) in ("mode", "median", "nanmedian", "kthvalue"),
        "mode and medians: PyTorch leaves open which of equal elements' index it gives"),
    (saturated, "a float beyond an integer's range, or NaN: Karat saturates and gives 0, PyTorch does what the processor does"),
]


def known(difference, comparison):
    for test, reason in ERRORS + STATES + VALUES:
        if test(difference, comparison):
            return reason
    return None
