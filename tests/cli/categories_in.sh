#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# categories_in.sh - categories of several traces: --in as users of gputrc2graph write it and the
# plain form, the files that are written, what is refused, hostile names, and reports through nsys.
#
#   WARPLENS_CORPUS, WARPLENS_NSYS_DIR  as for nsys_rep.sh; without them the real nsys is not tried
#
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
for name in tiny two_ranks streams host graphs no_gpu; do cp "$(fixture $name)" "$work/$name.sqlite"; done
cd "$work"

# --- the rows of each trace are those that it has alone, with its own arguments ---------------
values=(tiny.sqlite,vllm,llama,0.002 two_ranks.sqlite,sglang,default,0 streams.sqlite,generic,,1.5
	host.sqlite,vllm,ds,80ms graphs.sqlite,generic,default,0.00001)
ask() { # VALUE: the same, in the plain form
	IFS=, read -r file engine model elapsed <<<"$1"
	"$WARPLENS" categories "$file" --engine "$engine" ${model:+--model "$model"} --elapsed "$elapsed" -f json 2>/dev/null
}
for value in "${values[@]}"; do ask "$value" >"only.${value%%.*}"; done
equal() { # what was printed last is what the traces have alone
	python3 - out only.tiny only.two_ranks only.streams only.host only.graphs <<'END' || fail "$ran: other rows than alone"
import json, sys
both, *each = (json.load(open(f)) for f in sys.argv[1:])
keys = [c["key"] for c in both["columns"]][1:]
want = [{"trace": f[5:] + ".sqlite", **{k: r.get(k) for k in keys}} for f, d in zip(sys.argv[2:], each) for r in d["rows"]]
assert both["rows"] == want, (both["rows"], want)
END
}
expect 0 "$WARPLENS" categories --in "${values[@]}" -f json
equal
expect 0 "$WARPLENS" categories -f json --in_file "${values[0]}" --in "${values[1]}" "${values[2]}" --in="${values[3]}" "${values[4]}"
equal
expect 0 "$WARPLENS" --in "${values[0]}" categories "${values[@]:1}" -f json
equal
expect 0 "$WARPLENS" categories --in tiny.sqlite,vllm,llama,0.002 -f csv
[[ $(head -n 1 out) == device,* ]] || fail "one trace has a column for its name"

# --- without a directory and a format: in the current one, as gputrc2graph does -------------------
mkdir here
cd here
expect 0 "$WARPLENS" categories --infile ../tiny.sqlite,vllm,llama,0 --title 'My runs'
prints 'wrote ./result.csv'
[[ $(head -n 1 "$work/out") == 'My runs' ]] || fail 'no title above the table'
[[ $(ls) == $'categories.csv\nresult.csv\nresult.html' ]] || fail "wrote $(ls)"
cd ..

# --- each kernel with its category: what SQL says, and nothing is left out --------------------------
expect 0 "$WARPLENS" categories --in "${values[3]}" "${values[1]}" --out-dir kernels
python3 - kernels/result.csv <<'END' || fail 'not one row per kernel and device with its sum'
import collections, csv, sqlite3, sys
have, want = collections.Counter(), collections.Counter()
for r in csv.DictReader(open(sys.argv[1])):
    if r["category"] != "(non-GPU)" and not r["kernel"].startswith("[CUDA"):
        have[r["trace"], r["kernel"], "n"] += int(r["instances"])
        have[r["trace"], r["kernel"], "ns"] += int(r["sum"])
for trace in "host.sqlite", "two_ranks.sqlite":
    for name, n, ns in sqlite3.connect(trace).execute("""select s.value, count(*), sum("end" - start) from CUPTI_ACTIVITY_KIND_KERNEL k
            join StringIds s on s.id = k.demangledName group by 1"""):
        want[trace, name, "n"], want[trace, name, "ns"] = n, ns
assert have == want and have, (have, want)
END

# --- result.csv and result.html -----------------------------------------------------------------
two=(tiny.sqlite,vllm,llama,0 two_ranks.sqlite,vllm,gpt-oss,2)
expect 0 "$WARPLENS" categories --in "${two[@]}" -f csv
cp out want.csv
expect 0 "$WARPLENS" categories --in "${two[@]}" -f csv --by kernel
cp out want.kernels
expect 0 "$WARPLENS" categories --in "${two[@]}" -f html --title '<i>runs</i>'
cp out want.html
for how in "--out_dir results" "--out-dir=results" "-o results" "-o results/"; do
	rm -rf results
	# The words of $how are two on purpose.
	# shellcheck disable=SC2086
	expect 0 "$WARPLENS" categories --in_file "${two[@]}" $how --title '<i>runs</i>'
	prints 'wrote results/'
	same results/categories.csv want.csv "$how: categories.csv"
	same results/result.csv want.kernels "$how: result.csv"
	same results/result.html want.html "$how: result.html"
	[[ $(ls results) == $'categories.csv\nresult.csv\nresult.html' ]] || fail "$how: wrote $(ls results)"
done
! grep -q '<i>' results/result.html || fail 'the title is taken for markup'
grep -q '&lt;i&gt;runs' results/result.html || fail 'no title'
python3 - results <<'END' || fail 'not one stacked bar per trace, with the categories of the table'
import csv, re, sys
page = open(sys.argv[1] + "/result.html", encoding="utf-8").read()
figure = page[page.index("<figure>"):page.index("</figure>")]
# Two pictures, of which a switch hides one: the second is without what a GPU had no part in.
_, figure, without = figure.split('<svg role="img"')
assert "class=\"rest\"> without (non-GPU)" in page and "(non-GPU)</title>" not in without and "(non-GPU): " not in without
assert "gemm: " in without and "2 s</text>" not in without, "the second picture has the axis of the first"
rows = list(csv.DictReader(open(sys.argv[1] + "/categories.csv", encoding="utf-8")))
want = {(r["trace"], r["category"]) for r in rows} | {(r["trace"], "(non-GPU)") for r in rows if int(r["cpu"] or 0)}
parts = [(n.split(",")[0], c) for n, c in re.findall(r"<rect[^>]*><title>([^<]*), ([^<,]*): [^<:]*</title>", figure)]
assert len(parts) == len(want) and set(parts) == want, (parts, want)
assert re.findall(r">([^<]*\.sqlite[^<]*)</text>", figure) == ["tiny.sqlite, vllm, llama", "two_ranks.sqlite, vllm, gpt-oss"]
assert page.index("</figure>") < page.index("<table>"), "the table is not under the bars"
assert "%</text>" not in figure, "a share of all runs"
assert "2 s</text>" in figure, "no time on the largest part"
# Kernels of a category add up to its bar.
have, want = {}, {(r["trace"], r["device"], r["category"]): int(r["elapsed"]) for r in rows}
want.update({(r["trace"], r["device"], "(non-GPU)"): int(r["cpu"]) for r in rows if r["cpu"]})
for r in csv.DictReader(open(sys.argv[1] + "/result.csv", encoding="utf-8")):
    key = r["trace"], r["device"], r["category"]
    have[key] = have.get(key, 0) + int(r["elapsed"])
assert have == want, (have, want)
END
echo mine >results/other
expect 0 "$WARPLENS" categories tiny.sqlite two_ranks.sqlite --engine vllm --elapsed 2 --out_dir results
[[ $(cat results/other) == mine ]] || fail 'another file of the directory is gone'
expect 0 "$WARPLENS" categories --in "${two[@]}" -o one.csv
silent
same one.csv want.csv 'a file whose ending is a format'
expect 0 "$WARPLENS" categories --in "${two[@]}" -f csv -o plain
same plain want.csv 'a file of a given format'
expect 0 "$WARPLENS" categories tiny.sqlite two_ranks.sqlite -o plain2
[[ -f plain2 ]] || fail 'the plain form does not write a file'

# --- what is refused, before a trace is read ----------------------------------------------------
wrong() { # TEXT ARGS... - exit status 2, one line with the text
	local text=$1
	shift
	expect 2 "$WARPLENS" categories "$@"
	silent
	says "$text"
}
example='give FILE,ENGINE,MODEL,ELAPSED: a trace with its own arguments, such as run.nsys-rep,vllm,llama,120'
wrong "--in tiny.sqlite: $example" --in tiny.sqlite
wrong "--in two.sqlite,vllm,m: $example" --in no_such.sqlite,vllm,m,1 two.sqlite,vllm,m
wrong "--in no_such,foo,llama,1: categories: no rules for the engine 'foo': give --rules FILE or --engines DIR (else ~/.config/warplens/engines), or put engine_foo.json beside the trace; built in are generic, nvfuser, sglang, tensorrt-llm, transformer-engine, vllm, xla" \
	--in tiny.sqlite,vllm,llama,1 no_such,foo,llama,1
wrong "--elapsed: 'soon' is not a duration (write 120 or 12.5 for seconds, or 80ms)" --in tiny.sqlite,vllm,llama,soon
wrong 'must not be negative' --in tiny.sqlite,vllm,llama,-1
echo '{"mine": {"m": {"gemm": "g"}}}' >rules.json
wrong "no rules for the model 'n' of mine; it has m" --in tiny.sqlite,mine,n,1 --rules rules.json
expect 0 "$WARPLENS" categories --in tiny.sqlite,mine,m,1 --rules rules.json -f csv
# --- rules that lie ready: an engine of their own, a model of an engine that is built in -----------
mkdir -p config/warplens/engines more
echo '{"mine": {"m": {"gemm": "g", ".": "rest"}}}' >config/warplens/engines/b.json
echo '{"vllm": {"own": {"gemm": "my_gemm"}}}' >config/warplens/engines/a.json
echo 'no JSON' >config/warplens/engines/readme.txt
export XDG_CONFIG_HOME=$work/config
expect 0 "$WARPLENS" categories tiny.sqlite --engine mine -f csv
[[ $(cut -d, -f2 out | sort -u | tr '\n' ' ') == 'category g rest ' ]] || fail "$ran: $(cat out)"
expect 0 "$WARPLENS" categories tiny.sqlite --engine vllm --model own -f csv
grep -q ',my_gemm,' out || fail "$ran: no rules of the model"
expect 0 "$WARPLENS" categories tiny.sqlite --engine vllm --model llama -f csv
! grep -q ',my_gemm,' out || fail "$ran: rules of another model"
expect 0 "$WARPLENS" categories tiny.sqlite -f csv
! grep -q ',my_gemm,' out || fail "$ran: rules of another engine"
expect 2 "$WARPLENS" categories tiny.sqlite --engine mine --engines more
expect 3 "$WARPLENS" categories tiny.sqlite --engines no_such_directory
echo '{' >more/broken.json
expect 2 "$WARPLENS" categories tiny.sqlite --engines more
says 'more/broken.json'
unset XDG_CONFIG_HOME
# --- rules beside the trace, also of an engine that is built in, and what is wrong with them ----------
mkdir elsewhere
cp tiny.sqlite elsewhere/a,b.sqlite
echo '{"vllm": {"own": {"gemm": "my_gemm"}}}' >elsewhere/engine_vllm.json
echo '{"other": {"m": {"gemm": "g"}}}' >elsewhere/engine_DEF.json
echo 'no JSON' >elsewhere/sglang.json
mkdir elsewhere/valid
cp elsewhere/engine_*.json elsewhere/valid
for how in "--in elsewhere/a,b.sqlite,vllm,own,0 -f table" "elsewhere/a,b.sqlite --engine vllm --model own"; do
	# shellcheck disable=SC2086
	expect 0 "$WARPLENS" categories $how
	prints my_gemm
	prints 'note: rules for vllm in files come first'
done
expect 0 "$WARPLENS" kernels elsewhere/a,b.sqlite --engine vllm --model own -f csv
grep -q ',my_gemm,' out || fail "$ran: no rules of the model"
expect 0 "$WARPLENS" categories --in elsewhere/a,b.sqlite,vllm,,0 -f table
prints 'has rules in files for other models: own, llama'
expect 0 "$WARPLENS" categories --in elsewhere/a,b.sqlite,vllm,bert,0 -f csv
says 'no rules of its own for the model bert'
says 'it has own, llama, gpt-oss, deepseek'
expect 0 "$WARPLENS" categories --in elsewhere/a,b.sqlite,sglang,default,0 -f csv
wrong "elsewhere/engine_DEF.json has no engine 'DEF'; its first member is 'other'" --in elsewhere/a,b.sqlite,DEF,m,0
wrong 'nvfuser, sglang, tensorrt-llm, transformer-engine, vllm, xla; the files have other, vllm' tiny.sqlite --engine two --engines elsewhere/valid
wrong '--model: each trace of --in has its own; leave it out' --in tiny.sqlite,vllm,llama,1 --model llama
wrong 'categories: give traces either as tiny.sqlite or with --in, not both' tiny.sqlite --in host.sqlite,vllm,m,1
wrong 'tiny.sqlite is given twice' --in tiny.sqlite,vllm,m,1 tiny.sqlite,sglang,m,1
wrong 'leave -o and -f out' --in tiny.sqlite,vllm,m,1 --out_dir results -f csv
wrong 'leave -o and -f out' --in tiny.sqlite,vllm,m,1 --out_dir results -o x
wrong '--in needs a value' tiny.sqlite --in
many=()
for i in {1..65}; do many+=("t$i,vllm,m,1"); done
wrong '--in: given more than 64 times' --in "${many[@]}"
mkdir full && cp tiny.sqlite full/result.csv
wrong 'full/result.csv: this is the trace itself' --in full/result.csv,vllm,m,1 -o full
same full/result.csv tiny.sqlite 'the trace after that'
expect 2 "$WARPLENS" kernels --in tiny.sqlite,vllm,m,1
says 'kernels has no --in ('
expect 3 "$WARPLENS" categories --in tiny.sqlite,vllm,m,1 no_such.sqlite,vllm,m,1 --out_dir never
says 'cannot read no_such.sqlite'
[[ ! -e never ]] || fail 'a directory of nothing'
expect 6 "$WARPLENS" categories --in tiny.sqlite,vllm,m,1 --out_dir one.csv/such/directory
says 'cannot make the directory one.csv/such/directory'
expect 0 "$WARPLENS" categories --in tiny.sqlite,vllm,m,1 --out_dir no/such/directory
[[ -s no/such/directory/result.html ]] || fail 'parents of the directory are not made'
expect 6 "$WARPLENS" categories --in tiny.sqlite,vllm,m,1 --out_dir one.csv
expect 0 "$WARPLENS" categories --in no_gpu.sqlite,vllm,m,1 tiny.sqlite,vllm,m,1
rm result.csv result.html categories.csv
prints 'note: no_gpu.sqlite: CUDA calls were recorded'
expect 5 "$WARPLENS" categories --in no_gpu.sqlite,vllm,m,1 --out_dir never
[[ ! -e never ]] || fail 'a directory of nothing'

# --- names: all before the last three commas is the file -----------------------------------------
hostile=$'a,b,\xff\e[31m,"<script>alert(1)</script>'
hostile=${hostile//\//_}
for name in 'a,b,,c.sqlite' ',' '-x,y' 'a=b,vllm,llama,1' "$hostile"; do
	cp tiny.sqlite "./$name"
	expect 0 "$WARPLENS" categories --in two_ranks.sqlite,vllm,llama,1 "./$name,vllm,llama,1" --out_dir names
	[[ $(wc -l <names/categories.csv) == 12 ]] || fail "$name: $(wc -l <names/categories.csv) lines"
	! LC_ALL=C grep -q $'[\e\xff]' names/categories.csv names/result.csv names/result.html out err || fail "$name: bytes of the name get through"
	! grep -q '<script>alert' names/result.html || fail "$name: markup of the name gets through"
done
expect 0 "$WARPLENS" categories --in=-x,y,vllm,llama,1 -f csv

# --- reports ----------------------------------------------------------------------------------------
for report in r s; do
	printf 'NVIDIA Tegra Profiler Report 2023@4@4@54-234433681190v0.\n\013Local (CLI)' >$report.nsys-rep
done
cat >nsys <<END
#!/bin/sh
[ "\$1" != --version ] || { echo "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0"; exit 0; }
while [ \$# -gt 1 ]; do [ "\$1" != -o ] || out=\$2; shift; done
case \$1 in *s.nsys-rep) cp "$work/two_ranks.sqlite" "\$out" ;; *) cp "$work/tiny.sqlite" "\$out" ;; esac
END
chmod +x nsys
sed -e 's/^tiny\.sqlite/r.nsys-rep/' -e 's/^two_ranks\.sqlite/s.nsys-rep/' want.csv >want.rep
for nsys in --nsys_cmd --nsys-cmd --nsys; do
	expect 0 "$WARPLENS" categories --in_file r.nsys-rep,vllm,llama,0 s.nsys-rep,vllm,gpt-oss,2 --out_dir rep $nsys ./nsys
	same rep/categories.csv want.rep "$nsys: two reports"
done
[[ -z $(ls -A "$TMPDIR") ]] || fail "an export stays in TMPDIR: $(ls -A "$TMPDIR")"
expect 3 "$WARPLENS" categories --in r.nsys-rep,vllm,llama,0 --nsys_cmd ./no_such_nsys --out_dir never
[[ ! -e never ]] || fail 'a directory of nothing'

# --- the real nsys, where it is -----------------------------------------------------------------------
corpus=${WARPLENS_CORPUS:-$here/../../shared/corpus}
nsys=${WARPLENS_NSYS_DIR:-$here/../build/nsys}/usr/lib/x86_64-linux-gnu/nsight-systems/target-linux-x64/nsys
real=()
for f in "$corpus"/*/*.nsys-rep.zst; do
	case $f in *damaged* | *newer*) continue ;; esac
	[[ -r $f && -x $nsys ]] && command -v zstd >/dev/null || continue
	name=$(basename "$(dirname "$f")")-$(basename "$f" .zst)
	zstd -qdc "$f" >"$name"
	real+=("$name,vllm,llama,0")
done
if ((${#real[@]})); then
	try "$WARPLENS" categories --in_file "${real[@]}" --out_dir real --nsys_cmd "$nsys"
	case $status in
	0) [[ -s real/result.csv && -s real/result.html ]] || fail "$ran: no results" ;;
	5) says 'nothing that ran on a GPU' ;;
	*) fail "$ran: exit status $status" ;;
	esac
fi
finish
