#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ask --llm against a real llama-server, in both wire shapes, with and without streams: a model with hand-set weights
# calls a tool and then says one sentence. The first run fetches the server into the build directory.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_SOURCE:?the source tree}"
dir=${WARPLENS_LLAMA_DIR:-$WARPLENS_SOURCE/build/llama}
llm=$here/support/llm
[[ -x $dir/llama-server ]] || "$llm/get_llama.sh" "$dir" >/dev/null || { echo "llama-server cannot be fetched"; exit 77; }
trace=$(fixture steps)
cd "$work"
unset WARPLENS_LLM_KEY ANTHROPIC_API_KEY OPENAI_API_KEY
server=
stop_server() { [[ -z $server ]] || { kill "$server" && wait "$server"; } 2>/dev/null || true; server=; }
trap 'tidied=$?; stop_server; rm -rf "$work"; exit $tidied' EXIT

# serve TOOL ARGS ANSWER [OPTION...]: a server whose model calls the tool, then says the sentence; $url is its address.
serve() {
	local port tool=$1 args=$2 answer=$3
	shift 3
	stop_server
	python3 -B "$llm/script_model.py" model.gguf "$tool" "$args" "$answer"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$dir/llama-server" -m model.gguf --jinja --chat-template-file "$llm/chat.jinja" --host 127.0.0.1 --port "$port" "$@" >server.log 2>&1 &
	server=$!
	url=http://127.0.0.1:$port
	for _ in $(seq 300); do
		curl -sf "$url/health" >/dev/null && return
		kill -0 "$server" 2>/dev/null || break
		sleep 0.1
	done
	tail -n 5 server.log
	fail "llama-server does not start"
	finish
}

sum=$("$WARPLENS" kernels "$trace" -f csv -n 1 --columns sum | tail -n 1)
truth="The first kernel takes $(python3 -c "print(f'{$sum / 1e3:.1f} us')") in all."
args='{"verb": "kernels"}'
ask() { # STATUS [OPTION...]
	local want=$1
	shift
	expect "$want" "$WARPLENS" ask "$trace" "which kernel takes the most time?" --llm "$url" --max-tokens 64 "$@"
}
ways=('--shape=openai' '--shape=openai --no-stream' '--shape=anthropic' '--shape=anthropic --no-stream')

serve analyze "$args" "$truth" -c 32768
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086 # options
	ask 0 $way --transcript kept.json
	prints "$truth"
	says '2 requests, 1 tool call'
	says '1 of 1 numbers found in tool results'
	grep -Eq 'cost: .* [1-9][0-9,]* tokens in, [1-9][0-9]* out' err || fail "$way: no tokens counted"
	# shellcheck disable=SC2086
	ask 0 $way --redact
	prints "$truth"
done
cat err

serve analyze "$args" 'It takes 987.654 ms, 43.21 % of all.' -c 32768
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086
	ask 4 $way
	silent
	says 'withheld: 2 of its 2 numbers'
done

# A call that fails is told to the model, which says its sentence all the same. The server lets pass what the schema of
# the tool allows, and no unknown verb.
serve analyze '{"verb": "kernels", "where": "nosuch > 5"}' 'There is no such column.' -c 32768
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086
	ask 0 $way --transcript kept.json
	prints 'There is no such column.'
	grep -qF '"tool":"analyze","error":true' kept.json || fail "$way: the error of the tool did not come back"
done

serve analyze '{"verb": "kernls"}' 'There is no such verb.' -c 32768
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086
	ask 3 $way
done

# The real refusal of a conversation that is too long.
serve analyze "$args" "$truth" -c 512
for way in "${ways[@]}"; do
	# shellcheck disable=SC2086
	ask 2 $way
	says 'status 400'
done
finish
