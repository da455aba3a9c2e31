import { beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { usePools } from '../pool/testing.ts';
import { standbyClaim } from './claim.ts';
import { standbyUp } from './up.ts';

const { open, call, create, ...world } = usePools();
beforeEach(() => create('p'));
const park = (...argv: string[]) => call(standbyUp(open), ['p', ...argv]);

describe('standby claim', () => {
  it('says from which tier each one came, and why a new one was made', async () => {
    await park('--frozen', '1');
    const ran = await call(standbyClaim(open), ['p', '--count', '2']);
    expect(ran.stdout).toMatch(/^\S+: frozen\n\S+: cold \(none is ready\)\nall Ready after /);
    expect((await call(standbyClaim(open), ['p'])).stdout).toMatch(/^\S+: cold \(none is ready\); Ready after \S+\n$/);
  });

  it('says that one booted which continued and was not Ready', async () => {
    await park('--frozen', '1');
    (await open()).whyBoot = 'its node was not Ready';
    const { stdout } = await call(standbyClaim(open), ['p']);
    expect(stdout).toMatch(/^\S+: cold \(its node was not Ready\); Ready after \S+\n$/);
  });

  it('prints the plan of the claim: the fastest tier first, and changes nothing', async () => {
    await park('--stopped', '1');
    await park('--paused', '1');
    const { stdout } = await call(standbyClaim(open), ['p', '--count', '3', '--dry-run']);
    const at = ['(paused)', '(stopped)', 'start 1 more'].map((text) => stdout.indexOf(text));
    expect(Math.min(...at)).toBeGreaterThanOrEqual(0);
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect((await open()).standbyStates.get('p')?.members).toHaveLength(2);
  });

  it('claims none that is not ready', async () => {
    await park('--frozen', '1');
    (await open()).standbyStates.get('p')!.members[0]!.state = 'broken';
    const { stdout } = await call(standbyClaim(open), ['p', '--dry-run']);
    expect(stdout).not.toContain('(frozen)');
    expect(stdout).toContain('start 1 more');
  });

  it('fails when a node does not become Ready, unless it does not wait', async () => {
    const pools = await open();
    pools.trouble = new UserError('not Ready', { code: 'x', exitCode: 1 });
    expect((await call(standbyClaim(open), ['p'])).code).toBe(1);
    const ran = await call(standbyClaim(open), ['p', '--no-wait', '--json']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({
      kind: 'StandbyClaim',
      isReady: false,
      claims: [{ from: 'cold', why: 'none is ready' }],
    });
  });

  it('says what became of an interrupted one', async () => {
    const ran = await call(standbyClaim(open), ['p'], { signal: AbortSignal.abort('SIGINT') });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('next:  headstart pool show p');
    expect(world.names().length).toBeGreaterThan(0);
  });

  it.each(['0', '-1', '101', 'x'])('refuses to claim %s', async (count) => {
    expect((await call(standbyClaim(open), ['p', `--count=${count}`])).code).toBe(2);
  });
});
