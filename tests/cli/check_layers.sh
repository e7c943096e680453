#!/bin/bash
# SPDX-License-Identifier: MIT
# tools/check-layers refuses what it says it refuses: each fault is planted in a tree of its own.
set -euo pipefail
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
cd "$room"

# refused WHY FILE LINE [FILE LINE]: the files with these lines are refused, and the checker says why.
refused() {
	local why=$1
	shift
	rm -rf src
	while (($#)); do
		mkdir -p "src/$(dirname "$1")"
		echo "$2" >>"src/$1"
		shift 2
	done
	if "$WARPLENS_SOURCE/tools/check-layers" src >said; then
		echo "not refused: $why" >&2
		exit 1
	fi
	grep -qF "$why" said || { echo "wanted: $why" >&2; cat said >&2; exit 1; }
}

refused 'base may not include model/trace.h' base/a.c '#include "model/trace.h"'
refused 'derive/rows may not include derive/idle/idle.h' derive/rows/a.c '#include "derive/idle/idle.h"'
refused 'room "attic" of derive is not in the table' derive/attic/a.c '#include "base/memory/arena.h"'
refused 'capture/plan may not include capture/run/run.h' capture/plan/a.c '#include "capture/run/run.h"'
refused 'tui/timeline/tell may not include tui/timeline/draw/a.h' \
	tui/timeline/tell/b.c '#include "tui/timeline/draw/a.h"'
refused 'circle: ' base/a.h '#include "base/b.h"' base/b.c '#include "base/a.h"'
refused 'circle: ' base/a.c '#include "base/b.h"' base/b.c '#include "base/c.h"' base/c.h '#include "base/a.h"'
refused 'sqlite3.h belongs in read/sqlite/' base/a.c '#include <sqlite3.h>'
refused 'exit() may be called in cli/' base/a.c 'void f(void) { exit(1); }'

# The header of a unit's inside belongs to the unit.
rm -rf src
mkdir -p src/base
echo '#include "base/a.h"' >src/base/a_parts.h
echo '#include "base/a_parts.h"' >src/base/a.c
echo '#include "base/a_parts.h"' >src/base/a_more.c
"$WARPLENS_SOURCE/tools/check-layers" src
