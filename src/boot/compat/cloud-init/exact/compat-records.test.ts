import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Input, memoryInput } from '../../../load/input.ts';
import { openInputs } from '../../../load/open-inputs.ts';
import { banner, report, stageLog, stampAt } from '../testing.ts';
import { ToolCrash } from './compat-crash.ts';
import { compatEvents } from './compat-events.ts';
import { compatCloudInitBlame, compatDump, compatShow, DEFAULT_FORMAT } from './compat-records.ts';
import { compatVersion } from './compat-version.ts';
import type { PythonValue } from './python-json.ts';

interface RecordedOutput {
  stdout: string;
  stderr: string;
  code: number;
  crash?: string;
}
interface Recording {
  cases: ({ name: string; log: string } & Record<'show' | 'blame' | 'dump', RecordedOutput>)[];
  formats: { log: string; formats: (RecordedOutput & { format: string })[] };
}

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url));
const recording: Recording = JSON.parse(readFileSync(`${fixtures}cloud-init/analyze-22.4.2.json`, 'utf8'));

const VERBS = {
  show: (events: PythonValue, version: string, format = DEFAULT_FORMAT) =>
    compatShow(events, format, compatVersion(version)),
  blame: (events: PythonValue, version: string) => compatCloudInitBlame(events, compatVersion(version)),
  dump: (events: PythonValue) => compatDump(events),
};

function answer(input: Input, verb: keyof typeof VERBS, version = '22.4', format?: string): RecordedOutput {
  let stderr = '';
  const context = { year: 2026, secondsOf: (s: number) => s, onSkip: () => (stderr += 'Skipping invalid entry\n') };
  try {
    const events = compatEvents(input, compatVersion(version), context);
    return { stdout: VERBS[verb](events, version, format), stderr, code: 0 };
  } catch (error) {
    if (!(error instanceof ToolCrash)) throw error;
    return { stdout: '', stderr, code: 1, crash: error.message };
  }
}

describe('the recorded output of cloud-init analyze 22.4.2', () => {
  for (const { name, log, ...expected } of recording.cases) {
    it.each(['show', 'blame', 'dump'] as const)(`${name}: %s`, (verb) => {
      const { crash, ...rest } = answer(memoryInput('log', log), verb);
      const { crash: realCrash, ...real } = expected[verb];
      expect(rest).toEqual(real);
      expect(crash === undefined).toBe(realCrash === undefined);
    });
  }

  it.each(recording.formats.formats)('show --format $format', ({ format, crash: realCrash, ...real }) => {
    const { crash, ...rest } = answer(memoryInput('log', recording.formats.log), 'show', '22.4', format);
    expect(rest).toEqual(real);
    expect(crash === undefined).toBe(realCrash === undefined);
  });

  for (const boot of ['first-boot', 'clone-boot']) {
    it.each(['show', 'blame', 'dump'] as const)(
      `${boot}: %s, byte for byte, with the recorded and the newest version`,
      async (verb) => {
        const [group] = await openInputs(`${fixtures}boots/${boot}.tar.gz`, () => new Uint8Array());
        const member = (suffix: string) => group!.inputs.find((input) => input.name.endsWith(suffix))!;
        const expected = Buffer.from(
          member(`cloud/analyze-${verb}.${verb === 'dump' ? 'json' : 'txt'}`).bytes(),
        ).toString();
        for (const version of ['22.4', '26.2']) {
          expect(answer(member('cloud/cloud-init.log'), verb, version).stdout).toBe(expected);
        }
        if (verb !== 'dump') expect(answer(member('cloud/analyze-dump.json'), verb).stdout).toBe(expected);
      },
    );
  }
});

describe('differences between versions', () => {
  it('before 22.4, a repeated stage ends a boot', () => {
    const log = stageLog('init-local', 0) + stageLog('init-network', 10) + stageLog('init-network', 20);
    expect(answer(memoryInput('log', log), 'show', '22.3').stdout).toMatch(/^2 boot records analyzed$/m);
    expect(answer(memoryInput('log', log), 'show', '22.4').stdout).toMatch(/^1 boot records analyzed$/m);
  });

  it.each(['17.1', '22.4', '25.2', '26.2'])('%s prints a start that is the last event', (version) => {
    const log = stageLog('init-local', 0) + banner(stampAt(10), 'init', 10);
    expect(answer(memoryInput('log', log), 'show', version).stdout).toContain('Starting stage: init-network\n');
  });

  it('before 19.3, a finished stage ends with a blank', () => {
    const log = memoryInput('log', stageLog('init-local', 0));
    expect(answer(log, 'show', '19.2').stdout).toContain('Finished stage: (init-local) 04.00000 seconds \n');
    expect(answer(log, 'show', '19.3').stdout).toContain('Finished stage: (init-local) 04.00000 seconds\n');
  });

  it('before 20.3, a log of Amazon Linux has no events', () => {
    const log = memoryInput('log', 'Nov 15 21:00:00 cloud-init[9]: handlers.py[DEBUG]: start: init-local/a: a\n');
    expect(answer(log, 'dump', '20.2').stdout).toBe('[]\n');
    expect(answer(log, 'dump', '20.3').stdout).toContain('"name": "init-local/a"');
  });
});

describe('compat verbs on any input', () => {
  it('edge case 10: skip February 29th in a year without one', () => {
    const log = 'Feb 29 21:08:50 host [CLOUDINIT] handlers.py[DEBUG]: start: init-local: x\n';
    expect(answer(memoryInput('log', log), 'show').stderr).toBe('Skipping invalid entry\n');
  });

  it('give output or a ToolCrash for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom('show', 'blame', 'dump'), (bytes, verb) => {
        expect(typeof answer(memoryInput('log', bytes), verb).stdout).toBe('string');
      }),
    );
  });

  it('give output or a ToolCrash for any mix of keywords', () => {
    const word = fc.constantFrom(
      ...[
        ' - ',
        'start: ',
        'finish: ',
        'init-local',
        ': ',
        'SUCCESS',
        'Cloud-init v. 1 running ',
        "'init'",
        ' at ',
        ',',
        ' [CLOUDINIT] ',
      ],
      ...[
        ' cloud-init[',
        stampAt(0),
        'Nov 15 21:08:50',
        '2026-11-15T21:08:50Z',
        '\n',
        '\r',
        '{',
        '[',
        '\u00a0',
        '/',
        ' ',
      ],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.constantFrom('show', 'blame', 'dump'), (words, verb) => {
        expect(typeof answer(memoryInput('log', words.join('')), verb).stdout).toBe('string');
      }),
    );
  });

  it('give the same for a dump as for its log', () => {
    const log = stageLog('init-local', 0) + report(stampAt(5), 'start: azure-ds/x: y') + stageLog('init-network', 10);
    const dumped = answer(memoryInput('log', log), 'dump').stdout;
    expect(answer(memoryInput('dump', dumped), 'show')).toEqual(answer(memoryInput('log', log), 'show'));
    expect(answer(memoryInput('dump', dumped), 'dump').stdout).toBe(dumped);
  });
});
