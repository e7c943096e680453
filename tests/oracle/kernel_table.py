"""src/facts/kernels.def in Python, by its own comment: what the table says of a kernel's name.

A collective of None is named by the words of the kernel's name."""

import functools
import os
import re

TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "src", "facts", "kernels.def")


def read(path=TABLE):
    """(categories in order, lines): a line is (category, collective, fused, wrapper or None, [(a part that must be there, expression)])."""
    with open(path, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    words, lines = {}, []
    for macro, args in re.findall(r'^(WL_\w+)\(((?:"[^"]*"|[^")])*)\)', text, flags=re.M):
        bare, quoted = re.findall(r"\b[A-Z_]+\b(?=[,)])", re.sub(r'"[^"]*"', "", args + ")")), re.findall(r'"([^"]*)"', args)
        if macro == "WL_CATEGORY":
            words[bare[0]] = quoted[0]
        elif macro == "WL_KERNEL_COMM":
            kind = None if bare[0] == "NAMED" else bare[0].lower().replace("_", "")
            lines.append(("communication", kind, bare[1] == "WITH_COMPUTE", None, quoted[2:]))
        elif macro == "WL_KERNEL_INSIDE":
            lines.append((words[bare[0]], None, False, quoted[2], quoted[3:]))
        else:
            lines.append((words[bare[0]], None, macro == "WL_KERNEL_ALSO_COMM", None, quoted[2:]))
    return list(words.values()), [(c, k, f, w and re.compile(pattern(w)), [(literal(p), re.compile(pattern(p))) for p in ps]) for c, k, f, w, ps in lines]


def words_of(name):
    """Small letters, with camelCase taken apart."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"[A-Z]", lambda m: m.group().lower(), name)


def literal(p):
    """The longest text that a name must have to fit; looking for it is much faster than the expression."""
    return max(p.lstrip("^").rstrip("$").split("*"), key=len)


def pattern(p):
    """A pattern of the table as a regular expression to search for."""
    left = "" if p[0] in "^*" else r"(?<![a-z0-9])" if p[0].isalnum() else ""
    body = p.lstrip("^").rstrip("$")
    right = r"\Z" if p[-1] == "$" else "" if p[-1] == "*" or not p[-1].isalnum() else r"(?![a-z0-9])"
    return (r"\A" if p[0] == "^" else left) + "[^\\0]*?".join(re.escape(x) for x in body.split("*")) + right


CATEGORIES, LINES = read()
KEPT = ("(anonymous namespace)", "<unnamed>", "<lambda", "operator()", "operator<<", "operator<=", "operator<", "operator>>", "operator>=", "operator>")


def base_of(name):
    """Without return type, template arguments, parameters and a trailing hash of eight or more hexadecimal digits."""
    out, depth, i = "", 0, 0
    while i < len(name):
        kept = next((k for k in KEPT if depth == 0 and name.startswith(k, i)), "")
        if kept:
            out += kept
        elif name[i] == "(" and depth == 0:
            break
        elif name[i] == " " and depth == 0:
            out = ""
        elif name[i] == "<":
            depth += 1
        elif name[i] == ">":
            depth -= depth > 0
        elif depth == 0:
            out += name[i]
        i += len(kept) or 1
    out = out or name
    return re.sub(r"(?<=.)_(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{8,}$", "", out)


@functools.lru_cache(maxsize=None)
def named(name):
    """(category, collective or None, fused)."""
    base = base_of(name)
    base_words, whole_words = words_of(base), None
    for category, collective, fused, wrapper, patterns in LINES:
        where = base_words
        if wrapper:
            if not wrapper.search(base_words):
                continue
            whole_words = where = whole_words or words_of(name)
        if any(part in where and p.search(where) for part, p in patterns):
            return category, collective, fused
    return "(other)", None, False
