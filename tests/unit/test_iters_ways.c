/* What counts as a step where several things repeat. */
#include <stdio.h>
#include <string.h>

#include "derive/iters.h"
#include "support/found.h"
#include "support/unit.h"

static const struct wl_derived_opts plain = { .marker = NULL };

/* Names of kernels that never repeat, so that only ranges can be found. */
static const char *unique(struct found *f)
{
	static char text[32];

	(void)snprintf(text, sizeof(text), "kernel%c%c", 'a' + (int)(f->corr % 26),
		       'a' + (int)(f->corr / 26 % 26));
	return text;
}

/* Steps of 100, numbered from 0 in each epoch. */
static void put_epochs(struct found *f, unsigned n_epochs, unsigned n_steps)
{
	wl_ns t = 1000;
	char name[32];

	for (unsigned e = 0; e < n_epochs; e++) {
		(void)snprintf(name, sizeof(name), "epoch %u", e);
		found_range(f, t, t + 100 * (wl_ns)n_steps, name);
		for (unsigned s = 0; s < n_steps; s++, t += 100) {
			(void)snprintf(name, sizeof(name), "step %u", s);
			found_range(f, t, t + 100, name);
			found_launch(f, t + 10, 1, unique(f));
		}
	}
}

static void epochs_do_not_win_over_steps(void **state)
{
	struct found f;

	(void)state;
	found_begin(&f);
	put_epochs(&f, 4, 10);
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "step #");
	assert_int_equal(f.p->n, 40);
	found_end(&f);
}

static void the_outermost_label_with_eight_instances_wins(void **state)
{
	struct found f;

	(void)state;
	found_begin(&f);
	put_epochs(&f, 8, 5);
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "epoch #");
	assert_int_equal(f.p->n, 8);
	found_end(&f);
}

static void without_eight_of_any_the_most_instances_win(void **state)
{
	struct found f;

	(void)state;
	found_begin(&f);
	put_epochs(&f, 3, 2);
	found_find(&f, &plain);
	assert_string_equal(f.p->what, "step #");
	assert_int_equal(f.p->n, 6);
	found_end(&f);
}

static void put_runs(struct found *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		mem_op(&f->m, WL_F_KERNELS,
		       &(struct mem_op){ .start = 1000 + 40 * (wl_ns)i,
					 .end = 1030 + 40 * (wl_ns)i,
					 .name = "same" });
}

static void one_kernel_makes_steps_from_fifty_repeats_on(void **state)
{
	struct found f;

	(void)state;
	found_begin(&f);
	put_runs(&f, 50);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_NONE);
	found_end(&f);
	found_begin(&f);
	put_runs(&f, 51);
	found_find(&f, &plain);
	assert_int_equal(f.p->method, WL_ITER_SEQUENCE);
	assert_int_equal(f.p->n, 51);
	found_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(epochs_do_not_win_over_steps),
		cmocka_unit_test(the_outermost_label_with_eight_instances_wins),
		cmocka_unit_test(without_eight_of_any_the_most_instances_win),
		cmocka_unit_test(one_kernel_makes_steps_from_fifty_repeats_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
