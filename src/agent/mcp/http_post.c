/* SPDX-License-Identifier: MIT */
#include "agent/mcp/http_post.h"

#include <stdlib.h>

#include "base/process/lock.h"

const char wl_mcp_json_type[] = "application/json";

void wl_mcp_post_release(struct wl_mcp_post *p)
{
	struct wl_mcp_http *http = p->http;
	bool is_last;

	wl_lock_take(http->lock);
	is_last = --p->users == 0;
	for (struct wl_mcp_post **at = &http->posts; is_last && *at; at = &(*at)->next) {
		if (*at == p) {
			*at = p->next;
			break;
		}
	}
	wl_lock_give(http->lock);
	if (!is_last)
		return;
	wl_mcp_message_release(&p->m);
	free(p->body);
	free(p);
}

static void put_fields(struct MHD_Response *response, unsigned status, const char *type)
{
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	if (type)
		(void)MHD_add_response_header(response, "Content-Type", type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "POST");
}

enum MHD_Result wl_mcp_http_send(struct wl_mcp_post *p, unsigned status, const char *type,
				 char *bytes, size_t n)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		n, bytes, bytes ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!response) {
		free(bytes);
		return MHD_NO;
	}
	put_fields(response, status, type);
	if (p->is_first)
		(void)MHD_add_response_header(response, "Mcp-Session-Id", p->session);
	result = MHD_queue_response(p->connection, status, response);
	MHD_destroy_response(response);
	return result;
}

enum MHD_Result wl_mcp_http_refuse(struct wl_mcp_post *p, unsigned status, enum wl_mcp_code code,
				   const char *why, const char *data)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return MHD_NO;
	wl_mcp_put_error(out, &p->m.id, code, why, data);
	if (fclose(out) != 0) {
		free(text);
		return MHD_NO;
	}
	return wl_mcp_http_send(p, status, wl_mcp_json_type, text, n);
}
