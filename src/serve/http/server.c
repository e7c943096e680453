/* SPDX-License-Identifier: MIT */
#include "serve/http/server.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/net/httpd.h"
#include "base/net/socket.h"
#include "serve/http/encode.h"
#include "serve/http/routes.h"
#include "serve/page/page.h"

enum {
	MAX_URI = 8 << 10,
	HELD_BYTES = 256 << 20, /* of answers that clients have not read yet */
	HELD_FILES = 16,
	SMALL = 64 << 10, /* bytes of an answer that is always sent, and does not count */
	POLICY_BUF = 320,
	MAX_FIELDS = 8,
};

struct wl_server {
	struct wl_served *served;
	const struct wl_access *access;
	struct wl_httpd *httpd;
	atomic_size_t held;
	atomic_int files;
};

/* A request on its way through the server. */
struct routed {
	struct wl_server *server;
	struct wl_http_request *http;
	bool is_perfetto;  /* of Perfetto's page */
	bool is_preflight; /* asks whether it may ask */
	bool is_file;      /* a path in place of a query */
	const struct wl_route *route;
	const char *query; /* in the address or file_query; NULL for none */
	char file_query[WL_FILE_QUERY_BUF];
	struct wl_answer answer;
	size_t held; /* bytes of the answer that count */
	int files;
};

/* ---- Answers ---- */

/* Fields of an answer, which end with an empty one. */
struct fields {
	struct wl_http_pair at[MAX_FIELDS];
	size_t n;
	char disposition[128];
	char policy[POLICY_BUF];
};

static void add(struct fields *f, const char *name, const char *value)
{
	f->at[f->n++] = (struct wl_http_pair){ name, value };
}

/*
 * The page is whole: it runs its own script and loads nothing but data of this server. Windows of
 * other origins that open it have no hold on it; those that it opens, such as Perfetto, answer.
 */
static void add_page_policy(struct fields *f)
{
	char source[WL_SCRIPT_SOURCE];

	wl_page_script_source(NULL, source);
	(void)snprintf(f->policy, sizeof(f->policy),
		       "default-src 'none'; script-src '%s'; style-src 'unsafe-inline'; "
		       "img-src data:; worker-src blob:; connect-src 'self'; base-uri 'none'; "
		       "form-action 'none'; frame-ancestors 'none'",
		       source);
	add(f, "Cross-Origin-Opener-Policy", "same-origin-allow-popups");
}

/* Nothing else than the file: a page that is not ours learns nothing else. */
static void add_perfetto(struct fields *f, const struct routed *q)
{
	add(f, "Access-Control-Allow-Origin", WL_PERFETTO_ORIGIN);
	add(f, "Vary", "Origin");
	if (!q->is_preflight)
		return;
	add(f, "Access-Control-Allow-Methods", "GET, HEAD");
	/* Browsers that ask whether a page of the internet may have something of this machine. */
	if (wl_http_field(q->http, "Access-Control-Request-Private-Network"))
		add(f, "Access-Control-Allow-Private-Network", "true");
}

static void add_fields(struct fields *f, const struct routed *q)
{
	const struct wl_answer *a = &q->answer;

	if (a->is_page)
		add_page_policy(f);
	if (a->suffix) {
		(void)snprintf(f->disposition, sizeof(f->disposition),
			       "attachment; filename=\"range%.80s\"", a->suffix);
		add(f, "Content-Disposition", f->disposition);
	}
	if (q->is_perfetto && q->is_file)
		add_perfetto(f, q);
}

/* Of its bytes or its file. */
static size_t size_of(const struct wl_answer *a)
{
	struct stat st;

	if (a->fd < 0)
		return a->n;
	return fstat(a->fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
}

static void let_go(struct routed *q)
{
	(void)atomic_fetch_sub(&q->server->held, q->held);
	(void)atomic_fetch_sub(&q->server->files, q->files);
	q->held = 0;
	q->files = 0;
}

/* The answer counts until it is let go. False, and it does not: too much is under way. */
static bool hold(struct routed *q)
{
	const struct wl_answer *a = &q->answer;
	size_t bytes;
	int files;

	q->held = a->n > SMALL ? a->n : 0;
	q->files = a->fd >= 0;
	bytes = atomic_fetch_add(&q->server->held, q->held) + q->held;
	files = atomic_fetch_add(&q->server->files, q->files) + q->files;
	if ((q->held == 0 || bytes <= HELD_BYTES) && (q->files == 0 || files <= HELD_FILES))
		return true;
	let_go(q);
	return false;
}

/* Its bytes or file become the server's. */
static bool send_with(struct routed *q, const struct fields *f)
{
	struct wl_answer *a = &q->answer;
	const struct wl_http_answer all = { .status = a->status,
					    .type = a->type,
					    .policy = *f->policy ? f->policy : NULL,
					    .bytes = a->bytes,
					    .n = size_of(a),
					    .is_file = a->fd >= 0,
					    .fd = a->fd,
					    .fields = f->at };

	a->bytes = NULL;
	a->fd = -1;
	wl_answer_release(a);
	return wl_http_send(q->http, &all);
}

static bool send_answer(struct routed *q)
{
	struct wl_answer *a = &q->answer;
	struct fields fields = { .n = 0 };
	bool is_small = q->http->is_remote &&
			wl_accepts_gzip(wl_http_field(q->http, "Accept-Encoding")) &&
			wl_answer_compress(a);

	if (!hold(q)) {
		is_small = false;
		wl_answer_fail(a, WL_HTTP_UNAVAILABLE, "too much is being sent");
	}
	if (is_small)
		add(&fields, "Content-Encoding", "gzip");
	add_fields(&fields, q);
	return send_with(q, &fields);
}

static bool refuse(struct routed *q, int status, const char *msg)
{
	wl_answer_fail(&q->answer, status, msg);
	return send_answer(q);
}

static bool redirect_to_slash(struct routed *q)
{
	struct fields fields = { .n = 0 };
	char place[WL_TOKEN_BUF + 8];

	(void)snprintf(place, sizeof(place), "/t/%s/", q->server->access->token);
	add(&fields, "Location", place);
	q->answer.status = WL_HTTP_FOUND;
	return send_with(q, &fields);
}

/* ---- What is asked ---- */

static void answer_queued(void *ctx)
{
	struct routed *q = ctx;
	struct wl_http_request *http = q->http;

	wl_clients_begin(http->clients, q);
	wl_route_ask(q->route, q->server->served, q->query, &q->answer);
	wl_clients_answered(http->clients, http->client);
	wl_served_resume(q->server->served);
	wl_http_resume(http);
}

/* Once resumed, the server comes back for the answer. */
static bool wait_in_line(struct routed *q)
{
	struct wl_http_request *http = q->http;

	if (!wl_served_is_ready(q->server->served)) /* the loader is in the queue, too */
		return refuse(q, WL_HTTP_UNAVAILABLE, WL_STILL_READING);
	wl_http_suspend(http);
	wl_clients_ask(http->clients, http->client, q);
	if (wl_jobs_add(q->server->served->jobs, answer_queued, q))
		return true;
	wl_clients_answered(http->clients, http->client);
	wl_answer_fail(&q->answer, WL_HTTP_UNAVAILABLE, "too many requests at the same time");
	wl_http_resume(http);
	return true;
}

/* An answer before the end of a request closes the connection, as it should for these. */
static bool check(struct wl_http_request *http)
{
	struct wl_server *server = http->ctx;
	const char *origin = wl_http_field(http, "Origin");
	struct routed *q = calloc(1, sizeof(*q));

	http->own = q;
	if (!q)
		return false;
	*q = (struct routed){ .server = server, .http = http, .answer = WL_ANSWER_NONE };
	if (!http->uri || strlen(http->uri) > MAX_URI)
		return refuse(q, WL_HTTP_URI_TOO_LONG, "the address is too long");
	q->is_perfetto = wl_access_is_perfetto(server->access, origin);
	if (!wl_http_has_host(http) ||
	    !(q->is_perfetto || wl_access_has_origin(server->access, origin)))
		return refuse(q, WL_HTTP_FORBIDDEN, "another host is meant; see --host");
	q->is_preflight = q->is_perfetto && strcmp(http->method, "OPTIONS") == 0;
	if (strcmp(http->method, "GET") != 0 && strcmp(http->method, "HEAD") != 0 &&
	    !q->is_preflight)
		return refuse(q, WL_HTTP_NO_METHOD, "only GET and HEAD");
	if (wl_http_field(http, "Content-Length") || wl_http_field(http, "Transfer-Encoding"))
		return refuse(q, WL_HTTP_BAD_REQUEST, "a request has no content");
	return true;
}

/* What the path leads to; NULL for nothing. */
static const struct wl_route *find_route(struct routed *q)
{
	const char *path = wl_access_path(q->server->access, q->http->uri);

	if (!path)
		return NULL;
	wl_http_set_known(q->http);
	if (q->query || !wl_route_parse_file(path, q->file_query))
		return wl_route_find(path);
	q->is_file = true;
	q->query = q->file_query;
	return wl_route_find("export");
}

static bool answer(struct wl_http_request *http)
{
	struct routed *q = http->own;
	char *mark = strchr(http->uri, '?');

	if (mark) {
		*mark = '\0';
		q->query = mark + 1;
	}
	if (!q->is_perfetto && wl_access_is_bare(q->server->access, http->uri))
		return redirect_to_slash(q);
	q->route = find_route(q);
	if (!q->route)
		return refuse(q, WL_HTTP_NOT_FOUND, "there is nothing here");
	if (q->is_perfetto && !q->is_file)
		return refuse(q, WL_HTTP_FORBIDDEN, "another page may have exports only");
	/* The page may be opened by a link anywhere, and asks for the rest itself. */
	if (*q->route->path && !q->is_perfetto &&
	    !wl_access_is_own_site(wl_http_field(http, "Sec-Fetch-Site")))
		return refuse(q, WL_HTTP_FORBIDDEN, "another page may not ask");
	if (q->is_preflight) {
		q->answer.status = WL_HTTP_NO_CONTENT;
		return send_answer(q);
	}
	if (q->route->slow)
		return wait_in_line(q);
	wl_route_ask(q->route, q->server->served, q->query, &q->answer);
	return send_answer(q);
}

static bool resumed(struct wl_http_request *http)
{
	return send_answer(http->own);
}

static void end(struct wl_http_request *http)
{
	struct routed *q = http->own;

	let_go(q);
	wl_answer_release(&q->answer);
	free(q);
}

/* ---- Clients who have left ---- */

/* Their questions, taken out of the queue. */
struct dropped {
	struct wl_server *server;
	size_t n;
	struct routed *at[WL_SERVED_WAITING];
};

static void look_after(void *ctx, struct wl_client *client, bool is_current)
{
	struct dropped *d = ctx;
	struct wl_served *served = d->server->served;

	if (!wl_socket_has_left(client->fd))
		return;
	if (is_current)
		wl_served_give_up(served);
	else if (d->n < WL_COUNT(d->at) &&
		 wl_jobs_drop(served->jobs, answer_queued, client->question))
		d->at[d->n++] = client->question;
}

void wl_server_tend(struct wl_server *server)
{
	struct wl_clients *clients = wl_httpd_clients(server->httpd);
	struct dropped dropped = { .server = server };

	wl_httpd_tend(server->httpd);
	wl_clients_visit_asking(clients, look_after, &dropped);
	for (size_t i = 0; i < dropped.n; i++) {
		struct routed *q = dropped.at[i];

		wl_clients_answered(clients, q->http->client);
		wl_answer_fail(&q->answer, WL_HTTP_UNAVAILABLE, "the client is gone");
		wl_http_resume(q->http);
	}
}

/* ---- All of it ---- */

static const struct wl_http_handler handler = { check, answer, resumed, end };

int wl_server_open(const struct wl_server_opts *opts, struct wl_server **ret, struct wl_err *reterr)
{
	struct wl_server *s = calloc(1, sizeof(*s));
	const struct wl_httpd_opts how = {
		.address = opts->address,
		.port = opts->port,
		.n_threads = opts->n_threads ? opts->n_threads : 1,
		.access = opts->access,
		.methods = "GET, HEAD",
		.connections = 512,
		.crowd = 480, /* others are just ending */
		.known = 384,
		.of_one = 128,
		.body = 0, /* GET and HEAD have none: who sends one is dropped */
		.idle_seconds = 20,
		.request_seconds = 30,
		.handler = &handler,
		.ctx = s,
	};
	int r;

	if (!s)
		return wl_fail(reterr, WL_E_NOMEM, "no memory for the server");
	s->served = opts->served;
	s->access = opts->access;
	r = wl_httpd_open(&how, &s->httpd, reterr);
	if (r == WL_OK)
		*ret = s;
	else
		free(s);
	return r;
}

void wl_server_close(struct wl_server *server)
{
	if (!server)
		return;
	wl_httpd_close(server->httpd);
	free(server);
}
