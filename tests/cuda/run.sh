#!/bin/bash
# run.sh - the CUDA backend on a machine with a GPU: builds it, runs its tests, and its timings by turns with PyTorch's.
# In: nvcc, on the path or in the toolkit's usual folder, CMake, Ninja, python3 with its headers; PyTorch in it, to compare with.
# Out: what the tests and timings print; exit status 0 if all passed. "run.sh build" only builds, "run.sh time" only times,
# "run.sh test" only tests. TURNS: how often it times. KARAT_CUDNN_FRONTEND: the folder of the headers of cuDNN's frontend.
set -u
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin PYTHONDONTWRITEBYTECODE=1
build=$PWD/build/cuda
python=$(command -v python3)
mkdir -p "$build"
{
    cmake -G Ninja -S . -B "$build" -DKARAT_CUDA=ON -DKARAT_BENCH=OFF -DKARAT_PYTHON_EXECUTABLE="$python" \
        ${KARAT_CUDNN_FRONTEND:+-DKARAT_CUDNN_FRONTEND="$KARAT_CUDNN_FRONTEND"} &&
        cmake --build "$build" --target karat karat_python karat_command karat_cuda cuda_tests
} > "$build/build.log" 2>&1 || { tail -40 "$build/build.log"; exit 1; }
echo "built: $(stat -c '%n, %s bytes' "$build/lib/libkarat_cuda.so")"
# Without it a step of GPT-2 takes 13 ms longer, and nothing else would say why.
[ -f "$build/lib/libkarat_cudnn.so" ] || echo "ATTENTION WITHOUT cuDNN: the headers of its frontend were not found"
[ "${1:-}" = build ] && exit 0

status=0
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
# Side by side, since each waits for its own launches most of the time: NAME COMMAND..., whose output and status are kept.
logs=$build/tests_on_gpu
start()
{
    local name=$1
    shift
    { "$@" > "$logs/$name.out" 2> "$logs/$name.err"; echo $? > "$logs/$name.status"; } &
}
finish()
{
    echo "== $1"
    [ "$(cat "$logs/$1.status")" = 0 ] || { status=1; echo "(exit status $(cat "$logs/$1.status"))"; }
    grep -vh 'has no kernel' "$logs/$1.out" "$logs/$1.err" | grep -E "${2:-.}" | cut -c 1-200 | tail -${3:-60}
}
SHARES=6 # of the Python tests
run_tests()
{
    rm -rf "$logs" && mkdir -p "$logs"
    for test in layer values rows; do
        start $test "$build/tests/test_cuda_$test"
    done
    for test in face families layers attention fallbacks programs training amp; do
        start $test "$python" tests/cuda/$test.py
    done
    if "$python" -c 'import pytest' 2> /dev/null; then
        for share in $(seq $SHARES); do
            KARAT_TEST_DEVICE=cuda start python$share "$python" -m pytest -q -p no:cacheprovider \
                $(ls tests/python/test_*.py | grep -v /test_device | awk -v n=$SHARES -v k=$share 'NR % n == k % n')
        done
    fi
    wait
    for test in layer values rows face families layers attention fallbacks programs training amp; do
        finish $test
    done
    for share in $(seq $SHARES); do
        [ -f "$logs/python$share.status" ] && finish python$share '^(FAILED|ERROR)|passed|failed'
    done
}

[ "${1:-}" = time ] || run_tests
[ "${1:-}" = test ] && exit $status
for turn in $(seq "${TURNS:-2}"); do
    echo "== timings, turn $turn"
    "$python" tests/cuda/timings.py karat || status=1
    "$python" -c 'import torch' 2> /dev/null && "$python" tests/cuda/timings.py torch
done
exit $status
