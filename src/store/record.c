/* SPDX-License-Identifier: MIT */
#include "store/record.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/text/json_write.h"
#include "known/definitions.h"

/*
 * One walk over the members writes them, reads them, or does neither; all three compare them with
 * their bounds. Failures are sticky: the first one is reported.
 */
struct walk {
	enum { CHECK, WRITE, READ } mode;
	struct wl_jsonw *w;     /* of WRITE */
	struct wl_arena *arena; /* of READ */
	const char *wrong;      /* the key that is missing, of another kind or out of bounds */
	bool no_memory;
};

static void walk_object(struct walk *k, const struct wl_record *of, const struct wl_json *v,
			char *at);

/* A member or element is as described, or its key is wrong. */
static bool need(struct walk *k, const struct wl_record_member *m, bool is_good)
{
	if (!is_good && !k->wrong)
		k->wrong = m->key;
	return is_good;
}

static void begin(struct walk *k, void (*write)(struct wl_jsonw *w))
{
	if (k->mode == WRITE)
		write(k->w);
}

static void walk_text(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		      const char **text)
{
	const char *given = k->mode == READ && v ? wl_json_string(v) : NULL;

	if (k->mode == WRITE)
		wl_jsonw_str(k->w, *text);
	if (k->mode != READ || !need(k, m, given))
		return;
	*text = wl_arena_strdup(k->arena, given);
	k->no_memory = k->no_memory || !*text;
}

static void walk_number(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
			int64_t *number)
{
	double given = -1;

	if (k->mode == WRITE)
		wl_jsonw_i64(k->w, *number);
	if (k->mode == READ &&
	    !need(k, m, v && wl_json_number(v, &given) && wl_integral(given, number)))
		return;
	(void)need(k, m, *number >= m->least && *number <= WL_RECORD_MAX);
}

static void walk_count(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		       size_t *count)
{
	int64_t number = *count <= INT64_MAX ? (int64_t)*count : INT64_MAX;

	walk_number(k, m, v, &number);
	if (k->mode == READ)
		*count = (size_t)number;
}

static void walk_choice(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
			unsigned *choice)
{
	const char *given = k->mode == READ && v ? wl_json_string(v) : NULL;

	if (k->mode == WRITE)
		wl_jsonw_str(k->w, m->name(*choice));
	if (k->mode != READ || !need(k, m, given))
		return;
	for (*choice = 0; *choice < m->most && strcmp(given, m->name(*choice)) != 0;)
		++*choice;
	(void)need(k, m, *choice < m->most);
}

/* What n elements are: the next one is step bytes on. */
static void walk_elements(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
			  char *at, size_t n, size_t step)
{
	begin(k, wl_jsonw_begin_array);
	for (size_t i = 0; i < n; i++, at += step) {
		const struct wl_json *element = k->mode == READ ? wl_json_at(v, i) : NULL;

		if (m->kind == WL_KEPT_ROWS && !(m->flags & WL_IN_LINE))
			begin(k, wl_jsonw_newline);
		if (m->kind == WL_KEPT_ROWS)
			walk_object(k, m->of, element, at);
		else if (m->kind == WL_KEPT_TEXTS)
			walk_text(k, m, element, (const char **)(void *)at);
		else
			walk_number(k, m, element, (int64_t *)(void *)at);
	}
	begin(k, wl_jsonw_end_array);
}

/* Whether the value can be these elements of an array: any value, of what is not read. */
static bool is_array(const struct walk *k, const struct wl_json *v, size_t least, size_t most)
{
	return k->mode != READ || (v && wl_json_type_of(v) == WL_JSON_ARRAY &&
				   wl_json_size(v) >= least && wl_json_size(v) <= most);
}

static void walk_each(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		      char *at, size_t n)
{
	if (need(k, m, is_array(k, v, n, n)))
		walk_elements(k, m, v, at, n, m->step);
}

static void walk_parts(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		       char *at)
{
	begin(k, wl_jsonw_begin_object);
	for (size_t i = 0; i < m->n; i++) {
		if (k->mode == WRITE)
			wl_jsonw_key(k->w, m->name(i));
		walk_each(k, m, wl_json_member(v, m->name(i)), at + i * sizeof(int64_t), m->most);
	}
	begin(k, wl_jsonw_end_object);
}

static_assert(sizeof(const char *) == sizeof(int64_t), "a text takes as much as a number");

static size_t size_of(const struct wl_record_member *m)
{
	return m->kind == WL_KEPT_ROWS ? m->of->size : sizeof(int64_t);
}

/* Room for as many elements as the value has, and their number; false where they do not fit. */
static bool make_room(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		      char *at, size_t each)
{
	size_t n = need(k, m, is_array(k, v, 0, m->most * each)) ? wl_json_size(v) : 0;
	void *room = NULL;

	if (!need(k, m, n % each == 0))
		return false;
	if (m->kind != WL_KEPT_TEXTS) {
		room = wl_arena_calloc(k->arena, n, size_of(m));
		k->no_memory = k->no_memory || !room;
		if (!room)
			return false;
		memcpy(at + m->at, &room, sizeof(room));
	}
	n /= each;
	memcpy(at + m->n_at, &n, sizeof(n));
	return true;
}

/* Arrays that a size_t counts: behind a pointer, but for texts. */
static void walk_array(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		       char *at)
{
	size_t each = m->kind == WL_KEPT_PAIRS ? 2 : 1, n;
	char *first = at + m->at;

	if (k->mode == READ && !make_room(k, m, v, at, each))
		return;
	memcpy(&n, at + m->n_at, sizeof(n));
	if (m->kind != WL_KEPT_TEXTS)
		memcpy(&first, at + m->at, sizeof(first));
	if (need(k, m, n <= m->most))
		walk_elements(k, m, v, first, n * each, size_of(m));
}

static void walk_value(struct walk *k, const struct wl_record_member *m, const struct wl_json *v,
		       char *from)
{
	void *at = from + m->at;

	switch (m->kind) {
	case WL_KEPT_TEXT:
		walk_text(k, m, v, at);
		break;
	case WL_KEPT_NUMBER:
		walk_number(k, m, v, at);
		break;
	case WL_KEPT_COUNT:
		walk_count(k, m, v, at);
		break;
	case WL_KEPT_CHOICE:
		walk_choice(k, m, v, at);
		break;
	case WL_KEPT_EACH:
		walk_each(k, m, v, at, m->most);
		break;
	case WL_KEPT_PARTS:
		walk_parts(k, m, v, at);
		break;
	case WL_KEPT_OBJECT:
		walk_object(k, m->of, v, at);
		break;
	case WL_KEPT_TEXTS:
	case WL_KEPT_NUMBERS:
	case WL_KEPT_PAIRS:
	case WL_KEPT_ROWS:
		walk_array(k, m, v, from);
		break;
	}
}

/* A member that is not written, or need not be there. */
static bool is_left_out(const struct walk *k, const struct wl_record_member *m,
			const struct wl_json *v, const char *from)
{
	if (k->mode == READ && !v)
		return m->flags & (WL_LEFT_OUT | WL_OR_NULL);
	if (k->mode == READ)
		return m->flags & WL_OR_NULL && wl_json_type_of(v) == WL_JSON_NULL;
	if (!(m->flags & WL_LEFT_OUT))
		return false;
	return m->kind == WL_KEPT_TEXT ? !*(const char *const *)(const void *)(from + m->at)
				       : !*(const size_t *)(const void *)(from + m->n_at);
}

static void walk_members(struct walk *k, const struct wl_record *of, const struct wl_json *v,
			 char *at)
{
	for (const struct wl_record_member *m = of->member; m < of->member + of->n; m++) {
		const struct wl_json *value = wl_json_member(v, m->key);

		if (is_left_out(k, m, value, at))
			continue;
		if (m->flags & WL_ON_A_LINE)
			begin(k, wl_jsonw_newline);
		if (k->mode == WRITE)
			wl_jsonw_key(k->w, m->key);
		walk_value(k, m, value, at);
	}
}

static void walk_object(struct walk *k, const struct wl_record *of, const struct wl_json *v,
			char *at)
{
	begin(k, wl_jsonw_begin_object);
	walk_members(k, of, v, at);
	begin(k, wl_jsonw_end_object);
}

void wl_record_write(const struct wl_record_head *head, const struct wl_record *of,
		     const void *from, FILE *out)
{
	struct wl_jsonw w;
	struct walk k = { .mode = WRITE, .w = &w };

	wl_jsonw_init(&w, out);
	wl_jsonw_begin_object(&w);
	wl_jsonw_put_str(&w, "schema", head->schema);
	wl_jsonw_put_i64(&w, "definitions", WL_DEFINITIONS);
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): writing and checking change nothing */
	walk_members(&k, of, NULL, (char *)(uintptr_t)from);
	wl_jsonw_end_object(&w);
	wl_jsonw_finish(&w);
}

bool wl_record_is_within(const struct wl_record *of, const void *from)
{
	struct walk k = { .mode = CHECK };

	/* NOLINTNEXTLINE(performance-no-int-to-ptr): writing and checking change nothing */
	walk_members(&k, of, NULL, (char *)(uintptr_t)from);
	return !k.wrong;
}

int wl_store_check_definitions(double definitions, const char *name, const char *again,
			       struct wl_err *reterr)
{
	if (definitions == (double)WL_DEFINITIONS)
		return WL_OK;
	return wl_fail(reterr, WL_E_INCOMPARABLE,
		       "%.200s: its numbers follow definitions %g, those of this version %d; %s",
		       name, definitions, WL_DEFINITIONS, again);
}

/* A file that does not say is of the first definitions. */
static int check_head(const struct wl_record_head *head, const struct wl_json *doc,
		      const char *name, struct wl_err *reterr)
{
	const struct wl_json *schema = wl_json_member(doc, "schema");
	const struct wl_json *given = wl_json_member(doc, "definitions");
	const char *is = schema ? wl_json_string(schema) : NULL;
	double definitions = 1;

	if (!is || strcmp(is, head->schema) != 0)
		return wl_fail(reterr, WL_E_FORMAT, "%.200s is not %s that this version reads; %s",
			       name, head->what, head->again);
	if (given && !wl_json_number(given, &definitions))
		return wl_fail(reterr, WL_E_FORMAT, "%.200s: \"definitions\" is malformed", name);
	return wl_store_check_definitions(definitions, name, head->again, reterr);
}

int wl_record_read(const struct wl_record_head *head, const struct wl_record *of,
		   const struct wl_json *doc, const char *name, struct wl_arena *arena, void *ret,
		   struct wl_err *reterr)
{
	struct walk k = { .mode = READ, .arena = arena };
	int status = check_head(head, doc, name, reterr);

	if (status < 0)
		return status;
	walk_members(&k, of, doc, ret);
	if (k.no_memory)
		return wl_fail(reterr, WL_E_NOMEM, "%.200s: no memory to read it", name);
	if (k.wrong)
		return wl_fail(reterr, WL_E_FORMAT, "%.200s: \"%s\" is missing or malformed", name,
			       k.wrong);
	return WL_OK;
}
