// image/manifest/read-manifest.ts: parse the text of image.yaml into a manifest, or report every problem with its path and line.
import type { Document, LineCounter, Node } from 'yaml';
import { UserError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-names.ts';
import { checkValue } from '../../schema/check.ts';
import type { Json } from '../../schema/json.ts';
import { checkManifest } from './check-manifest.ts';
import type { Component, ComponentKind, Manifest } from './manifest.ts';
import { type ManifestProblem, renderManifestProblem } from './manifest-problem.ts';
import { type ManifestDocument, manifestJsonSchema, manifestSchema } from './manifest-schema.ts';

export type ParsedManifest = { manifest: Manifest } | { problems: ManifestProblem[] };

export const KINDS = ['deb', 'archive', 'binary', 'oci-image', 'file'] as const satisfies readonly ComponentKind[];

/** Throws one error that lists all problems; `name` is the file name in its message. */
export async function readManifest(text: string, name: string): Promise<Manifest> {
  const parsed = await parseManifest(text);
  if ('manifest' in parsed) return parsed.manifest;
  const lines = parsed.problems.map((problem) => `         ${renderManifestProblem(problem)}`);
  throw new UserError(`${name} is not a valid image manifest:\n${lines.join('\n')}`, {
    code: 'image/bad-manifest',
    kept: 'Nothing was changed.',
    next: 'correct the manifest; `headstart image schema` prints a JSON Schema for your editor',
  });
}

export async function parseManifest(text: string): Promise<ParsedManifest> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) {
    return {
      problems: broken.map(({ message, pos }) => ({
        path: [],
        message: `is not YAML: ${message}`,
        line: lines.linePos(pos[0]).line,
      })),
    };
  }
  const located = (problem: ManifestProblem) => ({ ...problem, line: lineOf(document, lines, problem.path) });
  const value = plainValue(document);
  if (value === undefined) return { problems: [{ path: [], message: 'has aliases that cannot be resolved' }] };
  if (value === null) return { problems: [{ path: [], message: 'is empty' }] };
  const checked = checkValue(manifestSchema, value);
  const problems = [
    ...[...checked.problems, ...checked.missing].map(({ path, message }) => ({ path: keysOf(path), message })),
    ...checked.unknown.map(({ path }) => unknownKey(keysOf(path))),
  ].map((problem) => located(inWords(problem, value)));
  if (problems.length > 0 || checked.value === undefined) return { problems: problems.sort(byLine) };
  const manifest = toManifest(checked.value);
  const contradictions = checkManifest(manifest).map(located);
  return contradictions.length > 0 ? { problems: contradictions.sort(byLine) } : { manifest };
}

function plainValue(document: Document): Json | undefined {
  try {
    return document.toJS({ maxAliasCount: 100 }) as Json;
  } catch {
    return undefined; // an undefined alias, or too many of them (a YAML bomb)
  }
}

/** The line of the value or, if the value is missing, of the nearest parent that exists. */
function lineOf(document: Document, lines: LineCounter, path: ManifestProblem['path']): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node = length === 0 ? document.contents : (document.getIn(path.slice(0, length), true) as Node | undefined);
    if (node?.range) return lines.linePos(node.range[0]).line;
  }
  return undefined;
}

/** The schema check renders paths as text: `components[3].kind`, `a["b c"]`. */
function keysOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) =>
    index !== undefined ? Number(index) : quoted !== undefined ? (JSON.parse(`"${quoted}"`) as string) : plain!,
  );
}

function unknownKey(path: (string | number)[]): ManifestProblem {
  const name = String(path.at(-1));
  return { path, message: `is not a field${didYouMean(name, knownFields())}` };
}

/** Adds hints that the generic check cannot give: the list of kinds, and that YAML reads an unquoted version as a number. */
function inWords(problem: ManifestProblem, value: Json): ManifestProblem {
  const seen = problem.path.reduce<unknown>(
    (inside, key) => (inside as Record<string | number, unknown> | undefined)?.[key],
    value,
  );
  const key = problem.path.at(-1);
  if (key === 'kind' && problem.path[0] === 'components') {
    const found = typeof seen === 'string' ? `'${seen.slice(0, 60)}' is not a kind of component` : 'is missing';
    const hint = typeof seen === 'string' ? didYouMean(seen, KINDS) : '';
    return { ...problem, message: `${found}${hint}; known kinds: ${KINDS.join(', ')}` };
  }
  if (typeof seen === 'number' && /version|kubernetes/.test(problem.path.join('.'))) {
    return { ...problem, message: `${problem.message}: put it in quotes` };
  }
  return problem;
}

function knownFields(): Set<string> {
  const names = new Set<string>();
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, inner] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(inner as object)) names.add(name);
      walk(inner);
    }
  };
  walk(manifestJsonSchema());
  return names;
}

function toManifest({ apiVersion: _, kind: __, components, ...rest }: ManifestDocument): Manifest {
  return { ...rest, components: components.map(toComponent) };
}

function toComponent(component: ManifestDocument['components'][number]): Component {
  if (component.kind !== 'file') return component;
  return { ...component, install: { to: component.install.to, mode: Number.parseInt(component.install.mode, 8) } };
}

function byLine(a: ManifestProblem, b: ManifestProblem): number {
  return (a.line ?? 0) - (b.line ?? 0);
}
