// Runs the program like QEMU does, but with pipes instead of a socket.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guestCommands } from '../../../cli/compose/guest-commands.ts';
import { anInstance } from './testing.ts';

const { metadataCommand } = guestCommands({});
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-imds-'));
  writeFileSync(join(folder, 'metadata.json'), JSON.stringify(anInstance));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `talk` writes to the program, and gets its output so far. */
function run(args: string[], talk: (say: (text: string) => void, heard: string) => void): Promise<Ran> {
  const [program, ...rest] = metadataCommand;
  const child = spawn(program, [...rest, ...args]);
  let [stdout, stderr] = ['', ''];
  const say = (text: string) => void child.stdin.write(text);
  child.stdin.on('error', () => undefined); // the program has exited
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
    talk(say, stdout);
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  talk(say, '');
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

const once = (text: string) => (say: (text: string) => void, heard: string) => {
  if (heard === '') say(text);
};

describe('the program that QEMU starts for a connection', () => {
  it('serves requests in turn, keeps the connection open, and exits when the client closes it', async () => {
    const request = (name: string) =>
      `GET /metadata/instance/compute/${name}?api-version=2021-01-01&format=text HTTP/1.1\r\nHost: 169.254.169.254\r\nMetadata: true\r\n`;
    let isSecondSent = false;
    const { code, stdout, stderr } = await run([folder], (say, heard) => {
      if (heard === '') say(`${request('name')}\r\n`);
      else if (heard.endsWith('pool1-000003') && !isSecondSent) {
        isSecondSent = true;
        writeFileSync(join(folder, 'metadata.json'), JSON.stringify({ ...anInstance, userData: 'bmV3' }));
        say(`${request('userData')}Connection: close\r\n\r\n`);
      }
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
    expect(stdout).toMatch(/\r\n\r\nbmV3$/);
  });

  it('refuses invalid input and exits', async () => {
    const { code, stdout, stderr } = await run([folder], once('\0\r\n\r\n'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^HTTP\/1.1 400/);
  });

  it('reveals nothing about this machine when the folder does not exist', async () => {
    const nowhere = join(folder, 'nowhere');
    const { stdout, stderr } = await run([nowhere], once('GET /metadata/versions HTTP/1.0\r\nMetadata: true\r\n\r\n'));
    expect(stdout).toMatch(/^HTTP\/1.1 500/);
    expect(stdout + stderr).not.toContain(folder);
  });

  it('prints nothing to the guest when it was started without arguments', async () => {
    expect(await run([], () => undefined)).toEqual({ code: 2, stdout: '', stderr: '' });
  });
});
