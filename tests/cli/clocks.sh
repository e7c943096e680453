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

# --- a clock that jumps half way, which no line follows ----------------------------------------
mkdir jumped
cp skewed/*.sqlite jumped/
for f in jumped/rank2.sqlite jumped/rank3.sqlite; do
	chmod u+w $f
	for t in CUPTI_ACTIVITY_KIND_KERNEL CUPTI_ACTIVITY_KIND_MEMCPY CUPTI_ACTIVITY_KIND_RUNTIME; do
		sqlite3 $f "UPDATE $t SET start = start + 5000000, end = end + 5000000
			WHERE start > (SELECT (min(start) + max(end)) / 2 FROM CUPTI_ACTIVITY_KIND_KERNEL)"
	done
done
"$WARPLENS" info jumped --section clocks -f json >clocks.json
python3 - clocks.json <<'END' || fail "a clock that jumps: $(cat clocks.json)"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
assert [r["clock"] for r in rows] == ["refused"] * 2 and all(r["anchors"] == 180 for r in rows), rows
# A jump of 5 ms is more than any transfer: on one side of it all ends are too early.
assert sum(r["violations"] for r in rows) > 100 and rows[0]["offset"] is None, rows
END
# What needs no clock is answered, the rest is refused and said to be.
"$WARPLENS" nccl jumped -f json >jumped.json
"$WARPLENS" nccl one.sqlite -f json >one.json
python3 - one.json jumped.json <<'END' || fail "nccl of a clock that jumps"
import json, sys
one, jumped = (json.load(open(f)) for f in sys.argv[1:])
rows = {(r["device"], r["type"]): r for r in jumped["rows"]}
for row in one["rows"]:
    other = rows[row["device"], row["type"]]
    assert abs(row["wait"] - other["wait"]) <= 20 * row["calls"], (row, other)
    assert [other[k] for k in ("late", "last", "caused", "alone", "last_arriver")] == [None] * 5, other
END
for verb in nccl findings overlap iters; do
	expect 0 "$WARPLENS" $verb jumped
	prints 'arrival times are not compared across hosts'
done
expect 0 "$WARPLENS" findings jumped -f csv --columns code --all
omits 'straggler'
expect 5 "$WARPLENS" nccl --list jumped
says 'the clocks of the hosts contradict each other'

# --- a host that is shifted ------------------------------------------------------------------
mkdir shifted
cp skewed/*.sqlite shifted/
for f in shifted/rank2.sqlite shifted/rank3.sqlite; do
	chmod u+w $f
	sqlite3 $f "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + 7000123"
done
near skewed shifted 2

# --- no answer knows of clocks -----------------------------------------------------------------
# A host that drifts by 60 ppm more: its times, and what its clock says of UTC at time 0, change alike.
mkdir drifted
cp skewed/*.sqlite drifted/
for f in drifted/rank2.sqlite drifted/rank3.sqlite; do
	chmod u+w $f
	for t in KERNEL MEMCPY MEMSET RUNTIME SYNCHRONIZATION; do
		sqlite3 $f "UPDATE CUPTI_ACTIVITY_KIND_$t SET start = start + start * 6 / 100000, end = end + end * 6 / 100000"
	done
	sqlite3 $f "UPDATE NVTX_EVENTS SET start = start + start * 6 / 100000, end = end + end * 6 / 100000"
done
# alike VERB A B - the rows of both, but for times of the clock itself and sentences. Lengths of a
# host that drifts are as much longer; what clocks leave open is some ns of each operation.
alike() {
	"$WARPLENS" "$1" "$2" -f json -n 0 >a.json || fail "$1 $2"
	"$WARPLENS" "$1" "$3" -f json -n 0 >b.json || fail "$1 $3"
	python3 - a.json b.json <<'END' || fail "$1 of $2 and $3 differ"
import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert len(a["rows"]) == len(b["rows"]) > 0, (len(a["rows"]), len(b["rows"]))
kind = {c["key"]: c["type"] for c in a["columns"]}
times = {k for k in kind if kind[k] == "time"} | {"pid", "rank", "last"}
most = {"ns": lambda v: 20000 + abs(v) / 5000, "ratio": lambda v: 0.002}
same = ("code", "subject", "severity", "type", "group", "reason")
for x, y in zip(a["rows"], b["rows"]):
    for key in x.keys() & y.keys() - times:
        if isinstance(x[key], (int, float)) and isinstance(y[key], (int, float)):
            assert abs(x[key] - y[key]) <= most.get(kind[key], lambda v: 0)(x[key]), (key, x[key], y[key])
        elif key in same:
            assert str(x[key]).replace("rank ", "GPU ").split(" (")[0] == str(y[key]).replace("rank ", "GPU ").split(" (")[0], (key, x, y)
END
}
for verb in findings ranks nccl overlap iters; do
	alike $verb skewed shifted
	alike $verb skewed drifted
	alike $verb one.sqlite skewed
done
