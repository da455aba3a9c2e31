// identity/parse-identity.ts: from the output of the collect script to the facts of a machine. Pure.
import { createHash, X509Certificate } from 'node:crypto';
import type { FactValue, IdentityFact, MachineIdentity } from './identity.ts';
import { FACT_NAMES, type FactName } from './items.ts';

/** They identify a machine confidentially or come from a secret, so only a hash leaves this function. */
const HASHED: ReadonlySet<string> = new Set([
  'machine-id',
  'boot-id',
  'product-uuid',
  'dhcp-client',
  'ssh-host-key',
  'kubelet-key',
  'kubelet-certificate',
  'random-seed',
  'random-bytes',
]);
/** What a value must look like; a file that says something else, such as `uninitialized`, identifies nothing. */
const FORMS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    'machine-id': /^[0-9a-f]{32}$/,
    'boot-id': /^[0-9a-f-]{36}$/,
    'product-uuid': /^(?!0{8}-0{4}-)(?!f{8}-f{4}-)[0-9a-f-]{36}$/,
    // Not the hash of nothing, which is what an empty seed file gives.
    'random-bytes': /^(?!e3b0c44298fc1c149afbf4c8996fb924)[0-9a-f]{64}$/,
    'random-seed': /^(?!e3b0c44298fc1c149afbf4c8996fb924)[0-9a-f]{64}$/,
  }),
);
const MOST_CHARS = 300;

export interface ParsedIdentity {
  identity: MachineIdentity;
  /** The machine's clock when the script ended. */
  takenMs?: number;
}

/** Undefined: the script did not run to its end. */
export function parseIdentity(name: string, output: string): ParsedIdentity | undefined {
  const lines = output.split('\n').map((line) => line.split('\t'));
  if (lines[0]?.[0] !== 'headstart-identity 1' || lines.at(-2)?.[0] !== 'end') return undefined;
  const values = new Map<string, FactValue[]>();
  const reasons = new Map<string, string>();
  const add = (item: string, value: string, of = '') => {
    const usable = clean(item, value);
    if (usable === undefined) reasons.set(item, 'its value is not valid');
    else values.set(item, [...(values.get(item) ?? []), { value: usable, ...(of && { of: of.slice(0, MOST_CHARS) }) }]);
  };
  for (const [item = '', of = '', value = ''] of lines) {
    if (item === '?') reasons.set(of, value.slice(0, MOST_CHARS));
    else if (item === 'certificate') for (const [part, text] of partsOf(value)) add(part, text);
    else add(item, value, of);
  }
  const noCertificate = reasons.get('certificate');
  const factOf = (item: FactName): IdentityFact => {
    const known = values.get(item);
    if (known) return { values: known };
    const isCertificate = item === 'kubelet-certificate' || item === 'kubelet-key' || item === 'node-name';
    return { unknown: reasons.get(item) ?? (isCertificate ? noCertificate : undefined) ?? 'not found on the machine' };
  };
  const facts = Object.fromEntries(FACT_NAMES.map((item) => [item, factOf(item)])) as Record<FactName, IdentityFact>;
  const takenMs = Number(values.get('time')?.[0]?.value) / 1e6;
  return { identity: { name, facts }, ...(Number.isFinite(takenMs) && { takenMs }) };
}

function clean(item: string, value: string): string | undefined {
  const text = value.trim();
  const lower = item === 'ssh-host-key' || item.startsWith('kubelet-') ? text : text.toLowerCase();
  if (lower === '' || FORMS.get(item)?.test(lower) === false) return undefined;
  return HASHED.has(item) ? hashOf(item, lower) : lower.slice(0, MOST_CHARS);
}

/** The name of the item is part of the hash, as systemd recommends for what leaves a machine instead of its id. */
function hashOf(item: string, value: string): string {
  return createHash('sha256').update(`headstart-identity\0${item}\0${value}`).digest('hex');
}

function partsOf(base64: string): [item: FactName, text: string][] {
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const name = /^CN=system:node:(.+)$/m.exec(certificate.subject)?.[1];
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('hex');
    return [
      ['kubelet-certificate', certificate.fingerprint256],
      ['kubelet-key', key],
      ...(name === undefined ? [] : [['node-name', name] satisfies [FactName, string]]),
    ];
  } catch {
    return []; // not a certificate: its items are unknown
  }
}
