"""Lesson 3: errors that say where, and what to do. Run it with: karat run 03_reading_errors.py"""

import torch


def attempt(what, call):
    print(f"\n{what}")
    try:
        call()
    except (RuntimeError, TypeError, IndexError) as error:
        for line in str(error).splitlines():
            print("   |", line)
        return error
    raise AssertionError("this call is wrong and must be refused")


images = torch.ones(2, 3, dtype=torch.float64)
weight = torch.ones(3, 4).half()
error = attempt("A product of two dtypes:", lambda: images @ weight)
assert error.karat["op"] == "matmul"

attempt("The mean of integers:", lambda: torch.arange(4).mean())
attempt("Class indices of the wrong integer dtype:",
        lambda: torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.zeros(2, dtype=torch.int32)))
attempt("A float result into integers:", lambda: torch.arange(4).div_(2))
