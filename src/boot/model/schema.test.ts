import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { run } from '../../cli/testing.ts';
import { inputText, memoryInput } from '../load/input.ts';
import { bootRecordSource } from '../load/sources/boot-record.ts';
import { bootRecord } from '../testing.ts';
import { mergeEvidence } from './merge-evidence.ts';
import { bootRecordSchema, problemsOf } from './schema.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const published = fileURLToPath(new URL('../../../docs/schema/boot-record.json', import.meta.url));

describe('the boot record schema', () => {
  it('matches the published JSON Schema', () => {
    // To update the file: write the value this test expects into it.
    const inForce = { title: 'BootRecord', ...z.toJSONSchema(bootRecordSchema) };
    expect(JSON.parse(readFileSync(published, 'utf8'))).toEqual(JSON.parse(JSON.stringify(inForce)));
  });

  it.each([
    ['boots/first-boot.tar.gz'],
    ['boots/clone-boot.tar.gz'],
    ['models/container'],
    ['seeds/docker.critical-chain.txt'],
    ['azure'],
    ['kubernetes', '--node', 'pool1-000003'],
  ])('accepts the record of %s, and reading it back gives the same boot', async (path, ...choice) => {
    const { stdout, code } = await run(['boot', 'export', '--format', 'json', '-i', fixture(path), ...choice]);
    expect(code).toBe(0);
    expect(problemsOf(JSON.parse(stdout))).toBeUndefined();
    const again = await run(['boot', 'export', '--format', 'json', '-i', '-'], { stdin: stdout });
    expect({ ...JSON.parse(again.stdout), sources: [], notes: [] }).toEqual({
      ...JSON.parse(stdout),
      sources: [],
      notes: [],
    });
  });

  it('reports every problem with its path', () => {
    const broken = { ...bootRecord(), clock: { zero: 'noon' }, units: [{ name: 7 }] };
    expect(problemsOf(broken)!.join('\n')).toMatch(/clock\.zero: [\s\S]*units\.0\.name: /);
  });

  it.each(['{"apiVersion":"headstart.dev/v1","kind":"BootRecord"', '{"kind":"BootRecord","units":3}'])(
    'a truncated or invalid record causes a warning: %s',
    async (text) => {
      const input = memoryInput('record.json', text);
      expect(bootRecordSource.recognise(input)).toBe(1);
      const evidence = await bootRecordSource.parse(input, { nowUs: 0 });
      expect(evidence[0]!.notes[0]!.text).toContain('record.json: this boot record');
      expect(mergeEvidence([{ isFolder: false, evidence }])).toHaveLength(1);
      expect(inputText(input)).toBe(text);
    },
  );
});
