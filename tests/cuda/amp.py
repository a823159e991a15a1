"""Autocast and the gradient scaler on the GPU beside PyTorch's on the same card: dtypes, values and gradients of calls under
autocast, regions in each other, the cache of weights, custom functions, checkpoints, the scaler's states and scales, and models
that train in float16 and bfloat16. What Karat has beyond PyTorch (the log's line, the report) is tested by itself.

    amp.py [calls|regions|caches|mixed|functions|scalers|trainings|beyond ...]

Without PyTorch in the interpreter the parts run all the same, and nothing is compared. Exit status 1: something differs.
"""
import contextlib
import os
import sys
import time
import warnings

os.environ.setdefault("KARAT_FALLBACK", "quiet")  # linear algebra runs on the CPU; fallbacks.py lists what does
import karat

import training

torch = training.torch
DTYPES = ("float16", "bfloat16", "float32", "float64")
TOLERANCE = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "float64": 1e-11}
failed = compared = 0


def short(dtype):
    return str(dtype).rpartition(".")[2]


def error_text(error):
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def differ(part, name, ours, theirs):
    global failed
    failed += 1
    if failed <= 80:
        print(f"  {part} {name}: {str(ours)[:160]}, PyTorch {str(theirs)[:160]}", flush=True)


# ---- calls ----

def calls(m, made):
    """(name, call of no argument) of what autocast has a class for, and of some that it has none for; `made(*shape)` is a leaf of
    the dtype at hand, and `wide` one of float32."""
    f, t = m.nn.functional, made
    wide = lambda *shape: made(*shape, dtype=m.float32)
    ix = m.tensor([1, 0], device="cuda")
    square, batch = lambda: t(4, 4), lambda: t(2, 4, 4)
    one = {name: getattr(m, name) for name in (
        "exp expm1 log log10 log2 log1p acos asin cosh sinh tan reciprocal rsqrt erfinv sqrt sin cos tanh sigmoid relu abs neg "
        "floor erf").split()}
    for name, call in one.items():
        yield name, lambda call=call: call(t(6) * 0.1 + 0.5)
    for name in "gelu silu mish softplus elu selu celu leaky_relu hardswish hardtanh logsigmoid softsign".split():
        yield name, lambda name=name: getattr(f, name)(t(6))
    yield "matmul", lambda: square() @ square()
    yield "matmul with float32", lambda: square() @ wide(4, 4)
    yield "mm", lambda: m.mm(square(), square())
    yield "mv", lambda: m.mv(square(), t(4))
    yield "bmm", lambda: m.bmm(batch(), batch())
    yield "addmm", lambda: m.addmm(t(4), square(), square(), beta=0.5)
    yield "addmv", lambda: m.addmv(t(4), square(), t(4))
    yield "addr", lambda: m.addr(square(), t(4), t(4))
    yield "addbmm", lambda: m.addbmm(square(), batch(), batch())
    yield "baddbmm", lambda: m.baddbmm(batch(), batch(), batch())
    yield "chain_matmul", lambda: m.linalg.multi_dot([square(), square(), square()])
    yield "einsum", lambda: m.einsum("bij,bjk->bik", batch(), batch())
    yield "linear", lambda: f.linear(t(3, 4), t(5, 4), t(5))
    yield "linear of float32", lambda: f.linear(wide(3, 4), t(5, 4), wide(5))
    yield "dot", lambda: m.dot(t(4), t(4))
    yield "vdot", lambda: m.vdot(t(4), t(4))
    yield "tensordot", lambda: m.tensordot(square(), square(), 1)
    yield "bilinear", lambda: f.bilinear(t(3, 4), t(3, 4), t(2, 4, 4))
    yield "prelu", lambda: f.prelu(square(), t(1))
    yield "conv1d", lambda: f.conv1d(t(2, 3, 8), t(4, 3, 3), t(4))
    yield "conv2d", lambda: f.conv2d(t(2, 3, 6, 6), t(4, 3, 3, 3), t(4), padding=1)
    yield "conv2d with float32", lambda: f.conv2d(t(2, 3, 6, 6), wide(4, 3, 3, 3), wide(4))
    yield "conv_transpose2d", lambda: f.conv_transpose2d(t(2, 4, 5, 5), t(4, 3, 3, 3))
    yield "conv3d", lambda: f.conv3d(t(1, 2, 4, 4, 4), t(3, 2, 2, 2, 2))
    yield "pow", lambda: t(6) ** 2
    yield "pow of tensors", lambda: (t(6) * 0.1 + 1) ** t(6)
    yield "rpow", lambda: 2.0 ** t(6)
    yield "softmax", lambda: t(3, 4).softmax(-1)
    yield "softmax to float64", lambda: t(3, 4).softmax(-1, dtype=m.float64)
    yield "softmin", lambda: f.softmin(t(3, 4), -1)
    yield "log_softmax", lambda: t(3, 4).log_softmax(-1)
    yield "log_softmax to its dtype", lambda: (lambda x: x.log_softmax(-1, dtype=x.dtype))(t(3, 4))
    yield "sum", lambda: t(3, 4).sum()
    yield "sum of a dim", lambda: t(3, 4).sum(1)
    yield "sum to float16", lambda: t(3, 4).sum(1, dtype=m.float16)
    yield "prod", lambda: t(4).prod()
    yield "cumsum", lambda: t(3, 4).cumsum(0)
    yield "cumprod", lambda: (t(3, 4) + 0.3).cumprod(0)  # beside a zero PyTorch fails on the way back
    yield "mean", lambda: t(3, 4).mean()
    yield "var", lambda: t(3, 4).var(1)
    yield "norm", lambda: t(3, 4).norm()
    yield "norm of a dim", lambda: t(3, 4).norm(dim=1)
    yield "vector_norm", lambda: m.linalg.vector_norm(t(3, 4))
    yield "logsumexp", lambda: t(3, 4).logsumexp(1)
    yield "amax", lambda: t(3, 4).amax(1)
    yield "layer_norm", lambda: f.layer_norm(t(3, 4), (4,), t(4), t(4))
    yield "layer_norm with float32", lambda: f.layer_norm(t(3, 4), (4,), wide(4), wide(4))
    yield "group_norm", lambda: f.group_norm(t(2, 4, 5), 2, t(4), t(4))
    yield "group_norm with float32", lambda: f.group_norm(t(2, 4, 5), 2, wide(4), wide(4))
    yield "batch_norm", lambda: f.batch_norm(t(4, 3), m.zeros(3, device="cuda"), m.ones(3, device="cuda"), wide(3), wide(3), True)
    yield "instance_norm", lambda: f.instance_norm(t(2, 3, 5))
    yield "rms_norm", lambda: f.rms_norm(t(3, 4), (4,), t(4))
    yield "local_response_norm", lambda: f.local_response_norm(t(2, 4, 3, 3), 2)
    for name in "mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss poisson_nll_loss".split():
        yield name, lambda name=name: getattr(f, name)(t(6), t(6).detach())
    yield "kl_div", lambda: f.kl_div(t(6), t(6).detach().abs() + 0.5, reduction="sum")
    yield "nll_loss", lambda: f.nll_loss(t(2, 4), ix)
    yield "cross_entropy", lambda: f.cross_entropy(t(2, 4), ix)
    yield "cross_entropy of probabilities", lambda: f.cross_entropy(t(2, 4), t(2, 4).detach().softmax(-1))
    yield "binary_cross_entropy", lambda: f.binary_cross_entropy(t(6).sigmoid(), t(6).detach().sigmoid())
    yield "binary_cross_entropy_with_logits", lambda: f.binary_cross_entropy_with_logits(t(6), t(6).detach().sigmoid())
    yield "cosine_embedding_loss", lambda: f.cosine_embedding_loss(t(2, 4), t(2, 4), ix.to(m.float32) * 2 - 1)
    yield "hinge_embedding_loss", lambda: f.hinge_embedding_loss(t(2), ix.to(m.float32) * 2 - 1)
    yield "margin_ranking_loss", lambda: f.margin_ranking_loss(t(2), t(2), ix.to(m.float32) * 2 - 1)
    yield "triplet_margin_loss", lambda: f.triplet_margin_loss(t(2, 4), t(2, 4) + 1, t(2, 4) - 1)
    yield "multi_margin_loss", lambda: f.multi_margin_loss(t(2, 4), ix)
    yield "multilabel_margin_loss", lambda: f.multilabel_margin_loss(t(2, 4), m.tensor([[1, 0, -1, 2]] * 2, device="cuda"))
    yield "gaussian_nll_loss", lambda: f.gaussian_nll_loss(t(4), t(4).detach(), t(4).detach().abs() + 0.5)
    yield "ctc_loss", lambda: f.ctc_loss(t(5, 2, 4).log_softmax(-1), m.tensor([[1, 2], [3, 1]], device="cuda"), (5, 5), (2, 2))
    yield "cosine_similarity", lambda: f.cosine_similarity(t(2, 4), t(2, 4) + 1)
    yield "cdist", lambda: m.cdist(t(3, 4), t(2, 4) + 1)
    yield "pdist", lambda: f.pdist(t(3, 4) * m.tensor([1.0, 2.0, 3.0], device="cuda")[:, None])
    yield "dist", lambda: m.dist(t(6), t(6) + 1)
    yield "renorm", lambda: t(3, 4).renorm(2, 0, 1.0)
    yield "cat", lambda: m.cat([t(3), wide(3)])
    yield "stack", lambda: m.stack([t(3), wide(3)])
    yield "addcmul", lambda: m.addcmul(t(4), t(4), wide(4))
    yield "addcdiv", lambda: m.addcdiv(t(4), t(4), wide(4) + 2)
    yield "atan2", lambda: m.atan2(t(4), wide(4) + 2)
    yield "cross", lambda: m.linalg.cross(t(2, 3), wide(2, 3))
    yield "index_put", lambda: t(4).index_put((ix,), wide(2))
    yield "scatter_add", lambda: t(4).scatter_add(0, ix, wide(2))
    yield "grid_sample", lambda: f.grid_sample(t(1, 2, 4, 4), wide(1, 3, 3, 2) * 0.3, align_corners=False)
    yield "add", lambda: t(4) + t(4)
    yield "add of float32", lambda: t(4) + wide(4)
    yield "mul by a number", lambda: t(4) * 1.5
    yield "where", lambda: m.where(t(4) > 0, t(4), wide(4))
    yield "lerp", lambda: m.lerp(t(4), t(4) + 1, 0.3)
    yield "dropout of nothing", lambda: f.dropout(t(4), 0.0)
    yield "embedding", lambda: f.embedding(ix, t(3, 4))
    yield "max_pool2d", lambda: f.max_pool2d(t(1, 2, 4, 4), 2)
    yield "avg_pool2d", lambda: f.avg_pool2d(t(1, 2, 4, 4), 2)
    yield "adaptive_avg_pool2d", lambda: f.adaptive_avg_pool2d(t(1, 2, 4, 4), 2)
    yield "interpolate", lambda: f.interpolate(t(1, 2, 4, 4), scale_factor=2, mode="bilinear", align_corners=False)
    yield "pad by reflection", lambda: f.pad(t(1, 2, 4, 4), (1, 1, 1, 1), "reflect")
    yield "attention", lambda: f.scaled_dot_product_attention(t(1, 2, 4, 8), t(1, 2, 4, 8), t(1, 2, 4, 8))
    yield "a list", lambda: m._foreach_add([t(3)], [wide(3)])[0]
    yield "in place", lambda: t(4).clone().mul_(wide(4))
    yield "out", lambda: m.mm(wide(4, 4).detach(), wide(4, 4).detach(), out=m.empty(4, 4, device="cuda"))


def leaf_of(m, shape, dtype, count):
    n = 1
    for size in shape:
        n *= size
    flat = ((m.arange(n, dtype=m.float64) * (7 + 2 * count)) % 11 - 5) / 8
    return flat.to(dtype).reshape(shape).to("cuda").requires_grad_()


def outcome(m, name, lower, dtype):
    """(dtype and values of the result, those of the gradients of its leaves), or the error."""
    leaves = []

    def made(*shape, dtype=getattr(m, dtype)):
        leaves.append(leaf_of(m, shape, dtype, len(leaves)))
        return leaves[-1]

    try:
        with m.autocast("cuda", dtype=getattr(m, lower)):
            result = dict(calls(m, made))[name]()
        if result.requires_grad:
            result.backward(leaf_of(m, result.shape, result.dtype, 3).detach())
        m.cuda.synchronize()
    except Exception as error:
        return error_text(error)
    return [(short(x.dtype), x.detach().double().cpu().tolist()) if x is not None else None
            for x in (result, *(leaf.grad for leaf in leaves))]


def flat(values):
    return [x for value in values for x in flat(value)] if isinstance(values, list) else [values]


def are_close(ours, theirs, lower, dtype):
    """Results in the dtype of the arithmetic, which is not always theirs: under autocast the narrower one bounds what agrees."""
    near = max(TOLERANCE[lower], TOLERANCE[dtype])
    for here, there in zip(ours, theirs):
        if (here is None) != (there is None) or here and here[0] != there[0]:
            return False
        if here is None:
            continue
        a, b = flat(here[1]), flat(there[1])
        scale = max([abs(x) for x in b if x == x] + [0.1])
        if len(a) != len(b) or not all(abs(x - y) <= near * scale or (x != x and y != y) for x, y in zip(a, b)):
            return False
    return len(ours) == len(theirs)


def is_only_ours(theirs):
    """PyTorch lacks a kernel for the dtype, or cuDNN the way: doing better is fine."""
    return isinstance(theirs, str) and ("not implemented for" in theirs or "CUDNN" in theirs or "cuDNN" in theirs)


def run_calls():
    global compared
    names = [name for name, _ in calls(karat, lambda *shape, dtype=None: None)]
    for lower in ("float16", "bfloat16"):
        for dtype in DTYPES:
            for name in names:
                ours = outcome(karat, name, lower, dtype)
                theirs = outcome(torch, name, lower, dtype) if torch else ours
                compared += 1
                if ours == theirs or is_only_ours(theirs):
                    continue
                if isinstance(ours, str) and isinstance(theirs, str):  # one wording on all devices; PyTorch's differ by device
                    good = ours.partition(":")[0] == theirs.partition(":")[0]
                else:
                    good = not isinstance(ours, str) and not isinstance(theirs, str) and are_close(ours, theirs, lower, dtype)
                if not good:
                    differ("calls", f"{name}, {dtype} under {lower}", ours, theirs)


# ---- what is a list of plain values ----

def regions(m):
    x, y = leaf_of(m, (4, 4), m.float32, 0), leaf_of(m, (4, 4), m.float32, 1).detach().cpu()
    yield "default", m.get_autocast_dtype("cuda")
    yield "is off", m.is_autocast_enabled("cuda"), m.is_autocast_enabled()
    with m.autocast("cuda"):
        yield "on", (x @ x).dtype, (y @ y).dtype, m.is_autocast_enabled(), m.is_autocast_enabled("cpu")
        with m.autocast("cuda", dtype=m.bfloat16):
            made = x * 1  # a weight that was cast to another dtype keeps that in PyTorch, in Karat not
            yield "inner", (made @ made).dtype, m.exp(made @ made).dtype
        with m.autocast("cuda", enabled=False):
            yield "off inside", (x @ x).dtype
            with m.autocast("cpu"):
                yield "the CPU's alone", (x @ x).dtype, (y @ y).dtype
        with m.autocast("cpu"):
            yield "both", (x @ x).dtype, (y @ y).dtype
        yield "again", (x @ x).dtype, (x.half() @ x).dtype, (x.double() @ x.double()).dtype
        yield "a 0-dim of the CPU", ((x @ x) * y.sum()).dtype, ((x @ x) + m.tensor(1.5)).dtype
        z = x @ x
        z += x
        yield "in place", z.dtype
    yield "off again", m.is_autocast_enabled("cuda"), (x @ x).dtype
    for dtype in (m.float32, m.float64):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with m.autocast("cuda", dtype=dtype):
                yield f"lowering to {short(dtype)}", (x @ x).dtype, m.is_autocast_enabled("cuda")
        yield "warned", [str(w.message) for w in seen]
    for name, call in (("amp.autocast", lambda: m.cuda.amp.autocast()), ("bf16", lambda: m.cuda.amp.autocast(dtype=m.bfloat16))):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            with call():
                yield name, (x @ x).dtype, m.get_autocast_gpu_dtype()
        said = [(type(w.message).__name__, str(w.message).replace("karat", "torch")) for w in seen]
        yield "warned", [(kind, text.partition(" (Triggered")[0]) for kind, text in said]

    @m.autocast("cuda", dtype=m.bfloat16)
    def product(a):
        return a @ a

    yield "decorated", product(x).dtype
    with m.autocast("cuda"):
        loss = (x @ x).float().square().mean()
        loss.backward()
    yield "backward inside", x.grad.dtype, loss.dtype


def caches(m):
    """How often a weight is converted is seen in the graph: the same node where it was kept."""
    w, x = leaf_of(m, (4, 4), m.float32, 0), leaf_of(m, (4, 4), m.float32, 1).detach()

    def casts(*results):
        found = []
        for y in results:
            found += [n for n, _ in y.grad_fn.next_functions if n is not None]
        return len({id(n) for n in found}), sorted(n.name() for n in found)

    for kept in (True, False):
        with m.autocast("cuda", cache_enabled=kept):
            yield f"two uses, cache {kept}", casts(x @ w, x.T @ w)
            with m.autocast("cuda", cache_enabled=kept):
                yield "inner", casts(x @ w, x.T @ w)
            with m.no_grad():
                a = x @ w
            yield "after no_grad", casts(x @ w)[0], a.requires_grad
    with m.autocast("cuda"):
        first = x @ w
    with m.no_grad():
        w.mul_(2)
    with m.autocast("cuda"):
        second = x @ w
    yield "written to before", (second.double() / first.double()).mean().item()
    (x @ w).sum().backward()
    yield "gradient", w.grad.dtype


def mixed(m):
    """Norms whose weights have another dtype than their input, without autocast: what is refused."""
    f = m.nn.functional

    def said(call):
        try:
            return short(call().dtype)
        except Exception as error:
            return type(error).__name__

    for x_dtype in DTYPES:
        for w_dtype in DTYPES:
            x, w = (leaf_of(m, shape, getattr(m, dtype), 0).detach() for shape, dtype in (((2, 4, 6), x_dtype), ((4,), w_dtype)))
            rows = x.transpose(1, 2).contiguous()
            state = [m.zeros(4, device="cuda"), m.ones(4, device="cuda")]
            yield f"{x_dtype} with {w_dtype}", [
                said(lambda: f.layer_norm(rows, (4,), w, w)), said(lambda: f.layer_norm(rows, (4,), w)),
                said(lambda: f.group_norm(x, 2, w, w)), said(lambda: f.rms_norm(rows, (4,), w)),
                said(lambda: f.batch_norm(x, *state, w, w, True)), said(lambda: f.batch_norm(x, *state, w, w, False)),
                said(lambda: f.instance_norm(x, None, None, w, w))]


def functions(m):
    seen = []

    def function(cast_inputs):
        class Doubled(m.autograd.Function):
            @staticmethod
            @m.amp.custom_fwd(device_type="cuda", cast_inputs=cast_inputs)
            def forward(ctx, x, y):
                ctx.save_for_backward(x)
                seen.append((short(x.dtype), short(y.dtype), m.is_autocast_enabled("cuda")))
                return x @ x

            @staticmethod
            @m.amp.custom_bwd(device_type="cuda")
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                seen.append((short(grad.dtype), m.is_autocast_enabled("cuda")))
                return grad @ x.to(grad.dtype), None

        return Doubled

    x, there = leaf_of(m, (4, 4), m.float32, 0), m.ones(2, 2)
    for cast_inputs in (None, m.float32, m.float16):
        for enabled in (True, False):
            with m.autocast("cuda", enabled=enabled):
                result = function(cast_inputs).apply(x, there)
            result.float().sum().backward()
            yield f"cast_inputs {cast_inputs and short(cast_inputs)}, {enabled}", result.dtype, list(seen), x.grad.dtype
            seen.clear()
    for reentrant in (True, False):
        x.grad = None

        def part(x):
            seen.append(short((x @ x).dtype))
            return m.tanh(x @ x) @ x

        with m.autocast("cuda", dtype=m.bfloat16):
            y = m.utils.checkpoint.checkpoint(part, x, use_reentrant=reentrant)
        y.float().sum().backward()
        yield f"checkpoint, reentrant {reentrant}", list(seen), y.dtype, x.grad.dtype, x.grad.sum().item()
        seen.clear()


def scalers(m):
    def scaled_run(kind, options, clip):
        """Scale and parameter after each of 12 steps; two overflow."""
        m.manual_seed(3)
        w = leaf_of(m, (4, 4), m.float32, 0)
        b = leaf_of(m, (4,), m.float32, 1)
        x = leaf_of(m, (3, 4), m.float32, 2).detach()
        optimizer = kind([w, b], lr=0.01, **options)
        scaler, trace = m.amp.GradScaler("cuda", init_scale=1024.0, growth_interval=3), []
        for step in range(12):
            optimizer.zero_grad()
            with m.autocast("cuda", dtype=m.float16):
                loss = m.nn.functional.linear(x, w, b).float().square().mean()
            scaler.scale(loss * (float("inf") if step in (4, 5) else 1.0)).backward()
            if clip:
                scaler.unscale_(optimizer)
                trace.append(m.nn.utils.clip_grad_norm_([w, b], 0.1).isfinite().item())
            scaler.step(optimizer)
            scaler.update()
            trace.append((scaler.get_scale(), scaler._get_growth_tracker()))
        return trace, w.detach().sum().item(), b.detach().sum().item(), scaler.state_dict()

    optim = m.optim
    for kind, options in ((optim.SGD, {}), (optim.SGD, {"momentum": 0.9, "fused": True}), (optim.Adam, {}),
                          (optim.AdamW, {"foreach": True}), (optim.AdamW, {"fused": True}), (optim.RMSprop, {}),
                          (optim.Adagrad, {})):
        for clip in (False, True):
            yield f"{kind.__name__} {options} clip {clip}", scaled_run(kind, options, clip)
    p = leaf_of(m, (3,), m.float32, 0)
    optimizer, scaler = optim.SGD([p], 0.1), m.amp.GradScaler()

    def said(call):
        try:
            call()
        except Exception as error:
            return error_text(error)
        return "no error"

    yield "default", scaler.is_enabled(), scaler.get_scale(), scaler._device
    yield "step too early", said(lambda: scaler.step(optimizer))
    yield "update too early", said(scaler.update)
    scaler.scale(p.sum()).backward()
    yield "gradient", p.grad.tolist()
    scaler.unscale_(optimizer)
    yield "unscaled", p.grad.tolist(), said(lambda: scaler.unscale_(optimizer))
    scaler.step(optimizer)
    yield "stepped twice", said(lambda: scaler.step(optimizer)), said(lambda: scaler.unscale_(optimizer))
    scaler.update()
    scaler.update(4.0)
    yield "set", scaler.get_scale(), said(lambda: scaler.update(m.ones(2, device="cuda"))), said(lambda: scaler.update(m.ones(1)))
    q = leaf_of(m, (3,), m.float16, 0)
    scaler.scale(q.sum()).backward()
    yield "float16 gradients", said(lambda: scaler.unscale_(optim.SGD([q], 0.1)))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield "old name", m.cuda.amp.GradScaler().is_enabled(), [type(w.message).__name__ for w in seen]
    wide = [leaf_of(m, (n,), dtype, 0) for n, dtype in ((3, m.float32), (5, m.float64), (0, m.float32))]
    scaler = m.amp.GradScaler("cuda", init_scale=8.0)
    scaler.scale(sum(t.double().sum() for t in wide)).backward()
    scaler.unscale_(optim.SGD(wide, 0.1))
    yield "several dtypes", [t.grad.double().tolist() for t in wide]
    yield "on the CPU", [short(t.dtype) for t in m.amp.GradScaler("cpu").scale([m.ones(2), m.ones(2).half()])]


def close_enough(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(close_enough, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(close_enough(a[k], b[k]) for k in a)
    if isinstance(a, float) and isinstance(b, float):
        return a == b or abs(a - b) <= 2e-3 * max(abs(a), abs(b), 0.05) or (a != a and b != b)
    return a == b


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value if isinstance(value, (int, float, str, type(None))) else short(value)


def run_lines(part):
    """The lines of a part, each (name, values...), in both."""
    global compared

    def lines(m):
        try:
            for name, *values in part(m):
                yield name, plain(values)
        except Exception as error:
            yield "ended by", error_text(error)

    ours = list(lines(karat))
    theirs = list(lines(torch)) if torch else ours
    for here, there in zip(ours, theirs):
        compared += 1
        if here[0] != there[0] or not close_enough(here[1], there[1]):
            differ(part.__name__, here[0] if here[0] == there[0] else f"{here[0]} / {there[0]}", here[1], there[1])
    if len(ours) != len(theirs):
        differ(part.__name__, "lines", ours[-1], theirs[-1])


# ---- models ----

def trained(m, model_of, lower):
    """The losses of 30 steps under autocast, the scaler's last scale, and the seconds of a step; lower None: in float32."""
    m.manual_seed(7)
    model, x, target = model_of(m)
    model, x, target = model.to("cuda"), x.to("cuda"), target.to("cuda")
    optimizer = m.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = m.amp.GradScaler("cuda", enabled=lower == "float16")
    region = (lambda: m.autocast("cuda", dtype=getattr(m, lower))) if lower else contextlib.nullcontext

    def step():
        optimizer.zero_grad()
        with region():
            loss = m.nn.functional.cross_entropy(model(x), target)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        m.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        return loss

    losses = [step().item() for _ in range(30)]
    m.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(30):
        step()
    m.cuda.synchronize()
    return losses, scaler.get_scale(), (time.perf_counter() - begin) / 30


def wide_gpt(m):
    """6 blocks of 512, 8 x 256 tokens: products large enough that 16 bits pay."""
    return training.transformer(m, vocabulary=4096, length=256, width=512, heads=8, blocks=6, batch=8, tied=False)


def trainings():
    global compared
    for model_of in (training.perceptron, training.images, training.transformer, wide_gpt):
        for lower in (None, "float16", "bfloat16"):
            ours, scale, took = trained(karat, model_of, lower)
            line = f"  {model_of.__name__}, {lower or 'float32'}: {ours[0]:.5f} to {ours[-1]:.5f}, {1e6 * took:.0f} us a step"
            if torch:
                theirs, their_scale, their_took = trained(torch, model_of, lower)
                worst = max(abs(a - b) / abs(b) for a, b in zip(ours, theirs))
                line += f"; PyTorch {theirs[0]:.5f} to {theirs[-1]:.5f}, {1e6 * their_took:.0f} us; differs by {worst:.1e}"
                compared += 1
                if worst > (2e-3 if lower is None else 3e-2) or scale != their_scale:
                    differ("trainings", f"{model_of.__name__} {lower}", (ours[-1], scale), (theirs[-1], their_scale))
            print(line, flush=True)


# ---- beyond PyTorch ----

def beyond():
    m = karat

    class Exploding(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = m.nn.Linear(4, 4), m.nn.Linear(4, 4)

        def forward(self, x, factor):
            return self.head(self.body(x).half() * factor)  # the line that the log names

    m.manual_seed(1)
    net = Exploding().to("cuda")
    optimizer, scaler = m.optim.SGD(net.parameters(), 1e-3), m.amp.GradScaler("cuda", init_scale=1.0)
    for factor in (1e5, 1e5, 1.0, 1.0):
        optimizer.zero_grad()
        with m.autocast("cuda") as region:
            loss = net(m.full((2, 4), 20.0, device="cuda"), factor).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    print("  log:", *scaler.log, sep="\n    ")
    print("  report:", *region.report().splitlines(), sep="\n    ")
    x, w = m.ones(4, 4, device="cuda"), m.ones(4, 4, device="cuda", requires_grad=True)
    with m.autocast("cuda"):
        before = x @ w
        with m.no_grad():
            w.mul_(2)
        if (x @ w).sum().item() != 2 * before.sum().item():  # PyTorch goes on with the old weight
            differ("beyond", "a weight that is written to inside a region", (x @ w).sum().item(), 2 * before.sum().item())
    first = scaler.log[1]["first"]
    with open(__file__, encoding="utf-8") as file:
        line = file.readlines()[first["line"] - 1]
    if [entry["why"] for entry in scaler.log] != ["skipped"] * 2 or "the line that the log names" not in line or (
            "head.weight" not in scaler.log[1]["parameters"] or not scaler.stepped):
        differ("beyond", "log", scaler.log, "no such log")
    if "linear" not in region.report() or "float16" not in region.report():
        differ("beyond", "report", region.report(), "no such report")


def main():
    parts = {"calls": run_calls, "trainings": trainings, "beyond": beyond,
             **{part.__name__: lambda part=part: run_lines(part) for part in (regions, caches, mixed, functions, scalers)}}
    warnings.simplefilter("ignore")
    for name, part in parts.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        before, wrong = compared, failed
        try:
            part()
        except Exception as error:
            differ(name, "ended by", error_text(error), "no error")
        print(f"{name}: {compared - before} compared, {failed - wrong} differ", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
