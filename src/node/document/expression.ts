// node/document/expression.ts: what is `= min(110, cpu * 10)` on this machine? Values that depend on the size of the node, without
// a shell at boot. Numbers and bytes are different types. An invalid expression gives a problem; exported functions do not throw.
import { parseBytes } from './quantity.ts';

/** A plain number (cores, pods, factors) or an amount of memory. */
export type ExpressionType = 'number' | 'bytes';
export const VARIABLES = { cpu: 'number', memory: 'bytes', pods: 'number' } as const satisfies Record<
  string,
  ExpressionType
>;
export type Variable = keyof typeof VARIABLES;

export type Expression =
  | { kind: 'literal'; value: number }
  | { kind: 'variable'; name: Variable }
  | { kind: 'operation'; operator: Operator; operands: readonly Expression[] };
type Operator = '+' | '-' | '*' | '/' | 'min' | 'max';

export type ParseExpressionResult = { expression: Expression; variables: ReadonlySet<Variable> } | { problem: string };
export type EvaluationResult = { value: number } | { problem: string };

const MAX_LENGTH = 300;

export function isExpression(text: string): boolean {
  return text.startsWith('=');
}

/** `text` starts with `=`; the result must be of type `wanted`. */
export function parseExpression(text: string, wanted: ExpressionType): ParseExpressionResult {
  if (text.length > MAX_LENGTH) return { problem: `is longer than ${MAX_LENGTH} characters` };
  try {
    const parser = new Parser(text);
    const { expression, type } = parser.all();
    if (type !== wanted) return { problem: `expected ${NAMED[wanted]}, got ${NAMED[type]}` };
    return { expression, variables: parser.variables };
  } catch (error) {
    if (error instanceof ExpressionError) return { problem: error.message };
    throw error;
  }
}

export function evaluate(
  expression: Expression,
  values: Readonly<Partial<Record<Variable, number>>>,
): EvaluationResult {
  if (expression.kind === 'literal') return { value: expression.value };
  if (expression.kind === 'variable') {
    const value = values[expression.name];
    return value === undefined ? { problem: `uses ${expression.name}, which has no value here` } : { value };
  }
  const operands: number[] = [];
  for (const operand of expression.operands) {
    const evaluated = evaluate(operand, values);
    if ('problem' in evaluated) return evaluated;
    operands.push(evaluated.value);
  }
  const value = operands.slice(1).reduce((left, right) => combine(expression.operator, left, right), operands[0]!);
  return Number.isFinite(value) ? { value } : { problem: 'divides by zero or overflows on this machine' };
}

function combine(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case 'min':
      return Math.min(left, right);
    case 'max':
      return Math.max(left, right);
  }
}

const NAMED = { number: 'a number', bytes: 'an amount of memory' } as const;
const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:[KMGT]i|[kMGTm])?(?![\w.]))|([a-z]+)|([-+*/(),]))/y;

class ExpressionError extends Error {}
interface TypedExpression {
  expression: Expression;
  type: ExpressionType;
}

class Parser {
  readonly variables = new Set<Variable>();
  readonly #text: string;
  #at = 1; // after the `=`
  #token = '';
  #tokenAt = 1;

  constructor(text: string) {
    this.#text = text;
    this.#next();
  }

  all(): TypedExpression {
    const typed = this.#sum();
    if (this.#token !== '') throw this.#unexpected();
    return typed;
  }

  #sum(): TypedExpression {
    let left = this.#product();
    while (this.#token === '+' || this.#token === '-')
      left = this.#binary(this.#take() as Operator, left, this.#product());
    return left;
  }

  #product(): TypedExpression {
    let left = this.#factor();
    while (this.#token === '*' || this.#token === '/')
      left = this.#binary(this.#take() as Operator, left, this.#factor());
    return left;
  }

  #factor(): TypedExpression {
    const at = this.#tokenAt;
    const token = this.#take();
    if (token === '(') {
      const inner = this.#sum();
      this.#expect(')');
      return inner;
    }
    if (token === '-') {
      const zero: Expression = { kind: 'literal', value: 0 };
      const { expression, type } = this.#factor();
      return { expression: { kind: 'operation', operator: '-', operands: [zero, expression] }, type };
    }
    if (/^\d/.test(token)) return literal(token);
    if (token === 'min' || token === 'max') return this.#call(token);
    if (Object.hasOwn(VARIABLES, token)) return this.#variable(token as Variable);
    throw this.#unexpected(token, at);
  }

  #variable(name: Variable): TypedExpression {
    this.variables.add(name);
    return { expression: { kind: 'variable', name }, type: VARIABLES[name] };
  }

  #call(operator: 'min' | 'max'): TypedExpression {
    this.#expect('(');
    let typed = this.#sum();
    while (this.#token === ',') {
      this.#take();
      typed = this.#binary(operator, typed, this.#sum());
    }
    this.#expect(')');
    return typed;
  }

  #binary(operator: Operator, left: TypedExpression, right: TypedExpression): TypedExpression {
    const expression: Expression = { kind: 'operation', operator, operands: [left.expression, right.expression] };
    const type = typeOf(operator, left.type, right.type);
    if (type !== undefined) return { expression, type };
    throw new ExpressionError(`'${operator}' does not accept ${NAMED[left.type]} and ${NAMED[right.type]}`);
  }

  #expect(token: string): void {
    if (this.#token !== token) throw this.#unexpected();
    this.#take();
  }

  #take(): string {
    const token = this.#token;
    this.#next();
    return token;
  }

  #next(): void {
    this.#tokenAt = this.#at + /^\s*/.exec(this.#text.slice(this.#at))![0].length + 1;
    TOKEN.lastIndex = this.#at;
    const match = TOKEN.exec(this.#text);
    if (match) this.#at = TOKEN.lastIndex;
    else if (this.#tokenAt <= this.#text.length)
      throw new ExpressionError(`has an unexpected character at position ${this.#tokenAt}`);
    this.#token = match ? (match[1] ?? match[2] ?? match[3]!) : '';
  }

  /** Gives the position, not the text: a secret in the wrong field may be parsed as an expression. */
  #unexpected(token = this.#token, at = this.#tokenAt): ExpressionError {
    if (token === '') return new ExpressionError('ends too early');
    if (/^[a-z]/.test(token))
      return new ExpressionError(`has an unknown word at position ${at}; expected cpu, memory, pods, min or max`);
    return new ExpressionError(`has an unexpected token at position ${at}`);
  }
}

function literal(token: string): TypedExpression {
  if (token.endsWith('m'))
    return { expression: { kind: 'literal', value: Number(token.slice(0, -1)) / 1000 }, type: 'number' };
  if (/^[\d.]+$/.test(token)) return { expression: { kind: 'literal', value: Number(token) }, type: 'number' };
  const bytes = parseBytes(token);
  if (bytes === undefined) throw new ExpressionError('contains an amount that is too large');
  return { expression: { kind: 'literal', value: bytes }, type: 'bytes' };
}

function typeOf(operator: Operator, left: ExpressionType, right: ExpressionType): ExpressionType | undefined {
  if (operator === '*') return left === 'bytes' && right === 'bytes' ? undefined : left === 'bytes' ? left : right;
  if (operator === '/') return left === right ? 'number' : left === 'bytes' ? 'bytes' : undefined;
  return left === right ? left : undefined;
}
