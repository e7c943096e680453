#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Facts against their traces: 500 random traces, as many random jobs, and every real trace; merges in any order.
set -euo pipefail
export ORACLE_SEEDS=${SOAK_SEEDS:-500} ORACLE_BASE=${SOAK_BASE:-1} FACTS_CORPUS=1
export FACTS_JOBS=${SOAK_JOBS:-$ORACLE_SEEDS}
exec python3 -B "$WARPLENS_SOURCE/tests/oracle/test_from_facts.py"
