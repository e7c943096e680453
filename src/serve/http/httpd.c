/* SPDX-License-Identifier: MIT */
#include "serve/http/httpd.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/net/socket.h"
#include "serve/http/httpd_parts.h"

enum {
	MAX_URI = 8 << 10,
	REQUEST_BYTES = 32 << 10, /* line and header fields */
	MAX_CONNECTIONS = 512,
	CROWD = 480,          /* beyond this many strangers make room; others are just ending */
	MAX_KNOWN = 384,      /* beyond this many slow readers make room */
	MAX_OF_ONE = 128,     /* connections of one address, where they come over a network */
	IDLE_SECONDS = 20,    /* nothing comes and nothing goes */
	REQUEST_SECONDS = 30, /* from the last answer to the end of a request */
};

/* ---- What is asked ---- */

static void answer_queued(void *ctx)
{
	struct wl_http_request *q = ctx;
	struct wl_clients *clients = &q->httpd->clients;

	wl_clients_begin(clients, q);
	wl_route_ask(q->route, q->httpd->opts.served, q->query, &q->answer);
	wl_clients_answered(clients, &q->caller->client);
	wl_served_resume(q->httpd->opts.served);
	MHD_resume_connection(q->connection);
}

/* Once resumed, the library comes back for the answer. */
static enum MHD_Result wait_in_line(struct wl_http_request *q)
{
	struct wl_clients *clients = &q->httpd->clients;

	if (!wl_served_is_ready(q->httpd->opts.served)) /* the loader is in the queue, too */
		return wl_http_refuse(q, MHD_HTTP_SERVICE_UNAVAILABLE, WL_STILL_READING);
	MHD_suspend_connection(q->connection);
	wl_clients_ask(clients, &q->caller->client, q);
	if (wl_jobs_add(q->httpd->opts.served->jobs, answer_queued, q))
		return MHD_YES;
	wl_clients_answered(clients, &q->caller->client);
	wl_answer_fail(&q->answer, MHD_HTTP_SERVICE_UNAVAILABLE,
		       "too many requests at the same time");
	MHD_resume_connection(q->connection);
	return MHD_YES;
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

static bool is_allowed(struct wl_http_request *q)
{
	const struct wl_access *access = q->httpd->opts.access;
	const char *origin = wl_http_field(q, "Origin");
	struct repeats r = { 0, 0 };

	(void)MHD_get_connection_values(q->connection, MHD_HEADER_KIND, count_field, &r);
	q->is_perfetto = wl_access_is_perfetto(access, origin);
	return r.host == 1 && r.origin <= 1 &&
	       wl_access_has_host(access, wl_http_field(q, "Host")) &&
	       (q->is_perfetto || wl_access_has_origin(access, origin));
}

/* An answer before the end of a request closes the connection, as it should for these. */
static enum MHD_Result check(struct wl_http_request *q, const char *method)
{
	if (!q->uri || strlen(q->uri) > MAX_URI)
		return wl_http_refuse(q, MHD_HTTP_URI_TOO_LONG, "the address is too long");
	if (!is_allowed(q))
		return wl_http_refuse(q, MHD_HTTP_FORBIDDEN, "another host is meant; see --host");
	q->is_preflight = q->is_perfetto && strcmp(method, "OPTIONS") == 0;
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0 && !q->is_preflight)
		return wl_http_refuse(q, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
	if (wl_http_field(q, "Content-Length") || wl_http_field(q, "Transfer-Encoding"))
		return wl_http_refuse(q, MHD_HTTP_BAD_REQUEST, "a request has no content");
	return MHD_YES;
}

static void end_connection(struct wl_client *client)
{
	wl_socket_end(client->fd);
}

/* What the path leads to; NULL for nothing. */
static const struct wl_route *find_route(struct wl_http_request *q)
{
	const char *path = wl_access_path(q->httpd->opts.access, q->uri);

	if (!path)
		return NULL;
	wl_clients_set_known(&q->httpd->clients, &q->caller->client, MAX_KNOWN, end_connection);
	if (q->query || !wl_route_parse_file(path, q->file_query))
		return wl_route_find(path);
	q->is_file = true;
	q->query = q->file_query;
	return wl_route_find("export");
}

static enum MHD_Result answer(struct wl_http_request *q)
{
	char *mark = strchr(q->uri, '?');

	if (mark) {
		*mark = '\0';
		q->query = mark + 1;
	}
	if (!q->is_perfetto && wl_access_is_bare(q->httpd->opts.access, q->uri))
		return wl_http_redirect_to_slash(q);
	q->route = find_route(q);
	if (!q->route)
		return wl_http_refuse(q, MHD_HTTP_NOT_FOUND, "there is nothing here");
	if (q->is_perfetto && !q->is_file)
		return wl_http_refuse(q, MHD_HTTP_FORBIDDEN, "another page may have exports only");
	/* The page may be opened by a link anywhere, and asks for the rest itself. */
	if (*q->route->path && !q->is_perfetto &&
	    !wl_access_is_own_site(wl_http_field(q, "Sec-Fetch-Site")))
		return wl_http_refuse(q, MHD_HTTP_FORBIDDEN, "another page may not ask");
	if (q->is_preflight) {
		q->answer.status = MHD_HTTP_NO_CONTENT;
		return wl_http_send(q);
	}
	if (q->route->slow)
		return wait_in_line(q);
	wl_route_ask(q->route, q->httpd->opts.served, q->query, &q->answer);
	return wl_http_send(q);
}

/* Called with the fields of a request, at its end, and once more when it has waited in the queue.
 */
/* NOLINTNEXTLINE(readability-function-size): the parameters are the library's */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **req)
{
	struct wl_http_request *q = *req;

	(void)ctx;
	(void)connection;
	(void)url;
	(void)version;
	(void)upload;
	if (!q)
		return MHD_NO;
	*upload_size = 0;
	switch (q->step++) {
	case 0:
		return check(q, method);
	case 1:
		return answer(q);
	default:
		return wl_http_send(q);
	}
}

static struct wl_caller *caller_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info ? info->socket_context : NULL;
}

static void clear(struct wl_http_request *q)
{
	wl_http_let_go(q);
	wl_answer_release(&q->answer);
	free(q->uri);
	q->uri = NULL;
}

/* The address as it was sent: the library would decode it in its own way. */
static void *note_uri(void *ctx, const char *uri, struct MHD_Connection *connection)
{
	struct wl_caller *caller = caller_of(connection);

	if (!caller)
		return NULL;
	clear(&caller->request);
	caller->request = (struct wl_http_request){ .httpd = ctx,
						    .connection = connection,
						    .caller = caller,
						    .uri = strdup(uri),
						    .answer = WL_ANSWER_NONE };
	return &caller->request;
}

static void forget(void *ctx, struct MHD_Connection *connection, void **req,
		   enum MHD_RequestTerminationCode why)
{
	struct wl_http_request *q = *req;

	(void)ctx;
	(void)connection;
	(void)why;
	if (!q)
		return;
	clear(q);
	wl_clients_set_until(&q->httpd->clients, &q->caller->client,
			     wl_seconds_from_now(REQUEST_SECONDS));
	*req = NULL;
}

static void say_nothing(void *ctx, const char *fmt, va_list ap)
{
	(void)ctx;
	(void)fmt;
	(void)ap;
}

/* ---- Connections ---- */

static struct wl_caller *meet(struct wl_httpd *h, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct wl_caller *caller = info ? calloc(1, sizeof(*caller)) : NULL;

	if (!caller)
		return NULL;
	caller->request = (struct wl_http_request){ .httpd = h, .answer = WL_ANSWER_NONE };
	caller->client.fd = info->connect_fd;
	caller->is_remote = wl_socket_is_remote(info->connect_fd);
	wl_clients_add(&h->clients, &caller->client, wl_seconds_from_now(REQUEST_SECONDS), CROWD,
		       end_connection);
	return caller;
}

/* The socket is open at both moments. */
static void note_connection(void *ctx, struct MHD_Connection *connection, void **caller,
			    enum MHD_ConnectionNotificationCode what)
{
	struct wl_httpd *h = ctx;
	struct wl_caller *left = *caller;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		*caller = meet(h, connection);
	} else if (left) {
		wl_clients_remove(&h->clients, &left->client);
		clear(&left->request);
		free(left);
		*caller = NULL;
	}
}

/* Questions of clients who have left, taken out of the queue. */
struct dropped {
	struct wl_httpd *httpd;
	size_t n;
	struct wl_http_request *at[WL_SERVED_WAITING];
};

static void look_after(void *ctx, struct wl_client *client, bool is_current)
{
	struct dropped *d = ctx;
	struct wl_served *served = d->httpd->opts.served;

	if (!wl_socket_has_left(client->fd))
		return;
	if (is_current)
		wl_served_give_up(served);
	else if (d->n < WL_COUNT(d->at) &&
		 wl_jobs_drop(served->jobs, answer_queued, client->question))
		d->at[d->n++] = client->question;
}

void wl_httpd_tend(struct wl_httpd *httpd)
{
	struct dropped dropped = { .httpd = httpd };

	wl_clients_end_late(&httpd->clients, wl_clock_wall_ns(), end_connection);
	wl_clients_visit_asking(&httpd->clients, look_after, &dropped);
	for (size_t i = 0; i < dropped.n; i++) {
		struct wl_http_request *q = dropped.at[i];

		wl_clients_answered(&httpd->clients, &q->caller->client);
		wl_answer_fail(&q->answer, MHD_HTTP_SERVICE_UNAVAILABLE, "the client is gone");
		MHD_resume_connection(q->connection);
	}
}

/* ---- All of it ---- */

/* Its threads get no signals: they are for the one that waits for the user. */
static struct MHD_Daemon *start(struct wl_httpd *h, int fd)
{
	unsigned flags =
		MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_Daemon *daemon;
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)sigdelset(&all, SIGBUS);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	daemon = MHD_start_daemon(
		flags, 0, NULL, NULL, handle, h, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_URI_LOG_CALLBACK, note_uri, h,
		MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_NOTIFY_CONNECTION,
		note_connection, h, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
		MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		wl_socket_is_local(fd) ? 0U : (unsigned)MAX_OF_ONE, MHD_OPTION_THREAD_POOL_SIZE,
		h->opts.n_threads > 1 ? h->opts.n_threads : 0U, MHD_OPTION_END);
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
