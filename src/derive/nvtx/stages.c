/* SPDX-License-Identifier: MIT */
/*
 * The stage, label and purpose are found once per distinct name. A node takes them from its own
 * name, else from its parent; parents come before their children, so one pass over the nodes is
 * enough.
 */
#include "derive/nvtx/stages.h"

#include <string.h>

#include "base/memory/texts.h"
#include "derive/derived.h"
#include "derive/nvtx/conventions.h"
#include "derive/nvtx/forest.h"
#include "derive/nvtx/range_names.h"

/* The part of the name that is the stage: the last match, as the name spells it. */
static bool find_stage(const struct wl_conventions *c, const struct wl_range_name *name,
		       struct wl_arena *arena, const char **ret)
{
	const char *text = name->text ? name->text : "";
	struct wl_regex_span at;
	char *copy;

	*ret = NULL;
	if (!c->has_stage || strncmp(text, c->stage_inside, strlen(c->stage_inside)) != 0 ||
	    !wl_pattern_last(&c->stage, text, &at))
		return true;
	copy = WL_NEW(arena, char, at.end - at.begin + 1);
	if (!copy)
		return false;
	memcpy(copy, text + at.begin, at.end - at.begin);
	*ret = copy;
	return true;
}

/* The label that a range gives to its launches; names of NCCL calls give none. */
static const char *find_label(const struct wl_range_name *name)
{
	return name->is_nccl ? NULL : name->label_text;
}

static const char *find_purpose(const struct wl_conventions *c, const struct wl_range_name *name,
				const char *stage)
{
	const char *text = name->text ? name->text : "";

	if (c->n_purposes == 0)
		return c->has_stage ? stage : find_label(name);
	for (size_t i = 0; i < c->n_purposes; i++) {
		if (wl_pattern_matches(&c->purposes[i].pattern, text))
			return c->purposes[i].name;
	}
	return NULL;
}

/* The texts that names give, numbered. */
struct said {
	const char **text;
	uint32_t *stage, *label, *purpose; /* by name */
};

/* Add the text, if any, with a provisional number. */
static uint32_t put(struct said *s, size_t *n, const char *text)
{
	if (!text)
		return WL_NONE;
	s->text[*n] = text;
	return (uint32_t)(*n)++;
}

static bool ask_names(const struct wl_conventions *c, const struct wl_range_names *names,
		      struct wl_arena *arena, struct said *s, size_t *ret_n)
{
	const uint32_t *first;
	size_t n = 0;

	/* At most a stage, a label and a purpose per name. */
	s->text = WL_NEW(arena, const char *, 3 * names->n);
	s->stage = WL_NEW(arena, uint32_t, names->n);
	s->label = WL_NEW(arena, uint32_t, names->n);
	s->purpose = WL_NEW(arena, uint32_t, names->n);
	if (!s->text || !s->stage || !s->label || !s->purpose)
		return false;
	for (size_t i = 0; i < names->n; i++) {
		const char *stage;

		if (!find_stage(c, &names->name[i], arena, &stage))
			return false;
		s->stage[i] = put(s, &n, stage);
		s->label[i] = put(s, &n, find_label(&names->name[i]));
		s->purpose[i] = put(s, &n, find_purpose(c, &names->name[i], stage));
	}
	first = wl_texts_merge(s->text, n, arena);
	for (size_t i = 0; first && i < names->n; i++) {
		s->stage[i] = s->stage[i] == WL_NONE ? WL_NONE : first[s->stage[i]];
		s->label[i] = s->label[i] == WL_NONE ? WL_NONE : first[s->label[i]];
		s->purpose[i] = s->purpose[i] == WL_NONE ? WL_NONE : first[s->purpose[i]];
	}
	*ret_n = n;
	return first != NULL;
}

/* By node: the text from its name, or from the nearest range around it whose name gives one. */
static const uint32_t *inherit(const struct wl_forest *f, const uint32_t *by_name,
			       struct wl_arena *arena)
{
	uint32_t *of = WL_NEW(arena, uint32_t, f->n);

	for (size_t i = 0; of && i < f->n; i++) {
		of[i] = by_name[f->name[i]];
		if (of[i] == WL_NONE && f->parent[i] != WL_NONE)
			of[i] = of[f->parent[i]];
	}
	return of;
}

bool wl_stages_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_stages *ret)
{
	const struct wl_range_names *names = derived->range_names;
	const struct wl_forest *forest = derived->forest;
	const struct wl_conventions *conventions = derived->followed->conventions;
	struct said said;

	if (!ask_names(conventions, names, arena, &said, &ret->n))
		return false;
	ret->text = said.text;
	ret->stage_of_name = said.stage;
	ret->label_of_name = said.label;
	ret->purpose_of_name = said.purpose;
	ret->stage = inherit(forest, said.stage, arena);
	ret->label = inherit(forest, said.label, arena);
	ret->purpose = inherit(forest, said.purpose, arena);
	return ret->stage && ret->label && ret->purpose;
}

/* The texts by node, including those of the ranges around it, and by name. */
struct lookup {
	const uint32_t *of_node, *of_name;
};

/* The text of the innermost range with one that is around the call on its thread. */
static uint32_t say_around(const struct lookup *said, const struct wl_trace *t,
			   const struct wl_forest *f, uint32_t call)
{
	uint32_t node = f->of_call[call];
	unsigned n = 0;
	wl_ns end;

	/*
	 * If the ranges of the thread nest properly, everything around the innermost range contains
	 * the call as well, and the inherited answer holds. Only crossing ranges need the walk.
	 */
	if (node == WL_NONE || !f->crosses[wl_api_thread(t)[call]])
		return node == WL_NONE ? WL_NONE : said->of_node[node];
	end = wl_api_start(t)[call] + wl_dur(&t->family[WL_F_API], wl_api_dur(t), call);
	while (node != WL_NONE && said->of_name[f->name[node]] == WL_NONE)
		node = ++n < WL_MAX_AROUND ? wl_forest_around_next(f, node, end) : WL_NONE;
	return node == WL_NONE ? WL_NONE : said->of_name[f->name[node]];
}

/* The same for the ranges that are open on the anchor thread. */
static uint32_t say_above(const struct lookup *said, const struct wl_trace *t,
			  const struct wl_forest *f, uint32_t call)
{
	uint32_t node = f->above[call];
	wl_ns at = wl_api_start(t)[call];
	unsigned n = 0;

	if (node == WL_NONE || !f->crosses[f->anchor[t->threads[wl_api_thread(t)[call]].process]])
		return node == WL_NONE ? WL_NONE : said->of_node[node];
	while (node != WL_NONE && said->of_name[f->name[node]] == WL_NONE)
		node = ++n < WL_MAX_AROUND ? wl_forest_open_next(f, node, at) : WL_NONE;
	return node == WL_NONE ? WL_NONE : said->of_name[f->name[node]];
}

uint32_t wl_stage_of_call(const struct wl_stages *stages, const struct wl_trace *trace,
			  const struct wl_forest *forest, uint32_t call, bool *ret_bridged)
{
	const struct lookup said[] = { { stages->stage, stages->stage_of_name },
				       { stages->label, stages->label_of_name } };

	for (size_t i = 0; i < WL_COUNT(said); i++) {
		uint32_t stage = say_around(&said[i], trace, forest, call);

		*ret_bridged = stage == WL_NONE;
		if (stage == WL_NONE)
			stage = say_above(&said[i], trace, forest, call);
		if (stage != WL_NONE)
			return stage;
	}
	*ret_bridged = false;
	return WL_NONE;
}

uint32_t wl_purpose_of_call(const struct wl_stages *stages, const struct wl_trace *trace,
			    const struct wl_forest *forest, uint32_t call)
{
	return say_around(&(struct lookup){ stages->purpose, stages->purpose_of_name }, trace,
			  forest, call);
}
