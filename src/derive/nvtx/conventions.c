/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/conventions.h"

#include <stdlib.h>
#include <string.h>

#include "derive/derived.h"
#include "derive/nvtx/range_names.h"
#include "known/builtin.h"

enum { BUDGET = 64 << 20 }; /* far beyond what a document of WL_JSON_MAX_BYTES needs */

/* A convention and the memory behind it; the public struct comes first, so that free finds it. */
struct making {
	struct wl_conventions c;
	struct wl_arena arena;
	struct wl_json *doc; /* built-in conventions only; owned */
	const char *file;    /* in messages */
};

/* Specific ones first: traces of a framework often also contain the ranges of the libraries it is
 * built on. */
const char *const wl_builtin_conventions[] = { "pithtrain", "megatron", "vllm",
					       "pytorch",   "generic",  NULL };

static int bad_member(const struct making *m, const char *member, const char *must,
		      struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_USAGE, "%.200s: member \"%.60s\" must be %s", m->file, member,
		       must);
}

static int no_memory(const struct making *m, struct wl_err *reterr)
{
	return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to read it", m->file);
}

static int get_text(const struct making *m, const struct wl_json *v, const char *member,
		    const char **ret, struct wl_err *reterr)
{
	const char *text = wl_json_string(v);

	if (!text || !*text)
		return bad_member(m, member, "a text", reterr);
	*ret = text;
	return WL_OK;
}

/* A NULL-terminated array of strings. */
static int get_texts(struct making *m, const struct wl_json *v, const char *member,
		     const char *const **ret, size_t *ret_n, struct wl_err *reterr)
{
	size_t n = wl_json_size(v);
	const char **text;

	if (wl_json_type_of(v) != WL_JSON_ARRAY)
		return bad_member(m, member, "an array of texts", reterr);
	text = WL_NEW(&m->arena, const char *, n + 1);
	if (!text)
		return no_memory(m, reterr);
	for (size_t i = 0; i < n; i++) {
		text[i] = wl_json_string(wl_json_at(v, i));
		if (!text[i] || !*text[i])
			return bad_member(m, member, "an array of texts", reterr);
	}
	*ret = text;
	*ret_n = n;
	return WL_OK;
}

static int init_pattern(const struct making *m, const char *member, const char *text,
			struct wl_pattern *ret, struct wl_err *reterr)
{
	struct wl_err why;
	int r = wl_pattern_init(ret, text, &why);

	return r < 0 ? wl_fail(reterr, why.code, "%.200s: member \"%.60s\": %s", m->file, member,
			       why.msg)
		     : WL_OK;
}

static int get_ranks(struct making *m, const struct wl_json *v, struct wl_err *reterr)
{
	const char *const *text;
	size_t n;
	int r = get_texts(m, v, "rank", &text, &n, reterr);

	if (r < 0)
		return r;
	m->c.rank = WL_NEW(&m->arena, struct wl_pattern, n);
	if (!m->c.rank)
		return no_memory(m, reterr);
	for (size_t i = 0; r == WL_OK && i < n; i++) {
		if (strncmp(text[i], "re:", 3) != 0 || !strchr(text[i], '('))
			return bad_member(m, "rank",
					  "of expressions (re:...) whose first group is the rank",
					  reterr);
		m->c.n_rank++; /* even a failed one must be released */
		r = init_pattern(m, "rank", text[i], &m->c.rank[i], reterr);
	}
	return r;
}

static int get_stage(struct making *m, const struct wl_json *v, struct wl_err *reterr)
{
	const char *key, *pattern = NULL;
	const struct wl_json *value;
	const void *at = NULL;
	int r = WL_OK;

	if (wl_json_type_of(v) != WL_JSON_OBJECT)
		return bad_member(m, "stage", "an object with pattern and inside", reterr);
	while (r == WL_OK && wl_json_next(v, &at, &key, &value)) {
		if (strcmp(key, "pattern") == 0)
			r = get_text(m, value, "stage.pattern", &pattern, reterr);
		else if (strcmp(key, "inside") == 0)
			r = get_text(m, value, "stage.inside", &m->c.stage_inside, reterr);
		else
			r = bad_member(m, "stage", "an object with pattern and inside", reterr);
	}
	if (r < 0)
		return r;
	if (!pattern)
		return bad_member(m, "stage.pattern", "given", reterr);
	m->c.has_stage = true;
	return init_pattern(m, "stage.pattern", pattern, &m->c.stage, reterr);
}

static size_t count_patterns(const struct wl_json *purposes)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;
	size_t n = 0;

	while (wl_json_next(purposes, &at, &key, &value))
		n += wl_json_size(value);
	return n;
}

static int get_purposes(struct making *m, const struct wl_json *v, struct wl_err *reterr)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;
	int r = WL_OK;

	if (wl_json_type_of(v) != WL_JSON_OBJECT)
		return bad_member(m, "purposes", "an object of arrays of texts", reterr);
	/* Counted first: arrays of an arena do not grow. */
	m->c.purposes = WL_NEW(&m->arena, struct wl_purpose, count_patterns(v));
	if (!m->c.purposes)
		return no_memory(m, reterr);
	while (r == WL_OK && wl_json_next(v, &at, &key, &value)) {
		const char *const *text = NULL;
		size_t n = 0;

		r = get_texts(m, value, key, &text, &n, reterr);
		for (size_t i = 0; r == WL_OK && i < n; i++) {
			struct wl_purpose *p = &m->c.purposes[m->c.n_purposes++];

			/*
			 * Keys live in the document, which the caller keeps or the convention owns.
			 */
			p->name = key;
			r = init_pattern(m, key, text[i], &p->pattern, reterr);
		}
	}
	return r;
}

static int get_member(struct making *m, const char *key, const struct wl_json *v,
		      struct wl_err *reterr)
{
	size_t n;

	if (strcmp(key, "name") == 0)
		return get_text(m, v, key, &m->c.name, reterr);
	if (strcmp(key, "detect") == 0)
		return get_texts(m, v, key, &m->c.detect, &n, reterr);
	if (strcmp(key, "anchor") == 0)
		return get_texts(m, v, key, &m->c.anchor, &n, reterr);
	if (strcmp(key, "comm") == 0)
		return get_texts(m, v, key, &m->c.comm, &n, reterr);
	if (strcmp(key, "rank") == 0)
		return get_ranks(m, v, reterr);
	if (strcmp(key, "stage") == 0)
		return get_stage(m, v, reterr);
	if (strcmp(key, "purposes") == 0)
		return get_purposes(m, v, reterr);
	return wl_fail(reterr, WL_E_USAGE,
		       "%.200s: unknown member \"%.60s\"; a convention has name, detect, rank, "
		       "anchor, stage, purposes and comm",
		       m->file, key);
}

static int get_members(struct making *m, const struct wl_json *doc, struct wl_err *reterr)
{
	const struct wl_json *value;
	const void *at = NULL;
	const char *key;
	int r = WL_OK;

	if (wl_json_type_of(doc) != WL_JSON_OBJECT)
		return wl_fail(reterr, WL_E_USAGE, "%.200s: a convention is a JSON object",
			       m->file);
	while (r == WL_OK && wl_json_next(doc, &at, &key, &value))
		r = get_member(m, key, value, reterr);
	if (r == WL_OK && !m->c.name)
		r = bad_member(m, "name", "given", reterr);
	return r;
}

/* owned is freed with the convention, and at once on failure; NULL if the caller keeps doc. */
static int make(const struct wl_json *doc, struct wl_json *owned, const char *document_name,
		struct wl_conventions **ret, struct wl_err *reterr)
{
	/* Omitted members match nothing, so readers need not check for NULL. */
	static const char *const none[] = { NULL };
	struct making *m = calloc(1, sizeof(*m));
	int r;

	if (!m) {
		wl_json_free(owned);
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to read it", document_name);
	}
	wl_arena_init(&m->arena, BUDGET);
	m->file = document_name;
	m->doc = owned;
	m->c = (struct wl_conventions){
		.detect = none, .anchor = none, .comm = none, .stage_inside = ""
	};
	r = get_members(m, doc, reterr);
	if (r == WL_OK)
		*ret = &m->c;
	else
		wl_conventions_free(&m->c);
	return r;
}

int wl_conventions_new(const struct wl_json *doc, const char *document_name,
		       struct wl_conventions **ret, struct wl_err *reterr)
{
	return make(doc, NULL, document_name, ret, reterr);
}

void wl_conventions_free(struct wl_conventions *c)
{
	struct making *m = (struct making *)c;

	if (!c)
		return;
	wl_pattern_release(&c->stage);
	for (size_t i = 0; i < c->n_purposes; i++)
		wl_pattern_release(&c->purposes[i].pattern);
	for (size_t i = 0; i < c->n_rank; i++)
		wl_pattern_release(&c->rank[i]);
	wl_arena_release(&m->arena);
	wl_json_free(m->doc);
	free(m);
}

int wl_conventions_builtin(const char *name, struct wl_conventions **ret, struct wl_err *reterr)
{
	struct wl_json *doc = NULL;
	size_t n;
	const char *text = wl_builtin_find("conventions", name, &n);
	int r;

	if (!text)
		return wl_fail(reterr, WL_E_USAGE,
			       "\"%.60s\" is not a convention; use generic, pithtrain, megatron, "
			       "vllm and pytorch, and files",
			       name);
	r = wl_json_parse(text, n, name, &doc, reterr);
	return r == WL_OK ? make(doc, doc, name, ret, reterr) : r;
}

bool wl_globs_match(const char *const *globs, const char *name)
{
	for (; *globs; globs++) {
		if (wl_glob_matches(*globs, name))
			return true;
	}
	return false;
}

static bool is_detected(const struct wl_conventions *c, const struct wl_range_names *names)
{
	/*
	 * Once per distinct name, not per range. A single name suffices: detect patterns are
	 * specific to a framework.
	 */
	for (size_t i = 0; *c->detect && i < names->n; i++) {
		if (names->name[i].text && wl_globs_match(c->detect, names->name[i].text))
			return true;
	}
	return false;
}

/* NULL if out of memory. */
static struct wl_conventions *detect(const struct wl_range_names *names)
{
	struct wl_conventions *c = NULL;

	for (size_t i = 0; wl_builtin_conventions[i]; i++) {
		/* The last one is the fallback. */
		if (wl_conventions_builtin(wl_builtin_conventions[i], &c, NULL) != WL_OK || !c)
			return NULL;
		if (!wl_builtin_conventions[i + 1] || is_detected(c, names))
			return c;
		wl_conventions_free(c);
	}
	return NULL;
}

bool wl_followed_find(const struct wl_derived *given, struct wl_arena *arena,
		      struct wl_followed *ret)
{
	(void)arena;
	*ret = (struct wl_followed){ .conventions = given->opts.conventions };
	if (ret->conventions)
		return true;
	ret->conventions = ret->detected = detect(given->range_names);
	return ret->detected != NULL;
}
