"""The layout of gradients. Of .grad PyTorch documents it: the leaf's own where that is dense, else row-major; what is there
already keeps its layout. What flows through products was found by trying PyTorch 2.11: a matrix of columns has a gradient of
columns."""

import pytest

import karat

F = karat.nn.functional


def layouts():
    return {
        "rows": karat.randn(3, 4),
        "columns": karat.randn(4, 3).t(),
        "permuted": karat.randn(4, 2, 3).permute(2, 0, 1),
        "channels_last": karat.randn(2, 3, 4, 5).to(memory_format=karat.channels_last),
        "expanded": karat.randn(1, 4).expand(3, 4),
        "strided": karat.randn(3, 8)[:, ::2],
        "empty": karat.randn(0, 3).t(),
        "one": karat.randn(1, 3, 1).permute(2, 1, 0),
    }


def dense(t):
    """Covers its span once."""
    step = 1
    for stride, size in sorted((s, n) for s, n in zip(t.stride(), t.shape) if n != 1):
        if stride != step:
            return t.numel() == 0
        step *= size
    return True


def same_layout(a, b):
    return all(x == y or n == 1 for x, y, n in zip(a.stride(), b.stride(), a.shape))


USES = {
    "sum": lambda x: x.sum(),
    "mul": lambda x: (x * karat.randn(x.shape)).sum(),
    "turned": lambda x: (x.permute(*reversed(range(x.dim()))).contiguous() * 2).sum(),
    "twice": lambda x: (x * 2).sum() + (x * x).sum(),
    "given": None,
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", layouts())
@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_first_gradient_has_the_layout_of_a_dense_leaf(name, use, create_graph):
    x = layouts()[name].detach().requires_grad_()
    for given in (karat.ones(x.shape), karat.ones(tuple(reversed(x.shape))).permute(*reversed(range(x.dim())))):
        x.grad = None
        if USES[use]:
            USES[use](x).backward(create_graph=create_graph)
        else:
            x.backward(given, create_graph=create_graph)
        assert same_layout(x.grad, x) if dense(x) else x.grad.is_contiguous()
        assert x.grad is not given and x.grad._base is None


def test_a_gradient_that_is_there_keeps_its_layout():
    x = karat.randn(4, 3).t().requires_grad_()
    x.grad = karat.zeros(3, 4)
    there = x.grad
    (x * 2).sum().backward()
    assert x.grad is there and there.stride() == (4, 1) and there[0, 0] == 2


def test_a_result_keeps_its_gradient_in_rows():
    y = karat.randn(4, 3).t().requires_grad_() * 2
    y.retain_grad()
    given = karat.ones(4, 3).t()
    y.backward(given)
    assert y.grad.stride() == (4, 1) and given.stride() == (1, 3)


def test_nobody_shares_a_gradient():
    a, b, given = karat.ones(2, 3, requires_grad=True), karat.ones(2, 3, requires_grad=True), karat.ones(2, 3)
    (a + b).backward(given)
    assert len({t.data_ptr() for t in (a.grad, b.grad, given)}) == 3
    x = karat.ones(3, requires_grad=True)
    seen = karat.ones(3)
    x.register_hook(lambda g: seen.detach())
    x.sum().backward()
    x.grad.add_(1)
    assert seen.tolist() == [1, 1, 1]


PRODUCTS = {
    "mm": (karat.mm, (3, 4), (4, 5)),
    "addmm": (lambda a, b: karat.addmm(karat.zeros(5, dtype=a.dtype), a, b, beta=2), (3, 4), (4, 5)),
    "matmul of a batch": (karat.matmul, (2, 3, 4), (4, 5)),
    "matmul of a batch of one": (karat.matmul, (2, 3, 4), (1, 4, 5)),
    "linear": (lambda a, b: F.linear(a, b.t()), (3, 4), (4, 5)),
    "linear with a bias": (lambda a, b: F.linear(a, b.t(), karat.zeros(5, dtype=a.dtype)), (3, 4), (4, 5)),
    "linear of a batch": (lambda a, b: F.linear(a, b.t(), karat.zeros(5, dtype=a.dtype)), (2, 3, 4), (4, 5)),
    "turned": (lambda a, b: a.t().t() @ b.t().t(), (3, 4), (4, 5)),
    "tensordot": (lambda a, b: karat.tensordot(a, b, 1), (3, 4), (4, 5)),
}


def columns(*shape):
    return karat.randn(*shape[:-2], shape[-1], shape[-2]).transpose(-1, -2)


@pytest.mark.parametrize("dtype", [karat.float64, karat.complex64])
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_matrix_of_columns_has_a_gradient_of_columns(name, dtype):
    product, first, second = PRODUCTS[name]
    for turn in range(4):
        a = (columns if turn & 1 else karat.randn)(*first).to(dtype).requires_grad_()
        b = (columns if turn & 2 else karat.randn)(*second).to(dtype).requires_grad_()
        y = product(a, b)
        for given in (karat.randn(y.shape, dtype=dtype), columns(*y.shape).to(dtype)):
            da, db = karat.autograd.grad(y, (a, b), given, retain_graph=True)
            assert same_layout(db, b)
            assert same_layout(da, a) if len(first) == 2 else da.is_contiguous()
            assert karat.allclose(da, (given @ b.mH).reshape(da.shape), atol=1e-4)
            assert karat.allclose(db, (a.mH @ given).reshape(-1, *second[-2:]).sum(0).reshape(db.shape), atol=1e-4) \
                or len(first) == 3
    assert karat.bmm(columns(2, 3, 4), (b := columns(2, 4, 5).requires_grad_())).sum().grad_fn is not None
    assert karat.autograd.grad(karat.bmm(karat.randn(2, 3, 4), b).sum(), b)[0].is_contiguous()


def test_weights_gradients_can_be_viewed_flat():
    """As LBFGS does it."""
    w, x = karat.randn(3, 2, requires_grad=True), karat.randn(4, 2)
    for y in (F.linear(x, w), x @ w.t(), (w @ x.t()).t(), karat.einsum("ni,oi->no", x, w), karat.einsum("ni,oi->on", x, w)):
        w.grad = None
        y.sum().backward()
        assert w.grad.stride() == (2, 1) and w.grad.view(-1).shape == (6,)


def test_of_every_row_the_gradient_has_the_layout_of_its_dense_leaf():
    """Every function of the table, a leaf of each layout in each tensor argument: the rule holds whatever the formula does."""
    import warnings

    from test_every_operator import FAMILIES, arguments, samples

    shapes = {
        "rows": lambda: karat.rand(3, 3),
        "columns": lambda: karat.rand(3, 3).t(),
        "strided": lambda: karat.rand(3, 6)[:, ::2],
        "expanded": lambda: karat.rand(1, 3).expand(3, 3),
        "cube": lambda: karat.rand(3, 3, 3).permute(2, 0, 1),
        "images": lambda: karat.rand(3, 3, 3, 3).to(memory_format=karat.channels_last),
    }
    wrong, rows, tried = [], set(), 0
    karat.manual_seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for family in FAMILIES.values():
            for name, function in sorted(family.items()):
                if name.endswith("_"):
                    continue
                for schema in function.schemas:
                    kinds = [kind for kind, has_default in arguments(schema) if not has_default]
                    for layout, make in shapes.items():
                        leaves = []

                        def leaf():
                            leaves.append(make().detach().requires_grad_())
                            return leaves[-1]

                        good = samples(karat.float32)
                        makers = {"Tensor": leaf, "Tensor|Scalar": leaf, "Tensor[]": lambda: [leaf(), leaf()]}
                        values = [makers[kind]() if kind in makers else good[kind] for kind in kinds]
                        try:
                            made = function(*values)
                            made = made if isinstance(made, (tuple, list)) else (made,)
                            sum(part.abs().sum() for part in made if part.requires_grad).backward()
                        except Exception as e:
                            assert not isinstance(e, SystemError), (name, e)
                            continue
                        for x in leaves:
                            if x.grad is not None:
                                rows.add(name)
                                tried += 1
                                if not (same_layout(x.grad, x) if dense(x) else x.grad.is_contiguous()):
                                    wrong.append((name, layout, x.stride(), x.grad.stride()))
    assert wrong == []
    assert len(rows) > 200 and tried > 1500, (len(rows), tried)


@pytest.mark.parametrize("mean", [lambda x: x.mean(), lambda x: x.mean(-1), lambda x: karat.var_mean(x, 0)[1]])
def test_the_gradient_of_a_mean_has_memory_of_its_own(mean):
    x = karat.randn(3, 4, requires_grad=True)
    g, = karat.autograd.grad((mean(x) * 3).exp().sum(), x)
    assert g.stride() == (4, 1)
    g.mul_(2)


@pytest.mark.parametrize("f", [karat.sign, karat.floor, karat.sgn, lambda x: x.double(), lambda x: x.clone().zero_()])
def test_what_an_expansion_left_is_no_layout(f):
    for shape in ((1,), (1, 1)):
        x = karat.ones(shape, requires_grad=True)
        f(x).sum().backward()
        assert x.grad.stride() == x.stride()


def loss(name):
    return lambda x: getattr(F, name)(x, karat.zeros(3, 3), reduction="none")


# Of a gradient by rows through an operand of columns, and the other way round: as which of the two it lies, or by rows always.
@pytest.mark.parametrize("function,lies", [
    (karat.relu, "operand"), (F.leaky_relu, "operand"), (lambda x: F.threshold(x, 0.5, 1.0), "operand"), (karat.erf, "operand"),
    (karat.erfc, "operand"), (karat.erfinv, "operand"), (karat.sinc, "operand"), (karat.angle, "operand"),
    (lambda x: F.binary_cross_entropy_with_logits(x, karat.zeros(3, 3), reduction="none"), "operand"),
    (karat.logit, "gradient"), (karat.nan_to_num, "gradient"), (lambda x: karat.xlogy(x, 2.0), "gradient"),
    (karat.bernoulli, "gradient"), (karat.sin, "gradient"), (karat.sgn, "rows"), (lambda x: x ** 0, "rows"),
    (lambda x: karat.fmax(x, karat.zeros(3, 3)), "rows"), (loss("mse_loss"), "rows"), (loss("huber_loss"), "rows"),
])
def test_what_flows_through_a_function_of_one_element(function, lies):
    rows, columns = karat.rand(3, 3) / 2 + 0.25, (karat.rand(3, 3) / 2 + 0.25).t()
    for x, g in ((rows, columns), (columns, rows)):
        x = x.detach().requires_grad_()
        gradient, = karat.autograd.grad(function(x), [x], g)
        assert gradient.stride() == {"operand": x, "gradient": g, "rows": rows}[lies].stride()


@pytest.mark.parametrize("function,lies", [
    (karat.max, (3, 1)), (karat.median, (3, 1)), (lambda x: x.take(karat.tensor([0])), (1, 3)),
    (lambda x: x.masked_select(karat.ones(3, 3, dtype=karat.bool)), (1, 3)), (lambda x: x.gather(0, karat.tensor([[0]])), (3, 1)),
])
def test_what_flows_to_columns_from_elements_that_were_chosen(function, lies):
    x = karat.rand(3, 3).t().requires_grad_()
    y = function(x)
    assert karat.autograd.grad(y, [x], karat.ones_like(y))[0].stride() == lies


def test_what_flows_through_a_write_into_a_view_is_by_rows():
    base, other = karat.ones(2, 3, 4), karat.ones(4, 3, 2, requires_grad=True)
    base.transpose(0, 2).sub_(other)
    assert karat.autograd.grad(base.sum(), [other])[0].stride() == (6, 2, 1)


def test_a_vector_of_block_diag_has_a_gradient_of_its_own():
    matrix, vector = karat.ones(2, 2), karat.ones(3, requires_grad=True)
    (karat.block_diag(matrix, vector) ** 2).sum().backward()
    assert vector.grad.storage_offset() == 0 and vector.grad.tolist() == [2, 2, 2]


def lies(t):
    """The strides of dims that have more than one element."""
    return tuple(s for s, n in zip(t.stride(), t.shape) if n > 1)


def lie_alone(y, *inputs):
    """The same of gradients each of which is asked for alone."""
    return [lies(karat.autograd.grad(y, t, karat.randn(y.shape), retain_graph=True)[0]) for t in inputs]


# A matrix that has a gradient is multiplied with a batch as two matrices, and their gradients lie as they do; two batches have
# gradients by rows, and so has a batch of one beside a batch of one.
@pytest.mark.parametrize("first,second,of_first,of_second", [
    ((1, 3, 5), (1, 5, 4), (5, 1), (4, 1)), ((3, 5), (1, 5, 4), (5, 1), (4, 1)), ((3, 5), (2, 5, 4), (5, 1), (20, 1, 5)),
    ((1, 3, 5), (2, 5, 4), (5, 1), (20, 1, 5)), ((2, 3, 5), (1, 5, 4), (15, 5, 1), (4, 1)), ((5,), (2, 5, 4), (1,), (20, 1, 5)),
    ((2, 1, 3, 5), (1, 5, 4), (15, 5, 1), (4, 1)), ((5,), (1, 1, 5, 4), (1,), (1, 5)),
])
def test_what_flows_through_a_product_with_a_batch_of_rows(first, second, of_first, of_second):
    a, b = karat.randn(first, requires_grad=True), karat.randn(second, requires_grad=True)
    y = a @ b
    grads = karat.autograd.grad(y, [a, b], karat.randn(y.shape), retain_graph=True)
    assert [lies(g) for g in grads] == [of_first, of_second] == lie_alone(y, a, b)
    alone, = karat.autograd.grad(a.detach() @ b, b, karat.ones(y.shape))
    assert alone.is_contiguous() and karat.allclose(alone, karat.autograd.grad(y, b, karat.ones(y.shape))[0], atol=1e-5)


@pytest.mark.parametrize("first,second,of_first,of_second", [
    ((1, 3, 5), (1, 5, 4), (5, 1), (4, 1)), ((1, 3, 5), (5, 4), (1, 3), (1, 5)), ((2, 3, 5), (1, 5, 4), (15, 5, 1), (1, 5)),
    ((1, 3, 5), (2, 5, 4), (1, 3), (20, 1, 5)), ((3, 5), (1, 5, 4), (1, 3), (1, 5)),
])
def test_what_flows_through_a_product_with_a_batch_of_columns(first, second, of_first, of_second):
    a, b = (karat.randn(s[:-2] + (s[-1], s[-2])).mT.requires_grad_() for s in (first, second))
    y = a @ b
    grads = karat.autograd.grad(y, [a, b], karat.randn(y.shape), retain_graph=True)
    assert [lies(g) for g in grads] == [of_first, of_second] == lie_alone(y, a, b)


def test_what_flows_to_keys_of_attention_without_a_batch_of_many():
    q, k, v = karat.randn(1, 3, 5), karat.randn(1, 4, 5, requires_grad=True), karat.randn(1, 4, 2)
    assert lies(karat.autograd.grad(F.scaled_dot_product_attention(q, k, v).sum(), k)[0]) == (1, 4)


@pytest.mark.parametrize("dtype", [karat.float64, karat.complex64])
@pytest.mark.parametrize("shape", [(3, 2), (2, 3), (2, 4, 4)])
def test_what_flows_through_a_pseudo_inverse_is_of_columns(shape, dtype):
    a = karat.randn(shape, dtype=dtype, requires_grad=True)
    for y in (karat.linalg.pinv(a), karat.linalg.lstsq(a, karat.randn(shape[:-1] + (2,), dtype=dtype)).solution):
        g, = karat.autograd.grad(y, a, karat.ones_like(y))
        assert lies(g)[-2:] == (1, shape[-2]) and not g.is_conj()


# Lines are convolved as images of one row: with a weight whose channels lie side by side the result and both gradients lie so.
@pytest.mark.parametrize("convolve", [F.conv1d, F.conv_transpose1d])
@pytest.mark.parametrize("dtype", [karat.float32, karat.float64, karat.bfloat16, karat.complex64])
def test_what_flows_through_a_convolution_of_lines(convolve, dtype):
    x, weight = (karat.randn(s, dtype=dtype) for s in ((2, 3, 8), (3, 3, 4)))
    last = weight.mT.contiguous().mT
    assert last.stride() == (12, 1, 3) and convolve(x, weight).is_contiguous()
    x, last = x.requires_grad_(), last.requires_grad_()
    y = convolve(x, last)
    assert y.stride() == (3 * y.shape[2], 1, 3) and karat.allclose(y, convolve(x, weight), atol=0.1)
    grads = karat.autograd.grad(y, [x, last], karat.ones_like(y))
    if dtype == karat.complex64:
        assert all(g.is_contiguous() for g in grads)
    else:
        assert [g.stride() for g in grads] == [(24, 1, 3), (12, 1, 3)] and not any(g._is_view() for g in grads)
    one = karat.randn(2, 8, 1, dtype=dtype).mT  # one channel: contiguous, and channels last
    several = convolve(one, karat.randn((3, 1, 4) if convolve is F.conv1d else (1, 3, 4), dtype=dtype))
    assert several.is_contiguous() if dtype == karat.complex64 else several.stride()[1:] == (1, 3)
    turned = convolve(karat.randn(2, 8, 3, dtype=dtype).mT, weight)  # other lines are made contiguous
    assert turned.is_contiguous()


@pytest.mark.parametrize("convolve", [F.conv1d, F.conv_transpose1d])
def test_derivatives_of_a_convolution_of_lines_with_channels_side_by_side(convolve):
    x = karat.randn(2, 2, 5, dtype=karat.float64, requires_grad=True)
    weight = karat.randn(2, 3, 2, dtype=karat.float64).mT.requires_grad_()
    assert karat.autograd.gradcheck(convolve, (x, weight)) and karat.autograd.gradgradcheck(convolve, (x, weight))


@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
def test_what_flows_through_bilinear_is_by_rows(lead):
    def turned(*shape):
        return karat.randn(shape[:-2] + (shape[-1], shape[-2])).mT if len(shape) > 1 else karat.randn(shape)

    for make in (karat.randn, turned):
        x, y, weight = (make(*shape).requires_grad_() for shape in ((*lead, 3), (*lead, 4), (2, 3, 4)))
        z = F.bilinear(x, y, weight)
        assert karat.allclose(z, karat.einsum("...i,oij,...j->...o", x, weight, y), atol=1e-5)
        assert all(g.is_contiguous() for g in karat.autograd.grad(z, [x, y, weight], karat.ones_like(z)))


@pytest.mark.parametrize("dtype", [karat.float64, karat.complex128])
def test_what_flows_to_reflectors_lies_as_they_do(dtype):
    for a in (karat.randn(2, 4, 3, dtype=dtype), karat.randn(2, 3, 4, dtype=dtype).mT):
        a, tau = a.requires_grad_(), karat.rand(2, 3, dtype=karat.float64).to(dtype).requires_grad_()
        q = karat.linalg.householder_product(a, tau)
        g, of_tau = karat.autograd.grad(q, [a, tau], karat.ones_like(q))
        assert g.stride() == a.stride() and not g._is_view() and of_tau.is_contiguous()
    assert karat.autograd.gradgradcheck(karat.linalg.householder_product, (a, tau))


def images():
    return karat.rand(2, 4, 4, 4).contiguous(memory_format=karat.channels_last).requires_grad_()


def formats(t):
    return [order for order in (karat.contiguous_format, karat.channels_last) if t.is_contiguous(memory_format=order)]


def test_what_flows_to_parts_of_images_lies_as_all_of_them_do():
    x = images()
    parts = x.split(2, dim=1)
    flows = [karat.ones_like(part) for part in parts]
    assert formats(karat.autograd.grad(parts, x, flows, retain_graph=True)[0]) == [karat.channels_last]
    flows[1] = flows[1].contiguous()
    assert formats(karat.autograd.grad(parts, x, flows, retain_graph=True)[0]) == [karat.contiguous_format]
    only = karat.autograd.grad(parts[:1], x, flows[:1])[0]
    assert formats(only) == [karat.contiguous_format] and only.sum() == flows[0].numel()


@pytest.mark.parametrize("f", [lambda x: karat.nn.functional.glu(x, 1), lambda x: x.prod(1)])
def test_gradients_that_are_row_major_whatever_the_input(f):
    for x in (images(), karat.rand(4, 2, 4, 4).transpose(0, 1).requires_grad_()):
        y = f(x)
        assert formats(karat.autograd.grad(y, x, karat.ones_like(y))[0]) == [karat.contiguous_format]


def test_the_layout_of_padded_and_shuffled_images():
    pad, x = karat.nn.functional.pad, images()
    for widths in ((1, 1, 1, 1), (0, 0, 0, 0), (-1, 1, 1, -1)):
        assert formats(pad(x, widths, "circular")) == [karat.contiguous_format]
        for mode in ("reflect", "replicate", "constant"):
            assert formats(pad(x, widths, mode)) == [karat.channels_last]
    assert formats(pad(x, (0, 0, 2, -3), "replicate")) == [karat.channels_last]
    assert karat.nn.functional.pixel_shuffle(x, 2).stride() == (64, 1, 8, 1)
