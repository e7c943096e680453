/* SPDX-License-Identifier: MIT */
#include "derive/calls/host_rows.h"

#include <ctype.h>

#include "known/calls/calls.h"

/* What a call is by its name; never 0, which stands for a name not looked at. */
static uint8_t kind_of(const char *name)
{
	enum wl_call_class class = wl_call_class_of(name);

	if (class == WL_CALLS_ALLOC)
		return WL_CALL_ALLOC;
	return class == WL_CALLS_LOAD ? WL_CALL_LOAD : WL_CALL_OTHER;
}

/* Of the names that API rows have, of which there are few. */
static const uint8_t *find_kinds(const struct wl_trace *t, struct wl_arena *arena)
{
	uint8_t *kind = WL_NEW(arena, uint8_t, t->strings.n);

	for (size_t i = 0; kind && wl_api_name(t) && i < t->family[WL_F_API].n; i++) {
		uint32_t name = wl_api_name(t)[i];

		if (name != WL_NONE && !kind[name])
			kind[name] = kind_of(wl_str(t, name));
	}
	return kind;
}

static uint32_t list_of_call(const void *ctx, size_t row)
{
	const struct wl_host_rows *h = ctx;
	uint32_t name = wl_api_name(h->trace) ? wl_api_name(h->trace)[row] : WL_NONE;
	unsigned kind = name == WL_NONE ? WL_CALL_OTHER : h->kind[name];

	/*
	 * Blocking is a property of the call and not of its name (blocking.c), and wins over the
	 * name's kind.
	 */
	if (h->blocks[row] != WL_BLOCKS_NOT)
		kind = WL_CALL_SYNC;
	return wl_api_thread(h->trace)[row] * WL_N_CALL_KINDS + kind;
}

static uint32_t list_of_os(const void *ctx, size_t row)
{
	return wl_osrt_thread(((const struct wl_host_rows *)ctx)->trace)[row];
}

static uint32_t list_of_overhead(const void *ctx, size_t row)
{
	return wl_overhead_thread(((const struct wl_host_rows *)ctx)->trace)[row];
}

/* "flush" in any case. */
static bool says_flush(const char *name)
{
	static const char word[] = "flush";

	for (; *name; name++) {
		size_t i = 0;

		while (word[i] && tolower((unsigned char)name[i]) == word[i])
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

static uint32_t list_of_flush(const void *ctx, size_t row)
{
	const struct wl_trace *t = ((const struct wl_host_rows *)ctx)->trace;

	if (!wl_overhead_name(t) || !says_flush(wl_str(t, wl_overhead_name(t)[row])))
		return WL_NONE;
	/*
	 * A flush of trace buffers holds up every thread of the process, whichever of them does it
	 * (docs/definitions/idle.md).
	 */
	return t->threads[wl_overhead_thread(t)[row]].process;
}

static bool make_lists(struct wl_host_rows *h, struct wl_arena *arena)
{
	const struct wl_trace *t = h->trace;

	const struct wl_list_deal calls = { WL_F_API, t->n_threads * WL_N_CALL_KINDS, list_of_call,
					    h };
	const struct wl_list_deal overhead = { WL_F_OVERHEAD, t->n_threads, list_of_overhead, h };
	const struct wl_list_deal flushes = { WL_F_OVERHEAD, t->n_processes, list_of_flush, h };

	return wl_outer_lists_make(t, &calls, arena, &h->calls) &&
	       wl_outer_lists_make(t, &overhead, arena, &h->overhead) &&
	       wl_outer_lists_make(t, &flushes, arena, &h->flushes);
}

bool wl_host_calls_make(const struct wl_trace *trace, const struct wl_blocking *blocking,
			struct wl_arena *arena, struct wl_host_rows *ret)
{
	*ret = (struct wl_host_rows){ .trace = trace,
				      .kind = find_kinds(trace, arena),
				      .blocks = blocking->call,
				      .os.list = WL_NEW(arena, struct wl_slice, trace->n_threads) };
	return ret->kind && ret->os.list && make_lists(ret, arena);
}

bool wl_host_os_make(struct wl_host_rows *rows, struct wl_arena *arena)
{
	const struct wl_list_deal calls = { WL_F_OSRT, rows->trace->n_threads, list_of_os, rows };

	return wl_outer_lists_make(rows->trace, &calls, arena, &rows->os);
}
