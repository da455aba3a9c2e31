// cli/complete/value-kinds.ts: which kind of value does an option or argument take? Pure; look-up.ts reads the values of a kind.

/** For all others the placeholder decides: a file, a folder, or text that cannot be completed. */
const NAMED = {
  'boot chain TARGET': 'targets',
  'boot compare --target': 'targets',
  'boot what-if --target': 'targets',
  'boot --mask': 'units',
  'boot --without': 'units',
  'boot --set': 'unit-times',
  'boot what-if --after': 'unit-pairs',
  'boot --drop-after': 'orderings',
  'boot systemd UNIT': 'units',
  'boot systemd PATTERN': 'units',
  'boot --from-pattern': 'units',
  'boot --to-pattern': 'units',
  'boot --boot': 'boots',
  'boot collect --boot': 'live-boots',
  'boot --format': 'boot-formats',
  'boot check --format': 'check-formats',
  'boot cloud-init --format': 'nothing',
  'boot systemd --compat': 'systemd-versions',
  'boot cloud-init --compat': 'cloud-init-versions',
  'boot systemd plot --json': 'plot-json-forms',
  'boot --instance': 'instances',
  '--login': 'logins',
  '--cloud': 'clouds',
  '--context': 'contexts',
  '--log-level': 'log-levels',
  '--gallery': 'galleries',
  'prototype --pool': 'pools-of-vms',
  'prototype --node': 'instances-of-vms',
  'prototype rollback --to': 'rollback-versions',
  'prototype uninstall --to': 'uninstall-versions',
  'pool NAME': 'pools',
  'pool create NAME': 'nothing',
  'pool create --image': 'images',
  'pool create --cluster': 'clusters',
  'pool INSTANCE': 'instances',
  'pool --instance': 'instances',
  'pool serve --pool': 'pools',
  'pool --suite': 'suites',
  'cluster --name': 'clusters',
  'node --platform': 'platforms',
  'node --api-version': 'api-versions',
  'node convert --to': 'api-versions',
  'node convert --format': 'document-formats',
  'node wait --for': 'goals',
  'node distinct --pool': 'pools',
  'node distinct MACHINE': 'instances',
  'standby POOL': 'standby-pools',
  'standby plan POOL': 'pools',
  'image --architecture': 'architectures',
  'image --only': 'disk-formats',
  'image IMAGE/VERSION': 'published-versions',
  'sim --misbehave': 'misbehaviours',
} as const;

export type NamedKind = Exclude<(typeof NAMED)[keyof typeof NAMED], 'nothing'>;
export type ValueKind = NamedKind | 'files' | 'folders' | 'nothing';

/** `name` is an option (`--pool`) or the name of an argument. A longer path wins: `pool create NAME` before `pool NAME`. */
export function valueKindOf(
  path: string,
  name: string,
  placeholder: string,
): { kind: ValueKind; isNamed: boolean; key?: string } {
  const words = path.split(' ');
  for (let length = words.length; length >= 0; length--) {
    const key = [...words.slice(0, length), name].join(' ');
    if (isNamed(key)) return { kind: NAMED[key], isNamed: true, key };
  }
  return { kind: kindOfPlaceholder(placeholder), isNamed: false };
}

/** For the test that every key names an existing option or argument. */
export const NAMED_KEYS: readonly string[] = Object.keys(NAMED);

function isNamed(key: string): key is keyof typeof NAMED {
  return Object.hasOwn(NAMED, key);
}

const FILES = new Set(['FILE', 'PATH', 'LOCK', 'INPUT', 'BEFORE', 'AFTER', 'NOW']);
const FOLDERS = new Set(['DIR', 'FOLDER']);

/** `FILE|DIR|-` means files, and folders on the way to them. */
function kindOfPlaceholder(placeholder: string): ValueKind {
  const words = placeholder.split('|').map((word) => word.replace(/\.+$/, ''));
  if (words.some((word) => FILES.has(word))) return 'files';
  return words.some((word) => FOLDERS.has(word)) ? 'folders' : 'nothing';
}
