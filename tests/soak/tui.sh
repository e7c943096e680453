#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Random keys, mouse and sizes on the viewers, on the corpus too: each change runs the fixtures only.
set -euo pipefail
exec "$WARPLENS_BUILD/property" tui "${SOAK_EVENTS:-10000}"
