#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# faults.sh - some reads, allocations, maps and writes of commands fail, one in each run: the answer is the right one, or
# there is none. "Not recorded" is an answer. soak.faults has all of them.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
faults=$WARPLENS_BUILD/libwl_faults.so
[[ -s $faults ]] || { echo "skipped: no $faults" >&2; exit 77; }
grep -qa __sanitizer_ "$WARPLENS" && { echo "skipped: a sanitizer has its own allocator" >&2; exit 77; }
python3 -B "$here/support/gen_trace.py" -o t.sqlite --ranks 1 --layers 1 --iters 3 --seed 1 >/dev/null
python3 -B "$here/support/fault_campaign.py" "$WARPLENS" "$faults" t.sqlite "${FAULTS_STEP:-197}" || fail "a fault changes an answer"
finish
