# SPDX-License-Identifier: MIT
"""One clock for a job: UTC, then a line per host through the ends of matched collectives."""
import lines
import match as matching

LEAST_ANCHORS, LEAST_SPAN, MOST_VIOLATIONS = 20, 1_000_000_000, 0.001


def anchors(matches):
    """Per match of a type that ends together: host -> median end; only matches that span hosts."""
    out = []
    for m in matches:
        hosts = {}
        for c in m.row:
            hosts.setdefault(c.member.process.host, []).append(c.end)
        if m.kind in matching.TOGETHER and len(hosts) > 1:
            out.append({h: lines.median(e) for h, e in hosts.items()})
    return out


def reference(job, found):
    """The host with most anchors, then the one of the smallest rank."""
    order = list(dict.fromkeys(p.host for p in job.processes))
    return max(order, key=lambda h: (sum(h in a for a in found), -order.index(h)))


def line(points):
    """(offset, slope, residual) of a host against another."""
    def residual(offset, slope):
        return lines.percentile([abs(x - y - offset - round(slope * y)) for y, x in points], 99)
    flat = lines.fit(points, False)
    span = max(y for y, _ in points) - min(y for y, _ in points)
    if len(points) < LEAST_ANCHORS:
        return (*flat, residual(*flat))
    tilted = lines.fit(points, True)
    if span < LEAST_SPAN and abs(tilted[1]) * span <= 3 * residual(*tilted):
        return (*flat, residual(*flat))
    return (*tilted, residual(*tilted))


def tree(job, found):
    """Host -> (offset, slope) against the reference, along the edges with most anchors; None for hosts nothing leads to."""
    root = reference(job, found)
    hosts = list(dict.fromkeys(p.host for p in job.processes))
    known = {root: (0, 0.0)}
    residuals, counts = {root: 0}, {h: sum(h in a for a in found) for h in hosts}
    while True:
        edges = [(sum(a in f and b in f for f in found), -hosts.index(a), -hosts.index(b)) for a in known for b in hosts if b not in known]
        edges = [e for e in edges if e[0]]
        if not edges:
            break
        _, a, b = max(edges)
        a, b = hosts[-a], hosts[-b]
        offset_a, slope_a = known[a]
        def onto(t):
            return t - offset_a - round(slope_a * (t - offset_a))
        points = [(onto(f[a]), f[b]) for f in found if a in f and b in f]
        offset, slope, residuals[b] = line(points)
        known[b] = offset, slope
    return root, known, residuals, counts


def violations(matches):
    """(ends before the last start of their match, ends): no member leaves a collective before all are in it."""
    together = [m for m in matches if m.kind in matching.TOGETHER]
    bad = sum(c.end < max(d.start for d in m.row) for m in together for c in m.row)
    return bad, sum(len(m.row) for m in together)


def error_bar(matches):
    """p99 over matches of the distance between the earliest and the latest end."""
    off = [max(c.end for c in m.row) - min(c.end for c in m.row) for m in matches if m.kind in matching.TOGETHER]
    return lines.percentile(off, 99) if off else 0


def flatten(job, found, root):
    """Offsets only, without drift."""
    for host in job.correction:
        points = [(f[root], f[host]) for f in found if root in f and host in f]
        job.correction[host] = (lines.fit(points, False)[0], 0.0) if points else (0, 0.0)


def settle(job):
    """Fits the clocks, matches, and leaves job.matches, job.groups, job.eps, job.refused, job.hosts."""
    job.fitted, job.correction = False, {}
    collectives = matching.gather(job)
    job.matches, job.groups = matching.match(job, collectives)
    hosts = list(dict.fromkeys(p.host for p in job.processes))
    found = anchors(job.matches)
    job.root, known, residuals, counts = tree(job, found) if found else (hosts[0], {hosts[0]: (0, 0.0)}, {}, {})
    job.correction, job.residuals, job.anchors = dict(known), residuals, counts
    job.unreached = [h for h in hosts if h not in known]
    for flat in (False, True):
        if flat:
            flatten(job, found, job.root)
        for c in collectives:
            c.place(job)
        job.fitted = True
        eps = max(residuals.values(), default=0)
        job.matches, job.groups = matching.match(job, collectives, max(matching.TOLERANCE, 3 * eps))
        job.eps = error_bar(job.matches)
        bad, ends = violations(job.matches)
        job.violations = bad
        job.refused = len(hosts) > 1 and bad > MOST_VIOLATIONS * ends
        if not job.refused or len(known) == 1:
            break
    job.collectives = collectives
    return job
