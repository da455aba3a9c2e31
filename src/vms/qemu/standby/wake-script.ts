// vms/qemu/standby/wake-script.ts: the program that a resumed guest runs first: it sets the clock, adds entropy, and ends the connections to
// the API server, which died with the old process.

/**
 * Perl, because it is in every Debian and Ubuntu image, starts in milliseconds and can make system calls. Arguments: the time in
 * nanoseconds at the start of the program (`add:N`: what to add to the clock), and the API server's address and port as /proc/net/tcp shows them (empty: leave connections alone). Standard input: entropy.
 * `shutdown` on a copy of the socket ends it cleanly, so that clients reconnect at once; a reset (`ss -K`) makes them back off for a second.
 */
export const WAKE_SCRIPT = String.raw`use strict; use warnings; use Config;
my ($now, $peer) = @ARGV;
my $arm = $Config{archname} =~ /^aarch64/;
open my $random, '+<', '/dev/urandom' or die "urandom: $!";
binmode $random;
exit 0 if $now eq 'rehearse';
my $isStep = $now =~ s/^add://;
$now += $isStep ? clockNow() : int(1000000000 * sinceStart());
my $seconds = int($now / 1000000000);
my $timespec = pack('q<q<', $seconds, $now - $seconds * 1000000000);
my $set = syscall($arm ? 112 : 227, 0, $timespec);
print "clock=", ($set == 0 ? 'set' : "failed: $!"), "\n";
binmode STDIN;
my $entropy = '';
while (sysread STDIN, my $part, 4096) { $entropy .= $part }
if (length $entropy) {
  my $info = pack('i!i!a*', 8 * length $entropy, length $entropy, $entropy);
  my $added = ioctl($random, 0x40085203, $info) && ioctl($random, 0x5207, 0);
  print 'entropy=', ($added ? 'added' : "failed: $!"), "\n";
}
my %peers;
if (length $peer) {
  for my $table ('/proc/net/tcp', '/proc/net/tcp6') {
    open my $f, '<', $table or next;
    while (<$f>) {
      my @field = split;
      $peers{$field[9]} = 1 if @field > 9 && $field[3] eq '01' && $field[2] =~ /\Q$peer\E$/;
    }
  }
}
my $cut = 0;
for my $pid (%peers ? (kubelet(), map { m{(\d+)$} } glob('/proc/[0-9]*')) : ()) {
  last unless %peers;
  my $path = "/proc/$pid/fd";
  opendir my $dir, $path or next;
  for my $number (readdir $dir) {
    my $target = readlink "$path/$number" or next;
    my ($inode) = $target =~ /^socket:\[(\d+)\]$/ or next;
    next unless $peers{$inode};
    my $process = syscall(434, $pid + 0, 0);
    next if $process < 0;
    my $copy = syscall(438, $process, $number + 0, 0);
    syscall(3, $process) unless $arm;
    next if $copy < 0;
    open my $socket, '+<&=', $copy or next;
    $cut++ if shutdown $socket, 2;
    close $socket;
    delete $peers{$inode};
  }
}
print "connections=$cut\n";
print 'time=', clockNow(), "\n";
sub clockNow {
  my $read = pack('q<q<', 0, 0);
  syscall($arm ? 113 : 228, 0, $read);
  my ($whole, $rest) = unpack('q<q<', $read);
  return $whole * 1000000000 + $rest;
}
# The time that we were given is that of our start. On a busy machine, perl alone takes seconds to get here.
sub sinceStart {
  my ($up) = split ' ', do { open my $f, '<', '/proc/uptime' or return 0; <$f> };
  my $stat = do { open my $f, '<', '/proc/self/stat' or return 0; <$f> };
  my $ticks = (split ' ', substr $stat, rindex($stat, ')') + 2)[19];
  my $since = $up - $ticks / 100;
  return $since > 0 ? $since : 0;
}
# First: the node is Ready when kubelet has reconnected.
sub kubelet {
  open my $f, '<', '/sys/fs/cgroup/system.slice/kubelet.service/cgroup.procs' or return;
  return map { /(\d+)/ } <$f>;
}
`;

/** `168.0.0.10:6443` as the kernel's tables show it on a little-endian machine: `0A0000A8:192B`. */
export function peerInTables(address: string, port: number): string {
  const bytes = address.split('.').map((part) => Number(part).toString(16).padStart(2, '0').toUpperCase());
  return `${bytes.reverse().join('')}:${port.toString(16).padStart(4, '0').toUpperCase()}`;
}
