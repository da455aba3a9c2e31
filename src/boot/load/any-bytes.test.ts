// Arbitrary bytes as any kind of input give an answer, a warning or a UserError; nothing else is thrown.
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { run } from '../../cli/testing.ts';
import { mergeEvidence } from '../model/merge-evidence.ts';
import { memoryInput } from './input.ts';
import { recognise } from './load.ts';
import { openInputs } from './open-inputs.ts';
import { SOURCES } from './sources/index.ts';

const context = { nowUs: 1_800_000_000_000_000 };
const archive = (name: string) => fileURLToPath(new URL(`../fixtures/boots/${name}.tar.gz`, import.meta.url));

/** Words the parsers search for, so that random text gets past the first checks. */
const words = fc.constantFrom(
  'Id=',
  'After=a.service',
  'InactiveExitTimestampMonotonic=1',
  'UserspaceTimestampMonotonic=',
  'Startup finished in ',
  '1.2s (kernel) + ',
  '└─',
  'a.service @1s +2s',
  '\x1b[31m',
  '584542y',
  ' - util.py[DEBUG]: ',
  'start: ',
  'finish: ',
  'Cloud-init v. 22.4',
  " running 'init-local' at ",
  'Up 5 seconds',
  '2026-11-15 21:08:50,104',
  '{"name":',
  '[',
  ']',
  '{',
  '}',
  '"__REALTIME_TIMESTAMP":"1"',
  '__CURSOR=',
  '\n',
  '\r\n',
  '\0',
  '[    0.000000] ',
  'Nov 15 21:08:50 host ',
  '<svg',
  '<rect class="activating" x="1" y="2" width="3"',
  'apiVersion: v1',
  'kind: Node',
  '"TaskName"',
  'CLOUD_INIT|1|start|x|y|z',
  '[  OK  ] Reached target Network is Online.',
  '[FAILED] Failed to start a.service.',
  '[   12.345678] cloud-init[5]: ',
  " running 'modules:final' at Tue, 17 Nov 2026 10:00:00 +0000. Up 9.5 seconds.",
  ' finished at Tue, 17 Nov 2026 10:00:00 +0000. ',
  'host login: ',
  '\nkubelet_node_startup_pre_kubelet_duration_seconds 31.5\n',
  '[    9.000000] h ignition[7]: ',
  'Stage: files\n',
  'files: op(1): [started]  x\n',
  '{"level":"info","ts":1711089818.4,"msg":"Loading configuration.."}\n',
  '{"Output":"',
  '{"atMs":1,"event":"node-ready","name":"n"}\n',
);
const soup = fc
  .array(fc.oneof(words, fc.string(), fc.integer().map(String)), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe.each(SOURCES.map((source) => [source.kind, source] as const))('%s', (_, source) => {
  it('recognises and reads any bytes without throwing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 4000 }), soup), async (content) => {
        const input = memoryInput('x', content);
        const confidence = source.recognise(input);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
        const evidence = await source.parse(input, context);
        mergeEvidence([{ isFolder: false, evidence }]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('damaged recorded inputs', () => {
  it.each(['first-boot', 'clone-boot'])(
    '%s: every file parses without throwing, truncated or garbled anywhere',
    async (name) => {
      const [group] = await openInputs(archive(name), () => new Uint8Array());
      const inputs = group!.inputs.filter((input) => recognise(input) && input.bytes().length < 200_000);
      expect(inputs.length).toBeGreaterThan(10);
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...inputs),
          fc.double({ min: 0, max: 1, noNaN: true }),
          fc.uint8Array({ maxLength: 40 }),
          async (input, where, garbage) => {
            const bytes = input.bytes();
            const at = Math.floor(bytes.length * where);
            for (const damaged of [bytes.slice(0, at), Buffer.concat([bytes.slice(0, at), garbage, bytes.slice(at)])]) {
              const broken = memoryInput(input.name, damaged);
              const evidence = (await recognise(broken)?.parse(broken, context)) ?? [];
              mergeEvidence([{ isFolder: false, evidence }]);
            }
          },
        ),
        { numRuns: 150 },
      );
    },
  );
});

describe('boot verbs on arbitrary input', () => {
  const verbs = [
    ['boot', 'timeline'],
    ['boot', 'blame'],
    ['boot', 'chain'],
    ['boot', 'what-if', '--scan'],
    ['boot', 'export', '--format', 'csv'],
    ['boot', 'systemd', 'time'],
    ['boot', 'systemd', 'blame'],
    ['boot', 'systemd', 'critical-chain'],
    ['boot', 'systemd', 'plot'],
    ['boot', 'systemd', 'dot'],
    ['boot', 'systemd', 'critical-chain', '--compat'],
    ['boot', 'systemd', 'time', '--compat=252'],
    ['boot', 'cloud-init', 'show'],
    ['boot', 'cloud-init', 'blame'],
    ['boot', 'cloud-init', 'dump'],
    ['boot', 'cloud-init', 'boot'],
    ['boot', 'cloud-init', 'show', '--compat'],
    ['boot', 'cloud-init', 'blame', '--compat=22.4'],
  ];
  it.each(verbs.map((verb) => [verb.join(' '), verb] as const))(
    '%s prints an answer or a clear error, never a bug report',
    async (_, verb) => {
      await fc.assert(
        fc.asyncProperty(soup, async (stdin) => {
          const { code, stdout, stderr } = await run([...verb, '-i', '-'], { stdin });
          expect(stderr).not.toContain('bug:');
          expect([0, 1, 2]).toContain(code);
          if (code === 0 && !verb.some((word) => word.startsWith('--compat'))) expect(stdout).not.toBe('');
          if (code !== 0) expect(stderr).not.toBe('');
        }),
        { numRuns: 60 },
      );
    },
  );
});
