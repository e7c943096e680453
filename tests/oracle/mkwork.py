# SPDX-License-Identifier: MIT
"""A process at work, for mktrace.py: clocks of threads and streams that go forward, so that launches precede what they
launch, gaps have causes, ranges nest and iterations repeat. A plan is made once and replayed with jitter.

Traps: blocking and pageable copies, synchronisation with and without a row of its own, waits on the GPU's side, graph
launches by node and opaque, allocations, module loads, OS calls (also nested), the profiler's own time and its flushes on
other threads, a backward thread without or with ranges of its own, ranges of several domains, ranges that cross, ranges
that end on another thread, iterations without work, launches after what they launch, kernels of one stream that overlap.
"""
import random

KERNELS = ["ampere_sgemm_128x64_tn", "void cutlass::Kernel<cutlass_80_tensorop>(Params)", "softmax_warp_forward<float, 8>",
           "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(T3)",
           "void deep_ep::layout::get_dispatch_layout<(int)256>(int const*)"]
COMM = ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)", "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096>)",
        "ncclSymkDevKernel_ReduceScatter_LL_sum_bf16", "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)"]
NAMES = ["forward", "layer.%d", "layer%d", "attention", "conv1", "op%d, op_id = %d, seq = %d", "layer%02d.stage2_f", "layer%02d.stage4_b",
         "layer%02d_stage5_b_layer%02d_stage1_b", "stage2_f", "buffer 0x7f%04x", "H2D", "pipeline send/recv", "my nccl wrapper"]
MARKERS = ["iteration %d", "step_%d", "ProfilerStep#%d", "forward chunk %d (phase0) backward chunk %d (phase1)"]
HOST_CALLS = ["cudaMalloc_v3020", "cudaFree_v3020", "cuMemCreate", "cudaHostAlloc_v3020", "cuModuleLoadData", "cuLibraryLoadData",
              "cudaHostRegister_v4000", "cuMemHostUnregister", "cuMemMap", "cuMemUnmap", "cuMemSetAccess", "cuMulticastCreate",
              "cudaIpcOpenMemHandle_v4010", "cudaMallocFromPoolAsync_v11020", "cuModuleUnload", "cuLibraryGetKernel", "cuModuleGetFunction",
              "cudaFuncGetAttributes_v3020", "cudaEventQuery_v3020", "cudaStreamWaitEvent_v3020", "cudaGetDeviceProperties_v2_v12000"]
N = 4294967295                                              # no stream, no event
# (name, stream, event): the pair is right, the row's syncType is anything
SYNCS = [("cudaStreamSynchronize_v3020", 7, N), ("cudaDeviceSynchronize_v3020", N, N), ("cudaEventSynchronize_v3020", N, 32), ("cuCtxSynchronize", N, N)]
OSRT = ["poll", "futex", "read", "pthread_cond_wait", "ioctl"]
OVERHEAD = ["CUPTI: Buffer flush", "CUPTI: Instrumentation", "CUDA profiling data flush on process exit", "TLS allocation"]
DOMAINS = {8: "NCCL", 9: "mine"}


class Workload:
    def __init__(self, maker, process, seed):
        self.m, self.p, self.r = maker, process, random.Random(seed)
        r, gpid = self.r, process["gpid"]
        self.unit = r.choice([1, 10, 100, 1000, 1000])      # 1,000: gaps on both sides of the dispatch limit
        self.main = gpid + (process["pid"] & 0xFFFFFF if r.random() < 0.7 else 601)
        self.backward, self.loader = gpid + 602, gpid + 603
        self.ordinals = list(process["ordinals"])
        begin = maker.origin + r.randint(0, maker.span)
        self.now = {t: begin for t in (self.main, self.backward, self.loader)}
        self.free, self.graphs = {}, {}
        self.named_backward = r.random() < 0.5
        self.domains = [0, 0, 0, 8, 9]

    def steps(self, low, high):
        return self.unit * self.r.randint(low, high)

    # --- one action on a thread --------------------------------------------------------------------------

    def api(self, thread, name, length, correlation=None):
        start = self.now[thread]
        self.m.call(self.p, name, correlation, thread, (start, start + length))
        self.now[thread] = start + length + self.steps(0, 2)
        return start, start + length

    def place(self, stream, call, length):
        """When an operation runs: after its launch and after the stream's last one, with rare exceptions."""
        r, key = self.r, stream
        begin, end = call
        start = max(end + self.steps(0, 4), self.free.get(key, end))
        kind = r.random()
        if kind < 0.1:
            start = max(r.randint(begin, end), self.free.get(key, begin))       # while the call is still under way
        elif kind < 0.12:
            start = begin - self.steps(1, 3)                                    # skewed clock
        elif kind < 0.15:
            start = max(begin, self.free.get(key, end) - self.steps(0, 1))      # dependent launch: overlaps its predecessor
        self.free[key] = max(self.free.get(key, start), start + length) + self.steps(0, 2) // 2
        return start, start + length

    def row(self, ordinal, stream, call, correlation, length):
        start, end = self.place((ordinal, stream), call, length)
        return {"start": start, "end": end, "deviceId": ordinal, "contextId": 1, "streamId": stream, "correlationId": correlation,
                "globalPid": self.p["gpid"]}

    def kernel(self, thread, name, ordinal, stream, length):
        correlation = self.m.new_id(self.p)
        call = self.api(thread, self.r.choice(["cudaLaunchKernel_v7000", "cuLaunchKernelEx"]), self.steps(1, 6), correlation)
        self.m.kernel_row(self.row(ordinal, stream, call, correlation, length), name)

    def communicate(self, thread, name, ordinal, length):
        begin = self.now[thread]
        self.now[thread] += self.steps(0, 1)
        self.kernel(thread, name, ordinal, 20, length)
        if name.startswith("nccl"):
            self.nvtx(thread, begin, self.now[thread], "ncclGroupEnd", 8)

    def copy(self, thread, ordinal, length, call_name, kind, kinds):
        correlation = self.m.new_id(self.p)
        if "Async" in call_name:
            call = self.api(thread, call_name, self.steps(1, 5), correlation)
            row = self.row(ordinal, self.r.choice([7, 14]), call, correlation, length)
        else:                                               # the call returns when the copy is done
            begin = self.now[thread]
            row = self.row(ordinal, 7, (begin, begin + self.steps(0, 2)), correlation, length)
            self.api(thread, call_name, max(row["end"] - begin, self.unit) + self.steps(0, 2), correlation)
        self.m.add("MEMCPY", **row, bytes=self.r.choice([4, 4096, 10 ** 7]), copyKind=kind, srcKind=kinds[0], dstKind=kinds[1],
                   srcDeviceId=ordinal if kind == 10 else None, dstDeviceId=ordinal + 1 if kind == 10 else None)

    def memset(self, thread, ordinal, length):
        correlation = self.m.new_id(self.p)
        call = self.api(thread, "cudaMemsetAsync_v3020", self.steps(1, 3), correlation)
        self.m.add("MEMSET", **self.row(ordinal, 7, call, correlation, length), value=0, bytes=64, memKind=2)

    def graph(self, thread, ordinal, nodes, length):
        correlation = self.m.new_id(self.p)
        graph = 5 + self.graphs.setdefault((ordinal, *nodes), len(self.graphs))
        call = self.api(thread, "cudaGraphLaunch_v10000", self.steps(2, 8), correlation)
        if self.m.has_graph_trace:
            row = self.row(ordinal, 7, call, correlation, max(1, length * len(nodes)))
            self.m.add("GRAPH_TRACE", **row, graphId=graph, graphExecId=graph + 100)
        else:
            for i, name in enumerate(nodes):
                self.m.kernel_row(self.row(ordinal, 7, call, correlation, length), name, (graph << 32) | i)

    def sync(self, thread, ordinal, which, with_row):
        name, stream, event = which
        correlation = self.m.new_id(self.p)
        begin = self.now[thread]
        end = max([begin + self.unit] + [t for (o, _), t in self.free.items() if o == ordinal and self.r.random() < 0.8]) + self.steps(0, 3)
        self.api(thread, name, end - begin, correlation)
        if with_row:
            self.m.add("SYNCHRONIZATION", start=begin, end=end, deviceId=ordinal, contextId=1, streamId=stream, correlationId=correlation,
                       globalPid=self.p["gpid"], syncType=self.r.randint(0, 4), eventId=event)

    def wait_on_gpu(self, thread, ordinal):
        """cudaStreamWaitEvent: does not block the host, the pair of the row says so."""
        correlation = self.m.new_id(self.p)
        begin, end = self.api(thread, "cudaStreamWaitEvent_v3020", self.steps(1, 2), correlation)
        self.m.add("SYNCHRONIZATION", start=begin, end=end, deviceId=ordinal, contextId=1, streamId=7, correlationId=correlation,
                   globalPid=self.p["gpid"], syncType=self.r.randint(0, 4), eventId=32)
        streams = [t for (o, _), t in self.free.items() if o == ordinal]
        if streams:
            self.free[ordinal, 7] = max(streams)

    def os_call(self, thread, name, length):
        begin = self.now[thread]
        self.m.os_row(thread, begin, begin + length, name, 0)
        if length > 3 * self.unit and self.r.random() < 0.3:
            self.m.os_row(thread, begin + self.unit, begin + length - self.unit, self.r.choice(OSRT), 1)
        self.now[thread] = begin + length + self.steps(0, 1)

    def overhead(self, thread, name, length, elsewhere):
        begin = self.now[thread]
        self.m.add("PROFILER_OVERHEAD", start=begin, end=begin + length, globalTid=self.loader if elsewhere else thread,
                   nameId=self.m.text(name), returnValue=0)
        self.now[thread] = begin + length if self.r.random() < 0.7 else begin

    def nvtx(self, thread, begin, end, name, domain=0, kind=59):
        row = self.m.nvtx(self.p, kind, begin, end, name, domain=domain, thread=thread)
        row["endGlobalTid"] = None
        return row

    # --- plans -------------------------------------------------------------------------------------------

    def plan(self, depth):
        """A list of actions: (method name, arguments) or ("range", name, domain, crossing, plan)."""
        r, out = self.r, []
        for _ in range(r.randint(2, 4)):
            if depth and r.random() < 0.5:
                out.append(("range", r.choice(NAMES), r.choice(self.domains), r.random() < 0.06, self.plan(depth - 1)))
                continue
            ordinal = r.choice(self.ordinals)
            length = self.steps(0, 30) if r.random() < 0.95 else 0
            out.append(r.choices([
                ("kernel", r.choice(KERNELS), ordinal, r.choice([7, 7, 7, 13]), length), ("communicate", r.choice(COMM), ordinal, length),
                ("copy", ordinal, length, r.choice(["cudaMemcpyAsync_v3020", "cudaMemcpy_v3020", "cuMemcpyDtoHAsync_v2"]), r.choice([1, 2, 8, 8, 10]),
                 r.choice([(1, 2), (2, 1), (2, 0), (0, 2), (2, 2)])), ("memset", ordinal, length),
                ("graph", ordinal, [r.choice(KERNELS) for _ in range(r.randint(1, 4))], length // 3),
                ("sync", ordinal, r.choice(SYNCS), r.random() < 0.7), ("wait_on_gpu", ordinal), ("api", r.choice(HOST_CALLS), self.steps(1, 9)),
                ("os_call", r.choice(OSRT), self.steps(1, 12)), ("overhead", r.choice(OVERHEAD), self.steps(1, 6), r.random() < 0.3),
                ("pause", self.steps(1, 12))], [35, 12, 8, 3, 4, 6, 3, 9, 8, 4, 8])[0])
        return out

    def pause(self, thread, length):
        self.now[thread] += length

    def run_plan(self, thread, plan, counter, ranges=True):
        for action in plan:
            self.now[thread] += self.steps(0, 1)
            if action[0] != "range":
                name, *arguments = action
                getattr(self, name)(thread, *[self.jitter(a) if type(a) is int and a > 40 and name != "sync" else a for a in arguments])
                continue
            _, name, domain, crossing, inner = action
            begin = self.now[thread]
            self.now[thread] += self.steps(0, 1)
            self.run_plan(thread, inner, counter, ranges)
            if ranges:
                holes = name.count("%")
                text = name % tuple((counter, begin & 0xFFFF, counter + 7)[:holes]) if holes else name
                self.nvtx(thread, begin, self.now[thread] + (self.steps(1, 5) if crossing else 0), text, domain)
            self.now[thread] += self.steps(0, 1)

    def jitter(self, value):
        return value + self.r.randint(0, max(1, value // 20)) if self.r.random() < 0.5 else value

    # --- all of it ---------------------------------------------------------------------------------------

    def run(self):
        r = self.r
        for number, name in DOMAINS.items():
            if r.random() < 0.8:                            # cut files lack the row
                self.m.nvtx(self.p, 75, self.m.origin - 1000, None, name, domain=number)
        if r.random() < 0.3:
            label = "rank=%d; pp=%d/2 dp=0/1; mbs=1 seq=64" % (r.randint(0, 9), r.randint(0, 1))
            self.nvtx(self.main, self.now[self.main] - 3, self.now[self.main] + self.steps(500, 900), label)
        warm, forward, backward = self.plan(0), self.plan(2), self.plan(1)
        self.run_plan(self.main, warm, 0)
        marker, kind = r.choice(MARKERS + [None]), r.choice([59, 59, 59, 60])
        shape, times, spans = r.choice(["steps", "steps", "epochs", "layers", "graphs"]), r.choice([0, 1, 2, 3, 4, 6, 8, 10, 12, 17]), []
        turn = r.randint(2, 4)
        if shape == "layers":                               # open: whether two turns are enough
            times = turn * r.randint(3, 5) + r.randint(0, turn - 1)
        if shape == "graphs":                               # a step is a launch of one graph, with little beside it
            marker, backward = None, []
            forward = [("graph", self.ordinals[0], [r.choice(KERNELS) for _ in range(r.randint(2, 5))], self.steps(20, 60)), *self.plan(0)[:1]]
        for i in range(times):
            begin = self.now[self.main]
            self.iteration(i % turn if shape == "layers" else i, "layer %d" if shape == "layers" else marker, kind, forward, backward)
            spans.append((begin, self.now[self.main]))
        if shape == "epochs" and spans:
            size = max(1, len(spans) // turn)
            for i in range(0, len(spans), size):
                self.nvtx(self.main, spans[i][0] - 1, spans[min(i + size, len(spans)) - 1][1] - 1, "epoch %d" % (i // size))
        self.odd_ranges()
        self.scheduling()

    def iteration(self, i, marker, kind, forward, backward):
        r = self.r
        begin = self.now[self.main]
        self.now[self.main] += self.steps(0, 1)
        if r.random() > 0.06:                               # else an iteration without work
            self.os_call(self.main, "poll", self.steps(1, 9))
            self.run_plan(self.main, forward, i)
            self.now[self.backward] = self.now[self.main] + self.steps(1, 3)
            inner = self.now[self.main]
            self.run_plan(self.backward, backward, i, self.named_backward)
            self.now[self.main] = max(self.now[self.main], self.now[self.backward]) + self.steps(1, 3)
            if backward:
                self.nvtx(self.main, inner, self.now[self.main], "backward")
            if r.random() < 0.5:
                self.sync(self.main, r.choice(self.ordinals), SYNCS[0], True)
        self.now[self.main] += self.steps(1, 2)
        if marker:
            holes = marker.count("%")
            self.nvtx(self.main, begin, self.now[self.main], marker % ((i,) * holes), 0, kind)
        self.now[self.main] += self.steps(1, 6)
        self.now[self.loader] = self.now[self.main] - self.steps(1, 40)
        self.os_call(self.loader, "read", self.steps(1, 20))

    def odd_ranges(self):
        """Start/end ranges within a thread and across threads, an unclosed one, ranges that cross anything."""
        r, last = self.r, max(self.now.values())
        first = self.m.origin
        for _ in range(r.randint(0, 4)):
            a, b = sorted((r.randint(first, last), r.randint(first, last)))
            row = self.nvtx(self.main, a, b if r.random() < 0.9 else None, r.choice(["span", "layer.%d" % r.randint(0, 3)]), r.choice([0, 9]), 60)
            row["endGlobalTid"] = r.choice([None, self.main, self.loader])
        for _ in range(r.choice([0, 0, 1, 2])):
            a, b = sorted((r.randint(first, last), r.randint(first, last)))
            self.nvtx(r.choice([self.main, self.backward]), a, b, "anywhere", r.choice([0, 9]))

    def scheduling(self):
        r, last = self.r, max(self.now.values())
        for thread in (self.main, self.backward, self.loader) if r.random() < 0.5 else ():
            t, inside = self.m.origin, r.choice([0, 1])
            for _ in range(r.randint(1, 12)):
                self.m.add("SCHED_EVENTS", start=t, cpu=r.randint(0, 3), isSchedIn=inside, globalTid=thread)
                t, inside = t + r.randint(1, max(2, (last - self.m.origin) // 8)), 1 - inside if r.random() < 0.9 else inside
        for thread in (self.main, self.backward):
            if r.random() < 0.6:
                self.m.add("ThreadNames", nameId=self.m.text(r.choice(["python", "pt_autograd_0"])), priority=20, globalTid=thread)
