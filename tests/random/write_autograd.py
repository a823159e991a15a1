"""write_autograd.py - writes random programs about derivatives: histories, views and writes through them, hooks, detached and
moved tensors, custom Functions, autocast, checkpoints, optimizers, torch.func's transforms of functions that write.

In: the module, a seed and a number, as write.py, whose writer this one is built on. Out: a list of statements. Few operators, few
dtypes and small tensors: what is looked for lies between the statements.
"""

import re

import write
from write import Dropped

FUNCTIONS = {
    "Tripled": """class Tripled(torch.autograd.Function):
    generate_vmap_rule = True
    @staticmethod
    def forward(x):
        return x * 3
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
    @staticmethod
    def backward(ctx, g):
        return g * 3 + ctx.saved_tensors[0] * 0
    @staticmethod
    def jvp(ctx, g):
        return g * 3""",
    "TripledInPlace": """class TripledInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)
    @staticmethod
    def backward(ctx, g):
        return g * 3""",
    "ExpInPlace": """class ExpInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]""",
    "ProductAndSum": """class ProductAndSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y, x + y
    @staticmethod
    def backward(ctx, g, h):
        x, y = ctx.saved_tensors
        return (g * y + h).sum_to_size(x.shape), (g * x + h).sum_to_size(y.shape)""",
    "Same": """class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2""",
    "First": """class First(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x[..., :1]
    @staticmethod
    def backward(ctx, g):
        return g.expand(ctx.shape) * 1""",
    "AddedInto": """class AddedInto(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x, y * 2
    @staticmethod
    def backward(ctx, g, h):
        return g, g + 2 * h""",
    "OnlyOne": """class OnlyOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        y, z = x * 2, x > 0
        ctx.mark_non_differentiable(z)
        return y, z
    @staticmethod
    def backward(ctx, g, h):
        return None if g is None else g * 2""",
}
CALLS = ["Tripled.apply({a})", "Tripled.apply({a})", "TripledInPlace.apply({a})", "TripledInPlace.apply({a}[0])",
         "TripledInPlace.apply({a}.view(-1))", "ExpInPlace.apply({a})", "ExpInPlace.apply({a}[..., :1])", "Same.apply({a})",
         "ProductAndSum.apply({a}, {b})", "ProductAndSum.apply({a}, {b})[1]", "First.apply({a})", "AddedInto.apply({a}, {b})",
         "AddedInto.apply({a}, {b})[1]", "OnlyOne.apply({a})", "OnlyOne.apply({a})[0]"]

VIEWS = ["{a}[0]", "{a}[..., 1:]", "{a}[::2]", "{a}[:]", "{a}[None]", "{a}.t()", "{a}.view(-1)", "{a}.view_as({a})",
         "{a}.transpose(0, -1)", "{a}.unsqueeze(-1)", "{a}.squeeze()", "{a}.expand(2, *{a}.shape)", "{a}.flatten()",
         "{a}.reshape(-1)", "{a}.diagonal()", "{a}.narrow(0, 0, 1)", "{a}.select(-1, 0)", "{a}.unbind()", "{a}.unbind()[0]",
         "{a}.split(1)", "{a}.split(1)[-1]", "{a}.chunk(2)[0]", "{a}.unsafe_chunk(2)[0]", "{a}.tensor_split(2)[0]",
         "{a}.detach()", "{a}.data", "{a}.as_strided((2,), (1,))", "{a}.movedim(0, -1)", "{a}.swapaxes(0, -1)",
         "{a}.unfold(0, 2, 1)", "{a}.real", "{a}.conj()", "{a}.mT", "torch.view_as_real({a})", "{a}.imag"]

WRITES = ["{a}.mul_({c})", "{a}.mul_({b})", "{a}.mul_({a})", "{a}.add_({b})", "{a}.add_({a})", "{a}.sub_({b}, alpha=2)",
          "{a}.div_(2)", "{a}.pow_(2)", "{a}.sin_()", "{a}.exp_()", "{a}.tanh_()", "{a}.sigmoid_()", "{a}.neg_()", "{a}.relu_()",
          "{a}.zero_()", "{a}.fill_({c})", "{a}.copy_({b})", "{a}.copy_({b})", "{a}.clamp_(-1, 1)", "{a}.lerp_({b}, 0.5)",
          "{a}.addcmul_({b}, {b})", "{a}.masked_fill_({a} > 0, {c})", "{a}.index_fill_(0, torch.tensor([0]), {c})",
          "{a}.index_add_(0, torch.tensor([0]), {b}[:1])", "{a}[0] = {c}", "{a}[..., 0] = {c}", "{a}[0] = {b}[0]",
          "{a}[{a} > 0] = {c}", "{a}[:] = {b}", "{a} += {b}", "{a} *= {c}", "{a} -= {a}", "{a}.unsqueeze_(0)", "{a}.squeeze_()",
          "{a}.t_()", "{a}.transpose_(0, -1)", "{a}.as_strided_((2,), (1,))", "torch.mul({a}, 2, out={b})",
          "torch._foreach_mul_([{a}], 2.0)", "torch._foreach_add_([{a}, {b}], 1.0)", "F.relu({a}, inplace=True)"]

STATES = ["{a}.detach_()", "{a}.requires_grad_()", "{a}.requires_grad_()", "{a}.requires_grad_(False)",
          "{a}.requires_grad = True", "{a}.data.mul_({c})", "{a}.detach().mul_({c})", "{a}.data = {b}.detach().clone()",
          "{a}.data = {b}.data", "with torch.no_grad(): {a}.set_({b}.detach().clone())", "{a}.retain_grad()", "{a}.grad = None",
          "{a}.grad = torch.ones_like({a})", "with torch.no_grad(): {a}.resize_(1)",
          "with torch.no_grad(): {a}.resize_(12).fill_(0.5)", "{a}.grad.zero_()", "{a}.grad.detach_()",
          "with torch.no_grad(): {a}.sub_({a}.grad, alpha=0.1)"]

MAKES = ["{a} * {b}", "{a} * {b}", "{a} + {c}", "{a} - {b}", "{a} * 1", "{a} ** 2", "{a} / ({b} * {b} + 1)", "{a}.sin()",
         "{a}.exp()", "{a}.tanh()", "{a}.clone()", "{a}.contiguous()", "{a} @ {b}", "{a}.sum(0)", "{a}.sum()", "{a}.mean()",
         "{a}.max()", "{a}.amax(0)", "{a}.cumsum(0)", "{a}.prod(0)", "{a}.softmax(0)", "{a}.flip(0)", "{a}.sort(0)[0]",
         "{a}.norm()", "torch.cat([{a}, {b}])", "torch.stack([{a}, {b}])", "torch.where({a} > 0, {a}, {b})",
         "{a}.clone().detach().requires_grad_()", "torch.zeros_like({a})", "{a}.new_zeros({a}.shape)", "{a}.index_select(0, "
         "torch.tensor([0, 0]))", "{a}.gather(0, torch.zeros_like({a}, dtype=torch.int64))", "{a}.abs()", "{a}.to(torch.float32)",
         "{a}.double()", "torch.einsum('...i,...i->...', {a}, {b})", "F.mse_loss({a}, {b})", "F.gelu({a})"]

HOOKS = ["{w}.register_hook(lambda g: log.append(({n}, g)))", "{w}.register_hook(lambda g: g * 2)", "{w}.retain_grad()",
         "{w}.register_hook(lambda g: None)", "{w}.grad_fn.register_prehook(lambda gs: log.append(({n}, gs[0])))",
         "{w}.grad_fn.register_prehook(lambda gs: (gs[0] * 2,))",
         "{w}.grad_fn.register_hook(lambda i, o: log.append(({n}, i[0], o[0])))",
         "{w}.register_post_accumulate_grad_hook(lambda t: log.append(({n}, t.grad.clone())))",
         "{w}.register_hook(lambda g: g.mul_(2))", "k{n} = {w}.register_hook(lambda g: g * 3); k{n}.remove()"]

ENDS = ["{w}.sum().backward({o})", "{w}.backward(torch.ones_like({w}){p})", "({w} * {w}).sum().backward({o})",
        "t{n} = torch.autograd.grad({w}.sum(), [{v}], allow_unused=True{p})",
        "t{n} = torch.autograd.grad([{w}, {v}], [{v}, {w}], [torch.ones_like({w}), torch.ones_like({v})], allow_unused=True{p})",
        "t{n} = torch.autograd.grad({w}.sum(), [{v}], create_graph=True, allow_unused=True)",
        "t{n} = torch.autograd.grad({w}.sum(), [{v}], is_grads_batched=False, materialize_grads=True{p})",
        "torch.autograd.backward([{w}, {v}, {w}], [torch.ones_like({w}), torch.ones_like({v}), torch.ones_like({w})]{p})",
        "{w}.sum().backward(inputs=[{v}]{p})", "torch.autograd.backward([{w}.sum(), {v}.sum()], inputs=[{w}, {v}]{p})"]

TRANSFORMS = ["torch.func.grad({f})({x})", "torch.func.grad(lambda x: {f}(x).sum())({x})", "torch.func.grad_and_value({f})({x})",
              "torch.func.vjp({f}, {x})[0]", "(lambda r: r[1](torch.ones_like(r[0])))(torch.func.vjp({f}, {x}))",
              "torch.func.jacrev({f})({x})", "torch.func.jacfwd({f})({x})", "torch.func.jvp({f}, ({x},), ({y},))",
              "torch.func.linearize({f}, {x})[1]({y})", "torch.func.vmap({f})({x})", "torch.func.vmap({f}, in_dims=-1)({x})",
              "torch.func.vmap(torch.func.grad(lambda x: {f}(x).sum()))({x})",
              "torch.func.grad(lambda x: torch.func.vmap({f})(x).sum())({x})", "torch.func.hessian(lambda x: {f}(x).sum())({x})",
              "torch.func.grad(lambda x: torch.func.grad(lambda y: {f}(y).sum())(x).sum())({x})",
              "torch.autograd.functional.jacobian({f}, {x})", "torch.autograd.functional.vjp({f}, {x}, {f}({x}))",
              "torch.utils.checkpoint.checkpoint({f}, {x}, use_reentrant=False)",
              "torch.utils.checkpoint.checkpoint({f}, {x}, use_reentrant=True)"]

OPTIMIZERS = ["SGD([{l}], lr=0.1)", "SGD([{l}], lr=0.1, momentum=0.9)", "SGD([{l}], lr=0.5, weight_decay=0.1, nesterov=True, "
              "momentum=0.5)", "Adam([{l}], lr=0.1)", "AdamW([{l}], lr=0.1, amsgrad=True)", "RMSprop([{l}], lr=0.1)",
              "Adagrad([{l}], lr=0.1)", "Adadelta([{l}])", "Rprop([{l}], lr=0.1)", "NAdam([{l}])", "Adamax([{l}])"]


class Writer(write.Writer):
    def dtype(self):
        return self.random.choices(["float64", "float32", "complex128"], [12, 5, 1])[0]

    def shape(self, most=3):
        return [self.random.randint(1, 3) for _ in range(self.random.choices(range(most + 1), [1, 3, 6, 1][:most + 1])[0])]

    def real(self):
        return self.random.choice(["1.0", "-2.0", "3.0", "0.5", "1.5", "-0.5", "2.0", "0.25", "-1.25", "0.75"])

    def scalar(self):
        return self.random.choice(["2.0", "0.5", "-1.0", "3"])

    def recent(self):
        """Mostly one of the last tensors."""
        return self.pick(self.names[-4:] if self.chance(0.7) else self.names)

    def partner(self, a):
        """Often a tensor that fits."""
        return self.like(a) if self.chance(0.5) else self.pick(self.names)

    def filled(self, templates):
        a = self.recent()
        template = self.pick(templates)
        return template.format(a=a, b=self.partner(a) if "{b}" in template else "", c=self.scalar())

    def scoped(self, line):
        """A statement where nothing is recorded, or under autocast, now and then."""
        if line.startswith("with ") or not self.chance(0.08):
            return line
        scope = self.pick(["no_grad()", "no_grad()", "inference_mode()", "enable_grad()", "autocast('cpu')",
                           "autocast('cpu', torch.float16)"])
        return f"with torch.{scope}: {line}"

    def made(self, expression, keep=0.15):
        self.attempt(self.scoped(f"{self.name()} = {expression}"), keep)

    # Kinds of statements.

    def view(self):
        self.made(self.filled(VIEWS))

    def make(self):
        self.made(self.filled(MAKES))

    def put(self):
        self.attempt(self.scoped(self.filled(WRITES)), 0.3)

    def state(self):
        self.attempt(self.filled(STATES), 0.3)

    def define(self, text):
        """A class or a function of the program, once; pruned again if nothing comes to use it."""
        if text not in self.lines:
            self.attempt(text, 0)

    def function(self):
        call = self.filled(CALLS)
        self.define(FUNCTIONS[call.partition(".")[0]])
        self.made(call, 0.3)

    def wanting(self):
        wants = [n for n in self.names if write.execute.asked(self.value(n), lambda t: t.requires_grad) is True]
        return self.pick(wants)

    def hook(self):
        self.hooks += 1
        self.attempt(self.pick(HOOKS).format(w=self.wanting(), n=self.hooks), 0.2)

    def backward(self):
        again = self.pick(["retain_graph=True", "retain_graph=True", "", "create_graph=True"])
        end = self.pick(ENDS)
        self.count += "t{n}" in end
        others = [n for n in self.names if write.execute.asked(self.value(n), lambda t: t.requires_grad) is True]
        line = end.format(w=self.pick(others), v=self.pick(others), o=again, p=again and ", " + again, n=self.count)
        self.attempt(line, 0.4)

    def body(self):
        """The lines of a function of x that makes, views and writes."""
        names, lines = ["x"], ["x = x.clone()"] if self.chance(0.4) else []
        for _ in range(self.random.randint(1, 4)):
            a = self.pick(names[-3:])
            b = self.pick(names) if self.chance(0.7) else self.pick(self.names)
            kind = self.random.random()
            template = self.pick(WRITES if kind < 0.4 else VIEWS if kind < 0.65 else MAKES)
            text = template.format(a=a, b=b, c=self.scalar())
            if kind >= 0.4:
                names.append(f"u{len(names)}")
                text = f"{names[-1]} = {text}"
            lines.append(text)
        last = names[-1]
        return lines + ["return " + self.pick([last, f"{last}.sum()", f"({last} * {last}).sum()", f"{last} * 1", "x * 1", "x"])]

    def transform(self):
        lines = self.body()
        self.hooks += 1
        f = f"f{self.hooks}"
        self.define(f"def {f}(x):\n    " + "\n    ".join(lines))
        x = self.recent()
        template = self.pick(TRANSFORMS)
        given = self.pick([x, f"{x}.detach()", f"{x}.detach().clone()"])
        self.made(template.format(f=f, x=given, y=f"torch.ones_like({x})"), 0.2)

    def optimizer(self):
        """One step or several of an optimizer of some leaves."""
        leaves = [n for n in self.names if write.execute.asked(self.value(n), lambda t: t.is_leaf and t.requires_grad) is True]
        some = self.random.sample(leaves, min(len(leaves), 2))
        if not some:
            raise Dropped
        self.hooks += 1
        o = f"o{self.hooks}"
        self.attempt(f"{o} = torch.optim." + self.pick(OPTIMIZERS).format(l=", ".join(some)), 0.1)
        for _ in range(self.random.randint(1, 2)):
            self.attempt(f"({some[0]} * {some[-1]}).sum().backward()", 0.2)
            self.attempt(f"{o}.step()", 0.2)
            if self.chance(0.5):
                self.attempt(f"{o}.zero_grad({self.pick(['', 'set_to_none=False'])})", 0.2)


KINDS = [(Writer.view, 20), (Writer.put, 24), (Writer.make, 14), (Writer.state, 8), (Writer.function, 10), (Writer.hook, 9),
         (Writer.backward, 9), (Writer.transform, 7), (Writer.optimizer, 3)]


def program(module, seed, index):
    w = Writer(module, f"{seed}/autograd", index)

    def begin():
        w.fresh(gradient=True)
        w.fresh(gradient=w.chance(0.4))
        w.made(f"{w.names[0]} * 1")

    return write.composed(w, begin, KINDS, w.random.randint(4, 14), 0.9)
