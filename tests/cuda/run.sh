#!/bin/bash
# run.sh - the CUDA backend on a machine with a GPU: builds it, runs its tests, and its timings by turns with PyTorch's.
# In: nvcc, on the path or in the toolkit's usual folder, CMake, Ninja, python3 with its headers; PyTorch in it, to compare with.
# Out: what the tests and timings print; exit status 0 if all passed. "run.sh build" only builds, "run.sh time" only times.
set -u
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin PYTHONDONTWRITEBYTECODE=1
build=$PWD/build/cuda
python=$(command -v python3)
mkdir -p "$build"
{
    cmake -G Ninja -S . -B "$build" -DKARAT_CUDA=ON -DKARAT_BENCH=OFF -DKARAT_PYTHON_EXECUTABLE="$python" &&
        cmake --build "$build" --target karat karat_python karat_command karat_cuda cuda_tests
} > "$build/build.log" 2>&1 || { tail -40 "$build/build.log"; exit 1; }
echo "built: $(stat -c '%n, %s bytes' "$build/lib/libkarat_cuda.so")"
[ "${1:-}" = build ] && exit 0

status=0
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
run_tests()
{
    for test in layer values rows; do
        echo "== $test"
        "$build/tests/test_cuda_$test" 2> "$build/$test.err" || status=1
        grep -v 'has no kernel' "$build/$test.err" | head -20
    done
    for test in face families fallbacks; do
        echo "== $test"
        "$python" tests/cuda/$test.py || status=1
    done
    "$python" -c 'import pytest' 2> /dev/null || return
    echo "== the Python tests on the GPU"
    KARAT_TEST_DEVICE=cuda "$python" -m pytest -q -p no:cacheprovider tests/python > "$build/pytest.log" 2>&1 || status=1
    grep -E '^(FAILED|ERROR)|passed|failed' "$build/pytest.log" | cut -c 1-150
}

[ "${1:-}" = time ] || run_tests
for turn in 1 2; do
    echo "== timings, turn $turn"
    "$python" tests/cuda/timings.py karat || status=1
    "$python" -c 'import torch' 2> /dev/null && "$python" tests/cuda/timings.py torch
done
exit $status
