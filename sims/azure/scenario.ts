// sims/azure/scenario.ts: the file that describes the simulated subscription at its start. Reports all problems at once.
import { parse } from 'yaml';
import { z } from 'zod';
import { UserError } from '../../src/base/errors.ts';

const json = z.record(z.string(), z.json());

const extension = z.strictObject({
  name: z.string(),
  publisher: z.string(),
  type: z.string(),
  version: z.string().default('1.0'),
  settings: json.optional(),
  protectedSettings: json.optional(),
  /** Names of extensions that must be installed first. */
  after: z.array(z.string()).default([]),
});

const image = z.union([
  z.strictObject({
    publisher: z.string(),
    offer: z.string(),
    sku: z.string(),
    version: z.string().default('latest'),
  }),
  z.strictObject({ id: z.string() }),
  z.strictObject({ communityGalleryImageId: z.string().regex(/^\/CommunityGalleries\//i) }),
  z.strictObject({ sharedGalleryImageId: z.string().regex(/^\/SharedGalleries\//i) }),
]);

const scaleSet = z.strictObject({
  // It becomes the name of a folder.
  name: z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, 'letters, digits, dots, dashes and underscores, 64 at most'),
  mode: z.enum(['Uniform', 'Flexible']).default('Uniform'),
  instances: z.int().min(0).max(1000).default(3),
  size: z.string().default('Standard_D4s_v5'),
  image: image.default({ publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' }),
  os: z.enum(['Linux', 'Windows']).default('Linux'),
  osState: z.enum(['Generalized', 'Specialized']).default('Generalized'),
  generation: z.enum(['V1', 'V2']).default('V2'),
  securityType: z.enum(['Standard', 'TrustedLaunch', 'ConfidentialVM']).default('Standard'),
  computerNamePrefix: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,57}$/, 'letters, digits and dashes, 58 at most')
    .optional(),
  /** Plain text; requests send it in base64. */
  customData: z.string().optional(),
  extensions: z.array(extension).default([]),
  osDiskGb: z.int().min(1).default(30),
  /** The id of the disk encryption set with the customer's key. */
  diskEncryptionSet: z.string().optional(),
  diskController: z.enum(['SCSI', 'NVMe']).default('SCSI'),
  /** Data disks of the model, by their number. */
  dataDisks: z.array(z.strictObject({ lun: z.int().min(0), from: z.enum(['Empty', 'FromImage']) })).default([]),
  ephemeral: z.boolean().default(false),
  /** Whether instances can be hibernated. */
  hibernation: z.boolean().default(false),
  spot: z.boolean().default(false),
  upgrades: z.enum(['Manual', 'Automatic', 'Rolling']).default('Manual'),
  automaticOsUpgrade: z.boolean().default(false),
  instanceRepair: z.boolean().default(false),
  plan: z.strictObject({ name: z.string(), product: z.string(), publisher: z.string() }).optional(),
  tags: z.record(z.string(), z.string()).default({}),
});

const scenario = z
  .strictObject({
    cluster: z.string().min(1),
    subscription: z.uuid().default('5b2b1c2e-7a0d-4c1e-9d43-0c6f1f6b9a10'),
    tenant: z.uuid().default('9f1c0c5e-3f3b-4d6f-8a53-2f4a1be0a7d2'),
    resourceGroup: z.string().regex(/^[-\w.()]{1,90}$/, 'is not a resource group name'),
    region: z.string().default('westeurope'),
    /** Whether the region has zone-redundant storage for image versions. */
    zoneRedundantStorage: z.boolean().default(true),
    /** Management locks; without a scope, of the resource group. A scope is relative to the subscription, as `resourceGroups/demo`. */
    locks: z
      .array(
        z.strictObject({
          level: z.enum(['CanNotDelete', 'ReadOnly']),
          name: z.string().default('keep'),
          scope: z.string().optional(),
        }),
      )
      .default([]),
    /** Whether a PATCH of a scale set keeps the extensions that its list omits. */
    patchKeepsExtensions: z.boolean().default(false),
    seed: z.int().default(1),
    scaleSets: z.array(scaleSet).min(1),
  })
  .superRefine(({ scaleSets }, context) => {
    for (const [i, set] of scaleSets.entries()) {
      if (scaleSets.findIndex((other) => other.name.toLowerCase() === set.name.toLowerCase()) < i) {
        context.addIssue({ code: 'custom', path: ['scaleSets', i, 'name'], message: `'${set.name}' is there twice` });
      }
      const names = set.extensions.map((one) => one.name);
      for (const [j, one] of set.extensions.entries()) {
        for (const missing of one.after.filter((name) => !names.includes(name))) {
          context.addIssue({
            code: 'custom',
            path: ['scaleSets', i, 'extensions', j, 'after'],
            message: `there is no extension '${missing}'`,
          });
        }
      }
    }
  });

export type Scenario = z.infer<typeof scenario>;
export type ScenarioInput = z.input<typeof scenario>;
export type ScaleSetScenario = Scenario['scaleSets'][number];

export function parseScenario(text: string, name: string): Scenario {
  let document: unknown;
  try {
    document = parse(text, { maxAliasCount: 10 });
  } catch (cause) {
    throw badScenario(name, [cause instanceof Error ? cause.message : String(cause)], cause);
  }
  return checkScenario(document, name);
}

export function checkScenario(document: unknown, name: string): Scenario {
  const checked = scenario.safeParse(document);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the document'}: ${message}`);
  throw badScenario(name, problems, checked.error);
}

function badScenario(name: string, problems: string[], cause: unknown): UserError {
  return new UserError(`${name} is not a scenario:\n${problems.map((problem) => `  ${problem}`).join('\n')}`, {
    code: 'sim/bad-scenario',
    kept: 'Nothing was started.',
    next: 'compare it with sims/azure/scenarios/three-nodes.yaml',
    cause,
  });
}
