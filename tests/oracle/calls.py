# SPDX-License-Identifier: MIT
"""What kinds of CUDA call there are, and which part of the host's time a window shows (docs/definitions).

The pages are vocabulary.md, idle.md and host.md.
"""
import re

from oracle import clip

# An allocation, mapping or registration of memory, or its end. open: IPC handles are those of memory, not of events; arrays count.
ALLOC = re.compile(r"Malloc|Free|HostAlloc|HostRegister|HostUnregister|cuMemAlloc|MemPool|cuMemCreate|cuMemRelease|cuMemAddressReserve|"
                   r"cuMemMap|cuMemUnmap|cuMemSetAccess|cuMulticast|Ipc(Get|Open|Close)MemHandle|cuArray(3D)?Create|cuArrayDestroy")
# Module and library load or JIT. open: their end, and calls that load a function lazily, are part of it.
LOAD = re.compile(r"Module(Load|Unload|GetFunction)|Library(Load|Unload|GetKernel|GetModule)|Link(Create|Add|Complete)|KernelGetFunction|"
                  r"GetFuncBySymbol|FuncGetAttributes")
PAGEABLE = 0


def is_synchronise(call):
    return "Synchronize" in call.name


def is_copy(call):
    return "Memcpy" in call.name


def is_blocking_copy(call):
    """A copy call whose name lacks `Async`, or one that copies to pageable host memory.

    open: to pageable memory is read off the destination's memory kind alone, not off the copy's kind."""
    if not is_copy(call):
        return False
    return "Async" not in call.name or any(op.kind == "memcpy" and op.row.get("dstKind") == PAGEABLE for op in call.ops)


def blocks(call):
    return is_synchronise(call) or is_blocking_copy(call)


def is_alloc(call):
    return ALLOC.search(call.name) is not None


def is_load(call):
    return LOAD.search(call.name) is not None


def host_window(query, process):
    """The interval of a process's host rows: None for `all` (host rows are not clipped), () for a process without a window;
    computed once.

    open: under iter:, steady and nvtx: the hull of the windows of the process's devices; a process without
    devices is seen through the hull of all."""
    if query.explicit is None:
        return None
    if process not in query.host_windows:
        query.host_windows[process] = find_host_window(query, process)
    return query.host_windows[process]


def find_host_window(query, process):
    mine = [d for d in query.trace.devices_of(process) if d in query.devices] or query.devices
    if query.pids is not None and (process & 0xFFFFFF) not in query.pids or not mine:
        return ()
    windows = [query.window(d) for d in mine]
    return min(w[0] for w in windows), max(w[1] for w in windows)


def host_part(query, row):
    """The part of a host row (anything with start, end, process) inside its process's window, or None.

    open: with --gpu or --stream the host rows of processes count that have an operation there."""
    if query.pids is not None and (row.process & 0xFFFFFF) not in query.pids:
        return None
    if (query.gpus is not None or query.streams is not None) and row.process not in query.processes:
        return None
    window = host_window(query, row.process)
    if window is None:
        return row.start, row.end
    return clip(row.start, row.end, window) if window else None
