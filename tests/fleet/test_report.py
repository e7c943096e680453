#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report of all series: its tables are those of the database, and its page is whole without a server, a script or Grafana."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import clickhouse
import fleet
import test_waits

NIGHTS, CHANGED = 12, 8
TITLES = ["Step time by run", "Newest runs", "Changes of the step time", "What changed", "Slow ranks and hosts", "Coverage"]


def check_page(path, run):
    with open(path, encoding="utf-8") as f:
        page = f.read()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert "default-src 'none'" in policy and re.search(r"script-src 'sha256-[^']*'", policy), policy
    assert not re.search(r'(?:src|href)="?(?:https?:)?//', page), "the page loads something"
    titles = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert titles == TITLES, titles
    assert page.count("<svg") >= 2 and run in page and "<b>llm" not in page and "&lt;b&gt;llm" in page
    if shutil.which("tidy"):
        said = subprocess.run(["tidy", "-e", "-q", "--gnu-emacs", "yes", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False).stdout.splitlines()
        said = [line for line in said if not line.endswith('Warning: <title> proprietary attribute "id"')]
        assert not said, said


def check_access(path):
    """As pages of warplens are checked in a browser, where tests/browser has run and left its packages."""
    room = os.path.join(os.environ.get("WARPLENS_BUILD", ""), "browser")
    chromium = shutil.which("chromium")
    if chromium and shutil.which("node") and os.path.isdir(os.path.join(room, "node_modules", "axe-core")):
        subprocess.run(["node", os.path.join(room, "pages.mjs"), chromium, path], check=True, timeout=120)


def main():
    with fleet.nights(NIGHTS, 4, 6, planted=["%d:gemm:1.6" % CHANGED]) as directory, \
            tempfile.TemporaryDirectory(prefix="wl-report-") as work, clickhouse.servers(1) as (server,):
        client = fleet.Fleet(server.url)
        client.run("init")
        client.run("report")
        client.run("watch", directory, "--once")
        _, facts = test_waits.make_job(work, "--key", "project=<b>llm", "--key", "config=job")
        client.run("push", facts)
        series = client.table("series", "report")
        assert len(series) == NIGHTS + 1 and {r["series"].split(",")[0] for r in series} == {"<b>llm job", "llm nightly"}, series
        nightly = [r for r in series if r["series"].startswith("llm nightly")]
        assert [r["number"] for r in nightly] == list(range(1, NIGHTS + 1))
        assert [r["number"] - 1 for r in nightly if r["changed"]] == [CHANGED], nightly
        stored = dict(server.rows("SELECT substring(run_id, 1, 12), verdict FROM warplens.verdicts WHERE kind = 'run'"))
        assert {r["run"]: r["verdict"] for r in series} == stored, (series, stored)
        steps = server.rows("SELECT substring(run_id, 1, 12), step_p50 FROM warplens.runs")
        assert {r["run"]: r["step"] for r in series} == {run: int(step) for run, step in steps}
        late = client.table("late", "report", "--top", "0")
        assert late[0]["rank"] == 2 and late[0]["host"] == "node02" and late[0]["caused"] == max(r["caused"] for r in late), late
        coverage = {r["name"]: r["share"] for r in client.table("coverage", "report")}
        assert coverage["communication_matched"] == 1, coverage
        page = os.path.join(work, "history.html")
        client.run("report", "-o", page)
        check_page(page, nightly[CHANGED]["run"])
        check_access(page)
    print("the report is whole")
    return 0


if __name__ == "__main__":
    sys.exit(main())
