/* SPDX-License-Identifier: MIT */
/*
 * payload_text.c - a binary NVTX payload as text, by the layout that the file describes.
 *
 * Types, flags and scopes are numbers from NVIDIA's header for NVTX payloads. They, the offsets and
 * the data come from the file, so a value is read only if all of its bytes are inside the payload.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "read/payload.h"
#include "read/payload_bytes.h"

enum { MOST_ITEMS = 4096, MOST_NAMES = 4096, MOST_ELEMENTS = 16, MOST_CHARS = 64 };

/* Flags of an entry: the low bits tell where its value is, the next ones the kind of array. */
enum { FLAG_ELSEWHERE = 0xe, FLAG_ARRAY = 0x70, ARRAY_FIXED = 0x10, FLAG_HIDDEN = 0x400 };

/* The types that are not plain numbers of a fixed size. */
enum { TYPE_SCOPE = 70, TYPE_TEXT = 75, TYPE_TEXT_UTF8 = 76, FIRST_SCHEMA = 1 << 24 };

enum kind { UNREAD, SIGNED, UNSIGNED, HEX, REAL, CHARS };

struct form {
	enum kind kind;
	uint32_t size;
};

/* Number formats by type, 0 to 74. A long has the size it has on 64-bit systems with CUDA. */
static const struct form forms[] = {
	[1] = { CHARS, 1 },     [2] = { UNSIGNED, 1 },  [3] = { SIGNED, 2 },
	[4] = { UNSIGNED, 2 },  [5] = { SIGNED, 4 },    [6] = { UNSIGNED, 4 },
	[7] = { SIGNED, 8 },    [8] = { UNSIGNED, 8 },  [9] = { SIGNED, 8 },
	[10] = { UNSIGNED, 8 }, [11] = { SIGNED, 1 },   [12] = { UNSIGNED, 1 },
	[13] = { SIGNED, 2 },   [14] = { UNSIGNED, 2 }, [15] = { SIGNED, 4 },
	[16] = { UNSIGNED, 4 }, [17] = { SIGNED, 8 },   [18] = { UNSIGNED, 8 },
	[19] = { REAL, 4 },     [20] = { REAL, 8 },     [22] = { UNSIGNED, 8 },
	[23] = { HEX, 8 },      [25] = { CHARS, 1 },    [32] = { HEX, 1 },
	[43] = { REAL, 4 },     [44] = { REAL, 8 },     [67] = { UNSIGNED, 8 },
	[68] = { UNSIGNED, 4 }, [69] = { HEX, 4 },      [70] = { UNSIGNED, 8 },
	[71] = { UNSIGNED, 4 }, [72] = { UNSIGNED, 8 }, [73] = { UNSIGNED, 4 },
	[74] = { UNSIGNED, 8 },
};

void wl_payload_list(struct wl_build *b, const struct wl_payload_item *item)
{
	struct wl_payload_item *known = b->payload_items.data;

	for (size_t i = 0; i < b->payload_items.n; i++) {
		if (known[i].domain != item->domain || known[i].schema != item->schema ||
		    known[i].index != item->index)
			continue;
		if (known[i].type != item->type || known[i].offset != item->offset ||
		    known[i].flags != item->flags || known[i].detail != item->detail ||
		    known[i].name != item->name)
			known[i].is_disputed = true;
		return;
	}
	if (b->payload_items.n < MOST_ITEMS)
		wl_vec_push(&b->payload_items, item);
}

void wl_payload_call(struct wl_build *b, const struct wl_payload_name *name)
{
	if (b->payload_names.n < MOST_NAMES)
		wl_vec_push(&b->payload_names, name);
}

/* A text being written. */
struct text {
	char *at;
	size_t n;
};

static void put(struct text *t, const char *s, size_t n)
{
	size_t room = WL_PAYLOAD_TEXT - t->n;

	if (n > room) {
		for (n = room; n > 0 && (s[n] & 0xc0) == 0x80;)
			n--;
	}
	memcpy(t->at + t->n, s, n);
	t->n += n;
}

static void put_string(struct text *t, const char *s)
{
	put(t, s, strlen(s));
}

/* The name of a number; NULL if it has none or two different ones. */
static const char *name_of(const struct wl_build *b, uint64_t domain, uint64_t set, uint64_t number)
{
	const struct wl_payload_name *names = b->payload_names.data;
	const char *found = NULL;

	for (size_t i = 0; i < b->payload_names.n; i++) {
		const char *text;

		if (names[i].domain != domain || names[i].set != set || names[i].number != number)
			continue;
		text = wl_string_get(&b->strings, names[i].name);
		if (found && strcmp(found, text) != 0)
			return NULL;
		found = text;
	}
	return found;
}

/* Values of a set of names have no size column in nsys: int is assumed. */
static struct form form_of(uint64_t type)
{
	if (type < WL_COUNT(forms))
		return forms[type];
	return type >= FIRST_SCHEMA ? (struct form){ UNSIGNED, 4 } : (struct form){ UNREAD, 0 };
}

static void put_number(struct text *t, struct form f, uint64_t v)
{
	const unsigned above = 64 - 8 * f.size;
	char buf[40];

	if (f.kind == SIGNED) {
		(void)snprintf(buf, sizeof(buf), "%" PRId64, (int64_t)(v << above) >> above);
	} else if (f.kind == HEX) {
		(void)snprintf(buf, sizeof(buf), "0x%" PRIx64, v);
	} else if (f.kind == REAL && f.size == 4) {
		uint32_t bits = (uint32_t)v;
		float real;

		memcpy(&real, &bits, sizeof(real));
		(void)snprintf(buf, sizeof(buf), "%.7g", (double)real);
	} else if (f.kind == REAL) {
		double real;

		memcpy(&real, &v, sizeof(real));
		(void)snprintf(buf, sizeof(buf), "%.15g", real);
	} else {
		(void)snprintf(buf, sizeof(buf), "%" PRIu64, v);
	}
	put_string(t, buf);
}

/* Characters up to a NUL; anything but printable ASCII becomes "?". */
static void put_chars(struct text *t, const struct wl_payload_bytes *b, size_t at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = (char)wl_payload_number(b, at + i, 1);

		if (c == '\0')
			return;
		if (c < ' ' || c > '~')
			c = '?';
		put(t, &c, 1);
	}
}

/* How the values of an item are written. */
struct shape {
	struct form form;
	size_t n;
	bool is_chars;
};

/* False if its values are not read. */
static bool find_shape(const struct wl_payload_bytes *b, const struct wl_payload_item *item,
		       struct shape *ret)
{
	const bool is_text = item->type == TYPE_TEXT || item->type == TYPE_TEXT_UTF8;
	const bool is_array = (item->flags & FLAG_ARRAY) == ARRAY_FIXED;
	struct shape s = { .form = form_of(item->type), .n = 1 };

	s.is_chars = is_text || s.form.kind == CHARS;
	if (is_array || is_text || (s.is_chars && item->detail))
		s.n = item->detail;
	if (is_text)
		s.form.size = 1;
	*ret = s;
	return !item->is_disputed && !(item->flags & FLAG_ELSEWHERE) &&
	       (is_array || !(item->flags & FLAG_ARRAY)) && s.form.size > 0 && s.n > 0 &&
	       s.n <= (s.is_chars ? MOST_CHARS : MOST_ELEMENTS) && item->offset <= b->n &&
	       s.n * s.form.size <= b->n - item->offset;
}

/* The name of a value; *ret_lacks is set if it needs a name and has none. */
static const char *name_at(const struct wl_build *build, const struct wl_payload_item *item,
			   uint64_t v, bool *ret_lacks)
{
	const char *name = NULL;

	if (item->type == TYPE_SCOPE)
		name = name_of(build, item->domain, WL_PAYLOAD_SCOPES, v);
	else if (item->type >= FIRST_SCHEMA)
		name = name_of(build, item->domain, item->type, v);
	/* Without a name it may be a nested layout: nothing proves that it is one number. */
	*ret_lacks = item->type >= FIRST_SCHEMA && !name;
	return name;
}

/* Writes one value, or several adjacent ones; false if it is not read. */
static bool put_value(struct text *t, const struct wl_build *build,
		      const struct wl_payload_bytes *b, const struct wl_payload_item *item)
{
	struct shape s;
	bool lacks;

	if (!find_shape(b, item, &s))
		return false;
	if (s.is_chars) {
		put_chars(t, b, item->offset, s.n);
		return true;
	}
	for (size_t i = 0; i < s.n; i++) {
		uint64_t v = wl_payload_number(b, item->offset + i * s.form.size, s.form.size);
		const char *name = name_at(build, item, v, &lacks);

		if (lacks)
			return false;
		if (i)
			put_string(t, " ");
		if (name)
			put_string(t, name);
		else
			put_number(t, s.form, v);
	}
	return true;
}

static bool is_of(const struct wl_payload_item *item, const struct wl_payload_bytes *b)
{
	return item->schema == b->schema && item->domain == b->domain &&
	       !(item->flags & FLAG_HIDDEN);
}

/* An invalid hexadecimal digit makes the whole cell invalid. */
static bool has_digits(const struct wl_payload_bytes *b)
{
	for (size_t i = 0; b->is_hex && i < 2 * (b->begin + b->n); i++) {
		if (wl_payload_digit(b->at[i]) < 0)
			return false;
	}
	return true;
}

size_t wl_payload_text(const struct wl_build *build, const char *cell, size_t len,
		       char ret[WL_PAYLOAD_TEXT])
{
	const struct wl_payload_item *items = build->payload_items.data;
	struct wl_payload_bytes b;
	struct text t = { NULL, 0 };

	t.at = ret;
	if (build->payload_items.n == 0 || !wl_payload_open(cell, len, &b) || !has_digits(&b))
		return 0;
	for (size_t i = 0; i < build->payload_items.n; i++) {
		const struct wl_payload_item *item = &items[i];
		size_t before = t.n;

		if (!is_of(item, &b))
			continue;
		put_string(&t, before ? ", " : "");
		put_string(&t, wl_string_get(&build->strings, item->name));
		put_string(&t, "=");
		if (!put_value(&t, build, &b, item))
			put_string(&t, "?");
	}
	return t.n;
}

bool wl_payload_is_read(const struct wl_build *build, const char *cell, size_t len)
{
	const struct wl_payload_item *items = build->payload_items.data;
	struct wl_payload_bytes b;
	bool any = false;

	if (build->payload_items.n == 0 || !wl_payload_open(cell, len, &b) || !has_digits(&b))
		return false;
	for (size_t i = 0; i < build->payload_items.n; i++) {
		struct shape s;
		bool lacks;

		if (!is_of(&items[i], &b))
			continue;
		if (!find_shape(&b, &items[i], &s))
			return false;
		for (size_t k = 0; items[i].type >= FIRST_SCHEMA && k < s.n; k++) {
			uint64_t v = wl_payload_number(&b, items[i].offset + k * s.form.size,
						       s.form.size);

			(void)name_at(build, &items[i], v, &lacks);
			if (lacks)
				return false;
		}
		any = true;
	}
	return any;
}

size_t wl_payload_cut(const char *text, size_t len, char ret[WL_PAYLOAD_TEXT])
{
	struct text t = { NULL, 0 };

	t.at = ret;
	put(&t, text, len);
	return t.n;
}
