/* SPDX-License-Identifier: MIT */
#include "derive/calls/library_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/intern.h"
#include "derive/derived.h"
#include "derive/rows/outermost.h"

enum { CUDNN, CUBLAS, ACC_LAUNCHES, ACC_DATA, ACC_OTHERS, N_SOURCES };

/* The rows of one table, by thread. */
struct source {
	const char *library;
	struct wl_outer_lists rows;
	const uint32_t *name, *file, *line; /* by row; file and line are NULL for libraries */
};

/* What calls of one name have in common; texts are numbers, WL_NONE for none, as is line 0. */
struct key {
	uint32_t library, name, file, line;
};

/* A row of a source that has begun. */
struct open_row {
	wl_ns end;
	uint32_t source, row;
};

struct finding {
	const struct wl_trace *trace;
	struct source source[N_SOURCES];
	struct wl_outer_lists calls; /* the CUDA calls */
	struct wl_intern keys;       /* struct key */
	struct wl_vec open;          /* struct open_row, the innermost last */
	uint32_t *of;
};

static uint32_t thread_of_row(const void *ctx, size_t row)
{
	const uint32_t *thread = ctx;

	return thread[row];
}

static bool list(const struct wl_trace *t, enum wl_family_id family, struct wl_arena *arena,
		 struct wl_outer_lists *ret)
{
	const struct wl_list_deal deal = { family, t->n_threads, thread_of_row,
					   wl_trace_thread_rows(t, family).thread };

	return wl_outer_lists_make(t, &deal, arena, ret);
}

static bool list_sources(struct finding *f, struct wl_arena *arena)
{
	const struct wl_trace *t = f->trace;
	static const enum wl_family_id family[N_SOURCES] = { WL_F_CUDNN, WL_F_CUBLAS,
							     WL_F_ACC_LAUNCHES, WL_F_ACC_DATA,
							     WL_F_ACC_OTHERS };
	const struct source source[N_SOURCES] = {
		[CUDNN] = { .library = "cuDNN", .name = wl_cudnn_name(t) },
		[CUBLAS] = { .library = "cuBLAS", .name = wl_cublas_name(t) },
		[ACC_LAUNCHES] = { .library = "OpenACC",
				   .name = wl_acc_launches_name(t),
				   .file = wl_acc_launches_file(t),
				   .line = wl_acc_launches_line(t) },
		[ACC_DATA] = { .library = "OpenACC",
			       .name = wl_acc_data_name(t),
			       .file = wl_acc_data_file(t),
			       .line = wl_acc_data_line(t) },
		[ACC_OTHERS] = { .library = "OpenACC",
				 .name = wl_acc_others_name(t),
				 .file = wl_acc_others_file(t),
				 .line = wl_acc_others_line(t) },
	};

	for (size_t s = 0; s < N_SOURCES; s++) {
		f->source[s] = source[s];
		if (!list(t, family[s], arena, &f->source[s].rows))
			return false;
	}
	return list(t, WL_F_API, arena, &f->calls);
}

/* Whether the next row of source a comes before that of b, in nesting order. */
static bool comes_before(const struct finding *f, const struct wl_slice *left, size_t a, size_t b)
{
	const struct wl_outer_lists *la = &f->source[a].rows, *lb = &f->source[b].rows;
	uint32_t ra = la->row[left[a].lo], rb = lb->row[left[b].lo];

	if (la->start[ra] != lb->start[rb])
		return la->start[ra] < lb->start[rb];
	return wl_outer_end(la, ra) > wl_outer_end(lb, rb);
}

/* The source whose row is next and begins by t, N_SOURCES for none. */
static size_t next_source(const struct finding *f, const struct wl_slice *left, wl_ns t)
{
	size_t next = N_SOURCES;

	for (size_t s = 0; s < N_SOURCES; s++) {
		const struct wl_outer_lists *l = &f->source[s].rows;

		if (left[s].lo < left[s].hi && l->start[l->row[left[s].lo]] <= t &&
		    (next == N_SOURCES || comes_before(f, left, s, next)))
			next = s;
	}
	return next;
}

/* Time does not go back: rows at the end that have ended are never asked for again. */
static void drop_ended(struct finding *f, wl_ns t)
{
	const struct open_row *open = f->open.data;

	while (f->open.n && open[f->open.n - 1].end <= t)
		f->open.n--;
}

static void begin_rows(struct finding *f, struct wl_slice *left, wl_ns t)
{
	for (size_t s; (s = next_source(f, left, t)) < N_SOURCES;) {
		const struct wl_outer_lists *l = &f->source[s].rows;
		uint32_t row = l->row[left[s].lo++];
		const struct open_row begun = { wl_outer_end(l, row), (uint32_t)s, row };

		drop_ended(f, l->start[row]);
		wl_vec_push(&f->open, &begun);
	}
	drop_ended(f, t);
}

/* Number what the innermost open row is called. */
static bool take_innermost(struct finding *f, uint32_t *ret)
{
	const struct open_row *open = f->open.data;
	const struct source *s;
	struct key key;
	uint32_t row;

	*ret = WL_NONE;
	if (f->open.n == 0)
		return true;
	row = open[f->open.n - 1].row;
	s = &f->source[open[f->open.n - 1].source];
	key = (struct key){ open[f->open.n - 1].source, s->name[row],
			    s->file ? s->file[row] : WL_NONE, 0 };
	/* A line says nothing without its file. */
	if (key.file != WL_NONE && s->line && s->line[row] != WL_NONE)
		key.line = s->line[row];
	/* The tables of OpenACC are one library. */
	if (key.library > ACC_LAUNCHES)
		key.library = ACC_LAUNCHES;
	*ret = wl_intern_put(&f->keys, &key);
	return *ret != WL_NONE;
}

static bool sweep_thread(struct finding *f, size_t thread)
{
	struct wl_slice calls = f->calls.list[thread], left[N_SOURCES];

	for (size_t s = 0; s < N_SOURCES; s++)
		left[s] = f->source[s].rows.list[thread];
	f->open.n = 0;
	for (size_t i = calls.lo; i < calls.hi; i++) {
		uint32_t call = f->calls.row[i];

		begin_rows(f, left, f->calls.start[call]);
		if (f->open.failed || !take_innermost(f, &f->of[call]))
			return false;
	}
	return true;
}

static const char *text_of(const struct finding *f, const struct key *key, struct wl_arena *arena)
{
	const char *name = key->name == WL_NONE ? "(unnamed)" : wl_str(f->trace, key->name);
	const char *file = key->file == WL_NONE ? "" : wl_str(f->trace, key->file);
	size_t cap = strlen(name) + strlen(file) + sizeof(": 4294967295()");
	char *text;

	if (key->file == WL_NONE)
		return name;
	text = WL_NEW(arena, char, cap);
	if (text && key->line)
		(void)snprintf(text, cap, "%s:%" PRIu32 " (%s)", file, key->line, name);
	else if (text)
		(void)snprintf(text, cap, "%s (%s)", file, name);
	return text;
}

static bool name_calls(const struct finding *f, struct wl_arena *arena,
		       struct wl_library_calls *ret)
{
	const struct key *key = f->keys.items.data;
	struct wl_library_call *call = WL_NEW(arena, struct wl_library_call, f->keys.items.n);

	ret->call = call;
	ret->n = f->keys.items.n;
	for (size_t i = 0; call && i < ret->n; i++) {
		call[i].library = f->source[key[i].library].library;
		call[i].name = text_of(f, &key[i], arena);
		if (!call[i].name)
			return false;
	}
	return call != NULL;
}

static bool find(struct finding *f, struct wl_arena *arena, struct wl_library_calls *ret)
{
	const struct wl_trace *t = f->trace;
	struct wl_arena scratch;
	bool ok;

	f->of = WL_NEW(arena, uint32_t, t->family[WL_F_API].n);
	wl_arena_init_child(&scratch, arena);
	ok = f->of && list_sources(f, &scratch);
	for (size_t i = 0; ok && i < t->n_threads; i++)
		ok = sweep_thread(f, i);
	wl_arena_release(&scratch);
	ret->of = f->of;
	return ok && name_calls(f, arena, ret);
}

bool wl_library_calls_find(const struct wl_derived *given, struct wl_arena *arena,
			   struct wl_library_calls *ret)
{
	struct finding f = { .trace = given->trace };
	bool ok;

	*ret = (struct wl_library_calls){ .n = 0 };
	wl_intern_init(&f.keys, sizeof(struct key), wl_arena_budget(arena));
	wl_vec_init(&f.open, sizeof(struct open_row), wl_arena_budget(arena));
	ok = find(&f, arena, ret);
	wl_vec_release(&f.open);
	wl_intern_release(&f.keys);
	return ok;
}
