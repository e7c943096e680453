#!/bin/bash
# SPDX-License-Identifier: MIT
# get_ncu.sh DIR [trixie|bookworm] [raw|full]
#
# Unpacks the real ncu command line into DIR and prints the path of the ncu binary on stdout.
# trixie -> ncu 2024.1.1 (reads reports up to at least 2025.3), bookworm -> ncu 2022.3.0.
#   raw   `ncu --import x.ncu-rep --page raw|details --csv`: one package, 103 MB download, 174 MB unpacked;
#         without section files ncu prints two ==WARNING== lines on stdout before the CSV: drop lines that begin with ==
#   full  also the section files and the .proto files of the report format: 237 MB more download, 2 MB more on disk
# No GPU, no driver, no root and no change to the system: private apt lists, dpkg-deb -x.
# Needs apt-get and dpkg-deb. On a machine that is not Debian set NSYS_APT_URI (a Debian archive)
# and NSYS_APT_KEYRING (its keyring).
set -euo pipefail
if [ $# -lt 1 ] || [ $# -gt 3 ]; then sed -n '3,12s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
suite=${2:-trixie} mode=${3:-raw}
case $suite in trixie|bookworm) ;; *) echo "get_ncu.sh: unknown suite '$suite'" >&2; exit 2;; esac
case $mode in raw|full) ;; *) echo "get_ncu.sh: unknown mode '$mode'" >&2; exit 2;; esac
mkdir -p "$1"; dir=$(cd "$1" && pwd)
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"

uri=${NSYS_APT_URI:-} keyring=${NSYS_APT_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
if [ -z "$uri" ]; then          # the archive this machine already uses, whatever it is
    for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        [ -r "$f" ] || continue
        uri=$(awk '/^URIs:/ {print $2; exit} /^deb /{for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) {print $i; exit}}' "$f")
        [ -n "$uri" ] && break
    done
fi
[ -n "$uri" ] || { echo "get_ncu.sh: no Debian archive configured, set NSYS_APT_URI" >&2; exit 1; }
printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: non-free\nSigned-By: %s\n' "$uri" "$suite" "$keyring" > "$work/ncu.sources"

apt=(apt-get -qq -o Dir::Etc::sourcelist="$work/ncu.sources" -o Dir::Etc::sourceparts=/dev/null
     -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null
     -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache"
     -o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o APT::Sandbox::User=root -o Acquire::Retries=3)
"${apt[@]}" update >&2
pkgs=(nsight-compute-target)
[ "$mode" = raw ] || pkgs+=(nsight-compute)
(cd "$work" && "${apt[@]}" download "${pkgs[@]}" >&2)
dpkg-deb -x "$work"/nsight-compute-target_*.deb "$dir"
if [ "$mode" = full ]; then
    dpkg-deb --fsys-tarfile "$work"/nsight-compute_*.deb | tar -x -C "$dir" --wildcards '*/sections/*' '*/extras/FileFormat/*'
fi
ncu=$(find "$dir/usr/lib" -path '*/target/linux-desktop-*-x64/ncu' -type f | head -n 1)
[ -n "$ncu" ] || { echo "get_ncu.sh: no ncu binary in the package" >&2; exit 1; }
# ncu refuses to start without this directory, an empty one is enough
mkdir -p "$(dirname "$ncu")/../../sections"
"$ncu" --version >&2
echo "$ncu"
