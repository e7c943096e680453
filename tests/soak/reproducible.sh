#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two builds in directories of different names and lengths give the same bytes: the program, the static program and
# the package. Takes two release builds, without a compiler cache.
set -euo pipefail
source=${WARPLENS_SOURCE:?the directory of the sources}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
export SOURCE_DATE_EPOCH=1700000000 CCACHE_DISABLE=1
unset CFLAGS LDFLAGS MAKEFLAGS
build() { # DIRECTORY
	mkdir -p "$1"
	tar -C "$source" --exclude=./build --exclude=./.git -cf - . | tar -xf - -C "$1"
	make -C "$1" portable deb >"$room/log" 2>&1 || { tail -n 20 "$room/log"; exit 1; }
}
build "$room/a"
build "$room/a-longer-name/below"
bad=0
for file in warplens portable/warplens 'warplens_*.deb'; do
	# shellcheck disable=SC2086 # a pattern
	one=$(cd "$room/a/build/release" && sha256sum $file) two=$(cd "$room/a-longer-name/below/build/release" && sha256sum $file)
	printf '%s\n%s\n' "$one" "$two"
	[[ $one == "$two" ]] || { echo "FAIL: $file differs"; bad=1; }
done
exit $bad
