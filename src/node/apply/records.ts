// node/apply/records.ts: what does headstart remember of a node, and how is it written down? The state (which document where, and
// what is ours), one record for each generation, and the journal of a change that is being made.
import { Secret } from '../../base/secret.ts';
import { NOTHING_OWNED, type Ownership, type PlanStep } from '../desired/tree.ts';
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
  steps: readonly PlanStep[];
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
  return renderSealed({ version: VERSION, ...keepState(state) });
}

export function parseState(text: string): State {
  return unkeepState(versioned(text));
}

export function renderGeneration(generation: Generation): string {
  return renderSealed({ version: VERSION, ...keepGeneration(generation) });
}

export function parseGeneration(text: string): Generation {
  return unkeepGeneration(versioned(text));
}

export function renderJournal(journal: Journal): string {
  const { after, generation, ownershipMeanwhile, ...rest } = journal;
  return renderSealed({
    version: VERSION,
    ...rest,
    ownershipMeanwhile: keepOwnership(ownershipMeanwhile),
    after: keepState(after),
    generation: generation && keepGeneration(generation),
  });
}

export function parseJournal(text: string): Journal {
  const { after, generation, ownershipMeanwhile, ...rest } = versioned<Kept<Journal, 'steps'>>(text);
  return {
    ...rest,
    ownershipMeanwhile: unkeepOwnership(ownershipMeanwhile),
    after: unkeepState(after),
    ...(generation && { generation: unkeepGeneration(generation) }),
  };
}

type Kept<T, Hint extends keyof T> = Omit<T, 'after' | 'generation' | 'ownershipMeanwhile'> &
  Pick<T, Hint> & { after: KeptState; generation?: KeptGeneration; ownershipMeanwhile: Secret };
type KeptState = Omit<State, 'ownership'> & { ownership: Secret };
interface KeptGeneration extends Omit<Generation, 'assignment' | 'ownership'> {
  ownership: Secret;
  document: Secret;
  documentHash: string;
  hash: string;
  config: NodeConfig;
  facts: Facts;
  origin: string;
}

function keepState({ ownership, ...rest }: State): KeptState {
  return { ...rest, ownership: keepOwnership(ownership) };
}

function unkeepState({ ownership, slots, lastNumber, owesUncordon }: KeptState): State {
  if (typeof lastNumber !== 'number' || !Array.isArray(slots?.bad)) throw new SyntaxError('it is no state of a node');
  return { slots, lastNumber, owesUncordon, ownership: unkeepOwnership(ownership) };
}

function keepGeneration({ number, appliedMs, assignment, ownership }: Generation): KeptGeneration {
  const { document, ...rest } = assignment;
  const text = new Secret(Buffer.from(document).toString('base64'));
  return { number, appliedMs, ...rest, document: text, ownership: keepOwnership(ownership) };
}

function unkeepGeneration(kept: KeptGeneration): Generation {
  const { number, appliedMs, document, documentHash, hash, config, facts, origin, ownership } = kept;
  if (typeof number !== 'number' || !(document instanceof Secret)) throw new SyntaxError('it is no generation');
  const bytes = Buffer.from(document.reveal(), 'base64');
  const assignment = { document: bytes, documentHash, hash, config, facts, origin };
  return { number, appliedMs, assignment, ownership: unkeepOwnership(ownership) };
}

function keepOwnership(ownership: Ownership): Secret {
  return new Secret(renderOwnership(ownership));
}

function unkeepOwnership(kept: Secret): Ownership {
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
