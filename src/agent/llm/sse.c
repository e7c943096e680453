/* SPDX-License-Identifier: MIT */
#include "agent/llm/sse.h"

#include <stdio.h>
#include <string.h>

static bool finish_event(struct wl_sse *s)
{
	bool ok = true;

	if (s->has_data)
		ok = s->event(s->context, s->name, wl_text_get(&s->data), s->data.n);
	wl_text_clear(&s->data);
	s->name[0] = '\0';
	s->has_data = false;
	return ok;
}

static void take_field(struct wl_sse *s, const char *line, size_t n)
{
	const char *colon = memchr(line, ':', n);
	size_t n_name = colon ? (size_t)(colon - line) : n;
	const char *value = colon ? colon + 1 : line + n;

	value += colon && value < line + n && *value == ' ';
	if (n_name == 4 && memcmp(line, "data", 4) == 0) {
		if (s->has_data)
			wl_text_put(&s->data, "\n", 1);
		wl_text_put(&s->data, value, (size_t)(line + n - value));
		s->has_data = true;
	} else if (n_name == 5 && memcmp(line, "event", 5) == 0) {
		(void)snprintf(s->name, sizeof(s->name), "%.*s", (int)(line + n - value), value);
	}
}

static bool finish_line(struct wl_sse *s)
{
	static const char mark[] = "\xEF\xBB\xBF";
	const char *line = wl_text_get(&s->line);
	size_t n = s->line.n;
	bool ok = true;

	if (!s->started && n >= 3 && memcmp(line, mark, 3) == 0) {
		line += 3;
		n -= 3;
	}
	s->started = true;
	if (s->line.failed)
		return false;
	if (n == 0)
		ok = finish_event(s);
	else
		take_field(s, line, n);
	wl_text_clear(&s->line);
	return ok && !s->data.failed;
}

static bool add_bytes(struct wl_sse *s, const char *bytes, size_t n)
{
	while (n > 0) {
		size_t plain = 0;

		if (s->after_cr && *bytes == '\n') { /* the second half of CRLF */
			s->after_cr = false;
			bytes++;
			n--;
			continue;
		}
		s->after_cr = false;
		while (plain < n && bytes[plain] != '\n' && bytes[plain] != '\r')
			plain++;
		wl_text_put(&s->line, bytes, plain);
		bytes += plain;
		n -= plain;
		if (n == 0)
			return !s->line.failed;
		s->after_cr = *bytes == '\r';
		bytes++;
		n--;
		if (!finish_line(s))
			return false;
	}
	return true;
}

bool wl_sse_take(struct wl_sse *s, const char *bytes, size_t n)
{
	s->stopped = s->stopped || !add_bytes(s, bytes, n);
	return !s->stopped;
}

void wl_sse_release(struct wl_sse *s)
{
	wl_text_release(&s->line);
	wl_text_release(&s->data);
}
