#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fleet.sh - history on the real ClickHouse: two shards of 18.16 that are killed, filled and restarted, and the modern dialect on 26.7.
# Both are fetched below build/ once: 100 MB of Debian packages and 566 MB of chDB.
#
#   WARPLENS_CLICKHOUSE_DIR, WARPLENS_CHDB_DIR  where they are, or are unpacked to
#
# Exit status: 77 when nothing could be run.
set -u
cd "$(dirname "$0")/../fleet" || exit 1
export WARPLENS_FETCH=1
n_skipped=0 status=0
for test in test_push test_regressions test_migrate test_waits test_dashboard test_report cluster modern; do
	echo "== $test"
	python3 -B "$test.py"
	case $? in
	0) ;;
	77) n_skipped=$((n_skipped + 1)) ;;
	*) status=1 ;;
	esac
done
[[ $n_skipped == 8 ]] && exit 77
exit $status
