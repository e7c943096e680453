# SPDX-License-Identifier: MIT
"""What the published file format of speedscope (https://www.speedscope.app/file-format-schema.json) asks of a file.

Written by hand from its types: a file has $schema, shared frames and profiles; a profile is sampled or evented. Evented profiles
are not checked further, because warplens writes none."""
UNITS = ("none", "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes")
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_text(value):
    return isinstance(value, str)


def wrong_fields(what, value, needed, allowed):
    """Fields that are missing, of another type, or not of the format; both: {name: check}."""
    if not isinstance(value, dict):
        return ["%s is no object" % what]
    known = {**needed, **allowed}
    return ["%s lacks %s" % (what, k) for k in needed if k not in value] + \
        ["%s: %s is %r" % (what, k, v) for k, v in value.items() if k not in known or not known[k](v)]


def is_list_of(check):
    return lambda value: isinstance(value, list) and all(check(v) for v in value)


def faults(document):
    """What is wrong with a file; [] for nothing."""
    out = wrong_fields("file", document, {"$schema": lambda v: v == SCHEMA, "shared": lambda v: isinstance(v, dict),
                                          "profiles": is_list_of(lambda v: isinstance(v, dict))},
                       {"name": is_text, "exporter": is_text, "activeProfileIndex": is_number})
    if out:
        return out
    out = wrong_fields("shared", document["shared"], {"frames": is_list_of(lambda v: isinstance(v, dict))}, {})
    frames = document["shared"].get("frames", [])
    for n, frame in enumerate(frames):
        out += wrong_fields("frame %d" % n, frame, {"name": is_text}, {"file": is_text, "line": is_number, "col": is_number})
    for n, profile in enumerate(document["profiles"]):
        out += profile_faults("profile %d" % n, profile, len(frames))
    active = document.get("activeProfileIndex", 0)
    return out + (["activeProfileIndex %r" % active] if document["profiles"] and not 0 <= active < len(document["profiles"]) else [])


def profile_faults(what, profile, n_frames):
    def is_frame(value):
        return isinstance(value, int) and 0 <= value < n_frames
    out = wrong_fields(what, profile, {"type": lambda v: v == "sampled", "name": is_text, "unit": lambda v: v in UNITS,
                                       "startValue": is_number, "endValue": is_number,
                                       "samples": is_list_of(is_list_of(is_frame)), "weights": is_list_of(is_number)}, {})
    if not out and len(profile["samples"]) != len(profile["weights"]):
        out.append("%s has %d samples, %d weights" % (what, len(profile["samples"]), len(profile["weights"])))
    return out
