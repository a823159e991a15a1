"""Models of nn.Module trained by AdamW in float32 on the GPU: a perceptron, a small convolutional network, a small transformer.
The losses of each step must be the CPU's, and PyTorch's on the same card where that is in this interpreter: weights are drawn on
the CPU by one seed, so all three begin with the same ones; without TF32. Nothing may fall back to the CPU. Prints the losses and
what a step takes.

    training.py [perceptron|images|transformer ...]
"""
import os
import sys
import time

os.environ["KARAT_FALLBACK"] = "error"
import karat

try:
    import torch
except ImportError:
    torch = None

STEPS = 40
TOLERANCE = 2e-3  # of a loss: sums have another order, and steps carry what differs further


def perceptron(m):
    model = m.nn.Sequential(m.nn.Linear(32, 128), m.nn.ReLU(), m.nn.Dropout(0.0), m.nn.Linear(128, 64), m.nn.GELU(),
                            m.nn.LayerNorm(64), m.nn.Linear(64, 10))
    return model, m.randn(256, 32), m.randint(0, 10, (256,))


def images(m):
    model = m.nn.Sequential(m.nn.Conv2d(3, 16, 3, padding=1), m.nn.BatchNorm2d(16), m.nn.ReLU(), m.nn.MaxPool2d(2),
                            m.nn.Conv2d(16, 32, 3, padding=1), m.nn.GroupNorm(4, 32), m.nn.SiLU(), m.nn.AdaptiveAvgPool2d(2),
                            m.nn.Flatten(), m.nn.Linear(128, 10))
    return model, m.randn(32, 3, 16, 16), m.randint(0, 10, (32,))


def transformer(m, vocabulary=96, length=32, width=64, heads=4, blocks=2, batch=16, tied=True):
    class Block(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.between = m.nn.LayerNorm(width), m.nn.LayerNorm(width)
            self.qkv, self.out = m.nn.Linear(width, 3 * width), m.nn.Linear(width, width)
            self.wide = m.nn.Sequential(m.nn.Linear(width, 4 * width), m.nn.GELU(), m.nn.Linear(4 * width, width))
            self.register_buffer("later", m.ones(length, length).triu(1).bool())

        def forward(self, x):
            q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in self.qkv(self.before(x)).chunk(3, -1))
            scores = (q @ k.transpose(-2, -1) / (width // heads) ** 0.5).masked_fill(self.later, float("-inf"))
            x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
            return x + self.wide(self.between(x))

    class Transformer(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = m.nn.Embedding(vocabulary, width), m.nn.Embedding(length, width)
            self.blocks = m.nn.ModuleList(Block() for _ in range(blocks))
            self.norm, self.head = m.nn.LayerNorm(width), m.nn.Linear(width, vocabulary, bias=False)
            if tied:
                m.nn.init.normal_(self.tokens.weight, std=0.1)
                self.head.weight = self.tokens.weight

        def forward(self, tokens):
            x = self.tokens(tokens) + self.places.weight
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x)).flatten(0, 1)

    text = m.randint(0, vocabulary, (batch, length + 1))
    return Transformer(), text[:, :-1].contiguous(), text[:, 1:].flatten()


def trained(m, model_of, device):
    """The losses of the steps, and the seconds of one."""
    m.manual_seed(7)
    model, x, target = model_of(m)
    model, x, target = model.to(device), x.to(device), target.to(device)
    optimizer = m.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
    losses = []

    def step():
        optimizer.zero_grad()
        loss = m.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        m.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    for _ in range(STEPS):
        losses.append(step().item())
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    if device == "cuda":
        m.cuda.synchronize()
    return losses, (time.perf_counter() - begin) / STEPS


def main():
    failed = 0
    for m in filter(None, (karat, torch)):
        m.backends.cudnn.allow_tf32 = False  # the CPU has float32's bits only
    for model_of in (perceptron, images, transformer):
        if sys.argv[1:] and model_of.__name__ not in sys.argv[1:]:
            continue
        ours, took = trained(karat, model_of, "cuda")
        print(f"{model_of.__name__}: loss {ours[0]:.6f} to {ours[-1]:.6f} in {STEPS} steps of {1e6 * took:.0f} us")
        for name, m, device in (("the CPU", karat, "cpu"), ("PyTorch", torch, "cuda")):
            if not m:
                continue
            theirs, took = trained(m, model_of, device)
            first = abs(ours[0] - theirs[0]) / abs(theirs[0])
            worst = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
            good = first <= 1e-5 and worst <= TOLERANCE and ours[-1] < ours[0]
            failed += not good
            print(f"  {name}: {theirs[0]:.6f} to {theirs[-1]:.6f}, {1e6 * took:.0f} us; the first loss differs by {first:.1e}, "
                  f"the worst by {worst:.1e}{'' if good else ': WRONG'}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
