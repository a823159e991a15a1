"""_selective.py - selective checkpoints: of a checkpointed function the results of some operators are kept, so that its second
run takes them from there. The engine shows each operator's call (_karat.watch_calls); a policy says which results are kept."""

import enum

from .. import _karat
from .._ops import OpOverload, ops

_Tensor = _karat.Tensor


class CheckpointPolicy(enum.Enum):
    """What becomes of an operator's results. Without a compiler MUST and PREFER are the same."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
_OFFLOADED = (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD)
_FREE = frozenset(["alias", "detach"])  # not asked for: nothing is computed


class SelectiveCheckpointContext:
    """The first argument of a policy."""

    def __init__(self, *, is_recompute):
        self.is_recompute = is_recompute


_overloads = {}  # (row, in place): PyTorch's overloads that it serves


_TAKES_NUMBERS = frozenset("add sub mul div".split())  # PyTorch makes a number beside a tensor a tensor for these


def _fits(overload, args):
    """Has the overload tensors where the arguments are tensors?"""
    if overload._overloadpacket.__name__.rstrip("_") in _TAKES_NUMBERS:
        return True
    return all(isinstance(value, _Tensor) == (one.type == "Tensor") for value, one in zip(args, overload._schema.arguments)
               if value is not None and one.type in ("Tensor", "number"))


def _overload(row, schema, in_place, args):
    """torch.ops' operator of a row's call; None: PyTorch has none of its own."""
    key = row, in_place
    if key not in _overloads:
        if "::" in row:
            space, _, name = row.partition("::")
            name, _, overload = name.partition(".")
            return getattr(getattr(getattr(ops, space), name), overload or "default")
        name = schema.partition("(")[0].partition(".")[0] + ("_" if in_place else "")
        packet = getattr(ops.aten, name, None)
        found = [getattr(packet, one) for one in packet.overloads()] if packet else []
        own = [one for one in found if getattr(one._op, "row", None) == row]
        _overloads[key] = [one for one in own or found if not any(arg.is_out for arg in one._schema.arguments)]
    return next((one for one in _overloads[key] if _fits(one, args)), next(iter(_overloads[key]), None))


class _Watching:
    """A context in which operators are shown to `see`."""

    def __init__(self, policy, kept):
        self.policy, self.kept = policy, kept

    def __enter__(self):
        _karat.watch_calls(self.see)
        return self

    def __exit__(self, *_error):
        _karat.unwatch_calls()

    def see(self, row, schema, in_place, args, kwargs, results):
        if row in _FREE or (results is not None) == self.recompute:
            return None
        op = _overload(row, schema, in_place, args)
        if op is None:
            return None
        policy = self.policy(SelectiveCheckpointContext(is_recompute=self.recompute), op, *args, **kwargs)
        if isinstance(policy, bool):
            policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
        return self.meet(op, policy, results) if policy in _KEPT or policy in _OFFLOADED else None


class _Keeping(_Watching):
    """The first run: results are kept, with their versions."""

    recompute = False

    def meet(self, op, policy, results):
        with _unwatched():
            values = [one.detach() for one in results]
            if policy in _OFFLOADED:
                values = [one.cpu() for one in values]
        devices = [one.device for one in results]
        self.kept.setdefault(op, []).append([(one, one._version, device) for one, device in zip(values, devices)])


class _Using(_Watching):
    """The second run: results that were kept are taken, once."""

    recompute = True

    def __init__(self, policy, kept, mutable):
        super().__init__(policy, kept)
        self.mutable = mutable

    def meet(self, op, policy, results):
        if op not in self.kept:
            raise RuntimeError(f"{op} encountered during backward, but not found in storage")
        if not self.kept[op]:
            raise RuntimeError("Trying to backward an extra time. You are only allowed to backward once on any region computed "
                               "under selective activation checkpoint.")
        found = []
        for one, version, device in self.kept[op].pop(0):
            if one._version != version and not self.mutable:
                raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
            with _unwatched():
                found.append(one.detach() if one.device == device else one.to(device))
        return tuple(found)


class _unwatched:
    """What is done with results is not shown: no operator is recorded."""

    def __enter__(self):
        self.mode = _karat.is_grad_enabled()
        _karat.set_grad(False)

    def __exit__(self, *_error):
        _karat.set_grad(self.mode)


def _policy(given):
    """A policy as it is; of a list of operators, the one that keeps the results of those."""
    if not isinstance(given, list):
        if callable(given):
            return given
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    for wrong in (one for one in given if not isinstance(one, OpOverload)):
        hint = ("Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, "
                "change it to `torch.ops.aten.mm.default`.")
        raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {wrong} of type {type(wrong)}. "
                         f"{hint if hasattr(wrong, 'overloads') else ''}")
    saved = frozenset(given)
    return lambda ctx, op, *args, **kwargs: op in saved


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False):
    """For context_fn of checkpoint(): two contexts, in which the results of operators are kept, and taken.

    policy_fn_or_list: policy_fn(ctx, op, *args, **kwargs) gives a CheckpointPolicy for a call of torch.ops' operator op; or a
    list of the operators whose results are kept."""
    policy, kept = _policy(policy_fn_or_list), {}
    return _Keeping(policy, kept), _Using(policy, kept, allow_cache_entry_mutation)
