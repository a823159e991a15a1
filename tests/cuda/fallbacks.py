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
DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.int32, torch.bool, torch.complex64)
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


def needed():
    """Steps of training that must run whole on the device."""
    found = set()

    def step(name, call):
        try:
            call()
            torch.cuda.synchronize()
        except Exception as error:
            if "(yet)" not in str(error):  # karat has no such operator on any device
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
