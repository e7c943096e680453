# SPDX-License-Identifier: MIT
"""The dashboard as Grafana would use it: valid, and each of its questions answered by the database. Shared by tests of both dialects."""
import json
import os
import re

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dashboard.schema.json")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}


def validate(value, schema, root, where="dashboard"):
    """The part of JSON Schema that the file uses."""
    known = {"$comment", "$ref", "definitions", "type", "required", "additionalProperties", "properties", "items", "minItems", "enum",
             "pattern", "minLength", "minimum", "maximum"}
    assert set(schema) <= known, (where, set(schema) - known)
    if "$ref" in schema:
        return validate(value, root["definitions"][schema["$ref"].rsplit("/", 1)[1]], root, where)
    kind = schema.get("type")
    if kind == "integer":
        assert isinstance(value, int) and not isinstance(value, bool), (where, value)
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value), (where, value)
    elif kind:
        assert isinstance(value, TYPES[kind]), (where, kind, value)
    assert "enum" not in schema or value in schema["enum"], (where, value)
    if kind == "string":
        assert len(value) >= schema.get("minLength", 0) and re.search(schema.get("pattern", ""), value), (where, value)
    if kind == "array":
        assert len(value) >= schema.get("minItems", 0), where
        for i, item in enumerate(value):
            validate(item, schema.get("items", {}), root, "%s[%d]" % (where, i))
    if kind == "object":
        assert set(schema.get("required", ())) <= set(value), (where, value)
        properties = schema.get("properties", {})
        assert schema.get("additionalProperties", True) or set(value) <= set(properties), (where, set(value) - set(properties))
        for key, item in value.items():
            validate(item, properties.get(key, {}), root, where + "." + key)
    return None


def check_valid(board):
    with open(SCHEMA, encoding="utf-8") as f:
        schema = json.load(f)
    validate(board, schema, schema)
    panels = board["panels"]
    assert len({p["id"] for p in panels}) == len(panels) and len({p["title"] for p in panels}) == len(panels)
    cells = [(x, y) for p in panels for g in [p["gridPos"]] for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])]
    assert len(set(cells)) == len(cells) and max(x for x, _ in cells) == 23, "panels overlap"
    names = {v["name"] for v in board["templating"]["list"]}
    used = set(re.findall(r"\$\{(\w+)", json.dumps(board)))
    assert used <= names, used - names


class Board:
    """A dashboard with chosen values of its variables."""

    def __init__(self, client, server):
        self.board, self.server, self.chosen = json.loads(client.run("dashboard")[0]), server, {}
        check_valid(self.board)

    def sql(self, question):
        """As the data source fills in macros and variables: the last year before now, and quoted texts."""
        question = re.sub(r"\$\{(\w+):sqlstring\}", lambda m: "'%s'" % self.chosen[m.group(1)].replace("'", "''"), question)
        while "$__timeFilter(" in question:
            start = question.index("$__timeFilter(")
            depth, end = 1, start + len("$__timeFilter(")
            while depth:
                depth += {"(": 1, ")": -1}.get(question[end], 0)
                end += 1
            what = question[start + len("$__timeFilter("):end - 1]
            question = question[:start] + "%s >= toDateTime(1600000000) AND %s <= now()" % (what, what) + question[end:]
        assert "$" not in question and "@" not in question, question
        return question

    def ask(self, question):
        return self.server.rows(self.sql(question))

    def choose(self, **values):
        """Each variable offers the value that is chosen, given those before it."""
        self.chosen = dict(values)
        for variable in self.board["templating"]["list"]:
            if variable["type"] == "query":
                assert [values[variable["name"]]] in self.ask(variable["query"]), (variable["name"], self.ask(variable["query"]))

    def panel(self, title):
        (panel,) = [p for p in self.board["panels"] if p["title"] == title]
        return self.ask(panel["targets"][0]["rawSql"])

    def marks(self):
        return self.ask(self.board["annotations"]["list"][0]["target"]["rawSql"])

    def all(self):
        """(title, number of rows) of each panel: all questions are answered."""
        return [(p["title"], len(self.panel(p["title"]))) for p in self.board["panels"]]

