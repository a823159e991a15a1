"""A call under policy permissive beside the same call of operands that were cast to their common dtype first."""

import functools

import pytest

import karat as torch

DTYPES = torch.bool, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64


def _run(function, operands):
    """The result, and what flows to the operands that can have it; or the error's first line."""
    operands = [t.clone().requires_grad_(t.is_floating_point() or t.is_complex()) for t in operands]
    try:
        result = function(*operands)
    except (RuntimeError, NotImplementedError) as error:
        return str(error).splitlines()[0], []
    leaves = [t for t in operands if t.requires_grad and result.requires_grad]
    with torch.policy("torch"):  # a program may call backward outside of the scope
        return result.detach(), torch.autograd.grad(result.abs().sum(), leaves) if leaves else []


def is_as_cast_first(function, *operands):
    """`function` of the operands, which policy torch must refuse: the result bit for bit, gradients but for rounding."""
    common = functools.reduce(torch.promote_types, [t.dtype for t in operands])
    with pytest.raises((RuntimeError, NotImplementedError)):
        function(*operands)
    with torch.policy("permissive"):
        result, flows = _run(function, operands)
        wants, wanted = _run(lambda *given: function(*(t.to(common) for t in given)), operands)
    if isinstance(wants, str):
        assert result == wants
        return
    assert not isinstance(result, str), result
    torch.testing.assert_close(result, wants, rtol=0, atol=0, equal_nan=True)
    assert len(flows) == len(wanted)
    for flow, want in zip(flows, wanted):
        torch.testing.assert_close(flow, want, rtol=2e-2, atol=2e-2, equal_nan=True)
