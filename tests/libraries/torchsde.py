"""torchsde: a stochastic differential equation with a learned drift, solved and trained."""
# pip: torchsde
import torch
import torchsde
from torch import nn

torch.manual_seed(0)


class SDE(nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift, self.diffusion = nn.Linear(3, 3), nn.Linear(3, 3)

    def f(self, t, y):
        return torch.tanh(self.drift(y))

    def g(self, t, y):
        return torch.sigmoid(self.diffusion(y))


sde = SDE()
optimizer = torch.optim.Adam(sde.parameters(), lr=1e-2)
times = torch.linspace(0, 1, 10)
for step in range(3):
    noise = torchsde.BrownianInterval(t0=0.0, t1=1.0, size=(4, 3), entropy=step,
                                      levy_area_approximation="space-time")
    paths = torchsde.sdeint(sde, torch.full((4, 3), 0.1), times, bm=noise, method="srk" if step == 0 else "euler", dt=0.05)
    loss = paths.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", step, paths.shape, loss.item(), sde.drift.weight.grad.sum().item())
