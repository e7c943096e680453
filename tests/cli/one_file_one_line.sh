#!/bin/bash
# SPDX-License-Identifier: MIT
# An analysis is one source file and one line in src/: no third path names it, and without the two
# the rest still builds and knows nothing of the verb. Documents name the verbs they show: this one is
# in none.
set -euo pipefail
verb=matrix
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
introspect2man=$WARPLENS_SOURCE/tools/introspect2man

mkdir "$room/tree"
cd "$WARPLENS_SOURCE"
cp -r CMakeLists.txt bench cmake src tools web "$room/tree"
cd "$room/tree"

# As code and as a string, not as an English word in a text.
named=$(grep -rlE "\"$verb\"|\($verb\)|[_/]$verb\b|\b$verb\.[ch]" src | sort)
echo "paths in src/ that name $verb:" $named
[ "$named" = "src/analysis/analyses.def
src/analysis/$verb.c" ]
[ "$(grep -c "$verb" src/analysis/analyses.def)" = 1 ]

rm "src/analysis/$verb.c"
sed -i "/^WL_ANALYSIS($verb)$/d" src/analysis/analyses.def
cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DWL_TESTS=OFF >log 2>&1 || { cat log; exit 1; }
cmake --build build --target warplens >log 2>&1 || { cat log; exit 1; }

"$WARPLENS" --introspect >"$room/before.json"
build/warplens --introspect >"$room/after.json"
python3 - "$room/before.json" "$room/after.json" "$verb" <<'END'
import json, sys
before, after = (json.load(open(path)) for path in sys.argv[1:3])
gone = {v["name"] for v in before["verbs"]} - {v["name"] for v in after["verbs"]}
assert gone == {sys.argv[3]}, gone
END
python3 -B "$introspect2man" "$room/man" <"$room/after.json"
[ ! -e "$room/man/warplens-$verb.1" ]
[ -e "$room/man/warplens-kernels.1" ]
build/warplens summary "$WARPLENS_FIXTURES/tiny.sqlite" >/dev/null
status=0
build/warplens "$verb" "$WARPLENS_FIXTURES/tiny.sqlite" 2>/dev/null || status=$?
[ "$status" = 2 ]
