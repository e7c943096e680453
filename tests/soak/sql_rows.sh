#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tables of events and functions of sql on all traces of the corpus; each change asks the small ones only.
set -euo pipefail
export ROWS_MOST_KB=0
cd "$WARPLENS_SOURCE/tests/oracle"
python3 -B test_sql_rows.py
