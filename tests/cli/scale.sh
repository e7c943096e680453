#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scale.sh - the table of docs/scale.md is what tools/scale prints, and prices are applied as the page says.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
root=$here/..
try "$root/tools/scale"
sed -n '/scale: begin/,/scale: end/p' "$root/docs/scale.md" | sed '1d;$d' >"$work/table"
same "$work/table" "$work/out" "docs/scale.md"

# 1000 GPUs, one run of 3600 core seconds each and 1 GB: core hours and GB are what is paid for.
try "$root/tools/scale" --gpus 1000 --runs 1 --core-hour 2 --gb-month 0.5 --facts-cpu 3600 --merge-cpu 0 --ranks-cpu 0 \
	--push-cpu 0 --merged-bytes 1e9 --stored-bytes 0 --raw-bytes 365e9 --raw-days 1
grep -q '| 8000.00 | 6000.00 |$' "$work/out" || fail "1000 core hours at 2 and 12 GB-months of 1000 GB at 0.5: $(tail -n 1 "$work/out")"
finish
