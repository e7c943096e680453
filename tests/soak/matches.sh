#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matches.sh - matches, waits and clocks of SOAK_JOBS (1,000) random jobs against their definition, and of as many random traces.
set -euo pipefail
export ORACLE_SEEDS=${SOAK_JOBS:-1000} ORACLE_BASE=${SOAK_BASE:-100000}
cd "$(dirname "$0")/../oracle"
python3 -B test_jobs.py
python3 -B test_matching.py
