/* SPDX-License-Identifier: MIT */
/* catalogue.h - reads the small tables: metadata, GPUs, processes, ranks, thread names. */
#ifndef WL_READ_CATALOGUE_H
#define WL_READ_CATALOGUE_H

#include "read/probe.h"

/* Read all of them except thread names into the build. */
int wl_catalogue_load(struct wl_probe *probe, struct wl_err *reterr) WL_MUST_CHECK;

/* Resolves a string's number in the file to a string of the model. */
typedef uint32_t wl_resolve_fn(void *ctx, int64_t id);

/* Read the names of threads, which are strings by number. */
int wl_catalogue_threads(struct wl_probe *probe, wl_resolve_fn *resolve, void *ctx,
			 struct wl_err *reterr) WL_MUST_CHECK;

/* Whether this is one of these tables and the column is read; NULL: any column. */
bool wl_catalogue_asks(const char *table, const char *column);

#endif
