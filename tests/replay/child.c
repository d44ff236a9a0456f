/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   The programs that tests run under a replay, by name of what they do.

       raw OUT      in raw mode: copy what is read to the file OUT and to the terminal (as [xx],
                    so that a script can wait for it), until a 'q'; say "ready" first
       count N      in raw mode: read N bytes, say how many were read and their sum
       quit         raw mode, but C-g is a signal, which says "quit"; a 'q' ends it
       deaf         raw mode, never reads
       late N       as count, but begins to read only after a while
       stubborn     ignores SIGHUP and SIGTERM for ever
       talkative    writes without end
       flood N      writes N lines, then says "done"
       size         says its terminal's size, now and at each SIGWINCH
       leave        ends while it has something unread
       group        leaves a process behind that holds the terminal
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static volatile sig_atomic_t signalled;

static void on_signal(int signal)
{
    signalled = signal;
}

/* From now on NUMBER is noted, and only while next_byte waits: none can slip in before a wait.  */
static void note_signal(int number)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t noted;
    sigemptyset(&noted);
    sigaddset(&noted, number);
    sigprocmask(SIG_BLOCK, &noted, NULL);
    sigaction(number, &action, NULL);
}

/* The next byte of input; -1: a signal was noted; -2: there will be none.  */
static int next_byte(void)
{
    struct pollfd fd = {.fd = 0, .events = POLLIN};
    sigset_t none;
    sigemptyset(&none);
    if (ppoll(&fd, 1, NULL, &none) < 0)
        return errno == EINTR ? -1 : -2;
    unsigned char byte;
    return read(0, &byte, 1) == 1 ? byte : -2;
}

static void raw_mode(bool signals)
{
    struct termios modes;
    tcgetattr(0, &modes);
    cfmakeraw(&modes);
    if (signals) {
        modes.c_lflag |= ISIG;
        modes.c_cc[VINTR] = 7;
        modes.c_cc[VQUIT] = modes.c_cc[VSUSP] = _POSIX_VDISABLE;
    }
    tcsetattr(0, TCSANOW, &modes);
}

static void say(const char *text)
{
    fputs(text, stdout);
    fflush(stdout);
}

static int do_raw(const char *path)
{
    FILE *copy = fopen(path, "w");
    if (!copy)
        return 4;
    raw_mode(false);
    say("ready\r\n");
    unsigned char byte;
    while (read(0, &byte, 1) == 1) {
        fputc(byte, copy);
        printf("[%02x]", byte);
        fflush(stdout);
        if (byte == 'q')
            break;
    }
    return fclose(copy) == 0 ? 0 : 4;
}

static int count(size_t wanted)
{
    unsigned char bytes[4096];
    uint64_t sum = 0;
    size_t total = 0;
    while (total < wanted) {
        ssize_t got = read(0, bytes, sizeof bytes);
        if (got <= 0)
            return 4;
        for (ssize_t i = 0; i < got; i++)
            sum = sum * 31 + bytes[i];
        total += (size_t)got;
    }
    printf("read %zu sum %016llx\r\n", total, (unsigned long long)sum);
    return 0;
}

static int do_quit(void)
{
    note_signal(SIGINT);
    raw_mode(true);
    say("ready\r\n");
    int byte;
    while ((byte = next_byte()) != -2) {
        if (byte == -1)
            say("<quit>");
        else
            printf("[%c]", byte);
        fflush(stdout);
        if (byte == 'q')
            break;
    }
    return 0;
}

static int do_size(void)
{
    note_signal(SIGWINCH);
    raw_mode(false);
    do {
        struct winsize size;
        ioctl(0, TIOCGWINSZ, &size);
        printf("\033[H\033[2Jsize %ux%u%s\r\n", size.ws_col, size.ws_row,
               signalled ? " winch" : "");
        fflush(stdout);
    } while (next_byte() == -1);
    return 0;
}

_Noreturn static void do_stubborn(void)
{
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    say("stubborn\r\n");
    for (;;)
        pause();
}

static int do_group(void)
{
    if (fork() == 0) {
        signal(SIGHUP, SIG_IGN);
        /* Holds the terminal until the replay has gone: then reading it fails.  */
        struct pollfd fd = {.fd = 0, .events = POLLIN};
        poll(&fd, 1, 20000);
        _exit(0);
    }
    say("left one behind\r\n");
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    size_t number = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (strcmp(what, "raw") == 0 && argc > 2)
        return do_raw(argv[2]);
    if (strcmp(what, "count") == 0) {
        raw_mode(false);
        say("ready\r\n");
        return count(number);
    }
    if (strcmp(what, "late") == 0) {
        raw_mode(false);
        say("ready\r\n");
        /* Until what of the terminal can be seen from here is full, and the rest surely.  */
        for (int waiting = 0; waiting < 4000; usleep(1000))
            ioctl(0, FIONREAD, &waiting);
        usleep(200000);
        return count(number);
    }
    if (strcmp(what, "quit") == 0)
        return do_quit();
    if (strcmp(what, "deaf") == 0) {
        raw_mode(false);
        say("ready\r\n");
        for (;;)
            pause();
    }
    if (strcmp(what, "stubborn") == 0)
        do_stubborn();
    if (strcmp(what, "talkative") == 0)
        for (unsigned i = 0;; i++)
            printf("line %u\r\n", i);
    if (strcmp(what, "flood") == 0) {
        for (size_t i = 0; i < number; i++)
            printf("line %zu\r\n", i);
        say("done\r\n");
        return 0;
    }
    if (strcmp(what, "size") == 0)
        return do_size();
    if (strcmp(what, "leave") == 0) {
        raw_mode(false);
        say("ready\r\n");
        char byte;
        return read(0, &byte, 1) == 1 ? 0 : 4;
    }
    if (strcmp(what, "group") == 0)
        return do_group();
    fprintf(stderr, "child: what?\n");
    return 5;
}
