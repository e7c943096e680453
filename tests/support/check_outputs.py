#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_outputs.py DIR - outputs of warplens as other parsers see them (standard library and tidy).

DIR holds TRACE.VERB.FORMAT, as prop_matrix writes them. JSON is read strictly; CSV as RFC 4180 with
LF; TSV and JSON Lines line by line; HTML by tidy. All formats of one answer must hold the same cells.
"""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

FORMATS = {"table", "csv", "tsv", "json", "jsonl", "md", "html"}
TIDY_BYTES, TIDY_BATCH = 2 << 20, 200
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
failures = []


def fail(name, why):
    failures.append("%s: %s" % (name, why))


def check(condition, name, why):
    if not condition:
        fail(name, why)


# --- JSON -------------------------------------------------------------------------------------

def no_twins(pairs):
    keys = [k for k, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("a key comes twice: %s" % [k for k, n in collections.Counter(keys).items() if n > 1])
    return dict(pairs)


def no_constant(text):
    raise ValueError("%s is not JSON" % text)


def parse_json(text):
    return json.loads(text, object_pairs_hook=no_twins, parse_constant=no_constant)


TYPES = {"string": str, "enum": str, "count": int, "time": int, "duration": int, "bytes": int,
         "ratio": (int, float), "rate": (int, float), "number": (int, float), "id": str, "bool": bool}


def check_table(name, table):
    """The members that every table of warplens/1 has, and cells that fit their columns."""
    if "missing" in table:
        check(table["missing"], name, "an empty reason why a section is missing")
        return
    for key in ("coverage", "columns", "rows", "rows_total", "notes"):
        check(key in table, name, "no member " + key)
    types = {c["key"]: c["type"] for c in table["columns"]}
    check(set(types.values()) <= set(TYPES), name, "unknown column types: %s" % (set(types.values()) - set(TYPES)))
    check(len(table["rows"]) <= table["rows_total"], name, "more rows than rows_total")
    for c in table["coverage"].values():
        check(0 <= c["have"] <= c["of"], name, "coverage above 100 %%: %s" % c)
    for row in table["rows"]:
        if list(row) != list(types):
            fail(name, "a row with other keys than the columns: %s" % list(row))
            break
        for key, value in row.items():
            if value is not None and not isinstance(value, TYPES.get(types[key], object)):
                fail(name, "%s is %s but holds %r" % (key, types[key], value))


def check_json(name, text):
    doc = parse_json(text)
    check(doc["schema"] == "warplens/1", name, "schema " + str(doc.get("schema")))
    check(doc["trace"]["path"], name, "no path of the trace")
    window = doc["window"]
    check(window is None or window["length"] == window["end"] - window["begin"] >= 0, name, "window %s" % window)
    tables = doc["sections"] if "sections" in doc else [doc]
    for table in tables:
        check_table(name, table)
    return tables[0]


# --- the others, as lists of rows -------------------------------------------------------------

def as_text(value):
    """A JSON cell the way the delimited formats write it: control characters become U+FFFD."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return value
    return re.sub("[\x00-\x1f\x7f-\x9f]", "\ufffd", str(value))


def same(a, b):
    return float(a) == b if isinstance(b, float) and a != "" else a == b


def check_rows(name, header, rows, table):
    keys = [c["key"] for c in table["columns"]]
    check(header == keys, name, "header %s, columns %s" % (header, keys))
    check(len(rows) == len(table["rows"]), name, "%d rows, %d in JSON" % (len(rows), len(table["rows"])))
    for got, want in zip(rows, table["rows"]):
        want = [as_text(want[k]) for k in keys]
        if len(got) != len(want) or not all(map(same, got, want)):
            fail(name, "%s, but in JSON %s" % (str(got)[:300], str(want)[:300]))
            return


def check_csv(name, text, table):
    check("\r" not in text, name, "a carriage return")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True, doublequote=True))
    check(len({len(r) for r in rows}) == 1, name, "rows of different lengths")
    check_rows(name, rows[0], rows[1:], table)


def check_tsv(name, text, table):
    rows = [line.split("\t") for line in text[:-1].split("\n")]
    check_rows(name, rows[0], rows[1:], table)


def check_jsonl(name, text, table):
    rows = [parse_json(line) for line in text.splitlines()] if text else []
    check(rows == table["rows"], name, "rows differ from JSON")


def check_md(name, text):
    """Every line of a Markdown table has as many cells as its head."""
    width = 0
    for line in text.split("\n"):
        cells = len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) if line.startswith("|") else 0
        check(not width or not cells or cells == width, name, "a row of %d cells under a head of %d" % (cells, width))
        width = cells


# --- HTML -------------------------------------------------------------------------------------

def check_html(paths):
    """tidy finds neither errors nor warnings. Returns how many pages it saw.

    It takes the title of an SVG for the page's own, and so warns of its id, which HTML allows."""
    small = [p for p in paths if os.path.getsize(p) <= TIDY_BYTES]
    if not shutil.which("tidy"):
        print("skipped: tidy is not installed")
        return 0
    for i in range(0, len(small), TIDY_BATCH):
        p = subprocess.run(["tidy", "-e", "-q", "--gnu-emacs", "yes"] + small[i:i + TIDY_BATCH],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = [line for line in p.stdout.decode("utf-8", "replace").splitlines()
                if not line.endswith('Warning: <title> proprietary attribute "id"')]
        if p.returncode > 1 or said:
            fail("tidy", "\n".join(said)[:2000])
    return len(small)


def check_answer(prefix, texts):
    """What has no JSON beside it is only clean text."""
    if "json" not in texts:
        return
    table = check_json(prefix + ".json", texts["json"])
    if "csv" in texts:
        check_csv(prefix + ".csv", texts["csv"], table)
        check_tsv(prefix + ".tsv", texts["tsv"], table)
        check_jsonl(prefix + ".jsonl", texts["jsonl"], table)
        check_md(prefix + ".md", texts["md"])


def main():
    directory = sys.argv[1]
    answers = collections.defaultdict(dict)
    for name in sorted(os.listdir(directory)):
        prefix, ending = name.rsplit(".", 1)
        if ending not in FORMATS:
            continue
        with open(os.path.join(directory, name), "rb") as f:
            data = f.read()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as e:
            fail(name, str(e))
            continue
        check(not CONTROL.search(text) and ("\t" not in text or ending == "tsv"), name, "a control character")
        check(text == "" or text.endswith("\n"), name, "the last line has no end")
        answers[prefix][ending] = text
    for prefix, texts in answers.items():
        try:
            check_answer(prefix, texts)
        except (ValueError, KeyError, csv.Error) as e:
            fail(prefix, "%s: %s" % (type(e).__name__, e))
    pages = check_html(sorted(os.path.join(directory, p + ".html") for p in answers if "html" in answers[p]))
    for line in failures[:30]:
        print("FAIL", line)
    print("%d answers, %d outputs, %d pages seen by tidy, %d failures"
          % (len(answers), sum(map(len, answers.values())), pages, len(failures)))
    if not answers:
        print("nothing to check in", directory)
    sys.exit(1 if failures or not answers else 0)


if __name__ == "__main__":
    main()
