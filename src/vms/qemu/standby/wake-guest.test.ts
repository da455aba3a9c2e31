import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../base/fake-clock.ts';
import { type AgentAnswer, answeringAgent, makeLab, silentAgent } from '../testing.ts';
import { rehearseWake, wakeGuest } from './wake-guest.ts';
import { WAKE_SCRIPT } from './wake-script.ts';

const server = { address: '168.0.0.10', port: 6443, to: { host: '127.0.0.1', port: 1 } };
const WOKEN = 'clock=set\nentropy=added\nconnections=2\ntime=1800000000100000000\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');

function guest(out: string, exitcode = 0, err = '') {
  const begun: Parameters<AgentAnswer>[0][] = [];
  const agent = answeringAgent({
    'guest-exec': (args) => ({ pid: begun.push(args) }),
    'guest-exec-status': () => ({ exited: true, exitcode, 'out-data': base64(out), 'err-data': base64(err) }),
  });
  const lab = makeLab({ agent, clock: fakeClock(1_800_000_000_123) });
  lab.end();
  return { context: lab.context, begun };
}

describe('a guest that will be parked', () => {
  it('runs the script once, from no file that others could change', async () => {
    const { context, begun } = guest('');
    await rehearseWake(context, '/x', {});
    expect(begun).toMatchObject([{ path: 'perl', arg: ['-e', WAKE_SCRIPT, '--', 'rehearse', ''] }]);
  });

  it('is not parked when the script does not run', async () => {
    const { context } = guest('', 2, 'perl: not found');
    await expect(rehearseWake(context, '/x', {})).rejects.toMatchObject({
      code: 'vms/not-woken',
      message: expect.stringContaining('perl: not found'),
    });
  });
});

describe('a guest that continued', () => {
  it('gets the time in nanoseconds, 64 new random bytes, and the address of its API server', async () => {
    const { context, begun } = guest(WOKEN);
    await wakeGuest(context, '/x', server, {});
    await wakeGuest(context, '/x', server, {});
    expect(begun[0]).toMatchObject({ arg: ['-e', WAKE_SCRIPT, '--', '1800000000123000000', '0A0000A8:192B'] });
    const inputs = begun.map((args) => Buffer.from(String(args['input-data']), 'base64'));
    expect(inputs.map(({ length }) => length)).toEqual([64, 64]);
    expect(inputs[0]!.equals(inputs[1]!)).toBe(false);
  });

  it('leaves connections alone without a cluster', async () => {
    const { context, begun } = guest(WOKEN);
    await wakeGuest(context, '/x', undefined, {});
    expect(begun[0]).toMatchObject({ arg: ['-e', WAKE_SCRIPT, '--', expect.any(String), ''] });
  });

  it.each([
    ['slow', -7000, ['add:7000000000']],
    ['fast', 2500, ['add:-2500000000']],
    ['right', 40, []],
  ])('%s by %i ms after it answered late, gets its clock corrected by as much', async (_, offMs, corrections) => {
    const clock = fakeClock(1_800_000_000_000);
    const begun: string[] = [];
    let offsetMs = offMs;
    const agent = answeringAgent({
      'guest-exec': ({ arg }) => {
        const [time = ''] = (arg as string[]).slice(3);
        clock.advance(3000);
        if (time.startsWith('add:')) offsetMs += Number(time.slice(4)) / 1e6;
        return { pid: begun.push(time) };
      },
      'guest-exec-status': () => ({
        ...{ exited: true, exitcode: 0 },
        'out-data': base64(`clock=set\nentropy=added\nconnections=0\ntime=${clock.nowMs() - 3000}000000\n`),
      }),
      'guest-get-time': () => (clock.nowMs() + offsetMs) * 1e6,
    });
    const lab = makeLab({ agent, clock });
    lab.end();
    await wakeGuest(lab.context, '/x', server, {});
    expect(begun.slice(1)).toEqual(corrections);
  });

  it('is not asked for its time when it answers soon', async () => {
    const { context, begun } = guest(WOKEN);
    await wakeGuest(context, '/x', server, {}); // its agent does not answer guest-get-time
    expect(begun).toHaveLength(1);
  });

  it.each([
    ['clock=failed: Operation not permitted\nentropy=added\n', 'clock=failed'],
    ['clock=set\nentropy=failed: no\n', 'entropy=failed: no'],
    ['clock=set\n', 'clock=set'],
    ['', 'could not set'],
  ])('is refused when it answers %j', async (answer, why) => {
    const { context } = guest(answer);
    await expect(wakeGuest(context, '/x', server, {})).rejects.toThrow(why);
  });

  it('is refused when its agent is silent', async () => {
    const { context } = guest('');
    const silent = wakeGuest({ ...context, agent: silentAgent }, '/x', server, {});
    await expect(silent).rejects.toMatchObject({ code: 'vms/not-answering' });
  });
});
