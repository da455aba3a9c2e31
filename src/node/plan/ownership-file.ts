// node/plan/ownership-file.ts: how is the ownership saved between two runs of the daemon? As JSON. It contains the content of replaced files,
// which may be secret, so the caller must make it readable by root only.
import { Secret } from '../../base/secret.ts';
import type { Bytes, Original, Ownership, OwnershipRecord } from '../desired/tree.ts';

export function renderOwnership({ files, folders, live }: Ownership): string {
  const stored = {
    files: [...files].map(([path, { original, ...file }]) => [path, { ...file, original: toStored(original) }]),
    folders: [...folders],
    live: [...live].map(([id, { value, original, aspect }]) => [id, { value, aspect, original: original ?? null }]),
  };
  return `${JSON.stringify(stored)}\n`;
}

/** Throws a SyntaxError if the text is not a saved ownership: guessing could delete files of the image. */
export function parseOwnership(text: string): Ownership {
  const stored: unknown = JSON.parse(text);
  if (!isStoredOwnership(stored)) throw new SyntaxError('it is not a saved ownership');
  return {
    files: new Map(stored.files.map(([path, file]) => [path, { ...file, original: fromStored(file.original) }])),
    folders: new Set(stored.folders),
    live: new Map(
      stored.live.map(([id, { value, aspect, original }]) => [id, { value, aspect, original: original ?? undefined }]),
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
