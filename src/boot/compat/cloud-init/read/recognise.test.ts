import { describe, expect, it } from 'vitest';
import { banner, stageLog, stampAt } from '../testing.ts';
import { looksLikeDump, looksLikeLog } from './recognise.ts';

const log = (text: string) => looksLikeLog(Buffer.from(text));
const dump = (text: string) => looksLikeDump(Buffer.from(text));
const journal = (count: number) => 'Nov 15 21:00:00 host app[7]: a line of something else\n'.repeat(count);

describe('looksLikeLog', () => {
  it('recognises a log by its own lines', () => {
    expect(log(stageLog('init-local', 0))).toBe(0.95);
    expect(log(`${stampAt(0)} - util.py[DEBUG]: a\n`.repeat(3))).toBe(0.95);
    expect(log(banner(stampAt(0), 'init', 5))).toBe(0.95);
  });

  it('has lower confidence the more other log lines there are', () => {
    expect(log(stageLog('init-local', 0) + journal(20))).toBe(0.5);
    expect(log(stageLog('init-local', 0) + journal(200))).toBe(0.2);
  });

  it.each(['', '  \n', '{"a": 1}', '<svg>', journal(3), `${stampAt(0)} - util.py[DEBUG]: a\n`])(
    'rejects %j',
    (text) => {
      expect(log(text)).toBe(0);
    },
  );
});

describe('looksLikeDump', () => {
  it('recognises a list with events', () => {
    expect(dump(' \n[{"event_type": "start", "timestamp": 1}]')).toBe(0.95);
    expect(dump('[{"event_type": "start"}]')).toBe(0);
    expect(dump('{"event_type": "start", "timestamp": 1}')).toBe(0);
    expect(dump('')).toBe(0);
  });
});
