#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Both readers on many more random databases than each change runs.
set -euo pipefail
export READER_SEEDS=${SOAK_SEEDS:-100000} READER_BASE=${SOAK_BASE:-1000000}
exec "$WARPLENS_BUILD/property" readers
