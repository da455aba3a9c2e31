import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsScript, readFacts } from './guest-facts.ts';

const line = (name: string, text: string) => `${name} ${Buffer.from(text).toString('base64')}\n`;

describe('readFacts', () => {
  it('parses every answer', () => {
    const facts = readFacts(
      [
        line('release', '{"a": 1}\n'),
        line('files', `${'a'.repeat(64)}  /usr/bin/kubelet\n`),
        line('units', 'Id=a.service\nActiveState=active\n\nId=b.service\nActiveState=failed\nResult=exit-code\n'),
        line('failedUnits', 'b.service loaded failed failed B=b\n'),
        line('unitFiles', 'apt-daily.timer masked\nother.timer \n'),
        line('root', '1000 4096\n8388608\n6.1.0-41-cloud-amd64\n/sys/firmware/efi\n'),
      ].join(''),
    );
    expect(facts).toMatchObject({ release: '{"a": 1}\n', failedUnits: ['b.service'], isUefi: true });
    expect(facts).toMatchObject({ rootBytes: 4_096_000, diskBytes: 2 ** 32, kernelRelease: '6.1.0-41-cloud-amd64' });
    expect(facts.files.get('/usr/bin/kubelet')).toBe('a'.repeat(64));
    expect(facts.units.get('b.service')).toMatchObject({ ActiveState: 'failed', Result: 'exit-code' });
    expect([...facts.unitFiles]).toEqual([
      ['apt-daily.timer', 'masked'],
      ['other.timer', ''],
    ]);
  });

  it('accepts any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void readFacts(text)));
  });
});

describe('factsScript', () => {
  it('is valid shell syntax for any paths', () => {
    const word = fc.string({ maxLength: 30 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (files) => {
        const script = factsScript({ files, links: files, units: files, unitFiles: files, healthTries: 3 });
        expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' }).stderr).toBe('');
      }),
      { numRuns: 20 },
    );
  });

  it('prints answers that readFacts parses, including for missing files', () => {
    const script = factsScript({
      files: ['/etc/passwd', '/no such file', "/it's"],
      links: ['/proc/self/exe', '/etc/passwd'],
      units: [],
      unitFiles: [],
      healthTries: 1,
    });
    const { stdout } = spawnSync('sh', ['-s'], {
      ...{ input: script, encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } },
      maxBuffer: 64 << 20,
    });
    const facts = readFacts(stdout);
    expect([...facts.files.keys()]).toEqual(['/etc/passwd']);
    expect([...facts.modes]).toEqual([['/etc/passwd', '644 0:0']]);
    expect([...facts.links.keys()]).toEqual(['/proc/self/exe']);
    expect(facts.release).toBe('');
  });
});
