#!/bin/bash
# SPDX-License-Identifier: MIT
# get_llama.sh DIR
#
# Unpacks Debian sid's llama-server (OpenAI and Anthropic wire shapes, CPU) into DIR, with the libc it was built for, and prints
# the path of a wrapper script that starts it. About 15 MB download. No root, no change to the system: private apt lists, dpkg-deb -x.
#   $(get_llama.sh DIR) -m model.gguf --jinja --chat-template-file chat.jinja --host 127.0.0.1 --port 18080
# A model for it: script_model.py beside this file.
set -euo pipefail
[ $# = 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1"; dir=$(cd "$1" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
uri=${LLAMA_APT_URI:-} keyring=${LLAMA_APT_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
if [ -z "$uri" ]; then          # the archive this machine already uses, whatever it is
    for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        [ -r "$f" ] || continue
        uri=$(awk '/^URIs:/ {print $2; exit} /^deb /{for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) {print $i; exit}}' "$f")
        [ -n "$uri" ] && break
    done
fi
[ -n "$uri" ] || { echo "get_llama.sh: no Debian archive configured, set LLAMA_APT_URI" >&2; exit 1; }
printf 'Types: deb\nURIs: %s\nSuites: sid\nComponents: main\nSigned-By: %s\n' "$uri" "$keyring" > "$work/llama.sources"
apt=(apt-get -qq -o Dir::Etc::sourcelist="$work/llama.sources" -o Dir::Etc::sourceparts=/dev/null
     -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
     -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
     -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Sandbox::User=root -o Acquire::Retries=3)
"${apt[@]}" update >&2
(cd "$work" && "${apt[@]}" download llama.cpp-tools libllama0 libggml0 libc6 libstdc++6 libgcc-s1 libssl3t64 libgomp1 libatomic1 libzstd1 zlib1g >&2)
for deb in "$work"/*.deb; do dpkg-deb -x "$deb" "$dir"; done
lib=$dir/usr/lib/x86_64-linux-gnu
cat > "$dir/llama-server" <<S
#!/bin/sh
GGML_BACKEND_PATH=$lib/ggml/backends0/libggml-cpu-x64.so exec $lib/ld-linux-x86-64.so.2 --library-path $lib:$lib/llama:$lib/ggml $dir/usr/bin/llama-server "\$@"
S
chmod +x "$dir/llama-server"
"$dir/llama-server" --version >&2
echo "$dir/llama-server"
