/* SPDX-License-Identifier: MIT */
/* speedscope's file: a profile per thread, in order of time, with shared frames. */
#include "support/stack_text.h"

#define HEAD                                                                                       \
	"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","                     \
	"\"exporter\":\"warplens\",\"shared\":{\"frames\":["

TEST(a_profile_per_thread_in_order_of_time)
{
	WITH(struct stack_text, x, stack_text_end, stack_text_begin(&x));

	stack_text_sample(&x, 7, 100, "main;step");
	stack_text_sample(&x, 7, 110, "main;step");
	stack_text_sample(&x, 7, 120, "main");
	stack_text_sample(&x, 7, 150, "main;step");
	stack_text_sample(&x, 8, 100, "main");
	stack_text_write(&x, &wl_export_speedscope, 0);
	assert_string_equal(
		x.text,
		HEAD "\n{\"name\":\"main\",\"file\":\"app\"},\n{\"name\":\"step\",\"file\":\"app\"}"
		     ",\n{\"name\":\"[no sample]\"}]},\"profiles\":[\n"
		     "{\"type\":\"sampled\",\"name\":\"pid 100, tid 7\",\"unit\":\"nanoseconds\","
		     "\"startValue\":0,\"endValue\":65,\"samples\":[[0,1],[0],[2],[0,1]],"
		     "\"weights\":[20,15,15,15]},\n"
		     "{\"type\":\"sampled\",\"name\":\"pid 100, tid 8\",\"unit\":\"nanoseconds\","
		     "\"startValue\":0,\"endValue\":15,\"samples\":[[0]],\"weights\":[15]}],"
		     "\"activeProfileIndex\":0}\n");
	assert_int_equal(x.done.time, 80);
}

TEST(idle_time_has_a_profile_per_gpu)
{
	WITH(struct stack_text, x, stack_text_end, stack_text_begin(&x));

	stack_text_gap(&x);
	stack_text_write(&x, &wl_export_speedscope, WL_STACK_CAUSES);
	assert_non_null(strstr(x.text, "\"name\":\"pid 100, tid 7: GPU 0 idle\""));
	assert_non_null(strstr(x.text, "\"samples\":[[0,1]],\"weights\":[700]"));
}

TEST(no_time_is_a_file_without_profiles)
{
	WITH(struct stack_text, x, stack_text_end, stack_text_begin(&x));

	stack_text_write(&x, &wl_export_speedscope, 0);
	assert_string_equal(x.text, HEAD "]},\"profiles\":[],\"activeProfileIndex\":0}\n");
}

TEST(without_memory_it_fails)
{
	stack_text_starve(&wl_export_speedscope);
}
