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

static const char *color = "auto";
static bool ascii;
static uint64_t width;

const struct emlat_option emlat_options_drawing[] = {
    {"On the screen", 0, EMLAT_OPTION_GROUP, NULL, NULL, NULL},
    {"color", 0, EMLAT_OPTION_CHOICE, "auto|always|never", &color,
     "colours: auto is a terminal's, unless NO_COLOR is set"},
    {"ascii", 0, EMLAT_OPTION_FLAG, NULL, &ascii, "print ASCII characters only"},
    {"width", 0, EMLAT_OPTION_NUMBER, "N", &width, "columns of the screen"},
};

size_t emlat_usage_drawing(const struct emlat_usage *usage)
{
    size_t all = sizeof emlat_options_drawing / sizeof *emlat_options_drawing;
    return usage->draws ? all : usage->colors ? 2 : 0;
}

static void (*show)(const struct emlat_usage *usage) = emlat_usage_print;

void emlat_options_show_with(void (*with)(const struct emlat_usage *usage))
{
    show = with;
}

struct emlat_style emlat_options_style(void)
{
    struct emlat_style style = emlat_style_choose(ascii, width);
    if (strcmp(color, "auto") != 0)
        style.color = strcmp(color, "always") == 0;
    return style;
}

static void print_options(const struct emlat_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct emlat_option *option = &options[i];
        char left[64], letter[8] = "    ";
        if (option->kind == EMLAT_OPTION_GROUP) {
            printf("\n%s\n", option->name);
            continue;
        }
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, option->argument ? "=" : "",
                 option->argument ? option->argument : "");
        printf("  %-28s%s%s\n", left, strlen(left) < 28 ? "" : "\n                              ",
               option->help);
    }
}

void emlat_usage_print(const struct emlat_usage *usage)
{
    printf("usage: emlat %s [OPTION…]%s%s\n%s\n", usage->verb, *usage->operands ? " " : "",
           usage->operands, usage->summary);
    size_t drawing = emlat_usage_drawing(usage);
    if (usage->options_count ? usage->options[0].kind != EMLAT_OPTION_GROUP : !drawing)
        printf("\noptions\n");
    print_options(usage->options, usage->options_count);
    print_options(emlat_options_drawing, drawing);
    printf("  %-28s%s\n", "    --help", "print this");
    if (usage->details)
        printf("\n%s", usage->details);
    if (!usage->details || !strstr(usage->details, "exit codes\n"))
        printf("\nexit codes\n"
               "  0 done   1 a check failed   2 wrong use   3 unreadable or damaged file\n"
               "  4 known loss voids the answer\n");
}

static int complain(const struct emlat_usage *usage, const char *hint, const char *format,
                    va_list arguments)
{
    emlat_complain_usage(usage->verb, hint, format, arguments);
    return EMLAT_EXIT_USAGE;
}

int emlat_options_wrong(const struct emlat_usage *usage, const char *format, ...)
{
    va_list arguments;
    char hint[96];
    snprintf(hint, sizeof hint, "emlat %s --help lists the options", usage->verb);
    va_start(arguments, format);
    int code = complain(usage, hint, format, arguments);
    va_end(arguments);
    return code;
}

static void try_names(struct emlat_nearest *nearest, const struct emlat_option *options,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (options[i].kind != EMLAT_OPTION_GROUP)
            emlat_nearest_try(nearest, options[i].name);
}

__attribute__((format(printf, 3, 4))) static int wrong_name(const struct emlat_usage *usage,
                                                            const char *argument,
                                                            const char *format, ...)
{
    va_list arguments;
    char hint[160];
    struct emlat_nearest nearest = {.wanted = argument + 2, .length = 0};
    if (argument[1] == '-')
        nearest.length = strcspn(argument + 2, "=");
    try_names(&nearest, usage->options, usage->options_count);
    try_names(&nearest, emlat_options_drawing, emlat_usage_drawing(usage));
    emlat_nearest_try(&nearest, "help");
    if (nearest.best)
        snprintf(hint, sizeof hint, "did you mean '--%s'?  emlat %s --help lists the options",
                 nearest.best, usage->verb);
    else
        snprintf(hint, sizeof hint, "emlat %s --help lists the options", usage->verb);
    va_start(arguments, format);
    int code = complain(usage, hint, format, arguments);
    va_end(arguments);
    return code;
}

/* Whether VALUE is one of the words in CHOICES, "a|b|c".  */
static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = choices; length && at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == length && strncmp(at, value, length) == 0)
            return true;
    return false;
}

static int set(const struct emlat_usage *usage, const struct emlat_option *option,
               const char *value)
{
    if (option->kind == EMLAT_OPTION_FLAG) {
        *(bool *)option->to = true;
    } else if (option->kind == EMLAT_OPTION_LIST) {
        struct emlat_option_list *list = option->to;
        if (list->count == list->room)
            return emlat_options_wrong(usage, "more than %zu times --%s", list->room, option->name);
        list->values[list->count++] = value;
    } else if (option->kind != EMLAT_OPTION_NUMBER) {
        if (option->kind == EMLAT_OPTION_CHOICE && !is_choice(option->argument, value))
            return emlat_options_wrong(usage, "--%s wants one of %s, not '%s'", option->name,
                                       option->argument, value);
        *(const char **)option->to = value;
    } else {
        char *end;
        errno = 0;
        unsigned long long number = strtoull(value, &end, 10);
        if (*value < '0' || *value > '9' || *end || errno)
            return emlat_options_wrong(usage, "--%s wants a whole number, not '%s'", option->name,
                                       value);
        *(uint64_t *)option->to = number;
    }
    return EMLAT_GO_ON;
}

/* The option of a table that ARGUMENT ("--name", "--name=value", "-n", "-nvalue") means; *VALUE is
   what is attached to it, or null.  */
static const struct emlat_option *find_in(const struct emlat_option *options, size_t count,
                                          const char *argument, const char **value)
{
    bool is_long = argument[1] == '-';
    size_t length = is_long ? strcspn(argument + 2, "=") : 1;
    for (size_t i = 0; i < count; i++) {
        const struct emlat_option *option = &options[i];
        if (option->kind == EMLAT_OPTION_GROUP)
            continue;
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

static const struct emlat_option *find(const struct emlat_usage *usage, const char *argument,
                                       const char **value)
{
    const struct emlat_option *own = find_in(usage->options, usage->options_count, argument, value);
    return own ? own : find_in(emlat_options_drawing, emlat_usage_drawing(usage), argument, value);
}

int emlat_options_parse(const struct emlat_usage *usage, int argc, char **argv,
                        const char **operands, size_t room, size_t *count)
{
    bool only_operands = false;
    *count = 0;
    if (usage->rest)
        *usage->rest = NULL;
    for (int i = 1; i < argc; i++) {
        if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            if (*count == usage->operands_most || *count == room)
                return emlat_options_wrong(usage, "one operand too many: '%s'", argv[i]);
            operands[(*count)++] = argv[i];
            only_operands |= usage->stop_at_operand;
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            if (usage->rest) {
                *usage->rest = argv + i + 1;
                break;
            }
            only_operands = true;
            continue;
        }
        if (strcmp(argv[i], "--help") == 0) {
            show(usage);
            return EMLAT_EXIT_OK;
        }
        const char *value;
        const struct emlat_option *option = find(usage, argv[i], &value);
        if (!option)
            return wrong_name(usage, argv[i], "unknown option '%s'", argv[i]);
        bool flag = option->kind == EMLAT_OPTION_FLAG;
        if (flag && value)
            return emlat_options_wrong(usage, "--%s takes no value", option->name);
        if (!flag && !value && i + 1 < argc && !(usage->rest && strcmp(argv[i + 1], "--") == 0))
            value = argv[++i];
        if (!flag && !value)
            return emlat_options_wrong(usage, "--%s wants a value", option->name);
        int code = set(usage, option, value);
        if (code != EMLAT_GO_ON)
            return code;
    }
    if (*count < usage->operands_least)
        return emlat_options_wrong(usage, "wants %s", usage->operands);
    return EMLAT_GO_ON;
}
