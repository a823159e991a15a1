"""Hooks that see features and gradients and change them."""
import torch
import torch.nn as nn

torch.manual_seed(0)
m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
feats, grads = {}, {}


def get(name):
    def hook(model, input, output):
        feats[name] = output.detach()

    return hook


hs = [l.register_forward_hook(get(n)) for n, l in m.named_children()]
hb = m[3].register_full_backward_hook(
    lambda mod, gi, go: grads.update(gi=[g if g is None else g.shape for g in gi], go=[g.shape for g in go])
)
hp = m[0].register_forward_pre_hook(lambda mod, a: (a[0] * 2,))
x = torch.randn(1, 1, 6, 6, requires_grad=True)
y = m(x)
y[0, y.argmax()].backward()
print({k: (v.shape, round(v.sum().item(), 4)) for k, v in feats.items()}, grads, x.grad.abs().sum())
[h.remove() for h in hs]
hp.remove()
hb.remove()
feats.clear()
m(x)
print(feats)
# grad-cam
act = {}
m[0].register_forward_hook(lambda mod, i, o: (act.update(a=o), o.retain_grad()) and None)
out = m(x)
out[0, 1].backward()
cam = (act["a"].grad.mean((2, 3), keepdim=True) * act["a"]).sum(1).relu()
print(cam.shape, cam.sum())
h = m.register_forward_hook(
    lambda mod, args, kw, out: (print("kw", sorted(kw)), out * 0)[1], with_kwargs=True, prepend=True, always_call=True
)
print(m(x))
h.remove()
m[3].weight.register_hook(lambda g: g * 0.5)
bh = m.register_full_backward_pre_hook(lambda mod, go: (go[0] * 10,))
m.zero_grad()
m(x).sum().backward()
print(m[3].weight.grad.sum(), m[3].bias.grad)


def post(p):
    p.data.add_(p.grad, alpha=-0.1)
    p.grad = None


for p in m.parameters():
    p.register_post_accumulate_grad_hook(post)
m(x).sum().backward()
print([p.grad for p in m.parameters()], m[3].bias)
from torch.nn.modules.module import register_module_forward_hook

names = []
g = register_module_forward_hook(lambda mod, i, o: names.append(type(mod).__name__))
m(x)
g.remove()
print(names)
try:
    m(torch.ones(1, 1, 2, 2))
except RuntimeError as e:
    print(str(e).splitlines()[0])
print(m._forward_hooks)
