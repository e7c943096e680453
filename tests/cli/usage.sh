#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# usage.sh - the command line as people type it: help that helps, at 80 columns; slips that are
# understood; verbs, options and operands in any order.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
trace=$(fixture tiny)
cp "$trace" "$work/t.sqlite"
cd "$work"

# --- help ----------------------------------------------------------------------------------
try "$WARPLENS"
[[ $status == 2 ]] || fail "no arguments: exit status $status"
silent
says "usage: warplens TRACE"
says "newest first:"
says "  warplens t.sqlite"
narrow err
[[ $(wc -l <err) -le 8 ]] || fail "no arguments: more than usage and three traces"
expect 0 "$WARPLENS" help
quiet
narrow out
[[ $(wc -l <out) -le 24 ]] || fail "help: more than a screen"
cp out overview
for words in --help -h; do
	expect 0 "$WARPLENS" $words
	quiet
	same out overview "warplens $words"
done
expect 0 "$WARPLENS" help --all
cp out all
expect 0 "$WARPLENS" help all
same out all "warplens help --all"
narrow out
expect 0 "$WARPLENS" help options
quiet
narrow out
prints "--window SPEC"
# The verbs by name, so that this list is the one thing to extend.
for verb in $(verbs | cut -d' ' -f1) help; do
	grep -qwe "$verb" all || [[ $verb == iters || $verb == threads ]] || fail "help all does not name $verb"
	expect 0 "$WARPLENS" help $verb --long
	quiet
	narrow out
	prints "usage: warplens $verb "
	prints "Examples:"
	expect 0 "$WARPLENS" help $verb
	quiet
	narrow out
	[[ $(wc -l <out) -le 40 ]] || fail "help $verb: more than 40 lines"
	cp out help.$verb
	expect 0 "$WARPLENS" $verb --help
	same out help.$verb "warplens $verb --help"
done
mkdir none
cd none
expect 0 "$WARPLENS" ls
prints "no trace here yet"
cd ..
expect 0 "$WARPLENS" ls
quiet
prints "  warplens t.sqlite"
expect 0 "$WARPLENS" help kernels columns
quiet
narrow out
prints "Median duration, nearest rank."
cp out columns
expect 0 "$WARPLENS" help kernels --columns
same out columns "warplens help kernels --columns"
expect 2 "$WARPLENS" help sql columns
says "sql has no columns"
# Verbs with numbers that other tools have as well lead to where these are compared.
for verb in idle stats sql; do
	expect 0 "$WARPLENS" help $verb
	prints 'warplens explain why-numbers-differ'
done
for words in "kernels -h" "-h kernels" "--help kernels" "kernels --help t.sqlite"; do
	read -ra argv <<<"$words"
	expect 0 "$WARPLENS" "${argv[@]}"
	same out help.kernels "warplens $words"
done
while read -r verb _; do
	[[ -e help.$verb ]] || fail "the verb $verb is not in this script's list"
done < <(verbs)
expect 0 "$WARPLENS" --version
quiet
grep -qxE 'warplens [0-9]+\.[0-9]+\.[0-9]+' out || fail "--version says $(cat out)"
cp out version
for words in -V version; do
	expect 0 "$WARPLENS" $words
	same out version "warplens $words"
done

# --- colours: pipes are plain unless asked for otherwise ---------------------------------------
escape=$'\e['
unset NO_COLOR CLICOLOR_FORCE
expect 0 "$WARPLENS" t.sqlite
omits "$escape"
expect 0 "$WARPLENS" t.sqlite --color always
prints "$escape"
CLICOLOR_FORCE=1 expect 0 "$WARPLENS" t.sqlite
prints "$escape"
CLICOLOR_FORCE=0 expect 0 "$WARPLENS" t.sqlite
omits "$escape"
NO_COLOR=1 CLICOLOR_FORCE=1 expect 0 "$WARPLENS" t.sqlite
omits "$escape"
CLICOLOR_FORCE=1 expect 0 "$WARPLENS" t.sqlite --color=never
omits "$escape"
NO_COLOR=1 expect 0 "$WARPLENS" t.sqlite --color=always
prints "$escape"
expect 0 "$WARPLENS" kernels t.sqlite --color always -f csv
omits "$escape"
expect 0 "$WARPLENS" --introspect
quiet

# --- slips ---------------------------------------------------------------------------------
wrong() { # TEXT ARGS... - exit status 2, one line with the text
	local text=$1
	shift
	expect 2 "$WARPLENS" "$@"
	silent
	says "$text"
}
wrong 'no verb or file "kernls"; did you mean kernels?' kernls t.sqlite
wrong 'did you mean transfers?' trasnfers t.sqlite
wrong 'did you mean summary?' sumary t.sqlite
wrong 'did you mean kernels?' kern t.sqlite
wrong 'did you mean gpukernsum?' gpukernsm t.sqlite
wrong 'did you mean kernels?' KERNELS t.sqlite
wrong '"warplens help" lists the verbs' xyzzy t.sqlite
wrong 'no verb "kernl"; did you mean kernels?' help kernl
wrong '"warplens help all" lists them' help xyzzy
wrong 'help takes one verb' help kernels api
wrong 'unknown option --fromat; did you mean --format?' kernels --fromat json t.sqlite
wrong 'unknown option --fromat; did you mean --format?' --fromat json t.sqlite
wrong 'did you mean --window?' kernels --widnow=all t.sqlite
wrong 'did you mean --name?' kernels t.sqlite --nmae short
wrong '"warplens help kernels" lists them' kernels t.sqlite --xyzzy
wrong 'api has no --name (kernels and search have it)' api t.sqlite --name base
wrong 'summary has no --name (kernels and search have it)' t.sqlite --name=base
wrong 'unknown option -x; "warplens help kernels" lists them' kernels -x t.sqlite
wrong 'unknown option --xyzzy; "warplens help options" lists them' --xyzzy
wrong 'kernels has no --top: -n N shows N rows' kernels --top 5 t.sqlite
wrong 'idle has no --device: --gpu LIST selects GPUs' idle t.sqlite --device 0
wrong 'overlap has no --csv: -f csv prints CSV' overlap --csv t.sqlite
wrong '"-": a trace must be a file, not a pipe' -
wrong '"-": a trace must be a file, not a pipe' kernels -
wrong 'chat needs a language model: warplens ask TRACE --llm URL' chat t.sqlite
wrong 'did you mean ops?' tops t.sqlite
wrong '-n needs a value' kernels t.sqlite -n
wrong '--gpu needs a value' kernels t.sqlite --gpu
wrong '--help takes no value' kernels --help=x
wrong '-h takes no value' -hx
wrong 'kernels: no trace given; usage: warplens kernels TRACE' kernels
wrong 'search: no trace given; usage: warplens search PATTERN TRACE' search
wrong 'search: no trace given' search t.sqlite
wrong 'the verb comes first: warplens kernels t.sqlite' t.sqlite kernels
wrong 'use table, csv' kernels t.sqlite -f yaml
wrong '--format csv,table: one format at a time; warplens stats takes a list' kernels --format csv,table t.sqlite
wrong '--format yaml: stats takes table (column), csv' stats --format csv,yaml -r cuda_gpu_kern_sum,cuda_api_sum t.sqlite
wrong 'recipes go by their own names: warplens nvtx_gpu_proj_sum TRACE' recipe nvtx_gpu_proj_sum t.sqlite
wrong '"warplens stats --help-reports" lists them' recipe t.sqlite
wrong "--report summary: no such report here; the summary of the trace: warplens 'two words.sqlite'" \
	stats -r summary 'two words.sqlite'
wrong 'warplens runs no commands; leave -o out, and put "| grep x" behind the line' stats -o '@grep x' t.sqlite
wrong '--timeunit msec: times in csv are always in ns' stats -r cuda_gpu_kern_sum --timeunit msec -f csv t.sqlite
wrong '--timeunit us: times in json are always in ns' kernels --timeunit us -f json t.sqlite
wrong 'stats has no --filter-time: --window A..B' stats --filter-time=1/2 t.sqlite
wrong 'stats has no --sqlite: give the database' stats --sqlite t.sqlite
wrong 'stats has no --help-formats: "warplens help stats"' stats --help-formats
mkdir nsys # as it is where someone unpacked it
wrong 'leave nsys out: warplens stats -r cuda_gpu_kern_sum t.sqlite' nsys stats -r cuda_gpu_kern_sum t.sqlite
wrong 'leave nsys out: warplens profile' nsys profile -o x python3 train.py
wrong 'the program is nsys itself; leave it out: warplens capture -o x python3 train.py' capture nsys profile -o x python3 train.py
wrong 'leave it out: warplens capture --dry-run -o x python3 train.py' plan -- nsys profile -o x python3 train.py
wrong 'unknown option -r: analyze is findings here' analyze -r cuda_api_sync t.sqlite
wrong '-n many: not a number of rows (0 shows all)' kernels t.sqlite -n many
wrong '-n -1: not a number of rows (0 shows all)' kernels t.sqlite -n -1
wrong '-n 99999999999999999999: not a number of rows (0 shows all)' kernels t.sqlite -n 99999999999999999999
for n in 0 -1 65 1.5 many '' 99999999999999999999; do
	wrong "-j $n: give a number of threads, 1 to 64" kernels t.sqlite -j "$n"
done
wrong 'give a number of threads' kernels no_such_file.sqlite --threads=0
wrong '-j needs a value' kernels t.sqlite -j
wrong 'not a time unit' kernels t.sqlite --timeunit h
wrong '--color red: use auto, always or never' kernels t.sqlite --color red
wrong 'no trace given; usage: warplens [VERB] [OPTIONS] TRACE' -f json
wrong "no column 'nme'; columns: name," kernels t.sqlite --where 'nme = x'
wrong "no column 'nme'; columns: name," kernels t.sqlite --sort nme
wrong "no column 'nme'; columns: name," kernels t.sqlite --columns nme
wrong "no column ''" kernels t.sqlite --columns ''
wrong "no column ''" kernels t.sqlite --sort ''
wrong 'use device, name, pid, stream, grid, category or block' kernels t.sqlite --by colour
wrong 'is not a size' transfers t.sqlite --small big
wrong 'malformed regular expression' search '(' t.sqlite
wrong 'kernels has no sections' kernels t.sqlite --section gpus
wrong 'info has about, files, gpus,' info t.sqlite --section xyzzy
wrong 'need --section NAME' info t.sqlite --sort name
wrong 'this is the trace itself' kernels t.sqlite -o t.sqlite
ln t.sqlite hard.sqlite
ln -s t.sqlite soft.sqlite
wrong 'this is the trace itself' kernels t.sqlite -o hard.sqlite
wrong 'this is the trace itself' kernels soft.sqlite --output=./t.sqlite
same t.sqlite "$trace" 'the trace after that'
# The first thing that is wrong is said before the trace is even looked at.
wrong "no column 'x'" kernels no_such_file.sqlite --sort x
mkdir empty
wrong 'the directory has no .sqlite, .nsys-rep or .qdrep files' empty
wrong 'the directory has no .sqlite, .nsys-rep or .qdrep files' kernels ./empty

# --- any order -----------------------------------------------------------------------------
expect 0 "$WARPLENS" kernels t.sqlite -n 5 --by name
quiet
cp out want
orders=('kernels t.sqlite -n5 --by=name' 'kernels -n=5 --by name t.sqlite' '-n 5 kernels t.sqlite --by name'
	'--by name -n 5 kernels t.sqlite' '--limit=5 --by=name kernels t.sqlite' 'kernels --by name --limit 5 -- t.sqlite'
	'-n5 --by name -- kernels t.sqlite' '--limit 3 --by grid kernels t.sqlite --limit 5 --by name')
for words in "${orders[@]}"; do
	read -ra argv <<<"$words"
	expect 0 "$WARPLENS" "${argv[@]}"
	same out want "warplens $words"
done
expect 0 "$WARPLENS" search gemm t.sqlite --in kernels
cp out want
for words in 'search --in kernels gemm t.sqlite' '--in=kernels search gemm t.sqlite' 'search gemm --in kernels t.sqlite'; do
	read -ra argv <<<"$words"
	expect 0 "$WARPLENS" "${argv[@]}"
	same out want "warplens $words"
done
expect 0 "$WARPLENS" summary t.sqlite
cp out want
cp t.sqlite plain
# Only the path in the first line and in the last, which suggests commands, differs.
without_path() { sed '1d; $d' out; }
COLUMNS=400 expect 0 "$WARPLENS" t.sqlite
without_path >want.rest
for words in t.sqlite ./t.sqlite "$PWD/t.sqlite" '-- t.sqlite' 'plain'; do
	read -ra argv <<<"$words"
	COLUMNS=400 expect 0 "$WARPLENS" "${argv[@]}"
	without_path >rest
	same rest want.rest "warplens $words"
done

# --- names that look like options ------------------------------------------------------------
cp t.sqlite -- -t.sqlite
cp t.sqlite -- --help
wrong 'unknown option -t' kernels -t.sqlite
for words in 'kernels -- -t.sqlite' '-- -t.sqlite' '-- kernels -t.sqlite' 'kernels ./-t.sqlite' 'kernels -- --help'; do
	read -ra argv <<<"$words"
	expect 0 "$WARPLENS" "${argv[@]}"
	prints "GPU"
	omits usage
done
expect 0 "$WARPLENS" search -- -x t.sqlite
expect 0 "$WARPLENS" kernels t.sqlite --sort -sum
expect 0 "$WARPLENS" kernels t.sqlite --sort=-sum

# --- aliases ---------------------------------------------------------------------------------
aliases=0
while read -r verb alias pattern option; do
	[[ $pattern != - ]] || pattern=
	eval "options=($option)"
	# shellcheck disable=SC2154,SC2086 # options is set by eval; there may be no pattern
	good=0
	[[ ! $verb =~ ^(mfu|metrics|memory|io|mpi|graphs|stacks)$ && ! $option =~ managed ]] || good=5 # nothing of it was recorded or given
	marker='--marker step'
	[[ ! $verb =~ ^(info|schema)$ ]] || marker= # they take none
	expect $good "$WARPLENS" "$verb" "${options[@]}" $pattern t.sqlite -f json $marker
	cp out want
	expect $good "$WARPLENS" "$alias" $pattern t.sqlite -f json $marker
	same out want "the alias $alias"
	expect 0 "$WARPLENS" help "$verb"
	cp out want
	expect 0 "$WARPLENS" help "$alias"
	prints "$alias"
	# What it stands for, and the verb as it is.
	tail -n "$(wc -l <want)" out >rest
	[[ $(wc -l <out) -gt $(wc -l <want) ]] || same out want "help of the name $alias"
	[[ $option ]] || same rest want "help of the alias $alias"
	[[ ! $option ]] || prints "$alias is warplens"
	aliases=$((aliases + 1))
done < <("$WARPLENS" --introspect | python3 -c '
import json, sys
for v in json.load(sys.stdin)["verbs"]:
    for a in v["aliases"] if v["kind"] in ("analysis", "document") else []:
        print(v["name"], a["name"], "-" if v["operands"].startswith("TRACE") else ".", a["option"] or "")')
[[ $aliases -ge 11 ]] || fail "only $aliases aliases"
for alias in cuda_gpu_kern_sum cuda_gpu_mem_time_sum cuda_gpu_mem_size_sum cuda_api_sum gpukernsum gpumemtimesum \
	gpumemsizesum cudaapisum top top_kernels memory_transfers schema_inspect nccl_breakdown \
	osrt_sum osrtsum thread_utilization; do
	expect 0 "$WARPLENS" $alias t.sqlite
done

# --- where the result goes -------------------------------------------------------------------
for format in csv tsv json jsonl md html; do
	expect 0 "$WARPLENS" kernels t.sqlite -f $format
	cp out want
	expect 0 "$WARPLENS" kernels t.sqlite -o x.$format
	silent
	same x.$format want "-o x.$format"
	expect 0 "$WARPLENS" kernels t.sqlite -f $format -o other.txt
	same other.txt want "-f $format -o other.txt"
done
expect 0 "$WARPLENS" kernels t.sqlite
cp out want
expect 0 "$WARPLENS" kernels t.sqlite -o no_ending
same no_ending want '-o no_ending'
# --- options that a command would ignore are refused, whichever it is -----------------------------------------
for words in 'explain straggler' version 'completion bash' agent-guide help 'index t.sqlite'; do
	for option in '--gpu 0' '--where a>1' '-f json' '--window 1s..2s'; do
		# shellcheck disable=SC2086 # words
		expect 2 "$WARPLENS" $words $option
		silent
		says 'does not apply'
	done
done
[[ ! -e t.sqlite.wlidx ]] || fail 'a refused index was written'
# Of skill, by what it is to do: before the words and behind them.
for words in list 'show gaps' 'add mine.md' 'remove mine' 'test nccl_anomaly'; do
	for option in '--gpu 5' '--window iter:2' '--trim 1 2' '--section x' '--threads 2' '-p a=1' '--timeout 1'; do
		# shellcheck disable=SC2086 # words
		expect 2 "$WARPLENS" skill $words $option
		silent
		says "skill ${words%% *}"
		says 'does not apply'
		# shellcheck disable=SC2086
		expect 2 "$WARPLENS" skill $option $words
	done
	[[ $words == list ]] && continue
	# shellcheck disable=SC2086
	expect 2 "$WARPLENS" skill -n 1 $words
	says '--limit does not apply'
done
expect 2 "$WARPLENS" skill test nccl_anomaly t.sqlite -p threshold=2
says 'skill test: --param does not apply'
expect 0 "$WARPLENS" skill list -n 1 -f csv
[[ $(wc -l <out) == 2 ]] || fail 'skill list -n 1: not one row'
expect 0 "$WARPLENS" skill run top_kernels t.sqlite --gpu 0 --window ..1s -n 1

# --- of every verb and every option of all verbs: what --introspect leaves out is refused, and what selects changes the
# answer of every verb that takes it ---------------------------------------------------------------------------
python3 -B "$WARPLENS_SOURCE/tests/support/gen_trace.py" -o two.sqlite --ranks 2 --layers 2 --iters 4 --seed 1 >/dev/null
python3 -B - two.sqlite <<'END' || fail 'options that a verb ignores, or refuses without saying so'
import json, os, subprocess, sys

def run(*words):
    done = subprocess.run([os.environ["WARPLENS"], *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr

def rows(text):  # without the frame, which names the selection
    found = json.loads(text)
    return [part.get("rows") for part in found["sections"]] if "sections" in found else found["rows"]

faults, n_refused, n_changed = [], 0, 0
about = json.loads(run("--introspect")[1])
options = [o for o in about["options"] if o["group"] != "other"]
assert len(options) > 25
for verb in about["verbs"]:
    own = {o["long"] for o in verb["options"]}
    for o in options if verb["common"] else []:
        value = ["1"] * len((o["arg"] or "").split())
        if o["long"] in verb["without"] and o["long"] not in own and verb["name"] not in ("plan", "capture"):
            status, out, err = run(verb["name"], "--" + o["long"], *value)
            n_refused += 1
            if status != 2 or out or f"{verb['name']}: --{o['long']} does not apply" not in err:
                faults.append((verb["name"], o["long"], status, err))
    if verb["kind"] == "command":
        continue
    asked = [verb["name"], *(["."] if verb["name"] == "search" else []), sys.argv[1], "-f", "json"]
    status, whole, _ = run(*asked)
    for o in ["--gpu=1", "--pid=70016", "--window=20ms..21ms"] if status == 0 else []:
        if o[2:].split("=")[0] in verb["without"]:
            continue
        status, part, err = run(*asked, o)
        n_changed += 1
        if status == 0 and rows(part) == rows(whole):
            faults.append((verb["name"], o, "is ignored"))
        if status not in (0, 5):
            faults.append((verb["name"], o, status, err))
for verb, refused in ("info", {"gpu", "window", "trim", "pid", "rank", "stream", "marker", "conventions"}), \
        ("schema", {"gpu", "window", "trim", "pid", "rank", "stream", "marker", "conventions", "verbose", "timeunit"}), \
        ("kernels", {"verbose"}), ("whatif", {"verbose", "gpu", "pid", "rank", "stream"}):
    found = next(v["without"] for v in about["verbs"] if v["name"] == verb)
    if set(found) != refused:
        faults.append((verb, found))
for fault in faults:
    print(*fault, file=sys.stderr)
assert n_refused > 250 and n_changed > 60, (n_refused, n_changed)
sys.exit(bool(faults))
END

# --- a time without a unit is refused for every option of a verb that takes one --------------------------------
expect 2 "$WARPLENS" gaps t.sqlite --min 1
says "--min 1: '1' has no unit; write 1s or 1ms"
expect 2 "$WARPLENS" tree t.sqlite --min 5
expect 2 "$WARPLENS" export t.sqlite -o t.pftrace --min-dur 5
expect 0 "$WARPLENS" gaps t.sqlite --min 0
expect 0 "$WARPLENS" gaps t.sqlite --min 1us

# --- -q: nothing beside the rows; errors stay ---------------------------------------------------------------------
expect 0 "$WARPLENS" kernels t.sqlite -f csv
[[ -s err ]] || fail "$ran: no frame"
cp out rows
for words in -q --quiet; do
	expect 0 "$WARPLENS" kernels t.sqlite -f csv $words
	quiet
	same out rows "$ran"
done
expect 0 "$WARPLENS" summary t.sqlite -f csv -q
quiet
expect 3 "$WARPLENS" kernels missing.sqlite -q
says missing.sqlite

# --- -o makes no directory, and guesses no format ----------------------------------------------------------------
expect 6 "$WARPLENS" kernels t.sqlite -o new/k.csv
says 'new/k.csv: its directory does not exist'
expect 6 "$WARPLENS" report t.sqlite -o new/page.html
expect 6 "$WARPLENS" index t.sqlite --index-dir new
says 'its directory does not exist'
[[ ! -e new ]] || fail 'a directory was made'
expect 2 "$WARPLENS" kernels t.sqlite -o k.xyz
says 'no format has the ending .xyz; give -f FORMAT, or one of .txt .csv .tsv .json .jsonl .md .html'
[[ ! -e k.xyz ]] || fail 'a file was made'
expect 0 "$WARPLENS" kernels t.sqlite -f csv -o k.xyz
expect 0 "$WARPLENS" kernels t.sqlite -o no_ending
expect 0 "$WARPLENS" report t.sqlite -o new/report/
[[ -f new/report/report.html ]] || fail "$ran: no directory"

finish
