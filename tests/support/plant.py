#!/usr/bin/env python3
"""plant.py - puts a known cause of lost time, or a known change, into a trace of gen_trace.py.

  plant.py alloc    IN OUT --length 1ms     cudaMalloc and cudaFree in every iteration
  plant.py sync     IN OUT --length 1ms     one more cudaDeviceSynchronize, with an idle GPU
  plant.py pageable IN OUT --length 2ms     a blocking copy from pageable memory: staging, then the copy
  plant.py blocking IN OUT --length 2ms     a blocking copy from pinned memory
  plant.py load     IN OUT --length 1ms     a module load
  plant.py host     IN OUT --length 1ms     host code, in an NVTX range of its own
  plant.py profiler IN OUT --length 1ms     the profiler flushes its buffers
  plant.py launch   IN OUT --count 400      kernels shorter than their launch calls
  plant.py slower   IN OUT NAME FACTOR      each kernel of that short name takes FACTOR times as long
  plant.py split    IN OUT NAME [--gap NS]  each becomes two of half the time, of another name, with a launch each
  plant.py rename   IN OUT REGEX REPL       kernel names only
  plant.py noise    IN OUT SIGMA SEED       each iteration takes 1 + N(0, SIGMA) times as long

The first seven take --every N: only one iteration in N, so that some steps stand out.
IN is one file with its truth beside it (IN.truth.json). OUT.truth.json gets what of that still holds, and in
"planted" one entry per edit: "code" of the finding it should give and "saving_ns" per step (both null for edits
that are no fault), and "change": ns per step of the step, of its parts and of kernels by short name. A step is an
iteration; the mean is taken over all of them but the first and the last.

How an edit keeps the trace consistent. Time is stopped in each process at one point per iteration (or per kernel):
what starts there or later moves by the length of the stop, what lies around it gets longer by it, so order, nesting
and launches before kernels stay. The stop is as long on all ranks, so collectives still end together. Calls and
operations are put into stops before the first CUDA call of an iteration, where the last one's queues are drained;
such a stop makes each step longer by exactly its length.
"""
import argparse
import random
import re

from plantfile import CAK, File, Stops, Stretches

LAUNCH_NS, LATENCY_NS, TINY_NS, BETWEEN_NS = 5000, 1500, 1000, 500      # of a launch-bound kernel
SPLIT_LAUNCH_NS = (50, 350)             # after the first launch call; the generator leaves 1200 ns between calls
UNITS = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}


def duration(text):
    match = re.fullmatch(r"(\d+)(ns|us|ms|s)", text)
    if not match:
        raise argparse.ArgumentTypeError("a duration such as 500us")
    return int(match.group(1)) * UNITS[match.group(2)]


def mean(values):
    """Exact to the nearest nanosecond, half up."""
    values = list(values)
    return (2 * sum(values) + len(values)) // (2 * len(values))


def entry(options, code=None, saving=None, step=0, parts=None, kernels=None):
    return {"kind": options.kind, "code": code, "saving_ns": saving,
            "change": {"step": step, "parts": parts or {}, "kernels": kernels or {}}}


# --- causes: something in a stop before each iteration ---------------------------------------------------------

def stop_each(file, length, every=1):
    """Makes the stops, before iterations 0, every, 2 every, ...; yields (process, begin of a stop) for each."""
    points = {p: file.first_calls(p)[::every] for p in file.processes}
    clocks = {p: Stops([(t, length) for t in points[p]]) for p in file.processes}
    file.move(clocks)
    for process in file.processes:
        for t in points[process]:
            yield process, clocks[process].stopped(t)


def lost(file, options, code, parts):
    """The entry of stops of which each costs these parts. A stop before an iteration is part of the step before it."""
    steps = len(file.bounds) - 2
    stops = len(range(2, steps + 2)[-2 % options.every::options.every])
    per_step = {part: (2 * ns * stops + steps) // (2 * steps) for part, ns in parts.items()}
    total = sum(per_step.values())
    return entry(options, code if options.every == 1 else "slow-iterations", total, total, per_step)


def calls(file, options, code, part, parts_of_call):
    """Calls, one after the other, that fill the stop; parts_of_call: [(name, share of the length)]."""
    for process, begin in stop_each(file, options.length, options.every):
        done = 0
        for name, share in parts_of_call:
            until = options.length if name == parts_of_call[-1][0] else done + int(options.length * share)
            number = file.call(process, begin + done, begin + until, name)
            if "Synchronize" in name:
                file.add(CAK + "SYNCHRONIZATION", start=begin + done + 300, end=begin + until - 200, deviceId=file.device[process], contextId=1,
                         streamId=4294967295, correlationId=number, globalPid=process << 24, syncType=4, eventId=4294967295)
            done = until
    return lost(file, options, code, {part: options.length})


def alloc(file, options):
    return calls(file, options, "alloc-in-loop", "alloc", [("cudaMalloc_v3020", .7), ("cudaFree_v3020", .3)])


def sync(file, options):
    return calls(file, options, "host-sync-idle", "sync", [("cudaDeviceSynchronize_v3020", 1)])


def load(file, options):
    return calls(file, options, "module-load-in-loop", "load", [("cuModuleLoadData", 1)])


def copy(file, options, code, memory, staging):
    """cudaMemcpy for the whole stop; the GPU copies in the last part of it."""
    idle = int(options.length * staging)
    for process, begin in stop_each(file, options.length, options.every):
        number = file.call(process, begin, begin + options.length, "cudaMemcpy_v3020")
        file.add(CAK + "MEMCPY", start=begin + idle, end=begin + options.length, deviceId=file.device[process], contextId=1, streamId=7,
                 correlationId=number, globalPid=process << 24, bytes=1 << 24, copyKind=1, srcKind=memory, dstKind=2)
    return lost(file, options, code, {"sync": idle, "exposed_copy": options.length - idle})


def pageable(file, options):
    return copy(file, options, "pageable-copy", 0, .6)


def blocking(file, options):
    return copy(file, options, "blocking-copy", 1, .05)


def host(file, options):
    for process, begin in stop_each(file, options.length, options.every):
        file.add("NVTX_EVENTS", start=begin, end=begin + options.length, eventType=59, text="planted host work",
                 globalTid=process << 24 | process & 0xFFFFFF, domainId=0)
    return lost(file, options, "host-starved", {"host": options.length})


def profiler(file, options):
    for process, begin in stop_each(file, options.length, options.every):
        file.add("PROFILER_OVERHEAD", start=begin, end=begin + options.length, globalTid=process << 24 | process & 0xFFFFFF,
                 nameId=file.text("CUPTI: Buffer flush"))
    return lost(file, options, "profiler-overhead", {"profiler": options.length})


def launch(file, options):
    """The GPU is done with each kernel before the next launch call has returned."""
    each = LAUNCH_NS + BETWEEN_NS
    length = options.count * each + LATENCY_NS
    for process, begin in stop_each(file, length):
        for i in range(options.count):
            t = begin + i * each
            number = file.call(process, t, t + LAUNCH_NS, "cudaLaunchKernel_v7000")
            file.kernel(process, t + LAUNCH_NS + LATENCY_NS, t + LAUNCH_NS + LATENCY_NS + TINY_NS, "tiny_kernel", number)
    compute = options.count * TINY_NS
    return entry(options, "launch-bound", length - compute, length, {"compute": compute}, {"tiny_kernel": compute})


# --- changes ---------------------------------------------------------------------------------------------------

def instances(file, name):
    """{process: [kernels of the name, by iteration]}; as many on all ranks."""
    found = {p: file.kernels(p, name) for p in file.processes}
    counts = {tuple(len(rows) for rows in by_iteration) for by_iteration in found.values()}
    if len(counts) != 1 or not sum(next(iter(counts))):
        raise SystemExit("plant.py: no kernel of the short name %r, or not as many on all ranks" % name)
    if name in file.truth["comm_kernels"]:
        raise SystemExit("plant.py: %r is communication, and when that ends depends on all ranks" % name)
    return found


def stretched(file, found, added):
    """Stops time in the middle of kernels; added: [lengths of one iteration's instances], by iteration. The sum per step."""
    file.move({p: Stops([((start + end) // 2, length) for rows, lengths in zip(by_iteration, added)
                         for (_, start, end, _), length in zip(rows, lengths)]) for p, by_iteration in found.items()})
    return mean(sum(lengths) for lengths in added[1:-1])


def slower(file, options):
    if options.factor < 1:
        raise SystemExit("plant.py: FACTOR is at least 1; compare the other way round for a faster kernel")
    found = instances(file, options.name)
    # The same on all ranks: the mean over them.
    added = [[int(mean(end - start for _, start, end, _ in match) * (options.factor - 1)) for match in zip(*rows)] for rows in zip(*found.values())]
    total = stretched(file, found, added)
    return entry(options, None, None, total, {"compute": total}, {options.name: total})


def split(file, options):
    """The halves meet in the middle of the old one, or `gap` apart."""
    found = instances(file, options.name)
    rowids = {p: [[row[0] for row in rows] for rows in by_iteration] for p, by_iteration in found.items()}
    total = stretched(file, found, [[options.gap] * len(rows) for rows in next(iter(found.values()))])
    half = options.new or options.name + "_half"
    table, time = CAK + "KERNEL", 0
    for process, by_iteration in rowids.items():
        by_rowid = {row[0]: row for rows in file.kernels(process, options.name) for row in rows}
        for number, rows in enumerate(by_iteration):
            for rowid in rows:
                _, start, end, correlation = by_rowid[rowid]
                middle = start + (end - start - options.gap) // 2
                launched = file.db.execute("SELECT MAX(end), globalTid, nameId FROM %sRUNTIME WHERE globalTid >> 24 = ? AND correlationId = ?" % CAK,
                                           [process, correlation]).fetchone()
                second = file.new_id(process)
                file.add(CAK + "RUNTIME", start=launched[0] + SPLIT_LAUNCH_NS[0], end=launched[0] + SPLIT_LAUNCH_NS[1], globalTid=launched[1],
                         correlationId=second, nameId=launched[2], returnValue=0)
                names = {"demangledName": file.text("void planted::%s<(int)4>(float*, int)" % half), "shortName": file.text(half)}
                columns = [c for c in file.columns(table) if c not in ("start", "correlationId")]
                file.db.execute("INSERT INTO %s (start, correlationId, %s) SELECT ?, ?, %s FROM %s WHERE rowid = ?"
                                % (table, ", ".join(columns), ", ".join(columns), table), [middle + options.gap, second, rowid])
                for target in (rowid, file.db.execute("SELECT last_insert_rowid()").fetchone()[0]):
                    file.db.execute("UPDATE %s SET demangledName = ?, shortName = ? WHERE rowid = ?" % table, [*names.values(), target])
                file.db.execute("UPDATE %s SET end = ? WHERE rowid = ?" % table, [middle, rowid])
                time += (end - start - options.gap) if process == file.processes[0] and 0 < number < len(file.bounds) - 1 else 0
    per_step = round(time / (len(file.bounds) - 2))
    return entry(options, None, None, total, {"idle": total}, {options.name: -per_step, half: per_step})


def rename(file, options):
    """Of kernels: the demangled and the short name."""
    renamed = 0
    for column in ("demangledName", "shortName"):
        ids = [r[0] for r in file.db.execute("SELECT DISTINCT %s FROM %sKERNEL" % (column, CAK))]
        for number in ids:
            old = file.db.execute("SELECT value FROM StringIds WHERE id = ?", [number]).fetchone()[0]
            new = re.sub(options.regex, options.replacement, old)
            if new != old:
                file.db.execute("UPDATE %sKERNEL SET %s = ? WHERE %s = ?" % (CAK, column, column), [file.text(new), number])
                renamed += 1
    if not renamed:
        raise SystemExit("plant.py: no kernel name matches %r" % options.regex)
    return entry(options)


def noise(file, options):
    """The same speed on all ranks, so collectives still end together."""
    r = random.Random(options.seed)
    clock = Stretches([(t, max(0.5, 1 + r.gauss(0, options.sigma))) for t in file.bounds])
    file.move({p: clock for p in file.processes})
    return entry(options)


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)

    def kind(function, *arguments):
        p = kinds.add_parser(function.__name__)
        p.add_argument("source", metavar="IN")
        p.add_argument("target", metavar="OUT")
        for name, settings in arguments:
            p.add_argument(name, **settings)
        p.set_defaults(run=function)

    length = ("--length", {"type": duration, "default": "1ms"})
    for cause in (alloc, sync, pageable, blocking, load, host, profiler):
        kind(cause, length, ("--every", {"type": int, "default": 1, "help": "only in one iteration of this many"}))
    kind(launch, ("--count", {"type": int, "default": 400}))
    kind(slower, ("name", {}), ("factor", {"type": float}))
    kind(split, ("name", {}), ("--new", {"help": "name of the halves"}), ("--gap", {"type": int, "default": 0}))
    kind(rename, ("regex", {}), ("replacement", {}))
    kind(noise, ("sigma", {"type": float}), ("seed", {"type": int}))
    options = parser.parse_args()
    file = File(options.source, options.target)
    file.finish(options.run(file, options))


if __name__ == "__main__":
    main()
