"""Training that is saved and goes on; whole modules in files; wrong files."""
import torch
import torch.nn as nn
import os
import tempfile
import io
import pickle
import copy

torch.manual_seed(0)
d = tempfile.mkdtemp()
path = os.path.join(d, "ck.pt")


def build():
    m = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
    o = torch.optim.Adam(m.parameters(), 1e-2, amsgrad=True)
    s = torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=1)
    return m, o, s


def train(m, o, s, n, start=0):
    out = []
    for i in range(start, start + n):
        g = torch.Generator().manual_seed(i)
        x = torch.randn(6, 4, generator=g)
        l = (m(x) - x.sum(1, keepdim=True)).abs().mean()
        o.zero_grad()
        l.backward()
        o.step()
        s.step(1.0)
        out.append(round(l.item(), 5))
    return out


m, o, s = build()
print(train(m, o, s, 5))
torch.save(
    {
        "epoch": 5,
        "model_state_dict": m.state_dict(),
        "optimizer_state_dict": o.state_dict(),
        "sched": s.state_dict(),
        "rng": torch.get_rng_state(),
        "best": 0.5,
        "args": {"lr": 1e-2, "name": "x"},
    },
    path,
)
a = train(m, o, s, 5, 5)
m2, o2, s2 = build()
ck = torch.load(path, map_location="cpu", weights_only=True)
print(ck.keys(), ck["epoch"], ck["args"])
print(m2.load_state_dict(ck["model_state_dict"]))
o2.load_state_dict(ck["optimizer_state_dict"])
s2.load_state_dict(ck["sched"])
torch.set_rng_state(ck["rng"])
b = train(m2, o2, s2, 5, 5)
print(a == b, b, o2.param_groups[0]["lr"])
print(o2.state_dict()["param_groups"], list(o2.state_dict()["state"][0].keys()), o2.state_dict()["state"][0]["step"])
buf = io.BytesIO()
torch.save(m, buf)
buf.seek(0)
m3 = torch.load(buf, weights_only=False)
print(type(m3).__name__, all(torch.equal(x, y) for x, y in zip(m.state_dict().values(), m3.state_dict().values())))
buf.seek(0)
try:
    torch.load(buf)
except Exception as e:
    print(type(e).__name__, "weights_only" in str(e))
try:
    m2.load_state_dict({"0.weight": torch.ones(8, 5), "x": torch.ones(1)})
except Exception as e:
    print(type(e).__name__, e)
print(m2.load_state_dict({"0.weight": torch.ones(8, 4), "x": torch.ones(1)}, strict=False))
x = torch.arange(6.0).view(2, 3)
torch.save(
    [x, x[0], x.t(), x.half(), x.bfloat16(), x.bool(), torch.tensor(3), nn.Parameter(x), x.to(torch.complex64)], path
)
y = torch.load(path)
y[0][0, 0] = 100
print(y[1], y[2].stride(), y[2][0, 0], y[3].dtype, y[4].dtype, type(y[7]).__name__, y[8])
m4 = pickle.loads(pickle.dumps(m))
print(torch.equal(m4(torch.ones(2, 4)), m(torch.ones(2, 4))))
m5 = copy.deepcopy(m)
m5[0].weight.data.zero_()
print(m[0].weight.abs().sum() > 0, m5.training)
sd = m.state_dict()
sd2 = {k.replace("0.", "fc."): v for k, v in sd.items()}
print(list(sd2), list(sd._metadata.items()) if hasattr(sd, "_metadata") else None)
