/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat top: the last minute of a recording that goes on, once a second.

   It only follows the file; it never attaches to the program.  The terminal is put back as it was
   found on every way out that leaves time for it: q, the file's damage, SIGINT, SIGTERM, SIGHUP,
   and before SIGTSTP stops us.  */
#include "top.h"
#include "complain.h"
#include "options.h"
#include "progress.h"
#include "verbs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { READ_EVERY_MS = 250 };

struct watch {
    const char *path;
    struct emlat_reader *reader;
    struct emlat_recent recent;
    struct emlat_top top;
    uint64_t grown_ns; /* our clock, when the file last grew */
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- The terminal -----------------------------------------------------------------------------
 */

static struct termios found;
static volatile sig_atomic_t caught;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void on_signal(int number)
{
    caught = number;
}

/* Without SA_RESTART, so that poll comes back.  */
static void handle_signals(void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, NULL);
}

static void enter_screen(void)
{
    struct termios wanted = found;
    wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    wanted.c_cc[VMIN] = 0;
    wanted.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &wanted);
    fputs("\033[?1049h\033[?25l", stdout); /* the other screen, no cursor */
    fflush(stdout);
}

static void leave_screen(void)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &found);
}

/* Stop as if SIGTSTP were not caught, and come back.  */
static void stop_for_a_while(void)
{
    sigset_t only, before;
    leave_screen();
    handle_signals(SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &only, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    handle_signals(on_signal);
    enter_screen();
}

static unsigned screen_rows(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row : 24;
}

/* ---- The file ---------------------------------------------------------------------------------
 */

/* Take in what has been written.  0 or the reader's error.  */
static int read_on(struct watch *watch)
{
    struct emlat_item item;
    uint64_t before = emlat_reader_counts(watch->reader)->chunks;
    int error;
    while (!(error = emlat_reader_next(watch->reader, &item)) && item.kind != EMLAT_ITEM_END)
        if (item.kind == EMLAT_ITEM_RECORD)
            emlat_recent_take(&watch->recent, watch->reader, item.record);
    if (before && emlat_reader_counts(watch->reader)->chunks != before)
        watch->grown_ns = clock_ns(CLOCK_MONOTONIC);
    const struct emlat_attribute_value *complete =
        emlat_reader_attribute(watch->reader, "complete");
    if (complete && complete->number == 1)
        watch->top.state = EMLAT_TOP_ENDED;
    watch->top.age_ns = clock_ns(CLOCK_MONOTONIC) - watch->grown_ns;
    /* The recording's clock is not ours: its now is its latest time and how long that has been.  */
    emlat_recent_expire(&watch->recent,
                        watch->recent.t_last +
                            (watch->top.state == EMLAT_TOP_ENDED ? 0 : watch->top.age_ns));
    return error;
}

/* At first, the file's own time tells how old its data is.  */
static void learn_age(struct watch *watch, time_t written)
{
    uint64_t real = clock_ns(CLOCK_REALTIME), then = (uint64_t)written * 1000000000u;
    uint64_t age = real > then ? real - then : 0, now = clock_ns(CLOCK_MONOTONIC);
    watch->grown_ns = now > age ? now - age : 0;
    watch->top.age_ns = age;
}

/* ---- The verb ---------------------------------------------------------------------------------
 */

static int draw(struct watch *watch)
{
    char *text = NULL;
    size_t size = 0;
    struct emlat_style style = emlat_options_style();
    FILE *to = open_memstream(&text, &size);
    watch->top.rows = screen_rows() - 1;
    int error = to ? emlat_top_text(to, &watch->top, &style) : EMLAT_ENOMEM;
    if (to)
        fclose(to);
    if (!error) {
        fputs("\033[H", stdout);
        for (char *at = text, *end; (end = strchr(at, '\n')); at = end + 1)
            printf("%.*s\033[K\n", (int)(end - at), at);
        fputs("\033[J", stdout);
        fflush(stdout);
    }
    free(text);
    return error;
}

/* False to quit.  */
static bool take_key(struct watch *watch, char key)
{
    struct emlat_top *top = &watch->top;
    if (key == 'p' && top->state != EMLAT_TOP_ENDED)
        top->state = top->state == EMLAT_TOP_PAUSED ? EMLAT_TOP_LIVE : EMLAT_TOP_PAUSED;
    if (key == 's')
        top->by_time = !top->by_time;
    if (key == '?')
        top->help = !top->help;
    return key != 'q';
}

static int run(struct watch *watch)
{
    bool goes_on = true;
    int error = 0;
    caught = 0;
    handle_signals(on_signal);
    enter_screen();
    while (goes_on && !error && !ferror(stdout)) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        if (watch->top.state != EMLAT_TOP_PAUSED)
            error = read_on(watch);
        int drawn = draw(watch);
        error = error ? error : drawn;
        char key;
        if (!error && poll(&input, 1, READ_EVERY_MS) > 0) {
            ssize_t got = read(STDIN_FILENO, &key, 1);
            goes_on = got > 0 ? take_key(watch, key) : got < 0 && errno == EINTR;
        }
        if (caught == SIGTSTP) {
            caught = 0;
            stop_for_a_while();
        }
        goes_on = goes_on && !caught;
    }
    leave_screen();
    handle_signals(SIG_DFL);
    return error;
}

static int print_once(struct watch *watch)
{
    struct emlat_style style = emlat_options_style();
    int error = read_on(watch);
    watch->top.rows = 40;
    int drawn = emlat_top_text(stdout, &watch->top, &style);
    return error ? error : drawn;
}

static int watch_file(const char *path, uint64_t seconds, bool once)
{
    struct watch watch = {.path = path};
    int error = emlat_reader_open(&watch.reader, path);
    watch.top = (struct emlat_top){
        .path = path, .reader = watch.reader, .recent = &watch.recent, .state = EMLAT_TOP_LIVE};
    if (!error)
        error = emlat_recent_begin(&watch.recent, seconds * 1000000000u);
    if (!error) {
        emlat_reader_follow(watch.reader);
        learn_age(&watch, emlat_reader_written(watch.reader));
        error = once ? print_once(&watch) : run(&watch);
    }
    int code = EMLAT_EXIT_OK;
    if (error && watch.reader && emlat_reader_problem(watch.reader)->code)
        code = emlat_complain_file(path, watch.reader);
    else if (error)
        code = emlat_complain_file(path, NULL);
    emlat_recent_free(&watch.recent);
    emlat_reader_close(watch.reader);
    return code;
}

int emlat_verb_top(int argc, char **argv)
{
    uint64_t seconds = 60;
    bool once = false;
    const char *path;
    size_t count;
    const struct emlat_option options[] = {
        {"window", 0, EMLAT_OPTION_NUMBER, "SECONDS", &seconds, "how far it looks back (60)"},
        {"once", 0, EMLAT_OPTION_FLAG, NULL, &once, "print one screen and end"},
    };
    const struct emlat_usage usage = {
        .verb = "top",
        .operands = "FILE",
        .summary = "Show the last minute of a recording that is being written, and follow it.",
        .details = "keys\n"
                   "  q quit   p pause   s slowest or newest first   ? help\n"
                   "examples\n"
                   "  emlat top work.emlat\n"
                   "  emlat top --once --window 10 work.emlat\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_least = 1,
        .operands_most = 1,
        .draws = true,
    };
    int code = emlat_options_parse(&usage, argc, argv, &path, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    if (seconds - 1 >= 86400)
        return emlat_options_wrong(&usage, "--window takes 1 to 86400 seconds");
    if (strcmp(path, "-") == 0)
        return emlat_options_wrong(&usage, "wants a file that can be followed, not a pipe");
    if (!once && (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &found) != 0))
        return emlat_options_wrong(&usage, "wants a terminal; --once prints one screen");
    emlat_progress_stop_where_seen();
    return watch_file(path, seconds, once);
}
