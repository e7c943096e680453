#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# exits.sh - what the exit status says: 0 done, 2 usage, 3 input, 5 no data, 6 could not finish; and
# that a result file appears only when it is complete.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
tiny=$(fixture tiny)
no_gpu=$(fixture no_gpu)
cd "$work"

# --- 0 -------------------------------------------------------------------------------------
# A marker, because nothing repeats in it and one of the verbs asks for iterations.
while read -r verb pattern; do
	if [[ $verb =~ ^(mfu|roofline|metrics|memory|io|mpi|graphs|stacks)$ ]]; then # they need FLOPs, a report of ncu, and what tiny has not
		expect 5 "$WARPLENS" "$verb" "$tiny" --marker step
		continue
	fi
	if [[ $verb =~ ^(info|schema)$ ]]; then # about the file, whatever part is selected
		expect 0 "$WARPLENS" "$verb" "$tiny"
		quiet
		continue
	fi
	expect 0 "$WARPLENS" "$verb" ${pattern:+"$pattern"} "$tiny" --marker step
	quiet
	expect 0 "$WARPLENS" "$verb" ${pattern:+"$pattern"} "$tiny" --marker step --window 10us..10us
	# A selection or window that matches nothing is a slip, and the message says what there is.
	for words in '--gpu 7' '--pid 1' '--rank 77' '--stream 99' '--window 900s..901s' '--window 1ms..1ms' \
		'--gpu 7 --window +0..+1ms' '--pid 1 --window ..+1ms' '--gpu GPU-ffff' '--gpu 1:1' '--gpu all'; do
		read -ra argv <<<"$words"
		expect 2 "$WARPLENS" "$verb" ${pattern:+"$pattern"} "$tiny" --marker step "${argv[@]}"
		says "${argv[0]}"
	done
done < <(verbs)
# A part of a list may name nothing, and a filter may leave nothing: both are answers.
expect 0 "$WARPLENS" kernels "$tiny" --gpu 0,7
prints 'note: --gpu 7: the trace has only GPU 0'
expect 0 "$WARPLENS" kernels "$tiny" --where 'name = nobody'
prints '(no rows)'
expect 0 "$WARPLENS" kernels "$tiny" --where 'name = nobody' -f json
prints '"rows":[]'
expect 0 "$WARPLENS" kernels "$tiny" --where 'name = nobody' -f csv
[[ $(wc -l <out) == 1 ]] || fail "$ran: more than the header"
expect 2 "$WARPLENS" kernels "$tiny" --gpu 7
says '--gpu 7: the trace has only GPU 0'
expect 2 "$WARPLENS" kernels "$tiny" --window 39..42
says "'39' has no unit; write 39s or 39ms"

# --- 2 -------------------------------------------------------------------------------------
for spec in '' x 5 iter: iter:x iter:-1 iter:3.. iter:5..3 iter:0..0..1 5s..3s 1..2..3 1x..2 ..nonsense nvtx: 'nvtx:#3'; do
	expect 2 "$WARPLENS" kernels "$tiny" --window "$spec"
	says '--window'
done
expect 2 "$WARPLENS" kernels "$tiny" --window nvtx:no_such_range
says 'warplens search'
for list in '' ',' '1,' 3..1 1..x -1 x; do
	expect 2 "$WARPLENS" kernels "$tiny" --stream="$list"
	says '--stream'
done

# --- 3 -------------------------------------------------------------------------------------
expect 3 "$WARPLENS" kernels no_such.sqlite
says 'cannot read no_such.sqlite: No such file'
: >empty.sqlite
expect 3 "$WARPLENS" kernels empty.sqlite
says 'is empty'
mkfifo fifo.sqlite
expect 3 "$WARPLENS" kernels fifo.sqlite
says 'is a pipe'
sleep 30 >fifo.sqlite &
writer=$!
expect 3 "$WARPLENS" fifo.sqlite
kill "$writer" 2>/dev/null || true
wait "$writer" 2>/dev/null || true
expect 3 "$WARPLENS" kernels /dev/null
says 'is a device'
mkdir job
expect 2 "$WARPLENS" kernels job
says 'the directory has no .sqlite'
cp empty.sqlite job
expect 3 "$WARPLENS" kernels job
says 'empty.sqlite: the file is empty'
ln -s nowhere dangling.sqlite
expect 3 "$WARPLENS" kernels dangling.sqlite
ln -s loop.sqlite loop.sqlite
expect 3 "$WARPLENS" kernels loop.sqlite
expect 3 "$WARPLENS" kernels "$(printf 'x%.0s' {1..5000}).sqlite"
expect 3 "$WARPLENS" kernels "$tiny/inside"
expect 3 "$WARPLENS" kernels ''
echo 'not a trace' >text.sqlite
expect 3 "$WARPLENS" kernels text.sqlite
says 'neither an Nsight Systems report'
head -c 5000 "$tiny" >cut.sqlite
expect 3 "$WARPLENS" kernels cut.sqlite
says 'cut short'
cp "$tiny" secret.sqlite
chmod 0 secret.sqlite
if ! cat secret.sqlite >/dev/null 2>&1; then
	expect 3 "$WARPLENS" kernels secret.sqlite
	says 'Permission denied'
elif chmod 755 "$work" && as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups) &&
	"${as_nobody[@]}" "$WARPLENS" --version >/dev/null 2>&1; then
	expect 3 "${as_nobody[@]}" "$WARPLENS" kernels secret.sqlite
	says 'Permission denied'
else
	echo "not tried: a file without permission, as root"
fi

# A marker that names nothing is a slip of every verb, and the message lists what there is.
for verb in iters overlap kernels findings summary; do
	expect 2 "$WARPLENS" $verb "$(fixture steps)" --marker nosuch
	silent
	says '--marker nosuch: no range that launches GPU work matches; there are: `step #`'
	expect 2 "$WARPLENS" $verb "$(fixture steps)" --marker kernel:nosuch
	says 'no kernel matches; there are: `gemm`'
done
expect 2 "$WARPLENS" iters "$(fixture steps)" --marker 'kernel:re:('
says 'malformed regular expression'

# --- 5 -------------------------------------------------------------------------------------
expect 5 "$WARPLENS" iters "$tiny"
says 'iters: no iterations found'
says '--marker'
for spec in steady iter:3 iter:3..5; do
	expect 5 "$WARPLENS" kernels "$tiny" --window $spec
	says '--marker'
done
for verb in kernels transfers overlap iters setup; do
	expect 5 "$WARPLENS" $verb "$no_gpu"
	silent
	says "$verb: CUDA calls were recorded, but nothing that ran on a GPU"
done
expect 5 "$WARPLENS" kernels "$no_gpu" --gpu 3 --where 'name = x'
expect 0 "$WARPLENS" summary "$no_gpu"
expect 0 "$WARPLENS" info "$no_gpu"
expect 0 "$WARPLENS" schema "$no_gpu"
sqlite3 other.sqlite 'CREATE TABLE songs (title); INSERT INTO songs VALUES (1)'
for verb in summary kernels api overlap iters setup transfers 'search x'; do
	# shellcheck disable=SC2086 # two words are meant
	expect 3 "$WARPLENS" $verb other.sqlite
	says 'not an Nsight Systems export'
done
expect 3 "$WARPLENS" info other.sqlite

# --- 6, and files that are whole or not there ----------------------------------------------
for format in table csv tsv json jsonl md html; do
	status=0 ran="kernels -f $format >/dev/full" n_checks=$((n_checks + 1))
	"$WARPLENS" kernels "$tiny" -f "$format" >/dev/full 2>err || status=$?
	[[ $status == 6 ]] || fail "$ran: exit status $status"
	says 'No space left on device'
	[[ $(grep -c '^warplens: ' err) == 1 ]] || fail "$ran: not one line of its own"
done
for words in help '--version' '--introspect' 'help kernels' 'kernels --help'; do
	read -ra argv <<<"$words"
	status=0
	"$WARPLENS" "${argv[@]}" >/dev/full 2>err || status=$?
	n_checks=$((n_checks + 1)) ran="$words >/dev/full"
	[[ $status == 6 ]] || fail "$ran: exit status $status"
done
status=0
"$WARPLENS" kernels "$tiny" 2>err >&- || status=$?
[[ $status == 6 ]] || fail "closed stdout: exit status $status"
"$WARPLENS" kernels "$tiny" -o closed.csv >&- 2>&- || fail "closed streams and -o: exit status $?"
# What was written before the line that names it is whole and stays.
cp "$tiny" named.sqlite
for stream in /dev/full ''; do
	status=0
	if [[ $stream ]]; then "$WARPLENS" index named.sqlite >"$stream" 2>err || status=$?
	else "$WARPLENS" index named.sqlite <&- >&- 2>&- || status=$?; fi
	[[ $status == 6 ]] || fail "index with standard output '$stream': exit status $status"
	"$WARPLENS" info named.sqlite --stats >out 2>&1
	grep -qE '^stats: reader +index$' out || fail "index with standard output '$stream': not used"
	rm -f named.sqlite.wlidx
	n_checks=$((n_checks + 1))
done
# No file and no socket of ours gets the number of a closed stream.
mkfifo held
"$WARPLENS" kernels "$tiny" -o held 0<&- >&- 2>&- &
pid=$!
for _ in {1..100}; do
	[[ $(readlink "/proc/$pid/fd/"{0,1,2} 2>/dev/null | sort -u) == /dev/null ]] && break
	sleep 0.05
done
[[ $(readlink "/proc/$pid/fd/"{0,1,2} | sort -u) == /dev/null ]] || fail 'closed streams are not held'
kill $pid
wait $pid || true
rm held
[[ $(head -n 1 closed.csv) == name,device,* ]] || fail "closed streams and -o: something else in the file"
n_checks=$((n_checks + 2))

mkdir room
echo old >room/result.json
unchanged() {
	[[ $(ls -A room) == result.json && $(cat room/result.json) == old ]] || fail "$ran: left $(ls -A room)"
}
expect 6 "$WARPLENS" kernels "$tiny" -o /dev/full
echo file >is_file
expect 6 "$WARPLENS" kernels "$tiny" -o is_file/place.json
says 'cannot write is_file/place.json: Not a directory'
expect 6 "$WARPLENS" kernels "$tiny" -o room
says 'cannot write room: Is a directory'
expect 6 "$WARPLENS" kernels "$tiny" -o ''
expect 6 "$WARPLENS" kernels "$tiny" -o "$(printf 'x%.0s' {1..5000})"
unchanged
# No room for more than a kilobyte; SIGXFSZ is ignored, so that write() says so.
for verb in schema info; do
	status=0 ran="$verb with a full disk" n_checks=$((n_checks + 1))
	(trap '' XFSZ && ulimit -f 1 && exec "$WARPLENS" $verb "$tiny" -o room/result.json 2>/dev/null) || status=$?
	[[ $status == 6 ]] || fail "$ran: exit status $status"
	unchanged
done
# Nothing is touched by a question that has no answer.
expect 5 "$WARPLENS" kernels "$no_gpu" -o room/result.json
unchanged
expect 3 "$WARPLENS" kernels no_such.sqlite -o room/result.json
unchanged
expect 2 "$WARPLENS" kernels "$tiny" -o room/result.json --sort nme
unchanged
expect 0 "$WARPLENS" kernels "$tiny" -o room/result.json
[[ $(ls -A room) == result.json ]] || fail "-o left something beside the result"
python3 -c 'import json; json.load(open("room/result.json"))' || fail "-o wrote no JSON"
ln -s room/result.json link.json
expect 0 "$WARPLENS" api "$tiny" -o link.json
[[ -L link.json ]] || fail "-o replaced a link"
grep -q '"analysis":"api"' room/result.json || fail "-o did not follow a link"
expect 0 "$WARPLENS" kernels "$tiny" -f csv -o /dev/stdout
prints 'name,device,category,calls'
if [[ $(id -u) != 0 ]]; then
	chmod 555 room
	expect 6 "$WARPLENS" kernels "$tiny" -o room/other.json
	says 'Permission denied'
	chmod 755 room
fi
[[ -z $(ls -A "$TMPDIR") ]] || fail "something stays in TMPDIR: $(ls -A "$TMPDIR")"
finish
