import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { layDisk } from '../../sims/azure/compute/disk.ts';
import { parseSealResult, sealScript, unsealScript } from '../clone-check/seal-script.ts';
import { contents, fingerprints } from '../clone-check/testing.ts';
import { inspectScript } from '../prototype/donor/inspect/inspect-script.ts';
import { parseInspection } from '../prototype/donor/inspect/inspection.ts';

const PROGRAM = fileURLToPath(new URL('./sim-ssh.ts', import.meta.url));
const DONOR = { computerName: 'pool1000000', vmId: '4c4c4544-0042-5710-8051-b8c04f4e3232' };
const inspect = inspectScript({ nodeName: DONOR.computerName, wantsCustomData: true });

let machines: string;
let disk: string;
beforeEach(() => {
  machines = mkdtempSync(join(tmpdir(), "headstart sim's-"));
  disk = join(machines, DONOR.computerName);
  layDisk(disk, { ...DONOR, birth: { customData: 'aGVsbG8=' } });
});
afterEach(() => rmSync(machines, { recursive: true, force: true }));

function ssh(host: string, command: string, input = '') {
  const argv = ['--no-warnings', PROGRAM, machines, '-T', '-o', 'BatchMode=yes', '--', host, command];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { input, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('ssh to a simulated machine', () => {
  it('finds a plain Ubuntu VM with the id, the name and the custom data of the instance, and changes nothing', () => {
    const before = fingerprints(disk);
    const { code, stdout } = ssh(`azureuser@${DONOR.computerName}`, 'sh -s', inspect);
    expect(code).toBe(0);
    const inspection = parseInspection(stdout);
    expect(inspection).toMatchObject({ isComplete: true, vmId: DONOR.vmId });
    expect(inspection.customData?.base64.reveal()).toBe('aGVsbG8=');
    expect(fingerprints(disk)).toEqual(before);
  });

  it('seals the folder, does not touch this machine, and unseals without a trace', () => {
    const ours = ['/var/lib/headstart/clone-check', '/etc/systemd/system/headstart-clone-check.service'];
    const atFirst = ours.map((path) => existsSync(path));
    const before = contents(disk);
    const sealed = ssh(DONOR.computerName, 'sh -s', sealScript({ vmId: DONOR.vmId }));
    expect(parseSealResult(sealed.stdout)).toMatchObject({ isSealed: true, problems: [] });
    expect(ours.map((path) => existsSync(join(disk, path)))).toEqual([true, true]);
    expect(ours.map((path) => existsSync(path))).toEqual(atFirst);
    expect(ssh(DONOR.computerName, 'sh -s', unsealScript()).code).toBe(0);
    const after = contents(disk);
    for (const made of ['/etc/systemd', '/etc/systemd/system']) after.delete(made); // as on a real VM, they stay
    expect(after).toEqual(before);
  });

  it.each([
    ['a custom script', 'echo made >"$HOME/here"'],
    ['a known script with one more line', `${inspect}\ntouch /tmp/here`],
    ['a seal with a folder to work on', sealScript({ vmId: DONOR.vmId, root: '/' })],
    ['nothing', ''],
  ])('refuses %s, because it would run on this machine', (_, script) => {
    const before = fingerprints(machines);
    const ran = ssh(DONOR.computerName, 'sh -s', script);
    expect(ran).toMatchObject({ code: 255, stdout: '' });
    expect(ran.stderr).toContain('runs only the scripts of headstart prototype');
    expect(fingerprints(machines)).toEqual(before);
  });

  it('reports the machine id, so that a caller can detect the wrong machine', () => {
    const inspected = ssh(
      DONOR.computerName,
      'sh -s',
      inspectScript({ nodeName: 'pool1000001', wantsCustomData: true }),
    );
    expect(parseInspection(inspected.stdout).vmId).toBe(DONOR.vmId);
    const sealed = ssh(DONOR.computerName, 'sh -s', sealScript({ vmId: 'aaaaaaaa-1111-4222-8333-0123456789ab' }));
    expect(parseSealResult(sealed.stdout)).toMatchObject({
      isSealed: false,
      problems: [expect.stringContaining('vm-id')],
    });
  });

  it('knows its machines, and names them for an unknown host', () => {
    expect(ssh(DONOR.computerName, 'true').code).toBe(0);
    for (const host of ['elsewhere', '..', '.', '']) {
      const { code, stderr } = ssh(host, 'true');
      expect({ host, code }).toEqual({ host, code: 255 });
      expect(stderr).toContain(`the simulated machines are ${DONOR.computerName}`);
    }
  });
});
