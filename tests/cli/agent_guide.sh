#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The guide for agents has front matter within bounds, and every verb, tool and finding.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

expect 0 "$WARPLENS" agent-guide
python3 - "$work/out" <<'END' || fail "the guide"
import re, subprocess, sys, json, os
text = open(sys.argv[1], encoding="utf-8").read()
head = re.match(r'---\nname: ([a-z-]+)\ndescription: "([^"\n]*)"\n---\n', text)
assert head and head.group(1) == "warplens" and len(head.group(2)) <= 1024, text[:300]
assert len(text) < 16000 and max(map(len, text.splitlines())) < 1000
verbs = json.loads(subprocess.run([os.environ["WARPLENS"], "--introspect"], stdout=subprocess.PIPE, check=True).stdout)["verbs"]
for name in [v["name"] for v in verbs if v["kind"] == "analysis"] + ["open_trace", "analyze", "launch-bound"]:
    assert f"| `{name}` | " in text, name
END
expect 2 "$WARPLENS" agent-guide x
finish
