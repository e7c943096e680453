/* SPDX-License-Identifier: MIT */
#include "derive/calls/blocking.h"

#include "derive/derived.h"
#include "known/calls/calls.h"
#include "known/exports/codes.h"

/* What a function's name says; each name that calls have is looked at once. */
enum kind { UNSEEN, OTHER, SYNCHRONISES, COPIES, COPIES_BLOCKING };

static enum kind kind_of(const char *function)
{
	if (wl_call_copies_blocking(function))
		return COPIES_BLOCKING;
	if (wl_call_synchronises(function))
		return SYNCHRONISES;
	return wl_call_copies(function) ? COPIES : OTHER;
}

struct finding {
	const struct wl_trace *trace;
	uint8_t *kind; /* by string */
	uint8_t *call;
};

static enum kind kind_of_call(const struct finding *f, size_t row)
{
	uint32_t name = wl_api_name(f->trace)[row];

	if (name == WL_NONE)
		return OTHER;
	if (f->kind[name] == UNSEEN)
		f->kind[name] = (uint8_t)kind_of(wl_str(f->trace, name));
	return (enum kind)f->kind[name];
}

static void mark_names(const struct finding *f)
{
	for (size_t i = 0; i < f->trace->family[WL_F_API].n; i++) {
		enum kind kind = kind_of_call(f, i);

		if (kind == SYNCHRONISES)
			f->call[i] = WL_BLOCKS_BY_SYNC;
		else if (kind == COPIES_BLOCKING)
			f->call[i] = WL_BLOCKS_BY_COPY;
	}
}

/*
 * A copy to pageable memory returns when the data has arrived, even where its function is
 * called Async. The recorded memory kind shows it; a name cannot.
 */
static void mark_pageable(const struct finding *f, const struct wl_links *links)
{
	const uint8_t *dst = wl_memcpys_dst(f->trace);

	for (size_t i = 0; dst && i < f->trace->family[WL_F_MEMCPYS].n; i++) {
		uint32_t link = wl_link_of(links, WL_OP_MEMCPY, i);

		if (dst[i] == WL_MEMORY_PAGEABLE && link != WL_NONE &&
		    kind_of_call(f, link) == COPIES)
			f->call[link] = WL_BLOCKS_BY_COPY;
	}
}

bool wl_blocking_find(const struct wl_derived *derived, struct wl_arena *arena,
		      struct wl_blocking *ret)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_links *links = derived->links;
	struct wl_arena scratch;
	struct finding f = { .trace = t, .call = WL_NEW(arena, uint8_t, t->family[WL_F_API].n) };
	bool ok;

	wl_arena_init_child(&scratch, arena);
	f.kind = WL_NEW(&scratch, uint8_t, t->strings.n);
	ok = f.call && f.kind;
	if (ok && wl_api_name(t)) {
		/* Names first: mark_pageable() adds to what they say and never takes back. */
		mark_names(&f);
		mark_pageable(&f, links);
	}
	wl_arena_release(&scratch);
	*ret = (struct wl_blocking){ f.call };
	return ok;
}
