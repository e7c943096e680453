/* SPDX-License-Identifier: MIT */
#include "known/kernels/label_words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/attr.h"
#include "known/kernels/names.h"
#include "known/kernels/wrappers.h"

/* What lies behind is not looked at: labels that are alike are then spelled out. */
enum { MAX_TEXT = 8192, MAX_BASE = 1024 };

/* ---- Words ---- */

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool wl_word_is_text(const struct wl_worded *name, size_t i)
{
	return is_letter(name->name[name->word[i].at]);
}

bool wl_word_is_qualifier(const struct wl_worded *name, size_t i)
{
	return i + 3 < name->n && name->name[name->word[i + 1].at] == ':' &&
	       name->name[name->word[i + 2].at] == ':' && wl_word_is_text(name, i + 3);
}

static bool is_word(const struct wl_worded *name, size_t i, const char *text)
{
	return strlen(text) == name->word[i].length &&
	       strncmp(name->name + name->word[i].at, text, name->word[i].length) == 0;
}

/* Of names without arguments, such as those of cuBLAS, words are what lies between _. */
static size_t word_end(const char *s, size_t at, bool is_flat)
{
	size_t end = at + 1;

	if (!is_letter(s[at]) || (is_flat && s[at] == '_'))
		return end;
	while (end < MAX_TEXT && is_letter(s[end]) && !(is_flat && s[end] == '_'))
		end++;
	return end;
}

/* A space, or a namespace without a name: nothing that a label could show. */
static size_t count_empty(const char *s)
{
	static const char *const empty[] = { " ", "<unnamed>::", "(anonymous namespace)::" };

	for (size_t i = 0; i < WL_COUNT(empty); i++) {
		if (strncmp(s, empty[i], strlen(empty[i])) == 0)
			return strlen(empty[i]);
	}
	return 0;
}

/* The words of the name, written to word unless that is NULL; returns how many. */
static size_t scan(const struct wl_worded *w, struct wl_word *word)
{
	size_t n = 0;

	for (size_t at = 0, end; at < MAX_TEXT && w->name[at]; at = end) {
		size_t empty = count_empty(w->name + at);

		end = empty ? at + empty : word_end(w->name, at, w->is_flat);
		if (!empty && word)
			word[n] = (struct wl_word){ .at = (uint16_t)at,
						    .length = (uint16_t)(end - at) };
		n += !empty;
	}
	return n;
}

static bool split(struct wl_worded *w, struct wl_arena *arena)
{
	w->n = scan(w, NULL);
	w->word = WL_NEW(arena, struct wl_word, w->n + 1);
	return w->word && scan(w, w->word) == w->n;
}

int wl_words_compare(const struct wl_worded *a, const struct wl_worded *b, uint32_t *ret_shared)
{
	size_t n = a->n < b->n ? a->n : b->n, i = 0;
	int order = 0;

	for (; i < n && order == 0; i++) {
		size_t x = a->word[i].length, y = b->word[i].length;

		order = memcmp(a->name + a->word[i].at, b->name + b->word[i].at, x < y ? x : y);
		order = order ? order : (x > y) - (x < y);
	}
	if (ret_shared)
		*ret_shared = (uint32_t)(order ? i - 1 : i);
	return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* ---- Data types ---- */

static const struct {
	const char *word, *label;
} dtypes[] = {
	{ "bfloat16_t", "bf16" },    { "BFloat16", "bf16" },      { "__nv_bfloat16", "bf16" },
	{ "nv_bfloat16", "bf16" },   { "__bfloat", "bf16" },      { "half_t", "fp16" },
	{ "Half", "fp16" },          { "__half", "fp16" },        { "half", "fp16" },
	{ "float", "float" },        { "double", "double" },      { "float_e4m3_t", "e4m3" },
	{ "__nv_fp8_e4m3", "e4m3" }, { "Float8_e4m3fn", "e4m3" }, { "float_e5m2_t", "e5m2" },
	{ "__nv_fp8_e5m2", "e5m2" }, { "Float8_e5m2", "e5m2" },
};

/* What a label calls the data type, or NULL when the word is none. */
static const char *dtype_of(const struct wl_worded *w, size_t i)
{
	for (size_t k = 0; k < WL_COUNT(dtypes); k++) {
		if (is_word(w, i, dtypes[k].word))
			return dtypes[k].label;
	}
	return NULL;
}

/* A type of cuBLAS and cuDNN twice, of A and B: "bf16bf16". */
static bool is_type_pair(const struct wl_worded *w, size_t i)
{
	const char *s = w->name + w->word[i].at;
	size_t half = w->word[i].length / 2;

	return half >= 2 && w->word[i].length % 2 == 0 && memcmp(s, s + half, half) == 0 &&
	       isdigit((unsigned char)s[half - 1]) && isalpha((unsigned char)s[0]);
}

/* ---- Heads ---- */

static const char tile[] = "tilesize";

static bool is_tile(const struct wl_worded *w, size_t i)
{
	return w->word[i].length > sizeof(tile) - 1 &&
	       strncmp(w->name + w->word[i].at, tile, sizeof(tile) - 1) == 0;
}

/* "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_...": its words are flat. */
static bool is_xmma(const char *name)
{
	size_t digits = strncmp(name, "sm", 2) == 0 ? strspn(name + 2, "0123456789") : 0;

	return digits && strncmp(name + 2 + digits, "_xmma_", 6) == 0 &&
	       strcspn(name, "<( ") == strlen(name);
}

static bool head_xmma(struct wl_worded *w, struct wl_arena *arena)
{
	size_t arch = strcspn(w->name, "_"), op = arch + 6;
	size_t n_op = strcspn(w->name + op, "_");
	char *head = WL_NEW(arena, char, arch + n_op + 2);
	bool typed = false;

	w->is_flat = true;
	if (!head || !split(w, arena))
		return false;
	(void)snprintf(head, arch + n_op + 2, "%.*s %.*s", (int)arch, w->name, (int)n_op,
		       w->name + op);
	w->head = head;
	w->is_spaced = true;
	for (size_t i = 0; i < w->n; i++) {
		w->word[i].keep = is_tile(w, i) || (!typed && is_type_pair(w, i));
		typed |= is_type_pair(w, i);
	}
	return true;
}

/* Behind the last "::"; with the qualifier in front where the rest says nothing. */
static const char *last_part(const char *base)
{
	static const char *const empty[] = {
		"kernel", "Kernel",     "run",         "launch",
		"main",   "operator()", "cuda_kernel", "kernel_agent"
	};
	const char *part = base, *before = base;

	for (const char *at = strstr(base, "::"); at; at = strstr(at + 2, "::")) {
		before = part;
		part = at + 2;
	}
	for (size_t i = 0; i < WL_COUNT(empty); i++) {
		if (strcmp(part, empty[i]) == 0)
			return before;
	}
	return part;
}

/* The words that are template arguments end where the parameters begin. */
static size_t arguments_end(const struct wl_worded *w)
{
	int depth = 0;

	for (size_t i = 0; i < w->n; i++) {
		char c = w->name[w->word[i].at];

		depth += c == '<';
		depth -= c == '>';
		if (c == '(' && depth == 0 && i > 0)
			return i;
	}
	return w->n;
}

/* Keep the first word from lo to hi that is text, or a data type. */
static void keep_first(struct wl_worded *w, size_t lo, size_t hi, const char *text)
{
	for (size_t i = lo; i < hi; i++) {
		if (text ? is_word(w, i, text) : dtype_of(w, i) != NULL) {
			w->word[i].keep = true;
			return;
		}
	}
}

/* Where template arguments or parameters begin: not before the base ends. */
static size_t arguments_begin(const struct wl_worded *w)
{
	size_t base = strlen(w->base), i = 0;

	while (i < w->n && (!strchr("<(", w->name[w->word[i].at]) || w->word[i].at < base))
		i++;
	return i;
}

/* "flash_fwd_kernel" is "flash_fwd", and its words are set off by spaces; false without memory. */
static bool strip_kernel(struct wl_worded *w, struct wl_arena *arena)
{
	static const char suffix[] = "_kernel";
	size_t n = strlen(w->head);
	char *head;

	w->is_spaced = true;
	if (n <= sizeof(suffix) || strcmp(w->head + n - (sizeof(suffix) - 1), suffix) != 0)
		return true;
	head = wl_arena_strdup(arena, w->head);
	if (head)
		head[n - (sizeof(suffix) - 1)] = '\0';
	w->head = head;
	return head != NULL;
}

/* What a wrapper does, without qualifiers; of CUTLASS it takes the place of the base. */
static bool head_wrapper(struct wl_worded *w, struct wl_arena *arena)
{
	char functor[MAX_BASE];
	size_t lo = arguments_begin(w);
	const char *part;

	if (!wl_name_is_wrapper(w->base))
		return true;
	(void)wl_name_functor(w->name, functor, sizeof(functor));
	part = last_part(functor);
	if (strncmp(w->base, "cutlass::", 9) != 0) {
		keep_first(w, lo, w->n, part);
		return strip_kernel(w, arena);
	}
	if (*part == '\0' && lo + 1 < w->n && wl_word_is_text(w, lo + 1) &&
	    w->word[lo + 1].length < sizeof(functor)) {
		(void)snprintf(functor, sizeof(functor), "%.*s", (int)w->word[lo + 1].length,
			       w->name + w->word[lo + 1].at);
		part = functor;
	}
	w->head = *part ? wl_arena_strdup(arena, part) : w->head;
	return w->head != NULL;
}

/* flash_fwd_kernel<Flash_fwd_kernel_traits<(int)128, ...>>: the first number is the head's. */
static bool head_flash(struct wl_worded *w, struct wl_arena *arena)
{
	if (strncmp(w->head, "flash_", 6) != 0)
		return true;
	for (size_t i = arguments_begin(w), end = arguments_end(w); i < end; i++) {
		if (isdigit((unsigned char)w->name[w->word[i].at])) {
			w->word[i].keep = w->word[i].is_hdim = true;
			break;
		}
	}
	return strip_kernel(w, arena);
}

/* Whether it looks like a function of C++, with parameters or at least template arguments. */
static bool is_function(const char *name, size_t length)
{
	bool begins = isalpha((unsigned char)name[0]) || name[0] == '_' || (count_empty(name) > 1);

	return begins && length && strchr(")>", name[length - 1]);
}

/* Whether a base could be one of C++: what has other characters is a name of another kind. */
static bool is_base(const char *base)
{
	for (; *base; base++) {
		if (!is_letter(*base) && !strchr(":~$.<>() ", *base))
			return false;
	}
	return true;
}

bool wl_words_split(struct wl_worded *ret, const char *name, struct wl_arena *arena)
{
	size_t length = strlen(name);
	char *base;

	ret->name = ret->base = ret->head = name;
	if (is_xmma(name))
		return head_xmma(ret, arena);
	if (!is_function(name, length))
		return true;
	base = WL_NEW(arena, char, length + 1);
	if (!base || !split(ret, arena))
		return false;
	(void)wl_name_base(name, base, length + 1);
	if (!is_base(base)) {
		ret->n = 0;
		return true;
	}
	ret->base = base;
	ret->head = last_part(base);
	if (!head_wrapper(ret, arena) || !head_flash(ret, arena))
		return false;
	keep_first(ret, arguments_begin(ret), arguments_end(ret), NULL);
	return true;
}

/* ---- Labels ---- */

/* What the label shows of a word, and how long that is. */
static size_t word_text(const struct wl_worded *w, size_t i, const char **ret)
{
	const char *dtype = w->is_flat ? NULL : dtype_of(w, i);

	*ret = dtype ? dtype : w->name + w->word[i].at;
	if (dtype)
		return strlen(dtype);
	if (w->is_flat && is_type_pair(w, i))
		return w->word[i].length / 2;
	if (!w->is_flat || !is_tile(w, i))
		return w->word[i].length;
	*ret += sizeof(tile) - 1;
	return w->word[i].length - (sizeof(tile) - 1);
}

/* Text that grows; what does not fit is not written. */
struct writing {
	char *text;
	size_t n, size;
};

static void append(struct writing *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n && to->n + 1 < to->size; i++)
		to->text[to->n++] = s[i];
}

static void put_word(struct writing *to, const struct wl_worded *w, size_t i)
{
	const char *text;
	size_t n = word_text(w, i, &text);

	if (w->word[i].is_hdim)
		append(to, "hdim", 4);
	append(to, text, n);
}

/* The head, or the word of the base that begins with it: one with a hash, say. */
static void put_head(struct writing *to, const struct wl_worded *w, const char *head, size_t begin)
{
	size_t n = strlen(head);

	for (size_t i = 0; i < begin; i++) {
		const char *text = w->name + w->word[i].at;

		if (w->word[i].keep && w->word[i].length > n && strncmp(text, head, n) == 0) {
			head = text;
			n = w->word[i].length;
		}
	}
	append(to, head, n);
}

/* What stands before the i-th word, where the one before it in the label is the last-th. */
static const char *gap_before(const struct wl_worded *w, size_t last, size_t i)
{
	if (w->is_spaced)
		return " ";
	if (last == SIZE_MAX)
		return i < arguments_end(w) ? "<" : "(";
	return i == last + 3 && wl_word_is_qualifier(w, last) ? "::" : ", ";
}

static bool is_shown(const struct wl_worded *w, size_t i, bool qualified)
{
	return w->word[i].keep && (qualified || !wl_word_is_qualifier(w, i)) &&
	       !(w->is_flat && is_word(w, i, "kernel"));
}

const char *wl_words_join(const struct wl_worded *name, bool qualified, struct wl_arena *arena)
{
	const char *head = qualified ? name->base : name->head;
	size_t begin = name->is_flat ? 0 : arguments_begin(name), last = SIZE_MAX;
	struct writing to = { .size = strlen(head) + 8 };
	const char *close = "";

	for (size_t i = 0; i < name->n; i++)
		to.size += name->word[i].keep ? name->word[i].length + (size_t)8 : 0;
	to.text = WL_NEW(arena, char, to.size);
	if (!to.text)
		return NULL;
	put_head(&to, name, head, begin);
	for (size_t i = begin; i < name->n; i++) {
		const char *gap;

		if (!is_shown(name, i, qualified))
			continue;
		gap = gap_before(name, last, i);
		if (last == SIZE_MAX)
			close = *gap == '<' ? ">" : *gap == '(' ? ")" : "";
		append(&to, gap, strlen(gap));
		put_word(&to, name, i);
		last = i;
	}
	append(&to, close, strlen(close));
	return to.text;
}
