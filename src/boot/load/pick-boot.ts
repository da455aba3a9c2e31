// boot/load/pick-boot.ts: which boot does `--boot` select? 0 is the last, -1 the one before; or a boot id.
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../model/record.ts';

const MOST_NAMED = 8;

export function pickBoot(boots: readonly BootRecord[], which: string): BootRecord {
  const picked = /^-?\d{1,6}$/.test(which) ? byNumber(boots, Number(which)) : byId(boots, which);
  if (picked) return picked;
  const ids = boots.map((boot, i) => `${i - boots.length + 1}${boot.bootId ? ` (${boot.bootId})` : ''}`);
  const more = ids.length > MOST_NAMED ? `, and ${ids.length - MOST_NAMED} earlier ones` : '';
  throw new UserError(`no boot ${which} in the input; known: ${ids.slice(-MOST_NAMED).join(', ')}${more}`, {
    code: 'boot/no-such-boot',
    next: ids.length === 1 ? 'omit --boot: there is only one boot' : 'pass one of these with --boot',
  });
}

/** As journalctl counts: 0 and negative from the last, positive from the first. */
function byNumber(boots: readonly BootRecord[], number: number): BootRecord | undefined {
  return number > 0 ? boots[number - 1] : boots[boots.length - 1 + number];
}

function byId(boots: readonly BootRecord[], id: string): BootRecord | undefined {
  const wanted = id.replaceAll('-', '').toLowerCase();
  return wanted.length < 4 ? undefined : boots.find((boot) => boot.bootId?.startsWith(wanted));
}
