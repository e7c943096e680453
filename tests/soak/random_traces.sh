#!/usr/bin/env bash
# The random traces of the oracle, many more of them than each change runs.
set -euo pipefail
ORACLE_SEEDS=${SOAK_SEEDS:-50000} ORACLE_BASE=${SOAK_BASE:-1000000} \
	python3 -B "$WARPLENS_SOURCE/tests/oracle/test_random.py"
