/* SPDX-License-Identifier: MIT */
/* bind.h - the table of bindings.def: how model columns are made from a file's columns. */
#ifndef WL_READ_BIND_H
#define WL_READ_BIND_H

#include "model/trace.h"

enum wl_make {
	WL_MAKE_NOTHING, /* not made from a table's rows */
	WL_MAKE_START,
	WL_MAKE_DUR,      /* from the end; needs the start */
	WL_MAKE_NVTX_DUR, /* as above; a range without end lasts to the end of the capture */
	WL_MAKE_NVTX_FLAGS,
	WL_MAKE_TIME,         /* a time that may be absent */
	WL_MAKE_PLACE,        /* place of a row that names its device, or only a process */
	WL_MAKE_OP_PLACE,     /* the place of a GPU operation: its device exists */
	WL_MAKE_STREAM_PLACE, /* a stream's place: from the parts of a globalPid, no device */
	WL_MAKE_THREAD,
	WL_MAKE_OTHER_THREAD, /* a thread that may be absent */
	WL_MAKE_KERNEL_NAME,
	WL_MAKE_CONFIG,
	WL_MAKE_SERIES,         /* a GPU and one of its metrics */
	WL_MAKE_NIC_SERIES,     /* a port of a network adapter and one of its metrics */
	WL_MAKE_STRING,         /* by number */
	WL_MAKE_FUNCTION,       /* string by number, without a suffix such as _v3020 */
	WL_MAKE_TEXT,           /* text stored in the row */
	WL_MAKE_TEXT_OR_STRING, /* text stored in the row, else by number */
	WL_MAKE_U8,
	WL_MAKE_U32,
	WL_MAKE_I32,
	WL_MAKE_U64,
	WL_MAKE_SYNC_KIND,    /* from stream and event; from the type if one is absent */
	WL_MAKE_SIZE,         /* bytes; absent and negative ones are 0 */
	WL_MAKE_PAYLOAD,      /* a field of an NVTX payload, by the column: see payload.h */
	WL_MAKE_PAYLOAD_TEXT, /* all fields of the payload, as text */
	WL_MAKE_PAYLOAD_READ, /* whether that text has all fields */
	WL_MAKE_DIFFER,       /* 1 if both cells are present and differ, else 0 */
	WL_MAKE_IS_ZERO,      /* 1 if the cell is present and 0, else 0 */
	WL_MAKE_STACK,        /* by the number of a chain: see chains.h */
	WL_MAKE_STEP_LOG,     /* from a string by number, by the column: see known/step_log.h */
};

enum { WL_BIND_SOURCES = 11, WL_TABLE_REQUIRED = 3 };

struct wl_binding {
	enum wl_make make;
	/* Column names; NULL ends. "" is a column that the schema lacks: it reads as NULL. */
	const char *source[WL_BIND_SOURCES];
};

/* A table of one schema that can fill a family. Other schemas name and compute its columns
 * differently. */
struct wl_family_table {
	enum wl_family_id family;
	const char *table;
	const char *required[WL_TABLE_REQUIRED]; /* NULL ends */
	const struct wl_binding *binding;        /* by column; for the families of its schema */
};

extern const struct wl_family_table wl_family_tables[];
extern const size_t wl_n_family_tables;

#endif
