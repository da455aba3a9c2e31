import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { layDisk } from './disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-disk-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('layDisk', () => {
  it('lays the settings of extensions, also of those without any', () => {
    const script = { name: 'cse', properties: { publisher: 'P', type: 'Script', settings: { a: 'b' } } };
    const extensions = [script, { name: 'bare' }];
    const birth = { customData: 'aGVsbG8=', extensions, protectedSettings: { cse: { key: 'canary-2d90' } } };
    layDisk(folder, { computerName: 'n1', vmId: 'v1', birth });
    const text = readFileSync(join(folder, 'var/lib/waagent/P.Script-1.0.0/config/0.settings'), 'utf8');
    expect(text).toContain('"publicSettings":{"a":"b"}');
    expect(text).toContain('protectedSettingsCertThumbprint');
    expect(text).not.toContain('canary-2d90');
    expect(existsSync(join(folder, 'var/lib/waagent/.-1.0.0/config/0.settings'))).toBe(true);
  });
});
