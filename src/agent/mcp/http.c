/* SPDX-License-Identifier: MIT */
#include "agent/mcp/http.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "agent/mcp/http_fields.h"
#include "agent/mcp/http_post.h"
#include "agent/mcp/http_stream.h"
#include "base/net/socket.h"
#include "base/process/lock.h"

enum {
	MAX_BODY = 4 << 20, /* as large as json_read.h takes */
	MAX_CONNECTIONS = 64,
	IDLE_SECONDS = 120,
	REQUEST_BYTES = 32 << 10, /* line and fields */
};

/* ---- What is asked ---- */

static const char *field(const struct wl_mcp_post *p, const char *name)
{
	return MHD_lookup_connection_value(p->connection, MHD_HEADER_KIND, name);
}

/* How many fields there are of a name: two could be read one way here and another way elsewhere. */
struct field_count {
	const char *name;
	int n;
};

static enum MHD_Result count_field(void *ctx, enum MHD_ValueKind kind, const char *key,
				   const char *value)
{
	struct field_count *c = ctx;

	(void)kind;
	(void)value;
	c->n += key && strcasecmp(key, c->name) == 0;
	return MHD_YES;
}

static int count(const struct wl_mcp_post *p, const char *name)
{
	struct field_count c = { name, 0 };

	(void)MHD_get_connection_values(p->connection, MHD_HEADER_KIND, count_field, &c);
	return c.n;
}

static bool is_allowed(const struct wl_mcp_post *p)
{
	const struct wl_access *access = p->http->opts.access;

	return count(p, "Host") == 1 && count(p, "Origin") <= 1 &&
	       wl_access_has_host(access, field(p, "Host")) &&
	       wl_access_has_origin(access, field(p, "Origin")) &&
	       wl_access_is_own_site(field(p, "Sec-Fetch-Site"));
}

static bool is_here(const struct wl_mcp_post *p, const char *url)
{
	const char *path = url;

	if (!p->http->opts.is_open) {
		path = wl_access_path(p->http->opts.access, url);
		return path && strcmp(path, "mcp") == 0;
	}
	return strcmp(path, "/mcp") == 0;
}

static bool is_json(const struct wl_mcp_post *p)
{
	const char *type = field(p, "Content-Type");
	const size_t n = strlen(wl_mcp_json_type);

	/* Parameters may follow. */
	return type && strncasecmp(type, wl_mcp_json_type, n) == 0 &&
	       (type[n] == '\0' || strchr("; \t", type[n]));
}

/* Two servers on the way may take different ends for the body's: RFC 9112, 6.3. */
static bool has_two_lengths(const struct wl_mcp_post *p)
{
	return field(p, "Transfer-Encoding") && field(p, "Content-Length");
}

/* Before the body comes. */
static enum MHD_Result check(struct wl_mcp_post *p, const char *url, const char *method)
{
	if (!is_allowed(p))
		return wl_mcp_http_refuse(p, MHD_HTTP_FORBIDDEN, WL_MCP_INVALID,
					  "another host or origin is meant", NULL);
	if (!is_here(p, url))
		return wl_mcp_http_refuse(p, MHD_HTTP_NOT_FOUND, WL_MCP_INVALID,
					  "there is nothing here", NULL);
	if (strcmp(method, "POST") != 0)
		return wl_mcp_http_refuse(p, MHD_HTTP_METHOD_NOT_ALLOWED, WL_MCP_INVALID,
					  "only POST", NULL);
	if (has_two_lengths(p))
		return wl_mcp_http_refuse(p, MHD_HTTP_BAD_REQUEST, WL_MCP_INVALID,
					  "Transfer-Encoding and Content-Length: send one", NULL);
	if (!is_json(p))
		return wl_mcp_http_refuse(p, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, WL_MCP_INVALID,
					  "Content-Type: send application/json", NULL);
	return MHD_YES;
}

/* One more part of the body; false where it is too large, or without memory. */
static bool add(struct wl_mcp_post *p, const char *data, size_t n)
{
	if (p->n + n > MAX_BODY)
		return false;
	if (p->n + n > p->cap) {
		size_t cap = p->cap ? p->cap : 4096;
		char *more;

		while (cap < p->n + n)
			cap *= 2;
		more = realloc(p->body, cap);
		if (!more)
			return false;
		p->body = more;
		p->cap = cap;
	}
	memcpy(p->body + p->n, data, n);
	p->n += n;
	return true;
}

static unsigned status_of(const struct wl_mcp_message *m, struct wl_mcp_said said)
{
	if (said.code == WL_MCP_OK)
		return MHD_HTTP_OK;
	if (said.is_malformed)
		return MHD_HTTP_BAD_REQUEST;
	/* The old era has errors of the protocol in a body of status 200. */
	if (said.code == WL_MCP_METHOD && m->version)
		return MHD_HTTP_NOT_FOUND;
	return MHD_HTTP_OK;
}

static enum MHD_Result answer_whole(struct wl_mcp_post *p)
{
	const struct wl_call how = { .cancel = &p->cancel };
	struct wl_mcp_said said;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return MHD_NO;
	said = wl_mcp_answer(p->http->opts.mcp, &p->m, &how, out);
	if (fclose(out) != 0 || said.is_silent) {
		free(text);
		return MHD_NO;
	}
	return wl_mcp_http_send(p, status_of(&p->m, said), wl_mcp_json_type, text, n);
}

static bool wants_stream(const struct wl_mcp_post *p)
{
	const char *accept = field(p, "Accept");
	struct wl_mcp_id token;

	return accept && strstr(accept, "text/event-stream") && wl_mcp_is_slow(&p->m) &&
	       wl_mcp_wants_progress(&p->m, &token);
}

static enum MHD_Result refuse_fields(struct wl_mcp_post *p, enum wl_mcp_code code,
				     const struct wl_mcp_fields *f, const char *why)
{
	char *data = code == WL_MCP_VERSION ? wl_mcp_version_data(f->version) : NULL;
	enum MHD_Result result = wl_mcp_http_refuse(p, MHD_HTTP_BAD_REQUEST, code, why, data);

	free(data);
	return result;
}

/* ---- Sessions of the old era ---- */

/*
 * A session is a name and nothing else: it says whose call a notification cancels. Names that are
 * not ours are as good.
 */
static void take_session(struct wl_mcp_post *p)
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

static void cancel(const struct wl_mcp_post *p)
{
	struct wl_mcp_http *http = p->http;
	struct wl_mcp_id id;

	if (!p->session[0] || strcmp(p->m.method, "notifications/cancelled") != 0 || !p->m.params ||
	    !wl_mcp_id_read(wl_json_member(p->m.params, "requestId"), &id))
		return;
	wl_lock_take(http->lock);
	for (struct wl_mcp_post *at = http->posts; at; at = at->next) {
		if (at != p && at->is_read && strcmp(at->session, p->session) == 0 &&
		    wl_mcp_id_equals(&at->m.id, &id))
			atomic_store(&at->cancel, 1);
	}
	wl_lock_give(http->lock);
}

/* The message of a post becomes visible to those that cancel. */
static enum wl_mcp_code read_message(struct wl_mcp_post *p, struct wl_err *reterr)
{
	enum wl_mcp_code code = wl_mcp_message_read(&p->m, p->body ? p->body : "", p->n, reterr);

	if (code != WL_MCP_OK)
		return code;
	take_session(p);
	wl_lock_take(p->http->lock);
	p->is_read = true;
	wl_lock_give(p->http->lock);
	return WL_MCP_OK;
}

/* ---- Requests ---- */

static enum MHD_Result answer(struct wl_mcp_post *p)
{
	const struct wl_mcp_fields fields = { field(p, "MCP-Protocol-Version"),
					      field(p, "Mcp-Method"), field(p, "Mcp-Name") };
	struct wl_err err;
	enum wl_mcp_code code = read_message(p, &err);

	if (code != WL_MCP_OK)
		return wl_mcp_http_refuse(p, MHD_HTTP_BAD_REQUEST, code, err.msg, NULL);
	if (p->m.kind == WL_MCP_NOTIFICATION)
		cancel(p);
	if (p->m.kind != WL_MCP_REQUEST)
		return wl_mcp_http_send(p, MHD_HTTP_ACCEPTED, NULL, NULL, 0);
	code = wl_mcp_fields_check(&fields, &p->m, &err);
	if (code != WL_MCP_OK)
		return refuse_fields(p, code, &fields, err.msg);
	return wants_stream(p) ? wl_mcp_http_stream(p) : answer_whole(p);
}

static struct wl_mcp_post *begin(struct wl_mcp_http *http, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct wl_mcp_post *p = calloc(1, sizeof(*p));

	if (!p || !info) {
		free(p);
		return NULL;
	}
	p->http = http;
	p->connection = connection;
	p->fd = info->connect_fd;
	p->users = 1;
	wl_lock_take(http->lock);
	p->next = http->posts;
	http->posts = p;
	atomic_store(&p->cancel, http->stop);
	wl_lock_give(http->lock);
	return p;
}

/* The library may be done with a request before or after its response. */
static void forget(void *ctx, struct MHD_Connection *connection, void **req,
		   enum MHD_RequestTerminationCode why)
{
	struct wl_mcp_http *http = ctx;
	struct wl_mcp_post *p = *req;

	(void)connection;
	(void)why;
	if (!p)
		return;
	wl_lock_take(http->lock);
	p->fd = -1;
	wl_lock_give(http->lock);
	wl_mcp_post_release(p);
	*req = NULL;
}

/* Called with the fields of a request, with parts of its body, and at its end. */
/* NOLINTNEXTLINE(readability-function-size): the parameters are the library's */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **req)
{
	struct wl_mcp_post *p = *req;

	(void)version;
	if (!p) {
		p = *req = begin(ctx, connection);
		return p ? check(p, url, method) : MHD_NO;
	}
	if (*upload_size > 0) {
		bool is_taken = add(p, upload, *upload_size);

		*upload_size = 0;
		return is_taken ? MHD_YES : MHD_NO;
	}
	return answer(p);
}

static void say_nothing(void *ctx, const char *fmt, va_list ap)
{
	(void)ctx;
	(void)fmt;
	(void)ap;
}

void wl_mcp_http_tend(struct wl_mcp_http *http)
{
	wl_lock_take(http->lock);
	for (struct wl_mcp_post *p = http->posts; p; p = p->next) {
		if (p->fd >= 0 && wl_socket_has_left(p->fd))
			atomic_store(&p->cancel, 1);
	}
	wl_lock_give(http->lock);
}

/* ---- All of it ---- */

/* Each connection has a thread, which may compute. They get no signals. */
static struct MHD_Daemon *start(struct wl_mcp_http *http, int fd)
{
	struct MHD_Daemon *daemon;
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigdelset(&all, SIGBUS);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	daemon = MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ERROR_LOG,
		0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, forget, http,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES, MHD_OPTION_END);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

static int open_daemon(struct wl_mcp_http *http, struct wl_err *reterr)
{
	int fd, r;

	http->lock = wl_lock_new();
	if (!http->lock)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	r = wl_socket_listen("127.0.0.1", http->opts.port, &fd, reterr);
	if (r < 0)
		return r;
	/* Before the first thread of a connection, which reads it. */
	http->opts.access->port = wl_socket_port(fd);
	http->daemon = start(http, fd);
	if (http->daemon)
		return WL_OK;
	(void)close(fd);
	return wl_fail(reterr, WL_E_NOMEM, "cannot start the server");
}

int wl_mcp_http_open(const struct wl_mcp_http_opts *opts, struct wl_mcp_http **ret,
		     struct wl_err *reterr)
{
	struct wl_mcp_http *http = calloc(1, sizeof(*http));
	int r;

	if (!http)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	http->opts = *opts;
	r = open_daemon(http, reterr);
	if (r == WL_OK)
		*ret = http;
	else
		wl_mcp_http_close(http);
	return r;
}

void wl_mcp_http_close(struct wl_mcp_http *http)
{
	if (!http)
		return;
	if (http->lock) {
		wl_lock_take(http->lock);
		atomic_store(&http->stop, 1);
		for (struct wl_mcp_post *p = http->posts; p; p = p->next)
			atomic_store(&p->cancel, 1);
		wl_lock_give(http->lock);
	}
	if (http->daemon)
		MHD_stop_daemon(http->daemon);
	wl_lock_free(http->lock);
	free(http);
}
