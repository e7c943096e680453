#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# stats.sh - --stats tells on stderr, and only there, what an answer took, in lines of numbers.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cp "$(fixture tiny)" "$work/t.sqlite"
cd "$work"

stats() { # ARGS... - the answer is the same as without; the lines are complete and in order
	expect 0 "$WARPLENS" "$@"
	cp out want
	expect 0 "$WARPLENS" "$@" --stats
	same out want "warplens $* --stats"
	grep '^stats: ' err >lines || fail "$ran: no lines"
	python3 -B - <<'END' || fail "$ran: $(cat lines)"
import re
number, seconds = r" +(\d+)", r" +(\d+\.\d{6}) s"
shapes = [r"reader +[a-z]+", "rows loaded" + number] + \
    [part + seconds + " CPU" + seconds + " wall" for part in ("open", "load", "compute")] + \
    ["print" + seconds + " CPU", "anonymous after load" + number + " kB",
     "anonymous after compute" + number + " kB", r"resident at most \(VmHWM\)" + number + " kB",
     r"sandbox +(?:landlock \d+, seccomp|landlock \d+|seccomp|none)"]
lines = open("lines").read().splitlines()
assert len(lines) == len(shapes), lines
for line, shape in zip(lines, shapes):
    found = re.fullmatch("stats: " + shape, line)
    assert found, (line, shape)
    values = [float(value) for value in found.groups()]
    if "wall" in line:
        assert values[1] > 0 and values[0] < 60, line
    if "kB" in line:
        assert 100 < values[0] < 1e9, line
rows = int(lines[1].split()[-1])
assert 1 <= rows <= 1000, rows
assert len({line.index("CPU") for line in lines if "CPU" in line}) == 1, "not aligned"
END
}
stats kernels t.sqlite
stats t.sqlite
stats kernels t.sqlite -f csv
stats info t.sqlite -f json
stats kernels t.sqlite -o kernels.txt
stats api t.sqlite --where 'calls > 1000000'

# Rows are those that were loaded: an analysis of few tables loads fewer.
expect 0 "$WARPLENS" kernels t.sqlite --stats
few=$(awk '/rows loaded/ { print $NF }' err)
expect 0 "$WARPLENS" search . t.sqlite --stats
many=$(awk '/rows loaded/ { print $NF }' err)
[[ $few -lt $many ]] || fail "kernels loaded $few rows, search $many"

# Without an answer there is nothing to tell but why.
expect 3 "$WARPLENS" kernels none.sqlite --stats
expect 2 "$WARPLENS" kernels t.sqlite --sort nme --stats
expect 2 "$WARPLENS" kernels t.sqlite --stats=all
finish
