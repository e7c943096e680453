#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fake_llm.py DIR - a model's server on a free port of 127.0.0.1, which it prints; it answers as scripts in DIR say.

POST /NAME/v1/chat/completions (OpenAI) and /NAME/v1/messages (Anthropic), whole or as events in pieces of 7 bytes. The
script DIR/NAME.json is a JSON list of turns, the last of which is repeated:
  {"text": "..."}                     say it
  {"tool": NAME, "args": {...}}       call a tool; "raw": "..." are arguments as they are, "parallel": N calls at once
  {"status": 429, "headers": {...}}   fail, with an error as the providers write it
  {"cut": N}                          with one of the first two: close the stream after N events
  {"body": "..."}                     answer 200 with these bytes
  {"drop": true}                      close the connection without an answer
  {"wait": SECONDS}                   with any of them: think first
DIR/NAME.log gets a line of JSON per request: path, headers, body.
"""
import collections
import json
import os
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

lock, asked = threading.Lock(), collections.Counter()


def openai(turn, body, stream):
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    calls = [{"index": i, "id": f"call_{i}", "type": "function", "function": {"name": turn["tool"], "arguments": arguments(turn)}}
             for i in range(turn.get("parallel", 1))] if "tool" in turn else []
    reason = "tool_calls" if calls else "stop"
    if not stream:
        message = {"role": "assistant", "content": turn.get("text"), **({"tool_calls": calls} if calls else {})}
        return {"id": "c", "object": "chat.completion", "model": body["model"], "usage": usage,
                "choices": [{"index": 0, "finish_reason": reason, "message": message}]}

    def part(delta, finish=None):
        return None, {"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    events = [part({"role": "assistant", "content": ""})]
    for call in calls:
        text = call["function"]["arguments"]
        events += [part({"tool_calls": [{**call, "function": {"name": turn["tool"], "arguments": ""}}]})]
        events += [part({"tool_calls": [{"index": call["index"], "function": {"arguments": c}}]}) for c in text]
    events += [part({"content": c}) for c in turn.get("text", "")]
    return events + [part({}, reason), (None, {"choices": [], "usage": usage}), (None, "[DONE]")]


def anthropic(turn, body, stream):
    usage = {"input_tokens": 10, "output_tokens": 5}
    if "tool" in turn:
        blocks = [{"type": "tool_use", "id": f"toolu_{i}", "name": turn["tool"], "input": turn.get("args", {})}
                  for i in range(turn.get("parallel", 1))]
    else:
        blocks = [{"type": "text", "text": turn.get("text", "")}]
    reason = "tool_use" if "tool" in turn else "end_turn"
    message = {"id": "m", "type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None, "usage": usage}
    if not stream:
        return {**message, "content": blocks, "stop_reason": reason}

    def event(kind, **members):
        return kind, {"type": kind, **members}
    events = [event("message_start", message={**message, "content": [], "stop_reason": None}), event("ping")]
    for i, block in enumerate(blocks):
        is_call = block["type"] == "tool_use"
        start = {**block, "input": {}} if is_call else {"type": "text", "text": ""}
        events.append(event("content_block_start", index=i, content_block=start))
        for c in arguments(turn) if is_call else block["text"]:
            delta = {"type": "input_json_delta", "partial_json": c} if is_call else {"type": "text_delta", "text": c}
            events.append(event("content_block_delta", index=i, delta=delta))
        events.append(event("content_block_stop", index=i))
    return events + [event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 5}),
                     event("message_stop")]


def arguments(turn):
    return turn.get("raw", json.dumps(turn.get("args", {})))


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, data, headers):
        self.send_response(status)
        for name, value in {"content-length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def send_events(self, events, cut):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events[:cut]:
            text = (f"event: {name}\n" if name else "") + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
            data = text.encode()
            for i in range(0, len(data), 7):
                self.wfile.write(data[i:i + 7])
        self.close_connection = True

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name = os.path.join(sys.argv[1], self.path.split("/")[1])
        with lock, open(name + ".json") as script, open(name + ".log", "a") as log:
            turns = json.load(script)
            turn = turns[min(asked[name], len(turns) - 1)]
            asked[name] += 1
            print(json.dumps({"path": self.path, "headers": dict(self.headers), "body": json.loads(body)}), file=log)
        time.sleep(turn.get("wait", 0))
        if "drop" in turn:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif "status" in turn:
            error = {"type": "error", "error": {"type": "some_error", "message": "the script says so", "code": None}}
            self.send(turn["status"], json.dumps(error).encode(), {"content-type": "application/json", **turn.get("headers", {})})
        elif "body" in turn:
            self.send(200, turn["body"].encode(), {"content-type": "text/event-stream"})
        else:
            request = json.loads(body)
            stream = bool(request.get("stream"))
            reply = (openai if self.path.endswith("/chat/completions") else anthropic)(turn, request, stream)
            if stream:
                self.send_events(reply, turn.get("cut"))
            else:
                self.send(200, json.dumps(reply).encode(), {"content-type": "application/json"})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
