// vms/qemu/home/ensure-space.ts: is there enough free space under the home?
import { requireSpace } from '../../../host/disk-space.ts';
import type { QemuContext } from '../context.ts';

export async function ensureSpace(
  { home, freeBytes }: Pick<QemuContext, 'home' | 'freeBytes'>,
  neededBytes: number,
  what: string,
): Promise<void> {
  requireSpace(
    { what, folder: home, neededBytes, freeBytes: await freeBytes(home) },
    { code: 'vms/no-space', option: '--home' },
  );
}
