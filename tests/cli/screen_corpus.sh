#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# screen_corpus.sh - summary of real traces fits a screen of 24 lines and 80 columns.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/screen.sh
. "$(dirname "$0")/../support/screen.sh"

shared=${WARPLENS_SHARED:-}
[[ -d $shared/corpus ]] || { echo "skipped: no real traces in ${shared:-\$WARPLENS_SHARED}" >&2; exit 77; }
for packed in "$shared"/corpus/*/trace.sqlite.zst; do
	zstd -dqfo "$work/t.sqlite" "$packed"
	fits "$work/t.sqlite"
done
((n_fit >= 20)) || fail "only $n_fit traces have a summary"
finish
