/* SPDX-License-Identifier: MIT */
#include "agent/route/route_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/route/reading.h"
#include "agent/route/route_names.h"
#include "analysis/analysis.h"
#include "session/document/document_info.h"

enum { MAX_LIST = 64, MAX_WORD = 120 };

/* --- numbers that follow a word: gpu 0, rank 3, stream 7 --- */

/* "0", "0,3", "0 and 3", "0 and gpu 3" from the i-th word on, as "0,3". Returns words taken. */
static size_t read_list(const struct wl_reading *r, size_t i, const char *const *nouns,
			char buf[MAX_LIST])
{
	size_t from = i, used = 0;

	while (wl_reading_is_count(r, i)) {
		size_t n = strlen(r->q->word[i].text);

		if (used + n + 2 > MAX_LIST)
			break;
		used += (size_t)snprintf(buf + used, MAX_LIST - used, "%s%s", used ? "," : "",
					 r->q->word[i].text);
		i++;
		if (wl_reading_is(r, i, "and") || wl_reading_is(r, i, "vs") ||
		    wl_reading_is(r, i, "versus"))
			i++;
		if (wl_reading_is_any(r, i, nouns) && wl_reading_is_count(r, i + 1))
			i++;
	}
	return i - from;
}

struct selector {
	const char *nouns[6]; /* NULL ends */
	const char *option;
	const char *column;
};

enum { GPUS, RANKS, STREAMS, PIDS, N_SELECTORS };

static const struct selector selectors[N_SELECTORS] = {
	[GPUS] = { { "gpu", "gpus", "device", "devices", NULL }, "--gpu", "device" },
	[RANKS] = { { "rank", "ranks", NULL }, "--rank", "rank" },
	[STREAMS] = { { "stream", "streams", NULL }, "--stream", "stream" },
	[PIDS] = { { "pid", "process", "pids", NULL }, "--pid", "pid" },
};

/* Verbs that compare rows: the others are needed for the answer, and are filtered out of it. */
static bool is_filtered(const struct wl_reading *r, const struct selector *s)
{
	return (wl_reading_is_verb(r, "ranks") || wl_reading_is_verb(r, "setup") ||
		(wl_reading_is_verb(r, "streams") && strcmp(s->option, "--stream") == 0)) &&
	       wl_reading_has_column(r, s->column);
}

static void add_filter(struct wl_reading *r, const char *column, const char *list)
{
	char text[WL_READING_WHERE];
	size_t used = 0;

	text[0] = '\0';
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ",");

		if (used + n + 40 > sizeof(text))
			return;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s = %.*s",
					 used ? " or " : "", column, (int)n, at);
		at += n + (at[n] == ',');
	}
	if (strchr(list, ',')) {
		char both[WL_READING_WHERE + 4];

		(void)snprintf(both, sizeof(both), "(%s)", text);
		wl_reading_where(r, both);
		return;
	}
	wl_reading_where(r, text);
}

/* The numbers of one kind that the question names, as an option or a condition. */
static void select_as(struct wl_reading *r, const struct selector *s, const char *list)
{
	if (is_filtered(r, s))
		add_filter(r, s->column, list);
	else
		wl_reading_add(r->ret, s->option, list);
}

static void find_selections(struct wl_reading *r, bool has_ranks)
{
	for (size_t k = 0; k < WL_COUNT(selectors); k++) {
		const struct selector *s = &selectors[k];
		bool is_rank = k == RANKS;
		char list[MAX_LIST];

		for (size_t i = 0; i + 1 < r->q->n; i++) {
			if (!wl_reading_is_any(r, i, s->nouns) ||
			    !read_list(r, i + 1, s->nouns, list))
				continue;
			if (is_rank)
				r->ret->ranks = wl_reading_keep(r->ret, list);
			select_as(r, is_rank && !has_ranks ? &selectors[GPUS] : s, list);
			break;
		}
	}
}

/* --- windows --- */

/* A time with its unit as one text: "39s", or "39" and "s". Returns words taken, 0 for none. */
static size_t read_time(const struct wl_reading *r, size_t i, char buf[MAX_LIST])
{
	static const char *const units[] = { "ns", "us", "ms", "s", "sec", "seconds", NULL };
	const char *unit;

	if (!wl_reading_is_number(r, i) || strlen(r->q->word[i].text) > 20)
		return 0;
	unit = r->q->word[i].text + strspn(r->q->word[i].text, "0123456789.");
	(void)snprintf(buf, MAX_LIST, "%s", r->q->word[i].text);
	if (*unit)
		return strcmp(unit, "s") == 0 || strcmp(unit, "ms") == 0 ||
				       strcmp(unit, "us") == 0 || strcmp(unit, "ns") == 0
			       ? 1
			       : 0;
	if (!wl_reading_is_any(r, i + 1, units))
		return 0;
	(void)snprintf(buf, MAX_LIST, "%s%s", r->q->word[i].text,
		       r->q->word[i + 1].key[0] == 's' ? "s" : r->q->word[i + 1].key);
	return 2;
}

/* "between 39s and 42s", "from 1 ms to 2 ms" */
static bool find_between(struct wl_reading *r)
{
	for (size_t i = 0; i + 2 < r->q->n; i++) {
		char from[MAX_LIST], to[MAX_LIST], window[2 * MAX_LIST + 4];
		size_t n;

		if (!wl_reading_is(r, i, "between") && !wl_reading_is(r, i, "from"))
			continue;
		n = read_time(r, i + 1, from);
		if (!n ||
		    (!wl_reading_is(r, i + 1 + n, "and") && !wl_reading_is(r, i + 1 + n, "to")) ||
		    !read_time(r, i + 2 + n, to))
			continue;
		(void)snprintf(window, sizeof(window), "%s..%s", from, to);
		wl_reading_add(r->ret, "--window", window);
		return true;
	}
	return false;
}

/* "1s..1.2s" as one word. */
static bool find_dots(struct wl_reading *r)
{
	for (size_t i = 0; i < r->q->n; i++) {
		if (wl_reading_is_number(r, i) && strstr(r->q->word[i].text, "..") &&
		    strspn(r->q->word[i].text, "0123456789.nmus") == strlen(r->q->word[i].text)) {
			wl_reading_add(r->ret, "--window", r->q->word[i].text);
			return true;
		}
	}
	return false;
}

static bool find_step(struct wl_reading *r)
{
	static const char *const steps[] = { "step", "iteration", "iter", NULL };

	for (size_t i = 0; i + 1 < r->q->n; i++) {
		char text[MAX_LIST];

		if (!wl_reading_is_any(r, i, steps) || !wl_reading_is_count(r, i + 1))
			continue;
		(void)snprintf(text, sizeof(text),
			       wl_reading_is_verb(r, "iters") ? "iter = %s" : "iter:%s",
			       r->q->word[i + 1].text);
		if (wl_reading_is_verb(r, "iters"))
			wl_reading_where(r, text);
		else
			wl_reading_add(r->ret, "--window", text);
		return true;
	}
	return false;
}

static void find_window(struct wl_reading *r)
{
	if (find_between(r) || find_dots(r) || find_step(r))
		return;
	for (size_t i = 0; i < r->q->n; i++) {
		if (!wl_reading_is(r, i, "steady"))
			continue;
		if (wl_reading_is_verb(r, "iters"))
			wl_reading_add(r->ret, "--steady", NULL);
		else
			wl_reading_add(r->ret, "--window", "steady");
		return;
	}
}

/* --- how many rows --- */

/* What a word counts: "10", "five"; NULL for no number. */
static const char *count_of(const struct wl_reading *r, size_t i)
{
	static const char *const names[] = { "two",   "three", "four", "five", "six",
					     "seven", "eight", "nine", "ten" };
	static const char *const digits[] = { "2", "3", "4", "5", "6", "7", "8", "9", "10" };

	if (wl_reading_is_count(r, i))
		return r->q->word[i].text;
	for (size_t k = 0; k < WL_COUNT(names); k++) {
		if (wl_reading_is(r, i, names[k]))
			return digits[k];
	}
	return NULL;
}

/* "top 10", "the 20 longest", "five most expensive" */
static void find_limit(struct wl_reading *r)
{
	static const char *const before[] = { "top", "first", NULL };
	static const char *const behind[] = { "longest",  "slowest",   "largest", "biggest",
					      "heaviest", "hottest",   "most",    "top",
					      "worst",    "costliest", NULL };

	for (size_t i = 0; i < r->q->n; i++) {
		const char *n = count_of(r, i);

		if (n && ((i && wl_reading_is_any(r, i - 1, before)) ||
			  wl_reading_is_any(r, i + 1, behind))) {
			wl_reading_add(r->ret, "-n", n);
			return;
		}
	}
}

/* "gaps longer than 1 ms" */
static void find_least(struct wl_reading *r)
{
	static const char *const than[] = { "than", "over", "above", "least", "exceeding", NULL };

	for (size_t i = 0; wl_reading_has_param(r, "min") && i + 1 < r->q->n; i++) {
		char text[MAX_LIST];

		if (wl_reading_is_any(r, i, than) && read_time(r, i + 1, text)) {
			wl_reading_add(r->ret, "--min", text);
			return;
		}
	}
}

/* "per step" of a verb that has a row for each step when it is asked to. */
static void find_by_step(struct wl_reading *r)
{
	static const char *const steps[] = { "step", "iteration", "iter", NULL };
	static const char *const each[] = { "per", "each", "every", NULL };
	bool is_asked = false, has_by = false;

	for (size_t i = 0; i < r->ret->n_args; i++)
		has_by = has_by || strcmp(r->ret->arg[i], "--by") == 0;
	for (size_t i = 0; i + 1 < r->q->n; i++)
		is_asked = is_asked ||
			   (wl_reading_is_any(r, i, each) && wl_reading_is_any(r, i + 1, steps));
	for (size_t i = 0; is_asked && !has_by && i < r->of->n_params; i++) {
		const struct wl_param *p = &r->of->params[i];

		for (size_t k = 0; strcmp(p->key, "by") == 0 && p->choices && p->choices[k]; k++) {
			if (strcmp(p->choices[k], "step") == 0 ||
			    strcmp(p->choices[k], "iteration") == 0) {
				wl_reading_add(r->ret, "--by", p->choices[k]);
				return;
			}
		}
	}
}

/* What part of its time something takes: "2x" or "2 times faster", "20% faster"; 0 for none. */
static double factor_at(const struct wl_reading *r, size_t i)
{
	char *end;
	double n;

	if (!wl_reading_is_number(r, i))
		return 0;
	n = strtod(r->q->word[i].text, &end);
	if (n <= 0 || n > 1000)
		return 0;
	if (strcmp(end, "x") == 0 && n > 1)
		return 1 / n;
	if (!*end && wl_reading_is(r, i + 1, "times") && wl_reading_is(r, i + 2, "faster") && n > 1)
		return 1 / n;
	/* A sign of per cent is between words. */
	return !*end && wl_reading_is(r, i + 1, "faster") ? 1 / (1 + n / 100) : 0;
}

/* "if gemms were 2x faster", "without communication" */
static void find_scenario(struct wl_reading *r)
{
	const char *category = NULL;
	double factor = 0;
	char text[MAX_WORD];

	if (!wl_reading_is_verb(r, "whatif") || r->ret->n_args)
		return;
	for (size_t i = 0; i < r->q->n; i++) {
		static const char *const comm[] = { "communication", "comm", "nccl", "comms",
						    NULL };

		if (wl_reading_is(r, i, "without") && wl_reading_is_any(r, i + 1, comm)) {
			wl_reading_add(r->ret, "--with", "comm-free");
			return;
		}
		category = category ? category : wl_route_names_category(r->q->word[i].key);
		factor = factor > 0 ? factor : factor_at(r, i);
	}
	if (!category || factor <= 0)
		return;
	(void)snprintf(text, sizeof(text), "category=%s:%.3g", category, factor);
	wl_reading_add(r->ret, "--with", text);
}

static void give_up(struct wl_route_result *ret)
{
	ret->kind = WL_ROUTE_ABSTAINS;
	ret->verb = NULL;
	ret->n_args = 0;
}

static void add_given(struct wl_route_result *ret, const char *args)
{
	while (*args) {
		size_t n = strcspn(args, " ");
		char word[MAX_WORD];

		if (n >= sizeof(word) || ret->n_args == WL_ROUTE_ARGS)
			return;
		memcpy(word, args, n);
		word[n] = '\0';
		ret->arg[ret->n_args] = wl_reading_keep(ret, word);
		if (!ret->arg[ret->n_args])
			return;
		ret->n_args++;
		args += n + (args[n] == ' ');
	}
}

void wl_route_args_find(const struct wl_question *q, const char *args, bool has_ranks,
			struct wl_route_result *ret)
{
	struct wl_reading r = { .q = q, .ret = ret, .of = wl_analysis_find(ret->verb) };

	if (strcmp(ret->verb, "search") == 0) {
		const char *what = wl_route_names_sought(&r);

		ret->operand = what ? wl_reading_keep(ret, what) : NULL;
		if (!ret->operand)
			give_up(ret);
		return;
	}
	if (!r.of && !wl_document_find(ret->verb))
		return; /* a command: what it does is said, not done */
	add_given(ret, args);
	find_selections(&r, has_ranks);
	find_window(&r);
	if (!r.of)
		return; /* a document has several tables */
	find_by_step(&r);
	find_scenario(&r);
	find_limit(&r);
	find_least(&r);
	wl_route_names_find(&r);
	if (r.where[0])
		wl_reading_add(ret, "--where", r.where);
}
