/* SPDX-License-Identifier: MIT */
#include "derive/nvtx/range_names.h"

#include <string.h>
#include <strings.h>

#include "base/memory/intern.h"
#include "base/memory/texts.h"
#include "derive/derived.h"
#include "derive/nvtx/domains.h"
#include "known/exports/codes.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	/*
	 * Bytes of UTF-8 sequences count as letters: keeping a word together needs no Unicode
	 * table.
	 */
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of an address (0x and hexadecimal digits) at s, or 0. */
static size_t address_length(const char *s)
{
	size_t n = 2;

	if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X') || !is_hex(s[2]))
		return 0;
	while (is_hex(s[n]))
		n++;
	return n;
}

static bool is_counting_word(const char *word, size_t n)
{
	/*
	 * Words before a number that counts repetitions. A number after any other word is part of a
	 * name: "fc1", "conv2d", "h100".
	 */
	static const char *const words[] = { "iter",  "iteration", "step",  "batch",  "microbatch",
					     "layer", "block",     "chunk", "phase",  "token",
					     "epoch", "rank",      "req",   "request" };

	for (size_t i = 0; i < WL_COUNT(words); i++) {
		if (strlen(words[i]) == n && strncasecmp(words[i], word, n) == 0)
			return true;
	}
	return false;
}

/* Whether the digits [at, end) of the name only count something. */
static bool only_counts(const char *name, size_t at, size_t end)
{
	size_t word = at;

	while (word > 0 && is_letter(name[word - 1]))
		word--;
	/* Digits on their own count unless letters follow: "3x3" and "2d" are names. */
	if (word == at)
		return !is_letter(name[end]);
	return is_counting_word(name + word, at - word);
}

enum wl_label_part wl_label_part(const char *name, size_t i, size_t *ret_end)
{
	/* An address begins a word: the 0x of "box0xff" is part of one. */
	size_t n = i > 0 && (is_letter(name[i - 1]) || is_digit(name[i - 1]))
			   ? 0
			   : address_length(name + i);

	if (n) {
		*ret_end = i + n;
		return WL_LABEL_ADDRESS;
	}
	for (n = i; is_digit(name[n]);)
		n++;
	*ret_end = n > i ? n : i + 1;
	return n > i && only_counts(name, i, n) ? WL_LABEL_NUMBER : WL_LABEL_TEXT;
}

void wl_label_write(const char *name, char *buf)
{
	for (size_t i = 0, end; name[i]; i = end) {
		if (wl_label_part(name, i, &end) == WL_LABEL_TEXT)
			buf = mempcpy(buf, name + i, end - i);
		else
			*buf++ = '#';
	}
	*buf = '\0';
}

/* The key of a name: ids belong to the process. No padding. */
struct key {
	uint32_t process, domain, text;
};

static bool number_ranges(const struct wl_trace *t, struct wl_intern *keys, uint32_t *of)
{
	for (size_t i = 0; i < t->family[WL_F_NVTX].n; i++) {
		uint32_t domain = wl_nvtx_domain(t)[i];
		/* A row without a domain is in the default one, whose id is 0. */
		const struct key key = { t->threads[wl_nvtx_thread(t)[i]].process,
					 domain == WL_NONE ? 0 : domain, wl_nvtx_name(t)[i] };

		of[i] = WL_NONE;
		if (!wl_nvtx_is_range(wl_nvtx_kind(t)[i]))
			continue;
		of[i] = wl_intern_put(keys, &key);
		if (of[i] == WL_NONE)
			return false;
	}
	return true;
}

static bool make_name(const struct wl_trace *t, const struct wl_domains *domains,
		      const struct key *key, struct wl_arena *arena, struct wl_range_name *ret)
{
	const char *text = key->text == WL_NONE ? NULL : wl_str(t, key->text);
	const char *domain =
		key->domain ? wl_domain_name(t, domains, key->process, key->domain) : NULL;
	const char *shown = text ? text : "(unnamed)";
	size_t n = strlen(shown) + (domain ? strlen(domain) + 1 : 0) + 1;
	/* A label is never longer than the name: each part becomes itself or one character. */
	char *exact = WL_NEW(arena, char, n), *label = WL_NEW(arena, char, n);

	if (!exact || !label)
		return false;
	if (domain) {
		(void)stpcpy(stpcpy(stpcpy(exact, domain), ":"), shown);
	} else {
		(void)stpcpy(exact, shown);
	}
	wl_label_write(exact, label);
	*ret = (struct wl_range_name){
		.text = text,
		.domain = domain,
		.exact = exact,
		.label_text = label,
		.is_default = key->domain == 0,
		.is_nccl = (domain && strcasecmp(domain, "nccl") == 0) ||
			   (text && strncasecmp(text, "nccl", 4) == 0),
	};
	return true;
}

static bool group(struct wl_range_name *name, size_t n, struct wl_arena *arena)
{
	const char **text = WL_NEW(arena, const char *, n);
	const uint32_t *exact, *label;

	/*
	 * Names of several processes are grouped by their text, because domain ids and keys belong
	 * to a process.
	 */
	for (size_t i = 0; text && i < n; i++)
		text[i] = name[i].exact;
	exact = text ? wl_texts_merge(text, n, arena) : NULL;
	for (size_t i = 0; exact && i < n; i++)
		text[i] = name[i].label_text;
	label = exact ? wl_texts_merge(text, n, arena) : NULL;
	for (size_t i = 0; label && i < n; i++) {
		name[i].same_exact = exact[i];
		name[i].label = label[i];
	}
	return label != NULL;
}

static bool make_names(const struct wl_trace *t, const struct wl_intern *keys,
		       struct wl_arena *arena, struct wl_range_names *ret)
{
	const struct key *key = keys->items.data;
	size_t n = keys->items.n;
	struct wl_range_name *name = WL_NEW(arena, struct wl_range_name, n);
	struct wl_domains domains;

	if (!name || !wl_domains_find(t, arena, &domains))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!make_name(t, &domains, &key[i], arena, &name[i]))
			return false;
	}
	ret->name = name;
	ret->n = n;
	return group(name, n, arena);
}

bool wl_range_names_find(const struct wl_derived *derived, struct wl_arena *arena,
			 struct wl_range_names *ret)
{
	const struct wl_trace *t = derived->trace;
	uint32_t *of = WL_NEW(arena, uint32_t, t->family[WL_F_NVTX].n);
	struct wl_intern keys;
	bool ok;

	if (!of)
		return false;
	wl_intern_init(&keys, sizeof(struct key), wl_arena_budget(arena));
	ok = number_ranges(t, &keys, of) && make_names(t, &keys, arena, ret);
	wl_intern_release(&keys);
	ret->of = of;
	return ok;
}
