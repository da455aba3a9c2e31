// cli/boot/systemd/testing.ts: runs the `boot systemd` verbs in a test, and compares them with the recorded output of systemd-analyze.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInputs } from '../../../boot/load/open-inputs.ts';
import { run } from '../../testing.ts';

export const FIXTURES = join(import.meta.dirname, '../../../boot/fixtures');

export const boot = (verb: string, ...more: string[]) => run(['boot', 'systemd', ...verb.split(' '), ...more]);

/** Each pair is a verb and the file with the output of the real tool. */
export function describeRecorded(pairs: readonly (readonly [verb: string, file: string])[]): void {
  describe.each(['first-boot', 'clone-boot'])('the recorded %s', (name) => {
    const recorded = useRecorded(name);
    test.each(pairs)('systemd-analyze %s is reproduced byte for byte from the inputs alone', async (verb, file) => {
      const { code, stdout } = await boot(verb, '--compat=252', '-i', recorded.inputs);
      expect(stdout).toBe(recorded.answers.get(file));
      expect(code).toBe(0);
    });
  });
}

export interface RecordedBoot {
  archive: string;
  /** A folder without the real tool's output, which the verbs must not need. */
  inputs: string;
  answers: Map<string, string>;
}

export function useRecorded(name: string): RecordedBoot {
  const recorded: RecordedBoot = { archive: join(FIXTURES, 'boots', `${name}.tar.gz`), inputs: '', answers: new Map() };
  beforeAll(async () => {
    recorded.inputs = mkdtempSync(join(tmpdir(), 'headstart-'));
    const groups = await openInputs(recorded.archive, () => new Uint8Array());
    for (const input of groups.flatMap((group) => group.inputs)) {
      const [folder, file = ''] = input.name.split('/').slice(-2);
      if (folder === 'cloud') continue; // the output of cloud-init analyze, which has the same file names
      if (file.startsWith('analyze-')) recorded.answers.set(file, new TextDecoder().decode(input.bytes()));
      else if (/^(systemctl-|uname|os-release|hostname)/.test(file))
        writeFileSync(join(recorded.inputs, file), input.bytes());
    }
  });
  afterAll(() => rmSync(recorded.inputs, { recursive: true }));
  return recorded;
}

/** Expects one JSON document in which `field` is a non-empty list. */
export async function expectDocument(verb: string, kind: string, field: string): Promise<void> {
  const { stdout, code } = await boot(`${verb} --json`, '-i', join(FIXTURES, 'models/initrd'));
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ apiVersion: 'headstart.dev/v1', kind });
  expect(document[field].length).toBeGreaterThan(0);
  expect(code).toBe(0);
}

/** Expects no output on stdout, and an error with a next step. */
export async function expectRefused(verb: string, code: string, input = 'models/r00'): Promise<void> {
  const ran = await boot(verb, '-i', join(FIXTURES, input));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^error: .*\n(.*\n)?next: {2}.*\ncode: {2}/);
  expect(ran.stderr).toContain(code);
}
