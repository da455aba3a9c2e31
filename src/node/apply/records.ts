// node/apply/records.ts: what does headstart remember of a node, and how is it written down? The state (which document where, and
// what is ours), one record for each generation, and the journal of a change that is being made.
import { Secret } from '../../base/secret.ts';
import { NOTHING_OWNED, type Ownership, type Step } from '../desired/tree.ts';
import type { NodeConfig } from '../document/config.ts';
import type { Facts } from '../observe/facts.ts';
import { parseOwnership, renderOwnership } from '../plan/ownership-file.ts';
import type { Assignment, Slots } from './contract.ts';
import { parseSealed, renderSealed } from './sealed-json.ts';

export interface State {
  slots: Slots;
  /** The highest number that was given to a generation. */
  lastNumber: number;
  ownership: Ownership;
  /** A drained node could not be put back into service so far. */
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
  /** When it was applied: with it, a later generation looks like drift from this one, and going back is a repair. */
  ownership: Ownership;
}

/** Everything it takes to make a change, or to finish it after a crash: the node as it was is not asked again. */
export interface Journal {
  /** forward: to a document · back: to what the node was before. */
  kind: 'forward' | 'back';
  steps: readonly Step[];
  /** kubelet had not started in that boot: nothing waits for units, for they may wait for us. */
  isBeforeKubelet: boolean;
  bootId: string;
  /** How often it was begun. */
  attempts: number;
  /** All before the reboot is done, and the reboot was asked for in this boot. */
  rebootAskedIn?: string | undefined;
  ownershipMeanwhile: Ownership;
  /** Once all steps are done. */
  after: State;
  /** To be kept; undefined when there is one already. */
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
  if (typeof lastNumber !== 'number' || !Array.isArray(slots?.bad)) throw new SyntaxError('it is no state of a node');
  return { slots, lastNumber, owesUncordon, ownership: decodeOwnership(ownership) };
}

function encodeGeneration({ number, appliedMs, assignment, ownership }: Generation): StoredGeneration {
  const { document, ...rest } = assignment;
  const text = new Secret(Buffer.from(document).toString('base64'));
  return { number, appliedMs, ...rest, document: text, ownership: encodeOwnership(ownership) };
}

function decodeGeneration(kept: StoredGeneration): Generation {
  const { number, appliedMs, document, documentHash, hash, config, facts, origin, ownership } = kept;
  if (typeof number !== 'number' || !(document instanceof Secret)) throw new SyntaxError('it is no generation');
  const bytes = Buffer.from(document.reveal(), 'base64');
  const assignment = { document: bytes, documentHash, hash, config, facts, origin };
  return { number, appliedMs, assignment, ownership: decodeOwnership(ownership) };
}

function encodeOwnership(ownership: Ownership): Secret {
  return new Secret(renderOwnership(ownership));
}

function decodeOwnership(kept: Secret): Ownership {
  if (!(kept instanceof Secret)) throw new SyntaxError('it does not say what is owned');
  return parseOwnership(kept.reveal());
}

/** Our own file, written whole or not at all; one of a later headstart is not guessed at. */
function versioned<T>(text: string): T {
  const value = parseSealed(text);
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== VERSION) {
    throw new SyntaxError(`it is not of version ${VERSION}`);
  }
  const { version: _, ...rest } = value;
  return rest as T;
}
