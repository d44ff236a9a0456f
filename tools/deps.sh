#!/usr/bin/env bash
# Install the system packages that building and testing emlat needs and this Debian machine
# lacks; with nothing missing it does nothing.  It is for `make': libemlat itself needs only a
# C compiler and the C library.
set -euo pipefail
PATH=/usr/sbin:/usr/bin:/sbin:/bin:$PATH

# Package and what it is for.
needed() {
  cat <<'END'
gcc                     the compiler
clang                   the second compiler of `make check'
meson                   the build description
ninja-build             runs the build
make                    this front, and Emacs
pkg-config              finds the libraries
libcmocka-dev           the test programs
libvterm-dev            the terminal in `emlat replay'
libjansson-dev          JSON in `emlat replay' and the tests
python3                 the test drivers
zlib1g-dev              `emlat export' of histograms
mandoc                  tests of the manual page
zsh                     tests of the completions
fish                    tests of the completions
protobuf-compiler       reads exports back
sqlite3                 reads exports back
prometheus              reads exports back, with its promtool
nodejs                  reads exports back
chromium                shows exports and reports in a browser
binutils                the object and symbol checks
patch                   the Emacs hooks
autoconf                Emacs' configure
automake                Emacs' configure
libncurses-dev          Emacs' terminal
libgmp-dev              Emacs' integers
xz-utils                Emacs' source
dpkg-dev                Emacs' source
debian-archive-keyring  Emacs' source
END
  # Some nodejs packages bring it along, and then refuse Debian's.
  command -v npm > /dev/null || printf '%-23s %s\n' npm 'installs the readers that run in node'
  local rt
  rt=$(clang_runtime)
  [ -z "$rt" ] || printf '%-23s %s\n' "$rt" 'sanitizers and fuzzing with clang'
}

# The sanitizer runtime has clang's major version in its name.
clang_runtime() {
  { dpkg-query -W -f '${Depends}\n' clang 2> /dev/null || apt-cache depends clang 2> /dev/null; } |
    sed -n 's/.*clang-\([0-9][0-9]*\).*/libclang-rt-\1-dev/p' | head -n 1
}

missing() {
  local installed
  # One query: a line for each package that is fully installed.
  # shellcheck disable=SC2016 # dpkg's own variables
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
  needed | awk 'NR == FNR { have[$1]; next } !($1 in have)' <(echo "$installed") -
}

if ! command -v dpkg-query > /dev/null; then
  echo 'deps: no Debian packages on this machine; what is needed is, by its Debian names:' >&2
  needed >&2
  exit 0
fi

todo=$(missing)
[ -n "$todo" ] || exit 0

echo 'deps: these system packages are missing and will be installed by apt-get:' >&2
printf '  %s\n' "${todo//$'\n'/$'\n  '}" >&2
packages() { echo "$todo" | awk '{ print $1 }'; }

if [ "$(id -u)" = 0 ]; then
  as_root=()
elif command -v sudo > /dev/null; then
  as_root=(sudo)
else
  echo "deps: not root and no sudo here.  As root, please run:" >&2
  echo "  apt-get update && apt-get install --no-install-recommends $(packages | tr '\n' ' ')" >&2
  exit 1
fi

apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" < /dev/null >&2; }
apt update
todo=$(missing)                         # clang's version may be known only now
# shellcheck disable=SC2046 # a list
apt install -y --no-install-recommends $(packages) libc6-dev
