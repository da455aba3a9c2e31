// prototype/run/extensions.ts: which extensions are one-time bootstrap, and which have to stay on the pool?
import type { Extension } from '../../vms/pools.ts';

/**
 * Matched by publisher and type, never by name, which operators choose. Extensions that run scripts once are bootstrap.
 * Provenance, billing, health, monitoring, encryption and login stay, and so do unknown ones: removing them would be a guess.
 */
const BOOTSTRAP: readonly (readonly [publisher: RegExp, type: RegExp])[] = [
  [/^microsoft\.azure\.extensions$/i, /^customscript$/i],
  [/^microsoft\.ostcextensions(\.edp)?$/i, /^customscriptforlinux$/i],
  [/^microsoft\.compute$/i, /^customscriptextension$/i],
  [/^microsoft\.cplat\.core$/i, /^(runcommandlinux|runcommandhandlerlinux)$/i],
  [/^microsoft\.powershell$/i, /^dscforlinux$/i],
];

/** Only true bootstrap leaves. What merely waits for it, such as a security agent, stays without that ordering. */
export function bootstrapExtensions(extensions: readonly Extension[]): Extension[] {
  return extensions.filter(({ publisher, type }) => BOOTSTRAP.some(([p, t]) => p.test(publisher) && t.test(type)));
}

export interface CutOrdering {
  extension: string;
  /** The extensions that it no longer waits for, because they leave. */
  after: string[];
}

/** The orderings of kept extensions that the switch drops: the cloud refuses an extension that waits for a missing one. */
export function cutOrderings(extensions: readonly Extension[]): CutOrdering[] {
  const leaving = new Set(bootstrapExtensions(extensions).map(({ name }) => name));
  return extensions
    .filter(({ name }) => !leaving.has(name))
    .map(({ name, after }) => ({ extension: name, after: after.filter((one) => leaving.has(one)) }))
    .filter(({ after }) => after.length > 0);
}
