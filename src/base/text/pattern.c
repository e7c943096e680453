/* SPDX-License-Identifier: MIT */
#include "base/text/pattern.h"

#include <string.h>

#include "base/text/utf8.h"

int wl_pattern_init(struct wl_pattern *p, const char *text, struct wl_err *reterr)
{
	*p = (struct wl_pattern){ .part = NULL };
	if (strncmp(text, "re:", 3) != 0)
		p->part = text;
	if (*text == '\0' || strcmp(text, "re:") == 0)
		return wl_fail(reterr, WL_E_USAGE,
			       "an empty pattern; write part of a name, or re: and a regular "
			       "expression");
	return p->part ? WL_OK : wl_regex_new(text + 3, WL_REGEX_PLAIN, &p->regex, reterr);
}

void wl_pattern_release(struct wl_pattern *p)
{
	wl_regex_free(p->regex);
	p->regex = NULL;
}

bool wl_pattern_matches(const struct wl_pattern *p, const char *name)
{
	if (p->part)
		return strcasestr(name, p->part) != NULL;
	return wl_regex_match(p->regex, name, strlen(name)) == 1;
}

/* The first match from a byte on. */
static bool find_from(const struct wl_pattern *p, const char *name, size_t from,
		      struct wl_regex_span *ret)
{
	struct wl_regex_span group;
	const char *at;

	if (!p->part)
		return wl_regex_find(p->regex, name, strlen(name), from, ret, &group) == 1;
	at = strcasestr(name + from, p->part);
	if (at)
		*ret = (struct wl_regex_span){ (size_t)(at - name),
					       (size_t)(at - name) + strlen(p->part) };
	return at != NULL;
}

bool wl_pattern_last(const struct wl_pattern *p, const char *name, struct wl_regex_span *ret)
{
	struct wl_regex_span match;
	size_t from = 0;
	bool any = false;

	while (find_from(p, name, from, &match)) {
		const char *next = name + match.end;

		*ret = match;
		any = true;
		if (*next == '\0')
			break;
		/* A match of nothing must not be found again. */
		if (match.end == match.begin)
			(void)wl_utf8_next(&next);
		from = (size_t)(next - name);
	}
	return any;
}

bool wl_glob_matches(const char *glob, const char *name)
{
	/* Only the last star need ever take more: what an earlier one took is settled. */
	const char *after_star = NULL, *retry = NULL;

	while (*name || *glob == '*') {
		if (*glob == '*') {
			after_star = ++glob;
			retry = name;
		} else if (*name && *glob == '?') {
			(void)wl_utf8_next(&name);
			glob++;
		} else if (*name && *glob == *name) {
			glob++;
			name++;
		} else if (after_star && *retry) {
			(void)wl_utf8_next(&retry);
			glob = after_star;
			name = retry;
		} else {
			return false;
		}
	}
	return *glob == '\0';
}
