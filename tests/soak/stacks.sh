#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Call stacks against the oracle: many random traces, and every real one that has samples or stacks of calls.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
unset TRACES_MOST_KB
STACKS_CORPUS=1 ORACLE_SEEDS=${ORACLE_SEEDS:-300} exec python3 -B "$here/oracle/test_stacks.py"
