// boot/load/sources/cloud-init-log.ts: reads cloud-init.log of any version, rotated or not, in any timestamp format.
import { readLog } from '../../compat/cloud-init/read/read-log.ts';
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
    const { events, notes } = readLog(input, nowUs);
    const boots = [...bootsOf(events)].map((boot) => toEvidence(boot, { kind: 'cloud-init-log', input: input.name }));
    boots.at(-1)?.notes.push(...notes.slice(0, 100));
    return boots;
  },
} satisfies EvidenceSource;
