// vms/qemu/metadata-service/health.ts: the guest's health reports to the platform, as lines of `<instance>/health.jsonl`.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

export interface HealthReport {
  /** On this machine's clock. */
  atMs: number;
  state: 'Ready' | 'NotReady';
  /** Why the guest is not ready: `ProvisioningFailed` or `Provisioning`, with a description. */
  subStatus?: string;
  description?: string;
}

/** Keeps a guest from filling the disk; a boot sends one or two reports. */
const FILE_LIMIT = 1024 * 1024;

/** Returns false when the file has reached its limit. Does not follow a symbolic link. */
export function appendHealth(path: string, report: HealthReport): boolean {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const { size } = fstatSync(fd);
    if (size > FILE_LIMIT) return false;
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'; // a full disk cut off the last line
    const line = Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify(report)}\n`);
    for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Oldest first. Skips a truncated line. */
export function parseHealth(text: string): HealthReport[] {
  return text.split('\n').flatMap((line) => {
    try {
      const report = JSON.parse(line) as HealthReport;
      return typeof report.atMs === 'number' && typeof report.state === 'string' ? [report] : [];
    } catch {
      return [];
    }
  });
}
