#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench.sh - the benchmark itself, on traces so small that its figures mean nothing: every command that it
# starts works, every promise is judged, and the tables reach a document.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_BUILD:?the build directory}"
bench=$here/../bench/run

cat >"$work/page.md" <<'END'
before
<!-- bench: begin -->
old figures
<!-- bench: end -->
after
END
# Some three hundred processes: no time limit but that of the test.
ran=bench/run
BENCH_RANKS_PART=32 "$bench" --build "$WARPLENS_BUILD" --dir "$work/bench" --sizes '0.001 0.01' --runs 1 --into "$work/page.md" \
	>"$work/out" 2>"$work/err" || fail "$ran: exit status $?"
says 'round 1 of 1, 0.01 million kernels'
for line in 'bare SQLite: columns of everything' 'load for nvtx: reader sqlite, -j 2' 'load everything: -j 2' \
	'kernels, cold' 'nvtx-kernels' 'Promises at 0.001 million kernels' 'Promises between the sizes'; do
	prints "$line"
done
judged=$(grep -cE '(not )?reached$|not measured' "$work/out")
[[ $judged == 36 ]] || fail "$judged promises are judged, not 36"
grep -q 'old figures' "$work/page.md" && fail "the document keeps its old figures"
[[ $(head -n 1 "$work/page.md") == before && $(tail -n 1 "$work/page.md") == after ]] ||
	fail "bench/run changes the document around the marks"

# The last run again, in the other format, without measuring.
cp "$work/page.md" "$work/page.old"
expect 0 "$bench" --dir "$work/bench" --last --markdown --into "$work/page.md"
quiet
same "$work/page.old" "$work/page.md" "--last"
prints '| bare SQLite: columns of kernels |'
finish
