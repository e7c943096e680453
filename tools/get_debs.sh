#!/bin/bash
# SPDX-License-Identifier: MIT
# get_debs.sh DIR PACKAGE...
#
# Unpacks Debian packages into DIR, with those of their dependencies that this machine lacks, for tests that need
# launchers: openmpi-bin, slurmctld, slurmd, munge, python3-torch. No change to the system: private apt lists,
# dpkg-deb -x, no maintainer scripts. Needs apt-get, dpkg-deb and Debian. Packages of an earlier call stay.
set -euo pipefail
if [ $# -lt 2 ]; then sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
mkdir -p "$1"; dir=$(cd "$1" && pwd)
shift
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"

# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") uri=
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [ -r "$f" ] || continue
    uri=$(awk '/^URIs:/ {print $2; exit} /^deb /{for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) {print $i; exit}}' "$f")
    [ -n "$uri" ] && break
done
[ -n "$uri" ] && [ -n "$suite" ] || { echo "get_debs.sh: no Debian archive configured" >&2; exit 1; }
printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$uri" "$suite" "$keyring" > "$work/main.sources"

apt=(apt-get -qq -o Dir::Etc::sourcelist="$work/main.sources" -o Dir::Etc::sourceparts=/dev/null
     -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
     -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
     -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Sandbox::User=root -o Acquire::Retries=3)
"${apt[@]}" update >&2
# what "install" would unpack, by the machine's own list of packages
wanted=$("${apt[@]}" --simulate --no-install-recommends install "$@" | awk '/^Inst /{print $2}')
for package in "$@"; do # installed already: unpacked all the same, so that DIR has it
    grep -qx "$package" <<<"$wanted" || wanted="$wanted $package"
done
# shellcheck disable=SC2086 # a list of words
(cd "$work" && "${apt[@]}" download $wanted >&2)
for deb in "$work"/*.deb; do dpkg-deb -x "$deb" "$dir"; done
echo "$dir"
