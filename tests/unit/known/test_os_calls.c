/* SPDX-License-Identifier: MIT */
#include "known/calls/os_calls.h"

#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

TEST(calls_that_sleep_are_told_by_what_they_wait_for)
{
	assert_int_equal(wl_os_class_of("poll"), WL_OS_WAITS);
	assert_int_equal(wl_os_class_of("pthread_cond_timedwait"), WL_OS_WAITS);
	assert_int_equal(wl_os_class_of("sem_wait"), WL_OS_WAITS);
	assert_int_equal(wl_os_class_of("waitpid"), WL_OS_WAITS);
	assert_int_equal(wl_os_class_of("pthread_mutex_lock"), WL_OS_LOCKS);
	assert_int_equal(wl_os_class_of("flock"), WL_OS_LOCKS);
	assert_int_equal(wl_os_class_of("nanosleep"), WL_OS_SLEEPS);
	assert_int_equal(wl_os_class_of("read"), WL_OS_READS);
	assert_int_equal(wl_os_class_of("fwrite"), WL_OS_WRITES);
}

/* Parts of names mean nothing: what unlocks, tries or wakes does not wait. */
TEST(only_whole_names_count)
{
	static const char *const other[] = {
		"pthread_mutex_unlock",
		"pthread_mutex_trylock",
		"funlockfile",
		"sem_trywait",
		"pthread_cond_signal",
		"pthread_cond_broadcast",
		"clock_gettime",
		"munlock",
		"mlock",
		"pthread_spin_lock",
		"fgets_unlocked_",
		"readlink",
		"epoll_ctl",
		"block",
		"",
		"ioctl",
	};

	for (size_t i = 0; i < WL_COUNT(other); i++) {
		if (wl_os_class_of(other[i]) != WL_OS_OTHER)
			fail_msg("%s is not WL_OS_OTHER", other[i]);
	}
}

TEST(the_table_is_in_order)
{
	static const char *const name[] = {
#define WL_OS_CALL(name, class) name,
#include "known/calls/os_calls.def"
#undef WL_OS_CALL
	};

	for (size_t i = 1; i < WL_COUNT(name); i++) {
		if (strcmp(name[i - 1], name[i]) >= 0)
			fail_msg("%s comes before %s", name[i - 1], name[i]);
	}
}
