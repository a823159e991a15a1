"""A student and its teacher, mixed samples, adversarial steps, a Gram matrix, fused layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
teacher = nn.Sequential(nn.Flatten(), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).eval()
student = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.Hardswish(), nn.Linear(8, 4))
opt = torch.optim.NAdam(student.parameters(), 1e-2)
T = 4.0
for i in range(4):
    x, y = torch.randn(8, 1, 4, 4), torch.randint(0, 4, (8,))
    lam = torch.rand(1).item()
    perm = torch.randperm(8)
    mx = lam * x + (1 - lam) * x[perm]
    with torch.no_grad():
        tl = teacher(mx)
    s = student(mx)
    l = (
        F.kl_div(F.log_softmax(s / T, -1), F.softmax(tl / T, -1), reduction="batchmean") * T * T * 0.5
        + lam * F.cross_entropy(s, y)
        + (1 - lam) * F.cross_entropy(s, y[perm])
    )
    opt.zero_grad()
    l.backward()
    opt.step()
    print(f"{l.item():.5f}")
# FGSM / PGD
x = torch.randn(4, 1, 4, 4)
y = student(x).argmax(1)
adv = x.clone().detach()
for _ in range(3):
    adv.requires_grad_(True)
    g = torch.autograd.grad(F.cross_entropy(student(adv), y), adv)[0]
    adv = adv.detach() + 0.1 * g.sign()
    adv = torch.min(torch.max(adv, x - 0.2), x + 0.2).clamp(-3, 3)
print((adv - x).abs().max(), (student(adv).argmax(1) == y).float().mean())


# style-transfer gram
def gram(t):
    b, c, h, w = t.size()
    f = t.view(b * c, h * w)
    return torch.mm(f, f.t()).div(b * c * h * w)


img = torch.rand(1, 3, 8, 8, requires_grad=True)
tgt = gram(torch.rand(1, 3, 8, 8))
o = torch.optim.LBFGS([img])
n = [0]


def closure():
    with torch.no_grad():
        img.clamp_(0, 1)
    o.zero_grad()
    l = F.mse_loss(gram(img), tgt) * 1e3
    l.backward()
    n[0] += 1
    return l


for _ in range(2):
    print(f"{o.step(closure).item():.5f}")
print(n)
# BN folding, eval vs train, fusing
c = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
[c(torch.randn(4, 3, 6, 6)) for _ in range(3)]
c.eval()
f = torch.nn.utils.fuse_conv_bn_eval(c[0], c[1])
z = torch.randn(1, 3, 6, 6)
print(torch.allclose(c(z), f(z), atol=1e-5), f)
v = nn.utils.parameters_to_vector(student.parameters())
nn.utils.vector_to_parameters(v * 0, student.parameters())
print(v.shape, student(x).abs().sum())
