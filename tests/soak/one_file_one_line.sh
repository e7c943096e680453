#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The program without one analysis and without one rule of findings: built, and asked.
set -euo pipefail
BUILD_WITHOUT=1 exec bash "$WARPLENS_SOURCE/tests/cli/one_file_one_line.sh"
