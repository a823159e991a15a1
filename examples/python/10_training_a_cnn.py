"""Lesson 10: a convolutional network. Run it with: karat run 10_training_a_cnn.py

Plain PyTorch. The C course has the same program, 19_training_a_cnn.c, and both print the same losses.
"""

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BATCH, CLASSES, SIDE = 50, 32, 4, 12

torch.manual_seed(10)

# Each class is a picture; an image is one of them under noise.
pictures = torch.randn(CLASSES, 1, SIDE, SIDE)
label = torch.randint(0, CLASSES, (256,))
images = pictures[label] + torch.randn(256, 1, SIDE, SIDE) * 1.5

# The norm after the first convolution takes the mean away: a bias would do nothing, and its gradient is noise.
model = nn.Sequential(
    nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten(), nn.Dropout(0.2), nn.Linear(256, CLASSES))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
print(model)

losses = []
for step in range(STEPS):
    batch = torch.randint(0, len(images), (BATCH,))
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images[batch]), label[batch])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    print(f"step {step:2d}  loss {losses[-1]:.6f}")

model.eval()  # no dropout, and the batch norm uses what it has averaged
with torch.no_grad():
    right = (model(images).argmax(1) == label).sum().item()
print(f"{right} of 256 images in their class")
assert right >= 230 and sum(losses[-5:]) < 0.5 * sum(losses[:5])
