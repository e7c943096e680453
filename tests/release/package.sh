#!/bin/bash
# SPDX-License-Identifier: MIT
# lintian has nothing to say about the Debian package.
# Usage: package.sh BUILD_DIRECTORY
set -euo pipefail
build=$1
shopt -s nullglob
debs=("$build"/warplens_*.deb)
((${#debs[@]} == 1)) || { echo "skipped: no package in $build; make deb builds it"; exit 77; }
command -v lintian >/dev/null || { echo "skipped: no lintian"; exit 77; }
lintian --version
lintian --allow-root --fail-on error,warning,info --display-info --show-overrides "${debs[0]}"
echo "lintian has nothing to say about ${debs[0]##*/}"
