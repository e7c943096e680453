# SPDX-License-Identifier: MIT
"""What must hold of an exported file (exported.py reads it), each as a list of differences, empty when all is well."""
import collections
import decimal
import re

import exported
import metrics
import perfetto
import wl
from conventions import rank_of
from exported import HOST, OPS, Expected, Exported, call_row, op_row
from nvtx import forest_of
from ranges import inclusive
from windows import hulls, iteration_windows

UNITS = {"ns": 1, "us": 10 ** 3, "ms": 10 ** 6, "s": 10 ** 9}


def is_inside(thing, window):
    """Whether a row has a part in [a, b); one without length lies in it or does not."""
    a, b = window
    return thing.start < b and thing.end > a if thing.end > thing.start else a <= thing.start < b


# --- everything is there, and once --------------------------------------------------------------------------

def check_flows(trace, file, keep=lambda family, thing: True):
    begins, ends, out = {}, {}, []
    for e in file.events():
        for ids, where in ((e.slice.flows_out, begins), (e.slice.flows_in, ends)):
            if ";" in ids:
                out.append("several flows at one slice: %r" % (e.row,))
            elif ids:
                where[int(ids)] = e
    got = [(begins[i].row, ends[i].row[1], i & exported.CORRELATION) for i in begins]
    out += exported.differences({"flow": got}, {"flow": exported.flows(trace, keep)}, ("flow",))
    launched = {(call_row(o.launch), op_row(trace, o)) for o in trace.ops if o.launch}
    out += ["flow to another's operation: %r" % (pair,) for pair in ((begins[i].row, ends[i].row) for i in begins) if pair not in launched]
    out += ["flow of %r joins correlations %s and %s" % (e.row, e.slice.correlation, ends[i].slice.correlation)
            for i, e in begins.items() if e.slice.correlation != ends[i].slice.correlation]
    return out


def check_arguments(trace, file):
    """Of operations; where they have none the file was to be small, and nothing is checked."""
    got = [(e.row, tuple(sorted(perfetto.arguments(e.slice.arguments).items()))) for f in OPS for e in file.families[f]]
    want = [(op_row(trace, o), tuple(sorted(exported.op_arguments(o).items()))) for o in trace.ops]
    return exported.differences({"argument": got}, {"argument": want}, ("argument",)) if any(a for _, a in got) else []


def check_projected(trace, file):
    """Ranges where their compute lies on each device, and where all else does: push/pop ranges, and start/end ranges of one thread."""
    owned, want = inclusive(forest_of(trace))[0], []
    for r in owned:
        for device, is_compute in {(o.device, o.cls == "compute") for o in owned[r]}:
            ops = [o for o in owned[r] if (o.device, o.cls == "compute") == (device, is_compute)]
            want.append(((device,), min(o.start for o in ops), max(o.end for o in ops), exported.range_name(r)))
    return exported.differences({"projected": file.rows("projected")}, {"projected": want}, ("projected",))


def check_overhead(trace, file):
    want = [((), o.start, o.end, exported.repaired(o.name)) for o in trace.overhead]
    return exported.differences({"overhead": file.rows("overhead")}, {"overhead": want}, ("overhead",))


def check_file(trace, file, said):
    """A file of the whole trace with all flows."""
    least = min([0] + [e.row[1] for e in file.events()])
    out = [] if file.shift == -least else ["times are shifted by %d, but the first is %d" % (file.shift, least)]
    told = re.search(r"shifted by ([\d.]+) (\w+)", said)
    ns = told and int(decimal.Decimal(told.group(1)) * UNITS[told.group(2)])
    out += [] if (ns or 0) == file.shift else ["stderr tells a shift by %r, not %d" % (ns, file.shift)]
    out += exported.differences(exported.got(file), Expected(trace).families) + check_flows(trace, file)
    return out + check_arguments(trace, file) + check_overhead(trace, file)


# --- what verbs print ---------------------------------------------------------------------------------------

def check_gaps(path, file):
    """Per device and cause, gaps add up to idle; what nothing hides adds up to overlap."""
    status, document = wl.run("idle", path)
    if status == wl.NO_DATA:
        return ["gaps, but no idle"] if file.rows("gap") else []
    want, got = collections.Counter(), collections.Counter()
    for row in document["rows"]:
        if row["cause"] != "unused":
            want[row["device"], row["cause"]] += row["sum"]
    for (device,), start, end, name in file.rows("gap"):
        if not name.startswith("exposed"):
            got[device, name] += end - start
    return exported.differences({"gap": +got}, {"gap": +want}, ("gap",))


def check_iterations(path, file):
    status, document = wl.run("iters", path)
    rows = [] if status == wl.NO_DATA else document["rows"]
    # One row per process, called after it; without its number where only one iterates.
    several = len({r["pid"] for r in rows}) > 1
    want = {((r["pid"],) if several else (), r["start"], r["start"] + (r["span"] if r["period"] is None else r["period"]), "it %d" % r["iter"])
            for r in rows}
    return exported.differences({"iteration": file.rows("iteration")}, {"iteration": want}, ("iteration",))


SHARES = re.compile(r" / (Busy|Comm exposed) %$")             # counters of the program, not of nsys


def bin_of(window):
    """The step of counters: a ten-thousandth of the window, at least 1 ms, rounded up to 1, 2 or 5."""
    return next(m * 10 ** e for e in range(6, 19) for m in (1, 2, 5) if m * 10 ** e * 10_000 >= window)


class OfPath:
    def __init__(self, path):
        self.path = path


def sampled(path, first):
    """How often (metric, time, value) is in the tables of counters; only clocks are not as recorded. Of those before the first time that
    a file shows only the one that still holds is there, from then on."""
    want = collections.Counter()
    for series in metrics.series_of(OfPath(path)):
        shown = next((i for i, sample in enumerate(series.samples) if sample[1] > first), len(series.samples))
        held = series.samples[shown:]
        held = [s for s, after in zip(held, held[1:] + [(None,)]) if s[0] != after[0]]      # of one time the last counts
        want.update((series.name.split(" [")[0], max(begin, first), value / series.divisor) for begin, _, value in held)
    return want


def check_metrics(path, file):
    """Every row of GPU_METRICS and NET_NIC_METRIC with a time is a value of a counter, and there are no others."""
    want = sampled(path, -file.shift)
    got = collections.Counter((perfetto.plain(track.split(" / ")[-1]).split(" [")[0], time - file.shift, value)
                              for track, time, value, _ in file.counters if not SHARES.search(track))
    return ["metrics %s: %r" % (what, row) for what, less in (("missing", want - got), ("too many", got - want)) for row in list(less)[:3]]


def check_busy(path, file):
    """A counter's integral is the time that overlap prints, but for the rounding of its values to 0.01% of each bin."""
    status, document = wl.run("overlap", path)
    out, values = [], collections.defaultdict(list)
    for track, time, value, uuid in file.counters:
        if not SHARES.search(track):
            continue
        if not 0 <= value <= 100:
            out.append("%s is %r" % (track, value))
        device = int(re.search(r"GPU (\d+)\b", track).group(1))
        values[device, "busy" if "Busy" in track else "comm"].append((time - file.shift, value))
    for row in [] if status == wl.NO_DATA else document["rows"]:
        for kind, ns in (("busy", row["window"] - row["idle"]), ("comm", row["exposed_comm"])):
            points = values[row["device"], kind]
            area = sum(v * (t1 - t0) for (t0, v), (t1, _) in zip(points, points[1:])) / 100
            if points and points[-1][1] != 0:
                out.append("%s of device %d does not end with 0" % (kind, row["device"]))
            if ns is not None and abs(area - ns) > 0.00005 * (row["window"] + 2 * bin_of(row["window"])) + 1:
                out.append("%s of device %d: %.0f ns by the counter, %d by overlap" % (kind, row["device"], area, ns))
    return out


def same_verbs(path, file):
    return check_gaps(path, file) + check_iterations(path, file) + check_busy(path, file) + check_metrics(path, file)


# --- parts of a trace ---------------------------------------------------------------------------------------

def check_part(trace, path, out, options, keep, families=OPS + HOST):
    """An export with options holds what keep() keeps, whole; the order of processes and so on is as ever."""
    try:
        exported.export(path, out, "--flows", "all", *options)
        file = Exported(out)
    except (perfetto.Fault, RuntimeError) as error:
        return [str(error)]
    bad = exported.differences(exported.got(file), Expected(trace, keep).families, families)
    return bad + (check_flows(trace, file, keep) if families == OPS + HOST else [])


def check_window(r, trace, path, out):
    """Yields (options, differences) of a random window, and of random selections."""
    if not trace.ops:
        return
    first, last = min(o.start for o in trace.ops), max(o.end for o in trace.ops)
    a, b = sorted(r.sample(sorted({t for o in trace.ops for t in (o.start, o.end)} | {first - 3, last + 5}), 2))
    window = "--window=%dns..%dns" % (a, b)
    yield window, check_part(trace, path, out, [window], lambda family, x: is_inside(x, (a, b)))
    shortest = r.choice([x.end - x.start for x in trace.ops + trace.calls + trace.ranges])
    yield "--min-dur=%dns" % shortest, check_part(trace, path, out, ["--min-dur=%dns" % shortest],
                                                  lambda family, x: x.end - x.start >= shortest)
    device = r.choice(sorted({o.device for o in trace.ops}))
    yield "--gpu=%d %s" % (device, window), check_part(trace, path, out, ["--gpu=%d" % device, window],
                                                       lambda family, x: family not in OPS or x.device == device and is_inside(x, (a, b)), OPS)
    pid = r.choice(sorted({o.pid for o in trace.ops}))
    yield "--pid=%d" % pid, check_part(trace, path, out, ["--pid=%d" % pid], lambda family, x: x.process & exported.TID == pid)


def check_ranks(trace, path, out):
    """Yields (what, differences): ranks one by one, and all of them as one file each. Nothing where ranks are not told."""
    ranks = {process: rank_of(trace, process) for process in trace.processes}
    if None in ranks.values():
        return
    for rank in sorted(set(ranks.values()))[:2]:
        yield "--rank=%s" % rank, check_part(trace, path, out, ["--rank=%s" % rank], lambda family, x, r=rank: ranks[x.process] == r)
    base, ending = out.rsplit(".", 1)
    exported.export(path, out, "--flows", "all", "--split", "rank")
    for rank in sorted(set(ranks.values())):
        file = Exported("%s.rank%s.%s" % (base, rank, ending))
        keep = lambda family, x, r=rank: ranks[x.process] == r
        yield "--split rank, %s" % rank, exported.differences(exported.got(file), Expected(trace, keep).families) + check_flows(trace, file, keep)


def check_iteration_window(trace, path, out):
    """An iteration of each process: the window of its devices and of its threads."""
    windows = iteration_windows(trace, 1)
    devices = hulls(trace, windows)

    def keep(family, x):
        window = devices.get(x.device) if family in OPS else windows.get(x.process)
        return window is not None and is_inside(x, window)
    return check_part(trace, path, out, ["--window=iter:1", "--conventions=generic"], keep)


def blind_spots(trace, file):
    """Families in which the comparison would not notice a time that is off by one, a wrong name, a row too many or too few."""
    want, out = Expected(trace).families, []
    for family in (f for f in OPS + HOST if want[f]):
        place, start, end, name = want[family][-1]
        for wrong in ([(place, start + 1, end, name)], [(place, start, end + 1, name)], [(place, start, end, name + "x")], [], 2 * want[family][-1:]):
            if not exported.differences({**exported.got(file), family: want[family][:-1] + wrong}, want):
                out.append("%s: %r" % (family, wrong))
    return out
