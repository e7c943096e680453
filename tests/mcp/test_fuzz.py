#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A few hundred mutated messages; soak.mcp sends a hundred thousand."""
import unittest

from fuzz import fuzz


class Fuzz(unittest.TestCase):
    def test_mutated_messages(self):
        fuzz(600, 7)


if __name__ == "__main__":
    unittest.main()
