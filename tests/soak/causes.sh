#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# causes.sh - the oracle of slow ranks on every trace with a known cause, and that of changes on 1,000 series.
set -euo pipefail
export CAUSES_ALL=1
cd "$(dirname "$0")/../oracle"
for test in test_oracle_cells.py; do
	python3 -B "$test"
done
ORACLE_SEEDS=1000 python3 -B test_changes_text.py
