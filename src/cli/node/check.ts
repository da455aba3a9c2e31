// cli/node/check.ts: `headstart node check FILE`: would a node accept this document, and if not, why? Exits 3 if not.
import { gzipSync } from 'node:zlib';
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import {
  type AcceptedDocument,
  type DocumentContext,
  parseDocument,
  type RefusedDocument,
} from '../../node/document/document.ts';
import type { Problem, Warning } from '../../node/document/problem.ts';
import { type ProvenanceEntry, provenanceOf } from '../../node/document/provenance.ts';
import { parseBytes } from '../../node/document/quantity.ts';
import { NODE_CONFIG_VERSIONS } from '../../node/document/schema/convert.ts';
import { MAX_DELIVERED_BYTES, MAX_TEXT_BYTES } from '../../node/document/unwrap.ts';
import { parseImageRelease } from '../../node/observe/release.ts';
import { type ReasonCode, reasonFor } from '../../node/reason-codes.ts';
import { renderProblem } from '../../schema/problem.ts';
import { printJson } from '../output/json.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { nearestField } from './nearest-field.ts';
import { readBytes } from './read-document.ts';

interface Options {
  lenient?: boolean;
  strict?: boolean;
  release?: string;
  kubernetesVersion?: string;
  override?: string[];
  cpus: string;
  memory: string;
  values?: boolean;
  json?: boolean;
}

const ANSWER_IS_NO = 3;

export const verb: Verb = {
  examples: [
    'node check node-config.yaml',
    'node check node-config.yaml --kubernetes-version 1.34.2 --cpus 8 --memory 32Gi',
    'node check userdata.txt --override etc/headstart/node.d/10-pool.yaml --values',
  ],
  notes: 'Exit code: 0 a node accepts the document, 3 it does not, 2 the document cannot be read.',
  configure(command) {
    command
      .argument(
        '<FILE>',
        'the document as YAML or JSON, or as delivered: gzip, base64, a MIME part; - is standard input',
      )
      .option('--lenient', 'report unknown fields as warnings, as a node does')
      .addOption(new Option('--strict', 'report them as problems, the default').hideHelp().conflicts('lenient'))
      .option(
        '--release <FILE>',
        "the release file of the image; default: any image that has the document's Kubernetes version",
      )
      .option('--kubernetes-version <VERSION>', 'the Kubernetes version of the image')
      .option(
        '--override <FILE>',
        'a file on the node that overrides the document; repeatable, later ones win',
        (file: string, before: string[] = []) => [...before, file],
      )
      .option('--cpus <N>', 'CPUs of the machine, for expressions in the document', '4')
      .option('--memory <AMOUNT>', 'memory of the machine, for expressions in the document', '16Gi')
      .option('--values', 'print every effective value and where it comes from, with secrets masked')
      .option('--json', 'print one JSON document');
  },
  async run([file], options: Options, deps) {
    const bytes = readBytes(file!, deps);
    const size = sizeOf(bytes);
    const parsed = withNearest(await check(bytes, size, options, deps));
    const values = options.values && parsed.outcome === 'accepted' ? provenanceOf(parsed) : undefined;
    if (options.json) printJson(deps, 'NodeConfigCheck', toJson(parsed, size, values));
    else deps.stdout(toText(file!, parsed, size, values && renderValues(values, screenOf(deps))));
    return parsed.outcome === 'accepted' ? 0 : ANSWER_IS_NO;
  },
};

/** Adds the nearest field names. Only this verb does: a node has no use for them. */
function withNearest(parsed: AcceptedDocument | RefusedDocument): AcceptedDocument | RefusedDocument {
  const named = <T extends Warning>(one: T): T => ({ ...one, message: `${one.message}${nearestField(one.path)}` });
  const warnings = parsed.warnings.map(named);
  if (parsed.outcome === 'accepted') return { ...parsed, warnings };
  const isUnknown = ({ reason }: Problem) => reason === 'config/unknown-field';
  // Fields that a node ignores come last, after those that it refuses.
  const problems = [
    ...parsed.problems.filter((one) => !isUnknown(one)),
    ...parsed.problems.filter(isUnknown).map(named),
  ];
  return { ...parsed, warnings, problems, reason: problems[0]!.reason };
}

interface Size {
  bytes: number;
  gzipBytes: number;
}

/** The size of the document as written, and compressed for delivery. */
function sizeOf(bytes: Uint8Array): Size {
  return { bytes: bytes.length, gzipBytes: gzipSync(bytes, { level: 9 }).length };
}

function check(
  bytes: Uint8Array,
  size: Size,
  options: Options,
  deps: CliDeps,
): Promise<AcceptedDocument | RefusedDocument> {
  return parseDocument(bytes, {
    image: imageOf(options, deps),
    machine: { cpus: cpusOf(options.cpus), memoryBytes: memoryOf(options.memory) },
    nowMs: Math.floor(deps.nowUs() / 1000),
    overrides: (options.override ?? []).map((name) => ({
      name,
      bytes: readBytes(name, deps, 'name an existing file with --override'),
    })),
    isStrict: options.lenient !== true,
    // Text that fits after compression gets the limit for text.
    maxBytes: size.gzipBytes <= MAX_DELIVERED_BYTES ? MAX_TEXT_BYTES : MAX_DELIVERED_BYTES,
  });
}

const NAME_A_RELEASE = 'name the release file of an image with --release: usr/lib/headstart/release.json in the image';

function imageOf({ release, kubernetesVersion }: Options, deps: CliDeps): DocumentContext['image'] {
  if (release === undefined)
    return { configApiVersions: NODE_CONFIG_VERSIONS, signers: [], defaults: {}, kubernetesVersion };
  const facts = parseImageRelease(Buffer.from(readBytes(release, deps, NAME_A_RELEASE)).toString('utf8'), {
    path: release,
    next: NAME_A_RELEASE,
  });
  return { ...facts, kubernetesVersion: kubernetesVersion ?? facts.kubernetesVersion };
}

function cpusOf(text: string): number {
  const cpus = Number(text);
  if (/^\d{1,5}$/.test(text) && cpus > 0) return cpus;
  throw new UserError(`--cpus: expected a whole number of at least 1, got '${text}'`, { code: 'node/bad-option' });
}

function memoryOf(text: string): number {
  const bytes = parseBytes(text);
  if (bytes !== undefined && bytes > 0) return bytes;
  throw new UserError(`--memory: expected an amount such as 16Gi, got '${text}'`, { code: 'node/bad-option' });
}

/** A larger document leaves little room for additions. */
const ROOMY_BYTES = 40_000;

function sizeWarnings({ bytes, gzipBytes }: Size): Warning[] {
  if (bytes <= ROOMY_BYTES || gzipBytes > MAX_DELIVERED_BYTES) return []; // the latter is a problem
  const advice = bytes > MAX_DELIVERED_BYTES ? 'it only fits compressed' : 'it is close to the limit';
  const message = `has ${bytes} bytes of ${MAX_DELIVERED_BYTES}: ${advice} (gzip: ${gzipBytes} bytes)`;
  return [{ path: '', message }];
}

function toJson(parsed: AcceptedDocument | RefusedDocument, size: Size, values: ProvenanceEntry[] | undefined) {
  const isTaken = parsed.outcome === 'accepted';
  return {
    isTaken,
    ...(isTaken && { generation: parsed.config.generation, documentHash: parsed.documentHash, hash: parsed.hash }),
    ...(!isTaken && { reason: parsed.reason, next: nextOf(parsed.reason) }),
    problems: isTaken ? [] : parsed.problems,
    warnings: [...parsed.warnings, ...sizeWarnings(size)],
    size: { ...size, limitBytes: MAX_DELIVERED_BYTES },
    ...(values && { values }),
  };
}

function toText(
  file: string,
  parsed: AcceptedDocument | RefusedDocument,
  size: Size,
  values: string | undefined,
): string {
  const warnings = [...parsed.warnings, ...sizeWarnings(size)].map((warning) => `warning  ${renderProblem(warning)}\n`);
  if (parsed.outcome === 'accepted') {
    const { generation } = parsed.config;
    const table = values === undefined ? '' : `\n${values}`;
    return `${warnings.join('')}${file} is valid: generation ${generation}, sha256 ${parsed.documentHash}, ${size.bytes} bytes\n${table}`;
  }
  const problems = parsed.problems.map((problem) => `problem  ${renderProblem(problem)}\n`);
  const next = nextOf(parsed.reason);
  const advice = next === undefined ? '' : `next:  ${next}\n`;
  return `${problems.join('')}${warnings.join('')}${verdict(file, parsed.problems)}.\n${advice}code:  ${parsed.reason}\n`;
}

/** For invalid documents, the usual next step may be this verb itself. */
function nextOf(reason: ReasonCode): string | undefined {
  const fields = 'correct the document; `headstart node schema --fields` lists the fields';
  if (reason === 'config/unknown-field') return `${fields}; --lenient makes them warnings`;
  return /^config\/(?:invalid|not-readable)$/.test(reason) ? fields : reasonFor(reason).next;
}

/** A node ignores unknown fields, which is rarely what the author intended. */
function verdict(file: string, problems: readonly Problem[]): string {
  return problems.every(({ reason }) => reason === 'config/unknown-field')
    ? `${file} has ${problems.length === 1 ? 'a field' : 'fields'} that a node would ignore: ${countOf(problems)}`
    : `A node would not accept ${file}: ${countOf(problems)}`;
}

function countOf({ length }: readonly Problem[]): string {
  return length === 1 ? '1 problem' : `${length} problems`;
}

function renderValues(values: readonly ProvenanceEntry[], screen: Screen): string {
  return renderTable(
    [
      { title: 'FROM', cell: ({ from }) => from },
      { title: 'FIELD', cell: ({ path }) => path },
      { title: 'VALUE', cell: ({ value }) => JSON.stringify(value), narrow: 'wrap' },
    ],
    values,
    screen,
  );
}
