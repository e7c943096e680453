/* SPDX-License-Identifier: MIT */
#include "session/facts/facts_proof.h"

#include <stdlib.h>
#include <string.h>

#include "session/job/job_proof.h"

static const char no_memory[] = "there is no memory to compare them";
static const char copies[] = "these files are no job: two of them are copies of one trace";

/* What is compared: facts, and the process of each rank. */
struct proving {
	const struct wl_facts *f;
	const struct wl_process *process; /* by rank; their key is the first rank of the same one */
	size_t n;
	struct wl_arena *arena;
};

static int compare_times(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* All ranks name the job; *ret_differ: two name different ones. */
static bool are_named(const struct proving *p, bool *ret_differ)
{
	uint32_t name = 0;
	bool named = true;

	*ret_differ = false;
	for (size_t i = 0; i < p->n; i++) {
		uint32_t job = wl_facts_u32(p->f, WL_FACTS_RANKS_JOB, i);

		named = named && job;
		*ret_differ = *ret_differ || (name && job && job != name);
		name = job ? job : name;
	}
	return named;
}

/* ---- What cannot be twice ---- */

/* What identifies a rank. */
struct tenant {
	uint32_t uuid, host, pid, device, part;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* A UUID tells a GPU from others, else its host and number. */
static int by_place(const struct tenant *a, const struct tenant *b)
{
	int order = compare_numbers(a->pid, b->pid);

	if (order == 0)
		order = compare_numbers(a->uuid, b->uuid);
	if (order != 0 || a->uuid)
		return order;
	order = compare_numbers(a->device, b->device);
	return order != 0 ? order : compare_numbers(a->host, b->host);
}

static int by_tenant(const void *va, const void *vb)
{
	const struct tenant *a = va, *b = vb;
	int order = by_place(a, b);

	return order != 0 ? order : compare_numbers(a->part, b->part);
}

/* A process is recorded once. Numbers of ranks may be shared: facts are named one by one. */
static const char *find_twins(const struct proving *p)
{
	struct tenant *all = WL_NEW(p->arena, struct tenant, p->n);

	if (!all)
		return no_memory;
	for (size_t i = 0; i < p->n; i++)
		all[i] = (struct tenant){
			.uuid = wl_facts_u32(p->f, WL_FACTS_RANKS_GPU_UUID, i),
			.host = wl_facts_u32(p->f, WL_FACTS_RANKS_HOST, i),
			.pid = wl_facts_u32(p->f, WL_FACTS_RANKS_PID, i),
			.device = wl_facts_u32(p->f, WL_FACTS_RANKS_DEVICE, i),
			.part = wl_facts_u32(p->f, WL_FACTS_RANKS_PART, i),
		};
	qsort(all, p->n, sizeof(*all), by_tenant);
	for (size_t i = 1; i < p->n; i++) {
		if (all[i].pid != WL_NONE && by_place(&all[i - 1], &all[i]) == 0 &&
		    all[i].part != all[i - 1].part)
			return "these files do not prove to be one job: two of them have the same "
			       "process on the same GPU";
	}
	return NULL;
}

/* ---- When they were recorded ---- */

static int by_begin(const void *va, const void *vb)
{
	const struct wl_interval *a = va, *b = vb;

	return compare_times(a->begin, b->begin);
}

/* Captures of one job overlap. */
static const char *compare_captures(const struct proving *p, bool is_named)
{
	struct wl_interval *span = WL_NEW(p->arena, struct wl_interval, p->n);
	size_t n = 0;

	if (!span)
		return no_memory;
	for (size_t i = 0; i < p->n; i++) {
		int64_t utc = wl_facts_i64(p->f, WL_FACTS_RANKS_START, i);
		int64_t begin = wl_facts_i64(p->f, WL_FACTS_RANKS_BEGIN, i);
		int64_t end = wl_facts_i64(p->f, WL_FACTS_RANKS_END, i);

		if (utc > 0 && utc < WL_TIME_MAX && begin > -WL_FACTS_MAX_LENGTH && begin <= end &&
		    end < WL_FACTS_MAX_LENGTH)
			span[n++] = (struct wl_interval){ utc + begin, utc + end };
	}
	if (n < p->n && !is_named)
		return "these files do not prove to be one job: neither a job id nor the time of "
		       "day is recorded";
	qsort(span, n, sizeof(*span), by_begin);
	for (size_t i = 1; i < n; i++) {
		if (span[i].begin > span[i - 1].end)
			return "these files are of several jobs: they were recorded one after "
			       "another";
		if (span[i].end < span[i - 1].end)
			span[i].end = span[i - 1].end;
	}
	return NULL;
}

/* ---- Their collectives ---- */

struct arrival {
	uint64_t process;
	int64_t begin;
	uint32_t type;
};

static int by_arrival(const void *va, const void *vb)
{
	const struct arrival *a = va, *b = vb;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->begin != b->begin)
		return compare_times(a->begin, b->begin);
	return compare_numbers(a->type, b->type);
}

static struct arrival *list_arrivals(const struct proving *p, size_t n)
{
	struct arrival *all = WL_NEW(p->arena, struct arrival, n + 1);

	for (size_t i = 0; all && i < n; i++) {
		uint32_t rank = wl_facts_u32(p->f, WL_FACTS_ARRIVALS_RANK, i);

		all[i] = (struct arrival){ p->process[rank].key,
					   wl_facts_i64(p->f, WL_FACTS_ARRIVALS_BEGIN, i),
					   wl_facts_u32(p->f, WL_FACTS_ARRIVALS_TYPE, i) };
	}
	if (all)
		qsort(all, n, sizeof(*all), by_arrival);
	return all;
}

/* The collectives of a process: from its place in the list of all. */
struct sequence {
	size_t at, n;
	uint64_t begins; /* their sum, modulo 2^64 */
};

/* A code for each kind, of which there are few; those of facts that were made up are one. */
static bool code_kinds(const struct proving *p, const struct arrival *all, size_t n,
		       uint8_t *ret_code)
{
	size_t n_texts = p->f->texts.at.n + 1;
	uint8_t *of_text = WL_NEW(p->arena, uint8_t, n_texts);
	uint8_t next = 1;

	if (!of_text)
		return false;
	memset(of_text, 0, n_texts);
	for (size_t i = 0; i < n; i++) {
		if (of_text[all[i].type] == 0)
			of_text[all[i].type] = next < UINT8_MAX ? next++ : next;
		ret_code[i] = of_text[all[i].type];
	}
	return true;
}

static const char *compare_sequences(const struct proving *p, const struct sequence *of,
				     const uint8_t *code)
{
	const struct sequence *longest = of;
	size_t *fail;

	for (size_t i = 0; i < p->n; i++) {
		if (of[i].n > longest->n)
			longest = &of[i];
	}
	fail = WL_NEW(p->arena, size_t, longest->n + 1);
	if (!fail)
		return no_memory;
	for (size_t i = 0; i < p->n; i++) {
		if (p->process[i].key != i)
			continue;
		if (of[i].n == 0)
			return "these files do not prove to be one job: no job id is recorded, and "
			       "not all have collectives";
		if (!wl_job_has_sequence(code + longest->at, longest->n, code + of[i].at, of[i].n,
					 fail))
			return "these files do not prove to be one job: no job id is recorded, and "
			       "their collectives differ";
	}
	return NULL;
}

static int by_begins(const void *va, const void *vb)
{
	const struct sequence *a = va, *b = vb;

	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return (a->begins > b->begins) - (a->begins < b->begins);
}

/* No two processes begin all their collectives at the same nanoseconds of their traces. */
static const char *find_copies(struct sequence *of, size_t n)
{
	qsort(of, n, sizeof(*of), by_begins);
	for (size_t i = 1; i < n; i++) {
		if (of[i].n && by_begins(&of[i - 1], &of[i]) == 0)
			return copies;
	}
	return NULL;
}

static const char *compare_collectives(const struct proving *p)
{
	size_t n = p->f->n[WL_FACTS_ARRIVALS];
	struct arrival *all = list_arrivals(p, n);
	struct sequence *of = WL_NEW(p->arena, struct sequence, p->n);
	uint8_t *code = WL_NEW(p->arena, uint8_t, n + 1);
	const char *why;

	if (!all || !of || !code || !code_kinds(p, all, n, code))
		return no_memory;
	memset(of, 0, p->n * sizeof(*of));
	for (size_t i = 0; i < n; i++) {
		struct sequence *s = &of[all[i].process];

		s->at = s->n ? s->at : i;
		s->n++;
		s->begins += (uint64_t)all[i].begin;
	}
	why = compare_sequences(p, of, code);
	return why ? why : find_copies(of, p->n);
}

/* ---- All of it ---- */

static const char *find_doubt(const struct proving *p)
{
	bool differ, is_named = are_named(p, &differ);
	const char *why;

	if (differ)
		return "these files are of several jobs: their job ids differ";
	why = find_twins(p);
	if (!why)
		why = compare_captures(p, is_named);
	return why || is_named ? why : compare_collectives(p);
}

static size_t count_parts(const struct wl_facts_trace *facts)
{
	return facts->is_job ? facts->job.trace.n_files : 1;
}

const char *wl_facts_job_doubt(const struct wl_facts_trace *facts, size_t n_files)
{
	struct wl_arena arena;
	struct proving p = { .f = &facts->facts,
			     .process = facts->job.trace.processes,
			     .n = facts->facts.n[WL_FACTS_RANKS],
			     .arena = &arena };
	const char *why;

	/* Facts that come twice count once. */
	if (count_parts(facts) < n_files || !facts->is_job)
		return copies;
	wl_arena_init_on(&arena, facts->facts.budget);
	why = find_doubt(&p);
	wl_arena_release(&arena);
	return why;
}
