import { beforeEach, describe, expect, it } from 'vitest';
import { Conflict } from '../../base/failures.ts';
import { usePools } from '../pool/testing.ts';
import { standbyUp } from './up.ts';

const { open, call, create } = usePools();
beforeEach(() => create('p'));
const stateOf = async () => (await open()).standbyStates.get('p');

describe('standby up', () => {
  it('sets the numbers that are given, keeps the others, and prepares what is missing', async () => {
    expect((await call(standbyUp(open), ['p', '--frozen', '2'])).stdout).toMatch(/^p: 2 of 2 frozen\n/);
    const ran = await call(standbyUp(open), ['p', '--stopped', '1', '--max-age', '1d']);
    expect(ran.stderr).toContain('preparing one stopped');
    expect(ran.stdout).toMatch(/^p: 2 of 2 frozen, 1 of 1 stopped\n/);
    expect((await stateOf())?.policy).toEqual({ counts: { paused: 0, frozen: 2, stopped: 1 }, maxAgeMs: 86_400_000 });
  });

  it('without numbers prepares what the pool keeps, and refuses when it keeps nothing', async () => {
    const ran = await call(standbyUp(open), ['p']);
    expect(ran.stderr).toContain('code:  standby/no-policy');
    expect(ran.stderr).toContain('next:  headstart standby up p --frozen 1');
    await call(standbyUp(open), ['p', '--frozen', '1', '--no-wait']);
    expect((await open()).refilled).toEqual(['p']);
    expect((await stateOf())?.members).toEqual([]);
    await call(standbyUp(open), ['p']);
    expect((await stateOf())?.members).toHaveLength(1);
  });

  it('prints what would change, and changes nothing', async () => {
    const plan = await call(standbyUp(open), ['p', '--frozen', '2', '--dry-run']);
    expect(plan.stdout).toContain('would prepare 2 frozen');
    expect(await stateOf()).toBeUndefined();
    await call(standbyUp(open), ['p', '--frozen', '2']);
    expect((await call(standbyUp(open), ['p', '--frozen', '2', '--dry-run'])).stdout).toBe('nothing to do\n');
    const fewer = await call(standbyUp(open), ['p', '--frozen', '1', '--stopped', '1', '--dry-run']);
    expect(fewer.stdout).toContain('would discard 1 frozen');
    expect(fewer.stdout).toContain('would prepare 1 stopped');
  });

  it('counts a node that another command is preparing, and announces to discard a broken one', async () => {
    await call(standbyUp(open), ['p', '--frozen', '2']);
    const [first, second] = (await stateOf())!.members;
    Object.assign(first!, { state: 'preparing', why: 'it is being prepared' });
    expect((await call(standbyUp(open), ['p', '--dry-run'])).stdout).toBe('nothing to do\n');
    Object.assign(second!, { state: 'broken', why: 'its image was replaced' });
    const plan = (await call(standbyUp(open), ['p', '--dry-run'])).stdout;
    expect(plan).toContain('would discard p-s2: its image was replaced');
    expect(plan).toContain('would prepare 1 frozen');
    expect(plan).not.toContain('p-s1');
  });

  it('keeps what another command has set since the policy was read', async () => {
    const { standby } = await open();
    const { setStandby } = standby;
    let isFirst = true;
    standby.setStandby = async (ref, policy, options) => {
      if (isFirst) {
        isFirst = false;
        await setStandby(ref, { counts: { paused: 0, frozen: 2, stopped: 0 } });
      }
      await setStandby(ref, policy, options);
    };
    await call(standbyUp(open), ['p', '--stopped', '1', '--no-wait']);
    expect((await stateOf())?.policy).toEqual({ counts: { paused: 0, frozen: 2, stopped: 1 } });
  });

  it('does not repeat a change for ever that is refused for another reason', async () => {
    const { standby } = await open();
    standby.setStandby = () => Promise.reject(new Conflict('p has been locked for too long'));
    const ran = await call(standbyUp(open), ['p', '--frozen', '1']);
    expect(ran.stderr).toContain('p has been locked for too long');
  });

  it('says that another command prepares them', async () => {
    (await open()).standby.fillStandby = async () => ({ prepared: [], discarded: [], isBusy: true });
    const ran = await call(standbyUp(open), ['p', '--frozen', '1', '--leave-if-busy']);
    expect(ran.stderr).toContain('another command prepares');
  });

  it.each([
    ['--frozen', '-1'],
    ['--frozen', '1001'],
    ['--max-age', 'soon'],
  ])('refuses %s %s', async (flag, value) => {
    expect((await call(standbyUp(open), ['p', `${flag}=${value}`])).code).toBe(2);
    expect(await stateOf()).toBeUndefined();
  });

  it('prints one JSON document as the last line', async () => {
    const ran = await call(standbyUp(open), ['p', '--frozen', '1', '--json']);
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({
      kind: 'Standby',
      pool: 'p',
      members: [{ instance: 'p-s1', tier: 'frozen', state: 'ready' }],
    });
  });
});
