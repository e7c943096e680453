/* SPDX-License-Identifier: MIT */
/* domains.h - the names of NVTX domains; each process numbers its own. */
#ifndef WL_DERIVE_DOMAINS_H
#define WL_DERIVE_DOMAINS_H

#include "base/attr.h"
#include "base/memory/arena.h"
#include "model/trace.h"

struct wl_domain {
	uint32_t process, id;
	uint32_t name; /* string */
};

struct wl_domains {
	const struct wl_domain *domain; /* sorted by (process, id) */
	size_t n;
};

/* Needs nvtx thread, kind, name and domain. False when the arena is exhausted. */
bool wl_domains_find(const struct wl_trace *trace, struct wl_arena *arena,
		     struct wl_domains *ret) WL_MUST_CHECK;

/* The domain's name, or NULL: the default domain 0 has none, and truncated files lack the row. */
const char *wl_domain_name(const struct wl_trace *trace, const struct wl_domains *domains,
			   uint32_t process, uint32_t id);

#endif
