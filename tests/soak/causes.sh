#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# causes.sh - oracles of slow ranks and of waits, and the program against them, on every trace with a known cause, on real ones and on
# RANDOM_JOBS random ones (200); verdicts and changes on all cases, and the oracle of changes on 1,000 series.
set -euo pipefail
export CAUSES_ALL=1 TRACES=all FIGURES=all
cd "$(dirname "$0")/../oracle"
export RANDOM_JOBS=${RANDOM_JOBS:-200}
for test in test_oracle_cells.py test_slow_ranks.py test_stream_waits.py test_late_verdict.py test_changed_steps.py; do
	python3 -B "$test"
done
ORACLE_SEEDS=1000 python3 -B test_changes_text.py
