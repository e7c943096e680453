#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# step_changes.sh - changes of step times in SOAK_JOBS (1,000) random series and traces, against their definition.
set -euo pipefail
export ORACLE_SEEDS=${SOAK_JOBS:-1000} ORACLE_BASE=${SOAK_BASE:-100000}
cd "$(dirname "$0")/../oracle"
python3 -B test_changes_text.py
python3 -B test_step_changes.py
