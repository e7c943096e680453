# SPDX-License-Identifier: MIT
"""Run a command and say what it took: CPU, wall, rows, bytes from the disk, anonymous memory."""
import os
import re
import subprocess
import tempfile
import time

BLOCK = 512            # unit of ru_inblock
SAMPLE_SECONDS = 0.002
NO_DATA = 5            # exit status of warplens where the trace cannot answer

TIMES = re.compile(r"^stats: (\w+) +([\d.]+) s CPU(?: +([\d.]+) s wall)?", re.M)
ROWS = re.compile(r"^stats: rows loaded +(\d+)", re.M)
READER = re.compile(r"^stats: reader +(\w+)", re.M)
ANONYMOUS = re.compile(r"^stats: anonymous .*?(\d+) kB", re.M)


class Failed(Exception):
    """A command ended with a status that is not expected."""


def environment():
    """No index but the one that a command names."""
    return {k: v for k, v in os.environ.items() if k != "WARPLENS_INDEX_DIR"}


def start(command):
    """The process, and the file that takes its standard error: a pipe that nobody reads could stop it."""
    errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=environment()), errors


def finish(process, errors, status):
    """The text on standard error; None where the trace has no data for the verb."""
    with errors:
        errors.seek(0)
        text = errors.read()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, NO_DATA):
        raise Failed("%s: exit status %d\n%s" % (" ".join(process.args), process.returncode, text))
    return text if process.returncode == 0 else None


def check_reader(command, text, reader):
    """A program that goes another way than it was asked to would be measured for what it is not."""
    used = READER.search(text)
    if reader and (not used or used.group(1) != reader):
        raise Failed("%s: does not read by %s\n%s" % (" ".join(command), reader, text))


def run(command, reader=None):
    """One measurement, or None where the trace has no data for the verb. It must use this reader, if any.

    `total` is the whole process as its parent sees it; `open`, `load`, `compute` and `print` are what
    it says of itself. Times are [CPU, wall] in seconds; the wall of a part may be None.
    """
    begun = time.monotonic()
    process, errors = start(command)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.monotonic() - begun
    text = finish(process, errors, status)
    if text is None:
        return None
    check_reader(command, text, reader)
    parts = {name: [float(cpu), float(wall) if wall else None] for name, cpu, wall in TIMES.findall(text)}
    rows = ROWS.search(text)
    return {"parts": dict(parts, total=[used.ru_utime + used.ru_stime, wall]),
            "rows": int(rows.group(1)) if rows else None,
            "disk": used.ru_inblock * BLOCK}


def anonymous(pid):
    try:
        with open("/proc/%d/status" % pid, encoding="ascii", errors="replace") as lines:
            return max((int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon")), default=0)
    except OSError:
        return 0


def peak(command):
    """Most anonymous memory in bytes. A run of its own: looking at a process costs it time."""
    process, errors = start(command)
    most = 0
    while True:
        pid, status, _ = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        most = max(most, anonymous(process.pid))
        time.sleep(SAMPLE_SECONDS)
    told = ANONYMOUS.findall(finish(process, errors, status) or "")
    return max([most] + [int(kb) * 1024 for kb in told])


def warm(path):
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass


def drop_from_cache(path):
    """What is not on the disk yet cannot be dropped, so write it first."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)
