#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# job.sh - the files of a job as one trace: the answers of the same job in one file, whatever the
# files are called; what is refused as one job, and what opens without a verb.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
gen=$WARPLENS_SOURCE/tests/support/gen_trace.py
cd "$work"

# --- a job in files is the job in one file ---------------------------------------------------
make() { # NAME OPTIONS... - NAME.sqlite, and NAME/ with a file per rank
	local name=$1
	shift
	mkdir "$name"
	python3 "$gen" -o "$name.sqlite" "$@" >/dev/null
	python3 "$gen" -o "$name" --split "$@" >/dev/null
}
make train --ranks 4 --layers 2 --iters 6 --straggler 2:1.2 --seed 7
make moe --ranks 4 --layers 2 --iters 4 --moe --seed 2

compare() { # WHAT VERB ARGS... - both answers, but for names of traces and where a rank is from
	local what=$1 verb=$2
	shift 2
	local one=0 job=0
	"$WARPLENS" "$verb" "$@" "$what.sqlite" -f json >one.json 2>one.err || one=$?
	"$WARPLENS" "$verb" "$@" "$what" -f json >job.json 2>job.err || job=$?
	[[ $one == "$job" ]] || fail "$verb $* $what: exit status $job, and $one of one file"
	((one == 0)) || return 0
	python3 - one.json job.json <<'END' || fail "$verb $* $what: a job in files differs from one in a file"
import json, re, sys
def plain(v):
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items() if k not in ("path", "rank")}
    if isinstance(v, list): # a job has a section of its own in summary
        return [plain(x) for x in v if not (isinstance(x, dict) and x.get("title") == "By rank")]
    if isinstance(v, str):
        v = re.sub(r"\branks (?=\d)", "GPUs ", v)
        v = re.sub(r"\b[Rr]ank (\d+)( \(GPU \1\))?", r"GPU \1", v)
        v = re.sub(r"\b(train|moe)(\.sqlite)?", "TRACE", v)
    return v
one, job = (plain(json.load(open(f))) for f in sys.argv[1:])
if one != job:
    for key in one:
        if one[key] != job.get(key):
            sys.exit("%s:\n%s\n%s" % (key, one[key], job.get(key)))
    sys.exit(1)
END
}
verbs=$("$WARPLENS" --introspect | python3 -c '
import json, sys
# schema and search tell of the tables of files, gpus of which GPU is proven
print(*(v["name"] for v in json.load(sys.stdin)["verbs"] if v["kind"] == "analysis" and v["name"] not in ("search", "schema")))')
for verb in $verbs summary; do
	compare train "$verb"
	# Ends of moe's collectives are apart: clocks of files without hosts have an error then, and the
	# path stays on its rank within that.
	[[ $verb == path ]] || compare moe "$verb"
done
compare train overlap --window steady
compare train kernels --window iter:2 --by device
compare moe iters --rank 2 --window middle
compare moe overlap --by stage --gpu 1

# --- ranks, hosts and missing ranks, against what the generator put in -------------------------
facts() { # JOB - what info says of its files
	"$WARPLENS" info "$1" --section about -f csv
}
cp -r train made
python3 - made <<'END'
import glob, sqlite3, sys
for i, path in enumerate(sorted(glob.glob(sys.argv[1] + "/*.sqlite"))):
    db = sqlite3.connect(path)
    db.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PARAM_INPUT_FILE', 'r%d.nsys-rep')" % i)
    db.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0, 'Local', 'NvDriverVersion', 205, '%s')" % ("53510405" if i else "5154807"))
    db.commit()
END
facts made >out
for fact in 'report,4 reports' 'driver,"515.48.07, 535.104.05"' 'job,"4 files, 4 clocks of unnamed hosts"' 'host,not recorded'; do
	prints "$fact"
done
source_of() { # OPTIONS... - generate, and compare ranks, their source, hosts and what is missing
	rm -rf made
	mkdir made
	python3 "$gen" -o made --split --layers 2 --iters 3 "$@" >/dev/null
	"$WARPLENS" info made -f json --section processes >processes.json || fail "info of $*"
	"$WARPLENS" info made -f json --section files >files.json || fail "files of $*"
	python3 - "$*" <<'END' || fail "$*: ranks, hosts or missing ranks differ from what was put in"
import glob, json, sys
truth = json.load(open(glob.glob("made/*truth.json")[0]))["job"]
processes = [r for r in json.load(open("processes.json"))["rows"] if r["devices"]]
files = json.load(open("files.json"))
words = {"label": "nvtx", "nccl": "nccl", "mpi": "mpi", "file name": "file name", "order": "order"}
want = words.get(truth["rank_source"], "environment")
assert {r["rank_from"] for r in processes} == {want}, (processes, want)
assert sorted(r["rank"] for r in processes) == sorted(truth["rank_shown"].values()), processes
note = [n for n in files["notes"] if "ranks are from" in n or "no rank was" in n]
assert len(note) == 1 and (want != "environment" or truth["rank_source"] in note[0]), (note, truth["rank_source"])
hosts = {h["name"]: h["ranks"] for h in truth["hosts"]}
if want not in ("file name", "order"):
    for r in files["rows"]:
        low, _, high = r["rank"].partition("-")
        assert {int(low), int(high or low)} <= set(hosts[r["host"]]), (r, hosts)
missing = [n for n in files["notes"] if "are missing" in n]
if truth["missing"]:
    text = "%d of %d ranks are missing (%s)" % (len(truth["missing"]), truth["world"], ", ".join(map(str, truth["missing"])))
    assert len(missing) == 1 and missing[0].startswith(text), (missing, text)
else:
    assert not missing, missing
END
}
source_of --ranks 4 --env torch --hosts 2
source_of --ranks 6 --env ompi --names report --missing 1,4 --hosts 2 --job-id 77
source_of --ranks 4 --env slurm --names report --hosts 4 --missing 3
source_of --ranks 4 --env torchrun --hosts 2
source_of --ranks 4 --env torchrun --split-by host --hosts 2
source_of --mesh tp=2,pp=2 --env torchrun --names report --hosts 2
source_of --ranks 4 --payloads 2.25 --env torchrun --names report --hosts 2
source_of --ranks 4 --payloads json --env torchrun --split-by host --hosts 2
source_of --ranks 4 --mpi new --env torchrun --names report --hosts 1
# Tokens of the environment are nowhere, not even in an index.
expect 0 "$WARPLENS" index made
for f in made/*.wlidx; do
	! grep -q 'generated.*[Ss]ecret' "$f" || fail "$f holds a secret of the environment"
done
for verb in 'info' 'setup' 'schema' 'search .'; do
	# shellcheck disable=SC2086 # a verb and its pattern
	expect 0 "$WARPLENS" $verb made -f json
	omits 'ecret'
done
# A note on every answer that compares ranks.
source_of --ranks 4 --env ompi --missing 0
for verb in findings nccl overlap iters summary; do
	expect 0 "$WARPLENS" $verb made
	prints '1 of 4 ranks are missing (0)'
done
expect 0 "$WARPLENS" kernels made
omits 'missing'
# Who is not there may be waited for: what is known of waiting is the least of it.
expect 0 "$WARPLENS" ranks made -f json
prints 'a missing rank may be the slow one: waits are lower bounds, transfers upper bounds'
expect 0 "$WARPLENS" whatif made --with no-wait -f json
prints '"forecast":"at least"'
expect 2 "$WARPLENS" whatif made --with comm-free --sweep
expect 0 "$WARPLENS" whatif made --with comm-free --with no-wait -f json
prints '"forecast":"at most"'
source_of --ranks 4 --env ompi
expect 0 "$WARPLENS" ranks made -f json
omits 'waits are lower bounds'
expect 0 "$WARPLENS" whatif made --with no-wait -f json
prints '"forecast":"prediction"'

# --- coordinates of ranks, and answers by them: sums of the rows by rank, by where the generator put each ---
mkdir mesh
python3 "$gen" -o mesh --split --mesh tp=2,pp=2,dp=2 --layers 2 --iters 3 --hosts 2 --straggler 5:1.2 >/dev/null
for verb in ranks overlap nccl iters; do
	"$WARPLENS" $verb mesh -f json >all.json || fail "$verb of a mesh"
	for axis in pp dp tp cp host; do
		"$WARPLENS" $verb mesh --by $axis -f json >by.json || fail "$verb --by $axis"
		python3 - $axis <<'END' || fail "$verb --by $axis: not the sums over its ranks"
import json, sys
axis = sys.argv[1]
truth = json.load(open("mesh/split.truth.json"))["job"]
place = {r: dict(at, cp=0, host=h["name"]) for h in truth["hosts"] for r in h["ranks"] for at in [truth["mesh"]["ranks"][r]]}
rows, got = (json.load(open(f))["rows"] for f in ("all.json", "by.json"))
want = {}
for r in rows:
    for key, at in place[r["rank"]].items():
        assert r[key] == at, (r["rank"], key, r[key], at)
    group = want.setdefault((place[r["rank"]][axis], r.get("type"), r.get("iter")), {"ranks": set()})
    group["ranks"].add(r["rank"])
    for key in ("window", "compute", "wait", "exposed_comm", "exposed", "idle", "lateness", "caused", "alone", "calls", "sum", "kernels"):
        if r.get(key) is not None:
            group[key] = group.get(key, 0) + r[key]
    if r.get("period") is not None:
        group["period"] = max(group.get("period", 0), r["period"])
assert len(got) == len(want) and [r[axis] for r in got] == sorted(r[axis] for r in got), got
for r in got:
    group = want[r[axis], r.get("type"), r.get("iter")]
    assert r["n_ranks"] == len(group.pop("ranks")), r
    assert all(r[key] == v for key, v in group.items()), (r, group)
    if "busy_share" in r:
        assert abs(r["busy_share"] - r["busy"] / r["window"]) < 1e-12
    assert "rank" not in r and "pid" not in r
END
	done
done
expect 5 "$WARPLENS" iters train --by pp
says 'iters: --by pp: no rank says its pp; say it in an NVTX range, for example "rank=3; pp=1/2"'
expect 5 "$WARPLENS" overlap train --by host
says 'overlap: --by host: no file names its host'
expect 2 "$WARPLENS" nccl mesh --list --by pp
says '--list has a line per member of a match: --by does not apply'

# --- names and order of files ----------------------------------------------------------------
mkdir renamed
i=9
for f in moe/*.sqlite; do
	cp "$f" "renamed/x$i.sqlite"
	i=$((i - 1))
done
rows() { # VERB TRACE - its rows in an order of their own, without what numbers of GPUs depend on
	"$WARPLENS" "$1" "$2" -f json | python3 -c '
import json, sys
rows = [{k: v for k, v in r.items() if k not in ("device", "group")} for r in json.load(sys.stdin)["rows"]]
print(*sorted(json.dumps(r, sort_keys=True) for r in rows), sep="\n")'
}
for verb in iters nccl streams setup; do
	rows $verb moe >a
	rows $verb renamed >b
	same a b "$verb after files were renamed"
done

# --- the ways to name a job ------------------------------------------------------------------
expect 0 "$WARPLENS" overlap train -f csv
cp out dir.csv
expect 0 "$WARPLENS" overlap --job train/rank*.sqlite -f csv
same out dir.csv 'files of --job'
expect 0 "$WARPLENS" overlap train/rank3.sqlite train/rank0.sqlite train/rank1.sqlite train/rank2.sqlite --job -f csv
same out dir.csv 'files of --job in another order'
# A GPU that is proven has its process beside those that are known by theirs alone.
expect 0 "$WARPLENS" info --section gpus -f csv -q --columns device,pid train
! grep -q ',$' out || fail "$ran: a GPU without its process: $(cat out)"
expect 0 "$WARPLENS" info --section files -f csv --columns rank,file --job train/rank*.sqlite
printf 'rank,file\n0,rank0.sqlite\n1,rank1.sqlite\n2,rank2.sqlite\n3,rank3.sqlite\n' >names
same out names 'names of files of --job'
expect 0 "$WARPLENS" train/rank*.sqlite
prints 'train/rank0.sqlite and 3 more files · 4 GPUs'
# Commands can be pasted, whatever files are called.
cp train/rank1.sqlite 'train/a rank.sqlite'
expect 0 "$WARPLENS" findings --job train/rank0.sqlite 'train/a rank.sqlite' train/rank2.sqlite -f json
rm 'train/a rank.sqlite'
prints "--job train/rank0.sqlite 'train/a rank.sqlite' train/rank2.sqlite"
expect 0 "$WARPLENS" viewer --job train/rank0.sqlite train/rank2.sqlite -o job.html
grep -q '"given":\["train/rank0.sqlite","train/rank2.sqlite"\]' job.html || fail 'the page does not name the files of --job'
expect 0 "$WARPLENS" viewer --redact --job train/rank0.sqlite train/rank2.sqlite -o job.html
! grep -q 'rank2.sqlite' job.html || fail 'a redacted page names the files of --job'
expect 0 "$WARPLENS" search --job gemm train/rank*.sqlite
prints 'gemm'
expect 0 "$WARPLENS" kernels train moe -f csv --columns trace,name
prints 'train,'
for verb in kernels iters; do
	"$WARPLENS" $verb train -j 1 -f json >a
	"$WARPLENS" $verb train -j 4 -f json >b
	same a b "$verb of a job on one thread and on four"
	"$WARPLENS" $verb train --reader sqlite -f json >b
	same a b "$verb of a job through the other reader"
done

# --- files that prove to be one job are one for every verb ---------------------------------------
"$WARPLENS" --introspect >introspect.json
python3 - <<'END' || fail 'the files of a job differ from its directory'
import json, os, re, shlex, subprocess
W = os.environ["WARPLENS"]
files = sorted("train/" + f for f in os.listdir("train") if f.endswith(".sqlite"))
asks = {"search": ["gemm"], "whatif": ["--with", "no-wait"]}
verbs = [v for v in json.load(open("introspect.json"))["verbs"] if v["kind"] in ("analysis", "document")]
assert len(verbs) > 35, len(verbs)
def run(*argv):
    p = subprocess.run([W, *argv], capture_output=True, text=True)
    return p.returncode, p.stdout, p.stderr
def plain(text):
    return text.replace("--job " + " ".join(files), "train").replace("train/rank0.sqlite and 3 more files", "train")
def parsed(text):
    def rest(d): # without the note on the files
        if isinstance(d, dict):
            return {k: rest(v) for k, v in d.items()}
        return [rest(v) for v in d if not (isinstance(v, str) and v.startswith("4 files are one job ("))] if isinstance(d, list) else d
    return rest(json.loads(plain(text)))
n_noted = 0
for v in verbs:
    verb, own = v["name"], asks.get(v["name"], [])
    whole, given = run(verb, *own, "train", "-f", "json"), run(verb, *own, *files, "-f", "json")
    assert whole[0] == given[0], (verb, whole, given)
    if whole[0] == 0:
        assert parsed(whole[1]) == parsed(given[1]), (verb, whole[1][:2000], given[1][:2000])
        n_noted += "4 files are one job (their collectives coincide); --separate splits it" in given[1]
assert n_noted > 25, n_noted
# What is more than a table.
for argv in (["coach", "TRACES", "-f", "json"], ["ask", "TRACES", "is there a straggler"], ["agent", "analyze", "TRACES", "-f", "json"],
             ["sql", "TRACES", "SELECT rank, caused FROM ranks"], ["timeline", "TRACES", "--snapshot", "100x30"],
             ["stats", "-r", "cuda_gpu_kern_sum,nvtx_sum", "TRACES", "-f", "csv"],
             ["skill", "run", "nccl_anomaly", "TRACES", "-f", "json"]):
    def answer(operands):
        text = plain(run(*(x for a in argv for x in (operands if a == "TRACES" else [a])))[1])
        if "json" in argv:
            return parsed(text)
        if argv[0] == "timeline": # the name of the trace decides what else its first line has room for
            text = text.partition("\n")[2]
        text = re.sub(r"note: 4 files are one job[^\n]*\n( [^\n]*\n)*", "", text)
        text = re.sub(r"train/rank0\.sqlite( train/rank[1-3]\.sqlite)*|\btrain\b", "JOB", text)
        return re.sub(r"JOB[ ─]*|[\s·]+", " ", text) # names differ in length: so do lines
    a, b = answer(["train"]), answer(files)
    assert a and a == b, (argv, a[:1500], b[:1500])
# Evidence can be pasted, and gives the rows that the directory gives.
for row in json.loads(run("findings", *files, "-f", "json")[1])["rows"]:
    words = shlex.split(row["evidence"] or "")
    if "--job" not in words:
        continue
    at = words.index("--job")
    one, two = run(*words[1:], "-f", "json"), run(*words[1:at], "train", *words[at + 1 + len(files):], "-f", "json")
    assert one[0] == two[0] == 0 and json.loads(one[1])["rows"] == json.loads(two[1])["rows"], row["evidence"]
END
expect 0 "$WARPLENS" export train/rank*.sqlite -o files.jsonl
expect 0 "$WARPLENS" export train -o whole.jsonl
same files.jsonl whole.jsonl 'export of files'
expect 0 "$WARPLENS" report train/rank*.sqlite -o reported
expect 0 "$WARPLENS" report train -o whole
for table in ranks kernels; do
	same reported/tables/$table.csv whole/tables/$table.csv "report of files: $table"
done
# Each file for itself, and what only a table of several traces has.
expect 0 "$WARPLENS" ranks train/rank*.sqlite --separate -f csv
[[ $(head -n 1 out) == trace,* ]] || fail "$ran: no column trace"
expect 0 "$WARPLENS" kernels train/rank*.sqlite -f csv --columns trace,name
prints 'rank3.sqlite,'
expect 0 "$WARPLENS" summary train/rank*.sqlite --separate -f csv
prints 'rank3.sqlite,'
# What is said of it: in a note of a table, or on standard error.
job='note: 4 files are one job (their collectives coincide)'
for verb in summary "" info coach; do
	expect 0 "$WARPLENS" ${verb:+"$verb"} train/rank*.sqlite
	prints "$job"
done
expect 0 "$WARPLENS" export train/rank*.sqlite -o noted.jsonl
says "$job"
expect 0 "$WARPLENS" viewer train/rank*.sqlite -o noted.html
says "$job"
expect 0 "$WARPLENS" viewer -q train/rank*.sqlite -o noted.html
omits 'one job'
expect 0 "$WARPLENS" --separate train/rank*.sqlite -f csv
prints 'rank3.sqlite,'
expect 0 "$WARPLENS" kernels train/rank0.sqlite moe/rank0.sqlite -f csv
[[ $(head -n 1 out) == trace,* ]] || fail "$ran: traces that are no job are not side by side"
omits 'one job'
expect 2 "$WARPLENS" kernels --job --separate train/rank*.sqlite
says '--separate and --job: give one of the two'
expect 2 "$WARPLENS" report train/rank0.sqlite moe/rank0.sqlite -o none
says 'their collectives differ; --job opens them as one job'

# --- so are facts of its ranks -------------------------------------------------------------------
expect 0 "$WARPLENS" facts train/rank*.sqlite -o kept
expect 0 "$WARPLENS" facts moe/rank*.sqlite -o kept.moe
of_job() { # argument: what it is called; the rows of the last answer
	python3 -c 'import json; print(json.load(open("out"))["rows"])' | sed "s#$1#JOB#g"
}
for verb in ranks nccl overlap findings; do
	expect 0 "$WARPLENS" $verb kept -f json
	of_job kept >a
	for job in "" --job; do
		expect 0 "$WARPLENS" $verb $job kept/rank*.wlfacts -f json
		of_job 'kept/rank0.wlfacts and 3 more files' >b
		same a b "$verb of facts in a directory and given as files $job"
	done
done
expect 0 "$WARPLENS" ranks train -f csv --columns rank,lateness
cp out a
expect 0 "$WARPLENS" ranks kept/rank*.wlfacts -f csv --columns rank,lateness
same a out 'lateness of ranks by traces and by facts given as files'
for verb in ranks summary "" info; do
	expect 0 "$WARPLENS" ${verb:+"$verb"} kept/rank*.wlfacts -f json
	prints "4 files are one job (their collectives coincide)"
done
expect 0 "$WARPLENS" sql kept/rank*.wlfacts 'SELECT rank, caused FROM ranks' -f csv
cp out b
says '4 files are one job'
expect 0 "$WARPLENS" sql kept 'SELECT rank, caused FROM ranks' -f csv
same out b 'sql of facts in a directory and given as files'
expect 0 "$WARPLENS" path kept --traces train -f csv
cp out a
expect 0 "$WARPLENS" path kept/rank*.wlfacts --traces train -f csv
same a out 'the path of a job by its facts in a directory and given as files'
expect 0 "$WARPLENS" ranks kept/rank*.wlfacts --separate -f csv
[[ $(head -n 1 out) == trace,* ]] || fail "$ran: no column trace"
# What is no job is side by side: of another job, a copy, and facts beside a trace.
cp kept/rank0.wlfacts copy.wlfacts
for other in kept.moe/rank1.wlfacts copy.wlfacts train/rank1.sqlite; do
	expect 0 "$WARPLENS" ranks kept/rank0.wlfacts $other -f csv
	[[ $(head -n 1 out) == trace,* ]] || fail "$ran: no column trace"
	omits 'one job'
done
expect 2 "$WARPLENS" report kept/rank0.wlfacts kept.moe/rank1.wlfacts -o none
says 'these files do not prove to be one job'
expect 2 "$WARPLENS" report kept/rank0.wlfacts copy.wlfacts -o none
says 'two of them are copies of one trace'
for mix in 'kept/rank0.wlfacts train/rank1.sqlite' 'train/rank1.sqlite kept/rank0.wlfacts'; do
	expect 2 "$WARPLENS" findings --job $mix
	says 'give the facts of all ranks, or the traces of all'
done
# A file is called as it was given, or where it is.
head -c -100 kept/rank2.wlfacts >cut.wlfacts
expect 3 "$WARPLENS" ranks --job kept/rank0.wlfacts cut.wlfacts
says "$PWD/cut.wlfacts"
# Ranks of two jobs, which say so.
expect 0 "$WARPLENS" facts train/rank0.sqlite -o named --key job=one
expect 0 "$WARPLENS" facts train/rank1.sqlite -o named --key job=one
expect 0 "$WARPLENS" facts train/rank2.sqlite -o named --key job=two
expect 0 "$WARPLENS" ranks named/rank[01].wlfacts
prints '2 files are one job (one)'
expect 2 "$WARPLENS" report named/rank[02].wlfacts -o none
says 'their job ids differ'

# --- indexes of files ------------------------------------------------------------------------
expect 0 "$WARPLENS" index train/rank0.sqlite train/rank2.sqlite
"$WARPLENS" findings train -f json >a
"$WARPLENS" findings train --no-index -f json >b
same a b 'findings with indexes of two files and without'

# --- what is refused -------------------------------------------------------------------------
expect 2 "$WARPLENS" train/rank0.sqlite moe/rank0.sqlite
says 'these files do not prove to be one job: no job id is recorded, and their collectives differ'
says '--job opens them as one job, "warplens summary FILES" puts them side by side'
expect 0 "$WARPLENS" --job train/rank0.sqlite moe/rank0.sqlite
# Two runs on the same GPUs have the same collectives, and here the same clock, but a process is recorded once.
for run in 0 4; do
	python3 "$gen" -o run$run.sqlite --ranks 2 --layers 2 --iters $((6 + run)) --seed $run >/dev/null
done
expect 2 "$WARPLENS" run0.sqlite run4.sqlite
says 'two of them have the same process on the same GPU'
expect 0 "$WARPLENS" timeline run0.sqlite run4.sqlite --snapshot 100x30
prints 'run0.sqlite  2 GPU'
expect 0 "$WARPLENS" viewer train/rank*.sqlite -o both.html
name_job() { # FILE ID
	python3 - "$@" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'SLURM_JOB_ID=\"%s\"')" % sys.argv[2])
db.commit()
END
}
mkdir mixed
cp moe/rank*.sqlite mixed
for i in 0 1 2; do name_job mixed/rank$i.sqlite 11; done
name_job mixed/rank3.sqlite 12
expect 2 "$WARPLENS" kernels mixed
says 'these files are of 2 jobs: SLURM_JOB_ID 11 (rank0.sqlite, rank1.sqlite and 1 more); SLURM_JOB_ID 12 (rank3.sqlite)'
expect 2 "$WARPLENS" mixed/*.sqlite
says 'give the files of one with --job, or a directory of them; "warplens summary FILES" puts them side by side'
expect 0 "$WARPLENS" mixed/rank[012].sqlite
expect 0 "$WARPLENS" info --section processes -f csv --job mixed/rank0.sqlite ./mixed/rank0.sqlite
[[ $(wc -l <out) == 2 ]] || fail "$ran: a file that is given twice counts twice"
expect 3 "$WARPLENS" --job mixed/rank0.sqlite mixed/no_such.sqlite
says 'no file "mixed/no_such.sqlite"'
mkdir empty
expect 2 "$WARPLENS" empty
says 'the directory has no .sqlite, .nsys-rep or .qdrep files'
printf 'not a database' >mixed/other.sqlite
rm mixed/rank3.sqlite
expect 3 "$WARPLENS" kernels mixed
says 'other.sqlite'
silent

finish
