#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# capture_sweep.sh - "warplens capture" with --sweep, --keep and secrets: one run each, manifests, the table.
#
#   WARPLENS_NSYS_DIR  where the real nsys is, or is unpacked to by tools/get_nsys.sh
#
# Exit status: 77 when the real nsys could not be had.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cd "$work"

# What needs no nsys: plans in order, and what is refused before anything is made.
expect 0 "$WARPLENS" capture --nsys none --dry-run --sweep lr=1,2 --sweep m=a,b -- ./a '{lr}'
[[ $(grep -o 'run ./a .*' "$work/out") == 'run ./a 1 --m=a
run ./a 1 --m=b
run ./a 2 --m=a
run ./a 2 --m=b' ]] || fail "plans of a sweep: $(cat "$work/out")"
expect 2 "$WARPLENS" capture --sweep lr -- ./a
says 'write NAME=VALUE,VALUE'
expect 2 "$WARPLENS" capture --sweep 'p=a,hunter2' -- ./a --password '{p}'
says 'argument 3 of the program, of --password'
! grep -q hunter2 "$work/err" || fail "the message shows the secret"
expect 2 "$WARPLENS" capture --allow-secret --password --sweep 'p=a,hunter2' -- ./a --password '{p}'
says 'tables and manifests show values'
expect 2 "$WARPLENS" capture --allow-secret --password --sweep 'password=hunter2' -- ./a
says 'tables and manifests show values'
expect 0 "$WARPLENS" capture --dry-run --allow-secret --password --sweep lr=1 -- ./a --password hunter2
[[ ! -e warplens-runs ]] || fail "a refused sweep left a directory"

# shellcheck source=tests/support/capture.sh
. "$here/support/capture.sh"

expect 2 env HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh "$WARPLENS" capture --nsys "$nsys" -- sh -c :
says 'env -u HF_TOKEN'
! grep -q AbCd "$work/err" || fail "the message shows the token"
[[ -z $(ls -A warplens-runs 2>/dev/null) ]] || fail "a refused run left a directory"

# nsys fails by itself now and then: three tries in all.
for try in 1 2 3; do
	rm -rf warplens-runs
	status=0
	HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh "$WARPLENS" capture --nsys "$nsys" --allow-secret HF_TOKEN \
		--keep 1 --sweep s=0,7 -- sh -c 'echo "says {s}"; exit {s}' >"$work/out" 2>"$work/err" </dev/null || status=$?
	[[ $(ls warplens-runs | wc -l) == 2 ]] && break
	echo "try $try: $(tail -n 2 "$work/err")"
done
[[ $status == 7 ]] || fail "the status of a sweep is $status, not that of the run that failed: $(cat "$work/err")"
prints 'says 0'
prints 'says 7'
says 'run 2 of 2: s=7'
grep -qE '^s=0 +0 ' "$work/out" || fail "the table has no s=0: $(cat "$work/out")"
grep -qE '^s=7 +7 ' "$work/out" || fail "the table has no s=7: $(cat "$work/out")"
"$WARPLENS" runs list -f csv --columns sweep,exit,state >list || fail "runs list"
printf 'sweep,exit,state\ns=7,7,whole\ns=0,0,compressed\n' | diff - list || fail "the list of a sweep"
old_run=$("$WARPLENS" runs list -f csv --columns run | tail -n 1)
! grep -q hf_ "warplens-runs/$old_run/manifest.json" || fail "a secret is in the manifest"
grep -q '"secrets_allowed":\["HF_TOKEN"\]' "warplens-runs/$old_run/manifest.json" || fail "what was let pass is not told"

# Sums: of files as they are by sha256sum, of compressed ones before and after.
python3 - "$work/warplens-runs" <<'END' || fail "sums"
import gzip, hashlib, json, pathlib, sys
files = 0
for run in pathlib.Path(sys.argv[1]).iterdir():
    for file in json.loads((run / "manifest.json").read_text())["outputs"]:
        path = run / file["path"]
        data = path.read_bytes() if path.exists() else None
        if "gz" in file:
            packed = path.with_name(path.name + ".gz").read_bytes()
            assert data is None and hashlib.sha256(packed).hexdigest() == file["gz"]["sha256"], path
            data = gzip.decompress(packed)
        assert hashlib.sha256(data).hexdigest() == file["sha256"] and len(data) == file["bytes"], path
        files += 1
assert files >= 4, files
END
expect 0 "$WARPLENS" runs remove "$old_run"
[[ ! -e warplens-runs/$old_run ]] || fail "runs remove"
finish
