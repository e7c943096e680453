/* SPDX-License-Identifier: MIT */
#include "index/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/checksum.h"

enum {
	/* A cache line, and more than any type of a column needs. */
	ALIGN = 64,
	MAX_SECTIONS = 1 << 16, /* far more than there are columns and answers */
};

static const char magic[8] = "wlindex\n";
static const uint64_t byte_order = UINT64_C(0x0102030405060708);

/* The first bytes of the file. All of it is plain numbers without padding. */
struct header {
	char magic[8];
	uint64_t byte_order;
	uint64_t layout;
	struct wl_trace_identity identity;
	uint64_t directory, n_sections, directory_checksum;
	uint64_t size;     /* of the file */
	uint64_t checksum; /* of all before */
};

static uint64_t header_checksum(const struct header *h)
{
	return wl_checksum(h, offsetof(struct header, checksum));
}

/* The users whose files are trusted to hold true numbers. */
static int check_owner(const struct stat *st, struct wl_err *reterr)
{
	const char *doubt = wl_file_doubt(st);

	if (!S_ISREG(st->st_mode))
		return wl_fail(reterr, WL_E_FORMAT, "is not a regular file");
	return doubt ? wl_fail(reterr, WL_E_FORMAT, "%s", doubt) : WL_OK;
}

static int check_header(const struct header *h, size_t size, uint64_t layout,
			const struct wl_trace_identity *identity, struct wl_err *reterr)
{
	if (memcmp(h->magic, magic, sizeof(magic)) != 0)
		return wl_fail(reterr, WL_E_FORMAT, "is not an index");
	if (h->byte_order != byte_order)
		return wl_fail(reterr, WL_E_FORMAT, "is of a machine of another kind");
	if (h->checksum != header_checksum(h))
		return wl_fail(reterr, WL_E_FORMAT, "is damaged");
	if (h->layout != layout)
		return wl_fail(reterr, WL_E_FORMAT, "is of another version of warplens");
	if (h->size != size)
		return wl_fail(reterr, WL_E_FORMAT, "is cut short");
	if (memcmp(&h->identity, identity, sizeof(*identity)) != 0)
		return wl_fail(reterr, WL_E_FORMAT,
			       "is of another trace, or of this one before it "
			       "changed");
	return WL_OK;
}

static bool lies_within(const struct wl_index_section *s, size_t size)
{
	/* A division, because the product of two numbers of the file may overflow. */
	return memchr(s->name, '\0', sizeof(s->name)) && s->offset % ALIGN == 0 &&
	       s->offset <= size && s->size > 0 && s->n <= (size - s->offset) / s->size;
}

/* Bytes of the file; false when it is shorter, or cannot be read. */
static bool read_at(int fd, void *to, size_t n, uint64_t offset)
{
	return wl_fd_read_at(fd, to, n, offset) == (ssize_t)n;
}

static int read_directory(const struct header *h, struct wl_index_file *f, struct wl_err *reterr)
{
	size_t n = (size_t)h->n_sections;
	struct wl_index_section *s = NULL;
	bool ok = h->directory <= f->size && n <= MAX_SECTIONS &&
		  n <= (f->size - h->directory) / sizeof(*s);

	s = ok ? wl_vec_extend(&f->section, n) : NULL;
	if (ok && !s)
		return wl_fail(reterr, WL_E_NOMEM, "cannot be read: no memory");
	ok = ok && read_at(f->fd, s, n * sizeof(*s), h->directory) &&
	     wl_checksum(s, n * sizeof(*s)) == h->directory_checksum;
	for (size_t i = 0; ok && i < n; i++)
		ok = lies_within(&s[i], f->size);
	return ok ? WL_OK : wl_fail(reterr, WL_E_FORMAT, "is damaged");
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* What the copy takes: whole pages, and one behind them that cannot be touched. */
static size_t reserved(size_t size)
{
	return (size + page_size() - 1) / page_size() * page_size() + page_size();
}

/* Room for a copy of the file, of which nothing is memory yet. */
static unsigned char *map_zeros(size_t size)
{
	size_t room = reserved(size);
	unsigned char *data =
		mmap(NULL, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (data == MAP_FAILED)
		return NULL;
	/* Reading past the end is a defect that must not go unnoticed. */
	(void)mprotect(data + room - page_size(), page_size(), PROT_NONE);
	return data;
}

static int read_head(uint64_t layout, const struct wl_trace_identity *identity,
		     struct wl_index_file *f, struct wl_err *reterr)
{
	struct header h = { 0 };
	struct stat st;
	int r;

	if (fstat(f->fd, &st) < 0)
		return wl_fail(reterr, WL_E_IO, "cannot be read: %s", strerror(errno));
	r = check_owner(&st, reterr);
	if (r < 0)
		return r;
	f->size = (size_t)st.st_size;
	if (f->size < sizeof(h) || !read_at(f->fd, &h, sizeof(h), 0))
		return wl_fail(reterr, WL_E_FORMAT, "is cut short");
	r = check_header(&h, f->size, layout, identity, reterr);
	if (r == WL_OK)
		r = read_directory(&h, f, reterr);
	if (r < 0)
		return r;
	f->copy = map_zeros(f->size);
	return f->copy ? WL_OK : wl_fail(reterr, WL_E_NOMEM, "cannot be read: no memory");
}

int wl_index_file_open(const char *path, uint64_t layout, const struct wl_trace_identity *identity,
		       struct wl_budget *budget, struct wl_index_file *ret, struct wl_err *reterr)
{
	/*
	 * O_NONBLOCK: opening a FIFO of that name must not hang; check_owner() refuses it
	 * afterwards.
	 */
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int r;

	if (fd < 0 && errno == ELOOP)
		return wl_fail(reterr, WL_E_FORMAT, "is a symbolic link");
	if (fd < 0)
		return wl_fail(reterr, WL_E_IO, "cannot be read: %s", strerror(errno));
	*ret = (struct wl_index_file){ .fd = fd };
	ret->budget = budget ? budget : &ret->own;
	wl_vec_init(&ret->section, sizeof(struct wl_index_section), ret->budget);
	r = read_head(layout, identity, ret, reterr);
	if (r < 0) {
		(void)close(fd);
		wl_vec_release(&ret->section);
		*ret = (struct wl_index_file){ .copy = NULL };
	}
	return r;
}

void wl_index_file_close(struct wl_index_file *file)
{
	if (file->copy) {
		(void)munmap(file->copy, reserved(file->size));
		(void)close(file->fd);
		wl_vec_release(&file->section);
		wl_budget_give(file->budget, file->taken);
	}
	*file = (struct wl_index_file){ .copy = NULL };
}

static bool has_magic(int fd)
{
	char head[sizeof(magic)];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0;
}

int wl_index_file_spare(const char *path, struct wl_err *reterr)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_index;

	if (fd < 0 && errno == ENOENT)
		return WL_OK;
	if (fd < 0 && errno == ELOOP)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s is a symbolic link; it is left alone",
			       path);
	if (fd < 0)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s: %s", path, strerror(errno));
	is_index = has_magic(fd);
	(void)close(fd);
	if (!is_index)
		return wl_fail(reterr, WL_E_OUTPUT, "%.300s is not an index; it is left alone",
			       path);
	return WL_OK;
}

const struct wl_index_section *wl_index_section_find(const struct wl_index_file *file,
						     const char *name, size_t size)
{
	const struct wl_index_section *s = file->section.data;

	/* Linear: an index has some hundred sections, and each is looked up a few times. */
	for (size_t i = 0; i < file->section.n; i++) {
		if (strcmp(s[i].name, name) == 0)
			return s[i].size == size ? &s[i] : NULL;
	}
	return NULL;
}

const void *wl_index_section_data(const struct wl_index_file *file,
				  const struct wl_index_section *section)
{
	return file->copy + section->offset;
}

/* The kernel is asked to read it at once: threads read their parts in no order. */
bool wl_index_section_reserve(struct wl_index_file *file, const struct wl_index_section *section)
{
	size_t bytes = (size_t)(section->n * section->size);
	size_t begin = (size_t)section->offset & ~(page_size() - 1);

	if (bytes == 0)
		return true;
	if (!wl_budget_take(file->budget, bytes)) {
		file->no_memory = true;
		return false;
	}
	file->taken += bytes;
	if (mprotect(file->copy + begin, (size_t)section->offset + bytes - begin,
		     PROT_READ | PROT_WRITE) < 0) {
		file->no_memory = true;
		return false;
	}
	(void)posix_fadvise(file->fd, (off_t)section->offset, (off_t)bytes, POSIX_FADV_WILLNEED);
	return true;
}

bool wl_index_section_read(const struct wl_index_file *file, const struct wl_index_section *section,
			   size_t lo, size_t hi)
{
	uint64_t offset = section->offset + lo * section->size;

	return read_at(file->fd, file->copy + offset, (hi - lo) * (size_t)section->size, offset);
}

bool wl_index_section_take(struct wl_index_file *file, const struct wl_index_section *section)
{
	size_t n = (size_t)section->n;

	return wl_index_section_reserve(file, section) &&
	       wl_index_section_read(file, section, 0, n) &&
	       wl_checksum_rows(wl_index_section_data(file, section), (size_t)section->size, 0,
				n) == section->checksum;
}

bool wl_index_section_copy(const struct wl_index_file *file, const struct wl_index_section *section,
			   void *ret)
{
	size_t n = (size_t)section->n, size = (size_t)section->size;

	return read_at(file->fd, ret, n * size, section->offset) &&
	       wl_checksum_rows(ret, size, 0, n) == section->checksum;
}

/* Bytes go through the descriptor, so that arrays of gigabytes are not copied once more. */
static void put_bytes(struct wl_index_writer *w, const void *data, size_t n)
{
	if (w->failure.code == WL_OK && wl_file_put(&w->file, data, n, &w->failure) == WL_OK)
		w->at += n;
}

static void align(struct wl_index_writer *w)
{
	static const char zeros[ALIGN];

	put_bytes(w, zeros, (ALIGN - w->at % ALIGN) % ALIGN);
}

int wl_index_writer_begin(struct wl_index_writer *w, const char *path, uint64_t layout,
			  const struct wl_trace_identity *identity, struct wl_err *reterr)
{
	const struct header none = { .size = 0 };
	struct stat st;
	int r;

	*w = (struct wl_index_writer){ .layout = layout, .identity = *identity };
	wl_vec_init(&w->sections, sizeof(struct wl_index_section), &w->budget);
	r = wl_index_file_spare(path, reterr);
	if (r == WL_OK)
		r = wl_file_begin_nofollow(path, &w->file, reterr);
	if (r < 0)
		return r;
	/* Whatever the umask says: a file that others may write is not opened. */
	if (fstat(fileno(w->file.stream), &st) == 0)
		(void)fchmod(fileno(w->file.stream), st.st_mode & 0755);
	put_bytes(w, &none, sizeof(none));
	return WL_OK;
}

void wl_index_put(struct wl_index_writer *w, const char *name, const void *data, size_t n,
		  size_t size)
{
	struct wl_index_section s = { .n = n, .size = size };

	assert(strlen(name) < sizeof(s.name));
	memcpy(s.name, name, strlen(name));
	align(w);
	s.offset = w->at;
	s.checksum = wl_checksum_rows(data, size, 0, n);
	put_bytes(w, data, n * size);
	wl_vec_push(&w->sections, &s);
}

/* The header is written last, in its place at the beginning. */
static int finish(struct wl_index_writer *w, struct wl_err *reterr)
{
	size_t bytes = w->sections.n * sizeof(struct wl_index_section);
	struct header h = { .byte_order = byte_order,
			    .layout = w->layout,
			    .identity = w->identity,
			    .n_sections = w->sections.n };

	memcpy(h.magic, magic, sizeof(magic));
	align(w);
	h.directory = w->at;
	h.directory_checksum = wl_checksum(w->sections.data, bytes);
	put_bytes(w, w->sections.data, bytes);
	h.size = w->at;
	h.checksum = header_checksum(&h);
	if (w->sections.failed)
		return wl_fail(reterr, WL_E_NOMEM, "%s: no memory", w->file.path);
	if (w->failure.code != WL_OK)
		return wl_fail(reterr, w->failure.code, "%s", w->failure.msg);
	if (pwrite(fileno(w->file.stream), &h, sizeof(h), 0) != (ssize_t)sizeof(h))
		return wl_fail(reterr, WL_E_OUTPUT, "%s: cannot be written", w->file.path);
	return WL_OK;
}

int wl_index_writer_commit(struct wl_index_writer *w, struct wl_err *reterr)
{
	int r = finish(w, reterr);

	if (r == WL_OK)
		r = wl_file_commit(&w->file, reterr);
	wl_index_writer_abort(w);
	return r;
}

void wl_index_writer_abort(struct wl_index_writer *w)
{
	wl_file_abort(&w->file);
	wl_vec_release(&w->sections);
}
