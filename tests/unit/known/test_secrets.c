/* SPDX-License-Identifier: MIT */
#include "known/secrets/secrets.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"

#include "support/unit.h"

/* Masked as one argument. */
static void check(const char *line, const char *want)
{
	enum wl_secret_name next = WL_SECRET_NO_NAME;
	char got[1024];

	assert_true(WL_MASKED_SIZE(strlen(line)) <= sizeof(got));
	assert_ptr_equal(wl_secrets_mask(line, got, &next), got + strlen(want));
	assert_string_equal(got, want);
	assert_true(strlen(got) < WL_MASKED_SIZE(strlen(line)));
}

TEST(values_of_telling_names_are_masked)
{
	check("python train.py --hf-token abc --lr 3", "python train.py --hf-token *** --lr 3");
	check("serve --api_key=abc -p 1", "serve --api_key=*** -p 1");
	check("bash -c WANDB_API_KEY=a1 HF_TOKEN='b' python x.py",
	      "bash -c WANDB_API_KEY=*** HF_TOKEN='***' python x.py");
	check("a --Password b --secret c --auth d --aws-credentials e",
	      "a --Password *** --secret *** --auth *** --aws-credentials ***");
	check("a --token=b --key c", "a --token=*** --key ***");
}

TEST(keys_of_services_and_passwords_in_urls_are_masked)
{
	check("a hf_abcdefghijklmnop b", "a *** b");
	check("a --x=sk-abcdefghijklmnop", "a --x=***");
	check("get https://me:pass@host/a?b=c", "get https://me:***@host/a?b=c");
	check("https://u:p@q@host/x", "https://u:***@host/x");
	check("postgres://u:pa/ss@h/db", "postgres://u:***@h/db");
	check("https://abc@github.com/a", "https://***@github.com/a");
	check("https://h/p?token=abc&x=1", "https://h/p?token=***&x=1");
	check("https://hooks.slack.com/services/T0/B0/x", "https://hooks.slack.com/services/***");
	check("nvapi-abcdefghijklmnop", "***");
	check("ghs_abcdefghijklmnop", "***");
	check("AIzaSyabcdefghijklmnop", "***");
	check("eyJhbGciOiJIUzI1NiJ9.abc.def", "***");
	check("Authorization: Bearer abcdefg1", "Authorization: Bearer ***");
	check("Authorization: Basic dTpwYXNzd29yZA1=", "Authorization: Basic ***");
	check("curl -H 'Authorization: token abcdefg1'", "curl -H 'Authorization: token ***'");
	check("--header=X-Api-Key: abc", "--header=X-Api-Key: ***");
	check("X-Auth-Token: abc", "X-Auth-Token: ***");
	check("gsk_abcdefghijklmnop1 dapi0123456789abcdef", "*** ***");
}

TEST(names_are_spelled_in_many_ways)
{
	check("--passphrase=a", "--passphrase=***");
	check("x --pwd a", "x --pwd ***");
	check("-pHunter22", "-p***");
	check("--set env.AWS_SECRET_ACCESS_KEY=a", "--set env.AWS_SECRET_ACCESS_KEY=***");
	check("{\"token\": \"a\"}", "{\"token\": \"***\"}");
	check("--tokens=abc", "--tokens=***");
	check("x --access_key_id abc", "x --access_key_id ***");
	check("bash -c \"export HF_TOKEN=abc; run\"", "bash -c \"export HF_TOKEN=***; run\"");
	check("--Password:a", "--Password:***");
	check("/token:a", "/token:***");
	check("trainer.wandb_key=a", "trainer.wandb_key=***");
	check("+token=a", "+token=***");
	check("--myToken=a", "--myToken=***");
	check("MYSQL_PWD=a", "MYSQL_PWD=***");
	check("SSHPASS=a", "SSHPASS=***");
	check("VAULT_PASS=a", "VAULT_PASS=***");
	check("KAGGLE_CREDS=a", "KAGGLE_CREDS=***");
	check("docker run -e TF_VAR_db_name=a", "docker run -e TF_VAR_db_name=***");
	check("TF_TOKEN_app_terraform_io=a", "TF_TOKEN_app_terraform_io=***");
	check("TF_VAR_=a TF_CPP_MIN_LOG_LEVEL=3", "TF_VAR_=a TF_CPP_MIN_LOG_LEVEL=3");
}

TEST(values_are_written_in_many_ways)
{
	check("Authorization: Zk9Qx7Lm2Pa4", "Authorization: ***");
	check("Authorization:Zk9Qx7Lm2Pa4", "Authorization:***");
	check("--header=Authorization: Digest Zk9Qx7Lm2Pa4", "--header=Authorization: Digest ***");
	check("{\"api_key\" : \"a\"}", "{\"api_key\" : \"***\"}");
	check("{\\\"token\\\": \\\"a b\\\"}", "{\\\"token\\\": \\\"***\\\"}");
	check("token: Zk9Qx7Lm2Pa4", "token: ***");
	check("{token: Zk9Qx7Lm2Pa4}", "{token: ***}");
	check("hf.token:Zk9Qx7Lm2Pa4 b", "hf.token:*** b");
	check("auth.token: Zk9Qx7Lm2Pa4", "auth.token: ***");
	check("db.password: a", "db.password: ***");
	check("--token \"a b\" c", "--token \"***\" c");
	check("x --apitoken a", "x --apitoken ***");
	check("--jwt=a", "--jwt=***");
	check("https://s3.x/b?X-Amz-Algorithm=AWS4&X-Amz-Signature=a1&x=2",
	      "https://s3.x/b?X-Amz-Algorithm=AWS4&X-Amz-Signature=***&x=2");
	check("https://x.net/c?sv=2021&sig=a%3D", "https://x.net/c?sv=2021&sig=***");
	check("curl -u alice:a b", "curl -u alice:*** b");
	check("curl --user 'alice:a b' c", "curl --user 'alice:***' c");
	check("SG.Zk9Qx7Lm2Pa4Rt8Vw1Yb6N.Zk9Qx7Lm2Pa4Rt8Vw1Yb6Nc3", "***");
	check("rk_live_Zk9Qx7Lm2Pa4Rt8Vw1Yb", "***");
	check("a ya29.a0AfZk9Qx7Lm2Pa4Rt8Vw1Yb b", "a *** b");
}

TEST(values_with_blanks_are_masked_whole)
{
	static const char *const argument[] = {
		"a",        "--password", "b c d",     "--token=e f", "--lr", "3",  "--password",
		"-Hunter2", "--token",    "--verbose", "--eos-token", "EOS",  "-u", "alice:a b"
	};
	static const char *const want[] = { "a",       "--password", "***",         "--token=***",
					    "--lr",    "3",          "--password",  "***",
					    "--token", "--verbose",  "--eos-token", "EOS",
					    "-u",      "alice:***" };
	enum wl_secret_name next = WL_SECRET_NO_NAME;
	char got[64];

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		(void)wl_secrets_mask(argument[i], got, &next);
		assert_string_equal(got, want[i]);
	}
}

/* What people write every day: shown, and not refused. */
TEST(ordinary_words_stay)
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
		"Note-to-self: token of good news",
		"max-tokens: 512",
		"Content-Type: json",
		"Authorization: basic training",
		"run -u train.py --user 1000:1000 -u tcp://host:80",
		"token: of good news",
		"keys: 128",
		"the key: see below",
		"auth::token::x y:8080 c:/keys:/d",
		"SG.md SGD.py ya29.txt",
		"--sig=SIGTERM --signature=f",
		"=",
		"=:=",
		"\"\":",
		"vllm serve --max-tokens 4096 --tokenizer-path /m --key-dim 64 --monkey 3",
		"python -m sk-learn hf_models",
		"get https://host/a?b=c",
		"get https://host:80/a@b",
		"--token --verbose x",
		"a --token= b",
		"-pthread",
		"--num-tokens 1e6",
		"--tokens 512",
		"--backward-pass=fused",
		"ssh://git@github.com/x",
		"--author=me",
		"--keys 128",
		"--passes=3",
		"PWD=/home/x",
		"--bos_token_id=1",
		"",
	};

	for (size_t i = 0; i < WL_COUNT(words); i++) {
		check(words[i], words[i]);
		assert_int_equal(wl_secret_sign_in(words[i], WL_SECRET_SURELY), WL_SECRET_NONE);
	}
	assert_int_equal(
		wl_secret_sign_in("sk-learn-pipeline-version-2-with-a-long-name", WL_SECRET_SURELY),
		WL_SECRET_NONE);
}

TEST(white_space_becomes_one_blank)
{
	check("  a \t b\n--token\n c ", "a b --token ***");
	check("--token", "--token");
	check("-a-auth b c", "-a-auth *** c");
}

static void is(const char *text, enum wl_secret_sign want)
{
	enum wl_secret_sign got = wl_secret_sign_in(text, WL_SECRET_SURELY);

	if (got != want)
		fail_msg("%s: %s, not %s", text, wl_secret_sign_text(got),
			 wl_secret_sign_text(want));
}

static void of(const char *name, const char *value, enum wl_secret_sign want)
{
	enum wl_secret_sign got = wl_secret_sign_of(name, value, WL_SECRET_SURELY);

	if (got != want)
		fail_msg("%s %s: %s, not %s", name, value, wl_secret_sign_text(got),
			 wl_secret_sign_text(want));
}

/* The keys are made up; each has the length and the letters of a real one. */
TEST(keys_have_shapes)
{
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

TEST(names_say_what_a_value_is)
{
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
	of("MYSQL_PWD", "hunter2", WL_SECRET_BY_NAME);
	of("SSHPASS", "hunter2", WL_SECRET_BY_NAME);
	of("VAULT_PASS", "hunter2", WL_SECRET_BY_NAME);
	of("KAGGLE_CREDS", "hunter2", WL_SECRET_BY_NAME);
	of("HOOK", "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX", WL_SECRET_URL);
	of("HOOK", "https://hooks.slack.com/workflows/T00000000/A00000000/1/XX", WL_SECRET_URL);
	of("HOOK", "https://hooks.slack.com/triggers/E00000000/1/XX", WL_SECRET_URL);
	of("HOOK", "https://acme.webhook.office.com/webhookb2/a@b/IncomingWebhook/c",
	   WL_SECRET_URL);
	of("HOOK", "https://outlook.office.com/webhook/a@b/IncomingWebhook/c", WL_SECRET_URL);
	of("TF_VAR_db_password", "hunter2secret", WL_SECRET_BY_NAME);
	of("TF_VAR_PASSWORD", "hunter2secret", WL_SECRET_BY_NAME);
	of("TF_VAR_api_token", "hunter2secret", WL_SECRET_BY_NAME);
	of("TF_VAR_secret_key", "hunter2secret", WL_SECRET_BY_NAME);
}

TEST(ordinary_variables_are_none)
{
	of("GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D", WL_SECRET_NONE);
	of("TF_VAR_region", "eu-central-1", WL_SECRET_NONE);
	of("TF_VAR_max_tokens", "512", WL_SECRET_NONE);
	of("TF_VAR_key_name", "deployer", WL_SECRET_NONE);
	of("HOOK", "https://acme.webhook.office.com/$HOOK", WL_SECRET_NONE);
	of("SSH_AUTH_SOCK", "/tmp/ssh-XXXXabcdef/agent.1234567", WL_SECRET_NONE);
	of("TOKENIZERS_PARALLELISM", "false", WL_SECRET_NONE);
	of("XDG_SESSION_ID", "c2", WL_SECRET_NONE);
	of("HF_TOKEN_PATH", "/x/token", WL_SECRET_NONE);
	of("HTTP_PROXY", "http://proxy:3128", WL_SECRET_NONE);
	of("NVIDIA_REQUIRE_CUDA", "cuda>=12.4 brand=tesla,driver>=470", WL_SECRET_NONE);
	of("--seed", "42", WL_SECRET_NONE);
	of("--secret", "1", WL_SECRET_NONE);
	of("PWD", "/home/me", WL_SECRET_NONE);
}

/* An argument of megabytes takes time in proportion. */
TEST(long_texts_are_searched_once)
{
	static const char *const parts[] = { "a=$b=",    "token=$",     "x://a:b/", "-----BEGIN ",
					     "://u@",    "--password ", "hf_",      "bearer ",
					     "token=a ", "\"a\":" };
	enum { N = 1 << 16 };
	char *text = malloc(N + 64), *to = malloc(WL_MASKED_SIZE(N + 64));

	for (size_t i = 0; i < WL_COUNT(parts); i++) {
		enum wl_secret_name next = WL_SECRET_NO_NAME;
		size_t n = 0;

		for (; n < N; n += strlen(parts[i]))
			memcpy(text + n, parts[i], strlen(parts[i]));
		text[n] = '\0';
		(void)wl_secrets_mask(text, to, &next);
		(void)wl_secret_sign_in(text, WL_SECRET_SURELY);
	}
	free(text);
	free(to);
}
