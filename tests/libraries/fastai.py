"""fastai: a Learner on made tables of numbers: fit_one_cycle, a callback, metrics, predictions."""
# pip: fastai
# tolerance: 2e-3
import torch
from fastai.basics import CrossEntropyLossFlat, DataLoader, DataLoaders, Learner, accuracy, defaults, set_seed
from fastai.callback.schedule import fit_one_cycle  # noqa: F401
from torch.utils.data import TensorDataset

defaults.device = torch.device("cpu")
set_seed(0, reproducible=True)
x = torch.randn(96, 8)
y = (x[:, 0] + x[:, 1] > 0).long()
loaders = DataLoaders(DataLoader(TensorDataset(x[:64], y[:64]), bs=16, shuffle=False, num_workers=0),
                      DataLoader(TensorDataset(x[64:], y[64:]), bs=16, num_workers=0))
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
learner = Learner(loaders, net, loss_func=CrossEntropyLossFlat(), metrics=accuracy)
with learner.no_bar(), learner.no_logging():
    learner.fit_one_cycle(3, 1e-2)
print([[float(value) for value in row] for row in learner.recorder.values])
print([float(value) for value in learner.recorder.losses])
predicted, truth = learner.get_preds()
print(predicted.sum(0).tolist(), truth.sum().item(), learner.validate())
