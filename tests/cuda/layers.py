"""Kernels of the CUDA backend that layers and optimizers are made of, against the CPU's: steps of optimizers, norms of channels,
pooling, resampling, searches, ranks. Nothing may fall back to the CPU. Arguments: the parts that are wanted, all without any."""
from against_cpu import F, FLOATS, both, compare, fail, run, torch, values


def steps():
    """A step of each optimizer over lists of tensors, all of them dense, then some that are not."""
    sizes = ((3,), (1000,), (33, 65), (0,), (4099,), (1,)) * 3

    def each(what, call, *lists):
        here = [[t.clone() for t in ts] for ts in lists]
        there = [[t.cuda() for t in ts] for ts in lists]
        try:
            call(here, "cpu")
            call(there, "cuda")
            for one, other in zip(here, there):
                compare(what, one, other)
        except RuntimeError as error:
            fail(what, str(error).splitlines()[0])

    for dtype in FLOATS:
        p, g, m = ([values(n, dtype) for n in sizes] for _ in range(3))
        v, x = ([values(n, dtype).abs() for n in sizes] for _ in range(2))
        for lay in ("dense", "turned"):
            if lay == "turned":
                p, g, m, v, x = ([t.T if t.dim() == 2 and i % 2 == 0 else t for i, t in enumerate(ts)] for ts in (p, g, m, v, x))
                p = [t[::2] if t.dim() == 1 else t for t in p]
                g, m, v, x = ([t[: p[i].shape[0]] if t.dim() == 1 else t for i, t in enumerate(ts)] for ts in (g, m, v, x))
            count = [torch.tensor(float(i + 1)) for i in range(len(p))]
            for amsgrad in (False, True):
                for name in ("_fused_adam_", "_fused_adamw_"):
                    for scaled in (False, True):

                        def adam(ts, device):
                            number = lambda x: torch.tensor(x, device=device)
                            scale = dict(grad_scale=number(4.0), found_inf=number(0.0)) if scaled else {}
                            count = [t.to(device) for t in ts[5]]
                            getattr(torch, name)(*ts[:4], ts[4] if amsgrad else [], count, lr=0.01, beta1=0.9, beta2=0.99,
                                                 weight_decay=0.1, eps=1e-6, amsgrad=amsgrad, maximize=scaled, **scale)

                        each(f"{name} {dtype} {lay} {amsgrad} {scaled}", adam, p, g, m, v, x, count)
            for momentum, nesterov, first in ((0, False, False), (0.9, False, True), (0.9, True, False)):

                def sgd(ts, device):
                    torch._fused_sgd_(ts[0], ts[1], ts[2] if momentum else [], weight_decay=0.1, momentum=momentum,
                                      lr=torch.tensor(0.1, dtype=torch.float64, device=device), dampening=0.1 * (not nesterov),
                                      nesterov=nesterov, maximize=False, is_first_step=first)

                each(f"sgd {dtype} {lay} {momentum} {nesterov} {first}", sgd, p, g, m)

            def adagrad(ts, device):
                torch._fused_adagrad_(ts[0], ts[1], ts[2], [t.to(device) for t in ts[3]], lr=0.1, lr_decay=0.01,
                                      weight_decay=0.1, eps=1e-8, maximize=True)

            each(f"adagrad {dtype} {lay}", adagrad, p, g, v, count)

            def left_out(ts, device):
                torch._fused_sgd_(ts[0], ts[1], [], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, nesterov=False,
                                  maximize=False, is_first_step=False, found_inf=torch.tensor(1.0, device=device))

            each(f"left out {dtype} {lay}", left_out, p, g)

            def unscale(ts, device):
                found = torch.zeros((), device=device)
                torch._amp_foreach_non_finite_check_and_unscale_(ts[0], found, torch.tensor(0.25, device=device))
                if found.item() != 0:
                    fail(f"unscale {dtype}", "found what is not there")
                ts[0][1].view(-1)[0] = float("inf")
                torch._amp_foreach_non_finite_check_and_unscale_(ts[0], found, torch.tensor(1.0, device=device))
                if found.item() != 1:
                    fail(f"unscale {dtype}", "found no infinity")

            each(f"unscale {dtype} {lay}", unscale, [t.contiguous() for t in g])

    def updated(scale, count, found):
        scale, count = scale.clone(), count.clone()
        torch._amp_update_scale_(scale, count, found, 2.0, 0.5, 8)
        return scale, count

    for found, count in ((0.0, 1), (1.0, 1), (0.0, 7)):
        both(f"update_scale {found} {count}", updated,
             torch.tensor(64.0), torch.tensor(count, dtype=torch.int32), torch.tensor(found), exact=True)


def optimizers():
    """Four steps of each optimizer of torch.optim, as it is by default: the CPU's bits. Parameters are dense, of no elements, of
    views, turned; numbers of steps differ between them."""
    optim = torch.optim
    kinds = [
        (optim.SGD, {}), (optim.SGD, dict(momentum=0.9, weight_decay=0.1)), (optim.SGD, dict(momentum=0.9, nesterov=True)),
        (optim.Adam, {}), (optim.Adam, dict(amsgrad=True, weight_decay=0.1)), (optim.AdamW, {}),
        (optim.Adagrad, dict(lr_decay=0.1)), (optim.Adadelta, dict(weight_decay=0.1)), (optim.Adamax, {}),
        (optim.NAdam, dict(decoupled_weight_decay=True)),
        (optim.RAdam, {}), (optim.RAdam, dict(betas=(0.9, 0.9))), (optim.RMSprop, {}),
        (optim.RMSprop, dict(centered=True, momentum=0.9)), (optim.ASGD, {}), (optim.ASGD, dict(t0=2)),
        (optim.Rprop, dict(maximize=True)),
    ]

    def stepped(kind, options, starts, grads, device):
        ps = [view(x.to(device, copy=True)).requires_grad_() for view, x in starts]
        optimizer = kind(ps, lr=0.02, **options)
        for turn in range(4):
            for i, (p, g) in enumerate(zip(ps, grads)):
                p.grad = g[turn].to(device) if turn or i % 5 != 4 else None
            optimizer.step()
        states = [optimizer.state[p][name] for p in ps for name in sorted(optimizer.state[p])]
        return [p.detach() for p in ps] + [t for t in states if isinstance(t, torch.Tensor)]

    views = (lambda x: x, lambda x: x[1:], lambda x: x[::2], lambda x: x.T)
    for dtype in (*FLOATS, torch.complex64):
        starts, grads = [], []
        for i, shape in enumerate(((3,), (1000,), (33, 65), (0,), (4099,), (1,), (65, 34), (9000,))):
            x, view = values(shape, dtype), views[i % 3 if i < 6 else 3 * (i == 6)]
            starts.append((view, x))
            grads.append([values(view(x).shape, dtype) for _ in range(4)])
        for kind, options in kinds:
            try:
                here = stepped(kind, options, starts, grads, "cpu")
            except RuntimeError:  # PyTorch has none of that dtype
                continue
            try:
                there = stepped(kind, options, starts, grads, "cuda")
                exact = [(torch.nan_to_num(torch.view_as_real(x) if x.is_complex() else x) for x in xs) for xs in
                         (here, [t.cpu() for t in there])]
                compare(f"{kind.__name__} {options} {dtype}", *map(list, exact), exact=True)
            except RuntimeError as error:
                fail(f"{kind.__name__} {options} {dtype}", str(error).splitlines()[0])


def trained(what, call, *tensors, loose=1, moved=0.0):
    """The result, and what flows back to each tensor that has a gradient."""

    def all_of(*given):
        xs = [t.detach().clone(memory_format=torch.preserve_format).requires_grad_() if t is not None and t.is_floating_point()
              else t for t in given]
        y = call(*xs)
        up = (torch.arange(y.numel()) * 7 % 23 / 16).to(y.dtype).reshape(y.shape).to(y.device)
        wanted = [x for x in xs if x is not None and x.requires_grad]
        return [y.detach(), *torch.autograd.grad(y, wanted, up)]

    try:
        all_of(*tensors)
    except NotImplementedError:  # PyTorch has none of that dtype
        return
    both(what, all_of, *tensors, loose=loose, terms=tensors[0].numel(), moved=moved)


def channels():
    """An average of about 3 that lies midway between two float32s may be either of them: what flows back to a weight is a sum of
    products with what is left of x after it."""
    midway = 2.0**-22
    shapes = ((4, 6), (5, 8, 9), (3, 8, 5, 7), (2, 4, 3, 4, 5), (8, 3, 33, 40), (64, 32), (2, 8, 64, 64), (1, 16, 1, 1),
              (70, 3, 50, 50))
    for dtype in FLOATS:
        for shape in shapes:
            x = values(shape, dtype) + 3
            w, b = values((shape[1],), dtype), values((shape[1],), dtype)
            mean, var = values((shape[1],), torch.float32).to(dtype), torch.rand(shape[1]).to(dtype) + 0.5
            images = [("", x)]
            if len(shape) == 4:
                images.append(("channels last", x.contiguous(memory_format=torch.channels_last)))
            for lay, image in images:
                tag = f"{dtype} {shape} {lay}"
                trained(f"batch_norm eval {tag}",
                        lambda t, u, v: F.batch_norm(t, mean.to(t.device), var.to(t.device), u, v), image, w, b)
                if shape != (1, 16, 1, 1):
                    trained(f"batch_norm {tag}", lambda t, u, v: F.batch_norm(t, None, None, u, v, True), image, w, b,
                            moved=midway)
                    trained(f"batch_norm plain {tag}", lambda t: F.batch_norm(t, None, None, training=True), image,
                            moved=midway)
                groups = 1 if shape[1] == 3 else 2
                if x.numel() // shape[0] // groups > 1:
                    trained(f"group_norm {tag}", lambda t, u, v: F.group_norm(t, groups, u, v), image, w, b,
                            moved=midway)
            if len(shape) > 2 and shape[2] > 1:
                trained(f"instance_norm {dtype} {shape}", lambda t, u, v: F.instance_norm(t, weight=u, bias=v), x, w, b,
                        moved=midway)

            def running(t, r, s):
                r, s = r.clone(), s.clone()
                F.batch_norm(t, r, s, training=True, momentum=0.3)
                return r, s

            if x.numel() // shape[1] > 1:
                both(f"running {dtype} {shape}", running, x, mean, var)
        if dtype in (torch.bfloat16, torch.float16):
            w, b = values((8,), torch.float32), values((8,), torch.float32)
            trained(f"batch_norm float32 beside {dtype}", lambda t, u, v: F.batch_norm(t, None, None, u, v, True),
                    values((3, 8, 5, 7), dtype), w, b)


def pools():
    for dtype in FLOATS:
        x1, x2, x3 = values((2, 3, 40), dtype), values((2, 5, 17, 20), dtype), values((2, 3, 8, 9, 10), dtype)
        last = x2.contiguous(memory_format=torch.channels_last)
        many = values((2, 8, 9, 12), dtype).contiguous(memory_format=torch.channels_last)  # channels go by vectors
        for k, s, p, d, ceil in ((3, 2, 1, 1, False), (2, 2, 0, 1, False), (3, 1, 1, 2, True), (5, 3, 2, 1, True)):
            tag = f"{dtype} {k} {s} {p} {d} {ceil}"
            for f, x in ((F.max_pool1d, x1), (F.max_pool2d, x2), (F.max_pool3d, x3), (F.max_pool2d, last), (F.max_pool2d, many),
                         (F.max_pool2d, x2[0])):
                trained(f"{f.__name__} {tag}", lambda t: f(t, k, s, p, d, ceil), x)
                both(f"indices {f.__name__} {tag}", lambda t: f(t, k, s, p, d, ceil, return_indices=True)[1], x, exact=True)
            for f, x in ((F.avg_pool1d, x1), (F.avg_pool2d, x2), (F.avg_pool3d, x3), (F.avg_pool2d, last), (F.avg_pool2d, many)):
                trained(f"{f.__name__} {tag}", lambda t: f(t, k, s, p, ceil, d == 1), x)
        for size in (1, 4, 7):
            for kind in ("avg", "max"):
                for dims, x in ((1, x1), (2, x2), (2, last), (2, many), (3, x3)):
                    f = getattr(F, f"adaptive_{kind}_pool{dims}d")
                    trained(f"{f.__name__} {dtype} {size}", lambda t: f(t, size), x)
        for size, x in ((12, x1), ((9, 11), x2), ((4, 5, 5), x3)):
            pool, back = (getattr(F, f"max_{name}pool{x.dim() - 2}d") for name in ("", "un"))
            few, places = pool(x, 2, 2, return_indices=True)
            trained(f"{back.__name__} {dtype}", lambda t, i=places: back(t, i.to(t.device), 2, output_size=x.shape[2:]), few)
        draws = torch.rand(2, 5, 2).to(dtype)
        trained(f"fractional {dtype}", lambda t: F.fractional_max_pool2d(t, 3, (6, 7), _random_samples=draws.to(t.device)), x2)
        x2[0, 0, 3, 4] = float("nan")
        both(f"NaN {dtype}", lambda t: F.max_pool2d(t, 3, return_indices=True)[1], x2, exact=True)
    for dtype in (torch.int64, torch.int32, torch.uint8):
        both(f"max_pool2d {dtype}", lambda t: F.max_pool2d(t, 3, 2, 1), values((2, 5, 17, 20), dtype), exact=True)
    both("avg_pool2d int64", lambda t: F.avg_pool2d(t, 3, 2, 1), values((2, 5, 17, 20), torch.int64), exact=True)


def resampling():
    for dtype in FLOATS:
        x1, x2, x3 = values((2, 3, 20), dtype), values((2, 5, 11, 13), dtype), values((2, 3, 5, 6, 7), dtype)
        last = x2.contiguous(memory_format=torch.channels_last)
        many = values((2, 8, 6, 7), dtype)  # channels go by fours
        for size in ((22, 26), (7, 20), (1, 1), (11, 13), (5, 40), (70, 14)):
            for x in (x2, last, many, many.contiguous(memory_format=torch.channels_last)):
                for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
                    trained(f"{mode} {dtype} {size}", lambda t: F.interpolate(t, size, mode=mode), x)
                    for more in ("align_corners", "antialias") if mode.startswith("bi") else ():
                        trained(f"{mode} {more} {dtype} {size}",
                                lambda t: F.interpolate(t, size, mode=mode, **{more: True}), x)
        for scale in (2, 0.6, 1.7):
            trained(f"linear {dtype} {scale}", lambda t: F.interpolate(t, scale_factor=scale, mode="linear"), x1)
            trained(f"trilinear {dtype} {scale}", lambda t: F.interpolate(t, scale_factor=scale, mode="trilinear"), x3)
            trained(f"nearest {dtype} {scale}", lambda t: F.interpolate(t, scale_factor=scale), x3)
            trained(f"bilinear {dtype} {scale}",
                    lambda t: F.interpolate(t, scale_factor=scale, mode="bilinear", recompute_scale_factor=False), x2)
        for dims, x in ((2, x2), (2, last), (3, x3)):
            grid = (torch.rand((2, 4, 9, 2) if dims == 2 else (2, 3, 4, 5, 3)) * 2.6 - 1.3).to(dtype)
            for mode in ("bilinear", "nearest", "bicubic")[: 3 if dims == 2 else 2]:
                for padding in ("zeros", "border", "reflection"):
                    for align in (False, True):
                        trained(f"grid_sample {dims} {mode} {padding} {align} {dtype}",
                                lambda t, g: F.grid_sample(t, g, mode, padding, align), x, grid)
    both("nearest uint8", lambda t: F.interpolate(t, (7, 20)), values((2, 5, 11, 13), torch.uint8), exact=True)


def alignments():
    """CTC: targets of several lengths, one of them impossible, labels that repeat."""
    for dtype in (torch.float32, torch.float64):
        for steps, batch, classes, longest in ((7, 3, 4, 3), (50, 5, 20, 12), (300, 4, 37, 140), (5, 2, 3, 4)):
            scores = values((steps, batch, classes), dtype)
            targets = torch.randint(1, classes, (batch, longest))
            targets[0] = 1
            taken = torch.randint(1, steps + 1, (batch,))
            taken[-1] = steps
            lengths = torch.randint(0, longest + 1, (batch,))
            for forgives in (False, True):
                for reduction in ("none", "mean"):

                    def loss(t):
                        given = F.ctc_loss(t.log_softmax(-1), targets.to(t.device), taken, lengths, reduction=reduction,
                                           zero_infinity=forgives)
                        return torch.nan_to_num(given, posinf=7.0)

                    trained(f"ctc {dtype} {steps} {longest} {forgives} {reduction}", loss, scores,
                            loose=steps)  # logarithms add up


def searches():
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8):
        lines, x = torch.sort(values((4, 50), dtype), 1)[0], values((4, 33), dtype)
        for right in (False, True):
            for narrow in (False, True):
                given = dict(right=right, out_int32=narrow)
                both(f"searchsorted {dtype}", lambda a, b: torch.searchsorted(a, b, **given), lines, x, exact=True)
                both(f"bucketize {dtype}", lambda a, b: torch.bucketize(b, a, **given), lines[0], x, exact=True)
        turned = values((4, 50), dtype)
        order = torch.argsort(turned, 1)
        both(f"sorter {dtype}", lambda a, b, c: torch.searchsorted(a, b, sorter=c), turned, x, order, exact=True)
        both(f"isin {dtype}", torch.isin, x, lines[0], exact=True)


def ranks():
    for dtype in FLOATS + (torch.int64, torch.int32, torch.uint8):
        lines = values((7, 33), dtype), values((5, 40, 3), dtype).transpose(0, 1), values((3, 2600), dtype), values((9, 1), dtype)
        for x in lines + (values((2, 1), dtype)[:, 0], (values((6, 50), dtype) * 0).abs(), torch.ones((), dtype=dtype)):
            for holes in (False, True) if dtype.is_floating_point and x.numel() > 3 else (False,):
                if holes:
                    x = x.clone()
                    x[0] = float("nan")
                    x[-1, ::2] = float("nan")
                for dim in range(-x.dim(), 0) or (0,):
                    tag = f"{dtype} {tuple(x.shape)} {dim} {holes}"
                    for name in ("median", "nanmedian", "mode"):
                        both(f"{name} {tag}", lambda t: torch.nan_to_num(getattr(torch, name)(t, dim)[0], nan=77.0), x,
                             exact=True)
                        both(f"{name} where {tag}", lambda t: getattr(torch, name)(t, dim)[1], x, exact=True)
                    length = x.shape[dim] if x.dim() else 1
                    for k in {1, (length + 1) // 2, length}:
                        both(f"kthvalue {k} {tag}", lambda t: torch.nan_to_num(t.kthvalue(k, dim)[0], nan=77.0), x, exact=True)
                        both(f"kthvalue {k} where {tag}", lambda t: t.kthvalue(k, dim)[1], x, exact=True)
                for name in ("median", "nanmedian"):
                    both(f"{name} of all {dtype} {holes}", lambda t: torch.nan_to_num(getattr(torch, name)(t), nan=77.0), x,
                         exact=True)


run((steps, optimizers, channels, pools, resampling, alignments, searches, ranks))
