# SPDX-License-Identifier: MIT
"""What each surface of warplens says of a trace: pairs of a thing and its figure.

("step", "median") is a thing, and so is ("device", 2, "exposed_comm"). A figure with another base is another thing, and has another
name in the answer: waiting of `ranks` is exposed, that of `nccl` is not.
"""
import html
import json
import os
import re
import subprocess

import wl

PARTS = ("compute", "exposed_comm", "exposed_copy", "idle")
FINDING = ("severity", "saves", "saves_share", "saves_kind", "saving", "share", "per", "finding", "action", "evidence")
SHOWN = ("severity", "saves_share", "saves_kind", "share")
# Causes of `idle` that `ranks` adds up, by its columns; the rest is idle_other.
IDLE = {"idle_host": ("host", "api", "mpi", "os"), "idle_launch": ("launch", "latency"), "idle_sync": ("sync",),
        "idle_queued": ("dispatch", "dependency")}
TABLES = ("overlap", "ranks", "idle", "findings", "nccl", "iters", "path", "whatif", "kernels", "launch", "streams")
SIGNS = {"at most": "\u2264", "at least": "\u2265", "no bound": "~"}


class Trace:
    """The answers to questions about one trace, each asked once."""
    def __init__(self, path, scratch):
        self.path, self.scratch, self.asked, self.written = path, scratch, {}, {}

    def ask(self, verb, *arguments):
        key = (verb, *arguments)
        if key not in self.asked:
            self.asked[key] = wl.run(verb, self.path, *arguments)[1]
        return self.asked[key]

    def rows(self, verb, *arguments):
        answer = self.ask(verb, *arguments)
        return answer["rows"] if answer else []

    def text(self, *command):
        p = subprocess.run([wl.WARPLENS, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600,
                           env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"})
        if p.returncode not in (0, wl.NO_DATA):
            raise RuntimeError("%s: exit %d: %s" % (" ".join(command), p.returncode, p.stderr.decode("utf-8", "replace")[:400]))
        return p.stdout.decode("utf-8", "replace") if p.returncode == 0 else ""

    def file(self, name, *command):
        """What a command wrote to a file, or None where the trace has nothing to write."""
        if name not in self.written:
            out = os.path.join(self.scratch, name)
            p = subprocess.run([wl.WARPLENS, *command, self.path, "-o", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
            if p.returncode not in (0, wl.NO_DATA):
                raise RuntimeError("%s: exit %d: %s" % (" ".join(command), p.returncode, p.stderr.decode("utf-8", "replace")[:400]))
            self.written[name] = out if p.returncode == 0 else None
        return self.written[name]

    def head(self):
        """What the page has besides events, or None."""
        out = self.file("page.html", "viewer")
        if not out:
            return None
        with open(out, encoding="utf-8") as f:
            return json.loads(re.search(r'<script type="application/json" id="head">(.*?)</script>', f.read(), re.S)[1])


def step(answer):
    if answer and answer.get("step"):
        for key in ("count", "median", "what"):
            yield ("step", key), answer["step"].get(key)


def window(answer):
    if answer and answer.get("window"):
        for key in ("begin", "end", "length"):
            yield ("window", key), answer["window"][key]


def sums(rows, key, columns):
    """Columns added up over the rows that have one key, by key."""
    total = {}
    for r in rows:
        of = total.setdefault(key(r), dict.fromkeys(columns, 0))
        for c in columns:
            of[c] += r[c] or 0
    return total


def of_overlap(rows):
    for r in rows:
        for key in ("window", "busy", "exposed_sum", *PARTS):
            if key in r:
                yield ("device", r["device"], key), r[key] or 0


def of_idle(rows):
    for r in rows:
        yield ("idle", r["device"], r["cause"]), r["sum"]
    for device, total in sums(rows, lambda r: r["device"], ["sum"]).items():
        cause = {r["cause"]: r["sum"] for r in rows if r["device"] == device}
        known = {key: sum(cause.get(c, 0) for c in causes) for key, causes in IDLE.items()}
        yield ("device", device, "idle"), total["sum"]
        for key, ns in known.items():
            yield ("device", device, key), ns
        yield ("device", device, "idle_other"), total["sum"] - sum(known.values())


def of_ranks(rows):
    for r in rows:
        for key in ("compute", "exposed_copy", "idle", "window", *IDLE, "idle_other"):
            yield ("device", r["device"], key), r[key] or 0
        yield ("device", r["device"], "exposed_comm"), (r["wait"] or 0) + (r["transfer"] or 0)
        if r["caused"] is not None and r["mpi_wait"] is None:
            yield ("device", r["device"], "caused"), r["caused"]
        if r["saving"] is not None:
            yield ("straggler", r["device"], "alone"), r["saving"]


def of_nccl(rows):
    for device, total in sums(rows, lambda r: r["device"], ["exposed", "caused"]).items():
        yield ("device", device, "exposed_sum"), total["exposed"]
        if any(r["caused"] is not None for r in rows if r["device"] == device):
            yield ("device", device, "caused"), total["caused"]


def of_iters(rows):
    for r in rows:
        for key in ("period", *PARTS):
            yield ("step", r["iter"], r["pid"], r["device"], key), r[key] or 0


def of_budget(rows):
    for r in rows:
        yield ("budget", r["part"]), r["time"]


def of_findings(rows):
    for place, r in enumerate(rows):
        for key in FINDING:
            yield ("finding", place, r["code"], key), r[key]
        if r["code"] == "straggler" and r["saves_kind"] == "prediction" and r["look_at"] is not None:
            # What is saved besides the findings before it is another thing, in front of the finding.
            yield ("straggler", r["look_at"], "alone"), r["saves_alone"]


def of_kernels(rows):
    for name, total in sums(rows, lambda r: r["name"], ["calls", "sum"]).items():
        yield ("kernel", name, "calls"), total["calls"]
        yield ("kernel", name, "sum"), total["sum"]
    for device, total in sums([r for r in rows if "device" in r], lambda r: r["device"], ["calls"]).items():
        yield ("device", device, "kernels"), total["calls"]


def of_streams(rows):
    for device, total in sums(rows, lambda r: r["device"], ["kernels"]).items():
        if total["kernels"]:
            yield ("device", device, "kernels"), total["kernels"]


def of_launch(rows):
    for name, total in sums([r for r in rows if "name" in r], lambda r: r["name"], ["calls"]).items():
        yield ("kernel", name, "calls"), total["calls"]
    for r in rows:
        if "launches" in r:
            yield ("device", r["device"], "launches"), r["launches"]
            yield ("device", r["device"], "launches_per_second"), r["launches_per_second"]


def of_path(rows):
    if rows:
        yield ("window", "length"), sum(r["time"] for r in rows)
    for r in rows:
        yield ("path", r["class"]), r["time"]


def of_whatif(rows):
    for r in rows:
        for key in ("saving", "per_step", "forecast"):
            yield ("whatif", r["scenario"], key), r[key]
        yield ("window", "length"), r["measured"]


OF = {"overlap": of_overlap, "ranks": of_ranks, "idle": of_idle, "findings": of_findings, "nccl": of_nccl, "iters": of_iters,
      "path": of_path, "whatif": of_whatif, "kernels": of_kernels, "launch": of_launch, "streams": of_streams, "budget": of_budget}


def document(answer):
    """A document's frame, and those of its sections that show all rows of a verb by its usual key."""
    yield from step(answer)
    yield from window(answer)
    for section in answer["sections"] if answer else []:
        of, rows = OF.get(section["analysis"]), section.get("rows")
        # Sections of the slowest rank alone, or grouped in another way, have other columns, or a column less.
        if of and rows and len(rows) == section["rows_total"] and section["analysis"] not in ("ranks", "nccl", "path"):
            if section["analysis"] != "idle" or "opened_by" not in rows[0]:
                yield from of(rows)


def verb(name):
    def surface(trace):
        answer = trace.ask(name)
        yield from step(answer)
        yield from window(answer)
        for i, r in enumerate(answer["rows"] if answer else []):
            for key, figure in r.items():
                yield ("row", name, i, key), figure
        if answer:
            yield from OF[name](answer["rows"])
    surface.__name__ = name
    return surface


def launch_by_device(trace):
    yield from of_launch(trace.rows("launch", "--by", "device"))


def one_step(trace):
    """The verbs over one step in the middle have what iters says of it."""
    rows = [r for r in trace.rows("iters") if r["period"] is not None]
    if not rows:
        return
    number = sorted(r["iter"] for r in rows)[len(rows) // 2]
    steps = {r["device"]: r for r in rows if r["iter"] == number}
    if len(steps) < sum(r["iter"] == number for r in rows):
        return  # processes that share a GPU: a window of steps is that of each process
    arguments = ("--window", "iter:%d" % number)
    for r in trace.rows("overlap", *arguments):
        if r["device"] in steps:
            key = ("step", number, steps[r["device"]]["pid"], r["device"])
            yield (*key, "period"), r["window"]
            for part in PARTS:
                yield (*key, part), r[part] or 0
    # Kernels with a part in its time; those of iters are what the iteration launched.
    for name in ("kernels", "streams"):
        key = "calls" if name == "kernels" else "kernels"
        for device, total in sums(trace.rows(name, *arguments), lambda r: r["device"], [key]).items():
            if total[key]:
                yield ("in step", device, "kernels"), total[key]
    for device, total in sums(trace.rows("idle", *arguments), lambda r: r["device"], ["sum"]).items():
        if device in steps:
            yield ("step", number, steps[device]["pid"], device, "idle"), total["sum"]


def claim_of_scenario(trace):
    """The largest finding's scenario, as whatif has it; a bound leaves a start-up its own time."""
    found = trace.rows("findings", "--all")
    for r in found[:1]:
        if r["replayed"] is not None and r["per"] != "step" and r["saves_kind"] in ("prediction", "at most"):
            saving = trace.rows("whatif", "--with", r["scenario"])[0]["saving"]
            once = sum(o["saves_alone"] for o in found if o["code"] == "start-up" and o["replayed"] is None and o["device"] == r["device"])
            if r["saves_kind"] == "at most" and r["saves_share"]:
                saving = min(saving, round(r["saves"] / r["saves_share"]) - once)
            yield ("finding", 0, r["code"], "saves"), max(saving, 0)


def summary(trace):
    yield from document(trace.ask("summary", "--all"))


def report(trace):
    out = trace.file("report", "report")
    if out:
        with open(os.path.join(out, "report.json"), encoding="utf-8") as f:
            yield from document(json.load(f))


def page(trace):
    head = trace.head()
    if not head:
        return
    shown = head["traces"][0]
    headline = shown.get("headline") or {}
    if headline.get("steps"):
        for key in ("count", "median", "what"):
            yield ("step", key), headline["steps"][key]
    for name, ns, _ in headline.get("parts") or []:
        yield ("budget", name), ns
    if shown["work"]:
        yield ("window", "length"), shown["work"][1] - shown["work"][0]
    for place, f in enumerate(head["findings"]):
        for key in SHOWN:
            yield ("finding", place, f["code"], key), f[key] if f[key] != "" else None
        yield ("finding", place, f["code"], "finding"), f["text"]
        yield ("finding", place, f["code"], "action"), f["title"]
    for scenario, per_step, saving, _, forecast, *_ in shown["whatif"] or []:
        for key, figure in (("saving", saving), ("per_step", per_step), ("forecast", forecast)):
            yield ("whatif", scenario, key), figure


def sql(trace):
    for table in TABLES:
        p = subprocess.run([wl.WARPLENS, "sql", trace.path, "SELECT * FROM %s" % table, "-f", "json", "-n", "0"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        if p.returncode == 0:
            rows = json.loads(p.stdout)["rows"]
            yield from OF[table](rows)
            for i, r in enumerate(rows):
                for key, figure in r.items():
                    yield ("row", table, i, key), figure


def mcp(trace):
    """Findings of the protocol, and of the tool that opens a trace."""
    calls = [("initialize", {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
             ("tools/call", {"name": "open_trace", "arguments": {"path": trace.path}}),
             ("tools/call", {"name": "findings", "arguments": {"trace": trace.path}})]
    sent = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n" for i, (method, params) in enumerate(calls))
    p = subprocess.run([wl.WARPLENS, "mcp"], input=sent.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=600)
    replies = {r["id"]: r["result"] for r in map(json.loads, p.stdout.splitlines()) if "result" in r}
    opened, found = (json.loads(replies[i]["content"][0]["text"]) if not replies[i].get("isError") else {} for i in (1, 2))
    if opened.get("step"):
        yield ("step", "count"), opened["step"]["count"]
        yield ("step", "median"), opened["step"]["median_ns"]
        yield ("step", "what"), opened["step"]["what"]
    rows = [dict(zip(found["columns"], row)) for row in found.get("rows", [])]
    for place, r in enumerate(rows):
        for key in ("severity", "saves", "saves_kind", "saving", "per", "finding", "action"):
            yield ("finding", place, r["code"], key), r[key]
        if r["saves_kind"] != "prediction":  # its sign says how large the error is, which these columns leave out
            yield ("percent", place), percent(r)


def percent(r):
    """What a surface prints in front of a finding: "≤12.3%", "" without a saving."""
    if r["saves_share"] is None:
        return ""
    if 0 < r["saves_share"] < 0.0005:  # would read 0.0%, and is a bound by itself
        return "<0.1%"
    about = r["saves_kind"] == "prediction" and (r.get("saves_error") or 0) >= max(1, r["saves"] // 4)
    return SIGNS.get("no bound" if about else r["saves_kind"], "") + "%.1f%%" % (100 * r["saves_share"])


def told(r, rows):
    """What the sentence of a finding gives: what it saves besides those before it, else what it saves alone."""
    if r["saves_share"] is None and r["saves_alone"] is not None:
        run = next(o["saves"] / o["saves_share"] for o in rows if o["saves_share"])
        r = {**r, "saves_share": r["saves_alone"] / run, "saves_kind": None}
    return percent(r).lstrip("".join(SIGNS.values()))


def front(trace):
    """By the rows of findings, which every other surface must print."""
    rows = trace.rows("findings")
    for place, r in enumerate(rows):
        yield ("percent", place), percent(r)
        yield ("said", place), told(r, rows)


def first_screen(trace):
    text = trace.text("summary", trace.path)
    for place, share in re.findall(r"(?m)^([123]) +(\S+)  \S", text[text.find("\n   Saves  "):]):
        yield ("percent", int(place) - 1), "" if share in "-?" else share


def sentences(text):
    """The share of the run that the n-th of all sentences about fixing gives."""
    return re.findall(r"(?:fixing\s+this\s+saves\s+|\n   Saves  )(?:[Aa]t\s+(?:most|least)\s+)?[^%]*?\(\s*(<?[\d.]+%)\s+of\s+the\s+run",
                      html.unescape(text).replace("\\<", "<"))


def in_words(trace):
    """Sentences of the verb, of both reports and of the page: as many as findings that save something."""
    out = trace.file("report", "report")
    place = [i for i, r in enumerate(trace.rows("findings")) if "of the run" in (r["fixing"] or "")]
    texts = [trace.text("findings", trace.path)]
    if out:
        with open(os.path.join(out, "report.md"), encoding="utf-8") as f:
            texts.append(f.read())
    for text in texts:
        shown = sentences(text)
        yield ("sentences",), len(place)
        yield ("sentences",), len(shown)
        for i, share in zip(place, shown):
            yield ("said", i), share
    if out:
        with open(os.path.join(out, "report.html"), encoding="utf-8") as f:
            shown = sentences(re.sub(r"<[^>]*>", "", f.read()))
        yield ("sentences of the page",), set(shown)
        yield ("sentences of the page",), {told(trace.rows("findings")[i], trace.rows("findings")) for i in place}
    head = trace.head()
    for i, f in enumerate(head["findings"] if head else []):
        for share in sentences(f["fixing"]):
            yield ("said", i), share


def late_rank(trace):
    """Whether somebody is late, and whether what it costs is a prediction, a lower bound or unknown, is one decision of all verbs."""
    answer = trace.ask("ranks")
    if not answer or not any(r["caused"] is not None for r in answer["rows"]):
        return
    said = " ".join(answer["notes"])
    named = any(r["saving"] is not None for r in answer["rows"])
    verdict = "at least" if "the run at least" in said else "prediction" if named else "unknown" if "cannot be replayed" in said else "nobody"
    yield ("late rank",), verdict
    found = [r["saves_kind"] or "unknown" for r in trace.rows("findings", "--all") if r["code"] == "straggler"]
    if found or not named:              # without a victim in the steps that count nobody loses by it
        yield ("late rank",), found[0] if found else "nobody"
    # A bound whose error is as large is a prediction that may be nothing; what-if gives the bound.
    vague = any(r["code"] == "straggler" and r["saves_error"] is not None and r["saves_error"] >= r["saves"] for r in trace.rows("findings", "--all"))
    tried = trace.rows("whatif", "--with", "no-straggler")
    if tried:
        refused = "unknown" if "cannot be replayed" in tried[0]["why"] else "nobody"
        yield ("late rank",), refused if tried[0]["forecast"] == "refused" else "prediction" if vague else tried[0]["forecast"]


SURFACES = [summary, *map(verb, TABLES), launch_by_device, one_step, claim_of_scenario, late_rank, report, page, sql, front, first_screen, in_words, mcp]
