"""conftest.py - what holds for all Python tests: memory ends at 3 GB, so that a call with an absurd size fails instead of filling
the machine; the test devices of the build are found by their names; all tests run on one of them if told to (on_device.py).

KARAT_TEST_SHARE names a folder by which several processes share the files of tests: whoever comes to a file first runs it
(tools/run_tests.sh)."""

import collections
import gc
import importlib.util
import os
from pathlib import Path

import pytest

os.environ.setdefault("KARAT_MEMORY_LIMIT", "3g")  # read when the library is loaded: before any test imports it
BUILD = Path(importlib.util.find_spec("karat").origin).parents[2]
os.environ.setdefault("KARAT_BACKEND_PATH", str(BUILD / "backends"))
if os.environ.get("KARAT_TEST_DEVICE", "") == "cuda":
    os.environ.setdefault("KARAT_FALLBACK", "quiet")  # tests count warnings; tests/cuda/fallbacks.py lists what falls back

import on_device  # noqa: E402

SHARE = os.environ.get("KARAT_TEST_SHARE", "")
ours = {}  # by file: whether this process runs it
left_out = collections.Counter()
if on_device.DEVICE and not (BUILD / "backends" / "mirror.so").exists():  # tests of devices load it when they are collected
    collect_ignore_glob = ["test_device*.py"]
    left_out["test_device*.py, which need the mirror"] = 1


def pytest_configure(config):
    config.addinivalue_line("markers", "cpu_only(reason): the CPU itself is what is tested; left out on another device")
    config.addinivalue_line("markers", "not_sanitized(reason): says nothing under AddressSanitizer, where it would take long")
    config.addinivalue_line("markers", "not_on_a_gpu(reason): holds on the mirror too, which has the host's memory and generator")


def pytest_collection_finish():
    """What there is now stays: many tests collect garbage, and need not look through 13,000 tests for it each time."""
    gc.collect()
    gc.freeze()


def of_devices(item):
    return item.path.name.startswith("test_device")


def reason(item):
    """Why a test is left out under a sanitizer or on another device; None: it is not."""
    mark = item.get_closest_marker("not_sanitized")
    if mark and on_device.SANITIZED:
        return mark.args[0]
    if not on_device.DEVICE:
        return None
    mark = item.get_closest_marker("cpu_only")
    if not mark and on_device.DEVICE == "cuda":
        mark = item.get_closest_marker("not_on_a_gpu")
    return mark.args[0] if mark else "chooses devices and streams itself" if of_devices(item) else None


def pytest_collection_modifyitems(config, items):
    """Tests of devices come last: once a device is found, it is the accelerator, and others test that there is none."""
    items.sort(key=of_devices)
    on_device.synchronize()  # what was made at import is there, whatever stream asks
    left_out.update(filter(None, map(reason, items)))
    every = int(os.environ.get("KARAT_TEST_SAMPLE", "1"))
    kept = [item for item in items if not reason(item)][::every]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


def taken(name):
    """Whether no other process has taken this file; a folder can be made once."""
    try:
        os.mkdir(os.path.join(SHARE, name))
    except FileExistsError:
        return False
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """True: nothing is left to do for this test."""
    if not SHARE:
        return None
    name = item.path.name
    if name not in ours:
        ours[name] = taken(name)
    return None if ours[name] else True


def pytest_terminal_summary(terminalreporter):
    for why, count in sorted(left_out.items()):
        terminalreporter.write_line(f"left out: {count:3} {why}")
    if left_out:
        where = f"on {on_device.DEVICE}, {on_device.THREADS} threads" if on_device.DEVICE else "under AddressSanitizer"
        terminalreporter.write_line(f"{where}: {sum(left_out.values())} left out")


if on_device.DEVICE:

    @pytest.fixture(autouse=True)
    def on_a_stream():
        on_device.place.next_stream()
        yield
        on_device.synchronize()
