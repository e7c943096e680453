/* SPDX-License-Identifier: MIT */
/*
 * formats.h - the formats that a trace is exported in: one descriptor each.
 *
 * The command line, the server and the terminal take names, suffixes and media types from
 * here, and export/file.h writes with what the descriptor names. A new format is a source with
 * its descriptor and a line in formats.def.
 */
#ifndef WL_EXPORT_FORMATS_H
#define WL_EXPORT_FORMATS_H

#include "export/emit.h"
#include "export/sink.h"
#include "export/stack_format.h"
#include "render/data/stream.h"

enum { WL_MAX_SUFFIXES = 4 };

struct wl_export_format {
	const char *name;                    /* as -f of export and fmt of the server take it */
	const char *suffix[WL_MAX_SUFFIXES]; /* of files; the first is that of new ones */
	size_t n_listed;                     /* how many of them messages list */
	const char *media;                   /* its type for HTTP */
	/*
	 * A format holds a row per operation, which the functions of rows print; or the time of
	 * call stacks, which stacks() writes; or a timeline: then both are NULL, open() gives an
	 * emitter, or NULL without memory, and close() accepts NULL.
	 */
	const struct wl_stream_format *rows;
	wl_stack_writer *stacks;
	struct wl_emitter *(*open)(struct wl_sink *sink, wl_ns shift, struct wl_budget *budget);
	void (*close)(struct wl_emitter *e);
	/* Of a timeline: */
	bool shifts;          /* its times are not below 0: the plan's shift is added */
	bool is_sized;        /* the plan predicts its size */
	const char *reader;   /* what usually shows it; NULL: many do */
	uint64_t comfortable; /* M slices that the reader shows with ease */
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

/* Their names in the same order; NULL ends. */
extern const char *const wl_export_names[WL_N_EXPORT_FORMATS + 1];

static inline bool wl_export_is_timeline(const struct wl_export_format *format)
{
	return !format->rows && !format->stacks;
}

/* NULL when there is none of this name. */
const struct wl_export_format *wl_export_find(const char *name);

/*
 * The format with the longest suffix that the path ends in, and in *ret_stem the length of what
 * comes before it; NULL, and nothing, where none fits. ret_stem may be NULL.
 */
const struct wl_export_format *wl_export_of_file(const char *path, size_t *ret_stem);

enum wl_export_kind { WL_EXPORT_ALL, WL_EXPORT_TIMELINES };

enum { WL_EXPORT_LIST_BUF = 256 };

/*
 * For messages: names, or the suffixes to be listed, with between among them, and last before the
 * last one. Returns buf.
 */
const char *wl_export_list_names(char buf[WL_EXPORT_LIST_BUF], enum wl_export_kind kind,
				 const char *between, const char *last);
const char *wl_export_list_suffixes(char buf[WL_EXPORT_LIST_BUF], enum wl_export_kind kind,
				    const char *between);

#endif
