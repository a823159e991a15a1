"""Lists of tensors on a device that takes several plans in one launch: the mirror, three at a time."""

import ctypes
import os

import karat
import pytest
from conftest import BUILD

library = ctypes.CDLL(os.path.join(BUILD, "backends", "mirror.so"))
decline, listed = library.mirror_decline, library.mirror_listed
listed.restype = ctypes.c_int64


def tensors(n, device="mirror"):
    return [karat.arange(float(i)).add(i).to(device) for i in range(n)]


def values(ts):
    return [t.tolist() for t in ts]


def taken(call):
    """How many plans of the call went in lists."""
    before = listed()
    call()
    return listed() - before


@pytest.mark.parametrize("n", [2, 3, 4, 8, 200])
def test_a_list_goes_together(n):
    x, here = tensors(n), tensors(n, "cpu")
    assert taken(lambda: karat._foreach_mul_(x, 3)) == n
    karat._foreach_mul_(here, 3)
    assert values(x) == values(here)
    sums, numbers = [], list(range(n))
    assert taken(lambda: sums.extend(karat._foreach_add(x, x, alpha=2))) == n
    assert values(sums) == values(karat._foreach_add(here, here, alpha=2))
    assert values(karat._foreach_addcmul(x, x, sums, numbers)) == values(
        karat._foreach_addcmul(here, here, [t.cpu() for t in sums], numbers))


def test_what_touches_each_other_goes_one_by_one():
    for device in ("mirror", "cpu"):
        x = karat.zeros(20, device=device)
        assert taken(lambda: karat._foreach_add_([x, x, x[:10], x[5:15]], 1)) == 0
        assert x.tolist() == [3] * 5 + [4] * 5 + [3] * 5 + [2] * 5
        assert taken(lambda: karat._foreach_add_([x[:5], x[15:]], [x[15:], x[:5]])) == 0
        assert x.tolist() == [5] * 5 + [4] * 5 + [3] * 5 + [7] * 5
        assert taken(lambda: karat._foreach_mul_([x[::2], x[1::2]], [2, 3])) == 0  # their spans overlap, if not they
        assert x[:2].tolist() == [10, 15]
    x = karat.zeros(20, device="mirror")
    assert taken(lambda: karat._foreach_add_([x[:5], x[5:10]], [x[10:15], x[10:15]])) == 2  # both read the same
    assert taken(lambda: karat._foreach_add_([x[:5], x[5:10]], [x[:5], x[5:10]])) == 2  # each reads what it writes


def test_a_kernel_that_is_declined_falls_back():
    x, here = tensors(7), tensors(7, "cpu")
    decline(b"mul")
    try:
        with pytest.warns(UserWarning, match="has no kernel") if not os.environ.get("KARAT_FALLBACK") else _nothing():
            assert taken(lambda: karat._foreach_mul_(x, 3)) == 0
    finally:
        decline(None)
    karat._foreach_mul_(here, 3)
    assert values(x) == values(here)


def test_other_cases_go_one_by_one():
    x = tensors(4)
    assert taken(lambda: karat._foreach_neg([t._neg_view() if hasattr(t, "_neg_view") else t for t in x])) in (0, 4)
    assert taken(lambda: karat._foreach_mul_([x[2]], 3)) == 0
    assert taken(lambda: karat._foreach_mul_([t.to("mirror:1") if i else t for i, t in enumerate(x)], 3)) == 0
    leaf = [t.detach().requires_grad_() for t in x]
    assert taken(lambda: karat._foreach_mul(leaf, 3)) == 0
    x = tensors(4)
    mixed = [x[2].clone(), x[2].to(karat.bfloat16), x[3].to(karat.int64)]
    assert taken(lambda: karat._foreach_add_(mixed, 1)) == 3
    assert values(mixed) == [[3, 4], [3, 4], [4, 5, 6]]


def test_lists_run_in_the_order_of_their_stream():
    mirror = karat._device.make("mirror")
    stream = mirror.Stream()
    with mirror.stream(stream):
        x = tensors(8)
        karat._foreach_mul_(x, 2)
        karat._foreach_add_(x, 1)
        y = karat._foreach_mul(x, x)
    stream.synchronize()
    here = tensors(8, "cpu")
    karat._foreach_mul_(here, 2)
    karat._foreach_add_(here, 1)
    assert values(y) == values(karat._foreach_mul(here, here))


class _nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False
