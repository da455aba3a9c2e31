import { describe, expect, it } from 'vitest';
import { type Input, memoryInput } from '../../../load/input.ts';
import { report, stageLog, stampAt } from '../testing.ts';
import { ToolCrash } from './compat-crash.ts';
import { compatEvents, EmptyFile } from './compat-events.ts';
import { compatVersion } from './compat-version.ts';

function read(content: string | Uint8Array | Input, version = '22.4') {
  let skipped = 0;
  const context = { year: 2026, secondsOf: (s: number) => s, onSkip: () => skipped++ };
  const input = typeof content === 'string' || content instanceof Uint8Array ? memoryInput('log', content) : content;
  const events = compatEvents(input, compatVersion(version), context) as { name: string; timestamp: number }[];
  return { events, skipped };
}

describe('compatEvents', () => {
  it('reads local time before 24.2', () => {
    const context = { year: 2026, secondsOf: (s: number) => s - 3600, onSkip: () => {} };
    const input = memoryInput('log', stageLog('init-local', 0));
    const [first] = compatEvents(input, compatVersion('24.1'), context) as { timestamp: number }[];
    expect(first!.timestamp).toBe(Date.UTC(2026, 10, 15, 20) / 1000);
  });

  it('returns JSON of any type unchanged, and parses the lines of any other file', () => {
    expect(read('[{"a": 1}]').events).toEqual([{ a: 1n }]);
    expect(read('{"a": 1}').events).toEqual({ a: 1n });
    expect(read('5').events).toBe(5n);
    expect(read(stageLog('init-local', 0)).events.map(({ name }) => name)).toContain('init-local/config-a');
  });

  it.each(['[]', '{}', '0', 'null', 'false', '""'])('returns no events for %s, which is falsy in Python', (text) => {
    expect(read(text).events).toEqual([]);
  });

  it('repeats the previous event for an invalid entry', () => {
    const log = `${report(stampAt(0), 'start: init-local/a: a')}${stampAt(1)} - x - y start: b\n`;
    expect(read(log)).toMatchObject({ events: [{ name: 'init-local/a' }, { name: 'init-local/a' }], skipped: 1 });
  });

  it('returns an event once per marker in the line', () => {
    expect(read(report(stampAt(0), 'start: init-local/a: says finish: too')).events).toHaveLength(2);
  });

  it('crashes on bytes that are not UTF-8', () => {
    expect(() => read(Buffer.from('5b22ff225d', 'hex'))).toThrow(ToolCrash);
    expect(() => read(Buffer.from(`${stampAt(0)} - \xff start: x\n`, 'latin1'))).toThrow('UnicodeDecodeError');
  });

  it('finds events before a long blank end of the file', () => {
    const log = stageLog('init-local', 0);
    const pieces = [Buffer.from(log), Buffer.alloc(1 << 20, '\n'), Buffer.alloc(1 << 20, '\n')];
    const input = { ...memoryInput('log', log), chunks: () => pieces };
    expect(read(input, '24.1').events).toHaveLength(4);
  });

  it('reports an empty file in one line from 24.1 on, and crashes before', () => {
    expect(() => read('', '23.4')).toThrow(/ValueError/);
    expect(read(' \n', '23.4').events).toEqual([]);
    expect(() => read('', '24.1')).toThrow(EmptyFile);
    expect(() => read(' \n', '24.1')).toThrow(EmptyFile);
  });
});
