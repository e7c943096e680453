#!/bin/sh
# SPDX-License-Identifier: MIT
# nsys_rep.sh - .nsys-rep input from the outside: the real nsys on real reports, and scripts
# that play a missing, hanging or failing one.
#
#   WARPLENS           the program (required)
#   WARPLENS_CORPUS    directory of the test traces
#   WARPLENS_NSYS_DIR  where the real nsys is, or is unpacked to by tools/get_nsys.sh
#
# Exit status: 0 passed, 1 failed, 77 when the real parts could not be had and the rest passed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
: "${WARPLENS:?path of the program}"
corpus=${WARPLENS_CORPUS:-$root/../shared/corpus}
nsys_dir=${WARPLENS_NSYS_DIR:-$root/build/nsys}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$work/tmp" "$work/in" "$work/bin" "$work/empty"
export TMPDIR="$work/tmp"
bad=0 n=0 skipped=''

fail() {
	echo "FAIL: $*"
	sed 's/^/      stderr: /' "$work/err"
	bad=1
}

# expect STATUS [TEXT] -- COMMAND...: exit status, text in the one line on stderr of a failure,
# and nothing left in TMPDIR.
expect() {
	want=$1 text=
	shift
	[ "$1" = -- ] || { text=$1; shift; }
	shift
	n=$((n + 1)) got=0
	"$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
	check "$*"
}

check() {
	[ "$got" = "$want" ] || fail "$1: exit status $got, not $want"
	[ -z "$text" ] || grep -qF -- "$text" "$work/err" || fail "$1: no \"$text\" on stderr"
	[ "$want" = 0 ] || [ "$(wc -l <"$work/err")" = 1 ] || fail "$1: not one line on stderr"
	check_tmp "$1"
}

check_tmp() {
	left=$(ls -A "$TMPDIR")
	[ -n "$left" ] || return 0
	fail "$1: left $left in TMPDIR"
	rm -rf "${TMPDIR:?}"/*
}

# fake NAME: a script that plays nsys; its body, from stdin, sees the paths in $out and $in.
fake() {
	{
		cat <<'END'
#!/bin/sh
if [ "$1" = --version ]; then
	echo "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0"; exit 0
fi
while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done; in=$1
END
		cat
	} >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# is_running PID: zombies, which wait for an init that may never reap, are dead.
is_running() {
	grep -q '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status" 2>/dev/null
}

# A report by its header: enough for everything that does not reach the real nsys.
x=$work/in/x.nsys-rep
printf 'NVIDIA Tegra Profiler Report 2023@4@4@54-234433681190v0.\n\013Local (CLI)' >"$x"

# --- no nsys -----------------------------------------------------------------------------
command="nsys export --type sqlite -o $work/in/x.sqlite $x"
expect 3 "$command" -- env PATH="$work/empty" "$WARPLENS" info "$x"
expect 3 "nsys is not on PATH" -- env PATH="$work/empty" "$WARPLENS" info "$x"
expect 3 "$command" -- "$WARPLENS" info "$x" --nsys "$work/empty/nsys"
expect 3 "Permission denied" -- "$WARPLENS" info "$x" --nsys "$work/empty"

# --- an nsys that fails ------------------------------------------------------------------
fake refuse <<'END'
printf 'Exportation error: Cannot \033[31mread from stream.\n' >&2; exit 1
END
expect 3 "Cannot �[31mread from stream" -- "$WARPLENS" info "$x" --nsys "$work/bin/refuse"
fake silent <<'END'
exit 0
END
expect 3 "wrote no SQLite file" -- "$WARPLENS" info "$x" --nsys "$work/bin/silent"
fake full <<'END'
: >"$out"; echo '[QuadDCommon::tag_message*] = database or disk is full' >&2
END
expect 6 "no room in" -- "$WARPLENS" info "$x" --nsys "$work/bin/full"
fake garbage <<'END'
{ printf 'SQLite format 3\000'; head -c 5000 /dev/zero; } >"$out"
END
expect 3 -- "$WARPLENS" info "$x" --nsys "$work/bin/garbage"

# --- the reports of a job ------------------------------------------------------------------
mkdir "$work/job"
python3 "$root/tests/support/gen_trace.py" -o "$work/job" --split --ranks 3 --layers 1 --iters 2 >/dev/null
for i in 0 2; do
	mv "$work/job/rank$i.sqlite" "$work/job/rank$i.db"
	cp "$x" "$work/job/rank$i.nsys-rep"
done
fake works <<'END'
cp "${in%.nsys-rep}.db" "$out"
END
files() { # WHAT - one row for each of the three, two of which were exported, by their own names
	[ "$(sed 's/,.*//' "$work/out" | tr '\n' ' ')" = 'file rank0.sqlite rank1.sqlite rank2.sqlite ' ] || fail "$1: other files"
}
expect 0 -- "$WARPLENS" info "$work/job" --section files -f csv --columns file --nsys "$work/bin/works"
files 'a directory of reports'
expect 0 -- "$WARPLENS" info --job "$work/job/rank2.nsys-rep" "$work/job/rank0.nsys-rep" "$work/job/rank1.sqlite" \
	--section files -f csv --columns file --nsys "$work/bin/works"
files '--job with reports'
[ "$(find "$work/job" -name '*.sqlite' | wc -l)" = 1 ] || fail 'something was written beside the reports'
# A report whose export lies beside it is not exported again.
cp "$work/job/rank0.db" "$work/job/rank0.sqlite"
cp "$work/job/rank2.db" "$work/job/rank2.sqlite"
expect 0 -- "$WARPLENS" kernels "$work/job" --nsys "$work/bin/refuse"
rm "$work/job/rank2.sqlite"
expect 3 "Cannot �[31mread from stream" -- "$WARPLENS" kernels "$work/job" --nsys "$work/bin/refuse"
expect 2 "give one report, not a job" -- "$WARPLENS" kernels "$work/job" --nsys "$work/bin/works" --keep-export k.sqlite

# --- an nsys that hangs ------------------------------------------------------------------
fake hang <<END
sleep 1000 & echo \$! >"$work/sleeper"; echo partial >"\$out"; mv "$work/sleeper" "$work/hanging"
wait
END
expect 6 "--nsys-timeout" -- "$WARPLENS" info "$x" --nsys "$work/bin/hang" --nsys-timeout 3s
! is_running "$(cat "$work/hanging")" || fail "a child of nsys outlived the time limit"

# A background job of a shell starts with SIGINT ignored; env undoes that.
interrupt() { # SIGNAL STATUS
	rm -f "$work/hanging"
	n=$((n + 1)) want=$2 got=0
	env --default-signal=INT,TERM,QUIT "$WARPLENS" info "$x" --nsys "$work/bin/hang" \
		>"$work/out" 2>"$work/err" </dev/null &
	pid=$!
	tries=0
	while [ ! -e "$work/hanging" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
	[ -n "$(ls -A "$TMPDIR")" ] || fail "$1: TMPDIR is not used"
	kill -"$1" $pid || :
	wait $pid || got=$?
	[ "$got" = "$want" ] || fail "SIG$1: exit status $got, not $want"
	check_tmp "SIG$1"
	! is_running "$(cat "$work/hanging")" || fail "SIG$1: a child of nsys is still there"
}
interrupt INT 130
interrupt TERM 143
interrupt QUIT 131
# The end of the program is the end of nsys, but not of what nsys started.
cat >"$work/bin/alone" <<END
#!/bin/sh
echo \$\$ >$work/hanging.new && mv $work/hanging.new $work/hanging
exec sleep 60
END
chmod +x "$work/bin/alone"
rm -f "$work/hanging"
"$WARPLENS" info "$x" --nsys "$work/bin/alone" >"$work/out" 2>"$work/err" </dev/null &
pid=$!
tries=0
while [ ! -e "$work/hanging" ] && [ $tries -lt 200 ]; do sleep 0.05; tries=$((tries + 1)); done
kill -KILL $pid
wait $pid 2>/dev/null || :
tries=0
while is_running "$(cat "$work/hanging")" && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
! is_running "$(cat "$work/hanging")" || fail "SIGKILL: nsys is still there"
rm -rf "$TMPDIR"/warplens-*

# --- the name counts as well -------------------------------------------------------------
cp "$x" "$work/in/trace.sqlite"
rm -f "$work/hanging"
expect 3 "report by its content and not by its name" -- "$WARPLENS" info "$work/in/trace.sqlite" --nsys "$work/bin/alone"
expect 3 "report by its content and not by its name" -- "$WARPLENS" info --job "$work/in/trace.sqlite" "$x" \
	--nsys "$work/bin/alone"
[ ! -e "$work/hanging" ] || fail "trace.sqlite started nsys"

# --- what is no report -------------------------------------------------------------------
: >"$work/in/empty.nsys-rep"
expect 3 "is empty" -- "$WARPLENS" info "$work/in/empty.nsys-rep"
printf 'NVR\000\005\000\000\000' >"$work/in/x.ncu-rep"
expect 3 "Nsight Compute" -- "$WARPLENS" info "$work/in/x.ncu-rep"
printf 'U3w[END]NVIDIA Nsight Systems Stream 2023.4.4.54-234433681190v0!' >"$work/in/x.qdstrm"
expect 3 "unfinished capture" -- "$WARPLENS" info "$work/in/x.qdstrm"
echo text >"$work/in/text.nsys-rep"
expect 3 "neither" -- "$WARPLENS" info "$work/in/text.nsys-rep"
mkfifo "$work/in/fifo.nsys-rep"
expect 3 "pipe" -- timeout 60 "$WARPLENS" info "$work/in/fifo.nsys-rep"
mkdir "$work/pipes"
mkfifo "$work/pipes/fifo.nsys-rep"
expect 3 "pipe" -- timeout 60 "$WARPLENS" info "$work/pipes"
expect 2 "the directory has no .sqlite, .nsys-rep or .qdrep files" -- "$WARPLENS" info "$work/empty"

# Exports in other formats are known by their bytes or names, and directories by the files in them.
again=', which warplens does not read; export the report again with `nsys export --type sqlite REPORT.nsys-rep`'
printf '\211HDF\r\n\032\n' >"$work/in/x.h5"
expect 3 "an export as HDF5$again" -- "$WARPLENS" info "$work/in/x.h5"
cp "$work/in/x.h5" "$work/in/hdf.sqlite"
expect 3 "an export as HDF5" -- "$WARPLENS" kernels "$work/in/hdf.sqlite"
printf '\377\377\377\377\020\0\0\0' >"$work/in/x.arrows"
expect 3 "an export as Apache Arrow$again" -- "$WARPLENS" info "$work/in/x.arrows"
echo '{"table":"StringIds","id":1}' >"$work/in/lines"
expect 3 "an export as JSON lines$again" -- "$WARPLENS" info "$work/in/lines"
echo '{"id":1, "table":"StringIds"}' >"$work/in/x.jsonl"
expect 3 "an export as JSON lines$again" -- "$WARPLENS" info "$work/in/x.jsonl"
mkdir "$work/run_pqtdir" "$work/run_arwdir"
echo PAR1 >"$work/run_pqtdir/META_DATA_EXPORT.parquet"
expect 3 "an export as Apache Parquet$again" -- "$WARPLENS" info "$work/run_pqtdir"
expect 3 "an export as Apache Parquet$again" -- "$WARPLENS" "$work/run_pqtdir"
echo ARROW1 >"$work/run_arwdir/META_DATA_EXPORT.arrow"
expect 3 "an export as Apache Arrow$again" -- "$WARPLENS" info "$work/run_arwdir"
expect 3 "an export as Apache Parquet" -- "$WARPLENS" info "$work/run_pqtdir/META_DATA_EXPORT.parquet"

# --- the real nsys on real reports -------------------------------------------------------
info() {
	"$WARPLENS" info "$@" --nsys "$nsys"
}

real() {
	for f in own-nvtx-demo/report own-damaged-rep/truncated newer-rep-2025.5/report; do
		[ -r "$corpus/$f.nsys-rep.zst" ] || { skipped="no $corpus/$f.nsys-rep.zst"; return; }
	done
	command -v zstd >/dev/null || { skipped='no zstd'; return; }
	nsys=$("$root/tests/support/real_nsys" "$nsys_dir" 2>"$work/get") || {
		skipped="nsys cannot be had: $(tail -n 1 "$work/get")"
		return
	}
	"$nsys" --version >/dev/null 2>&1 || { skipped="$nsys does not run here"; return; }
	mkdir "$work/real"
	for f in "$corpus"/*/*.nsys-rep.zst "$corpus"/*/*.qdrep.zst; do
		[ -r "$f" ] || continue
		name=$(basename "$(dirname "$f")") file=$(basename "$f" .zst)
		zstd -qdc "$f" >"$work/real/$name-$file"
		r=$work/real/$name-$file
		case $name/$file in
		own-damaged-rep/truncated*) expect 3 'Section Table Reference magic number mismatch' -- info "$r" ;;
		newer-rep-2025.5/*) expect 3 'nsys 2025.5.1.121, newer than the installed 2023.4.4.54' -- info "$r" ;;
		newer-rep-2026.1/*) expect 3 'nsys 2026.1.2.63, newer than the installed 2023.4.4.54' -- info "$r" ;;
		*) expect 0 -- info "$r" ;;
		esac
	done
	mkdir "$work/real/a b"
	y="$work/real/a b/-y'.nsys-rep"
	mv "$work/real/own-nvtx-demo-report.nsys-rep" "$y"
	expect 0 -- info "$y"
	expect 0 -- env PATH="${nsys%/*}:$PATH" "$WARPLENS" info "$y"
	[ "$(ls "$work/real/a b")" = "-y'.nsys-rep" ] || fail "something was written beside the report"

	mkdir "$work/real/job"
	cp "$y" "$work/real/job/rank0.nsys-rep"
	cp "$y" "$work/real/job/rank1.nsys-rep"
	expect 0 -- info "$work/real/job"
	grep -q '2 reports' "$work/out" || fail "a directory of two reports is no job of two"

	keep=$work/real/kept.sqlite
	expect 0 -- info "$y" --keep-export "$keep"
	[ "$(head -c 15 "$keep")" = 'SQLite format 3' ] || fail "--keep-export kept nothing"
	expect 0 -- "$WARPLENS" info "$keep"
	[ -z "$(find "$work/real" -name '*warplens*')" ] || fail "--keep-export left temporary files"
	expect 6 -- info "$y" --keep-export "$work/no/such/kept.sqlite"
}
real

[ $bad = 0 ] || exit 1
if [ -n "$skipped" ]; then
	echo "SKIP: nsys_rep: real nsys not tested: $skipped ($n other checks passed)"
	exit 77
fi
echo "nsys_rep: $n checks passed"
