/* SPDX-License-Identifier: MIT */
/*
 * map.h - a read-only file mapping that survives a shrinking file.
 *
 * Reading a page that the file no longer has raises SIGBUS. Opening a map installs
 * a handler that puts a page of zeros there and marks the map as broken, so code
 * that scans a map needs no checks in its loops: it must be safe on any bytes
 * anyway, and asks once at the end. A SIGBUS from elsewhere goes to the handler that
 * handled it before. Reading past the end of a map is a bug, and ends the process:
 * no other memory lies right behind it. At most WL_MAPS maps are watched at a time;
 * further ones cannot be opened.
 */
#ifndef WL_BASE_MAP_H
#define WL_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/err.h"

enum { WL_MAPS = 1024 };

struct wl_map {
	const unsigned char *data; /* NULL while nothing is mapped */
	unsigned char *base;       /* the same, for calls of the system */
	size_t size;               /* bytes */
	_Atomic int *broken;       /* not 0: pages went away, and zeros took their place */
};

/* Map the whole file. WL_E_IO when it cannot be read, is empty or no regular file. */
int wl_map_open(const char *path, struct wl_map *ret_map, struct wl_err *reterr) WL_MUST_CHECK;

/* Accepts a zeroed one, and one that is closed. No thread may be reading it. */
void wl_map_close(struct wl_map *map);

/* Whether what was read from it so far was the file. */
bool wl_map_is_whole(const struct wl_map *map);

/* Whether the file seems to be in memory already: a few pages of it are. */
bool wl_map_is_warm(const struct wl_map *map);

/* Have the system read a stretch soon, as far as the map goes. Only advice. */
void wl_map_will_need(const struct wl_map *map, size_t offset, size_t bytes);

/*
 * A stretch was read and is not needed soon: it no longer counts as memory of the process.
 * It can be read again, also by others at this moment.
 */
void wl_map_done_with(const struct wl_map *map, size_t offset, size_t bytes);

#endif
