"""Steps of learning rate schedulers by karat and, given an interpreter that has it, by PyTorch, in turns. Timings never gate.

usage: schedulers.py [--reference PYTHON] [--threads N] [--only REGEX] [--steps N]
Out: one line a scheduler: karat's time for all steps, PyTorch's, and how many times as fast karat is, slowest first; last, how
many are no slower.
"""

import importlib
import re
import warnings

import in_turns

SCHEDULERS = {
    "StepLR": lambda s, o, n: s.StepLR(o, 30),
    "MultiStepLR": lambda s, o, n: s.MultiStepLR(o, [n // 4, n // 2]),
    "LinearLR": lambda s, o, n: s.LinearLR(o, 0.1, 1.0, n),
    "ExponentialLR": lambda s, o, n: s.ExponentialLR(o, 0.999),
    "LambdaLR": lambda s, o, n: s.LambdaLR(o, lambda epoch: 0.999 ** epoch),
    "CosineAnnealingLR": lambda s, o, n: s.CosineAnnealingLR(o, n // 2, 1e-3),
    "CosineAnnealingWarmRestarts": lambda s, o, n: s.CosineAnnealingWarmRestarts(o, 10, 2),
    "CyclicLR": lambda s, o, n: s.CyclicLR(o, 0.01, 0.1, 100),
    "OneCycleLR": lambda s, o, n: s.OneCycleLR(o, 0.1, n + 1),
    "SequentialLR": lambda s, o, n: s.SequentialLR(o, [s.LinearLR(o, 0.1, 1.0, 50), s.CosineAnnealingLR(o, n)], [50]),
}


def steps_of(m, make, steps):
    """Begins anew each time, as OneCycleLR has an end."""
    groups = [{"params": [m.ones(1, requires_grad=True)]} for _ in range(2)]

    def run():
        optimizer = m.optim.SGD(groups, lr=0.1, momentum=0.9)
        scheduler = make(m.optim.lr_scheduler, optimizer, steps)
        for _ in range(steps):
            scheduler.step()

    return run


def measure(module, threads, only, steps):
    """What one process finds: seconds of all steps by name of the scheduler."""
    warnings.simplefilter("ignore")  # no optimizer steps here
    m = importlib.import_module(module)
    m.set_num_threads(threads)
    return {name: in_turns.seconds(steps_of(m, make, steps), threads)
            for name, make in SCHEDULERS.items() if re.search(only, name)}


if __name__ == "__main__":
    in_turns.main(__file__, __doc__, measure, steps=1000)
