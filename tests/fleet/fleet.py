# SPDX-License-Identifier: MIT
"""The command fleet on the real database: shared by its tests."""
import contextlib
import json
import os
import subprocess
import tempfile

import clickhouse

WARPLENS = os.environ.get("WARPLENS") or os.path.join(clickhouse.ROOT, "build", "dev", "warplens")
BUILD = os.environ.get("WARPLENS_BUILD") or os.path.join(clickhouse.ROOT, "build", "dev")
# Tables and how many rows a run of so many ranks, steps and operations has in each.
OPS = 4
EXPECTED = {"runs": lambda r, s: 1, "ranks": lambda r, s: r, "steps": lambda r, s: r * s, "ops": lambda r, s: OPS,
            "op_rank": lambda r, s: r * OPS, "op_step": lambda r, s: s * OPS, "idle": lambda r, s: r,
            "waits": lambda r, s: r, "step_waits": lambda r, s: r * s}


@contextlib.contextmanager
def nights(n, ranks=4, steps=6, seed=60, planted=()):
    """A directory with the facts of n nights."""
    with tempfile.TemporaryDirectory(prefix="wl-nights-") as directory:
        subprocess.run([os.path.join(BUILD, "make_nights"), directory, str(n), str(ranks), str(steps), str(seed), *planted],
                       check=True)
        yield directory


class Fleet:
    """A client of one server, by its URL or URLs."""

    def __init__(self, url, *options, environment=None):
        self.options = ["--server", url, *options]
        self.environment = dict(os.environ, **(environment or {}))

    def start(self, *words):
        return subprocess.Popen([WARPLENS, "fleet", *words, *self.options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=self.environment)

    def run(self, *words, status=0):
        """(stdout, stderr); the exit status must be that one."""
        p = self.start(*words)
        out, err = p.communicate(timeout=300)
        assert p.returncode == status, (words, p.returncode, out, err)
        return out, err

    def json(self, *words, status=0):
        return json.loads(self.run(*words, "-f", "json", status=status)[0])

    def table(self, name, *words, status=0):
        answer = self.json(*words, status=status)
        return [s for s in answer.get("sections", [answer]) if s["analysis"] == name][0]["rows"]


def check_once(server, n_runs, ranks, steps, database="warplens"):
    """Readers see each fact of that many runs exactly once: counted by SQL, over all rows and over distinct keys."""
    keys = {"runs": "run_id", "ranks": "run_id, rank", "steps": "run_id, rank, step", "ops": "run_id, op",
            "op_rank": "run_id, rank, op", "op_step": "run_id, step, op", "idle": "run_id, rank, cause",
            "waits": "run_id, rank", "step_waits": "run_id, rank, step"}
    for table, count in EXPECTED.items():
        n = server.number("SELECT count() FROM %s.%s" % (database, table))
        distinct = server.number("SELECT count() FROM (SELECT DISTINCT %s FROM %s.%s)" % (keys[table], database, table))
        assert n == distinct == n_runs * count(ranks, steps), (table, n, distinct, n_runs * count(ranks, steps))


def fails_at(number, how):
    """A rule that breaks one insert."""
    return lambda query, n: how if n == number else None


def killed_before(server, number, night, others=(), options=()):
    """Push a night and kill the client when it sends that INSERT, which does not arrive."""
    with clickhouse.Front(server) as front:
        client, process = Fleet(",".join([front.url, *others]), *options), []
        front.rule = lambda query, n: (process[0].kill() or "drop") if n == number else None
        process.append(client.start("push", night))
        process[0].communicate(timeout=60)
        assert process[0].returncode == -9, process[0].returncode
