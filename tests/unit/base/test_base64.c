/* SPDX-License-Identifier: MIT */
#include "base/text/base64.h"

#include <string.h>

#include "support/random.h"
#include "support/unit.h"

/* The examples of RFC 4648. */
TEST(the_examples_of_the_standard)
{
	static const struct {
		const char *bytes, *text;
	} cases[] = { { "", "" },
		      { "f", "Zg==" },
		      { "fo", "Zm8=" },
		      { "foo", "Zm9v" },
		      { "foob", "Zm9vYg==" },
		      { "fooba", "Zm9vYmE=" },
		      { "foobar", "Zm9vYmFy" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char buf[16] = "";
		size_t n = strlen(cases[i].bytes);

		assert_int_equal(wl_base64_size(n), strlen(cases[i].text));
		wl_base64_write(cases[i].bytes, n, buf);
		assert_string_equal(buf, cases[i].text);
	}
}

static unsigned value_of(char c)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return (unsigned)(strchr(letters, c) - letters);
}

TEST(every_byte_comes_back)
{
	unsigned char bytes[300], back[300];
	char text[400];
	uint64_t r = 1;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i < 256 ? i : random_below(&r, 256));
	wl_base64_write(bytes, sizeof(bytes), text);
	for (size_t i = 0; i < 100; i++) {
		const char *t = text + 4 * i;
		unsigned v = value_of(t[0]) << 18 | value_of(t[1]) << 12 | value_of(t[2]) << 6 |
			     value_of(t[3]);

		back[3 * i] = (unsigned char)(v >> 16);
		back[3 * i + 1] = (unsigned char)(v >> 8 & 255);
		back[3 * i + 2] = (unsigned char)(v & 255);
	}
	assert_memory_equal(bytes, back, sizeof(bytes));
}
