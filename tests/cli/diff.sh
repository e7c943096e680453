#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# diff.sh - comparing from outside: exit statuses, gates, JUnit, annotations, baselines, hostile names.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
before=$(fixture steps_before)
after=$(fixture steps_after)
few=$(fixture steps)
tiny=$(fixture tiny)
hostile=$(fixture hostile)
cd "$work"
unset WARPLENS_BASELINE_DIR GITHUB_ACTIONS
cp "$before" before.sqlite
cp "$after" after.sqlite

well_formed() { # FILE - it is XML
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" || fail "$ran: $1 is no XML"
}

# --- verdicts: first line, exit 0 whatever they are ----------------------------------------------
first() { [[ $(head -n 1 out) == "$1"* ]] || fail "$ran: first line: $(head -n 1 out)"; }
expect 0 "$WARPLENS" diff before.sqlite after.sqlite
first 'slower by 1 us (10.0%): median step 10 us -> 11 us'
quiet
expect 0 "$WARPLENS" diff after.sqlite before.sqlite -f md
first '**faster by 1 us (9.1%)'
expect 0 "$WARPLENS" diff before.sqlite before.sqlite
first 'same: '
expect 0 "$WARPLENS" diff "$few" "$few"
first 'inconclusive: '
expect 0 "$WARPLENS" diff "$tiny" "$tiny"
first 'totals: '
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --threshold 20%
first 'same: '

# --- a screen has the verdict and why; -v, files and other formats have the tables ------------------------
expect 0 "$WARPLENS" diff before.sqlite after.sqlite
(($(wc -l <out) <= 10)) || fail "$ran: $(wc -l <out) lines"
omits 'Where the time went'
prints 'Largest kernel increase: gemm +500 ns'
prints 'tables: -v, or --section'
for how in -v --all '-n 3'; do
	# shellcheck disable=SC2086 # -n 3 is two words
	expect 0 "$WARPLENS" diff before.sqlite after.sqlite $how
	prints 'Where the time went'
	prints '+12.5%'
	prints 'What-if: '
done
# Only the slower side is replayed, the first or the second: it says what a baseline says, which has the replays.
for pair in 'before after' 'after before'; do
	read -r a b <<<"$pair"
	expect 0 "$WARPLENS" baseline tag "$a" "$a.sqlite" --dir replayed
	expect 0 "$WARPLENS" baseline tag "$b" "$b.sqlite" --dir replayed
	expect 0 "$WARPLENS" diff "baseline:$a" "baseline:$b" --dir replayed -f md
	grep -o 'What-if: .*' out >replayed/said || fail "$ran: no scenario"
	expect 0 "$WARPLENS" diff "$a.sqlite" "$b.sqlite" -f md
	grep -o 'What-if: .*' out | cmp - replayed/said || fail "$ran: another scenario"
done
expect 0 "$WARPLENS" diff before.sqlite after.sqlite -o diff.txt -f table
grep -q 'Where the time went' diff.txt || fail "$ran: no tables"

# --- two parts of one trace: a selection given twice is that of each side ---------------------------------
# Steps 20 to 29 have more compute: the windows must be the two that were given, in their order, as the one of a
# baseline and that of a trace are.
python3 -B "$here/support/gen_trace.py" -o halves.sqlite --ranks 2 --layers 4 --iters 20 --seed 1 >/dev/null
python3 - <<'END'
import sqlite3
db = sqlite3.connect("halves.sqlite")
(middle,) = db.execute("SELECT min(start) + (max(end) - min(start)) / 2 FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchone()
db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = end - (end - start) / 5 WHERE start < ? AND shortName IN "
           "(SELECT id FROM StringIds WHERE value NOT LIKE '%nccl%')", (middle,))
db.commit()
END
parts() { # WINDOW WINDOW - the verdict by a baseline of the first window
	expect 0 "$WARPLENS" baseline tag part halves.sqlite --window "$1" --dir replayed
	expect 0 "$WARPLENS" diff baseline:part halves.sqlite --window "$2" --dir replayed -f csv -q --section budget
	mv out replayed/parts
}
for windows in 'step:0..9 step:10..19' 'step:10..19 step:0..9'; do
	read -r a b <<<"$windows"
	parts "$a" "$b"
	for operands in halves.sqlite 'halves.sqlite halves.sqlite'; do
		# shellcheck disable=SC2086 # one trace or two
		expect 0 "$WARPLENS" diff $operands --window "$a" --window "$b" -f csv -q --section budget
		cmp -s out replayed/parts || fail "$ran: $(diff out replayed/parts)"
		[[ $(grep -c '^compute,' out) == 1 && $(grep '^compute,' out | cut -d, -f3) != $(grep '^compute,' out | cut -d, -f4) ]] ||
			fail "$ran: one window twice: $(cat out)"
	done
done
expect 0 "$WARPLENS" diff halves.sqlite --window step:0..9 --window step:10..19
prints 'halves.sqlite --window step:0..9 -> halves.sqlite --window step:10..19 (2 GPUs)'
expect 0 "$WARPLENS" diff halves.sqlite --gpu 0 --gpu 1 --of kernels -f csv -q
prints sm90
expect 2 "$WARPLENS" diff halves.sqlite --window step:0..9
says 'diff takes two traces, but 1 was given; '
expect 2 "$WARPLENS" diff halves.sqlite halves.sqlite --gpu 0 --gpu 1 --gpu 0
says '--gpu is given three times; give it once, or once per side'
# Other verbs would ignore the first.
expect 2 "$WARPLENS" kernels halves.sqlite --window step:0..9 --window step:10..19
says '--window is given twice; "warplens diff TRACE --window A --window B" compares two windows'
expect 2 "$WARPLENS" kernels halves.sqlite --gpu 0 --gpu 1
says '--gpu is given twice; give a list, such as 0,2'

# --- a rank that became slower is named with its kernels, and a baseline knows them, too -----------------
for side in even late; do
	slow=()
	[[ $side == late ]] && slow=(--straggler 2:1.15)
	python3 -B "$here/support/gen_trace.py" -o $side.sqlite --ranks 4 --layers 4 --iters 12 --seed 1 "${slow[@]}" >/dev/null
done
expect 0 "$WARPLENS" diff even.sqlite late.sqlite -f md
prints 'GPU 2 computes'
prints 'the other 3 wait for it. Kernels of that rank that grew most: sm90'
python3 - <<'END' || fail "its kernels did not grow by 15 %: $(sed -n 3p out)"
import re
unit = {"us": 1, "ms": 1000}
text = open("out").read().split("grew most: ")[1].split("\n")[0]
pairs = re.findall(r"([\d.]+) (us|ms) -\\?> ([\d.]+) (us|ms)", text)
assert len(pairs) >= 2, text
for a, of_a, b, of_b in pairs:
    assert 1.14 < float(b) * unit[of_b] / (float(a) * unit[of_a]) < 1.16, text
END
expect 0 "$WARPLENS" diff even.sqlite late.sqlite
prints 'Compute per step: GPU 2 +'
prints 'the other 3 GPUs within'
# Other work on more GPUs is no regression.
python3 -B "$here/support/gen_trace.py" -o moe.sqlite --moe --ranks 8 --layers 4 --iters 12 --seed 1 >/dev/null
expect 0 "$WARPLENS" diff even.sqlite moe.sqlite
first 'not comparable (4 and 8 GPUs, '
quiet
expect 0 "$WARPLENS" diff even.sqlite moe.sqlite -f json
[[ $(python3 -c 'import json; print(json.load(open("out"))["sections"][0]["rows"][0]["verdict"])') == incomparable ]] ||
	fail "$ran: another verdict in JSON"
# Nor does a gate judge it, whichever side is faster, of traces and of baselines; unless told to.
expect 0 "$WARPLENS" baseline tag even even.sqlite --dir tagged
expect 0 "$WARPLENS" baseline tag moe moe.sqlite --dir tagged
# Nor other work on as many GPUs.
python3 -B "$here/support/gen_trace.py" -o eight.sqlite --ranks 8 --layers 4 --iters 12 --seed 1 >/dev/null
for sides in 'even.sqlite moe.sqlite' 'moe.sqlite even.sqlite' 'baseline:even moe.sqlite' \
	'baseline:moe baseline:even' 'eight.sqlite moe.sqlite' 'moe.sqlite eight.sqlite'; do
	# shellcheck disable=SC2086 # two words
	expect 4 "$WARPLENS" diff $sides --dir tagged --gate 'step>2%' --gate 'launches>0%' --junit nc.xml
	says 'gate skipped: step>2%: the runs are not comparable ('
	says 'or judge them with --allow-different'
	omits 'gate passed'
	well_formed nc.xml
	grep -q 'tests="3" failures="0" errors="0" skipped="3"' nc.xml || fail "$ran: $(cat nc.xml)"
	grep -A1 'name="verdict"' nc.xml | grep -q '<skipped message="not comparable: ' || fail "$ran: $(cat nc.xml)"
	[[ $(grep -c '<skipped message="the runs are not comparable (' nc.xml) == 2 ]] || fail "$ran: $(cat nc.xml)"
	# shellcheck disable=SC2086 # two words
	expect 4 "$WARPLENS" diff $sides --dir tagged --gate 'step>2%' -f json --section gates
	prints '"outcome":"skipped","message":"the runs are not comparable ('
	# shellcheck disable=SC2086 # two words
	try "$WARPLENS" diff $sides --dir tagged --gate 'step>2%' --allow-different
	[[ $status == 0 || $status == 1 ]] || fail "$ran: $status"
	! grep -q 'not comparable' out err || fail "$ran: $(cat out err)"
done
# The same work on more GPUs has a verdict, but no gate judges it.
expect 4 "$WARPLENS" diff even.sqlite eight.sqlite --gate 'step>2%' --junit nc.xml
! grep -q 'not comparable' out || fail "$ran: $(head -n 1 out)"
says 'gate skipped: step>2%: the runs are not comparable (4 and 8 GPUs, 100.0% same kernels'
grep -q 'tests="2" failures="0" errors="0" skipped="2"' nc.xml || fail "$ran: $(cat nc.xml)"
# Another data type replaces kernels, but not ranges and categories: the work is the same.
python3 -B "$here/support/gen_trace.py" -o cast.sqlite --ranks 4 --layers 4 --iters 12 --seed 1 >/dev/null
python3 - <<'END'
import sqlite3
db = sqlite3.connect("cast.sqlite")
names = dict(db.execute("SELECT id, value FROM StringIds"))
known = {}
last = max(names)
for row, name in db.execute("SELECT rowid, demangledName FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall():
    kind = next((new for old, new in (("gemm", "ampere_sgemm_128x64_tn"), ("flash", "fmha_cutlassF_f32"))
                 if old in names[name]), None)
    if kind is None:
        continue
    # Not one for one: then their places would match them.
    new = f"{kind}_v{row % 3}"
    if new not in known:
        last += 1
        known[new] = last
        db.execute("INSERT INTO StringIds VALUES (?, ?)", (last, new))
    db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = ?, shortName = ? WHERE rowid = ?",
               (known[new], known[new], row))
db.commit()
assert len(known) == 6, known
END
expect 0 "$WARPLENS" diff even.sqlite cast.sqlite --gate 'step>2%'
prints 'gate passed: step>2%'
# Where the ranges are others, too, nothing shows that it is.
python3 - <<'END'
import sqlite3
db = sqlite3.connect("cast.sqlite")
db.execute("UPDATE StringIds SET value = 'other ' || value WHERE id IN (SELECT textId FROM NVTX_EVENTS)")
db.execute("UPDATE NVTX_EVENTS SET text = 'other ' || text")
db.commit()
END
expect 4 "$WARPLENS" diff even.sqlite cast.sqlite --gate 'step>2%'
says 'gate skipped: step>2%: the runs are not comparable ('
WARPLENS_BASELINE_DIR=tagged expect 0 "$WARPLENS" diff baseline:even late.sqlite -f md
prints 'Kernels of that rank that grew most: sm90'

# --- the same with an index, by either reader, on any number of threads ---------------------------------
expect 0 "$WARPLENS" diff before.sqlite after.sqlite -f json -j 1
cp out want
for how in '-j 8' '--reader sqlite' '--no-index'; do
	# shellcheck disable=SC2086 # words
	expect 0 "$WARPLENS" diff before.sqlite after.sqlite -f json $how
	same out want "$ran"
done
expect 0 "$WARPLENS" index before.sqlite
expect 0 "$WARPLENS" diff before.sqlite after.sqlite -f json
same out want "$ran"
printf x | dd of=before.sqlite.wlidx bs=1 seek=9000 conv=notrunc status=none
try "$WARPLENS" diff before.sqlite after.sqlite -f json
same out want "$ran: a damaged index"
expect 0 "$WARPLENS" index --remove before.sqlite
expect 6 "$WARPLENS" diff before.sqlite after.sqlite --memory 10K

# --- gates ---------------------------------------------------------------------------------------
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>20%'
first 'slower by 1 us'
prints 'gate passed: step>20% (measured +10.0%, allowed +20%)'
quiet
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>20%' --gate 'launches>1000' -f json
says 'slower by 1 us (10.0%)'
says '; gate passed: step>20% (measured +10.0%, allowed +20%); gate passed: launches>1000 (measured '
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>20%' -f md
prints 'passed'
expect 0 "$WARPLENS" diff before.sqlite before.sqlite --gate 'step>2%'
prints 'gate passed: step>2% (measured no change, allowed +2%)'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>2%'
says 'gate failed: step>2%: step 10 us -> 11 us (10.0% more)'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'launches > 0%' --gate 'step>20%' -f json
says 'slower by 1 us (10.0%)'
says 'gate failed: launches > 0%'
expect 4 "$WARPLENS" diff "$few" "$few" --gate 'step>2%'
says 'gate inconclusive: step>2%'
expect 4 "$WARPLENS" diff "$tiny" after.sqlite --gate 'step>2%'
says 'a side has no steps'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>10.5us'
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>11us'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>=11us'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'kernel:cast>0%'
expect 1 "$WARPLENS" diff after.sqlite before.sqlite --gate 'kernel:cast<-50%'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'kernel:void gemm<128>(float*) > 5%'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'category:gemm>5%'
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'range:step #>5%'
expect 1 "$WARPLENS" diff before.sqlite before.sqlite --gate 'step>-5%'
for gate in 'step' 'step>' 'step>x' 'steps>2%' 'kernel>2%' 'kernel:>2%' 'step:a>2%' 'launches>2ms' '' '>2%' 'step=2%'; do
	expect 2 "$WARPLENS" diff before.sqlite after.sqlite --gate "$gate"
	says "--gate '$gate'"
	silent
done
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --gate 'kernel:cats(float*)>2%'
says 'there is cast(float*)'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --gate 'kernel:norm(>2%' --gate 'kernel:float>2%'
says 'could mean'

# --- usage ---------------------------------------------------------------------------------------
expect 2 "$WARPLENS" diff before.sqlite
says 'two traces, but 1 was given'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite before.sqlite
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --section nothing
says 'verdict, budget, kernels'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --where 'change > 0'
says 'need --section'
expect 2 "$WARPLENS" diff before.sqlite missing.sqlite --section kernels --where 'chnge > 0'
says 'no column'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --threshold 5
expect 2 "$WARPLENS" diff before.sqlite after.sqlite -o before.sqlite
expect 3 "$WARPLENS" diff before.sqlite missing.sqlite
same before.sqlite "$before" 'the trace'

# --- tables of verbs -------------------------------------------------------------------------------
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --of kernels -f csv
prints 'in,name,device,category,calls_before,calls_after,calls_change,sum_before'
prints 'after,cast(float*),0,elementwise,,26,,,5200,'
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --of cuda_gpu_kern_sum --where 'in = both'
prints 'both  '
omits 'cast'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --of kernel
says 'did you mean kernels'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --of search
expect 0 "$WARPLENS" diff before.sqlite after.sqlite --of tree
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --of kernels --gate 'step>2%'
expect 2 "$WARPLENS" diff before.sqlite after.sqlite --of kernels --where 'x > 1'
expect 5 "$WARPLENS" diff before.sqlite after.sqlite --of osrt

# --- JUnit and annotations -----------------------------------------------------------------------
expect 1 "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>2%' --gate 'busy>50%' --junit j.xml
well_formed j.xml
grep -q 'tests="3" failures="1" errors="0" skipped="0"' j.xml || fail "$ran: $(cat j.xml)"
grep -q '<failure message="step 10 us -&gt; 11 us' j.xml || fail "$ran: no failure in j.xml"
expect 4 "$WARPLENS" diff "$few" "$few" --gate 'step>2%' --junit j.xml
well_formed j.xml
grep -q '<skipped message="inconclusive: ' j.xml || fail "$ran: nothing skipped in j.xml"
expect 6 "$WARPLENS" diff before.sqlite after.sqlite --junit no/such/j.xml
says 'its directory does not exist'
[[ ! -e no ]] || fail "$ran: made a directory"
expect 6 "$WARPLENS" diff before.sqlite after.sqlite --junit before.sqlite/j.xml
try env GITHUB_ACTIONS=true "$WARPLENS" diff before.sqlite after.sqlite --gate 'step>2%'
[[ $status == 1 ]] || fail "$ran: $status"
says '::notice title=warplens diff::slower by 1 us (10.0%25)'
says '::error title=gate failed%3A step>2%25::step 10 us'
[[ $(grep -c '^::' err) == 2 ]] || fail "$ran: annotations: $(cat err)"

# --- baselines -----------------------------------------------------------------------------------
expect 2 "$WARPLENS" baseline list
says 'give --dir DIR or set WARPLENS_BASELINE_DIR'
expect 0 "$WARPLENS" baseline tag main before.sqlite --dir kept
prints 'wrote kept/main.json ('
cp kept/main.json first.json
expect 0 "$WARPLENS" baseline tag main before.sqlite --dir kept
same kept/main.json first.json 'the same trace, tagged twice'
mkdir linked && echo mine >mine.txt && ln -s ../mine.txt linked/main.json
expect 6 "$WARPLENS" baseline tag main before.sqlite --dir linked
says 'linked/main.json: it is a symbolic link; remove it first'
[[ $(cat mine.txt) == mine ]] || fail "$ran: wrote through a link"
export WARPLENS_BASELINE_DIR=kept
expect 0 "$WARPLENS" baseline tag v1.2-x after.sqlite
expect 0 "$WARPLENS" baseline list -f csv
[[ $(cut -d, -f1 out | paste -sd' ') == 'name main v1.2-x' ]] || fail "list: $(cat out)"
expect 0 "$WARPLENS" baseline show main
prints 'void gemm<128>(float*)'
expect 0 "$WARPLENS" baseline show main --section budget -f csv
prints 'compute,4500'
for section in verdict budget kernels ranges idle categories; do
	expect 0 "$WARPLENS" diff before.sqlite after.sqlite --section $section -f csv
	cp out want
	expect 0 "$WARPLENS" diff baseline:main after.sqlite --section $section -f csv
	same out want "$ran"
	expect 0 "$WARPLENS" diff baseline:main baseline:v1.2-x --section $section -f csv
	same out want "$ran"
done
# A baseline that others can change is used, and said to be so; one that is a pipe is not waited for.
chmod 666 "$WARPLENS_BASELINE_DIR/main.json"
expect 0 "$WARPLENS" diff baseline:main after.sqlite
says 'main.json can be written by others'
chmod 644 "$WARPLENS_BASELINE_DIR/main.json"
expect 0 "$WARPLENS" diff baseline:main after.sqlite
quiet
mkfifo "$WARPLENS_BASELINE_DIR/pipe.json"
expect 0 timeout 60 "$WARPLENS" baseline list
grep -q 'pipe.json: it is a FIFO' out err || fail 'a FIFO in the directory of baselines'
rm "$WARPLENS_BASELINE_DIR/pipe.json"
expect 1 "$WARPLENS" diff baseline:main after.sqlite --gate 'step>2%'
for name in '' . .. ../main a/b 'a b' .hidden "$(printf 'a\nb')" "$(printf '%0101d' 0)"; do
	expect 2 "$WARPLENS" baseline tag "$name" before.sqlite
	expect 2 "$WARPLENS" diff "baseline:$name" after.sqlite
done
expect 2 "$WARPLENS" diff main after.sqlite
says 'no file "main"; did you mean baseline:main?'
expect 3 "$WARPLENS" diff baseline:nothing after.sqlite
# Numbers of other definitions are not compared; a file that does not say is of the first.
cp kept/main.json main.json
sed -i 's/"definitions":[0-9]*,//' kept/main.json
expect 4 "$WARPLENS" diff baseline:main after.sqlite
says 'follow definitions 1'
says 'warplens baseline tag'
sed 's/"definitions":[0-9]*/"definitions":999/' main.json >kept/main.json
expect 4 "$WARPLENS" diff baseline:main after.sqlite
sed 's/"definitions":[0-9]*/"definitions":"x"/' main.json >kept/main.json
expect 3 "$WARPLENS" diff baseline:main after.sqlite
mv main.json kept/main.json
# Copies by direction and memory: the one from pageable memory takes 2000 ns, and 700 more of the gap behind it.
cp "$tiny" copies.sqlite
sqlite3 copies.sqlite 'UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET end = end + 700 WHERE start = 1000'
expect 0 "$WARPLENS" diff "$tiny" copies.sqlite --section copies -f csv --columns name,before,after,change
[[ $(sed -n 2p out) == '"HtoD, pageable to device",2000,2700,700' ]] || fail "$ran: $(cat out)"
[[ $(sed 1d out | wc -l) == 4 && $(grep -c ',0$' out) == 3 ]] || fail "$ran: $(cat out)"
# A page says where and when both sides were recorded, a baseline as its trace does.
python3 -B "$here/support/gen_trace.py" -o said.sqlite --ranks 1 --layers 1 --iters 4 >/dev/null
sqlite3 said.sqlite "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND', 'train'), ('PROCESS_0:ARGUMENT_0', '--tp 2');
	INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, '', 'Hostname', 0, 'node7')"
expect 0 "$WARPLENS" baseline tag said said.sqlite
expect 0 "$WARPLENS" diff baseline:said said.sqlite -f html
for word in gpu host recorded command; do
	[[ $(grep -o "· $word [^·<]*" out | sort -u | wc -l) == 1 && $(grep -c "· $word " out) == 2 ]] ||
		fail "$ran: $word: $(grep 'class="frame"' out)"
done
expect 0 "$WARPLENS" baseline remove said
expect 2 "$WARPLENS" baseline
expect 2 "$WARPLENS" baseline tag main
expect 2 "$WARPLENS" baseline drop main
expect 0 "$WARPLENS" baseline remove v1.2-x
expect 3 "$WARPLENS" baseline remove v1.2-x
[[ $(ls kept) == main.json ]] || fail "files: $(ls kept)"

# --- a baseline that someone wrote: refused in one line, whatever is wrong with it -----------------
bad() { # WHAT EDIT - of the JSON document d
	python3 - "$2" <<'END'
import json, sys
d = json.load(open("first.json"))
exec(sys.argv[1])
json.dump(d, open("kept/bad.json", "w"))
END
	expect 3 "$WARPLENS" diff baseline:bad after.sqlite
	says 'kept/bad.json'
}
bad schema 'd["schema"] = "warplens/fingerprint/3"'
says 'warplens baseline tag'
bad 'older schema' 'd["schema"] = "warplens/fingerprint/1"'
says 'warplens baseline tag'
bad 'no copies' 'del d["copies"]'
bad 'copies' 'd["copies"] = []'
bad 'a copy' 'd["copies"]["others"]["ns"] = [-1, 0]'
bad 'host' 'd["host"] = 5'
bad 'no steps' 'del d["steps"]'
bad 'fractions' 'd["steps"][0] = 0.5'
bad 'negative' 'd["steps"][0] = -1'
bad 'too large' 'd["steps"][0] = 2**60'
bad 'sum of parts' 'd["parts"]["compute"][0] += 1'
bad 'window' 'd["window_ns"] += 1'
bad 'devices' 'd["devices"] = 2**50'
bad 'processes' 'd["processes"] = 0'
bad 'too many steps' 'd["steps"] = [1] * 513'
bad 'descending' 'd["kernels"]["rows"][0]["at"] = [9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1, 1]'
bad 'short series' 'd["busy"]["at"].pop()'
bad 'worth' 'd["busy"]["worth"] = 99'
bad 'row' 'd["kernels"]["rows"][0] = 5'
bad 'name' 'd["kernels"]["rows"][0]["name"] = None'
bad 'many rows' 'd["kernels"]["rows"] *= 100'
bad 'cause' 'd["idle"][0]["cause"] = "x"'
bad 'pair' 'd["launches"] = [1]'
bad 'list' 'd = [d]'
echo '{"schema":' >kept/bad.json
expect 3 "$WARPLENS" diff baseline:bad after.sqlite
expect 0 "$WARPLENS" baseline list
says_note=$(grep -c 'note: ' out || true)
[[ $says_note -ge 1 ]] || fail "$ran: a bad file is not told"
rm kept/bad.json

# --- hostile names -------------------------------------------------------------------------------
sqlite3 after.sqlite "UPDATE StringIds SET value = 'k]]><script>alert(1)</script>|\`x\` & \"q\"' || char(27) || '[31m' || char(10) || '::error::' || char(8238) || 'x' WHERE id = 17"
expect 0 "$WARPLENS" diff before.sqlite after.sqlite -f md -o x.md --junit j.xml --gate 'kernel:gemm>1000%'
expect 0 "$WARPLENS" diff before.sqlite after.sqlite -f html -o x.html
try env GITHUB_ACTIONS=true "$WARPLENS" diff before.sqlite after.sqlite --gate 'kernel:script>0%' --junit k.xml -o x.txt
well_formed j.xml
well_formed k.xml
grep -qP '(?<!\\)<script>alert' x.html x.md j.xml k.xml && fail 'markup of a name gets through'
grep -qP '\x1b' x.md x.html j.xml k.xml x.txt err && fail 'an escape sequence of a name gets through'
[[ $(grep -c '^::error::' err) == 0 ]] || fail 'a name makes an annotation'
expect 0 "$WARPLENS" diff "$hostile" "$hostile" -f html
expect 0 "$WARPLENS" baseline tag hostile "$hostile"
expect 0 "$WARPLENS" diff baseline:hostile "$hostile" -f md
finish
