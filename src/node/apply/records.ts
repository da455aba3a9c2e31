// node/apply/records.ts: what does headstart persist on a node, and in which format? The state (slots and ownership),
// one record for each generation, and the journal of a change in progress.
import { Secret } from '../../base/secret.ts';
import { NOTHING_OWNED, type Ownership, type PlanStep } from '../desired/tree.ts';
import type { NodeConfig } from '../document/config.ts';
import type { Facts } from '../observe/facts.ts';
import { parseOwnership, renderOwnership } from '../plan/ownership-file.ts';
import type { Assignment, Slots } from './contract.ts';
import { parseSealed, renderSealed } from './sealed-json.ts';

export interface State {
  slots: Slots;
  /** The highest number of a generation so far. */
  lastNumber: number;
  ownership: Ownership;
  /** The node was drained and is not uncordoned yet. */
  owesUncordon: boolean;
}

export const FIRST_STATE: State = {
  slots: { bad: [] },
  lastNumber: 0,
  ownership: NOTHING_OWNED,
  owesUncordon: false,
};

export interface Generation {
  number: number;
  appliedMs: number;
  assignment: Assignment;
  /** Ownership when it was applied. A rollback plans with it: later generations then look like drift, and the plan repairs it. */
  ownership: Ownership;
}

/** Everything needed to make a change, or to finish it after a crash without observing the node again. */
export interface Journal {
  /** forward: apply a document · back: roll back. */
  kind: 'forward' | 'back';
  steps: readonly PlanStep[];
  /** kubelet had not started in that boot; do not wait for units, because they may be ordered after this daemon. */
  isBeforeKubelet: boolean;
  bootId: string;
  attempts: number;
  /** The boot id in which all steps before the reboot were done and the reboot was requested. */
  rebootAskedIn?: string | undefined;
  ownershipMeanwhile: Ownership;
  /** The state to save once all steps are done. */
  after: State;
  /** The record to save; undefined if it exists already. */
  generation?: Generation | undefined;
}

const VERSION = 1;

export function renderState(state: State): string {
  return renderSealed({ version: VERSION, ...encodeState(state) });
}

export function parseState(text: string): State {
  return decodeState(versioned(text));
}

export function renderGeneration(generation: Generation): string {
  return renderSealed({ version: VERSION, ...encodeGeneration(generation) });
}

export function parseGeneration(text: string): Generation {
  return decodeGeneration(versioned(text));
}

export function renderJournal(journal: Journal): string {
  const { after, generation, ownershipMeanwhile, ...rest } = journal;
  return renderSealed({
    version: VERSION,
    ...rest,
    ownershipMeanwhile: encodeOwnership(ownershipMeanwhile),
    after: encodeState(after),
    generation: generation && encodeGeneration(generation),
  });
}

export function parseJournal(text: string): Journal {
  const { after, generation, ownershipMeanwhile, ...rest } = versioned<StoredJournal<Journal, 'steps'>>(text);
  return {
    ...rest,
    ownershipMeanwhile: decodeOwnership(ownershipMeanwhile),
    after: decodeState(after),
    ...(generation && { generation: decodeGeneration(generation) }),
  };
}

type StoredJournal<T, Hint extends keyof T> = Omit<T, 'after' | 'generation' | 'ownershipMeanwhile'> &
  Pick<T, Hint> & { after: StoredState; generation?: StoredGeneration; ownershipMeanwhile: Secret };
type StoredState = Omit<State, 'ownership'> & { ownership: Secret };
interface StoredGeneration extends Omit<Generation, 'assignment' | 'ownership'> {
  ownership: Secret;
  document: Secret;
  documentHash: string;
  hash: string;
  config: NodeConfig;
  facts: Facts;
  origin: string;
}

function encodeState({ ownership, ...rest }: State): StoredState {
  return { ...rest, ownership: encodeOwnership(ownership) };
}

function decodeState({ ownership, slots, lastNumber, owesUncordon }: StoredState): State {
  if (typeof lastNumber !== 'number' || !Array.isArray(slots?.bad)) throw new SyntaxError('not the state of a node');
  return { slots, lastNumber, owesUncordon, ownership: decodeOwnership(ownership) };
}

function encodeGeneration({ number, appliedMs, assignment, ownership }: Generation): StoredGeneration {
  const { document, ...rest } = assignment;
  const text = new Secret(Buffer.from(document).toString('base64'));
  return { number, appliedMs, ...rest, document: text, ownership: encodeOwnership(ownership) };
}

function decodeGeneration(stored: StoredGeneration): Generation {
  const { number, appliedMs, document, documentHash, hash, config, facts, origin, ownership } = stored;
  if (typeof number !== 'number' || !(document instanceof Secret)) throw new SyntaxError('not a generation');
  const bytes = Buffer.from(document.reveal(), 'base64');
  const assignment = { document: bytes, documentHash, hash, config, facts, origin };
  return { number, appliedMs, assignment, ownership: decodeOwnership(ownership) };
}

function encodeOwnership(ownership: Ownership): Secret {
  return new Secret(renderOwnership(ownership));
}

function decodeOwnership(stored: Secret): Ownership {
  if (!(stored instanceof Secret)) throw new SyntaxError('the ownership is missing');
  return parseOwnership(stored.reveal());
}

/** The file is never partial, but a later headstart may have written it. */
function versioned<T>(text: string): T {
  const value = parseSealed(text);
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== VERSION) {
    throw new SyntaxError(`expected version ${VERSION}`);
  }
  const { version: _, ...rest } = value;
  return rest as T;
}
