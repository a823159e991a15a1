#!/bin/bash
# sanitize.sh - compute-sanitizer over the CUDA backend's tests: memcheck with every block of memory by itself, racecheck of the
# kernels that share memory. In: what run.sh built. Out: what it found; exit status 0 if all parts ended well and that is nothing.
# LIMIT: seconds that a part may take (200); one that is stopped there is told so. SAMPLE: one Python test of so many (200).
# "sanitize.sh rows": a call of every row, in parts that would take the others' time; else all the others.
set -u
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin PYTHONDONTWRITEBYTECODE=1 KARAT_ALLOC=system
build=${BUILD:-$PWD/build/cuda}
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
logs=$build/sanitized
python=$(command -v python3)
rm -rf "$logs" && mkdir -p "$logs"
parts=()
check() # TOOL NAME COMMAND...
{
    local tool=$1 name=$2
    shift 2
    parts+=("$tool.$name")
    { timeout -k 5 "${LIMIT:-200}" compute-sanitizer --tool "$tool" --error-exitcode 99 --report-api-errors no \
          --log-file "$logs/$tool.$name.found" "$@" > "$logs/$tool.$name.out" 2>&1; echo $? > "$logs/$tool.$name.status"; } &
}
ROWS=16 # parts of the rows
if [ "${1:-}" = rows ]; then
    for part in $(seq 0 $((ROWS - 1))); do
        MIRROR_PART=$part/$ROWS check memcheck rows$part "$build/tests/test_cuda_rows"
    done
else
    KARAT_ALLOC= check memcheck layer "$build/tests/test_cuda_layer" # the caches are what it tests
    check memcheck values "$build/tests/test_cuda_values"
    for part in reductions softmaxes entropies indexing copies lines conversions lookups lists norms draws choices; do
        check memcheck $part "$python" tests/cuda/families.py $part
    done
    for part in steps channels pools resampling alignments searches ranks; do
        check memcheck $part "$python" tests/cuda/layers.py $part
    done
    check memcheck programs "$python" tests/cuda/programs.py --programs 100 --jobs 1
    KARAT_TEST_DEVICE=cuda KARAT_TEST_SAMPLE=${SAMPLE:-200} check memcheck python \
        "$python" -m pytest -q -p no:cacheprovider tests/python
    export KARAT_TEST_SAMPLE=60 # calls: racecheck is slow
    for part in reductions softmaxes entropies indexing lines norms; do
        check racecheck $part "$python" tests/cuda/families.py $part
    done
    for part in steps channels pools resampling alignments ranks; do
        check racecheck $part "$python" tests/cuda/layers.py $part
    done
fi
wait
status=0
for part in "${parts[@]}"; do
    code=$(cat "$logs/$part.status")
    summary=$(grep -h 'SUMMARY' "$logs/$part.found" | tail -1 | cut -c 1-120)
    last=$(tail -1 "$logs/$part.out" | cut -c 1-100)
    echo "$part: exit status $code$([ "$code" = 124 ] && echo ' (stopped)'); ${summary:-no summary}; $last"
    if [ "$code" != 0 ] || grep -q '^========= \(Invalid\|Race\|Error\|Program hit\)' "$logs/$part.found"; then
        status=1
        grep -v 'Host Frame' "$logs/$part.found" | head -${SHOWN:-30}
    fi
done
exit $status
