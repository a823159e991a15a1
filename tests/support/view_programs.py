"""Random programs of views and in-place writes, each told twice: as a user writes it, and without a view or a write.

In: a module shaped like torch, its alias operator and a seed, which decides everything. Out: what the program made, and the
mistakes. In the second telling the memory is one vector of real numbers, a view is the places that it shows (found by looking at
numbered memory through it), reading selects, and writing makes a new vector. Values, gradients and second derivatives of both
must agree. The module is karat in the tests; tests/random/compare_views.py gives torch as well and compares what the two made.
"""

import random
import warnings


def dim_of(rng, shape):
    return rng.randrange(-len(shape), len(shape))


def slice_args(rng, shape, dim):
    size = shape[dim]
    return dim, rng.randrange(0, size + 1), rng.choice([size, rng.randrange(0, size + 2)]), rng.choice([1, 1, 2])


def narrow_args(rng, shape, dim):
    start = rng.randrange(0, shape[dim] + 1)
    return dim, start, rng.randrange(0, shape[dim] - start + 1)


def sizes_args(rng, shape, dim):
    first = rng.randrange(0, shape[dim] + 1)
    return [first, shape[dim] - first], dim


def shape_args(rng, shape):
    sizes, left = [], 1
    for size in shape:
        left *= size
    for factor in (2, 3, 2):
        if left and left % factor == 0 and rng.random() < 0.6:
            sizes.append(factor)
            left //= factor
    sizes.insert(rng.randrange(len(sizes) + 1), left)
    return (sizes,)


def expand_args(rng, shape):
    return ([2] * rng.choice([0, 1]) + [rng.choice([2, 3]) if size == 1 else size for size in shape],)


def order_args(rng, shape):
    dims = list(range(len(shape)))
    rng.shuffle(dims)
    return (dims,)


# A view by its row's name: (the dims that it needs at least, how arguments are drawn). `dim` is drawn first where it is 1.
WITH_DIM = {
    "select": lambda rng, s, d: (d, rng.randrange(-s[d], s[d])) if s[d] else None,
    "slice": slice_args, "narrow": narrow_args,
    "transpose": lambda rng, s, d: (d, dim_of(rng, s)), "swapaxes": lambda rng, s, d: (d, dim_of(rng, s)),
    "swapdims": lambda rng, s, d: (d, dim_of(rng, s)), "movedim": lambda rng, s, d: (d, dim_of(rng, s)),
    "moveaxis": lambda rng, s, d: (d, dim_of(rng, s)),
    "squeeze_dim": lambda rng, s, d: (d,), "unfold": lambda rng, s, d: (d, rng.randrange(1, s[d] + 1), 1) if s[d] else None,
    "split": lambda rng, s, d: (rng.choice([1, 2]), d), "chunk": lambda rng, s, d: (2, d),
    "tensor_split": lambda rng, s, d: (2, d), "unbind": lambda rng, s, d: (d,) if s[d] else None, "split_with_sizes": sizes_args,
    "split_sizes": sizes_args, "unflatten": lambda rng, s, d: (d, [1, s[d]]),
}
WITHOUT = {
    "permute": order_args, "view": shape_args, "reshape": shape_args, "expand": expand_args, "broadcast_to": expand_args,
    "unsqueeze": lambda rng, s: (rng.randrange(-len(s) - 1, len(s) + 1),),
    "diagonal": lambda rng, s: (rng.choice([-1, 0, 1]), *rng.sample(range(len(s)), 2)) if len(s) > 1 else None,
    "t": lambda rng, s: () if len(s) < 3 else None, "adjoint": lambda rng, s: () if len(s) > 1 else None,
}
BARE = ("alias", "flatten", "ravel", "squeeze", "atleast_1d", "atleast_2d", "atleast_3d", "neg_view", "conj", "conj_lazy", "real",
        "imag", "view_as_real", "view_as_complex", "H")
LISTS = ("split", "chunk", "unbind", "split_with_sizes", "split_sizes", "tensor_split")
VIEWS = sorted((*WITH_DIM, *WITHOUT, *BARE, "as_strided"))
# Rows whose Python name is another.
CALLED = {"squeeze_dim": "squeeze", "conj_lazy": "_conj", "neg_view": "_neg_view", "split_sizes": "split"}
FUNCTIONS = ("alias", "conj_lazy", "neg_view", "view_as_real", "view_as_complex", "atleast_1d", "atleast_2d", "atleast_3d")
WRITES = ("scale", "add", "mul", "copy", "zero", "neg", "sin", "sum", "fill", "silent")
LAST = ("tanh", "hypot")  # whose node saves what it wrote: nothing may be written afterwards
SHAPES = ((4,), (2, 3), (2, 2, 2), (3, 2), (1, 4), (2, 1, 2), (), (6, 2), (0, 2))


class Program:
    def __init__(self, module, seed, alias, views=VIEWS):
        self.m, self.rng, self.alias, self.views = module, random.Random(seed), alias, views
        self.steps, self.mistakes, self.refused = [], [], []
        self.leaves, self.doubles = [], []
        self.used = set()
        self.beyond = False  # a view shows what its source does not: as PyTorch has it no gradient goes there
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.run()

    # ---- the memory and its leaves ----

    def numbers(self, shape, dtype):
        n = 1
        for size in shape:
            n *= size
        values = [self.rng.randrange(-8, 9) / 4 for _ in range(2 * n if dtype == "complex128" else n)]
        x = self.m.tensor(values, dtype=self.m.float64)
        return self.m.view_as_complex(x.view(*shape, 2)) if dtype == "complex128" else x.view(shape)

    def leaf(self, shape, dtype):
        x = self.numbers(shape, dtype)
        first, second = x.clone().requires_grad_(), x.clone().requires_grad_()
        self.leaves.append(first)
        self.doubles.append(second)
        return first, second

    def begin(self):
        m, rng = self.m, self.rng
        shape, dtype = rng.choice(SHAPES), rng.choice(["float64", "complex128"])
        kind = rng.choice(["result", "result", "plain", "transposed"])
        self.steps.append(f"base = {dtype} {list(shape)}, {kind}")
        if kind == "plain":
            base = self.numbers(shape, dtype)
            other = base.clone()
            base = base.clone()
        else:
            x, y = self.leaf(shape, dtype)
            base, other = x * 1.5, y * 1.5
            if kind == "transposed" and len(shape) > 1:
                base = x.transpose(0, -1).clone() * 1.5  # dense, in another order
                other = (y * 1.5).transpose(0, -1)
        n = base.numel()
        self.flat = m.view_as_real(other.resolve_conj()).reshape(-1) if dtype == "complex128" else other.reshape(-1)
        probe = m.arange(1, (2 * n if dtype == "complex128" else n) + 1, dtype=m.float64)
        probe = m.view_as_complex(probe.view(*base.shape, 2)) if dtype == "complex128" else probe.view(base.shape)
        numbered = m.empty_like(base).detach()  # the numbers lie as the base does
        numbered.copy_(probe)
        self.tensors, self.probes, self.quiet = [base], [numbered], [False]

    # ---- what a view shows ----

    def places(self, i):
        """(index into the flat memory, sign) of each real number that tensor i shows."""
        m, probe = self.m, self.probes[i]
        shown = probe.resolve_conj().resolve_neg()
        shown = m.view_as_real(shown).reshape(-1) if shown.is_complex() else shown.reshape(-1)
        return shown.abs().to(m.int64) - 1, shown.sign()

    def read(self, i):
        at, sign = self.places(i)
        shown = self.flat.index_select(0, at) * sign
        return self.m.view_as_complex(shown.view(*self.probes[i].shape, 2)) if self.probes[i].is_complex() else shown.view(
            self.probes[i].shape)

    def put(self, i, value):
        at, sign = self.places(i)
        value = self.m.view_as_real(value.resolve_conj()) if value.is_complex() else value
        return self.flat.index_copy(0, at, value.reshape(-1) * sign)

    # ---- steps ----

    def arguments(self, name, source):
        shape, rng = tuple(source.shape), self.rng
        if name == "as_strided":
            size = [rng.choice([1, 2, 3]) for _ in range(rng.choice([1, 2]))]
            stride = [rng.choice([1, 2, 2, 3]) for _ in size]
            return size, stride, source.storage_offset() + rng.choice([0, 0, 1])
        if name in WITH_DIM:
            return WITH_DIM[name](rng, shape, dim_of(rng, shape)) if shape else None
        if name in ("real", "imag", "view_as_real", "conj", "conj_lazy") and not source.is_complex():
            return None
        if name == "view_as_complex" and (source.is_complex() or not shape or shape[-1] != 2):
            return None
        if name == "H" and len(shape) != 2:
            return None
        return WITHOUT[name](rng, shape) if name in WITHOUT else ()

    def look(self, x, name, args):
        if name in ("real", "imag", "H"):
            return getattr(x, name)
        if name == "slice":
            dim, start, end, step = args
            return x[(slice(None),) * (dim % x.dim()) + (slice(start, end, step),)]
        if name in FUNCTIONS:
            return (self.alias if name == "alias" else getattr(self.m, CALLED.get(name, name)))(x)
        return getattr(x, CALLED.get(name, name))(*args)

    def make_view(self):
        i = self.rng.randrange(len(self.tensors))
        if self.rng.random() < 0.5:
            i = len(self.tensors) - 1
        for _ in range(8):
            name = self.rng.choice(self.views)
            args = self.arguments(name, self.tensors[i])
            if args is not None:
                break
        else:
            return
        quiet = self.rng.random() < 0.05
        which = self.rng.randrange(4)
        self.steps.append(f"t{len(self.tensors)} = t{i}.{name}{args}" + (" in no_grad" if quiet else ""))
        try:
            with self.m.set_grad_enabled(not quiet):
                made = self.look(self.tensors[i], name, args)
        except (RuntimeError, IndexError, ValueError) as e:
            self.refused.append(f"{self.steps.pop()}: {str(e).splitlines()[0]}")
            return
        shown = self.look(self.probes[i], name, args)
        if name in LISTS:
            which %= len(made)
            made, shown = made[which], shown[which]
            self.steps[-1] += f"[{which}]"
        self.used.add(name)
        if shown.data_ptr() and shown.numel() and not self.shares(shown):
            return  # reshape made a copy: no view
        if tuple(made.shape) != tuple(shown.shape) or made.stride() != shown.stride():
            self.mistakes.append(f"{self.steps[-1]}: {made.shape} {made.stride()} is not {shown.shape} {shown.stride()}")
        self.tensors.append(made)
        self.probes.append(shown)
        self.quiet.append((quiet and made is not self.tensors[i]) or self.quiet[i])
        if name == "as_strided" and not set(self.places(-1)[0].tolist()) <= set(self.places(i)[0].tolist()):
            self.beyond = True

    def shares(self, shown):
        return shown.untyped_storage().data_ptr() == self.probes[0].untyped_storage().data_ptr()

    def write(self, ways=WRITES):
        m, rng = self.m, self.rng
        i, how = rng.randrange(len(self.tensors)), rng.choice(ways)
        x, shape = self.tensors[i], tuple(self.tensors[i].shape)
        dtype = "complex128" if x.is_complex() else "float64"
        before = self.read(i)
        first = second = None
        j = rng.randrange(len(self.tensors))
        if how in ("add", "mul", "copy", "hypot", "silent"):
            shape = shape if rng.random() < 0.7 else shape[1:]
            kept = len(self.leaves)
            first, second = self.leaf(shape, rng.choice([dtype, "float64"]))
        self.steps.append(f"t{i} {how}" + (f" of t{j}" if how == "sum" else ""))
        try:
            if how == "scale":
                x.mul_(0.5)
                after = before * 0.5
            elif how == "add":
                x.add_(first, alpha=2)
                after = before + 2 * second
            elif how == "mul":
                x.mul_(first)
                after = before * second
            elif how == "copy":
                x.copy_(first)
                after = second.to(before.dtype).expand_as(before)
            elif how == "zero":
                x.zero_()
                after = before * 0
            elif how == "fill":
                x.fill_(0.25)
                after = before * 0 + 0.25
            elif how == "neg":
                x.neg_()
                after = -before
            elif how == "sin":  # complex sines grow past all bounds
                x.pow_(2) if x.is_complex() else x.sin_()
                after = before**2 if x.is_complex() else before.sin()
            elif how == "hypot" and not x.is_complex():
                x.hypot_(first * first + 1)
                after = before.hypot(second * second + 1)
            elif how in LAST:
                x.tanh_()
                after = before.tanh()
            elif how == "sum":
                a, b = self.tensors[j], self.read(j).detach() if self.quiet[j] else self.read(j)
                x.add_(m.view_as_real(a.resolve_conj()).sum() if a.is_complex() else a.sum(), alpha=0.25)
                after = before + 0.25 * (m.view_as_real(b.resolve_conj()).sum() if b.is_complex() else b.sum())
            else:
                with m.no_grad():
                    x.add_(first)
                after = before + second.detach()
        except RuntimeError as e:
            self.refused.append(f"{self.steps.pop()}: {str(e).splitlines()[0]}")
            if first is not None:
                del self.leaves[kept:], self.doubles[kept:]
            return
        flat = self.put(i, after)
        self.flat = self.flat + (flat - self.flat).detach() if how == "silent" else flat

    def weighed(self, x):
        parts = self.m.view_as_real(x.resolve_conj()) if x.is_complex() else x
        n = parts.numel()
        weights = (self.m.arange(n, dtype=self.m.float64) % 5 + 1).view(parts.shape)
        return (parts * parts * weights).sum()

    def run(self):
        rng = self.rng
        self.begin()
        total, other = self.m.zeros((), dtype=self.m.float64), self.m.zeros((), dtype=self.m.float64)
        for _ in range(rng.randrange(3, 12)):
            chance = rng.random()
            if chance < 0.55:
                self.make_view()
            else:
                self.write()
        if rng.random() < 0.4:
            self.write(LAST)
        for i, x in enumerate(self.tensors):
            try:
                loss = self.weighed(x * 1)
            except RuntimeError as e:
                self.refused.append(f"reading t{i}: {str(e).splitlines()[0]}")
                continue
            if self.quiet[i]:
                continue  # made without grad mode: no gradient comes through it
            total, other = total + loss, other + self.weighed(self.read(i))
        self.compare("values", total.detach(), other.detach())
        for i in range(len(self.tensors)):
            self.compare(f"t{i}", self.tensors[i].detach(), self.read(i).detach())
        self.grads, self.seconds = [], []
        if not total.requires_grad or not self.leaves:
            return
        try:
            grads = self.derivatives(total, self.leaves)
        except RuntimeError as e:
            self.mistakes.append(f"backward: {str(e).splitlines()[0]}")
            return
        wants = self.derivatives(other, self.doubles)
        for kind, got, want in zip(("gradient", "second derivative"), grads, wants):
            for i, (g, w) in enumerate(zip(got, want) if not self.beyond else ()):
                self.compare(f"{kind} {i}", g, w)
        self.grads, self.seconds = grads

    def derivatives(self, loss, leaves):
        grad = self.m.autograd.grad
        first = grad(loss, leaves, create_graph=True, allow_unused=True)
        again = sum((self.weighed(g) for g in first if g is not None and g.requires_grad), self.m.zeros((), dtype=self.m.float64))
        second = grad(again, leaves, allow_unused=True) if again.requires_grad else [None] * len(leaves)
        return [None if g is None else g.detach() for g in first], second

    def compare(self, what, got, want):
        m = self.m
        if got is None or want is None:  # that there is none and that it is zero is the same here
            got, want = (m.zeros((), dtype=m.float64) if x is None else x.abs().sum() for x in (got, want))
        largest = want.abs().max().item() if want.numel() else 0.0  # what small elements are the difference of may be as large
        atol = 1e-9 + 1e-11 * (largest if largest < float("inf") else 0.0)
        if tuple(got.shape) != tuple(want.shape) or not m.allclose(got + 0j, want + 0j, rtol=1e-9, atol=atol):
            self.mistakes.append(f"{what}: {got.tolist()} is not {want.tolist()}")
