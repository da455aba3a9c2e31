// sims/azure/compute/extension-settings.ts: which files does the guest agent keep for an instance's extensions? As on a real VM,
// protected settings are encrypted for a certificate whose key is beside them.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface InstalledExtension {
  name: string;
  publisher: string;
  type: string;
  settings?: unknown;
  protectedSettings?: unknown;
}

/** Path → text. Needs openssl for protected settings. */
export function agentFiles(extensions: readonly InstalledExtension[]): Record<string, string> {
  const files: Record<string, string> = {};
  const isSealing = extensions.some(({ protectedSettings }) => protectedSettings !== undefined);
  const sealer = isSealing ? sharedSealer() : undefined;
  for (const { publisher, type, settings, protectedSettings } of extensions) {
    const handlerSettings = {
      publicSettings: settings ?? {},
      ...(protectedSettings !== undefined && {
        protectedSettings: sealer!.seal(JSON.stringify(protectedSettings)),
        protectedSettingsCertThumbprint: sealer!.thumbprint,
      }),
    };
    const text = JSON.stringify({ runtimeSettings: [{ handlerSettings }] });
    files[`/var/lib/waagent/${publisher}.${type}-1.0.0/config/0.settings`] = text;
  }
  return { ...files, ...sealer?.files };
}

/** One key for all machines of a process: making one takes longer than everything else. */
let shared: Sealer | undefined;

function sharedSealer(): Sealer {
  shared ??= makeSealer();
  return shared;
}

export interface Sealer {
  thumbprint: string;
  /** The certificate and its key, as the agent stores them. */
  files: Record<string, string>;
  /** Base64 of a CMS message. */
  seal(text: string): string;
}

export function makeSealer(): Sealer {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-sealer-'));
  const [key, certificate] = [join(folder, 'key'), join(folder, 'certificate')];
  const openssl = (args: string[], input = '') =>
    execFileSync('openssl', args, { input, stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '365', '-subj', '/CN=agent'];
    openssl([...request, '-keyout', key, '-out', certificate]);
    const shown = openssl(['x509', '-in', certificate, '-noout', '-fingerprint', '-sha1']).toString();
    const thumbprint = shown.split('=')[1]!.replaceAll(':', '').trim();
    const pem = readFileSync(certificate, 'utf8');
    const files = {
      [`/var/lib/waagent/${thumbprint}.crt`]: pem,
      [`/var/lib/waagent/${thumbprint}.prv`]: readFileSync(key, 'utf8'),
    };
    return { thumbprint, files, seal: (text) => sealFor(pem, text) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sealFor(certificate: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-sealer-'));
  try {
    const file = join(folder, 'certificate');
    writeFileSync(file, certificate);
    const args = ['cms', '-encrypt', '-binary', '-outform', 'DER', '-aes256', file];
    return execFileSync('openssl', args, { input: text, stdio: ['pipe', 'pipe', 'ignore'] }).toString('base64');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
