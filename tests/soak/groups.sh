#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# groups.sh - the oracle of groups on all its traces: large ones, extra jitter, random causes.
exec env GROUPS_ALL=1 python3 -B "$(dirname "$0")/../oracle/test_oracle_groups.py"
