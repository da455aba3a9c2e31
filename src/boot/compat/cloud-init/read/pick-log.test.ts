import { describe, expect, it } from 'vitest';
import { inputText, memoryInput } from '../../../load/input.ts';
import { stageLog } from '../testing.ts';
import { pickLog } from './pick-log.ts';

const log = (name: string, from: number) => memoryInput(name, stageLog('init-local', from));
const dump = (name: string) => memoryInput(name, '[{"name":"a","event_type":"start","timestamp":1.5}]');
const other = memoryInput('os-release', 'ID=debian\n');

describe('pickLog', () => {
  it('joins rotated files, oldest first', () => {
    const picked = pickLog([log('cloud-init.log', 100), other, log('cloud-init.log.1', 0)])!;
    expect(picked.kind).toBe('log');
    expect(picked.input.name).toBe('cloud-init.log.1 + cloud-init.log');
    expect(inputText(picked.input)).toBe(stageLog('init-local', 0) + stageLog('init-local', 100));
  });

  it('uses a log once if a bundle contains it twice', () => {
    expect(pickLog([log('a', 0), log('b', 0)])!.input.name).toBe('a');
  });

  it('inserts a newline between files if the older one does not end with one', () => {
    const cut = memoryInput('old', stageLog('init-local', 0).trimEnd());
    const text = inputText(pickLog([cut, log('new', 100)])!.input);
    expect(text.split('\n')).toHaveLength(9);
  });

  it('prefers a log over a dump, and uses the last of several dumps', () => {
    expect(pickLog([dump('d'), log('l', 0)])).toMatchObject({ kind: 'log' });
    expect(pickLog([dump('d'), dump('e'), other])).toMatchObject({ kind: 'dump', input: { name: 'e' } });
    expect(pickLog([other])).toBeUndefined();
  });

  it('also sorts by stamps without a year', () => {
    const line = (stamp: string) => `${stamp} host [CLOUDINIT] handlers.py[DEBUG]: start: init-local/a: a\n`;
    const [march, may] = [memoryInput('march', line('Mar  2 10:00:00')), memoryInput('may', line('May  1 10:00:00'))];
    expect(pickLog([may, march])!.input.name).toBe('march + may');
  });
});
