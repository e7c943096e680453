#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# skill.sh - the command skill: files of the user's, parameters, findings, abstentions, formats.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_SOURCE:?the source tree}"
cd "$work"
export HOME=$work/home XDG_CONFIG_HOME=$work/config
own=$XDG_CONFIG_HOME/warplens/skills
expect 0 "$WARPLENS" demo --output run.sqlite

# ---- Lists and pages ----
expect 0 "$WARPLENS" skill list
quiet
prints 'top_kernels'
expect 0 "$WARPLENS" skill list -f csv --columns skill --where 'origin = verb'
for verb in summary kernels nvtx-kernels findings; do
	grep -qx "$verb" out || fail "no skill $verb"
done
expect 0 "$WARPLENS" skill show top_kernels
prints '# top_kernels'
expect 0 "$WARPLENS" skill show gaps
prints '- min (time): '
expect 2 "$WARPLENS" skill show top_kernel
says 'no skill "top_kernel"; did you mean top_kernels?'
expect 2 "$WARPLENS" skill show gaps -f json
says 'leave -f and -o out'
expect 2 "$WARPLENS" skill
says 'usage: warplens skill list, show NAME'
expect 2 "$WARPLENS" skill run kernels
says 'usage:'

expect 2 "$WARPLENS" nccl_anomaly run.sqlite
says 'nccl_anomaly is a skill: warplens skill run nccl_anomaly TRACE'
# Commands that a skill suggests are ready to be pasted.
cp run.sqlite 'my run.sqlite'
expect 5 "$WARPLENS" skill run tensor_core_usage 'my run.sqlite'
says "warplens roofline 'my run.sqlite' --ncu FILE"

# ---- A verb as a skill is the verb ----
for args in '' '-f csv' '-f json' '-f md' '-f jsonl' '-f html'; do
	# shellcheck disable=SC2086 # words
	expect 0 "$WARPLENS" kernels run.sqlite $args
	grep -v '"document"\|<title>\|<h1>' out >verb || true
	# shellcheck disable=SC2086
	expect 0 "$WARPLENS" skill run kernels run.sqlite $args
	[[ $args == *html ]] || same verb out "skill run kernels $args"
done
for verb in summary info; do
	expect 0 "$WARPLENS" "$verb" run.sqlite
	cp out verb
	expect 0 "$WARPLENS" skill run "$verb" run.sqlite
	same verb out "skill run $verb"
done
expect 0 "$WARPLENS" gaps run.sqlite --min 100us -n 2 --sort duration -f csv
cp out verb
expect 0 "$WARPLENS" skill run gaps run.sqlite -p min=100us -p limit=2 -p sort=duration -f csv
same verb out 'options of a verb as parameters'
expect 0 "$WARPLENS" kernels run.sqlite --window steady --gpu 1 -f csv
cp out verb
expect 0 "$WARPLENS" skill run kernels run.sqlite --window steady --gpu 1 -f csv
same verb out 'the selection of a skill'

# ---- Own files ----
mkdir -p "$own"
cat >"$own/mine.md" <<'END'
# mine

Slow kernels

## Parameters

- min (time, default 1ms): The least sum.
- word (text, default gemm): Part of the name.

## SQL

```sql
SELECT name, sum, calls, sum / calls AS mean_ns, 1.0 * sum / (SELECT sum(sum) FROM kernels) AS part_share
FROM kernels WHERE sum >= :min AND name LIKE '%' || :word || '%' AND gpu = :gpu
ORDER BY sum DESC
```

## Findings

- high when part_share > 10%: {name} takes {sum} ({part_share}), more than {min}. Do: fuse it.

## Abstains

- when no rows: no kernel has {word} in its name and takes that long

## Expect

- rows > 0
- every sum >= 1ms
- abstains with word=xyzzy
- findings > 0
END
expect 0 "$WARPLENS" skill list --where 'origin = own' -f csv --columns skill,parameters
prints 'mine,"min, word"'
expect 0 "$WARPLENS" skill run mine run.sqlite --gpu 0
prints 'takes 27.73 ms'
prints 'more than 1ms'
prints '   Do     fuse it.'
expect 0 "$WARPLENS" skill run mine run.sqlite --section findings -f csv
prints 'mine,high,'
expect 0 "$WARPLENS" skill run mine run.sqlite -f json
python3 - <<'END' || fail 'json of a skill'
import json
doc = json.load(open("out"))
first, findings = doc["sections"]
assert [c["type"] for c in first["columns"]] == ["string", "duration", "count", "duration", "ratio"], first
assert first["rows"] and findings["analysis"] == "findings"
assert len(findings["rows"]) == sum(r["part_share"] > .1 for r in first["rows"])
END
expect 0 "$WARPLENS" skill run mine run.sqlite --section sql --where 'calls > 100' -n 1 -f csv
[[ $(wc -l <out) == 2 ]] || fail '--where and -n of a table'
expect 5 "$WARPLENS" skill run mine run.sqlite -p word=xyzzy
says 'mine abstains: no kernel has xyzzy in its name'
# A value stays a value.
expect 5 "$WARPLENS" skill run mine run.sqlite -p "word=' OR 1=1 --"
expect 2 "$WARPLENS" skill run mine run.sqlite -p wrd=a
says 'mine has no parameter "wrd"; did you mean word?; it takes: min, word'
expect 2 "$WARPLENS" skill run mine run.sqlite -p min
says 'min: write a parameter as NAME=VALUE'
expect 2 "$WARPLENS" skill run mine run.sqlite -p min=x
says 'min: '
expect 2 "$WARPLENS" skill run mine run.sqlite --window steady
says 'mine does not take --window'
expect 2 "$WARPLENS" skill run mine run.sqlite --where 'calls > 1'
says 'need --section NAME'
expect 2 "$WARPLENS" skill run mine run.sqlite --section nme
says '--section nme: mine has sql, findings'
expect 0 "$WARPLENS" skill test mine run.sqlite
[[ $(grep -c passed out) == 4 ]] || fail 'expectations'
expect 0 "$WARPLENS" skill test mine
prints 'mine is valid'
sed 's/rows > 0/rows > 1000/' "$own/mine.md" >mine.md
expect 1 "$WARPLENS" skill test ./mine.md run.sqlite
prints 'failed'
says 'mine: 1 of 4 expectations failed'

# Agents run it, too.
{
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"skill","arguments":{"name":"mine","trace":"run.sqlite","gpu":0}}}'
} >calls
expect 0 sh -c '"$WARPLENS" mcp <calls'
prints '1 finding (section findings)'
prints 'takes 27.73 ms'

# The file that the documentation shows.
sed -n '/^````markdown$/,/^````$/p' "$WARPLENS_SOURCE/docs/skills.md" | sed '1d;$d' >slow_copies.md
expect 0 "$WARPLENS" skill test slow_copies.md run.sqlite
[[ $(grep -c passed out) == 2 ]] || fail 'the example of the documentation'
expect 0 "$WARPLENS" skill run ./slow_copies.md run.sqlite -p min_size=1
prints 'CUDA memcpy'
sed -n '/^```json$/,/^```$/p' "$WARPLENS_SOURCE/docs/skills.md" | sed '1d;$d' >top.json
expect 0 "$WARPLENS" skill test top.json run.sqlite
[[ $(grep -c passed out) == 1 ]] || fail 'the example in JSON'

# ---- Adding and removing ----
expect 2 "$WARPLENS" skill add mine.md
says 'mine is there already'
expect 0 "$WARPLENS" skill remove mine
prints "removed $own/mine.md"
[[ ! -e $own/mine.md ]] || fail 'not removed'
rm -r "$XDG_CONFIG_HOME"
expect 0 "$WARPLENS" skill add mine.md
prints "added $own/mine.md"
cmp -s mine.md "$own/mine.md" || fail 'the copy differs'
expect 2 "$WARPLENS" skill remove top_kernels
says 'only your own can be removed'
expect 2 "$WARPLENS" skill remove ../../x
expect 2 "$WARPLENS" skill remove mien
says 'did you mean mine?'
sed 's/^# mine/# kernels/' mine.md >kernels.md
expect 2 "$WARPLENS" skill add kernels.md
says 'kernels is a skill of the program'
cp kernels.md "$own/"
COLUMNS=300 expect 0 "$WARPLENS" skill list --where 'origin = own' -f csv
says 'kernels.md: kernels is a skill'
rm "$own/kernels.md"
printf '# broken\n\nT\n\n## Verbs\n\n```\nkernles\n```\n' >"$own/broken.md"
expect 2 "$WARPLENS" skill run broken run.sqlite
says "$own/broken.md:8: no verb \"kernles\"; did you mean kernels?"
expect 0 "$WARPLENS" skill list --where 'origin = own' -f csv
says 'broken.md:8:'
cp mine.md "$own/other.md"
expect 2 "$WARPLENS" skill run other run.sqlite
says 'the skill in it is called mine; give the file that name'
rm "$own"/*
ln -s /etc/passwd "$own/link.md"
expect 2 "$WARPLENS" skill run link run.sqlite
expect 3 "$WARPLENS" skill add nowhere.md

# What the built-in skills expect of a trace holds.
expect 0 "$WARPLENS" skill list --where 'origin = built-in' --columns skill -f csv
sed 1d out >names
[[ $(wc -l <names) == 38 ]] || fail 'not 38 built-in skills'
while read -r name; do
	expect 0 "$WARPLENS" skill test "$name" run.sqlite
done <names

# SQL of a skill can only read, and not see what is private.
skill_of() {
	printf '# evil\n\nT\n\n## SQL\n\n```\n%s\n```\n' "$1" >evil.md
}
skill_of "ATTACH 'x.db' AS x"
expect 2 "$WARPLENS" skill run ./evil.md run.sqlite
skill_of 'DELETE FROM StringIds'
expect 2 "$WARPLENS" skill run ./evil.md run.sqlite
skill_of 'WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT count(*) AS n FROM a'
expect 6 "$WARPLENS" skill run ./evil.md run.sqlite --timeout 1
skill_of 'SELECT :nme AS a'
expect 2 "$WARPLENS" skill run ./evil.md run.sqlite
says 'evil.md:8: sql: there is no parameter :nme'
finish
