#!/usr/bin/env bash
# Fetch, patch and build the GNU Emacs that emlat is tried in.  Every build lies in the cache,
# outside the checkout, under a name made from all that goes into it: what is there is right,
# and what changed is built anew.  It installs nothing, and it is no packaging of Emacs.
set -euo pipefail

usage() {
  cat <<'END'
Usage: hosts/emacs/build.sh VARIANT          build it, unless the cache has it
       hosts/emacs/build.sh print VARIANT    print the path of its emacs program
       hosts/emacs/build.sh tree VARIANT     print the path of its source tree
       hosts/emacs/build.sh hooked VARIANT   print the C files there that the patches touch

VARIANT is
  stock         as released
  patched       with our hooks, configured --with-latency
  unconfigured  with our hooks, without --with-latency: only the hooked objects are made
  dev           as patched, but one tree a checkout in which only what changed is made again

Environment:
  EMACS_SRC     a source tree or tarball to use, instead of fetching Debian's
  EMLAT_CACHE   where builds are kept (default ${XDG_CACHE_HOME:-~/.cache}/emlat)
  CC, JOBS      the compiler (gcc), how many jobs (all processors)
END
}

# ---- What is built ----

suite=trixie
tarball=emacs_30.1+1.orig.tar.xz
tarball_sha256=902fe6e82528f9bc89b0f57227488a08f5bc07126c2c47eb6b5e8a368582324c
cflags='-O2 -g'
configure_flags=(--without-all --without-x --without-native-compilation
  --with-file-notification=inotify --with-modules --with-threads)

# Lisp that the demo and the tests load and that `make src' leaves uncompiled.
lisp_features='(cc-mode shell kmacro dired thingatpt imenu tabulated-list json xterm
                subr-x time-date ring compile)'

# ---- Where ----

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
cache=${EMLAT_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/emlat}
jobs=${JOBS:-$(nproc)}
CC=${CC:-gcc}
PATH=/usr/bin:/bin:$PATH                # the system's python and meson, not those of a HOME

say() { printf 'emacs %s: [%3d s] %s\n' "$variant" "$SECONDS" "$*" >&2; }
die() { echo "hosts/emacs/build.sh: $*" >&2; exit 1; }

# Run a step with a clean environment and its output in the log; say where it is now and then.
step() { # step TEXT COMMAND...
  local text=$1 pid shown=$SECONDS; shift
  say "$text"
  env -i PATH="$PATH" HOME="$home" LC_ALL=C.UTF-8 TMPDIR="${TMPDIR:-/tmp}" CC="$CC" \
    "$@" >> "$log" 2>&1 < /dev/null &
  pid=$!
  trap 'kill "$pid" 2> /dev/null; exit 130' INT TERM HUP
  while kill -0 "$pid" 2> /dev/null; do
    sleep 0.2
    [ $((SECONDS - shown)) -ge 20 ] || continue
    shown=$SECONDS
    say "  $(tail -n 1 "$log" | tr -cd '[:print:]' | cut -c 1-60)"
  done
  trap - INT TERM HUP
  wait "$pid" || {
    tail -n 30 "$log" >&2
    die "\`$text' failed; the whole log is $log"
  }
}

# ---- The key: all that goes into a build ----

hash() { sha256sum | cut -c 1-16; }

contents() { # contents FOLDER FILE...: name and hash of each file there
  (cd "$1" && shift && { find "$@" -type f -print0 2> /dev/null || :; } | LC_ALL=C sort -z |
    xargs -0r sha256sum)
}

source_id() {
  if [ -z "${EMACS_SRC-}" ]; then
    echo "$tarball_sha256"
  elif [ -d "$EMACS_SRC" ]; then
    (cd "$EMACS_SRC" && find . -name .git -prune -o -type f -printf '%P %s %T@\n' | LC_ALL=C sort)
  else
    sha256sum < "$EMACS_SRC"
  fi
}

key() { # key VARIANT
  {
    source_id
    declare -f unpack add_stubs configure compile compile_lisp
    echo "$cflags ${configure_flags[*]} $lisp_features"
    "$CC" --version | head -n 1
    dpkg-query -W -f '${Package} ${Version}\n' libc6-dev libncurses-dev libgmp-dev 2> /dev/null || :
    [ "$1" = stock ] || contents "$here" patches src lisp apply.sh
    [ "$1" != patched ] || contents "$root" include src/common src/record meson.build
  } | hash
}

# ---- The source ----

# The main Debian archive among this machine's package sources.
archive() {
  local codename
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --no-release-info --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' |
    awk -v codename="$codename" \
      '$2 == "main" && ($1 == codename || $1 ~ /^((old)?stable|testing|sid)$/) { print $3; exit }'
}

# Debian's source package, signature-checked by apt, from an apt state of its own so that the
# machine's package lists stay as they are.
fetch() {
  local apt=$cache/apt uri options keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  uri=$(archive)
  [ -n "$uri" ] || die "no Debian archive in apt's sources: set EMACS_SRC to an Emacs 30.1 source"
  [ -f "$keyring" ] || die "$keyring is missing (package debian-archive-keyring)"
  rm -rf "$apt"
  mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/archives/partial"
  echo "deb-src [signed-by=$keyring] $uri $suite main" > "$apt/sources.list"
  options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts"
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt" -o Acquire::Languages=none)
  [ "$(id -u)" != 0 ] || options+=(-o APT::Sandbox::User=root)
  (
    cd "$apt"
    exec 2>&1
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only --tar-only "emacs/$suite"
  ) >> "$log" || { tail -n 30 "$log" >&2; die "can't fetch the Emacs source; see $log"; }
  [ -f "$apt/$tarball" ] || die "$suite no longer has $tarball: set EMACS_SRC to an Emacs 30.1 source"
  echo "$tarball_sha256  $apt/$tarball" | sha256sum --check --quiet >&2 ||
    die "$tarball is not the file we know (SHA-256 differs)"
  mv "$apt/$tarball" "$cache/"
  rm -rf "$apt"
}

# Leave the source as $tree.
unpack() {
  mkdir -p "$tree"
  if [ -d "${EMACS_SRC-}" ]; then
    [ ! -f "$EMACS_SRC/config.status" ] ||
      die "$EMACS_SRC was configured in place: give a clean tree (make distclean)"
    tar -C "$EMACS_SRC" --exclude=./.git -cf - . | tar -C "$tree" -xf -
  else
    tar -C "$tree" --strip-components=1 -xf "${EMACS_SRC:-$cache/$tarball}"
  fi
  add_stubs
}

# Debian's tarball lacks the non-free manuals, which configure asks for, as sources and, where
# there is no makeinfo, as made ones; and a table of ideographic variants that only a graphical
# display uses.
add_stubs() {
  local manual
  for manual in emacs lispintro lispref; do
    mkdir -p "$tree/doc/$manual"
    [ -f "$tree/doc/$manual/Makefile.in" ] ||
      printf 'all:;@:\n%%:;@:\n' > "$tree/doc/$manual/Makefile.in"
  done
  mkdir -p "$tree/info"
  [ -e "$tree/info/emacs" ] || : > "$tree/info/emacs"
  [ -f "$tree/admin/unidata/IVD_Sequences.txt" ] || : > "$tree/admin/unidata/IVD_Sequences.txt"
}

# ---- libemlat, as a host finds it: installed, by pkg-config ----

# Static, so that the built Emacs does not depend on the checkout.
stage() {
  local build=$tree/.emlat/build
  [ -d "$build/meson-info" ] ||
    step 'libemlat: meson setup' meson setup --prefix "$tree/.emlat/stage" --libdir lib \
      -Ddefault_library=static -Dtests=false -Dbench=false "$build" "$root"
  step 'libemlat: compile' meson compile -C "$build" emlat:static_library
  step 'libemlat: install' meson install -C "$build" --tags devel --no-rebuild --only-changed
  rm -f "$tree/.emlat/stage/lib"/libemlat.so*    # meson's link to a library that is not there
}

# ---- The build ----

hooked() { # the C files that the patches touch
  sed -n 's,^+++ b/src/\([^[:space:]]*\.c\).*,\1,p' "$tree/.emlat-applied.patch" | sort
}

hooked_objects() { hooked | sed 's/c$/o/'; }

configure() {
  local flags=("${configure_flags[@]}")
  case $variant in
    patched | dev) flags+=(--with-latency "PKG_CONFIG_PATH=$tree/.emlat/stage/lib/pkgconfig") ;;
  esac
  step 'autogen' env -C "$tree" ./autogen.sh autoconf
  step 'configure' env -C "$tree" ./configure "${flags[@]}" CFLAGS="$cflags"
}

compile() {
  case $variant in
    unconfigured)
      step 'make lib lib-src' make -C "$tree" -j "$jobs" lib lib-src
      # shellcheck disable=SC2046 # a list
      step 'make hooked objects' make -C "$tree/src" -j "$jobs" $(hooked_objects)
      ;;
    *)
      step 'make' make -C "$tree" -j "$jobs" lib lib-src src
      compile_lisp
      ;;
  esac
}

# Compile what those features load from source: interpreted, font-lock takes most of the time
# of a command and drowns what a test looks at.
compile_lisp() {
  step 'compile lisp' "$tree/src/emacs" -Q --batch --eval "
    (let ((load-prefer-newer t))
      (dolist (feature '$lisp_features) (require feature nil t))
      (load \"term/xterm\" t)
      (when (locate-library \"latency\") (load \"latency\" t))
      (dolist (file (delete-dups (mapcar #'car load-history)))
        (when (and file (string-suffix-p \".el\" file))
          (byte-compile-file file))))"
}

# A released Emacs of the same source has all of the compiled Lisp already, half the work of a
# build.  What a patch or a file of ours makes newer, make compiles again.
borrow_lisp() {
  local from
  from=$cache/emacs-stock-$(key stock)
  if [ ! -f "$from/.emlat-complete" ]; then return; fi
  (cd "$from" && find lisp -type f -newer src/config.h -print0) |
    tar -C "$from" --null -T - -cf - | tar -C "$tree" --keep-newer-files -xf -
}

with_hooks() { [ "$variant" != stock ]; }
with_library() { [ "$variant" = patched ] || [ "$variant" = dev ]; }

build_anew() {
  rm -rf "$tree"
  step 'unpack' true
  unpack
  if with_hooks; then "$here/apply.sh" "$tree" || die 'the patches do not apply'; fi
  if with_library; then stage; fi
  configure
  if with_library; then borrow_lisp; fi
  compile
}

# The developer's tree: only what changed.  Emacs' own make sees all but the library.
build_dev() {
  if [ ! -f "$tree/src/config.h" ]; then build_anew; return; fi
  "$here/apply.sh" "$tree" || die 'the patches do not apply'
  stage
  if [ "$tree/.emlat/stage/lib/libemlat.a" -nt "$tree/src/temacs" ]; then
    rm -f "$tree/src/temacs"
  fi
  compile
}

# Builds that nothing has asked for in two weeks.
prune() {
  local lock
  find "$cache" -maxdepth 1 -name 'emacs-*.lock' -mtime +14 | while read -r lock; do
    flock -n "$lock" rm -rf "${lock%.lock}" "${lock%.lock}.log" "$lock" || :
  done
}

build() {
  mkdir -p "$cache"
  exec 9> "$cache/$name.lock"
  touch "$cache/$name.lock"
  flock -n 9 || { say 'waiting for another build of it'; flock 9; }
  if [ "$variant" != dev ] && [ -f "$stamp" ]; then return; fi
  : > "$log"
  if [ -z "${EMACS_SRC-}" ] && [ ! -f "$cache/$tarball" ]; then
    exec 8> "$cache/fetch.lock"
    flock 8
    if [ ! -f "$cache/$tarball" ]; then say "fetch the source ($tarball)"; fetch; fi
    exec 8>&-
  fi
  if [ "$variant" = dev ]; then build_dev; else build_anew; fi
  touch "$stamp"
  prune
  say "ready: $tree"
}

# ---- What was asked ----

main() {
  local action=build
  case "${1-}" in
    -h | --help) usage; exit 0 ;;
    print | tree | hooked) action=$1; shift ;;
  esac
  [ $# -eq 1 ] || { usage >&2; exit 2; }
  variant=$1
  case $variant in
    stock | patched | unconfigured) name=emacs-$variant-$(key "$variant") ;;
    dev) name=emacs-dev-$(echo "$root" | hash) ;;
    *) usage >&2; exit 2 ;;
  esac
  tree=$cache/$name
  stamp=$tree/.emlat-complete
  log=$cache/$name.log
  case $action in
    build) build ;;
    print) echo "$tree/src/emacs" ;;
    tree) echo "$tree" ;;
    hooked) hooked ;;
  esac
}

# The shell has read all of this before anything runs, so the file may be edited meanwhile.
main "$@"; exit
