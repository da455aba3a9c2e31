// boot/compat/cloud-init/exact/python-format.ts: formats a template like Python's str.format.
import { ToolCrash } from './compat-crash.ts';
import type { PythonValue } from './python-json.ts';
import { floatRepr, pythonFixed, seconds08 } from './python-numbers.ts';

type Fields = Readonly<Record<string, PythonValue>>;
type Part = string | { name: string; asText: boolean; spec: string };

/** template.format(**fields), for plain names, the conversion `!s` and simple specs. Errors occur on use, not on creation. */
export function formatter(template: string): (fields: Fields) => string {
  let parts: Part[] | undefined;
  return (fields) => {
    parts ??= partsOf(template);
    let out = '';
    for (const part of parts) out += typeof part === 'string' ? part : formatField(part, fields);
    return out;
  };
}

function partsOf(template: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < template.length) {
    const brace = indexOfBrace(template, at);
    parts.push(template.slice(at, brace));
    if (brace === template.length) break;
    if (template[brace] === template[brace + 1]) {
      parts.push(template[brace]!);
      at = brace + 2;
      continue;
    }
    if (template[brace] === '}') throw new ToolCrash("Single '}' encountered in format string");
    const end = template.indexOf('}', brace);
    if (end < 0) throw new ToolCrash("expected '}' before end of string");
    parts.push(fieldOf(template.slice(brace + 1, end)));
    at = end + 1;
  }
  return parts;
}

function indexOfBrace(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === '{' || text[i] === '}') return i;
  return text.length;
}

function fieldOf(inside: string): Part {
  const match = /^([^:!{]*)(?:!(s))?(?::([^{]*))?$/.exec(inside);
  if (!match) throw new ToolCrash(`a format field that is not supported: {${inside}}`);
  const [, name = '', conversion, spec = ''] = match;
  if (name === '' || /^\d+$/.test(name)) {
    throw new ToolCrash(`Replacement index ${name || 0} out of range for positional args tuple`);
  }
  return { name, asText: conversion !== undefined, spec };
}

function formatField({ name, asText, spec }: Exclude<Part, string>, fields: Fields): string {
  if (!Object.hasOwn(fields, name)) throw new ToolCrash(`KeyError: '${name}' (not a field of this event)`);
  const value = fields[name]!;
  return formatValue(asText ? text(value) : value, spec);
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(0)?(\d+)?(?:\.(\d+))?([a-zA-Z%])?$/su;

function formatValue(value: PythonValue, spec: string): string {
  if (spec === '') return text(value);
  if (spec === '08.5f' && typeof value === 'number') return seconds08(value);
  const match = SPEC.exec(spec);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (!match || (!isNumber && typeof value !== 'string')) throw new ToolCrash(`Invalid format specifier '${spec}'`);
  const [, fill, align, sign, zero, width = '0', precision, type] = match;
  let body: string;
  if (isNumber) {
    if (type !== undefined && type !== 'f') throw new ToolCrash(`a format specifier that is not supported: '${spec}'`);
    body = type === 'f' ? pythonFixed(Number(value), Number(precision ?? 6)) : text(value);
    if (sign && sign !== '-' && body[0] !== '-') body = sign + body;
  } else {
    if ((type !== undefined && type !== 's') || sign || align === '=') {
      throw new ToolCrash(`Unknown format code '${type ?? sign ?? '='}' for object of type 'str'`);
    }
    body = precision === undefined ? (value as string) : [...(value as string)].slice(0, Number(precision)).join('');
  }
  return pad(body, Number(width), fill ?? (zero ? '0' : ' '), align ?? (isNumber ? (zero ? '=' : '>') : '<'));
}

function pad(body: string, width: number, fill: string, align: string): string {
  const missing = Math.max(0, Math.min(width, MAX_WIDTH) - [...body].length);
  if (align === '<') return body + fill.repeat(missing);
  if (align === '>') return fill.repeat(missing) + body;
  if (align === '^') return fill.repeat(missing >> 1) + body + fill.repeat(missing - (missing >> 1));
  const signLength = /^[-+ ]/.test(body) ? 1 : 0;
  return body.slice(0, signLength) + fill.repeat(missing) + body.slice(signLength);
}

/** Limits memory: a width of a billion is a mistake. */
const MAX_WIDTH = 10_000;

function text(value: PythonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return floatRepr(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  throw new ToolCrash('a nested value in a format field is not supported');
}
