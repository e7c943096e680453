/* SPDX-License-Identifier: MIT */
#include "agent/mcp/http_stream.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/process/lock.h"
#include "base/process/pool.h"

enum { PROGRESS_MS = 200, ALIVE_MS = 10000, TICK_MS = 5 };

/* A separate thread computes and adds events; the connection's thread sends them. */
struct stream {
	struct wl_mcp_streamed call;
	struct wl_mcp_id token;
	struct wl_job *job;
	struct wl_lock *lock; /* guards text, n and is_done */
	char *text;
	size_t n, sent;
	bool is_done;
	int64_t told, alive; /* when progress, and when anything, was last sent */
	double done;
};

/* Add an event with the line that was written; false if memory runs out. */
static bool add(struct stream *s, const char *line, size_t n)
{
	static const char begin[] = "event: message\ndata: ";
	const size_t before = sizeof(begin) - 1, size = before + n + 1;
	char *more;

	wl_lock_take(s->lock);
	more = realloc(s->text, s->n + size);
	if (more) {
		s->text = more;
		memcpy(more + s->n, begin, before);
		memcpy(more + s->n + before, line, n);
		/* The line already has its newline: this one makes the blank line. */
		more[s->n + size - 1] = '\n';
		s->n += size;
	}
	wl_lock_give(s->lock);
	return more != NULL;
}

static void progress(void *ctx, double done, double total, const char *message)
{
	struct stream *s = ctx;
	int64_t now = wl_clock_wall_ns();
	char *text = NULL;
	size_t n = 0;
	FILE *out;

	if (done <= s->done || now - s->told < (int64_t)PROGRESS_MS * 1000000)
		return;
	out = open_memstream(&text, &n);
	if (!out)
		return;
	s->done = done;
	s->told = now;
	wl_mcp_put_progress(out, &s->token, done, total, message);
	if (fclose(out) == 0)
		(void)add(s, text, n);
	free(text);
}

static void work(void *ctx)
{
	struct stream *s = ctx;
	const struct wl_call how = { .cancel = s->call.cancel, .progress = progress, .ctx = s };
	struct wl_mcp_said said;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (out) {
		said = wl_mcp_answer(s->call.mcp, s->call.m, &how, out);
		if (fclose(out) == 0 && !said.is_silent)
			(void)add(s, text, n);
	}
	free(text);
	wl_lock_take(s->lock);
	s->is_done = true;
	wl_lock_give(s->lock);
}

/* Take what is available; < 0 at the end, 0 if there is nothing yet. */
static ssize_t take(struct stream *s, char *buf, size_t max)
{
	ssize_t taken;

	wl_lock_take(s->lock);
	if (s->n > s->sent) {
		size_t n = s->n - s->sent < max ? s->n - s->sent : max;

		memcpy(buf, s->text + s->sent, n);
		s->sent += n;
		taken = (ssize_t)n;
	} else {
		taken = s->is_done ? -1 : 0;
	}
	wl_lock_give(s->lock);
	return taken;
}

/* A periodic comment keeps the connection alive and detects clients that have left. */
static ssize_t read_events(void *ctx, uint64_t pos, char *buf, size_t max)
{
	static const char comment[] = ": working\n\n";
	struct stream *s = ctx;
	ssize_t n;

	(void)pos;
	while ((n = take(s, buf, max)) == 0) {
		if (wl_clock_wall_ns() - s->alive > (int64_t)ALIVE_MS * 1000000 &&
		    max >= strlen(comment)) {
			s->alive = wl_clock_wall_ns();
			memcpy(buf, comment, strlen(comment));
			return (ssize_t)strlen(comment);
		}
		(void)poll(NULL, 0, TICK_MS);
	}
	s->alive = wl_clock_wall_ns();
	return n;
}

static void free_stream(struct stream *s)
{
	s->call.end(s->call.ctx);
	wl_lock_free(s->lock);
	free(s->text);
	free(s);
}

/* The client has everything, or has left; if it has left, the result is not wanted. */
static void end(void *ctx)
{
	struct stream *s = ctx;

	atomic_store(s->call.cancel, 1);
	wl_job_join(s->job);
	free_stream(s);
}

static bool begin(struct stream *s)
{
	s->alive = wl_clock_wall_ns();
	s->lock = wl_lock_new();
	(void)wl_mcp_wants_progress(s->call.m, &s->token);
	s->job = s->lock ? wl_job_start(work, s) : NULL;
	return s->job != NULL;
}

bool wl_mcp_http_stream(struct wl_http_request *request, const struct wl_mcp_streamed *call)
{
	static const struct wl_http_pair fields[] = { { "X-Accel-Buffering", "no" },
						      { NULL, NULL } };
	struct stream *s = calloc(1, sizeof(*s));
	const struct wl_http_answer answer = { .status = WL_HTTP_OK,
					       .type = "text/event-stream",
					       .source = { read_events, end, s },
					       .fields = fields };

	if (!s) {
		call->end(call->ctx);
		return false;
	}
	s->call = *call;
	if (begin(s))
		return wl_http_send(request, &answer);
	free_stream(s);
	return false;
}
