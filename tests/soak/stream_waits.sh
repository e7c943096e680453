#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stream_waits.sh - waits between streams that no event proves, in SOAK_JOBS (1,000) random jobs, against their definition.
set -euo pipefail
export RANDOM_JOBS=${SOAK_JOBS:-1000} ORACLE_BASE=${SOAK_BASE:-100000}
exec python3 -B "$(dirname "$0")/../oracle/test_stream_waits.py"
