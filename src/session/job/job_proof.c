/* SPDX-License-Identifier: MIT */
#include "session/job/job_proof.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "known/kernels/kernels.h"

const enum wl_column_id wl_job_proof_columns[] = { WL_KERNELS_START, WL_KERNELS_PLACE,
						   WL_KERNELS_NAME, WL_N_COLUMNS };

/* The kinds of a process's collectives, in order of start. */
struct sequence {
	size_t begin, n; /* in a common array */
};

enum { NONE = UINT8_MAX };

/* By name of a kernel: the kind of collective, NONE for other kernels. */
static uint8_t *find_kinds(const struct wl_trace *t, struct wl_arena *arena)
{
	uint8_t *kind = WL_NEW(arena, uint8_t, t->n_kernel_names);

	for (size_t i = 0; kind && i < t->n_kernel_names; i++) {
		const struct wl_kernel_facts f =
			wl_kernel_named(wl_str(t, t->kernel_names[i].demangled));

		kind[i] = wl_kernel_is_comm(&f) ? f.collective : NONE;
	}
	return kind;
}

/* Rows are in order of start for each device. */
static bool find_sequences(const struct wl_trace *t, struct sequence *of, uint8_t **ret_all,
			   struct wl_arena *arena)
{
	const uint32_t *place = wl_kernels_place(t), *name = wl_kernels_name(t);
	const uint8_t *kind = find_kinds(t, arena);
	size_t n = t->family[WL_F_KERNELS].n, total = 0;
	uint8_t *all;

	if (!kind)
		return false;
	for (size_t i = 0; i < n; i++)
		of[t->places[place[i]].process].n += kind[name[i]] != NONE;
	for (size_t p = 0; p < t->n_processes; p++) {
		of[p].begin = total;
		total += of[p].n;
		of[p].n = 0;
	}
	all = WL_NEW(arena, uint8_t, total + 1);
	for (size_t i = 0; all && i < n; i++) {
		struct sequence *s = &of[t->places[place[i]].process];

		if (kind[name[i]] != NONE)
			all[s->begin + s->n++] = kind[name[i]];
	}
	*ret_all = all;
	return all != NULL;
}

/* Knuth, Morris and Pratt. */
bool wl_job_has_sequence(const uint8_t *whole, size_t n_whole, const uint8_t *part, size_t n_part,
			 size_t *fail)
{
	for (size_t i = 1, k = 0; i < n_part; i++) {
		while (k > 0 && part[i] != part[k])
			k = fail[k - 1];
		k += part[i] == part[k];
		fail[i] = k;
	}
	for (size_t i = 0, k = 0; i < n_whole; i++) {
		while (k > 0 && (k == n_part || whole[i] != part[k]))
			k = fail[k - 1];
		k += whole[i] == part[k];
		if (k == n_part)
			return true;
	}
	return false;
}

static const char *compare(const struct wl_trace *t, const struct sequence *of, const uint8_t *all,
			   struct wl_arena *arena)
{
	size_t longest = 0, n = 0;
	size_t *fail;

	for (size_t p = 0; p < t->n_processes; p++) {
		longest = of[p].n > of[longest].n ? p : longest;
		n += t->processes[p].on_gpu;
	}
	fail = WL_NEW(arena, size_t, t->n_processes ? of[longest].n + 1 : 1);
	if (!fail)
		return "there is no memory to compare them";
	for (size_t p = 0; p < t->n_processes; p++) {
		if (!t->processes[p].on_gpu)
			continue;
		if (of[p].n == 0)
			return "these files do not prove to be one job: no job id is recorded, and "
			       "not all have collectives";
		if (!wl_job_has_sequence(all + of[longest].begin, of[longest].n, all + of[p].begin,
					 of[p].n, fail))
			return "these files do not prove to be one job: no job id is recorded, and "
			       "their collectives differ";
	}
	return n > 1 ? NULL
		     : "these files do not prove to be one job: no job id is recorded, and only "
		       "one has GPU work";
}

/* When the kernels of a process started. */
struct starts {
	uint64_t n, sum; /* modulo 2^64 */
	wl_ns first;
};

static int by_starts(const void *va, const void *vb)
{
	const struct starts *a = va, *b = vb;

	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->sum > b->sum) - (a->sum < b->sum);
}

/* No two ranks start all their kernels at the same nanoseconds: that is one file, copied. */
static const char *find_copies(const struct wl_trace *t, struct wl_arena *arena)
{
	const uint32_t *place = wl_kernels_place(t);
	const wl_ns *start = wl_kernels_start(t);
	struct starts *of = WL_NEW(arena, struct starts, t->n_processes);

	if (!of)
		return "there is no memory to compare them";
	for (size_t i = 0; i < t->family[WL_F_KERNELS].n; i++) {
		struct starts *s = &of[t->places[place[i]].process];

		s->first = s->n == 0 || start[i] < s->first ? start[i] : s->first;
		s->sum += (uint64_t)start[i];
		s->n++;
	}
	if (t->n_processes)
		qsort(of, t->n_processes, sizeof(*of), by_starts);
	for (size_t p = 1; p < t->n_processes; p++) {
		if (of[p].n && by_starts(&of[p - 1], &of[p]) == 0)
			return "these files are no job: two of them are copies of one trace";
	}
	return NULL;
}

/* A process that has work on a GPU, which a proven UUID tells from others, else its host and
 * number. */
struct tenant {
	const char *uuid, *host; /* "" if unknown */
	uint32_t pid, ordinal, file;
};

static int compare_numbers(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const struct tenant *a, const struct tenant *b)
{
	int order = compare_numbers(a->pid, b->pid);

	if (order == 0)
		order = strcmp(a->uuid, b->uuid);
	if (order != 0 || a->uuid[0])
		return order;
	order = compare_numbers(a->ordinal, b->ordinal);
	return order != 0 ? order : strcmp(a->host, b->host);
}

static int by_tenant(const void *va, const void *vb)
{
	const struct tenant *a = va, *b = vb;
	int order = by_place(a, b);

	return order != 0 ? order : compare_numbers(a->file, b->file);
}

static const char *text_or_none(const struct wl_trace *t, uint32_t string)
{
	return string != WL_NONE ? wl_str(t, string) : "";
}

/* A process is recorded once: the same one on the same GPU in two files is of two runs. */
static const char *find_runs(const struct wl_trace *t, struct wl_arena *arena)
{
	struct tenant *all = WL_NEW(arena, struct tenant, t->n_places + 1);
	size_t n = 0;

	if (!all)
		return "there is no memory to compare them";
	for (size_t i = 0; i < t->n_places; i++) {
		const struct wl_place *place = &t->places[i];
		const struct wl_process *p = &t->processes[place->process];

		if (place->device != WL_NONE)
			all[n++] = (struct tenant){ text_or_none(t, t->devices[place->device].uuid),
						    text_or_none(t, p->host), p->pid,
						    place->ordinal, p->file };
	}
	qsort(all, n, sizeof(*all), by_tenant);
	for (size_t i = 1; i < n; i++) {
		if (by_place(&all[i - 1], &all[i]) == 0 && all[i].file != all[i - 1].file)
			return "these files do not prove to be one job: no job id is recorded, and "
			       "two of them have the same process on the same GPU";
	}
	return NULL;
}

const char *wl_job_doubt(const struct wl_trace *t, struct wl_budget *budget)
{
	struct wl_arena arena;
	struct sequence *of;
	uint8_t *all = NULL;
	const char *why = "there is no memory to compare them";

	wl_arena_init_on(&arena, budget);
	of = WL_NEW(&arena, struct sequence, t->n_processes);
	if (of && find_sequences(t, of, &all, &arena))
		why = compare(t, of, all, &arena);
	if (!why)
		why = find_copies(t, &arena);
	if (!why)
		why = find_runs(t, &arena);
	wl_arena_release(&arena);
	return why;
}
