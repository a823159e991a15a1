"""vit-pytorch: ViT, SimpleViT and CaiT, some steps each."""
# pip: vit-pytorch
# tolerance: 1e-3
import torch
from vit_pytorch import SimpleViT, ViT
from vit_pytorch.cait import CaiT

torch.manual_seed(0)
images, classes = torch.randn(3, 3, 32, 32), torch.tensor([0, 1, 2])
options = {"image_size": 32, "patch_size": 8, "num_classes": 4, "dim": 32, "depth": 2, "heads": 4, "mlp_dim": 64}
vit = ViT(**options, dropout=0.1, emb_dropout=0.1)
cait = CaiT(**options, cls_depth=1, layer_dropout=0.05)
for name, net in {"vit": vit, "simple": SimpleViT(**options), "cait": cait}.items():
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(net(images), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(name, loss.item())
