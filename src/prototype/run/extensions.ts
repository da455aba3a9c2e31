// prototype/run/extensions.ts: which extensions are one-time bootstrap, and which keep telling where the VM comes from and how it is?
import type { Extension } from '../../vms/pools.ts';

/**
 * By publisher and type, never by the name somebody gave it. What runs scripts once is bootstrap; provenance, billing, health,
 * monitoring, encryption and login stay, and so does everything we do not know: removing it would be a guess.
 */
const BOOTSTRAP: readonly (readonly [publisher: RegExp, type: RegExp])[] = [
  [/^microsoft\.azure\.extensions$/i, /^customscript$/i],
  [/^microsoft\.ostcextensions(\.edp)?$/i, /^customscriptforlinux$/i],
  [/^microsoft\.compute$/i, /^customscriptextension$/i],
  [/^microsoft\.cplat\.core$/i, /^(runcommandlinux|runcommandhandlerlinux)$/i],
  [/^microsoft\.powershell$/i, /^dscforlinux$/i],
];

export function bootstrapExtensions(extensions: readonly Extension[]): Extension[] {
  const scripts = extensions.filter(isBootstrap);
  // One that has to come after a script cannot stay without it: the platform refuses the model.
  const leaving = new Set(scripts.map((extension) => extension.name));
  for (let found = true; found; ) {
    found = false;
    for (const extension of extensions) {
      if (leaving.has(extension.name) || isKept(extension) || !extension.after.some((name) => leaving.has(name)))
        continue;
      leaving.add(extension.name);
      found = true;
    }
  }
  return extensions.filter((extension) => leaving.has(extension.name));
}

function isBootstrap({ publisher, type }: Extension): boolean {
  return BOOTSTRAP.some(([p, t]) => p.test(publisher) && t.test(type));
}

/** Never removed, whatever they are ordered after; their ordering is cut instead. */
function isKept({ publisher, type }: Extension): boolean {
  return (
    /^microsoft\.(aks|managedservices|azure\.monitor|azure\.activedirectory|azure\.security)/i.test(publisher) ||
    /billing|health|monitor|encryption/i.test(type)
  );
}
