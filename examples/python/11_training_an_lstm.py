"""Lesson 11: a recurrent network. Run it with: karat run 11_training_an_lstm.py

Plain PyTorch. The C course has the same program, 20_training_an_lstm.c, and both print the same losses.
"""

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BATCH, LENGTH, HIDDEN = 50, 32, 20, 24

torch.manual_seed(11)


def waves(n):
    """n sine waves, each with a frequency and a phase of its own: [n, LENGTH + 1, 1]."""
    time = torch.arange(LENGTH + 1, dtype=torch.float32)
    frequency, phase = torch.rand(n, 1) * 0.5 + 0.2, torch.rand(n, 1) * 6
    return torch.sin(time * frequency + phase).unsqueeze(2)


class Predictor(nn.Module):
    """The next element of a sequence, after each of its elements."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, HIDDEN, num_layers=2, batch_first=True)
        self.head = nn.Linear(HIDDEN, 1)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.head(states)


model = Predictor()
optimizer = torch.optim.Adamax(model.parameters(), lr=2e-2)
print(model)

losses = []
for step in range(STEPS):
    wave = waves(BATCH)
    optimizer.zero_grad()
    loss = F.mse_loss(model(wave[:, :-1]), wave[:, 1:])
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
    print(f"step {step:2d}  loss {losses[-1]:.6f}")

assert sum(losses[-5:]) < 0.3 * sum(losses[:5])
