#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""script_model.py OUT.gguf TOOL ARGS_JSON ANSWER - a real GGUF model whose weights are set by hand, for a real llama-server.

Its vocabulary holds one whole tool call and one whole sentence. After a user's message it calls TOOL with ARGS_JSON, after a
tool's answer it says ANSWER (with the template chat.jinja beside this file). So a client's whole loop, in both wire shapes and
streaming, runs against a real server without a downloaded model; what a good model would say is not tested by it.
"""
import struct, sys
out_path, tool, args, answer = sys.argv[1:5]
D, L, F, H, CTX = 64, 1, 128, 4, 32768
toks = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("<|im_start|>", 4), ("<|im_end|>", 4)] + [("<0x%02X>" % i, 6) for i in range(256)]
toks += [("\u2581", 1)] + [(chr(c), 1) for c in range(33, 127)]
toks += [('<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>' % (tool, args), 4), (answer, 4)]
V = len(toks); TC, AN, NL, BANG = V - 2, V - 1, 5 + 10, [i for i, t in enumerate(toks) if t[0] == "!"][0]
tmpl = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
S = lambda s: struct.pack("<Q", len(s.encode())) + s.encode()
U32 = lambda k, v: S(k) + struct.pack("<II", 4, v)
F32 = lambda k, v: S(k) + struct.pack("<If", 6, v)
STR = lambda k, v: S(k) + struct.pack("<I", 8) + S(v)
kv = [STR("general.architecture", "llama"), STR("general.name", "scripted"), U32("general.alignment", 32), U32("llama.context_length", CTX), U32("llama.embedding_length", D), U32("llama.block_count", L),
      U32("llama.feed_forward_length", F), U32("llama.attention.head_count", H), U32("llama.attention.head_count_kv", H), F32("llama.attention.layer_norm_rms_epsilon", 1e-5), U32("llama.rope.dimension_count", D // H), U32("llama.vocab_size", V),
      STR("tokenizer.ggml.model", "llama"), S("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, V) + b"".join(S(t) for t, _ in toks),
      S("tokenizer.ggml.scores") + struct.pack("<IIQ", 9, 6, V) + struct.pack("<%df" % V, *[0.0] * V),
      S("tokenizer.ggml.token_type") + struct.pack("<IIQ", 9, 5, V) + struct.pack("<%di" % V, *[t for _, t in toks]),
      U32("tokenizer.ggml.bos_token_id", 1), U32("tokenizer.ggml.eos_token_id", 2), U32("tokenizer.ggml.unknown_token_id", 0), STR("tokenizer.chat_template", tmpl)]
T = [("token_embd.weight", (D, V)), ("output_norm.weight", (D,)), ("output.weight", (D, V))]
for b in range(L):
    p = "blk.%d." % b
    T += [(p + "attn_norm.weight", (D,)), (p + "attn_q.weight", (D, D)), (p + "attn_k.weight", (D, D)), (p + "attn_v.weight", (D, D)), (p + "attn_output.weight", (D, D)), (p + "ffn_norm.weight", (D,)), (p + "ffn_gate.weight", (D, F)), (p + "ffn_up.weight", (D, F)), (p + "ffn_down.weight", (F, D))]
out = b"GGUF" + struct.pack("<IQQ", 3, len(T), len(kv)) + b"".join(kv); off = 0; data = b""
for n, sh in T:
    out += S(n) + struct.pack("<I", len(sh)) + struct.pack("<%dQ" % len(sh), *sh) + struct.pack("<IQ", 0, off)
    c = 1
    for x in sh: c *= x
    
    if len(sh) == 1: v = [1.0] * c
    else: v = [0.0] * c
    if n == "token_embd.weight":
        for t in range(V): v[t * D + {NL: 0, BANG: 2, TC: 1, AN: 1}.get(t, 3)] = 1.0
    if n == "output.weight":
        v[TC * D + 0] = v[AN * D + 2] = v[2 * D + 1] = v[2 * D + 3] = 10.0
    b = struct.pack("<%df" % c, *v)
    b += b"\0" * (-len(b) % 32); data += b; off += len(b)
out += b"\0" * (-len(out) % 32)
open(out_path, "wb").write(out + data)
