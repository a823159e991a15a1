#!/bin/sh
# test_cuda.sh - the CUDA backend where nvcc is, without a GPU: it is compiled, linked and loaded, and its kernels, compiled
# as C++, run on the CPU: casts of every pair of dtypes, a call of every row, the families of kernels, calls of the runtime that
# fail, 1,000 random programs (tests/cuda/on_cpu).
# In: a build directory, configured with KARAT_CUDA=AUTO or ON. Out: exit status 0 if all passed, or if there is no nvcc. With
# ccache only what has changed is compiled. KARAT_TEST_ALL=1: every call of the families, not one of four.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/$1 jobs=${JOBS:-2} begun=$(date +%s)
if ctest --test-dir "$build" -N -L cuda | grep -q 'Total Tests: 0'; then
    echo "CUDA: no nvcc, or not asked for: nothing to test"
    exit 0
fi
KARAT_TEST_SEED=$(tools/test_seed.sh)
export KARAT_TEST_SEED
took() { echo $(($(date +%s) - begun)); }

cmake --build "$build" --parallel "$jobs" --target karat_cuda cuda_tests
compiled=$(took)
for library in "$build"/cuda/libkarat_cuda.so "$build"/lib/libkarat_cuda.so; do # C++ names would meet those of other libraries
    if [ -f "$library" ] && nm -D "$library" | grep -E ' _Z| [A-TV-Zu] ' | grep -vE ' kt_plugin_'; then
        echo "CUDA: FAILED: $library shows or needs those" && exit 1
    fi
done
make --silent -C tests/cuda/on_cpu -j "$jobs" BUILD="$build"
compiled="by nvcc in $compiled s, as C++ in $(($(took) - compiled)) s"
ctest --test-dir "$build" -L cuda --output-on-failure -j "$jobs"

export TEST_CUDA_PLUGIN="$build/cuda_on_cpu/libkarat_cuda.so" KARAT_BACKEND_PATH="$build/cuda_on_cpu" PYTHONPATH="$build/python"
rows()
{
    "$build/tests/test_cuda_values" every_cast && "$build/tests/test_cuda_rows"
}
families()
{
    sample() { [ -n "${KARAT_TEST_ALL:-}" ] || export KARAT_TEST_SAMPLE="$1"; }
    python=$(cat build/.python)
    ls "$build"/python/karat/_karat*.so > /dev/null 2>&1 || return 0 # built without Python
    KARAT_BACKEND_PATH="$build/cuda" "$python" tests/cuda/no_device.py "$build/bin/karat" || return 1
    (sample 4 && "$python" tests/cuda/layers.py steps optimizers channels pools resampling alignments searches) &&
        (sample 40 && "$python" tests/cuda/layers.py ranks) && # sorts wait often, and threads take turns here
        (sample 4 && "$python" tests/cuda/families.py complexes float8 indexing ordered copies pieces conversions norms) &&
        (sample 4 && "$python" tests/cuda/families.py scans sorts masks) &&
        KARAT_TEST_SAMPLE=4 "$python" tests/cuda/attention.py calls dropout slopes autocast &&
        "$python" tests/cuda/families.py extremes && "$python" tests/cuda/errors.py &&
        "$python" tests/cuda/programs.py --programs 1000 --jobs 1 --seed 2 # other seeds find what has no rule yet: by hand
}
families > "$build/cuda_families.log" 2>&1 &
other=$! status=0
rows || status=1
wait $other || status=1
cat "$build/cuda_families.log"
[ $status = 0 ] || { echo "CUDA: FAILED" && exit 1; }
echo "CUDA: compiled $compiled, loaded, and its kernels run on the CPU; $(took) s in all"
