// identity/testing.ts: machines for tests: made-up identities, and folders that the collect script reads like a machine.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { COLLECT_SCRIPT } from './collect-script.ts';
import type { IdentityFact, MachineIdentity } from './identity.ts';
import { FACT_NAMES, type FactName } from './items.ts';
import { parseIdentity } from './parse-identity.ts';

/** Every fact is known and differs from those of a machine with another name. */
export function anIdentity(name: string, changes: Partial<Record<FactName, IdentityFact>> = {}): MachineIdentity {
  const facts = Object.fromEntries(FACT_NAMES.map((item) => [item, { values: [{ value: `${item} of ${name}` }] }]));
  return {
    name,
    facts: { ...(facts as Record<FactName, IdentityFact>), ...changes },
    clock: { offsetMs: 0, errorMs: 1 },
  };
}

export interface FakeMachine {
  root: string;
  put(path: string, text: string): void;
  read(path: string): string;
  /** Runs the script on the folder. */
  output(): string;
  identity(): MachineIdentity;
}

const hex = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length);
const uuid = (text: string) => hex(text, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** Like a node made from our image. All of its items are known and are its own. */
export function fakeMachine(name: string): FakeMachine {
  const root = mkdtempSync(join(tmpdir(), 'headstart-identity-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const octet = (text: string) => Number.parseInt(hex(`${text} ${name}`, 2), 16);
  put('etc/machine-id', `${hex(`machine ${name}`, 32)}\n`);
  put('proc/sys/kernel/random/boot_id', `${uuid(`boot ${name}`)}\n`);
  put('sys/class/dmi/id/product_uuid', `${uuid(`vm ${name}`)}\n`);
  put('proc/sys/kernel/hostname', `${name}\n`);
  put('sys/class/net/eth0/address', `52:54:00:${hex(name, 6).replace(/(..)(?=.)/g, '$1:')}\n`);
  put('sys/class/net/eth0/device/vendor', '0x1af4\n');
  put('sys/class/net/cni0/address', '0a:58:0a:f4:00:01\n');
  put(
    'addresses',
    addressLine('eth0', `10.0.${octet('third')}.${octet('fourth')}`) + addressLine('cni0', '10.244.0.1'),
  );
  const lease = [
    `ADDRESS=10.0.${octet('third')}.${octet('fourth')}`,
    'SERVER_ADDRESS=10.0.0.1',
    `CLIENTID=ff${hex(`duid ${name}`, 36)}`,
  ];
  put('run/systemd/netif/leases/2', `# This is private data. Do not parse.\n${lease.join('\n')}\n`);
  put('etc/ssh/ssh_host_ed25519_key.pub', `ssh-ed25519 AAAA${hex(`ssh ${name}`, 40)} root@${name}\n`);
  put('etc/ssh/ssh_host_ed25519_key', `${SECRET}\n`);
  put('var/lib/kubelet/pki/kubelet-client-current.pem', kubeletPem(name));
  put('var/lib/systemd/random-seed', hex(`seed ${name}`, 64));
  put('dev/urandom', hex(`random ${name}`, 64));
  mkdirSync(join(root, 'run/systemd/units'), { recursive: true });
  symlinkSync(hex(`containerd ${name}`, 32), join(root, 'run/systemd/units/invocation:containerd.service'));
  // `ip` cannot look into a folder.
  put('bin/ip', `#!/bin/sh\ncat '${root}/addresses'\n`);
  chmodSync(join(root, 'bin/ip'), 0o755);
  const output = () =>
    execFileSync('sh', ['-c', COLLECT_SCRIPT, 'sh', root, join(root, 'bin/ip')], {
      encoding: 'utf8',
      env: { PATH: `${join(root, 'bin')}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return { root, put, read, output, identity: () => parseIdentity(name, output())!.identity };
}

/** In private keys; no output may contain it. */
export const SECRET = 'canary-0815';

export const addressLine = (interfaceName: string, address: string) =>
  `2: ${interfaceName}    inet ${address}/24 brd 10.0.0.255 scope global ${interfaceName}\\       valid_lft forever preferred_lft forever\n`;

/** A certificate of a node, and a private key that only looks like one. */
export function kubeletPem(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-pem-'));
  try {
    const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
    const subject = ['-subj', `/O=system:nodes/CN=system:node:${name}`];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
    return `${readFileSync(certificate, 'utf8')}-----BEGIN EC PRIVATE KEY-----\n${SECRET}\n-----END EC PRIVATE KEY-----\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
