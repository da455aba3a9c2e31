import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STATUS_PATH, statusFiles } from './files.ts';
import type { NodeStatus } from './node-status.ts';
import { asStatus, readNodeStatus } from './read-status.ts';

const base: NodeStatus = {
  phase: 'Fetching',
  code: 'metadata/waiting',
  detail: 'x',
  since: 's',
  notes: [],
  isReady: false,
  bad: [],
  source: 's',
  daemon: { pid: 1, startedAt: 'x' },
};

describe('the status file', () => {
  it('is readable by all users, is not written twice, and is ignored if invalid', () => {
    const root = mkdtempSync(join(tmpdir(), 'hs-'));
    const umask = process.umask(0o077);
    try {
      expect(readNodeStatus(root)).toBeUndefined();
      const files = statusFiles(root);
      files.write(STATUS_PATH, JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'NodeStatus', ...base }));
      expect(readNodeStatus(root)).toEqual(base);
      const before = statSync(join(root, STATUS_PATH));
      expect([before.mode & 0o777, statSync(join(root, 'run/headstart')).mode & 0o777]).toEqual([0o644, 0o755]);
      files.write(STATUS_PATH, JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'NodeStatus', ...base }));
      expect(statSync(join(root, STATUS_PATH)).ino).toBe(before.ino);
      for (const text of ['', '{', '[]', '{"phase":"Applied"}', JSON.stringify({ ...base, code: 'no/such' })]) {
        mkdirSync(join(root, 'run/headstart'), { recursive: true });
        writeFileSync(join(root, STATUS_PATH), text);
        expect(readNodeStatus(root)).toBeUndefined();
      }
    } finally {
      process.umask(umask);
      rmSync(root, { recursive: true });
    }
  });
});

describe('a status over the socket', () => {
  it('is accepted only with all required fields', () => {
    const whole = JSON.parse(JSON.stringify(base));
    expect(asStatus({ kind: 'NodeStatus', ...whole })).toEqual(base);
    for (const name of ['phase', 'code', 'detail', 'since', 'isReady', 'notes']) {
      const { [name]: _, ...less } = whole;
      expect(asStatus(less)).toBeUndefined();
    }
    expect(asStatus(undefined)).toBeUndefined();
  });
});
