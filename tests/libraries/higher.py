"""higher: MAML's inner loop, differentiated through its steps."""
# pip: higher
import higher
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
outer, inner = torch.optim.Adam(net.parameters(), lr=1e-3), torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9)
for step in range(5):
    x, phase = torch.rand(16, 1) * 6 - 3, torch.rand(1) * 3
    y = torch.sin(x + phase)
    outer.zero_grad()
    with higher.innerloop_ctx(net, inner, copy_initial_weights=False) as (fast, optimizer):
        for _ in range(3):
            optimizer.step(F.mse_loss(fast(x), y))
        loss = F.mse_loss(fast(x + 0.1), torch.sin(x + 0.1 + phase))
        loss.backward()
    outer.step()
    print("loss", step, loss.item(), net[0].weight.grad.sum().item())
