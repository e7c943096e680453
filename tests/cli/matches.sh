#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matches.sh - the figures of matching on generated traces, found by brute force from the definition
# and not by this program, and on real ones where they are there.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

cd "$work"

# sums TRACE: per GPU matched calls, wait, late, caused, alone and last.
sums() {
	"$WARPLENS" nccl "$1" -f csv --columns device,calls,wait_all,late,caused,alone,last |
		awk -F, 'NR > 1 { n[$1] += $3 == "" ? 0 : $2; for (i = 3; i <= 7; i++) s[$1, i] += $i }
			END { for (d in n) { printf "%d %d", d, n[d]
				for (i = 3; i <= 7; i++) printf " %d", s[d, i]; print "" } }' | sort -n
}

expect_sums() { # expect_sums TRACE LINES
	sums "$1" >got
	diff - got <<<"$2" || fail "nccl $1: other sums"
}

gen() {
	python3 -B "$here/support/gen_trace.py" -o "$@" >/dev/null || fail "no trace $1"
}

gen train.sqlite --ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1
sums train.sqlite | awk '
	$2 != 500 || $3 != $4 { exit 1 }
	{ wait[$1] = $3 }
	$1 == 0 && $7 != 224 { exit 1 }
	$1 == 2 && ($5 != 1927877149 || $6 != 641885600 || $7 != 268) { exit 1 }
	END { exit wait[0] != 642952271 || wait[1] != 642532604 || wait[2] != 25906 || wait[3] != 642463234 }
' || fail "train: $(sums train.sqlite)"
"$WARPLENS" nccl train.sqlite | grep -q 'GPU 2 makes the others of the group of GPUs 0-3 wait' ||
	fail "no straggler"

# The finding names the GPU that is slow, and all that leads from it goes there and not to a victim.
expect 0 "$WARPLENS" findings train.sqlite -f jsonl --where 'code = straggler'
python3 - <<'END' || fail "train: another straggler"
import json
import re
rows = [json.loads(line) for line in open("out")]
assert [(r["subject"], r["look_at"]) for r in rows] == [("GPU 2", 2)], rows
row = rows[0]
assert re.match(r"GPU 2 runs the same kernels 1[45]\.\d% slower than the others: all kernels take 1\.15 times as long as on GPUs 0-1, 3 \(",
                row["finding"]), row
assert "the other 3 GPUs wait for it" in row["finding"] and row["device"] != 2, row
assert abs(row["saving"] - 6745632) < 0.05 * 6745632, row  # the same without a straggler, per step
assert "--gpu 2" in row["evidence"], row
END
expect 0 "$WARPLENS" findings train.sqlite --gpu 0 -f jsonl --where 'code = straggler'
prints '"subject":"GPU 2 (not selected)"'
prints '"device":0'
prints '"look_at":null'
expect 0 "$WARPLENS" timeline train.sqlite --snapshot 100x30 --script '!' --dump-state
prints '"row":"GPU 2/'

gen serving.sqlite --ranks 2 --layers 16 --serving --iters 200 --seed 3
[[ $(sums serving.sqlite | awk '{ print $2 }') == $'6600\n6600' ]] || fail "serving: $(sums serving.sqlite)"

# All-to-alls of four ranks, pairs of a pipeline, and all-reduces: all of 5,840 operations.
gen moe.sqlite --ranks 8 --layers 4 --moe --seed 2
[[ $(sums moe.sqlite | awk '{ print $2 }' | sort -u) == 730 ]] || fail "moe: $(sums moe.sqlite)"

# A stencil whose ranks wait in MPI_Sendrecv: with rank and tag the messages are matched, and a replay
# without the slow rank is as long as the run without it. By names and times only nothing can be said.
stencil=(--ranks 4 --layers 8 --iters 12 --seed 1)
gen slow.sqlite "${stencil[@]}" --mpi new --straggler 2:1.2
gen even.sqlite "${stencil[@]}" --mpi new
gen ring.sqlite --ranks 6 --layers 4 --iters 10 --mpi new --straggler 4:1.3 --seed 3
mkdir job; gen job/ "${stencil[@]}" --mpi new --straggler 2:1.2 --split --hosts 2 --clock-skew 2000000:20 --env ompi
gen old.sqlite "${stencil[@]}" --mpi old --straggler 2:1.2
for trace in slow.sqlite even.sqlite ring.sqlite job; do
	"$WARPLENS" ranks "$trace" -f json >"${trace%.sqlite}.json" || fail "ranks $trace"
	"$WARPLENS" nccl "$trace" -f json >"${trace%.sqlite}.nccl.json" || fail "nccl $trace"
done
python3 - <<'END' || fail "MPI messages"
import json
def load(name): return json.load(open(name + ".json"))
def named(name): return {r["rank"]: r for r in load(name)["rows"] if r["saving"]}
slow, even = load("slow"), load("even")
assert list(named("slow")) == [2] and list(named("ring")) == [4] and list(named("job")) == [2] and not named("even")
assert "slow GPU: all kernels take 1.1" in named("slow")[2]["why"], named("slow")
predicted = slow["window"]["length"] - named("slow")[2]["saving"]
assert abs(predicted / even["window"]["length"] - 1) < 0.01, (predicted, even["window"])
assert abs(named("job")[2]["saving"] / named("slow")[2]["saving"] - 1) < 0.01, named("job")
# The calls of ranks 1 and 3, the neighbours, last longer by what rank 2 is late: wait and late agree.
rows = {r["rank"]: r for r in load("slow.nccl")["rows"] if r["type"] == "MPI_Sendrecv"}
for rank in (1, 3):
    assert rows[rank]["last_arriver"] == "rank 2" and abs(rows[rank]["wait_all"] / rows[rank]["late"] - 1) < 0.01, rows
assert rows[2]["late"] < 0.01 * rows[1]["late"] and rows[2]["caused"] > 0.5 * sum(r["caused"] for r in rows.values())
END
# It is the first finding: idle time in MPI calls is its, also of rank 0, which waits for its neighbours.
expect 0 "$WARPLENS" findings slow.sqlite -f json
python3 - <<'END' || fail "MPI messages: another first finding"
import json
first = json.load(open("out"))["rows"][0]
step = json.load(open("slow.json"))["step"]["median"] - json.load(open("even.json"))["step"]["median"]
assert first["code"] == "straggler" and first["look_at"] == 2 and "the other 3 GPUs wait" in first["finding"], first
assert step < first["saving"] < 1.3 * step and abs(first["replayed"] / step - 1) < 0.05, (step, first)
END
expect 0 "$WARPLENS" findings even.sqlite -f jsonl --where 'code = straggler'
[[ ! -s out ]] || fail "even: a straggler: $(cat out)"
"$WARPLENS" nccl slow.sqlite | grep -q 'other ranks wait for MPI messages of rank 2 (GPU 2)' || fail "no sender"
"$WARPLENS" ranks old.sqlite | grep -q 'no straggler is named: over 20%' || fail "old: a verdict"

# NCCL's own list of operations names communicators and sizes as payloads do; groups of two ranks each.
for from in json ops; do
	mkdir "$from"
	gen "$from/" --ranks 4 --groups 2 --layers 3 --iters 8 --payloads "$from" --split --hosts 2 \
		--clock-skew 1000000:10 --env torch --straggler 1:1.2 --seed 5
	"$WARPLENS" nccl "$from" -f csv -n 0 >"$from.csv" || fail "nccl $from"
done
diff json.csv ops.csv || fail "operations say something else than payloads"
grep -q ',0x' ops.csv || fail "no communicators"

# All-to-alls do not end together; payloads that name all others as peers tell them, and the slow rank with them.
gen experts.sqlite --moe --ranks 4 --layers 4 --iters 8 --seed 5 --payloads 2.25 --straggler 1:1.25
gen equal.sqlite --moe --ranks 4 --layers 4 --iters 8 --seed 5 --payloads 2.25
for trace in experts equal; do
	"$WARPLENS" ranks "$trace.sqlite" -f json >"$trace.json" || fail "ranks $trace"
done
"$WARPLENS" nccl experts.sqlite -f json -n 0 >experts.nccl.json || fail "nccl experts"
python3 - <<'END' || fail "all-to-alls by payloads"
import json
slow, equal, truth = (json.load(open(n + ".json")) for n in ("experts", "equal", "experts.sqlite.truth"))
named = {r["rank"]: r["saving"] for r in slow["rows"] if r["saving"]}
assert list(named) == [1], named
assert abs((slow["window"]["length"] - named[1]) / equal["window"]["length"] - 1) < 0.02, (slow["window"], named, equal["window"])
want, have = {}, {}
for c in truth["job"]["matching"]["by_communicator"]:
    for rank, d in c["by_rank"].items(): want[int(rank)] = want.get(int(rank), 0) + d["wait_ns"]
for r in json.load(open("experts.nccl.json"))["rows"]: have[r["rank"]] = have.get(r["rank"], 0) + r["wait_all"]
assert have == want, (have, want)
END

# What groups look like is inferred where no range names coordinates: tp x dp x pp over two hosts, and tp x dp on one.
mkdir mesh
gen mesh/ --mesh tp=2,dp=2,pp=2 --layers 4 --iters 6 --split --hosts 2 --clock-skew 1000000:10 --env torch --seed 2
gen flat.sqlite --mesh tp=2,dp=4 --layers 4 --iters 6 --seed 2
"$WARPLENS" nccl mesh | grep -q 'groups look like' && fail "coordinates are named, and inferred as well"
python3 - mesh/*.sqlite flat.sqlite <<'END'
import sqlite3, sys
for path in sys.argv[1:]:
    with sqlite3.connect(path) as db: db.execute("DELETE FROM NVTX_EVENTS WHERE text LIKE 'rank=%'")
END
"$WARPLENS" nccl mesh -f json | tee mesh.json | grep -q 'neighbours of a pipeline (PP)' || fail "mesh: no PP"
"$WARPLENS" nccl flat.sqlite -f json >flat.json
python3 - <<'END' || fail "roles of groups: $(grep -o 'groups look[^"]*' mesh.json flat.json)"
import json
def roles(name): return {n.split("(")[1][:2]: n.split(": ")[1] for n in json.load(open(name))["notes"] if "look like" in n}
# rank = tp + 2 * (dp + 2 * pp): ranks 0 to 3 are the first host and the first stage.
assert roles("mesh.json") == {"TP": "0-1; 2-3; 4-5; 6-7", "DP": "0,2; 1,3; 4,6; 5,7", "PP": "0,4; 1,5; 2,6; 3,7"}, roles("mesh.json")
assert roles("flat.json") == {"TP": "0-1; 2-3; 4-5; 6-7", "DP": "0,2,4,6; 1,3,5,7"}, roles("flat.json")
END

shared=${WARPLENS_SHARED:-}
if [[ -e $shared/review/repro/tp.sqlite.zst ]]; then
	zstd -dqo tp.sqlite "$shared/review/repro/tp.sqlite.zst"
	expect_sums tp.sqlite '0 12 120000 120000 0 0 0
1 12 0 0 120000 120000 12
2 12 120000 120000 0 0 0
3 12 0 0 120000 120000 12'
fi
if [[ -e $shared/corpus/nsys-ai-mfu-2gpu-before/trace.sqlite.zst ]]; then
	zstd -dqo mfu.sqlite "$shared/corpus/nsys-ai-mfu-2gpu-before/trace.sqlite.zst"
	# Ends lie up to 27 us apart, and still agree better than durations.
	expect_sums mfu.sqlite '0 33 11395541 10898336 2477480 2477480 11
1 33 2451989 2477480 10898336 10898336 22'
fi
finish
