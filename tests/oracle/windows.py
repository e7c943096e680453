# SPDX-License-Identifier: MIT
"""Windows that differ by process (docs/definitions/vocabulary.md and iterations.md): iter:N, iter:N..M, steady, nvtx:NAME#k."""
import iters
from conventions import GENERIC
from nvtx import forest_of
from oracle import Query
from ranges import inclusive


def hulls(trace, by_process):
    """{device: interval}; a device shared by several processes gets the hull of theirs."""
    out = {}
    for process, (a, b) in by_process.items():
        for device in trace.devices_of(process):
            old = out.get(device, (a, b))
            out[device] = (min(a, old[0]), max(b, old[1]))
    return out


def iteration_windows(trace, first, last=None, marker=None, conventions=GENERIC):
    """{process: interval} of iter:first..last (last included). open: a process without that iteration has no window."""
    last, out = first if last is None else last, {}
    for process, f in iters.find_all(trace, marker, conventions).items():
        tiles = f.tiles()[first:last + 1]
        if tiles:
            out[process] = (tiles[0][0], tiles[-1][1])
    return out


def steady_windows(trace, marker=None, conventions=GENERIC):
    found = iters.find_all(trace, marker, conventions)
    return {p: found[p].tiles()[n] for p, n in iters.steady(found).items() if n is not None}


def nvtx_windows(trace, name, k=0):
    """The projection of instance k of each process. open: the exact name; instances without operations count, and give no
    window; without #k the first; where the range's thread is the anchor and launched nothing, what others launched while
    it was open."""
    out, (owned, bridged) = {}, inclusive(forest_of(trace))
    for process in trace.processes:
        found = sorted((r for r in trace.ranges if r.process == process and r.name == name), key=lambda r: r.start)
        ops = owned[found[k]] or bridged.get(found[k]) if k < len(found) else []
        if ops:
            out[process] = (min(op.start for op in ops), max(op.end for op in ops))
    return out


def query(trace, by_process):
    """A Query over the devices that have a window."""
    found = hulls(trace, by_process)
    return Query(trace, gpus=set(found), window=found.get)
