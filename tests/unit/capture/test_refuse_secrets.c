/* SPDX-License-Identifier: MIT */
#include "capture/runs/refuse_secrets.h"

#include <stdio.h>
#include <string.h>

#include "support/unit.h"

enum { MAX_WORDS = 32 };

/* Split at blanks; returns the status. */
static int check(const char *line, const char *const *env, const char *const *allowed,
		 struct wl_err *err)
{
	const char *word[MAX_WORDS] = { NULL };
	char copy[1024], *rest = copy, *next;
	size_t n = 0;

	(void)snprintf(copy, sizeof(copy), "%s", line);
	while (n < MAX_WORDS - 1 && (next = strtok_r(rest, " ", &rest)) != NULL)
		word[n++] = next;
	return wl_refuse_secrets(word, env, allowed, err);
}

static void refused(const char *line, const char *where, const char *secret)
{
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(check(line, NULL, NULL, &err), WL_E_USAGE);
	if (!strstr(err.msg, where))
		fail_msg("%s: no \"%s\" in: %s", line, where, err.msg);
	if (strstr(err.msg, secret))
		fail_msg("%s: the message shows the secret: %s", line, err.msg);
	assert_non_null(strstr(err.msg, "--allow-secret"));
}

TEST(messages_name_the_place_and_not_the_value)
{
	refused("python t.py --password hunter2", "argument 4 of the program, of --password",
		"hunter2");
	refused("python t.py --password=hunter2", "argument 3 of the program, of --password",
		"hunter2");
	refused("t hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", "argument 2 of the program is the key",
		"AbCd");
	refused("t sk-1aB2cD3eF4gH5iJ6kL7mN8oP=x", "argument 2 of the program is", "1aB2");
	refused("docker run -e DB_PASSWORD=hunter2 img", "argument 4", "hunter2");
	refused("git clone https://me:hunter2@host/x", "a URL with a secret", "hunter2");
}

TEST(variables_are_named_together)
{
	static const char *const env[] = { "PATH=/bin",
					   "HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
					   "LANG=C",
					   "WANDB_API_KEY=s3cr3t",
					   "HTTP_PROXY=http://me:pw123@proxy:3128",
					   NULL };
	static const char *const allowed[] = { "HF_TOKEN", "WANDB_API_KEY", "HTTP_PROXY", NULL };
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(check("python t.py", env, NULL, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "(HF_TOKEN, WANDB_API_KEY, HTTP_PROXY)"));
	assert_non_null(strstr(err.msg, "env -u HF_TOKEN -u WANDB_API_KEY -u HTTP_PROXY\""));
	assert_null(strstr(err.msg, "AbCd"));
	assert_null(strstr(err.msg, "s3cr3t"));
	assert_null(strstr(err.msg, "pw123"));
	assert_int_equal(check("python t.py", env, allowed, &err), WL_OK);
	assert_int_equal(check("python t.py", env, allowed + 1, &err), WL_E_USAGE);
}

TEST(many_variables_fit_the_message)
{
	char text[20][300];
	const char *env[21];
	struct wl_err err = { .code = WL_OK };

	for (size_t i = 0; i < 20; i++) {
		(void)snprintf(text[i], sizeof(text[i]), "PASSWORD_%02zu_%0200d=v\x01lue", i, 7);
		env[i] = text[i];
	}
	env[20] = NULL;
	assert_int_equal(check("a", env, NULL, &err), WL_E_USAGE);
	assert_non_null(strstr(err.msg, "PASSWORD_00_"));
	assert_null(strstr(err.msg, "lue"));
}

TEST(the_user_may_let_one_pass)
{
	static const char *const by_name[] = { "--password", NULL };
	static const char *const by_number[] = { "4", NULL };
	struct wl_err err = { .code = WL_OK };

	assert_int_equal(check("python t.py --password hunter2", NULL, by_name, &err), WL_OK);
	assert_int_equal(check("python t.py --password hunter2", NULL, by_number, &err), WL_OK);
	assert_int_equal(check("python t.py x --api-key=hunter2", NULL, by_name, &err), WL_E_USAGE);
	assert_int_equal(check("python t.py x --api-key=hunter2", NULL, by_number, &err), WL_OK);
}

TEST(ordinary_lines_pass)
{
	static const char *const lines[] = {
		"python train.py --lr 3e-4 --max-tokens 512 --tokenizer gpt2",
		"torchrun --nproc-per-node 8 train.py --config configs/llama3_70b.toml",
		"vllm serve meta-llama/Llama-3.1-8B --max-model-len 8192 --port 8000",
		"python -m sglang.launch_server --model-path /models/x --tp 8 --eos-token </s>",
		"srun -n 16 ./solver input.nml --key value",
		"docker run --gpus all -e NCCL_DEBUG=INFO -v /data:/data img:latest python x.py",
		"accelerate launch --config_file a.yaml t.py --hub_token_file tok.txt",
		"python bench.py --auth none --token-count 1024 --sort-key time",
	};
	struct wl_err err = { .code = WL_OK };

	for (size_t i = 0; i < WL_COUNT(lines); i++)
		if (check(lines[i], NULL, NULL, &err) < 0)
			fail_msg("%s: %s", lines[i], err.msg);
}

TEST(manifests_get_masks)
{
	const char *const argv[] = { "python",
				     "a  b",
				     "--password",
				     "hunter2",
				     "--api-key=abc",
				     "x hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
				     "{\"api_key\": \"abc\"}",
				     NULL };
	static const char *const want[] = { "python",
					    "a  b",
					    "--password",
					    "***",
					    "--api-key=***",
					    "x ***",
					    "{\"api_key\": \"***\"}",
					    NULL };
	struct wl_arena arena;
	const char *const *got;

	wl_arena_init(&arena, 1 << 16);
	got = wl_mask_secrets(argv, &arena);
	assert_non_null(got);
	for (size_t i = 0; want[i]; i++)
		assert_string_equal(got[i], want[i]);
	assert_null(got[7]);
	wl_arena_release(&arena);
	wl_arena_init(&arena, 0);
	assert_null(wl_mask_secrets(argv, &arena));
	wl_arena_release(&arena);
}
