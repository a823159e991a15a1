"""Lesson 7: train in bfloat16 with a float32 master weight, and prove that nothing turns float32 on the way.

Run it with: karat run 07_bfloat16_with_a_master_weight.py
"""

import karat
import torch

torch.manual_seed(1)
inputs = torch.randn(256, 4)
targets = inputs @ torch.tensor([1.0, -2.0, 3.0, 0.5])
low_inputs, low_targets = inputs.bfloat16(), targets.bfloat16()


def fit(master_dtype):
    master = torch.zeros(4, dtype=master_dtype, requires_grad=True)
    for _ in range(400):
        with karat.policy("strict"):  # every conversion below is one that stands in the program
            error = low_inputs @ master.bfloat16() - low_targets
            (gradient,) = torch.autograd.grad((error * error).mean(), master)
        with torch.no_grad():
            master -= 0.005 * gradient
    return (inputs @ master.float() - targets).abs().max().item()


wide, narrow = fit(torch.float32), fit(torch.bfloat16)
print(f"largest error with a float32 master weight:  {wide:.4f}")
print(f"largest error with a bfloat16 master weight: {narrow:.4f}  (small updates are rounded away)")
assert wide < narrow
