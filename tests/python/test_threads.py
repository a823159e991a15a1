"""Threads and fork: modes are each thread's own, results are right, large work runs without the GIL."""

import os
import threading

import pytest

import karat


def run(n, target):
    errors = []

    def guarded(i):
        try:
            target(i)
        except BaseException as e:  # noqa: BLE001 - reported below
            errors.append(e)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


def test_many_threads_compute():
    shared = karat.arange(100, dtype=karat.float32)

    def work(i):
        x = karat.ones(100, requires_grad=True)
        for k in range(300):
            y = (x * shared + i).sum()
            y.backward()
            assert x.grad[99].item() == 99.0
            x.grad = None
            h = (shared + k).half()
            assert karat.lineage(h)[0]["op"] == "to"

    run(4, work)


def test_modes_belong_to_the_thread():
    inside = threading.Barrier(2, timeout=60)

    def work(i):
        assert karat.get_policy() == "torch" and karat.is_grad_enabled()
        with karat.policy(("strict", "permissive")[i]), karat.set_grad_enabled(bool(i)):
            inside.wait()
            assert karat.get_policy() == ("strict", "permissive")[i] and karat.is_grad_enabled() == bool(i)
            inside.wait()

    with karat.policy("safe"), karat.no_grad():
        run(2, work)


def test_errors_belong_to_the_thread():
    def work(i):
        for _ in range(200):
            with pytest.raises(RuntimeError, match=rf"\({i + 2}\)"):
                karat.ones(i + 2) + karat.ones(i + 20)

    run(4, work)


def test_large_work_in_threads():
    a = karat.ones(200_000)

    def work(i):
        for _ in range(10):
            items = [a, a * (i + 1)]
            out = karat.cat(items)
            assert out[-1].item() == i + 1
            assert (a + items[1])[0].item() == i + 2

    run(4, work)


def test_tensors_die_in_other_threads():
    box = [karat.ones(10) for _ in range(100)]

    def work(i):
        while box:
            try:
                box.pop()
            except IndexError:
                pass

    run(2, work)
    assert karat.ones(10)[0].item() == 1.0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_fork():
    a = karat.ones(300_000)
    (a + a)[0].item()
    child = os.fork()
    if child == 0:
        ok = (a + a)[299_999].item() == 2.0 and karat.tensor([1.0]).half().item() == 1.0
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
