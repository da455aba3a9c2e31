// image/manifest/rules/check.ts: which compatibility rules does a manifest break, image by image? With a lock, the rules see the locked package versions.
import { UserError } from '../../../base/errors.ts';
import { artifactsOf } from '../../lock/content-hash.ts';
import type { ImageLock } from '../../lock/lock.ts';
import type { ComponentVersion } from '../constraints.ts';
import type { Manifest } from '../manifest.ts';
import { versionFor } from '../version-for.ts';
import { ownConstraints } from './constraints.ts';
import { cgroupV2, configVersions, dropInFolder, removedFlags } from './files.ts';
import { crictlMinor, pauseTag, samePatch } from './kubernetes.ts';
import { completeNode, nodeConfiguration } from './node.ts';
import type { CompatibilityRule, RuleFinding, RuleSubject } from './rule.ts';
import { cniPlugins, containerdCri, containerdRecommended, runcWithContainerd } from './runtime.ts';

export type { RuleFinding } from './rule.ts';

export const RULES: readonly CompatibilityRule[] = [
  samePatch,
  crictlMinor,
  containerdCri,
  containerdRecommended,
  runcWithContainerd,
  pauseTag,
  cniPlugins,
  cgroupV2,
  removedFlags,
  dropInFolder,
  configVersions,
  completeNode,
  nodeConfiguration,
];

/** Errors come first. A problem in several images is one finding per image. */
export function checkRules(manifest: Manifest, lock?: ImageLock): RuleFinding[] {
  const rules = [...RULES, ownConstraints(manifest.components)];
  return manifest.kubernetes
    .flatMap((kubernetes) => {
      const subject = subjectOf(manifest, kubernetes, lock);
      return rules.flatMap(({ id, source, check }) =>
        check(subject).map((found): RuleFinding => ({ rule: id, ...found, kubernetes, source })),
      );
    })
    .sort((a, b) => Number(a.severity === 'warning') - Number(b.severity === 'warning'));
}

export function subjectOf(manifest: Manifest, kubernetes: string, lock?: ImageLock): RuleSubject {
  const versions = new Map<string, ComponentVersion>();
  const images = new Map<string, string>();
  for (const component of manifest.components) {
    if (component.kind === 'file') continue;
    const { name, kind } = component;
    if (kind === 'oci-image') images.set(name, component.install.to);
    if (kind !== 'deb') versions.set(name, { kind, version: versionFor(component, kubernetes).version });
    else if (!component.version.endsWith('*')) versions.set(name, { kind, version: component.version });
  }
  for (const { component, kind, version } of lock ? artifactsOf(lock, kubernetes) : []) {
    versions.set(component, { kind, version });
  }
  const files = manifest.components.filter((component) => component.kind === 'file');
  const components = new Set([...manifest.components.map(({ name }) => name), ...versions.keys()]);
  const places = new Set(manifest.components.flatMap((one) => (one.kind === 'deb' ? [] : [one.install.to])));
  return { kubernetes, base: manifest.base.origin, versions, files, components, places, images };
}

/** `warning  containerd (Kubernetes 1.35.8): … [containerd/recommended; https://…]`; one line for the same finding in several images. */
export function renderFindings(findings: readonly RuleFinding[]): string[] {
  const alike = Map.groupBy(findings, ({ rule, component, message }) => JSON.stringify([rule, component, message]));
  return [...alike.values()].map((same) => {
    const { severity, component, message, rule, source } = same[0]!;
    const images = same.map(({ kubernetes }) => kubernetes).join(', ');
    return `${severity === 'error' ? 'problem' : 'warning'}  ${component} (Kubernetes ${images}): ${message} [${rule}; ${source}]`;
  });
}

export function throwOnErrors(findings: readonly RuleFinding[], lockFile: string): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  throw new UserError(
    `the components are incompatible:\n${renderFindings(errors)
      .map((line) => `         ${line}`)
      .join('\n')}`,
    {
      code: 'image/incompatible',
      kept: `No lock was written; ${lockFile} is unchanged.`,
      next: 'change the versions in the manifest, then run `headstart image check`',
      exitCode: 1,
    },
  );
}
