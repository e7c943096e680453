/* SPDX-License-Identifier: MIT */
/* search.c - names of kernels, NVTX events and API functions that match a pattern. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory/sort.h"
#include "base/text/regex.h"
#include "known/exports/codes.h"

WL_DECLARE_ANALYSIS(search);

enum { KIND, NAME, COUNT, FIRST };

static const struct wl_col cols[] = {
	[KIND] = { "kind", "Kind", WL_T_ENUM, WL_KEY | WL_KIND, "kernel, nvtx or api." },
	[NAME] = { "name", "Name", WL_T_STR, WL_KEY | WL_KERNEL, "The name that matched." },
	[COUNT] = { "count", "Count", WL_T_COUNT, WL_PLAIN, "Occurrences in the window." },
	[FIRST] = { "first", "First", WL_T_TIME, WL_ANCHOR, "Start of the first occurrence." },
};

enum { PATTERN, WHERE, NAMING };

enum where { ALL, KERNELS, NVTX, API };
static const char *const wheres[] = { "all", "kernels", "nvtx", "api", NULL };
static const char *const kinds[] = { [KERNELS] = "kernel", [NVTX] = "nvtx", [API] = "api" };

enum naming { LABEL, DEMANGLED };
static const char *const namings[] = { "label", "demangled", NULL };

static const struct wl_param params[] = {
	[PATTERN] = { .key = "pattern",
		      .type = WL_P_REGEX,
		      .operand = true,
		      .alias = "query",
		      .help = "Perl regular expression; case matters if it has a capital letter." },
	[WHERE] = { .key = "in",
		    .type = WL_P_ENUM,
		    .def = "all",
		    .choices = wheres,
		    .help = "What to search." },
	[NAMING] = { .key = "name",
		     .type = WL_P_ENUM,
		     .def = "label",
		     .choices = namings,
		     .help = "How tables name kernels: by label, or by the whole name that was "
			     "searched. CSV and JSON have the whole name." },
};

static const enum wl_column_id needs_any[] = { WL_KERNELS_NAME, WL_NVTX_NAME, WL_NVTX_KIND,
					       WL_API_NAME, WL_N_COLUMNS };

static const struct wl_example examples[] = {
	{ "warplens search nccl run.sqlite", "Everything that mentions NCCL." },
	{ "warplens search memcpy run.sqlite --in api", "Only API functions." },
	{ NULL, NULL },
};

static const char *why_empty(const struct wl_trace *t)
{
	(void)t;
	return "the trace has neither kernels nor NVTX nor CUDA API calls; record with "
	       "nsys profile --trace=cuda,nvtx";
}

/* A string that occurs: how often, and when first. */
struct hit {
	uint32_t name; /* string */
	uint32_t kind; /* enum where */
	int64_t count;
	wl_ns first;
};

struct searching {
	const struct wl_run *run;
	const struct wl_regex *regex;
	struct hit *hit;  /* by string; count is 0 if it does not occur */
	int8_t *matches;  /* by string: 1, 0, or -1 if not yet tested */
	size_t n_unknown; /* names on which the pattern exceeded its step limit */
};

static bool matches(struct searching *s, uint32_t name)
{
	/* Events without text are shown as (unnamed), and patterns match what is shown. */
	const char *text = name == WL_NONE ? "(unnamed)" : wl_str(s->run->trace, name);
	size_t i = name == WL_NONE ? s->run->trace->strings.n : name;

	if (s->matches[i] < 0) {
		int m = wl_regex_match(s->regex, text, strlen(text));

		s->n_unknown += m < 0;
		s->matches[i] = (int8_t)(m > 0 ? 1 : 0);
	}
	return s->matches[i] > 0;
}

static void count(struct searching *s, uint32_t name, wl_ns start)
{
	struct hit *h = &s->hit[name == WL_NONE ? s->run->trace->strings.n : name];

	h->name = name;
	if (h->count++ == 0 || start < h->first)
		h->first = start;
}

static void search_kernels(struct searching *s)
{
	const struct wl_trace *t = s->run->trace;
	const struct wl_ops ops = wl_trace_ops(t, WL_F_KERNELS);

	for (size_t i = 0; i < ops.n; i++) {
		uint32_t name = t->kernel_names[wl_kernels_name(t)[i]].demangled;
		wl_ns start, end;

		if (matches(s, name) && wl_op_clip(t, s->run->scope, &ops, i, &start, &end))
			count(s, name, ops.start[i]);
	}
}

/* Searches host rows of one family; kind is NULL or says which rows count. */
static void search_host(struct searching *s, enum wl_family_id family, const uint32_t *name,
			const uint8_t *kind)
{
	const struct wl_trace *t = s->run->trace;
	const struct wl_scope *scope = s->run->scope;
	const struct wl_thread_rows rows = wl_trace_thread_rows(t, family);

	for (size_t i = 0; i < rows.n; i++) {
		uint32_t process = t->threads[rows.thread[i]].process;
		wl_ns start = rows.start[i], end = wl_thread_row_end(&rows, i);

		/* Other NVTX rows name domains, categories and threads. */
		if (kind && !wl_nvtx_is_range(kind[i]) && kind[i] != WL_NVTX_MARK)
			continue;
		if (matches(s, name[i]) && scope->process_on[process] &&
		    wl_clip(scope, scope->process[process], &start, &end))
			count(s, name[i], rows.start[i]);
	}
}

struct hits {
	const struct wl_trace *trace;
	const struct hit *hit;
};

static const char *hit_name(const struct wl_trace *t, const struct hit *h)
{
	return h->name == WL_NONE ? "(unnamed)" : wl_str(t, h->name);
}

/* Most frequent first, then by name. */
static bool hit_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct hits *h = ctx;

	if (h->hit[a].count != h->hit[b].count)
		return h->hit[a].count > h->hit[b].count;
	return strcmp(hit_name(h->trace, &h->hit[a]), hit_name(h->trace, &h->hit[b])) < 0;
}

/* Put the hits of one kind, then clear them. */
static bool put_hits(struct searching *s, enum where kind, struct wl_table *out)
{
	const struct wl_trace *t = s->run->trace;
	size_t n = t->strings.n + 1, kept = 0;
	struct wl_arena scratch;
	uint32_t *order;

	wl_arena_init_child(&scratch, s->run->arena);
	order = WL_NEW(&scratch, uint32_t, 2 * n);
	for (uint32_t i = 0; order && i < n; i++) {
		if (s->hit[i].count)
			order[kept++] = i;
	}
	if (order)
		wl_sort_index(order, kept, order + n, hit_less, &(struct hits){ t, s->hit });
	for (size_t i = 0; order && i < kept; i++) {
		struct hit *h = &s->hit[order[i]];

		wl_table_row(out);
		wl_put_str(out, KIND, kinds[kind]);
		wl_put_str(out, NAME, hit_name(t, h));
		wl_put_i64(out, COUNT, h->count);
		wl_put_i64(out, FIRST, h->first);
		/* One array serves all kinds in turn. */
		h->count = 0;
	}
	wl_arena_release(&scratch);
	return order != NULL;
}

/* Search all requested kinds; false when out of memory. */
static bool search(struct searching *s, struct wl_table *out)
{
	const struct wl_trace *t = s->run->trace;
	enum where where = (enum where)s->run->arg[WHERE].i64;
	bool ok = true;

	memset(s->matches, -1, t->strings.n + 1);
	if (where == ALL || where == KERNELS) {
		search_kernels(s);
		ok = put_hits(s, KERNELS, out);
	}
	if (ok && (where == ALL || where == NVTX)) {
		search_host(s, WL_F_NVTX, wl_nvtx_name(t), wl_nvtx_kind(t));
		ok = put_hits(s, NVTX, out);
	}
	if (ok && (where == ALL || where == API)) {
		search_host(s, WL_F_API, wl_api_name(t), NULL);
		ok = put_hits(s, API, out);
	}
	return ok;
}

/* A name typed in the wrong case should not look absent. */
static bool note_other_case(struct searching *s, struct wl_table *out)
{
	struct wl_regex *regex;
	struct wl_table others;
	struct wl_err err;
	const size_t n_unknown = s->n_unknown;
	bool ok = wl_regex_ignoring_case(s->regex, &regex, &err) >= 0;

	if (!regex)
		return ok;
	s->regex = regex;
	wl_table_init(&others, s->run->arena, cols, WL_COUNT(cols));
	ok = search(s, &others) && wl_table_ok(&others);
	/* The note on steps is about the pattern as given. */
	s->n_unknown = n_unknown;
	if (ok && others.n_rows)
		wl_table_note(out,
			      "no match; %zu if case is ignored (write the pattern in lower case)",
			      others.n_rows);
	wl_regex_free(regex);
	return ok;
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	const struct wl_trace *t = r->trace;
	enum where where = (enum where)r->arg[WHERE].i64;
	struct searching s = { .run = r,
			       .regex = r->arg[PATTERN].regex,
			       .hit = WL_NEW(r->arena, struct hit, t->strings.n + 1),
			       .matches = WL_NEW(r->arena, int8_t, t->strings.n + 1) };
	bool ok = s.hit && s.matches;

	if ((where == NVTX && t->family[WL_F_NVTX].n == 0) ||
	    (where == API && t->family[WL_F_API].n == 0) ||
	    (where == KERNELS && t->family[WL_F_KERNELS].n == 0))
		return wl_fail(reterr, WL_E_NODATA, "the trace has no %s rows; see info",
			       kinds[where]);
	ok = ok && search(&s, out);
	if (ok && out->n_rows == 0)
		ok = note_other_case(&s, out);
	if (!ok)
		return wl_no_memory(&wl_analysis_search, reterr);
	if (r->arg[NAMING].i64 == DEMANGLED)
		wl_table_show_whole(out, NAME);
	if (s.n_unknown)
		wl_table_note(out, "the pattern is too complex for %zu names; they were skipped",
			      s.n_unknown);
	return WL_OK;
}

const struct wl_analysis wl_analysis_search = {
	.name = "search",
	.topic = WL_TOPIC_LOOK,
	.listed = { .level = WL_LEVEL_SECOND,
		    .line = "Find kernels, NVTX ranges and calls by name" },
	.help = "Find kernels, NVTX events and API calls by name",
	.about = "Lists each name that matches the pattern, with its count and first start. "
		 "Kernels are searched by their demangled name, NVTX by the text of ranges and "
		 "marks. Each distinct name is matched once, however often it occurs.",
	.needs_any = needs_any,
	.why_empty = why_empty,
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
