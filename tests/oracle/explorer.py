# SPDX-License-Identifier: MIT
"""Reads what the schema explorer's page says, and what schema.def says, without any code of src/."""
import html.parser
import os
import re

import wl


class Page(html.parser.HTMLParser):
    """tables: {name: (rows, {column: (type, versions)})}; relations: rows of text; queries: {title: SQL}; absent: {name: versions}."""
    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.tables, self.relations, self.queries, self.absent = {}, [], {}, {}
        self.section, self.text, self.table, self.title, self.cells = None, None, None, None, []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "section":
            self.section = attrs["id"]
        if tag in ("h3", "code", "th", "td") or tag == "span" and attrs.get("class") in ("called", "count"):
            if not (tag == "code" and self.section != "queries"):
                self.text = ""
        if tag == "tr":
            self.cells = []

    def handle_data(self, data):
        if self.text is not None:
            self.text += data

    def handle_endtag(self, tag):
        text, section = self.text, self.section
        if tag in ("h3", "th", "td", "span") or tag == "code" and section == "queries":
            self.text = None
        if tag in ("th", "td") and text is not None:
            self.cells.append(text)
        elif tag == "h3":
            self.title = text
        elif tag == "code" and section == "queries" and text and text.endswith(";\n"):
            self.queries[self.title] = text
        elif tag == "span" and section == "tables" and text is not None:
            count = re.fullmatch(r"(\d+) rows?", text)
            if count and self.table is not None:
                self.tables[self.table] = (int(count[1]), {})
                self.last, self.table = self.table, None
            else:
                self.table = text
        elif tag == "tr" and self.cells and self.cells[0] not in ("Column", "Table"):
            if section == "tables":
                self.tables[self.last][1][self.cells[0]] = (self.cells[1], self.cells[2])
            elif section == "relations":
                self.relations.append(self.cells)
            elif section == "absent":
                self.absent[self.cells[0]] = self.cells[2]


def catalogue():
    """{table: (since, until, {column: (since, until, meaning)})} as schema.def has it."""
    out, table = {}, None
    with open(os.path.join(wl.ROOT, "src", "known", "exports", "schema.def"), encoding="utf-8") as f:
        text = re.sub(r",\n\s+", ", ", f.read())
    for kind, name, rest in re.findall(r'^WL_SCHEMA_(TABLE|TABLE_OF|TABLE_DERIVED|COLUMN|COLUMN_OF)\("(\w+)", (.*)\)$', text, re.M):
        words = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
        since, until = words[:2] if kind.endswith(("_OF", "_DERIVED")) else ("", "")
        if kind.startswith("TABLE"):
            table = out[name] = (since, until, {})
        else:
            table[2][name] = (since, until, words[-1])
    return out


def number(version):
    """Orders versions; files of 2020 and 2021 have none, and "2021" stands for them."""
    return (0,) if version in (None, "2021") else tuple(map(int, version.split(".")))


def is_in(since, until, version):
    return (not since or number(since) <= number(version)) and (not until or number(version) <= number(until))
