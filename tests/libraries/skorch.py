"""skorch: NeuralNetClassifier in scikit-learn's pipeline and grid search, with callbacks."""
# pip: skorch
import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping, EpochScoring, LRScheduler
from torch import nn

torch.manual_seed(0)
x, y = make_classification(120, 10, n_informative=6, n_classes=3, random_state=0)
x = x.astype(np.float32)


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, width), nn.ReLU(), nn.Linear(width, 3), nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x)


net = NeuralNetClassifier(Net, max_epochs=4, lr=0.1, optimizer__momentum=0.9, iterator_train__shuffle=True, verbose=0, callbacks=[
    EarlyStopping(patience=3), EpochScoring("accuracy", lower_is_better=False, name="train_acc", on_train=True),
    LRScheduler("StepLR", step_size=2)])
pipe = make_pipeline(StandardScaler(), net).fit(x, y)
print([(row["train_loss"], row["valid_loss"], row["train_acc"]) for row in net.history], pipe.score(x, y))
print(pipe.predict_proba(x[:2]).tolist())
net.save_params(f_params="net.pt")
search = GridSearchCV(net, {"lr": [0.01, 0.1], "module__width": [4, 8]}, cv=2, scoring="neg_log_loss").fit(x, y)
print(search.best_params_, search.cv_results_["mean_test_score"].tolist())
