#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every answer with and without an index, on the corpus too: each change runs the fixtures only.
set -euo pipefail
exec "$WARPLENS_BUILD/property" index all
