/* SPDX-License-Identifier: MIT */
/*
 * index.h - the index of a trace: all of its columns in one file.
 *
 * "warplens index" writes the file on demand, and nothing else does. Where one is
 * fresh, that is, written by this program from this very trace, its columns take the
 * place of reading: opening costs the same for any size, and a load only says which
 * columns may be seen.
 *
 * A file is untrusted input. open looks at header and directory alone (file.h); load
 * hands out columns that hold zeros, and check copies them from the file and compares them
 * with their sums and with what model/trace.h promises. No caller may look at a column before
 * it is checked. So what asks for no column, such as an answer that is in the file as a
 * whole, pays for no check.
 *
 * The order of calls is that of read/input.h: open; load and check, as often as new
 * columns are wanted; close.
 */
#ifndef WL_INDEX_INDEX_H
#define WL_INDEX_INDEX_H

#include "index/file.h"
#include "model/trace.h"

struct wl_pool;
struct wl_index;

/* Where indexes are, and for which user. Borrowed. */
struct wl_index_opts {
	const char *dir;          /* NULL: next to the trace */
	const char *program;      /* version of the program: another one's index is not used */
	struct wl_budget *budget; /* of what writing takes; NULL: no limit */
};

/*
 * The file of a trace's index: TRACE.wlidx, or in dir NAME-HASH.wlidx, where the hash is
 * of the whole path, so that traces of one name do not meet. WL_E_USAGE when the path is
 * too long.
 */
int wl_index_path(const char *trace, const struct wl_index_opts *opts, char ret_path[WL_PATH_CAP],
		  struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Open the index of a trace. *ret_index is NULL when there is none. WL_E_FORMAT, or what
 * else went wrong, for one that cannot be used; the message names it and says why.
 * read/guard.h decides whether the trace itself may be read. Columns are charged to the
 * budget, NULL for none.
 */
int wl_index_open(const char *trace, const struct wl_index_opts *opts, struct wl_budget *budget,
		  struct wl_index **ret_index, struct wl_err *reterr) WL_MUST_CHECK;
void wl_index_close(struct wl_index *index); /* accepts NULL */

/* The same object throughout; load changes it in place. */
const struct wl_trace *wl_index_trace(const struct wl_index *index);

/*
 * Show these columns, and those that a reader would load with them: answers must not
 * depend on whether there is an index, so what was not asked for stays hidden.
 */
void wl_index_load(struct wl_index *index, const struct wl_columns *want);

/*
 * Copy and check what is shown and was not checked before; WL_E_FORMAT when it cannot be used,
 * WL_E_NOMEM when the budget does not suffice. After that nothing of the trace may be looked at any
 * more.
 */
int wl_index_check(struct wl_index *index, struct wl_pool *pool,
		   struct wl_err *reterr) WL_MUST_CHECK;

/* Arrays besides those of the trace: file.h. */
const struct wl_index_file *wl_index_get_file(const struct wl_index *index);

/*
 * Whether the index of a trace can be written where it belongs: only an index, or nothing, is
 * replaced. WL_E_OUTPUT otherwise. For asking before the trace is read; begin asks again.
 */
int wl_index_check_place(const char *trace, const struct wl_index_opts *opts,
			 struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Begin to write the index of a trace that is loaded whole, which is put first. identity
 * is what the file was before it was read.
 */
int wl_index_begin(const struct wl_trace *trace, const struct wl_trace_identity *identity,
		   const struct wl_index_opts *opts, struct wl_index_writer *w,
		   struct wl_err *reterr) WL_MUST_CHECK;

/*
 * Remove the index of a trace, whatever is in it; *ret_was_there says whether there was
 * one. A link, or a file that is no index, is left alone: WL_E_USAGE. WL_E_OUTPUT when it
 * cannot be removed.
 */
int wl_index_remove(const char *trace, const struct wl_index_opts *opts, bool *ret_was_there,
		    struct wl_err *reterr) WL_MUST_CHECK;

#endif
