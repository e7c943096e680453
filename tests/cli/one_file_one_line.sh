#!/bin/bash
# SPDX-License-Identifier: MIT
# An analysis is one source file and one line in src/, and so is a rule of findings: no third path
# names it; only a scenario of its own is elsewhere, which this one has not. Documents name the verbs
# they show: this one is in none. Questions in users' words and skills name verbs as users do, and are not looked at. With BUILD_WITHOUT=1 (`make
# soak-one_file_one_line`), the rest is built without the two and knows nothing of the verb or of the code.
set -euo pipefail
verb=matrix verb_home=src/analysis/time/matrix.c
rule=idle_gpu rule_home=src/findings/rules/idle_gpu.c
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
introspect2man=$WARPLENS_SOURCE/tools/introspect2man

mkdir "$room/tree"
cd "$WARPLENS_SOURCE"
cp -r CMakeLists.txt bench cmake data src tools web "$room/tree"
mkdir -p "$room/tree/tests/support"
cp -r tests/support/gen_trace.py tests/support/gen "$room/tree/tests/support" # make the demo trace
cd "$room/tree"

# remove MACRO NAME REGISTRY HOME: the two paths of something registered, if they are all that name it.
# As code and as a string, not as an English word in a text; a code has dashes for underscores.
remove() {
	local named code=${2//_/-}
	named=$(grep -rlE --exclude-dir=route --exclude-dir=skills "\"($2|$code)\"|\($2\)|[_/]$2\b|\b$2\.[ch]" src | sort)
	echo "paths in src/ that name $2:" $named
	[ "$named" = "$(printf '%s\n' "$3" "$4" | sort)" ]
	[ "$(grep -c "$2" "$3")" = 1 ]
	rm "$4"
	sed -i "/^$1($2)$/d" "$3"
}
remove WL_ANALYSIS "$verb" src/analysis/analyses.def "$verb_home"
remove WL_RULE "$rule" src/findings/findings.def "$rule_home"
[ "${BUILD_WITHOUT:-}" ] || exit 0

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
build/warplens findings --all "$WARPLENS_FIXTURES/tiny.sqlite" >"$room/findings"
! grep -q "${rule//_/-}" "$room/findings"
