import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { addService, parseUnitName, poolName, readData, timeSpan, wholeNumber } from './arguments.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-arguments-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('poolName', () => {
  it('accepts a name that leaves room for the host names of the instances', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(`${poolName(text)}-000001`).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
        } catch (error) {
          expect(error).toMatchObject({ code: 'pool/bad-name' });
        }
      }),
    );
    expect(poolName('pool1')).toBe('pool1');
  });

  it.each(['', 'A', '-a', 'a-', '../x', 'a/b', 'a b', 'a'.repeat(51), 'a\n'])('refuses %j', (name) => {
    expect(() => poolName(name)).toThrow('is not a valid pool name');
  });
});

describe('addService', () => {
  it('reads the address for the guest and its target', () => {
    const first = addService('168.0.0.100:80=127.0.0.1:8080');
    expect(addService('168.0.0.100:81=localhost:8081', first)).toEqual([
      { address: '168.0.0.100', port: 80, to: { host: '127.0.0.1', port: 8080 } },
      { address: '168.0.0.100', port: 81, to: { host: 'localhost', port: 8081 } },
    ]);
    expect(() => addService('168.0.0.100:80=a:1', first)).toThrow('given twice');
  });

  it.each([
    '',
    '168.0.0.100:80',
    '10.0.0.1:80=a:1',
    '168.0.0.300:80=a:1',
    '169.254.169.254:80=a:1',
    '168.0.0.100:0=a:1',
    '168.0.0.100:80=a:70000',
    '168.0.0.100:80=-oProxy:1',
    '168.0.0.100:80=a,b:1',
    '168.0.0.100:80=a b:1',
  ])('refuses %j', (text) => {
    expect(() => addService(text)).toThrow();
  });

  it('never accepts text that another program could read as an option', () => {
    fc.assert(
      fc.property(fc.string(), (host) => {
        try {
          const [service] = addService(`168.0.0.100:80=${host}:1`);
          expect(service!.to.host).toMatch(/^[A-Za-z0-9][A-Za-z0-9.-]*$/);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgumentError);
        }
      }),
    );
  });
});

describe('wholeNumber, timeSpan and parseUnitName', () => {
  it('parse valid values and refuse others', () => {
    expect(wholeNumber(1, 8)('8')).toBe(8);
    for (const text of ['0', '9', '1.5', '-1', '1e1', '', 'x']) expect(() => wholeNumber(1, 8)(text)).toThrow();
    expect(timeSpan('10min')).toBe(600_000);
    for (const text of ['0', 'soon', '-1s', '1y']) expect(() => timeSpan(text)).toThrow();
    expect(parseUnitName('node-agent@1.service')).toBe('node-agent@1.service');
    for (const text of ['x', '-x.service', 'a b.service', 'a;b.service', ''])
      expect(() => parseUnitName(text)).toThrow();
  });
});

describe('readData', () => {
  it('reads any file as base64', () => {
    const path = join(folder, 'data');
    writeFileSync(path, Buffer.from([0, 255, 10]));
    expect(readData(path, '--user-data')).toBe('AP8K');
  });

  it('names the option if the file is too large or missing', () => {
    const path = join(folder, 'large');
    writeFileSync(path, Buffer.alloc(50_000));
    expect(() => readData(path, '--custom-data')).toThrow('--custom-data takes at most 49152');
    expect(() => readData(join(folder, 'none'), '--user-data')).toThrow('it does not exist');
  });
});
