// cli/compose/look-at-azure.ts: are Azure's settings complete, and which login would the verbs use? Calls no server.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import type { Presence } from '../../host/doctor/machine-facts.ts';
import { isOnPath } from '../../host/required-tools.ts';
import type { CliDeps } from '../verb.ts';
import { readAzureSources } from './open-azure.ts';

export interface AzurePresence {
  settings: Presence;
  login: Presence;
}

const SETTINGS_FIX = 'set AZURE_SUBSCRIPTION_ID and AZURE_RESOURCE_GROUP, or give --subscription and --resource-group';
const LOGIN_FIX = 'az login';

export async function lookAtAzure(deps: Pick<CliDeps, 'env'>): Promise<AzurePresence> {
  const [{ chooseSettings }, { chooseCredential }] = await Promise.all([
    import('../../vms/azure/connect/settings.ts'),
    import('../../vms/azure/connect/credentials.ts'),
  ]);
  let sources: Awaited<ReturnType<typeof readAzureSources>>;
  try {
    sources = await readAzureSources({}, deps);
  } catch (error) {
    const unreadable = missing(error, 'correct or remove the file');
    return { settings: unreadable, login: unreadable };
  }
  return {
    settings: lookSafely(SETTINGS_FIX, () => {
      const { subscriptionId, resourceGroup } = chooseSettings(sources);
      return { isThere: true, detail: `subscription ${subscriptionId}, resource group ${resourceGroup}; not called` };
    }),
    login: lookSafely(LOGIN_FIX, () => {
      const choice = chooseCredential(sources);
      if (choice.kind === 'operator') return loginOfUser(deps.env);
      if (choice.kind === 'workload-identity' && !existsSync(choice.tokenFile))
        return {
          isThere: false,
          detail: `the federated token ${choice.tokenFile} does not exist`,
          fix: `correct AZURE_FEDERATED_TOKEN_FILE, or ${LOGIN_FIX}`,
        };
      return { isThere: true, detail: `${choice.kind} (${choice.from}); not called` };
    }),
  };
}

function lookSafely(fix: string, look: () => Presence): Presence {
  try {
    return look();
  } catch (error) {
    return missing(error, fix);
  }
}

function missing(error: unknown, fix: string): Presence {
  if (!(error instanceof UserError)) throw error;
  return { isThere: false, detail: error.message, fix };
}

/** Other programs whose login the identity library can use. Where they keep it is their own affair. */
const OTHERS = ['azd', 'pwsh'];

/** The profile lists the subscriptions of the login; it has no token. */
function loginOfUser(env: CliDeps['env']): Presence {
  const isProgram = (program: string) => isOnPath(program, env.PATH);
  const folder = env.AZURE_CONFIG_DIR || (env.HOME && join(env.HOME, '.azure'));
  if (isProgram('az') && folder && hasSubscriptions(join(folder, 'azureProfile.json')))
    return { isThere: true, detail: 'the login of az; not called, so it may have expired' };
  const other = OTHERS.find(isProgram);
  if (other !== undefined && !isProgram('az'))
    return { isThere: true, detail: `${other} is installed; whether it is logged in is not known without a call` };
  return isProgram('az')
    ? { isThere: false, detail: 'az is installed but not logged in', fix: LOGIN_FIX }
    : {
        isThere: false,
        detail: 'no login is set, and az is not on PATH',
        fix: `install the Azure CLI, then ${LOGIN_FIX}`,
      };
}

function hasSubscriptions(profile: string): boolean {
  try {
    const { subscriptions } = JSON.parse(readFileSync(profile, 'utf8').replace(/^\uFEFF/, '')) as {
      subscriptions?: unknown;
    };
    return Array.isArray(subscriptions) && subscriptions.length > 0;
  } catch {
    return false;
  }
}
