#include "derive/blocking.h"

#include "derive/derived.h"
#include "facts/calls.h"
#include "facts/codes.h"

/* What a function's name says, so that each name is looked at once. */
enum kind { OTHER, SYNCHRONISES, COPIES, COPIES_BLOCKING };

static enum kind kind_of(const char *function)
{
	if (wl_call_synchronises(function))
		return SYNCHRONISES;
	if (wl_call_copies_blocking(function))
		return COPIES_BLOCKING;
	return wl_call_copies(function) ? COPIES : OTHER;
}

static const uint8_t *kinds_of_names(const struct wl_trace *t, struct wl_arena *arena)
{
	uint8_t *kind = WL_NEW(arena, uint8_t, t->strings.n);

	for (uint32_t i = 0; kind && i < t->strings.n; i++)
		kind[i] = (uint8_t)kind_of(wl_str(t, i));
	return kind;
}

static enum kind kind_of_call(const struct wl_trace *t, const uint8_t *kind, size_t row)
{
	uint32_t name = wl_api_name(t)[row];

	return name == WL_NONE ? OTHER : (enum kind)kind[name];
}

static void mark(const struct wl_trace *t, const struct wl_links *links, const uint8_t *kind,
		 bool *call)
{
	const uint8_t *dst = wl_memcpys_dst(t);

	for (size_t i = 0; i < t->family[WL_F_API].n; i++) {
		enum kind k = kind_of_call(t, kind, i);

		call[i] = k == SYNCHRONISES || k == COPIES_BLOCKING;
	}
	for (size_t i = 0; dst && i < t->family[WL_F_MEMCPYS].n; i++) {
		uint32_t link = wl_link_of(links, WL_OP_MEMCPY, i);

		if (dst[i] == WL_MEMORY_PAGEABLE && link != WL_NONE &&
		    kind_of_call(t, kind, link) == COPIES)
			call[link] = true;
	}
}

bool wl_blocking_find(struct wl_derived *derived, struct wl_arena *arena, struct wl_blocking *ret)
{
	const struct wl_trace *t = derived->trace;
	const struct wl_links *links = wl_derived_links(derived);
	bool *call = WL_NEW(arena, bool, t->family[WL_F_API].n);
	struct wl_arena scratch;
	const uint8_t *kind;

	wl_arena_init_child(&scratch, arena);
	kind = kinds_of_names(t, &scratch);
	if (links && call && kind)
		mark(t, links, kind, call);
	wl_arena_release(&scratch);
	*ret = (struct wl_blocking){ call };
	return links && call && kind;
}
