"""What the tests of kernels on a GPU share: results of the device beside the CPU's, and how parts of a test are run."""
import os
import random
import sys

os.environ["KARAT_FALLBACK"] = "error"
import karat as torch

F = torch.nn.functional
torch.backends.cudnn.allow_tf32 = False  # families.py asks for it where it is tested
SEED = int(os.environ.get("KARAT_TEST_SEED", random.SystemRandom().randrange(1 << 31)))
TOLERANCE = {torch.float64: 4e-12, torch.float32: 2e-5, torch.bfloat16: 2e-2, torch.float16: 3e-3}
FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
checked = failed = calls = 0
SHARE, SAMPLE = map(int, ("0/" + os.environ.get("KARAT_TEST_SAMPLE", "1")).split("/")[-2:])  # k/n: of n calls the k-th is made


def fail(what, why):
    global failed
    failed += 1
    if failed <= 60:
        print(f"  {what}: {why}")


def compare(what, here, there, exact=False, loose=1, terms=1, moved=0.0):
    """The result of the CPU and that of the device; loose: how many times the tolerance; terms: how many numbers of about one
    were added up in all, since of sums that nearly cancel little is left; moved: by how much each of them may differ in the same
    direction, where a rounded number was taken from it."""
    global checked
    for x, y in zip(here, there) if isinstance(here, (tuple, list)) else ((here, there),):
        checked += 1
        y = y.cpu()
        if x.is_complex() and y.is_complex():
            x, y = torch.view_as_real(x.resolve_conj()), torch.view_as_real(y.resolve_conj())
        if x.dtype != y.dtype or x.shape != y.shape:
            fail(what, f"{x.dtype} {tuple(x.shape)}, there {y.dtype} {tuple(y.shape)}")
        elif exact or x.dtype not in TOLERANCE:
            if not torch.equal(x, y):
                fail(what, f"{int((x != y).sum())} of {x.numel()} differ")
        elif x.numel():
            a, b = torch.nan_to_num(x.double(), posinf=1e300), torch.nan_to_num(y.double(), posinf=1e300)
            each = terms / x.numel()
            scale = max(a.abs().max().item(), each ** 0.5 if each > 64 else 1e-2)
            worst, allowed = (a - b).abs().max().item(), TOLERANCE[x.dtype] * loose * scale + moved * each
            if not worst <= allowed:
                fail(what, f"differs by {worst:.3g}, allowed {allowed:.3g}")


def is_chosen():
    """The next call is one of the share that is made."""
    global calls
    calls += 1
    return calls % SAMPLE == SHARE


def both(what, call, *tensors, **how):
    if not is_chosen():
        return
    here = call(*tensors)
    try:
        there = call(*[t.to("cuda") if isinstance(t, torch.Tensor) else t for t in tensors])
        compare(what, here, there, **how)
    except RuntimeError as error:
        fail(what, str(error).splitlines()[0])


def values(shape, dtype):
    if dtype == torch.bool:
        return torch.rand(shape) > 0.5
    if dtype.is_complex:
        return torch.complex(torch.randn(shape, dtype=dtype.to_real()), torch.randn(shape, dtype=dtype.to_real()))
    if not dtype.is_floating_point:
        return torch.randint(0, 100, shape).to(dtype)
    return torch.randn(shape).to(dtype)


def run(parts):
    """Those that the arguments name, or all; then ends the program."""
    torch.manual_seed(SEED)
    print(f"KARAT_TEST_SEED={SEED}")
    for part in parts:
        if sys.argv[1:] and part.__name__ not in sys.argv[1:]:
            continue
        before, wrong = checked, failed
        try:
            part()
            torch.cuda.synchronize()
        except Exception as error:  # the other parts are still worth their answers
            fail(part.__name__, f"{type(error).__name__}: {error}")
        print(f"{part.__name__}: {checked - before} results compared, {failed - wrong} wrong", flush=True)
    sys.exit(failed > 0)
