import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectPlatform } from './detect.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'headstart-node-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, content: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

describe('detectPlatform', () => {
  it.each([
    ['azure', { chassis_asset_tag: '7783-7084-3265-9085-8269-3286-77\n', sys_vendor: 'Microsoft Corporation\n' }],
    ['ec2', { sys_vendor: 'Amazon EC2\n' }],
    [undefined, { sys_vendor: 'QEMU\n', chassis_asset_tag: '\n' }],
    [undefined, {}],
  ])('returns %s', (platform, firmware) => {
    for (const [name, text] of Object.entries(firmware)) put(`sys/class/dmi/id/${name}`, text);
    expect(detectPlatform(root)).toBe(platform);
  });
});
