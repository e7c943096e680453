# SPDX-License-Identifier: MIT
"""Opens a trace or a job for the questions why and what if: ranks, clocks, matches, the activity graph.

Written from the definition of jobs, the activity graph, the critical path and the replay; shares nothing with src/.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "jobs")):
    if folder not in sys.path:
        sys.path.insert(0, folder)
import clocks  # noqa: E402
import graph as graphs  # noqa: E402
import groups  # noqa: E402
import job as jobs  # noqa: E402
import ranks  # noqa: E402
import tracefile  # noqa: E402

KIND_NAMES = {"memset": "[CUDA memset]", "graph": "(graph)"}


def paths(where):
    return jobs.directory(where) if os.path.isdir(where) else [where]


def open_job(where, events=True):
    """The job of a file or directory, matched, on one clock. Without events: as if no record of an event were known."""
    job = jobs.Job(paths(where))
    if not job.processes:                                   # nothing but ranges or samples
        return job
    ranks.assign(job)
    clocks.settle(job)
    job.groups, job.matches = groups.find(job.collectives)
    if not events:
        for f in job.files:
            f.side["CUPTI_ACTIVITY_KIND_CUDA_EVENT"] = []
    return job


def open_graph(where, events=True):
    """The activity graph, with T in processes without a resolved event only."""
    return graphs.Graph(open_job(where, events))


def window(graph):
    """From the earliest start to the latest end of GPU operations, on the job's clock."""
    ops = [a for a in graph.activities if a.kind == "op"]
    return min(a.start for a in ops), max(a.end for a in ops)


def name_of(a):
    """The name that a segment of this activity shows."""
    if a.kind != "op":
        return a.row.name
    if a.row.kind == "kernel":
        return a.process.file.trace.kernel_name(a.row)
    if a.row.kind == "memcpy":
        return "[CUDA memcpy %s]" % tracefile.COPY_KINDS.get(a.row.row["copyKind"], "unknown")
    return KIND_NAMES[a.row.kind]


def lane_of(a):
    """The stream or thread that an activity is on, within its process."""
    return ("stream", a.row.ordinal, a.row.context, a.row.stream) if a.kind == "op" else ("thread", a.row.thread)
