"""errors.py - the attribute `karat` of exceptions: the error as data.

Every exception that the engine raises, and every TypeError and IndexError of a call's arguments, has it:

    try:
        loss = data @ weight
    except RuntimeError as e:
        e.karat["op"]                            # "matmul"
        e.karat["file"], e.karat["line"]         # of the call
        for operand in e.karat["operands"]:
            operand["name"], operand["dtype"], operand["shape"], operand["lineage"]
        for fix in e.karat["fixes"]:
            fix["text"], fix["can_lose_values"]  # "other.float()", False

The classes below are the types of these dicts.
"""

from typing import List, Literal, Optional, TypedDict

from . import Size, dtype

LineageRecord = TypedDict("LineageRecord", {
    "why": str,               # "born", "explicit" (a cast), "promotion", "scalar", "result", "assign", ...
    "op": Optional[str],      # operator or source: "ones", "half", "add"
    "from": Optional[dtype],  # None where the dtype was created
    "to": dtype,
    "file": Optional[str],
    "line": int,
})


class Operand(TypedDict):
    """One operand of the call that failed. A Python number has no dtype, no shape and no lineage."""

    name: str  # of the parameter; of a list of tensors "tensors[1]", of a target "out"
    dtype: Optional[dtype]
    shape: Optional[Size]
    lineage: List[LineageRecord]  # oldest first


class Fix(TypedDict):
    """One change after which the call is accepted; it was tried on the meta device before it was proposed."""

    action: Literal["cast", "make", "out_of_place", "dtype", "policy"]
    operands: List[str]  # cast: convert these to dtype; make: create these with dtype
    dtype: Optional[dtype]  # of cast and make; dtype: pass dtype=
    policy: Optional[str]  # policy: run the call under karat.policy(...)
    can_lose_values: bool  # fixes that keep every value come first
    text: str  # as in the message


class Mistake(TypedDict):
    """e.karat"""

    op: Optional[str]  # the operator that the user called; None: none (backward, item)
    file: Optional[str]  # of the call; None: not called from user code
    line: int
    operands: List[Operand]
    module: Optional[str]  # the path of the layer in which it happened, "" for a model itself; None: outside of modules
    fixes: List[Fix]  # empty where dtypes are not the problem, or no single change helps
