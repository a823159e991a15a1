#!/bin/sh
# check_layers.sh - every #include against the file LAYERS. In: the tree. Out: one line a breach, exit status 1 if any.
set -eu
cd "$(dirname "$0")/.."
folders="src include backends python tools examples bench tests"
find $folders -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.cu' -o -name '*.cuh' \) 2> /dev/null | sort |
LC_ALL=C awk '
function breach(why) { printf "%s:%d: includes %s: %s\n", file, line, name, why; breaches++ }

function folder_of(path,    best, f) {
    best = ""
    for (f in allowed)
        if ((path == f || index(path, f "/") == 1) && length(f) > length(best)) best = f
    return best
}

function may(folder, target,    n, i, item) {
    n = split(allowed[folder], items, " ")
    for (i = 1; i <= n; i++) {
        item = items[i]
        if (item == "*" || target == item || index(target, item "/") == 1) return 1
    }
    return 0
}

function check_system(folder,    n, i) {
    if (name ~ /^<karat\/plugin\//) {
        if (file !~ /^include\/karat\/plugin\// && !may(folder, substr(name, 2, length(name) - 2)))
            breach("plugin headers are not for " folder)
    } else if (name in only_in) {
        n = split(only_in[name], items, " ")
        for (i = 1; i <= n; i++) if (folder == items[i]) return
        breach("only " only_in[name] " may")
    }
}

function check_own(folder,    target, top) {
    target = substr(name, 2, length(name) - 2)
    if (target ~ /^\.\.\//) { breach("by a path that leaves the folder"); return }
    top = target
    sub(/\/.*/, "", top)
    if (target !~ /\// || !(("src/" top) in allowed)) {
        if (target ~ /^karat\//) breach("public headers go in angle brackets")
        return # beside the file itself
    }
    if (folder == "src/" top || may(folder, target)) return
    breach(folder " may include: " (allowed[folder] == "" ? "nothing of src/" : allowed[folder]))
}

BEGIN {
    while ((getline row < "LAYERS") > 0) {
        sub(/#.*/, "", row)
        if (row !~ /:/) continue
        key = row; sub(/:.*/, "", key)
        value = row; sub(/^[^:]*:[ ]*/, "", value); sub(/[ ]+$/, "", value)
        if (key ~ /^kt__/) continue # check_symbols.sh
        if (key ~ /^</) only_in[key] = value; else allowed[key] = value
    }
}
{
    file = $0
    folder = folder_of(file)
    if (folder == "" && file !~ /^include\//) { printf "%s: its folder has no line in LAYERS\n", file; breaches++; next }
    files++
    line = 0
    while ((getline text < file) > 0) {
        line++
        if (text !~ /^[ ]*#[ ]*include[ ]*[<"]/) continue
        name = text
        sub(/^[ ]*#[ ]*include[ ]*/, "", name)
        if (name ~ /^</) {
            sub(/>.*/, ">", name)
            check_system(folder)
        } else {
            name = substr(name, 1, index(substr(name, 2), "\"") + 1)
            if (folder == "") breach("public headers include public headers only")
            else check_own(folder)
        }
    }
    close(file)
}
END {
    if (breaches) exit 1
    printf "layers: %d files keep to LAYERS\n", files
}'
