"""karat.utils.flop_counter: PyTorch 2.11's counts (written down here), modules, formulas of the user."""

import pytest

import karat
from karat import nn
from karat.nn import functional as F
from karat.utils.flop_counter import FlopCounterMode, register_flop_formula


def counted(work, **options):
    with FlopCounterMode(display=False, **options) as counter:
        work()
    return {path: {str(op): flops for op, flops in counts.items()} for path, counts in counter.get_flop_counts().items()}


def leaf(*sizes):
    return karat.randn(*sizes, requires_grad=True)


@pytest.mark.parametrize("work, counts", [
    (lambda: (leaf(3, 4) @ leaf(4, 5)).sum().backward(), {"aten.mm": 360}),
    (lambda: karat.addmm(leaf(5), leaf(3, 4), leaf(4, 5)).sum().backward(), {"aten.addmm": 120, "aten.mm": 240}),
    (lambda: (leaf(2, 3, 4) @ leaf(2, 4, 5)).sum().backward(), {"aten.bmm": 720}),
    (lambda: karat.baddbmm(karat.ones(2, 3, 5), leaf(2, 3, 4), leaf(2, 4, 5)).sum().backward(),
     {"aten.baddbmm": 240, "aten.bmm": 480}),
    (lambda: F.linear(leaf(2, 7, 4), leaf(6, 4), leaf(6)).sum().backward(), {"aten.addmm": 672, "aten.mm": 1344}),
    (lambda: F.linear(leaf(2, 7, 4), leaf(6, 4)).sum().backward(), {"aten.mm": 2016}),
    (lambda: (leaf(2, 3, 4, 5) @ leaf(5, 6)).sum().backward(), {"aten.mm": 4320}),
    (lambda: karat.einsum("bij,bjk->bik", leaf(2, 3, 4), leaf(2, 4, 5)).sum().backward(), {"aten.bmm": 720}),
    (lambda: F.conv2d(leaf(2, 4, 9, 9), leaf(6, 4, 3, 3), stride=2).sum().backward(),
     {"aten.convolution": 13824, "aten.convolution_backward": 27648}),
    (lambda: F.conv1d(leaf(2, 4, 9), leaf(6, 2, 3), groups=2).sum().backward(),
     {"aten.convolution": 1008, "aten.convolution_backward": 3024}),
    (lambda: F.conv2d(karat.randn(2, 4, 9, 9), leaf(6, 4, 3, 3)).sum().backward(),
     {"aten.convolution": 42336, "aten.convolution_backward": 42336}),
    (lambda: F.conv_transpose1d(leaf(2, 4, 5), leaf(4, 3, 3), groups=2).sum().backward(),
     {"aten.convolution": 720, "aten.convolution_backward": 2160}),
    pytest.param(
        lambda: F.scaled_dot_product_attention(leaf(4, 6, 8), leaf(4, 7, 8), leaf(4, 7, 8)).sum().backward(), {"aten.bmm": 16128},
        marks=pytest.mark.not_on_a_gpu("the kernel of attention runs there")),
    (lambda: (leaf(3, 4) @ leaf(4)).sum().backward(), None), (lambda: leaf(3) + 1, None),
    (lambda: karat.empty(3, 4, device="meta") @ karat.empty(4, 5, device="meta"), {"aten.mm": 120}),
])
def test_counts(work, counts):
    assert counted(work) == ({} if counts is None else {"Global": counts})


def test_fused_attention_and_recurrent_layers_are_counted_too():
    name = "aten._scaled_dot_product_flash_attention_for_cpu"
    q, k = leaf(2, 4, 6, 8), leaf(2, 4, 7, 8)
    counts = counted(lambda: F.scaled_dot_product_attention(q, k, k).sum().backward())["Global"]
    product = 2 * 2 * 4 * 6 * 7 * 8
    assert counts == {name: 2 * product, name + "_backward": 5 * product}
    counts = counted(lambda: nn.LSTM(4, 5)(karat.randn(3, 2, 4)))["LSTM"]
    assert counts == {"aten.addmm": 2 * 3 * 2 * 20 * 4 + 2 * 3 * 2 * 20 * 5}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 5)
        self.block = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 7))

    def forward(self, x):
        return self.block(self.l1(x))


def test_modules_and_the_table(capsys):
    net, x = Net(), karat.randn(3, 4)
    counts = counted(lambda: net(x).sum().backward())
    assert counts == {"Global": {"aten.addmm": 552, "aten.mm": 984}, "Net": {"aten.addmm": 552, "aten.mm": 984},
                      "Net.l1": {"aten.addmm": 120, "aten.mm": 120}, "Net.block": {"aten.addmm": 432, "aten.mm": 864},
                      "Net.block.0": {"aten.addmm": 180, "aten.mm": 360}, "Net.block.2": {"aten.addmm": 252, "aten.mm": 504}}
    with FlopCounterMode(depth=1):
        net(x)
    assert capsys.readouterr().out == """\
Module            FLOP    % Total
-------------  -------  ---------
Net            552.000    100.00%
 - aten.addmm  552.000    100.00%
"""
    with FlopCounterMode(display=False) as counter:
        net(x)
        x @ x.t()
    assert counter.get_table(1) == """\
Module             FLOP    % Total
--------------  -------  ---------
Global          624.000    100.00%
 - aten.addmm   552.000     88.46%
 - aten.mm       72.000     11.54%
 Net            552.000     88.46%
  - aten.addmm  552.000     88.46%"""
    with FlopCounterMode(display=False) as nothing:
        pass
    assert nothing.get_table().split("\n")[-1] == "Global     0.000         0%" and nothing.get_total_flops() == 0
    with pytest.warns(UserWarning, match="mods argument is not needed anymore"):
        FlopCounterMode(net)


def test_modes_nest_and_begin_anew():
    a = karat.randn(3, 4)
    with FlopCounterMode(display=False) as outer:
        a @ a.t()
        with FlopCounterMode(display=False) as inner:
            a @ a.t()
        assert outer.get_total_flops() == 144
    assert inner.get_total_flops() == 72
    with outer:
        a @ a.t()
    assert outer.get_total_flops() == 72
    a @ a.t()
    assert outer.get_total_flops() == 72


def test_formulas_of_the_user():
    a = karat.randn(3, 4)
    aten = karat.ops.aten
    assert counted(lambda: a + a, custom_mapping={aten.add: lambda x, y, out_shape=None, **kw: x[0] * out_shape[1]}) == {
        "Global": {"aten.add": 12}}

    @register_flop_formula(aten.hypot)
    def of_hypot(x, y, out_shape=None, **keywords):
        return 5

    @register_flop_formula([aten.atan2], get_raw=True)
    def of_atan2(x, y, out_val=None, **keywords):
        return out_val.numel()

    assert counted(lambda: karat.hypot(a, a)) == {"Global": {"aten.hypot": 5}}
    assert counted(lambda: karat.atan2(a, a)) == {"Global": {"aten.atan2": 12}}
    with pytest.raises(RuntimeError, match="^duplicate registrations for aten.hypot$"):
        register_flop_formula(aten.hypot)(of_hypot)
    with pytest.raises(ValueError, match="expected each target to be OpOverloadPacket"):
        register_flop_formula(karat.add)(of_hypot)
    with pytest.raises(ZeroDivisionError):  # of a formula: raised at the end
        with FlopCounterMode(display=False, custom_mapping={aten.mul: lambda *shapes, out_shape=None: 1 // 0}):
            a * a
    assert counted(lambda: a @ a.t()) == {"Global": {"aten.mm": 72}}


def test_backward_inside_of_a_formula():
    class Twice(karat.autograd.Function):
        @staticmethod
        def forward(ctx, x, w):
            ctx.save_for_backward(x, w)
            return x @ w

        @staticmethod
        def backward(ctx, grad):
            x, w = ctx.saved_tensors
            with karat.enable_grad():
                y = w.detach().requires_grad_()
                (x.detach() @ y).sum().backward()
            return grad @ w.t(), x.t() @ grad

    class Layer(nn.Module):
        def forward(self, x):
            return Twice.apply(x, self.w)

    layer = Layer()
    layer.w = nn.Parameter(karat.randn(4, 5))
    counts = counted(lambda: layer(leaf(3, 4)).sum().backward())
    assert counts["Global"] == {"aten.mm": 120 * 5}
