/* SPDX-License-Identifier: MIT */
/* page_write.c - the bytes of the page: page.html with its markers replaced. */
#include <string.h>

#include "base/text/base64.h"
#include "base/text/put.h"
#include "known/builtin.h"
#include "serve/page/page_parts.h"

static void write_bytes(struct wl_page_out *out, const char *s, size_t n)
{
	out->n += n;
	if (out->file)
		wl_put_bytes(out->file, s, n);
	if (out->sum)
		wl_sha256_put(out->sum, s, n);
}

static void put_text(struct wl_page_out *out, const char *s)
{
	write_bytes(out, s, strlen(s));
}

/* Text between tags. */
static void put_escaped(struct wl_page_out *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			put_text(out, "&lt;");
		else if (*s == '&')
			put_text(out, "&amp;");
		else if ((unsigned char)*s >= ' ')
			write_bytes(out, s, 1);
	}
}

static void put_builtin(struct wl_page_out *out, const char *name)
{
	size_t size;
	const char *text = wl_builtin_find("web", name, &size);

	if (text)
		write_bytes(out, text, size);
}

static bool has_stacks(const struct wl_page *page)
{
	for (size_t i = 0; i < page->show.n; i++) {
		if (page->show.scene[i]->trace->n_stacks)
			return true;
	}
	return false;
}

static bool is_mark(const char *mark, const char *word)
{
	return strncmp(mark, word, strlen(word)) == 0 && mark[strlen(word)] == '\n';
}

/* Whether the page needs the modules at a mark of tools/bundle. A server's page, without data,
 * needs all. */
static bool is_needed(const char *mark, const struct wl_page *page)
{
	return !page || (is_mark(mark, "stacks") && has_stacks(page)) ||
	       (is_mark(mark, "pair") && page->show.n > 1);
}

/* Without the modules that tools/bundle marks, where they have nothing to do. */
static void put_script(struct wl_page_out *out, const struct wl_page *page)
{
	static const char begin[] = "\n//{", end[] = "\n//}";
	size_t size;
	const char *text = wl_builtin_find("web", "main.js", &size), *cut, *behind;

	if (!text)
		return;
	while ((cut = strstr(text, begin)) != NULL && (behind = strstr(cut, end)) != NULL) {
		const bool is_kept = is_needed(cut + strlen(begin), page);

		behind += strlen(end) + strcspn(behind + strlen(end), "\n");
		write_bytes(out, text, (size_t)((is_kept ? behind : cut) - text));
		text = behind;
	}
	put_text(out, text);
}

/* Of what stands between the tags, with the ends of lines around the marker. */
void wl_page_script_source(const struct wl_page *page, char ret[WL_SCRIPT_SOURCE])
{
	static const char kind[] = "sha256-";
	char hex[WL_SHA256_HEX], *at = ret + strlen(kind);
	unsigned char bytes[sizeof(((struct wl_sha256 *)0)->state)];
	struct wl_sha256 sum;
	struct wl_page_out out = { .sum = &sum };

	wl_sha256_init(&sum);
	put_text(&out, "\n");
	put_script(&out, page);
	put_text(&out, "\n");
	wl_sha256_finish(&sum, hex);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(sum.state[i / 4] >> (24 - 8 * (i % 4)));
	(void)snprintf(ret, WL_SCRIPT_SOURCE, "%s", kind);
	wl_base64_write(bytes, sizeof(bytes), at);
	at[wl_base64_size(sizeof(bytes))] = '\0';
}

static void put_hash(struct wl_page_out *out, const struct wl_page *page)
{
	char source[WL_SCRIPT_SOURCE];

	wl_page_script_source(page, source);
	put_text(out, source);
}

/* ---- Data ---- */

enum { ROUND = 3 << 12 }; /* bytes that are encoded at once */

static void put_piece(struct wl_page_out *out, const unsigned char *data, size_t n)
{
	char buf[ROUND / 3 * 4];

	put_text(out, "<script type=\"application/x-b64\">");
	for (size_t i = 0; i < n; i += ROUND) {
		size_t part = n - i < ROUND ? n - i : ROUND;

		if (out->file)
			wl_base64_write(data + i, part, buf);
		write_bytes(out, buf, wl_base64_size(part));
	}
	put_text(out, "</script>\n");
}

static void put_source(struct wl_page_out *out, const struct wl_page *page)
{
	const unsigned char *data;

	if (!page) {
		put_text(out, "<meta name=\"source\" content=\"server\">");
		return;
	}
	data = page->pack.data.data;
	put_text(out, "<script type=\"application/json\" id=\"head\">");
	write_bytes(out, page->head, page->head_size);
	put_text(out, "</script>\n");
	for (size_t at = 0; at < page->pack.data.n; at += WL_PIECE_BYTES) {
		size_t left = page->pack.data.n - at;

		put_piece(out, data + at, left < WL_PIECE_BYTES ? left : WL_PIECE_BYTES);
	}
}

/* ---- Markup ---- */

static void put_marker(struct wl_page_out *out, const char *name, size_t n, const char *title,
		       const struct wl_page *page)
{
	if (n == 5 && memcmp(name, "TITLE", n) == 0)
		put_escaped(out, title);
	else if (n == 5 && memcmp(name, "STYLE", n) == 0)
		put_builtin(out, "style.css");
	else if (n == 6 && memcmp(name, "SCRIPT", n) == 0)
		put_script(out, page);
	else if (n == 6 && memcmp(name, "SOURCE", n) == 0)
		put_source(out, page);
	else if (n == 4 && memcmp(name, "HASH", n) == 0)
		put_hash(out, page);
	else if (n == 7 && memcmp(name, "CONNECT", n) == 0)
		put_text(out, page ? "'none'" : "'self'");
	else /* an at sign of its own */
		write_bytes(out, name - 1, n + 2);
}

void wl_page_put(struct wl_page_out *out, const char *title, const struct wl_page *page)
{
	size_t size;
	const char *text = wl_builtin_find("web", "page.html", &size), *at;

	while (text && (at = strchr(text, '@')) != NULL) {
		size_t n = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		write_bytes(out, text, (size_t)(at - text));
		if (n == 0 || at[n + 1] != '@') {
			write_bytes(out, at, 1);
			text = at + 1;
			continue;
		}
		put_marker(out, at + 1, n, title, page);
		text = at + n + 2;
	}
	if (text)
		put_text(out, text);
}

void wl_page_write(const struct wl_page *page, FILE *out)
{
	wl_page_put(&(struct wl_page_out){ .file = out }, page->title, page);
}

void wl_page_write_server(FILE *out)
{
	wl_page_put(&(struct wl_page_out){ .file = out }, "warplens", NULL);
}
