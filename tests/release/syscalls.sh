#!/bin/bash
# SPDX-License-Identifier: MIT
# Lists the system calls of the portable program, and runs it as on Linux 4.4: calls that are newer fail with
# ENOSYS, as there. Usage: syscalls.sh PORTABLE SOURCE_DIRECTORY. Needs strace.
set -euo pipefail
export LC_ALL=C.UTF-8 COLUMNS=80
portable=$1 source=$2
[[ -x $portable ]] || { echo "skipped: no $portable; make portable builds it"; exit 77; }
[[ $(uname -m) == x86_64 ]] || { echo "skipped: the numbers of system calls are those of x86-64"; exit 77; }
command -v strace >/dev/null || { echo "skipped: no strace"; exit 77; }
strace -o /dev/null true 2>/dev/null || { echo "skipped: strace may not trace here"; exit 77; }
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || pkill -P "$server" || true; rm -rf "$work"' EXIT
bad=0
fail() {
	echo "FAIL: $*"
	bad=1
}
cd "$work"
python3 -B "$source/tests/support/gen_trace.py" -o run.sqlite --ranks 2 --layers 4 --iters 5 --seed 1 >/dev/null

# Linux 4.4 ends with mlock2, number 325. Old kernels answer ENOSYS to every number above.
newer=copy_file_range,preadv2,pwritev2,pkey_mprotect,pkey_alloc,pkey_free,statx,io_pgetevents,rseq,pidfd_send_signal
newer+=,io_uring_setup,io_uring_enter,io_uring_register,open_tree,pidfd_open,clone3,close_range,openat2,pidfd_getfd
newer+=,faccessat2,process_madvise,epoll_pwait2,memfd_secret,process_mrelease,futex_waitv
newer+=,landlock_create_ruleset,landlock_add_rule,landlock_restrict_self
old=(strace -f -qq -e "inject=$newer:error=ENOSYS")
mkdir today before
cp run.sqlite today
cp run.sqlite before
run() { # N ARGS... - now and as on Linux 4.4: equal output
	local n=$1
	shift
	(cd today && timeout 120 "$portable" "$@" >../said.today 2>&1 </dev/null) || true
	(cd before && timeout 120 "${old[@]}" -o "../trace.$n" "$portable" "$@" >../said.before 2>&1 </dev/null) || true
	cmp -s said.today said.before || fail "$*: differs on Linux 4.4: $(diff said.today said.before | head -n 4)"
}
run 1 summary run.sqlite -j4
run 2 kernels run.sqlite --reader sqlite -f csv
run 3 timeline run.sqlite --snapshot 100x30
run 4 export run.sqlite -o run.pftrace.gz
run 5 viewer run.sqlite -o view.html
run 6 diff run.sqlite run.sqlite
run 7 report run.sqlite -o out
run 8 index run.sqlite
run 10 summary run.sqlite # from the index
# An index names the time of its trace.
diff -rq -x '*.wlidx' today before || fail 'the files that it writes differ on Linux 4.4'

"${old[@]}" -o trace.9 "$portable" serve run.sqlite --port 0 >said 2>&1 </dev/null &
server=$!
for _ in $(seq 150); do
	url=$(grep -oE 'http://[^ ]+' said | head -n 1 || true)
	[[ -z $url ]] || break
	sleep 0.2
done
python3 -B -c '
import sys, urllib.request
assert b"<html" in urllib.request.urlopen(sys.argv[1], timeout=60).read().lower()' "$url" ||
	fail "serve on Linux 4.4: $(cat said)"
kill "$(pgrep -P "$server")" # strace itself ends with the program
wait "$server" || true
server=

cat trace.* | sed -nE 's/^[0-9]+ +([a-z_0-9]+)\(.*/\1/p' | sort -u >used
tr , '\n' <<<"$newer" | sort >newer.list
echo "used, Linux 4.4 or older: $(comm -23 used newer.list | paste -sd ' ')"
echo "tried, newer, not needed: $(comm -12 used newer.list | paste -sd ' ')"
# Which old calls occur depends on timing; a newer one is a decision.
for call in $(comm -12 used newer.list); do
	grep -qF "\`$call\`" "$source/docs/portable.md" || fail "$call is newer than Linux 4.4; see docs/portable.md"
done
exit $bad
