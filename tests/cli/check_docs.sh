#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What tools/check-docs must refuse: each line puts one fault into a copy of the documents.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
fresh() {
	rm -rf "$room/tree"
	mkdir "$room/tree"
	cp -r "$root/README.md" "$root/CONTRIBUTING.md" "$root/SECURITY.md" "$root/CHANGELOG.md" "$root/LICENSE" "$root/Makefile" "$root/docs" \
		"$root/man" "$room/tree"
	for part in src tests tools cmake bench web .ci; do
		ln -s "$root/$part" "$room/tree/$part"
	done
}
# refuses WHAT: the tree has a fault, and the message names it
refuses() {
	if said=$("$root/tools/check-docs" "$room/tree"); then
		echo "accepted: $1"
		exit 1
	fi
	echo "$said" | grep -qF -- "$1" || { echo "expected '$1', got: $said"; exit 1; }
}
record=docs/decisions/0011-jansson.md
fresh
"$root/tools/check-docs" "$room/tree"
fresh; echo "There is no SQL yet." >>"$room/tree/README.md"; refuses "'yet' announces"
fresh; echo "Exit status 7 is reserved." >>"$room/tree/man/warplens.1"; refuses "'reserved' announces"
fresh; echo "It is not built." >>"$room/tree/docs/serve.md"; refuses "'not built' announces"
fresh; echo "[x](nowhere.md)" >>"$room/tree/docs/serve.md"; refuses "nowhere.md does not exist"
fresh; echo "[x](viewer.md#nothing)" >>"$room/tree/docs/serve.md"; refuses "viewer.md#nothing: no such heading"
fresh; echo "See \`derive/no_such_thing.h\`." >>"$room/tree/docs/serve.md"; refuses "there is no derive/no_such_thing.h"
fresh; sed -i 's/^Status: .*/Status: Decided./' "$room/tree/$record"; refuses "the status is none"
fresh; sed -i 's/^Status: .*/Status: Planned./' "$room/tree/$record"; refuses "does not say what is missing"
fresh; echo "# New" >"$room/tree/docs/new.md"; refuses "does not link to new.md"
fresh; sed -i '/^Definition:/d' "$room/tree/docs/analyses/idle.md"; refuses "no line 'Definition:"
fresh; mkdir -p "$room/tree/docs/guides"; echo "# New" >"$room/tree/docs/guides/new.md"; refuses "does not link to new.md"
fresh; echo "See \`unit.no_such_thing\`." >>"$room/tree/docs/serve.md"; refuses "there is no test unit.no_such_thing"
fresh; echo "Run \`make soak-nothing\`." >>"$room/tree/docs/serve.md"; refuses "there is no target soak-nothing"
fresh; sed -i 's/^| export | base/| export | base serve/' "$room/tree/docs/architecture.md"; refuses "| export | base serve"
fresh; sed -i 's/^| findings | rules |/| findings | rules, more |/' "$room/tree/docs/architecture.md"; refuses "| findings | rules, more"
fresh; sed -i 's/^| secrets of commands are masked, .*/| secrets are masked | its users |/' "$room/tree/SECURITY.md"
refuses "no test holds 'secrets are masked'"
echo "16 faults refused"
