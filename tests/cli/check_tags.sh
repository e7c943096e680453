#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What tools/check-tags must refuse, and what it must accept.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
# tree A B: a header and a source with these definitions
tree() {
	rm -rf "$room/src"
	mkdir -p "$room/src/base" "$room/src/derive"
	echo "$1" >"$room/src/base/a.h"
	echo "$2" >"$room/src/derive/b.c"
	echo "/* struct wl_a { */ struct wl_a *use(enum wl_b b);" >"$room/src/derive/c.c"
}
refuses() {
	tree "$1" "$2"
	if said=$("$root/tools/check-tags" "$room"); then
		echo "accepted: $1 and $2"
		exit 1
	fi
	echo "$said" | grep -qF -- "$3" || { echo "expected '$3', got: $said"; exit 1; }
}
accepts() {
	tree "$1" "$2"
	"$root/tools/check-tags" "$room"
}
"$root/tools/check-tags" "$root"
refuses 'struct wl_a { int x; };' 'struct wl_a { long y; };' 'wl_a is defined in src/base/a.h (struct wl_a)'
refuses 'struct wl_a { int x; };' 'enum wl_a { WL_X };' 'src/derive/b.c (enum wl_a)'
refuses 'union pair { int x; };' 'struct pair { int y; };' 'pair is defined in'
refuses 'enum { PID, NAME = 2 };' 'enum { NAME, LAST };' 'NAME is defined in'
refuses 'enum wl_a { WL_X = 1 << 2, /* , WL_Y */ WL_Z };' 'enum b { WL_Z };' 'WL_Z is defined in'
refuses 'struct a { enum wl_b { WL_X } b; };' 'enum { WL_X };' 'WL_X is defined in'
accepts 'struct wl_a { int x; }; enum wl_b { WL_X };' 'struct key { int y; }; enum { NAME = WL_X + 1, LAST };'
accepts 'struct wl_a { int x; }; void wl_a(struct wl_a *a);' 'enum { MANY = sizeof(struct wl_a) };'
tree 'struct wl_a { int x; };' 'struct key { int y; }; enum { NAME };'
echo 'struct key { int z; }; enum { NAME };' >"$room/src/derive/c.c"
"$root/tools/check-tags" "$room"
echo "6 faults refused"
