# SPDX-License-Identifier: MIT
"""A serving engine at work, for mktrace.py: steps that prefill, decode or do both, and names that say so or seem to.

Traps: names that say nothing (decoder, prefilling, 0 gen reqs, context_0), other threads whose ranges say the opposite, kernels
that contradict the ranges, steps that nobody names, kinds that only kernels name, engines that only prefill or only decode.
"""
from mkwork import KERNELS, Workload

# (marker of a step, ranges inside it by kind): a marker with two numbers counts requests of both kinds
SCHEMES = [("step_%d", {"prefill": ["prefill", "ModelRunner.prefillBatch", "PREFILL 3", "Extend", "run extend_batch"],
                        "decode": ["decode", "Decode batch 8", "ModelRunner.runDecode", "DECODE_2"]}),
           ("execute_context_%d(64)_generation_%d(2)", None), ("[Executor] _forward_step: %d ctx reqs, %d gen reqs", None),
           ("step_%d", None)]
SILENT = ["decoder_layer", "prefilling", "encode", "Extended", "context_0", "generation_0", "0 ctx reqs, 0 gen reqs", "predecode", "Decoder", "forward"]
SAYING = {"prefill": ["void flashinfer::BatchPrefillWithPagedKVCacheKernel<float>(Params)", "void context_attention::prefill_kernel<4>(int)"],
          "decode": ["void flashinfer::BatchDecodeWithPagedKVCacheKernel<float>(Params)", "void vllm::paged_attention_v2_kernel<float>(float*)",
                     "void mmha::masked_multihead_attention_kernel<half>(Params)", "void decode_attention<8>(int)"]}
SILENT_KERNELS = KERNELS + ["void decoder_kernel<2>(int)", "void extend_attention<2>(int)", "void vllm::paged_attention_reduce<float>(float*)"]
MIXES = [(1, 0), (0, 1), (1, 1), (1, 8), (3, 8), (3, 12)]   # one prefill in how many decodes; both alike: a coin


class Serving(Workload):
    def run(self):
        r = self.r
        marker, self.ranges = r.choice(SCHEMES)
        self.by_kernels = r.random() < (0.7 if self.ranges is None and marker == "step_%d" else 0.3)
        self.contradicts, self.other_thread = r.random() < 0.4, r.random() < 0.4
        self.both, self.unnamed = r.choice([0, 0, 0.2]), r.choice([0, 0, 0, 0.15])
        prefills, decodes = r.choice(MIXES)
        self.work = {kind: self.plan_of(size) for kind, size in (("prefill", r.randint(3, 6)), ("decode", r.randint(1, 3)))}
        for i in range(r.choice([3, 7, 12, 20, 30])):
            kind = "prefill" if r.random() * (prefills + decodes) < prefills else "decode"
            self.step(i, marker, {"prefill", "decode"} if r.random() < self.both else {kind})

    def plan_of(self, size):
        return [(self.r.choice(SILENT_KERNELS), self.r.choice(self.ordinals), self.steps(5, 30)) for _ in range(size)]

    def step(self, i, marker, kinds):
        r, thread, begin = self.r, self.main, self.now[self.main]
        self.now[thread] += self.steps(0, 1)
        if r.random() < 0.3:
            self.around(thread, r.choice(SILENT))
        for kind in sorted(kinds):
            start = self.now[thread]
            named = self.ranges and r.random() >= self.unnamed
            self.now[thread] += self.steps(0, 1)
            for name, ordinal, length in self.work[kind]:
                self.kernel(thread, name, ordinal, 7, self.jitter(length))
            if self.by_kernels:
                said = {"prefill": "decode", "decode": "prefill"}[kind] if named and self.contradicts else kind
                self.kernel(thread, r.choice(SAYING[said]), r.choice(self.ordinals), 7, self.steps(3, 9))
            self.now[thread] += self.steps(1, 2)
            if named:
                self.nvtx(thread, start, self.now[thread], r.choice(self.ranges[kind]))
            self.now[thread] += self.steps(1, 2)
        if self.other_thread:
            self.now[self.loader] = begin
            self.around(self.loader, r.choice(["prefill", "decode"]))
        numbers = (i,) if marker.count("%") == 1 else tuple(r.randint(1, 4) if kind in kinds else 0 for kind in ("prefill", "decode"))
        self.now[thread] += self.steps(1, 2)
        self.nvtx(thread, begin, self.now[thread], marker % numbers)
        self.now[thread] += self.steps(1, 40) if r.random() < 0.1 else self.steps(1, 6)

    def around(self, thread, name):
        """A range that launches nothing."""
        begin = self.now[thread]
        self.now[thread] += self.steps(1, 3)
        self.nvtx(thread, begin, self.now[thread], name)
        self.now[thread] += self.steps(1, 2)
