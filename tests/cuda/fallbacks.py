"""What the CUDA backend leaves to the CPU: prints each kernel that falls back and the operators that met it, for one call of each
operator of the table that can be called with made-up arguments, over dtypes. The losses, layers and optimizers must not be among
them."""
import collections
import contextlib
import io
import os
import sys
import warnings

os.environ["KARAT_FALLBACK"] = "error"
import karat as torch

F = torch.nn.functional
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int32, torch.bool, torch.complex64,
          torch.complex128)
lacks = collections.defaultdict(lambda: collections.defaultdict(set))
warnings.simplefilter("ignore")


def attempt(name, dtype, call):
    try:
        call()
        torch.cuda.synchronize()
    except Exception as error:
        text = str(error)
        if "has no kernel" in text:
            lacks[text.split("has no kernel '")[1].split("'")[0]][name].add(str(dtype).rpartition(".")[2])


def calls():
    for name in sorted(n for n in dir(torch) if not n.startswith("_")):
        f = getattr(torch, name)
        settings = name.startswith(("set_", "get_", "is_", "manual", "save", "load"))
        if settings or type(f).__name__ not in ("builtin_function_or_method", "function"):
            continue
        for dtype in DTYPES:
            x = torch.ones(4, 4, dtype=dtype, device="cuda")
            for args in ((x,), (x, x), (x, 0), (x, x, x), (x, 0, torch.zeros(4, dtype=torch.int64, device="cuda"))):
                attempt(name, dtype, lambda: f(*args))


def more_losses(trains, tag, x, t):
    ones, sign = torch.ones_like(x), torch.ones(8, device="cuda", dtype=x.dtype)
    for name, f in {
        "cross_entropy of shares": lambda a: F.cross_entropy(a, ones / 16),
        "cross_entropy, smoothed": lambda a: F.cross_entropy(a, t, weight=a.detach()[0].abs(), label_smoothing=0.1),
        "nll_loss of images": lambda a: F.nll_loss(F.log_softmax(a.reshape(2, 4, 4, 4), 1), t.reshape(2, 4)[:, :1, None].expand(
            2, 4, 4) % 4),
        "multi_margin_loss": lambda a: F.multi_margin_loss(a, t),
        "multilabel_margin_loss": lambda a: F.multilabel_margin_loss(a, (torch.zeros_like(a) - 1).long()),
        "multilabel_soft_margin_loss": lambda a: F.multilabel_soft_margin_loss(a, ones),
        "hinge_embedding_loss": lambda a: F.hinge_embedding_loss(a, ones),
        "cosine_embedding_loss": lambda a: F.cosine_embedding_loss(a, ones, sign),
        "margin_ranking_loss": lambda a: F.margin_ranking_loss(a[:, 0], a[:, 1], sign),
        "triplet_margin_loss": lambda a: F.triplet_margin_loss(a, ones, ones * 2),
        "triplet_margin_with_distance_loss": lambda a: F.triplet_margin_with_distance_loss(a, ones, ones * 2),
        "gaussian_nll_loss": lambda a: F.gaussian_nll_loss(a, ones, ones),
        "kl_div of logarithms": lambda a: F.kl_div(a, ones, log_target=True, reduction="batchmean"),
    }.items():
        trains(f"{name} {tag}", f, x)


def layers(trains, tag, x, w, image):
    one, long = torch.ones(1, device="cuda", dtype=x.dtype), torch.zeros(8, dtype=torch.int64, device="cuda")
    chances = {name: (lambda a, f=getattr(F, name): f(a, 0.5, True)) for name in (
        "alpha_dropout", "dropout2d", "dropout3d", "feature_alpha_dropout") if hasattr(F, name)}
    for name, f in {
        "dropout1d": F.dropout1d,
        "prelu": lambda a: F.prelu(a, one), "rrelu": lambda a: F.rrelu(a, training=True), "glu": F.glu, "threshold":
        lambda a: F.threshold(a, 0.1, 2.0), "softmin": lambda a: F.softmin(a, -1), "log_softmax": lambda a: F.log_softmax(a, 0),
        "gumbel_softmax": F.gumbel_softmax, "layer_norm": lambda a: F.layer_norm(a, (16,), w, w),
        "rms_norm": lambda a: F.rms_norm(a, (16,), w), "normalize": F.normalize, "cosine_similarity":
        lambda a: F.cosine_similarity(a, torch.ones_like(a)), "pairwise_distance":
        lambda a: F.pairwise_distance(a, torch.ones_like(a)), "pdist": lambda a: F.pdist(a), "bilinear":
        lambda a: F.bilinear(a, a, torch.ones(3, 16, 16, device="cuda", dtype=a.dtype)), "embedding_bag":
        lambda a: F.embedding_bag(long, a, torch.tensor([0, 3], device="cuda"), mode="sum"), "embedding_bag, largest":
        lambda a: F.embedding_bag(long, a, torch.tensor([0, 3], device="cuda"), mode="max"),
    }.items():
        trains(f"{name} {tag}", f, x)
    for name, f in {
        "batch_norm": lambda a: F.batch_norm(a, w[:4] * 0, w[:4].abs() + 1, w[:4], w[:4], training=True),
        "batch_norm, given": lambda a: F.batch_norm(a, w[:4] * 0, w[:4].abs() + 1),
        "group_norm": lambda a: F.group_norm(a, 2, w[:4], w[:4]), "instance_norm": F.instance_norm,
        "local_response_norm": lambda a: F.local_response_norm(a, 2), "unfold": lambda a: F.unfold(a, 3),
        "fold": lambda a: F.fold(F.unfold(a, 3), (9, 9), 3), "pixel_shuffle": lambda a: F.pixel_shuffle(a, 2),
        "channel_shuffle": lambda a: F.channel_shuffle(a, 2), "lp_pool2d": lambda a: F.lp_pool2d(a.abs() + 1, 2, 3),
        "grid_sample": lambda a: F.grid_sample(a, torch.zeros(2, 3, 3, 2, device="cuda", dtype=a.dtype), align_corners=False),
        **{f"pad, {mode}": lambda a, mode=mode: F.pad(a, (1, 2, 2, 1), mode) for mode in (
            "constant", "reflect", "replicate", "circular")},
        **{f"interpolate, {mode}": lambda a, mode=mode: F.interpolate(a, scale_factor=1.5, mode=mode) for mode in (
            "nearest", "nearest-exact", "bilinear", "bicubic", "area")},
        "affine_grid": lambda a: F.affine_grid(a[:, :2, 0, :3], (2, 1, 4, 4), align_corners=False), **chances,
    }.items():
        trains(f"{name} {tag}", f, image)


def volumes(trains, tag, dtype):
    """Pooling of one, two and three dims, and back."""
    for dims in (1, 2, 3):
        x = torch.randn(2, 3, *(8,) * dims, device="cuda").to(dtype)
        for name in ("max_pool", "avg_pool", "adaptive_max_pool", "adaptive_avg_pool"):
            trains(f"{name}{dims}d {tag}", lambda a: getattr(F, f"{name}{dims}d")(a, 2), x)
        back = getattr(F, f"max_unpool{dims}d")
        trains(f"max_unpool{dims}d {tag}",
               lambda a: back(*getattr(F, f"max_pool{dims}d")(a, 2, return_indices=True), 2), x)
        if dims > 1:
            trains(f"fractional_max_pool{dims}d {tag}",
                   lambda a: getattr(F, f"fractional_max_pool{dims}d")(a, 2, output_size=4), x)


def steps():
    """(name, call) of each step of an optimizer, and what scales and clips gradients."""
    def lists(n, dtype):
        return ([torch.rand(k, device="cuda").to(dtype) for k in (5, 100, 3000)] for _ in range(n))

    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        tag = str(dtype).rpartition(".")[2]
        p, g, m, v, x = lists(5, dtype)
        count = [torch.ones((), device="cuda") for _ in p]
        rates = dict(lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-6, maximize=False)
        for name in ("_fused_adam_", "_fused_adamw_"):
            for amsgrad in (False, True):
                yield f"{name} {tag}", lambda: getattr(torch, name)(p, g, m, v, x if amsgrad else [], count, amsgrad=amsgrad,
                                                                    **rates)
        yield f"_fused_sgd_ {tag}", lambda: torch._fused_sgd_(p, g, m, weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.0,
                                                              nesterov=True, maximize=False, is_first_step=False)
        yield f"_fused_adagrad_ {tag}", lambda: torch._fused_adagrad_(p, g, v, count, lr=0.1, lr_decay=0.0, weight_decay=0.0,
                                                                      eps=1e-8, maximize=False)
        found, scale = torch.zeros((), device="cuda"), torch.ones((), device="cuda")
        yield f"unscale {tag}", lambda: torch._amp_foreach_non_finite_check_and_unscale_(g, found, scale)
        yield f"clip {tag}", lambda: torch._foreach_mul_(g, 1 / torch.stack(torch._foreach_norm(g)).norm())
    yield "update_scale", lambda: torch._amp_update_scale_(torch.ones((), device="cuda"), torch.zeros(
        (), dtype=torch.int32, device="cuda"), torch.zeros((), device="cuda"), 2.0, 0.5, 10)
    yield "normal float64", lambda: torch.randn(8, dtype=torch.float64, device="cuda")


def optimizers():
    """(name, call) of two steps of each optimizer of torch.optim as it is by default, and fused where it can be."""
    def stepped(kind, options, dtype):
        ps = [torch.rand(shape, device="cuda").to(dtype).requires_grad_() for shape in ((5, 6), (100, 3), (3, 3))]
        optimizer = kind(ps, **options)

        def loss():
            optimizer.zero_grad()
            total = sum((p.float() * p.float()).sum() for p in ps)
            total.backward()
            return total

        for _ in range(2):
            loss()
            torch.nn.utils.clip_grad_norm_(ps, 1.0)
            optimizer.step(loss) if kind is torch.optim.LBFGS else optimizer.step()

    kinds = [getattr(torch.optim, n) for n in dir(torch.optim) if n[0].isupper() and n not in ("Optimizer", "SparseAdam")]
    for kind in kinds:
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
            for options in ({}, {"foreach": True}, {"fused": True}):
                if options and next(iter(options)) not in kind.__init__.__code__.co_varnames:
                    continue
                yield (f"{kind.__name__} {options} {str(dtype).rpartition('.')[2]}",
                       lambda kind=kind, options=options, dtype=dtype: stepped(kind, options, dtype))


def needed():
    """Steps of training that must run whole on the device."""
    found = set()

    def step(name, call):
        try:
            call()
            torch.cuda.synchronize()
        except Exception as error:
            if "(yet)" not in str(error) and "not implemented for" not in str(error):  # on any device
                found.add(f"{name}: {str(error).splitlines()[0]}")

    def trains(name, f, *inputs):
        def call():
            xs = [t.detach().clone().requires_grad_() if t.is_floating_point() else t for t in inputs]
            f(*xs).float().sum().backward()

        step(name, call)

    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        x, w = torch.randn(8, 16, device="cuda").to(dtype), torch.randn(16, device="cuda").to(dtype)
        t = torch.randint(0, 16, (8,), device="cuda")
        tag = str(dtype).rpartition(".")[2]
        for name in ("relu", "gelu", "silu", "elu", "selu", "celu", "leaky_relu", "softplus", "softsign", "hardtanh",
                     "hardswish", "hardsigmoid", "mish", "logsigmoid", "tanhshrink", "hardshrink", "softshrink", "relu6",
                     "dropout"):
            trains(f"{name} {tag}", lambda a: getattr(F, name)(a), x)
        trains(f"softmax {tag}", lambda a: F.softmax(a, -1), x)
        trains(f"linear {tag}", F.linear, x, torch.randn(4, 16, device="cuda").to(dtype), x[0, :4])
        image = torch.randn(2, 4, 9, 9, device="cuda").to(dtype)
        trains(f"conv2d {tag}", F.conv2d, image, torch.randn(8, 4, 3, 3, device="cuda").to(dtype), w[:8])
        trains(f"conv_transpose2d {tag}", F.conv_transpose2d, image, torch.randn(4, 8, 3, 3, device="cuda").to(dtype), w[:8])
        trains(f"embedding {tag}", lambda a: F.embedding(t % 8, a), x)
        trains(f"cross_entropy {tag}", lambda a: F.cross_entropy(a, t), x)
        trains(f"nll_loss {tag}", lambda a: F.nll_loss(F.log_softmax(a, 1), t), x)
        for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits",
                     "soft_margin_loss", "kl_div", "poisson_nll_loss"):
            trains(f"{name} {tag}", lambda a: getattr(F, name)(a, torch.ones_like(x)), x)
        trains(f"bce {tag}", lambda a: F.binary_cross_entropy(torch.sigmoid(a), torch.ones_like(x)), x)
        more_losses(trains, tag, x, t)
        layers(trains, tag, x, w, image)
        volumes(trains, tag, dtype)
    alignment = torch.randn(9, 2, 5, device="cuda")
    labels = torch.ones(2, 3, dtype=torch.int64, device="cuda")
    trains("ctc_loss", lambda a: F.ctc_loss(a.log_softmax(-1), labels, (9, 7), (3, 2)), alignment)
    for name, call in (*steps(), *optimizers()):
        step(name, call)

    def adam():
        p, m, v = (torch.randn(16, 16, device="cuda") for _ in range(3))
        p.requires_grad_()
        (p * p).sum().backward()
        with torch.no_grad():
            m.lerp_(p.grad, 0.1)
            v.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
            p.addcdiv_(m, v.abs().sqrt().add_(1e-8), value=-0.01)
            p.grad.mul_(1 / (torch.linalg.vector_norm(p.grad) + 1e-6))

    def adam_of_lists():
        p, g, m, v = ([torch.rand(n, device="cuda") for n in (5, 100, 3000)] for _ in range(4))
        torch._foreach_lerp_(m, g, 0.1)
        torch._foreach_mul_(v, 0.999)
        torch._foreach_addcmul_(v, g, g, 0.001)
        torch._foreach_addcdiv_(p, m, torch._foreach_add(torch._foreach_sqrt(v), 1e-8), [-0.001, -0.002, -0.003])
        torch._foreach_zero_(g)
        torch._foreach_copy_(m, g)
        torch._foreach_norm(p)

    step("Adam by hand", adam)
    step("Adam by lists", adam_of_lists)
    return found


with contextlib.redirect_stdout(io.StringIO()):  # some print
    calls()
print(f"fall back: {len(lacks)} kernels")
for kernel in sorted(lacks):
    shown = ", ".join(f"{op} ({' '.join(sorted(ds))})" for op, ds in sorted(lacks[kernel].items())[:4])
    print(f"  {kernel:24} {shown}{' ...' if len(lacks[kernel]) > 4 else ''}")
missing = needed()
print(f"of layers, losses and optimizers: {len(missing)}")
for line in sorted(missing):
    print("  " + line)
sys.exit(len(missing) > 0)
