#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# twins.sh - all pairs of generated jobs that differ by one cause: what whatif predicts of the bad one.
exec env TWINS_ALL=1 python3 -B "$(dirname "$0")/../oracle/test_twins.py"
