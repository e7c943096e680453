#!/usr/bin/env python3
"""Named facts of the issue and of DOMAIN.md section 13 that the first verbs can answer, one check each.

The numbers are written down, not computed: a wrong join, a wrong union or a wrong code table changes them.
"""
import wl


def rows(verb, path, *arguments):
    status, document = wl.run(verb, path, *arguments)
    return document["rows"] if status == 0 else []


def total(table, column, **equal):
    return sum(r[column] for r in table if all(r[k] == v for k, v in equal.items()))


def coverage(path, what):
    """(have, of) of a population in the section `coverage` of `info`, or None."""
    _, document = wl.run("info", path)
    for section in document["sections"]:
        for row in section["rows"] if section["analysis"] == "coverage" else []:
            if row["what"] == what:
                return row["have"], row["of"]
    return None


def launches_join_per_process(t, name, path):
    """F1: correlation ids collide between processes; the naive join gives 4,280 for the first, 129 for the last."""
    want = {"nsys-ai-mfu-2gpu-before": (3986, 4010), "nsys-ai-mfu-2gpu-after": (3577, 3587), "p2p-acc-4gpu-mpi-openacc": (45, 45),
            "nersc-sc22-nobroadcast-clockskew": (7751, 7787), "nsys-ai-h100-2gpu-1s": (1632, 3442)}
    if name in want:
        t.equal("F1 %s: kernels with a launch" % name, coverage(path, "kernels with a launch call"), want[name])
    if name == "nsys-ai-mfu-2gpu-before":
        nccl = [r for r in rows("kernels", path, "--by", "name") if r["name"].startswith("nccl")]
        t.equal("F1 NCCL kernels counted once", (total(nccl, "calls"), total(nccl, "sum")), (66, 25401752))


def graph_nodes_are_all_kernels(t, name, path):
    """F2: 22,022 kernels under 1,001 correlation ids, none lost."""
    if name == "instant-ngp-cudagraph-nodes":
        t.equal("F2 kernels under graph launches", total(rows("kernels", path), "calls"), 36676)


def copies_keep_the_device_busy(t, name, path):
    """F3."""
    if name == "nsys-ai-h100-2gpu-1s":
        row = next((r for r in rows("overlap", path) if r["device"] == 0), {})
        t.equal("F3 device 0", [row.get(c) for c in ("kernel_busy", "busy", "window", "idle")], [22385163, 962890247, 969447605, 6557358])


def memory_kinds(t, name, path):
    """F5: kind 0 is pageable, 1 is pinned."""
    if name == "nsys-ai-h100-2gpu-1s":
        table = rows("transfers", path)
        pageable = [r for r in table if "pageable" in (r["src"], r["dst"])]
        t.equal("F5 pageable copies", (total(pageable, "ops"), total(pageable, "bytes")), (4, 3136))
        t.equal("F5 pinned copies", (total(table, "ops", kind="HtoD", src="pinned"), total(table, "ops", kind="DtoH", dst="pinned")), (446, 4))


def copy_kinds(t, name, path):
    """F6: the codes of DOMAIN.md section 6."""
    want = {"icon-uvm-2025.1": {"managed HtoD": 4768, "managed DtoH": 742, "DtoH": 1},
            "gpubootcamp-jacobi-2gpu-nvlink": {"DtoH": 3003, "DtoD": 2000, "PtoP": 4004, "memset": 3006}}
    if name in want:
        table = rows("transfers", path)
        t.equal("F6 %s" % name, {k: total(table, "ops", kind=k) for k in {r["kind"] for r in table}}, want[name])


def sum_is_not_busy(t, name, path):
    """F7."""
    if name == "nsys-ai-mfu-2gpu-before":
        busy = next((r["kernel_busy"] for r in rows("overlap", path) if r["device"] == 0), None)
        t.equal("F7 sum and union", (total(rows("kernels", path), "sum", device=0), busy), (270875926, 270863484))


def windows_clip(t, name, path):
    """F8: a kernel across the edge counts on both sides with its parts."""
    if name == "nsys-ai-mfu-2gpu-before":
        whole = total(rows("kernels", path), "sum")
        first = wl.run("search", "flash_fwd_kernel", path)[1]["rows"][0]["first"]
        cut = first + 1000
        halves = [total(rows("kernels", path, "--window=" + w), "sum") for w in ("..%dns" % cut, "%dns.." % cut)]
        t.equal("F8 clipped parts add up", sum(halves), whole)


def negative_times(t, name, path):
    """F12: one kernel of the skewed trace starts before 0 and is inside the window."""
    if name == "nersc-sc22-nobroadcast-clockskew":
        t.equal("F12 all kernels", total(rows("kernels", path), "calls"), 7787)
        t.equal("F12 kernels before 0", total(rows("kernels", path, "--window=..0ns"), "calls"), 1)


def nothing_is_said_as_nothing(t, name, path):
    """No GPU rows: exit 5, not zero; API rows are still answered."""
    if name in ("api-without-kernels", "jacc-nokernels-2026.2", "lab7-2025.6", "nvtx-end-null", "own-nvtx-demo"):
        for verb in ("kernels", "transfers", "overlap"):
            t.equal("%s %s: exit" % (name, verb), wl.run(verb, path)[0], wl.NO_DATA)
        calls = {"api-without-kernels": 13283, "nvtx-end-null": 6650}.get(name, 0)
        t.equal("%s: API calls" % name, total(rows("api", path), "calls"), calls)


def thousand_streams(t, name, path):
    """The fixture is called after its 1,000 stream operations; its kernels are on four streams."""
    if name == "streams-1000":
        table = rows("kernels", path, "--by", "stream")
        t.equal("streams", sorted((int(r["stream"]), r["calls"]) for r in table), [(13, 250), (14, 250), (15, 250), (16, 250)])


def unnamed_and_unclosed_ranges(t, name, path):
    """F11: ranges without text or textId, and a range whose end is NULL, are found."""
    if name == "nvtx-no-text":
        found = [r for r in wl.run("search", "unnamed", path)[1]["rows"] if r["kind"] == "nvtx"]
        t.equal("F11 ranges without a name", total(found, "count"), 1998)
    if name == "nvtx-end-null":
        found = [r for r in wl.run("search", "^Model$", path)[1]["rows"] if r["kind"] == "nvtx"]
        t.equal("F11 a range without an end", [(r["count"], r["first"]) for r in found], [(1, 2401834855)])


FACTS = [launches_join_per_process, graph_nodes_are_all_kernels, copies_keep_the_device_busy, memory_kinds, copy_kinds,
         sum_is_not_busy, windows_clip, negative_times, nothing_is_said_as_nothing, thousand_streams, unnamed_and_unclosed_ranges]


def main():
    wl.skip_without_corpus()
    tally = wl.Tally()
    for name, path in wl.corpus_traces(main_only=True):
        for fact in FACTS:
            fact(tally, name, path)
    tally.finish()


if __name__ == "__main__":
    main()
