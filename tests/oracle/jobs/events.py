# SPDX-License-Identifier: MIT
"""Event edges of a process: which operations a stream's wait, or a host's event synchronise, stands for.

The pair (stream, event) of a synchronisation row decides what it is; the row's type is not looked at.
"""
import bisect

NONE = 4294967295
SYNC_ID_FROM = (3, 23, 3)


def by_correlation(process):
    """correlationId -> the first call with it, in order of start."""
    out = {}
    for c in sorted(process.calls, key=lambda c: (c.start, -c.end)):
        if c.correlation is not None:
            out.setdefault(c.correlation, c)
    return out


class Stream:
    """A stream's operations in launch order; those without a launch are left out."""
    def __init__(self, ops):
        launched = sorted((o for o in ops if o.launch is not None), key=lambda o: (o.launch.start, o.start, o.order))
        self.ops, self.times = launched, [o.launch.start for o in launched]
        self.best = []                                      # latest end among the first n + 1 operations
        for o in launched:
            self.best.append(o if not self.best or o.end >= self.best[-1].end else self.best[-1])

    def last_before(self, t):
        i = bisect.bisect_left(self.times, t)
        return self.ops[i - 1] if i else None

    def latest_end_before(self, t, by):
        """The operation launched before t with the latest end that is not after by: one that ended later released nobody."""
        i, found = bisect.bisect_left(self.times, t) - 1, None
        while i >= 0 and self.best[i].end > by:
            if self.ops[i].end <= by and (found is None or self.ops[i].end > found.end):
                found = self.ops[i]
            i -= 1
        return self.best[i] if i >= 0 and (found is None or self.best[i].end >= found.end) else found


class Events:
    """Waits and records of one process."""
    def __init__(self, process):
        self.process = process
        self.calls = by_correlation(process)
        streams = {}
        for o in process.ops:
            streams.setdefault((o.context, o.stream), []).append(o)
        self.streams = {key: Stream(ops) for key, ops in streams.items()}
        self.records = self.read_records()
        self.waits = {}                                     # stream -> [(time, record or None)]
        self.syncs = []                                     # (call, kind, stream or context or record)
        self.resolved = self.unresolved = 0
        self.read_syncs()
        self.memo = {}

    def time_of(self, row):
        call = self.calls.get(row.get("correlationId"))
        return call.start if call is not None else None

    def read_records(self):
        """(context, event) -> [(time, stream, sync id)] in order of time."""
        out = {}
        for i, row in enumerate(self.process.file.side["CUPTI_ACTIVITY_KIND_CUDA_EVENT"]):
            t = self.time_of(row) if row["globalPid"] >> 24 == self.process.key else None
            if t is not None:
                out.setdefault((row["contextId"], row["eventId"]), []).append((t, i, row["streamId"], row.get("eventSyncId")))
        return {key: sorted(found) for key, found in out.items()}

    def record_of(self, row, t):
        """The record that a wait at t means: by eventSyncId, else the latest earlier one. (context, stream, time)"""
        found = self.records.get((row["contextId"], row["eventId"]), [])
        if self.process.file.schema >= SYNC_ID_FROM and row.get("eventSyncId") is not None:
            exact = [r for r in found if r[3] == row["eventSyncId"]]
            found = exact or found
        earlier = [r for r in found if r[0] < t]
        return (row["contextId"], earlier[-1][2], earlier[-1][0]) if earlier else None

    def read_syncs(self):
        for row in self.process.file.trace.syncs:
            if row["globalPid"] >> 24 != self.process.key:
                continue
            call = self.calls.get(row.get("correlationId"))
            t = call.start if call is not None else row["start"]
            has_stream, has_event = row["streamId"] != NONE, row["eventId"] != NONE
            if has_stream and has_event:
                record = self.record_of(row, t)
                self.resolved += record is not None
                self.unresolved += record is None
                self.waits.setdefault((row["contextId"], row["streamId"]), []).append((t, record))
            elif call is not None and "Query" not in call.name:
                if has_stream:
                    self.syncs.append((call, "stream", (row["contextId"], row["streamId"])))
                elif has_event:
                    self.syncs.append((call, "event", self.record_of(row, t)))
                else:
                    self.syncs.append((call, "context", row["contextId"]))   # real captures say device 0 of every context
        for found in self.waits.values():
            found.sort(key=lambda w: w[0])

    def waited(self, stream, after, before):
        """Records that a stream waited for after one time and before another."""
        return [r for t, r in self.waits.get(stream, ()) if r is not None and t < before and (after is None or t >= after)]

    def stands_for(self, record):
        """Source stream -> latest producer that the record stands for."""
        if record not in self.memo:
            self.memo[record] = {}                          # a record that leads to itself adds nothing
            context, stream, t = record
            own = self.streams.get((context, stream))
            last = own.last_before(t) if own else None
            out = {(context, stream): last} if last is not None else {}
            for other in self.waited((context, stream), last.launch.start if last is not None else None, t):
                if other != record:
                    self.merge(out, self.stands_for(other))
            self.memo[record] = out
        return self.memo[record]

    @staticmethod
    def merge(into, more):
        for key, op in more.items():
            if key not in into or op.end > into[key].end:
                into[key] = op

    def before(self, op, previous):
        """Producers that an operation waits for through events, the own stream left out."""
        out = {}
        if op.launch is None:
            return []
        after = previous.launch.start if previous is not None and previous.launch is not None else None
        for record in self.waited((op.context, op.stream), after, op.launch.start):
            self.merge(out, self.stands_for(record))
        out.pop((op.context, op.stream), None)
        return list(out.values())

    def releaser(self, call, kind, what):
        """The operation with the latest end among those a blocking call waits for."""
        if kind == "stream":
            found = [self.streams[what].latest_end_before(call.start, call.end)] if what in self.streams else []
        elif kind == "event":
            found = list(self.stands_for(what).values()) if what is not None else []
        else:
            found = [s.latest_end_before(call.start, call.end) for (context, _), s in self.streams.items() if context == what]
        return max((o for o in found if o is not None), key=lambda o: (o.end, o.start, o.order), default=None)
