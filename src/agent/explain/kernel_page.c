/* SPDX-License-Identifier: MIT */
#include "agent/explain/kernel_page.h"

#include <string.h>

#include "known/kernels/kernel_origins.h"
#include "known/kernels/kernel_parts.h"
#include "known/kernels/kernels.h"
#include "known/kernels/names.h"

enum { MAX_TITLE = 300, MAX_BASE = 256, MAX_SHORT = 26 };

/* Operations that are not kernels, by the names that nsys reports and Chrome traces give them. */
static const struct {
	const char *begin, *text;
} operations[] = {
	{ "[CUDA memcpy", "A copy, done by a copy engine or by the driver; not a kernel." },
	{ "[CUDA memset", "A memory set by the driver; not a kernel." },
	{ "Memcpy",
	  "A copy, as PyTorch's profiler names it (HtoD, DtoH, DtoD, PtoP); not a kernel. "
	  "\"Pageable\" means that the host side is not pinned." },
	{ "Memset", "A memory set, as PyTorch's profiler names it; not a kernel." },
};

static const char *operation_of(const char *name)
{
	for (size_t i = 0; i < WL_COUNT(operations); i++) {
		if (strncmp(name, operations[i].begin, strlen(operations[i].begin)) == 0)
			return operations[i].text;
	}
	return NULL;
}

bool wl_kernel_page_knows(const char *name)
{
	return operation_of(name) || wl_kernel_origin_of(name);
}

bool wl_kernel_page_is_name(const char *name)
{
	return strpbrk(name, "_<(") != NULL || strstr(name, "::") != NULL;
}

static void put_title(struct wl_prose *p, const char *name)
{
	size_t n = strlen(name);

	wl_prose_say(p, "# %.*s%s\n\n", (int)(n > MAX_TITLE ? MAX_TITLE : n), name,
		     n > MAX_TITLE ? "..." : "");
}

static void put_origin(struct wl_prose *p, const struct wl_kernel_origin *origin)
{
	if (!origin) {
		wl_prose_put(p, "A kernel. Its library is not known: the name has no namespace or "
				"prefix of a known one. Often it is a kernel of the program "
				"itself.\n\n");
		return;
	}
	wl_prose_say(p, "A kernel of %s%s. %s\n\n", origin->library,
		     origin->sureness == WL_SURE_CERTAIN ? "" : " (likely)", origin->what);
}

/* What the kernel does, according to the table of categories. */
static void put_category(struct wl_prose *p, const char *name)
{
	const struct wl_kernel_facts facts = wl_kernel_named(name);

	if (facts.category == WL_CATEGORY_OTHER) {
		wl_prose_put(p, "What it does is not known from its name (category other).\n\n");
		return;
	}
	wl_prose_say(p, "Category %s: %s.", wl_category_word((enum wl_category)facts.category),
		     wl_category_holds((enum wl_category)facts.category));
	if (wl_kernel_is_comm(&facts))
		wl_prose_say(p, " Kind of collective: %s.",
			     wl_collective_title((enum wl_collective)facts.collective));
	if (facts.fused)
		wl_prose_put(p, " It communicates and computes in one kernel.");
	wl_prose_put(p, "\n\n");
}

/* If only some parts are less certain than the library, each of them says so. */
static bool all_likely(const struct wl_kernel_part *part, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (part[i].sureness == WL_SURE_CERTAIN)
			return false;
	}
	return true;
}

static int put_parts(struct wl_prose *p, const char *name, const struct wl_kernel_origin *origin,
		     struct wl_err *reterr)
{
	struct wl_kernel_part part[WL_MAX_KERNEL_PARTS];
	size_t n = 0;
	int r = wl_kernel_parts(name, origin->family, p->arena, part, &n, reterr);
	bool is_mixed;

	if (r < 0 || n == 0)
		return r;
	is_mixed = !all_likely(part, n);
	wl_prose_put(p, "## Parts of the name\n\n");
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(part[i].text);

		wl_prose_say(p, "- %s: %.*s%s.\n", part[i].title, (int)(len - 1), part[i].text,
			     is_mixed && part[i].sureness == WL_SURE_LIKELY ? " (likely)" : "");
	}
	wl_prose_put(p, "\n");
	return WL_OK;
}

/* Families whose names have no documented grammar. */
static bool is_read_off(enum wl_kernel_family family)
{
	return family == WL_FAMILY_NVJET || family == WL_FAMILY_XMMA ||
	       family == WL_FAMILY_SASS_GEMM || family == WL_FAMILY_CUDNN_SDPA ||
	       family == WL_FAMILY_TRTLLM_GEN || family == WL_FAMILY_TRTLLM_GEN_FMHA ||
	       family == WL_FAMILY_FMHA_V2;
}

static void put_sureness(struct wl_prose *p, const struct wl_kernel_origin *origin)
{
	wl_prose_put(p, "## How sure\n\n");
	wl_prose_say(p, "The library is %s. Source: %s.",
		     origin->sureness == WL_SURE_CERTAIN
			     ? "certain"
			     : "likely: other libraries could write such a name",
		     origin->source);
	if (is_read_off(origin->family))
		wl_prose_put(p, " NVIDIA does not document these names: the parts are as engineers "
				"commonly read them, and can be wrong.");
	wl_prose_put(p, "\n\n");
}

/* Length of the start of a name that fits on a terminal line, up to the end of a word. */
static size_t short_length(const char *name)
{
	size_t n = strlen(name);

	if (n <= MAX_SHORT)
		return n;
	for (n = MAX_SHORT; n > MAX_SHORT / 2; n--) {
		if (name[n] == '_')
			return n;
	}
	return MAX_SHORT;
}

/* Add a filter that finds the kernel by its base name, unless a filter cannot contain that name. */
static void put_command(struct wl_prose *p, const char *name)
{
	char base[MAX_BASE];
	size_t n = wl_name_base(name, base, sizeof(base));
	const char *at = n ? strrchr(base, ':') : NULL;

	at = at ? at + 1 : base;
	if (!*at || strpbrk(at, "\"'\\<>()[] "))
		return;
	wl_prose_put(p, "## Look at it\n\n```\n");
	wl_prose_say(p, "$ warplens kernels run.sqlite --where 'name ~ \"%.*s\"'\n```\n",
		     (int)short_length(at), at);
}

int wl_kernel_page_put(struct wl_prose *p, const char *name, struct wl_err *reterr)
{
	const struct wl_kernel_origin *origin = wl_kernel_origin_of(name);
	const char *operation = operation_of(name);
	int r = WL_OK;

	put_title(p, name);
	if (operation) {
		wl_prose_say(p, "%s\n\n", operation);
		return WL_OK;
	}
	put_origin(p, origin);
	put_category(p, name);
	if (origin) {
		r = put_parts(p, name, origin, reterr);
		put_sureness(p, origin);
	}
	put_command(p, name);
	return r;
}
