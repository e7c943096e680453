/* SPDX-License-Identifier: MIT */
#include "agent/mcp/resources.h"

#include <stdlib.h>
#include <string.h>

#include "agent/mcp/pages.h"

static const char scheme[] = "warplens://";

enum { URI_BUF = 200 };

static const char *uri_of(enum wl_doc_page_kind kind, const char *name, char buf[URI_BUF])
{
	(void)snprintf(buf, URI_BUF, "%s%s/%.120s", scheme, wl_doc_page_words[kind], name);
	return buf;
}

static void put_head(struct wl_jsonw *w, const char *key, const char *uri, const char *name)
{
	wl_jsonw_begin_object(w);
	wl_jsonw_put_str(w, key, uri);
	wl_jsonw_put_str(w, "name", name);
}

static void put_kind(struct wl_mcp_result *r, enum wl_doc_page_kind kind)
{
	const char *name;

	for (size_t i = 0; (name = wl_doc_page_name(kind, i)); i++) {
		char uri[URI_BUF], title[URI_BUF];

		(void)snprintf(title, sizeof(title), "%s %.120s", wl_doc_page_words[kind], name);
		put_head(&r->w, "uri", uri_of(kind, name, uri), title);
		if (*wl_doc_page_about(kind, i))
			wl_jsonw_put_str(&r->w, "description", wl_doc_page_about(kind, i));
		wl_jsonw_put_str(&r->w, "mimeType", "text/markdown");
		wl_jsonw_end_object(&r->w);
	}
}

enum wl_mcp_code wl_resources_list(struct wl_mcp_result *r)
{
	if (wl_result_has_cursor(r))
		return WL_MCP_PARAMS;
	wl_jsonw_open_array(&r->w, "resources");
	for (enum wl_doc_page_kind kind = 0; kind < WL_N_DOC_PAGE_KINDS; kind++) {
		if (kind != WL_DOC_PAGE_TABLE) /* hundreds of tables: use template or describe */
			put_kind(r, kind);
	}
	wl_jsonw_end_array(&r->w);
	return WL_MCP_OK;
}

enum wl_mcp_code wl_resources_templates(struct wl_mcp_result *r)
{
	if (wl_result_has_cursor(r))
		return WL_MCP_PARAMS;
	wl_jsonw_open_array(&r->w, "resourceTemplates");
	for (enum wl_doc_page_kind kind = 0; kind < WL_N_DOC_PAGE_KINDS; kind++) {
		char uri[URI_BUF];

		put_head(&r->w, "uriTemplate", uri_of(kind, "{name}", uri),
			 wl_doc_page_words[kind]);
		wl_jsonw_put_str(&r->w, "title", wl_doc_page_titles[kind]);
		wl_jsonw_put_str(&r->w, "mimeType", "text/markdown");
		wl_jsonw_end_object(&r->w);
	}
	wl_jsonw_end_array(&r->w);
	return WL_MCP_OK;
}

/* The page at an address, for the caller to free(); NULL if there is none or memory runs out. */
static char *read_page(const char *uri)
{
	char *text = NULL;
	size_t n = 0;
	bool has = false;
	FILE *out;

	if (strncmp(uri, scheme, strlen(scheme)) != 0)
		return NULL;
	uri += strlen(scheme);
	out = open_memstream(&text, &n);
	for (enum wl_doc_page_kind kind = 0; out && kind < WL_N_DOC_PAGE_KINDS; kind++) {
		size_t length = strlen(wl_doc_page_words[kind]);

		if (strncmp(uri, wl_doc_page_words[kind], length) == 0 && uri[length] == '/')
			has = wl_doc_page_write(kind, uri + length + 1, out);
	}
	if (!out || fclose(out) != 0 || !has) {
		free(text);
		return NULL;
	}
	return text;
}

enum wl_mcp_code wl_resources_read(struct wl_mcp_result *r)
{
	const char *uri = wl_mcp_param(r->m, "uri");
	char *text;

	if (!uri)
		return wl_result_fail(r, WL_MCP_PARAMS, "uri: say which resource");
	text = read_page(uri);
	if (!text) {
		(void)wl_fail(&r->err, WL_E_USAGE, "no resource \"%.120s\"", uri);
		r->uri = uri;
		return r->m->version ? WL_MCP_PARAMS : WL_MCP_RESOURCE;
	}
	wl_jsonw_open_array(&r->w, "contents");
	wl_jsonw_begin_object(&r->w);
	wl_jsonw_put_str(&r->w, "uri", uri);
	wl_jsonw_put_str(&r->w, "mimeType", "text/markdown");
	wl_jsonw_put_str(&r->w, "text", text);
	wl_jsonw_end_object(&r->w);
	wl_jsonw_end_array(&r->w);
	free(text);
	return WL_MCP_OK;
}
