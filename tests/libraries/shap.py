"""shap: DeepExplainer and GradientExplainer of a network, checked against its outputs."""
# pip: shap
# tolerance: 1e-3
import numpy as np
import shap
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 2)).eval()
x = torch.randn(40, 5)
deep = shap.DeepExplainer(net, x[:30])
values = deep.shap_values(x[30:34])
print("deep", np.shape(values), float(np.sum(values)), [float(v) for v in np.ravel(deep.expected_value)])
gradient = shap.GradientExplainer(net, x[:30]).shap_values(x[30:32], nsamples=20, rseed=0)
print("gradient", np.shape(gradient), float(np.abs(gradient).sum()))
kernel = shap.KernelExplainer(lambda a: net(torch.tensor(a, dtype=torch.float32)).detach().numpy(), x[:10].numpy())
print("kernel", float(np.sum(kernel.shap_values(x[30:31].numpy(), nsamples=40, silent=True))))
