# tools/install-dependencies.sh: what headstart needs below node_modules, for the launcher and for make. Sourced by a
# POSIX sh that set `home` to the checkout; `ensure_installed runtime` or `ensure_installed full` (with the development tools).

# Measured on Linux; src/cli/launcher.test.ts fails when one is far off.
runtime_mb=400
full_mb=590

# npm writes this list of the installed packages last, so a half-finished install is noticed.
marker=$home/node_modules/.package-lock.json
lock=$home/.installing
npm_log=$home/.installing.log
npm_pid=

# A changed lock file means another install. A full install is also a runtime install, never the other way round.
is_installed() {
  [ -f "$marker" ] && [ ! "$home/package-lock.json" -nt "$marker" ] && { [ "$1" = runtime ] || has_dev_packages; }
}

has_dev_packages() { [ -f "$marker" ] && grep -q '"node_modules/vitest"' "$marker"; }

ensure_installed() {
  waited=0
  until is_installed "$1"; do
    if take_lock; then
      is_installed "$1" || install_with_npm "$1" # the process waited for may have installed them
      drop_lock
      trap - EXIT HUP INT TERM
    else
      await_lock
    fi
  done
  link_pinned_node
}

# npm 9, which Debian 12 has, links the pinned Node.js and then removes the link with the packages of other platforms,
# whose program has the same name.
link_pinned_node() {
  bin=$home/node_modules/.bin
  [ ! -x "$bin/node" ] && [ -w "$bin" ] || return 0
  for program in "$home"/node_modules/node-*/bin/node; do
    [ -x "$program" ] || continue
    package=${program%/bin/node}
    ln -sf "../${package##*/}/bin/node" "$bin/node"
    return 0
  done
}

# Two installs at once would remove each other's files. Only one process can make the link, and the link names it.
take_lock() {
  ln -s "$$" "$lock" 2>/dev/null || return 1
  trap 'stop_npm; drop_lock' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# Called when the link could not be made: waits a second, clears what a killed process left, or gives up.
await_lock() {
  command -v ln >/dev/null 2>&1 ||
    give_up "PATH has not even ln: $PATH" "run this again with the usual folders on PATH"
  owner=$(readlink "$lock" 2>/dev/null || true)
  if [ -z "$owner" ]; then
    [ -w "$home" ] || give_up "$(id -un) may not write to $home" "run $home/headstart once as the owner of that folder"
    # The owner may have dropped it just now; a full disk or a plain file of that name stays.
    [ "$waited" -lt 5 ] || give_up "$lock cannot be made: $(ln -s "$$" "$lock" 2>&1 || true)" \
      "make room on the disk, or remove $lock if it is there, then run this again"
  elif [ "$owner" = "$$" ] || { ! kill -0 "$owner" 2>/dev/null && ! ps -p "$owner" >/dev/null 2>&1; }; then
    clear_lock_of "$owner"
  elif [ $((waited % 60)) -eq 0 ]; then
    echo "headstart: waiting for process $owner to install the dependencies (if it does not, remove $lock) ..." >&2
  fi
  waited=$((waited + 1))
  sleep 1
}

# Only one may clear it away, or the second would take the lock that the first has just made.
clear_lock_of() {
  if ln -s "$$" "$lock.stale" 2>/dev/null; then
    if [ "$(readlink "$lock" || true)" = "$1" ]; then rm -f "$lock"; fi
    rm -f "$lock.stale"
  else
    clearer=$(readlink "$lock.stale" 2>/dev/null || true)
    if [ -n "$clearer" ] && ! kill -0 "$clearer" 2>/dev/null; then rm -f "$lock.stale"; fi
  fi
}

give_up() {
  echo "error: headstart needs its dependencies, and $1" >&2
  echo "next:  $2" >&2
  exit 1
}

drop_lock() { rm -f "$npm_log" "$lock"; }

# What npm leaves half-done has no marker, so the next run starts over.
stop_npm() {
  [ -n "$npm_pid" ] || return 0
  kill "$npm_pid" 2>/dev/null || true
  wait "$npm_pid" 2>/dev/null || true
  rm -f "$marker"
}

install_with_npm() {
  if [ -L "$home/node_modules" ]; then
    # npm would empty the folder that the link leads to, which belongs to another checkout.
    echo "error: $home/node_modules is a link, and what it leads to does not fit package-lock.json" >&2
    echo "next:  remove the link, then run this again" >&2
    exit 1
  fi
  command -v npm >/dev/null 2>&1 || {
    echo "error: headstart needs its dependencies, and npm is not on PATH" >&2
    echo "next:  install npm 9 or newer (Debian and Ubuntu: the package npm), then run this again" >&2
    exit 1
  }
  # The options beat NODE_ENV and the user's own npm settings. Development packages that are there already are kept.
  if [ "$1" = full ] || has_dev_packages; then
    dev=--include=dev
    say_in_full "installing the dependencies and the development tools, about $full_mb MB, into $home/node_modules"
  else
    dev=--omit=dev
    say_in_full "installing the dependencies, about $runtime_mb MB, into $home/node_modules"
  fi
  rm -f "$marker"
  begun=$(date +%s)
  (cd "$home" && exec npm ci "$dev" --include=optional --no-audit --no-fund --loglevel=error) >"$npm_log" 2>&1 &
  npm_pid=$!
  show_progress
  status=0
  wait "$npm_pid" || status=$?
  npm_pid=
  if [ "$status" -ne 0 ]; then
    rm -f "$marker"
    say_in_full "npm failed after $(seconds) s; its last lines:"
    # Without the stack, which would push the reason out of the last lines.
    grep -v '^npm [a-zA-Z!]* *at ' "$npm_log" | tail -n 20 | sed 's/^/  /' >&2
    echo "error: npm could not install the dependencies (exit code $status)" >&2
    echo "next:  check the network or the npm registry setting, then run this again" >&2
    exit 1
  fi
  touch "$marker"
  say_in_full "installed $(installed_mb) MB in $(seconds) s"
}

# One line that is rewritten on a terminal, a line every ten seconds elsewhere. The shell waits here, so that no process
# for the progress is left behind.
show_progress() {
  ticks=0
  while kill -0 "$npm_pid" 2>/dev/null; do
    if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then
      [ $((ticks % 2)) -ne 0 ] || printf '\r\033[Kheadstart: %s MB after %s s ...' "$(installed_mb)" "$(seconds)" >&2
    elif [ "$ticks" -gt 0 ] && [ $((ticks % 10)) -eq 0 ]; then
      echo "headstart: $(installed_mb) MB after $(seconds) s ..." >&2
    fi
    ticks=$((ticks + 1))
    sleep 1
  done
}

seconds() { echo $(($(date +%s) - begun)); }

installed_mb() {
  kb=$(du -sk "$home/node_modules" 2>/dev/null | cut -f1) # files that npm moves while du reads are no matter
  echo $((${kb:-0} / 1024))
}

# Over the line that is rewritten.
say_in_full() {
  if [ -t 2 ] && [ "${TERM:-dumb}" != dumb ]; then printf '\r\033[K' >&2; fi
  echo "headstart: $1" >&2
}
