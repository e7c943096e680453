/* SPDX-License-Identifier: MIT */
#include "agent/route/unused.h"

#include <stdio.h>
#include <string.h>

#include "agent/route/reading.h"
#include "analysis/analysis.h"
#include "session/document/document_info.h"

/* Whether an option's value contains the text, not as part of another number. */
static bool is_in(const char *value, const char *text)
{
	size_t n = strlen(text);

	for (const char *at = strstr(value, text); at; at = strstr(at + 1, text)) {
		bool begins = at == value || !strchr("0123456789.", at[-1]) ||
			      (at - value > 1 && at[-1] == '.' && at[-2] == '.');

		if (begins && !(at[n] >= '0' && at[n] <= '9'))
			return true;
	}
	return false;
}

static bool has_value(const struct wl_route_result *r, const char *text)
{
	for (size_t i = 0; i < r->n_args; i++) {
		if (is_in(r->arg[i], text))
			return true;
	}
	return r->operand && is_in(r->operand, text);
}

/* "twice", "2x", "20% faster": a hypothetical change. */
static bool is_factor(const struct wl_reading *r, size_t i)
{
	static const char *const changes[] = { "faster", "slower",  "larger", "bigger", "smaller",
					       "longer", "shorter", "times",  "x",      NULL };
	const char *text = r->q->word[i].text;

	if (has_value(r->ret, "category=") || has_value(r->ret, "class="))
		return false; /* a scenario contains it as a share of the time */
	return text[strlen(text) - 1] == 'x' ||
	       (wl_reading_is_any(r, i + 1, changes) && (!i || !wl_reading_is(r, i - 1, "top")));
}

/* "64 MB", "1KiB" */
static bool is_size(const struct wl_reading *r, size_t i)
{
	static const char *const units[] = { "bytes", "kb", "kib", "mb", "mib", "gib", NULL };
	const char *key = r->q->word[i].key + strspn(r->q->word[i].key, "0123456789.");

	for (size_t k = 0; *key && units[k]; k++) {
		if (strcmp(key, units[k]) == 0)
			return true;
	}
	return !*key && wl_reading_is_any(r, i + 1, units);
}

/* "at 100 ms", "rank 3", "longer than 5 ms": numbers that choose rows. Other numbers state what is
 * already known: "is 45% of the time, why". */
static bool is_choice(const struct wl_reading *r, size_t i)
{
	static const char *const before[] = { "at",     "after", "before",  "until",     "between",
					      "since",  "from",  "than",    "above",     "below",
					      "rank",   "gpu",   "step",    "iteration", "stream",
					      "device", "layer", "process", "pid",       NULL };
	const char *text = r->q->word[i].text;

	if (text[strlen(text) - 1] == '%' || wl_reading_is(r, i + 1, "percent"))
		return !wl_reading_has_column(r, "share") &&
		       !wl_reading_has_column(r, "gpu_busy") &&
		       !wl_reading_has_column(r, "exposed_comm") && i &&
		       wl_reading_is_any(r, i - 1, before);
	return i && wl_reading_is_any(r, i - 1, before) && text[strlen(text) - 1] != 'b' &&
	       text[strlen(text) - 1] != 'B';
}

/* "p99": a verb may have the column. */
static bool is_percentile(const struct wl_reading *r, size_t i)
{
	const char *key = r->q->word[i].key;

	return key[0] == 'p' && key[1] && strspn(key + 1, "0123456789.") == strlen(key + 1) &&
	       !wl_reading_is_verb(r, "iters") && !wl_reading_has_column(r, key);
}

static bool is_left_out(const struct wl_reading *r, size_t i)
{
	return is_percentile(r, i) || (wl_reading_is_number(r, i) &&
				       (is_factor(r, i) || is_size(r, i) || is_choice(r, i)) &&
				       !has_value(r->ret, r->q->word[i].text));
}

/* Whether "per step" is answered: by a table of steps, or by an option. */
static bool is_by_step(const struct wl_reading *r)
{
	return wl_reading_is_verb(r, "iters") || has_value(r->ret, "iteration") ||
	       has_value(r->ret, "step") || has_value(r->ret, "iter:1");
}

/* "per step", "per layer" and so on: most tables have no such rows. */
static bool is_other_unit(const struct wl_reading *r, size_t i)
{
	static const char *const steps[] = { "step", "iteration", "iter", NULL };
	static const char *const others[] = { "request", "microbatch", "sequence", "sample",
					      "epoch",   "node",       NULL };

	if (!wl_reading_is(r, i, "per") || i + 1 == r->q->n)
		return false;
	if (wl_reading_is_any(r, i + 1, steps))
		return !is_by_step(r);
	if (wl_reading_is(r, i + 1, "layer"))
		return !strstr(r->ret->verb, "nvtx");
	return wl_reading_is_any(r, i + 1, others);
}

/* Whether a word names a part of the run, or a statistic, that the verb's rows do not have. */
static bool is_part_left_out(const struct wl_reading *r, size_t i)
{
	static const char *const graphs[] = { "graph", "graphs", "eager", "eagerly", NULL };
	static const char *const passes[] = { "forward", "backward", "optimizer", NULL };
	static const char *const kinds[] = { "prefill",  "decode",  "decoding",
					     "prefills", "decodes", NULL };
	static const char *const means[] = { "average", "mean", "avg", "median", NULL };
	static const char *const of_ranges[] = { "nvtx",   "nvtx-kernels", "tree",     "phases",
						 "search", "explain",      "path",     "whatif",
						 "diff",   "categories",   "roofline", "metrics",
						 "mfu",    "memory" };
	static const char *const of_mean[] = { "avg",     "p50",        "host_avg", "api_avg",
					       "gpu_avg", "kernel_p50", "avg_size", "mean" };
	bool is_iters = wl_reading_is_verb(r, "iters"),
	     has_mean = is_iters || !r->of || r->of->whole_run;

	if (i && wl_reading_is(r, i - 1, "between"))
		return false; /* asks what is between the parts, not about them */
	for (size_t k = 0; k < WL_COUNT(of_ranges); k++) {
		if (wl_reading_is_verb(r, of_ranges[k]))
			return false;
	}
	for (size_t k = 0; k < WL_COUNT(of_mean); k++)
		has_mean = has_mean || wl_reading_has_column(r, of_mean[k]);
	return (is_iters && wl_reading_is_any(r, i, graphs)) ||
	       (r->of && wl_reading_is_any(r, i, passes)) ||
	       (r->of && !is_iters && wl_reading_is_any(r, i, kinds)) ||
	       (!has_mean && wl_reading_is_any(r, i, means) && !has_value(r->ret, "iteration"));
}

const char *wl_route_unused(const struct wl_question *q, const struct wl_route_result *r,
			    char buf[WL_UNUSED_TEXT])
{
	struct wl_route_result of = *r;
	const struct wl_reading reading = { .q = q, .ret = &of, .of = wl_analysis_find(r->verb) };

	if (!reading.of && !wl_document_find(r->verb))
		return NULL; /* a command is not run: the user completes its line */
	for (size_t i = 0; i < q->n; i++) {
		if (!is_part_left_out(&reading, i))
			continue;
		(void)snprintf(buf, WL_UNUSED_TEXT, "%.30s", q->word[i].text);
		return buf;
	}
	for (size_t i = 0; i < q->n; i++) {
		bool is_unit = is_other_unit(&reading, i);

		if (!is_unit && !is_left_out(&reading, i))
			continue;
		(void)snprintf(buf, WL_UNUSED_TEXT, "%.30s%s%.30s", q->word[i].text,
			       is_unit ? " " : "", is_unit ? q->word[i + 1].text : "");
		return buf;
	}
	return NULL;
}
