#include "cli/pager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/proc.h"
#include "cli/status.h"

enum { MAX_WORDS = 16 };

static const char *pager_command(void)
{
	const char *pager = getenv("PAGER");

	return pager && *pager && strcmp(pager, "cat") != 0 && wl_stdout_is_terminal() ? pager
										       : NULL;
}

FILE *wl_pager_begin(struct wl_pager *p)
{
	p->held = pager_command() ? tmpfile() : NULL;
	return p->held ? p->held : stdout;
}

static int check(FILE *stream, struct wl_err *reterr)
{
	if (fflush(stream) == 0 && !ferror(stream))
		return WL_OK;
	return wl_fail(reterr, WL_E_OUTPUT, "standard output: the result could not be written");
}

static bool fits_screen(FILE *held)
{
	struct winsize size;
	int c, lines = 0;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0)
		return true;
	while (lines < size.ws_row && (c = fgetc(held)) != EOF)
		lines += c == '\n';
	return lines < size.ws_row;
}

/* The words of $PAGER, without a shell. */
static bool run_pager(const char *command, int in_fd)
{
	const char *argv[MAX_WORDS + 1] = { NULL };
	char *copy = strdup(command), *rest = copy, *word;
	size_t n = 0;
	int code = 1;
	bool ok;

	while (copy && n < MAX_WORDS && (word = strtok_r(rest, " ", &rest)) != NULL)
		argv[n++] = word;
	ok = n > 0 && wl_proc_foreground(argv, in_fd, &code, NULL) == WL_OK && code == 0;
	free(copy);
	return ok;
}

int wl_pager_end(struct wl_pager *p, struct wl_err *reterr)
{
	char buf[4096];
	size_t n;
	int r;

	if (!p->held)
		return check(stdout, reterr);
	r = check(p->held, reterr);
	rewind(p->held);
	if (r == WL_OK && !fits_screen(p->held)) {
		(void)lseek(fileno(p->held), 0, SEEK_SET);
		if (run_pager(pager_command(), fileno(p->held))) {
			(void)fclose(p->held);
			return WL_OK;
		}
	}
	rewind(p->held);
	while (r == WL_OK && (n = fread(buf, 1, sizeof(buf), p->held)) > 0)
		(void)fwrite(buf, 1, n, stdout);
	(void)fclose(p->held);
	return r < 0 ? r : check(stdout, reterr);
}
