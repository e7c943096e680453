#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# roofline.sh - the tab of kernels below their roofs in a real browser, of a file and of a server: see roofline.mjs. Needs
# what browser.sh says, and poppler-utils.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/browser.sh
. "$here/support/browser.sh"
browser_room pdftotext
cd "$work"
export HOME=$work
expect 0 "$WARPLENS" demo -o run.sqlite
cp "$here/../docs/guides/kernels.csv" few.csv
# 24 kernels in two places, two of them with names that would be markup, and operations of three types, so that roofs are near
# each other.
python3 -B - few.csv many.csv <<'PY'
import csv, sys
head, units, *rows = csv.reader(open(sys.argv[1]))
at = {name: i for i, name in enumerate(head)}
bf16, tf32, fp8 = (at[f'sm__ops_path_tensor_src_{t}.sum'] for t in ('bf16_dst_fp32', 'tf32_dst_fp32', 'fp8'))
names = {6: '<img src=x onerror=alert(1)>', 7: '</script><script>alert(2)</script>'}
out = []
for i in range(24):
    row = list(rows[i % len(rows)])
    if i >= len(rows):
        row[at['Kernel Name']] = names.get(i, f'kernel_{i}(int)')
    row[at['dram__bytes.sum']] = str(int(int(row[at['dram__bytes.sum']]) * (1 + i % 5 / 10)))
    if i % 4 == 1:
        row[bf16], row[fp8] = '0', row[bf16]
    if i % 4 == 2:
        row[bf16], row[tf32] = '0', str(int(row[bf16]) // 3)
    out.append([str(i)] + row[1:])
csv.writer(open(sys.argv[2], 'w'), quoting=csv.QUOTE_ALL).writerows([head, units] + out)
PY
for name in few many; do
	expect 0 "$WARPLENS" viewer run.sqlite --ncu $name.csv -o $name.html
done
expect 0 "$WARPLENS" viewer run.sqlite --ncu many.csv --redact -o redacted.html
grep -q 'kernel_17' many.html || fail "viewer --ncu: no kernel of the report"
! grep -qE 'kernel_17|onerror' redacted.html || fail "viewer --redact: a name of the report is in the file"
expect 0 "$WARPLENS" viewer run.sqlite -o none.html
expect 0 "$WARPLENS" viewer run.sqlite run.sqlite --ncu few.csv -o both.html
cp run.sqlite idle.sqlite
python3 -B -c 'import sqlite3; db = sqlite3.connect("idle.sqlite"); db.execute("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL"); db.commit()'
expect 0 "$WARPLENS" viewer idle.sqlite --ncu few.csv -o idle.html
expect 3 "$WARPLENS" viewer run.sqlite --ncu run.sqlite -o bad.html
"$WARPLENS" roofline run.sqlite --ncu few.csv -f json >few.json
serve_page run.sqlite --ncu few.csv
timeout 120 node "$room/roofline.mjs" "$(command -v chromium)" "$url" || fail "roofline.mjs: see above"
finish
