/* SPDX-License-Identifier: MIT */
/*
 * terms.c - looks words up in terms.def and in the built-in documents.
 *
 * A document defines a word in a paragraph that has it in bold, in a table row that starts with it
 * if the table's head makes the row a sentence, or in a section under it as the heading. The first
 * of these counts.
 */
#include "agent/explain/terms.h"

#include <string.h>

#include "known/builtin.h"

enum { MAX_SECTION = 1800, MAX_HITS = 3, MAX_NAME = 64 };

static const char definitions[] = "definitions", glossary_folder[] = "docs",
		  glossary[] = "glossary";

static const struct {
	const char *names, *text, *see;
} terms[] = {
#define WL_TERM(names, text, see) { names, text, see },
#include "agent/explain/terms.def"
#undef WL_TERM
};

static char lower(char c)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	if (c >= 'A' && c <= 'Z')
		return letters[c - 'A'];
	return c;
}

static bool is_between(char c)
{
	return c == ' ' || c == '-' || c == '_';
}

/* The next character that counts, or 0 at the end. */
static char next_of(const char *s, size_t n, size_t *at)
{
	while (*at < n && is_between(s[*at]))
		*at += 1;
	if (*at == n)
		return '\0';
	*at += 1;
	return lower(s[*at - 1]);
}

bool wl_term_is(const char *text, size_t n, const char *term)
{
	size_t m = strlen(term), i = 0, k = 0;

	if (n > 1 && lower(text[n - 1]) == 's')
		n--;
	if (m > 1 && lower(term[m - 1]) == 's')
		m--;
	for (;;) {
		char a = next_of(text, n, &i), b = next_of(term, m, &k);

		if (a != b)
			return false;
		if (a == '\0')
			return true;
	}
}

bool wl_term_is_among(const char *names, const char *term)
{
	for (;;) {
		size_t n = strcspn(names, "|");

		if (wl_term_is(names, n, term))
			return true;
		if (!names[n])
			return false;
		names += n + 1;
	}
}

static size_t put_own(struct wl_prose *p, const char *term)
{
	for (size_t i = 0; i < WL_COUNT(terms); i++) {
		if (!wl_term_is_among(terms[i].names, term))
			continue;
		wl_prose_put(p, terms[i].text);
		if (*terms[i].see)
			wl_prose_say(p, " \"warplens %s TRACE\" measures it.", terms[i].see);
		wl_prose_put(p, "\n\n");
		return 1;
	}
	return 0;
}

/* A piece of a document. */
struct piece {
	const char *s;
	size_t n;
};

static bool is_one_of(char c, const char *chars)
{
	return c && strchr(chars, c);
}

static struct piece trimmed(struct piece text, const char *chars)
{
	while (text.n && is_one_of(*text.s, chars)) {
		text.s++;
		text.n--;
	}
	while (text.n && is_one_of(text.s[text.n - 1], chars))
		text.n--;
	return text;
}

/* The next cell of a table row, from *at on; a bar after a backslash does not end it. */
static bool next_cell(const char **at, const char *end, struct piece *ret)
{
	const char *s = *at;

	if (s >= end || *s != '|')
		return false;
	s++;
	*at = s;
	while (*at < end && (**at != '|' || (*at)[-1] == '\\'))
		*at += 1;
	if (*at == end)
		return false;
	*ret = trimmed((struct piece){ s, (size_t)(*at - s) }, " ");
	return true;
}

static struct piece line_at(const char *s)
{
	return (struct piece){ s, strcspn(s, "\n") };
}

/* How the first two column heads turn a row into a sentence; subject NULL: no sentence. */
struct table_words {
	struct piece subject; /* "Column" */
	const char *verb;
};

/* Heads that continue a sentence starting with the name; other tables define nothing. */
static const struct {
	const char *head, *verb;
} verbs[] = {
	{ "is", "is" },
	{ "means", "means" },
	{ "holds", "holds" },
	{ "defines", "defines" },
	{ "when", "is given when" },
	{ "changes", "changes this:" },
	{ "opens", "opens" },
	{ "waits for", "waits for" },
	{ "groups by", "groups by" },
	{ "the stream has", "is a class of streams with" },
	{ "of the ranges of a label", "has, of the ranges of a label, the" },
};

static bool equals(struct piece a, const char *b)
{
	return a.n == strlen(b) && memcmp(a.s, b, a.n) == 0;
}

static struct table_words words_of(struct piece head)
{
	struct table_words ret = { .verb = NULL };
	const char *at = head.s;
	struct piece second;

	if (!next_cell(&at, head.s + head.n, &ret.subject) ||
	    !next_cell(&at, head.s + head.n, &second))
		return ret;
	for (size_t i = 0; i < WL_COUNT(verbs); i++)
		ret.verb = equals(second, verbs[i].head) ? verbs[i].verb : ret.verb;
	return ret;
}

/* Whether it is the rule below the head of a table. */
static bool is_rule(struct piece line)
{
	return line.n >= 3 && line.s[0] == '|' && line.s[1] == '-';
}

/* Whether it is text, not a formula, which would need its context. */
static bool is_text(struct piece text)
{
	return text.n >= 3 && text.s[0] != '\\' && text.s[0] != '|' &&
	       !(text.s[0] == '`' && text.s[1] == '\\');
}

/* "union of the operations" needs an article; "at most 5 us", "`a` / `b`" and "a share" do not. */
static bool wants_article(const char *verb, struct piece text)
{
	static const char *const others[] = { "the",   "a",    "an",   "one", "at",
					      "what",  "how",  "its",  "own", "whether",
					      "where", "when", "those" };
	struct piece word = { text.s, 0 };

	if ((strcmp(verb, "is") != 0 && strcmp(verb, "means") != 0) || *text.s < 'a' ||
	    *text.s > 'z')
		return false;
	while (word.n < text.n && word.s[word.n] != ' ')
		word.n++;
	for (size_t i = 0; i < WL_COUNT(others); i++) {
		if (equals(word, others[i]))
			return false;
	}
	return true;
}

/* "The column busy is the time in which ..." */
static void put_sentence(struct wl_prose *p, const struct table_words *words, struct piece name,
			 struct piece text)
{
	const struct piece subject = words->subject;

	if (subject.n == 0)
		wl_prose_say(p, "%.*s %s ", (int)name.n, name.s, words->verb);
	else
		wl_prose_say(p, "The %c%.*s %.*s %s ", lower(*subject.s), (int)subject.n - 1,
			     subject.s + 1, (int)name.n, name.s, words->verb);
	wl_prose_put(p, wants_article(words->verb, text) ? "the " : "");
	wl_prose_put_plain(p, text.s, text.n);
	wl_prose_put(p, text.s[text.n - 1] == '.' ? "" : ".");
}

static size_t put_row(struct wl_prose *p, const struct table_words *words, struct piece line,
		      const char *term, const char *page)
{
	const char *at = line.s;
	struct piece name, text;

	if (!words->verb || !next_cell(&at, line.s + line.n, &name) ||
	    !next_cell(&at, line.s + line.n, &text))
		return 0;
	name = trimmed(name, " `");
	if (!wl_term_is(name.s, name.n, term) || !is_text(text))
		return 0;
	put_sentence(p, words, name, text);
	if (strcmp(page, glossary) == 0)
		wl_prose_put(p, " (A word of the source code.)\n\n");
	else
		wl_prose_say(p, " (docs/definitions/%s.md)\n\n", page);
	return 1;
}

static size_t put_rows(struct wl_prose *p, const char *text, const char *term, const char *page)
{
	struct table_words words = { .verb = NULL };
	struct piece before = { text, 0 };

	while (*text) {
		struct piece line = line_at(text);

		if (is_rule(line))
			words = words_of(before);
		else if (put_row(p, &words, line, term, page))
			return 1;
		words.verb = line.n ? words.verb : NULL; /* a blank line ends a table */
		before = line;
		text += line.n + (text[line.n] == '\n');
	}
	return 0;
}

/* The paragraph around a place, between the blank lines before and after it. */
static struct piece paragraph_at(const char *text, const char *at)
{
	const char *from = at, *end = strstr(at, "\n\n");

	while (from > text && !(from[-1] == '\n' && (from - 1 == text || from[-2] == '\n')))
		from--;
	return (struct piece){ from, end ? (size_t)(end - from) : strlen(from) };
}

static size_t put_bold(struct wl_prose *p, const char *text, const char *term, const char *page)
{
	const char *at = text;

	while ((at = strstr(at, "**"))) {
		const char *end = strstr(at + 2, "**");
		struct piece around;

		if (!end)
			return 0;
		if (wl_term_is(at + 2, (size_t)(end - at - 2), term)) {
			around = paragraph_at(text, at);
			wl_prose_put_plain(p, around.s, around.n);
			wl_prose_say(p, " (docs/definitions/%s.md)\n\n", page);
			return 1;
		}
		at = end + 2;
	}
	return 0;
}

/* Bytes of prose after a heading: up to the next heading or table, with an upper bound. */
static size_t section_length(const char *s)
{
	size_t n = 0;

	while (s[n] && s[n] != '#' && s[n] != '|' && n < MAX_SECTION) {
		n += strcspn(s + n, "\n");
		n += s[n] == '\n';
	}
	while (n && s[n - 1] == '\n')
		n--;
	return n;
}

static size_t put_heading(struct wl_prose *p, const char *text, const char *term, const char *page)
{
	while (*text) {
		struct piece line = line_at(text);
		size_t marks = strspn(text, "#");
		const char *body = text + line.n + strspn(text + line.n, "\n");

		if (marks && line.n > marks + 1 &&
		    wl_term_is(text + marks + 1, line.n - marks - 1, term) &&
		    section_length(body)) {
			wl_prose_put_plain(p, body, section_length(body));
			wl_prose_say(p, " (docs/definitions/%s.md)\n\n", page);
			return 1;
		}
		text += line.n + (text[line.n] == '\n');
	}
	return 0;
}

typedef size_t lookup(struct wl_prose *p, const char *text, const char *term, const char *page);

/* A word in terms.def needs no table row: rows are short and depend on the text around them. */
static size_t put_definitions(struct wl_prose *p, const char *term, bool has_own)
{
	static lookup *const ways[] = { put_bold, put_rows, put_heading };
	size_t n = 0, size;
	const char *name;

	for (size_t way = 0; way < WL_COUNT(ways) && n == 0; way++) {
		if (has_own && ways[way] == put_rows)
			continue;
		for (size_t i = 0; (name = wl_builtin_name(definitions, i)) && n < MAX_HITS; i++)
			n += ways[way](p, wl_builtin_find(definitions, name, &size), term, name);
	}
	return n;
}

size_t wl_term_put(struct wl_prose *p, const char *term)
{
	size_t n = put_own(p, term), size;
	const char *text = wl_builtin_find(glossary_folder, glossary, &size);

	if (strlen(term) >= MAX_NAME)
		return 0;
	n += put_definitions(p, term, n > 0);
	if (n == 0 && text)
		n = put_rows(p, text, term, glossary);
	return n;
}

const char *wl_term_name(size_t i)
{
	return i < WL_COUNT(terms) ? terms[i].names : NULL;
}
