"""A tensor and its Python object outlive each other's owners (python/tensor/life.c): the object is the same as long as the tensor
lives, with its address, class, attributes, slots and weak references; whoever holds the object keeps the tensor."""

import gc
import subprocess
import sys
import threading
import weakref

import pytest

import karat as torch


def leaf(*shape):
    return torch.ones(*shape or (3,), requires_grad=True)


def test_a_gradient_is_one_object():
    x = leaf()
    (x * 2).sum().backward()
    w, address = weakref.ref(x.grad), id(x.grad)
    x.grad.note = 1
    gc.collect()
    assert w() is x.grad and id(x.grad) == address and x.grad.note == 1
    (x * 2).sum().backward()
    assert w() is x.grad and x.grad.note == 1  # accumulated in place
    x.grad = None
    assert w() is None


# What makes a tensor that something else holds when its object goes: the tensor, and what holds it.
HOLDERS = {
    "leaf of a graph": lambda: (lambda x: (x, x * 2))(leaf()),
    "saved operand": lambda: (lambda h: (h, (h * h).sum()))(leaf() * 2),
    "result saved by another": lambda: (lambda h: (h, h * h))(leaf().exp()),
    "base of a view": lambda: (lambda x: (x, x[1]))(torch.ones(4, 4)),
    "base of views of a view": lambda: (lambda x: (x, x[1][0]))(torch.ones(4, 4)),
    "operand of a list": lambda: (lambda c: (c, c * c))(torch.cat([leaf(), leaf()])),
    "parameter of a module that is gone": lambda: (lambda m: (m.weight, m(torch.ones(1, 2))))(torch.nn.Linear(2, 2)),
    "gradient": lambda: (lambda x, g: (setattr(x, "grad", g), (g, x))[1])(torch.ones(2), torch.ones(2)),
}


@pytest.mark.parametrize("what", HOLDERS)
def test_what_the_engine_holds_keeps_its_object(what):
    gone = []
    t, holder = HOLDERS[what]()
    w, address, kind = weakref.ref(t), id(t), type(t)
    weakref.finalize(t, gone.append, 1)
    t.note = {"deep": [3]}
    del t
    gc.collect()
    assert not gone and w() is not None and id(w()) == address and type(w()) is kind and w().note == {"deep": [3]}
    del holder
    gc.collect()
    assert gone == [1] and w() is None


def test_what_nobody_holds_goes():
    h = leaf().exp()  # its node saves the values, not the tensor
    x, d = leaf(), torch.ones(3).detach()
    w, v, u = weakref.ref(h), weakref.ref(x), weakref.ref(d)
    y = (h * x.detach()).sum() + x.sum()
    del h, x, d
    assert w() is None and v() is not None and u() is None
    del y
    assert v() is None


def test_addresses_of_what_a_graph_holds_differ():
    y, seen = leaf(), set()
    for _ in range(300):
        y = y * y
        seen.add(id(y))
    assert len(seen) == 300


def test_a_weak_reference_gives_an_owner():
    x = leaf()
    h = x * 2
    h.note = 1
    w = weakref.ref(h)
    y = (h * h).sum()
    del h
    strong = w()  # not used before the graph goes
    del y
    assert strong is w() and strong.tolist() == [2, 2, 2] and strong.note == 1
    del strong
    assert w() is None
    x, y = torch.ones(2), torch.ones(2)
    w, y.grad = weakref.ref(x), x
    del x
    strong = w()
    assert strong.sum().item() == 2  # used before
    y.grad = None
    assert strong.tolist() == [1, 1]
    y.grad = strong
    del strong
    assert w() is y.grad


def test_an_object_from_a_weak_reference_counts_as_an_owner():
    x = leaf()
    h = x * 1
    w = weakref.ref(h)
    y = h * h
    del h
    strong = w()
    strong.add_(y)  # a history that saved the tensor: it must not keep itself alive
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        strong.sum().backward()
    del strong, y
    gc.collect()
    assert w() is None


def test_the_collector_sees_who_holds_a_tensor():
    h = leaf() * 2
    ring = [h]
    ring.append(ring)
    h.note, y = 1, (h * h).sum()
    del h, ring
    gc.collect()
    assert y.grad_fn.next_functions[0][0]._saved_self.note == 1  # its object outlives the ring
    h = leaf() * 2  # a cycle through its own attribute, while the graph holds it, and after
    h.me = [h]
    w, y = weakref.ref(h), (h * h).sum()
    del h
    gc.collect()
    assert w().me[0] is w()
    y.backward()
    del y
    gc.collect()
    assert w() is None


def test_slots_and_finalizers_of_subclasses():
    log = []

    class Slotted(torch.Tensor):
        __slots__ = ("first",)

        def __del__(self):
            log.append("del")

    class More(Slotted):
        __slots__ = ("second",)

    class Mark:
        def __del__(self):
            log.append("mark")

    def make(kind):
        x = torch.ones(3).as_subclass(kind)
        x.first, x.note = Mark(), Mark()
        if kind is More:
            x.second = Mark()
        holder = torch.ones(3)
        holder.grad = x
        log.clear()
        return x, holder

    for kind, marks in ((Slotted, 2), (More, 3)):
        x, holder = make(kind)
        w = weakref.ref(x)
        del x
        gc.collect()
        assert log == [] and isinstance(w().first, Mark) and type(w()) is kind
        del holder
        assert w() is None and sorted(log) == ["del"] + ["mark"] * marks
        x, holder = make(kind)
        x.first, x.note = Mark(), [x]  # in a cycle
        w = weakref.ref(x)
        log.clear()
        del x
        gc.collect()
        assert log == [] and w().note[0] is w()
        del holder
        gc.collect()
        assert w() is None and sorted(log) == ["del"] + ["mark"] * (marks - 1)


def test_what_is_watched_while_a_graph_holds_it_is_freed_later():
    """The collector must not forget containers of a tensor that it meets while an engine's owner holds it."""
    seen = weakref.WeakKeyDictionary()
    for _ in range(5):
        m = torch.nn.Linear(4, 4, bias=False)
        seen[m.weight] = 1
        m.weight.module = m
        y = m(torch.ones(1, 4))
        gc.collect()
        del y, m
    gc.collect()
    assert len(seen) == 0
    h = leaf() * 2
    h.me = (h,)
    w, y = weakref.ref(h), h.sin()
    gc.collect()
    del h, y
    gc.collect()
    assert w() is None


def test_a_gradient_that_goes_may_look_at_its_place():
    p = torch.nn.Parameter(torch.ones(2))
    shown = []

    class Telling(torch.Tensor):
        def __del__(self):
            shown.append(p.grad)
            p.grad = None

    for replace in (lambda: setattr(p, "grad", None), lambda: setattr(p, "grad", torch.zeros(2)),
                    lambda: (p * p).sum().backward(create_graph=True)):
        p.grad = torch.ones(2).as_subclass(Telling)
        replace()
        assert len(shown) == 1 and type(shown.pop()) is not Telling and p.grad is None
        gc.collect()


def test_del_may_save_the_object():
    saved = []

    class Saving(torch.Tensor):
        def __del__(self):
            saved.append(self)

    x, holder = torch.ones(3).as_subclass(Saving), torch.ones(3)
    x.note = 1
    holder.grad = x
    del x
    gc.collect()
    assert not saved
    del holder
    assert len(saved) == 1 and saved[0].note == 1 and saved[0].shape == (3,)
    w = weakref.ref(saved[0])
    saved.clear()  # once only
    gc.collect()
    assert w() is None and not saved


def test_attributes_run_code_when_a_graph_goes():
    seen = []

    class Busy:
        def __init__(self, t):
            self.t = t

        def __del__(self):  # a whole backward inside the release of a graph
            with torch.enable_grad():  # it may be backward that frees the graph
                y = (self.t * self.t).sum()
            y.backward()
            seen.append(float(y))

    x = leaf()
    y = x
    for _ in range(50):
        y = y * 1.5
        y.busy = Busy(leaf())
        y = y * y
        y = y / y.detach()
    y.sum().backward()
    del y
    gc.collect()
    assert seen == [3.0] * 50


def test_what_runs_when_a_tensor_goes_meets_no_error_of_others():
    seen = []

    class Busy:
        def __del__(self):
            seen.append((torch.ones(2) + 1).tolist())

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("mine")

    def work():
        h = leaf() * 1
        h.busy = Busy()
        return Fails.apply(h * h).sum()

    with pytest.raises(ValueError, match="mine"):
        work().backward()
    gc.collect()
    assert seen == [[2, 2]]


def test_swapped_objects_keep_their_tensors():
    x, y = leaf(), leaf(2)
    x.note, y.grad = 1, torch.ones(2)
    torch.utils.swap_tensors(x, y)
    assert x.shape == (2,) and y.shape == (3,) and y.note == 1 and x.grad.tolist() == [1, 1] and y.grad is None
    w = weakref.ref(y)
    graph = y * y
    del y
    graph.sum().backward()
    assert w().note == 1 and w().grad.tolist() == [2, 2, 2]
    del graph
    assert w() is None


def test_threads_that_drop_and_ask():
    bad = []

    def work(seed):
        try:
            for i in range(150):
                h = leaf() * (seed + 1)
                w = weakref.ref(h)
                if i % 2:
                    h.note = seed
                y = (h * h).sum()
                del h
                strong = w() if i % 3 else None
                if i % 5 == 0:
                    y.backward()
                del y
                if (strong is None) == (w() is None) and (strong is None or strong.tolist() == [seed + 1.0] * 3):
                    continue
                bad.append((seed, i))
        except Exception as e:
            bad.append(repr(e))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not bad


def test_a_tensor_may_outlive_the_interpreter():
    program = """
import karat as torch, threading, time, weakref
x = torch.ones(3, requires_grad=True)
h = x * 2
h.note = h
w = weakref.ref(h, print)
y = (h * h).sum()
keep = [y]
keep.append(keep)
torch.kept = y
h.register_hook(lambda g: h)
del h
def work():
    while True:
        z = torch.ones(2, requires_grad=True) * 2
        z.note = 1
        (z * z).sum().backward()
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""
    for _ in range(5):
        assert subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60).returncode == 0


def test_an_object_becomes_one_of_another_class():
    class Plain:
        pass

    class Named(torch.Tensor):
        pass

    class Mixed(Plain, torch.Tensor):
        pass

    kinds = Named, Mixed, torch.nn.Parameter, torch.Tensor
    for first in kinds:
        for then in kinds:
            for _ in range(3):  # the places of objects that went are taken again
                x = torch.ones(2).as_subclass(first)
                x.__class__ = then
                assert type(x) is then and (x + 1).tolist() == [2, 2]
                kept = x.detach() if then is torch.Tensor else x
                del x
                gc.collect()
                assert kept.tolist() == [1, 1]


def test_swapping_asks_who_else_owns_the_tensors():
    swap = torch.utils.swap_tensors
    x, y = leaf(2), leaf(3)
    graph = (x + 1).sum()  # has not saved x, but will add to its gradient
    swap(x, y)
    with pytest.raises(RuntimeError, match="poisoned by swap_tensors"):
        graph.backward()
    del graph
    (x * 1).sum().backward()
    (y * 1).sum().backward()
    assert x.grad.tolist() == [1, 1, 1] and y.grad.tolist() == [1, 1]
    graph = x * x
    with pytest.raises(RuntimeError, match="Expected use_count of t2 to be 1 or 2 with an AccumulateGrad node but got 4"):
        swap(y, x)
    del graph
    holder = torch.ones(3)
    holder.grad = x
    with pytest.raises(RuntimeError, match="Expected use_count of t1 .* but got 2"):
        swap(x, y)
    base = torch.ones(4)
    view = base[1:]
    assert (base._use_count(), view._use_count(), base._fix_weakref()) == (2, 1, None)
    with pytest.raises(RuntimeError, match="does not require gradients"):
        swap(base, torch.ones(1))
    w = weakref.ref(y)
    with pytest.raises(RuntimeError, match="Cannot swap t1 because it has weakref"):
        swap(y, leaf())
    assert w() is y


def test_retains_grad_is_said_after_detach_():
    y = leaf() * 2
    y.retain_grad()
    y.detach_()
    assert y.retains_grad and not y.requires_grad
    y.requires_grad_()
    (y * 2).sum().backward()
    assert y.retains_grad and y.grad.tolist() == [2, 2, 2]
    y.detach_().mul_(x := leaf())  # a result again
    y.grad = None
    y.retain_grad()
    (y * 3).sum().backward()
    assert y.grad.tolist() == [3, 3, 3] and x.grad.tolist() == [6, 6, 6]
