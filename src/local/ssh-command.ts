// local/ssh-command.ts: the ssh command line. It trusts only host keys from the guest agent and ignores the user's configuration.

export interface SshTarget {
  /** The instance's name, under which known_hosts has its host keys. */
  name: string;
  /** On 127.0.0.1. */
  port: number;
  identityFile: string;
  knownHostsFile: string;
}

export function sshArgv(target: SshTarget, command: readonly string[]): [string, ...string[]] {
  const settings = [
    'StrictHostKeyChecking=yes',
    `HostKeyAlias=${target.name}`,
    `UserKnownHostsFile=${quoted(target.knownHostsFile)}`,
    'GlobalKnownHostsFile=/dev/null',
    `IdentityFile=${quoted(target.identityFile)}`,
    'IdentitiesOnly=yes',
    'ForwardAgent=no',
    'LogLevel=ERROR',
  ];
  const options = settings.flatMap((setting) => ['-o', setting]);
  return ['ssh', '-F', 'none', ...options, '-p', String(target.port), '-l', 'root', '--', '127.0.0.1', ...command];
}

/** ssh splits option values at blanks and expands percent signs. */
function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

/**
 * For `sh -s` as root: authorizes the key, once, and prints the host keys. cloud-init adds the key for root with a forced command that
 * refuses the login, and sshd uses the first line with the key, so that line is replaced.
 */
export function admitScript(publicKey: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `set -eu
umask 077
key=${quote(publicKey)}
body=${quote(publicKey.split(' ')[1] ?? publicKey)}
file=/root/.ssh/authorized_keys
mkdir -p /root/.ssh
if [ "$(grep -F -e "$body" "$file" 2>/dev/null | head -n 1)" != "$key" ]; then
  { grep -v -F -e "$body" "$file" 2>/dev/null || :; printf '%s\\n' "$key"; } >"$file.headstart"
  mv "$file.headstart" "$file"
fi
cat /etc/ssh/ssh_host_*_key.pub
`;
}

/** Lines of a known_hosts file. Skips other output of the guest. */
export function knownHosts(name: string, printed: string): string {
  const keys = printed
    .split('\n')
    .flatMap((line) => /^((?:ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2})(?: |$)/.exec(line)?.[1] ?? []);
  return keys.map((key) => `${name} ${key}\n`).join('');
}
