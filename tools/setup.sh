#!/bin/sh
# setup.sh - make a bare Debian able to build and test Karat. Does nothing, and quickly, where all is there.
#
# Out: missing Debian packages installed by name (as root or through sudo; otherwise it says which and stops);
# build/.python, the interpreter the extension is built for and the tests run with: the first python3 on the PATH that has
# its C headers, itself if it has NumPy and pytest, else through a virtual environment in build/venv.
# PYTHON=/path/to/python3 make ... chooses another one.
set -eu
cd "$(dirname "$0")/.."

say() { echo "set-up: $*"; }

install_packages() {
    if [ "$(id -u)" = 0 ]; then
        as_root=""
    elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
        as_root="sudo"
    else
        say "these Debian packages are missing and need root to install:"
        say "    apt-get install $*"
        return 1
    fi
    if ! command -v apt-get > /dev/null; then
        say "not a Debian system; install the equivalents of: $*"
        return 1
    fi
    say "installing $*"
    $as_root apt-get -qq update
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" > /dev/null
}

# ---- tools and libraries ----
missing=""
need() { # need <package> <command that succeeds when it is there>
    package=$1
    shift
    "$@" > /dev/null 2>&1 || missing="$missing $package"
}
has_header() { echo "#include <$1>" | gcc -E - ; }
has_python_headers() { "$1" -c 'import os, sysconfig as s; assert os.path.exists(s.get_path("include") + "/Python.h")'; }

need gcc command -v gcc
need g++ command -v g++
need libc6-dev has_header stdio.h
need zlib1g-dev has_header zlib.h
need cmake command -v cmake
need ninja-build command -v ninja
need ccache command -v ccache
need pkg-config command -v pkg-config
need python3 command -v python3

# ---- the interpreter ----
# A python3 on the PATH without headers cannot build the extension: Debian's own then does.
python=${PYTHON:-$(command -v python3 || echo /usr/bin/python3)}
asked=$python
if [ "$(sed -n 1p build/.setup 2> /dev/null)" = "$asked" ] && [ build/.setup -nt tools/setup.sh ] \
    && [ -x "$(cat build/.python 2> /dev/null)" ]; then
    [ -z "$missing" ] || install_packages $missing
    exit 0
fi

if [ "$python" != /usr/bin/python3 ] && ! has_python_headers "$python" 2> /dev/null; then
    say "$python has no C headers: Debian's python3 is used"
    python=/usr/bin/python3
fi
if [ "$python" = /usr/bin/python3 ]; then
    [ -x /usr/bin/python3 ] || case $missing in *python3*) ;; *) missing="$missing python3" ;; esac
    need python3-dev has_python_headers /usr/bin/python3
    need python3-venv /usr/bin/python3 -c 'import ensurepip, venv'
fi
[ -z "$missing" ] || install_packages $missing

# Libraries that are opened at run time for matrix products. Without them our own kernels serve: no reason to stop.
has_library() { PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -q "$1"; }
offer() { # offer <library> <packages, the first that installs>
    library=$1
    shift
    has_library "$library" && return 0
    for package in "$@"; do
        install_packages "$package" 2> /dev/null && return 0
    done
    say "no $library: Karat's own kernels make its products"
}
offer libdnnl.so libdnnl3 libdnnl2
offer libopenblas.so.0 libopenblas0-pthread libopenblas0-serial

has_test_packages() { "$1" -c 'import numpy, pytest' 2> /dev/null; }
mkdir -p build
if has_test_packages "$python"; then
    chosen=$("$python" -c 'import sys; print(sys.executable)')
else
    say "a virtual environment with NumPy and pytest in build/venv, from $python"
    rm -rf build/venv
    if "$python" -m venv build/venv &&
        build/venv/bin/python3 -m pip install --quiet --disable-pip-version-check numpy pytest; then
        chosen=$PWD/build/venv/bin/python3
    else
        say "pip could not bring NumPy and pytest: Debian's packages are used"
        install_packages python3-dev python3-numpy python3-pytest
        chosen=/usr/bin/python3
    fi
fi
[ "$(cat build/.python 2> /dev/null)" = "$chosen" ] || echo "$chosen" > build/.python
echo "$asked" > build/.setup
