import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { banner, stampAt } from '../../../boot/compat/cloud-init/testing.ts';
import { runVerb } from '../../testing.ts';
import { verb as boot } from './boot.ts';

const golden = fileURLToPath(new URL('../../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));

describe('cloud-init boot', () => {
  it('prints the four times in microseconds with --json', async () => {
    const { stdout } = await runVerb(boot, ['-i', golden, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'CloudInitBoot',
      kernelTookUs: 10_494_711,
      untilActivatedUs: 12_985_020,
    });
  });

  it('prints from a log alone what the log contains', async () => {
    const { code, stdout } = await runVerb(boot, ['-i', '-', '--json'], { stdin: banner(stampAt(0), 'init-local', 5) });
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as { started: object; kernelTookUs?: number };
    expect(result.started).not.toHaveProperty('unknown');
    expect(result.kernelTookUs).toBeUndefined();
  });

  it('refuses an input without any of the times, with a hint', async () => {
    const { code, stdout, stderr } = await runVerb(boot, ['-i', '-'], { stdin: 'nothing of the kind\n' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('cannot find any of the four times in -');
    expect(stderr).toContain('code:  boot/no-boot-times');
  });

  it('names a file that cannot be read', async () => {
    expect((await runVerb(boot, ['-i', '/nowhere/cloud-init.log'])).stderr).toContain('code:  boot/input-unreadable');
  });
});

describe('cloud-init boot --compat', () => {
  it('prints what the real tool printed for an archive', async () => {
    const { stdout, stderr, code } = await runVerb(boot, ['-i', golden, '--compat=22.4']);
    expect(stdout).toContain('    Kernel time to boot (seconds): 10.494710922241211\n');
    expect(stdout).toContain('    Cloud-init start: 2026-11-15 21:08:50.104000\n');
    expect({ stderr, code }).toEqual({ stderr: 'successful\n', code: 1 });
  });

  it('keeps the failure message of the real tool for unknown times', async () => {
    const stdin = banner(stampAt(0), 'init-local', 5);
    const { stdout, stderr, code } = await runVerb(boot, ['-i', '-', '--compat=22.4'], { stdin });
    expect(stdout).toContain('Your Linux distro or container does not support this functionality.\n');
    expect({ stderr, code }).toEqual({ stderr: 'failure\n', code: 1 });
  });

  it('refuses a version that had no `boot`', async () => {
    const { stdout, stderr, code } = await runVerb(boot, ['-i', golden, '--compat=19.1']);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain('--compat=19.1: cloud-init analyze has `boot` since 19.2');
  });
});
