#!/usr/bin/env bash
# tools/action/check-boot.sh: the step of action.yml: gets headstart, checks a boot, prints annotations, writes the summary and the outputs.
# All inputs are in INPUT_ variables and may hold anything.
set -euo pipefail
shopt -s inherit_errexit

OTHER_FILE='the release file is not an executable of headstart for this machine: take headstart-VERSION-linux-x64 or -arm64'
work=$(mktemp -d "${RUNNER_TEMP:-/tmp}/headstart.XXXXXX")
trap 'rm -rf "$work"' EXIT

main() {
  validate
  local program
  program=$(find_program)
  local arguments=(boot check "--input=$INPUT_BUNDLE" --format github "--output=$work/annotations") line code=0
  if [[ -n $INPUT_BUDGET ]]; then arguments+=("--budget=${INPUT_BUDGET#./}"); fi
  while IFS= read -r line; do
    line=${line%$'\r'}
    if [[ -n $line ]]; then arguments+=("--against=$line"); fi
  done <<<"$INPUT_AGAINST"
  if [[ -n $INPUT_MARGIN ]]; then arguments+=("--margin=$INPUT_MARGIN"); fi
  if [[ -n $INPUT_THRESHOLD ]]; then arguments+=("--threshold=$INPUT_THRESHOLD"); fi
  if [[ $INPUT_ALLOW_MISSING == true ]]; then arguments+=(--allow-missing); fi

  "$program" "${arguments[@]}" </dev/null >"$work/text" 2>"$work/errors" || code=$?
  show "$work/text" "$work/errors"
  if [[ $code -eq 126 || $code -eq 127 ]]; then # of bash, which could not execute it
    printf 'exit-code=2\n' >>"$GITHUB_OUTPUT"
    if [[ -n $INPUT_RELEASE ]]; then fail "$OTHER_FILE"; fi
    fail "$program cannot be executed on this machine"
  fi
  printf 'exit-code=%d\n' "$code" >>"$GITHUB_OUTPUT"
  case $code in
    0) printf 'within=true\n' >>"$GITHUB_OUTPUT" ;;
    3) printf 'within=false\n' >>"$GITHUB_OUTPUT" ;;
    *) fail "the boot was not checked (exit code $code)"$'\n'"$(tail -n 20 "$work/errors")" "$code" ;;
  esac
  cat "$work/annotations"
  summarise "$work/text"
  if [[ $code -eq 3 && $INPUT_FAIL == false ]]; then code=0; fi
  exit "$code"
}

validate() {
  local name
  for name in BUNDLE BUDGET AGAINST MARGIN THRESHOLD ALLOW_MISSING FAIL HEADSTART RELEASE SHA256; do
    name=INPUT_$name
    if [[ ! -v $name ]]; then printf -v "$name" ''; fi
  done
  [[ -n $INPUT_BUNDLE ]] || fail 'the input bundle is missing: name the boot to check'
  [[ -n $INPUT_BUDGET$INPUT_AGAINST ]] || fail 'nothing to check the boot against: give the input budget or against'
  [[ $INPUT_ALLOW_MISSING =~ ^(true|false|)$ ]] || fail 'the input allow-missing is neither true nor false'
  [[ $INPUT_FAIL =~ ^(true|false|)$ ]] || fail 'the input fail is neither true nor false'
}

# Prints the path of the program. Called in a subshell: the caller exits with it.
find_program() {
  local found
  if [[ -z $INPUT_RELEASE ]]; then
    found=$(type -P -- "${INPUT_HEADSTART:-headstart}") ||
      fail 'headstart is not installed here: install it in an earlier step, or give the inputs release and sha256' >&3
    printf '%s\n' "$found"
    return
  fi
  [[ $INPUT_SHA256 =~ ^[0-9a-f]{64}$ ]] || fail 'the input sha256 is not 64 hex digits: take it from SHA256SUMS' >&3
  case $INPUT_RELEASE in
    https://*)
      curl --proto '=https' --proto-redir '=https' --fail --silent --show-error --location --globoff --max-time 300 \
        --output "$work/release" -- "$INPUT_RELEASE" 2>"$work/errors" ||
        fail "the release file could not be downloaded"$'\n'"$(cat "$work/errors")" >&3
      ;;
    *://*) fail 'the input release is neither a path nor an https address' >&3 ;;
    *) cp -- "$INPUT_RELEASE" "$work/release" 2>/dev/null || fail "there is no release file $INPUT_RELEASE" >&3 ;;
  esac
  found=$(sha256sum <"$work/release")
  [[ ${found%% *} == "$INPUT_SHA256" ]] ||
    fail "the release file has the SHA-256 ${found%% *}, expected $INPUT_SHA256: nothing of it was run" >&3
  unpack
  printf '%s\n' "$work/headstart"
}

# An executable (ELF), or a tar.gz that has one with the name headstart.
unpack() {
  local member
  if ! gzip --test "$work/release" 2>/dev/null; then
    mv "$work/release" "$work/headstart"
  else
    member=$(tar -tzf "$work/release" | awk '/(^|\/)headstart$/ && !found++')
    [[ -n $member ]] || fail 'the release file is an archive without a program headstart' >&3
    tar -xzf "$work/release" --to-stdout -- "$member" >"$work/headstart"
  fi
  # Bash would run any other file as a script, and the launcher of the npm package does not work alone.
  [[ $(head -c 4 "$work/headstart" | od -An -tx1) == ' 7f 45 4c 46' ]] || fail "$OTHER_FILE" >&3
  chmod 755 "$work/headstart"
}

# The runner reads commands from every line of the log. What comes from the boot must not be one, so they are off meanwhile.
show() {
  local token
  token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$token"
  cat -- "$@"
  printf '\n::%s::\n' "$token"
}

# Indented, because a fence could be closed by a text that contains one.
summarise() {
  {
    printf '### headstart boot check\n\n'
    sed 's/^/    /' "$1"
    printf '\n'
  } >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
}

fail() {
  local message=$1
  message=${message//'%'/%25}
  message=${message//$'\r'/%0D}
  message=${message//$'\n'/%0A}
  printf '::error title=headstart::%s\n' "$message"
  exit "${2:-2}"
}

exec 3>&1
main
