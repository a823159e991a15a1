#!/bin/sh
# run_bench.sh - every benchmark in turn: the C ones from build/bench, then bench/*.py. Timings never gate anything.
# In: the build directory; its nolineage/ holds the same build with lineage compiled out, which benchmarks find through
# KARAT_BENCH_NOLINEAGE. BENCH=name runs only those whose name contains it.
set -eu
build=$1
export KARAT_BENCH_NOLINEAGE="$PWD/$build/nolineage"
export PYTHONPATH="$PWD/$build/python"
for program in "$build"/bench/*"${BENCH:-}"*; do
    [ -x "$program" ] || continue
    echo "== $(basename "$program")"
    "$program"
done
for script in bench/*"${BENCH:-}"*.py; do
    [ -e "$script" ] || continue
    echo "== $(basename "$script")"
    "$(cat build/.python)" "$script"
done
