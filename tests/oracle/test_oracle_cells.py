#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle for slow ranks against the table of its definition, on traces with known causes; the program is not run.

CAUSES_ALL=1: all rows, else some of each sort.
"""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "jobs"))
import caused  # noqa: E402
import cells  # noqa: E402
import opening  # noqa: E402
import wl  # noqa: E402

GENERATOR = os.path.join(os.path.dirname(HERE), "support", "gen_trace.py")
EVERY = list(range(20))
ROTATED = {r: EVERY[r::4] for r in range(4)}

# case: slow steps by rank, saving in ms as printed, what is left of the run against the clean one in percent, reason
SLOW = {
    "01": ({3: EVERY}, "26.25", "-0.08", "slow kernel"),
    "02": ({1: [2, 7, 12, 17]}, "59.90", "-0.03", "host"),
    "03": ({2: [0, 5, 10, 15]}, "24.89", "-0.01", "host"),
    "06b": ({1: list(range(7, 25))}, "55.55", "-0.09", "slow GPU"),
    "07": (ROTATED, "69.79", "-0.46", "slow GPU"),
    "07b": ({**ROTATED, 0: [4, 8, 12, 16]}, "151.34", "+4.27", "host"),     # the stall before step 0 is start-up
    "16": ({0: EVERY}, "60.02", "-0.05", "more work"),
    "19": ({2: EVERY}, "194.74", "+0.71", "host"),
    "20": ({3: EVERY}, "351.86", "-0.07", "copies"),
    "21": ({0: EVERY, 1: EVERY}, "35.73", "-0.12", "slow GPU"),
    "24": ({4: EVERY, 5: EVERY}, "35.63", "-0.16", "slow GPU"),
    "25": ({r: EVERY for r in range(4, 8)}, "35.78", "-0.15", "slow GPU"),
    "25b": ({1: EVERY}, "35.54", "-0.07", "slow GPU"),
    "28": ({1: [5, 6, 7, 8, 9]}, "26.60", "-0.02", "slow GPU"),
    "29": ({2: [1, 5, 9, 13, 17]}, "22.31", "-0.08", "slow GPU"),
    "33": ({0: EVERY}, "89.03", "-0.13", "shared GPU"),
    "33b": ({0: list(range(8, 14))}, "26.68", "-0.05", "shared GPU"),
    "35": ({2: [0, 8, 11, 13, 16, 19]}, "26.74", "-0.07", "slow GPU"),
    "37": ({r: list(range(12)) for r in (4, 5, 10, 11)}, "21.44", "-0.20", "slow GPU"),
    "38": ({1: EVERY, 3: EVERY}, "53.28", "-0.08", "slow GPU"),
    "40": ({0: EVERY}, "88.98", "-0.09", "shared GPU"),
    "41s": ({3: EVERY}, "35.55", "-0.03", "slow GPU"),
    "42": ({1: EVERY}, "34.63", "+0.46", "slow GPU"),
    "43e": ({2: EVERY}, "34.33", "-1.54", "slow GPU"),
    "j_lag0": ({2: EVERY}, "35.66", "-0.12", "slow GPU"),
    "j_lag3": ({2: EVERY}, "35.66", "-0.12", "slow GPU"),
    "j_lag8": ({2: EVERY}, "35.66", "-0.12", "slow GPU"),
    "j_jit-3..0_lag1.5": ({2: EVERY}, "35.59", "-0.13", "slow GPU"),
    "j_jit-8..0_lag1": ({2: EVERY}, "35.63", "-0.12", "slow GPU"),
    "e_lag3_E": ({2: EVERY}, "35.53", "-0.05", "slow GPU"),
    "e_lag3_jit-3_E": ({2: EVERY}, "35.39", "-0.02", "slow GPU"),
    "e_lag3_jit-8_E": ({2: EVERY}, "35.43", "-0.01", "slow GPU"),
}
# exact, where the definition gives nanoseconds
NANOSECONDS = {"j_lag1": 35663937, "j_lag3": 35663937, "j_lag5": 35663937, "j_jit-3..0_lag1.5": 35591373, "j_jit-8..0_lag1": 35630079, "20": 351863183}
WORDS = {"01": "always", "02": "every 5: 2 7 12 17", "06b": "7-24", "28": "5-9", "29": "every 4: 1 5 9 13 17", "33b": "8-13", "35": "6 of 20", "37": "always"}
FACTORS = {"06b": {1: "1.32"}, "07": dict.fromkeys(range(4), "1.40"), "21": {0: "1.20", 1: "1.20"}, "28": {1: "1.598"}, "29": {2: "1.50"},
           "35": {2: "1.50"}, "37": dict.fromkeys((4, 5, 10, 11), "1.20"), "38": {1: "1.30", 3: "1.10"}, "33": {0: "1.50"}}
PREFIXES = {"21": ["0.08", "16.4"], "25": ["0.03", "0.06", "0.13", "16.4"], "02": ["24.7"], "28": ["12.7"], "07": [None, None, None, "27.7"], "37": [None, None, None, "16.4"]}
SUBJECTS = {"37": ("host", ["node2", "node5"]), "07": ("rotating", [0, 1, 2, 3]), "07b": ("rotating", [0, 1, 2, 3])}
CLEAN = ("00 11 27 37c 41 c_jit-1.5..0_lag1 c_jit-3..0_lag1.5 c_jit-8..0_lag1 c_jit-3..0_lag3 c_jit-8..0_lag3 c_jit-8..0_lag8 04 05 05b 06 08 09 10 "
         "12 13 14 15 18 22 30 31 32 34 36 36b").split()
TRANSFERS = {"12": None, "13": None, "34": 3}               # nobody is late, transfers are long; the rank that leaves late
FEW = "01 02 06b 07 16 19 20 21 28 33b 35 37 38 41s 42 j_jit-8..0_lag1 00 c_jit-8..0_lag8 34".split()


def as_printed(value, text):
    return "%+.*f" % (len(text.split(".")[1]), value) if text[0] in "+-" else "%.*f" % (len(text.split(".")[1]), value)


def evidence(tally, name, opened, verdict):
    """Factors, words, prefixes and the subject, where the table has them."""
    if name in WORDS:
        tally.equal(name + " words", set(verdict.words.values()), {WORDS[name]})
    for rank, text in FACTORS.get(name, {}).items():
        tally.equal("%s factor of %d" % (name, rank), as_printed(verdict.factor[rank], text), text)
    for n, text in enumerate(PREFIXES.get(name, ()), 1):
        if text is not None:
            tally.equal("%s first %d" % (name, n), as_printed(100 * verdict.savings[n] / opened.run, text), text)
    tally.equal(name + " subject", verdict.subject, SUBJECTS.get(name, ("rank", verdict.stragglers)))
    if name in NANOSECONDS:
        tally.equal(name + " ns", verdict.saving, NANOSECONDS[name])
    if name == "01":
        told = {("flash_fwd" if "flash_fwd" in kernel else "others"): "%.2f" % factor for kernel, factor, _, _ in verdict.kernels}
        tally.equal("01 kernels", told, {"flash_fwd": "2.00", "others": "1.00"})
        tally.check("01 first kernel", [] if "flash_fwd" in verdict.kernels[0][0] else verdict.kernels[:1])
    if name in ("33", "33b", "40"):
        process, share, rest = verdict.shared[0]
        tally.equal(name + " shared", (process, "%.2f" % share, rest is None or rest < 0.01), (90000, "0.83", True))


def slow(tally, name, path, truth):
    opened = opening.Opened(path, truth["communicators"])
    verdict = cells.Verdict(opened)
    steps, saving, left, reason = SLOW[name]
    tally.equal(name + " identity", (len(opened.replayer.moved()), opened.replayer.circles), (0, 0))
    tally.equal(name + " steps", verdict.steps, steps)
    tally.equal(name + " saving", as_printed(verdict.saving / 1e6, saving), saving)
    rest = 100 * (opened.run - verdict.saving - truth["clean_span_ns"]) / truth["clean_span_ns"]
    tally.equal(name + " rest", as_printed(rest, left), left)
    tally.equal(name + " reason", verdict.reason, reason)
    if truth["ranks"] is not None:
        tally.equal(name + " planted ranks", verdict.stragglers, truth["ranks"])
    if truth["steps"] is not None:
        tally.equal(name + " planted steps", sorted({i for of in verdict.steps.values() for i in of}), truth["steps"])
    evidence(tally, name, opened, verdict)


def clean(tally, name, path, truth):
    opened = opening.Opened(path, truth["communicators"])
    tally.equal(name + " suspects", cells.Cells(opened).suspects, [])
    if name in TRANSFERS:
        _, _, is_transfer, late = cells.transfers(opened)
        tally.equal(name + " transfers", (is_transfer, late), (True, TRANSFERS[name]))
    if name == "34":
        tally.equal("34 leaves", cells.leaves(opened.job)[3][0], 40_000)


def cannot_be_replayed(tally, path, truth):
    """Suspects whose operations start later than their streams and launches explain."""
    opened = opening.Opened(path, truth["communicators"])
    verdict = cells.Verdict(opened)
    late = verdict.cells.late.get(2, 0)
    tally.equal("43", (verdict.suspects, verdict.stragglers, verdict.cannot), ([2], [], True))
    tally.equal("43 lateness", ("%.3f" % (late / opened.count / 1e6), "%.1f" % (100 * late / opened.run)), ("1.109", "9.6"))
    tally.equal("43 hold", "%.2f" % max(opened.holds().values()), "0.88")


def whole_run(tally, path, truth):
    """Without steps the whole run is one: where the largest lateness is 1% of it, the verdict is the same."""
    verdict = cells.Verdict(opening.Opened(path, truth["communicators"], without_steps=True))
    tally.equal("20 without steps", (verdict.steps, verdict.words, verdict.saving), ({3: [0]}, {3: "always"}, 351863183))


def in_words(tally):
    for steps, count, text in (([3, 4, 5], 20, "3-5"), ([7], 20, "7"), ([0, 5, 10, 15], 20, "every 5: 0 5 10 15"), ([1, 5], 20, "2 of 20"),
                               ([0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 15, 19], 20, "always"), ([1, 2, 5, 6], 20, "4 of 20")):
        tally.equal("%s of %d" % (steps, count), cells.in_words(steps, count), text)
    tally.equal("prefixes", [cells.prefixes(n) for n in (0, 1, 8, 9, 20)], [[], [1], list(range(1, 9)), [1, 2, 4, 8, 9], [1, 2, 4, 8, 16, 20]])


class Counted:
    """Suspect cells alone."""
    def __init__(self, n_ranks, suspect):
        self.ranks, self.suspect = range(n_ranks), suspect


def chance(tally):
    """The three ways in which a small saving by kernels is none of chance, by tables of Student's t and by hand."""
    for t, freedom, share in ((636.62, 1, 0.0005), (8.610, 4, 0.0005), (4.587, 10, 0.0005), (3.850, 20, 0.0005), (1.812, 10, 0.05)):
        tally.check("t %g of %d" % (t, freedom), [] if abs(cells.above(t, freedom) / share - 1) < 0.002 else [cells.above(t, freedom)])
    for name, got, want in (
            ("three steps count", cells.is_steady([1, -1, 0]), True), ("as good as chance", cells.is_steady([5, -4, 6, -5, 3, -2]), False),
            ("each step", cells.is_steady([10, 11, 9, 10, 12, 10]), True), ("to the other side", cells.is_steady([-10, -11, -9, -10, -12, -10]), False),
            ("three of nine", cells.stands_out([0, 3, 6], [100, 1, -1, 100, 2, -2, 100, 1, 0]), True),
            ("two of nine", cells.stands_out([0, 3], [100, 1, -1, 100, 2, -2, 0, 1, 0]), False),
            ("three of eight", cells.stands_out([0, 3, 6], [100, 1, -1, 100, 2, -2, 100, 1]), False),
            ("one not far", cells.stands_out([0, 3, 6], [100, 1, -1, 100, 2, -2, 12, 1, 0]), False),
            # 4 ranks, of each 6 cells one in four: (1/4)^6 x 4 is 1 of 1,024, (1/4)^7 x 4 one of 4,096
            ("six of six", cells.has_most(Counted(4, {(1, i) for i in range(6)}), {1}), False),
            ("seven of seven", cells.has_most(Counted(4, {(1, i) for i in range(7)}), {1}), True)):
        tally.equal("chance, " + name, got, want)


def moe(tally, scratch):
    """All-to-alls: groups by label; of two suspects one suffices. The figures of the table took the other suspect as a reference."""
    base = "--moe --ranks 4 --layers 4 --iters 8 --seed 5"
    of = {}
    for name, more in (("good", ""), ("bad", " --straggler 1:1.25")):
        path = os.path.join(scratch, name + ".sqlite")
        subprocess.run([sys.executable, "-B", GENERATOR, "-o", path, *(base + more).split()], check=True, stdout=subprocess.DEVNULL)
        of[name] = opening.Opened(path)
    good, bad = of["good"], of["bad"]
    tally.equal("moe good", cells.Cells(good).suspects, [])
    verdict = cells.Verdict(bad)
    tally.equal("moe bad", (verdict.suspects, verdict.stragglers, verdict.words), ([1, 0], [1], {1: "always"}))
    saving = bad.saving(verdict.cells.scenario([1], alone=True))
    tally.equal("moe saving", (saving, "%+.2f" % (100 * (bad.run - saving - good.run) / good.run)), (106572709, "+1.10"))
    tally.check("moe references", [] if abs(verdict.saving - saving) < 0.001 * bad.run else [verdict.saving])


def main():
    tally = wl.Tally()
    in_words(tally)
    chance(tally)
    with tempfile.TemporaryDirectory(prefix="wl-cells-") as scratch:
        names = caused.part([*SLOW, *(n for n in NANOSECONDS if n not in SLOW), *CLEAN], FEW)
        made = caused.write(scratch, names + ["43"])
        for name in names:
            if name in SLOW:
                slow(tally, name, *made[name])
            elif name in CLEAN:
                clean(tally, name, *made[name])
            else:
                verdict = cells.Verdict(opening.Opened(made[name][0], made[name][1]["communicators"]))
                tally.equal(name + " ns", verdict.saving, NANOSECONDS[name])
        cannot_be_replayed(tally, *made["43"])
        whole_run(tally, *made["20"])
        if caused.ALL:
            moe(tally, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
