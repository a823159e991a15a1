"""pyro: a Bayesian regression by SVI with an autoguide, and a few steps of NUTS."""
# pip: pyro-ppl
# tolerance: 2e-3
import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal
from pyro.nn import PyroModule, PyroSample
from torch import nn

pyro.set_rng_seed(0)
x = torch.randn(40, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.1 * torch.randn(40)


class Regression(PyroModule):
    def __init__(self):
        super().__init__()
        self.linear = PyroModule[nn.Linear](3, 1)
        self.linear.weight = PyroSample(dist.Normal(0.0, 1.0).expand([1, 3]).to_event(2))
        self.linear.bias = PyroSample(dist.Normal(0.0, 1.0).expand([1]).to_event(1))

    def forward(self, x, y=None):
        sigma = pyro.sample("sigma", dist.Uniform(0.0, 2.0))
        mean = self.linear(x).squeeze(-1)
        with pyro.plate("data", x.shape[0]):
            pyro.sample("obs", dist.Normal(mean, sigma), obs=y)
        return mean


model = Regression()
guide = AutoDiagonalNormal(model)
svi = SVI(model, guide, pyro.optim.Adam({"lr": 0.05}), Trace_ELBO(num_particles=2))
for step in range(10):
    print("elbo", step, svi.step(x, y))
print({name: value.sum().item() for name, value in guide.median().items()})
samples = Predictive(model, guide=guide, num_samples=5)(x)
print(samples["obs"].shape, samples["obs"].mean().item())


def coin(data):
    p = pyro.sample("p", dist.Beta(2.0, 2.0))
    pyro.sample("data", dist.Bernoulli(p).expand([8]).to_event(1), obs=data)


chain = MCMC(NUTS(coin), num_samples=5, warmup_steps=3, disable_progbar=True)
chain.run(torch.tensor([1.0, 1, 1, 0, 1, 0, 1, 1]))
print(chain.get_samples()["p"].tolist())
