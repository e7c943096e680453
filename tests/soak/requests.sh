#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzed requests to a server, many more than each change sends. In a build with sanitizers it fails on any report, leaks
# at the end included.
set -euo pipefail
export SERVE_REQUESTS=${SOAK_REQUESTS:-100000} SERVE_SEED=${SOAK_SEED:-2026}
# What was freed is kept back for a while only, so that growth is that of the server.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16
exec python3 -B "$WARPLENS_SOURCE/tests/serve/test_fuzz.py"
