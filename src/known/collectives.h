/* SPDX-License-Identifier: MIT */
/* collectives.h - kinds of collective communication, by name; see collectives.def. */
#ifndef WL_KNOWN_COLLECTIVES_H
#define WL_KNOWN_COLLECTIVES_H

enum wl_collective {
#define WL_COLLECTIVE(TYPE, key, title) WL_##TYPE,
#define WL_COLLECTIVE_NAME(TYPE, part)
#include "known/collectives.def"
#undef WL_COLLECTIVE
#undef WL_COLLECTIVE_NAME
	WL_N_COLLECTIVES
};

/* "AllReduce" and "allreduce"; the last one is "other" twice. */
const char *wl_collective_title(enum wl_collective type);
const char *wl_collective_key(enum wl_collective type);

/*
 * What a kernel with this demangled name does, or a call with this name. Only the
 * function's own name speaks, not its return type, template arguments or parameters.
 */
enum wl_collective wl_collective_named(const char *demangled);

#endif
