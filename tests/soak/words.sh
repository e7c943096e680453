#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Words about real traces: every kernel name of the corpus is explained, and every answer of ask equals that of the
# command that it prints. Prints which share of GPU time has a known library, and which a known category.
set -euo pipefail
compgen -G "$WARPLENS_SHARED/corpus/*/trace.sqlite.zst" >/dev/null || { echo "no traces in $WARPLENS_SHARED/corpus"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$WARPLENS" "$work/bin/warplens"
export PATH=$work/bin:$PATH COLUMNS=80
cat >"$work/questions" <<-'END'
	where did the gpu time go
	top 3 kernels
	why is the gpu idle
	largest gaps
	how much communication is exposed
	how long does a step take
	who is the straggler
	time per nvtx range
	most expensive cuda api calls
	which sync calls block the host
	host to device bandwidth
	kernel launch overhead
	time by category of kernels
	what should i fix first
	slowest collectives
	what do the cpu threads do
END
answers=0
refused=0
: >"$work/names"
for trace in "$WARPLENS_SHARED"/corpus/*/trace.sqlite.zst; do
	zstd -dqf "$trace" -o "$work/t.sqlite"
	warplens kernels "$work/t.sqlite" --name demangled --by name -n 0 -f tsv --columns sum,name 2>/dev/null |
		tail -n +2 >>"$work/names" || true
	while read -r question; do
		status=0
		warplens ask "$work/t.sqlite" "$question" >"$work/out" 2>"$work/err" || status=$?
		case $status in
		0) ;;
		2 | 5) refused=$((refused + 1)); continue ;; # no such data, or nothing of that name
		*) echo "$trace: ask $question: exit status $status"; cat "$work/err"; exit 1 ;;
		esac
		tail -n 1 "$work/out" | sed -n 's/^command: //p' >"$work/line"
		bash "$work/line" >"$work/again" 2>/dev/null
		# The answer is the end of what ask prints before its last line.
		sed '$d' "$work/out" | tail -n "$(wc -l <"$work/again")" | cmp - "$work/again" ||
			{ echo "$trace: ask $question: another answer than its command"; exit 1; }
		answers=$((answers + 1))
	done <"$work/questions"
done
echo "$answers answers equal those of their commands, $refused questions had no data"
((answers > 100))
python3 - "$work/names" <<-'END'
	import subprocess, sys
	times = {}
	for line in open(sys.argv[1], encoding="utf-8"):
	    time, name = line.rstrip("\n").split("\t", 1)
	    times[name] = times.get(name, 0) + int(time)
	library = category = total = 0
	for name, time in times.items():
	    page = subprocess.run(["warplens", "explain", "--", name], capture_output=True, text=True, check=True).stdout
	    page = " ".join(page.split())
	    total += time
	    library += 0 if "Its library is not known" in page else time
	    category += 0 if "is not known from its name" in page else time
	print(f"{len(times)} kernel names: {library / total:.1%} of GPU time has a known library, "
	      f"{category / total:.1%} a known category")
	assert library / total > 0.6
END
