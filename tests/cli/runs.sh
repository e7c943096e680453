#!/bin/sh
# SPDX-License-Identifier: MIT
# runs.sh - the verb runs from the outside, on directories made here: what it lists, and what it spares.
set -eu
: "${WARPLENS:?path of the program}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
bad=0

fail() {
	echo "FAIL: $*"
	bad=1
}

# expect STATUS TEXT COMMAND...: exit status, and text on stdout or stderr.
expect() {
	want=$1 text=$2 got=0
	shift 2
	"$@" >out 2>&1 </dev/null || got=$?
	[ "$got" = "$want" ] || fail "$*: exit status $got, not $want: $(head -n 3 out)"
	grep -qF -- "$text" out || fail "$*: no \"$text\" in $(cat out)"
}

# run DIR ID BEGIN_MS LR WALL_NS: a run whose trace has 200000 bytes.
run() {
	mkdir -p "$1/$2/nsys" "$1/$2/ncu" "$1/$2/report"
	yes "$2" 2>/dev/null | head -c 200000 >"$1/$2/nsys/run.sqlite"
	sum=$(sha256sum <"$1/$2/nsys/run.sqlite" | cut -d ' ' -f 1)
	cat >"$1/$2/manifest.json" <<END
{"format":"warplens run","version":1,"id":"$2","argv":["python","train.py","--lr=$4"],
"sweep":{"lr":"$4"},"environment":{"CUDA_VISIBLE_DEVICES":"0"},"host":"node1",
"timing":{"begin_ms":$3,"wall_ns":$5,"without_profiler_ns":null,"step_ns":1500000},
"exit":{"status":0,"signal":null},
"inputs":[{"path":"train.py","bytes":3,"sha256":null}],
"outputs":[{"path":"nsys/run.sqlite","bytes":200000,"sha256":"$sum"}]}
END
}
run warplens-runs one 1795000000000 1 2000000000
run warplens-runs two 1795000100000 2 3000000000

# Newest first; the directory is the usual one, an operand or --dir.
cat >want <<END
run,begin,program,sweep,exit,wall,step,bytes,state
two,2026-11-18 11:08:20,python train.py --lr=2,lr=2,0,3000000000,1500000,200000,whole
one,2026-11-18 11:06:40,python train.py --lr=1,lr=1,0,2000000000,1500000,200000,whole
END
columns=run,begin,program,sweep,exit,wall,step,bytes,state
"$WARPLENS" runs list -f csv --columns "$columns" >out 2>said || fail "list: $(cat said)"
diff want out || fail "the list"
for form in "warplens-runs" "--dir warplens-runs" "--dir=./warplens-runs/"; do
	# shellcheck disable=SC2086 # two words
	"$WARPLENS" runs list $form -f csv --columns "$columns" >out 2>&1 || fail "list $form"
	diff want out || fail "list $form"
done
for format in table csv tsv json jsonl md html; do
	expect 0 'two' "$WARPLENS" runs list -f "$format"
	expect 0 'train.py' "$WARPLENS" runs show two -f "$format"
	expect 0 'lr=2' "$WARPLENS" runs compare one two -f "$format"
done
expect 0 'one' "$WARPLENS" runs list --where 'wall < 2.5s'
! grep -q '^two' out || fail "--where does not select"

# One run, and two.
expect 0 '--lr=2' "$WARPLENS" runs show two
expect 0 'CUDA_VISIBLE_DEVICES' "$WARPLENS" runs show warplens-runs/two
expect 0 'nsys/run.sqlite' "$WARPLENS" runs show two --section files
cat >want <<END
what,name,a,b,change
argument,2,--lr=1,--lr=2,
sweep,lr,1,2,
time,wall,2 s,3 s,0.5
END
"$WARPLENS" runs compare one two -f csv >out 2>said || fail "compare: $(cat said)"
diff want out || fail "what differs"
expect 0 'warplens diff warplens-runs/one/nsys/run.sqlite' "$WARPLENS" runs compare one two -f json
expect 0 '(no rows)' "$WARPLENS" runs compare one one

# Arguments are aligned by their longest common subsequence: one more in the middle is one difference.
sed 's/"python","train.py",/"python","-m","train.py","--new",/; s/"id":"one"/"id":"more"/' warplens-runs/one/manifest.json >more
mkdir warplens-runs/more
mv more warplens-runs/more/manifest.json
cat >want <<END
what,name,a,b,change
argument,1,,-m,
argument,3,,--new,
END
"$WARPLENS" runs compare one more -f csv >out 2>said || fail "compare: $(cat said)"
diff want out || fail "arguments that were added"
"$WARPLENS" runs compare more one -f csv --columns name,a,b >out 2>said || fail "compare: $(cat said)"
printf 'name,a,b\n1,-m,\n3,--new,\n' | diff - out || fail "arguments that were taken away"
python3 - "$WARPLENS" <<'END' || fail "the longest common subsequence"
import csv, functools, json, os, random, subprocess, sys
chance = random.Random(7)
for _ in range(40):
    argv = [["p"] + [chance.choice("abcd") for _ in range(chance.randrange(8))] for _ in range(2)]
    for name, words in zip("xy", argv):
        os.makedirs("lcs/" + name, exist_ok=True)
        with open("lcs/%s/manifest.json" % name, "w") as f:
            json.dump({"format": "warplens run", "version": 1, "id": name, "argv": words, "timing": {"begin_ms": 1},
                       "exit": {"status": 0, "signal": None}, "inputs": [], "outputs": []}, f)
    @functools.lru_cache(None)
    def common(i, k):
        if i == len(argv[0]) or k == len(argv[1]):
            return 0
        return max(common(i + 1, k), common(i, k + 1), (argv[0][i] == argv[1][k]) * (1 + common(i + 1, k + 1)))
    told = subprocess.run([sys.argv[1], "runs", "compare", "x", "y", "--dir", "lcs", "-f", "csv"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=True, text=True)
    rows = [r for r in csv.DictReader(told.stdout.splitlines()) if r["what"] == "argument"]
    for words, key in zip(argv, "ab"):
        assert sum(r[key] != "" for r in rows) == len(words) - common(0, 0), (argv, rows)
    # What is left of both without the rows is the same list.
    left = [list(words) for words in argv]
    for side, key in enumerate("ab"):
        for r in rows:
            assert not r[key] or r[key] in left[side], (argv, rows)
            if r[key]:
                left[side].remove(r[key])
    assert sorted(left[0]) == sorted(left[1]), (argv, rows)
END
rm -r warplens-runs/more

# What is no run is left out and told, and never removed.
mkdir -p warplens-runs/empty warplens-runs/other
cp warplens-runs/one/manifest.json warplens-runs/other/
expect 0 'id is not the name of its directory' "$WARPLENS" runs list
! grep -q empty out || fail "a directory without a manifest is listed"
expect 3 'it is not a run' "$WARPLENS" runs remove empty
expect 3 'id is not the name of its directory' "$WARPLENS" runs remove other
expect 2 'did you mean two?' "$WARPLENS" runs remove tw
expect 2 'is not the id of a run' "$WARPLENS" runs remove ..
expect 2 'is not the id of a run' "$WARPLENS" runs remove warplens-runs/..
expect 2 'is not the id of a run' "$WARPLENS" runs remove ''
[ -d warplens-runs/empty ] && [ -d warplens-runs/other ] && [ -d warplens-runs/two ] || fail "gone"
ln -s one warplens-runs/alias
expect 3 'it is not a run' "$WARPLENS" runs remove alias
[ -L warplens-runs/alias ] && [ -d warplens-runs/one ] || fail "a link was followed"

# A run is removed with its links, not with what they lead to.
mkdir kept
echo x >kept/file
ln -s "$work/kept" warplens-runs/one/report/link
ln -s "$work/kept/file" warplens-runs/one/nsys/link
expect 0 'removed warplens-runs/one' "$WARPLENS" runs remove one
[ ! -e warplens-runs/one ] && [ -f kept/file ] || fail "remove"
expect 2 'no run one' "$WARPLENS" runs show one

# Compressed files.
gzip warplens-runs/two/nsys/run.sqlite
bytes=$(wc -c <warplens-runs/two/nsys/run.sqlite.gz)
sum=$(sha256sum <warplens-runs/two/nsys/run.sqlite.gz | cut -d ' ' -f 1)
sed -i "s/\"}\]}/\",\"gz\":{\"bytes\":$bytes,\"sha256\":\"$sum\"}}]}/" warplens-runs/two/manifest.json
expect 0 'gunzip -k warplens-runs/two/nsys/run.sqlite.gz' "$WARPLENS" runs list -f json
expect 0 "$bytes,compressed" "$WARPLENS" runs list -f csv --columns bytes,state
expect 0 'compressed' "$WARPLENS" runs show two --section files

# Names from a manifest do not reach the terminal as commands.
sed -i 's/node1/\\u001b[2Jnode/' warplens-runs/two/manifest.json
expect 0 'node' "$WARPLENS" runs show two
! grep -q "$(printf '\033')" out || fail "a control character was printed"

expect 3 'name the directory of the runs' "$WARPLENS" runs list missing
expect 2 'usage: warplens runs list' "$WARPLENS" runs
expect 2 'usage: warplens runs list' "$WARPLENS" runs show
expect 2 'runs show has facts, files' "$WARPLENS" runs show two --section x
expect 2 'runs reads manifests, not traces' "$WARPLENS" runs list --gpu 0
exit $bad
