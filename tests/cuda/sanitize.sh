#!/bin/bash
# sanitize.sh - compute-sanitizer over the CUDA backend's tests: memcheck with every block of memory by itself, racecheck of the
# kernels that share memory. In: what run.sh built. Out: what it found; exit status 0 if all parts ended well and that is nothing.
# LIMIT: seconds that a part may take (200); one that is stopped there is told so. SAMPLE: one Python test of so many (200).
# JOBS: parts at once (the cores). Arguments: the parts that are wanted, by name; none: all but "rows", a call of every row, which
# takes two minutes of 16 cores. Long parts are cut into shares.
set -u
cd "$(dirname "$0")/../.."
export PATH=$PATH:/usr/local/cuda/bin PYTHONDONTWRITEBYTECODE=1 PYTHONFAULTHANDLER=1 KARAT_ALLOC=system
build=${BUILD:-$PWD/build/cuda}
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
logs=$build/sanitized
python=$(command -v python3)
rm -rf "$logs" && mkdir -p "$logs"
parts=()
wanted=" $* "
check() # TOOL NAME COMMAND...
{
    local tool=$1 name=$2
    shift 2
    parts+=("$tool.$name")
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do
        wait -n
    done
    { begun=$SECONDS
      timeout -k 5 "${LIMIT:-200}" compute-sanitizer --tool "$tool" --error-exitcode 99 --report-api-errors no \
          --log-file "$logs/$tool.$name.found" "$@" > "$logs/$tool.$name.out" 2>&1
      echo $? $((SECONDS - begun)) > "$logs/$tool.$name.status"; } &
}
is_wanted() { [ "$wanted" = "  " ] || [[ $wanted = *" $1 "* ]]; }
families() # TOOL FILE PART...
{
    local tool=$1 file=$2 part share shares sampled
    shift 2
    for part in "$@"; do
        shares=1 sampled=1
        case $tool.$part in
        memcheck.reductions) shares=8 ;;
        memcheck.lists | memcheck.norms) shares=4 ;;
        racecheck.lines | racecheck.ranks | racecheck.sorts) sampled=60 ;; # calls: sorts take minutes there
        racecheck.*) sampled=8 ;;
        esac
        for share in $(is_wanted "$part" && seq 0 $((shares - 1))); do
            KARAT_TEST_SAMPLE=$share/$((shares * sampled)) check "$tool" "$part$share" "$python" "tests/cuda/$file.py" "$part"
        done
    done
}
ROWS=16 # shares of the rows
if [[ $wanted = *" rows "* ]]; then
    for share in $(seq 0 $((ROWS - 1))); do
        MIRROR_PART=$share/$ROWS check memcheck "rows$share" "$build/tests/test_cuda_rows"
    done
fi
is_wanted layer && KARAT_ALLOC= check memcheck layer "$build/tests/test_cuda_layer" # the caches are what it tests
is_wanted values && check memcheck values "$build/tests/test_cuda_values"
families memcheck families reductions softmaxes entropies indexing ordered copies lines conversions lookups lists norms draws
families memcheck families choices complexes extremes pieces scans sorts masks
families memcheck layers steps optimizers channels pools resampling alignments searches ranks
is_wanted attention && KARAT_TEST_SAMPLE=1 check memcheck attention "$python" tests/cuda/attention.py calls dropout streams sure
# Of kernels of our own: that of cuDNN's gradient is told to race, by barriers that the tool does not follow.
is_wanted attention && KARAT_CUDA_ATTENTION=own KARAT_TEST_SAMPLE=1 check racecheck attention \
    "$python" tests/cuda/attention.py calls dropout
is_wanted programs && check memcheck programs "$python" tests/cuda/programs.py --programs 100 --jobs 1
is_wanted python && KARAT_TEST_DEVICE=cuda KARAT_TEST_SAMPLE=${SAMPLE:-200} check memcheck python \
    "$python" -m pytest -q -p no:cacheprovider tests/python
families racecheck families reductions softmaxes entropies indexing ordered lines scans sorts masks norms
families racecheck layers steps optimizers channels pools resampling alignments ranks
wait
status=0
for part in "${parts[@]}"; do
    read -r code took < "$logs/$part.status"
    summary=$(grep -h 'SUMMARY' "$logs/$part.found" | tail -1 | cut -c 1-120)
    last=$(tail -1 "$logs/$part.out" | cut -c 1-100)
    echo "$part: $took s, exit status $code$([ "$code" = 124 ] && echo ' (stopped)'); ${summary:-no summary}; $last"
    if [ "$code" != 0 ] || grep -q '^========= \(Invalid\|Race\|Error\|Program hit\)' "$logs/$part.found"; then
        status=1
        grep -v 'Host Frame' "$logs/$part.found" | head -${SHOWN:-30}
    fi
done
exit $status
