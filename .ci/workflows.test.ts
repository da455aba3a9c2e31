// Do the workflows of GitHub call what everyone else calls, and depend on nothing that can change under their name?
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, { permissions?: Record<string, string>; steps: { uses?: string; run?: string }[] }>;
}

const folder = fileURLToPath(new URL('../.github/workflows', import.meta.url));
const workflows = readdirSync(folder).map((name) => {
  const workflow = parse(readFileSync(join(folder, name), 'utf8')) as Workflow;
  return { name, workflow, steps: Object.values(workflow.jobs).flatMap(({ steps }) => steps) };
});
const byName = (name: string) => workflows.find((one) => one.name === name)!;
const scriptsOf = (name: string) =>
  byName(name)
    .steps.map(({ run = '' }) => run)
    .join('\n');

describe.each(workflows)('$name', ({ workflow, steps }) => {
  it('uses no action, or one at a commit', () => {
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it('writes no expression into a script, where its value could run commands', () => {
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  it('has no rights but those that it names, and does not run with the secrets of the base for a fork', () => {
    expect(Object.values(workflow.permissions).filter((right) => right !== 'read')).toEqual([]);
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
  });
});

describe('the workflows', () => {
  it('run what CI runs, and release only what a person tagged', () => {
    expect(scriptsOf('ci.yml')).toContain('.ci/run');
    expect(byName('release.yml').workflow.on).toEqual({ push: { tags: ['v*'] } });
    const release = scriptsOf('release.yml');
    expect(release.indexOf('--notes "$GITHUB_REF_NAME"')).toBeGreaterThan(0);
    expect(release.indexOf('make dist')).toBeGreaterThan(release.indexOf('--notes "$GITHUB_REF_NAME"'));
    expect(release.indexOf('build-krew.ts')).toBeGreaterThan(release.indexOf('make dist'));
    expect(release.indexOf('gh release create')).toBeGreaterThan(release.indexOf('build-krew.ts'));
  });
});
