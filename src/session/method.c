#include "session/method.h"

#include <stdio.h>

#include "analysis/analysis.h"

enum { TEXT_CAP = 1024 };

struct text {
	char bytes[TEXT_CAP];
	size_t n;
};

static void put(struct text *t, const char *before, const char *word)
{
	int n = snprintf(t->bytes + t->n, TEXT_CAP - t->n, "%s%s", before, word);

	t->n += n > 0 && (size_t)n < TEXT_CAP - t->n ? (size_t)n : 0;
}

static void add_families(const enum wl_column_id *list, bool set[WL_N_FAMILIES])
{
	for (; list && *list != WL_N_COLUMNS; list++)
		set[wl_column_infos[*list].family] = true;
}

/* The families in the set that have rows, or those that have none; false where there are none. */
static bool put_families(struct text *t, const struct wl_trace *trace,
			 const bool set[WL_N_FAMILIES], bool with_rows, const char *before)
{
	bool any = false;

	for (size_t i = 0; i < WL_N_FAMILIES; i++) {
		if (!set[i] || (trace->family[i].n > 0) != with_rows)
			continue;
		put(t, any ? ", " : before, wl_family_infos[i].help);
		any = true;
	}
	return any;
}

const char *wl_method_from(const struct wl_trace *trace, const char *analysis,
			   struct wl_arena *arena)
{
	const struct wl_analysis *a = wl_analysis_get(analysis);
	bool set[WL_N_FAMILIES] = { false };
	struct text t = { .n = 0 };

	add_families(a->needs, set);
	add_families(a->needs_any, set);
	add_families(a->uses, set);
	if (!put_families(&t, trace, set, true, "From "))
		put(&t, "", "From what the file says of itself");
	if (wl_analysis_find(analysis) == a)
		put(&t, ", by \"warplens ", analysis);
	put(&t, wl_analysis_find(analysis) == a ? "\"" : "", ".");
	if (put_families(&t, trace, set, false, " Not in this trace: "))
		put(&t, "", ".");
	return wl_arena_strdup(arena, t.bytes);
}
