"""Convolution and attention over the edges of a graph."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class GCN(nn.Module):
    def __init__(s, i, o):
        super().__init__()
        s.w = nn.Parameter(torch.empty(i, o))
        s.b = nn.Parameter(torch.zeros(o))
        nn.init.xavier_uniform_(s.w)

    def forward(s, x, ei):
        n = x.size(0)
        loop = torch.arange(n).repeat(2, 1)
        ei = torch.cat([ei, loop], 1)
        r, c = ei
        deg = torch.zeros(n).scatter_add_(0, c, torch.ones(c.size(0)))
        d = deg.pow(-0.5)
        d[d == float("inf")] = 0
        norm = d[r] * d[c]
        h = x @ s.w
        return torch.zeros(n, h.size(1)).index_add(0, c, norm.unsqueeze(-1) * h[r]) + s.b


class GAT(nn.Module):
    def __init__(s, i, o, heads=2):
        super().__init__()
        s.lin = nn.Linear(i, o * heads, bias=False)
        s.a = nn.Parameter(torch.randn(1, heads, 2 * o) * 0.1)
        s.h, s.o = heads, o

    def forward(s, x, ei):
        h = s.lin(x).view(-1, s.h, s.o)
        r, c = ei
        e = F.leaky_relu((torch.cat([h[r], h[c]], -1) * s.a).sum(-1), 0.2)
        e = torch.exp(e - e.max())
        z = torch.zeros(x.size(0), s.h).index_add_(0, c, e)
        al = e / (z[c] + 1e-9)
        return torch.zeros(x.size(0), s.h, s.o).index_add_(0, c, al.unsqueeze(-1) * h[r]).mean(1)


x = torch.randn(10, 5)
ei = torch.randint(0, 10, (2, 30))
y = torch.randint(0, 3, (10,))
mask = torch.rand(10) < 0.6
for net in (nn.ModuleList([GCN(5, 8), GCN(8, 3)]), nn.ModuleList([GAT(5, 8), GAT(8, 3)])):
    opt = torch.optim.Adam(net.parameters(), 0.01, weight_decay=5e-4)
    for i in range(5):
        h = F.dropout(F.relu(net[0](x, ei)), 0.5, net.training)
        o = net[1](h, ei)
        l = F.nll_loss(F.log_softmax(o, 1)[mask], y[mask])
        opt.zero_grad()
        l.backward()
        opt.step()
        print(f"{l.item():.5f}", int((o.argmax(1)[mask] == y[mask]).sum()))
s = torch.zeros(3, 4).scatter_reduce(
    0, torch.tensor([[0, 1, 2, 0], [0, 1, 1, 2]]), torch.arange(8.0).view(2, 4), reduce="amax", include_self=False
)
print(s)
print(torch.unique(ei, return_counts=True), torch.bincount(ei[0], minlength=12))
