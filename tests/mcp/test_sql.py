#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parameters of verbs in SQL: WHERE and a call give the same rows or the same refusal, never silently none."""
import json
import unittest

from client import PipeTest

VALUES = {"window": ["steady", "nothing"], "gpu": [0, 99], "rank": [0, 99, "0,1"],
          "pid": [99999], "stream": [7]}


class Parameters(PipeTest):
    def setUp(self):
        super().setUp()
        tools = self.pipe.ask("tools/list")["result"]["tools"]
        analyze = next(t for t in tools if t["name"] == "analyze")
        self.verbs = [v.replace("-", "_") for v in analyze["inputSchema"]["properties"]["verb"]["enum"]]
        self.told = next(t for t in tools if t["name"] == "sql")["inputSchema"]["properties"]["query"]["description"]

    def ask(self, trace, query):
        """Rows and total, or the refusal."""
        said = self.pipe.ask("tools/call", {"name": "sql", "arguments": {"trace": trace, "query": query}}, 60)["result"]
        if said["isError"]:
            return json.loads(said["content"][0]["text"])
        reply = said["structuredContent"]
        return {k: reply.get(k) for k in ("columns", "rows", "total_rows", "notes")}

    def columns(self, trace, table):
        rows = self.ask(trace, f"SELECT name, hidden, type FROM pragma_table_xinfo('{table}')")["rows"]
        params = [name for name, hidden, _ in rows if hidden]
        return params, {name: kind for name, hidden, kind in rows if not hidden}

    def call(self, table, params, given):
        """table(NULL, 'value'), with operands that must be there."""
        args = {"pattern": "e", "with": "no-host", **given}
        values = [repr(args[p]) if p in args else "NULL" for p in params[:-1]]
        while values and values[-1] == "NULL":
            values.pop()
        return f"{table}({', '.join(values)})" if values else table

    def compare(self, trace, table, params, columns, param, value):
        plain = param.removesuffix("_option")
        called = self.ask(trace, f"SELECT * FROM {self.call(table, params, {param: value})}")
        asked = self.ask(trace, f"SELECT * FROM {self.call(table, params, {})} WHERE \"{plain}\" = {value!r}")
        where = (trace, table, plain, value)
        if "error" in asked or "error" in called and plain not in columns:
            self.assertTrue("error" in asked and "error" in called, (where, called, asked))
            return 1
        if plain in columns and isinstance(value, int) and asked["rows"] != called.get("rows"):
            # A column that the verb fills is compared with the value.
            at = asked["columns"].index(plain)
            self.assertEqual({r[at] for r in asked["rows"]} - {value}, set(), where)
            if not asked["rows"] and "error" in called:
                self.assertTrue(any(called["error"] in n for n in asked["notes"] or []), (where, called, asked))
            return 0
        if plain in columns and columns[plain].startswith("TEXT"):
            return 0
        if called["rows"] and plain in called["columns"]:
            drop = called["columns"].index(plain)
            for rows in (called["rows"], asked["rows"]):
                for row in rows:
                    row[drop] = None
        self.assertEqual((called["rows"], called["total_rows"]), (asked["rows"], asked["total_rows"]), where)
        return 1

    def test_where_and_call_agree_in_every_table(self):
        n = 0
        for table in self.verbs:
            params, columns = self.columns(self.fixture("two_ranks"), table)
            for param in params:
                plain = param.removesuffix("_option")
                trace = self.fixture("steps" if plain == "window" else "two_ranks")
                for value in VALUES.get(plain, []):
                    n += self.compare(trace, table, params, columns, param, value)
        self.assertGreater(n, 200)

    def test_defaults_can_be_given(self):
        trace = self.fixture("two_ranks")
        for table in self.verbs:
            params, columns = self.columns(trace, table)
            whole = self.ask(trace, f"SELECT * FROM {self.call(table, params, {})}")
            for param in params if "error" not in whole and whole["rows"] else []:
                if param in VALUES or param.removesuffix("_option") in VALUES or param in ("trace", "pattern", "with"):
                    continue
                default = self.ask(trace, f"SELECT \"{param}\" FROM {self.call(table, params, {})} LIMIT 1")
                if "error" not in default and default["rows"][0][0] is not None:
                    self.compare(trace, table, params, columns, param, default["rows"][0][0])

    def test_numbers_are_not_texts(self):
        trace = self.fixture("two_ranks")
        for query, words in {
            "SELECT * FROM gaps WHERE duration > '1ms'": "gaps: duration is in nanoseconds: write 1000000 instead of '1ms'",
            "SELECT * FROM kernels WHERE share >= '5%'": "share is a fraction of 1: write 0.05",
            "SELECT * FROM overlap WHERE compute = 'steady'": "compute is in nanoseconds; 'steady' is not a number",
            "SELECT * FROM overlap WHERE \"window\" > 'steady'": "\"window\" is a parameter and takes one value",
            "SELECT * FROM kernels WHERE device IN ('x', 'y')": "device is a number; 'x' is not a number",
        }.items():
            self.assertIn(words, self.ask(trace, query)["error"])
        same = self.ask(trace, "SELECT device FROM overlap WHERE device = '1'")
        self.assertEqual(same["rows"], [[1]])

    def test_what_the_tool_teaches_works(self):
        trace = self.fixture("steps")
        for query in ("SELECT name, sum FROM kernels WHERE gpu = 0", "SELECT * FROM overlap('steady')",
                      "SELECT * FROM overlap WHERE \"window\" = 'steady'"):
            self.assertIn(query.replace("SELECT * ", ""), self.told)
            self.assertTrue(self.ask(trace, query)["rows"])


if __name__ == "__main__":
    unittest.main()
