"""Windows of a series, an LSTM and a convolutional net, the best weights kept."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
t = torch.linspace(0, 20, 200)
s = torch.sin(t) + 0.1 * torch.randn(200)
mean, std = s.mean(), s.std()
s = (s - mean) / std
W = 10
X = s.unfold(0, W, 1)[:-1].unsqueeze(-1)
Y = s[W:]
dl = DataLoader(TensorDataset(X, Y), 32, shuffle=True)


class L(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.LSTM(1, 8, 2, batch_first=True, dropout=0.1, bidirectional=True)
        self.f = nn.Linear(16, 1)

    def forward(self, x):
        o, _ = self.l(x)
        return self.f(o[:, -1]).squeeze(-1)


class TCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.Sequential(
            *[
                nn.Sequential(
                    nn.ConstantPad1d((2 * d, 0), 0.0),
                    nn.utils.parametrizations.weight_norm(nn.Conv1d(i, 8, 3, dilation=d)),
                    nn.ReLU(),
                )
                for i, d in ((1, 1), (8, 2), (8, 4))
            ]
        )
        self.f = nn.Linear(8, 1)

    def forward(self, x):
        return self.f(self.n(x.transpose(1, 2))[..., -1]).squeeze(-1)


for M in (L, TCN):
    m = M()
    opt = torch.optim.Adam(m.parameters(), 5e-3)
    best, bad, state = 1e9, 0, None
    for ep in range(4):
        m.train()
        tot = 0.0
        for x, y in dl:
            l = nn.functional.mse_loss(m(x), y)
            opt.zero_grad()
            l.backward()
            nn.utils.clip_grad_norm_(m.parameters(), 1.0)
            opt.step()
            tot += l.item() * len(x)
        m.eval()
        with torch.no_grad():
            v = nn.functional.l1_loss(m(X[-20:]), Y[-20:]).item()
        if v < best - 1e-4:
            best, bad, state = v, 0, {k: p.clone() for k, p in m.state_dict().items()}
        else:
            bad += 1
        print(M.__name__, ep, f"{tot / len(X):.5f} {v:.5f} {bad}")
    m.load_state_dict(state)
    with torch.no_grad():
        w = X[-1:].clone()
        out = []
        for _ in range(4):
            p = m(w)
            out.append(round((p * std + mean).item(), 4))
            w = torch.cat([w[:, 1:], p.view(1, 1, 1)], 1)
    print(out)
