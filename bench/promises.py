# SPDX-License-Identifier: MIT
"""The figures that the program promises, each from the measurements of one run.

A ratio is taken within each round, where both sides met the same machine, and its median over the rounds
counts. So it may differ a little from the ratio of the medians in the tables.
"""
from statistics import median

CPU, WALL = 0, 1
STANDARD_SCENARIOS = 10  # of whatif
FREE_BYTES = 64 << 20    # what any answer may take, before rows are counted


class Missing(Exception):
    """A case was not measured, such as an index that the program does not have."""


def times(size, key, part, which):
    case = size["cases"].get(key)
    if not case:
        raise Missing(key)
    return [sample["parts"][part][which] for sample in case["samples"]]


def ratio(size, over, under):
    return median(a / b for a, b in zip(times(size, *over), times(size, *under)))


def open_and_load_ms(size):
    """Of the slowest verb: most find their whole answer in the index and load nothing."""
    indexed = [key for key in size["cases"] if key.startswith("indexed.")]
    if not indexed:
        raise Missing("no verb index")
    return max(1e3 * median(a + b for a, b in zip(times(size, key, "open", WALL), times(size, key, "load", WALL)))
               for key in indexed)


def bytes_per_kernel(size):
    return max(0, size["cases"]["verb.kernels"]["peak"] - FREE_BYTES) / size["kernels"]


def loaded_share(size):
    return max(size["cases"]["load.all.%d" % j]["peak"] for j in (1, 2)) / size["bytes"]


def scenario_cost(size):
    """Of each standard scenario but one, against the CPU time of kernels."""
    parts = (times(size, *of, "total", CPU) for of in (("verb.whatif",), ("whatif.one",), ("verb.kernels",)))
    return median((all_of - one) / (STANDARD_SCENARIOS - 1) / kernels for all_of, one, kernels in zip(*parts))


def hundred_scenarios(size):
    """CPU seconds of a hundred scenarios of one step of eight ranks, with the load."""
    parts = (times(size, of, "total", CPU) for of in ("step.all", "step.one"))
    return median(one + 99 * (all_of - one) / (STANDARD_SCENARIOS - 1) for all_of, one in zip(*parts))


def agent_wait_ms(size):
    """Of a call after open_trace, each asked once, per million kernels."""
    return 1e3 * median(times(size, "mcp.calls", "p95", WALL)) / max(1, size["kernels"] / 1e6)


def of_facts(ranks):
    """CPU seconds of the slower question to merged facts."""
    return lambda size: max(median(times(size, "facts.%s.%d" % (verb, ranks), "total", CPU)) for verb in ("ranks", "findings"))


# What is promised, how it is computed from one size, the limit, how to print it, and whether more is better.
OF_ONE_SIZE = [
    ("load of kernels, -j 2 / bare SQLite, wall",
     lambda s: ratio(s, ("load.kernels.pages.2", "load", WALL), ("bare.kernels", "load", WALL)), 0.12, "%.3f", False),
    ("load of kernels, -j 1 / bare SQLite, CPU",
     lambda s: ratio(s, ("load.kernels.pages.1", "load", CPU), ("bare.kernels", "load", CPU)), 0.25, "%.3f", False),
    ("kernels, end to end / bare SQLite, wall",
     lambda s: ratio(s, ("verb.kernels", "total", WALL), ("bare.kernels", "total", WALL)), 0.20, "%.3f", False),
    ("load of nvtx, -j 2 / bare SQLite, wall",
     lambda s: ratio(s, ("load.nvtx.pages.2", "load", WALL), ("bare.nvtx", "load", WALL)), 0.15, "%.3f", False),
    ("open and load with an index, slowest verb, wall", open_and_load_ms, 50, "%.1f ms", False),
    ("summary without / with an index, wall",
     lambda s: ratio(s, ("verb.summary", "total", WALL), ("indexed.summary", "total", WALL)), 10, "%.1f x", True),
    ("kernels / cat, cold cache, wall",
     lambda s: ratio(s, ("cold.kernels", "total", WALL), ("cold.cat", "total", WALL)), 1.5, "%.2f", False),
    ("kernels, bytes per kernel above 64 MiB", bytes_per_kernel, 24, "%.1f B", False),
    ("everything loaded / size of the file", lambda s: 100 * loaded_share(s), 40, "%.1f%%", False),
    ("load of kernels, -j 1 / -j 2, wall",
     lambda s: ratio(s, ("load.kernels.pages.1", "load", WALL), ("load.kernels.pages.2", "load", WALL)),
     1.7, "%.2f x", True),
    ("path without savings / kernels, CPU",
     lambda s: ratio(s, ("path.alone", "total", CPU), ("verb.kernels", "total", CPU)), 4, "%.2f", False),
    ("a scenario of whatif / kernels, CPU", scenario_cost, 0.4, "%.2f", False),
    ("a hundred scenarios of one step, CPU", hundred_scenarios, 1, "%.2f s", False),
    ("ranks and findings of facts of 1,024 ranks, CPU", of_facts(1024), 1, "%.2f s", False),
    ("ranks and findings of facts of 10,000 ranks, CPU", of_facts(10000), 5, "%.2f s", False),
    ("ranks of facts of 10,000 ranks, memory",
     lambda s: s["cases"]["facts.ranks.10000"]["peak"] / 1e6, 1000, "%.0f MB", False),
    ("mcp: findings and analyze after open_trace, p95 per million kernels, wall", agent_wait_ms, 300, "%.0f ms", False),
]


def per_row(size, part):
    case = size["cases"]["load.kernels.pages.1"]
    return median(sample["parts"][part][CPU] / sample["rows"] for sample in case["samples"])


def spread(sizes, part):
    """By how much the slowest row is slower than the fastest, in per cent."""
    costs = [per_row(size, part) for size in sizes]
    return 100 * (max(costs) / min(costs) - 1)


OF_ALL_SIZES = [
    ("load of kernels, -j 1, CPU per row, between sizes", lambda s: spread(s, "load"), 15, "%.0f%%", False),
    ("kernels, -j 1, CPU per row, between sizes", lambda s: spread(s, "total"), 15, "%.0f%%", False),
]


def judge(promise, measured):
    """A line: what, limit, value, verdict."""
    what, compute, limit, fmt, more = promise
    bound = ("at least " if more else "at most ") + fmt % limit
    try:
        value = compute(measured)
    except Missing as missing:
        return [what, bound, "-", "not measured (%s)" % missing]
    reached = value >= limit if more else value <= limit
    return [what, bound, fmt % value, "reached" if reached else "not reached"]


def of_one_size(size):
    return [judge(promise, size) for promise in OF_ONE_SIZE]


def of_all_sizes(sizes):
    return [judge(promise, sizes) for promise in OF_ALL_SIZES] if len(sizes) > 1 else []
