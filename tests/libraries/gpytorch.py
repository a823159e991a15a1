"""gpytorch: an exact GP fitted by Adam, predictions with variances, and a sparse variational one."""
# pip: gpytorch
# tolerance: 1e-3
# but: kernels on a grid and Hadamard multi-task models need sparse layouts, which are refused
import gpytorch
import torch

torch.manual_seed(0)
x = torch.linspace(0, 1, 30)
y = torch.sin(x * 6) + 0.1 * torch.randn(30)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean = gpytorch.means.ConstantMean()
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


class Sparse(gpytorch.models.ApproximateGP):
    def __init__(self, points):
        strategy = gpytorch.variational.VariationalStrategy(
            self, points, gpytorch.variational.CholeskyVariationalDistribution(len(points)), learn_inducing_locations=True)
        super().__init__(strategy)
        self.mean = gpytorch.means.LinearMean(1)
        self.kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Exact(x, y, likelihood)
model.train(), likelihood.train()
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
marginal = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for step in range(10):
    optimizer.zero_grad()
    loss = -marginal(model(x), y)
    loss.backward()
    optimizer.step()
    print("exact", step, loss.item(), model.kernel.base_kernel.lengthscale.item())
model.eval(), likelihood.eval()
with torch.no_grad(), gpytorch.settings.fast_pred_var():
    found = likelihood(model(torch.linspace(0, 1.2, 7)))
    print(found.mean.tolist(), found.variance.tolist(), found.confidence_region()[0].sum().item())

model, likelihood = Sparse(x[::5].unsqueeze(1)), gpytorch.likelihoods.GaussianLikelihood()
optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.05)
bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=30)
for step in range(5):
    optimizer.zero_grad()
    loss = -bound(model(x.unsqueeze(1)), y)
    loss.backward()
    optimizer.step()
    print("sparse", step, loss.item())
