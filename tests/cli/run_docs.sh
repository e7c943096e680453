#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run_docs.sh - what tools/run-docs does with a guide: what it runs, counts and refuses.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
root=$(cd "$here/.." && pwd)
tree=$work/tree
mkdir -p "$tree/docs/guides"
for part in tests tools man; do
	ln -s "$root/$part" "$tree/$part"
done
export WARPLENS
# guide: the guide from standard input is run
guide() {
	cat >"$tree/docs/guides/g.md"
	n_checks=$((n_checks + 1))
	status=0
	ONLY=docs/guides WARPLENS_NSYS_DIR=/dev/null "$root/tools/run-docs" "$tree" >"$work/said" 2>&1 || status=$?
}
# wants STATUS TEXT...: the status, and each text on the output
wants() {
	[[ $status == "$1" ]] || fail "status $status instead of $1: $(cat "$work/said")"
	for text in "${@:2}"; do
		grep -qF -- "$text" "$work/said" || fail "no '$text' in: $(cat "$work/said")"
	done
}

# The directory has what the page names, and nothing else.
guide <<'END_OF_GUIDE'
```
$ ls -A
run.sqlite
$ echo one \
    two
one two
$ cat > made <<'EOF'
$ a line that looks like a command
EOF
$ wc -l < made
1
```

```
# needs a GPU, nsys
$ nsys profile ./a.out
$ nsys export x.nsys-rep
```

```
# needs a cluster
$ srun ./a.out
```

```
$ warplens overlap run.sqlite --columns device,compute
...
```
END_OF_GUIDE
wants 0 '1 guides: 5 commands run' '0 failed' '2 need a GPU, nsys' '1 need a cluster'

guide <<'END_OF_GUIDE'
```
$ nsys-that-is-not-there profile ./a.out
```
END_OF_GUIDE
wants 1 'status 127'
guide <<'END_OF_GUIDE'
```
$ echo two
one
```
END_OF_GUIDE
wants 1 'not what is shown: echo two'
finish
