// node/apply/slots.ts: which document is in which slot, and which documents are not retried? Pure.
import type { ReasonCode } from '../reason-codes.ts';
import type { Assignment, BadDocument, GenerationRecord, Slot, Slots } from './contract.ts';
import type { Generation } from './records.ts';

/** The oldest are dropped. */
const MAX_BAD = 50;

export function slotOf(
  { hash, documentHash, config }: Assignment,
  number: number,
  { atMs, vmId }: Pick<Slot, 'atMs' | 'vmId'>,
): Slot {
  return { number, generation: config.generation, hash, documentHash, atMs, ...(vmId !== undefined && { vmId }) };
}

export function withBad(bad: Slots['bad'], { hash, generation }: Slot, code: ReasonCode, atMs: number): BadDocument[] {
  return [...withoutHash(bad, hash), { hash, generation, code, atMs }].slice(-MAX_BAD);
}

export function withoutHash(bad: Slots['bad'], hash: string): BadDocument[] {
  return bad.filter((one) => one.hash !== hash);
}

/** `generations`: newest first. Default: the last known good, or the generation before it if that is active. */
export function rollbackTarget(
  { active, lastKnownGood }: Slots,
  generations: readonly Generation[],
  number: number | undefined,
): Generation | undefined {
  const good = lastKnownGood?.hash === active?.hash ? undefined : lastKnownGood?.number;
  const wanted = number ?? good;
  if (wanted !== undefined) return generations.find((one) => one.number === wanted);
  return generations.find((one) => one.number < (active?.number ?? 0));
}

export function generationRecordOf({ number, appliedMs, assignment }: Generation, slots: Slots): GenerationRecord {
  const { hash, documentHash, origin, config } = assignment;
  return {
    number,
    generation: config.generation,
    hash,
    documentHash,
    id: config.id,
    origin,
    appliedMs,
    isActive: slots.active?.number === number,
    isLastKnownGood: slots.lastKnownGood?.number === number,
    bad: slots.bad.find((one) => one.hash === hash),
  };
}
