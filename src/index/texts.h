/* SPDX-License-Identifier: MIT */
/* texts.h - which texts of a trace its rows and catalogue name: an index holds no other. */
#ifndef WL_INDEX_TEXTS_H
#define WL_INDEX_TEXTS_H

#include "base/memory/vec.h"
#include "model/trace.h"

/*
 * Call visit with the number of each text that the catalogue and the record of a trace name, with
 * WL_NONE where one is absent. Ends, with false, when visit says false.
 */
bool wl_catalogue_texts(const struct wl_trace *trace, bool (*visit)(void *ctx, uint32_t text),
			void *ctx);

/*
 * The texts as an index has them: each under its number, and empty where neither a column nor the
 * catalogue names it, as the output and the environment of the program. All columns are loaded.
 * blob is of char, offset of uint64_t; the caller releases both. False without memory.
 */
bool wl_texts_named(const struct wl_trace *trace, struct wl_vec *blob,
		    struct wl_vec *offset) WL_MUST_CHECK;

#endif
