#!/bin/sh
# test_seed.sh - prints the seed of all sampled tests: KARAT_TEST_SEED, or a number from the committed sources.
# What passed here so passes elsewhere; a change of the engine draws new samples, one of documents or figures draws none.
set -u
cd "$(dirname "$0")/.."
tree=$(git rev-parse --short=7 HEAD:src 2> /dev/null) || tree=1
echo "${KARAT_TEST_SEED:-$((0x$tree))}"
