/* SPDX-License-Identifier: MIT */
/* httpd_send.c - answers on their way out: their fields, and how much of them is held. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "serve/http/encode.h"
#include "serve/http/httpd_parts.h"
#include "serve/page/page.h"

enum {
	ANSWER_SECONDS = 60,    /* to read an answer, and */
	ANSWER_RATE = 64 << 10, /* bytes of it for which there is another second */
	HELD_BYTES = 256 << 20, /* of answers that clients have not read yet */
	HELD_FILES = 16,
	SMALL = 64 << 10, /* bytes of an answer that is always sent, and does not count */
};

int64_t wl_seconds_from_now(uint64_t seconds)
{
	return wl_clock_wall_ns() + (int64_t)seconds * 1000000000;
}

const char *wl_http_field(const struct wl_http_request *q, const char *name)
{
	return MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, name);
}

/*
 * The page is whole: it runs its own script and loads nothing but data of this server. Windows of
 * other origins that open it have no hold on it; those that it opens, such as Perfetto, answer.
 */
static void put_page_policy(struct MHD_Response *response)
{
	char source[WL_SCRIPT_SOURCE], policy[320];

	wl_page_script_source(NULL, source);
	(void)snprintf(policy, sizeof(policy),
		       "default-src 'none'; script-src '%s'; style-src 'unsafe-inline'; "
		       "img-src data:; worker-src blob:; connect-src 'self'; base-uri 'none'; "
		       "form-action 'none'; frame-ancestors 'none'",
		       source);
	(void)MHD_add_response_header(response, "Content-Security-Policy", policy);
	(void)MHD_add_response_header(response, "Cross-Origin-Opener-Policy",
				      "same-origin-allow-popups");
}

static void put_fields(struct MHD_Response *response, const struct wl_answer *a)
{
	static const char data_policy[] = "default-src 'none'; frame-ancestors 'none'; sandbox";
	char disposition[128];

	if (a->is_page)
		put_page_policy(response);
	else
		(void)MHD_add_response_header(response, "Content-Security-Policy", data_policy);
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	(void)MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	if (a->type)
		(void)MHD_add_response_header(response, "Content-Type", a->type);
	if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (a->suffix) {
		(void)snprintf(disposition, sizeof(disposition),
			       "attachment; filename=\"range%.80s\"", a->suffix);
		(void)MHD_add_response_header(response, "Content-Disposition", disposition);
	}
}

/* Of its bytes or its file. */
static size_t size_of(const struct wl_answer *a)
{
	struct stat st;

	if (a->fd < 0)
		return a->n;
	return fstat(a->fd, &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
}

/* What the answer holds becomes the response's. */
static struct MHD_Response *make_response(struct wl_answer *a)
{
	struct MHD_Response *response;

	if (a->fd >= 0) {
		response = MHD_create_response_from_fd(size_of(a), a->fd);
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

void wl_http_let_go(struct wl_http_request *q)
{
	(void)atomic_fetch_sub(&q->httpd->held, q->held);
	(void)atomic_fetch_sub(&q->httpd->files, q->files);
	q->held = 0;
	q->files = 0;
}

/* The answer counts until it is let go. False, and it does not: too much is under way. */
static bool hold(struct wl_http_request *q)
{
	const struct wl_answer *a = &q->answer;
	size_t bytes;
	int files;

	q->held = a->n > SMALL ? a->n : 0;
	q->files = a->fd >= 0;
	bytes = atomic_fetch_add(&q->httpd->held, q->held) + q->held;
	files = atomic_fetch_add(&q->httpd->files, q->files) + q->files;
	if ((q->held == 0 || bytes <= HELD_BYTES) && (q->files == 0 || files <= HELD_FILES))
		return true;
	wl_http_let_go(q);
	return false;
}

/* Nothing else than the file: a page that is not ours learns nothing else. */
static void put_perfetto_fields(struct MHD_Response *response, const struct wl_http_request *q)
{
	(void)MHD_add_response_header(response, "Access-Control-Allow-Origin", WL_PERFETTO_ORIGIN);
	(void)MHD_add_response_header(response, "Vary", "Origin");
	if (!q->is_preflight)
		return;
	(void)MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, HEAD");
	/* Browsers that ask whether a page of the internet may have something of this machine. */
	if (wl_http_field(q, "Access-Control-Request-Private-Network"))
		(void)MHD_add_response_header(response, "Access-Control-Allow-Private-Network",
					      "true");
}

enum MHD_Result wl_http_send(struct wl_http_request *q)
{
	struct wl_answer *a = &q->answer;
	bool is_small = q->caller->is_remote &&
			wl_accepts_gzip(wl_http_field(q, "Accept-Encoding")) &&
			wl_answer_compress(a);
	struct MHD_Response *response;
	enum MHD_Result result;

	if (!hold(q)) {
		is_small = false;
		wl_answer_fail(a, MHD_HTTP_SERVICE_UNAVAILABLE, "too much is being sent");
	}
	wl_clients_set_until(&q->httpd->clients, &q->caller->client,
			     wl_seconds_from_now(ANSWER_SECONDS + size_of(a) / ANSWER_RATE));
	response = make_response(a);
	if (!response)
		return MHD_NO;
	put_fields(response, a);
	if (is_small)
		(void)MHD_add_response_header(response, "Content-Encoding", "gzip");
	if (q->is_perfetto && q->is_file)
		put_perfetto_fields(response, q);
	result = MHD_queue_response(q->connection, (unsigned)a->status, response);
	MHD_destroy_response(response);
	wl_answer_release(a);
	return result;
}

enum MHD_Result wl_http_refuse(struct wl_http_request *q, int status, const char *msg)
{
	wl_answer_fail(&q->answer, status, msg);
	return wl_http_send(q);
}

enum MHD_Result wl_http_redirect_to_slash(struct wl_http_request *q)
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
