/* SPDX-License-Identifier: MIT */
#include "session/document/method.h"

#include <stdio.h>

#include "analysis/analysis.h"

/* More than the help texts of all families together. */
enum { TEXT_CAP = 1024 };

struct text {
	char bytes[TEXT_CAP];
	size_t n;
};

static void append_word(struct text *t, const char *before, const char *word)
{
	int n = snprintf(t->bytes + t->n, TEXT_CAP - t->n, "%s%s", before, word);

	/* A word that does not fit is cut, and the text stays terminated. */
	t->n += n > 0 && (size_t)n < TEXT_CAP - t->n ? (size_t)n : 0;
}

/*
 * Ranks may come from payloads, among other sources: their absence is worth a word only where bytes
 * and communicators are asked for. Of the tables of NCCL and MPI the first stands for all. Few
 * programs have managed memory.
 */
static bool is_missed(const struct wl_columns *set, enum wl_family_id id)
{
	if (id == WL_F_NCCL_CALLS)
		return wl_columns_has(set, WL_NCCL_CALLS_COMM);
	if (id == WL_F_MPI_COLLS)
		return wl_columns_has(set, WL_MPI_COLLS_COMM);
	return id != WL_F_CPU_FAULTS && id != WL_F_GPU_FAULTS && id != WL_F_MEM_EVENTS &&
	       id != WL_F_NCCL_OPS && id != WL_F_MPI_OTHERS && id != WL_F_MPI_P2P &&
	       id != WL_F_MPI_WAITS;
}

/* The families in the set that have rows, or those that have none; false where there are none. */
static bool put_families(struct text *t, const struct wl_trace *trace, const struct wl_columns *set,
			 bool with_rows, const char *before)
{
	bool any = false;

	for (size_t i = 0; i < WL_N_FAMILIES; i++) {
		if (!wl_columns_has_family(set, (enum wl_family_id)i) ||
		    (trace->family[i].n > 0) != with_rows ||
		    (!with_rows && !is_missed(set, (enum wl_family_id)i)))
			continue;
		append_word(t, any ? ", " : before, wl_family_infos[i].help);
		any = true;
	}
	return any;
}

const char *wl_method_from(const struct wl_trace *trace, const char *analysis,
			   struct wl_arena *arena)
{
	const struct wl_analysis *a = wl_analysis_get(analysis);
	const struct wl_columns set = wl_analysis_columns(a);
	struct text t = { .n = 0 };

	if (!put_families(&t, trace, &set, true, "From "))
		append_word(&t, "", "From what the file says of itself");
	if (wl_analysis_find(analysis) == a)
		append_word(&t, ", by \"warplens ", analysis);
	append_word(&t, wl_analysis_find(analysis) == a ? "\"" : "", ".");
	if (put_families(&t, trace, &set, false, " Not in this trace: "))
		append_word(&t, "", ".");
	return wl_arena_strdup(arena, t.bytes);
}
