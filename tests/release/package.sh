#!/bin/bash
# SPDX-License-Identifier: MIT
# lintian has nothing to say about the Debian package, and no package is twice in its dependencies.
# Usage: package.sh BUILD_DIRECTORY
set -euo pipefail
build=$1
shopt -s nullglob
debs=("$build"/warplens_*.deb)
((${#debs[@]} == 1)) || { echo "skipped: no package in $build; make deb builds it"; exit 77; }
twice=$(dpkg-deb -f "${debs[0]}" Depends | tr ',' '\n' | awk '{ print $1 }' | sort | uniq -d)
[[ -z $twice ]] || { echo "twice in Depends: $twice"; exit 1; }
dpkg-deb -f "${debs[0]}" Breaks | grep -q '^libsqlite3-0 (<< 3.37)$' || { echo "takes any SQLite"; exit 1; }
command -v lintian >/dev/null || { echo "skipped: no lintian"; exit 77; }
lintian --version
status=0
said=$(lintian --allow-root --fail-on error,warning,info --display-info --show-overrides "${debs[0]}") || status=$?
((status == 0 || status == 2)) || { echo "lintian ended with status $status"; exit 1; }
root=$(cd "$(dirname "$0")/../.." && pwd)
found=0
while IFS= read -r line; do
	[[ -n $line ]] || continue
	# Machine code has letters in it, too: words that no text of ours has are not misspelt ones.
	if [[ $line =~ spelling-error-in-binary\ ([^ ]+)\  ]] &&
		! grep -rqF -- "${BASH_REMATCH[1]}" "$root"/{src,web,man,cmake,CMakeLists.txt}; then
		echo "machine code: $line"
		continue
	fi
	echo "$line"
	found=1
done <<<"$said"
((found == 0)) || exit 1
echo "lintian has nothing to say about ${debs[0]##*/}"
