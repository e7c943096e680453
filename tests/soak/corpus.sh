#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every oracle and every property on every real trace, the largest included, which .ci/run leaves out.
set -euo pipefail
unset TRACES_MOST_KB PROPERTY_PART ORACLE_PART
exec ctest --test-dir "$WARPLENS_BUILD" -R '^(oracle|property|web)\.' -j "$(nproc)" --output-on-failure --no-label-summary
