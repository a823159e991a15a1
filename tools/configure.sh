#!/bin/sh
# configure.sh - run CMake for one build directory, and only when something it was given has changed.
# In: directory, compiler, then the cmake command line. Out: a configured directory; the request is kept in .request.
# Ninja itself re-runs CMake when the build files or the globbed folders change.
set -eu
dir=$1 cc=$2
shift 2
python=$(cat build/.python 2>/dev/null || echo python3)
request="$cc|$python|$*"
if [ -e "$dir/build.ninja" ] && [ "$(cat "$dir/.request" 2>/dev/null)" = "$request" ]; then
    exit 0
fi
mkdir -p "$dir"
rm -f "$dir/.request" "$dir/CMakeCache.txt"
CC="$cc" "$@" -S . -B "$dir" -DKARAT_PYTHON_EXECUTABLE="$python"
printf '%s' "$request" > "$dir/.request"
