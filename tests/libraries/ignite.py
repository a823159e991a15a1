"""ignite: a trainer with handlers, metrics, early stopping and a learning-rate scheduler."""
# pip: pytorch-ignite
import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping, PiecewiseLinear
from ignite.metrics import Accuracy, ConfusionMatrix, Loss, Precision, RunningAverage
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(128, 10)
y = (x[:, :3].sum(1) > 0).long() + (x[:, 3] > 1).long()
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Linear(16, 3))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
trainer = create_supervised_trainer(net, optimizer, nn.CrossEntropyLoss())
RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")
trainer.add_event_handler(Events.ITERATION_STARTED, PiecewiseLinear(optimizer, "lr", [(0, 0.1), (10, 0.01)]))
evaluator = create_supervised_evaluator(net, metrics={"accuracy": Accuracy(), "nll": Loss(nn.CrossEntropyLoss()),
                                                      "precision": Precision(average=False),
                                                      "confusion": ConfusionMatrix(num_classes=3)})
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(patience=1, score_function=lambda e: -e.state.metrics["nll"],
                                                            trainer=trainer))


@trainer.on(Events.EPOCH_COMPLETED)
def evaluate(engine):
    metrics = evaluator.run(loader).metrics
    print(engine.state.epoch, engine.state.metrics["loss"], metrics["accuracy"], metrics["nll"],
          metrics["precision"].tolist(), metrics["confusion"].tolist(), optimizer.param_groups[0]["lr"])


trainer.run(loader, max_epochs=4)
