#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# index.sh - the life of an index: written, used, stale, replaced, removed; where it is; what is refused.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
tiny=$(fixture tiny)
two_ranks=$(fixture two_ranks)
cd "$work"
cp "$tiny" a.sqlite
cp "$two_ranks" b.sqlite
unset WARPLENS_INDEX_DIR

reader() { awk '/^stats: reader/ { print $NF }' err; }
uses() { # READER ARGS... - the same answer as without an index, by this reader
	local want=$1
	shift
	expect 0 "$WARPLENS" "$@" --no-index --stats
	cp out want
	[[ $(reader) != index ]] || fail "$ran: uses the index"
	expect 0 "$WARPLENS" "$@" --stats
	same out want "$ran"
	[[ $want == "$(reader)" || ($want == file && $(reader) != index) ]] || fail "$ran: reader $(reader), not $want"
}

# --- nothing writes one unasked, and nothing changes the trace -----------------------------------
expect 0 "$WARPLENS" a.sqlite
expect 0 "$WARPLENS" kernels a.sqlite b.sqlite
[[ $(echo *.sqlite*) == "a.sqlite b.sqlite" ]] || fail "files: $(ls)"
uses file kernels a.sqlite

# --- written and used ------------------------------------------------------------------------------
expect 0 "$WARPLENS" index a.sqlite
prints 'wrote a.sqlite.wlidx ('
quiet
same a.sqlite "$tiny" 'the trace'
[[ $(echo *.sqlite*) == "a.sqlite a.sqlite.wlidx b.sqlite" ]] || fail "files: $(ls)"
while read -r verb wants; do
	for format in table csv json; do
		status=0
		"$WARPLENS" "$verb" ${wants:+"$wants"} a.sqlite -f $format --no-index >want 2>want.err || status=$?
		expect $status "$WARPLENS" "$verb" ${wants:+"$wants"} a.sqlite -f $format
		same out want "$ran"
		same err want.err "$ran: stderr"
	done
done < <(verbs)
uses index a.sqlite
uses index kernels a.sqlite --by stream
uses index kernels a.sqlite --sort -calls -n 1
uses index overlap a.sqlite --window ..20us
uses index info a.sqlite --section gpus -f csv
uses index kernels ./a.sqlite
says 'stats: reader'
expect 0 "$WARPLENS" kernels a.sqlite -f csv -o x.csv
expect 0 "$WARPLENS" kernels b.sqlite a.sqlite -f csv --stats
[[ $(reader) == index ]] || fail "the second of two traces does not use its index"
grep -q '^b.sqlite,' out || fail "no rows of the first of two traces"

# --- each has its own ------------------------------------------------------------------------------
expect 0 "$WARPLENS" index a.sqlite b.sqlite
[[ $(wc -l <out) == 2 && -e b.sqlite.wlidx ]] || fail "two traces: $(cat out)"
uses index kernels a.sqlite b.sqlite
cp b.sqlite.wlidx a.sqlite.wlidx
uses file kernels a.sqlite
says 'note: a.sqlite.wlidx is of another trace, or of this one before it changed, so it is not used'
[[ $(grep -c note: err) == 1 ]] || fail "$ran: not one note"
expect 0 "$WARPLENS" index a.sqlite

# --- stale when the trace changes, and fresh in a copy that keeps the time ----------------------
mkdir copy
cp -a a.sqlite a.sqlite.wlidx copy
uses index kernels copy/a.sqlite
touch a.sqlite
uses file summary a.sqlite
says 'a.sqlite.wlidx is of another trace'
expect 0 "$WARPLENS" index a.sqlite
uses index summary a.sqlite
python3 -c 'import sqlite3
db = sqlite3.connect("a.sqlite")
db.execute("delete from CUPTI_ACTIVITY_KIND_KERNEL where rowid = 1")
db.commit()'
uses file kernels a.sqlite
says 'a.sqlite.wlidx is of another trace'
expect 0 "$WARPLENS" index a.sqlite
uses index kernels a.sqlite
cp -a a.sqlite c.sqlite
cp -a a.sqlite.wlidx c.sqlite.wlidx
uses file kernels c.sqlite # the name may tell the rank

# --- what the program printed stays in the trace ----------------------------------------------------
python3 -c 'import sqlite3
db = sqlite3.connect("c.sqlite")
db.execute("create table if not exists ProcessStreams (globalPid integer, filenameId integer, contentId integer)")
db.execute("insert into StringIds (id, value) values (900001, ?)", ("token HUSH\n" + "step 1: 20 ms/step\n" * 5,))
db.execute("insert into ProcessStreams values (1, 1, 900001)")
db.commit()'
expect 0 "$WARPLENS" index c.sqlite
uses index summary c.sqlite
grep -q HUSH c.sqlite || fail "the trace does not hold the output"
! grep -q HUSH c.sqlite.wlidx || fail "the index holds the output"
rm c.sqlite c.sqlite.wlidx

# --- damaged, foreign, in the way ------------------------------------------------------------------
cp a.sqlite.wlidx good
truncate -s -1 a.sqlite.wlidx
uses file a.sqlite
says 'note: a.sqlite.wlidx is cut short, so it is not used; "warplens index" writes a new one'
expect 0 "$WARPLENS" kernels a.sqlite --no-index
quiet
: >a.sqlite.wlidx
uses file a.sqlite
says 'note: a.sqlite.wlidx'
echo 'my own notes' >a.sqlite.wlidx
uses file a.sqlite
expect 2 "$WARPLENS" index --remove a.sqlite
says 'a.sqlite.wlidx is not an index; it is left alone'
expect 6 "$WARPLENS" index a.sqlite
says 'a.sqlite.wlidx is not an index; it is left alone; --index-dir DIR writes elsewhere'
[[ $(cat a.sqlite.wlidx) == 'my own notes' ]] || fail "$ran: changed a file that is no index"
# A link is neither followed nor replaced, whatever it leads to.
for target in .bashrc good nowhere; do
	echo 'my own notes' >.bashrc
	ln -sf $target a.sqlite.wlidx
	expect 6 "$WARPLENS" index a.sqlite
	says 'a.sqlite.wlidx is a symbolic link; it is left alone'
	expect 2 "$WARPLENS" index --remove a.sqlite
	says 'a.sqlite.wlidx is a symbolic link; it is left alone'
	[[ $(cat .bashrc) == 'my own notes' && ! -e nowhere ]] || fail "$ran: wrote through a link"
	[[ $(readlink a.sqlite.wlidx) == "$target" ]] || fail "$ran: changed the link"
done
rm a.sqlite.wlidx
cp good a.sqlite.wlidx
chmod g+w a.sqlite.wlidx
uses file a.sqlite
says 'a.sqlite.wlidx can be written by others'
# An index is no more public than its trace, and holds no secret of the command line.
cp a.sqlite secret.sqlite
python3 - secret.sqlite <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE IF NOT EXISTS META_DATA_CAPTURE (name TEXT, value TEXT)")
db.execute("CREATE TABLE IF NOT EXISTS TARGET_INFO_SYSTEM_ENV (globalVid, devStateName TEXT, name TEXT, nameEnum, value TEXT)")
for value in ("train.py", "--api-key=CANARY1", "--password", "-CANARY2", "https://u:p@CANARY3@host/x", "nvapi-CANARY4aaaaaaaaaaaaaaaa",
              "HF_TOKEN=CANARY5", "--lr=0.25"):
    db.execute("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT', ?)", (value,))
for name in ("PROCESS_0:Environment_Variable", "TARGET_ENV", "PROCESS_0:ENVIRONMENT_VARIABLE"):
    db.execute("INSERT INTO META_DATA_CAPTURE VALUES (?, 'A=CANARY6')", (name,))
for name in ("ProcessEnvironment", "deviceenvironment", "LaunchEnv"):
    db.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV (globalVid, devStateName, name, nameEnum, value)"
               " VALUES (0, 'x', ?, 0, 'FOO=CANARY7;BAR=1')", (name,))
db.commit()
PY
chmod 600 secret.sqlite
(umask 022 && "$WARPLENS" index secret.sqlite >out)
[[ $(stat -c %a secret.sqlite.wlidx) == 600 ]] || fail "the index of a private trace has mode $(stat -c %a secret.sqlite.wlidx)"
# The group of an index is that of its trace, or may not read it; and the umask holds.
other=$(id -G | tr ' ' '\n' | grep -vx "$(id -g)" | head -1) || true
[[ $(id -u) != 0 ]] || other=12
if [[ $other ]] && cp a.sqlite group.sqlite && chgrp "$other" group.sqlite; then
	chmod 640 group.sqlite
	(umask 022 && "$WARPLENS" index group.sqlite >out)
	[[ $(stat -c '%a %g' group.sqlite.wlidx) == "640 $other" ]] || fail "an index for a group: $(stat -c '%a %g' group.sqlite.wlidx)"
	chmod 604 group.sqlite
	(umask 022 && "$WARPLENS" index group.sqlite >out)
	[[ $(stat -c %a group.sqlite.wlidx) == 600 ]] || fail "the index is for a group that may not read the trace"
	rm group.sqlite*
fi
cp a.sqlite open.sqlite
chmod 644 open.sqlite
(umask 077 && "$WARPLENS" index open.sqlite >out)
[[ $(stat -c %a open.sqlite.wlidx) == 600 ]] || fail "umask 077 and an index of mode $(stat -c %a open.sqlite.wlidx)"
rm open.sqlite*
! grep -qa CANARY secret.sqlite.wlidx || fail "the index holds $(grep -ao 'CANARY[0-9]' secret.sqlite.wlidx | tr '\n' ' ')"
grep -qa -- --lr=0.25 secret.sqlite.wlidx || fail "the index lacks an argument that is no secret"
for ask in info coach "sql -f csv"; do
	# shellcheck disable=SC2086 # words
	set -- $ask secret.sqlite
	[[ $ask != sql* ]] || set -- "$@" "SELECT * FROM META_DATA_CAPTURE UNION ALL SELECT name, value FROM TARGET_INFO_SYSTEM_ENV"
	expect 0 "$WARPLENS" "$@"
	omits CANARY
done
rm secret.sqlite*
(umask 000 && "$WARPLENS" index a.sqlite >out)
uses index a.sqlite

# --- another directory -----------------------------------------------------------------------------
mkdir x dir
cp -a a.sqlite x/a.sqlite
rm -f ./*.wlidx
expect 0 "$WARPLENS" index a.sqlite x/a.sqlite --index-dir dir
[[ $(ls dir | wc -l) == 2 && ! -e a.sqlite.wlidx ]] || fail "--index-dir: $(ls . dir)"
uses index kernels a.sqlite --index-dir dir
uses index kernels x/a.sqlite --index-dir dir
uses file kernels a.sqlite
WARPLENS_INDEX_DIR=dir uses index kernels a.sqlite
WARPLENS_INDEX_DIR=/no/such uses index kernels x/a.sqlite --index-dir dir
touch a.sqlite
uses file kernels a.sqlite --index-dir dir
says 'is of another trace'
expect 0 "$WARPLENS" index --remove a.sqlite x/a.sqlite --index-dir dir
[[ -z $(ls dir) ]] || fail "--remove leaves $(ls dir)"
expect 2 "$WARPLENS" kernels a.sqlite --index-dir ''
expect 0 "$WARPLENS" index --remove a.sqlite
prints 'there is no a.sqlite.wlidx'

# --- what cannot be written, what is refused ---------------------------------------------------------
expect 6 "$WARPLENS" index a.sqlite --index-dir /proc/self
silent
says 'cannot write /proc/self/a.sqlite-'
if [[ $(id -u) != 0 ]]; then
	mkdir ro && cp a.sqlite ro && chmod a-w ro
	expect 6 "$WARPLENS" index ro/a.sqlite
	says '--index-dir DIR writes elsewhere'
	chmod u+w ro
else
	mkdir a.sqlite.wlidx
	expect 6 "$WARPLENS" index a.sqlite
	says '--index-dir DIR writes elsewhere'
	rmdir a.sqlite.wlidx
fi
[[ -z $(find . -name '*.tmp*' -o -name '.*wlidx*') ]] || fail "something is left behind: $(ls -A)"
expect 3 "$WARPLENS" index none.sqlite
echo 'not a trace' >text.sqlite
expect 3 "$WARPLENS" index text.sqlite
expect 2 "$WARPLENS" index
says 'usage: warplens index [--remove] TRACE...'
expect 2 "$WARPLENS" kernels a.sqlite --remove
says 'kernels has no --remove (index has it)'
expect 2 "$WARPLENS" index a.sqlite --remov
says 'did you mean --remove?'
printf 'NVIDIA Tegra Profiler Report 2023@4@4@54-234433681190v0.\n\013Local (CLI)' >r.nsys-rep
expect 2 "$WARPLENS" index r.nsys-rep
says 'keep its export with'
expect 0 "$WARPLENS" index --help
prints '--remove'
finish
