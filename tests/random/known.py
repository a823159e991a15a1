"""known.py - differences from PyTorch that are meant: each a test of a difference and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it. Out: the reason, or None where nobody has explained it.
"""

import re

from known_states import STATES
from known_values import VALUES
from statement import op


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


def known(difference, comparison):
    for test, reason in ERRORS + STATES + VALUES:
        if test(difference, comparison):
            return reason
    return None
