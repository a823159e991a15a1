"""Lesson 4: how much may be converted without being asked. Run it with: karat run 04_policies.py"""

import karat
import torch

mixes = {
    "bfloat16 * float32": lambda: torch.ones(2, dtype=torch.bfloat16) * torch.ones(2),
    "float32 += float64": lambda: torch.ones(2).add_(torch.ones(2, dtype=torch.float64)),
    "float32 @ float64": lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64),
    "bfloat16 * 0.5": lambda: torch.ones(2, dtype=torch.bfloat16) * 0.5,
}
policies = ("strict", "safe", "torch", "permissive")
print(f"{'':20}" + "".join(f"{policy:>14}" for policy in policies))
accepted = {}
for name, mix in mixes.items():
    row = []
    for policy in policies:
        with karat.policy(policy):
            try:
                row.append(str(mix().dtype).removeprefix("torch."))
            except (RuntimeError, TypeError):
                row.append("refused")
    accepted[name] = row
    print(f"{name:20}" + "".join(f"{word:>14}" for word in row))

print("\nWhat one policy accepts, the next accepts with the same result; numbers never force a conversion.")
assert accepted["bfloat16 * float32"] == ["refused", "float32", "float32", "float32"]
assert accepted["float32 += float64"] == ["refused", "refused", "float32", "float32"]
assert accepted["float32 @ float64"] == ["refused", "refused", "refused", "float64"]
assert accepted["bfloat16 * 0.5"] == ["bfloat16"] * 4
