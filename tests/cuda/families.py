"""Kernels of the CUDA backend that add up or move, against the CPU's: every family over dtypes, layouts and sizes. Nothing may
fall back to the CPU. What only moves or counts is compared exactly, sums with the tolerance of another order. Arguments: the
families that are wanted, all without any."""
import functools
import os

from against_cpu import F, FLOATS, both, compare, fail, is_chosen, run, torch, values


def layouts(dtype):
    """Tensors of one dtype, and the dims to reduce."""
    yield "dense", values((300, 1000), dtype), (None, 0, 1)
    yield "long", values((1000003,), dtype), (None,)
    yield "three dims", values((31, 33, 70), dtype), (None, 0, 1, 2, (0, 2), (1, 2))
    yield "turned", values((257, 64, 12), dtype).permute(2, 0, 1), (0, 1, 2, (0, 1))
    yield "stepped", values((128, 515), dtype)[::2, 1::3], (None, 0, 1)
    yield "tall", values((70000, 24), dtype), (None, 0, 1)
    yield "many short", values((40000, 5), dtype), (0, 1)


def reductions():
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8, torch.bool):
        for name, x, dims in layouts(dtype):
            for dim in dims:
                arg = {} if dim is None else {"dim": dim}
                for op in ("sum", "any", "all", "count_nonzero"):
                    both(f"{op} {dtype} {name} {dim}", lambda t: getattr(torch, op)(t, **arg), x)
                if dtype != torch.bool:
                    dims = {"dim": ()} if dim is None else arg
                    both(f"amax {dtype} {name} {dim}", lambda t: torch.amax(t, **dims), x, exact=True)
                    both(f"amin {dtype} {name} {dim}", lambda t: torch.amin(t, **dims), x, exact=True)
                if not isinstance(dim, tuple) and dtype != torch.bool:
                    both(f"argmax {dtype} {name} {dim}", lambda t: torch.argmax(t, dim), x)
                    both(f"argmin {dtype} {name} {dim}", lambda t: torch.argmin(t, dim), x)
                    if dim is not None:
                        both(f"max {dtype} {name} {dim}", lambda t: tuple(torch.max(t, dim)), x, exact=True)
                        both(f"min {dtype} {name} {dim}", lambda t: tuple(torch.min(t, dim)), x, exact=True)
                if dtype.is_floating_point:
                    for op in ("mean", "nansum", "nanmean", "var", "std"):
                        both(f"{op} {dtype} {name} {dim}", lambda t: getattr(torch, op)(t, **arg), x)
                    both(f"var_mean {dtype} {name} {dim}", lambda t: torch.var_mean(t, **arg), x)
                    for p in (0, 1, 2, 3.5, float("inf"), -float("inf")):
                        both(f"norm {p} {dtype} {name} {dim}", lambda t: torch.linalg.vector_norm(t, p, **arg), x)
                    if dim is not None:
                        both(f"logsumexp {dtype} {name} {dim}", lambda t: torch.logsumexp(t, dim), x)
    for rows, columns in ((64, 128), (100, 136), (515, 768), (1029, 2304), (65, 264), (70, 777)):  # of columns by vectors
        for dtype in FLOATS[:3]:
            x = values((rows, columns), dtype)
            for op in ("sum", "mean"):
                both(f"{op} {dtype} of columns {rows} x {columns}", lambda t: getattr(torch, op)(t, 0), x)
                both(f"{op} {dtype} of half the columns", lambda t: getattr(torch, op)(t[:, :columns // 2], 0), x)
                both(f"{op} {dtype} into steps", lambda t: getattr(torch, op)(t, 0, out=torch.empty(
                    2 * columns, dtype=dtype, device=t.device)[::2]), x)
    few = 1 + torch.rand(40, 30) / 8
    both("prod", lambda t: torch.prod(t, 1), few)
    both("aminmax", lambda t: tuple(torch.aminmax(t)), few, exact=True)
    for special in (float("nan"), float("inf"), -float("inf")):
        x = values((50, 1000), torch.float32)
        x[::3, 500] = special
        for op in ("argmax", "argmin", "amax", "amin"):
            a, b = getattr(torch, op)(x, 1), getattr(torch, op)(x.cuda(), 1).cpu()
            a, b = torch.nan_to_num(a.double(), nan=12345.0), torch.nan_to_num(b.double(), nan=12345.0)
            compare(f"{op} with {special}", a, b, True)


def extremes():
    """Squares, and squares of sums, that float64 has not."""
    for size in (1e-170, 1e151, 1e152, 1e155, 1e200):
        for name, x in (("lines", values((2, 5000), torch.float64)), ("columns", values((5000, 2), torch.float64).T),
                        ("few", values((2, 6), torch.float64))):
            x = x.sign() * size + size / 3
            x[:, 0] = -x[:, 1]
            for op in ("var", "std"):
                both(f"{op} of {size} {name}", lambda t: getattr(torch, op)(t, 1), x)
                both(f"{op} of complex {size} {name}", lambda t: getattr(torch, op)(torch.complex(t, -t), 1), x)


def softmaxes():
    for dtype in FLOATS:
        for shape, dim in (((100, 7), 1), ((1000, 64), 1), ((5000, 1024), 1), ((64, 1000), 1), ((40, 5000), 1), ((8, 8192), 1),
                           ((6, 50257), 1), ((64, 30, 20), 1), ((200, 5000), 0), ((3, 4096, 9), 1), ((17,), 0)):
            x, g = values(shape, dtype) * 4, values(shape, dtype)
            for op in (torch.softmax, torch.log_softmax):
                both(f"{op.__name__} {dtype} {shape} {dim}", lambda t: op(t, dim), x)

                def back(t, up):
                    t = t.detach().clone().requires_grad_()
                    op(t, dim).backward(up)
                    return t.grad

                both(f"{op.__name__} backward {dtype} {shape} {dim}", back, x, g)


def entropies():
    """Cross entropy in one pass: against the CPU, and against its parts there."""
    for dtype in FLOATS:
        for rows, classes in ((5, 3), (300, 64), (1000, 1000), (40, 5001), (9, 50257), (70000, 10), (128, 4096)):
            x, t = values((rows, classes), dtype) * 3, torch.randint(0, classes, (rows,))
            t[::5] = -100
            w = torch.rand(classes).to(dtype)

            def run(logits, named, weight, reduction, at_once=True):
                logits = logits.detach().clone().requires_grad_()
                f = F.cross_entropy if at_once else lambda a, *b, **c: F.nll_loss(F.log_softmax(a, 1), *b, **c)
                loss = f(logits, named, weight, reduction=reduction)
                loss.backward(torch.full_like(loss, 0.75))
                return loss.detach(), logits.grad

            for reduction in ("mean", "none"):
                both(f"cross_entropy {dtype} {rows} x {classes} {reduction}", lambda *a: run(*a, reduction), x, t, w)
                there = (x.cuda(), t.cuda(), None, reduction)
                parts = [y.cpu() for y in run(*there, at_once=False)]
                compare(f"cross_entropy {dtype} {rows} x {classes} and its parts", parts, run(*there))
            if dtype in (torch.bfloat16, torch.float16):  # read as float32
                def wide(logits, named):
                    logits = logits.detach().clone().requires_grad_()
                    with torch.autocast(logits.device.type, dtype):
                        loss = F.cross_entropy(logits, named)
                    loss.backward()
                    return loss.detach(), logits.grad

                both(f"cross_entropy {dtype} {rows} x {classes} under autocast", wide, x, t)
        for classes in (100, 1024, 5003):  # what is no number, and lines that are nothing but infinities
            x, t = values((6, classes), dtype) * 5, torch.randint(0, classes, (6,))
            x[1], x[2, 3], x[3, :classes // 2], x[4, 7] = -float("inf"), float("nan"), -float("inf"), float("inf")
            both(f"cross_entropy {dtype} of infinities {classes}", lambda a, b: torch.nan_to_num(
                F.cross_entropy(a, b, reduction="none").double(), 1e6, 2e6, 3e6).float(), x, t)
        if dtype == torch.bfloat16:
            x, t = values((17000, 1300), dtype), torch.randint(0, 1300, (17000,))
            both("cross_entropy of many long lines", F.cross_entropy, x, t)
        turned = values((4100, 64), dtype)
        named = torch.randint(0, 4100, (64,))
        both(f"cross_entropy {dtype} turned", lambda a, b: run(a.T, b, None, "sum"), turned, named)


def gelu_of_addmm(c, a, b):
    """By tanh, as the GPU's library has it."""
    return torch._addmm_activation(c, a, b, use_gelu=True) if a.is_cuda else F.gelu(torch.addmm(c, a, b), approximate="tanh")


def products():
    sizes = ((64, 64, 64), (1, 1000, 300), (300, 1, 5), (129, 257, 33), (1024, 512, 768), (3, 2, 1))
    for dtype in FLOATS + (torch.int64, torch.int32):
        for m, k, n in sizes:
            a, b = values((m, k), dtype), values((k, n), dtype)
            if not dtype.is_floating_point:
                a, b = a[:100, :100] % 7, b[:100, :100] % 7
                m, k, n = a.shape[0], a.shape[1], b.shape[1]
            what = f"{dtype} {m}x{k}x{n}"
            both(f"mm {what}", torch.mm, a, b)
            both(f"mm a.T {what}", lambda x, y: torch.mm(x.T, y), a.T.contiguous(), b)
            both(f"mm b.T {what}", lambda x, y: torch.mm(x, y.T), a, b.T.contiguous())
            both(f"mm both {what}", lambda x, y: torch.mm(x.T, y.T), a.T.contiguous(), b.T.contiguous())
            both(f"mm into a turned one {what}",
                 lambda x, y: torch.mm(x, y, out=torch.empty(n, m, dtype=dtype, device=x.device).T), a, b)
            both(f"mm of steps {what}", lambda x, y: torch.mm(x[::2, ::2], y[::2]), a, b)
            both(f"mv {what}", lambda x, y: torch.mv(x, y[:, 0]), a, b, terms=m * k)
            if dtype.is_floating_point:
                bias, full = values((n,), dtype), values((m, n), dtype)
                both(f"addmm bias {what}", torch.addmm, bias, a, b)
                both(f"addmm full {what}", lambda c, x, y: torch.addmm(c, x, y, beta=0.5, alpha=2), full, a, b)
                both(f"addmm scaled bias {what}", lambda c, x, y: torch.addmm(c, x, y, beta=3), bias, a, b)
                both(f"addmm_ {what}", lambda c, x, y: c.clone().addmm_(x, y), full, a, b)
                both(f"addmm column {what}", torch.addmm, values((m, 1), dtype), a, b)
                both(f"linear {what}", F.linear, a, b.T.contiguous(), bias)
                both(f"relu of addmm {what}", torch._addmm_activation, bias, a, b)
                both(f"relu of addmm full {what}", lambda c, x, y: torch._addmm_activation(c, x, y, beta=0.5, alpha=2), full, a,
                     b)
                both(f"gelu of addmm {what}", gelu_of_addmm, bias / k ** 0.5, a / k ** 0.5, b)
        if not dtype.is_floating_point:
            continue
        a, b = values((5, 6, 40, 33), dtype), values((5, 6, 33, 21), dtype)
        both(f"matmul of batches {dtype}", torch.matmul, a, b)
        both(f"matmul broadcast {dtype}", torch.matmul, a, b[0])
        both(f"matmul broadcast twice {dtype}", torch.matmul, a[:, :1], b[:1])
        both(f"matmul turned {dtype}", torch.matmul, a.transpose(0, 1), b.transpose(0, 1))
        both(f"matmul one matrix {dtype}", torch.matmul, a, b[0, 0])
        heads = values((5, 16, 3, 6, 8), dtype)  # of attention: [batch, place, q k v, head, element]
        q, k, v = (heads[:, :, i].transpose(1, 2) for i in range(3))
        both(f"matmul of heads {dtype}", lambda q, k, v: q @ k.mT @ v, q, k, v)
        both(f"matmul of heads by a shared one {dtype}", lambda q, k: q @ k[:1].mT, q, k)
        both(f"baddbmm of heads {dtype}", lambda c, q, k: torch.matmul(q, k.mT) + torch.baddbmm(c, q[0], k[0].mT)[None],
             values((6, 16, 16), dtype), q, k)
        both(f"bmm {dtype}", torch.bmm, a[0], b[0])
        both(f"baddbmm {dtype}", torch.baddbmm, values((40, 21), dtype), a[0], b[0])
    whole = torch.arange(24).reshape(2, 3, 4)
    both("baddbmm of integers", lambda c, a, b: torch.baddbmm(c, a, b, beta=2, alpha=3), whole[:, :, :3], whole, whole.mT)
    both("baddbmm of integers, fractions", lambda c, a, b: torch.baddbmm(c, a, b, beta=0.6, alpha=1.5), whole[:, :, :3], whole,
         whole.mT)
    both("mm of nothing", torch.mm, torch.ones(3, 0), torch.ones(0, 4))
    both("addmm of nothing", torch.addmm, torch.ones(4), torch.ones(3, 0), torch.ones(0, 4))
    both("float64 of steps", lambda x: torch.mm(x[:, ::2], x[:, 1::2].T), values((33, 40), torch.float64))


def float8():
    """Products of float8 matrices, which the library multiplies as they are where sizes and layouts are its own: the CPU's
    numbers, and PyTorch's where it is here."""
    scales = [torch.tensor(2.0), torch.tensor(0.25)]
    for kinds in ((torch.float8_e4m3fn, torch.float8_e4m3fn), (torch.float8_e5m2, torch.float8_e4m3fn),
                  (torch.float8_e5m2, torch.float8_e5m2)):
        for m, n, k in ((16, 32, 48), (64, 96, 256), (17, 33, 40), (256, 512, 1024), (1, 16, 16)):
            a, b = torch.randn(m, k).to(kinds[0]), torch.randn(n, k).to(kinds[1])
            for columns in (b.t(), b.t().contiguous()):
                for out in (torch.float32, torch.bfloat16):
                    both(f"_scaled_mm {kinds} {m, n, k} {columns.stride()} {out}", lambda x, y, s, t: torch._scaled_mm(
                        x, y, s, t, out_dtype=out), a, columns, *scales, loose=20)
    try:
        import torch as other
    except ImportError:
        return
    for m, n, k in ((64, 96, 256), (512, 1024, 2048)):
        a, b = ((torch.arange(rows * k) * 37 % 101 - 50).reshape(rows, k) / 16 for rows in (m, n))
        ours, theirs = (of._scaled_mm(x.to(of.float8_e4m3fn), y.to(of.float8_e4m3fn).t(), of.tensor(0.5, device="cuda"),
                                      of.tensor(2.0, device="cuda"), out_dtype=of.float32).cpu().tolist()
                        for of, x, y in ((torch, a.cuda(), b.cuda()), (other, other.tensor(a.tolist(), device="cuda"),
                                                                       other.tensor(b.tolist(), device="cuda"))))
        compare(f"_scaled_mm beside PyTorch {m, n, k}", torch.tensor(theirs), torch.tensor(ours), loose=20)


def indexing():
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8, torch.bool):
        x, i = values((1000, 48), dtype), torch.randint(0, 1000, (5000,))
        once, wide = torch.randperm(1000)[:700], torch.randint(0, 48, (1000, 20))
        both(f"index_select {dtype}", lambda t, k: torch.index_select(t, 0, k), x, i, exact=True)
        both(f"index_select columns {dtype}", lambda t, k: torch.index_select(t, 1, k % 48), x, i, exact=True)
        both(f"gather {dtype}", lambda t, k: torch.gather(t, 1, k), x, wide, exact=True)
        both(f"[i] {dtype}", lambda t, k: t[k], x, i, exact=True)
        both(f"[i, j] {dtype}", lambda t, k: t[k, k % 48], x, i, exact=True)
        both(f"[:, i] {dtype}", lambda t, k: t[:, k % 48], x, i, exact=True)
        both(f"[mask] {dtype}", lambda t, m: t[m], x, torch.rand(1000, 48) > 0.7, exact=True)
        both(f"[rows mask] {dtype}", lambda t, m: t[m], x, torch.rand(1000) > 0.7, exact=True)
        both(f"masked_select {dtype}", torch.masked_select, x, torch.rand(1000, 48) > 0.3, exact=True)
        both(f"masked_fill {dtype}", lambda t, m: t.masked_fill(m, 1), x, torch.rand(1000, 48) > 0.3, exact=True)
        both(f"nonzero {dtype}", torch.nonzero, x, exact=True)
        both(f"put {dtype}", lambda t, k, v: t.clone().index_put_((k,), v), x, once, values((700, 48), dtype), exact=True)
        both(f"index_copy {dtype}", lambda t, k, v: t.index_copy(0, k, v), x, once, values((700, 48), dtype), exact=True)
        rows = once[:, None].expand(700, 48)
        both(f"scatter {dtype}", lambda t, k, v: t.scatter(0, k, v), x, rows, values((700, 48), dtype), exact=True)
        if dtype != torch.bool:
            both(f"index_add {dtype}", lambda t, k, v: t.index_add(0, k, v), x, i[:900], values((900, 48), dtype))
            both(f"scatter_add {dtype}", lambda t, k, v: t.scatter_add(1, k, v), x, wide, values((1000, 20), dtype))
            both(f"index_put accumulate {dtype}", lambda t, k, v: t.clone().index_put_((k,), v, accumulate=True), x, i[:900],
                 values((900, 48), dtype))
            both(f"scatter_reduce amax {dtype}", lambda t, k, v: t.scatter_reduce(1, k, v, "amax"), x, wide,
                 values((1000, 20), dtype), exact=True)
            both(f"scatter_reduce prod {dtype}", lambda t, k, v: t.scatter_reduce(1, k, v, "prod"), x, wide[:, :1],
                 values((1000, 1), dtype))
    for dtype in FLOATS:
        table, tokens, up = values((500, 64), dtype), torch.randint(0, 500, (32, 100)), values((32, 100, 64), dtype) / 16

        def embed(w, k, g):
            w = w.detach().clone().requires_grad_()
            y = F.embedding(k, w)
            y.backward(g)
            return y, w.grad

        both(f"embedding {dtype}", embed, table, tokens, up)
    x = torch.arange(24.0).reshape(4, 6)
    both("negative", lambda t: t[torch.tensor([-1, 2, -4], device=t.device)], x, exact=True)
    for call in (lambda t: t[torch.tensor([9], device="cuda")], lambda t: torch.gather(t, 1, torch.tensor([[7]], device="cuda")),
                 lambda t: torch.index_select(t, 0, torch.tensor([4], device="cuda"))):
        try:
            call(x.cuda()).tolist()
            fail("index out of range", "no error")
        except (IndexError, RuntimeError) as error:
            if "out of" not in str(error):
                fail("index out of range", str(error))


def tallies():
    """Counts of few places and of many, and indices that there are not."""
    for n, places in ((9000, 1), (50000, 100), (100003, 4096), (100003, 5000), (20000, 3)):
        for dtype in (torch.int64, torch.int32):
            x = torch.randint(0, places, (n,)).to(dtype)
            both(f"bincount {dtype} {n} {places}", lambda t: torch.bincount(t, minlength=places), x)
            both(f"steps {dtype} {n} {places}", lambda t: torch.bincount(t[::2], minlength=places), x)
            for out in (torch.int64, torch.int32):
                both(f"index_add {out} by {dtype} {n} {places}", lambda t: torch.arange(2 * places, device=t.device).to(out)[::2]
                     .index_add(0, t, torch.full((1,), -3, dtype=out, device=t.device).expand(n)), x)
        both(f"histc {n} {places}", lambda t: torch.histc(t, places), torch.randn(n))
    x = torch.full((9000,), 7).cuda()
    x[8999] = 9
    try:
        torch.zeros(9, dtype=torch.int64).cuda().index_add_(0, x, torch.ones(1, dtype=torch.int64).cuda().expand(9000))
        torch.cuda.synchronize()
        fail("index_add", "an index that there is not was taken")
    except (IndexError, RuntimeError) as error:
        if "out of range" not in str(error) and "out of bounds" not in str(error):
            fail("index_add", str(error).splitlines()[0])


def ordered():
    """With deterministic algorithms: sums at one place in the CPU's order, and the last of several that are put at one place."""
    torch.use_deterministic_algorithms(True)
    try:
        for dtype in FLOATS:
            x, i = values((100, 48), dtype), torch.randint(0, 100, (3000,))
            wide = torch.randint(0, 48, (100, 200))
            both(f"index_add in order {dtype}", lambda t, k, v: t.index_add(0, k, v), x, i, values((3000, 48), dtype), exact=True)
            both(f"index_add of columns {dtype}", lambda t, k, v: t.index_add(1, k % 48, v), x, i, values((100, 3000), dtype),
                 exact=True)
            both(f"scatter_add in order {dtype}", lambda t, k, v: t.scatter_add(1, k, v), x, wide, values((100, 200), dtype),
                 exact=True)
            both(f"index_put accumulate in order {dtype}", lambda t, k, v: t.clone().index_put_((k,), v, accumulate=True), x, i,
                 values((3000, 48), dtype), exact=True)
            both(f"of one number {dtype}", lambda t, k: t.index_put((k,), torch.ones((), dtype=t.dtype, device=t.device),
                                                                    accumulate=True), x, i, exact=True)
            both(f"scatter_reduce prod in order {dtype}", lambda t, k, v: t.scatter_reduce(1, k, v, "prod"), x, wide[:, :20],
                 values((100, 20), dtype), exact=True)
        for dtype in FLOATS + (torch.int64, torch.uint8, torch.complex64):
            x, i = values((100, 48), dtype), torch.randint(0, 100, (3000,))
            both(f"the last is put {dtype}", lambda t, k, v: t.clone().index_put_((k,), v), x, i, values((3000, 48), dtype),
                 exact=True)
            both(f"the last is copied {dtype}", lambda t, k, v: t.index_copy(1, k % 48, v), x, i, values((100, 3000), dtype),
                 exact=True)
            both(f"the last is scattered {dtype}", lambda t, k, v: t.scatter(0, k[:, None].expand(-1, 48) % 100, v), x, i,
                 values((3000, 48), dtype), exact=True)
        x = torch.zeros(4, 6, device="cuda")
        try:
            x.index_add(0, torch.tensor([1, 9, 1], device="cuda"), torch.ones(3, 6, device="cuda")).tolist()
            fail("index out of range, in order", "no error")
        except (IndexError, RuntimeError) as error:
            if "out of" not in str(error):
                fail("index out of range, in order", str(error))
        x = torch.zeros(1, 1, 4, 4, device="cuda", requires_grad=True)
        y = F.grid_sample(x, torch.zeros(1, 2, 2, 2, device="cuda"), align_corners=False)
        try:
            y.sum().backward()
            fail("a gradient whose sums have no order", "no error")
        except RuntimeError as error:
            if "grid_sampler_2d_backward_cuda does not have a deterministic implementation" not in str(error):
                fail("a gradient whose sums have no order", str(error))
    finally:
        torch.use_deterministic_algorithms(False)


def copies():
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8, torch.bool, torch.complex64, torch.complex128):
        x = values((96, 40, 64), torch.float32).to(dtype)
        for order in ((0, 2, 1), (2, 1, 0), (1, 0, 2), (2, 0, 1), (1, 2, 0)):
            both(f"permuted {dtype} {order}", lambda t: t.permute(order).contiguous(), x, exact=True)
        both(f"odd {dtype}", lambda t: t[:, 1:, 3:].transpose(1, 2).contiguous(), x, exact=True)
        for at in (slice(8, 24), slice(4, 12), slice(2, 4), slice(1, 5), slice(32, None)):  # pieces of each width
            both(f"part {dtype} {at}", lambda t: t[..., at].contiguous(), x, exact=True)
            both(f"into {dtype} {at}", lambda t: torch.zeros_like(t)[:, 3:, at].copy_(t[:, :37, at]), x, exact=True)
        both(f"cat {dtype}", lambda t: torch.cat([t, t.flip(0)], 1), x, exact=True)
        both(f"tril {dtype}", lambda t: torch.tril(t, 3), x, exact=True)
        both(f"triu {dtype}", lambda t: torch.triu(t, -2), x, exact=True)
        both(f"eye {dtype}", lambda t: torch.eye(33, 20, dtype=dtype, device=t.device), x, exact=True)
    for dtype in (torch.float32, torch.float64, torch.int64, torch.int32, torch.bfloat16, torch.float16):
        both(f"arange {dtype}", lambda t: torch.arange(3, 250, 7, dtype=dtype, device=t.device), x, exact=True)
    for dtype in (torch.float32, torch.float64, torch.int64):
        both(f"linspace {dtype}", lambda t: torch.linspace(-3, 250, 1001, dtype=dtype, device=t.device), x, exact=True)
    both("arange of floats", lambda t: torch.arange(0.1, 5, 0.3, device=t.device), x, exact=True)


def pieces():
    """Layouts of more elements than a piece has where pieces are short (tests/cuda/on_cpu), and of more dims than a kernel
    counts."""
    for dtype in (torch.float32, torch.bfloat16, torch.uint8, torch.int64, torch.complex64):
        flat, wide, deep = values((30011,), dtype), values((4, 9008), dtype), values((2,) * 13, dtype)
        for name, x in (("stepped", flat[::2]), ("a line of vectors", wide[:, 4:9004]), ("columns", wide[:, ::3]),
                        ("tall", wide.T[:, 1:]), ("deep", deep[:, :, :, :1].permute(*range(12, -1, -1))),
                        ("deep and broad", values((3, 2000) + (2,) * 9, dtype)[:, :, 0, :, 0].transpose(0, 8)),
                        ("broadcast", values((1, 7003), dtype).expand(3, 7003)), ("nothing", wide[:, ::3][:0])):
            what = f"{dtype} {name}"
            both(f"copy {what}", lambda t: t.clone(memory_format=torch.contiguous_format), x, exact=True)
            both(f"cast {what}", lambda t: t.to(torch.complex128), x, exact=True)
            both(f"sum of two {what}", lambda t: t + t, x, exact=True)
            both(f"fill {what}", lambda t: torch.zeros_like(t)[..., ::2].fill_(3), x, exact=True)
            both(f"where {what}", lambda t: torch.where(t == t.flatten()[:1].sum(), t, -t if t.is_signed() else t + 1), x,
                 exact=True)
            both(f"take {what}", lambda t: t.flip(-1), x, exact=True)
            both(f"mask {what}", lambda t: t.clone().masked_fill_(t == 0, 2), x, exact=True)
        for k in (-70, 0, 5):
            both(f"band {dtype} {k}", lambda t: t.triu(k), values((3, 90, 100), dtype)[:, :, 1:], exact=True)
            both(f"tall band {dtype} {k}", lambda t: t.T.tril(k - 4000), wide, exact=True)
        both(f"eye {dtype}", lambda t: torch.eye(90, 71, dtype=t.dtype, device=t.device), wide, exact=True)


def models():
    """Layers and losses, forward and backward, in float32 and bfloat16."""
    def through(layer, *inputs):
        xs = [t.detach().clone().requires_grad_() if t.is_floating_point() else t for t in inputs]
        y = layer(*xs)
        y.float().sum().backward()
        return [y.detach()] + [t.grad for t in xs if t.is_floating_point() and t.grad is not None]

    for dtype in (torch.float32, torch.bfloat16):
        x, w, b = values((64, 128), dtype), values((128,), dtype), values((128,), dtype)

        def norm(x, w, b):
            return (x - x.mean(-1, keepdim=True)) * torch.rsqrt(x.var(-1, keepdim=True) + 1e-5) * w + b

        both(f"norm by hand {dtype}", lambda *t: through(norm, *t), x, w, b)
        target = torch.randint(0, 128, (64,))
        both(f"cross_entropy {dtype}", lambda *t: through(F.cross_entropy, *t), x, target)
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
            both(f"{name} {dtype}", lambda *t: through(getattr(F, name), *t), x, values((64, 128), dtype))
        both(f"bce {dtype}", lambda *t: through(F.binary_cross_entropy_with_logits, *t), x, torch.rand(64, 128).to(dtype))
        for name in ("relu", "gelu", "silu", "elu", "leaky_relu", "softplus", "hardtanh", "mish", "sigmoid", "tanh",
                     "log_softmax"):
            f = getattr(torch, name) if hasattr(torch, name) else getattr(F, name)
            both(f"{name} {dtype}", lambda *t: through((lambda x: f(x, -1)) if name == "log_softmax" else f, *t), x)
        q = values((2, 4, 32, 16), dtype)

        def attend(a, b, c):
            mask = torch.tril(torch.ones(32, 32, dtype=torch.bool, device=a.device))
            return torch.softmax((a @ b.transpose(-1, -2) / 4).masked_fill(~mask, float("-inf")), -1) @ c

        both(f"attention {dtype}", lambda *t: through(attend, *t), q, q * 0.5, q + 1)


def lines():
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8, torch.bool):
        for name, x in (("long", values((100003,), dtype)), ("rows", values((300, 1000), dtype)), ("few", values((7, 5), dtype)),
                        ("turned", values((40, 300), dtype).T), ("token scores", values((4, 50257), dtype))):
            for dim in range(x.dim()):
                small = x / 64 if dtype.is_floating_point else x
                both(f"cumsum {dtype} {name} {dim}", lambda t: torch.cumsum(t, dim), small)
                near_one = torch.ones_like(x) + small / 512 if dtype.is_floating_point else x % 2
                both(f"cumprod {dtype} {name} {dim}", lambda t: torch.cumprod(t, dim), near_one)
                if dtype != torch.float16:
                    both(f"cummax {dtype} {name} {dim}", lambda t: tuple(torch.cummax(t, dim)), x, exact=True)
                    both(f"cummin {dtype} {name} {dim}", lambda t: tuple(torch.cummin(t, dim)), x, exact=True)
                if dtype.is_floating_point:
                    both(f"logcumsumexp {dtype} {name} {dim}", lambda t: torch.logcumsumexp(t, dim), x)
                for descending in (False, True):
                    both(f"sort {dtype} {name} {dim} {descending}",
                         lambda t: tuple(torch.sort(t, stable=True, dim=dim, descending=descending)), x, exact=True)
                if x.shape[dim] >= 5 and dtype != torch.bool:
                    both(f"topk {dtype} {name} {dim}", lambda t: torch.topk(t, 5, dim)[0], x, exact=True)
    x = values((3, 3000), torch.float32)
    x[:, ::700] = float("nan")
    both("sort with NaN", lambda t: torch.sort(t, 1)[1], x, exact=True)


def scans():
    """Lines of one part and of several, of a block and side by side of a thread; vectors, and what is not aligned to them."""
    layouts = (("long", (9001,)), ("rows", (3, 5000)), ("beside", (70, 1100)), ("short", (1030, 5)))
    whole = torch.int64, torch.int32, torch.uint8, torch.bool
    for dtype in (torch.float32, torch.bfloat16, torch.float64, *whole, torch.complex64, torch.complex128):
        inexact = dtype.is_floating_point or dtype.is_complex
        for name, shape in layouts + (("off", (9001,)),):
            x = values(shape, dtype)
            x = x[1:] if name == "off" else x
            for dim in range(1 if name == "beside" else x.dim()):
                tag = f"{dtype} {name} {dim}"
                both(f"cumsum {tag}", lambda t: torch.cumsum(t, dim), x / 64 if inexact else x)
                if dtype in (torch.float32, torch.complex64):
                    both(f"logcumsumexp {tag}", lambda t: torch.logcumsumexp(t, dim), x)
                if dtype.is_complex:
                    continue
                holes = x.clone()
                if dtype.is_floating_point:
                    holes.view(-1)[3000::2000] = float("nan")
                for op in (torch.cummax, torch.cummin):
                    both(f"{op.__name__} {tag}", lambda t: [torch.nan_to_num(u, nan=9.0) for u in op(t, dim)], holes, exact=True)


def sorts():
    """By digits, by merging and as the first of a line; NaN, infinities, zeros of both signs, equal elements."""
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8, torch.int8, torch.bool):
        for name, x in (("long", values((5001,), dtype)), ("rows", values((3, 2100), dtype)), ("short", values((30, 50), dtype)),
                        ("turned", values((1500, 4), dtype).T)):
            if dtype.is_floating_point:
                x[..., 3], x[..., 5], x[..., 9], x[..., 11], x[..., 12] = 0.0, -0.0, float("nan"), float("inf"), -float("inf")
            for largest in (False, True):
                tag = f"{dtype} {name} {largest}"
                for k in (1, 5, 40, x.shape[-1]) if dtype != torch.bool else ():
                    both(f"topk {k} {tag}", lambda t: [torch.nan_to_num(u, nan=9.0) for u in t.topk(k, -1, largest)], x,
                         exact=True)
                in_order = lambda t: t.sort(stable=True, dim=-1, descending=largest)
                both(f"sort {tag}", lambda t: [torch.nan_to_num(u, nan=9.0) for u in in_order(t)], x, exact=True)
                both(f"signs {tag}", lambda t: in_order(t)[0].signbit(), x, exact=True)
            both(f"unique {dtype} {name}", lambda t: [torch.nan_to_num(u, nan=9.0) for u in torch.unique(t, True, True, True)], x,
                 exact=True)


def masks():
    for shape in ((5000,), (20000,), (70, 90), (3, 41, 50), (1,), (4096,), (4097,)):
        for share in (0.0, 0.03, 0.5, 1.0):
            mask = torch.rand(shape) < share
            both(f"nonzero {shape} {share}", torch.nonzero, mask, exact=True)
            both(f"masked_select {shape} {share}", torch.masked_select, torch.randn(shape), mask, exact=True)
            both(f"off {shape} {share}", lambda t: torch.nonzero(t.view(-1)[1:]), mask, exact=True)


def conversions():
    """Operands of dtypes that the kernels do not read are copied into ones that they do."""
    x = torch.rand(40, 33) + 0.25
    for dtype in (torch.int32, torch.int16, torch.int8, torch.uint8, torch.uint16, torch.float8_e4m3fn, torch.float8_e5m2):
        i = (x * 8).to(dtype)
        if dtype.is_floating_point:
            both(f"to and back {dtype}", lambda t: t.to(torch.float32), i, exact=True)
            continue
        for op in ("exp", "sqrt", "sin", "sigmoid"):
            if dtype != torch.uint16:
                both(f"{op} {dtype}", getattr(torch, op), i)
        both(f"+ float32 {dtype}", torch.add, i, x)
        both(f"turned + float32 {dtype}", lambda a, b: a.T + b.T, i, x)
        both(f"* bfloat16 {dtype}", torch.mul, i, x.bfloat16())
    both("float32 + float64 number", lambda t: t + torch.tensor(0.1, dtype=torch.float64), x)
    both("bfloat16 + float64 number", lambda t: t + torch.tensor(0.1, dtype=torch.float64), x.bfloat16())
    both("out of another dtype", lambda t: torch.add(t, t, out=torch.empty(40, 33, dtype=torch.float64, device=t.device)), x)
    both("softmax of int16 as float32", lambda t: torch.softmax(t, 1, dtype=torch.float32), (x * 8).short())
    both("sum of int16 as float32", lambda t: torch.sum(t, 1, dtype=torch.float32), (x * 8).short())
    both("nan_to_num of integers", torch.nan_to_num, (x * 8).int(), exact=True)
    both("a negative view", lambda t: torch._neg_view(t) + 1 if hasattr(torch, "_neg_view") else -t + 1, x)


def lookups():
    """Functions of all numbers of 16 bits, of so many that they are looked up: calculated here, then twice there."""
    bits = torch.arange(1 << 16, dtype=torch.int32).to(torch.int16)
    for dtype in (torch.bfloat16, torch.float16):
        x = bits.view(dtype).repeat(17)[:-3]
        for op in (torch.exp, torch.log, torch.sin, torch.tanh, torch.sigmoid, torch.erf, F.gelu, F.silu, F.mish, torch.lgamma,
                   lambda t: F.gelu(t, approximate="tanh"), lambda t: F.elu(t, 0.5), lambda t: F.elu(t, 0.25), F.softplus):
            here = torch.nan_to_num(op(x))
            there = x.cuda()
            for turn in range(3):
                name = getattr(op, "__name__", "by arguments")
                compare(f"{name} {dtype}, turn {turn}", here, torch.nan_to_num(op(there)), True)
        up = (torch.arange(x.numel()) % 251 - 125).to(dtype)
        for op in (F.gelu, F.silu, F.softplus, lambda t: F.gelu(t, approximate="tanh")):

            def back(t, g):
                t = t.detach().requires_grad_()
                return torch.nan_to_num(torch.autograd.grad(op(t), t, g)[0])

            here = back(x, up)
            for turn in range(3):
                compare(f"gradient {dtype}, turn {turn}", here, back(x.cuda(), up.cuda()), True)
        both(f"glu {dtype}", lambda t: torch.nan_to_num(F.glu(t, 0)), torch.cat([up, x]), exact=True)


def lists():
    """What goes as one launch must have the bits of a call for each tensor, also where a tensor stands in a list twice."""
    sizes = (1, 3, 8, 1000, 4099, 70001, 0, 2048, 5) * 30

    def each(what, call, *given):
        if not is_chosen():
            return
        here = call(*given)
        try:
            compare(what, here, call(*[[t.to("cuda") for t in x] if isinstance(x, list) else x for x in given]), True)
        except RuntimeError as error:
            fail(what, str(error).splitlines()[0])

    for dtype in FLOATS:
        x, y, z = ([values((n,), dtype).abs() + 0.5 for n in sizes] for _ in range(3))
        numbers = [0.25 + i / 64 for i in range(len(sizes))]
        each(f"sqrt {dtype}", torch._foreach_sqrt, x)
        each(f"neg {dtype}", torch._foreach_neg, x)
        each(f"tanh {dtype}", torch._foreach_tanh, x)
        each(f"add {dtype}", lambda a, b: torch._foreach_add(a, b, alpha=0.5), x, y)
        each(f"mul by a number {dtype}", lambda a: torch._foreach_mul(a, 0.9), x)
        each(f"mul by numbers {dtype}", lambda a: torch._foreach_mul(a, numbers), x)
        each(f"div {dtype}", torch._foreach_div, x, y)
        each(f"lerp {dtype}", lambda a, b: torch._foreach_lerp(a, b, 0.1), x, y)
        each(f"addcmul {dtype}", lambda a, b, c: torch._foreach_addcmul(a, b, c, 0.5), x, y, z)
        each(f"addcdiv by numbers {dtype}", lambda a, b, c: torch._foreach_addcdiv(a, b, c, numbers), x, y, z)
        each(f"maximum {dtype}", torch._foreach_maximum, x, y)
        each(f"mul by a tensor {dtype}", lambda a: torch._foreach_mul(a, torch.ones((), dtype=dtype, device=a[0].device) * 3), x)
        each(f"mixed {dtype}", torch._foreach_add, x, [t.to(FLOATS[i % 2]) for i, t in enumerate(y)])
        for order in (2.0, 1.0, float("inf"), 3.0):
            some = [t for t in x if t.numel() or order != float("inf")]  # an empty one has no greatest
            here, there = (torch._foreach_norm([t.to(device) for t in some], order) for device in ("cpu", "cuda"))
            compare(f"norm {order} {dtype}", here, there)
            here, there = (torch._foreach_norm([t.to(device) for t in some[:9]], order, torch.float64)
                           for device in ("cpu", "cuda"))
            compare(f"norm {order} {dtype} in float64", here, there)
        tensors = [t[1:] if i % 4 == 1 else t for i, t in enumerate(x)]
        each(f"cat {dtype}", torch.cat, tensors)
        each(f"cat into a view {dtype}", lambda a: torch.cat(a, out=torch.zeros(
            sum(map(len, a)) + 1, dtype=dtype, device=a[0].device)[1:]), x)
        each(f"cat of other dtypes {dtype}", lambda a: torch.cat([t.to(FLOATS[i % 2]) for i, t in enumerate(a)]), x)
        each(f"stack {dtype}", lambda a: torch.stack([t[:8].sum() * 0 + i for i, t in enumerate(a)]), x)
        square = [values((33, 65), dtype) for _ in range(9)]
        each(f"cat of columns {dtype}", lambda a: torch.cat(a, 1), square)
        each(f"cat of turned {dtype}", lambda a: torch.cat([t.T if i % 3 else t.T.contiguous() for i, t in enumerate(a)]), square)
        each(f"stack of rows {dtype}", lambda a: torch.stack(a, 1), square)
        each(f"turned {dtype}", lambda a: torch._foreach_exp([t.T if i % 3 else t for i, t in enumerate(a)]), square)

        def in_place(a, b):
            torch._foreach_add_(a, b)
            torch._foreach_mul_(a, 0.5)
            whole = a[5]
            torch._foreach_add_([whole, whole, whole[:100], whole[50:150]], 1)
            torch._foreach_add_([whole[:8], whole[16:24]], [whole[16:24], whole[:8]])
            return a

        each(f"in place {dtype}", lambda a, b: in_place([t.clone() for t in a], b), x, y)


def convolutions():
    """Forward and what flows back, by dims, strides, paddings, dilations, groups, transposed or not, and layouts."""
    cases = [  # input, weight, arguments
        ((4, 8, 50), (16, 8, 5), dict(stride=2, padding=1)),
        ((3, 6, 40), (9, 2, 3), dict(groups=3, dilation=2)),
        ((4, 16, 28, 30), (24, 16, 3, 3), dict(padding=1)),
        ((2, 3, 65, 64), (8, 3, 7, 7), dict(stride=2, padding=3)),
        ((2, 32, 17, 19), (64, 32, 1, 1), dict()),
        ((2, 16, 20, 21), (16, 1, 3, 3), dict(groups=16, padding=1)),
        ((2, 12, 20, 21), (8, 6, 3, 2), dict(groups=2, padding=(1, 0), dilation=(2, 1), stride=(1, 2))),
        ((1, 4, 9, 10, 11), (6, 4, 3, 2, 3), dict(padding=1, stride=(1, 2, 1))),
    ]
    turned = [
        ((4, 16, 15), (16, 4, 4), dict(stride=2, padding=1)),
        ((2, 16, 14, 15), (16, 8, 3, 3), dict(stride=2, padding=1, output_padding=1)),
        ((2, 8, 5, 6, 7), (8, 4, 3, 3, 3), dict(groups=2)),
    ]

    def through(f, x, w, b, more):
        x, w, b = (t.detach().clone().requires_grad_() for t in (x, w, b))
        y = f(x, w, b, **more)
        y.backward(torch.ones_like(y) * 0.5)
        return [y.detach(), x.grad, w.grad, b.grad]

    for dtype in FLOATS:
        for group, prefix in ((cases, "conv"), (turned, "conv_transpose")):
            for size, weight, more in group:
                dims = len(size) - 2
                f = getattr(F, f"{prefix}{dims}d")
                channels = weight[0] if prefix == "conv" else weight[1] * more.get("groups", 1)
                x, w, b = values(size, dtype), values(weight, dtype) / 8, values((channels,), dtype)
                what = f"{prefix}{dims}d {dtype} {size} {weight} {more}"
                both(what, lambda *t: through(f, *t, more), x, w, b)
                both(what + " without a bias", lambda x, w: f(x, w, None, **more), x, w)
                if dims == 2:
                    last = x.contiguous(memory_format=torch.channels_last)
                    both(what + " channels last", lambda *t: through(f, *t, more), last, w, b)
                    y = f(last.cuda(), w.cuda(), b.cuda(), **more)
                    if dtype != torch.float64 and not y.is_contiguous(memory_format=torch.channels_last):
                        fail(what, "the result is not channels last")
                both(what + " a view", lambda x, w: f(x[..., 1:], w, **more), x, w)
        x, w = values((8, 16, 12, 12), dtype).cuda(), values((16, 16, 3, 3), dtype).cuda()
        first = [torch.nn.functional.conv2d(x, w, padding=1) for _ in range(3)]
        compare(f"the same bits {dtype}", first[0].cpu(), first[2], True)


def tf32():
    """What products and convolutions of float32 are with TF32: within its 11 bits, and without it float32's. The kernels that are
    compiled for the CPU know none."""
    emulated = "cuda_on_cpu" in os.environ.get("KARAT_BACKEND_PATH", "")

    def apart(x, y):
        return float((x.double() - y.cpu().double()).norm() / x.double().norm())

    def check(what, call, allow, *given):
        here = call(*given)
        for allowed in (False, True, False):
            allow(allowed)
            far = apart(here, call(*(t.cuda() for t in given)))
            if not (1e-5 < far < 2e-3 if allowed and not emulated else far < 1e-5):
                fail(f"{what}, TF32 {allowed}", f"{far:.1e} apart")

    def products_may(allowed):
        torch.backends.cuda.matmul.allow_tf32 = allowed

    def convolutions_may(allowed):
        torch.backends.cudnn.allow_tf32 = allowed

    a, b, c = values((512, 256), torch.float32), values((256, 384), torch.float32), values((384,), torch.float32)
    check("mm", torch.mm, products_may, a, b)
    check("linear", lambda a, b, c: F.linear(a, b.T, c), products_may, a, b, c)
    check("bmm", lambda a, b: torch.bmm(a[None].expand(3, -1, -1), b[None].expand(3, -1, -1)), products_may, a, b)
    check("mm of complex numbers", lambda a, b: torch.view_as_real(torch.complex(a, -a) @ torch.complex(b, b)), products_may, a,
          b)
    if not emulated:
        x, w = values((8, 64, 28, 28), torch.float32), values((64, 64, 3, 3), torch.float32)
        check("conv2d", lambda x, w: F.conv2d(x, w, padding=1), convolutions_may, x, w)
        convolutions_may(True)
        far = apart(torch.mm(a, b), torch.mm(a.cuda(), b.cuda()))
        if far > 1e-5:
            fail("mm where convolutions may", f"{far:.1e} apart")
    convolutions_may(False)


def norms():
    """Layer and root-mean-square norms and what flows back, by lengths that registers hold and others, with weights or not."""
    shapes = ((64, 128), (1000, 1024), (37, 1000), (5, 7, 2048), (300, 4096), (9, 5000), (20, 8192), (16, 20001), (50, 33),
              (3, 1), (4099, 64), (1, 4096), (7, 256), (10, 512), (21, 768), (2, 6144), (301, 384), (1, 640))

    def through(f, x, *weights):
        x, *weights = (t.detach().clone().requires_grad_() for t in (x, *weights))
        y = f(x, x.shape[-1:], *weights)
        up = torch.arange(y.numel(), device=y.device).reshape(y.shape) % 7 - 3
        y.backward(up.to(y.dtype) / 4)
        return [y.detach(), x.grad] + [t.grad for t in weights]

    for dtype in FLOATS:
        for shape in shapes:
            # Of one element the gradient is what cancellation leaves, unless eps is more than nothing.
            rms_norm = functools.partial(F.rms_norm, eps=0.5) if shape[-1] == 1 else F.rms_norm
            x, w, b = values(shape, dtype) + 0.5, values(shape[-1:], dtype), values(shape[-1:], dtype)
            both(f"layer_norm {dtype} {shape}", lambda *t: through(F.layer_norm, *t), x, w, b)
            both(f"layer_norm {dtype} {shape}, no bias", lambda *t: through(F.layer_norm, *t), x, w)
            both(f"layer_norm {dtype} {shape}, no weight", lambda *t: through(F.layer_norm, *t), x)
            both(f"rms_norm {dtype} {shape}", lambda *t: through(rms_norm, *t), x, w)
            both(f"rms_norm {dtype} {shape}, no weight", lambda *t: through(rms_norm, *t), x)
            both(f"layer_norm {dtype} {shape}, nothing flows back", lambda x, *t: F.layer_norm(x, x.shape[-1:], *t), x, w, b)
            if dtype in (torch.bfloat16, torch.float16):
                both(f"rms_norm {dtype} {shape}, wide weights", lambda *t: through(rms_norm, *t), x, w.float())
            if dtype in (torch.bfloat16, torch.float16):  # what flows back is narrow
                def under_autocast(x, *weights):
                    x, *weights = (t.detach().clone().requires_grad_() for t in (x, *weights))
                    with torch.autocast(x.device.type, dtype):
                        y = F.layer_norm(x, x.shape[-1:], *weights).to(dtype)
                    y.backward(torch.ones_like(y) / 4 + x.detach().to(dtype))
                    return [t.grad for t in (x, *weights)]

                both(f"layer_norm under autocast {dtype} {shape}", under_autocast, x.float(), w.float(), b.float(), loose=4)
        x, w = values((40, 256), dtype), values((256,), dtype)
        both(f"layer_norm {dtype} of a view", lambda x, w: F.layer_norm(x[:, 1:], (255,), w[1:], w[:-1]), x, w)
        both(f"layer_norm {dtype} far from 0", lambda x, w: F.layer_norm(x + 100, (256,), w), x, w)


def draws():
    """PyTorch's numbers on an H200 (draws.txt), where this card has as many multiprocessors."""
    def drawn(call):
        torch.manual_seed(42)
        return call()

    expected = {
        "rand f64": (lambda: torch.rand(3, dtype=torch.float64, device="cuda"),
                     "0x1.dfd537715e0a7p-2 0x1.028f483ccdda6p-3 0x1.0a5cb693e70a6p-1"),
        "randn": (lambda: torch.randn(8, device="cuda"),
                  "0x1.8d59bap-3 0x1.14a7e4p+1 -0x1.605bdep-3 0x1.b2b802p-1 -0x1.eca56ap+0 0x1.4e541ep-1 -0x1.4c8382p-1 "
                  "-0x1.a2929ap-1"),
        "log_normal": (lambda: torch.empty(3, device="cuda").log_normal_(0.1, 0.5), "0x1.37bed2p+0 0x1.a0d89cp+1 0x1.039a48p+0"),
        "cauchy": (lambda: torch.empty(3, device="cuda").cauchy_(0.5, 2.0), "0x1.3dba42p+0 -0x1.f625bep+5 -0x1.4979a0p-3"),
        "exponential": (lambda: torch.empty(4, device="cuda").exponential_(2.0),
                        "0x1.f533e4p-3 0x1.265afap+1 0x1.d72ce4p-2 0x1.9b0872p+0"),
        "randint": (lambda: torch.randint(0, 2**40, (4,), device="cuda"), "358494849339 451513805075 715198978150 766418127505"),
        "random_ i64": (lambda: torch.empty(3, dtype=torch.int64, device="cuda").random_(),
                        "2083742018897791291 185552934305655059 7349435502416517222"),
        "random_ i32": (lambda: torch.empty(3, dtype=torch.int32, device="cuda").random_(), "485158995 43202409 1711173798"),
        "bernoulli p": (lambda: torch.bernoulli(torch.full((8,), 0.3, device="cuda")).long(), "0 0 1 0 1 1 1 0"),
        "poisson": (lambda: torch.poisson(torch.full((4,), 3.0, device="cuda")).long(), "2 0 4 0"),
        "multinomial": (lambda: torch.multinomial(torch.arange(1, 21, device="cuda") / 20, 7), "11 12 16 18 6 14 17"),
        "multinomial f64": (lambda: torch.multinomial((torch.arange(1, 21, device="cuda") / 20).double(), 7),
                            "14 7 16 10 19 11 9"),
        "multinomial again": (lambda: torch.multinomial(torch.arange(1, 21, device="cuda") / 20, 12, replacement=True),
                              "15 1 12 3 7 13 17 12 14 10 9 19"),
        "multinomial of rows": (lambda: torch.multinomial((torch.arange(1, 21, device="cuda") / 20).expand(5, 20).contiguous(), 3,
                                                          replacement=True).flatten(),
                                "15 1 12 18 13 18 1 9 19 12 4 19 11 10 12"),
        "random_ u8": (lambda: torch.empty(8, dtype=torch.uint8, device="cuda").random_(), "83 105 166 178 17 223 62 44"),
    }
    for what, (call, text) in expected.items():
        got = drawn(call).tolist()
        want = [float.fromhex(t) if "x" in t else int(t) for t in text.split()]
        if got != want:
            fail(what, f"{[g.hex() if isinstance(g, float) else g for g in got]}, PyTorch {text}")
    truths = drawn(lambda: torch.empty(40, dtype=torch.float64, device="cuda").bernoulli_(0.3)).tolist()
    ones = [i for i, x in enumerate(truths) if x]
    if ones != [1, 8, 13, 17, 20, 23, 26, 32, 38]:
        fail("bernoulli f64", str(ones))


def choices():
    """Permutations, categories by weight, bernoulli with a probability for each element: what holds of any draw."""
    def expect(what, good):
        if not good:
            fail(what, "does not hold")

    def close(what, count, n, p):
        expect(f"{what}: {count} of {n}, p {p}", abs(count - n * p) <= 6 * (n * p * (1 - p)) ** 0.5 + 1e-9)

    for n in (1, 2, 3, 1000, 1024, 1025, 100003):
        order = torch.randperm(n, device="cuda")
        expect(f"randperm {n}", torch.equal(order.sort()[0].cpu(), torch.arange(n)))
        expect(f"randperm {n} twice", n < 100 or not torch.equal(order, torch.randperm(n, device="cuda")))
    firsts = torch.stack([torch.randperm(4, device="cuda") for _ in range(2000)])
    for place in range(4):
        close(f"randperm, place {place}", (firsts[:, place] == 1).sum().item(), 2000, 0.25)
    for dtype in FLOATS:
        weights = torch.tensor([1.0, 0.0, 2.0, 5.0], dtype=dtype, device="cuda")
        rows = weights.expand(4000, 4).contiguous()
        for what, drawn in (("one", torch.multinomial(rows, 1)[:, 0]), ("distinct", torch.multinomial(rows, 3)[:, 0]),
                            ("again", torch.multinomial(weights, 4000, replacement=True)),
                            ("again, rows", torch.multinomial(rows, 3, replacement=True)[:, 1])):
            for category, weight in enumerate((1, 0, 2, 5)):
                close(f"multinomial {what} {dtype} {category}", (drawn == category).sum().item(), 4000, weight / 8)
        distinct = torch.multinomial(torch.rand(50, 300, device="cuda").to(dtype).T + 0.01, 20)
        expect(f"multinomial distinct {dtype}", all(len(set(row)) == 20 for row in distinct.tolist()))
        p = torch.tensor([0.0, 1.0, 0.25, 0.5], dtype=dtype, device="cuda").repeat(5000)
        for out in (torch.bernoulli(p), torch.empty(20000, dtype=torch.int64, device="cuda").bernoulli_(p)):
            for k, share in enumerate((0.0, 1.0, 0.25, 0.5)):
                close(f"bernoulli {dtype} {share}", int(out[k::4].double().sum().item()), 5000, share)
    torch.manual_seed(7)
    one = torch.randperm(50, device="cuda"), torch.bernoulli(torch.full((9,), 0.5, device="cuda"))
    torch.manual_seed(7)
    two = torch.randperm(50, device="cuda"), torch.bernoulli(torch.full((9,), 0.5, device="cuda"))
    expect("the same seed", all(torch.equal(a, b) for a, b in zip(one, two)))
    for what, call, text in (
        ("bernoulli", lambda: torch.bernoulli(torch.tensor([2.0], device="cuda")), "Expected p_in >= 0 && p_in <= 1"),
        ("multinomial", lambda: torch.multinomial(torch.tensor([1.0, -1.0], device="cuda"), 1), "probability tensor contains"),
        ("multinomial of nothing", lambda: torch.multinomial(torch.zeros(3, device="cuda"), 2),
         "invalid multinomial distribution"),
    ):
        try:
            call()
            torch.cuda.synchronize()
            fail(what, "no error")
        except RuntimeError as error:
            expect(f"{what}: {error}", text in str(error))


def complexes():
    """Complex numbers: rows, sums, scans and products."""
    rows = ("exp", "log", "sqrt", "sin", "tanh", "abs", "angle", "reciprocal", "square", "sgn", "isfinite", "neg",
            "conj_physical")
    for dtype in (torch.complex64, torch.complex128):
        small = values((7, 5, 6), dtype)
        for name, x in (("dense", values((300, 70), dtype)), ("turned", small.permute(2, 0, 1)), ("stepped", small[::2, :, 1::2]),
                        ("conjugate", values((40, 33), dtype).conj()), ("long", values((100003,), dtype)),
                        ("one", values((), dtype))):
            y = values(x.shape, dtype) + 2
            for op in rows:
                both(f"{op} {dtype} {name}", getattr(torch, op), x)
            for op in ("add", "mul", "div", "eq", "pow"):
                both(f"{op} {dtype} {name}", getattr(torch, op), x / 2, y)
            both(f"add of numbers {dtype} {name}", lambda a, b: torch.add(a, b, alpha=2 - 1j) * 3j + 1, x, y)
            both(f"addcmul {dtype} {name}", lambda a, b: torch.addcmul(a, a, b, value=0.5 + 2j), x, y)
            both(f"nan_to_num {dtype} {name}", lambda a: torch.nan_to_num(a / a.real.round(), 1.5, 2.5, -3.5), x)
            both(f"where {dtype} {name}", lambda a, b: torch.where(a.real > 0, a, b), x, y, exact=True)
            both(f"real parts {dtype} {name}", lambda a: a * a.abs() + a.imag, x)
            for dim in (None, *range(x.dim())):
                arg = {} if dim is None else {"dim": dim}
                for op in ("sum", "mean", "any", "all", "count_nonzero", "var", "std", "var_mean"):
                    both(f"{op} {dtype} {name} {dim}", lambda t: getattr(torch, op)(t, **arg), x, terms=x.numel())
                for p in (0, 1, 2, 3.5, float("inf"), -float("inf")):
                    both(f"norm {p} {dtype} {name} {dim}", lambda t: torch.linalg.vector_norm(t, p, **arg), x)
            if x.dim():
                both(f"cumsum {dtype} {name}", lambda t: torch.cumsum(t, 0), x, terms=x.numel() ** 2)
                both(f"cumprod {dtype} {name}", lambda t: torch.cumprod(t / t.abs(), -1), x, loose=40)
                both(f"logcumsumexp {dtype} {name}", lambda t: torch.logcumsumexp(t.exp(), -1), x[:60] / 8, loose=40)
        both(f"prod {dtype}", lambda t: torch.prod(t / t.abs(), 1), small)
        for m, k, n in ((64, 64, 64), (129, 257, 33), (1, 100, 3), (3, 2, 1)):
            a, b, c = values((m, k), dtype), values((k, n), dtype), values((m, n), dtype)
            what = f"{dtype} {m}x{k}x{n}"
            both(f"mm {what}", torch.mm, a, b)
            both(f"mm of conjugates {what}", lambda x, y: x.conj() @ y.conj(), a, b)
            both(f"mm adjoint {what}", lambda x, y: x.mH @ y, a, c)
            both(f"addmm {what}", lambda z, x, y: torch.addmm(z, x, y, beta=0.5 - 1j, alpha=2j), c, a, b)
            both(f"addmm of a row {what}", lambda z, x, y: torch.addmm(z[0], x, y), c, a, b)
            both(f"addmm times nothing {what}", lambda z, x, y: torch.addmm(z, x, y, alpha=0), c, a, b)
        a, b = values((5, 6, 40, 33), dtype), values((5, 6, 33, 21), dtype)
        both(f"matmul of batches {dtype}", torch.matmul, a, b)
        both(f"matmul broadcast {dtype}", torch.matmul, a, b[0])


run((reductions, extremes, softmaxes, entropies, products, float8, indexing, tallies, ordered, copies, pieces, lines, scans,
     sorts, masks, conversions, lookups, models, lists, convolutions, tf32, norms, draws, choices, complexes))
