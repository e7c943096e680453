/* SPDX-License-Identifier: MIT */
#include "base/file/zst.h"

#include <string.h>

#include "support/unit.h"

static struct wl_budget budget;

TEST(bytes_come_back)
{
	char text[1000], back[1000];
	struct wl_vec out;

	memset(text, 'x', sizeof(text));
	wl_vec_init(&out, 1, &budget);
	assert_true(wl_zst_pack(text, sizeof(text), 3, &out));
	assert_true(out.n < 100);
	assert_true(wl_zst_unpack(out.data, out.n, back, sizeof(back)));
	assert_memory_equal(text, back, sizeof(text));
	wl_vec_release(&out);
}

TEST(another_size_is_refused)
{
	WITH(struct wl_vec, out, wl_vec_release, wl_vec_init(&out, 1, &budget));
	char text[1000] = { 0 }, back[1001];

	assert_true(wl_zst_pack(text, sizeof(text), 3, &out));
	assert_false(wl_zst_unpack(out.data, out.n, back, 999));
	assert_false(wl_zst_unpack(out.data, out.n, back, 1001));
	assert_false(wl_zst_unpack(out.data, out.n - 1, back, 1000));
	assert_false(wl_zst_unpack("not a frame", 11, back, 1000));
}
