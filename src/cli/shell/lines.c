/* SPDX-License-Identifier: MIT */
/*
 * lines.c - libedit, kept from doing what it should not.
 *
 * libedit's own signal handlers send every signal on to the whole process group, and its reading
 * goes on after the first signal. Characters are therefore read here: signals are blocked except
 * while poll() waits, so that none is missed and none comes at another place.
 */
#include "cli/shell/lines.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/clean.h"
#include "base/text/utf8.h"

enum { REMEMBERED = 1000, LISTED = 120, COLUMN_GAP = 2 };

struct wl_lines {
	struct wl_lines_opts opts;
	EditLine *edit;
	History *history;
	const char *prompt;
	char *line;
	sigset_t while_waiting; /* the mask that poll() has */
};

/* A handler has nothing else to write to. */
static atomic_int resized;

static void on_resize(int number)
{
	(void)number;
	resized = 1;
}

static struct wl_lines *lines_of(EditLine *edit)
{
	void *lines = NULL;

	(void)el_get(edit, EL_CLIENTDATA, &lines);
	return lines;
}

static char *prompt_of(EditLine *edit)
{
	/* libedit wants to be able to change it, and does not. */
	union {
		const char *text;
		char *ret;
	} prompt = { lines_of(edit)->prompt };

	return prompt.ret;
}

/* ---- Reading ---- */

/* Wait for input: 1 when there is some, -1 after a signal that ends reading. */
static int wait(struct wl_lines *l)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!*l->opts.stop) {
		int n = ppoll(&fd, 1, NULL, &l->while_waiting);

		if (n > 0)
			return 1;
		if (resized) {
			resized = 0;
			el_resize(l->edit);
		}
		if (n < 0 && errno != EINTR)
			return -1;
	}
	return -1;
}

/* A character of UTF-8: 1, 0 at the end of input, -1 after a signal. */
static int read_char(EditLine *edit, wchar_t *ret)
{
	struct wl_lines *l = lines_of(edit);
	char bytes[WL_UTF8_MAX];
	size_t n = 0;

	while (n < sizeof(bytes)) {
		uint32_t cp;
		ssize_t got;

		if (wait(l) < 0)
			return -1;
		got = read(STDIN_FILENO, bytes + n, 1);
		if (got <= 0)
			return (int)got;
		n++;
		/* What is cut decodes as invalid, but with all of its bytes. */
		if (wl_utf8_decode(bytes, n, &cp) < n || cp != WL_UTF8_INVALID) {
			*ret = cp == WL_UTF8_INVALID ? (wchar_t)WL_UTF8_REPLACEMENT : (wchar_t)cp;
			return 1;
		}
		if (!((unsigned char)bytes[0] & 0x80))
			break;
	}
	*ret = (wchar_t)WL_UTF8_REPLACEMENT;
	return 1;
}

/* ---- Completion ---- */

/* How many bytes all continuations begin with. */
static size_t common_of(const struct wl_continuations *c)
{
	size_t n = strlen(c->text[0]);

	for (size_t i = 1; i < c->n; i++) {
		size_t k = 0;

		while (k < n && c->text[i][k] == c->text[0][k])
			k++;
		n = k;
	}
	return n;
}

/* Below the line, in columns; the line is drawn again behind them. */
static void list(EditLine *edit, const struct wl_continuations *c)
{
	size_t n = c->n < LISTED ? c->n : LISTED, width = 0, per_line;
	int columns = 80;

	(void)el_get(edit, EL_GETTC, "co", &columns, NULL);
	for (size_t i = 0; i < n; i++) {
		size_t w = wl_utf8_width(c->text[i]);

		width = w > width ? w : width;
	}
	per_line = (size_t)(columns > 0 ? columns : 80) / (width + COLUMN_GAP);
	per_line = per_line ? per_line : 1;
	(void)fputc('\n', stdout);
	for (size_t i = 0; i < n; i++) {
		wl_put_clean(stdout, c->text[i]);
		if ((i + 1) % per_line == 0 || i + 1 == n)
			(void)fputc('\n', stdout);
		else
			(void)printf("%*s", (int)(width + COLUMN_GAP - wl_utf8_width(c->text[i])),
				     "");
	}
	if (c->n > n)
		(void)printf("and %zu more\n", c->n - n);
	(void)fflush(stdout);
}

static void replace_word(EditLine *edit, const struct wl_continuations *c, size_t n)
{
	char word[256];

	if (n >= sizeof(word))
		return;
	memcpy(word, c->text[0], n);
	word[n] = '\0';
	el_deletestr(edit, (int)c->word);
	(void)el_insertstr(edit, word);
}

static unsigned char complete(EditLine *edit, int key)
{
	const struct wl_lines *l = lines_of(edit);
	const LineInfo *info = el_line(edit);
	struct wl_continuations c;
	size_t n, cursor = (size_t)(info->cursor - info->buffer);
	char *line = strndup(info->buffer, (size_t)(info->lastchar - info->buffer));

	(void)key;
	if (!line)
		return CC_ERROR;
	c = l->opts.continuations(l->opts.ctx, line, cursor);
	free(line);
	if (c.n == 0)
		return CC_ERROR;
	n = common_of(&c);
	if (c.n == 1 || n > c.word) {
		replace_word(edit, &c, n);
		/* A word that is whole is followed by another, but for a call. */
		if (c.n == 1 && n && c.text[0][n - 1] != '(')
			(void)el_insertstr(edit, " ");
		return CC_REFRESH;
	}
	list(edit, &c);
	return CC_REDISPLAY;
}

/* ---- Life ---- */

static bool set_up(struct wl_lines *l)
{
	HistEvent event;

	l->history = history_init();
	l->edit = el_init("warplens", stdin, stdout, stderr);
	if (!l->history || !l->edit)
		return false;
	(void)history(l->history, &event, H_SETSIZE, REMEMBERED);
	(void)history(l->history, &event, H_SETUNIQUE, 1);
	(void)el_set(l->edit, EL_CLIENTDATA, l);
	(void)el_set(l->edit, EL_PROMPT, prompt_of);
	(void)el_set(l->edit, EL_EDITOR, "emacs");
	(void)el_set(l->edit, EL_SIGNAL, 0);
	/*
	 * Else the terminal discards what is written while it sends the signal of Ctrl-C, which
	 * can be the next prompt already.
	 */
	(void)el_set(l->edit, EL_SETTY, "-d", "+noflsh", NULL);
	(void)el_set(l->edit, EL_HIST, history, l->history);
	(void)el_set(l->edit, EL_GETCFN, read_char);
	/* Wide, because libedit keeps copies of narrow names and never frees them. */
	(void)el_wset(l->edit, EL_ADDFN, L"wl-complete", L"Complete a name", complete);
	(void)el_set(l->edit, EL_BIND, "^I", "wl-complete", NULL);
	(void)el_set(l->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	/* The user's ~/.editrc, if there is one. */
	(void)el_source(l->edit, NULL);
	return true;
}

int wl_lines_open(const struct wl_lines_opts *opts, struct wl_lines **ret, struct wl_err *reterr)
{
	struct sigaction resize = { .sa_handler = on_resize };
	struct wl_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return wl_fail(reterr, WL_E_NOMEM, "no memory to edit lines");
	l->opts = *opts;
	if (!set_up(l)) {
		wl_lines_close(l);
		return wl_fail(reterr, WL_E_IO, "the terminal cannot be used to edit lines");
	}
	(void)sigemptyset(&resize.sa_mask);
	(void)sigaction(SIGWINCH, &resize, NULL);
	*ret = l;
	return WL_OK;
}

void wl_lines_close(struct wl_lines *lines)
{
	if (!lines)
		return;
	if (lines->edit)
		el_end(lines->edit);
	if (lines->history)
		history_end(lines->history);
	(void)signal(SIGWINCH, SIG_DFL);
	free(lines->line);
	free(lines);
}

static void block(struct wl_lines *l)
{
	sigset_t signals;

	(void)sigemptyset(&signals);
	(void)sigaddset(&signals, SIGINT);
	(void)sigaddset(&signals, SIGTERM);
	(void)sigaddset(&signals, SIGHUP);
	(void)sigaddset(&signals, SIGQUIT);
	(void)sigaddset(&signals, SIGWINCH);
	(void)sigprocmask(SIG_BLOCK, &signals, &l->while_waiting);
}

enum wl_lines_status wl_lines_read(struct wl_lines *lines, const char *prompt,
				   const char **ret_line)
{
	const char *text;
	int n = 0;

	lines->prompt = prompt;
	if (resized)
		el_resize(lines->edit);
	resized = 0;
	block(lines);
	/* Before the prompt: what is typed right behind it would be shown twice. */
	(void)el_set(lines->edit, EL_PREP_TERM, 1);
	text = el_gets(lines->edit, &n);
	(void)sigprocmask(SIG_SETMASK, &lines->while_waiting, NULL);
	free(lines->line);
	lines->line = text && n > 0 ? strdup(text) : NULL;
	if (!lines->line) {
		(void)fputc('\n', stdout);
		(void)fflush(stdout);
		return *lines->opts.stop ? WL_LINES_STOPPED : WL_LINES_END;
	}
	lines->line[strcspn(lines->line, "\n")] = '\0';
	*ret_line = lines->line;
	return WL_LINES_TEXT;
}

void wl_lines_remember(struct wl_lines *lines, const char *line)
{
	HistEvent event;

	(void)history(lines->history, &event, H_ENTER, line);
}
