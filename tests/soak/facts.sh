#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Facts against their traces: 500 random traces and every real one.
set -euo pipefail
export ORACLE_SEEDS=${SOAK_SEEDS:-500} ORACLE_BASE=${SOAK_BASE:-1} FACTS_CORPUS=1
exec python3 -B "$WARPLENS_SOURCE/tests/oracle/test_from_facts.py"
