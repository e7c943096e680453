/* SPDX-License-Identifier: MIT */
#include "agent/tools/kept_answers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "table/pack.h"

/* Most answers per trace, and bytes per answer. */
enum { MOST = 32, LARGEST = 2 << 20 };

struct kept {
	struct wl_kept_answer answer;
	char *question;
	struct wl_vec bytes; /* the texts of the table point into it */
	struct wl_arena arena;
	struct wl_table table;
	uint64_t used;
};

struct wl_kept_answers {
	struct kept at[MOST]; /* question NULL: empty */
	uint64_t clock;
};

static void drop(struct kept *k)
{
	if (!k->question)
		return;
	free(k->question);
	wl_arena_release(&k->arena);
	wl_vec_release(&k->bytes);
	*k = (struct kept){ .question = NULL };
}

void wl_kept_answers_release(struct wl_kept_answers *kept)
{
	for (size_t i = 0; kept && i < MOST; i++)
		drop(&kept->at[i]);
	free(kept);
}

const struct wl_kept_answer *wl_kept_answers_find(struct wl_kept_answers *kept,
						  const char *question)
{
	for (size_t i = 0; kept && i < MOST; i++) {
		struct kept *k = &kept->at[i];

		if (k->question && strcmp(k->question, question) == 0) {
			k->used = ++kept->clock;
			return &k->answer;
		}
	}
	return NULL;
}

/* An empty place, or that of the least recently used answer. */
static struct kept *make_room(struct wl_kept_answers *kept)
{
	struct kept *oldest = &kept->at[0];

	for (size_t i = 0; i < MOST; i++) {
		if (!kept->at[i].question)
			return &kept->at[i];
		if (kept->at[i].used < oldest->used)
			oldest = &kept->at[i];
	}
	drop(oldest);
	return oldest;
}

static const char *copy_text(struct kept *k, const char *text, bool *ok)
{
	const char *copy = text ? wl_arena_strdup(&k->arena, text) : NULL;

	*ok = *ok && (copy || !text);
	return copy;
}

/* What replies show of a frame: window, step and number of devices. */
static bool copy_frame(struct kept *k, const struct wl_document *doc)
{
	struct wl_document *f = &k->answer.frame;
	struct wl_doc_window *windows = WL_NEW(&k->arena, struct wl_doc_window, doc->n_windows + 1);
	struct wl_doc_step *step = WL_NEW(&k->arena, struct wl_doc_step, 1);
	bool ok = windows && step;

	if (!ok)
		return false;
	*f = (struct wl_document){ .name = doc->name, /* the verb's: constant */
				   .n_devices = doc->n_devices,
				   .windows = windows,
				   .n_windows = doc->n_windows,
				   .single = true };
	f->window_spec = copy_text(k, doc->window_spec, &ok);
	for (size_t i = 0; i < doc->n_windows; i++)
		windows[i] = doc->windows[i];
	if (doc->step) {
		*step = *doc->step;
		step->method = copy_text(k, doc->step->method, &ok);
		step->what = copy_text(k, doc->step->what, &ok);
		for (size_t i = 0; i < WL_STEP_PARTS; i++)
			step->part[i].name = copy_text(k, doc->step->part[i].name, &ok);
		step->outer.name = copy_text(k, doc->step->outer.name, &ok);
		f->step = step;
	}
	return ok;
}

/* Copy the options its commands were made with: a packed table does not include them. */
static bool copy_given(struct kept *k, const struct wl_table *t)
{
	bool ok = true;

	for (const struct wl_shell_cell *from = t->shell_cells; from; from = from->next) {
		struct wl_shell_cell *to = k->table.shell_cells;

		while (to && (to->row != from->row || to->col != from->col))
			to = to->next;
		if (!to)
			continue;
		to->given = (struct wl_cmdline_given){
			.gpu = copy_text(k, from->given.gpu, &ok),
			.pid = copy_text(k, from->given.pid, &ok),
			.rank = copy_text(k, from->given.rank, &ok),
			.stream = copy_text(k, from->given.stream, &ok),
			.window = copy_text(k, from->given.window, &ok),
			.marker = copy_text(k, from->given.marker, &ok),
			.conventions = copy_text(k, from->given.conventions, &ok),
			.trace = copy_text(k, from->given.trace, &ok),
		};
	}
	return ok;
}

static bool copy_table(struct kept *k, const struct wl_table *t)
{
	struct wl_unpack from;

	wl_table_pack(t, &k->bytes);
	if (k->bytes.failed || k->bytes.n > LARGEST)
		return false;
	from = (struct wl_unpack){ .at = k->bytes.data, .left = k->bytes.n };
	k->answer.table = &k->table;
	return wl_table_unpack(&from, t->cols, t->n_cols, &k->arena, &k->table) && copy_given(k, t);
}

/* Whether the table has few enough cells that a copy is likely to fit. */
static bool is_small(const struct wl_table *t)
{
	return t->n_cols > 0 && t->n_rows <= (size_t)LARGEST / (16 * t->n_cols);
}

void wl_kept_answers_put(struct wl_kept_answers **kept, const char *question,
			 const struct wl_document *doc)
{
	struct kept *k;

	if (doc->n_sections == 0 || doc->sections[0].missing ||
	    !is_small(doc->sections[0].view.table))
		return;
	if (!*kept)
		*kept = calloc(1, sizeof(**kept));
	if (!*kept)
		return;
	k = make_room(*kept);
	k->question = strdup(question);
	if (!k->question)
		return;
	k->used = ++(*kept)->clock;
	wl_arena_init(&k->arena, (size_t)4 * LARGEST);
	wl_vec_init(&k->bytes, 1, wl_arena_budget(&k->arena));
	if (!copy_table(k, doc->sections[0].view.table) || !copy_frame(k, doc))
		drop(k);
}
