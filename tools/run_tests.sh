#!/bin/sh
# run_tests.sh - the C tests by ctest, the Python tests by pytest, on the CPU and on the mirror; all run whatever the others say,
# and the summaries come last.
# In: the build directory. Out: exit status 0 if all passed. A build without the extension has no Python tests. Those of the CUDA
# backend are tools/test_cuda.sh's.
set -u
build=$1
jobs=${JOBS:-2}
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1}"

# ThreadSanitizer needs its memory map where it expects it: without address randomisation.
runner=""
case $build in */tsan) setarch -R true 2> /dev/null && runner="setarch -R" ;; esac

KARAT_TEST_SEED=$(tools/test_seed.sh)
export KARAT_TEST_SEED

limit=1200
[ -n "${KARAT_TEST_ALL:-}" ] && limit=7200

c_status=0
c_line="built without"
if [ -e "$build/CTestTestfile.cmake" ]; then
    $runner ctest --test-dir "$build" -LE cuda --output-on-failure --timeout $limit -j "$jobs" -O "$build/ctest.log"
    c_status=$?
    c_line=$(grep -E 'tests passed|No tests were found' "$build/ctest.log" | tail -n 1)
fi

# The interpreter is not built with the sanitizer, so that its library must be there first. Python's own allocator would hide what
# is freed too early; and Python never frees much of what it makes, so that leaks are left to test_leaks and test_every_operator.
case $build in
*/asan-python)
    preload=$("${CC:-cc}" -print-file-name=libasan.so)
    case $preload in
    /*) ;;
    *) echo "run_tests: ${CC:-cc} has no libasan.so to put before the interpreter; use gcc" && exit 1 ;;
    esac
    export PYTHONMALLOC=malloc ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1"
    # Where a sanitizer ends the process, what pytest has kept of stderr is lost with it, its report too.
    pytest_options="--capture=sys"
    python_runner="LD_PRELOAD=$preload"
    ;;
*) python_runner="" pytest_options="" ;;
esac

# python_tests LOG SETTING...: pytest with these variables of the environment; leaves its last line in `line`.
python_tests()
{
    log=$build/$1
    shift
    {
        # shellcheck disable=SC2086 # several words
        env $python_runner "$@" "$(cat build/.python)" -m pytest -q -p no:cacheprovider $pytest_options tests/python $slow 2>&1
        echo $? > "$build/pytest.status"
    } | tee "$log"
    status=$(cat "$build/pytest.status")
    line=$(grep -E '(passed|failed|error|no tests ran)' "$log" | tail -n 1)
    [ "$status" = 0 ] || python_status=1
}

# On the mirror: late, on two streams, with 1 and 4 threads; without KARAT_TEST_ALL every fifth test of those that are not long.
mirror_tests()
{
    slow="" every=1
    for threads in 1 4; do
        if [ -z "${KARAT_TEST_ALL:-}" ]; then
            [ $threads = 4 ] || continue
            every=5
            for name in conformance leaks second_derivatives view_programs; do
                slow="$slow --ignore tests/python/test_$name.py"
            done
        fi
        python_tests mirror.log KARAT_TEST_ALL= KARAT_TEST_DEVICE=mirror KARAT_TEST_THREADS=$threads \
            KARAT_TEST_SAMPLE=$every
        mirror_lines="$mirror_lines
Python tests on the mirror, kernels on $threads threads: $line"
    done
}

python_status=0
python_line=""
mirror_lines=""
slow=""
if ls tests/python/*.py > /dev/null 2>&1 && ls "$build"/python/karat/_karat*.so > /dev/null 2>&1; then
    export PYTHONPATH="$PWD/$build/python" PYTHONPYCACHEPREFIX="$PWD/$build/pycache"
    python_tests pytest.log KARAT_TEST_DEVICE=
    python_line=$line
    [ ! -e "$build/backends/mirror.so" ] || mirror_tests
fi

echo
echo "KARAT_TEST_SEED=$KARAT_TEST_SEED"
echo "C tests ($build): $c_line"
[ -z "$python_line" ] || echo "Python tests: $python_line$mirror_lines"
[ $c_status = 0 ] && [ $python_status = 0 ]
