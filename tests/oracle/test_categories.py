#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""categories against the oracle (categories.py), on rich random traces, with random rules; and two traces at once.

ORACLE_SEEDS: how many (150); ORACLE_BASE: the first. A trace that differs is kept.
"""
import json
import os
import random
import shutil
import tempfile

import categories
import compare
import mktrace
import oracle
import wl
from test_random import random_selection, random_window
from tracefile import Trace

PATTERNS = ["nccl", "sgemm|cutlass", "CUDA mem", "(?i)KERNEL", "^void", "memcpy HtoD", "memset", "[aeiou]{2}", "reduce", "<.*>", ".", "x+$"]
JOIN_EVERY = 3  # seeds
BUILT_IN = os.path.join(wl.ROOT, "src", "known", "categories")


def built_in(engine, model="default"):
    """The rules of a built-in engine: those of the model, then those for all its models."""
    with open(os.path.join(BUILT_IN, engine + ".json"), encoding="utf-8") as f:
        models = json.load(f)[engine]
    return [rule for name in dict.fromkeys((model, "default")) for rule in models.get(name, {}).items()]


def random_rules(r, directory):
    """(arguments, rules): a file of the user's, alone or before built-in rules, or built-in ones."""
    engine = r.choice(["generic", "vllm", "sglang", "mine"])
    chosen = r.sample(PATTERNS, r.randint(1, len(PATTERNS)))
    mine = {p: r.choice("abcde") for p in chosen}
    if engine != "mine" and r.random() < 0.4:
        return ["--engine", engine], categories.Rules(engine=built_in(engine))
    path = os.path.join(directory, "rules.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"mine": {"a model": {"never used": "x"}, "m": mine}} if r.random() < 0.5 else {"mine": {"m": mine}}, f)
    arguments = ["--rules", path, "--engine", engine, "--model", "m"]
    return arguments, categories.Rules(mine.items(), built_in(engine) if engine != "mine" else (), engine != "mine")


def one_seed(seed, path, directory):
    """Yields (what, differences) for each call."""
    maker = mktrace.make(seed, path, rich=True)
    trace, r = Trace(path), random.Random(seed * 7919 + 5)
    window, per_device, common = random_window(r, maker, trace) if trace.ops else ([], None, None)
    selection, chosen = random_selection(r, trace)
    if window and common is None or window and "+" in window[0]:
        selection, chosen = [], {}
    query = oracle.Query(trace, window=per_device, **chosen)
    rules_given, rules = random_rules(r, directory)
    for how in ("share", "first", "last"):
        elapsed = r.choice([None, None, 0, r.randint(1, 10 ** 9)])
        arguments = rules_given + ["--attribution", how] + ([] if elapsed is None else ["--elapsed", "%dns" % elapsed]) + window + selection
        want = categories.categories(query, rules, how, elapsed) if trace.ops else []
        status, document = wl.run("categories", path, *arguments)
        if (status == wl.NO_DATA) == bool(trace.ops):
            yield arguments, ["exit %d" % status]
        elif trace.ops:
            yield arguments, compare.rows(document["rows"], want, ["device", "category"]) + adds_up(document["rows"], want)


def joined(seed, path):
    """Two traces by --in, each with its own engine, model and elapsed: the rows of both, one below the other."""
    r, values, want, names = random.Random(seed * 104729 + 7), [], [], [path, path + ",b.sqlite"]
    mktrace.make(seed + 10 ** 6, names[1], rich=True)
    for name in names:
        trace, engine, elapsed = Trace(name), r.choice(["generic", "vllm", "sglang"]), r.choice([0, r.randint(1, 10 ** 6)])
        model = r.choice(["llama", "default", ""])
        values.append("%s,%s,%s,%s" % (name, engine, model, "%.6f" % (elapsed / 10 ** 6)))
        rules = categories.Rules(engine=built_in(engine, model or "default"))
        rows = categories.categories(oracle.Query(trace), rules, "share", elapsed * 1000) if trace.ops else []
        want += [{"trace": os.path.basename(name), "engine": engine, **row} for row in rows]
    status, document = wl.run("categories", "--in", *values)
    if status == wl.NO_DATA:
        return values, ["exit %d" % status] if want else []
    order = [(w["trace"], w["device"], w["category"]) for w in want] == [(g["trace"], g["device"], g["category"]) for g in document["rows"]]
    return values, compare.rows(document["rows"], want, ["trace", "device", "category"]) + ([] if order else ["out of order"])


def adds_up(rows, want):
    """elapsed of a device adds up to its busy time, and rows come in the order of the oracle's."""
    bad = [] if [(r["device"], r["category"]) for r in rows] == [(w["device"], w["category"]) for w in want] else ["out of order"]
    for device in {r["device"] for r in rows}:
        mine = [r for r in rows if r["device"] == device]
        if sum(r["elapsed"] for r in mine) != mine[0]["busy"]:
            bad.append("elapsed of device %d does not add up to busy" % device)
    return bad


def main():
    scratch, tally = tempfile.mkdtemp(prefix="wl-categories-"), wl.Tally()
    for seed in wl.seeds(150):
        path, bad = os.path.join(scratch, "%d.sqlite" % seed), []
        try:
            for what, differences in one_seed(seed, path, scratch):
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
            if seed % JOIN_EVERY == 0:
                what, differences = joined(seed, path)
                bad += [" ".join(what)[:200] + "\n         " + str(d)[:600] for d in differences]
        except RuntimeError as error:
            bad.append(str(error))
        tally.check("seed %d, trace %s" % (seed, path), bad)
        if not bad:
            for name in (path, path + ",b.sqlite"):
                if os.path.exists(name):
                    os.remove(name)
    if not tally.failed:
        shutil.rmtree(scratch)
    tally.finish()


if __name__ == "__main__":
    main()
