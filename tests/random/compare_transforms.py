"""Run by hand: random nests of karat.func's transforms (vmap, grad, vjp, jvp, jacrev, jacfwd, hessian, linearize) in karat and in
PyTorch, and where they differ.

    tests/random/compare_transforms.py /path/to/python-with-torch [first seed] [how many]

A program is a function of a tensor that gives one of the same sizes, made of transforms of such functions, up to four deep. Each
function sees what the functions around it were given. The package never imports torch; this tool starts it in a process of its
own.
"""

import json
import random
import subprocess
import sys

DEPTH = 4


def in_dim(t, k):
    return k % max(t.dim(), 1)


class Steps:
    """Steps that keep sizes: (torch, r, t, c) -> a tensor of t's sizes. r: a number that chooses; c: a tensor of t's sizes that
    an outer function has, or t itself. Steps of `flat` take tensors without dims, too."""

    flat = {
        "sin": lambda T, r, t, c: t.sin(), "tanh": lambda T, r, t, c: t.tanh(), "exp": lambda T, r, t, c: (t * 0.3).exp(),
        "square": lambda T, r, t, c: t * t * 0.5, "mul": lambda T, r, t, c: t * c, "mulsin": lambda T, r, t, c: t * c.sin(),
        "add": lambda T, r, t, c: t + c * 0.5, "sub": lambda T, r, t, c: c - t, "div": lambda T, r, t, c: t / (c * c + 1.5),
        "sigmoid": lambda T, r, t, c: t.sigmoid(), "softplus": lambda T, r, t, c: T.nn.functional.softplus(t),
        "gelu": lambda T, r, t, c: T.nn.functional.gelu(t), "log1p": lambda T, r, t, c: (t * t).log1p(),
        "sqrt": lambda T, r, t, c: (t * t + 1).sqrt(), "pow": lambda T, r, t, c: t ** 3 * 0.3, "atan2": lambda T, r, t, c:
        T.atan2(t, c * c + 1), "where": lambda T, r, t, c: T.where(t > 0.1, t * c, c.cos()), "erf": lambda T, r, t, c: t.erf(),
        "clamp": lambda T, r, t, c: t.clamp(-0.7, 0.7) * c, "maximum": lambda T, r, t, c: T.maximum(t, c * 0.7),
        "lerp": lambda T, r, t, c: T.lerp(t, c, 0.3), "addcmul": lambda T, r, t, c: T.addcmul(t, t, c, value=0.5),
        "hypot": lambda T, r, t, c: T.hypot(t, c + 2), "logaddexp": lambda T, r, t, c: T.logaddexp(t, c),
        "add_": lambda T, r, t, c: (t * 1).add_(c), "mul_": lambda T, r, t, c: (t + 0).mul_(c), "mul_self_":
        lambda T, r, t, c: t.clone().mul_(t), "tanh_": lambda T, r, t, c: (t * 2).tanh_(), "zero": lambda T, r, t, c:
        T.zeros_like(t).add_(t).mul_(c), "copy_": lambda T, r, t, c: T.empty_like(t).copy_(t * c), "sum": lambda T, r, t, c:
        t * c.sum() * 0.2, "detach": lambda T, r, t, c: t * c.detach(), "leaky": lambda T, r, t, c:
        T.nn.functional.leaky_relu(t), "silu": lambda T, r, t, c: T.nn.functional.silu(t), "xlogy": lambda T, r, t, c:
        T.xlogy(t, c * c + 0.5), "nan_to_num": lambda T, r, t, c: T.nan_to_num(t * c), "full": lambda T, r, t, c:
        T.full_like(t, 0.3) * t, "sinc": lambda T, r, t, c: t.sinc(), "prod": lambda T, r, t, c: t * (c * 0.3 + 1).prod(),
        "mean": lambda T, r, t, c: (t - c.mean()) ** 2, "var": lambda T, r, t, c: t * (c * c).mean().sqrt(),
        "masked_fill": lambda T, r, t, c: t.masked_fill(c > 0.3, 0.25), "clamp_t": lambda T, r, t, c: T.clamp(t, min=c - 0.5),
    }
    more = {
        "cumsum": lambda T, r, t, c: t.cumsum(in_dim(t, r)), "cumprod": lambda T, r, t, c: (t * 0.3 + 1).cumprod(in_dim(t, r)),
        "softmax": lambda T, r, t, c: t.softmax(in_dim(t, r)) * c, "log_softmax": lambda T, r, t, c: t.log_softmax(in_dim(t, r)),
        "logsumexp": lambda T, r, t, c: t * c.logsumexp(in_dim(t, r), keepdim=True), "roll": lambda T, r, t, c:
        t.roll(1, in_dim(t, r)) * c, "flip": lambda T, r, t, c: t.flip(in_dim(t, r)) + c, "sort": lambda T, r, t, c:
        t.sort(in_dim(t, r)).values * c, "amax": lambda T, r, t, c: t - c.amax(in_dim(t, r), keepdim=True), "norm":
        lambda T, r, t, c: t / (c.norm(dim=in_dim(t, r), keepdim=True) + 1), "std": lambda T, r, t, c:
        t * (c + t).var(in_dim(t, r), keepdim=True), "select": lambda T, r, t, c: t * c.select(in_dim(t, r), 0)
        .unsqueeze(in_dim(t, r)), "index": lambda T, r, t, c: t[T.arange(t.shape[0]).flip(0)] * c, "gather":
        lambda T, r, t, c: t.gather(0, T.zeros_like(t, dtype=T.int64)) + c, "scatter": lambda T, r, t, c:
        T.zeros_like(t).scatter(0, T.arange(t.shape[0]).reshape((-1,) + (1,) * (t.dim() - 1)).expand(t.shape), t) * c,
        "index_select": lambda T, r, t, c:
        t.index_select(0, T.zeros(t.shape[0], dtype=T.int64)) * c, "index_add": lambda T, r, t, c:
        c.index_add(0, T.arange(t.shape[0]), t), "put": lambda T, r, t, c: c.index_put((T.tensor([0]),), t[:1] * t[:1]),
        "set": lambda T, r, t, c: Steps.set(t, c, r), "set_row": lambda T, r, t, c: Steps.set_row(t, c), "view_":
        lambda T, r, t, c: Steps.view_(t, c), "cat": lambda T, r, t, c: T.cat([t * c, c])[:t.shape[0]], "stack":
        lambda T, r, t, c: T.stack([t, c * t], r % (t.dim() + 1)).sum(r % (t.dim() + 1)), "narrow": lambda T, r, t, c:
        T.cat([t.narrow(0, 0, 1) ** 2, t.narrow(0, 1, t.shape[0] - 1)]), "pad": lambda T, r, t, c:
        T.nn.functional.pad(t, (1, 0))[..., :-1] * c, "outer": lambda T, r, t, c: (t.reshape(-1)[:, None] * c.reshape(-1))
        .sum(0).reshape(t.shape), "mv": lambda T, r, t, c: (Steps.matrix(T, c) @ t.reshape(-1)).reshape(t.shape), "mm":
        lambda T, r, t, c: (Steps.matrix(T, c) @ Steps.matrix(T, t))[0].reshape(t.shape), "dot": lambda T, r, t, c:
        t * T.dot(c.reshape(-1), t.reshape(-1)), "einsum": lambda T, r, t, c: T.einsum("i,j->ij", t.reshape(-1), c.reshape(-1))
        .sum(1).reshape(t.shape), "inv": lambda T, r, t, c: T.linalg.inv(Steps.positive(T, c)).diagonal().reshape(t.shape) * t,
        "solve": lambda T, r, t, c: T.linalg.solve(Steps.positive(T, c), t.reshape(-1)).reshape(t.shape), "cholesky":
        lambda T, r, t, c: T.linalg.cholesky(Steps.positive(T, t)).sum(0).reshape(t.shape) * c, "det": lambda T, r, t, c:
        t * T.linalg.det(Steps.positive(T, c)) * 0.1, "logdet": lambda T, r, t, c: t * T.logdet(Steps.positive(T, t)),
        "matrix_exp": lambda T, r, t, c: (T.linalg.matrix_exp(Steps.positive(T, c) * 0.2) @ t.reshape(-1)).reshape(t.shape),
        "triangular": lambda T, r, t, c: T.linalg.solve_triangular(Steps.positive(T, c).tril(), t.reshape(-1, 1), upper=False)
        .reshape(t.shape), "masked_scatter": lambda T, r, t, c: t.masked_scatter(T.ones_like(t, dtype=T.bool), c * t),
        "layer_norm": lambda T, r, t, c: Steps.layer_norm(T, t) * c, "mse": lambda T, r, t, c:
        t * T.nn.functional.mse_loss(t, c), "unfold": lambda T, r, t, c: t * c.unfold(0, 2, 1).sum(), "split": lambda T, r, t, c:
        T.cat([p * p for p in t.split(1)]) * c, "chunk": lambda T, r, t, c: T.cat(list(reversed(t.chunk(2)))), "unbind":
        lambda T, r, t, c: T.stack([p * (i + 1) for i, p in enumerate(t.unbind(0))]) * c, "movedim": lambda T, r, t, c:
        (t.movedim(0, -1) * c.movedim(0, -1)).movedim(-1, 0), "tril": lambda T, r, t, c: (t.reshape(-1)[:, None] *
        c.reshape(-1)).tril().sum(1).reshape(t.shape), "diag": lambda T, r, t, c: T.diag_embed(t.reshape(-1) * c.reshape(-1))
        .sum(0).reshape(t.shape), "slogdet": lambda T, r, t, c: t * T.linalg.slogdet(Steps.positive(T, c))[1], "eigvalsh":
        lambda T, r, t, c: t * T.linalg.eigvalsh(Steps.positive(T, c)).prod() * 0.1, "topk": lambda T, r, t, c:
        t * c.topk(2, 0).values.sum(), "kron": lambda T, r, t, c: T.kron(t.reshape(-1), c.reshape(-1))[:t.numel()]
        .reshape(t.shape), "conv": lambda T, r, t, c: T.nn.functional.conv1d(t.reshape(1, 1, -1), c.reshape(1, 1, -1)[..., :3],
                                                                             padding=1).reshape(-1)[:t.numel()].sum() * t,
        "bmm": lambda T, r, t, c: T.bmm(t.reshape(1, 1, -1), c.reshape(1, -1, 1)).sum() * t, "addmm": lambda T, r, t, c:
        T.addmm(Steps.matrix(T, t), Steps.matrix(T, c), Steps.matrix(T, t)).sum(1).reshape(t.shape), "cov": lambda T, r, t, c:
        t * T.cov(T.stack([t.reshape(-1), c.reshape(-1) ** 2])).sum(), "svdvals": lambda T, r, t, c:
        t * T.linalg.svdvals(Steps.positive(T, c)).sum(), "linear": lambda T, r, t, c:
        T.nn.functional.linear(t.reshape(1, -1), Steps.matrix(T, c), t.reshape(-1)).reshape(t.shape), "cross_entropy":
        lambda T, r, t, c: t * T.nn.functional.cross_entropy(c.reshape(1, -1), T.tensor([0])), "take": lambda T, r, t, c:
        t.reshape(-1).take(T.arange(t.numel()).flip(0)).reshape(t.shape) * c, "as_strided": lambda T, r, t, c:
        t * (c * 1).flatten().as_strided((2,), (1,)).sum(), "fill": lambda T, r, t, c: Steps.fill(t, c), "max": lambda T, r, t, c:
        t * c.max(0).values.sum(), "median": lambda T, r, t, c: t * c.median(), "renorm": lambda T, r, t, c:
        t * c.flatten().renorm(2, 0, 1.0).sum() if c.dim() > 3 else t, "repeat": lambda T, r, t, c:
        t.repeat(*([2] + [1] * (t.dim() - 1)))[:t.shape[0]] * c, "diff": lambda T, r, t, c: t * c.diff(dim=0).sum(), "trapz":
        lambda T, r, t, c: t * T.trapezoid(c, dim=0).sum(), "prod_dim": lambda T, r, t, c: t * c.prod(0), "cummax":
        lambda T, r, t, c: t * c.cummax(0).values, "logcumsumexp": lambda T, r, t, c: t * c.logcumsumexp(0), "dist":
        lambda T, r, t, c: t * T.dist(t, c + 3), "cdist": lambda T, r, t, c: t * Steps.cdist(T, t, c),
        "cosine": lambda T, r, t, c: t * T.cosine_similarity(t.reshape(-1), c.reshape(-1) + 2, dim=0),
    }

    @staticmethod
    def layer_norm(T, t):
        """By its definition in PyTorch, whose own derivatives are wrong inside other transforms; so are cdist's."""
        if T.__name__ == "karat":
            return T.nn.functional.layer_norm(t, t.shape[-1:])
        from_mean = t - t.mean(-1, keepdim=True)
        return from_mean / ((from_mean ** 2).mean(-1, keepdim=True) + 1e-5).sqrt()

    @staticmethod
    def cdist(T, t, c):
        if T.__name__ == "karat":
            return T.cdist(t.reshape(1, -1), c.reshape(1, -1) + 3).sum()
        return ((t - c - 3) ** 2).sum().sqrt()

    @staticmethod
    def matrix(T, t):
        v = t.reshape(-1)
        return v[:, None] * v * 0.2 + T.eye(v.shape[0], dtype=T.float64)

    @staticmethod
    def positive(T, t):
        v = t.reshape(-1)
        return v[:, None] * v * 0.3 + T.diag_embed(T.arange(1, v.shape[0] + 1, dtype=T.float64)) + 0.1

    @staticmethod
    def set(t, c, r):
        y = t * 1
        y[0] = c[1] * c[0]
        if r % 2:
            y[1] = 0.5
        return y

    @staticmethod
    def set_row(t, c):
        y = c.clone()
        y[..., 0] = t[..., 0] * t[..., -1]
        return y

    @staticmethod
    def view_(t, c):
        y = t.clone()
        y.view(-1)[1:].mul_(c.reshape(-1)[1:])
        return y

    @staticmethod
    def fill(t, c):
        y = t * 2
        y[0].fill_(0.5)
        return y * c


class Program:
    def __init__(self, seed):
        self.r, self.names = random.Random(seed), []
        r = self.r
        self.sizes = r.choice([(3,), (2,), (4,), (2, 3), (3, 2), (2, 2, 2)])
        self.values = [round(r.uniform(-1, 1), 3) for _ in range(24)]
        self.run = self.nest(r.randint(1, DEPTH), 0)

    def steps(self, n):
        """A chain of steps: (T, t, env) -> t."""
        r, chain = self.r, []
        for _ in range(n):
            table = Steps.flat if r.random() < 0.5 else Steps.more
            name = r.choice(sorted(table))
            chain.append((name, r.randrange(100), r.random(), r.randrange(100)))
        self.names += [c[0] for c in chain]

        def run(T, t, env):
            for name, number, how, which in chain:
                others = [e for e in env if e.shape == t.shape]
                c = others[which % len(others)] if others and how < 0.6 else env[which % len(env)].sum() * 0.5 + t * 0.5 \
                    if env and how < 0.75 else t
                if name in Steps.flat:
                    t = Steps.flat[name](T, number, t, c)
                elif t.dim() and t.shape[0] > 1 and t.shape[-1] > 1:
                    t = Steps.more[name](T, number, t, c)
            return t

        return run

    def nest(self, depth, level):
        if depth == 0:
            return self.steps(self.r.randint(1, 3))
        r = self.r
        before, inner, after = self.steps(r.randint(0, 1)), self.nest(depth - 1, level + 1), self.steps(r.randint(0, 1))
        kind = r.choice(["vmap", "vmap", "vmap", "vmap_rows", "grad", "grad", "vjp", "jvp", "jvp", "jacrev", "jacfwd", "hessian",
                         "linearize", "grad_and_value", "vmap_none", "vjp_vmap"])
        self.names.append("<" + kind)
        one = getattr(self, "make_" + kind)(inner)
        self.names.append(">")

        def run(T, t, env):
            t = before(T, t, env)
            return after(T, one(T, t, env), env + [t])

        return run

    def options(self):
        r = self.r
        chunk = r.choice([None, None, None, 1, 2])
        return r.randrange(3), r.randrange(3), {"chunk_size": chunk, "randomness": r.choice(["error", "different", "same"])}

    def make_vmap(self, inner):
        """Examples that differ by a factor, the results' sum."""
        i, o, options = self.options()
        pick = self.r.random() < 0.3

        def run(T, t, env):
            a, b = i % (t.dim() + 1), o % (t.dim() + 1)
            all_of = T.stack([t * (1 + 0.1 * k) for k in range(3)], a)
            made = T.func.vmap(lambda v: inner(T, v, env + [t]), in_dims=a, out_dims=b, **options)(all_of)
            return made.select(b, 1) if pick else made.mean(b)

        return run

    def make_vmap_rows(self, inner):
        """The rows of t."""
        i, o, options = self.options()

        def run(T, t, env):
            if not t.dim():
                return inner(T, t, env)
            a = i % t.dim()
            return T.func.vmap(lambda v: inner(T, v, env + [t]), in_dims=a, out_dims=a, **options)(t)

        return run

    def make_vmap_none(self, inner):
        """An argument that all examples share."""
        i, o, options = self.options()

        def run(T, t, env):
            some = T.tensor([0.5, -0.3], dtype=T.float64)
            made = T.func.vmap(lambda v, s: inner(T, v * s, env + [v]), in_dims=(None, 0), out_dims=o % (t.dim() + 1),
                               **options)(t, some)
            return made.sum(o % (t.dim() + 1))

        return run

    def make_grad(self, inner):
        return lambda T, t, env: T.func.grad(lambda v: (inner(T, v, env + [t]) * t).sum())(t)

    def make_grad_and_value(self, inner):
        def run(T, t, env):
            g, value = T.func.grad_and_value(lambda v: inner(T, v, env + [t]).sum())(t)
            return g * value

        return run

    def make_vjp(self, inner):
        def run(T, t, env):
            value, product = T.func.vjp(lambda v: inner(T, v, env + [t]), t)
            return product(t.cos())[0] + value * 0.1

        return run

    def make_vjp_vmap(self, inner):
        def run(T, t, env):
            value, product = T.func.vjp(lambda v: inner(T, v, env + [t]), t)
            return T.func.vmap(lambda k: product(k * t)[0])(T.tensor([1.0, 0.5], dtype=T.float64)).sum(0) + value

        return run

    def make_jvp(self, inner):
        def run(T, t, env):
            value, along = T.func.jvp(lambda v: inner(T, v, env + [t]), (t,), (t.sin() + 0.5,))
            return along + value * 0.1

        return run

    def make_linearize(self, inner):
        def run(T, t, env):
            if T.__name__ == "torch":  # its linearize gives zeros, or anything, inside another transform
                value, along = T.func.jvp(lambda v: inner(T, v, env + [t]), (t,), (t.sin() + 0.5,))
                return along + value * 0.1
            value, product = T.func.linearize(lambda v: inner(T, v, env + [t]), t)
            return product(t.sin() + 0.5) + value * 0.1

        return run

    def jacobian(self, which, inner):
        side = self.r.random() < 0.5

        def run(T, t, env):
            j = getattr(T.func, which)(lambda v: inner(T, v, env + [t]))(t)
            n = t.dim()
            return (j * t.reshape(t.shape + (1,) * n)).sum(tuple(range(n))) if side and n else \
                (j * t).sum(tuple(range(n, 2 * n))) if n else j

        return run

    def make_jacrev(self, inner):
        return self.jacobian("jacrev", inner)

    def make_jacfwd(self, inner):
        return self.jacobian("jacfwd", inner)

    def make_hessian(self, inner):
        def run(T, t, env):
            h, n = T.func.hessian(lambda v: inner(T, v, env + [t]).sum())(t), t.dim()
            return (h * t).sum(tuple(range(n, 2 * n))) if n else h

        return run


class Backward:
    """torch with forward mode made of backward: a second opinion, since PyTorch's forward mode of operators on LU factors is
    wrong in nests."""

    __name__ = "backward"

    def __init__(self, T):
        self.T = T

        class func:
            vmap, grad, vjp, jacrev, grad_and_value = (getattr(T.func, name) for name in
                                                       ("vmap", "grad", "vjp", "jacrev", "grad_and_value"))
            jacfwd = jacrev

            @staticmethod
            def jvp(f, primals, tangents):
                value = f(*primals)
                return value, T.func.grad(lambda u: (T.func.vjp(f, *primals)[1](u)[0] * tangents[0]).sum())(T.ones_like(value))

            @staticmethod
            def linearize(f, x):
                return f(x), lambda t: Backward.func.jvp(f, (x,), (t,))[1]

            @staticmethod
            def hessian(f):
                return T.func.jacrev(T.func.jacrev(f))

        Backward.func = func

    def __getattr__(self, name):
        return getattr(self.T, name)


def flat(x):
    return x.detach().reshape(-1).tolist()


def execute(name, first, n):
    T = __import__(name)
    __import__(name + ".func")
    import warnings
    warnings.simplefilter("ignore")
    if len(sys.argv) > 5:
        T = Backward(T)
    for seed in range(first, first + n):
        p = Program(seed)
        T.manual_seed(seed)
        count = 1
        for size in p.sizes:
            count *= size
        x = T.tensor(p.values[:count], dtype=T.float64).reshape(p.sizes)
        try:
            made = p.run(T, x, [])
            answer = [list(made.shape), flat(made)]
        except Exception as e:  # whatever it is, the other is asked whether it raises, too
            answer = type(e).__name__ + ": " + (str(e).splitlines() or [""])[0]
        print(json.dumps([seed, answer, " ".join(p.names)]), flush=True)


def close(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    if a[0] != b[0]:
        return False
    most = max([1.0] + [abs(v) for v in b[1] if abs(v) < 1e300])
    return all(p == q or (p != p and q != q) or abs(p - q) <= 1e-8 * most for p, q in zip(a[1], b[1]))


KINDS = ("agree", "both refuse", "only torch refuses", "only karat refuses", "only torch gives NaN", "torch's backward agrees",
         "differ")


def kind_of(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return "both refuse" if isinstance(a, str) and isinstance(b, str) else "only karat refuses" if isinstance(a, str) else \
            "only torch refuses"
    nan = any(v != v for v in b[1]) and not any(v != v for v in a[1])
    return "agree" if close(a, b) else "only torch gives NaN" if nan else "differ"


def main():
    first, n = (int(sys.argv[2]) if len(sys.argv) > 2 else 0), (int(sys.argv[3]) if len(sys.argv) > 3 else 1000)

    def lines(python, name, first=first, n=n, *how):
        done = subprocess.run([python, __file__, "--execute", name, str(first), str(n), *how], stdout=subprocess.PIPE, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    ours, theirs = lines(sys.executable, "karat"), lines(sys.argv[1], "torch")
    counts = dict.fromkeys(KINDS, 0)
    for (seed, a, names), (_, b, _) in zip(ours, theirs):
        kind = kind_of(a, b)
        if kind == "differ":
            second = lines(sys.argv[1], "torch", seed, 1, "backward")[0][1]
            kind = "torch's backward agrees" if not isinstance(second, str) and close(a, second) else kind
        counts[kind] += 1
        if kind in ("differ", "only karat refuses") or "-v" in sys.argv:
            print(f"seed {seed}: {kind}\n  {names}\n  karat {str(a)[:300]}\n  torch {str(b)[:300]}")
    print(counts, "programs:", len(ours), "of", n)
    return len(ours) != n or len(theirs) != n or counts["differ"] + counts["only karat refuses"] > 0


if __name__ == "__main__":
    if sys.argv[1] == "--execute":
        execute(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.exit(main())
