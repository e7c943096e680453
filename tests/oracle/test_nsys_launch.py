#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""idle, gaps, launch and graphs on the corpus: against the oracle, and against what the real nsys 2023.4.4 printed.

Compared with nsys: `launch` with cuda_kern_exec_sum, added up over threads, devices and calls (counts, queued counts,
least and most exactly; sums as far as averages with one decimal tell), and `gaps` with gpu_gaps of 1 ms, the 50 longest.
nsys counts a kernel once per API row with its correlation id (see test_oracle_nsys.py): that trace is left out. It counts a
graph's launch call with each of its nodes, we once: of names that ran as nodes only the count is compared.
"""
import compare
import idle
import launch
import oracle
import wl
from test_idle import listed
from test_nsys_stats import report
from test_oracle_nsys import DOUBLED, MOST_GAPS, differences
from tracefile import Trace


def rows(path, verb, *arguments):
    status, document = wl.run(verb, path, *arguments)
    return document["rows"] if status == 0 else None


def executions(tally, name, got, nodes):
    """nodes: the names of kernels that ran as nodes of graphs."""
    wanted, spread = {}, {}
    for r in report(name, "cuda_kern_exec_sum") or []:
        w = wanted.setdefault(r["Kernel Name"], {"launched": 0, "queued": 0, "api_min": [], "api_max": [], "queue_min": [], "queue_max": []})
        s = spread.setdefault(r["Kernel Name"], {"api_sum": 0.0, "queue_sum": 0.0})
        w["launched"] += int(r["Count"])
        w["queued"] += int(r["QCount"] or 0)
        for letter, key, count in (("A", "api", r["Count"]), ("Q", "queue", r["QCount"])):
            if int(count or 0):
                s[key + "_sum"] += int(count) * float(r[letter + "Avg (ns)"])
                w[key + "_min"].append(int(r[letter + "Min (ns)"]))
                w[key + "_max"].append(int(r[letter + "Max (ns)"]))
    for w in wanted.values():
        for key, choose in (("api_min", min), ("queue_min", min), ("api_max", max), ("queue_max", max)):
            w[key] = choose(w[key]) if w[key] else None
    mine = {r["name"]: r for r in got or [] if r["launched"]}
    tally.check(name + ": kernels of graphs", [k for k in nodes if k in mine and mine[k]["launched"] != wanted[k]["launched"]])
    mine, wanted, spread = ({k: v for k, v in rows.items() if k not in nodes} for rows in (mine, wanted, spread))
    tally.check(name + ": cuda_kern_exec_sum", differences({k: {c: r[c] for c in next(iter(wanted.values()))} for k, r in mine.items()} if wanted else mine, wanted))
    tally.check(name + ": sums of cuda_kern_exec_sum",
                [(k, c, mine[k][c], v) for k, s in spread.items() if k in mine for c, v in s.items()
                 if abs((mine[k][c] or 0) - v) > 0.051 * mine[k]["launched"] + 1e-9 * v])


def long_gaps(tally, name, got):
    want = sorted(((int(r["Duration (ns)"]), int(r["Start (ns)"])) for r in report(name, "rule_gpu_gaps_gap_1") or []), reverse=True)
    mine = sorted(((r["duration"], r["start"]) for r in got or []), reverse=True)[:MOST_GAPS]
    tally.check(name + ": gpu_gaps of 1 ms", [] if mine == want else [mine[:3], want[:3]])


def against_oracle(tally, name, path, trace):
    query = oracle.Query(trace)
    tally.check(name + ": idle", compare.rows(rows(path, "idle", "--by", "detail"), idle.idle(query, True), ["device", "cause", "detail", "opened_by", "opened_in"]))
    tally.check(name + ": gaps", compare.rows(rows(path, "gaps"), [listed(r) for r in idle.gaps(query)], ["device", "start"]))
    got = rows(path, "launch")
    if got is not None:
        tally.check(name + ": launch", compare.rows(got, launch.launch(query), ["name"]))
    want = launch.graphs(query)
    for row in want:
        row["nodes_per_replay"] = None if row["nodes_per_replay"] is None else float(row["nodes_per_replay"])
    tally.check(name + ": graphs", compare.rows(rows(path, "graphs") or [], want, ["pid", "device", "graph"]))


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    for name, path in wl.corpus_traces(main_only=True):
        trace = Trace(path)
        if trace.ops:
            against_oracle(tally, name, path, trace)
        if name not in DOUBLED:
            nodes = {trace.kernel_name(op) for op in trace.ops if op.kind == "kernel" and op.launch and launch.is_node(op)}
            executions(tally, name, rows(path, "launch"), nodes)
        long_gaps(tally, name, rows(path, "gaps", "--min", "1ms"))
    tally.finish()


if __name__ == "__main__":
    main()
