/* SPDX-License-Identifier: MIT */
#include "agent/mcp/http.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "agent/mcp/http_fields.h"
#include "agent/mcp/http_stream.h"
#include "base/net/socket.h"

enum { MAX_BODY = 4 << 20 }; /* the largest that json_read.h accepts */

static const char json[] = "application/json";

struct wl_mcp_http {
	struct wl_mcp_http_opts opts;
	struct wl_httpd *httpd;
	atomic_int stop;
};

/* A request being answered, and its message. */
struct post {
	struct wl_mcp_http *http;
	struct wl_http_request *request; /* valid until the request ends */
	bool is_first;                   /* begins a session, whose name is sent to the client */
	struct wl_mcp_message m;
	/* Mcp-Session-Id: distinguishes old-era clients, whose ids can be equal; "" for none. */
	char session[WL_TOKEN_BUF];
	atomic_int cancel; /* set when the client leaves or cancels, or the server stops */
	atomic_int users;  /* references: by the server, and by a stream */
};

/* Drop one reference; the last one frees it. */
static void let_go(void *ctx)
{
	struct post *p = ctx;

	if (atomic_fetch_sub(&p->users, 1) > 1)
		return;
	wl_mcp_message_release(&p->m);
	free(p);
}

/* ---- Answers ---- */

/* Reply with a JSON body, or none; the server takes ownership of the bytes. */
/* NOLINTNEXTLINE(readability-non-const-parameter): it frees them */
static bool reply(struct post *p, int status, char *bytes, size_t n)
{
	const struct wl_http_pair fields[] = {
		{ p->is_first ? "Mcp-Session-Id" : NULL, p->session }, { NULL, NULL }
	};
	const struct wl_http_answer answer = { .status = status,
					       .type = bytes ? json : NULL,
					       .bytes = bytes,
					       .n = n,
					       .fields = fields };

	return wl_http_send(p->request, &answer);
}

/* Reply with an error as JSON. */
static bool refuse(struct post *p, int status, enum wl_mcp_code code, const char *why,
		   const char *data)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return false;
	wl_mcp_put_error(out, &p->m.id, code, why, data);
	if (fclose(out) != 0) {
		free(text);
		return false;
	}
	return reply(p, status, text, n);
}

/* ---- Checking requests ---- */

static const char *field(const struct post *p, const char *name)
{
	return wl_http_field(p->request, name);
}

static bool is_allowed(const struct post *p)
{
	const struct wl_access *access = p->http->opts.access;

	return wl_http_has_host(p->request) && wl_access_has_origin(access, field(p, "Origin")) &&
	       wl_access_is_own_site(field(p, "Sec-Fetch-Site"));
}

static bool is_here(const struct post *p)
{
	char *path = p->request->uri;

	if (!path)
		return false;
	path[strcspn(path, "?")] = '\0';
	if (!p->http->opts.is_open) {
		const char *rest = wl_access_path(p->http->opts.access, path);

		return rest && strcmp(rest, "mcp") == 0;
	}
	return strcmp(path, "/mcp") == 0;
}

static bool is_json(const struct post *p)
{
	const char *type = field(p, "Content-Type");
	const size_t n = strlen(json);

	/* Parameters may follow. */
	return type && strncasecmp(type, json, n) == 0 &&
	       (type[n] == '\0' || strchr("; \t", type[n]));
}

/* Two lengths: a proxy and the server may disagree on where the body ends (RFC 9112, 6.3). */
static bool has_two_lengths(const struct post *p)
{
	return field(p, "Transfer-Encoding") && field(p, "Content-Length");
}

/* Checks a request before its body arrives. */
static bool check(struct wl_http_request *request)
{
	struct post *p = request->own = calloc(1, sizeof(*p));

	if (!p)
		return false;
	p->http = request->ctx;
	p->request = request;
	atomic_store(&p->users, 1);
	if (!is_allowed(p))
		return refuse(p, WL_HTTP_FORBIDDEN, WL_MCP_INVALID,
			      "another host or origin is meant", NULL);
	if (!is_here(p))
		return refuse(p, WL_HTTP_NOT_FOUND, WL_MCP_INVALID, "there is nothing here", NULL);
	wl_http_set_known(request);
	if (strcmp(request->method, "POST") != 0)
		return refuse(p, WL_HTTP_NO_METHOD, WL_MCP_INVALID, "only POST", NULL);
	if (has_two_lengths(p))
		return refuse(p, WL_HTTP_BAD_REQUEST, WL_MCP_INVALID,
			      "Transfer-Encoding and Content-Length: send one", NULL);
	if (!is_json(p))
		return refuse(p, WL_HTTP_MEDIA_TYPE, WL_MCP_INVALID,
			      "Content-Type: send application/json", NULL);
	return true;
}

static int status_of(const struct wl_mcp_message *m, struct wl_mcp_said said)
{
	if (said.code == WL_MCP_OK)
		return WL_HTTP_OK;
	if (said.is_malformed)
		return WL_HTTP_BAD_REQUEST;
	/* In the old era, protocol errors are sent with status 200. */
	if (said.code == WL_MCP_METHOD && m->version)
		return WL_HTTP_NOT_FOUND;
	return WL_HTTP_OK;
}

static bool answer_whole(struct post *p)
{
	const struct wl_call how = { .cancel = &p->cancel };
	struct wl_mcp_said said;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return false;
	said = wl_mcp_answer(p->http->opts.mcp, &p->m, &how, out);
	if (fclose(out) != 0 || said.is_silent) {
		free(text);
		return false;
	}
	return reply(p, status_of(&p->m, said), text, n);
}

static bool wants_stream(const struct post *p)
{
	const char *accept = field(p, "Accept");
	struct wl_mcp_id token;

	return accept && strstr(accept, "text/event-stream") && wl_mcp_is_slow(&p->m) &&
	       wl_mcp_wants_progress(&p->m, &token);
}

static bool stream(struct post *p)
{
	const struct wl_mcp_streamed call = { p->http->opts.mcp, &p->m, &p->cancel, let_go, p };

	(void)atomic_fetch_add(&p->users, 1);
	return wl_mcp_http_stream(p->request, &call);
}

static bool refuse_fields(struct post *p, enum wl_mcp_code code, const struct wl_mcp_fields *f,
			  const char *why)
{
	char *data = code == WL_MCP_VERSION ? wl_mcp_version_data(f->version) : NULL;
	bool result = refuse(p, WL_HTTP_BAD_REQUEST, code, why, data);

	free(data);
	return result;
}

/* ---- Sessions of the old era ---- */

/*
 * A session is only a name: it says whose call a notification cancels. Names that we did not make
 * are accepted as well.
 */
static void take_session(struct post *p)
{
	const char *given = field(p, "Mcp-Session-Id");
	struct wl_err err;

	if (given && strlen(given) < sizeof(p->session)) {
		memcpy(p->session, given, strlen(given) + 1);
	} else if (!p->m.version && p->m.kind == WL_MCP_REQUEST &&
		   strcmp(p->m.method, "initialize") == 0) {
		p->is_first = wl_token_make(p->session, &err) == WL_OK;
	}
}

/* The id and session of the call that a notification cancels. */
struct canceling {
	const char *session;
	struct wl_mcp_id id;
};

static void cancel_one(void *ctx, struct wl_client *client, bool is_current)
{
	const struct canceling *c = ctx;
	struct post *p = client->question;

	(void)is_current;
	if (strcmp(p->session, c->session) == 0 && wl_mcp_id_equals(&p->m.id, &c->id))
		atomic_store(&p->cancel, 1);
}

static void cancel(const struct post *p)
{
	struct canceling c = { .session = p->session };

	if (!p->session[0] || strcmp(p->m.method, "notifications/cancelled") != 0 || !p->m.params ||
	    !wl_mcp_id_read(wl_json_member(p->m.params, "requestId"), &c.id))
		return;
	wl_clients_visit_asking(p->request->clients, cancel_one, &c);
}

/* ---- Requests ---- */

/* Register the request: from here on, cancellations and the stop reach it. */
static void ask(struct post *p)
{
	wl_clients_ask(p->request->clients, p->request->client, p);
	if (atomic_load(&p->http->stop))
		atomic_store(&p->cancel, 1);
}

static bool answer(struct wl_http_request *request)
{
	struct post *p = request->own;
	const struct wl_mcp_fields fields = { field(p, "MCP-Protocol-Version"),
					      field(p, "Mcp-Method"), field(p, "Mcp-Name") };
	struct wl_err err;
	enum wl_mcp_code code =
		wl_mcp_message_read(&p->m, request->body ? request->body : "", request->n, &err);

	if (code != WL_MCP_OK)
		return refuse(p, WL_HTTP_BAD_REQUEST, code, err.msg, NULL);
	take_session(p);
	if (p->m.kind == WL_MCP_NOTIFICATION)
		cancel(p);
	if (p->m.kind != WL_MCP_REQUEST)
		return reply(p, WL_HTTP_ACCEPTED, NULL, 0);
	code = wl_mcp_fields_check(&fields, &p->m, &err);
	if (code != WL_MCP_OK)
		return refuse_fields(p, code, &fields, err.msg);
	ask(p);
	return wants_stream(p) ? stream(p) : answer_whole(p);
}

/* The server may finish with a request before or after its stream does. */
static void end(struct wl_http_request *request)
{
	struct post *p = request->own;

	wl_clients_answered(request->clients, request->client);
	p->request = NULL;
	let_go(p);
}

static void cancel_left(void *ctx, struct wl_client *client, bool is_current)
{
	const struct wl_mcp_http *http = ctx;
	struct post *p = client->question;

	(void)is_current;
	if (atomic_load(&http->stop) || wl_socket_has_left(client->fd))
		atomic_store(&p->cancel, 1);
}

void wl_mcp_http_tend(struct wl_mcp_http *http)
{
	wl_httpd_tend(http->httpd);
	wl_clients_visit_asking(wl_httpd_clients(http->httpd), cancel_left, http);
}

/* ---- The server ---- */

static const struct wl_http_handler handler = { check, answer, NULL, end };

int wl_mcp_http_open(const struct wl_mcp_http_opts *opts, struct wl_mcp_http **ret,
		     struct wl_err *reterr)
{
	struct wl_mcp_http *http = calloc(1, sizeof(*http));
	const struct wl_httpd_opts how = {
		.address = "127.0.0.1",
		.port = opts->port,
		.n_threads = 0, /* each connection has its own, which may compute */
		.access = opts->access,
		.methods = "POST",
		.connections = 64,
		.crowd = 56, /* the remaining connections are about to end */
		.known = 48,
		.idle_seconds = 120,
		.request_seconds = 120,
		.body = MAX_BODY,
		.handler = &handler,
		.ctx = http,
	};
	int r;

	if (!http)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	http->opts = *opts;
	r = wl_httpd_open(&how, &http->httpd, reterr);
	if (r == WL_OK)
		*ret = http;
	else
		free(http);
	return r;
}

void wl_mcp_http_close(struct wl_mcp_http *http)
{
	if (!http)
		return;
	atomic_store(&http->stop, 1);
	wl_mcp_http_tend(http);
	wl_httpd_close(http->httpd);
	free(http);
}
