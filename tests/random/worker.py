"""worker.py - one side of a run: a process that holds karat or torch and answers requests until its input ends.

worker.py MODULE [THREADS]: pickled requests on stdin, pickled answers on stdout. ("write", family, seed, index) gives a program,
("run", program, each) what it showed. What the program itself prints goes to stderr.
"""

import importlib
import os
import pickle
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import execute  # noqa: E402
import write  # noqa: E402
import write_autograd  # noqa: E402
import write_wide  # noqa: E402

FAMILIES = {"operators": write.program, "autograd": write_autograd.program,
            "wide": write_wide.program}


def main():
    module = importlib.import_module(sys.argv[1])
    module.set_num_threads(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    module.set_warn_always(True)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        if request[0] == "write":
            answer = FAMILIES[request[1]](module, *request[2:])
        else:
            answer = execute.execute(module, *request[1:])
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
