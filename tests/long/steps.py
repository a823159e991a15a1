"""steps.py - many training steps of a small net: the memory that the process holds must stay as it was after the first tenth.

    PYTHONPATH=build/python build/venv/bin/python3 tests/long/steps.py [STEPS=100000]

Each step has what programs have: hooks that are set and removed, a Function of the user's, views and in-place writes, another
batch size now and then, a scheduler, clipping, a module that is made, part of a cycle, and dropped. Prints the resident memory
ten times; exits 1 if it grew by more than a megabyte and a half after the first tenth, or if a module that was dropped is
still there.
"""

import gc
import os
import sys
import weakref

import karat as torch
from karat import nn

F = nn.functional
GROWTH = 1.5  # MiB


def resident():
    """MiB"""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.save_for_backward(x)
        ctx.by = by
        return x * by

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.by, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Dropout(0.1))
        self.norm, self.head = nn.BatchNorm1d(16), nn.Linear(16, 4)

    def forward(self, x):
        x = self.norm(self.body(x))
        x = Scale.apply(x, 0.5)
        x = x.clone()
        x[:, :4].mul_(2)
        return self.head(x)


def dropped():
    """A module that refers to itself by a hook, a closure and a child; a weak reference to it."""
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    module[0].register_forward_hook(lambda layer, args, out: module and out)
    module[0].register_full_backward_hook(lambda layer, before, after: None if module else None)
    module.extra = {"parent": [module]}
    module[0].weight.register_hook(lambda grad: grad * len(module))
    module(torch.ones(1, 2, requires_grad=True)).sum().backward()
    return weakref.ref(module)


class Training:
    def __init__(self):
        torch.manual_seed(0)
        self.net = Net()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=1e-3)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 1000, 0.999)

    def step(self, i):
        n = 4 + i % 5
        x, y = torch.randn(n, 8), torch.randint(0, 4, (n,))
        seen = []
        handle = self.net.body[0].register_forward_hook(lambda layer, args, out: seen.append(out.detach()))
        loss = F.cross_entropy(self.net(x), y)
        handle.remove()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimizer.step()
        self.scheduler.step()
        if i % 100 == 0:
            self.net.load_state_dict(self.net.state_dict())
            self.optimizer.load_state_dict(self.optimizer.state_dict())
        return loss


def run(steps, report=lambda i, memory: None):
    """(MiB of growth after the first tenth, whether what was dropped is gone)."""
    training, references, base = Training(), [], None
    for i in range(steps):
        training.step(i)
        if i % max(1, steps // 50) == 0:
            references.append(dropped())
        if (i + 1) % (steps // 10) == 0:
            gc.collect()
            memory = resident()
            base = memory if base is None else base
            report(i + 1, memory)
    return memory - base, all(reference() is None for reference in references)


if __name__ == "__main__":
    grown, gone = run(int(sys.argv[1]) if len(sys.argv) > 1 else 100000,
                      lambda i, memory: print(f"{i:8d} steps  {memory:8.2f} MiB", flush=True))
    print(f"grown by {grown:.2f} MiB; modules that were dropped are {'gone' if gone else 'still there'}")
    sys.exit(grown > GROWTH or not gone)
