# SPDX-License-Identifier: MIT
"""Reads what pfcheck prints of a Perfetto file; a fault in the file raises."""
import collections
import os
import re
import subprocess

import wl

PFCHECK = os.path.join(os.environ.get("WARPLENS_BUILD") or os.path.join(wl.ROOT, "build", "dev"), "pfcheck")
PLAIN = {"t": "\t", "n": "\n"}

Slice = collections.namedtuple("Slice", "path start duration depth name categories flows_out flows_in correlation arguments uuid")
Track = collections.namedtuple("Track", "path kind pid tid rank has_events description uuid parent")


class Fault(Exception):
    pass


def lines(option, source):
    """Fields of each line; source is a path or the bytes of a file."""
    command = [PFCHECK, option] + ([source] if isinstance(source, str) else [])
    p = subprocess.run(command, input=None if isinstance(source, str) else source,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
    if p.returncode != 0:
        raise Fault("%s: %s" % (source if isinstance(source, str) else "bytes", p.stderr.decode("utf-8", "replace").strip()))
    return [line.split("\t") for line in p.stdout.decode("utf-8").split("\n")[:-1]]


def plain(text):
    return re.sub(r"\\(.)", lambda m: PLAIN.get(m.group(1), m.group(1)), text, flags=re.S) if "\\" in text else text


def arguments(text):
    """A dictionary from "key=value;..."."""
    pairs = re.findall(r"((?:[^\\;=]|\\.)*)=((?:[^\\;]|\\.)*)(?:;|$)", text, flags=re.S) if text else ()
    return {plain(k): plain(v) for k, v in pairs}


def slices(source):
    """Slices and instants; paths and arguments are as printed, names as they are."""
    return [Slice(f[0], int(f[1]), int(f[2]), int(f[3]), plain(f[4]), plain(f[5]), f[6], f[7], f[8], f[9], int(f[10]))
            for f in lines("--slices", source)]


def counters(source):
    return [(f[0], int(f[1]), float(f[2]), int(f[3])) for f in lines("--counters", source)]


def tracks(source):
    return [Track(f[0], f[1], int(f[2]), int(f[3]), int(f[4]), f[5] == "1", plain(f[6]), int(f[7]), int(f[8])) for f in lines("--tracks", source)]


def stats(source):
    return {key: float(value) if "." in value else int(value) for key, value in lines("--stats", source)}
