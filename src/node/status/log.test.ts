import { describe, expect, it } from 'vitest';
import { journalLog, withoutRepeats } from './log.ts';

function lines(env: Record<string, string>, act: (log: ReturnType<typeof journalLog>) => void): string {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  act(journalLog({ write, env }));
  return text;
}

describe('the log of the daemon', () => {
  it('has a priority prefix under systemd, and fields as key=value', () => {
    const text = lines({ JOURNAL_STREAM: '8:1' }, (log) => {
      log('info', 'starts', { pid: 7, nothing: undefined });
      log('error', 'went wrong', { code: 'apply/disk-full', what: 'two words' });
    });
    expect(text).toBe('<6>starts pid=7\n<3>went wrong code=apply/disk-full what="two words"\n');
  });

  it('has no prefix on a terminal', () => {
    expect(lines({}, (log) => log('info', 'starts'))).toBe('starts\n');
  });

  it('is one line for any message, so that no message can forge a line', () => {
    const text = lines({ JOURNAL_STREAM: '8:1' }, (log) => log('info', 'a\n<0>forged\u001b[2J', { name: 'x\ny' }));
    expect(text.match(/\n/g)).toHaveLength(1);
    expect(text).not.toContain('\u001b');
  });

  it('shows the same result once, and again after a different one', () => {
    const text = lines({}, (log) => {
      const news = withoutRepeats(log);
      for (const message of ['full', 'full', 'done', 'full']) news('apply', 'info', message);
      news('fetch', 'info', 'full');
    });
    expect(text).toBe('full\ndone\nfull\nfull\n');
  });
});
