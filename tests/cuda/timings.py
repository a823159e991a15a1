"""Timings and memory figures on a GPU: `timings.py karat` or `timings.py torch`, the same calls; parts by name, or all. Run by
run.sh."""
import importlib
import sys
import time

torch = importlib.import_module(sys.argv[1])


def timed(times, call):
    """Seconds of a call, the last wait included: the least of six rounds."""
    least = 1e9
    for _ in range(6):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(times):
            call()
        torch.cuda.synchronize()
        least = min(least, (time.perf_counter() - begin) / times)
    return least


def line(what, figure, unit):
    print(f"{sys.argv[1]:6} {what:44} {figure:8.2f} {unit}", flush=True)


def memory():
    """Allocated, in blocks of 512 bytes, and reserved, in MiB, after each step."""
    sizes = [1, 512, 513, 1 << 20, (1 << 20) + 1, 5 << 20, 9 << 20, 10 << 20, 11 << 20, 100 << 20, 1000, 3 << 20]
    figures, held = [], []

    def note():
        figures.append(f"{torch.cuda.memory_allocated() >> 9}/{torch.cuda.memory_reserved() >> 20}")

    torch.cuda.empty_cache()
    for n in sizes:
        held.append(torch.empty(n, dtype=torch.uint8, device="cuda"))
        note()
    for i in range(0, len(sizes), 2):
        held[i] = None
        note()
    for i in range(0, len(sizes), 2):
        held[i] = torch.empty(sizes[-1 - i], dtype=torch.uint8, device="cuda")
        note()
    held.clear()
    torch.cuda.empty_cache()
    note()
    print(f"{sys.argv[1]:6} memory:", " ".join(figures))


def small():
    a, b = torch.ones(1, device="cuda"), torch.ones(1000, device="cuda")
    line("add of one element", 1e6 * timed(20000, lambda: torch.add(a, a)), "us")
    line("add_ of a thousand", 1e6 * timed(20000, lambda: b.add_(b)), "us")
    line("item()", 1e6 * timed(5000, a.item), "us")
    line("empty and free of 4 KB", 1e6 * timed(100000, lambda: torch.empty(1000, device="cuda")), "us")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(100):
            b.add_(1)
    line("replay of 100 kernels", 1e6 * timed(2000, graph.replay), "us")


def large():
    n = 64 << 20
    x = torch.full((n,), 1.5, device="cuda")
    y, h, i = x.bfloat16(), x.half(), x.long()
    x2, y2, m = x + x, y + y, x.reshape(8192, 8192)
    F = torch.nn.functional
    normal = torch.randn(n, device="cuda")
    narrow, half = normal.bfloat16(), normal.half()
    leaf = narrow.detach().requires_grad_()
    also = half.detach().requires_grad_()
    gelu, silu = F.gelu(leaf), F.silu(also)
    for what, per_element, call in (
        ("float32 -> bfloat16", 6, x.bfloat16),
        ("bfloat16 -> float32", 6, y.float),
        ("float32 -> float16", 6, x.half),
        ("float16 -> float32", 6, h.float),
        ("int64 -> float32", 12, i.float),
        ("float32 -> float8_e4m3fn", 5, lambda: x.to(torch.float8_e4m3fn)),
        ("float32 + float32", 12, lambda: x + x2),
        ("bfloat16 + bfloat16", 6, lambda: y + y2),
        ("float32 + bfloat16", 10, lambda: x + y),
        ("float32 > bfloat16", 7, lambda: x > y),
        ("exp of float32", 8, x.exp),
        ("gelu of float32", 8, lambda: F.gelu(normal)),
        ("tanh of float32", 8, normal.tanh),
        ("sigmoid of float32", 8, normal.sigmoid),
        ("gelu of bfloat16", 4, lambda: F.gelu(narrow)),
        ("exp of bfloat16", 4, narrow.exp),
        ("tanh of bfloat16", 4, narrow.tanh),
        ("sigmoid of bfloat16", 4, narrow.sigmoid),
        ("silu of bfloat16", 4, lambda: F.silu(narrow)),
        ("sin of float16", 4, half.sin),
        ("silu of float16, its gradient", 6, lambda: torch.autograd.grad(silu, also, h, retain_graph=True)),
        ("gelu of bfloat16, its gradient", 6, lambda: torch.autograd.grad(gelu, leaf, y, retain_graph=True)),
        ("fill of float32", 4, lambda: x.fill_(1.5)),
        ("float32 [8k, 8k], transposed copy", 8, lambda: m.T.contiguous()),
        ("float32 [8k, 8k] + [8k]", 8, lambda: m + x[:8192]),
    ):
        line("64M " + what, per_element * n * 1e-12 / timed(20, call), "TB/s")


def rows():
    """Microseconds; the inputs come from memory, since they are more than the cache holds."""
    for dtype, name in ((torch.float32, "float32"), (torch.bfloat16, "bfloat16")):
        x = torch.randn(64, 4096, 1024, device="cuda").to(dtype)
        w = torch.ones(1024, device="cuda").to(dtype)
        turn = [0]

        def part():
            turn[0] = (turn[0] + 1) % 64
            return x[turn[0]]

        F = torch.nn.functional
        for what, call in (
            ("sum(1)", lambda: part().sum(1)),
            ("sum(0)", lambda: part().sum(0)),
            ("amax(1)", lambda: part().amax(1)),
            ("argmax(1)", lambda: part().argmax(1)),
            ("var(1)", lambda: part().var(1)),
            ("softmax", lambda: torch.softmax(part(), 1)),
            ("log_softmax", lambda: torch.log_softmax(part(), 1)),
            ("layer_norm", lambda: F.layer_norm(part(), (1024,), w, w)),
        ):
            try:
                line(f"{what} of {name} 4096 x 1024", 1e6 * timed(64, call), "us")
            except AttributeError:
                pass  # karat has no layer_norm yet
        try:
            leaf, also = x[0].detach().requires_grad_(), w.detach().requires_grad_()
            y = F.layer_norm(leaf, (1024,), also, also)
            up = torch.ones_like(y)
            line(f"layer_norm of {name} 4096 x 1024, back",
                 1e6 * timed(64, lambda: torch.autograd.grad(y, (leaf, also), up, retain_graph=True)), "us")
            tall = x.reshape(-1, 1024)
            size = 4 if dtype == torch.float32 else 2
            bytes_moved = 1e-12 * size * x.numel()
            line(f"layer_norm of {name} 262144 x 1024",
                 2 * bytes_moved / timed(10, lambda: F.layer_norm(tall, (1024,), w, w)), "TB/s")
            leaf = tall.detach().requires_grad_()
            y = F.layer_norm(leaf, (1024,), also, also)
            up = torch.ones_like(y)
            line(f"layer_norm of {name} 262144 x 1024, back",
                 3 * bytes_moved / timed(10, lambda: torch.autograd.grad(y, (leaf, also), up, retain_graph=True)), "TB/s")
        except AttributeError:
            pass
        n = 64 * 4096 * 1024
        size = 4 if dtype == torch.float32 else 2
        flat = x.reshape(-1)
        line(f"sum of 256M {name}", size * n * 1e-12 / timed(10, flat.sum), "TB/s")
        line(f"sum(0) of {name} 262144 x 1024", size * n * 1e-12 / timed(10, lambda: x.reshape(-1, 1024).sum(0)), "TB/s")
        tall = x.reshape(-1, 1024)
        line(f"softmax of {name} 262144 x 1024", 2 * size * n * 1e-12 / timed(10, lambda: torch.softmax(tall, 1)), "TB/s")
        line(f"argmax of 256M {name}", size * n * 1e-12 / timed(10, flat.argmax), "TB/s")
        m = x.reshape(-1)[: 8192 * 8192].reshape(8192, 8192)
        line(f"{name} [8k, 8k], transposed copy", 2 * size * 8192 * 8192 * 1e-12 / timed(10, lambda: m.T.contiguous()), "TB/s")


def products():
    for n, dtype, name in ((8192, torch.bfloat16, "bfloat16"), (8192, torch.float16, "float16"), (4096, torch.float32, "float32"),
                           (4096, torch.float64, "float64"), (1024, torch.bfloat16, "bfloat16"), (256, torch.float32, "float32")):
        a, b = torch.randn(n, n, device="cuda").to(dtype), torch.randn(n, n, device="cuda").to(dtype)
        line(f"{name} {n} cubed", 2e-12 * n**3 / timed(10, lambda: a @ b), "TFLOP/s")
        if n == 8192 and dtype == torch.bfloat16:
            line(f"{name} {n} cubed, b.T", 2e-12 * n**3 / timed(10, lambda: a @ b.T), "TFLOP/s")
            F = torch.nn.functional
            line(f"{name} {n} linear with bias", 2e-12 * n**3 / timed(10, lambda: F.linear(a, b, a[0])), "TFLOP/s")
    n, scale = 8192, torch.ones((), device="cuda")
    a, b = (torch.randn(n, n, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    for out, name in ((torch.float32, "float32"), (torch.bfloat16, "bfloat16")):
        line(f"float8_e4m3fn {n} cubed to {name}", 2e-12 * n**3 / timed(10, lambda: torch._scaled_mm(
            a, b.t(), scale, scale, out_dtype=out)), "TFLOP/s")
    for m, n, k in ((32768, 2304, 768), (32768, 768, 3072), (32768, 50304, 768)):  # of GPT-2
        a, b = torch.randn(m, k, device="cuda").bfloat16(), torch.randn(n, k, device="cuda").bfloat16()
        line(f"bfloat16 {m} x {k} @ {k} x {n}", 2e-12 * m * n * k / timed(10, lambda: a @ b.T), "TFLOP/s")
    a = torch.randn(384, 1024, 64, device="cuda").bfloat16()
    many = 2e-12 * 384 * 1024 * 1024 * 64
    line("bfloat16 384 x (1024 x 64 @ 64 x 1024)", many / timed(10, lambda: a @ a.transpose(1, 2)), "TFLOP/s")


def training():
    F = torch.nn.functional
    x = torch.ones(1, device="cuda").requires_grad_()

    def chain():
        y = x
        for _ in range(20):
            y = y * x
        y.backward()
        x.grad = None

    line("20 multiplications forward and backward", 1e6 * timed(300, chain), "us")
    table = torch.randn(50257, 768, device="cuda").requires_grad_()
    tokens = torch.randint(0, 50257, (32, 1024), device="cuda")

    def embed():
        F.embedding(tokens, table).sum().backward()
        table.grad = None

    line("embedding 50257 x 768, 32k tokens, and back", 1e6 * timed(5, embed), "us")
    logits = torch.randn(8192, 50257, device="cuda").bfloat16().requires_grad_()
    target = torch.randint(0, 50257, (8192,), device="cuda")

    def loss():
        F.cross_entropy(logits, target).backward()
        logits.grad = None

    line("cross_entropy bfloat16 8192 x 50257 and back", 1e6 * timed(5, loss), "us")
    ws = [torch.randn(1024, 1024, device="cuda").mul(0.03).requires_grad_() for _ in range(4)]
    data = torch.randn(4096, 1024, device="cuda")

    def step():
        y = data
        for w in ws:
            y = F.gelu(F.linear(y, w))
        (y * y).mean().backward()
        with torch.no_grad():
            for w in ws:
                w.sub_(w.grad, alpha=0.01)
                w.grad = None

    line("MLP of 4 x 1024, batch 4096, a step of SGD", 1e6 * timed(10, step), "us")
    drop = torch.ones(64 << 20, device="cuda")
    line("dropout of 64M float32", 8e-12 * drop.numel() / timed(10, lambda: F.dropout(drop, 0.1)), "TB/s")
    narrow = drop.bfloat16()
    line("dropout of 64M bfloat16", 4e-12 * drop.numel() / timed(10, lambda: F.dropout(narrow, 0.1)), "TB/s")
    kept = F.dropout(narrow.requires_grad_(), 0.1)
    ones = torch.ones_like(kept)
    back = timed(10, lambda: torch.autograd.grad(kept, narrow, ones, retain_graph=True))
    line("dropout of 64M bfloat16, its gradient", 4e-12 * drop.numel() / back, "TB/s")
    line("randn of 64M float32", 4e-12 * drop.numel() / timed(10, lambda: torch.randn(64 << 20, device="cuda")), "TB/s")


# Many small tensors, where launches count, and GPT-2's, where bytes do.
MODELS = (("150 small tensors", [1000] * 150),
          ("148 tensors, 124M in all", [50257 * 768, 1024 * 768] + [768, 2304 * 768, 2304, 768 * 768, 768, 768, 3072 * 768, 3072,
                                                                    3072 * 768, 768, 768, 768] * 12 + [768, 768]))


def optimizers():
    """Steps of torch.optim over the tensors of a model, as they are by default: PyTorch's by lists, Karat's by chains."""
    for what, sizes in MODELS:
        for kind, options in (("AdamW", {}), ("AdamW", {"fused": True}), ("SGD", {"momentum": 0.9}), ("RMSprop", {}),
                              ("Adagrad", {}), ("Adamax", {}), ("NAdam", {}), ("RAdam", {}), ("Adadelta", {})):
            ps = [torch.ones(n, device="cuda").requires_grad_() for n in sizes]
            for p in ps:
                p.grad = torch.ones_like(p)
            step = getattr(torch.optim, kind)(ps, lr=1e-3, **options).step
            name = kind + "".join(f", {key}" for key in options if key == "fused")
            line(f"{name}.step, {what}", 1e6 * timed(10, step), "us")


def lists():
    """Steps of an optimizer by lists."""
    for what, sizes in MODELS:
        p, g, m, v = ([torch.ones(n, device="cuda") for n in sizes] for _ in range(4))
        line(f"_foreach_mul_ of {what}", 1e6 * timed(20, lambda: torch._foreach_mul_(p, 0.999)), "us")
        line(f"_foreach_add of {what}", 1e6 * timed(20, lambda: torch._foreach_add(p, g)), "us")

        def adam():
            torch._foreach_lerp_(m, g, 0.1)
            torch._foreach_mul_(v, 0.999)
            torch._foreach_addcmul_(v, g, g, 0.001)
            root = torch._foreach_sqrt(v)
            torch._foreach_add_(root, 1e-8)
            torch._foreach_addcdiv_(p, m, root, -0.001)

        line(f"Adam by lists, {what}", 1e6 * timed(10, adam), "us")
        count = [torch.ones((), device="cuda") for _ in sizes]
        given = dict(lr=0.001, beta1=0.9, beta2=0.999, weight_decay=0.01, eps=1e-8, amsgrad=False, maximize=False)
        line(f"_fused_adamw_, {what}", 1e6 * timed(20, lambda: torch._fused_adamw_(p, g, m, v, [], count, **given)), "us")
        given = dict(weight_decay=0.0, momentum=0.9, lr=0.01, dampening=0.0, nesterov=False, maximize=False, is_first_step=False)
        line(f"_fused_sgd_, {what}", 1e6 * timed(20, lambda: torch._fused_sgd_(p, g, m, **given)), "us")
        found, factor = torch.zeros((), device="cuda"), torch.full((), 0.5, device="cuda")
        unscale = timed(20, lambda: torch._amp_foreach_non_finite_check_and_unscale_(g, found, factor))
        line(f"unscale, {what}", 1e6 * unscale, "us")


def convolutions():
    """Float32 without TF32: Karat has none."""
    F = torch.nn.functional
    if sys.argv[1] == "torch":
        torch.backends.cudnn.allow_tf32 = False
    for dtype, name in ((torch.float32, "float32"), (torch.bfloat16, "bfloat16")):
        for last in (False, True):
            layout = torch.channels_last if last else torch.contiguous_format
            x = torch.randn(64, 128, 56, 56, device="cuda").to(dtype).contiguous(memory_format=layout).requires_grad_()
            w = torch.randn(128, 128, 3, 3, device="cuda").to(dtype).contiguous(memory_format=layout).requires_grad_()
            flops = 2e-12 * 64 * 128 * 128 * 9 * 56 * 56
            y = F.conv2d(x, w, padding=1)
            up = torch.ones_like(y)
            kind = f"{name}{', channels last' if last else ''}"
            with torch.no_grad():
                line(f"conv2d {kind}", flops / timed(10, lambda: F.conv2d(x, w, padding=1)), "TFLOP/s")
            line(f"conv2d {kind}, to the image",
                 flops / timed(10, lambda: torch.autograd.grad(y, x, up, retain_graph=True)), "TFLOP/s")
            line(f"conv2d {kind}, to the weight",
                 flops / timed(10, lambda: torch.autograd.grad(y, w, up, retain_graph=True)), "TFLOP/s")


def layers():
    """Norms of channels and pooling of 64 x 128 x 56 x 56: forward, and what flows back."""
    F = torch.nn.functional
    for dtype, name in ((torch.float32, "float32"), (torch.bfloat16, "bfloat16")):
        for last in (False, True):
            layout = torch.channels_last if last else torch.contiguous_format
            x = torch.randn(64, 128, 56, 56, device="cuda").to(dtype).contiguous(memory_format=layout).requires_grad_()
            w, b = (torch.ones(128, device="cuda", dtype=dtype).requires_grad_() for _ in range(2))
            kind = f"{name}{', channels last' if last else ''}"
            calls = (("batch_norm", lambda: F.batch_norm(x, None, None, w, b, True), (x, w, b)),
                     ("group_norm", lambda: F.group_norm(x, 32, w, b), (x, w, b)),
                     ("max_pool2d 3 x 3 / 2", lambda: F.max_pool2d(x, 3, 2, 1), (x,)),
                     ("avg_pool2d 2 x 2", lambda: F.avg_pool2d(x, 2), (x,)),
                     ("interpolate x 2 bilinear", lambda: F.interpolate(x, scale_factor=2, mode="bilinear"), (x,)))
            for what, call, given in calls:
                y = call()
                up = torch.ones_like(y)
                with torch.no_grad():
                    line(f"{what} {kind}", 1e6 * timed(10, call), "us")
                line(f"{what} {kind}, back", 1e6 * timed(10, lambda: torch.autograd.grad(y, given, up, retain_graph=True)), "us")


def selection():
    """Scans, sorts, what is first, equal or true, of 16M elements if nothing else is said."""
    torch.manual_seed(0)
    x = torch.randn(1 << 24, device="cuda")
    i = torch.randint(0, x.numel(), x.shape, device="cuda")
    few, square, scores = i % 1000, x.view(4096, 4096), torch.randn(8, 50257, device="cuda")
    narrow = x.bfloat16()
    calls = (("cumsum", lambda: x.cumsum(0)), ("cumsum of bfloat16", lambda: narrow.cumsum(0)),
             ("cumsum of int64", lambda: i.cumsum(0)), ("cumsum(1) of 4096 x 4096", lambda: square.cumsum(1)),
             ("cumsum(0) of 4096 x 4096", lambda: square.cumsum(0)), ("cummax", lambda: x.cummax(0)),
             ("logcumsumexp", lambda: x.logcumsumexp(0)), ("sort", x.sort), ("sort of bfloat16", narrow.sort),
             ("sort of int64", i.sort), ("sort of 4096 x 4096", square.sort), ("sort(0) of 4096 x 4096", lambda: square.sort(0)),
             ("sort of 4096 x 4096 bfloat16", narrow.view(4096, 4096).sort), ("sort of 16384 x 1024", x.view(-1, 1024).sort),
             ("sort of 262144 x 64", x.view(-1, 64).sort), ("sort of 100,000", x[:100000].sort),
             ("topk(50)", lambda: x.topk(50)), ("topk(50) of 8 x 50257", lambda: scores.topk(50)),
             ("topk(50) of 4096 x 4096", lambda: square.topk(50)), ("topk(1000) of 4096 x 4096", lambda: square.topk(1000)),
             ("topk(8) of 131072 x 128", lambda: x.view(-1, 128).topk(8)), ("median", x.median),
             ("median(1) of 4096 x 4096", lambda: square.median(1)), ("unique of int64", i.unique),
             ("unique_consecutive", few.unique_consecutive), ("nonzero", lambda: (x > 1).nonzero()),
             ("masked_select", lambda: x[x > 0]), ("bincount of 1,000", lambda: torch.bincount(few)),
             ("histc of 100", lambda: torch.histc(x, 100)))
    for what, call in calls:
        line(what, 1e6 * timed(10, call), "us")


def copies():
    x = torch.ones(64 << 20)
    y, pinned, gb = x.cuda(), x.pin_memory(), x.nbytes * 1e-9
    line("256 MiB to the device, pageable", gb / timed(5, x.cuda), "GB/s")
    line("256 MiB to the device, pinned", gb / timed(5, lambda: pinned.to("cuda", non_blocking=True)), "GB/s")
    line("256 MiB to the host, pageable", gb / timed(5, y.cpu), "GB/s")


for part in (memory, small, large, rows, products, training, lists, optimizers, convolutions, layers, selection,
             copies):
    if sys.argv[2:] and part.__name__ not in sys.argv[2:]:
        continue
    try:
        part()
    except Exception as error:
        print(f"{sys.argv[1]:6} {part.__name__}: {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
