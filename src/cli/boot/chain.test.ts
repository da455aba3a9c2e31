import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../../boot/testing.ts';
import { run } from '../testing.ts';

const BUNDLE = fileURLToPath(new URL('../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));

const nextOf = (stderr: string) => /^next: {2}(.*)$/m.exec(stderr)?.[1] ?? '';

describe('boot chain with an unknown target', () => {
  it('names the nearest target, and a next command that keeps every option and works', async () => {
    const typed = ['boot', 'chain', 'cloud-int.service', '-i', BUNDLE, '--boot', '0', '--json'];
    const { code, stderr } = await run(typed);
    expect(code).toBe(2);
    expect(stderr).toContain(
      'this boot has no unit and no milestone cloud-int.service (did you mean cloud-init.service',
    );
    expect(nextOf(stderr)).toBe(`headstart boot chain cloud-init.service -i ${BUNDLE} --boot 0 --json`);
    const [, ...again] = nextOf(stderr).split(' ');
    expect(await run(again)).toMatchObject({ code: 0, stderr: '' });
  });

  it.each(['zzzzzzzz', ''])('suggests the end of the boot if nothing is close to %j', async (target) => {
    const { stderr } = await run(['boot', 'chain', target, '-i', BUNDLE]);
    expect(nextOf(stderr)).toBe(`headstart boot chain startup-finished -i ${BUNDLE}`);
  });

  it('warns if the input has times but no ordering of units', async () => {
    const record = bootRecord({
      manager: managerTimes({ userspaceUs: 2e6, finishUs: 9e6 }),
      units: [unit('app.service', 3, 5), unit('other.service', 3, 2)],
    });
    const { code, stderr } = await run(['boot', 'chain', '-i', '-'], { stdin: JSON.stringify(record) });
    expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining('no ordering of units')]);
  });
});
