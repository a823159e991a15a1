"""What stays the same: nodes, attributes of tensors that only the engine holds, memory in pickles and deep copies; devices that
are not here."""

import copy
import gc
import pickle
import threading

import pytest

import karat
from on_device import DEVICE


class Kind(karat.Tensor):
    pass


def through(x, protocol=None):
    return pickle.loads(pickle.dumps(x, protocol))


def test_the_same_node_is_the_same_object():
    y = (karat.ones(2, requires_grad=True) * 2).sum()
    assert y.grad_fn is y.grad_fn and y.grad_fn.next_functions[0][0] is y.grad_fn.next_functions[0][0]
    first = y.grad_fn
    assert {first: 1}[y.grad_fn] == 1 and first != (karat.ones(1, requires_grad=True) * 1).grad_fn
    kept = [y.grad_fn.next_functions[0][0] for _ in range(3)]
    del y, first
    gc.collect()
    assert kept[0] is kept[2] and kept[0].name() == "MulBackward0"


def test_attributes_and_class_outlive_the_object():
    y = karat.ones(2)
    y.grad = karat.ones(2)
    y.grad.tag = [3]
    gc.collect()
    assert y.grad.tag == [3] and y.grad is y.grad
    y.grad = karat.ones(2).as_subclass(Kind)
    gc.collect()
    assert type(y.grad) is Kind
    base = karat.ones(4)
    base.note = "here"
    view = base[1:]
    del base
    assert view._base.note == "here"
    y.grad = None  # what was left goes with its tensor
    gc.collect()


def test_attributes_in_a_cycle_that_the_engine_reaches():
    x, y, z = karat.empty(2), karat.empty(2), karat.empty(2)
    x.other, y.other = y, x
    z.grad = x
    del x, y
    gc.collect()
    assert z.grad.other.other is z.grad and z.grad.other.other.other.shape == (2,)
    base, view = karat.ones(4), None
    base.note = base
    view = base[1:]
    del base
    gc.collect()
    assert view._base.note is view._base


def test_what_is_left_goes_with_its_tensor():
    class Marker:
        alive = 0

        def __init__(self):
            Marker.alive += 1

        def __del__(self):
            Marker.alive -= 1

    def work():
        for _ in range(20):
            holder = karat.ones(2)
            holder.grad = karat.ones(2)
            holder.grad.mark = Marker()

    work()
    one = threading.Thread(target=work)
    one.start()
    one.join()
    gc.collect()
    assert Marker.alive == 0


def test_a_pickle_keeps_memory_strides_and_offset():
    x = karat.arange(12.0).view(3, 4)
    for view in (x.t(), x[:, ::2], x[1:], x.expand(2, 3, 4), x[0:0], x[2, 3]):
        for protocol in range(6):
            made = through(view, protocol)
            assert made.tolist() == view.tolist() and made.stride() == view.stride()
            assert made.storage_offset() == view.storage_offset() and made._base is None
    turned = karat.tensor([1 + 2j]).conj()
    assert through(turned).is_conj() and through(turned).tolist() == [1 - 2j]
    assert through(turned.imag).is_neg() and through(turned.imag).tolist() == [-2.0]
    empty = through(karat.zeros(2, 3, device="meta").t())
    assert empty.device.type == "meta" and empty.shape == (3, 2) and empty.stride() == (1, 3)


def test_a_cycle_through_an_attribute():
    y = karat.ones(2)
    y.me = y
    assert copy.deepcopy(y).me.me.tolist() == [1, 1]
    assert through(y).tolist() == [1, 1]  # attributes are an argument of what makes a tensor, as in PyTorch: no cycle in pickles


def test_deep_copies_share_what_was_shared():
    x = karat.arange(12.0).view(3, 4)
    whole, row, again, bits = copy.deepcopy([x, x[1], x, x.view(karat.int32)])
    row[0] = 99
    assert whole[1, 0].item() == 99 and whole is again and x[1, 0].item() == 4
    assert bits[1, 0].item() == whole.view(karat.int32)[1, 0].item() and row._base is None
    assert copy.deepcopy(x[1:]).storage_offset() == 4 and copy.deepcopy(x[:, ::2]).stride() == (4, 2)
    apart = copy.deepcopy(x), copy.deepcopy(x)
    apart[0][0, 0] = 5
    assert apart[1][0, 0].item() == 0


def test_small_objects_go_through_pickle_and_copy():
    for one in (karat.device("cpu"), karat.device("cpu", 0), karat.device("meta"), karat.device("cuda", 1), karat.strided,
                karat.channels_last, karat.float32, karat.Size([1, 2]), karat.add):
        for other in (through(one), copy.copy(one), copy.deepcopy(one)):
            assert other == one and type(other) is type(one) and str(other) == str(one)
    largest = karat.tensor([[1, 5], [7, 2]]).max(0)
    made = through(largest)
    assert type(made) is type(largest) and made.values.tolist() == [7, 5] and made.indices.tolist() == [1, 0]
    g = karat.Generator("cuda" if DEVICE == "cuda" else "cpu").manual_seed(7)
    karat.rand(3, generator=g)
    others = through(g), copy.deepcopy(g)
    drawn = karat.rand(2, generator=g).tolist()
    assert all(karat.rand(2, generator=one).tolist() == drawn and one.initial_seed() == 7 for one in others)


def test_devices_that_are_not_here_can_be_named():
    d = karat.device("cuda:1")
    assert (repr(d), str(d), d.type, d.index) == ("device(type='cuda', index=1)", "cuda:1", "cuda", 1)
    assert karat.device("cuda") != d and karat.device("cuda", 1) == d and hash(karat.device("cuda", 1)) == hash(d)
    assert repr(karat.device("mps")) == "device(type='mps')"
    assert repr(karat.device(0)) == f"device(type='{DEVICE or 'cuda'}', index=0)"
    for use in (lambda: karat.ones(2, device=d), lambda: karat.ones(2).to("cuda"), lambda: karat.tensor(1, device="cuda:0")):
        if DEVICE == "cuda":
            continue
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            use()
    for wrong, text in ((("cuda:foo",), "Invalid device string: 'cuda:foo'"), (("cuda:01",), "Invalid device string"),
                        (("cuda", -1), "Device index must not be negative"), (("foo",), "Expected one of cpu, cuda, ipu"),
                        (("cuda:0", 1), "must not include an index because index was passed explicitly: cuda:0")):
        with pytest.raises(RuntimeError, match=text):
            karat.device(*wrong)
    with pytest.raises(TypeError, match=r"device\(\) received an invalid combination of arguments - got \(float\)"):
        karat.device(1.5)


def test_the_gradient_of_a_result_is_not_kept_and_that_is_said():
    y = karat.ones(2, requires_grad=True) * 2
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert y.grad is None


def test_any_number_names_the_one_cpu():
    assert repr(karat.device("cpu:1")) == "device(type='cpu', index=1)" and karat.device(device="cpu") == karat.device("cpu")
    assert repr(karat.ones(2, device="cpu:1").device) == "device(type='cpu')"
    with pytest.raises(RuntimeError, match="Invalid device string: 'cpu:01'"):
        karat.device("cpu:01")
