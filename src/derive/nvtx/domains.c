/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/domains.h"

#include <stdlib.h>

#include "known/exports/codes.h"

static int by_key(const void *va, const void *vb)
{
	const struct wl_domain *a = va, *b = vb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

bool wl_domains_find(const struct wl_trace *trace, struct wl_arena *arena, struct wl_domains *ret)
{
	const uint8_t *kind = wl_nvtx_kind(trace);
	size_t n_rows = trace->family[WL_F_NVTX].n, n = 0;
	struct wl_domain *d;

	/* Counted before the allocation: such rows are a handful among millions. */
	for (size_t i = 0; i < n_rows; i++)
		n += kind[i] == WL_NVTX_DOMAIN_CREATE;
	d = WL_NEW(arena, struct wl_domain, n);
	if (!d)
		return false;
	*ret = (struct wl_domains){ d, n };
	for (size_t i = 0; i < n_rows; i++) {
		if (kind[i] == WL_NVTX_DOMAIN_CREATE)
			*d++ = (struct wl_domain){ trace->threads[wl_nvtx_thread(trace)[i]].process,
						   wl_nvtx_domain(trace)[i],
						   wl_nvtx_name(trace)[i] };
	}
	if (n)
		qsort(d - n, n, sizeof(*d), by_key);
	return true;
}

const char *wl_domain_name(const struct wl_trace *trace, const struct wl_domains *domains,
			   uint32_t process, uint32_t id)
{
	const struct wl_domain want = { process, id, 0 };
	const struct wl_domain *found =
		domains->n ? bsearch(&want, domains->domain, domains->n, sizeof(want), by_key)
			   : NULL;

	/* A row without a domain id must not match another such row. */
	return found && id != WL_NONE && found->name != WL_NONE ? wl_str(trace, found->name) : NULL;
}
