/* SPDX-License-Identifier: MIT */
/*
 * fuzz_ncu.c - the bytes are a report of Nsight Compute or its raw page.
 *
 * They are refused with a message, or every value belongs to one launch and has a name.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "fuzz/fuzz.h"
#include "ncu/read.h"

enum { BUDGET = 16 << 20 };

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void need_text(const char *text)
{
	need(text && wl_utf8_is_valid(text, strlen(text)));
}

static void check(const struct wl_ncu *ncu)
{
	size_t at = 0;

	for (size_t i = 0; i < ncu->metrics.n; i++)
		need_text(wl_ncu_metric(ncu, i));
	for (size_t i = 0; i < ncu->launches.n; i++) {
		const struct wl_ncu_launch *l = wl_ncu_launch(ncu, i);
		const struct wl_ncu_value *v = wl_ncu_values(ncu, l);

		need_text(l->kernel);
		need(l->first == at);
		at += l->n;
		for (size_t k = 0; k < l->n; k++) {
			need(v[k].metric < ncu->metrics.n);
			if (v[k].text)
				need_text(v[k].text);
		}
	}
	need(at == ncu->values.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_arena arena;
	struct wl_ncu ncu;
	int r;

	wl_arena_init(&arena, BUDGET);
	r = wl_ncu_parse("fuzz", data, size, &arena, &ncu, &err);
	need(r == WL_OK || ((r == WL_E_FORMAT || r == WL_E_NOMEM) && err.code == r && *err.msg));
	if (r == WL_OK)
		check(&ncu);
	wl_ncu_release(&ncu);
	wl_arena_release(&arena);
	return 0;
}
