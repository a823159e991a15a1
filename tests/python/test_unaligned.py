"""Memory of others that begins at an odd byte is shared, and every operator gives with it what it gives with aligned memory. The
loads and stores themselves are looked at by `make asan-python` (UndefinedBehaviorSanitizer)."""

import warnings

import karat
import pytest
from test_every_operator import FAMILIES, arguments, samples

pytestmark = pytest.mark.cpu_only("memory of NumPy, of buffers and of DLPack")

DTYPES = (karat.float32, karat.float64, karat.int64, karat.int16, karat.bfloat16, karat.complex64, karat.complex128)


def odd(t, offset=1):
    """The elements of t in memory that begins at an odd byte."""
    memory = bytearray(t.numel() * t.element_size() + offset + 8)
    at = offset + (-karat.frombuffer(memory, dtype=karat.uint8).data_ptr()) % 8
    made = karat.frombuffer(memory, dtype=t.dtype, count=t.numel(), offset=at).view(t.shape)
    assert made.data_ptr() % 8 == offset
    return made.copy_(t)


def some(dtype, shape=(3, 3)):
    return (karat.arange(1, 1 + shape[0] * shape[1]) % 7).reshape(shape).to(dtype)


def displaced(value):
    if isinstance(value, karat.Tensor):
        return odd(value)
    return [displaced(v) for v in value] if isinstance(value, list) else value


def cloned(value):
    if isinstance(value, karat.Tensor):
        return value.clone()
    return [cloned(v) for v in value] if isinstance(value, list) else value


def elements(values):
    flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
    return [v.tolist() for v in flat if isinstance(v, karat.Tensor)]


def outcome(function, values):
    karat.manual_seed(3)
    try:
        made = function(*values)
    except Exception as e:
        return type(e)
    made = made if isinstance(made, (tuple, list)) else (made,)
    return [(m.shape, m.dtype, m.tolist()) if isinstance(m, karat.Tensor) else m for m in made]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_operator(family):
    different, done = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, function in sorted(FAMILIES[family].items()):
            if "empty" in name or name == "resize_":  # memory that nobody wrote
                continue
            for dtype in DTYPES:
                x = some(dtype)
                good = {**samples(dtype), "Tensor": x, "Tensor|Scalar": x, "Tensor[]": [x, x]}
                for schema in function.schemas:
                    kinds = arguments(schema)
                    for wanted in ([good[k] for k, _ in kinds], [good[k] for k, has_default in kinds if not has_default]):
                        aside = cloned(wanted)  # functions may write
                        there = displaced(wanted)
                        a, b = outcome(function, aside), outcome(function, there)
                        done += not isinstance(a, type)
                        if repr(a) != repr(b) or repr(elements(aside)) != repr(elements(there)):
                            different.append((name, dtype, a, b))
    assert not different
    assert done >= len(FAMILIES[family])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("offset", (1, 2, 3, 4, 5, 7))
def test_views_and_targets(dtype, offset):
    plain, there = some(dtype, (6, 8)), odd(some(dtype, (6, 8)), offset)
    pick = karat.tensor([4, 0, 2])
    for view in (lambda t: t.t(), lambda t: t[::2, 1::3], lambda t: t[2:3].expand(4, 8), lambda t: t[1], lambda t: t[5, 7]):
        a, b = view(plain), view(there)
        assert repr(a) == repr(b) and a.tolist() == b.tolist()
        assert (a + a).tolist() == (b + b).tolist() and (a * 2).stride() == (b * 2).stride()
        assert a.sum().item() == b.sum().item() and a.clone().tolist() == b.clone().tolist()
    assert (plain @ plain.t()).tolist() == (there @ there.t()).tolist()
    assert there[pick].tolist() == plain[pick].tolist() and there.t()[pick].tolist() == plain.t()[pick].tolist()
    for write in (lambda t: t.t().add_(1), lambda t: t[::2, 1::3].zero_(), lambda t: t[:, 0].fill_(5), lambda t: t.triu_(),
                  lambda t: t.index_add_(0, pick, t[:3] + 1), lambda t: t.index_put_((pick,), t[0].clone(), accumulate=True),
                  lambda t: t[2:4].copy_(t[:2].to(karat.int8)), lambda t: karat.cumsum(t[0].clone(), 0, out=t[1]),
                  lambda t: karat.mul(t, 2, out=t), lambda t: t.random_(0, 5, generator=karat.Generator().manual_seed(1))):
        outcome(write, (plain,)), outcome(write, (there,))
        assert plain.tolist() == there.tolist()


def test_an_error_writes_nothing():
    x = odd(karat.arange(6))
    with pytest.raises(IndexError):
        x.index_put_((karat.tensor([1, 9]),), karat.tensor(0))
    with pytest.raises(RuntimeError):
        x.add_(1.5)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]


def test_numpy_fields_are_shared():
    numpy = pytest.importorskip("numpy")
    records = numpy.zeros(4, dtype={"names": ["kind", "value"], "formats": ["u1", "<f4"], "offsets": [0, 1], "itemsize": 8})
    values = karat.from_numpy(records["value"])
    values += karat.arange(4.0)
    assert records["value"].tolist() == [0, 1, 2, 3] and not records["kind"].any()
    records["value"][2] = 7
    assert values.mean().item() == 2.75
    assert karat.from_dlpack(values).mul_(2).tolist() == [0, 2, 14, 6] == records["value"].tolist()
    seen = karat.from_numpy(numpy.frombuffer(bytearray(9), dtype="u1")[1:]).view(karat.float32)  # odd by a change of dtype
    assert seen.add_(1).tolist() == [1, 1]


def test_gradients():
    x = odd(karat.arange(6.0)).requires_grad_()
    (x * x).sum().backward()
    assert x.grad.tolist() == [0, 2, 4, 6, 8, 10]
