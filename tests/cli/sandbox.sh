#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sandbox.sh - the sandbox from outside: what the kernel says of a running process, which files it may
# open, and that answers are the same without it. unit.sandbox tries what must fail.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
cp "$(fixture tiny)" "$work/t.sqlite"
cd "$work"
expect 0 "$WARPLENS" kernels t.sqlite --stats
if grep -q '^stats: sandbox  *none$' err; then
	echo "SKIP: sandbox: this build or kernel has none"
	exit 77
fi
cp out confined
WARPLENS_SANDBOX=off expect 0 "$WARPLENS" kernels t.sqlite --stats
says 'sandbox                           off'
same out confined 'the answer without a sandbox'

# The table that users read is the table of the program.
python3 - "$root" <<'END' || fail 'SECURITY.md has another table than src/cli/rights.def'
import re, sys
rights = {}
for line in open(sys.argv[1] + "/src/cli/rights.def"):
    m = re.match(r'WL_RIGHTS\((\w+),\s*"([a-z-]*)",\s*(\d),\s*(\d),\s*(\d),\s*(\d)\)', line)
    if m:
        rights[" ".join(m.groups()[:2]).strip()] = m.groups()[2:]
said = {}
for line in open(sys.argv[1] + "/SECURITY.md"):
    cells = [c.strip() for c in line.strip().strip("|").split("|")]
    if len(cells) == 5 and set(cells[1:]) <= {"yes", "-"} and "`" in cells[0]:
        for name in re.findall(r"`([a-z -]+)`", cells[0]):
            said[name] = tuple("1" if c == "yes" else "0" for c in cells[1:])
assert rights == said and rights, (rights, said)
END

# Tests that SECURITY.md names exist; unit tests by their files, because not all builds have them. Those of a release are in
# its build only: lint.docs looks for their files.
{
	ctest --test-dir "$WARPLENS_BUILD" -N | sed -n 's/.*: \([a-z]*\.[a-z_]*\)$/\1/p'
	find "$root/tests/unit" -name 'test_*.c' | sed 's|.*/test_\(.*\)\.c|unit.\1|'
} | sort -u >known
sed -n '/^## Tests that hold this/,/^## What/p' "$root/SECURITY.md" | grep -oE '`[a-z]+\.[a-z_]+`' | tr -d '`' |
	grep -v '^release\.' | sort -u >named
[[ -s named && -z $(comm -13 known named) ]] || fail "SECURITY.md names tests that are not there: $(comm -13 known named)"

# states PID: what the kernel has of it
states() { grep -E '^(NoNewPrivs|Seccomp):' "/proc/$1/status" | tr -d ' \t' | paste -sd' '; }
# A process that waits for the reader of its output has read its trace.
mkfifo pipe
for args in "kernels t.sqlite" "summary t.sqlite" "diff t.sqlite t.sqlite" "export t.sqlite -f chrome"; do
	# shellcheck disable=SC2086
	"$WARPLENS" $args -o pipe >out 2>err </dev/null &
	pid=$!
	for _ in {1..100}; do
		[[ $(states $pid) == 'NoNewPrivs:1 Seccomp:2' ]] && break
		sleep 0.05
	done
	[[ $(states $pid) == 'NoNewPrivs:1 Seccomp:2' ]] || fail "$args: $(states $pid)"
	n_checks=$((n_checks + 1))
	kill $pid
	wait $pid || true
done

# Servers and commands that start programs are confined as well: mcp waits for a question, fleet for its database.
for args in "mcp" "mcp --http 0" "mcp --page http://127.0.0.1:9/t/0123456789abcdef0123456789abcdef/"; do
	# shellcheck disable=SC2086
	"$WARPLENS" $args <pipe >out 2>err &
	pid=$!
	exec 4>pipe
	for _ in {1..100}; do
		[[ $(states $pid) == 'NoNewPrivs:1 Seccomp:2' ]] && break
		sleep 0.05
	done
	[[ $(states $pid) == 'NoNewPrivs:1 Seccomp:2' ]] || fail "$args: $(states $pid): $(<err)"
	n_checks=$((n_checks + 1))
	exec 4>&-
	kill $pid 2>/dev/null || true
	wait $pid || true
done

# What plan starts can neither connect nor listen; without the sandbox it can.
cat >nsys <<'END'
#!/usr/bin/env python3
import os, socket
def tried(what):
    try:
        what(socket.socket())
        return "done"
    except ConnectionRefusedError:
        return "done"
    except OSError as e:
        return type(e).__name__
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tried"), "w") as f:
    print(tried(lambda s: s.connect(("127.0.0.1", 9))), tried(lambda s: s.listen()), file=f)
print("NVIDIA Nsight Systems version 2025.5.1.121-255136380782v0")
END
chmod +x nsys
expect 0 "$WARPLENS" plan --nsys "$PWD/nsys" -- true
[[ $(<tried) == 'PermissionError PermissionError' ]] || fail "plan: nsys tried: $(<tried)"
WARPLENS_SANDBOX=off expect 0 "$WARPLENS" plan --nsys "$PWD/nsys" -- true
[[ $(<tried) == 'done done' ]] || fail "plan without a sandbox: nsys tried: $(<tried)"

# Reports: the sandbox begins when the last one is exported.
cat >export <<'END'
#!/bin/sh
[ "$1" != --version ] || { echo "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0"; exit 0; }
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done
cp "$(dirname "$0")/t.sqlite" "$out"
END
chmod +x export
for name in a b; do
	printf 'NVIDIA Tegra Profiler Report 2023@4@4@54-234433681190v0.\n\013Local (CLI)' >$name.nsys-rep
done
for args in "kernels a.nsys-rep" "kernels a.nsys-rep b.nsys-rep" "diff a.nsys-rep b.nsys-rep" "diff t.sqlite a.nsys-rep" \
	"kernels a.nsys-rep t.sqlite" "ranks --job a.nsys-rep b.nsys-rep"; do
	# shellcheck disable=SC2086
	expect 0 "$WARPLENS" $args --nsys "$PWD/export" --stats
	says seccomp
done

# So it does for reports that an option names; a value of any other option is no report, whatever it spells.
for args in "categories --in a.nsys-rep,vllm,llama," "categories --in a.nsys-rep,vllm,llama, b.nsys-rep,vllm,llama," \
	"categories --in t.sqlite,vllm,repeat," "coach t.sqlite --expect prepare" "coach t.sqlite --expect a.nsys-rep,b"; do
	# shellcheck disable=SC2086
	expect 0 "$WARPLENS" $args --nsys "$PWD/export" --stats
	says seccomp
done

# Everything that the command line names works inside: links, folders that are made, an index, a page.
mkdir elsewhere && mv t.sqlite elsewhere && ln -s elsewhere/t.sqlite t.sqlite
expect 0 "$WARPLENS" kernels t.sqlite
expect 0 "$WARPLENS" report t.sqlite -o made/for/it
[[ -s made/for/it/report.md ]] || fail 'no output in a folder that was made'
expect 0 "$WARPLENS" index elsewhere/t.sqlite
expect 0 "$WARPLENS" kernels elsewhere/t.sqlite --stats
says 'reader                          index'
expect 0 "$WARPLENS" schema t.sqlite --html page.html
[[ -s page.html ]] || fail 'no page'
expect 0 "$WARPLENS" kernels /dev/fd/3 3<elsewhere/t.sqlite
# Traces that path opens beside facts, above their folder, and where an option says.
"$root/tests/support/gen_trace.py" -o job --split --ranks 2 --layers 1 --iters 3 >/dev/null
expect 0 "$WARPLENS" facts job -o job/facts
expect 0 "$WARPLENS" facts merge job/facts -o job/all.wlfacts
expect 0 "$WARPLENS" path job/facts
expect 0 "$WARPLENS" path job/all.wlfacts
mkdir far && mv job/facts job/all.wlfacts far
expect 2 "$WARPLENS" path far/facts
says 'not beside the facts; --traces DIR says where it is'
expect 0 "$WARPLENS" path far/all.wlfacts --traces job
expect 2 "$WARPLENS" path far/facts --traces far
says 'which is not there'
# Files that are named by the trace are written next to it, from any working directory, and nothing else is opened for that.
mkdir -p beside deep/below && cp elsewhere/t.sqlite beside/named.sqlite
cd deep/below
mkdir tmp && export TMPDIR=$PWD/tmp # /tmp is open to all commands
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum -f csv -o . "$work/beside/named.sqlite"
[[ -s $work/beside/named_cuda_gpu_kern_sum.csv ]] || fail 'no report next to the trace'
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum,cuda_api_sum -f csv,column -o .,- ../../beside/named.sqlite
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum,cuda_api_sum -f csv -o ../up,. ../../beside/named.sqlite
[[ -s ../up_cuda_gpu_kern_sum.csv && -s $work/beside/named_cuda_api_sum.csv ]] || fail 'no reports by a list'
expect 0 "$WARPLENS" stats -r cuda_gpu_kern_sum -o . "$work/t.sqlite"
[[ -s $work/t_cuda_gpu_kern_sum.csv ]] || fail 'no report next to the link that was given'
unset TMPDIR
cd "$work"
finish
