import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
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
});
