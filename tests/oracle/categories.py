# SPDX-License-Identifier: MIT
"""Time by category (docs/definitions/categories.md)."""
import re
from fractions import Fraction

from idle import operation_name
from ranges import parts_of

KINDS = ("kernel", "memcpy", "memset", "graph")
ORDER = """communication moe moe_gemm lora attention ssm cache rope embedding norm convolution gemm quantisation activation sampling loss
    softmax sort reduction optimizer elementwise triton memory""".split()

# What the kernels of random traces are, by their names; of the others the name says nothing.
KNOWN = [(r"cutlass_80_tensorop|sgemm", "gemm"), (r"^softmax_warp", "softmax"), (r"reduce_kernel<", "reduction"), (r"deep_ep::layout", "moe"),
         (r"^triton_poi_", "elementwise")]


class Rules:
    """The user's rules, those of the engine, and whether the table of kernels is asked: [(regular expression, category)] in file order."""
    def __init__(self, user=(), engine=(), table=True):
        self.user, self.engine, self.table = list(user), list(engine), table
        self.known = {}                 # category of a name, class and kind, once it was looked for

    def order(self):
        """The user's categories where their first rules are, then those of the table; (other) and (graph) come after all."""
        engine = [] if self.table else [category for _, category in self.engine]
        return list(dict.fromkeys([category for _, category in self.user] + engine + ORDER + ["(other)", "(graph)"]))


def first_match(rules, name):
    return next((category for pattern, category in rules if re.search(pattern, name)), None)


def category_of(trace, rules, op):
    """The first that fits: the user's rules, communication, the engine's rules, the table; a graph row is never looked up."""
    if op.kind == "graph":
        return "(graph)"
    key = operation_name(trace, op), op.kind, op.cls
    if key not in rules.known:
        rules.known[key] = look_up(rules, op, key[0])
    return rules.known[key]


def look_up(rules, op, name):
    found = first_match(rules.user, name)
    if found is None and rules.table and op.kind == "kernel" and op.cls == "comm":
        found = "communication"
    found = found or first_match(rules.engine, name)
    if found is None and rules.table:
        found = first_match(KNOWN, name) if op.kind == "kernel" else "memory"
    return found or "(other)"


def stretches(parts):
    """(length, operations active) for every stretch between two neighbouring boundaries of a device."""
    bounds = sorted({t for part in parts.values() for t in part})
    starts = sorted(((part[0], n, op) for n, (op, part) in enumerate(parts.items())))
    active, i = [], 0
    for a, b in zip(bounds, bounds[1:]):
        while i < len(starts) and starts[i][0] <= a:
            active.append(starts[i][2])
            i += 1
        active = [op for op in active if parts[op][1] > a]
        if active:
            yield b - a, active


def attribute(parts, of, order, how):
    """{category: elapsed} of one device, summing exactly to its busy time."""
    exact = {}
    for length, active in stretches(parts):
        if how == "share":
            names = {of[op] for op in active}
            for name in names:
                exact[name] = exact.get(name, 0) + Fraction(length, len(names))
        else:
            # open: of several that started together `first` takes the lowest stream, then row, and `last` the other end
            ranked = sorted(active, key=lambda op: (op.start, op.stream if op.stream is not None else 1 << 32, KINDS.index(op.kind), op.order))
            name = of[ranked[0 if how == "first" else -1]]
            exact[name] = exact.get(name, 0) + length
    return largest_remainder(exact, order)


def largest_remainder(exact, order):
    """Fractions to integers with the same (whole) sum: the largest remainders are rounded up, ties in rule order."""
    down = {name: value.numerator // value.denominator for name, value in exact.items()}
    left = sum(exact.values()) - sum(down.values())
    assert left == int(left)
    for name in sorted(exact, key=lambda n: (down[n] - exact[n], order.index(n)))[:int(left)]:
        down[name] += 1
    return down


def categories(query, rules, how="share", elapsed=None):
    """Rows by device and category, and `cpu`: wall minus busy. elapsed: the wall time in ns of an unprofiled run; None or 0: the window.

    open: names are demangled; `cpu` is a column of every row's device, None where wall is below busy."""
    out, order = [], rules.order()
    for device in query.devices:
        parts = parts_of(query, [op for op in query.ops if op.device == device])
        of = {op: category_of(query.trace, rules, op) for op in parts}
        shares = attribute(parts, of, order, how)
        busy = sum(length for length, _ in stretches(parts))
        wall = elapsed if elapsed else query.window(device)[1] - query.window(device)[0]
        active, exclusive = {}, {}
        for length, ops in stretches(parts):
            names = {of[op] for op in ops}
            for name in names:
                active[name] = active.get(name, 0) + length
            if len(names) == 1:
                exclusive[min(names)] = exclusive.get(min(names), 0) + length
        assert sum(shares.values()) == busy
        for name in [c for c in order if c in of.values()]:
            mine = [p for op, p in parts.items() if of[op] == name]
            out.append({"device": device, "category": name, "instances": len(mine), "sum": sum(b - a for a, b in mine),
                        "active": active.get(name, 0), "exclusive": exclusive.get(name, 0), "elapsed": shares.get(name, 0),
                        "busy": busy, "cpu": wall - busy if wall >= busy else None})
    return out
