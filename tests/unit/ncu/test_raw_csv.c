/* SPDX-License-Identifier: MIT */
#include "ncu/raw_csv.h"

#include <string.h>

#include "base/memory/intern.h"
#include "ncu/metric_units.h"
#include "ncu/read.h"
#include "support/unit.h"

#define HEAD                                                                                       \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "                           \
	"Name\",\"Context\",\"Stream\","                                                           \
	"\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
#define UNITS "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
#define LAUNCH(id)                                                                                 \
	"\"" id "\",\"41\",\"a.out\",\"host\",\"k<\"\"x\"\", 1>(int)\",\"1\",\"7\","               \
	"\"(256, 2, 1)\",\"(16, 8, 4)\",\"3\",\"8.6\","

enum { BUDGET = 1 << 20 };

static struct wl_arena arena;

static int parse(const char *text, struct wl_ncu *ret, struct wl_err *err)
{
	wl_arena_init(&arena, BUDGET);
	return wl_ncu_parse("x.csv", (const unsigned char *)text, strlen(text), &arena, ret, err);
}

static struct wl_ncu good(const char *text)
{
	struct wl_ncu ncu;
	struct wl_err err = { .code = WL_OK };

	if (parse(text, &ncu, &err) != WL_OK)
		fail_msg("%s", err.msg);
	return ncu;
}

static void done(struct wl_ncu *ncu)
{
	wl_ncu_release(ncu);
	wl_arena_release(&arena);
}

/* The only value of the first launch. */
static double only(const char *text)
{
	struct wl_ncu ncu = good(text);
	double v;

	assert_int_equal(ncu.values.n, 1);
	v = wl_ncu_values(&ncu, wl_ncu_launch(&ncu, 0))->number;
	done(&ncu);
	return v;
}

static void refused(const char *text, const char *words)
{
	struct wl_ncu ncu;
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(parse(text, &ncu, &err), WL_E_FORMAT);
	if (!strstr(err.msg, words))
		fail_msg("\"%s\" is not in \"%s\"", words, err.msg);
	done(&ncu);
}

TEST(a_row_is_a_launch)
{
	struct wl_ncu ncu = good(HEAD "\"a__b.sum\"\n" UNITS
				      "\"\"\n" LAUNCH("5") "\"12\"\n" LAUNCH("6") "\"13\"\n");
	const struct wl_ncu_launch *l = wl_ncu_launch(&ncu, 0);

	assert_int_equal(ncu.launches.n, 2);
	assert_int_equal(l->id, 5);
	assert_int_equal(l->pid, 41);
	assert_string_equal(l->kernel, "k<\"x\", 1>(int)");
	assert_int_equal(l->context, 1);
	assert_int_equal(l->stream, 7);
	assert_int_equal(l->device, 3);
	assert_int_equal(l->cc, 86);
	assert_int_equal(l->block[0], 256);
	assert_int_equal(l->block[1], 2);
	assert_int_equal(l->grid[0], 16);
	assert_int_equal(l->grid[2], 4);
	assert_int_equal(ncu.metrics.n, 1);
	assert_string_equal(wl_ncu_metric(&ncu, 0), "a__b.sum");
	assert_int_equal(wl_ncu_find(&ncu, "a__b.sum"), 0);
	assert_int_equal(wl_ncu_find(&ncu, "a__b"), WL_NONE);
	assert_float_equal(wl_ncu_values(&ncu, wl_ncu_launch(&ncu, 1))->number, 13, 0);
	done(&ncu);
}

TEST(values_come_in_base_units)
{
	assert_float_equal(only(HEAD "\"t\"\n" UNITS "\"usecond\"\n" LAUNCH("0") "\"1.5\"\n"), 1500,
			   0);
	assert_float_equal(only(HEAD "\"t\"\n" UNITS "\"nsecond\"\n" LAUNCH("0") "\"1,234\"\n"),
			   1234, 0);
	assert_float_equal(only(HEAD "\"t\"\n" LAUNCH("0") "\"1e3\"\n"), 1000, 0);
}

TEST(units_of_old_and_new_versions)
{
	static const struct {
		const char *unit;
		double scale;
	} cases[] = {
		{ "", 1 },
		{ "%", 1 },
		{ "nsecond", 1 },
		{ "msecond", 1e6 },
		{ "second", 1e9 },
		{ "us", 1e3 },
		{ "s", 1e9 },
		{ "byte", 1 },
		{ "Kbyte", 1e3 },
		{ "Gbyte", 1e9 },
		{ "Ghz", 1e9 },
		{ "Mhz", 1e6 },
		{ "inst", 1 },
		{ "Mbyte/s", 1e6 },
		{ "Gbyte/second", 1e9 },
		{ "byte/cycle", 1 },
		{ "cycle/nsecond", 1e9 },
		{ "cycle/usecond", 1e6 },
		{ "Kbyte/block", 1e3 },
		{ "register/thread", 1 },
		{ "K", 1 },
	};

	for (size_t i = 0; i < WL_COUNT(cases); i++) {
		double scale = wl_metric_unit_scale(cases[i].unit, strlen(cases[i].unit));

		if (scale < cases[i].scale * 0.999999 || scale > cases[i].scale * 1.000001)
			fail_msg("%s is %g", cases[i].unit, scale);
	}
}

TEST(messages_of_ncu_and_other_line_ends_do_not_matter)
{
	assert_float_equal(only("==WARNING== no sections\r\n==PROF== x\r\n" HEAD "\"t\"\r\n" UNITS
				"\"\"\r\n" LAUNCH("0") "\"2\"\r\n==done\r\n"),
			   2, 0);
}

TEST(absent_values_are_left_out_and_texts_are_kept)
{
	struct wl_ncu ncu = good(HEAD "\"a\",\"b\",\"c\"\n" UNITS "\"\",\"\",\"\"\n" LAUNCH(
		"0") "\"\",\"no data\",\"NVIDIA, GB200\"\n");

	assert_int_equal(ncu.values.n, 1);
	assert_int_equal(wl_ncu_values(&ncu, wl_ncu_launch(&ncu, 0))->metric, 2);
	assert_string_equal(wl_ncu_values(&ncu, wl_ncu_launch(&ncu, 0))->text, "NVIDIA, GB200");
	done(&ncu);
}

TEST(other_files_are_refused_with_what_to_do)
{
	refused("", "neither an Nsight Compute report");
	refused("hello\nworld\n", "--page raw --csv");
	refused("\"ID\",\"Kernel Name\",\"Metric Name\"\n", "this is the details page");
	refused("\"ID\",\"Metric\"\n", "neither an Nsight Compute report");
	refused("\"ID\",\"Metric Name\",\"Metric Value\"\n", "this is the details page");
	refused(HEAD "\"t\"\n" UNITS "\"\"\n\"0\",\"1\"\n", "row 3 does not have the 12 cells");
	refused(HEAD "\"t\"\n" UNITS "\"\"\n" LAUNCH("0") "\"2\",\"3\"\n", "row 3 does not have");
	refused(HEAD "\"t\n", "neither an Nsight Compute report");
	refused(HEAD "\"t\"\n" UNITS "\"\"\n" LAUNCH("0") "\"2", "row 3");
}

TEST(every_budget_ends_in_an_answer_or_no_memory)
{
	static const char text[] =
		HEAD "\"a\",\"b\"\n" UNITS
		     "\"\",\"\"\n" LAUNCH("0") "\"1\",\"x\"\n" LAUNCH("1") "\"2\",\"y\"\n";
	bool is_enough = false;

	for (size_t bytes = 0; !is_enough; bytes += 64) {
		struct wl_ncu ncu;
		struct wl_err err = { .code = WL_OK };
		int r;

		wl_arena_init(&arena, bytes);
		r = wl_ncu_parse("x", (const unsigned char *)text, sizeof(text) - 1, &arena, &ncu,
				 &err);
		assert_true(r == WL_OK || (r == WL_E_NOMEM && err.code == r));
		is_enough = r == WL_OK;
		done(&ncu);
		assert_true(bytes < BUDGET);
	}
}
