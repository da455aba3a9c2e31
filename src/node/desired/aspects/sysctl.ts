// node/desired/aspects/sysctl.ts: which kernel settings does the node have, now and after the next boot?
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const sysctlAspect: AspectFunction = ({ os }) => {
  const entries = Object.entries(os.sysctls).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return {};
  const text = entries.map(([key, value]) => `${key} = ${value}\n`).join('');
  return {
    // The live values take effect now; the file covers the next boot until the daemon runs.
    files: [textFile('/etc/sysctl.d/90-headstart.conf', HEADER + text, { aspect: 'sysctl', class: 0, after: [] })],
    live: entries.map(([key, value]) => ({ kind: 'sysctl', key, value: normalizeSpaces(value), aspect: 'sysctl' })),
  };
};

/** The kernel returns `4096\t131072\t6291456` for a value written with spaces. */
export function normalizeSpaces(value: string): string {
  return value.trim().replace(/\s+/g, ' ');
}

/** sysctl.d(5): if the first separator is a slash, dots are literal; if it is a dot, slashes become literal dots. */
export function sysctlPath(key: string): string {
  const first = key.search(/[./]/);
  const parts = key[first] === '/' ? key : key.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
  return `/proc/sys/${parts}`;
}
