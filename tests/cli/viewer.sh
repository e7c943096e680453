#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# viewer.sh - "warplens viewer": the file it writes, what it tells, what it refuses, and that it harms nothing.
# That all events come back out of it is checked here without the page; the page itself, tests/browser checks.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"
[[ -n $fixtures ]] || { echo "no fixtures"; exit 77; }
cp "$fixtures"/{steps,two_ranks,no_gpu,hostile,waits}.sqlite .
cat >unpack.py <<'PY'
"""unpack.py FILE - print the head of a page as JSON, and check that the data fit it."""
import base64, hashlib, json, re, sys, zlib
page = open(sys.argv[1], encoding="utf-8").read()
head = json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', page, re.S)[1])
pieces = re.findall(r'<script type="application/x-b64">(.*?)</script>', page)
assert len(pieces) == head["data"]["pieces"] and all(len(p) % 4 == 0 and len(p) <= 4 << 20 for p in pieces)
data = zlib.decompress(b"".join(map(base64.b64decode, pieces)), wbits=-15)
assert len(data) == head["data"]["bytes"]
end = 0
for key, of, n, offset, size in head["data"]["columns"]:
    assert offset == end, key
    end += size
    if key == "columns":
        assert size == 2 * n
    else:
        assert sum(byte < 128 for byte in data[offset:end]) == n, key
assert end == len(data)
starts = [(of, n) for key, of, n, _, _ in head["data"]["columns"] if key == "start"]
assert starts == [(i, n) for i, (row, n) in enumerate(head["lanes"])]
assert sum(row["events"] for row in head["rows"]) >= sum(n for _, n in head["lanes"])
script = re.search(r"<script>(.*?)</script>", page, re.S)[1].encode()
source = base64.b64encode(hashlib.sha256(script).digest()).decode()
assert f"script-src 'sha256-{source}';" in page, "the policy names another script"
assert "</script" not in json.dumps(head["traces"]) or "\\u003c" in page
print(json.dumps(head))
PY
field() { # FILE EXPRESSION over head
	python3 unpack.py "$1" >head.json || fail "$1 cannot be unpacked"
	python3 -c "import json; head = json.load(open('head.json')); print($2)"
}

# --- a file that needs nothing else --------------------------------------------------------------
expect 0 "$WARPLENS" viewer steps.sqlite -o a.html
silent
says "viewer: "
says "viewer: wrote a.html"
grep -q '<script type="application/x-b64">' a.html || fail "no data in the page"
! grep -qE '@[A-Z]+@' a.html || fail "a marker is left in the page"
! grep -qE '(src|href)="(https?:)?//' a.html || fail "the page asks somebody"
events=$(field a.html 'sum(n for _, n in head["lanes"])')
says "viewer: $events events, "
[[ $(field a.html 'sum(row["events"] for row in head["rows"])') == "$events" ]] || fail "events are missing"
[[ $(field a.html '(head["pyramid"], head["redacted"], head["limits"]["banner"])') == "(None, False, None)" ]] ||
	fail "a small page is reduced"

# --- the same trace gives the same bytes, on any number of threads ------------------------------
for j in 1 4; do
	expect 0 "$WARPLENS" viewer steps.sqlite -j $j -o b.html
	same a.html b.html "-j $j"
done

# --- less of it ----------------------------------------------------------------------------------
expect 0 "$WARPLENS" viewer steps.sqlite -o w.html --window iter:1
(($(field w.html 'sum(n for _, n in head["lanes"])') < events)) || fail "a window has as many events"
[[ $(field w.html 'head["traces"][0]["window"] is None') == False ]] || fail "no window in the head"
expect 0 "$WARPLENS" viewer steps.sqlite -o m.html --min-dur 1ms
(($(field m.html 'sum(n for _, n in head["lanes"])') < events)) || fail "--min-dur leaves nothing out"
expect 0 "$WARPLENS" viewer two_ranks.sqlite -o g.html --gpu 0
expect 0 "$WARPLENS" viewer two_ranks.sqlite -o all.html
(($(field g.html 'len(head["rows"])') < $(field all.html 'len(head["rows"])'))) || fail "--gpu has as many rows"

# --- two traces ----------------------------------------------------------------------------------
expect 0 "$WARPLENS" viewer steps.sqlite two_ranks.sqlite -o both.html
[[ $(field both.html '[t["label"] for t in head["traces"]]') == "['steps.sqlite', 'two_ranks.sqlite']" ]] ||
	fail "not both traces"
(($(field both.html 'len(head["rows"])') == $(field a.html 'len(head["rows"])') + $(field all.html 'len(head["rows"])'))) ||
	fail "rows of both do not add up"

# --- too large -----------------------------------------------------------------------------------
expect 2 "$WARPLENS" viewer steps.sqlite -o none.html --max-size 1K
says "--max-size"
[[ ! -e none.html ]] || fail "a page that is too large was written"

# --- names ---------------------------------------------------------------------------------------
expect 0 "$WARPLENS" viewer hostile.sqlite -o h.html
field h.html 'head["format"]' >/dev/null
expect 0 "$WARPLENS" viewer steps.sqlite -o r.html --redact
[[ $(field r.html '(head["redacted"], head["traces"][0]["label"])') == "(True, 'trace 1')" ]] || fail "not redacted"
! grep -q 'steps.sqlite' r.html || fail "the path is in a redacted page"

# --- what it refuses -----------------------------------------------------------------------------
expect 2 "$WARPLENS" viewer steps.sqlite
says "-o view.html"
expect 2 "$WARPLENS" viewer -o x.html
expect 2 "$WARPLENS" viewer a b c -o x.html
expect 2 "$WARPLENS" viewer steps.sqlite -o steps.sqlite
expect 2 "$WARPLENS" viewer steps.sqlite -o x.html -f json
expect 2 "$WARPLENS" viewer steps.sqlite -o x.html --max-size many
expect 3 "$WARPLENS" viewer none.sqlite -o x.html
expect 0 "$WARPLENS" viewer steps.sqlite -o /dev/null
[[ ! -e x.html ]] || fail "a refused page was written"
cmp steps.sqlite "$fixtures/steps.sqlite" || fail "the trace was changed"
finish
