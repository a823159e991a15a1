"""Lesson 6: a classifier, trained with cross-entropy on mini-batches. Run it with: karat run 06_classifier.py

Plain PyTorch, without modules: two layers written out. Three classes of points lie on the arms of a spiral.
"""

import math

import torch
import torch.nn.functional as F

torch.manual_seed(0)

# 3 arms x 100 points, 2 coordinates each
radius = torch.linspace(0.1, 1.0, 100).repeat(3)
label = torch.arange(3).repeat_interleave(100)
angle = label * (2 * math.pi / 3) + radius * 3 + torch.randn(300) * 0.1
points = torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1)

hidden = torch.randn(2, 32).requires_grad_()
hidden_bias = torch.zeros(32, requires_grad=True)
output = (torch.randn(32, 3) * 0.2).requires_grad_()
output_bias = torch.zeros(3, requires_grad=True)
parameters = [hidden, hidden_bias, output, output_bias]


def scores_of(batch):
    return torch.relu(batch @ hidden + hidden_bias) @ output + output_bias


for epoch in range(60):
    order = torch.randperm(300)
    for batch in order.split(32):
        loss = F.cross_entropy(scores_of(points[batch]), label[batch])
        gradients = torch.autograd.grad(loss, parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients):
                parameter -= 0.3 * gradient
    if epoch % 20 == 0:
        print(f"epoch {epoch:2d}  loss of the last batch {loss.item():.3f}")

with torch.no_grad():
    right = (scores_of(points).argmax(1) == label).sum().item()
print(f"{right} of 300 points in their class")
assert right >= 285
