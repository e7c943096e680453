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
echo "16 faults refused"
