/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   Playing a script to a program.

   DESIGN.  The script is played straight through, top to bottom; whatever has to wait calls turn(),
   the one place where this program sleeps.  A turn polls the terminal and the signals, takes all
   output there is, notices quiet, and pushes what is waiting to be written.  So output is drained
   also while a write waits for room, and no order of events can lock the two sides up.

   Times.  The script is an open loop: an event is due at its interval after the time at which the
   event before it was DUE, not after the program got round to it; a slow program gets its keys on
   top of each other, as from a person.  Only a wait starts the count anew, at its satisfaction.
   A chunk of output is stamped right after its read, before libvterm works on it.

   Quiet.  The program is quiet when nothing came from it and nothing went to it for the time in
   force: that of the wait:quiet being played, else options->quiet_ns.  While another wait is being
   played the script expects more to come, and no silence ends an episode.  That nothing came is
   only believed after a read that found nothing at the end of that time, so our own lateness can't
   pass for the program's silence.

   It refuses to retry, to guess what the program meant, and to wait without a limit.  */
#include "player.h"

#include "pty.h"
#include "screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DRAIN_BYTES = 1 << 18, /* output taken in one turn at most; the rest waits for the next */
    READ_BYTES = 1 << 14,
    REPLY_BYTES = 1 << 16, /* answers of the terminal that may wait to be written */
};
static const uint64_t ns_per_ms = 1000000, kill_ns = UINT64_C(5000000000);

/* Bytes on their way to the program: one event at a time, whole.  */
struct writing {
    const char *at;
    size_t left;
};

struct player {
    const struct emlat_replay_options *options;
    struct emlat_cast *cast;
    struct emlat_witness *witness;
    struct emlat_castout *record;

    struct emlat_pty pty;
    struct emlat_screen *screen;
    int signals; /* descriptor */
    sigset_t mask_before;
    clockid_t clock;

    int error; /* sticky: enum emlat_replay_error; the script stops, the ending goes on */
    bool exited, stopped, interrupted, killing;
    int status; /* of waitpid, when exited */

    uint64_t due;                  /* of the event played last */
    uint64_t line;                 /* of it */
    uint64_t last_action;          /* of either side */
    uint64_t silent_ns;            /* how long both had been silent at the end of the last turn */
    bool changed;                  /* there was output in the last turn */
    const struct emlat_wait *wait; /* being played */

    struct writing writing;
    bool blocked; /* poll said there is room, write found none */
    char *output, *reply, *reply_written;
    size_t reply_size;
};

/* ---- Small things ---------------------------------------------------------------------------- */

void emlat_say(const struct emlat_replay_options *options, enum emlat_replay_said kind,
               const char *format, ...)
{
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f ||
            ((unsigned char)*c == 0xc2 && ((unsigned char)c[1] & 0xe0) == 0x80))
            *c = '?';
    options->say(options->say_data, kind, line);
}

static uint64_t now(const struct player *player)
{
    struct timespec t;
    clock_gettime(player->clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t later(uint64_t t, uint64_t by)
{
    return t > UINT64_MAX - by ? UINT64_MAX : t + by;
}

static uint64_t earliest(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first failure counts; what it entails does not.  */
static void fail(struct player *player, int error, const char *word)
{
    if (player->error)
        return;
    player->error = error;
    player->witness->failure = word;
    player->witness->failure_line = player->line;
}

#define SAY(kind, ...) emlat_say(player->options, EMLAT_REPLAY_##kind, __VA_ARGS__)
#define LINE(format)   "script line %llu: " format, (unsigned long long)player->line

/* ---- Output and replies ---------------------------------------------------------------------- */

static void keep_reply(void *data, const char *bytes, size_t size)
{
    struct player *player = data;
    if (size > REPLY_BYTES - player->reply_size) {
        /* A program that asks without reading the answers must not eat our memory.  */
        player->witness->reply_bytes_dropped += size;
        return;
    }
    memcpy(player->reply + player->reply_size, bytes, size);
    player->reply_size += size;
}

/* Take the output there is.  True when a read found no more.  */
static bool drain(struct player *player)
{
    size_t size = 0;
    bool dry = false;
    while (!dry && size + READ_BYTES <= DRAIN_BYTES) {
        ssize_t got = read(player->pty.master, player->output + size, READ_BYTES);
        uint64_t t = now(player);
        if (got > 0) {
            emlat_witness_output(player->witness, t, (size_t)got);
            if (player->record)
                emlat_castout_output(player->record, t, player->output + size, (size_t)got);
            size += (size_t)got;
            player->last_action = t;
        } else {
            dry = got == 0 || errno != EINTR;
        }
    }
    if (size) {
        player->changed = true;
        emlat_screen_feed(player->screen, player->output, size);
    }
    return dry;
}

/* ---- Writing --------------------------------------------------------------------------------- */

static void begin_write(struct player *player, uint64_t line, const char *bytes, size_t size)
{
    size_t signal_bytes = emlat_pty_signal_bytes(&player->pty, bytes, size);
    player->writing = (struct writing){.at = bytes, .left = size};
    player->blocked = false;
    emlat_witness_write_begin(player->witness, now(player), line, signal_bytes);
}

/* Push what is being written as far as it goes.  */
static void push(struct player *player)
{
    if (!player->writing.left && player->reply_size) {
        char *written = player->reply;
        size_t size = player->reply_size;
        player->reply = player->reply_written;
        player->reply_written = written;
        player->reply_size = 0;
        begin_write(player, 0, written, size);
    }
    while (player->writing.left) {
        ssize_t took = write(player->pty.master, player->writing.at, player->writing.left);
        if (took <= 0) {
            if (took < 0 && errno != EAGAIN && errno != EINTR) {
                SAY(WRONG, "writing to the program's terminal: %s", strerror(errno));
                fail(player, EMLAT_REPLAY_ESYSTEM, "system");
                player->witness->unwritten_bytes += player->writing.left;
                player->writing.left = 0;
            }
            return;
        }
        uint64_t t = now(player);
        emlat_witness_written(player->witness, t, player->writing.at, (size_t)took,
                              player->options->quit_char);
        player->writing.at += took;
        player->writing.left -= (size_t)took;
        player->last_action = t;
    }
}

/* ---- Signals and the program's end ----------------------------------------------------------- */

/* The program has ended: nothing more is written, what is left of its output is taken.  */
static void take_end(struct player *player)
{
    struct emlat_witness *witness = player->witness;
    player->exited = true;
    player->pty.pid = 0;
    witness->t_exit = now(player);
    if (WIFEXITED(player->status))
        witness->exit_status = WEXITSTATUS(player->status);
    else
        witness->exit_signal = WTERMSIG(player->status);
    witness->ended_by = player->killing ? "replay" : "itself";
    witness->unwritten_bytes += player->writing.left;
    player->writing.left = 0;
    witness->unread_bytes = emlat_pty_unread(&player->pty);
    witness->unread_known = true;

    /* With our own descriptor of its side closed, the end of output is an error of read, unless
       something that the program left behind still holds the terminal: then silence, or a second of
       chatter, must do.  */
    close(player->pty.slave);
    player->pty.slave = -1;
    uint64_t limit = later(now(player), 1000 * ns_per_ms);
    struct pollfd fd = {.fd = player->pty.master, .events = POLLIN};
    do
        drain(player);
    while (poll(&fd, 1, 20) > 0 && (fd.revents & POLLIN) && now(player) < limit);
    player->reply_size = 0;
    emlat_witness_settled(witness, now(player));
}

static void take_signals(struct player *player)
{
    struct signalfd_siginfo info;
    while (read(player->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD)
            continue;
        if (!player->interrupted)
            SAY(WRONG, "stopped by signal %u (%s)", info.ssi_signo, strsignal((int)info.ssi_signo));
        else
            emlat_pty_signal(&player->pty, SIGKILL); /* whoever asks twice is in a hurry */
        player->interrupted = true;
        fail(player, EMLAT_REPLAY_EINTERRUPTED, "interrupted");
    }
    int status;
    while (!player->exited &&
           waitpid(player->pty.pid, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
        player->stopped = WIFSTOPPED(status);
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            player->status = status;
            take_end(player);
        }
    }
}

/* ---- The turn -------------------------------------------------------------------------------- */

static uint64_t quiet_in_force(const struct player *player)
{
    if (!player->wait)
        return player->options->quiet_ns;
    return player->wait->kind == EMLAT_WAIT_QUIET ? player->wait->quiet_ns : UINT64_MAX;
}

/* Sleep until something happens, at most until UNTIL, and deal with it.  Not once exited.  */
static void turn(struct player *player, uint64_t until)
{
    uint64_t t = now(player), quiet = quiet_in_force(player);
    if (player->witness->episode_open)
        until = earliest(until, later(player->last_action, quiet));
    if (player->writing.left) /* in case a terminal forgets to say that there is room again */
        until = earliest(until, later(t, 10 * ns_per_ms));
    uint64_t sleep_ns = until > t ? earliest(until - t, 3600 * 1000 * ns_per_ms) : 0;
    struct timespec sleep = {.tv_sec = (time_t)(sleep_ns / 1000000000),
                             .tv_nsec = (long)(sleep_ns % 1000000000)};

    size_t left = player->writing.left;
    bool room = left && !player->blocked;
    struct pollfd fds[2] = {
        {.fd = player->pty.master, .events = (short)(POLLIN | (room ? POLLOUT : 0))},
        {.fd = player->signals, .events = POLLIN},
    };
    ppoll(fds, 2, &sleep, NULL);

    uint64_t before = now(player), last = player->last_action;
    player->changed = false;
    bool dry = drain(player);
    bool silent = dry && !player->changed && !player->writing.left && before > last;
    player->silent_ns = silent ? before - last : 0;
    if (silent && player->silent_ns >= quiet)
        emlat_witness_settled(player->witness, now(player));

    take_signals(player);
    if (!player->exited)
        push(player);
    /* Then don't ask for room at once again, or we would spin.  */
    player->blocked = (fds[0].revents & POLLOUT) && player->writing.left == left;
    if (player->witness->no_memory && !player->error) {
        SAY(WRONG, "no memory for the witness");
        fail(player, EMLAT_REPLAY_ESYSTEM, "system");
    }
}

/* ---- Playing --------------------------------------------------------------------------------- */

/* Show the program's screen, to help with what went wrong.  */
static void show_screen(struct player *player)
{
    const char *row;
    unsigned rows = 0;
    for (unsigned i = 0; (row = emlat_screen_row(player->screen, i)); i++)
        if (*row)
            rows = i + 1;
    SAY(SCREEN, "the program's screen was%s", rows ? ":" : " empty");
    for (unsigned i = 0; i < rows; i++)
        SAY(SCREEN, "| %s", emlat_screen_row(player->screen, i));
    if (player->stopped)
        SAY(HINT, "the program is stopped (as by C-z); nothing here can continue it");
}

static const char *how_it_ended(const struct player *player, char text[64])
{
    if (WIFEXITED(player->status))
        snprintf(text, 64, "with status %d", WEXITSTATUS(player->status));
    else
        snprintf(text, 64, "by signal %d (%.30s)", WTERMSIG(player->status),
                 strsignal(WTERMSIG(player->status)));
    return text;
}

static void fail_ended(struct player *player, const char *before)
{
    char how[64];
    if (player->error)
        return;
    SAY(WRONG, LINE("the program ended %s before %s"), how_it_ended(player, how), before);
    show_screen(player);
    fail(player, EMLAT_REPLAY_EENDED, "ended");
}

/* Let time pass until the event is due.  */
static void wait_until_due(struct player *player, const struct emlat_cast_event *event)
{
    double scaled = (double)event->delay_ns / player->options->speed;
    uint64_t delay = scaled < 9e18 ? (uint64_t)scaled : UINT64_C(9000000000000000000);
    player->due = later(player->due, earliest(delay, player->options->max_gap_ns));
    while (!player->error && !player->exited && now(player) < player->due)
        turn(player, player->due);
}

/* Until no event is half written.  */
static bool written(struct player *player)
{
    uint64_t limit = later(now(player), player->options->timeout_ns);
    while (player->writing.left && !player->error && !player->exited) {
        if (now(player) >= limit) {
            SAY(WRONG, LINE("the program did not read its input for %llu s; %zu bytes are left"),
                (unsigned long long)(player->options->timeout_ns / 1000000000),
                player->writing.left);
            show_screen(player);
            fail(player, EMLAT_REPLAY_ETIMEOUT, "write_timeout");
        } else {
            turn(player, limit);
        }
    }
    return !player->error && !player->exited;
}

static void play_input(struct player *player, const struct emlat_cast_event *event)
{
    if (!event->size)
        return; /* only its interval */
    if (!player->exited && written(player)) {
        drain(player); /* what came before must not look like an answer */
        begin_write(player, player->line, event->text, event->size);
        push(player);
        if (player->record)
            emlat_castout_event(player->record, now(player), 'i', event->text, event->size);
        if (written(player))
            return;
        /* Ended meanwhile, but it was given everything: the next event will tell.  */
        if (player->exited && !player->witness->unwritten_bytes)
            return;
    }
    fail_ended(player, "its input was written");
}

static void play_resize(struct player *player, const struct emlat_cast_event *event)
{
    char size[32];
    if (player->exited) {
        fail_ended(player, "its terminal was resized");
        return;
    }
    emlat_screen_resize(player->screen, event->cols, event->rows);
    int error = emlat_pty_resize(&player->pty, event->cols, event->rows);
    if (error) {
        SAY(WRONG, LINE("resizing the terminal: %s"), strerror(-error));
        fail(player, EMLAT_REPLAY_ESYSTEM, "system");
    }
    player->last_action = now(player);
    emlat_witness_resized(player->witness, player->last_action, event->cols, event->rows);
    snprintf(size, sizeof size, "%ux%u", event->cols, event->rows);
    if (player->record)
        emlat_castout_event(player->record, player->last_action, 'r', size, strlen(size));
}

static bool satisfied(struct player *player, const struct emlat_cast_event *event, bool looked)
{
    switch (event->wait.kind) {
    case EMLAT_WAIT_QUIET:
        return player->exited || (looked && player->silent_ns >= event->wait.quiet_ns);
    case EMLAT_WAIT_EXIT: return player->exited;
    case EMLAT_WAIT_TEXT:
    case EMLAT_WAIT_GONE:
        return (player->changed || !looked) &&
               emlat_screen_find(player->screen, event->text, event->size) ==
                   (event->wait.kind == EMLAT_WAIT_TEXT);
    }
    return false;
}

static void say_unsatisfied(struct player *player, const struct emlat_cast_event *event,
                            uint64_t timeout_ns)
{
    static const char *const what[] = {[EMLAT_WAIT_QUIET] = "the program was never quiet",
                                       [EMLAT_WAIT_TEXT] = "wait:text: this did not appear",
                                       [EMLAT_WAIT_GONE] = "wait:gone: this did not go away",
                                       [EMLAT_WAIT_EXIT] = "wait:exit: the program did not end"};
    bool text = event->wait.kind == EMLAT_WAIT_TEXT || event->wait.kind == EMLAT_WAIT_GONE;
    SAY(WRONG, LINE("%s within %llu.%03llu s%s%.*s"), what[event->wait.kind],
        (unsigned long long)(timeout_ns / 1000000000),
        (unsigned long long)(timeout_ns / ns_per_ms % 1000), text ? ": " : "",
        text ? (int)event->size : 0, event->text);
    show_screen(player);
    fail(player, EMLAT_REPLAY_ETIMEOUT, "wait_timeout");
}

static void play_wait(struct player *player, const struct emlat_cast_event *event)
{
    uint64_t timeout_ns =
        event->wait.timeout_ns == UINT64_MAX ? player->options->timeout_ns : event->wait.timeout_ns;
    uint64_t limit = later(now(player), timeout_ns);
    bool looked = false;
    player->wait = &event->wait;
    while (!player->error && !satisfied(player, event, looked)) {
        uint64_t t = now(player);
        if (player->exited)
            fail_ended(player, "what was waited for came");
        else if (looked && t >= limit)
            say_unsatisfied(player, event, timeout_ns);
        else
            turn(player, event->wait.kind == EMLAT_WAIT_QUIET
                             ? earliest(limit, later(player->last_action, event->wait.quiet_ns))
                             : limit);
        looked = true;
    }
    player->wait = NULL;
    player->due = now(player);
}

static void play_chapter(struct player *player, const struct emlat_cast_event *event)
{
    SAY(CHAPTER, "%.*s", (int)event->size, event->text);
    if (player->record)
        emlat_castout_event(player->record, now(player), 'm', event->text, event->size);
}

static void play_script(struct player *player)
{
    struct emlat_cast_event event;
    while (!player->error && emlat_cast_next(player->cast, &event)) {
        player->line = event.line;
        wait_until_due(player, &event);
        if (player->error)
            break;
        switch (event.kind) {
        case EMLAT_CAST_INPUT: play_input(player, &event); break;
        case EMLAT_CAST_RESIZE: play_resize(player, &event); break;
        case EMLAT_CAST_WAIT: play_wait(player, &event); break;
        case EMLAT_CAST_CHAPTER: play_chapter(player, &event); break;
        }
    }
    if (player->cast->failed && !player->error) {
        player->line = player->cast->error.line;
        fail(player, EMLAT_REPLAY_ESCRIPT, "script"); /* replay.c explains */
    }
}

/* ---- The ending ------------------------------------------------------------------------------ */

/* Let the last episode settle, if it does so soon.  */
static void settle(struct player *player)
{
    uint64_t limit = later(now(player), player->options->grace_ns);
    while ((player->witness->episode_open || player->writing.left) && !player->error &&
           !player->exited && now(player) < limit)
        turn(player, limit);
}

static bool exits_until(struct player *player, uint64_t limit)
{
    while (!player->exited && now(player) < limit)
        turn(player, limit);
    return player->exited;
}

/* The program ends now: as when a terminal's window is closed, then by force.  */
static void end_program(struct player *player)
{
    if (player->exited)
        return;
    player->killing = true;
    player->witness->unwritten_bytes += player->writing.left;
    player->writing.left = 0;
    emlat_pty_signal(&player->pty, SIGHUP);
    emlat_pty_signal(&player->pty, SIGCONT);
    if (exits_until(player, later(now(player), player->options->grace_ns)))
        return;

    if (!player->error) {
        SAY(WRONG, "the program was hung up at the script's end and did not end; it was killed");
        show_screen(player);
        SAY(HINT, "let the script end it and then wait:exit, or give it longer with --grace");
        fail(player, EMLAT_REPLAY_ESTUCK, "stuck");
    }
    emlat_pty_signal(&player->pty, SIGKILL);
    if (!exits_until(player, later(now(player), kill_ns)))
        SAY(WRONG, "the program does not even end when killed (process %ld)",
            (long)player->pty.pid);
}

static void judge_status(struct player *player)
{
    char how[64];
    bool well = WIFEXITED(player->status) && WEXITSTATUS(player->status) == 0;
    if (player->error || player->killing || well || player->options->any_exit)
        return;
    SAY(WRONG, "the program ended %s", how_it_ended(player, how));
    show_screen(player);
    SAY(HINT, "--any-exit takes this as well");
    fail(player, EMLAT_REPLAY_ESTATUS, "exit_status");
}

static void print_screen(struct player *player)
{
    const char *row;
    if (player->options->screen)
        for (unsigned i = 0; (row = emlat_screen_row(player->screen, i)); i++)
            fprintf(player->options->screen, "%s\n", row);
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static bool open_parts(struct player *player)
{
    const struct emlat_replay_options *options = player->options;
    struct emlat_witness *witness = player->witness;
    player->output = malloc(DRAIN_BYTES);
    player->reply = malloc(REPLY_BYTES);
    player->reply_written = malloc(REPLY_BYTES);
    player->screen = emlat_screen_new(witness->cols, witness->rows, keep_reply, player);
    if (!player->output || !player->reply || !player->reply_written || !player->screen) {
        SAY(WRONG, "no memory for a terminal");
        return false;
    }

    sigset_t taken;
    sigemptyset(&taken);
    static const int which[] = {SIGCHLD, SIGHUP, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        sigaddset(&taken, which[i]);
    sigprocmask(SIG_BLOCK, &taken, &player->mask_before);
    player->signals = signalfd(-1, &taken, SFD_NONBLOCK | SFD_CLOEXEC);
    int error =
        player->signals < 0 ? -errno : emlat_pty_open(&player->pty, witness->cols, witness->rows);
    if (error) {
        SAY(WRONG, "cannot open a pseudoterminal: %s", strerror(-error));
        return false;
    }
    witness->t_start = player->due = player->last_action = now(player);
    if (player->record)
        emlat_castout_header(player->record, witness->t_start, witness->cols, witness->rows,
                             options->term);
    error = emlat_pty_spawn(&player->pty, options->program, options->term, witness->script_sha256,
                            &player->mask_before);
    if (error)
        SAY(WRONG, "cannot run %s: %s", options->program[0], strerror(-error));
    return !error;
}

static void close_parts(struct player *player)
{
    emlat_pty_close(&player->pty);
    if (player->signals >= 0)
        close(player->signals);
    sigprocmask(SIG_SETMASK, &player->mask_before, NULL);
    emlat_screen_free(player->screen);
    free(player->output);
    free(player->reply);
    free(player->reply_written);
}

int emlat_player_run(const struct emlat_player_parts *parts)
{
    struct player this = {
        .options = parts->options,
        .cast = parts->cast,
        .witness = parts->witness,
        .record = parts->record,
        .pty = {.master = -1, .slave = -1},
        .signals = -1,
        .clock = parts->options->clock == EMLAT_REPLAY_CLOCK_MONOTONIC_RAW ? CLOCK_MONOTONIC_RAW
                                                                           : CLOCK_MONOTONIC,
    };
    struct player *player = &this;
    sigprocmask(SIG_BLOCK, NULL, &player->mask_before);

    if (open_parts(player)) {
        play_script(player);
        settle(player);
        print_screen(player);
        end_program(player);
        judge_status(player);
    } else {
        fail(player, EMLAT_REPLAY_ESYSTEM, "system");
    }
    emlat_witness_settled(player->witness, 0);
    player->witness->t_end = now(player);
    player->witness->complete = !player->error;
    close_parts(player);
    return player->error;
}
