/* SPDX-License-Identifier: MIT */
#include "known/secret_signs.h"

#include "base/attr.h"

#include "support/unit.h"

static void is(const char *text, enum wl_secret_sign want)
{
	enum wl_secret_sign got = wl_secret_sign_in(text);

	if (got != want)
		fail_msg("%s: %s, not %s", text, wl_secret_sign_text(got),
			 wl_secret_sign_text(want));
}

static void of(const char *name, const char *value, enum wl_secret_sign want)
{
	enum wl_secret_sign got = wl_secret_sign_of(name, value);

	if (got != want)
		fail_msg("%s %s: %s, not %s", name, value, wl_secret_sign_text(got),
			 wl_secret_sign_text(want));
}

/* The keys are made up; each has the length and the letters of a real one. */
static void keys_have_shapes(void **state)
{
	(void)state;
	is("hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", WL_SECRET_KEY);
	is("--token=hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh", WL_SECRET_KEY);
	is("sk-proj-1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT", WL_SECRET_KEY);
	is("sk-ant-api03-1aB2cD3eF4gH5iJ6kL7mN8oP9qR0", WL_SECRET_KEY);
	is("ghp_1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT1uV2wX", WL_SECRET_KEY);
	is("https://github_pat_11ABCDEFG0abcdefghijklmnopq@github.com/x", WL_SECRET_KEY);
	is("AKIAIOSFODNN7EXAMPLE", WL_SECRET_KEY);
	is("nvapi-1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sT", WL_SECRET_KEY);
	is("glpat-1aB2cD3eF4gH5iJ6kL7m", WL_SECRET_KEY);
	is("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.abcdefghijklmnop", WL_SECRET_JWT);
	is("Authorization: Bearer 0123456789abcdef0123", WL_SECRET_JWT);
	is("-----BEGIN RSA PRIVATE KEY-----\nMIIE", WL_SECRET_PRIVATE_KEY);
	is("-----BEGIN PRIVATE KEY-----", WL_SECRET_PRIVATE_KEY);
	is("https://me:hunter2@host:8080/a", WL_SECRET_URL);
	is("--broker=amqp://user:pw@queue", WL_SECRET_URL);
}

static void names_say_what_a_value_is(void **state)
{
	(void)state;
	of("HF_TOKEN", "hf12345678901234567890", WL_SECRET_BY_NAME);
	of("WANDB_API_KEY", "0123456789abcdef0123456789abcdef01234567", WL_SECRET_BY_NAME);
	of("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", WL_SECRET_BY_NAME);
	of("PGPASSWORD", "hunter2", WL_SECRET_BY_NAME);
	of("--password", "x", WL_SECRET_BY_NAME);
	of("--api-key", "abc", WL_SECRET_BY_NAME);
	of("JUPYTER_TOKEN", "0123456789abcdef", WL_SECRET_BY_NAME);
	is("HF_TOKEN=abc1234567890defg python train.py", WL_SECRET_BY_NAME);
	is("--env=DB_PASSWORD=hunter2", WL_SECRET_BY_NAME);
	is("{\"api_key\": \"abc\", \"lr\": 1}", WL_SECRET_BY_NAME);
	is("https://host/x?token=0123456789abcdef", WL_SECRET_BY_NAME);
	is("bash -c 'export WANDB_API_KEY=\"abc123\"; python x.py'", WL_SECRET_BY_NAME);
	assert_true(wl_secret_is_name("--hf-token"));
	assert_true(wl_secret_is_name("GITHUB_TOKEN"));
	assert_false(wl_secret_is_name("--tokenizer"));
	assert_false(wl_secret_is_name("--lr"));
}

/* What people write every day. */
static void ordinary_words_are_none(void **state)
{
	static const char *const words[] = {
		"--tokenizer=meta-llama/Llama-3.1-8B-Instruct",
		"--max-tokens=4096",
		"--max_num_batched_tokens=8192",
		"--eos-token=</s>",
		"--pad_token=<|endoftext|>",
		"--special-tokens=[PAD],[MASK]",
		"--token-budget=2048",
		"--key-dim=128",
		"--num-key-value-heads=8",
		"--sort-key=loss",
		"--cache-key=val_loss",
		"--password-file=/run/secrets/db",
		"--token-path=/root/.cache/huggingface/token",
		"--secret-name=hf",
		"--auth=none",
		"--hf-token=$HF_TOKEN",
		"--hf-token=true",
		"--api-key-env=OPENAI_API_KEY",
		"sk-learn-pipeline-version-2-with-a-long-name",
		"sk-proj-2024-Experiment1-large",
		"/data/hf_checkpoints_2024_llama_finetuned_version_three",
		"hf_model_llama_seventy_b_finetuned.safetensors",
		"hf_0123456789abcdef.bin",
		"a94a8fe5ccb19ba61c4c0873d391e987982fbbd3",
		"AKIA",
		"ASIAN_LANGUAGES_2024",
		"eyJ.txt",
		"https://huggingface.co/meta-llama/Llama-3.1-8B",
		"tcp://10.0.0.1:29500",
		"user@host:/data/x",
		"s3://bucket/a@b:c",
		"http://host:8080/a@b",
		"--rdzv-endpoint=host:29400",
		"rdzv_conf=timeout=900",
		"model.tokenizer.path=/x",
		"trainer.logger=[wandb]",
		"--optim=adamw_bnb_8bit",
		"-----BEGIN CERTIFICATE-----",
		"Bearer of good news",
		"--set=full",
		"{\"lr\": 0.1, \"tokens\": 512}",
		"=",
		"=:=",
		"\"\":",
		"",
	};

	(void)state;
	for (size_t i = 0; i < WL_COUNT(words); i++)
		is(words[i], WL_SECRET_NONE);
	of("GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D", WL_SECRET_NONE);
	of("SSH_AUTH_SOCK", "/tmp/ssh-XXXXabcdef/agent.1234567", WL_SECRET_NONE);
	of("TOKENIZERS_PARALLELISM", "false", WL_SECRET_NONE);
	of("XDG_SESSION_ID", "c2", WL_SECRET_NONE);
	of("HF_TOKEN_PATH", "/x/token", WL_SECRET_NONE);
	of("HTTP_PROXY", "http://proxy:3128", WL_SECRET_NONE);
	of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4 brand=tesla,driver>=470", WL_SECRET_NONE);
	of("--seed", "42", WL_SECRET_NONE);
	of("--secret", "1", WL_SECRET_NONE);
}

TEST_MAIN(secret_signs)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_shapes),
		cmocka_unit_test(names_say_what_a_value_is),
		cmocka_unit_test(ordinary_words_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
