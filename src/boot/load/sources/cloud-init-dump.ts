// boot/load/sources/cloud-init-dump.ts: reads the JSON that `cloud-init analyze dump` prints.
import { readDump } from '../../compat/cloud-init/read/read-dump.ts';
import { looksLikeDump } from '../../compat/cloud-init/read/recognise.ts';
import { bootsOf } from '../../compat/cloud-init/stages.ts';
import { toEvidence } from '../../compat/cloud-init/to-evidence.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { Input } from '../input.ts';
import type { EvidenceSource } from './source.ts';

export const cloudInitDumpSource = {
  kind: 'cloud-init-dump',
  title: 'the JSON of cloud-init analyze dump',
  recognise: (input: Input) => looksLikeDump(input.head),
  parse(input: Input): Evidence[] {
    const { events, notes } = readDump(input);
    const boots = [...bootsOf(events)].map((boot) => toEvidence(boot, { kind: 'cloud-init-dump', input: input.name }));
    boots.at(-1)?.notes.push(...notes.slice(0, 100));
    return boots;
  },
} satisfies EvidenceSource;
