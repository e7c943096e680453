#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# explorer.sh - "warplens schema --html": the file it writes, what it refuses, and that it harms nothing.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
trace=$(fixture tiny)
cp "$trace" "$work/t.sqlite"
cp "$fixtures/two_ranks.sqlite" "$work/two.sqlite"
cd "$work"

# --- what is written --------------------------------------------------------------------------
expect 0 "$WARPLENS" schema t.sqlite --html page.html
quiet
[[ $(cat out) == "wrote page.html" ]] || fail "$ran: $(cat out)"
grep -q '<title>Schema of t.sqlite</title>' page.html || fail "no title"
[[ $(tail -n 1 page.html) == '</html>' ]] || fail "the page is not whole"
cp page.html first.html
expect 0 "$WARPLENS" schema t.sqlite --html page.html
same page.html first.html "the page of the same trace"
expect 0 "$WARPLENS" schema_inspect t.sqlite --html=page.html --reader sqlite -j 1
same page.html first.html "the page by the other reader"
expect 0 "$WARPLENS" index t.sqlite
expect 0 "$WARPLENS" schema t.sqlite --html page.html
same page.html first.html "the page by the index"
rm t.sqlite.wlidx

# --- what is refused ----------------------------------------------------------------------------
rm page.html
for words in "-f html" "-o x.html" "-n 5" "--where rows>0" "--sort rows" "--columns table"; do
	read -ra options <<<"$words"
	expect 2 "$WARPLENS" schema t.sqlite --html page.html "${options[@]}"
	silent
	says "--html writes a whole page; leave --"
done
expect 2 "$WARPLENS" schema t.sqlite two.sqlite --html page.html
says "schema: a page is of one trace; give one"
expect 2 "$WARPLENS" schema t.sqlite --html
expect 2 "$WARPLENS" kernels t.sqlite --html page.html
[[ ! -e page.html ]] || fail "a file in spite of a refusal"
cp t.sqlite before.sqlite
ln t.sqlite other.html
for file in t.sqlite ./t.sqlite other.html; do
	expect 2 "$WARPLENS" schema t.sqlite --html "$file"
	says "this is the trace itself"
done
same t.sqlite before.sqlite "the trace"

# --- what cannot be written ---------------------------------------------------------------------
expect 3 "$WARPLENS" schema absent.sqlite --html page.html
[[ ! -e page.html ]] || fail "a file without a trace"
try "$WARPLENS" schema t.sqlite --html t.sqlite/page.html
[[ $status != 0 && $(wc -l <err) == 1 ]] || fail "$ran: exit status $status"
silent
echo old >page.html
if [[ -w /dev/full ]]; then
	try "$WARPLENS" schema t.sqlite --html /dev/full
	[[ $status != 0 ]] || fail "$ran: exit status $status"
fi
[[ $(cat page.html) == old ]] || fail "an older file was touched"
[[ -z $(find . -name 'page.html?*') ]] || fail "an unfinished file stays behind"
finish
