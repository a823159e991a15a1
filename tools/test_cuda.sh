#!/bin/sh
# test_cuda.sh - the CUDA backend where nvcc is, without a GPU: it is compiled, linked and loaded, and its kernels, compiled
# as C++, run on the CPU: casts of every pair of dtypes, a call of every row, the families of kernels (tests/cuda/on_cpu).
# In: a build directory, configured with KARAT_CUDA=AUTO or ON. Out: exit status 0 if all passed, or if there is no nvcc. With
# ccache only what has changed is compiled.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1 jobs=${JOBS:-2} begun=$(date +%s)
if ctest --test-dir "$build" -N -L cuda | grep -q 'Total Tests: 0'; then
    echo "CUDA: no nvcc, or not asked for: nothing to test"
    exit 0
fi
cmake --build "$build" --parallel "$jobs" --target karat_cuda cuda_tests
make --no-print-directory -C tests/cuda/on_cpu -j "$jobs" BUILD="$build"
compiled=$(($(date +%s) - begun))
ctest --test-dir "$build" -L cuda --output-on-failure -j "$jobs"
python=$(cat build/.python)
export TEST_CUDA_PLUGIN="$build/cuda_on_cpu/libkarat_cuda.so" KARAT_BACKEND_PATH="$build/cuda_on_cpu" PYTHONPATH="$build/python"
"$build/tests/test_cuda_values" every_cast
"$build/tests/test_cuda_rows"
if ls "$build"/python/karat/_karat*.so > /dev/null 2>&1; then
    "$python" tests/cuda/layers.py
    "$python" tests/cuda/families.py complexes float8 indexing ordered copies conversions norms
fi
echo "CUDA: compiled in $compiled s, loaded, and its kernels run on the CPU; $(($(date +%s) - begun)) s in all"
