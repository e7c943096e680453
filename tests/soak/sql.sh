#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sql.sh - every verb as a table of SQL equals its csv, on all real traces and jobs, with every choice of its options.
exec env SQL_ALL=1 python3 -B "$(dirname "$0")/../oracle/test_sql.py"
