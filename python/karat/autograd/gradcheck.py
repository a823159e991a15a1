"""karat.autograd.gradcheck: gradcheck and gradgradcheck, which hold a function's gradients against differences of its values.

In: a Python function of tensors and its inputs. Out: True, or a GradcheckError that says in PyTorch's words what differs.

Both Jacobians are matrices [elements of the input, elements of the result]. Of a complex result the real and the imaginary part
are functions of their own; the derivative of a real s by a complex z = x + iy is ds/dx + i ds/dy, which is what backward returns.
fast_mode compares the two numbers v J u instead, of random u and v: one pair of calls an input instead of one an element.
check_forward_ad compares what moves when one input does, with its slopes along the real and the imaginary axis. The checks of
batches run backward, or forward mode, for two directions at once (vmap), and compare with one at a time.

It is Python because the time goes into the calls of the user's function, which is Python. What is done beside them is a write of
one element before a call and a copy of its results after it; all differences of an input are taken at once (_slopes).
"""

from itertools import product

from .. import _karat, _missing
from .._karat import Tensor
from . import forward_ad as _forward
from .function import Function

_call = _karat.functions
_DOUBLE = (_karat.dtypes["float64"], _karat.dtypes["complex128"])
_PARTS = {"imag": "imaginary", "real": "real"}  # in the order in which they are checked
_BATCHED = "The backward pass was run by vmap (check_batched_grad=True): it has to be made of operations that vmap can run."
_BATCHED_FORWARD = ("Forward mode was run by vmap (check_batched_forward_grad=True): tangents have to be made of operations that "
                    "vmap can run.")


class GradcheckError(RuntimeError):
    """A check that failed: what gradcheck raises, or answers with False."""


def _tuple(given):
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def _is_checked(given):
    return isinstance(given, Tensor) and given.requires_grad and (given.is_floating_point() or given.is_complex())


def _checked(inputs):
    """The inputs that have a gradient."""
    for i, x in enumerate(inputs):
        if not _is_checked(x):
            continue
        if x.dtype not in _DOUBLE:
            from warnings import warn

            warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will likely "
                 "fail if all the inputs are not of double precision floating point or complex. ", UserWarning, 4)
        if any(stride == 0 and size > 1 for stride, size in zip(x.stride(), x.shape)):
            raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                               "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                               ".contiguous on the input before passing it to gradcheck.")
    found = tuple(x for x in inputs if _is_checked(x))
    if not found:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                         "requires_grad=True.")
    return found


def _both_sides(evaluate, write, was, step):
    """What the function returns with `step` added to its input and with `step` taken away."""
    try:
        write(was + step)
        after = evaluate()
        write(was - step)
        return after, evaluate()
    finally:
        write(was)


def _pairs(evaluate, x, step, along):
    """The two sides for each element of x, or once with all of x moved along a direction. x is written in place and behind its
    version's back: the function may know it from elsewhere than its arguments."""
    place = x.data
    if along is not None:
        return [_alike(_both_sides(evaluate, place.copy_, place.clone(), along * step), step)]
    spots = {index: place[index] for index in product(*map(range, x.shape))}
    return [_alike(_both_sides(evaluate, spot.fill_, spot.item(), step), step, f" on index {index}")
            for index, spot in spots.items()]


def _alike(sides, step, where=""):
    """The two sides, whose results have to be of the same sizes and dtypes."""
    for after, before in zip(*sides):
        for what in ("shape", "dtype"):
            if getattr(after, what) != getattr(before, what):
                raise AssertionError(f"Expected `func` to return outputs with the same {what} when inputs are perturbed{where} "
                                     f"by {step}, but got: {what}s {getattr(before, what)} and {getattr(after, what)}.")
    return sides


def _slopes(pairs, which, like, eps):
    """[pairs, elements of the result]: the slopes of one result."""
    if not pairs:
        return _call["zeros"]((0, like.numel()), dtype=like.dtype, device=like.device)
    after, before = (_call["stack"]([sides[at][which] for sides in pairs]) for at in (0, 1))
    return ((after - before) / (2 * eps)).reshape(len(pairs), like.numel())


def _numerical(function, x, outputs, eps, along=None):
    """For each result its slopes along the real axis and, of a complex x, the imaginary one."""
    def evaluate():
        return [out.detach().clone() for out in function()]

    axes = [_pairs(evaluate, x, step, along) for step in ((eps, eps * 1j) if x.is_complex() else (eps,))]
    return [[_slopes(pairs, k, out, eps) for pairs in axes] for k, out in enumerate(outputs)]


def _of_part(axes, part):
    """The Jacobian of a real result, or of the part of a complex one."""
    slopes = [getattr(one, part) if part else one for one in axes]
    return _call["complex"](*slopes) if len(slopes) == 2 else slopes[0]


def _gradients(out, inputs, seeds):
    """For each input the gradients of `out` for each seed, one a row."""
    rows = [_karat.gradients((out,), inputs, (seed,), True, False, True) for seed in seeds]
    if not rows:
        return [_call["zeros"]((0, x.numel()), dtype=x.dtype, device=x.device) for x in inputs]
    return [_call["stack"]([_call["zeros_like"](x) if row[j] is None else row[j] for row in rows]).reshape(len(rows), x.numel())
            for j, x in enumerate(inputs)]


def _one_hot(out):
    return _call["eye"](out.numel(), dtype=out.dtype, device=out.device).reshape(out.numel(), *out.shape).unbind()


def _drawn(like, generator):
    """A random vector of length 1 and the tensor's sizes; its elements are positive, so that nothing cancels."""
    drawn = _call["rand"](like.shape, dtype=_DOUBLE[0], generator=generator, device="cpu").add_(0.1)
    return drawn.div_(drawn.norm()).to(device=like.device, dtype=like.real.dtype if like.is_complex() else like.dtype)


class _Undefined(Function):
    """The same tensors, with no gradient at all."""

    @staticmethod
    def forward(ctx, *outputs):
        return tuple(out.clone() for out in outputs)

    @staticmethod
    def backward(ctx, *grads):
        return (None,) * len(grads)


class _Check:
    """One gradcheck: the function, its point, what is compared with what tolerance."""

    def __init__(self, function, inputs, eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, fast_mode,
                 forward, backward, batched, batched_forward):
        self.inputs, self.checked = inputs, _checked(inputs)
        self.eps, self.atol, self.rtol, self.nondet_tol = eps, atol, rtol, nondet_tol
        self.check_undefined_grad, self.check_grad_dtypes, self.fast = check_undefined_grad, check_grad_dtypes, fast_mode
        self.function, self.forward, self.backward = function, forward, backward
        self.batched, self.batched_forward = batched, batched_forward
        results = _tuple(function(*inputs))
        self.kept = [i for i, out in enumerate(results) if out.requires_grad]
        self.constant = not self.kept
        if self.constant:
            self.kept = [i for i, out in enumerate(results) if out.is_floating_point() or out.is_complex()]
        self.outputs = [results[i] for i in self.kept]

    def evaluated(self):
        results = _tuple(self.function(*self.inputs))
        return [results[i] for i in self.kept]

    def run(self):
        generator = _karat.Generator()
        generator.manual_seed(0)
        self.u = [_drawn(x, generator) if self.fast else None for x in self.checked]
        self.v = [_drawn(out, generator) if self.fast else None for out in self.outputs]
        self.slopes = [_numerical(self.evaluated, x, self.outputs, self.eps, u) for x, u in zip(self.checked, self.u)]
        if self.constant:
            for slopes in (one for axes in self.slopes for of_out in axes for one in of_out):
                if slopes.numel() and not slopes.abs().max().item() < self.eps:
                    raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        for part in _PARTS if self.backward else ():
            for k, out in enumerate(self.outputs):
                if out.is_complex():
                    self.compare(k, part)
                elif part == "imag":
                    self.compare(k, None)
        if self.forward:
            for j in range(len(self.checked)):
                self.compare_ahead(j)
        if self.batched_forward:
            for j in range(len(self.checked)):
                self.compare_batched_forward(j)
        if not self.backward:
            return
        if self.batched:
            for k in range(len(self.outputs)):
                self.compare_batched(k)
        self.zero_gives_zero()
        if self.check_undefined_grad:
            self.undefined_gives_zero()

    def compare(self, k, part):
        """The gradients of one result, or of a part of it, with the slopes."""
        out = getattr(self.outputs[k], part) if part else self.outputs[k]
        seeds = (self.v[k],) if self.fast else _one_hot(out)
        said, again = (_gradients(out, self.checked, seeds) for _ in range(2))
        for a, b, x in zip(said, again, self.checked):
            if not a.equal(b) and (a - b).abs().max().item() > self.nondet_tol:
                raise GradcheckError("Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                                     "times gives different values, although analytical gradient matches numerical gradient."
                                     f"The tolerance for nondeterminism was {self.nondet_tol}.\n\nAn operation that is meant to "
                                     "be nondeterministic is checked with nondet_tol=<tolerance>.")
            if self.check_grad_dtypes and a.dtype != x.dtype:
                raise GradcheckError("Analytical gradient has incorrect size")  # PyTorch's words for a dtype
        for j, x in enumerate(self.checked):
            numerical, analytical, atol = _of_part(self.slopes[j][k], part), said[j].T, self.atol
            if self.fast:
                numerical = (numerical * self.v[k].reshape(1, -1)).sum()
                analytical = (said[j] * self.u[j].reshape(1, -1)).sum()
                atol *= (self.u[j].sum() * self.v[k].sum()).item()  # an error of atol in each element of the Jacobian
            if not self.close(analytical, numerical, atol):
                raise GradcheckError(self.mismatch(k, part, j, numerical, analytical))

    def moved(self, j, direction):
        """The tangents of the results for one of the checked input j; the other checked inputs do not move."""
        with _forward.dual_level():
            places = {id(x): j for j, x in enumerate(self.checked)}
            dual = [self.dual(x, direction, places.pop(id(x), None) == j) if _is_checked(x) else x for x in self.inputs]
            results = _tuple(self.function(*dual))
            found = [_forward.unpack_dual(results[i]).tangent for i in self.kept]
        return [_call["zeros_like"](out) if t is None else t.detach() for t, out in zip(found, self.outputs)]

    @staticmethod
    def dual(x, direction, moves):
        """An input of forward mode, which needs no gradient for it."""
        plain = x.detach()
        return _forward.make_dual(plain, direction if moves else _call["zeros_like"](plain))

    def compare_ahead(self, j):
        """Forward mode: what the results do when input j moves, along the real axis and the imaginary one."""
        x = self.checked[j]
        directions = [self.u[j].to(x.dtype)] if self.fast else list(_one_hot(x))
        for axis, unit in enumerate((1, 1j) if x.is_complex() else (1,)):
            tangents = [self.moved(j, one * unit) for one in directions]
            for k, out in enumerate(self.outputs):
                rows = [t[k].reshape(-1) for t in tangents]
                analytical = _call["stack"](rows) if rows else _call["zeros"]((0, out.numel()), dtype=out.dtype)
                numerical, atol = self.slopes[j][k][axis], self.atol
                if self.fast:
                    analytical, numerical = ((one * self.v[k].reshape(1, -1)).sum() for one in (analytical, numerical))
                    atol *= (self.u[j].sum() * self.v[k].sum()).item()
                if not self.close(analytical, numerical, atol):
                    part = f"While considering the {_PARTS[('real', 'imag')[axis]]} part of complex inputs only, "
                    text = (f"Jacobian computed with forward mode mismatch for output {k} with respect to input {j},\nnumerical:"
                            f"{numerical}\nanalytical:{analytical}\n")
                    raise GradcheckError(part + text if x.is_complex() else text)

    def compare_batched(self, k):
        """The gradients of one result for two seeds at once. In a graph of its own: tensors that retain their gradient keep
        the vmapped one, with which no later backward could go on."""
        out = self.evaluated()[k]

        def gradients(seed):
            found = _karat.gradients((out,), self.checked, (seed,), True, False, True)
            return tuple(_call["zeros_like"](x) if g is None else g for g, x in zip(found, self.checked))

        alone, found = self.side_by_side(gradients, out, _BATCHED)
        for j, (one, both) in enumerate(zip(alone, found)):
            self.same(k, j, both, one, _BATCHED)

    def compare_batched_forward(self, j):
        """The tangents of the results for two directions of one input at once."""
        alone, found = self.side_by_side(lambda direction: tuple(self.moved(j, direction)), self.checked[j], _BATCHED_FORWARD)
        for k, (one, both) in enumerate(zip(alone, found)):
            self.same(k, j, both, one, _BATCHED_FORWARD)

    def side_by_side(self, function, like, note):
        """What a function gives for two random tensors, one after the other and by vmap: two tuples of stacked tensors."""
        from ..func import vmap

        given = _call["stack"]([_call["randn_like"](like).detach() for _ in range(2)])
        alone = tuple(_call["stack"](both) for both in zip(*map(function, given)))
        try:
            return alone, vmap(function)(given)
        except RuntimeError as error:
            raise GradcheckError(f"While computing batched gradients, got: {error}\n\n{note}") from error

    def same(self, k, j, found, alone, note):
        if not _karat.allclose(found, alone, rtol=self.rtol, atol=self.atol, equal_nan=True):
            raise GradcheckError(f"For output {k} and input {j}:\n\n{note}\n\nGot:\n{found}\n\nExpected:\n{alone}\n")

    def close(self, analytical, numerical, atol):
        common = _karat.promote_types(analytical.dtype, numerical.dtype)
        return _karat.allclose(analytical.to(common), numerical.to(common), rtol=self.rtol, atol=atol)

    def mismatch(self, k, part, j, numerical, analytical):
        text = f"While considering the {_PARTS[part]} part of complex outputs only, " if part else ""
        text += (f"Jacobian mismatch for output {k} with respect to input {j},\nnumerical:{numerical}\nanalytical:{analytical}\n")
        if not self.fast:
            return text
        out, x = self.outputs[k], self.checked[j]
        numerical = _of_part(_numerical(self.evaluated, x, self.outputs, self.eps)[k], part)
        out = getattr(out, part) if part else out
        analytical = _gradients(out, (x,), _one_hot(out))[0].T
        text += f"\nThese are projections (fast mode). The Jacobians:\n\nNumerical:\n {numerical}\nAnalytical:\n{analytical}\n"
        if self.close(analytical, numerical, self.atol):
            return text + "\nThe Jacobians agree: the projections add up differences that are allowed in each element.\n"
        return text + f"\nThe max per-element difference (slow mode) is: {(numerical - analytical).abs().max()}.\n"

    def zero_gives_zero(self):
        """Backward is linear: zeros in, zeros out."""
        zeros = [_call["zeros_like"](out) for out in self.outputs]
        if self.any_gradient(self.outputs, zeros):
            raise GradcheckError("backward not multiplied by grad_output")

    def any_gradient(self, outputs, seeds):
        found = _karat.gradients(outputs, self.checked, seeds, True, False, True)
        return any(g is not None and g.count_nonzero().item() for g in found)

    def undefined_gives_zero(self):
        """No gradient for one result and zeros for the others, or none for any: zeros, or none, out."""
        zeros, every = [_call["zeros_like"](out) for out in self.outputs], range(len(self.outputs))
        for without in [{k} for k in every] + ([set(every)] if len(every) > 1 else []):
            cut = iter(_Undefined.apply(*(self.outputs[k] for k in sorted(without))))
            try:
                if not self.any_gradient([next(cut) if k in without else self.outputs[k] for k in every], zeros):
                    continue
                wrong, cause = "all input grads to be undefined or zero when all output grads are undefined or zero", None
            except RuntimeError as error:
                wrong, cause = "backward function to handle undefined output grads", error
            from warnings import warn

            warn("Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
                 "break existing callers of this function. If this is true for you, you can call this function with "
                 '"check_undefined_grad=False" to disable the feature', UserWarning, 4)
            raise GradcheckError(f'Expected {wrong}. Please look at "Notes about undefined output gradients" in '
                                 '"tools/autograd/derivatives.yaml"') from cause


def gradcheck(func, inputs, *, eps=1e-06, atol=1e-05, rtol=0.001, raise_exception=True, nondet_tol=0.0, check_undefined_grad=True,
              check_grad_dtypes=False, check_batched_grad=False, check_batched_forward_grad=False, check_forward_ad=False,
              check_backward_ad=True, fast_mode=False, masked=None):
    """Are the gradients of func at the inputs what differences of its values say? True, or a GradcheckError.

    raise_exception=False answers with False instead. fast_mode compares one random projection of each Jacobian.
    check_batched_grad and check_batched_forward_grad run vmap over the derivatives. masked is of sparse tensors and changes
    nothing.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    try:
        _Check(func, _tuple(inputs), eps, atol, rtol, nondet_tol, check_undefined_grad, check_grad_dtypes, fast_mode,
               check_forward_ad, check_backward_ad, check_batched_grad, check_batched_forward_grad).run()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, *, eps=1e-06, atol=1e-05, rtol=0.001, gen_non_contig_grad_outputs=False,
                  raise_exception=True, nondet_tol=0.0, check_undefined_grad=True, check_grad_dtypes=False,
                  check_batched_grad=False, check_fwd_over_rev=False, check_rev_over_rev=True, fast_mode=False, masked=False):
    """gradcheck of the gradients of func, as a function of its inputs and of grad_outputs, which are random if not given."""
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    if check_undefined_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_undefined_grad=True requires check_rev_over_rev to be True")
    if check_batched_grad and not check_rev_over_rev:
        raise AssertionError("Setting check_batched_grad=True requires check_rev_over_rev to be True")
    inputs = _tuple(inputs)
    if grad_outputs is None:
        from ..drawing import make_tensor

        given = [make_tensor(out.shape, dtype=out.dtype, device=out.device, low=-1, high=1, requires_grad=True,
                             noncontiguous=gen_non_contig_grad_outputs)
                 for out in _tuple(func(*inputs)) if out.requires_grad]
    else:
        given = _tuple(grad_outputs)

    def gradients(*both):
        own, seeds = both[:len(inputs)], both[len(inputs):]
        own = [x.requires_grad_() if _is_checked(given) else x for x, given in zip(own, inputs)]  # forward mode gives them plain
        outputs = [out for out in _tuple(func(*own)) if out.requires_grad]
        checked = tuple(x for x in own if _is_checked(x))
        found = _karat.gradients(outputs, checked, seeds, None, True, True) if outputs and checked else ()
        return tuple(g for g in found if g is not None)

    return gradcheck(gradients, (*inputs, *given), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes,
                     check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
                     check_backward_ad=check_rev_over_rev, fast_mode=fast_mode, masked=masked)


def get_numerical_jacobian(fn, inputs, target=None, eps=0.001, grad_out=1.0):
    """Deprecated in PyTorch: the numerical Jacobians of fn's first result, which takes its inputs as one tuple."""
    from warnings import warn

    warn("`get_numerical_jacobian` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it "
         "will be removed in a future version of PyTorch. If you have a specific use for this or feature request for this to be "
         "a stable API, please file us an issue at https://github.com/pytorch/pytorch/issues/new", FutureWarning, 2)
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. get_numerical_jacobian no longer supports values of grad_out != 1.0.")
    inputs = _tuple(inputs)
    first = _tuple(fn(inputs))[:1]
    if first[0].is_complex():
        raise ValueError("Expected output to be non-complex. get_numerical_jacobian no longer supports functions that return "
                         "complex outputs.")
    targets = [x for x in (inputs if target is None else _tuple(target)) if _is_checked(x)]
    return tuple(_of_part(_numerical(lambda: _tuple(fn(inputs))[:1], x, first, eps)[0], None) for x in targets)


__getattr__ = _missing.of(__name__)
