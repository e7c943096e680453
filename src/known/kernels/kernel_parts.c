/* SPDX-License-Identifier: MIT */
#include "known/kernels/kernel_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text/regex.h"

/* The lists of codes; PLAIN has none. */
enum codes {
	PLAIN,
	COLLECTIVE,
	REDUCTION,
	TYPE,
	NCCL_ALGORITHM,
	NCCL_PROTOCOL,
	ARCHITECTURE,
	GENERATION,
	NVJET_TYPES,
	NVJET_ORDER,
	XMMA_OPERATION,
	TENSOR_GEMM,
	PLAIN_GEMM,
	CUTLASS_OP,
	BLAS_LETTER,
	CUTLASS_PIPELINE,
	FLASH_OPERATION,
	FMHA_DIRECTION,
	FMHA_ALIGNED,
	FMHA_OUTPUT,
	SDPA_DIRECTION,
	SDPA_ARITHMETIC,
	SDPA_TYPE,
	TRTLLM_CACHE,
	TRTLLM_PHASE,
	INDUCTOR_KIND,
	XLA_KIND,
	NVFUSER_KIND,
	PYTORCH_KIND,
};

struct line {
	enum wl_kernel_family family;
	enum wl_sureness sureness;
	const char *title, *regex;
	enum codes codes;
	const char *text;
};

static const struct line lines[] = {
#define WL_PART(FAMILY, SURENESS, title, regex, CODES, text)                                       \
	{ WL_FAMILY_##FAMILY, WL_SURE_##SURENESS, title, regex, CODES, text },
#include "known/kernels/kernel_parts.def"
#undef WL_PART
};

static const struct {
	enum codes codes;
	const char *value, *text;
} meanings[] = {
#define WL_CODE(CODES, value, text) { CODES, value, text },
#include "known/kernels/kernel_parts.def"
#undef WL_CODE
};

/* What a value of a list means; of PLAIN the value itself; NULL when the list does not have it. */
static const char *meaning_of(enum codes codes, const char *value)
{
	if (codes == PLAIN)
		return value;
	for (size_t i = 0; i < WL_COUNT(meanings); i++) {
		if (meanings[i].codes == codes && strcmp(meanings[i].value, value) == 0)
			return meanings[i].text;
	}
	return NULL;
}

/* The text with "$" replaced, and a full stop at its end. NULL without memory. */
static const char *fill(const char *text, const char *meaning, struct wl_arena *arena)
{
	size_t n = strlen(text) + strlen(meaning) + 2, before = strcspn(text, "$");
	bool has_mark = text[before] == '$';
	char *s = WL_NEW(arena, char, n);
	int used;

	if (!s)
		return NULL;
	used = snprintf(s, n, "%.*s%s%s", (int)before, text, has_mark ? meaning : "",
			has_mark ? text + before + 1 : "");
	if (used > 0 && s[used - 1] != '.')
		s[used] = '.';
	return s;
}

static bool has_title(const struct wl_kernel_part *parts, size_t n, const char *title)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(parts[i].title, title) == 0)
			return true;
	}
	return false;
}

/* The first group of the line's expression, copied; NULL and WL_OK when it is not in the name. */
static int find_value(const struct line *line, const char *name, struct wl_arena *arena,
		      const char **ret, struct wl_err *reterr)
{
	struct wl_regex_span match, group;
	struct wl_regex *re = NULL;
	size_t n = strlen(name);
	int r = wl_regex_new(line->regex, WL_REGEX_PLAIN, &re, reterr);
	char *value;

	*ret = NULL;
	if (r < 0)
		return r;
	r = wl_regex_find(re, name, n, 0, &match, &group);
	wl_regex_free(re);
	/* What takes too many steps is not found: names can be anything. */
	if (r != 1 || group.end <= group.begin)
		return WL_OK;
	value = WL_NEW(arena, char, group.end - group.begin + 1);
	if (!value)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the parts of a name");
	memcpy(value, name + group.begin, group.end - group.begin);
	*ret = value;
	return WL_OK;
}

static int add_part(const struct line *line, const char *name, struct wl_arena *arena,
		    struct wl_kernel_part *ret, size_t *n, struct wl_err *reterr)
{
	const char *value, *meaning;
	int r = find_value(line, name, arena, &value, reterr);

	if (r < 0 || !value)
		return r;
	meaning = meaning_of(line->codes, value);
	if (!meaning)
		return WL_OK;
	ret[*n] = (struct wl_kernel_part){ line->title, value, fill(line->text, meaning, arena),
					   line->sureness };
	if (!ret[*n].text)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the parts of a name");
	*n += 1;
	return WL_OK;
}

int wl_kernel_parts(const char *demangled, enum wl_kernel_family family, struct wl_arena *arena,
		    struct wl_kernel_part ret[WL_MAX_KERNEL_PARTS], size_t *ret_n,
		    struct wl_err *reterr)
{
	size_t n = 0;
	int r = WL_OK;

	for (size_t i = 0; r == WL_OK && i < WL_COUNT(lines) && n < WL_MAX_KERNEL_PARTS; i++) {
		if (lines[i].family == family && !has_title(ret, n, lines[i].title))
			r = add_part(&lines[i], demangled, arena, ret, &n, reterr);
	}
	*ret_n = n;
	return r;
}
