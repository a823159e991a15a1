"""What PyTorch warns of, in its words: when the call is over, with the user's line, as an exception where filters say so."""

import subprocess
import sys
import warnings

import karat
import pytest

RESIZED = ("An output with one or more elements was resized since it had shape [3], which does not match the required output "
           "shape [2]. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they have "
           "zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).")
EXPANDED = ("Use of %s on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This also "
            "applies to advanced indexing e.g. %s")
FREEDOM = ("%s(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel divided "
           "by output numel).")


@pytest.fixture(autouse=True)
def always():
    karat.set_warn_always(True)
    yield
    karat.set_warn_always(False)


def wide():
    return karat.zeros(3).expand(2, 3)


@pytest.mark.parametrize("code, texts", [
    ("karat.add(karat.zeros(2), 1, out=karat.zeros(3))", [RESIZED]),
    ("karat.add(karat.zeros(2), 1, out=karat.zeros(0))", []),
    ("karat.sum(karat.zeros(2, 2), 0, out=karat.zeros(3))", [RESIZED]),
    ("karat.zeros(2, dtype=karat.complex64).float()", ["Casting complex values to real discards the imaginary part"]),
    ("karat.zeros(2).copy_(karat.zeros(2, dtype=karat.complex64))",
     ["Casting complex values to real discards the imaginary part"]),
    ("karat.zeros(2, dtype=karat.complex64).bool()", []),
    ("karat.zeros(0, dtype=karat.complex64).float()", []),
    ("wide().masked_fill_(wide() == 0, 1)", [EXPANDED % ("masked_fill_", "tensor[mask] = scalar")]),
    ("wide().index_fill_(0, karat.tensor([1]), 1)", [EXPANDED % ("index_fill_", "tensor[mask] = scalar")]),
    ("karat.addmv(karat.zeros(2) * 1j, karat.zeros(2, 3), karat.zeros(3))",
     ["Casting complex values to real discards the imaginary part"]),
    ("karat.addmv(karat.zeros(2) * 1j, karat.zeros(2, 3), karat.zeros(3), beta=0)", []),
    ("wide().__setitem__([0, 1], 1)", [EXPANDED % ("index_put_", "tensor[indices] = tensor")]),
    ("karat.zeros(2)[karat.ones(2, dtype=karat.uint8)]",
     ["indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."]),
    ("karat.where(karat.ones(2, dtype=karat.uint8), 1, 2)",
     ["where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. "
      "Use a boolean condition instead."]),
    ("karat.zeros(1).var()", [FREEDOM % "var"]),
    ("karat.std_mean(karat.zeros(2, 1), 1)", [FREEDOM % "std_mean"]),
    ("karat.zeros(1).var(unbiased=False)", []),
    ("karat.cross(karat.zeros(3, 3), karat.zeros(3, 3))", ["Using torch.cross without specifying the dim arg is deprecated."]),
    ("karat.meshgrid(karat.zeros(2))",
     ["torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."]),
    ("karat.meshgrid(karat.zeros(2), indexing='ij')", []),
    ("karat.zeros(3).scatter(0, karat.tensor([1]), karat.ones(1), reduce='add')",
     ["The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch release. Use "
      "torch.scatter_reduce instead for more reduction options."]),
])
def test_texts(code, texts):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        eval(code)
    assert [str(one.message) for one in seen] == texts
    assert all(one.category is UserWarning for one in seen)


def test_the_line_is_the_users():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        karat.zeros(1).var()
    assert seen[0].filename == __file__


def test_once_a_process_unless_always():
    karat.set_warn_always(False)
    assert not karat.is_warn_always_enabled()
    z = karat.zeros(2, dtype=karat.complex64)
    z.float()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        z.float()
    assert not seen
    with pytest.raises(RuntimeError, match="setWarnOnlyOnce expects a bool, but got int"):
        karat.set_warn_always(1)


def test_as_exceptions():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="degrees of freedom"):
            karat.zeros(1).var()
        with pytest.raises(UserWarning, match="upcoming release"):
            karat.meshgrid(karat.zeros(2), karat.zeros(1))
        with pytest.raises(RuntimeError, match="masked_scatter_ only supports"):  # the call's own failure comes first
            karat.zeros(2).masked_scatter(karat.ones(2, dtype=karat.uint8), karat.ones(2))
    assert karat.zeros(2).sum().item() == 0  # nothing is left behind


def test_whoever_shows_warnings_may_call_operators(monkeypatch):
    heard = []
    monkeypatch.setattr(warnings, "showwarning", lambda message, *rest, **more: heard.append(karat.ones(2).sum().item()))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        karat.zeros(1).var()
        with pytest.raises(RuntimeError, match="boolean masks"):
            karat.zeros(2).masked_scatter(karat.ones(2, dtype=karat.uint8), karat.ones(2))
    assert heard == [2.0, 2.0]


def test_said_once_or_always():
    np = pytest.importorskip("numpy")
    fixed = np.ones(2)
    fixed.flags.writeable = False
    calls = (lambda: karat.from_numpy(fixed), lambda: karat.frombuffer(b"abcd", dtype=karat.uint8),
             lambda: karat.tensor([np.ones(2), np.ones(2)]), lambda: karat.set_default_tensor_type(karat.FloatTensor))
    before = karat.is_warn_always_enabled()
    karat.set_warn_always(False)
    for call in calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in calls:
            call()
    karat.set_warn_always(True)
    try:
        for call in calls:
            for _ in range(2):
                with pytest.warns(UserWarning):
                    call()
    finally:
        karat.set_warn_always(before)


def test_bounds_that_a_float_does_not_have():
    for dtype, digits, name in ((karat.float16, 11, "c10::Half"), (karat.bfloat16, 8, "c10::BFloat16"),
                                (karat.float32, 24, "float"), (karat.float64, 53, "double")):
        x = karat.ones(2, dtype=dtype)
        text = rf"is out of bounds \[-\(2\^{digits}\), 2\^{digits}\]. Due to precision limitations {name} can support discrete"
        with pytest.warns(UserWarning, match="^to - 1 " + text):
            x.random_(0, 2**digits + 2)
        with pytest.warns(UserWarning, match="^from " + text):
            x.random_(-2**digits - 1, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x.random_(-2**digits, 2**digits + 1)


REAL_PART, HALF = "Casting complex values to real discards the imaginary part", "ComplexHalf support is experimental"
BETA, CROSS, GER = "index_reduce() is in beta", "Using torch.cross without", "torch.ger is deprecated"


@pytest.mark.parametrize("code, texts", [
    ("karat.sum(c, dtype=karat.float64)", [REAL_PART]),
    ("karat.cumsum(c, 0, dtype=karat.int64)", [REAL_PART]),
    ("karat.mean(c, dtype=karat.float32)", [REAL_PART]),
    ("karat.sum(c, dtype=karat.bool)", []),
    ("karat.sum(c[:0], dtype=karat.float64)", []),
    ("karat.zeros(3).copy_(c)", []),  # refused: nothing was cast
    ("karat.cross(v, v)", [CROSS]),
    ("karat.cross(v, v, out=karat.empty(0))", []),
    ("karat.ger(v, v)", []),
    ("karat.ger(v, v, out=karat.empty(0))", [GER]),
    ("karat.index_reduce(v, 0, i, v[:1], 'prod')", [BETA]),
    ("karat.index_reduce(v, 0, i, v[:1].double(), 'prod')", []),
    ("karat.ones(2, dtype=karat.half) + 1j", [HALF, HALF]),
    ("karat.autograd.grad(y, [w])", [HALF]),
])
def test_what_is_said_and_when(code, texts):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w = karat.ones((), dtype=karat.float16, requires_grad=True)
        names = {"karat": karat, "c": karat.ones(2, dtype=karat.complex64), "v": karat.ones(3), "i": karat.tensor([0]),
                 "w": w, "y": (w.expand(100) * 1j).abs().sum()}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            eval(code, names)
        except RuntimeError:
            pass
    said = [str(one.message) for one in heard]
    assert [text for text in dict.fromkeys(texts) if not any(s.startswith(text) for s in said)] == []
    assert len(set(said)) == len(set(texts)), said


def test_a_warning_in_backward_is_given_by_the_call_and_can_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w = karat.ones((), dtype=karat.float16, requires_grad=True)
        y = (w.expand(100) * 1j).abs().sum()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=HALF):
            karat.autograd.grad(y, [w], retain_graph=True)
        assert karat.zeros(2).sum() == 0  # nothing is left behind for the next call


def test_a_deprecated_function_says_so_once_a_process():
    program = ("import warnings, karat\n"
               "with warnings.catch_warnings(record=True) as said:\n"
               "    warnings.simplefilter('always')\n"
               "    for _ in range(3):\n"
               "        karat.chain_matmul(karat.ones(2, 2), karat.ones(2, 2))\n"
               "print([(w.category.__name__, w.lineno, str(w.message)[:40]) for w in said])\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[('UserWarning', 5, 'torch.chain_matmul is deprecated and wil')]\n"


def test_a_number_of_a_tensor_with_a_gradient():
    x = karat.tensor([1.5, 2.0], requires_grad=True)
    text = "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior"
    before = karat.is_warn_always_enabled()
    karat.set_warn_always(True)
    try:
        for convert in (float, complex):
            for one in (x[0], x):
                with pytest.warns(UserWarning, match=text):
                    try:
                        convert(one)
                    except ValueError:
                        assert one is x
    finally:
        karat.set_warn_always(before)
