/* SPDX-License-Identifier: MIT */
#include "session/job_proof.h"

#include <string.h>

#include "base/arena.h"
#include "base/attr.h"
#include "known/kernels.h"

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

/* Knuth, Morris and Pratt: whether part occurs in whole. fail has room for part. */
static bool contains(const uint8_t *whole, size_t n_whole, const uint8_t *part, size_t n_part,
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
		if (!contains(all + of[longest].begin, of[longest].n, all + of[p].begin, of[p].n,
			      fail))
			return "these files do not prove to be one job: no job id is recorded, and "
			       "their collectives differ";
	}
	return n > 1 ? NULL
		     : "these files do not prove to be one job: no job id is recorded, and only "
		       "one has GPU work";
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
	wl_arena_release(&arena);
	return why;
}
