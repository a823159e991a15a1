"""torchdiffeq: a spiral fitted by a neural ODE, dopri5 and rk4, with the adjoint method."""
# pip: torchdiffeq
# tolerance: 1e-3
import torch
from torch import nn
from torchdiffeq import odeint, odeint_adjoint

torch.manual_seed(0)
times = torch.linspace(0.0, 4.0, 30)
true = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


class True_(nn.Module):
    def forward(self, t, y):
        return torch.mm(y**3, true)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))

    def forward(self, t, y):
        return self.net(y**3)


start = torch.tensor([[2.0, 0.0]])
with torch.no_grad():
    target = odeint(True_(), start, times, method="dopri5")
print("true", target.shape, target.sum().item())
net = Net()
optimizer = torch.optim.RMSprop(net.parameters(), lr=1e-3)
for step in range(4):
    optimizer.zero_grad()
    solve = odeint_adjoint if step % 2 else odeint
    made = solve(net, start, times, method="rk4" if step < 2 else "dopri5", rtol=1e-4, atol=1e-5)
    loss = (made - target).abs().mean()
    loss.backward()
    optimizer.step()
    print("loss", step, loss.item(), sum(p.grad.abs().sum().item() for p in net.parameters()))
