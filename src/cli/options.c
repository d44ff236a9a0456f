/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   See options.h.  Not getopt_long: its messages are not ours, and its table is not help.  */
#include "options.h"

#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void help(const struct emlat_usage *usage)
{
    printf("usage: emlat %s%s%s%s\n%s\n\noptions\n", usage->verb,
           usage->options_count ? " [OPTION…]" : "", *usage->operands ? " " : "", usage->operands,
           usage->summary);
    for (size_t i = 0; i < usage->options_count; i++) {
        const struct emlat_option *option = &usage->options[i];
        char left[64], letter[8] = "    ";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? "=" : "",
                 option->argument ? option->argument : "");
        printf("  %-26s %s\n", left, option->help);
    }
    printf("  %-26s %s\n", "    --help", "print this");
    if (usage->details)
        printf("\n%s", usage->details);
    printf("\nexit codes\n"
           "  0 done   1 a check failed   2 wrong use   3 unreadable or damaged file\n"
           "  4 known loss voids the answer\n");
}

__attribute__((format(printf, 2, 3))) static int wrong(const struct emlat_usage *usage,
                                                       const char *format, ...)
{
    va_list arguments;
    char hint[96];
    snprintf(hint, sizeof hint, "emlat %s --help lists the options", usage->verb);
    va_start(arguments, format);
    emlat_complain_usage(usage->verb, hint, format, arguments);
    va_end(arguments);
    return EMLAT_EXIT_USAGE;
}

static int set(const struct emlat_usage *usage, const struct emlat_option *option,
               const char *value)
{
    if (option->kind == EMLAT_OPTION_FLAG) {
        *(bool *)option->to = true;
    } else if (option->kind == EMLAT_OPTION_TEXT) {
        *(const char **)option->to = value;
    } else {
        char *end;
        errno = 0;
        unsigned long long number = strtoull(value, &end, 10);
        if (*value < '0' || *value > '9' || *end || errno)
            return wrong(usage, "--%s wants a whole number, not '%s'", option->name, value);
        *(uint64_t *)option->to = number;
    }
    return EMLAT_GO_ON;
}

/* The option that ARGUMENT ("--name", "--name=value", "-n", "-nvalue") means; *VALUE is what is
   attached to it, or null.  */
static const struct emlat_option *find(const struct emlat_usage *usage, const char *argument,
                                       const char **value)
{
    bool is_long = argument[1] == '-';
    size_t length = is_long ? strcspn(argument + 2, "=") : 1;
    for (size_t i = 0; i < usage->options_count; i++) {
        const struct emlat_option *option = &usage->options[i];
        if (is_long
                ? strlen(option->name) != length || strncmp(option->name, argument + 2, length) != 0
                : option->letter != argument[1])
            continue;
        *value = is_long ? (argument[2 + length] ? argument + 3 + length : NULL)
                         : (argument[2] ? argument + 2 : NULL);
        return option;
    }
    return NULL;
}

int emlat_options_parse(const struct emlat_usage *usage, int argc, char **argv,
                        const char **operands, size_t room, size_t *count)
{
    bool only_operands = false;
    *count = 0;
    for (int i = 1; i < argc; i++) {
        if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            if (*count == usage->operands_most || *count == room)
                return wrong(usage, "one operand too many: '%s'", argv[i]);
            operands[(*count)++] = argv[i];
            only_operands |= usage->stop_at_operand;
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            only_operands = true;
            continue;
        }
        if (strcmp(argv[i], "--help") == 0) {
            help(usage);
            return EMLAT_EXIT_OK;
        }
        const char *value;
        const struct emlat_option *option = find(usage, argv[i], &value);
        if (!option)
            return wrong(usage, "unknown option '%s'", argv[i]);
        bool flag = option->kind == EMLAT_OPTION_FLAG;
        if (flag && value)
            return wrong(usage, "--%s takes no value", option->name);
        if (!flag && !value && i + 1 < argc)
            value = argv[++i];
        if (!flag && !value)
            return wrong(usage, "--%s wants a value", option->name);
        int code = set(usage, option, value);
        if (code != EMLAT_GO_ON)
            return code;
    }
    if (*count < usage->operands_least)
        return wrong(usage, "wants %s", usage->operands);
    return EMLAT_GO_ON;
}
