# SPDX-License-Identifier: MIT
"""What is measured on one trace: a list of commands, and which part of each counts."""
import json
import os
import subprocess
import sys
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
READERS = ("pages", "sqlite")
THREADS = (1, 2)
LOADED = ("kernels", "nvtx")          # verbs whose load is compared with SQLite
PHASES = {"forward": ["forward"], "backward": ["backward"], "rest": ["re:."]}


@dataclass
class Case:
    key: str
    title: str
    command: list
    part: str = "total"               # whose time is shown
    reader: str = None                # that it must use; None where it does not tell
    cold: bool = False                # the trace is dropped from the page cache first


def lines_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def verbs(program, directory):
    """Each verb that answers about a trace, with what it cannot do without."""
    phases = os.path.join(directory, "phases.json")
    with open(phases, "w", encoding="utf-8") as file:
        json.dump(PHASES, file)
    found = {}
    for verb in introspect(program)["verbs"]:
        if verb["kind"] != "command":
            found[verb["name"]] = [] if verb["operands"].startswith("TRACE") else ["gemm"]
    if "phases" in found:
        found["phases"] = ["--phase-map=" + phases]
    return found


def introspect(program):
    return json.loads("\n".join(lines_of([program, "--introspect"])))


def has_index(program):
    return any(verb["name"] == "index" for verb in introspect(program)["verbs"])


def bare(build, trace):
    for what in LOADED + ("all",):
        sql = lines_of([os.path.join(build, "columns_sql"), trace, what])
        yield Case("bare." + what, "bare SQLite: columns of " + ("everything" if what == "all" else what),
                   [os.path.join(build, "bare_sqlite"), trace] + sql, "load")


def loads(build, trace):
    program = os.path.join(build, "warplens")
    for verb in LOADED:
        for reader in READERS:
            for j in THREADS:
                yield Case("load.%s.%s.%d" % (verb, reader, j), "load for %s: reader %s, -j %d" % (verb, reader, j),
                           [program, verb, trace, "--stats", "--reader", reader, "-j", str(j)], "load", reader)
    for j in THREADS:
        yield Case("load.all.%d" % j, "load everything: -j %d" % j,
                   [os.path.join(build, "load_all"), trace, str(j)], "load")


def answers(program, directory, trace):
    for verb, wants in verbs(program, directory).items():
        yield Case("verb." + verb, verb, [program, verb] + wants + [trace, "--stats"], reader="pages")


def replays(program, trace):
    """The path alone, and a scenario alone: the others of whatif are what is left of its time."""
    yield Case("path.alone", "path, without savings", [program, "path", trace, "--savings", "no", "--stats"],
               reader="pages")
    yield Case("whatif.one", "whatif, one scenario", [program, "whatif", trace, "--with", "class=compute:1", "--stats"],
               reader="pages")


def one_step(program, directory):
    """Of a trace of three steps: in a large one the rest would hide what scenarios of a step cost."""
    trace = os.path.join(directory, "steps.sqlite")
    if not os.path.exists(trace):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests", "support", "gen_trace.py"), "-o", trace,
                        "--ranks", "8", "--layers", "32", "--iters", "3"], check=True, stdout=subprocess.DEVNULL)
    step = [program, "whatif", trace, "--window", "iter:1", "--stats"]
    yield Case("step.one", "whatif of one step, one scenario", step + ["--with", "class=compute:1"], reader="pages")
    yield Case("step.all", "whatif of one step", step, reader="pages")


def indexed(program, directory, trace):
    """The index is rewritten each time; what follows uses it."""
    index = ["--index-dir", os.path.join(directory, "index")]
    os.makedirs(index[1], exist_ok=True)
    yield Case("index", "index: write it", [program, "index", trace] + index)
    for verb, wants in verbs(program, directory).items():
        yield Case("indexed." + verb, verb + ", with an index", [program, verb] + wants + [trace, "--stats"] + index,
                   reader="index")


def cold(program, trace):
    yield Case("cold.cat", "cat, cold", ["cat", trace], cold=True)
    yield Case("cold.kernels", "kernels, cold", [program, "kernels", trace, "--stats"], reader="pages", cold=True)


def agents(program, trace):
    """What a coding agent waits for."""
    yield Case("mcp.calls", "mcp: findings and analyze after open_trace, 95th percentile",
               [sys.executable, "-B", os.path.join(ROOT, "bench", "agent_calls"), program, trace], "p95")


def of_facts(build, directory):
    """Jobs of made-up ranks with 20 steps of 60 operations each, 8 ranks per file. The test of the benchmark takes a part of them."""
    part = int(os.environ.get("BENCH_RANKS_PART", "1"))
    program = os.path.join(build, "warplens")
    for ranks in (1024, 10000):
        parts = os.path.join(directory, "facts%d" % ranks)
        merged = parts + ".wlfacts"
        if not os.path.exists(parts):
            os.makedirs(parts)
            subprocess.run([os.path.join(build, "fill_facts"), str(ranks // part), "20", "60", str(ranks // part // 8), parts], check=True)
        yield Case("facts.merge.%d" % ranks, "facts merge, %d ranks" % ranks, [program, "facts", "merge", parts, "-o", merged])
        for verb in ("ranks", "findings"):
            yield Case("facts.%s.%d" % (verb, ranks), "%s of merged facts, %d ranks" % (verb, ranks), [program, verb, merged])


def all_cases(build, directory, trace):
    program = os.path.join(build, "warplens")
    found = [Case("cat", "cat", ["cat", trace])]
    found += list(bare(build, trace)) + list(loads(build, trace)) + list(answers(program, directory, trace))
    found += replays(program, trace)
    found += one_step(program, directory)
    found += agents(program, trace)
    found += of_facts(build, directory)
    if has_index(program):
        found += indexed(program, directory, trace)
    return found + list(cold(program, trace))
