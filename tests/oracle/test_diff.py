#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""diff on pairs with a known change: the verdict, the cause, and that every nanosecond is accounted for.

Then random traces, each against the next: whatever they have in common, medians, budget and kernels are the oracle's.
ORACLE_SEEDS: how many random traces are looked at for steps (default 200); ORACLE_BASE: the first seed (default 1).
"""
import os
import shutil
import subprocess
import tempfile

import change
import iters
import mktrace
import planted
import wl
from conventions import GENERIC, PITHTRAIN
from tracefile import Trace

TRAIN = ["--ranks", "2", "--layers", "2", "--iters", "20", "--variants", "4"]
ONE = ["--ranks", "1", "--layers", "2", "--iters", "20", "--variants", "4"]
MOE = ["--ranks", "2", "--layers", "2", "--iters", "12", "--moe", "--chunks", "2"]
SHORT = ["--ranks", "2", "--layers", "2", "--iters", "8", "--variants", "4"]
GEMM = "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64"
TEMPLATES = ["rename", "<float, float>", "<double, double, (int)8>"]

# (what, options of the generator, edits of the first, edits of the second, verdict, the part that changes most or None)
PAIRS = [
    ("identical", TRAIN, [], [], "same", None),
    ("a kernel 8 % slower", TRAIN, [], [["slower", GEMM, "1.08"]], "slower", "compute"),
    ("a kernel 8 % slower, one rank", ONE, [], [["slower", GEMM, "1.08"]], "slower", "compute"),
    ("a kernel 8 % faster", TRAIN, [["slower", GEMM, "1.08"]], [], "faster", "compute"),
    ("a kernel split in two", TRAIN, [], [["split", "flash_fwd_kernel"]], "same", None),
    ("a kernel split in two with a gap", TRAIN, [], [["split", "flash_fwd_kernel", "--gap", "4000"]], "same", "dispatch"),
    ("renamed templates", TRAIN, [], [TEMPLATES], "same", None),
    ("renamed and slower", TRAIN, [], [TEMPLATES, ["slower", GEMM, "1.08"]], "slower", "compute"),
    ("one more sync", TRAIN, [], [["sync", "--length", "500us"]], "slower", "sync"),
    ("one more allocation", TRAIN, [], [["alloc", "--length", "500us"]], "slower", "alloc"),
    ("tiny kernels are new", TRAIN, [], [["launch", "--count", "200"]], "slower", "launch"),
    ("one copy less", TRAIN, [["blocking", "--length", "500us"]], [], "faster", "exposed_copy"),
    ("noise", TRAIN, [["noise", "0.002", "1"]], [["noise", "0.002", "2"]], "same", None),
    ("noise and a slower kernel", TRAIN, [["noise", "0.005", "3"]], [["slower", GEMM, "1.08"], ["noise", "0.005", "4"]], "slower", "compute"),
    ("some steps wait", TRAIN, [], [["host", "--length", "5ms", "--every", "6"]], "same", None),
    ("every second step is slower", MOE, [], [["slower", "multi_tensor_apply_kernel", "2.0"]], "inconclusive", "compute"),
    ("too few", SHORT, [], [["sync", "--length", "5ms"]], "inconclusive", "sync"),
]


def make(scratch, name, options, edits):
    """(path, planted entries)."""
    path, entries = os.path.join(scratch, name + ".sqlite"), []
    planted.generate(path, options)
    for number, edit in enumerate(edits):
        target = os.path.join(scratch, "%s%d.sqlite" % (name, number))
        entries, path = planted.plant(path, target, edit)["planted"], target
    return path, entries


class Sides:
    """Traces of pairs with their samples; the same options and edits give the same, so it is made once."""
    def __init__(self, scratch):
        self.scratch, self.made = scratch, {}

    def get(self, options, edits, conventions):
        """(path, planted entries, change.Side)."""
        key = str((options, edits))
        if key not in self.made:
            path, entries = make(self.scratch, "t%d-" % len(self.made), options, edits)
            self.made[key] = path, entries, change.Side(Trace(path), None, conventions)
        return self.made[key]


TITLES = {"verdict": "Verdict", "budget": "Where the time went", "kernels": "Kernels", "copies": "Copies"}


def sections(a, b, named):
    """{name: rows} of one run."""
    _, document = wl.run("diff", a, b, named)
    return {name: next((s["rows"] for s in document["sections"] if s["title"] == title), []) for name, title in TITLES.items()}


def section(a, b, name, *arguments):
    _, document = wl.run("diff", a, b, "--section", name, *arguments)
    return document["rows"]


def about_steps(rows, before, after):
    """Median and mean of the sample, and how many steps that has."""
    out = []
    mean, = (r for r in rows if r["metric"] == "mean_step")
    for r, x, y in ((rows[0], before.median(), after.median()), (mean, before.mean(), after.mean())):
        found = r["before"], r["after"], r["change"]
        out += [] if found == (x, y, y - x) else ["%s: before, after, change %r, oracle %r" % (r["metric"], found, (x, y, y - x))]
    found, want = (rows[0]["n_before"], rows[0]["n_after"]), (len(before.values), len(after.values))
    return out + ([] if found == want else ["steps %r, oracle %r" % (found, want)])


def about_verdict(rows, before, after, want, judged):
    """judged: what change.verdict() says."""
    row, out = rows[0], about_steps(rows, before, after)
    theirs, low, high = judged
    out += [] if row["verdict"] == want else ["verdict %r, want %r" % (row["verdict"], want)]
    out += [] if theirs == want else ["the oracle says %r, not %r: not a clear case" % (theirs, want)]
    near = max(abs(high - low) / 2, 2000)
    if abs(row["low"] - low) > near or abs(row["high"] - high) > near:
        out.append("interval %r..%r, oracle about %r..%r" % (row["low"], row["high"], low, high))
    return out


def about_budget(rows, before, after, largest):
    """Every part, and the parts add up to the mean step, their changes to its change."""
    new = after.budget()
    want = {part: (ns, new[part]) for part, ns in before.budget().items()}
    found, out = {r["part"]: (r["before"], r["after"]) for r in rows}, []
    for part, (x, y) in want.items():
        got = found.get(part, (0, 0))
        if abs(got[0] - x) > 1 or abs(got[1] - y) > 1:              # which of them are rounded up is not told
            out.append("%s: %r, oracle %r" % (part, got, (x, y)))
    out += ["unknown part %s" % part for part in found if part not in want]
    out += ["change of %s" % r["part"] for r in rows if r["change"] != r["after"] - r["before"]]
    for column, total in (("before", before.mean()), ("after", after.mean()), ("change", after.mean() - before.mean())):
        parts = sum(r[column] for r in rows)
        out += [] if parts == total else ["%s: parts add up to %d, the mean step is %d" % (column, parts, total)]
    most = max(rows, key=lambda r: abs(r["change"]))["part"]
    out += ["%s changes most, want %s" % (most, largest)] if largest and most != largest else []
    return out


def about_gate(a, b, before, after, named, judged):
    """step>2% fails where the step is that much longer beyond doubt, and is inconclusive where nobody can say."""
    p = subprocess.run([wl.WARPLENS, "diff", a, b, "--gate", "step>2%", named], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    verdict, low, high = judged
    limit, moved = before.median() / 50, after.median() - before.median()
    enough = min(len(before.values), len(after.values)) >= change.FEWEST
    want = 4 if not enough or low <= 0 <= high and low <= limit <= high else 1 if moved > limit and low > 0 else 0
    return [] if p.returncode == want else ["exit %d, want %d (%s): %s" % (p.returncode, want, verdict, p.stderr.decode()[-200:])]


def about_kernels(rows, before, after):
    """Each name's calls and time; effects add up to the change of the kernel sum."""
    out, old, new = [], before.kernels(), after.kernels()
    for r in rows:
        of_before, of_after = old.get(r["was"] or r["name"], (0, 0)), new.get(r["name"], (0, 0))
        for got, side, total in ((r["calls_before"], before, of_before[0]), (r["before"], before, of_before[1]),
                                 (r["calls_after"], after, of_after[0]), (r["after"], after, of_after[1])):
            if abs(got - side.per_step(total)) > 1:
                out.append("%s: %r, oracle %.1f" % (r["name"][:60], got, side.per_step(total)))
        if r["count_effect"] + r["duration_effect"] != r["change"] or r["change"] != r["after"] - r["before"]:
            out.append("effects do not add up: %r" % r)
        if not r["calls_before"] * r["calls_after"] and r["duration_effect"]:
            out.append("all of %s is count: %r" % (r["name"][:60], r))
    for column, side, kernels in (("before", before, old), ("after", after, new)):
        total, found = side.per_step(sum(ns for _, ns in kernels.values())), sum(r[column] for r in rows)
        out += [] if abs(total - found) <= 1 else ["%s: kernels add up to %d, oracle %.1f" % (column, found, total)]
    return out


def about_copies(rows, before, after):
    """All copies together, calls and time; each row is rounded."""
    out = []
    for name, side in (("before", before), ("after", after)):
        calls, ns = (side.per_step(total) for total in side.copies())
        found = sum(r["calls_" + name] for r in rows), sum(r[name] for r in rows)
        if abs(found[0] - calls) > 0.01 or abs(found[1] - ns) > len(rows) + 1:
            out.append("copies %s: %r, oracle %.2f and %.1f" % (name, found, calls, ns))
    return out


def as_planted(rows, entries, options):
    """What plant.py says about kernels: the planted kernel moves most, by what was put in. It speaks of iterations, of which
    each chunk is a step."""
    out, chunks = [], int(options[options.index("--chunks") + 1]) if "--chunks" in options else 1
    for entry in entries:
        for name, ns in ((name, ns / chunks) for name, ns in entry["change"]["kernels"].items()):
            mine = [r for r in rows if name in (r["was"] or r["name"])] if entry["kind"] == "slower" else []
            if mine and (rows[0] is not mine[0] or abs(mine[0]["duration_effect"] - ns) > ns / 20 or mine[0]["state"] != "slower"):
                out.append("%s: planted %d, found %r" % (name, ns, mine[0]))
            out += ["%s: not in the table" % name] if entry["kind"] == "slower" and not mine else []
        if entry["kind"] == "split":
            states = {r["state"]: r for r in rows if r["state"] in ("new", "removed", "renamed")}
            out += [] if "flash_fwd_kernel" in str([(r["name"], r["was"]) for r in states.values()]) else ["split: %r" % states]
        if entry["kind"] == "rename":
            moved = [r for r in rows if r["state"] in ("new", "removed")]
            out += ["renamed, not %s: %s" % (r["state"], r["name"]) for r in moved]
            out += [] if any(r["state"] == "renamed" for r in rows) else ["nothing is renamed"]
    return out


def pairs(tally):
    with tempfile.TemporaryDirectory(prefix="wl-diff-") as scratch:
        sides = Sides(scratch)
        for what, options, edits_a, edits_b, verdict, largest in PAIRS:
            conventions = PITHTRAIN if "--moe" in options else GENERIC
            (a, _, before), (b, entries, after) = (sides.get(options, edits, conventions) for edits in (edits_a, edits_b))
            if a == b:                                      # another file, as two runs are
                b = shutil.copyfile(a, a + ".copy.sqlite")
            named, judged = "--conventions=" + conventions["name"], change.verdict(before, after)
            found = sections(a, b, named)
            kernels = found["kernels"]
            tally.check("verdict, " + what, about_verdict(found["verdict"], before, after, verdict, judged))
            tally.check("budget, " + what, about_budget(found["budget"], before, after, largest))
            tally.check("gate, " + what, about_gate(a, b, before, after, named, judged))
            tally.check("kernels, " + what, about_kernels(kernels, before, after) + as_planted(kernels, entries, options))
            tally.check("copies, " + what, about_copies(found["copies"], before, after))


# --- names that only wrap another ------------------------------------------------------------------------------

# (what, demangled name of the first, of the second, whether one became the other)
WRAPPERS = [
    ("attention becomes a product", "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<(int)128>>>(T1::Params)",
     "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int>, (int)128>>(T1::Params)", False),
    ("the same functor, another tile", "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<(int)128>>>(T1::Params)",
     "void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<(int)64>>>(T1::Params)", True),
    ("add becomes silu", "void at::native::elementwise_kernel<(int)128, (int)4, at::native::gpu_kernel_impl<at::native::CUDAFunctor_add<float>>>(int)",
     "void at::native::elementwise_kernel<(int)128, (int)4, at::native::gpu_kernel_impl<at::native::silu_kernel<float>>>(int)", False),
    ("add with another width", "void at::native::vectorized_elementwise_kernel<(int)4, at::native::CUDAFunctor_add<float>>(int)",
     "void at::native::vectorized_elementwise_kernel<(int)8, at::native::CUDAFunctor_add<float>>(int)", True),
]


def wrappers(tally):
    """A wrapper is matched with itself only where what it wraps is the same, or of the same category."""
    with tempfile.TemporaryDirectory(prefix="wl-diff-") as scratch:
        for what, old, new, same in WRAPPERS:
            a, b = (make(scratch, side, ONE, [["rename", "^void flash::flash_fwd_kernel<.*", name], ["rename", "^flash_fwd_kernel$", "wrapped"]])[0]
                    for side, name in (("a", old), ("b", new)))
            rows = section(a, b, "kernels")
            found = [r for r in rows if r["name"] == new]
            out = [] if [r["was"] == old for r in found] == [same] else ["%r" % found]
            out += [] if same or any(r["name"] == old and r["state"] == "removed" for r in rows) else ["%s is not said to be removed" % old]
            tally.check("wrappers, " + what, out)


# --- random traces ---------------------------------------------------------------------------------------------

def side(path):
    """The sample of a random trace, or None where it has none or the definition leaves something open.

    open: processes with several devices, devices of several processes, different numbers of iterations."""
    trace = Trace(path)
    devices = [trace.devices_of(p) for p in sorted({op.process for op in trace.ops})]
    if not devices or any(len(d) != 1 for d in devices) or len({d[0] for d in devices}) != len(devices):
        return None
    found = iters.find_all(trace, conventions=GENERIC)
    counts = {len(f.iterations) for f in found.values()}
    if len(found) != len(devices) or len(counts) > 1 or counts.pop() < 4 or iters.is_open(trace):
        return None
    chosen = change.Side(trace)
    return chosen if chosen.numbers else None


def random_pairs(tally):
    scratch, failed, last = tempfile.mkdtemp(prefix="wl-diff-"), tally.failed, None
    for seed in wl.seeds(200):
        path = os.path.join(scratch, "%d.sqlite" % seed)
        mktrace.make(seed, path, rich=True)
        mine = side(path)
        if mine is None:
            os.remove(path)
            continue
        if last:
            a, before = last
            found = sections(a, path, "--conventions=generic")
            bad = about_steps(found["verdict"], before, mine) + about_budget(found["budget"], before, mine, None)
            bad += about_kernels(found["kernels"], before, mine) + about_copies(found["copies"], before, mine)
            tally.check("%s, %s" % (a, path), bad)
        last = path, mine
    if tally.failed == failed:
        shutil.rmtree(scratch)


def main():
    tally = wl.Tally()
    pairs(tally)
    wrappers(tally)
    random_pairs(tally)
    tally.finish()


if __name__ == "__main__":
    main()
