import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExpressionType, evaluate, parseExpression } from './expression.ts';
import { parseBytes, parseCpu } from './quantity.ts';

const machine = { cpu: 4, memory: 16 * 2 ** 30, pods: 110 };

function worth(text: string, type: ExpressionType = 'number') {
  const parsed = parseExpression(text, type);
  return 'problem' in parsed ? parsed.problem : evaluate(parsed.expression, machine);
}

describe('an expression', () => {
  it.each([
    ['= 110', 110],
    ['=min(110, cpu * 10)', 40],
    ['= 1 + 2 * 3 - 4 / 2', 5],
    ['= (1 + 2) * 3', 9],
    ['= 10 - 3 - 2', 5],
    ['= 16 / 4 / 2', 2],
    ['= -cpu + 5', 1],
    ['= max(1)', 1],
    ['= 500m * cpu', 2],
    ['= memory / 1Gi', 16],
    // 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest
    ['= 0.06 + 0.01 * max(0, min(cpu - 1, 1)) + 0.005 * max(0, min(cpu - 2, 2)) + 0.0025 * max(0, cpu - 4)', 0.08],
  ])('%s is a number', (text, value) => {
    expect(worth(text)).toEqual({ value: expect.closeTo(value) });
  });

  it.each([
    ['= 255Mi + 11Mi * pods', (255 + 11 * 110) * 2 ** 20],
    ['= memory / 10', 1.6 * 2 ** 30],
    ['= max(memory / 100, 512Mi)', 512 * 2 ** 20],
    ['= pods * 1k', 110_000],
  ])('%s is an amount of memory', (text, value) => {
    expect(worth(text, 'bytes')).toEqual({ value: expect.closeTo(value) });
  });

  it.each([
    ['= memory', 'number', 'expected a number, got an amount of memory'],
    ['= cpu', 'bytes', 'expected an amount of memory, got a number'],
    ['= memory + cpu', 'bytes', "'+' does not accept an amount of memory and a number"],
    ['= memory * memory', 'bytes', "'*' does not accept an amount of memory and an amount of memory"],
    ['= cpu / memory', 'number', "'/' does not accept a number and an amount of memory"],
    ['= min(1, 1Gi)', 'number', "'min' does not accept a number and an amount of memory"],
    ['= disk * 2', 'number', 'has an unknown word at position 3; expected cpu, memory, pods, min or max'],
    ['= constructor', 'number', 'has an unknown word at position 3; expected cpu, memory, pods, min or max'],
    ['=', 'number', 'ends too early'],
    ['= (1', 'number', 'ends too early'],
    ['= min()', 'number', 'has an unexpected token at position 7'],
    ['= 1 2', 'number', 'has an unexpected token at position 5'],
    ['= cpu; reboot', 'number', 'has an unexpected character at position 6'],
    ['= $(id)', 'number', 'has an unexpected character at position 3'],
    ['= 1e9', 'number', 'has an unexpected character at position 3'],
    ['= 999999999999999Ti', 'bytes', 'contains an amount that is too large'],
    [`= ${'('.repeat(400)}`, 'number', 'is longer than 300 characters'],
    ['= 1 / (cpu - 4)', 'number', { problem: 'divides by zero or overflows on this machine' }],
  ] as const)('%s is refused as %s', (text, type, problem) => {
    expect(worth(text, type)).toEqual(problem);
  });

  it('gives a number or a problem for any text', () => {
    const words = fc.constantFrom(
      'cpu',
      'memory',
      'pods',
      'min',
      'max',
      '(',
      ')',
      ',',
      '+',
      '-',
      '*',
      '/',
      '1',
      '2.5',
      '3Gi',
      '5m',
      ' ',
    );
    const texts = fc.oneof(
      fc.string(),
      fc.array(words).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, fc.constantFrom('number' as const, 'bytes' as const), (text, type) => {
        const parsed = parseExpression(`=${text}`, type);
        if ('problem' in parsed) return;
        const evaluated = evaluate(parsed.expression, machine);
        if ('value' in evaluated) expect(Number.isFinite(evaluated.value)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('agrees with JavaScript arithmetic', () => {
    const { expressions } = fc.letrec<{ expressions: [string, number] }>((tie) => ({
      expressions: fc.oneof(
        { maxDepth: 3 },
        fc.integer({ min: 1, max: 99 }).map((n): [string, number] => [`${n}`, n]),
        fc.constant<[string, number]>(['cpu', machine.cpu]),
        fc
          .tuple(tie('expressions'), fc.constantFrom('+', '-', '*'), tie('expressions'))
          .map(([[a, x], operator, [b, y]]): [string, number] => [
            `(${a}${operator} ${b})`,
            operator === '+' ? x + y : operator === '-' ? x - y : x * y,
          ]),
        fc
          .tuple(tie('expressions'), tie('expressions'))
          .map(([[a, x], [b, y]]): [string, number] => [`min(${a}, ${b})`, Math.min(x, y)]),
      ),
    }));
    fc.assert(
      fc.property(expressions, ([text, value]) => {
        fc.pre(text.length < 290);
        expect(worth(`= ${text}`)).toEqual({ value });
      }),
    );
  });
});

describe('an amount', () => {
  it.each([
    ['255Mi', 255 * 2 ** 20],
    ['1.5Gi', 1.5 * 2 ** 30],
    ['100k', 100_000],
    ['0', 0],
    ['1023', 1023],
    ['1Mb', undefined],
    ['-1Mi', undefined],
    ['9999999999999Ti', undefined],
    ['', undefined],
  ])('of memory: %s', (text, bytes) => {
    expect(parseBytes(text)).toBe(bytes);
  });

  it.each([
    ['100m', 100],
    ['1.5', 1500],
    ['2', 2000],
    ['0.0001', undefined],
    ['1k', undefined],
  ])('of CPU: %s', (text, millis) => {
    expect(parseCpu(text)).toBe(millis);
  });
});
