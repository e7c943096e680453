/* SPDX-License-Identifier: MIT */
/*
 * step_log.h - step times out of what a program printed.
 *
 * Read are lines and states of progress bars with
 *     a time or rate per step:  2.97it/s, 345ms/step, 1.31 s/iter
 *     a key that says so:       elapsed time per iteration (ms): 345.6, step_time=0.345s
 *     a numbered step and exactly one time: iter 100: loss 2.31, time 52.10ms
 * Lines about loading, saving, compiling, evaluation and requests are left out, and so are rates
 * of tokens and samples, which do not say how many are in a step.
 */
#ifndef WL_KNOWN_STEP_LOG_H
#define WL_KNOWN_STEP_LOG_H

#include <stddef.h>
#include <stdint.h>

struct wl_step_log {
	int64_t median; /* ns per step, of the last 512 lines; 0: nothing is said, or it is unclear
			 */
	uint64_t lines; /* that say it */
};

/*
 * Lines with the same words before the time are of one kind. Unclear is a text in which no kind
 * has three lines, two kinds disagree by more than 5%, or the middle half of the times differs by
 * more than a factor of two. The text is untrusted: any bytes. Linear, without allocation.
 */
struct wl_step_log wl_step_log_read(const char *text, size_t len);

#endif
