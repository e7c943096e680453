/* SPDX-License-Identifier: MIT */
#include "session/document/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file/checksum.h"
#include "table/pack.h"

const char wl_counts_vary[] = "counts_vary";

/*
 * Everything that can change the cells of a table. Options of the view (--where, --sort, -n) do
 * not: stored tables are whole. Where an analysis picks rows, --where does.
 */
bool wl_answers_fit(const struct wl_request *q)
{
	const struct wl_selection *s = &q->selection;
	bool fits = !s->gpu && !s->pid && !s->rank && !s->stream && !s->window && !q->marker &&
		    !q->conventions.name && !q->ncu && !(q->analysis && q->analysis->picks_rows);

	for (size_t i = 0; fits && q->analysis && q->docs && i < q->analysis->n_params; i++)
		fits = !q->docs[i];
	return fits;
}

/* An argument as text; NULL where it is the default, written or not. */
static const char *own_arg(const struct wl_section_info *section, size_t i)
{
	const struct wl_param *p = &wl_analysis_get(section->analysis)->params[i];
	const char *text = section->args[i];

	return text && p->def && strcmp(text, p->def) == 0 ? NULL : text;
}

/* The shape of the answer: with other columns it is that to another question. */
static uint64_t shape_of(const struct wl_analysis *a)
{
	uint64_t shape = 0;

	for (size_t i = 0; i < a->n_cols; i++)
		shape = shape * 31 + wl_checksum(a->cols[i].key, strlen(a->cols[i].key)) +
			(uint64_t)a->cols[i].type;
	return shape;
}

/* What is asked, as bytes: the answer begins with it. */
static void pack_question(const struct wl_section_info *section, const char *window,
			  struct wl_vec *bytes)
{
	const struct wl_analysis *a = wl_analysis_get(section->analysis);

	wl_pack_str(bytes, section->analysis);
	wl_pack_str(bytes, window);
	wl_pack_u64(bytes, shape_of(a));
	for (size_t i = 0; i < a->n_params; i++) {
		if (!own_arg(section, i))
			continue;
		wl_pack_str(bytes, a->params[i].key);
		wl_pack_str(bytes, own_arg(section, i));
	}
	wl_pack_str(bytes, NULL);
}

/* The same of a document's frame. */
static void pack_name(const char *document, const char *window, struct wl_vec *bytes)
{
	wl_pack_str(bytes, document);
	wl_pack_str(bytes, window);
}

/*
 * Names are short, so what is asked is in there as a number. Two questions may have the same
 * number; the question itself, in front of the answer, decides. The name takes at most 30 of
 * WL_ANSWER_NAME bytes.
 */
static void answer_name(const char *kind, const char *what, const struct wl_vec *question,
			char *buf)
{
	(void)snprintf(buf, WL_ANSWER_NAME, "%s.%.14s.%08" PRIx32, kind, what,
		       (uint32_t)wl_checksum(question->data, question->n));
}

static void pack_part(const struct wl_step_part *part, struct wl_vec *bytes)
{
	wl_pack_str(bytes, part->name);
	wl_pack_u64(bytes, (uint64_t)part->n);
	wl_pack_u64(bytes, (uint64_t)part->median);
}

static void pack_step(const struct wl_doc_step *step, struct wl_vec *bytes)
{
	wl_pack_u64(bytes, step != NULL);
	if (!step)
		return;
	wl_pack_str(bytes, step->method);
	wl_pack_str(bytes, step->what);
	wl_pack_u64(bytes, (uint64_t)step->count);
	wl_pack_u64(bytes, (uint64_t)step->median);
	wl_pack_u64(bytes, (uint64_t)step->n_processes);
	wl_pack_u64(bytes, (uint64_t)step->is_guess);
	wl_pack_u64(bytes, (uint64_t)step->has_kinds);
	for (size_t i = 0; i < WL_COUNT(step->part); i++)
		pack_part(&step->part[i], bytes);
	pack_part(&step->outer, bytes);
}

static void pack_frame(const struct wl_document *doc, struct wl_vec *bytes)
{
	/*
	 * The first fact is the path, which is not kept: the trace may be moved together with its
	 * index.
	 */
	wl_pack_u64(bytes, doc->n_trace - 1);
	for (size_t i = 1; i < doc->n_trace; i++) {
		wl_pack_str(bytes, doc->trace[i].key);
		wl_pack_str(bytes, doc->trace[i].str);
		wl_pack_u64(bytes, (uint64_t)doc->trace[i].i64);
	}
	wl_pack_u64(bytes, (uint64_t)doc->n_devices);
	wl_pack_u64(bytes, doc->n_windows);
	for (size_t i = 0; i < doc->n_windows; i++) {
		wl_pack_u64(bytes, (uint64_t)doc->windows[i].device);
		wl_pack_u64(bytes, (uint64_t)doc->windows[i].begin);
		wl_pack_u64(bytes, (uint64_t)doc->windows[i].end);
	}
	wl_pack_u64(bytes, doc->in_detail);
	pack_step(doc->step, bytes);
}

static void unpack_part(struct wl_unpack *from, struct wl_step_part *ret)
{
	ret->name = wl_unpack_str(from);
	ret->n = (int64_t)wl_unpack_u64(from);
	ret->median = (int64_t)wl_unpack_u64(from);
}

/* False without memory; *ret is NULL where there is none. */
static bool unpack_step(struct wl_unpack *from, struct wl_arena *arena,
			const struct wl_doc_step **ret)
{
	struct wl_doc_step *step;

	*ret = NULL;
	if (!wl_unpack_upto(from, 1))
		return true;
	*ret = step = WL_NEW(arena, struct wl_doc_step, 1);
	if (!step)
		return false;
	step->method = wl_unpack_str(from);
	step->what = wl_unpack_str(from);
	step->count = (int64_t)wl_unpack_u64(from);
	step->median = (int64_t)wl_unpack_u64(from);
	step->n_processes = (int64_t)wl_unpack_u64(from);
	step->is_guess = (int64_t)wl_unpack_u64(from);
	step->has_kinds = (int64_t)wl_unpack_upto(from, 1);
	for (size_t i = 0; i < WL_COUNT(step->part); i++)
		unpack_part(from, &step->part[i]);
	unpack_part(from, &step->outer);
	/* Renderers print these texts without asking whether they are there. */
	from->failed = from->failed || !step->method || !step->what;
	return true;
}

static bool unpack_frame(struct wl_unpack *from, struct wl_arena *arena,
			 struct wl_stored_frame *ret)
{
	struct wl_doc_window *windows;
	struct wl_fact *facts;

	/* Each takes more than one byte, so no more can be there than bytes are left. */
	ret->n_facts = (size_t)wl_unpack_upto(from, from->left);
	ret->facts = facts = WL_NEW(arena, struct wl_fact, ret->n_facts);
	for (size_t i = 0; facts && i < ret->n_facts && !from->failed; i++) {
		facts[i].key = wl_unpack_str(from);
		facts[i].str = wl_unpack_str(from);
		facts[i].i64 = (int64_t)wl_unpack_u64(from);
		from->failed = from->failed || !facts[i].key;
	}
	ret->n_devices = (int64_t)wl_unpack_u64(from);
	ret->n_windows = (size_t)wl_unpack_upto(from, from->left);
	ret->windows = windows = WL_NEW(arena, struct wl_doc_window, ret->n_windows);
	for (size_t i = 0; windows && i < ret->n_windows; i++) {
		windows[i].device = (int64_t)wl_unpack_u64(from);
		windows[i].begin = (int64_t)wl_unpack_u64(from);
		windows[i].end = (int64_t)wl_unpack_u64(from);
	}
	ret->in_detail = wl_unpack_upto(from, 1) != 0;
	return facts && windows && unpack_step(from, arena, &ret->step) && !from->failed;
}

/* What stands before an answer. */
enum { FOUND_NOTHING, FOUND_TABLE, FOUND_NO_WINDOW, N_FOUND };

static bool unpack_answer(struct wl_unpack *from, const struct wl_analysis *a,
			  struct wl_arena *arena, struct wl_stored_answer *ret)
{
	uint64_t found = wl_unpack_upto(from, N_FOUND - 1);

	ret->status = found == FOUND_TABLE ? WL_OK : WL_E_NODATA;
	ret->is_of_scope = found == FOUND_NO_WINDOW;
	if (found != FOUND_TABLE) {
		ret->message = wl_unpack_str(from);
		return ret->message && wl_unpack_done(from);
	}
	return unpack_frame(from, arena, &ret->frame) &&
	       wl_table_unpack(from, a->cols, a->n_cols, arena, &ret->table) &&
	       wl_unpack_done(from);
}

/* A copy of the bytes of an answer in an index, that fit their sum. */
static bool fetch_array(const void *ctx, const char *name, struct wl_arena *arena,
			struct wl_unpack *ret)
{
	const struct wl_index_file *file = wl_index_get_file(ctx);
	const struct wl_index_section *s = wl_index_section_find(file, name, 1);
	char *copy = s && s->n <= WL_MAX_ANSWER ? WL_NEW(arena, char, (size_t)s->n) : NULL;

	if (!copy)
		return false;
	*ret = (struct wl_unpack){ .at = copy, .left = (size_t)s->n };
	return wl_index_section_copy(file, s, copy);
}

struct wl_answer_source wl_index_answers(const struct wl_index *index)
{
	return (struct wl_answer_source){ fetch_array, index };
}

/* What is stored to a question, behind it. */
static bool fetch(const struct wl_answer_source *source, const char *name,
		  const struct wl_vec *question, struct wl_arena *arena, struct wl_unpack *ret)
{
	if (question->failed || !source->fetch(source->ctx, name, arena, ret) ||
	    ret->left > WL_MAX_ANSWER || ret->left < question->n ||
	    memcmp(ret->at, question->data, question->n) != 0)
		return false;
	ret->at += question->n;
	ret->left -= question->n;
	return true;
}

struct wl_stored_answer *wl_answer_find(const struct wl_answer_source *source,
					const struct wl_section_info *section, const char *window,
					struct wl_arena *arena)
{
	const struct wl_analysis *a = wl_analysis_get(section->analysis);
	struct wl_stored_answer *ret = WL_NEW(arena, struct wl_stored_answer, 1);
	struct wl_vec question;
	char name[WL_ANSWER_NAME];
	struct wl_unpack from;
	bool found;

	wl_vec_init(&question, 1, wl_arena_budget(arena));
	pack_question(section, window, &question);
	answer_name("answer5", a->name, &question, name);
	/*
	 * A document of the user's own is not part of the question's bytes, so such a section never
	 * matches.
	 */
	found = ret && !section->docs && fetch(source, name, &question, arena, &from) &&
		unpack_answer(&from, a, arena, ret);
	wl_vec_release(&question);
	return found ? ret : NULL;
}

struct wl_stored_frame *wl_frame_find(const struct wl_answer_source *source, const char *document,
				      const char *window, struct wl_arena *arena)
{
	struct wl_stored_frame *ret = WL_NEW(arena, struct wl_stored_frame, 1);
	char name[WL_ANSWER_NAME];
	struct wl_vec question;
	struct wl_unpack from;
	bool found;

	wl_vec_init(&question, 1, wl_arena_budget(arena));
	pack_name(document, window, &question);
	answer_name("frame2", document, &question, name);
	found = ret && fetch(source, name, &question, arena, &from) &&
		unpack_frame(&from, arena, ret) && wl_unpack_done(&from);
	wl_vec_release(&question);
	return found ? ret : NULL;
}

bool wl_frame_take(const struct wl_stored_frame *frame, const char *label, const char *path,
		   struct wl_arena *arena, struct wl_document *doc)
{
	struct wl_fact *facts = WL_NEW(arena, struct wl_fact, 1 + frame->n_facts);

	if (!facts)
		return false;
	facts[0] = (struct wl_fact){ "path", label ? label : path, 0 };
	for (size_t i = 0; i < frame->n_facts; i++)
		facts[1 + i] = frame->facts[i];
	doc->trace = facts;
	doc->n_trace = 1 + frame->n_facts;
	doc->windows = frame->windows;
	doc->n_windows = frame->n_windows;
	doc->n_devices = frame->n_devices;
	doc->step = frame->step;
	doc->in_detail = frame->in_detail;
	return true;
}

/* What is too large is left out; false where the system has no memory for it. */
static bool store(const struct wl_answer_sink *to, const char *name, struct wl_vec *bytes,
		  const struct wl_budget *budget)
{
	bool ok = !bytes->failed || budget->is_hit;

	if (!bytes->failed && bytes->n <= WL_MAX_ANSWER)
		to->put(to->ctx, name, bytes->data, bytes->n);
	wl_vec_release(bytes);
	return ok;
}

bool wl_answer_put(const struct wl_answer_sink *to, const struct wl_section_info *section,
		   const char *window, const struct wl_document *doc, const struct wl_table *table,
		   const char *message)
{
	/* Twice what is kept, because a vector has more room than elements. */
	struct wl_budget budget = { .limit = (size_t)2 * WL_MAX_ANSWER };
	char name[WL_ANSWER_NAME];
	struct wl_vec bytes;

	/* By a coordinate of ranks it has columns of its own. */
	if (table && table->cols != wl_analysis_get(section->analysis)->cols)
		return true;
	wl_vec_init(&bytes, 1, &budget);
	pack_question(section, window, &bytes);
	answer_name("answer5", section->analysis, &bytes, name);
	wl_pack_u64(&bytes, table ? FOUND_TABLE : doc ? FOUND_NOTHING : FOUND_NO_WINDOW);
	if (table) {
		pack_frame(doc, &bytes);
		wl_table_pack(table, &bytes);
	} else {
		wl_pack_str(&bytes, message);
	}
	return store(to, name, &bytes, &budget);
}

bool wl_frame_store(const struct wl_answer_sink *to, const char *window,
		    const struct wl_document *doc)
{
	struct wl_budget budget = { .limit = (size_t)2 * WL_MAX_ANSWER };
	char name[WL_ANSWER_NAME];
	struct wl_vec bytes;

	wl_vec_init(&bytes, 1, &budget);
	pack_name(doc->name, window, &bytes);
	answer_name("frame2", doc->name, &bytes, name);
	pack_frame(doc, &bytes);
	return store(to, name, &bytes, &budget);
}
