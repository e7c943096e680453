#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What must add up, with tiles of the longer corpus traces, which each change leaves out.
set -euo pipefail
export TILE_LIMIT=${TILE_LIMIT:-8000}
cd "$WARPLENS_SOURCE/tests/oracle"
python3 -B test_identities.py
