#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What verbs cost against `kernels`, on 10 and 50 million kernels of a release build; SOAK_KERNELS sets other sizes. Takes
# 8 GB of disk, and 14 GB of memory at 50 million. It shows ratios and fails only where a verb does: bench/ratios.tsv is of
# 300,000 kernels, where starting is a larger part of what all is divided by.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$WARPLENS_SOURCE" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWL_TESTS=OFF >"$work/log"
cmake --build "$work/build" --target warplens >>"$work/log" || {
	cat "$work/log"
	exit 1
}
for kernels in ${SOAK_KERNELS:-10000000 50000000}; do
	python3 -B "$WARPLENS_SOURCE/bench/ratios" --program "$work/build/warplens" --kernels "$kernels"
done
