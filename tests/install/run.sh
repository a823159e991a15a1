#!/bin/sh
# run.sh - installs into an empty directory and builds a small program against it, through pkg-config and find_package.
# In: the build directory and the compiler. Out: exit status 0 if both programs build and run and the command answers.
set -eu
build=$1 cc=${2:-cc}
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

DESTDIR=$prefix cmake --install "$build" --prefix /opt/karat > /dev/null
prefix_karat=$prefix/opt/karat
for file in include/karat/base.h lib/libkarat.so lib/libkarat.so.0 lib/pkgconfig/karat.pc lib/cmake/karat/karat-config.cmake; do
    [ -e "$prefix_karat/$file" ] || { echo "not installed: $file"; exit 1; }
done

export PKG_CONFIG_PATH=$prefix_karat/lib/pkgconfig
$cc "$here/consumer/consumer.c" $(pkg-config --cflags --libs karat) -o "$prefix/by_pkg_config"
LD_LIBRARY_PATH=$prefix_karat/lib "$prefix/by_pkg_config"

CC=$cc cmake -S "$here/consumer" -B "$prefix/cmake" -DCMAKE_PREFIX_PATH="$prefix_karat" > /dev/null
cmake --build "$prefix/cmake" > /dev/null
"$prefix/cmake/consumer"

if [ -x "$build/bin/karat" ]; then
    "$prefix_karat/bin/karat" --version
fi
