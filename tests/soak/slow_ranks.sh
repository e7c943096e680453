#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# slow_ranks.sh - who is slow, when, by how much and why, in SOAK_JOBS (1,000) random jobs, against the definition.
set -euo pipefail
export RANDOM_JOBS=${SOAK_JOBS:-1000} ORACLE_BASE=${SOAK_BASE:-100000}
exec python3 -B "$(dirname "$0")/../oracle/test_slow_ranks.py"
