#!/bin/sh
# check_symbols.sh - LAYERS by what the objects need: an internal function (kt__) that is declared below and defined above passes
# every #include and is found here. In: the build directory. Out: one line a breach, exit status 1 if any.
set -eu
cd "$(dirname "$0")/.."
find "$1"/CMakeFiles -path '*.dir/src/*' -name '*.o' -print | sort | xargs nm -A -g |
LC_ALL=C awk '
BEGIN {
    while ((getline row < "LAYERS") > 0) {
        sub(/#.*/, "", row)
        if (row !~ /:/) continue
        key = row; sub(/:.*/, "", key)
        value = row; sub(/^[^:]*:[ ]*/, "", value)
        if (key ~ /^kt__/) hooked[key] = " " value " "; else allowed[key] = " " value " "
    }
}
{
    object = $1; sub(/:.*/, "", object); sub(/.*\.dir\//, "", object)
    folder = object; sub(/^src\//, "", folder); if (!sub(/\/.*/, "", folder)) next # src/karat.c
    name = $NF
    if (name !~ /^kt__/) next
    if ($(NF - 1) == "U") needs[folder " " name] = object; else home[name] = folder
}
END {
    for (need in needs) {
        split(need, part, " "); folder = part[1]; name = part[2]; above = home[name]
        if (above == "" || above == folder) continue
        if (index(allowed["src/" folder], " " above " ") || index(allowed["src/" folder], " " above "/")) continue
        if (name in hooked && index(hooked[name], " src/" folder " ")) { used[name] = 1; continue }
        printf "%s: needs %s, which src/%s defines\n", needs[need], name, above
        breaches++
    }
    for (name in hooked) if (!(name in used)) { printf "LAYERS: nobody below needs %s any more\n", name; breaches++ }
    if (breaches) exit 1
    print "symbols: the objects keep to LAYERS"
}'
