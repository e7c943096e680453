#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# capture.sh - "warplens capture" with the real nsys: the common ends of a run. soak.capture has the rest.
#
#   WARPLENS_NSYS_DIR  where the real nsys is, or is unpacked to by tools/get_nsys.sh
#
# Exit status: 77 when the real nsys could not be had.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# What needs no nsys.
expect 2 "$WARPLENS" capture
says 'no program'
expect 3 "$WARPLENS" capture --nsys "$work/none" --dir "$work/runs" -- true
says 'nsys'
[[ ! -e $work/runs ]] || fail "a run that did not begin left a directory"
expect 0 "$WARPLENS" capture --nsys "$work/none" --dry-run --gate steps:2,delay:3,duration:4 -- ./a
prints 'launch --session-new=warplens-RUN_ID'
prints 'End it after 4 s; the program goes on'
expect 0 "$WARPLENS" capture --nsys "$work/none" --dry-run --ncu 2 -- ./a
prints 'once for each of the 2 kernels with the most time'
prints 'plan --for ncu --trace TRACE --top 2'
expect 2 "$WARPLENS" capture --nsys "$work/none" --dry-run --ncu 2 --gate duration:5 -- ./a

# Kernels need a GPU: scripts that play nsys and ncu. The report is a header, its export a fixture. nsys starts
# the program as the real one does, and ncu writes a report for each kernel with its arguments.
trace=$(fixture steps)
mkdir "$work/bin"
cat >"$work/bin/nsys" <<END
#!/bin/sh
case \$1 in
--version) echo "NVIDIA Nsight Systems version 2023.4.4.54-234433681190v0"; exit 0 ;;
export) while [ \$# -gt 1 ]; do [ "\$1" != -o ] || cp "$trace" "\$2"; shift; done; exit 0 ;;
esac
while [ \$# -gt 0 ]; do
	case \$1 in
	--output=*) out=\${1#--output=} ;;
	-* | profile) ;;
	*) break ;;
	esac
	shift
done
"\$@"
status=\$?
echo "NVIDIA Tegra Profiler Report 2023@4@4@54-234433681190v0." >"\$out.nsys-rep"
exit \$status
END
cat >"$work/bin/ncu" <<END
#!/bin/sh
[ "\$1" != --version ] || { printf 'NVIDIA (R) Nsight Compute\nVersion 2024.1.1.0 (build 33998838)\n'; exit 0; }
echo "\$@" >>"$work/ncu-args"
while [ \$# -gt 1 ]; do [ "\$1" != --export ] || printf 'NVR' >"\$2.ncu-rep"; shift; done
END
chmod +x "$work/bin/nsys" "$work/bin/ncu"
try "$WARPLENS" capture --nsys "$work/bin/nsys" --dir "$work/played" --gate cuda-api --ncu 2 --ncu-tool "$work/bin/ncu" -- \
	sh -c 'sleep 0.3; exit 4'
[[ $status == 4 ]] || fail "$ran: exit status $status, not 4"
says 'recorded'
prints 'GPUs'
# By definition: the process with most compute has the gemm alone beside communication, once in each of 7 steps.
[[ $(wc -l <"$work/ncu-args") == 1 ]] || fail "ncu ran $(wc -l <"$work/ncu-args") times"
grep -q -- '--kernel-name regex:^gemm\$ --launch-skip 3 --launch-count 1 ' "$work/ncu-args" || fail "not the gemm: $(cat "$work/ncu-args")"
! grep -q nccl "$work/ncu-args" || fail "ncu replays communication"
[[ $(ls "$work"/played/*/ncu/*.ncu-rep | wc -l) == 1 ]] || fail "not one report of ncu"
grep -q '"ncu/run.kernel1.ncu-rep"' "$work"/played/*/manifest.json || fail "the manifest has no report of ncu"
grep -q '"ncu":"2024.1.1.0"' "$work"/played/*/manifest.json || fail "the manifest has no version of ncu"
# Each stage has its time. The program sleeps 0.3 s under nsys.
python3 - "$work"/played/*/manifest.json <<'END' || fail "times of the manifest"
import json, sys
timing = json.load(open(sys.argv[1]))["timing"]
stages = [(s["name"], s["wall_ns"]) for s in timing["stages"]]
assert [name for name, _ in stages] == ["record", "export", "check", "ncu"], stages
assert stages[0][1] >= 3e8 and all(0 < ns < 60e9 for _, ns in stages), stages
assert timing["step_ns"] == 10000, timing           # the fixture: steps of 10000 ns, the fifth of 15000
END
expect 0 "$WARPLENS" runs list "$work/played" -f csv --columns step
[[ $(tail -n 1 "$work/out") == 10000 ]] || fail "runs list has no step: $(cat "$work/out")"
for file in report.html report.md; do
	[[ -s $(echo "$work"/played/*/report/$file) ]] || fail "report/ has no $file"
	sum=$(sha256sum <"$(echo "$work"/played/*/report/$file)")
	grep -qF "\"report/$file\"" "$work"/played/*/manifest.json && grep -qF "${sum%% *}" "$work"/played/*/manifest.json ||
		fail "the manifest has no report/$file"
done
# --keep 0 compresses the run itself, if it is large, after its report was made and listed.
cp "$trace" "$work/large.sqlite"
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("create table FILLER (x)")
db.execute("insert into FILLER values (zeroblob(100000))")
db.commit()' "$work/large.sqlite"
sed "s|$trace|$work/large.sqlite|" "$work/bin/nsys" >"$work/bin/nsys-large"
chmod +x "$work/bin/nsys-large"
try "$WARPLENS" capture --nsys "$work/bin/nsys-large" --dir "$work/pressed" --keep 0 -- sleep 0.3
[[ $status == 0 && -s $(echo "$work"/pressed/*/report/report.html) ]] || fail "$ran: exit status $status, and no report"
[[ -e $(echo "$work"/pressed/*/nsys/run.sqlite.gz) && ! -e $(echo "$work"/pressed/*/nsys/run.sqlite) ]] || fail "--keep 0 left the export as it is"
python3 - "$work"/pressed/* <<'END' || fail "the manifest of a compressed run"
import hashlib, json, os, sys
files = json.load(open(sys.argv[1] + "/manifest.json"))["outputs"]
assert "report/report.html" in [f["path"] for f in files], files
for file in files:
    path = sys.argv[1] + "/" + file["path"]
    path = path if os.path.exists(path) else path + ".gz"
    assert hashlib.sha256(open(path, "rb").read()).hexdigest() in json.dumps(file), path
END
printf '#!/bin/sh\necho "==ERROR== The user does not have permission"\nexit 1\n' >"$work/bin/ncu"
try "$WARPLENS" capture --nsys "$work/bin/nsys" --dir "$work/played" --open none --ncu 1 --ncu-tool "$work/bin/ncu" -- sleep 0.3
[[ $status == 3 ]] || fail "$ran: exit status $status, not 3"
says 'ncu measured no kernel: ==ERROR== The user does not have permission'
[[ $(ls "$work"/played/*/report/report.html | wc -l) == 1 ]] || fail "--open none wrote a report"
try "$WARPLENS" capture --nsys "$work/bin/nsys" --dir "$work/swept" --sweep s=0,5 -- sh -c 'sleep 0.3; exit {s}'
[[ $status == 5 ]] || fail "$ran: exit status $status, not 5"
grep -qE '^s=5 +5 .* 10 us ' "$work/out" || fail "the table of a sweep has no step: $(cat "$work/out")"
[[ $(ls "$work"/swept/*/report/report.html | wc -l) == 2 ]] || fail "a run of a sweep has no report"
# stopped TEXT ARGUMENTS...: ^C once the text was printed; a shell lets its background jobs ignore SIGINT.
stopped() {
	local text=$1 i
	shift
	ran="capture $*" status=0
	setsid env --default-signal=INT "$WARPLENS" capture --nsys "$work/bin/nsys" --dir "$work/stopped" "$@" >"$work/out" 2>"$work/err" </dev/null &
	for ((i = 0; i < 400; i++)); do
		! grep -qF -- "$text" "$work/out" "$work/err" || break
		sleep 0.05
	done
	sleep 0.3
	kill -INT $!
	wait $! || status=$?
}
# A server ends by ^C: its trace is opened all the same.
stopped 'it serves' -- sh -c 'trap "exit 0" INT; echo it serves; while :; do sleep 0.1; done'
[[ $status == 0 ]] || fail "$ran: exit status $status, not 0"
prints 'GPUs'
grep -q '"step_ns":10000' "$work"/stopped/*/manifest.json || fail "a run that ended by ^C has no step"
[[ -s $(echo "$work"/stopped/*/report/report.html) ]] || fail "a run that ended by ^C has no report"
# ^C while ncu measures ends ncu and leaves a run that says so.
rm -r "$work/stopped"
printf '#!/bin/sh\n[ "$1" != --version ] || exit 0\necho "ncu $$ measures"\nexec sleep 60\n' >"$work/bin/ncu"
stopped 'measures' --ncu 1 --ncu-tool "$work/bin/ncu" -- sh -c 'sleep 0.3'
[[ $status == 130 ]] || fail "$ran: exit status $status, not 130"
grep -q '"failure":"stopped while ncu measured kernels"' "$work"/stopped/*/manifest.json || fail "the manifest does not say that ncu was stopped"
ncu_pid=$(sed -n 's/^ncu \([0-9]*\) measures/\1/p' "$work/out")
! kill -0 "$ncu_pid" 2>/dev/null || fail "ncu was left behind"
expect 2 "$WARPLENS" capture --nsys "$work/bin/nsys" --dir "$work/played" --gate duration:5 --ncu 1 -- true
says 'no gate by time'

# shellcheck source=tests/support/capture.sh
. "$here/support/capture.sh"

expect 2 "$WARPLENS" capture --nsys "$nsys" --dir "$work/runs" -- "$work/no-such-program"
says 'cannot run'
expect 2 "$WARPLENS" capture --nsys "$nsys" --dir "$work/runs" --launcher slurm -- srun -n 2 sh
says 'warplens plan'
[[ -z $(ls -A "$work/runs" 2>/dev/null) ]] || fail "a run that did not begin left $(ls "$work/runs")"
expect 6 "$WARPLENS" capture --nsys "$nsys" --dir "$work/runs" --least-free 1000Ti -- "$program"
says 'least-free'

again simply -- "$program" 1 3
row 'exit status 3' 3 1 'did not load libcuda.so'
prints 'the program says goodbye'
again simply --gate nvtx:decode@LLM -- "$program" 1 7
row 'gate nvtx opens' 7 1
grep -qE 'recorded .*: 0 kernels, 0 CUDA calls, [12] NVTX' "$work/err" || fail "the gate recorded more than its range"
again simply --gate nvtx:nothing@LLM -- "$program" 1
row 'gate nvtx never opens' 5 0 'began no NVTX range "nothing" in domain LLM'
again simply --gate duration:1 -- "$program" 3 9
row 'duration ends before the program' 9 1
prints 'the program says goodbye'
interrupt() {
	begin -- "$program" 60
	until_running
	sleep 0.5
	kill -INT "$capture"
	end
}
again interrupt
row '^C while the program runs' 130 1 'stopped by signal 2'
table
finish
