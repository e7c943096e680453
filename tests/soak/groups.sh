#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# groups.sh - the oracle of groups on all its traces: large ones, extra jitter, random causes. Then the program beside it on the same and on
# SOAK_JOBS (1000) random jobs from seed SOAK_BASE (100000) on.
set -euo pipefail
oracle=$(dirname "$0")/../oracle
export GROUPS_ALL=1
python3 -B "$oracle/test_oracle_groups.py"
exec env RANDOM_JOBS="${SOAK_JOBS:-1000}" ORACLE_BASE="${SOAK_BASE:-100000}" python3 -B "$oracle/test_groups.py"
