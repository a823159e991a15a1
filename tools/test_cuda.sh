#!/bin/sh
# test_cuda.sh - the CUDA backend where nvcc is, without a GPU: it is compiled, linked and loaded, and its kernels, compiled
# as C++, run on the CPU: casts of every pair of dtypes, a call of every row, the families of kernels (tests/cuda/on_cpu).
# In: the build directory of the CPU. Out: exit status 0 if all passed, or if there is no nvcc. It takes a quarter of an hour of a
# core the first time.
set -eu
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc > /dev/null || { echo "CUDA: no nvcc, nothing to test"; exit 0; }
cpu=$PWD/$1 build=$PWD/$1/cuda jobs=${JOBS:-2}
python=$(cat "$cpu/.python")
cmake -G Ninja -S . -B "$build" -DKARAT_CUDA=ON -DKARAT_BENCH=OFF -DKARAT_PYTHON_EXECUTABLE="$python" > /dev/null
cmake --build "$build" --parallel "$jobs" --target karat karat_python karat_cuda cuda_tests
ctest --test-dir "$build" -L cuda --output-on-failure -j "$jobs"
make -C tests/cuda/on_cpu -j "$jobs" BUILD="$build"
export TEST_CUDA_PLUGIN="$build/cuda_on_cpu/libkarat_cuda.so" KARAT_BACKEND_PATH="$build/cuda_on_cpu" PYTHONPATH="$build/python"
"$build/tests/test_cuda_values" every_cast
"$build/tests/test_cuda_rows"
"$python" tests/cuda/layers.py
"$python" tests/cuda/families.py complexes float8 indexing ordered copies conversions norms
echo "CUDA: compiled, loaded, and its kernels run on the CPU"
