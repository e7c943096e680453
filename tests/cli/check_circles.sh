#!/bin/bash
# SPDX-License-Identifier: MIT
# tools/check-circles refuses sources that call each other, and nothing else.
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

# archive NAME TEXT...: a layer of objects a, b, ... with these texts
archive() {
	local layer=$1 name=a
	shift
	rm -rf parts
	mkdir parts
	for text; do
		echo "$text" >"parts/$name.c"
		gcc -c -o "parts/$name.c.o" "parts/$name.c"
		name=$(tr a-y b-z <<<"$name")
	done
	rm -f "liblayer_$layer.a"
	ar rc "liblayer_$layer.a" parts/*.o
}

archive base 'void g(void); void f(void) { g(); }' 'void g(void) {}'
"$WARPLENS_SOURCE/tools/check-circles" "$room"

archive base 'void g(void); void f(void) { g(); }' 'void h(void); void g(void) { h(); }' 'void f(void); void h(void) { f(); }'
if "$WARPLENS_SOURCE/tools/check-circles" "$room" >said; then
	echo "a circle of three was not refused" >&2
	exit 1
fi
grep -qF 'circle: base:a base:b base:c' said

archive base 'void k(void); void f(void) { k(); }'
archive model 'void f(void); void k(void) { f(); }'
! "$WARPLENS_SOURCE/tools/check-circles" "$room" >said
grep -qF 'circle: base:a model:a' said
