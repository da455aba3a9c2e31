// boot/load/sources/cloud-init-log.ts: reads cloud-init.log of any version, rotated or not, in any timestamp format.
import { streamLog } from '../../compat/cloud-init/read/read-log.ts';
import { looksLikeLog } from '../../compat/cloud-init/read/recognise.ts';
import { bootsOf } from '../../compat/cloud-init/stages.ts';
import { toEvidence } from '../../compat/cloud-init/to-evidence.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Input } from '../input.ts';
import type { EvidenceSource, ParseContext } from './source.ts';

export const cloudInitLogSource = {
  kind: 'cloud-init-log',
  title: 'a cloud-init log',
  recognise: (input: Input) => looksLikeLog(input.head),
  parse(input: Input, { nowUs }: ParseContext): Evidence[] {
    const { events, notes } = streamLog(input, nowUs);
    const boots: Evidence[] = [];
    for (const boot of bootsOf(events)) {
      boots.push(toEvidence(boot, { kind: 'cloud-init-log', input: input.name }));
      const older = boots.length - 1 - DETAILED_BOOTS;
      if (older >= 0) boots[older] = stagesOnly(boots[older]!);
    }
    boots.at(-1)?.notes.push(...notes().slice(0, 100));
    return boots;
  },
} satisfies EvidenceSource;

/** A log of a gigabyte can have ten thousand boots; all their modules would need more memory than the log is worth. */
const DETAILED_BOOTS = 1000;

function stagesOnly(boot: Evidence): Evidence {
  const text = `${boot.input}: more than ${DETAILED_BOOTS} boots follow this one, so only its stages were read; cut the log after it to see its modules`;
  return {
    ...boot,
    spans: boot.spans.filter(({ parent }) => parent === undefined),
    notes: [...boot.notes, { level: 'info', text }],
  };
}
