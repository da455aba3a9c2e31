// cli/node/this-node.ts: opens the node that a verb runs on, and its document: a file, or the user data of the instance.
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import type { Assignment } from '../../node/apply/contract.ts';
import type { OpenNode } from '../../node/daemon/open-node.ts';
import type { Warning } from '../../node/document/problem.ts';
import { MAX_TEXT_BYTES } from '../../node/document/unwrap.ts';
import { type MetadataPlatform, PLATFORMS } from '../../node/metadata/detect.ts';
import { MetadataFailure } from '../../node/metadata/source.ts';
import { reasonFor } from '../../node/reason-codes.ts';
import { renderProblem } from '../../schema/problem.ts';
import type { CliDeps } from '../verb.ts';
import { readBytes } from './read-document.ts';

export interface NodeOptions {
  root: string;
  file?: string;
  platform?: string;
  metadataUrl?: string;
  json?: boolean;
}

export function withRoot(command: Command): Command {
  return command
    .option('--root <FOLDER>', 'use this folder as the root of the node, for tests', '/')
    .option('--json', 'print one JSON document');
}

export function withSource(command: Command): Command {
  return withRoot(command)
    .option('--platform <NAME>', `${PLATFORMS.join(' or ')}; default: detected from the firmware`)
    .option('--metadata-url <URL>', "the metadata service; default: the platform's own address");
}

/** Loads the modules only when needed: they are most of the program. */
export async function openThisNode(options: NodeOptions): Promise<OpenNode> {
  if (options.root === '/' && process.geteuid?.() !== 0) {
    throw new UserError('only root can read the configuration of this node', {
      code: 'node/not-root',
      kept: 'Nothing was changed.',
      next: 'run it with sudo; `headstart node status` works without',
    });
  }
  const { openNode } = await import('../../node/daemon/open-node.ts');
  return openNode(sourceOptions(options));
}

export function sourceOptions({ root, file, platform, metadataUrl }: NodeOptions) {
  return { root, file, platform: parsePlatform(platform), url: parseUrl(metadataUrl) };
}

function parsePlatform(text: string | undefined): MetadataPlatform | undefined {
  const platform = PLATFORMS.find((name) => name === text);
  if (text === undefined || platform !== undefined) return platform;
  throw new UserError(`--platform: expected one of ${PLATFORMS.join(', ')}, got '${text}'`, {
    code: 'node/bad-option',
  });
}

function parseUrl(text: string | undefined): string | undefined {
  if (text === undefined || /^http:\/\/[^\s/?#@]+\/?$/.test(text)) return text;
  throw new UserError(`--metadata-url: expected http:// and a host, got '${text}'`, { code: 'node/bad-option' });
}

export interface ResolvedDocument {
  assignment: Assignment;
  warnings: readonly Warning[];
}

const FETCH_MS = 5000;

/** Throws a UserError with every problem if this node would not accept the document. */
export async function resolveDocument(
  opened: OpenNode,
  file: string | undefined,
  deps: CliDeps,
): Promise<ResolvedDocument> {
  const { readAssignment } = await import('../../node/daemon/read-assignment.ts');
  const { store, clock } = opened;
  const context = opened.context(); // first: on a machine that is not a node, the error is about that
  const active = store.active();
  const found =
    file === undefined ? await fetchOnce(opened, deps) : { document: readBytes(file, deps), instance: undefined };
  const instance = found.instance ?? active?.facts.instance ?? { platform: 'file', addresses: [], tags: {} };
  const origin = file === undefined ? opened.source.name : `file ${file}`;
  const result = await readAssignment({ document: found.document, instance, origin }, context, {
    nowMs: clock.nowMs(),
    applied: store.slots().active,
    allowsOlder: true,
    ...(file !== undefined && { maxBytes: MAX_TEXT_BYTES }),
  });
  if ('assignment' in result) return result;
  const { problems, reason } = result.refused;
  const next = reasonFor(reason).next;
  throw new UserError(
    `this node does not accept the document:\n${problems.map((one) => `       ${renderProblem(one)}`).join('\n')}`,
    {
      code: reason,
      kept: 'Nothing was changed.',
      ...(next !== undefined && { next }),
    },
  );
}

async function fetchOnce({ source }: OpenNode, deps: CliDeps) {
  try {
    const { document, instance } = await source.fetch({ timeoutMs: FETCH_MS, signal: deps.signal() });
    if (document !== undefined) return { document, instance };
  } catch (error) {
    if (!(error instanceof MetadataFailure)) throw error;
    throw new UserError(`cannot read a document from ${source.name}: ${error.message}`, {
      code: error.reason,
      kept: 'Nothing was changed.',
      next: reasonFor(error.reason).next ?? 'retry, or name a FILE',
      exitCode: 1,
      cause: error,
    });
  }
  throw new UserError(`${source.name} has no document for this node`, {
    code: 'metadata/no-user-data',
    kept: 'Nothing was changed.',
    next: 'set the user data of the instance, or name a FILE',
    exitCode: 1,
  });
}
