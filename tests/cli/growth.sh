#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Shapes that once took time in proportion to the square of their size; soak.growth has all shapes and commands.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
GROWTH_VERBS=viewer,nvtx,schema python3 -B "$here/support/growth.py" "$WARPLENS" "$work" 2000 20000 \
	devices threads nested one_time tables_of_one_page || fail "time grows faster than the trace"
GROWTH_VERBS=timeline,metrics,summary python3 -B "$here/support/growth.py" "$WARPLENS" "$work" 1000 10000 \
	counters adapters || fail "time grows faster than counters and GPUs"
finish
