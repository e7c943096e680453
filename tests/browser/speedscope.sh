#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# speedscope.sh - Chrome timelines in speedscope, an independent importer: its rows and totals are those
# of the trace. Of a generated trace and, where the corpus is, of real ones.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room python3
cd "$work"
export HOME=$work
python3 -B "$here/support/gen_trace.py" -o generated.sqlite --ranks 2 --layers 2 --iters 6 --osrt 20 >/dev/null 2>&1
cp "$fixtures/steps.sqlite" .
for name in nsys-ai-h100-2gpu-1s nsightful-power-iteration-2025.3; do
	packed=${WARPLENS_SHARED:-}/corpus/$name/trace.sqlite.zst
	if [[ -e $packed ]]; then
		zstd -qdc "$packed" >"$name.sqlite"
	fi
done
for trace in *.sqlite; do
	name=${trace%.sqlite}
	expect 0 "$WARPLENS" export "$trace" -o "$name.trace.json"
	timeout 120 node "$room/speedscope.mjs" "$(command -v chromium)" "$name.trace.json" "$name.saved.json" || fail "$name: see above"
	expect 0 python3 -B "$here/browser/speedscope.py" "$trace" "$name.trace.json" "$name.saved.json"
	cat out
done
finish
