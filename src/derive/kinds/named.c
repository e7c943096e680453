/* SPDX-License-Identifier: MIT */
#include "derive/kinds/named.h"

#include "derive/derived.h"
#include "derive/nvtx/conventions.h"
#include "known/kernels/labels.h"
#include "known/kernels/names.h"

/*
 * Template arguments are cut off, so base names are far shorter; only this much of a longer one is
 * compared.
 */
enum { MAX_BASE = 1024 };

/* Look a name up among the known names and those that the user's convention adds. */
static struct wl_kernel_facts ask(const char *demangled, const struct wl_conventions *c)
{
	struct wl_kernel_facts facts = wl_kernel_named(demangled);
	char base[MAX_BASE];

	if (!c || !*c->comm || wl_kernel_is_comm(&facts))
		return facts;
	(void)wl_name_base(demangled, base, sizeof(base));
	if (wl_globs_match(c->comm, base))
		facts.category = WL_CATEGORY_COMMUNICATION;
	return facts;
}

/* NULL without memory. */
static const char *const *find_labels(const struct wl_trace *t, struct wl_arena *arena)
{
	const char **label = WL_NEW(arena, const char *, t->n_kernel_names + 1);

	for (size_t i = 0; label && i < t->n_kernel_names; i++)
		label[i] = wl_str(t, t->kernel_names[i].demangled);
	return label && wl_kernel_labels(label, t->n_kernel_names, arena, label) ? label : NULL;
}

bool wl_named_find(const struct wl_derived *derived, struct wl_arena *arena, struct wl_named *ret)
{
	const struct wl_trace *t = derived->trace;
	struct wl_kernel_facts *facts = WL_NEW(arena, struct wl_kernel_facts, t->n_kernel_names);
	struct wl_arena scratch;
	uint32_t *first; /* by string: a kernel name demangled to it, + 1 */
	bool ok;

	wl_arena_init_child(&scratch, arena);
	first = WL_NEW(&scratch, uint32_t, t->strings.n);
	ok = facts && first;
	for (uint32_t i = 0; ok && i < t->n_kernel_names; i++) {
		uint32_t string = t->kernel_names[i].demangled;
		/*
		 * Kernel names that differ only in the short name share a demangled name. Matching
		 * is the main cost here, so each text is matched once.
		 */
		bool is_known = string < t->strings.n && first[string];

		facts[i] = is_known ? facts[first[string] - 1]
				    : ask(wl_str(t, string), derived->opts.conventions);
		if (string < t->strings.n && !is_known)
			first[string] = i + 1;
	}
	wl_arena_release(&scratch);
	ret->kernel = facts;
	ret->label = ok ? find_labels(t, arena) : NULL;
	return ret->label != NULL;
}
