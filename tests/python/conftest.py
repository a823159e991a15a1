"""conftest.py - what holds for all Python tests: memory ends at 3 GB, so that a call with an absurd size fails instead of filling
the machine; the test devices of the build are found by their names."""

import importlib.util
import os
from pathlib import Path

os.environ.setdefault("KARAT_MEMORY_LIMIT", "3g")  # read when the library is loaded: before any test imports it
BUILD = Path(importlib.util.find_spec("karat").origin).parents[2]
os.environ.setdefault("KARAT_BACKEND_PATH", str(BUILD / "backends"))


def pytest_collection_modifyitems(items):
    """Tests of devices come last: once a device is found, it is the accelerator, and others test that there is none."""
    items.sort(key=lambda item: item.path.name.startswith("test_device"))
