"""Gradients beside central differences in float64: gradcheck and gradgradcheck of a function of leaves."""

import karat as torch

STEP = 1e-6


def weights(t, seed):
    """A number for each element, none of them alike."""
    return (torch.arange(t.numel(), dtype=torch.float64) * 0.7 + seed).cos().reshape(t.shape)


def _value(f, leaves):
    y = f(*leaves)
    return (y * weights(y, 0.3)).sum()


def _compare(value, leaves, grads, bound):
    with torch.enable_grad():
        for k, (leaf, grad) in enumerate(zip(leaves, grads)):
            flat, made = leaf.detach().reshape(-1), grad.detach().reshape(-1).tolist()
            for i in range(flat.numel()):
                ends = []
                for sign in (1, -1):
                    moved = flat.clone()
                    moved[i] += sign * STEP
                    there = [moved.reshape(leaf.shape).requires_grad_() if j == k else other for j, other in enumerate(leaves)]
                    ends.append(value(*there).item())
                want = (ends[0] - ends[1]) / (2 * STEP)
                assert abs(made[i] - want) <= bound * (1 + abs(want)), (k, i, made[i], want)
    return True


def gradcheck(f, leaves, bound=1e-5):
    leaves = leaves if isinstance(leaves, tuple) else (leaves,)
    grads = torch.autograd.grad(_value(f, leaves), leaves)
    return _compare(lambda *x: _value(f, x), leaves, grads, bound)


def gradgradcheck(f, leaves, bound=1e-4):
    leaves = leaves if isinstance(leaves, tuple) else (leaves,)

    def slope(*x):
        grads = torch.autograd.grad(_value(f, x), x, create_graph=True)
        return sum((g * weights(g, 1.1 + i)).sum() for i, g in enumerate(grads))

    return _compare(slope, leaves, torch.autograd.grad(slope(*leaves), leaves), bound)
