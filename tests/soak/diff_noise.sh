#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Pairs of traces that differ in noise only: how often diff sees a change that is none.
set -euo pipefail
export DIFF_PAIRS=${SOAK_PAIRS:-1000} DIFF_BASE=${SOAK_BASE:-1000}
cd "$WARPLENS_SOURCE/tests/oracle"
python3 -B test_diff_noise.py
