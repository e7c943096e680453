#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# More than 100,000 faults: each allocation of each verb, alone and with all that follow, each read, map, write, sync and
# rename. Prints how many of each, and what was wrong.
FAULTS_STEP=1 exec bash "$(dirname "$0")/../cli/faults.sh"
