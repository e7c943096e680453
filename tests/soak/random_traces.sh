#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The random traces of every oracle, many more of them than each change runs.
set -euo pipefail
export ORACLE_SEEDS=${SOAK_SEEDS:-20000} ORACLE_BASE=${SOAK_BASE:-1000000}
cd "$WARPLENS_SOURCE/tests/oracle"
# Those that take seeds: what ORACLES names, and no others.
for test in $(cut -d' ' -f2 ORACLES | sort -u); do
	grep -q wl.seeds "$test" || continue
	echo "$test"
	python3 -B "$test"
done
