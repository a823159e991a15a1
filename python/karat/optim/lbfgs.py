"""L-BFGS: steps by an estimate of the second derivatives, with a line search that meets the strong conditions of Wolfe.

The step is in C (src/optim/lbfgs.c); it calls the user's closure. This file keeps its state under PyTorch's names.
"""

from .. import Tensor, _karat, no_grad
from .optimizer import Optimizer, _check_lr, _plain

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """L-BFGS. step needs a closure, which it calls several times; one group of parameters only."""

    def __init__(self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
                 line_search_fn=None):
        _check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, dict(lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad,
                                      tolerance_change=tolerance_change, history_size=history_size,
                                      line_search_fn=line_search_fn))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _numbers(self, group):
        return (_plain(group["lr"]), group["tolerance_grad"], group["tolerance_change"], group["max_iter"], group["max_eval"],
                group["history_size"], group["line_search_fn"] is not None)

    @no_grad()
    def step(self, closure):
        """Perform a single optimization step."""
        group, state, losses = self.param_groups[0], self.state[self._params[0]], []
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def evaluate():
            loss = closure()
            if not losses:
                losses.append(loss)
            return loss.item() if isinstance(loss, Tensor) else float(loss)

        kept = [state.get(key) for key in ("d", "prev_flat_grad", "H_diag")]
        histories = [list(state.get(key, ())) for key in ("old_dirs", "old_stps", "ro")]
        before = state["n_iter"]
        made = _karat.lbfgs_step(evaluate, self._params, self._numbers(group),
                                 (state["func_evals"], before, float(state.get("t", 0.0)), float(state.get("prev_loss", 0.0)),
                                  *(None if isinstance(one, (int, float)) else one for one in kept), *histories))
        state["func_evals"], state["n_iter"], t, prev_loss, d, previous, diagonal, dirs, steps, ro = made
        if state["n_iter"] > before:
            if state["n_iter"] > 1:
                state.setdefault("al", [None] * group["history_size"])  # PyTorch keeps shares there
            state.update(d=d, t=t, old_dirs=dirs, old_stps=steps, ro=ro, H_diag=1 if diagonal is None else diagonal,
                         prev_flat_grad=previous, prev_loss=prev_loss)
        return losses[0]
