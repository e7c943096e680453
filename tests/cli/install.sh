#!/bin/bash
# SPDX-License-Identifier: MIT
# What `cmake --install` puts into a staging directory is complete, and the program runs from there.
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
DESTDIR=$room cmake --install "$WARPLENS_BUILD" --prefix /usr >"$room/log" || { cat "$room/log"; exit 1; }
cd "$room/usr"
for file in share/man/man1/warplens.1 share/bash-completion/completions/warplens \
	share/zsh/site-functions/_warplens share/fish/vendor_completions.d/warplens.fish \
	share/doc/warplens/copyright share/doc/warplens/README.md; do
	[ -s "$file" ] || { echo "not installed: $file"; exit 1; }
done
verbs=$(bin/warplens --introspect | python3 -c 'import json, sys
print(*[v["name"] for v in json.load(sys.stdin)["verbs"]])')
for verb in $verbs; do
	[ -s "share/man/man1/warplens-$verb.1" ] || { echo "no manual page: $verb"; exit 1; }
done
version=$(sed -n 's/^project(warplens VERSION \([0-9.]*\).*/\1/p' "$WARPLENS_SOURCE/CMakeLists.txt")
bin/warplens --version | grep -qF "$version"
