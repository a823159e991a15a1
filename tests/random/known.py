"""known.py - differences from PyTorch that are meant: each a test of a difference and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it. Out: the reason, or None where nobody has explained it.
"""

import re

from known_values import VALUES
from statement import born, op


COMPOSED = set("""trapezoid trapz cumulative_trapezoid ldexp quantile nanquantile unbind_copy split_copy squeeze_copy
    split_with_sizes_copy
    imag conj matmul einsum corrcoef cov inner tensordot @ broadcast_tensors aminmax linear bilinear kron rsub""".split())


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

def known(difference, comparison):
    for test, reason in ERRORS + STATES + VALUES:
        if test(difference, comparison):
            return reason
    return None
