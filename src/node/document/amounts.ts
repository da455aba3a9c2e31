// node/document/amounts.ts: how much is a plain amount, `255Mi` or an expression on this machine?

import { type ExpressionType, evaluate, isExpression, parseExpression, type Variable } from './expression.ts';
import type { Problem } from './problem.ts';
import { parseBytes, parseCpu } from './quantity.ts';

export type Variables = Readonly<Partial<Record<Variable, number>>>;

/** Evaluates amounts for one machine and collects the invalid ones. */
export class Amounts {
  readonly problems: Problem[] = [];

  count(path: string, written: number | string, variables: Variables, range: readonly [number, number]): number {
    if (typeof written === 'number') return written;
    return this.#inRange(path, Math.floor(this.#expression(path, written, 'number', variables)), range);
  }

  bytes(path: string, written: number | string, variables: Variables, minimum = 0): number {
    if (typeof written === 'number') return written;
    if (!isExpression(written)) return this.#inRange(path, parseBytes(written) ?? 0, [minimum, MAX_BYTES]);
    return this.#inRange(path, Math.floor(this.#expression(path, written, 'bytes', variables)), [minimum, MAX_BYTES]);
  }

  cpuMillis(path: string, written: number | string, variables: Variables): number {
    if (typeof written === 'number') return Math.round(written * 1000);
    if (!isExpression(written)) return parseCpu(written) ?? 0;
    return this.#inRange(path, Math.floor(this.#expression(path, written, 'number', variables) * 1000), [
      0,
      MAX_MILLIS,
    ]);
  }

  #expression(path: string, text: string, type: ExpressionType, variables: Variables): number {
    const parsed = parseExpression(text, type);
    const evaluated = 'problem' in parsed ? parsed : evaluate(parsed.expression, variables);
    if ('value' in evaluated) return evaluated.value;
    return this.#refuse(path, evaluated.problem);
  }

  #inRange(path: string, value: number, [minimum, maximum]: readonly [number, number]): number {
    if (value < minimum) return this.#refuse(path, `is ${value} on this machine, below the minimum ${minimum}`);
    return value > maximum ? this.#refuse(path, `is ${value} on this machine, above the maximum ${maximum}`) : value;
  }

  #refuse(path: string, message: string): number {
    this.problems.push({ reason: 'config/invalid', path, message });
    return Number.NaN;
  }
}

const MAX_BYTES = 2 ** 50;
const MAX_MILLIS = 10_000_000;
