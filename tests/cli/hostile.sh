#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# hostile.sh - names with escape sequences, markup, quotes, newlines, invalid UTF-8 and 64 kB of length
# come out harmless in every verb and format; so do such names of files and arguments in messages.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
mkdir m
python3 -B "$here/support/hostile.py" make h.sqlite
[[ -z $fixtures || ! -e $fixtures/hostile.sqlite ]] || cp "$fixtures/hostile.sqlite" f.sqlite

# Nothing explains what operations of such a trace waited for, so that path and whatif may refuse it.
ask() { # VERB COMMAND... - false where it has no answer
	local verb=$1
	shift
	try "$@"
	[[ $verb =~ ^(path|whatif|mfu|roofline|metrics|memory|io|mpi|nccl|graphs|stacks|sync)$ && $status == 5 ]] && return 1
	[[ $status == 0 ]] || fail "$ran: exit status $status, not 0"
}
# With PROPERTY_PART the fixture, whose names are fewer, is asked for one answer in so many.
part=${PROPERTY_PART:-1} turn=0
while read -r verb pattern; do
	any=$pattern
	[[ $pattern != . ]] || any='(?s).|^$'
	marker_of "$verb" 're:(?s).*'
	for format in table csv tsv json jsonl md html; do
		ask "$verb" "$WARPLENS" "$verb" ${any:+"$any"} h.sqlite -f $format "${marker[@]}" || continue
		cp out "m/hostile.$verb.$format"
		cp err "m/hostile-err.$verb.table"
		[[ -e f.sqlite ]] || continue
		((turn++ % part == 0)) || continue
		ask "$verb" "$WARPLENS" "$verb" ${pattern:+"$pattern"} f.sqlite -f $format "${marker[@]}" || continue
		cp out "m/fixture.$verb.$format"
	done
done < <(verbs)
# Wide enough for a whole name, and too narrow for any; ASCII only; every choice of a name.
COLUMNS=30000 expect 0 "$WARPLENS" kernels h.sqlite -n0
cp out m/wide.kernels.table
COLUMNS=1 expect 0 "$WARPLENS" kernels h.sqlite -n0
cp out m/narrow.kernels.table
LC_ALL=C expect 0 "$WARPLENS" info h.sqlite -n0
cp out m/ascii.info.table
for name in demangled short mangled base; do
	expect 0 "$WARPLENS" kernels h.sqlite -n0 --name $name -f json
	cp out m/named-$name.kernels.json
done
# One line per row: no name breaks out of its own.
expect 0 "$WARPLENS" kernels h.sqlite -n0 --columns name,calls
[[ $(wc -l <out) == $(($(wc -l <m/hostile.kernels.jsonl) + 2)) ]] || fail "names add lines to a table"
# A name that a shell can hold can be looked for.
for name in '<script>' $'\033' '"' $'\\' '😀' '&amp;'; do
	expect 0 "$WARPLENS" search "\\Q$name\\E" h.sqlite -f json
	cp out "m/found-$n_checks.search.json"
	expect 0 "$WARPLENS" kernels h.sqlite --where "name ~ '\\Q$name\\E'" -f json
	cp out "m/where-$n_checks.kernels.json"
done

# --- names of files and arguments ----------------------------------------------------------
evil=$'\033[31m<b>"evil\'\n\xff\u202e.sqlite'
cp h.sqlite "$evil"
for format in table csv tsv json jsonl md html; do
	expect 0 "$WARPLENS" kernels "$evil" -f $format -n2
	cp out "m/path.kernels.$format"
	cp err "m/path-err.kernels.table"
	expect 0 "$WARPLENS" kernels h.sqlite --window "nvtx:plain" -f $format -n2
done
messages() { # STATUS ARGS... - one clean line
	expect "$@"
	cp err "m/message-$n_checks.x.table"
}
messages 3 "$WARPLENS" kernels "$evil.missing"
messages 2 "$WARPLENS" "${evil//[.\/]/}"
messages 2 "$WARPLENS" help "$evil"
messages 2 "$WARPLENS" kernels h.sqlite "--$evil"
messages 2 "$WARPLENS" kernels h.sqlite --format "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --window "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --window "nvtx:$evil"
messages 2 "$WARPLENS" kernels h.sqlite --where "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --sort "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --columns "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --pid "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --by "$evil"
messages 2 "$WARPLENS" kernels h.sqlite -n "$evil"
messages 2 "$WARPLENS" kernels h.sqlite --timeunit "$evil"
messages 2 "$WARPLENS" info h.sqlite --section "$evil"
messages 2 "$WARPLENS" search "($evil" h.sqlite
messages 6 "$WARPLENS" kernels h.sqlite -q -f csv -o "h.sqlite/$evil"
messages 2 "$WARPLENS" kernels h.sqlite --gpu "$evil"
expect 0 "$WARPLENS" kernels h.sqlite --gpu "0,$evil"
cp out m/gpu.kernels.table

python3 -B "$here/support/hostile.py" check h.sqlite m || fail "hostile names"
python3 -B "$here/support/check_outputs.py" m || fail "hostile outputs"
finish
