/* SPDX-License-Identifier: MIT */
#include "findings/rules/jit_cache.h"

#include "base/text/units.h"
#include "derive/calls/call_costs.h"
#include "derive/derived.h"
#include "findings/rule.h"

const struct wl_advice wl_jit_advice = {
	.action = "Ship machine code for this GPU, or keep the JIT cache",
	.advice = "The driver compiles PTX where neither the program nor its cache has machine "
		  "code for the GPU. Where that cache is too small, or each run begins with an "
		  "empty one, it compiles again.",
	.in = {
		[WL_CUDA] = "nvcc -gencode for this GPU's architecture; CUDA_CACHE_PATH on a disk "
			    "that outlives the run, CUDA_CACHE_MAXSIZE=4294967296",
		[WL_PYTORCH] = "TORCH_CUDA_ARCH_LIST with this GPU's architecture when extensions "
			       "are built",
	},
};

bool wl_is_jit(const struct wl_rule_state *d, const char *detail)
{
	const struct wl_call_costs *costs = d->run->derived->call_costs;

	/* Equal details share one pointer (idle.h). */
	for (size_t i = 0; costs && detail && i < costs->n; i++) {
		if (costs->piece[i].jit != WL_NONE && costs->piece[i].name == detail)
			return true;
	}
	return false;
}

/* The totals over the compiler's rows. */
struct tally {
	size_t compiled, loaded;
	uint64_t size;    /* of the largest cache; WL_NO_U64 if unknown */
	const char *path; /* of that cache, else the first known; or NULL */
};

static struct tally count(const struct wl_trace *t, const struct wl_call_costs *costs)
{
	enum { CACHE_LOAD = 1, COMPILE = 3 };
	struct tally sum = { .size = WL_NO_U64 };

	for (size_t i = 0; i < costs->n; i++) {
		uint32_t row = costs->piece[i].jit, path;
		uint64_t size;

		if (row == WL_NONE)
			continue;
		sum.compiled += wl_jits_op(t)[row] == COMPILE;
		sum.loaded += wl_jits_op(t)[row] == CACHE_LOAD;
		size = wl_jits_size(t)[row];
		path = wl_jits_path(t)[row];
		if (path != WL_NONE && (!sum.path || (size != WL_NO_U64 &&
						      (sum.size == WL_NO_U64 || size > sum.size))))
			sum.path = wl_str(t, path);
		if (size != WL_NO_U64 && (sum.size == WL_NO_U64 || size > sum.size))
			sum.size = size;
	}
	return sum;
}

const char *wl_say_jit_cache(struct wl_rule_state *d, const char *detail)
{
	char size[WL_UNITS_BUF];
	struct tally sum;

	if (!wl_is_jit(d, detail))
		return "";
	sum = count(d->run->trace, d->run->derived->call_costs);
	if (!sum.path)
		return wl_say(d, WL_STOP "; the driver compiled %zu times, loaded %zu times",
			      sum.compiled, sum.loaded);
	if (sum.size == WL_NO_U64 || sum.size > INT64_MAX)
		return wl_say(d,
			      WL_STOP "; the driver compiled %zu times, loaded %zu times from its "
				      "cache `%s`",
			      sum.compiled, sum.loaded, sum.path);
	return wl_say(d,
		      WL_STOP "; the driver compiled %zu times, loaded %zu times from its cache "
			      "`%s` (%s)",
		      sum.compiled, sum.loaded, sum.path, wl_fmt_bytes(size, (int64_t)sum.size));
}
