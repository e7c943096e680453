/* SPDX-License-Identifier: MIT */
#include "known/secrets.h"

#include <string.h>

#include "support/unit.h"

static void check(const char *line, const char *want)
{
	bool is_next = false;
	char got[1024];

	assert_true(WL_MASKED_SIZE(strlen(line)) <= sizeof(got));
	assert_ptr_equal(wl_secrets_mask(line, got, &is_next), got + strlen(want));
	assert_string_equal(got, want);
	assert_true(strlen(got) < WL_MASKED_SIZE(strlen(line)));
}

static void values_of_telling_names_are_masked(void **state)
{
	(void)state;
	check("python train.py --hf-token abc --lr 3", "python train.py --hf-token *** --lr 3");
	check("serve --api_key=abc -p 1", "serve --api_key=*** -p 1");
	check("bash -c WANDB_API_KEY=a1 HF_TOKEN='b' python x.py",
	      "bash -c WANDB_API_KEY=*** HF_TOKEN=*** python x.py");
	check("a --Password b --secret c --auth d --aws-credentials e",
	      "a --Password *** --secret *** --auth *** --aws-credentials ***");
	check("a --token=b --key c", "a --token=*** --key ***");
}

static void keys_of_services_and_passwords_in_urls_are_masked(void **state)
{
	(void)state;
	check("a hf_abcdefghijklmnop b", "a *** b");
	check("a --x=sk-abcdefghijklmnop", "a --x=***");
	check("get https://me:pass@host/a?b=c", "get https://me:***@host/a?b=c");
	check("get https://me:@host", "get https://me:***@host");
}

static void values_with_blanks_are_masked_whole(void **state)
{
	static const char *const argument[] = { "a",           "--password", "b c d",
						"--token=e f", "--lr",       "3" };
	static const char *const want[] = { "a", "--password", "***", "--token=***", "--lr", "3" };
	bool is_next = false;
	char got[64];

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		(void)wl_secrets_mask(argument[i], got, &is_next);
		assert_string_equal(got, want[i]);
	}
}

static void other_words_stay(void **state)
{
	static const char *const lines[] = {
		"",
		"a",
		"vllm serve --max-tokens 4096 --tokenizer-path /m --key-dim 64 --monkey 3",
		"python -m sk-learn hf_models",
		"get https://host/a?b=c",
		"get https://host:80/a@b",
		"--token --verbose x",
		"a --token= b",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(lines[i], lines[i]);
}

static void white_space_becomes_one_blank(void **state)
{
	(void)state;
	check("  a \t b\n--token\n c ", "a b --token ***");
	check("--token", "--token");
	check("-a-auth b c", "-a-auth *** c");
}

TEST_MAIN(secrets)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_telling_names_are_masked),
		cmocka_unit_test(keys_of_services_and_passwords_in_urls_are_masked),
		cmocka_unit_test(values_with_blanks_are_masked_whole),
		cmocka_unit_test(other_words_stay),
		cmocka_unit_test(white_space_becomes_one_blank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
