/* SPDX-License-Identifier: MIT */
#include "base/net/httpd.h"

#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/net/socket.h"

enum {
	REQUEST_BYTES = 32 << 10, /* line and fields */
	ANSWER_SECONDS = 60,      /* to read an answer, and */
	ANSWER_RATE = 64 << 10,   /* bytes of it for which there is another second */
};

struct wl_httpd {
	struct wl_httpd_opts opts;
	struct MHD_Daemon *daemon;
	struct wl_clients clients;
};

/*
 * A connection. Its requests, one after the other, live in it, because the library does not
 * report the end of one that it refuses itself.
 */
struct caller {
	struct wl_client client;
	struct wl_http_request request;
};

static int64_t seconds_from_now(uint64_t seconds)
{
	return wl_clock_wall_ns() + (int64_t)seconds * 1000000000;
}

static void end_connection(struct wl_client *client)
{
	wl_socket_end(client->fd);
}

/* ---- What is asked ---- */

const char *wl_http_field(const struct wl_http_request *q, const char *name)
{
	return MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, name);
}

/* Several fields of one name could be read one way here and another way elsewhere. */
struct repeats {
	int host, origin;
};

static enum MHD_Result count_field(void *ctx, enum MHD_ValueKind kind, const char *key,
				   const char *value)
{
	struct repeats *r = ctx;

	(void)kind;
	(void)value;
	r->host += key && strcasecmp(key, "Host") == 0;
	r->origin += key && strcasecmp(key, "Origin") == 0;
	return MHD_YES;
}

bool wl_http_has_host(const struct wl_http_request *q)
{
	struct repeats r = { 0, 0 };

	(void)MHD_get_connection_values(q->connection, MHD_HEADER_KIND, count_field, &r);
	return r.host == 1 && r.origin <= 1 &&
	       wl_access_has_host(q->httpd->opts.access, wl_http_field(q, "Host"));
}

void wl_http_set_known(struct wl_http_request *q)
{
	wl_clients_set_known(q->clients, q->client, q->httpd->opts.known, end_connection);
}

void wl_http_suspend(struct wl_http_request *q)
{
	MHD_suspend_connection(q->connection);
}

void wl_http_resume(struct wl_http_request *q)
{
	MHD_resume_connection(q->connection);
}

/* One more part of the body; false where it is too large, or without memory. */
static bool add(struct wl_http_request *q, const char *data, size_t n)
{
	if (q->n + n > q->httpd->opts.body)
		return false;
	if (q->n + n > q->cap) {
		size_t cap = q->cap ? q->cap : 4096;
		char *more;

		while (cap < q->n + n)
			cap *= 2;
		more = realloc(q->body, cap);
		if (!more)
			return false;
		q->body = more;
		q->cap = cap;
	}
	memcpy(q->body + q->n, data, n);
	q->n += n;
	return true;
}

/*
 * Called with the fields of a request, with parts of its body, at its end, and once more when it
 * has been resumed.
 */
/* NOLINTNEXTLINE(readability-function-size): the parameters are the library's */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **req)
{
	const struct wl_http_handler *handler = ((struct wl_httpd *)ctx)->opts.handler;
	struct wl_http_request *q = *req;
	bool ok;

	(void)connection;
	(void)url;
	(void)version;
	if (!q)
		return MHD_NO;
	q->method = method;
	if (q->step > 0 && *upload_size > 0) {
		ok = add(q, upload, *upload_size);
		*upload_size = 0;
		return ok ? MHD_YES : MHD_NO;
	}
	switch (q->step++) {
	case 0:
		ok = handler->check(q);
		break;
	case 1:
		ok = handler->answer(q);
		break;
	default:
		ok = handler->resumed && handler->resumed(q);
	}
	return ok ? MHD_YES : MHD_NO;
}

static struct caller *caller_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

/* A request that has no place yet, or no longer. */
static struct wl_http_request empty(struct wl_httpd *h, struct caller *caller, bool is_remote)
{
	return (struct wl_http_request){ .httpd = h,
					 .clients = &h->clients,
					 .client = &caller->client,
					 .is_remote = is_remote,
					 .ctx = h->opts.ctx };
}

static void clear(struct wl_http_request *q)
{
	if (q->own)
		q->httpd->opts.handler->end(q);
	q->own = NULL;
	free(q->uri);
	q->uri = NULL;
	free(q->body);
	q->body = NULL;
}

/* The address as it was sent: the library would decode it in its own way. */
static void *note_uri(void *ctx, const char *uri, struct MHD_Connection *connection)
{
	struct caller *caller = caller_of(connection);

	if (!caller)
		return NULL;
	clear(&caller->request);
	caller->request = empty(ctx, caller, caller->request.is_remote);
	caller->request.connection = connection;
	caller->request.uri = strdup(uri);
	return &caller->request;
}

static void forget(void *ctx, struct MHD_Connection *connection, void **req,
		   enum MHD_RequestTerminationCode why)
{
	struct wl_httpd *h = ctx;
	struct wl_http_request *q = *req;

	(void)connection;
	(void)why;
	if (!q)
		return;
	clear(q);
	wl_clients_set_until(&h->clients, q->client, seconds_from_now(h->opts.request_seconds));
	*req = NULL;
}

static void say_nothing(void *ctx, const char *fmt, va_list ap)
{
	(void)ctx;
	(void)fmt;
	(void)ap;
}

/* ---- Answers ---- */

static void put_fields(struct MHD_Response *response, const struct wl_http_request *q,
		       const struct wl_http_answer *a)
{
	static const char nothing[] = "default-src 'none'; frame-ancestors 'none'; sandbox";
	const struct wl_http_pair all[] = {
		{ "Content-Security-Policy", a->policy ? a->policy : nothing },
		{ "X-Content-Type-Options", "nosniff" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cache-Control", "no-store" },
		{ "Content-Type", a->type },
		{ "Allow", a->status == WL_HTTP_NO_METHOD ? q->httpd->opts.methods : NULL },
	};

	for (size_t i = 0; i < WL_COUNT(all); i++) {
		if (all[i].value)
			(void)MHD_add_response_header(response, all[i].name, all[i].value);
	}
	for (const struct wl_http_pair *f = a->fields; f && f->name; f++)
		(void)MHD_add_response_header(response, f->name, f->value);
}

/* What the answer holds becomes the response's, or is let go. */
static struct MHD_Response *make_response(const struct wl_http_answer *a)
{
	enum { PART = 16 << 10 };
	struct MHD_Response *response;

	if (a->source.end) {
		response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PART, a->source.read,
							     a->source.ctx, a->source.end);
		if (!response)
			a->source.end(a->source.ctx);
	} else if (a->is_file) {
		response = MHD_create_response_from_fd(a->n, a->fd);
		if (!response)
			(void)close(a->fd);
	} else {
		response = MHD_create_response_from_buffer(
			a->n, a->bytes, a->bytes ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
		if (!response)
			free(a->bytes);
	}
	return response;
}

bool wl_http_send(struct wl_http_request *q, const struct wl_http_answer *answer)
{
	struct MHD_Response *response = make_response(answer);
	enum MHD_Result result;

	if (!response)
		return false;
	/* What comes bit by bit takes as long as it takes. */
	wl_clients_set_until(q->clients, q->client,
			     answer->source.end
				     ? INT64_MAX
				     : seconds_from_now(ANSWER_SECONDS + answer->n / ANSWER_RATE));
	put_fields(response, q, answer);
	result = MHD_queue_response(q->connection, (unsigned)answer->status, response);
	MHD_destroy_response(response);
	return result == MHD_YES;
}

/* ---- Connections ---- */

static struct caller *meet(struct wl_httpd *h, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct caller *caller = info ? calloc(1, sizeof(*caller)) : NULL;

	if (!caller)
		return NULL;
	caller->request = empty(h, caller, wl_socket_is_remote(info->connect_fd));
	caller->client.fd = info->connect_fd;
	wl_clients_add(&h->clients, &caller->client, seconds_from_now(h->opts.request_seconds),
		       h->opts.crowd, end_connection);
	return caller;
}

/* The socket is open at both moments. */
static void note_connection(void *ctx, struct MHD_Connection *connection, void **caller,
			    enum MHD_ConnectionNotificationCode what)
{
	struct wl_httpd *h = ctx;
	struct caller *left = *caller;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*caller = meet(h, connection);
	} else if (left) {
		wl_clients_remove(&h->clients, &left->client);
		clear(&left->request);
		free(left);
		*caller = NULL;
	}
}

void wl_httpd_tend(struct wl_httpd *httpd)
{
	wl_clients_end_late(&httpd->clients, wl_clock_wall_ns(), end_connection);
}

struct wl_clients *wl_httpd_clients(struct wl_httpd *httpd)
{
	return &httpd->clients;
}

/* ---- All of it ---- */

/* Its threads get no signals: they are for the one that waits for the user. */
static struct MHD_Daemon *start(struct wl_httpd *h, int fd)
{
	const struct wl_httpd_opts *o = &h->opts;
	const unsigned flags =
		MHD_USE_ERROR_LOG |
		(o->n_threads ? MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME
			      : MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION);
	struct MHD_Daemon *daemon;
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigdelset(&all, SIGBUS);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, handle, h, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_URI_LOG_CALLBACK, note_uri, h,
		MHD_OPTION_NOTIFY_COMPLETED, forget, h, MHD_OPTION_NOTIFY_CONNECTION,
		note_connection, h, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT,
		o->connections, MHD_OPTION_CONNECTION_TIMEOUT, o->idle_seconds,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT, wl_socket_is_local(fd) ? 0U : o->of_one,
		MHD_OPTION_THREAD_POOL_SIZE, o->n_threads > 1 ? o->n_threads : 0U, MHD_OPTION_END);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

static int open_daemon(struct wl_httpd *h, struct wl_err *reterr)
{
	int fd, r;

	if (!wl_clients_init(&h->clients))
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	r = wl_socket_listen(h->opts.address, h->opts.port, &fd, reterr);
	if (r < 0)
		return r;
	/* Before the first thread of a connection, which reads it. */
	h->opts.access->port = wl_socket_port(fd);
	h->daemon = start(h, fd);
	if (h->daemon)
		return WL_OK;
	(void)close(fd);
	return wl_fail(reterr, WL_E_NOMEM, "cannot start the server");
}

int wl_httpd_open(const struct wl_httpd_opts *opts, struct wl_httpd **ret, struct wl_err *reterr)
{
	struct wl_httpd *h = calloc(1, sizeof(*h));
	int r;

	if (!h)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	h->opts = *opts;
	r = open_daemon(h, reterr);
	if (r == WL_OK)
		*ret = h;
	else
		wl_httpd_close(h);
	return r;
}

void wl_httpd_close(struct wl_httpd *httpd)
{
	if (!httpd)
		return;
	if (httpd->daemon)
		MHD_stop_daemon(httpd->daemon);
	wl_clients_release(&httpd->clients);
	free(httpd);
}
