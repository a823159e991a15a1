#!/bin/sh
# run_tests.sh - the C tests by ctest, the Python tests by pytest, on the CPU and on the mirror; all run whatever the others say,
# and the summaries come last.
# In: the build directory, and "c" or "python" for these tests alone. Out: exit status 0 if all passed. A build without the
# extension has no Python tests. Those of the CUDA backend are tools/test_cuda.sh's.
set -u
build=$1
part=${2:-all}
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
if [ "$part" != python ] && [ -e "$build/CTestTestfile.cmake" ]; then
    $runner ctest --test-dir "$build" -LE cuda --output-on-failure --timeout $limit -j "$jobs" -O "$build/ctest.log"
    c_status=$?
    c_line=$(grep -E 'tests passed|No tests were found' "$build/ctest.log" | tail -n 1)
fi

# The interpreter is not built with the sanitizer, so that its library must be there first. Python's own allocator would hide what
# is freed too early; and Python never frees much of what it makes, so that leaks are left to test_leaks and test_every_operator.
case $build in
*/asan)
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

# one_process LOG SETTING...: pytest with these variables of the environment; the exit status lies in LOG.status.
one_process()
{
    own=$1
    shift
    {
        # shellcheck disable=SC2086 # several words
        env $python_runner "$@" "$(cat build/.python)" -m pytest -q -p no:cacheprovider $pytest_options tests/python $slow 2>&1
        echo $? > "$own.status"
    } | tee "$own"
}

# sum_of LOG...: the last lines of several processes as one. Each leaves out the same tests.
sum_of()
{
    for one; do
        [ ! -f "$one" ] || grep -E '(passed|failed|error|deselected|no tests ran)' "$one" | tail -n 1
    done | awk '
        {
            for (i = 1; i < NF; i++)
                if ($i ~ /^[0-9]+$/) { kind = $(i + 1); sub(/,$/, "", kind); sub(/s$/, "", kind); n[kind] += $i }
        }
        { seconds = $0; sub(/.* in /, "", seconds); if (seconds + 0 > longest) longest = seconds + 0 }
        END {
            n["deselected"] /= NR ? NR : 1
            for (i = split("failed error passed skipped xfailed deselected warning", kinds); i > 0; i--)
                if (n[kinds[i]]) line = n[kinds[i]] " " kinds[i] (line == "" ? "" : ", ") line
            printf "%s in %d s, processes: %d\n", line, longest, NR
        }'
}

# python_tests LOG SETTING...: as many processes as jobs, which share the files of tests. The first is watched; of another the
# end is shown, or all if it failed. Leaves their sum in `line`.
python_tests()
{
    log=$build/$1
    shift
    export KARAT_TEST_SHARE="$PWD/$build/share"
    rm -rf "$KARAT_TEST_SHARE" "$log".*
    mkdir "$KARAT_TEST_SHARE"
    process=$jobs
    while [ "$process" -gt 1 ]; do
        one_process "$log.$process" "$@" > /dev/null &
        process=$((process - 1))
    done
    one_process "$log.1" "$@"
    wait
    line=$(sum_of "$log".[0-9] "$log".[0-9][0-9])
    for status in "$log".*.status; do
        [ "$(cat "$status")" = 0 ] && continue
        python_status=1
        [ "$status" = "$log.1.status" ] || cat "${status%.status}"
        line="$line, one ended with $(cat "$status")"
    done
}

# mirror_tests THREADS EVERY: on the mirror: late, on two streams, the kernels on so many threads; of every so many tests one.
mirror_tests()
{
    python_tests "mirror_$1.log" KARAT_TEST_ALL= KARAT_TEST_DEVICE=mirror KARAT_TEST_THREADS="$1" KARAT_TEST_SAMPLE="$2"
    mirror_lines="$mirror_lines
Python tests on the mirror, kernels on $1 threads: $line"
}

python_status=0
python_line=""
mirror_lines=""
slow=""
if [ "$part" != c ] && ls tests/python/*.py > /dev/null 2>&1 && ls "$build"/python/karat/_karat*.so > /dev/null 2>&1; then
    # Bytecode is kept, for all builds: pytest takes longer to compile 45,000 lines with asserts than many files to run.
    export PYTHONPATH="$PWD/$build/python" PYTHONPYCACHEPREFIX="$PWD/build/pycache" PYTHONDONTWRITEBYTECODE=
    python_tests pytest.log KARAT_TEST_DEVICE=
    python_line=$line
    if [ -e "$build/backends/mirror.so" ]; then
        threads=4
        [ -z "${KARAT_TEST_ALL:-}" ] || { mirror_tests 4 1 && threads=1; }
        for name in conformance leaks second_derivatives view_programs; do # long
            slow="$slow --ignore tests/python/test_$name.py"
        done
        mirror_tests $threads 5
    fi
fi

echo
echo "KARAT_TEST_SEED=$KARAT_TEST_SEED"
[ "$part" = python ] || echo "C tests ($build): $c_line"
[ -z "$python_line" ] || echo "Python tests: $python_line$mirror_lines"
[ $c_status = 0 ] && [ $python_status = 0 ]
