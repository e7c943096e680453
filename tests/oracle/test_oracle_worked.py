#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Worked examples for the oracle: tiny traces whose answers were written down by hand from docs/definitions, one per rule.

Times are ns; P is the process of pid 10, thread 10 its main thread. warplens is not run.
"""
import categories
import comm
import exposure
import host
import idle
import iters
import kinds
import launch
import layout
import nvtx
import oracle
import ranges
import windows
import wl
from conventions import PITHTRAIN
from tiny import P, Tiny

def causes(t, window=None):
    """{(cause, detail): ns}, whatever opened the gaps."""
    query, out = oracle.Query(t.trace(), window=(lambda d: window) if window else None), {}
    for r in idle.idle(query, detail=True):
        out[r["cause"], r["detail"]] = out.get((r["cause"], r["detail"]), 0) + r["sum"]
    return out


def figures(row, *columns):
    return tuple(row[c] for c in columns)


# --- definitions/time.md ----------------------------------------------------------------------------------

def overlap_of_kernels():
    """Two all-reduces at once, half under compute: exposed counts the shared time once, exposed_sum twice."""
    t = Tiny()
    t.kernel(0, 100, "gemm")
    t.kernel(50, 150, "ncclDevKernel_AllReduce_Sum", stream=20)     # 50 of 100 covered
    t.kernel(90, 190, "ncclDevKernel_AllGather", stream=21)         # 10 of 100 covered
    query = oracle.Query(t.trace())
    row = exposure.by_device(query)[0]
    yield figures(row, "compute", "comm", "exposed", "exposed_sum", "overlap_min", "overlap_max", "overlap"), (100, 140, 90, 140, 0.1, 0.5, 50 / 140)
    yield [figures(r, "stream", "exposed") for r in exposure.by_stream(query)], [(7, 0), (20, 50), (21, 90)]
    t.copy(180, 200)                                                # 10 ns of it under the all-gather, 10 in the open
    yield [figures(r, "copy", "exposed_copy") for r in exposure.by_stream(oracle.Query(t.trace())) if r["stream"] == 14], [(20, 10)]
    both = {(m["a"], m["b"]): m["both"] for m in exposure.matrix(query)}
    yield (both["AllReduce", "AllGather"], both["compute", "comm"], both["comm", "comm"]), (60, 50, 140)


def copies_within_a_device():
    """DtoD is device work; to another device, and as a migration, it is a copy."""
    for kind, cls in ((8, "compute"), (1, "exposed_copy"), (2, "exposed_copy"), (10, "exposed_copy"), (13, "exposed_copy")):
        t = Tiny()
        t.kernel(0, 100)
        t.copy(200, 260, kind=kind, kinds=(2, 2))
        row, = oracle.overlap(oracle.Query(t.trace()))
        want = {"compute": 100, "exposed_copy": 0, "idle": 100}
        want[cls] += 60
        yield {c: row[c] for c in want}, want


def stages_of_launches():
    """The innermost stage at the launch, the last match of a fused name; ranges of NCCL do not count."""
    t = Tiny()
    t.range(0, 100, "layer01_stage5_b_layer02_stage1_b")
    t.range(10, 20, "ncclGroupEnd")
    t.range(40, 60, "inner stage3_w")                               # does not begin with layer
    for n, at in enumerate((12, 45, 200)):
        t.kernel(1000 + 100 * n, 1050 + 100 * n, "ncclDevKernel_SendRecv", call=(at, at + 1))
    query = oracle.Query(t.trace())
    yield {r["stage"]: r["comm_calls"] for r in exposure.by_stage(query, PITHTRAIN)}, {"stage1_b": 2, "(none)": 1}     # a stage around it comes first
    yield {r["stage"]: r["comm_calls"] for r in exposure.by_stage(query)}, {"layer#_stage5_b_layer#_stage1_b": 1, "inner stage3_w": 1, "(none)": 1}


def bridged_stages():
    """A launch outside the ranges of its own thread has the stage of the anchor's; its own stage comes first."""
    t = Tiny()
    t.range(0, 1000, "layer01.stage4_f")
    t.range(100, 200, "ncclGroupEnd")
    t.range(300, 400, "layer02.stage2_b", thread=11)
    for n, (at, thread) in enumerate(((10, 10), (150, 11), (310, 11), (2000, 11))):
        t.kernel(5000 + 100 * n, 5050 + 100 * n, "ncclDevKernel_SendRecv", call=(at, at + 1), thread=thread)
    rows = exposure.by_stage(oracle.Query(t.trace()), PITHTRAIN)
    yield {r["stage"]: figures(r, "comm_calls", "bridged") for r in rows}, {"stage4_f": (2, 1), "stage2_b": (1, 0), "(none)": (1, 0)}
    rows = exposure.by_stage(oracle.Query(t.trace()))
    yield {r["stage"]: figures(r, "comm_calls", "bridged") for r in rows}, {"layer#.stage4_f": (2, 1), "layer#.stage2_b": (1, 0), "(none)": (1, 0)}


# --- definitions/kernels.md -------------------------------------------------------------------------------

def launch_times():
    t = Tiny()
    t.kernel(100, 110, call=(80, 90))                               # queue 10, latency 20
    t.kernel(200, 210, call=(190, 205))                             # starts inside its call: no queue time
    t.kernel(300, 310, call=(320, 330))                             # before its call: skew
    t.kernel(400, 410)                                              # no call
    row = launch.launch(oracle.Query(t.trace()))[0]
    # gaps: [110, 200) ends with kernel 2, launched inside [190, 205): 10 ns of launch; the others are unknown
    yield figures(row, "calls", "launched", "api_sum", "queued", "queue_sum", "latency_sum", "negative", "exposed_launch"), (4, 3, 35, 1, 10, 10, 1, 10)


def storms():
    busy, flood = set(range(1000)), [b for b in range(1000) for _ in range(50)]
    yield launch.storm(busy, flood, [(0, 10_000)]), True
    yield launch.storm(busy, flood, [(0, 10_001)]), False
    yield launch.storm(busy, flood[:-1] + [1000], [(0, 1)]), False  # 49,999 in the second
    yield launch.storm(busy - {500}, flood, [(0, 1)]), False        # not contiguous
    yield launch.storm(busy, flood * 2, [(0, 20_000)]), True


def graph_launches():
    """A call counts once, with the replay's first node; the queue of the others would contain those before them."""
    t = Tiny()
    for start in (100, 300):
        c = t.kernel(start + 20, start + 40, "b", call=(start - 50, start - 10), api="cudaGraphLaunch_v10000", node=(3 << 32) | 2)
        t.kernel(start, start + 10, "a", correlation=c, node=(3 << 32) | 1)             # the first to run, not the first row
        t.kernel(start + 50, start + 60, "a", correlation=c, node=(3 << 32) | 3)
    rows = {r["name"]: r for r in launch.launch(oracle.Query(t.trace()))}
    shown = "calls", "launched", "api_sum", "queued", "queue_sum", "latency_sum"
    yield figures(rows["a"], *shown), (4, 4, 80, 2, 20, 100)
    yield figures(rows["b"], *shown), (2, 2, None, 0, None, None)
    t.rows["CUPTI_ACTIVITY_KIND_MEMSET"].append((290, 295, 0, 1, 7, c, P, 0, 8, 2))     # the second replay begins with a memset
    row, = (r for r in launch.launch(oracle.Query(t.trace())) if r["name"] == "a")
    yield figures(row, *shown), (4, 4, 80, 1, 10, 50)
    early = {r["name"]: r["api_sum"] for r in launch.launch(oracle.Query(t.trace(), window=lambda d: (320, 400)))}
    yield early, {"a": None, "b": None}                             # its first node lies before the window


def graph_modes():
    t = Tiny()
    for start in (0, 100):
        c = t.kernel(start, start + 10, call=(start - 5, start), api="cudaGraphLaunch_v10000", node=(3 << 32) | 1)
        t.kernel(start + 5, start + 20, correlation=c, node=(3 << 32) | 2)
    t.call(300, 310, "cudaGraphLaunch_v10000", correlation=99)      # nothing of it was traced
    trace = t.trace()
    rows = launch.graphs(oracle.Query(trace))
    yield launch.graph_mode(trace), "node"
    yield [figures(r, "graph", "launches", "replays", "nodes_per_replay", "busy", "coverage") for r in rows], [(3, 2, 2, 2, 40, 1.0), (None, 1, 0, None, 0, 0.0)]


# --- definitions/idle.md ----------------------------------------------------------------------------------

def causes_in_order():
    """One gap [100, 20000): every state of the launching thread before its launch [19000, 19600), the kernel at 20000."""
    t = Tiny()
    t.kernel(0, 100, call=(-20, -10))
    t.kernel(20000, 20100, call=(19000, 19600))
    t.call(1000, 2000, "cudaStreamSynchronize_v3020")
    t.call(1500, 1600, "cudaMalloc")                                # inside: sync comes first
    t.call(3000, 4000, "cudaMalloc_v3020")
    t.call(5000, 6000, "cuModuleLoadData")
    t.call(7000, 8000, "cudaEventQuery")
    t.add("OSRT_API", 7500, 9000, 27, P + 10, t.text("futex"), 0, 0)    # 7500 to 8000 is the call's
    t.range(9000, 18000, "outer")
    t.range(10000, 11000, "layer.7")
    t.add("PROFILER_OVERHEAD", 12000, 12500, P + 10, t.text("CUPTI: Instrumentation"), 0)
    t.add("PROFILER_OVERHEAD", 13000, 13500, P + 11, t.text("CUPTI: Instrumentation"), 0)       # another thread: not ours
    t.add("PROFILER_OVERHEAD", 14000, 14500, P + 11, t.text("CUPTI: Buffer flush"), 0)
    t.call(15000, 16000, "cudaDeviceSynchronize", thread=11)        # another thread: not ours
    t.call(16000, 17000, "cudaMemcpy_v3020")                        # blocks
    want = {("sync", "cudaStreamSynchronize"): 1000, ("alloc", "cudaMalloc"): 1000, ("load", "cuModuleLoadData"): 1000,
            ("api", "cudaEventQuery"): 1000, ("os", "futex"): 1000, ("host", "layer.#"): 1000, ("profiler", "CUPTI: Instrumentation"): 500,
            ("profiler", "CUPTI: Buffer flush"): 500, ("sync", "cudaMemcpy"): 1000, ("launch", "cudaLaunchKernel"): 600,
            ("latency", "cudaLaunchKernel"): 400}
    want["host", "outer"] = 9000 - 1000 - 1000 - 1000               # 9000..18000 without layer.7, overhead, the copy
    want["host", None] = 900 + 1000 + 1000 + 1000 + 1000            # 100-1000, 2000-3000, 4000-5000, 6000-7000, 18000-19000
    yield causes(t), want
    assert sum(want.values()) == 19900
    yield causes(t, (500, 1200)), {("host", None): 500, ("sync", "cudaStreamSynchronize"): 200}
    yield causes(t, (-100, 50)), {("unused", None): 100}


def queued_operations():
    """Launched before the gap: dispatch up to 5 us, dependency above; a flush is still the profiler's."""
    for length, cause in ((5000, "dispatch"), (5001, "dependency")):
        t = Tiny()
        t.kernel(0, 100, call=(-20, -10))
        t.kernel(100 + length, 9000, call=(0, 100))
        yield causes(t), {(cause, None): length}
    t.add("PROFILER_OVERHEAD", 1000, 1300, P + 99, t.text("data flush"), 0)
    yield causes(t), {("dependency", None): 4701, ("profiler", "data flush"): 300}


def blocking_copies():
    """Inside a launch that is a blocking copy the cause is sync."""
    for api, kinds, cause in (("cudaMemcpy_v3020", (1, 2), "sync"), ("cudaMemcpyAsync", (2, 0), "sync"), ("cudaMemcpyAsync", (2, 1), "launch"),
                              ("cuMemcpyDtoHAsync_v2", (2, 0), "sync")):
        t = Tiny()
        t.kernel(0, 100, call=(-20, -10))
        t.copy(1000, 1100, call=(500, 1200), api=api, kind=2, kinds=kinds)
        yield {c: v for (c, _), v in causes(t).items()}, {"host": 400, cause: 500}


def unknown_causes():
    t = Tiny()
    t.kernel(0, 100, call=(-20, -10))
    t.kernel(200, 300)                                              # no launch
    t.kernel(400, 500, call=(400, 410))                             # launched when it already runs
    t.kernel(600, 700, call=(550, 560))
    yield causes(t), {("unknown", "no launch"): 100, ("unknown", "skew"): 100, ("host", None): 50, ("launch", "cudaLaunchKernel"): 10,
                      ("latency", "cudaLaunchKernel"): 40}
    t.kernel(800, 900, call=(850, 860))                             # latencies: +20, 0, +50, -50: not most
    t.kernel(1000, 1100, call=(1050, 1060))
    t.kernel(1200, 1300, call=(1250, 1260))
    t.kernel(1400, 1500, call=(1450, 1460))                         # four of seven negative: skewed clocks
    t.add("PROFILER_OVERHEAD", 520, 530, P + 10, t.text("x"), 0)
    yield causes(t), {("unknown", "no launch"): 100, ("unknown", "skew"): 100 + 90 + 400, ("profiler", "x"): 10}


def clocks_that_agree():
    """A latency of 0 is not negative, and half is not most: the process is not skewed."""
    for starts in ((100, 200, 300), (100, 199, 299, 400)):
        t = Tiny()
        t.kernel(0, 10, call=(0, 5))
        for i, at in enumerate(starts):
            t.kernel(100 * i + 100, 100 * i + 110, call=(at, at + 5))
        yield sum(v for (c, _), v in causes(t).items() if c == "unknown"), 90 * sum(at >= 100 * i + 100 for i, at in enumerate(starts))


def who_ends_a_gap():
    """Of operations that start together the lowest stream's launch explains; a gap is of the whole device."""
    t = Tiny()
    t.kernel(0, 100, call=(-20, -10))
    t.kernel(50, 150, stream=8, call=(-10, 0))
    t.kernel(1000, 1100, stream=9, call=(900, 950))
    t.kernel(1000, 1100, "low", stream=3, call=(0, 150))
    yield causes(t), {("dispatch", None): 850}
    rows = idle.gaps(oracle.Query(t.trace()), minimum=0)
    yield [figures(r, "start", "duration", "cause", "after") for r in rows], [(150, 850, "dispatch", "low")]
    t = Tiny()                                                      # of one stream the first row counts, however long it is
    t.kernel(0, 100, call=(-20, -10))
    t.kernel(1000, 1900, "first row", call=(900, 950))
    t.kernel(1000, 1100, "shorter", call=(0, 90))
    yield [figures(r, "cause", "after") for r in idle.gaps(oracle.Query(t.trace()), minimum=0)], [("host", "first row")]


def openers():
    """The gap [1000, 9000), launched at 8000: which call of the thread emptied the launch queue."""
    def opened(*calls, launch=(8000, 8500)):
        t = Tiny()
        t.range(-500, 3000, "outer")
        t.range(0, 1500, "step 3")
        t.kernel(0, 1000, call=(-200, -190))
        t.kernel(9000, 9900, call=launch)
        for start, end, name, *thread in calls:
            t.call(start, end, name, *thread)
        row, = idle.gaps(oracle.Query(t.trace()), minimum=0)
        return figures(row, "opened_by", "opened_in")
    wait, device = "cudaStreamSynchronize_v3020", "cudaDeviceSynchronize_v3020"
    yield opened((500, 1200, wait)), ("cudaStreamSynchronize", "step #")
    yield opened((500, 2000, wait)), ("cudaStreamSynchronize", "outer")              # step 3 ends before the call
    yield opened((500, 9000, wait)), ("cudaStreamSynchronize", None)                 # ends with the gap
    yield opened((500, 9001, wait)), (None, None)                                    # does not end in it
    yield opened((-1500, -1000, wait)), ("cudaStreamSynchronize", None)              # 2 us before it
    yield opened((-1500, -1001, wait)), (None, None)
    yield opened((1000, 1200, wait)), (None, None)                                   # began with the gap, not before
    yield opened((500, 1200, "cudaEventQuery")), (None, None)                        # does not block
    yield opened((500, 1200, wait, 11)), (None, None)                                # another thread
    yield opened((400, 700, wait), (750, 1300, device)), ("cudaDeviceSynchronize", "step #")     # the one that ends last
    yield opened((400, 1300, device), (500, 1300, wait)), ("cudaDeviceSynchronize", "step #")    # the outer one
    yield opened((400, 9500, device), (500, 1300, wait)), (None, None)               # the outer one does not end in time
    yield opened((500, 1200, "cudaMemcpy_v3020")), ("cudaMemcpy", "step #")          # a copy that blocks
    yield opened((500, 1200, wait), launch=(9000, 9100)), (None, None)               # skew: nothing is known


def opened_rows():
    """Rows by detail are split by what opened the gaps, and all of a gap has its opener."""
    t = Tiny()
    t.kernel(0, 1000, call=(-200, -190))
    t.call(500, 1100, "cudaStreamSynchronize")
    t.kernel(2000, 4000, call=(1500, 1600))
    t.kernel(12000, 12100, call=(11500, 11600))
    rows = idle.idle(oracle.Query(t.trace()), detail=True)
    yield {figures(r, "cause", "detail", "opened_by"): r["sum"] for r in rows}, {
        ("sync", "cudaStreamSynchronize", "cudaStreamSynchronize"): 100, ("host", None, "cudaStreamSynchronize"): 400,
        ("launch", "cudaLaunchKernel", "cudaStreamSynchronize"): 100, ("latency", "cudaLaunchKernel", "cudaStreamSynchronize"): 400,
        ("host", None, None): 7500, ("launch", "cudaLaunchKernel", None): 100, ("latency", "cudaLaunchKernel", None): 400}


def calls_by_cause():
    """What a thread is in while its GPU waits, by the call's name."""
    def cause(name):
        t = Tiny()
        t.kernel(0, 1000, call=(-200, -190))
        t.kernel(9000, 9900, call=(8000, 8500))
        t.call(2000, 3000, name)
        return next(c for (c, detail), ns in causes(t).items() if ns == 1000)
    wanted = {"alloc": ("cudaHostRegister", "cuMemHostRegister_v2", "cudaHostUnregister", "cuMemMap", "cuMemUnmap", "cuMemSetAccess", "cuMulticastBindMem",
                        "cudaIpcOpenMemHandle", "cudaMallocAsync", "cudaFreeHost", "cudaMallocFromPoolAsync", "cuMemAddressFree", "cuMemPoolCreate"),
              "load": ("cuModuleUnload", "cuLibraryUnload", "cuLibraryGetKernel", "cuLibraryGetModule", "cuModuleGetFunction", "cuKernelGetFunction",
                       "cudaGetFuncBySymbol", "cudaFuncGetAttributes", "cuLinkComplete"),
              "sync": ("cudaEventSynchronize", "cuCtxSynchronize", "cudaMemcpyToSymbol"),
              "api": ("cudaEventQuery", "cudaMemGetInfo_v3020", "cudaStreamWaitEvent", "cudaEventRecord", "cudaMemsetAsync", "cudaHostGetDevicePointer")}
    for want, names in wanted.items():
        yield [cause(name) for name in names], [want] * len(names)


# --- definitions/nvtx.md ----------------------------------------------------------------------------------

def normalised_names():
    same = ["stage2_f", "AllToAll4D", "H2D", "conv1", "fp16", "(unnamed)", "player3", "#"]
    yield [nvtx.normalised(n) for n in same], same
    yield [nvtx.normalised(n) for n in ("op_id = 12, seq = 7", "step 123", "iteration_7", "layer12", "Layer12b", "layer.3", "at 0x7fAB12!", "12", "x 1.5")], \
        ["op_id = #, seq = #", "step #", "iteration_#", "layer#", "Layer#b", "layer.#", "at #!", "#", "x #.#"]


def trees():
    """a [0, 100) holds b [10, 50) and d [60, 90); c [40, 70) crosses both: a child of a."""
    t = Tiny()
    for start, end, name in ((0, 100, "a"), (10, 50, "b"), (40, 70, "c"), (60, 90, "d"), (42, 48, "e")):
        t.range(start, end, name)
    t.range(5, 95, "span", kind=60)
    t.range(5, 95, "hop", kind=60, end_thread=11)
    t.kernel(1000, 1010, call=(43, 44))                             # e, c (the nearest around e), a; and b, which crosses c
    t.kernel(1100, 1120, call=(12, 13))                             # b, a
    t.kernel(1200, 1240, call=(98, 102))                            # reaches out of a: nothing
    query = oracle.Query(t.trace())
    paths = {r["path"]: figures(r, "self", "gpu_ops", "gpu_sum", "projected") for r in ranges.tree(query)}
    yield paths, {("a",): (20, 2, 30, 120), ("a", "b"): (40, 2, 30, 120), ("a", "c"): (24, 1, 10, 10), ("a", "d"): (30, 0, 0, 0),
                  ("a", "c", "e"): (6, 1, 10, 10), ("a", "span"): (90, 2, 30, 120), ("hop",): (90, 0, 0, 0),
                  ("a", "c", "e", "k"): (None, 1, 10, None), ("a", "b", "k"): (None, 1, 20, None)}  # below what launched them
    yield {(r["path"], r["calls"]) for r in ranges.nvtx_kernels(query)}, {(("a", "c", "e"), 1), (("a", "b"), 1)}
    yield ranges.coverage(query)["direct"], (30, 70)


def ranges_that_cross():
    """a [0, 50) and b [30, 80) of two domains: what is launched in both belongs to both, as nsys counts it."""
    t = Tiny()
    t.range(0, 50, "a", domain=1)
    t.range(30, 80, "b", domain=2)
    t.kernel(100, 110, call=(10, 15))
    t.kernel(150, 160, call=(40, 45))                               # in both
    t.kernel(200, 210, call=(60, 65))
    t.kernel(300, 310, call=(45, 55))                               # wholly in b alone
    query = oracle.Query(t.trace())
    shown = "gpu_ops", "gpu_sum", "projected"
    yield {r["name"]: figures(r, *shown) for r in ranges.nvtx(query)}, {"a": (2, 20, 60), "b": (3, 30, 160)}
    yield {r["path"]: r["calls"] for r in ranges.nvtx_kernels(query)}, {("a",): 1, ("b",): 3}


def bridges():
    """Thread 10 is the anchor (longest default-domain ranges); thread 11 has a range of its own, thread 12 none."""
    t = Tiny()
    t.range(0, 1000, "step 1")
    t.range(100, 200, "backward")
    t.range(110, 190, "autograd", thread=11)
    t.range(0, 9000, "long", thread=12, domain=4)                   # not the default domain
    t.kernel(2000, 2010, call=(120, 130), thread=11)                # autograd; bridged to backward and step
    t.kernel(2100, 2110, call=(200, 210), thread=12)                # long; bridged to step: backward is over
    t.kernel(2200, 2210, call=(150, 160), thread=10)
    query = oracle.Query(t.trace())
    rows = {r["name"]: figures(r, "gpu_ops", "bridged", "bridged_sum") for r in ranges.nvtx(query)}
    yield rows, {"step #": (1, 2, 20), "backward": (1, 1, 10), "autograd": (1, 0, 0), "long": (1, 0, 0)}
    table = {r["phase"]: figures(r, "ranges", "gpu_sum") for r in ranges.phases(query, {"b": ["BACK", "re:^auto"], "s": ["step"]})}
    yield table, {"b": (1, 0), "s": (1, 30), "(none)": (0, 0)}      # step is outermost everywhere; autograd is outermost on its thread


# --- definitions/iterations.md ----------------------------------------------------------------------------

def iterations():
    """Three steps on the host, work on two threads; the GPU runs behind."""
    t = Tiny()
    for i in range(3):
        t.range(100 * i, 100 * i + 90, "step %d" % i)
        t.kernel(1000 + 200 * i, 1050 + 200 * i, call=(100 * i + 10, 100 * i + 12))
        t.kernel(1040 + 200 * i, 1100 + 200 * i, "ncclDevKernel_AllReduce", stream=20, call=(100 * i + 89, 100 * i + 95), thread=11)
    t.range(300, 390, "step 3")                                     # without work: dropped
    trace = t.trace()
    rows = iters.rows(trace)
    yield [figures(r, "iter", "start", "period", "span", "compute", "exposed_comm", "exposed_copy", "idle", "kernels", "vs_median") for r in rows], \
        [(0, 1000, 200, 100, 50, 50, 0, 100, 2, 1.0), (1, 1200, 200, 100, 50, 50, 0, 100, 2, 1.0), (2, 1400, None, 100, 50, 50, 0, 0, 2, None)]
    found = iters.find_all(trace)[P >> 24]
    yield (found.method, found.what, found.dropped, iters.steady({1: found})), ("nvtx", "step #", 1, {1: 0})
    yield (windows.iteration_windows(trace, 1), windows.iteration_windows(trace, 1, 2)), ({P >> 24: (1200, 1400)}, {P >> 24: (1200, 1500)})
    yield windows.nvtx_windows(trace, "step 1"), {P >> 24: (1200, 1250)}    # thread 11's launch is not inside on its thread
    t.range(385, 400, "waits for thread 11")
    t.kernel(2000, 2010, call=(386, 388), thread=11)
    yield windows.nvtx_windows(t.trace(), "waits for thread 11"), {P >> 24: (2000, 2010)}       # but is where its own launched none
    rows = exposure.by_iteration(oracle.Query(trace, window=lambda d: (900, 1600)), iters.find_all(trace))
    yield [figures(r, "iter", "window", "idle") for r in rows], [(0, 200, 100), (1, 200, 100), (2, 100, 0), (None, 200, 200)]


def time_before_a_step():
    """Idle time that ends where an iteration begins counts for that iteration; busy and unused time does not count."""
    t = Tiny()
    for i, (begin, end) in enumerate(((1000, 1100), (1500, 1600), (1600, 1700), (2000, 2100))):
        t.range(100 * i, 100 * i + 90, "step %d" % i)
        t.kernel(begin, end, call=(100 * i + 10, 100 * i + 12))
    t.kernel(900, 950)                                              # before the first step, of none
    t.kernel(1550, 1560, device=1, call=(111, 112))                 # step 1 is its first
    yield [figures(r, "iter", "device", "idle_before") for r in iters.rows(t.trace())], \
        [(0, 0, 50), (0, 1, None), (1, 0, 400), (1, 1, None), (2, 0, 0), (2, 1, 40), (3, 0, 300), (3, 1, 400)]


def kernels_as_markers():
    """Each run of a kernel on the device with most of them begins a step, which owns what starts before the next run."""
    t = Tiny()
    for start in (1000, 1300, 1700):
        t.kernel(start, start + 100, "void ns::Adam<int>(T)")
    t.kernel(1700, 1710, "another ADAM", stream=8)                  # starts with a run: the same step
    t.kernel(1200, 1250, "other")
    t.kernel(1100, 1150, "adam", device=1)                          # fewer runs here, a part of step 0
    t.kernel(900, 950, "other", device=1)                           # before the first: of none
    for marker in ("kernel:adam", "kernel:re:(?i)adam"):
        yield [figures(r, "iter", "device", "start", "period", "span", "kernels", "idle_before") for r in iters.rows(t.trace(), marker)], \
            [(0, 0, 1000, 300, 250, 2, None), (0, 1, 1000, 300, 250, 1, 50), (1, 0, 1300, 400, 100, 1, 50), (1, 1, 1300, 400, 100, 0, 150),
             (2, 0, 1700, None, 100, 2, 300), (2, 1, 1700, None, 100, 0, 400)]
    yield iters.marks(t.trace(), "kernel:nothing"), False


def kinds_of_steps():
    """Names of ranges on the step's thread, else of kernels; kinds exist only where steps differ."""
    names = ["prefill", "ModelRunner.runDecode", "DECODE_2", "decoder", "prefilling", "Extend", "execute_context_0(0)_generation_8(8)",
             "execute_context_2(9)_generation_1(1)", "step 3: 1 ctx reqs, 0 gen reqs", "PREFILLStep"]
    yield [kinds.kind(kinds.range_says(n)) for n in names], ["prefill", "decode", "decode", None, None, "prefill", "decode", "mixed", "prefill", None]
    names = ["BatchPrefillWithPagedKVCacheKernel", "paged_attention_v1_kernel", "paged_attention_reduce", "masked_multihead_attention_kernel", "extend_attention"]
    yield [kinds.kind(kinds.kernel_says(n)) for n in names], ["prefill", "decode", None, "decode", None]
    def steps(names, kernel="k"):
        t = Tiny()
        for i, name in enumerate(names):
            t.range(100 * i, 100 * i + 90, "step %d" % i)
            t.range(100 * i + 5, 100 * i + 20, name)
            t.range(100 * i + 5, 100 * i + 20, "prefill", thread=11)
            t.kernel(1000 + 100 * i + i % 2, 1050 + 100 * i, kernel, call=(100 * i + 10, 100 * i + 12))
        return [(r["kind"], r["vs_median"]) for r in iters.rows(t.trace(), "step")]
    yield steps(["decode"] * 3, "prefill_kernel"), [(None, 101 / 99), (None, 1.0), (None, None)]
    yield [k for k, _ in steps(["prefill", "decode", "decode prefill", "x"])], ["prefill", "decode", "mixed", None]
    yield steps(["prefill", "decode"] * 6)[:2], [("prefill", 1.0), ("decode", 1.0)]         # 101 and 99, each the median of its kind


def steady_ones():
    """One number for all processes: the median of the largest periods, without the first and the last; others have their own."""
    class Some:
        def __init__(self, *periods):
            self.iterations, self.periods = [None] * (len(periods) + 1), lambda: list(periods)
    yield iters.steady({1: Some(99, 5, 6, 7), 2: Some(1, 9, 4, 8)}), {1: 3, 2: 3}          # largest 99, 9, 6, 8: the median of the inner is 8
    yield iters.steady({1: Some(99, 5, 6, 7), 2: Some(1, 2, 3), 3: Some(1, 5, 5, 7)}), {1: 2, 2: 1, 3: 2}
    yield iters.steady({1: Some(3, 9, 4)}), {1: 2}                                         # fewer than 5: all that have a period
    yield iters.steady({1: Some()}), {1: None}


def outermost_marker():
    """Both names own everything: the outer one wins with 8 instances; with fewer of both the one with more, by its cycle."""
    def nested(outer, inner="micro %d"):
        t = Tiny()
        for i in range(outer):
            t.range(100 * i, 100 * i + 90, "outer %d" % i)
            for j in range(2):
                t.range(100 * i + 40 * j, 100 * i + 40 * j + 30, inner % (j if inner == "micro %d" else 2 * i + j))
                t.kernel(10000 + 100 * i + 40 * j, 10020 + 100 * i + 40 * j, call=(100 * i + 40 * j + 1, 100 * i + 40 * j + 3))
        return t
    def found(t):
        f = iters.find_all(t.trace())[P >> 24]
        return f.method, f.what, len(f.iterations)
    yield found(nested(8)), ("nvtx", "outer #", 8)
    yield found(nested(7)), ("nvtx", "micro #", 7)                   # 14 micros in turns of 2
    yield found(nested(7, "step %d")), ("nvtx", "step #", 14)        # epochs over steps
    yield found(nested(3, "step %d")), ("nvtx", "step #", 6)         # neither has 8: the one with more
    t = nested(3)
    yield [len(iters.find_all(t.trace(), "micro")[P >> 24].iterations), iters.find_all(t.trace(), "re:^micro 1$")[P >> 24].method], [6, "marker"]


def cycles():
    """layer 1, 2, 0 in turn: a turn is a step, begins with the lowest name and goes on to the next."""
    t = Tiny()
    for i in range(11):
        at = 100 * i
        t.range(at, at + 80, "layer %d" % ((i + 1) % 3))
        t.kernel(10000 + 100 * i, 10050 + 100 * i, call=(at + 10, at + 12))
    t.kernel(10260, 10270, call=(285, 286))                          # between layers 0 and 1: of the turn
    found = iters.find_all(t.trace())[P >> 24]
    yield [(i.first, i.last, len(i.ops)) for i in found.iterations], [(10200, 10450, 4), (10500, 10750, 3), (10800, 11050, 3)]
    names = "ababab", "abcabcab", "aaaa", "abab", "aba", "abcd", "abacabac", "abcabx", ""
    yield [iters.cycle("layer #", list(n)) for n in names], [2, 3, 0, 2, 0, 0, 4, 0, 0]
    yield [iters.cycle(name, list("ababab")) for name in ("step #", "microStep #", "myBatch", "stepper")], [0, 0, 0, 2]


def graph_steps():
    """No ranges: launches of one graph begin steps; what most of them have beside the graph is theirs."""
    def steps(other, names, launches=4):
        t = Tiny()
        t.kernel(0, 100, "x", call=(0, 1))
        for i in range(launches):
            at = 1000 * (i + 1)
            c = t.kernel(at, at + 300, "b", call=(at - 50, at - 10), api="cudaGraphLaunch_v10000", node=(3 << 32) | 1)
            t.kernel(at + 300, at + 400, "c", correlation=c, node=(3 << 32) | 2)
            t.kernel(at + 500, at + 500 + other, names[i % len(names)], call=(at + 450, at + 460))
        found = iters.find_all(t.trace()).get(P >> 24)
        return found and found.method, [(i.first, i.last, len(i.ops)) for i in found.iterations] if found else None
    yield steps(100, "x"), ("graph", [(at, at + 600, 3) for at in (1000, 2000, 3000, 4000)])
    yield steps(500, "x"), ("graph", [(at, at + 1000, 3) for at in (1000, 2000, 3000, 4000)])
    yield steps(100, "xyzw")[0], "graph"                             # the usual has x: 1300 of 1500 until the last start
    yield steps(500, "xyzw")[0], None                                # 1700 of 2700
    yield steps(100, "x", 2)[0], None                                # two are not enough


def ones():
    """One kernel over and over needs 50 of them to be steps."""
    for count, want in ((49, None), (50, 50)):
        t = Tiny()
        for i in range(count):
            t.kernel(100 * i, 100 * i + 50)
        found = iters.find_all(t.trace()).get(P >> 24)
        yield found and len(found.iterations), want


def shares_that_tie():
    """`deep` owns all, `top` (less deep, on another thread) all but one small kernel: within 1% the outermost wins, else the share."""
    for small, want in ((1, "top #"), (20, "deep #")):
        t = Tiny()
        for i in range(4):
            t.range(100 * i, 100 * i + 30, "top %d" % i, thread=11)
            t.range(100 * i, 100 * i + 90, "any", thread=10)
            t.range(100 * i + 1, 100 * i + 80, "deep %d" % i, thread=10)
            t.kernel(1000 * i, 1000 * i + 90, call=(100 * i + 5, 100 * i + 6))
        t.kernel(1500, 1500 + small, call=(150, 151))               # after top 1, inside deep 1
        t.range(-9, 400, "any", thread=10)                          # makes "any" overlap itself: no candidate
        yield iters.find_all(t.trace())[P >> 24].what, want


def hull_of_processes():
    class Shared:
        def devices_of(self, process):
            return {1: [0], 2: [0, 1]}[process]
    yield windows.hulls(Shared(), {1: (5, 30), 2: (10, 20)}), {0: (5, 30), 1: (10, 20)}


def sequences():
    """a b c repeated, with the longest pause before b: periods begin at b."""
    t = Tiny()
    for i in range(5):
        for n, (name, at) in enumerate((("a", 0), ("b", 60), ("c", 80))):
            t.kernel(1000 + 100 * i + at, 1010 + 100 * i + at, name)
    found = iters.find_all(t.trace())[P >> 24]
    yield (found.method, [i.first for i in found.iterations]), ("sequence", [1060, 1160, 1260, 1360, 1460])
    t = Tiny()
    for i in range(9):
        t.kernel(100 * i, 100 * i + 10, "ab"[i % 2])                # no pause is longer: the earliest phase
    yield [i.first for i in iters.find_all(t.trace())[P >> 24].iterations], [0, 200, 400, 600, 800]
    yield iters.repeated(list("abcabcabc")), (3, 1.0)
    yield iters.repeated(list("aaaaaa")), (1, 1.0)
    yield iters.repeated(list("abcde"))[1], 0.0
    yield iters.repeated(["a", "b"]), None


def odd_iterations():
    yield iters.outliers([100, 100, 101, 100, 120]), {4}
    yield iters.outliers([100, 100, 101, 100, 104]), set()          # beyond the deviations, below 5 %
    yield iters.outliers([100, 110, 90, 120, 80, 150]), set()


def stream_classes():
    t = Tiny()
    t.kernel(0, 10, "k", stream=7)
    t.kernel(10, 20, "ncclX", stream=7)
    t.kernel(0, 10, "ncclX", stream=20, call=(-9, -8))
    t.kernel(0, 10, "k", stream=13)
    t.copy(0, 10, stream=14)
    t.range(-10, -5, "pipeline send/recv")
    rows = layout.streams(oracle.Query(t.trace()), PITHTRAIN)
    yield {r["stream"]: figures(r, "class", "purpose") for r in rows}, {7: ("compute", None), 20: ("comm", "pp_p2p"), 13: ("compute", None), 14: ("copy", None)}


def crossed_purposes():
    """A range that crosses the innermost one and contains the launch is asked too; one that ends within the launch is not."""
    t = Tiny()
    t.range(0, 60, "pipeline send/recv")
    t.range(10, 90, "something")                                    # crosses it, inside where both are open
    t.kernel(200, 210, "ncclX", stream=20, call=(20, 30))
    t.kernel(220, 230, "ncclX", stream=21, call=(50, 70))           # the outer range is over
    t.kernel(240, 250, "ncclX", stream=22, call=(30, 40))
    t.kernel(260, 270, "ncclX", stream=22, call=(70, 80))
    rows = layout.streams(oracle.Query(t.trace()), PITHTRAIN)
    yield {r["stream"]: r["purpose"] for r in rows}, {20: "pp_p2p", 21: "unknown", 22: "mixed"}
    yield {r["stream"]: r["purpose"] for r in layout.streams(oracle.Query(t.trace()))}, {20: "something", 21: "something", 22: "something"}


# --- sections 7 to 9 --------------------------------------------------------------------------------------

def collective_types():
    names = {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)": "AllReduce", "ncclSymkDevKernel_ReduceScatter_LL_sum": "ReduceScatter",
             "ncclKernel_AllGather_RING_LL_Sum_int8_t": "AllGather", "ncclDevKernel_SendRecv": "SendRecv", "ncclDevKernel_Broadcast_RING_LL": "Broadcast",
             "ncclDevKernel_Reduce_Sum_f32": "Reduce", "ncclDevKernel_Generic_1": "other", "void vllm::cross_device_reduce_1stage<T>(int)": "AllReduce",
             "void deep_ep::internode_ll::dispatch<false>(void*)": "AllToAll"}
    t = Tiny()
    for n, name in enumerate(names):
        t.kernel(10 * n, 10 * n + 5, name)
    trace = t.trace()
    yield [comm.collective_type(trace, op) for op in trace.ops], list(names.values())


def waits():
    """The synchronisation row names device 1, which works until 150; the call lasts from 100 to 200."""
    t = Tiny()
    t.kernel(0, 500, device=0)
    t.kernel(0, 150, device=1)
    t.call(100, 200, "cudaStreamSynchronize_v3020", correlation=77)
    t.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", 101, 199, 1, 1, 7, 77, P, 3, 4294967295)
    t.range(50, 250, "phase 3")
    t.add("SCHED_EVENTS", 0, 0, 1, P + 10)
    t.add("SCHED_EVENTS", 120, 0, 0, P + 10)
    trace = t.trace()
    yield [figures(r, "name", "nvtx", "calls", "sum", "gpu_idle", "gpu_busy") for r in host.sync(oracle.Query(trace))], \
        [("cudaStreamSynchronize", "phase #", 1, 100, 50, 50)]
    yield [figures(r, "api", "sync", "on_cpu", "nvtx_self") for r in host.threads(oracle.Query(trace))], [(100, 100, 70, 200)]


def attributions():
    """a [0, 10) and b [5, 20) and another a [5, 9): 5 shared ns."""
    t = Tiny()
    t.kernel(0, 10, "a", stream=1)
    t.kernel(5, 20, "b", stream=2)
    t.kernel(5, 9, "a2", stream=3)
    rules, query = categories.Rules([("^a", "A"), ("^b", "B")], table=False), oracle.Query(t.trace())
    def table(how):
        return {r["category"]: figures(r, "instances", "sum", "active", "exclusive", "elapsed") for r in categories.categories(query, rules, how)}
    yield table("share"), {"A": (2, 14, 10, 5, 8), "B": (1, 15, 15, 10, 12)}        # 7.5 and 12.5: the tie goes to the first rule
    yield {k: v[-1] for k, v in table("first").items()}, {"A": 10, "B": 10}
    yield {k: v[-1] for k, v in table("last").items()}, {"A": 9, "B": 11}           # b and a2 start together: the higher stream
    yield [categories.categories(query, rules, elapsed=e)[0]["cpu"] for e in (None, 50, 19)], [0, 30, None]


def who_names_a_kernel():
    """The user's rules, then communication, then the engine's rules, then the table."""
    t = Tiny()
    names = "ncclDevKernel_AllReduce_Sum", "ampere_sgemm_128x64_tn", "softmax_warp_forward<float>", "nobody"
    for n, name in enumerate(names):
        t.kernel(10 * n, 10 * n + 5, name)
    t.copy(90, 95)
    trace = t.trace()
    def of(*rules, **more):
        return [categories.category_of(trace, categories.Rules(*rules, **more), op) for op in trace.ops]
    yield of(), ["communication", "gemm", "softmax", "(other)", "memory"]
    yield of((), [("gemm|softmax|CUDA", "E")]), ["communication", "E", "E", "(other)", "E"]
    yield of([("AllReduce|nobody", "U")], [("gemm|softmax|CUDA", "E")]), ["U", "E", "E", "U", "E"]
    yield of([("AllReduce", "U")], table=False), ["U"] + ["(other)"] * 4


EXAMPLES = [overlap_of_kernels, copies_within_a_device, stages_of_launches, bridged_stages, launch_times, storms, graph_launches, graph_modes, causes_in_order,
            queued_operations, blocking_copies, unknown_causes, clocks_that_agree, who_ends_a_gap, openers, opened_rows, calls_by_cause, normalised_names,
            trees, ranges_that_cross, bridges, iterations, time_before_a_step, kernels_as_markers, kinds_of_steps, steady_ones,
            outermost_marker, cycles, graph_steps, ones, shares_that_tie, hull_of_processes, sequences, odd_iterations, stream_classes,
            crossed_purposes, collective_types, waits, attributions, who_names_a_kernel]


def main():
    tally = wl.Tally()
    for example in EXAMPLES:
        for n, (got, want) in enumerate(example()):
            tally.check("%s %d" % (example.__name__, n + 1), [] if got == want else ["oracle %r" % (got,), "by hand %r" % (want,)])
    tally.finish()


if __name__ == "__main__":
    main()
