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

static bool says_any(const struct wl_reading *r, const char *const *words)
{
	for (size_t i = 0; i < r->q->n; i++) {
		if (wl_reading_is_any(r, i, words))
			return true;
	}
	return false;
}

static bool has_option(const struct wl_reading *r, const char *option)
{
	for (size_t i = 0; i < r->ret->n_args; i++) {
		if (strcmp(r->ret->arg[i], option) == 0)
			return true;
	}
	return false;
}

/* --- numbers that follow a word: gpu 0, rank 3, stream 7 --- */

/* Count the words that join the numbers on either side: "and", "compared to gpu". */
static size_t joins(const struct wl_reading *r, size_t i, const char *const *nouns)
{
	static const char *const plain[] = { "and", "or", "vs", "versus", "against", NULL };
	static const char *const words[] = { "and",      "or",     "vs",     "versus",  "against",
					     "with",     "to",     "than",   "from",    "compared",
					     "slower",   "faster", "longer", "shorter", "different",
					     "relative", "is",     NULL };
	size_t at = i;

	if (wl_reading_is_any(r, i, plain) && wl_reading_is_count(r, i + 1))
		return 1;
	while (at < i + 3 && wl_reading_is_any(r, at, words))
		at++;
	return wl_reading_is_any(r, at, nouns) && wl_reading_is_count(r, at + 1) ? at + 1 - i : 0;
}

static void add_number(char buf[MAX_LIST], size_t *used, unsigned long n)
{
	if (*used + 10 < MAX_LIST)
		*used += (size_t)snprintf(buf + *used, MAX_LIST - *used, "%s%lu", *used ? "," : "",
					  n);
}

/* Read "0", "0,3", "0 and gpu 3", "2 to 5" from the i-th word on, as "0,3". Returns words taken. */
static size_t read_list(const struct wl_reading *r, size_t i, const char *const *nouns,
			char buf[MAX_LIST])
{
	static const char *const to[] = { "to", "through", NULL };
	enum { MOST = 15 };
	size_t from = i, used = 0;

	while (wl_reading_is_count(r, i)) {
		unsigned long first = strtoul(r->q->word[i].text, NULL, 10), last = first;

		if (wl_reading_is_any(r, i + 1, to) && wl_reading_is_count(r, i + 2))
			last = strtoul(r->q->word[i + 2].text, NULL, 10);
		i += last > first && last - first <= MOST ? 3 : 1;
		for (unsigned long n = first; n == first || (n <= last && last - first <= MOST);
		     n++)
			add_number(buf, &used, n);
		i += joins(r, i, nouns);
	}
	return i - from;
}

static bool is_listed(const char *list, const char *number, size_t n)
{
	for (const char *at = list; *at; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		if (len == n && memcmp(at, number, n) == 0)
			return true;
		at += len;
	}
	return false;
}

/* All numbers after these nouns, each once: "gpu 0 ... as gpu 1". Returns in how many places. */
static size_t read_all(const struct wl_reading *r, const char *const *nouns, char list[MAX_LIST])
{
	size_t n_found = 0, used = 0;

	list[0] = '\0';
	for (size_t i = 0; i + 1 < r->q->n; i++) {
		size_t at = i + 1 + wl_reading_is(r, i + 1, "number");
		char part[MAX_LIST] = "";

		if (!wl_reading_is_any(r, i, nouns) || !read_list(r, at, nouns, part))
			continue;
		n_found++;
		for (const char *one = part; *one; one += strspn(one, ",")) {
			size_t n = strcspn(one, ",");

			if (!is_listed(list, one, n) && used + n + 2 < MAX_LIST)
				used += (size_t)snprintf(list + used, MAX_LIST - used, "%s%.*s",
							 used ? "," : "", (int)n, one);
			one += n;
		}
	}
	return n_found;
}

struct selector {
	const char *nouns[6]; /* NULL ends */
	const char *option;
	const char *column;
};

enum { GPUS, RANKS, STREAMS, PIDS, N_SELECTORS };

static const struct selector selectors[N_SELECTORS] = {
	[GPUS] = { { "gpu", "gpus", "device", "devices", "card", NULL }, "--gpu", "device" },
	[RANKS] = { { "rank", "ranks", NULL }, "--rank", "rank" },
	[STREAMS] = { { "stream", "streams", NULL }, "--stream", "stream" },
	[PIDS] = { { "pid", "process", "pids", NULL }, "--pid", "pid" },
};

/* Verbs that compare rows: the other rows are needed to compute the answer, then filtered out. */
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

/* Add the numbers of one kind that the question names, as an option or a condition. */
static void select_as(struct wl_reading *r, const struct selector *s, const char *list)
{
	if (is_filtered(r, s))
		add_filter(r, s->column, list);
	else
		wl_reading_add(r->ret, s->option, list);
}

static void find_selections(struct wl_reading *r, bool has_ranks)
{
	static const char *const than[] = { "than", "vs", "versus", "compared", "against", NULL };

	for (size_t k = 0; k < WL_COUNT(selectors) && !(r->of && r->of->whole_run); k++) {
		const struct selector *s = &selectors[k];
		bool is_rank = k == RANKS;
		char list[MAX_LIST];

		if (!read_all(r, s->nouns, list))
			continue;
		if (is_rank)
			r->ret->ranks = wl_reading_keep(r->ret, list);
		select_as(r, is_rank && !has_ranks ? &selectors[GPUS] : s, list);
		if (wl_reading_is_verb(r, "kernels") && strchr(list, ',') && says_any(r, than) &&
		    !has_option(r, "--by"))
			wl_reading_add(r->ret, "--by", "device");
	}
}

/* --- windows --- */

/* Read a time with unit as one text: "39s", or "39" and "s". Returns words taken, 0 for none. */
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

/* "around 9.4 s", "at 1.2 s": a window with this share of the time on either side. */
static bool find_around(struct wl_reading *r)
{
	static const char *const at[] = { "around", "at", "near", "about", NULL };
	static const double part = 0.005;

	for (size_t i = 0; i + 1 < r->q->n; i++) {
		char time[MAX_LIST], window[2 * MAX_LIST];
		char *unit;
		double t;

		if (!wl_reading_is_any(r, i, at) || !read_time(r, i + 1, time))
			continue;
		t = strtod(time, &unit);
		(void)snprintf(window, sizeof(window), "%.6g%s..%.6g%s", t * (1 - part), unit,
			       t * (1 + part), unit);
		wl_reading_add(r->ret, "--window", window);
		return true;
	}
	return false;
}

static const char *const steps[] = { "step", "steps", "iteration", "iterations", "iter", NULL };

/* "steps 5 to 9": the last step, or NULL. */
static const char *last_of_range(const struct wl_reading *r, size_t i)
{
	static const char *const to[] = { "to", "through", "until", "till", NULL };

	return wl_reading_is_any(r, i + 1, to) && wl_reading_is_count(r, i + 2)
		       ? r->q->word[i + 2].text
		       : NULL;
}

/* "step 7", "iteration number 7", "steps 3 and 4": rows of iters; else the first is the window. */
static bool find_step(struct wl_reading *r)
{
	for (size_t i = 0; i + 1 < r->q->n; i++) {
		size_t at = i + 1 + wl_reading_is(r, i + 1, "number");
		char text[2 * MAX_LIST], list[MAX_LIST];
		const char *first, *last;

		if (!wl_reading_is_any(r, i, steps) || !wl_reading_is_count(r, at))
			continue;
		first = r->q->word[at].text;
		last = last_of_range(r, at);
		if (!wl_reading_is_verb(r, "iters")) {
			(void)snprintf(text, sizeof(text), "iter:%s%s%s", first, last ? ".." : "",
				       last ? last : "");
			wl_reading_add(r->ret, "--window", text);
		} else if (last) {
			(void)snprintf(text, sizeof(text), "iter >= %s and iter <= %s", first,
				       last);
			wl_reading_where(r, text);
		} else {
			(void)read_all(r, steps, list);
			add_filter(r, "iter", list);
		}
		return true;
	}
	return false;
}

static void find_window(struct wl_reading *r)
{
	if ((r->of && r->of->whole_run) || find_between(r) || find_dots(r) || find_step(r) ||
	    find_around(r))
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

/* The count that a word gives: "10", "five"; NULL if it is not a number. */
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
					      "worst",    "costliest", "kernels", "gaps",
					      "ranges",   "copies",    "calls",   "functions",
					      "things",   "changes",   "fixes",   "greatest",
					      "cheapest", "best",      NULL };

	for (size_t i = 0; !wl_reading_is_verb(r, "iters") && i < r->q->n; i++) {
		const char *n = count_of(r, i);

		if (n && !wl_reading_is_any(r, i + 1, steps) &&
		    ((i && wl_reading_is_any(r, i - 1, before)) ||
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

/* "per step": rows for each step if the verb can give them; else step 1 is the window, as a sample.

 */
static void find_by_step(struct wl_reading *r)
{
	static const char *const each[] = { "per", "each", "every", NULL };
	bool is_asked = false;

	for (size_t i = 0; i + 1 < r->q->n; i++)
		is_asked = is_asked ||
			   (wl_reading_is_any(r, i, each) && wl_reading_is_any(r, i + 1, steps));
	if (!is_asked || wl_reading_is_verb(r, "iters") || r->of->whole_run ||
	    has_option(r, "--window"))
		return;
	for (size_t i = 0; !has_option(r, "--by") && i < r->of->n_params; i++) {
		const struct wl_param *p = &r->of->params[i];

		for (size_t k = 0; strcmp(p->key, "by") == 0 && p->choices && p->choices[k]; k++) {
			if (strcmp(p->choices[k], "step") == 0 ||
			    strcmp(p->choices[k], "iteration") == 0) {
				wl_reading_add(r->ret, "--by", p->choices[k]);
				return;
			}
		}
	}
	if (has_option(r, "--by") && wl_reading_has_column(r, "iter"))
		return;
	wl_reading_add(r->ret, "--window", "iter:1");
	r->ret->is_sample = true;
}

/* The fraction of its time that remains: "2x" or "2 times faster", "20% faster"; 0 for none. */
static double factor_at(const struct wl_reading *r, size_t i)
{
	static const char *const twice[] = { "twice",   "half",    "halved", "doubling",
					     "doubled", "halving", "double", NULL };
	static const char *const shorter[] = { "less", "shorter", "cheaper", "quicker", NULL };
	char *end;
	double n;

	if (wl_reading_is_any(r, i, twice))
		return 0.5;
	if (!wl_reading_is_number(r, i))
		return 0;
	n = strtod(r->q->word[i].text, &end);
	if (n <= 0 || n > 1000)
		return 0;
	if (strcmp(end, "x") == 0 && n > 1)
		return 1 / n;
	if (!*end && wl_reading_is(r, i + 1, "times") && wl_reading_is(r, i + 2, "faster") && n > 1)
		return 1 / n;
	if (strcmp(end, "%") == 0 && n < 100 && wl_reading_is_any(r, i + 1, shorter))
		return 1 - n / 100;
	return strcmp(end, "%") == 0 && wl_reading_is(r, i + 1, "faster") ? 1 / (1 + n / 100) : 0;
}

/* What each standard scenario changes. The first whose words are in the question counts. */
static const struct {
	const char *scenario;
	const char *what[14], *how[8]; /* NULL ends; needs one word of each, or how is empty */
} scenarios[] = {
	{ "no-straggler",
	  { "straggler", "stragglers", "siblings", "peers", "neighbours", "neighbors", "others",
	    "slowest" },
	  { NULL } },
	{ "no-straggler",
	  { "gpu", "rank", "device", "card" },
	  { "slow", "slower", "fast", "lag" } },
	{ "overlap",
	  { "communication", "comm", "comms", "nccl", "collectives", "allreduce", "a2a", "alltoall",
	    "reduce", "gather", "all" },
	  { "hide", "hiding", "hidden", "overlap", "overlapped", "overlapping", "covered" } },
	{ "pinned", { "pinned", "pageable" }, { NULL } },
	{ "copies-free",
	  { "copies", "copy", "memcpy", "memcpys", "transfers", "h2d", "d2h" },
	  { NULL } },
	{ "launch-free",
	  { "launch", "launches", "launching", "graph", "graphs", "cudagraph", "cudagraphs" },
	  { NULL } },
	{ "data", { "dataloader", "dataloading", "loader", "loading" }, { NULL } },
	{ "no-wait",
	  { "waiting", "waits", "wait" },
	  { "ranks", "gpus", "collectives", "free", "gone" } },
	{ "host-free", { "host", "cpu", "python" }, { NULL } },
	{ "comm-free",
	  { "communication", "comm", "comms", "nccl", "network", "interconnect", "nvlink",
	    "collectives", "allreduce", "a2a", "infiniband", "switches", "fabric" },
	  { NULL } },
	{ "slow-steps", { "outliers", "spikes", "outlier" }, { NULL } },
};

/* Classes that can be scaled in a scenario without being a category of kernels. */
static const struct {
	const char *name, *what[12];
} classes[] = {
	{ "class=comm",
	  { "communication", "comm", "nccl", "network", "nvlink", "interconnect", "alltoall",
	    "allreduce", "a2a", "collectives" } },
	{ "class=copy", { "copies", "copy", "transfers", "pcie", "memcpy" } },
	{ "class=compute", { "gpu", "gpus", "kernels", "compute", "everything" } },
};

/* Words that introduce a hypothetical change. */
static const char *const hypotheses[] = { "if", "without", "suppose", "free", NULL };

static bool has_number(const struct wl_reading *r)
{
	for (size_t i = 0; i < r->q->n; i++) {
		if (wl_reading_is_number(r, i))
			return true;
	}
	return false;
}

/* "if gemms were 2x faster", "without communication", "as fast as the others" */
static void find_scenario(struct wl_reading *r)
{
	const char *category = NULL;
	double factor = 0;
	char text[MAX_WORD];

	if (!wl_reading_is_verb(r, "whatif") || r->ret->n_args)
		return;
	for (size_t i = 0; i < r->q->n; i++) {
		category = category ? category : wl_route_names_category(r->q->word[i].key);
		factor = factor > 0 ? factor : factor_at(r, i);
	}
	for (size_t k = 0; !category && factor > 0 && k < WL_COUNT(classes); k++) {
		if (says_any(r, classes[k].what))
			category = classes[k].name;
	}
	if (category && factor > 0) {
		(void)snprintf(text, sizeof(text), "%s%s:%.3g",
			       strchr(category, '=') ? "" : "category=", category, factor);
		wl_reading_add(r->ret, "--with", text);
		return;
	}
	if (factor > 0 || says_any(r, hypotheses) || has_number(r))
		r->ret->unused = "what would change";
	for (size_t k = 0; factor <= 0 && k < WL_COUNT(scenarios); k++) {
		if (!says_any(r, scenarios[k].what) ||
		    (scenarios[k].how[0] && !says_any(r, scenarios[k].how)))
			continue;
		r->ret->unused = NULL;
		wl_reading_add(r->ret, "--with", scenarios[k].scenario);
		return;
	}
}

/* --- the order of the rows, and kinds of single operations --- */

/* Words that name a column to sort rows by; needs one word of each list. */
static const struct {
	const char *column;
	const char *of[10], *with[10];
} orders[] = {
	{ "stddev",
	  { "spread", "varies", "vary", "variance", "variable", "unstable", "jitter", "jumps",
	    "inconsistent", "fluctuates" },
	  { NULL } },
	{ "stddev",
	  { "all", "deviation", "consistent", "stable" },
	  { "over", "place", "least", "standard" } },
	{ "avg",
	  { "average", "mean", "avg" },
	  { "highest", "largest", "longest", "slowest", "most", "biggest", "top", "by" } },
	{ "max",
	  { "single", "one", "kernel", "call", "instance" },
	  { "longest", "slowest", "worst" } },
	{ "calls", { "often", "frequent", "frequently", "calls" }, { "most" } },
	{ "gpu_busy",
	  { "gpu" },
	  { "sorted", "ordered", "largest", "longest", "most", "expensive", "first", "top",
	    "costs" } },
};

static void find_order(struct wl_reading *r)
{
	for (size_t k = 0; k < WL_COUNT(orders); k++) {
		bool has_ops = strcmp(orders[k].column, "max") == 0 && wl_reading_is_verb(r, "ops");

		if (has_option(r, "--sort") || has_ops || has_option(r, "--by") ||
		    !wl_reading_has_column(r, orders[k].column) || !says_any(r, orders[k].of) ||
		    (orders[k].with[0] && !says_any(r, orders[k].with)))
			continue;
		wl_reading_add(r->ret, "--sort", orders[k].column);
	}
}

/* "the biggest memcpy": the copies in ops, sorted by size. */
static void find_kind(struct wl_reading *r)
{
	static const char *const copies[] = { "copy",    "copies",   "memcpy",    "memcpys",
					      "memcopy", "transfer", "transfers", NULL };
	static const char *const kernels[] = { "kernel", "kernels", NULL };
	static const char *const sizes[] = { "biggest", "largest", "bytes", "size", NULL };
	static const char *const first[] = { "first", "earliest", NULL };

	if (!wl_reading_is_verb(r, "ops") || has_option(r, "--kind"))
		return;
	if (says_any(r, copies)) {
		wl_reading_add(r->ret, "--kind", "memcpy");
		if (says_any(r, sizes) && !has_option(r, "--sort"))
			wl_reading_add(r->ret, "--sort", "bytes");
	} else if (says_any(r, kernels))
		wl_reading_add(r->ret, "--kind", "kernel");
	if (says_any(r, first))
		wl_reading_add(r->ret, "--order", "start");
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

static bool has_time(const struct wl_reading *r)
{
	char time[MAX_LIST];

	for (size_t i = 0; i < r->q->n; i++) {
		if (read_time(r, i, time))
			return true;
	}
	return false;
}

/* Switch to another verb if its rows have what the question names. */
static void find_other_verb(struct wl_reading *r)
{
	static const char *const slow[] = { "straggler",  "siblings", "peers",   "others",
					    "neighbours", "fast",     "slow",    "slower",
					    "replaced",   "fixed",    "healthy", NULL };
	static const char *const gates[] = { "only",  "just",    "few",   "limit", "skip",
					     "start", "seconds", "steps", NULL };
	static const char *const copy[] = { "copy", "memcpy", "transfer", NULL };
	static const char *const largest[] = { "largest", "biggest", "longest", NULL };
	static const char *const phases[] = { "forward", "backward", "optimizer", "decode",
					      "prefill", "decoding", NULL };
	static const char *const balance[] = { "balance", "balanced", "load", "imbalance", NULL };
	static const char *const across[] = { "across", "between", "over", "among", NULL };
	static const char *const places[] = { "gpus", "devices", "ranks", "cards", NULL };
	static const char *const kernels[] = { "kernels", "kernelname", NULL };
	bool has_call = false, has_gpu = false, has_category = false;

	for (size_t i = 0; i < r->q->n; i++) {
		has_call = has_call || r->q->word[i].kind == WL_WORD_API;
		has_category = has_category || wl_route_names_category(r->q->word[i].key);
		has_gpu = has_gpu || ((wl_reading_is_any(r, i, selectors[GPUS].nouns) ||
				       wl_reading_is_any(r, i, selectors[RANKS].nouns)) &&
				      wl_reading_is_count(r, i + 1));
	}
	if ((wl_reading_is_verb(r, "transfers") && says_any(r, copy) && says_any(r, largest)) ||
	    (wl_reading_is_verb(r, "timeline") && has_time(r)))
		r->ret->verb = "ops";
	else if (wl_reading_is_verb(r, "kernels") && says_any(r, phases))
		r->ret->verb = "nvtx-kernels";
	else if (wl_reading_is_verb(r, "memory") && has_call)
		r->ret->verb = "api";
	else if ((wl_reading_is_verb(r, "whatif") && has_gpu && says_any(r, slow)) ||
		 (wl_reading_is_verb(r, "kernels") && !has_category && says_any(r, across) &&
		  says_any(r, places) && !says_any(r, kernels)))
		/* each row has what its GPU costs the run and how long it computes */
		r->ret->verb = "ranks";
	else if (wl_reading_is_verb(r, "ranks") && has_category && !has_gpu &&
		 !says_any(r, balance)) {
		r->ret->verb = "kernels";
		wl_reading_add(r->ret, "--by", "device");
	} else if (wl_reading_is_verb(r, "plan") && !says_any(r, gates))
		r->ret->verb = "coach"; /* gives command lines for the program of this trace */
	r->of = wl_analysis_find(r->ret->verb);
}

/* Find the purpose of the next capture. */
static void find_purpose(struct wl_reading *r)
{
	static const char *const of[][8] = {
		{ "memory", "allocation", "allocations", "leak" },
		{ "host", "cpu", "stalls", "sampling", "context", "gil", "locks" },
		{ "nccl", "collectives", "payloads" },
		{ "ncu", "counters", "metrics", "roofline" },
	};

	for (size_t k = 0; wl_reading_is_verb(r, "coach") && k < WL_COUNT(of); k++) {
		if (!says_any(r, of[k]))
			continue;
		wl_reading_add(r->ret, "--for", of[k][0]);
		return;
	}
}

void wl_route_args_find(const struct wl_question *q, const char *args, bool has_ranks,
			struct wl_route_result *ret)
{
	struct wl_reading r = { .q = q, .ret = ret, .of = wl_analysis_find(ret->verb) };
	const char *verb = ret->verb;

	find_other_verb(&r);
	args = ret->verb == verb ? args : "";
	if (strcmp(ret->verb, "search") == 0) {
		const char *what = wl_route_names_sought(&r);

		ret->operand = what ? wl_reading_keep(ret, what) : NULL;
		if (!ret->operand)
			give_up(ret);
		return;
	}
	if (!r.of && !wl_document_find(ret->verb))
		return; /* a command is described, not run */
	if (!has_option(&r, "--by"))
		add_given(ret, args);
	find_purpose(&r);
	find_selections(&r, has_ranks);
	find_window(&r);
	if (!r.of)
		return; /* a document has several tables */
	find_by_step(&r);
	find_scenario(&r);
	find_limit(&r);
	find_least(&r);
	find_order(&r);
	find_kind(&r);
	wl_route_names_find(&r);
	if (r.where[0])
		wl_reading_add(ret, "--where", r.where);
}
