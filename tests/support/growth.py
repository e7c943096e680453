#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""growth.py - how CPU time grows with the size of a trace, for each shape of worst_shapes.py and each command.

growth.py WARPLENS WORK SMALL LARGE [SHAPE...]: status 1 where a command takes LIMIT times as long per event in the
large trace as in the small one, and more than a second, or more than MOST seconds. A refusal with status 6 is an
answer: it names its limit. GROWTH_VERBS names the commands to try, all by default.
"""
import os
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
import worst_shapes

LIMIT = 2.5  # n log n from 10,000 to 200,000 makes 1.33; n squared makes 20
MOST = int(os.environ.get("GROWTH_MOST", "60"))
ANSWERS = ("summary info findings coach overlap iters kernels ops graphs transfers streams matrix categories idle gaps launch "
           "path whatif sync nccl ranks nvtx tree nvtx-kernels api osrt stacks threads pids setup schema metrics memory "
           "io mpi").split()


def commands(program, trace, out):
    for verb in ANSWERS:
        yield verb, [program, verb, trace]
    yield "search", [program, "search", "k", trace]
    yield "sql", [program, "sql", trace, "SELECT count(*) FROM nvtx_ranges"]
    yield "timeline", [program, "timeline", trace, "--snapshot", "120x40"]
    yield "viewer", [program, "viewer", trace, "-o", out + ".html"]
    yield "report", [program, "report", trace, "-o", out + ".report"]
    for kind in "perfetto", "chrome", "csv":
        yield "export " + kind, [program, "export", trace, "-f", kind, "-o", out + "." + kind]
    yield "facts", [program, "facts", trace, "-o", out + ".facts"]
    yield "index", [program, "index", trace]
    yield "diff", [program, "diff", trace, trace]


def spent(command):
    """CPU seconds and exit status; the status is None after MOST seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    status = None
    child = subprocess.Popen(["timeout", "-k", "1", str(4 * MOST)] + command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST)))
    status = child.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, status


def main():
    program, work, small, large = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    only = os.environ.get("GROWTH_VERBS", "").split(",") if os.environ.get("GROWTH_VERBS") else None
    asked = bad = 0
    for name in sys.argv[5:] or worst_shapes.SHAPES:
        trace = [os.path.join(work, f"{name}-{n}.sqlite") for n in (small, large)]
        for path, n in zip(trace, (small, large)):
            worst_shapes.write(name, n, path)
        pairs = list(zip(commands(program, trace[0], os.path.join(work, "out")),
                         commands(program, trace[1], os.path.join(work, "out"))))
        for (verb, first), (_, second) in pairs:
            if only and verb not in only:
                continue
            asked += 1
            t_large, status = spent(second)
            subprocess.run(["rm", "-rf", trace[1] + ".wlidx"], check=False)
            if t_large < 1 and status in (0, 1, 4, 5, 6):
                continue
            t_small, _ = spent(first)
            subprocess.run(["rm", "-rf", trace[0] + ".wlidx"], check=False)
            ratio = t_large / large / (max(t_small, 0.01) / small)
            if status not in (0, 1, 4, 5, 6) or ratio > LIMIT:
                bad += 1
                print(f"{name} {verb}: {t_small:.2f} s of {small}, {t_large:.2f} s of {large}: "
                      f"{ratio:.1f} times per event, status {status}", flush=True)
        for path in trace:
            os.unlink(path)
    print(f"{asked} commands on growing traces, {bad} too slow")
    return bad > 0


sys.exit(main())
