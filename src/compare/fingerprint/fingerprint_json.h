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

#define WL_FP_SCHEMA "warplens/fingerprint/2"

/* Write errors stay in the stream. */
void wl_fp_write(const struct wl_fingerprint *f, FILE *out);

/*
 * From a document that anyone may have written, as wl_record_read() (store/record.h); WL_E_FORMAT
 * also when it is not sound.
 */
int wl_fp_read(const struct wl_json *doc, const char *name, struct wl_arena *arena,
	       struct wl_fingerprint *ret, struct wl_err *reterr) WL_MUST_CHECK;

#endif
