// vms/qemu/metadata-service/health.ts: what did the guest tell the platform about itself, and when? Lines of `<instance>/health.jsonl`.
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';

export interface HealthReport {
  /** This machine's clock. */
  atMs: number;
  state: 'Ready' | 'NotReady';
  /** Why it is not: `ProvisioningFailed` or `Provisioning`, and a sentence. */
  subStatus?: string;
  description?: string;
}

/** A guest could fill the disk with reports; a boot makes one or two. */
const FILE_LIMIT = 1024 * 1024;

/** False: the file is full. A link in its place is not followed. */
export function appendHealth(path: string, report: HealthReport): boolean {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    const { size } = fstatSync(fd);
    if (size > FILE_LIMIT) return false;
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() !== '\n'; // the disk was full
    const line = Buffer.from(`${isTorn ? '\n' : ''}${JSON.stringify(report)}\n`);
    for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Oldest first. A torn line is left out. */
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
