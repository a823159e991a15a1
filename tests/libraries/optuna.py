"""optuna: three hyperparameters of a small classifier, tried eight times with pruning."""
# pip: optuna
import optuna
import torch
from torch import nn

optuna.logging.set_verbosity(optuna.logging.WARNING)
torch.manual_seed(0)
x, y = torch.randn(200, 8), torch.randint(0, 3, (200,))


def objective(trial):
    torch.manual_seed(1)
    width = trial.suggest_int("width", 4, 32)
    rate = trial.suggest_float("rate", 1e-4, 1e-1, log=True)
    name = trial.suggest_categorical("optimizer", ["Adam", "SGD", "RMSprop"])
    net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, 3))
    optimizer = getattr(torch.optim, name)(net.parameters(), lr=rate)
    for step in range(10):
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        trial.report(loss.item(), step)
        if trial.should_prune():
            raise optuna.TrialPruned()
    return loss.item()


study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0), pruner=optuna.pruners.MedianPruner(n_startup_trials=3))
study.optimize(objective, n_trials=8)
for trial in study.trials:
    print(trial.number, trial.state.name, trial.value, trial.params)
print("best", study.best_value)
