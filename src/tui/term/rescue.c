/* SPDX-License-Identifier: MIT */
/*
 * rescue.c - signals belong to the process, so this file has state of its own.
 *
 * Handlers do nothing but what POSIX allows them: write(), tcsetattr(), sigaction(),
 * raise() and flags.
 *
 * SIGBUS is also handled by base/map, which repairs pages of files that shrank and passes
 * everything else on to the handler that it found. Either may have come first, and
 * files are mapped and the terminal is opened at any time. So our handler asks the one
 * that it found before it does anything, and takes a signal that comes back to it, or
 * that the other has set to kill, as one that cannot be repaired.
 */
#include "tui/term/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int sig;
	unsigned note;
} asking[] = {
	{ SIGINT, WL_NOTE_END },    { SIGTERM, WL_NOTE_END },  { SIGHUP, WL_NOTE_END },
	{ SIGQUIT, WL_NOTE_END },   { SIGTSTP, WL_NOTE_STOP }, { SIGCONT, WL_NOTE_CONT },
	{ SIGWINCH, WL_NOTE_SIZE },
};

static const int killing[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL };

static struct {
	struct wl_rescue what;
	int pipe[2];
	atomic_uint notes;
	atomic_bool ours;    /* the terminal is to be restored */
	atomic_flag at_work; /* on a SIGBUS that the other handler looks at */
	struct sigaction asked[WL_COUNT(asking)], killed[WL_COUNT(killing)]; /* as found */
} state = { .at_work = ATOMIC_FLAG_INIT };

static void on_ask(int sig)
{
	int saved = errno;
	ssize_t put;

	for (size_t i = 0; i < WL_COUNT(asking); i++) {
		if (asking[i].sig == sig)
			(void)atomic_fetch_or(&state.notes, asking[i].note);
	}
	put = write(state.pipe[1], "", 1);
	(void)put; /* a full pipe is readable, which is all that this is for */
	errno = saved;
}

static void give_back(void)
{
	const char *at = state.what.bytes;
	size_t n = state.what.n;

	if (!atomic_exchange(&state.ours, false))
		return;
	while (n > 0) {
		ssize_t put = write(state.what.fd, at, n);

		if (put < 0 && errno != EINTR)
			break;
		if (put > 0) {
			at += put;
			n -= (size_t)put;
		}
	}
	(void)tcsetattr(state.what.fd, TCSANOW, &state.what.modes);
}

static const struct sigaction *found_for(int sig)
{
	for (size_t i = 0; i < WL_COUNT(killing); i++) {
		if (killing[i] == sig)
			return &state.killed[i];
	}
	return NULL;
}

static const struct sigaction deadly = { .sa_handler = SIG_DFL };

/* A fault happens again when we return, and then meets this action. */
static void die(int sig, const struct sigaction *action)
{
	give_back();
	(void)sigaction(sig, action, NULL);
}

static void on_kill(int sig, siginfo_t *info, void *context)
{
	const struct sigaction *found = found_for(sig);
	struct sigaction now;
	int saved = errno;

	if (info->si_code <= 0) { /* sent by someone: nothing to repair */
		die(sig, &deadly);
		(void)raise(sig);
	} else if (sig != SIGBUS || !(found->sa_flags & SA_SIGINFO)) {
		die(sig, found);
	} else if (atomic_flag_test_and_set(&state.at_work)) {
		die(sig, &deadly);
	} else {
		found->sa_sigaction(sig, info, context);
		if (sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO))
			give_back();
		atomic_flag_clear(&state.at_work);
	}
	errno = saved;
}

static void install(void)
{
	struct sigaction ask = { .sa_handler = on_ask, .sa_flags = SA_RESTART };
	struct sigaction kill = { .sa_sigaction = on_kill, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	(void)sigemptyset(&ask.sa_mask);
	(void)sigemptyset(&kill.sa_mask);
	for (size_t i = 0; i < WL_COUNT(asking); i++)
		(void)sigaction(asking[i].sig, &ask, &state.asked[i]);
	for (size_t i = 0; i < WL_COUNT(killing); i++)
		(void)sigaction(killing[i], &kill, &state.killed[i]);
}

int wl_rescue_open(const struct wl_rescue *what, int *ret_fd, struct wl_err *reterr)
{
	if (pipe2(state.pipe, O_CLOEXEC | O_NONBLOCK) < 0)
		return wl_fail(reterr, WL_E_IO, "no pipe: %s", strerror(errno));
	state.what = *what;
	(void)wl_rescue_notes();
	atomic_store(&state.ours, true);
	install();
	*ret_fd = state.pipe[0];
	return 0;
}

/*
 * A handler that someone has put over ours stays, and still passes on to ours. That is
 * harmless, because nothing is ours any more.
 */
void wl_rescue_close(void)
{
	atomic_store(&state.ours, false);
	for (size_t i = 0; i < WL_COUNT(killing); i++) {
		struct sigaction now;

		if (sigaction(killing[i], NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
		    now.sa_sigaction == on_kill)
			(void)sigaction(killing[i], &state.killed[i], NULL);
	}
	for (size_t i = 0; i < WL_COUNT(asking); i++)
		(void)sigaction(asking[i].sig, &state.asked[i], NULL);
	(void)close(state.pipe[0]);
	(void)close(state.pipe[1]);
}

unsigned wl_rescue_notes(void)
{
	char sink[64];

	while (read(state.pipe[0], sink, sizeof(sink)) > 0)
		;
	return atomic_exchange(&state.notes, 0);
}

/*
 * The others of the group first, with the signal ignored here; then this thread itself,
 * so that it goes no further before it is stopped.
 */
void wl_rescue_stop(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, stop = { .sa_handler = SIG_DFL }, ours;

	(void)sigemptyset(&ignore.sa_mask);
	(void)sigemptyset(&stop.sa_mask);
	(void)sigaction(SIGTSTP, &ignore, &ours);
	(void)kill(0, SIGTSTP);
	(void)sigaction(SIGTSTP, &stop, NULL);
	(void)raise(SIGTSTP);
	(void)sigaction(SIGTSTP, &ours, NULL);
}
