"""L-BFGS: steps by an estimate of the second derivatives, with a line search that meets the strong conditions of Wolfe.

The function is evaluated by the user's closure, so that the search is here; what is made of vectors is in the operators _lbfgs_*.
"""

from .. import Tensor, enable_grad, no_grad, ones
from ._steps import _lbfgs_direction, _lbfgs_flat, _lbfgs_move_, _lbfgs_pair
from .optimizer import Optimizer, _check_lr, _to_scalar

__all__ = ["LBFGS"]


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """Where the cubic through two points with these slopes has its minimum, between the bounds."""
    low, high = bounds if bounds is not None else (min(x1, x2), max(x1, x2))
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    d2 = square ** 0.5
    if x1 <= x2:
        lowest = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        lowest = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(lowest, low), high)


class _Point:
    """A place on the line: how far, the loss, the gradient, and its slope along the line."""

    def __init__(self, t, f, g, gtd):
        self.t, self.f, self.g, self.gtd = t, f, g, gtd


def _strong_wolfe(evaluate, t, reach, start, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """A point that lowers the loss enough and is flat enough, and how many evaluations it took.

    evaluate(t): the point at t. reach: the largest element of the direction. start: the point at 0.
    """

    def is_high(point, than):
        return point.f > start.f + c1 * point.t * start.gtd or (than is not None and point.f >= than.f)

    previous, point, evaluations, done, steps, bracket = start, evaluate(t), 1, False, 0, None
    while steps < max_ls:
        if is_high(point, previous if steps > 1 else None):
            bracket = [previous, point]
            break
        if abs(point.gtd) <= -c2 * start.gtd:
            bracket, done = [point], True
            break
        if point.gtd >= 0:
            bracket = [previous, point]
            break
        least, most = point.t + 0.01 * (point.t - previous.t), point.t * 10
        next_t = _cubic_interpolate(previous.t, previous.f, previous.gtd, point.t, point.f, point.gtd, (least, most))
        previous, point = point, evaluate(next_t)
        evaluations += 1
        steps += 1
    if steps == max_ls:
        bracket = [start, point]
    stalled = False
    low, high = (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)
    while not done and steps < max_ls:
        if abs(bracket[1].t - bracket[0].t) * reach < tolerance_change:
            break
        t = _cubic_interpolate(bracket[0].t, bracket[0].f, bracket[0].gtd, bracket[1].t, bracket[1].f, bracket[1].gtd)
        left, right = min(one.t for one in bracket), max(one.t for one in bracket)
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:
            if stalled or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stalled = False
            else:
                stalled = True
        else:
            stalled = False
        point = evaluate(t)
        evaluations += 1
        steps += 1
        if is_high(point, bracket[low]):
            bracket[high] = point
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
        else:
            if abs(point.gtd) <= -c2 * start.gtd:
                done = True
            elif point.gtd * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = point
    return bracket[low if len(bracket) > 1 else 0], evaluations


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
        self._numel_cache = None

    def _numel(self):
        if self._numel_cache is None:
            self._numel_cache = sum(2 * p.numel() if p.is_complex() else p.numel() for p in self._params)
        return self._numel_cache

    def _gather_flat_grad(self):
        return _lbfgs_flat(self._params, [p.grad for p in self._params])

    def _add_grad(self, step_size, direction):
        _lbfgs_move_(self._params, direction, step_size)

    def _search(self, closure, t, d, loss, flat_grad, gtd, most):
        start_values = [p.clone() for p in self._params]

        def go_back():
            for p, value in zip(self._params, start_values):
                p.copy_(value)

        def evaluate(at):
            self._add_grad(at, d)
            value = float(closure())
            grad = self._gather_flat_grad()
            go_back()
            return _Point(at, value, grad, grad.dot(d).item())

        return _strong_wolfe(evaluate, t, d.abs().max().item(), _Point(0, loss, flat_grad.clone(), gtd), max_ls=most)

    @no_grad()
    def step(self, closure):
        """Perform a single optimization step."""
        closure = enable_grad()(closure)
        group = self.param_groups[0]
        lr, state = _to_scalar(group["lr"]), self.state[self._params[0]]
        line_search_fn, most, tolerance_change = group["line_search_fn"], group["max_iter"], group["tolerance_change"]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def is_flat(grad):
            return grad.abs().max().item() <= group["tolerance_grad"]

        first_loss = closure()
        loss, evaluations = float(first_loss), 1
        state["func_evals"] += 1
        flat_grad = self._gather_flat_grad()
        if is_flat(flat_grad):
            return first_loss
        d, t, previous, previous_loss = (state.get(key) for key in ("d", "t", "prev_flat_grad", "prev_loss"))
        dirs, steps, ro, diagonal = (state.get(key) for key in ("old_dirs", "old_stps", "ro", "H_diag"))
        for n_iter in range(1, most + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, dirs, steps, ro, diagonal = flat_grad.neg(), [], [], [], 1
            else:
                y, s, ys, yy = _lbfgs_pair(flat_grad, previous, d, _to_scalar(t))
                if ys.item() > 1e-10:
                    if len(dirs) == group["history_size"]:
                        for history in (dirs, steps, ro):
                            history.pop(0)
                    dirs.append(y)
                    steps.append(s)
                    ro.append(ys.reciprocal())
                    diagonal = ys.div(yy)
                state.setdefault("al", [None] * group["history_size"])  # PyTorch keeps shares there
                scale = diagonal if isinstance(diagonal, Tensor) else ones((), dtype=flat_grad.dtype, device=flat_grad.device)
                d = _lbfgs_direction(flat_grad, dirs, steps, ro, scale)
            previous, previous_loss = flat_grad.clone(), loss
            t = min(1.0, 1.0 / flat_grad.abs().sum().item()) * lr if state["n_iter"] == 1 else lr
            gtd = flat_grad.dot(d).item()
            if gtd > -tolerance_change:
                break
            if line_search_fn is not None and line_search_fn != "strong_wolfe":
                raise RuntimeError("only 'strong_wolfe' is supported")
            flat, more = False, 0
            if line_search_fn is not None:
                point, more = self._search(closure, t, d, loss, flat_grad, gtd, min(25, group["max_eval"] - evaluations))
                loss, flat_grad, t = point.f, point.g, point.t
                self._add_grad(t, d)
                flat = is_flat(flat_grad)
            else:
                self._add_grad(t, d)
                if n_iter != most:
                    loss = float(closure())
                    flat_grad = self._gather_flat_grad()
                    flat, more = is_flat(flat_grad), 1
            evaluations += more
            state["func_evals"] += more
            if n_iter == most or evaluations >= group["max_eval"] or flat:
                break
            if d.abs().max().item() * abs(t) <= tolerance_change or abs(loss - previous_loss) < tolerance_change:
                break
        state.update(d=d, t=t, old_dirs=dirs, old_stps=steps, ro=ro, H_diag=diagonal, prev_flat_grad=previous,
                     prev_loss=previous_loss)
        return first_loss
