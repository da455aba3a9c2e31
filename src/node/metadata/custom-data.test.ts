import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { customDataSource } from './custom-data.ts';
import { environment } from './ovf-environment.testing.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-custom-data-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: string) {
  const whole = join(root, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, content);
}

/** A machine whose disks are folders: mount copies a folder, umount removes the copy. */
function machine(disks: Readonly<Record<string, string>>) {
  const commands: string[][] = [];
  const run: RunCommand = async (argv) => {
    commands.push([...argv]);
    const at = argv.at(-1)!;
    const device = argv.at(-2)!.split('/').at(-1)!;
    const isThere = argv[0] === 'umount' || disks[device] !== undefined;
    if (argv[0] === 'mount' && isThere) cpSync(disks[device]!, at, { recursive: true });
    if (argv[0] === 'umount') for (const name of readdirSync(at)) rmSync(join(at, name), { recursive: true });
    return { outcome: 'exited', code: isThere ? 0 : 32, stdout: Buffer.alloc(0), stderr: '' };
  };
  return { run, commands };
}

function disk(name: string, content: string | undefined): string {
  const folder = join(root, 'disks', name);
  mkdirSync(folder, { recursive: true });
  if (content !== undefined) writeFileSync(join(folder, 'ovf-env.xml'), content);
  return folder;
}

const read = async (run: RunCommand) => {
  const { document } = await customDataSource({ root, run }).fetch({ timeoutMs: 1000 });
  return document && Buffer.from(document).toString();
};

describe('custom data', () => {
  it('is read from the provisioning disk, which is unmounted afterwards', async () => {
    put('sys/block/vda/ro', '0\n');
    put('sys/block/vdb/ro', '1\n');
    put('sys/block/sr0/ro', '0\n');
    const { run, commands } = machine({
      vda: disk('vda', environment('the root disk')),
      vdb: disk('vdb', environment('mine')),
    });
    expect(await read(run)).toBe('mine');
    expect(commands.map(([program, ...rest]) => [program, rest.at(-2)?.split('/').at(-1)])).toEqual([
      ['mount', 'sr0'],
      ['mount', 'vdb'],
      ['umount', undefined],
    ]);
    expect(commands[0]).toContain('ro,nosuid,nodev,noexec');
  });

  it('is undefined if the disk has none or there is no disk', async () => {
    expect(await read(machine({}).run)).toBeUndefined();
    put('sys/block/sr0/ro', '0\n');
    expect(await read(machine({ sr0: disk('a', environment()) }).run)).toBeUndefined();
    expect(await read(machine({ sr0: disk('b', undefined) }).run)).toBeUndefined();
  });

  it.each([
    ['var/lib/waagent/ovf-env.xml', environment('left by an agent')],
    ['var/lib/waagent/CustomData', 'left by an agent'],
    ['var/lib/cloud/instance/user-data.txt', 'left by an agent'],
  ])('is read from the copy of an agent: %s', async (path, content) => {
    put(path, content);
    expect(await read(machine({}).run)).toBe('left by an agent');
  });

  it.each([
    ['is truncated', environment('the content').slice(0, 400)],
    ['is not an OVF environment', '<html></html>'],
    ['defines entities', `<!DOCTYPE x [<!ENTITY a "b">]>${environment('the content')}`],
    ['is not base64', environment('the content').replace(/<CustomData>/, '<CustomData>!')],
  ])('is refused if the file on the disk %s', async (_, content) => {
    put('sys/block/sr0/ro', '0\n');
    await expect(read(machine({ sr0: disk('a', content) }).run)).rejects.toMatchObject({
      reason: 'metadata/bad-answer',
      message: expect.not.stringMatching(/hunter2|the content/),
    });
  });

  it('is not read through a link', async () => {
    put('elsewhere', environment('not mine'));
    mkdirSync(join(root, 'var/lib/waagent'), { recursive: true });
    symlinkSync(join(root, 'elsewhere'), join(root, 'var/lib/waagent/ovf-env.xml'));
    await expect(read(machine({}).run)).rejects.toMatchObject({ message: expect.stringContaining('it is a link') });
  });
});
