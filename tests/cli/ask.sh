#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ask.sh - questions in words: the answer is that of the command that is printed, doubts and refusals
# have a status of their own; and the report of agent analyze.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_SOURCE:?the source tree}"
cd "$work"
mkdir .bin
ln -s "$WARPLENS" .bin/warplens
export PATH=$work/.bin:$PATH
fixture two_ranks >/dev/null
cp "$fixtures/two_ranks.sqlite" "it's run.sqlite"
trace="it's run.sqlite"

# The command below an answer gives the same table, and its first line is a sentence from it. A few: each start learns for a
# second, and unit.route and unit.saying ask thousands.
n=0
while read -r question; do
	expect 0 "$WARPLENS" ask "$trace" "$question"
	quiet
	tail -n 1 out | sed -n 's/^command: //p' >line
	[[ -s line ]] || fail "ask $question: no command"
	sed '$d' out | awk 'on; /^$/ { on = 1 }' >answer
	sed '$d' out >whole
	expect 0 bash line
	if [[ $(head -n 1 out) == $(head -n 1 whole) ]]; then
		same out whole "ask $question, without a sentence"
	else
		same out answer "ask $question"
		n=$((n + 1))
	fi
done <<-'END'
	top 3 kernels
	most expensive kernels on gpu 0
	why is the GPU idle
	how much communication is exposed?
	compare the ranks
	longest gaps
	time per nvtx range
	what is on the critical path
	what should I fix first
	END
((n >= 5)) || fail "only $n answers have a sentence"

# Several words need no quotes; --plan runs nothing, and the trace need not exist.
expect 0 "$WARPLENS" ask nowhere.sqlite top 5 kernels on gpu 1 --plan
quiet
prints 'warplens kernels nowhere.sqlite --gpu 1 -n 5'
# Data formats hold the table alone.
expect 0 "$WARPLENS" ask "$trace" 'top kernels' -f csv
says 'command: warplens kernels'
head -n 1 out >head
expect 0 "$WARPLENS" kernels "$trace" -f csv
[[ $(head -n 1 out) == $(cat head) ]] || fail 'ask -f csv: other columns'

# Words are explained, commands are named and not run.
expect 0 "$WARPLENS" ask "$trace" 'what is a straggler?'
prints 'straggler'
# The latest rank is named behind the verdict that it costs nothing.
expect 0 "$WARPLENS" ask "$(fixture stages)" 'which rank is late'
prints 'Rank 1 arrives late by 1 us in 4 steps'
prints 'no rank makes it 1% longer.'
# A trace that knows no ranks has GPUs; of one that is not there, the note says which are.
expect 0 "$WARPLENS" ask "$(fixture two_groups)" 'why is rank 2 slow'
prints 'No process of this trace has a rank: this is about the GPU of that number.'
prints "--where 'device = 2'"
expect 0 "$WARPLENS" ask "$(fixture two_groups)" 'top kernels of ranks 1 and 3'
prints ' · 2 GPUs · only gpu 1,3'
expect 0 "$WARPLENS" ask "$(fixture two_groups)" 'why is rank 7 slow'
prints 'no process of the trace has a rank; '
expect 0 "$WARPLENS" ranks "$(fixture two_groups)" --where 'rank = 1' -f json
prints '0 rows match: no process of the trace has a rank; the trace has GPUs 0 to 3 (device)'
expect 0 "$WARPLENS" ask "$trace" 'why is rank 1 slow'
prints "--where 'rank = 1'"
omits 'No process'
# The stages over all ranks, the one with the most exposed communication first.
expect 0 "$WARPLENS" ask "$(fixture stages)" 'which EP phase has the worst overlap?'
prints 'has the most exposed'
prints ' --by stages '
expect 0 "$WARPLENS" ask "$trace" 'is NCCL overlapping with compute?'
tr '\n' ' ' <out | grep -qE 'communication (of GPU . )?is hidden' || fail "$ran: nothing of what is hidden"
expect 0 "$WARPLENS" ask "$trace" 'export this to perfetto'
prints 'command: warplens export '
# Yes or no first, with figures of the table below it; what the trace lacks is said.
begins() { # QUESTION TRACE TEXT: the answer begins so
	expect 0 "$WARPLENS" ask "$2" "$1"
	[[ $(sed '/^$/q' out | tr '\n' ' ') == "$3"* ]] || fail "$1: $(sed '/^$/q' out)"
}
begins 'is memory growing' "$(fixture memory)" 'Yes: 1.064 GB of device memory is in use after step 3, and 1.192 GB after step 11. '
expect 0 "$WARPLENS" memory "$(fixture memory)" --by step -n 0
grep -qE '^ +0 +device +3 .* 1\.064 GB ' out || fail 'memory: not in use after step 3'
grep -qE '^ +0 +device +11 .* 1\.192 GB ' out || fail 'memory: not in use after step 11'
begins 'are CUDA graphs used?' "$(fixture graphs)" 'Yes: 3 launches of CUDA graphs. '
begins 'are cuda graphs used' "$trace" 'No: the trace has no CUDA graph.'
begins 'is there a straggler' "$(fixture stages)" 'No: none of the GPUs makes the run 1% longer. '
begins 'is there a straggler' "$trace" 'Cannot say: '
begins 'is rank 1 a straggler' "$(fixture stages)" 'Rank 1'
begins 'did it get faster' "$trace" 'Cannot say: this is one run'
expect 5 "$WARPLENS" ask "$trace" 'is memory growing'
says 'cannot say: memory: the trace has no allocations'
# The budget of the GPUs: every "bound" has the same shares, and one at most is yes.
n=0
for what in compute communication copy launch host; do
	expect 0 "$WARPLENS" ask "$(fixture stages)" "is it $what bound"
	head -n 1 out | grep -qE '^(Yes|No): ' || fail "$what bound: $(head -n 1 out)"
	head -n 1 out | grep -q '^No' || n=$((n + 1))
done
((n <= 1)) || fail "$n parts are the largest"
# A question for a figure has it first.
expect 0 "$WARPLENS" overlap "$(fixture stages)" -f json
python3 - out >figure <<-'END'
	import json, sys
	rows = json.load(open(sys.argv[1]))["rows"]
	worst = max(rows, key=lambda r: r["exposed_comm"])
	print(f"({100 * worst['exposed_comm'] / worst['window']:.1f}% of a window")
	END
expect 0 "$WARPLENS" ask "$(fixture stages)" 'how much time is exposed'
head -n 2 out | tr '\n' ' ' | grep -qF "$(cat figure)" || fail "exposed: $(head -n 2 out)"
# Per step it is the median of the steps of one GPU.
expect 0 "$WARPLENS" overlap "$(fixture stages)" --by iteration -f json
python3 - out >figure <<-'END'
	import json, sys, collections
	of = collections.defaultdict(list)
	for r in json.load(open(sys.argv[1]))["rows"]:
	    if r["iter"] is not None:
	        of[r["device"]].append(r["exposed_comm"])
	gpu = max(of, key=lambda d: (sum(of[d]), -d))
	print(f"GPU {gpu} (median of {len(of[gpu])} steps)")
	END
expect 0 "$WARPLENS" ask "$(fixture stages)" 'how much communication is exposed per step'
head -n 2 out | tr '\n' ' ' | grep -qF "$(cat figure)" || fail "exposed per step: $(head -n 2 out), $(cat figure)"
# What the question names is kept, and the sentence has its figures; the command keeps the same.
ask_of() { # TRACE QUESTION: the sentence is in the file lead
	expect 0 "$WARPLENS" ask "$1" "$2"
	sed '/^$/q' out | tr '\n' ' ' >lead
	tail -n 1 out | sed -n 's/^command: //p' >line
}
ask_of "$(fixture stages)" 'p90 and mean of the step time'
expect 0 "$WARPLENS" iters "$(fixture stages)" -f json
python3 - out lead <<-'END' || fail "p90 of steps: $(cat lead)"
	import json, sys
	of = sorted(r["period"] for r in json.load(open(sys.argv[1]))["rows"] if r["period"] is not None)
	lead = open(sys.argv[2]).read()
	assert f"of {len(of)} periods" in lead, lead
	assert f"p90 {of[-(-9 * len(of) // 10) - 1] / 1000:g} us" in lead, lead
	assert f"mean {sum(of) // len(of) / 1000:g} us" in lead, lead
	END
ask_of "$(fixture stages)" 'is step 3 slower than step 1'
grep -qE '^Step 1 takes .*, step 3 takes ' lead || fail "two steps: $(cat lead)"
grep -qF 'iter = 3 or iter = 1' line || fail "two steps: $(cat line)"
ask_of "$trace" 'gpu time of the forward range'
grep -q '^forward: .*GPU busy 12.5 us' lead || fail "forward: $(cat lead)"
expect 0 bash line
prints 'forward'
omits 'ncclSend'
# A bound in per cent has yes or no.
for n in 1 99; do
	ask_of "$(fixture stages)" "is exposed communication above $n% of the time"
	cat lead >>bounds
done
[[ $(grep -oE '(Yes|No): [0-9.]+%' bounds | cut -d: -f1 | tr '\n' ' ') == 'Yes No ' ]] || fail "bounds: $(cat bounds)"
ask_of "$(fixture stages)" 'is compute balanced over the gpus'
grep -qE '^(Not b|B)alanced: ' lead || fail "balanced: $(cat lead)"
# What is not there is not answered with something else.
ask_of "$trace" 'how often is nothing_known_kernel called'
grep -qF 'Nothing that was recorded matches' lead || fail "nothing: $(cat lead)"
expect 5 "$WARPLENS" ask "$trace" 'will it rain in paris tomorrow'
says 'not a question about a trace'
expect 0 "$WARPLENS" ask "$trace" 'are there bank conflicts in the largest kernel'
prints 'warplens plan --for ncu'
# Doubts, refusals and mistakes.
expect 4 "$WARPLENS" ask "$trace" 'gpu'
says 'several commands fit'
# Each of the list can be pasted.
sed -n 's/^  [1-3]  //p' out >near
[[ $(wc -l <near) -eq 3 ]] || fail 'gpu: not three commands'
while read -r line; do
	expect 0 bash -c "$line"
done <near
# What the command would leave out of the question is not passed over.
expect 4 "$WARPLENS" ask "$trace" 'p97 duration of gemm kernels'
says 'takes "p97" into account'
prints '  1  warplens kernels '
expect 4 "$WARPLENS" ask "$trace" 'categories per layer' -f csv
says 'takes "per layer" into account'
silent
expect 0 "$WARPLENS" ask "$trace" 'how much communication is exposed per step?' --plan
prints '--by iteration'
expect 4 "$WARPLENS" ask "$trace" 'xyzzy'
says 'lists the verbs'
expect 0 "$WARPLENS" ask "$trace" 'why is gpu 2 slow' --plan
prints 'warplens ranks'
expect 5 "$WARPLENS" ask "$trace" 'what is the validation accuracy'
says 'a trace does not contain this: '
silent
expect 2 "$WARPLENS" ask "$trace"
says 'warplens ask TRACE "'
expect 2 "$WARPLENS" ask "$trace" 'top kernels' --where 'sum > 1ms'
expect 3 "$WARPLENS" ask nowhere.sqlite 'top kernels'
expect 2 "$WARPLENS" ask "$trace" "$(head -c 3000 /dev/zero | tr '\0' a)"
says 'longer than'
# A name of the question is data: it is not run.
expect 5 "$WARPLENS" ask "$trace" 'paint $(touch owned); `touch owned` blue'
expect 4 "$WARPLENS" ask "$trace" 'find "$(touch owned)_x"' --plan
expect 0 "$WARPLENS" ask "$trace" 'find "a b_c"' --plan
prints "'a b_c'"
[[ ! -e owned ]] || fail 'a word of a question was run'

# Every verb that questions were learned for exists.
grep -v '^[#(]' "$WARPLENS_SOURCE/data/questions.tsv" | cut -f1 | tr ' ' '\n' | sort -u |
	while read -r verb; do
		"$WARPLENS" help "$verb" >/dev/null || fail "data/questions.tsv: no verb $verb"
	done

# The report is bounded, and its commands run.
expect 0 "$WARPLENS" agent analyze "$trace"
quiet
[[ $(wc -c <out) -lt 12000 ]] || fail 'agent analyze: too long'
prints 'What to do next'
sed -n '/^Next commands$/,$p' out | sed 1d >next
[[ $(wc -l <next) -ge 2 ]] || fail 'agent analyze: no next commands'
while read -r line; do
	expect 0 bash -c "$line"
done <next
expect 0 "$WARPLENS" agent analyze "$trace" -f json
python3 -c 'import json, sys; json.load(sys.stdin)' <out
expect 2 "$WARPLENS" agent "$trace"
says 'warplens agent analyze TRACE, or warplens ask TRACE'
expect 3 "$WARPLENS" agent analyze nowhere.sqlite
finish
