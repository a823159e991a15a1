"""Operators of torch.library whose schema no row holds: lists beside other results, dicts, Any, complex numbers, texts in lists,
more arguments than a row has."""

import itertools

import karat as torch
import pytest
from karat import library

_count = itertools.count()


@pytest.fixture
def lib():
    made = library.Library(f"types{next(_count)}", "DEF")
    yield made
    made._destroy()


def define(lib, schema, function, key="CompositeExplicitAutograd"):
    lib.define(schema)
    name = schema.partition("(")[0]
    lib.impl(name, function, key)
    return getattr(getattr(torch.ops, lib.ns), name.partition(".")[0])


@pytest.mark.parametrize("schema, function, args, wanted", [
    ("f(Any x) -> Any", lambda x: [x], ({"a": 1},), [{"a": 1}]),
    ("f(Dict(str, int) d, str k) -> int", lambda d, k: d[k], ({"z": 4}, "z"), 4),
    ("f(Dict(int, float) d) -> float", lambda d: d[1], ({1: 2},), 2.0),
    ("f(complex x) -> complex", lambda x: x * 2, (1 + 2j,), 2 + 4j),
    ("f(complex x) -> complex", lambda x: x, (2,), 2 + 0j),
    ("f(str[] n, str? k=None) -> str[]", lambda n, k=None: [*n, str(k)], (["a"],), ["a", "None"]),
    ("f(int[2] x) -> int[]", lambda x: x, (3,), [3, 3]),
    ("f(int?[] x) -> int?", lambda x: x[0], ([None, 1],), None),
    ("f((int, str) x) -> (int, str)", lambda x: x, ((1, "a"),), (1, "a")),
    ("f(Dict(str, Dict(int, bool)) x) -> bool[]", lambda x: list(x["a"].values()), ({"a": {1: True}},), [True]),
    ("f(Any x=None) -> ()", lambda x=None: None, (), None),
])
def test_values_of_every_type(lib, schema, function, args, wanted):
    got = define(lib, schema, function)(*args)
    assert got == wanted and type(got) is type(wanted)


def test_lists_beside_other_results(lib):
    f = define(lib, "f(Tensor x, int n=2) -> (Tensor[], Tensor, int)", lambda x, n=2: (list(x.clone().chunk(n)), x.sum(), n))
    parts, whole, n = f(torch.arange(4.0))
    assert type(parts) is list and [p.tolist() for p in parts] == [[0, 1], [2, 3]] and whole.item() == 6 and n == 2
    assert len(f.default(torch.arange(4.0), n=4)[0]) == 4
    assert str(f.default._schema) == f"{lib.ns}::f(Tensor x, int n=2) -> (Tensor[], Tensor, int)"
    assert [one.type for one in f.default._schema.returns] == ["List[Tensor]", "Tensor", "int"]
    one_by_one = torch.func.vmap(lambda x: f(x)[:2])(torch.arange(8.0).view(2, 4))
    assert one_by_one[1].tolist() == [6, 22] and one_by_one[0][0].tolist() == [[0, 1], [4, 5]]


def test_what_is_recorded(lib):
    f = define(lib, "f(Dict(str, Tensor) d, complex c=1j) -> Dict(str, Tensor)",
               lambda d, c=1j: {k: v * 2 * abs(c) for k, v in d.items()}, "CompositeImplicitAutograd")
    x = torch.ones(2, requires_grad=True)
    f({"a": x}, 3j)["a"].sum().backward()
    assert x.grad.tolist() == [6, 6]


def test_a_derivative_of_grouped_results(lib):
    f = define(lib, "f(Tensor x) -> (Tensor[], Tensor)", lambda x: (list(x.clone().chunk(2)), x.sum()))
    seen = []

    def setup(ctx, inputs, output):
        ctx.n = len(output[0])

    def backward(ctx, parts, whole):
        seen.append((type(parts), len(parts), ctx.n))
        return torch.cat(parts) + whole

    library.register_autograd(f"{lib.ns}::f", backward, setup_context=setup)
    x = torch.arange(4.0, requires_grad=True)
    parts, whole = f(x)
    (parts[0].sum() * 3 + parts[1].sum() * 5 + whole).backward()
    assert x.grad.tolist() == [4, 4, 6, 6] and seen == [(list, 2, 2)]


def test_devices_and_fakes(lib):
    f = define(lib, "f(Tensor x) -> (Tensor[], Any)", lambda x: ([x + 1], "cpu"), "CPU")
    library.register_fake(f"{lib.ns}::f", lambda x: ([torch.empty_like(x)], "fake"))
    assert f(torch.ones(1))[1] == "cpu" and f(torch.ones(1, device="meta"))[1] == "fake"
    assert f.default.has_kernel_for_dispatch_key("CPU") and not f.default.has_kernel_for_dispatch_key("CUDA")
    lib.define("g(Tensor x) -> Any")
    with pytest.raises(NotImplementedError, match="Could not run .*::g' with arguments from the 'CPU' backend"):
        getattr(torch.ops, lib.ns).g(torch.ones(1))


def test_overloads_are_tried_in_turn(lib):
    define(lib, "f.a(Any x, int y) -> Any", lambda x, y: ("a", x, y))
    f = define(lib, "f.b(Dict(str, int) x) -> int", lambda x: 3)
    assert f({"a": 1}) == 3 and f("q", 2) == ("a", "q", 2) and f.overloads() == ["a", "b"]
    with pytest.raises(RuntimeError, match="failed to match any schema"):
        f(1)


def test_custom_op_of_such_a_type(lib):
    @library.custom_op(f"{lib.ns}::both", mutates_args=())
    def both(x: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
        return [x + 1, x + 2], x * 2

    parts, whole = both(torch.ones(1))
    assert [p.item() for p in parts] == [2, 3] and whole.item() == 2


def test_more_arguments_than_a_row_has(lib):
    names = ", ".join(f"Tensor x{i}" for i in range(40))
    assert define(lib, f"f({names}) -> Tensor", lambda *x: sum(x))(*[torch.ones(1)] * 40).item() == 40


def test_generators_and_memory_formats_reach_the_kernel(lib):
    f = define(lib, "f(Tensor x, *, Generator? g=None, MemoryFormat? m=None) -> Tensor",
               lambda x, *, g=None, m=None: torch.rand(2, generator=g) if g else x.clone(memory_format=m))
    a, b = (f(torch.ones(1), g=torch.Generator().manual_seed(3)) for _ in range(2))
    assert a.tolist() == b.tolist()
    x = torch.ones(1, 2, 3, 4)
    assert f(x, m=torch.channels_last).is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("args, kwargs, text", [
    (("a",), {}, r"Expected a value of type 'Tensor' for argument 'x' but instead found type 'str'"),
    ((torch.ones(1), 1.5), {}, r"Expected a value of type 'int' for argument 'n' but instead found type 'float'"),
    ((torch.ones(1), True), {}, r"Expected a value of type 'int' for argument 'n'"),
    ((torch.ones(1),), {"d": {1: 2}}, r"Expected a value of type 'Optional\[Dict\[str, int\]\]' for argument 'd'"),
    ((torch.ones(1), 1, {}), {}, r"takes 2 positional argument\(s\) but 3 was/were given"),
    ((), {"nope": 1}, r"missing value for argument 'x'"),
    ((torch.ones(1),), {"nope": 1}, r"Unknown keyword argument 'nope'"),
])
def test_arguments_that_do_not_fit(lib, args, kwargs, text):
    f = define(lib, "f(Tensor x, int n=2, *, Dict(str, int)? d=None) -> (Tensor[], Tensor)", lambda *a, **k: ([], torch.ones(1)))
    with pytest.raises(RuntimeError, match=text):
        f(*args, **kwargs)


@pytest.mark.parametrize("answer", [3, [torch.ones(1)], (torch.ones(1), [torch.ones(1)]), ([1], torch.ones(1)), None])
def test_results_that_do_not_fit(lib, answer):
    with pytest.raises((RuntimeError, TypeError)):
        define(lib, "f(Tensor x) -> (Tensor[], Tensor)", lambda x: answer)(torch.ones(1))


def test_the_end_of_a_library_ends_them():
    one = library.Library("types_end", "DEF")
    f = define(one, "f(Any x) -> Any", lambda x: x)
    with pytest.raises(RuntimeError, match="multiple times"):
        one.define("f(Any x) -> Any")
    assert f(1) == 1
    one._destroy()
    assert not hasattr(torch.ops.types_end, "f")


def test_what_belongs_to_rows_alone_is_refused(lib):
    with pytest.raises(NotImplementedError, match="a dtype rule is for operators"):
        @library.takes("", dtypes="PROMOTE")
        def both(x: torch.Tensor) -> tuple[list[torch.Tensor], torch.Tensor]:
            return [x], x

        library.custom_op(f"{lib.ns}::both", both, mutates_args=())
    with pytest.raises(NotImplementedError, match="takes is for operators"):
        define(lib, "g(Any x) -> Any", library.takes("x: float32")(lambda x: x))
