// identity/collect-script.ts: the program that reads on a machine what identifies it.

/**
 * POSIX shell, for Debian, Ubuntu and images without perl. Its argument is the root folder; empty: the running system. A second one is
 * run instead of `ip`, which cannot look into a folder. It writes nothing
 * and starts five programs (ls, ip, head, sha256sum, date), because starting one takes several milliseconds in an emulated guest.
 * Lines are `item TAB of TAB value`, or `? TAB item TAB reason`. Secrets stay in the guest: of the seed and the random bytes it prints
 * hashes, of keys only the public part, and of kubelet's file, which has key and certificate, only the certificate.
 */
export const COLLECT_SCRIPT = `set -u
PATH=\${PATH:-}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
root=$1
ip=\${2:-ip}
say() { printf '%s\\t%s\\t%s\\n' "$1" "$2" "$3"; }
unknown() { printf '?\\t%s\\t%s\\n' "$1" "$2"; }

# The first line of a file, in $line. 1: the reason is in $why.
first_line() {
  line=
  if [ ! -e "$root$1" ]; then why="$1 does not exist"; return 1; fi
  { read -r line; } 2>/dev/null <"$root$1" || :
  if [ -z "$line" ]; then why="$1 is empty or cannot be read"; return 1; fi
}
fact() {
  if first_line "$2"; then say "$1" '' "$line"; else unknown "$1" "$why"; fi
}

echo 'headstart-identity 1'
fact machine-id /etc/machine-id
fact boot-id /proc/sys/kernel/random/boot_id
fact product-uuid /sys/class/dmi/id/product_uuid
fact host-name /proc/sys/kernel/hostname

# Interfaces with hardware, and those on top of one (bridge, bond, VLAN): a bridge of pods has the same address on many nodes.
interfaces=' '
for folder in "$root"/sys/class/net/*; do
  interface=\${folder##*/}
  if [ -e "$folder/device" ]; then
    interfaces="$interfaces$interface "
    if first_line "/sys/class/net/$interface/address"; then say mac-address "$interface" "$line"; fi
  fi
  for lower in "$folder"/lower_*; do
    if [ -e "$root/sys/class/net/\${lower##*/lower_}/device" ]; then interfaces="$interfaces$interface "; fi
  done
done
if shown=$("$ip" -o addr show scope global 2>/dev/null); then
  while read -r number interface family address rest; do
    interface=\${interface%%@*}
    case $interfaces in
      *" $interface "*) say ip-address "$interface" "\${address%%/*}" ;;
    esac
  done <<END
$shown
END
else
  unknown ip-address 'the program ip is not installed or failed'
fi

for lease in "$root"/run/systemd/netif/leases/* "$root"/var/lib/NetworkManager/internal-*.lease; do
  [ -f "$lease" ] || continue
  while IFS='=' read -r key value; do
    case $key in
      ADDRESS) say dhcp-lease "\${lease#"$root"}" "$value" ;;
      CLIENTID) say dhcp-client "\${lease#"$root"}" "$value" ;;
    esac
  done 2>/dev/null <"$lease"
done
# The file of dhclient has one lease after the other; the last one counts.
for lease in "$root"/var/lib/dhcp/dhclient*.leases; do
  [ -f "$lease" ] || continue
  address= client=
  while read -r key value rest; do
    case "$key $value" in
      'fixed-address '*) address=$value ;;
      'option dhcp-client-identifier') client=$rest ;;
      default-duid*) client=$value ;;
    esac
  done 2>/dev/null <"$lease"
  [ -z "$address" ] || say dhcp-lease "\${lease#"$root"}" "\${address%;}"
  [ -z "$client" ] || say dhcp-client "\${lease#"$root"}" "\${client%;}"
done

for key in "$root"/etc/ssh/ssh_host_*_key.pub; do
  [ -f "$key" ] || continue
  { read -r type public rest; } 2>/dev/null <"$key" || [ -n "\${public:-}" ] || continue
  say ssh-host-key "$type" "$public"
done

pem=/var/lib/kubelet/pki/kubelet-client-current.pem
certificate= inside=
if [ -f "$root$pem" ]; then
  while read -r line || [ -n "$line" ]; do
    case $line in
      '-----BEGIN CERTIFICATE-----') inside=yes ;;
      '-----END CERTIFICATE-----') break ;;
      *) [ -z "$inside" ] || certificate=$certificate$line ;;
    esac
  done 2>/dev/null <"$root$pem"
  if [ -n "$certificate" ]; then say certificate '' "$certificate"
  else unknown certificate "$pem cannot be read or has no certificate"; fi
else
  unknown certificate "$pem does not exist"
fi

seed=/var/lib/systemd/random-seed
[ -e "$root$seed" ] || unknown random-seed "$seed does not exist"
head -c 32 "$root/dev/urandom" 2>/dev/null | sha256sum -- "$root$seed" - 2>/dev/null | while read -r sum name; do
  case $name in
    -) say random-bytes fresh "$sum" ;;
    *) say random-seed '' "$sum" ;;
  esac
done

# systemd keeps a link invocation:UNIT here, so its bus is not needed.
if [ -d "$root/run/systemd/units" ]; then
  ls -l "$root/run/systemd/units" 2>/dev/null | while read -r line; do
    case $line in
      *' invocation:'*' -> '*)
        unit=\${line#* invocation:}
        say invocation-id "\${unit%% -> *}" "\${unit#* -> }"
        ;;
    esac
  done
fi
say time '' "$(date +%s%N)"
echo end
`;
