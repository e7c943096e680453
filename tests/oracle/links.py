# SPDX-License-Identifier: MIT
"""What links carry (docs/definitions/communication.md): by the names of GPUs, from the figures of their maker."""
import re

# In one direction: half of "300 GB/s", "600 GB/s", "900 GB/s" and "1.8 TB/s".
NVLINK = ((r"V100-SXM2", 150e9), (r"A100-SXM4", 300e9), (r"H100 80GB HBM3$", 450e9), (r"H200$", 450e9), (r" G?B200$", 900e9),
          (r" B300( SXM6 AC)?$", 900e9))


def nvlink(name):
    return next((rate for pattern, rate in NVLINK if name and re.search(pattern, name)), None)
