"""conftest.py - what holds for all Python tests: memory ends at 3 GB, so that a call with an absurd size fails instead of filling
the machine."""

import os

os.environ.setdefault("KARAT_MEMORY_LIMIT", "3g")  # read when the library is loaded: before any test imports it
