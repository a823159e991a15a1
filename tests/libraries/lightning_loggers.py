"""lightning: its TensorBoardLogger with hyperparameters, CSVLogger, checkpoints by a metric, early stopping, averaged weights."""
# pip: lightning tensorboard
# tolerance: 1e-3
import logging
import os
import tempfile
import warnings

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, LearningRateMonitor, ModelCheckpoint, StochasticWeightAveraging
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Net(lightning.LightningModule):
    def __init__(self, hidden=16, rate=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, hidden), torch.nn.BatchNorm1d(hidden), torch.nn.ReLU(),
                                       torch.nn.Linear(hidden, 3))

    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), self.hparams.rate, momentum=0.9)
        schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "monitor": "val_loss"}}


os.chdir(tempfile.mkdtemp(dir=os.getcwd()))  # the next run finds no files of this one
lightning.seed_everything(3, workers=True)
x = torch.randn(60, 8)
data = TensorDataset(x, x[:, :3].argmax(1))
net = Net()
best = ModelCheckpoint("checkpoints", monitor="val_loss", save_top_k=2, filename="{epoch}", save_last=True)
trainer = lightning.Trainer(max_epochs=4, accelerator="cpu", logger=[TensorBoardLogger("tb"), CSVLogger("csv")],
                            log_every_n_steps=1,
                            callbacks=[best, EarlyStopping("val_loss", patience=3), LearningRateMonitor(),
                                       StochasticWeightAveraging(1e-2)],
                            enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0)
trainer.fit(net, DataLoader(data, batch_size=10, shuffle=True), DataLoader(data, batch_size=20))
print({name: value.item() for name, value in sorted(trainer.callback_metrics.items())})
print(sorted(os.listdir("checkpoints")), any("tfevents" in name for _, _, names in os.walk("tb") for name in names))
again = Net.load_from_checkpoint(best.last_model_path)
print(dict(again.hparams), sum(p.double().sum().item() for p in again.parameters()))
