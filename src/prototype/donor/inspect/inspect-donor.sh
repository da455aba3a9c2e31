# What would a clone of this node inherit? Read-only. Prints one fact per line, fields separated by tabs, and `end` last, so
# that the reader notices truncated output. The lines before this one set $root, $node_name and $custom_data. The output has no
# token, key or password; custom data and protected settings of extensions only if $custom_data is set.
set -u
PATH=${PATH:-}:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
# Split lists at line ends only.
IFS='
'
tab=$(printf '\t')

# say FIELD...
say() {
  answer=
  for field; do answer=$answer${answer:+$tab}$field; done
  printf '%s\n' "$answer"
}

first_line() {
  sed -n 1p "$root$1" 2>/dev/null | tr -d '\r\t'
}

# present PATH...: print the paths that are files
present() {
  for path; do
    [ ! -f "$path" ] || printf '%s\n' "$path"
  done
}

# ---- the machine

machine() {
  for key in ID VERSION_ID PRETTY_NAME; do
    say os "$key" "$(sed -n "s/^$key=//p" "$root/etc/os-release" 2>/dev/null | sed -n 1p | tr -d "\"'\t")"
  done
  say kernel "$(uname -r)"
  say vm-id "$(first_line /sys/class/dmi/id/product_uuid)"
  say hostname "$(first_line /etc/hostname)"
  for file in /run/reboot-required /var/run/reboot-required; do
    [ -e "$root$file" ] || continue
    say reboot-required "$file" "$(sort -u "$root$file.pkgs" 2>/dev/null | tr '\n\t' ', ' | sed 's/,$//')"
    break
  done
  for folder in / /var/lib/kubelet /var/lib/containerd; do
    [ -d "$root$folder" ] || continue
    df -k -P "$root$folder" 2>/dev/null | awk -v OFS="$tab" -v folder="$folder" 'NR == 2 { print "disk", folder, $2, $3, $4 }'
  done
  cloud_init
  addresses
}

cloud_init() {
  if [ ! -e "$root/usr/bin/cloud-init" ] && [ ! -d "$root/etc/cloud" ]; then say cloud-init absent
  elif [ -e "$root/etc/cloud/cloud-init.disabled" ]; then say cloud-init disabled
  elif grep -q -s 'network:.*config:.*disabled' "$root"/etc/cloud/cloud.cfg "$root"/etc/cloud/cloud.cfg.d/*; then
    say cloud-init without-network
  else say cloud-init enabled; fi
}

# From the kernel, in the network namespace of process 1: the caller may be in another one.
addresses() {
  for net in "$root/proc/1/net" "$root/proc/net"; do
    [ -r "$net/fib_trie" ] || continue
    awk -v OFS="$tab" '/\|--/ { seen = $NF } /32 host LOCAL/ { print "address", seen }' "$net/fib_trie" | sort -u
    awk -v OFS="$tab" '$4 == "00" {
      text = substr($1, 1, 4)
      for (at = 5; at < 32; at += 4) text = text ":" substr($1, at, 4)
      print "address", text
    }' "$net/if_inet6" 2>/dev/null | sort -u
    break
  done
}

# ---- patches: which are pending, and has the machine run with those it has?

patches() {
  say now "$(date +%s)"
  say booted "$(sed -n 's/^btime //p' "$root/proc/stat" 2>/dev/null)"
  installed_kernels | sort -u
  if [ -f "$root/var/lib/dpkg/status" ]; then
    say packages-changed "$(changed "$root/var/lib/dpkg/status")"
    apt_updates
  elif has rpm && [ -d "$root/var/lib/rpm" ]; then
    # shellcheck disable=SC2086 # no word if there is no other root
    say packages-changed "$(rpm ${root:+--root="$root"} -qa --qf '%{INSTALLTIME}\n' 2>/dev/null | sort -n | tail -n 1)"
    if has tdnf; then dnf_updates tdnf
    elif has dnf; then dnf_updates dnf
    elif has zypper; then zypper_updates
    else say updates rpm unknown 'no program lists updates'; fi
  else say updates none unknown 'no package manager that is known'; fi
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# changed FILE: when it was last changed, in seconds
changed() {
  [ ! -e "$1" ] || date -r "$1" +%s 2>/dev/null
}

# newest FILE...: the file that was changed last
newest() {
  # shellcheck disable=SC2012 # names without line ends
  ls -t "$@" 2>/dev/null | sed -n 1p
}

# A package manager waits for locks and mirrors, but the inspection does not.
quickly() {
  if has timeout; then timeout 45 "$@"; else "$@"; fi
}

# A leftover folder of modules is no kernel, and a rescue kernel is not for service.
installed_kernels() {
  for image in "$root"/boot/vmlinuz-* "$root"/lib/modules/*/vmlinuz "$root"/usr/lib/modules/*/vmlinuz; do
    [ -f "$image" ] || continue
    case $image in
      */vmlinuz) image=${image%/vmlinuz} release=${image##*/} ;;
      *) release=${image##*/vmlinuz-} ;;
    esac
    case $release in
      *rescue* | old) ;;
      *) say installed-kernel "$release" ;;
    esac
  done
}

# updates MANAGER known COUNT SECURITY LISTS-CHANGED, or updates MANAGER unknown REASON. All from lists on the disk: no request
# is sent, no cache written.
apt_updates() {
  lists=$(newest "$root"/var/lib/apt/lists/*_Packages*)
  if ! has apt-get; then say updates apt unknown 'there is no apt-get'
  elif [ -z "$lists" ]; then say updates apt unknown 'there are no package lists'
  elif plan=$(quickly apt-get -s -qq -o Debug::NoLocking=true -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o Dir="$root/" -o Dir::State::status="$root/var/lib/dpkg/status" --with-new-pkgs upgrade 2>/dev/null); then
    say updates apt known "$(printf '%s\n' "$plan" | grep -c '^Inst ')" \
      "$(printf '%s\n' "$plan" | grep -c -i '^Inst .*security')" "$(changed "$lists")"
  else say updates apt unknown 'apt-get failed'; fi
}

# The exit code 100 means that there are updates. Without cached lists both programs may report none.
dnf_updates() {
  lists=$(newest "$root"/var/cache/"$1"/*/repodata/repomd.xml "$root"/var/cache/libdnf5/*/repodata/repomd.xml)
  if [ -z "$lists" ]; then
    say updates "$1" unknown 'there are no package lists'
    return 0
  fi
  logs=
  set -- "$1" -C -q ${root:+--installroot="$root"}
  if [ "$1" = dnf ]; then
    logs=$(mktemp -d) && set -- "$@" --setopt=logdir="$logs"
  fi
  found=$(quickly "$@" check-update 2>/dev/null)
  case $? in
    0) say updates "$1" known 0 '' "$(changed "$lists")" ;;
    100)
      count=$(printf '%s\n' "$found" | sed '/^Obsoleting/,$d' | grep -c '^[^[:space:]]\{1,\}[[:space:]]\{1,\}[^[:space:]]\{1,\}[[:space:]]')
      say updates "$1" known "$count" '' "$(changed "$lists")"
      ;;
    *) say updates "$1" unknown "$1 failed" ;;
  esac
  [ -z "$logs" ] || rm -rf "$logs"
}

zypper_updates() {
  lists=$(newest "$root"/var/cache/zypp/raw/*/repodata/repomd.xml)
  if [ -z "$lists" ]; then say updates zypper unknown 'there are no package lists'
  # shellcheck disable=SC2086
  elif found=$(ZYPP_LOGFILE=/dev/null quickly zypper ${root:+--root="$root"} --no-refresh --non-interactive --quiet list-updates 2>/dev/null); then
    say updates zypper known "$(printf '%s\n' "$found" | grep -c '^v ')" '' "$(changed "$lists")"
  else say updates zypper unknown 'zypper failed'; fi
}

# ---- names and addresses in files

references() {
  names=$({ printf '%s\n' "$node_name"; first_line /etc/hostname; } | tr '[:upper:]' '[:lower:]' | grep . | sort -u | tr '\n' ' ')
  # shellcheck disable=SC2046 # words are lines here
  refer kubelet $(present "$root"/etc/default/kubelet* "$root/etc/sysconfig/kubelet" "$root"/var/lib/kubelet/*.env \
    "$root/var/lib/kubelet/config.yaml" "$root"/etc/kubernetes/kubelet*.yaml "$root"/etc/kubernetes/kubelet*.json \
    "$root"/etc/kubernetes/kubelet.conf.d/* "$root"/etc/kubernetes/kubelet/*)
  # shellcheck disable=SC2046
  refer systemd $(find "$root/etc/systemd/system" -type f \( -name '*.service' -o -name '*.conf' -o -name '*.socket' \
    -o -name '*.timer' \) 2>/dev/null | sort)
  # shellcheck disable=SC2046
  refer network $(present "$root"/etc/systemd/network/* "$root"/etc/netplan/* "$root/etc/network/interfaces" \
    "$root"/etc/network/interfaces.d/* "$root"/etc/sysconfig/network-scripts/ifcfg-* \
    "$root"/etc/NetworkManager/system-connections/* "$root"/etc/dhcp/dhclient.conf "$root"/etc/dhcpcd.conf)
}

# refer AREA FILE...: print only the name or address of a line and its setting, never the whole line
refer() {
  area=$1
  shift
  [ $# -gt 0 ] || return 0
  awk -v OFS="$tab" -v area="$area" -v names="$names" -v root="$root" '
    BEGIN { count = split(names, name, " ") }
    FNR == 1 { above = "" }
    /^[ \t]*[#;]/ { next }
    {
      line = $0
      sub(/[ \t]#.*$/, "", line)
      for (n = 1; n <= count; n++) find_name(name[n])
      find_all("[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+(/[0-9]+)?", "[0-9.]", "ipv4")
      find_all("[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f]*(/[0-9]+)?", "[0-9A-Za-z:]", "colons")
      if (match(line, /[A-Za-z][A-Za-z0-9_-]*:[ \t]*$/)) above = substr(line, RSTART, RLENGTH)
    }
    function find_name(wanted, from, at, before, after) {
      for (from = 1; (at = index(tolower(substr(line, from)), wanted)) > 0; from += at) {
        before = from + at - 2 < 1 ? "" : substr(line, from + at - 2, 1)
        after = substr(line, from + at - 1 + length(wanted), 1)
        if (before !~ /[A-Za-z0-9_.-]/ && after !~ /[A-Za-z0-9_-]/) tell("name", from + at - 1, wanted)
      }
    }
    function find_all(pattern, part, kind, from, at, width, before, after, found) {
      for (from = 1; match(substr(line, from), pattern) > 0; from = at + width) {
        at = from + RSTART - 1; width = RLENGTH
        before = at < 2 ? "" : substr(line, at - 1, 1)
        after = substr(line, at + width, 1)
        found = substr(line, at, width)
        if (before ~ part || after ~ part) continue
        if (kind == "colons") tell_colons(at, found); else tell(kind, at, found)
      }
    }
    function tell_colons(at, found, colons, copy) {
      copy = found
      colons = gsub(/:/, "", copy)
      if (colons == 5 && length(found) == 17) tell("mac", at, found)
      else if (found ~ /::./ || found ~ /.::/ || colons == 7) tell("ipv6", at, found)
    }
    function tell(kind, at, found) { print "reference", area, substr(FILENAME, length(root) + 1), FNR, kind, setting(at), found }
    function setting(at, before, key) {
      before = substr(line, 1, at - 1)
      key = above
      if (match(before, /^[ \t]*[A-Za-z][A-Za-z0-9_-]*[ \t]+$/)) key = before
      while (match(before, /[A-Za-z][A-Za-z0-9_-]*["\047]*[ \t]*[:=]/)) {
        key = substr(before, RSTART, RLENGTH)
        before = substr(before, RSTART + RLENGTH)
      }
      if (match(before, /--[A-Za-z][A-Za-z0-9-]*[ \t]+["\047]*$/)) key = substr(before, RSTART, RLENGTH)
      gsub(/[^A-Za-z0-9_-]/, "", key)
      sub(/^-+/, "", key)
      return key
    }' "$@"
}

# ---- how kubelet joins the cluster

joining() {
  flags=$(kubelet_flags)
  for flag in kubeconfig bootstrap-kubeconfig; do
    path=$(printf '%s\n' "$flags" | sed -n "s/^--${flag}=//p;/^--$flag\$/{n;p;}" | sed -n 1p)
    case $flag:$path in
      kubeconfig:) set -- /var/lib/kubelet/kubeconfig /etc/kubernetes/kubelet.conf ;;
      bootstrap-kubeconfig:) set -- /var/lib/kubelet/bootstrap-kubeconfig /etc/kubernetes/bootstrap-kubelet.conf ;;
      *) set -- "$path" ;;
    esac
    for path; do
      [ ! -f "$root$path" ] || credential "$flag" "$path"
    done
  done
  for unit in headstart-node.service secure-tls-bootstrap.service nodeadm-run.service kops-configuration.service; do
    for link in "$root"/etc/systemd/system/*.wants/"$unit"; do
      [ ! -L "$link" ] || say joins-by-unit "$unit"
    done
  done
}

# Prefer the running kubelet: a script may have assembled its command line.
kubelet_flags() {
  for process in "$root"/proc/[0-9]*; do
    [ "$(cat "$process/comm" 2>/dev/null)" = kubelet ] || continue
    tr '\000' '\n' <"$process/cmdline"
    return 0
  done
  for file in $(present "$root"/etc/default/kubelet* "$root/etc/sysconfig/kubelet" "$root"/var/lib/kubelet/*.env \
    "$root/etc/systemd/system/kubelet.service" "$root"/etc/systemd/system/kubelet.service.d/*.conf \
    "$root/usr/lib/systemd/system/kubelet.service" "$root"/usr/lib/systemd/system/kubelet.service.d/*.conf \
    "$root/lib/systemd/system/kubelet.service"); do
    grep -v '^[[:space:]]*#' "$file" | tr ' ' '\n' | tr '"' '\n' | sed -n '/^.*--[a-z-]*kubeconfig=/s/^.*--/--/p'
  done
}

# credential ROLE PATH: print the client credentials of a kubeconfig
credential() {
  found=
  for data in $(value_of client-certificate-data "$2"); do
    found=yes
    printf '%s' "$data" | base64 -d 2>/dev/null | certificates "$1" "$2"
  done
  for file in $(value_of client-certificate "$2"); do
    found=yes
    if [ -f "$root$file" ]; then certificates "$1" "$2" <"$root$file"; else say credential "$1" "$2" missing "$file"; fi
  done
  for token in $(value_of token "$2"); do
    found=yes
    token_facts "$1" "$2" "$token"
  done
  for file in $(value_of tokenFile "$2"); do
    found=yes
    if [ -f "$root$file" ]; then token_facts "$1" "$2" "$(first_line "$file")"; else say credential "$1" "$2" missing "$file"; fi
  done
  if grep -q '^[^#]*exec"\{0,1\}:' "$root$2"; then
    found=yes
    command=$(value_of command "$2" | sed -n 1p)
    say credential "$1" "$2" exec "${command##*/}"
  fi
  [ -n "$found" ] || say credential "$1" "$2" nothing
}

# value_of KEY PATH
value_of() {
  sed -n "/^[[:space:]]*#/d;s/^[^#]*[[:space:]{,\"]$1\"\{0,1\}:[[:space:]]*[\"']\{0,1\}\([^\"',}[:space:]]*\).*/\1/p;s/^$1:[[:space:]]*[\"']\{0,1\}\([^\"',}[:space:]]*\).*/\1/p" "$root$2"
}

# The first certificate on stdin names the client. It is not secret.
certificates() {
  body=$(tr -d '\r' | sed -n '/BEGIN CERTIFICATE/,/END CERTIFICATE/{
    /BEGIN/d
    /END/q
    p
  }' | tr -d ' \n')
  say credential "$1" "$2" certificate "$body"
}

# Never prints the token: only the id of a bootstrap token or the expiry of a signed token.
token_facts() {
  if printf '%s\n' "$3" | grep -q '^[a-z0-9]\{6\}\.[a-z0-9]\{16\}$'; then
    say credential "$1" "$2" token "id=${3%%.*}"
    return 0
  fi
  case $3 in
    eyJ*.*.*)
      claims=${3#*.}
      claims=$(printf '%s==' "${claims%%.*}" | tr '_-' '/+' | base64 -d 2>/dev/null)
      say credential "$1" "$2" token "expires=$(printf '%s\n' "$claims" | sed -n 's/.*"exp":[[:space:]]*\([0-9]*\).*/\1/p')"
      ;;
    *) say credential "$1" "$2" token '' ;;
  esac
}

# ---- the custom data of the first boot

# Prefer the platform's copy to the one that cloud-init keeps.
give_custom_data() {
  [ -n "$custom_data" ] || return 0
  delivered=$(sed -n 's/.*<[a-zA-Z0-9]*:\{0,1\}CustomData>\([^<]*\)<.*/\1/p' "$root/var/lib/waagent/ovf-env.xml" 2>/dev/null |
    tr -d ' \r\n')
  if [ -n "$delivered" ]; then
    say custom-data /var/lib/waagent/ovf-env.xml "$delivered"
    return 0
  fi
  folder=$(readlink "$root/var/lib/cloud/instance" 2>/dev/null)
  for file in "$root${folder:-/var/lib/cloud/instance}/user-data.txt" "$root/var/lib/cloud/instance/user-data.txt"; do
    [ -s "$file" ] || continue
    say custom-data "${file#"$root"}" "$(base64 <"$file" | tr -d '\n')"
    return 0
  done
}

# ---- the protected settings of extensions

# The agent keeps them encrypted for a certificate whose key is beside them. The cloud never returns them.
give_protected_settings() {
  [ -n "$custom_data" ] || return 0
  for folder in "$root"/var/lib/waagent/*-*/config; do
    [ -d "$folder" ] || continue
    handler=${folder%/config}
    for file in $(newest_settings "$folder"); do
      protected_settings "${handler##*/}" "$folder/$file"
    done
  done
}

# newest_settings FOLDER: print the file with the highest number of each extension: 3.settings, or NAME.3.settings
newest_settings() {
  for file in $(present "$1"/*.settings); do printf '%s\n' "${file##*/}"; done | awk '{
    base = substr($0, 1, length($0) - length(".settings"))
    number = base
    sub(/^.*[.]/, "", number)
    if (number !~ /^[0-9]+$/) next
    name = substr(base, 1, length(base) - length(number))
    if (!(name in newest) || number + 0 > newest[name] + 0) { newest[name] = number; file[name] = $0 }
  } END { for (name in file) print file[name] }' | sort
}

# protected_settings HANDLER FILE: print `none`, `unreadable`, or `opened` and the settings in base64
protected_settings() {
  base=${2##*/}
  base=${base%.settings}
  case $base in *.*) name=${base%.*} ;; *) name= ;; esac
  # A serializer may escape characters of base64.
  sealed=$(tr -d '\r\n' <"$2" | sed -n 's/.*"protectedSettings"[[:space:]]*:[[:space:]]*"\([^"]*\)".*/\1/p' |
    sed 's/\\[rn]//g;s/\\u002[bB]/+/g;s/\\u002[fF]/\//g;s/\\u003[dD]/=/g;s/\\//g')
  if [ -z "$sealed" ]; then
    say protected-settings "$1" "$name" "${2#"$root"}" none
    return 0
  fi
  thumbprint=$(tr -d '\r\n' <"$2" |
    sed -n 's/.*"protectedSettingsCertThumbprint"[[:space:]]*:[[:space:]]*"\([0-9A-Fa-f]*\)".*/\1/p' | tr '[:lower:]' '[:upper:]')
  opened=
  for key in "$root/var/lib/waagent/$thumbprint.prv"; do
    [ -s "$key" ] || continue
    opened=$(printf '%s' "$sealed" | base64 -d 2>/dev/null |
      openssl cms -decrypt -inform DER -recip "${key%.prv}.crt" -inkey "$key" 2>/dev/null | base64 | tr -d '\n')
  done
  if [ -n "$opened" ]; then say protected-settings "$1" "$name" "${2#"$root"}" opened "$opened"
  else say protected-settings "$1" "$name" "${2#"$root"}" unreadable; fi
}

say headstart-inspect 1
machine
patches
references
joining
give_custom_data
give_protected_settings
say end
