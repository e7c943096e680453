#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every tool's reply conforms to its schema and is what the command line in it prints."""
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

from client import WARPLENS, PipeTest, invalid

NAMES = ["steps", "two_ranks", "streams", "graphs", "waits", "host", "no_gpu", "hostile"]


class Tools(PipeTest):
    def setUp(self):
        super().setUp()
        tools = self.pipe.ask("tools/list")["result"]["tools"]
        self.tools = {t["name"]: t for t in tools}

    def check(self, tool, **args):
        self.assertIsNone(invalid(args, self.tools[tool]["inputSchema"]))
        reply = self.pipe.call(tool, **args)
        self.assertIsNone(invalid(reply, self.tools[tool]["outputSchema"]), (tool, args))
        self.assertLessEqual(len(json.dumps(reply, separators=(",", ":"), ensure_ascii=False).encode()), 40000)
        return reply

    def same(self, a, b):
        if isinstance(a, float) or isinstance(b, float):
            return math.isclose(a, b, rel_tol=1e-5)
        if isinstance(a, str) and a.endswith("…"):
            return isinstance(b, str) and b.startswith(a[:-1]) or "\ufffd" in a
        return a == b or isinstance(a, str) and "\ufffd" in a

    def compare(self, reply):
        """The rows of a reply, with those of its command line."""
        words = shlex.split(reply["how"])
        self.assertEqual(words[0], "warplens")
        out = json.loads(subprocess.run([WARPLENS, *words[1:]], check=True, stdout=subprocess.PIPE).stdout)
        self.assertEqual(out["rows_total"], reply["total_rows"])
        for row, want in zip(reply["rows"], out["rows"]):
            for key, cell in zip(reply["columns"], row):
                self.assertTrue(self.same(cell, want[key]), (reply["how"], key, cell, want[key]))
        for key, window in [("begin_ns", "begin"), ("end_ns", "end")]:
            if "window" in reply:
                self.assertEqual(reply["window"][key], out["window"][window])

    def test_schemas_are_portable(self):
        for tool in self.tools.values():
            for schema in (tool["inputSchema"], tool["outputSchema"]):
                self.assertEqual(schema["type"], "object")
                self.assertFalse({"anyOf", "oneOf", "allOf", "$ref"} & set(schema))
            self.assertLessEqual(len(tool["description"]), 2048)
            self.assertRegex(tool["name"], r"^[A-Za-z0-9_.-]{1,128}$")
        self.assertEqual([t["name"] for t in self.pipe.ask("tools/list")["result"]["tools"]], list(self.tools))

    def test_every_trace_opens_to_its_schema(self):
        for at, name in enumerate(NAMES):
            reply = self.check("open_trace", path=self.fixture(name))
            self.assertEqual(reply["trace"], f"t{at + 1}")

    def test_steps_of_two_lengths_have_two_budgets(self):
        said = self.check("open_trace", path=self.fixture("serving"))
        rows = self.check("analyze", trace=said["trace"], verb="budget")
        at = {name: i for i, name in enumerate(rows["columns"])}
        self.assertIn("Steps have two lengths: of ", said["answer"])
        for length in ("first", "second"):
            self.assertEqual([part.get(length) for part in said["budget"]], [row[at[length]] for row in rows["rows"]])

    def test_every_verb_equals_its_command_line(self):
        verbs = self.tools["analyze"]["inputSchema"]["properties"]["verb"]["enum"]
        n = 0
        for name in ("two_ranks", "host"):
            for verb in verbs:
                options = {"pattern": "e"} if verb == "search" else {"with": "no-host"} if verb == "whatif" else {}
                args = {"verb": verb, "trace": self.fixture(name), "options": options}
                said = self.pipe.ask("tools/call", {"name": "analyze", "arguments": args})["result"]
                if said["isError"]:
                    self.assertIn(json.loads(said["content"][0]["text"])["kind"], ("no_data", "usage"), (verb, said))
                    continue
                self.assertIsNone(invalid(said["structuredContent"], self.tools["analyze"]["outputSchema"]), verb)
                self.compare(said["structuredContent"])
                n += 1
        self.assertGreater(n, len(verbs))

    def test_kept_answers_are_the_same(self):
        path = self.fixture("two_ranks")
        views = [{}, {"sort": "calls,name"}, {"where": "calls > 2"}, {"columns": "calls,name", "limit": 3}, {"where": "name ~ ZZZ"}]
        first = [self.check("analyze", trace=path, verb="kernels", **view) for view in views]
        for reply, view in zip(first, views):
            self.compare(reply)
            self.assertEqual(self.check("analyze", trace=path, verb="kernels", **view), reply)
        steps = self.fixture("steps")
        for verb in ("tree", "iters", "findings", "ops", "overlap"):
            one = self.check("analyze", trace=steps, verb=verb)
            self.assertEqual(self.check("analyze", trace=steps, verb=verb), one)
        some = self.check("analyze", trace=path, verb="ops", where="duration > 10us")
        self.compare(some)

    def test_a_file_that_changes_is_read_again(self):
        with tempfile.TemporaryDirectory() as room:
            path = os.path.join(room, "run.sqlite")
            shutil.copy(self.fixture("steps"), path)
            old = self.check("analyze", trace=path, verb="kernels")
            self.assertEqual(self.check("analyze", trace=path, verb="kernels"), old)
            shutil.copy(self.fixture("two_ranks"), path + ".new")
            os.replace(path + ".new", path)
            new = self.check("analyze", trace=path, verb="kernels")
            self.assertIn("changed", new["notes"][0])
            self.assertNotEqual(new["rows"], old["rows"])
            self.compare(new)
            again = self.check("analyze", trace="t1", verb="kernels")
            self.assertEqual((again["rows"], again["notes"]), (new["rows"], new["notes"][1:]))
            os.remove(path)  # an open trace can still be asked
            self.assertEqual(self.check("analyze", trace="t1", verb="kernels")["rows"], new["rows"])

    def test_no_sentence_spells_an_option(self):
        """Sentences are for agents that have no command line: what to ask is a call. Options of nsys are no options of ours."""
        said = json.loads(subprocess.run([WARPLENS, "--introspect"], check=True, stdout=subprocess.PIPE).stdout)
        asked = [v for v in said["verbs"] if v["kind"] in ("analysis", "document")]
        options = {o["long"] for v in asked for o in v["options"]} | {o["long"] for o in said["options"]}
        verbs = {v["name"] for v in said["verbs"]}
        spelled = re.compile(r"(?<![\w-])--([a-z][a-z-]*)|\bwarplens ([a-z-]+)")

        def check(texts, what):
            for text in texts:
                for option, verb in spelled.findall(text):
                    self.assertFalse(option in options or verb in verbs, (what, text))

        for name in [*NAMES, "waits", "serving", "tenants", "two_hosts"]:
            if not os.path.exists(self.fixture(name)):
                continue
            said = self.pipe.call("open_trace", path=self.fixture(name))
            check([said.get("answer", ""), *said.get("notes", [])], ("open_trace", name))
            check([v for f in said.get("findings", []) for k, v in f.items() if k in ("finding", "action", "sentence")], name)
            for verb in self.tools["analyze"]["inputSchema"]["properties"]["verb"]["enum"]:
                options_of = {"pattern": "e"} if verb == "search" else {"with": "no-host"} if verb == "whatif" else {}
                for more in ({}, {"min": "1s"} if verb in ("gaps", "tree") else {"top": "1"} if verb == "ops" else None):
                    if more is None:
                        continue
                    args = {"verb": verb, "trace": self.fixture(name), "options": {**options_of, **more}}
                    result = self.pipe.ask("tools/call", {"name": "analyze", "arguments": args})["result"]
                    if result["isError"]:
                        continue
                    reply = result["structuredContent"]
                    prose = [i for i, key in enumerate(reply["columns"]) if key in ("finding", "action", "advice", "why")]
                    cells = [row[i] for row in reply["rows"] for i in prose if isinstance(row[i], str)]
                    check([reply.get("answer", ""), *reply["notes"], *cells], (verb, name))

    def test_an_argument_that_looks_like_a_command_is_a_text(self):
        path, text = self.fixture("steps"), "warplens TRACE --gpu 99999999999999"
        for args in [{"verb": "iters", "marker": "kernel:re:AllReduce_Sum|" + text}, {"verb": "kernels", "where": f"name ~ '{text}'"},
                     {"verb": "search", "options": {"pattern": text}}, {"verb": "kernels", "gpu": "99999999999999"}]:
            said = self.pipe.ask("tools/call", {"name": "analyze", "arguments": {"trace": path, **args}})["result"]
            if said["isError"]:
                self.assertIn(json.loads(said["content"][0]["text"])["kind"], ("usage", "no_match"), args)
            elif args["verb"] == "iters":
                self.assertIn(text, json.dumps(said["structuredContent"]["notes"]))
        self.check("analyze", trace=path, verb="kernels")  # it still answers

    def test_options_reach_the_command_line(self):
        path = self.fixture("steps")
        for args in [{"verb": "kernels", "options": {"by": "name"}, "sort": "calls", "columns": "name,calls"},
                     {"verb": "kernels", "gpu": "0", "where": "calls > 1", "limit": 2},
                     {"verb": "overlap", "window": "steady", "options": {"by": "iteration"}},
                     {"verb": "nvtx", "options": {"exact_names": True}},
                     {"verb": "gaps", "options": {"min": "1us"}, "window": "iter:1..2"}]:
            self.compare(self.check("analyze", trace=path, **args))
        self.compare(self.check("findings", trace=path, options={"all": True}))
        self.check("describe", name="kernels")
        self.check("describe")

    def test_sql(self):
        path = self.fixture("two_ranks")
        reply = self.check("sql", trace=path, query="SELECT name, sum(sum) AS total FROM kernels GROUP BY 1 ORDER BY 2 DESC")
        self.compare(reply)
        one = self.check("sql", query="SELECT count(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL")
        self.compare(one)
        numbers = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1500) SELECT x FROM c"
        seen, cursor = [], None
        while True:
            page = self.check("sql", query=numbers, limit=700, **({"cursor": cursor} if cursor else {}))
            seen += [row[0] for row in page["rows"]]
            cursor = page.get("next_cursor")
            if not cursor:
                break
        self.assertEqual(seen, list(range(1, 1501)))
        for attack in ("DELETE FROM StringIds", "ATTACH '/etc/passwd' AS x", "SELECT load_extension('x')",
                       "VACUUM INTO '/tmp/x'", "SELECT nothing FROM nowhere", "PRAGMA journal_mode = WAL", ""):
            self.assertEqual(self.pipe.fail("sql", query=attack)["kind"], "usage", attack)
        endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
        self.assertEqual(self.pipe.fail("sql", query=endless, seconds=1)["kind"], "timeout")

    def test_skills(self):
        path = self.fixture("steps")
        for name, params in [("top_kernels", {"limit": 3}), ("gpu_idle_gaps", {"min_gap_ns": "1us"}), ("kernels", {"by": "name"}),
                             ("stream_concurrency", {}), ("theoretical_flops", {"operation": "linear", "M": 2, "N": 3, "K": 4}),
                             ("iteration_detail", {"iteration": 1}), ("nvtx_layer_breakdown", {"limit": 2})]:
            self.compare(self.check("skill", trace=path, name=name, params=params))
        self.compare(self.check("skill", name="gpu_idle_gaps", section="idle", window="steady"))
        flops = self.check("skill", name="theoretical_flops", params={"operation": "linear", "M": 2, "N": 3, "K": 4})
        self.assertEqual(flops["rows"][0][flops["columns"].index("flops")], 48)
        gaps = self.check("skill", name="gpu_idle_gaps", params={"min_gap_ns": 1})
        self.assertIn("other sections: idle", json.dumps(gaps["notes"]))
        self.assertEqual(self.pipe.fail("skill", name="tensor_core_usage")["kind"], "no_data")
        for wrong in ({"name": "top_kernel"}, {"name": "top_kernels", "params": {"limt": 1}}, {"name": "iteration_detail"}, {},
                      {"name": "top_kernels", "section": "x"}, {"name": "../x"}, {"name": "theoretical_flops", "window": "steady"}):
            self.assertEqual(self.pipe.fail("skill", **wrong)["kind"], "usage", wrong)

    def test_diff(self):
        before, after = self.fixture("steps_before"), self.fixture("steps_after")
        for section in ("verdict", "budget", "kernels"):
            reply = self.check("diff", before=before, after=after, section=section)
            self.compare(reply)
            self.assertIn("step", reply["answer"])
        # The other way round, by handle, while others ask: no two calls wait for each other.
        for k in range(20):
            pair = {"before": "t1", "after": "t2"} if k % 2 else {"before": "t2", "after": "t1"}
            self.pipe.send("tools/call", {"name": "diff", "arguments": pair}, f"d{k}")
        for k in range(20):
            self.assertFalse(self.pipe.wait(f"d{k}")["result"]["isError"])
        self.assertEqual(self.pipe.fail("diff", before="t1", after="t1")["kind"], "usage")
        self.assertEqual(self.pipe.fail("diff", before="t1", after="t2", section="gates")["kind"], "usage")
        self.assertEqual(self.pipe.fail("diff", before="t1")["kind"], "usage")

    def test_plans(self):
        reply = self.check("plan_capture", **{"for": "nccl"}, launcher="torchrun",
                           program="torchrun --nproc-per-node 8 -- train.py")
        self.assertIn("nsys", json.dumps(reply["steps"]))
        words = shlex.split(reply["how"])
        text = subprocess.run([WARPLENS, *words[1:], "--nsys-version", "9999"], check=False, stdout=subprocess.PIPE).stdout
        for step in reply["steps"]:
            self.assertIn(step["title"], text.decode())
        self.assertTrue(self.check("plan_capture", trace=self.fixture("steps"))["open_questions"])
        # the program of the trace, what it recorded, and every option that the open questions ask for
        reply = self.check("plan_capture", trace=self.fixture("tiny"))
        line = shlex.split(reply["steps"][0]["command"])
        self.assertEqual(line[-3:], ["python3", "train.py", "--steps=2"])
        self.assertTrue(any("check it before you run it" in note for note in reply["notes"]))
        said = json.dumps(reply["steps"]) + json.dumps(reply["notes"])
        for question in reply["open_questions"]:
            for word in question.get("change", "").replace(";", "").split():
                if word.startswith("--"):
                    self.assertIn(word, said)
        self.assertEqual(self.pipe.fail("plan_capture", gate="x")["kind"], "usage")
        self.assertEqual(self.pipe.fail("plan_capture", **{"for": "x"})["kind"], "usage")

    def test_names_are_explained(self):
        for name, kind in [("kernels", "verb"), ("launch-bound", "finding"), ("kernels.sum", "column"),
                           ("StringIds", "table"), ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "kernel")]:
            self.assertIn(kind, [m["kind"] for m in self.check("describe", name=name)["matches"]], name)

    def test_mistakes_are_results(self):
        self.assertEqual(self.pipe.fail("open_trace", path="/nowhere")["kind"], "io")
        self.assertEqual(self.pipe.fail("findings", trace="t9")["kind"], "usage")
        self.assertIn("did you mean", self.pipe.fail("analyze", verb="kernel")["error"])


if __name__ == "__main__":
    unittest.main()
