#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every test in a browser, the long ones included, which each change leaves out.
set -euo pipefail
exec ctest --test-dir "$WARPLENS_BUILD" -R '^browser\.' -j "$(nproc)" --output-on-failure --no-label-summary
