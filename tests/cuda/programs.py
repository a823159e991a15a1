"""Random programs on the GPU beside the CPU: tests/random/write.py writes them, each runs on both devices, and what can be seen
after every statement is compared as with PyTorch (tests/random/compare.py). Prints the seed; a difference that nobody has
explained is printed with the shortest program that shows it, and the exit status is 1.

    programs.py [--programs 1000] [--seed S] [--only N] [--jobs N]
"""
import argparse
import collections
import concurrent.futures
import multiprocessing
import os
import random
import re
import sys
import time

os.environ.setdefault("KARAT_FALLBACK", "quiet")  # what has no kernel yet is compared as well; fallbacks.py lists it
os.environ.setdefault("KARAT_MEMORY_LIMIT", "2g")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "random"))
import karat

import compare
import execute
import known_values
import run
import statement
import write

def sums_in_any_order(d, c):
    return d.kind == "values" and statement.order_is_open(c.program[:d.at + 1]) and (
        c.gap is not None and c.gap.is_float and c.within(c.gap))


SUMS = re.compile(r"\.linalg\.|pinverse\(|_norm\(|norm_except_dim\(|_stats\(|_loss\(|attention\(")
PUTS = re.compile(r"index_copy|index_put|scatter_?\(|\bput_?\(|^t\d+(\[\d+\])?\[.*(t\d|\[).*\] [-+*/]?= ")
PRODUCTS = re.compile(r"@|\b(inner|matmul|mm|bmm|mv|v?dot|addmm|addmv|baddbmm|addbmm|addr|outer|einsum|linear|tensordot|"
                      r"bilinear)_?\(")
DRAWS = re.compile(r"dropout_p=0*\.?0*[1-9]")
RARE = re.compile(r"special\.|\b(gammaincc?|igammac?|lgamma|mvlgamma|digamma|polygamma|erfinv|i0|sinc|log_ndtr|"
                  r"logcumsumexp)_?\(")
SIGNS = re.compile(r"\b(signbit|copysign)_?\(")
INFINITE = re.compile(r"inf[-+][\d.]+j|[-+]infj")
TENSOR = re.compile(r"\bt\d+\b")


raised = set()  # statements of the program at hand that failed on both devices


def touched_by(writes, program):
    """Tensors that hold, or are made of, what such statements wrote: the written one and those that it may be a view of, then
    all that are made of these or written with them."""
    made_of, open_ones = {}, set()
    for line in program:
        names = TENSOR.findall(line)
        if not names:
            continue
        to = names[0]  # the result, or what is changed in place; of a call without either, an input
        reads = set(names[1:] if re.match(rf"(with .*: )?{to} = ", line) else names)
        if writes(line) or reads & open_ones:
            changed, seen = names[:2] if to not in reads and writes(line) else [to], set()
            while changed:  # what it may be a view of
                name = changed.pop()
                if name not in seen:
                    seen.add(name)
                    changed += made_of.get(name, ())
            open_ones |= seen
        if to not in reads:
            made_of[to] = reads
            open_ones |= {to} if reads & open_ones else set()
    return open_ones


def is_touched(d, c, writes):
    return not touched_by(writes, c.program[:d.at + 1]).isdisjoint(TENSOR.findall(f"{d.where} {d.statement}"))


def several_at_one_place(d, c):
    """Elements that are put where indices name a place twice: some one stays, and all that is made of it differs."""
    return d.kind == "values" and is_touched(d, c, PUTS.search)


def complex_infinities(d, c):
    """An infinity in a complex product, or what was made of one."""
    return known_values.complex_infinities(d, c) or (
        d.kind == "values" and any(map(INFINITE.search, c.program)) and is_touched(d, c, PRODUCTS.search))


def written_before_it_failed(d, c):
    """Where a call fails, the CPU leaves the tensor that it was to change; a kernel has written it when the error is known."""
    return d.kind == "values" and is_touched(d, c, raised.__contains__)


def recorded_before_it_failed(d, c):
    """As written: the tape has the call, and the tensor its version."""
    return (d.kind in ("grad_fn", "requires_grad") and (c.errors or is_touched(d, c, raised.__contains__))
            or d.kind.endswith("version") and isinstance(d.karat, int) and d.karat > d.torch
            or d.kind == "raised by karat" and raised and "modified by an inplace operation" in str(d.karat))


def mean_of_infinities(d, c):
    """A norm's mean is a sum over n here; on the CPU it is mended element by element, and an infinity leaves a NaN."""
    return d.kind == "values" and "_norm(" in d.statement and "nan" in str(d.torch) and "inf" in str(d.karat)


def dtypes_of_norms(d, c):
    """As in PyTorch a norm of 16 bits takes no float32 weights on CUDA; on the CPU it does."""
    return d.kind == "raised by karat" and "_norm(" in d.statement and "expected scalar type" in str(d.karat)


ADDS = re.compile(r"trapezoid\(|sum\(|mean\(|cumsum|logcumsumexp|\bvar\(|\bstd\(|@|mm\(|matmul\(|linear\(")


def sums_of_other_bits(d, c):
    """Numbers that were the bits of another dtype are of any size: what their sum leaves depends on its order."""
    return (d.kind == "values" and any(".view(torch." in line for line in c.program[:d.at + 1])
            and is_touched(d, c, lambda line: ADDS.search(line)))


FOUND_BY_KERNELS = re.compile(r"negative entry|cannot be negative|sum to zero|should be between 0 and 1|out of range|"
                              r"out of bounds|ZeroDivisionError")


def another_error_first(d, c):
    """Values are looked at late: what is refused for its dtypes or sizes comes first."""
    return d.kind == "error type" and FOUND_BY_KERNELS.search(str(d.torch))


def warned_before_it_failed(d, c):
    """As another error: a call goes on, and warns, until what a kernel found in its operands is known (cov's weights)."""
    return d.kind == "warnings" and c.errors and FOUND_BY_KERNELS.search(c.errors[1]) and set(d.torch) < set(d.karat)


KNOWN = [
    (several_at_one_place, "of several elements that are put at one place some one stays"),
    (sums_in_any_order, "sums at one place are atomic: their order is open"),
    (written_before_it_failed, "an error that a kernel finds comes late: elements were written"),
    (known_values.zero_signs, "the sign of a zero"),
    (complex_infinities,
     "a finite part beside an infinite one is lost in one order of a complex product, not in another"),
    (lambda d, c: d.kind == "values" and c.gap is not None and c.gap.dtype == "complex128" and c.gap.share() < 1e-13,
     "functions of complex128 are CUDA's"),
    (recorded_before_it_failed, "an error that a kernel finds comes late: the write was counted"),
    (another_error_first, "an error that a kernel finds comes late: another one came first"),
    (warned_before_it_failed, "an error that a kernel finds comes late: a warning came first"),
    (lambda d, c: d.kind == "grad_fn" and statement.plain_op(d) == "scaled_dot_product_attention",
     "attention on CUDA is a kernel where the CPU makes small ones of other operators, which have their own gradients"),
    (lambda d, c: d.kind == "raised by karat" and statement.op(d) == "backward" and "modified by an inplace" in str(d)
     and any("scaled_dot_product_attention(" in line for line in c.program),
     "attention on CUDA saves its operands, of which the CPU's small ones save casts"),
    (lambda d, c: d.kind == "strides" and statement.op(d) == "backward"
     and any("scaled_dot_product_attention(" in line for line in c.program),
     "attention on CUDA is a kernel, whose gradients have other strides where a dim has one element"),
    (lambda d, c: d.kind == "shape" and statement.plain_op(d) == "pixel_unshuffle",
     "the CPU leaves the shape of an empty image as it is, as PyTorch's does"),
    (dtypes_of_norms, "norms on CUDA take weights of the input's dtype alone"),
    (mean_of_infinities, "the mean of infinities"),
    (sums_of_other_bits, "sums of what were the bits of another dtype, in another order"),
    (lambda d, c: statement.plain_op(d) in ("signbit", "copysign"), "which NaN an operation makes, and so its sign"),
    (lambda d, c: d.kind == "values" and compare.AFTER in d.where and is_touched(d, c, SIGNS.search),
     "the sign of what is left where equal terms cancel: a kernel fuses a product and a sum"),
    (lambda d, c: d.kind == "values" and is_touched(d, c, DRAWS.search), "drawn: the generators differ, as in PyTorch"),
    (lambda d, c: d.kind == "values" and c.gap is not None and c.gap.dtype == "float64" and is_touched(d, c, RARE.search)
     and (c.within(c.gap) or c.gap.share() < 1e-13),
     "in rare functions of float64 CUDA's exp, log and sin stand in for the C library's"),
    (lambda d, c: SUMS.search(d.statement) and c.gap is not None and c.gap.is_float and c.within(c.gap),
     "sums have another order"),
    (lambda d, c: statement.op(d) == "backward" and d.kind == "values" and any("pinv(" in line for line in c.program),
     "of a matrix without full rank the slope of an inverse is none"),
]


def by_design(difference, comparison):
    for test, reason in KNOWN:
        if test(difference, comparison):
            return reason
    return None


compare.known = by_design


class Devices:
    """The GPU and the CPU in this process, as run.py's functions want a pair."""

    def on(self, device, program, each):
        karat.set_default_device(device)
        execute.wait = karat.cuda.synchronize if device == "cuda" else lambda: None
        try:
            return execute.execute(karat, program, each)
        finally:
            karat.set_default_device(None)
            execute.wait = lambda: None

    def differences(self, program, each):
        answers = [self.on(device, program, each) for device in ("cuda", "cpu")]
        raised.clear()
        raised.update(line for line, here, there in zip(program, *answers) if here[0] and there[0])
        found = compare.compare(program, *answers, each)
        for i, difference in enumerate(found):
            if difference.reason is None and "differed before" in difference.where:
                found[i] = run.Pair.judged(self, difference, compare.again(program, difference.at, answers[1]))
        return found

    def looking_changes(self, program):
        """Whether the tensors at the end are others where nobody looked before, on either device."""
        ends = [[self.on(device, program, each)[-1][2] for each in (True, False)] for device in ("cuda", "cpu")]
        return any(looked != at_the_end for looked, at_the_end in ends)


def written(seed, index):
    """A program without random numbers: the generators differ, as in PyTorch."""
    if not write.ROWS:
        write.ROWS.extend(row for row in write.rows(karat) if row[1] not in write.RANDOM)
    return write.program(karat, seed, index)


def one(job):
    """(index, statements, [(kind, reason, text)]) of one program."""
    seed, index = job
    devices, each = Devices(), index % 2 == 0
    program = written(seed, index)
    found, told = devices.differences(program, each) if program else [], []
    if any(difference.reason is None for difference in found) and not each:  # as run.one: what a statement makes of its operands
        looked = devices.differences(program, True)
        rounded = not looked and all(f.kind == "values" for f in found) and not devices.looking_changes(program)
        found, each = (looked, True) if looked or rounded else (found, each)
    for difference in found:
        shown, shortest = difference, program
        if difference.reason is None:
            shortest, shown = run.shrink(devices, program, each, run.signature(difference))
            shown = shown or difference
        text = (f"{shown.kind} ({statement.operator(shown.statement)}) {shown.where}\n   GPU {str(shown.karat)[:300]}\n"
                f"   CPU {str(shown.torch)[:300]}\n   " + "\n   ".join(shortest))
        told.append((run.signature(difference), difference.reason, text))
    return index, len(program), told


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", default=os.environ.get("KARAT_TEST_SEED") or str(random.SystemRandom().randrange(10 ** 6)))
    parser.add_argument("--only", type=int)
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 12))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    started = time.time()
    if options.only is not None:
        print("\n".join(written(options.seed, options.only)))
    indices = [options.only] if options.only is not None else range(options.programs)
    reasons, findings, statements, done = collections.Counter(), collections.Counter(), 0, 0
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        for index, count, told in pool.map(one, ((options.seed, i) for i in indices), chunksize=4):
            statements, done = statements + count, done + 1
            for kind, reason, text in told:
                if reason:
                    reasons[reason] += 1
                    continue
                findings[kind] += 1
                if findings[kind] == 1:
                    print(f"\n== {index}: {text}", flush=True)
    print(f"\nseed {options.seed}: {done} programs, {statements} statements, {time.time() - started:.0f} s")
    print(f"by design: {sum(reasons.values())}")
    for reason, count in reasons.most_common():
        print(f"  {count:6} {reason}")
    print(f"not explained: {sum(findings.values())}")
    for kind, count in findings.most_common():
        print(f"  {count:6} {' | '.join(kind)}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
