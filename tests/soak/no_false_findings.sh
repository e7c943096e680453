#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Generated traces of all workloads without a planted cause: how many findings speak of what is not there.
set -euo pipefail
export FALSE_TRACES=${SOAK_TRACES:-200} FALSE_BASE=${SOAK_BASE:-1}
cd "$WARPLENS_SOURCE/tests/oracle"
python3 -B test_no_false_findings.py
