#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# matches.sh - the figures of matching on generated traces, found by brute force from the definition
# and not by this program, and on real ones where they are there.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

cd "$work"

# sums TRACE: per GPU matched calls, wait, late, caused, alone and last.
sums() {
	"$WARPLENS" nccl "$1" -f csv --columns device,calls,wait,late,caused,alone,last |
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
rows = [json.loads(line) for line in open("out")]
assert [(r["subject"], r["look_at"]) for r in rows] == [("GPU 2", 2)], rows
row = rows[0]
assert row["finding"].startswith("GPU 2 runs the same kernels 14.9% slower ("), row
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

# All-to-alls end together in 8 to 30 % only; what is left are pairs of a pipeline and all-reduces.
gen moe.sqlite --ranks 8 --layers 4 --moe --seed 2
[[ $(sums moe.sqlite | awk '{ print $2 }' | sort -u) == 90 ]] || fail "moe: $(sums moe.sqlite)"

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
	[[ $(sums mfu.sqlite | awk '{ print $2 }') == $'33\n33' ]] || fail "mfu: $(sums mfu.sqlite)"
fi
finish
