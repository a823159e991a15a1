#!/bin/sh
# run.sh - each public header compiles alone, twice in a row, strictly, as C11 and as C++17.
# In: the build directory; CC and CXX if set. Out: one line, or the first compiler's complaint.
set -eu
generated=$(cd "$1" && pwd)/generated/include
cd "$(dirname "$0")/../.."
cc=${CC:-cc}
cxx=${CXX:-$(case $cc in *clang*) command -v clang++ ;; esac || true)}
cxx=${cxx:-g++}
strict="-Wall -Wextra -Wpedantic -Werror -Iinclude -I$generated -fsyntax-only"
count=0
for header in $( (cd include && find karat -name '*.h'; cd "$generated" && find karat -name '*.h') | sort); do
    text="#include <$header>
#include <$header>"
    echo "$text" | $cc -std=c11 $strict -Wstrict-prototypes -x c - || { echo "headers: $header is not clean C11"; exit 1; }
    echo "$text" | $cxx -std=c++17 $strict -x c++ - || { echo "headers: $header is not clean C++17"; exit 1; }
    count=$((count + 1))
done
echo "headers: $count compile alone as C11 and C++17"
