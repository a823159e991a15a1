#!/bin/sh
# options.sh - an option is named: for every call macro of the public headers a call with an argument too many must not compile,
# and the same call without it must, without a warning. In: the build directory;
# gcc and clang where they are. Out: one line a compiler.
set -eu
generated=$(cd "$1" && pwd)/generated/include
cd "$(dirname "$0")/../.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

# A function each: "void f(const kt_tensor *self) { (void)kt_sum(self, 1); }", made of the declaration of kt_sum_kw.
write_calls() { # write_calls <what stands after the arguments>
    echo '#include <karat/karat.h>'
    cat "$generated/karat/ops_typed.h" include/karat/grad.h | awk -v more="$1" '
        match($0, /kt_[a-z0-9_]+_kw\(/) && /_opts \*opts\);/ {
            name = substr($0, RSTART, RLENGTH - 4)
            rest = substr($0, RSTART + RLENGTH)
            sub(/, const kt_[a-z0-9_]+_opts \*opts\);.*/, "", rest)
            n = split(rest, parameter, ", ")
            arguments = ""
            for (i = 1; i <= n; i++) {
                one = parameter[i]
                sub(/.*[ *]/, "", one)
                arguments = arguments (i > 1 ? ", " : "") one
            }
            printf "void f_%s(%s); void f_%s(%s) { (void)%s(%s%s); }\n", name, rest, name, rest, name, arguments, more
        }'
}

write_calls "" > "$room/right.c"
calls=$(grep -c '^void' "$room/right.c")
[ "$calls" -gt 300 ] || { echo "options: only $calls calls found"; exit 1; }
checked=0
for cc in gcc clang; do
    command -v $cc > /dev/null || continue
    $cc -std=c17 -Wall -Wextra -Werror -Iinclude -I"$generated" -fsyntax-only "$room/right.c"
    $cc -std=c17 -Wall -Wextra -Werror -DKT_SITES -Iinclude -I"$generated" -fsyntax-only "$room/right.c"
    for wrong in 1 ${KARAT_TEST_ALL:+0 2.5 NULL KT_F32}; do
        write_calls ", $wrong" > "$room/wrong.c"
        $cc -std=c17 -Iinclude -I"$generated" -fsyntax-only \
            $([ $cc = gcc ] && echo -fmax-errors=0 || echo -ferror-limit=0) "$room/wrong.c" \
            2> "$room/said" && { echo "options: $cc takes an option of $wrong by position"; exit 1; }
        refused=$(grep -o 'wrong.c:[0-9]*:[0-9]*: error' "$room/said" | cut -d: -f2 | sort -u | wc -l)
        [ "$refused" = "$calls" ] || { echo "options: $cc refuses $wrong in $refused of $calls calls"; exit 1; }
    done
    for call in 'kt_prod_dim(x, 0, .keepdim = true, KT_F64)' 'kt_sum(x, .dtype = KT_F64, 1)' 'kt_sum(x, {1})' \
        'kt_std_dim(x, (kt_shape){0}, .unbiased = KT_SOME(true), true)' 'kt_backward(x, .retain_graph = true, true)'; do
        echo "#include <karat/karat.h>
void f(kt_tensor *x); void f(kt_tensor *x) { (void)$call; }" > "$room/after.c"
        ! $cc -std=c17 -Iinclude -fsyntax-only "$room/after.c" 2> "$room/said" || { echo "options: $cc takes $call"; exit 1; }
    done
    echo "options: $cc refuses an option by position in $calls calls"
    checked=$((checked + 1))
done
cat > "$room/named.c" << 'end'
#include <karat/karat.h>
kt_tensor *f(kt_tensor *x);
kt_tensor *f(kt_tensor *x) { return kt_sum(x, .dtype = KT_F64); }
end
${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude -I"$generated" -fsyntax-only "$room/named.c"
cat > "$room/plus.cc" << 'end'
#include <karat/karat.h>
kt_tensor *f(kt_tensor *x)
{
    kt_add_opts o{};
    o.size = sizeof o;
    return kt_add_kw(x, kt_sum_kw(x, nullptr), &o);
}
end
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -I"$generated" -fsyntax-only "$room/plus.cc"
[ $checked -gt 0 ]
