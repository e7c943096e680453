#!/usr/bin/env bash
# 64 lanes of 100 million events in 1600 columns: the whole view within 60 ms of CPU, 1 % of it within 10 ms,
# and half as much again for a machine that is busy. Takes 2 GB of memory.
set -euo pipefail
if ! grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Rel' "$WARPLENS_BUILD/CMakeCache.txt"; then
	echo "skipped: the limits are those of an optimised build"
	exit 77
fi
exec "$WARPLENS_BUILD/picture" "${SOAK_EVENTS:-100000000}" 90 15
