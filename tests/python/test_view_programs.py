"""In-place writes through every kind of view, in chains and across dtypes, against the same programs told without views and
writes (tests/support/view_programs.py). KARAT_TEST_ALL tells a hundred times as many."""

import glob
import os
import random
import re
import sys

import karat

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
import view_programs  # noqa: E402

ALIAS = karat._karat.functions["alias"]


def test_random_programs():
    first = int(os.environ.get("KARAT_TEST_SEED", random.randrange(1 << 40)))
    print(f"KARAT_TEST_SEED={first}")  # shown where a program fails
    used, wrong = set(), []
    for seed in range(first, first + (60000 if os.environ.get("KARAT_TEST_ALL") else 600)):
        program = view_programs.Program(karat, seed, ALIAS)
        used |= program.used
        if program.mistakes:
            wrong.append("\n  ".join([f"seed {seed}", *program.steps, *program.refused, "mistakes:", *program.mistakes]))
    assert not wrong, "\n".join(wrong[:5])
    assert used >= set(view_programs.VIEWS) - {"imag", "real", "view_as_complex"}  # which few tensors allow


def test_every_view_of_the_table_is_tried():
    rows = set()
    for path in glob.glob(os.path.join(HERE, "..", "..", "src", "tables", "ops", "*.def")):
        with open(path) as table:
            for name, how, rest in re.findall(r"OP\((\w+),.*?\n\s+\w+, (VIEW|LIST), (.*?)\n", table.read()):
                if not rest.rstrip().endswith(" 0,") and not re.match("unsafe|.*_copy$", name):  # recorded, and views
                    rows.add(name)
    assert len(rows) > 20 and not rows - set(view_programs.VIEWS) - {"reshape_alias"}  # which reshape calls


def test_one_kind_of_view_at_a_time():
    """Chains of one kind: what a random program seldom makes."""
    for name in view_programs.VIEWS:
        for seed in range(20):
            program = view_programs.Program(karat, seed, ALIAS, [name])
            assert not program.mistakes, (name, seed, program.steps, program.mistakes)
    for names in (["real", "conj", "view_as_real"], ["view_as_complex", "unsqueeze", "conj_lazy", "imag"],
                  ["neg_view", "expand", "as_strided"], ["view_as_real", "view_as_complex", "select"]):
        for seed in range(60):
            program = view_programs.Program(karat, seed, ALIAS, names)
            assert not program.mistakes, (names, seed, program.steps, program.mistakes)


def test_a_lazy_view_that_shows_an_element_twice_is_filled():
    for value in (3, 0.5, 1 + 2j):
        z = karat.ones(3, dtype=karat.complex128)
        z.conj().expand(2, 3).fill_(value)
        assert z.tolist() == [complex(value).conjugate()] * 3
        karat._neg_view(z.conj()).expand(4, 3).fill_(value)
        assert z.tolist() == [-complex(value).conjugate()] * 3
        karat._neg_view(z.unfold(0, 2, 1)).fill_(value)
        assert z.tolist() == [-complex(value)] * 3
    i = karat.ones(2, dtype=karat.int32)
    karat._neg_view(i.expand(2, 2)).fill_(5)
    assert i.tolist() == [-5, -5]


def test_a_write_that_an_overlapping_view_allows():
    for view in (lambda a: a.expand(2, 3, 4), lambda a: a.unfold(0, 2, 1), lambda a: a.as_strided((2, 2), (1, 1))):
        for write in (lambda v: v.zero_(), lambda v: v.fill_(3)):
            x = karat.ones(4, requires_grad=True)
            a = x * 2
            v = view(a)
            write(v)
            (a.sum() + v.sum()).backward()
            shown = {0, 1, 2} if v.dim() == 2 and v.stride() == (1, 1) and v.shape == (2, 2) else {0, 1, 2, 3}
            assert x.grad.tolist() == [0.0 if i in shown else 2.0 for i in range(4)]
