"""Views as PyTorch has them: which are views, what a write to the base or through them does to the history of both, the version
each one counts, and the words for views that autograd cannot follow."""

import gc

import karat
from on_device import cpu_repr
import pytest

AMBIGUOUS = ("Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
             "the view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both "
             "outside (if you want the inplace to be tracked).")
MANY = ("This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
        "modified inplace. You should replace the inplace operation by an out-of-place one.")
WRITTEN, BASE = "is being modified inplace", "its base or another view of its base has been modified inplace"
MODES = {"no_grad": (karat.no_grad, "no_grad mode", "with grad mode enabled"),
         "inference_mode": (karat.inference_mode, "inference mode", "in normal mode")}


def raised(function):
    with pytest.raises(Exception) as info:
        function()
    return f"{type(info.value).__name__}: {str(info.value).splitlines()[0]}"


def history(x):
    names, node = [], x.grad_fn
    while node is not None:
        names.append(node.name().rpartition(":")[2])
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return names


def result():
    return karat.ones(3, 3, requires_grad=True) * 1


@pytest.mark.parametrize("mode", MODES)
def test_views_made_where_nothing_was_recorded(mode):
    enter, name, where = MODES[mode]
    tail = AMBIGUOUS.format(mode)
    y = result()
    with enter():
        view, part = y[0], y.split(1)[0]
    assert view._is_view() and view._base is y and view.requires_grad and view.is_leaf and not view.is_inference()
    written = f"RuntimeError: A view was created in {name} and {WRITTEN} {where}. {tail}"
    assert raised(lambda: view.mul_(2)) == raised(lambda: part.mul_(2)) == written
    followed = view[1:]
    assert raised(lambda: followed.mul_(2)) == (f"RuntimeError: Output 0 of SliceBackward0 is a view of a view which was created "
                                                f"in {name} and {WRITTEN} {where}. {tail}")
    y.mul_(2)
    stale = f"RuntimeError: A view was created in {name} and {BASE} {where}. {tail}"
    for ask in (lambda: view.grad_fn, lambda: view.is_leaf, lambda: view * 2, lambda: part.grad_fn):
        assert raised(ask) == stale
    assert raised(lambda: followed.grad_fn).startswith("RuntimeError: Output 0 of SliceBackward0 is a view of a view which")
    assert cpu_repr(view) == "tensor([2., 2., 2.], grad_fn=<Invalid>)"
    assert view.detach().tolist() == [2, 2, 2]


@pytest.mark.parametrize("mode", MODES)
def test_views_of_a_tensor_that_gained_a_history(mode):
    enter, name, where = MODES[mode]
    x, weight = karat.ones(3, 3), karat.ones((), requires_grad=True)
    with enter():
        view = x[0]
    view.mul_(2)
    assert raised(lambda: view.mul_(weight)).startswith(f"RuntimeError: A view was created in {name} and {WRITTEN} {where}.")
    x.mul_(weight)
    assert raised(lambda: view.grad_fn).startswith(f"RuntimeError: A view was created in {name} and {BASE} {where}.")


def test_how_a_view_was_made_last_counts_but_inference_stays():
    def view_of(*steps):
        y = result()
        for mode, step in steps:
            with (MODES[mode][0] if mode else karat.enable_grad)():
                y = step(y)
        return raised(lambda: y.mul_(2))

    def cut(v):
        return v.split(1)[0]

    def slice_(v):
        return v[:]

    many = f"RuntimeError: Output 0 of SplitBackward0 is a view and {WRITTEN}. {MANY}"
    assert view_of(("no_grad", slice_), (None, cut)) == many
    assert view_of((None, cut), (None, slice_)) == many.replace("Split", "Slice")
    assert " created in no_grad mode" in view_of((None, cut), ("no_grad", slice_))
    for steps in ((("inference_mode", slice_), (None, cut)), (("inference_mode", slice_), ("no_grad", slice_)),
                  (("no_grad", slice_), ("inference_mode", slice_))):
        assert " created in inference mode" in view_of(*steps)
    plain, weight = karat.ones(3, 3), karat.ones((), requires_grad=True)
    one, two, _ = plain.unbind()
    assert raised(lambda: one.mul_(weight)) == (f"RuntimeError: A view was created in no_grad mode and {WRITTEN} with grad mode "
                                                f"enabled. {MANY}")


def test_inference_tensors_have_no_views():
    with karat.inference_mode():
        c = karat.ones(2, 3, requires_grad=True)
        z = karat.ones(2, 3, dtype=karat.complex64, requires_grad=True)
        inside = c.view(-1)
    for v in (inside, c.view(-1), c[0], c.t(), *c.split(1), *c.unbind(), c.expand(2, 2, 3), c.reshape(-1),
              c.unsafe_split(1)[0], karat.view_as_real(z), z.real, z.imag, z.conj()):
        assert not v._is_view() and v._base is None and v.is_inference()
        assert not v.requires_grad and v.is_leaf and v.grad_fn is None


def test_the_history_of_a_view_made_anew():
    x = karat.ones(2, 2, 2, dtype=karat.float64, requires_grad=True)
    b = x.clone()
    first, flat = b[0], karat.view_as_complex(b)
    b.mul_(2)
    assert history(first) == ["AsStridedBackward0", "MulBackward0", "CloneBackward0", "AccumulateGrad"]
    assert history(flat) == ["ViewAsComplexBackward0", "MulBackward0", "CloneBackward0", "AccumulateGrad"]
    b = karat.zeros(2, dtype=karat.complex128)
    lazy, part, below = b.conj(), b.real, b.conj().imag
    assert not part.requires_grad
    b.mul_(x.sum())
    assert history(lazy)[:2] == ["ConjBackward0", "MulBackward0"]
    assert history(part)[:3] == ["AsStridedBackward0", "ViewAsRealBackward0", "MulBackward0"]
    assert history(below)[:2] == ["AsStridedBackward0", "NegViewBackward0"]
    for v in (lazy, part, below):
        assert v.requires_grad and not v.is_leaf
    asks = karat.zeros(3)  # a view that asks for a gradient itself, until its base has a history
    v = asks[:]
    v.requires_grad_()
    assert v.is_leaf
    asks.mul_(karat.ones(3, requires_grad=True))
    assert history(v) == ["AsStridedBackward0", "MulBackward0", "AccumulateGrad"] and not v.is_leaf


def test_a_history_made_anew_ends_with_the_last_step_of_the_view():
    b = karat.ones(2, 2, dtype=karat.complex128, requires_grad=True) * 1
    views = {"ViewAsRealBackward0": karat.view_as_real(b[0]), "ConjBackward0": b[0].conj(),
             "NegViewBackward0": karat._neg_view(b.t()), "AsStridedBackward0": b.conj()[0]}
    b.mul_(2)
    for name, view in views.items():
        assert view.grad_fn.name() == name


def test_what_reshape_makes():
    x = karat.ones(2, 3, 4, requires_grad=True)
    assert x.reshape(-1).grad_fn.name() == x[:1].reshape(12).grad_fn.name() == "ViewBackward0"
    assert x[:, :1].reshape(2, 4).grad_fn.name() == x[:, :, 0].flatten().grad_fn.name() == "ReshapeAliasBackward0"
    x[:, :1].reshape(2, 4).sum().backward()
    assert x.grad.sum().item() == 8


def test_a_leaf_that_begins_to_ask_after_its_view_was_made():
    x = karat.zeros(3)
    v = x[:]
    x.requires_grad_()
    (v * 2).sum().backward()
    assert v.requires_grad and v.is_leaf and v.grad_fn is None and v.grad is None and x.grad is None


def test_a_gradient_is_set_before_the_history_is_asked_for():
    b = karat.zeros(3)
    v = b[1:]
    b.add_(karat.ones(3, requires_grad=True))
    v.grad = karat.ones(2)
    assert v.grad_fn.name() == "AsStridedBackward0"


def test_versions():
    x, y = karat.zeros(3), karat.ones(2)
    x.add_(1), x.add_(1), y.add_(1)
    data = x.data
    data.add_(1)
    assert (x._version, data._version, x.data._version, x.detach()._version) == (2, 1, 0, 2)
    x.data = y
    assert (x._version, y._version) == (2, 1)
    y.mul_(2)
    x.mul_(2)
    assert (x._version, y._version) == (3, 2) and x.data_ptr() == y.data_ptr()
    for name, argument in (("unsafe_split", 1), ("unsafe_chunk", 3), ("unsafe_split_with_sizes", [1, 1, 1])):
        a = karat.ones(3, requires_grad=True)
        whole = a + a
        s1, s2, s3 = getattr(whole, name)(argument)
        s1.mul_(s2)
        assert (s1._version, s2._version, whole._version, s1._is_view()) == (1, 0, 0, False)
        s1.sum().backward()
        assert a.grad.tolist() == [4, 4, 0]


def test_a_saved_tensor_whose_data_was_set_is_still_known():
    x = karat.ones(3, requires_grad=True)
    a = x * 1
    a.add_(1)
    b = a * a
    a.data = karat.zeros(3)  # nothing counted: PyTorch computes with the new values, too
    b.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]
    a = x * 1
    b = a * a
    a.data = karat.ones(3)
    a.mul_(2)
    assert "is at version 1; expected version 0" in raised(lambda: b.sum().backward())


def test_real_and_imag_are_written_to():
    x = karat.ones(3, dtype=karat.complex64)
    x.real = 2
    x.imag = karat.arange(3.0)
    assert x.tolist() == [2, 2 + 1j, 2 + 2j] and x._version == 2
    x.conj().imag = karat.ones(1, dtype=karat.float64)
    assert x.tolist() == [2 - 1j] * 3
    assert raised(lambda: setattr(x, "real", karat.arange(2.0))) == (
        "RuntimeError: The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0")
    assert raised(lambda: setattr(x, "real", [1, 2, 3])) == "TypeError: can't assign a list to a torch.FloatTensor"
    assert raised(lambda: setattr(x, "imag", 1j)) == "RuntimeError: value cannot be converted to type float without overflow"
    real = karat.ones(2)
    real.real = 3
    assert real.tolist() == [3, 3]
    assert raised(lambda: setattr(real, "imag", 1)).startswith("RuntimeError: imag is not implemented")
    leaf, weight = karat.ones(3, dtype=karat.complex64, requires_grad=True), karat.ones(3, requires_grad=True)
    b = leaf * 1
    b.real = weight * 2
    b.abs().sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0] and weight.grad.tolist() == [2, 2, 2]
    assert raised(lambda: delattr(x, "real")).startswith("AttributeError")


def test_bytes_of_lazy_views_are_not_looked_at():
    z = karat.tensor([1 + 2j])
    for dtype in (karat.int32, karat.float32):
        assert raised(lambda: z.conj().imag.view(dtype)) == ("RuntimeError: torch.Tensor.view is not supported for tensors with "
                                                             "negative bit set when converting to a different dtype.")
    assert "not supported for conjugate view tensors" in raised(lambda: z.conj().view(karat.complex64))
    negative = karat._neg_view(z)
    assert karat.view_as_real(negative).tolist() == [[-1, -2]] and karat.view_as_real(negative).is_neg()
    assert negative.real.tolist() == [-1] and negative.conj().imag.tolist() == [2]
    assert karat.view_as_complex(karat._neg_view(karat.ones(2))).item() == -1 - 1j


def test_detached_in_place_after_it_was_saved():
    x = karat.ones(3, requires_grad=True)
    a = x * 1
    b = a.sin()
    a.detach_()
    assert raised(lambda: b.sum().backward()) == (
        "RuntimeError: Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
        "supported, please use out-of-place `.detach()` instead")
    a = x.exp()
    b = a * 2
    a.detach_()  # it was a result of what is asked, not saved by it
    b.sum().backward()
    assert x.grad is not None
    c = x.sin()
    x.requires_grad_(False)
    x.grad = None
    c.sum().backward()
    gc.collect()
    assert x.grad is None


def test_a_step_is_in_the_stride_of_what_is_left():
    x = karat.zeros(5, 4)
    assert x[:, 3::2].stride() == (4, 2) and x[5::2].stride() == (8, 1) and x[::2**40].stride() == (2**42, 1)
    huge = x[::2**62]
    assert huge.shape == (1, 4) and (huge + 1).sum().item() == 4


def test_pairs_along_one_element():
    for size, stride, halved in (((1, 2), (1, 1), (0,)), ((1, 2), (3, 1), (1,)), ((1, 1, 2), (1, 3, 1), (0, 1))):
        assert karat.view_as_complex(karat.arange(4.0).as_strided(size, stride)).stride() == halved
    for size in ((3, 2), (0, 2)):
        with pytest.raises(RuntimeError, match="divisible by 2 for all but last"):
            karat.view_as_complex(karat.ones(9).as_strided(size, (1, 1)))
    z = karat.ones(1, dtype=karat.complex128, requires_grad=True)
    karat.view_as_real(z).t().narrow(-1, 0, 1).sum().backward()
    assert z.grad.item() == 1 + 1j
    none = karat.zeros(3, 0, dtype=karat.complex64, requires_grad=True)
    pairs = karat.view_as_complex(karat.view_as_real(none))
    slope, = karat.autograd.grad(pairs.abs().sum(), [none], create_graph=True)
    assert slope.shape == (3, 0) and slope.requires_grad  # of no elements it has a history all the same


def test_to_a_format_that_it_has_the_looks_of():
    y = karat.zeros(3, 11).t()  # not contiguous, and not channels last either
    assert y.to(karat.float32, memory_format=karat.contiguous_format) is y
    assert y.to(karat.float64, memory_format=karat.contiguous_format).stride() == (3, 1)
    assert y.to(karat.float32, copy=True, memory_format=karat.contiguous_format).stride() == (3, 1)
    z = karat.zeros(2, 3, 4, 5).contiguous(memory_format=karat.channels_last)
    assert z.to(karat.float32, memory_format=karat.channels_last) is z
    assert z.to(karat.float32, memory_format=karat.contiguous_format).stride() == (60, 20, 5, 1)


def test_strides_of_nothing():
    """PyTorch 2.11's: a dim of no element lies inside one of a single element where a number is broadcast; channels-last format
    counts it as 0."""
    for shape, want in (((0, 0, 1), (0, 1, 0)), ((0, 1), (1, 0)), ((1, 0, 1), (0, 1, 0)), ((0, 1, 2, 1), (2, 0, 1, 1)),
                        ((2, 0, 3), (3, 3, 1))):
        assert (karat.zeros(shape) + 1).stride() == want and (karat.zeros(shape) > 0).stride() == want
    for shape, want in (((2, 4, 0, 4), (0, 1, 16, 4)), ((2, 0, 4, 4), (0, 1, 0, 0)), ((2, 4, 4, 0), (0, 1, 0, 4))):
        assert karat.empty(shape, memory_format=karat.channels_last).stride() == want
