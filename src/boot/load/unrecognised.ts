// boot/load/unrecognised.ts: no boot can be read from this input: what is it, and what can the user do?
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { SourceKind } from '../model/evidence.ts';
import { decodeText, headText, type Input } from './input.ts';
import { boundedText } from './sources/bounded-text.ts';
import { SOURCES } from './sources/index.ts';
import type { EvidenceSource } from './sources/source.ts';

/** The user's command line with one input replaced, for `next:`. */
export type CommandWithInput = (from: string, to: string) => string;

const NO_COMMAND: CommandWithInput = (_, to) => `headstart boot timeline -i ${to}`;

/** The list of kinds is too long for a message. */
const KINDS_ARE_IN =
  'docs/inputs.md lists the supported kinds; `headstart boot collect` on the node collects all of them';

export function unrecognised(input: Input, commandWith: CommandWithInput = NO_COMMAND): UserError {
  const { what, next } = describeInput(input, commandWith);
  return new UserError(
    next === undefined
      ? `cannot recognise ${input.name}: found ${what}; ${kindsLike(input)}`
      : `cannot read a boot from ${input.name}: found ${what}`,
    { code: 'boot/input-unrecognised', next: next ?? KINDS_ARE_IN },
  );
}

export function nothingReadable(
  input: Input,
  source: EvidenceSource,
  commandWith: CommandWithInput = NO_COMMAND,
): UserError {
  const { what, next } = describeInput(input, commandWith);
  return new UserError(
    next === undefined
      ? `${input.name} looks like ${source.title}, but nothing in it could be read: found ${what}`
      : `cannot read a boot from ${input.name}: found ${what}`,
    {
      code: 'boot/input-empty',
      next:
        next ??
        INSTEAD[source.kind] ??
        'check that the file is complete; `headstart boot collect` makes a complete bundle',
    },
  );
}

/** Inputs of these kinds can be whole and have no times. */
const INSTEAD: Partial<Record<SourceKind, string>> = {
  'console-log': 'its lines have no times: pass the journal instead, `journalctl -b -o json > journal.json`',
  'kubelet-metrics':
    'kubelet sets kubelet_node_startup_* when it registers a new Node; pass the Node instead, `kubectl get node NAME -o json > node.json`',
};

/** One clause about the supported kinds: those the input resembles, else the most common ones. */
export function kindsLike(input?: Input): string {
  const near = input ? nearestKinds(input) : [];
  // Three always: with one, a user who meant another kind learns nothing.
  const kinds = [...new Set([...near, ...COMMON])].slice(0, MOST_KINDS);
  const titles = kinds.map((kind) => SOURCES.find((source) => source.kind === kind)!.title);
  return `${SOURCES.length} kinds of input are supported, ${near.length > 0 ? 'the nearest' : 'among them'}: ${titles.join(', ')}`;
}

const COMMON: readonly SourceKind[] = ['systemctl-units', 'journal-json', 'cloud-init-log', 'journal-text'];
const MOST_KINDS = 3;

type Shape = 'JSON' | 'YAML' | 'markup' | 'lines' | 'bytes';

/** Words in an input's name or first bytes that suggest which kind the user meant. */
const HINTS: readonly (readonly [kind: SourceKind, shape: Shape, words: RegExp])[] = [
  ['systemctl-manager', 'lines', /systemctl|manager|Timestamp(?:Monotonic)?=/i],
  ['systemctl-units', 'lines', /systemctl|units|ActiveState|LoadState|\.service\b/i],
  ['analyze-time', 'lines', /analyze|startup|userspace/i],
  ['analyze-blame', 'lines', /analyze|blame|^\s*[\d.]+m?s \S+\.\w+$/im],
  ['analyze-critical-chain', 'lines', /analyze|chain|└─/i],
  ['analyze-plot-svg', 'markup', /plot|<svg|\.svg$/i],
  ['analyze-plot-json', 'JSON', /plot|"activating"/i],
  ['journal-json', 'JSON', /journal|MESSAGE|__REALTIME/],
  ['journal-export', 'lines', /journal|__CURSOR|_BOOT_ID/],
  ['journal-text', 'lines', /journal|syslog|messages|kubelet|waagent|systemd\[|\.log\b/i],
  ['dmesg', 'lines', /dmesg|kern|^\[ *\d+\.\d+\]/im],
  ['console-log', 'lines', /console|serial|tty|login:|\[ *(?:OK|FAILED) *\]/i],
  ['kubelet-metrics', 'lines', /metrics|kubelet_|^# (?:HELP|TYPE) /m],
  ['cloud-init-output', 'lines', /cloud-init|ci-info|Cloud-init v\./],
  ['cloud-init-log', 'lines', /cloud-init|\.py\[|DEBUG/],
  ['cloud-init-dump', 'JSON', /cloud-init|dump|"event_type"/i],
  ['kvp', 'bytes', /kvp/i],
  ['extension-event', 'JSON', /extension|event|TaskName/i],
  ['provision-json', 'JSON', /provision|ExitCode|CSE/],
  ['nodeadm-log', 'JSON', /nodeadm|"caller"|"msg"/i],
  ['kubernetes-node', 'JSON', /kube|node|"items"|apiVersion/i],
  ['console-log', 'JSON', /console|serial|"(?:Output|contents)"/],
  ['kubernetes-events', 'JSON', /event|involvedObject/i],
  ['node-claim', 'JSON', /claim|karpenter/i],
  ['kubernetes-events', 'YAML', /event|involvedObject/i],
  ['node-claim', 'YAML', /claim|karpenter/i],
  ['kubernetes-node', 'YAML', /kube|node|apiVersion/i],
  ['boot-record', 'JSON', /record|boot|headstart/i],
];

/** Folder names would match too many hints. */
const baseName = (name: string) => name.split('/').at(-1)!;

function nearestKinds(input: Input): SourceKind[] {
  const shape = shapeOf(input);
  if (shape === undefined) return [];
  const head = headText(input).slice(0, 4096);
  const scored = HINTS.filter(([, itsShape]) => itsShape === shape).map(([kind, , words]) => ({
    kind,
    score: (words.test(baseName(input.name)) ? 2 : 0) + (words.test(head) ? 1 : 0),
  }));
  // JSON without any of these words still resembles the JSON kinds more than a listing.
  const isShapeEnough = shape !== 'lines';
  return scored
    .filter(({ score }) => score > 0 || isShapeEnough)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_KINDS)
    .map(({ kind }) => kind);
}

function shapeOf(input: Input): Shape | undefined {
  if (input.head.length === 0 || packedFormatOf(input.head)) return undefined;
  if (isBinary(input.head)) return 'bytes';
  const text = headText(input).trimStart();
  if (text === '') return undefined;
  if (/^[{[]\s*["{[\]}\d]/.test(text)) return 'JSON';
  if (text.startsWith('<')) return 'markup';
  return /^(?:---|[A-Za-z][\w-]*:(?:\s|$))/.test(text) && !/^\S+ \d/.test(text) ? 'YAML' : 'lines';
}

interface InputDescription {
  what: string;
  /** A hint more specific than the list of kinds. */
  next?: string;
}

function describeInput(input: Input, commandWith: CommandWithInput): InputDescription {
  const { head, name } = input;
  if (head.length === 0) return { what: 'an empty file' };
  const packed = packedFormatOf(head);
  if (packed) return { what: packed.what, next: packed.next(name, commandWith) };
  if (isBinary(head)) return { what: 'binary data' };
  const kinds = kubernetesKinds(input);
  if (kinds.length === 1 && kinds[0] === 'Event')
    return {
      what: 'events of Kubernetes, and none that says when a node started or became Ready',
      next: ASK_FOR_EVENTS,
    };
  if (kinds.length > 0 && !kinds.includes('Node')) {
    return {
      what: `Kubernetes objects of kind ${kinds.join(', ')}, and no Node`,
      next: `${ASK_FOR_NODE} and pass that with -i`,
    };
  }
  const line = decodeText(head.subarray(0, 400))
    .split(/\r?\n/)
    .find((each) => each.trim() !== '')
    ?.trim();
  if (line === undefined) return { what: 'only blank lines' };
  if (/^(?:NAME|NAMESPACE|LAST SEEN)\s{2,}[A-Z]/.test(line)) {
    return { what: 'a table of `kubectl get`', next: `${ASK_FOR_NODE} and pass that with -i` };
  }
  const fields = fieldsOf(input);
  return { what: fields ?? `text starting ${JSON.stringify(line.slice(0, 60))}` };
}

const ASK_FOR_EVENTS =
  'run `kubectl get events -A --field-selector involvedObject.kind=Node -o json`; events last an hour, a Node has its times for longer: `kubectl get node NAME -o json > node.json`';
const ASK_FOR_NODE = 'a Node has the times of registration and Ready: run `kubectl get node NAME -o json > node.json`';

interface PackedFormat {
  what: string;
  next(name: string, commandWith: CommandWithInput): string;
}

const STDIN = 'standard input';

const piped =
  (...argv: string[]): PackedFormat['next'] =>
  (name, commandWith) =>
    name === STDIN
      ? `${argv.join(' ')} FILE | ${commandWith('-', '-')}`
      : `${argv.join(' ')} ${shellWord(name)} | ${commandWith(name, '-')}`;

const intoFolder =
  (...argv: string[]): PackedFormat['next'] =>
  (name, commandWith) =>
    name === STDIN
      ? `unpack it into a folder, then ${commandWith('-', 'FOLDER')}`
      : `${argv.join(' ')} unpacked ${shellWord(name)} && ${commandWith(name, 'unpacked')}`;

const PACKED: readonly (readonly [start: string, packed: PackedFormat])[] = [
  ['\xfd7zXZ', { what: 'a file compressed with xz, which is not supported', next: piped('xz', '-dc') }],
  ['BZh', { what: 'a file compressed with bzip2, which is not supported', next: piped('bzip2', '-dc') }],
  ['\x04\x22\x4d\x18', { what: 'a file compressed with lz4, which is not supported', next: piped('lz4', '-dc') }],
  ['PK\x03\x04', { what: 'a zip archive, which is not supported', next: intoFolder('unzip', '-q', '-d') }],
  ["7z\xbc\xaf'", { what: 'a 7z archive, which is not supported', next: piped('7z', 'x', '-so') }],
  [
    'LPKSHHRH',
    { what: 'a binary journal, which only journalctl can read', next: piped('journalctl', '-o', 'json', '--file') },
  ],
];

/** Formats that another program must convert to text; searching their bytes for text would give false matches. */
export function packedFormatOf(head: Uint8Array): PackedFormat | undefined {
  const start = Buffer.from(head.subarray(0, 8)).toString('latin1');
  return PACKED.find(([magic]) => start.startsWith(magic))?.[1];
}

function isBinary(head: Uint8Array): boolean {
  const text = decodeText(head.subarray(0, 400));
  const odd = [...text].filter((c) => c === '\ufffd' || (c < ' ' && !'\n\r\t\x1b'.includes(c))).length;
  return odd * 10 > text.length;
}

const MOST_BYTES_TO_PARSE = 32 << 20;

/** `kubectl get -o json` sorts its fields, so `kind` of a large list is at the end: parse all of it. */
function jsonOf(input: Input): unknown {
  if (shapeOf(input) !== 'JSON') return undefined;
  try {
    const { text, isCut } = boundedText(input, MOST_BYTES_TO_PARSE);
    return isCut ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MOST_NAMES = 4;

function kubernetesKinds(input: Input): string[] {
  const json = jsonOf(input) as { apiVersion?: unknown; kind?: unknown; items?: unknown } | undefined | null;
  const kinds = json && typeof json === 'object' ? kindsOfJson(json) : kindsOfYaml(headText(input));
  return [...new Set(kinds)].filter((kind) => /^[A-Z][\w ]{0,62}$/.test(kind)).slice(0, MOST_NAMES);
}

function kindsOfJson({ apiVersion, kind, items }: { apiVersion?: unknown; kind?: unknown; items?: unknown }): string[] {
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return [];
  if (!Array.isArray(items) || !kind.endsWith('List')) return [kind];
  const inside = items
    .map((item) => (item as { kind?: unknown } | null)?.kind)
    .filter((each) => typeof each === 'string');
  return inside.length > 0 ? inside : [items.length === 0 ? 'List without items' : kind.replace(/List$/, '')];
}

function kindsOfYaml(text: string): string[] {
  if (!/^apiVersion:/m.test(text)) return [];
  const kinds = [...text.matchAll(/^(?:- | {2})?kind:\s*["']?(\w+)/gm)].map(([, kind]) => kind!);
  return kinds.length > 1 ? kinds.filter((kind) => kind !== 'List') : kinds;
}

function fieldsOf(input: Input): string | undefined {
  const json = jsonOf(input);
  if (json === undefined || json === null || typeof json !== 'object') return undefined;
  if (Array.isArray(json)) return `a JSON list of ${json.length}`;
  const names = Object.keys(json);
  if (names.length === 0) return 'an empty JSON object';
  const more = names.length > MOST_NAMES ? ', …' : '';
  return `JSON with the field${names.length === 1 ? '' : 's'} ${names.slice(0, MOST_NAMES).join(', ').slice(0, 60)}${more}`;
}
