import { describe, expect, it } from 'vitest';
import { bootRecord } from '../testing.ts';
import { bootsOfOneNode, pickBoot } from './pick-boot.ts';

const boots = ['a', 'b', 'c'].map((letter) => bootRecord({ bootId: letter.repeat(32) }));

describe('pickBoot', () => {
  it.each([
    ['0', 2],
    ['-1', 1],
    ['-2', 0],
    ['1', 0],
    ['3', 2],
    ['bbbb', 1],
    ['CCCCCCCC-CCCC-CCCC-CCCC-CCCCCCCCCCCC', 2],
  ])('resolves --boot %s', (which, index) => {
    expect(pickBoot(boots, which)).toBe(boots[index]);
  });

  it.each(['-3', '4', 'dddd', 'bb', ''])('rejects --boot %j and lists the known boots', (which) => {
    expect(() => pickBoot(boots, which)).toThrow(/known: -2 \(a+\), -1 \(b+\), 0 \(c+\)/);
  });
});

describe('boots of a document', () => {
  const named = ['Before the change', 'After the change', '7'].map((name) => bootRecord({ name }));

  it.each([
    ['before the change', 0],
    ['after', 1],
    ['7', undefined],
    ['-1', 1],
  ])('--boot %s chooses by the name, a part of it, or the number', (which, index) => {
    if (index === undefined) expect(() => pickBoot(named, which)).toThrow('no boot 7');
    else expect(pickBoot(named, which)).toBe(named[index]);
  });

  it('are listed if the name matches several or none', () => {
    expect(() => pickBoot(named, 'change')).toThrow(
      "2 boots match change; known: -2 ('Before the change'), -1 ('After the change'), 0 ('7')",
    );
    expect(() => pickBoot(named, 'x')).toThrow("no boot x in the input; known: -2 ('Before the change')");
  });
});

describe('boots of several nodes', () => {
  const nodes = ['b', 'a', 'b'].map((nodeName) => bootRecord({ host: { nodeName, hostname: `${nodeName}-host` } }));

  it('are not chosen among without a name', () => {
    expect(() => bootsOfOneNode(nodes, undefined)).toThrow('the inputs are about 2 nodes: a, b');
    expect(bootsOfOneNode(boots, undefined)).toEqual(boots);
  });

  it('are chosen by the name of the node or of the host, with --node or --boot', () => {
    expect(bootsOfOneNode(nodes, 'b')).toEqual([nodes[0], nodes[2]]);
    expect(pickBoot(nodes, 'a')).toBe(nodes[1]);
    expect(pickBoot(nodes, 'b-host')).toBe(nodes[2]);
  });

  it('have names, and an unknown one is an error that lists them', () => {
    expect(() => bootsOfOneNode(nodes, 'c')).toThrow('the inputs have no node c; known: a, b');
    expect(() => pickBoot(nodes, 'c')).toThrow('the inputs have no node c; known: a, b');
    expect(() => bootsOfOneNode(boots, 'c')).toThrow('they name no node');
  });
});
