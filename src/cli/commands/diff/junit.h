/* SPDX-License-Identifier: MIT */
/* junit.h - a comparison as JUnit XML, which CI systems read: a test case per gate. */
#ifndef WL_CLI_JUNIT_H
#define WL_CLI_JUNIT_H

#include <stdio.h>

#include "compare/diff/diff.h"

/*
 * One suite: a case for the verdict, which never fails, and one per gate: failed, skipped
 * where inconclusive or not comparable, else passed. Well-formed whatever names hold. Write errors
 * stay in the stream.
 */
void wl_junit_put(const struct wl_diff *d, FILE *out);

#endif
