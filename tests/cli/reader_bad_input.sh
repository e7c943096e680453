#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# reader_bad_input.sh - files that are cut, damaged, still being written or not quite there. The answer
# is the whole one or exit status 3 with one line that says why: never a crash, never a part.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
tiny=$(fixture tiny)
cd "$work"
cp "$tiny" t.sqlite
chmod u+w t.sqlite
page=$(sqlite3 t.sqlite 'PRAGMA page_size')
pages=$(($(stat -c %s t.sqlite) / page))
questions=('info' 'kernels' 'schema' 'search .')
for i in "${!questions[@]}"; do
	# shellcheck disable=SC2086 # a pattern is a word of its own
	expect 0 "$WARPLENS" ${questions[i]} t.sqlite -f json
	cp out "whole.$i"
done

# --- cut at every page, and beside it ------------------------------------------------------
for ((n = 0; n < pages; n++)); do
	for more in 0 1 $((page - 1)); do
		head -c $((n * page + more)) t.sqlite >cut.sqlite
		for verb in info kernels; do
			expect 3 "$WARPLENS" $verb cut.sqlite -f json
			silent
		done
	done
done
# The header of an old writer does not say how long the file is: then the pages tell.
cp t.sqlite mute.sqlite
printf '\0\0\0\0' | dd of=mute.sqlite bs=1 seek=92 conv=notrunc status=none
whole_or_refused() { # FILE - as t.sqlite, for each question
	for i in "${!questions[@]}"; do
		cp "$1" t.sqlite
		# shellcheck disable=SC2086
		try "$WARPLENS" ${questions[i]} t.sqlite -f json
		case $status in
		0) same out "whole.$i" "$ran on $1" ;;
		3) silent ;;
		*) fail "$ran on $1: exit status $status" ;;
		esac
	done
}
for ((n = 1; n < pages; n++)); do
	head -c $((n * page)) mute.sqlite >cut.sqlite
	whole_or_refused cut.sqlite
done
cp "$tiny" t.sqlite
chmod u+w t.sqlite

# --- damaged pages: an answer or a refusal, and always an end ------------------------------
for ((n = 0; n < pages; n++)); do
	for byte in '\0' '\377' '\15'; do
		cp t.sqlite bad.sqlite
		head -c "$page" /dev/zero | tr '\0' "$byte" | dd of=bad.sqlite bs="$page" seek=$n conv=notrunc status=none
		for verb in info kernels; do
			try "$WARPLENS" $verb bad.sqlite -f json
			case $status in 0 | 5) ;; 3) silent ;; *) fail "$ran, page $n is $byte: exit status $status" ;; esac
		done
	done
done

# --- a write-ahead log beside it -----------------------------------------------------------
# A reader that holds the log open keeps the rows from being moved into the database.
cp t.sqlite wal.sqlite
sqlite3 wal.sqlite 'PRAGMA journal_mode = WAL' >/dev/null
python3 - <<'END'
import os, shutil, sqlite3
db = sqlite3.connect("wal.sqlite")
db.execute("PRAGMA wal_autocheckpoint = 0")
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL")
db.commit()
shutil.copy("wal.sqlite", "log.sqlite")
shutil.copy("wal.sqlite-wal", "log.sqlite-wal")
assert os.path.getsize("log.sqlite-wal") > 0
END
expect 3 "$WARPLENS" kernels log.sqlite
silent
says 'log.sqlite-wal'
says 'wal_checkpoint'
ln -s log.sqlite link.sqlite
expect 3 "$WARPLENS" kernels link.sqlite
silent
# The command in the message does what it promises.
sqlite3 log.sqlite 'pragma wal_checkpoint(truncate)' >/dev/null
expect 0 "$WARPLENS" kernels log.sqlite -f json
python3 - "$work/out" "$work/whole.1" <<'END' || fail "rows of the log are missing"
import json, sys
after, before = (sum(r["calls"] for r in json.load(open(p))["rows"]) for p in sys.argv[1:])
sys.exit(after != 2 * before)
END
: >log.sqlite-wal
expect 0 "$WARPLENS" kernels log.sqlite # an empty log holds no row

# --- being written -------------------------------------------------------------------------
cp t.sqlite busy.sqlite
mkfifo go end
python3 - <<'END' &
import sqlite3
db = sqlite3.connect("busy.sqlite", isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN IMMEDIATE")
db.execute("PRAGMA cache_spill = 1")
for i in range(2000):
    db.execute("INSERT INTO StringIds VALUES (?, ?)", (100000 + i, "x" * 100))
open("go", "w").close()
open("end").read()
db.execute("ROLLBACK")
END
writer=$!
cat go
expect 3 "$WARPLENS" kernels busy.sqlite
silent
says 'being written'
cp busy.sqlite crashed.sqlite
cp busy.sqlite-journal crashed.sqlite-journal
: >end
wait "$writer" || fail "the writer failed"
expect 0 "$WARPLENS" kernels busy.sqlite -f csv
cp out now
expect 0 "$WARPLENS" kernels t.sqlite -f csv
same out now "after a rollback"
# What a writer that died leaves behind, and the remedy that the message names.
expect 3 "$WARPLENS" kernels crashed.sqlite
says 'left unfinished'
sqlite3 crashed.sqlite .tables >/dev/null
expect 0 "$WARPLENS" kernels crashed.sqlite -f csv
same out now "after a repair"

# A copy that grows: every state of it is refused but the last.
size=$(stat -c %s t.sqlite)
for part in 1 5000 $((size / 2)) $((size - 1)); do
	head -c "$part" t.sqlite >growing.sqlite
	expect 3 "$WARPLENS" kernels growing.sqlite
	silent
done

# Changed while it is read: stop the program in the middle of it, and touch the file.
sqlite3 keep.sqlite "PRAGMA synchronous = OFF; BEGIN;
	CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,
		demangledName, shortName);
	CREATE TABLE StringIds (id, value);
	INSERT INTO StringIds VALUES (1, 'kernel');
	INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
	WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 399999)
	SELECT i * 1000, i * 1000 + 700, 0, 1, 7, i, 16777216, 1, 1 FROM n; COMMIT"
has_open() { [[ $(readlink -e "/proc/$1/fd/"* 2>/dev/null) == *"$2"* ]]; }
change() { # COMMAND... - run it while big.sqlite is read
	local pid
	for _ in {1..20}; do
		cp --remove-destination keep.sqlite big.sqlite
		"$WARPLENS" kernels big.sqlite >out 2>err &
		pid=$!
		while kill -0 $pid 2>/dev/null && ! has_open $pid "$PWD/big.sqlite"; do :; done
		kill -STOP $pid 2>/dev/null || true
		"$@"
		kill -CONT $pid 2>/dev/null || true
		status=0 ran="$* while it is read" n_checks=$((n_checks + 1))
		wait $pid || status=$?
		[[ $status == 0 ]] || break # else it was done before
	done
	[[ $status == 3 ]] || fail "$ran: exit status $status"
	silent
	# Where rows went missing on the way, SQLite may be the first to see it.
	grep -qE 'changed while it was read|copy it again' err || fail "$ran: no reason"
}
change touch big.sqlite
change sqlite3 big.sqlite 'INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL LIMIT 1'
cp t.sqlite other.sqlite
change cp --remove-destination other.sqlite big.sqlite
change truncate -s 1M big.sqlite

# --- three levels of pages that all lead to one leaf, in a file of 20 GB that takes no room --------------
rm big.sqlite keep.sqlite
python3 - <<'END'
import sqlite3, struct
db = sqlite3.connect("endless.sqlite", isolation_level=None)
db.execute("CREATE TABLE StringIds (id, value)")
db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName, shortName)")
db.execute("INSERT INTO StringIds VALUES (1, 'kernel')")
for i in range(60):
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, 7, ?, 16777216, 1, 1)", (i * 9, i * 9 + 5, i))
root = db.execute("SELECT rootpage FROM sqlite_schema WHERE name LIKE 'CUPTI%'").fetchone()[0]
size = db.execute("PRAGMA page_size").fetchone()[0]
db.close()
data = bytearray(open("endless.sqlite", "rb").read())
pages = len(data) // size
leaf = data[(root - 1) * size:root * size]
def interior(child, n=500):
    page = bytearray(size)
    page[0] = 5
    at = size
    for i in range(n):
        at -= 5
        page[at:at + 5] = struct.pack(">IB", child, 1)
        page[12 + 2 * i:14 + 2 * i] = struct.pack(">H", at)
    page[3:5], page[5:7], page[8:12] = struct.pack(">H", n), struct.pack(">H", at), struct.pack(">I", child)
    return page
data += leaf + interior(pages + 1) + interior(pages + 2)
data[(root - 1) * size:root * size] = interior(pages + 3)
total = 20 << 30
data[28:32] = struct.pack(">I", total // size)
with open("endless.sqlite", "wb") as out:
    out.write(data)
    out.truncate(total)
END
if (($(stat -c '%b * %B' endless.sqlite) < 1 << 20)); then
	expect 3 timeout 60 "$WARPLENS" kernels endless.sqlite
	expect 3 timeout 60 "$WARPLENS" kernels endless.sqlite --reader sqlite
fi
rm endless.sqlite

# --- tables with the names of functions that list tables ---------------------------------------
cp "$tiny" names.sqlite
chmod u+w names.sqlite
sqlite3 names.sqlite 'CREATE TABLE pragma_table_xinfo (a, b); CREATE TABLE pragma_table_list (name);
	CREATE TABLE pragma_table_info (a); CREATE TABLE pragma_index_list (origin); CREATE TABLE pragma_function_list (name)'
for reader in pages sqlite; do
	for verb in kernels streams schema; do
		expect 0 "$WARPLENS" $verb names.sqlite --reader $reader -f csv
		grep -v pragma_ out >named
		expect 0 "$WARPLENS" $verb "$tiny" -f csv
		same out named "$verb, --reader $reader"
	done
done
expect 0 "$WARPLENS" sql names.sqlite 'SELECT count(*) FROM kernels'
expect 2 "$WARPLENS" sql names.sqlite 'SELECT nme FROM kernels'
says 'did you mean name'

# --- the texts that a reader holds count against --memory ----------------------------------------
sqlite3 names.sqlite "UPDATE StringIds SET value = printf('%20000000s', 'x') WHERE id = (SELECT shortName FROM CUPTI_ACTIVITY_KIND_KERNEL)"
for reader in pages sqlite; do
	expect 6 "$WARPLENS" kernels names.sqlite --reader $reader --memory 16MB
	says 'no memory for the text of StringIds'
done
[[ -z $(ls -A "$TMPDIR") ]] || fail "something stays in TMPDIR: $(ls -A "$TMPDIR")"
finish
