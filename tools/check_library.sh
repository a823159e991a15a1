#!/bin/sh
# check_library.sh - what the built library promises its users: only kt_ names exported, small, loadable by dlopen.
# In: libkarat.so. Out: one line each, exit status 1 on the first broken promise.
set -eu
library=$1
fail() { echo "check_library: $*"; exit 1; }

exported=$(nm -D --defined-only "$library" | awk '{ print $NF }')
foreign=$(echo "$exported" | grep -v -E '^kt_[a-z]' || true)
[ -z "$foreign" ] || fail "exported by accident: $foreign"

# Hot thread-local words live in the static block (base/local.h); a dlopen finds only about 1.6 KiB of room there.
tls=$(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
tls=$((${tls:-0}))
[ "$tls" -le 1024 ] || fail "the thread-local segment is $tls bytes, over 1024: keep a pointer there, not the thing"

# The same bits on every instruction set: the sources say where a multiply-add rounds once (src/math/fma.h), no compiler does.
commands=$(dirname "$library")/../compile_commands.json
free=$(grep -E '^ *"command":.*/src/[^ ]*\.c"?' "$commands" | grep -c -v -e '-ffp-contract=off' || true)
[ "$free" = 0 ] || fail "$free sources are compiled without -ffp-contract=off"

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$library"
bytes=$(wc -c < "$stripped")
packed=$(gzip -c "$stripped" | wc -c)
[ "$packed" -lt 8388608 ] || fail "the library takes $packed bytes in a wheel, not under 8 MiB: the wheel must stay under 10"
echo "library: $(echo "$exported" | wc -l) names exported, $tls bytes thread-local, $bytes bytes stripped, $packed in a wheel"
