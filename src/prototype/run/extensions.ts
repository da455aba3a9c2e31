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

export function bootstrapExtensions(extensions: readonly Extension[]): Extension[] {
  const scripts = extensions.filter(isBootstrap);
  // An extension that is ordered after a removed one has to go too: the platform refuses the model otherwise.
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

/** Never removed. If such an extension is ordered after a removed one, only that ordering is dropped. */
function isKept({ publisher, type }: Extension): boolean {
  return (
    /^microsoft\.(aks|managedservices|azure\.monitor|azure\.activedirectory|azure\.security)/i.test(publisher) ||
    /billing|health|monitor|encryption/i.test(type)
  );
}
