"""write_wide.py - writes random programs of what lies beside the operators: transforms of single calls, autocast, lists of
tensors, spectra, modules and their states, copies, layouts of images, results into several tensors, texts, numbers of Python.

In: the module, a seed and a number, as write.py, whose writer and calls this one is built on. Out: a list of statements.
"""

import re

import execute
import write
from statement import mentioned
from write import COMPLEX, FLOATS, Dropped

LISTS = []  # the rows of list operators

SPECTRA = [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn",
    "hfft2", "ihfft2", "hfftn", "ihfftn", "fftshift", "ifftshift"]

MODULES = {  # a module and the sizes that it takes; N is a batch
    "Linear(3, 2)": "N3", "Linear(3, 2, bias=False)": "3", "Linear(2, 3)": "N2", "LayerNorm(3)": "N3", "RMSNorm(3)": "N3",
    "BatchNorm1d(3)": "N3", "BatchNorm2d(2)": "N244", "Conv2d(2, 3, 2)": "N244", "Conv1d(2, 2, 3, padding=1)": "N25",
    "GroupNorm(2, 4)": "N44", "Embedding(5, 3)": "index", "GRU(3, 2)": "NN3", "LSTM(3, 2)": "NN3", "PReLU(2)": "N2",
    "Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))": "N3", "Bilinear(3, 3, 2)": "two",
    "MultiheadAttention(4, 2)": "three", "InstanceNorm2d(2, affine=True)": "N244", "ConvTranspose2d(2, 2, 2, stride=2)": "N244",
    "TransformerEncoderLayer(4, 2, 5, 0.0)": "NN4", "Softmax(dim=-1)": "N3", "Dropout(0.5)": "N3", "MaxPool2d(2)": "N244",
    "Upsample(scale_factor=2)": "N244", "AvgPool2d(2, ceil_mode=True)": "N244", "Flatten()": "N244",
}

STATES = [
    "{m}.half()", "{m}.double()", "{m}.to(torch.bfloat16)", "{m}.eval()", "{m}.train()", "{m}.requires_grad_(False)",
    "{m}.zero_grad()", "{m}.zero_grad(set_to_none=False)", "{m} = copy.deepcopy({m})", "{m}.float()",
    "{m}.to(memory_format=torch.channels_last)", "{m} = pickle.loads(pickle.dumps({m}))",
    "{m}.load_state_dict(copy.deepcopy({m}.state_dict()))", "{m}.load_state_dict({m}.state_dict(), assign=True)",
    "with torch.no_grad(): torch.nn.utils.vector_to_parameters(torch.nn.utils.parameters_to_vector({m}.parameters()) * 0.5, "
    "{m}.parameters())",
    "{m}.load_state_dict({{k: v.double() for k, v in {m}.state_dict().items()}})"]

READS = [
    "list({m}.parameters())", "list({m}.state_dict().values())", "[p.grad for p in {m}.parameters()]", "list({m}.buffers())",
    "torch.nn.utils.parameters_to_vector({m}.parameters())", "torch.nn.utils.clip_grad_norm_({m}.parameters(), 0.5)",
    "torch.nn.utils.get_total_norm([p.detach() for p in {m}.parameters()])"]

COPIES = [
    "copy.deepcopy({a})", "copy.copy({a})", "pickle.loads(pickle.dumps({a}))", "copy.deepcopy([{a}, {a}, {b}])",
    "(lambda f: (torch.save([{a}, {b}], f), f.seek(0), torch.load(f))[2])(io.BytesIO())", "{a}.clone()",
    "torch.empty_like({a}).copy_({a})", "{a}.new_tensor({a}.tolist())", "torch.tensor({a}.tolist(), dtype={a}.dtype)",
    "torch.nn.Parameter({a})", "{a}.detach().numpy().tolist()", "torch.from_numpy({a}.detach().numpy())",
    "torch.from_numpy({a}.detach().numpy()[..., ::1].copy())", "torch.as_tensor({a}.detach().numpy())",
    "torch.from_dlpack({a}.detach())", "torch.asarray({a}, copy=True)", "{a}.cpu()", "{a}.to('cpu', copy=True)",
    "torch.frombuffer(bytearray(16), dtype={a}.dtype)", "{a}.untyped_storage().nbytes() // {a}.element_size()",
    "torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack({a}.detach()))"]

PYTHON = [
    "repr({a})", "str({a})", "'%s' % ({a},)", "f'{{{a}}}'", "float({a})", "int({a})", "complex({a})", "bool({a})", "len({a})",
    "list({a})", "{a}.tolist()", "round({a})", "divmod({a}, 2)", "{a}.__index__()", "2 in {a}", "sum(list({a}))", "max({a})",
    "reversed({a})", "{a}.numel(), {a}.nbytes, {a}.itemsize, {a}.ndim, {a}.shape", "tuple({a}.size())", "{a}.stride()",
    "{a}.is_contiguous(memory_format=torch.channels_last)", "{a}.type()", "{a}.dim_order()", "hash({a}) == id({a})",
    "{a}.is_same_size({b})", "{a}.is_set_to({b})", "torch.is_nonzero({a})", "torch.equal({a}, {b})",
    "torch.can_cast({a}.dtype, {b}.dtype)", "torch.promote_types({a}.dtype, {b}.dtype)", "torch.result_type({a}, {b})",
    "torch.broadcast_shapes({a}.shape, {b}.shape)", "torch.allclose({a}, {b})", "{a}.element_size()",
    "{a}.is_floating_point()", "[int(i) for i in {a}.shape]", "math.floor({a})", "math.ceil({a})", "math.trunc({a})",
    "{a}.__contains__(1)", "abs({a})", "{a}.item()", "format({a}, '.2f')", "torch.stack(list({a}))",
    "{a} if {a}.sum() > 0 else {b}", "[i for i, v in enumerate({a})]", "torch.finfo({a}.dtype).eps",
    "torch.iinfo({a}.dtype).max", "{a} is {b}", "{a}[{a}.argmax()]"]

IMAGES = [
    "{a}.contiguous(memory_format=torch.channels_last)", "{a}.to(memory_format=torch.channels_last)", "{a} * 2",
    "{a}.clone(memory_format=torch.contiguous_format)", "{a}.clone()", "torch.empty_like({a}).fill_(1)", "{a} + {b}",
    "{b} * {a}", "F.conv2d({a}, {w})", "F.conv2d({a}, {w}, padding=1, stride=2)", "F.max_pool2d({a}, 2)",
    "F.avg_pool2d({a}, 2, stride=1)", "F.adaptive_avg_pool2d({a}, 2)", "F.interpolate({a}, scale_factor=2)",
    "F.interpolate({a}, size=(3, 5), mode='bilinear')", "F.pad({a}, (1, 1, 0, 2))", "F.pad({a}, (1, 1, 0, 1), mode='reflect')",
    "F.batch_norm({a}, None, None, training=True)", "F.group_norm({a}, 1)", "F.instance_norm({a})", "{a}.flatten(1)",
    "{a}.permute(0, 2, 3, 1)", "{a}.mean((2, 3))", "{a}.sum(1, keepdim=True)", "torch.cat([{a}, {a}], 1)", "{a}[:, :1]",
    "F.relu({a})", "F.softmax({a}, 1)", "{a}.half()", "{a}.to(torch.float64)",
    "{a}.to(torch.float64, memory_format=torch.preserve_format)", "F.pixel_shuffle({a}, 1)", "torch.where({a} > 0, {a}, {b})",
    "{a}.expand(2, *{a}.shape)", "{a}.flip(2)", "{a}.roll(1, 3)", "F.dropout({a}, 0.0)", "{a}.view(torch.int32)",
    "{a}.reshape({a}.shape[0], -1)", "F.unfold({a}, 2)", "F.local_response_norm({a}, 2)",
    "F.conv_transpose2d({a}, {w}.transpose(0, 1))", "{a}.abs_()", "{a}.add_({b})", "{a}.cumsum(1)", "{a}.amax((1, 2))",
    "{a}.square()", "torch.stack([{a}, {b}])", "{a}.index_select(1, torch.tensor([0]))", "{a}.unbind(1)",
    "F.grid_sample({a}, torch.zeros({a}.shape[0], 2, 2, 2, dtype={a}.dtype), align_corners=False)", "{a}.sort(1).values",
    "{a}.narrow(1, 0, 1)", "F.prelu({a}, torch.tensor([0.25], dtype={a}.dtype))", "F.layer_norm({a}, {a}.shape[1:])",
    "torch.addcmul({a}, {a}, {b})", "torch.lerp({a}, {b}, 0.5)", "{a}.clamp(-1, 1)", "{a}.bool()", "{a} > 0",
    "{a}.norm(dim=1)"]

DOUBLE = [
    "sort({a}, {d})", "max({a}, {d})", "min({a}, {d})", "median({a}, {d})", "mode({a}, {d})", "kthvalue({a}, 1, {d})",
    "topk({a}, 1, {d})", "cummax({a}, {d})", "cummin({a}, {d})", "nanmedian({a}, {d})", "aminmax({a}, dim={d})", "frexp({a})",
    "linalg.qr({a})", "linalg.slogdet({a})", "std_mean({a})", "unique({a}, return_counts=True)", "histogram({a}, 3)",
    "var_mean({a}, {d})"]

INDEX = [
    "{a}.index_put_(({i},), {v}, accumulate=True)", "{a}.index_put(({i},), {v}, accumulate=True)",
    "torch.index_put({a}, [{i}], {v})", "{a}.index_put_(({i}, {i}), {v}, accumulate=True)", "{a}[{i}] += {v}",
    "{a}.put_({i}, {v}.reshape(-1)[:1].expand({i}.shape), accumulate=True)", "{a}.masked_scatter_({a} > 0, {v})",
    "{a}.scatter_add_(0, {i}.reshape(-1, *[1] * ({a}.dim() - 1)), {a}[:{i}.numel()])", "{a}.take({i})", "{a}[:, {i}] = {v}",
    "{a}[{i}, ..., 0] *= 2", "{a}.index_copy_(0, {i}, {a}[{i}].flip(0))", "{a}.scatter_(0, {i}.expand({a}.shape), 2)",
    "{a}.index_add_(0, {i}, {a}[{i}], alpha=2)", "{a}[{i}, None]", "{a}[None, {i}, {i}]",
    "{a}[{i} > 0] if {i}.shape == {a}.shape[:1] else {a}", "{a}.flip(0)[{i}]",
    "torch.take_along_dim({a}, {i}.reshape(-1, *[1] * ({a}.dim() - 1)), 0)", "{a}.expand(2, *{a}.shape)[:, {i}]",
    "{a}[..., {i}, :]", "{a}[({i}, slice(None), {i})]", "{a}[{i}.tolist()]", "{a}.index_fill_(0, {i}, {v}.reshape(-1)[0])",
    "{a}.index_reduce_(0, {i}, {a}[{i}], 'amax')"]

SETTINGS = [
    "torch.set_default_dtype(torch.float64)", "torch.set_default_dtype(torch.bfloat16)", "torch.manual_seed(3)",
    "torch.set_printoptions(precision=2)", "torch.set_printoptions(sci_mode=True)", "torch.set_grad_enabled(False)",
    "torch.set_default_dtype(torch.float16)", "torch.set_printoptions(threshold=4, edgeitems=1)"]

DRAWS = [
    "torch.randn({s})", "torch.rand({s}, dtype=torch.{d})", "torch.randint(-3, 9, {s})", "torch.randperm({n})",
    "torch.rand({s}, generator=torch.Generator().manual_seed(3))", "F.dropout({a}, 0.5)", "torch.bernoulli({a}.sigmoid())",
    "torch.multinomial(torch.rand({n} + 1), 2, replacement=True)", "torch.normal({a}, 1.0)", "{a}.detach().uniform_(-1, 2)",
    "torch.nn.init.xavier_uniform_(torch.empty({n}, 3))", "torch.distributions.Normal(0.0, 1.0).sample((2,))",
    "torch.nn.init.trunc_normal_(torch.empty({n}, 3))", "torch.nn.init.orthogonal_(torch.empty({n}, 3)).abs()",
    "torch.randn_like({a})", "{a}.detach().clone().random_(0, 5)", "torch.randn({s}, dtype=torch.{d})",
    "torch.distributions.Categorical(logits={a}).sample()", "{a}.detach().clone().exponential_()",
    "torch.nn.init.kaiming_normal_(torch.empty({n}, 3))", "torch.randint_like({a}, 5)", "F.rrelu({a}, training=True)"]

ARRAYS = [
    "{a} * np.float64(2)", "np.float32(2) * {a}", "{a} + np.int64(3)", "{a}.detach() + np.ones(3)", "np.sin({a}.detach())",
    "torch.tensor(np.arange(6.0).reshape(2, 3)[:, ::2])", "torch.from_numpy(np.arange(6).reshape(2, 3).T)",
    "torch.as_tensor(np.array([1, 2], dtype=np.int16))", "np.asarray({a}.detach()).dtype.name",
    "torch.tensor(np.float16(2.5))", "torch.tensor([np.float64(1), np.float32(2)])", "torch.from_numpy(np.arange(4.0)[::-1])",
    "{a} / np.float64(3)", "torch.tensor(np.array(True))", "{a} ** np.int8(2)", "torch.full([2], np.float64(3))",
    "np.array({a}.detach()).tolist()", "torch.arange(np.int32(4))", "{a}[np.int64(0)]", "{a}[np.array([0, 0])]",
    "torch.where({a} > np.float32(0), {a}, 1.0)", "torch.from_numpy(np.array([1 + 2j]))", "{a}.reshape(np.int64(-1))",
    "np.add({a}.detach(), 1)", "torch.tensor(np.uint16(3))"]

SCOPES = [
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 1, lambda t: t): {t} = {e}",
    "with torch.autograd.graph.save_on_cpu(): {t} = {e}", "with torch.set_grad_enabled(False): {t} = {e}",
    "with torch.autograd.detect_anomaly(check_nan=False): {t} = {e}", "with torch.random.fork_rng(): {t} = {e}",
    "with torch.autocast('cpu'), torch.no_grad(): {t} = {e}", "with torch.device('meta'): {t} = torch.ones(2).shape",
    "with torch.autograd.graph.allow_mutation_on_saved_tensors(): {t} = {e}",
    "{t} = torch.utils.checkpoint.checkpoint(lambda: {e}, use_reentrant=False)"]

TRANSFORMS = {  # of a function of some tensors: what is given, and for how many of them
    "vmap": "torch.vmap(lambda {p}: {f}, in_dims={dims}{more})({stacked})",
    "jvp": "torch.func.jvp(lambda {p}: {f}, ({given},), ({along},))",
    "vjp": "(lambda r: r[1](torch.ones_like(r[0])))(torch.func.vjp(lambda {p}: {f}, {given}))",
    "grad": "torch.func.grad(lambda {p}: ({f}).sum())({given})",
    "per": "torch.vmap(torch.func.grad(lambda {p}: ({f}).sum()), in_dims={dims})({stacked})",
    "jacrev": "torch.func.jacrev(lambda {p}: {f})({given})",
    "jacfwd": "torch.func.jacfwd(lambda {p}: {f})({given})",
    "double": "torch.vmap(torch.vmap(lambda {p}: {f}, in_dims={dims}), in_dims={dims})({twice})",
    "forward": "torch.vmap(lambda {p}: torch.func.jvp(lambda {p}: {f}, ({p},), ({along},)), in_dims={dims})({stacked})",
}


class Expression(Exception):
    """A call that was written and not run."""


class Writer(write.Writer):
    modules, quoted = 0, False

    def fit(self, test, make):
        """A tensor that passes a test, or a new one."""
        names = [n for n in self.names if execute.asked(self.value(n), test) is True]
        return self.random.choice(names) if names and self.chance(0.7) else make()

    def statement(self, expression, keep=0.15):
        """Under autocast now and then; kept back where an expression alone is wanted."""
        if self.quoted:
            raise Expression(expression)
        if self.chance(0.12):
            scope = self.pick(["autocast('cpu')", "autocast('cpu', torch.float16)", "autocast('cpu', torch.bfloat16)",
                               "autocast('cpu', enabled=False)", "no_grad()", "inference_mode()"])
            return self.attempt(f"with torch.{scope}: {self.name()} = {expression}", keep)
        self.attempt(f"{self.name()} = {expression}", keep)

    def expression(self):
        """One call of an operator, not run."""
        self.quoted = True
        try:
            self.pick([self.call, self.call, self.product, self.loss, self.operator, self.get])()
        except Expression as e:
            return str(e)
        finally:
            self.quoted = False
        raise Dropped

    def transformed(self):
        f = self.expression()
        names = list(dict.fromkeys(mentioned(f)))
        if not names or "out=" in f or re.search(r"t\d+\[\d+\]", " ".join(n for n in self.names if n.split("[")[0] in names)):
            raise Dropped
        kind = self.random.choices(list(TRANSFORMS), [8, 3, 2, 2, 3, 1, 1, 2, 2])[0]
        if kind in ("jvp", "vjp", "grad", "per", "jacrev", "jacfwd", "forward"):
            floats = [n for n in names if self.value(n).is_floating_point() or self.value(n).is_complex()]
            if not floats:
                raise Dropped
            names = floats[:1] if kind != "jvp" else floats
        dims, stacked, twice = [], [], []
        for n in names:
            d = self.random.randint(0, self.value(n).dim()) - (1 if self.chance(0.3) else 0)
            if self.chance(0.25) and len(names) > 1 and any(x is not None for x in dims):
                d = None
            dims.append(d)
            one = n if d is None else f"torch.stack([{n}, torch.roll({n}, 1)], {d})"
            stacked.append(one)
            twice.append(one if d is None else f"torch.stack([{one}, {one}], {d})")
        more = self.pick(["", "", "", ", out_dims=-1", ", chunk_size=1", ", randomness='different'", ", randomness='same'"])
        self.attempt(f"{self.name()} = " + TRANSFORMS[kind].format(
            p=", ".join(names), f=f, dims=tuple(dims) if len(dims) > 1 else dims[0], more=more, stacked=", ".join(stacked),
            twice=", ".join(twice), given=", ".join(names), along=", ".join(f"torch.ones_like({n})" for n in names)), 0.15)

    def lists(self):
        """A list operator, by its schema."""
        if not LISTS:
            core = self.module._karat.functions
            LISTS.extend((n, [write.parse(s) for s in core[n].schemas]) for n in sorted(core)
                         if n.startswith("_foreach_") and hasattr(self.module, n))
        name, schemas = self.pick(LISTS)
        count, texts, keywords, shapes = self.random.randint(1, 3), [], [], None
        for kind, optional, parameter, has_default, only in self.pick(schemas):
            if parameter == "non_blocking" or has_default and self.chance(0.6):
                continue
            if kind == "Tensor[]":
                if shapes is None:
                    some = [self.some() for _ in range(count)]
                    shapes = [(list(self.value(n).shape), str(self.value(n).dtype).split(".")[-1]) for n in some]
                else:
                    some = [self.fresh(s, d if self.chance(0.85) else None) if self.chance(0.8) else self.some()
                            for s, d in shapes]
                text = f"[{', '.join(some)}]"
            elif kind == "Scalar[]":
                text = f"[{', '.join(self.scalar() for _ in range(count if self.chance(0.95) else 2))}]"
            elif kind == "ScalarType":
                text = f"torch.{self.pick(FLOATS)}"
            elif kind == "Tensor":
                text = self.fresh([] if self.chance(0.7) else [count], self.pick(FLOATS), False)
            else:
                text = self.scalar()
            (keywords if only else texts).append(f"{parameter}={text}" if only else text)
        call = f"torch.{name}({', '.join(texts + keywords)})"
        self.attempt(call if name.endswith("_") else f"{self.name()} = {call}", 0.2)

    def spectrum(self):
        a = self.some(lambda t: t.dim() > 0)
        ndim = self.value(a).dim()
        name, more = self.pick(SPECTRA), []
        if "shift" in name:
            more = [f"dim={self.dim(ndim)}"] if self.chance(0.5) else []
        elif name[-1] in "2n":
            dims = self.random.sample(range(-ndim, 0), min(ndim, 2))
            more = [f"dim={tuple(dims)}"] if name[-1] == "n" or self.chance(0.3) else []
            more += [f"s={[self.random.randint(1, 6) for _ in dims]}"] if self.chance(0.4) else []
        else:
            more = [f"n={self.random.choice([1, 2, 3, 4, 5, 6, 7, 8, 0, 11])}"] if self.chance(0.5) else []
            more += [f"dim={self.dim(ndim)}"] if self.chance(0.6) else []
        if "shift" not in name and self.chance(0.4):
            more.append(f"norm={self.pick(['ortho', 'forward', 'backward', 'x'])!r}")
        if "shift" not in name and self.chance(0.06):
            more.append(f"out=torch.empty(0, dtype=torch.{self.pick(COMPLEX[1:] + FLOATS[2:])})")
        self.statement(f"torch.fft.{name}({', '.join([a] + more)})", 0.2)

    def index(self):
        a = self.some(lambda t: t.dim() > 0)
        shape = list(self.value(a).shape)
        if not shape:
            raise Dropped
        own = str(self.value(a).dtype).split(".")[-1]
        i = self.ints([self.random.randint(0, 3)] if self.chance(0.8) else [2, 2], min(shape))
        template = self.pick(INDEX)
        v = self.fresh([] if self.chance(0.5) else shape[1:], own if self.chance(0.8) else None) if "{v}" in template else ""
        text = template.format(a=a, i=i, v=v)
        made = not re.search(r"\w_\(|\] [-+*]?= ", text) or self.chance(0.3) and " = " not in text and "= " not in text
        self.attempt(f"{self.name()} = {text}" if made else text, 0.25)

    def module_(self):
        kind = self.pick(sorted(MODULES))
        if self.modules and self.chance(0.6):
            m = f"m{self.random.randint(1, self.modules)}"
            if self.chance(0.5):
                return self.attempt(self.pick(STATES).format(m=m), 0.1)
            return self.statement(self.pick(READS).format(m=m), 0.1)
        m = f"m{self.modules + 1}"
        self.attempt(f"{m} = torch.nn.{kind}", 0)
        self.modules += 1
        dtype, sizes = self.pick(["float32"] * 4 + FLOATS), MODULES[kind]
        batch = self.random.randint(1, 3)
        if sizes == "index":
            given = self.ints([batch], 5)
        elif sizes in ("two", "three"):
            given = ", ".join(self.fresh([batch, 3 if sizes == "two" else 4], dtype) for _ in range(2 if sizes == "two" else 3))
        else:
            given = self.fresh([batch if c == "N" else int(c) for c in sizes], dtype)
        self.statement(f"{m}({given})", 0.2)
        if self.chance(0.5):
            self.attempt(self.pick(STATES).format(m=m), 0.1)
            self.statement(f"{m}({given})", 0.2)

    def copied(self):
        self.statement(self.pick(COPIES).format(a=self.some(), b=self.some()), 0.1)

    def python(self):
        self.attempt(f"s{self.count} = " + self.pick(PYTHON).format(a=self.some(), b=self.some()), 0.2)

    def image(self):
        def make():
            name = self.fresh([self.random.randint(1, 2), 2, self.random.randint(2, 4), 3], self.pick(FLOATS))
            if self.chance(0.6):
                self.attempt(f"{name} = {name}.detach().to(memory_format=torch.channels_last).requires_grad_()", 0)
            return name
        a = self.fit(lambda t: t.dim() == 4, make)
        value = self.value(a)
        own = str(value.dtype).split(".")[-1]
        text = self.pick(IMAGES)
        b = self.fit(lambda t: t.shape == value.shape, lambda: self.like(a)) if "{b}" in text else ""
        w = self.fresh([2, value.shape[1], 2, 2], own) if "{w}" in text else ""
        self.statement(text.format(a=a, b=b, w=w), 0.15)

    def setting(self):
        self.attempt(self.pick(SETTINGS), 0)

    def drawn(self):
        d = self.pick(FLOATS + COMPLEX[1:])
        self.statement(self.pick(DRAWS).format(a=self.some(), s=self.shape(2), n=self.random.randint(1, 5), d=d), 0.1)

    def array(self):
        self.attempt(f"{self.name()} = " + self.pick(ARRAYS).format(a=self.some()), 0.2)

    def scoped(self):
        e = self.expression()
        self.attempt(self.pick(SCOPES).format(t=self.name(), e=e), 0.1)

    def outs(self):
        a = self.some()
        text = self.pick(DOUBLE).format(a=a, d=self.dim(self.value(a).dim()))
        if self.chance(0.4):
            return self.statement(f"torch.{text}", 0.2)
        own = str(self.value(a).dtype).split(".")[-1]
        made = []
        for dtype in (own, "int64"):
            dtype = dtype if self.chance(0.85) else self.dtype()
            made.append(self.some() if self.chance(0.15) else f"torch.empty(0, dtype=torch.{dtype})")
        self.statement(f"torch.{text[:-1]}, out=({', '.join(made)}))", 0.2)


KINDS = [(Writer.transformed, 30), (Writer.lists, 12), (Writer.spectrum, 10), (Writer.index, 14), (Writer.module_, 14),
         (Writer.copied, 7), (Writer.python, 8), (Writer.image, 14), (Writer.outs, 6), (Writer.view, 10), (Writer.call, 10),
         (Writer.operator, 4), (Writer.backward, 6), (Writer.grad, 2), (Writer.inplace, 4), (Writer.setting, 3),
         (Writer.drawn, 6), (Writer.array, 6), (Writer.scoped, 6)]


def program(module, seed, index):
    w = Writer(module, f"{seed}/wide", index)
    execute.reset(module)

    def begin():
        for _ in range(w.random.randint(1, 2)):
            w.fresh(None, w.pick(["float32", "float64", None]))

    lines = write.composed(w, begin, KINDS, w.random.randint(3, 8), 0.6)
    execute.reset(module)
    return lines
