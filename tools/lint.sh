#!/bin/sh
# lint.sh - the small rules of CONTRIBUTING that a machine can hold. In: the tree. Out: one line a finding, status 1 if any.
# Tables, generated files and tests may be long; tables and generated files may have long lines; tests/conformance is a
# record taken over byte for byte and is not looked at.
set -eu
cd "$(dirname "$0")/.."
{
    find include src backends python tools cmake tests examples bench .ci -type f ! -path 'tests/conformance/*' \
        \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.py' -o -name '*.sh' -o -name '*.cmake' -o -name '*.map' \
        -o -name '*.cu' -o -name '*.cuh' -o -name CMakeLists.txt -o -name run \) 2> /dev/null
    ls CMakeLists.txt Makefile LAYERS
} | grep -v __pycache__ | sort | LC_ALL=C awk '
function finding(what) { printf "%s:%d: %s\n", file, line, what; findings++ }

BEGIN { unfinished = "TO" "DO|FIX" "ME|not implemented " "yet" }
{
    file = $0
    files++
    generated = file ~ /^include\/karat\/ops\.h$/
    table = file ~ /^src\/tables\// || file ~ /\.def$/
    engine = file ~ /^(src|python|backends)\//
    code = file ~ /\.(c|h|cu|cuh)$/
    line = 0
    opening = 0
    before = before_that = ""
    while ((getline text < file) > 0) {
        line++
        if (line == 1 && text ~ /^#!/) continue
        if (!opening) {
            opening = 1
            if (text !~ /^(\/\*|\/\/|#( |$)|"""|r""")/) finding("does not open with a comment that says what it is")
        }
        if (text ~ /\t/ && file !~ /Makefile$/) finding("a tab")
        if (text ~ /[ \t\r]$/) finding("trailing blanks")
        if (length(text) > 130 && !generated && !table) finding("a line of " length(text) " columns")
        if (text ~ unfinished) finding("unfinished work belongs in an issue")
        if (text ~ /(\/work|\/root|\/home)\//) finding("a path of one machine")
        if (engine && text ~ /(^|[^a-zA-Z0-9_])(abort|exit|_exit) *\(/) finding("never abort or exit: kt_fail and unwind")
        # One brace style: K&R, a function'"'"'s brace on its own line, none around a single statement.
        if (code && text ~ /^ *\}$/ && before ~ /;$/ && before !~ /KT_[A-Z]+(\(.*\))?;$/ &&
            before_that ~ /^ *(if|for|while) \(.*\) \{$/)
            finding("braces around a single statement")
        if (code && text ~ /^ *else/ && before ~ /^ *\}$/) finding("} else { on one line")
        if (code && text ~ /^[a-z].*\) \{$/ && text !~ /^(typedef|struct|enum|union|extern|static const) /)
            finding("the brace of a function on a line of its own")
        if (code && text ~ /^ +\{$/ && before ~ /^ *(if|for|while|switch) \(.*\)$/)
            finding("the brace on the line of its statement")
        # Tables that must agree bear the same mark, ORDER NAME, at both ends.
        if (text ~ /ORDER [A-Z]+/) {
            mark = text
            sub(/.*ORDER /, "", mark)
            sub(/[^A-Z].*/, "", mark)
            marks[mark]++
            where[mark] = file ":" line
        }
        before_that = before
        before = text
    }
    close(file)
    if (line == 0) finding("an empty file")
    if (line > 1000 && !generated && !table && file !~ /^tests\//) finding(line " lines: a second idea has moved in")
}
END {
    for (mark in marks)
        if (marks[mark] < 2 && mark != "NAME") {
            printf "%s: ORDER %s has no other end\n", where[mark], mark
            findings++
        }
    if (findings) exit 1
    printf "lint: %d files\n", files
}'
