#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# streams.sh - what goes where: stdout has the result and nothing else, stderr the rest; pipes that
# close, signals, terminals, pagers, and the environment that says what a terminal can show.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
tiny=$(fixture tiny)
hostile=$(fixture hostile)
cd "$work"
cp "$tiny" t.sqlite
esc=$'\033'

# --- stdout and stderr ---------------------------------------------------------------------
for format in table json md html; do
	expect 0 "$WARPLENS" kernels t.sqlite -f $format
	quiet
	prints t.sqlite
done
for format in csv tsv jsonl; do
	expect 0 "$WARPLENS" kernels t.sqlite -f $format
	omits t.sqlite
	says "t.sqlite"
	says "window"
	# The frame is what a table says above itself.
	cp err frame
	expect 0 "$WARPLENS" kernels t.sqlite -n1
	head -n "$(wc -l <frame)" out >above
	same frame above "the frame of -f $format"
done
# Of a document they show one table, and say how to get at the others.
expect 0 "$WARPLENS" info t.sqlite -f csv
prints 'key,value'
says 'note: only the table about; --section also takes files, gpus, processes,'
narrow err
expect 0 "$WARPLENS" info t.sqlite -f csv --section gpus
! grep -q 'only the table' err || fail "$ran: a note about what was asked for"
expect 0 "$WARPLENS" kernels t.sqlite -f csv --gpu 0,9
says 'note: --gpu 9'
omits note

# --- pipes ---------------------------------------------------------------------------------
# More than a pipe holds, so that the writer meets the closed end.
for format in json jsonl csv html md table; do
	for ignored in '' PIPE; do
		ran="$format into a closed pipe, ignoring '$ignored'" n_checks=$((n_checks + 1))
		(
			[[ -z $ignored ]] || trap '' PIPE
			set +o pipefail
			code=0
			{
				"$WARPLENS" search . "$hostile" -f $format -n0 2>err || code=$?
				echo $code >code
			} | head -c 1 >/dev/null
		)
		case $(cat code) in 0 | 141) ;; *) fail "$ran: exit status $(cat code)" ;; esac
		! grep -q warplens: err || fail "$ran: not quiet"
	done
done

# --- terminals -----------------------------------------------------------------------------
# shown ARGS...: what a terminal gets; try() gives it no more than two minutes.
shown() { try python3 -B "$here/support/tty.py" "$@"; }
unset COLUMNS
export TERM=xterm
shown "$WARPLENS" kernels t.sqlite
prints "${esc}[1m"
NO_COLOR=1 shown "$WARPLENS" kernels t.sqlite
omits "$esc"
NO_COLOR='' shown "$WARPLENS" kernels t.sqlite
prints "${esc}[1m"
TERM=dumb shown "$WARPLENS" kernels t.sqlite
omits "$esc"
for format in csv tsv json jsonl md html; do
	shown "$WARPLENS" kernels t.sqlite -f $format
	omits "$esc"
done
shown "$WARPLENS" kernels t.sqlite -o bold.txt
! grep -q "$esc" bold.txt || fail "-o writes escape sequences"
expect 0 "$WARPLENS" kernels t.sqlite
omits "$esc"

widest() { python3 -c 'import sys; print(max(map(len, open(sys.argv[1], encoding="utf-8").read().split("\n"))))' out; }
width() { # WANT ARGS... - the terminal's width is used, and not a column more
	local want=$1
	shift
	NO_COLOR=1 shown "$@"
	[[ $(widest) -le $want && $(widest) -gt $((want - 15)) ]] || fail "$ran: $(widest) columns of $want"
}
width 80 --size 24x80 "$WARPLENS" kernels t.sqlite
width 120 --size 24x120 "$WARPLENS" kernels t.sqlite
width 60 --size 24x60 "$WARPLENS" kernels t.sqlite
COLUMNS=70 width 70 --size 24x120 "$WARPLENS" kernels t.sqlite
for columns in 0 -5 nonsense 99999999999; do
	COLUMNS=$columns width 80 --size 24x80 "$WARPLENS" kernels t.sqlite
done
COLUMNS=1 expect 0 "$WARPLENS" kernels t.sqlite
COLUMNS=60 expect 0 "$WARPLENS" kernels t.sqlite
[[ $(widest) -le 60 ]] || fail "COLUMNS=60: $(widest) columns"
expect 0 "$WARPLENS" kernels t.sqlite
[[ $(widest) -le 80 ]] || fail "into a file: $(widest) columns"
LC_ALL=C expect 0 "$WARPLENS" kernels t.sqlite
! LC_ALL=C grep -q '[^ -~]' out || fail "LC_ALL=C: characters that are not ASCII"

# --- pagers --------------------------------------------------------------------------------
cat >pager <<'END'
#!/bin/sh
trap 'echo INTERRUPTED' INT
echo "PAGER $* LESS=$LESS"
head -n 3
read -r key </dev/tty
echo "KEY $key"
cat >/dev/null
END
chmod +x pager
export PAGER="$PWD/pager -a  b"
shown --keys 'k\n' "$WARPLENS" info t.sqlite -n0
[[ $status == 0 ]] || fail "$ran: exit status $status"
prints 'PAGER -a b LESS=FRX'
prints 'KEY k'
LESS=mine shown --keys 'k\n' "$WARPLENS" info t.sqlite -n0
prints 'LESS=mine'
shown --keys '\x03k\n' "$WARPLENS" info t.sqlite -n0
[[ $status == 0 ]] || fail "Ctrl-C in the pager: exit status $status"
prints 'INTERRUPTED'
prints 'KEY k'
# What fits the screen, or no screen: no pager.
shown "$WARPLENS" kernels t.sqlite -n1
omits PAGER
shown --on err "$WARPLENS" info t.sqlite -n0
omits PAGER
expect 0 "$WARPLENS" info t.sqlite -n0
omits PAGER
for none in '' cat no_such_pager '   '; do
	PAGER=$none shown "$WARPLENS" info t.sqlite -n0
	[[ $status == 0 ]] || fail "PAGER='$none': exit status $status"
	prints "Profiler's own diagnostics"
	[[ $(grep -c "Profiler's own diagnostics" out) == 1 ]] || fail "PAGER='$none': printed twice"
done
# A pager that one leaves early, by q or by dying, has shown enough.
PAGER=true shown "$WARPLENS" info t.sqlite -n0
[[ $status == 0 ]] || fail "PAGER=true: exit status $status"
omits "Profiler's own"
PAGER=false shown "$WARPLENS" info t.sqlite -n0
omits "Profiler's own"
unset PAGER

# help --long opens the manual page, on a terminal, where there is one.
mkdir bin
cat >bin/man <<'END'
#!/bin/sh
[ -e no_page ] && exit 16
[ "$1" = -w ] || echo "MANUAL $*"
END
chmod +x bin/man
PATH=$PWD/bin:$PATH shown "$WARPLENS" help kernels --long
prints 'MANUAL warplens-kernels'
omits 'usage:'
PATH=$PWD/bin:$PATH shown "$WARPLENS" help gpukernsum --long
prints 'MANUAL warplens-kernels'
PATH=$PWD/bin:$PATH expect 0 "$WARPLENS" help kernels --long
omits MANUAL
PATH=$PWD/bin:$PATH shown "$WARPLENS" help kernels
omits MANUAL
: >no_page
PATH=$PWD/bin:$PATH shown "$WARPLENS" help kernels --long
prints 'usage: warplens kernels'
omits MANUAL

# --- progress and signals: a trace that takes a moment to read -----------------------------
sqlite3 big.sqlite "PRAGMA synchronous = OFF; BEGIN;
	CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
	INSERT INTO StringIds VALUES (1, 'k');
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,
		demangledName, shortName);
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
	WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 599999)
	SELECT i * 1000, i * 1000 + 700, 0, 1, 7, i, 16777216, 1, 1 FROM n; COMMIT"

bar=$'\r'"${esc}[Kreading ["
# frozen ARGS...: shown with --freeze, again if the machine was too fast or too slow to catch it.
frozen() {
	for _ in 1 2 3 4 5; do
		shown --freeze big.sqlite "$@"
		grep -q 'too fast' err || return 0
	done
	fail "$ran: was never caught reading"
}
frozen --on err "$WARPLENS" kernels big.sqlite -o result.json
prints "$bar"
tail -c 4 out | grep -qF "${esc}[K" || fail "the bar is not wiped"
grep -q '"calls":600000' result.json || fail "no result beside the bar"
frozen --on out "$WARPLENS" kernels big.sqlite
omits "${esc}[K"
omits reading
[[ ! -s err ]] || fail "progress on something that is no terminal"
TERM=dumb frozen "$WARPLENS" kernels big.sqlite
omits reading
# What is read within a second has no bar; a busy machine may need a second try.
for _ in 1 2 3; do
	shown "$WARPLENS" kernels t.sqlite
	grep -q reading out || break
done
omits reading

# has_open PID FILE
has_open() { [[ $(readlink -e "/proc/$1/fd/"* 2>/dev/null) == *"$2"* ]]; }
# interrupt SIGNAL COMMAND...: send it while the trace is being read. A background job of a shell
# starts with SIGINT ignored; env undoes that.
interrupt() {
	local signal=$1 pid try
	shift
	for try in {1..20}; do
		status=0 ran="$* and SIG$signal" n_checks=$((n_checks + 1))
		env --default-signal=INT,TERM "$@" >out 2>err </dev/null &
		pid=$!
		while kill -0 $pid 2>/dev/null && ! has_open $pid "$PWD/big.sqlite"; do :; done
		kill "-$signal" $pid 2>/dev/null || true
		wait $pid || status=$?
		[[ $status == 0 && $try -lt 20 ]] || return 0 # it was done before the signal
	done
}
interrupt INT "$WARPLENS" kernels big.sqlite
[[ $status == 130 ]] || fail "$ran: exit status $status"
says 'big.sqlite: stopped'
silent
interrupt TERM "$WARPLENS" kernels big.sqlite -o stopped.csv
[[ $status == 143 ]] || fail "$ran: exit status $status"
[[ ! -e stopped.csv && -z $(find . -name '.warplens*') ]] || fail "$ran: left a file"
# So do others that end a program.
for signal in USR1 USR2 ALRM XCPU VTALRM PROF; do
	interrupt $signal "$WARPLENS" kernels big.sqlite -o stopped.csv
	[[ $status == $((128 + $(kill -l $signal))) ]] || fail "$ran: exit status $status"
	says 'big.sqlite: stopped'
	[[ ! -e stopped.csv && -z $(find . -name '.warplens*') ]] || fail "$ran: left a file"
done
# A job in the background does not hear the Ctrl-C that is meant for another.
(
	trap '' INT
	exec "$WARPLENS" kernels big.sqlite >out 2>err
) &
pid=$!
while kill -0 $pid 2>/dev/null && ! has_open $pid "$PWD/big.sqlite"; do :; done
kill -INT $pid 2>/dev/null || true
status=0
wait $pid || status=$?
[[ $status == 0 ]] || fail "an ignored SIGINT: exit status $status"
# While the result waits for someone to read it.
mkfifo pipe
env --default-signal=INT "$WARPLENS" kernels t.sqlite -o pipe >out 2>err </dev/null &
pid=$!
sleep 0.5
kill -INT $pid
status=0
wait $pid || status=$?
[[ $status == 130 ]] || fail "SIGINT while waiting for a reader: exit status $status"
[[ -z $(ls -A "$TMPDIR") ]] || fail "something stays in TMPDIR: $(ls -A "$TMPDIR")"
finish
