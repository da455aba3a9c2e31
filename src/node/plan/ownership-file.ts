// node/plan/ownership-file.ts: how is what we own kept between two runs of the daemon? As JSON; with secrets in it, where a file we replaced
// was one, so whoever writes it writes it for root alone.
import { Secret } from '../../base/secret.ts';
import type { Bytes, Original, Ownership, OwnershipRecord } from '../desired/tree.ts';

export function renderOwnership({ files, folders, live }: Ownership): string {
  const kept = {
    files: [...files].map(([path, { original, ...file }]) => [path, { ...file, original: toStored(original) }]),
    folders: [...folders],
    live: [...live].map(([id, { value, original, aspect }]) => [id, { value, aspect, original: original ?? null }]),
  };
  return `${JSON.stringify(kept)}\n`;
}

/** Our own file, read back. Throws a SyntaxError when it is not that: what cannot be told is not guessed. */
export function parseOwnership(text: string): Ownership {
  const kept: unknown = JSON.parse(text);
  if (!isStoredOwnership(kept)) throw new SyntaxError('it does not say what is owned');
  return {
    files: new Map(kept.files.map(([path, file]) => [path, { ...file, original: fromStored(file.original) }])),
    folders: new Set(kept.folders),
    live: new Map(
      kept.live.map(([id, { value, aspect, original }]) => [id, { value, aspect, original: original ?? undefined }]),
    ),
  };
}

type LiveEntry = Ownership['live'] extends ReadonlyMap<infer Id, infer Value> ? [Id, Value] : never;
type StoredOriginal =
  | Exclude<Original, { kind: 'file' }>
  | (Omit<Extract<Original, { kind: 'file' }>, 'content'> & StoredBytes);

interface StoredBytes {
  content: string;
  isSecret: boolean;
}

interface StoredOwnership {
  files: [string, Omit<OwnershipRecord, 'original'> & { original: StoredOriginal }][];
  folders: string[];
  live: LiveEntry[];
}

function isStoredOwnership(value: unknown): value is StoredOwnership {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['files', 'folders', 'live'].every((key) => Array.isArray((value as Record<string, unknown>)[key]))
  );
}

function toStored(original: Original): StoredOriginal {
  if (original.kind !== 'file') return original;
  const { content } = original;
  return typeof content === 'string'
    ? { ...original, content, isSecret: false }
    : { ...original, content: content.reveal(), isSecret: true };
}

function fromStored(original: StoredOriginal): Original {
  if (original.kind !== 'file') return original;
  const { isSecret, content, ...rest } = original;
  const bytes: Pick<Bytes, 'content'> = { content: isSecret ? new Secret(content) : content };
  return { ...rest, ...bytes };
}
