# SPDX-License-Identifier: MIT
"""Simulates training on a mesh: an AllReduce per layer in tensor-parallel pairs, a ReduceScatter per step between their replicas.

Further changes, each optional (cause_sim.py has the rest):
link(step, kind, group, ns)   length of a transfer; kind is "tp", "dp" or "rare"
rare, rare_ns                 steps that end with an AllGather of all ranks in a range `checkpoint`, and how long it takes
"""
from cause_sim import (ADAM, COMPUTE, FLASH_B, FLASH_F, GATHER, GEMM_B, GEMM_F, NCCL, SCATTER, Sim)

REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


class Mesh(Sim):
    def __init__(self, ranks=4, **changes):
        self.pairs = [[r, r + 1] for r in range(0, ranks, 2)]
        self.replicas = [list(range(first, ranks, 2)) for first in (0, 1)]
        super().__init__(ranks=ranks, **changes)

    def meet(self, step, kind, name, length, afters):
        """A collective in each group of a kind; when each rank leaves."""
        groups = {"tp": self.pairs, "dp": self.replicas, "rare": [list(range(self.ranks))]}[kind]
        ops = [self.op(r, step, "kernel", name, 0, NCCL, afters[r]) for r in range(self.ranks)]
        out = [0] * self.ranks
        for group in groups:
            end = max(ops[r].start for r in group) + int(self.change("link", length, step, kind, group, length) * self.random.uniform(.99, 1.01))
            for r in group:
                out[r] = self.put(ops[r], end)
        return out

    def layer(self, step, kernels, afters):
        ends = [0] * self.ranks
        for r in range(self.ranks):
            for i, (name, length) in enumerate(kernels):
                ends[r] = self.kernel(r, step, name, length, COMPUTE, 0 if i else afters[r])
        return self.meet(step, "tp", REDUCE, 80_000, ends)

    def step(self, step):
        began, everyone, out = list(self.host), range(self.ranks), [0] * self.ranks
        self.before_step(step)
        for r in everyone:
            self.copy(r, step, "HtoD", 400_000)
        for layer in range(self.layers):
            start = list(self.host)
            out = self.layer(step, ((GEMM_F, 300_000), (FLASH_F, 220_000)), out)
            for r in everyone:
                self.pop(r, start[r], "layer.%d" % layer)
        for _ in range(self.layers):
            out = self.layer(step, ((FLASH_B, 500_000), (GEMM_B, 350_000)), out)
        out = self.meet(step, "dp", SCATTER, 600_000, out)
        for r in everyone:
            for _ in range(3):
                self.kernel(r, step, ADAM, 90_000, COMPUTE, out[r])
        if step in self.changes.get("rare", ()):
            start = list(self.host)
            self.meet(step, "rare", GATHER, self.changes["rare_ns"], [self.last[r][COMPUTE] for r in everyone])
            for r in everyone:
                self.sync(r, NCCL)
                self.pop(r, start[r], "checkpoint")
        for r in everyone:
            self.copy(r, step, "DtoH", 4, COMPUTE)
            self.sync(r, COMPUTE)
            self.pop(r, began[r], "iteration %d" % step)
