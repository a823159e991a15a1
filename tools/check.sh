#!/bin/sh
# check.sh - every check that needs no test run, each to its end, so that one run shows all there is to mend.
# In: the build directory. Out: exit status 1 if any check found something.
set -u
cd "$(dirname "$0")/.."
build=$1
status=0
tools/check_layers.sh || status=1
tools/check_symbols.sh "$build" || status=1
tools/lint.sh || status=1
tests/headers/run.sh "$build" || status=1
tools/check_library.sh "$build/lib/libkarat.so" || status=1
python3 tools/own_code.py python/karat --allow 5 || status=1 # the interpreter on PATH: the build's has no PyTorch
if cmake --build "$build" --target check_gen > "$build/check_gen.log" 2>&1; then
    echo "generated files: current"
else
    cat "$build/check_gen.log"
    echo "generated files: run make gen"
    status=1
fi
[ $status = 0 ] && echo "make check: all good"
exit $status
