/* SPDX-License-Identifier: MIT */
#include "export/chrome/chrome.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/json_write.h"
#include "export/chrome/chrome_rows.h"
#include "export/formats.h"

enum { TEXT_BYTES = 1024 }; /* bytes of text that are escaped at once */

#define FLOW "launch" /* both ends of an arrow must have the same name and category */

struct chrome {
	struct wl_emitter emitter;
	struct wl_sink *sink;
	struct wl_chrome_rows rows;
	size_t n_events;
};

static inline void put_bytes(struct chrome *c, const char *bytes, size_t n)
{
	unsigned char *p = wl_sink_room(c->sink, n);

	memcpy(p, bytes, n);
	wl_sink_took(c->sink, p + n);
}

/* A short constant. */
static inline void put(struct chrome *c, const char *s)
{
	put_bytes(c, s, strlen(s));
}

/* Write the inside of a string. */
static void put_escaped(struct chrome *c, const char *s)
{
	while (*s) {
		unsigned char *p = wl_sink_room(c->sink, TEXT_BYTES);

		wl_sink_took(c->sink, p + wl_jsonw_escape(&s, (char *)p, TEXT_BYTES));
	}
}

static void put_string(struct chrome *c, const char *s)
{
	put(c, "\"");
	put_escaped(c, s);
	put(c, "\"");
}

static void put_u64(struct chrome *c, uint64_t v)
{
	char digit[20];
	size_t n = sizeof(digit);

	do {
		digit[--n] = (char)('0' + v % 10);
		v /= 10;
	} while (v > 0);
	put_bytes(c, digit + n, sizeof(digit) - n);
}

/* Write the sign here, because -0.005 would lose it with its 0. */
static uint64_t put_sign(struct chrome *c, int64_t v)
{
	if (v >= 0)
		return (uint64_t)v;
	put(c, "-");
	return -(uint64_t)v;
}

/* Write v / 10^decimals with all its decimals, 0 to WL_EMIT_DECIMALS. */
static void put_fixed(struct chrome *c, uint64_t v, unsigned decimals)
{
	static const uint64_t unit[] = { 1, 10, 100, 1000, 10000, 100000, 1000000 };
	char digit[1 + WL_EMIT_DECIMALS] = ".";
	uint64_t rest = v % unit[decimals];

	put_u64(c, v / unit[decimals]);
	for (unsigned i = decimals; i > 0; i--, rest /= 10)
		digit[i] = (char)('0' + rest % 10);
	put_bytes(c, digit, decimals ? decimals + 1 : 0);
}

static void put_us(struct chrome *c, wl_ns t)
{
	put_fixed(c, put_sign(c, t), 3);
}

/* The beginning of an event: its kind and its place. tid is 0 for the whole process. */
static void begin_event(struct chrome *c, const char *kind, uint32_t pid, uint32_t tid)
{
	put(c, c->n_events++ > 0 ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	put(c, kind);
	put(c, "\",\"pid\":");
	put_u64(c, pid);
	if (tid > 0) {
		put(c, ",\"tid\":");
		put_u64(c, tid);
	}
}

static void add_row(struct wl_emitter *e, const struct wl_emit_row *row)
{
	struct chrome *c = (struct chrome *)e;

	e->failed = e->failed || !wl_chrome_rows_add(&c->rows, row);
}

static void introduce(struct chrome *c, const char *what, uint32_t pid, uint32_t tid,
		      const char *name)
{
	begin_event(c, "M", pid, tid);
	put(c, ",\"name\":\"");
	put(c, what);
	put(c, "\",\"args\":{\"name\":\"");
	put_escaped(c, name);
}

static void introduce_thread(struct chrome *c, struct wl_chrome_row *r, uint32_t id)
{
	introduce(c, "thread_name", r->process, id, r->label);
	/* The content of the thread's own row in timeline.h. */
	put(c, r->kind == WL_EMIT_THREAD ? " / CUDA API\"}}" : "\"}}");
	r->has_thread = true;
}

/* Get the row, after introducing it and its process. */
static struct wl_chrome_row *use_row(struct chrome *c, uint32_t id)
{
	struct wl_chrome_row *r = wl_chrome_rows_get(&c->rows, id);
	struct wl_chrome_row *process = wl_chrome_rows_get(&c->rows, r->process);

	if (!process->has_process) {
		introduce(c, "process_name", r->process, 0, process->label);
		put(c, "\"}}");
		process->has_process = true;
	}
	return r;
}

static void put_flow(struct chrome *c, const char *kind, uint32_t pid, uint32_t tid, wl_ns at,
		     uint64_t id)
{
	begin_event(c, kind, pid, tid);
	put(c, ",\"ts\":");
	put_us(c, at);
	/* A number could be too large for readers that use doubles. */
	put(c, ",\"id\":\"");
	put_u64(c, id);
	put(c, *kind == 'f' ? "\",\"bp\":\"e\"" : "\"");
	put(c, ",\"name\":\"" FLOW "\",\"cat\":\"" FLOW "\"}");
}

static void put_args(struct chrome *c, const struct wl_emit_slice *s)
{
	for (size_t i = 0; i < s->n_args; i++) {
		const struct wl_emit_arg *arg = &s->args[i];

		put(c, i == 0 ? ",\"args\":{" : ",");
		put_string(c, arg->key);
		put(c, ":");
		if (arg->type == WL_ARG_INT)
			put_u64(c, put_sign(c, arg->number));
		else
			put_string(c, arg->text);
	}
	if (s->n_args > 0)
		put(c, "}");
	/* No argument, because speedscope treats slices with different arguments as different
	 * functions. */
	if (s->has_correlation) {
		put(c, ",\"correlation\":\"");
		put_u64(c, s->correlation);
		put(c, "\"");
	}
}

/* Write name, category and arguments, and end the event. */
static void put_rest(struct chrome *c, const struct wl_emit_slice *s)
{
	put(c, ",\"name\":");
	put_string(c, s->name);
	if (s->category) {
		put(c, ",\"cat\":");
		put_string(c, s->category);
	}
	put_args(c, s);
	put(c, "}");
}

static void put_edge(struct chrome *c, const char *kind, const struct wl_chrome_row *r, uint32_t id,
		     wl_ns at)
{
	begin_event(c, kind, r->process, id);
	put(c, ",\"ts\":");
	put_us(c, at);
}

/*
 * Readers add start and length as doubles. If two slices touch, the first can then end after the
 * second begins, and speedscope never closes it. The first one is therefore written as B and E,
 * with an end that reads as the same double as the next start. Both have all members, because
 * speedscope finds the slice to close by name and arguments.
 */
static void put_slice(struct chrome *c, const struct wl_chrome_row *r, uint32_t id, bool touches)
{
	const struct wl_emit_slice *s = &r->pending.slice;

	put_edge(c, touches ? "B" : "X", r, id, s->start);
	if (!touches) {
		put(c, ",\"dur\":");
		/* Unsigned, because a signed number cannot hold every difference. */
		put_fixed(c, (uint64_t)s->end - (uint64_t)s->start, 3);
	}
	put_rest(c, s);
	if (touches) {
		put_edge(c, "E", r, id, s->end);
		put_rest(c, s);
	}
	if (s->flow_out)
		put_flow(c, "s", r->process, id, s->start, s->flow_out);
	if (s->flow_in)
		put_flow(c, "f", r->process, id, s->start, s->flow_in);
}

static void add_slice(struct wl_emitter *e, uint32_t id, const struct wl_emit_slice *s)
{
	struct chrome *c = (struct chrome *)e;
	struct wl_chrome_row *r;

	if (e->failed)
		return;
	r = use_row(c, id);
	if (!r->has_thread)
		introduce_thread(c, r, id);
	if (r->pending.is_there)
		put_slice(c, r, id, r->pending.slice.end == s->start);
	e->failed = !wl_chrome_pending_set(&r->pending, s);
}

/* The name of a value: its unit, in words if that has no letters. */
static const char *value_key(const char *unit)
{
	if (strcmp(unit, "%") == 0)
		return "percent";
	return unit[0] ? unit : "value";
}

static void add_count(struct wl_emitter *e, uint32_t id, wl_ns at, int64_t value)
{
	struct chrome *c = (struct chrome *)e;
	struct wl_chrome_row *r;

	if (e->failed)
		return;
	r = use_row(c, id);
	begin_event(c, "C", r->process, 0);
	put(c, ",\"ts\":");
	put_us(c, at);
	put(c, ",\"name\":");
	put_string(c, r->label);
	put(c, ",\"args\":{");
	put_string(c, value_key(r->unit));
	put(c, ":");
	put_fixed(c, put_sign(c, value), r->decimals);
	put(c, "}}");
}

static void close_row(struct wl_emitter *e, uint32_t id)
{
	struct chrome *c = (struct chrome *)e;
	struct wl_chrome_row *r;

	if (e->failed)
		return;
	r = wl_chrome_rows_get(&c->rows, id);
	if (r->pending.is_there)
		put_slice(c, r, id, false);
	wl_chrome_pending_release(&r->pending);
}

static void put_sort_index(struct chrome *c, const char *what, uint32_t pid, uint32_t tid,
			   uint64_t index)
{
	begin_event(c, "M", pid, tid);
	put(c, ",\"name\":\"");
	put(c, what);
	put(c, "\",\"args\":{\"sort_index\":");
	put_u64(c, index);
	put(c, "}}");
}

static void put_order(struct chrome *c)
{
	const uint32_t *id = wl_chrome_rows_order(&c->rows);

	c->emitter.failed = !id;
	for (size_t i = 0; id && i < c->rows.at.n; i++) {
		const struct wl_chrome_row *r = wl_chrome_rows_get(&c->rows, id[i]);

		if (r->has_process)
			put_sort_index(c, "process_sort_index", r->process, 0, i);
		if (r->has_thread)
			put_sort_index(c, "thread_sort_index", r->process, id[i], i);
	}
}

static void finish(struct wl_emitter *e)
{
	struct chrome *c = (struct chrome *)e;

	for (uint32_t id = 1; id <= c->rows.at.n; id++)
		close_row(e, id);
	if (!e->failed)
		put_order(c);
	put(c, "\n]}\n");
}

struct wl_emitter *wl_chrome_open(struct wl_sink *sink, struct wl_budget *budget)
{
	static const struct wl_emitter_ops ops = {
		.flat = true,
		.row = add_row,
		.slice = add_slice,
		.count = add_count,
		.close = close_row,
		.finish = finish,
	};
	struct chrome *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->emitter.ops = &ops;
	c->sink = sink;
	wl_chrome_rows_init(&c->rows, budget);
	put(c, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return &c->emitter;
}

void wl_chrome_close(struct wl_emitter *e)
{
	struct chrome *c = (struct chrome *)e;

	if (!c)
		return;
	wl_chrome_rows_release(&c->rows);
	free(c);
}

/* JSON can express negative times. */
static struct wl_emitter *open_unshifted(struct wl_sink *sink, wl_ns shift,
					 struct wl_budget *budget)
{
	(void)shift;
	return wl_chrome_open(sink, budget);
}

const struct wl_export_format wl_export_chrome = {
	.name = "chrome",
	.suffix = { ".trace.json", ".trace.json.gz" },
	.n_listed = 1,
	.media = "application/json",
	.open = open_unshifted,
	.close = wl_chrome_close,
};
