"""botorch: a GP fitted, expected improvement optimized, and Sobol points, scrambled and not."""
# pip: botorch
# tolerance: 5e-3
# but: MultiTaskGP and noisy hypervolume improvement need sparse layouts, which are refused
import warnings

import torch
from botorch.acquisition import LogExpectedImprovement, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from botorch.utils.sampling import draw_sobol_samples
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

warnings.simplefilter("ignore")
torch.manual_seed(0)
print(SobolEngine(4).draw(5).tolist(), SobolEngine(3, scramble=True, seed=7).draw(4).tolist())
x = torch.rand(12, 2, dtype=torch.float64)
y = (torch.sin(x[:, :1] * 6) + x[:, 1:].cos()).sum(-1, keepdim=True)
bounds = torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.float64)
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
print("noise", model.likelihood.noise.item(), "mean", model.posterior(x[:3]).mean.flatten().tolist())
point, value = optimize_acqf(LogExpectedImprovement(model, best_f=y.max()), bounds, q=1, num_restarts=4, raw_samples=32)
print(point.tolist(), value.item())
batch = qExpectedImprovement(model, best_f=y.max(), sampler=SobolQMCNormalSampler(torch.Size([64]), seed=1))
print(batch(draw_sobol_samples(bounds, n=3, q=2, seed=3)).tolist())
