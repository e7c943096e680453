/* SPDX-License-Identifier: MIT */
/* phases.c - host and GPU time by phase, as a user's map of range names defines them. */
#include <string.h>

#include "analysis/ranges/range_rows.h"
#include "base/json_read.h"
#include "base/pattern.h"
#include "base/vec.h"
#include "derive/derived.h"
#include "derive/use/phases.h"

enum { PHASE, RANGES, HOST_BUSY, GPU_BUSY, GPU_SUM, SHARE, HOST_AVG, GPU_AVG };

static const struct wl_col cols[] = {
	[PHASE] = { "phase", "Phase", WL_T_STR, WL_KEY,
		    "Phase name, or (none) if no phase matches." },
	[RANGES] = { "ranges", "Ranges", WL_T_COUNT, WL_PLAIN,
		     "Outermost ranges of the phase with a part in the window." },
	[HOST_BUSY] = { "host_busy", "Host busy", WL_T_NS, WL_SUM,
			"Time in which a range of the phase was open, added up over threads." },
	[GPU_BUSY] = { "gpu_busy", "GPU busy", WL_T_NS, WL_SUM,
		       "Time in which an operation of the phase ran, added up over GPUs." },
	[GPU_SUM] = { "gpu_sum", "GPU sum", WL_T_NS, WL_SUM,
		      "Sum of the durations of the phase's operations." },
	[SHARE] = { "share", "Share", WL_T_RATIO, WL_PLAIN,
		    "Share of the sum over all operations in the window." },
	[HOST_AVG] = { "host_avg", "Host avg", WL_T_NS, WL_MINOR, "Host time of one range." },
	[GPU_AVG] = { "gpu_avg", "GPU avg", WL_T_NS, WL_PLAIN,
		      "GPU time of one range: the sum over the number of ranges." },
};

enum { MAP, NO_BRIDGE };

static const struct wl_param params[] = {
	[MAP] = { .key = "phase-map",
		  .type = WL_P_DOC,
		  .alias = "phases-json",
		  .help = "JSON object: for each phase an array of patterns, such as \"decode\" or "
			  "\"LLM:decode\", where LLM is an NVTX domain." },
	[NO_BRIDGE] = { .key = "no-bridge",
			.type = WL_P_BOOL,
			.help = "Look only at ranges of the thread that launched." },
};

static const struct wl_example examples[] = {
	{ "warplens phases run.sqlite --phase-map phases.json",
	  "Time by phase; the file may say {\"forward\": [\"forward\", \"re:^fwd[0-9]\"]}." },
	{ NULL, NULL },
};

static const char none[] = "(none)";

/* What a name must match, in any domain or in one. */
struct rule {
	struct wl_pattern pattern;
	bool any_text;      /* every name of the domain */
	const char *domain; /* NULL for any */
	size_t n_domain;    /* bytes of it */
	uint32_t phase;
};

/* The map, as rules in the order of the file. */
struct map {
	const char **phase; /* names */
	size_t n;
	struct wl_vec rules; /* struct rule */
};

/* Text is NULL for every name. */
static int add_rule(struct map *m, struct rule rule, const char *text, struct wl_err *reterr)
{
	struct wl_err why;
	int r = WL_OK;

	rule.any_text = !text;
	if (!rule.any_text)
		r = wl_pattern_init(&rule.pattern, text, &why);
	if (r < 0) {
		wl_pattern_release(&rule.pattern);
		return wl_fail(reterr, (enum wl_status)r,
			       "phases: --phase-map: a pattern of \"%.100s\": %s",
			       m->phase[rule.phase], why.msg);
	}
	wl_vec_push(&m->rules, &rule);
	if (!m->rules.failed)
		return WL_OK;
	wl_pattern_release(&rule.pattern);
	return wl_no_memory(&wl_analysis_phases, reterr);
}

/* "LLM:decode" is that text in any domain, and "decode" in the domain LLM. */
static int add_pattern(struct map *m, const char *domain, const struct wl_json *value,
		       struct wl_err *reterr)
{
	const char *text = wl_json_string(value), *colon;
	struct rule rule = { .phase = (uint32_t)(m->n - 1) };
	int r;

	if (!text)
		return wl_fail(reterr, WL_E_USAGE,
			       "phases: --phase-map: the patterns of \"%.100s\" must be strings",
			       m->phase[m->n - 1]);
	rule.domain = domain;
	rule.n_domain = domain ? strlen(domain) : 0;
	r = add_rule(m, rule, text, reterr);
	colon = strchr(text, ':');
	if (r < 0 || domain || !colon || colon == text || strncmp(text, "re:", 3) == 0)
		return r;
	rule.domain = text;
	rule.n_domain = (size_t)(colon - text);
	return add_rule(m, rule, colon[1] ? colon + 1 : NULL, reterr);
}

/* {"domain": "LLM", "patterns": ["decode"]}; without patterns all of the domain. */
static int add_domain(struct map *m, const struct wl_json *value, struct wl_err *reterr)
{
	const struct wl_json *patterns = wl_json_member(value, "patterns");
	const struct wl_json *named = wl_json_member(value, "domain");
	const char *domain = named ? wl_json_string(named) : NULL;
	struct rule all = { .phase = (uint32_t)(m->n - 1), .domain = domain };
	int r = WL_OK;

	if (!domain || (patterns && wl_json_type_of(patterns) != WL_JSON_ARRAY))
		return wl_fail(reterr, WL_E_USAGE,
			       "phases: --phase-map: \"%.100s\" must be an array of patterns, or "
			       "{\"domain\": NAME, \"patterns\": [...]}",
			       m->phase[m->n - 1]);
	all.n_domain = strlen(domain);
	if (!patterns)
		return add_rule(m, all, NULL, reterr);
	for (size_t i = 0; r == WL_OK && i < wl_json_size(patterns); i++)
		r = add_pattern(m, domain, wl_json_at(patterns, i), reterr);
	return r;
}

static int add_phase(struct map *m, const char *name, const struct wl_json *patterns,
		     struct wl_err *reterr)
{
	int r = WL_OK;

	if (strcmp(name, none) == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "phases: --phase-map: \"%s\" is the name of the rest", none);
	m->phase[m->n++] = name;
	if (wl_json_type_of(patterns) == WL_JSON_OBJECT)
		return add_domain(m, patterns, reterr);
	if (wl_json_type_of(patterns) != WL_JSON_ARRAY)
		return wl_fail(reterr, WL_E_USAGE,
			       "phases: --phase-map: \"%.100s\" must be an array of patterns",
			       name);
	for (size_t i = 0; r == WL_OK && i < wl_json_size(patterns); i++)
		r = add_pattern(m, NULL, wl_json_at(patterns, i), reterr);
	return r;
}

static int read_map(struct map *m, const struct wl_run *r, struct wl_err *reterr)
{
	const struct wl_json *doc = r->arg[MAP].doc, *value;
	const void *at = NULL;
	const char *key;
	int result = WL_OK;

	if (!doc || wl_json_type_of(doc) != WL_JSON_OBJECT)
		return wl_fail(reterr, WL_E_USAGE,
			       "phases: --phase-map must name a JSON file with an object, such as "
			       "{\"forward\": [\"forward\", \"re:^fwd[0-9]\"], \"optimizer\": "
			       "[\"optimizer\"]}");
	m->phase = WL_NEW(r->arena, const char *, wl_json_size(doc));
	if (!m->phase)
		return wl_no_memory(&wl_analysis_phases, reterr);
	while (result == WL_OK && wl_json_next(doc, &at, &key, &value))
		result = add_phase(m, key, value, reterr);
	return result;
}

static bool rule_matches(const struct rule *rule, const struct wl_range_name *name)
{
	const char *domain = name->domain ? name->domain : "";

	if (rule->domain && (strlen(domain) != rule->n_domain ||
			     strncmp(domain, rule->domain, rule->n_domain) != 0))
		return false;
	return rule->any_text || wl_pattern_matches(&rule->pattern, name->text ? name->text : "");
}

/* Each distinct name is matched once. */
static uint32_t *match_names(const struct map *m, const struct wl_range_names *names,
			     struct wl_arena *arena)
{
	const struct rule *rule = m->rules.data;
	uint32_t *of = WL_NEW(arena, uint32_t, names->n);

	for (size_t i = 0; of && i < names->n; i++) {
		size_t k = 0;

		while (k < m->rules.n && !rule_matches(&rule[k], &names->name[i]))
			k++;
		of[i] = k < m->rules.n ? rule[k].phase : WL_NONE;
	}
	return of;
}

/* The check that expected ranges are there, and that they launched something. */
static void note_missing(const struct map *m, const struct wl_phases *phases, struct wl_table *out)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct wl_phase *p = &phases->phase[i];

		if (p->ranges == 0)
			wl_table_note(out, "no push/pop range in the window matches %.100s",
				      m->phase[i]);
		else if (p->gpu_sum == 0)
			wl_table_note(out, "the ranges of %.100s launched no GPU work",
				      m->phase[i]);
	}
}

static void put_rows(const struct map *m, const struct wl_phases *phases, struct wl_table *out)
{
	int64_t total = 0;

	for (size_t i = 0; i <= m->n; i++)
		total = wl_add_up(total, phases->phase[i].gpu_sum);
	for (size_t i = 0; i <= m->n; i++) {
		const struct wl_phase *p = &phases->phase[i];

		wl_table_row(out);
		wl_put_str(out, PHASE, i < m->n ? m->phase[i] : none);
		wl_put_i64(out, RANGES, (int64_t)p->ranges);
		wl_put_i64(out, HOST_BUSY, p->host_busy);
		wl_put_i64(out, GPU_BUSY, p->gpu_busy);
		wl_put_i64(out, GPU_SUM, p->gpu_sum);
		wl_put_ratio(out, SHARE, p->gpu_sum, total);
		if (i < m->n && p->ranges) {
			wl_put_i64(out, HOST_AVG, p->host_busy / (int64_t)p->ranges);
			wl_put_i64(out, GPU_AVG, p->gpu_sum / (int64_t)p->ranges);
		}
	}
	note_missing(m, phases, out);
	wl_table_cover(out, "operations_with_launch", (int64_t)phases->n_with_launch,
		       (int64_t)phases->n_ops);
}

static int count(const struct map *m, const struct wl_run *r, struct wl_table *out,
		 struct wl_err *reterr)
{
	const struct wl_range_names *names = r->derived->range_names;
	struct wl_phase_opts opts = { .n = m->n, .bridge = !r->arg[NO_BRIDGE].flag };
	struct wl_phases phases;

	opts.of = match_names(m, names, r->arena);
	if (!opts.of || !wl_phases_find(r->derived, r->scope, &opts, r->arena, &phases))
		return wl_no_memory(&wl_analysis_phases, reterr);
	put_rows(m, &phases, out);
	return wl_range_names_check(&wl_analysis_phases, names, reterr);
}

static int run(const struct wl_run *r, struct wl_table *out, struct wl_err *reterr)
{
	struct map m = { .n = 0 };
	struct rule *rule;
	int result;

	wl_vec_init(&m.rules, sizeof(struct rule), wl_arena_budget(r->arena));
	result = read_map(&m, r, reterr);
	if (result == WL_OK)
		result = count(&m, r, out, reterr);
	rule = m.rules.data;
	for (size_t i = 0; i < m.rules.n; i++)
		wl_pattern_release(&rule[i].pattern);
	wl_vec_release(&m.rules);
	return result;
}

const struct wl_analysis wl_analysis_phases = {
	.name = "phases",
	.topic = WL_TOPIC_HOST,
	.help = "Sum host and GPU time by phases that you define",
	.about =
		"A phase is a set of push/pop ranges, by patterns of their names: part of the name "
		"in any case, or re: and a regular expression. LLM:decode also means decode in the "
		"NVTX domain LLM, and {\"domain\": \"LLM\"} all of it. A name belongs to the first "
		"phase of the map that matches it. An operation belongs to the outermost range "
		"around its launch that has a phase; the ranges open on the thread with most "
		"ranges are above those of the launching thread. Nested ranges count once. Rows "
		"are in the order of the map; (none) holds operations without a phase.",
	.needs = wl_range_needs,
	.from = WL_FROM(RANGE_NAMES) | WL_FROM(PHASES),
	.params = params,
	.n_params = WL_COUNT(params),
	.cols = cols,
	.n_cols = WL_COUNT(cols),
	.examples = examples,
	.run = run,
};
