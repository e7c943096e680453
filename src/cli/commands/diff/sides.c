/* SPDX-License-Identifier: MIT */
#include "cli/commands/diff/sides.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/pool.h"
#include "base/text/clean.h"
#include "cli/line/option_names.h"
#include "cli/open.h"
#include "compare/diff/ask.h"
#include "compare/fingerprint/fingerprint_json.h"
#include "compare/fingerprint/take.h"
#include "facts/file.h"
#include "facts/gather.h"
#include "session/document/verb_call.h"
#include "session/facts/facts_trace.h"

int wl_siding_init(struct wl_siding *s, const struct wl_invocation *inv, struct wl_err *reterr)
{
	*s = (struct wl_siding){ .inv = inv,
				 .pool = wl_pool_option(inv),
				 .budget = { .limit = inv->opt.memory },
				 .costs = { .on = inv->opt.stats } };
	wl_arena_init_on(&s->arena, &s->budget);
	return wl_docs_init(&s->docs, inv, inv->param, reterr);
}

static void drop_last(struct wl_siding *s)
{
	wl_opened_release(&s->last);
	s->last_path = NULL;
}

void wl_siding_release(struct wl_siding *s)
{
	drop_last(s);
	wl_arena_release(&s->arena);
	wl_pool_free(s->pool);
	wl_docs_release(&s->docs);
}

bool wl_sides_differ(const struct wl_invocation *inv)
{
	for (size_t i = 0; i < WL_N_OPTIONS; i++) {
		if (inv->again[i])
			return true;
	}
	return false;
}

const char *wl_side_operand(const struct wl_invocation *inv, size_t side)
{
	return inv->operand[inv->n_operands > 1 ? side : 0];
}

struct wl_request wl_side_request(const struct wl_siding *s, size_t side)
{
	struct wl_request q = wl_opened_request(s->inv, &s->docs, s->pool);

	for (size_t i = 0; side && i < WL_N_SELECTING; i++) {
		const char *key = wl_common_keys[i];
		const char *again = s->inv->again[wl_option_common(key, strlen(key))];

		if (again)
			*wl_request_place(&q, key) = again;
	}
	return q;
}

int wl_side_open(struct wl_siding *s, const char *path, const struct wl_request *request,
		 struct wl_opened *ret, struct wl_err *reterr)
{
	const struct wl_opening how = { s->inv, s->pool, &s->budget, &s->costs };

	return wl_opened_load(ret, path, &how, request, reterr);
}

/* The frame outlives its trace: texts of the trace become the arena's. */
static bool keep_frame(struct wl_siding *s, struct wl_document *frame)
{
	struct wl_fact *facts = WL_NEW(&s->arena, struct wl_fact, frame->n_trace);

	for (size_t i = 0; facts && i < frame->n_trace; i++) {
		facts[i] = frame->trace[i];
		if (facts[i].str)
			facts[i].str = wl_arena_strdup(&s->arena, facts[i].str);
		if (frame->trace[i].str && !facts[i].str)
			return false;
	}
	frame->trace = facts;
	return facts != NULL;
}

/* The fingerprint that was taken of the whole trace, with the frame it had then. */
static int read_fingerprint(struct wl_siding *s, const struct wl_facts_trace *facts,
			    const struct wl_request *request, const char *path,
			    struct wl_side_read *ret, struct wl_err *reterr)
{
	const struct wl_answer_source source = wl_facts_trace_answers(facts);
	const struct wl_stored_frame *frame = wl_frame_find(&source, "diff", NULL, &s->arena);
	struct wl_json *doc = NULL;
	struct wl_unpack from;
	int r;

	if (!frame || !wl_answers_fit(request) ||
	    !source.fetch(source.ctx, WL_FINGERPRINT_ANSWER, &s->arena, &from))
		return wl_facts_trace_refuse(facts, request, reterr);
	r = wl_json_parse(from.at, from.left, path, &doc, reterr);
	if (r < 0)
		return r;
	r = wl_fp_read(doc, path, &s->arena, &ret->f, reterr);
	wl_json_free(doc);
	ret->frame.name = wl_verb_name(&s->inv->verb);
	ret->frame.window_spec = "all";
	if (r == WL_OK && !wl_frame_take(frame, path, path, &s->arena, &ret->frame))
		r = wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to compare it", path);
	return r;
}

/*
 * Facts of several traces have no answers: these can be asked as a trace can. Only the ranks are
 * read for this, which are small.
 */
static int are_of_one(struct wl_siding *s, const char *path, bool *ret, struct wl_err *reterr)
{
	struct wl_facts facts;
	int r = wl_facts_gather(&path, 1, WL_FACTS_BIT(RANKS), &s->budget, &facts, reterr);

	*ret = r == WL_OK && facts.answers.item.n > 0;
	if (r == WL_OK)
		wl_facts_release(&facts);
	return r;
}

static int side_of_facts(struct wl_siding *s, const char *path, const struct wl_request *request,
			 struct wl_side_read *ret, struct wl_err *reterr)
{
	struct wl_facts_trace *facts;
	int r = wl_facts_trace_open(path, &s->budget, &facts, reterr);

	if (r < 0)
		return r;
	r = read_fingerprint(s, facts, request, path, ret, reterr);
	wl_facts_trace_close(facts);
	return r;
}

/* The last trace; that a report was exported for is gone, so it is not read again. */
static int reopen(struct wl_siding *s, const char *path, const struct wl_request *request,
		  struct wl_err *reterr)
{
	int r;

	if (s->last_path && strcmp(s->last_path, path) == 0)
		return WL_OK;
	drop_last(s);
	r = wl_side_open(s, path, request, &s->last, reterr);
	if (r == WL_OK)
		s->last_path = path;
	return r;
}

int wl_side_replay(struct wl_siding *s, const char *path, struct wl_side_read *side,
		   struct wl_err *reterr)
{
	const struct wl_visitor visitor = { .name = wl_verb_name(&s->inv->verb),
					    .wanted.from = WL_FROM(WHATIF) };
	struct wl_request request = wl_side_request(s, side->number);
	struct wl_err why;
	int r;

	if (!side->lacks_replays)
		return WL_OK;
	request.visitor = &visitor;
	r = reopen(s, path, &request, reterr);
	if (r < 0)
		return r;
	wl_costs_begin(&s->costs);
	r = wl_fp_ask_replayed(s->last.session, &request, &s->arena, &side->f, &why);
	wl_costs_end(&s->costs, WL_COSTS_COMPUTE);
	wl_progress_end(&s->last.progress);
	side->lacks_replays = false;
	return r < 0 ? wl_fail(reterr, r, "%.200s: %s", path, why.msg) : WL_OK;
}

int wl_side_of_trace(struct wl_siding *s, const char *path, size_t side, struct wl_side_read *ret,
		     struct wl_err *reterr)
{
	struct wl_visitor visitor = { .name = wl_verb_name(&s->inv->verb), .reads_facts = true };
	struct wl_request request = wl_side_request(s, side);
	struct wl_opened *opened = &s->last;
	bool is_kept = false, is_export;
	struct wl_err why;
	int r = wl_facts_are_at(path) ? are_of_one(s, path, &is_kept, reterr) : WL_OK;

	if (r < 0)
		return r;
	*ret = (struct wl_side_read){ .frame = { .name = NULL }, .number = side };
	request.visitor = &visitor;
	if (is_kept)
		return side_of_facts(s, path, &request, ret, reterr);
	wl_fp_want(&visitor.wanted);
	/* A fingerprint is small, so memory is that of the larger of two traces and not of both. */
	drop_last(s);
	r = wl_side_open(s, path, &request, opened, reterr);
	if (r == WL_OK) {
		s->last_path = path;
		wl_costs_begin(&s->costs);
		r = wl_fp_ask_measured(opened->session, &request, &s->arena, &ret->f, &ret->frame,
				       &why);
		wl_costs_end(&s->costs, WL_COSTS_COMPUTE);
		wl_progress_end(&opened->progress);
		wl_opened_note_index(opened);
		if (r < 0)
			r = wl_fail(reterr, r, "%.200s: %s", path, why.msg);
	}
	if (r == WL_OK && !keep_frame(s, &ret->frame))
		r = wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to compare it", path);
	ret->lacks_replays = r == WL_OK && !ret->f.is_of_sums;
	/* An export is gone when it was read: its replays are made at once. */
	is_export = strcmp(opened->database, path) != 0;
	return r == WL_OK && is_export ? wl_side_replay(s, path, ret, reterr) : r;
}

int wl_baseline_dir(const char *option, const char **ret, struct wl_err *reterr)
{
	const char *set = getenv("WARPLENS_BASELINE_DIR");

	*ret = option ? option : set;
	if (!*ret || !**ret)
		return wl_fail(reterr, WL_E_USAGE,
			       "no directory for baselines; give --dir DIR or set "
			       "WARPLENS_BASELINE_DIR");
	return WL_OK;
}

/* The name becomes that of a file: it cannot lead out of the directory or hide there. */
int wl_baseline_path(const char *dir, const char *name, char ret_path[WL_PATH_CAP],
		     struct wl_err *reterr)
{
	static const char good[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(name);

	if (n == 0 || n > 100 || name[0] == '.' || strspn(name, good) != n)
		return wl_fail(reterr, WL_E_USAGE,
			       "baseline name \"%.100s\": use letters, digits and ._- only, a dot "
			       "not first, at most 100",
			       name);
	if (snprintf(ret_path, WL_PATH_CAP, "%s/%s.json", dir, name) >= WL_PATH_CAP)
		return wl_fail(reterr, WL_E_USAGE, "path too long: %.80s...", dir);
	return WL_OK;
}

bool wl_is_baseline_only(const char *option, const char *name)
{
	char path[WL_PATH_CAP];
	const char *dir;

	return access(name, F_OK) < 0 && wl_baseline_dir(option, &dir, NULL) == WL_OK &&
	       wl_baseline_path(dir, name, path, NULL) == WL_OK && access(path, F_OK) == 0;
}

/* "NVIDIA H100, NVIDIA A100"; NULL for none. */
static const char *gpus_of(const struct wl_fingerprint *f, struct wl_arena *arena)
{
	char text[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < f->n_gpus && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.100s",
					 used ? ", " : "", f->gpu[i]);
	return used ? wl_arena_strdup(arena, text) : NULL;
}

/* What a baseline says of itself stands where a trace has its path. */
static bool frame_baseline(struct wl_siding *s, const char *name, struct wl_side_read *ret)
{
	const struct wl_fact said[] = { { "gpu", gpus_of(&ret->f, &s->arena), 0 },
					{ "host", ret->f.host, 0 },
					{ "recorded", ret->f.recorded, 0 },
					{ "command", ret->f.command, 0 } };
	struct wl_fact *facts = WL_NEW(&s->arena, struct wl_fact, 2 + WL_COUNT(said));
	size_t size = strlen(name) + sizeof(WL_BASELINE_PREFIX);
	char *text = WL_NEW(&s->arena, char, size);

	if (!facts || !text)
		return false;
	(void)snprintf(text, size, WL_BASELINE_PREFIX "%s", name);
	facts[0] = (struct wl_fact){ "path", text, 0 };
	facts[1] = (struct wl_fact){ "taken_of", ret->f.label, 0 };
	ret->frame = (struct wl_document){ .name = wl_verb_name(&s->inv->verb),
					   .trace = facts,
					   .n_trace = 2,
					   .in_detail = true,
					   .n_devices = (int64_t)ret->f.n_devices };
	for (size_t i = 0; i < WL_COUNT(said); i++) {
		if (said[i].str && *said[i].str)
			facts[ret->frame.n_trace++] = said[i];
	}
	return true;
}

/* A baseline decides what counts as slower: that others can change it is worth a line. */
static void note_doubt(const char *path)
{
	struct stat st;
	const char *doubt = stat(path, &st) == 0 ? wl_file_doubt(&st) : NULL;

	if (!doubt)
		return;
	(void)fputs("note: ", stderr);
	wl_put_clean(stderr, path);
	(void)fprintf(stderr, " %s\n", doubt);
}

int wl_side_of_baseline(struct wl_siding *s, const char *dir, const char *name,
			struct wl_side_read *ret, struct wl_err *reterr)
{
	char path[WL_PATH_CAP];
	struct wl_json *doc = NULL;
	struct wl_err why;
	int r = wl_baseline_path(dir, name, path, reterr);

	if (r < 0)
		return r;
	r = wl_doc_read(path, &doc, &why);
	if (r < 0) /* a file that is no JSON is bad input, not a slip of the command line */
		return wl_fail(reterr, r == WL_E_USAGE ? WL_E_FORMAT : r, "%s", why.msg);
	r = wl_fp_read(doc, path, &s->arena, &ret->f, reterr);
	wl_json_free(doc);
	if (r == WL_OK)
		note_doubt(path);
	if (r == WL_OK && !frame_baseline(s, name, ret))
		r = wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to compare it", path);
	return r;
}
