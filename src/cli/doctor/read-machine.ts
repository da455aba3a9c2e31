// cli/doctor/read-machine.ts: the facts that `headstart doctor` judges. Reads files and asks `go` for its version; uses no network.
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { cacheFolder } from '../../base/cache-folder.ts';
import { runCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import type { KubeconfigOptions } from '../../cluster/kubernetes/open-kubeconfig.ts';
import type { Capability } from '../../host/doctor/judge-machine.ts';
import type { MachineFacts, Presence, ProgramFact } from '../../host/doctor/machine-facts.ts';
import { isOnPath, missingTools, type Tool, toolsOf, USER_TOOLS } from '../../host/required-tools.ts';
import { type HomeOptions, homeFolder } from '../pool/home.ts';
import type { CliDeps } from '../verb.ts';

export type DoctorOptions = KubeconfigOptions & HomeOptions;

const GO_MS = 5_000;
const NOT_ASKED: Presence = { isThere: true, detail: 'not asked for' };

/** What takes long is read only for the capabilities that are asked for. */
export async function readMachine(
  asked: readonly Capability[],
  options: DoctorOptions,
  { env }: Pick<CliDeps, 'env'>,
): Promise<MachineFacts> {
  const [{ POOL_TOOLS, BASE_TOOLS }, { IMAGE_TOOLS }] = await Promise.all([
    import('../../vms/qemu/required-tools.ts'),
    import('../../image/build/required-tools.ts'),
  ]);
  const facts = (tools: readonly Tool[]) => programFacts(tools, env.PATH);
  const isAsked = (capability: Capability) => asked.includes(capability);
  const unbuiltPrograms = await readUnbuilt(env);
  return {
    platform: process.platform,
    arch: process.arch,
    isRoot: process.getuid?.() === 0,
    node: process.versions.node,
    hasApt: facts(toolsOf('apt-get'))[0]!.isThere,
    hasSystemd: existsSync('/run/systemd/system'),
    programs: {
      boot: facts(toolsOf('xz', 'ssh', 'journalctl')),
      pool: facts(POOL_TOOLS),
      base: facts(BASE_TOOLS),
      image: facts(IMAGE_TOOLS),
      user: facts(USER_TOOLS),
      node: facts(toolsOf('systemctl', 'containerd')),
    },
    hasKubelet: isOnPath('kubelet', env.PATH),
    kvm: !existsSync('/dev/kvm') ? 'absent' : isAccessible('/dev/kvm') ? 'usable' : 'forbidden',
    kvmTestBoot: await readTestBoot(options, env),
    hasFirmware: await hasFirmware(),
    unbuiltPrograms,
    go: isAsked('cluster') && unbuiltPrograms.length > 0 ? await lookAtGo(env) : NOT_ASKED,
    kubeconfig: isAsked('kubernetes') ? await lookAtKubeconfig(options, env) : NOT_ASKED,
    ...(await lookAtAzure(isAsked('azure'), env)),
  };
}

function programFacts(tools: readonly Tool[], path: string | undefined): ProgramFact[] {
  const missing = new Set(missingTools(tools, path));
  return tools.map((tool) => ({ ...tool, isThere: !missing.has(tool) }));
}

function isAccessible(device: string): boolean {
  try {
    accessSync(device, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Undefined also for a home that is not there yet or cannot be read: only a test boot is proof. */
async function readTestBoot(options: DoctorOptions, env: CliDeps['env']): Promise<MachineFacts['kvmTestBoot']> {
  const { testedAccelerator } = await import('../../vms/qemu/machine/accelerator.ts');
  try {
    return await testedAccelerator(homeFolder(options, { HOME: homedir(), ...env }));
  } catch {
    return undefined;
  }
}

async function hasFirmware(): Promise<boolean> {
  const { findFirmware } = await import('../../vms/qemu/machine/firmware.ts');
  try {
    findFirmware();
    return true;
  } catch {
    return false;
  }
}

async function readUnbuilt(env: CliDeps['env']): Promise<string[]> {
  const { BUILT_VERSION, missingPrograms, PLANE_PROGRAMS, programsFolder } = await import(
    '../../cluster/local/programs/programs.ts'
  );
  return missingPrograms(programsFolder(cacheFolder(env), BUILT_VERSION), PLANE_PROGRAMS);
}

/**
 * GOTOOLCHAIN=local: otherwise go might download another version of itself. A config folder that cannot be made: otherwise go creates
 * the one of the user for its counters, and no setting of the environment turns them off.
 */
async function lookAtGo(env: CliDeps['env']): Promise<Presence> {
  const { requireGo } = await import('../../cluster/local/programs/go-tool.ts');
  const ran = await runCommand(['go', 'env', '-json', 'GOVERSION', 'GOCACHE'], {
    timeoutMs: GO_MS,
    env: { ...env, GOTOOLCHAIN: 'local', GOFLAGS: '', XDG_CONFIG_HOME: '/dev/null' },
  });
  try {
    return { isThere: true, detail: `${requireGo(ran).version} builds the programs at the first cluster up` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { isThere: false, detail: error.message, fix: error.next! };
  }
}

async function lookAtKubeconfig(options: DoctorOptions, env: CliDeps['env']): Promise<Presence> {
  const look = await import('../compose/look-at-kubeconfig.ts');
  return look.lookAtKubeconfig(options, { env });
}

async function lookAtAzure(isAsked: boolean, env: CliDeps['env']) {
  if (!isAsked) return { azureSettings: NOT_ASKED, azureLogin: NOT_ASKED };
  const look = await import('../compose/look-at-azure.ts');
  const { settings, login } = await look.lookAtAzure({ env });
  return { azureSettings: settings, azureLogin: login };
}
