"""opacus: differentially private training of a small network, with the accountant's epsilon, and gradients of each example."""
# pip: opacus
import warnings

import torch
from opacus import PrivacyEngine
from opacus.grad_sample import wrap_model
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
torch.manual_seed(0)
x = torch.randn(64, 1, 8, 8)
loader = DataLoader(TensorDataset(x, torch.randint(0, 4, (64,))), batch_size=16)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
engine = PrivacyEngine(accountant="rdp")
net, optimizer, loader = engine.make_private(module=net, optimizer=optimizer, data_loader=loader, noise_multiplier=1.1,
                                             max_grad_norm=1.0, poisson_sampling=True)
for step, (images, labels) in enumerate(loader):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(images), labels)
    loss.backward()
    print("loss", step, len(images), loss.item(), net._module[0].weight.grad_sample.shape[1:],
          net._module[4].weight.grad_sample.norm().item())
    optimizer.step()
print("epsilon", engine.get_epsilon(1e-5), sum(p.sum().item() for p in net.parameters()))

net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 4))
weights = wrap_model(net, grad_sample_mode="ew", batch_first=True, loss_reduction="mean")
nn.functional.cross_entropy(weights(x[:8]), torch.arange(8) % 4).backward()
print("each example", [(tuple(p.grad_sample.shape), p.grad_sample.norm().item()) for p in net.parameters()])
