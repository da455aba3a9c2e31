// node/document/schema/formats.ts: which values does a field of a node config accept? Labels, kernel settings, units, kubelet flags,
// amounts and expressions, for all versions; src/schema/formats.ts has the formats that other documents also use.
import * as z from 'zod/mini';
import { integer, judged, line, matching } from '../../../schema/formats.ts';
import { pathProblem } from '../../desired/allowed-paths.ts';
import { type ExpressionType, isExpression, parseExpression } from '../expression.ts';
import { BYTES_PATTERN, CPU_PATTERN, parseBytes, parseCpu } from '../quantity.ts';

export * from '../../../schema/formats.ts';

export const writablePath = () => judged('writable-path', pathProblem, 1024);
export const sshKey = () =>
  matching(
    /^(?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]{40,4000}={0,2}(?: [^\u0000-\u001f\u007f]*)?$/,
    'is not one authorized_keys line without options',
    4400,
  );

export const labelKey = () => judged('label-key', labelKeyProblem, 317);
export const taintKey = () =>
  judged('taint-key', (text) => (isQualifiedName(text) ? undefined : 'is not a key such as example.com/name'), 317);
export const labelValue = () =>
  matching(/^(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/, 'is not a label value', 63);
export const bootstrapToken = () => matching(/^[a-z0-9]{6}\.[a-z0-9]{16}$/, 'is not a bootstrap token', 23);

export const sysctlKey = () =>
  matching(/^[a-z][a-z0-9_-]*(?:[./][A-Za-z0-9_-]+)+$/, 'is not a kernel setting such as net.ipv4.ip_forward', 200);
export const sysctlValue = () => z.union([integer(-(2 ** 40), 2 ** 40), line(256)]);
/** Starts with a letter or digit: in v1, modules are keys, and `__proto__` must not be one. */
export const moduleName = () => matching(/^[A-Za-z0-9][A-Za-z0-9_-]*$/, 'is not the name of a kernel module', 64);
export const moduleParameter = () => matching(/^[A-Za-z0-9_.,:/+-]+$/, 'is not a value for a module parameter', 200);
export const limitItem = () => matching(/^[a-z]+$/, 'is not an item of limits.conf such as nofile', 16);
export const limitValue = () => z.union([z.literal('unlimited'), integer(-1, 2 ** 40)]);

export const systemdUnitName = () => judged('unit-name', unitNameProblem, 200);
export const dropInName = () =>
  matching(/^[A-Za-z0-9][A-Za-z0-9_-]*\.conf$/, 'is not a file name such as 50-limits.conf', 100);
export const credentialName = () => matching(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, 'is not the name of a credential', 100);
export const environmentName = () => matching(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable', 100);
export const flagName = () => judged('kubelet-flag', flagProblem, 64);
export const flagValue = () => matching(/^[\x21-\x7e]*$/, 'is not printable ASCII without spaces', 1024);
export const noProxyEntry = () =>
  matching(/^[A-Za-z0-9.*:/_[\]-]+$/, 'is not a host, a domain or an address range', 253);
export const gateName = () => matching(/^[A-Za-z][A-Za-z0-9]*$/, 'is not the name of a feature gate', 100);
export const featureName = () => matching(/^[a-z][a-zA-Z0-9-]*$/, 'is not the name of a feature', 63);

export const registryHost = () =>
  matching(
    /^(?:_default|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*(?::\d{1,5})?)$/,
    'is not a registry host',
  );
export const runtimeName = () => matching(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'is not the name of a runtime', 63);
export const runtimeType = () =>
  matching(/^[a-z][a-z0-9]*(?:\.[a-z0-9]+)+$/, 'is not a runtime such as io.containerd.runc.v2', 128);

export const evictionSignal = () =>
  matching(
    /^(?:memory\.available|pid\.available|(?:nodefs|imagefs|containerfs)\.(?:available|inodesFree))$/,
    'is not an eviction signal such as memory.available',
  );
export const evictionThreshold = () =>
  matching(/^(?:\d{1,2}(?:\.\d{1,3})?%|\d{1,15}(?:[KMGT]i|[kMGT])?)$/, 'is not an amount such as 100Mi or 5%', 32);

export function count(minimum: number, maximum: number) {
  return z.union([integer(minimum, maximum), expression('number')]);
}

export function bytes(minimum = 0) {
  return z.union([integer(minimum, 2 ** 50), amount('bytes', BYTES_PATTERN, parseBytes, 'such as 255Mi')]);
}

export function cpu() {
  return z.union([
    z.number().check(z.minimum(0), z.maximum(10_000)),
    amount('number', CPU_PATTERN, parseCpu, 'such as 100m'),
  ]);
}

function expression(type: ExpressionType) {
  return judged(`expression-${type}`, (text) => expressionProblem(text, type), 400);
}

function amount(type: ExpressionType, pattern: RegExp, parse: (text: string) => number | undefined, example: string) {
  return judged(
    type === 'bytes' ? 'bytes' : 'cpu',
    (text) => {
      if (isExpression(text)) return expressionProblem(text, type);
      return pattern.test(text) && parse(text) !== undefined ? undefined : `is not an amount ${example}`;
    },
    400,
  );
}

function expressionProblem(text: string, type: ExpressionType): string | undefined {
  if (!isExpression(text)) return "is neither a number nor an expression such as '= min(110, cpu * 10)'";
  const parsed = parseExpression(text, type);
  return 'problem' in parsed ? parsed.problem : undefined;
}

function unitNameProblem(text: string): string | undefined {
  const suffixes = 'service|socket|target|timer|path|mount|automount|slice|swap';
  if (!new RegExp(`^[A-Za-z0-9_][A-Za-z0-9:_.@\\\\-]*\\.(?:${suffixes})$`).test(text))
    return 'is not the name of a unit';
  return text.startsWith('headstart') ? 'is reserved for headstart' : undefined;
}

const QUALIFIED =
  /^(?:(?<prefix>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)\/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

function isQualifiedName(text: string): boolean {
  return QUALIFIED.test(text);
}

/** Labels below kubernetes.io and k8s.io that NodeRestriction lets kubelet set on its own Node. */
const OWN_LABELS = [
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

function labelKeyProblem(text: string): string | undefined {
  const prefix = QUALIFIED.exec(text)?.groups?.prefix;
  if (prefix === undefined) return isQualifiedName(text) ? undefined : 'is not a label such as example.com/name';
  const isUnder = (domain: string) => prefix === domain || prefix.endsWith(`.${domain}`);
  if (!isUnder('kubernetes.io') && !isUnder('k8s.io')) return undefined;
  if (OWN_LABELS.includes(text) || isUnder('kubelet.kubernetes.io') || isUnder('node.kubernetes.io')) return undefined;
  return 'is a label that a node may not set on itself; let a controller set it';
}

/** Flags that headstart sets from other fields, or that would bypass its configuration. */
export const OWN_FLAGS = [
  'bootstrap-kubeconfig',
  'cert-dir',
  'config',
  'config-dir',
  'container-runtime-endpoint',
  'exit-on-lock-contention',
  'help',
  'hostname-override',
  'image-credential-provider-bin-dir',
  'image-credential-provider-config',
  'kubeconfig',
  'lock-file',
  'node-ip',
  'node-labels',
  'register-with-taints',
  'root-dir',
  'runonce',
  'v',
  'version',
];

function flagProblem(text: string): string | undefined {
  if (!/^[a-z][a-z0-9-]*$/.test(text)) return 'is not a flag name without leading dashes';
  return OWN_FLAGS.includes(text) ? 'is a flag that headstart sets itself' : undefined;
}
