"""Attention on a GPU against products and a softmax in float64 on the CPU: random sizes, dtypes, masks, layouts, groups of heads,
forward and back, under autocast, on two streams, in graphs, with dropout. Nothing may fall back to the CPU. "attention.py errors
torch" prints the errors of PyTorch's attention for the same calls, beside ours: "attention.py errors karat"."""
import importlib
import os
import random
import sys

os.environ.setdefault("KARAT_FALLBACK", "error")
errors_of = sys.argv[2] if sys.argv[1:2] == ["errors"] else None
torch = importlib.import_module(errors_of or "karat")
F = torch.nn.functional
attend = F.scaled_dot_product_attention
HERE = torch.device("cuda")
# the norm of what is wrong by that of the result, each of output and gradients
TOLERANCE = {torch.float64: 1e-12, torch.float32: 3e-6, torch.float16: 2e-3, torch.bfloat16: 1.4e-2}
OF_BOUND = 2.0**-22  # of float32: two bits more than a rounding, of what one rounding at each step can come to (bounds_of)
LEAST = 0.3  # what flows back where one key is seen cancels: nothing is left but what is rounded
SMALL = bool(os.environ.get("KARAT_TEST_SAMPLE"))  # kernels that run on the CPU, or under a sanitizer
seed = int(os.environ.get("KARAT_TEST_SEED", random.SystemRandom().randrange(1 << 31)))
chance = random.Random(seed)
checked = failed = 0


def wrong(what, why):
    global failed
    failed += 1
    if failed <= 40:
        print(f"  {what}: {why}", flush=True)


def by_parts(q, k, v, mask=None, causal=False, scale=None, kept=None, p=0.0):
    """In float64."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    s = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else s + mask
    seen = (s > float("-inf")).any(-1, keepdim=True)
    w = torch.softmax(torch.where(seen, s, torch.zeros_like(s)), -1) * seen
    if kept is not None:
        w = w * kept / (1 - p)
    return w @ v


def bounds_of(q, k, v, flow, mask=None, causal=False, scale=None):
    """In float64: by how much a rounding (of relative size 1) of each score, of each product of what flows back with a value, and
    of each sum may change the output and the gradients of query, key, value and mask: the sizes of what is added up, where the
    numbers themselves may cancel."""
    batch, n, _, _ = k.shape
    group = q.shape[1] // n
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    s, size = q @ k.transpose(-1, -2) * scale, q.abs() @ k.abs().transpose(-1, -2) * scale
    if causal:
        s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    if mask is not None:
        s = s.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else s + mask
        size = size if mask.dtype == torch.bool else size + mask.abs()
    seen = (s > float("-inf")).any(-1, keepdim=True)
    w = torch.softmax(torch.where(seen, s, torch.zeros_like(s)), -1) * seen
    mean = lambda x: (w * x).sum(-1, keepdim=True)
    moved = w * (1 + size + mean(size))  # of a weight
    flows, flow_size = flow @ v.transpose(-1, -2), flow.abs() @ v.abs().transpose(-1, -2)
    left = (flows - mean(flows)).abs()
    slope = w * (left + flow_size + mean(flow_size)) + moved * left  # of what flows to a score
    of_groups = lambda x: x.unflatten(1, (n, group)).sum(2)
    bounds = [moved @ v.abs(), slope @ k.abs() * scale, of_groups(slope.transpose(-1, -2) @ q.abs()) * scale,
              of_groups(moved.transpose(-1, -2) @ flow.abs())]
    return bounds if mask is None else bounds + [slope.sum_to_size(*mask.shape)]


def error_of(here, there):
    if here is None or there is None:
        return 0.0 if here is there else float("nan")
    here, there = here.detach().double().cpu(), there.detach().double()
    if here.shape != there.shape:
        return float("nan")
    return (here - there).norm().item() / max(there.norm().item(), LEAST * there.numel() ** 0.5, 1e-30)


def check(what, dtype, here, there, loose=1.0, bound=None):
    """bound: what the norm of the error is compared with, of float32."""
    global checked
    checked += 1
    if bound is not None and here is not None and here.dtype == dtype == torch.float32:
        error = (here.detach().double().cpu() - there.detach().double()).norm().item() / max(bound.norm().item(), 1e-30)
        if not error <= OF_BOUND:
            wrong(what, f"error {error:.3g} of its bound, allowed {OF_BOUND:.3g}")
        return error
    error = error_of(here, there)
    loose *= 2 if here is not None and here.dtype != dtype else 1
    dtype = max(dtype, dtype if here is None else here.dtype, key=TOLERANCE.get)  # a float32 mask of float64 scores
    if not error <= TOLERANCE[dtype] * loose:
        wrong(what, f"error {error:.3g}, allowed {TOLERANCE[dtype] * loose:.3g}")
    return error


def heads(batch, n, length, dim, dtype, layout):
    """[batch, head, length, dim] in memory, or with the heads beside the columns, or a third of rows."""
    if layout == "beside":
        return torch.randn(batch, length, n, dim).to(dtype).transpose(1, 2)
    if layout == "third":
        return torch.randn(batch, length, 3, n, dim).to(dtype)[:, :, 1].transpose(1, 2)
    return torch.randn(batch, n, length, dim).to(dtype)


def moved(t):
    """To the device, as it lies."""
    if t.is_contiguous():
        return t.to(HERE).requires_grad_(t.dtype.is_floating_point)
    if t.stride(-1) == 1 and t.dim() == 4:  # beside
        whole = torch.zeros(t.shape[0], t.shape[2], t.stride(2), dtype=t.dtype, device=HERE)
        view = whole[..., :t.shape[1] * t.shape[3]].unflatten(-1, (t.shape[1], t.shape[3])).transpose(1, 2)
        view.copy_(t)
        return view.detach().requires_grad_()
    return t.to(HERE).requires_grad_()


def made_mask(kind, batch, n, queries, keys, dtype):
    if kind is None:
        return None
    sizes = chance.choice([(queries, keys), (batch, 1, queries, keys), (batch, n, queries, keys), (1, 1, 1, keys),
                           (1, n, queries, 1)])
    if kind == "bool":
        mask = torch.rand(sizes) > 0.3
        if len(sizes) == 2 and keys > 1:
            mask[0] = False  # a query that sees nothing
        return mask
    return torch.randn(sizes).to(torch.float32 if kind == "float" else dtype)


def one(dtype, batch, n, group, queries, keys, depth, width, causal, kind, layout, scale=None, learned=False):
    """Names, results, what they should be and the bounds of their errors, of a call and its gradients."""
    sizes = (n * group, queries, depth), (n, keys, depth), (n, keys, width)
    q, k, v = (heads(batch, *size, dtype, layout) for size in sizes)
    mask = made_mask(kind, batch, n * group, queries, keys, dtype)
    flow = torch.randn(batch, n * group, queries, width).to(dtype)
    there = [t.double().clone().requires_grad_() for t in (q, k, v)]
    there_mask = mask.double().clone().requires_grad_(learned) if mask is not None and mask.dtype != torch.bool else mask
    expected = by_parts(*there, there_mask, causal, scale)
    expected.backward(flow.double())
    here = [moved(t) for t in (q, k, v)]
    here_mask = mask if mask is None else mask.to(HERE).requires_grad_(learned and mask.dtype != torch.bool)
    result = attend(*here, attn_mask=here_mask, is_causal=causal, scale=scale, enable_gqa=group > 1)
    result.backward(flow.to(HERE))
    pairs = [("output", result, expected)] + [(f"gradient of {name}", a.grad, b.grad)
                                              for name, a, b in zip(("query", "key", "value"), here, there)]
    if learned and mask is not None and mask.dtype != torch.bool:
        pairs.append(("gradient of mask", here_mask.grad, there_mask.grad))
    with torch.no_grad():
        bounds = bounds_of(*there, flow.double(), there_mask, causal, scale) if dtype == torch.float32 else [None] * len(pairs)
    return [(*pair, bound) for pair, bound in zip(pairs, bounds)]


def any_call():
    large = not SMALL and chance.random() < 0.5
    length = (lambda: chance.choice([1, 2, 7, 63, 64, 65, 100, 128, 200, 256, 511, 700])) if large else \
        (lambda: chance.choice([1, 3, 17, 33, 64, 65, 80] if not SMALL else [1, 3, 17, 33, 65]))
    depth = chance.choice([64, 128, 64, 32, 96, 16, 8, 256, 40, 24, 7, 1, 33, 160] if not SMALL else [8, 16, 7, 64, 70])
    queries = length()
    causal = chance.random() < 0.5
    return dict(dtype=chance.choice([torch.float32, torch.bfloat16, torch.bfloat16, torch.float16, torch.float64]),
                batch=chance.choice([1, 2, 3]), n=chance.choice([1, 2, 4]) if not SMALL else chance.choice([1, 2]),
                group=chance.choice([1, 1, 1, 2, 3]), queries=queries,
                keys=queries if chance.random() < 0.5 else length(), depth=depth,
                width=depth if chance.random() < 0.8 else chance.choice([16, 64, 80, 5]),
                causal=causal, kind=None if causal else chance.choice([None, None, "bool", "float", "own"]),
                layout=chance.choice(["dense", "beside", "third"]), scale=chance.choice([None, None, 0.3]),
                learned=chance.random() < 0.4)


def text_of(call):
    return ", ".join(f"{name}={str(value).rpartition('.')[2]}" for name, value in call.items() if value is not None)


def calls():
    for _ in range(8 if SMALL else 300):
        call = any_call()
        text = text_of(call)
        try:
            for name, here, there, bound in one(**call):
                loose = (4.0 if "gradient" in name else 1.0) * (2 if call["scale"] else 1)
                check(f"{name} of {text}", call["dtype"], here, there, loose, bound)
        except RuntimeError as error:
            wrong(text, str(error).splitlines()[0])


LISTED = [dict(dtype=d, batch=2, n=3, group=g, queries=t, keys=t, depth=e, width=e, causal=c, kind=m, layout="beside")
          for d in (torch.bfloat16, torch.float16, torch.float32) for t, e in ((256, 64), (512, 128), (300, 80)) for g in (1, 2)
          for c, m in ((True, None), (False, None), (False, "bool"))]


def listed():
    """Sizes as models have them; the worst errors of each dtype."""
    worst = {}
    for call in LISTED[:1] if SMALL else LISTED:
        for name, here, there, bound in one(**call):
            key = call["dtype"], name.partition(" ")[0]
            worst[key] = max(worst.get(key, 0), check(f"{name} of {text_of(call)}", call["dtype"], here, there, 1.5, bound))
    return worst


def dropout():
    """What is kept follows from the seed; the share is right; gradients are those of what was kept."""
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        shape = (1, 2, 17, 24, 8) if SMALL else (2, 4, 200, 333, 64)
        batch, n, queries, keys, dim = shape
        q, k = (heads(batch, n, length, dim, dtype, "dense") for length in (queries, keys))
        v = torch.eye(keys).expand(batch, n, keys, keys).to(dtype)  # the result is the weights
        p = 0.25
        torch.manual_seed(5)
        weights = attend(q.to(HERE), k.to(HERE), v.to(HERE).contiguous(), dropout_p=p).double().cpu()
        whole = by_parts(q.double(), k.double(), v.double())
        kept = weights > 0
        share = kept.double().mean().item()
        if abs(share - (1 - p)) > 4 * (p * (1 - p) / kept.numel()) ** 0.5 + 1e-4:
            wrong(f"dropout {dtype}", f"{share} is kept")
        check(f"dropout {dtype}", dtype, weights, whole * kept / (1 - p), 2)
        value, flow = (torch.randn(batch, n, length, dim).to(dtype) for length in (keys, queries))
        here = [t.to(HERE).requires_grad_() for t in (q, k, value)]
        torch.manual_seed(5)
        result = attend(*here, dropout_p=p)
        result.backward(flow.to(HERE))
        there = [t.double().clone().requires_grad_() for t in (q, k, value)]
        expected = by_parts(*there, kept=kept, p=p)
        expected.backward(flow.double())
        check(f"dropout's result {dtype}", dtype, result, expected, 2)
        for a, b in zip(here, there):
            check(f"dropout's gradient {dtype}", dtype, a.grad, b.grad, 3)
        torch.manual_seed(5)
        again = attend(*here, dropout_p=p)
        other = attend(*here, dropout_p=p)
        if not torch.equal(again, result):
            wrong(f"dropout {dtype}", "a seed gives other numbers")
        if torch.equal(other, result):
            wrong(f"dropout {dtype}", "the generator does not move")


def slopes():
    """The second derivative, where PyTorch's way has one: through products."""
    q, k, v = (torch.randn(2, 10, 4, dtype=torch.float64) for _ in range(3))
    grads = []
    for device in ("cpu", "cuda"):
        t = [x.to(device).requires_grad_() for x in (q, k, v)]
        first = torch.autograd.grad(attend(*t, is_causal=True).square().sum(), t, create_graph=True)
        second = torch.autograd.grad(sum((g * g).sum() for g in first), t)
        grads.append([g.cpu() for g in (*first, *second)])
    for here, there in zip(grads[1], grads[0]):
        check("second derivative", torch.float64, here, there, 100)


def autocast():
    x = [torch.randn(2, 4, 130, 64, device=HERE, requires_grad=True) for _ in range(3)]
    with torch.autocast("cuda", dtype=torch.bfloat16):
        y = attend(*x, is_causal=True)
    if y.dtype != torch.bfloat16:
        wrong("autocast", f"the result is {y.dtype}")
    y.float().sum().backward()
    there = [t.detach().cpu().double().requires_grad_() for t in x]
    expected = by_parts(*there, causal=True)
    expected.sum().backward()
    check("autocast", torch.bfloat16, y, expected)
    for a, b in zip(x[2:], there[2:]):  # of a sum little flows to query and key
        if a.grad.dtype != torch.float32:
            wrong("autocast", f"a gradient is {a.grad.dtype}")
        check("autocast's gradient", torch.bfloat16, a.grad, b.grad, 2)


def lies_as():
    """What flows back lies as the operand does, so that nothing copies it on its way."""
    for dtype in (torch.bfloat16, torch.float32):
        for layout in ("dense", "beside", "third"):
            x = [moved(heads(2, 3, 64, 64, dtype, layout)) for _ in range(3)]
            for t, g in zip(x, torch.autograd.grad(attend(*x, is_causal=True).float().sum(), x)):
                if g.stride() != torch.empty_like(t).stride():
                    wrong(f"layout {dtype} {layout}", f"a gradient has strides {g.stride()}")


def streams():
    """Two streams at once give what one gives."""
    x = [[torch.randn(2, 4, 256 if not SMALL else 65, 64, device=HERE, dtype=torch.bfloat16) for _ in range(3)] for _ in range(6)]
    alone = [attend(*t, is_causal=True) for t in x]
    torch.cuda.synchronize()
    two, results = [torch.cuda.Stream(), torch.cuda.Stream()], []
    for _ in range(3):
        for i, t in enumerate(x):
            with torch.cuda.stream(two[i % 2]):
                results.append(attend(*t, is_causal=True))
    torch.cuda.synchronize()
    for i, result in enumerate(results):
        if not torch.equal(result, alone[i % len(x)]):
            wrong("streams", f"call {i} differs")


def threads():
    """Two threads, each on a stream of its own."""
    import threading
    x = [torch.randn(2, 4, 128, 64, device=HERE, dtype=torch.float16, requires_grad=True) for _ in range(3)]
    y = attend(*x, is_causal=True)
    alone = [y, *torch.autograd.grad(y.float().square().sum(), x)]
    torch.cuda.synchronize()

    def work():
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(1 if SMALL else 20):
                y = attend(*x, is_causal=True)
                made = [y, *torch.autograd.grad(y.float().square().sum(), x)]
                torch.cuda.current_stream().synchronize()
                for a, b in zip(made, alone):
                    check("threads", torch.float16, a, b.detach().cpu())

    both = [threading.Thread(target=work) for _ in range(2)]
    for t in both:
        t.start()
    for t in both:
        t.join()


def graphs():
    """Captured, with dropout: each replay draws anew."""
    for dtype in (torch.bfloat16, torch.float32):
        x = [torch.randn(1, 2, 100, 64, device=HERE, dtype=dtype) for _ in range(3)]
        attend(*x, is_causal=True)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            plain, dropped = attend(*x, is_causal=True), attend(*x, dropout_p=0.5)
        seen = []
        for _ in range(3):
            graph.replay()
            seen.append((plain.clone(), dropped.clone()))
        torch.cuda.synchronize()
        if not torch.equal(seen[0][0], attend(*x, is_causal=True)) or not torch.equal(seen[0][0], seen[1][0]):
            wrong(f"graphs {dtype}", "a replay differs")
        if torch.equal(seen[0][1], seen[1][1]):
            wrong(f"graphs {dtype}", "a replay draws the numbers of the last")


def sure():
    """With deterministic algorithms two runs have the same bits."""
    torch.use_deterministic_algorithms(True)
    try:
        for dtype in (torch.bfloat16, torch.float32):
            x = [torch.randn(2, 4, 300 if not SMALL else 33, 64, device=HERE, dtype=dtype, requires_grad=True) for _ in range(3)]
            runs = [torch.autograd.grad(attend(*x, is_causal=True).float().square().sum(), x) for _ in range(3)]
            if not all(torch.equal(a, b) for run in runs[1:] for a, b in zip(run, runs[0])):
                wrong(f"deterministic {dtype}", "bits differ")
    finally:
        torch.use_deterministic_algorithms(False)


torch.manual_seed(seed)
if errors_of:
    for (dtype, what), error in listed().items():
        print(f"{errors_of:6} {str(dtype):16} {what:9} worst error {error:.3g}")
    sys.exit()
print(f"KARAT_TEST_SEED={seed}")
for part in (listed, calls, dropout, slopes, autocast, lies_as, streams, threads, graphs, sure):
    if sys.argv[1:] and part.__name__ not in sys.argv[1:]:
        continue
    before, bad = checked, failed
    try:
        part()
        torch.cuda.synchronize()
    except Exception as error:
        wrong(part.__name__, f"{type(error).__name__}: {error}")
    print(f"{part.__name__}: {checked - before} results compared, {failed - bad} wrong", flush=True)
sys.exit(failed > 0)
