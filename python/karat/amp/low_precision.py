"""low_precision.py - optimizers of parameters in 16 bits that step in float32."""

import functools

from .. import _karat

_NARROW = frozenset(_karat.dtypes[name] for name in ("bfloat16", "float16"))
_MASTER = "float32_master"
_ROUNDINGS = {"nearest": "torch", "stochastic": "stochastic"}  # as Tensor.to says
_FLOAT32 = _karat.dtypes["float32"]


class _Steps:
    """What is done around the steps of one optimizer. Between steps the parameters are narrow, during a step float32."""

    def __init__(self, masters, rounding):
        self.masters, self.rounding = masters, rounding

    def around(self, optimizer, step):
        @functools.wraps(step)
        def stepped(closure=None):
            if closure is not None:
                raise RuntimeError("step_in_float32: a closure would run with float32 parameters; step without one")
            narrow = []  # (parameter, its narrow data, its narrow gradient)
            try:
                for group in optimizer.param_groups:
                    for p in group["params"]:
                        if p.dtype in _NARROW and p.grad is not None:
                            narrow.append((p, p.data, p.grad))
                            self.widen(p, optimizer.state[p])
                result = step()
                for p, data, _ in narrow:
                    data.copy_(p.data.to(data.dtype, rounding=self.rounding))
                return result
            finally:  # of a step that failed too: the parameters are as they were
                for p, data, grad in narrow:
                    master, p.grad = p.data, None
                    p.data, p.grad = data, grad
                    if self.masters and master.dtype is _FLOAT32:
                        optimizer.state[p][_MASTER] = master

        return stepped

    @staticmethod
    def widen(p, state):
        master, grad = state.pop(_MASTER, None), p.grad
        p.grad = None
        p.data = p.data.to(_FLOAT32) if master is None else master
        p.grad = grad.to(_FLOAT32)

    def before_load(self, optimizer, state_dict):
        self.loaded = state_dict

    def after_load(self, optimizer):
        """Loading has cast the states to the parameters' dtypes, as PyTorch does: here they stay float32."""
        loaded = self.__dict__.pop("loaded")["state"]
        params = [p for group in optimizer.param_groups for p in group["params"]]
        for number, p in enumerate(params):
            for key, value in loaded.get(number, {}).items():
                if p.dtype in _NARROW and key != "step" and isinstance(value, _karat.Tensor) and value.is_floating_point():
                    optimizer.state[p][key] = value.to(p.device, _FLOAT32, copy=True)


def _widen_first_states(optimizer):
    """Adagrad has states before its first step."""
    if any(state and state.get("step") != 0 for state in optimizer.state.values()):
        raise RuntimeError("step_in_float32: the optimizer has states already; call it before the first step")
    for state in optimizer.state.values():
        state.update({key: value.to(_FLOAT32) for key, value in state.items() if value.dtype in _NARROW})


def step_in_float32(optimizer, *, masters=True, rounding="nearest"):
    """Lets an optimizer step its bfloat16 and float16 parameters in float32: its states are float32, and a small step is not
    rounded away. Returns the optimizer. Call it before the first step.

    masters: the state of each such parameter keeps a float32 copy, from which the next step goes on. Without it a step begins
    with the narrow parameter.
    rounding: how the parameters are made of the float32 result: "nearest", or "stochastic", up or down with probabilities that
    make the mean right, so that small steps add up without masters too. It draws from the default generator.

    >>> optimizer = karat.amp.step_in_float32(torch.optim.AdamW(net.bfloat16().parameters()), masters=False,
    ...                                       rounding="stochastic")
    """
    if rounding not in _ROUNDINGS:
        raise ValueError(f'step_in_float32: rounding is "nearest" or "stochastic", not {rounding!r}')
    _widen_first_states(optimizer)
    steps = _Steps(masters, _ROUNDINGS[rounding])
    optimizer.step = steps.around(optimizer, optimizer.step)
    optimizer.register_load_state_dict_pre_hook(steps.before_load)
    optimizer.register_load_state_dict_post_hook(steps.after_load)
    return optimizer
