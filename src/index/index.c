/* SPDX-License-Identifier: MIT */
#include "index/index.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/checksum.h"
#include "base/file/file.h"
#include "index/check.h"
#include "index/image.h"
#include "index/texts.h"

struct wl_index {
	char *trace_path;
	char name[WL_PATH_CAP];
	struct wl_index_file file;
	struct wl_trace all;   /* what the file has */
	struct wl_trace trace; /* what of it is shown */
	struct wl_columns checked;
	bool catalogue_checked;
};

int wl_index_path(const char *trace, const struct wl_index_opts *opts, char ret_path[WL_PATH_CAP],
		  struct wl_err *reterr)
{
	const char *base = wl_path_name(trace);
	char *real = opts->dir ? realpath(trace, NULL) : NULL;
	const char *whole = real ? real : trace;
	int n;

	if (opts->dir)
		n = snprintf(ret_path, WL_PATH_CAP, "%s/%s-%016" PRIx64 ".wlidx", opts->dir, base,
			     wl_checksum(whole, strlen(whole)));
	else
		n = snprintf(ret_path, WL_PATH_CAP, "%s.wlidx", trace);
	free(real);
	if (n < 0 || n >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "%.200s: the path of its index is too long",
			       trace);
	return WL_OK;
}

static int open_file(struct wl_index *x, const char *trace, const struct wl_index_opts *opts,
		     struct wl_budget *budget, struct wl_err *reterr)
{
	struct wl_trace_identity identity;
	struct wl_err why;
	int r = wl_trace_identify(trace, &identity, reterr);

	if (r < 0)
		return r;
	r = wl_index_file_open(x->name, wl_image_layout(opts->program), &identity, budget, &x->file,
			       &why);
	if (r == WL_OK)
		r = wl_image_get(&x->file, &x->all, &why);
	if (r < 0)
		return wl_fail(reterr, (enum wl_status)r, "%.300s %s", x->name, why.msg);
	x->trace_path = strdup(trace);
	if (!x->trace_path)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", x->name);
	x->all.path = x->trace_path;
	return WL_OK;
}

int wl_index_open(const char *trace, const struct wl_index_opts *opts, struct wl_budget *budget,
		  struct wl_index **ret_index, struct wl_err *reterr)
{
	struct wl_index *x = calloc(1, sizeof(*x));
	int r;

	*ret_index = NULL;
	if (!x)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory to open it", trace);
	r = wl_index_path(trace, opts, x->name, reterr);
	/* No index is no problem: r is WL_OK and *ret_index NULL. */
	if (r < 0 || access(x->name, F_OK) < 0) {
		free(x);
		return r;
	}
	r = open_file(x, trace, opts, budget, reterr);
	if (r < 0) {
		wl_index_close(x);
		return r;
	}
	x->trace = x->all;
	x->trace.loaded = (struct wl_columns){ { 0 } };
	/* A reader knows this much before anything is loaded. */
	wl_index_load(x, &(struct wl_columns){ { 0 } });
	*ret_index = x;
	return WL_OK;
}

void wl_index_close(struct wl_index *index)
{
	if (!index)
		return;
	wl_index_file_close(&index->file);
	free(index->trace_path);
	free(index);
}

const struct wl_trace *wl_index_trace(const struct wl_index *index)
{
	return &index->trace;
}

void wl_index_load(struct wl_index *index, const struct wl_columns *want)
{
	struct wl_columns shown = *want;
	struct wl_trace *t = &index->trace;

	wl_columns_close(&shown);
	wl_columns_add(&shown, WL_TABLES_NAME);
	wl_columns_add(&shown, WL_TABLES_USE);
	wl_columns_join(&shown, &t->loaded);
	t->loaded = shown;
	for (size_t f = 0; f < WL_N_FAMILIES; f++) {
		t->family[f] = (struct wl_family){ .present = index->all.family[f].present };
		if (wl_columns_has_family(&shown, (enum wl_family_id)f))
			t->family[f] = index->all.family[f];
	}
	for (size_t c = 0; c < WL_N_COLUMNS; c++)
		t->column[c] =
			wl_columns_has(&shown, (enum wl_column_id)c) ? index->all.column[c] : NULL;
}

int wl_index_check(struct wl_index *index, struct wl_pool *pool, struct wl_err *reterr)
{
	bool ok = index->catalogue_checked || wl_check_catalogue(&index->file, &index->all);

	index->catalogue_checked = ok;
	for (size_t f = 0; ok && f < WL_N_FAMILIES; f++) {
		/* Columns are checked once: the copies cannot change afterwards. */
		struct wl_columns fresh = index->trace.loaded;

		for (size_t i = 0; i < WL_COUNT(fresh.bits); i++)
			fresh.bits[i] &= ~index->checked.bits[i];
		if (index->trace.family[f].n && wl_columns_has_family(&fresh, (enum wl_family_id)f))
			ok = wl_check_family(&index->file, &index->all, (enum wl_family_id)f,
					     &fresh, pool);
	}
	if (!ok && index->file.no_memory)
		return wl_fail(reterr, WL_E_NOMEM, "%.300s has columns larger than the memory",
			       index->name);
	if (!ok)
		return wl_fail(reterr, WL_E_FORMAT, "%.300s is damaged", index->name);
	index->checked = index->trace.loaded;
	return WL_OK;
}

const struct wl_index_file *wl_index_get_file(const struct wl_index *index)
{
	return &index->file;
}

int wl_index_check_place(const char *trace, const struct wl_index_opts *opts, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	int r = wl_index_path(trace, opts, path, reterr);

	return r < 0 ? r : wl_index_file_spare(path, reterr);
}

/* The trace with the texts that an index may hold. */
static void put_named(const struct wl_trace *trace, struct wl_index_writer *w)
{
	struct wl_trace named = *trace;
	struct wl_vec blob, offset;

	wl_vec_init(&blob, 1, &w->budget);
	wl_vec_init(&offset, sizeof(uint64_t), &w->budget);
	if (wl_texts_named(trace, &blob, &offset)) {
		named.strings = (struct wl_strings){ blob.data, offset.data, trace->strings.n };
		wl_image_put(&named, w);
	} else {
		(void)wl_fail(&w->failure, WL_E_NOMEM, "%.300s: no memory for its index",
			      trace->path);
	}
	wl_vec_release(&blob);
	wl_vec_release(&offset);
}

int wl_index_begin(const struct wl_trace *trace, const struct wl_trace_identity *identity,
		   const struct wl_index_opts *opts, struct wl_index_writer *w,
		   struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct wl_file_readers readers = { .is_narrowed = false };
	int r = wl_index_path(trace->path, opts, path, reterr);

	if (r == WL_OK)
		r = wl_index_writer_begin(w, path, wl_image_layout(opts->program), identity,
					  reterr);
	if (r == WL_OK) {
		/* Who may not read the trace may not read what is known of it. */
		wl_file_readers_add(&readers, trace->path);
		wl_file_keep_from_others(&w->file, &readers);
		w->budget.of = opts->budget;
		put_named(trace, w);
	}
	return r;
}

int wl_index_remove(const char *trace, const struct wl_index_opts *opts, bool *ret_was_there,
		    struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct wl_err why;
	int r = wl_index_path(trace, opts, path, reterr);

	if (r < 0)
		return r;
	if (wl_index_file_spare(path, &why) < 0)
		return wl_fail(reterr, WL_E_USAGE, "%s", why.msg);
	*ret_was_there = access(path, F_OK) == 0;
	if (!*ret_was_there)
		return WL_OK;
	if (unlink(path) < 0)
		return wl_fail(reterr, WL_E_OUTPUT, "cannot remove %.300s: %s", path,
			       strerror(errno));
	return WL_OK;
}
