# SPDX-License-Identifier: MIT
"""Tiny traces, written row by row; times are ns, P is the process of pid 10, thread 10 its main thread."""
import os
import sqlite3
import tempfile

from tracefile import Trace

P = (1 << 48) | (10 << 24)
COLUMNS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": "start end deviceId contextId streamId correlationId globalPid demangledName shortName graphNodeId",
    "CUPTI_ACTIVITY_KIND_MEMCPY": "start end deviceId contextId streamId correlationId globalPid bytes copyKind srcKind dstKind",
    "CUPTI_ACTIVITY_KIND_MEMSET": "start end deviceId contextId streamId correlationId globalPid value bytes memKind",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": "start end deviceId contextId streamId correlationId globalPid graphId graphExecId",
    "CUPTI_ACTIVITY_KIND_RUNTIME": "start end eventClass globalTid correlationId nameId returnValue",
    "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": "start end deviceId contextId streamId correlationId globalPid syncType eventId",
    "NVTX_EVENTS": "start end eventType text globalTid endGlobalTid textId domainId",
    "OSRT_API": "start end eventClass globalTid nameId returnValue nestingLevel", "PROFILER_OVERHEAD": "start end globalTid nameId returnValue",
    "SCHED_EVENTS": "start cpu isSchedIn globalTid", "StringIds": "id value", "ANALYSIS_DETAILS": "duration"}


class Tiny:
    """Writes a trace row by row; a kernel comes with its launch call unless told otherwise."""
    def __init__(self):
        self.rows, self.strings, self.ids = {t: [] for t in COLUMNS}, {}, 0

    def text(self, value):
        return self.strings.setdefault(value, len(self.strings) + 1)

    def add(self, table, *values):
        self.rows[table].append(values)

    def call(self, start, end, name, thread=10, correlation=None):
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start, end, 0, P + thread, correlation, self.text(name), 0)

    def launched(self, call, name, thread):
        self.ids += 1
        if call:
            self.call(*call, name, thread, self.ids)
        return self.ids

    def kernel(self, start, end, name="k", call=None, thread=10, stream=7, device=0, api="cudaLaunchKernel", node=None, correlation=None):
        c = correlation or self.launched(call, api, thread)
        self.add("CUPTI_ACTIVITY_KIND_KERNEL", start, end, device, 1, stream, c, P, self.text(name), self.text(name), node)
        return c

    def copy(self, start, end, call=None, api="cudaMemcpyAsync", kind=1, kinds=(1, 2), stream=14, thread=10):
        c = self.launched(call, api, thread)
        self.add("CUPTI_ACTIVITY_KIND_MEMCPY", start, end, 0, 1, stream, c, P, 64, kind, *kinds)

    def range(self, start, end, name, thread=10, kind=59, domain=0, end_thread=None):
        self.add("NVTX_EVENTS", start, end, kind, name, P + thread, None if end_thread is None else P + end_thread, None, domain)

    def write(self, path):
        db = sqlite3.connect(path)
        self.rows["StringIds"] = [(i, v) for v, i in self.strings.items()]
        for table, columns in COLUMNS.items():
            names = columns.split()
            db.execute("CREATE TABLE %s (%s)" % (table, ", ".join('"%s"' % n for n in names)))
            db.executemany("INSERT INTO %s VALUES (%s)" % (table, ", ".join("?" * len(names))), self.rows[table])
        db.commit()
        db.close()
        return Trace(path)

    def trace(self):
        with tempfile.TemporaryDirectory(prefix="wl-worked-") as scratch:
            return self.write(os.path.join(scratch, "t.sqlite"))
