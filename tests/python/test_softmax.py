"""Softmax of lines: the order of its sums, which is the same on every instruction set, and lines of special numbers."""

import karat as torch
import numpy as np
import pytest

LANES = 32


def sum_by_lanes(x):
    """Of a line in float32: 32 lanes, of which upper halves are added to lower ones."""
    lane = np.zeros(LANES, np.float32)
    for i in range(0, len(x), LANES):
        lane = lane + x[i:i + LANES]
    while len(lane) > 1:
        lane = lane[:len(lane) // 2] + lane[len(lane) // 2:]
    return lane[0]


@pytest.mark.not_on_a_gpu("the order is that of the CPU's lanes")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("length", [32, 64, 96, 1024])
def test_sums_have_their_order(dtype, length):
    torch.manual_seed(length)
    grad = torch.randn(40, length).to(dtype)
    grad[:, 0] = 0
    # (grad - sum of grad * y) * y is minus the sum where grad is 0 and y is 1
    flow = torch._softmax_backward_data(grad, torch.ones_like(grad), -1, dtype)
    want = torch.from_numpy(np.array([-sum_by_lanes(line) for line in grad.float().cpu().numpy()])).to(dtype)
    assert flow[:, 0].cpu().tolist() == want.tolist()


LINES = {"negative": lambda x: -x.abs() - 1, "large": lambda x: x.abs() + 100, "far apart": lambda x: 90 * x,
         "zeros": lambda x: -0.0 * x.abs()}


@pytest.mark.parametrize("dtype,near", [(torch.float32, 1e-6), (torch.bfloat16, 4e-3)])
@pytest.mark.parametrize("length", [32, 64, 100, 1024, 1056])
def test_special_lines(dtype, near, length):
    torch.manual_seed(length)
    x = torch.randn(2, length)
    for name, make in LINES.items():
        line = make(x).to(dtype)
        line[1, 3] = -torch.inf
        exact = line.double().softmax(-1)
        assert torch.allclose(line.softmax(-1).double(), exact, rtol=near, atol=1e-30), name
        assert torch.allclose(line.log_softmax(-1).double(), line.double().log_softmax(-1), rtol=2 * near, atol=near), name


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("spoiled", [torch.nan, -torch.nan, torch.inf])
@pytest.mark.parametrize("length", [64, 100])
def test_what_spoils_a_line_spoils_no_other(dtype, spoiled, length):
    torch.manual_seed(length)
    x = torch.randn(5, length).to(dtype)
    whole = x.softmax(-1)
    x[2, 7] = spoiled
    for line, other in zip(x.softmax(-1).isnan().cpu().tolist(), range(5)):
        assert line == [other == 2] * length
    rest = torch.tensor([0, 1, 3, 4])
    assert torch.equal(x.softmax(-1)[rest], whole[rest])


@pytest.mark.parametrize("of", [torch.softmax, torch.log_softmax])
@pytest.mark.parametrize("length", [1, 31, 33, 63, 64, 65, 100, 128, 1000, 1024, 2049])
def test_narrow_lines_are_those_of_float32_rounded(of, length):
    torch.manual_seed(length)
    x = torch.randn(37, length) * torch.tensor([0.1, 1.0, 30.0, 300.0, 1e4, -0.0]).repeat(7)[:37, None]
    x[5], x[6, 0], x[7, -1] = -0.0, -float("inf"), float("inf")
    x = x.bfloat16()
    assert torch.equal(of(x, -1).nan_to_num(7), of(x.float(), -1).bfloat16().nan_to_num(7))


@pytest.mark.parametrize("back", [torch._softmax_backward_data, torch._log_softmax_backward_data])
@pytest.mark.parametrize("length", [1, 33, 64, 100, 1024, 2049])
def test_what_flows_back_is_that_of_float32_rounded(back, length):
    torch.manual_seed(length)
    grad, y = torch.randn(37, length).bfloat16(), torch.randn(37, length).log_softmax(-1).bfloat16()
    grad[3, 0], grad[4, -1] = float("nan"), float("inf")
    want = back(grad.float(), y.float(), -1, torch.float32).bfloat16()
    assert torch.equal(back(grad, y, -1, torch.bfloat16).nan_to_num(7), want.nan_to_num(7))
