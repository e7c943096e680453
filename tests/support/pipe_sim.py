# SPDX-License-Identifier: MIT
"""Simulates pipeline-parallel training: stages that exchange activations and gradients in pairs (cause_sim.py has the rest).

Rank r is stage r modulo the number of stages; ranks of one stage are replicas. Further changes, each optional:
work(stage)       layers of a stage                     head   ns of a kernel that only the last stage has
reduce: "all"     an AllReduce of all ranks at the end of a step; replicas of a stage always have one of their own
eager             sends and receives are kernels of their own, and a send does not wait for its receiver
hop(ranks, ns)    length of an exchange between two ranks, the lower one first
"""
from cause_sim import (ADAM, ADD, COMPUTE, FLASH_B, FLASH_F, GEMM_B, GEMM_F, NCCL, SENDRECV, Sim)

REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
HEAD = "sm90_xmma_gemm_bf16_head_256x128"
SENDS = 21                              # stream
TRANSFER = 60_000


class Pipe(Sim):
    def __init__(self, stages=4, replicas=1, micro=8, **changes):
        self.stages, self.replicas, self.micro = stages, replicas, micro
        super().__init__(ranks=stages * replicas, **changes)

    def stage_of(self, rank):
        return rank % self.stages

    def work(self, rank):
        return self.change("work", self.layers, self.stage_of(rank))

    def has_head(self, rank):
        return "head" in self.changes and self.stage_of(rank) == self.stages - 1

    def neighbours(self, rank):
        stage = self.stage_of(rank)
        return rank - 1 if stage else None, rank + 1 if stage < self.stages - 1 else None

    def forward_one(self, rank, step, after):
        """A microbatch on its way forward; when it is done."""
        end = 0
        for layer in range(self.work(rank)):
            self.kernel(rank, step, GEMM_F, 300_000, COMPUTE, 0 if layer else after)
            self.kernel(rank, step, FLASH_F, 220_000)
            end = self.kernel(rank, step, ADD, 40_000)
        return self.kernel(rank, step, HEAD, self.changes["head"]) if self.has_head(rank) else end

    def backward_one(self, rank, step, after):
        end = 0
        if self.has_head(rank):
            self.kernel(rank, step, HEAD, 2 * self.changes["head"], COMPUTE, after)
        for layer in range(self.work(rank)):
            self.kernel(rank, step, FLASH_B, 500_000, COMPUTE, 0 if layer else after)
            end = self.kernel(rank, step, GEMM_B, 350_000)
        return end

    def exchange(self, rank, step, peer, after=0):
        """One kernel on both sides; who has no neighbour there goes on. When it is over."""
        if peer is None:
            return 0
        return (yield "both", (min(rank, peer), max(rank, peer)), self.op(rank, step, "kernel", SENDRECV, 0, NCCL, after))

    def one_forward_one_backward(self, rank, step):
        """What a rank does in a step, as Megatron does it: an exchange sends one way and receives the other."""
        before, behind = self.neighbours(rank)
        warm = min(self.stages - 1 - self.stage_of(rank), self.micro)
        first = 0 if self.stage_of(rank) else self.copy(rank, step, "HtoD", 400_000)
        for _ in range(warm):
            got = yield from self.exchange(rank, step, before)
            yield from self.exchange(rank, step, behind, self.forward_one(rank, step, got or first))
        got = (yield from self.exchange(rank, step, before)) if warm < self.micro else 0
        for _ in range(self.micro - warm):
            gradient = yield from self.exchange(rank, step, behind, self.forward_one(rank, step, got or first))
            got = yield from self.exchange(rank, step, before, self.backward_one(rank, step, gradient))
        for _ in range(warm):
            gradient = yield from self.exchange(rank, step, behind)
            yield from self.exchange(rank, step, before, self.backward_one(rank, step, gradient))

    def all_forward_all_backward(self, rank, step):
        """Sends and receives apart, each on its stream."""
        before, behind = self.neighbours(rank)
        first = 0 if self.stage_of(rank) else self.copy(rank, step, "HtoD", 400_000)
        for source, target, work in ((before, behind, self.forward_one), (behind, before, self.backward_one)):
            for micro in range(self.micro):
                got = first
                if source is not None:
                    got = yield "receive", (source, rank, micro), self.op(rank, step, "kernel", SENDRECV, 0, NCCL)
                end = work(rank, step, got)
                if target is not None:
                    yield "send", (rank, target, micro), self.op(rank, step, "kernel", SENDRECV, TRANSFER, SENDS, end)

    def transfer(self, ranks):
        length = self.change("hop", TRANSFER, tuple(sorted(ranks)), TRANSFER)
        return int(self.change("cdur", length, 0, SENDRECV, length) * self.random.uniform(.99, 1.01))

    def meet(self, kind, op, other):
        """Two operations of which the second was there first; (rank, when it may go on) of those that waited."""
        if kind == "both":
            end = max(op.start, other.start) + self.transfer((op.rank, other.rank))
            return [(o.rank, self.put(o, end)) for o in (op, other)]
        send, receive = (op, other) if kind == "send" else (other, op)
        end = self.put(receive, max(receive.start + 8_000, send.start + send.length))
        return [(receive.rank, end)]

    def run_all(self, todo):
        """Each rank goes on until what it waits for is known."""
        waiting, ready, answers = {}, list(todo), dict.fromkeys(todo)
        while ready:
            rank = ready.pop(0)
            try:
                kind, key, op = todo[rank].send(answers[rank])
            except StopIteration:
                continue
            if kind == "send":
                answers[rank] = self.put(op)
                ready.append(rank)
            if key not in waiting:
                waiting[key] = op
                continue
            for other, end in self.meet(kind, op, waiting.pop(key)):
                answers[other] = end
                ready.append(other)

    def reduce(self, step):
        stages = range(self.stages)
        whole = self.changes.get("reduce") == "all"
        if not whole and self.replicas == 1:
            return [0] * self.ranks
        self.groups = [list(range(self.ranks))] if whole else [[s + self.stages * k for k in range(self.replicas)] for s in stages]
        return self.collective(step, REDUCE, 400_000, [self.last[r][COMPUTE] for r in range(self.ranks)])

    def step(self, step):
        began = list(self.host)
        self.before_step(step)
        schedule = self.all_forward_all_backward if self.changes.get("eager") else self.one_forward_one_backward
        self.run_all({r: schedule(r, step) for r in range(self.ranks)})
        reduced = self.reduce(step)
        for r in range(self.ranks):
            for _ in range(3):
                self.kernel(r, step, ADAM, 45_000 * self.work(r), COMPUTE, reduced[r])
            self.copy(r, step, "DtoH", 4, COMPUTE)
            self.sync(r, COMPUTE)
            self.pop(r, began[r], "iteration %d" % step)
