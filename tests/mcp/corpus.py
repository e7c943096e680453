#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""corpus.py CORPUS - every tool and verb on every real trace: replies conform, keep their bound, and show no environment."""
import glob
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

from client import Pipe, invalid

BOUND = 40000
SHORTEST = 12  # of a value that is looked for: shorter ones are words that occur anywhere

ENVIRONMENT = "SELECT value FROM META_DATA_CAPTURE WHERE name LIKE '%ENVIRONMENT_VARIABLE%'"
OTHERS = ["SELECT value FROM META_DATA_CAPTURE WHERE name NOT LIKE '%ENVIRONMENT_VARIABLE%'",
          "SELECT value FROM META_DATA_EXPORT", "SELECT value FROM StringIds WHERE value NOT LIKE '%=%'",
          "SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE value NOT LIKE '%=%'"]


def column(db, query):
    try:
        return [str(value) for value, in db.execute(query)]
    except sqlite3.Error:
        return []


def private_values(path):
    """Values of variables that are no facts of the trace: the working directory, the host and paths of libraries are."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        db.text_factory = lambda data: data.decode(errors="replace")
        public = "\0".join(value for query in OTHERS for value in column(db, query))
        values = {value.split("=", 1)[-1].strip('"') for value in column(db, ENVIRONMENT)}
    return [value for value in values if len(value) >= SHORTEST and value[:60] not in public]


def calls(path, verbs):
    yield "open_trace", {"path": path}
    yield "findings", {"trace": path, "options": {"all": True}}
    yield "plan_capture", {"trace": path}
    for query in ("SELECT * FROM META_DATA_CAPTURE", "SELECT * FROM ProcessStreams", "SELECT * FROM StringIds",
                  "SELECT * FROM TARGET_INFO_SYSTEM_ENV", "SELECT * FROM StringIds WHERE value LIKE '%PATH=%'",
                  "SELECT * FROM strings WHERE value LIKE '%=%'"):
        yield "sql", {"trace": path, "query": query, "limit": 2000}
    for verb in verbs:
        options = {"pattern": "."} if verb == "search" else {}
        yield "analyze", {"trace": path, "verb": verb, "limit": 2000, "options": options}


class Corpus:
    def __init__(self):
        self.pipe = Pipe()
        self.tools = {tool["name"]: tool for tool in self.pipe.ask("tools/list")["result"]["tools"]}
        self.verbs = self.tools["analyze"]["inputSchema"]["properties"]["verb"]["enum"]
        self.n = self.largest = self.n_private = 0
        self.wrong = []

    def check(self, what, tool, args, private):
        result = self.pipe.ask("tools/call", {"name": tool, "arguments": args}, 300)["result"]
        text = result["content"][0]["text"]
        size = len(text.encode())
        why = None if result["isError"] else invalid(result["structuredContent"], self.tools[tool]["outputSchema"])
        shown = [value for value in private if json.dumps(value[:60])[1:-1] in text]
        self.n += 1
        self.largest = max(self.largest, size)
        if why or size > BOUND or shown:
            self.wrong.append((what, tool, args.get("verb", args.get("query")), why, size, shown))

    def ask(self, what, path):
        private = private_values(path)
        self.n_private += len(private)
        for tool, args in calls(path, self.verbs):
            self.check(what, tool, args, private)


def main():
    corpus = Corpus()
    with tempfile.TemporaryDirectory() as room:
        for packed in sorted(glob.glob(os.path.join(sys.argv[1], "*", "*.sqlite.zst"))):
            path = os.path.join(room, os.path.basename(os.path.dirname(packed)) + ".sqlite")
            subprocess.run(["zstd", "-dqf", packed, "-o", path], check=True)
            corpus.ask(packed, path)
            os.remove(path)
    print(f"{corpus.n} replies, the largest of {corpus.largest} bytes; {corpus.n_private} private values looked for")
    for wrong in corpus.wrong:
        print("wrong:", *wrong)
    sys.exit(bool(corpus.wrong))


if __name__ == "__main__":
    main()
