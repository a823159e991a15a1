"""What happens when CUDA's runtime fails: each of its calls in turn, in small programs, where they are the first to use the
device and where all is there already. The error must come as one of Karat's, no memory or event may be lost, no error left
behind, and the next run must be right. Then blocks that wait for another stream while there is no memory left, and a read that
never comes. Only with kernels on the CPU (tests/cuda/on_cpu), whose runtime fails when it is told to.

    errors.py [PROGRAM ...]
"""
import ctypes
import gc
import os
import sys

os.environ.setdefault("KARAT_FALLBACK", "quiet")
import karat as torch

F = torch.nn.functional
runtime = ctypes.CDLL(os.path.join(os.environ["KARAT_BACKEND_PATH"], "libkarat_cuda.so"))


def on_device(*shape):
    return torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape).div(7).cuda()


def elementwise():
    x = on_device(3, 50)
    y = (x * 2 + x[:, :1]).to(torch.bfloat16).T.contiguous()
    return y.float() / 3, x[:, ::2].exp(), x.int() // 5


def copies():
    pinned = torch.arange(300.0).pin_memory()
    x = pinned.to("cuda", non_blocking=True)
    x.fill_(3)[:100] = pinned[:100].cuda()
    return x.cpu(), x[7].item(), torch.zeros(5, device="cuda").tolist()


def lines():
    x = on_device(4, 40)
    values, places = x.sin().sort(1, descending=True)
    return values, places, x.cumsum(1), x.topk(3).values, x.sin().unique()[:3], (x > 3).nonzero()


def sums():
    x = on_device(6, 30)
    wide = on_device(64, 128)
    more = wide.sum(0), wide.mean(0), F.layer_norm(wide, (128,))
    return *more, x.sum(), x.sum(0), x.argmax(1), x.softmax(1), F.layer_norm(x, (30,)), x.norm(), x.double().var(0)


def lists():
    x = [on_device(3 + i % 5) for i in range(9)]
    return *torch._foreach_norm(x), torch.cat(x), torch.stack([y[0] for y in x]), torch.nn.utils.get_total_norm(x)


def indexing():
    x, i = on_device(9, 4), torch.tensor([3, 1, 3], device="cuda")
    torch.use_deterministic_algorithms(True)
    try:
        y = x.index_add(0, i, on_device(3, 4))
        y[i] = on_device(3, 4)
    finally:
        torch.use_deterministic_algorithms(False)
    return x[i], y, x.scatter(0, i[:, None], 5.0), F.embedding(i, x), torch.where(x > 2, x, -x)


def products():
    x = on_device(5, 7)
    y = torch.bmm(on_device(2, 3, 4), on_device(2, 4, 3))
    return x @ x.T, F.linear(x, on_device(3, 7), on_device(3)), y, x.int() @ x.int().T


def images():
    x = on_device(1, 2, 6, 6).requires_grad_()
    y = F.interpolate(F.max_pool2d(F.conv2d(x, on_device(2, 2, 3, 3)), 2), scale_factor=2.0, mode="bilinear")
    y = F.batch_norm(y, None, None, training=True)
    y.square().sum().backward()
    return y.detach(), x.grad


def streams():
    side, done = torch.cuda.Stream(), torch.cuda.Event(enable_timing=True)
    x = on_device(600)
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x + 1
        x.record_stream(side)
        done.record()
    del x
    torch.cuda.current_stream().wait_event(done)
    done.synchronize()
    y.record_stream(torch.cuda.current_stream())
    return y.cpu()


def draws():
    torch.cuda.manual_seed(5)
    x = torch.rand(9, device="cuda")
    return x, torch.randperm(9, device="cuda"), F.dropout(on_device(20)), on_device(1, 9).multinomial(2)


def training():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    for number, parameter in enumerate(model.parameters()):
        parameter.data.copy_(torch.linspace(-1, 1, parameter.numel()).reshape(parameter.shape) + number / 10)
    model.cuda()
    optimizer, scaler = torch.optim.AdamW(model.parameters(), lr=0.1), torch.amp.GradScaler("cuda", init_scale=4.0)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(on_device(6, 4)), torch.tensor([0, 1, 2, 0, 1, 2], device="cuda"))
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
    return [parameter.detach() for parameter in model.parameters()]


PROGRAMS = (elementwise, copies, lines, sums, lists, indexing, products, images, streams, draws, training)


def flat(value):
    if isinstance(value, (tuple, list)):
        return [one for part in value for one in flat(part)]
    return [value.tolist() if isinstance(value, torch.Tensor) else value]


def held():
    gc.collect()
    return torch.cuda.memory_allocated(), runtime.on_cpu_events()


def fails_once(program, at):
    """The program while its call number `at` fails, then again: what that gives, and whether the first run was stopped."""
    runtime.on_cpu_fail(at)
    try:
        first = repr(flat(program()))
    except RuntimeError as error:
        assert str(error), f"{program.__name__}: call {at} failed without a word"
        first = None
    runtime.on_cpu_fail(0)
    assert runtime.on_cpu_last_error() == 0, f"{program.__name__}: call {at} left its error behind"
    again = repr(flat(program()))
    assert first in (None, again), f"{program.__name__}: wrong when call {at} failed"
    return again, first is None


def first_use(program):
    """Each of the calls fails once that a process makes which has not used the device yet: children, before this one does."""
    results, at = set(), 0
    while True:
        at += 1
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reads)
            runtime.on_cpu_fail(at)
            reached = "failed"
            try:
                flat(program())
                reached = "over" if runtime.on_cpu_left_to_fail() > 0 else reached
            except RuntimeError:
                pass
            again, _ = fails_once(program, 0)
            os.write(writes, f"{reached} {hash(again)}".encode())
            os._exit(0)
        os.close(writes)
        with os.fdopen(reads) as answer:
            reached, _, result = answer.read().partition(" ")
        assert os.waitpid(child, 0)[1] == 0 and reached, f"{program.__name__}: a first use whose call {at} failed"
        results.add(result)
        if reached == "over":
            break
    assert len(results) == 1, f"{program.__name__}: results differ after a first use that failed"
    print(f"{program.__name__}: {at - 1} calls of a first use failed in turn")


def every_call(program):
    """Each of its calls fails once. Prints how many there were, and how many of them the program did not notice."""
    torch.cuda.synchronize()
    right = repr(flat(program()))
    assert repr(flat(program())) == right, "it differs from run to run"
    before = held()
    torch.cuda.empty_cache()
    begin = runtime.on_cpu_calls()
    flat(program())
    calls, unnoticed = runtime.on_cpu_calls() - begin, 0
    for at in range(1, calls + 1):
        torch.cuda.empty_cache()
        again, stopped = fails_once(program, at)
        unnoticed += not stopped
        assert again == right, f"{program.__name__}: wrong in the run after call {at} failed"
        assert held() == before, f"{program.__name__}: call {at} failed, and {held()} are held instead of {before}"
    print(f"{program.__name__}: {calls} calls of the runtime failed in turn; {unnoticed} did not stop it")


def blocks_that_wait():
    """With no memory left, blocks that another stream's work holds are waited for."""
    side = torch.cuda.Stream()
    torch.cuda.empty_cache()
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + (30 << 20)) / total)
    runtime.on_cpu_keep_events_waiting(1)
    try:
        for _ in range(4):
            x = torch.ones(5 << 20, device="cuda")  # 20 MiB
            x.record_stream(side)
            del x
        part = torch.ones(2 << 20, device="cuda")  # of a segment of 20 MiB, 8 of which are in use
        for _ in range(4):
            x = torch.ones(2 << 20, device="cuda")
            x.record_stream(side)
            del x
        del part
    finally:
        runtime.on_cpu_keep_events_waiting(0)
        torch.cuda.set_per_process_memory_fraction(1.0)
    torch.cuda.empty_cache()
    assert runtime.on_cpu_last_error() == 0
    print("blocks that wait for a stream are waited for when there is no memory left")


def a_table_that_is_not_made_yet():
    """That work is not done yet is no error for whoever asks for the last one."""
    x = torch.ones(1 << 20, device="cuda", dtype=torch.bfloat16)
    runtime.on_cpu_keep_events_waiting(1)
    try:
        for _ in range(3):  # the second makes a table of results
            y = F.gelu(x)
            assert runtime.on_cpu_last_error() == 0
    finally:
        runtime.on_cpu_keep_events_waiting(0)
    assert y[-1].item() == F.gelu(torch.ones(1, dtype=torch.bfloat16)).item()
    print("work that is not done yet leaves no error behind")


def a_value_that_is_not_read():
    """A read whose kernel never ran ends with an error, not never."""
    x = on_device(3)
    runtime.on_cpu_lose_launches(1)
    try:
        x[1].item()
    except RuntimeError as error:
        assert "a value was not read" in str(error), error
    else:
        raise AssertionError("no error")
    finally:
        runtime.on_cpu_lose_launches(0)
    assert x.tolist() == torch.arange(3.0).div(7).tolist()
    print("a value that is not read is an error")


def classes():
    """What a kernel finds, and what a call of the runtime says, is PyTorch's error of an accelerator, with CUDA's number."""
    def raised(call):
        try:
            call()
            torch.cuda.synchronize()
        except Exception as error:
            return error
        raise AssertionError("no error")

    def captures():
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            on_device(3)

    x = torch.arange(3, device="cuda")
    zeros, far = torch.zeros_like(x), torch.tensor([9], device="cuda")
    for call, also, code in ((lambda: x // zeros, RuntimeError, 710), (lambda: x[far], IndexError, 710),
                             (captures, RuntimeError, 801)):  # nothing is captured here
        error = raised(call)
        assert isinstance(error, torch.AcceleratorError) and isinstance(error, also) and error.error_code == code, repr(error)
    assert x.tolist() == [0, 1, 2] and runtime.on_cpu_last_error() == 0
    print("errors of the device are AcceleratorErrors")


if __name__ == "__main__":
    chosen = [program for program in PROGRAMS if not sys.argv[1:] or program.__name__ in sys.argv[1:]]
    for program in chosen:
        first_use(program)
    for program in chosen:
        every_call(program)
    blocks_that_wait()
    a_table_that_is_not_made_yet()
    a_value_that_is_not_read()
    classes()
