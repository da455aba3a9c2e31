import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult } from '../../base/command.ts';
import { TransientError } from '../../base/errors.ts';
import type { Look } from './look.ts';
import { parseUnits, seenUnits } from './units.ts';

/** As systemd 252 answers. */
const SHOWN = `Id=kubelet.service
LoadState=loaded
ActiveState=active
UnitFileState=enabled
ExecMainStartTimestampMonotonic=24012345

Id=ssh.service
LoadState=loaded
ActiveState=inactive
UnitFileState=disabled
ExecMainStartTimestampMonotonic=0

Id=gone.service
LoadState=not-found
ActiveState=inactive
UnitFileState=

Id=off.service
LoadState=masked
ActiveState=inactive
UnitFileState=masked
ExecMainStartTimestampMonotonic=0

Id=system.slice
LoadState=loaded
ActiveState=active
UnitFileState=static

Id=once.service
LoadState=loaded
ActiveState=inactive
UnitFileState=static
ExecMainStartTimestampMonotonic=24012345
Type=oneshot
Result=success
`;

const NAMES = ['kubelet.service', 'sshd.service', 'gone.service', 'off.service', 'system.slice', 'once.service'];

function aLook(over: Partial<Look>): Look {
  return {
    at: () => ({ kind: 'absent' }),
    isFolder: () => false,
    names: () => [],
    text: () => undefined,
    size: () => undefined,
    run: async () => ran(SHOWN),
    ...over,
  };
}

function ran(stdout: string, over: Partial<CommandResult> = {}): CommandResult {
  return { outcome: 'exited', code: 0, stdout: Buffer.from(stdout), stderr: '', ...over };
}

describe('units', () => {
  it('are read in the order asked, under the name asked, whatever they are an alias of', () => {
    expect(Object.fromEntries(parseUnits(SHOWN, NAMES))).toEqual({
      'kubelet.service': { isActive: true, isDone: false, isMasked: false, enabled: 'yes', wasStarted: true },
      'sshd.service': { isActive: false, isDone: false, isMasked: false, enabled: 'no', wasStarted: false },
      'off.service': { isActive: false, isDone: false, isMasked: true, enabled: 'no', wasStarted: false },
      'once.service': { isActive: true, isDone: true, isMasked: false, enabled: 'fixed', wasStarted: true },
      'system.slice': { isActive: true, isDone: false, isMasked: false, enabled: 'fixed', wasStarted: false },
    });
  });

  it('are asked for once, and the image is looked at for their files', async () => {
    const asked: Argv[] = [];
    const seen = await seenUnits(
      NAMES,
      aLook({
        run: async (argv) => {
          asked.push(argv);
          return ran(SHOWN);
        },
        at: (path) =>
          path === '/usr/lib/systemd/system/kubelet.service' ? { kind: 'link', target: 'x' } : { kind: 'absent' },
      }),
    );
    expect(asked).toHaveLength(1);
    expect(asked[0]?.slice(-7)).toEqual(['--', ...NAMES]);
    expect(seen.get('kubelet.service')?.isOfImage).toBe(true);
    expect(seen.get('sshd.service')?.isOfImage).toBe(false);
  });

  it('that are masked are enabled by what they were enabled by before', async () => {
    const names = (folder: string) =>
      folder === '/etc/systemd/system' ? ['x.target.wants'] : folder.endsWith('.wants') ? ['off.service'] : [];
    expect((await seenUnits(NAMES, aLook({ names }))).get('off.service')?.enabled).toBe('yes');
  });

  it('that are templates are asked for apart', async () => {
    const answer = (state: string) =>
      aLook({ run: async () => ran(`${state}\n`, { code: state === 'enabled' ? 0 : 1 }) });
    expect((await seenUnits(['a@.service'], answer('enabled'))).get('a@.service')).toMatchObject({
      enabled: 'yes',
      isActive: false,
    });
    expect((await seenUnits(['a@.service'], answer('disabled'))).get('a@.service')).toMatchObject({ enabled: 'no' });
    expect((await seenUnits(['a@.service'], answer('not-found'))).size).toBe(0);
  });

  it('are none without systemd, and unknown when it does not answer', async () => {
    const missing = aLook({ run: async () => ran('', { outcome: 'missing', code: null }) });
    expect((await seenUnits(NAMES, missing)).size).toBe(0);
    const silent = aLook({ run: async () => ran('', { code: 1, stderr: 'Failed to connect to bus' }) });
    await expect(seenUnits(NAMES, silent)).rejects.toThrow(TransientError);
  });
});
