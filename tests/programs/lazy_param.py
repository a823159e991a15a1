"""Lazy layers, parametrizations, pruning."""
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as P
from torch.nn.utils import prune, parametrizations as PZ

torch.manual_seed(0)
m = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(5))
print(m)
print(m[0].weight)
y = m(torch.randn(2, 3, 6, 6))
print(m, y.shape, y.sum().item())


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)

    def right_inverse(self, A):
        return A.triu()


l = nn.Linear(3, 3)
P.register_parametrization(l, "weight", Sym())
print(
    l,
    torch.allclose(l.weight, l.weight.T),
    l.parametrizations.weight.original.shape,
    P.is_parametrized(l),
    list(l.state_dict()),
)
opt = torch.optim.SGD(l.parameters(), 0.1)
for i in range(3):
    loss = l(torch.ones(2, 3)).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.5f}")
with P.cached():
    print(l.weight is l.weight)
l.weight = torch.eye(3)
print(l.weight)
P.remove_parametrizations(l, "weight")
print(l, l.weight)
w = PZ.weight_norm(nn.Linear(4, 2))
print(w, w.parametrizations.weight.original0.shape)
s = PZ.spectral_norm(nn.Linear(4, 3))
s(torch.ones(1, 4))
print(torch.linalg.svdvals(s.weight.detach())[0] < 1.5)
o = PZ.orthogonal(nn.Linear(3, 3))
print((o.weight @ o.weight.T - torch.eye(3)).abs().max() < 1e-5)
c = nn.Linear(4, 3)
prune.l1_unstructured(c, "weight", amount=0.5)
print(c.weight_mask, list(dict(c.named_parameters())), list(dict(c.named_buffers())), len(c._forward_pre_hooks))
prune.random_unstructured(c, "bias", amount=1)
print(c.bias)
prune.ln_structured(c, "weight", amount=1, n=2, dim=0)
print((c.weight == 0).sum())
prune.remove(c, "weight")
print(list(dict(c.named_parameters())), prune.is_pruned(c))
n = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
prune.global_unstructured([(n[0], "weight"), (n[1], "weight")], pruning_method=prune.L1Unstructured, amount=0.3)
print(sum((x.weight == 0).sum() for x in n))
old = torch.nn.utils.weight_norm(nn.Linear(2, 2), name="weight")
print(old.weight_g.shape, old(torch.ones(1, 2)).shape, old)
