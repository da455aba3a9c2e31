import { createTar } from 'nanotar';
import { describe, expect, it } from 'vitest';
import { inputText, memoryInput } from './input.ts';
import { InputLimits } from './input-limits.ts';
import { openTar } from './open-tar.ts';

const open = (tar: Uint8Array, memoryBytes: number) => {
  const problems: string[] = [];
  const inputs = openTar(memoryInput('a.tar', tar), { limits: new InputLimits({ memoryBytes }), problems, sep: '/' });
  return { inputs, problems };
};

describe('openTar', () => {
  const large = 'line\n'.repeat(30_000);
  const tar = createTar([
    { name: 'a', data: 'inside a' },
    { name: '../../etc/large', data: large },
    { name: 'z', data: 'inside z' },
  ]);

  it.each([0, 10, 1 << 20])('gives the same content with %i bytes of memory', (memoryBytes) => {
    const { inputs, problems } = open(tar, memoryBytes);
    expect(inputs.map(({ name }) => name)).toEqual(['a.tar/a', 'a.tar/etc/large', 'a.tar/z']);
    expect(inputs.map((input) => inputText(input))).toEqual(['inside a', large, 'inside z']);
    expect(inputs[1]!.head).toHaveLength(1 << 16);
    expect(problems).toEqual([]);
  });

  it.each([0, 1 << 20])('reports where the archive is cut, with %i bytes of memory', (memoryBytes) => {
    const { inputs, problems } = open(tar.slice(0, 100_000), memoryBytes);
    expect(problems).toEqual(['a.tar is truncated inside ../../etc/large: the rest is missing']);
    expect(large.startsWith(inputText(inputs[1]!))).toBe(true);
    expect(inputText(inputs[1]!).length).toBeGreaterThan(90_000);
  });
});
