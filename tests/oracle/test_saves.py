#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings: the one number of a finding, what fixing it saves of the run. Order, severity and kind on planted and real traces are
those that a reader of the definition worked out; every surface prints the same number, and no other, in front.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import planted
import wl

PLANT = os.path.join(wl.SHARED, "tools", "plant.py")
LISTED = 0.01    # of a step or of the window, by what a finding claims
TRAIN_NS, CLEAN_NS = 1067235639, 932250641
TRAIN = "--ranks 4 --layers 12 --iters 20 --straggler 2:1.15 --seed 1"
BOUNDS = re.compile("host-starved|host-free|launch-free|alloc-in-loop|module-load|tiny-reads|blocking-copy|comm-free|exposed-comm|copies-free|"
                    "exposed-copy|layout-change|tiny-kernels|overlap|class=mpi:0")   # overlap-mpi, too
# In this order, others may stand between: code, kind, severity, % of the run (one digit), saving in ns; None: not said by the table.
REAL = {
    "nsys-ai-h100-2gpu-1s": [("exposed-copy", "at most", "high", 95.7, 927635719)],
    "test-cuda-2026.1": [("exposed-copy", "at most", "high", 76.2, 77751488), ("start-up", "at most", "medium", 4.6, None)],
    # and 0.3% in "Runtime Triggered Module Loading", which nsys says of the same calls and is loading: 4.8% together
    # Without the sync hosts run ahead: its SendRecv are matched and wait less, and the slow step is hidden, which alone is 4.6 %.
    "nsys-ai-mfu-2gpu-before": [("launch-bound", "prediction", "medium", None, None), ("stream-serialisation", "at most", "low", None, None)],
    # The table has 35.6% of the ledger; the number is that of the replay, 37.4%.
    "nvtx-no-text": [("start-up", "at most", "high", 48.4, None), ("host-starved", "at most", "high", None, None)],
    "p2p-acc-4gpu-mpi-openacc": [("host-starved", "at most", "high", 78.9, None), ("start-up", "at most", "high", 20.4, None)],
    "llama3-inference-2024.6": [("host-starved", "at most", "high", 94.0, 638287217)],
}
# Behind others it saves less: what it saves alone, in % of the run.
ALONE = {"nsys-ai-mfu-2gpu-before": ("slow-iterations", 4.6)}
PLANTED = {
    "20": [("straggler", "prediction", "high", 60.8, 351863183), ("exposed-copy", "at most", "medium", 8.3, 399683183 - 351863183)],
    "15": [("host-sync-idle", "prediction", "high", 12.1, 24746134), ("exposed-comm", "at most", None, 1.5, 27741800 - 24746134)],
}
# What a scenario saves of the run alone, in percent; what a finding does.
SCENARIOS = {"15": ("comm-free", 7.2), "20": ("copies-free", 69.0)}
# Findings of one code together, in percent of the run. Loading is said of two kinds of calls.
TOGETHER = {"test-cuda-2026.1": ("start-up", 4.8)}
# What the first finding says; the links of 12 are equally slow.
SAID = {"34": "no rank is late: it is the transfer .*, and GPU 3 leaves collectives 40 us after the others", "12": r"it is the transfer \(.*?\)$"}


def listed(path, *more):
    status, document = wl.run("findings", path, *more)
    return document["rows"] if status == 0 else []


def check_table(tally, name, path, expected):
    rows, at = listed(path), 0
    for code, kind, severity, percent, saves in expected:
        found = [i for i in range(at, len(rows)) if rows[i]["code"] == code]
        if not found:
            tally.check("%s: %s" % (name, code), ["missing, or in another order: %s" % [r["code"] for r in rows]])
            return
        row, at = rows[found[0]], found[0] + 1
        got = (row["saves_kind"], row["severity"] if severity else None, round(100 * row["saves_share"], 1) if percent else None,
               row["saves"] if saves else None)
        tally.equal("%s: %s" % (name, code), got, (kind, severity, percent, saves))


def check_alone(tally, name, path):
    """What scenarios save alone, and findings of one code together; no list exceeds the run."""
    if name in SCENARIOS:
        scenario, percent = SCENARIOS[name]
        tally.equal("%s: %s alone" % (name, scenario), round(100 * wl.run("whatif", path, "--with", scenario)[1]["rows"][0]["share"], 1), percent)
    rows = listed(path, "--all")
    if name in TOGETHER:
        code, percent = TOGETHER[name]
        tally.equal("%s: %s together" % (name, code), round(100 * sum(r["saves_share"] for r in rows if r["code"] == code), 1), percent)
    share = sum(r["saves_share"] or 0 for r in rows)
    tally.check(name + ": no more than the run", [share] if share > 1 + 1e-9 else [])


def score(row):
    return row["saves_share"] * (1 if row["saves_kind"] in ("prediction", "at least") else 2 / 3)


def severity(row):
    """By the definition, of a finding with a saving that is listed."""
    share = row["saves_share"]
    if row["window_share"] >= 0.1 and share < 0.01:
        return "info"
    if share < 0.03 or (row["saves_error"] is not None and row["saves"] <= row["saves_error"]):
        return "low"
    return "medium" if share < 0.1 else "high"


def is_cause(a, b):
    """b is about launches between calls that wait every few kernels, and a about those calls, with as much of the GPU's time."""
    call = re.search(r"(\S+) waits for the GPU after every", b["finding"]) if b["code"] == "launch-bound" else None
    named = call and a["code"] in ("tiny-reads", "host-sync-idle") and call.group(1) in a["finding"]
    return bool(named) and a["device"] == b["device"] and a["window_share"] >= b["window_share"]


def is_listed(row):
    return (row["share"] or 0) >= LISTED


def check_rows(tally, name, path):
    """What must hold of any trace."""
    rows = listed(path, "--all")
    wrong = []
    savings = [r for r in rows if r["saves"] is not None]
    run = max((round(r["saves"] / r["saves_share"]) for r in savings if r["saves_share"]), default=1)
    # Those before it save that as well, or it has their scenario, or it claims too little to be replayed with them.
    for before, r in zip([None] + rows, rows):
        if r["saves"] is None and r["saves_alone"] is not None:
            joint = before and before["scenario"] == r["scenario"]
            covered = r["severity"] == "info" and r["saves_alone"] >= 0.01 * run and is_listed(r)
            if not joint and not covered and (is_listed(r) or r["severity"] != "minor"):
                wrong.append("%s: %s, and saves nothing further" % (r["code"], r["severity"]))
    doubted = any(r["code"] == "foreign-work" for r in rows)
    for r in savings:
        if r["severity"] != "minor" and not doubted and r["severity"] != severity(r):
            wrong.append("%s: %s, %s by its number" % (r["code"], r["severity"], severity(r)))
        if r["replayed"] is None and r["saves_kind"] != "at most":
            wrong.append("%s: %s, and was not replayed" % (r["code"], r["saves_kind"]))
        if r["scenario"] and BOUNDS.search(r["scenario"]) and r["saves_kind"] not in ("at most", "no bound"):
            wrong.append("%s: %s is no prediction" % (r["code"], r["scenario"]))
        if r["saves_kind"] != "prediction" and r["saves_error"] is not None:
            wrong.append("%s: a bound has no error" % r["code"])
        if not -1e-9 <= r["saves_share"] <= 1 + 1e-9:
            wrong.append("%s: saves %r of the run" % (r["code"], r["saves_share"]))
    # Findings that claim less than they must to be listed are not replayed with the others, and stand behind them.
    minor = [r for r in savings if r["severity"] == "minor"]
    for part in ([r for r in savings if r["severity"] != "minor"], [r for r in minor if is_listed(r)], [r for r in minor if not is_listed(r)]):
        # A straggler whose time the next finding would save as well goes before it, and a wait before the launches behind it.
        wrong += ["%s before %s" % (a["code"], b["code"]) for a, b in zip(part, part[1:])
                  if (4 if a["code"] == "straggler" else 1) * score(a) < score(b) - 1e-12 and not is_cause(a, b)]
    for a, b in ((a, b) for i, b in enumerate(savings) for a in savings[i + 1:]):
        if is_cause(a, b) and min(a["saves_alone"] or 0, b["saves"] or 0) >= 0.01 * run and a["saves"]:
            wrong.append("%s behind %s, which it makes late" % (a["code"], b["code"]))
    tally.check(name + ": rows", wrong)
    check_replays(tally, name, path, savings)
    check_surfaces(tally, name, path)


def check_replays(tally, name, path, savings):
    """The number is that of whatif, or of a finding per step the part inside the steps."""
    for r in savings[:4]:
        if r["replayed"] is None or r["saves_kind"] == "at least":
            continue
        row = wl.run("whatif", path, "--with", r["scenario"])[1]["rows"][0]
        least = row["per_step"] * row["steps"] if r["per"] == "step" and row["per_step"] is not None else row["saving"]
        least, most = max(min(least, row["saving"]), 0), max(row["saving"], 0)
        alone = r["saves_alone"]                        # saves is what it takes off besides the findings before it
        fits = least - (row["steps"] or 0) <= alone <= most if r["per"] == "step" else alone == most
        # What overlap hides is claimed; to have no copies saves no less.
        fits = fits or (r["code"] == "exposed-copy" and r["scenario"] == "copies-free" and alone <= most)
        tally.check("%s: %s as whatif" % (name, r["code"]), [] if fits else ["%d, whatif %d to %d" % (alone, least, most)])


def text_of(*args):
    command = [wl.WARPLENS, *args]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout.decode("utf-8")


def front(row):
    if row["saves_share"] is None:
        return ""
    if 0 < row["saves_share"] < 0.0005:                 # a bound on it says no more
        return "<0.1%"
    kind = row["saves_kind"]
    if kind == "prediction" and row["saves_error"] is not None and row["saves_error"] >= row["saves"] // 4:
        kind = "no bound"
    return {"at most": "\u2264", "at least": "\u2265", "no bound": "~"}.get(kind, "") + "%.1f%%" % (100 * row["saves_share"])


def check_surfaces(tally, name, path):
    rows = listed(path)[:3]
    wrong = []
    screen = text_of("summary", path)
    got = re.findall(r"(?m)^[123] +(\S+)  \S", screen[screen.find("\n   Saves  "):])
    want = [front(r) or ("?" if r["severity"] not in ("info", "minor") and r["saving"] is None else "-") for r in rows]
    if not 2 <= len(got) and len(got) < len(want) or got != want[:len(got)]:
        wrong.append("first screen %r, findings %r" % (got, want))
    if rows and (rows[0]["saves_share"] or 0) >= 0.01:
        several = sum((r["saves_share"] or 0) >= 0.01 for r in rows) > 1
        most = "; \u2264: at most" if any(f[0] == "\u2264" for f in want) else ""
        about = "; ~: about" if any(f[0] == "~" for f in want) else ""
        if "\n   Saves  What to fix (of the run%s%s%s)\n1 " % (", beyond those above" if several else "", most, about) not in screen:
            wrong.append("the first screen does not say what its percentages are of")
    tally.check(name + ": surfaces", wrong)


def check_idle_end(tally, scratch):
    """A window that ends in a pause of the host: no replay has it, and no bound may be below it."""
    path, pause = os.path.join(scratch, "pause.sqlite"), 100000000
    planted.generate(path, ("--ranks 4 --layers 4 --iters 12 --stall 7:%dms" % (pause // 1000000)).split())
    rows = wl.run("findings", path, "--window", "iter:6")[1]["rows"]
    best = max(rows, key=lambda r: r["saves"] or 0)
    tally.check("a window that ends in a pause", [] if rows[0] is best and best["saves"] >= pause * 0.95 and best["saves_kind"] == "at most" else
                ["%s %r" % (r["code"], r["saves"]) for r in rows])


def check_train(tally, scratch):
    path = os.path.join(scratch, "train.sqlite")
    planted.generate(path, TRAIN.split())
    straggler = listed(path)[0]
    tally.equal("train: findings", (straggler["code"], straggler["saves_kind"], straggler["severity"]), ("straggler", "prediction", "high"))
    # The clean twin, within the hundredth that a replay of a straggler may be off.
    rest = TRAIN_NS - straggler["saves"]
    tally.check("train: clean twin", [] if abs(rest - CLEAN_NS) <= CLEAN_NS / 100 else ["%d left, clean %d" % (rest, CLEAN_NS)])
    saving = [r["saving"] for r in wl.run("ranks", path)[1]["rows"] if r["saving"]]
    tally.equal("train: ranks", saving, [straggler["saves"]])
    # 12.8 in the definition's table, of whole ranks and not of cells; 12.65 are true.
    tally.check("train: share", [] if abs(100 * straggler["saves_share"] - 12.8) <= 0.1 else [straggler["saves_share"]])
    tally.check("train: first screen", [] if front(straggler) in text_of("summary", path) else [text_of("summary", path)])
    several = json.loads(subprocess.run([wl.WARPLENS, "summary", path, path, "--separate", "-f", "json"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, check=False).stdout or b"{}")
    for row in several.get("rows", []):
        tally.equal("train: summary of several", row["saves_share"], straggler["saves_share"])
    check_rows(tally, "train", path)


def check_two_causes(tally, scratch):
    """A slow rank, and one step in which all ranks stall: each has its own number, and together they are the clean twin's."""
    path, clean = (os.path.join(scratch, name) for name in ("two.sqlite", "none.sqlite"))
    base = "--ranks 4 --layers 4 --iters 20 --seed 1".split()
    planted.generate(path, base + ["--straggler", "2:1.15", "--stall", "7:30ms"])
    planted.generate(clean, base)
    rows = listed(path)[:2]
    tally.equal("two causes: findings", {r["code"]: r["severity"] for r in rows}, {"straggler": "high", "slow-iterations": "medium"})
    measured, want = (wl.run("whatif", p, "--with", "comm-free")[1]["rows"][0]["measured"] for p in (path, clean))
    rest = measured - sum(r["saves"] or 0 for r in rows)
    tally.check("two causes: clean twin", [] if abs(rest - want) <= want / 50 else ["%d left, clean %d" % (rest, want)])
    both = [wl.run("whatif", path, "--with", a, "--with", b)[1]["rows"][0]["saving"]
            for a, b in (("no-straggler", "slow-iterations"), ("slow-iterations", "no-straggler"))]
    tally.check("two causes: in either order", [] if abs(both[0] - both[1]) <= measured / 1000 else [str(both)])


def check_job(tally, scratch):
    """Of a real job: copies that overlap hides save no more than to have no copies."""
    path = wl.real_job("omp-2x8-internal", scratch)
    files = [os.path.join(path, "report%d.sqlite" % i) for i in range(1, 9)]
    rows = [r for r in wl.run("findings", "--job", *files, "--all")[1]["rows"] if r["code"] == "exposed-copy" and r["subject"] != "small copies"]
    most = wl.run("whatif", "--job", *files, "--with", "copies-free")[1]["rows"][0]["saving"]
    tally.check("omp-2x8-internal: copies", [] if rows and all(r["saves_alone"] <= most for r in rows) else ["%d: %s" % (most, rows)])


def check_part_of_job(tally, scratch):
    """A rank that has no file may be the late one."""
    job = os.path.join(scratch, "part")
    planted.run("gen_trace.py", "-o", job, "--split", "--ranks", "4", "--layers", "2", "--iters", "8", "--straggler", "3:1.2")
    said = [r["finding"] for r in listed(os.path.join(job, "rank0.sqlite"), os.path.join(job, "rank1.sqlite"), "--all") if r["code"] == "exposed-comm"]
    tally.check("ranks without files", [] if any("a rank without a file is late" in s for s in said) else said)
    tally.check("ranks without files may be late", [s for s in said if "no rank is late" in s])


def main():
    tally = wl.Tally()
    with tempfile.TemporaryDirectory(prefix="wl-saves-") as scratch:
        check_train(tally, scratch)
        check_two_causes(tally, scratch)
        check_part_of_job(tally, scratch)
        if os.path.isdir(wl.JOBS):
            check_job(tally, scratch)
        if os.path.exists(PLANT):
            subprocess.run([sys.executable, "-B", PLANT, "-o", scratch, *PLANTED, *SAID], check=True, stdout=subprocess.DEVNULL)
            for case, expected in PLANTED.items():
                path = os.path.join(scratch, case + ".sqlite")
                check_table(tally, case, path, expected)
                check_alone(tally, case, path)
                check_rows(tally, case, path)
            for case, words in SAID.items():
                first = listed(os.path.join(scratch, case + ".sqlite"))[0]["finding"]
                tally.check(case + ": the transfer", [] if re.search(words, first) else [first])
    for name, path in wl.corpus_traces(main_only=True) if os.path.isdir(wl.CORPUS) else ():
        check_table(tally, name, path, REAL.get(name, []))
        check_alone(tally, name, path)
        check_rows(tally, name, path)
        if name in ALONE:
            code, percent = ALONE[name]
            saves = [r["saves_alone"] for r in listed(path, "--all") if r["code"] == code]
            measured = wl.run("whatif", path, "--with", code)[1]["rows"][0]["measured"]
            tally.equal("%s: %s alone" % (name, code), [round(100 * s / measured, 1) for s in saves], [percent])
    tally.finish()


if __name__ == "__main__":
    main()
