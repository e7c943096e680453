#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plant.py - puts a known cause of lost time, or a known change, into a trace of gen_trace.py.

  plant.py alloc    IN OUT --length 1ms     cudaMalloc and cudaFree in every iteration
  plant.py sync     IN OUT --length 1ms     one more cudaDeviceSynchronize, with an idle GPU
  plant.py pageable IN OUT --length 2ms     a blocking copy from pageable memory: staging, then the copy
  plant.py blocking IN OUT --length 2ms     a blocking copy from pinned memory
  plant.py load     IN OUT --length 1ms     a module load
  plant.py host     IN OUT --length 1ms     host code, in an NVTX range of its own
  plant.py profiler IN OUT --length 1ms     the profiler flushes its buffers
  plant.py managed  IN OUT --length 2ms     managed memory migrates to the host and back
  plant.py dtod     IN OUT --length 2ms     a copy within the device, which is work and no fault
  plant.py launch   IN OUT --count 400      kernels shorter than their launch calls
  plant.py reads    IN OUT --count 60       results of 4 bytes read back one by one, --length each
  plant.py drain    IN OUT --count 40       a synchronise call after each kernel, then host work of --length
  plant.py startup  IN OUT --length 300ms   once, before the first iteration: --call load, launch or alloc
  plant.py epochs   IN OUT NUMBER           that many NVTX ranges `epoch N` around the iterations
  plant.py layers   IN OUT NUMBER           NVTX ranges `layer 0`, `layer 1`, ... in turn, and no others
  plant.py layout   IN OUT --length 2ms     a kernel that only changes the layout of a tensor
  plant.py bare     IN OUT                  no NVTX at all
  plant.py slower   IN OUT NAME FACTOR      each kernel of that short name takes FACTOR times as long
  plant.py split    IN OUT NAME [--gap NS]  each becomes two of half the time, of another name, with a launch each
  plant.py rename   IN OUT REGEX REPL       kernel names only
  plant.py noise    IN OUT SIGMA SEED       each iteration takes 1 + N(0, SIGMA) times as long

The first nine take --every N: only one iteration in N, so that some steps stand out.
IN is one file with its truth beside it (IN.truth.json). OUT.truth.json gets what of that still holds, and in
"planted" one entry per edit: "code" of the finding it should give and "saving_ns" (both null for edits that are no
fault) of each step or, as "per" says, of the window, and "change": ns per step of the step, of its parts and of
kernels by short name. A step is an iteration; the mean is taken over all of them but the first and the last.

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
READ_NS, READ_SYNC_NS, READ_BETWEEN_NS = 1500, 600, 200                 # of a copy of 4 bytes, its synchronise call, and between calls
DRAINED_NS = 20000                      # of a kernel that the host waits for
PAGEABLE, DEVICE = 0, 2                 # kinds of memory
NONE = 4294967295                       # no stream, no event
STARTUP_CALLS = {"load": "cuModuleLoadData", "launch": "cudaLaunchKernel_v7000", "alloc": "cudaHostAlloc_v3020"}
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


def entry(options, code=None, saving=None, step=0, parts=None, kernels=None, per="step"):
    return {"kind": options.kind, "code": code, "saving_ns": saving, "per": per if code else None,
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


HAS_RULE = ("alloc", "load", "exposed_copy")            # what is left to its rule where it makes several steps slow


def lost(file, options, code, parts):
    """The entry of stops of which each costs these parts. A stop before an iteration is part of the step before it."""
    steps = len(file.bounds) - 2
    stops = len(range(2, steps + 2)[-2 % options.every::options.every])
    per_step = {part: (2 * ns * stops + steps) // (2 * steps) for part, ns in parts.items()}
    total = sum(per_step.values())
    if code is None:
        return entry(options, step=total, parts=per_step)
    if options.every > 1:                                   # steps that stand out: all they lose, in the window
        again = stops > 1 and any(2 * parts.get(part, 0) > sum(parts.values()) for part in HAS_RULE)
        return entry(options, code if again else "slow-iterations", sum(parts.values()) * stops, total, per_step, per="window")
    return entry(options, code, total, total, per_step)


def calls(file, options, code, part, parts_of_call):
    """Calls, one after the other, that fill the stop; parts_of_call: [(name, share of the length)]."""
    for process, begin in stop_each(file, options.length, options.every):
        done = 0
        for name, share in parts_of_call:
            until = options.length if name == parts_of_call[-1][0] else done + int(options.length * share)
            if "Synchronize" in name:
                synchronise(file, process, begin + done, begin + until, name)
            else:
                file.call(process, begin + done, begin + until, name)
            done = until
    return lost(file, options, code, {part: options.length})


def synchronise(file, process, start, end, name):
    """A synchronise call with its row: of the default stream where the name says so, else of the context."""
    file.add(CAK + "SYNCHRONIZATION", start=start + 300, end=end - 200, deviceId=file.device[process], contextId=1,
             streamId=7 if "Stream" in name else NONE, correlationId=file.call(process, start, end, name), globalPid=process << 24,
             syncType=3 if "Stream" in name else 4, eventId=NONE)


def copied(file, process, start, end, number, kind, source, target, size):
    """A copy on the default stream."""
    file.add(CAK + "MEMCPY", start=start, end=end, deviceId=file.device[process], contextId=1, streamId=7, correlationId=number,
             globalPid=process << 24, bytes=size, copyKind=kind, srcKind=source, dstKind=target)


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
        copied(file, process, begin + idle, begin + options.length, number, 1, memory, DEVICE, 1 << 24)
    return lost(file, options, code, {"sync": idle, "exposed_copy": options.length - idle})


def pageable(file, options):
    return copy(file, options, "pageable-copy", 0, .6)


def blocking(file, options):
    return copy(file, options, "blocking-copy", 1, .05)


def managed(file, options):
    """Half of the pages to the host, then back. Such rows have neither call, context nor stream (as in real files)."""
    pages = 16
    for process, begin in stop_each(file, options.length, options.every):
        for i in range(pages):
            file.add(CAK + "MEMCPY", start=begin + options.length * i // pages, end=begin + options.length * (i + 1) // pages,
                     deviceId=file.device[process], contextId=0, streamId=0, correlationId=0, globalPid=process << 24, bytes=1 << 16,
                     copyKind=12 if i < pages // 2 else 11, srcKind=7, dstKind=7, migrationCause=2)
    return lost(file, options, "managed-memory", {"exposed_copy": options.length})


def dtod(file, options):
    waiting = LAUNCH_NS + LATENCY_NS
    for process, begin in stop_each(file, options.length, options.every):
        number = file.call(process, begin, begin + LAUNCH_NS, "cudaMemcpyAsync_v3020")
        copied(file, process, begin + waiting, begin + options.length, number, 8, DEVICE, DEVICE, 1 << 30)
    return lost(file, options, None, {"compute": options.length - waiting, "launch": LAUNCH_NS, "latency": LATENCY_NS})


def layout(file, options):
    """The host waits for the kernel, or nothing would be saved without it."""
    waiting = LAUNCH_NS + LATENCY_NS
    compute = options.length - waiting - LATENCY_NS
    for process, begin in stop_each(file, options.length, options.every):
        number = file.call(process, begin, begin + LAUNCH_NS, "cudaLaunchKernel_v7000")
        file.kernel(process, begin + waiting, begin + waiting + compute, "nchwToNhwcKernel", number)
        synchronise(file, process, begin + LAUNCH_NS, begin + options.length, "cudaDeviceSynchronize_v3020")
    parts = {"compute": compute, "launch": LAUNCH_NS, "latency": LATENCY_NS, "sync": LATENCY_NS}
    return entry(options, "layout-change", compute, options.length, parts, {"nchwToNhwcKernel": compute})


def host(file, options):
    for process, begin in stop_each(file, options.length, options.every):
        file.push(process, begin, begin + options.length, "planted host work")
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


def reads(file, options):
    """Each: a copy of one number to pageable memory, which blocks, and a synchronise call, as frameworks do."""
    for process, begin in stop_each(file, options.count * options.length):
        for i in range(options.count):
            t, until = begin + i * options.length, begin + (i + 1) * options.length - READ_BETWEEN_NS
            returned = until - READ_SYNC_NS - READ_BETWEEN_NS
            number = file.call(process, t, returned, "cudaMemcpyAsync_v3020")
            copied(file, process, returned - LATENCY_NS - READ_NS, returned - LATENCY_NS, number, 2, DEVICE, PAGEABLE, 4)
            synchronise(file, process, until - READ_SYNC_NS, until, "cudaStreamSynchronize_v3020")
    total, parts = options.count * options.length, {"exposed_copy": options.count * READ_NS, "host": options.count * 2 * READ_BETWEEN_NS}
    return entry(options, "tiny-reads", total, total, {**parts, "sync": total - sum(parts.values())})


def drain(file, options):
    """Launch, kernel, and a synchronise call that ends after it: nothing is queued while the host works on."""
    waiting = LAUNCH_NS + LATENCY_NS
    each = waiting + DRAINED_NS + LATENCY_NS + options.length
    for process, begin in stop_each(file, options.count * each):
        for i in range(options.count):
            t = begin + i * each
            number = file.call(process, t, t + LAUNCH_NS, "cudaLaunchKernel_v7000")
            file.kernel(process, t + waiting, t + waiting + DRAINED_NS, "drained_kernel", number)
            name = "cudaDeviceSynchronize_v3020" if i % 2 else "cudaStreamSynchronize_v3020"
            synchronise(file, process, t + LAUNCH_NS + BETWEEN_NS, t + each - options.length, name)
    n, compute = options.count, options.count * DRAINED_NS
    return entry(options, "host-sync-idle", n * each - compute, n * each, {"compute": compute, "launch": n * LAUNCH_NS,
                 "latency": n * LATENCY_NS, "sync": n * LATENCY_NS, "host": n * options.length}, {"drained_kernel": compute})


def startup(file, options):
    """The device is in use already (a memset), then waits for one call; the first iteration begins after it."""
    waiting, name = LAUNCH_NS + LATENCY_NS, STARTUP_CALLS[options.call]
    before = after = waiting + TINY_NS + BETWEEN_NS
    point = file.bounds[0] - 1
    clocks = {p: Stops([(point, before + options.length + after)]) for p in file.processes}
    file.move(clocks)
    for process in file.processes:
        begin = clocks[process].stopped(point)
        number = file.call(process, begin, begin + LAUNCH_NS, "cudaMemsetAsync_v3020")
        file.add(CAK + "MEMSET", start=begin + waiting, end=begin + waiting + TINY_NS, deviceId=file.device[process], contextId=1, streamId=7,
                 correlationId=number, globalPid=process << 24, value=0, bytes=4096)
        number, end = file.call(process, begin + before, begin + before + options.length, name), begin + before + options.length
        if options.call == "launch":
            file.kernel(process, end + LATENCY_NS, end + LATENCY_NS + TINY_NS, "first_kernel", number)
    return entry(options, "start-up", options.length, per="window")


# --- how iterations are marked -----------------------------------------------------------------------------------

def epochs(file, options):
    """Neighbouring iterations, as many in each as can be; the last has the rest."""
    bounds = [*file.bounds, file.db.execute("SELECT MAX(end) + 1000 FROM %sRUNTIME" % CAK).fetchone()[0]]
    size = len(file.bounds) // options.number
    for process in file.processes:
        for i in range(options.number):
            end = bounds[(i + 1) * size] if i + 1 < options.number else bounds[-1]
            file.push(process, bounds[i * size] + 100, end - 100, "epoch %d" % i)
    return entry(options)


def layers(file, options):
    """Each iteration's calls in parts of equal length."""
    file.db.execute("DELETE FROM NVTX_EVENTS")
    for process in file.processes:
        for begin, end in file.extents(process):
            cuts = [begin - 100 + (end + 200 - begin) * i // options.number for i in range(options.number + 1)]
            for i, (a, b) in enumerate(zip(cuts, cuts[1:])):
                file.push(process, a, b - 10, "layer %d" % i)
    return entry(options)


def bare(file, options):
    file.db.execute("DELETE FROM NVTX_EVENTS")
    return entry(options)


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


def main(arguments=None):
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
    for cause in (alloc, sync, pageable, blocking, load, host, profiler, managed, dtod):
        kind(cause, length, ("--every", {"type": int, "default": 1, "help": "only in one iteration of this many"}))
    kind(layout, length, ("--every", {"type": int, "default": 1, "choices": [1]}))
    kind(launch, ("--count", {"type": int, "default": 400}))
    kind(reads, ("--count", {"type": int, "default": 60}), ("--length", {"type": duration, "default": "40us"}))
    kind(drain, ("--count", {"type": int, "default": 40}), ("--length", {"type": duration, "default": "60us"}))
    kind(startup, ("--length", {"type": duration, "default": "300ms"}), ("--call", {"choices": STARTUP_CALLS, "default": "load"}))
    kind(epochs, ("number", {"type": int}))
    kind(layers, ("number", {"type": int}))
    kind(bare)
    kind(slower, ("name", {}), ("factor", {"type": float}))
    kind(split, ("name", {}), ("--new", {"help": "name of the halves"}), ("--gap", {"type": int, "default": 0}))
    kind(rename, ("regex", {}), ("replacement", {}))
    kind(noise, ("sigma", {"type": float}), ("seed", {"type": int}))
    options = parser.parse_args(arguments)
    file = File(options.source, options.target)
    file.finish(options.run(file, options))


if __name__ == "__main__":
    main()
