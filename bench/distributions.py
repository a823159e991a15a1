"""Sampling and log_prob of distributions by karat and, given an interpreter that has it, by PyTorch, in turns. Timings gate
nothing.

usage: distributions.py [--reference PYTHON] [--threads N] [--only REGEX]
Out: one line a distribution, method and size: karat's time, PyTorch's, and how many times as fast karat is, slowest first; last,
how many are no slower. "make" is the construction; arguments and values are validated, as is the default.
"""

import importlib
import re

import in_turns

SIZES = {"8": (8,), "64x256": (64, 256)}


def vector(m, size, n=8):
    """Vectors of n positive numbers along the last dim."""
    return m.rand(*size[:1], n) + 0.5


def covariance(m, n=8):
    a = m.rand(n, n)
    return a @ a.mT + n * m.eye(n)


DISTRIBUTIONS = {  # distributions, module and size -> the class and its arguments
    "Normal": lambda d, m, size: (d.Normal, m.rand(size), m.rand(size) + 0.5),
    "Laplace": lambda d, m, size: (d.Laplace, m.rand(size), m.rand(size) + 0.5),
    "StudentT": lambda d, m, size: (d.StudentT, m.rand(size) + 3, m.rand(size), m.rand(size) + 0.5),
    "Uniform": lambda d, m, size: (d.Uniform, m.rand(size), m.rand(size) + 1),
    "Gumbel": lambda d, m, size: (d.Gumbel, m.rand(size), m.rand(size) + 0.5),
    "Exponential": lambda d, m, size: (d.Exponential, m.rand(size) + 0.5),
    "Gamma": lambda d, m, size: (d.Gamma, m.rand(size) + 0.5, m.rand(size) + 0.5),
    "Beta": lambda d, m, size: (d.Beta, m.rand(size) + 0.5, m.rand(size) + 0.5),
    "Bernoulli": lambda d, m, size: (d.Bernoulli, m.rand(size)),
    "Binomial": lambda d, m, size: (d.Binomial, 10, m.rand(size)),
    "NegativeBinomial": lambda d, m, size: (d.NegativeBinomial, 5, m.rand(size) * 0.9),
    "Geometric": lambda d, m, size: (d.Geometric, m.rand(size) * 0.9 + 0.05),
    "Poisson": lambda d, m, size: (d.Poisson, m.rand(size) + 1),
    "Categorical": lambda d, m, size: (d.Categorical, vector(m, size)),
    "Dirichlet": lambda d, m, size: (d.Dirichlet, vector(m, size)),
    "Multinomial": lambda d, m, size: (d.Multinomial, 5, vector(m, size)),
    "MultivariateNormal": lambda d, m, size: (d.MultivariateNormal, vector(m, size), covariance(m)),
    "LowRank": lambda d, m, size: (d.LowRankMultivariateNormal, vector(m, size), m.rand(8, 2), m.rand(8) + 0.5),
    "Wishart": lambda d, m, size: (d.Wishart, m.full((4,), 12.0), covariance(m)),
    "LogNormal": lambda d, m, size: (d.LogNormal, m.rand(size), m.rand(size) + 0.5),
    "ContinuousBernoulli": lambda d, m, size: (d.ContinuousBernoulli, m.rand(size)),
    "RelaxedBernoulli": lambda d, m, size: (d.RelaxedBernoulli, m.tensor(0.7), m.rand(size)),
    "VonMises": lambda d, m, size: (d.VonMises, m.rand(size), m.rand(size) + 1),
    "LKJCholesky": lambda d, m, size: (d.LKJCholesky, 4, m.rand(size[:1]) + 0.5),
}


def measure(module, threads, only):
    """What one process finds: seconds of a call by name of the work."""
    m = importlib.import_module(module)
    d = importlib.import_module(f"{module}.distributions")
    m.set_num_threads(threads)
    found = {}
    for name, arguments in DISTRIBUTIONS.items():
        for label, size in SIZES.items():
            m.manual_seed(0)
            kind, *given = arguments(d, m, size)
            it = kind(*given)
            value = it.sample()
            for what, call in (("make", lambda: kind(*given)), ("sample", it.sample),
                               ("log_prob", lambda: it.log_prob(value))):
                work = f"{name}.{what} {label}"
                if re.search(only, work):
                    found[work] = in_turns.seconds(call, threads)
    return found


if __name__ == "__main__":
    in_turns.main(__file__, __doc__, measure)
