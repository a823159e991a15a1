"""Numbers beside a tensor that its arithmetic cannot hold, and bounds that are NaN, as PyTorch 2.11 answers; derivatives whose
factors overflow or cancel when they are multiplied in another order."""
import math

import pytest

import karat as torch

NAN = math.nan


@pytest.mark.parametrize("dtype, alpha, name", [
    (torch.float16, 70000, "c10::Half"), (torch.float16, -65519, "c10::Half"), (torch.bfloat16, 1e39, "c10::BFloat16"),
    (torch.float32, -1e39, "float"), (torch.int8, 300, "int8_t"),
])
def test_alpha_must_fit(dtype, alpha, name):
    x = torch.ones(3, dtype=dtype)
    for call in (torch.add, torch.sub, torch.rsub):
        with pytest.raises(RuntimeError, match=f"value cannot be converted to type {name} without overflow"):
            call(x, x, alpha=alpha)
    with pytest.raises(RuntimeError, match="must match the size"):
        torch.add(x, torch.ones(4, dtype=dtype), alpha=alpha)


def test_other_factors_must_fit():
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.ones(3, dtype=dtype)
        for call in (lambda: torch.addcmul(x, x, x, value=1e39), lambda: torch.addcdiv(x, x, x, value=1e39),
                     lambda: torch.lerp(x, x, 1e39)):
            with pytest.raises(RuntimeError, match="value cannot be converted to type float without overflow"):
                call()
    with pytest.raises(RuntimeError, match="c10::Half without overflow"):
        torch.ones(3, dtype=torch.float16) ** 70000
    assert torch.add(torch.ones(2), torch.ones(2), alpha=math.inf).tolist() == [math.inf] * 2


def test_one_bound_that_is_nan_is_none():
    for x in (torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.bfloat16), torch.tensor([1, 2])):
        assert torch.clamp(x, min=NAN).tolist() == [1, 2]
        assert torch.clamp(x, max=NAN).tolist() == [1, 2]
        for both in (torch.clamp(x, NAN, 3), torch.clamp(x, 0, NAN), torch.clamp_min(x, NAN), torch.clamp_max(x, NAN),
                     torch.clamp(x, min=torch.tensor(NAN))):
            assert all(math.isnan(v) for v in both.tolist())


def test_order_of_factors():
    a = torch.tensor([2.1997352445720893e-26], requires_grad=True)
    torch.rsqrt(a).backward(torch.tensor([1.589]))
    assert math.isclose(a.grad.item(), -0.5 * 1.589 * 2.1997352445720893e-26 ** -1.5, rel_tol=1e-5)
    a, b = torch.tensor([737504.5625]), torch.tensor([1.57700667053571e-33], requires_grad=True)
    torch.xlogy(a, b).backward(torch.tensor([-0.2187]))
    assert math.isclose(b.grad.item(), -0.2187 * 737504.5625 / 1.57700667053571e-33, rel_tol=1e-5)
    w = 1 + 2.0 ** -51
    for weight in (w, torch.tensor([w], dtype=torch.float64)):
        x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
        torch.lerp(x, torch.tensor([3.0], dtype=torch.float64), weight).backward(torch.tensor([0.6172], dtype=torch.float64))
        assert x.grad.item() == 0.6172 * -(2.0 ** -51)
