#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The finding step-time-changed on traces whose cause is known, and on real ones: what it says, what it saves, and that
it says nothing of others. The figures are those of the definition (docs/definitions/iterations.md, "Change over time"),
savings the truth's within the replay's reach.

FIGURES=all: all cases without a change; else every fourth.
"""
import json
import os
import subprocess
import sys
import tempfile

import wl

sys.path.append(os.path.join(wl.ROOT, "tests", "support"))
from causes import Case  # noqa: E402

CAUSES = os.path.join(wl.ROOT, "tests", "support", "causes.py")
ALL = os.environ.get("FIGURES") == "all"
CODE = "step-time-changed"

# case, subject, what the sentence has, saving in ns of a replay of the definition
CHANGED = (
    ("06", "increasingly, over steps 1-24", ("35.8%", "all kernels take 1.24 times"), 42300000),
    ("22", "increasingly, over steps 1-24", ("77.9%", "GPU idle in host code takes 6.9 ms more"), 136740000),
    ("30", "since step 10", ("28.9%", "flash_fwd", "3.00 times"), 26420000),
    ("36", "since step 12", ("29.", "all kernels take 1.30 times"), None),
    ("36b", "until step 11", ("29.", "all kernels take 1.30 times"), None),
    ("09", "in steps 10-14", ("24.4%", "all kernels take 1.25 "), 11180000),
)
# case: the run, and what the cause costs of it, in ms as the table has them; the saving of a drift is against its first steps
TRUE = {"06": ("283.90", "55.64"), "22": ("408.26", None), "30": (None, "26.40"), "09": (None, "11.13")}
# kernel: time in ms of each step, of steps 100-299 and 800-999, as SQL has it
WORK_GROWS = {"kernel_mlp_fused": ("1.33", "1.80"), "kernel_grid": ("1.40", "1.76")}
# One rank changes, and the others wait for it.
STRAGGLERS = ("06b", "28", "33b")
# Rank 0 shares its GPU all the time.
SHARED = ("33", "40")
# name, subject, what the sentence has. Of more than 64 steps the definition looks at blocks, which end at step 992 here; the edge
# lies in the next one: these steps still take longer, and what follows does not.
REAL = (
    ("instant-ngp-cudagraph-nodes", "increasingly, over steps 1-1000", ("18.2%", "999 steps", "the work grows")),
    ("gpubootcamp-jacobi-2gpu-nvlink", "until step 1001", ("the work changes", "262,144", "131,072")),
    ("mpi-cfd-5of8", "until step 1003", ("the work changes",)),
)
REAL_NONE = ("llama3-inference-2024.6", "nersc-sc22-ddp-4gpu-baseline", "nersc-sc22-ddp-4gpu-bucketcap", "nersc-sc22-ddp-4gpu-nobroadcast",
             "nersc-sc22-nobroadcast-clockskew", "nsightful-power-iteration-2025.3", "streams-1000", "nsys-ai-mfu-2gpu-after", "nsys-ai-mfu-2gpu-before")


def findings(path):
    status, answer = wl.run("findings", path, "--all")
    return answer["rows"] if status == 0 else []


def of_code(rows, code):
    return [r for r in rows if r["code"] == code]


def said(tally, what, rows, subject, words):
    found = of_code(rows, CODE)
    tally.equal(what + " has one", [r["subject"] for r in found], [subject])
    tally.check(what + " says", [w for r in found for w in words if w not in r["finding"]])
    return found


def planted(tally, directory):
    for name, subject, words, saving in CHANGED:
        rows = findings(os.path.join(directory, name + ".sqlite"))
        found = said(tally, name, rows, subject, words)
        tally.equal(name + " comes first", [r["code"] for r in rows[:1]], [CODE])
        tally.check(name + " saves", ["%d" % r["saves"] for r in found if saving and abs(r["saves"] - saving) > 10000])
        tally.equal(name + " is told once", of_code(rows, "slow-iterations"), [])
        if name in TRUE:
            with open(os.path.join(directory, "truth.json"), encoding="utf-8") as f:
                truth = json.load(f)[name]
            for what, want, ns in zip(("run", "cause"), TRUE[name], (truth["span_ns"], truth["saving_ns"])):
                tally.equal("%s %s" % (name, what), "%.2f" % (ns / 1e6) if want else None, want)
    for name in STRAGGLERS:
        rows = findings(os.path.join(directory, name + ".sqlite"))
        tally.equal(name, ([r["code"] for r in rows[:1]], of_code(rows, CODE)), (["straggler"], []))
        tally.equal(name + " grows", "growing" in rows[0]["finding"], name == "06b")


def slowing(most):
    """A rank slows down by so much, in 15 steps from step 6 on, and stays there."""
    return lambda rank, step, name, ns, _: ns * (1 + most[rank] * min(1, max(0, (step - 5) / 15)))


# What steps take longer behind the ramp, by rank; the codes of the first findings.
RAMPS = {"a ramp": ((.12, .13, .14, .12), [CODE]), "a ramp, and one GPU slows down more": ((.10, .28, .14, .12), ["straggler", CODE])}


def ramps(tally, scratch):
    """The level before a ramp is what its steps are compared with; what one GPU has beyond that is another's finding, and both add up."""
    for name, (most, codes) in RAMPS.items():
        truth = Case("", "drift", keep={"steps": 30}, dur=slowing(most)).write(scratch, "ramp")
        rows = findings(os.path.join(scratch, truth["files"][0]))
        said(tally, name, rows, "since step 6, increasingly until step 20", ("as long as in steps 1-5",))
        tally.equal(name + " comes first", [r["code"] for r in rows[:len(codes)]], codes)
        off = abs(sum(r["saves"] for r in rows[:len(codes)]) - truth["saving_ns"]) / truth["span_ns"]
        tally.check(name + " saves", [] if off < 0.005 else ["%s, truth %d" % ([r["saves"] for r in rows[:2]], truth["saving_ns"])])


def real(path, name):
    return wl.real_job(name, path) if os.path.isdir(os.path.join(wl.JOBS, name)) else unpacked(path, name)


def unpacked(scratch, name):
    out = os.path.join(scratch, name + ".sqlite")
    with open(out, "wb") as f:
        subprocess.run(["zstd", "-qdc", os.path.join(wl.CORPUS, name, "trace.sqlite.zst")], stdout=f, check=True)
    return out


def corpus(tally, scratch):
    for name, subject, words in REAL:
        said(tally, name, findings(real(scratch, name)), subject, words)
    for name in REAL_NONE:
        tally.equal(name, of_code(findings(unpacked(scratch, name)), CODE), [])
    work_grows(tally, unpacked(scratch, REAL[0][0]))
    warm = findings(unpacked(scratch, "nvtx-no-text"))
    tally.equal("nvtx-no-text", of_code(warm, CODE), [])
    # The block that ends at step 240 is slow, but for its last steps.
    tally.check("nvtx-no-text warms up", [] if any("steps 1-232 are a warm-up: 4.3%" in r["finding"] for r in of_code(warm, "slow-iterations")) else [str(warm)[:400]])


def work_grows(tally, path):
    """Of instant-ngp, the table's figures from SQL are those of the program's kernels."""
    def of_steps(name, first, last):
        rows = wl.run("kernels", path, "--window", "iter:%d..%d" % (first, last))[1]["rows"]
        mine = [r for r in rows if r["name"].split("(")[0].split("<")[0].split("::")[-1].endswith(name)]
        return sum(r["sum"] for r in mine) / (last - first + 1) / 1e6
    for name, (early, late) in WORK_GROWS.items():
        got = of_steps(name, 100, 299), of_steps(name, 800, 999)
        tally.equal("instant-ngp " + name, ["%.2f" % ms for ms in got], [early, late])


def write(directory, names):
    subprocess.run([sys.executable, "-B", CAUSES, "-o", directory, *names], stdout=subprocess.DEVNULL, check=True)


def controls(tally, directory, names):
    """A case at a time, because all of them take much room."""
    for name in names:
        write(directory, [name])
        with open(os.path.join(directory, "truth.json"), encoding="utf-8") as f:
            files = json.load(f)[name]["files"]
        path = os.path.join(directory, files[0] if len(files) == 1 else name)
        tally.equal(name + " has no change", of_code(findings(path), CODE), [])
        if len(files) == 1:
            os.remove(path)


def main():
    tally = wl.Tally()
    listed = subprocess.run([sys.executable, "-B", CAUSES, "--list"], stdout=subprocess.PIPE, check=True, text=True).stdout
    changing = {c[0] for c in CHANGED} | set(STRAGGLERS)
    others = [n for n in (line.split()[0] for line in listed.splitlines()) if n not in changing]
    with tempfile.TemporaryDirectory(prefix="wl-changed-") as scratch:
        write(scratch, sorted(changing))
        planted(tally, scratch)
        ramps(tally, scratch)
        controls(tally, scratch, others if ALL else sorted({*others[::4], *SHARED, "27"}))
        if os.path.isdir(wl.CORPUS):
            corpus(tally, scratch)
    tally.finish()


if __name__ == "__main__":
    main()
