# SPDX-License-Identifier: MIT
"""Kinds of steps (docs/analyses/iters.md, "Kinds of step") and the notes that say what a step is and how long it takes."""
import re

from nvtx import PUSH_POP
from oracle import percentile

FEWEST = 5                              # steps of a kind with a period that the others are compared with
# what ranges say with a number above 0, and with a word
COUNTED = [("prefill", re.compile(r"context_(\d+)")), ("prefill", re.compile(r"(\d+) ctx reqs")),
           ("decode", re.compile(r"generation_(\d+)")), ("decode", re.compile(r"(\d+) gen reqs"))]
WORDS = {"prefill": "prefill", "extend": "prefill", "decode": "decode"}
KERNEL_WORDS = {"prefill": "prefill", "decode": "decode"}
KERNEL_PARTS = ["paged_attention_v", "masked_multihead_attention"]


def words(name):
    """Runs of letters, in small letters; a capital after a small letter begins another."""
    return {w.lower() for w in re.findall(r"[A-Z]*[a-z]+|[A-Z]+", name)}


def range_says(name):
    said = {WORDS[w] for w in words(name) if w in WORDS}
    return said | {kind for kind, pattern in COUNTED for number in pattern.findall(name) if int(number) > 0}


def kernel_says(name):
    """open: the two names of kernels stand for decode, as in the engines that have them."""
    said = {KERNEL_WORDS[w] for w in words(name) if w in KERNEL_WORDS}
    return said | ({"decode"} if any(part in name for part in KERNEL_PARTS) else set())


def by_ranges(trace, process, step):
    """What the ranges say that start inside the step on its thread. open: a step without a range of its own has no thread."""
    if not step.marker:
        return set()
    return set().union(*(range_says(r.name or "") for r in trace.ranges
                         if r.thread == step.marker.thread and step.marker.start <= r.start < step.marker.end))


def by_kernels(trace, step):
    return set().union(*(kernel_says(trace.kernel_name(op)) for op in step.ops if op.kind == "kernel"))


def kind(said):
    return "mixed" if len(said) > 1 else next(iter(said), None)


def sayings(trace, process, found):
    """[(what ranges say, what kernels say)] of the steps."""
    return [(by_ranges(trace, process, step), by_kernels(trace, step)) for step in found.iterations]


def kinds(trace, process, found):
    """The kind of each step, or None; all None where steps do not differ or only one kind is named."""
    said = [ranges or kernels for ranges, kernels in sayings(trace, process, found)]
    out = [kind(s) for s in said]
    return out if len(set().union(*said)) > 1 and len(set(out)) > 1 else [None] * len(out)


def is_open(trace, process, found):
    """Whether the definition leaves the kinds open.

    - Some steps have ranges that say a kind and others only kernels: whether names are taken per step or per process.
    - Steps are of one kind or of none, and both kinds are named: within the steps, or elsewhere in the process.
    - Marks, start/end ranges and ranges without end inside a step are no ranges, or are."""
    said = sayings(trace, process, found)
    if any(ranges for ranges, _ in said) and any(kernels and not ranges for ranges, kernels in said):
        return True
    found_kinds = {kind(ranges or kernels) for ranges, kernels in said}
    if None in found_kinds and len(found_kinds) == 2:
        named = [range_says(r.name or "") for r in trace.ranges if r.process == process]
        named += [kernel_says(trace.kernel_name(op)) for op in trace.ops if op.process == process and op.kind == "kernel"]
        if len(set().union(*named)) > 1:
            return True
    odd = [r for r in trace.ranges if r.type not in PUSH_POP or r.unclosed] + trace.marks
    return any(r.process == process and range_says(r.name or "") for r in odd)


def by_kind(found, kinds_of):
    """{kind: positions of the steps with a period}."""
    out = {}
    for n, k in enumerate(kinds_of[:-1]):
        out.setdefault(k, []).append(n)
    return out


# --- notes ------------------------------------------------------------------------------------------------

NUMBER = r"([0-9][0-9,.]*) (ns|us|ms|s)\b"
STEPS = re.compile(r"\b([0-9][0-9,]*)(?: to ([0-9][0-9,]*))? steps?(?:, median %s(?: to %s)?)?(: [^;)]*(?:; [^;)]*)*)?" % (NUMBER, NUMBER))
MIX = re.compile(r"([0-9][0-9,]*) (prefill|decode|mixed)(?:, median %s)?" % NUMBER)
PERIODS = re.compile(r"^([0-9][0-9,]*) periods? \((?:of [0-9]+ processes, )?all steps but the last\): mean %s, p50 %s, p99 %s, min %s, max %s" % ((NUMBER,) * 5))
UNIT = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}


def count(text):
    return int(text.replace(",", ""))


def nanoseconds(text, unit):
    return float(text.replace(",", "")) * UNIT[unit]


def is_rounded(text, unit, value):
    """Whether the text is the value with four significant digits."""
    scale = max(1, 10 ** (len(str(int(value))) - 4))
    return abs(nanoseconds(text, unit) - value) <= 0.5 * scale * (1 + 1e-9) + (0.5 if unit == "ns" else 0)


def is_between(match, value):
    """Whether the median of the note, or its two medians, have the value between them."""
    median, unit, other, other_unit = match.group(3, 4, 5, 6)
    if median is None:
        return False
    low, high = (median, unit), (other or median, other_unit or unit)
    return is_rounded(*low, value) or is_rounded(*high, value) or nanoseconds(*low) < value < nanoseconds(*high)


def says(match, found):
    """Whether a note has the number of steps and the median of a process. open: how it tells those of several processes apart."""
    few, many = count(match.group(1)), count(match.group(2) or match.group(1))
    return few <= len(found.iterations) <= many and (len(found.iterations) < 2 or is_between(match, percentile(found.periods(), 50)))


def mix_differs(match, found, kinds_of):
    """open: how steps without a kind are called."""
    told = {m.group(2): m.group(1, 3, 4) for m in MIX.finditer(match.group(7) or "")}
    if set(told) != set(kinds_of) - {None}:
        return True
    periods, positions = found.periods(), by_kind(found, kinds_of)
    for k, (number, median, unit) in told.items():
        of_kind = [periods[n] for n in positions.get(k, [])]
        if count(number) != kinds_of.count(k) or of_kind and not (median and is_rounded(median, unit, percentile(of_kind, 50))):
            return True
    return False


def check_notes(notes, found):
    """Differences between notes and what they must say; found: [(Found, kinds)] of the processes. open: the mean in whole ns is cut."""
    told = [m for m in map(STEPS.search, (n for n in notes if "step" in n)) if m]
    bad = ["no note says %d steps, median %d" % (len(f.iterations), percentile(f.periods(), 50) if f.periods() else 0)
           for f, _ in found if not any(says(m, f) for m in told)]
    if len(found) == 1 and (len(told) != 1 or told[0].group(2) or told[0].group(5) or mix_differs(told[0], *found[0])):
        bad.append("kinds %r" % found[0][1])
    periods = [n for f, _ in found for n in f.periods()]
    if periods:
        want = [sum(periods) // len(periods), percentile(periods, 50), percentile(periods, 99), min(periods), max(periods)]
        m = next((m for m in map(PERIODS.match, notes) if m), None)
        if not m or count(m.group(1)) != len(periods) or not all(is_rounded(m.group(2 + 2 * i), m.group(3 + 2 * i), v) for i, v in enumerate(want)):
            bad.append("%d periods, mean, p50, p99, min, max %r" % (len(periods), want))
    return ["%s: %r" % (b, notes) for b in bad]
