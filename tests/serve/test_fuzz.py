#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fuzzed requests of a fixed seed. SERVE_REQUESTS and SERVE_SEED make it a campaign; see tests/soak/requests.sh."""
import os
import time
import unittest

import fuzz
from client import FIXTURES, ServerTest, memory_mb

REQUESTS = int(os.environ.get("SERVE_REQUESTS", "3000"))
SEED = os.environ.get("SERVE_SEED", "1")
ROUND = 2500
GROWTH_MB = 64


class Fuzzed(ServerTest):
    args = (os.path.join(FIXTURES, "two_ranks.sqlite"),)  # with itself, so that there are two

    def test_requests(self):
        meta, begin, seen, memory = self.server.get("meta"), time.monotonic(), {}, []
        for first in range(0, REQUESTS, ROUND):
            for key, n in fuzz.run(self.server.port, min(ROUND, REQUESTS - first), "%s %d" % (SEED, first)).items():
                seen[key] = seen.get(key, 0) + n
            self.assertEqual(self.server.get("meta"), meta)
            memory.append(memory_mb(self.server.process))
        # All kinds were told all there is to tell them.
        for key in ((fuzz.FAIR, 200), (fuzz.FAIR, 400), (fuzz.FAIR, 404), (fuzz.FAIR, 405), (fuzz.NO_TOKEN, 404), (fuzz.NO_HOST, 403),
                    (fuzz.NO_ORIGIN, 403)):
            self.assertIn(key, seen)
        warm = memory[min(len(memory) - 1, 4)]
        self.assertLess(memory[-1] - warm, GROWTH_MB, memory)
        print("%d requests of seed %s in %.0f s, %d MB after the first, %d at the end" % (REQUESTS, SEED, time.monotonic() - begin, memory[0], memory[-1]))
        for key in sorted(seen):
            print("  %s %d: %d" % (*key, seen[key]))


if __name__ == "__main__":
    unittest.main()
