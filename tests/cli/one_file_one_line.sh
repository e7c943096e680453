#!/bin/bash
# An analysis is one source file and one line in src/: without these two the rest still builds, and
# no trace of the verb is left. CONTRIBUTING.md shows the same verb.
set -euo pipefail
verb=transfers
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

"$WARPLENS" --introspect >"$room/before.json"
mkdir "$room/tree"
cd "$WARPLENS_SOURCE"
cp -r CMakeLists.txt LICENSE README.md CHANGELOG.md SECURITY.md cmake docs man src tools "$room/tree"
cd "$room/tree"
rm "src/analysis/$verb.c"
sed -i "/^WL_ANALYSIS($verb)/d" src/analysis/analyses.def
paths=$(diff -rq "$WARPLENS_SOURCE/src" src | wc -l)
echo "paths in src/ that make $verb: $paths"
[ "$paths" = 2 ]

cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Debug -DWL_TESTS=OFF >log 2>&1 || { cat log; exit 1; }
cmake --build build >log 2>&1 || { cat log; exit 1; }
build/warplens --introspect >"$room/after.json"
python3 - "$room/before.json" "$room/after.json" "$verb" <<'END'
import json, sys
before, after = (json.load(open(path)) for path in sys.argv[1:3])
gone = {v["name"] for v in before["verbs"]} - {v["name"] for v in after["verbs"]}
assert gone == {sys.argv[3]}, gone
END
[ ! -e "build/generated/man/warplens-$verb.1" ]
[ -e "build/generated/man/warplens-kernels.1" ]
status=0
build/warplens "$verb" nothing.sqlite 2>/dev/null || status=$?
[ "$status" = 2 ]
