#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# 64 lanes of 100 million events in 1600 columns: the whole view within 60 ms of CPU, 1% of it within 10 ms,
# and half as much again for a machine that is busy. The limits are those of an optimised build, which is made
# first. Takes 2 GB of memory; SOAK_EVENTS sets another size.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$WARPLENS_SOURCE" -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWL_TESTS=OFF >"$work/log"
cmake --build "$work" --target picture >>"$work/log" || {
	cat "$work/log"
	exit 1
}
"$work/picture" "${SOAK_EVENTS:-100000000}" 90 15
