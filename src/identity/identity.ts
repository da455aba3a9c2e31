// identity/identity.ts: the facts that identify one machine, and their form in a file.
import { z } from 'zod';
import { FACT_NAMES, type FactName } from './items.ts';

export interface FactValue {
  value: string;
  /** Of which interface, unit or type of key. Two values are equal without regard to it. */
  of?: string;
}

/** Unknown is never distinct. */
export type IdentityFact = { values: FactValue[] } | { unknown: string };

export interface ClockOffset {
  /** The machine's clock minus the clock of the machine that asked. */
  offsetMs: number;
  /** The offset is known to within this time. */
  errorMs: number;
}

export interface MachineIdentity {
  /** How the answer names it. */
  name: string;
  facts: Readonly<Record<FactName, IdentityFact>>;
  /** Absent: no other clock was there to compare with. */
  clock?: ClockOffset;
}

const valueSchema = z.object({ value: z.string().min(1).max(300), of: z.string().max(300).exactOptional() });
const factSchema = z.union([
  z.object({ values: z.array(valueSchema).min(1).max(10_000) }),
  z.object({ unknown: z.string().max(300) }),
]);
const shape = Object.fromEntries(FACT_NAMES.map((name) => [name, factSchema])) as Record<FactName, typeof factSchema>;

/** As `headstart node distinct --collect` prints it. A newer version may know more items. */
export const identitySchema: z.ZodType<Omit<MachineIdentity, 'clock'>> = z.object({
  name: z.string().min(1).max(300),
  facts: z.object(shape),
});

/** Of a machine that could not be asked. */
export function unknownIdentity(name: string, why: string): MachineIdentity {
  const facts = Object.fromEntries(FACT_NAMES.map((item) => [item, { unknown: why }])) as MachineIdentity['facts'];
  return { name, facts };
}

export const isKnown = (fact: IdentityFact): fact is { values: FactValue[] } => 'values' in fact;
