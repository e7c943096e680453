/* SPDX-License-Identifier: MIT */
#include "agent/mcp/stdio.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process/jobs.h"
#include "base/process/lock.h"
#include "base/text/put.h"

enum {
	WAITING = 1024,     /* most calls that may wait */
	TICK_MS = 100,      /* how often signals are checked */
	CHUNK = 64 << 10,   /* bytes per read */
	PROGRESS_MS = 200,  /* between two progress notifications */
	MAX_LINE = 4 << 20, /* the largest that json_read.h accepts */
};

struct serving;

/* Messages that came as a list, and their answers, which are sent as one list. */
struct list {
	struct wl_json *doc;
	size_t n_left; /* unfinished tasks, plus the reader while it takes them */
	char *text;
	size_t n;
	FILE *out; /* NULL if memory runs out */
};

/* A call that waits or is running. */
struct task {
	struct serving *of;
	struct list *list; /* the list it came in; NULL: none */
	struct wl_mcp_message m;
	struct wl_mcp_id token;
	bool wants_progress;
	atomic_int cancel;
	int64_t told; /* when progress was last reported */
	double done;  /* and how much */
	struct task *next;
};

struct serving {
	const struct wl_mcp_pipe *pipe;
	struct wl_jobs *jobs;
	struct wl_lock *lock; /* guards the tasks, the lists and the output */
	struct task *tasks;
	char *line; /* input that is not a whole line yet */
	size_t n, cap;
	bool is_skipping; /* skipping to the end of a line that is too long */
	bool is_broken;   /* the client stopped reading */
	bool takes_lists; /* the client speaks the only revision with lists */
};

/* ---- Output ---- */

static void send(struct serving *s, const char *text, size_t n)
{
	FILE *out = s->pipe->out;

	wl_lock_take(s->lock);
	wl_put_bytes(out, text, n);
	if (fflush(out) != 0)
		s->is_broken = true;
	wl_lock_give(s->lock);
}

/* Send an answer, or keep it for its list. Lines end with a newline. */
static void say(struct serving *s, struct list *list, const char *text, size_t n)
{
	if (!list) {
		send(s, text, n);
		return;
	}
	wl_lock_take(s->lock);
	if (list->out) {
		wl_put_bytes(list->out, ftell(list->out) > 0 ? "," : "[", 1);
		wl_put_bytes(list->out, text, n - 1);
	}
	wl_lock_give(s->lock);
}

/* Mark one message of the list as done; after the last, send all answers. */
static void leave_list(struct serving *s, struct list *list)
{
	bool is_last;

	if (!list)
		return;
	wl_lock_take(s->lock);
	is_last = --list->n_left == 0;
	wl_lock_give(s->lock);
	if (!is_last)
		return;
	if (list->out && ftell(list->out) > 0)
		wl_put_bytes(list->out, "]\n", 2);
	if (list->out && fclose(list->out) == 0 && list->n > 0)
		send(s, list->text, list->n);
	free(list->text);
	wl_json_free(list->doc);
	free(list);
}

static void send_error(struct serving *s, struct list *list, const struct wl_mcp_id *id,
		       enum wl_mcp_code code, const char *why)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return;
	wl_mcp_put_error(out, id, code, why, NULL);
	if (fclose(out) == 0)
		say(s, list, text, n);
	free(text);
}

/* Remove a finished task: its id may be reused. */
static void unlink_task(struct task *t)
{
	struct serving *s = t->of;

	wl_lock_take(s->lock);
	for (struct task **at = &s->tasks; *at; at = &(*at)->next) {
		if (*at == t) {
			*at = t->next;
			break;
		}
	}
	wl_lock_give(s->lock);
}

/* t: the task of the call, or NULL. It is unlinked before the answer is sent, because the client
 * may then reuse its id. */
static void answer(struct serving *s, struct list *list, const struct wl_mcp_message *m,
		   const struct wl_call *how, struct task *t)
{
	struct wl_mcp_said said = { .is_silent = true };
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	if (out) {
		said = wl_mcp_answer(s->pipe->mcp, m, how, out);
		if (fclose(out) != 0)
			said.is_silent = true;
	}
	if (t)
		unlink_task(t);
	/* The answer to a call cancelled in the meantime is not wanted. */
	if (!said.is_silent && !(how->cancel && *how->cancel))
		say(s, list, text, n);
	free(text);
}

static void progress(void *ctx, double done, double total, const char *message)
{
	struct task *t = ctx;
	int64_t now = wl_clock_wall_ns();
	char *text = NULL;
	size_t n = 0;
	FILE *out;

	if (done <= t->done || now - t->told < (int64_t)PROGRESS_MS * 1000000)
		return;
	out = open_memstream(&text, &n);
	if (!out)
		return;
	t->told = now;
	t->done = done;
	wl_mcp_put_progress(out, &t->token, done, total, message);
	if (fclose(out) == 0 && !t->cancel)
		send(t->of, text, n);
	free(text);
}

/* ---- Calls ---- */

static void drop(struct task *t)
{
	unlink_task(t);
	wl_mcp_message_release(&t->m);
	leave_list(t->of, t->list);
	free(t);
}

static void work(void *ctx)
{
	struct task *t = ctx;
	const struct wl_call how = { .cancel = &t->cancel,
				     .progress = t->wants_progress ? progress : NULL,
				     .ctx = t };

	if (!t->cancel)
		answer(t->of, t->list, &t->m, &how, t);
	drop(t);
}

static struct task *find(struct serving *s, const struct wl_mcp_id *id)
{
	struct task *t = s->tasks;

	while (t && !wl_mcp_id_equals(&t->m.id, id))
		t = t->next;
	return t;
}

/* The task takes ownership of the message. */
static void enqueue(struct serving *s, struct list *list, struct wl_mcp_message *m)
{
	struct task *t = calloc(1, sizeof(*t));
	bool is_twice;

	if (!t) {
		send_error(s, list, &m->id, WL_MCP_INTERNAL, "no memory for the call");
		return;
	}
	wl_lock_take(s->lock);
	is_twice = find(s, &m->id) != NULL;
	if (!is_twice) {
		*t = (struct task){ .of = s, .list = list, .m = *m, .next = s->tasks };
		if (list)
			list->n_left++;
		t->wants_progress = wl_mcp_wants_progress(&t->m, &t->token);
		s->tasks = t;
		*m = (struct wl_mcp_message){ .doc = NULL };
	}
	wl_lock_give(s->lock);
	if (is_twice) {
		free(t);
		send_error(s, list, &m->id, WL_MCP_INVALID, "id: a call of this id is under way");
	} else if (!wl_jobs_add(s->jobs, work, t)) {
		send_error(s, list, &t->m.id, WL_MCP_INTERNAL, "too many calls wait");
		drop(t);
	}
}

static void cancel(struct serving *s, const struct wl_mcp_message *m)
{
	struct wl_mcp_id id;
	struct task *t;

	if (!m->params || !wl_mcp_id_read(wl_json_member(m->params, "requestId"), &id))
		return;
	wl_lock_take(s->lock);
	t = find(s, &id);
	if (t)
		atomic_store(&t->cancel, 1);
	wl_lock_give(s->lock);
}

static void cancel_all(struct serving *s)
{
	wl_lock_take(s->lock);
	for (struct task *t = s->tasks; t; t = t->next)
		atomic_store(&t->cancel, 1);
	wl_lock_give(s->lock);
}

/* ---- Input ---- */

/* Only revision 2025-03-26 has lists; a client that initializes again may choose another. */
static void note_version(struct serving *s, const struct wl_mcp_message *m)
{
	const char *wanted = wl_mcp_param(m, "protocolVersion");

	s->takes_lists = wanted && strcmp(wanted, "2025-03-26") == 0;
}

/* Handle a message read with this code. A task may take ownership of it. */
static void do_message(struct serving *s, struct list *list, struct wl_mcp_message *m,
		       enum wl_mcp_code code, const struct wl_err *err)
{
	static const struct wl_call plain = { .cancel = NULL };
	bool is_request = code == WL_MCP_OK && m->kind == WL_MCP_REQUEST;
	bool is_first = is_request && strcmp(m->method, "initialize") == 0;

	if (code != WL_MCP_OK && (m->id.is_set || !m->method))
		send_error(s, list, &m->id, code, err->msg);
	else if (is_first && list)
		send_error(s, list, &m->id, WL_MCP_INVALID, "initialize: send it alone");
	else if (is_request && wl_mcp_is_slow(m))
		enqueue(s, list, m);
	else if (is_request)
		answer(s, list, m, &plain, NULL);
	else if (code == WL_MCP_OK && m->kind == WL_MCP_NOTIFICATION &&
		 strcmp(m->method, "notifications/cancelled") == 0)
		cancel(s, m);
	if (is_first && !list)
		note_version(s, m);
	wl_mcp_message_release(m);
}

/* The list takes ownership of the document. */
static void take_list(struct serving *s, struct wl_json *doc)
{
	static const struct wl_mcp_id none = { .is_set = false };
	struct list *list = calloc(1, sizeof(*list));
	struct wl_mcp_message m;
	struct wl_err err;

	if (!list) {
		send_error(s, NULL, &none, WL_MCP_INTERNAL, "no memory for the messages");
		wl_json_free(doc);
		return;
	}
	*list = (struct list){ .doc = doc, .n_left = 1 };
	list->out = open_memstream(&list->text, &list->n);
	for (size_t i = 0; i < wl_json_size(doc); i++) {
		enum wl_mcp_code code = wl_mcp_message_take(&m, wl_json_at(doc, i), &err);

		do_message(s, list, &m, code, &err);
	}
	leave_list(s, list);
}

static void take_message(struct serving *s, const char *text, size_t n)
{
	struct wl_mcp_message m;
	struct wl_err err;
	enum wl_mcp_code code;

	if (n == 0 || strspn(text, " \t\r") == n)
		return;
	code = wl_mcp_message_read(&m, text, n, &err);
	if (s->takes_lists && m.doc && wl_json_type_of(m.doc) == WL_JSON_ARRAY &&
	    wl_json_size(m.doc) > 0)
		take_list(s, m.doc);
	else
		do_message(s, NULL, &m, code, &err);
}

/* Handle all complete lines read so far. */
static void take_lines(struct serving *s)
{
	static const struct wl_mcp_id none = { .is_set = false };
	size_t from = 0;
	char *end;

	while ((end = memchr(s->line + from, '\n', s->n - from))) {
		size_t n = (size_t)(end - s->line) - from;

		*end = '\0';
		if (!s->is_skipping)
			take_message(s, s->line + from, n);
		s->is_skipping = false;
		from += n + 1;
	}
	memmove(s->line, s->line + from, s->n - from);
	s->n -= from;
	if (s->n > MAX_LINE) {
		if (!s->is_skipping)
			send_error(s, NULL, &none, WL_MCP_INVALID, "a message is too long");
		s->is_skipping = true;
		s->n = 0;
	}
}

static bool make_room(struct serving *s)
{
	char *more;

	if (s->cap - s->n > CHUNK)
		return true;
	more = realloc(s->line, s->cap + 2 * (size_t)CHUNK);
	if (!more)
		return false;
	s->line = more;
	s->cap += 2 * (size_t)CHUNK;
	return true;
}

static int read_all(struct serving *s, struct wl_err *reterr)
{
	struct pollfd in = { .fd = s->pipe->in, .events = POLLIN };

	for (;;) {
		int ready;
		ssize_t n;

		if (*s->pipe->stop)
			return wl_fail(reterr, WL_E_CANCELED, "mcp: stopped");
		if (s->is_broken)
			return wl_fail(reterr, WL_E_OUTPUT,
				       "mcp: the client does not read the answers");
		if (!make_room(s))
			return wl_fail(reterr, WL_E_NOMEM, "mcp: no memory for a message");
		ready = poll(&in, 1, TICK_MS);
		if (ready == 0 || (ready < 0 && errno == EINTR))
			continue;
		n = read(in.fd, s->line + s->n, CHUNK);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return WL_OK;
		s->n += (size_t)n;
		take_lines(s);
	}
}

/* The last line need not end with a newline. */
static void finish_line(struct serving *s)
{
	if (s->n == 0 || s->is_skipping)
		return;
	s->line[s->n] = '\0';
	take_message(s, s->line, s->n);
}

/* Answer the waiting calls, unless a signal arrives or the client has stopped reading. */
static void drain(struct serving *s)
{
	while (!wl_jobs_is_idle(s->jobs)) {
		if (*s->pipe->stop || s->is_broken)
			cancel_all(s);
		(void)poll(NULL, 0, 10);
	}
}

int wl_mcp_stdio(const struct wl_mcp_pipe *pipe, struct wl_err *reterr)
{
	struct serving s = { .pipe = pipe, .lock = wl_lock_new(), .jobs = wl_jobs_new(WAITING) };
	int r;

	if (!s.lock || !s.jobs) {
		r = wl_fail(reterr, WL_E_NOMEM, "mcp: no memory for the server");
	} else {
		r = read_all(&s, reterr);
		if (r == WL_OK)
			finish_line(&s);
		drain(&s);
	}
	wl_jobs_close(s.jobs);
	wl_jobs_free(s.jobs);
	wl_lock_free(s.lock);
	free(s.line);
	return r;
}
