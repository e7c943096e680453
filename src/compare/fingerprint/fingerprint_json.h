/* SPDX-License-Identifier: MIT */
/*
 * fingerprint_json.h - fingerprints as files: one line of JSON per row, the same bytes
 * for the same trace.
 */
#ifndef WL_COMPARE_FINGERPRINT_JSON_H
#define WL_COMPARE_FINGERPRINT_JSON_H

#include <stdio.h>

#include "base/err.h"
#include "base/text/json_read.h"
#include "compare/fingerprint/fingerprint.h"

/* Version 1, which is still read, has no copies and does not say where it was recorded. */
#define WL_FP_SCHEMA   "warplens/fingerprint/2"
#define WL_FP_SCHEMA_1 "warplens/fingerprint/1"

/* Write errors stay in the stream. */
void wl_fp_write(const struct wl_fingerprint *f, FILE *out);

/*
 * From a document that anyone may have written. name is what messages call it.
 * WL_E_FORMAT when it is no fingerprint or not a sound one, WL_E_INCOMPARABLE when its
 * numbers follow other definitions (known/definitions.h). Texts are copied into the
 * arena; WL_E_NOMEM when that is exhausted.
 */
int wl_fp_read(const struct wl_json *doc, const char *name, struct wl_arena *arena,
	       struct wl_fingerprint *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
