"""Lesson 1: which dtype a result has. Run it with: karat run 01_dtypes_and_promotion.py

Plain PyTorch: nothing here is Karat's own, and PyTorch prints the same.
"""

import torch

print("Two tensors with dims are promoted to the least dtype that holds both:")
half, brain = torch.ones(2, dtype=torch.float16), torch.ones(2, dtype=torch.bfloat16)
print("  float16 + bfloat16 ->", (half + brain).dtype)
print("  int64 * bfloat16   ->", (torch.arange(2) * brain).dtype)
assert (half + brain).dtype == torch.float32

print("A Python number changes the dtype only if its category is higher:")
count = torch.arange(3, dtype=torch.int8)
print("  int8 + 1   ->", (count + 1).dtype)
print("  int8 + 1.0 ->", (count + 1.0).dtype)
assert (count + 1).dtype == torch.int8 and (count + 1.0).dtype == torch.float32

print("So does a tensor without dims:")
scale = torch.tensor(0.5, dtype=torch.float64)
print("  float16[2] * float64[] ->", (half * scale).dtype)
assert (half * scale).dtype == torch.float16

print("Some operators decide by themselves:")
print("  int64 / int64  ->", (torch.arange(3) / torch.arange(1, 4)).dtype)
print("  sum of bool    ->", torch.tensor([True, False]).sum().dtype)
print("  int64 < int64  ->", (torch.arange(3) < 1).dtype)

print("In place, the target keeps its dtype:")
total = torch.zeros(2)
total += torch.ones(2, dtype=torch.float64)
print("  float32 += float64 ->", total.dtype)
assert total.dtype == torch.float32
