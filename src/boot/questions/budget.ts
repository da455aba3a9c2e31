// boot/questions/budget.ts: how long may a boot take? Parses a document of limits and reports all problems at once.
import { z } from 'zod';
import { parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-names.ts';
import { PHASE_NAMES } from '../model/phases.ts';
import { MILESTONE_NAMES } from '../model/record.ts';

export interface Budget {
  total?: number | undefined;
  phases?: Record<string, number> | undefined;
  units?: Record<string, number> | undefined;
  milestones?: Record<string, number> | undefined;
  spans?: Record<string, number> | undefined;
}

/** Times in a budget count from kernel start, which is after the VM was created. */
const MILESTONES = MILESTONE_NAMES.filter((name) => name !== 'vm-created');

const limit = z.pipe(
  z.union([z.string(), z.number()], { error: 'expected a time span such as 2s, or a number of seconds' }),
  z.transform((value, context) => {
    const us = parseSpan(String(value));
    if (us !== undefined) return us;
    context.issues.push({
      code: 'custom',
      message: `'${value}' is not a time span such as 2s or 1min 30s`,
      input: value,
    });
    return z.NEVER;
  }),
);
const limits = z.record(z.string(), limit, { error: 'expected a map of names to limits' });
const namedLimits = (names: readonly string[]) =>
  z.pipe(
    limits,
    z.transform((value, context) => {
      for (const name of Object.keys(value)) {
        if (names.includes(name)) continue;
        const hint = didYouMean(name, names) || `; known: ${names.join(', ')}`;
        context.issues.push({ code: 'custom', path: [name], message: `unknown name${hint}`, input: value });
      }
      return value;
    }),
  );
const SECTIONS = ['total', 'phases', 'units', 'milestones', 'spans'] as const;

const schema = z.strictObject(
  {
    total: z.optional(limit),
    phases: z.optional(namedLimits(PHASE_NAMES)),
    units: z.optional(limits),
    milestones: z.optional(namedLimits(MILESTONES)),
    spans: z.optional(limits),
  },
  {
    error: (issue) =>
      issue.code === 'invalid_type' ? 'expected a map with total, phases, units, milestones or spans' : undefined,
  },
);

/** Throws a UserError that lists all problems. */
export function parseBudget(document: unknown, name: string): Budget {
  const parsed = schema.safeParse(inSections(document));
  const problems = parsed.success ? emptyProblem(parsed.data) : parsed.error.issues.map(describeIssue);
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new UserError(
    `${name} is not a valid budget:\n${problems.map((problem) => `         ${problem}`).join('\n')}`,
    {
      code: 'boot/bad-budget',
      next: 'write for example `units: {cloud-init.service: 5s}` or `milestones: {node-ready: 40s}`',
    },
  );
}

/** Moves a name at the top level into its section: a phase, a milestone, or a name with a unit suffix. */
function inSections(document: unknown): unknown {
  if (!isMap(document)) return document;
  const [named, rest] = [new Map<string, Record<string, unknown>>(), { ...document }];
  for (const [name, value] of Object.entries(document)) {
    const section = sectionOf(name);
    if (section === undefined || !isMap(rest[section] ?? {})) continue;
    named.set(section, { ...named.get(section), [name]: value });
    delete rest[name];
  }
  for (const [section, limits] of named) rest[section] = { ...limits, ...(rest[section] as object | undefined) };
  return rest;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sectionOf(name: string): string | undefined {
  if ((PHASE_NAMES as readonly string[]).includes(name)) return 'phases';
  if ((MILESTONES as readonly string[]).includes(name)) return 'milestones';
  return UNIT_SUFFIX.test(name) ? 'units' : undefined;
}

const UNIT_SUFFIX = /\.(?:service|target|socket|mount|automount|device|swap|path|timer|slice|scope)$/;

/** A budget without a limit would pass every boot. */
function emptyProblem(budget: Budget): string[] {
  const { total, ...sections } = budget;
  const count = Object.values(sections).reduce((sum, section) => sum + Object.keys(section ?? {}).length, 0);
  return total === undefined && count === 0 ? ['(top): the budget has no limits'] : [];
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.map(String).join('.') || '(top)';
  if (issue.code === 'unrecognized_keys')
    return `${path}: unknown ${issue.keys.map((key) => `'${key}'${didYouMean(key, SECTIONS)}`).join(', ')}`;
  return `${path}: ${issue.message}`;
}
