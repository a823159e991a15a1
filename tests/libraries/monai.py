"""monai: a 3D UNet with Dice loss on made volumes, transforms, sliding-window inference and metrics."""
# pip: monai
# tolerance: 1e-3
import monai
import torch
from monai.data import DataLoader, Dataset
from monai.inferers import sliding_window_inference
from monai.losses import DiceCELoss, DiceLoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.transforms import Compose, EnsureChannelFirstd, RandFlipd, RandGaussianNoised, ScaleIntensityd, ToTensord

monai.utils.set_determinism(0)
volumes = [{"image": torch.rand(16, 16, 16).numpy(), "label": (torch.rand(16, 16, 16) > 0.7).float().numpy()} for _ in range(4)]
change = Compose([EnsureChannelFirstd(["image", "label"], channel_dim="no_channel"), ScaleIntensityd("image"),
                  RandFlipd(["image", "label"], prob=0.5, spatial_axis=0), RandGaussianNoised("image", prob=0.5),
                  ToTensord(["image", "label"])])
loader = DataLoader(Dataset(volumes, change), batch_size=2, shuffle=True)
net = UNet(spatial_dims=3, in_channels=1, out_channels=1, channels=(4, 8, 16), strides=(2, 2), num_res_units=1)
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
loss_of = DiceLoss(sigmoid=True)
for step in range(2):
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_of(net(batch["image"]), batch["label"])
        loss.backward()
        optimizer.step()
        print("loss", step, type(batch["image"]).__name__, loss.item())
net.eval()
with torch.no_grad():
    made = sliding_window_inference(batch["image"], (8, 8, 8), 2, net, overlap=0.25)
metric = DiceMetric()
metric((made > 0).float(), batch["label"])
print(made.shape, made.sum().item(), metric.aggregate().item(), DiceCELoss(sigmoid=True)(made, batch["label"]).item())
