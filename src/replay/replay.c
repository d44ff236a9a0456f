/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   A replay from its options to its files: check the script, create what is to be written, play,
   write.

   The whole script is read once before anything is created or started, so that a mistake in its
   last line does not cost a session; a script that comes through a pipe can be read only once and
   is checked as it goes.  The files are created before the program runs, because a session whose
   witness turns out to have no place would be lost.  */
#include "replay.h"

#include "cast.h"
#include "castout.h"
#include "player.h"
#include "witness.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct replay {
    const struct emlat_replay_options *options;
    struct emlat_witness witness;
    struct emlat_castout record;
    int script, witness_fd;
};

void emlat_replay_options_default(struct emlat_replay_options *options)
{
    *options = (struct emlat_replay_options){
        .term = "xterm-256color",
        .speed = 1,
        .max_gap_ns = UINT64_MAX,
        .timeout_ns = UINT64_C(30000000000),
        .quiet_ns = 20000000,
        .grace_ns = 2000000000,
        .quit_char = 7,
    };
}

/* ---- The script ------------------------------------------------------------------------------ */

static const char *script_name(const struct emlat_replay_options *options)
{
    return strcmp(options->script, "-") == 0 ? "standard input" : options->script;
}

static int say_cast_error(const struct replay *replay, const struct emlat_cast *cast)
{
    emlat_say(replay->options, EMLAT_REPLAY_WRONG, "%s: line %llu, byte offset %llu: %s",
              script_name(replay->options), (unsigned long long)cast->error.line,
              (unsigned long long)cast->error.offset, cast->error.what);
    if (*cast->error.hint)
        emlat_say(replay->options, EMLAT_REPLAY_HINT, "%s", cast->error.hint);
    return EMLAT_REPLAY_ESCRIPT;
}

static int open_script(struct replay *replay)
{
    const char *path = replay->options->script;
    replay->script = strcmp(path, "-") == 0 ? fcntl(0, F_DUPFD_CLOEXEC, 3)
                                            : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (replay->script >= 0)
        return 0;
    emlat_say(replay->options, EMLAT_REPLAY_WRONG, "%s: cannot be opened: %s",
              script_name(replay->options), strerror(errno));
    return EMLAT_REPLAY_ESCRIPT;
}

/* Read all of it and go back, where it can be gone back.  */
static int check_script(struct replay *replay)
{
    off_t start = lseek(replay->script, 0, SEEK_CUR);
    if (start < 0)
        return 0;
    struct emlat_cast cast;
    struct emlat_cast_event event;
    int error = 0;
    if (emlat_cast_open(&cast, replay->script))
        while (emlat_cast_next(&cast, &event))
            continue;
    if (cast.failed)
        error = say_cast_error(replay, &cast);
    else
        emlat_cast_sha256(&cast, replay->witness.script_sha256);
    emlat_cast_close(&cast);
    if (!error && lseek(replay->script, start, SEEK_SET) < 0) {
        emlat_say(replay->options, EMLAT_REPLAY_WRONG, "%s: cannot be read twice: %s",
                  script_name(replay->options), strerror(errno));
        error = EMLAT_REPLAY_ESCRIPT;
    }
    return error;
}

/* ---- What is written ------------------------------------------------------------------------- */

static int create(const struct replay *replay, const char *path, int *fd)
{
    if (!path)
        return 0;
    *fd = emlat_witness_create(path);
    if (*fd >= 0)
        return 0;
    bool exists = *fd == -EEXIST || *fd == -ELOOP;
    emlat_say(replay->options, EMLAT_REPLAY_WRONG, "%s: %s%s", path,
              exists ? "" : "cannot be created: ",
              exists ? "exists already, and is left alone" : strerror(-*fd));
    if (exists)
        emlat_say(replay->options, EMLAT_REPLAY_HINT, "name a new file, or remove that one");
    return EMLAT_REPLAY_ESYSTEM;
}

static int say_unwritten(const struct replay *replay, const char *path, int error)
{
    emlat_say(replay->options, EMLAT_REPLAY_WRONG, "%s: cannot be written: %s", path,
              strerror(error));
    return EMLAT_REPLAY_ESYSTEM;
}

static int create_files(struct replay *replay)
{
    int fd = -1;
    int error = create(replay, replay->options->witness, &replay->witness_fd);
    if (!error)
        error = create(replay, replay->options->record, &fd);
    if (!error && fd >= 0) {
        int failed = emlat_castout_open(&replay->record, fd);
        if (failed)
            error = say_unwritten(replay, replay->options->record, -failed);
    }
    /* Nothing has been played: an empty witness would only be in the way of the next attempt.  */
    if (error && replay->witness_fd >= 0)
        unlink(replay->options->witness);
    return error;
}

static int write_witness(struct replay *replay)
{
    FILE *file = fdopen(replay->witness_fd, "w");
    if (!file)
        return say_unwritten(replay, replay->options->witness, errno);
    replay->witness_fd = -1;
    errno = EIO;
    bool good = emlat_witness_print(&replay->witness, replay->options, file);
    int error = errno;
    if (fclose(file) != 0 && good) {
        good = false;
        error = errno;
    }
    return good ? 0 : say_unwritten(replay, replay->options->witness, error);
}

static int write_files(struct replay *replay, int error)
{
    int failed = 0;
    if (replay->record.file) {
        failed = emlat_castout_close(&replay->record);
        if (failed)
            failed = say_unwritten(replay, replay->options->record, -failed);
    }
    if (replay->witness_fd >= 0) {
        int also = write_witness(replay);
        failed = failed ? failed : also;
    }
    return error ? error : failed;
}

/* ---- A replay -------------------------------------------------------------------------------- */

static int play(struct replay *replay)
{
    struct emlat_cast cast;
    int error;
    if (emlat_cast_open(&cast, replay->script)) {
        struct emlat_witness *witness = &replay->witness;
        witness->script_version = cast.version;
        witness->cols = replay->options->cols ? replay->options->cols : cast.cols;
        witness->rows = replay->options->rows ? replay->options->rows : cast.rows;
        error = create_files(replay);
        if (!error) {
            struct emlat_player_parts parts = {
                .options = replay->options,
                .cast = &cast,
                .witness = witness,
                .record = replay->record.file ? &replay->record : NULL,
            };
            error = emlat_player_run(&parts);
            emlat_cast_sha256(&cast, witness->script_sha256);
            if (cast.failed)
                say_cast_error(replay, &cast);
            error = write_files(replay, error);
        }
    } else {
        error = say_cast_error(replay, &cast);
    }
    emlat_cast_close(&cast);
    return error;
}

int emlat_replay(const struct emlat_replay_options *options)
{
    struct replay replay = {.options = options, .script = -1, .witness_fd = -1};
    emlat_witness_init(&replay.witness);

    int error = open_script(&replay);
    if (!error)
        error = check_script(&replay);
    if (!error)
        error = play(&replay);

    if (replay.witness_fd >= 0)
        close(replay.witness_fd);
    if (replay.script >= 0)
        close(replay.script);
    emlat_witness_free(&replay.witness);
    return error;
}
