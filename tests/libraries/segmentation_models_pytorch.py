"""segmentation_models_pytorch: Unet, FPN and DeepLabV3+ without weights, Dice and focal loss, metrics."""
# pip: segmentation-models-pytorch
# tolerance: 2e-3
import segmentation_models_pytorch as smp
import torch

torch.manual_seed(0)
images, masks = torch.randn(2, 3, 64, 64), (torch.rand(2, 1, 64, 64) > 0.5).float()
dice, focal = smp.losses.DiceLoss("binary"), smp.losses.FocalLoss("binary")
for kind in (smp.Unet, smp.FPN, smp.DeepLabV3Plus):
    torch.manual_seed(1)
    net = kind("resnet18", encoder_weights=None, in_channels=3, classes=1)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(2):
        out = net(images)
        loss = dice(out, masks) + focal(out, masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(kind.__name__, loss.item())
    counts = smp.metrics.get_stats((net.eval()(images).sigmoid() > 0.5).long(), masks.long(), mode="binary")
    print(tuple(counts[0].shape), sum(c.sum().item() for c in counts))
