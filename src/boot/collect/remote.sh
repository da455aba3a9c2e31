# Runs on the remote machine, followed by one line per item to collect. Read-only, except for a temporary folder for the output
# of programs, which it removes. Prints each item as `item LENGTH PART NAME`, its bytes and a newline, or as
# `miss NAME<tab>REASON`. Prints `end` last, so that the reader notices a broken connection.
set -u
umask 077
PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
LC_ALL=C.UTF-8 TZ=UTC SYSTEMD_COLORS=0 SYSTEMD_PAGER=
export PATH LC_ALL TZ SYSTEMD_COLORS SYSTEMD_PAGER

# Prefix of every path; only tests set it.
root=${HEADSTART_ROOT:-}
# The name of the Node, used only by the item that gets it.
# shellcheck disable=SC2034
node=$(uname -n | tr '[:upper:]' '[:lower:]')
why=

work=
for folder in "${TMPDIR:-/tmp}" /run /dev/shm /var/tmp; do
  work=$(mktemp -d "$folder/headstart.XXXXXX" 2>/dev/null) && break
done
if [ -z "$work" ]; then
  echo "no writable temporary folder: tried ${TMPDIR:-/tmp}, /run, /dev/shm and /var/tmp" >&2
  exit 1
fi
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# send NAME PART
send() {
  printf 'item %d %s %s\n' "$(wc -c <"$work/out")" "$2" "$1"
  cat "$work/out"
  echo
}

# miss NAME WHY
miss() {
  printf 'miss %s\t%s\n' "$1" "$2"
}

# within SECONDS PROGRAM...
within() {
  seconds=$1
  shift
  if command -v timeout >/dev/null 2>&1; then timeout "$seconds" "$@"; else "$@"; fi
}

# take_command NAME SECONDS MAXIMUM PROGRAM...: true if it sent the item, else $why is the reason
take_command() {
  name=$1 limit=$2 maximum=$3
  shift 3
  if ! command -v "$1" >/dev/null 2>&1; then
    why="$1 is not installed"
    return 1
  fi
  { within "$limit" "$@" 2>"$work/err" </dev/null; echo $? >"$work/status"; } | head -c "$((maximum + 1))" >"$work/out"
  if [ "$(wc -c <"$work/out")" -gt "$maximum" ]; then
    send "$name" first
    return 0
  fi
  status=$(cat "$work/status")
  if [ "$status" = 0 ] && [ -s "$work/out" ]; then
    send "$name" whole
    return 0
  fi
  why=$(head -n 1 "$work/err" | tr '\t\r' '  ')
  case $status in
    0) why=${why:-$1 printed nothing: no data, or no permission to read it} ;;
    124) why="$1 timed out after $limit s" ;;
    *) why="$1 failed: ${why:-exit code $status}" ;;
  esac
  return 1
}

# take_files PATTERN KEEP MAXIMUM PATH...: KEEP is the part to keep of a file larger than MAXIMUM, `end` or `none`
take_files() {
  pattern=$1 keep=$2 maximum=$3
  shift 3
  found=
  for path in "$@"; do
    [ -e "$path" ] || continue
    found=yes
    name=${path#"$root"/}
    case $name in
      *'
'*) continue ;;
    esac
    if [ ! -f "$path" ]; then
      miss "$name" 'not a regular file'
    elif [ ! -r "$path" ] || ! tail -c "$((maximum + 1))" "$path" >"$work/out" 2>/dev/null; then
      miss "$name" 'permission denied'
    elif [ "$(wc -c <"$work/out")" -le "$maximum" ]; then
      send "$name" whole
    elif [ "$keep" = end ]; then
      send "$name" last
    else
      miss "$name" "larger than $((maximum / 1048576)) MiB"
    fi
  done
  [ -n "$found" ] || miss "$pattern" 'no such file'
}

echo 'headstart-collect 1'
