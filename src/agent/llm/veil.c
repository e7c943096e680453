/* SPDX-License-Identifier: MIT */
#include "agent/llm/veil.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/json_write.h"
#include "base/text/text.h"

enum { MIN_NAME = 3, MAX_NAMES = 200000 };

static const char prefix[] = "name_";

/* A name. */
struct spelling {
	char *text;
	size_t n;
	size_t number; /* number of the name, from 1 */
	size_t next;   /* next with the same first bytes, plus 1 */
	size_t twin;   /* next with the same sum, plus 1 */
};

struct wl_llm_veil {
	struct spelling *all;
	size_t n, cap;
	char **names; /* indexed by number - 1; borrowed from spellings */
	size_t n_names, cap_names;
	size_t *buckets; /* by the first bytes: index into all, plus 1 */
	size_t *sums;    /* the same by a hash of all bytes */
};

enum { N_BUCKETS = 1 << 14 };

/* Hash of the first three bytes, which every spelling has. */
static size_t bucket_of(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	return ((size_t)p[0] * 7919U ^ (size_t)p[1] * 104729U ^ (size_t)p[2] * 1299709U) %
	       N_BUCKETS;
}

/* Hash of all bytes, since many kernel names begin alike. */
static size_t sum_of(const char *s, size_t n)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
	return (size_t)(sum ^ sum >> 32) % N_BUCKETS;
}

struct wl_llm_veil *wl_llm_veil_new(void)
{
	struct wl_llm_veil *veil = calloc(1, sizeof(*veil));

	if (!veil)
		return NULL;
	veil->buckets = calloc(N_BUCKETS, sizeof(*veil->buckets));
	veil->sums = calloc(N_BUCKETS, sizeof(*veil->sums));
	if (veil->buckets && veil->sums)
		return veil;
	wl_llm_veil_free(veil);
	return NULL;
}

void wl_llm_veil_free(struct wl_llm_veil *veil)
{
	if (!veil)
		return;
	for (size_t i = 0; i < veil->n; i++)
		free(veil->all[i].text);
	free(veil->all);
	free(veil->names);
	free(veil->buckets);
	free(veil->sums);
	free(veil);
}

static const struct spelling *find(const struct wl_llm_veil *veil, const char *text, size_t n)
{
	for (size_t at = veil->sums[sum_of(text, n)]; at; at = veil->all[at - 1].twin) {
		const struct spelling *s = &veil->all[at - 1];

		if (s->n == n && memcmp(s->text, text, n) == 0)
			return s;
	}
	return NULL;
}

/* Takes ownership of the text. */
static bool add_spelling(struct wl_llm_veil *veil, char *text, size_t number)
{
	size_t n = text ? strlen(text) : 0, *bucket, *sum;

	if (!text || n < MIN_NAME || find(veil, text, n)) {
		free(text);
		return text != NULL;
	}
	if (veil->n == veil->cap) {
		size_t cap = veil->cap ? 2 * veil->cap : 64;
		struct spelling *all = reallocarray(veil->all, cap, sizeof(*all));

		if (!all) {
			free(text);
			return false;
		}
		veil->all = all;
		veil->cap = cap;
	}
	bucket = &veil->buckets[bucket_of(text)];
	sum = &veil->sums[sum_of(text, n)];
	veil->all[veil->n++] = (struct spelling){
		.text = text, .n = n, .number = number, .next = *bucket, .twin = *sum
	};
	*bucket = *sum = veil->n;
	return true;
}

static bool has_letter(const char *s)
{
	for (; *s; s++) {
		if (isalpha((unsigned char)*s) || (unsigned char)*s >= 0x80)
			return true;
	}
	return false;
}

/* The name escaped as inside a JSON string; for the caller to free(). */
static char *escape(const char *name)
{
	struct wl_text text = { 0 };
	char buf[256];

	while (*name) {
		size_t n = wl_jsonw_escape(&name, buf, sizeof(buf));

		wl_text_put(&text, buf, n);
	}
	return text.bytes;
}

bool wl_llm_veil_add(struct wl_llm_veil *veil, const char *name)
{
	char *copy;

	if (strlen(name) < MIN_NAME || !has_letter(name) || find(veil, name, strlen(name)) ||
	    veil->n_names == MAX_NAMES)
		return true;
	if (veil->n_names == veil->cap_names) {
		size_t cap = veil->cap_names ? 2 * veil->cap_names : 64;
		char **names = reallocarray(veil->names, cap, sizeof(*names));

		if (!names)
			return false;
		veil->names = names;
		veil->cap_names = cap;
	}
	copy = strdup(name);
	if (!add_spelling(veil, copy, veil->n_names + 1))
		return false;
	veil->names[veil->n_names++] = copy;
	return true;
}

/* ---- Replacing ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether a match is a whole word: no word character before or after it. */
static bool stands_alone(const char *text, const char *at, size_t n)
{
	bool begins = at == text || !is_word(at[-1]) || !is_word(at[0]);
	bool ends = !is_word(at[n - 1]) || !is_word(at[n]);

	return begins && ends;
}

/* The longest name that begins here; NULL for none. */
static const struct spelling *match(const struct wl_llm_veil *veil, const char *text,
				    const char *at)
{
	const struct spelling *best = NULL;

	if (!at[0] || !at[1] || !at[2])
		return NULL;
	for (size_t i = veil->buckets[bucket_of(at)]; i; i = veil->all[i - 1].next) {
		const struct spelling *s = &veil->all[i - 1];

		if ((!best || s->n > best->n) && strncmp(at, s->text, s->n) == 0 &&
		    stands_alone(text, at, s->n))
			best = s;
	}
	return best;
}

static bool is_path_byte(char c)
{
	return is_word(c) || (c && strchr("/.-+~@%=,:", c));
}

/* Bytes of an absolute path of two parts or more that begins here; 0 for none. */
static size_t path_length(const char *text, const char *at)
{
	size_t n = 0, slashes = 0;

	if (*at != '/' || (at > text && (is_path_byte(at[-1]) || at[-1] == '<')))
		return 0;
	while (is_path_byte(at[n]))
		slashes += at[n++] == '/';
	while (n && strchr(".,:", at[n - 1]))
		n--;
	return slashes >= 2 && n > MIN_NAME ? n : 0;
}

static void put_token(struct wl_text *out, size_t number)
{
	char token[32];

	(void)snprintf(token, sizeof(token), "%s%zu", prefix, number);
	wl_text_puts(out, token);
}

/* Make a path a name from now on. */
static bool add_path(struct wl_llm_veil *veil, const char *at, size_t n)
{
	char *path = strndup(at, n);
	bool ok = path && wl_llm_veil_add(veil, path);

	free(path);
	return ok;
}

/* The text, or NULL if it failed; an empty text is valid, too. */
static char *finish(struct wl_text *out)
{
	wl_text_put(out, "", 0);
	if (!out->failed)
		return out->bytes;
	wl_text_release(out);
	return NULL;
}

char *wl_llm_veil_hide(struct wl_llm_veil *veil, const char *text)
{
	struct wl_text out = { 0 };

	for (const char *at = text; *at && !out.failed;) {
		const struct spelling *s = match(veil, text, at);
		size_t n = s ? 0 : path_length(text, at);

		if (n && add_path(veil, at, n))
			s = find(veil, at, n);
		out.failed = out.failed || (n && !s);
		if (s) {
			put_token(&out, s->number);
			at += s->n;
		} else {
			wl_text_put(&out, at++, 1);
		}
	}
	return finish(&out);
}

/* The number of the token that is a whole word here, and its length; 0 for none. */
static size_t token_at(const struct wl_llm_veil *veil, const char *text, const char *at,
		       size_t *ret_n)
{
	size_t number = 0, n = sizeof(prefix) - 1;

	if (strncmp(at, prefix, n) != 0 || (at > text && is_word(at[-1])))
		return 0;
	for (; isdigit((unsigned char)at[n]) && number <= veil->n_names; n++)
		number = number * 10 + (size_t)(at[n] - '0');
	*ret_n = n;
	return number <= veil->n_names && !is_word(at[n]) ? number : 0;
}

static char *reveal(const struct wl_llm_veil *veil, const char *text, bool is_json)
{
	struct wl_text out = { 0 };
	size_t n = 0;

	for (const char *at = text; *at;) {
		size_t number = token_at(veil, text, at, &n);
		char *escaped = number && is_json ? escape(veil->names[number - 1]) : NULL;

		if (number && is_json && !escaped)
			out.failed = true;
		if (number)
			wl_text_puts(&out, escaped ? escaped : veil->names[number - 1]);
		else
			wl_text_put(&out, at, 1);
		at += number ? n : 1;
		free(escaped);
	}
	return finish(&out);
}

char *wl_llm_veil_reveal(const struct wl_llm_veil *veil, const char *text)
{
	return reveal(veil, text, false);
}

char *wl_llm_veil_reveal_json(const struct wl_llm_veil *veil, const char *text)
{
	return reveal(veil, text, true);
}
