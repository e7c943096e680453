#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Call stacks against the oracles: many random traces, and every real one that has samples or stacks of calls.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
unset TRACES_MOST_KB
export ORACLE_SEEDS=${ORACLE_SEEDS:-300}
python3 -B "$here/oracle/test_diff_functions.py"
python3 -B "$here/oracle/test_finding_stacks.py"
STACKS_CORPUS=1 exec python3 -B "$here/oracle/test_stacks.py"
