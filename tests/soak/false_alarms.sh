#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# false_alarms.sh - SOAK_TRACES (500) clean generated traces of all workloads, in which waits lag by up to 8 us and ranks leave
# collectives up to 8 us apart, with and without rows of events: at most 2% of them with any false statement.
set -euo pipefail
traces=${SOAK_TRACES:-500}
export FALSE_TRACES=$traces FALSE_BASE=${SOAK_BASE:-1} FALSE_MOST=$((traces / 50))
exec python3 -B "$(dirname "$0")/../oracle/test_no_false_findings.py"
