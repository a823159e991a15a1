"""Lesson 9: a multi-layer perceptron from modules and an optimizer. Run it with: karat run 09_training_an_mlp.py

Plain PyTorch. The C course has the same program, 18_training_an_mlp.c, and both print the same losses.
"""

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BATCH, INPUTS, HIDDEN = 50, 64, 8, 32

torch.manual_seed(9)

# The target is a smooth function of eight numbers, with some noise.
x = torch.randn(512, INPUTS)
y = torch.sin(x[:, :1] * 2) + x[:, 1:2] * x[:, 2:3] + torch.randn(512, 1) * 0.05

model = nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
print(model)

losses = []
for step in range(STEPS):
    batch = torch.randint(0, len(x), (BATCH,))
    optimizer.zero_grad()
    loss = F.mse_loss(model(x[batch]), y[batch])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    print(f"step {step:2d}  loss {losses[-1]:.6f}")

assert sum(losses[-5:]) < 0.5 * sum(losses[:5])
