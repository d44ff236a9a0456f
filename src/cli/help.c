/* SPDX-License-Identifier: MIT
   Copyright (c) 2026 The emlat developers

   emlat help: the verbs' own tables (options.h) in five forms: for a person, as the manual page
   emlat(1) in mdoc, and as completions for bash, zsh and fish.

   Each verb is run with --help alone; the parser hands its table to the form at hand.  So there is
   no second list of options anywhere, and a new verb is in the manual by existing.  */
#include "complain.h"
#include "options.h"
#include "verbs.h"

#include <ctype.h>
#include <string.h>

static const struct emlat_option help_option = {"help", 0,    EMLAT_OPTION_FLAG,
                                                NULL,   NULL, "print what the verb does"};

/* Call ON_OPTION for every real option of USAGE, --help last.  */
static void each_option(const struct emlat_usage *usage,
                        void (*on_option)(const struct emlat_usage *usage,
                                          const struct emlat_option *option))
{
    for (size_t i = 0; i < usage->options_count; i++)
        on_option(usage, &usage->options[i]);
    for (size_t i = 0; i < emlat_usage_drawing(usage); i++)
        on_option(usage, &emlat_options_drawing[i]);
    on_option(usage, &help_option);
}

static void each_verb(void (*show)(const struct emlat_usage *usage))
{
    char option[] = "--help";
    emlat_options_show_with(show);
    for (size_t i = 0; i < emlat_verbs_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s", emlat_verbs[i].name);
        char *argv[] = {name, option, NULL};
        emlat_verbs[i].run(2, argv);
    }
}

/* ---- mdoc ------------------------------------------------------------------------------------ */

/* LENGTH bytes of TEXT as running text of a manual page: a new sentence begins a new line, and
   lines stay short.  */
static void mdoc_text(const char *text, size_t length)
{
    size_t column = 0;
    for (size_t i = 0; i < length; i++) {
        bool sentence_ends = i && text[i - 1] == '.' && text[i] == ' ';
        if (text[i] == '\n' || sentence_ends || (text[i] == ' ' && column > 64)) {
            while (i + 1 < length && text[i + 1] == ' ')
                i++;
            putchar('\n');
            column = 0;
            continue;
        }
        if (!column++ && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-' && i + 1 < length && text[i + 1] == '-')
            fputs("\\-", stdout);
        else if (strncmp(text + i, "…", 3) == 0 && (i += 2))
            fputs("...", stdout);
        else
            putchar(text[i]);
    }
}

static void mdoc_line(const char *text)
{
    mdoc_text(text, strlen(text));
    putchar('\n');
}

/* DETAILS: lines at the margin are headings of the indented ones that follow.  */
static void mdoc_details(const char *details)
{
    bool literal = false;
    while (*details) {
        size_t length = strcspn(details, "\n");
        bool heading = *details != ' ';
        if (heading && literal)
            puts(".Ed");
        if (heading) {
            fputs(".Pp\n", stdout);
            putchar(toupper((unsigned char)*details));
            mdoc_text(details + 1, length - 1);
            puts(":\n.Bd -literal -offset indent -compact");
            literal = true;
        } else {
            size_t indent = strspn(details, " ") < 2 ? 1 : 2;
            if (details[indent] == '.' || details[indent] == '\'')
                fputs("\\&", stdout);
            for (const char *at = details + indent; at < details + length; at++)
                fputs(*at == '\\' ? "\\e" : (char[]){*at, '\0'}, stdout);
            putchar('\n');
        }
        details += length + (details[length] == '\n');
    }
    if (literal)
        puts(".Ed");
}

static void mdoc_option(const struct emlat_usage *usage, const struct emlat_option *option)
{
    (void)usage;
    if (option->kind == EMLAT_OPTION_GROUP)
        return;
    fputs(".It ", stdout);
    if (option->letter)
        printf("Fl %c , ", option->letter);
    printf("Fl Fl %s", option->name);
    if (option->argument)
        printf(" Ns = Ns Ar %s", option->argument);
    putchar('\n');
    mdoc_line(option->help);
}

static void mdoc_verb(const struct emlat_usage *usage)
{
    printf(".Ss emlat %s\n.Nm\n.Cm %s\n.Op Ar option ...\n", usage->verb, usage->verb);
    if (*usage->operands) {
        fputs(".Ar ", stdout);
        mdoc_line(usage->operands);
    }
    puts(".Pp");
    mdoc_line(usage->summary);
    puts(".Bl -tag -width Ds");
    each_option(usage, mdoc_option);
    puts(".El");
    if (usage->details)
        mdoc_details(usage->details);
}

static void mdoc(void)
{
    fputs(".\\\" Made by emlat help --mdoc.\n"
          ".\\\" SPDX-License-Identifier: MIT\n"
          ".\\\" Copyright (c) 2026 The emlat developers\n"
          ".Dd December 1, 2026\n.Dt EMLAT 1\n.Os\n"
          ".Sh NAME\n.Nm emlat\n.Nd where the time between input and output goes\n"
          ".Sh SYNOPSIS\n.Nm\n.Ar verb\n.Op Ar option ...\n.Ar file\n"
          ".Sh DESCRIPTION\n.Nm\n"
          "reads recordings of a program's interactions, which hold times and counts and no\n"
          "content, and answers where the time went between input becoming observable\n"
          "and its output leaving.\n"
          "Results go to standard output; complaints, hints and progress to standard error.\n"
          "What is not known is shown as \\(em, left empty or null, never as 0.\n"
          "Wherever a file is read,\n.Sq \\-\nis standard input.\n.Pp\nThe verbs are:\n"
          ".Bl -tag -width waterfall -compact\n",
          stdout);
    for (size_t i = 0; i < emlat_verbs_count; i++) {
        printf(".It Cm %s\n", emlat_verbs[i].name);
        mdoc_line(emlat_verbs[i].summary);
    }
    puts(".El\n.Sh VERBS");
    each_verb(mdoc_verb);
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width NO_COLOR\n"
          ".It Ev COLUMNS\nWidth of the screen, before what the terminal says.\n"
          ".It Ev NO_COLOR\nIf set to anything but nothing, no colours unless asked for.\n"
          ".It Ev TERM\nNo colours where it is\n.Cm dumb .\n.El\n"
          ".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n"
          ".It 0\nDone.\n.It 1\nA check failed, or could not be decided.\n"
          ".It 2\nThe command line is wrong.\n"
          ".It 3\nA file is unreadable, damaged or of an unknown version.\n"
          ".It 4\nKnown loss voids the answer.\n.El\n",
          stdout);
}

/* ---- Shells ---------------------------------------------------------------------------------- */

/* TEXT within single quotes of a shell; QUOTE is how that shell writes one inside.  */
static void quoted(const char *text, const char *quote)
{
    for (; *text; text++)
        fputs(*text == '\'' ? quote : (char[]){*text, '\0'}, stdout);
}

/* CHOICES, "a|b|c", with spaces between.  */
static void choices(const char *text)
{
    for (; *text; text++)
        putchar(*text == '|' ? ' ' : *text);
}

static void bash_words(const struct emlat_usage *usage, const struct emlat_option *option)
{
    (void)usage;
    if (option->kind != EMLAT_OPTION_GROUP)
        printf(" --%s%s", option->name, option->argument ? "=" : "");
}

static void bash_values(const struct emlat_usage *usage, const struct emlat_option *option)
{
    if (option->kind != EMLAT_OPTION_CHOICE)
        return;
    printf("    %s:--%s) values='", usage->verb, option->name);
    choices(option->argument);
    puts("' ;;");
}

static void bash_verb_words(const struct emlat_usage *usage)
{
    printf("    %s) words='", usage->verb);
    each_option(usage, bash_words);
    puts("' ;;");
}

static void bash_verb_values(const struct emlat_usage *usage)
{
    each_option(usage, bash_values);
}

static void bash(void)
{
    fputs("# bash completion for emlat; made by emlat help --bash\n"
          "_emlat() {\n"
          "  local verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} words= values= option= "
          "value=\n"
          "  COMPREPLY=()\n"
          "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "    COMPREPLY=($(compgen -W '",
          stdout);
    for (size_t i = 0; i < emlat_verbs_count; i++)
        printf("%s ", emlat_verbs[i].name);
    fputs("' -- \"$word\"))\n"
          "    return\n"
          "  fi\n"
          "  # \"--option=value\" comes as one word, or as three where = breaks words.\n"
          "  case $word in\n"
          "    --*=*) option=${word%%=*} value=${word#*=} ;;\n"
          "    =) option=${COMP_WORDS[COMP_CWORD-1]} ;;\n"
          "    *) if [ \"${COMP_WORDS[COMP_CWORD-1]}\" = = ]; then\n"
          "         option=${COMP_WORDS[COMP_CWORD-2]} value=$word\n"
          "       elif [ \"${COMP_WORDS[COMP_CWORD-1]:0:2}\" = -- ]; then\n"
          "         option=${COMP_WORDS[COMP_CWORD-1]} value=$word\n"
          "       fi ;;\n"
          "  esac\n"
          "  case $verb:$option in\n",
          stdout);
    each_verb(bash_verb_values);
    fputs("  esac\n"
          "  if [ -n \"$values\" ]; then\n"
          "    COMPREPLY=($(compgen -W \"$values\" -- \"$value\"))\n"
          "    return\n"
          "  fi\n"
          "  case $verb in\n",
          stdout);
    each_verb(bash_verb_words);
    fputs("  esac\n"
          "  case $word in\n"
          "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "        [ \"${COMPREPLY[0]: -1}\" != = ] || compopt -o nospace ;;\n"
          "    *) if [ \"$verb\" = help ]; then\n"
          "         COMPREPLY=($(compgen -W '",
          stdout);
    for (size_t i = 0; i < emlat_verbs_count; i++)
        printf("%s ", emlat_verbs[i].name);
    fputs("' -- \"$word\"))\n"
          "       else\n"
          "         compopt -o filenames\n"
          "         mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "       fi ;;\n"
          "  esac\n"
          "}\n"
          "complete -F _emlat emlat\n",
          stdout);
}

/* In zsh's option specs, brackets and colons end a part.  */
static void zsh_text(const char *text)
{
    for (; *text; text++) {
        if (strchr("[]:", *text))
            putchar('\\');
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, stdout);
    }
}

static void zsh_option(const struct emlat_usage *usage, const struct emlat_option *option)
{
    (void)usage;
    if (option->kind == EMLAT_OPTION_GROUP)
        return;
    printf(" \\\n        '--%s%s[", option->name, option->argument ? "=" : "");
    zsh_text(option->help);
    putchar(']');
    if (option->argument) {
        putchar(':');
        zsh_text(option->argument);
        putchar(':');
        if (option->kind == EMLAT_OPTION_CHOICE) {
            putchar('(');
            choices(option->argument);
            putchar(')');
        } else if (option->kind == EMLAT_OPTION_FILE) {
            fputs("_files", stdout);
        }
    }
    putchar('\'');
}

static void zsh_verb(const struct emlat_usage *usage)
{
    printf("    %s) _arguments", usage->verb);
    each_option(usage, zsh_option);
    printf(" \\\n        '*:%s' ;;\n",
           strcmp(usage->verb, "help") == 0 ? "verb:_emlat_verbs" : "file:_files");
}

static void zsh(void)
{
    puts("#compdef emlat\n"
         "# zsh completion for emlat; made by emlat help --zsh\n"
         "_emlat_verbs() {\n"
         "  local -a verbs=(");
    for (size_t i = 0; i < emlat_verbs_count; i++) {
        printf("    '%s:", emlat_verbs[i].name);
        quoted(emlat_verbs[i].summary, "'\\''");
        puts("'");
    }
    puts("  )\n"
         "  _describe verb verbs\n"
         "}\n"
         "_emlat() {\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _emlat_verbs\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in");
    each_verb(zsh_verb);
    puts("  esac\n"
         "}\n"
         "_emlat \"$@\"");
}

static void fish_option(const struct emlat_usage *usage, const struct emlat_option *option)
{
    if (option->kind == EMLAT_OPTION_GROUP)
        return;
    printf("complete -c emlat -n '__fish_seen_subcommand_from %s' -l %s", usage->verb,
           option->name);
    if (option->letter)
        printf(" -s %c", option->letter);
    if (option->kind == EMLAT_OPTION_CHOICE) {
        fputs(" -x -a '", stdout);
        choices(option->argument);
        putchar('\'');
    } else if (option->kind == EMLAT_OPTION_FILE) {
        fputs(" -r -F", stdout);
    } else if (option->argument) {
        fputs(" -x", stdout);
    }
    fputs(" -d '", stdout);
    quoted(option->help, "\\'");
    puts("'");
}

static void fish_verb(const struct emlat_usage *usage)
{
    each_option(usage, fish_option);
}

static void fish(void)
{
    puts("# fish completion for emlat; made by emlat help --fish");
    for (size_t i = 0; i < emlat_verbs_count; i++) {
        printf("complete -c emlat -n __fish_use_subcommand -f -a %s -d '", emlat_verbs[i].name);
        quoted(emlat_verbs[i].summary, "\\'");
        puts("'");
    }
    each_verb(fish_verb);
}

/* ---- The verb -------------------------------------------------------------------------------- */

int emlat_verb_help(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } forms[] = {{"mdoc", mdoc}, {"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    bool wanted[4] = {false};
    const char *name;
    size_t count;
    const struct emlat_option options[] = {
        {"mdoc", 0, EMLAT_OPTION_FLAG, NULL, &wanted[0], "print the manual page emlat(1), as mdoc"},
        {"bash", 0, EMLAT_OPTION_FLAG, NULL, &wanted[1], "print completions for bash"},
        {"zsh", 0, EMLAT_OPTION_FLAG, NULL, &wanted[2], "print completions for zsh"},
        {"fish", 0, EMLAT_OPTION_FLAG, NULL, &wanted[3], "print completions for fish"},
    };
    const struct emlat_usage usage = {
        .verb = "help",
        .operands = "VERB",
        .summary = "Print what VERB does, and its options, as emlat VERB --help does.",
        .details = "examples\n"
                   "  emlat help report\n"
                   "  emlat help --mdoc | mandoc -l\n"
                   "exit codes\n"
                   "  0 printed   2 there is no such verb\n",
        .options = options,
        .options_count = sizeof options / sizeof *options,
        .operands_most = 1,
    };
    int code = emlat_options_parse(&usage, argc, argv, &name, 1, &count);
    if (code != EMLAT_GO_ON)
        return code;
    size_t asked = count, form = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        asked += wanted[i];
        form = wanted[i] ? i : form;
    }
    if (asked != 1)
        return emlat_options_wrong(&usage, "wants one VERB or one form");
    if (!count) {
        forms[form].print();
        return EMLAT_EXIT_OK;
    }
    const struct emlat_verb *verb = emlat_verb_find(name);
    char option[] = "--help";
    return verb ? verb->run(2, (char *[]){argv[0], option, NULL}) : EMLAT_EXIT_USAGE;
}
