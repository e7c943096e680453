/* SPDX-License-Identifier: MIT */
#include "agent/tools/handles.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tools/kept_answers.h"
#include "base/process/lock.h"

struct wl_handles {
	struct wl_trace_opener opener;
	struct wl_lock *lock; /* guards all below, and used and waiting of each handle */
	struct wl_handle *at[WL_MAX_HANDLES];
	size_t n;
	/* Other calls may still wait for them: they are freed with the box. */
	struct wl_handle *retired[WL_MAX_HANDLES];
	size_t n_retired;
	uint64_t clock;
};

struct wl_handles *wl_handles_new(const struct wl_trace_opener *opener)
{
	struct wl_handles *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	all->opener = *opener;
	all->lock = wl_lock_new();
	if (!all->lock) {
		free(all);
		return NULL;
	}
	return all;
}

void wl_handle_close(struct wl_handle *h)
{
	if (h->trace.session)
		h->of->opener.close(h->of->opener.ctx, &h->trace);
	h->trace = (struct wl_tool_trace){ .session = NULL };
	wl_kept_answers_release(h->kept);
	h->kept = NULL;
}

static void free_handle(struct wl_handle *h)
{
	wl_handle_close(h);
	wl_lock_free(h->lock);
	free(h);
}

void wl_handles_free(struct wl_handles *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->n; i++)
		free_handle(all->at[i]);
	for (size_t i = 0; i < all->n_retired; i++)
		free_handle(all->retired[i]);
	wl_lock_free(all->lock);
	free(all);
}

/* Pass the call's cancel flag on to an export, which knows only the flag it was opened with. */
static void tick(struct wl_trace_reading *reading, int64_t done, int64_t total)
{
	struct wl_handle *h =
		(struct wl_handle *)((char *)reading - offsetof(struct wl_handle, reading));
	const struct wl_call *how = h->now;

	if (!how)
		return;
	if (how->cancel && *how->cancel)
		atomic_store(&reading->stop, 1);
	/* A client may reject a number that is not larger than the last. */
	if (how->progress && done > h->ticks) {
		h->ticks = done;
		how->progress(how->ctx, (double)done, (double)(total > done ? total : 0),
			      "reading the trace");
	}
}

static bool is_id(const char *name)
{
	size_t digits = name[0] == 't' ? strspn(name + 1, "0123456789") : 0;

	return digits > 0 && digits < 4 && name[1 + digits] == '\0';
}

/* For messages: "t1 (a.sqlite), t2 (b.sqlite)". */
static void list(const struct wl_handles *all, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < all->n && used < size; i++) {
		const char *slash = strrchr(all->at[i]->path, '/');

		used += (size_t)snprintf(buf + used, size - used, "%s%s (%.40s)", i ? ", " : "",
					 all->at[i]->id, slash ? slash + 1 : all->at[i]->path);
	}
}

static struct wl_handle *find(const struct wl_handles *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (strcmp(all->at[i]->id, name) == 0 || strcmp(all->at[i]->path, name) == 0)
			return all->at[i];
	}
	return NULL;
}

static int add(struct wl_handles *all, const char *path, struct wl_handle **ret,
	       struct wl_err *reterr)
{
	struct wl_handle *h;

	if (all->n == WL_MAX_HANDLES)
		return wl_fail(reterr, WL_E_USAGE,
			       "%d traces have handles already, which is the most; start another "
			       "server for more",
			       WL_MAX_HANDLES);
	if (strlen(path) >= sizeof(h->path))
		return wl_fail(reterr, WL_E_USAGE, "%.60s...: the path is too long", path);
	h = calloc(1, sizeof(*h));
	if (h)
		h->lock = wl_lock_new();
	if (!h || !h->lock) {
		free(h);
		return wl_fail(reterr, WL_E_NOMEM, "no memory for another trace");
	}
	(void)snprintf(h->id, sizeof(h->id), "t%zu", all->n + 1);
	memcpy(h->path, path, strlen(path) + 1);
	h->of = all;
	h->reading.tick = tick;
	all->at[all->n++] = h;
	*ret = h;
	return WL_OK;
}

int wl_handle_find(struct wl_handles *all, const char *name, struct wl_handle **ret,
		   struct wl_err *reterr)
{
	char known[300];
	struct stat st;
	int r = WL_OK;

	wl_lock_take(all->lock);
	*ret = find(all, name);
	list(all, known, sizeof(known));
	if (!*ret && is_id(name))
		r = wl_fail(reterr, WL_E_USAGE, "no trace has the handle \"%s\"; %s%s", name,
			    known[0] ? "there are " : "call open_trace first", known);
	else if (!*ret && stat(name, &st) < 0)
		r = wl_fail(reterr, WL_E_IO, "cannot read %.300s: %s", name, strerror(errno));
	else if (!*ret)
		r = add(all, name, ret, reterr);
	wl_lock_give(all->lock);
	return r;
}

int wl_handle_only(struct wl_handles *all, struct wl_handle **ret, struct wl_err *reterr)
{
	char known[300];
	int r = WL_OK;

	wl_lock_take(all->lock);
	list(all, known, sizeof(known));
	if (all->n == 0)
		r = wl_fail(reterr, WL_E_USAGE,
			    "no trace is open: call open_trace with the path of one");
	else if (all->n > 1)
		r = wl_fail(reterr, WL_E_USAGE, "say which trace: %s", known);
	else
		*ret = all->at[0];
	wl_lock_give(all->lock);
	return r;
}

/* If too many are open, the least recently used one that no call holds; else NULL. */
static struct wl_handle *find_idle(struct wl_handles *all)
{
	struct wl_handle *oldest = NULL;
	size_t n_open = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct wl_handle *h = all->at[i];

		if (h->waiting > 0) {
			n_open++;
			continue;
		}
		/* No call holds it, and any call that wants it waits for our lock. */
		n_open += h->trace.session != NULL;
		if (h->trace.session && (!oldest || h->used < oldest->used))
			oldest = h;
	}
	return n_open > WL_MAX_OPEN ? oldest : NULL;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int open_it(struct wl_handle *h, struct wl_err *reterr)
{
	const struct wl_trace_opener *opener = &h->of->opener;
	struct stat now;
	int r;

	/* A missing file does not matter while the trace is open. */
	if (stat(h->path, &now) == 0 && h->trace.session && !is_same_file(&now, &h->was)) {
		wl_handle_close(h);
		h->was_reread = true;
	}
	if (h->trace.session)
		return WL_OK;
	if (stat(h->path, &h->was) < 0)
		return wl_fail(reterr, WL_E_IO, "cannot read %.300s: %s", h->path, strerror(errno));
	r = opener->open(opener->ctx, h->path, &h->reading, &h->trace, reterr);
	if (r < 0)
		h->trace = (struct wl_tool_trace){ .session = NULL };
	return r;
}

int wl_handle_take(struct wl_handle *h, const struct wl_call *how, struct wl_err *reterr)
{
	struct wl_handles *all = h->of;
	struct wl_handle *idle;
	int r;

	wl_lock_take(all->lock);
	h->waiting++;
	h->used = ++all->clock;
	idle = find_idle(all);
	if (idle)
		wl_handle_close(idle);
	wl_lock_give(all->lock);
	wl_lock_take(h->lock);
	h->now = how;
	h->ticks = 0;
	h->was_reread = false;
	atomic_store(&h->reading.stop, 0);
	if (how->cancel && *how->cancel)
		return wl_fail(reterr, WL_E_CANCELED, "stopped");
	if (h->is_retired)
		return wl_fail(reterr, WL_E_IO, "%.300s could not be opened; try again", h->path);
	r = open_it(h, reterr);
	h->was_opened = h->was_opened || r == WL_OK;
	/* The client may use the trace again after cancelling a call. */
	h->is_refused = r < 0 && r != WL_E_CANCELED && !h->was_opened;
	return r;
}

/* Take the id back, with the lock of all held. Only the last can go: ids count handles. */
static void retire(struct wl_handles *all, struct wl_handle *h)
{
	if (all->n == 0 || all->at[all->n - 1] != h || all->n_retired == WL_MAX_HANDLES)
		return;
	h->is_retired = true;
	all->n--;
	all->retired[all->n_retired++] = h;
}

void wl_handle_give(struct wl_handle *h)
{
	bool is_refused = h->is_refused;

	h->now = NULL;
	wl_lock_give(h->lock);
	wl_lock_take(h->of->lock);
	h->waiting--;
	/* With no waiting calls, no other thread writes what was read above. */
	if (is_refused && h->waiting == 0 && !h->was_opened)
		retire(h->of, h);
	wl_lock_give(h->of->lock);
}
