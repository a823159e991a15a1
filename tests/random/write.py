"""write.py - writes random programs: short lists of statements in PyTorch's vocabulary.

In: the module, a seed and a number; the same three give the same program. Out: a list of statements, each a line or two that
can be read, pasted and run. Operators and their arguments come from the schemas that Karat's functions carry. While a program
is written it is also run, in Karat, so that the arguments of the next statement fit the tensors that there are; what raised is
mostly taken back, and sometimes left in.
"""

import random
import re
import warnings

import execute

FLOATS = ["float16", "bfloat16", "float32", "float64"]
FLOAT8 = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
COMPLEX = ["complex32", "complex64", "complex128"]
INTEGERS = ["uint8", "int8", "int16", "int32", "int64"]
UNSIGNED = ["uint16", "uint32", "uint64"]
DTYPES = FLOATS + FLOAT8 + COMPLEX + INTEGERS + UNSIGNED + ["bool"]
WEIGHTS = [6, 6, 14, 10] + [1] * 5 + [1, 4, 4] + [3, 2, 2, 3, 6] + [1, 1, 1] + [4]

# Names whose results are not defined by their arguments, or that leave the program.
SKIPPED = {"empty", "empty_like", "new_empty", "new_empty_strided", "empty_strided", "empty_permuted",
           "resize_", "resize_as_", "nonzero_numpy", "nll_loss2d", "embedding", "slice", "to",
           "unique_dim", "index", "fill", "copy", "zero", "alias", "as_strided", "as_strided_copy", "as_strided_scatter",
           "binary_cross_entropy_with_logits", "view_copy", "expand", "expand_copy", "permute", "permute_copy", "view", "reshape",
           "as_strided_", "record_stream", "native_dropout", "frobenius_norm", "logaddexp_", "logaddexp2_", "maximum_",
               "minimum_",
           "fmax_", "fmin_"}
RANDOM = {"bernoulli", "bernoulli_", "normal", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm",
          "random_", "uniform_", "normal_", "log_normal_", "cauchy_", "exponential_", "geometric_", "poisson", "multinomial",
          "binomial", "dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout", "feature_dropout_",
          "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout", "feature_alpha_dropout_", "rrelu", "rrelu_",
          "gumbel_softmax", "svd_lowrank", "pca_lowrank"}

STRINGS = {  # values of string arguments, by parameter
    "reduction": ["mean", "sum", "none"], "rounding_mode": ["floor", "trunc"], "approximate": ["none", "tanh"],
    "interpolation": ["linear", "lower", "higher", "nearest", "midpoint"], "reduce": ["sum", "prod", "mean", "amax", "amin"],
    "side": ["left", "right"], "indexing": ["ij", "xy"], "ord": ["fro"], "p": ["fro"], "mode": ["constant"],
}
FLOAT_ARGUMENTS = {"p": [0.5, 0.0, 1.0, 2.0], "eps": [0.1, 1e-6], "beta": [1.0, 0.5], "delta": [1.0, 0.5],
    "label_smoothing": [0.0, 0.1],
                   "q": [0.5, 0.0, 0.25, 1.0], "base": [2.0, 10.0]}


def rows(module):
    """(prefix of the call, name, schemas, is also a method) of each function that programs may call."""
    core, found = module._karat, []
    families = [("torch.", core.functions, module), ("F.", core.nn_functions, module.nn.functional),
                ("torch.linalg.", core.linalg_functions, module.linalg),
                    ("torch.special.", core.special_functions, module.special)]
    for prefix, family, home in families:
        for name in sorted(family):
            if name.startswith("_") or name in SKIPPED or name.endswith(("_backward", "_halves")):
                continue
            public, method = hasattr(home, name), prefix == "torch." and hasattr(module.Tensor, name)
            if public or method:
                found.append((prefix, name, [parse(s) for s in family[name].schemas], public, method))
    return found


def parse(schema):
    """[(type, optional, name, has a default, by keyword only)] of a schema."""
    inside = re.match(r"[^(]*\((.*)\) -> ", schema).group(1)
    arguments, only = [], False
    for part in re.split(r",\s*(?![^\[]*\](?!\s))", inside) if inside else []:
        part = part.strip()
        if part == "*":
            only = True
            continue
        kind, _, rest = part.partition(" ")
        name, equals, _ = rest.partition("=")
        arguments.append((kind.rstrip("?"), kind.endswith("?"), name, bool(equals), only))
    return arguments


class Dropped(Exception):
    """A statement that cannot be written with the tensors at hand."""


class Writer:
    def __init__(self, module, seed, index):
        self.module, self.random = module, random.Random(f"{seed}/{index}")
        if not ROWS:
            ROWS.extend(rows(module))
        self.rows = ROWS
        self.space = execute.namespace(module)
        self.lines, self.names, self.count, self.hooks = [], [], 0, 0
        module.manual_seed(0)

    # What is random.

    def chance(self, p):
        return self.random.random() < p

    def pick(self, choices):
        if not choices:
            raise Dropped
        return self.random.choice(choices)

    def dtype(self):
        return self.random.choices(DTYPES, WEIGHTS)[0]

    def shape(self, most=4):
        ndim = self.random.choices(range(most + 1), [3, 6, 9, 5, 2][:most + 1])[0]
        return [self.random.choices([0, 1, 2, 3, 4, 5], [1, 4, 8, 8, 4, 2])[0] for _ in range(ndim)]

    def number(self, dtype):
        r = self.random
        if dtype == "bool":
            return r.choice(["True", "False"])
        if dtype in UNSIGNED or dtype == "uint8":
            return str(r.choice([0, 1, 2, 3, 5, 7, 100, 255]))
        if dtype in INTEGERS:
            return str(r.choice([0, 1, -1, 2, -2, 3, 5, -7, 100, -128]))
        if dtype in COMPLEX:
            return f"{self.real()}{r.choice(['+', '-'])}{abs(r.choice([0, 1, 0.5, 2, 3]))}j"
        return self.real()

    def real(self):
        r = self.random
        kind = r.random()
        if kind < 0.45:
            return str(round(r.uniform(-3, 3), 2))
        if kind < 0.93:
            return str(r.choice([0.0, 1.0, -1.0, 2.0, 0.5, -0.5, 3.0, -0.0]))
        return r.choice(["inf", "-inf", "nan", "1e-05", "60000.0", "-0.0"])

    def scalar(self):
        return self.pick([str(self.random.randint(-3, 4)), self.real(), self.real(), "2", "0.5", "True", "1.5-2j"
            if self.chance(0.3) else "3"])

    # Statements.

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def attempt(self, line, keep=0.15):
        """Runs a statement. One that raises stays in the program with the chance keep."""
        before = set(self.space)
        try:
            execute.run(line, self.space)
        except Exception as e:
            if isinstance(e, self.module.OutOfMemoryError) or not self.chance(keep):
                raise Dropped from None
            self.lines.append(line)
            raise Dropped from None
        self.lines.append(line)
        for name in sorted(set(self.space) - before - {"__builtins__"}, key=lambda n: (len(n), n)):
            value = self.space[name]
            if isinstance(value, self.module.Tensor):
                self.names.append(name)
            elif isinstance(value, (tuple, list)):
                self.names += [path for path, _ in execute.flat(name, value, self.module.Tensor)][:3]

    def value(self, name):
        return eval(name, self.space)

    def literal(self, shape, dtype):
        if not shape:
            return self.number(dtype)
        return "[" + ", ".join(self.literal(shape[1:], dtype) for _ in range(shape[0])) + "]"

    def fresh(self, shape=None, dtype=None, gradient=None, values=None):
        """A new tensor by its values; its name."""
        shape, dtype = self.shape() if shape is None else list(shape), dtype or self.dtype()
        name, total = self.name(), 1
        for size in shape:
            total *= size
        differentiable = dtype in FLOATS + COMPLEX + FLOAT8[:1]
        gradient = differentiable and self.chance(0.5) if gradient is None else gradient and differentiable
        tail = ", requires_grad=True" if gradient else ""
        if total > 64 and values is None:
            made = f"torch.linspace(-3, 4, {total}, dtype=torch.float64).reshape({shape}).to(torch.{dtype})"
            line = f"{name} = {made}" + (".requires_grad_()" if gradient else "")
        elif total == 0:
            line = f"{name} = torch.zeros({shape}, dtype=torch.{dtype}{tail})"
        else:
            text = values if values is not None else self.literal(shape, dtype)
            line = f"{name} = torch.tensor({text}, dtype=torch.{dtype}{tail})"
        self.attempt(line, keep=0)
        return name

    def some(self, test=lambda t: True, fallback=True):
        """The name of a tensor there is, recent ones first, or of a new one."""
        fit = [name for name in self.names if execute.asked(self.value(name), test) is True]
        if fit and (not fallback or self.chance(0.9)):
            return self.random.choices(fit, [i + 1 for i in range(len(fit))])[0]
        if not fallback:
            raise Dropped
        return self.fresh()

    def like(self, first, dtype=None):
        """A tensor that fits the first operand: of its shape or broadcast to it, mostly of its dtype."""
        value = self.value(first)
        shape, own = list(value.shape), str(value.dtype).split(".")[-1]
        if self.chance(0.35):
            fit = [n for n in self.names if list(self.value(n).shape) in (shape, [])]
            if fit:
                return self.pick(fit)
        if self.chance(0.3):
            shape = [1 if self.chance(0.4) else size for size in shape][self.random.randint(0, len(shape)):]
        if value.numel() > 200:
            shape = shape[-1:]
        return self.fresh(shape, dtype or (own if self.chance(0.75) else self.dtype()))

    def statement(self, expression, keep=0.15):
        line = f"{self.name()} = {expression}"
        if self.chance(0.05):
            mode = self.pick(["no_grad()", "inference_mode()", "enable_grad()", "set_grad_enabled(False)"])
            line = f"with torch.{mode}: {line}"
        self.attempt(line, keep)

    def dim(self, ndim):
        if self.chance(0.03):
            return ndim + 1
        n = max(ndim, 1)
        return self.random.randint(-n, n - 1)

    def ints(self, shape, high, dtype=None):
        """A tensor of indices below high."""
        def nested(sizes):
            if not sizes:
                low = -high if self.chance(0.02) else 0
                return str(self.random.randint(low, max(high - 1, 0)))
            return "[" + ", ".join(nested(sizes[1:]) for _ in range(sizes[0])) + "]"
        dtype = dtype or ("int64" if self.chance(0.85) else "int32")
        return self.fresh(shape, dtype, False, None if 0 in shape else nested(list(shape)))

    # Kinds of statements.

    def view(self):
        x = self.some()
        value = self.value(x)
        ndim, shape = value.dim(), list(value.shape)
        d = self.dim(ndim)
        real = not value.is_complex()
        choices = [f"{x}.transpose({d}, {self.dim(ndim)})", f"{x}.permute({self.random.sample(range(ndim), ndim)})",
                   f"{x}.unsqueeze({d})", f"{x}.squeeze()", f"{x}.flatten()", f"{x}.reshape(-1)", f"{x}.view(-1)",
                       f"{x}.detach()",
                   f"{x}.expand({self.random.randint(1, 3)}, *{x}.shape)", f"{x}.conj()", f"{x}.view_as({x})", f"{x}.mT",
                       f"{x}.t()",
                   f"{x}.movedim({d}, {self.dim(ndim)})", f"{x}.squeeze({d})", f"{x}.contiguous()", f"{x}.diagonal()",
                   f"{x}.unbind({d})", f"{x}.split({self.random.randint(1, 2)}, {d})", f"{x}.chunk(2, {d})",
                       f"{x}.tensor_split(2, {d})",
                   f"{x}.unsafe_split(1, {d})", f"{x}.view(torch.{self.dtype()})", f"torch.ravel({x})"]
        if ndim:
            at = self.random.randrange(ndim)
            size = shape[at]
            start = self.random.randint(0, size)
            length = self.random.randint(0, size - start)
            window = self.random.randint(0, size)
            choices += [f"{x}.narrow({at}, {start}, {length})", f"{x}.unfold({at}, {window}, {self.random.randint(1, 2)})"] * 2
            choices += [f"{x}[{self.subscript(shape)}]" for _ in range(8)]
            if size:
                choices += [f"{x}.select({at}, {self.random.randrange(size)})"] * 2
            sizes, strides = self.strided(value)
            choices += [f"{x}.as_strided({sizes}, {strides})"]
            if value.numel():
                choices += [f"{x}.reshape({self.factors(value.numel())})", f"{x}.view({self.factors(value.numel())})"]
        if ndim >= 2:
            choices += [f"{x}.diagonal({self.random.randint(-1, 1)}, {d}, {self.dim(ndim)})", f"{x}.H", f"{x}.flatten(0, 1)"]
        choices += [f"torch.view_as_complex({x})"] * 3 if real and shape[-1:] == [2] else []
        choices += [f"{x}.real", f"{x}.imag", f"torch.view_as_real({x})", f"{x}.conj().imag",
            f"{x}.conj()"] * 2 if not real else []
        choices = [c for c in choices if not c.endswith(".view(torch.bool)")]  # bytes beyond 0 and 1 are no bools
        self.statement(self.pick(choices))

    def strided(self, value):
        sizes = [self.random.randint(1, 3) for _ in range(self.random.randint(1, 2))]
        strides = [self.random.randint(0 if self.chance(0.3) else 1, 3) for _ in sizes]
        return sizes, strides

    def factors(self, total):
        shape, left = [], total
        while left > 1 and len(shape) < 3:
            divisors = [n for n in range(1, left + 1) if left % n == 0]
            shape.append(self.random.choice(divisors))
            left //= shape[-1]
        shape.append(left)
        self.random.shuffle(shape)
        if self.chance(0.3):
            shape[self.random.randrange(len(shape))] = -1
        return shape

    def subscript(self, shape, tensors=0.0):
        """An index expression for a shape."""
        parts, used = [], 0
        count = self.random.randint(1, len(shape))
        picked = None
        while used < count:
            size, kind = shape[used], self.random.random()
            if kind < tensors:
                kind = self.random.random()
                if kind < 0.25 and size:
                    parts.append(self.fresh([size], "bool", False))
                elif kind < 0.35:
                    parts.append(str([self.random.randrange(max(size, 1)) for _ in range(2)]))
                else:
                    picked = picked or self.pick([[2], [3], [2, 1], []])
                    parts.append(self.ints(picked, size))
            elif kind < 0.3 + tensors and size:
                parts.append(str(self.random.randint(-size, size - 1)))
            elif kind < 0.8:
                ends = [str(self.random.randint(-size, size)) if self.chance(0.5) else "" for _ in range(2)]
                parts.append(":".join(ends) + (f":{self.random.randint(1, 3)}" if self.chance(0.3) else ""))
            elif kind < 0.9:
                parts.append("None")
                continue
            else:
                parts.append("...")
                used = max(used, len(shape) - self.random.randint(0, 1))
                continue
            used += 1
        return ", ".join(parts[:6])

    def get(self):
        x = self.some(lambda t: t.dim() > 0)
        shape = list(self.value(x).shape)
        if not shape:
            raise Dropped
        self.statement(f"{x}[{self.subscript(shape, 0.5)}]")

    def put(self):
        x = self.some(lambda t: t.dim() > 0)
        shape = list(self.value(x).shape)
        if not shape:
            raise Dropped
        where = self.subscript(shape, 0.3)
        kind = self.random.random()
        if kind < 0.45:
            right = self.scalar()
        elif kind < 0.6:
            right = self.some()
        else:
            try:
                target = self.value(f"{x}[{where}]")
            except Exception:
                raise Dropped from None
            right = self.fresh(list(target.shape)[self.random.randint(0, target.dim()):] if target.numel() < 60 else [],
                               str(target.dtype).split(".")[-1] if self.chance(0.7) else None)
        operator = self.pick(["="] * 6 + ["+=", "*=", "-="])
        self.attempt(f"{x}[{where}] {operator} {right}")

    def cast(self):
        x = self.some()
        dtype = self.dtype()
        y = self.some()
        self.statement(self.pick([f"{x}.to(torch.{dtype})"] * 4 + [
            f"{x}.type(torch.{dtype})", f"{x}.clone()", f"{x}.copy_({y})", f"{x}.copy_({y})", f"{x}.to({y})", f"{x}.type_as({y})",
            f"{x}.float()", f"{x}.double()", f"{x}.half()", f"{x}.bool()", f"{x}.long()", f"{x}.cfloat()", f"{x}.resolve_conj()",
            f"torch.tensor({x}.tolist())", f"torch.as_tensor({x}, dtype=torch.{dtype})", f"{x}.new_tensor({x}.tolist())",
            f"{x}.new_zeros({self.shape(2)})", f"{x}.new_full({self.shape(2)}, {self.scalar()})",
                f"torch.zeros_like({x}, dtype=torch.{dtype})",
            f"torch.full({self.shape(2)}, {self.scalar()}, dtype=torch.{dtype})", f"torch.full({self.shape(2)}, {self.scalar()})",
            f"torch.arange({self.scalar()}, {self.random.randint(3, 6)}, dtype=torch.{dtype})", f"{x}.resolve_neg()",
                f"{x}.item()",
            f"torch.asarray({x}, dtype=torch.{dtype})", f"torch.result_type({x}, {y})", f"torch.equal({x}, {y})", f"bool({x})",
                f"len({x})",
            f"{x}.to(torch.{dtype}, memory_format=torch.contiguous_format)", f"{x}.is_contiguous()", f"{x}.tolist()"]))

    OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "@", "==", "<", ">=", "!=", "&", "|", "^", "<<"]

    def operator(self):
        x = self.some()
        y = self.scalar() if self.chance(0.5) else self.like(x)
        kind = self.random.random()
        if kind < 0.6:
            self.statement(f"{x} {self.pick(self.OPERATORS)} {y}")
        elif kind < 0.75:
            self.statement(f"{self.scalar()} {self.pick(self.OPERATORS[:7])} {x}")
        elif kind < 0.8:
            self.statement(f"{self.pick(['-', '~', '+', 'abs'])}({x})")
        else:
            self.attempt(f"{x} {self.pick(['+', '-', '*', '/', '**', '//', '&'])}= {y}")

    def grad(self):
        x = self.some()
        self.hooks += 1
        label = f"'h{self.hooks}'"
        wants = [n for n in self.names if execute.asked(self.value(n), lambda t: t.requires_grad) is True]
        w = self.pick(wants) if wants else x
        choice = self.pick(["detach", "requires", "retain", "hook", "hook", "change", "post", "detach_", "grad=", "zero",
            "remove"])
        if choice == "detach":
            self.statement(f"{x}.detach()")
        elif choice == "requires":
            self.attempt(f"{x}.requires_grad_({self.pick(['', '', 'False'])})", 0.1)
        elif choice == "retain":
            self.attempt(f"{w}.retain_grad()")
        elif choice == "hook":
            self.attempt(f"{w}.register_hook(lambda g: log.append(({label}, g)))", 0.1)
        elif choice == "change":
            factor = self.pick(["2", "0.5", "-1"])
            self.attempt(f"{w}.register_hook(lambda g: g * {factor})", 0.1)
        elif choice == "post":
            self.attempt(f"{w}.register_post_accumulate_grad_hook(lambda t: log.append(({label}, t.grad.clone())))", 0.1)
        elif choice == "detach_":
            self.attempt(f"{x}.detach_()")
        elif choice == "grad=":
            self.attempt(f"{w}.grad = {self.like(w)}", 0.1)
        elif choice == "zero":
            self.attempt(f"{w}.grad = None")
        else:
            h = f"h{self.hooks}"
            self.attempt(f"{h} = {w}.register_hook(lambda g: log.append({label})); {h}.remove()", 0.1)

    def backward(self):
        y = self.some(lambda t: t.requires_grad and not t.is_leaf, fallback=False)
        value = self.value(y)
        options = [o for o, p in (("retain_graph=True", 0.4), ("create_graph=True", 0.08)) if self.chance(p)]
        leaves = [n for n in self.names if execute.asked(self.value(n), lambda t: t.requires_grad) is True]
        kind = self.random.random()
        if kind < 0.3:
            inputs = self.random.sample(leaves, min(len(leaves), self.random.randint(1, 2)))
            options += ["allow_unused=True"] if self.chance(0.6) else []
            start = f"{y}.abs().sum()" if value.is_complex() else f"{y}.sum()"
            if self.chance(0.3):
                start, options = y, options + [f"grad_outputs=torch.ones_like({y})"]
            given = ", ".join([f"[{', '.join(inputs)}]"] + options)
            self.attempt(f"{self.name()} = torch.autograd.grad({start}, {given})", 0.3)
            return
        tail = ", ".join(options)
        if self.chance(0.1) and leaves:
            tail = ", ".join([tail] * bool(tail) + [f"inputs=[{self.pick(leaves)}]"])
        if kind < 0.5:
            self.attempt(f"{y}.backward(torch.ones_like({y}){', ' * bool(tail)}{tail})", 0.3)
        elif kind < 0.6:
            self.attempt(f"{y}.backward({tail})", 0.1)
        else:
            start = f"{y}.abs().sum()" if value.is_complex() else self.pick([f"{y}.sum()", f"({y} * {y}).sum()",
                f"{y}.pow(2).mean()"])
            self.attempt(f"{start}.backward({tail})", 0.3)

    # Calls by schema.

    def argument(self, row, kind, parameter, first):
        """The text of one argument."""
        name = row[1]
        if kind in ("Tensor", "Tensor|Scalar"):
            if first is None:
                if parameter == "condition":
                    return self.fresh(None, "bool", False)
                return self.some()
            if kind == "Tensor|Scalar" and self.chance(0.45):
                return self.scalar()
            return self.operand(name, parameter, first)
        value = self.value(first) if first and re.match(r"t\d", first) else None
        ndim = value.dim() if value is not None else 2
        if kind == "Tensor[]":
            x = self.some()
            star = "*" if name in ("broadcast_tensors", "chain_matmul", "block_diag", "cartesian_prod", "meshgrid") else ""
            return star + "[" + ", ".join([x] + [self.like(x) if self.chance(0.6) else self.some()
                for _ in range(self.random.randint(0, 2))]) + "]"
        if kind == "Scalar":
            if parameter in ("min", "max", "min_val", "max_val", "p", "ord", "maxnorm"):
                return self.pick(["-1", "0", "1", "2", "0.5", "2.5", "inf"])
            return self.scalar()
        if kind in ("int", "SymInt"):
            if parameter.startswith(("dim", "axis")) or parameter in ("start_dim", "end_dim"):
                return str(self.dim(ndim))
            if parameter in ("diagonal", "offset", "decimals"):
                return str(self.random.randint(-1, 1))
            if parameter == "ignore_index":
                return self.pick(["-100", "0", "1"])
            return str(self.random.choices([0, 1, 2, 3, 4, -1], [2, 6, 6, 4, 2, 1])[0])
        if kind in ("int[1]", "int[2]", "int[3]"):
            if parameter.startswith("dim") or parameter in ("source", "destination"):
                many = self.random.sample(range(ndim), self.random.randint(0, ndim)) if ndim else []
                return str(many) if self.chance(0.4) else str(self.dim(ndim))
            return str(self.random.randint(-2, 3))
        if kind == "int[]":
            if parameter.startswith("dim") and name not in ("tile",):
                return str(self.random.sample(range(ndim), self.random.randint(0, ndim)) if ndim else [])
            if parameter == "pad":
                return str([self.random.randint(-1, 2) for _ in range(2 * self.random.randint(1, max(ndim, 1)))])
            if parameter == "repeats" or name == "tile":
                return str([self.random.randint(0, 2) for _ in range(self.random.randint(ndim, ndim + 1))])
            return str(self.shape(3))
        if kind == "float":
            return str(self.pick(FLOAT_ARGUMENTS.get(parameter, [0.5, 1.0, 2.0, 0.1])))
        if kind == "bool":
            return self.pick(["True", "False"])
        if kind == "ScalarType":
            return f"torch.{self.dtype()}"
        if kind == "str":
            return repr(self.pick(STRINGS.get(parameter, ["x"])))
        raise Dropped

    def operand(self, name, parameter, first):
        value = self.value(first)
        shape = list(value.shape)
        own = str(value.dtype).split(".")[-1]
        if parameter in ("index", "indices", "tensor_indices_or_sections"):
            if name.startswith(("index_",)) or name == "index_select":
                return self.ints([self.random.randint(0, 3)], min(shape or [1]))
            if name.startswith(("take", "put")) and parameter == "index":
                return self.ints(self.shape(2), value.numel())
            return self.ints([self.random.randint(0, size) if self.chance(0.3) else size for size in shape], min(shape or [1]))
        if parameter in ("mask", "condition"):
            return self.fresh(shape if value.numel() <= 60 else shape[-1:], "bool", False)
        if parameter == "q":
            return self.fresh([2], own, False, "[0.25, 0.75]")
        if parameter == "repeats":
            return self.ints([shape[0] if shape else 1], 3)
        if parameter == "boundaries":
            return self.fresh([3], own, False, "[0, 1, 2]")
        if parameter == "target" and self.chance(0.7):
            return self.fresh(shape if value.numel() <= 60 else [], own if self.chance(0.8) else None)
        return self.like(first)

    def call(self, row=None):
        """One call of an operator by its schema."""
        row = row or self.pick(self.rows)
        prefix, name, schemas, public, method = row
        if name in RANDOM and self.chance(0.6):
            raise Dropped
        special = SPECIAL.get(name.rstrip("_"))
        arguments = self.pick(schemas)
        texts, keywords, first = [], [], None
        if special and self.chance(0.85):
            texts = special(self, name)
            first = texts[0]
            arguments = [a for a in arguments[len(texts):] if a[3]]
        for kind, optional, parameter, has_default, only in arguments:
            if parameter in ("device", "generator", "memory_format", "_stacklevel", "size_average", "casting", "rounding",
                "copy", "sparse",
                             "sparse_grad"):
                continue
            if parameter == "reduce" and kind == "bool":
                continue
            if (has_default or (optional and self.chance(0.5))) and not self.chance(0.3):
                if has_default:
                    continue
                text = "None"
            else:
                text = self.argument(row, kind, parameter, first)
            if first is None and kind.startswith("Tensor") and re.match(r"t\d", text):
                first = text
            if has_default or only or keywords or (texts and self.chance(0.08)):
                keywords.append(f"{parameter}={text}")
            else:
                texts.append(text)
        if self.chance(0.02) and texts:  # a mistake on purpose
            texts[self.random.randrange(len(texts))] = self.pick(["None", "'x'", "1.5", "-7", "[]", "[1, 2]", "True", "2**62",
                "torch.float32"])
        if self.chance(0.005):
            keywords.append("nothing=1")
        if not name.endswith("_") and self.chance(0.07):
            out = self.some() if self.chance(0.5) else f"torch.empty(0, dtype=torch.{self.dtype()})"
            keywords.append(f"out={out}")
        if method and texts and re.match(r"t\d", texts[0]) and not any(k.startswith("out=") for k in keywords) and (not public
            or self.chance(0.4)):
            expression = f"{texts[0]}.{name}({', '.join(texts[1:] + keywords)})"
        elif public:
            expression = f"{prefix}{name}({', '.join(texts + keywords)})"
        else:
            raise Dropped
        self.statement(expression)

    def inplace(self):
        self.call(self.pick([row for row in self.rows if row[1].endswith("_")]))

    def kin(self, *names):
        found = [row for row in self.rows if row[1] in names]
        self.call(self.pick(found))

    def product(self):
        self.kin(*[n for n in SPECIAL])

    def loss(self):
        self.call(self.pick([row for row in self.rows if row[0] == "F."]))


# Operators whose operands fit each other by a rule of their own: their first arguments.

def near(w, shape, dtype):
    """A tensor of a shape: one there is, or a new one."""
    fit = [n for n in w.names if list(w.value(n).shape) == list(shape) and str(w.value(n).dtype).endswith("." + dtype)]
    return w.pick(fit) if fit and w.chance(0.7) else w.fresh(shape, dtype if w.chance(0.93) else None)


def matrices(*letters):
    """Operands by the letters of their dims: the same letter is the same size."""
    def make(w, name):
        size = {}
        dtype = w.pick(FLOATS + ["float32", "float64"] + COMPLEX[1:] + INTEGERS)
        first = None
        if w.chance(0.5):
            fit = [n for n in w.names if w.value(n).dim() == len(letters[0]) and w.value(n).numel() < 200]
            first = w.pick(fit) if fit else None
        texts = []
        if first:
            dtype = str(w.value(first).dtype).split(".")[-1]
            size = dict(zip(letters[0], w.value(first).shape))
            texts.append(first)
        for operand in letters[len(texts):]:
            shape = [size.setdefault(c, w.random.choices([0, 1, 2, 3, 4], [1, 3, 6, 6, 3])[0]) for c in operand]
            texts.append(near(w, shape, dtype))
        return texts
    return make


def einsum(w, name):
    equation = w.pick(["ij,jk->ik", "ij,ij->", "i,j->ij", "bij,bjk->bik", "ii->i", "ij->ji", "ij,j", "ij->", "...i,...i->..."])
    size, dtype, texts = {}, w.pick(FLOATS + ["complex64", "int64"]), []
    for operand in equation.split("->")[0].split(","):
        texts.append(near(w, [size.setdefault(c, w.random.randint(1, 4)) for c in operand.replace("...", "b")], dtype))
    return [repr(equation)] + texts


def classes(w, name):
    dtype, n, c = w.pick(FLOATS), w.random.randint(1, 3), w.random.randint(1, 4)
    extra = [2] if w.chance(0.2) else []
    x = near(w, [n, c] + extra, dtype)
    if name == "cross_entropy" and w.chance(0.2):
        return [x, w.fresh([n, c] + extra, dtype)]
    return [x, w.ints([n] + extra, c, "int64")]


def chances(w, name):
    x = w.some()
    shape, dtype = list(w.value(x).shape), str(w.value(x).dtype).split(".")[-1]
    probabilities = w.name()
    w.attempt(f"{probabilities} = torch.sigmoid({x})", 0)
    return [probabilities, w.like(probabilities) if w.chance(0.4) else w.fresh(shape, dtype)]


def along(indices, source):
    """self, dim, index and source of the operators that address one dim."""
    def make(w, name):
        x = w.some(lambda t: 0 < t.dim() < 4 and t.numel() < 200)
        value = w.value(x)
        if not value.dim():
            raise Dropped
        d, shape = w.random.randrange(value.dim()), list(value.shape)
        dtype = str(value.dtype).split(".")[-1]
        if indices == "line":
            index = [w.random.randint(0, 3)]
            other = shape[:d] + index + shape[d + 1:]
        else:
            index = [w.random.randint(0, s) if w.chance(0.3) else s for s in shape]
            index[d] = w.random.randint(0, 4)
            other = [s + (1 if w.chance(0.1) else 0) for s in index]
        texts = [x, str(d), w.ints(index, shape[d])]
        if source and w.chance(0.8 if name.startswith(("scatter", "index_fill")) else 1) and not name.startswith("index_fill"):
            texts.append(near(w, other, dtype))
        elif source:
            texts.append(w.scalar())
        if name.startswith(("scatter_reduce", "index_reduce")):
            texts.append(repr(w.pick(STRINGS["reduce"])))
        return texts
    return make


def embedding(w, name):
    rows, columns = w.random.randint(1, 4), w.random.randint(1, 3)
    return [w.ints(w.shape(2), rows), near(w, [rows, columns], w.pick(FLOATS))]


def repeated(w, name):
    x = w.some(lambda t: t.dim() > 0 and t.numel() < 100)
    shape = list(w.value(x).shape)
    if not shape:
        raise Dropped
    return [x, w.ints([shape[0]], 3), "0"]


def sorted_search(w, name):
    dtype = w.pick(FLOATS + INTEGERS)
    return [w.fresh([4], dtype, False, "[0, 1, 1, 3]"), w.fresh(None, dtype, False)]


SPECIAL = {
    "mm": matrices("ij", "jk"), "bmm": matrices("bij", "bjk"), "mv": matrices("ij", "j"), "dot": matrices("i", "i"),
    "vdot": matrices("i", "i"), "matmul": None, "addmm": matrices("ik", "ij", "jk"), "addmv": matrices("i", "ij", "j"),
    "addr": matrices("ij", "i", "j"), "baddbmm": matrices("bik", "bij", "bjk"), "addbmm": matrices("ik", "bij", "bjk"),
    "outer": matrices("i", "j"), "ger": matrices("i", "j"), "inner": matrices("ij", "kj"), "linear": None,
        "cdist": matrices("ij", "kj"),
    "kron": matrices("ij", "kl"), "einsum": einsum, "nll_loss": classes, "cross_entropy": classes,
        "binary_cross_entropy": chances,
    "gather": along("grid", False), "scatter": along("grid", True), "scatter_add": along("grid", True),
    "scatter_reduce": along("grid", True), "index_select": along("line", False), "index_add": along("line", True),
    "index_copy": along("line", True), "index_fill": along("line", True), "index_reduce": along("line", True),
    "embedding": embedding, "repeat_interleave": repeated, "searchsorted": sorted_search, "bilinear": matrices("bi", "bj", "kij"),
    "matrix_power": matrices("ii"), "trace": matrices("ij"), "cross": matrices("i3", "i3"), "vecdot": matrices("ij", "ij"),
}
SPECIAL["matmul"] = lambda w, n: w.pick([matrices("ij", "jk"), matrices("bij", "jk"), matrices("bij", "bjk"),
    matrices("i", "ij"), matrices("ij", "j"), matrices("cbij", "bjk")])(w, n)
SPECIAL["linear"] = lambda w, n: w.pick([matrices("ij", "kj"), matrices("bij", "kj"), matrices("ij", "kj", "k"),
    matrices("j", "kj", "k")])(w, n)

KINDS = [(Writer.view, 18), (Writer.call, 34), (Writer.inplace, 12), (Writer.product, 9), (Writer.loss, 6), (Writer.get, 5),
    (Writer.put, 6),
         (Writer.cast, 6), (Writer.operator, 10), (Writer.grad, 6), (Writer.backward, 8)]
ROWS = []


def targets(line):
    """The name of what a statement makes, if it does nothing else."""
    found = re.match(r"(t\d+) = torch\.(?:tensor|zeros|linspace)\(", line) or re.match(r"(?:class|def) (\w+)", line)
    return found.group(1) if found else None


def pruned(lines):
    """Without tensors that nothing uses."""
    kept = []
    for i, line in enumerate(lines):
        name = targets(line)
        if name and not any(re.search(rf"\b{name}\b", later) for later in lines[i + 1:]):
            continue
        kept.append(line)
    return kept


def composed(w, begin, kinds, wanted, ends):
    """The statements of a writer: those of begin, as many of the kinds as are wanted, and backward with the chance `ends`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begin()
        tries = made = 0
        while made < wanted and tries < 60:
            tries += 1
            before = len(w.lines)
            kind = w.random.choices([k for k, _ in kinds], [n for _, n in kinds])[0]
            try:
                kind(w)
                made += 1
            except Dropped:
                made += any(targets(line) is None for line in w.lines[before:])
        if w.chance(ends):
            for _ in range(2):
                try:
                    w.backward()
                except Dropped:
                    pass
    w.space.clear()
    return pruned(w.lines)


def program(module, seed, index):
    w = Writer(module, seed, index)

    def begin():
        for _ in range(w.random.randint(1, 2)):
            w.fresh([w.random.randint(20, 40), w.random.randint(30, 50)] if w.chance(0.03) else None)

    return composed(w, begin, KINDS, w.random.randint(3, 9), 0.6)
