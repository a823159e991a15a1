"""Random programs, a sample: each runs twice and shows the same, no error is an internal one, and nothing stays behind. What they
give is compared with PyTorch by hand (tests/random/run.py). A failure names seed and number; run.py --seed S --only N shows the
program."""

import gc
import os
import random
import sys

import karat

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "random"))
import execute  # noqa: E402
import write  # noqa: E402

SEED = os.environ.get("KARAT_TEST_SEED") or str(random.SystemRandom().randrange(10 ** 6))
PROGRAMS = 2000 if os.environ.get("KARAT_TEST_ALL") else 100


def test_programs_run_twice_alike():
    print("seed", SEED)
    for index in range(PROGRAMS):
        program = write.program(karat, SEED, index)
        where = f"seed {SEED}, program {index}:\n" + "\n".join(program)
        first, second = (execute.execute(karat, program, index % 2 == 0) for _ in range(2))
        assert [(e, s) for e, _, s in first] == [(e, s) for e, _, s in second], where  # some warnings come once
        for error, _, _ in first:
            assert not error or (error[0] != "SystemError" and "INTERNAL" not in error[1]), (error, where)


def test_programs_leave_nothing():
    def run(program):
        execute.execute(karat, program, False)
        gc.collect()
        return karat.memory_stats()["live_bytes"]

    for index in range(PROGRAMS // 4):
        program = write.program(karat, SEED, index)
        if any(".backward(" in line and "create_graph" in line for line in program):
            continue  # the gradient then holds the graph and the graph the tensor, as backward() warns
        before = run(program)
        assert run(program) == before, f"seed {SEED}, program {index} leaves memory behind:\n" + "\n".join(program)
