import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { fakePools } from '../../local/testing.ts';
import { poolSpec } from '../../vms/qemu/testing.ts';
import { addServedPool, isLoopback, listenAddress, servedPools } from './served-pools.ts';

describe('--pool', () => {
  it('has limits, or the usual ones', () => {
    expect(addServedPool('b:1:5', addServedPool('a'))).toEqual([
      { name: 'a', min: 0, max: 10 },
      { name: 'b', min: 1, max: 5 },
    ]);
  });

  it.each(['', 'A', 'a:1', 'a:5:1', 'a:0:101', 'a:0:-1'])('cannot be %j', (text) => {
    expect(() => addServedPool(text)).toThrow(InvalidArgumentError);
  });

  it('cannot name a pool twice', () => {
    expect(() => addServedPool('a:0:3', addServedPool('a'))).toThrow('given twice');
  });
});

describe('--listen', () => {
  it.each([
    ['8086', '127.0.0.1', 8086, true],
    ['127.0.0.2:1', '127.0.0.2', 1, true],
    ['localhost:1', 'localhost', 1, true],
    ['[::1]:1', '::1', 1, true],
    ['0.0.0.0:1', '0.0.0.0', 1, false],
    ['[::]:1', '::', 1, false],
    ['127.example.org:1', '127.example.org', 1, false],
  ])('%s is %s, port %i, on this machine only: %s', (text, host, port, isLocal) => {
    expect(listenAddress(text)).toEqual({ host, port });
    expect(isLoopback({ host, port })).toBe(isLocal);
  });

  it.each(['', 'x', '::1:80', '127.0.0.1:70000'])('cannot be %j', (text) => {
    expect(() => listenAddress(text)).toThrow(InvalidArgumentError);
  });
});

describe('the pools that are served', () => {
  const { signal } = new AbortController();

  it('are those that are named, or all', async () => {
    const pools = fakePools('');
    const image = await pools.addImage('headstart', 'node', '2026.11.15');
    for (const name of ['a', 'b']) await pools.pools.createPool(poolSpec(image, { name }));
    const names = async (given?: Parameters<typeof servedPools>[1]) =>
      (await servedPools(pools, given, signal)).map(({ name, min, max }) => [name, min, max]);
    expect(await names()).toEqual([
      ['a', 0, 10],
      ['b', 0, 10],
    ]);
    expect(await names([{ name: 'b', min: 1, max: 2 }])).toEqual([['b', 1, 2]]);
    await expect(names([{ name: 'c', min: 1, max: 2 }])).rejects.toMatchObject({ code: 'pool/no-such-pool' });
  });

  it('are at least one', async () => {
    await expect(servedPools(fakePools(''), undefined, signal)).rejects.toMatchObject({ code: 'pool/none' });
  });
});
