"""Lesson 5: gradients and their dtypes. Run it with: karat run 05_gradients.py

Plain PyTorch.
"""

import torch

print("A gradient has the dtype of the tensor that it belongs to:")
weight = torch.full((3,), 0.5, dtype=torch.bfloat16, requires_grad=True)
data = torch.tensor([1.0, 2.0, 3.0])
loss = (weight * data).sum()
loss.backward()
print("  loss", loss.dtype, " weight.grad", weight.grad.dtype, weight.grad.tolist())
assert loss.dtype == torch.float32 and weight.grad.dtype == torch.bfloat16

print("A cast is an operator like any other: its gradient is cast back.")
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
x.float().mul(3).sum().backward()
print("  ", x.grad)
assert x.grad.dtype == torch.float64

print("Second derivatives, with create_graph:")
x = torch.tensor(2.0, requires_grad=True)
(first,) = torch.autograd.grad(x**3, x, create_graph=True)
(second,) = torch.autograd.grad(first, x)
print("   d/dx x**3 =", first.item(), " d2/dx2 x**3 =", second.item())
assert first.item() == 12 and second.item() == 12

print("A value that backward needs must not be overwritten:")
x = torch.ones(2, requires_grad=True)
y = x.exp()
z = y * y
y.add_(1)
try:
    z.sum().backward()
except RuntimeError as error:
    print("  ", str(error).splitlines()[0][:100], "...")
else:
    raise AssertionError("backward must refuse")
