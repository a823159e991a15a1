"""Gradients of several batches, clipped; groups of parameters; averages of weights."""
import torch
import torch.nn as nn
import copy

torch.manual_seed(0)
m = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 2))
ema = copy.deepcopy(m).eval()
[p.requires_grad_(False) for p in ema.parameters()]
opt = torch.optim.AdamW(
    [
        {"params": [p for n, p in m.named_parameters() if "bias" not in n], "weight_decay": 0.1},
        {"params": [p for n, p in m.named_parameters() if "bias" in n], "weight_decay": 0.0, "lr": 5e-3},
    ],
    lr=1e-2,
)
sch = torch.optim.lr_scheduler.SequentialLR(
    opt,
    [torch.optim.lr_scheduler.LinearLR(opt, 0.1, total_iters=3), torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)],
    milestones=[3],
)
acc = 4
for i in range(16):
    x, y = torch.randn(5, 6), torch.randint(0, 2, (5,))
    loss = nn.functional.cross_entropy(m(x), y) / acc
    loss.backward()
    if (i + 1) % acc == 0:
        n = torch.nn.utils.clip_grad_norm_(m.parameters(), 0.5)
        torch.nn.utils.clip_grad_value_(m.parameters(), 0.1)
        opt.step()
        opt.zero_grad(set_to_none=True)
        sch.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), m.parameters()):
                e.lerp_(p, 0.1)
        print(
            i,
            f"{loss.item():.6f} {n.item():.6f}",
            [f"{g['lr']:.6f}" for g in opt.param_groups],
            f"{ema[0].weight.norm():.6f}",
        )
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn, get_ema_multi_avg_fn

swa = AveragedModel(m)
ema2 = AveragedModel(m, multi_avg_fn=get_ema_multi_avg_fn(0.9))
s2 = SWALR(opt, swa_lr=0.05, anneal_epochs=2)
for i in range(3):
    l = m(torch.randn(5, 6)).pow(2).mean()
    opt.zero_grad()
    l.backward()
    opt.step()
    swa.update_parameters(m)
    ema2.update_parameters(m)
    s2.step()
    print(
        f"{l:.5f}",
        swa.n_averaged.item(),
        f"{swa.module[0].weight.sum():.5f} {ema2.module[0].weight.sum():.5f}",
        s2.get_last_lr(),
    )
print(opt)
