#!/bin/sh
# sanitize.sh - the random programs in Karat alone, under sanitizers: sanitize.sh asan|tsan [programs] [seed].
# In: gcc, whose sanitizer libraries are put before the interpreter, which is not built with them. Out: exit status 0 if clean.
set -eu
cd "$(dirname "$0")/../.."
kind=$1 programs=${2:-1000} seed=${3:-$(date +%s)}
case $kind in
asan) build=build/asan options="-DKARAT_ASAN=ON -DKARAT_UBSAN=ON" threads=1 runner="" ;; # as the Makefile has it
tsan) # it maps memory at fixed places
    build=build/tsan-python options="-DKARAT_TSAN=ON -DKARAT_TESTS=OFF" threads=4 runner="setarch -R"
    ;;
*) echo "sanitize.sh asan|tsan [programs] [seed]" && exit 2 ;;
esac
python=$(cat build/.python 2> /dev/null || echo python3)
tools/configure.sh $build "${CC:-}" cmake -G Ninja -DKARAT_WERROR=ON $options -DKARAT_BENCH=OFF
cmake --build $build --parallel "${JOBS:-$(nproc)}" --target karat_python > $build/build.log || { tail $build/build.log; exit 1; }
export PYTHONMALLOC=malloc PYTHONPATH="$PWD/$build/python" PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0:allocator_may_return_null=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1:ignore_noninstrumented_modules=1}"
exec $runner env LD_PRELOAD="$("${CC:-cc}" -print-file-name=lib$kind.so)" "$python" -W ignore tests/random/run.py --alone \
    --programs "$programs" --seed "$seed" --threads $threads
