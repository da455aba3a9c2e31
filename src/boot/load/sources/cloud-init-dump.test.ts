import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { NOW_US } from '../../compat/cloud-init/testing.ts';
import { memoryInput } from '../input.ts';
import { openInputs } from '../open-inputs.ts';
import { cloudInitDumpSource } from './cloud-init-dump.ts';
import { cloudInitLogSource } from './cloud-init-log.ts';
import { sourceSuite } from './source.suite.ts';

const context = { nowUs: NOW_US };
const fixtures = fileURLToPath(new URL('../../fixtures/boots/', import.meta.url));

describe('cloudInitDumpSource', () => {
  it('gives the same spans as the log that the dump was made from', async () => {
    const [group] = await openInputs(`${fixtures}clone-boot.tar.gz`, () => new Uint8Array());
    const member = (suffix: string) => group!.inputs.find((input) => input.name.endsWith(suffix))!;
    const [fromLog] = cloudInitLogSource.parse(member('cloud/cloud-init.log'), context);
    const [fromDump] = cloudInitDumpSource.parse(member('cloud/analyze-dump.json'));
    const plain = (spans: typeof fromDump) =>
      spans!.spans.map(({ id, startUs, endUs, parent }) => ({ id, startUs, endUs, parent }));
    expect(plain(fromDump)).toEqual(plain(fromLog));
  });

  it('reads the complete events of a truncated dump, and warns', () => {
    const whole = '{"name":"init-local","event_type":"start","timestamp":1.5,"description":"x"}';
    const [boot] = cloudInitDumpSource.parse(memoryInput('cut.json', `[\n${whole},\n{"name":"in`));
    expect(boot!.spans).toHaveLength(1);
    expect(boot!.notes[0]!.text).toContain('damaged JSON of 3 lines; 1 complete events were read');
  });

  it('recognises the dump of a recorded boot and no other file of it', async () => {
    const [group] = await openInputs(`${fixtures}clone-boot.tar.gz`, () => new Uint8Array());
    const dumps = group!.inputs.filter((input) => cloudInitDumpSource.recognise(input) > 0);
    expect(dumps.map((input) => input.name.split('/').slice(-2).join('/'))).toEqual(['cloud/analyze-dump.json']);
  });
});

sourceSuite(
  cloudInitDumpSource,
  '[\n{"name":"init-local","event_type":"start","timestamp":1.5,"description":"x","origin":"cloudinit"}\n]\n',
);
