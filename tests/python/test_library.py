"""torch.library: schemas, kernels, fakes, derivatives, what is refused and in which words, and that nothing stays behind."""

import gc
import os
import subprocess
import sys
import threading
import typing
import warnings
import weakref

import karat as torch
import pytest
from karat import _karat, library
from karat.library import Library

pytestmark = pytest.mark.cpu_only("most kernels here are the CPU's")
Tensor = torch.Tensor
_count = iter(range(10**6))


def fresh(word="op"):
    """A name that no other test has."""
    return f"tests_lib::{word}{next(_count)}"


def spaced():
    return f"tests_space{next(_count)}"


@pytest.fixture
def lib():
    made = Library(spaced(), "DEF")
    yield made
    made._destroy()


def op_of(qualname):
    space, name = qualname.split("::")
    return getattr(getattr(torch.ops, space), name)


# ---- custom_op ----

def scaled(name=None, **options):
    @library.custom_op(name or fresh("scaled"), mutates_args=(), **options)
    def scaled(x: Tensor, by: float = 2.0) -> Tensor:
        return x * by

    return scaled


def test_a_function_is_an_operator():
    op = scaled()
    x = torch.ones(2)
    assert op(x).tolist() == [2.0, 2.0] and op(x, 3).tolist() == op(x, by=3.0).tolist() == [3.0, 3.0]
    assert op_of(op._qualname)(x).tolist() == [2.0, 2.0]
    assert repr(op) == f"<CustomOpDef({op._qualname})>"
    assert str(op._opoverload._schema) == f"{op._qualname}(Tensor x, float by=2.) -> Tensor"


def test_the_functional_form_and_kernels_by_device():
    op = library.custom_op(fresh(), lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor", device_types="cuda")
    with pytest.raises(NotImplementedError, match=f"Could not run '{op._qualname}' with arguments from the 'CPU' backend"):
        op(torch.ones(1))
    op.register_kernel("cpu")(lambda x: x + 2)
    assert op(torch.ones(1)).item() == 3
    library.register_kernel(op._qualname, ["cpu"], lambda x: x + 3)
    assert op(torch.ones(1)).item() == 4
    with op.set_kernel_enabled("cpu", False):
        assert op(torch.ones(1)).item() == 2
    assert op(torch.ones(1)).item() == 4
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        op.register_kernel("bogus", lambda x: x)


def test_a_new_definition_replaces_the_old_one():
    name = fresh()
    first = library.custom_op(name, lambda x: x + 1, mutates_args=(), schema="(Tensor x) -> Tensor")
    second = library.custom_op(name, lambda x: x + 2, mutates_args=(), schema="(Tensor x) -> Tensor")
    assert second(torch.ones(1)).item() == 3 == op_of(name)(torch.ones(1)).item()
    assert first._qualname == second._qualname


def test_results_may_not_share_memory():
    for word, body, schema in (("itself", lambda x: x, "(Tensor x) -> Tensor"), ("view", lambda x: x[:1], "(Tensor x) -> Tensor"),
                               ("twice", lambda x: (lambda y: (y, y))(x + 1), "(Tensor x) -> (Tensor, Tensor)"),
                               ("listed", lambda x: [x + 1, x], "(Tensor x) -> Tensor[]")):
        op = library.custom_op(fresh(word), body, mutates_args=(), schema=schema)
        with pytest.raises(RuntimeError, match="may not alias any inputs to this custom operator or other returns"):
            op(torch.ones(2))


def test_what_is_written_to():
    op = library.custom_op(fresh(), lambda x, by: x.mul_(by).mul_(1) and None, mutates_args={"x"},
                           schema="(Tensor(a!) x, float by) -> ()")
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        op(torch.ones(2), 2.0)

    @library.custom_op(fresh(), mutates_args={"x"})
    def fill(x: Tensor, value: float) -> None:
        x.fill_(value)
        x.add_(0)

    x = torch.zeros(3)
    before = x._version
    assert fill(x, 2.5) is None and x.tolist() == [2.5] * 3 and x._version == before + 1
    leaf = torch.zeros(2, requires_grad=True)
    fill(leaf, 1.0)
    assert leaf.tolist() == [1.0, 1.0] and leaf.requires_grad
    assert fill(torch.empty(2, device="meta"), 1.0) is None
    with pytest.raises(RuntimeError, match="Cannot register autograd formula for non-functional operator"):
        fill.register_autograd(lambda ctx, grad: grad)
    with pytest.raises(ValueError, match=r"The schema suggests that the op mutates set\(\)which is different"):
        library.custom_op(fresh(), lambda x: None, mutates_args={"x"}, schema="(Tensor x) -> ()")


def test_results_of_every_kind():
    def op(schema, body):
        return library.custom_op(fresh(), body, mutates_args=(), schema=schema)

    x = torch.ones(2, 3)
    assert op("(Tensor x) -> int", lambda x: x.numel())(x) == 6
    assert op("(Tensor x) -> float", lambda x: 3)(x) == 3.0 and isinstance(op("(Tensor x) -> float", lambda x: 3)(x), float)
    assert op("(Tensor x) -> bool", lambda x: True)(x) is True
    assert op("(Tensor x) -> Scalar", lambda x: 2.5)(x) == 2.5
    both = op("(Tensor x) -> (Tensor, float)", lambda x: (x + 1, 3))(x)
    assert both[0].sum() == 12 and both[1] == 3.0
    assert [t.item() for t in op("(Tensor x) -> Tensor[]", lambda x: [x.sum(), x.sum() + 1])(x)] == [6, 7]
    assert op("(Tensor x) -> Tensor[]", lambda x: [])(x) == []
    for schema, body, error, text in (("(Tensor x) -> Tensor", lambda x: 3, RuntimeError, "Unable to cast 3 to Tensor"),
                                      ("(Tensor x) -> (Tensor, Tensor)", lambda x: x + 1, TypeError,
                                       "not an instance of 'sequence'"),
                                      ("(Tensor x) -> (Tensor, Tensor)", lambda x: (x + 1,), RuntimeError, "1 results"),
                                      ("(Tensor x) -> ()", lambda x: x, RuntimeError, "to return None but it returned something "
                                                                                      "else"),
                                      ("(Tensor x) -> int", lambda x: 2.5, RuntimeError, "a number of another type"),
                                      ("(Tensor x) -> Tensor[]", lambda x: 3, RuntimeError,
                                       r"Unable to cast 3 to List\[Tensor\]"),
                                      ("(Tensor x) -> Tensor[]", lambda x: [3], RuntimeError, "Unable to cast 3 to Tensor")):
        with pytest.raises(error, match=text):
            op(schema, body)(x)


def test_arguments_of_every_kind():
    seen = []

    def body(*args, **kwargs):
        seen.append((args, kwargs))
        return args[0] + 1

    op = library.custom_op(fresh(), body, mutates_args=(),
                           schema="(Tensor x, Tensor[] ts, Tensor? t=None, *, int? n=None, str s='a b', float[] fs=[1.0, 2.5], "
                                  "bool[2] bs=[True, False], ScalarType? d=None, Device? dev=None, Scalar k=1, SymInt[] z=[]) -> "
                                  "Tensor")
    x = torch.ones(1)
    op(x, [x, x])
    op(x, (x,), x, n=True, s="y", fs=(1, 2), bs=[True, True], d=torch.float16, dev="cpu", k=2.5, z=(1, 2))
    (args, kwargs), (more, others) = seen
    assert args[0] is x and args[1] == [x, x] and len(args) == 2 and kwargs == {}
    assert more[1] == [x] and more[2] is x
    assert others == {"n": 1, "s": "y", "fs": [1.0, 2.0], "bs": [True, True], "d": torch.float16, "dev": torch.device("cpu"),
                      "k": 2.5,
                      "z": [1, 2]}


def test_an_exception_of_a_kernel_is_the_users_own():
    class Mine(Exception):
        pass

    mine = Mine("here")

    def body(x):
        raise mine

    op = library.custom_op(fresh(), body, mutates_args=(), schema="(Tensor x) -> Tensor")
    for x in (torch.ones(1), torch.ones(1, requires_grad=True)):
        with pytest.raises(Mine) as caught:
            op(x)
        assert caught.value is mine


def test_a_kernel_without_tensors():
    assert library.custom_op(fresh(), lambda n: torch.ones(n), mutates_args=(), schema="(int n) -> Tensor")(3).shape == (3,)
    with pytest.raises(ValueError,
                       match="Functions without tensor inputs are required to have a `device: torch.device` argument"):
        library.custom_op(fresh(), lambda n: torch.ones(n), mutates_args=(), schema="(int n) -> Tensor", device_types="cpu")
    made = library.custom_op(fresh(), lambda n, device: torch.ones(n, device=device), mutates_args=(),
                             schema="(int n, Device device) -> Tensor", device_types="cpu")
    assert made(3, "cpu").shape == (3,)


# ---- fakes ----

def test_a_fake_serves_meta_tensors():
    op = scaled()
    meta = torch.empty(4, device="meta")
    with pytest.raises(RuntimeError, match=r"There was no fake impl registered for <CustomOpDef\(.*Please use "
                                           r"`scaled.register_fake`"):
        op(meta)
    op.register_fake(lambda x, by=2.0: torch.empty_like(x))
    assert op(meta).device.type == "meta" and op(meta).shape == (4,)
    with pytest.raises(RuntimeError, match="operator tests_lib::nosuch does not exist"):
        library.register_fake("tests_lib::nosuch", lambda x: x)
    with pytest.raises(ValueError, match='Expected `qualname` to be of the form "namespace::name", but got nosuch'):
        library.register_fake("nosuch", lambda x: x)


def test_sizes_that_depend_on_data_have_no_context_here(lib):
    lib.define("f(Tensor x) -> Tensor")
    assert library.get_ctx() is None
    name = f"{lib.ns}::f"

    @library.register_fake(name, lib=lib)
    def _(x):
        library.get_ctx()

    with pytest.raises(RuntimeError, match="Meta Tensors don't support operators with outputs that have data-dependent shapes"):
        op_of(name)(torch.empty(2, device="meta"))
    assert library.get_ctx() is None
    with pytest.raises(RuntimeError, match="already has an fake impl registered"):
        library.register_fake(name, lambda x: x, lib=lib)
    with pytest.warns(FutureWarning, match="was renamed to `torch.library.register_fake`"), pytest.raises(RuntimeError):
        library.impl_abstract(name, lambda x: x, lib=lib)


# ---- derivatives ----

def test_a_derivative():
    op = scaled()
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = op(x, 3.0)
    name = f"GeneratedBackwardFor_{op._namespace}_{op._name}_defaultBackward"
    assert y.requires_grad and y.grad_fn.name() == name
    with pytest.raises(RuntimeError, match="Trying to backward through .* but no autograd formula was registered"):
        y.sum().backward()
    seen = []

    def setup(ctx, inputs, output):
        seen.append((inputs, output, torch.is_grad_enabled()))
        ctx.save_for_backward(inputs[0])
        ctx.by = inputs[1]

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        (x,) = ctx.saved_tensors
        return grad * ctx.by * x / x, None

    op.register_autograd(backward, setup_context=setup)
    (grad,) = torch.autograd.grad(op(x).sum(), x, create_graph=True)
    assert grad.tolist() == [2.0, 2.0] and grad.requires_grad
    assert seen[0][0][0] is x and seen[0][0][1] == 2.0 and seen[0][2] is False and seen[1] == (True, False)
    with torch.no_grad():
        assert not op(x).requires_grad
    assert not op(torch.ones(1)).requires_grad
    with torch.inference_mode():
        assert op(x).is_inference()


@pytest.mark.parametrize("answer, text", [(lambda g: g, r"returned an incorrect number of gradients \(expected 3, got 2\)"),
                                          (lambda g: (g, g), "returned a gradient different than None at position 2"),
                                          (lambda g: 1 / 0, "division by zero")])
def test_a_derivative_that_is_wrong(answer, text):
    op = scaled()
    op.register_autograd(lambda ctx, grad: answer(grad))
    x = torch.ones(2, requires_grad=True)
    with pytest.raises((RuntimeError, ZeroDivisionError), match=text):
        op(x).sum().backward()


def test_a_derivative_of_lists():
    op = library.custom_op(fresh(), lambda xs, s: [x * s for x in xs], mutates_args=(),
                           schema="(Tensor[] xs, float s) -> Tensor[]")
    needs = []

    def backward(ctx, grads):
        needs.append(ctx.needs_input_grad)
        return [g * 2 for g in grads], None

    op.register_autograd(backward)
    x, y = torch.ones(1, requires_grad=True), torch.ones(2)
    out = op([x, y], 2.0)
    assert isinstance(out, list) and [t.tolist() for t in out] == [[2.0], [2.0, 2.0]]
    assert torch.autograd.grad(out[0].sum(), x)[0].tolist() == [2.0] and needs == [([True, False], False)]
    op.register_autograd(lambda ctx, grads: ([grads[0]], None))
    with pytest.raises(RuntimeError, match="same structure as the inputs"):
        op([x, y], 2.0)[0].sum().backward()
    op.register_autograd(lambda ctx, grads: None)
    with pytest.raises(RuntimeError, match="same structure as the inputs"):
        op([x, y], 2.0)[0].sum().backward()
    op.register_autograd(lambda ctx, grads: (None, None))
    assert torch.autograd.grad(op([x, y], 2.0)[0].sum(), x, allow_unused=True) == (None,)


def test_a_derivative_of_keywords_and_several_results(lib):
    lib.define("f(Tensor x, *, int n) -> (Tensor, Tensor)")
    lib.impl("f", lambda x, *, n: (x * n, (x * n).long()), "CPU")
    got = []
    library.register_autograd(f"{lib.ns}::f", lambda ctx, a, b: a * ctx.n, lib=lib,
                              setup_context=lambda ctx, inputs, keyword_only_inputs, output: got.append(keyword_only_inputs)
                              or setattr(ctx, "n", keyword_only_inputs["n"]))
    x = torch.ones(2, requires_grad=True)
    a, b = op_of(f"{lib.ns}::f")(x, n=3)
    assert not b.requires_grad and torch.autograd.grad(a.sum(), x)[0].tolist() == [3.0, 3.0] and got == [{"n": 3}]
    with pytest.raises(AttributeError, match="object has no attribute 'nosuch'"):
        library.register_autograd(f"{lib.ns}::nosuch", lambda ctx, g: g)


# ---- Library ----

def test_a_library_defines_and_registers(lib):
    assert repr(lib) == f"Library(kind=DEF, ns={lib.ns}, dispatch_key=)>"
    assert lib.define("twice(Tensor x, float s=2.0) -> Tensor") == "twice"
    with pytest.raises(RuntimeError, match="with the same name and overload name multiple times.*test_library.py:"):
        lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x, s=2.0: x * s, "CPU")
    with pytest.raises(RuntimeError, match="there's already a kernel registered from python overriding twice's behavior for CPU"):
        lib.impl("twice", lambda x: x, "CPU")
    lib.impl("twice", lambda x, s=2.0: x * s + 1, "CPU", allow_override=True)
    op = op_of(f"{lib.ns}::twice")
    assert op(torch.ones(1)).item() == 3
    with pytest.raises(NotImplementedError, match="attempted to run this operator with Meta tensors, but there was no fake impl"):
        op(torch.ones(1, device="meta"))
    lib.impl("twice", lambda x, s=2.0: torch.empty_like(x), "Meta")
    assert op(torch.ones(1, device="meta")).shape == (1,)
    with pytest.raises(RuntimeError, match="already has an DispatchKey::Meta implementation"):
        library.register_fake(f"{lib.ns}::twice", lambda x: x)


def test_registrations_in_any_order(lib):
    lib.impl("late", lambda x: x + 5, "CPU")
    lib.impl("late", lambda x: torch.empty_like(x), "Meta")
    with pytest.raises(AttributeError):
        op_of(f"{lib.ns}::late")
    lib.define("late(Tensor x) -> Tensor")
    assert op_of(f"{lib.ns}::late")(torch.ones(1)).item() == 6
    assert op_of(f"{lib.ns}::late")(torch.ones(1, device="meta")).shape == (1,)


@pytest.mark.parametrize("schema, text", [
    ("g", "Tried to parse a function schema but only the operator name was given"),
    ("g(Tensr x) -> Tensor", r"unknown type specifier.*\ng\(Tensr x\) -> Tensor\n  ~~~~~ <--- HERE"),
    ("g(Tensor x -> Tensor", "<--- HERE"),
    ("other::g(Tensor x) -> Tensor", r"Explicitly provided namespace \(other\) in schema string does not match"),
    ("g(Tensor x, int n=1.5) -> Tensor", "1.5 is no default of the argument n"),
])
def test_schemas_that_cannot_be(lib, schema, text):
    with pytest.raises((RuntimeError, ValueError, NotImplementedError), match=text):
        lib.define(schema)
    with pytest.raises(AttributeError):
        getattr(torch.ops, lib.ns).g


def test_what_a_library_refuses(lib):
    with pytest.raises(RuntimeError, match="Only a single TORCH_LIBRARY can be used to register the namespace"):
        Library(lib.ns, "DEF")
    with pytest.raises(RuntimeError, match="Only a single TORCH_LIBRARY"):
        Library("aten", "DEF")
    with pytest.raises(ValueError, match="is a reserved namespace"):
        Library("prim", "DEF")
    with pytest.raises(ValueError, match="Unsupported kind"):
        Library("x", "XX")
    with pytest.raises(RuntimeError, match="Invalid alias_analysis type XX"):
        lib.define("f(Tensor x) -> Tensor", "XX")
    with pytest.raises(RuntimeError, match="could not parse dispatch key: Nope"):
        lib.impl("f", lambda x: x, "Nope")
    with pytest.raises(NotImplementedError, match="no kernels for the dispatch key FuncTorchBatched"):
        lib.impl("f", lambda x: x, "FuncTorchBatched")
    with pytest.raises(TypeError, match="Input function is required to be a callable but found type <class 'int'>"):
        lib.impl("f", 3, "CPU")
    with pytest.raises(RuntimeError, match=r"Explicitly provided namespace \(aten\) in operator name does not match"):
        lib.impl(torch.ops.aten.add.Tensor, lambda x: x, "CPU")
    with pytest.raises(NotImplementedError, match="none in the namespace aten can be replaced"):
        Library("aten", "IMPL").impl("exp", lambda x: x, "CPU")
    with pytest.raises(RuntimeError, match="Cannot define an operator inside of a TORCH_LIBRARY_IMPL block"):
        Library(lib.ns, "IMPL").define("f(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError, match='Fallback can only be registered using library fragment on the global namespace "_"'):
        lib.fallback(lambda x: x, "CPU")
    with pytest.raises(AssertionError, match="dispatch_key must not be empty for fallback"):
        Library("_", "IMPL").fallback(lambda x: x)
    with pytest.raises(NotImplementedError, match="karat calls no fallback kernel for CPU"):
        Library("_", "IMPL").fallback(lambda x: x, "CPU")
    Library("_", "IMPL").fallback(library.fallthrough_kernel, "CPU")  # which is what happens
    with pytest.raises(NotImplementedError, match="no __torch_dispatch__"):
        library.register_torch_dispatch("a::b", object)
    lib.impl("f", library.fallthrough_kernel, "CPU")
    assert not _karat.has_kernel(f"{lib.ns}::f", "cpu", False)


def test_overloads(lib):
    lib.define("f.a(Tensor x) -> Tensor")
    lib.define("f.b(Tensor x, int n) -> Tensor")
    lib.impl("f.a", lambda x: x + 1, "CPU")
    lib.impl("f.b", lambda x, n: x + n, "CPU")
    op = op_of(f"{lib.ns}::f")
    assert op.overloads() == ["a", "b"] and op(torch.ones(1)).item() == 2 and op(torch.ones(1),
                                                                                 5).item() == 6 == op.b(torch.ones(1), 5).item()
    with pytest.raises(AttributeError, match=f"The underlying op of '{lib.ns}.f' has no overload name 'default'"):
        op.default
    with pytest.raises(RuntimeError, match="failed to match any schema:\n.*\n.*\n.*\n.*f.a.*\n.*\n\n.*\n.*\n.*\n.*f.b"):
        op("x")


def test_composites_are_recorded_and_kernels_of_devices_warn(lib):
    lib.define("implicit(Tensor x) -> Tensor")
    lib.impl("implicit", lambda x: x * 2 + 1)
    lib.define("explicit(Tensor x) -> Tensor")
    lib.impl("explicit", lambda x: x.detach() * 2, "CompositeExplicitAutograd")
    lib.define("cpu(Tensor x) -> Tensor")
    lib.impl("cpu", lambda x: x * 3, "CPU")
    space = getattr(torch.ops, lib.ns)
    x = torch.ones(2, requires_grad=True)
    assert space.implicit(x).grad_fn.name() == "AddBackward0" and space.implicit(torch.ones(2, device="meta")).shape == (2,)
    assert space.cpu(x).grad_fn.name() == "MulBackward0"
    assert space.explicit(x).grad_fn.name() == "WarnNotImplemented"
    with pytest.warns(UserWarning, match="an autograd kernel was not registered to the Autograd key"):
        (grad,) = torch.autograd.grad(space.cpu(x).sum(), x)
    assert grad.tolist() == [3.0, 3.0]
    with pytest.warns(UserWarning, match="an autograd kernel was not registered to the Autograd key"):
        assert torch.autograd.grad(space.explicit(x).sum(), x, allow_unused=True) == (None,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.autograd.grad(space.implicit(x).sum(), x)


def test_a_kernel_for_autograd(lib):
    from karat._C import _AutoDispatchBelowAutograd

    lib.define("f(Tensor x) -> Tensor")
    op = op_of(f"{lib.ns}::f")

    class Seven(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with _AutoDispatchBelowAutograd():
                return op(x)

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    lib.impl("f", lambda x: x * 2, "CPU")
    lib.impl("f", Seven.apply, "Autograd")
    x = torch.ones(2, requires_grad=True)
    assert op(x).grad_fn.name() == "SevenBackward" and torch.autograd.grad(op(x).sum(), x)[0].tolist() == [7.0, 7.0]
    assert not _karat.is_below()


def test_the_functions_of_the_module():
    name = fresh("module")
    library.define(name, "(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match="expected schema to look like"):
        library.define(fresh(), "f(Tensor x) -> Tensor")
    with pytest.raises(ValueError, match='Expected `qualname` to be of the form'):
        library.define("z9", "(Tensor x) -> Tensor")
    with pytest.raises(TypeError):
        library.define(fresh(), 3)
    assert library.impl(name, "cpu", lambda x: x + 5) is None
    assert op_of(name)(torch.ones(1)).item() == 6
    with pytest.raises(RuntimeError, match="already a kernel registered"):
        library.impl(name, "cpu")(lambda x: x)
    other = fresh("module")
    library.define(other, "(Tensor x) -> Tensor")
    library.impl(other, "default", lambda x: x + 6)
    assert op_of(other)(torch.ones(1)).item() == 7
    library.register_kernel(other, "cpu")(lambda x: x + 8)
    assert op_of(other)(torch.ones(1)).item() == 9
    with library._scoped_library(spaced(), "DEF") as lib:
        @library.define(lib, "old(Tensor x) -> Tensor")
        def old(x):
            return x + 1

        @library.impl(lib, "older", "CPU")
        def older(x):
            return x + 2

        lib.define("older(Tensor x) -> Tensor")
        space = getattr(torch.ops, lib.ns)
        assert space.old(torch.ones(1)).item() == 2 and space.older(torch.ones(1)).item() == 3
    with pytest.raises(AttributeError):
        space.old


# ---- the end of a library ----

def test_a_library_that_ends_takes_its_operators_with_it():
    lib = Library(spaced(), "DEF")
    lib.define("f(Tensor x) -> Tensor")
    kernel = lambda x: x + 1  # noqa: E731
    seen = weakref.ref(kernel)
    lib.impl("f", kernel, "CPU")
    kept = op_of(f"{lib.ns}::f").default
    assert kept(torch.ones(1)).item() == 2
    del kernel
    lib._destroy()
    gc.collect()
    assert seen() is None
    with pytest.raises(AttributeError, match="object has no attribute 'f'"):
        getattr(torch.ops, lib.ns).f
    with pytest.raises(RuntimeError, match="does not exist: it was withdrawn"):
        kept(torch.ones(1))
    again = Library(lib.ns, "DEF")
    again.define("f(Tensor x) -> Tensor")
    again.impl("f", lambda x: x + 100, "CPU")
    assert op_of(f"{lib.ns}::f")(torch.ones(1)).item() == 101
    gone = weakref.ref(again)
    del again
    gc.collect()
    assert gone() is None
    with pytest.raises(AttributeError):
        getattr(torch.ops, lib.ns).f


def test_an_operator_may_end_itself():
    lib = Library(spaced(), "DEF")
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", lambda x: (lib._destroy(), x + 1)[1], "CPU")
    assert op_of(f"{lib.ns}::f")(torch.ones(1)).item() == 2
    with pytest.raises(AttributeError):
        getattr(torch.ops, lib.ns).f


def test_nothing_stays_behind():
    def round_trip():
        with library._scoped_library("tests_leak", "DEF") as lib:
            lib.define("f(Tensor x, float[] s=[1.0]) -> Tensor")
            lib.impl("f", lambda x, s=[1.0]: x * s[0], "CPU")
            library.register_autograd("tests_leak::f", lambda ctx, g: (g, None), lib=lib)
            x = torch.ones(3, requires_grad=True)
            torch.ops.tests_leak.f(x, [2.0]).sum().backward()
            for wrong in ("a", None):
                with pytest.raises(RuntimeError):
                    torch.ops.tests_leak.f(wrong)

    for _ in range(100):  # names that Python keeps are kept from here on
        round_trip()
    gc.collect()
    blocks, live = sys.getallocatedblocks(), torch.memory_stats()["live_bytes"]
    for _ in range(100):
        round_trip()
    gc.collect()
    assert sys.getallocatedblocks() - blocks < 300  # a kernel that stayed would be more; Python keeps some names in its caches
    assert torch.memory_stats()["live_bytes"] <= live


# ---- Karat's own: what a kernel takes ----

def test_a_kernel_says_what_it_takes():
    @library.custom_op(fresh("edge"), mutates_args=())
    @library.takes("x: float32 contiguous")
    def edge(x: Tensor, by: float = 2.0) -> Tensor:
        return x * by

    x = torch.ones(2, 3)
    assert edge(x).sum() == 12
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Half for argument 'x'") as caught:
        edge(x.half())
    assert "born as float32, ones" in str(caught.value) and "fix:" in str(caught.value)
    assert caught.value.karat["fixes"][0]["dtype"] is torch.float32 and caught.value.karat["op"] == edge._qualname
    with pytest.raises(RuntimeError, match=r"reads argument 'x' as contiguous memory, but its strides are \(1, 3\)"):
        edge(x.t())
    edge.register_autograd(lambda ctx, grad: (grad, None))
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Half"):
        edge(torch.ones(2, dtype=torch.float16, requires_grad=True))
    with pytest.raises(ValueError, match="takes 'y': that is no tensor of its schema"):
        library.custom_op(fresh(), library.takes("y: float32")(lambda x: x + 1), mutates_args=(), schema="(Tensor x) -> Tensor")


def test_a_dtype_rule():
    seen = []

    @library.custom_op(fresh("rule"), mutates_args=())
    @library.takes("*: float32 float64", dtypes="PROMOTE")
    def product(a: Tensor, b: Tensor) -> Tensor:
        seen.append((a.dtype, b.dtype))
        return a * b

    x = torch.ones(2)
    assert product(x, x.half()).dtype is torch.float32 and seen == [(torch.float32, torch.float32)]
    assert product(x, x.double()).dtype is torch.float64
    with torch.policy("strict"), pytest.raises(TypeError, match="refuses to convert b from float16 to float32"):
        product(x, x.half())
    with pytest.raises(RuntimeError, match="expected scalar type Float or Double but found Half"):
        product(x.half(), x.half())
    with pytest.raises(ValueError, match="there is no dtype rule NOPE"):
        library.custom_op(fresh(), library.takes("*: float32", dtypes="NOPE")(lambda x: x), mutates_args=(),
                          schema="(Tensor x) -> Tensor")


def test_kernels_of_a_library_say_it_too(lib):
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", library.takes("x: int64")(lambda x: x + 1), "CPU")
    assert op_of(f"{lib.ns}::f")(torch.tensor([1])).item() == 2
    with pytest.raises(RuntimeError, match="expected scalar type Long but found Float"):
        op_of(f"{lib.ns}::f")(torch.ones(1))


def test_errors_inside_name_the_users_line():
    @library.custom_op(fresh("inner"), mutates_args=())
    def inner(a: Tensor, b: Tensor) -> Tensor:
        return a @ b

    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype") as caught:
        inner(torch.ones(2, 2), torch.ones(2, 2).half())
    line = open(__file__).read().splitlines()[caught.value.karat["line"] - 1]
    assert caught.value.karat["op"] == "matmul" and "return a @ b" in line


# ---- autocast ----

def test_autocast():
    seen = []

    def body(x, y):
        seen.append((x.dtype, y.dtype))
        return x + y.to(x.dtype)

    op = library.custom_op(fresh("cast"), body, mutates_args=(), schema="(Tensor x, Tensor y) -> Tensor")
    x, y = torch.ones(2), torch.ones(2, dtype=torch.float64)
    on, dtype = _karat.get_autocast("cpu")
    _karat.set_autocast("cpu", True, torch.bfloat16)
    try:
        op(x, y)
        op.register_autocast("cpu", torch.bfloat16)
        assert op(x, y).dtype is torch.bfloat16
        grad = torch.ones(2, requires_grad=True)
        op.register_autograd(lambda ctx, g: (g, None))
        op(grad, y).sum().backward()
        assert grad.grad.dtype is torch.float32
        assert _karat.get_autocast("cpu")[0]
    finally:
        _karat.set_autocast("cpu", on, dtype)
    assert seen[0] == (torch.float32, torch.float64) and seen[1] == (torch.bfloat16, torch.float64)
    assert op(x, y).dtype is torch.float32
    with pytest.raises(ValueError, match="Unknown device type: tpu"):
        op.register_autocast("tpu", torch.bfloat16)


# ---- schemas from annotations ----

def test_schemas_are_inferred():
    def f(x: Tensor, y: typing.Optional[Tensor] = None, n: "int" = -3, *, w: typing.List[float], z: typing.Sequence[int],
          b: bool = True,
          s: str = "a", d: torch.dtype = torch.float32, k: typing.Union[int, float, bool] = 1,
          m: typing.Optional[list[int]] = None) -> typing.Tuple[Tensor, int]:
        return x

    assert library.infer_schema(f, mutates_args=()) == (
        '(Tensor x, Tensor? y=None, SymInt n=-3, *, float[] w, SymInt[] z, bool b=True, str s="a", ScalarType d=float32, Scalar '
        'k=1, SymInt[]? m=None) -> (Tensor, SymInt)')

    def g(x: list[Tensor], y: typing.Sequence[typing.Optional[Tensor]]) -> list[Tensor]:
        return x

    assert library.infer_schema(g, mutates_args=("x",), op_name="g") == "g(Tensor(a0!)[] x, Tensor?[] y) -> Tensor[]"
    assert library.infer_schema(g, mutates_args="unknown") == "(Tensor(a0!)[] x, Tensor(a1!)?[] y) -> Tensor[]"


def _annotated(text):
    space = {"Tensor": Tensor, "typing": typing, "torch": torch}
    exec(f"def f({text}: pass", space)
    return space["f"]


@pytest.mark.parametrize("text, mutates, error", [
    ("x) -> Tensor", (), "Parameter x must have a type annotation"),
    ("x: Tensor)", (), "No return type annotation was provided"),
    ("x: object) -> Tensor", (), r"Parameter x has unsupported type <class 'object'>. The valid types are: dict_keys\("),
    ("x: tuple[int, int]) -> Tensor", (), r"We do not support Tuple inputs in schema.*list\[int\]"),
    ("x: Tensor) -> object", (), "Return has unsupported type <class 'object'>"),
    ("x: Tensor, *a: Tensor) -> Tensor", (), "We do not support positional-only args, varargs, or varkwargs"),
    ("x: Tensor, /) -> Tensor", (), "We do not support positional-only args, varargs, or varkwargs"),
    ("x: 'Nope') -> Tensor", (), "Unsupported type annotation Nope. It is not a type."),
    ("x: Tensor, n: list[int] = [1]) -> Tensor", (), "Parameter n has an unsupported default value type <class 'list'>"),
    ("x: Tensor) -> Tensor", ("zz",), "{'zz'} in mutates_args were not found in the custom op's signature"),
    ("x: int) -> None", ("x",), "Parameter x is in mutable_args but only Tensors or collections of Tensors can be mutated"),
    ("x: Tensor) -> Tensor", "x", "mutates_args must either be a sequence of the names"),
])
def test_what_cannot_be_inferred(text, mutates, error):
    with pytest.raises(ValueError, match=error):
        library.infer_schema(_annotated(text), mutates_args=mutates)


# ---- opcheck ----

def test_opcheck():
    op = scaled()
    x = torch.ones(2)
    found = library.opcheck(op, (x,), raise_exception=False)
    assert found["test_schema"] == "SUCCESS" and "There was no fake impl" in str(found["test_faketensor"])
    with pytest.raises(library.OpCheckError, match="test_faketensor failed with There was no fake impl registered"):
        library.opcheck(op, (x,))
    op.register_fake(lambda x, by=2.0: torch.empty(3))
    with pytest.raises(library.OpCheckError, match=r"mismatched tensor metadata: Shapes torch.Size\(\[2\]\) and "
                                                   r"torch.Size\(\[3\]\)"):
        library.opcheck(op, (x,))
    op.register_fake(lambda x, by=2.0: torch.empty_like(x))
    assert set(library.opcheck(op, (x,)).values()) == {"SUCCESS"}
    found = library.opcheck(op._opoverload, (x.requires_grad_(),), {"by": 3.0}, raise_exception=False)
    assert "no autograd formula" in str(found["test_aot_dispatch_dynamic"])
    writes = library.custom_op(fresh(), lambda x: x.mul_(2).clone(), mutates_args=(), schema="(Tensor x) -> Tensor")
    with pytest.raises(library.OpCheckError, match="Argument x is not defined as mutable but was mutated"):
        library.opcheck(writes, (torch.ones(2),), test_utils="test_schema")
    with library._scoped_library(spaced(), "DEF") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x, "CPU")
        f = op_of(f"{lib.ns}::f").default
        with pytest.raises(library.OpCheckError, match="Argument x is not defined to alias output but was aliasing"):
            library.opcheck(f, (torch.ones(2),))
        with pytest.raises(library.OpCheckError, match="has no kernel for autograd"):
            library.opcheck(f, (torch.ones(2, requires_grad=True),), test_utils="test_autograd_registration")
    with pytest.raises(ValueError, match="expected test_utils to be subset of"):
        library.opcheck(op, (x,), test_utils="nope")
    with pytest.raises(ValueError, match="op must be instance of torch._ops.OpOverload"):
        library.opcheck(torch.ones, (x,))
    assert set(library.opcheck(torch.ops.aten.sin.default, (torch.ones(2),)).values()) == {"SUCCESS"}


# ---- threads, watchers, processes ----

def test_threads_define_and_call():
    shared, errors = scaled(), []
    shared.register_autograd(lambda ctx, g: (g * 2, None))

    def work(i):
        try:
            for k in range(40):
                with library._scoped_library(f"tests_thread{i}", "DEF") as lib:
                    lib.define("f(Tensor x) -> Tensor")
                    lib.impl("f", lambda x, k=k: x + k, "CPU")
                    assert op_of(f"{lib.ns}::f")(torch.ones(1)).item() == 1 + k
                x = torch.ones(3, requires_grad=True)
                shared(x).sum().backward()
                assert x.grad.tolist() == [2.0] * 3
                shared.register_kernel("cpu", lambda x, by=2.0: x * by)
        except BaseException as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors


@pytest.mark.cpu_only("compiles a program of its own")
def test_a_shared_library_brings_operators(tmp_path):
    source = tmp_path / "mine.c"
    source.write_text("""
#include <karat/karat.h>
#include <karat/plugin/operator.h>
static kt_status negate(kt_call *call, void *context)
{
    (void)context;
    call->out[0] = kt_keep(kt_neg(call->arg[0].t));
    return KT_OK;
}
__attribute__((constructor)) static void start(void)
{
    kt_operator   op = {.size = sizeof op, .name = "mine_in_c::negate", .schema = "negate(Tensor x) -> Tensor", .composite =
    true}; kt_kernel     cpu = {.size = sizeof cpu, .device = "cpu", .takes = "x: float32", .run = negate};
    const kt_row *row = 0;
    if (kt_row_append(&op, &row) == KT_OK)
        kt_row_kernel(row, &cpu);
}
""")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(_karat.__file__))))
    made = tmp_path / "mine.so"
    done = subprocess.run(["cc", "-std=gnu17", "-shared", "-fPIC", f"-I{root}/include", f"-I{build}/generated/include",
                           str(source), "-o",
                           str(made), f"-L{build}/lib", "-lkarat", f"-Wl,-rpath,{build}/lib"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no compiler that makes it: {done.stderr[:200]}")
    with pytest.raises(OSError, match="Could not load this library: /nonexistent.so"):
        torch.ops.load_library("/nonexistent.so")
    torch.ops.load_library(made)
    assert str(made) in torch.ops.loaded_libraries
    x = torch.ones(2, requires_grad=True)
    y = torch.ops.mine_in_c.negate(x)
    assert y.tolist() == [-1.0, -1.0] and torch.autograd.grad(y.sum(), x)[0].tolist() == [-1.0, -1.0]
    with pytest.raises(RuntimeError, match="mine_in_c::negate: expected scalar type Float but found Half for argument 'x'"):
        torch.ops.mine_in_c.negate(torch.ones(2).half())


# ---- vmap ----

def ruled(calls, out_dim=0):
    """scale(xs[0], by) + xs[1] with a derivative, and a rule that writes down its calls."""
    @library.custom_op(fresh("ruled"), mutates_args=())
    def op(xs: typing.List[Tensor], by: float) -> Tensor:
        return xs[0] * by + xs[1]

    def save(ctx, inputs, output):
        ctx.by = inputs[1]

    op.register_autograd(lambda ctx, g: ([g * ctx.by, g], None), setup_context=save)

    @op.register_vmap
    def rule(info, in_dims, xs, by):
        calls.append((info.batch_size, info.randomness, in_dims))
        made = op([x if dim is None else x.movedim(dim, 0) for x, dim in zip(xs, in_dims[0])], by)
        return made.movedim(0, out_dim), out_dim

    return op


def test_a_rule_for_vmap():
    calls = []
    op = ruled(calls)
    x, y = torch.arange(6.0).reshape(3, 2), torch.tensor([10.0, 20.0])
    want = x * 2 + y
    assert torch.vmap(lambda a: op([a, y], 2.0))(x).equal(want)
    assert torch.vmap(lambda a: op([a, y], 2.0), 1, randomness="same")(x.t()).equal(want)
    assert calls == [(3, "error", ([0, None], None)), (3, "same", ([1, None], None))]
    calls.clear()
    assert torch.vmap(torch.vmap(lambda a, b: op([a, b], 2.0)), (0, None))(x, y).equal(want)
    assert calls == [(2, "error", ([0, 0], None)), (3, "error", ([0, None], None))]
    assert torch.vmap(lambda a: op([y, y], 2.0) + a)(x).equal(y * 3 + x)  # no argument shows an example
    assert op([x, y], 2.0).equal(want) and len(calls) == 2
    assert torch.vmap(lambda a: ruled(calls, 1)([a, y], 2.0))(x).equal(want)


def test_gradients_through_a_rule_for_vmap():
    op = ruled([])
    x, y = torch.ones(3, 2, requires_grad=True), torch.ones(2, requires_grad=True)
    torch.vmap(lambda a: op([a * 3, y], 2.0) * a)(x).sum().backward()
    assert x.grad.tolist() == [[13.0, 13.0]] * 3 and y.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        torch.vmap(torch.func.grad(lambda a: op([a, y], 2.0).sum()))(x.detach())
    with pytest.raises(NotImplementedError, match="no forward mode of an operator with a rule"):
        torch.vmap(lambda a: torch.func.jvp(lambda u: op([u, y], 2.0), (a,), (a,)))(x.detach())


def test_rules_that_are_refused_replaced_and_withdrawn(lib):
    op, x = scaled(), torch.ones(3, 2)
    for answer, text in ((x, r"Got a <class 'karat.*Tensor'> instead"), ((x,), "Got 1 returns instead"),
                         ((x, (0, 0)), "incompatible .output, out_dims. tuple")):
        op.register_vmap(lambda info, in_dims, x, *by: answer)
        with pytest.raises(RuntimeError, match=text):
            torch.vmap(op)(x)

    def fail(*args):
        raise KeyError("mine")

    op.register_vmap(fail)
    with pytest.raises(KeyError, match="mine"):
        torch.vmap(op)(x)
    for wrong, text in ((5, "got unexpected type for op: <class 'int'>"), ("tests", "namespace::name")):
        with pytest.raises(ValueError, match=text):
            library.register_vmap(wrong, fail)
    with pytest.raises(AttributeError):
        library.register_vmap("tests_lib::nothing", fail)
    with pytest.raises(NotImplementedError, match="namespace aten"):
        library.register_vmap("aten::exp", fail)
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2, "CPU")
    rules = Library(lib.ns, "FRAGMENT")
    twice = op_of(f"{lib.ns}::twice")
    library.register_vmap(f"{lib.ns}::twice", lambda info, in_dims, x: (x * 5, in_dims[0]), lib=rules)
    assert torch.vmap(twice)(x).equal(x * 5) and torch.vmap(twice.default)(x).equal(x * 5)
    with pytest.raises(RuntimeError, match="already a kernel registered from python overriding twice's behavior for FuncTorch"):
        library.register_vmap(f"{lib.ns}::twice", fail)
    rules._destroy()
    assert torch.vmap(op_of(f"{lib.ns}::twice"))(x).equal(x * 2)


@pytest.mark.parametrize("schema, words, at", [
    ("g(Tensor a", "expected ) but found 'eof' here:", None),
    ("g(Tensor a) Tensor", "expected arrow but found 'ident' here:", (12, 6)),
    ("g(Tensor) -> Tensor", "expected ident but found ')' here:", (8, 1)),
    ("g(Tensor a b) -> Tensor", "expected ) but found 'ident' here:", (11, 1)),
    ("g(Tensor[ a) -> Tensor", "expected number but found 'ident' here:", (10, 1)),
    ("g(Tensor x=3) -> Tensor", "expected None but found 'number' here:", (11, 1)),
    ("g(int[] x=3) -> Tensor", "expected [ but found 'number' here:", (10, 1)),
    ("g(int x=foo) -> Tensor", "invalid numeric default value:", (11, 1)),
    ("g(Tensor x; int y) -> Tensor", "expected a valid token but found ';' here:", (10, 1)),
    ("g.a.b(Tensor x) -> Tensor", "expected eof but found '.' here:", (3, 1)),
    ("g(Tensor x) -> Foo", "unknown type specifier", (15, 3)),
    ("(Tensor x) -> Tensor", "expected ident but found '(' here:", (0, 1)),
])
def test_a_schema_with_a_mistake_is_shown_where_it_is(lib, schema, words, at):
    with pytest.raises(RuntimeError) as caught:
        lib.define(schema)
    text = str(caught.value)
    assert words in text and schema in text
    assert text.endswith(schema) if at is None else text.endswith(f"{schema}\n{' ' * at[0]}{'~' * at[1]} <--- HERE\n")


def test_schemas_as_people_write_them(lib):
    assert lib.define("one(Tensor x) -> (Tensor)") == "one" and lib.define("two.over(Tensor\n x ,int n = 3 )->Tensor") == "two"
    lib.impl("one", lambda x: x * 2, "CPU")
    space = getattr(torch.ops, lib.ns)
    assert str(space.one.default._schema) == f"{lib.ns}::one(Tensor x) -> Tensor" and space.one(torch.ones(1)).item() == 2
    assert str(space.two.over._schema) == f"{lib.ns}::two.over(Tensor x, int n=3) -> Tensor"
    with pytest.raises(RuntimeError, match="Non-default positional argument follows default argument. Parameter y"):
        lib.define("f(Tensor x, int k=3, Tensor y) -> Tensor")


def test_results_that_are_strings(lib):
    lib.define("word(Tensor x) -> str")
    lib.define("both(Tensor x) -> (str, Tensor, int)")
    lib.impl("word", lambda x: "f\u00fcnf" * int(x), "CPU")
    lib.impl("both", lambda x: ("", x * 2, 7), "CPU")
    space = getattr(torch.ops, lib.ns)
    assert space.word(torch.tensor(2)) == "f\u00fcnff\u00fcnf" and space.word(torch.tensor(0)) == ""
    word, double, number = space.both(torch.ones(1))
    assert (word, double.item(), number) == ("", 2.0, 7)
    lib.define("none(Tensor x) -> str")
    lib.impl("none", lambda x: 3, "CPU")
    with pytest.raises(RuntimeError, match="Unable to cast 3 to str"):
        space.none(torch.ones(1))


def test_tags(lib):
    lib.define("tagged(Tensor x) -> Tensor", tags=torch.Tag.pointwise)
    assert getattr(torch.ops, lib.ns).tagged.default.tags == [torch.Tag.pointwise]
    op = library.custom_op(fresh(), mutates_args=(), tags=(torch.Tag.needs_fixed_stride_order,))
    made = op(_same)
    assert made._opoverload.tags == [torch.Tag.pt2_compliant_tag, torch.Tag.needs_fixed_stride_order]


def _same(x: Tensor) -> Tensor:
    return x.clone()


def test_types_of_arguments_are_printed_as_pytorch_prints_them():
    types = [one.type for one in torch.ops.aten.sum.dim_IntList._schema.arguments]
    assert types == ["Tensor", "Optional[List[int]]", "bool", "Optional[int]"]
    assert [one.type for one in torch.ops.aten.add_.Tensor._schema.arguments] == ["Tensor", "Tensor", "number"]


def test_keyword_tensors_have_no_derivative():
    def scaled(x: Tensor, *, by: Tensor) -> Tensor:
        return x * by

    op = library.custom_op(fresh(), scaled, mutates_args=())
    with pytest.raises(NotImplementedError, match="custom_op with kwarg-only Tensor args"):
        op.register_autograd(lambda ctx, g: g)


def test_triton_operators():
    op = library.triton_op(fresh(), _same, mutates_args=())
    assert op(torch.ones(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="wrap_triton only works on functions annotated with triton.jit"):
        library.wrap_triton(_same)
    kernel = type("JITFunction", (), {"__module__": "triton.runtime.jit"})()
    with pytest.raises(NotImplementedError, match="does not launch Triton kernels"):
        library.wrap_triton(kernel)


@pytest.mark.parametrize("register", ["register_fake", "register_autograd", "register_kernel", "register_vmap"])
def test_registrations_for_no_operator(register):
    args = {"register_kernel": ("cpu", _same)}.get(register, (_same,))
    with pytest.raises(ValueError, match=rf"{register}\(3\): got unexpected type for op: <class 'int'>"):
        getattr(library, register)(3, *args)


def test_opcheck_of_a_packet():
    with pytest.raises(RuntimeError, match="opcheck can only test operators without overloads"):
        library.opcheck(torch.ops.aten.add, (torch.ones(1), torch.ones(1)))


def test_targets_by_keyword(lib):
    lib.define("double.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)")
    lib.define("twice(Tensor x, Tensor(a!) out) -> ()")
    lib.impl("double.out", lambda x, *, out: out.copy_(x * 2), "CPU")
    lib.impl("twice", lambda x, out: out.copy_(x * 2) and None, "CPU")
    space, out = getattr(torch.ops, lib.ns), torch.zeros(1)
    assert space.double.out(torch.ones(1), out=out) is out and out.item() == 2 and out._version == 1
    assert space.twice(torch.tensor([2.0]), out) is None and out.item() == 4
    with pytest.raises(RuntimeError, match="is missing value for argument 'out'"):
        space.double.out(torch.ones(1))
    assert torch.ops.aten.view.default.is_view and not torch.ops.aten.add_.Tensor.is_view and not space.twice.default.is_view


# ---- schemas that libraries write ----

def test_results_that_may_be_none(lib):
    lib.define("pair(Tensor x, bool second) -> (Tensor, Tensor?)")
    lib.define("behind(Tensor x) -> (Tensor?, Tensor)")
    lib.define("alone(Tensor x, bool given) -> Tensor?")
    lib.define("number(Tensor x, bool given) -> int?")
    lib.impl("pair", lambda x, second: (x + 1, x + 2 if second else None), "CPU")
    lib.impl("behind", lambda x: (None, x + 1), "CPU")
    lib.impl("alone", lambda x, given: x + 1 if given else None, "CPU")
    lib.impl("number", lambda x, given: 7 if given else None, "CPU")
    ops, x = getattr(torch.ops, lib.ns), torch.ones(2)
    assert ops.pair(x, False)[1] is None and ops.pair(x, True)[1].tolist() == [3.0, 3.0]
    first, second = ops.behind(x)
    assert first is None and second.tolist() == [2.0, 2.0]
    assert ops.alone(x, False) is None and ops.alone(x, True).tolist() == [2.0, 2.0]
    assert ops.number(x, False) is None and ops.number(x, True) == 7
    assert str(ops.pair.default._schema).endswith("(Tensor x, bool second) -> (Tensor, Tensor?)")
    assert ops.pair.default._schema.returns[1].type == "Optional[Tensor]"
    assert torch.vmap(lambda row: ops.pair(row, False)[0])(torch.ones(3, 2)).shape == (3, 2)
    lib.define("never(Tensor x) -> (Tensor, Tensor)")
    lib.impl("never", lambda x: (x + 1, None), "CPU")
    with pytest.raises(RuntimeError, match="Unable to cast None to Tensor"):
        ops.never(x)


def test_a_derivative_where_a_result_is_none(lib):
    lib.define("pair(Tensor x, bool second) -> (Tensor, Tensor?)")
    lib.impl("pair", lambda x, second: (x * 2, x * 3 if second else None), "CPU")
    library.register_autograd(f"{lib.ns}::pair", lambda ctx, a, b: ((a * 2 if b is None else a * 2 + b * 3), None), lib=lib)
    run, x = getattr(torch.ops, lib.ns).pair, torch.ones(2, requires_grad=True)
    one, none = run(x, False)
    assert none is None and torch.autograd.grad(one.sum(), x)[0].tolist() == [2.0, 2.0]
    one, other = run(x, True)
    assert torch.autograd.grad((one + other).sum(), x)[0].tolist() == [5.0, 5.0]


def test_an_alias_without_a_name(lib):
    lib.define("into(Tensor x, Tensor! out, Tensor! more) -> ()")
    lib.impl("into", lambda x, out, more: (out.copy_(x), more.zero_(), None)[2], "CPU")
    run = getattr(torch.ops, lib.ns).into
    assert str(run.default._schema) == f"{lib.ns}::into(Tensor x, Tensor($0! -> ) out, Tensor($1! -> ) more) -> ()"
    assert run.default._schema.is_mutable
    out, more = torch.zeros(2), torch.ones(2)
    before = out._version
    assert run(torch.ones(2), out, more) is None and out.tolist() == [1.0, 1.0] and more.tolist() == [0.0, 0.0]
    assert out._version == before + 1


def test_as_many_arguments_as_an_optimizer_s_step(lib):
    names = ", ".join(f"float a{i}" for i in range(18))
    lib.define(f"step(str name, Tensor(a0!) p, {names}, Tensor? q=None, bool skip=False, *, int last=3, float end=0.5) -> ()")
    seen = []
    lib.impl("step", lambda *args, **kwargs: seen.append((args, kwargs)), "CPU")
    run, x, q = getattr(torch.ops, lib.ns).step, torch.ones(1), torch.ones(2)
    run("adam", x, *range(18), q, True, last=5, end=0.25)
    (name, p, *numbers, given, skip), keywords = seen.pop()
    assert name == "adam" and p is x and numbers == [float(i) for i in range(18)] and given is q and skip is True
    assert keywords == {"last": 5, "end": 0.25}


def test_kernels_by_types_of_devices_and_by_dispatch_keys(lib):
    lib.define("twice(Tensor x) -> Tensor")
    name = f"{lib.ns}::twice"
    torch.library.impl(name, ("CPU", "CUDA"), lib=lib)(lambda x: x * 2)
    torch.library.impl(name, "CompositeExplicitAutograd", lib=lib)(lambda x: x * 3)
    assert getattr(torch.ops, lib.ns).twice(torch.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="already a kernel registered"):
        torch.library.impl(name, "cpu", lib=lib)(lambda x: x)
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        torch.library.impl(name, "Cpu", lib=lib)
