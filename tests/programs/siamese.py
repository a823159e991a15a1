"""Embeddings by triplets, cosines and contrast."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Sequential(nn.Conv2d(1, 4, 3), nn.PReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 8))

    def forward(self, x):
        return F.normalize(self.c(x), dim=1)


m = Net()
opt = torch.optim.Adagrad(m.parameters(), 0.05)
for name, crit in (
    ("triplet", nn.TripletMarginLoss(margin=0.5, swap=True)),
    ("tripd", nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b))),
):
    for i in range(4):
        a, p, n = (torch.randn(6, 1, 8, 8) for _ in range(3))
        l = crit(m(a), m(p), m(n))
        opt.zero_grad()
        l.backward()
        opt.step()
        print(name, f"{l.item():.5f}")
crit = nn.CosineEmbeddingLoss(0.2)
l = crit(m(a), m(p), torch.tensor([1, -1, 1, -1, 1, -1]))
print(l.item())
print(
    F.pairwise_distance(m(a), m(p))[:3],
    torch.cdist(m(a), m(n)).argmin(1),
    nn.MarginRankingLoss(0.1)(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 1.0]), torch.tensor([1.0, 1.0])),
)
z = F.normalize(torch.cat([m(a), m(p)]))
sim = z @ z.T / 0.5
sim.fill_diagonal_(-9e15)
t = torch.arange(12).roll(6)
print(F.cross_entropy(sim, t).item())
