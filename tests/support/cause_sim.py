# SPDX-License-Identifier: MIT
"""Simulates a data-parallel training job in which one thing can be changed; causes.py has the changes.

A step: a copy to the device, then per layer an AllGather and three kernels, on the way back two kernels and a
ReduceScatter per layer, the optimizer, a copy of 4 bytes and one cudaStreamSynchronize. Kernels run on stream 7,
collectives on stream 20, copies on stream 14.
"""
import random

GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SCATTER = "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
SENDRECV = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
GEMM_F = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn"
GEMM_B = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_nt"
FLASH_F = "void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false>>(flash::Flash_fwd_params)"
FLASH_B = "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<Flash_bwd_kernel_traits<128>>(flash::Flash_bwd_params)"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>>(int)"
ADAM = "void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<4>, FusedAdam>(long)"
SMALL = "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<MulFunctor>>(int)"
REDUCE = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)"
COMPUTE, COPIES, NCCL = 7, 14, 20       # streams
LAUNCH, MEMCPY, SYNC = "cudaLaunchKernel_v7000", "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020"
RECORD, WAIT = "cudaEventRecord_v3020", "cudaStreamWaitEvent_v3020"
LONG_GAP = 100_000                      # ns of host time before a step that get a name


class Op:
    """An operation with its start and, unless it is a collective, its length."""
    def __init__(self, kind, name, rank, start, length, stream, correlation, copied):
        self.kind, self.name, self.rank, self.start, self.length = kind, name, rank, start, length
        self.stream, self.correlation, self.copied = stream, correlation, copied


class Sim:
    """One run. Changes are functions or values, each optional:
    dur(rank, step, name, ns, start)  length of an operation     cdur(step, name, ns)   length of a transfer
    hostgap(rank, step)               host time before a step    api(rank, step, name)  length of a launch call
    rate(rank, step, kind)            bytes per ns of a copy     opdelay(rank, step, name)  later start
    input, prelayer, postlayer, poststep: functions that add operations
    lag: ns from a producer's end to its dependant on another stream (a number, or a function of a random source)
    jit: (a, b): ends of a collective differ per rank by randrange(a, b); rankend(rank, step): the same, fixed
    events: write the rows that prove waits between streams      groups: communicators (default: one of all ranks)
    nvtx, gapname, gapos: what names the host gap                p2p: one SendRecv per layer instead of collectives
    foreign(sim): adds operations of another process
    """
    def __init__(self, ranks=4, layers=6, steps=20, seed=1, **changes):
        self.ranks, self.layers, self.steps, self.changes = ranks, layers, steps, changes
        self.random, self.lags = random.Random(seed), random.Random(seed + 1000)
        self.nvtx = changes.get("nvtx", True)
        self.groups = changes.get("groups") or [list(range(ranks))]
        # rows of the file, times first
        self.kernels, self.copies, self.calls, self.ranges, self.syncs = [], [], [], [], []
        self.os_calls, self.records, self.waits, self.others = [], [], [], []
        self.host = [3_000_000 + self.random.randrange(3000) for _ in range(ranks)]     # where each rank's host is
        self.last = [{} for _ in range(ranks)]                                          # end of each stream
        self.correlation, self.event = [100] * ranks, 0
        for step in range(steps):
            self.step(step)
        if "foreign" in changes:
            changes["foreign"](self)

    def change(self, name, default, *args):
        return self.changes[name](*args) if name in self.changes else default

    def call(self, rank, name, length, gap=2000):
        start = self.host[rank]
        end = start + length
        self.host[rank] = end + gap
        self.correlation[rank] += 1
        self.calls.append((start, end, rank, self.correlation[rank], name))
        return start, end, self.correlation[rank]

    def sync(self, rank, stream, host=2000):
        """cudaStreamSynchronize, then host time."""
        start = self.host[rank]
        end = max(start + 2000, self.last[rank][stream] + 5000)
        self.correlation[rank] += 1
        self.calls.append((start, end, rank, self.correlation[rank], SYNC))
        self.host[rank] = end + host
        self.syncs.append((start, end, rank, stream, self.correlation[rank]))

    def prove(self, rank, stream):
        """Record and wait rows for what an operation of this stream depends on."""
        for source in (COMPUTE,) if stream == NCCL else (NCCL, COPIES):
            self.event += 1
            _, _, correlation = self.call(rank, RECORD, 800, 300)
            self.records.append((rank, source, correlation, self.event))
            start, end, correlation = self.call(rank, WAIT, 800, 300)
            self.waits.append((start, end, rank, stream, correlation, self.event))

    def op(self, rank, step, kind, name, length, stream, after=0, copied=None):
        """Launches an operation; after: end of what it depends on in another stream."""
        if after and self.changes.get("events") and stream in (COMPUTE, NCCL):
            self.prove(rank, stream)
        _, launched, correlation = self.call(rank, LAUNCH if kind == "kernel" else MEMCPY, self.change("api", 4000, rank, step, name))
        lag = self.changes.get("lag", 1000)
        if callable(lag):
            lag = lag(self.lags) if after else 0
        start = max(self.last[rank].get(stream, 0) + 1000, launched + 3000, after + lag if after else 0)
        start += self.change("opdelay", 0, rank, step, name)
        return Op(kind, name, rank, start, int(self.change("dur", length, rank, step, name, length, start)), stream, correlation, copied)

    def put(self, op, end=None):
        end = op.start + op.length if end is None else end
        rows = self.kernels if op.kind == "kernel" else self.copies
        rows.append((op.start, end, op.rank, op.stream, op.correlation, op.name, op.copied))
        self.last[op.rank][op.stream] = end
        return end

    def kernel(self, rank, step, name, length, stream=COMPUTE, after=0):
        return self.put(self.op(rank, step, "kernel", name, int(length * self.random.uniform(.99, 1.01)), stream, after))

    def copy(self, rank, step, kind, size, stream=COPIES, after=0, source=1, target=2):
        """source, target: kinds of memory; of a copy from the device source is the host's."""
        rate = self.change("rate", 25.0, rank, step, kind)
        return self.put(self.op(rank, step, "copy", kind, int(size / rate) + 1500, stream, after, (kind, source, target, size)))

    def collective(self, step, name, length, afters, stream=NCCL):
        """Every member leaves when the last has arrived and the transfer is over; the release of each rank."""
        out = [0] * self.ranks
        ops = [self.op(r, step, "kernel", name, 0, stream, afters[r]) for r in range(self.ranks)]
        for group in self.groups:
            transfer = int(self.change("cdur", length, step, name, length) * self.random.uniform(.99, 1.01))
            end = max(ops[r].start for r in group) + transfer
            for r in group:
                early = self.random.randrange(*self.changes["jit"]) if self.changes.get("jit") else 0
                late = self.change("rankend", 0, r, step)
                self.put(ops[r], end + early + late)
                out[r] = end + late
        return out

    def pop(self, rank, start, name):
        if self.nvtx:
            self.ranges.append((start, self.host[rank], name, rank))

    def before_step(self, step):
        for r in range(self.ranks):
            gap = self.change("hostgap", 30_000, r, step)
            start = self.host[r]
            self.host[r] += int(gap)
            if "gapname" in self.changes and gap > LONG_GAP and self.nvtx:
                self.ranges.append((start, self.host[r], self.changes["gapname"], r))
            if "gapos" in self.changes and gap > LONG_GAP:
                self.os_calls.append((start, self.host[r], r, self.changes["gapos"]))

    def forward(self, step, inputs):
        start, everyone = list(self.host), range(self.ranks)
        name = SENDRECV if self.changes.get("p2p") else GATHER
        for layer in range(self.layers):
            began = list(self.host)
            gathered = self.collective(step, name, 120_000, [0] * self.ranks) if self.ranks > 1 else [0] * self.ranks
            for r in everyone:
                self.change("prelayer", None, self, r, step, layer)
                self.kernel(r, step, GEMM_F, 300_000, COMPUTE, max(gathered[r], inputs[r]))
                self.kernel(r, step, FLASH_F, 220_000)
                self.kernel(r, step, ADD, 40_000)
                self.change("postlayer", None, self, r, step, layer)
                self.pop(r, began[r], "layer.%d" % layer)
        for r in everyone:
            self.pop(r, start[r], "forward")

    def backward(self, step):
        start, everyone = list(self.host), range(self.ranks)
        name = SENDRECV if self.changes.get("p2p") else SCATTER
        reduced = [0] * self.ranks
        for _ in range(self.layers):
            ends = [0] * self.ranks
            for r in everyone:
                self.kernel(r, step, FLASH_B, 500_000)
                ends[r] = self.kernel(r, step, GEMM_B, 350_000)
            if self.ranks > 1:
                reduced = self.collective(step, name, 150_000, ends)
        for r in everyone:
            self.pop(r, start[r], "backward")
        return reduced

    def step(self, step):
        began = list(self.host)
        self.before_step(step)
        inputs = [self.change("input", None, self, r, step) or self.copy(r, step, "HtoD", 4_000_000) for r in range(self.ranks)]
        self.forward(step, inputs)
        reduced = self.backward(step)
        for r in range(self.ranks):
            start = self.host[r]
            for _ in range(3):
                self.kernel(r, step, ADAM, 90_000, COMPUTE, reduced[r])
            self.change("poststep", None, self, r, step)
            self.copy(r, step, "DtoH", 4, COMPUTE)
            self.sync(r, COMPUTE)
            self.pop(r, start, "optimizer")
            self.pop(r, began[r], "iteration %d" % step)

    def span(self):
        """From the first start to the last end of the job's operations."""
        rows = self.kernels + self.copies
        return max(row[1] for row in rows) - min(row[0] for row in rows)
