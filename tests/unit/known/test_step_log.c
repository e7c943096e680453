/* SPDX-License-Identifier: MIT */
#include "known/step_log.h"

#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "support/unit.h"

static const int64_t ms = 1000000;

static struct wl_step_log read_text(const char *text)
{
	return wl_step_log_read(text, strlen(text));
}

static void expect(const char *text, int64_t median, uint64_t lines)
{
	struct wl_step_log log = read_text(text);

	if (log.median != median || log.lines != lines)
		fail_msg("%lld ns in %llu lines, not %lld in %llu: %.200s", (long long)log.median,
			 (unsigned long long)log.lines, (long long)median,
			 (unsigned long long)lines, text);
}

TEST(megatron)
{
	expect(" [2024-05-01 10:00:01] iteration       10/     500 | consumed samples:         "
	       "2560 | "
	       "elapsed time per iteration (ms): 1345.6 | learning rate: 1.500E-04 | global batch "
	       "size:   256 | lm loss: 9.1E+00 | loss scale: 1.0 | grad norm: 2.1 | number of "
	       "skipped "
	       "iterations:   0 | number of nan iterations:   0 |\n"
	       " [2024-05-01 10:00:05] iteration       20/     500 | consumed samples:         "
	       "5120 | "
	       "elapsed time per iteration (ms): 345.6 | learning rate: 1.500E-04 | global batch\n"
	       " [2024-05-01 10:00:09] iteration       30/     500 | consumed samples:         "
	       "7680 | "
	       "elapsed time per iteration (ms): 346.0 | learning rate: 1.500E-04 | global batch\n"
	       " [2024-05-01 10:00:12] iteration       40/     500 | consumed samples:        "
	       "10240 | "
	       "elapsed time per iteration (ms): 345.2 | learning rate: 1.500E-04 | global batch\n",
	       345600000, 4);
}

/* Lightning: progress bars of training, of the check before it and of validation. */
TEST(lightning)
{
	expect("\rSanity Checking DataLoader 0: 100%|##########| 2/2 [00:00<00:00, 51.20it/s]\n"
	       "\rEpoch 0:  15%|#5        | 30/200 [00:03<00:17,  9.60it/s, v_num=0, "
	       "train_loss=0.51]"
	       "\rEpoch 0:  20%|##        | 40/200 [00:04<00:16,  10.00it/s, v_num=0, "
	       "train_loss=0.4]"
	       "\rEpoch 0:  25%|##5       | 50/200 [00:05<00:15,  10.00it/s, v_num=0, "
	       "train_loss=0.3]\n"
	       "\rValidation DataLoader 0:  20%|##        | 1/5 [00:00<00:00, 81.1it/s]"
	       "\rValidation DataLoader 0:  40%|####      | 2/5 [00:00<00:00, 82.1it/s]"
	       "\rValidation DataLoader 0:  60%|######    | 3/5 [00:00<00:00, 83.1it/s]\n"
	       "\rEpoch 1:   5%|5         | 10/200 [00:01<00:19,  9.90it/s, v_num=0, "
	       "train_loss=0.2]\n",
	       100 * ms, 4);
}

/* The HF Trainer: a bar that changes its unit, and dictionaries. */
TEST(hf_trainer)
{
	expect("Loading checkpoint shards: 100%|##########| 4/4 [00:05<00:00,  1.31s/it]\n"
	       "Map: 100%|##########| 1000/1000 [00:00<00:00, 5321.21 examples/s]\n"
	       "  2%|2         | 1/50 [00:01<01:01,  1.26s/it]\r"
	       "  4%|4         | 2/50 [00:02<01:00,  1.25s/it]\r"
	       "  6%|6         | 3/50 [00:03<00:58,  1.24s/it]\n"
	       "{'loss': 2.31, 'grad_norm': 1.2, 'learning_rate': 4.8e-05, 'epoch': 0.06}\n"
	       "{'train_runtime': 62.1, 'train_samples_per_second': 6.4, "
	       "'train_steps_per_second': 0.8, 'train_loss': 2.1, 'epoch': 1.0}\n",
	       1250 * ms, 3);
}

/* Servers count tokens and requests. */
TEST(servers_say_nothing_about_steps)
{
	expect("llama_perf_context_print: prompt eval time =      95.10 ms /    12 tokens (    "
	       "7.93 ms "
	       "per token,   126.18 tokens per second)\n"
	       "llama_perf_context_print:        eval time =    1234.56 ms /    63 runs   (   "
	       "19.60 ms "
	       "per token,    51.03 tokens per second)\n"
	       "llama_perf_context_print:       total time =    1400.12 ms /    75 tokens\n",
	       0, 0);
	expect("INFO 07-01 12:00:00 metrics.py:349] Avg prompt throughput: 0.0 tokens/s, Avg "
	       "generation throughput: 53.1 tokens/s, Running: 1 reqs, Swapped: 0 reqs\n"
	       "INFO 07-01 12:00:05 metrics.py:349] Avg prompt throughput: 0.0 tokens/s, Avg "
	       "generation throughput: 53.4 tokens/s, Running: 1 reqs, Swapped: 0 reqs\n"
	       "INFO 07-01 12:00:10 metrics.py:349] Avg prompt throughput: 0.0 tokens/s, Avg "
	       "generation throughput: 53.2 tokens/s, Running: 1 reqs, Swapped: 0 reqs\n"
	       "Processed prompts:  10%|#| 1/10 [00:05<00:00, 19.6it/s, est. speed input]\r"
	       "Processed prompts:  20%|#| 2/10 [00:05<00:00, 19.6it/s, est. speed input]\r"
	       "Processed prompts:  30%|#| 3/10 [00:05<00:00, 19.6it/s, est. speed input]\n"
	       "Capturing CUDA graph shapes: 10%| | 1/35 [00:00<00:00, 1.75it/s]\r"
	       "Capturing CUDA graph shapes: 20%| | 2/35 [00:00<00:00, 1.75it/s]\r"
	       "Capturing CUDA graph shapes: 30%| | 3/35 [00:00<00:00, 1.75it/s]\n",
	       0, 0);
}

TEST(own_loops)
{
	expect("iter 100: loss 2.3100, time 52.10ms, mfu 30.10%\n"
	       "iter 101: loss 2.3000, time 52.20ms, mfu 30.11%\n"
	       "step 101: train loss 2.3, val loss 2.4\n"
	       "iter 102: loss 2.2900, time 52.30ms, mfu 30.12%\n",
	       52200000, 3);
	expect("step 12 loss 1.2 0.345 s\nstep 13 loss 1.1 0.345 s\nstep 14 loss 1.0 0.345 s\n",
	       345 * ms, 3);
	expect("step   12/  100 | train loss 4.1 | norm 1.2 | lr 1e-4 | 52.10 ms | 51% bf16 MFU | "
	       "314 "
	       "tok/s\n"
	       "step   13/  100 | train loss 4.1 | norm 1.2 | lr 1e-4 | 52.10 ms | 51% bf16 MFU | "
	       "314 "
	       "tok/s\n"
	       "step   14/  100 | train loss 4.1 | norm 1.2 | lr 1e-4 | 52.10 ms | 51% bf16 MFU | "
	       "314 "
	       "tok/s\n",
	       52100000, 3);
	expect("step_time=0.25s\nstep_time=0.25s\nstep_time=0.25s\n", 250 * ms, 3);
	expect("step_time_ms: 25\nstep_time_ms: 25\nstep_time_ms: 25\n", 25 * ms, 3);
	expect("Epoch 1/3 12/12 - 4s 345ms/step\nEpoch 2/3 12/12 - 4s 345ms/step\nEpoch 3/3 12/12 "
	       "- "
	       "4s 345ms/step\n",
	       345 * ms, 3);
	expect("2.5 steps/s\n2.5 steps/sec\n2.5 iters/s\n", 400 * ms, 3);
}

/* Times that may be of anything else. */
TEST(unclear_lines_do_not_count)
{
	static const char *const lines[] = {
		"step 12 0.345 s 0.1 s\n", /* two times */
		"step 12 elapsed 345 s\n", /* since the start */
		"step 12 eta 345 s\n",
		"loss 2.1 time 52 ms\n", /* no step */
		"stepper 12 52 ms\n",
		"step 12 took 1,234 ms\n", /* thousands */
		"step 12 at 10:00:52 s\n", /* a time of day */
		"step 12 -52 ms\n",
		"step 12 x52 ms\n",
		"step 12 saved in 52 ms\n",
		"step 12 1234567 ms\n",   /* too many digits */
		"step time 52\n",         /* no unit */
		"step time (ms): 52 s\n", /* two units */
		"step 12 0 ms\n",
		"12 tokens/s 53 samples/s\n",
		"345 ms/batch 12 s/epoch\n",
		"0.0001 it/s\n", /* longer than an hour */
		"9000000 it/s\n",
	};

	for (size_t i = 0; i < WL_COUNT(lines); i++) {
		char text[512];

		(void)snprintf(text, sizeof(text), "%s%s%s%s", lines[i], lines[i], lines[i],
			       lines[i]);
		expect(text, 0, 0);
	}
}

TEST(few_or_contradictory_lines_say_nothing)
{
	expect("iter 1 52 ms\niter 2 52 ms\n", 0, 0);
	/* A bar of an inner loop beside that of steps. */
	expect("outer 1.0it/s\nouter 1.0it/s\nouter 1.0it/s\ninner 9it/s\ninner 9it/s\ninner "
	       "9it/s\n",
	       0, 0);
	expect("a 1.0it/s\na 1.0it/s\na 1.0it/s\na 1.0it/s\nb 1.02it/s\nb 1.02it/s\nb 1.02it/s\n",
	       1000 * ms, 4);
	expect("iter 1 10 ms\niter 2 20 ms\niter 3 50 ms\niter 4 90 ms\n", 0, 0);
}

/* Escape sequences, bytes that are no text, long lines, and no end. */
TEST(hostile_text)
{
	static const char coloured[] =
		"\033[0;34mstep 1\033[0m 52 ms\033[K\n\033[0;34mstep 2\033[0m 52 "
		"ms\n\033[1mstep 3 52 ms\033[";
	static const char with_nul[] = "step 1 52 ms\0\nstep 2 52 ms\0\nstep 3 52 ms\0";
	char text[4096];
	struct wl_step_log log;

	expect(coloured, 52 * ms, 3);
	expect("\033", 0, 0);
	expect("\033[", 0, 0);
	expect("\033[12", 0, 0);
	expect("", 0, 0);
	memset(text, '9', sizeof(text));
	log = wl_step_log_read(text, sizeof(text));
	assert_int_equal(log.lines, 0);
	memset(text, 0xff, sizeof(text));
	log = wl_step_log_read(text, sizeof(text));
	assert_int_equal(log.lines, 0);
	log = wl_step_log_read(with_nul, sizeof(with_nul) - 1);
	assert_true(log.median == 52 * ms && log.lines == 3);
	/* More kinds than are kept, and more lines than are remembered. */
	for (size_t i = 0; i < 20; i++) {
		memcpy(text + 20 * i, "? step 1 in 52 ms   ", 20);
		text[20 * i] = (char)('a' + i);
		text[20 * i + 19] = '\n';
	}
	log = wl_step_log_read(text, 400);
	assert_int_equal(log.lines, 0);
}

TEST(many_lines)
{
	enum { LINES = 2000, WIDTH = 17 };
	static char text[LINES * WIDTH + 1];

	for (size_t i = 0; i < LINES; i++)
		memcpy(text + i * WIDTH,
		       i < LINES / 2 ? "iter 1234: 90 ms\n" : "iter 1234: 50 ms\n", WIDTH);
	expect(text, 50 * ms, LINES);
}
