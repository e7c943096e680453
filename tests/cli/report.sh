#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# report.sh - "warplens report": all files, their contents, what it refuses, and that it harms nothing.
# With ACCEPT=1 the expected files in report/ are rewritten: review the diff.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
want=$here/cli/report
[[ -n $fixtures ]] || { echo "no fixtures"; exit 77; }
cp "$fixtures/steps.sqlite" "$fixtures/tiny.sqlite" "$fixtures/no_gpu.sqlite" "$fixtures/two_ranks.sqlite" \
	"$fixtures/two_groups.sqlite" .

# --- what is written --------------------------------------------------------------------------
expect 0 "$WARPLENS" report steps.sqlite -o rep
quiet
prints "wrote report.html, report.md, report.json and"
for name in findings iterations gpu_time idle_causes categories kernels communication transfers transfers_by_size \
	sync launches cuda_graphs nvtx_ranges nvtx_kernels streams processes gpus gpu_idle_gaps kernels_by_gpu \
	kernels_by_pid sync_by_pid nvtx_by_pid api osrt threads; do
	[[ -s rep/tables/$name.csv ]] || fail "no tables/$name.csv"
done
# The first chart of the page; its numbers are those of the table.
sed -n '/<svg role="img" aria-describedby="c2-/,/<\/svg>/p' rep/report.html >chart.svg
cp rep/report.md rep/report.json .
for file in report.md report.json chart.svg; do
	if [[ ${ACCEPT:-0} == 1 ]]; then
		mkdir -p "$want"
		cp $file "$want/$file"
	else
		diff -u "$want/$file" $file || fail "$file differs from tests/cli/report/$file"
	fi
done

# --- the same numbers as the verbs ------------------------------------------------------------
same() { # FILE VERB ARGS... - the table is what the verb prints
	local file=$1
	shift
	expect 0 "$WARPLENS" "$@" steps.sqlite -f csv
	cmp -s out "rep/tables/$file.csv" || fail "$file.csv is not \"$*\""
}

same kernels kernels --by name
same kernels_by_pid kernels --by pid
same gpu_idle_gaps gaps
same nvtx_ranges nvtx
same nvtx_by_pid nvtx --by pid
same iterations iters
same transfers_by_size transfers --by size
# --- a section that speaks of other times than the head says so ----------------------------------
cp "$fixtures/host.sqlite" .
expect 0 "$WARPLENS" report host.sqlite -o host
for verb in overlap idle kernels sync nvtx pids; do
	expect 0 "$WARPLENS" $verb host.sqlite -f json
	cp out "$verb.json"
done
python3 - <<'P' || fail "windows of sections are not those of their verbs"
import json
def bounds(window):
    return window["begin"], window["end"]
report = json.load(open("host/report.json"))
head, seen = bounds(report["window"]), set()
for section in report["sections"]:
    verb = section["analysis"]
    if verb not in ("overlap", "idle", "kernels", "sync", "nvtx", "pids"):
        continue
    alone = bounds(json.load(open(verb + ".json"))["window"])
    assert bounds(section.get("window", report["window"])) == alone, verb
    assert ("window" in section) == (alone != head), verb
    seen.add((verb, "window" in section))
assert ("sync", True) in seen and ("nvtx", True) in seen and ("overlap", False) in seen, seen
P
grep -A 2 '^## Waits of the host$' host/report.md | grep -q '^window 33 us (0.003 ms to 0.036 ms)$' ||
	fail "report.md does not name the window of a section"
grep -q '<p class="frame">window 33 us (0.003 ms to 0.036 ms)</p>' host/report.html ||
	fail "the page does not name the window of a section"
expect 0 "$WARPLENS" index host.sqlite
cp host/report.json before.json
expect 0 "$WARPLENS" report host.sqlite -o host
cmp -s before.json host/report.json || fail "windows of sections differ with an index"

python3 - rep <<'P' || fail "report.json and the tables differ"
import csv, json, os, sys
room = sys.argv[1]
sections = json.load(open(room + "/report.json"))["sections"]
assert sections[0]["analysis"] == "findings", "what to do comes first"
for section in sections:
    assert section["from"].startswith("From "), section["analysis"]
page = open(room + "/report.html").read()
for section in sections:
    assert "<h2>%s</h2>" % section["title"].replace("'", "&#39;") in page, section["title"]
for name in os.listdir(room + "/tables"):
    rows = list(csv.reader(open(room + "/tables/" + name)))
    assert all(len(r) == len(rows[0]) for r in rows), name
kernels = next(s for s in sections if s["analysis"] == "kernels")
assert len(kernels["rows"]) == len(list(csv.reader(open(room + "/tables/kernels.csv")))) - 1
P
rm -rf rep
# The same of a trace with calls that wait.
expect 0 "$WARPLENS" report tiny.sqlite -o rep
expect 0 "$WARPLENS" sync --by pid tiny.sqlite -f csv
cmp -s out rep/tables/sync_by_pid.csv || fail 'sync_by_pid.csv is not "sync --by pid"'
rm -rf rep

# --- options ----------------------------------------------------------------------------------
echo '{"forward": ["fwd", "forward"], "backward": ["bwd", "backward"]}' >phases.json
expect 0 "$WARPLENS" report steps.sqlite -o opt --phase-map phases.json --title 'Run 7 *' --top 1 --window steady
grep -q '^# Run 7 \\\*$' opt/report.md || fail "no title in report.md"
grep -q '<h1>Run 7 \*</h1>' opt/report.html || fail "no title in report.html"
grep -q '## Phases' opt/report.md || fail "no phases"
[[ -s opt/tables/phases.csv ]] || fail "no tables/phases.csv"
grep -q '^1 of [0-9]* rows; all are in tables/' opt/report.md || fail "--top 1 leaves all rows"
grep -q 'window steady' opt/report.md || fail "the window is not named"
[[ $(grep -c '^{"' opt/report.json) -gt 20 ]] || fail "--top limits report.json"
# Without the map the table of an earlier report must go, and what is not ours must stay.
echo mine >opt/mine.txt
echo mine >opt/tables/mine.csv
expect 0 "$WARPLENS" report steps.sqlite -o opt --phases-json phases.json --no-nvtx-kernel-map
[[ ! -e opt/tables/nvtx_kernels.csv ]] || fail "nvtx_kernels.csv stays behind"
! grep -q 'Kernels of NVTX ranges' opt/report.md || fail "--no-nvtx-kernel-map shows the map"
expect 0 "$WARPLENS" report steps.sqlite -o opt
[[ ! -e opt/tables/phases.csv && -s opt/tables/nvtx_kernels.csv ]] || fail "tables of another report"
[[ $(cat opt/mine.txt opt/tables/mine.csv) == $'mine\nmine' ]] || fail "files of others are touched"
expect 0 "$WARPLENS" report two_ranks.sqlite -o two --nvtx-coverage-warn-threshold 100%
grep -q 'was launched outside push/pop' two/report.md || fail "no warning of coverage"
expect 0 "$WARPLENS" report two_ranks.sqlite -o two
! grep -q 'was launched outside push/pop' two/report.md || fail "a warning of coverage above the threshold"

# --- links into a page of viewer ----------------------------------------------------------------
expect 0 "$WARPLENS" report two_ranks.sqlite -o links --viewer 'a "b".html'
grep -q '<a href="a &quot;b&quot;.html#finding=1">' links/report.html || fail "a finding does not link to the viewer"
! grep -q '#finding=' two/report.html || fail "links without --viewer"
for address in 'javascript:alert(1)' 'data:text/html,x' 'view.html#x' ''; do
	expect 2 "$WARPLENS" report two_ranks.sqlite -o links --viewer "$address"
done
expect 0 "$WARPLENS" report two_ranks.sqlite -o links --viewer https://example.com/view.html

# --- the map of lateness, where a rank is late ------------------------------------------------
expect 0 "$WARPLENS" report two_groups.sqlite -o late
grep -q '<title>Lateness by rank and step</title>' late/report.html || fail "no map of lateness"
grep -qE '<title>(rank|GPU) [0-9]+, step [0-9]+: [0-9.]+ [mu]s late</title>' late/report.html || fail "no cell is late"
expect 0 "$WARPLENS" ranks two_groups.sqlite --by step -f csv
cmp -s out late/tables/ranks_by_step.csv || fail "ranks_by_step.csv is not \"ranks --by step\""
expect 0 "$WARPLENS" ranks two_groups.sqlite --by step --sort lateness -n 1 -f json
python3 - late <<'P' || fail "the page does not show the largest lateness first"
import json, sys
worst = json.load(open("out"))["rows"][0]
page = open(sys.argv[1] + "/report.html").read()
name = "GPU %d" % worst["device"] if worst["rank"] is None else "rank %d" % worst["rank"]
assert "<title>%s, step %d: " % (name, worst["step"]) in page, worst
text = open(sys.argv[1] + "/report.md").read().split("## Lateness by rank and step")[1]
first = [cell.strip() for cell in text.split("\n| ")[3].split("|")]
assert str(worst["step"]) in first, (worst, first)
P
expect 0 "$WARPLENS" report tiny.sqlite -o late
! grep -q 'Lateness by rank' late/report.html late/report.md late/report.json || fail "a map of a trace without one"
[[ ! -e late/tables/ranks_by_step.csv ]] || fail "ranks_by_step.csv stays behind"

# --- same trace, same bytes -------------------------------------------------------------------
expect 0 "$WARPLENS" report steps.sqlite -o one -j1
expect 0 "$WARPLENS" report steps.sqlite -o eight -j8 --reader sqlite
diff -r one eight || fail "threads or readers change bytes"
expect 0 "$WARPLENS" index steps.sqlite --index-dir .
expect 0 "$WARPLENS" report steps.sqlite -o indexed --index-dir .
diff -r one indexed || fail "an index changes bytes"

# --- refusals ---------------------------------------------------------------------------------
expect 2 "$WARPLENS" report steps.sqlite
says "-o DIR"
expect 2 "$WARPLENS" report -o x
expect 2 "$WARPLENS" report steps.sqlite tiny.sqlite -o x
expect 2 "$WARPLENS" report steps.sqlite -o x -f json
says "--format does not apply; -o x.md writes Markdown"
expect 2 "$WARPLENS" report steps.sqlite -o x --top -1
expect 2 "$WARPLENS" report steps.sqlite -o steps.sqlite
says "not a directory"
expect 2 "$WARPLENS" report steps.sqlite -o x --nvtx-coverage-warn-threshold 7
expect 3 "$WARPLENS" report missing.sqlite -o x
expect 0 "$WARPLENS" report no_gpu.sqlite -o host
grep -q 'compute-sanitizer' host/report.md || fail "a report without GPU work does not say what to do"
grep -q '## By GPU' host/report.md && fail "a report without GPU work has sections of GPUs"
[[ -s host/tables/host.csv ]] || fail "no tables/host.csv"
rm -r host
expect 6 "$WARPLENS" report tiny.sqlite -o tiny.sqlite/place
expect 0 "$WARPLENS" report tiny.sqlite -o no/such/place
[[ -f no/such/place/report.html ]] || fail "parents of the directory are not made"
rm -r no
[[ ! -e x ]] || fail "a report that failed leaves a directory"
mkdir self
cp tiny.sqlite self/report.json
expect 2 "$WARPLENS" report self/report.json -o self
says "the trace itself"
cmp -s tiny.sqlite self/report.json || fail "the trace was replaced"
# A directory that someone else prepared does not lead elsewhere.
mkdir mine linked linked2
echo mine >mine/phases.csv
ln -s ../mine linked/tables
expect 6 "$WARPLENS" report tiny.sqlite -o linked
says 'linked/tables: it is a symbolic link; remove it first'
ln -s ../mine/phases.csv linked2/report.html
expect 6 "$WARPLENS" report tiny.sqlite -o linked2
says 'linked2/report.html: it is a symbolic link; remove it first'
[[ $(ls mine) == phases.csv && $(cat mine/phases.csv) == mine ]] || fail "a report follows links"

# --- hostile names and titles -----------------------------------------------------------------
python3 -B "$here/support/hostile.py" make h.sqlite
for title in '<script>alert(1)</script>' $'\033[31m\n# x\n</title>' '"><img src=x onerror=alert(1)>' '`a`|[x](javascript:y)'; do
	expect 0 "$WARPLENS" report h.sqlite -o evil --title "$title" --marker 're:(?s).*'
	python3 -B "$here/support/hostile.py" report evil >said || fail "a hostile report: $(cat said)"
	[[ $(stat -c %s evil/report.html) -lt 3000000 ]] || fail "a page of more than 3 MB"
	[[ $(grep -c '^# ' evil/report.md) == 1 ]] || fail "a title makes lines"
done
finish
