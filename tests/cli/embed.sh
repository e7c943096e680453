#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# embed.sh - what tools/embed makes of documents: C that compiles without warnings, with the same
# bytes, in one order; also of none, of long ones and of those that are not ASCII.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_SOURCE:?the source tree}"
cd "$work"
mkdir -p in/rules in/conventions
cat >show.c <<'END'
#include <stdio.h>
#include "known/builtin.h"
int main(void)
{
	for (const struct wl_builtin *b = wl_builtins; b->folder; b++) {
		printf("%s %s %zu\n", b->folder, b->name, b->size);
		fwrite(b->text, 1, b->size + 1, stdout);
	}
	return 0;
}
END
build() { # FILE... - to ./show
	expect 0 "$WARPLENS_SOURCE/tools/embed" made.c "$@"
	expect 0 "${CC:-gcc}" -std=c17 -Wall -Wextra -Wpedantic -Wconversion -Werror \
		-I"$WARPLENS_SOURCE/src" show.c made.c -o show
	quiet
}
build
expect 0 ./show
silent

python3 -c 'print("{\"long\": \"" + "x" * 100000 + "\"}", end="")' >in/rules/long.json
printf '{"a\\\\\\"": "\xc3\xa9%%s\xf0\x9f\x98\x80??/"}\n' >in/rules/a-b.json
printf '{}' >in/conventions/zz.json
: >in/conventions/empty.json
build in/rules/*.json in/conventions/*.json
cp made.c first.c
build in/conventions/zz.json in/conventions/empty.json in/rules/long.json in/rules/a-b.json
same made.c first.c 'another order of files'
expect 0 ./show
{
	for name in conventions/empty conventions/zz rules/a-b rules/long; do
		echo "${name/\// } $(stat -c %s "in/$name.json")"
		cat "in/$name.json"
		printf '\0'
	done
} >want
same out want 'the bytes'
finish
