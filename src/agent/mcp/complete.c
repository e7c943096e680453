/* SPDX-License-Identifier: MIT */
#include "agent/mcp/complete.h"

#include <string.h>

#include "agent/mcp/pages.h"

enum { MOST = 100 }; /* values in a completion that the protocol allows */

/* A text in an object among the parameters; NULL if absent. */
static const char *text_of(const struct wl_mcp_result *r, const char *object, const char *key)
{
	const struct wl_json *o = r->m->params ? wl_json_member(r->m->params, object) : NULL;
	const struct wl_json *v = o ? wl_json_member(o, key) : NULL;

	return v ? wl_json_string(v) : NULL;
}

/* The kind of page a URI template is for; WL_N_DOC_PAGE_KINDS for none. */
static enum wl_doc_page_kind kind_of(const char *uri)
{
	for (enum wl_doc_page_kind kind = 0; uri && kind < WL_N_DOC_PAGE_KINDS; kind++) {
		char template[64];

		(void)snprintf(template, sizeof(template), "warplens://%s/{name}",
			       wl_doc_page_words[kind]);
		if (strcmp(uri, template) == 0)
			return kind;
	}
	return WL_N_DOC_PAGE_KINDS;
}

static void put_values(struct wl_jsonw *w, enum wl_doc_page_kind kind, const char *start)
{
	const char *name;
	size_t n = 0;

	wl_jsonw_open_array(w, "values");
	for (size_t i = 0; (name = wl_doc_page_name(kind, i)); i++) {
		if (strncmp(name, start, strlen(start)) != 0)
			continue;
		if (n++ < MOST)
			wl_jsonw_str(w, name);
	}
	wl_jsonw_end_array(w);
	wl_jsonw_put_i64(w, "total", (int64_t)n);
	wl_jsonw_put_bool(w, "hasMore", n > MOST);
}

enum wl_mcp_code wl_complete(struct wl_mcp_result *r)
{
	const char *type = text_of(r, "ref", "type"), *start = text_of(r, "argument", "value");

	if (!type || !start || !text_of(r, "argument", "name"))
		return wl_result_fail(r, WL_MCP_PARAMS, "give ref and argument");
	if (strcmp(type, "ref/prompt") != 0 && strcmp(type, "ref/resource") != 0)
		return wl_result_fail(r, WL_MCP_PARAMS, "ref: it is of no known type");
	wl_jsonw_open_object(&r->w, "completion");
	/* Arguments of prompts are paths, for which there are no suggestions. */
	put_values(&r->w, kind_of(text_of(r, "ref", "uri")), start);
	wl_jsonw_end_object(&r->w);
	return WL_MCP_OK;
}
