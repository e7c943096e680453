# SPDX-License-Identifier: MIT
"""A client of the protocol on pipes, and a validator for the JSON Schema that our tools use."""
import json
import os
import queue
import subprocess
import threading
import unittest

WARPLENS = os.environ["WARPLENS"]
FIXTURES = os.environ["WARPLENS_FIXTURES"]
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"}}


class Pipe:
    """A server on pipes; messages arrive on a thread, so that none is missed."""

    def __init__(self, *args):
        self.process = subprocess.Popen([WARPLENS, "mcp", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.came = queue.Queue()
        self.apart = []  # what came while another answer was awaited
        self.next_id = 1
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for line in self.process.stdout:
            self.came.put(json.loads(line))
        self.came.put(None)

    def write(self, data):
        self.process.stdin.write(data if isinstance(data, bytes) else data.encode())
        self.process.stdin.flush()

    def send(self, method, params=None, id=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        if id is not None:
            message["id"] = id
        self.write(json.dumps(message) + "\n")

    def read(self, timeout=30):
        return self.came.get(timeout=timeout)

    def wait(self, id, timeout=30):
        for at, message in enumerate(self.apart):
            if message.get("id") == id and "method" not in message:
                return self.apart.pop(at)
        while True:
            message = self.read(timeout)
            if message is None:
                raise AssertionError("the server left")
            if message.get("id") == id and "method" not in message:
                return message
            self.apart.append(message)

    def ask(self, method, params=None, timeout=30):
        id, self.next_id = self.next_id, self.next_id + 1
        self.send(method, params, id)
        return self.wait(id, timeout)

    def call(self, tool, timeout=60, **args):
        """The structured content of a call that must work."""
        said = self.ask("tools/call", {"name": tool, "arguments": args}, timeout)
        result = said.get("result")
        if result is None or result["isError"]:
            raise AssertionError(f"{tool} {args}: {said}")
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def fail(self, tool, **args):
        """The error of a call that must not."""
        said = self.ask("tools/call", {"name": tool, "arguments": args})
        assert said["result"]["isError"] and "structuredContent" not in said["result"], said
        return json.loads(said["result"]["content"][0]["text"])

    def close(self, timeout=30):
        self.process.stdin.close()
        status = self.process.wait(timeout)
        err = self.process.stderr.read().decode()
        self.process.stderr.close()
        return status, err


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def invalid(value, schema, path="$"):
    """Why a value does not conform, or None. Knows the keywords that our schemas use and no others."""
    known = {"type", "properties", "required", "additionalProperties", "items", "enum", "description", "minimum", "maximum", "anyOf"}
    if set(schema) - known:
        return f"{path}: unknown keywords {set(schema) - known}"
    types = schema.get("type", [])
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        return f"{path}: {value!r} is not {types}"
    if "anyOf" in schema and all(invalid(value, one) for one in schema["anyOf"]):
        return f"{path}: {value!r} is none of {schema['anyOf']}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{path}: {value!r} is not one of the values"
    if "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        return f"{path}: {value} is out of range"
    for key in schema.get("required", []) if isinstance(value, dict) else []:
        if key not in value:
            return f"{path}: {key} is missing"
    if isinstance(value, dict):
        for key, member in value.items():
            inner = schema.get("properties", {}).get(key)
            if inner is None and schema.get("additionalProperties") is False:
                return f"{path}: {key} is not in the schema"
            why = inner and invalid(member, inner, f"{path}.{key}")
            if why:
                return why
    if isinstance(value, list) and "items" in schema:
        for at, element in enumerate(value):
            why = invalid(element, schema["items"], f"{path}[{at}]")
            if why:
                return why
    return None


class PipeTest(unittest.TestCase):
    def setUp(self):
        self.pipe = Pipe()

    def tearDown(self):
        status, err = self.pipe.close()
        self.assertEqual((status, err), (0, ""))

    @staticmethod
    def fixture(name):
        return os.path.join(FIXTURES, name + ".sqlite")
