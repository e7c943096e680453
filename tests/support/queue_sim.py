# SPDX-License-Identifier: MIT
"""Simulates launch queues that are full: a launch waits until the operation that many launches before it has started, and nothing
synchronises, so that copies of the next steps run ahead (cause_sim.py has the rest).
"""
from cause_sim import LAUNCH, MEMCPY, Sim


class Queue(Sim):
    DEPTH = 256

    def __init__(self, **changes):
        self.queued = {}
        super().__init__(**changes)

    def call(self, rank, name, length, gap=2000):
        queued = self.queued.setdefault(rank, [])
        if name in (LAUNCH, MEMCPY) and len(queued) >= self.DEPTH:
            length = max(length, queued[-self.DEPTH] + 2000 - self.host[rank])
        return super().call(rank, name, length, gap)

    def put(self, op, end=None):
        self.queued.setdefault(op.rank, []).append(op.start)
        return super().put(op, end)

    def sync(self, rank, stream, host=2000):
        """The host runs on."""
