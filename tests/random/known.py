"""known.py - differences from PyTorch that are meant: each a test of a difference and the reason in a sentence.

In: a Difference of compare.py and the Comparison that found it. Out: the reason, or None where nobody has explained it.
"""

from known_autograd import AUTOGRAD
from known_errors import ERRORS
from known_states import STATES
from known_values import VALUES


def known(difference, comparison):
    for test, reason in ERRORS + STATES + VALUES + AUTOGRAD:
        if test(difference, comparison):
            return reason
    return None
