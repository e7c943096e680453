/* SPDX-License-Identifier: MIT */
/* llm_text.c - the shape of a model as people write it: made a config.json, and read as one. */
#include <stdio.h>
#include <string.h>

#include "base/text/json_read.h"
#include "known/llm.h"

/* Short names of keys; others are taken as they are. */
static const char *const short_names[][2] = {
	{ "layers", "num_hidden_layers" },
	{ "hidden", "hidden_size" },
	{ "heads", "num_attention_heads" },
	{ "kv_heads", "num_key_value_heads" },
	{ "ffn", "intermediate_size" },
	{ "vocab", "vocab_size" },
	{ "experts", "num_experts" },
	{ "top_k", "num_experts_per_tok" },
	{ "expert_ffn", "moe_intermediate_size" },
	{ "shared_ffn", "shared_expert_intermediate_size" },
};

enum { TEXT_MAX = 1024, JSON_MAX = 4 * TEXT_MAX };

struct writing {
	char json[JSON_MAX];
	size_t n;
};

static const char *whole_name(const char *name)
{
	for (size_t i = 0; i < WL_COUNT(short_names); i++) {
		if (strcmp(short_names[i][0], name) == 0)
			return short_names[i][1];
	}
	return name;
}

/* A name or a value that JSON takes as it is. */
static bool is_plain(const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_.";

	return *text && text[strspn(text, plain)] == '\0';
}

/* One key=value; false where it is none. */
static bool put_pair(struct writing *w, char *pair)
{
	char *value = strchr(pair, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (!is_plain(pair) || !is_plain(value))
		return false;
	w->n += (size_t)snprintf(w->json + w->n, sizeof(w->json) - w->n, "%s\"%s\": %s",
				 w->n > 1 ? ", " : "", whole_name(pair), value);
	return true;
}

int wl_llm_parse(const char *text, struct wl_llm *ret, struct wl_err *reterr)
{
	static const char form[] = "write layers=32,hidden=4096,heads=32,kv_heads=8,ffn=14336,"
				   "vocab=128256,gated=true";
	struct writing w = { .json = "{", .n = 1 };
	struct wl_json *doc = NULL;
	char buf[TEXT_MAX];
	int r;

	if (strlen(text) >= sizeof(buf))
		return wl_fail(reterr, WL_E_USAGE, "the shape is too long: %s", form);
	memcpy(buf, text, strlen(text) + 1);
	for (char *pair = buf, *end; pair; pair = end) {
		end = strchr(pair, ',');
		if (end)
			*end++ = '\0';
		/* Names grow by a factor below 8 and quotes: checked, since they are given. */
		if (!put_pair(&w, pair) || w.n + 2 > sizeof(w.json))
			return wl_fail(reterr, WL_E_USAGE, "\"%.100s\": %s", pair, form);
	}
	memcpy(w.json + w.n, "}", 2);
	r = wl_json_parse(w.json, w.n + 1, "shape", &doc, reterr);
	if (r == WL_OK)
		r = wl_llm_read(doc, ret, reterr);
	wl_json_free(doc);
	return r;
}
