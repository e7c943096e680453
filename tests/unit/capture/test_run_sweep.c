/* SPDX-License-Identifier: MIT */
#include "capture/runs/sweep.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

static struct wl_arena arena;

static void join(const char *const *argv, char *ret, size_t size)
{
	ret[0] = '\0';
	for (size_t i = 0; argv[i]; i++)
		(void)snprintf(ret + strlen(ret), size - strlen(ret), "%s%s", i ? "|" : "",
			       argv[i]);
}

/* Lines that the runs must be, in order; NULL ends. */
static void expect(const char *const *text, size_t n, const char *const *argv,
		   const char *const *want)
{
	struct wl_err err = { .code = WL_OK };
	struct wl_sweep sweep;
	char line[512];
	size_t i = 0;

	wl_arena_init(&arena, 1 << 20);
	if (wl_sweep_make(text, n, argv, &arena, &sweep, &err) < 0)
		fail_msg("%s", err.msg);
	for (; want[i]; i++) {
		assert_true(i < sweep.n_runs);
		join(sweep.run[i].argv, line, sizeof(line));
		assert_string_equal(line, want[i]);
		assert_int_equal(sweep.run[i].n_pairs, n);
	}
	assert_int_equal(sweep.n_runs, i);
	wl_arena_release(&arena);
}

TEST(the_first_parameter_varies_slowest)
{
	static const char *const text[] = { "lr=1,2", "mode=a,b,c" };
	static const char *const argv[] = { "t", "{lr}", "x{mode}y{lr}", NULL };
	static const char *const want[] = { "t|1|xay1", "t|1|xby1", "t|1|xcy1", "t|2|xay2",
					    "t|2|xby2", "t|2|xcy2", NULL };

	expect(text, 2, argv, want);
}

TEST(parameters_without_braces_become_options)
{
	static const char *const text[] = { "lr=0.1,0.2", "mode=a" };
	static const char *const argv[] = { "t", "-m={mode}", NULL };
	static const char *const want[] = { "t|-m=a|--lr=0.1", "t|-m=a|--lr=0.2", NULL };

	expect(text, 2, argv, want);
	expect(NULL, 0, argv, (const char *const[]){ "t|-m={mode}", NULL });
}

/* Values are not looked through, other braces stay, a comma may be part of a value. */
TEST(values_are_taken_as_they_are)
{
	static const char *const text[] = { "a={b},x\\,y", "b=1" };
	static const char *const argv[] = { "t", "{a}{b}{c}{{a}}", "{\"a\": 1}", NULL };
	static const char *const want[] = { "t|{b}1{c}{{b}}|{\"a\": 1}",
					    "t|x,y1{c}{x,y}|{\"a\": 1}", NULL };

	expect(text, 2, argv, want);
}

static void refuse(const char *const *text, size_t n, const char *message)
{
	static const char *const argv[] = { "t", NULL };
	struct wl_err err = { .code = WL_OK };
	struct wl_sweep sweep;

	wl_arena_init(&arena, 1 << 20);
	assert_int_equal(wl_sweep_make(text, n, argv, &arena, &sweep, &err), WL_E_USAGE);
	if (!strstr(err.msg, message))
		fail_msg("no \"%s\" in: %s", message, err.msg);
	wl_arena_release(&arena);
}

TEST(what_is_no_sweep_is_refused)
{
	static const char *const bad[] = { "lr", "=1", "-lr=1", "l r=1", "" };
	char many[3 * 65 + 8] = "n=";

	for (size_t i = 0; i < WL_COUNT(bad); i++)
		refuse(&bad[i], 1, "write NAME=VALUE,VALUE");
	refuse((const char *const[]){ "a=1,,2" }, 1, "a value is empty");
	refuse((const char *const[]){ "a=" }, 1, "a value is empty");
	refuse((const char *const[]){ "a=1," }, 1, "a value is empty");
	refuse((const char *const[]){ "a=1,2,1" }, 1, "1 is there twice");
	refuse((const char *const[]){ "a=1", "a=2" }, 2, "given twice");
	refuse((const char *const[]){ "a=1,2,3,4,5,6,7", "b=1,2,3,4,5,6,7", "c=1,2,3,4,5,6,7" }, 3,
	       "more than 256 runs");
	refuse((const char *const[]){ "a=1", "b=1", "c=1", "d=1", "e=1", "f=1", "g=1", "h=1",
				      "i=1" },
	       9, "more than 8 parameters");
	for (int i = 10; i < 75; i++)
		(void)snprintf(many + strlen(many), sizeof(many) - strlen(many), "%d%s", i,
			       i < 74 ? "," : "");
	refuse((const char *const[]){ many }, 1, "more than 64 values");
}

TEST(every_budget_ends_well)
{
	static const char *const text[] = { "lr=1,2", "mode=a,b" };
	static const char *const argv[] = { "t", "{lr}", NULL };
	int r = WL_E_NOMEM;

	for (size_t bytes = 0; r == WL_E_NOMEM && bytes < 100000; bytes += 64) {
		struct wl_sweep sweep;

		wl_arena_init(&arena, bytes);
		r = wl_sweep_make(text, 2, argv, &arena, &sweep, NULL);
		wl_arena_release(&arena);
	}
	assert_int_equal(r, WL_OK);
}
