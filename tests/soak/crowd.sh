#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fifty clients ask a server of a generated trace for a minute; each change has three seconds of it. SOAK_KERNELS sets
# the size (default 300,000), CROWD_SECONDS the time.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$WARPLENS_SOURCE/tests/support/gen_trace.py" -o "$work/run.sqlite" --ranks 8 --layers 32 \
	--kernels "${SOAK_KERNELS:-300000}"
CROWD_SECONDS=${CROWD_SECONDS:-60} CROWD_TRACE=$work/run.sqlite python3 -B "$WARPLENS_SOURCE/tests/serve/test_crowd.py"
