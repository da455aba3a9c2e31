import { describe, expect, it } from 'vitest';
import type { Argv, CommandResult } from '../../base/command.ts';
import { TransientError } from '../../base/errors.ts';
import type { HostReader } from './host-reader.ts';
import { parseUnits, readUnits } from './units.ts';

/** Output of systemd 252. */
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

function aHost(over: Partial<HostReader>): HostReader {
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

describe('readUnits', () => {
  it('returns units under the requested names, also for aliases', () => {
    expect(Object.fromEntries(parseUnits(SHOWN, NAMES))).toEqual({
      'kubelet.service': { isActive: true, isDone: false, isMasked: false, enabled: 'yes', wasStarted: true },
      'sshd.service': { isActive: false, isDone: false, isMasked: false, enabled: 'no', wasStarted: false },
      'off.service': { isActive: false, isDone: false, isMasked: true, enabled: 'no', wasStarted: false },
      'once.service': { isActive: true, isDone: true, isMasked: false, enabled: 'fixed', wasStarted: true },
      'system.slice': { isActive: true, isDone: false, isMasked: false, enabled: 'fixed', wasStarted: false },
    });
  });

  it('calls systemctl once and checks the image for unit files', async () => {
    const commands: Argv[] = [];
    const seen = await readUnits(
      NAMES,
      aHost({
        run: async (argv) => {
          commands.push(argv);
          return ran(SHOWN);
        },
        at: (path) =>
          path === '/usr/lib/systemd/system/kubelet.service' ? { kind: 'link', target: 'x' } : { kind: 'absent' },
      }),
    );
    expect(commands).toHaveLength(1);
    expect(commands[0]?.slice(-7)).toEqual(['--', ...NAMES]);
    expect(seen.get('kubelet.service')?.isOfImage).toBe(true);
    expect(seen.get('sshd.service')?.isOfImage).toBe(false);
  });

  it('reads from .wants links whether a masked unit is enabled', async () => {
    const names = (folder: string) =>
      folder === '/etc/systemd/system' ? ['x.target.wants'] : folder.endsWith('.wants') ? ['off.service'] : [];
    expect((await readUnits(NAMES, aHost({ names }))).get('off.service')?.enabled).toBe('yes');
  });

  it('reads templates with a separate call', async () => {
    const answer = (state: string) =>
      aHost({ run: async () => ran(`${state}\n`, { code: state === 'enabled' ? 0 : 1 }) });
    expect((await readUnits(['a@.service'], answer('enabled'))).get('a@.service')).toMatchObject({
      enabled: 'yes',
      isActive: false,
    });
    expect((await readUnits(['a@.service'], answer('disabled'))).get('a@.service')).toMatchObject({ enabled: 'no' });
    expect((await readUnits(['a@.service'], answer('not-found'))).size).toBe(0);
  });

  it('returns nothing without systemd, and throws if systemctl fails', async () => {
    const missing = aHost({ run: async () => ran('', { outcome: 'missing', code: null }) });
    expect((await readUnits(NAMES, missing)).size).toBe(0);
    const silent = aHost({ run: async () => ran('', { code: 1, stderr: 'Failed to connect to bus' }) });
    await expect(readUnits(NAMES, silent)).rejects.toThrow(TransientError);
  });
});
