"""Ensembles, gradients of each sample and Jacobians with torch.func."""
import torch
import torch.nn as nn
import copy
from torch.func import (
    functional_call,
    stack_module_state,
    vmap,
    grad,
    grad_and_value,
    jacrev,
    jacfwd,
    hessian,
    vjp,
    jvp,
)

torch.manual_seed(0)


class MLP(nn.Module):
    def __init__(s):
        super().__init__()
        s.fc1 = nn.Linear(4, 8)
        s.fc2 = nn.Linear(8, 3)

    def forward(s, x):
        return s.fc2(torch.tanh(s.fc1(x)))


models = [MLP() for _ in range(3)]
params, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
f = lambda p, b, x: functional_call(base, (p, b), (x,))
x = torch.randn(5, 4)
out = vmap(f, (0, 0, None))(params, buffers, x)
print(out.shape, torch.allclose(out[1], models[1](x), atol=1e-6))
m = models[0]
p = {k: v.detach() for k, v in m.named_parameters()}


def loss(p, x, y):
    return nn.functional.cross_entropy(functional_call(m, p, (x.unsqueeze(0),)), y.unsqueeze(0))


y = torch.randint(0, 3, (5,))
g = vmap(grad(loss), (None, 0, 0))(p, x, y)
print({k: (v.shape, round(v.sum().item(), 5)) for k, v in g.items()})
gv = vmap(grad_and_value(loss), (None, 0, 0))(p, x, y)
print(gv[1])
print(
    jacrev(lambda x: m(x))(x[0]).shape,
    torch.allclose(jacrev(m)(x[0]), jacfwd(m)(x[0]), atol=1e-6),
    hessian(lambda x: m(x).pow(2).sum())(x[0]).shape,
)
o, vf = vjp(m, x[0])
print(vf(torch.ones(3))[0].detach())
print(jvp(m, (x[0],), (torch.ones(4),))[1].detach())


def inner(p, x, y, lr=0.1):
    g = grad(lambda p: nn.functional.mse_loss(functional_call(m, p, (x,)), y))(p)
    return {k: p[k] - lr * g[k] for k in p}


def meta(p, xs, ys):
    return torch.stack(
        [nn.functional.mse_loss(functional_call(m, inner(p, a, b), (a,)), b) for a, b in zip(xs, ys)]
    ).mean()


xs, ys = torch.randn(3, 4, 4), torch.randn(3, 4, 3)
mg, mv = grad_and_value(meta)(p, xs, ys)
print(mv, {k: round(v.norm().item(), 5) for k, v in mg.items()})
print(
    vmap(lambda a, b: a @ b)(torch.ones(2, 3, 4), torch.ones(2, 4)).shape,
    vmap(torch.dot, in_dims=(1, None), out_dims=0)(torch.ones(3, 2), torch.ones(3)),
)
