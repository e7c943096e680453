/* SPDX-License-Identifier: MIT */
#include "agent/llm/trace_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "model/trace.h"
#include "session/open/session.h"

enum { MIN_WORD = 5, MAX_WORD = 200 };

void wl_trace_names_of(struct wl_trace_names *names, const struct wl_session *session)
{
	*names = (struct wl_trace_names){ .session = session };
}

/* Whether the name is public: "cudaLaunchKernel_v7000", "cuMemcpyAsync", "ncclAllReduce". */
static bool is_public(const char *s)
{
	static const char *const begins[] = { "cuda", "cu", "nccl", "cublas", "cudnn" };
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	for (size_t i = 0; s[n] == '\0' && i < WL_COUNT(begins); i++) {
		size_t k = strlen(begins[i]);

		if (strncmp(s, begins[i], k) == 0 && isupper((unsigned char)s[k]))
			return true;
	}
	return false;
}

/* Underscores, digits or inner capitals: ordinary words have none of these. */
static bool is_code(const char *word, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (word[i] == '_' || isdigit((unsigned char)word[i]) ||
		    (isupper((unsigned char)word[i]) && islower((unsigned char)word[i - 1])))
			return true;
	}
	return false;
}

static bool add_words(struct wl_llm_veil *veil, const char *name)
{
	char word[MAX_WORD + 1];

	while (*name) {
		size_t n = 0;

		while (isalnum((unsigned char)name[n]) || name[n] == '_')
			n++;
		if (n >= MIN_WORD && n <= MAX_WORD && !isdigit((unsigned char)*name) &&
		    is_code(name, n)) {
			(void)snprintf(word, sizeof(word), "%.*s", (int)n, name);
			if (!is_public(word) && !wl_llm_veil_add(veil, word))
				return false;
		}
		name += n ? n : 1;
	}
	return true;
}

bool wl_trace_name_add(struct wl_llm_veil *veil, const char *name)
{
	return is_public(name) || (wl_llm_veil_add(veil, name) && add_words(veil, name));
}

bool wl_trace_names_gather(struct wl_trace_names *names, struct wl_llm_veil *veil)
{
	const struct wl_trace *trace = names->session ? wl_session_trace(names->session) : NULL;

	for (; trace && names->n_seen < trace->strings.n; names->n_seen++) {
		const char *name = trace->strings.blob + trace->strings.offset[names->n_seen];

		if (!wl_trace_name_add(veil, name))
			return false;
	}
	return true;
}
