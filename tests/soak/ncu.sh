#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The verb ncu against the real ncu: raw pages in base units of all reports of the corpus, and the metrics of six chips.
# The first run fetches ncu into the build directory.
set -euo pipefail
dir=${WARPLENS_NCU_DIR:-$WARPLENS_SOURCE/build/ncu}
ncu=$(find "$dir" -path '*/target/linux-desktop-*-x64/ncu' -type f 2>/dev/null | head -n 1)
[ -n "$ncu" ] || ncu=$("$WARPLENS_SOURCE/tools/get_ncu.sh" "$dir") || { echo "ncu cannot be fetched"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home # where ncu writes
mkdir -p "$HOME" "$work/pages"
python3 -B "$WARPLENS_SOURCE/tests/oracle/ncu_facts.py" "$ncu" | diff - "$WARPLENS_SOURCE/tests/oracle/ncu_chips.txt"
for report in "$WARPLENS_SHARED"/corpus/*/report.ncu-rep.zst; do
	[ -e "$report" ] || { echo "no reports in $WARPLENS_SHARED/corpus"; exit 77; }
	name=$(basename "$(dirname "$report")")
	zstd -dqf "$report" -o "$work/x.ncu-rep"
	"$ncu" --import "$work/x.ncu-rep" --page raw --csv --print-units base >"$work/pages/$name.csv"
done
NCU_PAGES=$work/pages python3 -B "$WARPLENS_SOURCE/tests/oracle/test_ncu.py"
