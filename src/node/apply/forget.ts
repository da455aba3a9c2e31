// node/apply/forget.ts: which part of the saved state is still valid on a clone? The ownership record, because the
// files are on the cloned disk. The donor's documents and its interrupted change are discarded.
import { isSecret, sha256Of } from '../desired/bytes.ts';
import type { Ownership, OwnershipRecord } from '../desired/tree.ts';
import type { HostReader } from '../observe/host-reader.ts';
import type { ApplyOutcome } from './contract.ts';
import { makeChange } from './journal.ts';
import { FIRST_STATE, type Journal } from './records.ts';
import { removeStaged } from './steps/stage.ts';
import type { Transaction } from './transaction.ts';

export async function forget(transaction: Transaction): Promise<ApplyOutcome> {
  const { deps, folder } = transaction;
  const state = folder.readState();
  const cutOff = folder.readJournal();
  if (state.lastNumber === 0 && cutOff === undefined) return transaction.nothing(state);
  if (cutOff !== undefined) removeStaged(cutOff.steps, deps.disk);
  const ownership = asFound(cutOff?.ownershipMeanwhile ?? state.ownership, deps.host);
  const journal: Journal = {
    kind: 'back',
    steps: [],
    isBeforeKubelet: true,
    bootId: deps.bootId,
    attempts: 1,
    ownershipMeanwhile: ownership,
    after: { ...FIRST_STATE, ownership },
  };
  // Replaces the donor's journal, so that its change is never resumed.
  const reason = 'discarded the saved state of the donor';
  return makeChange(transaction, journal, { kind: 'unchanged', code: 'clone/new-identity', reason });
}

/** The clone check overwrote owned files to give the clone its identity; that is not drift. */
function asFound({ files, folders, live }: Ownership, host: HostReader): Ownership {
  const found = [...files].flatMap(([path, file]): [string, OwnershipRecord][] => {
    const seen = host.at(path, file.isSecret);
    if (seen.kind === 'link') {
      return [[path, { ...file, sha256: sha256Of({ content: seen.target, encoding: 'utf8' }), rights: undefined }]];
    }
    if (seen.kind !== 'file') return [];
    const { mode, uid, gid } = seen;
    return [[path, { ...file, sha256: sha256Of(seen), rights: { mode, uid, gid }, isSecret: isSecret(seen) }]];
  });
  return { files: new Map(found), folders, live };
}
