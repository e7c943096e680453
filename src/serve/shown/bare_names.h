/* SPDX-License-Identifier: MIT */
/*
 * bare_names.h - names of NVTX ranges without their domain, which is how "search" calls them.
 *
 * A page has "NCCL:ncclAllGather" where a range is of the domain NCCL; a search for
 * "ncclAllGather" finds it, too.
 */
#ifndef WL_SERVE_BARE_NAMES_H
#define WL_SERVE_BARE_NAMES_H

#include "serve/shown/show.h"

struct wl_bare_names {
	size_t n;
	const char *const *at; /* distinct, in the order of their bytes; borrowed from the scenes */
};

/* The domains of all ranges but the default one. False without memory. Sorts the names of ranges.
 */
bool wl_bare_names_find(const struct wl_show *show, struct wl_arena *arena,
			struct wl_bare_names *ret) WL_MUST_CHECK;

enum { WL_DOMAIN_COLONS = 16 }; /* a domain with as many colons in its name is not recognised */

/*
 * What is behind the shortest domain and a colon at the begin of a name; the name itself where
 * it begins with none. A logarithm of the domains per colon.
 */
const char *wl_bare_name(const struct wl_bare_names *domains, const char *name);

#endif
