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

# The lines of plans: each ncu takes their options and values, and fails for want of a driver only. A wrong value fails
# before that. Section sets are not checked: this package has no section files.
older=$(find "$dir-bookworm" -path '*/target/linux-desktop-*-x64/ncu' -type f 2>/dev/null | head -n 1)
[ -n "$older" ] || older=$("$WARPLENS_SOURCE/tools/get_ncu.sh" "$dir-bookworm" bookworm) || { echo "ncu 2022.3 cannot be fetched"; exit 77; }
cd "$work"
python3 -B - "$WARPLENS_SOURCE"/tests/plans/expected-* "$ncu" "$older" <<'PYTHON'
import os, re, shlex, subprocess, sys

WANT = "failed to connect to the CUDA driver"
plans = [p for p in sys.argv[1:] if "expected" in p.rsplit("/", 1)[-1]]
tools = sys.argv[1 + len(plans):]
calls = set()
for line in (line for path in plans for line in open(path, encoding="utf-8")):
    if not re.match(r"  \$ |    srun ", line) or " ncu " not in line.replace("$ ncu", "  ncu"):
        continue
    words = shlex.split(line)
    words = words[words.index("ncu") + 1:]
    calls.add(tuple(words[:words.index("--export") + 2]))


def said(tool, words):
    ranks = {name: "0" for name in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")}
    run = subprocess.run([tool, *words, "true"], env=os.environ | ranks, capture_output=True, text=True, timeout=60, check=False)
    return run.stdout + run.stderr


assert len(calls) >= 8, calls
for tool in tools:
    for words in sorted(calls):
        text = said(tool, words)
        assert WANT in text and "option" not in text, (tool, words, text)
    wrong = [w if w != "base" else "basic" for w in min(calls)]
    assert WANT not in said(tool, wrong), (tool, "takes a wrong value")
    wrong = [w if w != "yes" else "maybe" for w in next(c for c in calls if "--kill" in c)]
    assert WANT not in said(tool, wrong), (tool, "takes a wrong value")
print(len(calls), "calls of ncu, with", len(tools), "versions")
PYTHON
