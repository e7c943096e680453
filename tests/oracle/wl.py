# SPDX-License-Identifier: MIT
"""Runs the program under test and finds the corpus; shared by the oracle tests."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WARPLENS = os.environ.get("WARPLENS") or os.path.join(ROOT, "build", "dev", "warplens")
SHARED = os.environ.get("WARPLENS_SHARED") or os.path.join(os.path.dirname(ROOT), "shared")
CORPUS = os.path.join(SHARED, "corpus")
JOBS = os.path.join(SHARED, "jobs")
NO_DATA, USAGE = 5, 2


def run(*args):
    """(exit status, parsed JSON or None). A crash or broken JSON raises."""
    command = [WARPLENS, *map(str, args), "-f", "json", "-n", "0"]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode not in (0, NO_DATA):
        raise RuntimeError("%s: exit %d: %s" % (" ".join(command), p.returncode, p.stderr.decode("utf-8", "replace")[:400]))
    return p.returncode, json.loads(p.stdout) if p.returncode == 0 else None


def refuses(*args):
    """Whether the command line is called wrong."""
    command = [WARPLENS, *map(str, args), "-f", "json", "-n", "0"]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600).returncode == USAGE


def seeds(usual):
    """The seeds of a test's random traces: ORACLE_SEEDS (usual) of them from ORACLE_BASE (1) on, of the usual number only one
    in ORACLE_PART."""
    part = int(os.environ.get("ORACLE_PART", "1"))
    base = int(os.environ.get("ORACLE_BASE", "1"))
    return range(base, base + int(os.environ.get("ORACLE_SEEDS") or max(usual // part, 1)))


def skip_without_corpus():
    if not os.path.isdir(CORPUS):
        print("skipped: no corpus at", CORPUS)
        sys.exit(77)


def is_too_large(packed):
    """Whether TRACES_MOST_KB, of the packed file, leaves it to runs that have more time."""
    most = os.environ.get("TRACES_MOST_KB")
    if not most or os.path.getsize(packed) // 1024 <= int(most):
        return False
    print("left out:", os.path.relpath(packed, CORPUS) + ", which is larger than TRACES_MOST_KB")
    return True


def real_job(name, scratch):
    """A real job's files in a directory of their own."""
    out = os.path.join(scratch, name)
    os.mkdir(out)
    for packed in sorted(os.listdir(os.path.join(JOBS, name))):
        if packed.endswith(".sqlite.zst"):
            with open(os.path.join(out, packed[:-len(".zst")]), "wb") as f:
                subprocess.run(["zstd", "-qdc", os.path.join(JOBS, name, packed)], stdout=f, check=True)
    return out


def packed_traces(main_only):
    """(name, packed file): the corpus, and of all traces also those that were found beside it."""
    for name in sorted(os.listdir(CORPUS)):
        directory = os.path.join(CORPUS, name)
        for packed in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
            is_trace = packed.startswith("trace") and packed.endswith(".sqlite.zst")
            if is_trace and (not main_only or packed == "trace.sqlite.zst") and name != "own-damaged-rep":
                yield name, os.path.join(directory, packed)
    others = os.path.join(SHARED, "inputs", "nsys")
    for packed in sorted(os.listdir(others)) if os.path.isdir(others) and not main_only else []:
        if packed.endswith(".sqlite.zst"):
            yield packed[:-len(".sqlite.zst")], os.path.join(others, packed)


def corpus_traces(main_only=False, any_size=False):
    """Yields (name, path of an unpacked export); the unpacked files live as long as the generator."""
    with tempfile.TemporaryDirectory(prefix="wl-oracle-") as scratch:
        for name, packed in packed_traces(main_only):
            if any_size or not is_too_large(packed):
                path = os.path.join(scratch, name + "." + os.path.basename(packed)[:-len(".zst")])
                with open(path, "wb") as out:
                    subprocess.run(["zstd", "-qdc", packed], stdout=out, check=True)
                yield name, path
                os.remove(path)


class Tally:
    """Counts named checks, prints the first differences, and the last line."""
    def __init__(self, show=20):
        self.passed, self.failed, self.show = 0, 0, show

    def check(self, what, differences):
        """differences: a list of strings, empty when all is well."""
        if not differences:
            self.passed += 1
            return
        self.failed += 1
        if self.failed <= self.show:
            print("FAIL", what)
            for d in differences[:6]:
                print("    ", str(d)[:600])

    def equal(self, what, got, want):
        self.check(what, [] if got == want else ["warplens %r, oracle %r" % (got, want)])

    def finish(self):
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(1 if self.failed else 0)
