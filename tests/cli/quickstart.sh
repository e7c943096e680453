#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# quickstart.sh - what users of other tools type first, with the program's name changed: each line
# runs as it stands, and something of its answer is known from the trace.
#
#   WARPLENS_SHARED  where review/quickstart.txt is, with the same lines; without it those below alone
#
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
gen() { python3 -B "$here/support/gen_trace.py" -o "$@" --seed 1 >/dev/null; }
gen train.sqlite --ranks 2 --layers 2 --iters 5
gen moe.sqlite --ranks 8 --layers 4 --moe --iters 3
gen run1.sqlite --ranks 2 --layers 2 --serving --iters 12
cp run1.sqlite run2.sqlite
cp run1.sqlite new.sqlite
# The same run as train.sqlite, but between 39 and 42 seconds of the trace.
python3 - <<'END'
import shutil, sqlite3
shutil.copy("train.sqlite", "PROFILE.sqlite")
db = sqlite3.connect("PROFILE.sqlite")
for (table,) in db.execute("select name from sqlite_master where type = 'table'").fetchall():
    have = [r[1] for r in db.execute('pragma table_info("%s")' % table)]
    for c in {"start", "end", "timestamp"} & set(have):
        db.execute('update "%s" set "%s" = "%s" + 39500000000 where "%s" > 0' % (table, c, c, c))
db.commit()
END
cp train.sqlite.truth.json PROFILE.truth.json
echo '{"prefill": ["forward"], "decode": ["backward"]}' >phases.json
# Rules beside the trace, as gputrc2graph has them.
echo '{"DEF": {"ABC": {"(?i)gemm": "gemm", "flash|attn": "attn", "CUDA mem": "non-gpu-H_D_memops", ".*": "misc"}}}' \
	>engine_DEF.json
mkdir config
export XDG_CONFIG_HOME=$work/config

# LINE TAB a function below that looks at the answer
lines=$(cat <<'END'
warplens PROFILE.sqlite --out artifacts/RUN/	report
warplens PROFILE.sqlite --out artifacts/RUN/ --phase-map phases.json	report_phases
warplens PROFILE.sqlite --out=fresh --phase-map phases.json	report_fresh
warplens PROFILE.sqlite --out unslashed	report_unslashed
warplens report PROFILE.sqlite --out artifacts/RUN/	report
warplens report PROFILE.sqlite --out artifacts/RUN/ --phase-map phases.json	report_phases
warplens report PROFILE.sqlite --out artifacts/RUN/ --phases-json phases.json	report_phases
warplens report PROFILE.sqlite --out artifacts/RUN/ --nvtx-coverage-warn-threshold 0.7	report
warplens info PROFILE.sqlite	info
warplens timeline PROFILE.sqlite --gpu 0 --trim 39 42	on_screen
warplens tui PROFILE.sqlite --gpu 0 --trim 39 42	on_screen
warplens summary PROFILE.sqlite --gpu 0	summary
warplens export PROFILE.sqlite -o traces/	per_gpu
warplens viewer PROFILE.sqlite --gpu 0 --trim 39 42 -o report.html	page
warplens export-csv PROFILE.sqlite --gpu 0 --trim 39 42 -o kernels.csv	rows_csv
warplens export-json PROFILE.sqlite --gpu 0 --trim 39 42 -o kernels.json	rows_json
warplens overlap PROFILE.sqlite --gpu 0 --trim 39 42	overlap
warplens nccl PROFILE.sqlite --gpu 0 --trim 39 42	nccl
warplens iters PROFILE.sqlite --gpu 0 --trim 39 42	iters
warplens tree PROFILE.sqlite --gpu 0 --trim 39 42	tree
warplens markdown PROFILE.sqlite --gpu 0 --trim 39 42	markdown
warplens search PROFILE.sqlite flash	search
warplens search PROFILE.sqlite --query flash	search
warplens search --query=flash PROFILE.sqlite	search
warplens skill list	skills
warplens skill info nccl_anomaly	skill
warplens skill run top_kernels PROFILE.sqlite	top
warplens skill run gpu_idle_gaps PROFILE.sqlite	anything
warplens skill run nccl_breakdown PROFILE.sqlite	anything
warplens agent analyze PROFILE.sqlite	next_commands
warplens agent ask PROFILE.sqlite "why are there bubbles in the pipeline?"	answer_idle
warplens agent ask PROFILE.sqlite "is NCCL overlapping with compute?"	answer_overlap
warplens analyze PROFILE.sqlite	is_findings
warplens diagnose PROFILE.sqlite	is_findings
warplens evidence build PROFILE.sqlite	evidence
warplens evidence PROFILE.sqlite	evidence
warplens doctor PROFILE.sqlite	info
warplens perfetto PROFILE.sqlite -o run.pftrace	timeline
warplens capture -t cuda -o run1 -f true --trace-fork-before-exec=true --cuda-graph-trace=node --delay 30 --duration 600 --dry-run -- CMD	recorded_later
warplens profile -o my_training --dry-run python train.py --lr 1	recorded
warplens capture --dry-run --gate nvtx:range@LLM -- python -m runner	recorded_range
warplens capture --trace=cuda,nvtx,osrt --sample=none --capture-range=nvtx --nvtx-capture=range@LLM -o here --dry-run -- python -m runner	recorded_range
warplens categories --help	help
warplens categories --in_file run1.sqlite,vllm,gpt-oss,306 --title "label"	results_one
warplens categories --in_file run1.sqlite,vllm,llama,100 run2.sqlite,vllm,gpt-oss,102 --out_dir results	results_two
warplens categories --infile new.sqlite,DEF,ABC,306	results_own
warplens stats --report cuda_gpu_kern_sum --format csv -o out PROFILE.sqlite	stats
warplens show_setup PROFILE.sqlite	setup
warplens show_setup.py PROFILE.sqlite	setup
warplens find_window PROFILE.sqlite	window
warplens classify_streams PROFILE.sqlite	streams
warplens compute_overlap PROFILE.sqlite	stages
warplens compute_overlap PROFILE.sqlite --start 80000000 --end 100000000	stages_between
warplens classify_streams PROFILE.sqlite --start 80000000 --end 100000000	stages_between
warplens find_window PROFILE.sqlite --start 80000000 --end 100000000	stages_between
END
)
moe='setup window streams stages stages_between' # lines of a tool that is for such a trace

trimmed() { prints 'window 39s..42s: 3 s (39 s to 42 s)'; }
know() { # PYTHON: about the files and the truth; t is the truth, out what was printed
	python3 -c "
import csv, json, re, sqlite3
t = json.load(open('PROFILE.truth.json'))
out = open('out', encoding='utf-8').read()
$1" || fail "$ran: $2"
}
report() {
	prints 'wrote report.html, report.md, report.json and '
	know '
ops = sum(int(r["calls"]) for r in csv.DictReader(open("artifacts/RUN/tables/kernels.csv")))
db = sqlite3.connect("PROFILE.sqlite")
assert ops == db.execute("select count(*) from CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]
md = open("artifacts/RUN/report.md", encoding="utf-8").read()
for title in ("# Report of PROFILE.sqlite", "## Idle gaps", "## Launch rate", "## Kernels by process", "## Waits of the host by process"):
    assert title + "\n" in md, title
assert "<html" in open("artifacts/RUN/report.html", encoding="utf-8").read()' 'not the report of this trace'
}
report_phases() {
	report
	know '
rows = {r["phase"]: r for r in csv.DictReader(open("artifacts/RUN/tables/phases.csv"))}
assert list(rows) == ["prefill", "decode", "(none)"] and int(rows["prefill"]["ranges"]) == 2 * 5' 'other phases'
}
info() { prints 'exported by nsys'; }
on_screen() { # what a terminal gets is over before it can be read: the same without one
	expect 0 "${words[@]}" --snapshot 100x30
	prints 'iteration'
}
summary() { prints 'only gpu 0'; }
per_gpu() {
	[[ $(ls traces) == $'gpu0.trace.json\ngpu1.trace.json' ]] || fail "$ran: wrote $(ls traces)"
	know '
db = sqlite3.connect("PROFILE.sqlite")
for gpu in 0, 1:
    events = json.load(open("traces/gpu%d.trace.json" % gpu))["traceEvents"]
    n = db.execute("select count(*) from CUPTI_ACTIVITY_KIND_KERNEL where deviceId = ?", (gpu,)).fetchone()[0]
    assert sum(e.get("cat") == "kernel" for e in events) == n or sum(e.get("ph") == "X" for e in events) >= n, gpu' 'events are missing'
}
page() { grep -q '<html' report.html || fail "$ran: no page"; }
n_ops='
db = sqlite3.connect("PROFILE.sqlite")
n = sum(db.execute("select count(*) from CUPTI_ACTIVITY_KIND_%s where deviceId = 0" % k).fetchone()[0] for k in ("KERNEL", "MEMCPY", "MEMSET"))
'
rows_csv() { know "$n_ops
assert len(list(csv.DictReader(open('kernels.csv')))) == n" 'not a row per operation'; }
rows_json() { know "$n_ops
d = json.load(open('kernels.json'))
assert len(d['rows'] if isinstance(d, dict) else d) == n" 'not a row per operation'; }
overlap() { trimmed && prints '    3 s'; }
nccl() { trimmed && prints 'ReduceScatter     10'; }
iters() { trimmed && know 'assert len(re.findall(r"^ +[0-4] ", out, re.M)) == 5' 'not five iterations'; }
tree() { trimmed && know 'assert re.search(r"iteration # +5 ", out)' 'no iterations'; }
markdown() { trimmed && know 'assert re.search(r"^\| iteration # \| push/pop \| 5 \|", out, re.M)' 'no hierarchy'; }
search() { know '
assert re.search(r"kernel +.*flash", out)' 'not found'; }
help() {
	prints 'vllm'
	prints 'gpt-oss'
}
results_one() {
	prints 'wrote ./result.csv'
	prints 'wrote ./result.html'
	grep -q '>label<' result.html || fail "$ran: no title"
	know '
names = {r["kernel"] for r in csv.DictReader(open("result.csv"))}
db = sqlite3.connect("run1.sqlite")
want = {r[0] for r in db.execute("select distinct s.value from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s on s.id = k.demangledName")}
assert want <= names, want - names' 'not a row per kernel'
}
results_two() {
	know '
page = open("results/result.html", encoding="utf-8").read()
names = re.findall(r">(run\d\.sqlite, vllm, [^<]*)</text>", page)
# with the time off the GPU, and without
assert names == ["run1.sqlite, vllm, llama", "run2.sqlite, vllm, gpt-oss"] * 2, names
names = names[:2]
pivot = page[page.index("<table class=\"pivot\">"):]
pivot = [re.findall(r"<t[hd][^>]*>([^<]*)<", row) for row in re.findall(r"<tr>.*?</tr>", pivot[:pivot.index("</table>")])]
assert pivot[0] == ["Category, s"] + names, pivot[0]
assert pivot[-1] == ["Total", "100.000000", "102.000000"], pivot[-1]
assert abs(sum(float(r[1] or 0) for r in pivot[1:-1]) - 100) < 1e-4
# (non-GPU) is what the mean of both GPUs leaves of the elapsed time: busy by brute force.
db = sqlite3.connect("run1.sqlite")
busy = 0
for gpu in 0, 1:
    end = 0
    for s, e in db.execute("select start, end from (select start, end, deviceId from CUPTI_ACTIVITY_KIND_KERNEL union all select start, end, deviceId from CUPTI_ACTIVITY_KIND_MEMCPY) where deviceId = ? order by start", (gpu,)):
        busy += max(0, e - max(s, end))
        end = max(end, e)
rest = [r for r in pivot if r[0] == "(non-GPU)"][0]
assert abs(float(rest[1]) - (100 - busy / 2 / 1e9)) < 2e-6, (rest, busy)
rows = list(csv.DictReader(open("results/result.csv")))
assert {r["trace"] for r in rows} == {"run1.sqlite", "run2.sqlite"}
assert {(r["engine"], r["model"]) for r in rows} == {("vllm", "llama"), ("vllm", "gpt-oss")}' 'not both traces'
}
results_own() {
	know '
rows = list(csv.DictReader(open("result.csv")))
assert {r["category"] for r in rows} <= {"gemm", "attn", "non-gpu-H_D_memops", "misc", "(non-GPU)"}
assert all(re.search("(?i)gemm", r["kernel"]) for r in rows if r["category"] == "gemm")' 'not the rules of the directory'
}
stats() { know '
rows = list(csv.DictReader(open("out_cuda_gpu_kern_sum.csv")))
db = sqlite3.connect("PROFILE.sqlite")
assert sum(int(r["calls"]) for r in rows) == db.execute("select count(*) from CUPTI_ACTIVITY_KIND_KERNEL").fetchone()[0]' 'not all kernels'; }
setup() { prints 'pp=1/2 dp=0/1 cp=0/1 ep=3/4; mbs=1 seq=4096'; }
window() {
	know '
rows = re.findall(r"^(\d{5}) +(\d) +(\d) +(\d+) +([\d.]+) ms +([\d.]+) ms", out, re.M)
assert len(rows) == 8 and {r[3] for r in rows} == {"6"}, rows' 'not the middle chunk of 12, the same on all ranks'
}
streams() {
	prints 'window middle:'
	know 'assert len(re.findall(r" compute ", out)) == 8 and len(re.findall("ep_a2a", out)) == 8' 'other classes' 
}
stages() {
	prints 'window middle:'
	omits 'pipeline'
	know 'assert len(re.findall(r"^7\d{4} +\d +stage2_f +4 ", out, re.M)) == 8' 'not the stages of all ranks'
}
report_unslashed() { [[ -s unslashed/report.html ]] || fail "$ran: no report"; }
report_fresh() { [[ -s fresh/tables/phases.csv ]] || fail "$ran: no report"; }
anything() { :; }
skills() { prints 'top_kernels'; }
skill() { prints '# nccl_anomaly'; }
top() { prints 'flash_fwd'; }
next_commands() { prints 'Next commands'; }
answer_idle() { prints 'command: warplens idle'; }
answer_overlap() { prints 'command: warplens overlap'; }
is_findings() {
	cp out first
	expect 0 "$WARPLENS" findings PROFILE.sqlite
	same out first "$ran: not the findings"
}
evidence() { know 'assert json.loads(out)["analysis"] == "findings"' 'not the findings in JSON'; }
timeline() { [[ -s run.pftrace ]] || fail "$ran: no timeline"; }
recorded() { # what nsys is told, and that our words for it are said
	says 'options of nsys: taken as --dir my_training'
	prints ' --output=my_training/RUN_ID/nsys/run python train.py --lr 1'
}
recorded_later() {
	says 'taken as --gate delay:30,duration:600 --dir run1; for nsys: --trace=cuda --trace-fork-before-exec=true --cuda-graph-trace=node; not needed: --force-overwrite'
	prints ' --trace=cuda --sample=none '
	prints ' --delay=30 --duration=600 --kill=none --trace-fork-before-exec=true '
}
recorded_range() { prints ' --capture-range=nvtx --nvtx-capture=range@LLM --env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0 --capture-range-end=stop '; }
stages_between() { prints 'window 80000000ns..100000000ns: 20 ms (80 ms to 100 ms)'; }

# --- the lines, and that none of the file is missing ---------------------------------------------
run_line() { # LINE FUNCTION
	local profile=PROFILE.sqlite
	[[ " $moe " == *" $2 "* ]] && profile=moe.sqlite
	eval "words=(${1//PROFILE.sqlite/$profile})"
	words[0]=$WARPLENS
	case $2 in
	on_screen) expect 0 python3 -B "$here/support/tty.py" --size 24x80 --keys q "${words[@]}" ;;
	stages | streams) expect 0 "${words[@]}" -n 0 ;;
	*) expect 0 "${words[@]}" ;;
	esac
	"$2"
}
while IFS=$'\t' read -r line check; do run_line "$line" "$check"; done <<<"$lines"
shared=${WARPLENS_SHARED:-$here/../../shared}/review/quickstart.txt
if [[ -r $shared ]]; then
	while read -r line; do
		grep -qF -- "$line" <<<"${lines//$'\t'/ }" || fail "not tried: $line"
	done < <(sed -n 's/^later: //; /^warplens/p' "$shared" | grep -vE '^warplens (capture|ncu) ')
fi

# --- what is refused says what to type -------------------------------------------------------------
refused() { # TEXT WORD...
	local text=$1
	shift
	expect 2 "$WARPLENS" "$@"
	says "$text"
}
refused 'warplens ask TRACE' agent nonsense PROFILE.sqlite
refused '--llm URL' chat PROFILE.sqlite
refused '--keep-export FILE' export --sqlite out.sqlite PROFILE.sqlite
refused '--keep-export FILE' export --type sqlite PROFILE.sqlite
refused '--window A..B' streams PROFILE.sqlite --start 80000000
refused 'a capture has one gate' capture --gate delay:1 --delay 30 --dry-run -- CMD
refused 'a capture has one gate' capture -c nvtx -p range@LLM -y 30 --dry-run -- CMD
refused 'needs --nvtx-capture' capture -c nvtx --dry-run -- CMD
refused 'mean the same' capture --graphs node --cuda-graph-trace=graph --dry-run -- CMD
refused 'runs go to one directory' capture --dir a -o b --dry-run -- CMD
refused '--nsys-option=--NAME=VALUE' capture --osrt-threshold=500 --dry-run -- CMD
refused 'did you mean --dry-run?' capture --dry-rn -- CMD
refused 'capture names its sessions' capture --session-new=x --dry-run -- CMD
refused 'is a secret' capture -e API_TOKEN=0123456789abcdef0123456789abcdef --dry-run -- CMD
expect 0 "$WARPLENS" capture --nsys-option=--osrt-threshold=500 --dry-run -- CMD
prints ' --osrt-threshold=500 '
rm engine_DEF.json
refused '--rules FILE or --engines DIR (else ~/.config/warplens/engines), or put engine_DEF.json beside the trace' \
	categories --infile new.sqlite,DEF,ABC,306
# Reports of nsys that are none here name what has their rows; options of nsys stats are taken.
refused 'the summary of the trace: warplens PROFILE.sqlite' stats --report summary --format csv -o out PROFILE.sqlite
expect 0 "$WARPLENS" stats -r nvtx_gpu_proj_trace -f csv PROFILE.sqlite
head -n 1 out | grep -qx 'Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,TID,NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack' ||
	fail "$ran: $(head -n 1 out)"
expect 0 "$WARPLENS" stats -r nvtx_gpu_proj_trace -f table PROFILE.sqlite
prints 'iteration 0 '
# Formats and outputs in lists, as nsys pairs them with reports: the last is for all others.
mkdir lists
cp PROFILE.sqlite lists/p.sqlite
expect 0 "$WARPLENS" stats -r cuda_gpu_sum,cuda_api_gpu_sum,cuda_gpu_kern_sum --format csv,column --output .,- lists/p.sqlite
prints 'wrote lists/p_cuda_gpu_sum.csv'
prints '** cuda_api_gpu_sum'
prints '** cuda_gpu_kern_sum'
[[ $(ls lists) == $'p.sqlite\np_cuda_gpu_sum.csv' ]] || fail "$ran: $(ls lists)"
head -n 1 lists/p_cuda_gpu_sum.csv | grep -qx 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Category,Operation' ||
	fail "$ran: $(head -n 1 lists/p_cuda_gpu_sum.csv)"
grep -q '^Operation ' out || fail "$ran: names do not come first on a screen"
expect 0 "$WARPLENS" stats -r nvtx_startend_sum -f . -o lists/x PROFILE.sqlite
[[ -s lists/x_nvtx_startend_sum.csv ]] || fail "$ran: no file"
# Names of files by the trace, and rows: as many as the file's tables have.
mkdir beside
cp PROFILE.sqlite beside/named.sqlite
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum,cuda_api_trace -o . beside/named.sqlite
prints 'wrote beside/named_cuda_gpu_kern_sum.csv'
prints 'wrote beside/named_cuda_api_trace.csv'
[[ $(wc -l <beside/named_cuda_api_trace.csv) == $(python3 -c '
import sqlite3
print(1 + sqlite3.connect("PROFILE.sqlite").execute("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME").fetchone()[0])') ]] ||
	fail "$ran: $(wc -l <beside/named_cuda_api_trace.csv) lines"
for report in nvtx_pushpop_trace cuda_kern_exec_trace nvtx_startend_trace; do
	expect 0 "$WARPLENS" stats -r $report -f csv PROFILE.sqlite
done
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum --force-export=true --force-overwrite true --timeunit msec PROFILE.sqlite
prints ' ms '
expect 0 "$WARPLENS" stats --help-reports
prints 'cuda_gpu_kern_sum            warplens kernels'
expect 0 "$WARPLENS" stats -r cuda_gpu_trace -o all moe.sqlite
know '
db = sqlite3.connect("moe.sqlite")
kinds = ["CUPTI_ACTIVITY_KIND_" + k for k in ("KERNEL", "MEMCPY", "MEMSET")]
have = {r[0] for r in db.execute("select name from sqlite_master")}
n = sum(db.execute("select count(*) from " + k).fetchone()[0] for k in kinds if k in have)
assert n > 1000 and len(list(csv.DictReader(open("all_cuda_gpu_trace.csv")))) == n, n' 'not all operations'
# The names of PithTrain: all rows, stages only, and of several traces the trace and
# process of each row.
expect 0 "$WARPLENS" compute_overlap moe.sqlite
know 'rows = re.findall(r"^7\d{4} +\d +(\S+) ", out, re.M)
assert len(rows) == 8 * 4 and all(re.fullmatch("stage[1-5]_[fbw]", r) for r in rows), rows' 'not the stages of all ranks'
cp moe.sqlite moe2.sqlite
for verb in compute_overlap classify_streams show_setup find_window; do
	expect 0 "$WARPLENS" "$verb" moe.sqlite moe2.sqlite
	know 'n = [len(re.findall(r"^%s\.sqlite +7\d{4} " % name, out, re.M)) for name in ("moe", "moe2")]
assert n[0] == n[1] >= 8, n' 'rows without their trace and process'
	narrow out
done
for verb in web open view timeline-web diff-web; do
	expect 0 "$WARPLENS" "$verb" --help
	prints 'warplens serve'
done
expect 0 "$WARPLENS" plan -- python train.py --lr 1
prints 'note: this records the whole run; for a long one, add --gate delay:60,duration:20'
prints 'next: warplens ./run.nsys-rep'
expect 0 "$WARPLENS" plan --gate delay:60,duration:20 -- python train.py
omits 'whole run'
expect 0 "$WARPLENS" plan -- ray job submit -- python train.py
prints 'note: nsys records the client of Ray alone'

# --- beside them -----------------------------------------------------------------------------------
expect 2 "$WARPLENS" overlap train.sqlite --trim 39 42
says '--window: nothing was recorded there'
expect 2 "$WARPLENS" overlap train.sqlite --window 39..42
says "has no unit"
expect 0 "$WARPLENS" search flash PROFILE.sqlite
cp out first
expect 0 "$WARPLENS" search PROFILE.sqlite flash
same out first 'search: the trace before the pattern'
expect 0 "$WARPLENS" report train.sqlite -o page.html
prints 'wrote page.html'
[[ -f page.html ]] || fail 'report -o page.html makes no page'
expect 0 "$WARPLENS" report train.sqlite -o page.md --title mine
[[ $(head -n 1 page.md) == '# mine' ]] || fail 'no title in Markdown'
! grep -q 'tables/' page.html page.md || fail 'a page speaks of files that are not there'
mkdir dir.html
expect 0 "$WARPLENS" report train.sqlite -o dir.html
[[ -f dir.html/report.html ]] || fail 'a directory called like a page'
expect 2 "$WARPLENS" report train.sqlite -o train.sqlite
expect 0 "$WARPLENS" export train.sqlite -o only/ --gpu 1
[[ $(ls only) == gpu1.trace.json ]] || fail "export --gpu 1 -o only/: $(ls only)"
expect 0 "$WARPLENS" export train.sqlite -o x.pftrace --split gpu
[[ -s x.gpu0.pftrace && -s x.gpu1.pftrace ]] || fail '--split gpu'
expect 0 "$WARPLENS" export train.sqlite -f csv -o rows/in/parts/
[[ $(ls rows/in/parts) == $'gpu0.csv\ngpu1.csv' ]] || fail "export -f csv -o DIR/: $(ls rows/in/parts)"
expect 5 "$WARPLENS" stats --report mpi_event_sum train.sqlite
says 'the trace has no MPI calls'
expect 5 "$WARPLENS" stats --report openmp_sum train.sqlite
says 'OpenMP events are not read'
expect 2 "$WARPLENS" stats --report nothing_like_it train.sqlite
expect 5 "$WARPLENS" stats --report cuda_gpu_kern_sum "$(fixture no_gpu)"
expect 0 "$WARPLENS" stats --report cuda_gpu_kern_sum,cuda_api_sum -o two train.sqlite
[[ -s two_cuda_gpu_kern_sum.csv && -s two_cuda_api_sum.csv ]] || fail 'stats: not two files'
"$WARPLENS" kernels train.sqlite -f csv 2>/dev/null >want.csv
same two_cuda_gpu_kern_sum.csv want.csv 'stats: the report and its verb'
# Reports with arguments: the names of nsys stats are the short names of the trace.
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum:base,cuda_gpu_kern_sum:mangled -o forms train.sqlite
"$WARPLENS" kernels train.sqlite --name short -f csv 2>/dev/null >want.csv
same forms_cuda_gpu_kern_sum_base.csv want.csv 'stats: short names'
"$WARPLENS" kernels train.sqlite --name mangled -f csv 2>/dev/null >want.csv
same forms_cuda_gpu_kern_sum_mangled.csv want.csv 'stats: mangled names'
expect 0 "$WARPLENS" stats -rcuda_gpu_kern_sum:nvtx-name train.sqlite -f csv
"$WARPLENS" nvtx-kernels train.sqlite -f csv 2>/dev/null >want.csv
same out want.csv 'stats: kernels with their ranges'
expect 2 "$WARPLENS" stats -r cuda_gpu_kern_sum:bse train.sqlite
says 'does not apply'
expect 2 "$WARPLENS" stats -r cuda_api_sum:base train.sqlite
expect 2 "$WARPLENS" stats -r cuda_gpu_kern_sum:nvtx-name:base train.sqlite
expect 2 "$WARPLENS" stats train.sqlite -r
says '-r needs a value'
expect 2 "$WARPLENS" kernels train.sqlite -r cuda_gpu_kern_sum
says 'unknown option -r'
# No directory is made for a file.
expect 6 "$WARPLENS" kernels train.sqlite -o a/b/c.csv
says 'its directory does not exist'
[[ ! -e a ]] || fail 'directories were made for a file'
"$WARPLENS" kernels train.sqlite -f csv 2>/dev/null >want.csv
expect 6 "$WARPLENS" kernels train.sqlite -f json -o meant/
[[ ! -e meant ]] || fail 'a directory was made for no file'
expect 6 "$WARPLENS" kernels train.sqlite -f json -o want.csv/x.json
expect 0 "$WARPLENS" stats -f json train.sqlite
says '** cuda_gpu_kern_sum'
python3 -c 'import json
text, decoder, n = open("out").read().strip(), json.JSONDecoder(), 0
while text:
    document, end = decoder.raw_decode(text)
    text, n = text[end:].lstrip(), n + 1
assert n > 1, n' || fail "stats -f json: not documents"
expect 5 "$WARPLENS" stats --report um_sum train.sqlite
says 'no migrations of managed memory'
finish
