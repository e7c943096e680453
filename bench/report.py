# SPDX-License-Identifier: MIT
"""Measurements as tables, for a terminal or in Markdown."""
from statistics import median

import promises

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
IDLE_LOAD = 0.5
COSTS = ["What", "CPU s", "Wall s", "Rows/CPU s", "Peak MB"]
PROMISES = ["Promise", "Limit", "Measured", "Verdict"]
MACHINE = ["Part", "What it is"]


def middle(case, which):
    """The median over the runs; None where a part has no such time."""
    values = [sample["parts"][case["part"]][which] for sample in case["samples"]]
    return None if None in values else median(values)


def number(value, fmt):
    return "-" if value is None else fmt % value


def cost_line(key, case):
    cpu, wall = middle(case, 0), middle(case, 1)
    rows = None if key.startswith("indexed.") else case["samples"][0]["rows"]  # an index has them read already
    return [case["title"], number(cpu, "%.3f"), number(wall, "%.3f"),
            "%.1f M" % (rows / cpu / 1e6) if rows and cpu else "-",
            "-" if case["peak"] is None else "%.1f" % (case["peak"] / 1e6)]


def notes(size):
    """What makes figures mean less than they seem to."""
    cat, cold = (size["cases"][key]["samples"] for key in ("cat", "cold.cat"))
    if median(s["disk"] for s in cat) > size["bytes"] / 10:
        yield "The file does not fit into the page cache: what should be warm was read from the disk."
    if median(s["disk"] for s in cold) < size["bytes"] / 2:
        yield "The file did not leave the page cache (others use it, or the disk has none): cold figures mean nothing."
    if size["no_data"]:
        yield "No data in this trace for: %s." % ", ".join(size["no_data"])
    if not size["indexed"]:
        yield "This program has no verb index: nothing is measured with one."


def machine_notes(machine):
    load = float(machine["Load at the start"])
    if load > IDLE_LOAD:
        yield ("Other programs were running (load %.1f): wall times are longer than on an idle machine, and what divides work "
               "among threads had no core for each. Trust ratios of CPU seconds first." % load)


def sections(result):
    """Title, header, lines and notes of each table."""
    sizes = list(result["sizes"].values())
    yield "Machine", MACHINE, list(map(list, result["machine"].items())), list(machine_notes(result["machine"]))
    for size in sizes:
        yield ("%s million kernels, %.0f MB" % (size["millions"], size["bytes"] / 1e6), COSTS,
               [cost_line(*item) for item in size["cases"].items()], list(notes(size)))
    for size in sizes:
        yield "Promises at %s million kernels" % size["millions"], PROMISES, promises.of_one_size(size), []
    between = promises.of_all_sizes(sizes)
    if between:
        yield "Promises between the sizes", PROMISES, between, []


def is_number(text):
    return text == "-" or text[:1].isdigit()


def pad(text, width, right):
    return text.rjust(width) if right else text.ljust(width)


def text_table(header, lines):
    widths = [max(len(line[i]) for line in [header] + lines) for i in range(len(header))]
    right = [i > 0 and all(is_number(line[i]) for line in lines) for i in range(len(header))]
    for line in [header] + lines:
        yield "  ".join(pad(cell, w, r) for cell, w, r in zip(line, widths, right)).rstrip()


def md_table(header, lines):
    right = [i > 0 and all(is_number(line[i]) for line in lines) for i in range(len(header))]
    yield "| " + " | ".join(header) + " |"
    yield "|" + "|".join("--:" if r else "---" for r in right) + "|"
    for line in lines:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |"


def text(result):
    out = []
    for title, header, lines, remarks in sections(result):
        out += [title, *text_table(header, lines), *remarks, ""]
    return "\n".join(out)


def markdown(result):
    out = []
    for title, header, lines, remarks in sections(result):
        out += ["### " + title, "", *md_table(header, lines), ""]
        out += [line for remark in remarks for line in (remark, "")]
    return "\n".join(out)


def replace_block(path, block, begin=BEGIN, end=END):
    """Put the block between the marks of a document."""
    with open(path, encoding="utf-8") as file:
        before, rest = file.read().split(begin + "\n")
    _, after = rest.split(end)
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n\n" + block + "\n" + end + after)
