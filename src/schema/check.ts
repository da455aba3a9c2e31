// schema/check.ts: does a value match a schema? Reports all problems at once, each with its path; unknown fields separately.
import * as z from 'zod/mini';
import { isObject, type Json } from './json.ts';
import { type Remark, renderPath } from './problem.ts';

export interface CheckedValue<T> {
  /** With defaults and without unknown fields; absent if there are problems. */
  value?: T;
  problems: Remark[];
  /** Missing required fields outside lists. Separate from `problems`, because another layer may set them. */
  missing: Remark[];
  unknown: Remark[];
}

export function checkValue<S extends z.ZodMiniType>(schema: S, value: Json): CheckedValue<z.output<S>> {
  const first = z.safeParse(schema, value, { reportInput: true });
  const unknown = first.success ? [] : first.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  // zod skips the checks of a list or map that has unknown keys, so parse again without those keys.
  const known = unknown.reduce((rest, { path, keys }) => withoutKeys(rest, path, keys), value);
  const parsed = unknown.length === 0 ? first : z.safeParse(schema, known, { reportInput: true });
  const issues = parsed.success ? [] : parsed.error.issues;
  return {
    ...(parsed.success && { value: parsed.data }),
    problems: issues.filter((issue) => !mayComeLater(issue)).map(problemOf),
    missing: issues.filter(mayComeLater).map(problemOf),
    unknown: unknown.flatMap(({ path, keys }) =>
      keys.map((key) => ({ path: renderPath([...path, key]), message: 'is not a field of this version' })),
    ),
  };
}

type Issue = z.core.$ZodIssue;

function problemOf(issue: Issue): Remark {
  return { path: renderPath(issue.path), message: describe(issue) };
}

function isMissing(issue: Issue): boolean {
  return (issue.code === 'invalid_type' || issue.code === 'invalid_union') && issue.input === undefined;
}

function mayComeLater(issue: Issue): boolean {
  return isMissing(issue) && !issue.path.some((key) => typeof key === 'number');
}

/** Quotes numbers but never text, which may be a secret in the wrong field. */
function describe(issue: Issue): string {
  if (isMissing(issue)) return 'is missing';
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'array') return `has fewer than ${issue.minimum} entries`;
      return `${issue.input} is below ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array') return `has more than ${issue.maximum} entries`;
      if (issue.origin === 'string') return `is longer than ${issue.maximum} characters`;
      return `${issue.input} is above ${issue.maximum}`;
    case 'invalid_type':
      return `expected ${expectedKind(issue.expected)}, got ${kindOf(issue.input)}`;
    case 'invalid_value':
      return `is not one of ${issue.values.join(', ')}`;
    case 'invalid_key':
      return issue.issues.map(describe).join(', ');
    case 'invalid_union':
      return describeUnion(issue.errors);
    default:
      return issue.message;
  }
}

/** The intended alternative is the one that accepts the kind of the value. */
function describeUnion(alternatives: Issue[][]): string {
  const intended = alternatives.find(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  return (intended ?? alternatives.flat().slice(0, 1)).map(describe).join(', ');
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number') return String(value);
  return { string: 'text', boolean: 'true or false', object: 'a map' }[typeof value as string] ?? 'something else';
}

function expectedKind(expected: string): string {
  const known: Readonly<Record<string, string>> = {
    string: 'text',
    number: 'a number',
    int: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
  };
  return known[expected] ?? 'a map';
}

function withoutKeys(value: Json, path: readonly PropertyKey[], keys: readonly string[]): Json {
  const [head, ...rest] = path;
  if (Array.isArray(value)) return value.map((item, index) => (index === head ? withoutKeys(item, rest, keys) : item));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (head === undefined) return Object.fromEntries(entries.filter(([key]) => !keys.includes(key)));
  return Object.fromEntries(entries.map(([key, item]) => [key, key === head ? withoutKeys(item, rest, keys) : item]));
}
