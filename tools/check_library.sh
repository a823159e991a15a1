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

# The same bits on every instruction set: a fused multiply-add rounds once where the base build rounds twice. The functions that
# draw random numbers (draw_, sample_, transform) and linspace (range_part_) call fma() by name, which rounds once everywhere;
# libgcc's __mulsc3 and __muldc3 are reached only by complex products that are NaN.
fusing='[[:space:]](vfn?m(add|sub)|fn?m(add|sub)[[:space:]]|fml[as][[:space:]]|fcmla)'
asked='^<((draw|sample|range_part)_|transform>|__mul[sd]c3>)'
fused=$(objdump -d --no-show-raw-insn "$library" | awk -v asked="$asked" '/^[0-9a-f]+ </ { skip = $2 ~ asked } !skip' |
    grep -c -E "$fusing" || true)
[ "$fused" = 0 ] || fail "$fused fused multiply-adds in the code"

stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$library"
bytes=$(wc -c < "$stripped")
[ "$bytes" -lt 8388608 ] || fail "the stripped library is $bytes bytes, not under 8 MiB: the wheel must stay under 10"
echo "library: $(echo "$exported" | wc -l) names exported, $tls bytes thread-local, $bytes bytes stripped"
