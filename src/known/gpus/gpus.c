/* SPDX-License-Identifier: MIT */
#include "known/gpus/gpus.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/attr.h"

const char *const wl_dtype_names[WL_N_DTYPES + 1] = {
	[WL_DTYPE_FP64] = "fp64", [WL_DTYPE_FP32] = "fp32", [WL_DTYPE_TF32] = "tf32",
	[WL_DTYPE_FP16] = "fp16", [WL_DTYPE_BF16] = "bf16", [WL_DTYPE_FP8] = "fp8",
	[WL_DTYPE_INT8] = "int8", [WL_DTYPE_FP4] = "fp4",
};

static const struct wl_gpu_peaks table[] = {
#define WL_GPU(tokens, fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4, bandwidth, nvlink, source,    \
	       checked)                                                                            \
	{ tokens,    { fp64, fp32, tf32, fp16, bf16, fp8, int8, fp4 },                             \
	  bandwidth, nvlink,                                                                       \
	  source,    WL_PEAKS_##checked },
#include "known/gpus/gpus.def"
#undef WL_GPU
};

/* A word of a name: n bytes. */
struct word {
	const char *at;
	size_t n;
};

static bool next_word(const char **text, struct word *ret)
{
	*text += strspn(*text, " -");
	*ret = (struct word){ *text, strcspn(*text, " -") };
	*text += ret->n;
	return ret->n > 0;
}

static bool is_word(const struct word *w, const char *text, size_t n)
{
	return w->n == n && strncasecmp(w->at, text, n) == 0;
}

static bool has_word(const char *text, const struct word *wanted)
{
	struct word w;

	while (next_word(&text, &w)) {
		if (is_word(&w, wanted->at, wanted->n))
			return true;
	}
	return false;
}

/* What tells no two models apart: a brand, or a size of memory such as 80GB. */
static bool is_plain(const struct word *w)
{
	static const char *const brands[] = { "NVIDIA", "Tesla", "GeForce", "Generation" };
	size_t digits = strspn(w->at, "0123456789");

	for (size_t i = 0; i < WL_COUNT(brands); i++) {
		if (is_word(w, brands[i], strlen(brands[i])))
			return true;
	}
	return digits > 0 && ((w->n == digits + 2 && strncasecmp(w->at + digits, "GB", 2) == 0) ||
			      (w->n == digits + 1 && strncasecmp(w->at + digits, "G", 1) == 0));
}

static bool is_named(const char *tokens, const char *name)
{
	const char *rest = tokens;
	struct word w;

	while (next_word(&rest, &w)) {
		if (!has_word(name, &w))
			return false;
	}
	while (next_word(&name, &w)) {
		if (!is_plain(&w) && !has_word(tokens, &w))
			return false;
	}
	return true;
}

const struct wl_gpu_peaks *wl_gpu_peaks_find(const char *name)
{
	for (size_t i = 0; i < WL_COUNT(table); i++) {
		if (is_named(table[i].tokens, name))
			return &table[i];
	}
	return NULL;
}
