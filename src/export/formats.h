/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the formats that a trace can be exported to, one descriptor each.
 *
 * The command line, the server and the terminal take names, suffixes and media types from here, and
 * export/file.h writes through the descriptor's functions. A new format is a source file with its
 * descriptor and a line in formats.def.
 */
#ifndef WL_EXPORT_FORMATS_H
#define WL_EXPORT_FORMATS_H

#include "export/emit.h"
#include "export/sink.h"
#include "export/stack_format.h"
#include "render/data/stream.h"

enum { WL_MAX_SUFFIXES = 4 };

struct wl_export_format {
	const char *name;                    /* as given to export -f and to the server's fmt */
	const char *suffix[WL_MAX_SUFFIXES]; /* file suffixes; new files get the first */
	size_t n_listed;                     /* number of suffixes that messages list */
	const char *media;                   /* its media type for HTTP */
	/*
	 * A format holds a row per operation, printed by the functions of rows; or the time of call
	 * stacks, written by stacks(); or a timeline. For a timeline both are NULL, open() returns
	 * an emitter, or NULL if out of memory, and close() accepts NULL.
	 */
	const struct wl_stream_format *rows;
	wl_stack_writer *stacks;
	struct wl_emitter *(*open)(struct wl_sink *sink, wl_ns shift, struct wl_budget *budget);
	void (*close)(struct wl_emitter *e);
	/* Of a timeline: */
	bool shifts;          /* its times must not be negative: the plan's shift is added */
	bool is_sized;        /* the plan predicts its size */
	const char *reader;   /* the usual viewer; NULL: there are many */
	uint64_t comfortable; /* million slices that the reader shows with ease */
};

#define WL_EXPORT_FORMAT(name) extern const struct wl_export_format wl_export_##name;
#include "export/formats.def"
#undef WL_EXPORT_FORMAT

enum {
#define WL_EXPORT_FORMAT(name) WL_EXPORT_AT_##name,
#include "export/formats.def"
#undef WL_EXPORT_FORMAT
	WL_N_EXPORT_FORMATS
};

extern const struct wl_export_format *const wl_export_formats[WL_N_EXPORT_FORMATS];

/* Their names in the same order, NULL-terminated. */
extern const char *const wl_export_names[WL_N_EXPORT_FORMATS + 1];

static inline bool wl_export_is_timeline(const struct wl_export_format *format)
{
	return !format->rows && !format->stacks;
}

/* The format of this name; NULL if there is none. */
const struct wl_export_format *wl_export_find(const char *name);

/*
 * The format with the longest suffix that the path ends in, and in *ret_stem the length of the part
 * before it; if none fits, NULL, and *ret_stem is not set. ret_stem may be NULL.
 */
const struct wl_export_format *wl_export_of_file(const char *path, size_t *ret_stem);

enum wl_export_kind { WL_EXPORT_ALL, WL_EXPORT_TIMELINES };

enum { WL_EXPORT_LIST_BUF = 256 };

/*
 * For messages: names, or the suffixes to be listed, separated by between, and by last before the
 * last one. Returns buf.
 */
const char *wl_export_list_names(char buf[WL_EXPORT_LIST_BUF], enum wl_export_kind kind,
				 const char *between, const char *last);
const char *wl_export_list_suffixes(char buf[WL_EXPORT_LIST_BUF], enum wl_export_kind kind,
				    const char *between);

#endif
