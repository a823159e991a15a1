"""torch.ops: namespaces, packets and overloads, their schemas, how arguments are bound, and that every operator of the table is
there."""

import copy

import karat as torch
import pytest
from karat import _karat
from karat._ops import FunctionSchema, OpOverload, OpOverloadPacket, parse_schema

aten = torch.ops.aten
ALL = list(_karat.aten_names())


def test_names_of_things():
    assert repr(torch.ops) == "<module 'torch.ops' from '_ops.py'>" and repr(aten) == "<module 'torch.ops.aten' from 'torch.ops'>"
    assert repr(aten.add) == "<OpOverloadPacket(op='aten.add')>" and str(aten.add) == "aten.add"
    assert repr(aten.add.Tensor) == "<OpOverload(op='aten.add', overload='Tensor')>" and str(aten.add.Tensor) == "aten.add.Tensor"
    assert aten.add.Tensor.name() == "aten::add.Tensor" and aten.exp.default.name() == "aten::exp"
    assert aten.add.Tensor.__name__ == "add.Tensor" and aten.add.__name__ == "add" and aten.add.Tensor.namespace == "aten"
    assert isinstance(aten.add, OpOverloadPacket) and isinstance(aten.add.Tensor, OpOverload)
    assert aten.add is aten.add and aten.add.Tensor is aten.add.Tensor and aten.add.Tensor.overloadpacket is aten.add
    assert copy.deepcopy(aten.add.Tensor) is aten.add.Tensor and len({aten.add, aten.add.Tensor, aten.add.Tensor}) == 2
    assert aten.add.overloads() == ["Tensor", "Scalar", "out", "Scalar_out"]
    assert aten.add.Tensor.has_kernel_for_dispatch_key("CPU") and "add" in dir(aten)


def test_what_is_not_there():
    with pytest.raises(AttributeError, match="'_OpNamespace' 'aten' object has no attribute 'nosuch'"):
        aten.nosuch
    with pytest.raises(AttributeError, match="'_OpNamespace' 'nosuchns' object has no attribute 'nosuch'"):
        torch.ops.nosuchns.nosuch
    with pytest.raises(AttributeError, match="The underlying op of 'aten.add' has no overload name 'nosuch'"):
        aten.add.nosuch
    for whose in (aten, aten.add, torch.ops):
        with pytest.raises(AttributeError):
            whose.__path__


def test_schemas():
    schema = aten.add.Tensor._schema
    assert str(schema) == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    assert schema.name == "aten::add" and schema.overload_name == "Tensor" and not schema.is_mutable
    assert [one.name for one in schema.arguments] == ["self", "other", "alpha"]
    assert schema.arguments[2].kwarg_only and schema.arguments[2].default_value == 1 and schema.arguments[0].default_value is None
    written = aten.add_.Tensor._schema
    assert str(written) == "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"
    assert written.is_mutable
    assert written.arguments[0].alias_info.is_write and written.arguments[0].alias_info.before_set == {"a"}
    out = aten.add.out._schema
    assert str(out) == "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)"
    assert out.arguments[3].is_out
    split = str(aten.split.Tensor._schema)
    assert split == "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]"
    assert set(aten.sum._schemas) == set(o if o != "default" else "" for o in aten.sum.overloads())
    assert schema == parse_schema("add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "aten")
    assert isinstance(schema, FunctionSchema) and hash(schema) == hash(parse_schema(str(schema)))


@pytest.mark.parametrize("text, said", [
    ("f(float x=2.0, float y=1e-5, float z=0.1, float w=1e20, float v=1000) -> Tensor",
     "f(float x=2., float y=1.0000000000000001e-05, float z=0.10000000000000001, float w=1e+20, float v=1000.) -> Tensor"),
    ("f(Scalar s=0.5, Scalar t=1, bool[2] b=[True, False], int[] i=[1,2], str s2='a b') -> (Tensor a, Tensor)",
     'f(Scalar s=0.5, Scalar t=1, bool[2] b=[True, False], int[] i=[1, 2], str s2="a b") -> (Tensor a, Tensor)'),
    ("f() -> ()", "f() -> ()"), ("f(Tensor?[] x, Tensor(a!)[] y) -> int", "f(Tensor?[] x, Tensor(a!)[] y) -> int")])
def test_schemas_are_printed_as_in_pytorch(text, said):
    assert str(parse_schema(text)) == said


@pytest.mark.parametrize("text", ["", "f", "f(", "f(x) -> Tensor", "f(Tensor x)", "f(Tensor x) -> ", "f(Tensor(a x) -> Tensor",
                                  "f(int[2 x) -> Tensor", "f(Tensor x=[) -> Tensor", "f(Tensor x) -> Nothing",
                                  "::f(Tensor x) -> Tensor"])
def test_texts_that_are_no_schema(text):
    with pytest.raises(RuntimeError, match="<--- HERE"):
        parse_schema(text)


def test_calls():
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0])
    assert aten.add.Tensor(x, y).tolist() == [11, 22] and aten.mul(x, y).tolist() == [10, 40]
    assert aten.add.Tensor(x, y, alpha=2).tolist() == [21, 42] and aten.add.Tensor(self=x, other=y).tolist() == [11, 22]
    assert aten.add(1, 2).item() == 3 and aten.add.Tensor(1, x).tolist() == [2, 3] and aten.add.Scalar(x, 1).tolist() == [2, 3]
    assert aten.add_.Tensor(x.clone(), 2).tolist() == [3, 4]
    out = torch.empty(2)
    assert aten.add.out(x, y, out=out) is out and aten.add(x, y, out=out) is out and out.tolist() == [11, 22]
    m = torch.ones(2, 3)
    assert aten.sum(m, 1).tolist() == aten.sum.dim_IntList(m, [1]).tolist() == aten.sum.dim_IntList(m, 1).tolist() == [3, 3]
    assert aten.sum.dim_IntList(m, [1], True, dtype=torch.float64).dtype is torch.float64
    values, indices = aten.max.dim(m, 1)
    assert type(aten.max.dim(m, 1)) is tuple and values.tolist() == [1, 1] and indices.tolist() == [0, 0]
    a, b = torch.empty(0), torch.empty(0, dtype=torch.long)
    assert aten.max.dim_max(m, 0, max=a, max_values=b)[0] is a and a.tolist() == [1, 1, 1]
    assert type(aten.split(x, 1)) is list and [t.item() for t in aten.split(x, 1)] == [1, 2]
    assert aten._foreach_add_.Scalar([x.clone()], 1) is None and aten._foreach_add.Scalar([x], 1)[0].tolist() == [2, 3]
    assert aten.max_pool2d.default(torch.ones(1, 1, 4, 4), 2).shape == (1, 1, 2, 2)
    assert aten.mse_loss.default(x, y, 2).item() == 81 + 324 and aten.mse_loss.default(x, y).item() == (81 + 324) / 2
    assert aten.empty.memory_format([2], dtype=torch.float64, device="cpu", layout=torch.strided, pin_memory=False).shape == (2,)
    assert aten.mul.Tensor(torch.ones(1, requires_grad=True), 2).grad_fn.name() == "MulBackward0"
    assert aten.add.Tensor(torch.ones(2, device="meta"), 1).device.type == "meta"


@pytest.mark.parametrize("call, text", [
    (lambda x: aten.exp.default(1), r"aten::exp\(\) Expected a value of type 'Tensor' for argument 'self' but instead found type "
                                    r"'int'.\nPosition: 0\nValue: 1\nDeclaration: aten::exp\(Tensor self\) -> Tensor\n"
                                    r"Cast error details: Unable to cast 1 to Tensor"),
    (lambda x: aten.exp.default(), r"aten::exp\(\) is missing value for argument 'self'. Declaration: aten::exp\(Tensor self\) "
                                   r"-> Tensor"),
    (lambda x: aten.exp.default(x, x), r"aten::exp\(\) expected at most 1 argument\(s\) but received 2 argument\(s\)"),
    (lambda x: aten.add.Tensor(x, x, 3), r"aten::add\(\) takes 2 positional argument\(s\) but 3 was/were given"),
    (lambda x: aten.cumsum.default(x, dim=0, nothing=1), "Unknown keyword argument 'nothing' for operator 'aten::cumsum'. "
                                                         "Schema: aten::"),
    (lambda x: aten.cumsum.default(x, 0, dim=0), "Argument 'dim' specified both as positional and keyword argument. Schema: "
                                                 "aten::"),
    (lambda x: aten.select.int(x, 0, 1.0), "Expected a value of type 'int' for argument 'index' but instead found type 'float'"),
    (lambda x: aten.sum.dim_IntList(x, 0.5), r"Expected a value of type 'Optional\[List\[int\]\]' for argument 'dim'"),
    (lambda x: aten.sum.dim_IntList(x, [1, "a"]), r"instead found type 'list'(.|\n)*Unable to cast Python instance of type "
                                                  r"<class 'str'>"),
    (lambda x: aten.cumsum.default(x, 2**70), "Expected a value of type 'int' for argument 'dim' but instead found type 'int'"),
    (lambda x: aten.mul.Scalar(x, torch.tensor(2.0)), r"Expected a value of type 'number'(.|\n)*Cannot cast tensor\(2.*\) to "
                                                      r"number"),
    (lambda x: aten.cat.default(x), r"Expected a value of type 'List\[Tensor\]' for argument 'tensors' but instead found type "
                                    r"'Tensor'"),
    (lambda x: aten.cat.default([x, 3]), r"Expected a value of type 'List\[Tensor\]' for argument 'tensors' but instead found "
                                         r"type 'list'"),
    (lambda x: aten.empty.memory_format([2], device=3), r"Expected a value of type 'Optional\[Device\]'"),
    (lambda x: aten.empty.memory_format([2], device="bogus"), "Expected one of cpu, cuda"),
    (lambda x: aten.sum.default(x, dtype="a"), r"Expected a value of type 'Optional\[int\]' for argument 'dtype'"),
    (lambda x: aten.add("a", 1), r"Overloaded torch operator invoked from Python failed to match any schema:\n"
                                 r"aten::add\(\) Expected a value of type 'Tensor'"),
])
def test_arguments_that_do_not_fit(call, text):
    with pytest.raises(RuntimeError, match=text) as caught:
        call(torch.ones(2))
    assert hasattr(caught.value, "karat")


def test_errors_of_operators_are_explained():
    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype") as caught:
        aten.mm.default(torch.ones(2, 2), torch.ones(2, 2).half())
    assert caught.value.karat["op"] == "mm" and caught.value.karat["fixes"]


def test_overrides_are_shown_the_operator():
    seen = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(function)
            return "answer"

    x = torch.ones(1).as_subclass(Own)
    assert aten.add.Tensor(x, 1) == aten.add(x, 1) == "answer"
    assert seen == [aten.add.Tensor, aten.add]


def test_the_table_is_served():
    """Every schema of the table has a row, and its text is what is shown."""
    assert len(ALL) > 800
    for name in ALL:
        found = _karat.aten_overloads(name)
        assert found, name
        for overload, (operator, schema) in found.items():
            assert operator is not None, schema
            assert str(parse_schema(schema)) == schema, schema
            assert operator.row and (overload in schema)


def test_every_public_row_is_there():
    """The functions of torch are in torch.ops.aten, but for those that PyTorch has elsewhere."""
    missing = [name for name in _karat.functions if not name.startswith("_") and name not in ALL]
    elsewhere = {"fmax_", "fmin_", "logaddexp_", "logaddexp2_", "maximum_", "minimum_", "svd_lowrank", "pca_lowrank",
                 "unravel_index",
                 "softmin",
                 "einsum", "tanhshrink", "softsign", "glu_halves",
                 # the last have other arguments
                 "grid_sampler_2d_backward", "grid_sampler_3d_backward", "multilabel_margin_loss_backward"}
    assert set(missing) <= elsewhere, sorted(set(missing) - elsewhere)
    assert _karat.aten_overloads("nosuch") == {} and _karat.aten_overloads("") == {}
    for wrong in (3, None):
        with pytest.raises(TypeError):
            _karat.aten_overloads(wrong)
        with pytest.raises(TypeError):
            _karat.appended_operator(wrong)
        with pytest.raises(TypeError):
            _karat.read_schema(wrong)
    with pytest.raises(TypeError):
        _karat.call_first()
    assert _karat.appended_operator("add") is None


def test_overloads_that_are_no_rows():
    x, image = torch.arange(6.0).reshape(2, 3), torch.arange(16.0).reshape(1, 1, 4, 4)
    assert aten.sym_size(x) == aten.size(x) == [2, 3] and aten.sym_size(x, 1) == aten.sym_size.int(x, dim=1) == 3
    assert aten.sym_stride(x) == [3, 1] and aten.sym_numel.default(x) == aten.numel(x) == 6 and aten.dim(x) == 2
    assert aten.item(x[1, 2]) == aten._local_scalar_dense(x[1, 2]) == 5.0
    assert aten.equal(x, x.clone()) and not aten.equal(x, x + 1) and aten.allclose(x, x + 1e-9, rtol=0.0, atol=1e-5)
    assert aten.is_same_size(x, x) and aten.lift_fresh(x) is x and aten.detach_(image + 0) is not None
    values, indices = aten.max_pool2d_with_indices(image, [2, 2])
    assert values.flatten().tolist() == indices.flatten().tolist() == [5, 7, 13, 15]
    columns = aten.im2col(image, [2, 2], [1, 1], [0, 0], [2, 2])
    assert aten.col2im(columns, [4, 4], [2, 2], [1, 1], [0, 0], [2, 2]).equal(image)
    assert aten.einsum("ij->ji", [x]).equal(x.t())
    target = torch.tensor([0, 1])
    assert aten.cross_entropy_loss(x, target, None, 0).equal(torch.nn.functional.cross_entropy(x, target, reduction="none"))
    assert str(aten.sym_size.int._schema) == "aten::sym_size.int(Tensor self, int dim) -> SymInt"
    assert aten.sym_size.overloads() == ["int", "default"] and "sym_size" in dir(aten)
    for call, text in ((lambda: aten.equal(x), "aten::equal.. is missing value for argument 'other'"),
                       (lambda: aten.equal(x, 3), "a value of type 'Tensor' for argument 'other' but instead found type 'int'"),
                       (lambda: aten.dim(x, 1), "aten::dim.. expected at most 1 argument.s. but received 2"),
                       (lambda: aten.equal(x, others=x), "Unknown keyword argument 'others'|missing value"),
                       (lambda: aten.equal(x, x, self=x), "expected at most 2"),
                       (lambda: aten.allclose(x, x, self=x), "Argument 'self' specified both as positional and keyword"),
                       (lambda: aten.einsum("i", [x], [0]), "takes 2 positional argument.s. but 3 was/were given"),
                       (lambda: aten.sym_size(), "failed to match any schema")):
        with pytest.raises(RuntimeError, match=text):
            call()


@pytest.mark.cpu_only("values in float64; other devices are compared with the CPU")
def test_gradients_by_the_names_of_aten():
    """Operators that a backward pass is made of give what the pass gives; what the mask does not want is None."""
    def wave(*sizes):
        n = 1
        for size in sizes:
            n *= size
        return (torch.arange(n, dtype=torch.float64) * 0.37).sin().reshape(sizes).requires_grad_()

    F, grad = torch.nn.functional, torch.autograd.grad
    image, weight, up = wave(1, 2, 6, 6), wave(3, 2, 3, 3), wave(1, 3, 4, 4).detach()
    want = grad(F.conv2d(image, weight), (image, weight), up)
    got = aten.convolution_backward(up, image, weight, [3], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, False])
    assert torch.allclose(got[0], want[0]) and torch.allclose(got[1], want[1]) and got[2] is None
    x, scale, up = wave(4, 5), wave(5), wave(4, 5).detach().cos()
    _, mean, rstd = aten.native_layer_norm(x, [5], scale, None, 1e-5)
    got = aten.native_layer_norm_backward(up, x, [5], mean, rstd, scale, None, [True, True, True])
    want = grad(F.layer_norm(x, (5,), scale), (x, scale), up)
    assert all(torch.allclose(a, b) for a, b in zip(got, (*want, up.sum(0))))
    _, mean, rstd = aten.native_group_norm(image, None, None, 1, 2, 36, 1, 1e-5)
    up = wave(1, 2, 6, 6).detach().cos()
    got = aten.native_group_norm_backward(up, image, mean, rstd, None, 1, 2, 36, 1, [True, False, False])
    assert torch.allclose(got[0], grad(F.group_norm(image, 1), image, up)[0]) and got[1:] == (None, None)
    grid = wave(1, 3, 3, 2)
    up = wave(1, 2, 3, 3).detach()
    got = aten.grid_sampler_2d_backward(up, image, grid, 0, 0, False, [True, True])
    want = grad(F.grid_sample(image, grid, align_corners=False), (image, grid), up)
    assert all(torch.allclose(a, b) for a, b in zip(got, want))
    values, places = aten.max_pool2d_with_indices(image, [2, 2])
    want = grad(F.max_pool2d(image, 2), image, up)[0]
    assert torch.equal(aten.max_pool2d_with_indices_backward(up, image, [2, 2], [2, 2], [0, 0], [1, 1], False, places), want)
    assert torch.equal(aten.max_unpool2d(values, places, [6, 6]), F.max_unpool2d(values, places, 2))
    values, places = aten.adaptive_max_pool2d(image, [3, 3])
    assert torch.equal(aten.adaptive_max_pool2d_backward(up, image, places), grad(values, image, up)[0])
    want = grad(F.avg_pool2d(image, 2), image, up)[0]
    assert torch.equal(aten.avg_pool2d_backward(up, image, [2, 2], [2, 2], [0, 0], False, True, None), want)
    columns = aten.im2col(image, [2, 2], [1, 1], [0, 0], [2, 2])
    assert torch.equal(columns, F.unfold(image, 2, stride=2))
    assert torch.equal(aten.col2im(columns, [6, 6], [2, 2], [1, 1], [0, 0], [2, 2]), image)
    assert torch.allclose(aten.log_sigmoid_backward(up, up, up), up * (-up).sigmoid())
    assert aten.pad_sequence([torch.ones(1), torch.ones(2)], True, 0.5, "left").tolist() == [[0.5, 1], [1, 1]]
    assert aten.scalar_tensor(3, dtype=torch.int32).dtype == torch.int32
    with pytest.raises(RuntimeError, match="missing value for argument 'input'"):
        aten.convolution_backward(image)


# ---- overloads that are the derivative of another operator ----


def _close(got, want):
    return torch.allclose(got, want, atol=1e-6)


def test_losses_of_classes_by_parts():
    aten = torch.ops.aten
    x, target, weight = torch.rand(4, 5).log_softmax(1), torch.tensor([0, 2, 4, 1]), torch.rand(5)
    own = x.detach().requires_grad_()
    loss = torch.nn.functional.nll_loss(own, target, weight, ignore_index=2)
    value, total = aten.nll_loss_forward(x, target, weight, 1, 2)
    assert _close(value, loss) and _close(total, weight[torch.tensor([0, 4, 1])].sum())
    got = aten.nll_loss_backward(torch.tensor(2.0), x, target, weight, 1, 2, total)
    assert _close(got, torch.autograd.grad(loss, own)[0] * 2)
    with pytest.raises(RuntimeError, match="nll_loss_forward\\(\\) is missing value for argument 'weight'"):
        aten.nll_loss_forward(x, target)


def test_gradients_of_views_paddings_and_norms():
    aten, g = torch.ops.aten, torch.ones(2, 3)
    assert aten.select_backward(torch.ones(3), [2, 3], 0, 1).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert aten.slice_backward(torch.ones(2), [5], 0, 0, 4, 2).tolist() == [1, 0, 1, 0, 0]
    assert aten.embedding_dense_backward(g, torch.tensor([1, 1]), 3, -1, False).sum(1).tolist() == [0, 6, 0]
    assert aten.reflection_pad1d(torch.arange(3.0)[None], [1, 1]).tolist() == [[1, 0, 1, 2, 1]]
    assert aten.reflection_pad1d_backward(torch.ones(1, 5), torch.ones(1, 3), [1, 1]).tolist() == [[1, 3, 1]]
    x = torch.rand(4, 3)
    mean, scale = x.mean(0), (x.var(0, unbiased=False) + 1e-5).rsqrt()
    dx, dw, db = aten.native_batch_norm_backward(torch.rand(4, 3), x, torch.ones(3), None, None, mean, scale, True, 1e-5,
                                                 [True, False, True])
    assert dx.shape == (4, 3) and dw is None and db.shape == (3,) and abs(dx.sum().item()) < 1e-4


def test_sizes_in_a_list():
    aten, x = torch.ops.aten, torch.rand(1, 1, 2, 2)
    assert aten.upsample_nearest2d.vec(x, None, [2.0, 3.0]).shape == (1, 1, 4, 6)
    assert _close(aten.upsample_bilinear2d.vec(x, [3, 3], True, None)[0, 0, 0, 0], x[0, 0, 0, 0])
    with pytest.raises(RuntimeError, match="Must specify exactly one of output_size and scale_factors"):
        aten.upsample_nearest2d.vec(x, [2, 2], [1.0, 1.0])
    assert aten.upsample_nearest2d(x, [4, 4]).shape == (1, 1, 4, 4)
