"""Recurrent layers against the same steps written out with other operators: values, first and second derivatives; packed
sequences against each sequence alone; dtypes, autocast and refusals."""

import math

import cast_first
import karat as torch
import pytest
from karat import _karat

KINDS = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}


def random(*sizes, dtype=torch.float64):
    return (torch.randn(*sizes, dtype=torch.float64) * 0.5).to(dtype)


def make(kind, time, batch, features, units, layers=1, directions=1, biases=True, projected=0, dtype=torch.float64):
    """The input, the first states and the parameters."""
    gates, state, params = KINDS[kind], projected or units, []
    for layer in range(layers):
        for _ in range(directions):
            params += [random(gates * units, features if layer == 0 else state * directions, dtype=dtype),
                       random(gates * units, state, dtype=dtype)]
            params += [random(gates * units, dtype=dtype) for _ in range(2 * biases)]
            params += [random(projected, units, dtype=dtype)] if projected else []
    hx = [random(layers * directions, batch, state, dtype=dtype)]
    hx += [random(layers * directions, batch, units, dtype=dtype)] if kind == "lstm" else []
    return random(time, batch, features, dtype=dtype), hx, params


def step(kind, x, h, c, w_ih, w_hh, b_ih=None, b_hh=None, w_hr=None):
    """One step, by its definition."""
    mine, its = x @ w_ih.T + (0 if b_ih is None else b_ih), h @ w_hh.T + (0 if b_hh is None else b_hh)
    if kind == "gru":
        (r, z, n), (hr, hz, hn) = mine.chunk(3, 1), its.chunk(3, 1)
        r, z = torch.sigmoid(r + hr), torch.sigmoid(z + hz)
        n = torch.tanh(n + r * hn)
        return (1 - z) * n + z * h, None
    gates = mine + its
    if kind != "lstm":
        return (torch.tanh(gates) if kind == "rnn_tanh" else torch.relu(gates)), None
    i, f, g, o = gates.chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    h = torch.sigmoid(o) * torch.tanh(c)
    return (h if w_hr is None else h @ w_hr.T), c


def by_steps(kind, x, hx, params, biases=True, layers=1, directions=1, projected=False):
    """The whole layer: [time, batch, feature] in and out."""
    each, hs, cs = (4 if biases else 2) + bool(projected), [], []
    for layer in range(layers):
        sides = []
        for side in range(directions):
            at = layer * directions + side
            p = list(params[at * each:(at + 1) * each])
            w_hr = p.pop() if projected else None
            h, c, out = hx[0][at], hx[1][at] if len(hx) > 1 else None, []
            for t in range(len(x)):
                h, c = step(kind, x[len(x) - 1 - t if side else t], h, c, *p, *([] if biases else [None, None]), w_hr)
                out.append(h)
            sides.append(torch.stack(out[::-1] if side else out))
            hs.append(h)
            cs.append(c)
        x = torch.cat(sides, -1)
    return (x, torch.stack(hs)) + ((torch.stack(cs),) if len(hx) > 1 else ())


def run(kind, x, hx, params, biases=True, layers=1, directions=1, batch_first=False, sizes=None):
    states = hx if kind == "lstm" else hx[0]
    if sizes is not None:
        return getattr(torch, kind)(x, sizes, states, params, biases, layers, 0.0, False, directions == 2)
    return getattr(torch, kind)(x, states, params, biases, layers, 0.0, False, directions == 2, batch_first)


def slopes(results, leaves, second=False):
    """Gradients of a weighted sum of the results, and of the sum of their squares."""
    torch.manual_seed(5)
    loss = sum((r * random(*r.shape, dtype=r.dtype)).sum() for r in results)
    first = torch.autograd.grad(loss, leaves, create_graph=second)
    return list(first) + (list(torch.autograd.grad(sum((g * g).sum() for g in first), leaves)) if second else [])


def leaves_of(x, hx, params):
    return [t.detach().clone().requires_grad_() for t in (x, *hx, *params)]


CASES = [
    {},
    {"layers": 2, "directions": 2},
    {"biases": False, "units": 19, "batch": 7},
    {"units": 35, "directions": 2, "batch": 2},
    {"time": 1},
    {"batch": 70, "units": 9, "time": 3},
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_both_derivatives(kind, case):
    torch.manual_seed(1)
    case = {"time": 5, "batch": 3, "features": 4, "units": 6, **case}
    how = {k: case[k] for k in ("biases", "layers", "directions") if k in case}
    x, hx, params = make(kind, **case)
    got, want = [], []
    for results, f in (got, run), (want, by_steps):
        leaves = leaves_of(x, hx, params)
        made = f(kind, leaves[0], leaves[1:1 + len(hx)], leaves[1 + len(hx):], **how)
        results += [*made, *slopes(made, leaves, second=case["batch"] < 10)]
    assert len(got) == len(want)
    for a, b in zip(got, want):
        assert a.shape == b.shape and torch.allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("directions", [1, 2])
def test_projections(directions):
    torch.manual_seed(2)
    x, hx, params = make("lstm", 4, 3, 5, 20, layers=2, directions=directions, projected=7)
    got, want = [], []
    for results, f, more in (got, run, {}), (want, by_steps, {"projected": True}):
        leaves = leaves_of(x, hx, params)
        made = f("lstm", leaves[0], leaves[1:3], leaves[3:], layers=2, directions=directions, **more)
        results += [*made, *slopes(made, leaves, second=True)]
    for a, b in zip(got, want):
        assert a.shape == b.shape and torch.allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_batch_first_is_a_transpose(kind):
    torch.manual_seed(3)
    x, hx, params = make(kind, 4, 3, 5, 6)
    plain, turned = run(kind, x, hx, params), run(kind, x.transpose(0, 1), hx, params, batch_first=True)
    assert torch.equal(turned[0], plain[0].transpose(0, 1))
    for a, b in zip(turned[1:], plain[1:]):
        assert torch.equal(a, b)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("projected", [0, 4])
@pytest.mark.parametrize("directions", [1, 2])
def test_packed_sequences_are_each_alone(kind, directions, projected):
    if projected and kind != "lstm":
        pytest.skip("LSTMs alone are projected")
    torch.manual_seed(4)
    lengths = [5, 3, 3, 1]
    x, hx, params = make(kind, 5, 4, 3, 6, layers=2, directions=directions, projected=projected)
    sizes = torch.tensor([sum(n > t for n in lengths) for t in range(5)])
    together, alone = [], []
    leaves = leaves_of(x, hx, params)
    data = torch.cat([leaves[0][t, :int(n)] for t, n in enumerate(sizes)])
    out, *last = run(kind, data, leaves[1:1 + len(hx)], leaves[1 + len(hx):], layers=2, directions=directions, sizes=sizes)
    begins = [0, *sizes.cumsum(0).tolist()]
    rows = [torch.stack([out[begins[t] + i] for t in range(n)]) for i, n in enumerate(lengths)]
    together += [*rows, *last, *slopes([*rows, *last], leaves, second=True)]
    leaves = leaves_of(x, hx, params)
    rows, ends = [], []
    for i, n in enumerate(lengths):
        states = [h[:, i:i + 1] for h in leaves[1:1 + len(hx)]]
        made = by_steps(kind, leaves[0][:n, i:i + 1], states, leaves[1 + len(hx):], layers=2, directions=directions,
                        projected=bool(projected))
        rows.append(made[0][:, 0])
        ends.append(made[1:])
    last = [torch.cat(parts, 1) for parts in zip(*ends)]
    alone += [*rows, *last, *slopes([*rows, *last], leaves, second=True)]
    for a, b in zip(together, alone):
        assert a.shape == b.shape and torch.allclose(a, b, atol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype,close", [(torch.float32, 2e-5), (torch.bfloat16, 0.1), (torch.float16, 0.02)])
def test_narrow_dtypes(kind, dtype, close):
    torch.manual_seed(6)
    made = make(kind, 4, 3, 5, 18, dtype=dtype)
    got, want = [], []
    for results, f, wide in (got, run, dtype), (want, by_steps, torch.float64):
        leaves = [t.to(wide) for t in leaves_of(*made)]
        leaves = [t.detach().requires_grad_() for t in leaves]
        parts = f(kind, leaves[0], leaves[1:1 + len(made[1])], leaves[1 + len(made[1]):])
        assert all(p.dtype == wide for p in parts)
        results += [*parts, *slopes(parts, leaves)]
    for a, b in zip(got, want):
        assert torch.allclose(a.double(), b, rtol=close, atol=close)


@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn_tanh"])
def test_complex(kind):
    torch.manual_seed(7)
    made = [make(kind, 3, 2, 3, 4) for _ in range(2)]
    x, hx, params = (torch.complex(a, b) if torch.is_tensor(a) else [torch.complex(*p) for p in zip(a, b)] for a, b in zip(*made))
    for a, b in zip(run(kind, x, hx, params), by_steps(kind, x, hx, params)):
        assert a.dtype == torch.complex128 and torch.allclose(a, b)


def test_integers_of_relu():
    x, hx, params = torch.ones(3, 2, 2, dtype=torch.int64), torch.zeros(1, 2, 2, dtype=torch.int64), [torch.eye(2).long()] * 2
    out, last = torch.rnn_relu(x, hx, params, False, 1, 0.0, False, False, False)
    assert out.dtype == torch.int64 and out[:, 0, 0].tolist() == [1, 2, 3] and last.tolist() == [[[3, 3], [3, 3]]]


def test_dropout_is_between_layers():
    torch.manual_seed(8)
    x, hx, params = make("gru", 3, 2, 4, 5, layers=2)
    plain = torch.gru(x, hx[0], params, True, 2, 0.5, False, False, False)
    same = torch.gru(x, hx[0], params, True, 2, 0.0, True, False, False)
    dropped = torch.gru(x, hx[0], params, True, 2, 0.5, True, False, False)
    assert torch.equal(plain[0], same[0]) and not torch.equal(plain[0], dropped[0])
    assert torch.equal(plain[1][0], dropped[1][0]) and not torch.equal(plain[1][1], dropped[1][1])


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
def test_autocast():
    torch.manual_seed(9)
    given = {kind: make(kind, 3, 2, 4, 5, dtype=torch.float32) for kind in KINDS}
    before = _karat.get_autocast("cpu")
    _karat.autocast_enter()
    _karat.set_autocast("cpu", True, torch.bfloat16)
    try:
        dtypes = {kind: run(kind, *made)[0].dtype for kind, made in given.items()}
    finally:
        _karat.autocast_leave()
        _karat.set_autocast("cpu", *before)
    assert dtypes == {"lstm": torch.bfloat16, "gru": torch.float32, "rnn_tanh": torch.bfloat16, "rnn_relu": torch.bfloat16}


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
@pytest.mark.parametrize("lower, weights, given, result", [
    ("bfloat16", "float32", "bfloat16", "bfloat16"), ("float16", "float32", "float16", "float16"),
    ("bfloat16", "float32", "float16", "float32"), ("float16", "bfloat16", "bfloat16", "float32"),
    ("bfloat16", "bfloat16", "float32", "float32"),
])
def test_a_gru_under_autocast_takes_what_a_layer_before_it_lowered(lower, weights, given, result):
    dtype = {name: getattr(torch, name) for name in (lower, weights, given, result)}
    torch.manual_seed(3)
    gru, x = torch.nn.GRU(3, 4).to(dtype[weights]), torch.rand(5, 3).to(dtype[given])
    with torch.autocast("cpu", dtype=dtype[lower]):
        y, h = gru(x)
    assert y.dtype is h.dtype is dtype[result]
    assert torch.allclose(y.float(), gru.float()(x.float())[0], atol=0.02)
    y.float().sum().backward()
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype"), torch.autocast("cpu"):
        gru.double()(x)
    with torch.autocast("xpu"), pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype"):
        gru(x)  # PyTorch looks at the dtypes first only where no autocast is on


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
@pytest.mark.parametrize("lower, given, state, projected, output, cell", [
    ("bfloat16", "float32", None, 0, "bfloat16", "bfloat16"), ("bfloat16", "bfloat16", None, 0, "bfloat16", "bfloat16"),
    ("bfloat16", "float16", None, 0, "float32", "float32"), ("float16", "float16", None, 0, "float16", "float16"),
    ("float16", "float16", "float32", 0, "float32", "float32"), ("bfloat16", "float32", "bfloat16", 0, "bfloat16", "bfloat16"),
    ("bfloat16", "float32", None, 2, "bfloat16", "float32"), ("float16", "bfloat16", None, 2, "float16", "float32"),
    ("bfloat16", "bfloat16", None, 2, "bfloat16", "bfloat16"),
])
def test_an_lstm_under_autocast_is_lowered_where_pytorch_has_one_kernel(lower, given, state, projected, output, cell):
    """That takes float32 and bfloat16 without projections. Elsewhere products are lowered, and the cell has the wider dtype."""
    torch.manual_seed(4)
    lstm, x = torch.nn.LSTM(3, 4, proj_size=projected), torch.rand(5, 2, 3).to(getattr(torch, given))
    hx = None if state is None else (torch.zeros(1, 2, 4, dtype=getattr(torch, state)),) * 2
    with torch.autocast("cpu", dtype=getattr(torch, lower)):
        y, (h, c) = lstm(x, hx)
    assert y.dtype is h.dtype is getattr(torch, output) and c.dtype is getattr(torch, cell)
    want = lstm(x.float())
    assert torch.allclose(y.float(), want[0], atol=0.02) and torch.allclose(c.float(), want[1][1], atol=0.02)
    y.float().sum().backward()


@pytest.mark.cpu_only("classes of autocast that a GPU does not share")
@pytest.mark.parametrize("layer", [torch.nn.GRU, torch.nn.LSTM])
def test_float64_is_not_multiplied_by_what_autocast_lowered(layer):
    zeros = torch.zeros(1, 2, 4, dtype=torch.float64)
    packed = torch.nn.utils.rnn.pack_padded_sequence(torch.rand(5, 2, 3), [5, 3])
    hx = (zeros, zeros) if layer is torch.nn.LSTM else zeros
    with torch.autocast("cpu"), pytest.raises(RuntimeError, match="mat1 and mat2 must .* got Double and BFloat16"):
        layer(3, 4)(packed, hx)
    with torch.autocast("cpu"), pytest.raises(RuntimeError, match="get_mkldnn_dtype: unsupported data type"):
        torch.nn.LSTM(3, 4)(torch.rand(5, 2, 3), (zeros, zeros))


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_what_is_kept_beyond_the_caches(kind):
    """Written past them: the sequence in two halves, whose workspaces they hold, gives the same."""
    torch.manual_seed(0)
    layer, x = kind(8, 256), torch.randn(320, 32, 8)
    whole, _ = layer(x)
    slopes = torch.autograd.grad(whole, tuple(layer.parameters()), x.new_ones(whole.shape).sin())
    first, state = layer(x[:160])
    halves = torch.cat([first, layer(x[160:], state)[0]])
    wanted = torch.autograd.grad(halves, tuple(layer.parameters()), x.new_ones(whole.shape).sin())
    assert torch.allclose(whole, halves, atol=1e-6)
    for a, b in zip(slopes, wanted):
        assert (a - b).abs().max() < 1e-4 * b.abs().max()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_the_bits(threads):
    torch.manual_seed(10)
    x, hx, params = make("lstm", 4, 65, 32, 70, dtype=torch.float32)
    was, bits = torch.get_num_threads(), []
    for n in (threads, 1):
        torch.set_num_threads(n)
        leaves = leaves_of(x, hx, params)
        made = run("lstm", leaves[0], leaves[1:3], leaves[3:])
        bits.append([*made, *slopes(made, leaves)])
    torch.set_num_threads(was)
    assert all(torch.equal(a, b) for a, b in zip(*bits))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("directions,projected", [(1, 0), (2, 0), (1, 5)])
def test_threads_that_share_out_rows_do_not_change_the_bits(kind, directions, projected):
    """37 rows: of two threads each has its own for all steps, of eight each has its panels."""
    if projected and kind != "lstm":
        pytest.skip("only an LSTM projects its state")
    torch.manual_seed(3)
    x, hx, params = make(kind, 6, 37, 9, 70, directions=directions, projected=projected, dtype=torch.float32)
    made, threads = [], torch.get_num_threads()
    try:
        for n in 1, 2, 8:
            torch.set_num_threads(n)
            leaves = leaves_of(x, hx, params)
            results = run(kind, leaves[0], leaves[1:1 + len(hx)], leaves[1 + len(hx):], directions=directions)
            made.append([*results, *torch.autograd.grad(sum(r.square().sum() for r in results), leaves)])
    finally:
        torch.set_num_threads(threads)
    for other in made[1:]:
        assert all(torch.equal(a, b) for a, b in zip(made[0], other))


@pytest.mark.parametrize("kind", KINDS)
def test_cells(kind):
    torch.manual_seed(11)
    x, hx, params = make(kind, 1, 3, 4, 5)
    h, c = hx[0][0], hx[1][0] if len(hx) > 1 else None
    want = step(kind, x[0], h, c, *params)
    got = getattr(torch, kind + "_cell")(x[0], [h, c] if kind == "lstm" else h, *params)
    assert torch.allclose(got[0] if kind == "lstm" else got, want[0])
    if kind == "lstm":
        assert torch.allclose(got[1], want[1])
        bare = torch.lstm_cell(x[0], [h, c], *params[:2])
        assert torch.allclose(bare[0], step(kind, x[0], h, c, *params[:2])[0])


X, H, C = torch.randn(5, 3, 4).double(), torch.randn(1, 3, 6).double(), torch.randn(1, 3, 6).double()
W = [torch.randn(24, 4).double(), torch.randn(24, 6).double(), torch.randn(24).double(), torch.randn(24).double()]
G = [torch.randn(18, 4).double(), torch.randn(18, 6).double(), torch.randn(18).double(), torch.randn(18).double()]
ONE = (True, 1, 0.0, False, False, False)
REFUSED = [
    (lambda: torch.lstm(X, [H], W, *ONE), RuntimeError, "lstm expects two hidden states"),
    (lambda: torch.lstm(X, [H[0], C[0]], W, *ONE), IndexError,
     "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
    (lambda: torch.lstm(X, [H, C], W[:3], *ONE), RuntimeError, "got an incorrect number of RNN parameters"),
    (lambda: torch.lstm(X, [H[..., :5], C], W, *ONE), RuntimeError, "got an incorrect number of RNN parameters"),
    (lambda: torch.lstm(X, [H, C], W, False, *ONE[1:]), RuntimeError, "Expected more weights in stacked_rnn"),
    (lambda: torch.lstm(X, [H.repeat(2, 1, 1)] * 2, W, *ONE), RuntimeError, "Expected more hidden states in stacked_rnn"),
    (lambda: torch.lstm(X, [H, C], W, True, 1, 0.0, False, True, False), RuntimeError,
     "Odd number of params or hiddens given to a bidirectional RNN"),
    (lambda: torch.lstm(X[:0], [H, C], W, *ONE), RuntimeError, "Expected sequence length to be larger than 0 in RNN"),
    (lambda: torch.lstm(X[..., :3], [H, C], W, *ONE), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (15x3 and 4x24)"),
    (lambda: torch.lstm(X, [H[:, :2], C], W, *ONE), RuntimeError,
     "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
    (lambda: torch.lstm(X, [H, C[:, :2]], W, *ONE), RuntimeError,
     "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0"),
    (lambda: torch.lstm(X, [H.half(), C], W, *ONE), RuntimeError,
     "mat1 and mat2 must have the same dtype, but got Half and Double"),
    (lambda: torch.gru(X, H[:, :1], G, *ONE), RuntimeError, "output with shape [1, 6] doesn't match the broadcast shape [3, 6]"),
    (lambda: torch.gru(X, H[..., :5], G, *ONE), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x5 and 6x18)"),
    (lambda: torch.gru(X, H, [*G[:3], G[3][:7]], *ONE), RuntimeError,
     "The expanded size of the tensor (18) must match the existing size (7) at non-singleton dimension 1.  "
     "Target sizes: [3, 18].  Tensor sizes: [7]"),
    (lambda: torch.lstm(X[0], torch.tensor([3, 2]), [H, C], W, *ONE[:-1]), RuntimeError,
     "start (3) + length (2) exceeds dimension size (3)."),
    (lambda: torch.gru(X[0], torch.tensor([3]).int(), H, G, *ONE[:-1]), RuntimeError, "expected scalar type Long but found Int"),
    (lambda: torch.lstm_cell(X[0], [H[0]], *W), RuntimeError, "lstm_cell expects two hidden states"),
    (lambda: torch.lstm_cell(X[0][:, :3], [H[0], C[0]], *W), RuntimeError, "input has inconsistent input_size: got 3 expected 4"),
    (lambda: torch.lstm_cell(X[0], [H[0][:, :5], C[0]], *W), RuntimeError,
     "hidden0 has inconsistent hidden_size: got 5, expected 6"),
    (lambda: torch.gru_cell(X[0], H[0][:2], *G), RuntimeError, "Input batch size 3 doesn't match hidden0 batch size 2"),
    (lambda: torch.gru_cell(X[0], H[0], W[0], *G[1:]), RuntimeError,
     "weight_ih first dim must be 3 * hidden_size = 18, but got 24"),
    (lambda: torch.rnn_tanh_cell(X[0], H[0], W[0], W[1][:6]), RuntimeError,
     "weight_ih first dim must be 1 * hidden_size = 6, but got 24"),
    (lambda: torch.rnn_relu_cell(X[0][:, :3], H[0], W[0][:6], W[1]), RuntimeError,
     "weight_hh first dim must be 1 * hidden_size = 6, but got 24"),
    (lambda: torch.gru_cell(X[0], H[0][:, :5], *W), RuntimeError, "hidden0 has inconsistent hidden_size: got 5, expected 6"),
    (lambda: torch.gru(X, H.float(), G[:2], False, *ONE[1:]), RuntimeError,
     "expected m1 and m2 to have the same dtype, but got: float != double"),
    (lambda: torch.gru(X, H.float(), G, *ONE), RuntimeError,
     "mat1 and mat2 must have the same dtype, but got Float and Double"),
    (lambda: torch.gru(X, H[0], G[:3], *ONE), RuntimeError, "got an incorrect number of RNN parameters"),
    (lambda: torch.gru(X, H[0], G, *ONE), RuntimeError, "Expected more hidden states in stacked_rnn"),
    (lambda: torch.gru(X[0, 0], H, G[:3], True, 1, 0.0, False, False, True), IndexError,
     "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    (lambda: torch.gru(X[0], H, G, *ONE), RuntimeError, "input must have 3 dimensions, got 2"),
    (lambda: torch.gru(X[0, 0, 0], H, G, *ONE), RuntimeError,
     "both arguments to linear need to be at least 1D, but they are 0D and 2D"),
    (lambda: torch.gru(X[0, :, :3], H, G, *ONE), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x3 and 4x18)"),
    (lambda: torch.gru(X, H[:, 0, 0], G, *ONE), RuntimeError, "Expected more hidden states in stacked_rnn"),
    (lambda: torch.gru(X[0], torch.tensor([3]).int(), H, G[:3], *ONE[:-1]), RuntimeError,
     "got an incorrect number of RNN parameters"),
    (lambda: torch.gru(X[0, 0], torch.tensor([1]), H, G, *ONE[:-1]), RuntimeError, "input must have 2 dimensions, got 1"),
    (lambda: torch.gru_cell(X[0, 0], H[0], *G), IndexError,
     "Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
]


@pytest.mark.parametrize("call,kind,text", REFUSED)
def test_refusals(call, kind, text):
    with pytest.raises(kind) as e:
        call()
    assert str(e.value).splitlines()[0] == text


@pytest.mark.parametrize("kind", ["lstm", "gru", "rnn_tanh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_last_node_is_pytorchs(kind, dtype):
    x, hx, params = make(kind, 3, 2, 4, 5)
    x, hx, params = x.to(dtype), [h.to(dtype) for h in hx], [p.to(dtype).requires_grad_() for p in params]
    one_call = kind == "lstm" and dtype != torch.float64
    assert run(kind, x, hx, params)[0].grad_fn.name() == ("MkldnnRnnLayerBackward0" if one_call else "StackBackward0")
    assert run(kind, x[0], hx, params, sizes=torch.tensor([2]))[0].grad_fn.name() == "CatBackward0"


def test_meta():
    x, hx, params = make("lstm", 3, 2, 4, 5)
    made = run("lstm", x.to("meta"), [h.to("meta") for h in hx], [p.to("meta") for p in params])
    assert [tuple(m.shape) for m in made] == [(3, 2, 5), (1, 2, 5), (1, 2, 5)] and all(m.is_meta for m in made)


def test_no_sequences():
    x, hx, params = make("lstm", 3, 0, 4, 5)
    leaves = leaves_of(x, hx, params)
    made = run("lstm", leaves[0], leaves[1:3], leaves[3:])
    assert [tuple(m.shape) for m in made] == [(3, 0, 5), (1, 0, 5), (1, 0, 5)]
    made[0].sum().backward()
    assert torch.equal(leaves[4].grad, torch.zeros_like(leaves[4]))


def test_states_of_another_dtype_are_refused_as_in_pytorch():
    lstm, x, h, c = torch.nn.LSTM(2, 3), torch.ones(1, 1, 2), torch.zeros(1, 1, 3), torch.zeros(1, 1, 3)
    for state in ((h.double(), c.double()), (h, c.double()), (h.double(), c)):
        with pytest.raises(RuntimeError, match="get_mkldnn_dtype: unsupported data type"):
            lstm(x, state)
    with pytest.raises(RuntimeError, match="could not create a primitive descriptor for the LSTM forward"):
        lstm(x, (h.half(), c.half()))
    with torch.policy("permissive"):
        assert lstm(x, (h.double(), c.double()))[0].shape == (1, 1, 3)


def test_a_dry_run_of_mismatched_dtypes_says_what_eager_says():
    with pytest.raises(ValueError, match="RNN input dtype"):
        torch.nn.LSTM(3, 3, device="meta")(torch.ones(1, 3, 3, dtype=torch.float64, device="meta"))


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_tensors_of_two_devices(kind):
    x, h = torch.randn(5, 2, 3), torch.zeros(1, 2, 4)
    states = lambda h: (h, h) if kind == "LSTM" else h
    layer, elsewhere = getattr(torch.nn, kind)(3, 4), getattr(torch.nn, kind)(3, 4, device="meta")
    for call, what in [(lambda: elsewhere(x), "parameter"), (lambda: layer(x, states(h.to("meta"))), "hidden")]:
        with pytest.raises(RuntimeError) as e:
            call()
        text = "Input and {0} tensors are not at the same device, found input tensor at {1} and {0} tensor at meta"
        assert str(e.value).splitlines()[0] == text.format(what, x.device)


def test_the_slope_of_relu_passes_at_nan():
    """As that of torch.relu: what is not below 0 has one."""
    x = torch.tensor([[[math.nan]], [[1.0]]], requires_grad=True)
    rnn = torch.nn.RNN(1, 1, nonlinearity="relu")
    with torch.no_grad():
        for p in rnn.parameters():
            p.fill_(1.0)
    rnn(x)[0].sum().backward()
    assert x.grad.flatten().tolist() == [2.0, 1.0]


def test_what_flows_through_relu_at_nan_is_the_same_where_it_is_to_have_a_derivative():
    layer = torch.nn.RNN(2, 3, nonlinearity="relu", dtype=torch.float64)
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.rand_like(p) + 0.1)
    x = torch.rand(4, 2, 2, dtype=torch.float64)
    x[1, 0, 0], x[2, 1, 1] = math.nan, -math.inf
    x.requires_grad_()
    y = layer(x)[0]
    once, = torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True)
    twice, = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    torch.testing.assert_close(twice.detach(), once, equal_nan=True)
    assert once[0, 0].abs().sum() > 0
    assert torch.autograd.grad(twice.sum(), x)[0].tolist() == torch.zeros_like(x).tolist()  # not None: relu has a slope


@pytest.mark.cpu_only("a device takes other dtypes")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtypes", [
    (torch.float64, torch.bfloat16, torch.float32, torch.float16), (torch.float64, torch.float32, torch.int64, torch.bfloat16),
    (torch.bfloat16, torch.float16, torch.float64, torch.bool), (torch.bool, torch.float64, torch.bool, torch.float64)])
def test_permissive_runs_cells_in_the_common_dtype_of_all(kind, dtypes):
    torch.manual_seed(0)
    sizes, gates = [(2, 3), (2, 3), (3 * KINDS[kind], 3), (3 * KINDS[kind], 3)], KINDS[kind]
    x, h, *w = (random(*size).mul(2).to(d) for size, d in zip(sizes, dtypes))
    bias = random(gates * 3, dtype=dtypes[1])
    cell = getattr(torch, f"{kind}_cell")
    run = (lambda x, h, *rest: cell(x, (h, h), *rest)[1]) if kind == "lstm" else cell
    cast_first.is_as_cast_first(run, x, h, *w)
    cast_first.is_as_cast_first(run, x, h, *w, bias, bias)


def test_permissive_leaves_cells_as_they_are_where_pytorch_takes_them():
    x, h, w = random(2, 3, dtype=torch.float32), random(2, 3), random(3, 3)
    want = torch.rnn_tanh_cell(x, h, w.float(), w)
    with torch.policy("permissive"):
        assert torch.equal(torch.rnn_tanh_cell(x, h, w.float(), w), want)


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("packed", [False, True])
def test_a_projection_that_nothing_flows_through_has_no_gradient(steps, packed):
    m = torch.nn.LSTM(3, 4, proj_size=2, num_layers=2)
    x = torch.randn(steps, 1, 3)
    if packed:
        x = torch.nn.utils.rnn.pack_padded_sequence(x, [steps])
    m(x)[1][1].sum().backward()  # c_n alone: of one step the last layer's state is not projected
    assert (m.weight_hr_l1.grad is None) == (steps == 1)
    assert m.weight_hr_l0.grad.abs().sum() > 0 and m.weight_hh_l1.grad is not None
