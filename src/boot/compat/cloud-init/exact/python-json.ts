// boot/compat/cloud-init/exact/python-json.ts: reads and writes JSON like Python, which distinguishes 1 from 1.0.
import { ToolCrash } from './compat-crash.ts';
import { floatRepr } from './python-numbers.ts';

/** A Python int is a bigint, a Python float is a number. */
export type PythonValue = string | number | bigint | boolean | null | PythonValue[] | { [key: string]: PythonValue };

/** undefined if json.loads raises ValueError. */
export function loadsJson(text: string): PythonValue | undefined {
  try {
    return JSON.parse(text, keepNumberKind) as PythonValue;
  } catch {
    return undefined;
  }
}

function keepNumberKind(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  return /[.eE]/.test(source) ? value : BigInt(source);
}

/** json.dumps(value, indent=1, sort_keys=True, separators=(",", ": ")) */
export function dumpsJson(value: PythonValue): string {
  const out: string[] = [];
  write(value, '\n', out);
  return out.join('');
}

/** Python fails at about this depth, and the JavaScript stack would overflow at some depth too. */
const DEEPEST = 990;

function write(value: PythonValue, lineStart: string, out: string[]): void {
  if (lineStart.length > DEEPEST) throw new ToolCrash('RecursionError: maximum recursion depth exceeded');
  if (typeof value === 'string') out.push(quoteAscii(value));
  else if (typeof value === 'number') out.push(jsonFloat(value));
  else if (value === null || typeof value !== 'object') out.push(String(value));
  else if (Array.isArray(value)) {
    const inner = `${lineStart} `;
    for (let i = 0; i < value.length; i++) {
      out.push(i === 0 ? '[' : ',', inner);
      write(value[i]!, inner, out);
    }
    out.push(value.length === 0 ? '[]' : `${lineStart}]`);
  } else {
    const inner = `${lineStart} `;
    const keys = Object.keys(value).sort(byCodePoint);
    for (let i = 0; i < keys.length; i++) {
      out.push(i === 0 ? '{' : ',', inner, quoteAscii(keys[i]!), ': ');
      write(value[keys[i]!]!, inner, out);
    }
    out.push(keys.length === 0 ? '{}' : `${lineStart}}`);
  }
}

function jsonFloat(value: number): string {
  if (Number.isFinite(value)) return floatRepr(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function quoteAscii(text: string): string {
  // DEL needs no special case: neither Python nor JSON.stringify escapes it.
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Python compares strings by code point, JavaScript by UTF-16 unit; they differ only for strings with surrogates. */
export function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  if (!SURROGATE.test(a) && !SURROGATE.test(b)) return a < b ? -1 : 1;
  const left = [...a];
  const right = [...b];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

const SURROGATE = /[\ud800-\udfff]/;
