# SPDX-License-Identifier: MIT
"""Compare the values of options in plans with those that the help of nsys names.

    plan_values.py NSYS PLANS

Prints one line for each value that the help of the command lacks, or "N values" when there is none. Options that take
any text are listed below; an option that is neither there nor has a list of values in the help is reported.
"""
import re
import shlex
import subprocess
import sys

TEXTS = {"--output", "--session", "--session-new", "--nvtx-capture"}
NUMBERS = {"--delay", "--duration"}
# The help refers to "--gpu-metrics-device=help", which lists "all" beside the GPUs of a machine that has some.
ELSEWHERE = {("--gpu-metrics-device", "all"), ("--gpu-metrics-devices", "all")}
COMMANDS = ("profile", "launch", "start", "stop")


def help_of(nsys, command):
    """The paragraphs of a command's help, by long option."""
    text = subprocess.run([nsys, command, "--help"], capture_output=True, text=True, check=False).stdout
    paragraphs, names = {}, []
    for line in text.splitlines():
        head = re.match(r"\t(?:-\w, )?(--[a-z-]+)", line)
        if head:
            names = [head[1]]
            paragraphs[head[1]] = line[1:] + "\n"
        elif names:
            paragraphs[names[0]] += line + "\n"
    return paragraphs


def allowed(paragraph):
    """The values of "Possible values are 'a', 'b' or 'c'."; empty where there is no such sentence."""
    values = set()
    for sentence in re.findall(r"Possible values[^.\n]*? are:?\s+(.*?)\.\s", paragraph, re.S):
        quoted = re.findall(r"'([^']+)'", sentence)
        values.update(quoted or re.split(r"[,\s]+", sentence.strip()))
    return {re.sub(r"\[?:N\]?$", "", v) for v in values}


def words_of(line):
    """(command, option, value) of each option of nsys in a line of a plan."""
    words = shlex.split(line)
    for i, word in enumerate(words[:-1]):
        if word.rsplit("/", 1)[-1] != "nsys" or words[i + 1] not in COMMANDS:
            continue
        for option in words[i + 2:]:
            if not option.startswith("--") or "=" not in option:
                break
            yield (words[i + 1], *option.split("=", 1))


def options_of(path):
    for line in open(path, encoding="utf-8"):
        args = re.search(r'nsightToolArgs: "(.*)"', line)
        if args:
            yield from words_of("nsys profile " + args[1] + " program")
        elif re.match(r"  \$ |    srun ", line):
            yield from words_of(line.strip().removeprefix("$ "))


def is_known(paragraph, option, value):
    if option in TEXTS or (option, value) in ELSEWHERE:
        return True
    if option in NUMBERS:
        return value.isdigit()
    if option == "--env-var":
        return re.fullmatch(r"\w+=[^,]*", value) is not None
    return set(value.split(",")) <= allowed(paragraph)


def main():
    nsys, plans = sys.argv[1:]
    helps = {command: help_of(nsys, command) for command in COMMANDS}
    used = set(options_of(plans))
    bad = sorted(u for u in used if u[1] not in helps[u[0]] or not is_known(helps[u[0]][u[1]], *u[1:]))
    for command, option, value in bad:
        print(f"nsys {command} has no {option}={value}")
    if not bad:
        print(len(used), "values")
    return bool(bad)


sys.exit(main())
