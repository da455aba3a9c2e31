import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseHealth } from './health.ts';
import { respondFromFolder } from './serve-folder.ts';
import { anInstance, aRequest } from './testing.ts';

let folder: string;
let metadata: string;
let health: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-imds-'));
  metadata = join(folder, 'metadata.json');
  health = join(folder, 'health.jsonl');
  writeFileSync(metadata, JSON.stringify(anInstance));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const userData = () =>
  respondFromFolder(folder, aRequest('/metadata/instance/compute/userData?api-version=2021-01-01&format=text'), 0);
const reportReady = (atMs: number) =>
  respondFromFolder(
    folder,
    aRequest('/machine?comp=health', {
      method: 'POST',
      body: `<GoalStateIncarnation>1</GoalStateIncarnation><ContainerId>${anInstance.vmId}</ContainerId><State>Ready</State>`,
    }),
    atMs,
  ).status;

describe('respondFromFolder', () => {
  it('serves changed user data immediately', () => {
    expect(userData().body).toBe(anInstance.userData);
    writeFileSync(metadata, JSON.stringify({ ...anInstance, userData: 'bmV3' }));
    expect(userData().body).toBe('bmV3');
  });

  it.each([
    ['does not exist', () => rmSync(metadata)],
    ['is half written', () => writeFileSync(metadata, '{"vmId": "')],
    ['is not an object', () => writeFileSync(metadata, 'null')],
    [
      'is a symbolic link',
      () => {
        rmSync(metadata);
        writeFileSync(join(folder, 'other'), JSON.stringify(anInstance));
        symlinkSync('other', metadata);
      },
    ],
  ])('makes the guest retry when metadata.json %s', (_, damage) => {
    damage();
    const { status, body } = userData();
    expect(status).toBe(500);
    expect(body).not.toContain(folder);
  });

  it("stores the guest's reports, oldest first, in a private file", () => {
    expect([reportReady(1), reportReady(2)]).toEqual([200, 200]);
    expect(parseHealth(readFileSync(health, 'utf8'))).toEqual([
      { atMs: 1, state: 'Ready' },
      { atMs: 2, state: 'Ready' },
    ]);
    expect(statSync(health).mode & 0o777).toBe(0o600);
  });

  it('does not let a guest fill the disk', () => {
    writeFileSync(health, `${'x'.repeat(1024 * 1024)}\n`);
    expect(reportReady(1)).toBe(429);
    expect(statSync(health).size).toBe(1024 * 1024 + 1);
  });

  it('makes the guest repeat a report that could not be stored', () => {
    symlinkSync(join(folder, 'elsewhere'), health);
    expect(reportReady(1)).toBe(500);
  });
});
