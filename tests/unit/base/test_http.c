/* SPDX-License-Identifier: MIT */
/* The client against a server of this file: one connection, one scripted reply. */
#include "base/net/http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/unit.h"

enum { CAP = 1 << 16 };

struct server {
	pid_t pid;
	int heard; /* what it was sent */
	char url[64];
};

/* What a request got back. */
struct got {
	struct wl_http_reply reply;
	char body[CAP];
	size_t n;
	size_t refuse_at; /* bytes after which take refuses; 0: never */
	struct wl_err err;
};

/* The child: hear a request until its body is complete, say the reply, and hold the connection if
 * told to. */
static void play(int listener, int heard, const char *reply, size_t piece, bool waits)
{
	static char request[CAP];
	int c = accept(listener, NULL, NULL);
	size_t n = 0;
	ssize_t k;

	while ((k = read(c, request + n, sizeof(request) - 1 - n)) > 0) {
		n += (size_t)k;
		request[n] = '\0';
		if (strstr(request, "\r\n\r\n{}"))
			break;
	}
	(void)!write(heard, request, n);
	for (size_t at = 0, all = strlen(reply); at < all; at += piece)
		(void)!write(c, reply + at, all - at < piece ? all - at : piece);
	if (waits)
		(void)pause();
	_exit(0);
}

static void serve(struct server *s, const char *reply, size_t piece, bool waits)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), pipes[2];

	assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(listener, 4), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&at, &n), 0);
	assert_int_equal(pipe(pipes), 0);
	(void)snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%d/v1/x", ntohs(at.sin_port));
	s->pid = fork();
	assert_true(s->pid >= 0);
	if (s->pid == 0)
		play(listener, pipes[1], reply, piece, waits);
	(void)close(pipes[1]);
	(void)close(listener);
	s->heard = pipes[0];
}

/* The request as the server saw it. */
static void end(struct server *s, char *request, size_t cap)
{
	size_t n = 0;
	ssize_t k;

	(void)kill(s->pid, SIGKILL);
	while (request && (k = read(s->heard, request + n, cap - 1 - n)) > 0)
		n += (size_t)k;
	if (request)
		request[n] = '\0';
	(void)waitpid(s->pid, NULL, 0);
	(void)close(s->heard);
}

static bool take(void *context, int status, const char *bytes, size_t n)
{
	struct got *g = context;

	assert_true(status > 0);
	assert_true(g->n + n < CAP);
	memcpy(g->body + g->n, bytes, n);
	g->n += n;
	return g->refuse_at == 0 || g->n < g->refuse_at;
}

static int ask(const char *url, struct wl_http_post post, struct got *g)
{
	post.url = url;
	post.body = "{}";
	post.n_body = 2;
	post.take = take;
	post.context = g;
	return wl_http_post(&post, &g->reply, &g->err);
}

TEST(a_reply_arrives_whole_in_any_pieces)
{
	static const char reply[] =
		"HTTP/1.1 429 Slow\r\nContent-Length: 11\r\nRetry-After:  7 \r\n"
		"retry-after-ms: 1500\r\nX-Should-Retry: true\r\n"
		"content-type: text/event-stream\r\n\r\nhello world";
	static char request[CAP];
	static const size_t pieces[] = { 1, 7, 4096 };

	for (size_t i = 0; i < WL_COUNT(pieces); i++) {
		static struct got g;
		struct server s;

		g = (struct got){ 0 };
		serve(&s, reply, pieces[i], false);
		assert_int_equal(
			ask(s.url, (struct wl_http_post){ .header = { "x-api-key: k" } }, &g),
			WL_OK);
		end(&s, request, sizeof(request));
		assert_int_equal(g.reply.status, 429);
		assert_int_equal(g.n, 11);
		assert_memory_equal(g.body, "hello world", 11);
		assert_string_equal(g.reply.retry_after, "7");
		assert_string_equal(g.reply.retry_after_ms, "1500");
		assert_string_equal(g.reply.should_retry, "true");
		assert_string_equal(g.reply.content_type, "text/event-stream");
		assert_non_null(strstr(request, "POST /v1/x HTTP/1.1\r\n"));
		assert_non_null(strstr(request, "x-api-key: k\r\n"));
		assert_non_null(strstr(request, "Content-Type: application/json\r\n"));
		assert_null(strstr(request, "Expect"));
		assert_null(strstr(request, "Cookie"));
	}
}

TEST(redirects_are_not_followed)
{
	static struct got g;
	struct server s;

	serve(&s,
	      "HTTP/1.1 307 There\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
	      4096, 0);
	assert_int_equal(ask(s.url, (struct wl_http_post){ 0 }, &g), WL_OK);
	end(&s, NULL, 0);
	assert_int_equal(g.reply.status, 307);
}

TEST(proxies_of_the_environment_are_not_used)
{
	static struct got g;
	struct server s;

	assert_int_equal(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
	assert_int_equal(setenv("ALL_PROXY", "http://127.0.0.1:1", 1), 0);
	serve(&s, "HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n", 4096, false);
	assert_int_equal(ask(s.url, (struct wl_http_post){ 0 }, &g), WL_OK);
	end(&s, NULL, 0);
	(void)unsetenv("http_proxy");
	(void)unsetenv("ALL_PROXY");
	assert_int_equal(g.reply.status, 200);
}

TEST(replies_that_end_early_or_grow_are_failures)
{
	static const char whole[] = "HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n123456789";
	static const char cut[] = "HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n1234";
	static const struct {
		const char *reply;
		struct wl_http_post post;
		size_t refuse_at;
		int status;
		const char *words;
	} cases[] = {
		{ cut, { 0 }, 0, WL_E_FORMAT, "ended early" },
		{ "", { 0 }, 0, WL_E_FORMAT, "ended early" },
		{ whole, { .max_bytes = 8 }, 0, WL_E_FORMAT, "larger than 8 bytes" },
		{ whole, { .max_bytes = 9 }, 0, WL_OK, NULL },
		{ whole, { 0 }, 3, WL_E_FORMAT, "cannot be read" },
		{ "no HTTP at all\r\n\r\n", { 0 }, 0, WL_E_IO, "127.0.0.1" },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		static struct got g;
		struct server s;

		g = (struct got){ .refuse_at = cases[i].refuse_at };
		serve(&s, cases[i].reply, 4096, false);
		assert_int_equal(ask(s.url, cases[i].post, &g), cases[i].status);
		end(&s, NULL, 0);
		if (cases[i].words && !strstr(g.err.msg, cases[i].words))
			fail_msg("%s", g.err.msg);
	}
}

/* The server waits for ever. */
TEST(silence_ends_after_its_time)
{
	static struct got g;
	struct server s;

	serve(&s, "HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n1", 4096, true);
	assert_int_equal(ask(s.url, (struct wl_http_post){ .total_seconds = 1 }, &g), WL_E_TIMEOUT);
	end(&s, NULL, 0);
}

static bool set_flag(void *context, int status, const char *bytes, size_t n)
{
	(void)status;
	(void)bytes;
	(void)n;
	atomic_store((atomic_int *)context, 2);
	return true;
}

TEST(a_flag_ends_a_request_that_is_under_way)
{
	atomic_int cancel = 0;
	struct wl_http_reply reply;
	struct wl_err err;
	struct server s;

	serve(&s, "HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n1", 4096, true);
	assert_int_equal(wl_http_post(&(struct wl_http_post){ .url = s.url,
							      .body = "{}",
							      .n_body = 2,
							      .cancel = &cancel,
							      .take = set_flag,
							      .context = &cancel },
				      &reply, &err),
			 WL_E_CANCELED);
	end(&s, NULL, 0);
	/* And one that was set before. */
	assert_int_equal(wl_http_post(&(struct wl_http_post){ .url = "http://127.0.0.1:1/",
							      .body = "{}",
							      .n_body = 2,
							      .cancel = &cancel },
				      &reply, &err),
			 WL_E_CANCELED);
}

TEST(nobody_listens_is_an_error_of_reading)
{
	static struct got g;

	assert_int_equal(ask("http://127.0.0.1:1/", (struct wl_http_post){ 0 }, &g), WL_E_IO);
	assert_int_equal(g.reply.status, 0);
}

TEST(urls_that_could_leak_a_key_are_refused)
{
	static const char *const good[] = {
		"http://127.0.0.1:8080",  "http://127.1.2.3/v1",   "http://localhost:11434/v1",
		"http://[::1]:8080/",     "https://api.host.test", "https://10.0.0.1:8443/v1",
		"HTTP://LOCALHOST:80/v1",
	};
	static const char *const bad[] = {
		"",
		"http://api.host.test/v1",
		"http://10.0.0.1/",
		"http://127.0.0.1.host.test/",
		"http://128.0.0.1/",
		"http://localhost.host.test/",
		"http://user:secret@127.0.0.1/",
		"https://user@host.test/",
		"ftp://127.0.0.1/",
		"file:///etc/passwd",
		"127.0.0.1:8080",
		"http://",
		"http://[::2]/",
		"http://0.0.0.0/",
	};

	for (size_t i = 0; i < WL_COUNT(good); i++) {
		struct wl_err err;

		if (wl_http_check_url(good[i], &err) < 0)
			fail_msg("%s: %s", good[i], err.msg);
	}
	for (size_t i = 0; i < WL_COUNT(bad); i++) {
		static struct got g;
		struct wl_err err;

		if (wl_http_check_url(bad[i], &err) != WL_E_USAGE)
			fail_msg("%s is not refused", bad[i]);
		assert_int_equal(ask(bad[i], (struct wl_http_post){ 0 }, &g), WL_E_USAGE);
		assert_null(strstr(err.msg, "secret"));
	}
}

TEST(dates_become_waits)
{
	double wait = -1;

	assert_true(wl_http_date_wait("Thu, 01 Jan 1970 00:01:00 GMT", 20000, &wait));
	assert_float_equal(wait, 40, 1e-9);
	assert_true(wl_http_date_wait("Thu, 01 Jan 1970 00:00:10 GMT", 20000, &wait));
	assert_float_equal(wait, 0, 1e-9);
	assert_false(wl_http_date_wait("soon", 0, &wait));
}
