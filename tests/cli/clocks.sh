#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# clocks.sh - the clocks of a job's hosts: answers of a job whose hosts have other clocks are those of
# the job in one file, within the error, and shifting a host changes nothing.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
gen=$WARPLENS_SOURCE/tests/support/gen_trace.py
cd "$work"

job=(--ranks 4 --layers 4 --iters 20 --straggler 3:1.2 --seed 4)
python3 -B "$gen" -o one.sqlite "${job[@]}" >/dev/null
python3 -B "$gen" -o skewed "${job[@]}" --split --hosts 2 --clock-skew 2000000:20 >/dev/null

# near A B NS: the rows of nccl of both by rank, stream and type, no further apart than NS per call.
near() {
	"$WARPLENS" nccl "$1" -f json >a.json
	"$WARPLENS" nccl "$2" -f json >b.json
	python3 - a.json b.json "$3" <<'END' || fail "nccl $1 and $2 differ"
import json, sys
def rows(path):
    # In one file ranks are not known: GPUs are numbered as ranks are.
    return {(r["device"], r["stream"], r["type"]): r for r in json.load(open(path))["rows"]}
a, b = rows(sys.argv[1]), rows(sys.argv[2])
assert a.keys() == b.keys(), (a.keys(), b.keys())
for key, row in a.items():
    for c in ("calls", "group", "size"):
        assert row[c] == b[key][c], (key, c)
    for c in ("sum", "wait", "late", "caused", "alone", "transfer"):
        assert abs(row[c] - b[key][c]) <= int(sys.argv[3]) * row["calls"] * 4, (key, c, row[c], b[key][c])
END
}
near one.sqlite skewed 20

"$WARPLENS" info skewed --section clocks -f json >clocks.json
python3 - clocks.json skewed/split.truth.json <<'END' || fail "clocks: $(cat clocks.json)"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
hosts = json.load(open(sys.argv[2]))["job"]["hosts"]
assert [r["host"] for r in rows] == [h["name"] for h in hosts], rows
assert rows[0]["offset"] == 0 and rows[0]["drift_ppb"] == 0
# Seen from the host that drifts, the drift is a hundred thousandth of itself larger.
assert abs(rows[1]["drift_ppb"] + hosts[1]["drift_ppb"]) <= 1, (rows, hosts)
assert all(r["clock"] == "fitted" and r["anchors"] == 180 and r["residual"] <= 256 and r["files"] == 2 for r in rows), rows
END

# --- a host that is shifted ------------------------------------------------------------------
mkdir shifted
cp skewed/*.sqlite shifted/
for f in shifted/rank2.sqlite shifted/rank3.sqlite; do
	chmod u+w $f
	sqlite3 $f "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + 7000123"
done
near skewed shifted 2
