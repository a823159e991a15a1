"""Lesson 12: a small GPT. Run it with: karat run 12_training_a_small_gpt.py

Plain PyTorch. The C course has the same program, 21_training_a_small_gpt.c, and both print the same losses.
"""

import torch
from torch import nn
from torch.nn import functional as F

STEPS, BATCH, LENGTH, TOKENS, WIDTH, HEADS, BLOCKS = 50, 16, 24, 12, 32, 4, 2

torch.manual_seed(12)


class Attention(nn.Module):
    """Each position looks at itself and at those before it."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        n, length, _ = x.shape
        q, k, v = (part.reshape(n, length, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(n, length, WIDTH))

    def extra_repr(self):
        return f"heads={HEADS}, causal=True"


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(TOKENS, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, TOKENS, bias=False)

    def forward(self, tokens):
        x = self.token(tokens) + self.position(torch.arange(LENGTH))
        return self.head(self.norm(self.blocks(x)))


def texts(n):
    """Tokens that count up from a random one, by a step of their own: [n, LENGTH + 1]. The step must be read from the text."""
    return (torch.randint(0, TOKENS, (n, 1)) + torch.arange(LENGTH + 1) * torch.randint(1, 4, (n, 1))) % TOKENS


model = GPT()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.1)
print(model)

losses = []
for step in range(STEPS):
    text = texts(BATCH)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    print(f"step {step:2d}  loss {losses[-1]:.6f}")

assert sum(losses[-5:]) < 0.3 * sum(losses[:5])
