/* SPDX-License-Identifier: MIT */
/*
 * fuzz_rules.c - the bytes are a document of category rules.
 *
 * It is refused with a message, or every name gets a category that exists. A document whose
 * rules can be used also passes the check that looks at no rule.
 */
#include <stdlib.h>

#include "derive/kinds/category_rules.h"
#include "fuzz/fuzz.h"

static void need(bool promised)
{
	if (!promised)
		abort();
}

static void classify(const struct wl_category_rules *rules)
{
	static const char *const names[] = {
		"", "gemm", "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
		"void at::native::elementwise_kernel<4, \xc3\xa4>(int)"
	};

	need(rules->n > 0 && rules->n <= WL_MAX_CATEGORIES);
	need(rules->other < rules->n && rules->graph < rules->n);
	for (size_t i = 0; i < WL_COUNT(names); i++) {
		const struct wl_kernel_facts facts = wl_kernel_named(names[i]);
		size_t n_given_up = 0;
		int c = wl_category_of_name(rules, names[i], &facts, &n_given_up);

		need(c == WL_E_NOMEM || (c >= 0 && (size_t)c < rules->n));
		need(c < 0 || rules->category[c]);
	}
}

static void choose(const struct wl_json *doc, const char *engine, const char *model)
{
	const struct wl_rule_choice choice = { .engine = engine, .model = model, .user = doc };
	struct wl_budget budget = { .limit = 0 };
	struct wl_category_rules rules = { .n = 0 };
	struct wl_err err = { .code = WL_OK };
	int r = wl_category_rules_init(&rules, &choice, &budget, &err);

	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && *err.msg));
	need(r < 0 || wl_category_rules_check(&choice, &err) == WL_OK);
	if (r == WL_OK)
		classify(&rules);
	wl_category_rules_release(&rules);
	need(budget.used == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wl_json *doc = NULL;
	struct wl_err err = { .code = WL_OK };
	int r = wl_json_parse((const char *)data, size, "rules", &doc, &err);

	need(r == WL_OK || (r == WL_E_USAGE && err.code == r && *err.msg));
	if (r == WL_OK) {
		choose(doc, "generic", NULL);
		choose(doc, "vllm", "gpt-oss");
		choose(doc, "mine", "m");
	}
	wl_json_free(doc);
	return 0;
}
