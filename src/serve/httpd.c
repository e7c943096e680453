#include "serve/httpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/routes.h"

enum {
	MAX_URI = 8 << 10,
	REQUEST_BYTES = 32 << 10, /* line and header fields */
	MAX_CONNECTIONS = 256,
	IDLE_SECONDS = 20,
	BACKLOG = 64,
};

struct wl_httpd {
	struct wl_httpd_opts opts;
	struct MHD_Daemon *daemon;
};

/* A request from its first line to the last byte of its answer. */
struct request {
	struct wl_httpd *httpd;
	struct MHD_Connection *connection;
	char *uri; /* as sent */
	int step;  /* how often the library has come */
	const struct wl_route *route;
	const char *query; /* in uri; NULL for none */
	struct wl_answer answer;
};

/* ---- What is sent ---- */

static void put_fields(struct MHD_Response *response, const struct wl_answer *a)
{
	/* The page is whole: it loads nothing but data of this server. */
	static const char page_policy[] = "default-src 'none'; script-src 'unsafe-inline'; "
					  "style-src 'unsafe-inline'; img-src data:; "
					  "worker-src blob:; connect-src 'self'; "
					  "base-uri 'none'; form-action 'none'; "
					  "frame-ancestors 'none'";
	static const char data_policy[] = "default-src 'none'; frame-ancestors 'none'; sandbox";
	char disposition[128];

	(void)MHD_add_response_header(response, "Content-Security-Policy",
				      a->is_page ? page_policy : data_policy);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	(void)MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	if (a->type)
		(void)MHD_add_response_header(response, "Content-Type", a->type);
	if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (a->file) {
		(void)snprintf(disposition, sizeof(disposition), "attachment; filename=\"%.80s\"",
			       a->file);
		(void)MHD_add_response_header(response, "Content-Disposition", disposition);
	}
}

/* What the answer holds becomes the response's. */
static struct MHD_Response *make_response(struct wl_answer *a)
{
	struct MHD_Response *response;
	struct stat st;

	if (a->fd >= 0) {
		if (fstat(a->fd, &st) < 0 || st.st_size < 0)
			return NULL;
		response = MHD_create_response_from_fd((size_t)st.st_size, a->fd);
		if (response)
			a->fd = -1;
		return response;
	}
	response = MHD_create_response_from_buffer(
		a->n, a->bytes, a->bytes ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	if (response)
		a->bytes = NULL;
	return response;
}

static enum MHD_Result send_answer(struct request *q)
{
	struct wl_answer *a = &q->answer;
	struct MHD_Response *response = make_response(a);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	put_fields(response, a);
	result = MHD_queue_response(q->connection, (unsigned)a->status, response);
	MHD_destroy_response(response);
	wl_answer_release(a);
	return result;
}

static enum MHD_Result refuse(struct request *q, int status, const char *msg)
{
	wl_answer_fail(&q->answer, status, msg);
	return send_answer(q);
}

static enum MHD_Result redirect_to_slash(struct request *q)
{
	char place[WL_TOKEN_BUF + 8];
	struct MHD_Response *response =
		MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	(void)snprintf(place, sizeof(place), "/t/%s/", q->httpd->opts.access->token);
	put_fields(response, &WL_ANSWER_NONE);
	(void)MHD_add_response_header(response, "Location", place);
	result = MHD_queue_response(q->connection, MHD_HTTP_FOUND, response);
	MHD_destroy_response(response);
	return result;
}

/* ---- What is asked ---- */

static void answer_in_line(void *ctx)
{
	struct request *q = ctx;

	wl_route_ask(q->route, q->httpd->opts.served, q->query, &q->answer);
	MHD_resume_connection(q->connection);
}

/* Once resumed, the library comes back for the answer. */
static enum MHD_Result wait_in_line(struct request *q)
{
	MHD_suspend_connection(q->connection);
	if (wl_line_add(q->httpd->opts.served->line, answer_in_line, q))
		return MHD_YES;
	wl_answer_fail(&q->answer, MHD_HTTP_SERVICE_UNAVAILABLE, "too many questions at once");
	MHD_resume_connection(q->connection);
	return MHD_YES;
}

static const char *field(const struct request *q, const char *name)
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

static bool is_allowed(const struct request *q)
{
	const struct wl_access *access = q->httpd->opts.access;
	struct repeats r = { 0, 0 };

	(void)MHD_get_connection_values(q->connection, MHD_HEADER_KIND, count_field, &r);
	return r.host == 1 && r.origin <= 1 && wl_access_has_host(access, field(q, "Host")) &&
	       wl_access_has_origin(access, field(q, "Origin"));
}

/* An answer before the end of a request closes the connection, as it should for these. */
static enum MHD_Result check(struct request *q, const char *method)
{
	if (!q->uri || strlen(q->uri) > MAX_URI)
		return refuse(q, MHD_HTTP_URI_TOO_LONG, "the address is too long");
	if (!is_allowed(q))
		return refuse(q, MHD_HTTP_FORBIDDEN, "another host is meant; see --host");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(q, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
	if (field(q, "Content-Length") || field(q, "Transfer-Encoding"))
		return refuse(q, MHD_HTTP_BAD_REQUEST, "a request has no content");
	return MHD_YES;
}

static enum MHD_Result answer(struct request *q)
{
	const struct wl_access *access = q->httpd->opts.access;
	char *mark = strchr(q->uri, '?');
	const char *path;

	if (mark) {
		*mark = '\0';
		q->query = mark + 1;
	}
	if (wl_access_is_bare(access, q->uri))
		return redirect_to_slash(q);
	path = wl_access_path(access, q->uri);
	q->route = path ? wl_route_find(path) : NULL;
	if (!q->route)
		return refuse(q, MHD_HTTP_NOT_FOUND, "there is nothing here");
	if (q->route->slow)
		return wait_in_line(q);
	wl_route_ask(q->route, q->httpd->opts.served, q->query, &q->answer);
	return send_answer(q);
}

/* Called with the fields of a request, at its end, and once more when it has waited in the line. */
/* NOLINTNEXTLINE(readability-function-size): the parameters are the library's */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **req)
{
	struct request *q = *req;

	(void)ctx;
	(void)url;
	(void)version;
	(void)upload;
	if (!q)
		return MHD_NO;
	*upload_size = 0;
	switch (q->step++) {
	case 0:
		q->connection = connection;
		return check(q, method);
	case 1:
		return answer(q);
	default:
		return send_answer(q);
	}
}

/* The address as it was sent: the library would decode it in its own way. */
static void *note_uri(void *ctx, const char *uri, struct MHD_Connection *connection)
{
	struct request *q = calloc(1, sizeof(*q));

	(void)connection;
	if (!q)
		return NULL;
	q->httpd = ctx;
	q->answer = WL_ANSWER_NONE;
	q->uri = strdup(uri);
	return q;
}

static void forget(void *ctx, struct MHD_Connection *connection, void **req,
		   enum MHD_RequestTerminationCode why)
{
	struct request *q = *req;

	(void)ctx;
	(void)connection;
	(void)why;
	if (!q)
		return;
	wl_answer_release(&q->answer);
	free(q->uri);
	free(q);
	*req = NULL;
}

static void say_nothing(void *ctx, const char *fmt, va_list ap)
{
	(void)ctx;
	(void)fmt;
	(void)ap;
}

/* ---- The socket ---- */

static uint16_t port_of(int fd)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);

	if (getsockname(fd, (struct sockaddr *)&at, &n) < 0)
		return 0;
	if (at.ss_family == AF_INET6)
		return ntohs(((const struct sockaddr_in6 *)&at)->sin6_port);
	return ntohs(((const struct sockaddr_in *)&at)->sin_port);
}

static int listen_on(const struct wl_httpd_opts *o, int *ret_fd, struct wl_err *reterr)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_family = AF_UNSPEC,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *at;
	char port[8];
	int fd, one = 1, r = WL_OK;

	(void)snprintf(port, sizeof(port), "%u", (unsigned)o->port);
	if (getaddrinfo(o->address, port, &hints, &at) != 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "--bind %.80s: give an address in digits, such as 127.0.0.1",
			       o->address);
	fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, at->ai_addr, at->ai_addrlen) < 0 || listen(fd, BACKLOG) < 0)
		r = wl_fail(reterr, WL_E_USAGE, "cannot listen on %.80s port %u: %s; see --port",
			    o->address, (unsigned)o->port, strerror(errno));
	freeaddrinfo(at);
	if (r < 0 && fd >= 0)
		(void)close(fd);
	else if (r == WL_OK)
		*ret_fd = fd;
	return r;
}

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
		MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
		MHD_OPTION_THREAD_POOL_SIZE, h->opts.n_threads > 1 ? h->opts.n_threads : 0U,
		MHD_OPTION_END);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return daemon;
}

int wl_httpd_open(const struct wl_httpd_opts *opts, struct wl_httpd **ret, struct wl_err *reterr)
{
	struct wl_httpd *h = calloc(1, sizeof(*h));
	int fd = -1, r;

	if (!h)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	h->opts = *opts;
	r = listen_on(opts, &fd, reterr);
	if (r == WL_OK) {
		opts->access->port = port_of(fd);
		h->daemon = start(h, fd);
		if (!h->daemon) {
			(void)close(fd);
			r = wl_fail(reterr, WL_E_NOMEM, "cannot start the server");
		}
	}
	if (r < 0)
		free(h);
	else
		*ret = h;
	return r;
}

void wl_httpd_close(struct wl_httpd *httpd)
{
	if (!httpd)
		return;
	MHD_stop_daemon(httpd->daemon);
	free(httpd);
}
