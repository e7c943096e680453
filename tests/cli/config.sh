#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# config.sh - JSON documents that options name: by path, from a pipe, or from the configuration. What is
# read is told apart by what is wrong with it.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
cp "$(fixture tiny)" "$work/t.sqlite"
cd "$work"
export HOME=$work/home XDG_CONFIG_HOME=
mkdir -p home/.config/warplens/conventions xdg/warplens/conventions
echo '{' >home/.config/warplens/conventions/mine.json
echo '{"a": 1, "a": 2}' >xdg/warplens/conventions/mine.json
echo '[}' >broken.json

refused() { # STATUS TEXT NAME - one line that names the document
	expect "$1" "$WARPLENS" kernels t.sqlite --conventions "$3"
	silent
	says "$2"
}
refused 2 'broken.json: not valid JSON, line 1, column 2' broken.json
refused 2 "$work/broken.json: not valid JSON" "$work/broken.json"
refused 3 'cannot read none.json: No such file' none.json
refused 3 'cannot read ./none: No such file' ./none
refused 3 'cannot read ./xdg: Is a directory' ./xdg
refused 2 "$work/home/.config/warplens/conventions/mine.json: not valid JSON" mine
XDG_CONFIG_HOME=$work/xdg refused 2 "$work/xdg/warplens/conventions/mine.json: not valid JSON" mine
cp broken.json mine
XDG_CONFIG_HOME=$work/xdg refused 2 'mine: not valid JSON' mine
refused 2 '/dev/zero: larger than 4 MiB' /dev/zero
refused 2 '/dev/fd/' <(echo '{')

# A document that is wrong is told before the trace is looked at.
expect 2 "$WARPLENS" kernels none.sqlite --conventions broken.json
says broken.json
# A pipe in a directory is not waited for.
mkfifo pipe.json
expect 3 timeout 60 "$WARPLENS" kernels t.sqlite --conventions pipe.json
says 'cannot read pipe.json: it is a FIFO'
silent

# Nothing but the option makes it read the configuration.
expect 0 "$WARPLENS" kernels t.sqlite
expect 0 "$WARPLENS" kernels t.sqlite --marker 'step'
finish
