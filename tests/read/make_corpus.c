/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   make_corpus DIRECTORY: files to read.  session.emlat is the recorder's own, with some of
   everything that it records; forged.emlat has random records of every type; small.emlat is for
   damage.  DIRECTORY must exist; what is there is replaced.  */
#include "forge.h"

#include <emlat/emlat.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct emlat_word_row roots[] = {{1, EMLAT_ROOT_COMMAND, "tty_command", 0},
                                              {2, 0, "timer", 0}};
static const struct emlat_word_row spans[] = {{1, EMLAT_SPAN_STAMPS, "command", 0},
                                              {2, 0, "gc", 0}};
static const struct emlat_word_row counters[] = {{0, EMLAT_COUNTER_SUM, "gc_count", 0},
                                                 {1, EMLAT_COUNTER_SUM, "output_bytes", "bytes"}};

/* A key that runs a command, which collects garbage and is displayed.  */
static void command(struct emlat_producer *producer)
{
    uint64_t t = emlat_clock_read(producer);
    uint64_t batch = emlat_input_batch(producer, 1, 0, t, emlat_clock_read(producer),
                                       emlat_clock_read(producer), 1);
    emlat_input_queued(producer, 1);
    struct emlat_source_range range = {0};
    struct emlat_token token = {batch, emlat_clock_read(producer), 0, 0};
    emlat_source_add(&range, token, emlat_clock_read(producer));
    uint64_t cause = emlat_root_begin(producer, 1, emlat_clock_read(producer));
    emlat_root_source(producer, cause, &range, emlat_clock_read(producer));
    struct emlat_span outer = emlat_span_begin(producer, 1);
    struct emlat_span inner = emlat_span_begin(producer, 2);
    emlat_span_end(producer, inner);
    emlat_span_end(producer, outer);
    emlat_root_work_end(producer, cause, emlat_clock_read(producer));
    emlat_display_decide(producer, EMLAT_DISPLAY_PERFORMED, emlat_clock_read(producer));
    emlat_display_begin(producer, emlat_clock_read(producer));
    emlat_output(producer, 1, 80);
    t = emlat_clock_read(producer);
    emlat_output_flush(producer, 1, t, emlat_clock_read(producer), false);
    emlat_display_end(producer, emlat_clock_read(producer));
    emlat_display_done(producer, emlat_clock_read(producer));
}

static int record(const char *path)
{
    static const struct emlat_vocabulary words = {roots, spans, counters, 2, 2, 2};
    struct emlat_options options;
    struct emlat_session *session;
    struct emlat_producer *producer;
    emlat_options_default(&options);
    options.path = path;
    options.words = &words;
    options.host = "make_corpus";
    options.chunk_bytes = 4 << 10; /* many chunks */
    int error = emlat_start(&options, &session);
    if (error)
        return error;
    error = emlat_producer_join(session, &producer);
    for (int i = 0; !error && i < 500; i++)
        command(producer);
    if (!error) /* left open */
        emlat_root_begin(producer, 1, emlat_clock_read(producer));
    int stopped = emlat_stop(session, 1000000000);
    return error ? error : stopped;
}

static const char *in(const char *directory, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
    return path;
}

int main(int argc, char **argv)
{
    static struct forge forge;
    if (argc != 2)
        return 2;
    forge_begin(&forge);
    forge_session(&forge);
    for (unsigned i = 0; i < 18; i++)
        forge_records(&forge, (enum emlat_record_type)(i % EMLAT_RECORD_TYPES), 100, i + 7, NULL);
    forge_chunk(&forge, 99, 1, "unknown", 7);
    forge_chunk(&forge, EMLAT_SESSION_CHUNK, 1, "\1\1\5rings\0\7\0", 11);
    int saved = forge_save(&forge, in(argv[1], "forged.emlat"));
    forge_begin(&forge);
    forge_session(&forge);
    for (unsigned i = 0; i < 8; i++)
        forge_records(&forge, (enum emlat_record_type)(i % EMLAT_RECORD_TYPES), 3, i + 70, NULL);
    saved &= forge_save(&forge, in(argv[1], "small.emlat"));
    int error = record(in(argv[1], "session.emlat"));
    if (error)
        fprintf(stderr, "make_corpus: %s\n", emlat_strerror(error));
    return error || !saved;
}
