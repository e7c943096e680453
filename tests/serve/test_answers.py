#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the page is told equals what verbs print, and itself at other zooms."""
import csv
import io
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from client import FIXTURES, TOKEN, WARPLENS, Server, ServerTest, events_of, view_of


class Answers(ServerTest):
    def setUp(self):
        self.meta = self.server.json("meta")
        self.trace_of = self.meta["traces"][0]
        self.origin = int(self.trace_of["origin"])
        self.end = self.trace_of["end"]
        self.all_rows = "0-%d" % (len(self.meta["rows"]) - 1)

    def rows(self, kind):
        return [i for i, row in enumerate(self.meta["rows"]) if row["kind"] == kind]

    def window(self, a, b):
        return "%dns..%dns" % (a + self.origin, b + self.origin)

    def test_the_page(self):
        status, fields, body = self.server.ask("")
        self.assertEqual(status, 200)
        self.assertTrue(fields["Content-Type"].startswith("text/html"))
        self.assertIn(b'<meta name="source" content="server">', body)

    def test_the_head(self):
        self.assertEqual(self.meta["format"], 1)
        self.assertIsNone(self.meta["data"])
        self.assertEqual(self.trace_of["label"], self.trace)

    def test_views_cover_what_events_cover(self):
        rows, w, a, b = view_of(self.server.get("view?a=0&b=%d&w=64&rows=%s" % (max(self.end, 64), self.all_rows)))
        self.assertEqual((w, a, b), (64, 0, max(self.end, 64)))
        self.assertEqual(sorted(rows), list(range(len(self.meta["rows"]))))
        for row, lanes in rows.items():
            events, head = events_of(self.server.get("events?row=%d&a=0&b=%d" % (row, self.end + 1)))
            self.assertFalse(head["truncated"])
            self.assertEqual(len({e[4] for e in events}), len(lanes))
            for number, lane in enumerate(lanes):
                for x in range(w):
                    c0, c1 = (b * x) // w, (b * (x + 1)) // w
                    has = any(e[4] == number and (e[0] < c1 and e[0] + e[1] > c0 or c0 <= e[0] < c1) for e in events)
                    self.assertEqual(lane[2 * x + 1] > 0, has, (row, number, x))

    def test_names_and_events(self):
        names = self.server.json("names?from=0&n=10000")
        for row in range(len(self.meta["rows"])):
            for _, _, name, ref, _ in events_of(self.server.get("events?row=%d&a=0&b=%d" % (row, self.end + 1)))[0][:20]:
                event = self.server.json("event?row=%d&ref=%d" % (row, ref))
                if self.meta["rows"][row]["kind"] not in ("gaps", "gpu"):
                    self.assertEqual([event["name"], event["category"]], names[name][:2])

    def test_findings_equal_findings(self):
        want = self.verb("findings", self.trace)["rows"]
        self.assertTrue(any(row["saving"] for row in want))
        self.assertTrue(any(row["saving"] is None for row in want))
        self.assertEqual([[f[k] for k in ("code", "title", "text", "evidence", "saving", "share")] for f in self.meta["findings"]],
                         [[row[k] for k in ("code", "action", "finding", "evidence", "saving", "share")] for row in want])
        frameworks = (("How", "advice"), ("CUDA", "cuda"), ("PyTorch", "pytorch"), ("JAX", "jax"), ("vLLM and SGLang", "vllm_sglang"),
                      ("Caveat", "limits"))
        self.assertTrue(any(row["pytorch"] for row in want))
        self.assertEqual([f["lines"] for f in self.meta["findings"]],
                         [[[title, row[key]] for title, key in frameworks if row[key]] for row in want])

    def sql(self, statement):
        status, _, body = self.server.ask("sql?" + urllib.parse.urlencode({"q": statement}))
        return status, json.loads(body)

    def test_sql_equals_the_verb(self):
        for statement in ("SELECT name, calls, sum, share FROM kernels", "SELECT * FROM ops LIMIT 30", "SELECT * FROM launches LIMIT 30",
                          "SELECT * FROM nvtx_ranges LIMIT 30", "SELECT * FROM strings LIMIT 30", "SELECT cause, sum FROM idle",
                          "SELECT count(*) AS n FROM CUPTI_ACTIVITY_KIND_KERNEL", "SELECT 1 AS a; CREATE TEMP VIEW v AS SELECT 1"):
            want = self.verb("sql", self.trace, statement)
            status, got = self.sql(statement)
            self.assertEqual(status, 200, statement)
            self.assertEqual([c["key"] for c in got["columns"]], [c["key"] for c in want["columns"]])
            times = [i for i, c in enumerate(got["columns"]) if c["type"] == "time"]
            rows = [[v + self.origin if i in times and v is not None else v for i, v in enumerate(row)] for row in got["rows"]]
            self.assertEqual(rows, [list(row.values()) for row in want["rows"]], statement)
            self.assertFalse(got["truncated"])

    def test_sql_is_bounded_and_changes_nothing(self):
        many = "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT %d) SELECT x FROM t"
        self.assertEqual(self.sql(many % 2000)[1]["truncated"], False)
        _, got = self.sql(many % 100000)
        self.assertEqual((len(got["rows"]), got["truncated"]), (2000, True))
        before = os.stat(self.trace).st_mtime_ns, os.path.getsize(self.trace)
        for bad in ("DELETE FROM StringIds", "ATTACH '/etc/passwd' AS p", "SELECT load_extension('x')", "SELEC", "PRAGMA journal_mode = DELETE",
                    "CREATE TABLE x(y)", "CREATE TEMP TABLE x(y)", "VACUUM INTO '/tmp/warplens-never.sqlite'", "", ";"):
            status, got = self.sql(bad)
            self.assertEqual(status, 400, bad)
            self.assertTrue(got["error"], bad)
        self.assertEqual(before, (os.stat(self.trace).st_mtime_ns, os.path.getsize(self.trace)))
        self.assertEqual(self.sql("SELECT * FROM x")[0], 400)  # TEMP ended with its question

    def check_stats(self, a, b):
        want = {r["name"]: r for r in self.verb("kernels", self.trace, "--by", "name", "--window", self.window(a, b))["rows"]}
        table = self.server.json("stats?a=%d&b=%d&by=name&rows=%s" % (a, b, ",".join(map(str, self.rows("stream")))))
        keys = [c["key"] for c in table["columns"]]
        got = {row[0]: dict(zip(keys, row)) for row in table["rows"]}
        self.assertTrue(want)
        for name, row in want.items():
            self.assertEqual([got[name][k] for k in ("count", "sum", "avg", "p50", "p99")],
                             [row[k] for k in ("calls", "sum", "avg", "p50", "p99")], name)

    def test_statistics_equal_kernels(self):
        self.check_stats(0, self.end)
        self.check_stats(self.end // 3, 2 * self.end // 3)

    def test_gaps_equal_gaps(self):
        want = self.verb("gaps", self.trace, "--window", self.window(0, self.end), "--min", "1us")["rows"]
        table = self.server.json("gaps?a=0&b=%d&min=1000" % self.end)
        self.assertEqual([[r[0], r[1] + self.origin, r[2], r[3], r[4]] for r in table["rows"]],
                         [[r["device"], r["start"], r["duration"], r["cause"], r["detail"]] for r in want])

    def test_tables_equal_verbs(self):
        known = json.loads(subprocess.run([WARPLENS, "--introspect"], capture_output=True, check=True).stdout)["verbs"]
        verbs = [v["name"] for v in known if v["kind"] == "analysis" and v["operands"] == "TRACE..."]
        self.assertIn("threads", verbs)
        self.assertIn("schema", verbs)
        for verb in verbs:
            run = subprocess.run([WARPLENS, verb, self.trace, "-f", "json"], capture_output=True, check=False)
            status, _, body = self.server.ask("table?verb=" + verb)
            if run.returncode == 0:
                self.assertEqual((status, body), (200, run.stdout), verb)
            else:  # 2: it needs an option that has no default
                self.assertEqual(status, 400 if run.returncode == 2 else 404, verb)

    def test_search_equals_search(self):
        for pattern in ("gemm", "cuda", "step", "nothing at all"):
            rows = self.verb("search", pattern, self.trace)["rows"]
            got = self.server.json("search?mode=re&w=50&q=" + pattern.replace(" ", "+"))
            self.assertEqual(sum(got["hits"]), got["total"])
            self.assertGreaterEqual(got["total"], sum(r["count"] for r in rows))
            # The names of copies and calls of the system are found here, too; of what the verb knows there are as many.
            for row in rows:
                exact = self.server.ask("search?mode=exact&q=" + "".join("%%%02x" % c for c in row["name"].encode()))
                self.assertEqual(exact[0], 200)

    def test_a_walk_over_hits_meets_each_once(self):
        total = self.server.json("search?q=cuda&w=1")["total"]
        after, met = "", 0
        while True:
            answer = self.server.json("search?q=cuda&w=1" + after)
            if not answer["next"]:
                break
            self.assertEqual(answer["index"], met)
            met += 1
            hit = answer["next"]
            after = "&after=%d,%d,%d" % (hit["begin"], hit["rowId"], hit["ref"])
        self.assertEqual(met, total)

    def test_exports_equal_exports(self):
        with tempfile.TemporaryDirectory() as room:
            for fmt, ending in (("csv", ".csv"), ("json", ".json"), ("jsonl", ".jsonl")):
                path = os.path.join(room, "x" + ending)
                subprocess.run([WARPLENS, "export", self.trace, "-o", path], capture_output=True, check=True)
                with open(path, "rb") as f:
                    self.assertEqual(self.server.get("export?fmt=" + fmt), f.read(), fmt)
        status, fields, body = self.server.ask("export?fmt=perfetto&a=0&b=%d" % (self.end // 2))
        self.assertEqual((status, body[:1]), (200, b"\n"))
        self.assertEqual(fields["Content-Disposition"], 'attachment; filename="range.pftrace"')
        half = list(csv.reader(io.StringIO(self.server.get("export?fmt=csv&a=0&b=%d" % (self.end // 2)).decode())))
        whole = list(csv.reader(io.StringIO(self.server.get("export?fmt=csv").decode())))
        self.assertLess(1, len(half))
        self.assertLess(len(half), len(whole))


class Lives(unittest.TestCase):
    def test_signals_stop_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = Server(ServerTest.trace)
            self.assertEqual(server.stop(number), 0)
            server = Server(ServerTest.trace).wait()
            self.assertEqual(server.stop(number), 0)

    def test_events_are_counted_as_viewer_counts(self):
        server = Server(ServerTest.trace).wait()
        n = sum(row["events"] for row in server.json("meta")["rows"])
        self.assertIn("serve: ready, %d events" % n, server.process.stderr.readline())
        server.stop()
        with tempfile.TemporaryDirectory() as room:
            run = subprocess.run([WARPLENS, "viewer", ServerTest.trace, "-o", os.path.join(room, "x.html")], capture_output=True,
                                 check=True, text=True)
        self.assertIn("viewer: %d events" % n, run.stderr)

    def test_ranks_are_those_of_the_convention(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            f.write('{ "name": "mine", "rank": ["re:dp=[0-9]/(2)"] }')
            f.flush()
            for options in ((), ("--conventions", f.name)):
                run = subprocess.run([WARPLENS, "pids", ServerTest.trace, "-f", "json", *options], capture_output=True, check=True)
                want = {row["pid"]: row["rank"] for row in json.loads(run.stdout)["rows"]}
                server = Server(ServerTest.trace, *options).wait()
                self.assertEqual({p["pid"]: p["rank"] for p in server.json("meta")["processes"]}, want)
                server.stop()

    def test_two_traces(self):
        server = Server(ServerTest.trace, ServerTest.trace).wait()
        meta = server.json("meta")
        self.assertEqual([t["label"] for t in meta["traces"]], [ServerTest.trace] * 2)
        n = len(meta["rows"]) // 2
        rows, _, _, _ = view_of(server.get("view?a=0&b=100000&w=100&rows=0-%d" % (2 * n - 1)))
        for i in range(n):
            self.assertEqual(rows[i], rows[i + n])
        self.assertEqual(server.get("table?verb=kernels&trace=0"), server.get("table?verb=kernels&trace=1"))
        both, first, second = (server.json("search?q=cuda&w=20" + of) for of in ("", "&trace=0", "&trace=1"))
        self.assertEqual([first["total"], second["total"]], [both["total"] // 2] * 2)
        self.assertEqual(first["hits"], second["hits"])
        self.assertEqual([meta["rows"][a["next"]["rowId"]]["trace"] for a in (first, second)], [0, 1])
        self.assertEqual(server.ask("search?q=cuda&w=20&trace=2")[0], 400)
        end, devices = meta["traces"][0]["end"], len(meta["devices"]) // 2
        gaps = server.json("gaps?a=0&b=%d&min=1" % end)
        first = [row for row in gaps["rows"] if row[0] < devices]
        self.assertTrue(first)
        self.assertEqual(sorted([row[0] + devices, *row[1:]] for row in first), sorted(r for r in gaps["rows"] if r[0] >= devices))
        self.assertEqual(gaps["total"], 2 * len(first))
        self.assertEqual(server.json("gaps?a=0&b=%d&min=1&device=%d" % (end, devices))["rows"],
                         [row for row in gaps["rows"] if row[0] == devices])
        self.assertEqual(server.ask("gaps?a=0&b=9&device=%d" % (2 * devices))[0], 400)
        streams = [i for i, row in enumerate(meta["rows"]) if row["kind"] == "stream"]
        by_range = server.json("stats?a=0&b=%d&by=nvtx&rows=%s" % (end, ",".join(map(str, streams))))["rows"]
        self.assertEqual(len({row[0] for row in by_range}), len(by_range))
        self.assertEqual(server.stop(), 0)

    def test_what_cannot_be_read(self):
        with tempfile.NamedTemporaryFile(suffix=".sqlite") as f:
            f.write(b"no database")
            f.flush()
            run = subprocess.run([WARPLENS, "serve", f.name], capture_output=True, timeout=60, check=False)
            self.assertEqual(run.returncode, 3)

    def test_the_secret(self):
        """From the command line or a private file; a file that others can open is refused."""
        with tempfile.NamedTemporaryFile("w", suffix=".token") as f:
            f.write(TOKEN[::-1] + "\n")
            f.flush()
            for options in (("--token", TOKEN), ("--token-file", f.name)):
                server = Server(ServerTest.trace, *options, token="f" * 32)
                self.assertEqual(server.base, "/t/%s/" % (TOKEN if options[0] == "--token" else TOKEN[::-1]))
                self.assertEqual(server.stop(), 0)
            both = subprocess.run([WARPLENS, "serve", ServerTest.trace, "--token", TOKEN, "--token-file", f.name],
                                  capture_output=True, timeout=60, check=False)
            self.assertEqual(both.returncode, 2)
            os.chmod(f.name, 0o640)
            run = subprocess.run([WARPLENS, "serve", ServerTest.trace, "--token-file", f.name],
                                 capture_output=True, timeout=60, check=False)
            self.assertEqual(run.returncode, 2)
            self.assertIn(b"chmod 600", run.stderr)
            self.assertNotIn(TOKEN[::-1].encode(), run.stderr)
        wrong = subprocess.run([WARPLENS, "serve", ServerTest.trace], capture_output=True, timeout=60, check=False,
                               env={**os.environ, "WARPLENS_TOKEN": "secret"})
        self.assertEqual(wrong.returncode, 2)
        self.assertNotIn(b"secret", wrong.stderr)

    def test_usage(self):
        for args in ((), ("x.sqlite", "--port", "70000"), ("x.sqlite", "--token", "abc"), (ServerTest.trace, "--bind", "example.org")):
            run = subprocess.run([WARPLENS, "serve", *args], capture_output=True, timeout=60, check=False)
            self.assertEqual(run.returncode, 2, args)
        server = Server(ServerTest.trace)
        run = subprocess.run([WARPLENS, "serve", ServerTest.trace, "--port", str(server.port)], capture_output=True, timeout=60, check=False)
        self.assertEqual(run.returncode, 2)
        self.assertIn(b"--port", run.stderr)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main()
