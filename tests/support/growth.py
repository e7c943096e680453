#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""growth.py - how CPU time grows with the size of a trace, for each shape of worst_shapes.py and each command.

growth.py WARPLENS WORK SMALL LARGE [SHAPE...]: status 1 where a command takes LIMIT times as long per event in the
large trace as in the small one, and more than a second, or more than MOST seconds. A refusal is an answer where its
message names the limit. GROWTH_VERBS names the commands to try, all by default; GROWTH_TABLE=FILE receives a line
with seconds and status of each.
"""
import json
import os
import re
import resource
import subprocess
import sys

sys.dont_write_bytecode = True
import worst_shapes

LIMIT = 2.5  # n log n from 10,000 to 200,000 makes 1.33; n squared makes 20
MOST = int(os.environ.get("GROWTH_MOST", "60"))
WORTH = 1.0  # seconds from which the smaller trace is tried, too
ANSWERS = (0, 5)
REFUSALS = {  # what the message says, by command and status
    ("sql slip", 2): "no such table: kernals",
    ("viewer", 2): "--max-size: the rows alone take more",
    ("any", 6): r"--[a-z-]+|limit|at most|too many|more than",
}
SCREENS = {
    "timeline": ("timeline", ""),
    "timeline rows": ("timeline", "v v v K * L S < > C-d C-d"),
    "timeline steps": ("timeline", "Tab Tab Down Tab o O e Esc ) i x e Esc ! Esc"),
    "timeline lists": ("timeline", "F Esc l Esc / 'k' Enter n N g '%50' Enter c c C-t"),
    "tui": ("tui", ""),
    "tui open": ("tui", "9 Down Down Down / 'r' Enter n C-t"),
}
PARTS = ("", "meta", "view?a=0&b=1000000000&w=1000&rows=0,1,2,3", "events?row=1&a=0&b=1000000000&max=1000", "names?from=0&n=1000",
         "stats?a=0&b=1000000000&rows=0,1,2", "gaps?a=0&b=1000000000&min=0", "search?q=k&w=100", "search?q=r&w=100&mode=regex",
         "table?verb=nvtx", "table?verb=findings", "stacks?during=idle", "merge?row=1")


def answers(program):
    """Verbs that need a trace alone."""
    known = json.loads(subprocess.run([program, "--introspect"], stdout=subprocess.PIPE, check=True).stdout)
    return [v["name"] for v in known["verbs"] if v["kind"] != "command" and v["operands"].startswith("TRACE")]


def commands(program, trace, out):
    phases = out + ".map.json"
    with open(phases, "w", encoding="ascii") as file:
        file.write('{"a": ["r", "step"], "rest": ["re:."]}')
    for verb in answers(program):
        yield verb, [program, verb, trace] + (["--phase-map", phases] if verb == "phases" else [])
    yield "search", [program, "search", "k", trace]
    yield "sql", [program, "sql", trace, "SELECT count(*) FROM nvtx_ranges"]
    yield "sql verbs", [program, "sql", trace, "SELECT count(*) FROM nvtx UNION ALL SELECT count(*) FROM tree"]
    yield "sql slip", [program, "sql", trace, "SELECT nosuch FROM kernals"]
    for name, (verb, keys) in SCREENS.items():
        yield name, [program, verb, trace, "--snapshot", "120x40"] + (["--script", keys] if keys else [])
    yield "viewer", [program, "viewer", trace, "-o", out + ".html"]
    yield "report", [program, "report", trace, "-o", out + ".report"]
    yield "serve", [sys.executable, "-B", os.path.abspath(__file__), "--serve", program, trace]
    for kind in "perfetto", "chrome", "csv", "json", "folded", "speedscope":
        yield "export " + kind, [program, "export", trace, "-f", kind, "-o", out + "." + kind]
    yield "facts", [program, "facts", trace, "-o", out + ".facts"]
    yield "index", [program, "index", trace]
    yield "diff", [program, "diff", trace, trace]
    yield "baseline", [program, "baseline", "tag", "one", trace, "--dir", out + ".baselines"]
    yield "coach", [program, "coach", trace]
    yield "agent", [program, "agent", "analyze", trace]
    yield "ask", [program, "ask", trace, "why is it slow?"]
    yield "stats", [program, "stats", trace]


def serve(program, trace):
    """What the page asks, of a server."""
    os.environ.update(WARPLENS=program, WARPLENS_FIXTURES="")
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "serve"))
    import client
    server = client.Server(trace, "--port", "0").wait(MOST)
    bad = [(path, status) for path, status in ((path, server.ask(path)[0]) for path in PARTS) if status >= 500]
    return server.stop() or len(bad)


def spent(command):
    """CPU seconds, exit status and message; a process ends after MOST seconds of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(["timeout", "-k", "1", str(20 * MOST)] + command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, env={**os.environ, "XDG_STATE_HOME": "/nonexistent"},
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST)))
    said = child.communicate()[1].decode("utf-8", "replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, child.returncode, said


def is_answer(verb, status, said):
    words = REFUSALS.get((verb, status)) or REFUSALS.get(("any", status))
    return status in ANSWERS or bool(words and re.search(words, said))


def note(*words):
    path = os.environ.get("GROWTH_TABLE")
    if path:
        with open(path, "a", encoding="utf-8") as table:
            print(*words, sep="\t", file=table)


def compare(name, verb, pair, sizes):
    """Whether the time of the command grows as it may."""
    t_large, status, said = spent(pair[1])
    is_good = is_answer(verb, status, said)
    if t_large < WORTH and is_good:
        note(name, verb, "-", f"{t_large:.2f}", "-", status)
        return True
    t_small, *_ = spent(pair[0])
    ratio = t_large / sizes[1] / (max(t_small, 0.01) / sizes[0])
    note(name, verb, f"{t_small:.2f}", f"{t_large:.2f}", f"{ratio:.1f}", status)
    if is_good and ratio <= LIMIT:
        return True
    print(f"{name} {verb}: {t_small:.2f} s of {sizes[0]}, {t_large:.2f} s of {sizes[1]}: "
          f"{ratio:.1f} times per event, status {status}: {said.strip()[-200:]}", flush=True)
    return False


def main():
    if sys.argv[1] == "--serve":
        return serve(sys.argv[2], sys.argv[3])
    program, work, sizes = sys.argv[1], sys.argv[2], (int(sys.argv[3]), int(sys.argv[4]))
    only = os.environ.get("GROWTH_VERBS", "").split(",") if os.environ.get("GROWTH_VERBS") else None
    asked = bad = 0
    for name in sys.argv[5:] or worst_shapes.SHAPES:
        traces = [os.path.join(work, f"{name}-{n}.sqlite") for n in sizes]
        for path, n in zip(traces, sizes):
            worst_shapes.write(name, n, path)
        for ways in zip(*(commands(program, path, os.path.join(work, "out")) for path in traces)):
            if only and ways[0][0] not in only:
                continue
            asked += 1
            bad += not compare(name, ways[0][0], [way[1] for way in ways], sizes)
            subprocess.run(["rm", "-rf"] + [path + ".wlidx" for path in traces], check=False)
        for path in traces:
            os.unlink(path)
    print(f"{asked} commands on growing traces, {bad} too slow")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
