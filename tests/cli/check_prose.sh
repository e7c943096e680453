#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check_prose.sh - what tools/check-prose must refuse, and what it must accept.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
# tree PATH TEXT: a source tree with one file
tree() {
	rm -rf "$room/src" "$room/web"
	mkdir -p "$room/$(dirname "$1")"
	printf '%s\n' "$2" >"$room/$1"
}
refuses() { # PATH TEXT WHAT
	tree "$1" "$2"
	if said=$("$root/tools/check-prose" "$room"); then
		echo "accepted: $2"
		exit 1
	fi
	echo "$said" | grep -qF -- "$3" || { echo "expected '$3', got: $said"; exit 1; }
}
accepts() {
	tree "$1" "$2"
	"$root/tools/check-prose" "$room"
}
"$root/tools/check-prose" "$root"
refuses src/session/a.c 'return strstr(text, " --gpu ");' 'src/session/a.c:1: looks for " --gpu "'
refuses src/render/a.c 'if (strncmp(fixing, "fixing this ", 12) == 0)' 'looks for "fixing this "'
refuses src/render/a.c $'/* two\nlines */\nend = strstr(text, " of ");' 'src/render/a.c:3:'
refuses src/cli/a.c $'same = strcmp(join(a, "x"),\n\t"there are more") == 0;' 'looks for "there are more"'
refuses src/tui/a.h 'x = strcasestr(note->text, "it \"is\" late")' 'make it a field'
refuses web/drawer/a.js "if (text.startsWith('fixing this '))" 'web/drawer/a.js:1:'
refuses web/drawer/a.js 'const [a, b] = said.split(" of ");' 'looks for " of "'
refuses src/agent/a.c $'static const char verdict[] = "no straggler: ";\nif (strncmp(n, verdict, sizeof(verdict) - 1) == 0)' \
	'src/agent/a.c:2: looks for "no straggler: "'
refuses src/agent/a.c $'#define OF "steps of "\nat = strstr(s, OF);' 'looks for "steps of "'
refuses src/agent/a.c $'static bool has(const char *s, const char *what)\n{\n\treturn strstr(s, what);\n}\nx = has(s, "steps of ");' \
	'src/agent/a.c:5: looks for "steps of "'
refuses src/agent/a.c "end = strchr(note->text, ';');" 'a.c:1: searches note->text'
refuses src/agent/a.c 'n = strcspn(why.msg, ":");' 'searches why.msg'
refuses src/agent/a.c 'r = strcmp(n->text, text);' 'searches n->text'
refuses web/drawer/a.js 'const UNUSED = /^recorded, not used: (.+)/;' 'looks for "^recorded, not used: (.+)"'
refuses web/drawer/a.js "if (note === 'no straggler is named')" 'looks for "no straggler is named"'
# What is called a sentence is not searched, whatever for.
refuses src/render/a.c 'if (strstr(sentence, "straggler"))' 'searches sentence'
refuses src/render/a.c 'at = strchr(sentence, 0x3b);' 'searches sentence'
refuses src/render/a.c "n = strcspn(f->fixing, \";\");" 'searches f->fixing'
refuses src/render/a.c 'for (p = strtok_r(row->finding, ";", &rest); p;)' 'searches row->finding'
refuses src/render/a.c 'v = strtoul(note->text + 5, NULL, 10);' 'searches note->text'
refuses src/render/a.c 'at = strstr(first_note->text, word);' 'searches first_note->text'
refuses src/render/a.c 'at = strstr(d->finding[i].claim, word);' 'searches d->finding[i].claim'
refuses src/render/a.c 'at = strpbrk(advice, ".;");' 'searches advice'
refuses src/cli/a.c 'at = strchr(col->help, 0x2e);' 'searches col->help'
refuses src/cli/a.c 'if (strncmp(err->msg, "cannot", 6) == 0)' 'searches err->msg'
refuses src/render/a.c 'if (sscanf(text, "saves %lf ms", &ms) == 1)' 'looks for "saves %lf ms"'
refuses src/render/a.c 're = wl_regex_new("^fixing this (.*)");' 'looks for "^fixing this (.*)"'
refuses src/agent/a.c $'static const char *const lead = "fixing this ";\nif (strncmp(s, lead, strlen(lead)) == 0)' \
	'src/agent/a.c:2: looks for "fixing this "'
refuses src/agent/a.c $'static const char *const leads[] = { "a", "fixing this " };\nif (strstr(s, leads[i]))' \
	'src/agent/a.c:2: looks for "fixing this "'
refuses web/drawer/a.js 'x = said.replace("fixing this ", "");' 'looks for "fixing this "'
refuses web/drawer/a.js 'x = said.includes(`fixing this`);' 'looks for "fixing this"'
refuses web/drawer/a.js 'x = new RegExp("saves (.*) of").exec(said);' 'looks for "saves (.*) of"'
refuses web/drawer/a.js 'x = finding.text.split(";")[0];' 'searches finding.text'
refuses web/drawer/a.js "x = row.fixing.slice(12);" 'searches row.fixing'
# derive/ gives typed values.
refuses src/derive/iters/a.c 'w->remark = "no step stands out";' 'src/derive/iters/a.c:1: makes "no step stands out"'
refuses src/derive/graph/a.c $'int x;\nsnprintf(s, n, "%zu of %zu slow", a, b);' 'a.c:2: makes "%zu of %zu slow"'
refuses src/derive/rows/ops.c 'int x;' 'src/derive/rows/ops.c: makes no names'
accepts src/derive/iters/a.c 'return wl_fail(reterr, WL_E_NOMATCH, "no rank %d", n); /* a "b c" */'
accepts src/derive/iters/a.c 'static_assert(N <= 64, "a bit for each"); return bad(m, "a text", reterr);'
accepts src/derive/iters/a.c 'snprintf(s, n, "%s %s%-3zu", a, b, c); put(" > ", "slow");'
accepts src/derive/rows/ops.c 'return "[CUDA memset]";'
accepts src/render/a.c 'put(sentence); n = strlen(note->text); x = strcmp(notes_of, word); say(col->help);'
accepts src/render/a.c 'at = strchr(finding_name(i), 0x2d); y = strstr(a->note_name, word);'
accepts src/render/a.c $'static const char *const words[] = { "a sentence" };\nsay(words[i]); x = strstr(s, word);'
refuses src/agent/skills/maker.c 'int x;' 'nothing looks for " with "'
accepts src/session/a.c 'return strcmp(by, "iteration") == 0 || strchr(text, 0x20);'
accepts src/session/a.c '/* strstr(text, "in a comment") */ puts("a sentence");'
accepts src/session/a.c 'for (at = strstr(s, " ("); at; at = strstr(at, ", ")) say("of it");'
accepts src/agent/a.c $'static bool a(void)\n{\n\tstatic const char text[] = "a sentence";\n\treturn say(text);\n}\nx = strstr(text, word);'
accepts src/agent/a.c 'put(n->text); wl_fail(reterr, why.code, "%s", why.msg);'
accepts web/data/a.js "x = a / 2 + b / c; say('no straggler'); y = k === 'Enter' || /^\\d+$/.test(z);"
accepts src/known/a.c 'return strstr(name, ", seq = ") != NULL;'
accepts src/agent/skills/params.c 'return strncmp(text, "default ", 8) == 0;'
accepts web/data/a.js "name.split(' > '); words.includes('x'); say('a sentence');"
if "$root/tools/check-prose" "$room/none" >/dev/null; then
	echo "accepted a tree without sources"
	exit 1
fi
echo "38 faults refused"
