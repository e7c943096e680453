/* SPDX-License-Identifier: MIT */
/* read.c - the questions of a file, as examples. */
#include <stdlib.h>
#include <string.h>

#include "agent/route/senses.h"
#include "base/memory/arena.h"
#include "lesson.h"

/* LEAST: a trait of fewer questions is noise, unless it is alone. SLOTS is a power of two. */
enum {
	LINE = 4096,
	EXAMPLES = 1 << 15,
	NUMBERS = 1 << 23,
	TRAITS = 1 << 18,
	SLOTS = 1 << 20,
	MEMORY = 1 << 24,
	LEAST = 2
};

struct reader {
	struct lesson *l;
	struct wl_vocabulary vocabulary;
	struct wl_question question;
	struct wl_traits traits;
	uint32_t *slot; /* number of a trait + 1, by its hash */
	uint32_t *last; /* by trait: the last example that has it, from 1 */
};

void *lesson_new(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (p)
		return p;
	(void)fputs("learn: no memory\n", stderr);
	exit(EXIT_FAILURE);
}

static void fail(const char *what, size_t line)
{
	(void)fprintf(stderr, "learn: line %zu: %s\n", line, what);
	exit(EXIT_FAILURE);
}

static size_t verb_number(struct lesson *l, const char *name, size_t n, size_t line)
{
	for (size_t v = 0; v < l->n_verbs; v++) {
		if (strlen(l->verb[v]) == n && memcmp(l->verb[v], name, n) == 0)
			return v;
	}
	if (l->n_verbs == WL_LEARNED_MOST_VERBS || n >= LESSON_NAME)
		fail("too many verbs, or a long one", line);
	memcpy(l->verb[l->n_verbs], name, n);
	return l->n_verbs++;
}

static uint32_t trait_number(struct reader *r, const char *text)
{
	struct lesson *l = r->l;
	uint32_t hash = wl_learned_hash(text);
	size_t i = hash % SLOTS;

	for (; r->slot[i]; i = (i + 1) % SLOTS) {
		if (l->hash[r->slot[i] - 1] == hash)
			return r->slot[i] - 1;
	}
	if (l->n_traits == TRAITS)
		fail("too many traits", 0);
	l->hash[l->n_traits] = hash;
	l->is_alone[l->n_traits] = text[0] == WL_TRAIT_ALONE;
	r->slot[i] = (uint32_t)++l->n_traits;
	return r->slot[i] - 1;
}

/* Each trait of the question once. */
static void add_traits(struct reader *r, const char *question, struct lesson_example *e)
{
	struct lesson *l = r->l;

	wl_traits_find(&r->vocabulary, question, &r->question, &r->traits);
	e->first = l->n_numbers;
	for (size_t i = 0; i < r->traits.n; i++) {
		uint32_t t = trait_number(r, r->traits.trait[i].text);

		if (r->last[t] == l->n_examples + 1)
			continue;
		r->last[t] = (uint32_t)l->n_examples + 1;
		l->uses[t]++;
		l->number[l->n_numbers++] = t;
		e->n++;
	}
}

/* VERB [VERB ...]<TAB>QUESTION */
static void add_line(struct reader *r, char *text, size_t line)
{
	struct lesson *l = r->l;
	struct lesson_example *e = &l->example[l->n_examples];
	char *question = strchr(text, '\t');

	if (!question || l->n_examples + 1 == EXAMPLES || l->n_numbers + WL_MAX_TRAITS > NUMBERS)
		fail("no verbs and question with a tab between, or too many questions", line);
	*question++ = '\0';
	for (const char *at = text; *at && e->n_verbs < LESSON_VERBS;) {
		size_t n = strcspn(at, " ");

		e->verb[e->n_verbs++] = verb_number(l, at, n, line);
		at += n + strspn(at + n, " ");
	}
	if (e->n_verbs == 0)
		fail("no verb", line);
	add_traits(r, question, e);
	l->n_examples++;
}

/* Leave out rare traits, and number the others anew. */
static void leave_out_rare(struct lesson *l)
{
	uint32_t *now = lesson_new(l->n_traits, sizeof(*now)), n = 0;
	size_t n_numbers = 0;

	for (size_t t = 0; t < l->n_traits; t++) {
		bool stays = l->uses[t] >= LEAST || l->is_alone[t];

		now[t] = stays ? n : UINT32_MAX;
		l->hash[n] = l->hash[t];
		l->uses[n] = l->uses[t];
		l->is_alone[n] = l->is_alone[t];
		n += stays;
	}
	for (size_t i = 0; i < l->n_examples; i++) {
		struct lesson_example *e = &l->example[i];
		size_t from = e->first, end = from + e->n;

		e->first = n_numbers;
		for (; from < end; from++) {
			if (now[l->number[from]] != UINT32_MAX)
				l->number[n_numbers++] = now[l->number[from]];
		}
		e->n = n_numbers - e->first;
	}
	l->n_traits = n;
	l->n_numbers = n_numbers;
	free(now);
}

static void read_lines(struct reader *r, FILE *f)
{
	char text[LINE];
	size_t line = 0;

	while (fgets(text, sizeof(text), f)) {
		line++;
		text[strcspn(text, "\n")] = '\0';
		if (*text && *text != '#')
			add_line(r, text, line);
	}
}

void lesson_read(struct lesson *l, const char *path)
{
	struct reader *r = lesson_new(1, sizeof(*r));
	FILE *f = fopen(path, "re");
	struct wl_arena arena;

	wl_arena_init(&arena, MEMORY);
	if (!f || !wl_vocabulary_init(&r->vocabulary, &arena)) {
		(void)fprintf(stderr, "learn: cannot read %s\n", path);
		exit(EXIT_FAILURE);
	}
	*l = (struct lesson){ .example = lesson_new(EXAMPLES, sizeof(*l->example)),
			      .number = lesson_new(NUMBERS, sizeof(*l->number)),
			      .hash = lesson_new(TRAITS, sizeof(*l->hash)),
			      .uses = lesson_new(TRAITS, sizeof(*l->uses)),
			      .is_alone = lesson_new(TRAITS, sizeof(*l->is_alone)) };
	r->l = l;
	r->slot = lesson_new(SLOTS, sizeof(*r->slot));
	r->last = lesson_new(TRAITS, sizeof(*r->last));
	read_lines(r, f);
	leave_out_rare(l);
	l->weight = lesson_new(l->n_traits * LESSON_WIDTH, sizeof(*l->weight));
	(void)fclose(f);
	free(r->slot);
	free(r->last);
	wl_arena_release(&arena);
	free(r);
}
