#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How soon work stops on a trace of a million kernels: verbs in SQL at their time limit, calls of the MCP server at a
# cancellation, every command but capture and fleet scatter at Ctrl-C, with slow models, databases and clients, too.
# STOP_MOST is the limit in seconds, STOP_VERBS chooses commands, STOP_WAITS those that wait, by how their names begin.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
python3 -B "$here/support/gen_trace.py" -o "$work/big.sqlite" --ranks 8 --layers 32 --kernels 1000000 >/dev/null
python3 -B "$here/support/stop_times.py" "$WARPLENS" "$work/big.sqlite" "${STOP_MOST:-0.2}" || fail "work went on for too long"
python3 -B "$here/support/stop_waits.py" "$WARPLENS" "$work/big.sqlite" "${STOP_MOST:-0.2}" || fail "waiting went on for too long"
finish
