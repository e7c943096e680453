#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# skills.sh - the 38 names on all real traces.
exec env SKILLS_ALL=1 python3 -B "$(dirname "$0")/../oracle/test_skills.py"
