"""conftest.py - what holds for all Python tests: memory ends at 3 GB, so that a call with an absurd size fails instead of filling
the machine; the test devices of the build are found by their names; all tests run on one of them if told to (on_device.py)."""

import collections
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

left_out = collections.Counter()
if on_device.DEVICE and not (BUILD / "backends" / "mirror.so").exists():  # tests of devices load it when they are collected
    collect_ignore_glob = ["test_device*.py"]
    left_out["test_device*.py, which need the mirror"] = 1


def pytest_configure(config):
    config.addinivalue_line("markers", "cpu_only(reason): the CPU itself is what is tested; left out on another device")
    config.addinivalue_line("markers", "not_on_a_gpu(reason): holds on the mirror too, which has the host's memory and generator")


def of_devices(item):
    return item.path.name.startswith("test_device")


def reason(item):
    """Why a test is left out on another device; None: it is not."""
    mark = item.get_closest_marker("cpu_only")
    if not mark and on_device.DEVICE == "cuda":
        mark = item.get_closest_marker("not_on_a_gpu")
    return mark.args[0] if mark else "chooses devices and streams itself" if of_devices(item) else None


def pytest_collection_modifyitems(config, items):
    """Tests of devices come last: once a device is found, it is the accelerator, and others test that there is none."""
    items.sort(key=of_devices)
    if not on_device.DEVICE:
        return
    on_device.synchronize()  # what was made at import is there, whatever stream asks
    left_out.update(filter(None, map(reason, items)))
    every = int(os.environ.get("KARAT_TEST_SAMPLE", "1"))
    kept = [item for item in items if not reason(item)][::every]
    config.hook.pytest_deselected(items=list(set(items) - set(kept)))
    items[:] = kept


def pytest_terminal_summary(terminalreporter):
    for why, count in sorted(left_out.items()):
        terminalreporter.write_line(f"left out: {count:3} {why}")
    if left_out:
        terminalreporter.write_line(f"on {on_device.DEVICE}, {on_device.THREADS} threads: {sum(left_out.values())} left out")


if on_device.DEVICE:

    @pytest.fixture(autouse=True)
    def on_a_stream():
        on_device.place.next_stream()
        yield
        on_device.synchronize()
