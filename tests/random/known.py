"""known.py - differences from PyTorch that are meant: each a test of a difference and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it. Out: the reason, or None where nobody has explained it.
"""

import copy

from known_autograd import AUTOGRAD
from known_errors import ERRORS
from known_states import STATES
from known_values import VALUES
from statement import call_inside

SAID = {"raised by karat", "raised by torch", "error text", "error type", "warnings"}
KNOWN = ERRORS + STATES + VALUES + AUTOGRAD


def seen_alone(difference, comparison):
    """The difference as that of the call which a transform was given: what is meant there is meant here. Elements are those of
    the call in a vmap alone, in all other transforms those of its gradient."""
    inside = call_inside(difference.statement)
    if inside and (difference.kind in SAID or difference.kind == "values" and "torch.func." not in difference.statement):
        yield difference._replace(statement=inside), comparison
    if inside and (difference.kind in SAID or difference.kind == "values") and "torch.func." in difference.statement:
        alone = copy.copy(comparison)
        alone.program = [inside, "t0 = torch.autograd.grad(t0.sum(), [t0])"]
        yield difference._replace(statement=alone.program[-1], at=1, where="t0"), alone


def known(difference, comparison):
    for d, c in ((difference, comparison), *seen_alone(difference, comparison)):
        for test, reason in KNOWN:
            if test(d, c):
                return reason
    return None
