"""timm: a ViT and a ResNet, three steps of AdamW with its schedule, mixup and EMA."""
# pip: timm
# tolerance: 1e-3
import timm
import torch
from timm.data import Mixup
from timm.loss import LabelSmoothingCrossEntropy, SoftTargetCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from timm.utils import ModelEmaV3

import numpy as np

models = {"vit_tiny_patch16_224": {"img_size": 64}, "resnet18": {}, "convnext_atto": {}, "efficientnet_b0": {}}
for name, options in models.items():
    torch.manual_seed(0)
    np.random.seed(0)
    net = timm.create_model(name, pretrained=False, num_classes=5, **options)
    images, classes = torch.randn(4, 3, 64, 64), torch.tensor([0, 1, 2, 3])
    optimizer = create_optimizer_v2(net, "adamw", lr=1e-3, weight_decay=0.05)
    schedule = CosineLRScheduler(optimizer, t_initial=10, warmup_t=2, warmup_lr_init=1e-4)
    ema = ModelEmaV3(net, decay=0.9)
    mixed, soft = Mixup(mixup_alpha=0.4, num_classes=5)(images, classes)
    for step in range(3):
        schedule.step(step)
        loss = SoftTargetCrossEntropy()(net(mixed), soft) + LabelSmoothingCrossEntropy(0.1)(net(images), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(net)
        print(name, step, loss.item())
    net.eval()
    with torch.no_grad():
        print(sum(p.numel() for p in net.parameters()), tuple(net.forward_features(images).shape),
              ema.module.eval()(images).abs().mean().item())
