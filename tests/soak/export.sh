#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Perfetto exports of many random traces against the oracle: each change runs a few.
set -euo pipefail
export ORACLE_SEEDS=${SOAK_SEEDS:-1000} ORACLE_BASE=${SOAK_BASE:-1000}
cd "$WARPLENS_SOURCE/tests/oracle"
python3 -B test_export.py
