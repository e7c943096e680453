#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hostile_commands.sh - names of a trace and names of files steer no terminal and no CI log, by any command.
#
# Every registered command runs on a trace whose names hold escape sequences, newlines with forged
# lines, bidirectional marks and workflow commands, and again on a file whose name does. cli.hostile
# holds the verbs and the formats.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
export XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config XDG_CACHE_HOME=$work/cache HOME=$work
python3 -B "$here/support/hostile.py" make h.sqlite
python3 -B "$here/support/hostile.py" steps k.sqlite
# The blanks before commands are those that .NET trims, with which GitHub's runner reads a line.
blanks=$'\u00a0\u1680\u2003\u202f\u205f\u3000'
evil=$blanks$'::error::a\033[31m\n'$blanks$'$ curl_evil\n\u0085::error::b\u2028::error::c##[x]##vso[y]\xff\u202e\u2066'
mkdir "$evil.d" m
bad="$evil.d/$evil"

declare -A seen
command() { # NAME ARGS... - status 0 to 6, and harmless
	seen[$1]=1
	try "$WARPLENS" "$@"
	((status <= 6)) || fail "${ran@Q}: exit status $status"
	printf '%s' "${ran@Q}" >"m/$n_checks.ran"
	mv out "m/$n_checks.out"
	mv err "m/$n_checks.err"
	: >out >err
}
answers() { # the same with status 0
	command "$@"
	((status == 0)) || fail "${ran@Q}: exit status $status, not 0"
}

cp k.sqlite "$bad.sqlite"
for file in h.sqlite "$bad.sqlite"; do
	# plan, with each launcher
	for line in "" "torchrun -- torchrun --nproc-per-node 2" "mpirun -- mpirun -n 2" "slurm -- srun -n 2" \
		"container -- docker run image"; do
		# shellcheck disable=SC2086 # words
		if [[ $line ]]; then
			answers plan --for ncu --trace "$file" --nsys-version 2023.4 --launcher $line ./a.out "$evil"
		else
			answers plan --for ncu --trace "$file" --nsys-version 2023.4 -- ./a.out "$evil"
		fi
	done
	answers plan --nsys-version "$evil" -- ./a.out
	answers plan --nsys-version $'\n$ curl evil\n' -- ./a.out
	answers coach "$file"
	answers coach "$file" -- ./a.out "$evil"
	command ask "$file" "top 5 kernels"
	command ask "$file" "compare two runs"
	command ask "$file" "top 5 kernels" --plan
	command ask "$file" "$evil"
	answers agent analyze "$file"
	answers index "$file"
	answers facts "$file" -o "$bad.wlfacts"
	command facts merge "$bad.wlfacts" "$bad.wlfacts" -o "$bad.m.wlfacts"
	command info "$bad.wlfacts"
	command stats "$file" -o "$bad"
	command stats "$file" -r nvtx_sum,cuda_gpu_kern_sum
	command diff "$file" h.sqlite
	command baseline tag "b" "$file"
	command baseline tag "$evil" "$file"
	command baseline show b
	command baseline list
	command baseline remove b
	command skill list
	command skill run gpu_idle_gaps "$file"
	command sql "$file" "SELECT value FROM StringIds LIMIT 30" -f table
	command sql "$file" "SELECT no_such FROM \"$evil\""
	command export "$file" -f perfetto -o "$bad.pf"
	command export "$file" -f collapsed -o "$bad.txt"
	command viewer "$file" -o "$bad.html"
	answers report "$file" -o "$bad.report"
	command timeline "$file" --snapshot 100x30 --script q
	command tui "$file" --snapshot 100x30 --script q
	command ncu "$file"
	command mcp "$file"
done
for launcher in plain torchrun mpirun slurm container kubernetes; do
	command plan --launcher $launcher -- "$evil" "$evil" "$evil" "$evil"
	command capture --dry-run --launcher $launcher --dir "$bad" -- "$evil" "$evil" "$evil" "$evil"
done
command capture --dry-run -- ./a.out "$evil"
command capture --dir "$bad" -- "./$evil"
command fleet push "$bad.wlfacts" --server "http://127.0.0.1:1/$evil"
command fleet push "$bad.none" --server http://127.0.0.1:1
command fleet history --server "$evil"
command fleet "$evil"
command fleet facts "$bad.wlfacts"
command fleet scatter "$evil.d"
command runs list --dir "$evil.d"
command runs show "$evil" --dir "$evil.d"
command runs remove "$evil" --dir "$evil.d"
command runs compare "$evil" "$evil" --dir "$evil.d"
command skill show "$evil"
command skill add "$bad.sqlite"
command explain "$evil"
command help "$evil"
command completion "$evil"
command version
command agent-guide
command demo "$evil"
command index "$bad.none"
command facts "$bad.none"
command ncu "$bad.none"
command serve "$bad.none"
command mcp "$bad.none"
while read -r name; do
	[[ ${seen[$name]:-} ]] || fail "the command $name has no row in this test"
done < <("$WARPLENS" --introspect | python3 -c '
import json, sys
for v in json.load(sys.stdin)["verbs"]:
    if v["kind"] == "command": print(v["name"])')
# Nothing of any output acts, and no line is forged.
python3 -B - m <<'PY' || fail "hostile names and files"
import os, re, sys
acts = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
bad = 0
for name in sorted(os.listdir(sys.argv[1])):
    with open(os.path.join(sys.argv[1], name), "rb") as f:
        text = f.read().decode("utf-8", "replace")
    for what, found in (("acts", acts.search(text)), ("a forged line", re.search(r"(?m)^[^\S\n]*\$ ?curl.*", text)),
                        ("a command to a log", re.search(r"(?mi)^[^\S\n]*::[a-z].*|##(vso)?\[.*", text))):
        if found and not name.endswith(".ran"):
            with open(os.path.join(sys.argv[1], name.split(".")[0] + ".ran")) as f:
                print("%s: %s: %r by %s" % (name, what, found.group()[:160], f.read()))
            bad = 1
sys.exit(bad)
PY
finish
