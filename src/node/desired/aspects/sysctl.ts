// node/desired/aspects/sysctl.ts: which kernel settings, now and after the next boot?
import { type AspectFunction, HEADER, textFile } from './aspect.ts';

export const sysctlAspect: AspectFunction = ({ os }) => {
  const entries = Object.entries(os.sysctls).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return {};
  const text = entries.map(([key, value]) => `${key} = ${value}\n`).join('');
  return {
    // The live values do the work; the file is for the boot before the daemon runs.
    files: [textFile('/etc/sysctl.d/90-headstart.conf', HEADER + text, { aspect: 'sysctl', class: 0, after: [] })],
    live: entries.map(([key, value]) => ({ kind: 'sysctl', key, value: sameSpaces(value), aspect: 'sysctl' })),
  };
};

/** The kernel answers `4096\t131072\t6291456` to what was written with spaces. */
export function sameSpaces(value: string): string {
  return value.trim().replace(/\s+/g, ' ');
}

/** Below /proc/sys. As sysctl.d(5) has it, the first separator says which of the two it is, and the other is its literal dot. */
export function sysctlPath(key: string): string {
  const first = key.search(/[./]/);
  const parts = key[first] === '/' ? key : key.replace(/[./]/g, (separator) => (separator === '.' ? '/' : '.'));
  return `/proc/sys/${parts}`;
}
