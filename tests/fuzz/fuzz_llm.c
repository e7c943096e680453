/* SPDX-License-Identifier: MIT */
/*
 * fuzz_llm.c - the bytes are the configuration of a model, as JSON and as a text of keys.
 *
 * It is refused with a message, or its costs are finite: hardware at least as many FLOPs as the
 * model needs, training more than the forward pass, and full attention at least as many as causal.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_read.h"
#include "fuzz/fuzz.h"
#include "known/llm.h"

static void need(bool promised)
{
	if (!promised)
		abort();
}

static double cost(const struct wl_llm *m, struct wl_llm_work work)
{
	struct wl_llm_cost c;

	wl_llm_cost(m, &work, &c);
	need(isfinite(c.flops) && isfinite(c.hardware) && c.flops > 0 && c.weights > 0);
	need(c.hardware >= c.flops && c.attention >= 0);
	return c.flops;
}

static void count(const struct wl_llm *m)
{
	static const int64_t sequences[] = { 1, 4096, INT64_MAX };

	for (size_t i = 0; i < WL_COUNT(sequences); i++) {
		struct wl_llm_work work = { .sequence = sequences[i], .causal = true };
		double forward = cost(m, work);

		work.causal = false;
		need(cost(m, work) >= forward * (1 - 1e-9));
		work.causal = true;
		work.backward = true;
		work.recompute = WL_RECOMPUTE_FULL;
		need(cost(m, work) > forward);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct wl_json *doc = NULL;
	struct wl_llm m;
	struct wl_err err = { .msg = "" };

	need(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	if (wl_json_parse(text, size, "config", &doc, &err) == WL_OK &&
	    wl_llm_read(doc, &m, &err) == WL_OK)
		count(&m);
	else
		need(*err.msg != '\0');
	wl_json_free(doc);
	err.msg[0] = '\0';
	if (wl_llm_parse(text, &m, &err) == WL_OK)
		count(&m);
	else
		need(*err.msg != '\0');
	free(text);
	return 0;
}
