#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Time grows like n log n from 10,000 to 200,000 events, for each shape of worst_shapes.py and each command, or the trace is
# refused with its limit. GROWTH_SHAPES and GROWTH_VERBS choose some of them.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck disable=SC2086
python3 -B "$here/support/growth.py" "$WARPLENS" "$work" "${GROWTH_SMALL:-10000}" "${GROWTH_LARGE:-200000}" ${GROWTH_SHAPES:-} ||
	fail "time grows faster than the trace"
finish
