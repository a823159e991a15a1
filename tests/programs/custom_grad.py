"""Functions with gradients of their own, checkpoints, second derivatives, saved tensors that are packed."""
import torch
import torch.nn as nn
from torch.autograd import Function, gradcheck
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)


class STE(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return torch.round(x * scale) / scale

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1).to(g.dtype), None


class GradReverse(Function):
    @staticmethod
    def forward(ctx, x, l):
        ctx.l = l
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.l, None


class QLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(STE.apply(x, 16), STE.apply(self.weight, 16), self.bias)


m = nn.Sequential(QLinear(6, 8), nn.ReLU(), QLinear(8, 2))
d = nn.Linear(2, 1)
opt = torch.optim.SGD([*m.parameters(), *d.parameters()], 0.1)
for i in range(5):
    h = m(torch.randn(4, 6))
    l = h.pow(2).mean() + nn.functional.binary_cross_entropy_with_logits(
        d(GradReverse.apply(h, 0.5)), torch.ones(4, 1)
    )
    opt.zero_grad()
    l.backward()
    opt.step()
    print(f"{l.item():.6f}", f"{m[0].weight.grad.norm().item():.6f}")
x = torch.randn(3, 6, requires_grad=True)
print(gradcheck(lambda a: GradReverse.apply(a, -1.0), (x.double().detach().requires_grad_(),)))
y = checkpoint(m, x, use_reentrant=False)
y.sum().backward()
g1 = x.grad.clone()
x.grad = None
checkpoint_sequential(m, 2, x, use_reentrant=False).sum().backward()
print(torch.equal(g1, x.grad))
a = torch.tensor([1.0, 2.0], requires_grad=True)
(g,) = torch.autograd.grad((a**3).sum(), a, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), a)
print(g, h)
print(torch.autograd.functional.hessian(lambda t: (t**3).sum(), torch.tensor([1.0, 2.0])))
with torch.autograd.set_detect_anomaly(True):
    try:
        torch.sqrt(torch.tensor(-1.0, requires_grad=True)).backward()
    except RuntimeError as e:
        print(str(e).splitlines()[0])
with torch.autograd.graph.save_on_cpu():
    (a * a).sum().backward()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
    (a * a).sum().backward()
print(a.grad)
