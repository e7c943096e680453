/* SPDX-License-Identifier: MIT */
#include "session/document/doc_step.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void put_kinds(const struct wl_process_iters *p, struct wl_doc_step *ret)
{
	static const char *const names[WL_N_STEP_KINDS] = { [WL_STEP_NONE] = "other steps",
							    [WL_STEP_PREFILL] = "prefills",
							    [WL_STEP_DECODE] = "decodes",
							    [WL_STEP_MIXED] = "mixed steps" };
	enum wl_step_kind kind[WL_N_STEP_KINDS];
	size_t n = wl_step_kinds_by_count(p, kind);

	for (size_t i = 0; i < n && i < WL_COUNT(ret->part); i++) {
		const struct wl_kind_use *use = &p->kind[kind[i]];

		ret->part[i] =
			(struct wl_step_part){ names[kind[i]], (int64_t)use->n, use->median };
	}
}

/* "iterations" of `iteration #`, "batches" of `batch_#`; else "ranges `epoch # of #`". */
static const char *plural_of(const char *label, struct wl_arena *arena)
{
	size_t n = 0, rest;
	char text[120];

	while (isalpha((unsigned char)label[n]))
		n++;
	rest = n + strspn(label + n, " _:-.");
	if (n == 0 || strcmp(label + rest, "#") != 0)
		(void)snprintf(text, sizeof(text), "ranges `%.100s`", label);
	else
		(void)snprintf(text, sizeof(text), "%.*s%s", n < 60 ? (int)n : 60, label,
			       strchr("hsx", label[n - 1]) && strncmp(label, "epoch", n) != 0
				       ? "es"
				       : "s");
	return wl_arena_strdup(arena, text);
}

bool wl_doc_step_parts(const struct wl_process_iters *p, struct wl_arena *arena,
		       struct wl_doc_step *ret)
{
	const struct wl_two_lengths *l = &p->lengths;

	ret->has_kinds = p->has_kinds;
	if (p->has_kinds)
		put_kinds(p, ret);
	for (size_t i = 0; !p->has_kinds && l->n[0] && i < WL_COUNT(l->n); i++)
		ret->part[i] =
			(struct wl_step_part){ i ? "" : "steps", (int64_t)l->n[i], l->median[i] };
	if (!p->outer.label)
		return true;
	ret->outer = (struct wl_step_part){ plural_of(p->outer.label, arena), (int64_t)p->outer.n,
					    p->outer.median };
	return ret->outer.name != NULL;
}
