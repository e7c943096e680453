/* SPDX-License-Identifier: MIT */
/*
 * pfcheck.c - reads a Perfetto trace strictly and tells the first fault with its offset.
 *
 *	pfcheck [--slices | --counters | --tracks | --stats] [FILE]
 *
 * It knows what a writer of rows, slices, counters and flows needs of the public schema, and
 * takes anything else for a mistake. It shares no code with the program under test. What it
 * demands beyond the schema:
 *  - each sequence begins with a packet that says so and clears its state; before its first
 *    event it has defaults and a clock;
 *  - a packet has one payload; who uses interned texts or defaults says so;
 *  - a track is described once, before its children and events, and has the events of one
 *    sequence, in order of time; slices nest and all end; at equal times ENDs come before
 *    BEGINs, but a slice without length ends at once;
 *  - a flow begins once and ends once, and not before it begins.
 *
 * Status: 0 all is well, 1 a fault, 2 usage, 3 the file cannot be read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "print.h"

enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };

struct packet {
	const unsigned char *at;
	uint64_t sequence, flags, clock; /* 0 for none */
	bool is_first, has_time;
	struct field time;
	struct span event, descriptor, interned, defaults, snapshot; /* .base NULL: absent */
};

static void read_field(struct packet *p, const struct field *f)
{
	switch (f->number) {
	case 6:
		p->snapshot = field_bytes(f);
		break;
	case 8:
		p->time = *f;
		p->has_time = true;
		break;
	case 10:
		p->sequence = field_upto(f, UINT32_MAX);
		break;
	case 11:
		p->event = field_bytes(f);
		break;
	case 12:
		p->interned = field_bytes(f);
		break;
	case 13:
		p->flags = field_upto(f, STATE_CLEARED | NEEDS_STATE);
		break;
	case 58:
		p->clock = field_upto(f, 127);
		break;
	case 59:
		p->defaults = field_bytes(f);
		break;
	case 60:
		p->descriptor = field_bytes(f);
		break;
	case 87:
		p->is_first = field_upto(f, 1);
		break;
	default:
		FAULT_FIELD(f, "TracePacket: unknown field %u", f->number);
	}
}

/* The sequence of a packet, which it may begin. */
static uint32_t enter(struct trace *t, const struct packet *p)
{
	bool is_new;
	uint32_t index = numbers_add(&t->sequence_id, p->sequence, &is_new);

	if (is_new != p->is_first)
		fault(&t->file, p->at, "sequence %" PRIu64 ": %s", p->sequence,
		      is_new ? "its first packet does not say so" : "a second first packet");
	if (is_new != ((p->flags & STATE_CLEARED) != 0))
		fault(&t->file, p->at, "sequence %" PRIu64 ": %s", p->sequence,
		      is_new ? "its first packet does not clear the state"
			     : "its state is cleared under way");
	if (is_new) {
		t->sequence = grow(t->sequence, index, sizeof(*t->sequence));
		t->sequence[index] = (struct sequence){ .id = p->sequence };
	}
	return index;
}

static void take_event(struct trace *t, uint32_t sequence, const struct packet *p)
{
	struct sequence *s = &t->sequence[sequence];

	if (!s->has_defaults || !s->has_clock)
		fault(&t->file, p->at, "sequence %" PRIu64 ": an event before defaults and clock",
		      p->sequence);
	if (!p->has_time)
		fault(&t->file, p->at, "an event without time");
	if (!(p->flags & NEEDS_STATE))
		fault(&t->file, p->at, "an event that does not say that it needs state");
	event_take(t, sequence, sequence_time(s, p->clock, &p->time), p->event, p->at);
}

static void take_packet(struct trace *t, struct span message)
{
	struct packet p = { .at = message.at };
	uint64_t seen = 0;
	struct field f;
	uint32_t sequence;

	while (field_next(&message, &f)) {
		read_field(&p, &f);
		field_once(&seen, &f);
	}
	if (!p.event.base + !p.descriptor.base + !p.snapshot.base != 2)
		fault(&t->file, p.at, "a packet without one payload");
	if (p.sequence == 0)
		fault(&t->file, p.at, "a packet without sequence");
	sequence = enter(t, &p);
	if (p.defaults.base)
		sequence_default(&t->sequence[sequence], p.defaults);
	if (p.interned.base)
		sequence_intern(&t->sequence[sequence], p.interned);
	if (p.event.base)
		take_event(t, sequence, &p);
	else if (p.has_time)
		fault(&t->file, p.at, "a time without event");
	if (p.snapshot.base)
		sequence_snapshot(&t->sequence[sequence], p.snapshot);
	if (p.descriptor.base)
		tracks_describe(&t->tracks, p.descriptor);
	t->n_packets++;
}

static void check(struct trace *t)
{
	struct span in = t->file;
	struct field f;

	while (field_next(&in, &f)) {
		if (f.number != 1)
			FAULT_FIELD(&f, "Trace: unknown field %u", f.number);
		take_packet(t, field_bytes(&f));
	}
	tracks_finish(&t->tracks, &t->file);
	flows_finish(t);
}

static void release(struct trace *t)
{
	for (uint32_t i = 0; i < t->sequence_id.n; i++)
		sequence_release(&t->sequence[i]);
	free(t->sequence);
	free(t->flow);
	tracks_release(&t->tracks);
	numbers_release(&t->sequence_id);
	numbers_release(&t->flow_id);
}

static noreturn void cannot_read(const char *path)
{
	perror(path);
	exit(3);
}

static struct span map_file(const char *path)
{
	static const unsigned char nothing[1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const unsigned char *at = nothing;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		cannot_read(path);
	if (st.st_size > 0)
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if ((const void *)at == MAP_FAILED)
		cannot_read(path);
	(void)close(fd);
	return (struct span){ at, at, at + st.st_size };
}

/* The buffer is to be freed. */
static struct span read_stdin(unsigned char **ret_buffer)
{
	size_t n = 0, cap = 1 << 16, got;
	unsigned char *bytes = need_memory(NULL, cap, 1);

	while ((got = fread(bytes + n, 1, cap - n, stdin)) > 0) {
		n += got;
		if (n == cap) {
			cap *= 2;
			bytes = need_memory(bytes, cap, 1);
		}
	}
	if (ferror(stdin))
		cannot_read("stdin");
	*ret_buffer = bytes;
	return (struct span){ bytes, bytes, bytes + n };
}

static noreturn void usage(void)
{
	(void)fputs("usage: pfcheck [--slices | --counters | --tracks | --stats] [FILE]\n", stderr);
	exit(2);
}

static enum print print_of(const char *option)
{
	static const char *const name[] = { "", "--slices", "--counters", "--tracks", "--stats" };

	for (size_t i = 1; i < sizeof(name) / sizeof(name[0]); i++) {
		if (strcmp(option, name[i]) == 0)
			return (enum print)i;
	}
	usage();
}

int main(int argc, char **argv)
{
	static char buffer[1 << 16];
	struct trace t = { .print = PRINT_NOTHING };
	unsigned char *input = NULL;
	int i = 1;

	if (i < argc && strncmp(argv[i], "--", 2) == 0)
		t.print = print_of(argv[i++]);
	if (argc - i > 1)
		usage();
	(void)setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	t.file = i < argc ? map_file(argv[i]) : read_stdin(&input);
	check(&t);
	if (t.print == PRINT_TRACKS)
		print_tracks(&t.tracks);
	if (t.print == PRINT_STATS)
		print_stats(&t);
	release(&t);
	free(input);
	return fflush(stdout) == 0 ? 0 : 3;
}
