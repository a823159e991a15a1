"""lightning: a LightningModule trained and validated by Trainer, and a loop with Fabric."""
# pip: lightning
# tolerance: 1e-3
import logging
import warnings

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
lightning.seed_everything(0, verbose=False)
x = torch.randn(64, 8)
data = TensorDataset(x, (x.sum(1, keepdim=True) > 0).float())


class Model(lightning.LightningModule):
    def __init__(self, width=16):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 1))

    def training_step(self, batch, index):
        loss = nn.functional.binary_cross_entropy_with_logits(self.net(batch[0]), batch[1])
        self.log("train_loss", loss)
        print("step", self.global_step, loss.item())
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", nn.functional.binary_cross_entropy_with_logits(self.net(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)}


model = Model()
trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_progress_bar=False, gradient_clip_val=1.0,
                            enable_model_summary=False, default_root_dir=".", accumulate_grad_batches=2)
trainer.fit(model, DataLoader(data, batch_size=16, shuffle=True), DataLoader(data, batch_size=32))
print({name: value.item() for name, value in trainer.callback_metrics.items()})
trainer.save_checkpoint("last.ckpt")
again = Model.load_from_checkpoint("last.ckpt", weights_only=False)
print(again.hparams, torch.equal(again.net[0].weight, model.net[0].weight))

fabric = lightning.Fabric(accelerator="cpu", devices=1, precision="bf16-mixed")
fabric.launch()
net, optimizer = fabric.setup(model.net, torch.optim.SGD(model.net.parameters(), lr=0.1))
for batch in fabric.setup_dataloaders(DataLoader(data, batch_size=32)):
    loss = nn.functional.binary_cross_entropy_with_logits(net(batch[0]), batch[1])
    optimizer.zero_grad()
    fabric.backward(loss)
    optimizer.step()
    print("fabric", loss.item(), loss.dtype)
